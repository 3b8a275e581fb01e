"""What the page draws over the camera's picture: the grid, and the squares as outlines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crownhead.calibration.board import FoundBoard, to_image

Point = tuple[float, float]

BENT_POINTS = 9
"""Points of a grid line under a bent lens: enough for the eye at any size of the page."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """A drawing in the pixels of the frame.

    Attributes:
        width: of the frame, in pixels.
        height: of the frame, in pixels.
        lines: the grid as polylines of (x, y).
        cells: the outline of each playing square, square 1 first, four or more (x, y).
        text: what the eye makes of the frame, a few words.
        labels: a sign for each playing square as read, ``.wWbB?``, or none at all.
    """

    width: int
    height: int
    lines: tuple[tuple[Point, ...], ...] = ()
    cells: tuple[tuple[Point, ...], ...] = ()
    text: str = ""
    labels: tuple[str, ...] = ()


def overlay_of(
    board: FoundBoard,
    places: Sequence[tuple[int, int]],
    *,
    text: str = "",
    labels: tuple[str, ...] = (),
) -> Overlay:
    """Return the overlay of a board in a frame.

    Args:
        board: turned so that its first corner is at the far left of White's view.
        places: (row, column) of each playing square, square 1 first.
        text: what the eye makes of the frame.
        labels: a sign for each playing square.
    """
    n = board.size
    steps = np.linspace(0.0, n, BENT_POINTS if board.bend else 2)
    lines = []
    for i in range(n + 1):
        across = np.column_stack([steps, np.full_like(steps, i)])
        lines += [_points(board, across), _points(board, across[:, ::-1])]
    cells = tuple(
        _points(board, np.array([[c, r], [c + 1, r], [c + 1, r + 1], [c, r + 1]], np.float64))
        for r, c in places
    )
    return Overlay(board.width, board.height, tuple(lines), cells, text, labels)


def _points(board: FoundBoard, points: np.ndarray) -> tuple[Point, ...]:
    # A tenth of a pixel is finer than the page can show and keeps the messages short.
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in to_image(board, points))
