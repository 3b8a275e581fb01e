"""Another program as referee: pydraughts (MIT), a development dependency only.

Left out is what it is known to do otherwise: it counts a Frisian king one and a half men where
three other programs count just under two, which parts them from three kings on; and it lets
Turkish kings pass over pieces without capturing them.
"""

import random

import pytest

from crownhead.rules.fen import format_fen
from crownhead.rules.generator import distinct_moves
from crownhead.rules.geometry import square_at
from crownhead.rules.variant import VARIANTS, Naming, Playing
from tests.rules.random_play import game_positions

pydraughts = pytest.importorskip("draughts", reason="pydraughts is not installed")

NAMES = {
    "international": "standard",
    "english": "english",
    "italian": "italian",
    "russian": "russian",
    "brazilian": "brazilian",
    "frisian": "frisian",
    "turkish": "turkish",
}


def theirs(variant, position):
    naming = variant.naming
    board = pydraughts.Board(
        variant=NAMES[variant.name], fen=format_fen(position, variant, naming=naming)
    )
    found = set()
    for move in board.legal_moves():
        origin, destination, *captured = (
            _square(variant, int(number)) for number in move.hub_move.replace("-", "x").split("x")
        )
        found.add((origin, destination, frozenset(captured)))
    return found


def ours(variant, position):
    moves = distinct_moves(variant, position)
    return {(move.origin, move.destination, frozenset(move.captured)) for move in moves}


def _square(variant, number):
    """Turn its number into ours: in games written with letters its 1 is a1."""
    if variant.naming is Naming.NUMERIC:
        return number
    if variant.playing is Playing.ALL:
        row, column = divmod(number - 1, variant.size)
        return square_at(variant, variant.size - 1 - row, column)
    row, place = divmod(number - 1, variant.size // 2)
    return square_at(variant, variant.size - 1 - row, 2 * place + row % 2)


@pytest.mark.parametrize("name", NAMES)
def test_moves_are_the_same(name):
    variant = VARIANTS[name]
    for position in game_positions(variant, random.Random(7), 40):
        assert ours(variant, position) == theirs(variant, position), format_fen(position, variant)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_moves_are_the_same_in_many_positions(name):
    variant = VARIANTS[name]
    for position in game_positions(variant, random.Random(11), 2000):
        assert ours(variant, position) == theirs(variant, position), format_fen(position, variant)
