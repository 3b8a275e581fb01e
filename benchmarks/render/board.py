"""The board itself: its picture from above and where its squares lie in the world."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.render.textures import Colour, Image, Plane, clouds, material, to_picture

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BoardStyle:
    """How a board is made; lengths in centimetres, colours BGR as seen.

    ``numbers`` is None, ``letters`` or ``squares``; ``decor`` a set of tape, icons, markers,
    inner and hinge; ``fold_axis`` 0 if the fold runs along x, 1 along y, None for no fold.
    """

    look: str
    size: int
    square_cm: float
    frame_cm: float
    thickness_cm: float
    light: Colour
    dark: Colour
    frame: Colour
    ink: Colour
    materials: tuple[str, str, str]
    strength: float
    line: float
    numbers: str | None
    playing: str
    fold_axis: int | None
    fold_deg: float
    decor: frozenset[str]
    gloss: float
    roughness: float

    @property
    def half(self) -> float:
        """Half the playing field's edge."""
        return self.size * self.square_cm / 2

    @property
    def half_outer(self) -> float:
        """Half the board's edge, border included."""
        return self.half + self.frame_cm


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a board lies on the table: its middle and how far it is turned."""

    x: float = 0.0
    y: float = 0.0
    angle: float = 0.0


def board_to_world(style: BoardStyle, pose: Pose, points: Floats) -> Floats:
    """Map points on the board (x, y from its middle), shape (n, 2), to the world, (n, 3)."""
    points = np.asarray(points, float).reshape(-1, 2)
    c, s = np.cos(pose.angle), np.sin(pose.angle)
    x = pose.x + c * points[:, 0] - s * points[:, 1]
    y = pose.y + s * points[:, 0] + c * points[:, 1]
    z = np.full(len(points), style.thickness_cm)
    if style.fold_axis is not None:
        z += np.tan(np.radians(style.fold_deg)) * np.abs(points[:, 1 - style.fold_axis])
    return np.column_stack([x, y, z])


def square_middle(style: BoardStyle, number: int) -> tuple[float, float]:
    """Return the middle of a playing square on the board, from the board's middle."""
    half = style.size // 2
    row, k = divmod(number - 1, half)
    column = 2 * k + (1 if row % 2 == 0 else 0)
    return (
        (column + 0.5) * style.square_cm - style.half,
        style.half - (row + 0.5) * style.square_cm,
    )


def field_corners(style: BoardStyle, pose: Pose) -> Floats:
    """Return the field's corners in the world: White's left and right, Black's left and right."""
    h = style.half
    return board_to_world(style, pose, np.array([[-h, -h], [h, -h], [h, h], [-h, h]]))


def outer_ring(style: BoardStyle, pose: Pose, grow: float = 0.0) -> Floats:
    """Return points along the board's upper edge, counter-clockwise from above, (64, 3)."""
    h = style.half_outer + grow
    run = np.linspace(-h, h, 17)[:-1]
    full = np.full(16, h)
    ring = np.vstack(
        [
            np.column_stack([run, -full]),
            np.column_stack([full, run]),
            np.column_stack([-run, full]),
            np.column_stack([-full, -run]),
        ]
    )
    return board_to_world(style, pose, ring)


def paint_board(rng: np.random.Generator, style: BoardStyle, px_per_cm: float) -> Image:
    """Return the board from above, Black's side up, uint8 BGR, square."""
    square = max(8, round(style.square_cm * px_per_cm))
    scale = square / style.square_cm
    border = round(style.frame_cm * scale)
    edge = style.size * square + 2 * border
    sheet = material(rng, style.materials[2], (edge, edge), style.frame, style.strength)
    if style.materials[2] == "wood" and border > 4 and rng.random() < 0.7:
        _turn_side_rails(sheet, border)
    field = _paint_field(rng, style, square)
    sheet[border : edge - border, border : edge - border] = field
    _paint_lines(rng, style, sheet, border, square)
    if style.numbers == "letters" and border > 8:
        _write_letters(rng, style, sheet, border, square)
    if style.numbers == "squares":
        _write_numbers(rng, style, sheet, border, square)
    _decorate(rng, style, sheet, border, square)
    wear = clouds(rng, (edge, edge), 3) * rng.uniform(0, 0.08)
    sheet *= (1 + wear)[..., None]
    return to_picture(sheet)


def _turn_side_rails(sheet: Plane, border: int) -> None:
    """Let the grain of the left and right rails run up and down, mitred at the corners."""
    edge = sheet.shape[0]
    other = sheet.transpose(1, 0, 2).copy()
    rows, columns = np.mgrid[0:edge, 0:edge]
    nearest = np.minimum(rows, edge - 1 - rows)
    side = (np.minimum(columns, edge - 1 - columns) < nearest) & (nearest >= 0)
    sheet[side] = other[side]


def _paint_field(rng: np.random.Generator, style: BoardStyle, square: int) -> Plane:
    n = style.size
    edge = n * square
    sheets = [
        material(rng, kind, (edge, edge), colour, style.strength)
        for kind, colour in zip(style.materials[:2], (style.light, style.dark), strict=True)
    ]
    field = np.empty((edge, edge, 3), np.float32)
    inlaid = style.materials[0] == "wood" and rng.random() < 0.8
    turn_dark = rng.random() < 0.4
    vary = rng.uniform(0, 0.09)
    for row in range(n):
        for column in range(n):
            playing = (row + column) % 2 == 1
            dark = playing == (style.playing == "dark")
            y, x = row * square, column * square
            if inlaid:
                y0, x0 = (int(v) for v in rng.integers(0, edge - square, 2))
                part = sheets[dark][y0 : y0 + square, x0 : x0 + square]
                part = part * (1 + vary * rng.uniform(-1, 1))
                if dark and turn_dark:
                    part = part.transpose(1, 0, 2)
            else:
                part = sheets[dark][y : y + square, x : x + square]
            field[y : y + square, x : x + square] = part
    return field


def _paint_lines(
    rng: np.random.Generator, style: BoardStyle, sheet: Plane, border: int, square: int
) -> None:
    edge = sheet.shape[0]
    if style.line > 0:
        thick = max(1, round(style.line * square))
        shade = [c * rng.uniform(0.2, 0.8) for c in style.dark]
        if rng.random() < 0.3:
            shade = list(style.light)
        for k in range(style.size + 1):
            at = border + k * square
            cv2.line(sheet, (at, border), (at, edge - border), shade, thick)
            cv2.line(sheet, (border, at), (edge - border, at), shade, thick)
    if "inner" in style.decor and border > 6:
        gap = round(border * rng.uniform(0.05, 0.3))
        a, b = border - gap, edge - border + gap
        cv2.rectangle(sheet, (a, a), (b, b), style.ink, max(1, square // 40))
    if style.fold_axis is not None:
        middle, thick = edge // 2, max(1, round(square * rng.uniform(0.01, 0.05)))
        shade = [c * rng.uniform(0.1, 0.5) for c in style.frame]
        ends = (
            ((0, middle), (edge, middle)) if style.fold_axis == 0 else ((middle, 0), (middle, edge))
        )
        cv2.line(sheet, *ends, shade, thick)
        if "hinge" in style.decor and border > 8:
            long, short = square // 4, border // 5
            for at in (border // 2, edge - border // 2):
                x, y = (at, middle) if style.fold_axis == 0 else (middle, at)
                w, h = (short, long) if style.fold_axis == 0 else (long, short)
                cv2.rectangle(sheet, (x - w, y - h), (x + w, y + h), (90, 150, 180), -1)


def _put(
    sheet: Plane, text: str, at: tuple[float, float], height: float, ink: Colour, turn: int
) -> None:
    """Write a text about a point, turned by so many quarters."""
    scale = max(height / 22, 0.15)
    thick = max(1, round(height / 9))
    (width, tall), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, thick)
    written = np.zeros((tall + 8, width + 8), np.uint8)
    cv2.putText(
        written, text, (4, tall + 4), cv2.FONT_HERSHEY_SIMPLEX, scale, 255, thick, cv2.LINE_AA
    )
    stencil = np.rot90(written.astype(np.float32) / 255, turn)
    top, left = round(at[1] - stencil.shape[0] / 2), round(at[0] - stencil.shape[1] / 2)
    part = sheet[max(top, 0) : top + stencil.shape[0], max(left, 0) : left + stencil.shape[1]]
    cut = stencil[: part.shape[0], : part.shape[1], None]
    part += (np.array(ink, np.float32) - part) * cut


def _write_letters(
    rng: np.random.Generator, style: BoardStyle, sheet: Plane, border: int, square: int
) -> None:
    edge, n = sheet.shape[0], style.size
    height = min(border * 0.5, square * 0.3) * rng.uniform(0.7, 1.0)
    turned_far = 2 if rng.random() < 0.6 else 0
    letters = "abcdefghij" if rng.random() < 0.5 else "ABCDEFGHIJ"
    for k in range(n):
        at = border + (k + 0.5) * square
        _put(sheet, letters[k], (at, edge - border / 2), height, style.ink, 0)
        _put(sheet, letters[k], (at, border / 2), height, style.ink, turned_far)
        _put(sheet, str(n - k), (border / 2, at), height, style.ink, 0)
        _put(sheet, str(n - k), (edge - border / 2, at), height, style.ink, turned_far)


def _write_numbers(
    rng: np.random.Generator, style: BoardStyle, sheet: Plane, border: int, square: int
) -> None:
    height = square * rng.uniform(0.12, 0.2)
    corner = rng.choice([-1, 1], 2) * 0.36
    for number in range(1, style.size * style.size // 2 + 1):
        x, y = square_middle(style, number)
        column = (x + style.half) / style.square_cm + corner[0]
        row = (style.half - y) / style.square_cm + corner[1]
        at = (border + column * square, border + row * square)
        _put(sheet, str(number), at, height, style.ink, 0)


def _decorate(
    rng: np.random.Generator, style: BoardStyle, sheet: Plane, border: int, square: int
) -> None:
    edge = sheet.shape[0]
    if "icons" in style.decor and border > 8:
        kinds = rng.integers(0, 3)
        for at in np.arange(border / 2, edge, square * 0.5):
            for x, y in (
                (at, border / 2),
                (at, edge - border / 2),
                (border / 2, at),
                (edge - border / 2, at),
            ):
                spot, r = (round(x), round(y)), max(2, round(border * 0.2))
                if kinds == 0:
                    cv2.circle(sheet, spot, r, style.ink, -1, cv2.LINE_AA)
                elif kinds == 1:
                    cv2.drawMarker(sheet, spot, style.ink, cv2.MARKER_TILTED_CROSS, 2 * r, 2)
                else:
                    cv2.circle(sheet, spot, r, style.ink, 2, cv2.LINE_AA)
    if "markers" in style.decor and border > 8:
        cell = max(1, int(border * 0.8) // 6)
        for x in (border // 8, edge - 6 * cell - border // 8):
            for y in (border // 8, edge - 6 * cell - border // 8):
                bits = rng.random((6, 6)) < 0.5
                bits[[0, -1], :] = bits[:, [0, -1]] = False
                block = np.kron(bits, np.ones((cell, cell)))[..., None] * 235 + 10
                part = sheet[y : y + 6 * cell, x : x + 6 * cell]
                part[:] = block[: part.shape[0], : part.shape[1]]
    if "tape" in style.decor:
        ink = np.array(rng.uniform(30, 255, 3), np.float32)
        for side in range(4):
            if rng.random() < 0.7:
                wide = border * rng.uniform(0.4, 0.98)
                near = border - wide - rng.uniform(0, border - wide)
                a, b = round(near), round(near + wide)
                a2, b2 = round(rng.uniform(0, border)), round(edge - rng.uniform(0, border))
                rect = ((a, b), (a2, b2)) if side % 2 else ((a2, b2), (a, b))
                (y0, y1), (x0, x1) = rect
                view = sheet[::-1, ::-1] if side > 1 else sheet
                part = view[y0:y1, x0:x1]
                part += (ink - part) * np.float32(0.85)
