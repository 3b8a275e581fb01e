"""The tracker on a drawn table: hands, light, nudges, and what the squares are taken for."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from crownhead.calibration.board import FoundBoard, corners_px, to_image, turned
from crownhead.rules.position import Position
from crownhead.rules.variant import start_position, variant_named
from crownhead.vision.finder import find_board
from crownhead.vision.observation import Sight
from crownhead.vision.opening import Opening, codes_of, layout_of, match_opening
from crownhead.vision.tracker import (
    Tracker,
    TrackParams,
    at_size,
    observe,
    same_edges,
    track,
)

VARIANT = variant_named("english")
START = start_position(VARIANT)
PX = 60
CORNERS = np.array([[190, 60], [470, 70], [560, 420], [90, 410]], np.float32)
WIDTH, HEIGHT = 640, 480
DATA = Path(__file__).parents[1] / "data"


def board_at(corners: np.ndarray = CORNERS) -> FoundBoard:
    square = np.array([[0, 0], [8, 0], [8, 8], [0, 8]], np.float32)
    matrix = cv2.getPerspectiveTransform(square, corners.astype(np.float32))
    return FoundBoard(8, matrix.astype(np.float64), 0.0, WIDTH, HEIGHT)


def picture(position: Position, *, seed: int = 0, corners: np.ndarray = CORNERS) -> np.ndarray:
    """Draw a table with a board and flat discs, seen by a camera with a little noise."""
    texture = np.random.default_rng(7).normal(0, 6, (10 * PX, 10 * PX, 1))
    flat = np.full((10 * PX, 10 * PX, 3), (60, 70, 90), np.float64)
    for row in range(8):
        for column in range(8):
            tone = (60, 110, 60) if (row + column) % 2 else (190, 210, 220)
            top, left = (row + 1) * PX, (column + 1) * PX
            flat[top : top + PX, left : left + PX] = tone
    flat += texture
    layout = layout_of(VARIANT)
    codes = codes_of(position, VARIANT.squares)
    for n, code in enumerate(codes):
        middle = (int((layout.columns[n] + 1.5) * PX), int((layout.rows[n] + 1.5) * PX))
        if code:
            tone = (235, 240, 245) if code == 1 else (30, 30, 40)
            cv2.circle(flat, middle, 23, tone, -1, cv2.LINE_AA)
            cv2.circle(flat, middle, 14, tuple(c * 0.8 for c in tone), 2, cv2.LINE_AA)
    field = np.array([[1, 1], [9, 1], [9, 9], [1, 9]], np.float32) * PX
    matrix = cv2.getPerspectiveTransform(field, corners.astype(np.float32))
    seen = cv2.warpPerspective(flat, matrix, (WIDTH, HEIGHT), borderValue=(120, 110, 100))
    noise = np.random.default_rng(seed).normal(0, 2, seen.shape)
    return np.clip(cv2.GaussianBlur(seen, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def tracker() -> Tracker:
    opening = match_opening(picture(START), turned(board_at(), 1), VARIANT, START)
    assert opening.wrong == ()
    return tracking(opening)


def tracking(opening: Opening) -> Tracker:
    return track(
        opening.view,
        opening.board,
        layout_of(VARIANT),
        opening.look,
        opening.codes,
        TrackParams(),
    )


def after(tracker: Tracker, pictures, believed: Position = START):
    """Show pictures at ten a second and return the tracker and the last observation."""
    seen = None
    codes = codes_of(believed, VARIANT.squares)
    for k, image in enumerate(pictures):
        tracker, seen = observe(tracker, image, k, k / 10, codes)
    return tracker, seen


def read(tracker: Tracker, pictures, believed: Position = START):
    """Return the last observation that bears evidence, or the last one."""
    seen = None
    codes = codes_of(believed, VARIANT.squares)
    for k, image in enumerate(pictures):
        tracker, now = observe(tracker, image, k, k / 10, codes)
        if seen is None or now.evidence is not None or now.sight is not Sight.CLEAR:
            seen = now
    return seen


def stepped() -> Position:
    """11-15, the first move of many a game."""
    return Position(START.white, START.black & ~(1 << 10) | 1 << 14, 0, START.turn)


def test_the_opening_is_matched_whichever_way_the_board_was_found():
    for turn in range(4):
        opening = match_opening(picture(START), turned(board_at(), turn), VARIANT, START)
        assert opening.fits
        assert opening.white_side == "bottom"
        assert np.allclose(corners_px(opening.board), CORNERS, atol=1e-6)
        assert min(opening.look.separation) > 6


def test_a_wrong_start_is_named_square_by_square():
    opening = match_opening(picture(stepped()), board_at(), VARIANT, START)
    assert {square for square, _, _ in opening.wrong} == {11, 15}


def test_a_given_side_overrules_lightness():
    opening = match_opening(picture(START), board_at(), VARIANT, START, white_side="top")
    assert opening.white_side == "top"
    assert opening.wrong == ()


def test_an_unchanged_board_reads_as_it_is(tracker: Tracker):
    seen = read(tracker, [picture(START, seed=k) for k in range(12)])
    assert seen.sight is Sight.CLEAR
    assert np.array_equal(seen.evidence.codes, codes_of(START, VARIANT.squares))
    assert not seen.evidence.strange.any()


def test_a_move_is_read_off_the_squares(tracker: Tracker):
    seen = read(tracker, [picture(stepped(), seed=k) for k in range(12)])
    assert np.array_equal(seen.evidence.codes, codes_of(stepped(), VARIANT.squares))
    assert np.sort(seen.evidence.log_likelihood, axis=1)[:, 1].max() < -3


@pytest.mark.parametrize("gain", [0.5, 0.7, 1.2])
def test_light_that_changes_everywhere_changes_no_square(tracker: Tracker, gain: float):
    images = [
        np.clip(picture(stepped(), seed=k) * gain, 0, 255).astype(np.uint8) for k in range(12)
    ]
    seen = read(tracker, images)
    assert seen.sight is Sight.CLEAR
    assert np.array_equal(seen.evidence.codes, codes_of(stepped(), VARIANT.squares))


def test_a_shadow_over_half_the_board_changes_no_square(tracker: Tracker):
    x = np.arange(WIDTH)[None, :, None]
    shadow = 1 - 0.4 / (1 + np.exp((x - 330) / 8))
    images = [(picture(stepped(), seed=k) * shadow).astype(np.uint8) for k in range(12)]
    seen = read(tracker, images)
    assert seen.sight is Sight.CLEAR
    assert np.array_equal(seen.evidence.codes, codes_of(stepped(), VARIANT.squares))


@pytest.mark.parametrize("tone", [(110, 140, 200), (60, 60, 60), (200, 200, 205)])
def test_a_hand_at_rest_blocks_the_view(tracker: Tracker, tone: tuple[int, int, int]):
    images = []
    for k in range(30):
        image = picture(stepped(), seed=k)
        cv2.line(image, (640, 300), (420, 270), tone, 60, cv2.LINE_AA)
        images.append(image)
    seen = read(tracker, images)
    assert seen.sight is Sight.BLOCKED
    assert seen.evidence is None


def test_a_coin_that_lay_between_the_pieces_does_not_block_the_view_once_it_is_gone(
    tracker: Tracker,
):
    middle = to_image(tracker.board, np.array([[5.5, 5.5]]))[0].round().astype(int).tolist()
    images = []
    for k in range(70):
        image = picture(stepped() if k >= 40 else START, seed=k)
        if k < 40:
            cv2.circle(image, middle, 10, (40, 90, 130), -1, cv2.LINE_AA)
        images.append(image)
    seen = read(tracker, images)
    assert seen.sight is Sight.CLEAR
    assert np.array_equal(seen.evidence.codes, codes_of(stepped(), VARIANT.squares))


def test_movement_gives_no_evidence(tracker: Tracker):
    images = []
    for k in range(20):
        image = picture(START, seed=k)
        cv2.circle(image, (100 + 20 * k, 240), 40, (110, 140, 200), -1)
        images.append(image)
    _, seen = after(tracker, images)
    assert seen.sight is Sight.MOVING
    assert seen.evidence is None


@pytest.mark.parametrize(
    "shift", [(8, 5), (-12, 6), (3, -2), (30, 20)], ids=["8 px", "12 px", "3 px", "36 px"]
)
def test_a_nudged_board_is_found_again(tracker: Tracker, shift: tuple[int, int]):
    moved_corners = CORNERS + np.array(shift, np.float32)
    still = [picture(START, seed=k) for k in range(6)]
    nudged = [picture(START, seed=50 + k, corners=moved_corners) for k in range(30)]
    held, seen = after(tracker, still + nudged)
    assert np.abs(corners_px(held.board) - moved_corners).max() < 3.0
    assert seen.sight is Sight.CLEAR


def test_a_board_taken_away_gives_no_evidence(tracker: Tracker):
    bare = np.full((HEIGHT, WIDTH, 3), 120, np.float64)
    rng = np.random.default_rng(3)
    images = [(bare + rng.normal(0, 2, bare.shape)).astype(np.uint8) for _ in range(30)]
    _, seen = after(tracker, images)
    assert seen.sight in (Sight.MOVED, Sight.BLOCKED)
    assert seen.evidence is None


def test_a_board_laid_with_the_other_corner_is_matched_only_as_mirrored():
    mirrored = picture(START)[:, ::-1].copy()
    corners = CORNERS[[1, 0, 3, 2]] * (-1, 1) + (WIDTH - 1, 0)
    board = board_at(corners.astype(np.float32))
    assert not match_opening(mirrored, board, VARIANT, START).fits
    opening = match_opening(mirrored, board, VARIANT, START, laid_mirrored=True)
    assert opening.fits
    assert opening.white_side == "bottom"
    assert not np.array_equal(opening.layout.columns, layout_of(VARIANT).columns)


def test_a_board_whose_light_squares_are_streaked_is_not_taken_for_mirrored():
    # Drawn by benchmarks/render: the streaks differ more than the squares with and without men.
    image = np.asarray(cv2.imread(str(DATA / "striped_squares.jpg")), np.uint8)
    board = find_board(image, size=8).board
    assert board is not None
    variant = variant_named("russian")
    opening = match_opening(image, board, variant, start_position(variant), white_side="top")
    assert opening.fits
    mirrored = match_opening(image, board, variant, start_position(variant), laid_mirrored=True)
    assert not mirrored.fits


@pytest.mark.parametrize("gain", [0.15, 0.1, 0.07])
def test_a_dark_man_that_leaves_a_dark_square_in_the_dark_is_seen_to_leave(gain: float):
    def dark(position: Position, seed: int) -> np.ndarray:
        image = cv2.addWeighted(picture(position, seed=seed), gain, picture(position), 0, 4)
        return np.asarray(image, np.uint8)

    opening = match_opening(dark(START, 0), turned(board_at(), 1), VARIANT, START)
    state, _ = after(tracking(opening), [dark(START, seed) for seed in range(12)])
    gone = Position(START.white, START.black & ~(1 << 10), 0, START.turn)
    seen = read(state, [dark(gone, seed) for seed in range(12, 24)])
    assert seen.sight is Sight.CLEAR
    assert np.array_equal(seen.evidence.codes, codes_of(gone, VARIANT.squares))


def with_man_shifted(
    position: Position, square: int, shift: tuple[float, float], *, seed: int = 0
) -> np.ndarray:
    """The picture with one dark man that stands so many squares off the middle of its own."""
    rest = Position(position.white, position.black & ~(1 << (square - 1)), 0, position.turn)
    image = picture(rest, seed=seed)
    layout = layout_of(VARIANT)
    n = square - 1
    middle = np.array([layout.columns[n] + 0.5, layout.rows[n] + 0.5]) + shift
    around = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    for radius, tone, thick in ((23 / 60, 1.0, -1), (14 / 60, 0.8, 2)):
        ring = middle + radius * np.column_stack([np.cos(around), np.sin(around)])
        points = np.round(to_image(board_at(), ring) * 16).astype(np.int32)
        colour = tuple(c * tone for c in (30, 30, 40))
        if thick < 0:
            cv2.fillPoly(image, [points], colour, cv2.LINE_AA, 4)
        else:
            cv2.polylines(image, [points], True, colour, 1, cv2.LINE_AA, 4)
    return image


@pytest.mark.parametrize("shift", [(0.0, -0.22), (0.22, 0.0), (0.0, 0.24)])
def test_a_man_shifted_within_its_square_covers_nothing(
    tracker: Tracker, shift: tuple[float, float]
):
    moved = stepped()
    images = [with_man_shifted(moved, 6, shift, seed=k) for k in range(12)]
    seen = read(tracker, images)
    assert seen.sight is Sight.CLEAR
    assert np.array_equal(seen.evidence.codes, codes_of(moved, VARIANT.squares))


def test_a_captured_man_laid_beside_the_board_hides_its_border_but_not_the_game(tracker: Tracker):
    images = []
    for k in range(30):
        image = picture(stepped(), seed=k)
        cv2.circle(image, (522, 270), 22, (235, 240, 245), -1, cv2.LINE_AA)
        images.append(image)
    early = read(tracker, images[:10])
    assert early.sight is Sight.BLOCKED
    seen = read(tracker, images)
    assert seen.sight is Sight.CLEAR
    assert seen.beside
    assert np.array_equal(seen.evidence.codes, codes_of(stepped(), VARIANT.squares))


def test_light_squares_that_a_lamp_burns_out_are_not_covered(tracker: Tracker):
    images = [
        np.clip(picture(stepped(), seed=k) * 1.35, 0, 255).astype(np.uint8) for k in range(14)
    ]
    assert np.mean(images[0][200:300, 200:400] >= 250) > 0.2
    seen = read(tracker, images)
    assert seen.sight is Sight.CLEAR
    assert np.array_equal(seen.evidence.codes, codes_of(stepped(), VARIANT.squares))


def glare(image: np.ndarray, at: tuple[int, int] = (320, 240)) -> np.ndarray:
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    spot = 80 * np.exp(-((x - at[0]) ** 2 + (y - at[1]) ** 2) / (2 * 50**2))
    return np.clip(image + spot[..., None], 0, 255).astype(np.uint8)


@pytest.mark.parametrize("at", [(320, 240), (260, 180), (380, 330), (300, 130)])
def test_a_spot_of_glare_that_appears_with_a_move_does_not_hide_it(
    tracker: Tracker, at: tuple[int, int]
):
    images = [glare(picture(stepped(), seed=k), at) for k in range(12)]
    seen = read(tracker, images)
    assert seen.sight is Sight.CLEAR
    assert np.array_equal(seen.evidence.codes, codes_of(stepped(), VARIANT.squares))


@pytest.mark.parametrize("tone", [(110, 140, 200), (60, 60, 60), (200, 200, 205)])
@pytest.mark.parametrize("thick", [24, 60])
def test_a_hand_at_rest_under_glare_blocks_the_view(
    tracker: Tracker, tone: tuple[int, int, int], thick: int
):
    images = []
    for k in range(30):
        image = picture(stepped(), seed=k)
        cv2.line(image, (640, 300), (360, 250), tone, thick, cv2.LINE_AA)
        images.append(glare(image))
    assert read(tracker, images).sight is Sight.BLOCKED


def test_edges_vouch_for_a_square_in_any_light_but_not_under_a_fingertip(tracker: Tracker):
    px = tracker.params.view_px
    then = tracker.reference.view
    x = np.arange(then.shape[1])[None, :, None]
    for light in (0.5, 1 - 0.4 / (1 + np.exp((x - 100) / 8)), 1.3):
        lit = np.clip(then * light, 0, 255).astype(np.uint8)
        assert same_edges(lit, then, tracker.params).mean() > 0.95
    touched = then.copy()
    cv2.circle(touched, (px * 4, px * 4), px // 4, (110, 140, 200), -1, cv2.LINE_AA)
    kept = same_edges(touched, then, tracker.params)
    assert not kept[3, 3]
    assert kept[0, 0]


def swayed(k: int) -> np.ndarray:
    """Return the corners as a camera held in the hand shows them in its k-th frame."""
    sway = np.sin(k * np.array([[0.9, 0.37], [0.85, 0.4], [0.88, 0.36], [0.92, 0.38]])) * (5, 8)
    return (CORNERS + sway).astype(np.float32)


def test_a_move_is_read_under_a_camera_that_is_held_in_the_hand(tracker: Tracker):
    images = [picture(START, seed=k) for k in range(6)]
    images += [picture(stepped(), seed=k, corners=swayed(k)) for k in range(6, 40)]
    held, seen = after(tracker, images)
    assert np.abs(corners_px(held.board) - swayed(39)).max() < 3.0
    evidence = read(tracker, images).evidence
    assert evidence is not None
    assert np.array_equal(evidence.codes, codes_of(stepped(), VARIANT.squares))
    assert seen.sight is Sight.CLEAR


def test_a_hand_that_moves_under_a_camera_held_in_the_hand_is_never_rest(tracker: Tracker):
    images = [picture(START, seed=k) for k in range(6)]
    for k in range(6, 46):
        image = picture(START, seed=k, corners=swayed(k))
        cv2.line(image, (640, 300), (420 - 3 * k, 270 - k), (110, 140, 200), 50, cv2.LINE_AA)
        images.append(image)
    codes = codes_of(START, VARIANT.squares)
    for k, image in enumerate(images):
        tracker, seen = observe(tracker, image, k, k / 10, codes)
        assert k < 8 or seen.evidence is None


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_a_board_that_was_turned_is_found_by_the_position_on_it(tracker: Tracker, turn: int):
    ring = np.roll(CORNERS, turn, axis=0)
    images = [picture(START, seed=k) for k in range(6)]
    images += [picture(START, seed=50 + k, corners=ring) for k in range(40)]
    held, seen = after(tracker, images)
    assert seen.sight is Sight.CLEAR
    assert np.abs(corners_px(held.board) - ring).max() < 3.0


def test_pictures_of_another_size_are_read_on(tracker: Tracker):
    images = [picture(stepped(), seed=k) for k in range(8)]
    halves = [cv2.resize(i, None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA) for i in images]
    smaller = at_size(tracker, halves[0])
    seen = read(smaller, halves)
    assert seen.sight is Sight.CLEAR
    assert np.array_equal(seen.evidence.codes, codes_of(stepped(), VARIANT.squares))


def starred(position: Position, square: int, *, seed: int = 0) -> np.ndarray:
    """The picture with a wide white cross on a black piece: a king as many sets have them."""
    image = picture(position, seed=seed)
    layout = layout_of(VARIANT)
    n = square - 1
    middle = np.array([[layout.columns[n] + 0.5, layout.rows[n] + 0.5]])
    field = np.array([[0, 0], [8, 0], [8, 8], [0, 8]], np.float32)
    matrix = cv2.getPerspectiveTransform(field, CORNERS)
    for step in ((0.24, 0.0), (0.0, 0.24)):
        ends = np.array([middle[0] - step, middle[0] + step], np.float32)[:, None]
        a, b = cv2.perspectiveTransform(ends, matrix).reshape(2, 2).round().astype(int)
        cv2.line(image, a.tolist(), b.tolist(), (240, 240, 240), 9, cv2.LINE_AA)
    return image


def test_a_king_whose_top_has_the_other_colour_is_the_one_that_the_game_knows(tracker: Tracker):
    square = 11
    codes = codes_of(START, VARIANT.squares)
    kings = np.zeros_like(codes)
    pictures = [starred(START, square, seed=k) for k in range(12)]
    unknown = read(tracker, pictures)
    assert unknown.evidence is None or (
        unknown.evidence.codes[square - 1] != codes[square - 1]
        or unknown.evidence.strange[square - 1]
    )
    kings[square - 1] = codes[square - 1]
    state, seen = tracker, None
    for k, image in enumerate(pictures):
        state, now = observe(state, image, k, k / 10, codes, kings)
        seen = now if now.evidence is not None else seen
    assert seen is not None
    assert seen.evidence is not None
    assert np.array_equal(seen.evidence.codes, codes)
    # It has been learned on the way, and is known elsewhere too.
    assert state.look.king_codes is not None
    moved_on = Position(START.white, START.black & ~(1 << 10) | 1 << 14, 0, START.turn)
    later = read(state, [starred(moved_on, 15, seed=k) for k in range(20, 32)])
    assert later.evidence is not None
    assert later.evidence.codes[14] == codes[square - 1]


def test_the_look_is_learned_anew_in_deep_dusk(tracker: Tracker):
    codes = codes_of(START, VARIANT.squares)
    state, seen = tracker, None
    for k in range(60):
        dark = picture(START, seed=k) * (0.985**k)
        state, now = observe(state, np.clip(dark, 0, 255).astype(np.uint8), k, k / 10, codes)
        seen = now if now.evidence is not None else seen
    assert state.look is not tracker.look
    assert seen is not None
    assert seen.evidence is not None
    assert np.array_equal(seen.evidence.codes, codes)
    assert not seen.evidence.strange.any()
