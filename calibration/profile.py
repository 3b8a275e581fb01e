"""A camera and a board that stay where they are: where the board lies, in a TOML file."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from crownhead.calibration.board import FoundBoard
from crownhead.calibration.errors import CalibrationError

FORMAT = 1

SIZES = (8, 10, 12)


def format_profile(board: FoundBoard) -> str:
    """Write a board as a profile; numbers are kept to the last digit."""
    rows = ",\n    ".join(
        "[" + ", ".join(repr(float(value)) for value in row) + "]" for row in board.image_from_board
    )
    return (
        "# Where the board lies in the camera's picture; made by `crownhead calibrate`.\n"
        f"format = {FORMAT}\n"
        f"size = {board.size}\n"
        f"picture = [{board.width}, {board.height}]\n"
        f"bend = {board.bend!r}\n"
        f"confidence = {board.confidence!r}\n"
        f"image_from_board = [\n    {rows},\n]\n"
    )


def parse_profile(text: str) -> FoundBoard:
    """Read a profile.

    Raises:
        CalibrationError: it is none; the message says what is wrong.
    """
    try:
        data: dict[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise CalibrationError(f"a profile is a TOML file: {error}") from error
    if data.get("format") != FORMAT:
        raise CalibrationError(
            f"a profile says format = {FORMAT}; make this one anew with `crownhead calibrate`"
        )
    picture: Any = data.get("picture")
    matrix: Any = data.get("image_from_board")
    size = data.get("size")
    if size not in SIZES:
        raise CalibrationError(f"size must be one of {', '.join(map(str, SIZES))}, not {size!r}")
    if not _is_numbers(picture, 2) or not all(1 <= side <= 100_000 for side in picture):
        raise CalibrationError("picture must be its width and height in pixels")
    matrix = data.get("image_from_board")
    if (
        not isinstance(matrix, list)
        or len(matrix) != 3
        or not all(_is_numbers(r, 3) for r in matrix)
    ):
        raise CalibrationError("image_from_board must be three rows of three numbers")
    bend, confidence = data.get("bend", 0.0), data.get("confidence", 1.0)
    if not _is_numbers([bend, confidence], 2) or abs(bend) > 1 or not 0 <= confidence <= 1:
        raise CalibrationError("bend must lie between -1 and 1, and confidence between 0 and 1")
    homography = np.array(matrix, np.float64)
    if abs(float(np.linalg.det(homography))) < 1e-9:
        raise CalibrationError("image_from_board maps the board onto a line")
    width, height = int(picture[0]), int(picture[1])
    return FoundBoard(int(size), homography, float(bend), width, height, float(confidence))


def read_profile(path: Path) -> FoundBoard:
    """Read a profile from a file.

    Raises:
        CalibrationError: the file cannot be read, or is no profile.
    """
    try:
        return parse_profile(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CalibrationError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise CalibrationError(f"{path} is not a text, so it holds no profile") from error
    except CalibrationError as error:
        raise CalibrationError(f"{path}: {error}") from error


def _is_numbers(value: object, count: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == count
        and all(
            isinstance(item, int | float) and not isinstance(item, bool) and math.isfinite(item)
            for item in value
        )
    )
