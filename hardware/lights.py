"""The lights on their serial port, which may be slow, stuck or unplugged without holding up a game.

One thread owns the port. The game hands it a plan and goes on at once; a newer plan takes the
place of one not sent yet. Every frame sets the whole board, so any frame repairs what was lost.
"""

from __future__ import annotations

import errno
import logging
import os
import threading
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Protocol

import serial

from crownhead.hardware.adalight import encode
from crownhead.hardware.errors import HardwareError
from crownhead.hardware.layout import Layout
from crownhead.hardware.plan import DARK, DEFAULT_CAP, LightPlan, colours

LOG = logging.getLogger(__name__)

BAUD = 115_200
PORT_TIMEOUT_S = 0.5
"""Longest that one read or write of the port may take; only the owner thread waits for it."""
REPEATS, REPEAT_S, REFRESH_S = 3, 0.03, 1.0
"""A change is sent three times, since a lost byte spoils two frames, then once a second, since
WLED forgets a picture after two and a half."""
BACKOFF_S = (0.25, 0.5, 1.0, 2.0, 5.0)
FAILED_AFTER = 10
"""Tries in a row, about 40 s, after which the port is called failed; it is still looked for."""


class LightsState(Enum):
    """What the port is doing; the value is the word for people."""

    CONNECTED = "connected"
    RETRYING = "retrying"
    FAILED = "failed"


class Port(Protocol):
    """What is used of a port of pyserial."""

    def write(self, data: bytes, /) -> int | None:
        """Send bytes or raise when the time-out is over."""

    def reset_input_buffer(self) -> None:
        """Forget what the board has said."""

    def close(self) -> None:
        """Give the port up."""


class Lights:
    """Lights that show the newest plan they were given; made by `open_lights`."""

    def __init__(
        self, open_port: Callable[[], Port], url: str, layout: Layout, *, cap: int = DEFAULT_CAP
    ) -> None:
        self._open_port = open_port
        self._url, self._layout, self._cap = url, layout, cap
        self._changed = threading.Condition()
        self._frame = encode(colours(DARK, layout, cap=cap))
        self._unsent = REPEATS
        self._closing = False
        self._failures = 0
        self._state, self._text = LightsState.RETRYING, f"the lights at {url} are being opened"
        # A daemon: a port whose close() hangs must not keep the program from ending.
        self._thread = threading.Thread(target=self._run, name=f"lights {url}", daemon=True)
        self._thread.start()

    @property
    def state(self) -> LightsState:
        """What the port is doing now."""
        return self._state

    @property
    def text(self) -> str:
        """The state in one sentence."""
        return self._text

    def show(self, plan: LightPlan) -> None:
        """Light a plan as soon as the port allows, and return at once.

        Raises:
            HardwareError: a place of the plan is not on the board.
        """
        frame = encode(colours(plan, self._layout, cap=self._cap))
        with self._changed:
            self._frame, self._unsent = frame, REPEATS
            self._changed.notify_all()

    def settle(self, timeout_s: float) -> bool:
        """Wait until the newest plan has been sent often enough; False if that took too long."""
        with self._changed:
            return self._changed.wait_for(lambda: self._unsent == 0, timeout_s)

    def close(self) -> None:
        """Turn the lights off and give up the port, waiting little more than one time-out."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(2 * PORT_TIMEOUT_S)

    def _run(self) -> None:
        while not self._closing:
            try:
                port = self._open_port()
                try:
                    self._serve(port)
                finally:
                    port.close()
            # The border of this thread. Unplugging shows as SerialException, OSError or
            # termios.error, on some systems as TypeError, depending on the call it meets.
            except Exception as error:
                self._lost(error)

    def _serve(self, port: Port) -> None:
        """Send frames until the lights are closed; whatever the port raises goes to the caller."""
        with self._changed:
            self._unsent = REPEATS
        while not self._closing:
            frame = self._frame
            _write(port, frame)
            if self._state is not LightsState.CONNECTED:
                self._failures = 0
                self._state = LightsState.CONNECTED
                self._text = f"the lights at {self._url} are connected"
                LOG.info("%s", self._text)
            with self._changed:
                if frame is self._frame and self._unsent:
                    self._unsent -= 1
                    self._changed.notify_all()
                self._pause(REPEAT_S if self._unsent else REFRESH_S, frame)
        _write(port, encode(colours(DARK, self._layout, cap=self._cap)))

    def _pause(self, seconds: float, frame: bytes) -> None:
        """Wait, the lock held, for the next turn, a new frame or the end."""
        self._changed.wait_for(lambda: self._closing or self._frame is not frame, seconds)

    def _lost(self, error: Exception) -> None:
        """Note that the port failed, and wait before the next try."""
        self._failures += 1
        failed = self._failures >= FAILED_AFTER
        self._state = LightsState.FAILED if failed else LightsState.RETRYING
        self._text = f"the lights at {self._url} do not answer: {_cause(error)}"
        if self._failures in (1, FAILED_AFTER):
            LOG.warning("%s", self._text)
            LOG.debug("the port failed here", exc_info=error)
        with self._changed:
            self._changed.wait_for(
                lambda: self._closing, BACKOFF_S[min(self._failures, len(BACKOFF_S)) - 1]
            )


def _cause(error: Exception) -> str:
    """Return what is wrong in the system's words, without the port's name a second time."""
    number = error.errno if isinstance(error, OSError) else None
    if number in (errno.EAGAIN, errno.EACCES) and "lock" in str(error):
        return "another program has the port"
    return os.strerror(number) if number else str(error)


def open_lights(
    url: str, size: int, *, layout: Layout | None = None, cap: int = DEFAULT_CAP
) -> Lights:
    """Return lights that look for their port from now on, until they are closed.

    Args:
        url: a port's name (``/dev/ttyUSB0``, ``COM3``) or any URL that pyserial knows.
        size: squares along an edge of the board.
        layout: how the strip runs; row by row from the far left corner if not given.
        cap: highest level of any colour, 64 to 255.

    Raises:
        HardwareError: pyserial does not know this kind of URL, or the cap is out of range.
    """
    if layout is None:
        layout = Layout(size)
    elif layout.size != size:
        raise HardwareError(
            f"the map of the lights is for {layout.size} rows, the board has {size}"
        )
    try:
        serial.serial_for_url(url, do_not_open=True)
    except (ValueError, serial.SerialException) as error:
        raise HardwareError(f"{url!r} is not a serial port that can be opened: {error}") from error
    return Lights(partial(_open_port, url), url, layout, cap=cap)


def _open_port(url: str) -> Port:
    options: dict[str, object] = {"baudrate": BAUD, "timeout": PORT_TIMEOUT_S}
    if not url.startswith("rfc2217:"):  # which refuses a time-out for writing
        options["write_timeout"] = PORT_TIMEOUT_S
    if "://" not in url:
        options["exclusive"] = True  # two programs on one port would mix their frames
    port: Port = serial.serial_for_url(url, **options)
    return port


def _write(port: Port, frame: bytes) -> None:
    # Boards talk ("Ada", version, debug text); unread, that would fill the buffer of some and
    # stop them.
    port.reset_input_buffer()
    port.write(frame)
