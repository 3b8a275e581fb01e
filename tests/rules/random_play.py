"""Positions on the way through random games, for comparisons with other programs."""

from crownhead.rules.generator import distinct_moves, play
from crownhead.rules.position import Position, Side
from crownhead.rules.tables import tables_of
from crownhead.rules.variant import start_position


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
