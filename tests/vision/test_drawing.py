import numpy as np
import pytest

from crownhead.vision.drawing import draw_caption

SENTENCE = "Illegal move b2-d4: a man moves one square; b2-d4 goes farther, over a piece on c3."


@pytest.mark.parametrize("size", [(40, 30), (640, 480), (1280, 720), (720, 1280)])
@pytest.mark.parametrize("text", ["a3-b4", SENTENCE, "mmmmmmmm " * 40, "ΜΑΥΡΟΣ ≈ ⋯"])
def test_a_caption_stays_in_a_strip_at_the_lower_edge(size: tuple[int, int], text: str) -> None:
    width, height = size
    frame = np.full((height, width, 3), 200, np.uint8)
    drawn = draw_caption(frame, text)
    assert drawn.shape == frame.shape
    assert (frame == 200).all()
    changed = np.flatnonzero((drawn != frame).any(axis=(1, 2)))
    assert changed[-1] == height - 1
    if height > 30:
        assert changed[0] > 0.75 * height
    written = (drawn[changed] > 100).any(axis=2)
    assert written.any()
    assert height < 400 or not written[:, -3:].any(), "the words end before the edge"


def test_an_alarm_is_red() -> None:
    frame = np.zeros((480, 640, 3), np.uint8)
    blue, _, red = draw_caption(frame, SENTENCE, alarm=True).max(axis=(0, 1))
    assert red > 2 * blue
