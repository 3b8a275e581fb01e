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

from crownhead.errors import exit_code
from crownhead.events import Event
from crownhead.game_options import GameOptions, eye_for
from crownhead.rules.geometry import place_of
from crownhead.rules.position import Square
from crownhead.rules.variant import variant_named
from crownhead.sources import open_source
from crownhead.transcript import transcript


def transcribed(source: str, options: GameOptions) -> dict[str, Any]:
    """Transcribe a source; an error that a user would see becomes its text."""
    events: list[Event] = []
    frames = 0
    with open_source(source) as opened:
        eye = eye_for(opened.info, options)
        try:
            for frame in opened.frames():
                frames += 1
                events += eye.see(frame)
            eye.finish()
        except Exception as error:
            if exit_code(error) is None:
                raise
            return {"stopped": str(error), "moves": [], "incidents": []}
        document = transcript(opened.info, frames, events)
    document["paths"] = [getattr(event, "path", ()) for event in events if hasattr(event, "ply")]
    return document


def sequence(shared: Path, entry: dict[str, Any], files: dict[str, str]) -> str:
    """Compare one sequence of pictures; say how many of its steps are told."""
    variant = variant_named("english")
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(entry["ids"]):
            path = shared / "data/real" / files[name]
            shutil.copy(path, Path(folder) / f"{number:03d}{path.suffix}")
        # The labels' rows begin at the lighter side, which the labels call w.
        document = transcribed(folder, GameOptions(variant.name, white_side="top"))
    wanted = [(tuple(m["from"]), tuple(m["to"])) for m in entry["moves"] if not m.get("unclear")]
    seen = []
    for path in document.get("paths", []):
        ends = []
        for square in (path[0], path[-1]) if path else ():
            row, column = place_of(variant, Square(square))
            # From White's view, White near, to the picture, White at the top.
            ends.append((7 - row, 7 - column))
        seen.append(tuple(ends))
    right = sum(step in seen for step in wanted)
    told = [one["kind"] for one in document["incidents"]]
    return f"{entry['sequence']}: {right} of {len(wanted)} moves, incidents {told}"


def film(shared: Path, entry: dict[str, Any]) -> str:
    """Say what is made of a real film."""
    options = GameOptions("russian", start_fen="look")
    document = transcribed(str(shared / "data/real" / entry["file"]), options)
    moves = [move["move"] for move in document["moves"]]
    told = [(one["kind"], round(one["seconds"], 1), one["seen"]) for one in document["incidents"]]
    return f"{entry['id']}: {document.get('stopped', '')} moves {moves}, incidents {told}"


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
