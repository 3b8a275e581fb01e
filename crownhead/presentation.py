"""What a record looks like to people: the page's state, a banner, lights, sentences, PDN."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from crownhead.events import (
    Event,
    GameEnded,
    GameStarted,
    IncidentKind,
    IncidentOpened,
    IncidentResolved,
    IncidentUpdated,
    MovePlayed,
    MoveTakenBack,
    PositionSet,
    Remarked,
    Resolution,
    SightChanged,
)
from crownhead.hardware.plan import LightPlan, Meaning, plan_of
from crownhead.record import Record, fold
from crownhead.rules.catalogue import Language
from crownhead.rules.ending import claimable, counts
from crownhead.rules.errors import RulesError
from crownhead.rules.fen import format_fen, parse_fen
from crownhead.rules.geometry import algebraic_name, all_squares, place_of, square_called
from crownhead.rules.message import message
from crownhead.rules.pdn_writer import WrittenPly, WrittenSetup, format_game
from crownhead.rules.position import Position, Side, Square
from crownhead.rules.titles import count_text, variant_title
from crownhead.rules.variant import (
    PROTOCOLS,
    DrawKind,
    Naming,
    Variant,
    start_position,
    variant_named,
)
from crownhead.sources import Kind, SourceInfo, SourceState, Word
from crownhead.words import TEXTS, say, tell, word

log = logging.getLogger(__name__)

Told = (
    IncidentOpened
    | IncidentUpdated
    | IncidentResolved
    | SightChanged
    | GameEnded
    | PositionSet
    | Remarked
)
"""Events that say something."""


def page_state(
    record: Record,
    variant: Variant,
    naming: Naming | None = None,
    language: Language = Language.ENGLISH,
) -> dict[str, object]:
    """Return what the page shows of a record, as plain data.

    Signs of squares are ``.``, ``w``, ``W``, ``b``, ``B``, square 1 first. What is in words,
    `page_words` says.
    """
    start = record.start
    # Before the start the page shows how to set the pieces up.
    start_fen = start.fen if start else format_fen(start_position(variant), variant)
    incident = record.open_incident
    return {
        "game": {
            "variant": variant.name,
            "size": variant.size,
            "started": start is not None,
            "first": str(parse_fen(start_fen, variant).turn),
            "start": squares_of(start_fen, variant),
            "places": [place_of(variant, square) for square in all_squares(variant)],
            "names": _names(variant, naming or variant.naming),
            "white_side": start.white_side if start else "bottom",
        },
        "squares": squares_of(record.fen or start_fen, variant),
        "moves": [
            {
                "ply": move.ply,
                "side": move.side,
                "move": move.move,
                "path": move.path,
                "captured": move.captured,
                "legal": move.legal,
                "rule": move.rule,
                "inferred": move.inferred,
                "squares": squares_of(move.fen, variant),
                "at_s": move.at_s,
            }
            for move in record.moves
        ],
        "may_claim": may_claim(record, variant),
        "offences": offences(record, variant),
        "incident": None
        if incident is None
        else {
            "may_stand": incident.opened.may_stand,
            "number": incident.opened.number,
            "kind": incident.opened.kind,
            "rule": incident.opened.rule,
            "squares": squares_in_question(incident.opened, variant),
            "restore": incident.opened.restore,
        },
        **page_words(record, variant, language),
    }


def page_words(record: Record, variant: Variant, language: Language) -> dict[str, object]:
    """Return what the page says of a record in words of a language, as plain data."""
    start = record.start
    return {
        "about": {
            "title": variant_title(variant, language),
            "note": note_of(start, language) if start else "",
        },
        "irregularities": [
            {
                "at": clock(one.opened.at_s),
                "title": " ".join(filter(None, (title_of(one.opened, language), one.opened.seen))),
                "text": text_of(one.opened, language),
                "resolution": one.resolution.value,
            }
            for one in record.incidents
            if one.opened.kind not in CALM_KINDS
        ],
        "counters": counters(record, variant, language),
    }


def text_of(event: Told, language: Language) -> str:
    """Return what an event says, in English if it says nothing that can be said otherwise."""
    if language is Language.ENGLISH or not event.messages:
        return event.text
    try:
        return tell(event.messages, language)
    except KeyError:
        # A record of an older version may have messages that this one does not know.
        log.debug("no words for %r", event.messages)
        return event.text


def title_of(opened: IncidentOpened, language: Language) -> str:
    """Return what kind of incident it is, in a few words."""
    return word(f"kind.{opened.kind.value}", language)


def note_of(start: GameStarted, language: Language) -> str:
    """Return what was noticed when the game began."""
    if language is Language.ENGLISH or not start.note:
        return start.note
    return word(f"white-sits-{start.white_side}", language)


def sight_text(record: Record, language: Language) -> str:
    """Return what the camera sees of the board, an empty text if nothing was said of it."""
    if language is Language.ENGLISH or not record.sight_text:
        return record.sight_text
    key = f"sight-{record.sight}"
    return word(key if key in TEXTS else "show-board", language)


def camera_text(state: SourceState, info: SourceInfo, language: Language) -> str:
    """Return how the source is, in a sentence."""
    if language is Language.ENGLISH:
        size = f"{info.width} x {info.height}, {info.fps:g} frames a second."
        return f"{state.text} {size}" if state.word is Word.LIVE else state.text
    is_film = info.kind in (Kind.FILM, Kind.FOLDER)
    key = f"{'film' if is_film else 'camera'}.{state.word.value}"
    if state.word is Word.LIVE:
        told = message(key, width=info.width, height=info.height, fps=f"{info.fps:g}")
        return say(told, language)
    return word(key if key in TEXTS else f"camera.{state.word.value}", language)


def counters(
    record: Record, variant: Variant, language: Language = Language.ENGLISH
) -> list[dict[str, object]]:
    """Return the draw rules whose count has begun, the nearest to its end first."""
    running = [
        count
        for count in counts(variant, _positions(record, variant))
        # Every position has occurred once.
        if count.so_far > int(count.rule.kind is DrawKind.REPETITION)
    ]
    running.sort(key=lambda count: count.rule.limit - count.so_far)
    return [
        {
            "text": count_text(count, language),
            "so_far": count.so_far,
            "limit": count.rule.limit,
        }
        for count in running
    ]


def may_claim(record: Record, variant: Variant) -> bool:
    """Say whether the side to move may claim a draw now."""
    if record.start is None or record.end is not None:
        return False
    return bool(claimable(variant, _positions(record, variant)))


def offences(record: Record, variant: Variant) -> dict[str, int] | None:
    """Return how many illegal moves each side made, None where they are not counted."""
    allowed = PROTOCOLS[variant.protocol].offences_allowed
    if allowed is None:
        return None
    made = [one.opened.side for one in record.incidents]
    return {side.value: made.count(side.value) for side in Side} | {"allowed": allowed}


def _positions(record: Record, variant: Variant) -> tuple[Position, ...]:
    if record.start is None:
        return (start_position(variant),)
    fens = (record.start.fen, *(move.fen for move in record.moves))
    return tuple(_position_of(fen, variant.name) for fen in fens)


@lru_cache(maxsize=1024)
def _position_of(fen: str, variant: str) -> Position:
    return parse_fen(fen, variant_named(variant))


TITLES = {kind: word(f"kind.{kind.value}") for kind in IncidentKind}
"""Kinds of incidents in English, as files have them."""

CALM_KINDS = frozenset(
    {IncidentKind.BOARD_MOVED, IncidentKind.VIEW_BLOCKED, IncidentKind.UNREADABLE}
)
"""Incidents that accuse nobody: they ask for patience, not for a correction."""


def banner(
    record: Record, variant: Variant, source: SourceState, language: Language = Language.ENGLISH
) -> dict[str, str]:
    """Return the one thing to know now: a level, a short title, a sentence."""

    def words(level: str, title: str, *sentences: str) -> dict[str, str]:
        return {"level": level, "title": title, "text": language.gap.join(sentences)}

    def of_side(key: str, side: Side, **names: str) -> str:
        return say(message(key, side=side, **names), language)

    if source.word in (Word.LOST, Word.FROZEN):
        title = word("camera-lost" if source.word is Word.LOST else "picture-frozen", language)
        if language is Language.ENGLISH:
            return words("lost", title, source.text, word("no-judging"))
        key = f"camera.{source.word.value}"
        return words("lost", title, word(key, language), word("no-judging", language))
    if (incident := record.open_incident) is not None:
        opened = incident.opened
        title = title_of(opened, language)
        if opened.seen:
            title = say(message("title-of-move", title=title, seen=opened.seen), language)
        level = "wait" if opened.kind in CALM_KINDS else "alarm"
        return words(level, title, text_of(opened, language))
    if record.end is not None:
        return words("over", _outcome(record.end.result, language), text_of(record.end, language))
    if record.start is None:
        text = sight_text(record, language) or word("show-board", language)
        return words("wait", word("looking", language), text)
    if record.sight in _SIGHT_TITLES:
        title = word(_SIGHT_TITLES[record.sight], language)
        return words("wait", title, sight_text(record, language))
    turn = parse_fen(record.fen or record.start.fen, variant).turn
    if source.word is Word.ENDED:
        return words("over", word("film-is-over", language), of_side("was-to-move", turn))
    title = of_side("to-move", turn)
    if not record.moves:
        return words("ok", title, word("in-view", language))
    last = record.moves[-1]
    played = of_side("played", Side(last.side), move=last.move)
    if last.legal:
        return words("ok", title, played)
    return words("ok", title, played, word("let-stand", language))


_SIGHT_TITLES = {
    "blocked": "kind.view-blocked",
    "moved": "kind.board-moved",
    "lost": "out-of-sight",
}


def light_plan(record: Record, variant: Variant, *, mirrored: bool = False) -> LightPlan:
    """Return the lights for a record: what is wrong and how to mend it, else the last move."""

    def places(squares: Iterable[int]) -> list[tuple[int, int]]:
        return [place_on_table(variant, square, mirrored) for square in squares]

    incident = record.open_incident
    if incident is not None:
        restore = incident.opened.restore
        return plan_of(
            {
                Meaning.ILLEGAL: places(squares_in_question(incident.opened, variant)),
                Meaning.REMOVE: places(square for square, _, wanted in restore if wanted == "."),
                Meaning.PUT_BACK: places(square for square, _, wanted in restore if wanted != "."),
            }
        )
    if record.moves:
        return plan_of({Meaning.LAST_MOVE: places(record.moves[-1].path)})
    return LightPlan()


def place_on_table(variant: Variant, square: int, mirrored: bool) -> tuple[int, int]:
    """Return the (row, column) of a square as the board really lies, seen from White."""
    row, column = place_of(variant, Square(square))
    return (row, variant.size - 1 - column) if mirrored else (row, column)


def squares_in_question(opened: IncidentOpened, variant: Variant) -> list[int]:
    """Return the squares that an incident is about: the move as seen, else those to restore."""
    found: list[int] = []
    for name in re.findall(r"[a-l]\d{1,2}|\d{1,3}", opened.seen or ""):
        try:
            found.append(square_called(variant, name))
        except RulesError:
            log.debug("no square in %r: %r", opened.seen, name)
    return found or [square for square, _, _ in opened.restore]


@lru_cache(maxsize=1024)
def _squares_of(fen: str, variant: str) -> str:
    rules = variant_named(variant)
    position = _position_of(fen, variant)
    pieces = (position.piece_at(square) for square in all_squares(rules))
    return "".join("." if piece is None else str(piece.value) for piece in pieces)


def squares_of(fen: str, variant: Variant) -> str:
    """Return a position as one sign a square, square 1 first."""
    return _squares_of(fen, variant.name)


def pdn_of(events: Iterable[Event]) -> str:
    """Return the score of a list of events as PDN."""
    return score_of(fold(events))


def score_of(record: Record, tags: Mapping[str, str] | None = None) -> str:
    """Return a record as PDN.

    What was illegal and taken back stands as a comment behind the ply before it. Before the
    board was found there is no game, and the text is empty.
    """
    if record.start is None:
        return ""
    variant = variant_named(record.start.variant)
    entries: list[WrittenPly | WrittenSetup] = []
    for move, comment in zip(record.moves, _comments(record), strict=True):
        entries += [
            WrittenSetup(parse_fen(one.fen, variant), one.text)
            for one in record.set_ups
            if one.ply == move.ply - 1
        ]
        entries.append(WrittenPly(move.move, parse_fen(move.fen, variant), move.legal, comment))
    start = parse_fen(record.start.fen, variant)
    return format_game(variant, entries, tags=tags, result=record.result, start=start)


def _comments(record: Record) -> list[str]:
    """Return what there is to say of each ply that stands."""
    texts: list[list[str]] = [[] for _ in record.moves]
    for i, move in enumerate(record.moves):
        if move.inferred:
            texts[i].append("order inferred")
        if move.late:
            texts[i].append("settled late, by what followed")
        if not move.legal:
            texts[i].append(f"{move.move} was illegal ({move.rule}) and was let stand")
        texts[i] += [remark.text for remark in record.remarks if remark.ply == move.ply]
    for one in record.incidents:
        opened = one.opened
        before = [i for i, move in enumerate(record.moves) if move.frame < opened.frame]
        if before and opened.kind not in CALM_KINDS and one.resolution is not Resolution.ACCEPTED:
            texts[before[-1]].append(f"{TITLES[opened.kind]}, {one.resolution}: {opened.text}")
    return ["; ".join(said) for said in texts]


def sentence(event: Event) -> str:
    """Say an event in one line."""
    match event:
        case GameStarted(variant=variant, note=note, resumed=resumed):
            began = "The game goes on" if resumed else "The game begins"
            return f"{began} ({variant}). {note}".strip()
        case MovePlayed(ply=ply, move=move, legal=legal, rule=rule):
            dots = "." if ply % 2 else "..."
            illegal = "" if legal else f"  illegal ({rule}), let stand"
            return f"{(ply + 1) // 2}{dots} {move}{illegal}"
        case MoveTakenBack(move=move):
            return f"{move} is taken back."
        case PositionSet(text=text):
            return text
        case IncidentOpened(kind=kind, text=text, seen=seen):
            return f"{TITLES[kind]}{f' {seen}' if seen else ''}: {text}"
        case IncidentUpdated(text=text):
            return f"Still not right: {text}"
        case IncidentResolved(resolution=resolution, text=text):
            return f"Settled ({resolution}): {text}"
        case SightChanged(text=text):
            return text
        case Remarked(text=text):
            return f"Note: {text}"
        case GameEnded(result=result, text=text):
            return f"{text} Result: {result}"
    raise AssertionError(f"an event without words: {event!r}")


def clock(at_s: float) -> str:
    """Return a time as ``m:ss.t``."""
    tenths = round(at_s * 10)
    return f"{tenths // 600}:{tenths // 10 % 60:02d}.{tenths % 10}"


def _names(variant: Variant, naming: Naming) -> list[str]:
    if naming is Naming.ALGEBRAIC:
        return [algebraic_name(variant, square) for square in all_squares(variant)]
    return [str(square) for square in all_squares(variant)]


def _outcome(result: str, language: Language) -> str:
    match result:
        case "1-0" | "2-0":
            return say(message("wins", side=Side.WHITE), language)
        case "0-1" | "0-2":
            return say(message("wins", side=Side.BLACK), language)
        case "1/2-1/2" | "1-1":
            return word("draw", language)
    return word("unfinished", language)
