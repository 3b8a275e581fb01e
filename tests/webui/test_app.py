import json
import random
import re
import threading

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from crownhead.rules.catalogue import Language
from crownhead.webui.app import Actions, Limits, create_app
from crownhead.webui.feed import Feed, Worded

OURS = {"Origin": "http://localhost"}


class Unusable(Exception):
    """An error that a user can cause."""


def suggest(language: Language) -> dict[str, object]:
    return {"move": "32-28", "path": [32, 28], "text": f"White could play 32-28 ({language})."}


def make(feed: Feed, **limits: float) -> Flask:
    actions = Actions(
        suggest, lambda: "1. 32-28 *\n", lambda e: 400 if isinstance(e, Unusable) else None
    )
    return create_app(
        feed,
        actions,
        hosts=("localhost", "127.0.0.1"),
        limits=Limits(**limits),  # type: ignore[arg-type]
    )


@pytest.fixture
def feed() -> Feed:
    feed = Feed()
    feed.publish({"banner": {"level": "ok", "title": "White to move", "text": ""}})
    return feed


@pytest.fixture
def client(feed: Feed) -> FlaskClient:
    return make(feed).test_client()


def test_the_page_needs_nothing_from_elsewhere(client: FlaskClient) -> None:
    texts = [client.get("/").get_data(as_text=True)]
    texts += [
        client.get(f"/static/{n}", buffered=True).get_data(as_text=True)
        for n in ("page.css", "page.js")
    ]
    for text in texts:
        bare = text.replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in bare
        assert "https://" not in bare
        assert "//cdn" not in bare


@pytest.mark.parametrize("path", ["/", "/state", "/game.pdn", "/static/page.js", "/nothing"])
def test_every_answer_carries_the_security_headers(client: FlaskClient, path: str) -> None:
    headers = client.get(path, buffered=True).headers
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "192.0.2.7", ""])
def test_a_foreign_host_is_refused(client: FlaskClient, host: str) -> None:
    answer = client.get("/", headers={"Host": host})
    assert answer.status_code == 400
    assert set(answer.get_json()["error"]) == {"kind", "text"}


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "http://localhost:8001",
        "https://localhost",
        "http://evil.example",
        "http://localhost.evil.example",
        "http://localhost@evil.example",
        "http://localhost/",
        "//localhost",
        "http://[",
    ],
)
def test_whatever_changes_something_needs_our_own_origin(
    feed: Feed, client: FlaskClient, origin: str | None
) -> None:
    posts = [
        str(rule)
        for rule in make(feed).url_map.iter_rules()
        if (rule.methods or set()) & {"POST", "PUT", "PATCH", "DELETE"}
    ]
    assert sorted(posts) == ["/act", "/corners", "/hint"]
    for path in posts:
        answer = client.post(path, headers={"Origin": origin} if origin is not None else {})
        assert answer.status_code == 403
        assert answer.get_json()["error"]["kind"] == "foreign-origin"


def test_our_own_page_gets_a_hint(client: FlaskClient) -> None:
    assert client.post("/hint", headers=OURS).get_json() == suggest(Language.ENGLISH)
    asked = client.post("/hint", headers={**OURS, "Accept-Language": "fi-FI,en;q=0.5"})
    assert asked.get_json() == suggest(Language.FINNISH)


def test_what_a_player_says_goes_to_the_game_by_name(feed: Feed) -> None:
    asked: list[str] = []
    client = create_app(
        feed, Actions(lambda _: {}, str, act=asked.append), hosts=("localhost",)
    ).test_client()
    answer = client.post("/act", json={"action": "let-stand"}, headers=OURS)
    assert (answer.status_code, asked) == (204, ["let-stand"])
    for body in (None, [], {}, {"action": 1}):
        assert client.post("/act", json=body, headers=OURS).status_code == 400
    assert client.post("/act", data="let-stand", headers=OURS).status_code == 400
    assert asked == ["let-stand"]


def test_corners_are_handed_on_as_they_are(feed: Feed) -> None:
    asked: list[dict] = []
    app = create_app(feed, Actions(lambda _: {}, str, corners=asked.append), hosts=("localhost",))
    body = {"corners": [[1, 2]] * 4, "width": 640, "height": 480}
    assert app.test_client().post("/corners", json=body, headers=OURS).status_code == 204
    assert asked == [body]
    assert app.test_client().post("/corners", json=[1], headers=OURS).status_code == 400


def test_only_one_hint_is_thought_of_at_a_time(feed: Feed) -> None:
    started, go_on = threading.Event(), threading.Event()

    def slow(_: Language) -> dict[str, object]:
        started.set()
        go_on.wait(5)
        return {}

    app = create_app(feed, Actions(slow, str), hosts=("localhost",))
    first = threading.Thread(target=lambda: app.test_client().post("/hint", headers=OURS))
    first.start()
    assert started.wait(5)
    answer = app.test_client().post("/hint", headers=OURS)
    go_on.set()
    first.join()
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert app.test_client().post("/hint", headers=OURS).status_code == 200


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [(Unusable("no such thing"), 400, "Unusable"), (KeyError("secret"), 500, "our-fault")],
)
def test_errors_have_one_shape(feed: Feed, error: Exception, status: int, kind: str) -> None:
    def fail(_: Language) -> dict[str, object]:
        raise error

    actions = Actions(fail, str, lambda e: 400 if isinstance(e, Unusable) else None)
    app = create_app(feed, actions, hosts=("localhost",))
    answer = app.test_client().post("/hint", headers=OURS)
    assert answer.status_code == status
    assert answer.get_json()["error"]["kind"] == kind
    assert "secret" not in answer.get_data(as_text=True)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("GET", "/static/../app.py", 404),
        ("GET", "/static/%2e%2e/app.py", 404),
        ("GET", "/hint", 405),
        ("GET", "/frame.jpg?after=x", 400),
        ("GET", "/frame.jpg?after=--1", 400),
        ("GET", "/frame.jpg?after=" + "9" * 5000, 400),
    ],
)
def test_bad_requests_are_refused_in_the_one_shape(
    client: FlaskClient, method: str, path: str, status: int
) -> None:
    answer = client.open(path, method=method)
    assert answer.status_code == status
    assert set(answer.get_json()["error"]) == {"kind", "text"}


def test_no_body_whatever_makes_the_page_fail(client: FlaskClient) -> None:
    rng = random.Random(3)
    types = ["application/json", "multipart/form-data; boundary=b", "text/plain", "", "x/y;;;="]
    types += ["application/x-www-form-urlencoded", "multipart/form-data"]
    seeds = [
        b'{"a": [1, 2, {"b": null}]}',
        b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--",
    ]
    for _ in range(2000):
        body = bytearray(rng.choice(seeds))
        for _ in range(rng.randint(0, 8)):
            body[rng.randrange(len(body))] = rng.randrange(256)
        body = bytearray(bytes(body[: rng.randint(0, len(body))]) * rng.choice((1, 1, 1, 900)))
        answer = client.post(
            rng.choice(["/hint", "/hint?x=%ff", "/state", "/events"]),
            data=bytes(body),
            headers=rng.choice([OURS, {}]),
            content_type=rng.choice(types),
        )
        assert answer.status_code in (200, 400, 403, 405, 413)


def test_the_score_is_a_file_to_keep(client: FlaskClient) -> None:
    answer = client.get("/game.pdn")
    assert answer.get_data(as_text=True) == "1. 32-28 *\n"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="game.pdn"'


def test_a_picture_is_given_when_there_is_one(feed: Feed) -> None:
    client = make(feed, picture_wait_s=0.01).test_client()
    assert client.get("/frame.jpg").status_code == 204
    feed.show(7, np.zeros((20, 20, 3), np.uint8))
    answer = client.get("/frame.jpg?after=-1")
    assert (answer.mimetype, answer.headers["X-Picture"]) == ("image/jpeg", "7")
    assert client.get("/frame.jpg?after=7").status_code == 204


def test_the_stream_sends_everything_first_and_then_what_changes(feed: Feed) -> None:
    with make(feed).test_client().get("/events", buffered=False) as answer:
        assert answer.mimetype == "text/event-stream"
        chunks = answer.iter_encoded()
        assert next(chunks) == b"retry: 1000\n\n"
        name, whole = parse(next(chunks))
        assert (name, whole) == ("whole", json.loads(feed.snapshot().data))
        feed.publish({"squares": "w.b"})
        assert parse(next(chunks)) == ("change", {"squares": "w.b"})


def test_a_browser_that_comes_back_gets_what_it_missed(feed: Feed) -> None:
    name = feed.snapshot().name
    feed.publish({"squares": "w.b"})
    headers = {"Last-Event-ID": name}
    with make(feed).test_client().get("/events", buffered=False, headers=headers) as answer:
        chunks = answer.iter_encoded()
        next(chunks)
        assert parse(next(chunks)) == ("change", {"squares": "w.b"})


def test_silence_is_broken_by_a_heartbeat(feed: Feed) -> None:
    app = make(feed, heartbeat_s=0.05)
    with app.test_client().get("/events", buffered=False) as answer:
        chunks = answer.iter_encoded()
        assert [next(chunks)[:1] for _ in range(4)][-2:] == [b":", b":"]


def test_a_stream_ends_in_time_and_at_the_end_of_the_run(feed: Feed) -> None:
    app = make(feed, stream_s=0.05, heartbeat_s=0.02)
    with app.test_client().get("/events", buffered=False) as answer:
        assert len(list(answer.iter_encoded())) < 10
    threading.Timer(0.05, feed.close).start()
    with make(feed).test_client().get("/events", buffered=False) as answer:
        assert len(list(answer.iter_encoded())) == 2


def test_one_stream_too_many_is_told_to_come_back(feed: Feed) -> None:
    app = make(feed, streams=2)
    clients = [app.test_client().get("/events", buffered=False) for _ in range(2)]
    refused = app.test_client().get("/events")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
    clients[0].close()
    with app.test_client().get("/events", buffered=False) as answer:
        assert answer.status_code == 200
    clients[1].close()


def parse(chunk: bytes) -> tuple[str, object]:
    lines = dict(line.split(": ", 1) for line in chunk.decode().strip().splitlines())
    return lines["event"], json.loads(lines["data"])


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("fi", "fi"),
        ("el-GR,el;q=0.9", "el"),
        ("vi-VN;q=0.3,sv;q=0.9", "vi"),
        ("zh-TW,zh;q=0.9,en;q=0.8", "zh-Hant"),
        ("zh-CN,en;q=0.8", "zh-Hant"),
        ("sv,de;q=0.5", "en"),
        ("x" * 300, "en"),
        ("", "en"),
    ],
)
def test_the_browser_names_the_language(client: FlaskClient, accepted: str, language: str) -> None:
    page = client.get("/", headers={"Accept-Language": accepted}).get_data(as_text=True)
    assert f'<html lang="{language}">' in page


def test_a_choice_goes_before_the_browser_and_is_kept(client: FlaskClient) -> None:
    headers = {"Accept-Language": "fi"}
    assert '<html lang="el">' in client.get("/?lang=el", headers=headers).get_data(as_text=True)
    assert '<html lang="el">' in client.get("/", headers=headers).get_data(as_text=True)
    assert '<html lang="vi">' in client.get("/?lang=vi", headers=headers).get_data(as_text=True)
    # What is no language is no choice.
    assert '<html lang="vi">' in client.get("/?lang=xx", headers=headers).get_data(as_text=True)


def test_the_page_holds_no_english_in_another_language(client: FlaskClient) -> None:
    page = client.get("/?lang=fi").get_data(as_text=True)
    shown = re.sub(r"<script.*?</script>|<svg.*?</svg>|<nav.*?</nav>", "", page, flags=re.DOTALL)
    assert "Siirry siirtoihin" in shown
    for english in ("Hint", "Moves", "Camera", "White", "Skip", "the "):
        assert english not in shown


def test_each_viewer_gets_the_state_in_words_of_their_own(client: FlaskClient, feed: Feed) -> None:
    feed.publish({"banner": Worded({"en": "White to move", "zh-Hant": "輪到白方走"}), "moves": []})
    assert client.get("/state?lang=en").get_json()["banner"] == "White to move"
    assert client.get("/state?lang=zh-Hant").get_json() == {"banner": "輪到白方走", "moves": []}
    stream = client.get("/events?lang=zh-Hant", buffered=False)
    first = "".join(part.decode() for part, _ in zip(stream.response, range(2), strict=False))
    stream.close()
    assert '"輪到白方走"' in first


def test_what_is_refused_is_explained_in_the_language_of_who_asked(feed: Feed) -> None:
    def fail(_: str) -> None:
        raise Unusable("no such thing")

    actions = Actions(
        lambda _: {},
        str,
        status_of=lambda e: 400 if isinstance(e, Unusable) else None,
        say_error=lambda error, language: f"{error} ({language})",
        act=fail,
    )
    client = create_app(feed, actions, hosts=("localhost",)).test_client()
    answer = client.post("/act?lang=el", json={"action": "x"}, headers=OURS)
    assert answer.status_code == 400
    assert answer.get_json()["error"] == {"kind": "Unusable", "text": "no such thing (el)"}
