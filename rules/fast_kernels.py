"""The move generator for numba: the same search as `crownhead.rules.generator`, without objects.

Squares are bits of unsigned 64-bit words (bit ``n - 1`` for square ``n``), so boards of up to 64
squares fit. Nothing here calls itself: the captures and the lines of play are walked with stacks of
their own, since functions that call themselves cannot be kept in numba's cache safely.

Importing this module imports numba; `crownhead.rules.fast_cache` does so when it is first needed.

A board's tables are a tuple of arrays; ``n`` is its number of squares, columns of unequal use are
filled up with empty ones:

    0, 1    steps of men: masks uint64 and distances int64, shape (2 sides, STEPS)
    2, 3, 4 jumps of men: masks uint64, distances to the piece and to the landing int64, (2, JUMPS)
    5, 6    hops: bits of the piece and of the landing, uint64, (3: white men, black men, kings; n;
            HOPS)
    7, 8    rays: masks uint64, (n, RAYS); whether numbers rise along a direction, bool, (RAYS,)
    9       neighbours: masks uint64, (n,)
    10, 11  all squares, uint64, (1,); the far rows, uint64, (2,)
    12      the direction that leads right back, int64, (RAYS,)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from crownhead.rules.fast_shared import (
    ABOUT_TURNS,
    BY_ROUTE,
    CACHED,
    CROWNING,
    DEEPEST,
    ENDS,
    FLYING,
    HOPS,
    JUMPS,
    MAN_TAKES_KING,
    MOST_MOVES,
    NEAR_ONLY,
    PRIORITY,
    RAYS,
    REMOVES,
    STAYS,
    STEPS,
    TOO_MANY,
    worth,
)

_MAN, _SHORT, _FLY = 0, 1, 2

# Columns of the search's stack. Numbers: which kind of piece goes on from which square; the next
# hop or ray to try; whether any was possible; two rays that are barred; whether the piece was
# crowned on the way; of the ray in work the number of the next stop, the direction, whether any
# stop went on; what the frame above was asked (1 a hop, 2 a stop); in which jumps kings were taken,
# before and with this jump; where the last hop landed.
_KIND, _SQUARE, _BRANCH, _WENT_ON, _NOT_ALONG, _NOT_BACK, _CROWNED = range(7)
_STOP, _DIRECTION, _ANY_ON, _PENDING, _ORDER, _LANDING, _NEXT_ORDER = range(7, 14)
NUMBERS = 14
# Words: what is taken before and with this jump; all stops of the ray in work, and those left.
_GONE, _NEXT_GONE, _LANDINGS, _LEFT = range(4)
WORDS = 4

_compiled = njit(cache=CACHED)
_compiled_inline = njit(cache=CACHED, inline="always")
_worth = _compiled(worth)

_NONE = np.uint64(0)
_ONE = np.uint64(1)


def _unary(name: str) -> Any:
    """Make a function of LLVM's operation on one word; the count comes back as int64."""

    @intrinsic
    def operation(typing: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            (value,) = arguments
            if name == "ctpop":
                return builder.ctpop(value)
            return getattr(builder, name)(value, ir.Constant(ir.IntType(1), 0))

        return types.int64(types.uint64), generate

    return operation


_count_bits = _unary("ctpop")
_trailing_zeros = _unary("cttz")
_leading_zeros = _unary("ctlz")


@_compiled_inline
def _lowest(board: np.uint64) -> np.int64:
    return _trailing_zeros(board)


@_compiled_inline
def _highest(board: np.uint64) -> np.int64:
    return np.int64(63) - _leading_zeros(board)


@_compiled_inline
def _shifted(board: np.uint64, by: np.int64) -> np.uint64:
    """Return the squares from which a step by so many squares leads onto the board given."""
    if by >= 0:
        return board >> np.uint64(by)
    return board << np.uint64(-by)


@_compiled
def _reach(square, occupied, free, flags, rays, rising, neighbours):
    """Return the squares that a king can move to without capturing."""
    if flags[FLYING] == 0:
        return neighbours[square] & free
    reach = _NONE
    for direction in range(4):
        ray = rays[square, direction]
        blockers = ray & occupied
        if blockers == _NONE:
            reach |= ray
        elif rising[direction]:
            reach |= ray & ((_ONE << np.uint64(_lowest(blockers))) - _ONE)
        else:
            reach |= ray & ~((_ONE << np.uint64(_highest(blockers) + 1)) - _ONE)
    return reach


@_compiled
def count_quiet(side, own, enemy, kings, flags, tables):
    """Count the moves that capture nothing."""
    masks, shifts, rays, rising, neighbours, full = (
        tables[0],
        tables[1],
        tables[7],
        tables[8],
        tables[9],
        tables[10],
    )
    occupied = own | enemy
    free = full[0] & ~occupied
    men = own & ~kings
    count = np.int64(0)
    for k in range(flags[STEPS]):
        count += _count_bits(men & masks[side, k] & _shifted(free, shifts[side, k]))
    movers = own & kings
    while movers != _NONE:
        square = _lowest(movers)
        movers &= movers - _ONE
        count += _count_bits(_reach(square, occupied, free, flags, rays, rising, neighbours))
    return count


@_compiled
def quiet_moves(side, own, enemy, kings, flags, tables, origins, targets, taken, crowns):
    """Write the moves that capture nothing and return how many there are."""
    masks, shifts, rays, rising, neighbours, full, crown_row = (
        tables[0],
        tables[1],
        tables[7],
        tables[8],
        tables[9],
        tables[10],
        tables[11],
    )
    occupied = own | enemy
    free = full[0] & ~occupied
    men = own & ~kings
    count = np.int64(0)
    for k in range(flags[STEPS]):
        shift = shifts[side, k]
        movers = men & masks[side, k] & _shifted(free, shift)
        while movers != _NONE:
            square = _lowest(movers)
            movers &= movers - _ONE
            target = square + shift
            origins[count] = square
            targets[count] = target
            taken[count] = _NONE
            crowns[count] = (crown_row[side] >> np.uint64(target)) & _ONE
            count += 1
    movers = own & kings
    while movers != _NONE:
        square = _lowest(movers)
        movers &= movers - _ONE
        reach = _reach(square, occupied, free, flags, rays, rising, neighbours)
        while reach != _NONE:
            target = _lowest(reach)
            reach &= reach - _ONE
            if count >= MOST_MOVES:
                return np.int64(TOO_MANY)
            origins[count] = square
            targets[count] = target
            taken[count] = _NONE
            crowns[count] = 0
            count += 1
    return count


@_compiled
def captures(side, own, enemy, kings, flags, tables, stack, origins, targets, taken, crowns):
    """Write the captures that may be chosen, each result once, and return how many there are.

    ``stack`` has rows of numbers for the search: two arrays, int64 and uint64, DEEPEST rows each.
    """
    jump_masks, overs, lands, hop_over, hop_land = (
        tables[2],
        tables[3],
        tables[4],
        tables[5],
        tables[6],
    )
    rays, rising, full, crown_row, opposite = (
        tables[7],
        tables[8],
        tables[10],
        tables[11],
        tables[12],
    )
    numbers, words = stack
    all_occupied = own | enemy
    free = full[0] & ~all_occupied
    prey = enemy
    if flags[MAN_TAKES_KING] == 0:
        prey = enemy & ~kings
    men = own & ~kings
    movers = _NONE
    for k in range(flags[JUMPS]):
        movers |= (
            men
            & jump_masks[side, k]
            & _shifted(prey, overs[side, k])
            & _shifted(free, lands[side, k])
        )
    movers |= own & kings
    count = np.int64(0)
    best = np.int64(-1)
    flying = flags[FLYING] != 0
    removes = flags[REMOVES] != 0
    crowning = flags[CROWNING]
    priority = flags[PRIORITY]
    while movers != _NONE:
        origin = _lowest(movers)
        movers &= movers - _ONE
        by_king = np.int64((kings >> np.uint64(origin)) & _ONE)
        occupied = all_occupied & ~(_ONE << np.uint64(origin))
        first = count  # two moves of different pieces are never the same
        top = 0
        numbers[0, _KIND] = _MAN if by_king == 0 else (_FLY if flying else _SHORT)
        numbers[0, _SQUARE] = origin
        numbers[0, _BRANCH] = 0
        numbers[0, _WENT_ON] = 0
        numbers[0, _NOT_ALONG] = -1
        numbers[0, _NOT_BACK] = -1
        numbers[0, _CROWNED] = 0
        numbers[0, _PENDING] = 0
        numbers[0, _ORDER] = 0
        words[0, _GONE] = _NONE
        came_back = np.int64(-1)  # what the frame above has just said: 0 went nowhere, 1 went on
        while top >= 0:
            kind = numbers[top, _KIND]
            square = numbers[top, _SQUARE]
            gone = words[top, _GONE]
            emit = False
            emit_all = False
            emit_crowned = np.int64(0)
            if came_back >= 0:
                pending = numbers[top, _PENDING]
                numbers[top, _PENDING] = 0
                if pending == 1:
                    if came_back == 0:
                        emit = True
                        landing = numbers[top, _LANDING]
                        if kind == _MAN:
                            on_row = np.int64((crown_row[side] >> np.uint64(landing)) & _ONE)
                            emit_crowned = on_row
                        else:
                            emit_crowned = numbers[top, _CROWNED]
                else:
                    if came_back == 1:
                        numbers[top, _ANY_ON] = 1
                    if words[top, _LEFT] == _NONE and numbers[top, _ANY_ON] == 0:
                        emit_all = True
                        emit_crowned = numbers[top, _CROWNED]
                came_back = -1
            if emit or emit_all:
                after = words[top, _NEXT_GONE]
                value = _worth(
                    priority,
                    np.int64(top + 1),
                    _count_bits(after & kings),
                    by_king,
                    numbers[top, _NEXT_ORDER],
                )
                if value > best:
                    best = value
                    count = 0
                    first = 0
                if value == best:
                    landings = words[top, _LANDINGS]
                    if emit:
                        landings = _ONE << np.uint64(numbers[top, _LANDING])
                    while landings != _NONE:
                        landing = _lowest(landings)
                        landings &= landings - _ONE
                        known = False
                        for k in range(first, count if flags[BY_ROUTE] == 0 else first):
                            if (
                                targets[k] == landing
                                and taken[k] == after
                                and crowns[k] == emit_crowned
                            ):
                                known = True
                                break
                        if not known:
                            if count >= MOST_MOVES:
                                return np.int64(TOO_MANY)
                            origins[count] = origin
                            targets[count] = landing
                            taken[count] = after
                            crowns[count] = emit_crowned
                            count += 1
            blocked = occupied
            if removes:
                blocked = occupied & ~gone
            pushed = False
            if kind == _FLY:
                if words[top, _LEFT] != _NONE:
                    # Another stop behind the piece of this ray.
                    direction = numbers[top, _DIRECTION]
                    stop = (
                        _lowest(words[top, _LEFT])
                        if rising[direction]
                        else _highest(words[top, _LEFT])
                    )
                    words[top, _LEFT] &= ~(_ONE << np.uint64(stop))
                    barred = direction if numbers[top, _STOP] > 0 else np.int64(-1)
                    numbers[top, _STOP] += 1
                    numbers[top, _PENDING] = 2
                    back = opposite[direction] if flags[ABOUT_TURNS] == 0 else np.int64(-1)
                    if top + 1 >= DEEPEST:
                        return np.int64(TOO_MANY)
                    numbers[top + 1, _KIND] = _FLY
                    numbers[top + 1, _SQUARE] = stop
                    numbers[top + 1, _BRANCH] = 0
                    numbers[top + 1, _WENT_ON] = 0
                    numbers[top + 1, _NOT_ALONG] = barred
                    numbers[top + 1, _NOT_BACK] = back
                    numbers[top + 1, _CROWNED] = numbers[top, _CROWNED]
                    numbers[top + 1, _PENDING] = 0
                    numbers[top + 1, _ORDER] = numbers[top, _NEXT_ORDER]
                    words[top + 1, _GONE] = words[top, _NEXT_GONE]
                    words[top + 1, _LEFT] = _NONE
                    top += 1
                    continue
                while numbers[top, _BRANCH] < flags[RAYS]:
                    direction = numbers[top, _BRANCH]
                    numbers[top, _BRANCH] += 1
                    if (
                        direction == numbers[top, _NOT_ALONG]
                        or direction == numbers[top, _NOT_BACK]
                    ):
                        continue
                    hits = rays[square, direction] & blocked
                    if hits == _NONE:
                        continue
                    over = _lowest(hits) if rising[direction] else _highest(hits)
                    bit = _ONE << np.uint64(over)
                    if bit & enemy & ~gone == _NONE:
                        continue
                    landings = rays[over, direction]
                    hits = landings & blocked
                    if hits != _NONE:
                        stop = _lowest(hits) if rising[direction] else _highest(hits)
                        landings &= ~(rays[stop, direction] | (_ONE << np.uint64(stop)))
                    if landings == _NONE:
                        continue
                    if flags[NEAR_ONLY] != 0:
                        near = _lowest(landings) if rising[direction] else _highest(landings)
                        landings = _ONE << np.uint64(near)
                    numbers[top, _WENT_ON] = 1
                    numbers[top, _STOP] = 0
                    numbers[top, _DIRECTION] = direction
                    numbers[top, _ANY_ON] = 0
                    is_king = np.int64((kings >> np.uint64(over)) & _ONE)
                    numbers[top, _NEXT_ORDER] = numbers[top, _ORDER] | (
                        is_king << np.int64(31 - top)
                    )
                    words[top, _NEXT_GONE] = gone | bit
                    words[top, _LANDINGS] = landings
                    words[top, _LEFT] = landings
                    pushed = True
                    break
                if pushed:
                    continue
            else:
                which = side if kind == _MAN else 2
                hunted = (prey if kind == _MAN else enemy) & ~gone
                while numbers[top, _BRANCH] < flags[HOPS]:
                    k = numbers[top, _BRANCH]
                    numbers[top, _BRANCH] += 1
                    over_bit = hop_over[which, square, k]
                    land_bit = hop_land[which, square, k]
                    if over_bit & hunted == _NONE or land_bit & blocked != _NONE:
                        continue
                    numbers[top, _WENT_ON] = 1
                    landing = _lowest(land_bit)
                    numbers[top, _LANDING] = landing
                    numbers[top, _PENDING] = 1
                    is_king = np.int64(over_bit & kings != _NONE)
                    numbers[top, _NEXT_ORDER] = numbers[top, _ORDER] | (
                        is_king << np.int64(31 - top)
                    )
                    words[top, _NEXT_GONE] = gone | over_bit
                    crowned = numbers[top, _CROWNED]
                    next_kind = kind
                    ends = False
                    if kind == _MAN and land_bit & crown_row[side] != _NONE and crowning != STAYS:
                        crowned = 1
                        ends = crowning == ENDS
                        next_kind = _FLY if flying else _SHORT
                    if ends:
                        came_back = 0
                        pushed = True
                        break
                    if top + 1 >= DEEPEST:
                        return np.int64(TOO_MANY)
                    numbers[top + 1, _KIND] = next_kind
                    numbers[top + 1, _SQUARE] = landing
                    numbers[top + 1, _BRANCH] = 0
                    numbers[top + 1, _WENT_ON] = 0
                    numbers[top + 1, _NOT_ALONG] = -1
                    numbers[top + 1, _NOT_BACK] = -1
                    numbers[top + 1, _CROWNED] = crowned
                    numbers[top + 1, _PENDING] = 0
                    numbers[top + 1, _ORDER] = numbers[top, _NEXT_ORDER]
                    words[top + 1, _GONE] = words[top, _NEXT_GONE]
                    words[top + 1, _LEFT] = _NONE
                    top += 1
                    pushed = True
                    break
                if pushed:
                    continue
            came_back = numbers[top, _WENT_ON]
            top -= 1
    return count


@_compiled
def perft(side, own, enemy, kings, depth, flags, tables):
    """Count the lines of play of a length of at least 1; TOO_MANY if a limit was reached."""
    numbers = np.zeros((DEEPEST, NUMBERS), np.int64)
    words = np.zeros((DEEPEST, WORDS), np.uint64)
    stack = (numbers, words)
    origins = np.empty((depth, MOST_MOVES), np.int64)
    targets = np.empty((depth, MOST_MOVES), np.int64)
    taken = np.empty((depth, MOST_MOVES), np.uint64)
    crowns = np.empty((depth, MOST_MOVES), np.int64)
    counts = np.empty(depth, np.int64)
    at = np.zeros(depth, np.int64)
    boards = np.empty((depth + 1, 3), np.uint64)
    boards[0, 0] = own
    boards[0, 1] = enemy
    boards[0, 2] = kings
    total = np.int64(0)
    level = 0
    fresh = True
    while level >= 0:
        if fresh:
            mover = side if level % 2 == 0 else 1 - side
            mine = boards[level, 0]
            theirs = boards[level, 1]
            crowned = boards[level, 2]
            found = captures(
                mover,
                mine,
                theirs,
                crowned,
                flags,
                tables,
                stack,
                origins[level],
                targets[level],
                taken[level],
                crowns[level],
            )
            if found == TOO_MANY:
                return np.int64(TOO_MANY)
            if level == depth - 1:
                if found == 0:
                    found = count_quiet(mover, mine, theirs, crowned, flags, tables)
                total += found
                level -= 1
                fresh = False
                continue
            if found == 0:
                found = quiet_moves(
                    mover,
                    mine,
                    theirs,
                    crowned,
                    flags,
                    tables,
                    origins[level],
                    targets[level],
                    taken[level],
                    crowns[level],
                )
                if found == TOO_MANY:
                    return np.int64(TOO_MANY)
            counts[level] = found
            at[level] = 0
        k = at[level]
        if k >= counts[level]:
            level -= 1
            fresh = False
            continue
        at[level] = k + 1
        origin = _ONE << np.uint64(origins[level, k])
        target = _ONE << np.uint64(targets[level, k])
        gone = taken[level, k]
        after = boards[level, 2] & ~gone
        if after & origin != _NONE:
            after = after ^ origin | target
        elif crowns[level, k] != 0:
            after |= target
        boards[level + 1, 0] = boards[level, 1] & ~gone
        boards[level + 1, 1] = boards[level, 0] ^ origin | target
        boards[level + 1, 2] = after
        level += 1
        fresh = True
    return total
