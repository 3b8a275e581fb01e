"""Another program as referee: pydraughts (MIT), a development dependency only.

Left out is what it is known to do otherwise: it counts a Frisian king one and a half men where
three other programs count just under two, which parts them from three kings on; and it lets
Turkish kings pass over pieces without capturing them.
"""

import random

import pytest

from crownhead.rules.fen import format_fen
from crownhead.rules.generator import distinct_moves, play
from crownhead.rules.geometry import square_at
from crownhead.rules.position import Position, Side
from crownhead.rules.tables import tables_of
from crownhead.rules.variant import VARIANTS, Naming, Playing, start_position

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


def game_positions(variant, chance, count):
    """Positions on the way through random games, some with kings sprinkled in."""
    found = []
    while len(found) < count:
        position = start_position(variant)
        for _ in range(chance.randrange(10, 90)):
            moves = distinct_moves(variant, position)
            if not moves:
                break
            position = play(variant, position, chance.choice(moves))
        if chance.random() < 0.5:
            position = _thinned(variant, position, chance)
        moves = distinct_moves(variant, position)
        own = position.white if position.turn is Side.WHITE else position.black
        if variant.name == "turkish" and own & position.kings and not (moves and moves[0].captured):
            continue
        if moves:
            found.append(position)
    return found


def _thinned(variant, position, chance):
    """Take most pieces away and crown half of the rest, so that long captures are common."""
    keep = kings = 0
    for square in range(variant.squares):
        keep |= (chance.random() < 0.5) << square
        kings |= (chance.random() < 0.3) << square
    white, black = position.white & keep, position.black & keep
    if variant.name == "frisian":
        kings = 0
    tables = tables_of(variant).sides
    kings |= white & tables[Side.WHITE].crown_row | black & tables[Side.BLACK].crown_row
    return Position(white, black, (position.kings & keep | kings) & (white | black), position.turn)


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
