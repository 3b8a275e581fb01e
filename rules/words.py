"""What a referee says, in English: one template for each finding."""

from collections.abc import Sequence

from crownhead.rules.message import Message, Name
from crownhead.rules.position import Side
from crownhead.rules.variant import Priority

TEXTS: dict[str, str] = {
    "legal.white": "White played {seen}.",
    "legal.black": "Black played {seen}.",
    "nothing-changed": "Nothing has changed on the board.",
    "must-capture.white": "White can capture and must; {seen} captures nothing.",
    "must-capture.black": "Black can capture and must; {seen} captures nothing.",
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
    "not-your-turn.white": "It is White's turn, but Black played {seen}.",
    "not-your-turn.black": "It is Black's turn, but White played {seen}.",
    "not-your-piece.white": "It is White's turn, but a piece of Black was moved: {seen}.",
    "not-your-piece.black": "It is Black's turn, but a piece of White was moved: {seen}.",
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
    "game-over.white": "The game is over: White has no legal move.",
    "game-over.black": "The game is over: Black has no legal move.",
    "unreadable": "{seen} cannot be read as a move; moves look like {example}, and the squares "
    "are {first} to {last}.",
    "ambiguous": "{seen} may be {choices}; all its squares are needed.",
    "play": "Legal: {choices}.",
    "to-remove": "A capture is under way: {squares} still to be removed.",
    "capture-under-way": "A capture is under way: it is not finished.",
    "draw.repetition": "Drawn: the same position, with the same side to move, stood on the board "
    "{limit} times.",
    "draw.kings-only": "Drawn: {limit} moves by each side with kings only and nothing captured.",
    "draw.no-progress": "Drawn: {limit} moves by each side with no man moved and nothing captured.",
    "draw.three-against-king": "Drawn: {limit} moves by each side with three pieces, a king among "
    "them, against one king.",
    "draw.three-kings-against-king": "Drawn: {limit} moves by each side with three or more kings "
    "against one king.",
    "draw.two-against-king": "Drawn: {limit} moves by each side with at most two pieces, a king "
    "among them, against one king.",
    "draw.one-against-one": "Drawn: {limit} moves by each side with one piece against one.",
    "count.repetition": "Same position: {so_far} of {limit}",
    "count.kings-only": "Moves with kings only: {so_far} of {limit}",
    "count.no-progress": "Moves without a man moved or a capture: {so_far} of {limit}",
    "count.three-against-king": "Three pieces against one king: move {so_far} of {limit}",
    "count.three-kings-against-king": "Three or more kings against one king: move {so_far} of "
    "{limit}",
    "count.two-against-king": "At most two pieces against one king: move {so_far} of {limit}",
    "count.one-against-one": "One piece against one: move {so_far} of {limit}",
    "offence.white": "Illegal moves of White so far: {number}; allowed: {allowed}.",
    "offence.black": "Illegal moves of Black so far: {number}; allowed: {allowed}.",
    "may-claim.white": "White may claim a draw.",
    "may-claim.black": "Black may claim a draw.",
    "claimed.white": "White claims the draw.",
    "claimed.black": "Black claims the draw.",
    "agreed": "The players agree on a draw.",
    "resigned.white": "White gives up; Black wins.",
    "resigned.black": "Black gives up; White wins.",
    "no-pieces-left.white": "Black wins: White has no pieces left.",
    "no-pieces-left.black": "White wins: Black has no pieces left.",
    "blocked.white": "Black wins: White has no legal move.",
    "blocked.black": "White wins: Black has no legal move.",
}
"""Templates by key; the names in braces are filled in. A sentence about a side is there twice,
since many languages cannot put a name for either into the same words."""

OF_A_SIDE = frozenset(key.removesuffix(".white") for key in TEXTS if key.endswith(".white"))
"""Keys of the sentences about a side."""

KEYS = frozenset(key.removesuffix(".white").removesuffix(".black") for key in TEXTS)
"""Keys of all messages."""

MOST_CHOICES = 6
"""So many legal moves are named in a sentence; the rest are counted."""


def say(message: Message) -> str:
    """Return a message as a sentence."""
    names = dict(message.names)
    side = names.pop("side", None)
    key = f"{message.key}.{side.value}" if isinstance(side, Side) else message.key
    return TEXTS[key].format(**{name: _worded(name, value) for name, value in names.items()})


def tell(messages: Sequence[Message]) -> str:
    """Return messages as one text."""
    return " ".join(say(message) for message in messages)


def _worded(name: str, value: Name) -> str:
    if isinstance(value, Priority):
        return value.value
    if isinstance(value, tuple):
        return listed(value) if name == "choices" else together(value)
    return str(value)


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
