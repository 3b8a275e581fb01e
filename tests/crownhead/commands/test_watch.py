import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import cv2
import numpy as np
import pytest

from crownhead.rules.pdn import read_games
from crownhead.watching import BadListen, parse_listen, source_name

SCRIPTED = [sys.executable, str(Path(__file__).parents[1] / "scripted_watch.py")]
WATCH = [sys.executable, "-m", "crownhead", "watch", "--variant", "international"]


@pytest.fixture
def film(tmp_path: Path) -> Path:
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 100.0, (32, 32))
    for number in range(150):
        writer.write(np.full((32, 32, 3), number, np.uint8))
    writer.release()
    return path


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*WATCH, *map(str, arguments)], capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1:8000", ("127.0.0.1", 8000)),
        (":80", ("127.0.0.1", 80)),
        ("8080", ("127.0.0.1", 8080)),
        ("[::1]:9", ("::1", 9)),
        ("board.local:0", ("board.local", 0)),
    ],
)
def test_the_address_of_the_page(text: str, expected: tuple[str, int]) -> None:
    assert parse_listen(text) == expected


@pytest.mark.parametrize("text", ["", "localhost", "localhost:", "x:65536", "x:-1", "x:٣"])
def test_an_address_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadListen, match="HOST:PORT"):
        parse_listen(text)


def test_a_film_is_known_by_its_full_path_and_a_camera_by_its_number(
    film: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(film.parent)
    assert source_name("film.avi") == source_name(str(film)) == str(film.resolve())
    assert source_name("0") == "0"


def test_a_port_in_use_is_a_device_error(film: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = run("--camera", film, "--data", tmp_path / "data", "--listen", address)
    assert done.returncode == 3
    assert "another program listens at" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--variant", "chess"], 2, "chess"),
        (["--listen", "nowhere"], 2, "HOST:PORT"),
        (["--camera", "gone.mp4"], 2, "gone.mp4 is not there"),
        (["--leds", "nosuch://port"], 3, "nosuch"),
        (["--pdn", "no-such-folder/game.pdn"], 2, "there is no folder no-such-folder"),
    ],
)
def test_wrong_words_are_told_in_one_sentence(
    film: Path, tmp_path: Path, arguments: list[str], code: int, words: str
) -> None:
    here = ["--camera", film, "--data", tmp_path / "data", "--listen", "127.0.0.1:0", "--once"]
    done = run(*here, *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_film_without_a_board_says_so(film: Path, tmp_path: Path) -> None:
    done = run(
        "--camera", film, "--data", tmp_path / "d", "--listen", "127.0.0.1:0", "--once", "--fast"
    )
    assert done.returncode == 2
    assert "no 10x10 board was found" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_the_page_outlives_the_film_and_shows_what_was_recorded(film: Path, tmp_path: Path) -> None:
    child = subprocess.Popen(
        [*SCRIPTED, str(film), str(tmp_path / "data"), "--fast", "--stay"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    lines = [json.loads(child.stdout.readline())]
    while lines[-1]["type"] != "GameEnded":
        lines.append(json.loads(child.stdout.readline()))
    url = re.search(r"http://\S+", child.stderr.readline())
    assert url is not None
    with urllib.request.urlopen(f"{url[0]}state", timeout=10) as answer:
        state = json.load(answer)
    with urllib.request.urlopen(f"{url[0]}game.pdn", timeout=10) as answer:
        (game,) = read_games(answer.read().decode())
    with urllib.request.urlopen(f"{url[0]}frame.jpg", timeout=10) as answer:
        assert answer.read(2) == b"\xff\xd8"
    request = urllib.request.Request(
        f"{url[0]}hint", method="POST", headers={"Origin": url[0].rstrip("/")}
    )
    began_s = time.monotonic()
    with urllib.request.urlopen(request, timeout=10) as answer:
        hint = json.load(answer)
    assert time.monotonic() - began_s < 2.5  # thinks for 0.8 s; the rest is for slow machines
    child.send_signal(signal.SIGTERM)
    assert child.wait(10) == 0
    child.stdout.close()
    child.stderr.close()

    played = [line["move"] for line in lines if line["type"] == "MovePlayed"]
    assert len(played) == 18
    assert [move["move"] for move in state["moves"]] == played
    assert [move.text for move in game.moves] == played
    assert state["banner"]["level"] == "over"
    assert hint["text"].endswith(f"could play {hint['move']}.")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo terminals here")
def test_a_port_that_goes_away_does_not_stop_the_game(film: Path, tmp_path: Path) -> None:
    controller, port = pty.openpty()
    name = os.ttyname(port)
    os.close(port)
    os.close(controller)
    child = [sys.executable, "-c", LEDS, str(film), str(tmp_path / "data"), name]
    done = subprocess.run(child, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 10


LEDS = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from pathlib import Path
from scripted_watch import VARIANT, make_eye
from crownhead.watching import WatchOptions, run_watch
film, data, leds = sys.argv[1:]
options = WatchOptions(film, VARIANT.name, "127.0.0.1:0", leds, Path(data), once=True)
sys.exit(run_watch(options, make_eye))
"""
