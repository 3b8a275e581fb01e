"""Rules, counts, ends and whole variants in words of any language."""

from __future__ import annotations

from collections.abc import Iterable

from crownhead.rules.catalogue import RULES, Language, Plural, Text
from crownhead.rules.ending import Count, Outcome
from crownhead.rules.message import Message, message
from crownhead.rules.notation import name_of
from crownhead.rules.variant import PROTOCOLS, VARIANTS, DrawKind, DrawRule, Lines, Playing, Variant
from crownhead.rules.verdict import Restore, Rule
from crownhead.rules.words import fill, say

RULE_TITLES: dict[Rule, str] = {
    Rule.MUST_CAPTURE: "Capturing is compulsory",
    Rule.MUST_CAPTURE_MOST: "Another capture goes first",
    Rule.MUST_FINISH_CAPTURE: "A capture must be finished",
    Rule.WRONG_DIRECTION: "A man does not go backward",
    Rule.NOT_DIAGONAL: "Pieces go along diagonals",
    Rule.NOT_STRAIGHT: "Pieces go along rows and columns",
    Rule.TOO_FAR: "That is too far",
    Rule.OCCUPIED: "The square is occupied",
    Rule.OWN_PIECE_JUMPED: "Own pieces are not jumped",
    Rule.JUMPED_TWICE: "A piece is jumped only once",
    Rule.TURNED_ABOUT: "No turning right round in a capture",
    Rule.NOT_YOUR_TURN: "It is the other side's turn",
    Rule.NOT_YOUR_PIECE: "A piece of the other side",
    Rule.NO_SUCH_PIECE: "No such piece",
    Rule.WRONG_REMOVAL: "Wrong pieces removed",
    Rule.NOT_CROWNED: "Not crowned",
    Rule.WRONGLY_CROWNED: "Wrongly crowned",
    Rule.CROWNING_ENDS_TURN: "Crowning ends the turn",
    Rule.MAN_TAKES_KING: "A man does not capture a king",
    Rule.KING_MOVES_TOO_OFTEN: "The king moved too often in a row",
    Rule.TWO_PIECES_MOVED: "More than one piece was moved",
    Rule.AMBIGUOUS: "The move has more than one meaning",
    Rule.GAME_OVER: "The game is over",
    Rule.UNREADABLE: "The move cannot be read",
}
"""Every rule in a few words."""

ABOUT: dict[str, Text] = {
    "about.board": Plural(
        "rows",
        "{size}x{size}, {rows} row of men on each side",
        "{size}x{size}, {rows} rows of men on each side",
    ),
    "about.first.white": "White begins",
    "about.first.black": "Black begins",
    "about.corner-left": "a playing square at the lower left",
    "about.corner-right": "a playing square at the lower right",
    "about.all-squares": "all squares are played on, along rows and columns",
    "about.rows-behind": Plural(
        "rows", "{rows} empty row behind the men", "{rows} empty rows behind the men"
    ),
    "about.men-forward": "men capture forward only",
    "about.men-backward": "men also capture backward",
    "about.men-sideways": "men move and capture forward and sideways",
    "about.no-kings": "men capture no kings",
    "about.straight": "captures go along rows and columns too",
    "about.kings": "kings: {kings}",
    "about.no-turning": "a king does not turn right round inside a capture",
    "about.kings-limit": Plural(
        "limit",
        "a king makes at most {limit} quiet move in a row while its side has men",
        "a king makes at most {limit} quiet moves in a row while its side has men",
    ),
    "about.choice": "choice of captures: {priority}",
    "about.crowning": "a man on the far row inside a capture: {crowning}",
    "about.removal": "captured pieces leave the board {removal}",
    "about.squares": "names of squares: {naming}, GameType {game_type}",
    "about.draws": "draws: {draws}",
    "about.agreement": "draws: by agreement only",
    "about.draw": "{limit} x {kind}",
    "about.draw-claimed": "{limit} x {kind} (to be claimed)",
    "about.protocol": "protocol: {protocol}",
    "about.illegal": "an illegal move: {consequence}",
    "about.sign": "a king looks like this: {sign}",
    "about.comma": "; ",
}
"""What is said of a variant, a phrase at a time."""

TITLES: dict[str, str] = (
    {f"rule.{rule.value}": title for rule, title in RULE_TITLES.items()}
    | {f"variant.{variant.name}": variant.title for variant in VARIANTS.values()}
    | {f"sign.{protocol.name}": protocol.king_sign for protocol in PROTOCOLS.values()}
)
"""Every title by its key in the catalogues."""


def rule_title(rule: Rule, language: Language = Language.ENGLISH) -> str:
    """Return a rule in a few words."""
    return RULES.find(f"rule.{rule.value}", RULE_TITLES[rule], language)


def variant_title(variant: Variant, language: Language = Language.ENGLISH) -> str:
    """Return the title of a variant; one from a user's file stays as it is there."""
    return RULES.find(f"variant.{variant.name}", variant.title, language)


def count_message(count: Count) -> Message:
    """Return how far a count towards a draw has come."""
    return message(_key("count", count.rule.kind), so_far=count.so_far, limit=count.rule.limit)


def count_text(count: Count, language: Language = Language.ENGLISH) -> str:
    """Say how far a count towards a draw has come."""
    return say(count_message(count), language)


def outcome_message(outcome: Outcome) -> Message:
    """Return how a game ended by the rules."""
    if outcome.winner is None:
        if outcome.rule is None:
            return message("agreed")
        return message(_key("draw", outcome.rule.kind), limit=outcome.rule.limit)
    key = outcome.end.name.lower().replace("_", "-")
    return message(_LOSSES.get(key, key), side=outcome.winner.other)


_LOSSES = {"no-pieces": "no-pieces-left"}


def restore_messages(variant: Variant, restore: Iterable[Restore]) -> tuple[Message, ...]:
    """Return how a board is put right, a step a message, in the order of the steps."""
    found = []
    for step in restore:
        square = name_of(variant, step.square)
        if step.wanted is None:
            found.append(message("clear-square", square=square))
        else:
            key = "put-king" if step.wanted.is_king else "put-man"
            found.append(message(key, square=square, side=step.wanted.side))
    return tuple(found)


def outcome_text(outcome: Outcome, language: Language = Language.ENGLISH) -> str:
    """Say how a game ended by the rules."""
    return say(outcome_message(outcome), language)


def describe(variant: Variant, language: Language = Language.ENGLISH) -> tuple[str, ...]:
    """Return the rules of a variant in a few lines."""
    protocol = PROTOCOLS[variant.protocol]
    lines = (
        tuple(_board(variant)),
        tuple(_pieces(variant)),
        (
            message("about.choice", priority=variant.priority),
            message("about.crowning", crowning=variant.crowning),
            message("about.removal", removal=variant.removal),
        ),
        (message("about.squares", naming=variant.naming, game_type=variant.game_type_tag),),
        (_draws(variant.draws, language),),
        (
            message("about.protocol", protocol=protocol.name),
            message("about.illegal", consequence=protocol.on_illegal),
            message(
                "about.sign",
                sign=RULES.find(f"sign.{protocol.name}", protocol.king_sign, language),
            ),
        ),
    )
    comma = _about(message("about.comma"), language)
    return tuple(comma.join(_about(told, language) for told in line) for line in lines)


def _board(variant: Variant) -> Iterable[Message]:
    yield message("about.board", size=variant.size, rows=variant.rows)
    if variant.rows_behind:
        yield message("about.rows-behind", rows=variant.rows_behind)
    yield message("about.first", side=variant.first)
    if variant.playing is Playing.ALL:
        yield message("about.all-squares")
    else:
        yield message(f"about.corner-{variant.dark_corner.value}")


def _pieces(variant: Variant) -> Iterable[Message]:
    if variant.lines is Lines.STRAIGHT:
        yield message("about.men-sideways")
    if variant.lines is Lines.DIAGONAL or variant.men_capture_back:
        yield message("about.men-backward" if variant.men_capture_back else "about.men-forward")
    if not variant.man_takes_king:
        yield message("about.no-kings")
    if variant.straight_captures:
        yield message("about.straight")
    yield message("about.kings", kings=variant.kings)
    if not variant.about_turns:
        yield message("about.no-turning")
    if variant.king_moves_limit:
        yield message("about.kings-limit", limit=variant.king_moves_limit)


def _draws(rules: Iterable[DrawRule], language: Language) -> Message:
    told = [
        message(
            "about.draw-claimed" if rule.claimed else "about.draw", limit=rule.limit, kind=rule.kind
        )
        for rule in rules
    ]
    if not told:
        return message("about.agreement")
    comma = _about(message("about.comma"), language)
    return message("about.draws", draws=comma.join(_about(one, language) for one in told))


def _about(told: Message, language: Language) -> str:
    return fill(ABOUT, RULES, told, language)


def _key(kind: str, draw: DrawKind) -> str:
    return f"{kind}.{draw.name.lower().replace('_', '-')}"
