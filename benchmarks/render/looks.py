"""Random sets, tables, lights and cameras: everything that may differ from one table to another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.render.board import BoardStyle, Pose, outer_ring
from benchmarks.render.camera import Camera, make_camera, project
from benchmarks.render.light import Lights
from benchmarks.render.pieces import (
    RELIEFS,
    PieceBody,
    PieceModel,
    make_piece,
    mark,
    radial_grid,
    relief,
)
from benchmarks.render.scene import Box, Table
from benchmarks.render.sensor import Sensor
from benchmarks.render.textures import Colour, table_sheet

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PieceSet:
    """The pieces of a game.

    Attributes:
        colours: names of White's and Black's colour.
        king: ``stack``, ``flip`` or ``mark``.
        men: White's and Black's man.
        kings: the crowned ones; with ``stack`` the same as the men.
        body: what they have in common.
        spread: how far from the middle of their squares people put them, in squares.
    """

    colours: tuple[str, str]
    king: str
    men: tuple[PieceModel, PieceModel]
    kings: tuple[PieceModel, PieceModel]
    body: PieceBody
    spread: float


@dataclass(frozen=True, slots=True)
class PieceWish:
    """What is asked of pieces; None leaves it to the lot.

    Attributes:
        colours: names and colours of White's and Black's men.
        king: ``stack``, ``flip`` or ``mark``.
        shape: ``disc``, ``thin``, ``tall`` or ``cap``.
        diameter: smallest and largest, in squares.
        spread: how far from the middle of their squares people put them, in squares.
        wooden: with grain.
    """

    colours: tuple[tuple[str, Colour], tuple[str, Colour]] | None = None
    king: str | None = None
    shape: str | None = None
    diameter: tuple[float, float] = (0.55, 0.9)
    spread: float | None = None
    wooden: bool = False


PAINT: dict[str, Colour] = {
    "white": (232, 234, 236),
    "ivory": (205, 228, 240),
    "cream": (178, 214, 236),
    "beige": (140, 180, 205),
    "maple": (115, 165, 205),
    "natural": (90, 140, 185),
    "yellow": (40, 180, 230),
    "orange": (30, 110, 230),
    "red": (40, 35, 195),
    "crimson": (50, 20, 150),
    "pink": (150, 90, 220),
    "purple": (150, 50, 110),
    "blue": (170, 80, 30),
    "sky": (220, 160, 80),
    "teal": (120, 110, 20),
    "green": (60, 130, 40),
    "lime": (60, 200, 110),
    "olive": (40, 90, 95),
    "grey": (120, 122, 125),
    "walnut": (35, 50, 80),
    "brown": (30, 55, 105),
    "mahogany": (30, 35, 90),
    "wenge": (28, 35, 50),
    "black": (28, 28, 28),
    "ink": (18, 16, 15),
}

BOARDS: dict[str, tuple[str, str, str, tuple[str, str, str]]] = {
    # look: light squares, dark squares, border, their materials
    "wood": ("maple", "walnut", "walnut", ("wood", "wood", "wood")),
    "wood_pale": ("cream", "brown", "maple", ("wood", "wood", "wood")),
    "wood_close": ("natural", "brown", "brown", ("wood", "wood", "wood")),
    "wood_red": ("maple", "mahogany", "mahogany", ("wood", "wood", "wood")),
    "glossy": ("maple", "wenge", "wenge", ("wood", "wood", "plain")),
    "vinyl_green": ("cream", "green", "cream", ("leather", "leather", "leather")),
    "vinyl_brown": ("ivory", "brown", "ivory", ("leather", "leather", "leather")),
    "magnetic": ("ivory", "black", "black", ("plain", "leather", "leather")),
    "magnetic_grey": ("grey", "black", "black", ("leather", "leather", "leather")),
    "checkers_red": ("red", "black", "black", ("plain", "plain", "plain")),
    "cardboard": ("yellow", "blue", "grey", ("ink", "ink", "ink")),
    "paper": ("white", "black", "white", ("plain", "ink", "plain")),
    "paper_brown": ("white", "mahogany", "mahogany", ("plain", "ink", "plain")),
    "marble": ("white", "grey", "grey", ("marble", "marble", "marble")),
    "painted": ("cream", "olive", "brown", ("speckle", "speckle", "wood")),
}


def vary(rng: np.random.Generator, colour: Colour, amount: float) -> Colour:
    """Return a colour near another: lighter or darker, and shifted."""
    base = np.array(colour, float) + 6
    factor = np.exp(rng.normal(0, amount) + rng.normal(0, amount * 0.5, 3))
    blue, green, red = np.clip(base * factor, 6, 250)
    return (float(blue), float(green), float(red))


def any_colour(rng: np.random.Generator) -> Colour:
    """Return a named paint, varied."""
    return vary(rng, PAINT[str(rng.choice(list(PAINT)))], 0.2)


def contrast(a: Colour, b: Colour) -> float:
    """Return how far apart two colours look, in grey levels."""
    weights = np.array([0.25, 0.45, 0.4])
    return float(np.sqrt((((np.array(a) - np.array(b)) ** 2) * weights).sum()))


USUAL = (
    "wood",
    "wood_pale",
    "wood_red",
    "glossy",
    "vinyl_green",
    "vinyl_brown",
    "magnetic",
    "checkers_red",
)
"""Boards as clubs and shops have them."""


def board_style(rng: np.random.Generator, size: int, *, usual: bool = False) -> BoardStyle:
    """Return a random board, one of the usual kinds if asked for."""
    look = str(rng.choice(USUAL if usual else list(BOARDS)))
    names = BOARDS[look]
    light, dark, frame = (vary(rng, PAINT[name], 0.18) for name in names[:3])
    materials = names[3]
    if rng.random() < 0.15 and not usual:
        look = "odd"
        for _ in range(50):
            light, dark, frame = any_colour(rng), any_colour(rng), any_colour(rng)
            if sum(light) > sum(dark) and contrast(light, dark) > 45:
                break
        else:
            light, dark = PAINT["ivory"], PAINT["brown"]
    if rng.random() < 0.2 and not usual:
        frame = any_colour(rng)
    flat = look.startswith(("vinyl", "paper", "cardboard"))
    square = float(rng.uniform(2.0, 3.2) if size == 10 else rng.uniform(2.2, 5.5))
    frame_cm = float(square * rng.choice([0.12, 0.35, 0.55, 0.8, 1.1]) * rng.uniform(0.8, 1.2))
    decor = set()
    for name, chance in (("tape", 0.06), ("icons", 0.06), ("markers", 0.06), ("inner", 0.4)):
        if rng.random() < chance:
            decor.add(name)
    fold = int(rng.integers(2)) if rng.random() < 0.35 else None
    if fold is not None and rng.random() < 0.5:
        decor.add("hinge")
    polish = float(rng.choice([0.05, 0.2, 0.6, 1.0]))
    ink = (
        vary(rng, PAINT["natural"], 0.2)
        if sum(frame) < 330 and rng.random() < 0.5
        else ((230.0, 230.0, 230.0) if sum(frame) < 330 else (30.0, 30.0, 35.0))
    )
    return BoardStyle(
        look=look,
        size=size,
        square_cm=round(square, 3),
        frame_cm=round(frame_cm, 3),
        thickness_cm=float(rng.uniform(0.02, 0.3) if flat else rng.uniform(0.4, 4.0)),
        light=light,
        dark=dark,
        frame=frame,
        ink=ink,
        materials=materials,
        strength=float(rng.uniform(0.3, 1.2)),
        line=float(rng.uniform(0.01, 0.035) if rng.random() < 0.3 else 0.0),
        numbers=str(rng.choice(["letters", "squares"])) if rng.random() < 0.55 else None,
        playing="light" if rng.random() < 0.1 else "dark",
        fold_axis=fold,
        fold_deg=round(float(rng.uniform(0.0, 1.4)), 2) if fold is not None else 0.0,
        decor=frozenset(decor),
        gloss=polish,
        roughness=float(rng.uniform(0.02, 0.12) if polish > 0.5 else rng.uniform(0.1, 0.4)),
    )


def _men_colours(
    rng: np.random.Generator, style: BoardStyle, *, usual: bool
) -> tuple[tuple[str, Colour], ...]:
    """Return two colours a player could tell apart, often hard to tell from the squares."""
    ground = style.dark if style.playing == "dark" else style.light
    pale = ("white", "ivory", "cream", "beige", "maple", "yellow", "natural")
    deep = ("black", "ink", "walnut", "wenge", "brown", "mahogany", "red", "crimson", "green")
    for _ in range(100):
        way = 0.0 if usual else rng.random()
        if way < 0.55:
            names = (str(rng.choice(pale)), str(rng.choice(deep)))
        elif way < 0.85:
            names = (str(rng.choice(list(PAINT))), str(rng.choice(list(PAINT))))
        else:
            names = (str(rng.choice(list(PAINT))), "")
        first = vary(rng, PAINT[names[0]], 0.12)
        # A man of nearly the square's own colour: wood on wood, black on black.
        second = vary(rng, PAINT[names[1]], 0.12) if names[1] else vary(rng, ground, 0.22)
        least = 40 + 15 * rng.random()
        if (
            contrast(first, second) > least
            and max(contrast(first, ground), contrast(second, ground)) > 30
        ):
            pair = ((names[0], first), (names[1] or "like-square", second))
            return pair if usual or rng.random() < 0.8 else pair[::-1]
    return (("white", PAINT["white"]), ("black", PAINT["black"]))


def piece_set(
    rng: np.random.Generator,
    style: BoardStyle,
    *,
    usual: bool = False,
    wish: PieceWish | None = None,
) -> PieceSet:
    """Return random pieces for a board; plain discs if the usual ones are asked for."""
    wish = wish or PieceWish()
    colours = _men_colours(rng, style, usual=usual)
    (white_name, white), (black_name, black) = wish.colours or colours
    diameter = style.square_cm * float(rng.uniform(*wish.diameter))
    shapes = ["disc", "disc", "disc", "disc", "thin", "tall", "cap"]
    shape = "disc" if usual else str(rng.choice(shapes))
    shape = wish.shape or shape
    height = diameter * {"disc": 0.26, "thin": 0.05, "tall": 0.65, "cap": 0.22}[shape]
    height *= float(rng.uniform(0.7, 1.35))
    wooden = bool(rng.random() < 0.35) or wish.wooden
    gloss = float(rng.choice([0.1, 0.3, 0.8, 1.0]))
    rim = rng.random() < 0.12
    body = PieceBody(
        radius=diameter / 2,
        height=height,
        taper=float(rng.normal(0, 0.05)) if shape != "thin" else 0.0,
        bevel=float(min(height, diameter * 0.2) * rng.uniform(0.1, 0.5)),
        depth=float(rng.uniform(0.15, 1.6)) if shape != "thin" else float(rng.uniform(0, 0.2)),
        ribs=int(rng.integers(18, 60)) if shape == "cap" or rng.random() < 0.25 else 0,
        rib_depth=float(rng.uniform(0.1, 0.9)),
        grain=float(rng.uniform(0.04, 0.25)) if wooden else 0.0,
        side_shade=float(rng.uniform(0.75, 1.05)),
        gloss=gloss,
        roughness=float(rng.uniform(0.04, 0.2) if gloss > 0.5 else rng.uniform(0.2, 0.6)),
        rim_from=float(rng.uniform(0.7, 0.85)) if rim else 2.0,
        rim_colour=any_colour(rng) if rim else None,
    )
    kinds = ("rings", "rings", "rings", "rim", "groove", *RELIEFS)
    kind = str(rng.choice(kinds))
    face = relief(rng, kind)
    if rng.random() < 0.3:
        face = face + relief(rng, "rim") * 0.6
    men = (make_piece(rng, body, white, face), make_piece(rng, body, black, face))
    king = str(rng.choice(["stack", "flip", "mark"]))
    king = wish.king or king
    if king == "stack" and shape == "thin":  # nobody could see it
        king = "mark"
    kings = men
    if king == "flip":
        back = relief(rng, str(rng.choice([k for k in RELIEFS if k != kind])))
        marking = None
        if (
            rng.random() < 0.25
        ):  # a cap with a painted or bare inside, whose rim still tells the side
            marking = ((radial_grid()[2] < 0.62).astype(np.float32), any_colour(rng))
        kings = (
            make_piece(rng, body, white, back, marking),
            make_piece(rng, body, black, back, marking),
        )
    elif king == "mark":
        sign = mark(
            rng,
            str(
                rng.choice(
                    ["crown", "crown", "crown", "star", "cross", "dot", "ring", "letter", "sticker"]
                )
            ),
        )
        inks = [PAINT[str(rng.choice(["yellow", "natural", "white", "red", "black", "sky"]))]] * 2
        for index, colour in enumerate((white, black)):
            if contrast(inks[index], colour) < 60:
                inks[index] = PAINT["black"] if sum(colour) > 300 else PAINT["white"]
        kings = (
            make_piece(rng, body, white, face * 0.4, (sign, inks[0])),
            make_piece(rng, body, black, face * 0.4, (sign, inks[1])),
        )
    return PieceSet(
        (white_name, black_name),
        king,
        men,
        kings,
        body,
        wish.spread or float(rng.choice([0.02, 0.05, 0.09])),
    )


def table(rng: np.random.Generator, style: BoardStyle) -> Table:
    """Return what the board lies on."""
    kind = str(
        rng.choice(
            [
                "planks",
                "planks",
                "planks",
                "plain",
                "cloth",
                "checked",
                "speckle",
                "tiles",
                "carpet",
                "paper",
            ]
        )
    )
    woods = ("natural", "maple", "brown", "walnut", "beige", "mahogany")
    muted = ("white", "ivory", "cream", "beige", "grey", "grey", "olive", "walnut", "black", "teal")
    if kind == "planks":
        name = str(rng.choice(woods))
    else:
        name = str(rng.choice(muted if rng.random() < 0.65 else list(PAINT)))
    reach = style.half_outer * rng.uniform(1.6, 8, 2)
    gloss = float(rng.choice([0.0, 0.1, 0.3, 0.7]))
    return Table(
        sheet=table_sheet(rng, kind, vary(rng, PAINT[name], 0.2)),
        tile_cm=float(rng.uniform(25, 70)),
        angle=float(rng.uniform(0, 2 * np.pi)),
        reach=(float(reach[0]), float(reach[1])),
        floor=vary(rng, PAINT[str(rng.choice(["grey", "walnut", "black", "beige"]))], 0.3),
        gloss=gloss,
        roughness=float(rng.uniform(0.05, 0.4)),
    )


def lights(rng: np.random.Generator, style: BoardStyle) -> Lights:
    """Return a lamp or a window and the light of the room."""
    scale = style.half_outer
    height = float(scale * rng.uniform(2.5, 9))
    angle, lean = rng.uniform(0, 2 * np.pi), rng.uniform(0.0, 1.5)
    key = np.array([np.cos(angle) * lean * height, np.sin(angle) * lean * height, height])
    warmth = float(rng.normal(0, 0.13))
    key_colour = np.array([np.exp(-warmth), 1.0, np.exp(warmth)])
    other = float(rng.normal(0, 0.08))
    ratio = float(rng.choice([0.15, 0.35, 0.6, 1.2, 2.5]))
    sky = np.array([np.exp(-other), 1.0, np.exp(other)]) * ratio
    half = scale * rng.uniform(0.15, 1.6, 2)
    bright = float(np.exp(rng.uniform(-1.2, 1.6)))
    return Lights(
        key=key,
        key_colour=key_colour,
        sky=sky,
        half_size=(float(half[0]), float(half[1])),
        window_colour=key_colour * bright,
        softness=float(np.exp(rng.uniform(-2.5, 0.2))),
    )


def camera(
    rng: np.random.Generator,
    style: BoardStyle,
    size_px: tuple[int, int],
    elevation: tuple[float, float] = (30, 90),
    fill: tuple[float, float] = (0.55, 0.97),
    drift: float = 0.9,
) -> Camera:
    """Return a camera that has the whole board in its picture.

    Args:
        rng: random numbers.
        style: the board.
        size_px: width and height of the picture.
        elevation: lowest and highest, in degrees.
        fill: smallest and largest share of the picture that the board spans.
        drift: how far the board may be from the middle, as a share of the room there is.
    """
    longest = max(size_px)
    focal = longest * float(rng.uniform(0.72, 1.3))
    k1 = float(rng.uniform(-0.13, 0.02) if rng.random() < 0.8 else rng.uniform(-0.22, 0.05))
    lens = (k1, float(rng.uniform(0, 0.02)))
    low, high = elevation
    # More views from well above than from the side, as people fix their cameras.
    rise = low + (high - low) * float(rng.beta(1.6, 1.0))
    around = float(rng.uniform(-180, 180))
    if rng.random() < 0.5:
        around = float(rng.choice([0, 90, 180, -90]) + rng.normal(0, 12))
    view = ((around + 180) % 360 - 180, rise, float(rng.normal(0, 3)))
    ring = outer_ring(style, Pose())
    share = float(rng.uniform(*fill))
    target = np.zeros(3)
    distance = style.half_outer * 4
    limits = np.array(size_px, float)
    for _ in range(30):
        seen = make_camera(size_px, focal, lens, view, target, distance)
        points = project(seen, ring)
        extent = ((points.max(axis=0) - points.min(axis=0)) / limits).max()
        distance *= float(np.clip(extent / share, 0.7, 1.4))
        middle = (points.max(axis=0) + points.min(axis=0)) / 2 - (limits - 1) / 2
        move = middle * distance / focal
        shift = seen.rotation[0] * move[0] + seen.rotation[1] * move[1]
        shift -= seen.rotation[2] * (shift[2] / min(seen.rotation[2][2], -0.2))
        target = target + shift * 0.8
    points = project(seen, ring)
    room = np.maximum(np.minimum(points.min(axis=0), limits - points.max(axis=0)), 0)
    moved = rng.uniform(-drift, drift, 2) * room * distance / focal
    shift = seen.rotation[0] * moved[0] + seen.rotation[1] * moved[1]
    return make_camera(size_px, focal, lens, view, target + shift, distance)


def sensor(rng: np.random.Generator, size_px: tuple[int, int]) -> Sensor:
    """Return a camera's electronics; the gain is set by `metered`."""
    sharpness = size_px[0] / 1000
    tone = rng.normal(0, 0.07, 2)
    shake = float(rng.uniform(1.5, 5)) * sharpness if rng.random() < 0.12 else 0.0
    return Sensor(
        balance=(float(np.exp(tone[0])), 1.0, float(np.exp(tone[1]))),
        vignette=float(rng.uniform(0, 0.7)),
        blur=float(np.exp(rng.uniform(-0.9, 0.6))) * max(sharpness, 0.6),
        shake=shake,
        shake_angle=float(rng.uniform(0, np.pi)),
        shoulder=float(rng.uniform(0, 1)),
        contrast=float(rng.uniform(0.85, 1.22)),
        lift=float(rng.uniform(0.02, 0.25) if rng.random() < 0.15 else rng.uniform(0, 0.02)),
        saturation=float(rng.uniform(0.5, 1.15)) if rng.random() < 0.95 else 0.05,
        noise=float(np.exp(rng.uniform(0, 2.5))),
        grain=float(rng.uniform(0, 1.2)),
        sharpen=float(rng.uniform(0, 1.4)) if rng.random() < 0.7 else 0.0,
    )


def boxes(rng: np.random.Generator, style: BoardStyle) -> tuple[Box, ...]:
    """Return things that lie about on the table."""
    made = []
    for _ in range(int(rng.choice([0, 0, 1, 1, 2, 3]))):
        half = rng.uniform(2, 9, 2)
        angle = rng.uniform(0, 2 * np.pi)
        away = style.half_outer * 1.42 + float(np.hypot(*half)) + rng.uniform(0, 8)
        made.append(
            Box(
                float(np.cos(angle) * away),
                float(np.sin(angle) * away),
                (float(half[0]), float(half[1])),
                float(rng.choice([0.05, 0.8, 2.5, 9])),
                float(rng.uniform(0, np.pi)),
                any_colour(rng),
            )
        )
    return tuple(made)


def beside(rng: np.random.Generator, style: BoardStyle, index: int, side: int) -> Floats:
    """Return where the index-th piece laid beside the board lies: foot in the world, shape (3,).

    Side 1 is White's right hand, -1 the other.
    """
    step = style.square_cm * 0.95
    row, column = index % 4, index // 4
    # Far enough from a thick board that it hides nothing which is drawn in front of it.
    edge = style.half_outer + 1.8 * style.thickness_cm
    x = side * (edge + step * (0.75 + column) + rng.normal(0, 0.08) * step)
    y = -side * style.half * 0.75 + side * step * row + rng.normal(0, 0.1) * step
    return np.array([x, y, 0.0])
