"""The live loop: frames in, events recorded, then told to everybody."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Protocol

from crownhead.actions import Asked
from crownhead.bundle import BundleWriter
from crownhead.calibration.errors import CalibrationError
from crownhead.errors import CrownheadError, DeviceError
from crownhead.events import Event, GameEnded, GameStarted, IncidentKind, SightChanged
from crownhead.evidence import EvidenceFolder, Exhibit
from crownhead.eye import AlikePieces, GameEye, StartNotShown
from crownhead.presentation import CALM_KINDS, place_on_table
from crownhead.record import Record
from crownhead.rules.fen import parse_fen
from crownhead.rules.geometry import all_squares
from crownhead.rules.message import message
from crownhead.rules.position import Position, Side
from crownhead.rules.referee import judge_board
from crownhead.rules.variant import PROTOCOLS, Naming, Variant
from crownhead.session import OpenIncident, Ply, Session, refused
from crownhead.sinks import Page, Sinks
from crownhead.sources import Frame, Kind, Source
from crownhead.store import GameLog, Store, StoreFailed
from crownhead.webui.overlay import Overlay, overlay_of
from crownhead.words import say

log = logging.getLogger(__name__)

TICK_S = 0.5
"""The longest wait for a frame before the state of the source is looked at again."""


class Eye(Protocol):
    """Turns frames into events, one after the other, and remembers the game."""

    def see(self, frame: Frame) -> tuple[Event, ...]:
        """Look at a frame and return what happened."""

    def act(self, asked: Asked, frame: int, at_s: float) -> tuple[Event, ...]:
        """Do what a player or the referee asks for."""

    @property
    def is_idle(self) -> bool:
        """Whether the last frame brought nothing to weigh."""

    def exhibits(self) -> tuple[Exhibit, ...]:
        """Return the evidence for what was told since the last call."""

    def overlay(self) -> Overlay | None:
        """Return what to draw over the last frame, None while no board is known."""

    def finish(self) -> tuple[Event, ...]:
        """Return what can still be said now that no frame follows."""


class BoardEye:
    """The eye of the program, made fit for the live loop.

    Args:
        eye: finds the board and follows the game.
        patient: where the start position is not shown yet, say so and go on looking, as people
            may still be setting up; otherwise the error ends the run.
        mirrored: the board lies with its other corner at the players' left.
    """

    def __init__(self, eye: GameEye, *, patient: bool, mirrored: bool = False) -> None:
        self._eye, self._patient = eye, patient
        variant = eye.session.variant
        self._places = [place_on_table(variant, s, mirrored) for s in all_squares(variant)]
        self._board: object = None
        self._overlay: Overlay | None = None
        self._said = ""

    def see(self, frame: Frame) -> tuple[Event, ...]:
        """Look at a frame and return what happened."""
        try:
            return self._eye.see(frame)
        except (StartNotShown, AlikePieces) as error:
            if not self._patient:
                raise
            text = f"{str(error)[:1].upper()}{str(error)[1:]}."
            if text == self._said:
                return ()
            self._said = text
            return (SightChanged(frame.index, frame.at_s, "searching", text),)

    def act(self, asked: Asked, frame: int, at_s: float) -> tuple[Event, ...]:
        """Do what a player or the referee asks for."""
        events = self._eye.act(asked, frame, at_s)
        self._said = ""
        return events

    @property
    def is_idle(self) -> bool:
        """Whether the last frame brought nothing to weigh."""
        return self._eye.is_idle

    def exhibits(self) -> tuple[Exhibit, ...]:
        """Return the evidence for what was told since the last call."""
        return self._eye.exhibits()

    def overlay(self) -> Overlay | None:
        """Return the grid over the last frame, None while no board is known."""
        seen = self._eye.overlay()
        if seen.board is None:
            return None
        if seen.board is not self._board:
            self._board = seen.board
            self._overlay = overlay_of(seen.board, self._places, text=seen.text)
        return self._overlay

    def finish(self) -> tuple[Event, ...]:
        """Say that no frame follows."""
        self._eye.finish()
        return ()


def session_of(record: Record, variant: Variant, naming: Naming | None = None) -> Session:
    """Return the session that a record was written from, to go on with it after a break.

    What the board showed while something was wrong is put together again from the squares to
    restore, and judged anew by the same referee.
    """
    assert record.start is not None
    start = parse_fen(record.start.fen, variant)
    plies: list[Ply] = []
    position = start
    anchor = None
    set_ups = {one.ply: parse_fen(one.fen, variant) for one in record.set_ups}
    for move in record.moves:
        if move.ply - 1 in set_ups:
            position = set_ups[move.ply - 1]
            anchor = (move.ply - 1, position)
        after = parse_fen(move.fen, variant)
        plies.append(Ply(position, after, move))
        position = after
    incident = None
    notices: list[tuple[int, IncidentKind]] = []
    for one in record.incidents:
        opened = one.opened
        if one.resolved is not None:
            continue
        if opened.kind in CALM_KINDS:
            notices.append((opened.number, opened.kind))
            continue
        seen = _as_seen(position, opened.restore)
        played = plies[anchor[0] :] if anchor else plies
        earlier = (anchor[1] if anchor else start, *(ply.after for ply in played))[:-1]
        verdict = judge_board(variant, position, seen, earlier=earlier)
        incident = OpenIncident(opened.number, opened.kind, verdict, verdict, seen, opened)
    return Session(
        variant,
        start,
        naming,
        plies=tuple(plies),
        anchor=anchor,
        incident=incident,
        incidents=max((one.opened.number for one in record.incidents), default=0),
        notices=tuple(notices),
        offences=_offences(record, variant),
    )


def _offences(record: Record, variant: Variant) -> tuple[Side, ...]:
    if PROTOCOLS[variant.protocol].offences_allowed is None:
        return ()
    return tuple(Side(one.opened.side) for one in record.incidents if one.opened.side)


def _as_seen(position: Position, restore: tuple[tuple[int, str, str], ...]) -> Position:
    """Return the position with the signs that were seen on the squares to restore."""
    boards = {Side.WHITE: position.white, Side.BLACK: position.black}
    kings = position.kings
    for square, sign, _ in restore:
        bit = 1 << (square - 1)
        boards = {side: board & ~bit for side, board in boards.items()}
        kings &= ~bit
        if sign in "wWbB":
            boards[Side.WHITE if sign in "wW" else Side.BLACK] |= bit
            kings |= bit if sign.isupper() else 0
    return Position(boards[Side.WHITE], boards[Side.BLACK], kings, position.turn)


ANSWER_S = 4.0
"""The longest wait for the live loop to take up what is asked for."""


class Desk:
    """Where other threads leave what players ask for, and get the answer of the live loop."""

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[tuple[Asked, Future[None]]] = queue.SimpleQueue()
        self._is_open = threading.Event()

    def ask(self, asked: Asked) -> None:
        """Leave what is asked for and wait until it is done.

        Raises:
            ActionRefused: it means nothing as the game stands, or nobody plays any more.
        """
        if not self._is_open.is_set():
            raise refused("refused-not-followed")
        answer: Future[None] = Future()
        self._asked.put((asked, answer))
        try:
            answer.result(ANSWER_S)
        except TimeoutError:
            raise refused("refused-busy") from None

    @contextmanager
    def attended(self) -> Iterator[None]:
        """Say that somebody attends; at the end, that nobody does, also to those who still wait."""
        self._is_open.set()
        try:
            yield
        finally:
            self._is_open.clear()
            self.attend(_refuse)

    def attend(self, work: Callable[[Asked], None]) -> None:
        """Do what has been asked for since the last time; an error goes to who asked."""
        while not self._asked.empty():
            asked, answer = self._asked.get()
            try:
                work(asked)
            except (CrownheadError, CalibrationError) as error:
                answer.set_exception(error)
            else:
                answer.set_result(None)


def _refuse(_: Asked) -> None:
    raise refused("refused-not-followed")


class Recorder:
    """Puts events on the disk before anybody is told of them.

    What the disk refuses waits, in order, and is written as soon as there is room; until then
    nobody is told.

    Args:
        store: where to write.
        source: the name of the source, by which the game is found again.
        variant: the rules it is played by.
        log: the game to go on with, None to begin one when the board is found.
    """

    def __init__(self, store: Store, source: str, variant: str, game: GameLog | None) -> None:
        self._store, self._source, self._variant = store, source, variant
        self._game = game
        self._waiting: tuple[Event, ...] = ()
        self.trouble = ""

    @property
    def waiting(self) -> int:
        """How many events the disk has refused so far."""
        return len(self._waiting)

    @property
    def game(self) -> int | None:
        """The number of the game that is written, None before it has begun."""
        return self._game.game if self._game else None

    def record(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """Write events and return those that are now on the disk, in order."""
        self._waiting = (*self._waiting, *events)
        done: tuple[Event, ...] = ()
        while self._waiting:
            batch = self._next_batch()
            try:
                self._write(batch)
            except StoreFailed as error:
                if not self.trouble:
                    log.warning("%s; events wait until it works again", error)
                self.trouble = (
                    f"The last {len(self._waiting)} events are not recorded: {error}. Free some"
                    " space on the disk; they wait in memory and are shown when they are safe."
                )
                return done
            self._waiting = self._waiting[len(batch) :]
            done = (*done, *batch)
        if self.trouble:
            log.warning("the record is written again")
            self.trouble = ""
        return done

    def _next_batch(self) -> tuple[Event, ...]:
        """Return the events up to the next beginning of a game."""
        for i, event in enumerate(self._waiting):
            if i > 0 and _begins(event):
                return self._waiting[:i]
        return self._waiting

    def _write(self, batch: tuple[Event, ...]) -> None:
        if _begins(batch[0]):
            self._game = self._store.begin(self._source, self._variant, batch)
        elif self._game is not None:
            self._game.append(batch)
        # What happens before there is a board belongs to no game and is only shown.


def _begins(event: Event) -> bool:
    return isinstance(event, GameStarted) and not event.resumed


class Keep:
    """What is kept beside the record: evidence for each verdict, and a bundle of the session.

    The game goes on without them rather than stop where the disk refuses.
    """

    def __init__(
        self, evidence: EvidenceFolder | None = None, bundle: BundleWriter | None = None
    ) -> None:
        self._evidence, self._bundle = evidence, bundle

    def put(self, frame: Frame, events: Sequence[Event], eye: Eye) -> None:
        """Keep what there is to keep of a frame."""
        try:
            if self._evidence is not None:
                for exhibit in eye.exhibits():
                    self._evidence.put(exhibit)
        except DeviceError as error:
            log.warning("%s; no more evidence is kept", error)
            self._evidence = None
        try:
            if self._bundle is not None:
                self._bundle.add(frame, events, idle=eye.is_idle)
        except DeviceError as error:
            log.warning("%s; the bundle ends here", error)
            self._bundle = None


def record_and_tell(events: Iterable[Event], recorder: Recorder, sinks: Sinks, page: Page) -> None:
    """Put events on the disk, with those that still wait, and tell everybody what is there."""
    for event in recorder.record(events):
        page.put(event)
        sinks.put(event)
    page.recording(recorder.trouble)


def run_live(
    source: Source,
    eye: Eye,
    recorder: Recorder,
    sinks: Sinks,
    page: Page,
    stop: threading.Event,
    desk: Desk | None = None,
    keep: Keep | None = None,
) -> Record:
    """Follow a source until it ends or ``stop`` is set, and return the record.

    A game that was stopped stays unfinished, so that the next start goes on with it.

    Args:
        source: of frames.
        eye: turns them into events.
        recorder: keeps the events.
        sinks: are told of them.
        page: shows them, and the picture.
        stop: ends the run.
        desk: where the players' wishes come in.
        keep: keeps evidence and a bundle.
    """
    desk, keep = desk or Desk(), keep or Keep()

    def tell(events: Iterable[Event]) -> None:
        record_and_tell(events, recorder, sinks, page)

    last: Frame | None = None

    def do(asked: Asked) -> None:
        frame, at_s = (last.index, last.at_s) if last else (0, 0.0)
        tell(eye.act(asked, frame, at_s))

    with desk.attended():
        while not stop.is_set():
            desk.attend(do)
            frame = source.read(TICK_S)
            page.source(source.state, source.info)
            if frame is not None:
                events = eye.see(frame)
                tell(events)
                page.show(frame, eye.overlay())
                keep.put(frame, events, eye)
                last = frame
            elif stop.is_set():
                # A camera that we let go ourselves has not come to its end.
                break
            elif source.has_ended:
                tell(eye.finish())
                tell(_end_of_film(source, page.record, last))
                page.source(source.state, source.info)
                break
            else:
                tell(())
    return page.record


def _end_of_film(source: Source, record: Record, last: Frame | None) -> tuple[Event, ...]:
    """Close a game whose film is over, so that the next start does not go on with it."""
    is_whole = source.info.kind in (Kind.FILM, Kind.FOLDER)
    if not is_whole or record.start is None or record.end is not None:
        return ()
    # No frame may be left where a game is gone on with.
    told = record.moves[-1] if record.moves else record.start
    frame, at_s = (last.index, last.at_s) if last else (told.frame, told.at_s)
    over = message("film-over")
    return (GameEnded(frame, at_s, "*", say(over), (over,)),)
