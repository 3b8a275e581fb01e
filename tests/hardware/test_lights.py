import os
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
import serial.urlhandler.protocol_loop

from crownhead.hardware.adalight import encode
from crownhead.hardware.errors import HardwareError
from crownhead.hardware.layout import Layout, Order
from crownhead.hardware.lights import Lights, LightsState, open_lights
from crownhead.hardware.plan import DARK, LightPlan, Meaning, colours

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals to stand for a board")

PLAN = LightPlan((((3, 4), Meaning.ILLEGAL), ((0, 1), Meaning.PUT_BACK)))
BLACK = encode([(0, 0, 0)] * 64)


def frame_of(plan, size=8):
    return encode(colours(plan, Layout(size)))


class Board:
    """A controller on a pseudo-terminal that is reached by a name that stays the same."""

    def __init__(self, link: Path) -> None:
        self.link = link
        self.received = bytearray()
        self._fd: int | None = None

    def plug(self, *, reading: bool = True) -> None:
        master, slave = pty.openpty()
        self.link.unlink(missing_ok=True)
        self.link.symlink_to(os.ttyname(slave))
        os.set_blocking(master, False)
        self._fd, self._slave = master, slave
        self.received.clear()
        if reading:
            threading.Thread(target=self._read, args=(master,), daemon=True).start()

    def _read(self, fd: int) -> None:
        # Polls, since a blocked read would keep the device open after `unplug`.
        while self._fd == fd:
            try:
                self.received += os.read(fd, 4096)
            except BlockingIOError:
                time.sleep(0.002)
            except OSError:
                return

    def unplug(self) -> None:
        fd, self._fd = self._fd, None
        time.sleep(0.01)
        os.close(self._slave)
        os.close(fd)
        self.link.unlink()


def wait_for(condition, timeout_s=5.0):
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


@pytest.fixture
def board(tmp_path):
    board = Board(tmp_path / "board")
    yield board
    if board._fd is not None:
        board.unplug()


class Loop(serial.urlhandler.protocol_loop.Serial):
    """pyserial's loop:// port that keeps what it holds when its owner clears the input."""

    def reset_input_buffer(self):
        pass


def test_bytes_on_a_loop_port_are_a_plan_three_times_then_black():
    loop = Loop("loop://", timeout=2.0, write_timeout=0.5)
    lights = Lights(lambda: loop, "loop://", Layout(8))
    lights.show(PLAN)
    assert lights.settle(5.0)
    assert lights.state is LightsState.CONNECTED
    lights.close()
    data = b"".join(byte for byte in loop.queue.queue if byte)
    # Black may come first: the port may have been opened before the plan came.
    while data.startswith(BLACK):
        data = data[len(BLACK) :]
    assert data == frame_of(PLAN) * 3 + BLACK


def test_the_map_decides_which_light_is_lit(board):
    board.plug()
    layout = Layout(10, Order.SERPENTINE)
    plan = LightPlan((((1, 0), Meaning.LAST_MOVE),))
    with closing(open_lights(str(board.link), 10, layout=layout, cap=255)) as lights:
        lights.show(plan)
        assert lights.settle(5.0)
        frame = encode([(0, 32, 96) if n == 19 else (0, 0, 0) for n in range(100)])
        wait_for(lambda: frame * 3 in board.received)


def test_the_plan_is_sent_again_every_second(board):
    board.plug()
    with closing(open_lights(str(board.link), 8)) as lights:
        lights.show(PLAN)
        assert lights.settle(5.0)
        wait_for(lambda: bytes(board.received).count(frame_of(PLAN)) >= 5, 4.0)


def test_the_newest_plan_wins_on_a_port_that_nobody_reads(board):
    board.plug(reading=False)
    plans = [LightPlan((((n // 8 % 8, n % 8), Meaning.ILLEGAL),)) for n in range(150)]
    with closing(open_lights(str(board.link), 8)) as lights:
        slowest = 0.0
        for plan in plans:
            begin = time.perf_counter()
            lights.show(plan)
            slowest = max(slowest, time.perf_counter() - begin)
            time.sleep(0.01)
        wait_for(lambda: lights.state is LightsState.RETRYING)
        assert slowest < 0.05
        assert "do not answer" in lights.text
        # Someone reads again: what arrives in the end is the newest plan, and nothing older.
        board._read_later = threading.Thread(target=board._read, args=(board._fd,), daemon=True)
        board._read_later.start()
        wait_for(lambda: lights.state is LightsState.CONNECTED)
        assert lights.settle(5.0)
        wait_for(lambda: board.received.endswith(frame_of(plans[-1]) * 2))


def test_closing_a_stuck_port_does_not_wait_for_it(board):
    board.plug(reading=False)
    lights = open_lights(str(board.link), 8)
    for _ in range(150):
        lights.show(PLAN)
        time.sleep(0.005)
    begin = time.perf_counter()
    lights.close()
    assert time.perf_counter() - begin < 1.5


def test_unplugged_and_plugged_in_again_the_board_shows_the_newest_plan(board):
    board.plug()
    with closing(open_lights(str(board.link), 8)) as lights:
        wait_for(lambda: lights.state is LightsState.CONNECTED)
        board.unplug()
        wait_for(lambda: lights.state is LightsState.RETRYING)
        lights.show(PLAN)
        board.plug()
        wait_for(lambda: frame_of(PLAN) in board.received)
        wait_for(lambda: lights.state is LightsState.CONNECTED)
        assert BLACK not in board.received


def test_a_port_that_is_not_there_yet_is_looked_for(board):
    with closing(open_lights(str(board.link), 8)) as lights:
        wait_for(lambda: "do not answer" in lights.text)
        assert lights.state is LightsState.RETRYING
        board.plug()
        wait_for(lambda: lights.state is LightsState.CONNECTED)


def test_black_is_the_last_frame(board):
    board.plug()
    lights = open_lights(str(board.link), 8)
    lights.show(PLAN)
    assert lights.settle(5.0)
    lights.close()
    wait_for(lambda: board.received.endswith(BLACK))


def test_the_dark_plan_is_black():
    assert frame_of(DARK) == BLACK


def test_a_url_that_pyserial_does_not_know_is_refused_at_once():
    with pytest.raises(HardwareError, match="not a serial port that can be opened"):
        open_lights("nonsense://port", 8)


def test_a_map_for_another_board_is_refused():
    with pytest.raises(HardwareError, match="for 8 rows, the board has 10"):
        open_lights("loop://", 10, layout=Layout(8))


def test_a_port_that_another_program_has_is_said_to_be_taken(board):
    board.plug()
    with closing(open_lights(str(board.link), 8)) as lights:
        wait_for(lambda: lights.state is LightsState.CONNECTED)
        with closing(open_lights(str(board.link), 8)) as second:
            wait_for(lambda: "do not answer" in second.text)
            assert second.text.endswith("do not answer: another program has the port")
