"""Options that several commands share, declared once."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypedDict

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
        "--profile",
        metavar="PROFILE.toml",
        help="Where the board lies, as `calibrate` wrote it; it is looked for otherwise.",
    ),
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


class Said(TypedDict):
    """What `game_options` gather, as `crownhead.game_options.GameOptions` takes it."""

    start_fen: str | None
    white_side: str | None
    laid_mirrored: bool
    first: str | None
    notation: str | None
    profile: str | None


def game_options(command: Command) -> Command:
    """Add what a user may say of the game that is to be followed, handed over as ``said``."""

    @wraps(command)
    def gathered(**given: Any) -> int:  # noqa: ANN401  # what click hands over
        said = Said(
            start_fen=given.pop("start_fen"),
            white_side=given.pop("white_side"),
            laid_mirrored=given.pop("laid") is not None,
            first=given.pop("first"),
            notation=given.pop("notation"),
            profile=given.pop("profile"),
        )
        return command(said=said, **given)

    done: Command = gathered
    for option in reversed(GAME_OPTIONS):
        done = option(done)
    return done
