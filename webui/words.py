"""What the page says by itself: buttons, labels, signs. The game's words come with its state."""

from __future__ import annotations

from pathlib import Path

from crownhead.rules.catalogue import Catalogue, Language, Text, language_named
from crownhead.rules.errors import UnknownLanguage

PAGE = Catalogue(Path(__file__).with_name("locale"), "page")
"""The texts of the page."""

TEXTS: dict[str, Text] = {
    "skip": "Skip to the moves",
    "language": "Language",
    "connecting": "Connecting",
    "asking": "The page is asking the program for the game.",
    "accept": "Let it stand",
    "no-script": "This page needs JavaScript to follow the game.",
    "board": "Board",
    "back-to-game": "Back to the game",
    "last-move": "last move",
    "illegal-move": "illegal move",
    "put-here": "put a piece here",
    "take-from-here": "take away from here",
    "hint-mark": "hint",
    "tools": "Tools",
    "turn-board": "Turn the board",
    "hint": "Hint",
    "take-pdn": "Take the PDN",
    "counts": "Counts towards a draw",
    "end-game": "End the game",
    "claim-draw": "Claim the draw",
    "agree-draw": "Draw agreed",
    "white-resigns": "White gives up",
    "black-resigns": "Black gives up",
    "new-game": "New game",
    "irregularities": "Irregularities",
    "camera": "Camera",
    "no-picture": "No picture yet",
    "set-corners": "Set the corners by hand",
    "use-corners": "Use these corners",
    "leave-corners": "Leave it",
    "moves": "Moves",
    "to-start": "To the start (Home)",
    "one-back": "One move back (left arrow)",
    "one-on": "One move on (right arrow)",
    "to-now": "To the game as it stands (End)",
    "no-moves": "No move yet.",
    "number": "No.",
    "white": "White",
    "black": "Black",
    "white-men": "white men: {squares}",
    "white-kings": "white kings: {squares}",
    "black-men": "black men: {squares}",
    "black-kings": "black kings: {squares}",
    "none": "none",
    "start-position": "The start position",
    "after-move": "After move {number}: {move}",
    "take-w": "take the white man off {square}",
    "take-W": "take the white king off {square}",
    "take-b": "take the black man off {square}",
    "take-B": "take the black king off {square}",
    "take-piece": "take the piece off {square}",
    "put-w": "put a white man on {square}",
    "put-W": "put a white king on {square}",
    "put-b": "put a black man on {square}",
    "put-B": "put a black king on {square}",
    "make-w": "a white man belongs on {square}",
    "make-W": "a white king belongs on {square}",
    "make-b": "a black man belongs on {square}",
    "make-B": "a black king belongs on {square}",
    "said-white": "White played {move}.",
    "said-black": "Black played {move}.",
    "word-connecting": "connecting",
    "word-live": "live",
    "word-frozen": "frozen",
    "word-lost": "lost",
    "word-ended": "ended",
    "inferred": "order inferred",
    "illegal-stands": "illegal, let stand",
    "offences": "Illegal moves: White {white}, Black {black} (allowed: {allowed})",
    "settled": "{title}, {end}",
    "taken-back": "taken back",
    "corrected": "put right",
    "accepted": "let stand",
    "open": "not settled yet",
    "no-connection": "No connection",
    "old": "The page has lost the program and tries again by itself. What it shows may be old.",
    "thinking": "Thinking…",
    "no-answer": "The program does not answer.",
    "press-again": "{label}: press again",
    "corner-1": "First corner",
    "corner-2": "Second corner",
    "corner-3": "Third corner",
    "corner-4": "Fourth corner",
    "drag-corners": "Drag the four handles to the outer corners of the playing field.",
    "corners-taken": "The corners are taken.",
    "refused": "That means nothing as the game stands.",
    "busy": "The program is busy; try again in a moment.",
}
"""The texts by the keys that the page and its script know them by."""


def table(language: Language) -> dict[str, str]:
    """Return every text of the page in a language; names in braces are filled in by its script."""
    return {key: PAGE.find(key, text, language) for key, text in TEXTS.items()}


def preferred(asked: str | None, kept: str | None, accepted: list[str]) -> Language:
    """Choose the language of a viewer.

    Args:
        asked: the tag in the address, if any; it goes before everything.
        kept: the tag of an earlier choice.
        accepted: the tags that the browser names, the dearest first.
    """
    for tag in (asked, kept, *accepted):
        if tag and (language := _near(tag)) is not None:
            return language
    return Language.ENGLISH


def _near(tag: str) -> Language | None:
    """Return the language of a tag or of its first part.

    Every kind of Chinese gets the traditional signs: who reads the simplified ones reads
    these more easily than English.
    """
    first = tag.replace("_", "-").split("-")[0].lower()
    if first == "zh":
        return Language.CHINESE
    try:
        return language_named(first)
    except UnknownLanguage:
        return None
