from importlib.resources import files

import cv2
import numpy as np
import pytest

from crownhead.calibration.board import FoundBoard
from crownhead.vision.squares_net import (
    MODEL,
    crops_of_view,
    cut_view,
    run_network,
    square_features,
    square_logits,
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


def test_the_model_stays_small():
    assert len((files("crownhead.vision") / MODEL).read_bytes()) < 400_000


def test_every_square_has_logits_and_features(frame, board):
    logits, features = square_logits(frame, board), square_features(frame, board)
    assert logits.shape == (board.size**2, 3)
    assert features.shape[0] == board.size**2
    assert logits.dtype == features.dtype == np.float32
    assert np.isfinite(logits).all()


def test_chosen_places_give_what_they_give_among_all(frame, board):
    places = ((0, 1), (3, 2), (7, 7))
    everything = square_logits(frame, board)
    chosen = square_logits(frame, board, places)
    wanted = everything[[row * board.size + column for row, column in places]]
    assert np.allclose(chosen, wanted, atol=1e-3)


def test_no_places_give_no_rows(frame, board):
    assert square_logits(frame, board, ()).shape == (0, 3)


def test_light_and_contrast_matter_little(frame, board):
    usual = crops_of_view(cut_view(frame, board), board.size)
    dim = crops_of_view(cut_view((frame * 0.5 + 20).astype(np.uint8), board), board.size)
    assert np.abs(usual - dim).mean() < 0.05


def test_a_larger_picture_of_the_same_shows_the_same(frame, board):
    large = cv2.resize(frame, None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC)
    grow = np.array([[3.0, 0, 1], [0, 3.0, 1], [0, 0, 1]])
    there = FoundBoard(board.size, grow @ board.image_from_board, board.bend, 1920, 1440)
    difference = cut_view(frame, board).astype(float) - cut_view(large, there)
    assert np.abs(difference).mean() < 4


def test_the_crop_of_a_square_is_centred_on_it():
    view = np.zeros((215, 215, 3), np.uint8)
    view[7 + 25 * 2 : 7 + 25 * 3, 7 + 25 * 5 : 7 + 25 * 6] = 255  # row 2, column 5
    crops = crops_of_view(view, 8).reshape(8, 8, 3, 40, 40)
    bright = crops[2, 5, 0] > 1
    assert bright[7:32, 7:32].all()
    assert bright.sum() == 25 * 25


def test_the_network_runs_any_number_of_crops():
    crops = np.random.default_rng(1).normal(0, 1, (9, 3, 40, 40)).astype(np.float32)
    together = run_network(crops)[0]
    for k in range(9):
        assert np.allclose(run_network(crops[k : k + 1])[0][0], together[k], atol=1e-3)
