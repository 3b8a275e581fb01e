"""Follow rendered games and count what is right, wrong and asked.

    python -m benchmarks.vision.games FOLDER [--jobs 2] [--json OUT.json]

FOLDER has clips with truth as `benchmarks/render/clips.py` writes them. A move is silently wrong if
it is claimed, was never played, and nothing was asked or objected about it. Questions are incidents
that accuse nobody and ask people to do something.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from benchmarks.follow import followed
from benchmarks.stress_clips import scorer
from crownhead.game_options import GameOptions

QUESTIONS = {"unreadable", "view-blocked", "position-changed"}
SOON_S = 5.0
"""A wrong move is not silent if any incident is told within so many seconds of it."""


def follow(film: Path, tools: Path) -> dict[str, object]:
    """Transcribe one clip and score it."""
    cv2.setNumThreads(1)
    truth = json.loads(film.with_suffix(".json").read_text(encoding="utf-8"))
    options = GameOptions(truth["variant"], white_side=truth["white_side"])
    seen = followed(str(film), options)
    document, stopped = seen.document, seen.stopped
    if document["variant"] is None:
        played = sum(move["ply"] is not None for move in truth["moves"])
        return {"clip": film.stem, "moves": played, "right": 0, "stopped": stopped}
    score, _, invented = scorer(tools).score(truth, document)
    kinds = [one["kind"] for one in document["incidents"]]
    told = [one["frame"] / truth["fps"] for one in document["incidents"]]
    wrong = list(invented)
    sure, silent = [], 0
    for move in document["moves"]:
        is_wrong = move["move"] in wrong
        if is_wrong:
            wrong.remove(move["move"])
            at = move["frame"] / truth["fps"]
            silent += not any(abs(when - at) < SOON_S for when in told)
        sure.append((move["confidence"], not is_wrong))
    return {
        **score,
        "clip": film.stem,
        "stopped": stopped,
        "questions": sum(kind in QUESTIONS for kind in kinds),
        "silent": silent,
        "claimed": sure,
    }


def totals(scores: list[dict[str, object]]) -> dict[str, float]:
    """Add up the scores of clips."""

    def add(name: str) -> int:
        return sum(int(str(score.get(name) or 0)) for score in scores)

    moves = add("moves")
    return {
        "games": len(scores),
        "moves": moves,
        "right": add("right"),
        "share right": round(add("right") / max(moves, 1), 5),
        "clean": sum(bool(score.get("clean")) for score in scores),
        "invented": add("invented"),
        "silently wrong": add("silent"),
        "accused falsely": add("accused_falsely"),
        "illegal": add("illegal"),
        "caught": add("caught"),
        "named": add("named"),
        "settled": add("settled"),
        "questions per 100 plies": round(100 * add("questions") / max(moves, 1), 2),
        "never begun": sum(bool(score["stopped"]) for score in scores),
    }


def reliability(scores: list[dict[str, object]]) -> list[tuple[float, float, int]]:
    """Return (confidence, share of the moves claimed with it that are right, how many)."""
    found: dict[float, list[bool]] = {}
    for score in scores:
        claimed = score.get("claimed") or []
        assert isinstance(claimed, list)
        for value, is_right in claimed:
            found.setdefault(round(float(value), 2), []).append(is_right)
    return [(value, float(np.mean(rights)), len(rights)) for value, rights in sorted(found.items())]


def main() -> None:
    """Print a line a clip, then the totals."""
    parser = argparse.ArgumentParser(description="Follow rendered games.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    # A film that is still being rendered has a hidden name.
    films = sorted(film for film in options.folder.glob("*.mp4") if film.name[0] != ".")
    if not films:
        sys.exit(f"there are no clips in {options.folder}")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    scores = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for score in pool.map(partial(follow, tools=options.shared / "tools"), films):
            scores.append(score)
            names = ("moves", "right", "invented", "accused_falsely", "illegal", "caught", "named")
            told = ", ".join(f"{name} {score.get(name, 0)}" for name in names)
            print(f"{score['clip']}: {told} {score['stopped']}", flush=True)
    document = {"totals": totals(scores), "reliability": reliability(scores), "clips": scores}
    print(json.dumps(document["totals"]))
    for value, right, count in document["reliability"]:
        print(f"confidence {value:.2f}: {right:.4f} right of {count}")
    if options.json is not None:
        options.json.write_text(json.dumps(document))


if __name__ == "__main__":
    main()
