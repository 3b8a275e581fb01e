"""What both native generators and their callers agree on; numba is not needed for it."""

import os

CACHED = os.environ.get("CROWNHEAD_NATIVE_CACHE") != "off"
"""Whether compiled functions are kept; `crownhead.rules.fast_cache` decides."""

MOST_MOVES = 4096
"""Positions with more moves are left to the slow generator."""

DEEPEST = 64
"""Neither a capture nor a line of play is longer."""

TOO_MANY = -1
"""Returned instead of a count when a limit was reached."""

FREE, MOST, MOST_THEN_KINGS, KING_FIRST, ITALIAN, VALUE = range(6)
STAYS, ENDS, GOES_ON = range(3)
PRIORITY, CROWNING, FLYING, NEAR_ONLY, REMOVES, MAN_TAKES_KING = range(6)
STEPS, JUMPS, HOPS, RAYS, ABOUT_TURNS, BY_ROUTE = range(6, 12)
FLAGS = 12
"""What stands where in the array of flags, int64."""


def worth(priority: int, jumped: int, kings_taken: int, by_king: int, order: int) -> int:
    """Return what makes one capture go before another, as a number; see the slow generator.

    Plain Python, which either native generator compiles for itself; all numbers are int64 there.
    """
    if priority == FREE:
        return 0
    if priority == MOST:
        return jumped
    if priority == MOST_THEN_KINGS:
        return jumped * 64 + kings_taken
    if priority == KING_FIRST:
        return by_king
    if priority == ITALIAN:
        return (((jumped * 2 + by_king) * 64 + kings_taken) << 32) | order
    return ((jumped + kings_taken) * 128 + (64 - kings_taken)) * 2 + by_king
