"""Is the view of the board still? A gate that measures the noise of the camera by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

Thumb = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class GateParams:
    """When a view counts as still.

    Attributes:
        look_back_s: a view is compared with that of so long ago. Cheap webcams repeat a frame
            two or three times while something moves, so the last frame alone proves nothing.
        look_back_frames: at least so many frames lie between the two.
        noise_factor: a pixel has changed beyond so many standard deviations of the noise.
        least_change: and by no less than so many grey levels.
        moving_share: the view moves if more than this share of its pixels has changed.
        linked_share: and more than this share has two such pixels beside it: the outline of a hand
            is a line, blocks of a compressed picture flicker one by one.
        light_px: light that changes evenly over so many pixels of a small view is no movement.
    """

    look_back_s: float = 0.25
    look_back_frames: int = 2
    noise_factor: float = 5.0
    least_change: float = 3.5
    moving_share: float = 0.004
    linked_share: float = 0.0015
    light_px: int = 7


@dataclass(frozen=True, slots=True, eq=False)
class Gate:
    """The last few small views, the noise measured so far, and since when nothing moves."""

    recent: tuple[tuple[float, Thumb], ...] = ()
    noise: float = 2.0
    still_since_s: float | None = None


def pass_gate(
    gate: Gate, thumb: Thumb, at_s: float, params: GateParams, *, slack_px: float = 0.0
) -> Gate:
    """Take the next view and say, in ``still_since_s``, since when the board is still.

    The whole view, or parts of it with soft edges, may grow lighter or darker by a factor without
    counting as movement: exposure control, flicker of lamps, shadows that wander. Rest begins with
    the first of the views that are all alike, not with the moment in which it is noticed.

    Args:
        gate: the state after the frame before.
        thumb: grey view, float32, shape (n, n), averaged over several camera pixels.
        at_s: its time in seconds; must not decrease.
        params: limits.
        slack_px: edges may lie off by so much between two views, as where a camera is held in
            the hand and each view is fitted by itself.
    """
    recent = (*gate.recent, (at_s, thumb))
    enough = recent[: len(recent) - params.look_back_frames]
    old = [(t, v) for t, v in enough if at_s - t >= params.look_back_s - 1e-6]
    if not old:
        return replace(gate, recent=recent)
    then = old[-1][1]
    kept = tuple(item for item in recent if item[0] >= old[-1][0])
    difference = _least_difference(thumb, then, params, slack_px)
    # Of a still view the median difference is pure noise; a moving hand leaves most pixels alone.
    spread = 1.4826 * float(np.median(_difference(thumb, then)))
    noise = min(spread, gate.noise * 1.15 + 0.05)
    if _moved(difference, noise, params):
        since = None
    elif gate.still_since_s is None:
        # All that lies between must agree too, or something passed and what came back is new.
        between = [v for _, v in kept[1:-1]]
        is_calm = not any(
            _moved(_least_difference(v, thumb, params, slack_px), noise, params) for v in between
        )
        since = kept[0][0] if is_calm else at_s
    else:
        since = gate.still_since_s
    return Gate(kept, max(noise, 0.3), since)


def looks_alike(thumb: Thumb, other: Thumb, noise: float, params: GateParams) -> bool:
    """Say whether two small views show the same thing, but for noise and a factor of light."""
    return not _moved(_difference(thumb, other), noise, params)


def light_factor(thumb: Thumb, other: Thumb) -> float:
    """Return by what factor, at least 1, one small view is lighter than the other."""
    now, then = (max(float(np.median(v)), 1.0) for v in (thumb, other))
    return max(now, then) / min(now, then)


def _difference(thumb: Thumb, then: Thumb) -> Thumb:
    gain = float(np.median(thumb) / max(float(np.median(then)), 1.0))
    return np.abs(thumb - np.float32(gain) * then)


def _least_difference(
    thumb: Thumb, then: Thumb, params: GateParams, slack_px: float = 0.0
) -> Thumb:
    """Compare two views after a factor of light for the whole, and one for each neighbourhood.

    The smaller difference counts at each pixel: a shadow with a soft edge leaves none in the
    second, while the outline of a thing that moves shows in both.
    """
    whole = _difference(thumb, then)
    window = (params.light_px, params.light_px)
    gain = (cv2.blur(thumb, window) + 4.0) / (cv2.blur(then, window) + 4.0)
    near = np.abs(thumb - np.clip(gain, 0.4, 2.5) * then)
    least = np.minimum(whole, near)
    if not slack_px:
        return least
    # What an edge that lies a little elsewhere would change, and no more.
    steps = [cv2.morphologyEx(v, cv2.MORPH_GRADIENT, np.ones((3, 3))) for v in (thumb, then)]
    return np.maximum(least - np.float32(slack_px) * np.minimum(*steps), 0)


def _moved(difference: Thumb, noise: float, params: GateParams) -> bool:
    changed = difference > max(params.least_change, params.noise_factor * noise)
    if float(changed.mean()) <= params.moving_share:
        return False
    beside = cv2.boxFilter(changed.astype(np.float32), -1, (3, 3), normalize=False)
    return float((changed & (beside > 2.5)).mean()) > params.linked_share
