"""A plain search for good moves: alpha-beta over material and advancement.

It deepens one ply at a time and goes on while captures are to be made, since they are
compulsory. It knows no draws. Good enough for a hint to a beginner, no more.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from crownhead.rules.generator import distinct_moves, play
from crownhead.rules.geometry import all_squares, place_of
from crownhead.rules.move import Move
from crownhead.rules.position import Position, Side
from crownhead.rules.tables import bit_of
from crownhead.rules.variant import Kings, Variant

MAN = 100
"""Worth of a man; scores are in hundredths of one."""

KING = {Kings.SHORT: 150, Kings.FLYING: 300, Kings.FLYING_SHORT_LANDING: 250}
"""Worth of a king by how far it goes."""

ADVANCE = 3
"""Worth of a man's step forward."""

LOST = -100_000
"""Score of having no move; a loss farther away is a little better."""

DEEPEST = 40
"""No search goes deeper, with or without time left."""

NODES_BETWEEN_LOOKS = 64
"""So many positions are searched between two looks at the time."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A move with what it is worth for its side, in hundredths of a man, and what may follow.

    ``line`` begins with the move itself. ``depth`` is how many plies were searched.
    """

    move: Move
    score: int
    line: tuple[Move, ...]
    depth: int


class _OutOfTime(Exception):
    """Ends a search from inside; never leaves this module."""


def suggest(
    variant: Variant,
    position: Position,
    *,
    seconds: float = 1.0,
    depth: int = DEEPEST,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Suggestion, ...]:
    """Return every legal move with its worth, the best first, after at most so many seconds."""
    end = clock() + seconds
    return best_moves(variant, position, depth=depth, is_late=lambda: clock() >= end)


def best_moves(
    variant: Variant,
    position: Position,
    *,
    depth: int,
    is_late: Callable[[], bool] = lambda: False,
) -> tuple[Suggestion, ...]:
    """Search one ply deeper at a time until a depth or until it is late.

    Args:
        variant: the rules in force.
        position: whose side to move is advised.
        depth: plies to look ahead, at least 1.
        is_late: asked now and then; when it says yes the last complete depth counts.

    Returns:
        One suggestion for each legal move, the best first; empty if the game is over.
    """
    moves = distinct_moves(variant, position)
    search = _Search(variant, is_late)
    found = tuple(Suggestion(move, 0, (move,), 0) for move in moves)
    for reached in range(1, min(max(depth, 1), DEEPEST) + 1):
        search.may_stop = reached > 1
        try:
            deeper = [_look(search, position, known.move, reached) for known in found]
        except _OutOfTime:
            break
        # Python's sort is stable: of equal moves the one that led before still leads.
        found = tuple(sorted(deeper, key=lambda suggestion: -suggestion.score))
        if len(moves) < 2 or is_late():
            break
    return found


def _look(search: _Search, position: Position, move: Move, depth: int) -> Suggestion:
    after = play(search.variant, position, move)
    score, line = search.worth(after, depth - 1, 2 * LOST, -2 * LOST, 1)
    return Suggestion(move, -score, (move, *line), depth)


class _Search:
    """What one search keeps while it runs."""

    def __init__(self, variant: Variant, is_late: Callable[[], bool]) -> None:
        self.variant = variant
        self.is_late = is_late
        self.may_stop = False
        self.nodes = 0

    def worth(
        self, position: Position, depth: int, alpha: int, beta: int, ply: int
    ) -> tuple[int, tuple[Move, ...]]:
        """Return a position's score for its side to move, and the line that gives it."""
        self.nodes += 1
        if self.may_stop and self.nodes % NODES_BETWEEN_LOOKS == 0 and self.is_late():
            raise _OutOfTime
        moves = distinct_moves(self.variant, position)
        if not moves:
            return LOST + ply, ()
        if depth <= 0 and not moves[0].is_capture:
            return standing(self.variant, position), ()
        line: tuple[Move, ...] = ()
        for move in moves:
            after = play(self.variant, position, move)
            score, rest = self.worth(after, depth - 1, -beta, -alpha, ply + 1)
            if -score > alpha:
                alpha, line = -score, (move, *rest)
            if alpha >= beta:
                break
        return alpha, line


def standing(variant: Variant, position: Position) -> int:
    """Return a position's worth for its side to move, without looking ahead."""
    score = 0
    rows = _rows(variant)
    for side, sign in ((Side.WHITE, 1), (Side.BLACK, -1)):
        pieces = position.white if side is Side.WHITE else position.black
        kings = pieces & position.kings
        men = pieces ^ kings
        steps = sum((men & row).bit_count() * number for row, number in rows[side])
        worth = MAN * men.bit_count() + KING[variant.kings] * kings.bit_count() + ADVANCE * steps
        score += sign * worth
    return score if position.turn is Side.WHITE else -score


@cache
def _rows(variant: Variant) -> dict[Side, tuple[tuple[int, int], ...]]:
    """Return for each side the rows as bitboards, with the steps made to reach them."""
    rows = [0] * variant.size
    for square in all_squares(variant):
        rows[place_of(variant, square)[0]] |= bit_of(square)
    return {
        Side.WHITE: tuple(zip(reversed(rows), range(variant.size), strict=True)),
        Side.BLACK: tuple(zip(rows, range(variant.size), strict=True)),
    }
