"""What the documents say is tried: links lead somewhere, commands and their options exist."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from crownhead.cli import COMMANDS, cli, run

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
NEEDS_NOTHING = ("variants", "legal", "perft", "judge", "suggest", "leds list")
"""Commands whose examples run without a camera, a port, a film or a user's own games."""


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def examples() -> list[tuple[str, str]]:
    """Every indented line of a page that begins with `crownhead`, with the page's name."""
    return [
        (name_of(page), line.strip().partition("  #")[0])
        for page in PAGES
        for line in page.read_text(encoding="utf-8").splitlines()
        if re.match(r"    (\.venv/bin/)?crownhead \w", line)
    ]


def arguments_of(example: str) -> list[str]:
    return shlex.split(example)[1:]


def command_of(arguments: list[str]) -> tuple[click.Command, list[str]]:
    """The command that an example calls, groups followed, and what is left for it."""
    command: click.Command = cli
    rest = list(arguments)
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), rest[0])
        assert found is not None, f"no command is called {rest[0]}"
        command, rest = found, rest[1:]
    return command, rest


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_to_files(page):
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize(("page", "example"), examples())
def test_options_of_an_example_exist(page, example):
    command, rest = command_of(arguments_of(example))
    known = {name for parameter in command.params for name in parameter.opts}
    used = {word for word in rest if word.startswith("--")}
    assert used <= known, f"{page}: {example}"


@pytest.mark.parametrize(
    "example",
    sorted({e for _, e in examples() if " ".join(arguments_of(e)).startswith(NEEDS_NOTHING)}),
)
def test_an_example_that_needs_nothing_runs(example, capsys):
    assert run(arguments_of(example)) in (0, 1)
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_place_in_the_documents(name):
    assert f"`{name}`" in (ROOT / "README.md").read_text(encoding="utf-8")
    chapter = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    _, heading, text = chapter.partition(f"\n### {name}\n")
    assert heading
    assert f"    crownhead {name}" in text.partition("\n### ")[0]


@pytest.mark.parametrize("target", ["demo", "test"])
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_the_two_commands_of_the_readme_are_targets(target):
    assert f"    make {target} " in (ROOT / "README.md").read_text(encoding="utf-8")
    result = subprocess.run(
        ["make", "--dry-run", target, f"PYTHON={sys.executable}"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    last = result.stdout.strip().splitlines()[-1].strip()
    assert last.endswith({"demo": "crownhead demo", "test": "python -m pytest"}[target])


def test_the_plain_commands_of_the_readme_name_what_exists():
    """Pip is not run here; the group and the folder that it is given are looked at."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "pip install --editable . --group dev" in text
    assert "[dependency-groups]\ndev = [" in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
