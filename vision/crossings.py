"""X-corners: the points where two light and two dark squares of a chequered board meet."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from crownhead.vision.view import Floats

Plane = NDArray[np.float32]
"""One channel of a picture, float32, shape (height, width), about 0 to 1."""


@dataclass(frozen=True, slots=True)
class CrossingParams:
    """Limits of the search, in pixels of the reduced picture and parts of its full range.

    Attributes:
        blur_px: Gaussian sigma before the second derivatives.
        contrast_px: edge of the window whose spread counts as local contrast.
        saddle_floor: least saddle strength, relative to local contrast.
        noise: spread below which a picture is flat.
        ring_px: radius of the circle on which a crossing is tested.
        ring_samples: samples on it; a multiple of four.
        symmetry: least correlation between opposite halves of the circle.
        contrast: least difference between light and dark sectors.
        limit: most saddle points looked at.
    """

    blur_px: float = 1.5
    contrast_px: int = 11
    saddle_floor: float = 0.12
    noise: float = 0.006
    ring_px: float = 4.5
    ring_samples: int = 32
    symmetry: float = 0.5
    contrast: float = 0.03
    limit: int = 1600


@dataclass(frozen=True, slots=True, eq=False)
class Crossings:
    """X-corners of one picture.

    Attributes:
        points_px: float64, shape (n, 2), (x, y).
        edges: float64, shape (n, 2), directions of the two edges as angles from x towards y.
            Past the first, by growing angle, it gets light; past the second dark; the second
            lies less than half a turn after the first.
        contrast: float64, shape (n,), light minus dark.
    """

    points_px: Floats
    edges: Floats
    contrast: Floats

    def __len__(self) -> int:
        return len(self.points_px)


def find_crossings(plane: Plane, params: CrossingParams | None = None) -> Crossings:
    """Find the X-corners of one channel.

    Saddle points of the smoothed picture are taken to sub-pixel places by one Newton step and
    kept if a circle round each shows two light and two dark sectors, opposite ones alike.
    """
    params = params or CrossingParams()
    points = _saddles(plane, params)
    return _ring_test(plane, points, params)


def _saddles(plane: Plane, params: CrossingParams) -> Floats:
    smooth = cv2.GaussianBlur(plane, (0, 0), params.blur_px)
    xx = cv2.Sobel(smooth, cv2.CV_32F, 2, 0, ksize=3, scale=0.25)
    yy = cv2.Sobel(smooth, cv2.CV_32F, 0, 2, ksize=3, scale=0.25)
    xy = cv2.Sobel(smooth, cv2.CV_32F, 1, 1, ksize=3, scale=0.25)
    window = (params.contrast_px, params.contrast_px)
    mean = cv2.blur(plane, window)
    spread = np.sqrt(np.maximum(cv2.blur(plane * plane, window) - mean * mean, 0))
    bend = np.sqrt(np.maximum(xy * xy - xx * yy, 0))
    strength = bend * params.blur_px**2 / (spread + params.noise)
    peak = (strength >= cv2.dilate(strength, np.ones((5, 5), np.uint8))) & (
        strength > params.saddle_floor
    )
    margin = int(np.ceil(params.ring_px)) + 1
    peak[:margin] = peak[-margin:] = False
    peak[:, :margin] = peak[:, -margin:] = False
    ys, xs = np.nonzero(peak)
    if len(xs) > params.limit:
        best = np.argsort(-strength[ys, xs], kind="stable")[: params.limit]
        ys, xs = ys[best], xs[best]
    gx = (smooth[ys, xs + 1] - smooth[ys, xs - 1]) / 2
    gy = (smooth[ys + 1, xs] - smooth[ys - 1, xs]) / 2
    a, b, c = xx[ys, xs], xy[ys, xs], yy[ys, xs]
    det = a * c - b * b
    det = np.where(det == 0, -1e-12, det)
    step = np.column_stack([-(c * gx - b * gy) / det, -(a * gy - b * gx) / det])
    return np.asarray(np.column_stack([xs, ys]) + np.clip(step, -1.5, 1.5), np.float64)


def _ring_test(plane: Plane, points: Floats, params: CrossingParams) -> Crossings:
    if not len(points):
        return Crossings(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))
    half = params.ring_samples // 2
    angles = np.arange(params.ring_samples) * (np.pi / half)
    x = (points[:, :1] + params.ring_px * np.cos(angles)).astype(np.float32)
    y = (points[:, 1:] + params.ring_px * np.sin(angles)).astype(np.float32)
    fine = cv2.GaussianBlur(plane, (0, 0), 0.8)
    ring = np.asarray(cv2.remap(fine, x, y, cv2.INTER_LINEAR), np.float64)
    first, second = ring[:, :half], ring[:, half:]
    a = first - first.mean(axis=1, keepdims=True)
    b = second - second.mean(axis=1, keepdims=True)
    norm = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1)) + 1e-12
    symmetry = (a * b).sum(axis=1) / norm
    mean = (a + b) / 2
    high, low = mean.max(axis=1), mean.min(axis=1)
    signed = mean - ((high + low) / 2)[:, None]
    after = np.roll(signed, -1, axis=1)
    rising, falling = (signed < 0) & (after >= 0), (signed >= 0) & (after < 0)
    keep = (
        (symmetry > params.symmetry)
        & (high - low > params.contrast)
        & (rising.sum(axis=1) == 1)
        & (falling.sum(axis=1) == 1)
    )
    signed, after = signed[keep], after[keep]
    row = np.arange(len(signed))

    def direction(change: NDArray[np.bool_]) -> Floats:
        at = change[keep].argmax(axis=1)
        before, behind = signed[row, at], after[row, at]
        return np.asarray((at + before / (before - behind)) * (np.pi / half), np.float64)

    up, down = direction(rising), direction(falling)
    down = np.where(down > up, down, down + np.pi)
    return Crossings(points[keep], np.column_stack([up, down]), (high - low)[keep])
