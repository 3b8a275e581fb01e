"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest

# As the program does: before NumPy is imported, or small matrices wait for each other's threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with reference data, which lies outside the repository."""
    folder = Path(os.environ.get("CROWNHEAD_SHARED") or Path(__file__).parents[2] / "shared")
    if not (folder / "data").is_dir():
        pytest.skip(
            f"the reference data is not here: {folder} (set CROWNHEAD_SHARED to its folder)"
        )
    return folder
