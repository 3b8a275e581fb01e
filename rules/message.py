"""What there is to say, apart from the language in which it is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from crownhead.rules.position import Side
from crownhead.rules.variant import Priority

Name = str | int | Side | Priority | tuple[str, ...]
"""What fills a gap in a sentence: a word as it is, a number, or something with a name of its own
in every language; several names are joined as the language joins them."""


@dataclass(frozen=True, slots=True)
class Message:
    """One sentence: the key of its template, and the names that fill it."""

    key: str
    names: tuple[tuple[str, Name], ...] = ()


def message(key: str, **names: Name) -> Message:
    """Return a message; its names are kept in the order given."""
    return Message(key, tuple(names.items()))


def read_message(data: Mapping[str, Any]) -> Message:
    """Turn a message as plain data, ``{"key": ..., "names": [[name, value], ...]}``, back into one.

    Raises:
        KeyError, TypeError, ValueError: it is no message.
    """
    names = tuple((str(name), _read_name(str(name), value)) for name, value in data["names"])
    return Message(str(data["key"]), names)


_READERS: dict[str, Callable[[str], Name]] = {"side": Side, "priority": Priority}
"""What the names are whose values are not plain texts or numbers."""


def _read_name(name: str, value: object) -> Name:
    if isinstance(value, list | tuple):
        return tuple(str(item) for item in value)
    if isinstance(value, int):
        return value
    return _READERS.get(name, str)(str(value))
