import numpy as np
import pytest

from crownhead.calibration.board import FoundBoard, to_image
from crownhead.vision.fit import fit_bent, fit_homography, project, straighten

WIDTH, HEIGHT = 960, 720
SLANTED = np.array([[60.0, 8.0, 210.0], [-5.0, 48.0, 150.0], [0.01, 0.02, 1.0]])


def grid(n: int) -> np.ndarray:
    return np.stack(np.meshgrid(np.arange(n), np.arange(n)), axis=2).reshape(-1, 2).astype(float)


def test_four_points_give_their_homography_back():
    places = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    model = fit_homography(places, project(SLANTED, places))
    assert model == pytest.approx(SLANTED, abs=1e-6)


def test_points_beyond_the_horizon_are_not_numbers():
    horizon = np.array([[1.0, 0, 0], [0, 1, 0], [0, -0.1, 1]])
    seen = project(horizon, np.array([[0.0, 5], [0.0, 20]]))
    assert np.isfinite(seen[0]).all()
    assert np.isnan(seen[1]).all()


@pytest.mark.parametrize("bend", [-0.12, -0.03, 0.0, 0.05])
def test_homography_and_bend_are_found_together(bend: float):
    board = FoundBoard(8, SLANTED, bend, WIDTH, HEIGHT)
    places = grid(7) + 1
    fit = fit_bent(places, to_image(board, places), WIDTH, HEIGHT)
    assert fit.bend == pytest.approx(bend, abs=0.002)
    corners = np.array([[0.0, 0], [8, 0], [8, 8], [0, 8]])
    fitted = FoundBoard(8, fit.image_from_board, fit.bend, WIDTH, HEIGHT)
    assert to_image(fitted, corners) == pytest.approx(to_image(board, corners), abs=0.3)


def test_a_quarter_of_the_points_may_be_wrong():
    board = FoundBoard(8, SLANTED, -0.03, WIDTH, HEIGHT)
    places = grid(7) + 1
    points = to_image(board, places) + np.random.default_rng(1).normal(0, 0.2, (49, 2))
    points[::4] += [7.0, -5.0]
    fit = fit_bent(places, points, WIDTH, HEIGHT)
    fitted = FoundBoard(8, fit.image_from_board, fit.bend, WIDTH, HEIGHT)
    assert to_image(fitted, places) == pytest.approx(to_image(board, places), abs=0.6)


@pytest.mark.parametrize("bend", [-0.15, 0.08])
def test_straightening_undoes_the_lens(bend: float):
    bent = FoundBoard(8, SLANTED, bend, WIDTH, HEIGHT)
    straight = FoundBoard(8, SLANTED, 0.0, WIDTH, HEIGHT)
    places = grid(9)
    undone = straighten(to_image(bent, places), bend, WIDTH, HEIGHT)
    assert undone == pytest.approx(to_image(straight, places), abs=0.05)
