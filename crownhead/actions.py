"""What the players may say at the page or with buttons, apart from moving pieces."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from crownhead.errors import CrownheadError


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
    """Where the outer corners of the board lie, as a person says: four (x, y) in pixels."""

    points: tuple[tuple[float, float], ...]


Asked = Action | Corners
"""All that can be asked for."""


class ActionRefused(CrownheadError):
    """An action that means nothing as the game stands."""


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


def read_corners(data: object) -> Corners:
    """Return the corners in plain data, a list of four pairs of numbers.

    Raises:
        ActionRefused: it is something else.
    """
    try:
        points = tuple((float(x), float(y)) for x, y in data)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        points = ()
    if len(points) != 4:
        raise ActionRefused("a board has four corners, each given as x and y in pixels")
    return Corners(points)
