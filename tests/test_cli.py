"""The command line as a whole: names, help, errors and exit codes, run as its own process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from crownhead.cli import COMMANDS, run


def crownhead(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "crownhead", *arguments],
        env={"PATH": "", **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture
def broken_opencv(tmp_path):
    """A folder with a cv2 that fails as the real one does on a system without libGL."""
    (tmp_path / "cv2").mkdir()
    (tmp_path / "cv2" / "__init__.py").write_text(
        "raise ImportError('libGL.so.1: cannot open shared object file: "
        "No such file or directory', name='cv2')\n"
    )
    return tmp_path


def test_help_lists_every_command():
    result = crownhead("--help")
    assert result.returncode == 0
    for name, (_, text) in COMMANDS.items():
        assert name in result.stdout
        assert text.split()[0] in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name, capsys):
    assert run([name, "--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"Usage: crownhead {name}")
    assert "--help" in text


def test_version_is_that_of_the_package(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.strip() == "crownhead, version 0.1.0"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["play"], "play"),
        (["legal"], "VARIANT"),
        (["legal", "chess"], "chess"),
        (["legal", "english", "--fen", "nonsense"], "nonsense"),
        (["check", "no-such-file.pdn"], "no-such-file.pdn"),
        (["look", "no-such-picture.jpg"], "no-such-picture.jpg"),
    ],
)
def test_bad_usage_is_told_on_standard_error_with_code_2(arguments, word):
    result = crownhead(*arguments)
    assert result.returncode == 2
    assert word in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_a_missing_system_library_gets_one_sentence_with_the_cure(broken_opencv: Path):
    result = crownhead("look", "board.jpg", PYTHONPATH=str(broken_opencv))
    assert result.returncode == 3
    assert result.stderr == (
        "crownhead: OpenCV needs the system library libGL.so.1, which is missing; "
        "install it: apt install libgl1\n"
    )


def test_rules_work_without_opencv(broken_opencv: Path):
    result = crownhead("legal", "international", PYTHONPATH=str(broken_opencv))
    assert result.returncode == 0
    assert "32-28" in result.stdout.split()


def test_a_reader_that_goes_away_is_no_error():
    with subprocess.Popen(
        [sys.executable, "-m", "crownhead", "variants"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_a_game_goes_on_when_the_reader_of_its_lines_goes_away():
    with subprocess.Popen(
        [sys.executable, "-m", "crownhead", "demo", "--once", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        told = process.stderr.read().splitlines()
    assert [line for line in told if not line.startswith("The page: ")] == []
    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_our_output_gets_one_sentence():
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "crownhead", "variants"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert result.returncode == 3
    assert result.stderr == (
        "crownhead: what was to be written does not fit: No space left on device\n"
    )


def test_a_file_name_that_is_no_text_is_printed_as_json(tmp_path):
    name = os.fsdecode(b"caf\xe9.png")
    _, data = cv2.imencode(".png", np.full((200, 300, 3), 120, np.uint8))
    try:
        (tmp_path / name).write_bytes(data.tobytes())
    except OSError:
        pytest.skip("this file system takes only names that are text")
    result = crownhead("look", str(tmp_path / name), "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["image"] == str(tmp_path / name)
