"""Where frames come from: films, folders of pictures, cameras and streams.

Films and folders are read frame by frame and never skipped. Cameras and streams are drained by
a thread that keeps only the newest frame, opened with time-outs, and reopened when they fail.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from crownhead.vision.errors import SourceError, UnreadablePicture, VisionError

log = logging.getLogger(__name__)

Image = NDArray[np.uint8]

PICTURES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
SCHEMES = re.compile(r"(https?|rtsps?|rtmps?|srt|udp|tcp|rtp)://", re.IGNORECASE)
CATCH_UP_S = 1.0
"""A film played in real time makes up for a delay of so long, no longer."""

FALLBACK_FPS = 25.0
"""For films that do not say how fast they run."""


class UnreadableFilm(VisionError):
    """A file that is not a film, or one whose end was cut off so that nothing can be read."""


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


class Capture(Protocol):
    """An open film or device."""

    @property
    def fps(self) -> float:
        """Frames a second as it says itself."""

    def read(self) -> Image | None:
        """Return the next frame, None if there is none (for films, the end)."""

    def release(self) -> None:
        """Let the file or device go."""


class VideoCapture:
    """`cv2.VideoCapture` as a `Capture`."""

    def __init__(self, capture: cv2.VideoCapture) -> None:
        self._capture = capture
        fps = capture.get(cv2.CAP_PROP_FPS)
        self.fps = fps if 0.1 <= fps <= 1000 else FALLBACK_FPS
        self.count = max(0, round(capture.get(cv2.CAP_PROP_FRAME_COUNT)))

    def read(self) -> Image | None:
        """Return the next frame."""
        has_frame, image = self._capture.read()
        return np.asarray(image, np.uint8) if has_frame else None

    def grab(self) -> bool:
        """Pass over a frame; return whether there was one."""
        return self._capture.grab()

    def release(self) -> None:
        """Let the file or device go."""
        self._capture.release()


def open_source(
    text: str, *, realtime: bool = False, first: int = 0, first_s: float = 0.0
) -> Source:
    """Open a film, a folder of pictures, a single picture, a camera or a stream.

    Args:
        text: a path, a device number, or a stream's URL.
        realtime: give a film's frames out no faster than they were taken.
        first: the number of the first frame; in films and folders those before it are skipped,
            live sources count on from it.
        first_s: the time of the first frame of a live source, in seconds.

    Raises:
        UnreadableFilm: not there, or not a film; also an empty folder.
        UnreadablePicture: a picture of the folder cannot be decoded.
        SourceError: no such camera, or the stream does not answer.
    """
    if SCHEMES.match(text):
        return LiveSource(text, Kind.STREAM, lambda: _open_live(text), first=first, first_s=first_s)
    path = Path(text)
    if path.is_dir():
        return FolderSource(text, _pictures_of(path), realtime=realtime, first=first)
    if text.isdecimal() and not path.exists():
        return LiveSource(
            text, Kind.CAMERA, lambda: _open_live(int(text)), first=first, first_s=first_s
        )
    if path.is_char_device():
        return LiveSource(text, Kind.CAMERA, lambda: _open_live(text), first=first, first_s=first_s)
    if not path.is_file():
        raise UnreadableFilm(
            f"{text} is not there; give a film, a folder of pictures, a camera's number or a URL"
        )
    if path.suffix.lower() in PICTURES:
        return FolderSource(text, (path,), realtime=realtime, first=first)
    return FilmSource(path, realtime=realtime, first=first)


class FilmSource(Source):
    """A film, every frame in order.

    Skipping to ``first`` decodes what lies before it: seeking by number is not exact in films
    with varying frame times.
    """

    def __init__(self, path: Path, *, realtime: bool = False, first: int = 0) -> None:
        self._capture = _open_film(path)
        # Without a first frame it is no film, whatever the header says.
        image = self._capture.read()
        if image is None:
            self._capture.release()
            raise UnreadableFilm(f"{path} holds no picture that can be read; is the file whole?")
        super().__init__(
            SourceInfo(
                name=str(path),
                kind=Kind.FILM,
                fps=self._capture.fps,
                count=self._capture.count or None,
                width=image.shape[1],
                height=image.shape[0],
            )
        )
        self._waiting: Image | None = image
        self._next = 0
        self._realtime = realtime
        self._began_s: float | None = None
        self._ended = False
        while self._next < first and not self._ended:
            self._skip()
        self._first = self._next

    @property
    def state(self) -> SourceState:
        """Live while frames come, then ended."""
        if self._ended:
            return SourceState(Word.ENDED, f"The film is over after {self._next} frames.")
        return SourceState(Word.LIVE, "The film is running.")

    @property
    def problem(self) -> str:
        """Whether fewer frames came than the film promised."""
        promised = self.info.count or 0
        # Headers are often one or two frames off; a cut file lacks many.
        if self._ended and self._next < promised - max(2, promised // 50):
            return (
                f"{self.info.name} says that it has {promised} frames, but only {self._next}"
                " could be read; the file may be cut off"
            )
        return ""

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Return the next frame; in real time, wait until it is due."""
        if self._ended:
            return None
        if self._realtime and not self._wait(timeout_s):
            return None
        image = self._take()
        if image is None:
            self._ended = True
            return None
        frame = Frame(self._next, self._next / self.info.fps, image)
        self._next += 1
        return frame

    def close(self) -> None:
        """Let the file go."""
        super().close()
        self._capture.release()

    def _wait(self, timeout_s: float) -> bool:
        now = time.monotonic()
        if self._began_s is None:
            self._began_s = now
        due_s = self._began_s + (self._next - self._first) / self.info.fps
        if due_s - now > timeout_s:
            self._stopped.wait(timeout_s)
            return False
        if now - due_s > CATCH_UP_S:
            # Work that cannot keep up plays the film slower instead of dropping frames.
            self._began_s += now - due_s
        return not self._stopped.wait(max(0.0, due_s - now))

    def _take(self) -> Image | None:
        if self._waiting is not None:
            image, self._waiting = self._waiting, None
            return image
        return self._capture.read()

    def _skip(self) -> None:
        if self._waiting is not None:
            self._waiting = None
        elif not self._capture.grab():
            self._ended = True
            return
        self._next += 1


class FolderSource(Source):
    """Pictures in the order of their names, each a still taken after something changed."""

    def __init__(
        self, name: str, paths: tuple[Path, ...], *, realtime: bool = False, first: int = 0
    ) -> None:
        # Refused before any work: a score with a hole in it would be worse than none.
        for path in paths:
            read_picture(path, reduced=True)
        image = read_picture(paths[0])
        super().__init__(
            SourceInfo(name, Kind.FOLDER, 1.0, len(paths), image.shape[1], image.shape[0])
        )
        self._paths = paths
        self._next = min(first, len(paths))
        self._realtime = realtime

    @property
    def state(self) -> SourceState:
        """Live while pictures come, then ended."""
        if self._next >= len(self._paths):
            return SourceState(Word.ENDED, f"All {len(self._paths)} pictures are read.")
        return SourceState(Word.LIVE, "The pictures are being read.")

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Return the next picture; in real time, one a second."""
        if self._next >= len(self._paths):
            return None
        if self._realtime and self._next and self._stopped.wait(1.0 / self.info.fps):
            return None
        frame = Frame(self._next, self._next / self.info.fps, read_picture(self._paths[self._next]))
        self._next += 1
        return frame


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
                f"{_called(kind, name)} sends no picture; is another program using it?"
            )
        super().__init__(SourceInfo(name, kind, capture.fps, None, image.shape[1], image.shape[0]))
        self._changed = threading.Condition()
        self._newest: Frame | None = None
        self._first = self._count = first
        self._began_s = time.monotonic() - first_s
        self._last_s = time.monotonic()
        self._state = SourceState(Word.CONNECTING, f"Waiting for {_called(kind, name)}.")
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
                    f"{_called(self.info.kind, self.info.name).capitalize()} sends the same"
                    " picture again and again; check its cable.",
                )
        return self.state

    def _give(self, image: Image, now: float) -> None:
        with self._changed:
            if self._state.word is not Word.LIVE and self._count > self._first:
                log.info("%s is back", _called(self.info.kind, self.info.name))
            self._state = SourceState(Word.LIVE, "The camera is live.")
            self._last_s = now
            self._newest = Frame(self._count, now - self._began_s, image)
            self._count += 1
            self._changed.notify_all()

    def _lost(self, what: str) -> SourceState:
        name = _called(self.info.kind, self.info.name)
        return SourceState(Word.LOST, f"{name.capitalize()} {what}; check its cable and power.")

    def _tell(self, state: SourceState) -> None:
        with self._changed:
            self._state = state
            self._changed.notify_all()


def read_picture(path: Path, *, reduced: bool = False) -> Image:
    """Read a picture from a file, turned upright as its EXIF data says.

    Args:
        path: any format of `PICTURES`.
        reduced: decode it small and grey, only to see whether it can be.

    Returns:
        uint8 BGR, shape (height, width, 3), or grey, shape (height, width), if reduced.

    Raises:
        UnreadablePicture: the file cannot be read or decoded.
    """
    flags = cv2.IMREAD_REDUCED_GRAYSCALE_8 if reduced else cv2.IMREAD_COLOR
    try:
        # Through a buffer: `cv2.imread` cannot open every path on Windows.
        data = np.frombuffer(path.read_bytes(), np.uint8)
        image = cv2.imdecode(data, flags) if data.size else None
    except (OSError, cv2.error) as error:
        raise UnreadablePicture(f"{path} cannot be read: {error}".splitlines()[0]) from error
    if image is None:
        raise UnreadablePicture(f"{path} is not a picture that can be read; is the file whole?")
    return np.asarray(image, np.uint8)


def _pictures_of(folder: Path) -> tuple[Path, ...]:
    paths = tuple(
        sorted(
            (
                path
                for path in folder.iterdir()
                if path.suffix.lower() in PICTURES and not path.name.startswith(".")
            ),
            key=lambda path: path.name,
        )
    )
    if not paths:
        raise UnreadableFilm(
            f"the folder {folder} holds no pictures; they end in {', '.join(sorted(PICTURES))}"
        )
    return paths


def _open_film(path: Path) -> VideoCapture:
    _silence()
    # The FFmpeg reader only: others would take the file for a numbered series of pictures.
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    if not capture.isOpened():
        capture.release()
        raise UnreadableFilm(
            f"{path} is not a film that can be read; is it a whole MP4, MKV, AVI or WebM file?"
        )
    return VideoCapture(capture)


OPEN_TIMEOUT_MS = 3000
READ_TIMEOUT_MS = 3000


def _open_live(address: int | str) -> Capture:
    _silence()
    if isinstance(address, str) and SCHEMES.match(address):
        kind = Kind.STREAM
        # Without these FFmpeg waits 30 s, and the page would say nothing for as long.
        capture = cv2.VideoCapture(
            address,
            cv2.CAP_FFMPEG,
            [
                cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
                OPEN_TIMEOUT_MS,
                cv2.CAP_PROP_READ_TIMEOUT_MSEC,
                READ_TIMEOUT_MS,
            ],
        )
    else:
        kind = Kind.CAMERA
        capture = cv2.VideoCapture(address)
    if not capture.isOpened():
        capture.release()
        raise SourceError(
            f"{_called(kind, str(address))} does not answer; "
            + ("check the address" if kind is Kind.STREAM else "check that it is plugged in")
        )
    if kind is Kind.CAMERA:
        # In this order: drivers forget the size when the format changes after it.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, 1280)
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, 720)
    return VideoCapture(capture)


def _silence() -> None:
    """Keep OpenCV's and FFmpeg's own lines off standard error; ours say the same in words."""
    # FFmpeg's level is read when the first film or stream is opened.
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    if hasattr(cv2, "setLogLevel"):  # in 4.x it has this name, in 5.0 only the one below
        cv2.setLogLevel(0)
    else:
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def _called(kind: Kind, name: str) -> str:
    return f"camera {name}" if kind is Kind.CAMERA else f"the stream {name}"
