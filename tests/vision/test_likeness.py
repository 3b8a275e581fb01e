import numpy as np
import pytest

from crownhead.vision.likeness import heard, ring_colours


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def test_a_square_that_looks_empty_like_the_others_is_put_right(rng):
    men = np.repeat([True, False], [8, 24])
    seen = rng.normal(0, 0.3, (32, 6)) + np.where(men, 2.0, -2.0)[:, None]
    odds = np.where(men, 3.0, -3.0)
    odds[20] = 1.5  # grain that the network takes for a man
    assert ((heard(odds, seen, 8.0)[0] > 0) == men).all()


def test_others_that_agree_on_nothing_are_not_heard(rng):
    odds = rng.choice([-3.0, 3.0], 32)
    seen = rng.normal(0, 1, (32, 3))
    assert ((heard(odds, seen, 8.0)[0] > 0) == (odds > 0)).all()


def test_a_board_of_one_kind_stays_as_it_is(rng):
    odds = np.full(32, -5.0)
    assert (heard(odds, rng.normal(0, 1, (32, 3)), 8.0)[0] < 0).all()
    assert heard(odds[:2], np.zeros((2, 3)), 8.0)[0].tolist() == [-5.0, -5.0]


def test_rings_tell_a_disc_from_a_bare_square():
    size, px = 8, 25
    view = np.full(((size * 10 + 6) * px // 10,) * 2 + (3,), 60, np.uint8)
    y, x = np.indices(view.shape[:2])
    middle = 7 + 2 * px + 12  # row 2, column 2
    view[np.hypot(y - middle, x - middle) < 8] = 200
    seen = ring_colours(view, size)
    assert seen.shape == (size, size, 24)
    lightness = seen[..., 0]
    assert lightness[2, 2] - 40 > np.delete(lightness.ravel(), 2 * size + 2).max()
