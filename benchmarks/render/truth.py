"""What is known of a rendered picture, in the keys that the scoring tools read."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from benchmarks.render.board import BoardStyle, Pose, field_corners
from benchmarks.render.camera import Camera, project
from benchmarks.render.looks import PieceSet

Json = dict[str, object]


def format_fen(pieces: Mapping[int, str], turn: str) -> str:
    """Return the FEN of pieces by square (`w`, `W`, `b`, `B`) with a side to move (`W`, `B`)."""
    parts = [turn]
    for side in "wb":
        mine = [n for n in sorted(pieces) if pieces[n].lower() == side]
        parts.append(side.upper() + ",".join(f"{'K' * pieces[n].isupper()}{n}" for n in mine))
    return ":".join(parts)


def corners(camera: Camera, style: BoardStyle, pose: Pose) -> list[list[float]]:
    """Return the field's corners in pixels, rounded as the truths have them."""
    points = project(camera, field_corners(style, pose))
    return [[round(float(x), 2), round(float(y), 2)] for x, y in points]


def white_side(ring: list[list[float]]) -> str:
    """Return the edge of the picture that White's side is nearest to."""
    points: NDArray[np.float64] = np.array(ring)
    away = points[:2].mean(axis=0) - points[2:].mean(axis=0)
    if abs(away[0]) > abs(away[1]):
        return "right" if away[0] > 0 else "left"
    return "bottom" if away[1] > 0 else "top"


def describe(camera: Camera, style: BoardStyle, pose: Pose, pieces: PieceSet) -> Json:
    """Return the keys that stills and clips share: board, pieces, camera."""
    return {
        "board": {
            "size": style.size,
            "square_cm": style.square_cm,
            "frame_cm": style.frame_cm,
            "look": style.look,
            "fold_deg": style.fold_deg,
            "playing_squares": style.playing,
            "numbers": style.numbers,
        },
        "pieces": {
            "white": pieces.colours[0],
            "black": pieces.colours[1],
            "king": pieces.king,
            "diameter_squares": round(2 * pieces.body.radius / style.square_cm, 3),
            "height_cm": round(pieces.body.height, 3),
        },
        "camera": {
            "fx": camera.focal,
            "fy": camera.focal,
            "cx": camera.centre[0],
            "cy": camera.centre[1],
            "k1": camera.k1,
            "k2": camera.k2,
            "azimuth_deg": round(camera.azimuth_deg, 2),
            "elevation_deg": round(camera.elevation_deg, 2),
            "R": np.round(camera.rotation, 6).tolist(),
            "t_cm": np.round(camera.translation, 4).tolist(),
        },
        "white_side": white_side(corners(camera, style, pose)),
    }
