import json

import pytest

from crownhead.rules.pdn import decode_pdn, read_games
from crownhead.rules.replay import infer_variant, likely_variant, replay
from crownhead.rules.variant import VARIANTS
from crownhead.rules.verdict import Rule

INTERNATIONAL = VARIANTS["international"]
PARTING = '[FEN "W:WK47:B14,19,29,31,42"]\n'


def played(text, variant=INTERNATIONAL):
    (game,) = read_games(text)
    return replay(game, variant)


def inferred(text):
    (game,) = read_games(text)
    return infer_variant(game)[0].name


def test_a_legal_game_reaches_its_end():
    found = played("1. 32-28 19-23 2. 28x19 14x23 *")
    assert found.is_legal
    assert len(found.moves) == 4
    assert found.final_fen == "W:W31,33-50:B1-13,15-18,20,23"


@pytest.mark.parametrize(
    ("text", "ply", "rule"),
    [
        ("1. 32-28 19-23 2. 31-27 *", 3, Rule.MUST_CAPTURE),
        ("1. 32-27 32-28 *", 2, Rule.NO_SUCH_PIECE),
        ("1. 32-28 18-9 *", 2, Rule.OCCUPIED),
        ("1. 32-28 rubbish 19-23 *", 2, Rule.UNREADABLE),
        ('[FEN "nonsense"]\n1. 32-28 *', 0, Rule.UNREADABLE),
        ('1. 32-28 /FEN "nonsense"/ 19-23 *', 2, Rule.UNREADABLE),
        (f"{PARTING}1. 47x15 *", 1, Rule.MUST_FINISH_CAPTURE),
        ("1. 32-28 - - 2. 31-27 *", 2, Rule.UNREADABLE),
    ],
)
def test_the_first_fault_is_named_with_its_ply(text, ply, rule):
    found = played(text)
    assert found.problem is not None
    assert (found.problem.ply, found.problem.rule) == (ply, rule)
    assert len(found.moves) == max(ply - 1, 0)


def test_a_fault_is_told_with_line_and_column():
    found = played("1. 32-28 19-23\n2. 31-27 *")
    assert found.problem is not None
    assert found.problem.text.startswith("line 2, column 4: ")


def test_a_set_up_command_sets_position_and_turn():
    found = played('1. 31-26 /FEN "W:W31-50:B1-20"/ 2. 32-28 *')
    assert found.is_legal
    assert found.final_fen == "B:W28,31,33-50:B1-20"


def test_careless_writing_is_taken_with_a_note():
    found = played("1. 32x28 18-23 *")
    assert found.is_legal
    assert found.notes[0] == "ply 1: 32x28 is carelessly written, meaning 32-28"


def test_unknown_moves_at_the_end_are_left_out_with_a_note():
    found = played("1. 32-28 2. - - 3. - - *")
    assert found.is_legal
    assert len(found.moves) == 1
    assert found.notes


def test_an_ambiguous_capture_is_settled_by_what_follows():
    # Only if 14 still stands can it move.
    found = played(f"{PARTING}1. 47x36 14-20 *")
    assert found.is_legal
    assert set(found.moves[0].captured) == {42, 29, 19, 31}
    assert "47x38x24x13x36" in found.notes[0]
    assert "47x38x20x9x36" in found.notes[0]


def test_an_ambiguous_capture_that_nothing_settles_is_noted():
    found = played(f"{PARTING}1. 47x36 *")
    assert found.is_legal
    assert "either way" in found.notes[0]


def test_black_may_begin():
    found = played("1... 20-24 2. 32-28 *")
    assert found.is_legal


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('[GameType "25"]\n1. c3-d4 *', "russian"),
        ('[GameType "20,W,10,10,N1,0"]\n1. 32-28 *', "international"),
        ("1. 32-28 19-23 2. 28x19 14x23 *", "international"),
        ("1. c3-d4 d6-c5 2. b2-c3 f6-g5 *", "russian"),
        ("1. 11-15 23-18 2. 8-11 *", "english"),
        ('[Bianco "A"]\n1. 21-17 12-15 *', "italian"),
        ('[FEN "W:W72:B1"]\n*', "canadian"),
        ('[GameType "20"]\n1. g3-h4 b6-a5 *', "russian"),
        ('[GameType "999"]\n1. 32-28 *', "international"),
        ('[GameType "x"]\n1. 32-28 *', "international"),
    ],
)
def test_the_variant_of_a_game(text, name):
    assert inferred(text) == name


def test_a_file_as_a_whole_tells_what_one_game_leaves_open():
    text = '1. c3-d4 d6-c5 *\n[Event "no moves"]\n'
    czech = VARIANTS["czech"]
    games = list(read_games(text))
    assert likely_variant(games[:1]) is VARIANTS["russian"]
    assert infer_variant(games[0], likely=czech)[0] is czech
    assert infer_variant(games[-1], likely=czech)[0] is czech
    tagged = list(read_games('[GameType "20"]\n1. 32-28 *'))
    assert likely_variant(tagged) is None


FILES = (
    "english", "international", "russian", "brazilian", "italian", "czech", "frisian",
)  # fmt: skip


@pytest.mark.parametrize("folder", FILES)
@pytest.mark.slow
def test_real_games_replay_as_far_as_they_are_legal(shared, folder):
    root = shared / "data/pdn"
    index = json.loads((root / "index.json").read_text())["files"]
    files = [entry for entry in index if entry["file"].startswith(f"{folder}/")]
    assert files
    for entry in files:
        text = decode_pdn((root / entry["file"]).read_bytes())
        found = [(game, replay(game, VARIANTS[entry["variant"]])) for game in read_games(text)]
        assert len(found) == entry["games"], entry["file"]
        legal = sum(bool(game.moves) and run.is_legal for game, run in found)
        assert legal >= entry["replay_fully_legal"], entry["file"]
        for _, run in found:
            assert run.is_legal or run.problem.text


def test_odd_files_are_read_and_answered(shared):
    read = 0
    for path in sorted((shared / "data/pdn/odd").glob("*.pdn")):
        games = list(read_games(decode_pdn(path.read_bytes())))
        assert games, path.name
        for game in games:
            variant, how = infer_variant(game)
            found = replay(game, variant)
            assert how
            assert found.is_legal or found.problem.rule in Rule
            read += 1
    assert read > 100
