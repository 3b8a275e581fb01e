import io
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from crownhead.actions import Action, ActionRefused, Asked
from crownhead.events import (
    Event,
    GameEnded,
    GameStarted,
    IncidentKind,
    IncidentOpened,
    MovePlayed,
    SightChanged,
)
from crownhead.evidence import Exhibit
from crownhead.eye import GameEye, NoBoard, StartNotShown
from crownhead.live import BoardEye, Desk, Recorder, run_live, session_of
from crownhead.record import fold
from crownhead.rules.fen import format_fen, parse_fen
from crownhead.rules.generator import legal_moves, play
from crownhead.rules.position import Side, Square
from crownhead.rules.variant import start_position, variant_named
from crownhead.sinks import JsonLines, Page, Sinks
from crownhead.sources import Frame, Kind, Source, SourceInfo, SourceState, Word, open_source
from crownhead.store import Store, open_store
from crownhead.webui.feed import Feed
from crownhead.webui.overlay import Overlay

VARIANT = variant_named("english")
HALF = parse_fen("B:W21-28:B5-12", VARIANT)
FEN = format_fen(start_position(VARIANT), VARIANT)


def started(frame: int = 0) -> GameStarted:
    return GameStarted(frame, frame / 10, "english", FEN, 8, ((0.0, 0.0),) * 4, "bottom")


def played(ply: int) -> MovePlayed:
    return MovePlayed(10 * ply, 1.0 * ply, ply, "black", "11-15", FEN, 1.0, (11, 15))


class ShortFilm(Source):
    """So many grey frames."""

    def __init__(self, frames: int) -> None:
        super().__init__(SourceInfo("film", Kind.FILM, 10.0, frames, 8, 8))
        self._next, self._count = 0, frames

    @property
    def state(self) -> SourceState:
        return SourceState(Word.ENDED if self._next >= self._count else Word.LIVE, "")

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        if self._next >= self._count:
            return None
        frame = Frame(self._next, self._next / 10, np.zeros((8, 8, 3), np.uint8))
        self._next += 1
        return frame


class EyeOf:
    """Tells given events at given frames."""

    def __init__(self, events: dict[int, tuple[Event, ...]]) -> None:
        self._events = events

    def see(self, frame: Frame) -> tuple[Event, ...]:
        return self._events.get(frame.index, ())

    def act(self, asked: Asked, frame: int, at_s: float) -> tuple[Event, ...]:
        if asked is Action.CLAIM_DRAW:
            raise ActionRefused("there is no draw to claim")
        return (GameEnded(frame, at_s, "1/2-1/2", "The players agree on a draw."),)

    @property
    def is_idle(self) -> bool:
        return False

    def exhibits(self) -> tuple[Exhibit, ...]:
        return ()

    def overlay(self) -> Overlay | None:
        return None

    def finish(self) -> tuple[Event, ...]:
        return ()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path, write=True) as store:
        yield store


def follow(store: Store, events: dict[int, tuple[Event, ...]], *more: object) -> Page:
    page = Page(Feed(), VARIANT)
    recorder = Recorder(store, "film", "english", None)
    sinks = Sinks(more)  # type: ignore[arg-type]
    run_live(ShortFilm(40), EyeOf(events), recorder, sinks, page, threading.Event())
    return page


def test_events_are_on_the_disk_before_anybody_is_told(store: Store, tmp_path: Path) -> None:
    behind: list[Event] = []

    class Watcher:
        def put(self, event: Event) -> None:
            with open_store(tmp_path) as reader:
                if event not in reader.game(1).events:
                    behind.append(event)

        def close(self) -> None:
            return

    follow(store, {3: (started(3),), 10: (played(1),), 20: (played(2),)}, Watcher())
    assert behind == []
    assert len(store.game(1).events) == 4


def test_a_game_begins_when_the_board_is_found(store: Store) -> None:
    looking = SightChanged(0, 0.0, "searching", "No board yet.")
    lines = io.StringIO()
    follow(store, {0: (looking,), 5: (started(5), played(1))}, JsonLines(lines))
    assert [type(event) for event in store.game(1).events] == [GameStarted, MovePlayed, GameEnded]
    assert "No board yet." in lines.getvalue().splitlines()[0]


def test_a_second_beginning_is_a_second_game(store: Store) -> None:
    follow(store, {1: (started(1), played(1)), 9: (played(2), started(9), played(1))})
    assert store.numbers() == (1, 2)
    assert [move.ply for move in store.game(1).record.moves] == [1, 2]
    assert [move.ply for move in store.game(2).record.moves] == [1]


def test_a_film_that_ends_closes_its_game_and_one_that_is_stopped_does_not(store: Store) -> None:
    follow(store, {1: (started(1), played(1))})
    assert store.resume("film", "english") is None
    stop = threading.Event()

    class Stopping(EyeOf):
        def see(self, frame: Frame) -> tuple[Event, ...]:
            if frame.index == 20:
                stop.set()
            return super().see(frame)

    eye = Stopping({1: (started(1), played(1))})
    recorder = Recorder(store, "film", "english", None)
    run_live(ShortFilm(40), eye, recorder, Sinks([]), Page(Feed(), VARIANT), stop)
    resume = store.resume("film", "english")
    assert resume is not None
    assert (resume.game, resume.frame) == (2, 10)


def test_a_camera_that_is_stopped_before_a_board_was_found_is_no_failure(store: Store) -> None:
    stop = threading.Event()

    class Camera(ShortFilm):
        """Ends when it is let go, as cameras do."""

        def read(self, timeout_s: float = 1.0) -> Frame | None:
            stop.set()
            self._next = self._count
            return None

    class Boardless(EyeOf):
        def finish(self) -> tuple[Event, ...]:
            raise NoBoard("no board was found")

    recorder = Recorder(store, "0", "english", None)
    record = run_live(Camera(3), Boardless({}), recorder, Sinks([]), Page(Feed(), VARIANT), stop)
    assert record.start is None


def test_a_game_that_is_gone_on_with_where_its_film_ends_is_closed(store: Store) -> None:
    game = store.begin("film", "english", [started(), played(1)])
    page = Page(Feed(), VARIANT)
    for event in store.game(game.game).events:
        page.put(event)
    recorder = Recorder(store, "film", "english", game)
    eye = GameEye(VARIANT, start_position(VARIANT), resumed=session_of(page.record, VARIANT))
    run_live(
        ShortFilm(0), BoardEye(eye, patient=False), recorder, Sinks([]), page, threading.Event()
    )
    assert store.resume("film", "english") is None
    end = store.game(1).events[-1]
    assert isinstance(end, GameEnded)
    assert (end.frame, end.at_s, end.result) == (10, 1.0, "*")


def test_a_board_that_is_not_as_the_game_was_left_is_told_with_the_cure() -> None:
    session = session_of(fold([started(), played(1)]), VARIANT)
    film = Path(__file__).parents[2] / "crownhead" / "samples" / "russian-take-back.mp4"
    eye = GameEye(VARIANT, start_position(VARIANT), resumed=replace(session, start=HALF, plies=()))
    with open_source(str(film)) as source, pytest.raises(StartNotShown) as caught:
        all(eye.see(frame) is not None for frame in source.frames())
    assert "does not show the position in which the game was left: square" in str(caught.value)
    assert "--new" in str(caught.value)


def test_what_a_full_disk_refuses_waits_and_is_told_when_it_is_safe(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = Recorder(store, "film", "english", None)
    assert recorder.record([started()]) == (started(),)
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages}")
    told: list[Event] = []
    ply = 0
    while not recorder.trouble:
        ply += 1
        told += recorder.record([played(ply)])
        assert ply < 1000
    assert played(ply) not in told
    assert "not recorded" in recorder.trouble
    assert recorder.record([played(ply + 1)]) == ()
    store._db.execute("PRAGMA max_page_count = 100000")
    assert recorder.record([]) == (played(ply), played(ply + 1))
    assert recorder.trouble == ""
    assert [move.ply for move in store.game(1).record.moves] == list(range(1, ply + 2))
    assert len(caplog.records) == 2


def test_a_session_goes_on_where_its_record_ends() -> None:
    position = start_position(VARIANT)
    events: list[Event] = [started()]
    for ply in range(1, 6):
        move = legal_moves(VARIANT, position)[0]
        side = str(position.turn)
        position = play(VARIANT, position, move)
        fen = format_fen(position, VARIANT)
        events.append(MovePlayed(ply, ply, ply, side, "?", fen, 1.0, tuple(move.path)))
    session = session_of(fold(events), VARIANT)
    assert session.position == position
    assert session.on_board == position
    assert [ply.event for ply in session.plies] == events[1:]
    assert session.plies[0].before == start_position(VARIANT)


def test_an_open_incident_is_open_again_after_a_break() -> None:
    restore = ((9, ".", "b"), (17, "b", "."))
    opened = IncidentOpened(
        5, 0.5, 3, IncidentKind.ILLEGAL_MOVE, "No.", "too-far", "9-17", restore=restore
    )
    blocked = IncidentOpened(6, 0.6, 4, IncidentKind.VIEW_BLOCKED, "A hand.")
    session = session_of(fold([started(), opened, blocked]), VARIANT)
    assert session.incident is not None
    assert (session.incident.number, session.incidents) == (3, 4)
    assert session.notices == ((4, IncidentKind.VIEW_BLOCKED),)
    assert session.on_board.piece_at(Square(9)) is None
    assert session.on_board.piece_at(Square(17)) is not None
    assert session.position == parse_fen(FEN, VARIANT)
    assert {(r.square, r.wanted is None) for r in session.incident.verdict.restore} == {
        (9, False),
        (17, True),
    }


def test_a_sink_that_fails_does_not_stop_the_game(store: Store) -> None:
    class Failing:
        def put(self, event: Event) -> None:
            raise RuntimeError("the lights are broken")

        close: Callable[[], None] = staticmethod(lambda: None)

    lines = io.StringIO()
    follow(store, {1: (started(1), played(1)), 9: (played(2),)}, Failing(), JsonLines(lines))
    assert len(lines.getvalue().splitlines()) == 4


class Camera(ShortFilm):
    """Gives a frame now and then until it is stopped."""

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        time.sleep(0.005)
        return super().read(timeout_s)

    @property
    def has_ended(self) -> bool:
        return False


def test_what_players_ask_for_is_done_by_the_live_loop_and_answered(store: Store) -> None:
    stop, desk = threading.Event(), Desk()
    page = Page(Feed(), VARIANT)
    told = io.StringIO()

    def follow() -> None:
        recorder = Recorder(store, "camera", "english", None)
        eye = EyeOf({1: (started(1),)})
        run_live(Camera(50), eye, recorder, Sinks([JsonLines(told)]), page, stop, desk)

    with pytest.raises(ActionRefused, match="no game is followed"):
        desk.ask(Action.AGREE_DRAW)
    thread = threading.Thread(target=follow)
    thread.start()
    while page.record.start is None:
        time.sleep(0.01)
    with pytest.raises(ActionRefused, match="no draw to claim"):
        desk.ask(Action.CLAIM_DRAW)
    desk.ask(Action.AGREE_DRAW)
    assert page.record.result == "1/2-1/2"
    assert '"GameEnded"' in told.getvalue()
    stop.set()
    thread.join(5)
    with pytest.raises(ActionRefused):
        desk.ask(Action.AGREE_DRAW)


def test_counted_offences_are_known_after_a_break() -> None:
    opened = IncidentOpened(
        5, 0.5, 1, IncidentKind.ILLEGAL_MOVE, "", "must-capture", "22-18", side="white"
    )
    record = fold([started(), opened])
    assert session_of(record, VARIANT).offences == (Side.WHITE,)
    assert session_of(record, variant_named("russian")).offences == ()
