"""A pinhole camera with two radial lens terms, as OpenCV has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Plane = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """Where the picture is taken from and how.

    World: origin under the board's middle on the table, x to White's right, y from White to
    Black, z up, in centimetres. ``rotation @ p + translation`` is the point in the camera.

    Attributes:
        width: of the picture, in pixels.
        height: of the picture, in pixels.
        focal: focal length in pixels.
        centre: principal point (x, y) in pixels.
        k1: first radial term.
        k2: second radial term.
        rotation: float64, shape (3, 3), world to camera.
        translation: float64, shape (3,), in centimetres.
        azimuth_deg: 0 from White's seat, 90 from White's right hand.
        elevation_deg: 90 is overhead.
        unbend: the inverse lens: powers of r squared, from the constant on.
    """

    width: int
    height: int
    focal: float
    centre: tuple[float, float]
    k1: float
    k2: float
    rotation: Floats
    translation: Floats
    azimuth_deg: float
    elevation_deg: float
    unbend: tuple[float, ...]

    @property
    def eye(self) -> Floats:
        """The camera's place in the world, float64, shape (3,)."""
        return np.asarray(-self.rotation.T @ self.translation)


def make_camera(
    size_px: tuple[int, int],
    focal: float,
    lens: tuple[float, float],
    view_deg: tuple[float, float, float],
    target: Floats,
    distance: float,
) -> Camera:
    """Return a camera that looks at a point.

    Args:
        size_px: width and height of the picture.
        focal: focal length in pixels.
        lens: k1 and k2.
        view_deg: azimuth, elevation and roll.
        target: the point in the middle of the picture, shape (3,).
        distance: from the camera to the target, in centimetres.
    """
    azimuth, elevation, roll = np.radians(view_deg)
    forward = np.array(
        [
            -np.cos(elevation) * np.sin(azimuth),
            np.cos(elevation) * np.cos(azimuth),
            -np.sin(elevation),
        ]
    )
    right = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
    down = np.cross(forward, right)
    c, s = np.cos(roll), np.sin(roll)
    rotation = np.stack([c * right + s * down, c * down - s * right, forward])
    eye = np.asarray(target, float) - forward * distance
    width, height = size_px
    reach = np.hypot(width, height) / 2 / focal * 1.05
    return Camera(
        width,
        height,
        focal,
        ((width - 1) / 2, (height - 1) / 2),
        lens[0],
        lens[1],
        rotation,
        -rotation @ eye,
        float(view_deg[0]),
        float(view_deg[1]),
        _inverse_lens(lens, reach),
    )


def _inverse_lens(lens: tuple[float, float], reach: float) -> tuple[float, ...]:
    """Fit the inverse of the radial polynomial up to the radius ``reach``."""
    straight = np.linspace(0.0, reach * 1.2, 80)
    factor = 1 + lens[0] * straight**2 + lens[1] * straight**4
    bent = straight * factor
    powers = np.stack([bent ** (2 * n) for n in range(5)], axis=1)
    fit, *_ = np.linalg.lstsq(powers, 1 / factor, rcond=None)
    return tuple(float(value) for value in fit)


def project(camera: Camera, points: Floats) -> Floats:
    """Map world points, shape (n, 3), to pixels (x, y), float64, shape (n, 2)."""
    seen = np.asarray(points, float).reshape(-1, 3) @ camera.rotation.T + camera.translation
    plane = seen[:, :2] / np.maximum(seen[:, 2:], 1e-3)
    r2 = (plane**2).sum(axis=1, keepdims=True)
    bent = plane * (1 + camera.k1 * r2 + camera.k2 * r2 * r2)
    return bent * camera.focal + np.asarray(camera.centre)


def rays(
    camera: Camera, roi: tuple[int, int, int, int], step: float = 1.0
) -> tuple[Plane, Plane, Plane]:
    """Return the directions in the world of the pixels of a part of the picture.

    Args:
        camera: the camera.
        roi: left, top, right, bottom in pixels, the last two excluded.
        step: distance of samples in pixels; 0.5 gives two by two for each pixel, 4 one for
            four by four. Samples lie at the middles of the cells.

    Returns:
        Three float32 arrays, x, y and z of the directions (not of length one, but one unit
        along the optical axis), shape ((bottom - top) / step, (right - left) / step).
    """
    left, top, right, bottom = roi
    columns = round((right - left) / step)
    rows = round((bottom - top) / step)
    x = (left - 0.5 + (np.arange(columns) + 0.5) * step - camera.centre[0]) / camera.focal
    y = (top - 0.5 + (np.arange(rows) + 0.5) * step - camera.centre[1]) / camera.focal
    x32, y32 = x.astype(np.float32)[None, :], y.astype(np.float32)[:, None]
    r2 = x32 * x32 + y32 * y32
    factor = np.full_like(r2, camera.unbend[-1])
    for value in reversed(camera.unbend[:-1]):
        factor *= r2
        factor += np.float32(value)
    u, v = x32 * factor, y32 * factor
    m = camera.rotation.astype(np.float32)
    return (
        m[0, 0] * u + m[1, 0] * v + m[2, 0],
        m[0, 1] * u + m[1, 1] * v + m[2, 1],
        m[0, 2] * u + m[1, 2] * v + m[2, 2],
    )
