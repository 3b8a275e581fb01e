"""How large a picture will be, from the first bytes of its file, before it is decoded.

A file of a few kilobytes can unfold to gigabytes; its header says so beforehand.
"""

import struct

_NO_FRAME = {0xC4, 0xC8, 0xCC}
"""JPEG markers of the range C0 to CF that do not begin a frame."""

_TIFF_SIZE = (256, 257)
"""TIFF tags of width and height."""


def picture_size(data: bytes) -> tuple[int, int] | None:
    """Return (width, height) in pixels that the header of a picture claims.

    Args:
        data: a whole file, PNG, JPEG, WebP, TIFF or BMP.

    Returns:
        The size as stored (a rotation noted in EXIF is not applied); None if the data is of
        another kind or ends before the header does.
    """
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            width, height = struct.unpack_from(">II", data, 16)
        elif data.startswith(b"\xff\xd8"):
            return _jpeg_size(data)
        elif data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return _webp_size(data)
        elif data[:4] in (b"II*\0", b"MM\0*"):
            return _tiff_size(data, "<" if data.startswith(b"II") else ">")
        elif data.startswith(b"BM"):
            width, height = struct.unpack_from("<ii", data, 18)
        else:
            return None
    except struct.error:
        return None
    return abs(width), abs(height)


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF or marker == 0x01 or 0xD0 <= marker <= 0xD8:  # without a length
            at += 1 if marker == 0xFF else 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in _NO_FRAME:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None


def _webp_size(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X":
        width, height = (int.from_bytes(data[k : k + 3], "little") + 1 for k in (24, 27))
        return (width, height) if len(data) >= 30 else None
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None


def _tiff_size(data: bytes, order: str) -> tuple[int, int] | None:
    (at,) = struct.unpack_from(order + "I", data, 4)
    (count,) = struct.unpack_from(order + "H", data, at)
    found: dict[int, int] = {}
    for entry in range(at + 2, at + 2 + 12 * count, 12):
        tag, kind = struct.unpack_from(order + "HH", data, entry)
        if tag in _TIFF_SIZE:
            (found[tag],) = struct.unpack_from(order + ("H" if kind == 3 else "I"), data, entry + 8)
    return (found[256], found[257]) if len(found) == 2 else None
