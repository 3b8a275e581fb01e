"""Sides, pieces and positions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import NewType

Square = NewType("Square", int)
"""A playable square by its PDN number, counted from 1."""


class Side(StrEnum):
    """One of the two players."""

    WHITE = "white"
    BLACK = "black"

    @property
    def other(self) -> Side:
        """The opponent."""
        return Side.BLACK if self is Side.WHITE else Side.WHITE


class Piece(Enum):
    """What can stand on a square; the value is its sign in a diagram."""

    WHITE_MAN = "w"
    WHITE_KING = "W"
    BLACK_MAN = "b"
    BLACK_KING = "B"

    @property
    def side(self) -> Side:
        """Whose piece it is."""
        return Side.WHITE if self.value in "wW" else Side.BLACK

    @property
    def is_king(self) -> bool:
        """Whether it is crowned."""
        return self.value.isupper()


@dataclass(frozen=True, slots=True)
class Position:
    """What stands where, and who is to move.

    The three sets of squares are bitboards: bit ``n - 1`` stands for square ``n``.
    ``kings`` holds the crowned pieces of both sides.
    """

    white: int
    black: int
    kings: int
    turn: Side

    def piece_at(self, square: Square) -> Piece | None:
        """Return what stands on a square, None if it is empty."""
        bit = 1 << (square - 1)
        if self.white & bit:
            return Piece.WHITE_KING if self.kings & bit else Piece.WHITE_MAN
        if self.black & bit:
            return Piece.BLACK_KING if self.kings & bit else Piece.BLACK_MAN
        return None

    @property
    def occupied(self) -> int:
        """The squares on which something stands, as a bitboard."""
        return self.white | self.black
