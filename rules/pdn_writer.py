"""Write games as PDN 3.0."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crownhead.rules.errors import UnreadableGame
from crownhead.rules.fen import format_fen
from crownhead.rules.position import Position, Side
from crownhead.rules.variant import Variant, start_position

ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result", "GameType", "SetUp", "FEN")
"""The tags that go first, in this order."""

WIDTH = 80
"""Lines of moves are broken before this column where they can be."""


@dataclass(frozen=True, slots=True)
class WrittenPly:
    """A ply for the score: its text, the position after it, and what to say of it.

    An illegal one that was let stand is written as the standard wants it: not as a move but
    as a set-up command with a comment.
    """

    move: str
    after: Position
    legal: bool = True
    comment: str = ""


@dataclass(frozen=True, slots=True)
class WrittenSetup:
    """A position that was set by hand: a correction, or pieces put back after an accident."""

    position: Position
    comment: str = ""


def format_game(
    variant: Variant,
    entries: Sequence[WrittenPly | WrittenSetup],
    *,
    tags: Mapping[str, str] | None = None,
    result: str = "*",
    start: Position | None = None,
) -> str:
    """Write one game, its tags, moves and comments, ended by a star.

    Args:
        variant: the rules in force; GameType and the names of squares follow from it.
        entries: what happened, in order.
        tags: further tags; Result, GameType, SetUp and FEN are made here.
        result: a PDN result.
        start: the position to begin with, the variant's own by default.

    Raises:
        UnreadableGame: a tag's name is not one that PDN allows.
    """
    begin = start_position(variant) if start is None else start
    all_tags = dict(tags or {}) | {"Result": result, "GameType": variant.game_type_tag}
    if begin != start_position(variant):
        all_tags |= {"SetUp": "1", "FEN": format_fen(begin, variant)}
    names = [name for name in ROSTER if name in all_tags]
    names += [name for name in all_tags if name not in ROSTER]
    lines = [_tag(name, all_tags[name]) for name in names]
    body = _wrapped([*_words(variant, entries, begin), "*"])
    return "\n".join([*lines, "", *body, ""])


def _tag(name: str, value: str) -> str:
    if not re.fullmatch(r"[A-Z][A-Za-z0-9_]*", name):
        raise UnreadableGame(
            f"a PDN tag begins with a capital and has letters and digits, not {name!r}"
        )
    escaped = " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def _words(
    variant: Variant, entries: Sequence[WrittenPly | WrittenSetup], begin: Position
) -> list[str]:
    """Return the pieces of text between which a line may be broken."""
    words: list[str] = []
    number, turn, say_number = 1, begin.turn, True
    for entry in entries:
        if isinstance(entry, WrittenSetup):
            words += [_setup(variant, entry.position), *_comment(entry.comment)]
            turn, say_number = entry.position.turn, True
            continue
        if entry.legal:
            if turn is variant.first:
                words.append(f"{number}.")
            elif say_number:
                words.append(f"{number}...")
            words += ["".join(entry.move.split()), *_comment(entry.comment)]
        else:
            text = entry.comment or f"{entry.move} was illegal and was let stand"
            words += [_setup(variant, entry.after), *_comment(text)]
        number += _closes(variant, turn)
        turn, say_number = entry.after.turn, bool(entry.comment) or not entry.legal
    return words


def _closes(variant: Variant, turn: Side) -> int:
    """Return 1 if a ply of this side completes a numbered move, else 0."""
    return int(turn is not variant.first)


def _setup(variant: Variant, position: Position) -> str:
    return f'/FEN "{format_fen(position, variant)}"/'


def _comment(text: str) -> list[str]:
    # Comments do not nest, and nothing inside can be escaped.
    bare = " ".join(text.replace("{", "(").replace("}", ")").split())
    return [f"{{{bare}}}"] if bare else []


def _wrapped(words: Sequence[str]) -> list[str]:
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
