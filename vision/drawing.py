"""A reading drawn over its picture, for people to check."""

import textwrap

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
_ALARM = (90, 90, 255)
_SIGNS = "abcdefghijklmnopqrstuvwxyz"


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


def draw_caption(frame: Image, text: str, *, alarm: bool = False) -> Image:
    """Write a sentence on a dark strip along the lower edge, in at most two lines.

    Args:
        frame: uint8 BGR, shape (height, width, 3); left as it is.
        text: signs beyond ASCII, which OpenCV's fonts lack, become ``?``; what does not fit is
            cut off with dots.
        alarm: write it in red rather than in white.

    Returns:
        A new picture of the same shape.
    """
    picture = frame.copy()
    height, width = picture.shape[:2]
    scale = max(min(width, height) / 900, 0.3)
    thick = max(round(2 * scale), 1)
    (all_signs, tall), _ = cv2.getTextSize(_SIGNS, cv2.FONT_HERSHEY_SIMPLEX, scale, thick)
    room = max(round((width - 2 * tall) / (all_signs / len(_SIGNS))), 8)
    plain = text.encode("ascii", "replace").decode()
    lines = textwrap.wrap(plain, room, max_lines=2, placeholder=" ...")
    # Signs are of different width: the number that fits is found by trial.
    while room > 8 and any(
        cv2.getTextSize(line, cv2.FONT_HERSHEY_SIMPLEX, scale, thick)[0][0] > width - 2 * tall
        for line in lines
    ):
        room = max(9 * room // 10, 8)
        lines = textwrap.wrap(plain, room, max_lines=2, placeholder=" ...")
    step = 2 * tall
    top = max(height - step * len(lines) - tall, 0)
    picture[top:] //= 4
    colour = _ALARM if alarm else (255, 255, 255)
    for n, line in enumerate(lines, 1):
        place = (tall, top + n * step)
        cv2.putText(
            picture, line, place, cv2.FONT_HERSHEY_SIMPLEX, scale, colour, thick, cv2.LINE_AA
        )
    return picture
