"""What the application says of a game; of the rules it says what the referee says.

Templates are English; `crownhead.rules.catalogue` has the other languages.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from crownhead.rules import words as rules_words
from crownhead.rules.catalogue import Catalogue, Language, Text
from crownhead.rules.message import Message, message

APP = Catalogue(Path(__file__).with_name("locale"), "crownhead")
"""What the application says, beside what the rules say."""

TEXTS: dict[str, Text] = {
    "sight-clear": "The board is in clear view.",
    "sight-moving": "Something moves over the board.",
    "sight-blocked": "Something covers part of the board.",
    "sight-moved": "The board is not where it was.",
    "sight-lost": "The camera gives no picture.",
    "board-found-again": "The board or the camera was moved; the board was found again.",
    "set-up-anew": "All pieces stand in the start position again. To play a new game, end this "
    "one.",
    "swept-off": "Several pieces are gone from the board at once.",
    "squares-unreadable": "Some squares cannot be read. Put the pieces in the middle of their "
    "squares and take hands and other things off the board.",
    "settled-taken-back": "The position is as it was.",
    "settled-corrected": "It has been put right.",
    "settled-accepted": "It was let stand, and the game went on.",
    "played-on": "No legal move leads to this position; the players went on from it.",
    "route-not-seen": "More than one way leads there, and the picture did not show which was "
    "taken.",
    "settled-open": "It was not settled.",
    "settled-readable": "The board can be read again.",
    "film-over": "The film ends before the game does.",
    "new-game-asked": "A new game is begun; this one stays unfinished.",
    "kind.illegal-move": "Illegal move",
    "kind.wrong-removal": "Wrong pieces removed",
    "kind.not-crowned": "Not crowned",
    "kind.position-changed": "Position disturbed",
    "kind.board-moved": "The board has moved",
    "kind.view-blocked": "The view is blocked",
    "kind.unreadable": "The board cannot be read",
    "title-of-move": "{title}: {seen}",
    "camera-lost": "Camera lost",
    "picture-frozen": "The picture stands still",
    "no-judging": "No move is judged until it is back.",
    "looking": "Looking for the board",
    "show-board": "Show the whole board with the pieces set up, hands off.",
    "out-of-sight": "The board is out of sight",
    "film-is-over": "The film is over",
    "was-to-move.white": "White was to move.",
    "was-to-move.black": "Black was to move.",
    "to-move.white": "White to move",
    "to-move.black": "Black to move",
    "in-view": "The board is in view; play can begin.",
    "played.white": "White played {move}.",
    "played.black": "Black played {move}.",
    "let-stand": "It was illegal and was let stand.",
    "wins.white": "White wins",
    "wins.black": "Black wins",
    "draw": "Draw",
    "unfinished": "The game is not finished",
    "refused-over": "the game is over",
    "refused-claim": "the rules give no draw to claim in this position",
    "refused-nothing-to-stand": "there is no illegal move on the board that could be let stand",
    "refused-always-taken-back": "in {variant} an illegal move is always taken back",
    "refused-not-begun": "no game has begun yet",
    "refused-followed": "the board is followed already; end the game first",
    "refused-no-picture": "there is no picture yet",
    "refused-not-followed": "no game is followed at the moment",
    "refused-busy": "the program is busy; try again",
    "no-position": "There is no position to think about yet.",
    "no-move": "There is no legal move here.",
    "could-play.white": "White could play {move}.",
    "could-play.black": "Black could play {move}.",
    "camera.connecting": "The camera is being opened.",
    "camera.live": "The camera is live: {width} x {height}, {fps} frames a second.",
    "camera.frozen": "The camera sends the same picture again and again; check its cable.",
    "camera.lost": "The camera is lost; check its cable and its power.",
    "camera.ended": "The camera was let go.",
    "film.live": "The film is running: {width} x {height}, {fps} frames a second.",
    "film.ended": "The film is over.",
    "white-sits-top": "White is taken to sit at the top of the picture.",
    "white-sits-bottom": "White is taken to sit at the bottom of the picture.",
    "white-sits-left": "White is taken to sit at the left of the picture.",
    "white-sits-right": "White is taken to sit at the right of the picture.",
    "not-recorded": "The game is not being recorded: {problem}",
}
"""Templates by key, as in `crownhead.rules.words`."""


def say(told: Message, language: Language = Language.ENGLISH) -> str:
    """Return a message of the application or of the rules as a sentence."""
    if told.key in rules_words.KEYS:
        return rules_words.say(told, language)
    return rules_words.fill(TEXTS, APP, told, language)


def tell(messages: Sequence[Message], language: Language = Language.ENGLISH) -> str:
    """Return messages as one text."""
    return language.gap.join(say(one, language) for one in messages)


def word(key: str, language: Language = Language.ENGLISH) -> str:
    """Return a text without names."""
    return say(message(key), language)
