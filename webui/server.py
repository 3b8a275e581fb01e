"""Waitress round the page, in a thread of its own, with an end."""

from __future__ import annotations

import errno
import select
import socket
import threading
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.server import create_server

from crownhead.webui.feed import Feed

THREADS = 32
"""More than the streams and waiting pictures together, so that a ping always finds one."""


class ListenFailed(Exception):
    """The page cannot listen at the address."""


class Server:
    """The page, served. ``port`` is the one really used, also if 0 was asked for."""

    def __init__(self, app: Flask, feed: Feed, host: str, port: int) -> None:
        self._feed = feed
        # Bound here and not by waitress: one socket, known before the server starts.
        self._socket = _listen(host, port)
        self.host = host
        self.port = int(self._socket.getsockname()[1])
        self._is_closed = False
        self._connections: dict[int, Any] = {}
        self._server: Any = create_server(
            app,
            map=self._connections,
            sockets=[self._socket],
            threads=THREADS,
            channel_request_lookahead=5,
            max_request_body_size=app.config["MAX_CONTENT_LENGTH"],
            ident="crownhead",
            clear_untrusted_proxy_headers=True,
        )
        self._thread = threading.Thread(target=self._run, name="page", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where a browser on this machine finds the page."""
        host = self.host
        if host in ("", "0.0.0.0", "::"):
            host = "127.0.0.1"
        return f"http://[{host}]:{self.port}/" if ":" in host else f"http://{host}:{self.port}/"

    def close(self) -> None:
        """End all streams, stop listening and wait for the threads, at most four seconds."""
        if self._is_closed:
            return
        self._is_closed = True
        self._feed.close()
        self._server.task_dispatcher.shutdown(cancel_pending=True, timeout=2)
        self._server.pull_trigger()
        self._thread.join(timeout=2)
        # Only now: a wake-up call that is still under way must not meet a closed pipe, whose
        # number may already be another file's.
        if not self._thread.is_alive():
            wasyncore.close_all(self._connections)

    def _run(self) -> None:
        # waitress's own loop ends only when its last socket is closed under it.
        while not self._is_closed:
            wasyncore.loop(
                timeout=1.0, use_poll=hasattr(select, "poll"), map=self._connections, count=1
            )


def hosts_of(host: str) -> tuple[str, ...]:
    """Return the names under which a page that listens at ``host`` may be called.

    A foreign name that resolves to this machine is the trick of DNS rebinding; it is not among
    them.
    """
    names = {"localhost", "127.0.0.1", "[::1]"}
    if host in ("", "0.0.0.0", "::"):
        own = socket.gethostname().lower()
        names |= {own, f"{own}.local", *_addresses(own)}
    elif host not in ("localhost", "127.0.0.1", "::1"):
        names = {f"[{host}]" if ":" in host else host.lower()}
    return tuple(sorted(names))


def _addresses(own: str) -> set[str]:
    """Return this machine's addresses in its networks."""
    found = set()
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(own, None)}
    except OSError:
        # The machine does not know its own name; the next way needs none.
        found = set()
    # Nothing is sent: connecting a datagram socket only chooses the route, and so the address.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            found.add(str(probe.getsockname()[0]))
        except OSError:
            return found
    return {f"[{address}]" if ":" in address else address for address in found}


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except (OSError, OverflowError) as error:
        raise ListenFailed(_why(host, port, error)) from error


def _why(host: str, port: int, error: Exception) -> str:
    where = f"{host}:{port}"
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EADDRINUSE:
        return f"another program listens at {where}; choose another port with --listen {host}:PORT"
    if number in (errno.EACCES, errno.EPERM):
        return f"this user may not listen at {where}; choose a port above 1023 with --listen"
    if number in (errno.EADDRNOTAVAIL, socket.EAI_NONAME, socket.EAI_AGAIN):
        return (
            f"this computer has no address {host}; name one of its own with --listen, or leave the "
            "host out"
        )
    return f"the page cannot listen at {where}: {error}; choose another address with --listen"
