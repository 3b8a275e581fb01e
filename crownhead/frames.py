"""What every source of frames has in common."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A picture and when it was taken.

    Attributes:
        index: counted from 0; for live sources those that were skipped count too.
        at_s: seconds since the start of the source.
        image: uint8 BGR, shape (height, width, 3); not to be written to.
    """

    index: int
    at_s: float
    image: Image


class Kind(StrEnum):
    """What sort of source it is."""

    FILM = "film"
    FOLDER = "folder"
    CAMERA = "camera"
    STREAM = "stream"


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """What is known of a source when it is open.

    Attributes:
        name: as the user wrote it.
        kind: film, folder, camera or stream.
        fps: frames a second as the source says; 1.0 for a folder.
        count: frames in all as the source says, None for live ones.
        width: of the first picture, in pixels.
        height: of the first picture, in pixels.
    """

    name: str
    kind: Kind
    fps: float
    count: int | None
    width: int
    height: int


class Word(StrEnum):
    """The state of a source in one word."""

    CONNECTING = "connecting"
    LIVE = "live"
    LOST = "lost"
    FROZEN = "frozen"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class SourceState:
    """The state of a source, as a word and as a sentence for people."""

    word: Word
    text: str


class Source(ABC):
    """A source of frames. Use it in one thread; `stop` may be called from any."""

    info: SourceInfo

    def __init__(self, info: SourceInfo) -> None:
        self.info = info
        self._stopped = threading.Event()

    @property
    def is_live(self) -> bool:
        """Whether frames come at their own pace and old ones are dropped."""
        return self.info.kind in (Kind.CAMERA, Kind.STREAM)

    @property
    @abstractmethod
    def state(self) -> SourceState:
        """How the source is now."""

    @property
    def has_ended(self) -> bool:
        """Whether no frame will come any more."""
        return self.state.word is Word.ENDED

    @property
    def problem(self) -> str:
        """What was wrong with a source that has ended, one sentence; empty if nothing."""
        return ""

    @abstractmethod
    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Return the next frame, None if there is none within the time or ever (`has_ended`)."""

    def frames(self) -> Iterator[Frame]:
        """Yield frames until the source has ended or was stopped."""
        while not self._stopped.is_set():
            frame = self.read()
            if frame is not None:
                yield frame
            elif self.has_ended:
                return

    def stop(self) -> None:
        """Make a waiting `read` return soon."""
        self._stopped.set()

    def close(self) -> None:
        """Let the device or file go."""
        self.stop()

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
