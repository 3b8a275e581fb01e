"""Kinds of pictures that are hard to read: how a board and its pieces are bent to each kind."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from benchmarks.render.board import BoardStyle, square_middle
from benchmarks.render.camera import Camera
from benchmarks.render.light import Lights
from benchmarks.render.looks import BOARDS, PAINT, PieceWish, contrast, vary
from benchmarks.render.textures import Colour, Image, clouds, wood_grain

KINDS = ("dark-on-dark", "wood-on-wood", "vinyl", "small", "stacks")
LEARNED_KINDS = (*KINDS, "printed")
"""With a kind to learn from only: squares that bear a printed figure or a strong grain."""

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


FIGURES = ("cut", "disc", "ring", "diamond", "star", "number", "frame", "knots", "streaks")


def figures(rng: np.random.Generator, sheet: Image, style: BoardStyle) -> Image:
    """Print a figure on each playing square: one that a hasty eye takes for a man.

    Squares with cut corners, discs, rings, diamonds, stars, large numbers, inner frames; or knots
    and streaks as strong as a man's shadow, another on each square.
    """
    picture = sheet.astype(np.float32)
    scale = sheet.shape[0] / (2 * style.half_outer)
    edge = max(8, round(style.square_cm * scale))
    kind = str(rng.choice(FIGURES))
    playing, other = style.dark, style.light
    if style.playing == "light":
        playing, other = other, playing
    ink = np.array(other if rng.random() < 0.6 else vary(rng, playing, 0.6), np.float32)
    cover = float(rng.uniform(0.35, 1.0))
    stencil = _figure(rng, kind, edge)
    for number in range(1, style.size * style.size // 2 + 1):
        x, y = square_middle(style, number)
        left = round((x + style.half_outer) * scale - edge / 2)
        top = round((style.half_outer - y) * scale - edge / 2)
        part = picture[top : top + edge, left : left + edge]
        if kind == "knots":
            stencil = np.tanh((clouds(rng, (edge, edge), 2.5) - 0.5) * 4) * 0.5 + 0.5
        elif kind == "streaks":
            stencil = np.tanh(wood_grain(rng, (edge, edge), rng.uniform(2, 7)) * 2) * 0.5 + 0.5
        shape = stencil[: part.shape[0], : part.shape[1], None]
        part += (ink - part) * shape * np.float32(cover)
    return np.asarray(picture.clip(0, 255), np.uint8)


def _figure(rng: np.random.Generator, kind: str, edge: int) -> Image:
    """Return the cover of a figure on a square, float32 0 to 1, shape (edge, edge)."""
    fine = 128
    cover = np.zeros((fine, fine), np.uint8)
    middle = (fine // 2, fine // 2)
    reach = rng.uniform(0.25, 0.48) * fine
    thick = max(2, round(rng.uniform(0.03, 0.1) * fine))
    if kind == "cut":
        cut = rng.uniform(0.12, 0.34) * fine
        a, b = cut, fine - cut
        corners = [(a, 0), (b, 0), (fine, a), (fine, b), (b, fine), (a, fine), (0, b), (0, a)]
        cv2.fillPoly(cover, [np.round(np.array(corners) * 16).astype(np.int32)], 255, 16, 4)
        cover = 255 - cover  # the corners show the other colour
        if rng.random() < 0.3:
            cv2.circle(cover, middle, round(reach), 255, thick, cv2.LINE_AA)
    elif kind in ("disc", "ring"):
        cv2.circle(cover, middle, round(reach), 255, -1 if kind == "disc" else thick, cv2.LINE_AA)
    elif kind in ("diamond", "frame", "star"):
        tips = {"diamond": 4, "frame": 4, "star": int(rng.integers(4, 9)) * 2}[kind]
        turn = np.arange(tips) * 2 * np.pi / tips + (np.pi / 4 if kind == "frame" else 0)
        far = np.where(np.arange(tips) % 2 == 0, 1.0, 0.45 if kind == "star" else 1.0) * reach
        points = np.stack([np.cos(turn) * far, np.sin(turn) * far], axis=1) + fine / 2
        outline = [np.round(points * 16).astype(np.int32)]
        if kind == "star" or rng.random() < 0.5:
            cv2.fillPoly(cover, outline, 255, cv2.LINE_AA, 4)
        else:
            cv2.polylines(cover, outline, True, 255, thick, cv2.LINE_AA, 4)
    else:
        text = str(rng.integers(1, 50))
        size = float(rng.uniform(1.2, 2.6))
        (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
        at = ((fine - wide) // 2, (fine + high) // 2)
        cv2.putText(cover, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, 255, thick, cv2.LINE_AA)
    small = cv2.resize(cover, (edge, edge), interpolation=cv2.INTER_AREA)
    return np.asarray(small.astype(np.float32) / 255)


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
