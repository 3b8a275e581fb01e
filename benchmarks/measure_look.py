"""Score the command `look`, end to end, on the reference pictures, each half by itself.

    python benchmarks/measure_look.py [--shared FOLDER] [--by-source]

Real pictures are dealt into a developing and a kept half by their source, as in
`measure_finder.py`; of the rendered stills odd numbers developed, even ones were kept. The scoring
tool beside the pictures does the counting.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).parent))

from measure_finder import DEVELOP


def scorer(tools: Path) -> ModuleType:
    """Load the scoring tool, which lies outside the repository."""
    spec = importlib.util.spec_from_file_location("score_look", tools / "score_look.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def looks(pictures: list[Path]) -> list[dict[str, object]]:
    """Run the command once over all pictures."""
    command = [sys.executable, "-m", "crownhead", "look", "--json", *map(str, pictures)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


def is_developing(label: dict[str, object]) -> bool:
    """Say whether a picture belongs to the developing half."""
    name = Path(str(label["file"])).name
    if name.startswith("still_"):
        return int(name.split("_")[1]) % 2 == 1
    return str(label["source"]).split("/")[0].lower() in DEVELOP


def _has_octagons(label: dict[str, object]) -> bool:
    """Say whether the squares of a picture's board have their corners cut."""
    return str(label.get("source")).startswith("AdamskiR/")


def main() -> None:
    """Print a line for each set and half."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path(__file__).parents[2] / "shared"
    shared = Path(os.environ.get("CROWNHEAD_SHARED") or default)
    parser.add_argument("--shared", type=Path, default=shared)
    parser.add_argument("--by-source", action="store_true")
    options = parser.parse_args()
    score = scorer(options.shared / "tools")
    for name, truth in (("real", "data/real/labels.json"), ("stills", "data/stills")):
        path = options.shared / truth
        labels = [label for label in score.load(path) if label.get("sample", True)]
        folder = path if path.is_dir() else path.parent
        seen = looks([folder / Path(label["file"]).name for label in labels])
        halves = {
            "developing": [label for label in labels if is_developing(label)],
            "kept": [label for label in labels if not is_developing(label)],
            "without octagons": [label for label in labels if not _has_octagons(label)],
            "all": labels,
        }
        for half, some in halves.items():
            rows = score.score(some, seen)
            print(name, half, json.dumps(score.summary(rows)))
            if options.by_source and half == "all":
                for source in sorted({row["source"] for row in rows}):
                    some_rows = [row for row in rows if row["source"] == source]
                    print(" ", source, json.dumps(score.summary(some_rows)))


if __name__ == "__main__":
    main()
