"""Everything on a table, and its picture in linear light."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.render.board import BoardStyle, Pose, outer_ring
from benchmarks.render.camera import Camera, project, rays
from benchmarks.render.light import Lights, key_share, mirror, shadow_at
from benchmarks.render.pieces import Placed, Sprite, outline, trace_piece
from benchmarks.render.textures import Colour, Image

Floats = NDArray[np.float64]
Plane = NDArray[np.float32]
TO_LINEAR = (np.arange(256, dtype=np.float32) / 255) ** 2
SHADE_PX = 560


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What the board stands on; ``tile_cm`` is the edge of one tile of the sheet."""

    sheet: Image
    tile_cm: float
    angle: float
    reach: tuple[float, float]
    floor: Colour
    gloss: float
    roughness: float


@dataclass(frozen=True, slots=True)
class Box:
    """A block on the table: a book, a telephone, a clock."""

    x: float
    y: float
    half: tuple[float, float]
    height: float
    angle: float
    colour: Colour


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A table with a board, its pieces and what lies about; ``texture`` is the board from above."""

    style: BoardStyle
    texture: Image
    pose: Pose
    table: Table
    lights: Lights
    boxes: tuple[Box, ...] = ()


def box_hull(box: Box) -> Floats:
    """Return the eight corners of a box, the lower four first, shape (8, 3)."""
    c, s = np.cos(box.angle), np.sin(box.angle)
    flat = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(box.half)
    x, y = box.x + flat[:, 0] * c - flat[:, 1] * s, box.y + flat[:, 0] * s + flat[:, 1] * c
    low = np.column_stack([x, y, np.zeros(4)])
    return np.vstack([low, low + np.array([0, 0, box.height])])


def cast(lights: Lights, hulls: list[Floats], level: float, reach: float) -> Plane:
    """Return the shadows of convex bodies on a level plane as a map, 0 to 1, before blurring.

    Args:
        lights: the lights.
        hulls: points of each body in the world, shape (n, 3).
        level: height of the plane.
        reach: half the edge of the map in centimetres; its rows run along y upwards.
    """
    n = SHADE_PX
    picture = np.zeros((n, n), np.uint8)
    for hull in hulls:
        high = np.maximum(hull[:, 2:], level)
        shift = (high - level) / np.maximum(lights.key[2] - high, 1.0)
        flat = hull[:, :2] + (hull[:, :2] - lights.key[:2]) * shift
        pixels = ((flat + reach) * (n / 2 / reach) - 0.5) * 16
        around = cv2.convexHull(np.clip(pixels, -30000, 30000).astype(np.int32).reshape(-1, 1, 2))
        cv2.fillConvexPoly(picture, around, 255, cv2.LINE_AA, 4)
    return picture.astype(np.float32) / 255


def soften(shadow: Plane, reach: float, width: float) -> Plane:
    """Blur a shadow map by a width in centimetres."""
    sigma = max(width * SHADE_PX / 2 / reach, 0.3)
    return np.asarray(cv2.GaussianBlur(shadow, (0, 0), sigma), np.float32)


def _sample(field: Plane, x: Plane, y: Plane, reach: float) -> Plane:
    scale = np.float32(field.shape[0] / 2 / reach)
    return np.asarray(
        cv2.remap(
            field,
            (x + np.float32(reach)) * scale - np.float32(0.5),
            (y + np.float32(reach)) * scale - np.float32(0.5),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_CONSTANT,
        ),
        np.float32,
    )


def board_hit(style: BoardStyle, pose: Pose, eye: Floats, ray: Plane) -> tuple[Plane, Plane]:
    """Return where rays meet the board's upper face: x and y from the board's middle."""
    c, s = float(np.cos(pose.angle)), float(np.sin(pose.angle))
    ex, ey = float(eye[0] - pose.x), float(eye[1] - pose.y)
    ex, ey, ez = c * ex + s * ey, c * ey - s * ex, float(eye[2])
    dx, dy, dz = c * ray[0] + s * ray[1], c * ray[1] - s * ray[0], np.minimum(ray[2], -1e-3)
    level = style.thickness_cm
    if style.fold_axis is None or style.fold_deg == 0:
        t = (level - ez) / dz
    else:
        slope = float(np.tan(np.radians(style.fold_deg)))
        ew, dw = (ey, dy) if style.fold_axis == 0 else (ex, dx)
        t = (level + slope * ew - ez) / (dz - slope * dw)
        other = (level - slope * ew - ez) / (dz + slope * dw)
        t = np.where(ew + t * dw > 0, t, other)
    return ex + t * dx, ey + t * dy


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture in linear light by its sources: what the key light gives, and what the sky."""

    key: Plane
    sky: Plane

    def total(self) -> Plane:
        """Return both together, float32 linear BGR, shape (h, w, 3)."""
        return np.asarray(self.key + self.sky, np.float32)

    def copy(self) -> Picture:
        """Return a picture that may be drawn on."""
        return Picture(self.key.copy(), self.sky.copy())


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """Table, boxes and board as a camera sees them, before small shadows fall on them.

    Attributes:
        albedo: linear BGR, shape (h, w, 3).
        table: x and y on the table for each pixel.
        part: rows and columns that the board lies in.
        board: x and y in the world of the board's face, for that part.
        cover: share of each pixel that the board's face fills, for that part, shape (h, w, 1).
        above: pixels that show a box.
        share: key light for each pixel, large shadows included.
        shine: reflected key light for each pixel.
    """

    albedo: Plane
    table: tuple[Plane, Plane]
    part: tuple[slice, slice]
    board: tuple[Plane, Plane]
    cover: Plane
    above: NDArray[np.bool_]
    share: Plane
    shine: Plane


def see_ground(scene: Scene, camera: Camera) -> Ground:
    """Find what each pixel shows of table and board, and how the lights reach it."""
    style, pose = scene.style, scene.pose
    whole = (0, 0, camera.width, camera.height)
    eye = camera.eye
    ray = np.stack(rays(camera, whole))
    t = np.float32(-eye[2]) / np.minimum(ray[2], -1e-3)
    table_x, table_y = np.float32(eye[0]) + t * ray[0], np.float32(eye[1]) + t * ray[1]
    albedo = _table_albedo(scene.table, table_x, table_y, ray[2])

    ring = outer_ring(style, pose)
    cover8 = np.zeros((camera.height, camera.width), np.uint8)
    edge = np.round(project(camera, ring) * 16).astype(np.int32)
    cv2.fillPoly(cover8, [edge], 255, cv2.LINE_AA, 4)
    _draw_sides(scene, camera, albedo, ring)
    blocks = np.zeros_like(cover8)
    for box in scene.boxes:
        around = cv2.convexHull(np.round(project(camera, box_hull(box))).astype(np.int32))
        cv2.fillConvexPoly(blocks, around, 255)
    left, upper, wide, high = cv2.boundingRect(cover8)
    part = (slice(upper, upper + high), slice(left, left + wide))
    x, y = board_hit(style, pose, eye, ray[(slice(None), *part)])
    scale = np.float32(scene.texture.shape[0] / 2 / style.half_outer)
    face = cv2.remap(
        scene.texture,
        (x + np.float32(style.half_outer)) * scale - np.float32(0.5),
        (np.float32(style.half_outer) - y) * scale - np.float32(0.5),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    cover = cover8[part].astype(np.float32)[..., None] / 255
    albedo[part] = (albedo[part] * (1 - cover) + face * cover + 0.5).astype(np.uint8)
    c, s = np.float32(np.cos(pose.angle)), np.float32(np.sin(pose.angle))
    share, shine = _coarse_light(scene, camera, cover8)
    return Ground(
        albedo=np.asarray(cv2.LUT(albedo, TO_LINEAR), np.float32),
        table=(table_x, table_y),
        part=part,
        board=(np.float32(pose.x) + c * x - s * y, np.float32(pose.y) + s * x + c * y),
        cover=cover,
        above=(blocks > 0) & (cover8 == 0),
        share=share,
        shine=shine,
    )


def light_ground(scene: Scene, ground: Ground, pieces: tuple[Placed, ...]) -> Picture:
    """Light table and board with the shadows of all that stands there, without the pieces."""
    lights = scene.lights
    key, sky = _ground_light(scene, ground, pieces)
    # The ground's shadows are not for what stands on it.
    key[ground.above] = sky[ground.above] = 1
    key *= ground.share
    shine = ground.shine * (0.3 + 0.7 * np.minimum(key, 1))
    by_key, by_sky = np.empty_like(ground.albedo), np.empty_like(ground.albedo)
    for channel in range(3):
        albedo = ground.albedo[..., channel]
        by_sky[..., channel] = albedo * sky * np.float32(lights.sky[channel])
        by_key[..., channel] = albedo * key * np.float32(lights.key_colour[channel])
        by_key[..., channel] += shine * np.float32(lights.window_colour[channel])
    return Picture(by_key, by_sky)


def in_order(camera: Camera, pieces: Iterable[Placed]) -> list[Placed]:
    """Return pieces in the order to draw them: the farthest first, stacked ones upwards."""
    eye = camera.eye

    def nearness(placed: Placed) -> float:
        return float(placed.foot[2] - np.hypot(*(placed.foot[:2] - eye[:2])))

    return sorted(pieces, key=nearness)


def draw(scene: Scene, camera: Camera, pieces: tuple[Placed, ...], samples: int = 2) -> Picture:
    """Draw the whole scene once."""
    picture = light_ground(scene, see_ground(scene, camera), pieces)
    for placed in in_order(camera, pieces):
        sprite = trace_piece(camera, scene.lights, placed, samples)
        if sprite is not None:
            blend(picture, sprite)
    return picture


def blend(picture: Picture, sprite: Sprite) -> None:
    """Lay a sprite over a picture, in place."""
    high, wide = sprite.cover.shape[:2]
    part = np.s_[sprite.top : sprite.top + high, sprite.left : sprite.left + wide]
    clear = 1 - sprite.cover[..., None]
    for canvas, colour in ((picture.key, sprite.key), (picture.sky, sprite.sky)):
        canvas[part] *= clear
        canvas[part] += colour


def _table_albedo(table: Table, x: Plane, y: Plane, up: Plane) -> Image:
    n = table.sheet.shape[0]
    c, s = np.float32(np.cos(table.angle)), np.float32(np.sin(table.angle))
    scale = np.float32(n / table.tile_cm)
    map_x, map_y = (c * x + s * y) * scale, (c * y - s * x) * scale
    albedo = np.asarray(
        cv2.remap(
            table.sheet,
            np.clip(map_x, -20 * n, 20 * n),
            np.clip(map_y, -20 * n, 20 * n),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REFLECT,
        ),
        np.uint8,
    )
    off = (np.abs(x) > table.reach[0]) | (np.abs(y) > table.reach[1]) | (up > -1e-3)
    albedo[off] = np.array(table.floor, np.uint8)
    return albedo


def _fill(picture: Image, camera: Camera, points: Floats, colour: Colour) -> None:
    pixels = np.round(project(camera, points) * 16).astype(np.int32)
    cv2.fillPoly(picture, [pixels], colour, cv2.LINE_AA, 4)


def _facing(scene: Scene, along: Floats, middle: Floats) -> float:
    """Return how a wall is lit: 0 turned away from the key light, 1 square to it."""
    outward = np.array([along[1], -along[0]]) / max(float(np.hypot(*along)), 1e-6)
    to_key = scene.lights.key - middle
    return max(0.0, float(outward @ to_key[:2]) / float(np.linalg.norm(to_key)))


def _draw_sides(scene: Scene, camera: Camera, picture: Image, ring: Floats) -> None:
    """Draw the board's rim and the boxes into the table's colours."""
    eye = camera.eye
    for start in range(0, 64, 16):
        edge = ring[np.arange(start, start + 17) % 64]
        along = edge[-1] - edge[0]
        outward = np.array([along[1], -along[0]])
        if outward @ (eye[:2] - edge[0, :2]) <= 0:
            continue
        foot = edge * [1, 1, 0]
        share = 0.45 + 0.6 * _facing(scene, along[:2], edge[8])
        colour = tuple(min(255.0, c * share) for c in scene.style.frame)
        _fill(picture, camera, np.vstack([edge, foot[::-1]]), colour)
    for box in scene.boxes:
        hull = box_hull(box)
        for k in range(4):
            a, b = hull[k], hull[(k + 1) % 4]
            along = (b - a)[:2]
            if np.array([along[1], -along[0]]) @ (eye[:2] - a[:2]) <= 0:
                continue
            share = 0.4 + 0.6 * _facing(scene, along, a)
            quad = np.array([a, b, hull[(k + 1) % 4 + 4], hull[k + 4]])
            _fill(picture, camera, quad, tuple(min(255.0, c * share) for c in box.colour))
        _fill(picture, camera, hull[4:], box.colour)


def _ground_light(scene: Scene, ground: Ground, pieces: tuple[Placed, ...]) -> tuple[Plane, Plane]:
    """Return the shares of key and sky light on table and board, with all small shadows."""
    style, lights = scene.style, scene.lights
    wide = style.half_outer * 2.2
    reach = style.half_outer * 1.05
    level = style.thickness_cm
    mean_height = float(np.mean([p.model.height for p in pieces])) if pieces else 0.5
    ring = outer_ring(style, scene.pose)
    board_hull = np.vstack([ring, ring * [1, 1, 0]])

    hulls = [outline(p) for p in pieces if p.foot[2] < level / 2]
    low = soften(cast(lights, hulls, 0.0, wide), wide, mean_height * lights.softness)
    big = cast(lights, [board_hull, *(box_hull(b) for b in scene.boxes)], 0.0, wide)
    low = np.maximum(low, soften(big, wide, (level + 0.2) * lights.softness))
    contact = cast(lights, [board_hull * [1, 1, 0], *(h * [1, 1, 0] for h in hulls)], 0.0, wide)
    contact = soften(contact, wide, 0.3 + level * 0.3)
    key = 1 - _sample(low, *ground.table, wide)
    sky = 1 - np.float32(0.7) * _sample(contact, *ground.table, wide)

    on_board = [outline(p) for p in pieces if p.foot[2] >= level / 2]
    high = soften(cast(lights, on_board, level, reach), reach, mean_height * lights.softness)
    touching = [np.column_stack([h[:24, :2], np.full(24, level)]) for h in on_board]
    close = soften(cast(lights, touching, level, reach), reach, 0.1 * style.square_cm)
    share = ground.cover[..., 0]
    for field, over in (
        (key, 1 - _sample(high, *ground.board, reach)),
        (sky, 1 - np.float32(0.6) * _sample(close, *ground.board, reach)),
    ):
        field[ground.part] += (over - field[ground.part]) * share
    return key, sky


def coarse_points(scene: Scene, camera: Camera, cover8: Image) -> tuple[Plane, Plane, Plane]:
    """Return directions and points of the ground for every fourth pixel, and where the board is."""
    low = np.stack(rays(camera, (0, 0, camera.width, camera.height), 4))
    eye = camera.eye
    rows, columns = low.shape[1:]
    on_board = cv2.resize(cover8, (columns, rows), interpolation=cv2.INTER_AREA) > 127
    level = np.where(on_board, np.float32(scene.style.thickness_cm), np.float32(0))
    t = (level - np.float32(eye[2])) / np.minimum(low[2], -1e-3)
    t = np.minimum(t, np.float32(2000))
    point = np.stack([eye[i].astype(np.float32) + t * low[i] for i in range(3)])
    return low, point, on_board


def _coarse_light(scene: Scene, camera: Camera, cover8: Image) -> tuple[Plane, Plane]:
    """Return key light and its reflection on the ground, computed coarsely and enlarged."""
    style, lights = scene.style, scene.lights
    low, point, on_board = coarse_points(scene, camera, cover8)
    share = key_share(lights, point)
    length = 1 / np.sqrt((low**2).sum(axis=0))
    direction = np.stack([low[0] * length, low[1] * length, -low[2] * length])
    fresnel = 0.2 + 0.8 * (1 - np.clip(direction[2], 0, 1)) ** 4
    shine = fresnel * np.where(
        on_board,
        mirror(lights, point, direction, style.roughness) * np.float32(style.gloss),
        mirror(lights, point, direction, scene.table.roughness) * np.float32(scene.table.gloss),
    )
    lit = shadow_at(lights, point)
    if lit is not None:
        share, shine = share * lit, shine * lit
    size = (camera.width, camera.height)
    return (
        np.asarray(cv2.resize(share, size, interpolation=cv2.INTER_LINEAR), np.float32),
        np.asarray(cv2.resize(shine, size, interpolation=cv2.INTER_LINEAR), np.float32),
    )
