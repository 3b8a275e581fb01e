"""Options that several commands share, declared once."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path

import click

Command = Callable[..., int]

GAME_OPTIONS: tuple[Callable[[Command], Command], ...] = (
    click.option(
        "--start-fen", help="Position of the first clear view; 'look' reads it from there."
    ),
    click.option(
        "--white-side",
        type=click.Choice(["bottom", "top", "left", "right"]),
        help="The edge of the picture nearest to White.",
    ),
    click.option(
        "--laid",
        type=click.Choice(["mirrored"]),
        help="Play on with a board laid with its light corner at the players' left.",
    ),
    click.option("--first", type=click.Choice(["white", "black"]), help="Who begins."),
    click.option(
        "--notation", type=click.Choice(["numeric", "algebraic"]), help="Names of squares."
    ),
)

evidence_option = click.option(
    "--evidence",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Keep the board before and after each verdict here, as pictures.",
)


def game_options(command: Command) -> Command:
    """Add what a user may say of the game that is to be followed."""
    return reduce(lambda done, option: option(done), reversed(GAME_OPTIONS), command)
