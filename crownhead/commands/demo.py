"""The command `demo`: the sample game that the package carries, through everything."""

from __future__ import annotations

import json
import socket
import tempfile
import tomllib
from contextlib import ExitStack
from importlib.resources import as_file, files
from pathlib import Path

import click

from crownhead.errors import EXIT_DONE, EXIT_NO

LISTEN = ("127.0.0.1", 8000)


@click.command()
@click.option("--once", is_flag=True, help="End when the film ends, and print the score.")
@click.option("--listen", help="HOST:PORT of the page; by default a free port of this machine.")
@click.option("--leds", help="Serial port or pyserial URL of lights under the squares.")
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON, one object a line.")
def demo(once: bool, listen: str | None, leds: str | None, as_json: bool) -> int:
    """Play the sample game through everything, and serve the page.

    The film shows a game of Russian draughts in which a player moves where the rules do not
    allow it and takes the move back. Without --once it runs at its own pace and the page stays
    until you press Ctrl-C; with it, as fast as it can be read, and the exit code is 1 if no
    move was found. Nothing is added to your own games.
    """
    # Heavy imports wait until the command is really run.
    from crownhead.game_options import GameOptions
    from crownhead.watching import WatchOptions, eye_maker, run_watch

    with ExitStack() as stack:
        samples = stack.enter_context(as_file(files("crownhead") / "samples"))
        sample = tomllib.loads((samples / "sample.toml").read_text(encoding="utf-8"))
        games = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="crownhead-demo-")))
        options = WatchOptions(
            camera=str(samples / sample["film"]),
            variant=sample["variant"],
            listen=listen or _free_address(),
            leds=leds,
            data=games,
            json=as_json,
            once=once,
            fast=once,
            new=True,
        )
        code = run_watch(options, eye_maker(GameOptions(sample["variant"]), patient=False))
        if code == EXIT_DONE and once:
            code = _print_score(games, as_json)
        return code


def _print_score(games: Path, as_json: bool) -> int:
    """Print the recorded game as PDN; the exit code says whether it has moves."""
    from crownhead.presentation import score_of
    from crownhead.store import open_store

    with open_store(games) as store:
        records = [game.record for game in store.games()]
    if not any(record.moves for record in records):
        click.echo("crownhead: no move was found in the sample film", err=True)
        return EXIT_NO
    pdn = score_of(records[-1])
    click.echo(json.dumps({"type": "Score", "pdn": pdn}) if as_json else f"\n{pdn.strip()}")
    return EXIT_DONE


def _free_address() -> str:
    """Return the usual address, or one with any free port where another program has it."""
    host, port = LISTEN
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError:
            port = 0
    return f"{host}:{port}"
