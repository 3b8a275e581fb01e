"""The board seen from above, cut out of a frame with its homography and its lens bend."""

import cv2
import numpy as np
from numpy.typing import NDArray

from crownhead.calibration.board import Floats, FoundBoard, to_image

Image = NDArray[np.uint8]
Map = NDArray[np.float32]

NO_MAP = np.empty(0, np.float32)
"""OpenCV's second map, where the first holds both coordinates."""


def view_map(board: FoundBoard, *, px: int = 32, margin: float = 0.0) -> Map:
    """Return where each pixel of a board view lies in the frame, for `cv2.remap`.

    Args:
        board: the board in the frame.
        px: edge of one square in the view, in pixels.
        margin: border kept round the playing field, in squares.

    Returns:
        float32, shape (n, n, 2) with n = (size + 2 * margin) * px, (x, y) in frame pixels.
    """
    n = round((board.size + 2 * margin) * px)
    axis = (np.arange(n) + 0.5) / px - margin
    x, y = np.meshgrid(axis, axis)
    return (
        to_image(board, np.column_stack([x.ravel(), y.ravel()])).astype(np.float32).reshape(n, n, 2)
    )


def rectify(frame: Image, board: FoundBoard, *, px: int = 32, margin: float = 0.0) -> Image:
    """Cut the playing field out of a frame as a square picture seen from above.

    Args:
        frame: uint8, BGR or grey, shape (height, width, 3) or (height, width).
        board: the board in this frame.
        px: edge of one square in the result, in pixels.
        margin: border kept round the playing field, in squares.

    Returns:
        uint8, square, its first row running from the first corner to the second.
    """
    grid = view_map(board, px=px, margin=margin)
    # Two maps: with an empty array for the second one OpenCV 5.0 gives noise.
    x, y = (np.ascontiguousarray(grid[..., k]) for k in (0, 1))
    return np.asarray(cv2.remap(frame, x, y, cv2.INTER_LINEAR), np.uint8)


__all__ = ["Floats", "Image", "Map", "rectify", "view_map"]
