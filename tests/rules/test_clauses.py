"""The clauses of the four presets' own documents, each with a test of its name.

docs/rules.md says what every clause means and names its tests.
"""

import json
from dataclasses import replace

import pytest

from crownhead.rules.clauses import CLAUSES, DOCUMENTS
from crownhead.rules.ending import End, agreed, claimable, counts, outcome
from crownhead.rules.fen import parse_fen
from crownhead.rules.generator import distinct_moves, legal_moves
from crownhead.rules.geometry import place_of, square_at
from crownhead.rules.notation import format_moves
from crownhead.rules.position import Piece, Position, Side, Square
from crownhead.rules.referee import in_progress, judge, judge_board
from crownhead.rules.variant import (
    PROTOCOLS,
    VARIANTS,
    Corner,
    Crowning,
    DrawKind,
    Naming,
    OnIllegal,
    Removal,
    start_position,
)
from crownhead.rules.words import KEYS

A, B, C, E = (VARIANTS[n] for n in DOCUMENTS)
LETTERS = dict(zip(DOCUMENTS, "ABCE", strict=True))


def moves(variant, fen):
    """The legal moves of a position, in numbers."""
    position = parse_fen(fen, variant)
    found = distinct_moves(variant, position)
    return " ".join(format_moves(variant, position, found, naming=Naming.NUMERIC))


def board(variant, before, seen, **more):
    """The verdict on two boards."""
    return judge_board(variant, parse_fen(before, variant), parse_fen(seen, variant), **more)


def _boards(variant, *fens):
    return [parse_fen(fen, variant) for fen in fens]


def verdict_of(variant, fen, text):
    """The verdict on a move as text."""
    return judge(variant, parse_fen(fen, variant), text)


def ended(variant, fen):
    """Who has won a position without moves, and why."""
    found = outcome(variant, [parse_fen(fen, variant)])
    assert found is not None
    return found.winner, found.end


def to_and_fro(variant, fen, texts, plies):
    """The positions of a game in which a few moves are played over and over."""
    positions = [parse_fen(fen, variant)]
    for ply in range(plies):
        verdict = judge(variant, positions[-1], texts[ply % len(texts)])
        assert verdict.legal
        positions.append(verdict.after)
    return positions


def restored(verdict, seen):
    """The sides on the board after the referee's list was followed."""
    white, black = seen.white, seen.black
    for item in verdict.restore:
        bit = 1 << (item.square - 1)
        white, black = white & ~bit, black & ~bit
        if item.wanted is not None:
            white |= bit if item.wanted.side is Side.WHITE else 0
            black |= bit if item.wanted.side is Side.BLACK else 0
    return white, black


class TestHongKongBoard:
    def test_a01_the_board_has_a_hundred_squares_dark_and_light_in_turn(self):
        assert (A.size, A.squares) == (10, 50)
        for row in range(10):
            dark = [square_at(A, row, column) is not None for column in range(10)]
            assert dark == [bool((row + column) % 2) for column in range(10)]

    def test_a02_each_side_has_twenty_men(self):
        start = start_position(A)
        assert (start.white.bit_count(), start.black.bit_count(), start.kings) == (20, 20, 0)

    def test_a03_a_king_is_turned_over_or_stacked_and_looked_for(self):
        sign = PROTOCOLS[A.protocol].king_sign
        assert "stacked" in sign
        assert "turned over" in sign
        man = board(A, "W:W6:B50", "B:W1:B50", crowning_seen=True)
        assert (man.rule, man.clause) == ("not-crowned", "A12")
        assert [(item.square, item.wanted) for item in man.restore] == [(1, Piece.WHITE_KING)]
        assert board(A, "W:W6:B50", "B:WK1:B50", crowning_seen=True).legal

    def test_a04_a_dark_square_lies_at_each_players_lower_left(self):
        assert A.dark_corner is Corner.LEFT
        assert square_at(A, 9, 0) == 46
        assert square_at(A, 0, 9) == 5

    def test_a05_black_stands_on_1_to_20_and_white_on_31_to_50(self):
        start = start_position(A)
        assert [n for n in range(1, 51) if start.black >> (n - 1) & 1] == [*range(1, 21)]
        assert [n for n in range(1, 51) if start.white >> (n - 1) & 1] == [*range(31, 51)]
        assert [place_of(A, Square(n)) for n in (1, 6, 50)] == [(0, 1), (1, 0), (9, 8)]

    def test_a06_white_moves_first(self):
        start = start_position(A)
        assert start.turn is Side.WHITE
        assert judge(A, start, "32-28").legal
        early = judge(A, start, "19-23")
        assert (early.rule, early.clause) == ("not-your-turn", "A06")

    def test_a07_pieces_stand_and_move_on_dark_squares_only(self):
        for square in range(1, A.squares + 1):
            row, column = place_of(A, Square(square))
            assert (row + column) % 2
        assert square_at(A, 9, 1) is None
        light = verdict_of(A, "W:W28:B1", "b5-c6")
        assert (light.rule, light.clause) == ("not-diagonal", "A07")


class TestHongKongMen:
    def test_a08_a_man_steps_one_square_forward(self):
        assert moves(A, "W:W28:B1") == "28-22 28-23"
        for text, rule in [("28-33", "wrong-direction"), ("28-17", "too-far")]:
            verdict = verdict_of(A, "W:W28:B1", text)
            assert (verdict.rule, verdict.clause) == (rule, "A08")

    @pytest.mark.parametrize("prey", ["23", "K23"])
    def test_a09_a_man_takes_what_stands_next_to_it_man_or_king(self, prey):
        assert moves(A, f"W:W28:B{prey}") == "28x19"
        assert moves(A, f"W:W28:B{prey},19") == "28-22"

    def test_a09_not_a_piece_of_its_own_and_not_from_afar(self):
        own = verdict_of(A, "W:W28,23:B1", "28x19")
        assert (own.rule, own.clause) == ("own-piece-jumped", "A09")
        far = verdict_of(A, "W:W28:B19,1", "28x14")
        assert (far.rule, far.clause) == ("too-far", "A09")

    def test_a10_the_same_man_goes_on_and_all_it_took_leaves_the_board(self):
        assert moves(A, "W:W40:B34,23,12") == "40x7"
        verdict = board(A, "W:W40:B34,23,12", "B:W7:B34")
        assert (verdict.rule, verdict.clause) == ("wrong-removal", "A10")
        assert board(A, "W:W40:B34,23,12", "B:W7:B").legal

    def test_a11_a_man_may_capture_backward(self):
        assert moves(A, "W:W28:B33") == "28x39"
        assert moves(A, "W:W28:B23,13,14") == "28x8 28x10"
        assert moves(A, "W:W28:B23,24") == "28x30"

    @pytest.mark.parametrize(
        ("fen", "text", "king"), [("W:W6:B50", "6-1", 1), ("W:W12:B8", "12x3", 3)]
    )
    def test_a12_a_man_that_stops_on_the_far_row_is_crowned(self, fen, text, king):
        verdict = verdict_of(A, fen, text)
        assert verdict.legal
        assert verdict.after.piece_at(Square(king)) is Piece.WHITE_KING

    def test_a13_the_new_king_has_no_kings_move_before_the_next(self):
        # From 3 a king could take 20; the man that becomes one there may not.
        assert moves(A, "W:W12:B8,20") == "12x3"
        assert moves(A, "W:WK3:B20,50") == "3x25"

    def test_a14_a_man_that_passes_the_far_row_stays_a_man(self):
        assert moves(A, "W:W11:B7,8") == "11x13"
        verdict = verdict_of(A, "W:W11:B7,8", "11x13")
        assert verdict.after.piece_at(Square(13)) is Piece.WHITE_MAN
        crowned = board(A, "W:W11:B7,8", "B:WK13:B", crowning_seen=True)
        assert (crowned.rule, crowned.clause) == ("wrongly-crowned", "A14")


class TestHongKongKings:
    def test_a15_a_king_goes_any_distance(self):
        assert moves(A, "W:WK46:B50") == "46-5 46-10 46-14 46-19 46-23 46-28 46-32 46-37 46-41"
        off = verdict_of(A, "W:WK46:B50", "46-38")
        assert (off.rule, off.clause) == ("not-diagonal", "A15")

    def test_a16_a_king_takes_at_any_distance_and_lands_where_it_likes(self):
        assert moves(A, "W:WK46:B28") == "46x5 46x10 46x14 46x19 46x23"
        two = verdict_of(A, "W:WK46:B28,23", "46x14")
        assert (two.rule, two.clause) == ("too-far", "A16")

    def test_a17_a_king_goes_on_capturing_at_any_distance(self):
        assert moves(A, "W:WK46:B28,8") == "46x2"

    def test_a18_capturing_is_compulsory(self):
        assert moves(A, "W:W28,50:B23,1") == "28x19"
        verdict = verdict_of(A, "W:W28,50:B23,1", "50-45")
        assert (verdict.rule, verdict.clause) == ("must-capture", "A18")

    def test_a19_a_capture_must_be_completed(self):
        assert moves(A, "W:W40:B34,23") == "40x18"
        verdict = verdict_of(A, "W:W40:B34,23", "40x29")
        assert (verdict.rule, verdict.clause) == ("must-finish-capture", "A19")

    def test_a20_the_capture_of_most_pieces_goes_first(self):
        assert moves(A, "W:W28,30:B22,24,14") == "30x10"
        verdict = verdict_of(A, "W:W28,30:B22,24,14", "28x17")
        assert (verdict.rule, verdict.clause) == ("must-capture-most", "A20")
        # Only the number counts: a king is worth no more than a man.
        assert moves(A, "W:W28,30:BK22,24") == "28x17 30x19"

    def test_a21_nothing_leaves_the_board_before_the_capture_is_over(self):
        # Were each piece lifted at once, the king could turn back over an empty diagonal to 4.
        at_once = replace(A, name="at-once", removal=Removal.DURING)
        assert moves(A, "W:WK13:B9,22,31") == "13x36"
        assert moves(at_once, "W:WK13:B9,22,31") == "13x4 13x36"
        waiting = in_progress(A, *_boards(A, "W:W40:B34,23,12", "W:W7:B34,23,12"))
        assert waiting is not None
        assert waiting.at_destination
        assert waiting.to_remove == (12, 23, 34)

    def test_a21_pieces_lifted_too_early_still_tell_which_capture_it_is(self):
        before = parse_fen("W:W40:B34,23,12", A)
        half = in_progress(A, before, parse_fen("W:W29:B23,12", A))
        assert half is not None
        assert not half.at_destination
        assert [move.path for move in half.moves] == [(40, 29, 18, 7)]

    def test_a22_no_piece_is_jumped_twice(self):
        for move in legal_moves(A, parse_fen("W:WK47:B14,19,29,31,42", A)):
            assert len(set(move.captured)) == len(move.captured)
        verdict = verdict_of(A, "W:WK46:B28,29", "46x19x46")
        assert (verdict.rule, verdict.clause) == ("jumped-twice", "A22")


class TestHongKongEnd:
    def test_a23_a_side_without_pieces_has_lost(self):
        assert ended(A, "B:W12:B") == (Side.WHITE, End.NO_PIECES)
        late = verdict_of(A, "B:W12:B", "1-6")
        assert (late.rule, late.clause) == ("game-over", "A23")

    def test_a24_a_side_that_is_blocked_has_lost(self):
        assert ended(A, "W:W46:B37,41") == (Side.BLACK, End.BLOCKED)
        late = verdict_of(A, "W:W46:B37,41", "46-41")
        assert (late.rule, late.clause) == ("game-over", "A24")

    def test_a25_a_draw_is_for_the_players_to_say(self):
        positions = [start_position(A)] * 200
        assert counts(A, positions) == ()
        assert claimable(A, positions) == ()
        assert outcome(A, positions) is None
        assert (agreed().winner, agreed().end) == (None, End.AGREED)


class TestVietnameseBoard:
    def test_b01_the_board_is_8_by_8_with_a_dark_lower_left_square(self):
        assert (B.size, B.squares, B.dark_corner) == (8, 32, Corner.LEFT)
        assert square_at(B, 7, 0) is not None
        assert square_at(B, 7, 1) is None

    def test_b02_twelve_pieces_stand_on_the_three_nearest_rows(self):
        start = start_position(B)
        for pieces, rows in ((start.white, {5, 6, 7}), (start.black, {0, 1, 2})):
            squares = [Square(n) for n in range(1, 33) if pieces >> (n - 1) & 1]
            assert len(squares) == 12
            assert {place_of(B, square)[0] for square in squares} == rows

    def test_b03_the_nearest_row_of_each_side_is_where_the_other_is_crowned(self):
        for number in range(1, 33):
            square = Square(number)
            row = place_of(B, square)[0]
            for turn, last in ((Side.WHITE, 0), (Side.BLACK, 7)):
                bit = 1 << (number - 1)
                sides = (bit, 0) if turn is Side.WHITE else (0, bit)
                for move in legal_moves(B, Position(*sides, 0, turn)):
                    assert row != last
                    assert move.crowns == (place_of(B, move.destination)[0] == last)

    def test_b04_colours_are_names_only(self):
        """Turned round with its colours changed, the game is the same: no colour has a rule."""
        positions = [start_position(B), parse_fen("W:W22,K30:B18,9,K3", B)]
        for position in positions:
            black, white = (_turned(pieces) for pieces in (position.white, position.black))
            turned = Position(white, black, _turned(position.kings), position.turn.other)
            mirrored = {tuple(33 - s for s in m.path) for m in legal_moves(B, turned)}
            assert {m.path for m in legal_moves(B, position)} == mirrored

    def test_b05_white_moves_first(self):
        assert start_position(B).turn is Side.WHITE
        early = judge(B, start_position(B), "b6-a5")
        assert (early.rule, early.clause) == ("not-your-turn", "B05")

    def test_b06_men_and_kings_and_how_a_king_is_shown(self):
        sign = PROTOCOLS[B.protocol].king_sign
        assert "stacked" in sign
        assert "turned over" in sign
        man = board(B, "W:W5:B32", "B:W1:B32", crowning_seen=True)
        assert man.rule == "not-crowned"
        assert board(B, "W:W5:B32", "B:WK1:B32", crowning_seen=True).legal


def _turned(pieces):
    """A bitboard of 32 squares as the other player sees it."""
    return sum(1 << (31 - bit) for bit in range(32) if pieces >> bit & 1)


class TestVietnameseMoves:
    def test_b07_a_man_steps_forward_to_a_free_square(self):
        assert moves(B, "W:W22:B1") == "22-17 22-18"
        assert moves(B, "W:W22,17:B1") == "17-13 17-14 22-18"
        for text, rule in [("c3-b2", "wrong-direction"), ("c3-b4", "occupied")]:
            verdict = verdict_of(B, "W:W22,17:B1", text)
            assert (verdict.rule, verdict.clause) == (rule, "B07")

    def test_b08_a_man_that_reaches_the_far_row_is_crowned(self):
        assert verdict_of(B, "W:W5:B32", "5-1").after.piece_at(Square(1)) is Piece.WHITE_KING
        verdict = board(B, "W:W5:B32", "B:W1:B32", crowning_seen=True)
        assert (verdict.rule, verdict.clause) == ("not-crowned", "B08")

    def test_b09_a_king_goes_both_ways_and_stops_where_it_likes(self):
        found = "22-4 22-8 22-11 22-13 22-15 22-17 22-18 22-25 22-26 22-29 22-31"
        assert moves(B, "W:WK22:B1") == found
        stopped = verdict_of(B, "W:WK22,18:B1", "c3-d4")
        assert (stopped.rule, stopped.clause) == ("occupied", "B09")

    def test_b10_a_piece_is_taken_by_jumping_and_leaves_the_game(self):
        assert moves(B, "W:W22:B18") == "22x15"
        assert moves(B, "W:W22:B18,15") == "22-17"
        verdict = board(B, "W:W22:B18", "B:W15:B18")
        assert (verdict.rule, verdict.clause) == ("wrong-removal", "B10")

    def test_b11_jumps_go_forward_or_backward(self):
        assert moves(B, "W:W15:B18") == "15x22"
        assert moves(B, "W:W22:B18,19") == "22x24"

    def test_b12_several_jumps_are_one_move(self):
        assert moves(B, "W:W22:B18,11") == "22x8"

    def test_b13_jumping_is_compulsory(self):
        assert moves(B, "W:W22,32:B18") == "22x15"
        verdict = verdict_of(B, "W:W22,32:B18", "32-28")
        assert (verdict.rule, verdict.clause) == ("must-capture", "B13")

    def test_b14_any_sequence_may_be_chosen_not_only_the_longest(self):
        assert moves(B, "W:W22,21:B18,11,17") == "21x23 22x8 22x13"

    def test_b15_every_jump_of_the_chosen_sequence_must_be_made(self):
        assert moves(B, "W:W22:B18,11,4") == "22x8"
        verdict = verdict_of(B, "W:W22:B18,11,4", "c3:e5")
        assert (verdict.rule, verdict.clause) == ("must-finish-capture", "B15")

    def test_b16_a_captured_piece_stays_until_the_end_and_blocks(self):
        position = parse_fen("W:W22:B18,11", B)
        waiting = in_progress(B, position, parse_fen("W:W8:B18,11", B))
        assert waiting is not None
        assert waiting.at_destination
        assert waiting.to_remove == (11, 18)
        verdict = verdict_of(B, "W:WK29:B18,19", "a1:e5:a1")
        assert (verdict.rule, verdict.clause) == ("jumped-twice", "B16")

    def test_b17_a_man_that_touches_the_far_row_goes_on_as_a_king(self):
        assert moves(B, "W:W11:B7,6") == "11x9 11x13"
        assert verdict_of(B, "W:W11:B7,6", "11x13").after.piece_at(Square(13)) is Piece.WHITE_KING

    def test_b18_a_king_chooses_where_it_lands(self):
        assert moves(B, "W:WK29:B25") == "29x4 29x8 29x11 29x15 29x18 29x22"
        # But where it can go on it must (B15), and so must land where it can.
        assert moves(B, "W:WK29:B25,16") == "29x20"


class TestVietnameseEnd:
    @pytest.mark.parametrize(
        ("fen", "winner", "end"),
        [
            ("B:W12:B", Side.WHITE, End.NO_PIECES),
            ("W:W21:B14,17", Side.BLACK, End.BLOCKED),
        ],
    )
    def test_b19_a_player_without_a_move_loses(self, fen, winner, end):
        assert ended(B, fen) == (winner, end)
        assert verdict_of(B, fen, "1-5").clause == "B19"

    def test_b20_nobody_but_the_players_says_that_neither_can_win(self):
        # One king each is no win, and yet it goes on until a count or a word ends it.
        positions = to_and_fro(B, "W:WK32:BK21", ("32-28", "21-30", "28-32", "30-21"), 7)
        assert outcome(B, positions) is None
        assert {count.rule.kind for count in counts(B, positions)} == {
            DrawKind.REPETITION,
            DrawKind.THREE_KINGS_AGAINST_KING,
        }
        assert agreed().winner is None

    def test_b21_the_third_time_is_a_draw(self):
        game = ("29-25", "1-5", "25-29", "5-1")
        assert outcome(B, to_and_fro(B, "W:WK29,21:BK1,20", game, 7)) is None
        found = outcome(B, to_and_fro(B, "W:WK29,21:BK1,20", game, 8))
        assert found is not None
        assert (found.end, found.rule.kind) == (End.DRAW, DrawKind.REPETITION)

    def test_b21_the_other_side_to_move_makes_another_position(self):
        one = parse_fen("W:WK29,21:BK1,20", B)
        other = parse_fen("B:WK29,21:BK1,20", B)
        assert outcome(B, [one, other] * 2) is None

    def test_b22_a_draw_may_be_agreed(self):
        assert (agreed().winner, agreed().end, agreed().rule) == (None, End.AGREED, None)

    @pytest.mark.parametrize("plies", [28, 29])
    def test_b23_fifteen_moves_of_three_kings_against_one_are_a_draw(self, plies):
        position = parse_fen("W:WK29,K30,K31:BK4", B)
        turns = [position, parse_fen("B:WK29,K30,K31:BK4", B)]
        positions = [turns[ply % 2] for ply in range(plies + 1)]
        (count,) = [c for c in counts(B, positions) if c.rule.kind is not DrawKind.REPETITION]
        assert (count.so_far, count.rule.limit) == (14 if plies == 28 else 15, 15)
        assert count.is_reached == (plies == 29)


class TestTakeBack:
    @pytest.mark.parametrize(
        ("fen", "winner", "end"),
        [
            ("B:W12:B", Side.WHITE, End.NO_PIECES),
            ("W:W21:B14,17", Side.BLACK, End.BLOCKED),
        ],
    )
    def test_c01_who_has_no_piece_or_no_move_has_lost(self, fen, winner, end):
        assert ended(C, fen) == (winner, end)
        assert verdict_of(C, fen, "1-5").clause == "C01"

    def test_c02_a_checker_on_the_far_side_becomes_a_king_and_goes_both_ways(self):
        assert verdict_of(C, "W:W5:B32", "5-1").after.piece_at(Square(1)) is Piece.WHITE_KING
        assert moves(C, "W:WK22:B1") == "22-17 22-18 22-25 22-26"
        assert moves(C, "W:WK22:B26") == "22x31"
        man = board(C, "W:W5:B32", "B:W1:B32", crowning_seen=True)
        assert (man.rule, man.clause) == ("not-crowned", "C02")

    def test_c03_a_single_jumps_a_king_as_it_jumps_a_single(self):
        assert moves(C, "W:W22:BK18") == moves(C, "W:W22:B18") == "22x15"

    def test_c04_a_single_never_moves_backward(self):
        assert moves(C, "W:W22:BK26") == "22-17 22-18"
        step = verdict_of(C, "W:W22:B1", "22-26")
        assert (step.rule, step.clause) == ("wrong-direction", "C04")
        jump = verdict_of(C, "W:W22:B26", "22x31")
        assert (jump.rule, jump.clause) == ("wrong-direction", "C04")

    def test_c05_a_backward_jump_of_a_single_over_a_king_is_illegal(self):
        jump = verdict_of(C, "W:W22:BK26", "22x31")
        assert (jump.rule, jump.clause) == ("wrong-direction", "C05")
        seen = board(C, "W:W22:BK26", "B:W31:B")
        assert (seen.rule, seen.clause) == ("wrong-direction", "C05")

    def test_c06_an_illegal_move_is_taken_back_and_another_is_made(self):
        before, seen = (parse_fen(fen, C) for fen in ("W:W22,25:B18", "B:W22,21:B18"))
        verdict = judge_board(C, before, seen)
        assert PROTOCOLS[C.protocol].on_illegal is OnIllegal.TAKE_BACK
        assert verdict.rule == "must-capture"
        assert restored(verdict, seen) == (before.white, before.black)
        assert verdict.expected == ("22x15",)

    @pytest.mark.parametrize(
        ("before", "seen", "clause"),
        [
            ("W:W22:BK18,K4", "B:W15:B", "C07"),
            ("W:W22,32:BK4", "B:W22,28:B", "C07"),
            ("W:W22,32:BK18,4", "B:W15:B4", "C07"),
        ],
        ids=["one king too many", "with no jump at all", "a piece of one's own"],
    )
    def test_c07_what_was_wrongly_taken_is_put_back_and_nothing_else_follows(
        self, before, seen, clause
    ):
        position, board_now = parse_fen(before, C), parse_fen(seen, C)
        verdict = judge_board(C, position, board_now)
        assert (verdict.rule, verdict.clause) == ("wrong-removal", clause)
        assert restored(verdict, board_now) == (position.white, position.black)
        assert PROTOCOLS[C.protocol].offences_allowed is None

    def test_c08_every_jump_must_be_taken_over_kings_and_by_kings(self):
        assert moves(C, "W:W22,32:BK18") == "22x15"
        assert moves(C, "W:WK22,32:B18") == "22x15"
        verdict = verdict_of(C, "W:W22,32:BK18", "32-28")
        assert (verdict.rule, verdict.clause) == ("must-capture", "C08")

    def test_c09_a_single_goes_on_over_as_many_kings_as_it_can(self):
        assert moves(C, "W:W22:BK18,K11") == "22x8"
        verdict = verdict_of(C, "W:W22:BK18,K11", "22x15")
        assert (verdict.rule, verdict.clause) == ("must-finish-capture", "C09")

    def test_c10_becoming_a_king_ends_the_turn(self):
        assert moves(C, "W:W11:BK6,K7") == "11x2"
        verdict = verdict_of(C, "W:W11:BK6,K7", "11x2x9")
        assert (verdict.rule, verdict.clause) == ("crowning-ends-turn", "C10")

    def test_c11_a_king_goes_on_from_the_far_row(self):
        assert moves(C, "W:WK11:BK6,K7") == "11x9"

    def test_c12_nobody_jumps_a_piece_of_his_own(self):
        assert moves(C, "W:W22,18:BK15") == "18x11"
        # The example of the document: a double jump whose first piece is one's own.
        verdict = verdict_of(C, "W:W22,18:B11", "22x15x8")
        assert (verdict.rule, verdict.clause) == ("own-piece-jumped", "C12")
        seen = board(C, "W:W22,18:B14", "B:W15:B14")
        assert (seen.rule, seen.clause) == ("own-piece-jumped", "C12")


class TestLeaflet:
    def test_e01_the_players_take_turns(self):
        assert judge(E, start_position(E), "11-15").after.turn is Side.WHITE
        after = judge(E, start_position(E), "11-15").after
        again = judge(E, after, "8-11")
        assert (again.rule, again.clause) == ("not-your-turn", "E01")

    def test_e01_one_turn_may_have_several_moves(self):
        verdict = verdict_of(E, "B:W14,22:B9", "9x25")
        assert verdict.after.turn is Side.WHITE
        assert verdict.moves[0].landings == (18, 25)

    def test_e08_to_the_letter_a_new_king_goes_on(self, shared):
        """The document does not say that a crown ends the turn; a variant may leave it open."""
        letter = replace(E, name="to-the-letter", crowning=Crowning.GOES_ON_AS_KING)
        data = json.loads((shared / "data/rules/positions.json").read_text())
        doubtful = [p for p in data["positions"] if "legal_moves_if_promotion_continues" in p]
        assert len(doubtful) == 5
        for entry in doubtful:
            position = parse_fen(entry["fen"], letter)
            for variant, key in (
                (E, "legal_moves"),
                (letter, "legal_moves_if_promotion_continues"),
            ):
                found = {
                    (m.origin, m.destination, frozenset(m.captured))
                    for m in legal_moves(variant, position)
                }
                assert found == {(m["from"], m["to"], frozenset(m["captures"])) for m in entry[key]}

    def test_e02_black_starts(self):
        assert start_position(E).turn is Side.BLACK
        early = judge(E, start_position(E), "22-18")
        assert (early.rule, early.clause) == ("not-your-turn", "E02")

    def test_e03_there_are_24_pieces_on_a_chequered_board(self):
        start = start_position(E)
        assert (start.white.bit_count(), start.black.bit_count()) == (12, 12)
        assert (E.size, E.squares) == (8, 32)

    @pytest.mark.parametrize(
        ("fen", "end"), [("W:W:B12", End.NO_PIECES), ("W:W21:B14,17", End.BLOCKED)]
    )
    def test_e04_black_wins_by_taking_all_or_by_leaving_no_move(self, fen, end):
        assert ended(E, fen) == (Side.BLACK, end)

    def test_e05_a_man_goes_forward_by_one_along_a_diagonal(self):
        assert moves(E, "B:W32:B9") == "9-13 9-14"
        for text in ("9-5", "9-10", "9-18"):
            assert verdict_of(E, "B:W32:B9", text).clause == "E05"

    def test_e06_a_man_takes_in_front_of_it_only(self):
        assert moves(E, "B:W14,6:B9") == "9x18"
        assert moves(E, "B:W6:B9,32") == "9-13 9-14"
        back = verdict_of(E, "B:W6:B9,32", "9x2")
        assert (back.rule, back.clause) == ("wrong-direction", "E06")
        assert moves(E, "B:W14,18:B9") == "9-13"

    def test_e07_capturing_is_compulsory_even_if_it_hurts(self):
        assert moves(E, "B:W14,32:B9,1") == "9x18"
        verdict = verdict_of(E, "B:W14,32:B9,1", "1-5")
        assert (verdict.rule, verdict.clause) == ("must-capture", "E07")

    def test_e08_the_same_piece_goes_on_until_it_cannot(self):
        assert moves(E, "B:W14,22:B9") == "9x25"
        verdict = verdict_of(E, "B:W14,22:B9", "9x18")
        assert (verdict.rule, verdict.clause) == ("must-finish-capture", "E08")

    @pytest.mark.parametrize("seen", ["W:W14,22:B18", "W:W22:B18"])
    def test_e09_after_one_of_two_captures_the_turn_goes_on(self, seen):
        half = in_progress(E, parse_fen("B:W14,22:B9", E), parse_fen(seen, E))
        assert half is not None
        assert not half.at_destination

    def test_e10_every_jump_must_be_shown(self):
        assert PROTOCOLS[E.protocol].jump_by_jump
        assert [p.name for p in PROTOCOLS.values() if p.jump_by_jump] == [E.protocol]
        # How it was shown never changes what is legal: the last board is that of the move.
        assert board(E, "B:W14,22:B9", "W:W:B25").legal

    def test_e11_of_two_captures_the_player_chooses(self):
        assert moves(E, "B:W14,13:B9,10") == "9x18 10x17"
        # The longer one has no right of way.
        assert moves(E, "B:W14,22,15:B9,10") == "9x25 10x19 10x26"

    def test_e12_a_man_on_the_far_row_becomes_a_king_with_a_star(self):
        assert "star" in PROTOCOLS[E.protocol].king_sign
        assert verdict_of(E, "B:W1:B28", "28-32").after.piece_at(Square(32)) is Piece.BLACK_KING
        man = board(E, "B:W1:B28", "W:W1:B32", crowning_seen=True)
        assert (man.rule, man.clause) == ("not-crowned", "E12")

    def test_e13_a_king_goes_back_by_one_along_a_diagonal(self):
        assert moves(E, "B:W32:BK18") == "18-14 18-15 18-22 18-23"
        far = verdict_of(E, "B:W32:BK18", "18-9")
        assert (far.rule, far.clause) == ("too-far", "E13")
        off = verdict_of(E, "B:W32:BK18", "18-17")
        assert (off.rule, off.clause) == ("not-diagonal", "E13")

    def test_e14_a_king_takes_backward(self):
        assert moves(E, "B:W14:BK18") == "18x9"
        # "One" is no limit: it goes on as long as it can (E08).
        assert moves(E, "B:W14,6:BK18") == "18x2"

    @pytest.mark.parametrize(
        ("fen", "winner", "end"),
        [
            ("B:W12:B", Side.WHITE, End.NO_PIECES),
            ("W:W21:B14,17", Side.BLACK, End.BLOCKED),
        ],
    )
    def test_e15_who_cannot_move_or_has_no_pieces_loses(self, fen, winner, end):
        assert ended(E, fen) == (winner, end)
        assert verdict_of(E, fen, "1-5").clause == "E15"


@pytest.mark.parametrize(
    ("variant", "fen", "text", "rule", "clause"),
    [
        (A, "W:W28:B1", "28-24", "not-diagonal", "A08"),
        (A, "W:WK46,41:B50", "46-41", "occupied", "A15"),
        (A, "W:WK46,28:B1", "46x19", "own-piece-jumped", "A16"),
        (A, "W:W28:B1", "28x22", "no-such-piece", "A09"),
        (A, "W:WK46:B1", "46x28", "no-such-piece", "A16"),
        (A, "W:W31-50:B1-20", "19-30", "not-your-piece", "A06"),
        (B, "W:W22:B1", "c3-e3", "not-diagonal", "B07"),
        (B, "W:WK22:B1", "c3-e3", "not-diagonal", "B09"),
        (B, "W:W22:B1", "c3-e5", "too-far", "B07"),
        (B, "W:W22:B18,15", "c3:f6", "too-far", "B10"),
        (B, "W:W22,18:B1", "c3:e5", "own-piece-jumped", "B10"),
        (B, "W:W22:B1", "c3:d4", "no-such-piece", "B10"),
        (B, "W:W21-32:B1-12", "f6-c3", "not-your-piece", "B05"),
        (E, "B:W14,18:B9", "9x23", "too-far", "E06"),
        (E, "B:W32:B9,14", "9x18", "own-piece-jumped", "E06"),
        (E, "B:W32:B9", "9x14", "no-such-piece", "E06"),
        (E, "B:W22:B9", "22-13", "not-your-piece", "E01"),
        (E, "B:W21-32:B1-12", "22-13", "not-your-piece", "E02"),
    ],
)
def test_a_fault_of_a_move_has_its_clause(variant, fen, text, rule, clause):
    verdict = verdict_of(variant, fen, text)
    assert (verdict.rule, verdict.clause) == (rule, clause)


@pytest.mark.parametrize(
    ("variant", "before", "seen", "rule", "clause"),
    [
        (A, "W:W28:B23", "B:W23:B", "occupied", "A09"),
        (A, "W:WK46:B28", "B:WK28:B", "occupied", "A16"),
        (A, "W:W28:B1,2", "B:W22:B1", "wrong-removal", "A10"),
        (A, "W:W28:B1", "B:WK22:B1", "wrongly-crowned", "A12"),
        (B, "W:W22:B18", "B:W18:B", "occupied", "B10"),
        (B, "W:W22:B1,2", "B:W18:B1", "wrong-removal", "B10"),
        (B, "W:W22:B1", "B:WK18:B1", "wrongly-crowned", "B08"),
        (C, "W:W22:B1", "B:WK18:B1", "wrongly-crowned", "C02"),
        (E, "B:W14:B9", "W:W:B14", "occupied", "E06"),
        (E, "B:W32:B9", "W:W32:BK14", "wrongly-crowned", "E12"),
    ],
)
def test_a_fault_on_the_board_has_its_clause(variant, before, seen, rule, clause):
    verdict = board(variant, before, seen, crowning_seen=True)
    assert (verdict.rule, verdict.clause) == (rule, clause)


@pytest.mark.parametrize(
    ("variant", "fen", "text"),
    [
        (A, "W:W28,22:B1", "28-22"),
        (C, "W:W22:B1", "22-15"),
        (C, "B:W21-32:B1-12", "22-18"),
        (E, "B:W32:B9,14", "9-14"),
    ],
)
def test_where_a_document_is_silent_there_is_no_clause(variant, fen, text):
    verdict = verdict_of(variant, fen, text)
    assert not verdict.legal
    assert verdict.clause is None


@pytest.mark.parametrize("variant", [C, E], ids=["take-back", "leaflet"])
def test_no_count_draws_where_no_draw_is_written(variant):
    positions = [start_position(variant)] * 200
    assert counts(variant, positions) == ()
    assert outcome(variant, positions) is None


def test_a_variant_without_a_document_has_no_clause():
    english = VARIANTS["english"]
    assert judge(english, parse_fen("W:W22,32:BK18", english), "32-28").clause is None
    assert judge(A, start_position(A), "32-28").clause is None


@pytest.mark.parametrize("preset", DOCUMENTS)
def test_every_clause_that_is_named_stands_in_its_document_and_has_a_sentence(preset):
    for key, clause in CLAUSES[preset].items():
        assert clause in DOCUMENTS[preset]
        assert (key if isinstance(key, str) else key[0]) in KEYS
    assert {clause[0] for clause in DOCUMENTS[preset]} == {LETTERS[preset]}
