"""How the strip of lights runs under the board: from a place to the light below it."""

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from crownhead.hardware.errors import HardwareError

Place = tuple[int, int]
"""A square as (row, column), seen from White's seat: row 0 is the far one, column 0 at the left."""


class Order(StrEnum):
    """How the rows of lights follow each other."""

    ROW_MAJOR = "row-major"
    SERPENTINE = "serpentine"


class Corner(StrEnum):
    """The corner of the first light, as seen from White's seat."""

    FAR_LEFT = "far-left"
    FAR_RIGHT = "far-right"
    NEAR_LEFT = "near-left"
    NEAR_RIGHT = "near-right"


@dataclass(frozen=True, slots=True)
class Layout:
    """One light under each square, in rows.

    Attributes:
        size: squares along an edge.
        order: whether every row runs the same way or each other one runs back.
        start: where the first light lies; the first row runs from there to the other side.
    """

    size: int
    order: Order = Order.ROW_MAJOR
    start: Corner = Corner.FAR_LEFT


def led_count(layout: Layout) -> int:
    """Return how many lights the strip has."""
    return layout.size**2


def led_index(layout: Layout, place: Place) -> int:
    """Return the number of the light under a place, counted from 0 along the strip.

    Raises:
        HardwareError: the place is not on the board.
    """
    row, column = place
    last = layout.size - 1
    if not (0 <= row <= last and 0 <= column <= last):
        raise HardwareError(f"rows and columns are 0 to {last} on this board, not {place}")
    if layout.start in (Corner.NEAR_LEFT, Corner.NEAR_RIGHT):
        row = last - row
    if layout.start in (Corner.FAR_RIGHT, Corner.NEAR_RIGHT):
        column = last - column
    if layout.order is Order.SERPENTINE and row % 2 == 1:
        column = last - column
    return row * layout.size + column


def parse_layout(text: str, size: int) -> Layout:
    """Read a layout from TOML with the keys ``order`` and ``start``, both optional.

    Raises:
        HardwareError: the text is not TOML, or a key or value is not known.
    """
    try:
        values: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise HardwareError(f"the map of the lights is not TOML: {error}") from error
    unknown = sorted(set(values) - {"order", "start"})
    if unknown:
        raise HardwareError(f"a map of the lights has the keys order and start, not {unknown[0]!r}")
    order, start = values.get("order", Order.ROW_MAJOR), values.get("start", Corner.FAR_LEFT)
    if order not in list(Order):
        raise HardwareError(f"order is {' or '.join(Order)}, not {order!r}")
    if start not in list(Corner):
        raise HardwareError(f"start is one of {', '.join(Corner)}, not {start!r}")
    return Layout(size, Order(order), Corner(start))
