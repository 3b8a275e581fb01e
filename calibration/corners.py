"""A board from its four outer corners, named or dragged by a person."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crownhead.calibration.board import Floats, FoundBoard
from crownhead.calibration.errors import CalibrationError

LEAST_SQUARE_PX = 6.0
"""No edge of the board may have smaller squares than this, in pixels."""

LEAST_SINE = 0.1
"""Of the angle at each corner."""

BY_HAND = 0.5
"""Confidence in corners that nothing in the picture has borne out."""


def board_from_corners(
    points: Sequence[Sequence[float]] | Floats, size: int, width: int, height: int
) -> FoundBoard:
    """Return the board whose outer corners are four points of the picture.

    Args:
        points: four (x, y) in pixels, in any order.
        size: squares along an edge.
        width: of the picture, in pixels.
        height: of the picture, in pixels.

    Returns:
        The board with a straight lens; its corners run clockwise from the upper left one.

    Raises:
        CalibrationError: they are not four corners of a board within the picture.
    """
    try:
        corners = np.asarray(points, np.float64)
    except (TypeError, ValueError):
        corners = np.empty(0)
    if corners.shape != (4, 2) or not np.isfinite(corners).all():
        raise CalibrationError("a board has four corners, each given as x and y in pixels")
    if (corners < -1).any() or (corners > (width, height)).any():
        raise CalibrationError(f"a corner lies outside the picture of {width} x {height} pixels")
    ring = in_order(corners)
    edges = np.roll(ring, -1, axis=0) - ring
    crosses = edges[:, 0] * np.roll(edges, -1, axis=0)[:, 1]
    crosses -= edges[:, 1] * np.roll(edges, -1, axis=0)[:, 0]
    lengths = np.hypot(*edges.T)
    # The sine of each angle: a corner that hardly turns is none.
    if (crosses <= LEAST_SINE * lengths * np.roll(lengths, -1)).any():
        raise CalibrationError("the four corners make no four-sided figure")
    if lengths.min() < LEAST_SQUARE_PX * size:
        raise CalibrationError(
            f"two corners are too near to each other for a board of {size} squares; "
            "name the outer corners of the playing field"
        )
    n = float(size)
    square = np.array([[0.0, 0.0], [n, 0.0], [n, n], [0.0, n]])
    return FoundBoard(size, homography_of(square, ring), 0.0, width, height, BY_HAND)


def in_order(corners: Floats) -> Floats:
    """Return four points clockwise as seen in the picture, the upper left one first."""
    offsets = corners - corners.mean(axis=0)
    # The y axis points down, so growing angles run clockwise.
    ring = corners[np.argsort(np.arctan2(offsets[:, 1], offsets[:, 0]))]
    return np.roll(ring, -int(ring.sum(axis=1).argmin()), axis=0)


def homography_of(square: Floats, ring: Floats) -> Floats:
    """Solve for the map of four points, shape (4, 2), onto four others, float64, shape (3, 3)."""
    rows = []
    for (x, y), (u, v) in zip(square, ring, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    solved = np.linalg.solve(np.array(rows), ring.reshape(-1))
    return np.append(solved, 1.0).reshape(3, 3)
