"""Evidence for a verdict: the board before and after, and which squares differ by how much."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from crownhead.calibration.board import FoundBoard, corners_px, square_px
from crownhead.errors import CrownheadError, DeviceError
from crownhead.events import (
    Event,
    IncidentOpened,
    IncidentResolved,
    MovePlayed,
    MoveTakenBack,
    as_json,
)
from crownhead.frames import Image

SHOWN = (MovePlayed, MoveTakenBack, IncidentOpened, IncidentResolved)
"""The events for which evidence is kept."""

MARGIN = 0.6
"""So many squares of the picture are kept round the board."""

QUALITY = 80
"""Of the WebP pictures."""

CAP_MB = 500
"""The pictures of a folder take no more than this; the oldest go first."""

SIGNS = ".wb"
"""What stands on a square, by its code."""


@dataclass(frozen=True, slots=True, eq=False)
class Still:
    """The board in a frame: uint8 BGR, a part of the frame, and when it was taken."""

    frame: int
    at_s: float
    image: Image


@dataclass(frozen=True, slots=True)
class Difference:
    """A square that holds something else than before.

    ``was`` and ``holds`` are signs (``.`` empty, ``w``, ``b``); ``support`` is the natural
    logarithm of how much likelier the picture makes the new content than the old.
    """

    square: int
    was: str
    holds: str
    support: float


@dataclass(frozen=True, slots=True, eq=False)
class Exhibit:
    """An event with what a person needs to judge it again; ``before`` is None at the start."""

    event: Event
    before: Still | None
    after: Still
    differences: tuple[Difference, ...]


def still_of(frame: int, at_s: float, image: Image, board: FoundBoard) -> Still:
    """Cut the board and a little round it out of a frame."""
    corners = corners_px(board)
    margin = MARGIN * square_px(board)
    height, width = image.shape[:2]
    left, top = np.maximum(np.floor(corners.min(axis=0) - margin), 0).astype(int)
    right, bottom = np.minimum(np.ceil(corners.max(axis=0) + margin), (width, height)).astype(int)
    return Still(frame, at_s, image[top:bottom, left:right].copy())


class EvidenceFolder:
    """Writes exhibits into a folder: two pictures each, and a line in ``evidence.jsonl``.

    A folder that has some already is added to. When its pictures take more than the cap, the
    oldest are removed; their lines stay.

    Raises:
        CrownheadError: the name belongs to a file.
        DeviceError: the system refuses to write there.
    """

    def __init__(self, folder: Path, cap_mb: float = CAP_MB) -> None:
        if folder.exists() and not folder.is_dir():
            raise CrownheadError(f"{folder} is a file; name a folder for the evidence")
        self._folder, self._cap = folder, int(cap_mb * 1e6)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            kept = sorted(folder.glob("[0-9]*.webp"))
            self._kept = deque((path, path.stat().st_size) for path in kept)
        except OSError as error:
            raise DeviceError(f"{folder} cannot be written: {error.strerror or error}") from error
        self._size = sum(size for _, size in self._kept)
        self._number = int(kept[-1].name[:6]) if kept else 0

    def put(self, exhibit: Exhibit) -> None:
        """Write one exhibit.

        Raises:
            DeviceError: the disk refuses.
        """
        self._number += 1
        entry: dict[str, Any] = {"number": self._number, "event": as_json(exhibit.event)}
        try:
            for name, still in (("before", exhibit.before), ("after", exhibit.after)):
                entry[name] = self._write(name, still) if still is not None else None
            entry["differences"] = [
                {"square": d.square, "was": d.was, "holds": d.holds, "support": round(d.support, 2)}
                for d in exhibit.differences
            ]
            with (self._folder / "evidence.jsonl").open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(entry, ensure_ascii=False) + "\n")
            self._hold_cap()
        except OSError as error:
            raise DeviceError(
                f"evidence cannot be written to {self._folder}: {error.strerror or error}"
            ) from error

    def _write(self, name: str, still: Still) -> dict[str, Any]:
        done, data = cv2.imencode(".webp", still.image, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])
        assert done
        body = np.asarray(data, np.uint8).tobytes()
        path = self._folder / f"{self._number:06d}-{name}.webp"
        path.write_bytes(body)
        self._kept.append((path, len(body)))
        self._size += len(body)
        return {
            "file": path.name,
            "frame": still.frame,
            "seconds": round(still.at_s, 3),
            "sha256": hashlib.sha256(body).hexdigest(),
        }

    def _hold_cap(self) -> None:
        # The newest pair stays whatever the cap.
        while self._size > self._cap and len(self._kept) > 2:
            path, size = self._kept.popleft()
            path.unlink(missing_ok=True)
            self._size -= size
