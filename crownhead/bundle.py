"""A session in one file: frames of interest, settings and events, to be run again elsewhere."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path

import cv2
import numpy as np

from crownhead.calibration.board import FoundBoard
from crownhead.calibration.errors import CalibrationError
from crownhead.calibration.profile import format_profile, parse_profile
from crownhead.errors import CrownheadError, DeviceError
from crownhead.events import (
    Event,
    GameStarted,
    IncidentOpened,
    IncidentResolved,
    MovePlayed,
    MoveTakenBack,
    PositionSet,
    as_json,
)
from crownhead.eye import GameEye
from crownhead.frames import Frame, Kind, SourceInfo
from crownhead.game_options import GameOptions, board_of, eye_for
from crownhead.record import UnreadableEvent, parse_event
from crownhead.sinks import check_place

FORMAT = 1
INDEX = "bundle.json"

BEFORE_S = 1.5
"""Every frame of so many seconds before something is weighed is kept, and all while it is."""

EVERY_S = 0.25
"""And one in so many seconds otherwise."""

QUALITY = 88
"""Of the JPEG frames."""

LARGEST = 200_000_000
"""No single member of a bundle is larger, in bytes; a hostile file must not fill the memory."""


class UnreadableBundle(CrownheadError):
    """A file that is no bundle of this version."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A session as it was saved; its frames are read from the file one by one.

    ``board`` is where a profile said that it lies, None if it was looked for.
    """

    path: Path
    options: GameOptions
    info: SourceInfo
    frames: tuple[tuple[int, float, str], ...]
    events: tuple[Event, ...]
    board: FoundBoard | None = None


class BundleWriter:
    """Writes a bundle while a session runs. Used in a ``with`` block.

    Args:
        path: where to write.
        options: what the session was asked for.
        info: of its source.
        whole: keep every frame, not only those of interest.
        echo: an eye that sees the frames as they are kept; its events are saved instead of those
            of the session, so that running the bundle again gives exactly these.

    Raises:
        CrownheadError: no file can lie there.
        DeviceError: the system refuses to write there.
    """

    def __init__(
        self,
        path: Path,
        options: GameOptions,
        info: SourceInfo,
        *,
        whole: bool = False,
        echo: GameEye | None = None,
    ) -> None:
        check_place(path)
        self._path, self._draft = path, path.with_name(f".{path.name}.new")
        self._options, self._info, self._whole = options, info, whole
        self._waiting: deque[Frame] = deque()
        self._kept: list[tuple[int, float, str]] = []
        self.events: list[Event] = []
        self._echo = echo
        try:
            self._zip = zipfile.ZipFile(self._draft, "w", zipfile.ZIP_STORED)
        except OSError as error:
            raise DeviceError(f"{path} cannot be written: {error.strerror or error}") from error

    def add(self, frame: Frame, events: Sequence[Event], *, idle: bool = False) -> None:
        """Take the next frame and what it caused.

        Args:
            frame: the next.
            events: that it caused.
            idle: nothing was weighed in it, so that it may be left out.
        """
        if self._echo is None:
            self.events += events
        self._waiting.append(frame)
        is_due = not self._kept or frame.at_s - self._kept[-1][1] >= EVERY_S
        if events or not idle or self._whole or self._info.kind is Kind.FOLDER:
            while self._waiting:
                self._write(self._waiting.popleft())
        elif is_due:
            # What is older than the newest frame kept could only be written out of order.
            self._write(self._waiting.pop())
            self._waiting.clear()
        while self._waiting and frame.at_s - self._waiting[0].at_s > BEFORE_S:
            self._waiting.popleft()

    def _write(self, frame: Frame) -> None:
        done, data = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        assert done
        name = f"frames/{frame.index:07d}.jpg"
        try:
            self._zip.writestr(name, np.asarray(data, np.uint8).tobytes())
        except OSError as error:
            raise self._refused(error) from error
        self._kept.append((frame.index, frame.at_s, name))
        if self._echo is not None:
            image = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
            self.events += self._echo.see(Frame(frame.index, frame.at_s, image))

    def _refused(self, error: OSError) -> DeviceError:
        return DeviceError(f"{self._path} cannot be written: {error.strerror or error}")

    def __enter__(self) -> BundleWriter:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._zip.writestr(INDEX, self._index())
            self._zip.close()
            if kind is None:
                self._draft.replace(self._path)
        except OSError as error:
            if kind is None:
                raise self._refused(error) from error
        finally:
            with suppress(OSError):
                self._draft.unlink(missing_ok=True)

    def _index(self) -> str:
        board = board_of(self._options)
        return json.dumps(
            {
                "profile": format_profile(board) if board is not None else None,
                "format": FORMAT,
                "crownhead": version("crownhead"),
                "opencv": cv2.__version__,
                "options": asdict(self._options),
                "source": asdict(self._info),
                "frames": self._kept,
                "events": [as_json(event) for event in self.events],
            },
            ensure_ascii=False,
        )


def read_bundle(path: Path) -> Bundle:
    """Read all of a bundle but its frames.

    Raises:
        UnreadableBundle: it is no bundle, or one of another version.
    """
    with _opened(path) as archive:
        index = _member(archive, INDEX)
    try:
        data = json.loads(index)
        if data["format"] != FORMAT:
            raise UnreadableBundle(
                f"{path} is a bundle of format {data['format']}, and this version reads {FORMAT}"
            )
        info = dict(data["source"])
        info["kind"] = Kind(info["kind"])
        frames = tuple((int(i), float(at_s), str(name)) for i, at_s, name in data["frames"])
        events = tuple(parse_event(event) for event in data["events"])
        options = GameOptions(**data["options"])
        board = parse_profile(data["profile"]) if data.get("profile") else None
        return Bundle(path, options, SourceInfo(**info), frames, events, board)
    except UnreadableEvent as error:
        raise UnreadableBundle(f"{path} has an event of another version: {error}") from error
    except (CalibrationError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise UnreadableBundle(f"{path} is not a bundle of a session: {error}") from error


def frames_of(bundle: Bundle) -> Iterator[Frame]:
    """Yield the frames of a bundle in order.

    Raises:
        UnreadableBundle: a frame is missing or damaged.
    """
    with _opened(bundle.path) as archive:
        for index, at_s, name in bundle.frames:
            data = np.frombuffer(_member(archive, name), np.uint8)
            try:
                image = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
            except cv2.error:
                image = None
            if image is None:
                raise UnreadableBundle(f"{bundle.path}: the frame {name} is damaged")
            yield Frame(index, at_s, np.asarray(image, np.uint8))


def run_again(bundle: Bundle) -> tuple[Event, ...]:
    """Return the events that the frames of a bundle cause now.

    Raises:
        CrownheadError: as a session does.
    """
    options = replace(bundle.options, profile=None)
    eye = eye_for(bundle.info, options, board=bundle.board)
    events: list[Event] = []
    for frame in frames_of(bundle):
        events += eye.see(frame)
    return tuple(events)


def story(events: Iterable[Event]) -> list[str]:
    """Return what events say of the game, without when and how surely."""
    told = []
    for event in events:
        match event:
            case GameStarted(fen=fen, white_side=side):
                told.append(f"start {fen} (White at the {side})")
            case MovePlayed(ply=ply, move=move, rule=rule, legal=legal):
                told.append(f"{ply}. {move}" + ("" if legal else f" illegal, {rule}"))
            case PositionSet(ply=ply, fen=fen):
                told.append(f"set up after {ply}: {fen}")
            case MoveTakenBack(ply=ply, move=move):
                told.append(f"{ply}. {move} taken back")
            case IncidentOpened(number=number, kind=kind, rule=rule, seen=seen):
                told.append(" ".join(filter(None, (f"incident {number}", kind, rule, seen))))
            case IncidentResolved(number=number, resolution=resolution):
                told.append(f"incident {number} {resolution}")
    return told


def save_bundle(
    path: Path,
    frames: Iterable[Frame],
    options: GameOptions,
    info: SourceInfo,
    *,
    whole: bool = False,
) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """Run a session over frames and save it as a bundle.

    Returns:
        The events of the session, and those that the frames kept lead to, which the bundle has.

    Raises:
        CrownheadError: as a session does, or the file cannot be written.
    """
    eye = eye_for(info, options)
    told: list[Event] = []
    with BundleWriter(path, options, info, whole=whole, echo=eye_for(info, options)) as writer:
        for frame in frames:
            events = eye.see(frame)
            writer.add(frame, events, idle=eye.is_idle)
            told += events
        eye.finish()
    return tuple(told), tuple(writer.events)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    # zipfile has NotImplementedError for other compressions and RuntimeError for passwords.
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise UnreadableBundle(f"{path} is not a bundle of a session: {error}") from error
    except OSError as error:
        raise UnreadableBundle(f"{path} cannot be read: {error.strerror or error}") from error


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        size = archive.getinfo(name).file_size
    except KeyError:
        raise UnreadableBundle(
            f"{archive.filename} is not a bundle of a session: it has no {name}"
        ) from None
    if size > LARGEST:
        raise UnreadableBundle(f"{archive.filename}: {name} is too large to be part of a bundle")
    return archive.read(name)
