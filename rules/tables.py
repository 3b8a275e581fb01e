"""Tables of a variant's board for the move generator: shifts, rays and ready-made moves.

Squares are bits (bit ``n - 1`` for square ``n``). Without gaps between the rows one diagonal
step is a shift by one of two amounts, depending on the row; `Step` and `Jump` therefore carry
the mask of the squares from which their shift is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from crownhead.rules.geometry import all_squares, place_of, square_at
from crownhead.rules.move import Move
from crownhead.rules.position import Side, Square
from crownhead.rules.variant import Lines, Variant

DIAGONALS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
"""Directions as (row, column); up the board, towards row 0, is White's forward."""

ORTHOGONALS = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""Along rows and columns, where all squares are played on."""

STRAIGHTS = ((-2, 0), (2, 0), (0, -2), (0, 2))
"""Along rows and columns where only every second square is played on."""

PAD = 64
"""Boards are shifted left by this much first, so that every table shift goes right."""


@dataclass(frozen=True, slots=True)
class Step:
    """Men on ``mask`` whose neighbour at one fixed distance is free may step there.

    ``moves`` has the ready-made move of each origin bit.
    """

    mask: int
    shift: int
    moves: dict[int, Move]


@dataclass(frozen=True, slots=True)
class Jump:
    """Men on ``mask`` with an enemy at one fixed distance and a free square at another."""

    mask: int
    over: int
    land: int


@dataclass(frozen=True, slots=True)
class Ray:
    """All squares from one square along one direction.

    ``mask`` has them all, ``rising`` says whether numbers grow along it, ``onward`` is the
    same direction's ray from each square that lies on it, ``direction`` an index.
    """

    mask: int
    rising: bool
    direction: int


@dataclass(frozen=True, slots=True)
class SideTables:
    """What depends on whose turn it is."""

    steps: tuple[Step, ...]
    jumps: tuple[Jump, ...]
    hops: dict[int, tuple[tuple[int, int], ...]]
    crown_row: int


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything the generator looks up.

    Attributes:
        full: all playing squares.
        sides: tables of the side to move.
        rays: of each square, one ray for each direction in which a king captures.
        slide_rays: those of them along which it moves without capturing.
        onward: for each direction, the ray's mask of each square.
        opposite: for each direction, the index of that which leads back.
        slides: ready-made quiet moves of kings, by origin bit, then target bit.
        hops: of each square, (jumped bit, landing bit) of a short king.
        neighbours: of each square, the bits one step away.
    """

    full: int
    sides: dict[Side, SideTables]
    rays: dict[int, tuple[Ray, ...]]
    slide_rays: dict[int, tuple[Ray, ...]]
    onward: tuple[dict[int, int], ...]
    opposite: tuple[int, ...]
    slides: dict[int, dict[int, Move]]
    hops: dict[int, tuple[tuple[int, int], ...]]
    neighbours: dict[int, int]


def bit_of(square: Square) -> int:
    """Return the bit of a square."""
    return 1 << (square - 1)


def square_of(bit: int) -> Square:
    """Return the square of a single bit."""
    return Square(bit.bit_length())


def bits(board: int) -> tuple[int, ...]:
    """Return the single bits of a bitboard, lowest first."""
    found = []
    while board:
        bit = board & -board
        found.append(bit)
        board ^= bit
    return tuple(found)


@cache
def tables_of(variant: Variant) -> Tables:
    """Return the tables of a variant; they are made once."""
    squares = all_squares(variant)
    moves, captures = move_directions(variant), _capture_directions(variant)
    rays: dict[int, tuple[Ray, ...]] = {}
    onward: tuple[dict[int, int], ...] = tuple({} for _ in captures)
    slides: dict[int, dict[int, Move]] = {}
    for square in squares:
        found = []
        for index, direction in enumerate(captures):
            line = _line(variant, square, direction)
            mask = sum(bit_of(s) for s in line)
            onward[index][bit_of(square)] = mask
            if mask:
                found.append(Ray(mask, line[0] > square, index))
        rays[bit_of(square)] = tuple(found)
        slides[bit_of(square)] = {
            bit_of(s): Move((square, s)) for d in moves for s in _line(variant, square, d)
        }
    return Tables(
        full=(1 << variant.squares) - 1,
        sides={side: _side_tables(variant, side) for side in Side},
        rays=rays,
        slide_rays={bit: tuple(r for r in found if r.direction < 4) for bit, found in rays.items()},
        onward=onward,
        opposite=tuple(captures.index((-down, -right)) for down, right in captures),
        slides=slides,
        hops=_hops(variant, captures),
        neighbours={
            bit_of(s): sum(bit_of(t) for d in moves for t in _line(variant, s, d)[:1])
            for s in squares
        },
    )


def move_directions(variant: Variant) -> tuple[tuple[int, int], ...]:
    """Return the four directions in which pieces move without capturing, as (row, column)."""
    return ORTHOGONALS if variant.lines is Lines.STRAIGHT else DIAGONALS


def _capture_directions(variant: Variant) -> tuple[tuple[int, int], ...]:
    return move_directions(variant) + (STRAIGHTS if variant.straight_captures else ())


def _line(variant: Variant, square: Square, direction: tuple[int, int]) -> list[Square]:
    row, column = place_of(variant, square)
    line: list[Square] = []
    while True:
        row, column = row + direction[0], column + direction[1]
        found = square_at(variant, row, column)
        if found is None:
            return line
        line.append(found)


def _hops(
    variant: Variant, directions: tuple[tuple[int, int], ...]
) -> dict[int, tuple[tuple[int, int], ...]]:
    hops = {}
    for square in all_squares(variant):
        lines = [_line(variant, square, direction) for direction in directions]
        hops[bit_of(square)] = tuple(
            (bit_of(line[0]), bit_of(line[1])) for line in lines if len(line) > 1
        )
    return hops


def _side_tables(variant: Variant, side: Side) -> SideTables:
    ahead = -1 if side is Side.WHITE else 1
    forward = tuple(d for d in move_directions(variant) if d[0] != -ahead)
    capture = tuple(
        d for d in _capture_directions(variant) if variant.men_capture_back or d[0] * ahead >= 0
    )
    crown_row = 0 if side is Side.WHITE else variant.size - 1
    crown = sum(bit_of(s) for s in all_squares(variant) if place_of(variant, s)[0] == crown_row)
    steps: dict[int, dict[int, Move]] = {}
    jumps: dict[tuple[int, int], int] = {}
    for square in all_squares(variant):
        for direction in forward:
            for target in _line(variant, square, direction)[:1]:
                move = Move((square, target), (), bool(bit_of(target) & crown))
                steps.setdefault(target - square, {})[bit_of(square)] = move
        for direction in capture:
            line = _line(variant, square, direction)
            if len(line) > 1:
                distances = (line[0] - square, line[1] - square)
                jumps[distances] = jumps.get(distances, 0) | bit_of(square)
    return SideTables(
        steps=tuple(Step(sum(moves), PAD + k, moves) for k, moves in steps.items()),
        jumps=tuple(Jump(mask, PAD + over, PAD + land) for (over, land), mask in jumps.items()),
        hops=_hops(variant, capture),
        crown_row=crown,
    )
