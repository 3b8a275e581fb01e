"""Every reader takes what is written or refuses it with one of its own errors.

Texts are made from good ones by cutting, doubling and mixing in pieces of others, which comes
farther than letters at random; those have their tests beside each reader's own.
"""

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crownhead.rules.errors import RulesError, UnreadableVariant
from crownhead.rules.fen import format_fen, parse_fen
from crownhead.rules.generator import legal_moves
from crownhead.rules.notation import format_move, parse_move, result_of
from crownhead.rules.pdn import decode_pdn, read_games
from crownhead.rules.position import Position
from crownhead.rules.replay import infer_variant, replay
from crownhead.rules.variant import VARIANTS, DrawKind, Variant
from crownhead.rules.variant_file import read_variant, variant_from_toml
from tests.rules.strategies import played_positions, variants

DRAW = f'draws = [{{ kind = "{DrawKind.REPETITION.value}", limit = 3 }}]'
TOML = (
    'name = "mine"\nlike = "international"\nsize = 8\nrows = 3\n',
    f'name = "mine"\n{DRAW}\nkings = "short"\npriority = "most pieces"\n',
    'name = "mine"\nlike = "turkish"\nrows_behind = 0\nabout_turns = true # a note\n',
    'name = "mine"\nlike = "frisian"\nking_moves_limit = 0\nprotocol = "hk100"\n',
)
PDN = (
    '[Event "x"]\n[GameType "20"]\n\n1. 32-28 19-23 2. 28x19 14x23 {a {b} c} (2... 13x24) 2-0\n',
    '[FEN "W:W31:B20"]\n\n1. 31-27 $3 /FEN "B:W27:B20"/ 1... 20-24! [%clk 1:00] *\n',
    "1. c3-d4 b6-a5 2. d4-c5 1/2-1/2\n% a line\n1. 11-15 22-18\n2. 15x22 *",
)


@st.composite
def mangled(draw, texts):
    """A text of a few pieces of good ones, with signs of the same kind between them."""
    signs = st.text("".join(sorted(set("".join(texts)))), max_size=4)
    pieces = []
    for _ in range(draw(st.integers(1, 4))):
        text = draw(st.sampled_from(texts))
        first = draw(st.integers(0, len(text)))
        pieces += [text[first : draw(st.integers(first, len(text)))], draw(signs)]
    return "".join(pieces)


KEYS = (*(field.name for field in fields(Variant)), "like", "sise")
GOOD = sorted(
    {
        str(value)
        for variant in VARIANTS.values()
        for value in (getattr(variant, key, None) for key in KEYS)
        if isinstance(value, str)
    }
)
VALUES = st.one_of(
    st.sampled_from(GOOD).map(lambda text: f'"{text}"'),
    st.integers(-2, 14).map(str),
    st.sampled_from(
        ["true", "false", "[]", "[[]]", "{}", '""', "1e9", "nan", "2026-12-01", "1" * 99]
    ),
    st.sampled_from(
        ["[{ limit = 1 }]", '[{ kind = "x" }]', '{ kind = "x", limit = [] }', "[1, 'a']"]
    ),
)
LINES = st.tuples(st.sampled_from(KEYS), VALUES).map(" = ".join)
TABLES = st.lists(LINES, max_size=6, unique_by=lambda line: line.split()[0]).map("\n".join)


@settings(max_examples=300)
@given(st.one_of(st.text(), mangled(TOML), TABLES.map('name = "mine"\n'.__add__)), st.data())
def test_any_toml_is_a_game_that_can_be_played_or_refused(text, data):
    try:
        variant = variant_from_toml(text)
    except UnreadableVariant:
        return
    position = data.draw(played_positions(variant, most_plies=8))
    assert parse_fen(format_fen(position, variant), variant) == position
    for move in legal_moves(variant, position):
        read = parse_move(variant, position, format_move(variant, position, move))
        assert result_of(read) == result_of(move)


@settings(max_examples=300)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_variant_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("fuzz") / "mine.toml"
    path.write_bytes(data)
    with pytest.raises(UnreadableVariant):
        read_variant(path)


@st.composite
def fens(draw):
    """Positions of one game, read by the rules of another, cut and mixed."""
    variant = draw(variants)
    texts = [format_fen(draw(played_positions(variant, most_plies=12)), variant) for _ in range(2)]
    return draw(mangled(texts))


@settings(max_examples=300)
@given(variants, fens())
def test_any_position_is_read_or_refused(variant, text):
    try:
        position = parse_fen(text, variant)
    except RulesError:
        return
    assert isinstance(position, Position)
    assert parse_fen(format_fen(position, variant), variant) == position


@settings(max_examples=300)
@given(variants, st.data())
def test_any_move_is_legal_or_refused(variant, data):
    position = data.draw(played_positions(variant, most_plies=12))
    legal = legal_moves(variant, position)
    texts = [format_move(variant, position, move) for move in legal] or ["32-28"]
    try:
        move = parse_move(variant, position, data.draw(mangled(texts)))
    except RulesError:
        return
    assert move in legal


@settings(max_examples=300)
@given(mangled(PDN))
def test_any_file_is_read_and_played_as_far_as_it_goes(text):
    games = list(read_games(decode_pdn(text.encode())))
    assert [game.number for game in games] == list(range(1, len(games) + 1))
    for game in games:
        assert 1 <= game.line <= text.count("\n") + 1
        variant, _ = infer_variant(game)
        found = replay(game, variant)
        assert found.is_legal or found.problem.text
        assert len(found.positions) == len(found.moves) + 1
