"""Moves as values."""

from dataclasses import dataclass

from crownhead.rules.position import Square


@dataclass(frozen=True, slots=True)
class Move:
    """A ply: the squares a piece visits and those it captures on the way.

    ``path`` has two squares for a quiet move or a single jump and one more for each
    further jump, so two routes between the same squares are two moves. ``captured``
    is in the order jumped. Moves are equal if their routes are; moves with the same ``result``
    lead to the same position.
    """

    path: tuple[Square, ...]
    captured: tuple[Square, ...] = ()
    crowns: bool = False

    @property
    def origin(self) -> Square:
        """Where the piece stood."""
        return self.path[0]

    @property
    def destination(self) -> Square:
        """Where the piece stops."""
        return self.path[-1]

    @property
    def landings(self) -> tuple[Square, ...]:
        """The squares on which the piece lands, the destination last."""
        return self.path[1:]

    @property
    def result(self) -> tuple[Square, Square, frozenset[Square], bool]:
        """What the move leaves: origin, destination, what is captured, whether it crowns."""
        return (self.origin, self.destination, frozenset(self.captured), self.crowns)

    @property
    def is_capture(self) -> bool:
        """Whether anything is taken."""
        return bool(self.captured)


def same_result(one: Move, other: Move) -> bool:
    """Say whether two legal moves of one position lead to the same position."""
    return one.result == other.result
