"""The command `transcribe`: a film, a folder of pictures or a stream into a refereed score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crownhead.errors import EXIT_DONE, EXIT_USAGE

if TYPE_CHECKING:
    from crownhead.events import Event


@click.command()
@click.argument("source")
@click.option("--variant", "variant_name", required=True, help="The rules, as in `variants`.")
@click.option("--start-fen", help="Position of the first clear view; 'look' reads it from there.")
@click.option("--pdn", "pdn_path", type=click.Path(path_type=Path), help="Write the score here.")
@click.option("--json", "as_json_", is_flag=True, help="Print one JSON document.")
@click.option(
    "--events",
    "events_path",
    type=click.Path(path_type=Path),
    help="Write every event here, a JSON object a line.",
)
@click.option(
    "--white-side",
    type=click.Choice(["bottom", "top", "left", "right"]),
    help="The edge of the picture nearest to White.",
)
@click.option(
    "--laid",
    type=click.Choice(["mirrored"]),
    help="Play on with a board laid with its light corner at the players' left.",
)
@click.option("--first", type=click.Choice(["white", "black"]), help="Who begins.")
@click.option("--notation", type=click.Choice(["numeric", "algebraic"]), help="Names of squares.")
def transcribe(
    source: str,
    variant_name: str,
    start_fen: str | None,
    pdn_path: Path | None,
    as_json_: bool,
    events_path: Path | None,
    white_side: str | None,
    laid: str | None,
    first: str | None,
    notation: str | None,
) -> int:
    """Turn SOURCE, a film, a folder of pictures or a stream, into a refereed score."""
    # Heavy imports wait until the command is really run.
    from crownhead.events import as_json
    from crownhead.game_options import GameOptions, eye_for
    from crownhead.presentation import pdn_of
    from crownhead.progress import Progress
    from crownhead.sinks import check_place, write_whole
    from crownhead.sources import open_source
    from crownhead.transcript import as_text, transcript

    for path in filter(None, (pdn_path, events_path)):
        check_place(path)
    options = GameOptions(variant_name, start_fen, white_side, laid is not None, first, notation)
    with open_source(source) as opened:
        eye = eye_for(opened.info, options)
        events: list[Event] = []
        frames = 0
        with Progress(opened.info.count) as progress:
            for frame in opened.frames():
                frames += 1
                events += eye.see(frame)
                progress.update(frames, eye.moves)
        if opened.problem:
            click.echo(f"crownhead: {opened.problem}", err=True)
        eye.finish()
        document = transcript(opened.info, frames, events)
    # First what cost the time; a file that cannot be written must not lose it.
    click.echo(json.dumps(document, ensure_ascii=False) if as_json_ else as_text(document))
    if events_path is not None:
        lines = "".join(json.dumps(as_json(e), ensure_ascii=False) + "\n" for e in events)
        write_whole(events_path, lines)
    if pdn_path is not None:
        write_whole(pdn_path, pdn_of(events))
    return EXIT_USAGE if opened.problem else EXIT_DONE
