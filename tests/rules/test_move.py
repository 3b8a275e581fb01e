"""Moves as values: routes are told apart, and what they leave is compared apart from them."""

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given

from crownhead.rules.fen import parse_fen
from crownhead.rules.generator import distinct_moves, legal_moves, play
from crownhead.rules.move import Move, same_result
from crownhead.rules.variant import VARIANTS
from tests.rules.strategies import cases

INTERNATIONAL = VARIANTS["international"]
# Four pieces around the middle: two ways round take the same.
ROUND = "W:W37:B31,32,22,21"


def test_a_move_tells_all_of_itself():
    (move,) = legal_moves(INTERNATIONAL, parse_fen("W:W22:B17,7", INTERNATIONAL))
    assert (move.origin, move.destination, move.landings) == (22, 2, (11, 2))
    assert (move.captured, move.is_capture, move.crowns) == ((17, 7), True, True)


def test_a_move_cannot_be_changed():
    move = Move((32, 28))
    with pytest.raises(FrozenInstanceError):
        move.path = (32, 27)
    assert hash(move) == hash(Move((32, 28)))


def test_every_route_is_kept_and_one_result_may_have_several():
    position = parse_fen(ROUND, INTERNATIONAL)
    one, other = legal_moves(INTERNATIONAL, position)
    assert one != other
    assert one.path == other.path[::-1]
    assert same_result(one, other)
    assert len(distinct_moves(INTERNATIONAL, position)) == 1


@given(cases())
def test_moves_of_one_result_lead_to_one_position_and_others_do_not(case):
    variant, position = case
    legal = legal_moves(variant, position)
    assert len(set(legal)) == len(legal)
    after = {move: play(variant, position, move) for move in legal}
    for one in legal[:12]:
        for other in legal[:12]:
            assert same_result(one, other) == (after[one] == after[other])


@given(cases())
def test_the_distinct_moves_are_one_of_each_result(case):
    variant, position = case
    results = [move.result for move in distinct_moves(variant, position)]
    assert len(set(results)) == len(results)
    assert set(results) == {move.result for move in legal_moves(variant, position)}
