import io

from crownhead.progress import Progress, progress_line


def test_the_line_tells_frames_moves_and_time_left() -> None:
    assert progress_line(300, 1200, 4, 10.0) == "frame 300 of 1200 (25 %), 4 moves, 0:30 left"


def test_without_a_total_no_time_is_promised() -> None:
    assert progress_line(300, None, 1, 10.0) == "frame 300, 1 move"


def test_nothing_is_said_in_a_pipe() -> None:
    pipe = io.StringIO()
    with Progress(10, stream=pipe) as progress:
        progress.update(5, 0)
    assert pipe.getvalue() == ""


def test_a_terminal_is_left_clean() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    with Progress(10, stream=terminal) as progress:
        progress.update(5, 2)
        assert "frame 5 of 10 (50 %), 2 moves" in terminal.getvalue()
    assert terminal.getvalue().endswith(" \r")
