import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import pytest

from crownhead.cli import run

SAMPLE = Path(__file__).parents[3] / "crownhead" / "samples" / "russian-take-back.mp4"


@pytest.mark.parametrize("option", ["--pdn", "--events"])
def test_a_place_to_write_is_checked_before_the_work(
    capsys: pytest.CaptureFixture[str], option: str
) -> None:
    code = run(["transcribe", str(SAMPLE), "--variant", "russian", option, "no-such-folder/out"])
    told = capsys.readouterr()
    assert (code, told.out) == (2, "")
    assert told.err == (
        "crownhead: no-such-folder/out cannot be written: there is no folder no-such-folder\n"
    )


def test_another_start_than_the_one_named_is_the_answer_no(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # The film begins with h2 on its square; the position named has it on g3.
    fen = "W:Wa1,c1,e1,g1,b2,d2,f2,g3,a3,c3,e3:Bb8,d8,f8,h8,a7,c7,e7,g7,b6,d6,f6,h6"
    code = run(["transcribe", str(SAMPLE), "--variant", "russian", "--json", "--start-fen", fen])
    told = capsys.readouterr()
    assert (code, told.out) == (1, "")
    assert "square h2 shows a white piece where empty belongs" in told.err
    assert len(told.err.splitlines()) == 1


class Broadcast(BaseHTTPRequestHandler):
    """The beginning of the sample, in real time and once; whoever comes later finds nothing."""

    def do_GET(self) -> None:
        if self.server.is_over.is_set():
            self.send_error(404)
            return
        self.server.is_over.set()
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=next")
        self.end_headers()
        for data in self.server.shown():
            head = f"--next\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
            try:
                self.wfile.write(head.encode() + data + b"\r\n")
            except OSError:
                return
            time.sleep(1 / 12)

    def log_message(self, *_: object) -> None:
        return


class Broadcaster(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Broadcast)
        self.is_over = threading.Event()
        self.is_endless = False
        # Read before: OpenCV opens one film or stream at a time.
        film = cv2.VideoCapture(str(SAMPLE))
        self.pictures = [cv2.imencode(".jpg", film.read()[1])[1].tobytes() for _ in range(150)]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def shown(self) -> Iterator[bytes]:
        yield from self.pictures
        while self.is_endless:
            yield self.pictures[-1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/live.mjpg"


@pytest.fixture
def stream() -> Iterator[Broadcaster]:
    server = Broadcaster()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.slow
def test_a_stream_that_is_lost_for_good_leaves_its_score(
    stream: Broadcaster, capsys: pytest.CaptureFixture[str]
) -> None:
    del stream.pictures[72:]
    code = run(["transcribe", stream.url, "--variant", "russian", "--json"])
    told = capsys.readouterr()
    assert code == 3, told.err
    assert [move["move"] for move in json.loads(told.out)["moves"]] == ["a3-b4"]
    assert "The score ends there." in told.err


@pytest.mark.slow
def test_a_stream_is_ended_by_ctrl_c_and_leaves_its_score(stream: Broadcaster) -> None:
    # However slowly the reader gets on, it is Ctrl-C that ends the stream and not its last picture.
    stream.is_endless = True
    child = subprocess.Popen(
        [*(sys.executable, "-m", "crownhead", "transcribe", stream.url),
         *("--variant", "russian", "--json")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert stream.is_over.wait(30)
    time.sleep(10.0)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert (child.returncode, err) == (0, "")
    assert json.loads(out)["moves"][0]["move"] == "a3-b4"


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """The sample up to its first move, in half its size, which comes to an odd width."""
    film = cv2.VideoCapture(str(SAMPLE))
    path, size = tmp_path / "short.avi", (427, 320)
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 12.0, size)
    for _ in range(66):
        writer.write(cv2.resize(film.read()[1], size, interpolation=cv2.INTER_AREA))
    writer.release()
    return path


def test_the_film_is_drawn_with_its_grid_and_its_moves(
    short: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "drawn.mp4"
    call = ["transcribe", str(short), "--variant", "russian", "--json", "--draw", str(out)]
    assert run(call) == 0
    found = json.loads(capsys.readouterr().out)
    assert [move["move"] for move in found["moves"]] == ["a3-b4"]
    before, drawn = cv2.VideoCapture(str(short)), cv2.VideoCapture(str(out))
    pictures = [drawn.read()[1] for _ in range(found["frames"])]
    assert all(picture is not None for picture in pictures)
    assert not drawn.read()[0]
    changed = [
        (cv2.absdiff(before.read()[1][:320, :426], picture).max(axis=2) > 60).mean(axis=1)
        for picture in pictures
    ]
    top, bottom = slice(60, 260), slice(295, 320)
    assert changed[0].max() < 0.01, "nothing is drawn before the board is found"
    assert changed[40][top].mean() > 0.02, "the grid"
    assert changed[40][bottom].mean() < 0.01, "no caption before the first move"
    assert changed[65][bottom].mean() > 0.1, "the move"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["drawn.mp4", "short.avi"]


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("drawn.gif", 2, "saved as .mp4"),
        ("none/drawn.mp4", 2, "there is no folder"),
        (f"{'x' * 248}.mp4", 3, "cannot be written as a film"),
    ],
    ids=["other kind", "no folder", "refused"],
)
def test_a_drawing_that_cannot_be_written_is_told_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, code: int, words: str
) -> None:
    call = ["transcribe", str(SAMPLE), "--variant", "russian", "--draw", str(tmp_path / name)]
    assert run(call) == code
    told = capsys.readouterr()
    assert told.out == ""
    assert words in told.err
    assert len(told.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_of_a_drawing_when_the_run_fails(
    short: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "drawn.mp4"
    assert run(["transcribe", str(short), "--variant", "international", "--draw", str(out)]) == 2
    assert "8x8" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["short.avi"]


def test_the_film_itself_is_never_drawn_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    film = tmp_path / "game.mp4"
    film.write_bytes(SAMPLE.read_bytes())
    assert run(["transcribe", str(film), "--variant", "russian", "--draw", str(film)]) == 2
    assert "is the film itself" in capsys.readouterr().err
    assert film.read_bytes() == SAMPLE.read_bytes()
