"""Score `look` on sources that its network has not learned from, in both folds.

    PYTHONPATH=. python benchmarks/train_squares/leave_out.py --kept-model KEPT.onnx

The kept half is read with the shipped network, which learned from the developing half; the
developing half with a network that learned from the kept half alone (`train.py --half kept`) and
is never shipped. Finding the board learns nothing from pictures, but its settings, like those of
the decision, were chosen on the developing half and on rendered boards.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from measure_look import is_developing, scorer

from crownhead.commands.look import look_at
from crownhead.vision import squares_net


@contextmanager
def other_network(model: Path | None) -> Iterator[None]:
    """Read squares with another network for a while."""
    usual = squares_net.MODEL
    squares_net._network.cache_clear()
    if model is not None:
        squares_net.MODEL = str(model.resolve())
    try:
        yield
    finally:
        squares_net.MODEL = usual
        squares_net._network.cache_clear()


def main() -> None:
    """Print both folds and their sum, and each fold by source."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    shared = Path(os.environ.get("CROWNHEAD_SHARED") or Path(__file__).parents[3] / "shared")
    parser.add_argument("--shared", type=Path, default=shared)
    parser.add_argument("--kept-model", type=Path, required=True)
    options = parser.parse_args()
    score = scorer(options.shared / "tools")
    truth = options.shared / "data/real/labels.json"
    labels = [label for label in score.load(truth) if label.get("sample", True)]
    every = []
    for title, developing, model in (
        ("kept half, network of the developing half", False, None),
        ("developing half, network of the kept half", True, options.kept_model),
    ):
        some = [label for label in labels if is_developing(label) == developing]
        with other_network(model):
            seen = [look_at(truth.parent / Path(label["file"]).name).document for label in some]
        rows = score.score(some, seen)
        every += rows
        print(title, json.dumps(score.summary(rows)))
        for source in sorted({row["source"] for row in rows}):
            part = [row for row in rows if row["source"] == source]
            print(" ", source, json.dumps(score.summary(part)))
    print("both", json.dumps(score.summary(every)))


if __name__ == "__main__":
    main()
