import pytest
from hypothesis import given
from hypothesis import strategies as st

from crownhead.rules.errors import UnreadableGame
from crownhead.rules.fen import parse_fen
from crownhead.rules.generator import distinct_moves, play
from crownhead.rules.notation import format_move
from crownhead.rules.pdn import read_games
from crownhead.rules.pdn_writer import WrittenPly, WrittenSetup, format_game
from crownhead.rules.replay import infer_variant, replay
from crownhead.rules.variant import VARIANTS, start_position
from tests.rules.strategies import positions, variants

ENGLISH = VARIANTS["english"]


def plies(variant, *texts):
    from crownhead.rules.notation import parse_move

    position, found = start_position(variant), []
    for text in texts:
        position = play(variant, position, parse_move(variant, position, text))
        found.append(WrittenPly(text, position))
    return found


def test_a_game_as_the_standard_wants_it():
    text = format_game(
        ENGLISH,
        plies(ENGLISH, "11-15", "23-18", "8-11"),
        tags={"White": "A", "Event": "Club", "Annotator": "B"},
        result="1/2-1/2",
    )
    assert text == (
        '[Event "Club"]\n[White "A"]\n[Result "1/2-1/2"]\n[GameType "21,B,8,8,N1,0"]\n'
        '[Annotator "B"]\n\n1. 11-15 23-18 2. 8-11 *\n'
    )


def test_another_start_is_told_and_the_other_side_may_begin():
    start = parse_fen("W:W22,25:B17", ENGLISH)
    text = format_game(ENGLISH, [WrittenPly("22x13", start)], start=start)
    assert '[SetUp "1"]\n[FEN "W:W22,25:B17"]\n' in text
    assert "\n1... 22x13 *\n" in text


def test_an_illegal_move_that_stood_is_a_set_up_command_with_a_comment():
    stood = parse_fen("W:W21-32:B1-10,12,19", ENGLISH)
    text = format_game(
        ENGLISH, [WrittenPly("11-19", stood, legal=False, comment="too far, let stand")]
    )
    assert '/FEN "W:W21-32:B1-10,12,19"/' in text
    assert "{too far, let stand}" in " ".join(text.split())
    assert "11-19" not in text.split("]")[-1]


def test_braces_and_quotes_do_not_break_out():
    text = format_game(
        ENGLISH,
        [WrittenPly("11-15", start_position(ENGLISH), comment="a } b { c")],
        tags={"White": 'the "A" \\', "Event": "two\nlines"},
    )
    (game,) = read_games(text)
    assert game.tag("White") == 'the "A" \\'
    assert game.tag("Event") == "two lines"
    assert game.moves[0].comments == ("a ) b ( c",)


@pytest.mark.parametrize("name", ["white", "Wh ite", "", "White]", "Ä"])
def test_a_name_that_is_no_tag_is_refused(name):
    with pytest.raises(UnreadableGame):
        format_game(ENGLISH, [], tags={name: "x"})


@st.composite
def written_games(draw):
    """A variant, a start, entries of every kind, and the last position."""
    variant = draw(variants)
    start = draw(positions(variant))
    position, entries = start, []
    for kind in draw(st.lists(st.sampled_from(["move", "move", "illegal", "setup"]), max_size=30)):
        comment = draw(st.sampled_from(["", "", "a word", "1. 32-28 {odd} *"]))
        moves = distinct_moves(variant, position)
        if kind == "setup":
            position = draw(positions(variant))
            entries.append(WrittenSetup(position, comment))
        elif moves and kind == "move":
            move = draw(st.sampled_from(moves))
            text = format_move(variant, position, move)
            position = play(variant, position, move)
            entries.append(WrittenPly(text, position, True, comment))
        elif kind == "illegal":
            position = draw(positions(variant))
            entries.append(WrittenPly("1-2", position, False, comment))
    return variant, start, entries, position


@given(written_games(), st.text(), st.sampled_from(["1-0", "2-0", "1-1", "*", "1/2-1/2"]))
def test_what_is_written_is_read_back(written, name, result):
    variant, start, entries, last = written
    text = format_game(variant, entries, tags={"White": name}, result=result, start=start)
    games = list(read_games(text))
    assert len(games) == 1
    (game,) = games
    assert game.problem is None
    assert game.result == result
    assert game.tag("White") == " ".join(name.split())
    found = replay(game, variant)
    assert found.is_legal
    assert found.positions[-1] == last
    assert len(found.moves) == sum(isinstance(e, WrittenPly) and e.legal for e in entries)
    assert infer_variant(game)[0].game_type == variant.game_type
