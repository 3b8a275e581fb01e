"""Whole clips with exact truth, and the same clips as folders of stills."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import pytest
from click.testing import CliRunner

from crownhead.cli import cli

CLIPS = ("dev_english_overhead", "dev_international_oblique", "dev_russian_takeback")


@pytest.fixture(scope="module")
def scorer(shared: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_clip", shared / "tools/score_clip.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def transcribed(source: Path, variant: str, *options: str) -> dict[str, Any]:
    done = CliRunner().invoke(
        cli, ["transcribe", str(source), "--variant", variant, "--json", *options]
    )
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLIPS)
def test_a_filmed_game_becomes_its_score(name: str, shared: Path, scorer: ModuleType):
    truth = json.loads((shared / f"data/clips/{name}.json").read_text())
    out = transcribed(shared / f"data/clips/{name}.mp4", truth["variant"])
    figures, missed, invented = scorer.score(truth, out)
    assert (missed, invented) == ([], [])
    assert figures["clean"]
    assert figures["accused_falsely"] == 0
    assert figures["caught"] == figures["named"] == figures["settled"] == figures["illegal"]
    assert figures["corner_error"] < 0.05
    assert out["white_side"] == truth["white_side"]
    assert out["frames"] == truth["frames"]


@pytest.mark.slow
def test_a_folder_of_stills_is_read_picture_by_picture(
    shared: Path, scorer: ModuleType, tmp_path: Path
):
    truth = json.loads((shared / "data/clips/dev_russian_takeback.json").read_text())
    wanted = {p["clear"][0] + 2 for p in truth["positions"] if p.get("clear")}
    film = cv2.VideoCapture(str(shared / "data/clips/dev_russian_takeback.mp4"))
    for k in range(max(wanted) + 1):
        _, image = film.read()
        if k in wanted:
            cv2.imwrite(str(tmp_path / f"{k:05}.jpg"), image)
    out = transcribed(tmp_path, "russian")
    assert out["frames"] == len(wanted)
    ends = [tuple(m["move"].replace(":", "-").split("-")) for m in out["moves"]]
    wanted_ends = [
        m["algebraic"].replace(":", "-").split("-") for m in truth["moves"] if m["legal"]
    ]
    assert ends == [(squares[0], squares[-1]) for squares in wanted_ends]
    (incident,) = out["incidents"]
    assert (incident["rule"], incident["resolution"]) == ("too-far", "taken-back")


@pytest.mark.slow
def test_score_and_events_go_to_files(shared: Path, tmp_path: Path):
    source = shared / "data/clips/dev_russian_takeback.mp4"
    pdn, events = tmp_path / "game.pdn", tmp_path / "events.jsonl"
    out = transcribed(source, "russian", "--pdn", str(pdn), "--events", str(events))
    checked = CliRunner().invoke(cli, ["check", str(pdn), "--json"])
    assert checked.exit_code == 0, checked.output
    game = json.loads(checked.stdout)
    assert game["plies"] == len(out["moves"])
    kinds = [json.loads(line)["type"] for line in events.read_text().splitlines()]
    assert kinds[0] == "GameStarted"
    assert kinds.count("MovePlayed") == len(out["moves"])
