"""How a game ends: nobody left to move, or a draw that the variant's counts allow.

Everything follows from the positions of the game in order; nothing is remembered elsewhere. Counts
of moves are in full moves, one by each side, as the rules are written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from crownhead.rules.generator import is_over
from crownhead.rules.position import Position, Side
from crownhead.rules.variant import DrawKind, DrawRule, Variant


class End(StrEnum):
    """Why a game is over."""

    NO_PIECES = "no pieces left"
    BLOCKED = "no piece can move"
    DRAW = "drawn by the rules"


@dataclass(frozen=True, slots=True)
class Count:
    """How far a draw rule has come: ``so_far`` of the rule's limit, in its own unit."""

    rule: DrawRule
    so_far: int

    @property
    def is_reached(self) -> bool:
        """Whether the draw is there, or may be claimed."""
        return self.so_far >= self.rule.limit


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: the winner, None for a draw, the reason, and the draw rule if one."""

    winner: Side | None
    end: End
    rule: DrawRule | None = None


def outcome(variant: Variant, positions: Sequence[Position]) -> Outcome | None:
    """Return how the game has ended, None if it goes on.

    Args:
        variant: the rules in force.
        positions: of the game so far, from the start; at least one.

    Returns:
        A loss comes before a draw: a win with the last move that a count allows is a win.
        Draws that must be claimed are left to `claimable`.
    """
    last = positions[-1]
    if is_over(variant, last):
        pieces = last.white if last.turn is Side.WHITE else last.black
        return Outcome(last.turn.other, End.BLOCKED if pieces else End.NO_PIECES)
    for count in counts(variant, positions):
        if count.is_reached and not count.rule.claimed:
            return Outcome(None, End.DRAW, count.rule)
    return None


def claimable(variant: Variant, positions: Sequence[Position]) -> tuple[DrawRule, ...]:
    """Return the draws that the side to move may claim now."""
    return tuple(
        count.rule
        for count in counts(variant, positions)
        if count.rule.claimed and count.is_reached
    )


def counts(variant: Variant, positions: Sequence[Position]) -> tuple[Count, ...]:
    """Return every count of the variant's draw rules, several of which may run at once."""
    return tuple(Count(rule, _COUNTERS[rule.kind](positions)) for rule in variant.draws)


def format_result(variant: Variant, winner: Side | None) -> str:
    """Write a result as PDN's players of the game do: 2-0 on large boards, 1-0 on others."""
    large = variant.size > 8
    if winner is None:
        return "1-1" if large else "1/2-1/2"
    points = "2" if large else "1"
    return f"{points}-0" if winner is Side.WHITE else f"0-{points}"


def _repetitions(positions: Sequence[Position]) -> int:
    last = positions[-1]
    return sum(position == last for position in positions)


def _moves_of_kings(positions: Sequence[Position]) -> int:
    """Count the full moves at the end in which no man moved and nothing was captured."""
    plies = 0
    for before, after in zip(reversed(positions[:-1]), reversed(positions[1:]), strict=True):
        if _men(before) != _men(after) or _pieces(before) != _pieces(after):
            break
        plies += 1
    return plies // 2


def _since(
    holds: Callable[[Position], bool], begins: Callable[[Position], bool]
) -> Callable[[Sequence[Position]], int]:
    """Make a counter of the full moves since a balance of forces began, while it holds.

    Captures within the balance do not restart the count.
    """

    def count(positions: Sequence[Position]) -> int:
        plies = 0
        for back, position in enumerate(reversed(positions)):
            if not holds(position):
                break
            if begins(position):
                plies = back
        return plies // 2

    return count


def _men(position: Position) -> tuple[int, int]:
    return position.white & ~position.kings, position.black & ~position.kings


def _pieces(position: Position) -> tuple[int, int]:
    return position.white.bit_count(), position.black.bit_count()


def _one_against_one(position: Position) -> bool:
    return _pieces(position) == (1, 1)


def _against_king(position: Position) -> tuple[int, int] | None:
    """Return (pieces, kings) of the side that faces a single king; None if there is no such.

    With one king each, they face one another.
    """
    for lone, others in ((position.white, position.black), (position.black, position.white)):
        kings = others & position.kings
        if lone.bit_count() == 1 and lone & position.kings and kings:
            return others.bit_count(), kings.bit_count()
    return None


def _at_most(pieces: int) -> Callable[[Position], bool]:
    def holds(position: Position) -> bool:
        facing = _against_king(position)
        return facing is not None and facing[0] <= pieces

    return holds


def _exactly_three(position: Position) -> bool:
    facing = _against_king(position)
    return facing is not None and facing[0] == 3


def _three_kings(position: Position) -> bool:
    facing = _against_king(position)
    return facing is not None and facing[1] >= 3 and facing[0] == facing[1]


_COUNTERS: dict[DrawKind, Callable[[Sequence[Position]], int]] = {
    DrawKind.REPETITION: _repetitions,
    DrawKind.KINGS_ONLY: _moves_of_kings,
    DrawKind.NO_PROGRESS: _moves_of_kings,
    DrawKind.THREE_AGAINST_KING: _since(_at_most(3), _exactly_three),
    DrawKind.THREE_KINGS_AGAINST_KING: _since(_three_kings, _three_kings),
    DrawKind.TWO_AGAINST_KING: _since(_at_most(2), _at_most(2)),
    DrawKind.ONE_AGAINST_ONE: _since(_one_against_one, _one_against_one),
}
"""What counts each kind of draw rule."""
