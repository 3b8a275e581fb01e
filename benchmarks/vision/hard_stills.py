"""Read rendered boards of the kinds that are hard to read.

    python -m benchmarks.vision.hard_stills FOLDER [--shared ../shared]

FOLDER has one folder of stills for each kind, as `benchmarks/render/stills.py --kind KIND` writes
them. Beside the figures of the scoring tool stands how many wrong squares are shown without doubt:
not as `?`, on a board told with a confidence of 0.9 or more.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.measure_look import looks, scorer

SURE = 0.9


def doubtless_errors(tool: ModuleType, label: dict[str, Any], seen: dict[str, Any]) -> int:
    """Count the squares of a picture that are read wrong and shown as sure."""
    board = seen.get("board")
    if not board or board["size"] != label["size"] or board["confidence"] < SURE:
        return 0
    _, times = tool.best_turn(label["corners"], board["corners"])
    told = tool.turn(seen["squares"], -times)
    if tool.agreement(label["squares"], tool.swap_sides(told)) > tool.agreement(
        label["squares"], told
    ):
        told = tool.swap_sides(told)
    return sum(
        true.lower() != sign.lower() and sign != "?"
        for rows in zip(label["squares"], told, strict=True)
        for true, sign in zip(*rows, strict=True)
    )


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
        silent = sum(doubtless_errors(tool, one, by_name[one["file"]]) for one in labels)
        print(
            kind.name, json.dumps(tool.summary(tool.score(labels, seen))), "sure but wrong", silent
        )


if __name__ == "__main__":
    main()
