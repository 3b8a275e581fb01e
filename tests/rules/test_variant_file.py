import pytest

from crownhead.rules.ending import counts
from crownhead.rules.errors import UnreadableVariant
from crownhead.rules.generator import perft
from crownhead.rules.variant import VARIANTS, DrawKind, DrawRule, start_position, variant_named
from crownhead.rules.variant_file import variant_from_toml


def test_a_file_is_taken_where_a_name_is(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nlike = "international"\nsize = 8\nrows = 3\n')
    mine = variant_named(str(path))
    assert mine.name == "mine"
    assert perft(mine, start_position(mine), 5) == perft(
        VARIANTS["brazilian"], start_position(VARIANTS["brazilian"]), 5
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name", "not TOML"),
        ("size = 8", "name must be"),
        ('name = "english"', "is taken"),
        ('name = "m"\nlike = "enlish"', "did you mean 'english'"),
        ('name = "m"\nsise = 8', "no parameter 'sise'; did you mean 'size'"),
        ('name = "m"\nsize = 99', "size must be a whole number from 4 to 12"),
        ('name = "m"\nsize = true', "size must be a whole number"),
        ('name = "m"\nsize = 9', "must be even"),
        ('name = "m"\nrows = 4', "no row free"),
        ('name = "m"\nkings = "flyin"', "did you mean 'flying'"),
        ('name = "m"\nkings = []', "kings = .. is none of"),
        ('name = "m"\nmen_capture_back = 1', "true or false"),
        ('name = "m"\nlines = "rows and columns"', "all squares are played on"),
        ('name = "m"\ndraws = 3', "draws must be tables"),
        ('name = "m"\nprotocol = "none"', "protocol must be one of"),
        ('name = "m"\nking_moves_limit = -1', "king_moves_limit must be a whole number from 0"),
        ('name = "m"\nking_moves_limit = "three"', "king_moves_limit must be a whole number"),
        (
            'name = "m"\ndraws = [{ kind = "moves with two kings against one kin", limit = 7 }]',
            "did you mean 'moves with two kings against one king'",
        ),
        (
            'name = "m"\ndraws = [{ kind = "moves with two kings against one king" }]',
            "limit is 1 to 1000",
        ),
        (
            'name = "m"\nlike = "turkish"\ndraws = [{ kind = "moves with three pieces, a king '
            'among them, against one king on the main road", limit = 5 }]',
            "the main road is a diagonal",
        ),
    ],
)
def test_what_is_wrong_is_said(text, message):
    with pytest.raises(UnreadableVariant, match=message):
        variant_from_toml(text)


def test_every_draw_rule_and_the_limit_on_kings_can_be_stated():
    rules = ", ".join(f'{{ kind = "{kind.value}", limit = 9 }}' for kind in DrawKind)
    mine = variant_from_toml(
        f'name = "m"\nlike = "english"\nking_moves_limit = 2\ndraws = [{rules}]'
    )
    assert mine.king_moves_limit == 2
    assert mine.draws == tuple(DrawRule(kind, 9) for kind in DrawKind)
    assert [count.so_far for count in counts(mine, [start_position(mine)])] == [
        int(kind is DrawKind.REPETITION) for kind in DrawKind
    ]


def test_a_limit_taken_over_can_be_lifted():
    mine = variant_from_toml('name = "m"\nlike = "frisian"\nking_moves_limit = 0')
    assert (VARIANTS["frisian"].king_moves_limit, mine.king_moves_limit) == (3, 0)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(UnreadableVariant, match="cannot be read"):
        variant_named(str(tmp_path / "none.toml"))
