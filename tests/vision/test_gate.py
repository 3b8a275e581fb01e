"""The gate on small views made of noise, light and moving things."""

from __future__ import annotations

import numpy as np
import pytest

from crownhead.vision.gate import Gate, GateParams, looks_alike, pass_gate

PARAMS = GateParams()
FPS = 12.0


def board() -> np.ndarray:
    grid = np.indices((54, 54)).sum(axis=0) // 6 % 2
    return (60 + 120 * grid).astype(np.float32)


def after(views, fps: float = FPS) -> Gate:
    gate = Gate()
    for k, view in enumerate(views):
        gate = pass_gate(gate, view.astype(np.float32), k / fps, PARAMS)
    return gate


def hand(view: np.ndarray, at: float) -> np.ndarray:
    covered = view.copy()
    covered[int(at) : int(at) + 12, 10:30] = 140
    return covered


@pytest.mark.parametrize("sigma", [0.0, 0.5, 2.0, 4.0])
def test_a_still_view_is_still_whatever_the_noise(sigma: float):
    rng = np.random.default_rng(1)
    gate = after(board() + rng.normal(0, sigma, (54, 54)) for _ in range(40))
    assert gate.still_since_s is not None
    assert gate.still_since_s < 1.0


@pytest.mark.parametrize("sigma", [0.0, 2.0, 4.0])
def test_a_moving_hand_is_never_still(sigma: float):
    rng = np.random.default_rng(1)
    gate = Gate()
    for k in range(40):
        view = hand(board(), k) + rng.normal(0, sigma, (54, 54))
        gate = pass_gate(gate, view.astype(np.float32), k / FPS, PARAMS)
        assert gate.still_since_s is None


def test_frames_that_a_webcam_repeats_three_times_are_not_taken_for_rest():
    rng = np.random.default_rng(1)
    gate = Gate()
    for k in range(45):
        view = hand(board(), 3 * (k // 3)) + rng.normal(0, 1, (54, 54))
        gate = pass_gate(gate, view.astype(np.float32), k / FPS, PARAMS)
        if k > 4:
            assert gate.still_since_s is None


def test_blocks_of_a_compressed_picture_that_flicker_one_by_one_are_no_movement():
    rng = np.random.default_rng(1)
    views = []
    for _ in range(40):
        view = board()
        # One block in a hundred is off, and all others are the same to the bit.
        view[rng.random(view.shape) < 0.01] += 8.0
        views.append(view)
    gate = after(views)
    assert gate.still_since_s is not None
    assert gate.still_since_s < 1.0


def test_flicker_of_lamps_is_no_movement():
    gate = after(board() * (1 + 0.08 * np.sin(2.1 * k)) for k in range(40))
    assert gate.still_since_s is not None


def shadowed(view: np.ndarray, edge: float, soft_px: float) -> np.ndarray:
    return view * (1 - 0.4 / (1 + np.exp((np.arange(54)[None] - edge) / soft_px)))


def test_a_soft_shadow_that_wanders_is_no_movement_but_a_hand_in_it_is():
    rng = np.random.default_rng(1)
    views = [shadowed(board(), 20 + k / 4, 2.5) + rng.normal(0, 1, (54, 54)) for k in range(40)]
    assert after(views).still_since_s is not None
    gate = Gate()
    for k, view in enumerate(views):
        gate = pass_gate(gate, hand(view, k).astype(np.float32), k / FPS, PARAMS)
        assert gate.still_since_s is None


@pytest.mark.parametrize("tone", [20, 60, 100, 140, 180, 230])
@pytest.mark.parametrize("step", [0.5, 1.0, 3.0])
def test_a_hand_of_any_tone_that_moves_slowly_is_never_still(tone: int, step: float):
    rng = np.random.default_rng(1)
    gate = Gate()
    for k in range(int(36 / step)):
        view = board() + rng.normal(0, 1, (54, 54))
        view[int(k * step) : int(k * step) + 14, 8:30] = tone
        gate = pass_gate(gate, view.astype(np.float32), k / FPS, PARAMS)
        assert gate.still_since_s is None


def test_rest_begins_with_the_first_of_the_views_that_are_alike():
    moving = [hand(board(), 3 * k) for k in range(12)]
    gate = after([*moving, board(), board(), board(), board()])
    assert gate.still_since_s == pytest.approx(12 / FPS)
    assert after([*moving, board(), board(), board()]).still_since_s is None


def test_what_passed_between_two_views_that_are_alike_begins_rest_anew():
    # The last view is like that of a quarter of a second ago, but a hand was there in between.
    gate = after([*[board()] * 4, hand(board(), 20), board()])
    assert gate.still_since_s == pytest.approx(5 / FPS)


def test_one_man_that_appears_is_movement():
    still, changed = board(), board()
    changed[24:28, 24:28] += 60
    gate = after([still] * 20 + [changed])
    assert gate.still_since_s is None
    assert not looks_alike(changed, still, 0.5, PARAMS)
    assert looks_alike(still * np.float32(1.2), still, 0.5, PARAMS)


def test_the_gate_keeps_no_more_views_than_it_looks_back_for():
    gate = after([board()] * 400, fps=60.0)
    assert len(gate.recent) <= 0.3 * 60 + PARAMS.look_back_frames + 2
