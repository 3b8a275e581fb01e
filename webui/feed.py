"""What the page shows, handed from the live loop to the page's threads."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

ANY = ""
"""Stands for every language in which there is nothing else."""

_Texts = Mapping[str, str]
"""The JSON text of a value by language."""

PICTURE_WIDTH = 960
"""Pictures are made no wider than this, in pixels: the panel on the page is smaller."""

JPEG_QUALITY = 75


@dataclass(frozen=True, slots=True)
class Update:
    """A change of the page's state.

    Attributes:
        name: what the browser sends back as `Last-Event-ID`; no two runs share one.
        is_whole: whether ``data`` is everything rather than a change.
        data: JSON text of an object whose keys replace those of the page's state.
    """

    name: str
    is_whole: bool
    data: str


@dataclass(frozen=True, slots=True)
class Worded:
    """A value of the state that each viewer gets in words of their own language.

    ``by_language`` has the value for each tag of a language.
    """

    by_language: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Picture:
    """A frame as JPEG; ``number`` is what the browser asks to have exceeded."""

    number: int
    jpeg: bytes


class Feed:
    """The state of the page: a JSON object that grows by replacing keys, and the newest frame.

    Every key remembers when it last changed, so a browser that missed something gets exactly
    what it missed, in one message, however long it was away. All methods may be called from
    any thread.
    """

    def __init__(self) -> None:
        self._run = secrets.token_hex(4)
        self._state: dict[str, _Texts] = {}
        self._changed_at: dict[str, int] = {}
        self._number = 0
        self._news = threading.Condition()
        self._frame: tuple[int, Image] | None = None
        self._picture: Picture | None = None
        self._encoding = threading.Lock()
        self._closed = False

    def publish(self, patch: Mapping[str, object]) -> None:
        """Replace keys of the state; those that are as they were are no news.

        A value is plain data, or `Worded`, and then news to everybody when it is to one.
        """
        texts = {key: _texts_of(value) for key, value in patch.items()}
        with self._news:
            fresh = {key: text for key, text in texts.items() if self._state.get(key) != text}
            if not fresh:
                return
            self._number += 1
            self._state.update(fresh)
            self._changed_at.update(dict.fromkeys(fresh, self._number))
            self._news.notify_all()

    def snapshot(self, language: str = "en") -> Update:
        """Return the whole state in the words of a language."""
        with self._news:
            return self._update(0, language)

    def since(self, name: str | None, timeout_s: float, language: str = "en") -> Update | None:
        """Return what has changed since an update, None if nothing does within the time.

        A name of another run, or none, is answered with the whole state at once.
        """
        known = self._parse(name)
        if known is None:
            return self.snapshot(language)
        with self._news:
            if not self._news.wait_for(lambda: self._number > known or self._closed, timeout_s):
                return None
            return self._update(known, language) if self._number > known else None

    def show(self, number: int, image: Image) -> None:
        """Hand over the newest frame; it is made a JPEG only when somebody asks.

        Args:
            number: grows with every frame.
            image: uint8 BGR, shape (height, width, 3); must not be written to afterwards.
        """
        with self._news:
            self._frame = (number, image)
            self._news.notify_all()

    def picture(self, after: int, timeout_s: float) -> Picture | None:
        """Return the newest picture if it is another than ``after``, waiting for it.

        A number ahead of ours comes from a page of an earlier run: that one gets the newest.
        """

        def is_there() -> bool:
            return self._frame is not None and self._frame[0] != after

        with self._news:
            if not self._news.wait_for(lambda: is_there() or self._closed, timeout_s):
                return None
            if self._frame is None or not is_there():
                return None
            number, image = self._frame
        with self._encoding:
            if self._picture is None or self._picture.number != number:
                self._picture = Picture(number, encode(image))
            return self._picture

    def close(self) -> None:
        """Wake everybody who waits; the run is over."""
        with self._news:
            self._closed = True
            self._news.notify_all()

    @property
    def is_closed(self) -> bool:
        """Whether the run is over."""
        return self._closed

    def _update(self, known: int, language: str) -> Update:
        items = ",".join(
            f"{json.dumps(key)}:{texts.get(language) or texts[ANY]}"
            for key, texts in self._state.items()
            if self._changed_at[key] > known
        )
        return Update(f"{self._run}-{self._number}", known == 0, "{" + items + "}")

    def _parse(self, name: str | None) -> int | None:
        run, _, number = (name or "").partition("-")
        if run != self._run or not number.isdecimal() or len(number) > 12:
            return None
        return int(number) if 0 < int(number) <= self._number else None


def encode(image: Image) -> bytes:
    """Return a frame as JPEG, made smaller if it is wider than the page needs."""
    height, width = image.shape[:2]
    if width > PICTURE_WIDTH:
        size = (PICTURE_WIDTH, round(height * PICTURE_WIDTH / width))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    assert done
    return np.asarray(data, np.uint8).tobytes()


def _texts_of(value: object) -> _Texts:
    if not isinstance(value, Worded):
        return {ANY: _json(value)}
    texts = {language: _json(said) for language, said in value.by_language.items()}
    return {ANY: next(iter(texts.values())), **texts}


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
