import http.client
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from crownhead.webui.app import Actions, create_app
from crownhead.webui.feed import Feed
from crownhead.webui.server import ListenFailed, Server, hosts_of


def start(port: int = 0) -> tuple[Server, Feed]:
    feed = Feed()
    feed.publish({"a": 1})
    app = create_app(feed, Actions(lambda _: {}, str), hosts=hosts_of("127.0.0.1"))
    return Server(app, feed, "127.0.0.1", port), feed


@pytest.fixture
def server() -> Iterator[Server]:
    server, _ = start()
    yield server
    server.close()


def get(server: Server, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


def open_stream(server: Server) -> socket.socket:
    stream = socket.create_connection(("127.0.0.1", server.port), timeout=5)
    stream.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    data = b""
    while b"data:" not in data and b"503" not in data:
        data += stream.recv(4096)
    return stream


def test_a_port_in_use_is_told_with_the_cure(server: Server) -> None:
    with pytest.raises(ListenFailed, match=r"another program listens.*--listen"):
        start(server.port)


def test_an_address_that_is_not_ours_is_told() -> None:
    feed = Feed()
    app = create_app(feed, Actions(lambda _: {}, str), hosts=("x",))
    with pytest.raises(ListenFailed, match=r"no address 192\.0\.2\.1"):
        Server(app, feed, "192.0.2.1", 0)
    with pytest.raises(ListenFailed, match=r"no address no-such-host\.invalid"):
        Server(app, feed, "no-such-host.invalid", 0)


def test_the_page_answers_beside_open_streams_and_half_sent_requests(server: Server) -> None:
    held = [open_stream(server) for _ in range(16)]
    for _ in range(20):
        half = socket.create_connection(("127.0.0.1", server.port), timeout=5)
        half.sendall(b"POST /hint HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nabc")
        held.append(half)
    began_s = time.monotonic()
    assert get(server, "/ping") == (200, b"ok\n")
    assert get(server, "/events")[0] == 503
    assert time.monotonic() - began_s < 2.0
    for one in held:
        one.close()


def test_the_place_of_a_browser_that_left_is_free_again(server: Server) -> None:
    held = [open_stream(server) for _ in range(16)]
    for one in held:
        one.close()
    end_s = time.monotonic() + 5
    while time.monotonic() < end_s:
        stream = socket.create_connection(("127.0.0.1", server.port), timeout=5)
        stream.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        is_in = b"200" in stream.recv(64)
        stream.close()
        if is_in:
            return
        time.sleep(0.1)
    pytest.fail("the places of 16 browsers that left were not free after 5 s")


def test_the_server_ends_soon_with_streams_open_and_frees_its_port() -> None:
    server, _ = start()
    held = [open_stream(server) for _ in range(16)]
    before = threading.active_count()
    began_s = time.monotonic()
    server.close()
    assert time.monotonic() - began_s < 3.0
    assert threading.active_count() < before
    for one in held:
        one.close()
    again, _ = start(server.port)
    again.close()


def test_a_server_can_be_ended_at_any_moment_and_twice() -> None:
    before = threading.active_count()
    for round_ in range(15):
        server, _ = start()
        held = []
        for number in range(6):
            one = socket.create_connection(("127.0.0.1", server.port), timeout=5)
            path = b"/events" if number % 2 else b"/frame.jpg?after=0"
            one.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            held.append(one)
        time.sleep(0.01 * (round_ % 4))
        server.close()
        server.close()
        for one in held:
            one.close()
    assert threading.active_count() == before


def test_a_body_that_is_too_large_is_refused(server: Server) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.putrequest("POST", "/hint")
    connection.putheader("Content-Length", "1000000000")
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


@pytest.mark.parametrize(
    ("host", "known", "foreign"),
    [
        ("127.0.0.1", "localhost", "192.0.2.1"),
        ("192.0.2.1", "192.0.2.1", "localhost"),
        ("::1", "[::1]", "192.0.2.1"),
        ("0.0.0.0", "localhost", "evil.example"),
    ],
)
def test_the_page_knows_its_own_names(host: str, known: str, foreign: str) -> None:
    assert known in hosts_of(host)
    assert foreign not in hosts_of(host)
