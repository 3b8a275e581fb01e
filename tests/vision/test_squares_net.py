from importlib.resources import files

import cv2
import numpy as np
import pytest

from crownhead.calibration.board import FoundBoard
from crownhead.vision.squares_net import (
    MODEL,
    NET_PX,
    judge_board,
    kinds_apart,
    net_view,
    normalised,
    run_network,
)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(5)
    patches = rng.integers(20, 230, (24, 32, 3), np.uint8)
    return cv2.resize(patches, (640, 480), interpolation=cv2.INTER_CUBIC)


@pytest.fixture(params=[8, 10])
def board(request):
    n = float(request.param)
    field = np.array([[0, 0], [n, 0], [n, n], [0, n]], np.float32)
    corners = np.array([[150, 60], [480, 80], [560, 430], [90, 400]], np.float32)
    homography = cv2.getPerspectiveTransform(field, corners)
    return FoundBoard(request.param, np.asarray(homography, np.float64), -0.02, 640, 480)


def test_the_model_stays_under_two_megabytes():
    assert len((files("crownhead.vision") / MODEL).read_bytes()) < 2_000_000


def test_every_square_is_judged(frame, board):
    judged = judge_board(frame, board)
    assert judged.contents.shape == (board.size**2, 3)
    assert judged.sides.shape == (board.size**2,)
    assert judged.contents.dtype == judged.sides.dtype == np.float32
    assert np.isfinite(judged.contents).all()
    assert np.isfinite(judged.sides).all()


def test_boards_of_both_sizes_may_take_turns():
    rng = np.random.default_rng(1)
    views = [
        rng.normal(0, 1, (3, NET_PX * (size + 1), NET_PX * (size + 1))).astype(np.float32)
        for size in (8, 10)
    ]
    first = [run_network(view).contents for view in views]
    again = [run_network(view).contents for view in views[::-1]][::-1]
    for before, after in zip(first, again, strict=True):
        assert np.allclose(before, after, atol=1e-4)


def test_what_lies_on_one_square_changes_how_far_ones_are_judged():
    rng = np.random.default_rng(2)
    edge = NET_PX * 9
    view = rng.normal(0, 0.3, (3, edge, edge)).astype(np.float32)
    other = view.copy()
    top = NET_PX // 2
    other[:, top : top + NET_PX, top : top + NET_PX] += 2  # square (0, 0)
    change = np.abs(run_network(view).contents - run_network(other).contents).max(axis=1)
    assert change.reshape(8, 8)[6:, 6:].min() > 1e-3


def test_squares_of_one_kind_see_each_other_only():
    mask = kinds_apart(8)
    assert mask.shape == (64, 64)
    assert mask[0, 2] == mask[0, 9] == 0
    assert mask[0, 1] == mask[0, 8] < -50


def test_light_and_contrast_matter_little(frame, board):
    usual = normalised(net_view(frame, board))
    dim = normalised(net_view((frame * 0.5 + 20).astype(np.uint8), board))
    assert np.abs(usual - dim).mean() < 0.05


def test_a_larger_picture_of_the_same_shows_the_same(frame, board):
    large = cv2.resize(frame, None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC)
    grow = np.array([[3.0, 0, 1], [0, 3.0, 1], [0, 0, 1]])
    there = FoundBoard(board.size, grow @ board.image_from_board, board.bend, 1920, 1440)
    difference = net_view(frame, board).astype(float) - net_view(large, there)
    assert np.abs(difference).mean() < 4


def test_the_first_square_begins_half_a_square_inside_the_view():
    field = np.array([[0, 0], [8, 0], [8, 8], [0, 8]], np.float32)
    corners = np.array([[100, 100], [420, 100], [420, 420], [100, 420]], np.float32) - 0.5
    homography = np.asarray(cv2.getPerspectiveTransform(field, corners), np.float64)
    frame = np.zeros((520, 520, 3), np.uint8)
    frame[100:140, 100:140] = 255
    view = net_view(frame, FoundBoard(8, homography, 0.0, 520, 520))
    assert view.shape == (9 * NET_PX, 9 * NET_PX, 3)
    bright = view[..., 0] > 128
    assert bright.sum() == pytest.approx(NET_PX**2, abs=2 * NET_PX)
    assert bright[NET_PX // 2 + 2 : NET_PX // 2 + 30, NET_PX // 2 + 2 : NET_PX // 2 + 30].all()
