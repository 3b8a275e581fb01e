"""The commands `bundle` and `replay`: a session saved in one file, and run again."""

from __future__ import annotations

import difflib
import json
from pathlib import Path

import click

from crownhead.commands.shared_options import Said, game_options
from crownhead.errors import EXIT_DONE, EXIT_NO, CrownheadError


@click.command()
@click.argument("source")
@click.option("--variant", required=True, help="The rules, as in `variants`.")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    metavar="BUNDLE.zip",
    help="Where to write.",
)
@click.option("--whole", is_flag=True, help="Keep every frame, not only those of interest.")
@game_options
def bundle(
    source: str,
    variant: str,
    out: Path,
    whole: bool,
    said: Said,
) -> int:
    """Save SOURCE, a film or a folder of pictures, as a bundle that `replay` runs again.

    It holds the frames of interest, the settings and the events: all that is needed to look into
    what went wrong at a table. If the frames of interest alone tell another story, all are kept.
    """
    from crownhead.bundle import save_bundle, story
    from crownhead.game_options import GameOptions
    from crownhead.sources import open_source

    options = GameOptions(variant, **said)
    for keep_all in (False, True) if not whole else (True,):
        with open_source(source) as opened:
            if opened.is_live:
                raise CrownheadError(
                    f"{source} is live; use `watch --bundle`, or give a film or a folder"
                )
            told, kept = save_bundle(out, opened.frames(), options, opened.info, whole=keep_all)
        if story(told) == story(kept):
            break
    size = out.stat().st_size / 1e6
    click.echo(f"{out}: {len(kept)} events, {size:.1f} MB", err=True)
    if story(told) != story(kept):
        click.echo(
            "crownhead: packing changed what is read from the frames; the bundle tells what they "
            "tell now",
            err=True,
        )
    return EXIT_DONE


@click.command()
@click.argument(
    "path", metavar="BUNDLE", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--json", "as_json_", is_flag=True, help="Print one JSON document.")
def replay(path: Path, as_json_: bool) -> int:
    """Run a saved session again and compare what happens with what happened.

    Exit code 1 says that it tells another story now.
    """
    from crownhead.bundle import read_bundle, run_again, story
    from crownhead.events import as_json

    saved = read_bundle(path)
    events = run_again(saved)
    then, now = story(saved.events), story(events)
    if as_json_:
        document = {
            "bundle": str(path),
            "same": then == now,
            "then": then,
            "now": now,
            "events": [as_json(event) for event in events],
        }
        click.echo(json.dumps(document, ensure_ascii=False))
    elif then == now:
        click.echo("\n".join(now))
        click.echo(f"The same as when it was saved ({len(events)} events).")
    else:
        click.echo("\n".join(difflib.unified_diff(then, now, "then", "now", lineterm="", n=2)))
    return EXIT_DONE if then == now else EXIT_NO
