"""What one frame shows of a board that is already known."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats32 = NDArray[np.float32]
Codes = NDArray[np.int8]

EMPTY, WHITE, BLACK = 0, 1, 2
"""What a square holds, as an index into the evidence."""


DOUBTFUL = 6.0
"""What is less likely by no more than this, a natural logarithm, may be there all the same."""


class Sight(StrEnum):
    """How well the board can be seen."""

    CLEAR = "clear"
    MOVING = "moving"
    BLOCKED = "blocked"
    MOVED = "moved"
    LOST = "lost"


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What stands on each playing square, as far as one still view tells.

    Attributes:
        log_likelihood: float32, shape (squares, 3), natural logarithms, the best of each row
            at 0; columns empty, white, black; row ``n - 1`` is square ``n``.
        strange: bool, shape (squares,), True where the square looks like nothing that was
            learned.
        altered: bool, shape (squares,), True where it looks otherwise than when it was last
            read without doubt, whatever the light; None if that is not known.
    """

    log_likelihood: Floats32
    strange: NDArray[np.bool_]
    altered: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        if self.log_likelihood.ndim != 2 or self.log_likelihood.shape[1] != 3:
            raise ValueError(f"log_likelihood has shape {self.log_likelihood.shape}, not (n, 3)")
        self.log_likelihood.flags.writeable = False
        self.strange.flags.writeable = False
        if self.altered is not None:
            self.altered.flags.writeable = False

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """Where something new of unknown looks lies, though it may look most like nothing."""
        if self.altered is None:
            return np.zeros_like(self.strange)
        return np.asarray(self.strange & self.altered, np.bool_)

    @property
    def runner_up(self) -> Floats32:
        """The log-likelihood of each square's second likeliest content, shape (squares,)."""
        return np.asarray(np.sort(self.log_likelihood, axis=1)[:, 1], np.float32)

    @property
    def codes(self) -> Codes:
        """The likeliest content of each square, int8, shape (squares,)."""
        return np.asarray(self.log_likelihood.argmax(axis=1), np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """One frame as the session takes it.

    Attributes:
        frame: 0-based number of the frame.
        at_s: seconds since the first frame.
        sight: how well the board can be seen.
        evidence: what the squares hold; None unless the view is still, clear and due.
        still_s: seconds for which the view has been still.
        beside: squares at the border are half hidden, by pieces laid beside the board or by
            something that only looks so; nobody should be accused soon.
        realigned: the board or the camera had moved and the board was found again in this frame.
    """

    frame: int
    at_s: float
    sight: Sight
    evidence: Evidence | None = None
    still_s: float = 0.0
    realigned: bool = False
    beside: bool = False
