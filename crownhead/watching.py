"""A game watched live, from the camera to the page: everything put together."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from crownhead.actions import ActionRefused, action_named, read_corners
from crownhead.bundle import BundleWriter
from crownhead.errors import EXIT_DONE, EXIT_USAGE, CrownheadError, DeviceError, http_status
from crownhead.evidence import EvidenceFolder
from crownhead.game_options import GameOptions, eye_for
from crownhead.hardware.layout import Layout
from crownhead.hardware.lights import open_lights
from crownhead.live import (
    TICK_S,
    BoardEye,
    Desk,
    Eye,
    Keep,
    Recorder,
    record_and_tell,
    run_live,
    session_of,
)
from crownhead.presentation import score_of
from crownhead.record import Record
from crownhead.rules.catalogue import Language
from crownhead.rules.fen import parse_fen
from crownhead.rules.message import message
from crownhead.rules.notation import format_move
from crownhead.rules.search import suggest
from crownhead.rules.variant import Naming, Variant, variant_named
from crownhead.session import Session
from crownhead.sinks import (
    JsonLines,
    LightSink,
    Page,
    PdnFile,
    PlainLines,
    Sink,
    Sinks,
    check_place,
)
from crownhead.sources import Kind, SourceInfo, open_source
from crownhead.store import Resume, StoreFailed, open_store
from crownhead.webui.app import Actions, create_app
from crownhead.webui.feed import Feed
from crownhead.webui.server import ListenFailed, Server, hosts_of
from crownhead.words import say, word

HINT_S = 0.8
"""Time to think about a hint; with the way there and back it stays under a second."""


class BadListen(CrownheadError):
    """Text that is not an address to listen at."""


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """What `watch` and `demo` are asked for.

    Attributes:
        camera: the source of frames, as the user wrote it.
        variant: name of the rules.
        listen: HOST:PORT of the page.
        leds: a serial port's name or URL, None without lights.
        data: folder of the recorded games, None for the user's own.
        pdn: a PDN file to keep up to date.
        events: a file that gets each event as a line of JSON.
        json: print events as lines of JSON rather than for people.
        once: end when the film ends; otherwise the page stays up.
        fast: play a film as fast as it can be read.
        new: begin a new game even where an unfinished one could be resumed.
        leds_layout: how the strip of lights runs, None for row by row.
        notation: `numeric` or `algebraic`, None for the variant's custom.
        mirrored: the board lies with its other corner at the players' left.
        evidence: a folder for the views before and after each verdict.
        bundle: a file for all that is needed to run the session again.
        game: what the eye was asked for, which a bundle notes.
    """

    camera: str
    variant: str
    listen: str = "127.0.0.1:8000"
    leds: str | None = None
    data: Path | None = None
    pdn: Path | None = None
    events: Path | None = None
    json: bool = False
    once: bool = False
    fast: bool = False
    new: bool = False
    leds_layout: Layout | None = None
    notation: str | None = None
    mirrored: bool = False
    evidence: Path | None = None
    bundle: Path | None = None
    game: GameOptions | None = None


EyeMaker = Callable[[SourceInfo, Session | None], Eye]
"""Makes the eye for an open source; the session is that of a game to go on with."""


def eye_maker(game: GameOptions, *, patient: bool, evidence: bool = False) -> EyeMaker:
    """Return what makes the eye for these options."""

    def make(info: SourceInfo, session: Session | None) -> Eye:
        eye = eye_for(info, game, resumed=session, evidence=evidence)
        return BoardEye(eye, patient=patient, mirrored=game.laid_mirrored)

    return make


def run_watch(options: WatchOptions, make_eye: EyeMaker) -> int:
    """Watch a game until its film ends or somebody stops the program.

    Returns:
        The exit code: 0, or 2 if the film turned out to be damaged.
    """
    variant = variant_named(options.variant)
    naming = Naming(options.notation) if options.notation else variant.naming
    name = source_name(options.camera)
    parse_listen(options.listen)  # refused before a camera is opened for it
    _log_to_stderr()
    stop = threading.Event()
    with ExitStack() as stack:
        store = stack.enter_context(open_store(options.data, write=True))
        resume = None if options.new else store.resume(name, variant.name)
        source = stack.enter_context(
            open_source(
                options.camera,
                realtime=not options.fast,
                first=resume.frame if resume else 0,
                first_s=resume.at_s if resume else 0.0,
            )
        )
        eye = make_eye(source.info, session_of(resume.record, variant, naming) if resume else None)
        if resume is not None and options.bundle is not None:
            raise CrownheadError(
                "a bundle holds a game from its start, and an unfinished one would be gone on "
                "with; add --new to begin another"
            )
        evidence = EvidenceFolder(options.evidence) if options.evidence else None
        bundle = (
            stack.enter_context(
                BundleWriter(
                    options.bundle, options.game or GameOptions(options.variant), source.info
                )
            )
            if options.bundle
            else None
        )
        feed = Feed()
        page = Page(feed, variant, naming)
        sinks = Sinks(_showing(options, variant))
        stack.callback(sinks.close)
        for event in store.game(resume.game).events if resume else ():
            page.put(event)
            sinks.put(event)
        # Files and terminals have what was told before the break; they get only what is new.
        for sink in _telling(options):
            sinks.add(sink)
        desk = Desk()
        server = _serve(options.listen, feed, page, variant, naming, desk)
        stack.callback(server.close)
        click.echo(f"The page: {server.url}", err=True)
        if resume is not None:
            click.echo(_going_on(resume), err=True)
        recorder = Recorder(store, name, variant.name, store.go_on(resume.game) if resume else None)
        with _stopped_by_signals(stop, source.stop):
            run_live(source, eye, recorder, sinks, page, stop, desk, Keep(evidence, bundle))
            damage = source.problem
            if damage:
                click.echo(f"crownhead: {damage}", err=True)
            if not (options.once or stop.is_set()):
                click.echo("The film is over; the page stays until you stop it (Ctrl-C).", err=True)
                while not stop.wait(TICK_S):
                    record_and_tell((), recorder, sinks, page)
        if recorder.waiting:
            raise StoreFailed(
                f"{recorder.waiting} events could not be recorded and are lost; free some space"
                " on the disk and start again, so that the game is gone on with"
            )
        if stop.is_set() and recorder.game is not None and page.record.end is None:
            click.echo(f"Game {recorder.game} is kept; the next start goes on with it.", err=True)
        is_film = source.info.kind in (Kind.FILM, Kind.FOLDER)
        return EXIT_USAGE if damage and is_film and options.once else EXIT_DONE


def hint(
    record: Record, variant: Variant, naming: Naming, language: Language = Language.ENGLISH
) -> dict[str, object]:
    """Return a good move in the position of a record, as the page wants it."""
    if record.fen is None:
        return {"move": None, "path": None, "text": word("no-position", language)}
    position = parse_fen(record.fen, variant)
    found = suggest(variant, position, seconds=HINT_S)
    if not found:
        return {"move": None, "path": None, "text": word("no-move", language)}
    best = found[0]
    move = format_move(variant, position, best.move, naming=naming)
    return {
        "move": move,
        "path": best.move.path,
        "text": say(message("could-play", side=position.turn, move=move), language),
    }


def error_text(error: Exception, language: Language) -> str:
    """Return why something was refused; in English where it is said in no other language."""
    if isinstance(error, ActionRefused) and error.told is not None:
        return say(error.told, language)
    return str(error)


def parse_listen(text: str) -> tuple[str, int]:
    """Turn HOST:PORT, :PORT or PORT into its parts; the host defaults to this machine alone.

    Raises:
        BadListen: there is no port, or it is out of range.
    """
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdecimal()) or not int(port[:6]) <= 65535:
        raise BadListen(f"--listen wants HOST:PORT with a port up to 65535, not {text!r}")
    return host.strip("[]") or "127.0.0.1", int(port)


def source_name(camera: str) -> str:
    """Return the name under which a source's games are kept: the full path of a file."""
    path = Path(camera)
    return str(path.resolve()) if path.exists() else camera


def _showing(options: WatchOptions, variant: Variant) -> list[Sink]:
    """Return the sinks that show the whole game, also what happened before a break."""
    sinks: list[Sink] = []
    if options.pdn is not None:
        check_place(options.pdn)
        sinks.append(PdnFile(options.pdn, score_of))
    if options.leds is not None:
        lights = open_lights(options.leds, variant.size, layout=options.leds_layout)
        sinks.append(LightSink(lights, variant, mirrored=options.mirrored))
    return sinks


def _telling(options: WatchOptions) -> list[Sink]:
    """Return the sinks that tell each event once."""
    sinks: list[Sink] = [JsonLines(sys.stdout) if options.json else PlainLines(sys.stdout)]
    if options.events is not None:
        sinks.append(_event_file(options.events))
    return sinks


def _serve(
    listen: str, feed: Feed, page: Page, variant: Variant, naming: Naming, desk: Desk
) -> Server:
    host, port = parse_listen(listen)
    actions = Actions(
        suggest=lambda language: hint(page.record, variant, naming, language),
        score=lambda: score_of(page.record),
        status_of=http_status,
        say_error=error_text,
        act=lambda name: desk.ask(action_named(name)),
        corners=lambda points: desk.ask(read_corners(points)),
    )
    try:
        return Server(create_app(feed, actions, hosts=hosts_of(host)), feed, host, port)
    except ListenFailed as error:
        raise DeviceError(str(error)) from error


def _going_on(resume: Resume) -> str:
    count = len(resume.record.moves)
    moves = "1 move" if count == 1 else f"{count} moves"
    return f"Going on with game {resume.game} after {moves} (--new begins another)."


def _event_file(path: Path) -> JsonLines:
    try:
        # Added to, not replaced: a resumed game continues its file.
        return JsonLines(path.open("a", encoding="utf-8"), owned=True)
    except OSError as error:
        raise CrownheadError(f"{path} cannot be written: {error.strerror}") from error


def _log_to_stderr() -> None:
    logging.basicConfig(stream=sys.stderr, format="crownhead: %(message)s", level=logging.WARNING)
    logging.getLogger("crownhead").setLevel(logging.INFO)
    logging.getLogger("waitress").setLevel(logging.ERROR)


@contextmanager
def _stopped_by_signals(stop: threading.Event, wake: Callable[[], None]) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the run in good order, once; a second one ends it at once."""

    def handle(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        stop.set()
        wake()

    if threading.current_thread() is not threading.main_thread():
        # Only the main thread may set handlers; a program that embeds us has its own.
        yield
        return
    old = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
