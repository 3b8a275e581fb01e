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
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

log = logging.getLogger(__name__)

KERNELS = "crownhead.rules.fast_kernels"
SEAL = "seal.json"
SWITCH = "CROWNHEAD_NATIVE_CACHE"
PLACE = "CROWNHEAD_CACHE_DIR"
"""Environment variable: where the folders of compiled functions lie, if not in the user's cache."""


class NotNative(Exception):
    """The native generator cannot be had here; the message says why."""


def is_available() -> bool:
    """Say whether numba is installed, without importing it."""
    return find_spec("numba") is not None


@cache
def kernels() -> ModuleType:
    """Return the compiled functions, from the cache if that can be trusted.

    Raises:
        NotNative: numba is not installed, or cannot compile here.
    """
    if not is_available():
        raise NotNative("numba is not installed; the extra `crownhead[fast]` brings it")
    try:
        module = _from_cache()
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
        return _compiled(None)
    except Exception as error:
        raise NotNative(f"numba cannot compile here: {error}") from error


def _from_cache() -> ModuleType:
    root = _root()
    root.mkdir(parents=True, exist_ok=True)
    folder = root / _name()
    if folder.exists():
        if _is_sealed(folder):
            return _compiled(folder)
        log.warning("the compiled functions in %s are damaged; they are compiled anew", folder)
        shutil.rmtree(folder)
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=root))
    try:
        module = _compiled(draft)
        _seal(draft)
        with suppress(OSError):
            # Another program may have been faster; its folder is as good.
            draft.rename(folder)
            _remove_others(root, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return module


def _root() -> Path:
    chosen = os.environ.get(PLACE)
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("crownhead")


def _name() -> str:
    """Return a name that changes with all that compiled functions depend on."""
    from llvmlite import binding

    spec = find_spec(KERNELS)
    assert spec is not None
    assert spec.origin is not None
    source = hashlib.sha256(Path(spec.origin).read_bytes()).hexdigest()[:12]
    where = hashlib.sha256(spec.origin.encode()).hexdigest()[:6]
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    parts = ("native", version("numba"), python, platform.machine(), binding.get_host_cpu_name())
    return "-".join((*parts, source, where))


def _compiled(folder: Path | None) -> ModuleType:
    """Import the kernels with their cache in a folder, or without one, and try them."""
    os.environ[SWITCH] = "on" if folder else "off"
    if folder is not None:
        os.environ["NUMBA_CACHE_DIR"] = str(folder)
    config: Any = importlib.import_module("numba.core.config")
    config.CACHE_DIR = str(folder or "")
    # A module that failed half-way, or that used another folder, is no use.
    sys.modules.pop(KERNELS, None)
    module = importlib.import_module(KERNELS)
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


def _remove_others(root: Path, folder: Path) -> None:
    """Remove what older versions have left."""
    for other in root.glob("native-*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
