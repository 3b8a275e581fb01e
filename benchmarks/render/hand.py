"""A hand with its forearm and sleeve: tapered capsules, traced coarsely and smeared by motion."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.render.camera import Camera, project, rays
from benchmarks.render.light import Lights, shade
from benchmarks.render.pieces import Sprite
from benchmarks.render.sensor import line_kernel

Floats = NDArray[np.float64]
Plane = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class HandLook:
    """Whose hand it is.

    Attributes:
        skin: linear BGR.
        sleeve: linear BGR.
        size: 1 for an average hand.
        thumb: 1 for a right hand, -1 for a left one.
        sleeve_from: share of the forearm that is bare, from the wrist.
        texture_seed: for skin and cloth.
    """

    skin: tuple[float, float, float]
    sleeve: tuple[float, float, float]
    size: float
    thumb: float
    sleeve_from: float
    texture_seed: int


@dataclass(frozen=True, slots=True, eq=False)
class HandPose:
    """Where a hand is: the point between its fingertips, its elbow, and what it does.

    ``kind`` is pinch, open, point or rest; ``width`` half the distance of the fingertips.
    """

    look: HandLook
    grip: Floats
    elbow: Floats
    kind: str
    width: float


@dataclass(frozen=True, slots=True, eq=False)
class Capsules:
    """Tapered capsules: ends and radii, shape (n, 3) and (n,); 1 in ``cloth`` for sleeves."""

    start: Floats
    end: Floats
    start_radius: Floats
    end_radius: Floats
    cloth: Floats


def capsules(pose: HandPose) -> Capsules:
    """Return a hand's parts in the world."""
    k, grip = pose.look.size, pose.grip
    flat = grip[:2] - pose.elbow[:2]
    ahead = np.array([*(flat / max(float(np.hypot(*flat)), 1e-6)), 0.0])
    aside = np.array([-ahead[1], ahead[0], 0.0]) * pose.look.thumb
    up = np.array([0.0, 0.0, 1.0])

    def at(base: Floats, forward: float, side: float, rise: float) -> Floats:
        return base + (ahead * forward + aside * side + up * rise) * k

    if pose.kind == "rest":
        wrist, middle = at(grip, -12.5, 0, 2.6), at(grip, -5, 0, 2.2)
    else:
        wrist, middle = at(grip, -11.5, -1.0, 6.0), at(grip, -5.2, -0.6, 5.6)
    knuckles = [
        at(middle, f, s, r)
        for f, s, r in ((0, 2.7, 0), (0.5, 0.9, 0.3), (0.2, -0.9, 0.1), (-0.5, -2.5, -0.3))
    ]
    parts: list[tuple[Floats, Floats, float, float, float]] = []
    tips = _tips(pose, at, knuckles)
    for knuckle, tip, thick in zip(knuckles, tips, (0.95, 1.0, 0.95, 0.8), strict=True):
        bend = 2.4 if pose.kind == "pinch" else 0.7
        top = (knuckle * 0.55 + tip * 0.45) + up * bend * k
        joints = [knuckle, knuckle * 0.3 + top * 0.7, top * 0.55 + tip * 0.45 + up * 0.4 * k, tip]
        radii = [1.05 * thick, 0.9 * thick, 0.82 * thick, 0.66 * thick]
        parts += [(joints[i], joints[i + 1], radii[i] * k, radii[i + 1] * k, 0.0) for i in range(3)]
        parts.append((wrist, knuckle, 1.75 * k, 1.25 * k, 0.0))
    base = at(wrist, 2.6, 2.6, -0.8)
    thumb = (
        at(grip, -pose.width / k, 0.7, -0.1) if pose.kind == "pinch" else at(base, 5.0, 2.2, -0.6)
    )
    knee = (base + thumb) / 2 + aside * 1.3 * k + up * 0.5 * k
    parts += [
        (wrist, base, 1.8 * k, 1.55 * k, 0.0),
        (base, knee, 1.5 * k, 1.05 * k, 0.0),
        (knee, thumb, 1.05 * k, 0.75 * k, 0.0),
    ]
    steps = np.linspace(0, 1, 7)
    for a, b in itertools.pairwise(steps):
        low, high = wrist + (pose.elbow - wrist) * a, wrist + (pose.elbow - wrist) * b
        parts.append((low, high, (2.4 + 1.8 * a) * k, (2.4 + 1.8 * b) * k, 0.0))
    cuff = pose.look.sleeve_from
    for a, b in itertools.pairwise(steps):
        share_a, share_b = cuff + (1 - cuff) * a, cuff + (1 - cuff) * b
        low = wrist + (pose.elbow - wrist) * share_a
        high = wrist + (pose.elbow - wrist) * share_b
        parts.append((low, high, (3.6 + 2.4 * share_a) * k, (3.6 + 2.4 * share_b) * k, 1.0))
    columns = list(zip(*parts, strict=True))
    return Capsules(*(np.array(column, float) for column in columns))


def _tips(pose: HandPose, at: Callable[..., Floats], knuckles: list[Floats]) -> list[Floats]:
    """Return where the four fingertips are."""
    grip, wide = pose.grip, pose.width / pose.look.size
    if pose.kind == "pinch":
        return [
            at(grip, wide, 0.5, -0.1),
            at(grip, wide * 0.8, -1.1, -0.1),
            at(grip, -0.6, -2.9, 1.2),
            at(grip, -1.9, -4.2, 1.6),
        ]
    if pose.kind == "point":
        curled = [at(knuckle, 1.2, 0.3, -2.2) for knuckle in knuckles]
        return [at(grip, 1.5, 0.5, 0.0), *curled[1:]]
    drop = -1.2 if pose.kind == "rest" else -3.0
    reach = (7.2, 8.0, 7.4, 5.8)
    spread = (0.8, 0.2, -0.4, -1.2)
    return [at(k, f, s, drop) for k, f, s in zip(knuckles, reach, spread, strict=True)]


def shadow_hulls(pose: HandPose) -> list[Floats]:
    """Return hulls of a hand's parts for casting shadows, each of shape (n, 3)."""
    parts = capsules(pose)
    angle = np.arange(8) * np.pi / 4
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(8)])
    return [
        np.vstack([a + ring * ra, b + ring * rb])
        for a, b, ra, rb in zip(
            parts.start, parts.end, parts.start_radius, parts.end_radius, strict=True
        )
    ]


def _bounds(camera: Camera, parts: Capsules, keep: NDArray[np.bool_]) -> Floats:
    """Return left, top, right, bottom of each part in pixels, shape (n, 4)."""
    boxes = np.zeros((len(keep), 4))
    for i in np.flatnonzero(keep):
        ends = np.stack([parts.start[i], parts.end[i]])
        depth = (ends @ camera.rotation.T + camera.translation)[:, 2]
        radius = np.array([parts.start_radius[i], parts.end_radius[i]]) / depth * camera.focal * 1.2
        pixels = project(camera, ends)
        boxes[i, :2] = (pixels - radius[:, None]).min(axis=0)
        boxes[i, 2:] = (pixels + radius[:, None]).max(axis=0)
    return boxes


def trace_hand(
    camera: Camera, lights: Lights, pose: HandPose, smear: tuple[float, float]
) -> Sprite | None:
    """Draw a hand as a sprite; None if no part of it is in the picture.

    Args:
        camera: the camera.
        lights: the lights.
        pose: the hand.
        smear: how far it moves in the picture while the shutter is open, x and y in pixels.
    """
    parts = capsules(pose)
    depth = np.minimum(
        (parts.start @ camera.rotation.T + camera.translation)[:, 2],
        (parts.end @ camera.rotation.T + camera.translation)[:, 2],
    )
    keep = depth > 8.0
    boxes = _bounds(camera, parts, keep)
    keep &= (boxes[:, 2] > 0) & (boxes[:, 3] > 0)
    keep &= (boxes[:, 0] < camera.width) & (boxes[:, 1] < camera.height)
    if not keep.any():
        return None
    pad = float(np.hypot(*smear)) / 2 + 4
    left, top = np.floor((boxes[keep, :2].min(axis=0) - pad) / 2).astype(int) * 2
    right, bottom = np.ceil((boxes[keep, 2:].max(axis=0) + pad) / 2).astype(int) * 2
    left, top = max(int(left), 0), max(int(top), 0)
    right, bottom = min(int(right), camera.width // 2 * 2), min(int(bottom), camera.height // 2 * 2)
    if right - left < 4 or bottom - top < 4:
        return None
    layers = _trace(camera, lights, pose.look, parts, keep, boxes, (left, top, right, bottom))
    if layers is None:
        return None
    length = float(np.hypot(*smear)) / 2
    if length > 1.5:
        kernel = line_kernel(length, float(np.arctan2(smear[1], smear[0])))
        layers = tuple(cv2.filter2D(a, -1, kernel) for a in layers)
    size = (right - left, bottom - top)
    key, sky, cover = (cv2.resize(a, size, interpolation=cv2.INTER_LINEAR) for a in layers)
    return Sprite(left, top, key, sky, cover)


def _trace(
    camera: Camera,
    lights: Lights,
    look: HandLook,
    parts: Capsules,
    keep: NDArray[np.bool_],
    boxes: Floats,
    roi: tuple[int, int, int, int],
) -> tuple[Plane, Plane, Plane] | None:
    ray = np.stack(rays(camera, roi, 2))
    ray /= np.sqrt((ray**2).sum(axis=0))
    rows, columns = ray.shape[1:]
    nearest = np.full((rows, columns), 1e9, np.float32)
    normal = np.zeros_like(ray)
    cloth = np.zeros((rows, columns), np.float32)
    cover = np.zeros((rows, columns), np.float32)
    eye = camera.eye
    for i in np.flatnonzero(keep):
        x0, y0 = (max(int((boxes[i, j] - roi[j]) // 2), 0) for j in (0, 1))
        x1, y1 = (int((boxes[i, j + 2] - roi[j]) // 2) + 2 for j in (0, 1))
        cut = np.s_[y0 : max(y1, 0), x0 : max(x1, 0)]
        d = ray[(slice(None), *cut)]
        if d.size == 0:
            continue
        v, w = parts.end[i] - parts.start[i], eye - parts.start[i]
        along, back = (np.tensordot(u.astype(np.float32), d, axes=1) for u in (v, w))
        square, e = np.float32(v @ v), np.float32(v @ w)
        s = np.clip((e - along * back) / np.maximum(square - along * along, 1e-4), 0, 1)
        t = s * along - back
        radius = parts.start_radius[i] + s * np.float32(parts.end_radius[i] - parts.start_radius[i])
        q = [np.float32(w[j]) + t * d[j] - s * np.float32(v[j]) for j in range(3)]
        distance = np.sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2)
        edge = np.clip((radius - distance) * (camera.focal / 2) / np.maximum(t, 1) + 0.5, 0, 1)
        half = np.sqrt(np.maximum(radius * radius - distance * distance, 0))
        hit = t - half
        front = (edge > 0) & (hit < nearest[cut]) & (t > 0)
        nearest[cut] = np.where(front, hit, nearest[cut])
        for j in range(3):
            n = (q[j] - d[j] * half) / radius
            normal[j][cut] = np.where(front, n, normal[j][cut])
        cloth[cut] = np.where(front, parts.cloth[i], cloth[cut])
        cover[cut] = np.maximum(cover[cut], edge * (t > 0))
    if not cover.any():
        return None
    scale = 90 / max(float(np.median(nearest[nearest < 1e8])), 1.0) * camera.width / 960
    for j in range(3):  # flesh has no creases as sharp as capsules do
        normal[j] = cv2.GaussianBlur(normal[j], (0, 0), max(1.5 * scale, 0.5))
    normal /= np.sqrt((normal**2).sum(axis=0)) + 1e-6
    nearest = np.where(nearest < 1e8, nearest, np.float32(60))
    point = np.stack([np.float32(eye[j]) + nearest * ray[j] for j in range(3)])
    albedo = _surface(look, point, cloth)
    open_sky = np.clip(0.5 + point[2] / 14, 0.4, 1.0).astype(np.float32)
    bare = replace(lights, shade_map=None)
    key, sky = shade(bare, point, normal, ray, albedo, (0.12, 0.5), None, open_sky)
    return key * cover[..., None], sky * cover[..., None], cover


def _surface(look: HandLook, point: Plane, cloth: Plane) -> Plane:
    """Return the albedo of skin and sleeve, blotched and woven; linear BGR."""
    rng = np.random.default_rng(look.texture_seed)
    skin, sleeve = np.array(look.skin, np.float32), np.array(look.sleeve, np.float32)
    phase = rng.uniform(0, 6, 3)
    blotch = np.sin(point[0] * 1.3 + phase[0]) * np.sin(point[1] * 1.1 + phase[1])
    fine = np.sin(point[0] * 5 + point[1] * 3) * np.sin(point[1] * 6 - point[0] * 2)
    skin_map = skin * (1 + 0.08 * blotch + 0.04 * fine)[..., None]
    skin_map[..., 2] *= 1 + 0.05 * blotch
    weave = 1 + 0.12 * np.sin(point[0] * 4.2 + phase[2]) * np.sin(point[2] * 4.2 + point[1] * 3)
    sleeve_map = sleeve * weave[..., None]
    return np.asarray(np.where(cloth[..., None] > 0, sleeve_map, skin_map), np.float32)
