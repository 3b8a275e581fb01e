"""How a game ends: nobody left to move, a draw by the variant's counts, or the players' word.

What the rules decide follows from the positions of the game in order; nothing is remembered
elsewhere. Counts of moves are in full moves, one by each side, as most rules are written; only
where three or more kings hunt one are they the moves of the stronger side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from crownhead.rules.generator import distinct_moves, is_over, play
from crownhead.rules.geometry import square_at
from crownhead.rules.history import barred_king, legal_moves_in_game
from crownhead.rules.move import Move
from crownhead.rules.position import Position, Side
from crownhead.rules.tables import bit_of
from crownhead.rules.variant import Corner, DrawKind, DrawRule, Variant


class End(StrEnum):
    """Why a game is over."""

    NO_PIECES = "no pieces left"
    BLOCKED = "no piece can move"
    DRAW = "drawn by the rules"
    CLAIMED = "drawn as claimed"
    AGREED = "drawn as agreed"
    RESIGNED = "given up"
    FORFEITED = "lost by illegal moves"


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
class Claim:
    """A draw that the side to move may claim.

    ``moves`` are the moves with which it would come about, one route of each; empty if what is
    claimed is there already.
    """

    rule: DrawRule
    moves: tuple[Move, ...] = ()


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
    if _has_no_move(variant, positions):
        pieces = last.white if last.turn is Side.WHITE else last.black
        return Outcome(last.turn.other, End.BLOCKED if pieces else End.NO_PIECES)
    for count in counts(variant, positions):
        if count.is_reached and not count.rule.claimed:
            return Outcome(None, End.DRAW, count.rule)
    return None


def agreed() -> Outcome:
    """Return the draw that both players want; every variant knows it."""
    return Outcome(None, End.AGREED)


def resigned(loser: Side) -> Outcome:
    """Return the end of a game that one side gives up."""
    return Outcome(loser.other, End.RESIGNED)


def forfeited(loser: Side) -> Outcome:
    """Return the end of a game in which one side made more illegal moves than are allowed."""
    return Outcome(loser.other, End.FORFEITED)


def claimed(variant: Variant, positions: Sequence[Position]) -> Outcome | None:
    """Return the draw that the side to move claims, None if the rules give it none."""
    rules = claimable(variant, positions)
    return Outcome(None, End.CLAIMED, rules[0]) if rules else None


def claims(variant: Variant, positions: Sequence[Position]) -> tuple[Claim, ...]:
    """Return what the side to move may claim before it moves.

    A repetition may be claimed when it is there, and also by showing a move that would make it;
    moves that a side has made must have been made.
    """
    found = []
    for count in counts(variant, positions):
        rule = count.rule
        if not rule.claimed:
            continue
        if count.is_reached:
            found.append(Claim(rule))
        elif rule.kind is DrawKind.REPETITION and len(positions) > rule.limit:
            moves = _moves_that_repeat(variant, positions, rule.limit)
            if moves:
                found.append(Claim(rule, moves))
    return tuple(found)


def claimable(variant: Variant, positions: Sequence[Position]) -> tuple[DrawRule, ...]:
    """Return the draws that the side to move may claim now, as `claims` tells in full."""
    return tuple(claim.rule for claim in claims(variant, positions))


def counts(variant: Variant, positions: Sequence[Position]) -> tuple[Count, ...]:
    """Return every count of the variant's draw rules, several of which may run at once."""
    return tuple(Count(rule, _COUNTERS[rule.kind](variant, positions)) for rule in variant.draws)


def format_result(variant: Variant, winner: Side | None) -> str:
    """Write a result as PDN's players of the game do: 2-0 on large boards, 1-0 on others."""
    large = variant.size > 8
    if winner is None:
        return "1-1" if large else "1/2-1/2"
    points = "2" if large else "1"
    return f"{points}-0" if winner is Side.WHITE else f"0-{points}"


def _has_no_move(variant: Variant, positions: Sequence[Position]) -> bool:
    if barred_king(variant, positions) is None:
        return is_over(variant, positions[-1])
    return not legal_moves_in_game(variant, positions)


def _moves_that_repeat(
    variant: Variant, positions: Sequence[Position], limit: int
) -> tuple[Move, ...]:
    """Return the moves after which a position stands for the last time that is needed."""
    last = positions[-1]
    barred = barred_king(variant, positions)
    return tuple(
        move
        for move in distinct_moves(variant, last)
        if (move.is_capture or move.origin != barred)
        and positions.count(play(variant, last, move)) >= limit - 1
    )


_Counter = Callable[[Variant, Sequence[Position]], int]
_Balance = Callable[[Position], bool]


def _repetitions(_variant: Variant, positions: Sequence[Position]) -> int:
    last = positions[-1]
    return sum(position == last for position in positions)


def _moves_of_kings(_variant: Variant, positions: Sequence[Position]) -> int:
    """Count the full moves at the end in which no man moved and nothing was captured."""
    plies = 0
    for index in range(len(positions) - 1, 0, -1):
        before, after = positions[index - 1], positions[index]
        if _men(before) != _men(after) or _pieces(before) != _pieces(after):
            break
        plies += 1
    return plies // 2


def _since(holds: _Balance, begins: _Balance | None = None) -> _Counter:
    """Make a counter of the full moves since a balance of forces began, while it holds.

    Captures within the balance do not restart the count.
    """

    def count(_variant: Variant, positions: Sequence[Position]) -> int:
        return (len(positions) - 1 - _beginning(positions, holds, begins)) // 2

    return count


def _beginning(
    positions: Sequence[Position], holds: _Balance, begins: _Balance | None = None
) -> int:
    """Return the index of the first position of the balance; of the last one if there is none."""
    found = len(positions) - 1
    for index in range(len(positions) - 1, -1, -1):
        if not holds(positions[index]):
            break
        if begins is None or begins(positions[index]):
            found = index
    return found


def _of_the_hunters(_variant: Variant, positions: Sequence[Position]) -> int:
    """Count the moves of the side with three or more kings since it faces one king."""
    last = positions[-1]
    hunters = Side.WHITE if last.white.bit_count() > 1 else Side.BLACK
    first = _beginning(positions, _three_kings)
    return sum(position.turn is hunters for position in positions[first:-1])


def _unchanged(least: int, most: int) -> _Counter:
    """Make a counter of the full moves since so many pieces stand, kings on both sides.

    It begins anew with every capture and every crown.
    """

    def count(_variant: Variant, positions: Sequence[Position]) -> int:
        forces = _forces(positions[-1])
        white, white_kings, black, black_kings = forces
        if not white_kings or not black_kings or not least <= white + black <= most:
            return 0

        def holds(position: Position) -> bool:
            return _forces(position) == forces

        return (len(positions) - 1 - _beginning(positions, holds)) // 2

    return count


def _on_the_main_road(variant: Variant, positions: Sequence[Position]) -> int:
    """Count the full moves during which a king has stood on the main road against three."""
    road = _main_road(variant)

    def holds(position: Position) -> bool:
        facing = _against_king(position)
        if facing is None or facing[0] != 3:
            return False
        lone = position.white if position.white.bit_count() == 1 else position.black
        return bool(lone & road)

    return (len(positions) - 1 - _beginning(positions, holds)) // 2


def _main_road(variant: Variant) -> int:
    """Return the long diagonal of playing squares from corner to corner, as a bitboard."""
    edge = variant.size - 1
    road = 0
    for row in range(variant.size):
        column = edge - row if variant.dark_corner is Corner.LEFT else row
        square = square_at(variant, row, column)
        if square is not None:
            road |= bit_of(square)
    return road


def _men(position: Position) -> tuple[int, int]:
    return position.white & ~position.kings, position.black & ~position.kings


def _pieces(position: Position) -> tuple[int, int]:
    return position.white.bit_count(), position.black.bit_count()


def _forces(position: Position) -> tuple[int, int, int, int]:
    """Return White's pieces and kings, Black's pieces and kings."""
    white, black, kings = position.white, position.black, position.kings
    return (
        white.bit_count(),
        (white & kings).bit_count(),
        black.bit_count(),
        (black & kings).bit_count(),
    )


def _against_king(position: Position) -> tuple[int, int] | None:
    """Return (pieces, kings) of the side that faces a single king; None if there is no such.

    With one king each, they face one another.
    """
    white, white_kings, black, black_kings = _forces(position)
    if black == black_kings == 1 and white_kings:
        return white, white_kings
    if white == white_kings == 1 and black_kings:
        return black, black_kings
    return None


def _faces_a_king(least: int, most: int, *, men: bool = True) -> _Balance:
    """Make the balance of so many pieces, a king among them, against one king."""

    def holds(position: Position) -> bool:
        facing = _against_king(position)
        return facing is not None and least <= facing[0] <= most and (men or len(set(facing)) == 1)

    return holds


def _one_against_one(position: Position) -> bool:
    return _pieces(position) == (1, 1)


def _at_most_two_each(position: Position) -> bool:
    white, white_kings, black, black_kings = _forces(position)
    men = white - white_kings + black - black_kings
    return bool(white_kings and black_kings) and max(white, black) <= 2 and men <= 1


_three_kings = _faces_a_king(3, 100, men=False)

_COUNTERS: dict[DrawKind, _Counter] = {
    DrawKind.REPETITION: _repetitions,
    DrawKind.KINGS_ONLY: _moves_of_kings,
    DrawKind.NO_PROGRESS: _moves_of_kings,
    DrawKind.THREE_AGAINST_KING: _since(_faces_a_king(1, 3), _faces_a_king(3, 3)),
    DrawKind.THREE_KINGS_AGAINST_KING: _of_the_hunters,
    DrawKind.TWO_AGAINST_KING: _since(_faces_a_king(1, 2)),
    DrawKind.ONE_AGAINST_ONE: _since(_one_against_one),
    DrawKind.MAIN_ROAD: _on_the_main_road,
    DrawKind.FOUR_OR_FIVE_UNCHANGED: _unchanged(4, 5),
    DrawKind.SIX_OR_SEVEN_UNCHANGED: _unchanged(6, 7),
    DrawKind.TWO_KINGS_AGAINST_KING: _since(_faces_a_king(2, 2, men=False)),
    DrawKind.KING_AGAINST_KING: _since(_faces_a_king(1, 1, men=False)),
    DrawKind.AT_MOST_TWO_EACH: _since(_at_most_two_each),
}
"""What counts each kind of draw rule."""
