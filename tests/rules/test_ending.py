from dataclasses import replace

import pytest
from hypothesis import given

from crownhead.rules.ending import (
    Count,
    End,
    Outcome,
    agreed,
    claimable,
    claimed,
    claims,
    counts,
    forfeited,
    format_result,
    outcome,
    resigned,
)
from crownhead.rules.fen import parse_fen
from crownhead.rules.generator import play
from crownhead.rules.notation import parse_move
from crownhead.rules.pdn import read_games
from crownhead.rules.position import Side
from crownhead.rules.replay import infer_variant, replay
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


def alternating(position, number):
    """So many positions with the same pieces, as if kings had gone about; White to move first."""
    turns = [replace(position, turn=Side.WHITE), replace(position, turn=Side.BLACK)]
    return [turns[index % 2] for index in range(number)]


def without_repetition(positions):
    """The same, with the first king of White on other squares in turn, so that none repeats."""
    free = [1 << bit for bit in range(12, 24)]
    found = []
    for index, position in enumerate(positions):
        king = position.white & position.kings
        bit, place = king & -king, free[index // 2 % len(free)]
        found.append(
            replace(
                position, white=position.white ^ bit | place, kings=position.kings ^ bit | place
            )
        )
    return found


def ends_by(variant, positions):
    """The kind of draw rule that has ended the game, if one has."""
    found = outcome(variant, positions)
    return found.rule.kind if found is not None and found.rule else None


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

    def test_several_counts_run_at_once_and_the_first_to_expire_ends_the_game(self):
        three = parse_fen("W:WK46,K41,50:BK5", INTERNATIONAL)
        two = parse_fen("W:WK46,K41:BK5", INTERNATIONAL)
        # After fourteen moves of sixteen the third piece is lost: two more moves, not five.
        positions = [*alternating(three, 29), *alternating(two, 3)]
        running = {count.rule.kind: count.so_far for count in counts(INTERNATIONAL, positions)}
        assert running[DrawKind.THREE_AGAINST_KING] == 15
        assert running[DrawKind.TWO_AGAINST_KING] == 1
        assert ends_by(INTERNATIONAL, positions) is None
        positions = [*alternating(three, 29), *alternating(two, 4)]
        assert ends_by(INTERNATIONAL, positions) is DrawKind.THREE_AGAINST_KING

    def test_the_shorter_count_ends_it_if_it_began_early(self):
        three = parse_fen("W:WK46,K41,50:BK5", INTERNATIONAL)
        two = parse_fen("W:WK46,K41:BK5", INTERNATIONAL)
        positions = without_repetition([*alternating(three, 3), *alternating(two, 11)])
        assert ends_by(INTERNATIONAL, positions) is DrawKind.TWO_AGAINST_KING


class TestWinsWithTheLastMove:
    """A draw by count is asked only when nobody has won."""

    @pytest.mark.parametrize(
        ("name", "fen", "plies"),
        [
            ("international", "W:WK46,K41,K47:BK14", 32),
            ("international", "W:WK46,K41:BK14", 10),
            ("international", "W:WK46,K41,K42:BK14,K15", 50),
            ("russian", "W:WK29,K25,K21:BK4", 30),
            ("checkers-online", "W:WK29,K25,K21:BK4", 30),
            ("pool", "W:WK29,K25,K21:BK4", 26),
            ("canadian", "W:WK67,K68,K69:BK6", 32),
            ("frisian", "W:WK46,K41:BK14", 14),
            ("frisian", "W:WK46:BK14", 4),
            ("brazilian", "W:WK29,K25:BK4", 10),
        ],
    )
    def test_a_capture_of_the_last_piece_counts(self, name, fen, plies):
        variant = VARIANTS[name]
        position = parse_fen(fen, variant)
        waiting = alternating(position, plies)
        won = replace(position, black=0, kings=position.white, turn=Side.BLACK)
        assert outcome(variant, [*waiting, won]) == Outcome(Side.WHITE, End.NO_PIECES)

    def test_so_does_a_capture_that_is_played_on_the_sixteenth_move(self):
        before = parse_fen("W:WK46,K41,K47:BK14", INTERNATIONAL)
        waiting = [*alternating(replace(before, turn=Side.BLACK), 31), before]
        reached = so_far(INTERNATIONAL, waiting, DrawKind.THREE_AGAINST_KING)
        assert reached == 15
        move = parse_move(INTERNATIONAL, before, "41x10")
        after = play(INTERNATIONAL, before, move)
        assert outcome(INTERNATIONAL, [*waiting, after]) == Outcome(Side.WHITE, End.NO_PIECES)

    @pytest.mark.parametrize(
        ("last", "end"), [("12-8", Outcome(Side.WHITE, End.BLOCKED)), ("15-18", None)]
    )
    def test_so_does_a_blockade(self, last, end):
        rule = DrawRule(DrawKind.NO_PROGRESS, 1)
        counted = replace(ENGLISH, name="counted", draws=(rule,))
        positions = game(counted, "B:WK11,K12,K15:BK8", "8-4", last)
        assert so_far(counted, positions, DrawKind.NO_PROGRESS) == 1
        assert outcome(counted, positions) == (end or Outcome(None, End.DRAW, rule))


class TestEndingsOfOtherGames:
    @pytest.mark.parametrize(
        ("name", "fen", "kind", "limit", "first"),
        [
            ("russian", "W:WK29,K25,K21:BK4", DrawKind.THREE_KINGS_AGAINST_KING, 15, 29),
            ("russian", "W:WK29,25,21:BK4", DrawKind.MAIN_ROAD, 5, 10),
            ("russian", "W:WK29,25:BK4", DrawKind.TWO_AGAINST_KING, 5, 10),
            ("russian", "W:WK29,25:BK4,5", DrawKind.FOUR_OR_FIVE_UNCHANGED, 30, 60),
            ("russian", "W:WK29,25,26:BK4,5,6", DrawKind.SIX_OR_SEVEN_UNCHANGED, 60, 120),
            ("brazilian", "W:WK29,25:BK4", DrawKind.AT_MOST_TWO_EACH, 5, 10),
            ("brazilian", "W:WK29,25:BK4,5,6", DrawKind.KINGS_ONLY, 20, 40),
            ("pool", "W:WK29,K25,K21:BK4", DrawKind.THREE_KINGS_AGAINST_KING, 13, 25),
            ("canadian", "W:WK67,K68,K69:BK6", DrawKind.THREE_KINGS_AGAINST_KING, 16, 31),
            ("czech", "W:WK29,25:BK4,5", DrawKind.NO_PROGRESS, 15, 30),
            ("frisian", "W:WK46,K41:BK14", DrawKind.TWO_KINGS_AGAINST_KING, 7, 14),
            ("frisian", "W:WK46:BK14", DrawKind.KING_AGAINST_KING, 2, 4),
            ("italian", "W:WK29,25:BK4,5", DrawKind.NO_PROGRESS, 40, 80),
            ("turkish", "W:WKa1:BKh8", DrawKind.ONE_AGAINST_ONE, 1, 2),
        ],
    )
    def test_a_count_runs_to_its_limit_and_not_before(self, name, fen, kind, limit, first):
        """``first`` is the ply after which the draw is there, with White to move at first."""
        variant = VARIANTS[name]
        position = parse_fen(fen, variant)
        assert DrawRule(kind, limit) in variant.draws
        assert so_far(variant, alternating(position, first), kind) == limit - 1
        assert so_far(variant, alternating(position, first + 1), kind) == limit

    @pytest.mark.parametrize(("name", "times"), [("italian", 4), ("czech", 3), ("pool", 3)])
    def test_repetitions(self, name, times):
        variant = VARIANTS[name]
        position = parse_fen("W:WK29,25:BK4,5", variant)
        assert ends_by(variant, alternating(position, 2 * times - 2)) is None
        assert ends_by(variant, alternating(position, 2 * times - 1)) is DrawKind.REPETITION

    @pytest.mark.parametrize(
        ("fen", "runs"),
        [
            ("W:WK29,K25:BK4,K5", DrawKind.FOUR_OR_FIVE_UNCHANGED),
            ("W:WK29,K25,26:BK4,5", DrawKind.FOUR_OR_FIVE_UNCHANGED),
            ("W:WK29,25,26:BK4,5,6", DrawKind.SIX_OR_SEVEN_UNCHANGED),
            ("W:WK29,25,26,27:BK4,5,6", DrawKind.SIX_OR_SEVEN_UNCHANGED),
            ("W:WK29,25:BK4", None),
            ("W:WK29,25,26,27:BK4,5,6,7", None),
            ("W:W29,25:BK4,5", None),
        ],
    )
    def test_which_forces_the_long_russian_counts_are_about(self, fen, runs):
        positions = alternating(parse_fen(fen, RUSSIAN), 9)
        long_counts = (DrawKind.FOUR_OR_FIVE_UNCHANGED, DrawKind.SIX_OR_SEVEN_UNCHANGED)
        found = {kind: so_far(RUSSIAN, positions, kind) for kind in long_counts}
        assert found == {kind: 4 if kind is runs else 0 for kind in long_counts}

    @pytest.mark.parametrize("before", ["W:WK29,25,26:BK4,5", "W:W29,25:BK4,5"])
    def test_a_capture_or_a_crown_begins_the_long_count_anew(self, before):
        # First with a piece more, or with a man that is crowned now.
        positions = [
            *alternating(parse_fen(before, RUSSIAN), 8),
            *alternating(parse_fen("W:WK29,25:BK4,5", RUSSIAN), 5),
        ]
        assert so_far(RUSSIAN, positions, DrawKind.FOUR_OR_FIVE_UNCHANGED) == 2

    def test_a_man_that_moves_does_not(self):
        positions = [
            *alternating(parse_fen("W:WK29,25:BK4,5", RUSSIAN), 4),
            *alternating(parse_fen("W:WK29,22:BK4,5", RUSSIAN), 5),
        ]
        assert so_far(RUSSIAN, positions, DrawKind.FOUR_OR_FIVE_UNCHANGED) == 4
        assert so_far(RUSSIAN, positions, DrawKind.KINGS_ONLY) == 2

    @pytest.mark.parametrize(
        ("square", "moves"), [("a1", 4), ("h8", 4), ("d4", 4), ("b8", 0), ("h2", 0)]
    )
    def test_the_main_road_runs_from_a1_to_h8(self, square, moves):
        positions = alternating(parse_fen(f"W:WKc1,e1,g1:BK{square}", RUSSIAN), 9)
        assert so_far(RUSSIAN, positions, DrawKind.MAIN_ROAD) == moves

    def test_leaving_the_main_road_ends_its_count(self):
        on, off = (parse_fen(f"W:WKc1,e1,g1:BK{square}", RUSSIAN) for square in ("d4", "b8"))
        assert so_far(RUSSIAN, [*alternating(on, 8), off], DrawKind.MAIN_ROAD) == 0
        assert so_far(RUSSIAN, [*alternating(on, 8), off, on, on, on], DrawKind.MAIN_ROAD) == 1

    @pytest.mark.parametrize(
        ("fen", "runs"),
        [
            ("W:WK29,K25:BK4,K5", True),
            ("W:WK29,K25:BK4,5", True),
            ("W:WK29:BK4,5", True),
            ("W:WK29,25:BK4,5", False),
            ("W:WK29,K25,K26:BK4", False),
            ("W:WK29,K25:B4", False),
        ],
    )
    def test_which_forces_the_brazilian_five_moves_are_about(self, fen, runs):
        variant = VARIANTS["brazilian"]
        positions = alternating(parse_fen(fen, variant), 9)
        assert so_far(variant, positions, DrawKind.AT_MOST_TWO_EACH) == (4 if runs else 0)

    def test_in_pool_the_fourteenth_move_is_too_late_even_for_a_capture(self):
        variant = VARIANTS["pool"]
        position = parse_fen("W:WK29,K25,K21:BK4", variant)
        assert ends_by(variant, without_repetition(alternating(position, 26))) is (
            DrawKind.THREE_KINGS_AGAINST_KING
        )


class TestClaims:
    MOVES = ("32-27", "1-6", "27-32", "6-1")
    FEN = "W:WK32:BK1"

    def test_a_repetition_may_be_claimed_with_the_move_that_would_make_it(self):
        positions = to_and_fro(ENGLISH, self.FEN, self.MOVES, 7)
        (claim,) = claims(ENGLISH, positions)
        assert claim.rule.kind is DrawKind.REPETITION
        assert [(move.origin, move.destination) for move in claim.moves] == [(6, 1)]
        assert claimable(ENGLISH, positions) == (claim.rule,)

    @pytest.mark.parametrize("plies", range(7))
    def test_not_before(self, plies):
        positions = to_and_fro(ENGLISH, self.FEN, self.MOVES, plies)
        assert claims(ENGLISH, positions) == ()
        assert claimed(ENGLISH, positions) is None

    def test_and_when_it_is_there(self):
        positions = to_and_fro(ENGLISH, self.FEN, self.MOVES, 8)
        assert outcome(ENGLISH, positions) is None
        (claim,) = claims(ENGLISH, positions)
        assert claim.moves == ()
        assert claimed(ENGLISH, positions) == Outcome(None, End.CLAIMED, claim.rule)

    @pytest.mark.parametrize(("plies", "may"), [(79, False), (80, True), (81, True)])
    def test_forty_moves_are_the_claimants_own(self, plies, may):
        position = parse_fen("W:WK32,21:BK1", ENGLISH)
        positions = alternating(position, plies + 1)
        rule = DrawRule(DrawKind.NO_PROGRESS, 40, claimed=True)
        assert (rule in claimable(ENGLISH, positions)) is may
        assert outcome(ENGLISH, positions) is None

    def test_a_claim_needs_a_rule_that_is_claimed(self):
        positions = to_and_fro(INTERNATIONAL, "W:WK48,50:BK3,15", TestRepetition.MOVES, 7)
        assert claims(INTERNATIONAL, positions) == ()

    def test_what_players_say_ends_a_game_in_every_variant(self):
        assert agreed() == Outcome(None, End.AGREED)
        assert resigned(Side.WHITE) == Outcome(Side.BLACK, End.RESIGNED)
        assert forfeited(Side.BLACK) == Outcome(Side.WHITE, End.FORFEITED)


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


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        ("frisian/lidraughts-frisian", set()),
        (
            "other/lidraughts-frysk",
            {DrawKind.KING_AGAINST_KING, DrawKind.TWO_KINGS_AGAINST_KING},
        ),
        ("international/lidraughts-standard", {DrawKind.TWO_AGAINST_KING}),
        ("russian/lidraughts-russian", {DrawKind.REPETITION, DrawKind.TWO_AGAINST_KING}),
        ("brazilian/lidraughts-brazilian", set()),
    ],
)
def test_games_of_a_site_that_counts_end_just_when_ours_do(shared, name, drawn):
    """The site ends a game by itself: none goes on after our end, and the results agree."""
    text = (shared / f"data/pdn/{name}.pdn").read_text(encoding="utf-8")
    ended_by = set()
    for read in read_games(text):
        variant, _ = infer_variant(read)
        positions = replay(read, variant).positions
        for length in range(1, len(positions)):
            assert outcome(variant, positions[:length]) is None, read.number
        found = outcome(variant, positions)
        if found is not None:
            points = {Side.WHITE: "2-0", Side.BLACK: "0-2", None: "1-1"}
            assert read.result == points[found.winner], read.number
            ended_by |= {found.rule.kind} if found.rule else set()
    assert ended_by == drawn
