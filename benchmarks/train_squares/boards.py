"""Boards with truth for training: pictures cut out as seen from above, with their signs."""

import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from crownhead.calibration.board import FoundBoard, square_px
from crownhead.vision.view import rectify

PX = 40
MARGIN = 1.0
"""Squares of the stored views are larger than the network's, to leave room for shifts."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A labelled picture.

    Attributes:
        file: its name.
        source: where it comes from.
        corners: in pixels, clockwise, the first at the top-left of the rows.
        size: squares along an edge.
        rows: the signs.
        lens: radial term for a radius in pixels, 0 if not known.
    """

    file: str
    source: str
    corners: list[list[float]]
    size: int
    rows: tuple[str, ...]
    lens: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class TruthBoard:
    """A board view with what stands on it.

    Attributes:
        name: of the picture.
        source: where it comes from; boards of one source are left out together.
        size: squares along an edge.
        view: uint8 BGR, shape (n, n, 3), n = (size + 2) * 40.
        labels: int64, shape (size, size): 0 empty, 1 man, 2 king, -1 unknown.
        rows: the signs, first row along the upper edge of the view.
    """

    name: str
    source: str
    size: int
    view: NDArray[np.uint8]
    labels: NDArray[np.int64]
    rows: tuple[str, ...]


def board_of(entry: Entry, width: int, height: int) -> FoundBoard:
    """Return the board of a labelled picture of this size in pixels."""
    n = float(entry.size)
    field = np.array([[0, 0], [n, 0], [n, n], [0, n]], np.float32)
    seen = np.array(entry.corners, np.float64)
    centre = np.array([(width - 1) / 2, (height - 1) / 2])
    half = np.hypot(width, height) / 2
    bend = entry.lens * half**2
    straight = seen
    for _ in range(20):  # the lens's inverse has no closed form
        radius2 = (((straight - centre) / half) ** 2).sum(axis=1, keepdims=True)
        straight = centre + (seen - centre) / (1 + bend * radius2)
    homography = cv2.getPerspectiveTransform(field, straight.astype(np.float32))
    return FoundBoard(entry.size, np.asarray(homography, np.float64), bend, width, height)


def labels_of(rows: tuple[str, ...]) -> NDArray[np.int64]:
    """Turn signs into classes."""
    known = {".": 0, "w": 1, "b": 1, "W": 2, "B": 2, "?": -1}
    return np.array([[known[sign] for sign in row] for row in rows], np.int64)


def cut(
    name: str, source: str, frame: NDArray[np.uint8], board: FoundBoard, rows: tuple[str, ...]
) -> TruthBoard:
    """Cut a board out of its picture."""
    scale = min(max(round(square_px(board) / PX), 1), 4)
    view = rectify(frame, board, px=PX * scale, margin=MARGIN)
    edge = view.shape[0] // scale
    view = np.asarray(cv2.resize(view, (edge, edge), interpolation=cv2.INTER_AREA), np.uint8)
    return TruthBoard(name, source, board.size, view, labels_of(rows), rows)


def real_entries(folder: Path) -> list[Entry]:
    """List the labelled pictures with a whole board."""
    entries = json.loads((folder / "labels.json").read_text())["images"]
    return [
        Entry(e["file"], e["repo"].split("/")[0], e["corners"], e["board_size"], tuple(e["rows"]))
        for e in entries
        if e["kind"] == "board" and e["corners"] and e["rows"]
    ]


def still_entries(folder: Path) -> list[Entry]:
    """List rendered pictures with exact truth."""
    entries = []
    for path in sorted(folder.glob("*.json")):
        truth = json.loads(path.read_text())
        size = truth["board"]["size"]
        white_left, white_right, black_left, black_right = truth["corners"]
        # Rows of the FEN run from Black's side; seen from there the first corner is White's
        # far left, which is Black's right hand.
        corners = [black_right, black_left, white_right, white_left]
        rows = rows_of_fen(truth["fen"], size)
        name = path.with_suffix(".jpg").name
        lens = truth["camera"]["k1"] / truth["camera"]["fx"] ** 2
        entries.append(Entry(name, truth["board"]["look"], corners, size, rows, lens))
    return entries


def rows_of_fen(fen: str, size: int) -> tuple[str, ...]:
    """Return the signs of a numeric FEN, first row the one of square 1."""
    grid = [["."] * size for _ in range(size)]
    for part in fen.split(":")[1:]:
        for item in part[1:].split(","):
            if not item:
                continue
            first, _, last = item.removeprefix("K").partition("-")
            for number in range(int(first), int(last or first) + 1):
                row, place = divmod(number - 1, size // 2)
                sign = part[0] if item.startswith("K") else part[0].lower()
                grid[row][2 * place + (row + 1) % 2] = sign
    return tuple("".join(row) for row in grid)


def load_boards(folder: Path, entries: list[Entry]) -> list[TruthBoard]:
    """Read and cut out all these boards."""
    boards = []
    for entry in entries:
        frame = cv2.imread(str(folder / entry.file))
        if frame is None:
            continue
        height, width = frame.shape[:2]
        board = board_of(entry, width, height)
        view = np.asarray(frame, np.uint8)
        boards.append(cut(entry.file, entry.source, view, board, entry.rows))
    return boards
