"""What a session tells its sinks: immutable events, and their one JSON form.

Where an event has a ``text``, it is English; ``messages`` are the same sentences apart from any
language.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from crownhead.rules.message import Message


class IncidentKind(StrEnum):
    """What kind of irregularity an incident is; names of the command-line contract."""

    ILLEGAL_MOVE = "illegal-move"
    WRONG_REMOVAL = "wrong-removal"
    NOT_CROWNED = "not-crowned"
    POSITION_CHANGED = "position-changed"
    BOARD_MOVED = "board-moved"
    VIEW_BLOCKED = "view-blocked"
    UNREADABLE = "unreadable"


class Resolution(StrEnum):
    """How an incident ended."""

    TAKEN_BACK = "taken-back"
    CORRECTED = "corrected"
    ACCEPTED = "accepted"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at a frame (0-based) and a time in seconds from the start."""

    frame: int
    at_s: float


@dataclass(frozen=True, slots=True)
class GameStarted(Event):
    """The board was found and shows the position to start from.

    ``corners`` are the outer corners of the playing field in pixels, first at the far left
    of White's view (the corner next to square 1), clockwise as seen. ``white_side`` is the
    edge of the picture nearest to White. ``note`` says what was chosen or noticed, if anything.
    """

    variant: str
    fen: str
    size: int
    corners: tuple[tuple[float, float], ...]
    white_side: str
    resumed: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class MovePlayed(Event):
    """A ply that stands in the record. ``legal`` is False for one that was let stand.

    ``inferred``: it and others came between two views. ``late``: the board alone did not tell
    which move it was, and only what followed did.
    """

    ply: int
    side: str
    move: str
    fen: str
    confidence: float
    path: tuple[int, ...]
    captured: tuple[int, ...] = ()
    legal: bool = True
    rule: str | None = None
    inferred: bool = False
    late: bool = False


@dataclass(frozen=True, slots=True)
class PositionSet(Event):
    """Play went on from a position to which no legal move leads, after so many plies."""

    ply: int
    fen: str
    text: str
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class MoveTakenBack(Event):
    """The last recorded ply was undone on the board; ``fen`` is the position again."""

    ply: int
    move: str
    fen: str


@dataclass(frozen=True, slots=True)
class IncidentOpened(Event):
    """Something irregular lies on the board; ``number`` counts incidents from 1.

    ``restore`` has (square, sign seen, sign wanted) with the signs ``. w W b B``. ``side`` is
    who did it, None where nobody is accused; ``may_stand`` whether the other side may let it stand.
    """

    number: int
    kind: IncidentKind
    text: str
    rule: str | None = None
    seen: str | None = None
    expected: tuple[str, ...] = ()
    restore: tuple[tuple[int, str, str], ...] = ()
    messages: tuple[Message, ...] = ()
    side: str | None = None
    may_stand: bool = False


@dataclass(frozen=True, slots=True)
class IncidentUpdated(Event):
    """The irregular board of an open incident changed and is still not right."""

    number: int
    text: str
    restore: tuple[tuple[int, str, str], ...] = ()
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class IncidentResolved(Event):
    """An incident came to its end."""

    number: int
    resolution: Resolution
    text: str
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class SightChanged(Event):
    """What the camera sees changed: `clear`, `moving`, `blocked`, `moved` or `lost`."""

    sight: str
    text: str
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class GameEnded(Event):
    """The game is over, or the source is: ``result`` is a PDN result, ``*`` if unfinished."""

    result: str
    text: str
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Remarked(Event):
    """Something about how a ply was carried out that is no offence but worth a note."""

    ply: int
    text: str
    messages: tuple[Message, ...] = ()


def as_json(event: Event) -> dict[str, Any]:
    """Return an event as plain data, its kind under ``type``."""
    return {"type": type(event).__name__, **asdict(event)}
