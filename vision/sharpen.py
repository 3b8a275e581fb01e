"""Measuring expected crossings of a known board plane with sub-pixel precision.

The plane is warped so that all squares have one size and all edges lie along the axes. There a
crossing is a plain pattern of two light and two dark quadrants, whatever the camera's angle,
and men, which stand in the middle of squares, do not reach the small windows round it.
"""

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from crownhead.calibration.board import FoundBoard
from crownhead.vision.crossings import Plane

Grid = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Quadrants:
    """Light minus dark at whole places of a warped plane.

    Attributes:
        support: float64, shape (rows, columns): the darker of the quadrants that should be
            light minus the lighter of those that should be dark; negative without a crossing.
        shift: float64, shape (rows, columns, 2), where the best place is, in squares from
            the expected one.
    """

    support: Grid
    shift: Grid


def plane_map(
    board: FoundBoard, first: tuple[int, int], shape: tuple[int, int], px: int
) -> NDArray[np.float32]:
    """Return a map for `cv2.remap` of the plane round whole places.

    Args:
        board: maps board coordinates to pixels of the planes that will be warped.
        first: (column, row) of the first whole place.
        shape: rows and columns of whole places.
        px: pixels a square in the warped plane; even.

    Returns:
        float32, shape (rows * px + 1, columns * px + 1, 2). Place (row, column) lies at
        pixel ((column + 0.5) * px, (row + 0.5) * px).
    """
    x = first[0] - 0.5 + np.arange(shape[1] * px + 1) / px
    y = first[1] - 0.5 + np.arange(shape[0] * px + 1) / px
    # `to_image` on a grid: every term of the homography is a row plus a column.
    h = board.image_from_board
    sum_x, sum_y, depth = (
        (h[k, 0] * x + h[k, 2])[None, :] + (h[k, 1] * y)[:, None] for k in range(3)
    )
    middle_x, middle_y = (board.width - 1) / 2, (board.height - 1) / 2
    away_x, away_y = sum_x / depth - middle_x, sum_y / depth - middle_y
    half2 = (board.width**2 + board.height**2) / 4
    lens = 1 + (board.bend / half2) * (away_x**2 + away_y**2)
    return np.stack([away_x * lens + middle_x, away_y * lens + middle_y], axis=2, dtype=np.float32)


def warp(plane: NDArray[Any], grid: NDArray[np.float32]) -> NDArray[Any]:
    """Sample a picture of any kind where the map says; the edge goes on beyond the picture."""
    x, y = np.ascontiguousarray(grid[..., 0]), np.ascontiguousarray(grid[..., 1])
    return np.asarray(
        cv2.remap(plane, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), plane.dtype
    )


def quadrants(
    warped: Plane, light: NDArray[np.bool_], px: int, *, search: float, offset: float = 0.13
) -> Quadrants:
    """Compare the quadrants round each whole place of a warped plane.

    Args:
        warped: float32, as `plane_map` lays it out.
        light: bool, shape (rows, columns): the quadrants towards (+, +) and (-, -) are light.
        px: pixels a square.
        search: how far from the expected place to look, in squares.
        offset: distance of a quadrant's middle from both edges, in squares.
    """
    rows, columns = light.shape
    step = max(1, round(offset * px))
    box = 2 * max(1, round(offset * px / 2)) + 1
    mean = cv2.blur(warped, (box, box))
    padded = cv2.copyMakeBorder(mean, step, step, step, step, cv2.BORDER_REPLICATE)
    height, width = warped.shape
    first = padded[2 * step :, 2 * step :], padded[:height, :width]
    second = padded[2 * step :, :width], padded[:height, 2 * step :]
    falling = np.minimum(*first) - np.maximum(*second)
    rising = np.minimum(*second) - np.maximum(*first)
    # Boxes that stand off the edges have a flat top; this filter weighs what is next to them.
    span_px = np.arange(-int(0.22 * px), int(0.22 * px) + 1)
    edge = np.sign(span_px) * np.exp(-((span_px / (0.08 * px)) ** 2) / 2)
    edge = edge / np.abs(edge).sum()
    total = np.asarray(cv2.sepFilter2D(warped, cv2.CV_32F, edge, edge), np.float32)
    reach = max(1, int(np.ceil(search * px)))

    def patches(values: NDArray[np.float32]) -> Grid:
        """Windows round the places, shape (rows, columns, 2 * reach + 3, 2 * reach + 3)."""
        middle_y = px // 2 + px * np.arange(rows)
        middle_x = px // 2 + px * np.arange(columns)
        span = np.arange(-reach - 1, reach + 2)
        y = np.clip(middle_y[:, None] + span, 0, height - 1)
        x = np.clip(middle_x[:, None] + span, 0, width - 1)
        return np.asarray(values[y[:, None, :, None], x[None, :, None, :]], np.float64)

    agree = np.where(light[..., None, None], patches(falling), patches(rising))
    response = patches(total) * np.where(light, 1.0, -1.0)[..., None, None]
    inner = agree[:, :, 1:-1, 1:-1].reshape(rows, columns, -1)
    # The place is where the whole contrast peaks, refined by a parabola through its neighbours.
    body = response[:, :, 1:-1, 1:-1].reshape(rows, columns, -1)
    peak = body.argmax(axis=2)
    side = 2 * reach + 1
    py, px_ = peak // side + 1, peak % side + 1
    r, c = np.indices((rows, columns))
    middle = response[r, c, py, px_]

    def vertex(before: Grid, behind: Grid) -> Grid:
        curve = before + behind - 2 * middle
        curve = np.where(np.abs(curve) < 1e-9, -1e-9, curve)
        return np.asarray(np.clip((before - behind) / (2 * curve), -1.0, 1.0), np.float64)

    dx = px_ - 1 - reach + vertex(response[r, c, py, px_ - 1], response[r, c, py, px_ + 1])
    dy = py - 1 - reach + vertex(response[r, c, py - 1, px_], response[r, c, py + 1, px_])
    return Quadrants(inner.max(axis=2), np.stack([dx, dy], axis=2) / px)


def scaled(board: FoundBoard, width: int, height: int) -> FoundBoard:
    """Return the board as it lies in the same picture resized to width x height."""
    sx, sy = width / board.width, height / board.height
    # Pixel centres: x' + 0.5 = (x + 0.5) * s.
    resize = np.array([[sx, 0, (sx - 1) / 2], [0, sy, (sy - 1) / 2], [0, 0, 1.0]])
    return replace(
        board, image_from_board=resize @ board.image_from_board, width=width, height=height
    )
