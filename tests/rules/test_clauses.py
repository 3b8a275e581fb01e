"""The clauses of the four presets' own documents, one position each, named as in docs/rules.md."""

import pytest

from crownhead.rules.clauses import CLAUSES
from crownhead.rules.ending import End, claimable, counts, outcome
from crownhead.rules.fen import parse_fen
from crownhead.rules.generator import distinct_moves, play
from crownhead.rules.geometry import place_of, square_at
from crownhead.rules.notation import format_moves
from crownhead.rules.position import Position, Side
from crownhead.rules.referee import in_progress, judge, judge_board
from crownhead.rules.variant import PROTOCOLS, VARIANTS, Naming, OnIllegal, start_position
from crownhead.rules.words import KEYS

A, B, C, E = (VARIANTS[n] for n in ("hk100", "checkers-online", "take-back", "leaflet"))


def moves(variant, fen):
    position = parse_fen(fen, variant)
    found = distinct_moves(variant, position)
    return set(format_moves(variant, position, found, naming=Naming.NUMERIC))


@pytest.mark.parametrize(
    ("variant", "fen", "legal"),
    [
        pytest.param(A, "W:W28:B1", "28-22 28-23", id="A08 a man steps forward"),
        pytest.param(A, "W:W28:BK23", "28x19", id="A09 a man takes man or king"),
        pytest.param(A, "W:W40:B34,23,12", "40x7", id="A10 the same man goes on"),
        pytest.param(A, "W:W28:B33", "28x39", id="A11 backward when capturing"),
        pytest.param(A, "W:W12:B8,20", "12x3", id="A13 no king's right before the next move"),
        pytest.param(A, "W:W11:B7,8", "11x13", id="A14 passing does not crown"),
        pytest.param(
            A,
            "W:WK46:B50",
            "46-41 46-37 46-32 46-28 46-23 46-19 46-14 46-10 46-5",
            id="A15 a king goes any distance",
        ),
        pytest.param(
            A, "W:WK46:B28", "46x23 46x19 46x14 46x10 46x5", id="A16 and takes at any distance"
        ),
        pytest.param(A, "W:WK46:B28,8", "46x2", id="A17 and goes on so"),
        pytest.param(A, "W:W28,50:B23,1", "28x19", id="A18 capturing is compulsory"),
        pytest.param(A, "W:W40:B34,23", "40x18", id="A19 and must be completed"),
        pytest.param(A, "W:W28,30:B22,24,14", "30x10", id="A20 most pieces go first"),
        pytest.param(B, "W:W22:B1", "22-17 22-18", id="B07 a man steps forward"),
        pytest.param(B, "W:W22:B18", "22x15", id="B10 a piece is jumped"),
        pytest.param(B, "W:W15:B18", "15x22", id="B11 also backward"),
        pytest.param(B, "W:W22:B18,11", "22x8", id="B12 several in one move"),
        pytest.param(B, "W:W22,32:B18", "22x15", id="B13 jumping is compulsory"),
        pytest.param(B, "W:W22,21:B18,11,17", "22x8 22x13 21x23", id="B14 any sequence"),
        pytest.param(B, "W:W22:B18,11,4", "22x8", id="B15 but all of it"),
        pytest.param(B, "W:W11:B7,6", "11x9 11x13", id="B17 on as a king"),
        pytest.param(B, "W:WK29:B25", "29x22 29x18 29x15 29x11 29x8 29x4", id="B18 free landing"),
        pytest.param(C, "W:WK22:B1", "22-17 22-18 22-25 22-26", id="C02 a king goes both ways"),
        pytest.param(C, "W:W22:BK18", "22x15", id="C03 a single jumps a king"),
        pytest.param(C, "W:W22:BK26", "22-17 22-18", id="C04 no single goes backward"),
        pytest.param(C, "W:W22,32:BK18", "22x15", id="C08 every jump must be taken"),
        pytest.param(C, "W:W22:BK18,K11", "22x8", id="C09 over as many kings as it can"),
        pytest.param(C, "W:W11:BK6,K7", "11x2", id="C10 becoming a king ends the turn"),
        pytest.param(C, "W:WK11:BK6,K7", "11x9", id="C11 a king goes on from there"),
        pytest.param(C, "W:W22,18:BK15", "18x11", id="C12 not over own pieces"),
        pytest.param(E, "B:W32:B9", "9-13 9-14", id="E05 forward by one"),
        pytest.param(E, "B:W14,6:B9", "9x18", id="E06 takes in front"),
        pytest.param(E, "B:W14,32:B9,1", "9x18", id="E07 even if it hurts"),
        pytest.param(E, "B:W14,22:B9", "9x25", id="E08 as long as it can"),
        pytest.param(E, "B:W14,13:B9,10", "9x18 10x17", id="E11 a free choice"),
        pytest.param(E, "B:W32:BK18", "18-14 18-15 18-22 18-23", id="E13 a king goes back"),
        pytest.param(E, "B:W14:BK18", "18x9", id="E14 a king takes backward"),
    ],
)
def test_moves_of_a_clause(variant, fen, legal):
    assert moves(variant, fen) == set(legal.split())


@pytest.mark.parametrize(
    ("variant", "size", "men", "first"),
    [
        pytest.param(A, 10, 20, Side.WHITE, id="A01 A02 A05 A06"),
        pytest.param(B, 8, 12, Side.WHITE, id="B01 B02 B05"),
        pytest.param(C, 8, 12, Side.BLACK, id="C"),
        pytest.param(E, 8, 12, Side.BLACK, id="E02 E03"),
    ],
)
def test_the_start_of_a_clause(variant, size, men, first):
    start = start_position(variant)
    assert variant.size == size
    assert start.white.bit_count() == start.black.bit_count() == men
    assert start.turn is first
    # A04, B01: the square at each player's lower left is dark, and pieces stand on dark ones.
    assert square_at(variant, size - 1, 0) is not None
    assert square_at(variant, 0, size - 1) is not None
    assert place_of(variant, square_at(variant, 0, 1)) == (0, 1)


@pytest.mark.parametrize(
    ("variant", "fen", "text", "kings"),
    [
        pytest.param(A, "W:W6:B50", "6-1", 1, id="A12 by a step"),
        pytest.param(A, "W:W12:B8", "12x3", 3, id="A12 by a capture"),
        pytest.param(B, "W:W5:B32", "5-1", 1, id="B08"),
        pytest.param(C, "W:W5:B32", "5-1", 1, id="C02"),
        pytest.param(E, "B:W1:B28", "28-32", 32, id="E12"),
    ],
)
def test_a_man_that_stops_on_the_far_row_is_crowned(variant, fen, text, kings):
    verdict = judge(variant, parse_fen(fen, variant), text)
    assert verdict.legal
    assert verdict.after.kings == 1 << (kings - 1)


def test_a21_a22_a_captured_piece_stays_and_blocks():
    # The king goes round over 42, 29, 19 and 31; what it has jumped stands until it stops.
    position = parse_fen("W:WK47:B14,19,29,31,42", A)
    for move in distinct_moves(A, position):
        assert len(set(move.captured)) == len(move.captured) == 4
        assert play(A, position, move).black.bit_count() == 1
    half = in_progress(A, position, parse_fen("W:WK36:B14,19,29,31,42", A))
    assert half is not None
    assert half.at_destination


def test_b16_a_piece_cannot_be_jumped_again():
    verdict = judge(B, parse_fen("W:WK29:B18,19", B), "a1:e5:a1")
    assert verdict.rule == "jumped-twice"


@pytest.mark.parametrize("variant", [A, B, C, E], ids=["A23", "B19", "C01", "E15"])
def test_a_side_without_pieces_has_lost(variant):
    position = Position(1 << 11, 0, 0, Side.BLACK)
    found = outcome(variant, [position])
    assert found is not None
    assert (found.winner, found.end) == (Side.WHITE, End.NO_PIECES)


@pytest.mark.parametrize(
    ("variant", "fen"),
    [
        pytest.param(A, "W:W46:B37,41", id="A24"),
        pytest.param(B, "W:W21:B14,17", id="B19"),
        pytest.param(C, "W:W21:B14,17", id="C01"),
        pytest.param(E, "W:W21:B14,17", id="E15"),
    ],
)
def test_a_side_that_is_blocked_has_lost(variant, fen):
    found = outcome(variant, [parse_fen(fen, variant)])
    assert found is not None
    assert (found.winner, found.end) == (Side.BLACK, End.BLOCKED)


def test_b21_the_third_time_is_a_draw():
    position = parse_fen("W:WK29,25:BK1", B)
    other = parse_fen("B:WK29,25:BK1", B)
    assert outcome(B, [position, other] * 2) is None
    found = outcome(B, [position, other] * 2 + [position])
    assert found is not None
    assert found.end is End.DRAW


@pytest.mark.parametrize("variant", [A, C, E], ids=["A25", "C", "E"])
def test_no_count_draws_where_none_is_written(variant):
    position = start_position(variant)
    assert counts(variant, [position] * 200) == ()
    assert claimable(variant, [position] * 200) == ()


@pytest.mark.parametrize(
    ("before", "seen", "rule"),
    [
        pytest.param("W:W22:BK26", "W:W31:B", "wrong-direction", id="C05 a backward jump"),
        pytest.param("W:W22,25:B18", "W:W22,21:B18", "must-capture", id="C06 a jump left out"),
        pytest.param("W:W22:BK18,K4", "W:W15:B", "wrong-removal", id="C07 a king wrongly taken"),
    ],
)
def test_an_illegal_move_is_taken_back_and_what_it_took_is_put_back(before, seen, rule):
    position = parse_fen(before, C)
    verdict = judge_board(C, position, parse_fen(seen, C))
    assert PROTOCOLS[C.protocol].on_illegal is OnIllegal.TAKE_BACK
    assert verdict.rule == rule
    white, black = verdict.after.white, verdict.after.black
    for item in verdict.restore:
        bit = 1 << (item.square - 1)
        white, black = white & ~bit, black & ~bit
        if item.wanted is not None:
            white |= bit if item.wanted.side is Side.WHITE else 0
            black |= bit if item.wanted.side is Side.BLACK else 0
    assert (white, black) == (position.white, position.black)


def test_e09_e10_each_jump_is_shown_and_the_turn_goes_on():
    position = parse_fen("B:W14,22:B9", E)
    assert PROTOCOLS[E.protocol].jump_by_jump
    between = in_progress(E, position, parse_fen("B:W22:B18", E))
    assert between is not None
    assert not between.at_destination
    assert judge_board(E, position, parse_fen("B:W:B25", E)).legal


@pytest.mark.parametrize(
    ("variant", "fen", "text", "clause"),
    [
        pytest.param(A, "W:W28,50:B23,1", "50-45", "A18", id="A18"),
        pytest.param(A, "W:W40:B34,23", "40x29", "A19", id="A19"),
        pytest.param(A, "W:W28,30:B22,24,14", "28x17", "A20", id="A20"),
        pytest.param(B, "W:W22,32:B18", "32-28", "B13", id="B13"),
        pytest.param(B, "W:WK29:B18,19", "a1:e5:a1", "B16", id="B16"),
        pytest.param(C, "W:W22,32:BK18", "32-28", "C08", id="C08"),
        pytest.param(C, "W:W22:BK26", "22x31", "C05", id="C05"),
        pytest.param(C, "W:W11:BK6,K7", "11x2x9", "C10", id="C10"),
        pytest.param(E, "B:W14,32:B9,1", "1-5", "E07", id="E07"),
        pytest.param(E, "B:W21-32:B1-12", "22-18", "E01", id="E01"),
        pytest.param(VARIANTS["english"], "W:W22,32:BK18", "32-28", None, id="no document"),
        pytest.param(A, "W:W28:B1", "28-22", None, id="legal"),
    ],
)
def test_a_verdict_names_the_clause(variant, fen, text, clause):
    assert judge(variant, parse_fen(fen, variant), text).clause == clause


def test_every_clause_belongs_to_a_sentence_and_a_preset():
    for name, clauses in CLAUSES.items():
        assert set(clauses) <= KEYS
        letter = {"hk100": "A", "checkers-online": "B", "take-back": "C", "leaflet": "E"}[name]
        assert {clause[0] for clause in clauses.values()} == {letter}
