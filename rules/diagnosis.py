"""Why an attempt of one piece is not legal.

Legality itself is never decided here: the legal moves come from the generator, and what is
diagnosed is known to be none of them. The question is only which rule names the fault best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from crownhead.rules.clauses import Mark
from crownhead.rules.generator import jump_chains
from crownhead.rules.geometry import place_of
from crownhead.rules.message import Name
from crownhead.rules.move import Move
from crownhead.rules.notation import MoveText, between, matches, name_of
from crownhead.rules.position import Position, Side, Square
from crownhead.rules.tables import bit_of
from crownhead.rules.variant import Crowning, Kings, Lines, Priority, Variant
from crownhead.rules.verdict import Rule


@dataclass(frozen=True, slots=True)
class Attempt:
    """One piece's way as it was made or written.

    ``path`` has the origin, the destination and what landing squares are known. ``removed``
    are the enemy pieces that left the board, None if that is not known.
    """

    path: tuple[Square, ...]
    removed: frozenset[Square] | None = None

    @property
    def origin(self) -> Square:
        """Where the piece stood."""
        return self.path[0]

    @property
    def destination(self) -> Square:
        """Where it stands now."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class Finding:
    """The rule that was broken, the key of its sentence, the names for it, its circumstances."""

    rule: Rule
    key: str
    names: Mapping[str, Name] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()


def diagnose(
    variant: Variant, position: Position, attempt: Attempt, legal: Sequence[Move]
) -> tuple[Finding, ...]:
    """Name what is wrong with an attempt that is no legal move, the chief fault first.

    Args:
        variant: the rules in force.
        position: before the attempt; the side to move owns the piece on the origin.
        attempt: what was done.
        legal: the legal moves of the position, none of which it is.
    """
    findings = _diagnose(variant, position, attempt, legal)
    if _is_man(position, attempt.origin):
        return findings
    return tuple(replace(found, marks=(*found.marks, Mark.BY_KING)) for found in findings)


def _diagnose(
    variant: Variant, position: Position, attempt: Attempt, legal: Sequence[Move]
) -> tuple[Finding, ...]:
    chains: tuple[Move, ...] = ()
    if attempt.removed:
        chains = _fitting(
            variant, position, attempt, jump_chains(variant, position, attempt.origin)
        )
        if any(frozenset(chain.captured) == attempt.removed for chain in chains):
            return _chain_faults(variant, attempt, chains, legal)
        results = {_ends(move) for move in legal}
        if not any(_explains_by_lifting(chain, attempt.removed, results) for chain in chains):
            relaxed = _relaxed_fault(variant, position, attempt, exact=True)
            if relaxed is not None:
                return (relaxed,)
    occupied = position.occupied & ~bit_of(attempt.origin)
    if occupied & bit_of(attempt.destination) and not chains:
        taken_over = attempt.removed is not None and attempt.destination in attempt.removed
        key = "occupied-taken" if taken_over else "occupied"
        return (Finding(Rule.OCCUPIED, key, _at(variant, attempt.destination)),)
    if is_quiet_shape(variant, position, attempt):
        return _quiet_fault(variant, attempt, legal)
    if _is_step_back(variant, position, attempt):
        back = Finding(Rule.WRONG_DIRECTION, "wrong-direction")
        if not attempt.removed:
            return (back,)
        # A long way round that leaves more unexplained than the step does was not meant.
        differences = [len(attempt.removed ^ frozenset(chain.captured)) for chain in chains]
        if min(differences, default=len(attempt.removed) + 1) > len(attempt.removed):
            return (back, _lifted(variant, attempt.removed))
    if not attempt.removed:
        chains = _fitting(
            variant, position, attempt, jump_chains(variant, position, attempt.origin)
        )
    if chains and _turned_about(variant, position, attempt, chains):
        return (Finding(Rule.TURNED_ABOUT, "turned-about"),)
    if chains:
        return _chain_faults(variant, attempt, chains, legal)
    fault = _impossible(variant, position, attempt)
    found = [fault]
    own = None if fault.rule is Rule.OWN_PIECE_JUMPED else _own_jumped(variant, position, attempt)
    if own is not None:
        found.append(Finding(Rule.OWN_PIECE_JUMPED, "own-piece-jumped", _at(variant, own)))
    if attempt.removed and fault.rule in _LIFTS_NOTHING and fault.key not in _CAPTURES:
        theirs = position.black if position.turn is Side.WHITE else position.white
        if lifted := frozenset(s for s in attempt.removed if theirs & bit_of(s)):
            found.append(_lifted(variant, lifted))
    return tuple(found)


_LIFTS_NOTHING = frozenset(
    {Rule.NOT_DIAGONAL, Rule.NOT_STRAIGHT, Rule.TOO_FAR, Rule.WRONG_DIRECTION}
)
"""Rules by which a way is no capture at all, so that whatever was lifted was lifted in vain."""

_CAPTURES = frozenset({"wrong-direction-capture"})
"""Keys of faults of those rules that are captures all the same."""


def is_quiet_shape(variant: Variant, position: Position, attempt: Attempt) -> bool:
    """Say whether the piece could go this way if no capture were compulsory."""
    if len(attempt.path) != 2 or attempt.origin == attempt.destination:
        return False
    down, right = _offset(variant, attempt.origin, attempt.destination)
    if not _follows_a_line(variant, down, right):
        return False
    is_step = max(abs(down), abs(right)) == 1
    if _is_man(position, attempt.origin):
        return is_step and down != -_ahead(position.turn)
    if variant.kings is Kings.SHORT:
        return is_step
    way = between(variant, attempt.origin, attempt.destination)
    return not any(position.occupied & bit_of(square) for square in way)


def _is_step_back(variant: Variant, position: Position, attempt: Attempt) -> bool:
    """Say whether a man went one square backward.

    A long way round may end on the same square; nobody means that who lifts nothing.
    """
    if len(attempt.path) != 2 or not _is_man(position, attempt.origin):
        return False
    down, right = _offset(variant, attempt.origin, attempt.destination)
    return down == -_ahead(position.turn) and _follows_a_line(variant, down, right)


def _quiet_fault(variant: Variant, attempt: Attempt, legal: Sequence[Move]) -> tuple[Finding, ...]:
    found = []
    if attempt.removed:
        found.append(_lifted(variant, attempt.removed))
    if any(move.is_capture for move in legal):
        found.append(Finding(Rule.MUST_CAPTURE, "must-capture"))
    if not found:
        found.append(Finding(Rule.NO_SUCH_PIECE, "nothing-to-capture"))
    return tuple(found)


def _chain_faults(
    variant: Variant, attempt: Attempt, chains: Sequence[Move], legal: Sequence[Move]
) -> tuple[Finding, ...]:
    """Name the fault of an attempt that jumps as a piece may jump."""
    removed = attempt.removed
    if removed is None:
        return (_incomplete(variant, chains, legal),)
    exact = [chain for chain in chains if frozenset(chain.captured) == removed]
    if exact:
        return (_incomplete(variant, exact, legal),)
    results = {_ends(move) for move in legal}
    nearest = min(
        chains,
        key=lambda chain: (
            not _explains_by_lifting(chain, removed, results),
            len(removed ^ frozenset(chain.captured)),
            _ends(chain) not in results,
        ),
    )
    unfinished = _incomplete(variant, [nearest], legal)
    is_stop = unfinished.rule is Rule.MUST_FINISH_CAPTURE
    if not removed and _ends(nearest) not in results and not is_stop:
        return (Finding(Rule.MUST_CAPTURE, "must-capture"),)
    found = []
    if left := frozenset(nearest.captured) - removed:
        found.append(Finding(Rule.WRONG_REMOVAL, "not-lifted", _squares(variant, left)))
    if too_many := removed - frozenset(nearest.captured):
        found.append(_lifted(variant, too_many))
    if _ends(nearest) not in results:
        found.append(unfinished)
    return tuple(found)


def _explains_by_lifting(
    chain: Move, removed: frozenset[Square], results: set[tuple[Square, Square, frozenset[Square]]]
) -> bool:
    """Say whether a legal capture was made and only too many or too few pieces were lifted."""
    captured = frozenset(chain.captured)
    return _ends(chain) in results and (removed <= captured or removed >= captured)


def _incomplete(variant: Variant, chains: Sequence[Move], legal: Sequence[Move]) -> Finding:
    """Name why chains of jumps are not enough."""
    for chain in chains:
        count = len(chain.captured)
        if any(
            move.origin == chain.origin
            and len(move.captured) > count
            and move.captured[:count] == chain.captured
            for move in legal
        ):
            return Finding(Rule.MUST_FINISH_CAPTURE, "must-finish-capture")
    if variant.priority is Priority.FREE:
        return Finding(Rule.MUST_FINISH_CAPTURE, "must-finish-capture")
    key = "must-capture-most"
    if variant.priority is Priority.KING_FIRST:
        key = "must-capture-other"
    return Finding(Rule.MUST_CAPTURE_MOST, key, {"priority": variant.priority})


def _impossible(variant: Variant, position: Position, attempt: Attempt) -> Finding:
    """Name why no piece of this kind can go this way at all."""
    if attempt.removed is None and attempt.path[0] == attempt.path[1]:
        return Finding(Rule.UNREADABLE, "same-square")
    if relaxed := _relaxed_fault(variant, position, attempt):
        return relaxed
    if twice := _jumped_twice(variant, position, attempt):
        return Finding(Rule.JUMPED_TWICE, "jumped-twice", _at(variant, twice))
    # A board on which nothing was lifted shows a piece set down too far, not a jump.
    meant_as_jump = attempt.removed is None or bool(attempt.removed)
    if meant_as_jump and (own := _own_jumped(variant, position, attempt)):
        return Finding(Rule.OWN_PIECE_JUMPED, "own-piece-jumped", _at(variant, own))
    is_man = _is_man(position, attempt.origin)
    for start, end in zip(attempt.path, attempt.path[1:], strict=False):
        down, right = _offset(variant, start, end)
        if not _follows_a_line(variant, down, right):
            if variant.lines is Lines.STRAIGHT:
                return Finding(Rule.NOT_STRAIGHT, "not-straight")
            return Finding(Rule.NOT_DIAGONAL, "not-diagonal")
        if is_man and down * _ahead(position.turn) < 0 and len(attempt.path) == 2:
            return Finding(Rule.WRONG_DIRECTION, "wrong-direction")
    theirs = position.black if position.turn is Side.WHITE else position.white
    in_the_way = position.occupied if meant_as_jump else theirs
    jumps = len(attempt.path) > 2 or any(
        in_the_way & bit_of(square)
        for square in between(variant, attempt.origin, attempt.destination)
    )
    if jumps or (not is_man and variant.kings is not Kings.SHORT):
        return Finding(Rule.TOO_FAR, "too-far-jump")
    return Finding(Rule.TOO_FAR, "too-far-man" if is_man else "too-far-king")


def _relaxed_fault(
    variant: Variant, position: Position, attempt: Attempt, *, exact: bool = False
) -> Finding | None:
    """Find the one rule without which the piece could jump this way.

    ``exact`` asks that just what was lifted was jumped; else some of it may still stand.
    """
    free = replace(variant, priority=Priority.FREE)
    relaxed: list[tuple[Variant, Rule, str]] = []
    if not variant.men_capture_back:
        looser = replace(free, men_capture_back=True)
        relaxed.append((looser, Rule.WRONG_DIRECTION, "wrong-direction-capture"))
    if not variant.man_takes_king:
        looser = replace(free, man_takes_king=True)
        relaxed.append((looser, Rule.MAN_TAKES_KING, "man-takes-king"))
    if variant.crowning is Crowning.ENDS_THE_TURN:
        looser = replace(free, crowning=Crowning.GOES_ON_AS_KING)
        relaxed.append((looser, Rule.CROWNING_ENDS_TURN, "crowning-ends-turn"))
    if not variant.about_turns:
        looser = replace(free, about_turns=True)
        relaxed.append((looser, Rule.TURNED_ABOUT, "turned-about"))
    for looser, rule, key in relaxed:
        chains = jump_chains(looser, position, attempt.origin)
        removed = attempt.removed or frozenset()
        for chain in _fitting(looser, position, attempt, chains):
            captured = frozenset(chain.captured)
            if removed == captured or (not exact and removed < captured):
                kings = any(position.kings & bit_of(square) for square in chain.captured)
                return Finding(rule, key, marks=(Mark.OVER_KING,) if kings else ())
    return None


def _turned_about(
    variant: Variant, position: Position, attempt: Attempt, chains: Sequence[Move]
) -> bool:
    """Say whether what is gone fits only a capture that turns right round, against the rule."""
    if variant.about_turns or not attempt.removed:
        return False
    if any(frozenset(chain.captured) == attempt.removed for chain in chains):
        return False
    looser = replace(variant, priority=Priority.FREE, about_turns=True)
    wider = jump_chains(looser, position, attempt.origin)
    ends = (attempt.origin, attempt.destination, attempt.removed)
    return any(_ends(chain) == ends for chain in wider)


def _own_jumped(variant: Variant, position: Position, attempt: Attempt) -> Square | None:
    """Return an own piece that was jumped as if it were the enemy's."""
    mine = position.white if position.turn is Side.WHITE else position.black
    for chain in _own_chains(variant, position, attempt):
        # On a board nobody sees a long way over own pieces that still stand.
        is_seen = attempt.removed is None or frozenset(chain.captured) == attempt.removed
        if not is_seen and len(chain.captured) > 1:
            continue
        for square in chain.captured:
            if mine & bit_of(square):
                return square
    return None


def _own_chains(variant: Variant, position: Position, attempt: Attempt) -> tuple[Move, ...]:
    """Return how the piece might have gone if it could capture own pieces too."""
    looser = replace(variant, priority=Priority.FREE, men_capture_back=True, man_takes_king=True)
    own, others = bit_of(attempt.origin), position.occupied & ~bit_of(attempt.origin)
    sides = (own, others) if position.turn is Side.WHITE else (others, own)
    everybody = Position(*sides, position.kings, position.turn)
    chains = jump_chains(looser, everybody, attempt.origin)
    return _fitting(looser, everybody, attempt, chains)


def jumps_own(
    variant: Variant, position: Position, attempt: Attempt, lost: frozenset[Square]
) -> bool:
    """Say whether a piece that captured own and enemy pieces alike may have lifted just these."""
    return any(
        frozenset(chain.captured) == lost for chain in _own_chains(variant, position, attempt)
    )


def _jumped_twice(variant: Variant, position: Position, attempt: Attempt) -> Square | None:
    seen: set[Square] = set()
    occupied = position.occupied & ~bit_of(attempt.origin)
    for start, end in zip(attempt.path, attempt.path[1:], strict=False):
        for square in between(variant, start, end):
            if square in seen:
                return square
            if occupied & bit_of(square):
                seen.add(square)
    return None


def _fitting(
    variant: Variant, position: Position, attempt: Attempt, chains: Sequence[Move]
) -> tuple[Move, ...]:
    if attempt.removed is None:
        return matches(variant, position, MoveText(attempt.path, None), chains)
    # A board shows where the piece stands, not its way.
    return tuple(chain for chain in chains if chain.destination == attempt.destination)


def _ends(move: Move) -> tuple[Square, Square, frozenset[Square]]:
    return (move.origin, move.destination, frozenset(move.captured))


def _lifted(variant: Variant, squares: frozenset[Square]) -> Finding:
    return Finding(Rule.WRONG_REMOVAL, "lifted-in-vain", _squares(variant, squares))


def _at(variant: Variant, square: Square) -> dict[str, Name]:
    return {"square": name_of(variant, square)}


def _squares(variant: Variant, squares: frozenset[Square]) -> dict[str, Name]:
    return {"squares": tuple(name_of(variant, square) for square in sorted(squares))}


def _offset(variant: Variant, start: Square, end: Square) -> tuple[int, int]:
    from_row, from_column = place_of(variant, start)
    to_row, to_column = place_of(variant, end)
    return to_row - from_row, to_column - from_column


def _follows_a_line(variant: Variant, down: int, right: int) -> bool:
    """Say whether pieces move along this offset, however far."""
    if variant.lines is Lines.STRAIGHT:
        return not down or not right
    return abs(down) == abs(right)


def _ahead(side: Side) -> int:
    return -1 if side is Side.WHITE else 1


def _is_man(position: Position, square: Square) -> bool:
    return not position.kings & bit_of(square)
