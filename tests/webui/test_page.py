"""The page in a real browser: what it shows, by mouse, by keyboard, and when things go wrong."""

import os
import re
import shutil
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from crownhead.webui.app import Actions, Limits, create_app
from crownhead.webui.feed import Feed, Worded
from crownhead.webui.server import Server, hosts_of

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = sync_api.expect

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("CROWNHEAD_CHROMIUM") or next(
    filter(None, map(shutil.which, NAMES)), None
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None, reason="no Chromium here: install it or set CROWNHEAD_CHROMIUM"
    ),
]

PLACES = [(row, column) for row in range(8) for column in range(8) if (row + column) % 2]
GAME = {
    "variant": "english", "size": 8, "first": "black", "started": True,
    "start": "b" * 12 + "." * 8 + "w" * 12, "places": PLACES,
    "names": [str(n) for n in range(1, 33)], "white_side": "bottom",
}  # fmt: skip

ABOUT = {"title": "English draughts", "note": ""}


def squares(**changes: str) -> str:
    """Return the start position with some squares changed, as in ``squares(s11=".", s15="b")``."""
    signs = list(str(GAME["start"]))
    for name, sign in changes.items():
        signs[int(name[1:]) - 1] = sign
    return "".join(signs)


def ply(number: int, move: str, after: str, **more: object) -> dict[str, object]:
    path = [int(part) for part in re.split("[-x]", move)]
    side = "black" if number % 2 else "white"
    plain = {"captured": [], "legal": True, "rule": None, "inferred": False, "at_s": number}
    return {
        "ply": number,
        "side": side,
        "move": move,
        "path": path,
        "squares": after,
        **plain,
        **more,
    }


ONE = squares(s11=".", s15="b")
TWO = squares(s11=".", s15="b", s22=".", s18="w")
THREE = squares(s11=".", s15=".", s22="b", s18=".")
MOVES = [
    ply(1, "11-15", ONE),
    ply(2, "22-18", TWO),
    ply(3, "15x22", THREE, captured=[18]),
]
CALM = {"level": "ok", "title": "White to move", "text": "Black played 15x22."}
INCIDENT = {
    "number": 1, "kind": "illegal-move", "rule": "must-capture", "squares": [24, 19],
    "restore": [[24, ".", "w"], [19, "w", "."]],
}  # fmt: skip
ALARM = {"level": "alarm", "title": "Illegal move: 24-19", "text": "White must capture: 25x18."}
OVERLAY = {
    "width": 640, "height": 480,
    "lines": [[[100 + 40 * i, 80], [100 + 40 * i, 400]] for i in range(9)],
    "cells": [[[100 + 40 * c, 80 + 40 * r], [140 + 40 * c, 80 + 40 * r],
               [140 + 40 * c, 120 + 40 * r], [100 + 40 * c, 120 + 40 * r]] for r, c in PLACES],
}  # fmt: skip
CAMERA = {"word": "live", "text": "The camera is live.", "sight": ""}


class Stage:
    """A served page with a feed that the test holds."""

    def __init__(self, port: int = 0, limits: Limits | None = None) -> None:
        self.feed = Feed()
        hint = {"move": "25x18", "path": [25, 18], "text": "White could play 25x18."}
        self.asked: list[str] = []
        self.corners: list[dict] = []
        actions = Actions(
            lambda _: dict(hint),
            lambda: "[Result *]\n\n1. 11-15 *\n",
            act=self.asked.append,
            corners=self.corners.append,
        )
        app = create_app(self.feed, actions, hosts=hosts_of("127.0.0.1"), limits=limits)
        self.server = Server(app, self.feed, "127.0.0.1", port)
        self.feed.publish({
            "game": GAME, "about": ABOUT, "squares": THREE, "moves": MOVES,
            "incident": None, "banner": CALM,
            "camera": CAMERA, "overlay": OVERLAY, "record": {"ok": True, "text": ""},
        })  # fmt: skip
        self.feed.show(0, np.full((480, 640, 3), 90, np.uint8))


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    stage = Stage(limits=getattr(request, "param", None))
    yield stage
    stage.server.close()


@pytest.fixture
def visit(browser, stage: Stage) -> Iterator[Callable[..., object]]:
    contexts = []
    complaints: list[str] = []

    def visit(width: int = 1280, height: int = 800, scheme: str = "light") -> object:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: (
                complaints.append(message.text)
                if message.type == "error"
                and "ERR_" not in message.text
                and "503" not in message.text
                else None
            ),
        )
        page.goto(stage.server.url)
        expect(page.locator("#banner-title")).to_have_text("White to move")
        return page

    yield visit
    for context in contexts:
        context.close()
    assert complaints == []


def pieces(page, side: str) -> int:
    return page.locator(f"#board circle.man-{side}:not(.ring)").count()


def test_board_moves_and_camera_are_shown(visit) -> None:
    page = visit()
    assert (pieces(page, "black"), pieces(page, "white")) == (12, 11)
    assert page.locator("#moves button").all_text_contents() == ["11-15", "22-18", "15x22"]
    assert page.locator("#moves th").all_text_contents() == ["No.", "Black", "White"]
    expect(page.locator("#frame")).to_be_visible()
    assert page.locator("#grid .grid-line").count() == 9
    expect(page.locator("#camera-word")).to_have_text("live")
    expect(page.locator("#board-text")).to_contain_text("white men: 21, 23, 24")


@pytest.mark.parametrize("width", [390, 768, 1280, 1920])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_screen(visit, width: int, scheme: str) -> None:
    page = visit(width, 900, scheme)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width
    box = page.locator("#board").bounding_box()
    assert box["width"] == pytest.approx(box["height"], abs=1)
    assert box["width"] >= min(width * 0.35, 600)


def test_a_wide_screen_shows_everything_without_scrolling(visit) -> None:
    page = visit(1280, 800)
    assert page.evaluate("document.documentElement.scrollHeight") <= 800
    size = page.evaluate("parseFloat(getComputedStyle(document.querySelector('h1')).fontSize)")
    assert size >= 48


def test_a_move_appears_by_itself_and_is_announced(visit, stage: Stage) -> None:
    page = visit()
    after = squares(s11=".", s15=".", s22=".", s18="w", s25=".")
    more = [*MOVES, ply(4, "25x18", after, captured=[22])]
    title = {"level": "ok", "title": "Black to move", "text": "White played 25x18."}
    stage.feed.publish({"moves": more, "squares": after, "banner": title})
    expect(page.locator("#banner-title")).to_have_text("Black to move")
    expect(page.locator("#moves button")).to_have_count(4)
    expect(page.locator("#say")).to_have_text("White played 25x18. Black to move")
    assert pieces(page, "black") == 11


def test_an_illegal_move_is_shown_by_shape_and_words(visit, stage: Stage) -> None:
    page = visit()
    stage.feed.publish({"incident": INCIDENT, "banner": ALARM})
    expect(page.locator("#banner")).to_have_attribute("data-level", "alarm")
    expect(page.locator("#banner-title")).to_have_text("Illegal move: 24-19")
    expect(page.locator("#alarm")).to_contain_text("White must capture: 25x18.")
    assert page.locator("#banner-restore li").all_text_contents() == [
        "put a white man on 24",
        "take the white man off 19",
    ]
    assert page.locator("#board .mark-wrong").count() == 2
    assert page.locator("#board .mark-put").count() == 1
    assert page.locator("#board .mark-lift").count() == 1
    assert page.locator("#grid .cell-wrong").count() == 2
    stage.feed.publish({"incident": None, "banner": CALM})
    expect(page.locator("#board .mark-wrong")).to_have_count(0)
    expect(page.locator("#banner-restore")).to_be_hidden()


def test_the_opponent_lets_a_move_stand_by_pressing_twice(visit, stage: Stage) -> None:
    page = visit()
    expect(page.locator("#let-stand")).to_be_hidden()
    stage.feed.publish({"incident": INCIDENT | {"may_stand": True}, "banner": ALARM})
    button = page.locator("#let-stand")
    button.click()
    expect(button).to_have_text("Let it stand: press again")
    assert stage.asked == []
    # The button is itself again before the answer is there.
    with page.expect_response(lambda answer: "/act" in answer.url):
        button.click()
    expect(button).to_have_text("Let it stand")
    assert stage.asked == ["let-stand"]


def test_counts_towards_a_draw_are_shown_and_a_claim_is_offered(visit, stage: Stage) -> None:
    page = visit()
    expect(page.locator("#counters")).to_be_hidden()
    text = "Moves with kings only: 14 of 15"
    stage.feed.publish({
        "counters": [{"text": text, "so_far": 14, "limit": 15}],
        "offences": {"white": 1, "black": 0, "allowed": 1},
        "may_claim": True,
    })  # fmt: skip
    expect(page.locator("#counters li").first).to_have_text(text)
    expect(page.locator("#counters li").last).to_contain_text("White 1, Black 0")
    page.locator("#claim").click()
    page.locator("#claim").click()
    expect(page.locator("#ends")).not_to_have_attribute("open", "")
    assert stage.asked == ["claim-draw"]


def test_corners_are_dragged_to_where_the_board_is(visit, stage: Stage) -> None:
    page = visit()
    expect(page.locator("#corner-tools")).to_be_hidden()
    stage.feed.publish({"game": GAME | {"started": False}, "moves": []})
    expect(page.locator("#frame")).to_be_visible()
    page.locator("#set-corners").click()
    handles = page.locator("#handles .handle")
    expect(handles).to_have_count(4)
    box = page.locator("#frame").bounding_box()
    first = handles.first.bounding_box()
    page.mouse.move(first["x"] + first["width"] / 2, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + box["height"] * 0.1, steps=5)
    page.mouse.up()
    handles.nth(2).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowUp")
    page.locator("#use-corners").click()
    expect(page.locator("#corner-text")).to_have_text("The corners are taken.")
    (sent,) = stage.corners
    assert (sent["width"], sent["height"]) == (640, 480)
    assert np.allclose(sent["corners"][0], (160, 48), atol=2)
    assert np.allclose(sent["corners"][1:], [(512, 96), (513, 374), (128, 384)], atol=0.1)


def test_what_was_irregular_can_be_read_after_it_was_settled(visit, stage: Stage) -> None:
    page = visit()
    expect(page.locator("#irregular")).to_be_hidden()
    first = {
        "at": "0:06.0",
        "title": "Illegal move 24-19",
        "text": "White must capture: 25x18.",
        "resolution": "taken-back",
    }
    second = {**first, "at": "0:09.0", "title": "Position disturbed", "resolution": "open"}
    stage.feed.publish({"irregularities": [first, second]})
    items = page.locator("#irregular li")
    expect(items).to_have_count(2)
    assert items.nth(0).text_content().startswith("0:09.0 Position disturbed, not settled yet")
    assert "Illegal move 24-19, taken back" in items.nth(1).text_content()
    assert page.locator("#irregular li.settled").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_before_the_start_the_page_shows_how_to_set_up(visit, stage: Stage) -> None:
    page = visit()
    waiting = {"level": "wait", "title": "Looking for the board", "text": "Set up."}
    stage.feed.publish({
        "game": {**GAME, "started": False}, "squares": GAME["start"], "moves": [],
        "banner": waiting,
    })  # fmt: skip
    expect(page.locator("#banner-title")).to_have_text("Looking for the board")
    expect(page.locator("#board .ghost")).to_have_count(24)
    expect(page.locator("#hint")).to_be_disabled()
    expect(page.locator("#no-moves")).to_be_visible()


def test_kings_look_different_from_men(visit, stage: Stage) -> None:
    page = visit()
    stage.feed.publish({"squares": "W" + "." * 30 + "B"})
    expect(page.locator("#board .crown-white")).to_have_count(1)
    expect(page.locator("#board .crown-black")).to_have_count(1)
    assert pieces(page, "white") == 2  # a king is two men, one on the other


def test_earlier_positions_by_keyboard_and_by_mouse(visit) -> None:
    page = visit()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#past-text")).to_have_text("After move 1: 22-18")
    assert pieces(page, "white") == 12
    page.keyboard.press("Home")
    expect(page.locator("#past-text")).to_have_text("The start position")
    page.locator("#moves button").nth(0).click()
    expect(page.locator("#past-text")).to_have_text("After move 1: 11-15")
    expect(page.locator("#moves button").nth(0)).to_have_attribute("aria-current", "true")
    page.locator("#to-live").click()
    expect(page.locator("#past")).to_be_hidden()
    assert pieces(page, "white") == 11


def test_a_move_chosen_on_a_narrow_screen_is_seen(visit) -> None:
    page = visit(390, 500)
    page.locator("#moves button").nth(0).click()
    expect(page.locator("#past-text")).to_be_in_viewport(ratio=1)
    banner = page.locator("#banner").bounding_box()
    board = page.locator("#board").bounding_box()
    assert board["y"] >= banner["y"] + banner["height"]
    assert board["y"] + board["height"] / 2 < 500


def test_the_board_turns(visit) -> None:
    page = visit()
    label = "#board .sq-number:has-text('32')"
    before = page.locator(label).bounding_box()["y"]
    page.locator("#flip").click()
    expect(page.locator("#flip")).to_have_attribute("aria-pressed", "true")
    assert page.locator(label).bounding_box()["y"] < before


def test_the_hint_is_drawn_and_said(visit) -> None:
    page = visit()
    page.locator("#hint").click()
    expect(page.locator("#hint-text")).to_have_text("White could play 25x18.")
    expect(page.locator("#board .hint-path")).to_have_count(1)


def test_the_score_can_be_taken_home(visit) -> None:
    page = visit()
    with page.expect_download() as download:
        page.locator("#download").click()
    assert download.value.suggested_filename == "game.pdn"


def test_a_lost_camera_and_a_full_disk_are_told(visit, stage: Stage) -> None:
    page = visit()
    lost = {"level": "lost", "title": "Camera lost", "text": "Check its cable."}
    stage.feed.publish({
        "banner": lost, "camera": {**CAMERA, "word": "lost", "text": "Check its cable."},
        "record": {"ok": False, "text": "The disk is full."},
    })  # fmt: skip
    expect(page.locator("#banner-title")).to_have_text("Camera lost")
    expect(page.locator("#camera-word")).to_have_text("lost")
    expect(page.locator("#record-text")).to_have_text("The disk is full.")


def test_the_picture_moves_on(visit, stage: Stage) -> None:
    page = visit()
    expect(page.locator("#frame")).to_be_visible()
    with page.expect_response(lambda answer: "/frame.jpg?after=0" in answer.url) as caught:
        stage.feed.show(1, np.full((480, 640, 3), 200, np.uint8))
    assert caught.value.headers["x-picture"] == "1"


def test_the_page_says_when_the_program_is_gone_and_comes_back_with_it(visit, stage: Stage) -> None:
    page = visit()
    port = stage.server.port
    stage.server.close()
    expect(page.locator("#banner-title")).to_have_text("No connection", timeout=15_000)
    again = Stage(port)
    try:
        expect(page.locator("#banner-title")).to_have_text("White to move", timeout=15_000)
    finally:
        again.server.close()


@pytest.mark.parametrize("stage", [Limits(stream_s=0.5)], indirect=True)
def test_a_stream_that_ends_and_comes_back_without_news_is_no_lost_connection(visit) -> None:
    page = visit()
    page.wait_for_timeout(6000)
    expect(page.locator("#banner-title")).to_have_text("White to move")
    expect(page.locator("#picture")).to_have_attribute("data-word", "live")


def test_every_control_can_be_reached_by_keyboard(visit) -> None:
    page = visit()
    seen = set()
    for _ in range(20):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
    assert {"flip", "hint", "download", "first", "back", "11-15", "15x22"} <= seen


CONTRAST = """
() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const node of document.querySelectorAll("h1, h2, p, li, button, a, th, td, span")) {
    if (!node.textContent.trim() || !node.checkVisibility() || node.disabled) continue;
    const [a, b] = [light(parse(getComputedStyle(node).color)), light(behind(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const least = node.closest("#banner") ? 7 : 4.5;
    const text = node.textContent.trim().slice(0, 20);
    if (ratio < least) poor.push(`${node.tagName} ${text} ${ratio.toFixed(1)}`);
  }
  return poor;
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("level", ["ok", "wait", "alarm", "lost", "over"])
def test_all_text_has_contrast(visit, stage: Stage, scheme: str, level: str) -> None:
    page = visit(scheme=scheme)
    stage.feed.publish({"banner": {"level": level, "title": level, "text": "Words."}})
    expect(page.locator("#banner-title")).to_have_text(level)
    assert page.evaluate(CONTRAST) == []


def test_the_page_speaks_the_language_chosen(visit, stage: Stage) -> None:
    page = visit()
    for key, languages in (
        ("banner", {"en": ALARM, "fi": ALARM | {"title": "Laiton siirto: 24-19"}}),
        ("about", {"en": ABOUT, "fi": {"title": "Englantilainen tammi", "note": ""}}),
    ):
        stage.feed.publish({key: Worded(languages)})
    stage.feed.publish({"incident": INCIDENT})
    page.get_by_role("link", name="Suomi").click()
    expect(page.locator("html")).to_have_attribute("lang", "fi")
    expect(page.locator("#banner-title")).to_have_text("Laiton siirto: 24-19")
    expect(page.locator("#banner-restore")).to_contain_text("aseta valkoinen sotilas ruutuun 24")
    expect(page.locator("#game-line")).to_have_text("Englantilainen tammi")
    expect(page.locator("#board-text")).to_contain_text("valkoiset sotilaat:")
    expect(page.locator("#hint")).to_have_text("Vihje")
    page.get_by_role("link", name="English").click()
    expect(page.locator("#banner-title")).to_have_text("Illegal move: 24-19")
