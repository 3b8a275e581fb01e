"""Measure board finding on the reference pictures and print a table for each half.

    python benchmarks/measure_finder.py [--shared FOLDER] [--each] [--json]

A board counts as found if its size is right and every corner lies within a quarter of a square
of the labelled one. Sources of real pictures are sorted by name and dealt alternately into
`develop` and `held-out`; stills with odd numbers develop, even ones are held out. Times are
processor seconds for the search alone, with one thread.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from crownhead.calibration.board import corners_px
from crownhead.vision.finder import find_board
from crownhead.vision.view import Image

TOLERANCE = 0.25

DEVELOP = (
    "adamskir",
    "dandoko",
    "juliemaurin",
    "michal93cz",
    "moribots",
    "ragui",
    "sabshine",
    "si3p",
    "wolfgangfahl",
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A picture with its truth; size and corners are None where there is no whole board."""

    half: str
    source: str
    path: Path
    size: int | None
    corners: NDArray[np.float64] | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the finder made of a sample; error in squares, infinite if it claimed nothing."""

    sample: Sample
    right: bool
    size: int | None
    error: float
    problems: tuple[str, ...]
    seconds: float


def samples(shared: Path) -> Iterator[Sample]:
    """Yield all samples, real pictures first."""
    entries = json.loads((shared / "data/real/labels.json").read_text())["images"]
    pictures = [e for e in entries if e.get("static_sample", True) and e["kind"] != "video"]
    for entry in pictures:
        owner = entry["repo"].split("/")[0]
        half = "develop" if owner.lower() in DEVELOP else "held-out"
        corners = np.array(entry["corners"]) if entry.get("corners") else None
        size = entry["board_size"] if corners is not None else None
        yield Sample(half, owner, shared / "data/real" / entry["file"], size, corners)
    for number, path in enumerate(sorted((shared / "data/stills").glob("*.json")), start=1):
        truth = json.loads(path.read_text())
        half = "stills odd" if number % 2 else "stills even"
        yield _rendered(half, path.with_suffix(".jpg"), truth["board"], truth["corners"])
    for path in sorted((shared / "data/clips").glob("*.json")):
        truth = json.loads(path.read_text())
        yield _rendered("clips", path.with_suffix(".mp4"), truth["board"], truth["corners"][0])


def _rendered(half: str, path: Path, board: dict[str, object], ring: object) -> Sample:
    size = board["size"]
    assert isinstance(size, int)
    return Sample(half, str(board["look"]), path, size, np.array(ring, np.float64)[::-1])


def picture(path: Path) -> Image:
    """Read a picture, or the first frame of a clip."""
    frame = (
        cv2.VideoCapture(str(path)).read()[1] if path.suffix == ".mp4" else cv2.imread(str(path))
    )
    assert frame is not None, path
    return np.asarray(frame, np.uint8)


def judge(sample: Sample) -> Outcome:
    """Search one picture and compare with its truth."""
    frame = picture(sample.path)
    start = time.process_time()
    finding = find_board(frame)
    seconds = time.process_time() - start
    board = finding.board
    if sample.corners is None or sample.size is None:
        claimed = board.size if board else None
        return Outcome(sample, board is None, claimed, np.inf, finding.problems, seconds)
    if board is None:
        return Outcome(sample, False, None, np.inf, finding.problems, seconds)
    truth, ring = sample.corners, corners_px(board)
    side = np.hypot(*(np.roll(truth, -1, axis=0) - truth).T).mean() / sample.size
    turns = (np.hypot(*(truth - np.roll(ring, k, axis=0)).T).max() for k in range(4))
    error = float(min(turns) / side)
    right = board.size == sample.size and error <= TOLERANCE
    return Outcome(sample, right, board.size, error, finding.problems, seconds)


def figures(outcomes: list[Outcome]) -> dict[str, float | int | None]:
    """Sum up outcomes."""
    boards = [o for o in outcomes if o.sample.size is not None]
    others = [o for o in outcomes if o.sample.size is None]
    errors = [o.error for o in boards if o.right]
    seconds = [o.seconds for o in outcomes]

    def quantile(values: list[float], part: float) -> float | None:
        return round(float(np.quantile(values, part)), 3) if values else None

    return {
        "boards": len(boards),
        "found": sum(o.right for o in boards),
        "size_right": sum(o.size == o.sample.size for o in boards),
        "error_median": quantile(errors, 0.5),
        "error_90": quantile(errors, 0.9),
        "error_worst": quantile(errors, 1.0),
        "without_board": len(others),
        "refused": sum(o.right for o in others),
        "seconds_median": quantile(seconds, 0.5),
        "seconds_90": quantile(seconds, 0.9),
        "seconds_worst": quantile(seconds, 1.0),
    }


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure board finding on reference pictures.")
    default = os.environ.get("CROWNHEAD_SHARED") or Path(__file__).parents[2] / "shared"
    parser.add_argument("--shared", type=Path, default=Path(default))
    parser.add_argument("--each", action="store_true", help="a line a picture as well")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    outcomes = []
    for sample in samples(options.shared):
        outcomes.append(judge(sample))
        if options.each:
            o = outcomes[-1]
            print(
                f"{'right' if o.right else 'WRONG'} {sample.half} {sample.path.name} "
                f"size {o.size} error {o.error:.3f} {','.join(o.problems)} {o.seconds:.2f} s"
            )
    groups: dict[str, list[Outcome]] = {}
    for o in outcomes:
        groups.setdefault(o.sample.half, []).append(o)
        if o.sample.half in ("develop", "held-out"):
            groups.setdefault("real pictures", []).append(o)
            groups.setdefault(f"- {o.sample.source}", []).append(o)
    table = {name: figures(group) for name, group in groups.items()}
    if options.json:
        print(json.dumps(table))
        return
    print("| pictures | found | error median / 90 % / worst | refused | seconds median / worst |")
    print("| --- | --- | --- | --- | --- |")
    for name, f in table.items():
        print(
            f"| {name} | {f['found']} of {f['boards']} "
            f"| {f['error_median']} / {f['error_90']} / {f['error_worst']} "
            f"| {f['refused']} of {f['without_board']} "
            f"| {f['seconds_median']} / {f['seconds_worst']} |"
        )


if __name__ == "__main__":
    main()
