import cv2
import numpy as np
import pytest

from crownhead.vision.crossings import find_crossings
from crownhead.vision.lattice import grow_lattices


def chequered(angle_deg: float, *, side: float = 30.0, squares: int = 8) -> tuple:
    """A smooth chequered field turned about the picture's middle, and its inner crossings."""
    height, width = 400, 460
    y, x = np.mgrid[0:height, 0:width] + 0.0
    angle = np.radians(angle_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    middle = np.array([231.3, 198.6])
    board = (np.stack([x, y], axis=2) - middle) @ turn / side + squares / 2
    inside = ((board >= 0) & (board < squares)).all(axis=2)
    light = np.floor(board).sum(axis=2) % 2 == 0
    plane = np.where(inside, np.where(light, 0.8, 0.2), 0.5).astype(np.float32)
    inner = np.arange(1, squares)
    places = np.stack(np.meshgrid(inner, inner), axis=2).reshape(-1, 2) - squares / 2
    return cv2.GaussianBlur(plane, (0, 0), 1.0), places * side @ turn.T + middle


@pytest.mark.parametrize("angle_deg", [0, 17, 45, 80])
def test_every_crossing_is_found_where_it_is(angle_deg: float):
    plane, truth = chequered(angle_deg)
    crossings = find_crossings(plane)
    distance = np.hypot(*(truth[:, None] - crossings.points_px[None]).transpose(2, 0, 1))
    assert distance.min(axis=1).max() < 0.5


@pytest.mark.parametrize("angle_deg", [10, 60])
def test_it_gets_light_past_the_first_edge(angle_deg: float):
    plane, truth = chequered(angle_deg)
    crossings = find_crossings(plane)
    distance = np.hypot(*(truth[:, None] - crossings.points_px[None]).transpose(2, 0, 1))
    for index in distance.argmin(axis=1):
        first, second = crossings.edges[index]
        assert 0 < second - first < np.pi
        middle = (first + second) / 2
        towards = crossings.points_px[index] + 7 * np.array([np.cos(middle), np.sin(middle)])
        x, y = np.round(towards).astype(int)
        assert plane[y, x] > 0.6


def test_a_flat_picture_has_none():
    assert len(find_crossings(np.full((200, 300), 0.4, np.float32))) == 0


def test_the_corners_of_a_dark_square_on_white_are_none():
    plane = np.full((200, 200), 0.9, np.float32)
    plane[60:140, 60:140] = 0.1
    assert len(find_crossings(cv2.GaussianBlur(plane, (0, 0), 1.0))) == 0


@pytest.mark.parametrize("squares", [8, 10])
def test_a_lattice_holds_all_crossings_on_whole_places(squares: int):
    plane, truth = chequered(25, squares=squares)
    lattice = next(grow_lattices(find_crossings(plane)))
    low, high = lattice.places.min(axis=0), lattice.places.max(axis=0)
    assert (high - low + 1).tolist() == [squares - 1, squares - 1]
    assert len(lattice) == (squares - 1) ** 2
    distance = np.hypot(*(truth[:, None] - lattice.points_px[None]).transpose(2, 0, 1))
    assert distance.min(axis=1).max() < 0.5


def test_a_lattice_knows_where_its_light_squares_are():
    plane, _ = chequered(25)
    lattice = next(grow_lattices(find_crossings(plane)))
    at = {tuple(p): q for p, q in zip(lattice.places.tolist(), lattice.points_px, strict=True)}
    (u, v) = next((u, v) for u, v in at if (u + 1, v + 1) in at)
    x, y = np.round((at[u, v] + at[u + 1, v + 1]) / 2).astype(int)
    assert (plane[y, x] > 0.5) == (lattice.light == ((u + v) % 2 == 0))


def test_crossings_without_order_make_no_lattice():
    noise = np.random.default_rng(5).random((300, 300)).astype(np.float32)
    crossings = find_crossings(cv2.GaussianBlur(noise, (0, 0), 2.5) * 4 - 1.5)
    assert len(crossings) > 20
    assert all(len(lattice) < 20 for lattice in grow_lattices(crossings))
