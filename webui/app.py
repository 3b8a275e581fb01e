"""The Flask page: a board, a picture, a record, and a stream that keeps them fresh."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Response, current_app, render_template, request
from werkzeug.exceptions import HTTPException

from crownhead.rules.catalogue import Language
from crownhead.webui.feed import Feed
from crownhead.webui.words import preferred, table

log = logging.getLogger(__name__)

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:;"
    " connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


YEAR_S = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Limits:
    """How much the page gives at once.

    Attributes:
        streams: event streams at a time; one more is told to come back later.
        stream_s: seconds after which a stream ends; the browser reconnects by itself.
        heartbeat_s: seconds of silence after which a comment proves that the line is up.
        pictures: requests that may wait for a picture at a time.
        picture_wait_s: seconds that one of them waits.
        body_bytes: size of the largest request body.
    """

    streams: int = 16
    stream_s: float = 900.0
    heartbeat_s: float = 10.0
    pictures: int = 10
    picture_wait_s: float = 2.0
    body_bytes: int = 16_384


@dataclass(frozen=True, slots=True)
class Actions:
    """What the page can ask of the application.

    Attributes:
        suggest: returns a good move as a JSON object, in words of a language; may take a second.
        score: returns the game so far as PDN.
        status_of: HTTP status of an exception that a user can cause, None for our own faults.
        say_error: says such an exception in a language.
        act: does what a player says of the game, by the name of the action; returns when it is
            done, and raises what ``status_of`` knows if it means nothing now.
        corners: takes a person's word for where the board's outer corners are: ``corners``, four
            (x, y) in pixels of a picture of ``width`` x ``height``.
    """

    suggest: Callable[[Language], dict[str, object]]
    score: Callable[[], str]
    status_of: Callable[[Exception], int | None] = lambda _: None
    say_error: Callable[[Exception, Language], str] = lambda error, _: str(error)
    act: Callable[[str], None] = lambda _: None
    corners: Callable[[dict[str, Any]], None] = lambda _: None


class Turnstile:
    """Lets so many in at a time."""

    def __init__(self, places: int) -> None:
        self._free = threading.BoundedSemaphore(places)

    def enter(self) -> bool:
        """Take a place; return whether there was one."""
        return self._free.acquire(blocking=False)

    def leave(self) -> None:
        """Give the place back."""
        self._free.release()


def create_app(
    feed: Feed, actions: Actions, *, hosts: tuple[str, ...], limits: Limits | None = None
) -> Flask:
    """Build the page.

    Args:
        feed: what to show; when it is closed, all streams end.
        actions: what the page may ask for.
        hosts: host names and addresses by which the page may be called, without ports.
        limits: how much it gives at once.
    """
    limits = limits or Limits()
    app = Flask(__name__)
    app.config.update(
        TRUSTED_HOSTS=list(hosts),
        MAX_CONTENT_LENGTH=limits.body_bytes,
        MAX_FORM_MEMORY_SIZE=limits.body_bytes,
        MAX_FORM_PARTS=10,
    )
    app.json.sort_keys = False  # type: ignore[attr-defined]  # the default provider has it
    app.register_blueprint(_pages(feed, actions, limits))
    app.before_request(_refuse_strangers)
    app.after_request(_secure)
    app.register_error_handler(Exception, _error_handler(actions))
    return app


def _pages(feed: Feed, actions: Actions, limits: Limits) -> Blueprint:
    pages = Blueprint("pages", __name__)
    streams = Turnstile(limits.streams)
    pictures = Turnstile(limits.pictures)
    thinking = Turnstile(1)

    @pages.get("/")
    def index() -> Response:
        language = _language()
        page = render_template(
            "index.html", words=table(language), language=language, languages=list(Language)
        )
        response = Response(page, mimetype="text/html")
        if "lang" in request.args:
            # Kept for a year; any page may know which language is read here.
            response.set_cookie("lang", language.value, max_age=YEAR_S, samesite="Lax")
        return response

    @pages.get("/favicon.ico")
    def favicon() -> Response:
        return current_app.send_static_file("icon.svg")

    @pages.get("/ping")
    def ping() -> Response:
        return Response("ok\n", mimetype="text/plain")

    @pages.get("/state")
    def state() -> Response:
        update = feed.snapshot(_language().value)
        response = Response(update.data, mimetype="application/json")
        response.headers["X-Event-Id"] = update.name
        return response

    @pages.get("/events")
    def events() -> Response:
        if feed.is_closed or not streams.enter():
            return _busy("Too many pages are open; this one connects when another is closed.", 5)
        gone = request.environ.get("waitress.client_disconnected", lambda: False)
        response = Response(
            _stream(feed, request.headers.get("Last-Event-ID"), gone, limits, _language()),
            mimetype="text/event-stream",
        )
        response.headers["X-Accel-Buffering"] = "no"
        response.call_on_close(streams.leave)
        return response

    @pages.get("/frame.jpg")
    def frame() -> Response:
        after = request.args.get("after", "-1")
        if not after.removeprefix("-").isdecimal() or len(after) > 12:
            return _problem(400, "bad-request", "after must be the number of a picture.")
        if not pictures.enter():
            return _busy("Too many pages ask for pictures.", 1)
        try:
            picture = feed.picture(int(after), limits.picture_wait_s)
        finally:
            pictures.leave()
        if picture is None:
            return Response(status=204)
        response = Response(picture.jpeg, mimetype="image/jpeg")
        response.headers["X-Picture"] = str(picture.number)
        return response

    @pages.get("/game.pdn")
    def game() -> Response:
        response = Response(actions.score(), content_type="text/plain; charset=utf-8")
        response.headers["Content-Disposition"] = 'attachment; filename="game.pdn"'
        return response

    @pages.post("/hint")
    def hint() -> Response:
        if not thinking.enter():
            return _busy("A hint is being thought of already.", 1)
        try:
            found = actions.suggest(_language())
        finally:
            thinking.leave()
        return Response(json.dumps(found, ensure_ascii=False), mimetype="application/json")

    @pages.post("/act")
    def act() -> Response:
        asked = request.get_json(silent=True)
        action = asked.get("action") if isinstance(asked, dict) else None
        if not isinstance(action, str):
            return _problem(400, "bad-request", 'An action is asked for as {"action": name}.')
        actions.act(action)
        return Response(status=204)

    @pages.post("/corners")
    def corners() -> Response:
        asked = request.get_json(silent=True)
        if not isinstance(asked, dict):
            return _problem(400, "bad-request", "Corners are given as a JSON object.")
        actions.corners(asked)
        return Response(status=204)

    return pages


def _stream(
    feed: Feed, name: str | None, gone: Callable[[], bool], limits: Limits, language: Language
) -> Iterator[bytes]:
    """Yield server-sent events until the client goes, the run ends, or the time is up."""
    yield b"retry: 1000\n\n"
    began_s = spoke_s = time.monotonic()
    while not feed.is_closed and not gone():
        now = time.monotonic()
        if now - began_s > limits.stream_s:
            return
        # Short waits: a browser that left is noticed, and its place freed, within a second.
        update = feed.since(name, min(1.0, limits.heartbeat_s), language.value)
        if update is not None:
            name = update.name
            kind = "whole" if update.is_whole else "change"
            yield f"id: {name}\nevent: {kind}\ndata: {update.data}\n\n".encode()
            spoke_s = time.monotonic()
        elif time.monotonic() - spoke_s >= limits.heartbeat_s:
            yield b": still here\n\n"
            spoke_s = time.monotonic()


def _language() -> Language:
    """Return the language of who asks: by the address, by an earlier choice, by the browser."""
    accepted = [tag for tag, _ in request.accept_languages]
    return preferred(request.args.get("lang"), request.cookies.get("lang"), accepted)


def _refuse_strangers() -> Response | None:
    """Refuse what changes something unless our own page asks for it.

    `SameSite` cookies and `Sec-Fetch-Site` do not tell another port of this machine apart;
    browsers send `Origin` with every POST.
    """
    host = request.host  # raises for a host that is not ours
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return None
    origin = request.headers.get("Origin", "")
    try:
        is_ours = urlsplit(origin)[:2] == (request.scheme, host) and origin.count("/") == 2
    except ValueError:
        is_ours = False
    if is_ours:
        return None
    return _problem(403, "foreign-origin", "Only this page itself may ask for that.")


def _secure(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = CONTENT_POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    # Always asked for anew: an update of the program must not meet an old script.
    response.headers["Cache-Control"] = (
        "no-cache" if request.path.startswith("/static/") else "no-store"
    )
    return response


def _error_handler(actions: Actions) -> Callable[[Exception], Response]:
    def handle(error: Exception) -> Response:
        if isinstance(error, HTTPException):
            if error.response is not None or (error.code or 500) < 400:
                return Response(error.get_body(), error.code, error.get_headers())
            name = error.name.lower().replace(" ", "-")
            return _problem(error.code or 500, name, error.description or error.name)
        status = actions.status_of(error)
        if status is not None:
            text = actions.say_error(error, _language())
            return _problem(status, type(error).__name__, text)
        log.error("the page failed at %s", request.path, exc_info=error)
        return _problem(500, "our-fault", "The program made a mistake; its log says more.")

    return handle


def _problem(status: int, kind: str, text: str) -> Response:
    """Return an error in the one shape that all have."""
    body = json.dumps({"error": {"kind": kind, "text": text}}, ensure_ascii=False)
    return Response(body + "\n", status, mimetype="application/json")


def _busy(text: str, retry_s: int) -> Response:
    response = _problem(503, "busy", text)
    response.headers["Retry-After"] = str(retry_s)
    return response
