"""Whose a man is: the colours on a board, split into a lighter and a darker side."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from crownhead.vision.view import Image

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Bools = NDArray[np.bool_]

SQUARE_PX = 25
RIM_PX = 7
DISC = 0.26
"""Radius, in squares, of the part of a man whose colour counts."""
RING = (0.18, 0.32)
"""The ring round the marks on top of a man, in squares."""
REACH = 0.42
"""How far from the middle of its square a part of a man may be, in squares."""
LIKE_GROUND = 6.0
"""Colours of an empty square differ from each other by as much, in Lab."""
LIGHTNESS_WEIGHTS = (1.0, 0.4, 0.1)
TOLD_CLIP = 8.0
COLOURS_WEIGH = 1.0
"""What the split by colours counts beside the network's."""
APART = 2.0
"""Distance of the two sides' colours, in spreads, under which they count as alike."""


@dataclass(frozen=True, slots=True, eq=False)
class MenColours:
    """The two sides' colours on a board.

    Attributes:
        lighter: float64, shape (size, size): probability that a man there is of the lighter
            side; 0.5 where there is none.
        are_apart: whether the colours fall into two clear groups, or there is one man at most.
        distance: how far the groups are apart, in spreads; 0 if they are one.
    """

    lighter: Floats
    are_apart: bool
    distance: float = 0.0


def lab_squares(view: Image, size: int) -> Floats32:
    """Return the squares of a board view in Lab, float32, shape (size, size, 25, 25, 3).

    Args:
        view: the board view of `cut_view`, uint8 BGR.
        size: squares along an edge.
    """
    lab = np.asarray(cv2.cvtColor(view.astype(np.float32) / 255, cv2.COLOR_BGR2Lab))
    end = RIM_PX + size * SQUARE_PX
    squares = lab[RIM_PX:end, RIM_PX:end].reshape(size, SQUARE_PX, size, SQUARE_PX, 3)
    return np.asarray(squares.transpose(0, 2, 1, 3, 4), np.float32)


def ring_medians(squares: Floats32, inner: float, outer: float) -> Floats:
    """Return the median colour of a ring round each square's middle, shape (size, size, 3)."""
    axis = (np.arange(SQUARE_PX) + 0.5) / SQUARE_PX - 0.5
    radius = np.hypot(axis[:, None], axis[None, :])
    ring = squares[:, :, (radius >= inner) & (radius < outer)]
    return np.asarray(np.median(ring, axis=2), np.float64)


def unlike_ground(squares: Floats32, occupied: Bools, parity: int) -> Floats:
    """Return the mean colour of what differs from an empty square, shape (size, size, 3).

    A small man off the middle of its square, or one with a mark on top, shows its colour so.
    """
    rows, columns = np.indices(occupied.shape)
    playing = (rows + columns) % 2 == parity
    bare = playing & ~occupied
    ground = (
        np.median(squares[bare].reshape(-1, 3), axis=0)
        if bare.any()
        else np.median(squares[playing][:, [0, 0, -1, -1], [0, -1, 0, -1]].reshape(-1, 3), axis=0)
    )
    axis = (np.arange(SQUARE_PX) + 0.5) / SQUARE_PX - 0.5
    near = np.hypot(axis[:, None], axis[None, :]) < REACH
    differs = np.linalg.norm(squares - ground, axis=-1)
    weight = ((differs - LIKE_GROUND).clip(0, 30) + 1e-3) * near
    total = (squares * weight[..., None]).sum(axis=(2, 3))
    return np.asarray(total / weight.sum(axis=(2, 3))[..., None], np.float64)


def split_colours(
    view: Image, occupied: Bools, parity: int, told: NDArray[np.floating] | None = None
) -> MenColours:
    """Split the men of a board in two by colour; the lighter group is White's.

    Args:
        view: the board view of `cut_view`, uint8 BGR.
        occupied: where men stand, bool, shape (size, size).
        parity: the kind of square they stand on.
        told: shape (size, size), the network's log-odds of the one side against the other, if
            they shall be heard.
    """
    size = len(occupied)
    lighter = np.full((size, size), 0.5)
    count = int(occupied.sum())
    if not count:
        return MenColours(lighter, True)
    squares = lab_squares(view, size)
    colours = ring_medians(squares, 0.0, DISC)
    plain = colours[occupied]
    even = _even_light(colours, parity)
    rows, columns = np.indices((size, size))
    middle = [float(np.median(colours[(rows + columns) % 2 == p][:, 0])) for p in (0, 1)]
    if count == 1:
        lighter[occupied] = float(plain[0, 0] > sum(middle) / 2)
        return MenColours(lighter, True)
    best, best_score = None, -1.0
    gain = even[..., 0] / np.maximum(colours[..., 0], 1e-3)
    # The way of looking counts that sets the two sides apart most clearly.
    for seen in (colours, unlike_ground(squares, occupied, parity), ring_medians(squares, *RING)):
        lit = seen.copy()
        lit[..., 0] *= gain
        for men in (seen[occupied], lit[occupied]):
            for weight in LIGHTNESS_WEIGHTS:
                chance, score = _two_groups(men * np.array([weight, 1.0, 1.0]))
                if score > best_score:
                    best, best_score = chance, score
    assert best is not None
    if told is not None:
        best, best_score = _joined(best, best_score, told[occupied])
    if best_score < APART:
        lighter[occupied] = float(np.median(plain[:, 0]) > sum(middle) / 2)
        return MenColours(lighter, False, best_score)
    first = best > 0.5
    if np.median(even[occupied][first, 0]) < np.median(even[occupied][~first, 0]):
        best = 1 - best
    lighter[occupied] = best
    return MenColours(lighter, True, best_score)


def _joined(chance: Floats, score: float, told: NDArray[np.floating]) -> tuple[Floats, float]:
    """Return the split by colours joined with the network's, and how far the sides are apart."""
    heard = told.astype(np.float64).clip(-TOLD_CLIP, TOLD_CLIP)
    one_side = heard.min() > 0 or heard.max() < 0
    if score < APART:  # no two colours: the network alone may still see two sides
        certain = float(np.abs(np.tanh(heard / 2)).mean())
        return 1 / (1 + np.exp(-heard)), 0.0 if one_side else APART * (0.5 + certain)
    seen = np.log((chance + 1e-3) / (1 - chance + 1e-3))
    if float(seen @ heard) < 0:
        heard = -heard
    return 1 / (1 + np.exp(-(COLOURS_WEIGH * seen + heard))), score


def _even_light(colours: Floats, parity: int) -> Floats:
    """Take the light out of the lightness: compare with the empty squares next to each man."""
    size = len(colours)
    rows, columns = np.indices((size, size))
    empty = (rows + columns) % 2 != parity
    lightness = np.where(empty, colours[..., 0], np.nan)
    padded = np.pad(lightness, 1, constant_values=np.nan)
    around = np.stack([padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]])
    usual = float(np.nanmedian(lightness))
    # A playing square has two empty neighbours at least; elsewhere the value is not used.
    local = np.where(empty, usual, np.nanmedian(np.where(empty, usual, around), axis=0))
    out = colours.copy()
    out[..., 0] *= (usual + 5.0) / (local + 5.0)
    return out


def _two_groups(points: Floats) -> tuple[Floats, float]:
    """Split points in two by two-means.

    Returns:
        The probability of belonging to the first group, shape (n,), and how far the groups
        are apart: the distance of their middles over the spread inside them, less for groups
        of very unequal size.
    """
    centred = points - points.mean(axis=0)
    axis = np.linalg.svd(centred, full_matrices=False)[2][0]
    along = centred @ axis
    ordered = np.sort(along)
    n = len(points)
    gaps = [
        (
            k * (n - k) * (ordered[k:].mean() - ordered[:k].mean()) ** 2,
            (ordered[k - 1] + ordered[k]) / 2,
        )
        for k in range(1, n)
    ]
    first = along > max(gaps)[1]
    for _ in range(10):
        if first.all() or not first.any():
            return np.full(n, 0.5), 0.0
        middles = np.stack([np.median(points[first], axis=0), np.median(points[~first], axis=0)])
        distance = np.linalg.norm(points[:, None] - middles[None], axis=2)
        again = distance[:, 0] < distance[:, 1]
        if (again == first).all():
            break
        first = again
    if first.all() or not first.any():
        return np.full(n, 0.5), 0.0
    inside = np.where(first, distance[:, 0], distance[:, 1])
    spread = float(np.sqrt((inside**2).mean())) + 2.0
    apart = float(np.linalg.norm(middles[0] - middles[1]))
    chance = 1 / (1 + np.exp(-(distance[:, 1] - distance[:, 0]) / spread * 2))
    share = first.mean()
    return chance, apart / spread * float(np.sqrt(4 * share * (1 - share)))
