import numpy as np
import pytest

from crownhead.vision.doubt import SIGNS, WEIGHTS, Reasons, confidences, signs_of
from crownhead.vision.men_colours import MenColours


def reasons(odds, lighter, distance=6.0, told=None) -> Reasons:
    odds, lighter = np.array(odds, float), np.array(lighter, float)
    colours = MenColours(np.full((8, 8), 0.5), True, distance)
    told = np.where(odds > 0, 12 * (lighter - 0.5), 0.0) if told is None else np.array(told, float)
    return Reasons(odds, odds, odds * 2, 0.9, lighter, colours, 150.0, 8, told)


def test_there_is_a_weight_for_each_sign():
    known = reasons([5, -5], [1, 0.5])
    assert signs_of(known).shape == (2, len(SIGNS)) == (2, len(WEIGHTS))


def test_a_clear_board_is_sure_and_a_faint_square_on_it_is_not():
    odds = [5.0] * 16 + [-5.0] * 15 + [0.1]
    sure = confidences(reasons(odds, [1.0] * 8 + [0.0] * 8 + [0.5] * 16))
    assert sure[:31].min() > 0.95
    assert sure[31] < 0.9


@pytest.mark.parametrize("chance", [0.55, 0.45])
def test_a_man_whose_side_is_open_is_in_doubt(chance):
    lighter = [1.0] * 8 + [0.0] * 7 + [chance] + [0.5] * 16
    sure = confidences(reasons([5.0] * 16 + [-5.0] * 16, lighter))
    assert sure[15] < 0.9 < sure[:15].min()


def test_a_man_whose_side_the_network_sees_otherwise_is_less_sure():
    odds, lighter = [5.0] * 16 + [-5.0] * 16, [0.95] * 8 + [0.05] * 8 + [0.5] * 16
    told = [4.0] * 8 + [-4.0] * 8 + [0.0] * 16
    odd_one_out = [*told[:15], 4.0, *told[16:]]
    at_one = confidences(reasons(odds, lighter, told=told))
    otherwise = confidences(reasons(odds, lighter, told=odd_one_out))
    assert otherwise[15] < at_one[15]
    # Which side the network calls the first is by chance.
    swapped = confidences(reasons(odds, lighter, told=[-t for t in told]))
    assert np.allclose(at_one, swapped)


def test_missing_a_whole_side_casts_doubt_on_every_square():
    fair = confidences(reasons([5.0] * 16 + [-5.0] * 16, [1.0] * 8 + [0.0] * 8 + [0.5] * 16))
    one = confidences(reasons([5.0] * 8 + [-5.0] * 24, [1.0] * 8 + [0.5] * 24))
    assert one[16:].max() < fair[16:].min()
