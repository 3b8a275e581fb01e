import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crownhead.rules.fen import parse_fen
from crownhead.rules.generator import (
    distinct_moves,
    is_over,
    jump_chains,
    legal_moves,
    perft,
    play,
)
from crownhead.rules.geometry import all_squares, place_of, square_at
from crownhead.rules.move import Move
from crownhead.rules.notation import format_moves, result_of
from crownhead.rules.position import Position, Side
from crownhead.rules.tables import bit_of, tables_of
from crownhead.rules.variant import VARIANTS, Corner, Naming, start_position
from tests.rules.strategies import cases, scattered_positions

PERFT = [
    [part.strip() for part in line.split("|")]
    for line in Path(__file__).with_name("perft.txt").read_text().splitlines()
    if line and not line.startswith("#")
]


def texts(name, fen):
    variant = VARIANTS[name]
    position = parse_fen(fen, variant)
    moves = distinct_moves(variant, position)
    return set(format_moves(variant, position, moves, naming=Naming.NUMERIC))


def counts_agree(name, fen, convention, counts, most_nodes):
    # Published counts of the Thai game begin with three rows of men, not with two as it is played.
    variant = VARIANTS[name.removesuffix("12")]
    position = parse_fen(fen, variant)
    by_route = convention == "routes"
    wanted = [int(count) for count in counts.split() if int(count) <= most_nodes]
    found = [perft(variant, position, d + 1, by_route=by_route) for d in range(len(wanted))]
    return found == wanted


@pytest.mark.parametrize(("name", "fen", "convention", "counts", "source"), PERFT)
def test_lines_of_play_are_as_many_as_published(name, fen, convention, counts, source):
    assert source
    assert counts_agree(name, fen, convention, counts, 10_000)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fen", "convention", "counts", "source"), PERFT)
def test_lines_of_play_are_as_many_as_published_to_a_million(name, fen, convention, counts, source):
    assert source
    assert counts_agree(name, fen, convention, counts, 1_000_000)


@pytest.mark.parametrize("name", ["hk100", "checkers-online", "take-back", "leaflet"])
def test_a_seeds_preset_moves_like_its_official_game(name):
    official = {
        "hk100": "international",
        "checkers-online": "russian",
        "take-back": "english",
        "leaflet": "english",
    }[name]
    mine, theirs = VARIANTS[name], VARIANTS[official]
    start = start_position(mine)
    assert start == start_position(theirs)
    assert perft(mine, start, 5) == perft(theirs, start, 5)


def test_portuguese_moves_are_the_spanish():
    portuguese, spanish = VARIANTS["portuguese"], VARIANTS["spanish"]
    start = start_position(spanish)
    assert perft(portuguese, start, 6) == perft(spanish, start, 6) == 36473


def test_every_reference_position_has_exactly_its_moves_and_routes(shared):
    data = json.loads((shared / "data/rules/positions.json").read_text())
    checked = 0
    for entry in data["positions"]:
        variant = VARIANTS.get(entry["variant"])
        if variant is None:
            continue
        position = parse_fen(entry["fen"], variant)
        found = {
            (move.origin, move.destination, frozenset(move.captured), move.crowns)
            for move in distinct_moves(variant, position)
        }
        wanted = {
            (move["from"], move["to"], frozenset(move["captures"]), move.get("promotes", False))
            for move in entry["legal_moves"]
        }
        routes = {
            tuple(path)
            for move in entry["legal_moves"]
            for path in move.get("paths", [[move["from"], move["to"]]])
        }
        assert found == wanted, entry["id"]
        assert {move.path for move in legal_moves(variant, position)} == routes, entry["id"]
        checked += 1
    assert checked == 534


@pytest.mark.parametrize(
    ("name", "fen", "moves"),
    [
        pytest.param("english", "B:W22:B18", {"18x25"}, id="capturing is compulsory"),
        pytest.param("english", "W:W18:B14,15,22,23", {"18x9", "18x11"}, id="forward only"),
        pytest.param("international", "W:W28:B22,32", {"28x17", "28x37"}, id="backward too"),
        pytest.param("international", "W:W46,16:B37,41,11", {"16x7"}, id="blocked"),
        pytest.param("english", "W:W11:B6,K7", {"11x2"}, id="crowning ends the turn"),
        pytest.param("russian", "W:W11:B6,7", {"11x9", "11x13"}, id="crowned and goes on"),
        pytest.param("international", "W:W11:B7,8", {"11x13"}, id="passes the far row"),
        pytest.param("italian", "W:W18:BK14", {"18-13"}, id="no king for a man"),
        pytest.param("turkish", "W:W36:B64", {"36-28", "36-35", "36-37"}, id="aside too"),
        pytest.param("turkish", "W:W36:B37,28,44", {"36x20", "36x38"}, id="not back"),
        pytest.param("turkish", "W:W20:B12,3", {"20x2"}, id="aside on the far row"),
        pytest.param("turkish", "W:WK35:B38,34", {"35x33", "35x39", "35x40"}, id="no turn about"),
        pytest.param(
            "turkish",
            "W:WK36:B38,37",
            {
                "36-4",
                "36-12",
                "36-20",
                "36-28",
                "36-33",
                "36-34",
                "36-35",
                "36-44",
                "36-52",
                "36-60",
            },
            id="over no two",
        ),
        pytest.param("thai", "W:WK29:B22", {"29x18"}, id="stops right behind"),
        pytest.param("thai", "W:W11:B7,6", {"11x2"}, id="crowned, and stops"),
        pytest.param("czech", "W:W22,K30:B18,26", {"30x5", "30x9", "30x14"}, id="king first"),
    ],
)
def test_rules_in_small(name, fen, moves):
    assert texts(name, fen) == moves


def test_a_circle_leaves_from_and_ends_on_the_same_square():
    variant = VARIANTS["brazilian"]
    position = parse_fen("B:WK11,K13,K14,K25,K26:BK21", variant)
    circle = [m for m in distinct_moves(variant, position) if m.origin == m.destination]
    assert [set(move.captured) for move in circle] == [{11, 14, 25, 26}]
    after = play(variant, position, circle[0])
    assert after.black == bit_of(21)
    assert after.white == bit_of(13)


def test_a_side_without_moves_has_lost():
    variant = VARIANTS["english"]
    assert is_over(variant, parse_fen("W:W:B1", variant))
    assert is_over(variant, parse_fen("W:W21:B17,14", variant))
    assert not is_over(variant, start_position(variant))


@given(cases())
def test_a_move_moves_one_piece_and_removes_what_it_captures(case):
    variant, position = case
    full = tables_of(variant).full
    for move in distinct_moves(variant, position):
        after = play(variant, position, move)
        assert after.turn is position.turn.other
        assert not after.white & after.black
        assert not (after.occupied | after.kings) & ~full
        assert not after.kings & ~after.occupied
        own, own_after = _own(position, position.turn), _own(after, position.turn)
        other, other_after = _own(position, after.turn), _own(after, after.turn)
        assert own_after == own & ~bit_of(move.origin) | bit_of(move.destination)
        assert other_after == other & ~sum(bit_of(square) for square in move.captured)
        assert len(set(move.captured)) == len(move.captured) == len(move.path) - 1 or (
            not move.captured and len(move.path) == 2
        )


@given(cases())
def test_a_man_on_the_far_row_is_a_king_after_its_move(case):
    variant, position = case
    far = tables_of(variant).sides[position.turn].crown_row
    for move in distinct_moves(variant, position):
        after = play(variant, position, move)
        if bit_of(move.destination) & far:
            assert after.kings & bit_of(move.destination)


@given(cases())
def test_capturing_is_compulsory(case):
    variant, position = case
    captures = {move.is_capture for move in legal_moves(variant, position)}
    assert len(captures) < 2
    squares = all_squares(variant)
    if any(jump_chains(variant, position, square) for square in squares):
        assert captures == {True}


@given(cases())
def test_legal_captures_are_among_the_chains_that_may_be_tried(case):
    variant, position = case
    for move in legal_moves(variant, position):
        if move.is_capture:
            chains = jump_chains(variant, position, move.origin)
            assert result_of(move) in {result_of(chain) for chain in chains}


@given(cases())
def test_distinct_moves_are_the_routes_without_repeats(case):
    variant, position = case
    routes = [result_of(move) for move in legal_moves(variant, position)]
    distinct = [result_of(move) for move in distinct_moves(variant, position)]
    assert set(routes) == set(distinct)
    assert len(distinct) == len(set(distinct))


@given(cases())
def test_the_board_turned_round_with_colours_changed_has_the_moves_turned_round(case):
    variant, position = case
    turned = Position(
        _turned_board(variant, position.black),
        _turned_board(variant, position.white),
        _turned_board(variant, position.kings),
        position.turn.other,
    )
    found = {result_of(move) for move in legal_moves(variant, turned)}
    wanted = {result_of(_turned_move(variant, move)) for move in legal_moves(variant, position)}
    assert found == wanted


@given(st.data())
def test_the_mirrored_board_has_the_mirrored_moves(data):
    # A mirror changes the corner, which only the board of the other corner can show.
    variant = VARIANTS["italian"]
    other = VARIANTS["english"]
    looking_glass = replace(
        variant, dark_corner=Corner.LEFT, first=other.first, number_corner=other.number_corner
    )
    position = data.draw(scattered_positions(variant))

    def mirrored(square):
        row, column = place_of(variant, square)
        found = square_at(looking_glass, row, variant.size - 1 - column)
        assert found is not None
        return found

    def mirrored_board(board):
        squares = [s for s in all_squares(variant) if board & bit_of(s)]
        return sum(bit_of(mirrored(square)) for square in squares)

    seen = Position(
        mirrored_board(position.white),
        mirrored_board(position.black),
        mirrored_board(position.kings),
        position.turn,
    )
    wanted = {
        (mirrored(m.origin), mirrored(m.destination), frozenset(map(mirrored, m.captured)))
        for m in legal_moves(variant, position)
    }
    found = {
        (m.origin, m.destination, frozenset(m.captured)) for m in legal_moves(looking_glass, seen)
    }
    assert found == wanted


def _own(position, side):
    return position.white if side is Side.WHITE else position.black


def _turned(variant, square):
    return variant.squares + 1 - square


def _turned_board(variant, board):
    return sum(
        bit_of(_turned(variant, square))
        for square in all_squares(variant)
        if board & bit_of(square)
    )


def _turned_move(variant, move):
    return Move(
        tuple(_turned(variant, square) for square in move.path),
        tuple(_turned(variant, square) for square in move.captured),
        move.crowns,
    )
