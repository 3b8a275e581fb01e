import json
import sqlite3
from pathlib import Path

import pytest

from crownhead.cli import run
from crownhead.events import GameStarted, MovePlayed
from crownhead.rules.pdn import read_games
from crownhead.store import open_store

START = GameStarted(0, 0.0, "english", "B:W21-32:B1-12", 8, ((0.0, 0.0),) * 4, "bottom")
MOVE = MovePlayed(20, 2.0, 1, "black", "11-15", "W:W21-32:B1-10,12,15", 0.99, (11, 15))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with open_store(tmp_path, write=True) as store:
        store.begin("film.mp4", "english", [START, MOVE])
        store.begin("0", "english", [START])
    return tmp_path


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["games", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_list_as_json_is_one_document(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "list", "--json", "--data", str(data))
    assert (code, err) == (0, "")
    rows = json.loads(out)
    assert [(row["game"], row["plies"], row["finished"]) for row in rows] == [
        (1, 1, False),
        (2, 0, False),
    ]


def test_list_for_people_has_a_line_a_game(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "list", "--data", str(data))
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["1", "2"]


def test_show_gives_moves_and_the_seal(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "show", "1", "--json", "--data", str(data))
    shown = json.loads(out)
    assert [move["move"] for move in shown["moves"]] == ["11-15"]
    assert shown["final_fen"] == MOVE.fen
    code, out, _ = call(capsys, "show", "1", "--data", str(data))
    assert code == 0
    assert "1. 11-15" in out
    assert f"Seal: {shown['seal']}" in out


def test_export_writes_pdn(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "export", "1", "--pdn", "--data", str(data))
    assert code == 0
    (game,) = read_games(out)
    assert [move.text for move in game.moves] == ["11-15"]
    assert game.tag("Date") is not None
    path = data / "game.pdn"
    assert call(capsys, "export", "1", "--pdn", "--out", str(path), "--data", str(data))[0] == 0
    assert path.read_text() == out


def test_verify_says_no_when_an_event_was_changed(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(capsys, "verify", "--data", str(data))[:2] == (
        0,
        "2 games are whole: nothing was changed since it was written.\n",
    )
    db = sqlite3.connect(data / "games.sqlite3")
    db.execute("DROP TRIGGER event_stays")
    db.execute("UPDATE event SET body = replace(body, '11-15', '11-16') WHERE number = 2")
    db.commit()
    db.close()
    code, out, _ = call(capsys, "verify", "--json", "--data", str(data))
    answer = json.loads(out)
    assert (code, answer["whole"]) == (1, False)
    assert [(d["game"], d["event"]) for d in answer["damages"]] == [(1, 2)]


def test_a_game_that_cannot_be_read_hides_no_other(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = sqlite3.connect(data / "games.sqlite3")
    db.execute("DROP TRIGGER event_stays")
    db.execute("UPDATE event SET body = '{' WHERE game = 1 AND number = 2")
    db.commit()
    db.close()
    code, out, err = call(capsys, "list", "--json", "--data", str(data))
    assert (code, [row["game"] for row in json.loads(out)]) == (2, [2])
    assert err.startswith("crownhead: game 1: ")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "9"], "no game has the number 9"),
        (["export", "1"], "--pdn"),
        (["show", "x"], "x"),
        (["show"], "NUMBER"),
    ],
)
def test_wrong_words_are_told(
    data: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    code, out, err = call(capsys, *arguments, "--data", str(data))
    assert (code, out) == (2, "")
    assert words in err


def test_no_games_yet_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = ("--data", str(tmp_path / "none"))
    code, out, err = call(capsys, "list", "--json", *nowhere)
    assert (code, json.loads(out)) == (0, [])
    assert "no games are recorded in" in err
    assert call(capsys, "show", "1", *nowhere)[0] == 2
