"""Hypothesis strategies: variants, positions reached by play and positions thrown together."""

from hypothesis import assume
from hypothesis import strategies as st

from crownhead.rules.generator import distinct_moves, play
from crownhead.rules.geometry import all_squares
from crownhead.rules.position import Position, Side
from crownhead.rules.tables import bit_of, bits, tables_of
from crownhead.rules.variant import VARIANTS, start_position

variants = st.sampled_from(list(VARIANTS.values()))


@st.composite
def played_positions(draw, variant, *, most_plies=80):
    """A position reached by random legal play from the start."""
    choices = draw(st.lists(st.integers(0, 10_000), max_size=most_plies))
    position = start_position(variant)
    for choice in choices:
        moves = distinct_moves(variant, position)
        if not moves:
            break
        position = play(variant, position, moves[choice % len(moves)])
    return position


@st.composite
def scattered_positions(draw, variant, *, most_pieces=16):
    """Pieces anywhere, kings among them; no man stands on the row where it would be a king."""
    squares = st.integers(0, variant.squares - 1)
    chosen = draw(st.lists(squares, max_size=most_pieces, unique=True))
    white = black = kings = 0
    for square in chosen:
        bit = 1 << square
        side, is_king = draw(st.tuples(st.sampled_from(Side), st.booleans()))
        if side is Side.WHITE:
            white |= bit
        else:
            black |= bit
        if is_king or tables_of(variant).sides[side].crown_row & bit:
            kings |= bit
    return Position(white, black, kings, draw(st.sampled_from(Side)))


def positions(variant):
    """Positions of both kinds."""
    return st.one_of(played_positions(variant), scattered_positions(variant))


@st.composite
def cases(draw):
    """A variant with one of its positions."""
    variant = draw(variants)
    return variant, draw(positions(variant))


@st.composite
def cases_with_moves(draw):
    """A variant, a position in which there are moves, and one of them."""
    variant, position = draw(cases().filter(lambda case: bool(distinct_moves(*case))))
    return variant, position, draw(st.sampled_from(distinct_moves(variant, position)))


@st.composite
def capture_cases(draw, *, jumps=1):
    """A variant, a position with a capture of at least so many jumps, and such a capture.

    A king or a man is set down, and before it a row of jumps with what it takes; other pieces
    are thrown in. So captures are common, though the position may allow better ones.
    """
    variant = draw(variants)
    position = draw(scattered_positions(variant, most_pieces=10))
    moves = _captures(variant, position, jumps)
    for _ in range(12):
        if moves:
            break
        position = draw(_with_prey(variant, position))
        moves = _captures(variant, position, jumps)
    assume(moves)
    return variant, position, draw(st.sampled_from(moves))


def _captures(variant, position, jumps):
    return [m for m in distinct_moves(variant, position) if len(m.captured) >= jumps]


@st.composite
def _with_prey(draw, variant, position):
    """Put an enemy before a piece and free the square behind it; or go on from a capture's end."""
    tables = tables_of(variant)
    white = position.turn is Side.WHITE
    own, enemy = (position.white, position.black) if white else (position.black, position.white)
    captures = [m for m in distinct_moves(variant, position) if m.is_capture]
    if captures:
        start = bit_of(draw(st.sampled_from(captures)).destination)
    elif own:
        start = draw(st.sampled_from(bits(own)))
    else:
        start = bit_of(draw(st.sampled_from(all_squares(variant))))
        own |= start
    hops = tables.hops[start] if position.kings & start else tables.sides[position.turn].hops[start]
    if not hops:
        return position
    over, landing = draw(st.sampled_from(hops))
    enemy = (enemy | over) & ~landing & ~start
    own &= ~(over | landing)
    kings = position.kings & (own | enemy)
    kings |= tables.sides[position.turn.other].crown_row & enemy
    sides = (own, enemy) if white else (enemy, own)
    return Position(*sides, kings, position.turn)
