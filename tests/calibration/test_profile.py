from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crownhead.calibration.board import corners_px
from crownhead.calibration.corners import board_from_corners
from crownhead.calibration.errors import CalibrationError
from crownhead.calibration.profile import format_profile, parse_profile, read_profile

BOARD = replace(
    board_from_corners([(100, 80), (520, 95), (600, 420), (40, 400)], 10, 640, 480), bend=-0.031
)
TEXT = format_profile(BOARD)


def test_a_profile_keeps_the_board_to_the_last_digit():
    read = parse_profile(TEXT)
    assert np.array_equal(read.image_from_board, BOARD.image_from_board)
    assert np.array_equal(corners_px(read), corners_px(BOARD))
    assert (read.size, read.bend, read.width, read.height) == (10, -0.031, 640, 480)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("format = 1", "format = 2", "format"),
        ("size = 10", "size = 9", "size"),
        ("picture = [640, 480]", "picture = [640]", "picture"),
        ("picture = [640, 480]", "picture = [0, 480]", "picture"),
        ("bend = -0.031", "bend = inf", "bend"),
        ("bend = -0.031", "bend = true", "bend"),
        ("image_from_board", "board", "image_from_board"),
        ("size = 10", "size = ", "TOML"),
    ],
)
def test_what_is_wrong_with_a_profile_is_told(old, new, words):
    with pytest.raises(CalibrationError, match=words):
        parse_profile(TEXT.replace(old, new))


@given(st.text() | st.tuples(st.integers(0, len(TEXT)), st.text(max_size=5)).map(
    lambda cut: TEXT[: cut[0]] + cut[1] + TEXT[cut[0] + 1 :]
))  # fmt: skip
def test_no_text_breaks_the_reader(text):
    try:
        board = parse_profile(text)
    except CalibrationError:
        return
    assert board.image_from_board.shape == (3, 3)


def test_a_file_that_is_none_is_told(tmp_path: Path):
    with pytest.raises(CalibrationError, match="cannot be read"):
        read_profile(tmp_path / "none.toml")
    (tmp_path / "picture.toml").write_bytes(b"\x89PNG\xff")
    with pytest.raises(CalibrationError, match="no profile"):
        read_profile(tmp_path / "picture.toml")
