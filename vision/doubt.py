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
)
"""What is weighed, in this order."""
WEIGHTS = (0.258, 0.113, 0.289, 3.937, 0.209, -0.008, 2.131, -2.273, -0.248, 0.077, -0.5)
CONSTANT = -4.04


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
    """

    line: Floats
    network: Floats
    judged: Floats
    agreement: float
    lighter: Floats
    colours: MenColours
    brightness: float
    size: int


def signs_of(known: Reasons) -> Floats:
    """Return what is weighed for each square, shape (n, 11)."""
    men = known.judged > 0
    way = np.where(men, 1.0, -1.0)
    line = known.line.clip(-CLIP, CLIP)
    lighter = int((men & (known.lighter > 0.5)).sum())
    darker = int(men.sum()) - lighter
    most, least = max(lighter, darker), min(lighter, darker)
    ones = np.ones(len(men))
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
        ],
        axis=1,
    )


def confidences(known: Reasons) -> Floats:
    """Return for each square the probability that it was read rightly, shape (n,)."""
    weighed = signs_of(known) @ np.array(WEIGHTS) + CONSTANT
    return np.asarray(1 / (1 + np.exp(-weighed.clip(-30, 30))))
