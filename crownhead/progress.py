"""One line that tells how far long work has come; silent where nobody looks."""

import sys
import time
from collections.abc import Callable
from typing import Self, TextIO

EVERY_S = 0.2
"""Seconds between two drawings of the line; oftener only costs."""


class Line:
    """One line on a terminal that is drawn again and again.

    Nothing is written if ``stream`` is not a terminal, so pipes and logs stay clean.

    Args:
        stream: where to draw, by default standard error.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._is_shown = self._stream.isatty()
        self._drawn_s = 0.0
        self._width = 0

    def draw(self, text: Callable[[], str]) -> None:
        """Draw the line anew, unless it was drawn a moment ago; only then is the text asked for."""
        now = time.monotonic()
        if not self._is_shown or now - self._drawn_s < EVERY_S:
            return
        self._drawn_s = now
        line = text()
        self._stream.write("\r" + line.ljust(self._width))
        self._stream.flush()
        self._width = len(line)

    def close(self) -> None:
        """Wipe the line."""
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Progress(Line):
    """A progress line: frames, moves found, time left.

    Args:
        total: frames in all, None if that is not known.
        stream: where to draw, by default standard error.
    """

    def __init__(self, total: int | None, *, stream: TextIO | None = None) -> None:
        super().__init__(stream)
        self._total = total
        self._began_s = time.monotonic()

    def update(self, frame: int, moves: int) -> None:
        """Tell that so many frames are done and so many moves found."""
        elapsed_s = time.monotonic() - self._began_s
        self.draw(lambda: progress_line(frame, self._total, moves, elapsed_s))


def progress_line(frame: int, total: int | None, moves: int, elapsed_s: float) -> str:
    """Say how far the work has come.

    Args:
        frame: frames done.
        total: frames in all, None if that is not known.
        moves: moves found so far.
        elapsed_s: seconds since the start.
    """
    found = f"{moves} move{'' if moves == 1 else 's'}"
    if not total:
        return f"frame {frame}, {found}"
    frame = min(frame, total)
    line = f"frame {frame} of {total} ({100 * frame // total} %), {found}"
    if frame == 0 or elapsed_s < 1.0:
        return line
    left_s = round(elapsed_s / frame * (total - frame))
    return f"{line}, {left_s // 60}:{left_s % 60:02d} left"
