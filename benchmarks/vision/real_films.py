"""Follow the real picture sequences and films, and compare with what their labels state.

python -m benchmarks.vision.real_films [--shared ../shared]
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.follow import followed
from crownhead.events import MovePlayed
from crownhead.game_options import GameOptions
from crownhead.rules.geometry import place_of
from crownhead.rules.position import Square
from crownhead.rules.variant import variant_named


def sequence(shared: Path, entry: dict[str, Any], files: dict[str, str]) -> str:
    """Compare one sequence of pictures; say how many of its steps are told."""
    variant = variant_named("english")
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(entry["ids"]):
            path = shared / "data/real" / files[name]
            shutil.copy(path, Path(folder) / f"{number:03d}{path.suffix}")
        # The labels' rows begin at the lighter side, which the labels call w.
        seen = followed(folder, GameOptions(variant.name, white_side="top"))
    paths = [event.path for event in seen.events if isinstance(event, MovePlayed)]
    wanted = [(tuple(m["from"]), tuple(m["to"])) for m in entry["moves"] if not m.get("unclear")]
    steps = []
    for path in paths:
        ends = []
        for square in (path[0], path[-1]) if path else ():
            row, column = place_of(variant, Square(square))
            # From White's view, White near, to the picture, White at the top.
            ends.append((7 - row, 7 - column))
        steps.append(tuple(ends))
    right = sum(step in steps for step in wanted)
    told = [one["kind"] for one in seen.document["incidents"]]
    return f"{entry['sequence']}: {right} of {len(wanted)} moves, incidents {told}"


def film(shared: Path, entry: dict[str, Any]) -> str:
    """Say what is made of a real film."""
    options = GameOptions("russian", start_fen="look")
    seen = followed(str(shared / "data/real" / entry["file"]), options)
    document = seen.document
    moves = [move["move"] for move in document["moves"]]
    told = [(one["kind"], round(one["seconds"], 1), one["seen"]) for one in document["incidents"]]
    return f"{entry['id']}: {seen.stopped} moves {moves}, incidents {told}"


def main() -> None:
    """Print a line for each sequence and film."""
    parser = argparse.ArgumentParser(description="Follow real sequences and films.")
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    shared = parser.parse_args().shared
    labels = json.loads((shared / "data/real/labels.json").read_text(encoding="utf-8"))
    files = {entry["id"]: entry["file"] for entry in labels["images"]}
    for entry in labels["sequences"]:
        print(sequence(shared, entry, files), flush=True)
    for entry in labels["videos"]:
        print(film(shared, entry), flush=True)


if __name__ == "__main__":
    main()
