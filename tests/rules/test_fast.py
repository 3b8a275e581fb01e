"""The native generator gives the answers of the slow one, and those of the reference data."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crownhead.cli import run
from crownhead.rules import fast_cache
from crownhead.rules.fen import parse_fen
from crownhead.rules.generator import distinct_moves
from crownhead.rules.generator import perft as slow_perft
from crownhead.rules.variant import (
    VARIANTS,
    Crowning,
    Kings,
    Priority,
    Removal,
    start_position,
)
from tests.rules.strategies import cases, scattered_positions

if not fast_cache.is_available():
    pytest.skip("numba is not installed (the extra [fast])", allow_module_level=True)

from crownhead.rules import fast

MOST = 5_000_000


def same_moves(variant, position):
    slow = {
        (move.origin, move.destination, frozenset(move.captured), move.crowns)
        for move in distinct_moves(variant, position)
    }
    return fast.results(variant, position) == slow


def test_all_reference_counts_to_five_million(shared):
    checked = 0
    for entry in json.loads((shared / "data/rules/perft.json").read_text())["entries"]:
        # Published counts of the Thai game begin with three rows of men.
        variant = VARIANTS[entry["variant"].removesuffix("12")]
        position = parse_fen(entry["fen"], variant)
        by_route = entry["convention"] == "paths"
        for depth, count in enumerate(entry["counts"], 1):
            if count > MOST:
                break
            found = fast.perft(variant, position, depth, by_route=by_route)
            assert found == count, (entry["title"], depth)
            checked += 1
    assert checked > 500


def test_every_reference_position_has_exactly_its_moves(shared):
    data = json.loads((shared / "data/rules/positions.json").read_text())
    checked = 0
    for entry in data["positions"]:
        variant = VARIANTS.get(entry["variant"])
        if variant is None:
            continue
        position = parse_fen(entry["fen"], variant)
        wanted = {
            (m["from"], m["to"], frozenset(m["captures"]), m.get("promotes", False))
            for m in entry["legal_moves"]
        }
        assert fast.results(variant, position) == wanted, entry["id"]
        checked += 1
    assert checked == 534


@settings(max_examples=400, deadline=None)
@given(cases())
def test_both_generators_agree_on_any_position(case):
    variant, position = case
    assert same_moves(variant, position)


@pytest.mark.parametrize("by_route", [False, True])
@pytest.mark.parametrize("name", VARIANTS)
def test_both_generators_count_the_same(name, by_route):
    variant = VARIANTS[name]
    start = start_position(variant)
    for depth in range(6):
        native = fast.perft(variant, start, depth, by_route=by_route)
        assert native == slow_perft(variant, start, depth, by_route=by_route)


PERFT = [
    [part.strip() for part in line.split("|")]
    for line in Path(__file__).with_name("perft.txt").read_text().splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize(("name", "fen", "convention", "counts", "source"), PERFT)
def test_lines_of_play_are_as_many_as_published(name, fen, convention, counts, source):
    assert source
    variant = VARIANTS[name.removesuffix("12")]
    position = parse_fen(fen, variant)
    wanted = [int(count) for count in counts.split() if int(count) <= 100_000]
    by_route = convention == "routes"
    found = [fast.perft(variant, position, d + 1, by_route=by_route) for d in range(len(wanted))]
    assert found == wanted


OWN_VARIANTS = st.builds(
    replace,
    st.sampled_from(list(VARIANTS.values())),
    name=st.integers(0, 10**9).map(str),
    kings=st.sampled_from(Kings),
    priority=st.sampled_from(Priority),
    crowning=st.sampled_from(Crowning),
    removal=st.sampled_from(Removal),
    men_capture_back=st.booleans(),
    man_takes_king=st.booleans(),
    about_turns=st.booleans(),
)


@settings(max_examples=150, deadline=None)
@given(OWN_VARIANTS, st.data())
def test_both_generators_agree_on_variants_that_nobody_plays(variant, data):
    position = data.draw(scattered_positions(variant))
    assert same_moves(variant, position)


@pytest.mark.parametrize(
    "name", ["international", "russian", "italian", "frisian", "turkish", "thai"]
)
def test_the_search_for_large_boards_agrees_on_small_ones(name):
    variant = VARIANTS[name]
    wide = fast._made(variant, fast_cache.kernels(fast_cache.WIDE), False)
    board = wide.board(start_position(variant))
    for depth in range(1, 6):
        counted = int(wide.module.perft(*board, depth, wide.flags, wide.tables))
        assert counted == slow_perft(variant, start_position(variant), depth)


def test_what_cannot_be_counted_is_refused_and_not_answered_in_secret():
    with pytest.raises(fast.NotNative, match="plies"):
        fast.perft(VARIANTS["english"], start_position(VARIANTS["english"]), 60)


@pytest.mark.parametrize(
    ("arguments", "generator"),
    [(["english", "7"], "native"), (["english", "7", "--pure"], "python"),
     (["canadian", "6"], "native"), (["canadian", "3"], "python"),
     (["english", "6", "--divide"], "native")],
)  # fmt: skip
def test_perft_says_which_generator_counted(arguments, generator, capsys):
    assert run(["perft", *arguments, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["generator"] == generator
    variant = VARIANTS[arguments[0]]
    assert answer["nodes"] == slow_perft(variant, start_position(variant), int(arguments[1]))
    if "divide" in answer:
        assert sum(answer["divide"].values()) == answer["nodes"]


def test_legal_imports_neither_numba_nor_numpy():
    code = (
        "import sys; from crownhead.cli import run; code = run(['legal', 'international']);"
        "bad = {'numba', 'numpy', 'cv2', 'flask'} & set(sys.modules);"
        "sys.exit(str(bad) if bad else code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
