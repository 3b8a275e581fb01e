"""Rules that look back over the game: how often one king may move while its side has men.

The generator knows one position only, and most variants need no more.
"""

from __future__ import annotations

from collections.abc import Sequence

from crownhead.rules.generator import legal_moves
from crownhead.rules.move import Move
from crownhead.rules.position import Position, Side, Square
from crownhead.rules.tables import square_of
from crownhead.rules.variant import Variant


def legal_moves_in_game(variant: Variant, positions: Sequence[Position]) -> tuple[Move, ...]:
    """Return every legal move after a game so far, with every route of every capture.

    Args:
        variant: the rules in force.
        positions: of the game so far, from the start; at least one.
    """
    legal = legal_moves(variant, positions[-1])
    barred = barred_king(variant, positions)
    if barred is None:
        return legal
    return tuple(move for move in legal if move.is_capture or move.origin != barred)


def barred_king(variant: Variant, positions: Sequence[Position]) -> Square | None:
    """Return where the king stands that may capture only, until another piece has moved.

    It has made the last moves of its side, as many as the variant allows it in a row, took
    nothing with them, and its side still has men. None if there is no such king.
    """
    limit = variant.king_moves_limit
    if not limit:
        return None
    last = positions[-1]
    own = _own(last, last.turn)
    if not own & last.kings or not own & ~last.kings:
        return None
    stands = came_from = 0
    moves = 0
    for index in range(len(positions) - 1, 0, -1):
        before, after = positions[index - 1], positions[index]
        if before.turn is not last.turn:
            continue
        way = _quiet_king_move(before, after)
        if way is None or (moves and way[1] != came_from):
            return None
        came_from = way[0]
        stands = stands or way[1]
        moves += 1
        if moves == limit:
            return square_of(stands) if own & last.kings & stands else None
    return None


def _quiet_king_move(before: Position, after: Position) -> tuple[int, int] | None:
    """Return whence and whither a king went, as bits; None if that is not all that happened."""
    side = before.turn
    own, own_after = _own(before, side), _own(after, side)
    if _own(before, side.other) != _own(after, side.other):
        return None
    gone, come = own & ~own_after, own_after & ~own
    if gone.bit_count() != 1 or come.bit_count() != 1 or not before.kings & gone:
        return None
    return gone, come


def _own(position: Position, side: Side) -> int:
    return position.white if side is Side.WHITE else position.black
