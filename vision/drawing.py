"""A reading drawn over its picture, for people to check."""

import cv2
import numpy as np

from crownhead.calibration.board import FoundBoard, corners_px, square_px, to_image
from crownhead.vision.view import Image

_COLOURS = {
    "w": (255, 255, 255),
    "W": (255, 255, 255),
    "b": (40, 40, 40),
    "B": (40, 40, 40),
    "?": (0, 200, 255),
}
_GRID = (80, 220, 80)
_FIRST = (60, 60, 255)


def draw_reading(frame: Image, board: FoundBoard, rows: tuple[str, ...]) -> Image:
    """Draw the grid of a board and a sign on each square that is not empty.

    Args:
        frame: uint8 BGR, shape (height, width, 3); left as it is.
        board: the board in it.
        rows: signs ``. w W b B ?``, from the first corner, which is drawn as a dot.

    Returns:
        A new picture of the same shape.
    """
    picture = frame.copy()
    px = square_px(board)
    line = max(round(px / 25), 1)
    steps = np.linspace(0, board.size, 17)
    for k in range(board.size + 1):
        level = np.full_like(steps, k)
        for points in (np.column_stack([steps, level]), np.column_stack([level, steps])):
            path = np.rint(to_image(board, points)).astype(np.int32).reshape(-1, 1, 2)
            cv2.polylines(picture, [path], False, _GRID, line, cv2.LINE_AA)
    x, y = (round(float(v)) for v in corners_px(board)[0])
    cv2.circle(picture, (x, y), 3 * line, _FIRST, -1, cv2.LINE_AA)
    for row, signs in enumerate(rows):
        for column, sign in enumerate(signs):
            if sign == ".":
                continue
            ((x, y),) = np.rint(to_image(board, np.array([[column + 0.5, row + 0.5]]))).astype(int)
            colour = _COLOURS[sign]
            ring = tuple(255 - c for c in colour)
            cv2.circle(picture, (int(x), int(y)), max(round(px * 0.2), 2), colour, -1, cv2.LINE_AA)
            cv2.circle(picture, (int(x), int(y)), max(round(px * 0.2), 2), ring, line, cv2.LINE_AA)
            if sign in "WB?":
                mark = "K" if sign in "WB" else "?"
                place = (round(x - px * 0.12), round(y + px * 0.12))
                cv2.putText(
                    picture, mark, place, cv2.FONT_HERSHEY_SIMPLEX, px / 80, ring, line, cv2.LINE_AA
                )
    return picture
