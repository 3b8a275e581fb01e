import json
import threading

import cv2
import numpy as np

from crownhead.webui.feed import PICTURE_WIDTH, Feed, Worded


def test_a_change_holds_only_what_changed() -> None:
    feed = Feed()
    feed.publish({"a": 1, "b": 2})
    first = feed.snapshot()
    feed.publish({"a": 1, "b": 3})
    update = feed.since(first.name, 0)
    assert update is not None
    assert (json.loads(update.data), update.is_whole) == ({"b": 3}, False)


def test_what_is_as_it_was_is_no_news() -> None:
    feed = Feed()
    feed.publish({"a": [1, 2]})
    name = feed.snapshot().name
    feed.publish({"a": (1, 2)})
    assert feed.since(name, 0) is None


def test_a_gap_is_filled_in_one_message_with_the_newest_values() -> None:
    feed = Feed()
    feed.publish({"a": 0, "b": 0, "c": 0})
    name = feed.snapshot().name
    for number in range(2000):
        feed.publish({"a": number + 1})
    feed.publish({"b": "last"})
    update = feed.since(name, 0)
    assert update is not None
    assert json.loads(update.data) == {"a": 2000, "b": "last"}


def test_a_name_of_another_run_is_answered_with_everything() -> None:
    old, feed = Feed(), Feed()
    old.publish({"a": 1})
    feed.publish({"a": 2, "b": 3})
    for name in (old.snapshot().name, None, "", "-", "x-1", f"{feed.snapshot().name}9", "ü-٣"):
        update = feed.since(name, 0)
        assert update is not None
        assert (json.loads(update.data), update.is_whole) == ({"a": 2, "b": 3}, True)


def test_a_waiting_reader_is_woken_by_news_and_by_the_end() -> None:
    feed = Feed()
    feed.publish({"a": 1})
    name = feed.snapshot().name
    threading.Timer(0.02, feed.publish, [{"a": 2}]).start()
    update = feed.since(name, 10)
    assert update is not None
    threading.Timer(0.02, feed.close).start()
    assert feed.since(update.name, 10) is None
    assert feed.picture(-1, 10) is None


def test_the_newest_picture_is_given_once() -> None:
    feed = Feed()
    assert feed.picture(-1, 0) is None
    for number in range(3):
        feed.show(number, np.full((40, 60, 3), 100 * number, np.uint8))
    picture = feed.picture(-1, 0)
    assert picture is not None
    assert picture.number == 2
    decoded = cv2.imdecode(np.frombuffer(picture.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert decoded is not None
    assert decoded.shape == (40, 60, 3)
    assert abs(float(decoded.mean()) - 200) < 3
    assert feed.picture(2, 0) is None


def test_a_large_picture_is_made_smaller_and_keeps_its_shape() -> None:
    feed = Feed()
    feed.show(0, np.zeros((1080, 1920, 3), np.uint8))
    picture = feed.picture(-1, 0)
    assert picture is not None
    decoded = cv2.imdecode(np.frombuffer(picture.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert decoded is not None
    assert decoded.shape[:2] == (540, PICTURE_WIDTH)


def test_a_page_of_an_earlier_run_gets_the_newest_picture() -> None:
    feed = Feed()
    feed.show(5, np.zeros((40, 60, 3), np.uint8))
    picture = feed.picture(90_000, 0)
    assert picture is not None
    assert picture.number == 5


def test_a_change_in_one_language_is_news_in_all() -> None:
    feed = Feed()
    feed.publish({"banner": Worded({"en": "one", "fi": "yksi"}), "n": 1})
    name = feed.snapshot("fi").name
    feed.publish({"banner": Worded({"en": "one", "fi": "yksi"}), "n": 1})
    assert feed.since(name, 0, "fi") is None
    feed.publish({"banner": Worded({"en": "one", "fi": "eka"})})
    in_finnish, in_greek = feed.since(name, 0, "fi"), feed.since(name, 0, "el")
    assert in_finnish is not None
    assert in_greek is not None
    assert json.loads(in_finnish.data) == {"banner": "eka"}
    # A language that nothing was said in gets what was said first.
    assert json.loads(in_greek.data) == {"banner": "one"}
