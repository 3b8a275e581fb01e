"""Render still pictures of boards with their truth: `python -m benchmarks.render.stills OUT`."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from benchmarks.render import hard, looks, truth
from benchmarks.render.board import BoardStyle, Pose, board_to_world, paint_board, square_middle
from benchmarks.render.camera import Camera, project
from benchmarks.render.light import Lights
from benchmarks.render.looks import PieceSet
from benchmarks.render.pieces import Placed, turned
from benchmarks.render.scene import SHADE_PX, Scene, draw
from benchmarks.render.sensor import develop, expose, metered, noise_field, record, sharpened
from benchmarks.render.textures import Image

SIZES = {"english": 8, "russian": 8, "brazilian": 8, "international": 10}
PICTURES = ((640, 480), (800, 600), (960, 720), (1280, 720), (1280, 960), (960, 1280), (1440, 1080))


def random_position(
    rng: np.random.Generator, size: int, least_crowned: float = 0.0
) -> dict[int, str]:
    """Return pieces by square number: a start, a middle game or an end with kings.

    At least the share ``least_crowned`` of the pieces are kings, in the mean.
    """
    last, half = size * size // 2, size // 2
    men = half * (size // 2 - 1)
    start = dict.fromkeys(range(1, men + 1), "b")
    start |= dict.fromkeys(range(last - men + 1, last + 1), "w")
    phase = rng.random()
    if phase < 0.2 and not least_crowned:
        return start
    crowned = 0.03
    if phase < 0.6:  # a few moves on: men step forward, some are gone
        pieces = dict(start)
        for _ in range(int(rng.integers(1, 30))):
            origin = int(rng.choice(list(pieces)))
            sign = pieces.pop(origin)
            step = -half if sign == "w" else half
            target = origin + step + int(rng.integers(-1, 2))
            if 1 <= target <= last and target not in pieces:
                pieces[target] = sign
            elif rng.random() < 0.6:
                pieces[origin] = sign
    else:
        count = int(rng.integers(2, men))
        crowned = 0.45 if phase > 0.8 else 0.15
        squares = rng.choice(np.arange(1, last + 1), 2 * count, replace=False)
        pieces = {int(n): "wb"[i % 2] for i, n in enumerate(squares)}
    for number, sign in list(pieces.items()):
        far = number <= half if sign == "w" else number > last - half
        if far or rng.random() < max(crowned, least_crowned):
            pieces[number] = sign.upper()
    return pieces


def stand(
    rng: np.random.Generator,
    pieces: PieceSet,
    style: BoardStyle,
    pose: Pose,
    at: tuple[float, float],
    sign: str,
) -> list[Placed]:
    """Return the body or the two bodies of a piece that stands about a point of the board."""
    side = 0 if sign.lower() == "w" else 1
    model = pieces.kings[side] if sign.isupper() else pieces.men[side]
    room = max(0.16, (style.square_cm / 2 - pieces.body.radius) / style.square_cm)
    offset = rng.normal(0, pieces.spread, 2).clip(-room, room) * style.square_cm
    foot = board_to_world(style, pose, np.array(at) + offset)[0]
    placed = [Placed(model, foot, turned(rng.uniform(0, 2 * np.pi)))]
    if sign.isupper() and pieces.king == "stack":
        sway = rng.normal(0, 0.05, 2).clip(-0.12, 0.12) * pieces.body.radius
        upper = foot + np.array([*sway, model.height])
        placed.append(Placed(model, upper, turned(rng.uniform(0, 2 * np.pi))))
    return placed


def place_all(
    rng: np.random.Generator,
    pieces: PieceSet,
    style: BoardStyle,
    pose: Pose,
    position: Mapping[int, str],
) -> list[Placed]:
    """Return the bodies of a whole position."""
    placed: list[Placed] = []
    for number, sign in position.items():
        placed += stand(rng, pieces, style, pose, square_middle(style, number), sign)
    return placed


def big_shadow(rng: np.random.Generator, style: BoardStyle, lights: Lights) -> Lights:
    """Return the lights with something large between them and the table: a person, a blind."""
    reach = style.half_outer * 2.5
    picture = np.zeros((SHADE_PX, SHADE_PX), np.float32)
    middle, n = SHADE_PX / 2, SHADE_PX
    kind = rng.integers(3)
    if kind == 0:  # window bars
        wide = rng.uniform(20, 90)
        for at in np.arange(rng.uniform(-60, 0), n, wide * 2):
            cv2.rectangle(picture, (round(at), 0), (round(at + wide), n), 1.0, -1)
        turn = cv2.getRotationMatrix2D((middle, middle), rng.uniform(0, 180), 1.4)
        picture = cv2.warpAffine(picture, turn, (n, n))
    elif kind == 1:  # half the table
        points = rng.uniform(0, n, (4, 2)) + rng.choice([-0.35, 0, 0.35], 2) * n
        around = cv2.convexHull(points.astype(np.int32).reshape(-1, 1, 2))
        cv2.fillConvexPoly(picture, around, 1.0)
    else:  # leaves, hands, heads
        for _ in range(int(rng.integers(1, 7))):
            at = rng.uniform(0.1 * n, 0.9 * n, 2)
            axes = rng.uniform(0.03 * n, 0.25 * n, 2)
            cv2.ellipse(
                picture,
                (round(at[0]), round(at[1])),
                (round(axes[0]), round(axes[1])),
                rng.uniform(0, 180),
                0,
                360,
                1.0,
                -1,
            )
    picture = cv2.GaussianBlur(picture, (0, 0), float(np.exp(rng.uniform(0.5, 3.3))))
    picture *= np.float32(rng.uniform(0.4, 1.0))
    return replace(lights, level=style.thickness_cm, shade_map=picture, shade_reach=reach)


def pixel_density(camera: Camera, style: BoardStyle) -> float:
    """Return texture pixels for each centimetre of board that suit a picture."""
    ring = project(
        camera,
        board_to_world(
            style, Pose(), np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * style.half_outer
        ),
    )
    longest = float(np.hypot(*(ring - np.roll(ring, -1, axis=0)).T).max())
    return min(longest * 1.1, 1500.0) / (2 * style.half_outer)


def render_still(
    seed: int,
    variant: str | None = None,
    size_px: tuple[int, int] | None = None,
    kind: str | None = None,
    crowned: float = 0.0,
) -> tuple[Image, truth.Json, int]:
    """Return a picture, its truth without the name, and the JPEG quality to store it with.

    Variant and size of the picture are drawn by lot where they are not given; ``kind`` is one of
    `hard.LEARNED_KINDS` or None for any board, ``crowned`` the least share of kings.
    """
    rng = np.random.default_rng(seed)
    if variant is None:
        variant = str(rng.choice(["english", "russian", "brazilian", "international"]))
    style = looks.board_style(rng, SIZES[variant])
    if kind is None:
        wish = None
    else:
        style = hard.bent_style(rng, style, kind)
        wish = hard.wish(rng, style, kind)
        crowned = crowned or (0.35 if kind == "stacks" else 0.0)
    pieces = looks.piece_set(rng, style, wish=wish)
    size_px = size_px or PICTURES[int(rng.integers(len(PICTURES)))]
    camera = looks.camera(rng, style, size_px, hard.elevation(kind) if kind else (30, 90))
    lights = looks.lights(rng, style)
    if kind == "vinyl" and rng.random() < 0.7:
        lights = hard.glare(rng, style, lights, camera)
    elif rng.random() < 0.3:
        lights = big_shadow(rng, style, lights)
    sheet = paint_board(rng, style, pixel_density(camera, style))
    if kind == "vinyl":
        sheet = hard.crease(rng, sheet)
    elif kind == "printed":
        sheet = hard.figures(rng, sheet, style)
    scene = Scene(
        style,
        sheet,
        Pose(),
        looks.table(rng, style),
        lights,
        looks.boxes(rng, style),
    )
    position = random_position(rng, style.size, crowned)
    placed = place_all(rng, pieces, style, Pose(), position)
    for side in (0, 1):
        for index in range(int(rng.choice([0, 0, 2, 5, 9]))):
            foot = looks.beside(rng, style, index, 1 if side else -1)
            placed.append(Placed(pieces.men[side], foot, turned(rng.uniform(0, 6))))
    bodies = tuple(placed)
    linear = draw(scene, camera, bodies).total()
    target = float(0.2 * np.exp(rng.normal(0, 0.35)))
    if rng.random() < 0.05:
        target *= 0.15
    sensor = metered(looks.sensor(rng, size_px), linear, target)
    exposed = expose(sensor, linear)
    noise = sharpened(sensor, noise_field(rng, sensor, exposed.shape[:2]))
    image = record(develop(sensor, exposed), noise)
    facts: truth.Json = {
        "rendered": True,
        "width": camera.width,
        "height": camera.height,
        "variant": variant,
        "fen": truth.format_fen(position, "W"),
        "corners": truth.corners(camera, style, Pose()),
        **truth.describe(camera, style, Pose(), pieces),
        "seed": seed,
    }
    return image, facts, int(rng.integers(55, 96))


def save_still(folder: Path, name: str, image: Image, facts: truth.Json, quality: int) -> None:
    """Write NAME.json and NAME.jpg, the picture last, each moved into place when whole."""
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise OSError(f"the picture {name} could not be packed as JPEG")
    text = json.dumps({"name": name, **facts}, separators=(",", ":"))
    for suffix, content in ((".json", text.encode()), (".jpg", data.tobytes())):
        part = folder / f".{name}{suffix}.part"
        part.write_bytes(content)
        part.replace(folder / f"{name}{suffix}")


def main(arguments: list[str] | None = None) -> None:
    """Render as many stills as asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="folder to write to")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0, help="of the first; the next follow")
    parser.add_argument("--variant", choices=sorted(SIZES))
    parser.add_argument(
        "--kind", choices=hard.LEARNED_KINDS, help="one of the kinds that are hard to read"
    )
    parser.add_argument("--crowned", type=float, default=0.0, help="least share of kings")
    parser.add_argument("--width", type=int, help="of the picture, 4:3; by lot if not given")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    begun = time.perf_counter()
    size_px = (options.width, options.width * 3 // 4) if options.width else None
    for seed in range(options.seed, options.seed + options.count):
        image, facts, quality = render_still(
            seed, options.variant, size_px, options.kind, options.crowned
        )
        save_still(options.out, f"still_{seed:06d}", image, facts, quality)
    spent = time.perf_counter() - begun
    print(f"{options.count} stills in {spent:.1f} s, {spent / max(options.count, 1):.2f} s each")


if __name__ == "__main__":
    main()
