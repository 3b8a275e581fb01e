"""The record of a game: what a list of events adds up to, as one value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from crownhead.errors import CrownheadError
from crownhead.events import (
    Event,
    GameEnded,
    GameStarted,
    IncidentKind,
    IncidentOpened,
    IncidentResolved,
    IncidentUpdated,
    MovePlayed,
    MoveTakenBack,
    PositionSet,
    Remarked,
    Resolution,
    SightChanged,
)
from crownhead.rules.message import read_message

KINDS: dict[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        GameStarted,
        MovePlayed,
        MoveTakenBack,
        IncidentOpened,
        IncidentUpdated,
        IncidentResolved,
        SightChanged,
        GameEnded,
        PositionSet,
        Remarked,
    )
}
"""The events by the name that `as_json` gives them."""


class UnreadableEvent(CrownheadError):
    """Stored data that is not an event of this version."""


@dataclass(frozen=True, slots=True)
class Incident:
    """An incident and, once there is one, its end; ``resolved`` is None while it is open."""

    opened: IncidentOpened
    resolved: IncidentResolved | None = None

    @property
    def resolution(self) -> Resolution:
        """How it ended, `OPEN` if it has not."""
        return self.resolved.resolution if self.resolved else Resolution.OPEN


@dataclass(frozen=True, slots=True)
class Record:
    """A game as it stands after some events.

    Attributes:
        start: the first event of the game, None before the board was found.
        moves: the plies that stand, in order; those taken back are not among them.
        incidents: all incidents in the order of their numbers.
        end: how the game ended, None while it goes on.
        sight: the last word on what the camera sees, `clear` if there was none.
        sight_text: the same as a sentence.
        remarks: on plies that stand.
        set_ups: positions from which play went on though no legal move leads there.
    """

    start: GameStarted | None = None
    moves: tuple[MovePlayed, ...] = ()
    incidents: tuple[Incident, ...] = ()
    end: GameEnded | None = None
    sight: str = "clear"
    sight_text: str = ""
    remarks: tuple[Remarked, ...] = ()
    set_ups: tuple[PositionSet, ...] = ()

    @property
    def fen(self) -> str | None:
        """The position after the last ply that stands, None before the board was found."""
        if self.set_ups and self.set_ups[-1].ply == len(self.moves):
            return self.set_ups[-1].fen
        if self.moves:
            return self.moves[-1].fen
        return self.start.fen if self.start else None

    @property
    def open_incident(self) -> Incident | None:
        """The latest incident that has not ended."""
        return next((one for one in reversed(self.incidents) if one.resolved is None), None)

    @property
    def result(self) -> str:
        """The PDN result, ``*`` while there is none."""
        return self.end.result if self.end else "*"


def add(record: Record, event: Event) -> Record:
    """Return the record after one more event.

    A `GameStarted` that resumes keeps the moves; any other begins a new record. Either means
    that the board is in clear view, whatever was said of it before.
    """
    match event:
        case GameStarted(resumed=True) if record.start is not None:
            kept = replace(event, fen=record.start.fen, resumed=record.start.resumed)
            return replace(record, start=kept, end=None, sight="clear", sight_text="")
        case GameStarted():
            return Record(start=event)
        case MovePlayed(ply=ply):
            # Play that goes on after a draw by the rules takes the end back.
            return replace(_before(record, ply), moves=(*_before(record, ply).moves, event))
        case MoveTakenBack(ply=ply):
            return _before(record, ply)
        case PositionSet():
            return replace(record, set_ups=(*record.set_ups, event), end=None)
        case Remarked():
            return replace(record, remarks=(*record.remarks, event))
        case IncidentOpened():
            return replace(record, incidents=(*record.incidents, Incident(event)))
        case IncidentUpdated(number=number, restore=restore):
            return replace(
                record,
                incidents=tuple(
                    replace(one, opened=replace(one.opened, restore=restore))
                    if one.opened.number == number and one.resolved is None
                    else one
                    for one in record.incidents
                ),
            )
        case IncidentResolved(number=number):
            return replace(
                record,
                incidents=tuple(
                    replace(one, resolved=event)
                    if one.opened.number == number and one.resolved is None
                    else one
                    for one in record.incidents
                ),
            )
        case SightChanged(sight=sight, text=text):
            return replace(record, sight=sight, sight_text=text)
        case GameEnded():
            return replace(record, end=event)
    raise AssertionError(f"an event that no record knows: {event!r}")


def _before(record: Record, ply: int) -> Record:
    """Return the record without a ply and all that followed it."""
    return replace(
        record,
        moves=tuple(move for move in record.moves if move.ply < ply),
        remarks=tuple(remark for remark in record.remarks if remark.ply < ply),
        set_ups=tuple(one for one in record.set_ups if one.ply < ply),
        end=None,
    )


def fold(events: Iterable[Event]) -> Record:
    """Return the record that a list of events adds up to."""
    record = Record()
    for event in events:
        record = add(record, event)
    return record


def parse_event(data: dict[str, Any]) -> Event:
    """Turn the JSON form of an event back into the event.

    Args:
        data: what `crownhead.events.as_json` gave, straight or after a trip through JSON.

    Raises:
        UnreadableEvent: an unknown kind, or fields that do not fit it.
    """
    kind = KINDS.get(str(data.get("type")))
    if kind is None:
        raise UnreadableEvent(f"an unknown kind of event: {data.get('type')!r}")
    names = {field.name for field in fields(kind)}
    values: dict[str, Any] = {
        name: _tuples(value) for name, value in data.items() if name != "type"
    }
    if unknown := set(values) - names:
        raise UnreadableEvent(f"{kind.__name__} has no {', '.join(sorted(unknown))}")
    try:
        if kind is IncidentOpened:
            values["kind"] = IncidentKind(values["kind"])
        elif kind is IncidentResolved:
            values["resolution"] = Resolution(values["resolution"])
        if "messages" in values:
            values["messages"] = tuple(read_message(one) for one in values["messages"])
        return kind(**values)
    except (KeyError, TypeError, ValueError) as error:
        raise UnreadableEvent(f"{kind.__name__} does not fit this version: {error}") from error


def _tuples(value: object) -> object:
    """Turn JSON's lists, at any depth, into the tuples that events hold."""
    return tuple(_tuples(item) for item in value) if isinstance(value, list | tuple) else value
