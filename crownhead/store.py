"""Recorded games: an append-only table of events in SQLite, each chained to the one before.

An event counts as recorded once `GameLog.append` has returned: it is then on the disk (WAL with
``synchronous=FULL``). Rows are never changed or removed; each carries the SHA-256 of itself and
of its predecessor's hash, so that an edit by hand is found by `Store.verify`.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from crownhead.errors import CrownheadError, DeviceError
from crownhead.events import Event, SightChanged, as_json
from crownhead.record import Record, fold, parse_event

APPLICATION_ID = 0x43524F57
"""`CROW`: marks the file as ours; an empty or foreign file has another."""

SCHEMA_VERSION = 1
FILE_NAME = "games.sqlite3"
LOCK_NAME = "writer.lock"
BUSY_TIMEOUT_S = 5.0

SCHEMA = f"""
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    variant TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;
CREATE TABLE event (
    game INTEGER NOT NULL REFERENCES game (id),
    number INTEGER NOT NULL,
    written TEXT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER game_stays BEFORE UPDATE ON game
    BEGIN SELECT RAISE(ABORT, 'recorded games are never changed'); END;
CREATE TRIGGER game_is_kept BEFORE DELETE ON game
    BEGIN SELECT RAISE(ABORT, 'recorded games are never deleted'); END;
CREATE TRIGGER event_stays BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'recorded events are never changed'); END;
CREATE TRIGGER event_is_kept BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'recorded events are never deleted'); END;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""


class UnknownGame(CrownheadError):
    """A number that no recorded game bears."""


class NoStore(CrownheadError):
    """A folder in which nothing was ever recorded."""


class DamagedStore(CrownheadError):
    """A file that is not a store of games of this version."""


class StoreFailed(DeviceError):
    """The disk refuses the record, or another program holds it."""


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A recorded game.

    Attributes:
        number: what the user calls it by, from 1.
        source: the camera or file it was seen through.
        variant: the rules it is played by.
        created: when it began, ISO 8601, UTC.
        events: all of it, in order.
        head: the last hash of its chain, to be kept elsewhere as a proof.
    """

    number: int
    source: str
    variant: str
    created: str
    events: tuple[Event, ...]
    head: str

    @property
    def record(self) -> Record:
        """What the events add up to."""
        return fold(self.events)


@dataclass(frozen=True, slots=True)
class Resume:
    """An unfinished game to go on with.

    Attributes:
        game: its number.
        record: the game as it stands; `record.fen` is the position to expect on the board.
        frame: the frame of the last event that changed the record; a film goes on from it.
        at_s: the time of that frame, in seconds from the start.
    """

    game: int
    record: Record
    frame: int
    at_s: float


@dataclass(frozen=True, slots=True)
class Damage:
    """A row that does not continue its chain."""

    game: int
    number: int
    text: str


def default_folder() -> Path:
    """Return the folder of this user's data on this system."""
    # Imported here: only the commands that store need it.
    import platformdirs

    return Path(platformdirs.user_data_path("crownhead", appauthor=False))


class Store:
    """The games of one data folder. One program may write at a time; any number may read."""

    def __init__(self, db: sqlite3.Connection, lock: sqlite3.Connection | None) -> None:
        self._db = db
        self._lock = lock

    def close(self) -> None:
        """Close the file and let the next writer in."""
        self._db.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self, source: str, variant: str, events: Iterable[Event] = ()) -> GameLog:
        """Begin a new game with its first events, all in one transaction."""
        source, created = _as_text(source), _now()
        with _writing(self._db):
            row = self._db.execute(
                "INSERT INTO game (source, variant, created) VALUES (?, ?, ?)",
                (source, variant, created),
            )
            assert row.lastrowid is not None
            log = GameLog(
                self._db, row.lastrowid, 0, _root(row.lastrowid, source, variant, created)
            )
            log._insert(events)
        return log

    def go_on(self, game: int) -> GameLog:
        """Return the log of a game that is already there, to add to it."""
        stored = self.game(game)
        return GameLog(self._db, game, len(stored.events), stored.head)

    def game(self, number: int) -> StoredGame:
        """Return a game by its number.

        Raises:
            UnknownGame: there is none.
            DamagedStore: it cannot be read.
        """
        with _reading():
            # SQLite refuses to look for numbers that do not fit into 64 bits.
            is_number = -(2**63) <= number < 2**63
            head = (
                is_number
                and self._db.execute(
                    "SELECT source, variant, created FROM game WHERE id = ?", (number,)
                ).fetchone()
            )
            if not head:
                known = self.numbers()
                have = f"there are games {known[0]} to {known[-1]}" if known else "there are none"
                raise UnknownGame(f"no game has the number {number}; {have} (see `games list`)")
            rows = self._rows(number)
            events = tuple(parse_event(json.loads(body)) for _, _, body, _ in rows)
        source, variant, created = head
        chain = rows[-1][3] if rows else _root(number, source, variant, created)
        return StoredGame(number, source, variant, created, events, chain)

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of all games, the oldest first."""
        with _reading():
            return tuple(row[0] for row in self._db.execute("SELECT id FROM game ORDER BY id"))

    def games(self) -> tuple[StoredGame, ...]:
        """Return all games, the oldest first."""
        return tuple(self.game(number) for number in self.numbers())

    def seal(self, number: int) -> str:
        """Return the last hash of a game, unread events and all; empty if it has no event."""
        with _reading():
            rows = self._rows(number)
        return rows[-1][3] if rows else ""

    def resume(self, source: str, variant: str) -> Resume | None:
        """Return the newest game of this source and variant if it is unfinished, else None."""
        with _reading():
            row = self._db.execute(
                "SELECT id FROM game WHERE source = ? AND variant = ? ORDER BY id DESC LIMIT 1",
                (_as_text(source), variant),
            ).fetchone()
        if row is None:
            return None
        stored = self.game(row[0])
        record = stored.record
        if record.start is None or record.end is not None:
            return None
        last = next(e for e in reversed(stored.events) if not isinstance(e, SightChanged))
        return Resume(stored.number, record, last.frame, last.at_s)

    def verify(self) -> tuple[Damage, ...]:
        """Recompute every chain and return the rows that do not fit; empty if all is well."""
        found: list[Damage] = []
        with _reading():
            games = self._db.execute("SELECT id, source, variant, created FROM game").fetchall()
            known = {number for number, *_ in games}
            strays = self._db.execute("SELECT DISTINCT game FROM event").fetchall()
            found.extend(
                Damage(game, 0, "its events are there, but not the game")
                for (game,) in strays
                if game not in known
            )
            for number, source, variant, created in games:
                chain = _root(number, source, variant, created)
                for expected, (row, written, body, stored) in enumerate(self._rows(number), 1):
                    if row != expected:
                        found.append(Damage(number, expected, "an event is missing"))
                        break
                    chain = _link(chain, number, row, written, body)
                    if chain != stored:
                        found.append(Damage(number, row, "the event was changed"))
                        break
        return tuple(found)

    def _rows(self, game: int) -> list[tuple[int, str, str, str]]:
        return self._db.execute(
            "SELECT number, written, body, hash FROM event WHERE game = ? ORDER BY number", (game,)
        ).fetchall()


class GameLog:
    """The growing end of one game."""

    def __init__(self, db: sqlite3.Connection, game: int, count: int, head: str) -> None:
        self.game = game
        self._db = db
        self._count = count
        self._head = head

    @property
    def head(self) -> str:
        """The last hash of the chain."""
        return self._head

    def append(self, events: Iterable[Event]) -> None:
        """Write events in one transaction; when this returns, they are on the disk.

        Raises:
            StoreFailed: nothing of them was written, for example because the disk is full.
        """
        before = self._count, self._head
        try:
            with _writing(self._db):
                self._insert(events)
        except BaseException:
            self._count, self._head = before
            raise

    def _insert(self, events: Iterable[Event]) -> None:
        for event in events:
            written = _now()
            body = json.dumps(as_json(event), separators=(",", ":"), ensure_ascii=False)
            self._count += 1
            self._head = _link(self._head, self.game, self._count, written, body)
            self._db.execute(
                "INSERT INTO event VALUES (?, ?, ?, ?, ?)",
                (self.game, self._count, written, body, self._head),
            )


def open_store(folder: Path | None = None, *, write: bool = False) -> Store:
    """Open the games of a data folder.

    Args:
        folder: where they lie, None for this user's own place; made if it is to be written.
        write: True to add games; only one program may hold a folder so.

    Raises:
        NoStore: there are no games to read here.
        DamagedStore: the file is something else.
        StoreFailed: another program writes here, or the disk refuses.
    """
    folder = default_folder() if folder is None else folder
    path = folder / FILE_NAME
    if not write:
        if not path.is_file():
            raise NoStore(f"no games are recorded in {folder}; `watch` records some")
        # Not `mode=ro`: a reader of a WAL file must be able to make its index beside it.
        db = _connect(path)
        try:
            db.execute("PRAGMA query_only = ON")
            _check(db, path)
        except BaseException:
            db.close()
            raise
        return Store(db, None)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreFailed(
            f"the data folder {folder} cannot be made: {error.strerror}; name another with --data"
        ) from error
    lock = _lock(folder)
    try:
        if not path.exists():
            _make(path)
        db = _connect(path)
        try:
            _set_up(db, path)
        except BaseException:
            db.close()
            raise
    except BaseException:
        lock.close()
        raise
    return Store(db, lock)


def _connect(path: Path) -> sqlite3.Connection:
    try:
        # The page's threads never touch the store; the check is off because the live loop may
        # run in another thread than the one that opened it.
        return sqlite3.connect(
            path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise StoreFailed(f"{path} cannot be opened: {error}; name another with --data") from error


def _lock(folder: Path) -> sqlite3.Connection:
    """Hold the folder for ourselves; the lock goes with the process, however it ends."""
    lock = _connect(folder / LOCK_NAME)
    lock.execute("PRAGMA busy_timeout = 0")
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.DatabaseError as error:
        lock.close()
        if "locked" not in str(error):
            raise StoreFailed(f"the data folder {folder} cannot be written: {error}") from error
        raise StoreFailed(
            f"another crownhead records games in {folder}; stop it, or name another folder"
            " with --data"
        ) from error
    return lock


def _make(path: Path) -> None:
    """Make an empty store; it appears under its name only when it is whole.

    So an empty file under that name is always damage, never a beginning.
    """
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    db = _connect(draft)
    try:
        with _writing_errors():
            db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} COMMIT;")
    finally:
        db.close()
    draft.replace(path)


def _set_up(db: sqlite3.Connection, path: Path) -> None:
    _check(db, path)
    with _writing_errors():
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")


def _check(db: sqlite3.Connection, path: Path) -> None:
    try:
        marks = (
            db.execute("PRAGMA application_id").fetchone()[0],
            db.execute("PRAGMA user_version").fetchone()[0],
        )
    except sqlite3.DatabaseError as error:
        raise DamagedStore(
            f"{path} is damaged or not a store of games ({error}); move it away to begin anew"
        ) from error
    if marks[0] != APPLICATION_ID:
        raise DamagedStore(f"{path} is not a store of games; move it away to begin anew")
    if marks[1] != SCHEMA_VERSION:
        raise DamagedStore(
            f"{path} has layout {marks[1]}, this version reads {SCHEMA_VERSION}; update crownhead"
        )


@contextmanager
def _writing_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise StoreFailed(f"the record cannot be written: {error}") from error


@contextmanager
def _writing(db: sqlite3.Connection) -> Iterator[None]:
    """Run one transaction that takes the write lock at once."""
    with _writing_errors():
        db.execute("BEGIN IMMEDIATE")
        try:
            yield
            db.execute("COMMIT")
        except BaseException:
            # SQLite has already rolled back by itself where the disk was full.
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except (sqlite3.DatabaseError, json.JSONDecodeError) as error:
        raise DamagedStore(f"the recorded games cannot be read: {error}") from error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _as_text(name: str) -> str:
    """Return a name with those bytes spelled out that are no text: SQLite keeps only text."""
    return name.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _root(game: int, source: str, variant: str, created: str) -> str:
    return _digest("crownhead game", str(game), source, variant, created)


def _link(head: str, game: int, number: int, written: str, body: str) -> str:
    return _digest(head, str(game), str(number), written, body)


def _digest(*parts: str) -> str:
    # JSON keeps the parts apart, so that no text can be moved from one into the next.
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


__all__ = [
    "Damage",
    "DamagedStore",
    "GameLog",
    "NoStore",
    "Resume",
    "Store",
    "StoreFailed",
    "StoredGame",
    "UnknownGame",
    "default_folder",
    "open_store",
]
