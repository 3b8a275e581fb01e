"""Procedural surfaces: wood, cloth, print, speckle. All are uint8 BGR as the eye sees them."""

from __future__ import annotations

import itertools

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Plane = NDArray[np.float32]
Colour = tuple[float, float, float]
"""Blue, green, red, 0 to 255, as in a picture (not linear)."""


def noise(rng: np.random.Generator, shape: tuple[int, int], cells: tuple[float, float]) -> Plane:
    """Return smooth noise, about -1 to 1, with so many cells down and across."""
    down, across = max(2, round(cells[0])), max(2, round(cells[1]))
    small = rng.random((down + 1, across + 1), dtype=np.float32) * 2 - 1
    return np.asarray(
        cv2.resize(small, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC), np.float32
    )


def clouds(
    rng: np.random.Generator, shape: tuple[int, int], cells: float, octaves: int = 4
) -> Plane:
    """Return noise in several sizes, each half as large and half as strong."""
    total = np.zeros(shape, np.float32)
    for octave in range(octaves):
        many = cells * 2**octave
        total += noise(rng, shape, (many, many * shape[1] / shape[0])) * 0.5**octave
    return total


def wood_grain(rng: np.random.Generator, shape: tuple[int, int], size: float) -> Plane:
    """Return the grain of boards that run across, about -1 to 1; ``size`` in rings a height."""
    across = shape[1] / shape[0]
    warp = noise(rng, shape, (3, 2 * across)) * 1.2 + noise(rng, shape, (7, 3 * across)) * 0.3
    y = np.linspace(0, size, shape[0], dtype=np.float32)[:, None]
    rings = np.sin((y + warp * rng.uniform(0.5, 1.6)) * 2 * np.pi)
    fibre = noise(rng, shape, (min(shape[0] / 2, 160), 5 * across))
    spots = noise(rng, shape, (4, 3 * across))
    figure = noise(rng, shape, (14, 14 * across))
    weights = rng.uniform(0.2, 1.0, 4).astype(np.float32)
    weights /= weights.sum()
    return np.asarray(
        weights[0] * rings + weights[1] * fibre + weights[2] * spots + weights[3] * figure,
        np.float32,
    )


def tint(colour: Colour, pattern: Plane, contrast: float) -> Plane:
    """Return a colour made lighter and darker by a pattern; float32, shape (h, w, 3)."""
    factor = (1 + contrast * pattern)[..., None]
    return np.asarray(np.array(colour, np.float32) * factor, np.float32)


def to_picture(values: Plane) -> Image:
    """Clip to 0..255 and round."""
    return np.clip(values, 0, 255).astype(np.uint8)


def material(
    rng: np.random.Generator, kind: str, shape: tuple[int, int], colour: Colour, strength: float
) -> Plane:
    """Return a sheet of one material, float32 0..255, shape (h, w, 3)."""
    if kind == "wood":
        # Few big figures in each square, more on the whole sheet.
        pattern = wood_grain(rng, shape, shape[0] / rng.uniform(14, 60))
        sheet = tint(colour, pattern, 0.55 * strength)
        sheet[..., 0] *= 1 + 0.15 * strength * pattern  # the dark grain is the redder one
        return sheet
    if kind == "leather":
        cells = shape[0] / rng.uniform(3, 7)
        return tint(
            colour, noise(rng, shape, (cells, cells * shape[1] / shape[0])), 0.12 * strength
        )
    if kind == "speckle":
        pattern = rng.standard_normal(shape, dtype=np.float32)
        return tint(colour, cv2.GaussianBlur(pattern, (0, 0), 1.1), 0.25 * strength)
    if kind == "marble":
        veins = np.abs(clouds(rng, shape, 6))
        return tint(colour, 0.5 - veins, 0.5 * strength)
    if kind == "ink":  # printed: streaks of the print head, pale spots
        lines = noise(rng, shape, (shape[0] / 3, 2))
        return tint(colour, lines + clouds(rng, shape, 5), 0.08 * strength)
    return tint(colour, clouds(rng, shape, 8, 3), 0.04 * strength)


def table_sheet(rng: np.random.Generator, kind: str, colour: Colour, edge: int = 768) -> Image:
    """Return what the board stands on, to be laid in mirrored tiles; uint8, shape (edge, edge, 3).

    Kinds: planks, plain, cloth, checked, speckle, tiles, carpet, paper.
    """
    shape = (edge, edge)
    if kind == "planks":
        sheet = np.empty((edge, edge, 3), np.float32)
        count = int(rng.integers(2, 9))
        bounds = np.linspace(0, edge, count + 1).astype(int)
        contrast = rng.uniform(0.1, 0.35)
        for top, bottom in itertools.pairwise(bounds):
            rings = rng.uniform(2, 8)
            grain = wood_grain(rng, (int(bottom - top), edge), rings)
            sheet[top:bottom] = tint(colour, grain, contrast) * rng.uniform(0.88, 1.1)
            sheet[top : top + 1 + edge // 400] *= rng.uniform(0.4, 1.0)
        return to_picture(sheet)
    if kind == "checked":
        cells = int(rng.integers(3, 12))
        index = (np.arange(edge) * cells // edge) % 2
        other = np.array(rng.uniform(150, 250, 3), np.float32)
        if rng.random() < 0.6:  # woven: half tone where one stripe crosses
            mix = (index[:, None] + index[None, :]) / 2
        else:
            mix = ((index[:, None] + index[None, :]) % 2).astype(float)
        sheet = other + (np.array(colour, np.float32) - other) * mix[..., None].astype(np.float32)
        weave = rng.standard_normal(shape, dtype=np.float32)
        return to_picture(sheet * (1 + 0.04 * weave)[..., None])
    if kind == "cloth":
        weave = rng.standard_normal(shape, dtype=np.float32)
        pattern = cv2.GaussianBlur(weave, (0, 0), 0.8) * 0.12 + clouds(rng, shape, 3) * 0.05
        return to_picture(tint(colour, pattern, 1.0))
    if kind == "carpet":
        weave = cv2.GaussianBlur(rng.standard_normal(shape, dtype=np.float32), (0, 0), 1.8)
        return to_picture(tint(colour, weave * 0.7 + clouds(rng, shape, 4) * 0.08, 1.0))
    if kind == "speckle":
        grain = cv2.GaussianBlur(rng.standard_normal(shape, dtype=np.float32), (0, 0), 1.0)
        sheet = tint(colour, grain, 0.25)
        for _ in range(300):
            x, y = (int(v) for v in rng.integers(0, edge, 2))
            shade = rng.uniform(0.5, 1.4)
            cv2.circle(sheet, (x, y), int(rng.integers(1, 4)), [c * shade for c in colour], -1)
        return to_picture(sheet)
    if kind == "tiles":
        sheet = tint(colour, clouds(rng, shape, 5), 0.08)
        step = edge // int(rng.integers(2, 6))
        for at in range(0, edge, step):
            joint = [c * 0.7 for c in colour]
            cv2.line(sheet, (at, 0), (at, edge), joint, 4)
            cv2.line(sheet, (0, at), (edge, at), joint, 4)
        return to_picture(sheet)
    return to_picture(tint(colour, clouds(rng, shape, 3), 0.05))
