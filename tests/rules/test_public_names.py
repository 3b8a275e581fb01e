"""What `crownhead.rules` offers to import: complete, and cheap."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from crownhead import rules

SOURCE = Path(rules.__file__).read_text(encoding="utf-8")


def asked_in_a_new_process(code: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return result.stdout.strip()


@pytest.mark.parametrize("name", rules.__all__)
def test_a_public_name_is_there_and_described(name):
    value = getattr(rules, name)
    assert value.__doc__


def test_type_checkers_see_the_same_names_from_the_same_modules():
    seen = {
        alias.asname or alias.name: node.module.removeprefix("crownhead.rules.")
        for node in ast.walk(ast.parse(SOURCE))
        if isinstance(node, ast.ImportFrom) and node.module.startswith("crownhead.rules.")
        for alias in node.names
    }
    assert sorted(seen) == sorted(rules.__all__)
    for name, home in seen.items():
        module = import_module(f"crownhead.rules.{home}")
        assert getattr(module, "replay" if name == "replay_game" else name) is getattr(rules, name)


def test_no_public_name_hides_a_module():
    modules = {path.stem for path in Path(rules.__file__).parent.glob("*.py")}
    assert modules.isdisjoint(rules.__all__)


def test_a_name_that_is_not_public_is_refused():
    with pytest.raises(AttributeError, match="has no attribute 'legal_mooves'"):
        rules.legal_mooves  # noqa: B018 - asking is the test
    assert set(rules.__all__) <= set(dir(rules))


def test_importing_the_package_loads_none_of_its_modules():
    code = "import sys, crownhead.rules; print([m for m in sys.modules if 'crownhead.rules.' in m])"
    assert asked_in_a_new_process(code) == "[]"


def test_nothing_public_needs_numpy_opencv_or_numba():
    code = (
        "import sys; from crownhead.rules import *; "
        "print([m for m in ('numpy', 'cv2', 'numba', 'flask') if m in sys.modules])"
    )
    assert asked_in_a_new_process(code) == "[]"
