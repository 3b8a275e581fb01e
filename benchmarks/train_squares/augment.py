"""Random changes to a board view, and what the network gets of it."""

from dataclasses import dataclass

import cv2
import numpy as np
from boards import MARGIN, PX, TruthBoard
from numpy.random import Generator
from numpy.typing import NDArray

from crownhead.vision import squares_net

KING_COUNTS = 3.0
OTHER_KIND = 0.3

_NOISE = np.random.default_rng(0).normal(0, 1, (512, 512, 3)).astype(np.float32)
"""Drawn once and used from random places on: new noise for each board would cost the most."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """What the network gets of a board, and what it should say.

    Attributes:
        view: float32, shape (3, n, n), n = (size + 1) * 32.
        labels: int64, shape (size * size,): 0 empty, 1 man, 2 king, -1 unknown.
        sides: float32, shape (size * size,): 1 one side, 0 the other, -1 no piece.
        weights: float32, shape (size * size,): what each square counts.
    """

    view: NDArray[np.float32]
    labels: NDArray[np.int64]
    sides: NDArray[np.float32]
    weights: NDArray[np.float32]


def changed(board: TruthBoard, rng: Generator) -> Example:
    """Return a board after a random change of view, light and colour."""
    turns, mirrored = int(rng.integers(4)), bool(rng.integers(2))
    signs = np.array([list(row) for row in board.rows])
    view, labels, signs = (np.rot90(a, turns) for a in (board.view, board.labels, signs))
    if mirrored:
        view, labels, signs = view[:, ::-1], labels[:, ::-1], signs[:, ::-1]
    loose = rng.choice([0.02, 0.05, 0.1])
    shift = rng.normal(0, loose, (4, 2)) + rng.normal(0, 0.03, 2)
    cut = _cut(np.ascontiguousarray(view), board.size, shift.clip(-0.25, 0.25)).astype(np.float32)
    cut = _colour(cut, rng)
    cut = _blur_and_noise(cut, rng)
    sides = np.where(np.isin(signs, ["w", "W"]), 1.0, np.where(labels > 0, 0.0, -1.0))
    return Example(
        squares_net.normalised(cut),
        np.ascontiguousarray(labels).ravel(),
        sides.astype(np.float32).ravel(),
        _weights(labels).ravel(),
    )


def _weights(labels: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return what each square counts: kings most, squares on which no man can stand least."""
    kind = np.indices(labels.shape).sum(axis=0) % 2
    men = [int((labels[kind == k] > 0).sum()) for k in (0, 1)]
    playing = kind == int(men[1] > men[0])
    weights = np.where(playing, 1.0, OTHER_KIND if sum(men) else 1.0)
    return np.where(labels == 2, KING_COUNTS, weights).astype(np.float32)


def _cut(view: NDArray[np.uint8], size: int, shift: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Cut out the network's view; ``shift`` moves the corners, in squares."""
    edge = round((size + 2 * squares_net.NET_MARGIN) * squares_net.NET_PX)
    field = np.array([[0, 0], [size, 0], [size, size], [0, size]], float)
    # Half a pixel: the centre of the first pixel is at (0, 0), its corner is the field's.
    there = ((field + shift + MARGIN) * PX - 0.5).astype(np.float32)
    here = ((field + squares_net.NET_MARGIN) * squares_net.NET_PX - 0.5).astype(np.float32)
    smooth = cv2.GaussianBlur(view, (0, 0), 0.55)
    warp = cv2.getPerspectiveTransform(there, here)
    return np.asarray(cv2.warpPerspective(smooth, warp, (edge, edge)), np.uint8)


def _colour(cut: NDArray[np.float32], rng: Generator) -> NDArray[np.float32]:
    if rng.random() < 0.3:
        cut = cut[..., rng.permutation(3)]
    if rng.random() < 0.5:
        mix = np.eye(3) + rng.normal(0, 0.15, (3, 3))
        cut = cut @ mix.T.astype(np.float32)
    if rng.random() < 0.15:
        grey = cut.mean(axis=2, keepdims=True)
        cut = grey + (cut - grey) * np.float32(rng.uniform(0, 0.5))
    if rng.random() < 0.12:
        cut = 255 - cut
    levels = (np.arange(256) / 255) ** np.exp(rng.normal(0, 0.25)) * 255
    cut = levels.astype(np.float32)[cut.clip(0, 255).astype(np.uint8)]
    edge = len(cut)
    axis = np.linspace(-0.5, 0.5, edge)
    slope = rng.normal(0, 0.25, 2)
    ramp = 1 + slope[0] * axis[:, None] + slope[1] * axis[None, :]
    return np.asarray(cut * ramp[..., None].clip(0.3, 1.7) * rng.uniform(0.6, 1.15), np.float32)


def _blur_and_noise(cut: NDArray[np.float32], rng: Generator) -> NDArray[np.uint8]:
    if rng.random() < 0.5:
        cut = np.asarray(cv2.GaussianBlur(cut, (0, 0), rng.uniform(0.3, 1.3)), np.float32)
    elif rng.random() < 0.2:
        soft = cv2.GaussianBlur(cut, (0, 0), 1.0)
        cut = np.asarray(cut + rng.uniform(0.3, 1) * (cut - soft), np.float32)
    edge = len(cut)
    y, x = rng.integers(0, len(_NOISE) - edge, 2)
    cut = cut + np.float32(rng.choice([0.5, 2, 6])) * _NOISE[y : y + edge, x : x + edge]
    out = cut.clip(0, 255).astype(np.uint8)
    if rng.random() < 0.3:
        quality = int(rng.integers(25, 80))
        out = np.asarray(
            cv2.imdecode(cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], 1),
            np.uint8,
        )
    return out
