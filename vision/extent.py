"""How far a board reaches: the window of crossings that the picture supports best."""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from crownhead.calibration.board import FoundBoard, to_image
from crownhead.vision.crossings import Plane
from crownhead.vision.sharpen import plane_map, quadrants, scaled, warp

Flags = NDArray[np.bool_]

SIZES = (8, 10, 12)
"""Squares along an edge of the boards that draughts is played on."""


@dataclass(frozen=True, slots=True)
class ExtentParams:
    """Limits of the window search.

    Attributes:
        reach: crossings looked at beyond the lattice, to every side.
        px: pixels a square in the warped planes.
        search: shift allowed to a crossing, in squares.
        threshold: part of the lattice's own median contrast that counts as support.
        beyond: part of supported crossings along one side just outside that begins to show,
            and that proves, that the pattern goes on, as that of a table cloth does. Men that
            lean over the border at a low angle can look like half a row of crossings.
        other_size: a size not asked for has to score higher by this part of the crossings of
            the one asked for to speak against it.
    """

    reach: int = 4
    px: int = 16
    search: float = 0.125
    threshold: float = 0.4
    beyond: tuple[float, float] = (0.55, 0.9)
    other_size: float = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class Extent:
    """A window of inner crossings.

    Attributes:
        size: squares along an edge; the window has one crossing less.
        first: (column, row) of its first crossing.
        score: supported crossings minus unsupported ones minus supported ones just outside,
            as a part of the crossings in the window.
        supported: bool, shape (size - 1, size - 1), indexed (row, column).
        other_size: a size not asked for that fits much better, or None.
    """

    size: int
    first: tuple[int, int]
    score: float
    supported: Flags
    other_size: int | None = None


def find_extent(
    planes: tuple[Plane, ...],
    board: FoundBoard,
    places: NDArray[np.int64],
    light: bool,
    sizes: tuple[int, ...],
    params: ExtentParams | None = None,
) -> Extent | None:
    """Choose size and place of the board on a plane by the crossings seen in the picture.

    Args:
        planes: float32 channels of the picture, one of which shows the squares apart.
        board: maps lattice places to pixels; its width and height are those of the planes.
        places: int64, shape (n, 2), the crossings (column, row) known to be there.
        light: the square towards (+, +) of place (0, 0) is light in the first plane.
        sizes: board sizes to choose from.
        params: limits.
    """
    params = params or ExtentParams()
    low = places.min(axis=0) - params.reach
    high = places.max(axis=0) + params.reach
    columns, rows = (int(k) for k in high - low + 1)
    first = (int(low[0]), int(low[1]))
    inside = _in_picture(board, first, (rows, columns))
    own = np.zeros((rows, columns), bool)
    own[places[:, 1] - low[1], places[:, 0] - low[0]] = True
    planes, board = _at_sampling_size(planes, board, places, params.px)
    grid = plane_map(board, first, (rows, columns), params.px)
    row, column = np.indices((rows, columns))
    even = ((row + low[1] + column + low[0]) % 2 == 0) == light
    best: tuple[float, NDArray[np.float64]] | None = None
    for plane in planes:
        warped = warp(plane, grid)
        for sign in (even, ~even):
            support = quadrants(warped, sign, params.px, search=params.search).support
            middle = float(np.median(support[own]))
            if middle <= 0.004:
                continue
            relative = support / middle
            # The channel in which even the weaker crossings stand out, not the one that is
            # best at each crossing: that would add crossings of the table to the board. Of
            # two like channels the one with more contrast has less noise.
            quality = float(np.quantile(relative[own], 0.25)) * min(middle, 0.2) ** 0.5
            if best is None or quality > best[0]:
                best = (quality, relative)
    if best is None:
        return None
    supported = (best[1] > params.threshold) & inside
    return _best_window(supported, inside, own, first, sizes, params)


def _in_picture(board: FoundBoard, first: tuple[int, int], shape: tuple[int, int]) -> Flags:
    row, column = np.indices(shape)
    places = np.column_stack([column.ravel() + first[0], row.ravel() + first[1]])
    points = to_image(board, places.astype(np.float64))
    depth = places @ board.image_from_board[2, :2] + board.image_from_board[2, 2]
    inside = (
        (depth > 0)
        & (points >= 1).all(axis=1)
        & (points[:, 0] <= board.width - 2)
        & (points[:, 1] <= board.height - 2)
    )
    return np.asarray(inside.reshape(shape), bool)


def _at_sampling_size(
    planes: tuple[Plane, ...], board: FoundBoard, places: NDArray[np.int64], px: int
) -> tuple[tuple[Plane, ...], FoundBoard]:
    """Reduce the planes so that a square covers about as many pixels as in the warped plane."""
    middle = places.mean(axis=0)
    points = to_image(board, middle + np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    edge = max(float(np.hypot(*(points[1:] - points[0]).T).max()), 1.0)
    scale = 1.5 * px / edge
    if scale > 0.8:
        return planes, board
    width, height = round(board.width * scale), round(board.height * scale)
    reduced = tuple(
        np.asarray(cv2.resize(p, (width, height), interpolation=cv2.INTER_AREA), np.float32)
        for p in planes
    )
    return reduced, scaled(board, width, height)


def _best_window(
    supported: Flags,
    inside: Flags,
    own: Flags,
    first: tuple[int, int],
    sizes: tuple[int, ...],
    params: ExtentParams,
) -> Extent | None:
    # Halves: what lies outside the picture speaks less against a window than what is seen there.
    value = np.where(supported, 2, np.where(inside, -2, -1))
    beside = np.pad(supported, 1)
    # Where light squares meet a dark frame every second place looks like a crossing; a pattern
    # that goes on has two side by side.
    along = np.pad(supported & (beside[1:-1, :-2] | beside[1:-1, 2:]), 1).astype(np.int64)
    down = np.pad(supported & (beside[:-2, 1:-1] | beside[2:, 1:-1]), 1).astype(np.int64)
    visible = np.pad(inside.astype(np.int64), 1)
    best: Extent | None = None
    most = -np.inf
    totals: dict[int, float] = {}
    for size in (*sizes, *(s for s in SIZES if s not in sizes)):
        n = size - 1
        if n > min(supported.shape):
            continue
        total = _window_sums(value, n, n) / 2.0
        rows, columns = total.shape
        # The crossings just outside, side by side: a board has none there.
        for around, height, width, row, column in (
            (along, 1, n, 0, 1),
            (along, 1, n, n + 1, 1),
            (down, n, 1, 1, 0),
            (down, n, 1, 1, n + 1),
        ):
            part = slice(row, row + rows), slice(column, column + columns)
            beyond = _window_sums(around, height, width)[part]
            seen = _window_sums(visible, height, width)[part]
            total -= beyond
            part_beyond = beyond / np.maximum(seen, n / 2)
            low, high = params.beyond
            total -= n * n * np.clip((part_beyond - low) / (high - low), 0.0, 1.0)
        total[_window_sums(own.astype(np.int64), n, n) < 4] = -np.inf
        row, column = divmod(int(total.argmax()), columns)
        totals[size] = float(total[row, column])
        if size in sizes and totals[size] > most:
            most = totals[size]
            best = Extent(
                size,
                (first[0] + column, first[1] + row),
                most / n**2,
                supported[row : row + n, column : column + n],
            )
    if best is None:
        return None
    other = max(totals, key=lambda size: totals[size])
    if totals[other] > most + params.other_size * (best.size - 1) ** 2:
        return replace(best, other_size=other)
    return best


def _window_sums(values: NDArray[np.int64], height: int, width: int) -> NDArray[np.int64]:
    """Sums over all windows of one shape."""
    total = np.zeros((values.shape[0] + 1, values.shape[1] + 1), np.int64)
    total[1:, 1:] = values.cumsum(axis=0).cumsum(axis=1)
    return (
        total[height:, width:]
        - total[:-height, width:]
        - total[height:, :-width]
        + total[:-height, :-width]
    )
