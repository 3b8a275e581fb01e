import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crownhead.rules.errors import AmbiguousMove, IllegalMove, RulesError, UnreadableMove
from crownhead.rules.fen import parse_fen
from crownhead.rules.generator import distinct_moves, legal_moves, play
from crownhead.rules.notation import (
    between,
    format_move,
    format_moves,
    format_squares,
    parse_move,
)
from crownhead.rules.variant import VARIANTS, Naming, start_position
from tests.rules.strategies import cases, variants

INTERNATIONAL = VARIANTS["international"]
RUSSIAN = VARIANTS["russian"]
# Four captured by two ways round, which share their ends but not their prey.
PARTING = "W:WK47:B14,19,29,31,42"


def read(name, fen, text):
    variant = VARIANTS[name]
    return parse_move(variant, parse_fen(fen, variant), text)


@given(cases(), st.sampled_from(Naming))
def test_what_is_written_is_read_back(case, naming):
    variant, position = case
    legal = legal_moves(variant, position)
    for move in legal:
        text = format_move(variant, position, move, naming=naming, among=legal)
        after = play(variant, position, parse_move(variant, position, text))
        assert after == play(variant, position, move)


@given(cases())
def test_all_squares_name_exactly_one_route(case):
    variant, position = case
    for move in legal_moves(variant, position):
        text = format_squares(variant, move.path, capture=move.is_capture)
        assert parse_move(variant, position, text) == move


@given(cases())
def test_captured_squares_in_any_order_name_one_result(case):
    variant, position = case
    for move in legal_moves(variant, position):
        if move.is_capture:
            hub = (move.origin, move.destination, *sorted(move.captured))
            text = format_squares(variant, hub, capture=True)
            found = parse_move(variant, position, text)
            assert play(variant, position, found) == play(variant, position, move)


def test_reference_positions_are_written_as_the_standard_wants(shared):
    data = json.loads((shared / "data/rules/positions.json").read_text())
    for entry in data["positions"]:
        variant = VARIANTS.get(entry["variant"])
        if variant is None:
            continue
        position = parse_fen(entry["fen"], variant)
        moves = distinct_moves(variant, position)
        for naming, key in ((Naming.NUMERIC, "pdn"), (Naming.ALGEBRAIC, "alg")):
            wanted = {move[key] for move in entry["legal_moves"] if key in move}
            if wanted and (naming is Naming.NUMERIC or variant.naming is naming):
                found = set(format_moves(variant, position, moves, naming=naming))
                assert found == wanted, entry["id"]


def test_no_illegal_example_is_taken_for_a_move(shared):
    data = json.loads((shared / "data/rules/positions.json").read_text())
    for entry in data["positions"]:
        variant = VARIANTS.get(entry["variant"])
        for example in entry.get("illegal_examples", ()) if variant else ():
            with pytest.raises((IllegalMove, AmbiguousMove)):
                parse_move(variant, parse_fen(entry["fen"], variant), example["pdn"])


@pytest.mark.parametrize(
    "text",
    [
        "32-28",
        "32 - 28",
        "32- 28 !?",
        "32-28!",
        "32-28(?)",
        "32-28*",
        "32–28",
        "3228",
        "d4-e5",
        "D4-E5",
        "d4e5",
    ],
)
def test_one_quiet_move_in_many_hands(text):
    move = parse_move(INTERNATIONAL, start_position(INTERNATIONAL), text)
    assert move.path == (32, 28)


@pytest.mark.parametrize("text", ["c3:e5", "c3xe5", "C3 x E5", "22x15", "22:15", "c3e5", "с3:е5"])
def test_one_capture_in_many_hands(text):
    move = read("russian", "W:W22:B18", text)
    assert (move.path, move.captured) == ((22, 15), (18,))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("47x38x24x13x36", id="standard"),
        pytest.param("47x33x24x13x36", id="another landing square"),
        pytest.param("47x36x19x29x31x42", id="captured squares after the destination"),
        pytest.param("47x42x29x19x31x36", id="captured squares before the destination"),
        pytest.param("47x36<42,29,19,31>", id="captured squares in brackets"),
    ],
)
def test_a_parting_capture_named_by_its_squares(text):
    move = read("international", PARTING, text)
    assert move.path == (47, 38, 24, 13, 36)
    assert move.captured == (42, 29, 19, 31)


def test_an_ambiguous_capture_is_refused_with_the_choices():
    with pytest.raises(AmbiguousMove, match=r"47x38x20x9x36, 47x38x24x13x36"):
        read("international", PARTING, "47x36")


def test_the_long_form_is_written_only_where_the_short_one_is_ambiguous():
    position = parse_fen(PARTING, INTERNATIONAL)
    moves = legal_moves(INTERNATIONAL, position)
    assert set(format_moves(INTERNATIONAL, position, moves)) == {
        "47x38x20x9x36",
        "47x38x24x13x36",
    }
    chain = parse_fen("W:W40:B34,23,12", INTERNATIONAL)
    assert format_moves(INTERNATIONAL, chain, legal_moves(INTERNATIONAL, chain)) == ("40x7",)


def test_the_custom_of_the_variant_names_the_squares():
    position = parse_fen("W:W22:B18", RUSSIAN)
    moves = legal_moves(RUSSIAN, position)
    assert format_moves(RUSSIAN, position, moves) == ("c3:e5",)
    assert format_moves(RUSSIAN, position, moves, naming=Naming.NUMERIC) == ("22x15",)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("33x28", IllegalMove),
        ("31-22", IllegalMove),
        ("18-23", IllegalMove),
        ("99-1", UnreadableMove),
        ("- -", UnreadableMove),
        ("", UnreadableMove),
        ("resign", UnreadableMove),
        ("1-0", UnreadableMove),
        ("32-", UnreadableMove),
        ("1" * 1000, UnreadableMove),
    ],
)
def test_what_is_no_move_here_is_refused(text, error):
    with pytest.raises(error):
        parse_move(INTERNATIONAL, start_position(INTERNATIONAL), text)


def test_squares_between_two_on_a_line():
    assert between(INTERNATIONAL, 47, 29) == (42, 38, 33)
    assert between(INTERNATIONAL, 29, 47) == (33, 38, 42)
    assert between(INTERNATIONAL, 47, 42) == ()
    assert between(INTERNATIONAL, 47, 28) == ()


@given(variants, st.one_of(st.text(), st.text(alphabet="0123456789-x:abch <>,!?*()")))
def test_any_text_is_a_move_or_refused(variant, text):
    position = start_position(variant)
    try:
        move = parse_move(variant, position, text)
    except RulesError:
        return
    assert move in legal_moves(variant, position)
