"""Getting the native generator: compiled once, kept in a folder of our own, never trusted blindly.

A cache may be damaged by a power cut, lie on a full or read-only disk, or be written by two
programs at once, and numba trusts what it finds. So a folder is compiled beside its place, sealed
with the checksums of its files, moved into place as a whole, and checked against its seal before it
is used. Whatever fails, the functions are compiled anew without a cache, and one warning says so.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import logging
import os
import platform
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

log = logging.getLogger(__name__)

WORDS = "crownhead.rules.fast_kernels"
WIDE = "crownhead.rules.fast_wide"
SEAL = "seal.json"
SWITCH = "CROWNHEAD_NATIVE_CACHE"
OLD_S = 60 * 86_400
"""A folder that was not looked into for so many seconds is removed."""

PLACE = "CROWNHEAD_CACHE_DIR"
"""Environment variable: where the folders of compiled functions lie, if not in the user's cache."""


class NotNative(Exception):
    """The native generator cannot be had here; the message says why."""


def is_available() -> bool:
    """Say whether numba is installed, without importing it."""
    return find_spec("numba") is not None


@cache
def kernels(name: str = WORDS) -> ModuleType:
    """Return the compiled functions, from the cache if that can be trusted.

    Args:
        name: `WORDS` for boards of up to 64 squares, `WIDE` for larger ones.

    Raises:
        NotNative: numba is not installed, or cannot compile here.
    """
    if not is_available():
        raise NotNative("numba is not installed; the extra `crownhead[fast]` brings it")
    try:
        module = _from_cache(name)
    except Exception as error:
        # Whatever numba finds wrong with its cache: the answers do not depend on one.
        log.warning(
            "the cache of compiled functions cannot be used (%s: %s); they are compiled for this "
            "run alone",
            type(error).__name__,
            error,
        )
        module = None
    if module is not None:
        return module
    try:
        return _compiled(name, None)
    except Exception as error:
        raise NotNative(f"numba cannot compile here: {error}") from error


def _from_cache(name: str) -> ModuleType:
    root = _root()
    root.mkdir(parents=True, exist_ok=True)
    folder = root / _folder_name(name)
    if folder.exists():
        if _is_sealed(folder):
            return _compiled(name, folder)
        shutil.rmtree(folder)
        log.warning("the compiled functions in %s were damaged; they are compiled anew", folder)
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=root))
    try:
        module = _compiled(name, draft)
        _seal(draft)
        with suppress(OSError):
            # Another program may have been faster; its folder is as good.
            draft.rename(folder)
            _remove_old(root)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return module


def _root() -> Path:
    chosen = os.environ.get(PLACE)
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("crownhead")


def _folder_name(name: str) -> str:
    """Return a name that changes with all that compiled functions depend on."""
    from llvmlite import binding

    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent
    digest = hashlib.sha256(str(folder).encode())
    for path in (Path(spec.origin), folder / "fast_shared.py"):
        digest.update(path.read_bytes())
        # numba looks at the time too.
        digest.update(str(path.stat().st_mtime_ns).encode())
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    machine = f"{platform.machine()}-{binding.get_host_cpu_name()}"
    kind = name.rpartition("_")[2]
    return "-".join(("native", kind, version("numba"), python, machine, digest.hexdigest()[:16]))


def _compiled(name: str, folder: Path | None) -> ModuleType:
    """Import the kernels with their cache in a folder, or without one, and try them."""
    os.environ[SWITCH] = "on" if folder else "off"
    if folder is not None:
        os.environ["NUMBA_CACHE_DIR"] = str(folder)
    config: Any = importlib.import_module("numba.core.config")
    config.CACHE_DIR = str(folder or "")
    # A module that failed half-way, or that used another folder, is no use.
    sys.modules.pop(name, None)
    sys.modules.pop("crownhead.rules.fast_shared", None)
    module = importlib.import_module(name)
    from crownhead.rules import fast

    fast.try_out(module)
    return module


def _seal(folder: Path) -> None:
    (folder / SEAL).write_text(json.dumps(_checksums(folder)), encoding="utf-8")


def _is_sealed(folder: Path) -> bool:
    try:
        known = json.loads((folder / SEAL).read_text(encoding="utf-8"))
        return bool(known == _checksums(folder))
    except (OSError, ValueError, RecursionError):
        return False


def _checksums(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != SEAL
    }


def _remove_old(root: Path) -> None:
    """Remove what nobody has used for long: other versions, and drafts that were left behind."""
    for folder in root.iterdir():
        with suppress(OSError):
            if time.time() - folder.stat().st_atime > OLD_S and folder.is_dir():
                shutil.rmtree(folder)
