"""Where events go: files, the terminal, the page, the lights."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol, TextIO

from crownhead.errors import CrownheadError, DeviceError
from crownhead.events import (
    Event,
    GameEnded,
    GameStarted,
    MovePlayed,
    MoveTakenBack,
    as_json,
)
from crownhead.hardware.lights import Lights
from crownhead.presentation import (
    banner,
    camera_text,
    clock,
    light_plan,
    page_state,
    page_words,
    sentence,
    sight_text,
)
from crownhead.record import Record, add
from crownhead.rules.catalogue import Language
from crownhead.rules.message import message
from crownhead.rules.variant import Naming, Variant
from crownhead.sources import Frame, SourceInfo, SourceState, Word
from crownhead.webui.feed import Feed, Worded
from crownhead.webui.overlay import Overlay
from crownhead.words import say

log = logging.getLogger(__name__)


class Sink(Protocol):
    """Takes events; `put` returns at once."""

    def put(self, event: Event) -> None:
        """Take an event."""

    def close(self) -> None:
        """Finish and let go of what is held."""


class Sinks:
    """Several sinks as one. One that fails is logged and left out from then on."""

    def __init__(self, sinks: Iterable[Sink]) -> None:
        self._sinks = list(sinks)

    def put(self, event: Event) -> None:
        """Hand an event to every sink that still works."""
        for sink in list(self._sinks):
            try:
                sink.put(event)
            except BrokenPipeError:
                # Whoever read our lines has gone (`| head`); the game needs no reader.
                self._sinks.remove(sink)
            except CrownheadError as error:
                log.warning("%s; it is left out from now on", error)
                self._sinks.remove(sink)
            except OSError as error:
                name = type(sink).__name__
                log.warning("%s failed and is left out from now on: %s", name, error)
                self._sinks.remove(sink)
            except Exception:
                log.exception("%s failed and is left out from now on", type(sink).__name__)
                self._sinks.remove(sink)

    def add(self, sink: Sink) -> None:
        """Add a sink that gets the events from now on."""
        self._sinks.append(sink)

    def close(self) -> None:
        """Close every sink."""
        for sink in self._sinks:
            try:
                sink.close()
            except Exception:
                log.exception("%s could not be closed", type(sink).__name__)
        self._sinks.clear()


class JsonLines:
    """Writes each event as a line of JSON, at once."""

    def __init__(self, stream: TextIO, *, owned: bool = False) -> None:
        self._stream, self._owned = stream, owned

    def put(self, event: Event) -> None:
        """Write a line."""
        self._stream.write(json.dumps(as_json(event), ensure_ascii=False) + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Close the stream if it is ours."""
        if self._owned:
            self._stream.close()


class PlainLines:
    """Writes each event as a line for people."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def put(self, event: Event) -> None:
        """Write a line."""
        self._stream.write(f"{clock(event.at_s):>8}  {sentence(event)}\n")
        self._stream.flush()

    def close(self) -> None:
        """Leave the stream open; it is not ours."""


class PdnFile:
    """Keeps a PDN file up to date: written beside and moved into place after each move."""

    def __init__(self, path: Path, score: Callable[[Record], str]) -> None:
        self._path, self._score = path, score
        self._record = Record()

    def put(self, event: Event) -> None:
        """Write the file anew if the event changes the score."""
        self._record = add(self._record, event)
        if isinstance(event, GameStarted | MovePlayed | MoveTakenBack | GameEnded):
            write_whole(self._path, self._score(self._record))

    def close(self) -> None:
        """Nothing is left open between writes."""


class LightSink:
    """Shows the record on lights under the squares."""

    def __init__(self, lights: Lights, variant: Variant, *, mirrored: bool = False) -> None:
        self._lights, self._variant, self._mirrored = lights, variant, mirrored
        self._record = Record()

    def put(self, event: Event) -> None:
        """Light what the record asks for now."""
        self._record = add(self._record, event)
        self._lights.show(light_plan(self._record, self._variant, mirrored=self._mirrored))

    def close(self) -> None:
        """Turn the lights off."""
        self._lights.close()


class Page:
    """Keeps the feed of the page up to date. All methods but `record` belong to one thread."""

    def __init__(self, feed: Feed, variant: Variant, naming: Naming | None = None) -> None:
        self._feed, self._variant, self._naming = feed, variant, naming
        self.record = Record()
        self._source = SourceState(Word.CONNECTING, "Opening the source.")
        self._overlay: Overlay | None = None
        self._trouble = ""
        self._publish()

    def put(self, event: Event) -> None:
        """Show what an event changes."""
        self.record = add(self.record, event)
        self._publish()

    def source(self, state: SourceState, info: SourceInfo) -> None:
        """Show how the source is."""
        if state != self._source:
            self._source = state
            self._publish()
        said = {
            language.value: {
                "word": str(state.word),
                "text": camera_text(state, info, language),
                "sight": self._sight(language),
            }
            for language in Language
        }
        self._feed.publish({"camera": Worded(said)})

    def recording(self, trouble: str) -> None:
        """Show that the record cannot be written, or with an empty text that it can."""
        if trouble != self._trouble:
            self._trouble = trouble
            self._publish()

    def show(self, frame: Frame, overlay: Overlay | None) -> None:
        """Show a frame and what lies over it."""
        self._feed.show(frame.index, frame.image)
        if overlay is not None:
            self.overlay(overlay)

    def overlay(self, overlay: Overlay) -> None:
        """Show what lies over the picture, if that has changed enough to be seen."""
        if not _differs(overlay, self._overlay):
            return
        self._overlay = overlay
        self._feed.publish(
            {
                "overlay": {
                    "width": overlay.width,
                    "height": overlay.height,
                    "lines": overlay.lines,
                    "cells": overlay.cells,
                }
            }
        )

    def close(self) -> None:
        """Leave the page as it is; its server outlives the game."""

    def _sight(self, language: Language) -> str:
        return "" if self.record.sight == "clear" else sight_text(self.record, language)

    def _publish(self) -> None:
        said = {language.value: self._words(language) for language in Language}
        worded = {
            key: Worded({tag: words[key] for tag, words in said.items()})
            for key in said[Language.ENGLISH.value]
        }
        self._feed.publish({**page_state(self.record, self._variant, self._naming), **worded})

    def _words(self, language: Language) -> dict[str, object]:
        """Return everything on the page that is said in words."""
        trouble = self._trouble
        if trouble and language is not Language.ENGLISH:
            trouble = say(message("not-recorded", problem=trouble), language)
        return {
            **page_words(self.record, self._variant, language),
            "banner": banner(self.record, self._variant, self._source, language),
            "record": {"ok": not trouble, "text": trouble},
        }


OVERLAY_STEP_PX = 1.0
"""The grid is sent anew when one of its points has moved further; less nobody sees."""


def _differs(new: Overlay, old: Overlay | None) -> bool:
    if old is None or (new.width, new.height) != (old.width, old.height):
        return True
    before = [point for line in old.lines for point in line]
    after = [point for line in new.lines for point in line]
    return len(before) != len(after) or any(
        abs(a[0] - b[0]) > OVERLAY_STEP_PX or abs(a[1] - b[1]) > OVERLAY_STEP_PX
        for a, b in zip(before, after, strict=True)
    )


def check_place(path: Path) -> None:
    """Refuse a path at which no file can lie, before any work is done for it.

    Raises:
        CrownheadError: it is a folder, or in a folder that is not there.
        DeviceError: the system refuses the name, or to look there.
    """
    try:
        is_folder, has_folder = path.is_dir(), path.parent.is_dir()
    except OSError as error:
        raise DeviceError(f"{path} cannot be written: {error.strerror or error}") from error
    if is_folder:
        raise CrownheadError(f"{path} is a folder; name a file in it")
    if not has_folder:
        raise CrownheadError(f"{path} cannot be written: there is no folder {path.parent}")


def write_whole(path: Path, text: str) -> None:
    """Replace a file in one step: after a crash it is the old one or the new one, never a part.

    A link stays a link, and what is no file (a pipe, `/dev/stdout`) is written to as it is.

    Raises:
        CrownheadError: no file can lie there.
        DeviceError: the disk refuses.
    """
    check_place(path)
    data = text.encode()
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                stream.write(data)
            return
        target = path.resolve()
        draft = target.with_name(f".{target.name}.new")
        try:
            with draft.open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            draft.replace(target)
        except OSError:
            draft.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise DeviceError(f"{path} cannot be written: {error.strerror or error}") from error
