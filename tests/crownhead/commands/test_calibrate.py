import json
from pathlib import Path

import pytest

from crownhead.cli import run

SAMPLE = str(Path(__file__).parents[3] / "crownhead" / "samples" / "russian-take-back.mp4")


def test_a_profile_of_a_film_leads_to_the_same_score(tmp_path: Path, capsys):
    profile = tmp_path / "board.toml"
    drawn = tmp_path / "board.png"
    options = ["--out", str(profile), "--draw", str(drawn), "--json"]
    assert run(["calibrate", SAMPLE, *options]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["by"], document["size"]) == ("the board finder", 8)
    assert drawn.stat().st_size > 10_000
    scores = []
    for extra in ([], ["--profile", str(profile)]):
        assert run(["transcribe", SAMPLE, "--variant", "russian", "--json", *extra]) == 0
        moves = json.loads(capsys.readouterr().out)["moves"]
        scores.append([move["move"] for move in moves])
    assert scores[0] == scores[1]
    assert len(scores[0]) == 12


def test_corners_by_hand_are_fitted_to_the_picture(tmp_path: Path, capsys):
    assert run(["calibrate", SAMPLE, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["corners"]
    rough = " ".join(f"{x + 4},{y - 3}" for x, y in found)
    assert run(["calibrate", SAMPLE, "--json", "--size", "8", "--corners", rough]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["by"] == "the corners given"
    for (x, y), (u, v) in zip(found, document["corners"], strict=True):
        # A thirtieth of a square.
        assert abs(x - u) < 1.5
        assert abs(y - v) < 1.5


def test_a_sheet_of_markers_needs_no_source(tmp_path: Path, capsys):
    sheet = tmp_path / "sheet.svg"
    assert run(["calibrate", "--markers", str(sheet)]) == 0
    assert sheet.read_text(encoding="utf-8").startswith("<svg")
    assert "full size" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "SOURCE"),
        ([SAMPLE, "--corners", "1,2 3,4"], "--size"),
        ([SAMPLE, "--size", "8", "--corners", "one two"], "corners look like"),
        ([SAMPLE, "--size", "8", "--corners", "1,1 2,2 3,3 4,4"], "corners"),
        ([SAMPLE, "--out", "/nowhere/at/all/p.toml"], "cannot be written"),
    ],
)
def test_wrong_words_are_told(arguments, words, capsys):
    assert run(["calibrate", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_profile_of_another_board_is_refused(tmp_path: Path, capsys):
    profile = tmp_path / "board.toml"
    assert run(["calibrate", SAMPLE, "--out", str(profile)]) == 0
    options = ["--variant", "international", "--profile", str(profile)]
    assert run(["transcribe", SAMPLE, *options]) == 2
    assert "8x8" in capsys.readouterr().err
