"""A film with what was made of it drawn over its pictures, written frame by frame."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import cv2

from crownhead.calibration.board import FoundBoard
from crownhead.errors import CrownheadError, DeviceError
from crownhead.events import Event, GameStarted, IncidentOpened, IncidentUpdated, SightChanged
from crownhead.frames import Image
from crownhead.presentation import sentence
from crownhead.sinks import check_place
from crownhead.vision.drawing import draw_caption, draw_reading


class DrawnFilm:
    """An MP4 film in the making; it appears under its name when it is whole.

    Used in a ``with`` block, at whose end it is closed; after an exception nothing is left of it.

    Args:
        path: where to write; its name ends in ``.mp4``.
        fps: frames a second.
        width: of every frame, in pixels.
        height: of every frame, in pixels.

    Raises:
        CrownheadError: another kind of name, or no file can lie there.
        DeviceError: the system refuses to write there.
    """

    def __init__(self, path: Path, fps: float, width: int, height: int) -> None:
        check_place(path)
        if path.suffix.lower() != ".mp4":
            raise CrownheadError(f"{path}: drawn films are saved as .mp4; name it so")
        self._path, self._draft = path, path.with_name(f".{path.stem}.new.mp4")
        self._size = (width, height)
        self._count = 0
        self._text, self._is_alarm = "", False
        self._writer = cv2.VideoWriter(
            str(self._draft), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*"mp4v"), fps, self._size
        )
        if not self._writer.isOpened():
            self._abandon()
            raise DeviceError(f"{path} cannot be written as a film")

    def add(self, image: Image, board: FoundBoard | None, events: tuple[Event, ...]) -> None:
        """Write a frame with the grid, and below it the last move or verdict.

        Args:
            image: uint8 BGR, shape (height, width, 3).
            board: where it lies in this frame, None if it is not known.
            events: what this frame caused.
        """
        for event in events:
            if not isinstance(event, GameStarted | SightChanged):
                self._text = sentence(event)
                self._is_alarm = isinstance(event, IncidentOpened | IncidentUpdated)
        if board is not None:
            image = draw_reading(image, board, ())
        if self._text:
            image = draw_caption(image, self._text, alarm=self._is_alarm)
        if (image.shape[1], image.shape[0]) != self._size:
            self._writer.write(cv2.resize(image, self._size, interpolation=cv2.INTER_AREA))
        else:
            self._writer.write(image)
        self._count += 1

    def __enter__(self) -> DrawnFilm:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._writer.release()
        if kind is not None or not self._count:
            self._abandon()
            return
        # The writer does not say when the disk is full.
        written = cv2.VideoCapture(str(self._draft), cv2.CAP_FFMPEG)
        count = round(written.get(cv2.CAP_PROP_FRAME_COUNT)) if written.isOpened() else 0
        written.release()
        if count < self._count:
            self._abandon()
            raise DeviceError(f"{self._path} could not be written whole; is the disk full?")
        try:
            self._draft.replace(self._path)
        except OSError as error:
            self._abandon()
            raise DeviceError(f"{self._path} cannot be written: {error.strerror}") from error

    def _abandon(self) -> None:
        self._writer.release()
        # What the system refused to make is not there to be removed.
        with suppress(OSError):
            self._draft.unlink()
