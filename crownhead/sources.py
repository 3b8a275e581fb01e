"""Where frames come from: films, folders of pictures, cameras and streams.

Films and folders are read frame by frame and never skipped. Cameras and streams are drained by
a thread that keeps only the newest frame, opened with time-outs, and reopened when they fail.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import cv2
import numpy as np

from crownhead.frames import Frame, Image, Kind, Source, SourceInfo, SourceState, Word
from crownhead.live_source import Capture, LiveSource, called
from crownhead.vision.errors import SourceError, UnreadablePicture, VisionError
from crownhead.vision.picture_header import picture_size

PICTURES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
LARGEST_PIXELS = 40_000_000
"""Larger pictures are refused before they are decoded: no camera needs them for one board."""

LARGEST_BYTES = 200_000_000
SCHEMES = re.compile(r"(https?|rtsps?|rtmps?|srt|udp|tcp|rtp)://", re.IGNORECASE)
CATCH_UP_S = 1.0
"""A film played in real time makes up for a delay of so long, no longer."""

FALLBACK_FPS = 25.0
"""For films that do not say how fast they run."""


class UnreadableFilm(VisionError):
    """A file that is not a film, or one whose end was cut off so that nothing can be read."""


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


def read_picture(path: Path, *, reduced: bool = False) -> Image:
    """Read a picture from a file, turned upright as its EXIF data says.

    Args:
        path: any format of `PICTURES`.
        reduced: decode it small and grey, only to see whether it can be.

    Returns:
        uint8 BGR, shape (height, width, 3), or grey, shape (height, width), if reduced.

    Raises:
        UnreadablePicture: the file cannot be read, is no such picture, or is too large.
    """
    try:
        if path.exists() and not path.is_file():
            raise UnreadablePicture(f"{path} is not a file; give the pictures themselves")
        if path.stat().st_size > LARGEST_BYTES:
            raise UnreadablePicture(
                f"{path} has more than {LARGEST_BYTES // 10**6} MB; save it smaller"
            )
        # Through a buffer: `cv2.imread` cannot open every path on Windows.
        data = path.read_bytes()
    except OSError as error:
        raise UnreadablePicture(f"{path} cannot be read: {error.strerror}") from error
    claimed = picture_size(data)
    if claimed is None:
        raise UnreadablePicture(
            f"{path} is not a picture that can be read; JPEG, PNG, WebP, TIFF and BMP can"
        )
    if claimed[0] * claimed[1] > LARGEST_PIXELS:
        raise UnreadablePicture(
            f"{path} has {claimed[0]}x{claimed[1]} pixels; "
            f"more than {LARGEST_PIXELS // 10**6} megapixels are not read, make it smaller"
        )
    flags = cv2.IMREAD_REDUCED_GRAYSCALE_8 if reduced else cv2.IMREAD_COLOR
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except cv2.error:
        image = None
    if image is None:
        raise UnreadablePicture(f"{path} is damaged: its header is a picture's, the rest is not")
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
            f"{called(kind, str(address))} does not answer; "
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


__all__ = [
    "FilmSource",
    "FolderSource",
    "Frame",
    "Image",
    "Kind",
    "Source",
    "SourceInfo",
    "SourceState",
    "UnreadableFilm",
    "Word",
    "open_source",
    "read_picture",
]
