"""How sure each square of a still picture is: what is known of the reading, weighed.

The weights come from `benchmarks/train_squares/doubt.py`: a logistic regression on rendered
boards that the network has not learned from, in which wrong squares count more than right ones,
so that the figures rather err toward doubt.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crownhead.vision.men_colours import MenColours

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

CLIP = 6.0
NEAR = 2.0
SIGNS = (
    "network over the board's line",
    "network",
    "likeness to the other squares",
    "sure of the side",
    "sides apart",
    "squares that foretell each other",
    "other squares in doubt",
    "one side has more men",
    "one side has nearly all men",
    "brightness",
    "occupied",
    "the network's side",
    "squares near the line",
)
"""What is weighed, in this order."""
WEIGHTS = (
    -0.208,
    0.691,
    0.233,
    4.834,
    0.335,
    -0.486,
    -6.232,
    -1.641,
    0.479,
    -0.587,
    0.5,
    1.875,
    -0.034,
)
CONSTANT = -4.837


@dataclass(frozen=True, slots=True, eq=False)
class Reasons:
    """What is known of the playing squares in view, each of shape (n,), log-odds of a man.

    Attributes:
        line: what the network says, the board's line between empty and occupied at 0.
        network: what the network says.
        judged: what was decided, with the likeness to the other squares.
        agreement: how well the squares foretell each other, 0 to 1.
        lighter: probability of the lighter side where a man stands.
        brightness: mean of the brightest channel over the board, 0 to 255.
        size: squares along an edge.
        told: the network's log-odds of one side against the other where a man stands.
    """

    line: Floats
    network: Floats
    judged: Floats
    agreement: float
    lighter: Floats
    colours: MenColours
    brightness: float
    size: int
    told: Floats


def signs_of(known: Reasons) -> Floats:
    """Return what is weighed for each square, shape (n, 13)."""
    men = known.judged > 0
    way = np.where(men, 1.0, -1.0)
    line = known.line.clip(-CLIP, CLIP)
    lighter = int((men & (known.lighter > 0.5)).sum())
    darker = int(men.sum()) - lighter
    most, least = max(lighter, darker), min(lighter, darker)
    ones = np.ones(len(men))
    told = np.tanh(known.told / 2) * np.sign(known.lighter - 0.5) * men
    if told.sum() < 0:  # which side the network calls the first is by chance
        told = -told
    return np.stack(
        [
            way * line,
            way * known.network.clip(-CLIP, CLIP),
            way * (known.judged - line),
            np.where(men, np.abs(2 * known.lighter - 1), 1.0),
            ones * min(known.colours.distance, 8.0),
            ones * known.agreement,
            ones * float(np.exp(-np.abs(known.judged)).mean()),
            ones * (most - least) / known.size,
            ones * (most > 3 * least),
            ones * np.log(max(known.brightness, 1.0)),
            men * 1.0,
            np.where(men, told, 1.0),
            ones * float((np.abs(known.line) < NEAR).mean()),
        ],
        axis=1,
    )


def confidences(known: Reasons) -> Floats:
    """Return for each square the probability that it was read rightly, shape (n,)."""
    weighed = signs_of(known) @ np.array(WEIGHTS) + CONSTANT
    return np.asarray(1 / (1 + np.exp(-weighed.clip(-30, 30))))
