import pytest

from crownhead.rules.errors import UnreadableVariant
from crownhead.rules.generator import perft
from crownhead.rules.variant import VARIANTS, start_position, variant_named
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
    ],
)
def test_what_is_wrong_is_said(text, message):
    with pytest.raises(UnreadableVariant, match=message):
        variant_from_toml(text)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(UnreadableVariant, match="cannot be read"):
        variant_named(str(tmp_path / "none.toml"))
