"""The command `watch`: referee a game live, with a page."""

from __future__ import annotations

from pathlib import Path

import click

from crownhead.commands.shared_options import Said, evidence_option, game_options

DEFAULT_LISTEN = "127.0.0.1:8000"


@click.command()
@click.option("--camera", default="0", show_default=True, help="Device number, URL, film, folder.")
@click.option("--variant", required=True, help="The rules, as in `variants`.")
@click.option("--listen", default=DEFAULT_LISTEN, show_default=True, help="HOST:PORT of the page.")
@click.option("--leds", help="Serial port or pyserial URL of lights under the squares.")
@click.option(
    "--leds-map", type=click.Path(path_type=Path), help="TOML file: how the strip of lights runs."
)
@game_options
@evidence_option
@click.option(
    "--bundle",
    type=click.Path(path_type=Path),
    metavar="BUNDLE.zip",
    help="Save what `replay` needs to run this session again.",
)
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the recorded games.")
@click.option("--pdn", type=click.Path(path_type=Path), help="Keep this PDN file up to date.")
@click.option("--events", type=click.Path(path_type=Path), help="Write events here, as JSON lines.")
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON, one object a line.")
@click.option("--once", is_flag=True, help="End when the film ends; without it the page stays.")
@click.option("--fast", is_flag=True, help="Play a film as fast as it can be read.")
@click.option("--new", is_flag=True, help="Begin anew instead of resuming an unfinished game.")
def watch(
    camera: str,
    variant: str,
    listen: str,
    leds: str | None,
    leds_map: Path | None,
    data: Path | None,
    pdn: Path | None,
    events: Path | None,
    as_json: bool,
    once: bool,
    fast: bool,
    new: bool,
    evidence: Path | None,
    bundle: Path | None,
    said: Said,
) -> int:
    """Watch a game and referee it: record, page, lights.

    An unfinished game of the same camera and variant is gone on with. The page is at --listen;
    by default only this machine can reach it.
    """
    # Heavy imports wait until the command is really run.
    from crownhead.commands.leds import read_layout
    from crownhead.game_options import GameOptions
    from crownhead.rules.variant import variant_named
    from crownhead.watching import WatchOptions, eye_maker, run_watch

    layout = read_layout(leds_map, variant_named(variant).size) if leds_map else None
    game = GameOptions(variant, **said)
    options = WatchOptions(
        camera,
        variant,
        listen,
        leds,
        data,
        pdn,
        events,
        as_json,
        once,
        fast,
        new,
        layout,
        said["notation"],
        said["laid_mirrored"],
        evidence,
        bundle,
        game,
    )
    maker = eye_maker(game, patient=not once, evidence=evidence is not None)
    return run_watch(options, maker)
