import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crownhead.rules.errors import RulesError, UnreadablePosition
from crownhead.rules.fen import format_fen, parse_fen
from crownhead.rules.position import Position, Side
from crownhead.rules.variant import VARIANTS, Naming, start_position
from tests.rules.strategies import cases, variants


@given(cases(), st.sampled_from([None, *Naming]))
def test_what_is_written_is_read_back(case, naming):
    variant, position = case
    assert parse_fen(format_fen(position, variant, naming=naming), variant) == position


@pytest.mark.parametrize(
    ("name", "fen"),
    [
        ("international", "W:W31-50:B1-20"),
        ("english", "B:W21-32:B1-12"),
        ("spanish", "W:W1-12:B21-32"),
        ("canadian", "W:W43-72:B1-30"),
    ],
)
def test_a_start_position_is_written_with_ranges(name, fen):
    variant = VARIANTS[name]
    assert format_fen(start_position(variant), variant) == fen


def test_two_neighbours_and_kings_are_written_singly():
    variant = VARIANTS["english"]
    position = parse_fen("W:W1,2,K3,K4,K5,6:B9", variant)
    assert format_fen(position, variant) == "W:W1,2,K3-5,6:B9"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("B:B1-3:WK7", "B:WK7:B1-3"),
        (" W : W 31, 29 : B K01 - 3 . ", "W:W29,31:BK1-3"),
        ("W:WK1-K3:B9", "W:WK1-3:B9"),
        ("w:w31:bk1", "W:W31:BK1"),
        ("?:W31:B1", "B:W31:B1"),
        ("W:W:BK3", "W:W:BK3"),
        ("B::", "B:W:B"),
        ('[FEN "W:W31:B1"]', "W:W31:B1"),
        ("W:Wa1,Kc3:Bb8,H8", "W:W29,K22:B1,4"),
    ],
)
def test_forms_met_in_files(text, same):
    variant = VARIANTS["english"]
    assert parse_fen(text, variant) == parse_fen(same, variant)


def test_a_small_k_is_a_column_on_twelve_columns():
    variant = VARIANTS["canadian"]
    assert parse_fen("W:Wk1:B", variant) == parse_fen("W:W72:B", variant)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "W:W31-50:B1-20"),
        ("rubbish", "rubbish"),
        ("W:W31", "W:W31"),
        ("W:W31:W1", "twice"),
        ("W:W31:B31", "both sides"),
        ("W:W31,31:B1", "twice"),
        ("W:W33:B1", "33"),
        ("W:W0:B1", "0"),
        ("W:Wa2:B1", "a2"),
        ("W:W9-5:B1", "backward"),
        ("W:31:B1", "begins with W or B"),
        ("W:W31:B1:B2", "W:W31-50:B1-20"),
        ("W:W" + "1," * 2000 + ":B", "characters"),
    ],
)
def test_what_is_no_position_is_refused_with_the_reason(text, word):
    with pytest.raises(UnreadablePosition, match=word):
        parse_fen(text, VARIANTS["english"])


@given(variants, st.one_of(st.text(), st.text(alphabet='WBKwbk?:,-.0123456789abh []"')))
@example(VARIANTS["english"], "W:W" + "9" * 1000 + ":B")
@example(VARIANTS["english"], "W:W²:B")
def test_any_text_is_read_or_refused(variant, text):
    try:
        position = parse_fen(text, variant)
    except RulesError:
        return
    assert isinstance(position, Position)
    assert isinstance(position.turn, Side)
    assert (position.occupied | position.kings) >> variant.squares == 0


def test_counts_of_moves_behind_the_pieces_are_passed_over():
    found = parse_fen("W:W31-50:B1-20:H0:F1", VARIANTS["international"])
    assert found == start_position(VARIANTS["international"])
