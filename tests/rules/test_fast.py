"""The native generator gives the answers of the slow one, and those of the reference data."""

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings

from crownhead.cli import run
from crownhead.rules import fast_cache
from crownhead.rules.fen import parse_fen
from crownhead.rules.generator import distinct_moves
from crownhead.rules.generator import perft as slow_perft
from crownhead.rules.variant import VARIANTS, start_position
from tests.rules.strategies import cases

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
        if not fast.fits(variant):
            continue
        position = parse_fen(entry["fen"], variant)
        by_route = entry["convention"] == "paths"
        for depth, count in enumerate(entry["counts"], 1):
            if count > MOST:
                break
            found = fast.perft(variant, position, depth, by_route=by_route)
            assert found == count, (entry["title"], depth)
            checked += 1
    assert checked > 500


@pytest.mark.slow
def test_canadian_counts_to_five_million_by_the_generator_that_has_room_for_them(shared):
    checked = 0
    for entry in json.loads((shared / "data/rules/perft.json").read_text())["entries"]:
        variant = VARIANTS[entry["variant"].removesuffix("12")]
        if fast.fits(variant):
            continue
        position = parse_fen(entry["fen"], variant)
        by_route = entry["convention"] == "paths"
        for depth, count in enumerate(entry["counts"], 1):
            if count > MOST:
                break
            assert slow_perft(variant, position, depth, by_route=by_route) == count
            checked += 1
    assert checked


def test_every_reference_position_has_exactly_its_moves(shared):
    data = json.loads((shared / "data/rules/positions.json").read_text())
    checked = 0
    for entry in data["positions"]:
        variant = VARIANTS.get(entry["variant"])
        if variant is None:
            continue
        position = parse_fen(entry["fen"], variant)
        if fast.fits(variant):
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
    if fast.fits(variant):
        assert same_moves(variant, position)


@pytest.mark.parametrize("by_route", [False, True])
@pytest.mark.parametrize("name", [name for name, v in VARIANTS.items() if fast.fits(v)])
def test_both_generators_count_the_same(name, by_route):
    variant = VARIANTS[name]
    start = start_position(variant)
    for depth in range(6):
        native = fast.perft(variant, start, depth, by_route=by_route)
        assert native == slow_perft(variant, start, depth, by_route=by_route)


def test_what_does_not_fit_is_refused_and_not_answered_in_secret():
    with pytest.raises(fast.NotNative, match="64 squares"):
        fast.perft(VARIANTS["canadian"], start_position(VARIANTS["canadian"]), 2)
    with pytest.raises(fast.NotNative, match="plies"):
        fast.perft(VARIANTS["english"], start_position(VARIANTS["english"]), 60)


@pytest.mark.parametrize(
    ("arguments", "generator"),
    [(["english", "7"], "native"), (["english", "7", "--pure"], "python"),
     (["canadian", "3"], "python"), (["english", "6", "--divide"], "native")],
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
