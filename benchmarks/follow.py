"""Follow a film, a folder or a stream as `crownhead transcribe` does, for measuring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from crownhead.errors import exit_code
from crownhead.events import Event
from crownhead.game_options import GameOptions, eye_for
from crownhead.sources import Frame, open_source
from crownhead.transcript import transcript

Change = Callable[[Frame, int], Frame | None]
"""Turns a frame, of a source of so many frames, into the one to be shown; None to leave it out."""


@dataclass(frozen=True, slots=True)
class Followed:
    """What was made of a source.

    Attributes:
        document: as `transcribe --json` prints it.
        events: in order.
        frames: how many the source gave.
        stopped: the sentence that a user would read if it came to no proper end, else empty.
    """

    document: dict[str, Any]
    events: tuple[Event, ...]
    frames: int
    stopped: str


def followed(source: str, options: GameOptions, change: Change | None = None) -> Followed:
    """Follow a source to its end; an error that a user would see becomes its text.

    Args:
        source: a film, a folder of pictures or an address.
        options: as given on the command line.
        change: what is done to each frame before it is shown.
    """
    events: list[Event] = []
    frames, stopped = 0, ""
    with open_source(source) as opened:
        eye = eye_for(opened.info, options)
        try:
            for frame in opened.frames():
                frames += 1
                shown = frame if change is None else change(frame, opened.info.count or 1)
                if shown is not None:
                    events += eye.see(shown)
            eye.finish()
        except Exception as error:
            if exit_code(error) is None:
                raise
            stopped = str(error)
        document = transcript(opened.info, frames, events)
    return Followed(document, tuple(events), frames, stopped)
