import cv2
import numpy as np
import pytest

from crownhead.vision.men_colours import split_colours
from crownhead.vision.still import playing_squares

LIGHT, DARK = (180, 200, 210), (60, 80, 110)


def view_with(men, *, parity=1):
    """A board view with discs; ``men`` maps (row, column) to a BGR colour."""
    view = np.full((215, 215, 3), (90, 90, 90), np.uint8)
    dark = np.kron(playing_squares(8, parity), np.ones((25, 25), bool))
    view[7:207, 7:207] = np.where(dark[..., None], DARK, LIGHT)
    occupied = np.zeros((8, 8), bool)
    for (row, column), colour in men.items():
        cv2.circle(view, (7 + 25 * column + 12, 7 + 25 * row + 12), 10, colour, -1)
        occupied[row, column] = True
    return view, occupied


def camps(upper, lower):
    places = [tuple(p) for p in np.argwhere(playing_squares(8, 1))]
    men = dict.fromkeys(places[:12], upper)
    men.update(dict.fromkeys(places[-12:], lower))
    return men


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        pytest.param((30, 30, 30), (230, 235, 235), id="black and white"),
        pytest.param((40, 40, 190), (235, 235, 235), id="red and white"),
        pytest.param((20, 20, 25), (40, 40, 180), id="black and red"),
        pytest.param((45, 70, 105), (110, 160, 200), id="brown and cream"),
    ],
)
def test_the_lighter_camp_is_whites(upper, lower):
    view, occupied = view_with(camps(upper, lower))
    colours = split_colours(view, occupied, 1)
    assert colours.are_apart
    assert (colours.lighter[:3][occupied[:3]] < 0.5).all()
    assert (colours.lighter[5:][occupied[5:]] > 0.5).all()


def test_a_shadow_over_half_the_board_does_not_turn_men_round():
    places = [tuple(p) for p in np.argwhere(playing_squares(8, 1))]
    men = {p: (30, 30, 30) if k % 3 == 0 else (180, 190, 200) for k, p in enumerate(places[:24])}
    view, occupied = view_with(men)
    view[:, 110:] = (view[:, 110:] * 0.35).astype(np.uint8)
    colours = split_colours(view, occupied, 1)
    for place, colour in men.items():
        assert (colours.lighter[place] > 0.5) == (colour[0] > 100)


def test_men_of_one_colour_are_not_split():
    rng = np.random.default_rng(4)
    men = {
        p: tuple(int(v) for v in 200 + rng.integers(-6, 7, 3)) for p in camps((0,) * 3, (0,) * 3)
    }
    view, occupied = view_with(men)
    colours = split_colours(view, occupied, 1)
    assert not colours.are_apart
    assert (colours.lighter[occupied] == 1.0).all()


@pytest.mark.parametrize(("colour", "is_light"), [((20, 20, 20), False), ((240, 240, 240), True)])
def test_one_man_is_compared_with_the_board(colour, is_light):
    view, occupied = view_with({(3, 2): colour})
    assert (split_colours(view, occupied, 1).lighter[3, 2] > 0.5) == is_light


def test_no_men_need_no_colours():
    view, occupied = view_with({})
    assert split_colours(view, occupied, 1).are_apart
