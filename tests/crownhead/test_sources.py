import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np
import pytest

from crownhead.errors import EXIT_DEVICE, EXIT_USAGE, exit_code
from crownhead.live_source import LiveParams, LiveSource
from crownhead.sources import Frame, Image, Kind, Source, Word, open_source
from crownhead.vision.errors import SourceError

FRAMES = 30
QUICK = LiveParams(back_off_s=0.05, back_off_max_s=0.1, frozen_s=0.3, silent_s=0.4)


def picture(number: int, size: int = 64) -> Image:
    """A grey picture that carries its number as its brightness."""
    return np.full((size, size, 3), 8 * number % 256, np.uint8)


def number_of(frame: Frame) -> int:
    return round(float(frame.image.mean()) / 8)


@pytest.fixture
def film(tmp_path: Path) -> Path:
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (64, 64))
    assert writer.isOpened()
    for number in range(FRAMES):
        writer.write(picture(number))
    writer.release()
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "pictures"
    path.mkdir()
    for number in range(5):
        assert cv2.imwrite(str(path / f"{number:02}.png"), picture(number))
    return path


def test_a_film_is_read_frame_by_frame(film: Path) -> None:
    with open_source(str(film)) as source:
        frames = list(source.frames())
        assert (source.info.kind, source.info.count, source.info.fps) == (Kind.FILM, FRAMES, 10.0)
        assert source.state.word is Word.ENDED
        assert source.problem == ""
    assert [frame.index for frame in frames] == list(range(FRAMES))
    assert [number_of(frame) for frame in frames] == list(range(FRAMES))
    assert frames[-1].at_s == pytest.approx(2.9)


@pytest.mark.parametrize("first", [1, 12, FRAMES - 1, FRAMES + 5])
def test_a_film_can_be_gone_on_with_at_any_frame(film: Path, first: int) -> None:
    with open_source(str(film), first=first) as source:
        frames = list(source.frames())
    assert [number_of(frame) for frame in frames] == list(range(first, FRAMES))
    assert [frame.index for frame in frames] == list(range(first, FRAMES))


def test_a_film_in_real_time_is_no_faster_than_it_was_taken(film: Path) -> None:
    with open_source(str(film), realtime=True, first=20) as source:
        began_s = time.monotonic()
        assert len(list(source.frames())) == 10
        assert time.monotonic() - began_s >= 0.85


def test_stop_ends_the_wait_for_a_frame(film: Path) -> None:
    with open_source(str(film), realtime=True) as source:
        source.read()
        threading.Timer(0.02, source.stop).start()
        began_s = time.monotonic()
        list(source.frames())
        assert time.monotonic() - began_s < 1.0


def test_pictures_come_in_the_order_of_their_names(folder: Path) -> None:
    (folder / "notes.txt").write_text("not a picture")
    with open_source(str(folder)) as source:
        assert (source.info.kind, source.info.count) == (Kind.FOLDER, 5)
        assert [number_of(frame) for frame in source.frames()] == [0, 1, 2, 3, 4]


def test_one_picture_is_a_folder_of_one(folder: Path) -> None:
    with open_source(str(folder / "03.png")) as source:
        assert [number_of(frame) for frame in source.frames()] == [3]


def _text(path: Path) -> Path:
    (path / "text.mp4").write_text("This is a letter, not a film.\n" * 50)
    return path / "text.mp4"


def _empty(path: Path) -> Path:
    (path / "empty.mp4").touch()
    return path / "empty.mp4"


def _truncated(path: Path) -> Path:
    whole = path / "whole.mp4"
    writer = cv2.VideoWriter(str(whole), cv2.VideoWriter.fourcc(*"mp4v"), 10.0, (64, 64))
    for number in range(FRAMES):
        writer.write(picture(number))
    writer.release()
    data = whole.read_bytes()
    (path / "cut.mp4").write_bytes(data[: len(data) // 2])
    return path / "cut.mp4"


def _no_pictures(path: Path) -> Path:
    (path / "bare").mkdir()
    return path / "bare"


def _one_bad(path: Path) -> Path:
    bad = path / "bad"
    bad.mkdir()
    for number in range(3):
        cv2.imwrite(str(bad / f"{number}.jpg"), picture(number))
    data = (bad / "1.jpg").read_bytes()
    (bad / "1.jpg").write_bytes(data[: len(data) // 2])
    return bad


def _bomb(path: Path) -> Path:
    header = b"BM" + bytes(16) + (30_000).to_bytes(4, "little") * 2 + bytes(100)
    (path / "bomb.bmp").write_bytes(header)
    return path / "bomb.bmp"


def _pipe(path: Path) -> Path:
    (path / "pipes").mkdir()
    os.mkfifo(path / "pipes" / "1.jpg")
    return path / "pipes"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_text, "text.mp4 is not a film that can be read"),
        (_empty, "empty.mp4 is not a film that can be read"),
        (_truncated, "cut.mp4 is not a film that can be read"),
        (_no_pictures, "bare holds no pictures"),
        (_one_bad, "1.jpg is damaged"),
        (_bomb, "bomb.bmp has 30000x30000 pixels"),
        (_pipe, "1.jpg is not a file"),
        (lambda path: path / "gone.mp4", "gone.mp4 is not there"),
    ],
    ids=["text", "empty", "truncated", "no pictures", "one bad", "bomb", "pipe", "not there"],
)
def test_bad_input_is_told_in_one_sentence(
    tmp_path: Path, make: Callable[[Path], Path], words: str
) -> None:
    path = make(tmp_path)
    with pytest.raises(Exception, match=words) as caught:
        open_source(str(path))
    assert exit_code(caught.value) == EXIT_USAGE
    assert "\n" not in str(caught.value)


def test_a_film_that_is_cut_off_says_so_at_its_end(film: Path) -> None:
    data = film.read_bytes()
    film.write_bytes(data[: len(data) * 6 // 10])
    with open_source(str(film)) as source:
        frames = list(source.frames())
        assert 5 < len(frames) < FRAMES - 5
        if source.info.count == FRAMES:  # the header was before the cut
            assert f"only {len(frames)} could be read" in source.problem


@pytest.mark.parametrize("address", ["97", "http://127.0.0.1:9/none", "rtsp://127.0.0.1:9/none"])
def test_a_device_that_does_not_answer_is_a_device_error(address: str) -> None:
    with pytest.raises(SourceError, match="does not answer") as caught:
        open_source(address)
    assert exit_code(caught.value) == EXIT_DEVICE


@pytest.mark.parametrize(
    ("make", "code"), [(_text, 2), (_truncated, 2), (_one_bad, 2), (lambda _: "97", 3)]
)
def test_the_command_says_nothing_else_not_even_opencv(
    tmp_path: Path, make: Callable[[Path], object], code: int
) -> None:
    command = [sys.executable, "-m", "crownhead", "watch", "--variant", "russian", "--once"]
    where = ["--data", str(tmp_path / "data"), "--listen", "127.0.0.1:0"]
    done = subprocess.run(
        [*command, *where, "--camera", str(make(tmp_path))],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (code, "")
    assert len(done.stderr.splitlines()) == 1


class FakeCamera:
    """A camera that follows a script: a picture's number, None to fail, "same" to stand still."""

    fps = 50.0

    def __init__(self, script: Iterator[int | str | None], pace_s: float = 0.01) -> None:
        self._script, self._pace_s = script, pace_s
        self.is_released = False
        self._last = picture(0)

    def read(self) -> Image | None:
        time.sleep(self._pace_s)
        entry = next(self._script, None)
        if entry is None:
            return None
        if isinstance(entry, int):
            self._last = picture(entry)
        return self._last.copy()

    def release(self) -> None:
        self.is_released = True


def count_up(first: int = 0, last: int = 10_000) -> Iterator[int]:
    return iter(range(first, last))


def wait_for(source: Source, word: Word, timeout_s: float = 3.0) -> bool:
    end_s = time.monotonic() + timeout_s
    while time.monotonic() < end_s:
        if source.state.word is word:
            return True
        time.sleep(0.01)
    return False


def test_a_slow_reader_gets_the_newest_frame_not_the_next() -> None:
    camera = FakeCamera(count_up())
    with LiveSource("0", Kind.CAMERA, lambda: camera, QUICK) as source:
        first = source.read()
        assert first is not None
        time.sleep(0.3)
        second = source.read()
        assert second is not None
        assert second.index - first.index > 10
        third = source.read()
        assert third is not None
        assert third.index - second.index <= 5
    assert camera.is_released


def test_a_camera_that_stops_is_lost_and_found_again(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="crownhead.live_source")
    cameras = iter([FakeCamera(count_up(0, 6)), None, None, FakeCamera(count_up(6))])

    def reopen() -> FakeCamera:
        camera = next(cameras)
        if camera is None:
            raise SourceError("camera 0 does not answer")
        return camera

    with LiveSource("0", Kind.CAMERA, reopen, QUICK) as source:
        assert wait_for(source, Word.LOST)
        assert "check its cable" in source.state.text
        assert wait_for(source, Word.LIVE)
        assert source.read() is not None
    told = [record.message for record in caplog.records]
    assert told == [
        "Camera 0 has stopped sending; check its cable and power.",
        "camera 0 is back",
    ]


def test_a_picture_that_stands_still_is_no_picture() -> None:
    def script() -> Iterator[int | str | None]:
        yield from range(5)
        while True:
            yield "same"

    cameras = iter([FakeCamera(script()), FakeCamera(count_up(20))])
    with LiveSource("0", Kind.CAMERA, lambda: next(cameras), QUICK) as source:
        assert wait_for(source, Word.FROZEN)
        assert wait_for(source, Word.LIVE)


def test_a_driver_that_hangs_is_told_as_lost() -> None:
    class Hanging(FakeCamera):
        def read(self) -> Image | None:
            image = super().read()
            if image is not None and image.mean() > 20:
                time.sleep(1.0)
            return image

    with LiveSource("0", Kind.CAMERA, lambda: Hanging(count_up()), QUICK) as source:
        assert wait_for(source, Word.LOST)
        assert "has sent nothing for" in source.state.text


def test_a_camera_without_a_picture_is_refused_at_once() -> None:
    camera = FakeCamera(iter([None]))
    with pytest.raises(SourceError, match="another program"):
        LiveSource("0", Kind.CAMERA, lambda: camera, QUICK)
    assert camera.is_released


class Stream(BaseHTTPRequestHandler):
    """Motion JPEG over HTTP, at most 40 pictures a connection."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=next")
        self.end_headers()
        rng = np.random.default_rng(1)
        try:
            for _ in range(40):
                noisy = rng.integers(0, 255, (64, 64, 3), np.uint8)
                data = cv2.imencode(".jpg", noisy)[1].tobytes()
                head = f"--next\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                self.wfile.write(head.encode() + data + b"\r\n")
                time.sleep(0.02)
        except OSError:
            return

    def log_message(self, *_: object) -> None:
        return


@pytest.mark.slow
def test_a_stream_that_breaks_off_comes_back_by_itself() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stream)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_address[1]}/live.mjpg"
        with open_source(url) as source:
            assert source.info.kind is Kind.STREAM
            assert wait_for(source, Word.LIVE, 5)
            assert wait_for(source, Word.LOST, 10)
            assert wait_for(source, Word.LIVE, 10)
    finally:
        server.shutdown()
        server.server_close()
