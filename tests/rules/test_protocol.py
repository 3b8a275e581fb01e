"""The physical protocol: each board that may stand between two legal positions, by its clause."""

import pytest
from hypothesis import given

from crownhead.rules.clauses import clause_of
from crownhead.rules.fen import parse_fen
from crownhead.rules.procedure import Choice, choices_after, judge_procedure
from crownhead.rules.referee import Stage, in_progress, judge, judge_board
from crownhead.rules.variant import VARIANTS
from crownhead.rules.verdict import Rule
from tests.rules.strategies import capture_cases

A, B, C, E = (VARIANTS[n] for n in ("hk100", "checkers-online", "take-back", "leaflet"))


def half_of(variant, before, seen, **options):
    position = parse_fen(before, variant)
    return in_progress(variant, position, parse_fen(seen, variant), **options)


def procedure(variant, before, *boards):
    seen = [parse_fen(board, variant) for board in boards]
    return [told.key for told in judge_procedure(variant, parse_fen(before, variant), seen)]


@pytest.mark.parametrize(
    ("variant", "before", "seen"),
    [
        pytest.param(A, "W:W40:B34,23,50", "W:W18:B34,23,50", id="A10 A21"),
        pytest.param(B, "W:W22:B18,11,32", "W:W8:B18,11,32", id="B16"),
    ],
)
def test_a10_a21_b16_a_capture_is_complete_and_waits_for_removal(variant, before, seen):
    half = half_of(variant, before, seen)
    assert half is not None
    assert (half.stage, half.at_destination, half.warnings) == (Stage.TO_REMOVE, True, ())
    assert len(half.to_remove) == 2


@pytest.mark.parametrize(
    ("variant", "before", "seen", "left"),
    [
        pytest.param(A, "W:W40:B34,23,50", "W:W18:B34,50", 34, id="A10 A21"),
        pytest.param(B, "W:W22:B18,11,32", "W:W8:B11,32", 11, id="B16"),
    ],
)
def test_a10_a21_b16_an_incomplete_removal_names_the_squares(variant, before, seen, left):
    half = half_of(variant, before, seen)
    assert half is not None
    assert (half.stage, half.to_remove, half.warnings) == (Stage.PARTLY_REMOVED, (left,), ())


@pytest.mark.parametrize(
    ("variant", "before", "seen", "clause"),
    [
        pytest.param(A, "W:W40:B34,23,50", "W:W29:B23,50", "A21", id="A21"),
        pytest.param(B, "W:W22:B18,11,32", "W:W15:B11,32", "B16", id="B16"),
    ],
)
def test_a21_b16_removal_during_the_capture_is_warned_of(variant, before, seen, clause):
    half = half_of(variant, before, seen)
    assert half is not None
    assert half.stage is Stage.JUMPING
    assert [told.key for told in half.warnings] == ["wrong-order"]
    assert clause_of(variant, half.warnings[0].key) == clause
    # It is the same move all the same.
    assert len(half.moves) == 1
    assert judge(variant, parse_fen(before, variant), "-").rule is Rule.UNREADABLE


def test_a21_the_warning_outlives_the_capture():
    boards = "W:W29:B23,50", "W:W18:B23,50", "W:W18:B50"
    assert procedure(A, "W:W40:B34,23,50", *boards) == ["wrong-order"]
    assert procedure(A, "W:W40:B34,23,50", "W:W29:B34,23,50", "W:W18:B50") == []


@pytest.mark.parametrize("seen", ["B:W14,22:B18", "B:W22:B18"], ids=["standing", "gone"])
def test_e09_e10_a_jump_is_a_step_and_the_turn_goes_on(seen):
    half = half_of(E, "B:W14,22:B9", seen)
    assert half is not None
    assert (half.stage, half.mover, half.warnings) == (Stage.JUMPING, 18, ())


@pytest.mark.parametrize("seen", ["B:W:B25", "B:W14:B25", "B:W14,22:B25"])
def test_e10_each_jump_must_be_shown(seen):
    assert procedure(E, "B:W14,22:B9", seen) == ["show-each-jump"]
    assert procedure(E, "B:W14,22:B9", "B:W22:B18", seen) == []
    assert procedure(C, "B:W14,22:B9", seen) == []
    assert clause_of(E, "show-each-jump") == "E10"


def test_e10_nothing_is_held_against_a_piece_on_its_way_or_a_single_jump():
    assert procedure(E, "B:W14,22:B9", "B:W22:B18") == []
    assert procedure(E, "B:W14,31:B9", "B:W31:B18") == []
    assert procedure(E, "B:W14,31:B9") == []


@pytest.mark.parametrize(
    ("before", "seen", "rule"),
    [
        pytest.param("W:W22:BK26,4", "W:W31:B4", Rule.WRONG_DIRECTION, id="C06"),
        pytest.param("W:W22:BK18,K4", "W:W15:B", Rule.WRONG_REMOVAL, id="C07"),
        pytest.param("W:W26,22,32:B27", "W:W17,32:B27", Rule.OWN_PIECE_JUMPED, id="C12"),
    ],
)
def test_c06_c07_c12_what_goes_back_and_who_moves_next(before, seen, rule):
    position = parse_fen(before, C)
    verdict = judge_board(C, position, parse_fen(seen, C))
    assert verdict.rule is rule
    assert choices_after(C, verdict) == (Choice.PUT_RIGHT,)
    for item in verdict.restore:
        assert item.wanted is position.piece_at(item.square)


@pytest.mark.parametrize(
    ("variant", "before", "seen", "square", "clause"),
    [
        pytest.param(A, "W:W6:B50", "W:W1:B50", 1, "A03", id="A03"),
        pytest.param(B, "W:W5:B32", "W:W1:B32", 1, "B06", id="B06"),
        pytest.param(E, "B:W1:B28", "B:W1:B32", 32, "E12", id="E12"),
    ],
)
def test_a03_b06_e12_a_king_waits_for_its_crown(variant, before, seen, square, clause):
    half = half_of(variant, before, seen, crowning_seen=True)
    assert half is not None
    assert (half.stage, half.mover, half.is_king) == (Stage.TO_CROWN, square, True)
    assert clause_of(variant, half.message.key) == clause
    # By the rules it is a king already; and a board that hides ranks shows a finished move.
    verdict = judge_board(variant, parse_fen(before, variant), parse_fen(seen, variant))
    assert verdict.legal
    assert verdict.after.kings == 1 << (square - 1)
    assert half_of(variant, before, seen) is None


def test_a03_a_crown_that_is_seen_is_not_waited_for():
    assert half_of(A, "W:W6:B50", "W:WK1:B50", crowning_seen=True) is None
    assert half_of(A, "W:W28:B1", "W:W22:B1", crowning_seen=True) is None


def test_a14_b17_c10_a_man_on_the_far_row_in_mid_capture():
    passing = half_of(A, "W:W11:B7,8", "W:W2:B7,8")
    assert passing is not None
    assert (passing.stage, passing.is_king) == (Stage.JUMPING, False)
    going_on = half_of(B, "W:W11:B7,6", "W:W2:B7,6")
    assert going_on is not None
    assert (going_on.stage, going_on.is_king) == (Stage.JUMPING, True)
    over = half_of(C, "W:W11:BK6,K7", "W:W2:BK6,K7")
    assert over is not None
    assert (over.stage, over.is_king, over.to_remove) == (Stage.TO_REMOVE, True, (7,))


def test_fmjd_the_opponent_decides_and_nobody_lets_a_crown_stand():
    variant = VARIANTS["international"]
    position = parse_fen("W:W28,50:B23,1", variant)
    verdict = judge_board(variant, position, parse_fen("W:W28,45:B23,1", variant))
    assert choices_after(variant, verdict) == (Choice.PUT_RIGHT, Choice.LET_STAND)
    assert verdict.after == parse_fen("B:W28,45:B23,1", variant)
    assert choices_after(variant, judge(variant, position, "hop")) == (Choice.PUT_RIGHT,)
    assert choices_after(variant, judge(variant, position, "28x19")) == ()
    before = parse_fen("W:W6:B50", variant)
    crown = judge_board(variant, before, parse_fen("W:W1:B50", variant), crowning_seen=True)
    assert choices_after(variant, crown) == (Choice.CROWN,)


@given(capture_cases(jumps=2))
def test_a_capture_shown_jump_by_jump_is_never_reproached_for_it(case):
    variant, position, move = case
    half = None
    for number in range(1, len(move.captured)):
        gone = sum(1 << (s - 1) for s in move.captured[:number])
        white, black = position.white, position.black
        step = (1 << (move.origin - 1)) | (1 << (move.path[number] - 1))
        if move.path[number] == move.origin:
            continue
        if position.turn == "white":
            board = type(position)(white ^ step, black & ~gone, 0, position.turn)
        else:
            board = type(position)(white & ~gone, black ^ step, 0, position.turn)
        half = in_progress(variant, position, board)
        if half is not None:
            assert (
                "show-each-jump"
                not in {told.key for told in judge_procedure(variant, position, [board])}
                or half.at_destination
            )
