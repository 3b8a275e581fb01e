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


def test_a_capture_may_be_written_jump_by_jump():
    found = played(f"{PARTING}1. 47x33 2. 33x24 24x13 3. 13x36 14-20 *")
    assert found.is_legal
    assert set(found.moves[0].captured) == {42, 29, 19, 31}
    assert found.notes == ("ply 1: 47x33x24x13x36 is written as 4 moves",)


def test_a_capture_that_stops_early_is_not_taken_for_a_jump():
    found = played(f"{PARTING}1. 47x33 14-20 *")
    assert found.problem is not None
    assert (found.problem.ply, found.problem.rule) == (1, Rule.MUST_FINISH_CAPTURE)


def test_what_stands_behind_the_last_move_is_noted():
    found = played("1. 32-28 19-23 adjourned\n*")
    assert found.is_legal
    assert found.notes == ("line 1, column 16: cannot read 'adjourned'; it is left out",)


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


REFUSED = {
    # The king that moved to 28 is said to leave 32 once more.
    ("english/tinsley.pdn", 541): (123, Rule.NO_SUCH_PIECE),
    # Two games that nothing parts: moves go on behind the first result.
    ("odd/fail-cat-c1.pdn", 45): (12, Rule.UNREADABLE),
    # Made to try a parser: the moves do not follow from one another.
    ("odd/lynx-example.pdn", 1): (1, Rule.NO_SUCH_PIECE),
    ("odd/lynx-fork-1-3.pdn", 1): (1, Rule.OCCUPIED),
    ("odd/lynx-fork-inter-1-3.pdn", 1): (1, Rule.NO_SUCH_PIECE),
    ("odd/lynx-notation-comment.pdn", 1): (2, Rule.UNREADABLE),
    ("odd/lynx-notation-strength.pdn", 1): (4, Rule.NOT_YOUR_PIECE),
    ("odd/lynx-notation-undo1.pdn", 1): (1, Rule.NO_SUCH_PIECE),
    ("odd/lynx-notation-undo3.pdn", 1): (2, Rule.NO_SUCH_PIECE),
    ("odd/lynx-notation-variant-nested.pdn", 1): (1, Rule.TOO_FAR),
    ("odd/lynx-notation-variant-nested.pdn", 2): (4, Rule.NO_SUCH_PIECE),
}
"""Every game of the collection that is not legal, with the ply and the rule."""

FOLDERS = (
    *("brazilian", "czech", "english", "frisian", "international", "italian", "russian"),
    *("odd", "other"),
)


def test_no_folder_of_the_collection_is_left_out(shared):
    root = shared / "data/pdn"
    assert {path.relative_to(root).parts[0] for path in root.rglob("*.pdn")} == set(FOLDERS)


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.slow
def test_real_games_are_legal_but_for_those_that_are_not(shared, folder):
    root = shared / "data/pdn"
    index = {one["file"]: one for one in json.loads((root / "index.json").read_text())["files"]}
    refused = {}
    for path in sorted((root / folder).glob("*.pdn")):
        name = f"{folder}/{path.name}"
        games = list(read_games(decode_pdn(path.read_bytes())))
        likely = likely_variant(games[:40])
        legal = 0
        for game in games:
            variant, _ = infer_variant(game, likely=likely)
            found = replay(game, variant)
            legal += bool(game.moves) and found.is_legal
            if found.problem is not None:
                refused[name, game.number] = (found.problem.ply, found.problem.rule)
                assert found.problem.text
        counted = index.get(name, {})
        if folder != "odd":
            # There the index takes a tag in a comment for a game, and two games for one.
            assert len(games) == counted["games"], name
        assert legal >= counted.get("replay_fully_legal", 0), name
    expected = {key: fault for key, fault in REFUSED.items() if key[0].startswith(f"{folder}/")}
    assert refused == expected
