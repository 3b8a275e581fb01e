"""The look of one set of pieces on one board, learned from a position that is known."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from crownhead.vision.observation import Codes, Floats32
from crownhead.vision.view import Image

CELLS = 6
"""A square's features are means over so many cells along each edge."""

CHANNELS = 4
"""Lightness, two axes of colour, strength of edges."""

SHIFTS = (-0.12, 0.0, 0.12)
"""Men stand off centre; each square is also learned shifted by so many squares."""


@dataclass(frozen=True, slots=True, eq=False)
class SetLook:
    """A linear discriminant between empty squares, White's and Black's pieces.

    Attributes:
        means: float32, shape (3, d), mean features of empty, white, black, whitened.
        whiten: float32, shape (d, d), maps features to a space where each class has unit spread.
        temper: factor on squared distances that makes log-likelihoods honest.
        strange_beyond: squared distance from the nearest class beyond which a square is strange.
        separation: for the pairs empty-white, empty-black, white-black, how many spreads lie
            between the two.
        kings: float32, shape (k, d), features of kings learned since, whitened.
        king_codes: int8, shape (k,), whose kings they are.
    """

    means: Floats32
    whiten: Floats32
    temper: float
    strange_beyond: float
    separation: tuple[float, float, float]
    kings: Floats32 | None = None
    king_codes: Codes | None = None


def square_features(view: Image, px: int, *, shift: tuple[float, float] = (0.0, 0.0)) -> Floats32:
    """Describe every square of a board view.

    Args:
        view: uint8 BGR, the field with half a square of margin, ``px`` pixels a square.
        px: edge of a square in the view, a multiple of `CELLS`.
        shift: (x, y) in squares, at most half a square: where the middle of a square is taken.

    Returns:
        float32, shape (size, size, CELLS * CELLS * CHANNELS).
    """
    lab = cv2.cvtColor(view, cv2.COLOR_BGR2LAB)
    light = lab[..., 0]
    across = cv2.Sobel(light, cv2.CV_32F, 1, 0)
    down = cv2.Sobel(light, cv2.CV_32F, 0, 1)
    # The root tames strong edges, which differ most when a piece stands a little off its place.
    edges = 4.0 * np.sqrt(cv2.magnitude(across, down))
    stack = np.dstack([lab.astype(np.float32), edges])
    size = view.shape[0] // px - 1
    left, top = px // 2 + round(shift[0] * px), px // 2 + round(shift[1] * px)
    field = stack[top : top + size * px, left : left + size * px]
    step = px // CELLS
    cells = field.reshape(size, CELLS, step, size, CELLS, step, CHANNELS).mean(axis=(2, 5))
    return np.ascontiguousarray(cells.transpose(0, 2, 1, 3, 4)).reshape(size, size, -1)


def shifted_features(view: Image, px: int) -> Floats32:
    """Return the features of every square at each shift, float32, shape (shifts, size, size, d)."""
    return np.stack(
        [square_features(view, px, shift=(x, y)) for y in SHIFTS for x in SHIFTS]
    ).astype(np.float32)


def learn_look(samples: Floats32, codes: Codes, *, shrink: float = 0.3) -> SetLook:
    """Fit a discriminant to squares whose contents are known.

    Linear discriminant analysis (R. A. Fisher, 'The use of multiple measurements in taxonomic
    problems', 1936) with the covariance drawn towards its diagonal, since there are fewer
    squares than features. Distances are tempered so that the features, which say much the same
    thing many times over, do not make the result too sure of itself.

    Args:
        samples: float32, shape (shifts, squares, d).
        codes: int8, shape (squares,), the content of each; each of the three must occur.
        shrink: 0 keeps the covariance, 1 its diagonal alone.

    Raises:
        ValueError: one of the three contents does not occur.
    """
    if set(np.unique(codes)) != {0, 1, 2}:
        raise ValueError("a position to learn from shows empty squares and pieces of both sides")
    shifts, _, width = samples.shape
    flat = samples.reshape(-1, width).astype(np.float64)
    labels = np.tile(codes, shifts)
    means = np.stack([flat[labels == k].mean(axis=0) for k in range(3)])
    rest = flat - means[labels]
    spread = rest.T @ rest / len(rest)
    # Four grey levels squared: noise that one quiet view does not show.
    spread = (1 - shrink) * spread + np.diag(shrink * np.diag(spread) + 4.0)
    whiten = np.linalg.inv(np.linalg.cholesky(spread))
    white_means = means @ whiten.T
    distances = ((flat @ whiten.T)[:, None, :] - white_means[None]) ** 2
    nearest = distances.sum(axis=2).min(axis=1)
    gaps = tuple(
        float(np.linalg.norm(white_means[a] - white_means[b])) for a, b in ((0, 1), (0, 2), (1, 2))
    )
    return SetLook(
        means=white_means.astype(np.float32),
        whiten=whiten.astype(np.float32),
        temper=_temper(width),
        strange_beyond=2.5 * float(np.percentile(nearest, 98)),
        separation=(gaps[0], gaps[1], gaps[2]),
    )


def with_king(look: SetLook, samples: Floats32, code: int) -> SetLook:
    """Learn what a king of one side looks like, from one square at several shifts.

    Args:
        look: what was learned before.
        samples: float32, shape (shifts, d).
        code: whose king it is.
    """
    white = (samples @ look.whiten.T).astype(np.float32)
    codes = np.full(len(white), code, np.int8)
    if look.kings is None or look.king_codes is None:
        return replace(look, kings=white, king_codes=codes)
    kings = np.concatenate([look.kings, white])
    return replace(look, kings=kings, king_codes=np.concatenate([look.king_codes, codes]))


def _temper(width: int) -> float:
    """Return the factor for distances: neighbouring cells count about as one in four."""
    return 36.0 / width


def weigh(look: SetLook, features: Floats32) -> tuple[Floats32, Floats32]:
    """Return log-likelihoods and strangeness of squares with the given features.

    Args:
        look: what was learned.
        features: float32, shape (squares, d).

    Returns:
        float32, shape (squares, 3), the best of each row at 0; and float32, shape (squares,): the
        distance from what is nearest to each square, over 1 where it looks like nothing learned.
    """
    white = features @ look.whiten.T
    squared = ((white[:, None, :] - look.means[None]) ** 2).sum(axis=2)
    if look.kings is not None and look.king_codes is not None:
        from_kings = ((white[:, None, :] - look.kings[None]) ** 2).sum(axis=2)
        for code in np.unique(look.king_codes):
            near = from_kings[:, look.king_codes == code].min(axis=1)
            squared[:, code] = np.minimum(squared[:, code], near)
    nearest = squared.min(axis=1, keepdims=True)
    log_likelihood = -0.5 * look.temper * (squared - nearest)
    strangeness = nearest[:, 0] / np.float32(look.strange_beyond)
    return log_likelihood.astype(np.float32), np.asarray(strangeness, np.float32)
