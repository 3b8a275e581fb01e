"""The native generator: the answers of `crownhead.rules.generator` at the speed of machine code.

It needs numba, which the extra ``[fast]`` installs; the first call of a program imports it. Boards
of up to 64 squares are handled in words of 64 bits, larger ones (Canadian) by a slower search.
Whatever cannot be had natively raises `NotNative`; the functions here never answer with the pure
generator in secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crownhead.rules.fast_cache import WIDE, WORDS, NotNative, is_available, kernels
from crownhead.rules.fast_shared import (
    ABOUT_TURNS,
    BY_ROUTE,
    CROWNING,
    DEEPEST,
    ENDS,
    FLAGS,
    FLYING,
    FREE,
    GOES_ON,
    HOPS,
    ITALIAN,
    JUMPS,
    KING_FIRST,
    MAN_TAKES_KING,
    MOST,
    MOST_MOVES,
    MOST_THEN_KINGS,
    NEAR_ONLY,
    PRIORITY,
    RAYS,
    REMOVES,
    STAYS,
    STEPS,
    TOO_MANY,
    VALUE,
)
from crownhead.rules.position import Position, Side, Square
from crownhead.rules.tables import PAD, bits, square_of, tables_of
from crownhead.rules.variant import (
    Crowning,
    Kings,
    Priority,
    Removal,
    Variant,
    start_position,
    variant_named,
)

__all__ = ["NotNative", "Result", "is_available", "perft", "results"]

Arrays = tuple[NDArray[Any], ...]

Result = tuple[Square, Square, frozenset[Square], bool]
"""A move without its route: origin, destination, captured squares, whether it crowns."""

WORD = 64
"""Squares that fit into one word."""

LONGEST = 48
"""Lines of play are counted natively up to this many plies."""


def perft(variant: Variant, position: Position, depth: int, *, by_route: bool = False) -> int:
    """Count the lines of play of a length; see `crownhead.rules.generator.perft`.

    Raises:
        NotNative: numba is missing, or the board, the length or a position is too large.
    """
    if depth == 0:
        return 1
    if depth > LONGEST:
        raise NotNative(f"lines of more than {LONGEST} plies are not counted natively")
    native = _native(variant, by_route)
    found = int(native.module.perft(*native.board(position), depth, native.flags, native.tables))
    if found == TOO_MANY:
        raise NotNative("a position on the way has more moves than are counted natively")
    return found


def results(variant: Variant, position: Position) -> frozenset[Result]:
    """Return the legal moves as results, each once.

    Raises:
        NotNative: numba is missing, or the position is too rich.
    """
    native = _native(variant, False)
    module = native.module
    origins, targets, crowns = (np.empty(MOST_MOVES, np.int64) for _ in range(3))
    taken = [np.empty(MOST_MOVES, np.uint64) for _ in range(native.words)]
    stack = (
        np.zeros((DEEPEST, module.NUMBERS), np.int64),
        np.zeros((DEEPEST, module.WORDS), np.uint64),
    )
    out = (origins, targets, *taken, crowns)
    board = native.board(position)
    count = int(module.captures(*board, native.flags, native.tables, stack, *out))
    if count == 0:
        count = int(module.quiet_moves(*board, native.flags, native.tables, *out))
    if count == TOO_MANY:
        raise NotNative("the position has more moves than are counted natively")
    return frozenset(
        (
            Square(int(origins[k]) + 1),
            Square(int(targets[k]) + 1),
            frozenset(
                square_of(bit)
                for bit in bits(sum(int(word[k]) << WORD * n for n, word in enumerate(taken)))
            ),
            bool(crowns[k]),
        )
        for k in range(count)
    )


def try_out(module: ModuleType) -> None:
    """Compile all functions of the kernels and compare with known counts.

    Raises:
        NotNative: they count wrongly.
    """
    international = variant_named("international")
    native = _made(international, module, False)
    board = native.board(start_position(international))
    # Published: damforum.nl, topic 2308; the first position with captures comes at the third ply.
    for depth, known in ((1, 9), (3, 658)):
        if int(module.perft(*board, depth, native.flags, native.tables)) != known:
            raise NotNative("the native generator counts wrongly on this machine")


@dataclass(frozen=True, slots=True, eq=False)
class _Native:
    """The kernels with what they need of a variant: its flags, its tables, its boards."""

    module: ModuleType
    flags: NDArray[np.int64]
    tables: Arrays
    squares: int
    words: int

    def board(self, position: Position) -> tuple[Any, ...]:
        """Return the side to move as 0 or 1, and the board as the kernels want it."""
        is_white = position.turn is Side.WHITE
        own, enemy = position.white, position.black
        if not is_white:
            own, enemy = enemy, own
        side, kings = (0 if is_white else 1), position.kings
        if self.words == 1:
            return (side, np.uint64(own), np.uint64(enemy), np.uint64(kings))
        cells = np.zeros(self.squares, np.int64)
        for board, man in ((own, 1), (enemy, 3)):
            for bit in bits(board):
                cells[bit.bit_length() - 1] = man + bool(kings & bit)
        return (side, cells)


@cache
def _native(variant: Variant, by_route: bool) -> _Native:
    module = kernels(WORDS if variant.squares <= WORD else WIDE)
    return _made(variant, module, by_route)


def _made(variant: Variant, module: ModuleType, by_route: bool) -> _Native:
    flags = _flags(variant, by_route)
    if module.__name__ == WIDE:
        return _Native(module, flags, _wide_tables(variant), variant.squares, 2)
    return _Native(module, flags, _word_tables(variant), variant.squares, 1)


def _flags(variant: Variant, by_route: bool) -> NDArray[np.int64]:
    tables = tables_of(variant)
    sides = tuple(tables.sides.values())
    hops = [
        found for table in (*(side.hops for side in sides), tables.hops) for found in table.values()
    ]
    flags = np.zeros(FLAGS, np.int64)
    flags[PRIORITY] = {
        Priority.FREE: FREE,
        Priority.MOST: MOST,
        Priority.MOST_THEN_KINGS: MOST_THEN_KINGS,
        Priority.KING_FIRST: KING_FIRST,
        Priority.ITALIAN: ITALIAN,
        Priority.VALUE: VALUE,
    }[variant.priority]
    flags[CROWNING] = {
        Crowning.ONLY_IF_IT_STOPS: STAYS,
        Crowning.ENDS_THE_TURN: ENDS,
        Crowning.GOES_ON_AS_KING: GOES_ON,
    }[variant.crowning]
    flags[FLYING] = variant.kings is not Kings.SHORT
    flags[NEAR_ONLY] = variant.kings is Kings.FLYING_SHORT_LANDING
    flags[REMOVES] = variant.removal is Removal.DURING
    flags[MAN_TAKES_KING] = variant.man_takes_king
    flags[STEPS] = max(len(side.steps) for side in sides)
    flags[JUMPS] = max(len(side.jumps) for side in sides)
    flags[HOPS] = max((len(found) for found in hops), default=0)
    flags[RAYS] = len(tables.onward)
    flags[ABOUT_TURNS], flags[BY_ROUTE] = variant.about_turns, by_route
    return flags


def _wide_tables(variant: Variant) -> Arrays:
    """Return the tables of a variant as `fast_wide` wants them."""
    tables, n = tables_of(variant), variant.squares
    directions = len(tables.onward)
    following = np.full((n, directions), -1, np.int64)
    step_ways, capture_ways = (
        np.zeros((2, directions), np.bool_),
        np.zeros((2, directions), np.bool_),
    )
    far = np.zeros((2, n), np.bool_)
    for bit, found in tables.rays.items():
        for ray in found:
            at = bit.bit_length() - 1
            near = ray.mask & -ray.mask if ray.rising else 1 << (ray.mask.bit_length() - 1)
            following[at, ray.direction] = near.bit_length() - 1
    for i, side in enumerate((tables.sides[Side.WHITE], tables.sides[Side.BLACK])):
        for bit in bits(side.crown_row):
            far[i, bit.bit_length() - 1] = True
        for step in side.steps:
            for bit, move in step.moves.items():
                at = bit.bit_length() - 1
                step_ways[i] |= following[at] == move.destination - 1
        for bit, hops in side.hops.items():
            for over, _ in hops:
                capture_ways[i] |= following[bit.bit_length() - 1] == over.bit_length() - 1
    return (following, step_ways, capture_ways, far, np.array(tables.opposite, np.int64))


def _word_tables(variant: Variant) -> Arrays:
    """Return the tables of a variant as `fast_kernels` wants them."""
    tables, n = tables_of(variant), variant.squares
    sides = (tables.sides[Side.WHITE], tables.sides[Side.BLACK])
    all_hops = (sides[0].hops, sides[1].hops, tables.hops)
    steps = max(len(side.steps) for side in sides)
    jumps = max(len(side.jumps) for side in sides)
    hops = max((len(found) for table in all_hops for found in table.values()), default=0)
    directions = len(tables.onward)
    step_masks, jump_masks = np.zeros((2, steps), np.uint64), np.zeros((2, jumps), np.uint64)
    shifts = np.zeros((2, steps), np.int64)
    overs, lands = np.zeros((2, jumps), np.int64), np.zeros((2, jumps), np.int64)
    for i, side in enumerate(sides):
        for k, step in enumerate(side.steps):
            step_masks[i, k], shifts[i, k] = step.mask, step.shift - PAD
        for k, jump in enumerate(side.jumps):
            jump_masks[i, k] = jump.mask
            overs[i, k], lands[i, k] = jump.over - PAD, jump.land - PAD
    hop_over, hop_land = (np.zeros((3, n, max(hops, 1)), np.uint64) for _ in range(2))
    for i, table in enumerate(all_hops):
        for bit, found in table.items():
            for k, (over, land) in enumerate(found):
                at = bit.bit_length() - 1
                hop_over[i, at, k], hop_land[i, at, k] = over, land
    rays, rising = np.zeros((n, directions), np.uint64), np.zeros(directions, np.bool_)
    for direction, masks in enumerate(tables.onward):
        for bit, mask in masks.items():
            rays[bit.bit_length() - 1, direction] = mask
    for found_rays in tables.rays.values():
        for ray in found_rays:
            rising[ray.direction] = ray.rising
    neighbours = np.zeros(n, np.uint64)
    for bit, mask in tables.neighbours.items():
        neighbours[bit.bit_length() - 1] = mask
    crown_rows = np.array([side.crown_row for side in sides], np.uint64)
    full, opposite = np.array([tables.full], np.uint64), np.array(tables.opposite, np.int64)
    return (
        step_masks,
        shifts,
        jump_masks,
        overs,
        lands,
        hop_over,
        hop_land,
        rays,
        rising,
        neighbours,
        full,
        crown_rows,
        opposite,
    )
