"""Moves as values."""

from dataclasses import dataclass

from crownhead.rules.position import Square


@dataclass(frozen=True, slots=True)
class Move:
    """A ply: the squares a piece visits and those it captures on the way.

    ``path`` has two squares for a quiet move or a single jump and one more for each
    further jump, so two routes between the same squares are two moves. ``captured``
    is in the order jumped.
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
    def is_capture(self) -> bool:
        """Whether anything is taken."""
        return bool(self.captured)
