"""The command `games`: what was recorded, listed, shown, exported and verified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crownhead.errors import EXIT_DONE, EXIT_NO, EXIT_USAGE, CrownheadError

if TYPE_CHECKING:
    from crownhead.store import Store, StoredGame

data_option = click.option(
    "--data", type=click.Path(path_type=Path), help="Folder of the recorded games."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


@click.group()
def games() -> None:
    """List, show, export and verify recorded games."""


@games.command("list")
@data_option
@json_option
def list_games(data: Path | None, as_json: bool) -> int:
    """List all recorded games, the oldest first.

    A game that cannot be read is named, and the others are listed; exit code 2.
    """
    from crownhead.store import NoStore, open_store

    try:
        with open_store(data) as store:
            rows, failed = _readable(store)
    except NoStore as error:
        # An empty list is an answer, not a fault.
        click.echo(f"crownhead: {error}", err=True)
        rows, failed = [], False
    code = EXIT_USAGE if failed else EXIT_DONE
    if as_json:
        _print_json(rows)
        return code
    for row in rows:
        state = row["result"] if row["finished"] else "unfinished"
        click.echo(
            f"{row['game']:>4}  {row['created'][:16].replace('T', ' ')}  {row['variant']:<14}"
            f" {row['plies']:>4} plies  {state:<10}  {row['source']}"
        )
    return code


def _readable(store: Store) -> tuple[list[dict[str, Any]], bool]:
    """Return what can be said of each game that can be read, and whether one cannot."""
    rows, failed = [], False
    for number in store.numbers():
        try:
            rows.append(_summary(store.game(number)))
        except CrownheadError as error:
            click.echo(f"crownhead: game {number}: {error}", err=True)
            failed = True
    return rows, failed


@games.command()
@click.argument("number", type=int)
@data_option
@json_option
def show(number: int, data: Path | None, as_json: bool) -> None:
    """Show game NUMBER: its moves and its incidents."""
    from crownhead.presentation import clock, sentence
    from crownhead.store import open_store
    from crownhead.transcript import incident_entry, move_entry

    with open_store(data) as store:
        game = store.game(number)
    record = game.record
    if as_json:
        _print_json(
            {
                **_summary(game),
                "seal": game.head,
                "start_fen": record.start.fen if record.start else None,
                "final_fen": record.fen,
                "moves": [move_entry(move) for move in record.moves],
                "incidents": [incident_entry(one) for one in record.incidents],
            }
        )
        return
    click.echo(f"Game {number}, {game.variant}, begun {game.created}, from {game.source}")
    for event in game.events:
        click.echo(f"{clock(event.at_s):>8}  {sentence(event)}")
    click.echo(f"Position: {record.fen or 'none'}")
    click.echo(f"Seal: {game.head}")


@games.command()
@click.argument("number", type=int)
@data_option
@click.option("--pdn", is_flag=True, help="As PDN, the only form so far.")
@click.option("--out", type=click.Path(path_type=Path), help="Write here, not to standard output.")
def export(number: int, data: Path | None, pdn: bool, out: Path | None) -> None:
    """Export game NUMBER as PDN."""
    from crownhead.presentation import score_of
    from crownhead.sinks import write_whole
    from crownhead.store import open_store

    if not pdn:
        raise click.UsageError("say in which form: --pdn")
    with open_store(data) as store:
        game = store.game(number)
    text = score_of(game.record, {"Date": game.created[:10].replace("-", ".")})
    if out is None:
        click.echo(text, nl=False)
    else:
        write_whole(out, text)


@games.command()
@data_option
@json_option
def verify(data: Path | None, as_json: bool) -> int:
    """Check that no recorded event was changed or removed; exit code 1 if one was."""
    from crownhead.store import open_store

    with open_store(data) as store:
        damages = store.verify()
        seals = {str(game): store.seal(game) for game in store.numbers()}
    if as_json:
        _print_json(
            {
                "whole": not damages,
                "seals": seals,
                "damages": [{"game": d.game, "event": d.number, "text": d.text} for d in damages],
            }
        )
    else:
        for damage in damages:
            click.echo(f"Game {damage.game}, event {damage.number}: {damage.text}")
        if not damages:
            count = "1 game is" if len(seals) == 1 else f"{len(seals)} games are"
            click.echo(f"{count} whole: nothing was changed since it was written.")
    return EXIT_NO if damages else EXIT_DONE


def _summary(game: StoredGame) -> dict[str, Any]:
    record = game.record
    return {
        "game": game.number,
        "source": game.source,
        "variant": game.variant,
        "created": game.created,
        "plies": len(record.moves),
        "incident_count": len(record.incidents),
        "result": record.result,
        "finished": record.end is not None,
    }


def _print_json(document: object) -> None:
    click.echo(json.dumps(document, ensure_ascii=False))
