from dataclasses import replace

import pytest
from hypothesis import given

from crownhead.rules.ending import Count, End, Outcome, claimable, counts, format_result, outcome
from crownhead.rules.fen import parse_fen
from crownhead.rules.generator import play
from crownhead.rules.notation import parse_move
from crownhead.rules.position import Side
from crownhead.rules.variant import VARIANTS, DrawKind, DrawRule, start_position
from tests.rules.strategies import cases

INTERNATIONAL = VARIANTS["international"]
RUSSIAN = VARIANTS["russian"]
ENGLISH = VARIANTS["english"]


def game(variant, fen, *texts):
    """The positions of a game from a position, by its moves."""
    positions = [parse_fen(fen, variant)]
    for text in texts:
        move = parse_move(variant, positions[-1], text)
        positions.append(play(variant, positions[-1], move))
    return positions


def to_and_fro(variant, fen, moves, plies):
    """The positions of a game in which four moves are played over and over."""
    return game(variant, fen, *[moves[ply % 4] for ply in range(plies)])


def so_far(variant, positions, kind):
    (found,) = [count.so_far for count in counts(variant, positions) if count.rule.kind is kind]
    return found


def test_a_side_without_pieces_has_lost():
    positions = game(ENGLISH, "W:W22:B17", "22x13")
    assert outcome(ENGLISH, positions) == Outcome(Side.WHITE, End.NO_PIECES)


def test_a_side_that_cannot_move_has_lost():
    positions = game(ENGLISH, "B:W21:B14,13", "13-17")
    assert outcome(ENGLISH, positions) == Outcome(Side.BLACK, End.BLOCKED)


def test_a_game_goes_on_from_its_start():
    for variant in VARIANTS.values():
        assert outcome(variant, [start_position(variant)]) is None
        assert claimable(variant, [start_position(variant)]) == ()


class TestRepetition:
    MOVES = ("48-43", "3-8", "43-48", "8-3")
    FEN = "W:WK48,50:BK3,15"

    def test_the_third_time_is_a_draw(self):
        positions = to_and_fro(INTERNATIONAL, self.FEN, self.MOVES, 8)
        assert so_far(INTERNATIONAL, positions, DrawKind.REPETITION) == 3
        found = outcome(INTERNATIONAL, positions)
        assert found == Outcome(None, End.DRAW, DrawRule(DrawKind.REPETITION, 3))

    def test_the_second_time_is_none(self):
        positions = to_and_fro(INTERNATIONAL, self.FEN, self.MOVES, 7)
        assert outcome(INTERNATIONAL, positions) is None

    def test_the_other_side_to_move_makes_another_position(self):
        one = parse_fen(self.FEN, INTERNATIONAL)
        other = replace(one, turn=Side.BLACK)
        assert so_far(INTERNATIONAL, [one, other, one, other], DrawKind.REPETITION) == 2

    def test_in_english_draughts_it_is_claimed(self):
        moves = ("32-27", "1-6", "27-32", "6-1")
        positions = to_and_fro(ENGLISH, "W:WK32:BK1", moves, 8)
        assert outcome(ENGLISH, positions) is None
        assert [rule.kind for rule in claimable(ENGLISH, positions)] == [DrawKind.REPETITION]

    def test_the_hong_kong_leaflet_counts_nothing(self):
        variant = VARIANTS["hk100"]
        positions = to_and_fro(variant, self.FEN, self.MOVES, 40)
        assert outcome(variant, positions) is None
        assert counts(variant, positions) == ()


class TestMovesOfKings:
    # Far from the third repetition the count is looked at alone.
    MOVES = ("48-43", "3-8", "43-48", "8-3")
    FEN = "W:WK48,50:BK3,15"

    @pytest.mark.parametrize(("plies", "moves"), [(0, 0), (1, 0), (2, 1), (49, 24), (50, 25)])
    def test_a_full_move_is_one_by_each_side(self, plies, moves):
        positions = to_and_fro(INTERNATIONAL, self.FEN, self.MOVES, plies)
        assert so_far(INTERNATIONAL, positions, DrawKind.KINGS_ONLY) == moves

    def test_a_mans_move_begins_anew(self):
        positions = game(INTERNATIONAL, self.FEN, "48-43", "3-8", "50-44", "8-3", "43-48")
        assert so_far(INTERNATIONAL, positions, DrawKind.KINGS_ONLY) == 1

    def test_a_capture_begins_anew(self):
        positions = game(INTERNATIONAL, "W:WK48,50:BK3,39", "48x34", "3-8", "34-48")
        assert so_far(INTERNATIONAL, positions, DrawKind.KINGS_ONLY) == 1


class TestEndings:
    @pytest.mark.parametrize(
        ("fen", "three", "two"),
        [
            ("W:WK46,K41,K47:BK5", 4, 0),
            ("W:WK46,50,49:BK5", 4, 0),
            ("W:WK46,50:BK5", 0, 4),
            ("W:WK46:BK5", 0, 4),
            ("W:WK46,50,49,48:BK5", 0, 0),
            ("W:WK46,50:BK5,6", 0, 0),
        ],
    )
    def test_international_counts_by_what_faces_the_king(self, fen, three, two):
        position = parse_fen(fen, INTERNATIONAL)
        turns = [replace(position, turn=Side.WHITE), replace(position, turn=Side.BLACK)]
        positions = [turns[ply % 2] for ply in range(9)]
        assert so_far(INTERNATIONAL, positions, DrawKind.THREE_AGAINST_KING) == three
        assert so_far(INTERNATIONAL, positions, DrawKind.TWO_AGAINST_KING) == two

    def test_a_capture_does_not_restart_the_longer_count(self):
        three = parse_fen("W:WK46,K41,50:BK5", INTERNATIONAL)
        two = parse_fen("W:WK46,K41:BK5", INTERNATIONAL)
        positions = [three] * 7 + [two] * 4
        assert so_far(INTERNATIONAL, positions, DrawKind.THREE_AGAINST_KING) == 5
        assert so_far(INTERNATIONAL, positions, DrawKind.TWO_AGAINST_KING) == 1

    @pytest.mark.parametrize("turn", Side)
    def test_fifteen_moves_of_three_kings_in_russian_draughts(self, turn):
        # Whoever moves first, the fifteenth move of the three kings is the last.
        variant = VARIANTS["checkers-online"]
        position = parse_fen("W:WK29,K30,K31:BK4", variant)
        turns = [replace(position, turn=turn), replace(position, turn=turn.other)]
        plies = 29 if turn is Side.WHITE else 30
        positions = [turns[ply % 2] for ply in range(plies)]
        assert so_far(variant, positions, DrawKind.THREE_KINGS_AGAINST_KING) == 14
        found = counts(variant, [*positions, turns[plies % 2]])
        assert Count(DrawRule(DrawKind.THREE_KINGS_AGAINST_KING, 15), 15) in found

    def test_a_man_among_them_is_no_three_kings(self):
        position = parse_fen("W:WK29,K30,31:BK4", RUSSIAN)
        positions = [position] * 9
        assert so_far(RUSSIAN, positions, DrawKind.THREE_KINGS_AGAINST_KING) == 0

    def test_a_win_with_the_last_move_counts(self):
        before = parse_fen("W:WK46,K41,K47:BK14", INTERNATIONAL)
        waiting = [before, replace(before, turn=Side.BLACK)] * 16
        won = replace(before, black=0, kings=before.white, turn=Side.BLACK)
        found = outcome(INTERNATIONAL, [*waiting, won])
        assert found == Outcome(Side.WHITE, End.NO_PIECES)


@pytest.mark.parametrize(
    ("variant", "winner", "result"),
    [
        (INTERNATIONAL, Side.WHITE, "2-0"),
        (INTERNATIONAL, Side.BLACK, "0-2"),
        (INTERNATIONAL, None, "1-1"),
        (ENGLISH, Side.WHITE, "1-0"),
        (RUSSIAN, Side.BLACK, "0-1"),
        (RUSSIAN, None, "1/2-1/2"),
    ],
)
def test_results_in_the_style_of_the_game(variant, winner, result):
    assert format_result(variant, winner) == result


@given(cases())
def test_a_single_position_reaches_no_draw(case):
    variant, position = case
    found = outcome(variant, [position])
    assert found is None or found.winner is position.turn.other
