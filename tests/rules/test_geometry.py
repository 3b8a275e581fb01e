import pytest

from crownhead.rules.errors import UnreadablePosition
from crownhead.rules.geometry import (
    algebraic_name,
    all_squares,
    place_of,
    square_at,
    square_called,
)
from crownhead.rules.position import Side
from crownhead.rules.variant import VARIANTS, Naming, Playing

each_variant = pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)


@each_variant
def test_places_and_squares_are_each_others_inverse(variant):
    places = [place_of(variant, square) for square in all_squares(variant)]
    assert len(set(places)) == variant.squares
    assert [square_at(variant, *place) for place in places] == list(all_squares(variant))


@each_variant
def test_names_and_squares_are_each_others_inverse(variant):
    for square in all_squares(variant):
        assert square_called(variant, algebraic_name(variant, square)) == square
        assert square_called(variant, f"0{square}") == square


@pytest.mark.parametrize(
    ("name", "square", "place", "algebraic"),
    [
        ("international", 1, (0, 1), "b10"),
        ("international", 46, (9, 0), "a1"),
        ("international", 50, (9, 8), "i1"),
        ("english", 1, (0, 1), "b8"),
        ("english", 29, (7, 0), "a1"),
        ("russian", 29, (7, 0), "a1"),
        ("russian", 4, (0, 7), "h8"),
        ("italian", 1, (0, 0), "a8"),
        ("italian", 32, (7, 7), "h1"),
        ("spanish", 1, (7, 7), "h1"),
        ("spanish", 32, (0, 0), "a8"),
        ("turkish", 1, (0, 0), "a8"),
        ("turkish", 64, (7, 7), "h1"),
        ("thai", 1, (0, 1), "b8"),
        ("canadian", 67, (11, 0), "a1"),
    ],
)
def test_landmarks(name, square, place, algebraic):
    variant = VARIANTS[name]
    assert place_of(variant, square) == place
    assert algebraic_name(variant, square) == algebraic


@each_variant
def test_numbers_run_from_the_corner_that_the_game_type_tells(variant):
    """N2: from the upper left, N1: from the lower right, as the side of the tag sees it."""
    letter, corner = variant.game_type_tag.split(",")[4]
    assert (letter == "A") == (variant.naming is Naming.ALGEBRAIC)
    if letter == "A":
        assert corner == "0"
        assert algebraic_name(variant, square_at(variant, variant.size - 1, 0)) == "a1"
        return
    edge = variant.size - 1
    places = [place_of(variant, square) for square in all_squares(variant)]
    if (variant.numbered_for or variant.first) is Side.BLACK:
        places = [(edge - row, edge - column) for row, column in places]
    assert places == sorted(places, reverse={"2": False, "1": True}[corner])


@each_variant
def test_a_playing_square_lies_at_the_corner_of_the_variant(variant):
    if variant.playing is Playing.ALL:
        assert variant.squares == variant.size**2
        return
    near_left = square_at(variant, variant.size - 1, 0)
    near_right = square_at(variant, variant.size - 1, variant.size - 1)
    assert (near_left is not None) == (variant.dark_corner == "left")
    assert (near_right is not None) == (variant.dark_corner == "right")


@pytest.mark.parametrize(("row", "column"), [(0, 0), (-1, 0), (10, 1), (0, 10)])
def test_there_is_no_square_on_light_places_or_off_the_board(row, column):
    assert square_at(VARIANTS["international"], row, column) is None


@pytest.mark.parametrize("name", ["0", "51", "a2", "k1", "", "1" * 5000, "²", "x"])
def test_a_name_of_no_square_is_refused(name):
    with pytest.raises(UnreadablePosition):
        square_called(VARIANTS["international"], name)
