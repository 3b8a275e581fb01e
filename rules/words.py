"""What a referee says, in English: one template for each finding."""

from collections.abc import Sequence

from crownhead.rules.position import Side

TEXTS: dict[str, str] = {
    "legal": "{side} played {seen}.",
    "nothing-changed": "Nothing has changed on the board.",
    "must-capture": "{side} can capture and must; {seen} captures nothing.",
    "must-capture-most": "{seen} captures too few: another capture goes before it ({priority}).",
    "must-capture-other": "{seen} is not the capture to make: {priority} goes first.",
    "must-finish-capture": "{seen} stops too early: the same piece can and must go on capturing.",
    "wrong-direction": "A man moves forward only; {seen} goes backward.",
    "wrong-direction-capture": "A man captures forward only; {seen} goes backward.",
    "not-diagonal": "{seen} does not follow a diagonal.",
    "not-straight": "{seen} does not follow a row or a column.",
    "too-far-man": "A man moves one square; {seen} goes farther.",
    "too-far-king": "A king moves one square; {seen} goes farther.",
    "too-far-jump": "{seen} does not jump one piece with a free square right behind it.",
    "occupied": "{square} is occupied; a piece moves to a free square only.",
    "occupied-taken": "A piece is captured by jumping over it, not by moving onto its square "
    "{square}.",
    "own-piece-jumped": "{seen} jumps over an own piece on {square}.",
    "jumped-twice": "{seen} jumps twice over the piece on {square}.",
    "turned-about": "{seen} turns right round inside a capture; a king may turn aside only.",
    "crowning-ends-turn": "A man that becomes a king stops there; {seen} goes on.",
    "man-takes-king": "A man may not capture a king; {seen} does.",
    "not-your-turn": "It is {side}'s turn, but {other} played {seen}.",
    "not-your-piece": "It is {side}'s turn, but a piece of {other} was moved: {seen}.",
    "no-such-piece": "There is no piece on {square}.",
    "nothing-to-capture": "{seen} captures nothing: no piece is jumped.",
    "appeared": "A piece stands on {squares} that was not there.",
    "not-lifted": "{seen} jumps {squares}, which must leave the board.",
    "lifted-in-vain": "{squares} left the board but was not captured.",
    "lifted-own": "An own piece left the board from {squares}.",
    "two-pieces-moved": "More than one piece was moved: {squares} changed.",
    "not-crowned": "The man on {square} must be crowned.",
    "wrongly-crowned": "The piece on {square} is a man and must not be crowned.",
    "not-a-king": "The piece on {square} is a king and must look like one.",
    "game-over": "The game is over: {side} has no legal move.",
    "unreadable": "{seen} is not a move.",
    "ambiguous": "{seen} may be {choices}; all its squares are needed.",
    "play": "Legal: {choices}.",
}
"""Templates by the key of a finding; the names in braces are filled in."""

MOST_CHOICES = 6
"""So many legal moves are named in a sentence; the rest are counted."""


def say(key: str, **names: str) -> str:
    """Return a finding's sentence with its names filled in."""
    return TEXTS[key].format(**names)


def side_name(side: Side) -> str:
    """Return a side's name within a sentence."""
    return "White" if side is Side.WHITE else "Black"


def listed(items: Sequence[str]) -> str:
    """Join names for a sentence; a long list is cut and counted."""
    if len(items) > MOST_CHOICES:
        rest = len(items) - MOST_CHOICES
        return f"{', '.join(items[:MOST_CHOICES])} and {rest} more"
    if len(items) > 1:
        return f"{', '.join(items[:-1])} or {items[-1]}"
    return items[0] if items else ""


def together(items: Sequence[str]) -> str:
    """Join names that all hold."""
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items)
