import pytest

from crownhead.rules.errors import UnknownVariant
from crownhead.rules.position import Side
from crownhead.rules.variant import PROTOCOLS, VARIANTS, start_position, variant_named

# From PDN 3.0, the table of GameTypes.
GAME_TYPES = {
    "international": "20,W,10,10,N2,0",
    "english": "21,B,8,8,N1,0",
    "italian": "22,W,8,8,N2,1",
    "pool": "23,B,8,8,N1,0",
    "spanish": "24,W,8,8,N1,1",
    "russian": "25,W,8,8,A0,0",
    "brazilian": "26,W,8,8,A0,0",
    "canadian": "27,W,12,12,N2,0",
    "portuguese": "28,W,8,8,N1,1",
    "czech": "29,W,8,8,A0,0",
    "turkish": "30,W,8,8,A0,0",
    "thai": "31,B,8,8,N2,0",
    "frisian": "40,W,10,10,N2,0",
}


@pytest.mark.parametrize("name", GAME_TYPES)
def test_game_type_is_the_standards(name):
    assert VARIANTS[name].game_type_tag == GAME_TYPES[name]


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownVariant, match="'english'"):
        variant_named("enlish")


def test_a_name_like_no_other_is_answered_with_all():
    with pytest.raises(UnknownVariant, match=r"international.*leaflet"):
        variant_named("go")


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_both_sides_start_with_their_rows_of_men_full(variant):
    start = start_position(variant)
    men = variant.rows * variant.squares_a_row
    assert start.white.bit_count() == start.black.bit_count() == men
    assert start.kings == 0
    assert start.white & start.black == 0
    assert start.turn is variant.first


@pytest.mark.parametrize("name", ["english", "take-back", "leaflet", "pool"])
def test_black_begins_where_the_rules_say_so(name):
    assert VARIANTS[name].first is Side.BLACK


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_every_protocol_is_known(variant):
    assert variant.protocol in PROTOCOLS
