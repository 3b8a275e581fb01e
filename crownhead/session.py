"""A game as it is observed: the pure step from one observation to the events it causes.

The session knows the record (the plies that stand), what lies on the board (the same, unless
something irregular does), and the explanation that it is about to believe. An observation either
bears out an explanation or does not; one that has been borne out for long enough becomes events.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol, TypedDict

import numpy as np

from crownhead.actions import Action, ActionRefused
from crownhead.events import (
    Event,
    GameEnded,
    IncidentKind,
    IncidentOpened,
    IncidentResolved,
    IncidentUpdated,
    MovePlayed,
    MoveTakenBack,
    Remarked,
    Resolution,
    SightChanged,
)
from crownhead.rules.ending import Outcome, agreed, claimed, format_result, outcome, resigned
from crownhead.rules.fen import format_fen
from crownhead.rules.generator import distinct_moves, legal_moves, play
from crownhead.rules.history import legal_moves_in_game
from crownhead.rules.message import Message, message
from crownhead.rules.move import Move
from crownhead.rules.notation import format_move
from crownhead.rules.position import Position, Side
from crownhead.rules.procedure import judge_procedure
from crownhead.rules.referee import in_progress, judge_board
from crownhead.rules.titles import outcome_message
from crownhead.rules.variant import PROTOCOLS, Naming, OnIllegal, Variant
from crownhead.rules.verdict import Restore, Rule, Verdict
from crownhead.vision.hypothesis import (
    ExplainParams,
    best_explanation,
    sure_reading,
)
from crownhead.vision.observation import BLACK, WHITE, Codes, Evidence, Observation, Sight
from crownhead.vision.opening import codes_of
from crownhead.words import say, tell


@dataclass(frozen=True, slots=True)
class SessionParams:
    """How long something must lie still before it is believed, in seconds.

    Attributes:
        legal_s: a legal ply, or the board put right.
        back_s: a ply taken back, or replaced by another.
        pair_s: two or three plies between two views.
        illegal_s: an illegal move.
        half_done_s: a capture that stops on its way.
        to_lift_s: one that is made but for pieces still to be lifted; players take their time.
        beside_s: so much more if something hides part of the border.
        changed_s: a change that no move of one piece describes.
        unreadable_s: a still view that nothing explains.
        blocked_s: a covered board is told after so long.
        moved_s: a board that is not where it was is told after so long.
        views: and in at least so many readings.
        undo_plies: how many plies back a take-back is looked for.
        explain: how sure an explanation must be.
    """

    legal_s: float = 0.08
    back_s: float = 0.5
    pair_s: float = 0.4
    illegal_s: float = 0.5
    half_done_s: float = 2.1
    to_lift_s: float = 3.0
    beside_s: float = 1.5
    changed_s: float = 2.0
    unreadable_s: float = 4.0
    blocked_s: float = 5.0
    moved_s: float = 0.5
    views: int = 2
    undo_plies: int = 4
    explain: ExplainParams = field(default_factory=ExplainParams)


class Timed(Protocol):
    """Something at a frame, counted from 0, and at a time in seconds."""

    @property
    def frame(self) -> int:
        """The number of the frame."""

    @property
    def at_s(self) -> float:
        """The time."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The frame and the time at which something was said."""

    frame: int
    at_s: float


@dataclass(frozen=True, slots=True)
class Ply:
    """A ply of the record with the positions before and after it."""

    before: Position
    after: Position
    event: MovePlayed


@dataclass(frozen=True, slots=True)
class OpenIncident:
    """Something irregular that lies on the board, as the referee judged it.

    ``verdict`` is that of the beginning, ``latest`` that of ``seen``, what lies there now.
    """

    number: int
    kind: IncidentKind
    verdict: Verdict
    latest: Verdict
    seen: Position
    opened: IncidentOpened


@dataclass(frozen=True, slots=True)
class Played:
    """Legal plies from the position of the record; if several, their order is inferred."""

    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class PlayedOn:
    """A legal move from the irregular board: nobody minded, and the game goes on.

    ``stood`` is the verdict on what was let stand, ``after`` the position that it left.
    """

    stood: Verdict
    after: Position
    move: Move


@dataclass(frozen=True, slots=True)
class Back:
    """So many plies were taken back, and perhaps another move was made instead."""

    plies: int
    instead: Move | None = None


@dataclass(frozen=True, slots=True)
class Unchanged:
    """What lay on the board lies there still."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The board shows the position of the record again."""


@dataclass(frozen=True, slots=True)
class Irregular:
    """Contents that no rule explains, one code a square."""

    contents: bytes


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A still view in which some square is in doubt."""


Meaning = Played | PlayedOn | Back | Unchanged | Restored | Irregular | Unreadable


@dataclass(frozen=True, slots=True)
class Candidate:
    """An explanation, since when it has been borne out, and how well."""

    meaning: Meaning
    since_s: float
    views: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Session:
    """All that is known of a game while it is watched.

    Attributes:
        plies: that stand.
        incident: what lies irregularly on the board, if anything does.
        candidate: the explanation that is about to be believed.
        incidents: how many there have been, settled ones too.
        notices: open incidents that accuse nobody, with their numbers.
        sight: what the camera sees, since when, and what was last told of it.
        offences: who made each illegal move, where the procedure counts them.
        is_ended: the game is over; after a draw by the rules play may go on all the same.
        is_closed: a player ended it by word, and nothing more is read from the board.
        on_the_way: boards of a capture under way that were seen since the last ply.
    """

    variant: Variant
    start: Position
    naming: Naming | None = None
    plies: tuple[Ply, ...] = ()
    incident: OpenIncident | None = None
    candidate: Candidate | None = None
    incidents: int = 0
    notices: tuple[tuple[int, IncidentKind], ...] = ()
    sight: Sight = Sight.CLEAR
    sight_since_s: float = 0.0
    sight_told: Sight = Sight.CLEAR
    offences: tuple[Side, ...] = ()
    is_ended: bool = False
    is_closed: bool = False
    on_the_way: tuple[Position, ...] = ()
    params: SessionParams = field(default_factory=SessionParams)

    @property
    def position(self) -> Position:
        """The position of the record."""
        return self.plies[-1].after if self.plies else self.start

    @property
    def positions(self) -> tuple[Position, ...]:
        """Every position of the record, the start first."""
        return (self.start, *(ply.after for ply in self.plies))

    @property
    def on_board(self) -> Position:
        """What lies on the board as far as we know."""
        return self.incident.seen if self.incident else self.position


def believed_codes(session: Session) -> Codes:
    """Return what lies on the board, int8, shape (squares,)."""
    return codes_of(session.on_board, session.variant.squares)


def step(session: Session, seen: Observation) -> tuple[Session, tuple[Event, ...]]:
    """Take one observation into account; the same observations give the same events."""
    session, events = _sight_step(session, seen)
    if seen.sight is not Sight.CLEAR or session.is_closed:
        return replace(session, candidate=None), events
    if seen.evidence is None:
        return session, events
    meaning, confidence = _meaning_of(session, seen.evidence)
    candidate = _kept(session.candidate, meaning, confidence, seen.at_s)
    session = _seen_on_the_way(replace(session, candidate=candidate), candidate)
    if candidate.views < session.params.views and not isinstance(meaning, Unchanged):
        return session, events
    if seen.at_s - candidate.since_s < _patience(session, meaning, seen) - 1e-6:
        return session, events
    session, more = _believe(session, candidate, seen)
    return session, (*events, *more)


def _seen_on_the_way(session: Session, candidate: Candidate) -> Session:
    """Note a board of a capture under way, once it has been seen often enough to be believed."""
    meaning, views = candidate.meaning, session.params.views
    if not isinstance(meaning, Irregular) or candidate.views != views:
        return session
    placed = _placement(session, meaning)
    if in_progress(session.variant, session.position, placed) is None:
        return session
    return replace(session, on_the_way=(*session.on_the_way, placed))


def _kept(old: Candidate | None, meaning: Meaning, confidence: float, at_s: float) -> Candidate:
    if old is not None and old.meaning == meaning:
        return replace(old, views=old.views + 1, confidence=max(old.confidence, confidence))
    return Candidate(meaning, at_s, 1, confidence)


# --- what the picture may mean -------------------------------------------------------------


def _meaning_of(session: Session, evidence: Evidence) -> tuple[Meaning, float]:
    """Find the explanation that the picture bears out best, the simplest kind first."""
    squares, params = session.variant.squares, session.params.explain
    for hypotheses in (_simple_hypotheses, _rarer_hypotheses):
        listed = [(m, codes_of(p, squares)) for m, p in hypotheses(session)]
        found = best_explanation(evidence, listed, params)
        if found is not None and not _is_ambiguous(found.key, listed):
            return found.key, found.confidence
    believed = believed_codes(session)
    reading = sure_reading(evidence, believed, params)
    if reading is None:
        return Unreadable(), 0.0
    if np.array_equal(reading, believed):
        # Poor light leaves more than one explanation, but no sign of any change.
        return Unchanged(), 0.0
    irregular = Irregular(reading.tobytes())
    exchange = _exchange(session, _placement(session, irregular))
    return (Played(exchange) if exchange else irregular), 0.9


def _exchange(session: Session, placed: Position) -> tuple[Move, ...]:
    """Find the three plies that alone lead to a board: a quick exchange looks irregular.

    Empty if there are none or several, and where a lasting irregularity rules them out.
    """
    variant, position = session.variant, session.position
    if session.incident is not None or in_progress(variant, position, placed) is not None:
        return ()
    found: list[tuple[Move, ...]] = []
    for first in _next_moves(session):
        one = play(variant, position, first)
        for second in distinct_moves(variant, one):
            two = play(variant, one, second)
            if not _may_be_a_move_apart(two, placed):
                continue
            for third in distinct_moves(variant, two):
                three = play(variant, two, third)
                if (three.white, three.black) == (placed.white, placed.black):
                    found.append((first, second, third))
    return found[0] if len(found) == 1 else ()


def _next_moves(session: Session) -> list[Move]:
    """Return the moves that are legal now, one route of each."""
    legal = legal_moves_in_game(session.variant, session.positions)
    return [move for move in distinct_moves(session.variant, session.position) if move in legal]


def _judged(session: Session, placement: Position) -> Verdict:
    earlier = session.positions[:-1]
    return judge_board(session.variant, session.position, placement, earlier=earlier)


def _may_be_a_move_apart(before: Position, after: Position) -> bool:
    """Say, without looking at the rules, whether one ply could lead from board to board."""
    boards = ((before.white, after.white), (before.black, after.black))
    mine, theirs = boards if before.turn is Side.WHITE else boards[::-1]
    gone, come = mine[0] & ~mine[1], mine[1] & ~mine[0]
    is_one = gone.bit_count() == come.bit_count() <= 1
    return is_one and not theirs[1] & ~theirs[0]


def _is_ambiguous(meaning: Meaning, listed: list[tuple[Meaning, Codes]]) -> bool:
    """Two plies at once count only if no other two lead to the same contents."""
    if not (isinstance(meaning, Played) and len(meaning.moves) == 2):
        return False
    codes = next(c for m, c in listed if m == meaning)
    return sum(np.array_equal(c, codes) for _, c in listed) > 1


def _simple_hypotheses(session: Session) -> list[tuple[Meaning, Position]]:
    """No change, the board put right, one legal ply, plies taken back."""
    variant, position = session.variant, session.position
    listed: list[tuple[Meaning, Position]] = [(Unchanged(), session.on_board)]
    incident = session.incident
    if incident is not None:
        listed.append((Restored(), position))
    legal = legal_moves_in_game(variant, session.positions)
    listed += [(Played((m,)), play(variant, position, m)) for m in legal]
    if incident is not None and incident.kind is not IncidentKind.POSITION_CHANGED:
        listed += [
            (PlayedOn(stood, after, m), play(variant, after, m))
            for stood, after in _left_standing(incident)
            for m in legal_moves(variant, after)
        ]
    plies = session.plies[-session.params.undo_plies :]
    listed += [(Back(n), ply.before) for n, ply in enumerate(reversed(plies), 1)]
    return listed


def _left_standing(incident: OpenIncident) -> list[tuple[Verdict, Position]]:
    """Return what the game may go on from if nobody minds the irregular board.

    After a piece of the side that was not to move has moved, either side may be next: the
    one that moved it took it for its own, or its owner moved out of turn.
    """
    found = []
    for verdict in dict.fromkeys((incident.verdict, incident.latest)):
        if verdict.seen is None:
            continue
        found.append((verdict, verdict.after))
        if _is_out_of_turn(verdict):
            other = verdict.after.turn.other
            found.append((verdict, replace(verdict.after, turn=other)))
    return found


def _is_out_of_turn(verdict: Verdict) -> bool:
    return verdict.rule in (Rule.NOT_YOUR_TURN, Rule.NOT_YOUR_PIECE)


def _rarer_hypotheses(session: Session) -> list[tuple[Meaning, Position]]:
    """The last ply replaced by another, or two plies between two views."""
    variant, position = session.variant, session.position
    listed: list[tuple[Meaning, Position]] = [(Unchanged(), session.on_board)]
    if session.plies and session.incident is None:
        before = session.plies[-1].before
        listed += [
            (Back(1, move), play(variant, before, move)) for move in legal_moves(variant, before)
        ]
    # A piece that moved out of turn hides whose turn it is: no catching up then.
    if session.incident is None or not _is_out_of_turn(session.incident.verdict):
        # One route of each move: two routes of one capture are no two explanations.
        for first in _next_moves(session):
            between = play(variant, position, first)
            listed += [
                (Played((first, second)), play(variant, between, second))
                for second in distinct_moves(variant, between)
            ]
    return listed


def _patience(session: Session, meaning: Meaning, seen: Observation) -> float:
    """Return for how long an explanation must be borne out."""
    params = session.params
    match meaning:
        case Unchanged():
            return 0.0
        case Played(moves):
            return params.legal_s if len(moves) == 1 else params.pair_s
        case PlayedOn() | Restored():
            return params.legal_s
        case Back():
            return params.back_s
        case Unreadable():
            return params.unreadable_s
        case Irregular():
            placed = _placement(session, meaning)
            more_s = params.beside_s if seen.beside else 0.0
            half_done = in_progress(session.variant, session.position, placed)
            if half_done is not None:
                waits_s = params.to_lift_s if half_done.at_destination else params.half_done_s
                return waits_s + more_s
            verdict = _judged(session, placed)
            return (params.illegal_s if verdict.seen else params.changed_s) + more_s


def _placement(session: Session, irregular: Irregular) -> Position:
    """Turn contents into a position; kings are known from the game, not from the picture."""
    codes = np.frombuffer(irregular.contents, np.int8)
    white = sum(1 << int(n) for n in np.flatnonzero(codes == WHITE))
    black = sum(1 << int(n) for n in np.flatnonzero(codes == BLACK))
    old = session.position
    kings = old.kings & ((old.white & white) | (old.black & black))
    for before, now in ((old.white, white), (old.black, black)):
        gone, come = before & ~now, now & ~before
        # One piece gone and one come: the same piece, so it keeps its rank.
        if gone.bit_count() == 1 and come.bit_count() == 1 and old.kings & gone:
            kings |= come
    return Position(white, black, kings, old.turn)


class Told(TypedDict):
    """What an event says: in English, and apart from any language."""

    text: str
    messages: tuple[Message, ...]


def _told(*messages: Message) -> Told:
    return Told(text=tell(messages), messages=messages)


# --- believing it --------------------------------------------------------------------------


def _believe(
    session: Session, candidate: Candidate, seen: Observation
) -> tuple[Session, tuple[Event, ...]]:
    meaning = candidate.meaning
    session, notices = _notices_over(session, meaning, seen)
    match meaning:
        case Unchanged():
            return session, notices
        case Restored():
            session, events = _resolve(session, Resolution.TAKEN_BACK, seen)
        case Played(moves):
            session, events = _resolve(session, Resolution.CORRECTED, seen)
            for move in moves:
                session, more = _record(
                    session, move, candidate.confidence, seen, inferred=len(moves) > 1
                )
                events = (*events, *more)
        case PlayedOn(stood, after, move):
            session, events = _let_stand(session, stood, after, candidate.confidence, seen)
            session, more = _record(session, move, candidate.confidence, seen)
            events = (*events, *more)
        case Back(plies, instead):
            session, events = _resolve(session, Resolution.CORRECTED, seen)
            session, more = _take_back(session, plies, seen)
            events = (*events, *more)
            if instead is not None:
                session, more = _record(session, instead, candidate.confidence, seen)
                events = (*events, *more)
        case Irregular() | Unreadable() if session.is_ended:
            # After the last move people clear the board.
            events = ()
        case Irregular():
            session, events = _judge(session, _placement(session, meaning), seen)
        case Unreadable():
            session, events = _cannot_read(session, seen)
    return replace(session, candidate=None), (*notices, *events)


def _record(
    session: Session, move: Move, confidence: float, seen: Observation, *, inferred: bool = False
) -> tuple[Session, tuple[Event, ...]]:
    variant, before = session.variant, session.position
    after = play(variant, before, move)
    event = MovePlayed(
        seen.frame,
        seen.at_s,
        ply=len(session.plies) + 1,
        side=before.turn.value,
        move=format_move(variant, before, move, naming=session.naming),
        fen=format_fen(after, variant),
        confidence=round(confidence, 3),
        path=tuple(int(s) for s in move.path),
        captured=tuple(int(s) for s in move.captured),
        inferred=inferred,
    )
    remarks = _remarks(session, event, seen)
    plies = (*session.plies, Ply(before, after, event))
    session = replace(session, plies=plies, is_ended=False, on_the_way=())
    session, ends = _end_by_rule(session, seen)
    return session, (event, *remarks, *ends)


def _remarks(session: Session, played: MovePlayed, seen: Timed) -> tuple[Remarked, ...]:
    """Note what was seen to be wrong in the manner of a capture; it accuses nobody.

    That a jump was not shown is never held against anybody: a hand may have hidden it.
    """
    warnings = judge_procedure(session.variant, session.position, session.on_the_way)
    positive = [told for told in warnings if told.key != "show-each-jump"]
    return tuple(
        Remarked(seen.frame, seen.at_s, ply=played.ply, **_told(told)) for told in positive
    )


def _end_by_rule(session: Session, seen: Timed) -> tuple[Session, tuple[Event, ...]]:
    """End the game if the last ply did; a draw after which play went on is told once."""
    variant, positions = session.variant, session.positions
    found = outcome(variant, positions)
    if found is None:
        return session, ()
    earlier = outcome(variant, positions[:-1]) if found.winner is None and session.plies else None
    if earlier is not None and earlier.rule == found.rule:
        return session, ()
    return _end(session, found, seen)


def _end(
    session: Session, how: Outcome, seen: Timed, told: Message | None = None
) -> tuple[Session, tuple[Event, ...]]:
    result = format_result(session.variant, how.winner)
    event = GameEnded(seen.frame, seen.at_s, result, **_told(told or outcome_message(how)))
    return replace(session, is_ended=True), (event,)


def _let_stand(
    session: Session, stood: Verdict, after: Position, confidence: float, seen: Timed
) -> tuple[Session, tuple[Event, ...]]:
    """Take an illegal move into the record: the other side has moved on from it."""
    before = session.position
    session, events = _resolve(session, Resolution.ACCEPTED, seen)
    event = MovePlayed(
        seen.frame,
        seen.at_s,
        ply=len(session.plies) + 1,
        side=after.turn.other.value,
        move=stood.seen or "?",
        fen=format_fen(after, session.variant),
        confidence=round(confidence, 3),
        path=(),
        legal=False,
        rule=stood.rule.value if stood.rule else None,
    )
    plies = (*session.plies, Ply(before, after, event))
    session, ends = _end_by_rule(replace(session, plies=plies, is_ended=False), seen)
    return session, (*events, event, *ends)


def _take_back(
    session: Session, plies: int, seen: Observation
) -> tuple[Session, tuple[Event, ...]]:
    events: list[Event] = []
    for ply in reversed(session.plies[-plies:]):
        events.append(
            MoveTakenBack(
                seen.frame,
                seen.at_s,
                ply=ply.event.ply,
                move=ply.event.move,
                fen=format_fen(ply.before, session.variant),
            )
        )
    kept = session.plies[:-plies]
    return replace(session, plies=kept, is_ended=False, on_the_way=()), tuple(events)


def _judge(
    session: Session, placement: Position, seen: Observation
) -> tuple[Session, tuple[Event, ...]]:
    """Open an incident for an irregular board, or follow the one that is open."""
    verdict = _judged(session, placement)
    if verdict.legal:
        # The referee knows the board as a legal one that the picture alone did not single out.
        return session, ()
    restore = _signs(verdict.restore)
    settled: tuple[Event, ...] = ()
    if verdict.seen is not None and _is_one_lifted(session):
        # Somebody held a piece in the hand for long, and has now put it down.
        session, settled = _resolve(session, Resolution.CORRECTED, seen)
    if session.incident is not None:
        incident = replace(session.incident, latest=verdict, seen=placement)
        event = IncidentUpdated(
            seen.frame,
            seen.at_s,
            number=incident.number,
            restore=restore,
            **_told(*verdict.messages),
        )
        return replace(session, incident=incident), (event,)
    number = session.incidents + 1
    kind = _kind_of(verdict)
    to_lift = _to_lift(session, placement)
    offender = None if to_lift else _offender(session, kind, verdict)
    session, counted = _count_offence(session, offender)
    told = (to_lift,) if to_lift else verdict.messages
    if kind is IncidentKind.POSITION_CHANGED:
        told = (*_accident(session, placement), *told)
    opened = IncidentOpened(
        seen.frame,
        seen.at_s,
        number=number,
        kind=kind,
        **_told(*told, *counted),
        rule=verdict.rule.value if verdict.rule else None,
        seen=verdict.seen,
        expected=verdict.expected,
        restore=restore,
        side=offender.value if offender else None,
        may_stand=verdict.seen is not None and _opponent_decides(session),
    )
    incident = OpenIncident(number, opened.kind, verdict, verdict, placement, opened)
    return replace(session, incident=incident, incidents=number), (*settled, opened)


def _accident(session: Session, placement: Position) -> tuple[Message, ...]:
    """Name what befell the board if it is plain: set up anew, or pieces swept off."""
    start, was = session.start, session.position
    if (placement.white, placement.black) == (start.white, start.black):
        return (message("set-up-anew"),)
    gone = (was.occupied & ~placement.occupied).bit_count()
    come = (placement.occupied & ~was.occupied).bit_count()
    return (message("swept-off"),) if gone - come >= SWEPT_OFF else ()


SWEPT_OFF = 3
"""So many pieces fewer, with no move to explain it, were swept off."""


def _opponent_decides(session: Session) -> bool:
    return PROTOCOLS[session.variant.protocol].on_illegal is OnIllegal.OPPONENT_DECIDES


def _to_lift(session: Session, placement: Position) -> Message | None:
    """Say which pieces are still to be lifted if that is all that a capture lacks."""
    half_done = in_progress(session.variant, session.position, placement)
    return half_done.message if half_done is not None and half_done.at_destination else None


def _offender(session: Session, kind: IncidentKind, verdict: Verdict) -> Side | None:
    """Return who did what the verdict is about, None where it may be an accident."""
    if kind is IncidentKind.POSITION_CHANGED:
        return None
    turn = session.position.turn
    return turn.other if _is_out_of_turn(verdict) else turn


def _count_offence(session: Session, offender: Side | None) -> tuple[Session, tuple[Message, ...]]:
    """Count an illegal move where the procedure of the game counts them."""
    allowed = PROTOCOLS[session.variant.protocol].offences_allowed
    if offender is None or allowed is None:
        return session, ()
    session = replace(session, offences=(*session.offences, offender))
    number = session.offences.count(offender)
    return session, (message("offence", side=offender, number=number, allowed=allowed),)


def _is_one_lifted(session: Session) -> bool:
    """Say whether all that is irregular is one piece that is not on the board."""
    if session.incident is None:
        return False
    was, now = session.position, session.incident.seen
    none_came = not (now.white & ~was.white or now.black & ~was.black)
    return none_came and (was.occupied & ~now.occupied).bit_count() == 1


def _kind_of(verdict: Verdict) -> IncidentKind:
    # Pieces gone or come without a move of one piece: an accident, nobody is accused.
    if verdict.seen is None:
        return IncidentKind.POSITION_CHANGED
    if verdict.rule is Rule.WRONG_REMOVAL:
        return IncidentKind.WRONG_REMOVAL
    if verdict.rule in (Rule.NOT_CROWNED, Rule.WRONGLY_CROWNED):
        return IncidentKind.NOT_CROWNED
    return IncidentKind.ILLEGAL_MOVE


def _signs(restore: tuple[Restore, ...]) -> tuple[tuple[int, str, str], ...]:
    return tuple(
        (int(r.square), r.seen.value if r.seen else ".", r.wanted.value if r.wanted else ".")
        for r in restore
    )


def _cannot_read(session: Session, seen: Observation) -> tuple[Session, tuple[Event, ...]]:
    return _notice(session, IncidentKind.UNREADABLE, message("squares-unreadable"), seen)


def _resolve(
    session: Session, resolution: Resolution, seen: Timed
) -> tuple[Session, tuple[Event, ...]]:
    """End the open incident, if there is one."""
    if session.incident is None:
        return session, ()
    event = IncidentResolved(
        seen.frame,
        seen.at_s,
        number=session.incident.number,
        resolution=resolution,
        **_told(message(f"settled-{resolution.value}")),
    )
    return replace(session, incident=None), (event,)


# --- what the camera can see ---------------------------------------------------------------


def sight_message(sight: Sight) -> Message:
    """Say what the camera sees."""
    return message(f"sight-{sight.value}")


def _sight_step(session: Session, seen: Observation) -> tuple[Session, tuple[Event, ...]]:
    """Tell of changes of sight, and of a board that was found again elsewhere."""
    events: tuple[Event, ...] = ()
    if seen.realigned:
        session, events = _notice(
            session,
            IncidentKind.BOARD_MOVED,
            message("board-found-again"),
            seen,
        )
    if seen.sight is not session.sight:
        session = replace(session, sight=seen.sight, sight_since_s=seen.at_s)
        # Movement is everyday; what was told before it stands until the board comes to rest.
        if seen.sight not in (Sight.MOVING, session.sight_told):
            session = replace(session, sight_told=seen.sight)
            told = _told(sight_message(seen.sight))
            events = (*events, SightChanged(seen.frame, seen.at_s, seen.sight.value, **told))
        return session, events
    waited = seen.at_s - session.sight_since_s
    kind = {Sight.BLOCKED: IncidentKind.VIEW_BLOCKED, Sight.MOVED: IncidentKind.BOARD_MOVED}.get(
        seen.sight
    )
    params = session.params
    patience_s = params.moved_s if seen.sight is Sight.MOVED else params.blocked_s
    if kind is None or waited < patience_s:
        return session, events
    session, more = _notice(session, kind, sight_message(seen.sight), seen)
    return session, (*events, *more)


def _notice(
    session: Session, kind: IncidentKind, told: Message, seen: Observation
) -> tuple[Session, tuple[Event, ...]]:
    """Open an incident that accuses nobody and ends by itself once the board is read again.

    While one of its kind is open another would say nothing new.
    """
    if any(known is kind for _, known in session.notices):
        return session, ()
    number = session.incidents + 1
    opened = IncidentOpened(seen.frame, seen.at_s, number=number, kind=kind, **_told(told))
    notices = (*session.notices, (number, kind))
    return replace(session, incidents=number, notices=notices), (opened,)


def _notices_over(
    session: Session, meaning: Meaning, seen: Observation
) -> tuple[Session, tuple[Event, ...]]:
    if not session.notices or isinstance(meaning, Irregular | Unreadable):
        return session, ()
    events = tuple(
        IncidentResolved(
            seen.frame,
            seen.at_s,
            number=number,
            resolution=Resolution.CORRECTED,
            **_told(message("settled-readable")),
        )
        for number, _ in session.notices
    )
    return replace(session, notices=()), events


# --- what people say -----------------------------------------------------------------------


def refused(key: str, **names: str) -> ActionRefused:
    """Return the refusal of an action for the reason that a key of our words names."""
    told = message(key, **names)
    return ActionRefused(say(told), told)


def act(session: Session, action: Action, now: Timed) -> tuple[Session, tuple[Event, ...]]:
    """Take into account what a player or the referee says.

    Raises:
        ActionRefused: it means nothing as the game stands, or the game's procedure forbids it.
    """
    if action is Action.NEW_GAME:
        return _abandon(session, now)
    if session.is_closed:
        raise refused("refused-over")
    match action:
        case Action.LET_STAND:
            return _let_stand_as_asked(session, now)
        case Action.CLAIM_DRAW:
            how = claimed(session.variant, session.positions)
            if how is None:
                raise refused("refused-claim")
            told = message("claimed", side=session.position.turn)
            return _closed(*_end(session, how, now, told))
        case Action.AGREE_DRAW:
            return _closed(*_end(session, agreed(), now))
        case Action.WHITE_RESIGNS:
            return _closed(*_end(session, resigned(Side.WHITE), now))
        case Action.BLACK_RESIGNS:
            return _closed(*_end(session, resigned(Side.BLACK), now))


def _abandon(session: Session, now: Timed) -> tuple[Session, tuple[Event, ...]]:
    """Leave a game as it stands, since another is begun."""
    events: tuple[Event, ...] = ()
    if not session.is_ended:
        events = (GameEnded(now.frame, now.at_s, "*", **_told(message("new-game-asked"))),)
    return _closed(replace(session, is_ended=True), events)


def _closed(session: Session, events: tuple[Event, ...]) -> tuple[Session, tuple[Event, ...]]:
    return replace(session, is_closed=True), events


def _let_stand_as_asked(session: Session, now: Timed) -> tuple[Session, tuple[Event, ...]]:
    """The opponent chooses that an illegal move stands; play goes on from what lies there."""
    incident = session.incident
    if incident is None or incident.latest.seen is None:
        raise refused("refused-nothing-to-stand")
    if not _opponent_decides(session):
        raise refused("refused-always-taken-back", variant=session.variant.name)
    verdict = incident.latest
    return _let_stand(session, verdict, verdict.after, 1.0, now)
