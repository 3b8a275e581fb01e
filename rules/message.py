"""What there is to say, apart from the language in which it is said."""

from __future__ import annotations

from dataclasses import dataclass

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
