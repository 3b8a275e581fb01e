"""Play games on a table that is seen perfectly, and count what the session makes of them.

    python -m benchmarks.vision.plain_games FIRST LAST [--plies 40]

There is no picture: each board is shown to the session as sure evidence, ten times a second. Games
are random; illegal moves (put back, put back wrongly or left), quick plies, captures lifted late,
pieces swept off and pieces taken away for a while come far more often than at a real table. What is
wrong here is a fault of reasoning, not of sight.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher

import numpy as np

from benchmarks.render.story import ILLEGAL, Attempt, position_of, signs_of, try_illegal
from crownhead.events import Event, IncidentKind, IncidentOpened
from crownhead.rules.generator import legal_moves
from crownhead.rules.move import Move
from crownhead.rules.position import Side
from crownhead.rules.variant import Variant, start_position, variant_named
from crownhead.session import Session, step
from crownhead.vision.observation import Evidence, Observation, Sight

Signs = dict[int, str]
VARIANTS = ("english", "international", "russian", "brazilian")
TICKS = 10
"""Observations a second."""

ACCUSING = {IncidentKind.ILLEGAL_MOVE, IncidentKind.WRONG_REMOVAL, IncidentKind.NOT_CROWNED}
LATE_TICKS = 60
"""An illegal move that nobody minds may be told so much later than its board goes."""


@dataclass
class Score:
    """What became of some games."""

    games: int = 0
    moves: int = 0
    right: int = 0
    invented: int = 0
    clean: int = 0
    accused_falsely: int = 0
    illegal: int = 0
    caught: int = 0
    faulty: list[int] = field(default_factory=list)


class Table:
    """A board, the session that watches it, and what was really played."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.generator = np.random.default_rng(seed)
        self.variant: Variant = variant_named(VARIANTS[seed % len(VARIANTS)])
        self.session = Session(self.variant, start_position(self.variant))
        self.events: list[Event] = []
        self.ticks = 0
        self.signs: Signs = signs_of(self.session.start)
        self.turn = "W" if self.session.start.turn is Side.WHITE else "B"
        self.played: list[frozenset[tuple[int, str]]] = []
        self.offences: list[tuple[int, int]] = []

    def _tick(self, sight: Sight, evidence: Evidence | None = None) -> None:
        self.ticks += 1
        seen = Observation(self.ticks, self.ticks / TICKS, sight, evidence, 1.0)
        self.session, events = step(self.session, seen)
        self.events += events

    def hand(self, seconds: float = 0.5) -> None:
        """Move something over the board."""
        for _ in range(round(seconds * TICKS)):
            self._tick(Sight.MOVING)

    def show(self, signs: Mapping[int, str], least_s: float, most_s: float) -> None:
        """Leave a board in clear view for a while."""
        codes = np.zeros(self.variant.squares, np.int8)
        for square, sign in signs.items():
            codes[square - 1] = 1 if sign in "wW" else 2
        weights = np.full((len(codes), 3), -9.0, np.float32)
        weights[np.arange(len(codes)), codes] = 0.0
        for _ in range(round(self.random.uniform(least_s, most_s) * TICKS)):
            self._tick(Sight.CLEAR, Evidence(weights.copy(), np.zeros(len(codes), bool)))

    def stand(self, signs: Signs) -> None:
        """Take a board for the game's, with the other side to move."""
        self.signs = signs
        self.turn = "B" if self.turn == "W" else "W"
        self.played.append(frozenset(signs.items()))

    def after(self, done: Move | Attempt) -> Signs:
        """Return the board after a move or an attempt at one."""
        signs = dict(self.signs)
        sign = signs.pop(done.path[0])
        for square in done.removed if isinstance(done, Attempt) else done.captured:
            signs.pop(square, None)
        signs[done.path[-1]] = sign.upper() if done.crowns else sign
        return signs

    def offend(self) -> bool:
        """Make an illegal move, if the position offers one of the kind drawn."""
        kind = self.random.choice(ILLEGAL)
        attempt = try_illegal(self.generator, self.variant, self.signs, self.turn, kind)
        if attempt is None:
            return False
        takeback = self.random.choice(("proper", "improper", "none"))
        begun, wrong = self.ticks, self.after(attempt)
        self.hand()
        self.show(wrong, 1.5, 3.0)
        if takeback == "none":
            self.stand(wrong)
            self.offences.append((begun, self.ticks + LATE_TICKS))
            return True
        if takeback == "improper":
            self.hand()
            self.show(self._put_back_wrongly(attempt), 1.5, 2.7)
        self.hand()
        self.show(self.signs, 1.5, 2.7)
        self.offences.append((begun, self.ticks))
        return True

    def _put_back_wrongly(self, attempt: Attempt) -> Signs:
        signs = dict(self.signs)
        if attempt.removed:
            del signs[attempt.removed[-1]]
            return signs
        origin = int(attempt.path[0])
        free = [n for n in range(1, self.variant.squares + 1) if n not in self.signs]
        signs[min(free, key=lambda n: abs(n - origin))] = signs.pop(origin)
        return signs

    def lose(self, count: int, least_s: float, most_s: float) -> None:
        """Take pieces off the board for a while, and put them back."""
        gone = self.random.sample(sorted(self.signs), min(count, len(self.signs) - 1))
        rest = {square: sign for square, sign in self.signs.items() if square not in gone}
        self.hand()
        self.show(rest, least_s, most_s)
        self.hand()
        if count > 1 and self.random.random() < 0.3:
            for square in gone[:-1]:
                rest[square] = self.signs[square]
                self.show(rest, 0.5, 0.5)
                self.hand(0.3)
        self.show(self.signs, 1.2, 2.0)

    def move(self, move: Move, *, is_quick: bool, may_linger: bool) -> None:
        """Make a legal move; a quick one is answered before the board is seen."""
        self.hand(self.random.uniform(0.4, 1.2))
        lingers = may_linger and move.is_capture and self.random.random() < 0.3
        if lingers and len(set(move.path)) == len(move.path):
            unlifted = dict(self.signs)
            unlifted[move.path[-1]] = unlifted.pop(move.path[0])
            self.show(unlifted, 1.0, 3.0)
            self.hand()
        self.stand(self.after(move))
        if is_quick:
            self.hand(0.4)
        else:
            self.show(self.signs, 1.8, 3.5)


def play_game(seed: int, plies: int) -> Table:
    """Play a random game with all that may happen in it."""
    table = Table(seed)
    table.show(table.signs, 1.0, 1.0)
    was_quick = False
    while len(table.played) < plies:
        moves = legal_moves(table.variant, position_of(table.signs, table.turn))
        if not moves:
            break
        chance = 0.5 if was_quick else table.random.random()
        if chance < 0.10 and table.offend():
            continue
        if 0.10 <= chance < 0.13:
            table.lose(table.random.randint(2, 4), 1.7, 3.7)
            continue
        if 0.13 <= chance < 0.16:
            table.lose(1, 1.2, 3.0)
            continue
        is_quick = chance > 0.9
        may_linger = not was_quick and not is_quick
        table.move(table.random.choice(moves), is_quick=is_quick, may_linger=may_linger)
        was_quick = is_quick
    table.show(table.signs, 3.0, 3.0)
    return table


def count(score: Score, seed: int, table: Table) -> None:
    """Add a game to the score."""
    found = [frozenset(signs_of(ply.after).items()) for ply in table.session.plies]
    matcher = SequenceMatcher(None, table.played, found, autojunk=False)
    right = sum(block.size for block in matcher.get_matching_blocks())
    told = [
        event.frame
        for event in table.events
        if isinstance(event, IncidentOpened) and event.kind in ACCUSING
    ]
    spans = table.offences
    falsely = sum(not any(a <= frame <= b for a, b in spans) for frame in told)
    caught = sum(any(a <= frame <= b for frame in told) for a, b in spans)
    is_clean = right == len(table.played) == len(found)
    score.games += 1
    score.moves += len(table.played)
    score.right += right
    score.invented += len(found) - right
    score.clean += is_clean
    score.accused_falsely += falsely
    score.illegal += len(spans)
    score.caught += caught
    if not is_clean or falsely or caught < len(spans):
        score.faulty.append(seed)


def main() -> None:
    """Print the score of the games of a range of seeds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--plies", type=int, default=40)
    options = parser.parse_args()
    score = Score()
    for seed in range(options.first, options.last + 1):
        count(score, seed, play_game(seed, options.plies))
    print(json.dumps(score.__dict__))


if __name__ == "__main__":
    main()
