"""Read rendered boards of the kinds that are hard to read.

    python -m benchmarks.vision.hard_stills FOLDER [--shared ../shared]

FOLDER has one folder of stills for each kind, as `benchmarks/render/stills.py --kind KIND` writes
them. Beside the figures of the scoring tool stands how many wrong squares are shown without doubt:
not as `?` and with a confidence of 0.9 or more; and how many right ones are needlessly in doubt.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure_look import looks, scorer

SURE = 0.9


def by_doubt(tool: ModuleType, label: dict[str, Any], seen: dict[str, Any]) -> NDArray[np.int64]:
    """Count wrong squares shown as sure, wrong ones, right ones in doubt, and all squares."""
    board = seen.get("board")
    if not board or board["size"] != label["size"]:
        return np.zeros(4, np.int64)
    _, times = tool.best_turn(label["corners"], board["corners"])
    told = tool.turn(seen["squares"], -times)
    if tool.agreement(label["squares"], tool.swap_sides(told)) > tool.agreement(
        label["squares"], told
    ):
        told = tool.swap_sides(told)
    sure = np.rot90(np.array(seen["confidence"]), -times) >= SURE
    signs = np.array([list(row.lower()) for row in told])
    wrong = np.array([list(row.lower()) for row in label["squares"]]) != signs
    sure &= signs != "?"
    return np.array([(wrong & sure).sum(), wrong.sum(), (~wrong & ~sure).sum(), wrong.size])


def main() -> None:
    """Print a line for each kind."""
    parser = argparse.ArgumentParser(description="Read boards that are hard to read.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    options = parser.parse_args()
    tool = scorer(options.shared / "tools")
    for kind in sorted(path for path in options.folder.iterdir() if path.is_dir()):
        labels = tool.load(kind)
        seen = looks([kind / label["file"] for label in labels])
        by_name = {Path(str(look["image"])).name: look for look in seen}
        counts = [by_doubt(tool, one, by_name[one["file"]]) for one in labels]
        rows = tool.score(labels, seen)
        found = np.array([row["found"] for row in rows])
        silent, wrong, needless, squares = np.sum(np.array(counts)[found], axis=0).tolist()
        astray = int(np.array(counts)[~found, 0].sum())
        print(
            kind.name,
            json.dumps(tool.summary(rows)),
            f"where found: sure but wrong {silent} of {wrong} wrong, right but in doubt {needless} "
            f"of {squares}; sure but wrong where the lattice lies elsewhere: {astray}",
            flush=True,
        )


if __name__ == "__main__":
    main()
