"""Finding a draughts board in a picture, with men on it and without markers."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from crownhead.calibration.board import (
    FoundBoard,
    apart_squares,
    corners_px,
    displaced,
    square_px,
    to_image,
    turned,
)
from crownhead.vision.crossings import Plane, find_crossings
from crownhead.vision.extent import SIZES, Extent, find_extent
from crownhead.vision.fit import fit_bent, fit_homography, straighten
from crownhead.vision.lattice import Lattice, grow_lattices
from crownhead.vision.sharpen import plane_map, quadrants, scaled, warp
from crownhead.vision.view import Floats, Image


@dataclass(frozen=True, slots=True)
class FinderParams:
    """Limits of the search for a board.

    Attributes:
        largest_px: pictures are reduced to this longer edge.
        stages: longer edge of the reduced picture and channels (0 lightness, 1 and 2 the
            colour axes) in the order tried. Coarse first: fine pictures show print and grain.
        coarse_px: stages up to this size also measure in the reduced picture, in which odd
            shapes, such as octagons with gaps, melt into squares.
        sure: a window score that ends the search.
        clear: a window score that ends the search in one plane.
        agreed: a window score that ends the search if two stages found the same board.
        least: the lowest window score that is a board.
        coarse_handicap: taken off the score of coarse stages.
        tried: candidates measured precisely before giving up.
        most: candidates whose extent is measured before the stages end.
        least_points: the fewest crossings that carry a board.
        residual: largest median residual of the crossings, in squares.
        outside: how far a corner may lie outside the picture, in squares.
        coarse_step: how far the full picture may move the corners that a coarse stage found.
    """

    largest_px: int = 1600
    stages: tuple[tuple[int, tuple[int, ...]], ...] = (
        (400, (0,)),
        (640, (0,)),
        (400, (1, 2)),
        (640, (1, 2)),
        (250, (0, 1, 2)),
        (160, (0, 1, 2)),
        (1000, (0,)),
        (120, (0, 1, 2)),
    )
    coarse_px: int = 250
    sure: float = 0.85
    clear: float = 0.6
    agreed: float = 0.4
    least: float = 0.15
    coarse_handicap: float = 0.25
    tried: int = 3
    most: int = 20
    least_points: int = 12
    residual: float = 0.07
    outside: float = 0.3
    coarse_step: float = 0.15


_SMALLEST_PX = 32
"""No board can be made out in fewer pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """The answer to a search.

    Attributes:
        board: the board, its first corner the one nearest to the picture's top left, going
            round clockwise; None if there is no whole board to be seen.
        problems: what speaks against it, as short identifiers: ``no-board``,
            ``partly-out-of-view``, ``other-size`` (not the one asked for), ``too-dark``,
            ``blurred``.
    """

    board: FoundBoard | None
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    board: FoundBoard
    extent: Extent
    light: bool
    coarse: bool


def find_board(
    frame: Image, *, size: int | None = None, params: FinderParams | None = None
) -> Finding:
    """Find the playing field of a draughts board in one picture.

    Crossings are found by their looks, joined into lattices, and the window of crossings
    that the picture supports best gives size and place together.

    Args:
        frame: uint8, BGR or grey, shape (height, width, 3) or (height, width).
        size: squares along an edge, if known; else 8, 10 and 12 are tried. A picture that
            plainly shows a board of another size is refused.
        params: limits, for measurements.
    """
    params = params or FinderParams()
    height, width = frame.shape[:2]
    if min(height, width) < _SMALLEST_PX:
        return Finding(None, ("no-board",))
    planes = _planes(_reduced(frame, params.largest_px))
    candidates = _search(planes, (size,) if size else SIZES, params)
    why = "no-board"
    for candidate in candidates:
        if candidate.extent.other_size is not None:
            why = "other-size"
            continue
        board = _precise(planes, candidate, params)
        if board is None:
            continue
        board = _from_top_left(scaled(board, width, height))
        if _beyond_picture(board) <= params.outside:
            return Finding(board, ())
        why = "partly-out-of-view"
    trouble = _light_problems(planes[0])
    return Finding(None, (*trouble, why))


def _search(
    planes: tuple[Plane, ...], sizes: tuple[int, ...], params: FinderParams
) -> list[_Candidate]:
    """The likeliest boards, best first, from as few stages as will do."""
    found: list[_Candidate] = []
    strangers: list[_Candidate] = []
    looked_at = 0
    for longer, channels in params.stages:
        reduced = tuple(_shrunk(plane, longer) for plane in planes)
        coarse = longer <= params.coarse_px
        fresh: list[_Candidate] = []
        for channel in channels:
            for candidate in _candidates(reduced[channel], reduced if coarse else planes, sizes):
                fresh.append(replace(candidate, coarse=coarse))
                if candidate.extent.score >= params.clear:
                    break
        looked_at += len(fresh)
        strangers += [c for c in fresh if c.extent.other_size is not None]
        good = [c for c in fresh if c.extent.score >= params.least and c.extent.other_size is None]
        ends = any(c.extent.score >= params.sure for c in good) or any(
            min(c.extent.score, d.extent.score) >= params.agreed and _alike(c, d)
            for c in good
            for d in found
        )
        found += good
        if ends or looked_at >= params.most:
            break
    # A reduced picture has fewer places to fail at, so its score is no better for being higher.
    found.sort(key=lambda c: c.extent.score - (params.coarse_handicap if c.coarse else 0.0))
    # A weak window of the size asked for does not outweigh a plain board of another size.
    if strangers and all(c.extent.score < params.clear for c in found):
        return strangers[:1]
    return found[: -params.tried - 1 : -1]


def _alike(one: _Candidate, other: _Candidate) -> bool:
    """Whether two candidates from different stages are one board."""
    if one.board.size != other.board.size:
        return False
    board = scaled(other.board, one.board.width, one.board.height)
    return _nearest_turn(one.board, board) < 0.15


def _nearest_turn(one: FoundBoard, other: FoundBoard) -> float:
    """Return how far apart two boards lie, in squares, whichever corner each begins with."""
    return min(apart_squares(one, turned(other, k)) for k in range(4))


def _beyond_picture(board: FoundBoard) -> float:
    """How far the furthest corner lies outside the picture, in squares."""
    ring = corners_px(board)
    edge = np.array([board.width - 0.5, board.height - 0.5])
    return float(np.maximum(-0.5 - ring, ring - edge).max() / square_px(board))


def refine_board(
    frame: Image, board: FoundBoard, *, search_squares: float = 0.15
) -> FoundBoard | None:
    """Fit a known board anew after a small nudge of camera or board.

    Only the places round the expected inner crossings are looked at; the lens bend is kept.

    Args:
        frame: uint8, BGR or grey, as large as the picture of the board.
        board: the board as it was.
        search_squares: how far crossings may have moved, in squares.

    Returns:
        The board with its new homography and, as confidence, the part of the crossings that
        agree on it; None if too few do.
    """
    n = board.size - 1
    row, column = np.indices((n + 2, n + 2))
    even = (row + column) % 2 == 0
    inner = (row > 0) & (row <= n) & (column > 0) & (column <= n)
    px = 2 * int(np.clip(round(square_px(board) / 2), 6, 10))
    places = np.stack([column, row], axis=2).astype(np.float64)
    best: tuple[float, Floats, NDArray[np.bool_]] | None = None
    for plane in _warped_channels(frame, board, px):
        # Lightness comes first and is sharper than colour: if it shows the board, it will do.
        if best is not None and best[2].sum() > 0.6 * n * n:
            break
        for sign in (even, ~even):
            seen = quadrants(plane, sign, px, search=search_squares)
            strong = float(np.quantile(seen.support[inner], 0.7))
            good = seen.support > max(0.35 * strong, 0.01)
            quality = float((good & inner).sum()) * max(strong, 0.0) ** 0.5
            if best is None or quality > best[0]:
                # On the outline itself there are no crossings, unless by a whole square's shift.
                edge = (seen.support > 0.6 * strong) & ~inner
                sides = edge[0], edge[-1], edge[:, 0], edge[:, -1]
                shifted = strong > 0 and max(int(side.sum()) for side in sides) > n / 2
                best = (quality, seen.shift, good & inner & (not shifted))
    if best is None or best[2].sum() < 12:
        return None
    _, shift, good = best
    known = places[good]
    points = to_image(board, known + shift[good])
    straight = straighten(points, board.bend, board.width, board.height)
    limit = 0.06 * square_px(board)
    model, kept = cv2.findHomography(known, straight, cv2.USAC_MAGSAC, limit, maxIters=500)
    if model is None:
        return None
    inlier = np.asarray(kept).ravel().astype(bool)
    if inlier.sum() < max(12, 0.3 * n * n):
        return None
    model = fit_homography(known[inlier], straight[inlier])
    moved = replace(board, image_from_board=model, confidence=float(inlier.sum() / n**2))
    # A fit that throws a corner further than the crossings could move is a wrong fit.
    step = apart_squares(board, moved)
    return moved if step <= 2 * search_squares + 0.1 else None


def refined(frame: Image, board: FoundBoard) -> FoundBoard:
    """Return a board that a person has pointed out, fitted to the picture where it can be.

    The finder's own board is best, since it knows the bend of the lens; it is taken if it is the
    board pointed out. Else the crossings round the expected places are fitted, and where too few
    of them can be seen the board is taken as it was pointed out.
    """
    found = find_board(frame, size=board.size).board
    if found is not None and _nearest_turn(board, found) < 0.4:
        return found
    for search in (0.25, 0.45):
        fitted = refine_board(frame, board, search_squares=search)
        if fitted is not None:
            return fitted
    return board


def _warped_channels(frame: Image, board: FoundBoard, px: int) -> tuple[Plane, ...]:
    """The field and half a square around it as lightness and colour axes, px a square."""
    scale = 1.5 * px / square_px(board)
    if scale < 0.8:
        shape = (round(board.width * scale), round(board.height * scale))
        frame = np.asarray(cv2.resize(frame, shape, interpolation=cv2.INTER_AREA), np.uint8)
        board = scaled(board, *shape)
    grid = plane_map(board, (0, 0), (board.size + 1, board.size + 1), px)
    return _planes(warp(frame, grid))


def relocate_board(frame: Image, board: FoundBoard) -> FoundBoard | None:
    """Find a known board again after a larger move, turned to lie as closely as before."""
    found = find_board(frame, size=board.size).board
    if found is None:
        return None
    before = corners_px(board)
    distance = [((corners_px(turned(found, k)) - before) ** 2).sum() for k in range(4)]
    return turned(found, int(np.argmin(distance)))


def boards_beside(frame: Image, board: FoundBoard) -> tuple[FoundBoard, ...]:
    """Return the boards that lie a row or a column beside one that was found, each fitted anew.

    A border with a pattern, or men that hide the last row of crossings, can lead the finder
    astray by just so much; what stands on the squares must tell.

    Args:
        frame: uint8, BGR or grey, as large as the picture of the board.
        board: as `find_board` has found it.
    """
    steps = ((0, -1), (0, 1), (-1, 0), (1, 0))
    there = [displaced(board, columns, rows) for columns, rows in steps]
    return tuple(refine_board(frame, one) or one for one in there)


def _reduced(frame: Image, longer: int) -> Image:
    height, width = frame.shape[:2]
    scale = longer / max(height, width)
    if scale >= 1:
        return frame
    shape = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(cv2.resize(frame, shape, interpolation=cv2.INTER_AREA), np.uint8)


def _planes(picture: Image) -> tuple[Plane, ...]:
    """Lightness and the two colour axes of Lab, float32, about 0 to 1, dark pictures lifted."""
    if picture.ndim == 2:
        picture = np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), np.uint8)
    colour = picture.astype(np.float32) / np.float32(255)
    bright = float(np.percentile(colour[::4, ::4].max(axis=2), 99.5))
    if bright < 0.7:
        colour = np.minimum(colour * np.float32(0.95 / max(bright, 0.01)), np.float32(1))
    lab = cv2.cvtColor(colour, cv2.COLOR_BGR2Lab)
    return (
        np.ascontiguousarray(lab[..., 0]) / np.float32(100),
        np.ascontiguousarray(lab[..., 1]) / np.float32(100),
        np.ascontiguousarray(lab[..., 2]) / np.float32(100),
    )


def _shrunk(plane: Plane, longer: int) -> Plane:
    height, width = plane.shape
    scale = longer / max(height, width)
    if scale >= 1:
        return plane
    shape = (max(24, round(width * scale)), max(24, round(height * scale)))
    return np.asarray(cv2.resize(plane, shape, interpolation=cv2.INTER_AREA), np.float32)


def _candidates(
    plane: Plane, measured: tuple[Plane, ...], sizes: tuple[int, ...]
) -> Iterator[_Candidate]:
    """Yield boards whose lattice grows in one plane, their extent measured in others."""
    height, width = measured[0].shape
    factor = np.array([width / plane.shape[1], height / plane.shape[0]])
    for lattice in grow_lattices(find_crossings(plane)):
        points = (lattice.points_px + 0.5) * factor - 0.5
        candidate = _with_extent(measured, lattice, points, sizes)
        if candidate is not None:
            yield candidate


def _with_extent(
    planes: tuple[Plane, ...], lattice: Lattice, points: Floats, sizes: tuple[int, ...]
) -> _Candidate | None:
    height, width = planes[0].shape
    fit = fit_bent(lattice.places.astype(np.float64), points, width, height)
    board = FoundBoard(1, fit.image_from_board, fit.bend, width, height)
    extent = find_extent(planes, board, lattice.places, lattice.light, sizes)
    if extent is None:
        return None
    # From lattice places to board coordinates: the first inner crossing is (1, 1).
    shift = np.array([[1.0, 0, extent.first[0] - 1], [0, 1.0, extent.first[1] - 1], [0, 0, 1.0]])
    light = lattice.light == (sum(extent.first) % 2 == 0)
    moved = replace(board, size=extent.size, image_from_board=fit.image_from_board @ shift)
    return _Candidate(moved, extent, light, False)


def _precise(
    planes: tuple[Plane, ...], candidate: _Candidate, params: FinderParams
) -> FoundBoard | None:
    """The board fitted to the crossings of the full picture, if they show it."""
    height, width = planes[0].shape
    rough = replace(candidate, board=scaled(candidate.board, width, height))
    board = _sharpened(planes, rough, params)
    if not candidate.coarse:
        return board
    if board is not None and apart_squares(board, rough.board) <= params.coarse_step:
        return board
    # Squares with cut corners have no crossings; the lattice of the reduced picture stands.
    return replace(rough.board, confidence=float(np.clip(candidate.extent.score, 0.0, 1.0)))


def _sharpened(
    planes: tuple[Plane, ...], candidate: _Candidate, params: FinderParams
) -> FoundBoard | None:
    """Measure the window's crossings again in the full picture and fit the board to them."""
    board = candidate.board
    n = board.size - 1
    row, column = np.indices((n, n))
    light = ((row + column) % 2 == 0) == candidate.light
    places = np.stack([column + 1.0, row + 1.0], axis=2)
    signed: tuple[tuple[Plane, NDArray[np.bool_]], ...] = tuple(
        (plane, sign) for plane in planes for sign in (light, ~light)
    )
    for search in (0.2, 0.1, 0.06):
        px = 2 * int(np.clip(square_px(board) / 2, 8, 20))
        grid = plane_map(board, (1, 1), (n, n), px)
        best: tuple[float, Floats, NDArray[np.bool_]] | None = None
        for plane, sign in signed:
            seen = quadrants(warp(plane, grid), sign, px, search=search)
            middle = float(np.median(seen.support[candidate.extent.supported]))
            good = seen.support > max(0.3 * middle, 0.003)
            quality = float(good.sum()) * max(middle, 0.0) ** 0.5
            if middle > 0 and (best is None or quality > best[0]):
                best = (quality, seen.shift, good)
                signed_best = ((plane, sign),)
        if best is None:
            return None
        signed = signed_best
        _, shift, good = best
        if good.sum() < params.least_points:
            return None
        points = to_image(board, (places + shift)[good])
        fit = fit_bent(places[good], points, board.width, board.height)
        board = replace(board, image_from_board=fit.image_from_board, bend=fit.bend)
    residual = float(np.median(np.hypot(*fit.residuals_px.T))) / square_px(board)
    if residual > params.residual:
        return None
    return replace(board, confidence=float(np.clip(candidate.extent.score, 0.0, 1.0)))


def _from_top_left(board: FoundBoard) -> FoundBoard:
    ring = corners_px(board)
    return turned(board, int((ring**2).sum(axis=1).argmin()))


def _light_problems(lightness: Plane) -> tuple[str, ...]:
    """What makes any board hard to see in a picture."""
    small = _shrunk(lightness, 640)
    dark, bright = (float(v) for v in np.percentile(small[::2, ::2], [0.5, 99.5]))
    if bright < 0.05:
        return ("too-dark",)
    steepest = float(np.percentile(np.abs(np.diff(small, axis=1)), 99.8))
    steepest = max(steepest, float(np.percentile(np.abs(np.diff(small, axis=0)), 99.8)))
    # The sharpest edges take more than a dozen pixels from dark to light.
    if bright - dark > 0.2 and steepest < 0.08 * (bright - dark):
        return ("blurred",)
    return ()
