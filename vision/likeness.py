"""Squares judged again by their likeness to the other squares of the same board.

The network looks at each square alone, and a strongly grained empty square may look like a man to
it. On its own board it looks like the other empty squares, though. So a plain linear classifier
is taught on the colours of this one board, with the network's judgement of the other squares for
truth, and each square hears what the others make of it.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from crownhead.vision.view import Image

Floats = NDArray[np.float64]

RINGS_PX = ((0, 4), (4, 8), (8, 11), (11, 18))
"""Inner and outer radius of the rings whose colours are compared."""
SPAN = 3.0
RIDGE = 5.0
ROUNDS = 2
CLIP = 6.0


def ring_colours(view: Image, size: int) -> Floats:
    """Describe each square by the colours of rings round its middle.

    Args:
        view: the board view of `cut_view`, uint8 BGR.
        size: squares along an edge.

    Returns:
        float64, shape (size, size, 24): mean and spread in Lab of each ring.
    """
    px = view.shape[0] * 10 // (size * 10 + 6)
    rim = (view.shape[0] - size * px) // 2
    lab = np.asarray(cv2.cvtColor(view.astype(np.float32) / 255, cv2.COLOR_BGR2Lab))
    end = rim + size * px
    squares = lab[rim:end, rim:end].reshape(size, px, size, px, 3).transpose(0, 2, 1, 3, 4)
    y, x = np.indices((px, px)) - (px - 1) / 2
    radius = np.hypot(x, y)
    seen = []
    for inner, outer in RINGS_PX:
        ring = squares[:, :, (radius >= inner) & (radius < outer)]
        seen += [ring.mean(axis=2), ring.std(axis=2)]
    return np.concatenate(seen, axis=-1).astype(np.float64)


def heard(odds: Floats, seen: Floats, weight: float) -> tuple[Floats, float]:
    """Add to each square's log-odds what the other squares make of it.

    Args:
        odds: log-odds of a man, the line between empty and occupied at 0, shape (n,).
        seen: what the squares look like, shape (n, d).
        weight: log-odds that full agreement of the others is worth.

    Returns:
        the new log-odds, shape (n,), and how well the squares foretell each other, 0 to 1.
    """
    own = odds.clip(-CLIP, CLIP)
    if len(own) < 4:
        return own, 0.0
    looks = (seen - seen.mean(axis=0)) / (seen.std(axis=0) + 1e-3)
    looks *= SPAN / np.sqrt(looks.shape[1])
    kernel = looks @ looks.T + 1.0
    hat = kernel @ np.linalg.inv(kernel + RIDGE * np.eye(len(own)))
    itself = np.diag(hat)
    judged, agreement = own, 0.0
    for _ in range(ROUNDS):
        wanted = np.tanh(judged / 2)
        others = (hat @ wanted - itself * wanted) / (1 - itself)  # each square left out in turn
        missed = ((wanted - others) ** 2).mean() / (wanted.var() + 0.05)
        agreement = max(0.0, 1.0 - float(missed))
        judged = own + weight * agreement * others
    return np.asarray(judged, np.float64), agreement
