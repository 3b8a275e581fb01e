"""Measure time and memory of the pipeline on one core.

    taskset -c 0 python -m benchmarks.vision.speed FILM VARIANT [--minutes M]

The frames are brought to 1280x720. Decoding is not counted. With ``--minutes`` the film's last
still seconds are repeated for so long, to see whether the cost of a frame grows.
"""

from __future__ import annotations

import argparse
import resource
import time

import cv2
import numpy as np

from crownhead.events import IncidentOpened, MovePlayed
from crownhead.game_options import GameOptions, eye_for
from crownhead.sources import Frame, open_source
from crownhead.vision.finder import find_board
from crownhead.vision.still import read_still

WIDTH, HEIGHT = 1280, 720


def framed(image: np.ndarray) -> np.ndarray:
    """Bring a frame to 1280x720 without bending it: scaled, with bars."""
    scale = min(WIDTH / image.shape[1], HEIGHT / image.shape[0])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    high, wide = small.shape[:2]
    top, left = (HEIGHT - high) // 2, (WIDTH - wide) // 2
    return cv2.copyMakeBorder(
        small, top, HEIGHT - high - top, left, WIDTH - wide - left, cv2.BORDER_CONSTANT
    )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Measure the speed of the pipeline.")
    parser.add_argument("film")
    parser.add_argument("variant")
    parser.add_argument("--minutes", type=float, default=0)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    took: list[float] = []
    verdicts: list[float] = []
    looks: list[float] = []
    with open_source(options.film) as source:
        eye = eye_for(source.info, GameOptions(options.variant))
        fps = source.info.fps
        recent: list[np.ndarray] = []
        for frame in source.frames():
            image = framed(frame.image)
            recent = [*recent, image][-12:]
            began = time.perf_counter()
            events = eye.see(Frame(frame.index, frame.at_s, image))
            took.append(time.perf_counter() - began)
            if any(isinstance(event, MovePlayed | IncidentOpened) for event in events):
                verdicts.append(took[-1])
            if frame.index % 60 == 0:
                began = time.perf_counter()
                board = find_board(image).board
                if board is not None:
                    read_still(image, board)
                looks.append(time.perf_counter() - began)
    index, before = len(took), len(took)
    for n in range(round(options.minutes * 60 * fps)):
        image = recent[n % len(recent)]
        began = time.perf_counter()
        eye.see(Frame(index, index / fps, image))
        took.append(time.perf_counter() - began)
        index += 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{before} frames: median {1 / float(np.median(took[:before])):.0f} frames a second, ")
    print(f"mean {before / sum(took[:before]):.0f} frames a second, worst {max(took):.3f} s")
    print(f"worst frame that gave a verdict: {1000 * max(verdicts):.0f} ms of {len(verdicts)}")
    print(f"look: median {1000 * float(np.median(looks)):.0f} ms of {len(looks)}")
    print(f"peak memory {peak:.0f} MB")
    if options.minutes:
        tenth = max(1, (len(took) - before) // 10)
        first, last = took[before : before + tenth], took[-tenth:]
        print(
            f"{options.minutes} further minutes: mean of the first tenth "
            f"{1000 * float(np.mean(first)):.2f} ms a frame, "
            f"of the last {1000 * float(np.mean(last)):.2f}"
        )


if __name__ == "__main__":
    main()
