"""The native generator for boards of more than 64 squares: one cell a square instead of words.

The same search as `crownhead.rules.fast_kernels`, slower, for Canadian draughts and what users
think of. Cells are 0 empty, 1 and 2 man and king of the side to move, 3 and 4 those of the other
side; what is taken on the way is kept in two words. A board's tables are a tuple of arrays; ``n``
is its number of squares:

    0   the next square in each direction, -1 at the border, int64, shape (n, RAYS); the first four
        are the directions of moves without captures
    1   directions in which men step, bool, (2 sides, RAYS)
    2   directions in which men capture, bool, (2, RAYS)
    3   the far rows, bool, (2, n)
    4   the direction that leads right back, int64, (RAYS,)
"""

from __future__ import annotations

import numpy as np
from numba import njit

from crownhead.rules.fast_shared import (
    ABOUT_TURNS,
    BY_ROUTE,
    CACHED,
    CROWNING,
    DEEPEST,
    ENDS,
    FLYING,
    MAN_TAKES_KING,
    MOST_MOVES,
    NEAR_ONLY,
    PRIORITY,
    RAYS,
    REMOVES,
    STAYS,
    TOO_MANY,
    worth,
)

_MAN, _SHORT, _FLY = 0, 1, 2
# Columns of the search's stack: see `fast_kernels`. FIRST is the first stop behind the piece that
# is being jumped, AT_STOP the next one to try, KINGS how many kings were taken before this jump.
_KIND, _SQUARE, _BRANCH, _WENT_ON, _NOT_ALONG, _NOT_BACK, _CROWNED, _STOP = range(8)
_DIRECTION, _ANY_ON, _PENDING, _ORDER, _LANDING, _NEXT_ORDER, _FIRST, _AT_STOP = range(8, 16)
_KINGS, _NEXT_KINGS = range(16, 18)
NUMBERS = 18
WORDS = 4  # taken before this jump, low and high; with it, low and high

_compiled = njit(cache=CACHED)
_worth = _compiled(worth)


@_compiled
def _is_set(low, high, square):
    if square < 64:
        return (low >> np.uint64(square)) & np.uint64(1) != np.uint64(0)
    return (high >> np.uint64(square - 64)) & np.uint64(1) != np.uint64(0)


@_compiled
def _bits_of(square):
    if square < 64:
        return np.uint64(1) << np.uint64(square), np.uint64(0)
    return np.uint64(0), np.uint64(1) << np.uint64(square - 64)


@_compiled
def _is_free(board, square, removes, low, high):
    return board[square] == 0 or (removes and _is_set(low, high, square))


@_compiled
def quiet_moves(side, board, flags, tables, origins, targets, low, high, crowns):
    """Write the moves that capture nothing and return how many there are."""
    following, step_ways, far = tables[0], tables[1], tables[3]
    count = np.int64(0)
    for square in range(board.shape[0]):
        piece = board[square]
        if piece != 1 and piece != 2:
            continue
        for direction in range(4):
            if piece == 1 and not step_ways[side, direction]:
                continue
            target = following[square, direction]
            while target >= 0 and board[target] == 0:
                if count >= MOST_MOVES:
                    return np.int64(TOO_MANY)
                origins[count] = square
                targets[count] = target
                low[count] = np.uint64(0)
                high[count] = np.uint64(0)
                crowns[count] = np.int64(piece == 1 and far[side, target])
                count += 1
                if piece == 1 or flags[FLYING] == 0:
                    break
                target = following[target, direction]
    return count


@_compiled
def _begin(numbers, words, top, kind, square, crowned, order, kings, low, high):
    numbers[top, _KIND] = kind
    numbers[top, _SQUARE] = square
    numbers[top, _BRANCH] = 0
    numbers[top, _WENT_ON] = 0
    numbers[top, _NOT_ALONG] = -1
    numbers[top, _NOT_BACK] = -1
    numbers[top, _CROWNED] = crowned
    numbers[top, _PENDING] = 0
    numbers[top, _ORDER] = order
    numbers[top, _KINGS] = kings
    numbers[top, _AT_STOP] = -1
    words[top, 0] = low
    words[top, 1] = high


@_compiled
def captures(side, board, flags, tables, stack, origins, targets, low, high, crowns):
    """Write the captures that may be chosen, each result once, and return how many there are."""
    following, capture_ways, far, opposite = tables[0], tables[2], tables[3], tables[4]
    numbers, words = stack
    flying = flags[FLYING] != 0
    removes = flags[REMOVES] != 0
    crowning = flags[CROWNING]
    priority = flags[PRIORITY]
    count = np.int64(0)
    best = np.int64(-1)
    for origin in range(board.shape[0]):
        piece = board[origin]
        if piece != 1 and piece != 2:
            continue
        by_king = np.int64(piece == 2)
        board[origin] = 0
        first = count
        top = 0
        kind = _MAN if piece == 1 else (_FLY if flying else _SHORT)
        _begin(numbers, words, 0, kind, origin, 0, 0, 0, np.uint64(0), np.uint64(0))
        came_back = np.int64(-1)
        while top >= 0:
            kind = numbers[top, _KIND]
            square = numbers[top, _SQUARE]
            gone_low = words[top, 0]
            gone_high = words[top, 1]
            emit_from = np.int64(-1)
            emit_all = False
            emit_crowned = numbers[top, _CROWNED]
            if came_back >= 0:
                pending = numbers[top, _PENDING]
                numbers[top, _PENDING] = 0
                if pending == 1:
                    if came_back == 0:
                        emit_from = numbers[top, _LANDING]
                        if kind == _MAN:
                            emit_crowned = np.int64(far[side, emit_from])
                else:
                    if came_back == 1:
                        numbers[top, _ANY_ON] = 1
                    if numbers[top, _AT_STOP] < 0 and numbers[top, _ANY_ON] == 0:
                        emit_from = numbers[top, _FIRST]
                        emit_all = True
                came_back = np.int64(-1)
            if emit_from >= 0:
                value = _worth(
                    priority,
                    np.int64(top + 1),
                    numbers[top, _NEXT_KINGS],
                    by_king,
                    numbers[top, _NEXT_ORDER],
                )
                if value > best:
                    best = value
                    count = 0
                    first = 0
                landing = emit_from
                while value == best and landing >= 0:
                    known = False
                    for k in range(first, count if flags[BY_ROUTE] == 0 else first):
                        if (
                            targets[k] == landing
                            and low[k] == words[top, 2]
                            and high[k] == words[top, 3]
                            and crowns[k] == emit_crowned
                        ):
                            known = True
                            break
                    if not known:
                        if count >= MOST_MOVES:
                            board[origin] = piece
                            return np.int64(TOO_MANY)
                        origins[count] = origin
                        targets[count] = landing
                        low[count] = words[top, 2]
                        high[count] = words[top, 3]
                        crowns[count] = emit_crowned
                        count += 1
                    if not emit_all or flags[NEAR_ONLY] != 0:
                        break
                    landing = following[landing, numbers[top, _DIRECTION]]
                    if landing >= 0 and not _is_free(board, landing, removes, gone_low, gone_high):
                        landing = -1
            if top + 1 >= DEEPEST:
                board[origin] = piece
                return np.int64(TOO_MANY)
            if kind == _FLY and numbers[top, _AT_STOP] >= 0:
                # The next stop behind the piece of this ray.
                direction = numbers[top, _DIRECTION]
                stop = numbers[top, _AT_STOP]
                later = following[stop, direction]
                if flags[NEAR_ONLY] != 0 or (
                    later >= 0 and not _is_free(board, later, removes, gone_low, gone_high)
                ):
                    later = -1
                numbers[top, _AT_STOP] = later
                barred = direction if numbers[top, _STOP] > 0 else np.int64(-1)
                numbers[top, _STOP] += 1
                numbers[top, _PENDING] = 2
                _begin(
                    numbers,
                    words,
                    top + 1,
                    _FLY,
                    stop,
                    numbers[top, _CROWNED],
                    numbers[top, _NEXT_ORDER],
                    numbers[top, _NEXT_KINGS],
                    words[top, 2],
                    words[top, 3],
                )
                numbers[top + 1, _NOT_ALONG] = barred
                if flags[ABOUT_TURNS] == 0:
                    numbers[top + 1, _NOT_BACK] = opposite[direction]
                top += 1
                continue
            pushed = False
            while numbers[top, _BRANCH] < flags[RAYS]:
                direction = numbers[top, _BRANCH]
                numbers[top, _BRANCH] += 1
                if direction == numbers[top, _NOT_ALONG] or direction == numbers[top, _NOT_BACK]:
                    continue
                if kind == _MAN and not capture_ways[side, direction]:
                    continue
                over = following[square, direction]
                if kind == _FLY:
                    while over >= 0 and _is_free(board, over, removes, gone_low, gone_high):
                        over = following[over, direction]
                if over < 0 or board[over] < 3 or _is_set(gone_low, gone_high, over):
                    continue
                if kind == _MAN and board[over] == 4 and flags[MAN_TAKES_KING] == 0:
                    continue
                landing = following[over, direction]
                if landing < 0 or not _is_free(board, landing, removes, gone_low, gone_high):
                    continue
                numbers[top, _WENT_ON] = 1
                is_king = np.int64(board[over] == 4)
                numbers[top, _NEXT_KINGS] = numbers[top, _KINGS] + is_king
                shift = np.int64(31 - top) if top < 31 else np.int64(0)
                numbers[top, _NEXT_ORDER] = numbers[top, _ORDER] | (is_king << shift)
                over_low, over_high = _bits_of(over)
                words[top, 2] = gone_low | over_low
                words[top, 3] = gone_high | over_high
                if kind == _FLY:
                    numbers[top, _STOP] = 0
                    numbers[top, _DIRECTION] = direction
                    numbers[top, _ANY_ON] = 0
                    numbers[top, _FIRST] = landing
                    numbers[top, _AT_STOP] = landing
                    pushed = True
                    break
                numbers[top, _LANDING] = landing
                numbers[top, _DIRECTION] = direction
                numbers[top, _PENDING] = 1
                crowned = numbers[top, _CROWNED]
                next_kind = kind
                if kind == _MAN and far[side, landing] and crowning != STAYS:
                    crowned = np.int64(1)
                    next_kind = _FLY if flying else _SHORT
                    if crowning == ENDS:
                        came_back = np.int64(0)
                        pushed = True
                        break
                _begin(
                    numbers,
                    words,
                    top + 1,
                    next_kind,
                    landing,
                    crowned,
                    numbers[top, _NEXT_ORDER],
                    numbers[top, _NEXT_KINGS],
                    words[top, 2],
                    words[top, 3],
                )
                top += 1
                pushed = True
                break
            if pushed:
                continue
            came_back = numbers[top, _WENT_ON]
            top -= 1
        board[origin] = piece
    return count


@_compiled
def perft(side, start, depth, flags, tables):
    """Count the lines of play of a length of at least 1; TOO_MANY if a limit was reached."""
    n = start.shape[0]
    stack = (np.zeros((DEEPEST, NUMBERS), np.int64), np.zeros((DEEPEST, WORDS), np.uint64))
    origins = np.empty((depth, MOST_MOVES), np.int64)
    targets = np.empty((depth, MOST_MOVES), np.int64)
    low = np.empty((depth, MOST_MOVES), np.uint64)
    high = np.empty((depth, MOST_MOVES), np.uint64)
    crowns = np.empty((depth, MOST_MOVES), np.int64)
    counts = np.empty(depth, np.int64)
    at = np.zeros(depth, np.int64)
    boards = np.zeros((depth + 1, n), np.int64)
    boards[0] = start
    total = np.int64(0)
    level = 0
    fresh = True
    while level >= 0:
        board = boards[level]
        if fresh:
            mover = side if level % 2 == 0 else 1 - side
            lists = (origins[level], targets[level], low[level], high[level], crowns[level])
            found = captures(mover, board, flags, tables, stack, *lists)
            if found == 0:
                found = quiet_moves(mover, board, flags, tables, *lists)
            if found == TOO_MANY:
                return np.int64(TOO_MANY)
            counts[level] = found
            at[level] = 0
            if level == depth - 1:
                total += found
                at[level] = found
        k = at[level]
        if k >= counts[level]:
            level -= 1
            fresh = False
            continue
        at[level] = k + 1
        after = boards[level + 1]
        for square in range(n):
            piece = board[square]
            if piece >= 3 and _is_set(low[level, k], high[level, k], square):
                piece = 0
            # The other side moves next.
            after[square] = piece + 2 if 1 <= piece <= 2 else (piece - 2 if piece >= 3 else 0)
        moved = after[origins[level, k]]
        after[origins[level, k]] = 0
        after[targets[level, k]] = 4 if crowns[level, k] != 0 else moved
        level += 1
        fresh = True
    return total
