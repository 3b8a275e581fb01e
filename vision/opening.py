"""The first clear view: which way the board lies, and does it show the position expected?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from crownhead.calibration.board import FoundBoard, corners_px, turned
from crownhead.rules.geometry import all_squares, place_of
from crownhead.rules.position import Position
from crownhead.rules.variant import Variant
from crownhead.vision.observation import BLACK, EMPTY, WHITE, Codes, Floats32
from crownhead.vision.set_look import SetLook, learn_look, shifted_features, weigh
from crownhead.vision.tracker import (
    Layout,
    cut_view,
    fixed_grid,
    flattened,
)
from crownhead.vision.view import Image

SIDES = ("bottom", "top", "left", "right")
"""The edges of the picture that White may sit at."""

LEAST_SEPARATION = 4.0
"""Two contents closer than so many spreads cannot be told apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Opening:
    """A first view laid beside the position that it should show.

    Attributes:
        board: turned so that its first corner is White's far left.
        layout: its playing squares.
        view: uint8 BGR board view, half a square of margin.
        look: what was learned from it.
        codes: int8, shape (squares,), what the position expected has on the playing squares.
        wrong: square, code seen, code wanted for each playing square that looks otherwise.
        white_side: the edge of the picture nearest to White.
        symmetric: True if the position looks the same from both sides, so that lightness alone
            says which is White's.
        doubtful_sides: True if lightness does not say it clearly either.
        crossed: True if pieces seem to stand on the squares between the playing squares.
        mirrored: True if it was read with the playing squares at the players' right hand.
    """

    board: FoundBoard
    layout: Layout
    view: Image
    look: SetLook
    codes: Codes
    wrong: tuple[tuple[int, int, int], ...]
    white_side: str
    symmetric: bool
    doubtful_sides: bool
    crossed: bool
    mirrored: bool

    @property
    def fits(self) -> bool:
        """Whether the view shows the position expected."""
        return not self.wrong and not self.crossed


def layout_of(variant: Variant) -> Layout:
    """Return where the playing squares of a variant lie."""
    places = [place_of(variant, square) for square in all_squares(variant)]
    rows, columns = np.array(places, np.intp).T
    return Layout(variant.size, rows, columns)


def mirrored_layout(layout: Layout) -> Layout:
    """Return the layout of a board laid with its other corner at the players' left."""
    return replace(layout, columns=layout.size - 1 - layout.columns)


def codes_of(position: Position, squares: int) -> Codes:
    """Return what a position has on its squares, int8, shape (squares,)."""
    codes = np.zeros(squares, np.int8)
    for n in range(squares):
        if position.white >> n & 1:
            codes[n] = WHITE
        elif position.black >> n & 1:
            codes[n] = BLACK
    return codes


def kings_of(position: Position, squares: int) -> Codes:
    """Return whose kings stand where, int8, shape (squares,), 0 where none does."""
    codes = codes_of(position, squares)
    is_king = [bool(position.kings >> n & 1) for n in range(squares)]
    return np.asarray(np.where(is_king, codes, 0), np.int8)


def white_side_of(board: FoundBoard) -> str:
    """Return the edge of the picture that White's edge of the board is nearest to.

    White sits at the edge from the third corner to the fourth.
    """
    ring = corners_px(board)
    outward = ring[2:].mean(axis=0) - ring.mean(axis=0)
    if abs(outward[0]) > abs(outward[1]):
        return "right" if outward[0] > 0 else "left"
    return "bottom" if outward[1] > 0 else "top"


def match_opening(
    image: Image,
    board: FoundBoard,
    variant: Variant,
    position: Position,
    *,
    px: int = 24,
    white_side: str | None = None,
    laid_mirrored: bool = False,
) -> Opening:
    """Turn a found board so that it shows a position, and learn the set's look from it.

    Each of the four ways is tried. A way is good if contents told from the other squares of the
    same view (in four parts, each judged by what the rest teaches) agree with the position;
    what is left open, as in a symmetric start, is decided by lightness: White's pieces are the
    lighter ones.

    Args:
        image: uint8 BGR frame, still and clear of hands.
        board: as found in it; its size must be the variant's.
        variant: gives size and playing squares.
        position: what should stand there; both sides and an empty square must occur.
        px: edge of a square in the view.
        white_side: one of `SIDES` if somebody knows better than the picture.
        laid_mirrored: read the board as laid with its other corner at the players' left.
    """
    layout = layout_of(variant)
    if laid_mirrored:
        layout = mirrored_layout(layout)
    codes = codes_of(position, variant.squares)
    ways = [_try_way(image, turned(board, turn), layout, codes, px) for turn in range(4)]
    if white_side is not None:
        ways = [way for way in ways if white_side_of(way.board) == white_side] or ways
    best = min(ways, key=lambda way: (round(way.cost, 1), -way.lightness))
    symmetric = any(w is not best and w.cost <= best.cost + 1 for w in ways)
    dark, light = sorted(best.lightness_of)
    alike = light - dark < DOUBTFUL_LIGHTNESS or dark > DOUBTFUL_RATIO * light
    return Opening(
        board=best.board,
        layout=layout,
        view=best.view,
        look=best.look,
        codes=codes,
        wrong=best.wrong,
        white_side=white_side_of(best.board),
        symmetric=white_side is None and symmetric,
        doubtful_sides=white_side is None and symmetric and alike,
        crossed=not best.wrong and _is_crossed(best, codes, px),
        mirrored=laid_mirrored,
    )


DOUBTFUL_LIGHTNESS = 16.0
"""Sides closer than so many steps of lightness (of 255) are not told apart by it."""

DOUBTFUL_RATIO = 0.5
"""Nor are a light side and one more than half as light: red men may be White or Black."""


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    board: FoundBoard
    layout: Layout
    view: Image
    look: SetLook
    wrong: tuple[tuple[int, int, int], ...]
    cost: float
    lightness_of: tuple[float, float]

    @property
    def lightness(self) -> float:
        """By how much White's pieces are lighter than Black's, in steps of 255."""
        return self.lightness_of[0] - self.lightness_of[1]


def _try_way(image: Image, board: FoundBoard, layout: Layout, codes: Codes, px: int) -> _Way:
    view = cut_view(image, fixed_grid(board, px))
    even = flattened(view, layout, px)
    samples = shifted_features(even, px)[:, layout.rows, layout.columns]
    middle = samples[len(samples) // 2]
    seen, doubt = _judged_by_the_rest(samples, codes)
    wrong = tuple(
        (n + 1, int(seen[n]), int(codes[n])) for n in np.flatnonzero(seen != codes).tolist()
    )
    look = learn_look(samples, codes)
    light = middle.reshape(len(codes), 6, 6, 4)[:, 1:5, 1:5, 0].mean(axis=(1, 2))
    lightness_of = (
        float(np.median(light[codes == WHITE])),
        float(np.median(light[codes == BLACK])),
    )
    return _Way(board, layout, view, look, wrong, len(wrong) + doubt, lightness_of)


def _is_crossed(way: _Way, codes: Codes, px: int) -> bool:
    """Say whether the position is told better from the squares that should bear no piece.

    Then the board is laid with its other corner at the players' left: what stands on it sets
    contents apart, and the bare squares set nothing apart.
    """
    layout = mirrored_layout(way.layout)
    even = flattened(way.view, layout, px)
    samples = shifted_features(even, px)[:, layout.rows, layout.columns]
    return min(learn_look(samples, codes).separation) > min(way.look.separation)


def _judged_by_the_rest(samples: Floats32, codes: Codes) -> tuple[Codes, float]:
    """Tell each square's contents from the others; and a doubt from 0 (sure) to 1."""
    seen = codes.copy()
    margins = np.zeros(len(codes))
    part = np.zeros(len(codes), int)
    # Every part takes its share of each content.
    for k in (EMPTY, WHITE, BLACK):
        members = np.flatnonzero(codes == k)
        part[members] = np.arange(len(members)) % 4
    middle = samples[len(samples) // 2]
    for k in range(4):
        out = part == k
        if set(np.unique(codes[~out])) != {EMPTY, WHITE, BLACK}:
            continue
        look = learn_look(samples[:, ~out], codes[~out])
        scores, _ = weigh(look, middle[out])
        index = np.arange(len(scores))
        true = scores[index, codes[out]]
        other = scores.copy()
        other[index, codes[out]] = -np.inf
        margins[out] = true - other.max(axis=1)
        # A spot of glare makes a square look like neither; only a clear case is held against it.
        far = _typical(look)[codes[out], scores.argmax(axis=1)]
        seen[out] = np.where(true < -CLEARLY * far, scores.argmax(axis=1), codes[out])
    return seen, float(1 / (1 + np.exp(np.clip(np.median(margins), -30, 30))))


CLEARLY = 0.3
"""The share of what usually lies between two contents by which a square must be wrong."""


def _typical(look: SetLook) -> Floats32:
    """Return by how much a usual square of one content is unlike another, shape (3, 3)."""
    gaps = np.zeros((3, 3), np.float32)
    for (a, b), gap in zip(((0, 1), (0, 2), (1, 2)), look.separation, strict=True):
        gaps[a, b] = gaps[b, a] = 0.5 * look.temper * gap**2
    return gaps


__all__ = ["LEAST_SEPARATION", "SIDES", "Opening", "codes_of", "layout_of", "match_opening"]
