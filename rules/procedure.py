"""How a move was carried out on the board, and what may follow an illegal one.

Nothing here changes what is legal: a move may be legal and its manner not.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from crownhead.rules.generator import legal_moves, play
from crownhead.rules.message import Message, message
from crownhead.rules.move import Move
from crownhead.rules.notation import between, format_move
from crownhead.rules.position import Position, Square
from crownhead.rules.referee import in_progress
from crownhead.rules.variant import PROTOCOLS, OnIllegal, Variant
from crownhead.rules.verdict import Rule, Verdict


class Choice(StrEnum):
    """What may follow an illegal board."""

    PUT_RIGHT = "the board is put back and the same player moves again"
    LET_STAND = "the board stays as it is and the other player goes on"
    CROWN = "the move stands and the crown is put right"


def judge_procedure(
    variant: Variant, before: Position, boards: Sequence[Position]
) -> tuple[Message, ...]:
    """Say what was wrong in the manner of one move.

    Args:
        variant: the rules in force, its protocol included.
        before: the last legal position.
        boards: what stood on the board since, in order, the latest last.

    Returns:
        Warnings: pieces removed one by one during the capture, where they must leave together;
        a capture of several jumps that were not all shown, where they must be. None while the
        piece is still on its way to the jumps not shown.
    """
    if not boards:
        return ()
    told: dict[Message, None] = {}
    shown: list[Square] = []
    for board in boards:
        half = in_progress(variant, before, board)
        if half is None:
            continue
        told.update(dict.fromkeys(half.warnings))
        if half.mover is not None:
            shown.append(half.mover)
    if PROTOCOLS[variant.protocol].jump_by_jump:
        ended = _ended(variant, before, boards[-1])
        if ended and not any(_all_shown(variant, move, shown) for move in ended):
            notation = format_move(variant, before, ended[0])
            told[message("show-each-jump", seen=notation)] = None
    return tuple(told)


def choices_after(variant: Variant, verdict: Verdict) -> tuple[Choice, ...]:
    """Return what may follow a verdict on a board; nothing if no rule was broken."""
    if verdict.legal or verdict.rule is None:
        return ()
    if verdict.moves:
        return (Choice.CROWN,)
    decides = PROTOCOLS[variant.protocol].on_illegal is OnIllegal.OPPONENT_DECIDES
    if decides and verdict.rule not in _NOTHING_DONE:
        return (Choice.PUT_RIGHT, Choice.LET_STAND)
    return (Choice.PUT_RIGHT,)


_NOTHING_DONE = frozenset({Rule.UNREADABLE, Rule.AMBIGUOUS, Rule.GAME_OVER})
"""After these there is no move that could be let stand."""


def _ended(variant: Variant, before: Position, board: Position) -> tuple[Move, ...]:
    """Return the captures of several jumps whose piece stands at their end."""
    half = in_progress(variant, before, board)
    if half is not None:
        found: Sequence[Move] = half.moves if half.at_destination else ()
    else:
        found = [
            move
            for move in legal_moves(variant, before)
            if (after := play(variant, before, move)).white == board.white
            and after.black == board.black
        ]
    return tuple(found) if all(len(move.captured) > 1 for move in found) else ()


def _all_shown(variant: Variant, move: Move, shown: Sequence[Square]) -> bool:
    """Say whether a piece stood after each jump but the last, in order."""
    seen = iter(shown)
    for number, landing in enumerate(move.path[1:-1]):
        # Flying straight on, it may have stopped anywhere before the next piece.
        stops = (landing, *between(variant, landing, move.captured[number + 1]))
        if not any(square in stops for square in seen):
            return False
    return True
