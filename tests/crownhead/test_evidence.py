import hashlib
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from crownhead.cli import run
from crownhead.errors import CrownheadError, DeviceError
from crownhead.events import IncidentKind, IncidentOpened, MovePlayed
from crownhead.evidence import Difference, EvidenceFolder, Exhibit, Still

SAMPLE = Path(__file__).parents[2] / "crownhead" / "samples" / "russian-take-back.mp4"


def still(frame: int, level: int) -> Still:
    image = np.full((60, 80, 3), level, np.uint8)
    image[::2, ::3] = np.random.default_rng(frame).integers(0, 255, (30, 27, 3), np.uint8)
    return Still(frame, frame / 10, image)


def exhibit(frame: int) -> Exhibit:
    move = MovePlayed(frame, frame / 10, 1, "white", "c3-d4", "B:W18:B1", 0.99, (22, 18))
    changed = (Difference(22, "w", ".", 31.0), Difference(18, ".", "w", 28.004))
    return Exhibit(move, still(frame - 5, 90), still(frame, 140), changed)


def entries(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "evidence.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evidence")
    options = ["--variant", "russian", "--evidence", str(folder), "--json"]
    assert run(["transcribe", str(SAMPLE), *options]) == 0
    return folder


def test_every_verdict_of_a_film_has_the_board_before_and_after(filmed: Path) -> None:
    kinds = [entry["event"]["type"] for entry in entries(filmed)]
    assert kinds.count("MovePlayed") == 12
    assert kinds.count("IncidentOpened") == kinds.count("IncidentResolved") == 1
    for entry in entries(filmed):
        for name in ("before", "after"):
            body = (filmed / entry[name]["file"]).read_bytes()
            assert hashlib.sha256(body).hexdigest() == entry[name]["sha256"]
            assert cv2.imdecode(np.frombuffer(body, np.uint8), cv2.IMREAD_COLOR) is not None
        assert entry["before"]["frame"] < entry["after"]["frame"] == entry["event"]["frame"]


def test_the_squares_that_differ_are_those_of_the_move(filmed: Path) -> None:
    for entry in entries(filmed):
        event = entry["event"]
        if event["type"] == "MovePlayed":
            path, captured = event["path"], event["captured"]
            changed = {d["square"]: d["holds"] for d in entry["differences"]}
            assert set(changed) == {path[0], path[-1], *captured}
            assert changed[path[-1]] == event["side"][0]
            assert all(d["support"] > 3 for d in entry["differences"])


def test_a_folder_is_added_to(tmp_path: Path) -> None:
    EvidenceFolder(tmp_path).put(exhibit(10))
    EvidenceFolder(tmp_path).put(exhibit(20))
    assert [entry["number"] for entry in entries(tmp_path)] == [1, 2]
    assert entries(tmp_path)[1]["differences"] == [
        {"square": 22, "was": "w", "holds": ".", "support": 31.0},
        {"square": 18, "was": ".", "holds": "w", "support": 28.0},
    ]


def test_the_oldest_pictures_go_when_the_folder_is_full(tmp_path: Path) -> None:
    folder = EvidenceFolder(tmp_path, cap_mb=0.03)
    for frame in range(10, 200, 10):
        folder.put(exhibit(frame))
        pictures = sorted(tmp_path.glob("*.webp"))
        assert sum(path.stat().st_size for path in pictures) <= 30_000 or len(pictures) == 2
    assert pictures[0].name > "000002"
    assert pictures[-1].name.startswith("000019")
    assert len(entries(tmp_path)) == 19


def test_a_first_verdict_has_no_view_before_it(tmp_path: Path) -> None:
    opened = IncidentOpened(3, 0.3, 1, IncidentKind.UNREADABLE, "Some squares cannot be read.")
    EvidenceFolder(tmp_path).put(Exhibit(opened, None, still(3, 90), ()))
    assert entries(tmp_path)[0]["before"] is None


def test_a_place_where_no_folder_can_be_is_told(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(CrownheadError, match="is a file"):
        EvidenceFolder(file)
    with pytest.raises(DeviceError, match="cannot be written"):
        EvidenceFolder(file / "folder")
