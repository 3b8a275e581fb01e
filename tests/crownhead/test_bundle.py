import json
import random
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from crownhead.bundle import UnreadableBundle, read_bundle, run_again, story
from crownhead.cli import run
from crownhead.errors import CrownheadError

SAMPLE = Path(__file__).parents[2] / "crownhead" / "samples" / "russian-take-back.mp4"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bundle") / "game.zip"
    assert run(["bundle", str(SAMPLE), "--variant", "russian", "--out", str(path)]) == 0
    return path


def rewritten(saved: Path, path: Path, change: object) -> Path:
    """Copy a bundle with its index changed."""
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            body = source.read(name)
            if name == "bundle.json":
                index = json.loads(body)
                change(index)
                body = json.dumps(index).encode()
            target.writestr(name, body)
    return path


def test_a_bundle_tells_the_story_of_its_film_and_tells_it_again(saved: Path, capsys) -> None:
    assert run(["replay", str(saved), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["same"] is True
    assert [line for line in document["now"] if line[0].isdigit()] == [
        "1. a3-b4", "2. f6-g5", "3. e3-d4", "4. b6-c5", "5. d4:b6", "6. a7:a3",
        "7. g3-f4", "8. g5:e3", "9. d2:f4", "10. g7-f6", "11. c1-d2", "12. a3:g5",
    ]  # fmt: skip
    assert "incident 1 illegal-move too-far b2-d4" in document["now"]
    assert run_again(read_bundle(saved)) == read_bundle(saved).events, "to the last digit"


def test_frames_in_which_nothing_happens_are_left_out(saved: Path) -> None:
    bundle = read_bundle(saved)
    indexes = [index for index, _, _ in bundle.frames]
    assert indexes == sorted(set(indexes))
    assert len(indexes) < 0.7 * (bundle.info.count or 0)


def test_another_story_is_told_apart(saved: Path, tmp_path: Path, capsys) -> None:
    def change(index: dict) -> None:
        move = next(e for e in index["events"] if e["type"] == "MovePlayed")
        move["move"] = "a1-h8"

    path = rewritten(saved, tmp_path / "other.zip", change)
    assert run(["replay", str(path)]) == 1
    assert "-1. a1-h8" in capsys.readouterr().out


def test_watch_saves_a_bundle_of_what_it_saw(tmp_path: Path, capsys) -> None:
    path = tmp_path / "live.zip"
    options = ["--variant", "russian", "--once", "--fast", "--data", str(tmp_path / "data")]
    options += ["--listen", "127.0.0.1:0", "--bundle", str(path)]
    assert run(["watch", "--camera", str(SAMPLE), *options]) == 0
    assert len([line for line in story(read_bundle(path).events) if line[0].isdigit()]) == 12
    assert run(["replay", str(path)]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    "change",
    [
        lambda index: index.update(format=99),
        lambda index: index.pop("options"),
        lambda index: index["options"].update(castling=True),
        lambda index: index["source"].update(kind="dream"),
        lambda index: index.update(frames=[[1]]),
        lambda index: index["events"][0].update(type="Miracle"),
    ],
)
def test_what_is_no_bundle_is_told_in_a_sentence(saved: Path, tmp_path: Path, change) -> None:
    with pytest.raises(UnreadableBundle):
        read_bundle(rewritten(saved, tmp_path / "bad.zip", change))


def test_damage_is_told_and_never_crashes(saved: Path, tmp_path: Path) -> None:
    body = saved.read_bytes()
    chance = random.Random(4)
    path = tmp_path / "damaged.zip"
    for _ in range(40):
        damaged = bytearray(body)
        for _ in range(3):
            # Most of a bundle is pictures; its directory is at the end.
            at = chance.randrange(len(body) - 60_000, len(body))
            damaged[at] = chance.randrange(256)
        path.write_bytes(damaged[: len(body) - chance.choice([0, 0, 1, 50, 5000])])
        with suppress(CrownheadError):
            read_bundle(path)
