import io
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from crownhead.errors import EXIT_USAGE, CrownheadError, DeviceError, exit_code
from crownhead.events import (
    Event,
    GameEnded,
    GameStarted,
    IncidentKind,
    IncidentOpened,
    IncidentResolved,
    MovePlayed,
    MoveTakenBack,
    Resolution,
    SightChanged,
)
from crownhead.hardware.lights import open_lights
from crownhead.hardware.plan import Meaning
from crownhead.presentation import (
    banner,
    camera_text,
    clock,
    light_plan,
    page_state,
    score_of,
    squares_of,
)
from crownhead.record import Record, fold
from crownhead.rules.catalogue import Language
from crownhead.rules.geometry import place_of
from crownhead.rules.message import message
from crownhead.rules.pdn import read_games
from crownhead.rules.position import Side, Square
from crownhead.rules.variant import variant_named
from crownhead.sinks import JsonLines, LightSink, Page, PdnFile, PlainLines, Sinks, write_whole
from crownhead.sources import Kind, SourceInfo, SourceState, Word
from crownhead.webui.feed import Feed
from crownhead.webui.overlay import Overlay

VARIANT = variant_named("international")
LIVE = SourceState(Word.LIVE, "The camera is live.")
START = GameStarted(0, 0.0, "international", "W:W31-50:B1-20", 10, ((0.0, 0.0),) * 4, "bottom")
FIRST = MovePlayed(20, 2.0, 1, "white", "32-28", "B:W28,31,33-50:B1-20", 0.99, (32, 28))
SECOND = MovePlayed(40, 4.0, 2, "black", "19-23", "W:W28,31,33-50:B1-18,20,23", 0.99, (19, 23))
ILLEGAL = IncidentOpened(
    60, 6.0, 1, IncidentKind.ILLEGAL_MOVE, "White must capture: 28x19.", "must-capture",
    "34-29", ("28x19",), ((34, ".", "w"), (29, "w", ".")),
)  # fmt: skip
PUT_RIGHT = IncidentResolved(80, 8.0, 1, Resolution.TAKEN_BACK, "The position is as it was.")


def title(events: list[Event], source: SourceState = LIVE) -> tuple[str, str]:
    words = banner(fold(events), VARIANT, source)
    return words["level"], words["title"]


@pytest.mark.parametrize(
    ("events", "source", "expected"),
    [
        ([], LIVE, ("wait", "Looking for the board")),
        ([START], LIVE, ("ok", "White to move")),
        ([START, FIRST], LIVE, ("ok", "Black to move")),
        ([START, FIRST, SECOND, ILLEGAL], LIVE, ("alarm", "Illegal move: 34-29")),
        ([START, FIRST, SECOND, ILLEGAL, PUT_RIGHT], LIVE, ("ok", "White to move")),
        (
            [START, SightChanged(9, 1.0, "blocked", "A hand.")],
            LIVE,
            ("wait", "The view is blocked"),
        ),
        ([START, SightChanged(9, 1.0, "moving", "A hand.")], LIVE, ("ok", "White to move")),
        (
            [START, IncidentOpened(9, 1.0, 1, IncidentKind.BOARD_MOVED, "Moved.")],
            LIVE,
            ("wait", "The board has moved"),
        ),
        ([START, FIRST], SourceState(Word.LOST, "Gone."), ("lost", "Camera lost")),
        (
            [START, FIRST, SECOND, ILLEGAL],
            SourceState(Word.FROZEN, "Same."),
            ("lost", "The picture stands still"),
        ),
        ([START, GameEnded(9, 1.0, "2-0", "")], LIVE, ("over", "White wins")),
        ([START, GameEnded(9, 1.0, "0-1", "")], LIVE, ("over", "Black wins")),
        ([START, GameEnded(9, 1.0, "1/2-1/2", "")], LIVE, ("over", "Draw")),
    ],
)  # fmt: skip
def test_the_banner_says_the_one_thing_to_know(
    events: list[Event], source: SourceState, expected: tuple[str, str]
) -> None:
    assert title(events, source) == expected


def test_a_position_is_one_sign_a_square() -> None:
    assert squares_of("W:W46,K50:B1,K5", VARIANT) == "b...B" + "." * 40 + "w...W"


def test_the_page_gets_the_board_the_moves_and_what_is_wrong() -> None:
    state = json.loads(json.dumps(page_state(fold([START, FIRST, SECOND, ILLEGAL]), VARIANT)))
    assert state["game"]["places"][0] == [0, 1]
    assert state["game"]["names"][49] == "50"
    assert state["squares"][22] == "b"
    assert [move["squares"][27] for move in state["moves"]] == ["w", "w"]
    assert state["incident"]["squares"] == [34, 29]
    assert state["incident"]["restore"] == [[34, ".", "w"], [29, "w", "."]]


def test_what_was_irregular_stays_on_the_page_after_it_was_settled() -> None:
    moved = IncidentOpened(61, 6.1, 2, IncidentKind.BOARD_MOVED, "The board was moved.")
    state = page_state(fold([START, FIRST, SECOND, ILLEGAL, moved, PUT_RIGHT]), VARIANT)
    assert state["incident"] is None or state["incident"]["number"] == 2
    assert state["irregularities"] == [
        {
            "at": "0:06.0",
            "title": "Illegal move 34-29",
            "text": "White must capture: 28x19.",
            "resolution": "taken-back",
        }
    ]


def test_before_the_start_the_page_shows_the_position_to_set_up() -> None:
    state = page_state(Record(), VARIANT)
    game = state["game"]
    assert isinstance(game, dict)
    assert (game["started"], game["start"]) == (False, "b" * 20 + "." * 10 + "w" * 20)
    assert state["squares"] == game["start"]


def test_a_game_on_algebraic_squares_bears_their_names() -> None:
    russian = variant_named("russian")
    start = GameStarted(0, 0.0, "russian", "W:W21-32:B1-12", 8, (), "bottom")
    opened = IncidentOpened(5, 0.5, 1, IncidentKind.ILLEGAL_MOVE, "No.", seen="c3-e5")
    state = page_state(fold([start, opened]), russian)
    game, incident = state["game"], state["incident"]
    assert isinstance(game, dict)
    assert isinstance(incident, dict)
    assert [game["names"][square - 1] for square in incident["squares"]] == ["c3", "e5"]


def test_the_lights_show_the_last_move_and_then_what_is_wrong() -> None:
    def lit(*events: Event) -> dict[tuple[int, int], Meaning]:
        return dict(light_plan(fold(events), VARIANT).lit)

    def at(square: int) -> tuple[int, int]:
        return place_of(VARIANT, Square(square))

    assert lit() == {}
    assert lit(START, FIRST) == {at(32): Meaning.LAST_MOVE, at(28): Meaning.LAST_MOVE}
    wrong = lit(START, FIRST, SECOND, ILLEGAL)
    assert set(wrong) == {at(34), at(29)}
    assert Meaning.LAST_MOVE not in wrong.values()
    assert lit(START, FIRST, SECOND, ILLEGAL, PUT_RIGHT) == {
        at(19): Meaning.LAST_MOVE,
        at(23): Meaning.LAST_MOVE,
    }


def test_a_port_that_does_not_exist_never_stops_the_game() -> None:
    sink = LightSink(open_lights("/dev/no-such-port", 10), VARIANT)
    lines = io.StringIO()
    sinks = Sinks([sink, JsonLines(lines)])
    for event in (START, FIRST, SECOND):
        sinks.put(event)
    sinks.close()
    assert len(lines.getvalue().splitlines()) == 3


class Broken:
    """A sink that fails each time."""

    def __init__(self) -> None:
        self.calls = 0

    def put(self, event: Event) -> None:
        self.calls += 1
        raise OSError("no")

    def close(self) -> None:
        raise AssertionError("it was left out already")


def test_a_sink_that_fails_is_left_out_and_the_others_go_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken, lines = Broken(), io.StringIO()
    sinks = Sinks([broken, JsonLines(lines)])
    for event in (START, FIRST, SECOND):
        sinks.put(event)
    sinks.close()
    assert broken.calls == 1
    assert [json.loads(line)["type"] for line in lines.getvalue().splitlines()] == [
        "GameStarted",
        "MovePlayed",
        "MovePlayed",
    ]
    assert "Broken failed and is left out" in caplog.text


def test_a_file_that_cannot_be_written_is_told_in_one_sentence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lines = io.StringIO()
    path = tmp_path / "gone" / "game.pdn"
    path.parent.mkdir()
    sinks = Sinks([PdnFile(path, score_of), JsonLines(lines)])
    sinks.put(START)
    path.unlink()
    path.mkdir()
    for event in (FIRST, SECOND):
        sinks.put(event)
    assert len(lines.getvalue().splitlines()) == 3
    (told,) = caplog.records
    assert str(path) in told.getMessage()
    assert told.exc_info is None


def test_a_reader_that_goes_away_is_left_out_without_a_word(
    caplog: pytest.LogCaptureFixture,
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    lines = io.StringIO()
    gone = os.fdopen(writing, "w")
    sinks = Sinks([PlainLines(gone), JsonLines(lines)])
    for event in (START, FIRST):
        sinks.put(event)
    with pytest.raises(BrokenPipeError):  # what was left in its buffer
        gone.close()
    assert len(lines.getvalue().splitlines()) == 2
    assert not caplog.records


def test_lines_for_people() -> None:
    lines = io.StringIO()
    sink = PlainLines(lines)
    for event in (START, FIRST, SECOND, ILLEGAL, PUT_RIGHT, MoveTakenBack(90, 9.0, 2, "19-23", "")):
        sink.put(event)
    assert lines.getvalue().splitlines() == [
        "  0:00.0  The game begins (international).",
        "  0:02.0  1. 32-28",
        "  0:04.0  1... 19-23",
        "  0:06.0  Illegal move 34-29: White must capture: 28x19.",
        "  0:08.0  Settled (taken-back): The position is as it was.",
        "  0:09.0  19-23 is taken back.",
    ]


def test_times_are_minutes_and_seconds() -> None:
    assert [clock(at_s) for at_s in (0.0, 9.96, 61.25, 3600.0)] == [
        "0:00.0",
        "0:10.0",
        "1:01.2",
        "60:00.0",
    ]


def test_the_pdn_file_is_always_whole(tmp_path: Path) -> None:
    path = tmp_path / "game.pdn"
    sink = PdnFile(path, score_of)
    seen = []
    for event in (START, FIRST, SECOND, ILLEGAL, PUT_RIGHT, MoveTakenBack(90, 9.0, 2, "19-23", "")):
        sink.put(event)
        (game,) = read_games(path.read_text())
        assert game.problem is None
        seen.append([move.text for move in game.moves])
    assert seen == [[], ["32-28"], *[["32-28", "19-23"]] * 3, ["32-28"]]
    assert [entry.name for entry in tmp_path.iterdir()] == ["game.pdn"]


def test_the_score_tells_of_what_was_taken_back() -> None:
    (game,) = read_games(score_of(fold([START, FIRST, SECOND, ILLEGAL, PUT_RIGHT])))
    assert game.moves[1].comments == ("Illegal move, taken-back: White must capture: 28x19.",)
    assert score_of(Record()) == ""


@pytest.mark.parametrize("where", [".", "/", "none/game.pdn"])
def test_a_place_where_no_file_can_lie_is_bad_input(tmp_path: Path, where: str) -> None:
    with pytest.raises(CrownheadError) as caught:
        write_whole(tmp_path / where if "none" in where else Path(where), "")
    assert exit_code(caught.value) == EXIT_USAGE


def test_what_the_disk_refuses_is_a_device_error_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="cannot be written"):
        write_whole(tmp_path / ("x" * 300), "")
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_a_link_and_a_pipe_a_pipe(tmp_path: Path) -> None:
    link, pipe = tmp_path / "link.pdn", tmp_path / "pipe"
    link.symlink_to("game.pdn")
    write_whole(link, "1. 32-28 *")
    assert link.is_symlink()
    assert (tmp_path / "game.pdn").read_text() == "1. 32-28 *"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, "1. 32-28 *")
    assert os.read(reader, 100) == b"1. 32-28 *"
    os.close(reader)
    assert pipe.is_fifo()


def test_the_page_is_told_the_grid_only_when_it_moves() -> None:
    feed = Feed()
    page = Page(feed, VARIANT)

    def grid(x: float) -> Overlay:
        return Overlay(640, 480, (((x, 0.0), (x, 10.0)),))

    page.overlay(grid(5.0))
    name = feed.snapshot().name
    page.overlay(grid(5.6))
    assert feed.since(name, 0) is None
    page.overlay(grid(6.2))
    update = feed.since(name, 0)
    assert update is not None
    assert json.loads(update.data)["overlay"]["lines"] == [[[6.2, 0.0], [6.2, 10.0]]]


@pytest.mark.parametrize(
    ("language", "title", "text"),
    [
        ("en", "Illegal move: 34-29", "White must capture: 28x19."),
        ("vi", "Nước đi sai luật: 34-29", "Trắng ăn được quân nên bắt buộc phải ăn"),
        ("fi", "Laiton siirto: 34-29", "Valkoinen voi lyödä ja sen on pakko lyödä"),
        ("el", "Παράνομη κίνηση: 34-29", "Ο Λευκός μπορεί να πάρει πούλι"),
        ("zh-Hant", "違規走法：34-29", "白方有子可吃，必須吃子；34-29沒有吃子。"),
    ],
)
def test_the_page_is_told_everything_in_every_language(
    language: str, title: str, text: str
) -> None:
    feed = Feed()
    page = Page(feed, VARIANT)
    told = (message("must-capture", side=Side.WHITE, seen="34-29"),)
    for event in (START, FIRST, SECOND, replace(ILLEGAL, messages=told)):
        page.put(event)
    state = json.loads(feed.snapshot(language).data)
    assert state["banner"]["title"] == title
    assert state["banner"]["text"].startswith(text)
    assert state["irregularities"][0]["text"] == state["banner"]["text"]
    page.put(PUT_RIGHT)
    after = json.loads(feed.snapshot(language).data)
    assert after["banner"]["title"] != title
    assert after["banner"]["title"]


def test_messages_that_are_not_known_are_said_in_english() -> None:
    told = replace(ILLEGAL, messages=(message("no-such-key"),))
    words = banner(fold([START, told]), VARIANT, LIVE, Language.FINNISH)
    assert words["text"] == "White must capture: 28x19."


@pytest.mark.parametrize("language", Language)
def test_the_camera_is_told_of_in_every_language(language: Language) -> None:
    for kind in Kind:
        info = SourceInfo("x", kind, fps=30, count=None, width=640, height=480)
        for word in Word:
            text = camera_text(SourceState(word, "English."), info, language)
            assert text
            assert ("English." in text) == (language is Language.ENGLISH)
            assert ("640 x 480" in text) == (word is Word.LIVE)
