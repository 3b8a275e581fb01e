"""A user's own variant from TOML, with the same parameters as the known ones."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import fields, replace
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any

from crownhead.rules.errors import UnreadableVariant
from crownhead.rules.position import Side
from crownhead.rules.variant import (
    PROTOCOLS,
    VARIANTS,
    Corner,
    Crowning,
    DrawKind,
    DrawRule,
    Kings,
    Lines,
    Naming,
    Playing,
    Priority,
    Removal,
    Variant,
)

LARGEST_FILE = 64 * 1024
"""A longer file than this, in bytes, is no variant."""

_CHOICES: dict[str, type[StrEnum]] = {
    "first": Side,
    "playing": Playing,
    "lines": Lines,
    "dark_corner": Corner,
    "kings": Kings,
    "priority": Priority,
    "crowning": Crowning,
    "removal": Removal,
    "naming": Naming,
    "numbered_for": Side,
}
_NUMBERS = {
    "size": (4, 12),
    "rows": (1, 5),
    "rows_behind": (0, 4),
    "number_corner": (0, 2),
    "game_type": (0, 999),
    "king_moves_limit": (0, 50),
}
_FLAGS = ("men_capture_back", "man_takes_king", "straight_captures", "about_turns")
_KEYS = tuple(field.name for field in fields(Variant))


def read_variant(path: Path) -> Variant:
    """Read a variant's file.

    Raises:
        UnreadableVariant: it cannot be read, or describes no variant; the message says why.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise UnreadableVariant(f"{path} cannot be read: {error.strerror or error}") from error
    if len(data) > LARGEST_FILE:
        raise UnreadableVariant(f"{path} is too long for a variant")
    try:
        return variant_from_toml(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise UnreadableVariant(f"{path} is not a text in UTF-8") from None
    except UnreadableVariant as error:
        raise UnreadableVariant(f"{path}: {error}") from None


def variant_from_toml(text: str) -> Variant:
    """Make a variant of TOML text; what it leaves out is as in its ``like``, else by default.

    Raises:
        UnreadableVariant: a key or a value is not one of a variant's.
    """
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise UnreadableVariant(f"this is not TOML: {error}") from None
    like = table.pop("like", None)
    if like is not None and (not isinstance(like, str) or like not in VARIANTS):
        raise UnreadableVariant(f"like = {like!r} names no known variant{_near(like, VARIANTS)}")
    name = table.get("name")
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9-]{1,40}", name):
        raise UnreadableVariant("name must be 1 to 40 small letters, digits and hyphens")
    if name in VARIANTS:
        raise UnreadableVariant(f"name {name!r} is taken by a known variant; choose another")
    base = replace(VARIANTS[like], name=name) if like else Variant(name, name)
    variant = replace(base, **{key: _value(key, value) for key, value in table.items()})
    if variant.size % 2:
        raise UnreadableVariant(f"size must be even, not {variant.size}")
    if 2 * (variant.rows + variant.rows_behind) >= variant.size:
        raise UnreadableVariant("the men of both sides leave no row free; lower rows or size")
    if (variant.playing is Playing.ALL) != (variant.lines is Lines.STRAIGHT):
        raise UnreadableVariant("all squares are played on just where lines are rows and columns")
    if variant.squares > 72:
        raise UnreadableVariant("the board has more than 72 playing squares; lower size")
    if variant.lines is Lines.STRAIGHT and any(
        rule.kind is DrawKind.MAIN_ROAD for rule in variant.draws
    ):
        raise UnreadableVariant("the main road is a diagonal; this game has rows and columns only")
    if variant.lines is Lines.STRAIGHT and variant.straight_captures:
        raise UnreadableVariant("straight_captures is for games along diagonals only")
    return variant


def _value(key: str, value: object) -> Any:  # noqa: ANN401 - as various as the fields
    if key not in _KEYS:
        raise UnreadableVariant(f"there is no parameter {key!r}{_near(key, _KEYS)}")
    if key in _CHOICES:
        known = [str(choice) for choice in _CHOICES[key]]
        if value not in known:
            raise UnreadableVariant(
                f"{key} = {value!r} is none of {', '.join(map(repr, known))}{_near(value, known)}"
            )
        return _CHOICES[key](value)
    if key in _NUMBERS:
        low, high = _NUMBERS[key]
        if type(value) is not int or not low <= value <= high:
            raise UnreadableVariant(f"{key} must be a whole number from {low} to {high}")
        return value
    if key in _FLAGS:
        if not isinstance(value, bool):
            raise UnreadableVariant(f"{key} must be true or false")
        return value
    if key == "draws":
        return _draws(value)
    if not isinstance(value, str) or not 0 < len(value) <= 100:
        raise UnreadableVariant(f"{key} must be a text of 1 to 100 characters")
    if key == "separator" and value not in ("x", ":"):
        raise UnreadableVariant("separator must be 'x' or ':'")
    if key == "protocol" and value not in PROTOCOLS:
        raise UnreadableVariant(f"protocol must be one of {', '.join(PROTOCOLS)}")
    return value


def _draws(value: object) -> tuple[DrawRule, ...]:
    known = [str(kind) for kind in DrawKind]
    found = []
    for item in value if isinstance(value, list) else [None]:
        if not isinstance(item, dict) or not set(item) <= {"kind", "limit", "claimed"}:
            raise UnreadableVariant("draws must be tables of kind, limit and claimed")
        kind, limit, claimed = item.get("kind"), item.get("limit"), item.get("claimed", False)
        if kind not in known:
            raise UnreadableVariant(f"kind = {kind!r} counts no draw{_near(kind, known)}")
        if type(limit) is not int or not 1 <= limit <= 1000 or not isinstance(claimed, bool):
            raise UnreadableVariant("a draw's limit is 1 to 1000, claimed is true or false")
        found.append(DrawRule(DrawKind(kind), limit, claimed))
    return tuple(found)


def _near(value: object, known: Iterable[str]) -> str:
    near = get_close_matches(str(value), list(known), n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else ""
