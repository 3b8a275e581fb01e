"""The command `transcribe`: a film, a folder of pictures or a stream into a refereed score."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crownhead.commands.shared_options import Said, evidence_option, game_options
from crownhead.errors import EXIT_DEVICE, EXIT_DONE, EXIT_USAGE, CrownheadError

if TYPE_CHECKING:
    from crownhead.events import Event
    from crownhead.sources import Frame, Source

LOST_S = 10.0
"""A stream that was lost for so many seconds is taken to be over."""


@click.command()
@click.argument("source")
@click.option("--variant", "variant_name", required=True, help="The rules, as in `variants`.")
@click.option("--pdn", "pdn_path", type=click.Path(path_type=Path), help="Write the score here.")
@click.option("--json", "as_json_", is_flag=True, help="Print one JSON document.")
@click.option(
    "--events",
    "events_path",
    type=click.Path(path_type=Path),
    help="Write every event here, a JSON object a line.",
)
@click.option(
    "--draw",
    "draw_path",
    type=click.Path(path_type=Path),
    metavar="OUT.mp4",
    help="Write the film with the grid and the last move or verdict drawn over it.",
)
@evidence_option
@game_options
def transcribe(
    source: str,
    variant_name: str,
    pdn_path: Path | None,
    as_json_: bool,
    events_path: Path | None,
    draw_path: Path | None,
    evidence: Path | None,
    said: Said,
) -> int:
    """Turn SOURCE, a film, a folder of pictures or a stream, into a refereed score."""
    # Heavy imports wait until the command is really run.
    from crownhead.drawn_film import DrawnFilm
    from crownhead.events import as_json
    from crownhead.evidence import EvidenceFolder
    from crownhead.game_options import GameOptions, eye_for
    from crownhead.presentation import pdn_of
    from crownhead.progress import Progress
    from crownhead.sinks import check_place, write_whole
    from crownhead.sources import Word, open_source
    from crownhead.transcript import as_text, transcript

    for path in filter(None, (pdn_path, events_path, draw_path)):
        check_place(path)
    options = GameOptions(variant_name, **said)
    if draw_path is not None and draw_path.resolve() == Path(source).resolve():
        raise CrownheadError(f"{draw_path} is the film itself; name another file for the drawing")
    with open_source(source) as opened, ExitStack() as stack:
        info = opened.info
        eye = eye_for(info, options, evidence=evidence is not None)
        folder = EvidenceFolder(evidence) if evidence is not None else None
        film = (
            stack.enter_context(DrawnFilm(draw_path, info.fps, info.width, info.height))
            if draw_path is not None
            else None
        )
        events: list[Event] = []
        frames = 0
        with Progress(opened.info.count) as progress:
            try:
                for frame in _frames(opened):
                    frames += 1
                    seen = eye.see(frame)
                    events += seen
                    if folder is not None:
                        for exhibit in eye.exhibits():
                            folder.put(exhibit)
                    if film is not None:
                        film.add(frame.image, eye.board, seen)
                    progress.update(frames, eye.moves)
            except KeyboardInterrupt:
                # The only end of a stream that goes on; what was seen of it is the answer.
                if not opened.is_live:
                    raise
        code = EXIT_DONE
        if opened.problem:
            click.echo(f"crownhead: {opened.problem}", err=True)
            code = EXIT_USAGE
        elif opened.is_live and opened.state.word is not Word.LIVE:
            click.echo(f"crownhead: {opened.state.text} The score ends there.", err=True)
            code = EXIT_DEVICE
        eye.finish()
        document = transcript(opened.info, frames, events)
    # First what cost the time; a file that cannot be written must not lose it.
    click.echo(json.dumps(document, ensure_ascii=False) if as_json_ else as_text(document))
    if events_path is not None:
        lines = "".join(json.dumps(as_json(e), ensure_ascii=False) + "\n" for e in events)
        write_whole(events_path, lines)
    if pdn_path is not None:
        write_whole(pdn_path, pdn_of(events))
    return code


def _frames(source: Source) -> Iterator[Frame]:
    """Yield the frames of a source to its end, or until a stream has been lost for a while."""
    from crownhead.sources import Word

    heard_s = time.monotonic()
    while not source.has_ended:
        frame = source.read()
        if frame is not None:
            yield frame
        if source.state.word not in (Word.LOST, Word.FROZEN):
            heard_s = time.monotonic()
        elif time.monotonic() - heard_s > LOST_S:
            return
