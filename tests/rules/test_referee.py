import json
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crownhead.rules.fen import parse_fen
from crownhead.rules.generator import distinct_moves, legal_moves, play
from crownhead.rules.geometry import all_squares
from crownhead.rules.notation import format_moves
from crownhead.rules.position import Piece, Position, Side
from crownhead.rules.referee import in_progress, judge, judge_board
from crownhead.rules.tables import bit_of, bits, square_of, tables_of
from crownhead.rules.variant import VARIANTS, Naming, start_position
from crownhead.rules.verdict import Rule
from tests.rules.strategies import capture_cases, cases, cases_with_moves, variants


def board_after(name, before, seen, **options):
    variant = VARIANTS[name]
    return judge_board(variant, parse_fen(before, variant), parse_fen(seen, variant), **options)


def same_board(one, other):
    return (one.white, one.black) == (other.white, other.black)


def mine(position):
    return position.white if position.turn is Side.WHITE else position.black


def theirs(position):
    return position.black if position.turn is Side.WHITE else position.white


def with_sides(position, own, enemy):
    white, black = (own, enemy) if position.turn is Side.WHITE else (enemy, own)
    return replace(position, white=white, black=black, kings=position.kings & (own | enemy))


def is_result(variant, position, seen):
    moves = legal_moves(variant, position)
    return any(same_board(play(variant, position, move), seen) for move in moves)


def restored(seen, verdict):
    white, black, kings = seen.white, seen.black, seen.kings
    for item in verdict.restore:
        bit = bit_of(item.square)
        assert seen.piece_at(item.square) is item.seen
        white, black, kings = white & ~bit, black & ~bit, kings & ~bit
        if item.wanted is not None:
            white |= bit if item.wanted.side is Side.WHITE else 0
            black |= bit if item.wanted.side is Side.BLACK else 0
            kings |= bit if item.wanted.is_king else 0
    return Position(white, black, kings, seen.turn)


@pytest.mark.parametrize(
    ("name", "before", "seen", "rule", "notation"),
    [
        pytest.param("english", "W:W22,25:B17", "W:W22,21:B17", "must-capture", "25-21", id="miss"),
        pytest.param("english", "W:W18:B14", "W:W23:B14", "wrong-direction", "18-23", id="back"),
        pytest.param(
            "english", "W:W18,30:B22", "W:W25,30:B", "wrong-direction", "18x25", id="takes back"
        ),
        pytest.param("english", "W:W18:B1", "W:W10:B1", "not-diagonal", "18-10", id="straight"),
        pytest.param("english", "W:W22:B1", "W:W15:B1", "too-far", "22-15", id="two squares"),
        pytest.param("english", "W:WK22:B1", "W:WK15:B1", "too-far", "22-15", id="short king"),
        pytest.param("english", "W:W22:B17", "W:W17:B", "occupied", "22x17", id="chess-like"),
        pytest.param(
            "english", "W:W26,22:B1", "W:W17,22:B1", "too-far", "26-17", id="over an own one"
        ),
        pytest.param(
            "english",
            "W:W26,22,32:B27",
            "W:W17,32:B27",
            "own-piece-jumped",
            "26x17",
            id="own taken",
        ),
        pytest.param(
            "english", "W:W26,22:B1", "W:W17:B1", "wrong-removal", "22-17", id="own lifted too"
        ),
        pytest.param("english", "W:W22:B17,10", "W:W13:B17,10", "wrong-removal", "22x13", id="no"),
        pytest.param("english", "W:W22:B17,4", "W:W13:B17", "wrong-removal", "22x13", id="other"),
        pytest.param("english", "W:W22:B18,4", "W:W22:B4", "wrong-removal", None, id="lifted only"),
        pytest.param("english", "W:W22,30:B4", "W:W22:B4", "wrong-removal", None, id="own lifted"),
        pytest.param("english", "W:W22:B4", "W:W18:B", "wrong-removal", "22x18", id="in vain"),
        pytest.param("english", "W:W22:B4", "W:W22:B8", "not-your-turn", "4-8", id="their move"),
        pytest.param("english", "W:W22:B4", "W:W22:B11", "not-your-piece", "4-11", id="theirs"),
        pytest.param("english", "W:W22:B1", "W:W22,30:B1", "no-such-piece", None, id="appeared"),
        pytest.param(
            "english", "W:W22,23:B1", "W:W18,19:B1", "two-pieces-moved", None, id="two moved"
        ),
        pytest.param(
            "english", "W:W11:B6,K7", "W:W9:B", "crowning-ends-turn", "11x9", id="goes on crowned"
        ),
        pytest.param("italian", "W:W18:BK14", "W:W11:B", "man-takes-king", "18x11", id="king"),
        pytest.param("english", "W:W21:B17,14", "W:W22:B17,14", "game-over", None, id="over"),
        pytest.param(
            "russian", "W:W18:B7,15", "W:W11:B7", "must-finish-capture", "d4:f6", id="stops"
        ),
        pytest.param(
            "international",
            "W:W32,K48:B18,27,28,37",
            "W:W21,K48:B18,28,37",
            "must-capture-most",
            "32x21",
            id="too few",
        ),
        pytest.param(
            "czech", "W:W22,K30:B18,26", "W:W15,K30:B26", "must-capture-most", "c3xe5", id="king"
        ),
        pytest.param("turkish", "W:W36:B8", "W:W27:B8", "not-straight", "d4-c5", id="diagonal"),
        pytest.param("turkish", "W:W36:B8", "W:W44:B8", "wrong-direction", "d4-d3", id="down"),
        pytest.param("turkish", "W:W36:B8", "W:W20:B8", "too-far", "d4-d6", id="two up"),
        pytest.param(
            "turkish", "W:WK36:B38,34", "W:WK33:B", "turned-about", "d4xa4", id="right round"
        ),
        pytest.param(
            "international", "W:WK46:B32,28", "W:WK19:B32,28", "too-far", "46x19", id="over two"
        ),
    ],
)  # fmt: skip
def test_an_illegal_board_is_explained(name, before, seen, rule, notation):
    verdict = board_after(name, before, seen)
    assert not verdict.legal
    assert (verdict.rule, verdict.seen) == (rule, notation)
    assert verdict.moves == ()
    assert verdict.text.endswith(".")


def test_what_must_be_played_instead_is_named():
    verdict = board_after("english", "W:W22,25:B17", "W:W22,21:B17")
    assert verdict.expected == ("22x13",)
    assert "22x13" in verdict.text
    assert "25-21" in verdict.text


def test_squares_to_clear_come_before_squares_to_fill():
    verdict = board_after("english", "W:W22,25:B17,4", "W:W22,21:B17")
    wanted = [(item.square, item.seen, item.wanted) for item in verdict.restore]
    assert wanted == [
        (21, Piece.WHITE_MAN, None),
        (4, None, Piece.BLACK_MAN),
        (25, None, Piece.WHITE_MAN),
    ]


def test_an_own_piece_on_the_way_is_told_too():
    verdict = board_after("english", "W:W26,22:B1", "W:W17,22:B1")
    assert "own piece on 22" in verdict.text


def test_two_faults_at_once_are_both_named():
    verdict = board_after("english", "W:W22,25:B17,4", "W:W22,21:B17")
    assert verdict.rule is Rule.WRONG_REMOVAL
    assert "4 left the board" in verdict.text
    assert "can capture" in verdict.text


@pytest.mark.parametrize(
    ("name", "before", "seen", "rules"),
    [
        ("english", "W:W18:B1,4", "W:W23:B1", ["wrong-direction", "lifted-in-vain"]),
        ("english", "W:W18:B1,4", "W:W10:B1", ["not-diagonal", "lifted-in-vain"]),
        ("english", "W:W22:B1,4", "W:W15:B1", ["too-far-man", "lifted-in-vain"]),
        ("english", "W:W22,30:B4", "W:W22:B8", ["not-your-turn", "lifted-own"]),
        ("english", "W:W22,30:B4", "W:W22:B11", ["not-your-piece", "lifted-own"]),
        ("english", "W:W22,25:B18,4", "W:W22,21:B18", ["lifted-in-vain", "must-capture"]),
    ],
)
def test_whatever_else_was_lifted_is_named_too(name, before, seen, rules):
    verdict = board_after(name, before, seen)
    assert [told.key for told in verdict.messages if told.key != "play"] == rules
    assert all(item.wanted is not None or item.seen is not None for item in verdict.restore)


def test_a_missing_crown_is_named_beside_a_wrong_removal():
    verdict = board_after("english", "W:W6:B20,28", "W:W1:B20", crowning_seen=True)
    assert [told.key for told in verdict.messages][:2] == ["lifted-in-vain", "not-crowned"]


@pytest.mark.parametrize(
    ("name", "before", "seen", "rule"),
    [
        pytest.param(
            "international",
            "B:W8,9,11,17,K44:BK15,27,29,K35,40",
            "B:W9,17,K44:BK15,24,40",
            "own-piece-jumped",
            id="own and enemy pieces alike",
        ),
        pytest.param(
            "frisian",
            "W:W24,K50:B7,20,26,38,41,K47",
            "W:W24,K43:B7,20,26",
            "must-finish-capture",
            id="stops on another route",
        ),
        pytest.param(
            "brazilian",
            "B:WK1,8-10,K14,K16,17,20,K23,K30:BK19",
            "B:WK1,8,K14,K16,20,K30:BK15",
            "must-finish-capture",
            id="comes to stand beside its origin",
        ),
        pytest.param(
            "frisian",
            "B:WK27,32,33,35,36,45:B2,19,K28,43,K46",
            "B:WK27,32,33,35,36,45:B2,19,K39,43,K46",
            "wrong-removal",
            id="a long way round, nothing lifted",
        ),
        pytest.param(
            "turkish",
            "B:W19,33,40,42,44,47,49-52,54-56:B9-18,20,23,24,38,K62",
            "B:W19,33,40,42,49,50,52,55,56:B9-18,20,23,24,38,K59",
            "turned-about",
            id="turns about and stops beside its way",
        ),
    ],
)
def test_a_way_that_nothing_but_its_victims_tells(name, before, seen, rule):
    assert board_after(name, before, seen).rule == rule


def test_a_king_that_stops_where_it_captured_stays_a_king():
    variant = VARIANTS["turkish"]
    before = parse_fen("B:WK2,K17,K42,K45:B12,K26,K52,K53", variant)
    stops = [move for move in legal_moves(variant, before) if move.destination in move.captured]
    assert stops
    for move in stops:
        assert play(variant, before, move).kings & bit_of(move.destination)


def test_a_man_let_stand_on_the_far_row_is_a_king():
    verdict = board_after("english", "W:W22:B28", "W:W1:B28")
    assert not verdict.legal
    assert verdict.after.kings == bit_of(1)


def test_an_unchanged_board_breaks_no_rule():
    verdict = board_after("english", "W:W22:B4", "B:W22:B4")
    assert (verdict.legal, verdict.rule, verdict.restore) == (False, None, ())


def test_every_route_to_the_same_board_is_returned():
    variant = VARIANTS["english"]
    before = parse_fen("W:WK14:B10,17,18,25,26", variant)
    routes = [move for move in legal_moves(variant, before) if len(move.path) == 6]
    assert len(routes) == 2
    verdict = judge_board(variant, before, play(variant, before, routes[0]))
    assert verdict.moves == tuple(routes)


class TestCrowning:
    BEFORE = "W:W6,K30:B20"

    def test_ranks_are_ignored_where_they_cannot_be_seen(self):
        for seen in ("W:W1,30:B20", "W:WK1,K30:BK20", "W:W1,K30:B20"):
            verdict = board_after("english", self.BEFORE, seen)
            assert verdict.legal
            assert verdict.after.kings == bit_of(1) | bit_of(30)

    def test_a_crown_forgotten_is_a_fault_where_it_can_be_seen(self):
        verdict = board_after("english", self.BEFORE, "W:W1,K30:B20", crowning_seen=True)
        assert verdict.rule is Rule.NOT_CROWNED
        assert [(r.square, r.wanted) for r in verdict.restore] == [(1, Piece.WHITE_KING)]

    def test_a_crown_too_many_is_a_fault_where_it_can_be_seen(self):
        verdict = board_after("english", "W:W22:B4", "W:WK18:B4", crowning_seen=True)
        assert verdict.rule is Rule.WRONGLY_CROWNED
        assert [(r.square, r.wanted) for r in verdict.restore] == [(18, Piece.WHITE_MAN)]

    def test_a_crown_in_its_place_is_none(self):
        assert board_after("english", self.BEFORE, "W:WK1,K30:B20", crowning_seen=True).legal

    def test_a_crown_without_a_move_is_a_fault(self):
        verdict = board_after("english", "W:W22:B4", "W:WK22:B4", crowning_seen=True)
        assert verdict.rule is Rule.WRONGLY_CROWNED


@given(cases_with_moves())
def test_the_board_after_a_legal_move_is_legal(case):
    variant, position, move = case
    after = play(variant, position, move)
    verdict = judge_board(variant, position, after)
    assert verdict.legal
    assert move in verdict.moves
    assert same_board(verdict.after, after)
    assert verdict.restore == ()


@given(cases(), st.data())
def test_a_tampered_board_is_never_legal_and_the_list_restores_it(case, data):
    variant, position = case
    moves = distinct_moves(variant, position)
    begin = position
    if moves and data.draw(st.booleans()):
        begin = play(variant, position, data.draw(st.sampled_from(moves)))
    white, black = begin.white, begin.black
    squares = st.sampled_from(all_squares(variant))
    for _ in range(data.draw(st.integers(1, 3))):
        bit = bit_of(data.draw(squares))
        white, black = white & ~bit, black & ~bit
        match data.draw(st.sampled_from(["clear", "white", "black"])):
            case "white":
                white |= bit
            case "black":
                black |= bit
    seen = Position(white, black, begin.kings & (white | black), position.turn)
    verdict = judge_board(variant, position, seen)
    assert verdict.legal == is_result(variant, position, seen)
    if not verdict.legal:
        assert (verdict.rule is None) == same_board(position, seen)
        assert same_board(restored(seen, verdict), position)
        assert verdict.expected == format_moves(variant, position, moves) or verdict.rule is None
        assert verdict.after.turn is position.turn.other or verdict.rule is None


@given(capture_cases(), st.data())
def test_a_quiet_move_beside_a_capture_is_a_capture_missed(case, data):
    variant, position, _ = case
    # Without the enemy the same pieces have all their quiet moves; those onto free squares stay.
    own = with_sides(position, mine(position), 0)
    free_ways = [
        move
        for move in distinct_moves(variant, own)
        if not position.occupied & bit_of(move.destination)
    ]
    steps = [move for move in free_ways if _is_adjacent(variant, move)]
    assume(steps)
    move = data.draw(st.sampled_from(steps))
    own_after = mine(position) & ~bit_of(move.origin) | bit_of(move.destination)
    seen = with_sides(position, own_after, theirs(position))
    assume(not is_result(variant, position, seen))
    assert judge_board(variant, position, seen).rule is Rule.MUST_CAPTURE


@given(cases_with_moves(), st.data())
def test_one_piece_lifted_too_many_is_a_wrong_removal(case, data):
    variant, position, move = case
    after = play(variant, position, move)
    left = bits(theirs(position) & after.occupied)
    assume(left)
    extra = data.draw(st.sampled_from(left))
    seen = replace(after, white=after.white & ~extra, black=after.black & ~extra)
    assume(not is_result(variant, position, seen))
    verdict = judge_board(variant, position, seen)
    if move.is_capture:
        # The pieces gone may be what another capture takes, a poorer one or a forbidden one.
        poorer = {Rule.MUST_CAPTURE_MOST, Rule.MUST_FINISH_CAPTURE, Rule.TURNED_ABOUT}
        assert verdict.rule in {Rule.WRONG_REMOVAL} | poorer
    else:
        assert verdict.rule is Rule.WRONG_REMOVAL


@given(capture_cases(), st.data())
def test_a_capture_with_a_piece_left_standing_waits_and_is_then_a_wrong_removal(case, data):
    variant, position, move = case
    assume(move.origin != move.destination)
    after = play(variant, position, move)
    standing = bit_of(data.draw(st.sampled_from(move.captured)))
    seen = with_sides(position, mine(replace(after, turn=position.turn)), 0)
    seen = with_sides(position, mine(seen), theirs(replace(after, turn=position.turn)) | standing)
    assume(not is_result(variant, position, seen))
    half = in_progress(variant, position, seen)
    assert half is not None
    assert half.at_destination
    assert move.destination in {option.destination for option in half.moves}
    assert square_of(standing) in half.to_remove
    verdict = judge_board(variant, position, seen)
    wrong = {Rule.WRONG_REMOVAL, Rule.MUST_CAPTURE_MOST, Rule.MUST_FINISH_CAPTURE}
    if len(move.captured) == 1:
        # Nothing was lifted: it may also look like a quiet move, or like one backward.
        wrong |= {Rule.MUST_CAPTURE, Rule.WRONG_DIRECTION}
    assert verdict.rule in wrong


@given(capture_cases(jumps=2), st.data())
def test_a_capture_half_made_waits_and_is_then_unfinished(case, data):
    variant, position, move = case
    jumps = data.draw(st.integers(1, len(move.captured) - 1))
    assume(move.path[jumps] != move.origin)
    own = mine(position) & ~bit_of(move.origin) | bit_of(move.path[jumps])
    gone = sum(bit_of(square) for square in move.captured[:jumps])
    seen = with_sides(position, own, theirs(position) & ~gone)
    assume(not is_result(variant, position, seen))
    half = in_progress(variant, position, seen)
    assert half is not None
    assert judge_board(variant, position, seen).rule is Rule.MUST_FINISH_CAPTURE


@given(cases_with_moves())
def test_a_move_out_of_turn_is_named(case):
    variant, position, move = case
    waiting = replace(position, turn=position.turn.other)
    assume(distinct_moves(variant, waiting))
    assume(move.origin != move.destination)
    after = play(variant, position, move)
    assume(not is_result(variant, waiting, after))
    verdict = judge_board(variant, waiting, after)
    assert verdict.rule is Rule.NOT_YOUR_TURN


@given(st.one_of(cases(), capture_cases(jumps=2).map(lambda case: case[:2])))
def test_a_finished_move_is_not_in_progress(case):
    variant, position = case
    assert in_progress(variant, position, position) is None
    for move in distinct_moves(variant, position):
        assert in_progress(variant, position, play(variant, position, move)) is None


def test_what_a_capture_under_way_still_needs():
    variant = VARIANTS["international"]
    before = parse_fen("W:W40:B34,23,12", variant)
    half = in_progress(variant, before, parse_fen("W:W18:B34,12", variant))
    assert half is not None
    assert not half.at_destination
    assert half.to_remove == (34,)
    done = in_progress(variant, before, parse_fen("W:W7:B34,12", variant))
    assert done is not None
    assert done.at_destination
    assert done.to_remove == (12, 34)
    assert "12 and 34" in done.text


class TestJudgeText:
    def test_a_legal_move_gives_the_position_after_it(self):
        variant = VARIANTS["english"]
        verdict = judge(variant, parse_fen("W:W22,25:B17", variant), "22x13")
        assert verdict.legal
        assert verdict.after == parse_fen("B:W13,25:B", variant)

    @pytest.mark.parametrize(
        ("name", "fen", "move", "rule"),
        [
            ("leaflet", "B:W21-32:B1-12", "22-18", "not-your-turn"),
            ("leaflet", "B:W21-32:B1-12", "22-15", "not-your-piece"),
            ("leaflet", "B:W21-32:B1-12", "14-18", "no-such-piece"),
            ("leaflet", "B:W21-32:B1-12", "hop", "unreadable"),
            ("leaflet", "B:W21-32:B1-12", "9-33", "unreadable"),
            ("leaflet", "B:W21-32:B1-12", "9x14", "no-such-piece"),
            ("leaflet", "B:W14,15:B10", "10-14", "occupied"),
            ("leaflet", "B:W6:B10", "10x1", "wrong-direction"),
            ("take-back", "W:W18:BK22,K23", "18x25", "wrong-direction"),
            ("take-back", "W:W18:BK22,K23", "18-23", "occupied"),
            ("take-back", "W:W18:B1", "18-22", "wrong-direction"),
            ("take-back", "W:W22,26:BK14", "26x17x10", "own-piece-jumped"),
            ("take-back", "W:W11:B6,K7", "11x2x9", "crowning-ends-turn"),
            ("take-back", "W:W21:B17,14", "21-22", "game-over"),
            ("hk100", "W:WK4:B13,20,32,37", "4x15", "ambiguous"),
            ("hk100", "W:W31-50:B1-20", "31-22", "too-far"),
            ("hk100", "W:W31-50:B1-20", "31-21", "not-diagonal"),
            ("hk100", "W:W40:B12,23,34", "40x29", "must-finish-capture"),
            ("hk100", "W:W28,30:B22,24,14,13", "28x17", "must-capture-most"),
            ("hk100", "W:WK47:B38,29", "47x33x38", "occupied"),
            ("checkers-online", "W:WK29:B10,22", "a1:h8", "must-finish-capture"),
            ("checkers-online", "W:WK29:B18,19", "a1:e5:a1", "jumped-twice"),
        ],
    )
    def test_the_rule_broken(self, name, fen, move, rule):
        variant = VARIANTS[name]
        verdict = judge(variant, parse_fen(fen, variant), move)
        assert (verdict.legal, verdict.rule) == (False, rule)

    def test_no_illegal_example_is_legal(self, shared):
        data = json.loads((shared / "data/rules/positions.json").read_text())
        for entry in data["positions"]:
            variant = VARIANTS.get(entry["variant"])
            for example in entry.get("illegal_examples", ()) if variant else ():
                verdict = judge(variant, parse_fen(entry["fen"], variant), example["pdn"])
                assert not verdict.legal
                assert verdict.rule is not Rule.UNREADABLE

    @given(variants, st.one_of(st.text(), st.text(alphabet="0123456789-x:abch <>,!?*()")))
    def test_any_text_gets_a_verdict(self, variant, text):
        position = start_position(variant)
        verdict = judge(variant, position, text)
        assert verdict.legal == (verdict.rule is None)

    @given(cases(), st.data())
    def test_any_two_squares_get_a_verdict(self, case, data):
        variant, position = case
        squares = st.sampled_from(all_squares(variant))
        path = data.draw(st.lists(squares, min_size=2, max_size=4))
        text = data.draw(st.sampled_from("-x")).join(str(square) for square in path)
        verdict = judge(replace(variant, naming=Naming.NUMERIC), position, text)
        assert verdict.legal == (verdict.rule is None)


def _is_adjacent(variant, move):
    return bool(tables_of(variant).neighbours[bit_of(move.origin)] & bit_of(move.destination))


@pytest.mark.parametrize(
    ("name", "text", "rule", "words"),
    [
        ("international", "32", Rule.UNREADABLE, "cannot be read"),
        ("english", "12", Rule.UNREADABLE, "cannot be read"),
        ("international", "32-32", Rule.UNREADABLE, "same square twice"),
        ("russian", "c3-c4", Rule.NOT_DIAGONAL, "c4 is not a playing square"),
        ("russian", "c3c4", Rule.NOT_DIAGONAL, "c4 is not a playing square"),
        ("russian", "c3-c9", Rule.UNREADABLE, "cannot be read"),
        ("turkish", "c3-d4", Rule.NOT_STRAIGHT, "row or a column"),
    ],
)
def test_squares_that_make_no_move(name, text, rule, words):
    variant = VARIANTS[name]
    verdict = judge(variant, start_position(variant), text)
    assert verdict.rule is rule
    assert words in verdict.text
