import itertools

import pytest

from crownhead.hardware.errors import HardwareError
from crownhead.hardware.layout import Corner, Layout, Order, led_count, led_index, parse_layout


@pytest.mark.parametrize(
    ("order", "start", "place", "led"),
    [
        (Order.ROW_MAJOR, Corner.FAR_LEFT, (0, 0), 0),
        (Order.ROW_MAJOR, Corner.FAR_LEFT, (1, 0), 8),
        (Order.ROW_MAJOR, Corner.FAR_LEFT, (7, 7), 63),
        (Order.ROW_MAJOR, Corner.FAR_RIGHT, (0, 0), 7),
        (Order.ROW_MAJOR, Corner.NEAR_LEFT, (7, 2), 2),
        (Order.SERPENTINE, Corner.FAR_LEFT, (1, 7), 8),
        (Order.SERPENTINE, Corner.FAR_LEFT, (1, 0), 15),
        (Order.SERPENTINE, Corner.FAR_LEFT, (2, 0), 16),
        (Order.SERPENTINE, Corner.NEAR_RIGHT, (7, 7), 0),
        (Order.SERPENTINE, Corner.NEAR_RIGHT, (6, 0), 8),
        (Order.SERPENTINE, Corner.NEAR_LEFT, (6, 7), 8),
    ],
)
def test_known_places_on_an_eight_row_board(order, start, place, led):
    assert led_index(Layout(8, order, start), place) == led


@pytest.mark.parametrize(
    ("size", "order", "start"), list(itertools.product((8, 10, 12), Order, Corner))
)
def test_every_light_has_one_place_and_a_serpentine_never_jumps(size, order, start):
    layout = Layout(size, order, start)
    places = list(itertools.product(range(size), range(size)))
    strip = sorted(places, key=lambda place: led_index(layout, place))
    assert sorted(led_index(layout, place) for place in places) == list(range(led_count(layout)))
    steps = [abs(r1 - r2) + abs(c1 - c2) for (r1, c1), (r2, c2) in itertools.pairwise(strip)]
    assert max(steps) == (1 if order is Order.SERPENTINE else size)


@pytest.mark.parametrize("place", [(-1, 0), (0, 8), (8, 0)])
def test_a_place_off_the_board_is_refused(place):
    with pytest.raises(HardwareError, match="0 to 7 on this board"):
        led_index(Layout(8), place)


def test_a_map_file_names_order_and_start():
    assert parse_layout('order = "serpentine"\nstart = "near-right"', 10) == Layout(
        10, Order.SERPENTINE, Corner.NEAR_RIGHT
    )
    assert parse_layout("", 8) == Layout(8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("order = ", "not TOML"),
        ('ordre = "serpentine"', "keys order and start, not 'ordre'"),
        ('order = "zigzag"', "row-major or serpentine, not 'zigzag'"),
        ("order = [1]", r"row-major or serpentine, not \[1\]"),
        ("start = 3", "start is one of .*not 3"),
    ],
)
def test_a_map_file_that_cannot_be_used_says_why(text, message):
    with pytest.raises(HardwareError, match=message):
        parse_layout(text, 8)
