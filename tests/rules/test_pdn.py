import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crownhead.rules.pdn import PdnGame, PdnSetup, decode_pdn, read_games


def games(text):
    return list(read_games(text))


def moves(text):
    return [[move.text for move in game.moves] for game in games(text)]


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ("1. 32-28 19-23 2. 28x19 14x23 *", ["32-28", "19-23", "28x19", "14x23"]),
        ("1.32-28 1/2-1/2", ["32-28"]),
        ("1... 20-24 2. 32-28 *", ["20-24", "32-28"]),
        ("1. ... 20-24 *", ["20-24"]),
        ("01. 06-11  11-16 *", ["06-11", "11-16"]),
        ("1. 32 - 28 18- 23 *", ["32 - 28", "18- 23"]),
        ("1. 3228 1823 2. 23x32 *", ["3228", "1823", "23x32"]),
        ("1. a3b4 c7:e5:g3 *", ["a3b4", "c7:e5:g3"]),
        ("1. 32-28! 19-23(?) 2. 28x19(!?!!!) $12 *", ["32-28", "19-23", "28x19"]),
        ("1. 15-24 27-20* {forced} 2. 4-8 *", ["15-24", "27-20", "4-8"]),
        ("1. 32-28 ( 1. 31-27 (1. 33-28 {deep)} 19-23) 18-22 ) 19-23 *", ["32-28", "19-23"]),
        ("1. 32-28 {18-22 was better} 19-23 *", ["32-28", "19-23"]),
        ("1. 32-28 {a {nested} comment} 19-23 *", ["32-28", "19-23"]),
        ("1. 32-28 {an { open brace} 19-23 {and} 2. 28x19 *", ["32-28", "19-23", "28x19"]),
        ("% a line comment 1. 31-26\n1. 32-28\n% 18-22\n19-23 *", ["32-28", "19-23"]),
        ("1. 47x36<42,29,14,31> *", ["47x36<42,29,14,31>"]),
        ("1. 32-28 18-23 2. - - 1-1", ["32-28", "18-23", "- -"]),
        ("1. 32-28 . 19-23 *", ["32-28", "19-23"]),
        ("32-28 19-23", ["32-28", "19-23"]),
    ],
)
def test_moves_in_every_hand(body, texts):
    (game,) = games(body)
    assert [move.text for move in game.moves] == texts
    assert game.problem is None


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("1. 32-28 1-0", "1-0"),
        ("1. 32-28 0-1 *", "0-1"),
        ("1. 32-28 2-0", "2-0"),
        ("1. 32-28 1-1", "1-1"),
        ("1. 32-28 0-0", "0-0"),
        ("1. 32-28 1 - 1", "1-1"),
        ("1. 32-28 1/2-1/2", "1/2-1/2"),
        ('[Result "2-0"]\n1. 32-28 *', "2-0"),
        ('[Result "4-6"]\n1. 32-28 4-6', "4-6"),
        ('[Result "1+ - 1-"]\n1. 32-28 *', "1+ - 1-"),
        ('[Risultato "1-0"]\n1. 21-17', "1-0"),
        ('[Result "*"]\n1. 32-28 1-18', "*"),
        ("1. 32-28", "*"),
    ],
)
def test_results(text, result):
    (game,) = games(text)
    assert game.result == result


def test_a_result_is_never_split_off_a_move():
    assert moves("1. 1-18 0-1") == [["1-18"]]


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ('[White "A"]', "White", "A"),
        ('[ White   "A" ]', "White", "A"),
        ('[White "say \\"hi\\""]', "White", 'say "hi"'),
        ('[White "say "hi" loudly"]', "White", 'say "hi" loudly'),
        ('[White ""]', "White", ""),
        ('[Bianco "Rossi"]', "White", "Rossi"),
        ('[P2 "B"]', "Black", "B"),
        ('[Setup "1"]', "SetUp", "1"),
        ('[White "A" ', "White", "A"),
    ],
)
def test_tags_as_people_write_them(line, name, value):
    (game,) = games(f"{line}\n1. 32-28 *")
    assert game.tag(name) == value
    assert [move.text for move in game.moves] == ["32-28"]


def test_a_tag_and_moves_on_one_line():
    assert moves('[White "A"] 32-28') == [["32-28"]]


def test_games_are_told_apart_with_and_without_tags():
    text = """[Event "a"]
[FEN "W:W31:B1"]

[Event "b"]
1. 32-28 1-0
[Event "c"]
1. 31-27 *
1. 33-28 *
"""
    found = games(text)
    assert [game.tag("Event") for game in found] == ["a", "b", "c", None]
    assert [len(game.moves) for game in found] == [0, 1, 1, 1]
    assert [game.number for game in found] == [1, 2, 3, 4]
    assert [game.line for game in found] == [1, 4, 6, 8]


def test_one_bad_game_does_not_hide_the_rest():
    text = """[Event "a"]
1. 32-28 rubbish 19-23 *

[Event "b"]
1. 32-28 (never closed 19-23

[Event "c"]
1. 31-27 *
"""
    first, second, third = games(text)
    assert first.problem is not None
    assert (first.problem.line, first.problem.column) == (2, 10)
    assert "rubbish" in first.problem.text
    assert [move.text for move in first.moves] == ["32-28"]
    assert second.problem is not None
    assert "not closed" in second.problem.text
    assert third.problem is None
    assert len(third.moves) == 1


def test_moves_after_the_result_are_a_problem():
    (game,) = games('[Event "a"]\n1. 32-28 1-0\n\n19-23 1-0\n')
    assert game.problem is not None
    assert game.problem.line == 4
    assert len(game.moves) == 1


def test_words_at_the_end_are_no_problem():
    (game,) = games("1. 32-28 19-23 White oversteps the time 0-1")
    assert game.problem is None
    assert len(game.moves) == 2


def test_comments_and_glyphs_stay_with_their_move():
    (game,) = games("{before} 1. 32-28! $1 {good} {[%clk 1:29:58]} 19-23 {reply} *")
    assert game.comment == "before"
    first, second = game.moves
    assert first.glyphs == ("!", "$1")
    assert first.comments == ("good", "[%clk 1:29:58]")
    assert second.comments == ("reply",)


def test_a_set_up_command_is_an_item_of_its_own():
    (game,) = games('1. 31-26 /FEN "B:W26:B1"/ {put right} 1-6 *')
    setup = game.items[1]
    assert isinstance(setup, PdnSetup)
    assert setup.fen == "B:W26:B1"
    assert setup.comments == ("put right",)


def test_lines_and_columns_are_those_of_the_file():
    (game,) = games('\n[Event "a"]\n\n1. 32-28\n   19-23 *')
    assert [(move.line, move.column) for move in game.moves] == [(4, 4), (5, 4)]


def test_a_file_may_come_line_by_line():
    text = '[Event "a"]\n1. 32-28 *\n[Event "b"]\n1. 31-27 *\n'
    assert list(read_games(iter(text.splitlines(keepends=True)))) == games(text)


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-8", "Сергей Ñandú"),
        ("utf-8-sig", "Сергей"),
        ("utf-16", "Сергей"),
        ("cp1251", "Сергей Фадеев"),
        ("cp1252", "Åke Señor Müller"),
        ("latin-1", "Åke"),
    ],
)
def test_encodings(encoding, name):
    assert decode_pdn(f'[White "{name}"]\r\n'.encode(encoding)) == f'[White "{name}"]\r\n'


@given(st.binary(max_size=400))
def test_any_bytes_are_decoded(data):
    assert isinstance(decode_pdn(data), str)


@pytest.mark.parametrize("word", ["1-0 ", "* ", "1-0", "{", "}", "(", ")", "1. ", "%\n", "[", "x"])
def test_a_long_file_of_one_thing_takes_no_time(word):
    # Quadratic reading would take minutes here.
    assert len(games(word * 60_000)) <= 1


def test_blanks_of_all_kinds_are_blank():
    assert games("\u00a0\u2003\f\n") == []
    assert moves("1. 32-28\u00a019-23\x0c2. 28x19 *") == [["32-28", "19-23", "28x19"]]


@given(st.one_of(st.text(), st.text(alphabet='[]{}()"*%/$.-x:!?\n 0123456789abFENWB\\')))
@example("\u00a0")
@example("{" * 3000)
@example("(" * 3000)
@example("[A " * 300)
@example('[A "' + "\\" * 3001)
@example("1-" * 2000)
def test_any_text_is_read_without_a_crash(text):
    for number, game in enumerate(read_games(text), 1):
        assert isinstance(game, PdnGame)
        assert game.number == number
        assert game.line >= 1
