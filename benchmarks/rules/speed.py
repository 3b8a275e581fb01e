"""Measure the generator: lines of play and legal-move calls for each second of processor time.

    python benchmarks/rules/speed.py [--repeat N]

The best of N runs counts, since whatever else the machine does only makes a run slower. Calls
are over the positions of random games from the start (seed 1), as far as 80 plies.
"""

import argparse
import random
import time
from collections.abc import Callable

from crownhead.rules.generator import distinct_moves, legal_moves, perft, play
from crownhead.rules.position import Position
from crownhead.rules.variant import Variant, start_position, variant_named

COUNTED = (("international", 6), ("english", 8), ("russian", 7), ("frisian", 6), ("canadian", 5))
CALLED = ("international", "english", "russian")


def seconds(work: Callable[[], object], repeat: int) -> float:
    """Return the least processor time of some runs."""
    best = float("inf")
    for _ in range(repeat):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def game_positions(variant: Variant, games: int = 60) -> list[Position]:
    """Return the positions of random games."""
    chance = random.Random(1)
    found = []
    for _ in range(games):
        position = start_position(variant)
        for _ in range(80):
            moves = distinct_moves(variant, position)
            if not moves:
                break
            found.append(position)
            position = play(variant, position, chance.choice(moves))
    return found


def main() -> None:
    """Print one line a figure."""
    parser = argparse.ArgumentParser(description="Measure the move generator.")
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    for name, depth in COUNTED:
        variant = variant_named(name)
        start = start_position(variant)
        nodes = perft(variant, start, depth)
        rate = nodes / seconds(lambda v=variant, p=start, d=depth: perft(v, p, d), repeat)
        print(f"perft {name} {depth}: {nodes} lines, {rate:,.0f} a second")
    for name in CALLED:
        variant = variant_named(name)
        positions = game_positions(variant)
        took = seconds(lambda v=variant, ps=positions: [legal_moves(v, p) for p in ps], repeat)
        print(f"legal moves {name}: {len(positions) / took:,.0f} calls a second")


if __name__ == "__main__":
    main()
