"""`crownhead leds`: find the lights under the squares, and see that each is where it should be."""

import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import click

from crownhead.errors import CrownheadError
from crownhead.hardware.errors import HardwareError
from crownhead.hardware.layout import Layout, Place, led_index, parse_layout
from crownhead.hardware.lights import Lights, open_lights
from crownhead.hardware.plan import DEFAULT_CAP, MIN_CAP, LightPlan, Meaning, plan_of
from crownhead.rules.geometry import place_of, square_called
from crownhead.rules.variant import Variant, variant_named

ANSWER_S = 3.0
"""How long the port may take to open and to accept a picture before the command gives up."""

MEANINGS = {
    "last": Meaning.LAST_MOVE,
    "remove": Meaning.REMOVE,
    "put-back": Meaning.PUT_BACK,
    "illegal": Meaning.ILLEGAL,
}


@click.group()
def leds() -> None:
    """Try the lights under the squares."""
    # These commands say themselves what failed; the log would say it a second time.
    logging.getLogger("crownhead.hardware").addHandler(logging.NullHandler())


def port_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say where the lights are and how their strip runs."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON document."),
        click.option(
            "--brightness",
            type=click.IntRange(MIN_CAP, 255),
            default=DEFAULT_CAP,
            show_default=True,
            help="Highest level of any colour.",
        ),
        click.option(
            "--map",
            "map_file",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="TOML file: how the strip runs (order, start).",
        ),
        click.option(
            "--protocol",
            type=click.Choice(["adalight", "wled"]),
            default="adalight",
            show_default=True,
            help="Both read the same frames.",
        ),
        click.option("--port", required=True, help="Port or pyserial URL, as /dev/ttyUSB0."),
    ):
        command = option(command)
    return command


@leds.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def list_ports(as_json: bool) -> None:
    """List the serial ports of this computer."""
    from serial.tools import list_ports as serial_ports  # searches the system when imported

    ports = [
        {
            "port": port.device,
            "description": port.description,
            "vid": port.vid,
            "pid": port.pid,
            "serial_number": port.serial_number,
        }
        for port in sorted(serial_ports.comports())
    ]
    if as_json:
        click.echo(json.dumps(ports))
        return
    for port in ports:
        click.echo(f"{port['port']}  {port['description']}")
    if not ports:
        click.echo("No serial port was found; is the controller plugged in?", err=True)


def _waited(_ctx: click.Context, param: click.Parameter, seconds: float) -> float:
    """Refuse `nan`, which is in no range and out of none."""
    if seconds != seconds:
        raise click.BadParameter("nan is no time.", param=param)
    return seconds


@leds.command("test")
@port_options
@click.option("--size", type=click.Choice(["8", "10", "12"]), default="10", show_default=True)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.0, max=86_400.0),
    callback=_waited,
    default=0.2,
    show_default=True,
    help="How long each light stays on.",
)
def test_lights(
    port: str,
    protocol: str,
    map_file: Path | None,
    brightness: int,
    as_json: bool,
    size: str,
    seconds: float,
) -> None:
    """Light one square after the other along the strip, then each meaning in turn.

    The walk begins at the corner that the map calls its start and should move on by one square
    at a time; if it jumps or runs the wrong way, the map does not fit the strip.
    """
    layout = read_layout(map_file, int(size))
    rows = range(layout.size)
    places = sorted(product(rows, rows), key=lambda place: led_index(layout, place))
    with _connected(port, layout, brightness) as lights:
        for place in places:
            _show(lights, LightPlan(((place, Meaning.PUT_BACK),)), seconds)
        for name, meaning in MEANINGS.items():
            click.echo(f"far row: {name}", err=True)
            row = plan_of({meaning: [(0, column) for column in rows]})
            _show(lights, row, 5 * seconds)
    _report(as_json, port, protocol, layout, f"{len(places)} lights were lit one after the other")


@leds.command("show")
@port_options
@click.option("--variant", default="international", show_default=True)
@click.option("--last", default="", help="Squares of the last move, as 32,28.")
@click.option("--illegal", default="", help="Squares of an illegal move.")
@click.option("--put-back", default="", help="Squares where a piece is to be put back.")
@click.option("--remove", default="", help="Squares from which a piece is to be taken.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.0, max=86_400.0),
    callback=_waited,
    default=5.0,
    show_default=True,
    help="How long the picture stays.",
)
def show(
    port: str,
    protocol: str,
    map_file: Path | None,
    brightness: int,
    as_json: bool,
    variant: str,
    last: str,
    illegal: str,
    put_back: str,
    remove: str,
    seconds: float,
) -> None:
    """Light squares with what they mean, for a while."""
    rules = variant_named(variant)
    layout = read_layout(map_file, rules.size)
    plan = plan_of(
        {
            Meaning.LAST_MOVE: _places(rules, last),
            Meaning.ILLEGAL: _places(rules, illegal),
            Meaning.PUT_BACK: _places(rules, put_back),
            Meaning.REMOVE: _places(rules, remove),
        }
    )
    with _connected(port, layout, brightness) as lights:
        _show(lights, plan, seconds)
    _report(as_json, port, protocol, layout, f"{len(plan.lit)} squares were lit")


def read_layout(map_file: Path | None, size: int) -> Layout:
    """Read a map of the lights; without a file they run row by row from the far left corner.

    Raises:
        CrownheadError: the file cannot be read, or is no such map.
    """
    if map_file is None:
        return Layout(size)
    try:
        text = map_file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CrownheadError(f"the map of the lights cannot be read: {error}") from error
    try:
        return parse_layout(text, size)
    except HardwareError as error:
        # A wrong file is bad input; a HardwareError would count as a failed device.
        raise CrownheadError(f"{map_file}: {error}") from error


def _places(variant: Variant, squares: str) -> list[Place]:
    names = squares.replace(",", " ").split()
    return [place_of(variant, square_called(variant, name)) for name in names]


@contextmanager
def _connected(port: str, layout: Layout, brightness: int) -> Iterator[Lights]:
    """Open the lights, and turn them off at the end.

    Raises:
        HardwareError: they did not take the first picture in time.
    """
    with closing(open_lights(port, layout.size, layout=layout, cap=brightness)) as lights:
        _show(lights, LightPlan(), 0.0)
        yield lights


def _show(lights: Lights, plan: LightPlan, seconds: float) -> None:
    lights.show(plan)
    if not lights.settle(ANSWER_S):
        raise HardwareError(lights.text)
    time.sleep(seconds)


def _report(as_json: bool, port: str, protocol: str, layout: Layout, text: str) -> None:
    if as_json:
        answer = {
            "port": port,
            "protocol": protocol,
            "size": layout.size,
            "order": layout.order,
            "start": layout.start,
            "text": text,
        }
        click.echo(json.dumps(answer))
    else:
        click.echo(f"{text} at {port}.")
