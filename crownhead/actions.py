"""What the players may say at the page or with buttons, apart from moving pieces."""

from __future__ import annotations

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
