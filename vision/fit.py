"""Fitting a homography with one radial lens term to crossings seen in a picture."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crownhead.vision.view import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A board plane fitted to points of a picture; the model of `FoundBoard`.

    Attributes:
        image_from_board: float64, shape (3, 3), board coordinates to straightened pixels.
        bend: radial lens term.
        residuals_px: float64, shape (n, 2), seen minus predicted.
    """

    image_from_board: Floats
    bend: float
    residuals_px: Floats


def fit_homography(places: Floats, points: Floats) -> Floats:
    """Return the homography, shape (3, 3), that maps places to points in the least squares sense.

    Direct linear transform on normalised coordinates (Hartley & Zisserman, Multiple View
    Geometry, 2nd ed. 2004, section 4.4). Four points or more, both shape (n, 2).
    """
    to_unit, from_points = _normaliser(places), _normaliser(points)
    x, y = (places * to_unit[0, 0] + to_unit[:2, 2]).T
    u, v = (points * from_points[0, 0] + from_points[:2, 2]).T
    one, zero = np.ones_like(x), np.zeros_like(x)
    upper = np.column_stack([x, y, one, zero, zero, zero, -u * x, -u * y, -u])
    lower = np.column_stack([zero, zero, zero, x, y, one, -v * x, -v * y, -v])
    rows = np.vstack([upper, lower])
    _, vectors = np.linalg.eigh(rows.T @ rows)
    unit = vectors[:, 0].reshape(3, 3)
    result = np.linalg.inv(from_points) @ unit @ to_unit
    scale = result[2, 2] if abs(result[2, 2]) > 1e-12 else 1.0
    return np.asarray(result / scale, np.float64)


def _normaliser(points: Floats) -> Floats:
    centre = points.mean(axis=0)
    scale = np.sqrt(2) / max(float(np.hypot(*(points - centre).T).mean()), 1e-9)
    return np.array(
        [[scale, 0, -scale * centre[0]], [0, scale, -scale * centre[1]], [0, 0, 1.0]], np.float64
    )


def project(homography: Floats, places: Floats) -> Floats:
    """Map places, shape (n, 2), by a homography; points beyond the horizon become NaN."""
    image = places @ homography[:, :2].T + homography[:, 2]
    depth = image[:, 2:]
    return np.where(depth > 1e-9, image[:, :2] / np.where(depth > 1e-9, depth, 1.0), np.nan)


def fit_bent(
    places: Floats,
    points: Floats,
    width: int,
    height: int,
    *,
    bend_spread: float = 0.03,
    weights: NDArray[np.float64] | None = None,
    rounds: int = 8,
) -> Fit:
    """Fit homography and bend together, robustly.

    Gauss-Newton with Geman-McClure weights, so that crossings beside men, which lie off by
    much more than the rest, hardly count. The bend has a normal prior about zero, so that it stays
    away where the points do not ask for it: kept freely it raised the error of the
    extrapolated corners of plain pictures by half.

    Args:
        places: board coordinates, shape (n, 2), n >= 6.
        points: pixels, shape (n, 2).
        width: of the picture in pixels.
        height: of the picture in pixels.
        bend_spread: standard deviation of the prior; 0 fixes the bend at zero.
        weights: relative weights of the points, shape (n,).
        rounds: iterations.
    """
    centre = np.array([(width - 1) / 2, (height - 1) / 2])
    half = np.hypot(width, height) / 2
    seen = (points - centre) / half
    shift = places.mean(axis=0)
    scale = max(float(np.abs(places - shift).max()), 1e-9)
    local = (places - shift) / scale
    base = np.ones(len(places)) if weights is None else weights
    h = fit_homography(local, seen)
    bend = 0.0
    for _ in range(rounds):
        predicted, jacobian = _model(h, bend, local)
        residual = seen - predicted
        size = np.hypot(*residual.T)
        sigma = max(1.4826 * float(np.median(size)) / 1.18, 0.05 / half)
        w = base / (1 + (size / (3.0 * sigma)) ** 2) ** 2
        ww = np.repeat(w, 2)
        normal = jacobian.T @ (jacobian * ww[:, None]) / sigma**2
        gradient = jacobian.T @ (residual.ravel() * ww) / sigma**2
        if bend_spread > 0:
            normal[8, 8] += 1 / bend_spread**2
            gradient[8] -= bend / bend_spread**2
        else:
            normal[8, :] = normal[:, 8] = 0.0
            normal[8, 8], gradient[8] = 1.0, 0.0
        normal[np.arange(9), np.arange(9)] *= 1 + 1e-9
        step = np.linalg.solve(normal, gradient)
        h = (h.ravel() + np.append(step[:8], 0.0)).reshape(3, 3)
        bend = float(np.clip(bend + step[8], -0.6, 0.6))
    predicted, _ = _model(h, bend, local)
    to_local = np.array(
        [[1 / scale, 0, -shift[0] / scale], [0, 1 / scale, -shift[1] / scale], [0, 0, 1.0]]
    )
    to_pixels = np.array([[half, 0, centre[0]], [0, half, centre[1]], [0, 0, 1.0]])
    full = to_pixels @ h @ to_local
    return Fit(full / full[2, 2], bend, (seen - predicted) * half)


def straighten(points: Floats, bend: float, width: int, height: int) -> Floats:
    """Undo the lens bend of pixels, shape (n, 2): the inverse of the lens in `to_image`."""
    centre = np.array([(width - 1) / 2, (height - 1) / 2])
    half = np.hypot(width, height) / 2
    seen = (points - centre) / half
    straight = seen
    for _ in range(8):
        straight = seen / (1 + bend * (straight**2).sum(axis=1, keepdims=True))
    return np.asarray(centre + straight * half, np.float64)


def _model(h: Floats, bend: float, local: Floats) -> tuple[Floats, Floats]:
    """Predicted points and the derivative by the eight entries and the bend, shape (2n, 9)."""
    image = local @ h[:, :2].T + h[:, 2]
    depth = image[:, 2]
    s = image[:, :2] / depth[:, None]
    x, y = (local / depth[:, None]).T
    one, zero = 1 / depth, np.zeros_like(depth)
    by_x = np.stack([x, y, one, zero, zero, zero, -s[:, 0] * x, -s[:, 0] * y], axis=1)
    by_y = np.stack([zero, zero, zero, x, y, one, -s[:, 1] * x, -s[:, 1] * y], axis=1)
    straight = np.stack([by_x, by_y], axis=1)
    r2 = (s**2).sum(axis=1)
    lens = (1 + bend * r2)[:, None, None] * np.eye(2) + 2 * bend * s[:, :, None] * s[:, None, :]
    jacobian = np.empty((len(local), 2, 9))
    jacobian[:, :, :8] = lens @ straight
    jacobian[:, :, 8] = s * r2[:, None]
    return s * (1 + bend * r2)[:, None], jacobian.reshape(-1, 9)
