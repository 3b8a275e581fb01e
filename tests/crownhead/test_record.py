import json
from dataclasses import replace

import pytest

from crownhead.events import (
    GameEnded,
    GameStarted,
    IncidentKind,
    IncidentOpened,
    IncidentResolved,
    MovePlayed,
    MoveTakenBack,
    Resolution,
    SightChanged,
    as_json,
)
from crownhead.record import UnreadableEvent, fold, parse_event

START = GameStarted(0, 0.0, "english", "start", 8, ((0.0, 0.0),), "bottom")


def played(ply: int, fen: str) -> MovePlayed:
    return MovePlayed(ply * 10, float(ply), ply, "black", "11-15", fen, 1.0, (11, 15))


def test_a_ply_taken_back_does_not_stand() -> None:
    record = fold([START, played(1, "a"), played(2, "b"), MoveTakenBack(30, 3.0, 2, "22-18", "a")])
    assert [move.ply for move in record.moves] == [1]
    assert record.fen == "a"


def test_an_incident_is_open_until_it_is_resolved() -> None:
    opened = IncidentOpened(5, 0.5, 1, IncidentKind.ILLEGAL_MOVE, "No.")
    assert fold([START, opened]).open_incident is not None
    resolved = IncidentResolved(9, 0.9, 1, Resolution.TAKEN_BACK, "Yes.")
    record = fold([START, opened, resolved])
    assert record.open_incident is None
    assert record.incidents[0].resolution is Resolution.TAKEN_BACK


@pytest.mark.parametrize("resumed", [False, True])
def test_a_board_that_was_found_is_in_clear_view(resumed: bool) -> None:
    blocked = SightChanged(5, 0.5, "blocked", "Something covers part of the board.")
    again = replace(START, resumed=resumed)
    record = fold([START, played(1, "a"), blocked, again])
    assert (record.sight, record.sight_text) == ("clear", "")
    assert len(record.moves) == resumed


def test_resuming_keeps_the_moves_and_starting_drops_them() -> None:
    resumed = GameStarted(50, 5.0, "english", "a", 8, ((9.0, 9.0),), "top", resumed=True)
    record = fold([START, played(1, "a"), resumed])
    assert len(record.moves) == 1
    assert record.start is not None
    assert (record.start.fen, record.start.white_side) == ("start", "top")
    assert fold([START, played(1, "a"), START]).moves == ()


def test_the_result_is_open_until_the_game_ends() -> None:
    assert fold([START]).result == "*"
    assert fold([START, GameEnded(9, 0.9, "0-1", "Black wins.")]).result == "0-1"


@pytest.mark.parametrize(
    "data",
    [
        {"type": "Nonsense"},
        {},
        {"type": "GameEnded", "frame": 1},
        {"type": "GameEnded", "frame": 1, "at_s": 0.0, "result": "*", "text": "", "more": 1},
        {"type": "IncidentResolved", "frame": 1, "at_s": 0.0, "number": 1, "resolution": "never",
         "text": ""},
    ],
    ids=["kind", "no kind", "too few", "too many", "enum"],
)  # fmt: skip
def test_data_that_is_no_event_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(UnreadableEvent):
        parse_event(data)


def test_an_event_survives_a_trip_through_json() -> None:
    assert parse_event(json.loads(json.dumps(as_json(START)))) == START
