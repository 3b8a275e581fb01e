"""What a referee says: one template for each finding, in English, and its words in any language."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from crownhead.rules.catalogue import RULES, Catalogue, Language, Plural, Text
from crownhead.rules.message import Message, Name
from crownhead.rules.position import Side
from crownhead.rules.variant import (
    Crowning,
    DrawKind,
    Kings,
    Naming,
    OnIllegal,
    Priority,
    Removal,
)

TEXTS: dict[str, Text] = {
    "legal.white": "{seen} is a legal move by White.",
    "legal.black": "{seen} is a legal move by Black.",
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
    "king-moves-too-often": Plural(
        "limit",
        "The king on {square} has moved {limit} time without capturing; another piece must "
        "move first.",
        "The king on {square} has moved {limit} times in a row without capturing; another piece "
        "must move first.",
    ),
    "not-your-turn.white": "It is White's turn, but Black played {seen}.",
    "not-your-turn.black": "It is Black's turn, but White played {seen}.",
    "not-your-piece.white": "It is White's turn, but a piece of Black was moved: {seen}.",
    "not-your-piece.black": "It is Black's turn, but a piece of White was moved: {seen}.",
    "no-such-piece": "There is no piece on {square}.",
    "clear-square": "Clear {square}.",
    "put-man.white": "Put a white man on {square}.",
    "put-man.black": "Put a black man on {square}.",
    "put-king.white": "Put a white king on {square}.",
    "put-king.black": "Put a black king on {square}.",
    "nothing-to-capture": "{seen} captures nothing: no piece is jumped.",
    "appeared": Plural(
        "squares",
        "A piece stands on {squares} that was not there.",
        "Pieces stand on {squares} that were not there.",
    ),
    "not-lifted": Plural(
        "squares",
        "{seen} jumps the piece on {squares}, which must leave the board.",
        "{seen} jumps the pieces on {squares}, which must leave the board.",
    ),
    "lifted-in-vain": Plural(
        "squares",
        "The piece on {squares} left the board but was not captured.",
        "The pieces on {squares} left the board but were not captured.",
    ),
    "lifted-own": Plural(
        "squares",
        "An own piece left the board from {squares}.",
        "Own pieces left the board from {squares}.",
    ),
    "two-pieces-moved": Plural(
        "squares",
        "More than one piece was moved: {squares} changed.",
        "More than one piece was moved: {squares} changed.",
    ),
    "not-crowned": "The man on {square} must be crowned.",
    "wrongly-crowned": "The piece on {square} is a man and must not be crowned.",
    "not-a-king": "The piece on {square} is a king and must look like one.",
    "game-over.white": "The game is over: White has no legal move.",
    "game-over.black": "The game is over: Black has no legal move.",
    "unreadable": "{seen} cannot be read as a move; moves look like {example}, and the squares "
    "are {first} to {last}.",
    "unplayed-square": "{square} is not a playing square; pieces go along diagonals.",
    "same-square": "{seen} names the same square twice; a move leads to another one.",
    "ambiguous": "{seen} may be {choices}; all its squares are needed.",
    "play": "Legal: {choices}.",
    "to-remove": Plural(
        "squares",
        "A capture is under way: the piece on {squares} is still to be removed.",
        "A capture is under way: the pieces on {squares} are still to be removed.",
    ),
    "to-crown": "The piece on {square} has become a king and waits for its crown.",
    "wrong-order": Plural(
        "squares",
        "The piece on {squares} left the board too early: captured pieces leave together, when "
        "the capture is over.",
        "The pieces on {squares} left the board too early: captured pieces leave together, when "
        "the capture is over.",
    ),
    "show-each-jump": "Each jump of {seen} must be shown: it is not enough to put the piece on "
    "the last square.",
    "capture-under-way": "A capture is under way: it is not finished.",
    "draw.repetition": Plural(
        "limit",
        "Drawn: the same position, with the same side to move, stood on the board {limit} time.",
        "Drawn: the same position, with the same side to move, stood on the board {limit} times.",
    ),
    "draw.kings-only": Plural(
        "limit",
        "Drawn: {limit} move by each side with kings only and nothing captured.",
        "Drawn: {limit} moves by each side with kings only and nothing captured.",
    ),
    "draw.no-progress": Plural(
        "limit",
        "Drawn: {limit} move by each side with no man moved and nothing captured.",
        "Drawn: {limit} moves by each side with no man moved and nothing captured.",
    ),
    "draw.three-against-king": Plural(
        "limit",
        "Drawn: {limit} move by each side with three pieces, a king among them, against one king.",
        "Drawn: {limit} moves by each side with three pieces, a king among them, against one king.",
    ),
    "draw.three-kings-against-king": Plural(
        "limit",
        "Drawn: {limit} move of the side with three or more kings against one king.",
        "Drawn: {limit} moves of the side with three or more kings against one king.",
    ),
    "draw.two-against-king": Plural(
        "limit",
        "Drawn: {limit} move by each side with at most two pieces, a king among them, "
        "against one king.",
        "Drawn: {limit} moves by each side with at most two pieces, a king among them, "
        "against one king.",
    ),
    "draw.one-against-one": Plural(
        "limit",
        "Drawn: {limit} move by each side with one piece against one.",
        "Drawn: {limit} moves by each side with one piece against one.",
    ),
    "draw.main-road": Plural(
        "limit",
        "Drawn: {limit} move by each side with three pieces, a king among them, against "
        "one king on the main road.",
        "Drawn: {limit} moves by each side with three pieces, a king among them, against "
        "one king on the main road.",
    ),
    "draw.four-or-five-unchanged": Plural(
        "limit",
        "Drawn: {limit} move by each side with kings on both sides and four or five "
        "pieces in all, none captured or crowned.",
        "Drawn: {limit} moves by each side with kings on both sides and four or five "
        "pieces in all, none captured or crowned.",
    ),
    "draw.six-or-seven-unchanged": Plural(
        "limit",
        "Drawn: {limit} move by each side with kings on both sides and six or seven "
        "pieces in all, none captured or crowned.",
        "Drawn: {limit} moves by each side with kings on both sides and six or seven "
        "pieces in all, none captured or crowned.",
    ),
    "draw.two-kings-against-king": Plural(
        "limit",
        "Drawn: {limit} move by each side with two kings against one.",
        "Drawn: {limit} moves by each side with two kings against one.",
    ),
    "draw.king-against-king": Plural(
        "limit",
        "Drawn: {limit} move by each side with one king against one.",
        "Drawn: {limit} moves by each side with one king against one.",
    ),
    "draw.at-most-two-each": Plural(
        "limit",
        "Drawn: {limit} move by each side with kings on both sides, at most two pieces "
        "each and one man in all.",
        "Drawn: {limit} moves by each side with kings on both sides, at most two pieces "
        "each and one man in all.",
    ),
    "count.repetition": "Same position: {so_far} of {limit}",
    "count.kings-only": "Moves with kings only: {so_far} of {limit}",
    "count.no-progress": "Moves without a man moved or a capture: {so_far} of {limit}",
    "count.three-against-king": "Three pieces against one king: move {so_far} of {limit}",
    "count.three-kings-against-king": "Three or more kings against one king: move {so_far} of "
    "{limit}",
    "count.two-against-king": "At most two pieces against one king: move {so_far} of {limit}",
    "count.one-against-one": "One piece against one: move {so_far} of {limit}",
    "count.main-road": "Three pieces against one king on the main road: move {so_far} of {limit}",
    "count.four-or-five-unchanged": "Four or five pieces, none captured or crowned: move {so_far} "
    "of {limit}",
    "count.six-or-seven-unchanged": "Six or seven pieces, none captured or crowned: move {so_far} "
    "of {limit}",
    "count.two-kings-against-king": "Two kings against one: move {so_far} of {limit}",
    "count.king-against-king": "One king against one: move {so_far} of {limit}",
    "count.at-most-two-each": "At most two pieces each, kings on both sides: move {so_far} of "
    "{limit}",
    "offence.white": "Illegal moves of White so far: {number}; allowed: {allowed}.",
    "offence.black": "Illegal moves of Black so far: {number}; allowed: {allowed}.",
    "may-claim.white": "White may claim a draw.",
    "may-claim.black": "Black may claim a draw.",
    "claimed.white": "White claims the draw.",
    "claimed.black": "Black claims the draw.",
    "agreed": "The players agree on a draw.",
    "resigned.white": "White gives up; Black wins.",
    "resigned.black": "Black gives up; White wins.",
    "forfeited.white": "White has made more illegal moves than are allowed; Black wins.",
    "forfeited.black": "Black has made more illegal moves than are allowed; White wins.",
    "no-pieces-left.white": "Black wins: White has no pieces left.",
    "no-pieces-left.black": "White wins: Black has no pieces left.",
    "blocked.white": "Black wins: White has no legal move.",
    "blocked.black": "White wins: Black has no legal move.",
    "list.comma": ", ",
    "list.and": "{items} and {last}",
    "list.or": "{items} or {last}",
    "list.more": Plural("number", "{items} and {number} more", "{items} and {number} more"),
}
"""Templates by key; the names in braces are filled in. A sentence about a side is there twice,
since many languages cannot put a name for either into the same words."""

OF_A_SIDE = frozenset(key.removesuffix(".white") for key in TEXTS if key.endswith(".white"))
"""Keys of the sentences about a side."""

KEYS = frozenset(key.removesuffix(".white").removesuffix(".black") for key in TEXTS)
"""Keys of all messages."""

MOST_CHOICES = 6
"""So many legal moves are named in a sentence; the rest are counted."""


TERMS: dict[type[StrEnum], str] = {
    Priority: "priority",
    DrawKind: "draw-kind",
    Kings: "kings",
    Crowning: "crowning",
    Removal: "removal",
    Naming: "naming",
    OnIllegal: "consequence",
}
"""Kinds of names that have words of their own in every language, by the beginning of their keys."""


def say(message: Message, language: Language = Language.ENGLISH) -> str:
    """Return a message as a sentence."""
    return fill(TEXTS, RULES, message, language)


def fill(
    texts: Mapping[str, Text], catalogue: Catalogue, message: Message, language: Language
) -> str:
    """Return a message in words, from templates in English and their catalogue."""
    names = dict(message.names)
    side = names.pop("side", None)
    key = f"{message.key}.{side.value}" if isinstance(side, Side) else message.key
    template = catalogue.find(key, texts[key], language, names)
    return template.format(
        **{name: _worded(name, value, language) for name, value in names.items()}
    )


def tell(messages: Sequence[Message], language: Language = Language.ENGLISH) -> str:
    """Return messages as one text."""
    return language.gap.join(say(message, language) for message in messages)


def term(value: StrEnum, language: Language = Language.ENGLISH) -> str:
    """Return the name of something that `TERMS` knows."""
    return RULES.find(term_key(value), value.value, language)


def term_key(value: StrEnum) -> str:
    """Return the key of a name in the catalogues."""
    return f"{TERMS[type(value)]}.{value.name.lower().replace('_', '-')}"


def listed(items: Sequence[str], language: Language = Language.ENGLISH) -> str:
    """Join names for a sentence; a long list is cut and counted."""
    if len(items) <= MOST_CHOICES:
        return _joined(items, "list.or", language)
    names = {"number": len(items) - MOST_CHOICES}
    more = RULES.find("list.more", TEXTS["list.more"], language, names)
    return more.format(items=_comma(language).join(items[:MOST_CHOICES]), **names)


def together(items: Sequence[str], language: Language = Language.ENGLISH) -> str:
    """Join names that all hold."""
    return _joined(items, "list.and", language)


def _worded(name: str, value: Name, language: Language) -> str:
    if isinstance(value, StrEnum):
        return term(value, language)
    if isinstance(value, tuple):
        return listed(value, language) if name == "choices" else together(value, language)
    return str(value)


def _joined(items: Sequence[str], key: str, language: Language) -> str:
    if len(items) < 2:
        return "".join(items)
    template = RULES.find(key, TEXTS[key], language)
    return template.format(items=_comma(language).join(items[:-1]), last=items[-1])


def _comma(language: Language) -> str:
    return RULES.find("list.comma", TEXTS["list.comma"], language)
