"""Light: one key light with an area, a sky, and what they do to a surface."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Plane = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Lights:
    """The light in a room. Intensities are linear BGR; lengths in centimetres.

    Attributes:
        key: where the key light is.
        key_colour: what a surface square to it under it gets.
        sky: what comes from everywhere.
        half_size: half the width and depth of the shining rectangle at the key's height.
        window_colour: how bright that rectangle looks in a mirror.
        softness: width of penumbras as a share of the height of what casts the shadow.
        level: height of the plane on which `shade_map` lies.
        shade_map: float32, share of the key light that large things take away, or None.
        shade_reach: half the edge of that map in centimetres.
    """

    key: Floats
    key_colour: Floats
    sky: Floats
    half_size: tuple[float, float]
    window_colour: Floats
    softness: float
    level: float = 0.0
    shade_map: Plane | None = None
    shade_reach: float = 1.0


def key_share(lights: Lights, point: Plane, normal: Plane | None = None) -> Plane:
    """Return how much of the key light a surface gets, 1 straight below the key.

    Args:
        lights: the lights.
        point: shape (3, h, w) in the world.
        normal: of length one, shape (3, h, w); None for surfaces that lie flat.
    """
    key = lights.key.astype(np.float32)
    lx, ly, lz = key[0] - point[0], key[1] - point[1], key[2] - point[2]
    d2 = lx * lx + ly * ly + lz * lz
    inverse = 1 / np.sqrt(d2)
    facing = lz if normal is None else lx * normal[0] + ly * normal[1] + lz * normal[2]
    cosine = facing * inverse
    if normal is not None:
        wrap = np.float32(0.15)  # an area light reaches a little round the edge
        cosine = (cosine + wrap) / (1 + wrap)
    return np.asarray(np.maximum(cosine, 0) * (key[2] ** 2 / d2), np.float32)


def mirror(lights: Lights, point: Plane, direction: Plane, roughness: float) -> Plane:
    """Return how much of the shining rectangle is seen along reflected rays, 0 to 1."""
    up = np.maximum(direction[2], 1e-3)
    t = (np.float32(lights.key[2]) - point[2]) / up
    qx = np.abs(point[0] + t * direction[0] - np.float32(lights.key[0]))
    qy = np.abs(point[1] + t * direction[1] - np.float32(lights.key[1]))
    out_x = np.maximum(qx - lights.half_size[0], 0)
    out_y = np.maximum(qy - lights.half_size[1], 0)
    blur = np.float32(lights.key[2] * roughness * 1.3 + 0.5)
    lobe = np.exp(-(out_x * out_x + out_y * out_y) / (blur * blur))
    area = 4 * (lights.half_size[0] + 0.5) * (lights.half_size[1] + 0.5)
    spread = area / (area + 4 * blur * blur)  # a rough surface spreads the same light wider
    return np.asarray(lobe * spread * (direction[2] > 0), np.float32)


def shadow_at(lights: Lights, point: Plane) -> Plane | None:
    """Return the share of the key light that large things leave at points, or None for all."""
    if lights.shade_map is None:
        return None
    key = lights.key.astype(np.float32)
    drop = (point[2] - lights.level) / (key[2] - point[2])
    x = point[0] + (point[0] - key[0]) * drop
    y = point[1] + (point[1] - key[1]) * drop
    n = lights.shade_map.shape[0]
    scale = np.float32(n / 2 / lights.shade_reach)
    map_x = (x + lights.shade_reach) * scale - np.float32(0.5)
    map_y = (y + lights.shade_reach) * scale - np.float32(0.5)
    taken = cv2.remap(
        lights.shade_map,
        np.asarray(map_x, np.float32),
        np.asarray(map_y, np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(1 - taken, np.float32)


def shade(
    lights: Lights,
    point: Plane,
    normal: Plane,
    ray: Plane,
    albedo: Plane,
    finish: tuple[float, float],
    lit: Plane | None,
    open_sky: Plane,
) -> tuple[Plane, Plane]:
    """Return the light that surfaces send back along rays, by key and by sky, linear BGR.

    Args:
        lights: the lights.
        point: shape (3, h, w).
        normal: of length one, shape (3, h, w).
        ray: directions from the eye, any length, shape (3, h, w).
        albedo: linear BGR, shape (h, w, 3).
        finish: gloss and roughness.
        lit: share of the key light that arrives, or None for all of it.
        open_sky: share of the sky that is seen.
    """
    share = key_share(lights, point, normal)
    gloss, roughness = finish
    length = 1 / np.sqrt(ray[0] ** 2 + ray[1] ** 2 + ray[2] ** 2)
    along = (ray[0] * normal[0] + ray[1] * normal[1] + ray[2] * normal[2]) * length
    reflected = ray * length - 2 * along * normal
    fresnel = 0.25 + 0.75 * (1 - np.clip(-along, 0, 1)) ** 4
    shine = mirror(lights, point, reflected, roughness) * fresnel * gloss
    if lit is not None:
        share, shine = share * lit, shine * lit
    hemisphere = (0.65 + 0.35 * normal[2]) * open_sky
    by_key = share[..., None] * lights.key_colour.astype(np.float32) * albedo
    by_key += shine[..., None] * lights.window_colour.astype(np.float32)
    haze = fresnel * gloss * 0.12  # the room itself in the polish
    by_sky = (albedo + haze[..., None]) * hemisphere[..., None] * lights.sky.astype(np.float32)
    return np.asarray(by_key, np.float32), np.asarray(by_sky, np.float32)
