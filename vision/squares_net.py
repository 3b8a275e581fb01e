"""The small network that looks at each square of a board, run by OpenCV's dnn module.

It knows three contents of a square: empty, a man, a king, whatever their colours. Input is a
crop that reaches 0.3 square over the square's edge, less the mean colour of the board and
divided by the board's spread, so that light and exposure matter little.
`docs/model-card.md` says what it was trained on and how well it does.
"""

import threading
from functools import cache
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import NDArray

from crownhead.calibration.board import FoundBoard, square_px
from crownhead.vision.sharpen import scaled
from crownhead.vision.view import Image, rectify

Floats32 = NDArray[np.float32]
Place = tuple[int, int]

SQUARE_PX = 25
CROP_PX = 40
MARGIN = 0.3
NET_PX = 32
NET_MARGIN = 0.5
MODEL = "squares.onnx"
EMPTY, MAN, KING = 0, 1, 2
"""Columns of the logits."""

_LOCK = threading.Lock()  # one network for the process; a forward pass must have it alone


def cut_view(frame: Image, board: FoundBoard) -> Image:
    """Cut out the board as the network wants it: 25 px a square, 0.3 square of margin.

    Args:
        frame: uint8 BGR, shape (height, width, 3).
        board: the board in this frame.

    Returns:
        uint8 BGR, shape (n, n, 3) with n = (size + 0.6) * 25.
    """
    frame, board = _averaged(frame, board, SQUARE_PX)
    return rectify(frame, board, px=SQUARE_PX, margin=MARGIN)


def _averaged(frame: Image, board: FoundBoard, px: int) -> tuple[Image, FoundBoard]:
    """Average a large picture down first, so that no detail turns into noise."""
    factor = 1.1 * px / square_px(board)
    if factor >= 0.75:
        return frame, board
    width, height = max(round(board.width * factor), 1), max(round(board.height * factor), 1)
    small = cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8), scaled(board, width, height)


def crops_of_view(view: Image, size: int) -> Floats32:
    """Cut out and normalise what the network sees of each square.

    Args:
        view: uint8 BGR, as `cut_view` gives it.
        size: squares along an edge.

    Returns:
        float32, shape (size * size, 3, 40, 40), row by row from the first corner; colour less
        the board's mean, divided by the board's spread.
    """
    rim = CROP_PX - SQUARE_PX
    field = view[rim // 2 : -(rim // 2), rim // 2 : -(rim // 2)].astype(np.float32)
    mean = field.mean(axis=(0, 1))
    spread = float(np.sqrt(((field - mean) ** 2).mean())) + 2.0
    normal = ((view.astype(np.float32) - mean) / spread).transpose(2, 0, 1)
    windows = np.lib.stride_tricks.sliding_window_view(normal, (CROP_PX, CROP_PX), axis=(1, 2))
    places = windows[:, ::SQUARE_PX, ::SQUARE_PX].transpose(1, 2, 0, 3, 4)
    return np.ascontiguousarray(places.reshape(size * size, 3, CROP_PX, CROP_PX))


def net_view(frame: Image, board: FoundBoard) -> Image:
    """Cut out the board as the network over whole boards wants it.

    Args:
        frame: uint8 BGR, shape (height, width, 3).
        board: the board in this frame.

    Returns:
        uint8 BGR, shape (n, n, 3) with n = (size + 1) * 32: half a square of margin.
    """
    frame, board = _averaged(frame, board, NET_PX)
    return rectify(frame, board, px=NET_PX, margin=NET_MARGIN)


def normalised(view: Image) -> Floats32:
    """Return a view of `net_view` less the field's mean colour, divided by the field's spread.

    Returns:
        float32, shape (3, n, n).
    """
    rim = round(NET_PX * NET_MARGIN)
    field = view[rim:-rim, rim:-rim].astype(np.float32)
    mean = field.mean(axis=(0, 1))
    spread = float(np.sqrt(((field - mean) ** 2).mean())) + 2.0
    return np.ascontiguousarray(((view.astype(np.float32) - mean) / spread).transpose(2, 0, 1))


@cache
def _network() -> cv2.dnn.Net:
    model = np.frombuffer((files("crownhead.vision") / MODEL).read_bytes(), np.uint8)
    return cv2.dnn.readNetFromONNX(model)


def run_network(crops: Floats32) -> tuple[Floats32, Floats32]:
    """Run the network on crops.

    Args:
        crops: float32, shape (n, 3, 40, 40), as `crops_of_view` gives them.

    Returns:
        logits, float32, shape (n, 3): empty, man, king; and features, float32, shape (n, d):
        what the network has seen in the crop before it decides.
    """
    if not len(crops):
        crops = np.zeros((1, 3, CROP_PX, CROP_PX), np.float32)
        logits, features = run_network(crops)
        return logits[:0], features[:0]
    with _LOCK:
        network = _network()
        network.setInput(crops)
        results = network.forward(["logits", "features"])
        # The arrays may be views of the network's own memory: copy before the lock goes.
        return (
            np.array(results[0], np.float32).reshape(len(crops), -1),
            np.array(results[1], np.float32).reshape(len(crops), -1),
        )


def square_logits(
    frame: Image, board: FoundBoard, places: tuple[Place, ...] | None = None
) -> Floats32:
    """Judge squares of a board.

    Args:
        frame: uint8 BGR, shape (height, width, 3).
        board: the board in this frame.
        places: (row, column) of the squares wanted, rows from the first corner; None for all.

    Returns:
        float32, shape (n, 3): logits of empty, man, king, in the order of ``places`` or row
        by row.
    """
    return run_network(_chosen(frame, board, places))[0]


def square_features(
    frame: Image, board: FoundBoard, places: tuple[Place, ...] | None = None
) -> Floats32:
    """Describe squares of a board by numbers that a classifier for one set of men can learn from.

    Args:
        frame: uint8 BGR, shape (height, width, 3).
        board: the board in this frame.
        places: (row, column) of the squares wanted, rows from the first corner; None for all.

    Returns:
        float32, shape (n, d): the network's pooled features, nearly free of colour.
    """
    return run_network(_chosen(frame, board, places))[1]


def _chosen(frame: Image, board: FoundBoard, places: tuple[Place, ...] | None) -> Floats32:
    crops = crops_of_view(cut_view(frame, board), board.size)
    if places is None:
        return crops
    return crops[[row * board.size + column for row, column in places]]
