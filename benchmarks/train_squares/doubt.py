"""Fit the weights of `vision/doubt.py` on rendered boards that the network has not learned from.

    PYTHONPATH=. python benchmarks/train_squares/doubt.py FOLDER...

Prints the weights to put into the module, and how well they do on boards left out of the fit.
"""

import argparse
import sys
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent))

import cv2
import numpy as np
from boards import board_of, still_entries
from numpy.typing import NDArray

from crownhead.vision import doubt, still

Floats = NDArray[np.float64]
FOLDS = 10
WRONG = 3.0
"""A wrong square counts as much as so many right ones."""


def collect(folders: list[Path]) -> tuple[Floats, NDArray[np.bool_], NDArray[np.int64]]:
    """Return what is known of each playing square, whether it was read rightly, and its board."""
    signs, right, boards = [], [], []
    for folder in folders:
        for entry in still_entries(folder):
            frame = cv2.imread(str(folder / entry.file))
            if frame is None:
                continue
            board = board_of(entry, frame.shape[1], frame.shape[0])
            known: list[doubt.Reasons] = []

            def keep(reasons: doubt.Reasons, into: list[doubt.Reasons] = known) -> Floats:
                into.append(reasons)
                return doubt.confidences(reasons)

            with patch.object(still, "confidences", keep):
                reading = still.read_still(np.asarray(frame, np.uint8), board)
            good = agreeing(entry.rows, reading.rows)
            asked = still.playing_squares(entry.size, reading.parity) & (reading.sure > 0)
            if asked.sum() != len(known[0].judged):
                continue
            signs.append(doubt.signs_of(known[0]))
            right.append(good[asked])
            boards.append(np.full(int(asked.sum()), len(boards)))
    return np.concatenate(signs), np.concatenate(right), np.concatenate(boards)


def agreeing(truth: tuple[str, ...], rows: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return which squares are right; colours swapped as a whole count as right."""
    wanted = np.array([list(row.lower()) for row in truth])
    seen = np.array([list(row.lower()) for row in rows])
    swapped = np.where(seen == "w", "b", np.where(seen == "b", "w", seen))
    fits = [((wanted == s) & (wanted != ".")).sum() for s in (seen, swapped)]
    return np.asarray(wanted == (swapped if fits[1] > fits[0] else seen))


def fit(signs: Floats, right: NDArray[np.bool_]) -> tuple[Floats, float]:
    """Return weights and constant of a logistic regression with a mild pull to nought."""
    middle, spread = signs.mean(axis=0), signs.std(axis=0) + 1e-6
    looks = np.column_stack([(signs - middle) / spread, np.ones(len(signs))])
    counted = np.where(right, 1.0, WRONG)
    pull = np.append(np.full(signs.shape[1], 2.0), 1e-6)
    weights = np.zeros(looks.shape[1])
    for _ in range(40):
        chance = 1 / (1 + np.exp(-(looks @ weights).clip(-30, 30)))
        slope = looks.T @ (counted * (chance - right)) + pull * weights
        bend = (looks.T * (counted * chance * (1 - chance))) @ looks + np.diag(pull)
        weights = weights - np.linalg.solve(bend, slope)
    plain = weights[:-1] / spread
    return plain, float(weights[-1] - plain @ middle)


def main() -> None:
    """Fit and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    signs, right, boards = collect(options.folders)
    sure = np.zeros(len(right))
    for fold in range(FOLDS):
        test = boards % FOLDS == fold
        weights, constant = fit(signs[~test], right[~test])
        sure[test] = 1 / (1 + np.exp(-(signs[test] @ weights + constant)))
    print(f"{boards.max() + 1} boards, {len(right)} playing squares, {(~right).sum()} wrong")
    for low, high in ((0, 0.5), (0.5, 0.9), (0.9, 0.95), (0.95, 0.98), (0.98, 0.99), (0.99, 1.01)):
        among = (sure >= low) & (sure < high)
        share = right[among].mean() if among.any() else float("nan")
        print(f"left out, given {low:.2f}-{high:.2f}: {among.sum()} squares, right {share:.4f}")
    weights, constant = fit(signs, right)
    for name, weight in zip(doubt.SIGNS, weights, strict=True):
        print(f"{weight:8.3f}  {name}")
    print(f"{constant:8.3f}  constant")


if __name__ == "__main__":
    main()
