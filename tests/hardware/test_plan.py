import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crownhead.hardware.errors import HardwareError
from crownhead.hardware.layout import Corner, Layout, Order, led_index
from crownhead.hardware.plan import LEVELS, LightPlan, Meaning, colour_of, colours, plan_of

places = st.tuples(st.integers(0, 9), st.integers(0, 9))
plans = st.builds(
    lambda lit: LightPlan(tuple(lit)),
    st.lists(st.tuples(places, st.sampled_from(Meaning)), max_size=30),
)


def luminance(colour):
    """Relative luminance by the sRGB primaries, for lights whose levels are linear."""
    red, green, blue = colour
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("cap", [*range(64, 256, 16), 255])
def test_meanings_can_be_told_apart_without_the_hue(cap):
    brightness = sorted(luminance(colour_of(meaning, cap=cap)) for meaning in Meaning)
    assert brightness[0] > 0
    assert all(brighter >= 1.5 * darker for darker, brighter in itertools.pairwise(brightness))


@given(plans, st.integers(64, 255), st.sampled_from(Order), st.sampled_from(Corner))
def test_no_level_is_above_the_cap_or_a_command_of_wled(plan, cap, order, start):
    frame = colours(plan, Layout(10, order, start), cap=cap)
    assert len(frame) == 100
    assert {level for colour in frame for level in colour} <= {v for v in LEVELS if v <= cap}


@given(plans)
def test_just_the_places_of_the_plan_are_lit(plan):
    layout = Layout(10, Order.SERPENTINE)
    frame = colours(plan, layout)
    lit = {led_index(layout, place) for place, _ in plan.lit}
    assert {n for n, colour in enumerate(frame) if colour != (0, 0, 0)} == lit


def test_levels_hold_no_command_byte_of_wled():
    commands = set(b"AIvlLoO{") | set(range(0xB0, 0xB8))
    assert not commands & set(LEVELS)


def test_the_weightier_meaning_shows_where_two_meet():
    plan = LightPlan((((3, 4), Meaning.ILLEGAL), ((3, 4), Meaning.LAST_MOVE)))
    assert colours(plan, Layout(8))[3 * 8 + 4] == colour_of(Meaning.ILLEGAL)


def test_an_illegal_move_shows_where_the_piece_may_not_stand_and_where_it_belongs():
    left, stands = (6, 1), (4, 3)
    plan = plan_of(
        {
            Meaning.ILLEGAL: [left, stands],
            Meaning.PUT_BACK: [left],
            Meaning.REMOVE: [stands],
        }
    )
    assert dict(plan.lit) == {left: Meaning.PUT_BACK, stands: Meaning.ILLEGAL}


def test_plan_of_keeps_one_meaning_for_each_place():
    plan = plan_of({Meaning.ILLEGAL: [(1, 2), (0, 1)], Meaning.LAST_MOVE: [(0, 1), (5, 4)]})
    assert plan == LightPlan(
        (((0, 1), Meaning.ILLEGAL), ((1, 2), Meaning.ILLEGAL), ((5, 4), Meaning.LAST_MOVE))
    )


@pytest.mark.parametrize("cap", [0, 63, 256])
def test_a_cap_at_which_meanings_fall_together_is_refused(cap):
    with pytest.raises(HardwareError, match="64 to 255"):
        colour_of(Meaning.ILLEGAL, cap=cap)


def test_a_place_off_the_board_is_refused():
    with pytest.raises(HardwareError, match="0 to 7"):
        colours(LightPlan((((8, 0), Meaning.ILLEGAL),)), Layout(8))
