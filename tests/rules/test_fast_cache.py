"""Damaged, forbidden, full and shared caches, each met by a program of its own."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from crownhead.rules import fast_cache

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not fast_cache.is_available(), reason="numba is not installed (the extra [fast])"
    ),
]

COUNT = (
    "import logging, sys; logging.basicConfig(format='%(levelname)s %(message)s');"
    "from crownhead.rules import fast; from crownhead.rules.variant import *;"
    "v = variant_named('english'); print(fast.perft(v, start_position(v), 7))"
)
ANSWER = "179740\n"


def start(cache: Path, limit: int | None = None) -> subprocess.Popen:
    environment = os.environ | {"CROWNHEAD_CACHE_DIR": str(cache)}
    environment.pop("CROWNHEAD_NATIVE_CACHE", None)
    environment.pop("NUMBA_CACHE_DIR", None)

    def hold() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.Popen(
        [sys.executable, "-c", COUNT],
        env=environment,
        preexec_fn=hold,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def outcome(process: subprocess.Popen) -> tuple[int, str, int]:
    """Return the exit code, what was answered, and how many warnings there were."""
    out, err = process.communicate(timeout=300)
    assert "Traceback" not in err
    return process.returncode, out, err.count("WARNING")


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cache = tmp_path_factory.mktemp("cache")
    assert outcome(start(cache)) == (0, ANSWER, 0)
    return cache


def kept(cache: Path) -> list[Path]:
    (folder,) = cache.glob("native-*")
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_the_second_program_finds_what_the_first_compiled(warm: Path):
    before = {path: path.stat().st_mtime_ns for path in kept(warm)}
    assert outcome(start(warm)) == (0, ANSWER, 0)
    assert {path: path.stat().st_mtime_ns for path in kept(warm)} == before
    assert [path.name for path in warm.iterdir()] == [path.name for path in warm.glob("native-*")]


@pytest.mark.parametrize(
    ("kind", "suffix"), [("truncated", ".nbi"), ("altered", ".nbc"), ("removed", ".nbi")]
)
def test_a_damaged_cache_answers_with_one_warning_and_is_mended(warm: Path, kind, suffix):
    path = next(path for path in kept(warm) if path.suffix == suffix and "perft" in path.name)
    body = path.read_bytes()
    if kind == "removed":
        path.unlink()
    else:
        altered = bytearray(body)
        altered[len(body) // 2] ^= 255
        path.write_bytes(body[: len(body) // 2] if kind == "truncated" else altered)
    assert outcome(start(warm)) == (0, ANSWER, 1)
    assert outcome(start(warm)) == (0, ANSWER, 0)


def test_a_place_that_cannot_be_written_answers_with_one_warning(tmp_path: Path):
    # Below a file no folder can be, not even for the superuser.
    (tmp_path / "file").write_text("")
    assert outcome(start(tmp_path / "file" / "cache")) == (0, ANSWER, 1)


def test_a_full_disk_answers_with_one_warning(tmp_path: Path):
    assert outcome(start(tmp_path / "cache", limit=4096)) == (0, ANSWER, 1)
    assert not list((tmp_path / "cache").glob("native-*"))


def test_two_programs_that_start_cold_at_once_both_answer(tmp_path: Path):
    programs = [start(tmp_path / "cache") for _ in range(2)]
    assert [outcome(program) for program in programs] == [(0, ANSWER, 0)] * 2
    assert outcome(start(tmp_path / "cache")) == (0, ANSWER, 0)
