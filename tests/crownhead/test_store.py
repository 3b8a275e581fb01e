import os
import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from crownhead.errors import EXIT_DEVICE, EXIT_USAGE, exit_code
from crownhead.events import (
    Event,
    GameEnded,
    GameStarted,
    IncidentKind,
    IncidentOpened,
    IncidentResolved,
    MovePlayed,
    MoveTakenBack,
    Resolution,
    SightChanged,
)
from crownhead.store import DamagedStore, StoreFailed, UnknownGame, open_store

START = GameStarted(
    frame=3,
    at_s=0.25,
    variant="english",
    fen="B:W21-32:B1-12",
    size=8,
    corners=((1.0, 2.0), (9.5, 2.0), (9.5, 9.0), (1.0, 9.0)),
    white_side="bottom",
)


def move(ply: int, text: str = "11-15") -> MovePlayed:
    side = "black" if ply % 2 else "white"
    path = tuple(int(part) for part in text.split("-"))
    return MovePlayed(10 * ply, ply / 1.2, ply, side, text, f"fen after {ply}", 0.99, path)


INCIDENT = IncidentOpened(
    45, 3.75, 1, IncidentKind.ILLEGAL_MOVE, "No.", "must-capture", "27-22", ("27x18",),
    ((27, ".", "w"), (22, "w", ".")),
)  # fmt: skip
RESOLVED = IncidentResolved(50, 4.2, 1, Resolution.TAKEN_BACK, "Put right.")


def test_events_come_back_as_they_went_in(tmp_path: Path) -> None:
    events: list[Event] = [
        START, move(1), SightChanged(20, 1.7, "blocked", "A hand."), INCIDENT, RESOLVED,
        MoveTakenBack(60, 5.0, 1, "11-15", START.fen), GameEnded(70, 6.0, "1-0", "White wins."),
    ]  # fmt: skip
    with open_store(tmp_path, write=True) as store:
        store.begin("film.mp4", "english", events[:1]).append(events[1:])
    with open_store(tmp_path) as store:
        game = store.game(1)
        assert list(game.events) == events
        assert (game.source, game.variant) == ("film.mp4", "english")
        assert store.verify() == ()


def test_an_unfinished_game_is_resumed_at_its_last_change(tmp_path: Path) -> None:
    with open_store(tmp_path, write=True) as store:
        store.begin("film.mp4", "english", [START, move(1), move(2)]).append(
            [SightChanged(99, 8.0, "blocked", "A hand.")]
        )
        resume = store.resume("film.mp4", "english")
        assert resume is not None
        assert [m.ply for m in resume.record.moves] == [1, 2]
        assert (resume.game, resume.frame, resume.record.fen) == (1, 20, "fen after 2")
        assert store.resume("film.mp4", "russian") is None
        assert store.resume("other.mp4", "english") is None
        store.go_on(1).append([GameEnded(200, 16.0, "*", "The film is over.")])
        assert store.resume("film.mp4", "english") is None
        assert store.verify() == ()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET body = '{}'",
        "DELETE FROM event",
        "UPDATE game SET variant = 'x'",
        "DELETE FROM game",
        "INSERT OR REPLACE INTO event VALUES (1, 1, '', '{}', '')",
    ],
)
def test_rows_cannot_be_changed_by_ordinary_means(tmp_path: Path, statement: str) -> None:
    with open_store(tmp_path, write=True) as store:
        store.begin("film.mp4", "english", [START, move(1)])
    db = sqlite3.connect(tmp_path / "games.sqlite3")
    db.execute("PRAGMA recursive_triggers = ON")  # makes REPLACE fire the delete trigger
    with pytest.raises(sqlite3.IntegrityError, match="never"):
        db.execute(statement)
    db.close()


def test_every_edit_behind_our_back_is_found(tmp_path: Path) -> None:
    rng = random.Random(5)
    with open_store(tmp_path, write=True) as store:
        store.begin("film.mp4", "english", [START, *(move(ply) for ply in range(1, 20))])
        store.begin("b.mp4", "english", [START, *(move(ply) for ply in range(1, 20))])
    path = tmp_path / "games.sqlite3"
    db = sqlite3.connect(path, isolation_level=None)
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        db.execute(f"DROP TRIGGER {name}")
    db.execute("PRAGMA journal_mode = DELETE")
    whole = path.read_bytes()
    edits = (
        "UPDATE event SET body = replace(body, '0.99', '0.98') WHERE game = ? AND number = ?",
        "UPDATE event SET written = written || ' ' WHERE game = ? AND number = ?",
        "DELETE FROM event WHERE game = ? AND number = ?",
        "UPDATE event SET body = (SELECT body FROM event e WHERE e.number = 20 AND e.game = 1)"
        " WHERE game = ? AND number = ?",
        "UPDATE game SET source = 'forged' WHERE id = ? AND ? > 0",
        "UPDATE event SET number = number + 100 WHERE game = ? AND number >= ?",
    )
    for _ in range(60):
        db.execute(rng.choice(edits), (rng.choice((1, 2)), rng.randint(2, 19)))
        with open_store(tmp_path) as store:
            assert len(store.verify()) == 1
        db.close()
        path.write_bytes(whole)
        db = sqlite3.connect(path, isolation_level=None)
    db.close()


def test_a_second_writer_is_told_so_and_a_reader_is_let_in(tmp_path: Path) -> None:
    with open_store(tmp_path, write=True) as store:
        store.begin("film.mp4", "english", [START])
        with pytest.raises(StoreFailed, match="another crownhead") as caught:
            open_store(tmp_path, write=True)
        assert exit_code(caught.value) == EXIT_DEVICE
        with open_store(tmp_path) as reader:
            assert reader.numbers() == (1,)
    open_store(tmp_path, write=True).close()


@pytest.mark.parametrize(
    "content", [b"", b"not a database, only text " * 400], ids=["empty", "text"]
)
@pytest.mark.parametrize("write", [True, False])
def test_a_damaged_file_is_never_taken_for_a_new_one(
    tmp_path: Path, content: bytes, write: bool
) -> None:
    (tmp_path / "games.sqlite3").write_bytes(content)
    with pytest.raises(DamagedStore, match="move it away") as caught:
        open_store(tmp_path, write=write)
    assert exit_code(caught.value) == EXIT_USAGE
    assert (tmp_path / "games.sqlite3").read_bytes() == content


def test_an_unknown_number_is_told_with_those_there_are(tmp_path: Path) -> None:
    with open_store(tmp_path, write=True) as store:
        store.begin("film.mp4", "english", [START])
        with pytest.raises(UnknownGame, match="no game has the number 7; there are games 1 to 1"):
            store.game(7)


@pytest.mark.parametrize("number", [-(10**30), -1, 0, 10**30])
def test_a_number_of_any_length_is_an_unknown_game(tmp_path: Path, number: int) -> None:
    with open_store(tmp_path, write=True) as store, pytest.raises(UnknownGame):
        store.game(number)


def test_a_lock_that_is_damaged_is_told(tmp_path: Path) -> None:
    (tmp_path / "writer.lock").write_text("This is a letter, not a lock.\n" * 50)
    with pytest.raises(StoreFailed, match="cannot be written"):
        open_store(tmp_path, write=True)


def test_a_source_whose_name_is_no_text_is_found_again(tmp_path: Path) -> None:
    # What Python makes of a file name that is not UTF-8.
    name = os.fsdecode(b"caf\xe9.mp4")
    with open_store(tmp_path, write=True) as store:
        store.begin(name, "english", [START])
        resume = store.resume(name, "english")
        assert resume is not None
        assert store.game(resume.game).source == "caf\\xe9.mp4"
        assert store.verify() == ()


def test_a_failed_write_leaves_the_log_as_it_was(tmp_path: Path) -> None:
    with open_store(tmp_path, write=True) as store:
        log = store.begin("film.mp4", "english", [START])
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        many = [move(ply) for ply in range(1, 400)]
        with pytest.raises(StoreFailed, match="full"):
            log.append(many)
        store._db.execute("PRAGMA max_page_count = 1000000")
        log.append(many)
        assert len(store.game(1).events) == 400
        assert store.verify() == ()


CHILD = """
import sys
from pathlib import Path
from crownhead.events import MovePlayed
from crownhead.store import open_store
store = open_store(Path(sys.argv[1]), write=True)
log = store.go_on(1)
for ply in range(int(sys.argv[2]), 100000):
    log.append([MovePlayed(ply, 0.0, ply, "white", "32-28", "fen", 1.0, (32, 28))])
    print(ply, flush=True)
"""


@pytest.mark.slow
def test_no_acknowledged_event_is_lost_when_the_writer_is_killed(tmp_path: Path) -> None:
    rng = random.Random(11)
    with open_store(tmp_path, write=True) as store:
        store.begin("film.mp4", "english", [START])
    written = 0
    for _ in range(12):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(tmp_path), str(written + 1)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        for _ in range(rng.randint(1, 60)):
            written = int(child.stdout.readline())
        os.kill(child.pid, signal.SIGKILL)
        tail = child.stdout.read().split()
        child.stdout.close()
        child.wait()
        written = int(tail[-1]) if tail else written
        with open_store(tmp_path) as store:
            assert store.verify() == ()
            last = store.game(1).events[-1]
            assert isinstance(last, MovePlayed)
            assert last.ply in (written, written + 1)
            written = last.ply
