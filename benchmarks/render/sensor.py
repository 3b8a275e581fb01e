"""What lens, sensor and firmware do to the light: blur, exposure, noise, sharpening."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.render.textures import Image

Plane = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sensor:
    """A camera's electronics.

    Attributes:
        gain: exposure.
        balance: gains of blue, green and red.
        vignette: share of light lost in the corners.
        blur: Gaussian lens blur in pixels.
        shake: length of a shake in pixels.
        shake_angle: its direction in radians.
        shoulder: 0 clips highlights, 1 rolls them off.
        contrast: slope at middle grey after the gamma curve.
        lift: haze added to black, 0 to 1.
        saturation: 1 leaves colours as they are.
        noise: standard deviation at middle grey, 0 to 255.
        grain: blur of the noise in pixels.
        sharpen: strength of the unsharp mask.
    """

    gain: float = 1.0
    balance: tuple[float, float, float] = (1.0, 1.0, 1.0)
    vignette: float = 0.2
    blur: float = 0.7
    shake: float = 0.0
    shake_angle: float = 0.0
    shoulder: float = 0.5
    contrast: float = 1.1
    lift: float = 0.0
    saturation: float = 1.0
    noise: float = 3.0
    grain: float = 0.5
    sharpen: float = 0.5


def metered(sensor: Sensor, linear: Plane, target: float) -> Sensor:
    """Return the sensor with the gain that brings the picture's mean to a target."""
    height, width = linear.shape[:2]
    middle = linear[height // 6 : height - height // 6 : 4, width // 6 : width - width // 6 : 4]
    mean = float(np.minimum(middle, np.percentile(middle, 97)).mean())
    return replace(sensor, gain=target / max(mean, 1e-6))


def expose(sensor: Sensor, linear: Plane) -> Plane:
    """Return the picture before noise: float32, 0 to 255, after lens, exposure and gamma."""
    height, width = linear.shape[:2]
    if sensor.blur > 0.2:
        linear = cv2.GaussianBlur(linear, (0, 0), sensor.blur)
    if sensor.shake > 1:
        linear = cv2.filter2D(linear, -1, line_kernel(sensor.shake, sensor.shake_angle))
    x = (np.arange(width, dtype=np.float32) / (width - 1) * 2 - 1)[None, :]
    y = (np.arange(height, dtype=np.float32) / (height - 1) * 2 - 1)[:, None]
    loss = np.float32(sensor.gain) / (1 + np.float32(sensor.vignette / 2) * (x * x + y * y))
    values = linear * loss[..., None]
    balance = np.diag(np.array(sensor.balance, np.float32))
    grey = np.full((3, 3), 1 / 3, np.float32)
    colour = grey + (np.eye(3, dtype=np.float32) - grey) * np.float32(sensor.saturation)
    values = np.asarray(cv2.transform(values, colour @ balance), np.float32)
    np.maximum(values, 0, out=values)
    if sensor.shoulder > 0:
        bent = values * (1 + values / 2.25) / (1 + values)
        values += (bent - values) * np.float32(sensor.shoulder)
    np.minimum(values, 1.3, out=values)
    cv2.sqrt(values, values)
    values -= np.float32(0.45)
    values *= np.float32(sensor.contrast * 255 * (1 - sensor.lift))
    values += np.float32(255 * (0.45 * (1 - sensor.lift) + sensor.lift))
    return np.asarray(values, np.float32)


def line_kernel(length: float, angle: float) -> Plane:
    """Return a kernel that smears along a line."""
    n = int(np.ceil(length)) | 1
    kernel = np.zeros((n, n), np.float32)
    middle = (n - 1) / 2
    dx, dy = np.cos(angle) * length / 2, np.sin(angle) * length / 2
    ends = np.array([[middle - dx, middle - dy], [middle + dx, middle + dy]]) * 16
    (x0, y0), (x1, y1) = np.round(ends).astype(int)
    cv2.line(kernel, (int(x0), int(y0)), (int(x1), int(y1)), 1.0, 1, cv2.LINE_AA, 4)
    total = float(kernel.sum())
    return kernel / total if total > 0 else np.ones((1, 1), np.float32)


def noise_field(rng: np.random.Generator, sensor: Sensor, shape: tuple[int, int]) -> Plane:
    """Return noise for a picture, float32, shape (h, w, 3), standard deviation ``noise``."""
    field = rng.standard_normal((*shape, 3), dtype=np.float32)
    grey = field[..., :1].copy()
    field *= np.float32(0.6)
    field += np.float32(0.8) * grey
    if sensor.grain > 0.3:
        field = cv2.GaussianBlur(field, (0, 0), sensor.grain)
        field *= np.float32(max(1.0, 2 * np.sqrt(np.pi) * sensor.grain * 0.9))
    return np.asarray(field * np.float32(sensor.noise), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Developed:
    """An exposure made ready for many frames: sharpened, with how strong its noise is."""

    picture: Plane
    strength: Plane


def develop(sensor: Sensor, exposed: Plane) -> Developed:
    """Do all that frames of the same exposure have in common."""
    strength = np.sqrt(np.clip(exposed, 0, 255) * np.float32(0.7 / 128) + np.float32(0.3))
    return Developed(sharpened(sensor, exposed), np.asarray(strength, np.float32))


def sharpened(sensor: Sensor, values: Plane) -> Plane:
    """Return a picture, or noise, as the camera sharpens it."""
    if sensor.sharpen <= 0:
        return values
    blurred = cv2.GaussianBlur(values, (0, 0), 1.2)
    return np.asarray(
        cv2.addWeighted(values, 1 + sensor.sharpen, blurred, -sensor.sharpen, 0), np.float32
    )


def record(developed: Developed, noise: Plane, waver: float = 1.0) -> Image:
    """Return the picture as the camera delivers it.

    Noise is sharpened before its strength is applied, which is as good as afterwards, since the
    strength changes little over the width of the sharpening.

    Args:
        developed: the exposure.
        noise: sharpened noise, float32, shape (h, w, 3).
        waver: the light of this frame against that of the exposure.
    """
    values = noise * developed.strength
    values += developed.picture * np.float32(waver)
    return np.asarray(cv2.convertScaleAbs(np.maximum(values, 0, out=values)), np.uint8)
