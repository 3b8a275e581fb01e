import itertools
import json

import cv2
import numpy as np
import pytest

from benchmarks.render import looks, truth
from benchmarks.render.board import Pose, board_to_world, paint_board, square_middle
from benchmarks.render.camera import make_camera, project, rays
from benchmarks.render.clips import bumped, make_story, render_clip
from benchmarks.render.pieces import outline
from benchmarks.render.scene import Scene, draw
from benchmarks.render.stills import place_all, render_still, save_still
from benchmarks.render.story import ILLEGAL, position_of, signs_of, try_illegal
from crownhead.rules.fen import parse_fen
from crownhead.rules.generator import legal_moves, play
from crownhead.rules.notation import parse_move
from crownhead.rules.position import Position
from crownhead.rules.variant import start_position, variant_named


def bent_camera():
    target = np.array([0.5, -0.3, 0.0])
    return make_camera((640, 480), 500.0, (-0.15, 0.02), (35.0, 55.0, 4.0), target, 60.0)


def test_a_ray_meets_the_point_whose_pixel_it_was_cast_from():
    camera = bent_camera()
    direction = np.stack(rays(camera, (0, 0, 640, 480)))[:, 400, 100].astype(float)
    point = camera.eye + direction * (-camera.eye[2] / direction[2])
    assert project(camera, point[None])[0] == pytest.approx([100, 400], abs=0.05)


def test_projection_is_opencvs():
    camera = bent_camera()
    points = np.random.default_rng(1).uniform(-15, 15, (20, 3))
    matrix = np.array([[500.0, 0, 319.5], [0, 500.0, 239.5], [0, 0, 1]])
    turn, _ = cv2.Rodrigues(camera.rotation)
    lens = np.array([-0.15, 0.02, 0.0, 0.0])
    expected, _ = cv2.projectPoints(points, turn, camera.translation, matrix, lens)
    assert project(camera, points) == pytest.approx(expected.reshape(-1, 2), abs=1e-6)


def test_the_same_seed_gives_the_same_still_and_another_one_a_different_one():
    first, facts, _ = render_still(4, size_px=(320, 240))
    again, same_facts, _ = render_still(4, size_px=(320, 240))
    other, _, _ = render_still(5, size_px=(320, 240))
    assert np.array_equal(first, again)
    assert facts == same_facts
    assert first.shape != other.shape or not np.array_equal(first, other)


def plain_scene(seed, pose):
    """A flat, evenly lit board of two colours that cannot be mistaken."""
    rng = np.random.default_rng(seed)
    style = looks.board_style(rng, 8)
    while style.fold_axis is not None or style.numbers or style.line or style.playing == "light":
        style = looks.board_style(rng, 8)
    lights = looks.lights(rng, style)
    camera = looks.camera(rng, style, (640, 480), (40, 80), (0.6, 0.8), 0.2)
    scene = Scene(style, paint_board(rng, style, 12.0), pose, looks.table(rng, style), lights)
    return rng, scene, camera


def colours_at(picture, camera, style, pose, numbers):
    at = np.array([square_middle(style, n) for n in numbers])
    pixels = np.round(project(camera, board_to_world(style, pose, at))).astype(int)
    return np.array([picture[y - 1 : y + 2, x - 1 : x + 2].mean(axis=(0, 1)) for x, y in pixels])


@pytest.mark.parametrize("pose", [Pose(), Pose(1.5, -0.8, 0.06)], ids=["straight", "shifted"])
def test_corners_agree_with_the_squares_drawn(pose):
    _, scene, camera = plain_scene(11, pose)
    picture = draw(scene, camera, ()).total()
    corners = np.array(truth.corners(camera, scene.style, pose), np.float32)
    # White's left and right, Black's right and left, to a board of eight squares.
    target = np.array([[0, 256], [256, 256], [256, 0], [0, 0]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, target)
    flat = cv2.warpPerspective(picture, matrix, (256, 256)).mean(axis=2)
    means = flat.reshape(8, 32, 8, 32)[:, 12:20, :, 12:20].mean(axis=(1, 3))
    dark = (np.add.outer(np.arange(8), np.arange(8)) % 2).astype(bool)
    # Each dark square against its neighbours to the right: light falls off over the board.
    assert (np.diff(means, axis=1) < 0)[~dark[:, :-1]].all()
    assert (np.diff(means, axis=1) > 0)[dark[:, :-1]].all()


def test_men_stand_where_the_fen_says():
    rng, scene, camera = plain_scene(12, Pose())
    pieces = looks.piece_set(rng, scene.style)
    empty = draw(scene, camera, ()).total()
    placed = place_all(rng, pieces, scene.style, Pose(), {9: "w", 22: "b"})
    picture = draw(scene, camera, tuple(placed)).total()
    changed = np.abs(picture - empty).max(axis=2) > 1e-4
    for body in placed:
        hull = cv2.convexHull(project(camera, outline(body, 0.9)).astype(np.int32))
        inside = cv2.fillConvexPoly(np.zeros((480, 640), np.uint8), hull, 1) > 0
        assert changed[inside].mean() > 0.98
    assert changed.mean() < 0.1


def test_a_saved_still_has_the_keys_that_the_scores_need(tmp_path):
    image, facts, quality = render_still(3, "international", (480, 360))
    save_still(tmp_path, "a", image, facts, quality)
    read = json.loads((tmp_path / "a.json").read_text())
    assert {"name", "width", "height", "variant", "fen", "corners", "white_side", "board"} <= set(
        read
    )
    assert cv2.imread(str(tmp_path / "a.jpg")).shape == (read["height"], read["width"], 3)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.jpg", "a.json"]
    variant = variant_named("international")
    position = parse_fen(read["fen"], variant)
    assert truth.format_fen(signs_of(position), "W") == read["fen"]


def test_both_sides_are_named_after_the_nearest_edge():
    assert truth.white_side([[10, 90], [90, 95], [90, 10], [10, 12]]) == "bottom"
    assert truth.white_side([[90, 90], [92, 10], [10, 12], [12, 90]]) == "right"


@pytest.mark.parametrize("sub", ILLEGAL)
@pytest.mark.parametrize("name", ["english", "russian", "brazilian", "international"])
def test_what_is_called_illegal_is_illegal(name, sub):
    variant = variant_named(name)
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(12):
        position = start_position(variant)
        for _ in range(30):
            moves = legal_moves(variant, position)
            if not moves:
                break
            turn = "W" if position.turn.value == "white" else "B"
            attempt = try_illegal(rng, variant, signs_of(position), turn, sub)
            if attempt is not None:
                found += 1
                done = (attempt.path[0], attempt.path[-1], frozenset(attempt.removed))
                allowed = {(m.origin, m.destination, frozenset(m.captured)) for m in moves}
                assert done not in allowed
            position = play(variant, position, moves[int(rng.integers(len(moves)))])
    assert found


def told(seed, name, happenings, plies=6):
    director, *_ = make_story(seed, name, plies, happenings)
    return director


def test_the_moves_of_a_story_are_legal_but_for_those_marked():
    director = told(2, "russian", [("missed_capture", "proper"), ("knock", ""), ("nudge", "")])
    variant = variant_named("russian")
    for move in director.moves:
        position = parse_fen(move["fen_before"], variant)
        if move["legal"]:
            after = play(variant, position, parse_move(variant, position, move["path"]))
            turn = "W" if after.turn.value == "white" else "B"
            assert truth.format_fen(signs_of(after), turn) == move["fen_after"]
    assert [m["ply"] for m in director.moves if m["legal"]] == list(range(1, 7))


@pytest.mark.parametrize("takeback", ["proper", "improper"])
def test_after_a_take_back_all_stands_as_before(takeback):
    director = told(8, "english", [("wrong_removal", takeback)], plies=14)
    (incident,) = (i for i in director.incidents if i["kind"] == "illegal")
    wrong = next(m for m in director.moves if not m["legal"])
    end = incident["corrected_frames" if takeback == "improper" else "takeback_frames"][1]
    restored = next(p for p in director.positions if p["start"] == end + 1)
    assert restored["fen"] == wrong["fen_before"]
    assert restored["legal"]
    assert (incident["position_after_takeback"] == wrong["fen_before"]) == (takeback == "proper")


def test_settled_positions_follow_each_other_and_lie_within_the_clip():
    director = told(3, "brazilian", [("knock", ""), ("quick_reply", ""), ("board_shift", "")])
    bounds = [(p["start"], p["end"]) for p in director.positions]
    assert bounds[0][0] == 0
    assert bounds[-1][1] == len(director.moments) - 1
    assert all(a <= b for a, b in bounds)
    assert all(a[1] < b[0] for a, b in itertools.pairwise(bounds))


def test_position_and_signs_are_inverse():
    position = Position(0b1010, 0b0101 << 20, 0b0010, start_position(variant_named("english")).turn)
    assert position_of(signs_of(position), "B") == position


@pytest.mark.slow
def test_a_short_clip_has_a_truth_for_every_frame(tmp_path):
    facts = render_clip(tmp_path, "a", 1, "english", 1, [("hover", "")], small=True)
    film = cv2.VideoCapture(str(tmp_path / "a.mp4"))
    count = 0
    while film.read()[0]:
        count += 1
    film.release()
    assert count == facts["frames"]
    assert count == len(facts["corners"]) == len(facts["hand_visible"])
    assert set(facts["hand_visible"]) == {0, 1}
    assert all(v >= o for v, o in zip(facts["hand_visible"], facts["hand_over_board"], strict=True))
    first = facts["positions"][0]["clear"]
    assert not any(facts["hand_visible"][first[0] : first[1] + 1])


def test_a_bump_starts_from_the_camera_as_it_stood():
    camera = bent_camera()
    stands = bumped(np.random.default_rng(0), camera)
    points = np.array([[0.0, 0, 0], [5, 5, 0], [-5, 3, 0]])
    moved = [np.abs(project(s, points) - project(camera, points)).max() for s in stands]
    assert moved[0] == 0
    assert 1 < moved[-1] < 60


def squares_taken(moment, style):
    """Return how many bodies stand on each playing square of a straight board."""
    found = {}
    for body in moment.standing:
        x, y = body.foot[:2]
        if max(abs(x), abs(y)) > style.half:
            continue
        row, column = (
            int((style.half - y) // style.square_cm),
            int((x + style.half) // style.square_cm),
        )
        assert (row + column) % 2 == 1
        number = row * (style.size // 2) + column // 2 + 1
        found[number] = found.get(number, 0) + 1
    return found


@pytest.mark.parametrize("king", ["flip", "stack", "mark"])
def test_what_stands_on_the_board_is_what_the_truth_says(king):
    happenings = [("knock", ""), ("wrong_number", "proper"), ("wrong_square", "improper")]
    stories = (told(seed, "russian", happenings, plies=18) for seed in range(60))
    director = next(
        story
        for story in stories
        if story.pieces.king == king and any(m["promotes"] for m in story.moves)
    )
    style, stacked = director.style, king == "stack"
    for position in director.positions:
        if position.get("disturbed"):
            continue
        found = squares_taken(director.moments[position["end"]], style)
        signs = signs_of(parse_fen(position["fen"], variant_named("russian")))
        expected = {n: 2 if stacked and sign.isupper() else 1 for n, sign in signs.items()}
        assert found == expected


def test_pieces_swept_off_are_set_up_as_they_stood():
    director = told(2, "russian", [("swept", "")])
    (incident,) = (i for i in director.incidents if i["kind"] == "swept")
    at = next(k for k, p in enumerate(director.positions) if p.get("note") == "swept off")
    before, bare, after = director.positions[at - 1 : at + 2]
    assert before["fen"] == after["fen"]
    gone = signs_of(parse_fen(before["fen"], variant_named("russian")))
    left = signs_of(parse_fen(bare["fen"], variant_named("russian")))
    assert sorted(set(gone) - set(left)) == sorted(incident["squares"])
    assert not bare["legal"]


def test_men_jumped_may_be_lifted_after_a_pause():
    director = told(2, "russian", [("late_removal", "")], plies=14)
    (incident,) = (i for i in director.incidents if i["kind"] == "late_removal")
    (move,) = (m for m in director.moves if m["start"] < incident["start"] < m["end"])
    assert move["captured"]
    paused = director.moments[incident["start"] : incident["end"] + 1]
    assert any(not moment.hands for moment in paused)
