import json
import socket
import subprocess
import sys
from contextlib import closing

import pytest

from crownhead.commands.demo import LISTEN, _free_address

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
