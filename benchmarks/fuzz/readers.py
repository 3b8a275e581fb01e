"""Coverage-guided fuzzing of what reads text: positions, moves, PDN files, variants in TOML.

    PYTHONPATH=. python benchmarks/fuzz/readers.py TARGET --minutes 5

TARGET is fen, move, toml or pdn. Needs atheris, in an environment of its own (`pip install
atheris`; Python 3.11 on Linux). Stops at any exception but the documented ones, at an input that
takes more than a minute, and when more than 512 MB are in use; the input is then written to the
folder in which it runs, and belongs into the tests once it is mended.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["crownhead"]):
    from crownhead.rules.errors import RulesError
    from crownhead.rules.fen import format_fen, parse_fen
    from crownhead.rules.notation import parse_move
    from crownhead.rules.pdn import decode_pdn, read_games
    from crownhead.rules.replay import infer_variant, replay
    from crownhead.rules.variant import VARIANTS, Variant, start_position
    from crownhead.rules.variant_file import variant_from_toml

ALL = list(VARIANTS.values())


def _variant(data: bytes) -> Variant:
    return ALL[data[0] % len(ALL)] if data else ALL[0]


def fen(data: bytes) -> None:
    """A position: what is read is written and read again the same."""
    variant = _variant(data)
    position = parse_fen(data[1:].decode("utf-8", "replace"), variant)
    assert parse_fen(format_fen(position, variant), variant) == position


def move(data: bytes) -> None:
    """A move from the start."""
    variant = _variant(data)
    parse_move(variant, start_position(variant), data[1:].decode("utf-8", "replace"))


def toml(data: bytes) -> None:
    """A variant; one that is read can be played."""
    start_position(variant_from_toml(data.decode("utf-8", "replace")))


def pdn(data: bytes) -> None:
    """A file: no game of it stops the reader or the replay."""
    for game in read_games(decode_pdn(data)):
        replay(game, infer_variant(game)[0])


TARGETS: dict[str, tuple[Callable[[bytes], None], tuple[str, ...]]] = {
    "fen": (fen, ("\0W:W31-50:B1-20", "\1W:WKc3,d4:Bh8.", '\2[FEN "B:W1:BK2"]', "\3W:W:BK3")),
    "move": (
        move,
        ("\00032-28", "\1c3-d4", "\00228x19x23", "\3 11 - 15!", "\0003228", "\00031x22<27>"),
    ),
    "toml": (
        toml,
        (
            'name = "a"\nlike = "international"\nsize = 8\nrows = 3\n',
            'name = "b"\ndraws = [{ kind = "same position, same side to move", limit = 3 }]\n',
        ),
    ),
    "pdn": (
        pdn,
        (
            '[Event "x"]\n[GameType "20"]\n\n1. 32-28 19-23 2. 28x19 14x23 {a {b} c}'
            " (2... 13x24) 2-0\n",
            '[FEN "W:W31:B20"]\n\n1. 31-27 $3 /FEN "B:W27:B20"/ 1... 20-24! [%clk 1:00] *\n',
            "1. c3-d4 b6-a5 2. d4-c5 1/2-1/2",
        ),
    ),
}


def main() -> None:
    """Fuzz one target for so many minutes."""
    parser = argparse.ArgumentParser(description="Fuzz what reads text.")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--minutes", type=float, default=5)
    options = parser.parse_args()
    target, seeds = TARGETS[options.target]

    def one(data: bytes) -> None:
        try:
            target(data)
        except RulesError:
            return

    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(seeds):
            (Path(folder) / f"seed{number}").write_bytes(seed.encode("latin-1"))
        seconds = round(options.minutes * 60)
        limits = [f"-max_total_time={seconds}", "-timeout=60", "-rss_limit_mb=512", "-max_len=600"]
        atheris.Setup([sys.argv[0], *limits, folder], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
