"""Cameras and streams behind a thread that keeps only their newest frame."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from crownhead.frames import Frame, Image, Kind, Source, SourceInfo, SourceState, Word
from crownhead.vision.errors import SourceError

log = logging.getLogger(__name__)


class Capture(Protocol):
    """An open film or device."""

    @property
    def fps(self) -> float:
        """Frames a second as it says itself."""

    def read(self) -> Image | None:
        """Return the next frame, None if there is none (for films, the end)."""

    def release(self) -> None:
        """Let the file or device go."""


@dataclass(frozen=True, slots=True)
class LiveParams:
    """Times of a live source, in seconds.

    Attributes:
        back_off_s: pause before the first try to reopen; doubled after each failure.
        back_off_max_s: the longest pause.
        frozen_s: no camera sends the same picture, bit for bit, for so long: sensors are noisy.
        silent_s: no frame for so long is told as lost, even while the driver still waits.
    """

    back_off_s: float = 0.5
    back_off_max_s: float = 5.0
    frozen_s: float = 3.0
    silent_s: float = 3.0


class LiveSource(Source):
    """A camera or stream behind a thread that keeps only its newest frame.

    Args:
        name: as the user wrote it.
        kind: camera or stream.
        open_capture: opens the device anew; raises SourceError if it does not answer.
        params: times.
        first: the number of the first frame.
        first_s: its time, in seconds.

    Raises:
        SourceError: the first opening failed, or brought no picture.
    """

    def __init__(
        self,
        name: str,
        kind: Kind,
        open_capture: Callable[[], Capture],
        params: LiveParams | None = None,
        *,
        first: int = 0,
        first_s: float = 0.0,
    ) -> None:
        self._open = open_capture
        self._params = params or LiveParams()
        capture = open_capture()
        image = capture.read()
        if image is None:
            capture.release()
            raise SourceError(
                f"{called(kind, name)} sends no picture; is another program using it?"
            )
        super().__init__(SourceInfo(name, kind, capture.fps, None, image.shape[1], image.shape[0]))
        self._changed = threading.Condition()
        self._newest: Frame | None = None
        self._first = self._count = first
        self._began_s = time.monotonic() - first_s
        self._last_s = time.monotonic()
        self._state = SourceState(Word.CONNECTING, f"Waiting for {called(kind, name)}.")
        self._thread = threading.Thread(
            target=self._run, args=(capture,), name=f"source {name}", daemon=True
        )
        self._thread.start()

    @property
    def state(self) -> SourceState:
        """How the camera is now; the text says what to do when it is lost."""
        with self._changed:
            silent_s = time.monotonic() - self._last_s
            if self._state.word is Word.LIVE and silent_s > self._params.silent_s:
                return self._lost(f"has sent nothing for {silent_s:.0f} seconds")
            return self._state

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Return the newest frame not yet given out, None if none came within the time."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._newest is not None or self._stopped.is_set(), timeout_s
            )
            frame, self._newest = self._newest, None
            return frame

    def stop(self) -> None:
        """Make a waiting `read` return soon."""
        super().stop()
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        """Stop the thread; a driver that hangs is left to its time-out."""
        super().close()
        # The thread releases the device itself: releasing during a read is unsafe.
        self._thread.join(timeout=5.0)

    def _run(self, capture: Capture | None) -> None:
        pause_s = self._params.back_off_s
        while not self._stopped.is_set():
            if capture is not None:
                before = self._count
                try:
                    trouble = self._drain(capture)
                finally:
                    capture.release()
                    capture = None
                if self._count > before:
                    pause_s = self._params.back_off_s
                if self._stopped.is_set():
                    break
                log.warning("%s", trouble.text)
                self._tell(trouble)
            if self._stopped.wait(pause_s):
                break
            pause_s = min(2 * pause_s, self._params.back_off_max_s)
            try:
                capture = self._open()
            except SourceError as error:
                log.debug("still lost: %s", error)
            except Exception:
                log.exception("reopening %s failed", self.info.name)
        self._tell(SourceState(Word.ENDED, "The camera was let go."))

    def _drain(self, capture: Capture) -> SourceState:
        """Take frames until one fails or the picture stands still; return what went wrong."""
        digest = b""
        same_since_s = time.monotonic()
        while not self._stopped.is_set():
            try:
                image = capture.read()
            except Exception:
                log.exception("reading %s failed", self.info.name)
                image = None
            now = time.monotonic()
            if image is None:
                return self._lost("has stopped sending")
            fresh = hashlib.blake2b(image[::4].tobytes(), digest_size=16).digest()
            if fresh != digest:
                digest, same_since_s = fresh, now
                self._give(image, now)
            elif now - same_since_s > self._params.frozen_s:
                return SourceState(
                    Word.FROZEN,
                    f"{called(self.info.kind, self.info.name).capitalize()} sends the same"
                    " picture again and again; check its cable.",
                )
        return self.state

    def _give(self, image: Image, now: float) -> None:
        with self._changed:
            if self._state.word is not Word.LIVE and self._count > self._first:
                log.info("%s is back", called(self.info.kind, self.info.name))
            self._state = SourceState(Word.LIVE, "The camera is live.")
            self._last_s = now
            self._newest = Frame(self._count, now - self._began_s, image)
            self._count += 1
            self._changed.notify_all()

    def _lost(self, what: str) -> SourceState:
        name = called(self.info.kind, self.info.name)
        return SourceState(Word.LOST, f"{name.capitalize()} {what}; check its cable and power.")

    def _tell(self, state: SourceState) -> None:
        with self._changed:
            self._state = state
            self._changed.notify_all()


def called(kind: Kind, name: str) -> str:
    """Return what a source is called in a sentence."""
    return f"camera {name}" if kind is Kind.CAMERA else f"the stream {name}"
