"""Draughtsmen: surfaces of revolution with a relief, traced ray by ray."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.render.camera import Camera, project, rays
from benchmarks.render.light import Lights, shade, shadow_at
from benchmarks.render.textures import Colour, clouds, wood_grain

Floats = NDArray[np.float64]
Plane = NDArray[np.float32]
PATCH = 128
"""Edge of a relief in its own pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class PieceModel:
    """How one kind of piece is made.

    Attributes:
        radius: at the foot, in centimetres.
        height: in centimetres.
        taper: growth of the radius for each centimetre of height.
        slope: float32, shape (PATCH, PATCH, 2): slope of the top along x and y.
        top: float32 linear BGR, shape (PATCH, PATCH, 3).
        side: linear BGR.
        ribs: teeth round the side; 0 for a smooth one.
        rib_depth: slope of the teeth.
        bevel: rounded edge in centimetres.
        gloss: strength of reflections, 0 to 1.
        roughness: 0.02 polished, 0.6 dull.
    """

    radius: float
    height: float
    taper: float
    slope: Plane
    top: Plane
    side: tuple[float, float, float]
    ribs: int
    rib_depth: float
    bevel: float
    gloss: float
    roughness: float


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A piece somewhere: the middle of its foot in the world and how it is turned."""

    model: PieceModel
    foot: Floats
    rotation: Floats


def turned(angle: float, tilt: float = 0.0, toward: float = 0.0) -> Floats:
    """Return a rotation: spun about its axis, then tilted toward a direction (radians)."""
    c, s = np.cos(angle), np.sin(angle)
    spin = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    if tilt == 0.0:
        return spin
    axis = np.array([-np.sin(toward), np.cos(toward), 0.0])
    matrix, _ = cv2.Rodrigues(axis * tilt)
    return np.asarray(matrix, float) @ spin


def radial_grid() -> tuple[Plane, Plane, Plane]:
    """Return x, y and distance from the middle over the patch, -1 to 1."""
    axis = (np.arange(PATCH, dtype=np.float32) + 0.5) / PATCH * 2 - 1
    x, y = np.meshgrid(axis, axis)
    return x, y, np.hypot(x, y)


def relief(rng: np.random.Generator, kind: str) -> Plane:
    """Return a relief of the top, about -1 to 1 in heights of a groove.

    Kinds: plain, dish, dome, rings, rim, groove, star, flower, spokes, letter.
    """
    x, y, r = radial_grid()
    angle = np.arctan2(y, x)
    if kind == "rings":
        count = rng.uniform(2.0, 5.0)
        inner = rng.uniform(0.0, 0.35)
        wave = np.cos(2 * np.pi * r * count + rng.uniform(0, 6))
        sharp = np.tanh(wave * rng.uniform(1, 3))
        return np.where((r > inner) & (r < 0.93), sharp, 0.4).astype(np.float32)
    if kind == "rim":
        edge = rng.uniform(0.68, 0.88)
        step = np.tanh((r - edge) * 25)
        knob = np.tanh((rng.uniform(0.2, 0.45) - r) * 25) if rng.random() < 0.5 else 0.0
        return np.asarray(step + 0.6 * knob, np.float32)
    if kind == "groove":
        grooves = np.zeros_like(r)
        for at in np.sort(rng.uniform(0.25, 0.9, int(rng.integers(1, 4)))):
            grooves -= np.exp(-(((r - at) / 0.035) ** 2))
        return grooves
    if kind == "dish":
        return np.asarray(np.clip((r / 0.9) ** 2, 0, 1) * 2, np.float32)
    if kind == "dome":
        return np.asarray(-2 * r * r, np.float32)
    if kind == "star":
        tips = int(rng.integers(4, 9))
        limit = 0.35 + 0.2 * np.cos(angle * tips)
        return np.asarray(np.tanh((limit - r) * 20) + 0.8 * np.tanh((r - 0.8) * 25), np.float32)
    if kind == "flower":
        petals = int(rng.integers(5, 12))
        inside = np.cos(angle * petals + 3 * r) * np.exp(-(((r - 0.45) / 0.2) ** 2))
        return np.asarray(inside * 1.2 + np.tanh((r - 0.8) * 25), np.float32)
    if kind == "spokes":
        teeth = int(rng.integers(16, 40))
        band = ((r > 0.6) & (r < 0.92)).astype(np.float32)
        return np.asarray(np.cos(angle * teeth) * band * 0.8, np.float32)
    if kind == "letter":
        picture = np.zeros((PATCH, PATCH), np.float32)
        text = "KDMBXA8&"[int(rng.integers(8))]
        _write(picture, text, 1.0)
        return cv2.GaussianBlur(picture, (0, 0), 1.2) * 1.5 + np.tanh((r - 0.8) * 25)
    return np.zeros_like(r)


RELIEFS = ("plain", "dish", "dome", "rings", "rim", "groove", "star", "flower", "spokes", "letter")


def _write(picture: Plane, text: str, value: float) -> None:
    scale, thick = PATCH / 60, max(2, PATCH // 22)
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, thick)
    at = ((PATCH - width) // 2, (PATCH + height) // 2)
    stencil = np.zeros(picture.shape, np.uint8)  # OpenCV 5 writes on bytes only
    cv2.putText(stencil, text, at, cv2.FONT_HERSHEY_SIMPLEX, scale, 255, thick, cv2.LINE_AA)
    np.maximum(picture, stencil.astype(np.float32) * np.float32(value / 255), out=picture)


def mark(rng: np.random.Generator, kind: str) -> Plane:
    """Return the outline of a king's mark, 0 to 1.

    Kinds: crown, star, cross, dot, ring, letter, sticker.
    """
    picture = np.zeros((PATCH, PATCH), np.float32)
    half, size = PATCH / 2, PATCH * rng.uniform(0.22, 0.36)
    if kind == "crown":
        tips = int(rng.choice([3, 3, 3, 5]))
        points = [(-1.0, 0.7), (-1.1, -0.6)]
        for tip in range(1, tips - 1):
            points.append((-1.1 + 2.2 * (tip - 0.5) / (tips - 1), 0.0))
            points.append((-1.1 + 2.2 * tip / (tips - 1), -0.8))
        points += [(-1.1 + 2.2 * (tips - 1.5) / (tips - 1), 0.0), (1.1, -0.6), (1.0, 0.7)]
        outline = np.array(points) * size + half
        cv2.fillPoly(picture, [np.round(outline * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
    elif kind == "star":
        tips = int(rng.choice([4, 5, 6]))
        turn = np.arange(2 * tips) * np.pi / tips
        reach = np.where(np.arange(2 * tips) % 2 == 0, 1.2, 0.5) * size
        outline = np.stack([np.sin(turn) * reach, -np.cos(turn) * reach], axis=1) + half
        cv2.fillPoly(picture, [np.round(outline * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
    elif kind == "cross":
        a, b, thick = round(half - size), round(half + size), max(3, round(size / 3))
        cv2.line(picture, (a, a), (b, b), 1.0, thick, cv2.LINE_AA)
        cv2.line(picture, (a, b), (b, a), 1.0, thick, cv2.LINE_AA)
    elif kind == "ring":
        cv2.circle(picture, (PATCH // 2, PATCH // 2), round(size * 1.3), 1.0, round(size / 2), 16)
    elif kind == "letter":
        _write(picture, "KDQ"[int(rng.integers(3))], 1.0)
    elif kind == "sticker":
        a, b = round(half - size), round(half + size)
        cv2.rectangle(picture, (a, a), (b, b), 1.0, -1)
    else:
        cv2.circle(picture, (PATCH // 2, PATCH // 2), round(size), 1.0, -1, cv2.LINE_AA)
    return picture


def make_piece(
    rng: np.random.Generator,
    body: PieceBody,
    colour: Colour,
    relief_map: Plane,
    marking: tuple[Plane, Colour] | None = None,
) -> PieceModel:
    """Return a piece of a set: its shape, its colour, its relief and perhaps a mark."""
    base = np.array(colour, np.float32)
    albedo = np.broadcast_to(base, (PATCH, PATCH, 3)).copy()
    shape = (PATCH, PATCH)
    if body.grain:
        grain = wood_grain(rng, shape, rng.uniform(3, 9)) + 0.5 * clouds(rng, shape, 4)
        albedo *= (1 + body.grain * grain)[..., None]
    if body.rim_colour is not None:
        _, _, r = radial_grid()
        albedo[r > body.rim_from] = body.rim_colour
    groove = np.clip(0.92 + 0.08 * relief_map, 0.7, 1.0)
    albedo *= groove[..., None]
    if marking is not None:
        cover = marking[0][..., None]
        albedo += (np.array(marking[1], np.float32) - albedo) * cover
    dx = cv2.Sobel(relief_map, cv2.CV_32F, 1, 0, ksize=3) / 8
    dy = cv2.Sobel(relief_map, cv2.CV_32F, 0, 1, ksize=3) / 8
    slope = np.stack([dx, dy], axis=2) * np.float32(body.depth * PATCH / 8)
    linear = (np.clip(albedo, 0, 255) / 255) ** 2
    side = (np.clip(base * body.side_shade, 0, 255) / 255) ** 2
    return PieceModel(
        body.radius,
        body.height,
        body.taper,
        slope.astype(np.float32),
        linear.astype(np.float32),
        (float(side[0]), float(side[1]), float(side[2])),
        body.ribs,
        body.rib_depth,
        body.bevel,
        body.gloss,
        body.roughness,
    )


@dataclass(frozen=True, slots=True)
class PieceBody:
    """What the pieces of one set have in common; lengths in centimetres."""

    radius: float
    height: float
    taper: float
    bevel: float
    depth: float
    ribs: int
    rib_depth: float
    grain: float
    side_shade: float
    gloss: float
    roughness: float
    rim_from: float = 1.0
    rim_colour: Colour | None = None


def outline(placed: Placed, grow: float = 1.0) -> Floats:
    """Return points round the foot and the top in the world, shape (48, 3)."""
    model = placed.model
    angle = np.arange(24) * (2 * np.pi / 24)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    low = np.column_stack([ring * model.radius * grow, np.zeros(24)])
    high_radius = (model.radius + model.taper * model.height) * grow
    high = np.column_stack([ring * high_radius, np.full(24, model.height)])
    return np.vstack([low, high]) @ placed.rotation.T + placed.foot


@dataclass(frozen=True, slots=True, eq=False)
class Sprite:
    """A thing cut out: where it lies, what it shows by each light (times cover), what it covers."""

    left: int
    top: int
    key: Plane
    sky: Plane
    cover: Plane


def trace_piece(camera: Camera, lights: Lights, placed: Placed, samples: int = 2) -> Sprite | None:
    """Draw a piece as a sprite of its own; None if it is out of the picture."""
    hull = project(camera, outline(placed))
    left, top = np.floor(hull.min(axis=0)).astype(int) - 1
    right, bottom = np.ceil(hull.max(axis=0)).astype(int) + 2
    left, top = max(int(left), 0), max(int(top), 0)
    right, bottom = min(int(right), camera.width), min(int(bottom), camera.height)
    if right <= left or bottom <= top:
        return None
    size = (right - left, bottom - top)
    layers = _trace(camera, lights, placed, (left, top, right, bottom), samples)
    key, sky, cover = (cv2.resize(a, size, interpolation=cv2.INTER_AREA) for a in layers)
    return Sprite(left, top, key, sky, cover)


def _trace(
    camera: Camera, lights: Lights, placed: Placed, roi: tuple[int, int, int, int], samples: int
) -> tuple[Plane, Plane, Plane]:
    model = placed.model
    world = np.stack(rays(camera, roi, 1 / samples))
    turn = placed.rotation.astype(np.float32)
    dx, dy, dz = np.tensordot(turn.T, world, axes=1)
    ox, oy, oz = (float(v) for v in placed.rotation.T @ (camera.eye - placed.foot))
    radius, height, taper = model.radius, model.height, model.taper
    far = np.float32(1e9)
    dz = np.where(np.abs(dz) < 1e-6, np.float32(1e-6), dz)

    level = height if oz > height / 2 else 0.0
    t_top = (level - oz) / dz
    x, y = ox + t_top * dx, oy + t_top * dy
    top_radius = radius + taper * level
    on_top = (x * x + y * y <= top_radius**2) & (t_top > 0)

    grow = radius + taper * oz
    a = dx * dx + dy * dy - taper**2 * dz * dz
    b = ox * dx + oy * dy - taper * dz * grow
    c = ox * ox + oy * oy - grow * grow
    root = b * b - a * c
    t_side = np.where(root > 0, (-b - np.sqrt(np.maximum(root, 0))) / a, far)
    z_side = oz + t_side * dz
    on_side = (root > 0) & (z_side >= 0) & (z_side <= height) & (t_side > 0) & ~on_top

    cover = on_top | on_side
    t = np.where(on_top, t_top, np.where(on_side, t_side, 0)).astype(np.float32)
    x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
    u, v = x / top_radius, y / top_radius

    map_x = ((u + 1) / 2 * PATCH - 0.5).astype(np.float32)
    map_y = ((v + 1) / 2 * PATCH - 0.5).astype(np.float32)
    border = cv2.BORDER_REPLICATE
    albedo = cv2.remap(model.top, map_x, map_y, cv2.INTER_LINEAR, borderMode=border)
    slope = cv2.remap(model.slope, map_x, map_y, cv2.INTER_LINEAR, borderMode=border)

    distance = np.sqrt(x * x + y * y) + 1e-6
    ux, uy = x / distance, y / distance
    edge = np.clip((distance - (top_radius - model.bevel)) / model.bevel, 0, 1) * 0.75
    low = np.clip((z - (height - model.bevel)) / model.bevel, 0, 1) * 0.75
    up = 1.0 if level else -1.0
    nx = np.where(on_top, -slope[..., 0] + ux * edge, ux)
    ny = np.where(on_top, -slope[..., 1] + uy * edge, uy)
    nz = np.where(on_top, up * (1 - 0.3 * edge), low - taper)
    if model.ribs:
        wave = model.rib_depth * np.cos(np.arctan2(y, x) * model.ribs) * ~on_top
        nx, ny = nx - uy * wave, ny + ux * wave
    scale = 1 / np.sqrt(nx * nx + ny * ny + nz * nz)
    normal = np.tensordot(turn, np.stack([nx * scale, ny * scale, nz * scale]), axes=1)
    point = np.tensordot(turn, np.stack([x, y, z]), axes=1)
    point += placed.foot.astype(np.float32)[:, None, None]

    albedo = np.where(on_top[..., None], albedo, np.array(model.side, np.float32))
    open_sky = np.where(on_top, 1.0, 0.55 + 0.4 * np.clip(z / height, 0, 1)).astype(np.float32)
    lit = shadow_at(lights, point)
    key, sky = shade(
        lights, point, normal, world, albedo, (model.gloss, model.roughness), lit, open_sky
    )
    covered = cover.astype(np.float32)
    return key * covered[..., None], sky * covered[..., None], covered
