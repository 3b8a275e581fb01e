"""The sheet as a browser prints it, cut up and laid at a board's corners."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from crownhead.calibration.board import corners_px
from crownhead.calibration.errors import CalibrationError
from crownhead.calibration.markers import board_from_markers, marker_sheet, touching_corners

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = "/usr/bin/chromium"
PX_MM = 4
PAPER_MM = 42
CUT_OUT_MM = [(25, 60), (110, 60), (25, 145), (110, 145)]


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no {CHROMIUM}")
    folder = tmp_path_factory.mktemp("sheet")
    (folder / "sheet.svg").write_text(marker_sheet(), encoding="utf-8")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 794, "height": 1123}, device_scale_factor=1)
        page.goto((folder / "sheet.svg").as_uri())
        page.screenshot(path=str(folder / "sheet.png"))
        browser.close()
    image = cv2.imread(str(folder / "sheet.png"))
    assert image is not None
    return cv2.resize(image, (210 * PX_MM, 297 * PX_MM), interpolation=cv2.INTER_CUBIC)


def laid(sheet: np.ndarray, turns: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """A dark table with a board of 400 mm, seen aslant; papers touch its corners.

    Returns the picture, and the true corners of the board.
    """
    table = np.full((640 * PX_MM, 640 * PX_MM, 3), 70, np.uint8)
    for row, column in np.ndindex(8, 8):
        tone = 150 if (row + column) % 2 else 60
        at = [120 + 50 * column, 120 + 50 * row]
        x, y = (v * PX_MM for v in at)
        table[y : y + 50 * PX_MM, x : x + 50 * PX_MM] = tone
    papers = [
        sheet[y * PX_MM : (y + PAPER_MM) * PX_MM, x * PX_MM : (x + PAPER_MM) * PX_MM]
        for x, y in CUT_OUT_MM
    ]
    # The touching corner is the lower right one: turned so that it points at the board.
    for paper, (x, y, turn) in zip(
        (papers[k] for k in turns),
        ((120, 120, 0), (520, 120, 1), (520, 520, 2), (120, 520, 3)),
        strict=True,
    ):
        turned = np.rot90(paper, -turn)
        left = (x - PAPER_MM if turn in (0, 3) else x) * PX_MM
        top = (y - PAPER_MM if turn in (0, 1) else y) * PX_MM
        table[top : top + turned.shape[0], left : left + turned.shape[1]] = turned
    source = np.array([[0, 0], [2560, 0], [2560, 2560], [0, 2560]], np.float32)
    target = np.array([[260, 40], [1040, 80], [1230, 700], [60, 660]], np.float32)
    view = cv2.getPerspectiveTransform(source, target)
    picture = cv2.warpPerspective(table, view, (1280, 720), flags=cv2.INTER_AREA)
    noise = np.random.default_rng(1).normal(0, 4, picture.shape)
    picture = np.clip(cv2.GaussianBlur(picture, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)
    corners = np.array([[120, 120], [520, 120], [520, 520], [120, 520]], np.float32) * PX_MM
    return picture, cv2.perspectiveTransform(corners[None], view)[0]


@pytest.mark.parametrize("turns", [(0, 1, 2, 3), (3, 1, 0, 2)])
def test_a_board_is_found_by_papers_at_its_corners(sheet, turns):
    picture, truth = laid(sheet, turns)
    board = board_from_markers(picture, 8)
    assert board is not None
    errors = np.hypot(*(corners_px(board) - truth).T)
    square = np.hypot(*(truth[1] - truth[0])) / 8
    assert errors.max() < 0.05 * square


def test_three_markers_are_not_enough(sheet):
    picture, truth = laid(sheet, (0, 1, 2, 3))
    x, y = truth[0].astype(int)
    picture[max(0, y - 90) : y, max(0, x - 120) : x] = 70
    assert len(touching_corners(picture)) == 3
    assert board_from_markers(picture, 8) is None


def test_markers_in_a_heap_are_no_board(sheet):
    small = cv2.resize(sheet, None, fx=0.15, fy=0.15, interpolation=cv2.INTER_AREA)
    heap = np.full((480, 640, 3), 255, np.uint8)
    heap[20 : 20 + small.shape[0], 20 : 20 + small.shape[1]] = small
    if len(touching_corners(heap)) == 4:
        with pytest.raises(CalibrationError):
            board_from_markers(heap, 12)
