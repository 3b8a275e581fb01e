"""What the players may say at the page or with buttons, apart from moving pieces."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from crownhead.errors import CrownheadError
from crownhead.rules.message import Message


class Action(StrEnum):
    """One thing that a player or the referee says of the game."""

    LET_STAND = "let-stand"
    CLAIM_DRAW = "claim-draw"
    AGREE_DRAW = "agree-draw"
    WHITE_RESIGNS = "white-resigns"
    BLACK_RESIGNS = "black-resigns"
    NEW_GAME = "new-game"


@dataclass(frozen=True, slots=True)
class Corners:
    """Where the outer corners of the board lie, as a person says.

    ``points`` are four (x, y) in pixels of a picture of ``width`` x ``height``, which may be
    smaller than the camera's.
    """

    points: tuple[tuple[float, float], ...]
    width: float
    height: float


Asked = Action | Corners
"""All that can be asked for."""


class ActionRefused(CrownheadError):
    """An action that means nothing as the game stands; ``told`` says why, apart from English."""

    def __init__(self, text: str, told: Message | None = None) -> None:
        super().__init__(text)
        self.told = told


def action_named(name: str) -> Action:
    """Return the action of a name.

    Raises:
        ActionRefused: there is none.
    """
    try:
        return Action(name)
    except ValueError:
        known = ", ".join(Action)
        raise ActionRefused(f"there is no action {name[:20]!r}; known are {known}") from None


def read_corners(data: Mapping[str, Any]) -> Corners:
    """Return the corners in plain data: ``corners``, four pairs of numbers, ``width``, ``height``.

    Raises:
        ActionRefused: it is something else.
    """
    try:
        points = tuple((float(x), float(y)) for x, y in data["corners"])
        width, height = float(data["width"]), float(data["height"])
    except (KeyError, TypeError, ValueError):
        points, width, height = (), 0.0, 0.0
    if len(points) != 4 or not 0 < width < math.inf or not 0 < height < math.inf:
        raise ActionRefused(
            "a board has four corners, each given as x and y in pixels, with the width and the "
            "height of the picture that they are in"
        )
    return Corners(points, width, height)
