"""The command line: names, lazy loading, and one place where errors become exit codes."""

import errno
import importlib
from collections.abc import Sequence

import click

from crownhead.errors import EXIT_DEVICE, EXIT_USAGE, exit_code
from crownhead.vision.opencv import opencv_problem

COMMANDS: dict[str, tuple[str, str]] = {
    "variants": ("crownhead.commands.rules:variants", "List the variants and their parameters."),
    "legal": ("crownhead.commands.rules:legal", "List the legal moves of a position."),
    "perft": ("crownhead.commands.rules:perft_command", "Count the lines of play to a depth."),
    "check": ("crownhead.commands.rules:check", "Replay every game of a PDN file."),
    "judge": ("crownhead.commands.rules:judge", "Say whether a move is legal, and why not."),
    "suggest": ("crownhead.commands.rules:suggest", "Suggest a good move."),
    "look": ("crownhead.commands.look:look", "Read still pictures of boards."),
    "transcribe": ("crownhead.commands.transcribe:transcribe", "Turn a film into a score."),
    "watch": ("crownhead.commands.watch:watch", "Referee a game live, with a page."),
    "demo": ("crownhead.commands.demo:demo", "Play the sample game through everything."),
    "calibrate": ("crownhead.commands.calibrate:calibrate", "Keep where the board lies."),
    "bundle": ("crownhead.commands.bundle:bundle", "Save a session so that it can be run again."),
    "replay": ("crownhead.commands.bundle:replay", "Run a saved session again and compare."),
    "games": ("crownhead.commands.games:games", "List, show, export and verify recorded games."),
    "leds": ("crownhead.commands.leds:leds", "Try the lights under the squares."),
}
"""Command name, where it lives, and its line in the help."""


DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


class LazyGroup(click.Group):
    """A group that imports a sub-command only when it is run, so that start-up stays short."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None if no such name is known."""
        if cmd_name not in COMMANDS:
            return None
        module_name, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module_name), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup)
@click.version_option(package_name="crownhead")
def cli() -> None:
    """Crownhead watches a real draughts board and keeps its score."""


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code; a user's error becomes one sentence."""
    try:
        result = cli.main(args=list(arguments), prog_name="crownhead", standalone_mode=False)
    except click.exceptions.Abort:
        return EXIT_DEVICE
    except click.UsageError as error:
        error.show()
        return EXIT_USAGE
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (BrokenPipeError, SystemExit):
        # The reader of our output went away (`| head`): nothing is wrong. Click has silenced
        # the streams and would leave with 1; nobody else here calls `sys.exit`.
        return 0
    except Exception as error:
        code, text = exit_code(error), str(error)
        if code is None and (problem := opencv_problem(error)):
            code, text = EXIT_DEVICE, problem
        if code is None and isinstance(error, OSError) and error.errno in DISK_FULL:
            code, text = EXIT_DEVICE, f"what was to be written does not fit: {error.strerror}"
        if code is None:
            raise
        click.echo(f"crownhead: {text}", err=True)
        return code
    return result if isinstance(result, int) else 0
