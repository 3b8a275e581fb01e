import json
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from crownhead.cli import run

STILL = Path(__file__).parents[2] / "data" / "stills" / "still_11_checkers_red.jpg"
FIELDS = {"image", "width", "height", "board", "squares", "confidence", "fen", "problems"}


@pytest.fixture
def grey(tmp_path):
    path = tmp_path / "grey.png"
    cv2.imwrite(str(path), np.full((200, 300, 3), 120, np.uint8))
    return path


def answers(capsys):
    out = capsys.readouterr()
    return [json.loads(line) for line in out.out.splitlines()], out.err


def test_a_board_is_answered_with_every_field(capsys):
    assert run(["look", "--json", str(STILL)]) == 0
    (seen,), err = answers(capsys)
    assert err == ""
    assert set(seen) == FIELDS
    assert (seen["width"], seen["height"]) == (1280, 960)
    assert seen["board"]["size"] == 8
    assert len(seen["board"]["corners"]) == 4
    assert 0.5 < seen["board"]["confidence"] <= 1
    truth = json.loads(STILL.with_suffix(".json").read_text())["fen"]
    assert men_of(seen["fen"]) == men_of(truth)


def test_every_square_has_its_own_confidence(capsys):
    run(["look", "--json", str(STILL)])
    (seen,), _ = answers(capsys)
    sure = np.array(seen["confidence"])
    assert sure.shape == (8, 8)
    assert sure.min() >= 0
    assert sure.max() <= 1
    signs = np.array([list(row) for row in seen["squares"]])
    bare = sure[1::2, 1::2] if (signs[1::2, 1::2] == ".").all() else sure[::2, ::2]
    assert (bare == 1).any()  # squares that bear no men are not in question


def men_of(fen):
    """Side and square of every man, ranges written out, kings as men."""
    men = set()
    for part in fen.split(":")[1:]:
        for item in filter(None, part[1:].split(",")):
            first, _, last = item.lstrip("K").partition("-")
            men |= {(part[0], n) for n in range(int(first), int(last or first) + 1)}
    return men


def test_corners_go_round_clockwise_and_the_rows_start_at_the_first(capsys):
    run(["look", "--json", str(STILL)])
    (seen,), _ = answers(capsys)
    x, y = np.array(seen["board"]["corners"]).T
    area = (x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2
    assert area > 0  # y points down: clockwise as seen
    assert all(len(row) == 8 for row in seen["squares"])
    assert set("".join(seen["squares"])) <= set(".wbWB?")


def test_a_picture_without_a_board_is_an_answer(grey, capsys):
    assert run(["look", "--json", str(grey)]) == 0
    (seen,), _ = answers(capsys)
    assert set(seen) == FIELDS
    assert seen["board"] is None
    assert seen["fen"] is None
    assert seen["problems"]


def test_an_unreadable_picture_does_not_lose_the_others(tmp_path, grey, capsys):
    text = tmp_path / "text.jpg"
    text.write_text("not a picture")
    assert run(["look", "--json", str(grey), str(text), str(STILL)]) == 2
    seen, err = answers(capsys)
    assert [Path(one["image"]).name for one in seen] == ["grey.png", STILL.name]
    assert len(err.splitlines()) == 1
    assert "text.jpg" in err


@pytest.mark.parametrize("name", ["missing.jpg", "."])
def test_what_is_no_file_gets_one_sentence(tmp_path, name, capsys):
    assert run(["look", str(tmp_path / name)]) == 2
    seen, err = capsys.readouterr()
    assert seen == ""
    assert len(err.splitlines()) == 1


def test_a_damaged_picture_gets_one_sentence(tmp_path, capsys):
    path = tmp_path / "cut.png"
    path.write_bytes(cv2.imencode(".png", np.zeros((40, 40, 3), np.uint8))[1].tobytes()[:40])
    assert run(["look", str(path)]) == 2
    assert "cut.png" in capsys.readouterr().err


def test_a_decompression_bomb_is_refused_by_its_header(tmp_path, capsys):
    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", 30000, 30000, 8, 0, 0, 0, 0)
    body = zlib.compress(bytes(30001 * 1000), 9)
    path = tmp_path / "bomb.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body))
    assert run(["look", str(path)]) == 2
    assert "30000x30000" in capsys.readouterr().err


def test_a_rotation_noted_by_the_camera_is_applied(tmp_path, capsys):
    # EXIF orientation 6: the camera stood upright, the picture is stored lying.
    lying = cv2.rotate(cv2.imread(str(STILL)), cv2.ROTATE_90_COUNTERCLOCKWISE)
    data = cv2.imencode(".jpg", lying)[1].tobytes()
    entry = struct.pack(">HHIHH", 0x0112, 3, 1, 6, 0)
    tiff = b"MM\0*" + struct.pack(">IH", 8, 1) + entry + struct.pack(">I", 0)
    exif = b"Exif\0\0" + tiff
    path = tmp_path / "upright.jpg"
    path.write_bytes(data[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + data[2:])
    assert run(["look", "--json", str(path)]) == 0
    (seen,), _ = answers(capsys)
    assert (seen["width"], seen["height"]) == (1280, 960)
    truth = json.loads(STILL.with_suffix(".json").read_text())["fen"]
    assert men_of(seen["fen"]) == men_of(truth)


def test_the_size_may_be_given(capsys):
    assert run(["look", "--json", "--size", "8", str(STILL)]) == 0
    (seen,), _ = answers(capsys)
    assert seen["board"]["size"] == 8
    assert run(["look", "--size", "9", str(STILL)]) == 2


def test_drawings_are_written_one_a_picture(tmp_path, grey, capsys):
    out = tmp_path / "seen.png"
    assert run(["look", str(STILL), "--draw", str(out)]) == 0
    drawn = cv2.imread(str(out))
    assert drawn.shape == (960, 1280, 3)
    assert np.abs(drawn.astype(int) - cv2.imread(str(STILL))).max() > 100
    assert run(["look", str(STILL), str(grey), "--draw", str(out)]) == 0
    assert {p.name for p in tmp_path.glob("seen-*.png")} == {"seen-1.png", "seen-2.png"}


def test_a_drawing_that_cannot_be_written_is_told(tmp_path, capsys):
    assert run(["look", str(STILL), "--draw", str(tmp_path / "no" / "where.png")]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert run(["look", str(STILL), "--draw", str(tmp_path / "seen.abc")]) == 2
    assert ".png" in capsys.readouterr().err


def test_people_get_a_diagram(capsys):
    assert run(["look", str(STILL)]) == 0
    out = capsys.readouterr().out
    assert "board 8x8" in out
    assert sum(len(line.split()) == 8 for line in out.splitlines()) == 8
    assert "W:W" in out
