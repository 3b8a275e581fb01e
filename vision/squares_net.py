"""The small network that looks at each square of a board, run by OpenCV's dnn module.

It knows three contents of a square: empty, a man, a king, whatever their colours. Input is a
crop that reaches 0.3 square over the square's edge, less the mean colour of the board and
divided by the board's spread, so that light and exposure matter little.
`docs/model-card.md` says what it was trained on and how well it does.
"""

import threading
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import NDArray

from crownhead.calibration.board import FoundBoard, square_px
from crownhead.vision.sharpen import scaled
from crownhead.vision.view import Image, rectify

Floats32 = NDArray[np.float32]

SQUARE_PX = 25
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


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What the network says of a board.

    Attributes:
        contents: float32, shape (size * size, 3): logits of empty, man, king, row by row from
            the first corner.
        sides: float32, shape (size * size,): where men stand, log-odds of the one side against
            the other; which of them is the lighter is not known.
    """

    contents: Floats32
    sides: Floats32


@cache
def _network() -> cv2.dnn.Net:
    model = np.frombuffer((files("crownhead.vision") / MODEL).read_bytes(), np.uint8)
    return cv2.dnn.readNetFromONNX(model)


@cache
def kinds_apart(size: int) -> Floats32:
    """Return what hides the squares of one kind from those of the other.

    Returns:
        float32, shape (size * size, size * size): 0 between squares of the same kind, else -100.
    """
    kind = np.indices((size, size)).sum(axis=0).ravel() % 2
    return np.where(kind[:, None] == kind[None], 0.0, -100.0).astype(np.float32)


def run_network(view: Floats32) -> Judged:
    """Run the network on a whole board.

    Args:
        view: float32, shape (3, n, n) with n = (size + 1) * 32, as `normalised` gives it.
    """
    size = view.shape[1] // NET_PX - 1
    with _LOCK:
        network = _network()
        network.setInput(view[None], "view")
        network.setInput(kinds_apart(size), "mask")
        # The result may be a view of the network's own memory: copy before the lock goes.
        judged = np.array(network.forward("judged"), np.float32).reshape(size * size, -1)
    return Judged(judged[:, :3].copy(), judged[:, 3].copy())


def judge_board(frame: Image, board: FoundBoard) -> Judged:
    """Judge the squares of a board in a picture."""
    return run_network(normalised(net_view(frame, board)))
