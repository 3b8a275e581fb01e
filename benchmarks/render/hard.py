"""Kinds of pictures that are hard to read: how a board and its pieces are bent to each kind."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from benchmarks.render.board import BoardStyle
from benchmarks.render.camera import Camera
from benchmarks.render.light import Lights
from benchmarks.render.looks import BOARDS, PAINT, PieceWish, contrast, vary
from benchmarks.render.textures import Colour, Image

KINDS = ("dark-on-dark", "wood-on-wood", "vinyl", "small", "stacks")

_LOOKS = {
    "dark-on-dark": ("wood_red", "glossy", "magnetic", "magnetic_grey", "checkers_red", "paper"),
    "wood-on-wood": ("wood", "wood_pale", "wood_close", "wood_red"),
    "vinyl": ("vinyl_green", "vinyl_brown"),
}


def bent_style(rng: np.random.Generator, style: BoardStyle, kind: str) -> BoardStyle:
    """Return a board of this kind, of the same measures as a given one."""
    if kind in _LOOKS:
        look = str(rng.choice(_LOOKS[kind]))
        light, dark, frame, materials = BOARDS[look]
        colours = [vary(rng, PAINT[name], 0.15) for name in (light, dark, frame)]
        style = replace(
            style,
            look=look,
            light=colours[0],
            dark=colours[1],
            frame=colours[2],
            materials=materials,
            playing="dark",
        )
    if kind == "vinyl":
        style = replace(
            style,
            thickness_cm=float(rng.uniform(0.05, 0.3)),
            gloss=float(rng.uniform(0.5, 1.0)),
            roughness=float(rng.uniform(0.05, 0.25)),
            fold_axis=None,
        )
    return style


def wish(rng: np.random.Generator, style: BoardStyle, kind: str) -> PieceWish:
    """Return what is asked of the pieces of this kind of picture."""
    if kind == "dark-on-dark":
        pale = str(rng.choice(["white", "ivory", "cream", "red", "maple", "yellow"]))
        deep = _near(rng, style.dark, (4.0, 30.0), ("black", "ink", "wenge", "walnut", "mahogany"))
        return PieceWish(colours=((pale, vary(rng, PAINT[pale], 0.12)), ("like-square", deep)))
    if kind == "wood-on-wood":
        pale = str(rng.choice(["maple", "natural", "beige", "cream"]))
        deep = str(rng.choice(["walnut", "brown", "mahogany", "wenge"]))
        pair = [(name, vary(rng, PAINT[name], 0.12)) for name in (pale, deep)]
        return PieceWish(colours=(pair[0], pair[1]), wooden=True)
    if kind == "small":
        return PieceWish(diameter=(0.3, 0.48), spread=float(rng.choice([0.1, 0.13])))
    if kind == "stacks":
        return PieceWish(king="stack", shape=str(rng.choice(["disc", "cap"])))
    return PieceWish()


def _near(
    rng: np.random.Generator, ground: Colour, limits: tuple[float, float], names: tuple[str, ...]
) -> Colour:
    """Return a paint as near to the ground's colour as the limits say."""
    for _ in range(200):
        colour = vary(rng, PAINT[str(rng.choice(names))], 0.15)
        if limits[0] < contrast(colour, ground) < limits[1]:
            return colour
    return vary(rng, ground, 0.15)


def elevation(kind: str) -> tuple[float, float]:
    """Return the lowest and highest angle of the camera above the table, in degrees."""
    return (30, 45) if kind == "stacks" else (30, 90)


def crease(rng: np.random.Generator, sheet: Image) -> Image:
    """Draw the creases of a rolled or folded mat on the board's picture."""
    edge = sheet.shape[0]
    shade = np.zeros((edge, edge), np.float32)
    folds = [k / 4 for k in (1, 2, 3)] if rng.random() < 0.6 else list(rng.uniform(0.1, 0.9, 2))
    for at in folds:
        for upright in (False, True):
            if rng.random() < 0.3:
                continue
            lean = rng.normal(0, 0.01, 2) * edge
            a, b = (-5, round(at * edge + lean[0])), (edge + 5, round(at * edge + lean[1]))
            if upright:
                a, b = a[::-1], b[::-1]
            sign = float(rng.choice([-1, 1]))
            wide = max(1, round(edge * rng.uniform(0.002, 0.006)))
            cv2.line(shade, a, b, sign, wide, cv2.LINE_AA)
            beside = ((a[0] + wide, a[1] + wide), (b[0] + wide, b[1] + wide))
            cv2.line(shade, *beside, -0.7 * sign, wide, cv2.LINE_AA)
    soft = cv2.GaussianBlur(shade, (0, 0), edge * float(rng.uniform(0.001, 0.004)))
    broad = cv2.GaussianBlur(shade, (0, 0), edge * 0.02)
    gain = 1 + rng.uniform(0.15, 0.45) * soft + rng.uniform(0.3, 1.2) * broad
    return np.asarray((sheet * gain[..., None]).clip(0, 255), np.uint8)


def glare(rng: np.random.Generator, style: BoardStyle, lights: Lights, camera: Camera) -> Lights:
    """Move the lamp or window to where the board mirrors it into the camera."""
    spot = np.append(rng.uniform(-0.8, 0.8, 2) * style.half, style.thickness_cm)
    away = spot - camera.eye
    rise = float(lights.key[2])
    key = spot + away * np.array([1, 1, -1]) * (rise / max(-away[2], 1e-6))
    return replace(
        lights,
        key=key,
        half_size=(
            style.half * float(rng.uniform(0.2, 0.7)),
            style.half * float(rng.uniform(0.2, 0.7)),
        ),
        window_colour=lights.key_colour * float(np.exp(rng.uniform(-0.8, 1.0))),
    )
