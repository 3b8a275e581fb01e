"""Spoil clips in the ways of real tables and count what the transcript loses.

    python -m benchmarks.stress_clips CLIPS [--only NAME ...] [--clip NAME ...]

CLIPS is a folder of NAME.mp4 beside NAME.json (truth); `score_clip.py` is looked for in the
folder `tools` above it, or under --tools. Each spoiling acts on the frames before the program sees
them, from the middle of the clip on where it says so; it is the same in every run.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np

from benchmarks.follow import Followed, followed
from crownhead.game_options import GameOptions
from crownhead.sources import Frame, Image

Spoil = Callable[[Image, int, int, np.random.Generator], Image]


def _scaled(image: Image, gain: float | np.ndarray) -> Image:
    return np.clip(image * gain, 0, 255).astype(np.uint8)


def _late(spoil: Callable[[Image], Image]) -> Spoil:
    return lambda image, k, n, rng: spoil(image) if k >= n // 2 else image


def _noise(sigma: float) -> Spoil:
    def spoil(image: Image, k: int, n: int, rng: np.random.Generator) -> Image:
        # A quarter of a megapixel of noise, shifted about, is as good as fresh noise and cheaper.
        tile = rng.normal(0, sigma, (512, 512, 3)).astype(np.float32)
        reps = (image.shape[0] // 512 + 1, image.shape[1] // 512 + 1, 1)
        noise = np.tile(tile, reps)[: image.shape[0], : image.shape[1]]
        return np.clip(image + noise, 0, 255).astype(np.uint8)

    return spoil


def _flicker(image: Image, k: int, n: int, rng: np.random.Generator) -> Image:
    return _scaled(image, 1 + 0.08 * np.sin(k * 2.1))


def _shadow(image: Image, at: float, depth: float) -> Image:
    x = np.linspace(0, 1, image.shape[1])[None, :, None]
    return _scaled(image, 1 - depth / (1 + np.exp((x - at) * 60)))


def _half_shadow(image: Image, k: int, n: int, rng: np.random.Generator) -> Image:
    return _shadow(image, 0.5, 0.4) if k >= n // 2 else image


def _moving_shadow(image: Image, k: int, n: int, rng: np.random.Generator) -> Image:
    return _shadow(image, 0.5 + 0.2 * np.sin(k / 40), 0.4)


def _glare(image: Image) -> Image:
    h, w = image.shape[:2]
    y, x = np.mgrid[0:h, 0:w]
    spot = 120 * np.exp(-((x - w * 0.45) ** 2 + (y - h * 0.5) ** 2) / (2 * (h / 10) ** 2))
    return np.clip(image + spot[..., None], 0, 255).astype(np.uint8)


def _jpeg(quality: int) -> Spoil:
    def spoil(image: Image, k: int, n: int, rng: np.random.Generator) -> Image:
        _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)

    return spoil


def _sized(width: int, height: int, *, late: bool = False) -> Spoil:
    def spoil(image: Image, k: int, n: int, rng: np.random.Generator) -> Image:
        if late and k < n // 2:
            return image
        return np.asarray(
            cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8
        )

    return spoil


def _zoomed(image: Image) -> Image:
    h, w = image.shape[:2]
    matrix = cv2.getRotationMatrix2D((w / 2, h / 2), 0.0, 0.9)
    return np.asarray(
        cv2.warpAffine(image, matrix, (w, h), borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def _turned(image: Image) -> Image:
    return np.ascontiguousarray(np.rot90(image))


def _held(image: Image, k: int, n: int, rng: np.random.Generator) -> Image:
    """Shake the picture as a hand does that holds the camera: slow sways of a few pixels."""
    sway = np.sin(k * np.array([0.9, 0.37, 0.61])) * (2.0, 5.0, 0.4)
    return _moved(float(sway[0] + sway[1]), float(sway[1] - sway[0]), float(sway[2]))(image)


def _moved(dx: float, dy: float, degrees: float = 0.0) -> Callable[[Image], Image]:
    def spoil(image: Image) -> Image:
        h, w = image.shape[:2]
        matrix = cv2.getRotationMatrix2D((w / 2, h / 2), degrees, 1.0)
        matrix[:, 2] += (dx, dy)
        return np.asarray(
            cv2.warpAffine(image, matrix, (w, h), borderMode=cv2.BORDER_REPLICATE), np.uint8
        )

    return spoil


SPOILS: dict[str, Spoil] = {
    "none": lambda image, k, n, rng: image,
    "5 fps": lambda image, k, n, rng: image,
    "light x0.7 late": _late(lambda image: _scaled(image, 0.7)),
    "light x1.3 late": _late(lambda image: _scaled(image, 1.3)),
    "dark x0.3": lambda image, k, n, rng: _scaled(image, 0.3),
    "dusk to x0.4": lambda image, k, n, rng: _scaled(image, 1 - 0.6 * k / n),
    "white balance late": _late(lambda image: _scaled(image, np.array([0.8, 1.0, 1.2]))),
    "half shadow late": _half_shadow,
    "moving shadow": _moving_shadow,
    "glare late": _late(_glare),
    "noise 5": _noise(5.0),
    "noise 10": _noise(10.0),
    "flicker 8 %": _flicker,
    "flicker 8 % 10 Hz": lambda image, k, n, rng: _scaled(
        # Ten waves a second seen by a camera of 12 frames a second, which is that of the clips.
        image,
        1 + 0.08 * np.sin(2 * np.pi * 10 * k / 12),
    ),
    "JPEG 50": _jpeg(50),
    "JPEG 30": _jpeg(30),
    "light x0.6 late": _late(lambda image: _scaled(image, 0.6)),
    "light x1.5 late": _late(lambda image: _scaled(image, 1.5)),
    "640x480": _sized(640, 480),
    "size 640x480 late": _sized(640, 480, late=True),
    "zoom 0.9 late": _late(_zoomed),
    "picture turned late": _late(_turned),
    "held in the hand": _held,
    "blur 2 px": lambda image, k, n, rng: np.asarray(cv2.GaussianBlur(image, (0, 0), 2), np.uint8),
    "shift 8 px late": _late(_moved(8, 5)),
    "shift 18 px late": _late(_moved(18, -10)),
    "shift 40 px late": _late(_moved(-40, 25)),
    "turn 3 degrees late": _late(_moved(0, 0, 3.0)),
    "half size": lambda image, k, n, rng: np.asarray(
        cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8
    ),
}


def scorer(tools: Path) -> ModuleType:
    """Load the scoring tool, which lies outside the repository."""
    spec = importlib.util.spec_from_file_location("score_clip", tools / "score_clip.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(film: Path, variant: str, spoil: Spoil, fps_share: float = 1.0) -> Followed:
    """Transcribe a spoiled film; of the frames only the share ``fps_share`` is shown."""
    rng = np.random.default_rng(1)

    def spoiled(frame: Frame, count: int) -> Frame | None:
        k = frame.index
        if k and int(k * fps_share) <= int((k - 1) * fps_share):
            return None
        return Frame(k, frame.at_s, spoil(frame.image, k, count, rng))

    return followed(str(film), GameOptions(variant), spoiled)


def main() -> None:
    """Print one line for each clip and spoiling."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clips", type=Path)
    parser.add_argument("--tools", type=Path)
    parser.add_argument("--only", nargs="*", default=list(SPOILS))
    parser.add_argument("--clip", nargs="*")
    options = parser.parse_args()
    score = scorer(options.tools or options.clips.parents[1] / "tools").score
    for truth_path in sorted(options.clips.glob("*.json")):
        if options.clip and truth_path.stem not in options.clip:
            continue
        truth = json.loads(truth_path.read_text())
        for name in options.only:
            share = 5 / truth["fps"] if name == "5 fps" else 1.0
            out = run(truth_path.with_suffix(".mp4"), truth["variant"], SPOILS[name], share)
            if out.stopped:
                print(f"{truth_path.stem:28} {name:20} ERROR {out.stopped[:150]}", flush=True)
                continue
            figures, missed, invented = score(truth, out.document)
            keys = "right invented accused_falsely caught named settled"
            told = " ".join(f"{key}={figures[key]}" for key in keys.split())
            clean = "clean" if figures["clean"] else f"missed {missed} invented {invented}"
            kinds = [(i["kind"], i["frame"]) for i in out.document["incidents"]]
            print(
                f"{truth_path.stem:28} {name:20} {told} of {figures['moves']} {clean} "
                f"delay={figures['delay_s']} {kinds}",
                flush=True,
            )


if __name__ == "__main__":
    sys.exit(main())
