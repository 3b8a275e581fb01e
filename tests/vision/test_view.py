import numpy as np

from crownhead.calibration.board import FoundBoard
from crownhead.vision.view import rectify


def test_a_board_that_lies_straight_is_cut_out_as_it_is():
    frame = np.random.default_rng(3).integers(20, 230, (300, 400, 3), np.uint8)
    # Squares of 20 px whose first pixel is (100, 60): board coordinate 0 is that pixel's edge.
    there = np.array([[20.0, 0, 99.5], [0, 20.0, 59.5], [0, 0, 1]])
    board = FoundBoard(8, there, 0.0, 400, 300)
    assert (rectify(frame, board, px=20) == frame[60:220, 100:260]).all()
    assert (rectify(frame, board, px=20, margin=0.5) == frame[50:230, 90:270]).all()


def test_a_grey_frame_stays_grey():
    frame = np.random.default_rng(3).integers(20, 230, (300, 400), np.uint8)
    board = FoundBoard(8, np.array([[20.0, 0, 99.5], [0, 20.0, 59.5], [0, 0, 1]]), 0.0, 400, 300)
    assert (rectify(frame, board, px=20) == frame[60:220, 100:260]).all()
