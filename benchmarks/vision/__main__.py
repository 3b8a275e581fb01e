"""Make each figure of the vision, one part after the other.

    python -m benchmarks.vision [PART ...] [--shared ../shared] [--games 100] [--seed 9117]

PARTS are look, corners, hard, stock, clips, degradations, real, games and speed; all by default.
What each prints is appended to `benchmarks/vision/out/PART.txt`, with its command and the date,
from where the tables of `docs/measurements.md` are taken.
"""

from __future__ import annotations

import argparse
import datetime
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.render.hard import KINDS

OUT = Path(__file__).parent / "out"

HARD_SEED = 30_000
"""Of the first hard picture of each kind; smaller ones were learned from or looked into."""

GAMES_SEED = 9117
"""Of the first kept game; those from 9000 to 9116 were looked into."""


def commands(part: str, options: argparse.Namespace, scratch: Path) -> list[list[str]]:
    """Return what makes the figures of a part."""
    shared = str(options.shared)
    python = [sys.executable]
    clips = f"{shared}/data/clips"
    match part:
        case "look":
            script = "benchmarks/measure_look.py"
            return [[*python, script, "--shared", shared, "--by-source"]]
        case "corners":
            return [[*python, "benchmarks/measure_finder.py", "--shared", shared]]
        case "stock":
            return [[*python, "-m", "benchmarks.vision.stock_finders", "--shared", shared]]
        case "clips":
            return [[*python, "-m", "benchmarks.stress_clips", clips, "--only", "none"]]
        case "degradations":
            return [[*python, "-m", "benchmarks.stress_clips", clips]]
        case "real":
            return [[*python, "-m", "benchmarks.vision.real_films", "--shared", shared]]
        case "hard":
            render = [*python, "-m", "benchmarks.render.stills"]
            return [
                *(
                    [
                        *(*render, str(scratch / "hard" / kind), "--kind", kind),
                        *("--count", "200", "--seed", str(HARD_SEED), "--width", "640"),
                    ]
                    for kind in KINDS
                ),
                [
                    *(*python, "-m", "benchmarks.vision.hard_stills", str(scratch / "hard")),
                    *("--shared", shared),
                ],
            ]
        case "games":
            each = -(-options.games // options.jobs)
            starts = range(0, options.games, each)
            render = [*python, "-m", "benchmarks.render.clips", str(scratch), "--small"]
            render += ["--preset", "ultrafast", "--plies", "40"]
            return [
                *(
                    [
                        *render,
                        *("--count", str(min(each, options.games - start))),
                        *("--seed", str(options.seed + start)),
                    ]
                    for start in starts
                ),
                [*python, "-m", "benchmarks.vision.games", str(scratch), "--shared", shared],
            ]
        case "speed":
            film = f"{clips}/dev_russian_takeback.mp4"
            measure = [*python, "-m", "benchmarks.vision.speed", film, "russian"]
            return [["taskset", "-c", "0", *measure, "--minutes", "120"]]
    raise SystemExit(f"there is no part {part!r}")


def main() -> None:
    """Run the parts asked for."""
    parser = argparse.ArgumentParser(description="Make the figures of the vision.")
    parser.add_argument("parts", nargs="*", default=list(PARTS), metavar="PART")
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=GAMES_SEED, help="of the first game")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for part in options.parts:
            _run(part, commands(part, options, Path(folder)))


def _run(part: str, listed: Sequence[Sequence[str]]) -> None:
    """Run the commands of a part, those that render at the same time."""
    with (OUT / f"{part}.txt").open("a", encoding="utf-8") as out:
        for command in listed:
            shown = " ".join(
                Path(word).name if word == sys.executable else word for word in command
            )
            out.write(f"\n$ {shown}  # {datetime.date.today()}\n")
        out.flush()
        renders = [
            command for command in listed if any("benchmarks.render" in word for word in command)
        ]
        for two in (renders[k : k + 2] for k in range(0, len(renders), 2)):
            running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in two]
            for process in running:
                process.wait()
        for command in listed:
            if command not in renders:
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
                out.write(done.stdout)
                print(done.stdout, end="", flush=True)


PARTS = ("look", "corners", "hard", "stock", "clips", "degradations", "real", "games", "speed")

if __name__ == "__main__":
    main()
