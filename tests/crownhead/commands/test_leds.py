import json
import os
import subprocess
import sys
import threading
import time

import pytest

from crownhead.cli import run
from crownhead.hardware.adalight import encode
from crownhead.hardware.layout import Layout, Order
from crownhead.hardware.plan import LightPlan, Meaning, colours

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals to stand for a board")


@pytest.fixture
def board():
    """The name of a port, and the bytes that arrive at its other end."""
    master, slave = pty.openpty()
    received = bytearray()

    def read() -> None:
        while True:
            try:
                received.extend(os.read(master, 4096))
            except OSError:  # the other end was closed
                return

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    yield os.ttyname(slave), received
    os.close(slave)
    reader.join(5.0)
    os.close(master)


def test_show_lights_the_squares_of_the_variant(board, capsys):
    port, received = board
    arguments = ["leds", "show", "--port", port, "--variant", "international", "--seconds", "0.1"]
    assert run([*arguments, "--last", "32,28", "--illegal", "1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["port"] == port
    assert answer["size"] == 10
    # Square 1 is the second of the far row, 28 and 32 lie in the sixth and seventh row.
    plan = LightPlan(
        (((0, 1), Meaning.ILLEGAL), ((5, 4), Meaning.LAST_MOVE), ((6, 3), Meaning.LAST_MOVE))
    )
    assert encode(colours(plan, Layout(10))) * 3 in received
    black = encode([(0, 0, 0)] * 100)
    end = time.monotonic() + 5.0
    while not received.endswith(black) and time.monotonic() < end:
        time.sleep(0.01)  # the other end reads in its own time
    assert received.endswith(black)


def test_test_walks_the_strip_in_the_order_of_the_map(board, tmp_path, capsys):
    port, received = board
    (tmp_path / "map.toml").write_text('order = "serpentine"\n')
    arguments = ["leds", "test", "--port", port, "--size", "8", "--seconds", "0"]
    assert run([*arguments, "--map", str(tmp_path / "map.toml"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["order"] == Order.SERPENTINE
    size = 6 + 3 * 64
    frames = [bytes(received[n : n + size]) for n in range(0, len(received), size)]
    lit = [{n // 3 for n, level in enumerate(frame[6:]) if level} for frame in frames]
    walk = [next(iter(lights)) for lights in lit if len(lights) == 1]
    assert [led for n, led in enumerate(walk) if n == 0 or led != walk[n - 1]] == list(range(64))


def test_list_prints_one_json_document(capsys):
    assert run(["leds", "list", "--json"]) == 0
    assert isinstance(json.loads(capsys.readouterr().out), list)


def test_a_port_that_is_not_there_is_a_device_error(tmp_path, capsys):
    assert run(["leds", "show", "--port", str(tmp_path / "none"), "--last", "1"]) == 3
    assert "do not answer" in capsys.readouterr().err


def test_a_port_that_is_not_there_is_told_once(tmp_path):
    port = str(tmp_path / "none")
    result = subprocess.run(
        [sys.executable, "-m", "crownhead", "leds", "show", "--port", port, "--last", "1"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.stderr == (
        f"crownhead: the lights at {port} do not answer: No such file or directory\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--port", "loop://", "--last", "99"], "99"),
        (["--port", "loop://", "--variant", "chess"], "chess"),
        (["--port", "loop://", "--protocol", "morse"], "morse"),
        (["--last", "1"], "--port"),
        (["--port", "loop://", "--seconds", "inf"], "86400"),
        (["--port", "loop://", "--seconds", "nan"], "no time"),
        (["--port", "loop://", "--seconds", "soon"], "soon"),
        (["--port", "loop://", "--map", "{folder}/bad.toml"], "bad.toml"),
        (["--port", "loop://", "--map", "{folder}/picture.toml"], "cannot be read"),
    ],
)
def test_bad_input_is_told_in_a_sentence(options, message, tmp_path, capsys):
    (tmp_path / "bad.toml").write_text('order = "zigzag"')
    (tmp_path / "picture.toml").write_bytes(b"\x89PNG\xff")
    assert run(["leds", "show", *(option.format(folder=tmp_path) for option in options)]) == 2
    assert message in capsys.readouterr().err
