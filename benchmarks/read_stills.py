"""Measure the reader of still pictures alone: true corners, no finder.

    python benchmarks/read_stills.py --real FOLDER --stills FOLDER

Real pictures are reported in two halves by source: those that the network may learn from, and
those kept for measuring. Stills likewise: odd numbers were looked at, even ones were not.
"""

import argparse
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "train_squares"))

import cv2
import numpy as np
from boards import Entry, board_of, real_entries, still_entries
from sources import DEVELOP

from crownhead.vision.still import read_still


@dataclass(frozen=True, slots=True)
class Score:
    """What one picture gave; colours swapped as a whole count as right."""

    right: int
    squares: int
    kings_right: int
    kings: int
    kings_false: int
    seconds: float


def score(folder: Path, entry: Entry) -> Score:
    """Read one picture with its true corners."""
    frame = np.asarray(cv2.imread(str(folder / entry.file)), np.uint8)
    height, width = frame.shape[:2]
    board = board_of(entry, width, height)
    began = time.perf_counter()
    rows = read_still(frame, board).rows
    seconds = time.perf_counter() - began
    swapped = tuple(row.translate(str.maketrans("wbWB", "bwBW")) for row in rows)
    seen = max(rows, swapped, key=lambda r: count_men(entry.rows, r))
    pairs = [
        (a, b)
        for truth, row in zip(entry.rows, seen, strict=True)
        for a, b in zip(truth, row, strict=True)
        if a != "?"
    ]
    return Score(
        right=sum(a.lower() == b.lower() for a, b in pairs),
        squares=len(pairs),
        kings_right=sum(a in "WB" and a == b for a, b in pairs),
        kings=sum(a in "WB" for a, _ in pairs),
        kings_false=sum(b in "WB" and a not in "WB" for a, b in pairs),
        seconds=seconds,
    )


def count_men(truth: tuple[str, ...], seen: tuple[str, ...]) -> int:
    """Count the men whose side is right."""
    return sum(
        a.lower() == b.lower() != "."
        for x, y in zip(truth, seen, strict=True)
        for a, b in zip(x, y, strict=True)
    )


def tell(title: str, scores: Iterable[Score]) -> None:
    """Print the sums of some pictures."""
    scores = list(scores)
    right, squares = sum(s.right for s in scores), sum(s.squares for s in scores)
    whole = sum(s.right == s.squares for s in scores)
    wrong = sorted((s.squares - s.right for s in scores if s.right < s.squares), reverse=True)
    print(
        f"{title}: {len(scores)} boards, squares {right / max(squares, 1):.4f}, whole {whole}, "
        f"kings {sum(s.kings_right for s in scores)} of {sum(s.kings for s in scores)}, "
        f"false kings {sum(s.kings_false for s in scores)}, "
        f"median {1000 * float(np.median([s.seconds for s in scores])):.0f} ms, wrong {wrong}"
    )


def main() -> None:
    """Read the options and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--real", type=Path)
    parser.add_argument("--stills", type=Path)
    parser.add_argument("--half", choices=("developing", "kept", "both"), default="both")
    options = parser.parse_args()
    if options.real:
        entries = real_entries(options.real)
        for half, wanted in (("developing", True), ("kept", False)):
            if options.half not in (half, "both"):
                continue
            chosen = [e for e in entries if (e.source in DEVELOP) == wanted]
            results = [(e.source, score(options.real, e)) for e in chosen]
            for source in sorted({s for s, _ in results}):
                tell(f"  {source}", [r for s, r in results if s == source])
            tell(f"real, {half} half", [r for _, r in results])
    if options.stills:
        entries = still_entries(options.stills)
        for half, start in (("developing", 0), ("kept", 1)):
            if options.half in (half, "both"):
                tell(f"stills, {half} half", [score(options.stills, e) for e in entries[start::2]])


if __name__ == "__main__":
    main()
