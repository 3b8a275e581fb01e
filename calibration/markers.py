"""Printed markers at the corners of a board: a sheet to print, and finding them in a picture.

The markers are ArUco's (S. Garrido-Jurado et al., Pattern Recognition 47, 2014), as OpenCV has
them. The paper of each has one corner that a triangle points at; laid so that this corner touches a
corner of the playing field, any four of them give the board.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from crownhead.calibration.board import Floats, FoundBoard
from crownhead.calibration.corners import board_from_corners, homography_of

Image = NDArray[np.uint8]

DICTIONARY = cv2.aruco.DICT_4X4_50
UNIT = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
IDS = (0, 1, 2, 3)
CELLS = 6
"""A marker has so many cells along an edge, its black border included."""

SIDE_MM, QUIET_MM = 30.0, 6.0
"""A marker's edge, and the white round it without which it is not found. The paper's lower right
corner is what touches the board."""


def marker_sheet() -> str:
    """Return a page of A4 with the four markers to cut out, as SVG."""
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    cell = SIDE_MM / CELLS
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="210mm" height="297mm" '
        'viewBox="0 0 210 297" font-family="sans-serif">',
        '<rect width="210" height="297" fill="#fff"/>',
        '<text x="20" y="22" font-size="6">Crownhead: markers for the corners of a board</text>',
        '<text x="20" y="31" font-size="4">Print at full size, cut along the dotted lines.</text>',
        '<text x="20" y="37" font-size="4">Lay one at each corner of the playing field, outside '
        "it:</text>",
        '<text x="20" y="43" font-size="4">the corner with the triangle touches the corner of the '
        "outermost square.</text>",
    ]
    for number in IDS:
        bits = np.asarray(cv2.aruco.generateImageMarker(dictionary, number, CELLS), np.uint8)
        left = 25 + (number % 2) * 85
        top = 60 + (number // 2) * 85
        width = SIDE_MM + 2 * QUIET_MM
        parts.append(
            f'<rect x="{left}" y="{top}" width="{width:g}" height="{width:g}" '
            'fill="none" stroke="#888" stroke-width="0.3" stroke-dasharray="1 1"/>'
        )
        for row, column in np.argwhere(bits < 128):
            parts.append(
                f'<rect x="{left + QUIET_MM + column * cell:g}" '
                f'y="{top + QUIET_MM + row * cell:g}" width="{cell:g}" height="{cell:g}"/>'
            )
        parts.append(
            # Small, and away from the marker, which needs white round it.
            f'<path d="M{left + width - 0.8:g} {top + width - 0.8:g} h-3 l3 -3 z"/>'
            f'<text x="{left}" y="{top + width + 7:g}" font-size="4">marker {number + 1}</text>'
        )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def touching_corners(image: Image) -> Floats:
    """Return the touching corner of each of our markers in a picture, float64, shape (n, 2).

    Args:
        image: uint8 BGR or grey.
    """
    params = cv2.aruco.DetectorParameters()
    params.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY), params)
    corners, ids, _ = detector.detectMarkers(image)
    if ids is None:
        return np.empty((0, 2))
    seen = {
        int(number): _paper_corner(np.asarray(ring, np.float64).reshape(4, 2))
        for ring, number in zip(corners, np.asarray(ids).reshape(-1), strict=True)
    }
    found = [seen[number] for number in IDS if number in seen]
    return np.array(found, np.float64).reshape(-1, 2)


def _paper_corner(ring: Floats) -> Floats:
    """Return the lower right corner of a marker's paper in pixels, from those of the marker."""
    marker = homography_of(UNIT, ring)
    far = 1 + QUIET_MM / SIDE_MM
    x, y, w = marker @ np.array([far, far, 1.0])
    return np.array([x / w, y / w])


def board_from_markers(image: Image, size: int) -> FoundBoard | None:
    """Return the board whose four corners the markers touch, None if not all four are seen.

    Args:
        image: uint8 BGR or grey, shape (height, width[, 3]).
        size: squares along an edge.

    Raises:
        CalibrationError: the markers do not lie at the corners of a board.
    """
    corners = touching_corners(image)
    if len(corners) < len(IDS):
        return None
    height, width = image.shape[:2]
    return board_from_corners(corners, size, width, height)
