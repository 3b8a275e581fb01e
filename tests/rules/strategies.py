"""Hypothesis strategies: variants, positions reached by play and positions thrown together."""

from hypothesis import strategies as st

from crownhead.rules.generator import distinct_moves, play
from crownhead.rules.position import Position, Side
from crownhead.rules.tables import tables_of
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
