"""Board views drawn flat, without a renderer: many kinds of sets for little time.

Men are short cylinders seen along a slant, so that their tops lean out of their squares as in
a view that was rectified on the plane of the board. Nothing here looks like one certain set;
the aim is variety, dark men on dark squares above all.
"""

import cv2
import numpy as np
from boards import MARGIN, PX, TruthBoard, labels_of
from numpy.random import Generator
from numpy.typing import NDArray

Colour = NDArray[np.float64]
Picture = NDArray[np.float64]

SQUARE_PAIRS = (
    ((210, 230, 240), (30, 30, 32)),
    ((150, 190, 225), (45, 75, 120)),
    ((120, 165, 205), (40, 60, 95)),
    ((200, 225, 235), (70, 110, 40)),
    ((40, 40, 190), (25, 25, 28)),
    ((190, 210, 220), (50, 50, 170)),
    ((225, 225, 225), (120, 120, 120)),
    ((215, 215, 225), (150, 90, 60)),
    ((70, 70, 75), (28, 28, 30)),
)
"""Light and dark squares, BGR."""

MEN_COLOURS = (
    (235, 240, 240),
    (190, 220, 235),
    (130, 185, 225),
    (70, 110, 160),
    (35, 50, 80),
    (28, 28, 30),
    (55, 55, 60),
    (40, 40, 190),
    (160, 60, 40),
    (60, 140, 60),
    (60, 200, 235),
    (150, 60, 140),
)


def draw_board(rng: Generator, number: int) -> TruthBoard:
    """Draw one board with a random set, position, slant and light."""
    size = 10 if rng.random() < 0.3 else 8
    edge = round((size + 2 * MARGIN) * PX)
    light, dark = (
        _vary(np.array(c, float), rng) for c in SQUARE_PAIRS[rng.integers(len(SQUARE_PAIRS))]
    )
    parity = int(rng.integers(2))
    on_dark = rng.random() < 0.85
    playing, other = (dark, light) if on_dark else (light, dark)
    picture = _ground(rng, size, edge, playing, other, parity)
    rows = _position(rng, size, parity)
    picture = _men(rng, picture, rows, size, playing)
    picture = _light(rng, picture)
    return TruthBoard(
        f"drawn_{number:05}",
        "drawn",
        size,
        picture.clip(0, 255).astype(np.uint8),
        labels_of(rows),
        rows,
    )


def _vary(colour: Colour, rng: Generator) -> Colour:
    return np.asarray((colour + rng.normal(0, 12, 3)).clip(4, 250), float)


def _grain(rng: Generator, fineness: Colour) -> Picture:
    """Return noise of a square's size, stretched along its axes, mean 0, spread about 1."""
    fine_y, fine_x = fineness
    height = width = PX
    small = rng.normal(0, 1, (max(int(height * fine_y), 3), max(int(width * fine_x), 3)))
    noise = cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.asarray(noise, float)


def _ground(
    rng: Generator, size: int, edge: int, playing: Colour, other: Colour, parity: int
) -> Picture:
    frame = _vary((playing if rng.random() < 0.5 else other) * rng.uniform(0.5, 1.3), rng)
    picture = np.ones((edge, edge, 3)) * frame
    first = round(MARGIN * PX)
    strength = rng.choice([0, 3, 8, 18])
    spread = rng.choice([0, 2, 6, 12])
    printed = rng.random()
    fineness, is_even = rng.uniform(0.05, 1, 2), rng.random() < 0.6
    for row in range(size):
        for column in range(size):
            is_playing = (row + column) % 2 == parity
            patch = np.ones((PX, PX, 3)) * (playing if is_playing else other)
            grain = _grain(rng, fineness if is_even else rng.uniform(0.05, 1, 2))
            patch += strength * grain[..., None] + rng.normal(0, spread + 0.01)
            if printed < 0.1 and is_playing:
                _print_shape(rng, patch, other, printed < 0.05)
            elif printed < 0.25 and is_playing:
                ink = (other * 0.8 + 0.2 * playing).tolist()
                text = str(row * size // 2 + column // 2 + 1)
                cv2.putText(patch, text, (2, 10), 0, 0.3, ink, 1, cv2.LINE_AA)
            y, x = first + row * PX, first + column * PX
            picture[y : y + PX, x : x + PX] = patch
    if rng.random() < 0.3:
        seam = (playing * 0.6).tolist()
        for k in range(size + 1):
            a, b, z = first + k * PX, first, first + size * PX
            cv2.line(picture, (a, b), (a, z), seam, 1, cv2.LINE_AA)
            cv2.line(picture, (b, a), (z, a), seam, 1, cv2.LINE_AA)
    if rng.random() < 0.5:
        ink = (255 - frame).tolist()
        for k in range(size):
            for y, x in ((first - 12, first + k * PX + 14), (first + k * PX + 26, first - 26)):
                cv2.putText(picture, chr(97 + k), (x, y), 0, 0.5, ink, 1, cv2.LINE_AA)
    return picture


def _print_shape(rng: Generator, patch: Picture, ink: Colour, is_ring: bool) -> None:
    """Print a flat figure on an empty square, to be told from a man."""
    corners = 4 if is_ring else int(rng.choice([4, 8]))
    turn = np.pi / 8 if corners == 8 else 0.0
    angles = turn + np.arange(corners) * 2 * np.pi / corners
    points = PX / 2 + PX * 0.46 * np.column_stack([np.cos(angles), np.sin(angles)])
    outline = np.rint(points * 16).astype(np.int32).reshape(1, -1, 2)
    if is_ring:
        cv2.polylines(patch, outline, True, ink.tolist(), 1, cv2.LINE_AA, 4)
    else:
        cv2.fillPoly(patch, outline, (ink * 0.9).tolist(), cv2.LINE_AA, 4)


def _position(rng: Generator, size: int, parity: int) -> tuple[str, ...]:
    grid = [["."] * size for _ in range(size)]
    places = [(r, c) for r in range(size) for c in range(size) if (r + c) % 2 == parity]
    full = size // 2 * (size // 2 - 1)
    kind = rng.random()
    kings = float(rng.choice([0.0, 0.1, 0.3]))
    if kind < 0.05:
        white, black = 0, 0
    elif kind < 0.35:
        white, black = full, full
    else:
        white, black = (int(n) for n in rng.integers(1, full + 1, 2))
    if kind < 0.7:  # camps: each side nearest its own edge, some men gone forward
        noise = 0.0 if kind < 0.35 else 2.0
        order = sorted(places, key=lambda p: p[0] + rng.normal(0, noise + 1e-6))
        chosen = [(p, "b") for p in order[:black]] + [(p, "w") for p in order[::-1][:white]]
    else:
        order = [places[i] for i in rng.permutation(len(places))]
        chosen = [(p, "b") for p in order[:black]] + [
            (p, "w") for p in order[black : black + white]
        ]
    for (row, column), sign in chosen:
        grid[row][column] = sign.upper() if rng.random() < kings else sign
    rows = tuple("".join(row) for row in grid)
    turns = int(rng.integers(2)) * 2  # a half turn keeps the parity
    return rows if not turns else tuple(row[::-1] for row in rows[::-1])


def _men(
    rng: Generator, picture: Picture, rows: tuple[str, ...], size: int, playing: Colour
) -> Picture:
    palette = [_vary(np.array(c, float), rng) for c in MEN_COLOURS]
    first, second = (palette[i] for i in rng.permutation(len(palette))[:2])
    if rng.random() < 0.4:  # one side nearly as its squares
        first = (playing + rng.normal(0, 6, 3) + rng.uniform(-14, 22)).clip(3, 250)
    colours = {"w": first, "b": second} if rng.random() < 0.5 else {"b": first, "w": second}
    radius = rng.uniform(0.3, 0.47) * PX
    height = rng.uniform(0.08, 0.35) * PX
    angle, tilt = rng.uniform(0, 2 * np.pi), abs(rng.normal(0, 0.55))
    slant = tilt * np.array([np.cos(angle), np.sin(angle)])
    fan = rng.uniform(0, 0.08)  # the slant changes across the board when the camera is near
    sun_angle = rng.uniform(0, 2 * np.pi)
    sun = rng.uniform(0.1, 0.9) * np.array([np.cos(sun_angle), np.sin(sun_angle)])
    rings = sorted(rng.uniform(0.25, 0.95, rng.integers(0, 5)))
    style = {
        "rings": rings,
        "ring_step": rng.choice([-1, 1]) * rng.uniform(6, 45),
        "rim": rng.uniform(0, 40) * rng.choice([-1, 1, 1]),
        "side": rng.uniform(0.45, 1.0),
        "shine": rng.uniform(0, 90) if rng.random() < 0.5 else 0.0,
        "king": rng.choice(["stack", "flip", "mark"]),
        "mark": palette[rng.integers(len(palette))],
        "dish": rng.uniform(-18, 18),
    }
    centres = []
    loose = rng.choice([0.02, 0.05, 0.09])
    for row in range(size):
        for column in range(size):
            if rows[row][column] != ".":
                middle = np.array([column + 0.5, row + 0.5]) + rng.normal(0, loose, 2).clip(
                    -0.15, 0.15
                )
                centres.append(((middle + MARGIN) * PX, rows[row][column]))
    shadow = np.zeros(picture.shape[:2], np.uint8)
    for centre, sign in centres:
        tall = height * (2 if sign.isupper() and style["king"] == "stack" else 1)
        for step in np.linspace(0, 1, 6):
            _disc(shadow, centre + sun * tall * step, radius, 255)
    softness = rng.uniform(0.8, 5)
    shadow = np.asarray(cv2.GaussianBlur(shadow, (0, 0), softness), np.uint8)
    picture = picture * (1 - rng.uniform(0.1, 0.7) * shadow[..., None] / 255.0)
    middle = np.array(picture.shape[:2]) / 2
    for centre, sign in sorted(centres, key=lambda c: -float(c[0] @ slant)):
        here = slant + fan * (centre - middle) / PX
        _man(
            rng, picture, centre, here, radius, height, colours[sign.lower()], sign.isupper(), style
        )
    return picture


def _disc(
    picture: NDArray[np.generic], centre: NDArray[np.float64], radius: float, colour: object
) -> None:
    at = tuple(int(v) for v in np.rint(centre * 16))
    cv2.circle(picture, at, max(round(radius * 16), 1), colour, -1, cv2.LINE_AA, 4)  # type: ignore[call-overload]


def _man(
    rng: Generator,
    picture: Picture,
    centre: NDArray[np.float64],
    slant: NDArray[np.float64],
    radius: float,
    height: float,
    colour: Colour,
    is_king: bool,
    style: dict,  # type: ignore[type-arg]
) -> None:
    colour = (colour * rng.uniform(0.93, 1.07)).clip(2, 252)
    layers = 2 if is_king and style["king"] == "stack" else 1
    for layer in range(layers):
        base = centre + slant * height * layer
        for step in np.linspace(0, 1, 7):
            shade = style["side"] * (0.85 + 0.15 * step) * (0.7 if step == 0 else 1.0)
            _disc(picture, base + slant * height * step, radius, (colour * shade).tolist())
    top = centre + slant * height * layers
    _disc(picture, top, radius, (colour + style["rim"]).clip(0, 255).tolist())
    _disc(picture, top, radius * 0.94, colour.tolist())
    flipped = is_king and style["king"] == "flip"
    sign = 1.0
    for ring in [] if flipped else style["rings"][::-1]:
        sign = -sign
        tone = (colour + max(sign, 0.0) * style["ring_step"]).clip(0, 255)
        _disc(picture, top, radius * ring, tone.tolist())
    if flipped:
        _disc(picture, top, radius * 0.6, (colour + style["ring_step"]).clip(0, 255).tolist())
        _disc(picture, top, radius * 0.25, style["mark"].tolist())
    if is_king and style["king"] == "mark":
        _disc(picture, top, radius * 0.5, style["mark"].tolist())
    if style["shine"] > 0:
        spot = top + radius * rng.uniform(-0.5, 0.5, 2)
        y0, x0 = (int(v) for v in (top - radius)[::-1])
        span = int(2 * radius) + 1
        y, x = np.mgrid[y0 : y0 + span, x0 : x0 + span]
        glow = np.exp(-((x - spot[0]) ** 2 + (y - spot[1]) ** 2) / (2 * (radius * 0.3) ** 2))
        inside = (x - top[0]) ** 2 + (y - top[1]) ** 2 < (radius * 0.95) ** 2
        rows = slice(max(y0, 0), min(y0 + span, picture.shape[0]))
        columns = slice(max(x0, 0), min(x0 + span, picture.shape[1]))
        patch = (style["shine"] * glow * inside)[
            rows.start - y0 : rows.stop - y0, columns.start - x0 : columns.stop - x0
        ]
        picture[rows, columns] += patch[..., None]


def _light(rng: Generator, picture: Picture) -> Picture:
    edge = picture.shape[0]
    y, x = np.mgrid[0:edge, 0:edge] / edge - 0.5
    angle = rng.uniform(0, 2 * np.pi)
    along = x * np.cos(angle) + y * np.sin(angle)
    light = 1 + rng.uniform(0, 0.5) * along
    if rng.random() < 0.3:  # the edge of a shadow across the board
        border = 1 / (1 + np.exp(-(along - rng.uniform(-0.4, 0.4)) * rng.uniform(20, 300)))
        light = light * (1 - rng.uniform(0.2, 0.6) * border)
    picture = picture * light[..., None]
    if rng.random() < 0.3:  # a lamp mirrored in a shiny board
        spot = rng.uniform(-0.5, 0.5, 2)
        glow = np.exp(
            -((x - spot[0]) ** 2 + (y - spot[1]) ** 2) / (2 * rng.uniform(0.04, 0.25) ** 2)
        )
        picture = picture + rng.uniform(20, 170) * glow[..., None]
    exposure = rng.uniform(0.35, 1.25) * rng.uniform(0.9, 1.1, 3)
    return np.asarray(picture * exposure + rng.uniform(0, 25), float)
