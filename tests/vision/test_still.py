import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from crownhead.calibration.board import FoundBoard, turned
from crownhead.vision.orientation import turned_rows
from crownhead.vision.still import (
    StillParams,
    choose_line,
    choose_parity,
    king_odds,
    parity_chance,
    playing_squares,
    read_still,
)

STILLS = Path(__file__).parents[1] / "data" / "stills"


def board_of(truth) -> FoundBoard:
    """The board of a still's truth, its first corner Black's right hand as in the FEN."""
    size = truth["board"]["size"]
    white_left, white_right, black_left, black_right = truth["corners"]
    corners = np.array([black_right, black_left, white_right, white_left], np.float32)
    field = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32)
    homography = cv2.getPerspectiveTransform(field, corners)
    return FoundBoard(
        size, np.asarray(homography, np.float64), 0.0, truth["width"], truth["height"]
    )


def rows_of(truth) -> tuple[str, ...]:
    """The men of a still's truth as signs, men and kings alike in small letters."""
    size = truth["board"]["size"]
    rows = [["."] * size for _ in range(size)]
    for part in truth["fen"].split(":")[1:]:
        for item in filter(None, part[1:].split(",")):
            row, place = divmod(int(item.lstrip("K")) - 1, size // 2)
            rows[row][2 * place + (row + 1) % 2] = part[0].lower()
    return tuple("".join(row) for row in rows)


@pytest.fixture(params=sorted(p.stem for p in STILLS.glob("*.json")))
def still(request):
    truth = json.loads((STILLS / f"{request.param}.json").read_text())
    frame = cv2.imread(str(STILLS / f"{request.param}.jpg"))
    return frame, board_of(truth), rows_of(truth)


def test_there_are_stills_of_both_sizes():
    sizes = {json.loads(p.read_text())["board"]["size"] for p in STILLS.glob("*.json")}
    assert sizes == {8, 10}


def test_every_man_of_a_rendered_still_is_read(still):
    frame, board, rows = still
    reading = read_still(frame, board)
    assert tuple(row.lower() for row in reading.rows) == rows
    assert reading.confidence > 0.9
    assert reading.problems == ()


def test_a_board_named_from_another_corner_gives_the_same_men(still):
    frame, board, _ = still
    straight = read_still(frame, board).rows
    for turns in (1, 2, 3):
        assert read_still(frame, turned(board, turns)).rows == turned_rows(straight, turns)


def test_probabilities_are_those_of_one_of_three_contents(still):
    frame, board, rows = still
    seen = read_still(frame, board).probabilities
    assert seen.shape == (board.size, board.size, 3)
    assert seen.dtype == np.float32
    assert np.allclose(seen.sum(axis=-1), 1, atol=1e-5)
    signs = np.array([".wb".index(sign) for row in rows for sign in row])
    assert (seen.reshape(-1, 3).argmax(axis=1) == signs).all()


def test_squares_outside_the_picture_are_not_guessed(still):
    frame, board, _ = still
    # The picture cut so that its first column of squares is gone.
    left = int(min(c[0] for c in _middles(board, [(r, 0) for r in range(board.size)]))) + 1
    shift = np.array([[1.0, 0, -left], [0, 1, 0], [0, 0, 1]])
    part = frame[:, left:]
    there = replace(board, image_from_board=shift @ board.image_from_board, width=part.shape[1])
    reading = read_still(part, there)
    assert "partly-out-of-view" in reading.problems
    gone = [
        (r, c) for r in range(board.size) for c in range(board.size) if reading.rows[r][c] == "?"
    ]
    assert gone
    assert all(x < 0 for x, _ in _middles(there, gone))


def _middles(board, places):
    from crownhead.calibration.board import to_image

    return to_image(board, np.array([[c + 0.5, r + 0.5] for r, c in places])).tolist()


def test_a_black_picture_is_called_too_dark(still):
    frame, board, _ = still
    assert "too-dark" in read_still(frame // 30, board).problems


def test_men_stand_on_the_squares_whose_counterparts_are_empty():
    odds = np.full((8, 8), -6.0)
    odds[playing_squares(8, 1)] = 3.0
    odds[0, 0] = 1.0  # a doubtful one among the empty ones
    view = np.zeros((215, 215, 3), np.uint8)
    assert choose_parity(odds, view) == 1
    assert choose_parity(odds[:, ::-1], view) == 0


def test_the_kind_of_squares_is_doubted_where_both_kinds_seem_to_bear_men():
    odds = np.full((8, 8), -6.0)
    odds[playing_squares(8, 1)] = 3.0
    assert parity_chance(odds) > 0.99
    odds[:3][playing_squares(8, 0)[:3]] = 2.5  # men that lean over
    assert parity_chance(odds) < 0.9
    assert parity_chance(np.full((8, 8), -7.0)) == 1.0


def test_on_an_empty_board_the_dark_squares_are_those_for_men():
    view = np.full((215, 215, 3), 200, np.uint8)
    squares = np.kron(playing_squares(8, 0), np.ones((25, 25), bool))
    view[7:207, 7:207][squares] = 40
    assert choose_parity(np.full((8, 8), -6.0), view) == 0


@pytest.mark.parametrize(
    ("odds", "low", "high"),
    [
        pytest.param([-7] * 20 + [6] * 12, -7, 6, id="clear"),
        pytest.param(
            [-7] * 8 + [-1.5, -1, -0.5, 0, 0.5, 1] * 2 + [6] * 12,
            -7,
            -1.5,
            id="black men on black squares",
        ),
        pytest.param([-7] * 32, -7, 99, id="no men"),
        pytest.param([-7] * 6 + [2.0] * 14 + [6] * 12, 2.0, 6, id="wood grain like men: too many"),
    ],
)
def test_the_line_lies_in_the_gap(odds, low, high):
    line = choose_line(np.array(odds, float), 8, StillParams())
    assert low < line < high


def test_a_man_that_stands_out_from_the_others_is_the_likelier_king():
    occupied = playing_squares(8, 1)
    params = StillParams()
    plain, ribbed = np.full((8, 8), -2.0), np.full((8, 8), 1.0)
    plain[0, 1] = ribbed[0, 1] = 1.2
    assert king_odds(plain, occupied, params)[0, 1] > params.king
    assert king_odds(ribbed, occupied, params).max() < params.king
    # Empty squares do not count among the men.
    plain[~occupied] = 9.0
    assert king_odds(plain, occupied, params)[0, 1] > params.king


def test_without_men_nothing_is_compared():
    odds = np.full((8, 8), -1.0)
    assert (king_odds(odds, np.zeros((8, 8), bool), StillParams()) == odds).all()


@pytest.mark.slow
def test_reading_of_the_reference_stills_with_true_corners(shared):
    right = total = 0
    for path in sorted((shared / "data" / "stills").glob("*.json")):
        truth = json.loads(path.read_text())
        frame = cv2.imread(str(path.with_suffix(".jpg")))
        seen = read_still(frame, board_of(truth)).rows
        pairs = list(zip("".join(seen).lower(), "".join(rows_of(truth)), strict=True))
        right += sum(a == b for a, b in pairs)
        total += len(pairs)
    assert total == 12 * 64 + 3 * 36
    assert right / total >= 0.97
