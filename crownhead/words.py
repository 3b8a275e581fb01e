"""What the application says of a game, in English; of the rules it says what the referee says."""

from __future__ import annotations

from collections.abc import Sequence

from crownhead.rules import words as rules_words
from crownhead.rules.message import Message

TEXTS: dict[str, str] = {
    "sight-clear": "The board is in clear view.",
    "sight-moving": "Something moves over the board.",
    "sight-blocked": "Something covers part of the board.",
    "sight-moved": "The board is not where it was.",
    "sight-lost": "The camera gives no picture.",
    "board-found-again": "The board or the camera was moved; the board was found again.",
    "squares-unreadable": "Some squares cannot be read. Put the pieces in the middle of their "
    "squares and take hands and other things off the board.",
    "settled-taken-back": "The position is as it was.",
    "settled-corrected": "It has been put right.",
    "settled-accepted": "It was let stand, and the game went on.",
    "settled-open": "It was not settled.",
    "settled-readable": "The board can be read again.",
    "film-over": "The film ends before the game does.",
    "new-game-asked": "A new game is begun; this one stays unfinished.",
}
"""Templates by key, as in `crownhead.rules.words`."""


def say(message: Message) -> str:
    """Return a message of the application or of the rules as a sentence."""
    text = TEXTS.get(message.key)
    return rules_words.say(message) if text is None else text.format(**dict(message.names))


def tell(messages: Sequence[Message]) -> str:
    """Return messages as one text."""
    return " ".join(say(message) for message in messages)
