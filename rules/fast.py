"""The native generator: the answers of `crownhead.rules.generator` at the speed of machine code.

It needs numba, which the extra ``[fast]`` installs; the first call of a program imports it. Boards
of more than 64 squares (Canadian) do not fit. Whatever cannot be had natively raises `NotNative`;
the functions here never answer with the slow generator in secret.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from crownhead.rules.fast_cache import NotNative, is_available, kernels
from crownhead.rules.position import Position, Side, Square
from crownhead.rules.tables import PAD, tables_of
from crownhead.rules.variant import (
    Crowning,
    Kings,
    Priority,
    Removal,
    Variant,
    start_position,
    variant_named,
)

__all__ = ["NotNative", "Result", "fits", "is_available", "perft", "results"]

Result = tuple[Square, Square, frozenset[Square], bool]
"""A move without its route: origin, destination, captured squares, whether it crowns."""

WORD = 64
"""Squares that fit into one word."""

LONGEST = 48
"""Lines of play are counted natively up to this many plies."""


def fits(variant: Variant) -> bool:
    """Say whether a variant's board can be handled natively."""
    return variant.squares <= WORD


def perft(variant: Variant, position: Position, depth: int, *, by_route: bool = False) -> int:
    """Count the lines of play of a length; see `crownhead.rules.generator.perft`.

    Raises:
        NotNative: numba is missing, or the board, the length or a position is too large.
    """
    if depth == 0:
        return 1
    if depth > LONGEST:
        raise NotNative(f"lines of more than {LONGEST} plies are not counted natively")
    module, flags, tables = _prepared(variant, by_route)
    found = int(module.perft(*_words(position), depth, flags, tables))
    if found == module.TOO_MANY:
        raise NotNative("a position on the way has more moves than are counted natively")
    return found


def results(variant: Variant, position: Position) -> frozenset[Result]:
    """Return the legal moves as results, each once.

    Raises:
        NotNative: numba is missing, or the board or the position is too large.
    """
    module, flags, tables = _prepared(variant, False)
    origins, targets, crowns = (np.empty(module.MOST_MOVES, np.int64) for _ in range(3))
    taken = np.empty(module.MOST_MOVES, np.uint64)
    stack = (
        np.zeros((module.DEEPEST, module.NUMBERS), np.int64),
        np.zeros((module.DEEPEST, module.WORDS), np.uint64),
    )
    out = (origins, targets, taken, crowns)
    side, own, enemy, kings = _words(position)
    count = int(module.captures(side, own, enemy, kings, flags, tables, stack, *out))
    if count == 0:
        count = int(module.quiet_moves(side, own, enemy, kings, flags, tables, *out))
    if count == module.TOO_MANY:
        raise NotNative("the position has more moves than are counted natively")
    return frozenset(
        (
            Square(int(origins[k]) + 1),
            Square(int(targets[k]) + 1),
            frozenset(Square(n + 1) for n in range(variant.squares) if int(taken[k]) >> n & 1),
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
    flags, tables = _packed(international, module, False)
    words = _words(start_position(international))
    # Published: damforum.nl, topic 2308; the first position with captures comes at the third ply.
    for depth, known in ((1, 9), (3, 658)):
        if int(module.perft(*words, depth, flags, tables)) != known:
            raise NotNative("the native generator counts wrongly on this machine")


def _prepared(variant: Variant, by_route: bool) -> tuple[ModuleType, Any, Any]:
    if not fits(variant):
        raise NotNative(f"{variant.name} has more than {WORD} squares")
    module = kernels()
    return (module, *_packed(variant, module, by_route))


def _words(position: Position) -> tuple[int, Any, Any, Any]:
    """Return the side to move as 0 or 1, its pieces, the enemy's, and the kings, as words."""
    is_white = position.turn is Side.WHITE
    own, enemy = (position.white, position.black) if is_white else (position.black, position.white)
    return (0 if is_white else 1, np.uint64(own), np.uint64(enemy), np.uint64(position.kings))


@cache
def _packed(variant: Variant, module: ModuleType, by_route: bool) -> tuple[Any, Any]:
    """Return the flags and the tables of a variant as the kernels want them."""
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
    flags = np.zeros(module.FLAGS, np.int64)
    flags[module.PRIORITY] = {
        Priority.FREE: module.FREE,
        Priority.MOST: module.MOST,
        Priority.MOST_THEN_KINGS: module.MOST_THEN_KINGS,
        Priority.KING_FIRST: module.KING_FIRST,
        Priority.ITALIAN: module.ITALIAN,
        Priority.VALUE: module.VALUE,
    }[variant.priority]
    flags[module.CROWNING] = {
        Crowning.ONLY_IF_IT_STOPS: module.STAYS,
        Crowning.ENDS_THE_TURN: module.ENDS,
        Crowning.GOES_ON_AS_KING: module.GOES_ON,
    }[variant.crowning]
    flags[module.FLYING] = variant.kings is not Kings.SHORT
    flags[module.NEAR_ONLY] = variant.kings is Kings.FLYING_SHORT_LANDING
    flags[module.REMOVES] = variant.removal is Removal.DURING
    flags[module.MAN_TAKES_KING] = variant.man_takes_king
    flags[module.STEPS], flags[module.JUMPS] = steps, jumps
    flags[module.HOPS], flags[module.RAYS] = hops, directions
    flags[module.ABOUT_TURNS], flags[module.BY_ROUTE] = variant.about_turns, by_route
    crown_rows = np.array([side.crown_row for side in sides], np.uint64)
    full, opposite = np.array([tables.full], np.uint64), np.array(tables.opposite, np.int64)
    packed = (
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
    return flags, packed
