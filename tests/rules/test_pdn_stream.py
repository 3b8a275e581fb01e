"""Files are read game by game, however large they are, and read the same as in one piece."""

import os
import time
import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crownhead.rules import pdn
from crownhead.rules.errors import UnreadableGame
from crownhead.rules.pdn import PdnProblem, decode_pdn, encoding_of, open_pdn, read_games
from crownhead.rules.replay import replay
from crownhead.rules.variant import VARIANTS

GAME = '[Event "A game"]\n[Result "1-0"]\n[GameType "21"]\n\n1. 11-15 {{{note}}} 22-18 1-0\n\n'


def large(path: Path, games: int, note: str = "x" * 600) -> Path:
    with path.open("w", encoding="utf-8") as stream:
        for number in range(games):
            stream.write(GAME.format(note=f"{note} {number}"))
    return path


def test_a_large_file_is_never_held_whole(tmp_path: Path):
    path = large(tmp_path / "large.pdn", 7_000)
    assert path.stat().st_size > 4_000_000
    tracemalloc.start()
    with open_pdn(path) as stream:
        count = sum(len(game.moves) == 2 for game in read_games(stream))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 7_000
    assert peak < 3_000_000


def test_every_file_reads_the_same_in_pieces_as_whole(shared):
    files = sorted((shared / "data" / "pdn").rglob("*.pdn"))
    assert len(files) > 90
    for path in files:
        with open_pdn(path) as stream:
            assert list(read_games(stream)) == list(read_games(decode_pdn(path.read_bytes())))


TEXTS = st.text(st.sampled_from("ab \n1-2éÜñпартия½\u0081"), max_size=40)


@given(
    TEXTS,
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1251", "cp1252", "latin-1"]),
    st.lists(st.integers(0, 80), max_size=6),
)
def test_the_encoding_does_not_depend_on_the_pieces(text, encoding, cuts):
    data = text.encode(encoding, "replace")
    ends = sorted({0, *(min(cut, len(data)) for cut in cuts), len(data)})
    pieces = [data[a:b] for a, b in pairwise(ends)]
    assert encoding_of(pieces) == encoding_of([data])


@pytest.mark.parametrize(
    ("text", "encoding", "found"),
    [
        ("1. c3-d4 {за белых} *", "cp1251", "cp1251"),
        ("1. c3-d4 {за белых} *", "utf-8", "utf-8"),
        ("{Café, naïve} 1. 11-15 *", "cp1252", "cp1252"),
        ("{\u0081 é} 1. 11-15 *", "latin-1", "latin-1"),
        ("1. 11-15 *", "utf-16", "utf-16"),
        ("1. 11-15 *", "utf-8-sig", "utf-8-sig"),
    ],
)
def test_encodings_are_told_apart(text, encoding, found):
    assert encoding_of([text.encode(encoding)]) == found


def test_a_late_letter_decides_for_the_whole_file(tmp_path: Path):
    path = tmp_path / "late.pdn"
    path.write_bytes(
        b'[White "A"]\n\n1. 11-15 *\n\n' * 60_000 + "{Café} 1. 9-14 *".encode("cp1252")
    )
    with open_pdn(path) as stream:
        games = list(read_games(stream))
    assert games[-1].comment == "Café"
    assert len(games) == 60_001


def test_games_without_tags_are_parted_where_one_ends(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(pdn, "LONG_BLOCK", 2_000)
    path = tmp_path / "bare.pdn"
    path.write_text("1. 11-15 22-18\n2. 15x22 1-0\n" * 500)
    with open_pdn(path) as stream:
        games = list(read_games(stream))
    assert [len(game.moves) for game in games] == [3] * 500
    assert [game.line for game in games] == list(range(1, 1000, 2))


def test_games_on_one_line_are_parted_too(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(pdn, "CHUNK", 100)
    monkeypatch.setattr(pdn, "LONG_BLOCK", 2_000)
    path = tmp_path / "line.pdn"
    path.write_text("1. 11-15 22-18 2. 15x22 1-0 " * 500)
    with open_pdn(path) as stream:
        games = list(read_games(stream))
    assert [[(move.line, move.column) for move in game.moves] for game in games] == [
        [(1, 28 * n + 4), (1, 28 * n + 10), (1, 28 * n + 19)] for n in range(500)
    ]


@pytest.mark.parametrize("line", ["{ never closed\n", "{ never closed "])
def test_a_comment_that_never_ends_is_cut_and_told(tmp_path: Path, monkeypatch, line):
    monkeypatch.setattr(pdn, "CHUNK", 100)
    monkeypatch.setattr(pdn, "LONG_BLOCK", 1_000)
    monkeypatch.setattr(pdn, "LONGEST_BLOCK", 5_000)
    path = tmp_path / "endless.pdn"
    path.write_text(f'[Event "E"]\n\n1. 11-15 {line * 2_000}\n[Event "F"]\n\n1. 12-16 *\n')
    with open_pdn(path) as stream:
        endless, after = read_games(stream)
    assert endless.problem == PdnProblem(3, 10, "a comment is not closed")
    assert len(endless.moves[0].comments[0]) < 6_000
    assert [move.text for move in after.moves] == ["12-16"]
    assert after.problem is None


def test_a_game_that_never_ends_is_cut_and_told(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(pdn, "LONG_BLOCK", 1_000)
    monkeypatch.setattr(pdn, "LONGEST_BLOCK", 5_000)
    path = tmp_path / "endless.pdn"
    path.write_text('[Event "E"]\n\n' + "11-15 22-18\n" * 1_000 + '[Event "F"]\n\n1. 12-16 *\n')
    with open_pdn(path) as stream:
        endless, after = read_games(stream)
    assert endless.problem is not None
    assert "no end" in endless.problem.text
    assert 400 < len(endless.moves) < 1_000
    assert (after.line, len(after.moves)) == (1_003, 1)


MOVES = '[Event "E"]\n\n1. 11-15 '


@pytest.mark.parametrize(
    "text",
    [
        "1. 11-15 22-18 2. 15x22 " * 100_000,
        "1. 11-15 22-18 2. 15x22 1-0 " * 8_000,
        MOVES + "{" + "never closed " * 300_000,
        MOVES + "{" + "never closed\n" * 300_000,
    ],
    ids=["moves", "games", "line", "lines"],
)
def test_no_text_takes_much_memory(tmp_path: Path, monkeypatch, text):
    # A tenth of the real limits, for the sake of time.
    monkeypatch.setattr(pdn, "LONG_BLOCK", 25_000)
    monkeypatch.setattr(pdn, "LONGEST_BLOCK", 100_000)
    path = tmp_path / "long.pdn"
    path.write_text(text)
    del text
    tracemalloc.start()
    with open_pdn(path) as stream:
        games = sum(1 for _ in read_games(stream))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert games in (1, 8_000)
    assert peak < 8_000_000


@pytest.mark.parametrize(
    "text",
    [
        MOVES + "{} " * 200_000,
        MOVES + "! " * 200_000,
        "{a} " * 200_000,
        "{" * 300_000 + "}" * 300_000,
        "(" * 500_000,
        MOVES + "12-13<" * 100_000,
        '[A "" ' * 100_000,
        MOVES + "11x15 15x11 " * 50_000,
    ],
    ids=lambda text: f"{text[-12:]}",
)
def test_no_text_takes_long(text):
    began_s = time.process_time()
    for game in read_games(text):
        replay(game, VARIANTS["english"])
    assert time.process_time() - began_s < 20


def test_a_picture_is_no_text(tmp_path: Path):
    (tmp_path / "picture.pdn").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    with pytest.raises(UnreadableGame, match="not a text"):
        open_pdn(tmp_path / "picture.pdn")


def test_a_pipe_is_read_once(tmp_path: Path):
    reading, writing = os.pipe()
    os.write(writing, GAME.format(note="n").encode())
    os.close(writing)
    with open_pdn(Path(f"/dev/fd/{reading}")) as stream:
        (game,) = read_games(stream)
    os.close(reading)
    assert [move.text for move in game.moves] == ["11-15", "22-18"]
