"""The command `look`: still pictures, each read without a session before it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crownhead.errors import EXIT_DONE, EXIT_USAGE, CrownheadError
from crownhead.vision.errors import UnreadablePicture

if TYPE_CHECKING:
    from crownhead.calibration.board import FoundBoard
    from crownhead.vision.view import Image


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One answered picture: the document of the contract, and what a drawing needs."""

    document: dict[str, Any]
    frame: Image
    board: FoundBoard | None
    rows: tuple[str, ...]


@click.command()
@click.argument(
    "images", nargs=-1, required=True, metavar="IMAGE...", type=click.Path(path_type=Path)
)
@click.option(
    "--size",
    type=click.Choice(["8", "10", "12"]),
    help="Squares along an edge; told from the picture if not given.",
)
@click.option(
    "--draw",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="OUT.png",
    help="Draw the reading over the picture; several pictures go to OUT-1.png, OUT-2.png, ...",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a picture a line.")
def look(images: tuple[Path, ...], size: str | None, draw: Path | None, as_json: bool) -> int:
    """Find the board in still pictures and read what stands on it.

    Rows are given as the picture shows them, w for the lighter men and b for the darker; the
    FEN is turned so that a playing square lies at White's lower left and White is the side
    nearer to the lower edge. Kings are given only where the picture makes them sure, and
    whose turn it is cannot be seen.
    """
    code = EXIT_DONE
    for number, path in enumerate(images, 1):
        try:
            seen = look_at(path, int(size) if size else None)
            if draw is not None:
                _save_drawing(draw if len(images) == 1 else _numbered(draw, number), seen)
        except (UnreadablePicture, CrownheadError) as error:
            click.echo(f"crownhead: {error}", err=True)
            code = EXIT_USAGE
            continue
        click.echo(
            json.dumps(seen.document, ensure_ascii=False) if as_json else _as_text(seen.document)
        )
    return code


def look_at(path: Path, size: int | None = None) -> Look:
    """Read one picture.

    Args:
        path: a PNG, JPEG, WebP, TIFF or BMP file.
        size: squares along an edge of the board, if known.

    Raises:
        UnreadablePicture: the file cannot be read, is no such picture, or is too large.
    """
    # OpenCV takes a while to load; `--help` does not need it.
    from crownhead.calibration.board import corners_px
    from crownhead.rules.fen import format_fen
    from crownhead.sources import read_picture
    from crownhead.vision.finder import find_board
    from crownhead.vision.orientation import best_orientation, position_of
    from crownhead.vision.still import read_still

    frame = read_picture(path)
    finding = find_board(frame, size=size)
    height, width = frame.shape[:2]
    document: dict[str, Any] = {
        "image": str(path),
        "width": width,
        "height": height,
        "board": None,
        "squares": None,
        "confidence": None,
        "fen": None,
        "problems": list(finding.problems),
    }
    if finding.board is None:
        return Look(document, frame, None, ())
    board = finding.board
    reading = read_still(frame, board)
    orientation = best_orientation(reading.rows, reading.parity)
    position, numbering = position_of(reading.rows, orientation)
    document["board"] = {
        "size": board.size,
        "corners": [[round(float(x), 1), round(float(y), 1)] for x, y in corners_px(board)],
        "confidence": round(board.confidence * reading.confidence, 3),
    }
    document["squares"] = list(reading.rows)
    document["confidence"] = [[round(float(sure), 3) for sure in row] for row in reading.sure]
    document["fen"] = format_fen(position, numbering)
    mirrored = ["laid-mirrored"] if orientation.mirrored else []
    document["problems"] = list(dict.fromkeys([*finding.problems, *reading.problems, *mirrored]))
    return Look(document, frame, board, reading.rows)


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}-{number}{path.suffix}")


def _save_drawing(path: Path, seen: Look) -> None:
    import cv2

    from crownhead.vision.drawing import draw_reading

    picture = seen.frame if seen.board is None else draw_reading(seen.frame, seen.board, seen.rows)
    try:
        done, data = cv2.imencode(path.suffix or ".png", picture)
    except cv2.error:
        done = False
    if not done:
        raise CrownheadError(f"{path}: drawings are saved as .png or .jpg; name it so")
    try:
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise CrownheadError(f"{path} cannot be written: {error.strerror}") from error


def _as_text(document: dict[str, Any]) -> str:
    problems = ", ".join(document["problems"])
    if document["board"] is None:
        return f"{document['image']}: no board can be read ({problems})"
    size, confidence = document["board"]["size"], document["board"]["confidence"]
    lines = [
        f"{document['image']}: board {size}x{size}, confidence {confidence:.2f}",
        *("    " + " ".join(row) for row in document["squares"]),
        f"    {document['fen']}",
    ]
    if problems:
        lines.append(f"    doubts: {problems}")
    return "\n".join(lines)
