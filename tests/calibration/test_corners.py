import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crownhead.calibration.board import corners_px
from crownhead.calibration.corners import board_from_corners
from crownhead.calibration.errors import CalibrationError

RING = [(100.0, 80.0), (520.0, 95.0), (600.0, 420.0), (40.0, 400.0)]


def test_the_corners_are_where_they_were_put_in_whatever_order():
    for order in itertools.permutations(RING):
        board = board_from_corners(order, 10, 640, 480)
        assert np.allclose(corners_px(board), RING, atol=1e-6)


@given(st.lists(st.tuples(st.floats(0, 640), st.floats(0, 480)), min_size=4, max_size=4))
def test_any_four_points_give_their_board_or_a_sentence(points):
    try:
        board = board_from_corners(points, 8, 640, 480)
    except CalibrationError:
        return
    distances = np.hypot(*(corners_px(board)[:, None] - np.array(points)[None]).T)
    assert (distances.min(axis=0) < 1e-3).all()
    assert (distances.min(axis=1) < 1e-3).all()


@pytest.mark.parametrize(
    ("points", "words"),
    [
        (RING[:3], "four corners"),
        ("nonsense", "four corners"),
        ([(1, 2, 3)] * 4, "four corners"),
        ([(np.nan, 1), *RING[1:]], "four corners"),
        ([(-50, 80), *RING[1:]], "outside the picture"),
        ([(300, 250), *RING[1:]], "four-sided"),
        ([(100, 80), (104, 80), (104, 84), (100, 84)], "too near"),
    ],
)
def test_what_are_no_corners_of_a_board_is_told(points, words):
    with pytest.raises(CalibrationError, match=words):
        board_from_corners(points, 8, 640, 480)
