"""The limit on a king's moves, in Frisian draughts and wherever a variant sets one."""

from dataclasses import replace

import pytest

from crownhead.rules.ending import End, Outcome, outcome
from crownhead.rules.fen import parse_fen
from crownhead.rules.generator import legal_moves, play
from crownhead.rules.history import barred_king, legal_moves_in_game
from crownhead.rules.notation import parse_move
from crownhead.rules.pdn import read_games
from crownhead.rules.position import Side
from crownhead.rules.referee import judge, judge_board
from crownhead.rules.replay import replay
from crownhead.rules.variant import VARIANTS

FRISIAN = VARIANTS["frisian"]
# Nothing comes within reach of anything.
BESIDE_A_MAN = "W:WK46,50:B1"


def game(fen, *texts, variant=FRISIAN):
    """The positions of a game from a position, by its moves."""
    positions = [parse_fen(fen, variant)]
    for text in texts:
        positions.append(play(variant, positions[-1], parse_move(variant, positions[-1], text)))
    return positions


THREE_MOVES = ("46-41", "1-7", "41-46", "7-12", "46-41", "12-18")


def test_a_king_may_make_three_quiet_moves_in_a_row_beside_a_man():
    for plies in (0, 2, 4, 5):
        positions = game(BESIDE_A_MAN, *THREE_MOVES[:plies])
        assert barred_king(FRISIAN, positions) is None
        assert legal_moves_in_game(FRISIAN, positions) == legal_moves(FRISIAN, positions[-1])


def test_then_another_piece_must_move():
    positions = game(BESIDE_A_MAN, *THREE_MOVES)
    assert barred_king(FRISIAN, positions) == 41
    found = legal_moves_in_game(FRISIAN, positions)
    assert {move.origin for move in found} == {50}
    assert {move.origin for move in legal_moves(FRISIAN, positions[-1])} == {41, 50}


def test_and_afterwards_the_king_is_free_again():
    positions = game(BESIDE_A_MAN, *THREE_MOVES, "50-44", "18-22")
    assert barred_king(FRISIAN, positions) is None


def test_another_king_is_counted_for_itself():
    fen = "W:WK46,K47,50:B1"
    positions = game(fen, "46-41", "1-7", "41-46", "7-12", "47-36", "12-17")
    assert barred_king(FRISIAN, positions) is None


def test_a_side_with_kings_only_moves_as_it_likes():
    positions = game("W:WK46:B1", *THREE_MOVES)
    assert barred_king(FRISIAN, positions) is None


def test_each_side_is_counted_for_itself():
    there_and_back = ("47-42", "4-9", "42-47", "9-4", "47-42", "4-9")
    positions = game("W:WK47,50:BK4,1", *there_and_back)
    assert barred_king(FRISIAN, positions) == 42
    positions.append(play(FRISIAN, positions[-1], parse_move(FRISIAN, positions[-1], "50-44")))
    assert barred_king(FRISIAN, positions) == 9


def test_a_capture_is_never_barred_and_begins_the_count_anew():
    positions = game(BESIDE_A_MAN, *THREE_MOVES)
    last = positions[-1]
    # A black man comes within reach of the king on 41.
    tempted = replace(last, black=last.black | 1 << 22)
    found = legal_moves_in_game(FRISIAN, [*positions[:-1], tempted])
    assert {move.origin for move in found if move.is_capture} == {41}
    taken = play(FRISIAN, tempted, next(move for move in found if move.is_capture))
    after = [*positions[:-1], tempted, taken, replace(taken, turn=Side.WHITE)]
    assert barred_king(FRISIAN, after) is None


def test_other_variants_know_no_limit():
    international = VARIANTS["international"]
    positions = game(BESIDE_A_MAN, *THREE_MOVES, variant=international)
    assert barred_king(international, positions) is None


def test_a_limit_of_a_users_own_variant_is_kept():
    mine = replace(VARIANTS["international"], name="mine", king_moves_limit=1)
    positions = game(BESIDE_A_MAN, *THREE_MOVES[:2], variant=mine)
    assert barred_king(mine, positions) == 41


def test_the_referee_names_the_rule():
    positions = game(BESIDE_A_MAN, *THREE_MOVES)
    *earlier, last = positions
    assert judge(FRISIAN, last, "41-46").legal
    verdict = judge(FRISIAN, last, "41-46", earlier=earlier)
    assert (verdict.legal, verdict.rule) == (False, "king-moves-too-often")
    assert verdict.expected == ("50-44", "50-45")
    assert "41" in verdict.text
    assert judge(FRISIAN, last, "50-44", earlier=earlier).legal


def test_the_referee_sees_it_on_the_board_and_puts_it_right():
    *earlier, last = game(BESIDE_A_MAN, *THREE_MOVES)
    seen = play(FRISIAN, last, parse_move(FRISIAN, last, "41-46"))
    verdict = judge_board(FRISIAN, last, seen, earlier=earlier)
    assert (verdict.rule, verdict.seen) == ("king-moves-too-often", "41-46")
    restored = {(int(item.square), item.wanted) for item in verdict.restore}
    assert restored == {(41, last.piece_at(41)), (46, None)}


def test_a_side_whose_only_mover_is_barred_has_lost():
    # The man on 50 is shut in by 44 and 45, and nothing can be taken.
    positions = game("W:WK46,50:B45,44,40,39,30,1", *THREE_MOVES)
    assert legal_moves(FRISIAN, positions[-1])
    assert legal_moves_in_game(FRISIAN, positions) == ()
    assert outcome(FRISIAN, positions) == Outcome(Side.BLACK, End.BLOCKED)


@pytest.mark.parametrize(
    ("last", "ply"), [("4. 50-44 18-22 5. 41-46", None), ("4. 41-46 18-22 5. 50-44", 7)]
)
def test_a_game_is_replayed_with_the_limit(last, ply):
    pdn = (
        f'[GameType "40"]\n[SetUp "1"]\n[FEN "{BESIDE_A_MAN}"]\n\n'
        f"1. 46-41 1-7 2. 41-46 7-12 3. 46-41 12-18 {last} *\n"
    )
    (read,) = read_games(pdn)
    played = replay(read, FRISIAN)
    assert (played.problem.ply if played.problem else None) == ply
    if played.problem:
        assert played.problem.rule == "king-moves-too-often"


def test_real_games_keep_to_the_limit(shared):
    text = (shared / "data/pdn/frisian/lidraughts-frisian.pdn").read_text(encoding="utf-8")
    games = [replay(read, FRISIAN) for read in read_games(text)]
    assert len(games) == 14
    assert all(played.is_legal for played in games)
