"""Compare our board finder with OpenCV's own on the same pictures.

    python -m benchmarks.vision.stock_finders [--shared ../shared]

OpenCV's finders are told the size of the board and asked for its inner corners; a board counts as
found if the outer corners that follow lie within a quarter of a square of the true ones. Ours is
not told the size.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from benchmarks.measure_finder import Sample, picture, samples
from crownhead.calibration.board import corners_px
from crownhead.vision.finder import find_board

Corners = np.ndarray


def outer(inner: np.ndarray, size: int) -> Corners:
    """Continue the inner corners, shape ((size - 1)^2, 1, 2), to the outer ones of the field."""
    n = size - 1
    grid = np.array([[c + 1.0, r + 1.0] for r in range(n) for c in range(n)], np.float32)
    view, _ = cv2.findHomography(grid, inner.reshape(-1, 2), cv2.RANSAC, 3.0)
    ends = np.array([[[0, 0], [size, 0], [size, size], [0, size]]], np.float32)
    return np.asarray(cv2.perspectiveTransform(ends, view)[0], np.float64)


def stock(name: str, flags: int) -> Callable[[np.ndarray, int], Corners | None]:
    """Return one of OpenCV's finders as a function of a picture and a size."""

    def find(image: np.ndarray, size: int) -> Corners | None:
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        found, inner = getattr(cv2, name)(grey, (size - 1, size - 1), flags=flags)
        return outer(np.asarray(inner, np.float32), size) if found else None

    return find


def ours(image: np.ndarray, size: int) -> Corners | None:
    """Our finder, which finds out the size by itself; another size is a miss."""
    board = find_board(image).board
    return corners_px(board) if board is not None and board.size == size else None


FINDERS: dict[str, Callable[[np.ndarray, int], Corners | None]] = {
    "crownhead": ours,
    "findChessboardCorners": stock("findChessboardCorners", 0),
    "findChessboardCorners, adaptive, normalised, fast check": stock(
        "findChessboardCorners",
        cv2.CALIB_CB_ADAPTIVE_THRESH | cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_FAST_CHECK,
    ),
    "findChessboardCorners, adaptive, normalised, filter quads": stock(
        "findChessboardCorners",
        cv2.CALIB_CB_ADAPTIVE_THRESH | cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_FILTER_QUADS,
    ),
    "findChessboardCornersSB": stock("findChessboardCornersSB", 0),
    "findChessboardCornersSB, normalised, exhaustive, accuracy": stock(
        "findChessboardCornersSB",
        cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_EXHAUSTIVE | cv2.CALIB_CB_ACCURACY,
    ),
}


def is_found(corners: Corners | None, sample: Sample) -> bool:
    """Say whether every true corner has one within a quarter of a square."""
    if corners is None or sample.corners is None:
        return False
    truth = np.asarray(sample.corners, np.float64)
    square = np.hypot(*(np.roll(truth, -1, axis=0) - truth).T).mean() / sample.size
    distances = np.hypot(*(corners[:, None] - truth[None]).transpose(2, 0, 1))
    return bool(distances.min(axis=0).max() < 0.25 * square)


def main() -> None:
    """Print a row of a table for each finder."""
    parser = argparse.ArgumentParser(description="Compare finders of boards.")
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    shared = parser.parse_args().shared
    cv2.setNumThreads(1)
    boards = [sample for sample in samples(shared) if sample.corners is not None]
    print("| finder | real | rendered | median time |\n| --- | --- | --- | --- |")
    for name, find in FINDERS.items():
        found: dict[bool, list[bool]] = {True: [], False: []}
        times = []
        for sample in boards:
            assert sample.size is not None
            image = picture(sample.path)
            began = time.process_time()
            try:
                corners = find(image, sample.size)
            except cv2.error:
                corners = None
            times.append(time.process_time() - began)
            found["real" in str(sample.path.parent.name)].append(is_found(corners, sample))
        told = [f"{sum(found[kind])} of {len(found[kind])}" for kind in (True, False)]
        print(f"| {name} | {told[0]} | {told[1]} | {np.median(times):.2f} s |", flush=True)


if __name__ == "__main__":
    main()
