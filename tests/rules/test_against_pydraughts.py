"""Another program as referee: pydraughts (MIT), a development dependency only.

Left out is what it is known to do otherwise: it counts a Frisian king one and a half men where
three other programs count just under two, which parts them from three kings on; and it lets
Turkish kings pass over pieces without capturing them.
"""

import random

import pytest

from crownhead.rules.fen import format_fen
from crownhead.rules.generator import distinct_moves, legal_moves, play
from crownhead.rules.geometry import square_at
from crownhead.rules.notation import format_move
from crownhead.rules.pdn_writer import WrittenPly, format_game
from crownhead.rules.variant import VARIANTS, Naming, Playing, start_position
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


@pytest.mark.parametrize("name", NAMES)
def test_it_reads_the_files_that_we_write(name):
    from draughts.PDN import PDNReader

    variant, choose = VARIANTS[name], random.Random(3)
    games = []
    for _ in range(5):
        position, plies = start_position(variant), []
        while len(plies) < 60 and (moves := distinct_moves(variant, position)):
            move = choose.choice(moves)
            text = format_move(variant, position, move, among=legal_moves(variant, position))
            position = play(variant, position, move)
            plies.append(WrittenPly(text, position))
        games.append(plies)
    tags = {"Event": 'A "quoted" club', "Round": "3"}
    written = "\n".join(format_game(variant, plies, tags=tags, result="*") for plies in games)
    read = PDNReader(written).games
    assert [game.moves for game in read] == [[ply.move for ply in plies] for plies in games]
    assert {game.variant for game in read} == {NAMES[name]}
    assert {game.tags["Round"] for game in read} == {"3"}
