"""The session fed with observations that are written down, not seen."""

from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crownhead.actions import Action, ActionRefused
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
    as_json,
)
from crownhead.live import session_of
from crownhead.presentation import score_of
from crownhead.record import add, fold, parse_event
from crownhead.rules.fen import format_fen, parse_fen
from crownhead.rules.generator import distinct_moves, legal_moves, play
from crownhead.rules.notation import parse_move
from crownhead.rules.position import Position
from crownhead.rules.variant import Variant, start_position, variant_named
from crownhead.session import Moment, Session, act, step
from crownhead.vision.observation import Evidence, Observation, Sight
from crownhead.vision.opening import codes_of


class Table:
    """A board over which time passes; it shows the session what lies there."""

    def __init__(self, variant: str = "english", fen: str | None = None, weight: float = 9.0):
        self.variant: Variant = variant_named(variant)
        start = parse_fen(fen, self.variant) if fen else start_position(self.variant)
        self.session = Session(self.variant, start)
        self.weight = weight
        self.frame = 0
        self.observations: list[Observation] = []
        self.events: list[Event] = []

    @property
    def position(self) -> Position:
        return self.session.position

    def take(self, seen: Observation) -> tuple[Event, ...]:
        self.observations.append(seen)
        self.session, events = step(self.session, seen)
        self.events += events
        return events

    def moving(self, seconds: float = 0.5) -> None:
        for _ in range(round(seconds / 0.1)):
            self._tick(Sight.MOVING, None)

    def covered(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.1)):
            self._tick(Sight.BLOCKED, None)

    def shows(
        self,
        position: Position,
        seconds: float = 3.0,
        *,
        doubtful: int = 0,
        unsure: dict[int, tuple[float, float, float]] | None = None,
        strange: dict[int, tuple[float, float, float]] | None = None,
        altered: Iterable[int] = (),
    ) -> list[Event]:
        """The board lies still and clear for a while; squares may be in doubt, or look odd."""
        before = len(self.events)
        codes = codes_of(position, self.variant.squares)
        weights = np.full((len(codes), 3), -self.weight, np.float32)
        weights[np.arange(len(codes)), codes] = 0.0
        odd, other = np.zeros(len(codes), bool), np.zeros(len(codes), bool)
        other[[square - 1 for square in altered]] = True
        if doubtful:
            strange = {doubtful: (-1.0, 0.0, -0.5)}
        for square, row in {**(unsure or {}), **(strange or {})}.items():
            weights[square - 1] = row
            odd[square - 1] = square in (strange or {})
        for _ in range(round(seconds / 0.1)):
            self._tick(Sight.CLEAR, Evidence(weights.copy(), odd.copy(), other.copy()))
        return self.events[before:]

    def plays(self, *moves: str, seconds: float = 1.0) -> None:
        for text in moves:
            position = self.position
            after = play(self.variant, position, parse_move(self.variant, position, text))
            self.moving()
            self.shows(after, seconds)

    def says(self, action: Action) -> tuple[Event, ...]:
        self.session, events = act(self.session, action, Moment(self.frame, self.frame / 10))
        self.events += events
        return events

    def _tick(self, sight: Sight, evidence: Evidence | None) -> None:
        self.frame += 1
        self.take(Observation(self.frame, self.frame / 10, sight, evidence, 1.0))


def moved(position: Position, origin: int, destination: int, *, lifted: Iterable[int] = ()):
    """The board after somebody put a piece elsewhere and lifted others, by the rules or not."""
    white, black, kings = position.white, position.black, position.kings
    gone = 0
    for square in lifted:
        gone |= 1 << (square - 1)
    a, b = 1 << (origin - 1), 1 << (destination - 1) if destination else 0
    if white & a:
        white = white & ~a | b
    else:
        black = black & ~a | b
    if kings & a:
        kings = kings & ~a | b
    return Position(white & ~gone, black & ~gone, kings & ~gone, position.turn)


def of_kind(events: Iterable[Event], kind: type) -> list:
    return [event for event in events if isinstance(event, kind)]


def is_put_right(table: Table) -> IncidentResolved:
    """Show the position of the record again, which settles what was open."""
    table.moving()
    (resolved,) = of_kind(table.shows(table.position), IncidentResolved)
    assert resolved.resolution is Resolution.TAKEN_BACK
    return resolved


def test_a_legal_move_is_recorded_once_it_has_been_borne_out():
    table = Table("english")
    after = play(table.variant, table.position, parse_move(table.variant, table.position, "11-15"))
    assert table.shows(after, 0.1) == []
    # One reading proves nothing; the second, later by 0.08 s at least, does.
    (event,) = table.shows(after, 0.1)
    assert table.shows(after, 1.0) == []
    assert isinstance(event, MovePlayed)
    assert (event.ply, event.side, event.move, event.legal) == (1, "black", "11-15", True)
    assert parse_fen(event.fen, table.variant) == after


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["english", "russian", "international", "brazilian", "hk100", "leaflet"]),
    st.integers(0, 10**6),
)
def test_every_game_played_by_the_rules_is_recorded_without_a_fault(variant, seed):
    table = Table(variant)
    rng = random.Random(seed)
    played = []
    for _ in range(24):
        moves = distinct_moves(table.variant, table.position)
        if not moves:
            break
        move = rng.choice(moves)
        after = play(table.variant, table.position, move)
        played.append(after)
        table.moving(0.2)
        table.shows(after, 0.6)
        assert table.position == after
    assert len(of_kind(table.events, MovePlayed)) == len(played)
    assert of_kind(table.events, IncidentOpened) == []


def test_the_same_observations_give_the_same_events():
    table = Table("russian")
    table.plays("c3-d4", "d6-c5", "b2-c3")
    session = Session(table.variant, start_position(table.variant))
    again: list[Event] = []
    for seen in table.observations:
        session, events = step(session, seen)
        again += events
    assert again == table.events
    assert session == table.session


ILLEGAL = [
    pytest.param("english", None, 11, 20, (), {"not-diagonal", "too-far"}, id="wrong square"),
    pytest.param("english", "B:W20,30:BK5,11", 11, 8, (), {"wrong-direction"}, id="backward"),
    pytest.param("english", "B:W15,24:B11,1", 1, 5, (), {"must-capture"}, id="missed capture"),
    pytest.param(
        "international",
        "W:W32,40:B28,18,34",
        40,
        29,
        (34,),
        {"must-capture-most"},
        id="too few captured",
    ),
    pytest.param(
        "english",
        None,
        22,
        18,
        (),
        {"not-your-piece", "not-your-turn"},
        id="opponent's piece",
    ),
    pytest.param("english", "B:W15,24:B11,1", 11, 18, (24,), {"wrong-removal"}, id="wrong lifted"),
]


@pytest.mark.parametrize(("variant", "fen", "origin", "to", "lifted", "rules"), ILLEGAL)
def test_an_illegal_move_is_named_and_taken_back(variant, fen, origin, to, lifted, rules):
    table = Table(variant, fen)
    table.shows(table.position, 0.5)
    wrong = moved(table.position, origin, to, lifted=lifted)
    table.moving()
    (opened,) = of_kind(table.shows(wrong), IncidentOpened)
    assert opened.kind in (IncidentKind.ILLEGAL_MOVE, IncidentKind.WRONG_REMOVAL)
    assert opened.rule in rules
    assert opened.expected
    assert opened.text
    assert {square for square, _, _ in opened.restore} == {origin, to, *lifted}
    assert is_put_right(table).number == opened.number
    assert of_kind(table.events, MovePlayed) == []


def test_an_illegal_move_that_nobody_minds_stands_in_the_record():
    table = Table("english", "B:W15,24,32:B11,1,8")
    table.moving()
    wrong = moved(table.position, 1, 5)
    table.shows(wrong)
    table.moving()
    after = moved(wrong, 32, 27)
    events = table.shows(after)
    (resolved,) = of_kind(events, IncidentResolved)
    assert resolved.resolution is Resolution.ACCEPTED
    first, second = of_kind(events, MovePlayed)
    assert (first.move, first.legal, first.rule) == ("1-5", False, "must-capture")
    assert (second.move, second.legal) == ("32-27", True)


def test_an_illegal_move_mended_and_answered_in_one_go_is_corrected():
    table = Table("english")
    table.moving()
    table.shows(moved(table.position, 11, 20))
    table.moving()
    table.shows(moved(moved(table.position, 11, 15), 22, 18))
    (resolved,) = of_kind(table.events, IncidentResolved)
    assert resolved.resolution is Resolution.CORRECTED
    assert [e.move for e in of_kind(table.events, MovePlayed)] == ["11-15", "22-18"]


def test_a_move_out_of_turn_is_never_hidden_by_the_answer_to_it():
    table = Table("english", "B:W22,31,32:B1,2,11")
    table.moving()
    wrong = moved(table.position, 22, 18)
    table.shows(wrong)
    table.moving()
    table.shows(moved(wrong, 11, 16))
    first, second = of_kind(table.events, MovePlayed)
    assert (first.move, first.legal, first.rule) == ("22-18", False, "not-your-turn")
    assert (second.move, second.legal) == ("11-16", True)


def test_a_game_goes_on_after_a_move_out_of_turn_that_nobody_minds():
    table = Table("english")
    table.moving()
    wrong = moved(table.position, 22, 18)
    table.shows(wrong)
    table.moving()
    answered = moved(wrong, 11, 15)
    table.shows(answered)
    table.moving()
    table.shows(moved(answered, 18, 11, lifted=(15,)))
    plies = [(e.ply, e.side, e.move, e.legal) for e in of_kind(table.events, MovePlayed)]
    assert plies == [
        (1, "white", "22-18", False),
        (2, "black", "11-15", True),
        (3, "white", "18x11", True),
    ]
    (resolved,) = of_kind(table.events, IncidentResolved)
    assert resolved.resolution is Resolution.ACCEPTED


def test_a_game_goes_on_from_an_illegal_move_that_was_changed_for_another():
    table = Table("english")
    table.moving()
    table.shows(moved(table.position, 11, 20))
    table.moving()
    wrong = moved(table.position, 11, 13)
    table.shows(wrong)
    table.moving()
    table.shows(moved(wrong, 22, 18))
    first, second = of_kind(table.events, MovePlayed)
    assert (first.move, first.legal) == ("11-13", False)
    assert (second.move, second.legal) == ("22-18", True)


def test_a_wrong_take_back_is_followed_until_all_is_right():
    table = Table("english")
    table.plays("11-15", "24-20")
    table.moving()
    table.shows(moved(table.position, 9, 17))
    table.moving()
    events = table.shows(moved(table.position, 9, 14))
    # Square 14 is a legal square for the man on 9: this is a correction, and a move.
    assert of_kind(events, IncidentResolved)[0].resolution is Resolution.CORRECTED
    table = Table("english")
    table.moving()
    table.shows(moved(table.position, 11, 20))
    table.moving()
    (updated,) = of_kind(table.shows(moved(table.position, 11, 14)), IncidentUpdated)
    assert {square for square, _, _ in updated.restore} == {11, 14}
    is_put_right(table)


def test_a_half_done_capture_is_waited_for():
    table = Table("english", "B:W15,24,32:B11,1")
    table.moving()
    half = moved(table.position, 11, 18)
    assert table.shows(half, 1.0) == []
    table.moving()
    (event,) = table.shows(moved(table.position, 11, 18, lifted=(15,)), 1.0)
    assert event.move == "11x18"


def test_captured_pieces_that_are_never_lifted_are_told():
    table = Table("english", "B:W15,24,32:B11,1")
    table.moving()
    (opened,) = of_kind(table.shows(moved(table.position, 11, 18), 5.0), IncidentOpened)
    assert opened.rule == "wrong-removal"
    assert [square for square, _, wanted in opened.restore if square == 15] in ([], [15])


def test_pieces_that_vanish_accuse_nobody():
    table = Table("english")
    table.moving()
    gone = moved(table.position, 24, 0, lifted=(31,))
    (opened,) = of_kind(table.shows(gone, 5.0), IncidentOpened)
    assert opened.kind is IncidentKind.POSITION_CHANGED
    is_put_right(table)


def test_an_illegal_move_of_a_piece_held_in_the_hand_for_long_is_named():
    table = Table("english")
    table.moving()
    table.shows(moved(table.position, 11, 0), 4.0)
    table.moving()
    table.shows(moved(table.position, 11, 20))
    lifted, wrong = of_kind(table.events, IncidentOpened)
    assert lifted.kind is IncidentKind.POSITION_CHANGED
    assert (wrong.kind, wrong.number, wrong.seen) == (IncidentKind.ILLEGAL_MOVE, 2, "11-20")
    table.moving()
    table.shows(table.position)
    ends = [(e.number, e.resolution) for e in of_kind(table.events, IncidentResolved)]
    assert ends == [(1, Resolution.CORRECTED), (2, Resolution.TAKEN_BACK)]


def test_nothing_is_decided_while_the_board_is_covered():
    table = Table("english")
    table.moving()
    table.covered(20.0)
    kinds = {event.kind for event in of_kind(table.events, IncidentOpened)}
    assert kinds == {IncidentKind.VIEW_BLOCKED}
    assert of_kind(table.events, SightChanged)[0].sight == "blocked"
    table.shows(table.position)
    assert of_kind(table.events, IncidentResolved)
    assert of_kind(table.events, SightChanged)[-1].sight == "clear"


def test_a_view_that_clears_after_movement_is_told_to_be_clear():
    table = Table("english")
    table.covered(1.0)
    table.moving()
    table.shows(table.position)
    assert [event.sight for event in of_kind(table.events, SightChanged)] == ["blocked", "clear"]


def test_two_quick_plies_are_taken_together_if_only_one_pair_fits():
    table = Table("english")
    first = play(table.variant, table.position, parse_move(table.variant, table.position, "11-15"))
    both = play(table.variant, first, parse_move(table.variant, first, "22-18"))
    table.moving()
    events = of_kind(table.shows(both), MovePlayed)
    assert [event.move for event in events] == ["11-15", "22-18"]
    assert all(event.inferred for event in events)


def test_a_quick_exchange_is_no_illegal_capture():
    table = Table("english")
    after = table.position
    for text in ("11-15", "22-18", "15x22"):
        after = play(table.variant, after, parse_move(table.variant, after, text))
    table.moving()
    table.shows(after)
    assert of_kind(table.events, IncidentOpened) == []
    moves = of_kind(table.events, MovePlayed)
    assert [move.move for move in moves] == ["11-15", "22-18", "15x22"]
    assert all(move.inferred for move in moves)


def test_a_quick_capture_with_two_routes_is_no_wrong_removal():
    table = Table("international", "B:W38,42,43:B1,22,23,32,33")
    first = play(table.variant, table.position, parse_move(table.variant, table.position, "1-7"))
    routes = legal_moves(table.variant, first)
    assert len(routes) == 2
    (both,) = {play(table.variant, first, route) for route in routes}
    table.moving()
    table.shows(both)
    assert of_kind(table.events, IncidentOpened) == []
    assert len(of_kind(table.events, MovePlayed)) == 2
    assert table.position == both


def test_a_ply_taken_back_leaves_the_record():
    table = Table("english")
    table.plays("11-15", "22-18")
    before = table.session.plies[-1].before
    table.moving()
    (event,) = table.shows(before)
    assert isinstance(event, MoveTakenBack)
    assert (event.ply, event.move) == (2, "22-18")
    assert table.position == before


def test_a_ply_replaced_by_another_is_corrected():
    table = Table("english")
    table.plays("11-15")
    start = table.session.start
    table.moving()
    other = play(table.variant, start, parse_move(table.variant, start, "11-16"))
    back, again = table.shows(other)
    assert isinstance(back, MoveTakenBack)
    assert isinstance(again, MovePlayed)
    assert (again.ply, again.move) == (1, "11-16")


def test_a_square_in_doubt_decides_nothing_and_is_told_in_the_end():
    table = Table("english")
    table.moving()
    moved_one = moved(table.position, 11, 20)
    assert table.shows(moved_one, 2.0, doubtful=20) == []
    (opened,) = of_kind(table.shows(moved_one, 6.0, doubtful=20), IncidentOpened)
    assert opened.kind is IncidentKind.UNREADABLE


def test_a_board_seen_poorly_but_unchanged_is_no_incident():
    table = Table("english")
    table.plays("11-15")
    codes = codes_of(table.position, table.variant.squares)
    weights = np.full((len(codes), 3), -9.0, np.float32)
    weights[np.arange(len(codes)), codes] = 0.0
    # It might also be 11-16 that was played, or 22-18 that followed.
    for square, code in ((15, 0), (16, 2), (22, 0), (18, 1)):
        weights[square - 1, code] = -1.5
    for _ in range(60):
        table._tick(Sight.CLEAR, Evidence(weights.copy(), np.zeros(len(codes), bool)))
    assert of_kind(table.events, IncidentOpened) == []


def test_a_side_without_a_move_has_lost():
    table = Table("english", "B:W15:B11")
    table.moving()
    events = table.shows(moved(table.position, 11, 18, lifted=(15,)))
    (end,) = of_kind(events, GameEnded)
    assert end.result == "0-1"


def test_a_board_cleared_after_the_game_is_no_incident():
    table = Table("english", "B:W15:B11")
    table.moving()
    last = moved(table.position, 11, 18, lifted=(15,))
    table.shows(last)
    table.moving()
    assert table.shows(moved(last, 18, 0), 6.0) == []
    table.moving()
    (event,) = table.shows(table.session.start)
    assert isinstance(event, MoveTakenBack)
    table.moving()
    event, end = table.shows(last)
    assert isinstance(event, MovePlayed)
    assert isinstance(end, GameEnded)


def test_a_board_found_elsewhere_is_told_and_settles():
    table = Table("english")
    table.shows(table.position, 0.5)
    table.take(Observation(90, 9.0, Sight.CLEAR, None, 1.0, realigned=True))
    (opened,) = of_kind(table.events, IncidentOpened)
    assert opened.kind is IncidentKind.BOARD_MOVED
    table.shows(table.position)
    assert of_kind(table.events, IncidentResolved)
    assert table.session.position == start_position(table.variant)


def test_a_board_that_was_lost_and_then_found_is_one_incident():
    table = Table("english")
    for _ in range(70):
        table._tick(Sight.MOVED, None)
    for _ in range(2):
        table.frame += 1
        at_s = table.frame / 10
        table.take(Observation(table.frame, at_s, Sight.BLOCKED, None, 1.0, realigned=True))
    table.shows(table.position)
    (opened,) = of_kind(table.events, IncidentOpened)
    (resolved,) = of_kind(table.events, IncidentResolved)
    assert opened.kind is IncidentKind.BOARD_MOVED
    assert resolved.number == opened.number == 1


def test_no_legal_move_is_ever_called_illegal_whatever_the_order_of_lifting():
    table = Table("international", "W:W32,47,48:B28,18,9,13")
    (best,) = {m.captured for m in legal_moves(table.variant, table.position)} or {()}
    move = legal_moves(table.variant, table.position)[0]
    table.moving()
    for count in range(len(best)):
        table.shows(moved(table.position, move.origin, move.destination, lifted=best[:count]), 0.6)
        table.moving(0.3)
    after = play(table.variant, table.position, move)
    (event,) = table.shows(after)
    assert isinstance(event, MovePlayed)
    assert of_kind(table.events, IncidentOpened) == []


def test_nobody_is_accused_soon_while_something_hides_the_border():
    table = Table("english")
    table.moving()
    wrong = moved(table.position, 11, 20)
    codes = codes_of(wrong, table.variant.squares)
    weights = np.full((len(codes), 3), -9.0, np.float32)
    weights[np.arange(len(codes)), codes] = 0.0
    opened_at = None
    for k in range(40):
        evidence = Evidence(weights.copy(), np.zeros(len(codes), bool))
        seen = Observation(100 + k, 10 + k / 10, Sight.CLEAR, evidence, 1.0, beside=True)
        if of_kind(table.take(seen), IncidentOpened):
            opened_at = k / 10
    assert opened_at is not None
    assert 1.9 <= opened_at <= 2.2


def test_a_position_that_stands_for_the_third_time_ends_the_game():
    table = Table("checkers-online", "W:WK31:BK2")
    table.plays("31-27", "2-6", "27-31", "6-2", "31-27", "2-6", "27-31")
    assert not of_kind(table.events, GameEnded)
    table.plays("6-2")
    (ended,) = of_kind(table.events, GameEnded)
    assert (ended.result, ended.text) == (
        "1/2-1/2",
        "Drawn: the same position, with the same side to move, stood on the board 3 times.",
    )
    # Nobody noticed: play goes on, and the same draw is not told twice.
    table.plays("31-27", "2-6")
    assert len(of_kind(table.events, GameEnded)) == 1
    assert len(table.session.plies) == 10


def test_the_side_that_is_to_move_may_claim_what_the_rules_give():
    table = Table("english", "B:WK32,21:BK1,12")
    for _ in range(2):
        with pytest.raises(ActionRefused):
            table.says(Action.CLAIM_DRAW)
        table.plays("1-6", "32-27", "6-1", "27-32")
    assert not of_kind(table.events, GameEnded), "a claim is not automatic"
    (ended,) = table.says(Action.CLAIM_DRAW)
    assert (ended.result, ended.text) == ("1/2-1/2", "Black claims the draw.")
    assert table.shows(moved(table.position, 1, 6)) == [], "nothing is read any more"


@pytest.mark.parametrize(
    ("action", "result"),
    [
        (Action.AGREE_DRAW, "1-1"),
        (Action.WHITE_RESIGNS, "0-2"),
        (Action.BLACK_RESIGNS, "2-0"),
    ],
)
def test_players_end_the_game_by_word(action: Action, result: str):
    table = Table("hk100")
    table.plays("32-28")
    (ended,) = table.says(action)
    assert ended.result == result
    with pytest.raises(ActionRefused, match="over"):
        table.says(action)


def test_the_opponent_may_let_an_illegal_move_stand():
    table = Table("international")
    table.plays("32-28", "19-23")
    # 28x19 is compulsory; White plays 37-32.
    irregular = moved(table.position, 37, 32)
    (opened,) = table.shows(irregular)
    assert opened.may_stand
    assert opened.side == "white"
    resolved, played = table.says(Action.LET_STAND)
    assert resolved.resolution is Resolution.ACCEPTED
    assert (played.move, played.legal, played.rule) == ("37-32", False, "must-capture")
    assert table.position == irregular_after(irregular)
    assert table.shows(irregular) == []
    table.plays("18-22")
    assert table.session.plies[-1].event.legal


def irregular_after(position: Position) -> Position:
    return Position(position.white, position.black, position.kings, position.turn.other)


def test_where_illegal_moves_are_taken_back_nobody_may_let_one_stand():
    table = Table("take-back", "B:W18,32:B14,15")
    (opened,) = table.shows(moved(table.position, 15, 19))
    assert not opened.may_stand
    with pytest.raises(ActionRefused, match="taken back"):
        table.says(Action.LET_STAND)
    with pytest.raises(ActionRefused, match="no illegal move"):
        Table("international").says(Action.LET_STAND)


def test_illegal_moves_are_counted_only_where_the_procedure_counts_them():
    for variant, counted in (("english", 2), ("take-back", 0)):
        table = Table(variant, "B:W18,32:B14,15")
        for _ in range(2):
            table.shows(moved(table.position, 15, 19))
            table.shows(table.position)
        texts = [opened.text for opened in of_kind(table.events, IncidentOpened)]
        assert len(table.session.offences) == counted
        assert ["so far" in text for text in texts] == [bool(counted)] * 2
    assert "Illegal moves of Black" not in texts[-1]


def test_what_events_say_is_there_apart_from_the_language():
    table = Table("english", "B:W18,32:B14,15")
    table.shows(moved(table.position, 15, 19))
    table.shows(table.position)
    opened, resolved = table.events
    assert opened.messages[0].key == "must-capture"
    assert resolved.messages[0].key == "settled-taken-back"


def test_a_piece_that_is_only_still_to_be_lifted_is_no_offence():
    table = Table("english", "B:W18,32:B14,15")
    after = play(table.variant, table.position, parse_move(table.variant, table.position, "14x23"))
    unlifted = Position(table.position.white, after.black, 0, after.turn)
    (opened,) = table.shows(unlifted, 5.0)
    assert (opened.kind, opened.side, opened.seen) == (IncidentKind.WRONG_REMOVAL, None, "14x23")
    assert opened.text == "A capture is under way: the piece on 18 is still to be removed."
    assert table.session.offences == ()
    resolved, played = table.shows(after)
    assert (resolved.resolution, played.move) == (Resolution.CORRECTED, "14x23")


def test_a_king_that_has_moved_too_often_is_told_in_frisian():
    table = Table("frisian", "W:WK46,50:B3,4")
    table.plays("46-41", "3-8", "41-46", "8-12", "46-41", "12-17")
    (opened,) = table.shows(moved(table.position, 41, 46))
    assert (opened.kind, opened.seen) == (IncidentKind.ILLEGAL_MOVE, "41-46")
    assert opened.rule == "king-moves-too-often"
    table.shows(table.position)
    table.plays("50-45")
    assert table.session.plies[-1].event.legal


def test_a_piece_lifted_before_the_capture_ends_is_noted_and_no_offence():
    table = Table("hk100", "W:W40:B34,23,50,1")
    start = table.position
    # Over 34 to 29, whose piece leaves at once; then over 23 to 18.
    table.moving()
    table.shows(Position(1 << 28, start.black & ~(1 << 33), 0, start.turn), 0.6)
    table.moving()
    events = table.shows(Position(1 << 17, start.black & ~(1 << 33 | 1 << 22), 0, start.turn))
    played, remark = events
    assert (played.move, played.legal) == ("40x18", True)
    assert (remark.ply, remark.messages[0].key) == (1, "wrong-order")
    assert not of_kind(table.events, IncidentOpened)


def test_a_capture_whose_pieces_leave_together_needs_no_remark():
    table = Table("hk100", "W:W40:B34,23,50,1")
    table.plays("40x18")
    assert len(table.events) == 1


def test_a_board_set_up_anew_in_mid_game_is_named_and_accuses_nobody():
    table = Table()
    table.plays("11-15", "23-19", "8-11", "22-17", "4-8")
    table.moving()
    events = table.shows(start_position(table.variant))
    (opened,) = (event for event in events if isinstance(event, IncidentOpened))
    assert opened.kind is IncidentKind.POSITION_CHANGED
    assert opened.messages[0].key == "set-up-anew"
    assert opened.side is None


def test_pieces_that_are_swept_off_are_named_and_accuse_nobody():
    table = Table()
    table.plays("11-15")
    swept = moved(moved(table.position, 22, 0, lifted=(23, 24)), 1, 0, lifted=(2,))
    table.moving()
    events = table.shows(swept)
    (opened,) = (event for event in events if isinstance(event, IncidentOpened))
    assert opened.kind is IncidentKind.POSITION_CHANGED
    assert opened.messages[0].key == "swept-off"
    assert opened.side is None


def test_a_board_that_is_not_where_it_was_is_told_within_a_second():
    table = Table()
    began = table.frame
    for _ in range(10):
        table._tick(Sight.MOVED, None)
    (opened,) = (event for event in table.events if isinstance(event, IncidentOpened))
    assert opened.kind is IncidentKind.BOARD_MOVED
    assert opened.frame - began <= 10


def test_play_goes_on_from_a_position_that_no_move_reaches():
    table = Table()
    table.plays("11-15", "23-19")
    # Two men of either side leave the board, and nobody puts them back.
    disturbed = moved(table.position, 1, 0, lifted=(2, 31, 32))
    table.moving()
    table.shows(disturbed)
    first = moved(disturbed, 8, 11)
    table.moving()
    assert of_kind(table.shows(first), MovePlayed) == []
    assert len(table.session.plies) == 2
    table.moving()
    events = table.shows(moved(first, 22, 18))
    (resolved,) = of_kind(events, IncidentResolved)
    assert resolved.resolution is Resolution.ACCEPTED
    (set_up,) = of_kind(events, PositionSet)
    assert parse_fen(set_up.fen, table.variant) == disturbed
    plies = [(e.ply, e.move, e.late) for e in of_kind(events, MovePlayed)]
    assert plies == [(3, "8-11", True), (4, "22-18", False)]
    assert of_kind(table.events, IncidentOpened)[1:] == []
    table.moving()
    table.shows(table.session.plies[-1].before)
    assert [ply.event.move for ply in table.session.plies][2:] == ["8-11"]


def test_one_move_from_a_disturbed_position_proves_nothing():
    table = Table()
    table.plays("11-15", "23-19")
    before = table.position
    disturbed = moved(before, 1, 0, lifted=(2, 31, 32))
    table.moving()
    table.shows(disturbed)
    table.moving()
    table.shows(moved(disturbed, 8, 11))
    table.moving()
    table.shows(before)
    assert table.position == before
    assert of_kind(table.events, PositionSet) == []
    (resolved,) = of_kind(table.events, IncidentResolved)
    assert resolved.resolution is Resolution.TAKEN_BACK


def test_a_piece_between_two_squares_is_settled_by_what_follows():
    table = Table("english", "B:W21,28,32:B3,11,1")
    between = moved(table.position, 11, 15)
    table.moving()
    # The man of 11 stands on the line between 15 and 16.
    assert table.shows(between, 3.0, unsure={15: (-1.0, -9.0, 0.0), 16: (-0.5, -9.0, 0.0)}) == []
    assert len(table.session.lines) == 2
    replied = moved(between, 28, 24)
    table.moving()
    assert table.shows(replied, 3.0, unsure={15: (-1.0, -9.0, 0.0), 16: (0.0, -9.0, -0.5)}) == []
    table.moving()
    events = of_kind(table.shows(moved(replied, 1, 6)), MovePlayed)
    assert [(e.move, e.late) for e in events] == [
        ("11-15", True),
        ("28-24", True),
        ("1-6", False),
    ]


def test_a_piece_between_two_squares_that_is_put_straight_is_settled_late():
    table = Table("english", "B:W21,28,32:B3,11,1")
    after = moved(table.position, 11, 15)
    table.moving()
    table.shows(after, 2.0, unsure={15: (-1.0, -9.0, 0.0), 16: (-0.5, -9.0, 0.0)})
    table.moving()
    (event,) = table.shows(after)
    assert (event.move, event.late) == ("11-15", True)


def test_a_board_that_nothing_explains_is_told_though_people_move_above_it():
    table = Table()
    for _ in range(7):
        table.moving()
        table.shows(moved(table.position, 11, 20), 2.0, doubtful=20)
    (opened,) = of_kind(table.events, IncidentOpened)
    assert opened.kind is IncidentKind.UNREADABLE


def test_a_covered_board_is_told_though_people_move_above_it():
    table = Table()
    table.shows(table.position, 0.5)
    for _ in range(7):
        table.moving()
        table.covered(1.5)
    (opened,) = of_kind(table.events, IncidentOpened)
    assert opened.kind is IncidentKind.VIEW_BLOCKED


def test_a_new_king_may_have_any_colour_on_its_top():
    table = Table("english", "B:W1,22,32:B25,14")
    after = moved(table.position, 25, 30)
    table.moving()
    (event,) = table.shows(after, strange={30: (-9.0, 0.0, -9.0)})
    assert isinstance(event, MovePlayed)
    assert event.move == "25-30"
    assert parse_fen(event.fen, table.variant).kings == 1 << 29


def test_an_illegal_move_answered_by_an_illegal_one_stands():
    table = Table("english", "B:W15,24,32:B11,1,8")
    table.moving()
    wrong = moved(table.position, 1, 5)
    table.shows(wrong)
    table.moving()
    events = table.shows(moved(wrong, 32, 23))
    (resolved,) = of_kind(events, IncidentResolved)
    assert resolved.resolution is Resolution.ACCEPTED
    (played,) = of_kind(events, MovePlayed)
    assert (played.move, played.legal) == ("1-5", False)
    (opened,) = of_kind(events, IncidentOpened)
    assert (opened.kind, opened.seen, opened.side) == (IncidentKind.ILLEGAL_MOVE, "32-23", "white")


def test_an_opponents_piece_put_back_wrongly_is_not_taken_for_play():
    table = Table("english")
    table.moving()
    wrong = moved(table.position, 22, 18)
    table.shows(wrong)
    table.moving()
    events = table.shows(moved(wrong, 18, 14))
    assert of_kind(events, MovePlayed) == []
    assert of_kind(events, IncidentUpdated)
    is_put_right(table)


def test_a_capture_that_leaves_some_pieces_is_told_sooner_than_one_that_leaves_all():
    table = Table("international", "W:W32,50:B28,19,1")
    half = moved(table.position, 32, 14, lifted=(28,))
    table.moving()
    (opened,) = table.shows(half, 2.0)
    assert opened.rule == "wrong-removal"
    table = Table("international", "W:W32,50:B28,19,1")
    table.moving()
    assert table.shows(moved(table.position, 32, 14), 3.5) == []


def test_a_route_that_was_not_seen_is_noted():
    fen = "B:W38,42,43:B1,22,23,32,33"
    table = Table("international", fen)
    table.plays("1-7")
    first, second = legal_moves(table.variant, table.position)
    after = play(table.variant, table.position, first)
    assert play(table.variant, table.position, second) == after
    table.moving()
    played, remark = table.shows(after)
    assert isinstance(played, MovePlayed)
    assert remark.messages[0].key == "route-not-seen"
    for route in (first, second):
        table = Table("international", fen)
        table.plays("1-7")
        table.moving()
        # One stop alone may be the first of one route or the last of the other.
        for landing in (route.path[1], route.path[3]):
            table.shows(moved(table.position, route.origin, landing), 0.6)
            table.moving()
        played = table.shows(after)[0]
        assert played.path == tuple(route.path)
        remarks = of_kind(table.events, Remarked)
        assert all(one.messages[0].key != "route-not-seen" for one in remarks)


def test_a_position_set_up_in_mid_game_is_in_the_score_and_survives_a_break():
    table = Table()
    table.plays("11-15", "23-19")
    disturbed = moved(table.position, 1, 0, lifted=(2, 31, 32))
    table.moving()
    table.shows(disturbed)
    first = moved(disturbed, 8, 11)
    for board in (first, moved(first, 22, 18)):
        table.moving()
        table.shows(board)
    start = format_fen(table.session.start, table.variant)
    begun = GameStarted(0, 0.0, "english", start, 8, ((0.0, 0.0),) * 4, "top")
    record = fold(parse_event(as_json(event)) for event in (begun, *table.events))
    assert record.set_ups[0].ply == 2
    score = " ".join(score_of(record).split())
    assert f'23-19 /FEN "{format_fen(disturbed, table.variant)}"/ {{No legal move' in score
    assert "8-11 {settled late, by what followed}" in score
    session = session_of(record, table.variant)
    assert session.position == table.position
    assert session.positions == table.session.positions
    assert session.anchor == table.session.anchor
    for ply in (4, 3):
        record = add(record, MoveTakenBack(999, 99.9, ply, "", ""))
    assert record.fen == format_fen(disturbed, table.variant)


def test_a_piece_that_is_moved_twice_out_of_turn_is_settled_by_the_reply():
    table = Table("english", "B:W22,31,32:B1,2,11")
    table.moving()
    wrong = moved(table.position, 22, 18)
    table.shows(wrong)
    again = moved(wrong, 18, 14)
    table.moving()
    assert of_kind(table.shows(again), MovePlayed) == []
    table.moving()
    table.shows(moved(again, 11, 15))
    plies = [(e.move, e.legal, e.late) for e in of_kind(table.events, MovePlayed)]
    assert plies == [("22-18", False, False), ("18-14", True, True), ("11-15", True, False)]


def test_an_illegal_move_of_a_king_of_unknown_looks_is_named():
    table = Table("english", "W:WK7,32:B10,11,12")
    table.shows(table.position, 0.5)
    table.moving()
    # It jumps 10, and the man on 11 is lifted instead.
    wrong = moved(table.position, 7, 14, lifted=(11,))
    (opened,) = table.shows(wrong, strange={14: (-9.0, 0.0, -9.0)})
    assert (opened.kind, opened.seen) == (IncidentKind.WRONG_REMOVAL, "7x14")
    table = Table("english", "W:W7,32:B10,11,12")
    table.moving()
    assert table.shows(wrong, 2.0, strange={14: (-9.0, 0.0, -9.0)}) == []


def test_an_illegal_reply_to_a_wrong_removal_is_not_taken_for_both_mended():
    table = Table("english", "W:WK7,18,32:B10,11,12,3")
    table.moving()
    wrong = moved(table.position, 7, 14, lifted=(11,))
    table.shows(wrong)
    # As if 10 had been lifted, and 11 were there to move to 15. But 10 is to capture.
    table.moving()
    events = table.shows(moved(wrong, 10, 15))
    (played,) = of_kind(events, MovePlayed)
    assert (played.move, played.legal, played.rule) == ("7x14", False, "wrong-removal")
    (opened,) = of_kind(events, IncidentOpened)
    assert (opened.seen, opened.rule) == ("10-15", "must-capture")


def test_a_move_out_of_turn_is_not_explained_by_a_king_that_went_and_came_back():
    table = Table("english", "W:WK29,20:B5,12,1")
    table.moving()
    (opened,) = table.shows(moved(table.position, 5, 9))
    assert (opened.kind, opened.seen) == (IncidentKind.ILLEGAL_MOVE, "5-9")


def test_two_quick_plies_after_an_illegal_move_let_it_stand():
    table = Table()
    table.plays("12-16")
    wrong = moved(table.position, 30, 18)
    table.moving()
    table.shows(wrong)
    table.moving()
    table.shows(moved(moved(wrong, 16, 20), 22, 17))
    plies = [(e.move, e.legal, e.inferred) for e in of_kind(table.events, MovePlayed)][1:]
    assert plies == [("30-18", False, False), ("16-20", True, True), ("22-17", True, True)]


def test_an_accident_beside_a_legal_move_accuses_nobody():
    table = Table()
    table.moving()
    (opened,) = table.shows(moved(table.position, 11, 15, lifted=(2, 31)))
    assert (opened.kind, opened.side) == (IncidentKind.POSITION_CHANGED, None)


def test_a_man_moved_back_is_no_take_back_of_what_a_king_did_and_undid():
    table = Table("english", "B:W22,32:BK1,12")
    table.plays("1-6", "22-18", "6-1")
    (opened,) = table.shows(moved(table.position, 18, 22))
    assert (opened.kind, opened.rule) == (IncidentKind.ILLEGAL_MOVE, "wrong-direction")


def test_a_capture_under_way_after_an_illegal_move_is_waited_for():
    table = Table("english", "B:W15,24,32:B11,1,8")
    table.moving()
    wrong = moved(table.position, 8, 19)
    table.shows(wrong)
    table.moving()
    assert table.shows(moved(wrong, 15, 8), 3.0) == []
    table.moving()
    events = of_kind(table.shows(moved(wrong, 15, 8, lifted=(11,))), MovePlayed)
    assert [(e.move, e.legal) for e in events] == [("8-19", False), ("15x8", True)]
    assert len(of_kind(table.events, IncidentOpened)) == 1


def test_nothing_is_played_on_from_a_board_with_pieces_out_of_nowhere():
    table = Table()
    table.plays("11-15", "23-19")
    before = table.position
    ghost = Position(before.white | 1 << 16, before.black, 0, before.turn)
    table.moving()
    table.shows(ghost)
    for origin, to in ((15, 18), (22, 15), (10, 14), (15, 10)):
        ghost = moved(ghost, origin, to)
        table.moving()
        table.shows(ghost)
    assert of_kind(table.events, PositionSet) == []
    assert table.session.incident is not None
    table.moving()
    (resolved,) = of_kind(table.shows(before), IncidentResolved)
    assert resolved.resolution is Resolution.TAKEN_BACK


@pytest.mark.parametrize(
    ("looks", "is_strange"),
    [((-9.0, 0.0, -9.0), False), ((0.0, -20.0, -8.0), True)],
    ids=["a top of the other colour", "a top of the colour of the square"],
)
def test_a_new_king_is_known_by_its_move_whatever_its_top_looks_like(
    looks: tuple[float, float, float], is_strange: bool
):
    table = Table("english", "B:W17,26,32:B13,1")
    after = moved(table.position, 13, 31, lifted=(17, 26))
    table.moving()
    unlike = {"strange": {31: looks}} if is_strange else {"unsure": {31: looks}}
    events = table.shows(after, 0.4, **unlike, altered=[31])
    (event,) = of_kind(events, MovePlayed)
    assert (event.move, event.captured) == ("13x31", (17, 26))
    assert parse_fen(event.fen, table.variant).kings == 1 << 30
    assert of_kind(events, IncidentOpened) == []


def test_pieces_are_not_told_gone_while_something_unknown_lies_on_another_square():
    table = Table("english")
    table.moving()
    events = table.shows(
        moved(table.position, 1, 0, lifted=(2, 31)),
        2.5,
        strange={18: (0.0, -9.0, -8.0)},
        altered=[18],
    )
    assert of_kind(events, IncidentOpened) == []


def test_a_square_in_glare_does_not_hide_an_illegal_move():
    table = Table("international")
    table.plays("32-28")
    table.moving()
    # 8 has been left, but glare makes it look rather like a white man than like nothing.
    glare = {8: (-4.2, 0.0, -6.1)}
    wrong = moved(table.position, 8, 23)
    (opened,) = of_kind(table.shows(wrong, unsure=glare), IncidentOpened)
    assert (opened.kind, opened.seen, opened.rule) == (
        IncidentKind.ILLEGAL_MOVE,
        "8-23",
        "not-diagonal",
    )
    is_put_right(table)


def test_more_squares_in_doubt_than_glare_explains_name_no_move():
    table = Table("international")
    table.moving()
    glare = dict.fromkeys((8, 9, 10, 13), (-4.2, 0.0, -6.1))
    wrong = moved(table.position, 8, 23, lifted=(9, 10, 13))
    assert all(e.seen is None for e in of_kind(table.shows(wrong, unsure=glare), IncidentOpened))


def test_pieces_put_back_on_an_irregular_board_lead_back_to_the_illegal_move():
    table = Table("english", "B:W10,18,27,32:B7,5,8,6")
    table.moving()
    wrong = moved(table.position, 7, 14, lifted=[10])
    (opened,) = of_kind(table.shows(wrong), IncidentOpened)
    assert (opened.seen, opened.rule) == ("7x14", "must-finish-capture")
    table.moving()
    table.shows(moved(wrong, 5, 0, lifted=[8]))
    table.moving()
    table.shows(wrong, 1.0)
    table.moving()
    # White answers it by an illegal move as well, and soon: the first one stands.
    events = table.shows(moved(wrong, 27, 20), 0.9)
    (resolved,) = of_kind(events, IncidentResolved)
    assert resolved.resolution is Resolution.ACCEPTED
    (played,) = of_kind(events, MovePlayed)
    assert (played.move, played.legal) == ("7x14", False)
    (opened,) = of_kind(events, IncidentOpened)
    assert (opened.seen, opened.side) == ("27-20", "white")


def go_on(table: Table, board: Position, *moves: tuple[int, int]) -> None:
    """Let pieces be moved on from a board, one after the other."""
    for origin, destination in moves:
        board = moved(board, origin, destination)
        table.moving()
        table.shows(board)


def test_nothing_is_played_on_from_a_board_that_is_a_square_off_a_legal_move():
    table = Table("english", "B:W17,24,32:B13,1,12")
    # After 13x22 the man on 22 is not seen: a misreading, however often it happens.
    begin = table.position
    misread = moved(begin, 13, 0, lifted=[17])
    table.moving()
    table.shows(misread)
    go_on(table, misread, (24, 19), (12, 16))
    assert of_kind(table.events, PositionSet) == []
    assert table.position == begin


def test_nothing_is_played_on_from_a_board_that_was_read_with_doubt():
    table = Table()
    table.plays("11-15", "23-19")
    begin = table.position
    disturbed = moved(begin, 1, 0, lifted=(2, 31, 32))
    table.moving()
    table.shows(disturbed, unsure={2: (0.0, -9.0, -4.0), 1: (0.0, -9.0, -5.0)})
    go_on(table, disturbed, (8, 11), (22, 18))
    assert of_kind(table.events, PositionSet) == []
    assert table.position == begin


def test_a_wrong_removal_that_looks_like_a_quick_reply_under_way_is_told_in_the_end():
    # 7 was taken off instead of 16: as if White's capture had been answered by 7x16 meanwhile.
    table = Table("brazilian", "W:W20,30,32:B7,16,1,2")
    table.moving()
    wrong = moved(table.position, 20, 11, lifted=[7])
    assert of_kind(table.shows(wrong, 1.5), IncidentOpened) == []
    (opened,) = of_kind(table.shows(wrong, 1.0), IncidentOpened)
    assert (opened.kind, opened.rule) == (IncidentKind.WRONG_REMOVAL, "wrong-removal")


def test_a_capture_that_stopped_too_early_is_told_when_it_is_answered():
    table = Table("brazilian", "B:W15,22,30,32:B11,1,2")
    table.moving()
    # f6xd4 takes e5 and could go on; White answers before that is told.
    wrong = moved(table.position, 11, 18, lifted=[15])
    assert of_kind(table.shows(wrong, 1.5), IncidentOpened) == []
    table.moving()
    events = table.shows(moved(wrong, 22, 15, lifted=[18]))
    (opened,) = of_kind(events, IncidentOpened)
    assert (opened.seen, opened.rule, opened.side) == ("f6xd4", "must-finish-capture", "black")
    assert [(e.ply, e.move, e.legal) for e in of_kind(events, MovePlayed)] == [
        (1, "f6xd4", False),
        (2, "c3xe5", True),
    ]


def test_what_looked_like_two_quick_plies_is_read_again_when_the_same_side_goes_on():
    table = Table("english", "B:W17,22,26,32:B14,1,7")
    table.moving()
    # 14x21 is made, but 22 is removed instead of 17, which looks like 14x21 and 22-17.
    wrong = moved(table.position, 14, 21, lifted=[22])
    first = of_kind(table.shows(wrong), MovePlayed)
    assert [(e.move, e.inferred) for e in first] == [("14x21", True), ("22-17", True)]
    table.moving()
    events = table.shows(moved(wrong, 26, 22))
    assert [e.move for e in of_kind(events, MoveTakenBack)] == ["22-17", "14x21"]
    (opened,) = of_kind(events, IncidentOpened)
    assert (opened.kind, opened.seen, opened.side) == (
        IncidentKind.WRONG_REMOVAL,
        "14x21",
        "black",
    )
    assert [(e.ply, e.move, e.legal) for e in of_kind(events, MovePlayed)] == [
        (1, "14x21", False),
        (2, "26-22", True),
    ]
    # The pair stands where Black goes on.
    table = Table("english", "B:W17,22,26,32:B14,1,7")
    table.moving()
    table.shows(wrong)
    table.moving()
    (played,) = table.shows(moved(wrong, 7, 10))
    assert (played.ply, played.move) == (3, "7-10")


def test_nobody_is_accused_by_a_piece_that_was_not_seen():
    # 11 and 22 are gone; a man on 20 would make 11x20 of it, but none is seen there.
    table = Table("brazilian", "B:W15,22,30,32:B11,16,1,2")
    table.moving()
    gone = moved(table.position, 11, 0, lifted=[22])
    events = table.shows(gone, unsure={20: (0.0, -9.0, -4.0)})
    assert all(e.seen is None for e in of_kind(events, IncidentOpened))
