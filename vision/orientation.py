"""Which way a reading is turned so that it makes a position as players write it."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crownhead.rules.geometry import all_squares, place_of
from crownhead.rules.position import Position, Side
from crownhead.rules.tables import bit_of
from crownhead.rules.variant import Corner, Variant

Signs = NDArray[np.str_]

MIRRORED_BY = 0.3
"""Of the board's edge: by so much the camps must be clearer apart along the other axis."""

CAMP = 4
"""Men that make a camp; fewer say nothing about how the board lies."""


@dataclass(frozen=True, slots=True)
class Orientation:
    """How to look at a reading.

    Attributes:
        quarter_turns: by which the first corner moves clockwise, so that White's side comes
            to lie at the lower edge.
        mirrored: whether the playing squares then lie at the players' right hand.
    """

    quarter_turns: int
    mirrored: bool = False


def turned_rows(rows: tuple[str, ...], quarter_turns: int) -> tuple[str, ...]:
    """Return the rows seen with the first corner moved clockwise by so many corners."""
    signs = np.rot90(_signs(rows), quarter_turns % 4)
    return tuple("".join(row) for row in signs.tolist())


def best_orientation(rows: tuple[str, ...], parity: int) -> Orientation:
    """Choose the way to look at a reading.

    A playing square lies at each player's lower left, which leaves two ways; White is the side
    nearer to the lower edge of them. Where neither is nearer, the way that turns the picture
    less is taken. Only camps that stand clearly across the other axis, as on a board laid
    with the wrong corner at the left, overrule the first sentence.

    Args:
        rows: signs ``. w W b B ?``.
        parity: men stand on the squares with ``(row + column) % 2 == parity``.
    """
    size = len(rows)
    leads = [white_lead(turned_rows(rows, turns)) / size for turns in range(4)]
    # Turning by one corner changes the parity, since the size is even.
    usual = [turns for turns in range(4) if (parity + turns) % 2 == (size - 1) % 2]
    other = [turns for turns in range(4) if turns not in usual]
    best = max(usual, key=lambda turns: round(leads[turns], 3))
    best_other = max(other, key=lambda turns: round(leads[turns], 3))
    are_camps = all(sum(r.lower().count(side) for r in rows) >= CAMP for side in "wb")
    if are_camps and leads[best_other] > abs(leads[best]) + MIRRORED_BY:
        return Orientation(best_other, True)
    return Orientation(best)


def best_turn(
    rows: tuple[str, ...], parity: int, men_parity: int, allowed: Iterable[int]
) -> int | None:
    """Choose by how many quarter turns men come to stand where they should, White below.

    Args:
        rows: signs ``. w W b B ?``.
        parity: men stand on the squares with ``(row + column) % 2 == parity``.
        men_parity: the same for the squares that they should stand on after the turn.
        allowed: the turns to choose from.

    Returns:
        The turn by which White lies lowest, the least of several; None if none is right.
    """
    # Turning by one corner changes the parity, since the size is even.
    fitting = [turns for turns in allowed if (parity + turns) % 2 == men_parity]
    return max(fitting, key=lambda n: round(white_lead(turned_rows(rows, n)), 3), default=None)


def position_of(rows: tuple[str, ...], orientation: Orientation) -> tuple[Position, Variant]:
    """Return the position that a reading shows, and the numbering of its board.

    A square that cannot be seen counts as empty. Whose turn it is cannot be seen: White's is
    given.

    Args:
        rows: signs ``. w W b B ?``.
        orientation: of `best_orientation`.
    """
    corner = Corner.RIGHT if orientation.mirrored else Corner.LEFT
    numbering = Variant("any", "A board of this size", size=len(rows), dark_corner=corner)
    seen = turned_rows(rows, orientation.quarter_turns)
    white = black = kings = 0
    for square in all_squares(numbering):
        row, column = place_of(numbering, square)
        sign = seen[row][column]
        white |= bit_of(square) if sign in "wW" else 0
        black |= bit_of(square) if sign in "bB" else 0
        kings |= bit_of(square) if sign in "WB" else 0
    return Position(white, black, kings, Side.WHITE), numbering


def _signs(rows: tuple[str, ...]) -> Signs:
    return np.array([list(row) for row in rows])


def white_lead(rows: tuple[str, ...]) -> float:
    """Return by how many rows White's pieces stand lower than Black's, on average."""
    signs = _signs(rows)
    white = np.nonzero(np.isin(signs, ["w", "W"]))[0]
    black = np.nonzero(np.isin(signs, ["b", "B"]))[0]
    middle = (len(rows) - 1) / 2
    return float(
        (white.mean() if len(white) else middle) - (black.mean() if len(black) else middle)
    )
