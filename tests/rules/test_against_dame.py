"""Another program as referee: dame-rs (MIT), written in Rust, a development dependency only.

It plays international draughts. No difference is known; it lists no moves once one of its draw
rules has ended a game, which cannot be where each position is set up by itself.
"""

import random

import pytest

from crownhead.rules.fen import format_fen
from crownhead.rules.generator import distinct_moves
from crownhead.rules.variant import VARIANTS
from tests.rules.random_play import game_positions

dame = pytest.importorskip("dame", reason="dame-rs is not installed")

INTERNATIONAL = VARIANTS["international"]


def test_moves_are_the_same_in_many_positions():
    captures = kings = 0
    for position in game_positions(INTERNATIONAL, random.Random(13), 4000):
        fen = format_fen(position, INTERNATIONAL)
        theirs = {
            (move.from_square, move.to_square, frozenset(move.captured))
            for move in dame.Board(fen).legal_moves
        }
        moves = distinct_moves(INTERNATIONAL, position)
        ours = {(move.origin, move.destination, frozenset(move.captured)) for move in moves}
        assert ours == theirs, fen
        captures += len(moves[0].captured) > 1
        kings += bool(position.kings)
    # The comparison is worth something only where there is something to get wrong.
    assert captures > 300
    assert kings > 1000
