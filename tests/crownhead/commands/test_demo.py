import json
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest

from crownhead.commands.demo import LISTEN, _free_address
from crownhead.hardware.adalight import encode
from crownhead.hardware.layout import Layout
from crownhead.hardware.plan import LightPlan, Meaning, colours

MOVES = [
    "a3-b4",
    "f6-g5",
    "e3-d4",
    "b6-c5",
    "d4:b6",
    "a7:a3",
    "g3-f4",
    "g5:e3",
    "d2:f4",
    "g7-f6",
    "c1-d2",
    "a3:g5",
]
"""What is played in the film, by the truth that it was rendered from."""


@pytest.mark.slow
def test_the_sample_is_read_refereed_and_printed(tmp_path):
    result = subprocess.run(
        [sys.executable, "-m", "crownhead", "demo", "--once", "--json", "--listen", "127.0.0.1:0"],
        env={"PATH": "", "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    assert "The page: http://127.0.0.1:" in result.stderr
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert [event["move"] for event in events if event["type"] == "MovePlayed"] == MOVES
    (illegal,) = [event for event in events if event["type"] == "IncidentOpened"]
    assert (illegal["kind"], illegal["seen"]) == ("illegal-move", "b2-d4")
    (settled,) = [event for event in events if event["type"] == "IncidentResolved"]
    assert settled["resolution"] == "taken-back"
    assert events[-1]["type"] == "Score"
    assert all(move in events[-1]["pdn"] for move in MOVES)
    assert list(tmp_path.iterdir()) == [], "the demo leaves nothing in the user's folders"


@pytest.mark.slow
def test_lights_show_the_illegal_move_of_the_sample_and_go_out(tmp_path):
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    master, slave = pty.openpty()
    received = bytearray()

    def read() -> None:
        while data := os.read(master, 4096):
            received.extend(data)

    threading.Thread(target=read, daemon=True).start()
    result = subprocess.run(
        [
            *(sys.executable, "-m", "crownhead", "demo", "--once", "--listen", "127.0.0.1:0"),
            *("--leds", os.ttyname(slave)),
        ],
        env={"PATH": "", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    # b2-d4: the piece may not stand on d4 (fifth row from the far side), and belongs on b2.
    illegal = LightPlan((((4, 3), Meaning.ILLEGAL), ((6, 1), Meaning.PUT_BACK)))
    # c1-d2, near the end of the game.
    last = LightPlan(tuple((place, Meaning.LAST_MOVE) for place in [(6, 3), (7, 2)]))
    frames = [encode(colours(plan, Layout(8))) for plan in (illegal, last, LightPlan())]
    end = time.monotonic() + 5.0
    while not received.endswith(frames[2]) and time.monotonic() < end:
        time.sleep(0.01)  # the other end reads in its own time
    assert received.endswith(frames[2])
    assert -1 < received.find(frames[0]) < received.find(frames[1])


def test_a_taken_port_is_left_alone():
    with closing(socket.socket()) as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            other.bind(LISTEN)
        except OSError:
            pass  # somebody else has it already, which serves as well
        else:
            other.listen()
        assert _free_address() == "127.0.0.1:0"
