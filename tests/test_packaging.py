"""What is installed is what lies on disk, with links in the checkout or without."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "setuptools"
]
LEAVE_OUT = shutil.ignore_patterns("__pycache__", "*.pyc")


def folder_of(package: str) -> Path:
    """The real folder of a package, by the mapping of pyproject.toml."""
    mapping = SETUPTOOLS["package-dir"]
    if package in mapping:
        return ROOT / mapping[package]
    parent, _, name = package.rpartition(".")
    return folder_of(parent) / name


def top_folders() -> list[str]:
    return sorted(set(SETUPTOOLS["package-dir"].values()))


def files_below(folder: Path) -> set[Path]:
    """All files of a folder, the linked folders in it not followed."""
    return {
        path
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not _is_in_link(path)
    }


def _is_in_link(path: Path) -> bool:
    return any(parent.is_symlink() for parent in path.parents)


def test_packages_are_the_folders_with_code():
    with_code = {
        file.parent
        for top in top_folders()
        for file in files_below(ROOT / top)
        if file.suffix == ".py"
    }
    assert {folder_of(package) for package in SETUPTOOLS["packages"]} == with_code
    assert len(SETUPTOOLS["packages"]) == len(with_code)


def test_links_in_the_package_lead_to_the_top_folders():
    for package, folder in SETUPTOOLS["package-dir"].items():
        if package != "crownhead":
            link = ROOT / package.replace(".", "/")
            assert link.is_symlink()
            assert link.resolve() == ROOT / folder


@pytest.mark.parametrize("links", [True, False], ids=["with links", "as without core.symlinks"])
def test_wheel_holds_every_file_of_the_packages(links, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for top in top_folders():
        shutil.copytree(ROOT / top, source / top, symlinks=True, ignore=LEAVE_OUT)
    if not links:
        # What git writes where links are off: a file with the name of the target.
        for link in [path for path in (source / "crownhead").iterdir() if path.is_symlink()]:
            target = str(link.readlink())
            link.unlink()
            link.write_text(target)

    subprocess.run(
        [sys.executable, "-c", "from setuptools.build_meta import build_wheel as b; b('..')"],
        cwd=source,
        check=True,
        capture_output=True,
    )

    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    expected = {
        f"{'crownhead' if top == 'crownhead' else f'crownhead/{top}'}/"
        f"{file.relative_to(ROOT / top).as_posix()}"
        for top in top_folders()
        for file in files_below(ROOT / top)
    }
    assert names == expected
    # Guards against an empty comparison.
    assert {"crownhead/py.typed", "crownhead/samples/sample.toml"} <= names
