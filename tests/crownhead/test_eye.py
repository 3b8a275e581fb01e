"""The start of a game as the eye finds it, in single pictures."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from crownhead.events import Event, GameStarted, MovePlayed
from crownhead.eye import GameEye, StartNotShown
from crownhead.game_options import GameOptions, eye_for
from crownhead.rules.fen import parse_fen
from crownhead.rules.generator import legal_moves, play
from crownhead.rules.position import Position
from crownhead.rules.variant import start_position, variant_named
from crownhead.sources import Frame, Kind, SourceInfo
from crownhead.vision.opening import codes_of, layout_of

SAMPLE = Path(__file__).parents[2] / "crownhead" / "samples" / "russian-take-back.mp4"
RUSSIAN = variant_named("russian")
START = start_position(RUSSIAN)


@pytest.fixture(scope="module")
def first_picture() -> np.ndarray:
    """The start position, White at the right of the picture."""
    return cv2.VideoCapture(str(SAMPLE)).read()[1]


def eye_of(**options: object) -> GameEye:
    info = SourceInfo("stills", Kind.FOLDER, 1.0, None, 640, 480)
    return eye_for(info, GameOptions("russian", **options))


def shown(eye: GameEye, *pictures: np.ndarray) -> list[Event]:
    """Show pictures as the stills of a folder, and say that no more will come."""
    events = [e for k, image in enumerate(pictures) for e in eye.see(Frame(k, float(k), image))]
    eye.finish()
    return events


def drawn(position: Position) -> np.ndarray:
    """Draw a board from above, pieces of two shades that leave open which side is White's."""
    px = 50
    image = np.full((600, 640, 3), (60, 80, 100), np.float64)
    image += np.random.default_rng(5).normal(0, 5, image.shape)
    layout = layout_of(RUSSIAN)
    for row in range(8):
        for column in range(8):
            tone = (50, 90, 50) if layout.playing[row, column] else (190, 200, 215)
            top, left = 100 + row * px, 120 + column * px
            image[top : top + px, left : left + px] = tone
    for row, column, code in zip(layout.rows, layout.columns, codes_of(position, 32), strict=True):
        if code:
            middle = (120 + int((column + 0.5) * px), 100 + int((row + 0.5) * px))
            tone = (70, 180, 240) if code == 1 else (60, 60, 215)
            cv2.circle(image, middle, 19, tone, -1, cv2.LINE_AA)
    noise = np.random.default_rng(6).normal(0, 2, image.shape)
    return np.clip(cv2.GaussianBlur(image, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)


def test_the_start_is_read_from_the_picture_with_who_begins(first_picture: np.ndarray):
    (event,) = shown(eye_of(start_fen="look", first="black"), first_picture)
    assert isinstance(event, GameStarted)
    assert (event.fen, event.white_side) == ("B:W21-32:B1-12", "right")


def test_the_start_is_read_from_the_side_that_was_named(first_picture: np.ndarray):
    (event,) = shown(eye_of(start_fen="look", white_side="left"), first_picture)
    assert isinstance(event, GameStarted)
    assert (event.fen, event.white_side) == ("W:W21-32:B1-12", "left")


def test_the_start_is_read_from_a_board_laid_mirrored(first_picture: np.ndarray):
    mirrored = first_picture[:, ::-1].copy()
    (event,) = shown(eye_of(start_fen="look", laid_mirrored=True), mirrored)
    assert isinstance(event, GameStarted)
    assert (event.fen, event.white_side) == ("W:W21-32:B1-12", "left")
    assert "mirrored" in event.note
    with pytest.raises(StartNotShown, match="light corner at the players' left"):
        shown(eye_of(start_fen="look"), mirrored)
    with pytest.raises(StartNotShown, match="does not lie mirrored"):
        shown(eye_of(start_fen="look", laid_mirrored=True), first_picture)


def test_the_first_move_tells_the_sides_and_is_not_lost():
    # What looks like b6-a5 is g3-h4 of those who sit on the other side and begin.
    moved = Position(START.white, START.black & ~(1 << 8) | 1 << 12, 0, START.turn)
    begun, again, move = shown(eye_of(), drawn(START), drawn(moved))
    assert isinstance(begun, GameStarted)
    assert isinstance(again, GameStarted)
    assert {begun.white_side, again.white_side} == {"bottom", "top"}
    assert isinstance(move, MovePlayed)
    assert (move.ply, move.side, move.legal) == (1, "white", True)


def film_eye() -> GameEye:
    info = SourceInfo("film", Kind.FILM, 10.0, None, 640, 600)
    return eye_for(info, GameOptions("russian", white_side="bottom"))


def film_shown(eye: GameEye, pictures: list[np.ndarray]) -> list[Event]:
    """Show the frames of a film of ten a second."""
    return [e for k, image in enumerate(pictures) for e in eye.see(Frame(k, k / 10, image))]


def test_a_game_begins_under_a_camera_held_in_the_hand():
    still = drawn(START)
    swayed = []
    for k in range(10):
        x, y = 6 * np.sin(0.9 * k), 5 * np.cos(0.7 * k)
        matrix = np.array([[1, 0.004 * np.sin(k), x], [0, 1, y]])
        swayed.append(cv2.warpAffine(still, matrix, (640, 600), borderMode=cv2.BORDER_REPLICATE))
    (begun,) = (e for e in film_shown(film_eye(), swayed) if isinstance(e, GameStarted))
    assert begun.at_s <= 0.6
    assert "Separation" in begun.note


def test_a_game_does_not_begin_while_a_hand_moves_over_a_board_at_rest():
    pictures = []
    for k in range(22):
        image = drawn(START)
        cv2.line(image, (640, 300), (500 - 12 * k, 300), (110, 140, 200), 80, cv2.LINE_AA)
        pictures.append(image)
    assert film_shown(film_eye(), pictures) == []


def test_a_film_whose_picture_grows_smaller_is_followed_on():
    moved = Position(START.white & ~(1 << 21) | 1 << 16, START.black, 0, START.turn.other)
    pictures = [drawn(START)] * 12 + [drawn(moved)] * 12
    pictures[10:] = [cv2.resize(p, (480, 450), interpolation=cv2.INTER_AREA) for p in pictures[10:]]
    (move,) = (e for e in film_shown(film_eye(), pictures) if isinstance(e, MovePlayed))
    assert move.path == (22, 17)


def test_a_capture_that_is_half_done_in_one_picture_accuses_nobody():
    fen = "W:W22,23,24,29,30,32:B1,2,3,4,8,18"
    start = parse_fen(fen, RUSSIAN)
    (capture,) = {move for move in legal_moves(RUSSIAN, start) if move.path[0] == 22}
    done = play(RUSSIAN, start, capture)
    half = Position(done.white, start.black, 0, done.turn)
    begun, move = shown(eye_of(start_fen=fen), drawn(start), drawn(half), drawn(done))
    assert isinstance(begun, GameStarted)
    assert isinstance(move, MovePlayed)
    assert move.captured == (18,)
