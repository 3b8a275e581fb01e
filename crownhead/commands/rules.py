"""The commands about rules: variants, legal, perft, check, judge, suggest."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from itertools import islice
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import click

from crownhead.errors import EXIT_DONE, EXIT_NO, EXIT_USAGE, CrownheadError
from crownhead.progress import Line
from crownhead.rules.catalogue import Language
from crownhead.rules.errors import RulesError
from crownhead.rules.fen import format_fen, parse_fen
from crownhead.rules.generator import distinct_moves, legal_moves, perft, play
from crownhead.rules.notation import format_move, format_moves, name_of
from crownhead.rules.position import Piece, Position
from crownhead.rules.variant import (
    PROTOCOLS,
    VARIANTS,
    Naming,
    Variant,
    start_position,
    variant_named,
)

if TYPE_CHECKING:
    from crownhead.rules.pdn import PdnGame
    from crownhead.rules.verdict import Verdict

SHORT = 6
"""Lines of fewer plies are counted without the native generator."""

NO_MOVE = "The game is over: there is no legal move."

GAMES_ASKED = 40
"""So many games of a file without GameType are asked which variant they may be."""


def _named(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Variant | None:
    return None if value is None else variant_named(value)


def _a_number(_ctx: click.Context, _param: click.Parameter, value: float) -> float:
    # Every comparison with it is false, so no range keeps it out.
    if isnan(value):
        raise click.BadParameter("nan is not a number of seconds")
    return value


variant_argument = click.argument("variant", callback=_named, metavar="VARIANT")
fen_option = click.option("--fen", metavar="FEN", help="A position; the start by default.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
notation_option = click.option(
    "--notation",
    type=click.Choice([naming.value for naming in Naming]),
    help="How squares are written; by default as the variant's players do.",
)


language_option = click.option(
    "--lang",
    "language",
    type=click.Choice([language.value for language in Language]),
    default=Language.ENGLISH.value,
    show_default=True,
    callback=lambda _ctx, _param, value: Language(value),
    help="Language of the text.",
)


@click.command()
@click.argument(
    "asked",
    nargs=-1,
    metavar="[VARIANT]...",
    callback=lambda _ctx, _param, names: tuple(variant_named(name) for name in names),
)
@language_option
@json_option
def variants(asked: tuple[Variant, ...], language: Language, as_json: bool) -> int:
    """List variants and their parameters, all that are known if none is named."""
    # Few need it, and the other commands start sooner without.
    from crownhead.rules.titles import describe, variant_title

    shown = asked or tuple(VARIANTS.values())
    if as_json:
        _print_json({"variants": [_parameters(variant) for variant in shown]})
        return EXIT_DONE
    for variant in shown:
        click.echo(f"{variant.name}: {variant_title(variant, language)}")
        for line in describe(variant, language):
            click.echo(f"    {line}")
    return EXIT_DONE


@click.command()
@variant_argument
@fen_option
@click.option(
    "--fens", type=click.File(encoding="utf-8"), metavar="FILE", help="Answer a FEN a line."
)
@notation_option
@json_option
def legal(
    variant: Variant,
    fen: str | None,
    fens: TextIO | None,
    notation: str | None,
    as_json: bool,
) -> int:
    """List the legal moves of a position, or of many."""
    naming = Naming(notation) if notation else None
    if fens is None:
        answer = _legal(variant, _position(variant, fen), naming)
        if as_json:
            _print_json(answer)
        else:
            for move in answer["moves"]:
                click.echo(move)
            if not answer["moves"]:
                click.echo(NO_MOVE, err=True)
        return EXIT_DONE
    if fen is not None:
        raise click.UsageError("--fen and --fens exclude each other")
    code = EXIT_DONE
    for number, line in _lines(fens):
        try:
            answer = _legal(variant, parse_fen(line, variant), naming)
        except RulesError as error:
            click.echo(f"crownhead: line {number}: {error}", err=True)
            answer = {"variant": variant.name, "fen": line, "turn": None, "moves": None}
            answer["problem"] = str(error)
            code = EXIT_USAGE
        if as_json:
            _print_json(answer)
        else:
            click.echo(" ".join(answer["moves"] or ()))
    return code


@click.command("perft")
@variant_argument
@click.argument("depth", type=click.IntRange(0, 60))
@fen_option
@click.option("--divide", is_flag=True, help="Count for each first move.")
@click.option("--routes", is_flag=True, help="Count every route of a capture.")
@click.option("--pure", is_flag=True, help="Count with the slower generator, which needs no numba.")
@json_option
def perft_command(
    variant: Variant,
    depth: int,
    fen: str | None,
    divide: bool,
    routes: bool,
    pure: bool,
    as_json: bool,
) -> int:
    """Count the lines of play to a depth.

    Captures of the same pieces between the same squares count once, unless --routes asks
    for every way over the board; no draw rules apply.
    """
    position = _position(variant, fen)
    counter, generator = _counter(variant, depth, pure)
    began = time.perf_counter()
    divided = _divided(variant, position, depth, routes, counter) if divide and depth > 0 else None
    if divided is not None:
        nodes = sum(divided.values())
    else:
        nodes = counter(variant, position, depth, by_route=routes)
    seconds = round(time.perf_counter() - began, 3)
    if as_json:
        answer: dict[str, Any] = {
            "variant": variant.name,
            "fen": format_fen(position, variant),
            "depth": depth,
            "nodes": nodes,
            "seconds": seconds,
            "generator": generator,
        }
        if divided is not None:
            answer["divide"] = divided
        _print_json(answer)
        return EXIT_DONE
    for move, count in (divided or {}).items():
        click.echo(f"{move}: {count}")
    click.echo(f"{nodes} nodes at depth {depth} in {seconds} s")
    return EXIT_DONE


@click.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE.pdn...",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    callback=lambda _ctx, _param, files: tuple(
        Path("/dev/stdin") if str(path) == "-" else path for path in files
    ),
)
@click.option(
    "--variant",
    callback=_named,
    metavar="VARIANT",
    help="The rules; by default each game's own, by its GameType or by what fits.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a game a line.")
def check(files: tuple[Path, ...], variant: Variant | None, as_json: bool) -> int:
    """Replay every game of a PDN file and name the first fault of each.

    The file `-` is standard input. Exit code 1 says that some game is not legal.
    """
    games = bad = without = 0
    for path in files:
        before = games
        for answer in _checked(path, variant):
            games += 1
            bad += not answer["legal"]
            if as_json:
                _print_json(answer)
            else:
                click.echo(_told(answer, path if len(files) > 1 else None))
        if games == before:
            without += 1
            click.echo(f"crownhead: no game found in {path}", err=True)
    if games and not as_json:
        click.echo(f"{games - bad} of {games} games are legal")
    if without:
        return EXIT_USAGE
    return EXIT_NO if bad else EXIT_DONE


@click.command()
@variant_argument
@click.argument("move", required=False)
@fen_option
@click.option(
    "--seen",
    metavar="FEN",
    help="Judge the board as it stands now, kings and all, instead of a move.",
)
@click.option(
    "--cases",
    type=click.File(encoding="utf-8"),
    metavar="FILE",
    help='Judge a {"fen", "move"} a line.',
)
@language_option
@notation_option
@json_option
def judge(
    variant: Variant,
    move: str | None,
    fen: str | None,
    seen: str | None,
    cases: TextIO | None,
    language: Language,
    notation: str | None,
    as_json: bool,
) -> int:
    """Say whether a move is legal, and if not, which rule it breaks and how to put it right.

    Exit code 1 says that the move is not legal, or not finished.
    """
    rules = replace(variant, naming=Naming(notation)) if notation else variant
    if cases is not None:
        if move is not None or fen is not None or seen is not None:
            raise click.UsageError("--cases takes its positions and moves from the file")
        return _judge_many(rules, cases, language, as_json)
    if (move is None) == (seen is None):
        raise click.UsageError("Give either the argument 'MOVE', or --seen FEN, or --cases FILE.")
    before = _position(rules, fen)
    if move is not None:
        answer = _judged(rules, before, move, language)
    else:
        answer = _judged_board(rules, before, _position(rules, seen), language)
    if as_json:
        _print_json(answer)
    else:
        click.echo(answer["text"])
    return EXIT_DONE if answer["legal"] else EXIT_NO


@click.command()
@variant_argument
@fen_option
@click.option(
    "--seconds",
    type=click.FloatRange(0.01, 3600),
    default=1.0,
    show_default=True,
    callback=_a_number,
    help="At most.",
)
@click.option("--depth", type=click.IntRange(1, 40), default=40, help="Plies to look ahead.")
@notation_option
@json_option
def suggest(
    variant: Variant,
    fen: str | None,
    seconds: float,
    depth: int,
    notation: str | None,
    as_json: bool,
) -> int:
    """Suggest good moves, the best first, with their worth in men and what may follow."""
    from crownhead.rules.search import suggest as search

    position = _position(variant, fen)
    naming = Naming(notation) if notation else None
    found: list[dict[str, Any]] = []
    for suggestion in search(variant, position, seconds=seconds, depth=depth):
        line: list[str] = []
        here = position
        for step in suggestion.line:
            line.extend(format_moves(variant, here, [step], naming=naming))
            here = play(variant, here, step)
        score = suggestion.score / 100
        found.append({"move": line[0], "score": score, "depth": suggestion.depth, "line": line})
    if as_json:
        head = _legal(variant, position, naming)
        del head["moves"]
        _print_json({**head, "suggestions": found})
        return EXIT_DONE
    if not found:
        click.echo(NO_MOVE)
    for item in found:
        click.echo(f"{item['move']}  {item['score']:+.2f}  {' '.join(item['line'])}")
    return EXIT_DONE


def _print_json(answer: dict[str, Any]) -> None:
    click.echo(json.dumps(answer, ensure_ascii=False))


def _position(variant: Variant, fen: str | None) -> Position:
    return start_position(variant) if fen is None else parse_fen(fen, variant)


def _lines(stream: TextIO) -> Iterator[tuple[int, str]]:
    """Yield the lines that have something on them, with their numbers."""
    try:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield number, line.strip()
    except UnicodeDecodeError as error:
        raise CrownheadError(f"{stream.name} is not a text in UTF-8") from error


def _legal(variant: Variant, position: Position, naming: Naming | None) -> dict[str, Any]:
    moves = distinct_moves(variant, position)
    return {
        "variant": variant.name,
        "fen": format_fen(position, variant),
        "turn": position.turn.value,
        "moves": list(format_moves(variant, position, moves, naming=naming)),
    }


class Counter(Protocol):
    """Counts lines of play."""

    def __call__(
        self, variant: Variant, position: Position, depth: int, *, by_route: bool = False
    ) -> int:
        """Count the lines of play of a length."""


def _counter(variant: Variant, depth: int, pure: bool) -> tuple[Counter, str]:
    """Return what counts, and its name: the native generator if it is there and fits."""
    from crownhead.rules import fast_cache

    # To bring it up takes most of a second; short lines are counted sooner than that.
    if pure or depth < SHORT or not fast_cache.is_available():
        return perft, "python"
    from crownhead.rules import fast

    if depth > fast.LONGEST:
        return perft, "python"
    try:
        fast.perft(variant, start_position(variant), 1)
    except fast_cache.NotNative as error:
        click.echo(f"crownhead: {error}; counting without it", err=True)
        return perft, "python"
    return fast.perft, "native"


def _divided(
    variant: Variant, position: Position, depth: int, by_route: bool, counter: Counter
) -> dict[str, int]:
    counts: dict[str, int] = {}
    legal = legal_moves(variant, position)
    for move in legal if by_route else distinct_moves(variant, position):
        text = format_move(variant, position, move, among=legal)
        lines = counter(variant, play(variant, position, move), depth - 1, by_route=by_route)
        counts[text] = counts.get(text, 0) + lines
    return counts


def _checked(path: Path, variant: Variant | None) -> Iterator[dict[str, Any]]:
    """Yield the answer for each game of a file."""
    from crownhead.rules.pdn import open_pdn, read_games
    from crownhead.rules.replay import likely_variant

    likely = None
    size = path.stat().st_size
    with _opened(path, open_pdn) as stream, Line() as line:
        if variant is None:
            likely = likely_variant(islice(read_games(stream), GAMES_ASKED))
            # A pipe could not be opened twice.
            stream.seek(0)
        # A text without any tag or move is no file of games; beside games it is a broken one.
        odd: list[dict[str, Any]] = []
        has_games = False
        for game in read_games(stream):
            line.draw(partial(_how_far, stream, size, game.number))
            answer = _replayed(game, variant, likely)
            has_games |= bool(game.tags or game.items or game.moves_unread)
            if not has_games:
                odd.append(answer)
                continue
            yield from odd
            odd = []
            yield answer


def _replayed(game: PdnGame, variant: Variant | None, likely: Variant | None) -> dict[str, Any]:
    from crownhead.rules.replay import infer_variant, replay

    rules, found = (variant, "--variant") if variant else infer_variant(game, likely=likely)
    played = replay(game, rules)
    problem = played.problem
    return {
        "game": game.number,
        "variant": rules.name,
        "plies": len(played.moves),
        "legal": played.is_legal,
        "final_fen": played.final_fen,
        "result": game.result,
        "problem": None
        if problem is None
        else {
            "ply": problem.ply,
            "move": problem.move,
            "rule": problem.rule.value,
            "text": problem.text,
            "clause": problem.clause,
        },
        "line": game.line,
        "variant_by": found,
        "notes": list(played.notes),
    }


@contextmanager
def _opened(path: Path, opener: Callable[[Path], TextIO]) -> Iterator[TextIO]:
    try:
        stream = opener(path)
    except OSError as error:
        raise CrownheadError(f"{path} cannot be read: {error.strerror or error}") from error
    with stream:
        yield stream


def _how_far(stream: TextIO, size: int, game: int) -> str:
    # A pipe has no size.
    share = f"{100 * stream.buffer.tell() // size} %, " if size else ""
    return f"{share}game {game}"


def _told(answer: dict[str, Any], path: Path | None) -> str:
    where = f"{path}: " if path else ""
    head = f"{where}game {answer['game']} ({answer['variant']}, {answer['plies']} plies)"
    notes = "".join(f"\n    {note}" for note in answer["notes"])
    problem = answer["problem"]
    if problem is None:
        return f"{head}: legal, {answer['result']}{notes}"
    at = f"ply {problem['ply']} {problem['move']}".rstrip()
    fault = "cannot be read" if problem["rule"] == "unreadable" else f"breaks {problem['rule']}"
    return f"{head}: {at} {fault}; {problem['text']}{notes}"


def _judged(variant: Variant, position: Position, move: str, language: Language) -> dict[str, Any]:
    # The referee and his words are not needed to list moves.
    from crownhead.rules.referee import judge as judge_move
    from crownhead.rules.words import tell

    verdict = judge_move(variant, position, move)
    return _answered(variant, verdict, tell(verdict.messages, language))


def _answered(variant: Variant, verdict: Verdict, text: str) -> dict[str, Any]:
    return {
        "legal": verdict.legal,
        "rule": verdict.rule.value if verdict.rule else None,
        "clause": verdict.clause,
        "text": text,
        "fen_after": format_fen(verdict.after, variant) if verdict.legal else None,
        "expected": list(verdict.expected),
    }


def _judged_board(
    variant: Variant, before: Position, seen: Position, language: Language
) -> dict[str, Any]:
    """Judge a board; the answer also has the move seen, what is unfinished, what to put right."""
    from crownhead.rules.referee import in_progress, judge_board
    from crownhead.rules.titles import restore_messages
    from crownhead.rules.words import tell

    verdict = judge_board(variant, before, seen, crowning_seen=True)
    half = in_progress(variant, before, seen, crowning_seen=True)
    if half is not None:
        answer = _answered(variant, replace(verdict, legal=False, rule=None, clause=None), "")
        answer["text"] = tell((half.message, *half.warnings), language)
        answer["expected"] = list(format_moves(variant, before, half.moves))
        to_remove = [name_of(variant, square) for square in half.to_remove]
        stage = half.stage.name.lower().replace("_", "-")
        under_way = {"stage": stage, "to_remove": to_remove}
        return answer | {"seen": None, "in_progress": under_way, "restore": []}
    said = (*verdict.messages, *restore_messages(variant, verdict.restore))
    answer = _answered(variant, verdict, tell(said, language))
    moves = format_moves(variant, before, verdict.moves) if verdict.legal else (verdict.seen,)
    restore = [
        [name_of(variant, step.square), _sign(step.seen), _sign(step.wanted)]
        for step in verdict.restore
    ]
    return answer | {"seen": moves[0], "in_progress": None, "restore": restore}


def _sign(piece: Piece | None) -> str:
    return "." if piece is None else piece.value


def _judge_many(variant: Variant, cases: TextIO, language: Language, as_json: bool) -> int:
    """Answer a case a line; a line that is no case is told and answered with its problem."""
    code = EXIT_DONE
    for number, line in _lines(cases):
        try:
            case = _json_line(line)
            if not isinstance(case, dict) or not isinstance(case.get("move"), str):
                raise CrownheadError('a case looks like {"fen": "W:W32:B1", "move": "32-28"}')
            fen = case.get("fen")
            if fen is not None and not isinstance(fen, str):
                raise CrownheadError("the fen of a case is a string")
            answer = _judged(variant, _position(variant, fen), case["move"], language)
        except (RulesError, CrownheadError) as error:
            click.echo(f"crownhead: line {number}: {error}", err=True)
            answer = {"legal": None, "rule": None, "clause": None, "text": None, "fen_after": None}
            answer |= {"expected": [], "problem": str(error)}
            code = EXIT_USAGE
        if as_json:
            _print_json(answer)
        else:
            click.echo(answer["text"] or answer["problem"])
    return code


def _json_line(line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CrownheadError(f"a case is a JSON object, not {line[:40]!r}") from error


def _parameters(variant: Variant) -> dict[str, Any]:
    parameters = asdict(variant)
    parameters["draws"] = [asdict(rule) for rule in variant.draws]
    parameters["game_type"] = variant.game_type_tag
    parameters["protocol"] = asdict(PROTOCOLS[variant.protocol])
    return parameters
