"""`watch` is killed in the middle of a film, again and again, and nothing is lost."""

import json
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from crownhead.events import as_json
from crownhead.record import Record
from crownhead.store import open_store

SCRIPTED = [sys.executable, str(Path(__file__).with_name("scripted_watch.py"))]
SAMPLE = Path(__file__).parents[2] / "crownhead" / "samples" / "russian-take-back.mp4"


@dataclass
class Run:
    """A child that watches; what it prints is what it has acknowledged."""

    command: list[str]
    acknowledged: list[dict[str, Any]] = field(default_factory=list)
    errors: str = ""

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.has_begun = threading.Event()
        self._readers = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def end(self, number: signal.Signals | None = None, *, timeout_s: float = 120.0) -> int:
        """Send a signal, or none, and wait for the end; return the exit code."""
        if number is not None:
            self.process.send_signal(number)
        code = self.process.wait(timeout_s)
        for reader in self._readers:
            reader.join(10)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            # A line without its end was cut by the kill: it was never acknowledged.
            if line.endswith("\n"):
                self.acknowledged.append(json.loads(line))
                self.has_begun.set()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()


def stored(data: Path) -> list[dict[str, Any]]:
    """Return all events of the only game, in the form that the command prints."""
    with open_store(data) as store:
        assert store.verify() == ()
        games = store.games()
        assert len(games) == 1
        return [json.loads(json.dumps(as_json(event))) for event in games[0].events]


def record(data: Path) -> Record:
    with open_store(data) as store:
        return store.games()[0].record


def is_in_order(part: list[dict[str, Any]], whole: list[dict[str, Any]]) -> bool:
    """Return whether all of ``part`` is found in ``whole``, in the same order."""
    rest = iter(whole)
    return all(event in rest for event in part)


def film_of(path: Path, frames: int) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 100.0, (32, 32))
    for number in range(frames):
        writer.write(np.full((32, 32, 3), number % 256, np.uint8))
    writer.release()
    return path


def kill_often(
    command: list[str], data: Path, kills: int, longest_s: float, rng: random.Random
) -> int:
    """Start and kill a run so many times; after each, what it acknowledged must be stored.

    Returns:
        How many were killed: fewer if the film was over before, and with it the game.
    """
    acknowledged: list[dict[str, Any]] = []
    for killed in range(1, kills + 1):
        run = Run(command)
        # From the first event on, since before it there is nothing to lose.
        assert run.has_begun.wait(60), run.errors
        time.sleep(rng.uniform(0, longest_s))
        code = run.end(signal.SIGKILL)
        acknowledged += run.acknowledged
        assert is_in_order(acknowledged, stored(data))
        if code == 0:
            return killed - 1
        assert code == -signal.SIGKILL, run.errors
        # Killed between the last event and its own end: the next run would begin a new game.
        if record(data).end is not None:
            return killed
    return kills


@pytest.mark.slow
def test_no_acknowledged_event_is_lost_and_the_game_goes_on(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    film = film_of(tmp_path / "film.avi", 1000)
    assert Run([*SCRIPTED, str(film), str(whole), "--fast"]).end() == 0
    data = tmp_path / "killed"
    killed = kill_often(
        [*SCRIPTED, str(film), str(data)], data, kills=10, longest_s=0.5, rng=random.Random(1)
    )
    assert killed == 10
    assert 8 < len(record(data).moves) < len(record(whole).moves)
    assert Run([*SCRIPTED, str(film), str(data), "--fast"]).end() == 0
    assert record(data).moves == record(whole).moves
    assert [one.resolution for one in record(data).incidents] == ["taken-back"]
    assert len(stored(data)) == len(stored(whole)) + 10


@pytest.mark.slow
def test_the_sample_game_survives_twenty_kills(tmp_path: Path) -> None:
    watch = [sys.executable, "-m", "crownhead", "watch", "--variant", "russian", "--once", "--json"]
    watch += ["--camera", str(SAMPLE), "--listen", "127.0.0.1:0"]
    whole = tmp_path / "whole"
    assert Run([*watch, "--fast", "--data", str(whole)]).end() == 0
    wanted = [(m.ply, m.move, m.fen, m.legal) for m in record(whole).moves]
    assert len(wanted) >= 12
    rng, killed, games = random.Random(2), 0, 0
    # A fast machine ends the film before twenty kills: then the next game is killed.
    while killed < 20:
        data = tmp_path / f"killed-{games}"
        fast = [*watch, "--fast", "--data", str(data)]
        killed += kill_often(fast, data, kills=20 - killed, longest_s=0.5, rng=rng)
        if record(data).end is None:
            assert Run(fast).end() == 0
        played = [(move.ply, move.move, move.fen, move.legal) for move in record(data).moves]
        assert played == wanted
        games += 1
        assert games < 10


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_run_in_order_and_the_game_stays_open(
    tmp_path: Path, number: signal.Signals
) -> None:
    film = film_of(tmp_path / "film.avi", 1000)
    data = tmp_path / "data"
    run = Run([*SCRIPTED, str(film), str(data)])
    assert run.has_begun.wait(60)
    time.sleep(0.5)
    began_s = time.monotonic()
    assert run.end(number) == 0, run.errors
    assert time.monotonic() - began_s < 3.0
    assert "Traceback" not in run.errors
    assert "Game 1 is kept; the next start goes on with it." in run.errors
    with open_store(data) as store:
        resume = store.resume(str(film), "international")
    assert resume is not None
    assert stored(data) == run.acknowledged


def test_a_disk_that_stays_full_is_told_at_the_end(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="this system cannot limit file sizes")
    film = film_of(tmp_path / "film.avi", 400)
    command = [*SCRIPTED, str(film), str(tmp_path / "data"), "--fast"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (90_000, 90_000)),
    )
    assert done.returncode == 3
    assert "events could not be recorded and are lost" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) > 3
    assert stored(tmp_path / "data") == told
    assert Run(command).end() == 0
    assert len(record(tmp_path / "data").moves) == 49


def test_a_second_run_on_the_same_folder_says_so(tmp_path: Path) -> None:
    film = film_of(tmp_path / "film.avi", 1000)
    data = tmp_path / "data"
    first = Run([*SCRIPTED, str(film), str(data)])
    assert first.has_begun.wait(60)
    second = Run([sys.executable, "-m", "crownhead", "watch", "--variant", "russian",
                  "--camera", str(film), "--data", str(data)])  # fmt: skip
    assert second.end() == 3
    assert "another crownhead records games in" in second.errors
    first.end(signal.SIGKILL)
