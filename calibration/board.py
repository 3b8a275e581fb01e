"""A board in a picture: its size, its outline, and the map between squares and pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crownhead.calibration.errors import CalibrationError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class FoundBoard:
    """Where the playing field lies in a picture.

    Board coordinates run from 0 to ``size`` in squares, x along the edge from the first
    corner to the second, y from the first corner to the fourth. The lens is one radial term
    about the picture's middle: a point at distance r of it, in half diagonals, appears at
    ``r * (1 + bend * r**2)`` times its straight place.

    Attributes:
        size: squares along an edge.
        image_from_board: float64, shape (3, 3), board coordinates to straightened pixels.
        bend: radial term, 0 for a straight lens, negative for a barrel.
        width: of the picture, in pixels.
        height: of the picture, in pixels.
        confidence: 0 to 1, how sure the finder is.
    """

    size: int
    image_from_board: Floats
    bend: float
    width: int
    height: int
    confidence: float = 1.0

    def __post_init__(self) -> None:
        if self.image_from_board.shape != (3, 3):
            raise CalibrationError(
                f"a homography has shape (3, 3), this one {self.image_from_board.shape}"
            )
        self.image_from_board.flags.writeable = False


def to_image(board: FoundBoard, points: Floats) -> Floats:
    """Map board coordinates, shape (n, 2), to pixels (x, y), float64, shape (n, 2)."""
    points = np.asarray(points, np.float64).reshape(-1, 2)
    # Row by row: whole grids come here, and a product of matrices copies them several times.
    x, y = points[:, 0], points[:, 1]
    (a, b, c), (d, e, f), (g, h, i) = board.image_from_board.tolist()
    depth = g * x + h * y + i
    seen: Floats = np.empty((len(points), 2))
    seen[:, 0] = (a * x + b * y + c) / depth
    seen[:, 1] = (d * x + e * y + f) / depth
    if board.bend == 0.0:
        return seen
    seen -= ((board.width - 1) / 2, (board.height - 1) / 2)
    half = np.hypot(board.width, board.height) / 2
    seen *= (1 + board.bend / half**2 * (seen[:, 0] ** 2 + seen[:, 1] ** 2))[:, None]
    seen += ((board.width - 1) / 2, (board.height - 1) / 2)
    return seen


def corners_px(board: FoundBoard) -> Floats:
    """Return the outer corners in pixels, float64, shape (4, 2), clockwise from the first."""
    n = float(board.size)
    return to_image(board, np.array([[0.0, 0.0], [n, 0.0], [n, n], [0.0, n]]))


def turned(board: FoundBoard, quarter_turns: int) -> FoundBoard:
    """Return the same board with the first corner moved clockwise by so many corners."""
    # The new (x, y) = (0, 0) is the old (n, 0): old = (n - y, x) for one quarter turn.
    n = float(board.size)
    once = np.array([[0.0, -1.0, n], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    turn = np.linalg.matrix_power(once, quarter_turns % 4)
    return replace(board, image_from_board=board.image_from_board @ turn)


def displaced(board: FoundBoard, columns: int, rows: int) -> FoundBoard:
    """Return the board that begins so many squares farther along x and along y."""
    step = np.array([[1.0, 0.0, columns], [0.0, 1.0, rows], [0.0, 0.0, 1.0]])
    return replace(board, image_from_board=board.image_from_board @ step)


def square_px(board: FoundBoard) -> float:
    """Return the mean length of one square's edge along the outline, in pixels."""
    ring = corners_px(board)
    return float(np.hypot(*(np.roll(ring, -1, axis=0) - ring).T).mean() / board.size)


def apart_squares(one: FoundBoard, other: FoundBoard) -> float:
    """Return how far the corner that differs most lies elsewhere, in squares of the first board."""
    return float(np.hypot(*(corners_px(one) - corners_px(other)).T).max() / square_px(one))
