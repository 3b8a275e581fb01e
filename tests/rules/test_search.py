from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from crownhead.rules.fen import parse_fen
from crownhead.rules.generator import distinct_moves, play
from crownhead.rules.position import Side
from crownhead.rules.search import LOST, MAN, best_moves, standing, suggest
from crownhead.rules.variant import VARIANTS, start_position
from tests.rules.strategies import cases, scattered_positions, variants


def best(name, fen, depth):
    variant = VARIANTS[name]
    return best_moves(variant, parse_fen(fen, variant), depth=depth)[0]


def minimax(variant, position, depth, ply):
    """The same search without any cut."""
    moves = distinct_moves(variant, position)
    if not moves:
        return LOST + ply
    if depth <= 0 and not moves[0].is_capture:
        return standing(variant, position)
    return max(
        -minimax(variant, play(variant, position, move), depth - 1, ply + 1) for move in moves
    )


@settings(max_examples=30)
@given(variants, st.data())
def test_cuts_change_no_score(variant, data):
    position = data.draw(scattered_positions(variant, most_pieces=7))
    for suggestion in best_moves(variant, position, depth=3):
        after = play(variant, position, suggestion.move)
        assert suggestion.score == -minimax(variant, after, suggestion.depth - 1, 1)


def test_a_man_is_not_given_away():
    variant = VARIANTS["english"]
    position = parse_fen("W:W25,26:B18", variant)
    scores = {s.move.path: s.score for s in best_moves(variant, position, depth=3)}
    assert scores[26, 23] < scores[26, 22] - MAN / 2


def test_a_man_nearer_to_its_crown_is_worth_more():
    variant = VARIANTS["international"]
    near, far = (parse_fen(f"W:W{square}:B5", variant) for square in (11, 41))
    assert standing(variant, near) > standing(variant, far)


def test_worth_changes_its_sign_with_the_side_to_move():
    variant = VARIANTS["russian"]
    white = parse_fen("W:W29,K30:B1", variant)
    assert standing(variant, white) == -standing(variant, replace(white, turn=Side.BLACK)) > 0


def test_the_line_of_every_move_is_legal():
    variant = VARIANTS["english"]
    position = parse_fen("W:W18,26:B11,K9", variant)
    found = best_moves(variant, position, depth=7)
    for suggestion in found:
        here = position
        for move in suggestion.line:
            assert move in distinct_moves(variant, here)
            here = play(variant, here, move)


def test_taking_the_last_piece_wins():
    found = best("english", "W:W22:B17", 1)
    assert found.move.path == (22, 13)
    assert found.score > 10_000


def test_no_move_no_suggestion():
    variant = VARIANTS["english"]
    assert best_moves(variant, parse_fen("W:W:B1", variant), depth=3) == ()


def test_every_legal_move_is_weighed():
    variant = VARIANTS["international"]
    start = start_position(variant)
    found = best_moves(variant, start, depth=2)
    assert {s.move for s in found} == set(distinct_moves(variant, start))
    assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)


def test_when_it_is_late_the_last_complete_depth_counts():
    variant = VARIANTS["international"]
    looks = iter([False] * 30)
    found = best_moves(
        variant, start_position(variant), depth=30, is_late=lambda: next(looks, True)
    )
    assert len({s.depth for s in found}) == 1
    assert 1 <= found[0].depth < 30


def test_the_clock_is_the_callers():
    times = iter(range(1000))
    variant = VARIANTS["english"]
    found = suggest(variant, start_position(variant), seconds=3.0, clock=lambda: float(next(times)))
    assert found[0].depth >= 1


@settings(max_examples=20)
@given(cases())
def test_lines_begin_with_their_move_and_are_legal(case):
    variant, position = case
    for suggestion in best_moves(variant, position, depth=2, is_late=lambda: True):
        assert suggestion.line[0] == suggestion.move
        here = position
        for move in suggestion.line:
            assert move in distinct_moves(variant, here)
            here = play(variant, here, move)
