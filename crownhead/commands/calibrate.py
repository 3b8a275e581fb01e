"""The command `calibrate`: where the board lies, kept for later, and sure ways to say it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crownhead.errors import EXIT_DONE, EXIT_NO, CrownheadError

if TYPE_CHECKING:
    from crownhead.calibration.board import FoundBoard
    from crownhead.vision.view import Image

TRIES = 60
"""So many frames are looked at for the board."""


@click.command()
@click.argument("source", required=False)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="PROFILE.toml",
    help="Write the profile here; it is shown otherwise.",
)
@click.option(
    "--size",
    type=click.Choice(["8", "10", "12"]),
    help="Squares along an edge; told from the picture if not given.",
)
@click.option("--corners", metavar='"X,Y X,Y X,Y X,Y"', help="The outer corners in pixels.")
@click.option(
    "--markers",
    type=click.Path(path_type=Path),
    metavar="SHEET.svg",
    help="Write a sheet of markers to print and lay at the board's corners.",
)
@click.option(
    "--draw", type=click.Path(path_type=Path), metavar="OUT.png", help="Draw what was found."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def calibrate(
    source: str | None,
    out: Path | None,
    size: str | None,
    corners: str | None,
    markers: Path | None,
    draw: Path | None,
    as_json: bool,
) -> int:
    """Find the board in SOURCE and keep where it lies as a profile for --profile.

    The corners are those given with --corners, else those that four printed markers touch (see
    --markers), else those that the board finder finds. Exit code 1 says that none was found.
    """
    from crownhead.calibration.markers import marker_sheet
    from crownhead.calibration.profile import format_profile
    from crownhead.sinks import write_whole

    if markers is not None:
        write_whole(markers, marker_sheet())
        click.echo(f"{markers}: print it at full size and cut the four markers out.", err=True)
        if source is None:
            return EXIT_DONE
    if source is None:
        raise click.UsageError("Missing argument 'SOURCE', or --markers SHEET.svg.")
    found = _found(source, int(size) if size else None, corners)
    if found is None:
        click.echo(
            f"crownhead: no board was found in {source}; name its corners with --corners, or lay "
            "printed markers at them (--markers SHEET.svg)",
            err=True,
        )
        return EXIT_NO
    image, board, way = found
    if draw is not None:
        _draw(draw, image, board)
    profile = format_profile(board)
    if out is not None:
        write_whole(out, profile)
    if as_json:
        click.echo(json.dumps(_document(board, way, out)))
    elif out is None:
        click.echo(profile, nl=False)
    else:
        click.echo(f"{out}: a board of {board.size}x{board.size}, by {way}.")
    return EXIT_DONE


def _found(
    source: str, size: int | None, corners: str | None
) -> tuple[Image, FoundBoard, str] | None:
    """Return a picture with its board and how it was found."""
    from itertools import islice

    from crownhead.calibration.corners import board_from_corners
    from crownhead.calibration.markers import board_from_markers
    from crownhead.sources import open_source
    from crownhead.vision.finder import find_board, refined

    with open_source(source) as opened:
        for frame in islice(opened.frames(), TRIES):
            image = frame.image
            height, width = image.shape[:2]
            if corners is not None:
                if size is None:
                    raise CrownheadError("corners alone do not tell the board's size; add --size")
                board = board_from_corners(_points(corners), size, width, height)
                return image, refined(image, board), "the corners given"
            marked = board_from_markers(image, size) if size else None
            if marked is not None:
                return image, refined(image, marked), "the markers"
            finding = find_board(image, size=size)
            if finding.board is not None:
                return image, finding.board, "the board finder"
    return None


def _points(text: str) -> list[list[float]]:
    try:
        return [[float(value) for value in pair.split(",")] for pair in text.split()]
    except ValueError:
        raise CrownheadError(
            f'corners look like "102,80 530,84 560,420 60,410", not {text[:60]!r}'
        ) from None


def _document(board: FoundBoard, way: str, out: Path | None) -> dict[str, object]:
    from crownhead.calibration.board import corners_px

    return {
        "profile": str(out) if out else None,
        "by": way,
        "size": board.size,
        "corners": [[round(float(v), 2) for v in corner] for corner in corners_px(board)],
        "bend": round(board.bend, 5),
        "confidence": round(board.confidence, 3),
    }


def _draw(path: Path, image: Image, board: FoundBoard) -> None:
    import cv2

    from crownhead.vision.drawing import draw_reading

    if not cv2.imwrite(str(path), draw_reading(image, board, ())):
        raise CrownheadError(f"{path} cannot be written; name a .png in a folder that is there")
