import pytest
from hypothesis import given
from hypothesis import strategies as st

from crownhead.rules.fen import format_fen
from crownhead.vision.orientation import best_orientation, position_of, turned_rows

START = (
    ".b.b.b.b",
    "b.b.b.b.",
    ".b.b.b.b",
    "........",
    "........",
    "w.w.w.w.",
    ".w.w.w.w",
    "w.w.w.w.",
)


def fen_of(rows, parity):
    position, numbering = position_of(rows, best_orientation(rows, parity))
    return format_fen(position, numbering)


@pytest.mark.parametrize("turns", range(4))
def test_the_start_is_read_from_every_side(turns):
    rows = turned_rows(START, turns)
    assert fen_of(rows, (1 + turns) % 2) == "W:W21-32:B1-12"


def test_turning_moves_the_first_corner_clockwise():
    assert turned_rows(("ab", "cd"), 1) == ("bd", "ac")


@given(st.lists(st.text(alphabet=".wbWB", min_size=8, max_size=8), min_size=8, max_size=8))
def test_four_turns_are_none(rows):
    rows = tuple(rows)
    assert turned_rows(turned_rows(rows, 1), 3) == rows
    assert turned_rows(rows, 4) == rows


def test_a_board_laid_with_the_wrong_corner_is_told():
    rows = tuple(row[::-1] for row in START)
    orientation = best_orientation(rows, 0)
    assert orientation.mirrored
    position, numbering = position_of(rows, orientation)
    assert format_fen(position, numbering) == "W:W21-32:B1-12"


def test_kings_and_single_men_keep_their_squares():
    rows = (*("." * 8 for _ in range(6)), ".W......", "b.......")
    # Turned round, so that White is nearer to the lower edge.
    assert fen_of(rows, 1) == "W:WK8:B4"


def test_an_empty_board_is_a_position_too():
    assert fen_of(("........",) * 8, 1) == "W:W:B"


def test_a_square_that_cannot_be_seen_counts_as_empty():
    rows = ("?b?b?b?b", *START[1:])
    assert fen_of(rows, 1) == "W:W21-32:B1-12"


def test_a_few_men_across_the_board_do_not_make_it_mirrored():
    rows = (*("." * 8 for _ in range(3)), "w......b", "......b.", *("." * 8 for _ in range(3)))
    assert not best_orientation(rows, 1).mirrored
