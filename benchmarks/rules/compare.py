"""Compare the generators with other programs, in one run on one core.

    taskset -c 0 python benchmarks/rules/compare.py [--peer PYTHON] [--depth 9] [--english 10]

Needs the extra [fast] and dame-rs. PYTHON is an interpreter that has py-draughts (it brings many
packages, so it is best kept in an environment of its own); without it that comparison is left out.
Each program counts the lines of play from the start. py-draughts takes captures in the English game
for optional; here its list is cut to the captures where there are any, so that it counts the same
lines, at little cost to it; `--optional` counts its own, which are far more (ten plies take it an
hour), and then only the rates can be compared. Times are processor time.
"""

import argparse
import subprocess
import time
from collections.abc import Callable

import dame

from crownhead.rules import fast
from crownhead.rules.generator import perft
from crownhead.rules.variant import start_position, variant_named

PEER = """
import sys, time
from draughts import AmericanBoard, StandardBoard
forced = sys.argv[3] == "forced"
def perft(board, depth):
    moves = board.legal_moves
    if forced:
        moves = [move for move in moves if move.captured_list] or moves
    if depth == 1:
        return len(moves)
    nodes = 0
    for move in moves:
        board.push(move)
        nodes += perft(board, depth - 1)
        board.pop()
    return nodes
board = {"international": StandardBoard, "english": AmericanBoard}[sys.argv[1]]()
began = time.process_time()
nodes = perft(board, int(sys.argv[2]))
print(nodes, time.process_time() - began)
"""


def measured(work: Callable[[], int]) -> tuple[int, float]:
    """Return the lines counted, and how many a second."""
    began = time.process_time()
    nodes = work()
    return nodes, nodes / (time.process_time() - began)


def peer(python: str, name: str, depth: int, *, forced: bool) -> tuple[int, float]:
    """Let py-draughts count."""
    how = "forced" if forced else "as it is"
    done = subprocess.run(
        [python, "-c", PEER, name, str(depth), how], check=True, capture_output=True, text=True
    )
    nodes, took = done.stdout.split()
    return int(nodes), int(nodes) / float(took)


def main() -> None:
    """Print a line a figure, and the ratios."""
    parser = argparse.ArgumentParser(description="Compare the move generators.")
    parser.add_argument("--peer", metavar="PYTHON", help="an interpreter with py-draughts")
    parser.add_argument("--depth", type=int, default=9, help="plies of the international game")
    parser.add_argument("--english", type=int, default=10, help="plies of the English game")
    parser.add_argument("--optional", action="store_true", help="leave py-draughts its own rules")
    options = parser.parse_args()
    rates: dict[tuple[str, str], float] = {}
    for name, depth in (("international", options.depth), ("english", options.english)):
        variant = variant_named(name)
        start = start_position(variant)
        fast.perft(variant, start, 2)  # compiled or read from the cache before it is timed
        programs: dict[str, Callable[[], tuple[int, float]]] = {
            "native": lambda v=variant, p=start, d=depth: measured(lambda: fast.perft(v, p, d)),
            "pure Python": lambda v=variant, p=start, d=depth: measured(lambda: perft(v, p, d)),
        }
        if name == "international":
            programs["dame-rs"] = lambda d=depth: measured(lambda: dame.perft(dame.Board(), d))
        if options.peer:
            forced = name == "english" and not options.optional
            programs["py-draughts"] = lambda n=name, d=depth, f=forced: peer(
                options.peer, n, d, forced=f
            )
        for program, count in programs.items():
            nodes, rates[name, program] = count()
            rate = rates[name, program]
            print(f"{name} {depth}, {program}: {nodes} lines, {rate:,.0f} a second", flush=True)
        for ours, theirs in (("native", "dame-rs"), ("pure Python", "py-draughts")):
            if (name, theirs) in rates:
                ratio = rates[name, ours] / rates[name, theirs]
                print(f"{name}: {ours} {ratio:.2f} times {theirs}", flush=True)


if __name__ == "__main__":
    main()
