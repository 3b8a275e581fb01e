from pathlib import Path

import pytest

from crownhead.frames import Kind, SourceInfo
from crownhead.game_options import ConflictingOptions, GameOptions, eye_for

INFO = SourceInfo("film.mp4", Kind.FILM, 12.0, 100, 640, 480)


def test_a_game_on_all_squares_is_refused_for_a_camera() -> None:
    with pytest.raises(ConflictingOptions, match="played on all squares"):
        eye_for(INFO, GameOptions("turkish"))


def test_a_variant_from_a_file_is_refused_for_a_camera(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('like = "international"\nname = "mine"\n')
    with pytest.raises(ConflictingOptions, match="legal, perft, check, judge and suggest"):
        eye_for(INFO, GameOptions(str(file)))


def test_every_other_variant_can_be_watched() -> None:
    assert eye_for(INFO, GameOptions("thai")).session.variant.name == "thai"
