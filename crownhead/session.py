"""A game as it is observed: the pure step from one observation to the events it causes.

The session knows the record (the plies that stand), what lies on the board (the same, unless
something irregular does), and the explanation that it is about to believe. An observation either
bears out an explanation or does not; one that has been borne out for long enough becomes events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
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
    PositionSet,
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
from crownhead.rules.position import Position, Side, Square
from crownhead.rules.procedure import judge_procedure
from crownhead.rules.referee import HalfDone, Stage, in_progress, judge_board
from crownhead.rules.titles import outcome_message
from crownhead.rules.variant import PROTOCOLS, Naming, OnIllegal, Variant
from crownhead.rules.verdict import Restore, Rule, Verdict
from crownhead.vision.hypothesis import (
    ExplainParams,
    alike_explanations,
    best_explanation,
    sure_reading,
    without_colours,
)
from crownhead.vision.observation import (
    BLACK,
    DOUBTFUL,
    WHITE,
    Codes,
    Evidence,
    Observation,
    Sight,
)
from crownhead.vision.opening import codes_of, kings_of
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
        to_lift_s: one that is made but for the pieces to be lifted; players take their time.
        partly_s: one of which some pieces are lifted and others not, with no hand in sight.
        beside_s: so much more if something hides part of the border.
        changed_s: a change that no move of one piece describes.
        unreadable_s: a still view that nothing explains.
        blocked_s: a covered board is told after so long.
        moved_s: a board that is not where it was is told after so long.
        views: and in at least so many readings.
        undecided_s: two or more moves that explain the board equally well.
        onward_s: a move from a position that no legal move leads to.
        silent_s: if nothing has explained the board for so long, that is told.
        most_lines: so many lines of play at most are kept while the board does not tell.
        longest_line: plies in such a line.
        undo_plies: how many plies back a take-back is looked for.
        explain: how sure an explanation must be.
    """

    legal_s: float = 0.08
    back_s: float = 0.5
    pair_s: float = 0.4
    illegal_s: float = 0.5
    half_done_s: float = 2.1
    to_lift_s: float = 4.0
    partly_s: float = 1.2
    beside_s: float = 1.5
    changed_s: float = 2.0
    unreadable_s: float = 4.0
    blocked_s: float = 5.0
    moved_s: float = 0.5
    views: int = 2
    undecided_s: float = 0.6
    onward_s: float = 0.4
    silent_s: float = 8.0
    most_lines: int = 6
    longest_line: int = 4
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
    ``onward`` is the position that lay there, and the move that somebody has made from it since,
    if it would be legal there. ``held`` is the same of an illegal move whose very piece was moved
    once more: to put it right, or to play on. What follows tells. ``is_suspect``: since it began
    something was read that no hand is likely to have done. ``boards`` are those that have lain
    there since, White's men and Black's.
    """

    number: int
    kind: IncidentKind
    verdict: Verdict
    latest: Verdict
    seen: Position
    opened: IncidentOpened
    onward: tuple[Position, Move] | None = None
    held: tuple[Verdict, Position, Move] | None = None
    is_suspect: bool = False
    boards: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class Played:
    """Legal plies from the position of the record; if several, their order is inferred.

    ``late``: so many of the first were seen before, and not told from others until now.
    """

    moves: tuple[Move, ...]
    late: int = 0


@dataclass(frozen=True, slots=True)
class Undecided:
    """Several lines of legal plies explain the board equally well."""

    lines: tuple[tuple[Move, ...], ...]


@dataclass(frozen=True, slots=True)
class Onward:
    """A move that would be legal from a board that no legal move leads to."""

    before: Position
    move: Move


@dataclass(frozen=True, slots=True)
class WentOn:
    """And a legal reply: both sides take that board for the position of their game."""

    before: Position
    move: Move
    reply: Move


@dataclass(frozen=True, slots=True)
class PlayedOn:
    """A legal move from the irregular board: nobody minded, and the game goes on.

    ``stood`` is the verdict on what was let stand, ``after`` the position that it left. ``reply``
    is there if only it tells that the move before was played on, or if both were made unseen.
    """

    stood: Verdict
    after: Position
    move: Move
    reply: Move | None = None
    inferred: bool = False


@dataclass(frozen=True, slots=True)
class Reread:
    """What was taken for two quick plies was an illegal move, since the other side goes on.

    ``stood`` is the verdict on that move, ``after`` the position that it left, ``move`` the answer.
    With no plies to take back the illegal move was seen on its way, but not for long enough.
    """

    plies: int
    stood: Verdict
    after: Position
    move: Move


@dataclass(frozen=True, slots=True)
class Held:
    """The piece that lies wrong was moved again, by what would be a legal move from there."""

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


Meaning = (
    Played
    | PlayedOn
    | Reread
    | Held
    | Undecided
    | Onward
    | WentOn
    | Back
    | Unchanged
    | Restored
    | Irregular
    | Unreadable
)


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
        lines: of legal plies from the position of the record, one of which was played.
        anchor: the position that play went on from though no legal move leads to it, and after
            how many plies.
        doubt_since_s: since when the board is read, but not explained.
        clear_s: when it was last read at all.
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
    lines: tuple[tuple[Move, ...], ...] = ()
    anchor: tuple[int, Position] | None = None
    doubt_since_s: float | None = None
    clear_s: float | None = None
    params: SessionParams = field(default_factory=SessionParams)

    @property
    def position(self) -> Position:
        """The position of the record."""
        return self.positions[-1]

    @property
    def positions(self) -> tuple[Position, ...]:
        """Every position of the record since the pieces were last set up, that one first."""
        begin = self.anchor[1] if self.anchor else self.start
        return (begin, *(ply.after for ply in self.recent))

    @property
    def recent(self) -> tuple[Ply, ...]:
        """The plies since the pieces were last set up."""
        return self.plies[self.anchor[0] :] if self.anchor else self.plies

    @property
    def on_board(self) -> Position:
        """What lies on the board as far as we know."""
        return self.incident.seen if self.incident else self.position


def believed_codes(session: Session) -> Codes:
    """Return what lies on the board, int8, shape (squares,)."""
    return codes_of(session.on_board, session.variant.squares)


def believed_kings(session: Session) -> Codes:
    """Return whose kings lie where, int8, shape (squares,), 0 elsewhere."""
    return kings_of(session.on_board, session.variant.squares)


def step(session: Session, seen: Observation) -> tuple[Session, tuple[Event, ...]]:
    """Take one observation into account; the same observations give the same events."""
    session, events = _sight_step(session, seen)
    if seen.sight is not Sight.CLEAR or session.is_closed:
        return replace(session, candidate=None), events
    if seen.evidence is None:
        return session, events
    meaning, confidence = _meaning_of(session, seen.evidence)
    candidate = _kept(session.candidate, meaning, confidence, seen.at_s)
    session = replace(session, candidate=candidate, clear_s=seen.at_s)
    is_doubt = isinstance(meaning, Irregular | Unreadable | Undecided)
    if is_doubt and session.doubt_since_s is None:
        session = replace(session, doubt_since_s=seen.at_s)
    session = _seen_on_the_way(session, candidate)
    session, more = _silence_broken(session, candidate, seen)
    events = (*events, *more)
    if candidate.views < session.params.views and not isinstance(meaning, Unchanged):
        return session, events
    if seen.at_s - candidate.since_s < _patience(session, meaning, seen) - 1e-6:
        return session, events
    session, more = _believe(session, candidate, seen)
    return session, (*events, *more)


def _silence_broken(
    session: Session, candidate: Candidate, seen: Observation
) -> tuple[Session, tuple[Event, ...]]:
    """Say that the board cannot be made out if it was not for long, whatever moves above it.

    Each time that somebody moves all explanations begin anew; a game that goes on over a board
    which nothing explains must not be lost without a word.
    """
    is_doubt = isinstance(candidate.meaning, Unreadable | Undecided)
    if not is_doubt or session.is_ended or session.incident is not None:
        return session, ()
    if not _is_long_in_doubt(session, seen) or candidate.views < session.params.views:
        return session, ()
    return _cannot_read(session, seen)


def _is_long_in_doubt(session: Session, seen: Observation) -> bool:
    since_s = session.doubt_since_s
    return since_s is not None and seen.at_s - since_s >= session.params.silent_s


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
    simple = _simple_hypotheses(session)
    # Where a king may just have come, its looks say nothing of whose it is.
    bared = without_colours(evidence, _new_kings(session, simple), params)
    kinds = (lambda _: simple, _rarer_hypotheses, _lines_hypotheses, _onward_hypotheses)
    for hypotheses in kinds:
        listed = [(m, codes_of(p, squares)) for m, p in hypotheses(session)]
        found = best_explanation(bared, listed, params)
        if found is None or _is_ambiguous(found.key, listed):
            continue
        codes = next(c for m, c in listed if m == found.key)
        if isinstance(found.key, Played) and len(found.key.moves) > 1:
            irregular = Irregular(codes.tobytes())
            if _answered(session, _placement(session, irregular)) is not None:
                # One illegal reply to an illegal move is likelier than both mended unseen.
                return irregular, found.confidence
        return found.key, found.confidence
    if session.incident is None:
        for hypotheses in kinds[:3]:
            undecided = _undecided(session, bared, hypotheses(session))
            if undecided is not None:
                return undecided, 0.5
    believed = believed_codes(session)
    reading = sure_reading(_with_kings_gone(session, evidence), believed, params)
    if reading is None:
        return Unreadable(), 0.0
    if np.array_equal(reading, believed):
        # Poor light leaves more than one explanation, but no sign of any change.
        return Unchanged(), 0.0
    irregular = Irregular(reading.tobytes())
    exchange = _exchange(session, _placement(session, irregular))
    if exchange:
        return Played(exchange), READ_AS_IT_IS
    return _likelier(session, evidence, reading) or irregular, READ_AS_IT_IS


READ_AS_IT_IS = 0.9
"""The confidence of what is taken from the squares alone."""


def _likelier(session: Session, evidence: Evidence, reading: Codes) -> Meaning | None:
    """Find the move that a board which no move describes shows but for squares in doubt.

    That glare hides what lies on a square is likelier than that the board was changed as no
    hand changes it. None if the board is explained as it was read, or if nothing is likelier.
    """
    variant, position = session.variant, session.position
    second = evidence.runner_up
    order = np.argsort(-second)[:MOST_DOUBTFUL]
    doubtful = [int(n) for n in order if second[n] > -DOUBTFUL]
    if not doubtful:
        return None
    placed = _placement(session, Irregular(reading.tobytes()))
    if in_progress(variant, position, placed) is not None or _judged(session, placed).seen:
        return None
    next_best = np.argsort(-evidence.log_likelihood, axis=1)[:, 1]
    simple: dict[bytes, Meaning] = {}
    for meaning, after in _simple_hypotheses(session):
        simple.setdefault(codes_of(after, variant.squares).tobytes(), meaning)
    readings = []
    for count in range(1, len(doubtful) + 1):
        for squares in combinations(doubtful, count):
            other = reading.copy()
            for n in squares:
                other[n] = next_best[n]
            readings.append((-float(second[list(squares)].sum()), other.tobytes()))
    believed = believed_codes(session)
    for _, contents in sorted(readings):
        if contents in simple:
            return simple[contents]
        changed = np.frombuffer(contents, np.int8) != reading
        # Nobody is accused by what was not seen: only changes may be taken otherwise for that.
        is_seen = bool((reading[changed] != believed[changed]).all())
        if session.incident is None and is_seen and _is_single_move(session, contents):
            return Irregular(contents)
    return None


MOST_DOUBTFUL = 3
"""A view in which more squares are in doubt than this is not guessed at."""


def _is_single_move(session: Session, contents: bytes) -> bool:
    """Say whether one piece's moving, legally or not, leads to a board."""
    placed = _placement(session, Irregular(contents))
    sides = (session.position, replace(session.position, turn=session.position.turn.other))
    if not any(_may_be_a_move_apart(before, placed) for before in sides):
        return False
    return _judged(session, placed).seen is not None


def _exchange(session: Session, placed: Position) -> tuple[Move, ...]:
    """Find the three plies that alone lead to a board: a quick exchange looks irregular.

    Empty if there are none or several, and where a lasting irregularity rules them out.
    """
    variant, position, incident = session.variant, session.position, session.incident
    if incident is not None and not _is_beyond_a_move(incident):
        return ()
    if placed.white == position.white or placed.black == position.black:
        # A king that went and came back would explain any move out of turn.
        return ()
    if in_progress(variant, position, placed) is not None:
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
    is_pair = isinstance(meaning, Played) and len(meaning.moves) == 2
    if not is_pair and not (isinstance(meaning, PlayedOn) and meaning.inferred):
        return False
    codes = next(c for m, c in listed if m == meaning)
    return sum(np.array_equal(c, codes) for _, c in listed) > 1


def _with_kings_gone(session: Session, evidence: Evidence) -> Evidence:
    """Take what looks like nothing learned for the king of its side that has left its square."""
    codes, kings = evidence.codes, believed_kings(session)
    strange = evidence.strange.copy()
    for code in (WHITE, BLACK):
        gone = int(((kings == code) & (codes != code)).sum())
        come = np.flatnonzero(strange & (codes == code) & (believed_codes(session) != code))
        if 0 < len(come) <= gone:
            strange[come] = False
    return replace(evidence, strange=strange)


def _new_kings(session: Session, hypotheses: list[tuple[Meaning, Position]]) -> frozenset[int]:
    """Return the squares on which a legal move from here would put a king."""
    old = session.position.kings
    found = 0
    for _, position in hypotheses:
        found |= position.kings & ~old
    return frozenset(n + 1 for n in range(session.variant.squares) if found >> n & 1)


def _undecided(
    session: Session, evidence: Evidence, hypotheses: list[tuple[Meaning, Position]]
) -> Undecided | None:
    """Return the lines of play between which a view does not tell, None if it is not that."""
    listed = [(m, codes_of(p, session.variant.squares)) for m, p in hypotheses]
    alike = alike_explanations(evidence, listed, session.params.explain)
    lines = [m.moves for m in alike if isinstance(m, Played)]
    if len(lines) < len(alike) or not 2 <= len(lines) <= session.params.most_lines:
        return None
    return Undecided(tuple(lines))


def _lines_hypotheses(session: Session) -> list[tuple[Meaning, Position]]:
    """Lines of play that could not be told apart before, and what may have followed each."""
    variant = session.variant
    listed: list[tuple[Meaning, Position]] = [(Unchanged(), session.on_board)]
    for line in session.lines:
        position = session.position
        for move in line:
            position = play(variant, position, move)
        listed.append((Played(line, late=len(line)), position))
        if len(line) >= session.params.longest_line:
            continue
        for move in distinct_moves(variant, position):
            after = play(variant, position, move)
            listed.append((Played((*line, move), late=len(line)), after))
    return listed if session.lines else []


def _is_odd(session: Session, placement: Position) -> bool:
    """Say whether a board is rather misread than played on from.

    It has pieces out of nowhere or of another colour than stood there, or it is what a legal
    move leads to but for a single square.
    """
    was, last = session.position, session.on_board
    is_more = any(
        now.bit_count() > before.bit_count()
        for now, before in ((placement.white, last.white), (placement.black, last.black))
    )
    if is_more or placement.white & was.black or placement.black & was.white:
        return True
    after = (play(session.variant, was, move) for move in _next_moves(session))
    return any(
        ((p.white ^ placement.white) | (p.black ^ placement.black)).bit_count() == 1 for p in after
    )


def _is_doubtful(session: Session, seen: Observation) -> bool:
    """Say whether what changed since the record, or what lies hidden, was read with doubt."""
    evidence = seen.evidence
    assert evidence is not None  # nothing is judged without
    is_new = evidence.codes != codes_of(session.position, session.variant.squares)
    return bool((is_new & (evidence.runner_up > -DOUBTFUL) | evidence.unknown).any())


def _is_beyond_a_move(incident: OpenIncident) -> bool:
    """Say whether no single move, legal or not, describes what lies on the board."""
    return incident.kind is IncidentKind.POSITION_CHANGED or incident.latest.seen is None


def _onward_hypotheses(session: Session) -> list[tuple[Meaning, Position]]:
    """Moves that the players make from a board that no legal move leads to."""
    variant, incident = session.variant, session.incident
    if incident is None or not _is_beyond_a_move(incident):
        return []
    if any(told.key == "set-up-anew" for told in incident.opened.messages):
        # That is another game, and the players say when it begins.
        return []
    if incident.is_suspect or session.anchor is not None:
        # Rather a misreading than a position to play on from; a second one in a game surely is.
        return []
    listed: list[tuple[Meaning, Position]] = [(Unchanged(), session.on_board)]
    if incident.onward is not None:
        before, move = incident.onward
        between = play(variant, before, move)
        listed += [
            (WentOn(before, move, reply), play(variant, between, reply))
            for reply in distinct_moves(variant, between)
        ]
        listed.append((Onward(before, move), between))
    for side in Side:
        lies = replace(incident.seen, turn=side)
        listed += [
            (Onward(lies, move), play(variant, lies, move))
            for move in distinct_moves(variant, lies)
        ]
    return listed


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
        listed += _played_on(session, incident)
    plies = session.recent[-session.params.undo_plies :]
    # Where one side's moves undo each other, one man put back is a move backward, no take-back.
    listed += [
        (Back(n), ply.before)
        for n, ply in enumerate(reversed(plies), 1)
        if n == 1 or (ply.before.white != position.white and ply.before.black != position.black)
    ]
    return listed


def _played_on(session: Session, incident: OpenIncident) -> list[tuple[Meaning, Position]]:
    """Moves that let an illegal one stand."""
    variant = session.variant
    listed: list[tuple[Meaning, Position]] = []
    if incident.held is not None:
        stood, after, again = incident.held
        between = play(variant, after, again)
        listed += [
            (PlayedOn(stood, after, again, reply), play(variant, between, reply))
            for reply in legal_moves(variant, between)
        ]
    for stood, after in _left_standing(incident):
        for move in legal_moves(variant, after):
            kind = Held if _is_moved_again(session, incident, move) else PlayedOn
            listed.append((kind(stood, after, move), play(variant, after, move)))
    return listed


def _is_moved_again(session: Session, incident: OpenIncident, move: Move) -> bool:
    """Say whether a move is one of the very piece that lies wrong.

    That may be somebody putting it right, badly, and not the game going on.
    """
    was, now = session.position, incident.seen
    come = (now.white & ~was.white) | (now.black & ~was.black)
    return bool(come >> (move.origin - 1) & 1)


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
    if session.recent and session.incident is None:
        before = session.recent[-1].before
        listed += [
            (Back(1, move), play(variant, before, move)) for move in legal_moves(variant, before)
        ]
    if session.incident is not None and not _is_beyond_a_move(session.incident):
        stood = session.incident.latest
        if not _is_out_of_turn(stood):
            for first in distinct_moves(variant, stood.after):
                between = play(variant, stood.after, first)
                listed += [
                    (
                        PlayedOn(stood, stood.after, first, second, inferred=True),
                        play(variant, between, second),
                    )
                    for second in distinct_moves(variant, between)
                ]
    listed += _reread(session)
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


def _reread(session: Session) -> list[tuple[Meaning, Position]]:
    """Answers to an illegal move that was taken for two quick plies, or was seen only shortly.

    A piece removed wrongly can leave the board that a capture and a reply leave.
    """
    if session.incident is not None:
        return []
    stands: list[tuple[int, Verdict]] = [
        (0, _judged(session, placed)) for placed in session.on_the_way
    ]
    last = session.recent[-2:]
    if len(last) == 2 and last[0].event.inferred and last[0].event.frame == last[1].event.frame:
        before = session.positions[-3]
        board = replace(session.position, turn=before.turn)
        stands.append((2, judge_board(session.variant, before, board)))
    listed: list[tuple[Meaning, Position]] = []
    for plies, stood in stands:
        if stood.seen is None or not stood.restore or _is_out_of_turn(stood):
            continue
        after = stood.after
        listed += [
            (Reread(plies, stood, after, move), play(session.variant, after, move))
            for move in distinct_moves(session.variant, after)
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
        case PlayedOn(inferred=True) | Reread():
            return params.pair_s
        case PlayedOn() | Restored():
            return params.legal_s
        case Back():
            return params.back_s
        case Undecided():
            return params.undecided_s
        case Onward() | WentOn():
            return params.onward_s
        case Held():
            return params.illegal_s
        case Unreadable():
            return params.unreadable_s
        case Irregular():
            placed = _placement(session, meaning)
            more_s = params.beside_s if seen.beside else 0.0
            if session.incident and (placed.white, placed.black) in session.incident.boards:
                # Pieces that were knocked off an irregular board were put back on it.
                return params.back_s + more_s
            half_done = _half_done(session, placed)
            if half_done is not None:
                waits_s = {
                    Stage.TO_REMOVE: params.to_lift_s,
                    Stage.PARTLY_REMOVED: params.partly_s,
                }.get(half_done.stage, params.half_done_s)
                is_next = in_progress(session.variant, session.position, placed) is None
                if is_next and session.incident is None:
                    # A capture after a ply that was not seen is not as likely as one alone.
                    waits_s = min(waits_s, params.half_done_s)
                return waits_s + more_s
            is_soon = (
                _answered(session, placed) is not None
                or _is_long_in_doubt(session, seen)
                or _judged(session, placed).seen is not None
            )
            return (params.illegal_s if is_soon else params.changed_s) + more_s


def _half_done(session: Session, placed: Position) -> HalfDone | None:
    """Find the capture that a board shows under way, perhaps after a ply that was not seen."""
    variant, position = session.variant, session.position
    half_done = in_progress(variant, position, placed)
    incident = session.incident
    if half_done is None and incident is not None and not _is_beyond_a_move(incident):
        half_done = in_progress(variant, incident.latest.after, placed)
    if half_done is not None or incident is not None:
        return half_done
    for move in _next_moves(session):
        half_done = in_progress(variant, play(variant, position, move), placed)
        if half_done is not None:
            return half_done
    return None


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
    lines = session.lines
    if not isinstance(meaning, Unreadable | Undecided):
        # A board that is explained by itself needs no lines of play any more.
        session = replace(session, lines=(), doubt_since_s=None)
    events: tuple[Event, ...] = ()
    match meaning:
        case Unchanged():
            return session, notices
        case Undecided():
            return replace(session, lines=meaning.lines), notices
        case Onward(before, move):
            session = _onward(session, before, move)
        case WentOn():
            session, events = _go_on(session, meaning, candidate.confidence, seen)
        case Restored():
            session, events = _resolve(session, Resolution.TAKEN_BACK, seen)
        case Played(moves, late):
            session, events = _resolve(session, Resolution.CORRECTED, seen)
            # What was one of several explanations before is told late, however it was told.
            late = max(late, *(len(line) for line in lines if line == moves[: len(line)]), 0)
            is_inferred = len(moves) - late > 1
            for index, move in enumerate(moves):
                session, more = _record(
                    session,
                    move,
                    candidate.confidence,
                    seen,
                    inferred=is_inferred,
                    late=index < late,
                )
                events = (*events, *more)
        case PlayedOn(stood, after, move, reply, inferred):
            session, events = _let_stand(session, stood, after, candidate.confidence, seen)
            for one in (move, reply):
                if one is not None:
                    is_late = one is move and reply is not None and not inferred
                    session, more = _record(
                        session,
                        one,
                        candidate.confidence,
                        seen,
                        inferred=inferred,
                        late=is_late,
                    )
                    events = (*events, *more)
        case Reread(plies, stood, after, move):
            if plies:
                session, events = _take_back(session, plies, seen)
            session, told = _judge(session, replace(after, turn=session.position.turn), seen)
            session, more = _let_stand(session, stood, after, candidate.confidence, seen)
            session, last = _record(session, move, candidate.confidence, seen)
            events = (*events, *told, *more, *last)
        case Held(stood, after, move):
            lies = play(session.variant, after, move)
            session, events = _judge(session, replace(lies, turn=session.position.turn), seen)
            if session.incident is not None:
                held = replace(session.incident, held=(stood, after, move))
                session = replace(session, incident=held)
        case Back(plies, instead):
            session, events = _resolve(session, Resolution.CORRECTED, seen)
            session, more = _take_back(session, plies, seen)
            events = (*events, *more)
            if instead is not None:
                session, more = _record(session, instead, candidate.confidence, seen)
                events = (*events, *more)
        case Irregular() | Unreadable() if session.is_ended:
            # After the last move people clear the board.
            pass
        case Irregular():
            session, events = _judge(session, _placement(session, meaning), seen)
        case Unreadable():
            session, events = _cannot_read(session, seen)
    return replace(session, candidate=None), (*notices, *events)


AFTER_A_SET_UP = 0.9
"""No move is surer than the position that it was made from; this one was read, not played."""


def _onward(session: Session, before: Position, move: Move) -> Session:
    """Note a move from a board that no legal move leads to; the reply proves it to be one."""
    assert session.incident is not None
    lies = replace(play(session.variant, before, move), turn=session.position.turn)
    incident = replace(session.incident, seen=lies, onward=(before, move))
    return replace(session, incident=incident)


def _go_on(
    session: Session, went_on: WentOn, confidence: float, seen: Observation
) -> tuple[Session, tuple[Event, ...]]:
    """Take a board that no legal move leads to into the record, and the plies made from it."""
    session, events = _resolve(session, Resolution.ACCEPTED, seen)
    before, plies = went_on.before, len(session.plies)
    set_up = PositionSet(
        seen.frame,
        seen.at_s,
        ply=plies,
        fen=format_fen(before, session.variant),
        **_told(message("played-on")),
    )
    session = replace(session, anchor=(plies, before), is_ended=False)
    session, first = _record(session, went_on.move, confidence, seen, late=True)
    session, second = _record(session, went_on.reply, confidence, seen)
    return session, (*events, set_up, *first, *second)


def _record(
    session: Session,
    move: Move,
    confidence: float,
    seen: Observation,
    *,
    inferred: bool = False,
    late: bool = False,
) -> tuple[Session, tuple[Event, ...]]:
    variant, before = session.variant, session.position
    move, is_route_open = _route(session, move)
    if session.anchor is not None:
        confidence = min(confidence, AFTER_A_SET_UP)
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
        late=late,
    )
    remarks = _remarks(session, event, seen)
    if is_route_open:
        told = _told(message("route-not-seen"))
        remarks = (*remarks, Remarked(seen.frame, seen.at_s, ply=event.ply, **told))
    plies = (*session.plies, Ply(before, after, event))
    session = replace(session, plies=plies, is_ended=False, on_the_way=())
    session, ends = _end_by_rule(session, seen)
    return session, (event, *remarks, *ends)


def _route(session: Session, move: Move) -> tuple[Move, bool]:
    """Choose among the routes that end alike the one that was seen on its way.

    Returns:
        The move, and whether it might as well have been another route.
    """
    routes = [
        other
        for other in legal_moves(session.variant, session.position)
        if (other.origin, other.destination) == (move.origin, move.destination)
        and frozenset(other.captured) == frozenset(move.captured)
    ]
    seen = [in_progress(session.variant, session.position, p) for p in session.on_the_way]
    stops = [half_done.mover for half_done in seen if half_done and half_done.mover]
    routes = [other for other in routes if _is_on_route(other, stops)] or routes
    return (move if move in routes else routes[0]), len(routes) > 1


def _is_on_route(move: Move, stops: Sequence[Square]) -> bool:
    """Say whether a capture passes these squares in this order."""
    at = 0
    for stop in stops:
        after = [n for n in range(at, len(move.path)) if move.path[n] == stop]
        if not after:
            return False
        at = after[0]
    return True


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
    is_suspect = _is_odd(session, placement) or _is_doubtful(session, seen)
    settled: tuple[Event, ...] = ()
    if verdict.seen is not None and _is_one_lifted(session):
        # Somebody held a piece in the hand for long, and has now put it down.
        session, settled = _resolve(session, Resolution.CORRECTED, seen)
    answered = _answered(session, placement)
    if answered is not None:
        # The other side has moved on from an illegal move, and illegally as well.
        stood, after = answered
        session, settled = _let_stand(session, stood, after, 0.9, seen)
        verdict = _judged(session, placement)
        restore = _signs(verdict.restore)
    elif verdict.seen is not None and _was_small_change(session):
        session, settled = _resolve(session, Resolution.CORRECTED, seen)
    if session.incident is not None:
        incident = replace(
            session.incident,
            latest=verdict,
            seen=placement,
            onward=None,
            held=None,
            is_suspect=session.incident.is_suspect or is_suspect,
            boards=session.incident.boards | {(placement.white, placement.black)},
        )
        event = IncidentUpdated(
            seen.frame,
            seen.at_s,
            number=incident.number,
            restore=restore,
            **_told(*verdict.messages),
        )
        return replace(session, incident=incident), (event,)
    number = session.incidents + 1
    kind = _kind_of(session, placement, verdict)
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
    incident = OpenIncident(
        number,
        opened.kind,
        verdict,
        verdict,
        placement,
        opened,
        is_suspect=is_suspect,
        boards=frozenset({(placement.white, placement.black)}),
    )
    return replace(session, incident=incident, incidents=number), (*settled, opened)


def _answered(session: Session, placement: Position) -> tuple[Verdict, Position] | None:
    """Find an illegal move that was let stand, since the other side has moved a piece of its own.

    That move is illegal too, or it would be known by itself.
    """
    incident = session.incident
    if incident is None or incident.kind is IncidentKind.POSITION_CHANGED:
        return None
    stood = incident.latest
    if stood.seen is None or _is_out_of_turn(stood):
        return None
    after = stood.after
    reply = judge_board(session.variant, after, placement)
    if reply.seen is None or _is_out_of_turn(reply) or not reply.restore:
        return None
    own_then, own_now = (
        p.white if after.turn is Side.WHITE else p.black for p in (after, placement)
    )
    moved = own_then & ~own_now, own_now & ~own_then
    is_one = moved[0].bit_count() == 1 and moved[1].bit_count() == 1
    if in_progress(session.variant, after, placement) is not None:
        return None
    theirs_come = placement.occupied & ~after.occupied & ~moved[1]
    return (stood, after) if is_one and not theirs_come else None


def _was_small_change(session: Session) -> bool:
    """Say whether a change that no move describes was of so few pieces that one may explain it."""
    incident = session.incident
    if incident is None or incident.kind is not IncidentKind.POSITION_CHANGED:
        return False
    was, then = session.position, incident.seen
    changed = (was.white ^ then.white).bit_count() + (was.black ^ then.black).bit_count()
    return 1 < changed <= SMALL_CHANGE and bool(then.occupied & ~was.occupied)


SMALL_CHANGE = 6
"""So many squares differ at most where an illegal move and a reply were made."""


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


def _kind_of(session: Session, placement: Position, verdict: Verdict) -> IncidentKind:
    # Pieces gone or come without a move of one piece: an accident, nobody is accused.
    if verdict.seen is None or _is_more_than_a_move(session, placement):
        return IncidentKind.POSITION_CHANGED
    if verdict.rule is Rule.WRONG_REMOVAL:
        return IncidentKind.WRONG_REMOVAL
    if verdict.rule in (Rule.NOT_CROWNED, Rule.WRONGLY_CROWNED):
        return IncidentKind.NOT_CROWNED
    return IncidentKind.ILLEGAL_MOVE


def _is_more_than_a_move(session: Session, placement: Position) -> bool:
    """Say whether a legal move and pieces gone beside it make an accident rather than a capture.

    Nobody who captures takes men of his own as well, or two of the other side that he did not jump.
    """
    was = session.position
    is_white = was.turn is Side.WHITE
    mine, theirs = (was.white, was.black) if is_white else (was.black, was.white)
    mine_now, theirs_now = (
        (placement.white, placement.black) if is_white else (placement.black, placement.white)
    )
    gone, come, lost = mine & ~mine_now, mine_now & ~mine, theirs & ~theirs_now
    if come.bit_count() != 1 or theirs_now & ~theirs:
        return False
    for move in legal_moves(session.variant, was):
        origin, destination = 1 << (move.origin - 1), 1 << (move.destination - 1)
        if not gone & origin or come != destination:
            continue
        captured = sum(1 << (square - 1) for square in frozenset(move.captured))
        if captured & ~lost == 0 and (gone != origin or (lost & ~captured).bit_count() >= ACCIDENT):
            return True
    return False


ACCIDENT = 2
"""So many of the other side's pieces gone beside a legal move are an accident."""


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
    # Hands that come and go over a covered board begin the wait anew; they must not hide it.
    is_unread = session.clear_s is not None and seen.at_s - session.clear_s >= params.silent_s
    if kind is None or (waited < patience_s and not is_unread):
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
    if not session.notices or isinstance(meaning, Irregular | Unreadable | Undecided | Held):
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
