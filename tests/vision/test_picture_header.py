import struct

import cv2
import numpy as np
import pytest

from crownhead.vision.picture_header import picture_size

PICTURE = np.random.default_rng(2).integers(0, 255, (37, 91, 3), np.uint8)


@pytest.mark.parametrize("kind", [".png", ".jpg", ".webp", ".bmp", ".tiff"])
def test_the_size_that_the_encoder_wrote_is_read(kind):
    data = cv2.imencode(kind, PICTURE)[1].tobytes()
    assert picture_size(data) == (91, 37)


def test_lossless_and_extended_webp():
    lossless = cv2.imencode(".webp", PICTURE, [cv2.IMWRITE_WEBP_QUALITY, 101])[1].tobytes()
    assert picture_size(lossless) == (91, 37)
    extended = b"RIFF\0\0\0\0WEBPVP8X" + struct.pack("<II", 10, 0)
    extended += (4999).to_bytes(3, "little") + (2999).to_bytes(3, "little")
    assert picture_size(extended) == (5000, 3000)


def test_a_bmp_stored_from_the_top_has_a_height_below_zero():
    data = b"BM" + bytes(16) + struct.pack("<ii", 640, -480)
    assert picture_size(data) == (640, 480)


@pytest.mark.parametrize("kind", [".png", ".jpg", ".webp", ".bmp", ".tiff"])
def test_a_header_that_was_cut_off_says_nothing(kind):
    data = cv2.imencode(kind, PICTURE)[1].tobytes()
    assert picture_size(data[:15]) is None


@pytest.mark.parametrize("data", [b"", b"Hello, this is text.", b"GIF89a" + bytes(40)])
def test_other_files_are_no_pictures(data):
    assert picture_size(data) is None


def test_damaged_jpeg_markers_end_the_search():
    data = cv2.imencode(".jpg", PICTURE)[1].tobytes()
    assert picture_size(data[:2] + b"\x00" + data[3:]) is None
    assert picture_size(b"\xff\xd8" + b"\xff" * 5000) is None


def test_a_tiff_of_either_byte_order():
    for order, mark in (("<", b"II*\0"), (">", b"MM\0*")):
        entries = struct.pack(order + "HHIHH", 256, 3, 1, 640, 0)
        entries += struct.pack(order + "HHII", 257, 4, 1, 70_000)
        data = mark + struct.pack(order + "IH", 8, 2) + entries + bytes(4)
        assert picture_size(data) == (640, 70_000)
