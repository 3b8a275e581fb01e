"""Games from files, played through by the rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from crownhead.rules.errors import UnreadableMove, UnreadablePosition
from crownhead.rules.fen import format_fen, parse_fen
from crownhead.rules.generator import play
from crownhead.rules.history import legal_moves_in_game
from crownhead.rules.move import Move
from crownhead.rules.notation import (
    format_squares,
    loose_matches,
    matches,
    readings_of,
    result_of,
)
from crownhead.rules.pdn import PdnGame, PdnMove, PdnSetup
from crownhead.rules.position import Position, Side
from crownhead.rules.referee import judge
from crownhead.rules.variant import VARIANTS, Naming, Variant, start_position
from crownhead.rules.verdict import Rule

AMERICAN_ALGEBRAIC = replace(
    VARIANTS["english"], first=Side.WHITE, naming=Naming.ALGEBRAIC, number_corner=0
)
"""American checkers as some web sites write them: squares with letters, White begins."""

NUMERIC_SMALL = ("english", "italian", "international", "spanish", "pool", "russian", "brazilian")
"""Candidates for a game on squares up to 32, written with numbers."""

MOST_BRANCHES = 64
"""So many readings of ambiguous moves are followed in one game."""

BY_GAME_TYPE: dict[int, str] = {
    20: "international",
    21: "english",
    22: "italian",
    23: "pool",
    24: "spanish",
    25: "russian",
    26: "brazilian",
    27: "canadian",
    28: "portuguese",
    29: "czech",
    30: "turkish",
    31: "thai",
    40: "frisian",
}
"""PDN's number of a game, and our variant."""


@dataclass(frozen=True, slots=True)
class ReplayProblem:
    """Where a game leaves the rules: ``ply`` counts from 1, 0 for the position itself.

    ``clause`` is that of a preset's own document, as of `Verdict`.
    """

    ply: int
    move: str
    rule: Rule
    text: str
    clause: str | None = None


@dataclass(frozen=True, slots=True)
class Replay:
    """A game played through: the positions from the start on, and the moves between them.

    With a problem, they end before it. A set-up command in the moves replaces the last
    position, so a position need not follow from the one before it.
    """

    variant: Variant
    positions: tuple[Position, ...]
    moves: tuple[Move, ...]
    problem: ReplayProblem | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_legal(self) -> bool:
        """Whether the whole game keeps to the rules."""
        return self.problem is None

    @property
    def final_fen(self) -> str:
        """The last position reached."""
        return format_fen(self.positions[-1], self.variant)


def replay(game: PdnGame, variant: Variant) -> Replay:
    """Play a game through until its end or its first fault.

    Files are read with some patience, and ``notes`` say where it was needed: a quiet move
    written as a capture, squares left out of a capture's way, a capture written as several moves,
    a short form that fits two captures, of which at least one lets the rest of the game be legal.
    """
    try:
        position = _start(game, variant)
    except UnreadablePosition as error:
        problem = ReplayProblem(0, "", Rule.UNREADABLE, str(error))
        return Replay(variant, (start_position(variant),), (), problem)
    run = _Run(variant, game.items)
    played = run.on_from(0, position, 1)
    problem_found, notes = played.problem, played.notes
    notes += tuple(f"line {note.line}, column {note.column}: {note.text}" for note in game.notes)
    if problem_found is None and game.problem is not None:
        text = f"line {game.problem.line}, column {game.problem.column}: {game.problem.text}"
        problem_found = ReplayProblem(len(played.moves) + 1, "", Rule.UNREADABLE, text)
    return replace(played, problem=problem_found, notes=notes)


class _Run:
    """One way through the items of a game; where a text is ambiguous, the ways part."""

    def __init__(self, variant: Variant, items: Sequence[PdnMove | PdnSetup]) -> None:
        self.variant = variant
        self.items = items
        self.branches_left = MOST_BRANCHES

    def on_from(
        self, index: int, position: Position, ply: int, earlier: Sequence[Position] = ()
    ) -> Replay:
        """Play the items from one on; plies are counted from ``ply``, after earlier positions."""
        positions, moves, notes = [position], list[Move](), list[str]()

        def done(problem: ReplayProblem | None = None) -> Replay:
            return Replay(self.variant, tuple(positions), tuple(moves), problem, tuple(notes))

        following = index
        while following < len(self.items):
            at = following
            item = self.items[at]
            here = ply + len(moves)
            following = at + 1
            if isinstance(item, PdnSetup):
                try:
                    positions[-1] = parse_fen(item.fen, self.variant)
                except UnreadablePosition as error:
                    return done(ReplayProblem(here, item.fen, Rule.UNREADABLE, str(error)))
                continue
            if item.is_unknown and all(
                isinstance(rest, PdnMove) and rest.is_unknown for rest in self.items[at:]
            ):
                notes.append(f"ply {here}: the moves from here on are not known")
                return done()
            # Few variants look back, and long games are many.
            before = (*earlier, *positions[:-1]) if self.variant.king_moves_limit else ()
            choices, note = _choices(self.variant, positions[-1], item.text, before)
            if not choices:
                choices, note, following = self._in_hops(at, positions[-1], before)
            if note:
                notes.append(f"ply {here}: {note}")
            if len(choices) > 1:
                ways = self._ways(following, positions[-1], choices, here, before)
                if ways:
                    move, rest = ways[0]
                    notes.append(f"ply {here}: {_part(self.variant, item.text, choices, ways)}")
                    return Replay(
                        self.variant,
                        (*positions, *rest.positions),
                        (*moves, move, *rest.moves),
                        rest.problem,
                        (*notes, *rest.notes),
                    )
            if len(choices) != 1:
                return done(_problem(self.variant, positions[-1], item, here, before))
            moves.append(choices[0])
            positions.append(play(self.variant, positions[-1], choices[0]))
        return done()

    def _in_hops(
        self, at: int, position: Position, earlier: Sequence[Position]
    ) -> tuple[tuple[Move, ...], str, int]:
        """Read an item together with those after it as one capture, each the next of its jumps.

        Returns:
            as `_choices`, and the index of the first item after it.
        """
        squares = _jumped(self.items[at])
        longest = at + self.variant.squares if squares else 0
        for last in range(at + 1, min(len(self.items), longest)):
            onward = _jumped(self.items[last])
            if onward[:1] != squares[-1:]:
                break
            squares += onward[1:]
            text = "x".join(squares)
            choices, _ = _choices(self.variant, position, text, earlier)
            if choices:
                return choices, f"{text} is written as {last - at + 1} moves", last + 1
        return (), "", at + 1

    def _ways(
        self,
        following: int,
        position: Position,
        choices: Sequence[Move],
        ply: int,
        earlier: Sequence[Position],
    ) -> tuple[tuple[Move, Replay], ...]:
        """Return those choices after which the rest of the game is legal."""
        found = []
        for move in choices:
            if self.branches_left <= 0:
                return ()
            self.branches_left -= 1
            after = play(self.variant, position, move)
            rest = self.on_from(following, after, ply + 1, (*earlier, position))
            if rest.is_legal:
                found.append((move, rest))
        return tuple(found)


def _jumped(item: PdnMove | PdnSetup) -> list[str]:
    """Return the squares of a move that is written as a capture."""
    squares = re.split(r"\s*[x:×х]\s*", item.text.lower()) if isinstance(item, PdnMove) else []
    return squares if len(squares) > 1 else []


def _part(
    variant: Variant,
    text: str,
    choices: Sequence[Move],
    ways: Sequence[tuple[Move, Replay]],
) -> str:
    """Say what an ambiguous text may be and what was made of it."""
    may = " or ".join(format_squares(variant, move.path, capture=True) for move in choices)
    taken = format_squares(variant, ways[0][0].path, capture=True)
    if len(ways) == 1:
        return f"{text} may be {may}; only after {taken} is the rest legal"
    return f"{text} may be {may}; the rest is legal either way, {taken} is shown"


def _choices(
    variant: Variant, position: Position, text: str, earlier: Sequence[Position]
) -> tuple[tuple[Move, ...], str]:
    """Return the moves that a text may mean, one of each result, and a note if it was careless."""
    legal = legal_moves_in_game(variant, (*earlier, position))
    try:
        readings = readings_of(variant, text)
    except UnreadableMove:
        return (), ""
    found = [m for reading in readings for m in matches(variant, position, reading, legal)]
    note = ""
    if not found:
        found = [m for reading in readings for m in loose_matches(reading, legal)]
        note = f"{text} is carelessly written" if found else ""
    results = {result_of(move): move for move in reversed(found)}
    if note and len(results) == 1:
        meant = next(iter(results.values()))
        squares = format_squares(variant, meant.path, capture=bool(meant.captured))
        note += f", meaning {squares}"
    return tuple(results.values()), note


def _problem(
    variant: Variant,
    position: Position,
    item: PdnMove,
    ply: int,
    earlier: Sequence[Position],
) -> ReplayProblem:
    verdict = judge(variant, position, item.text, earlier=earlier)
    if verdict.legal:
        # Only the careless reading has several results.
        verdict = replace(verdict, rule=Rule.AMBIGUOUS)
    text = f"line {item.line}, column {item.column}: {verdict.text}"
    rule = verdict.rule or Rule.UNREADABLE
    return ReplayProblem(ply, item.text, rule, text, verdict.clause)


def infer_variant(game: PdnGame, *, likely: Variant | None = None) -> tuple[Variant, str]:
    """Find the variant of a game and say how it was found, in a few words.

    The GameType tag decides, unless its squares are not named as the moves are; without it
    the squares and then replaying under each variant that they leave open. Of several that
    fit, the one that is likely from elsewhere is taken, else the commonest.
    """
    found, how = _inferred(game, likely)
    tag = game.tag("GameType") or ""
    if tag and _tagged(game) is None:
        how = f"GameType {tag[:20]!r} is not known; {how}"
    return found, how


def _inferred(game: PdnGame, likely: Variant | None) -> tuple[Variant, str]:
    tagged, algebraic = _tagged(game), _is_algebraic(game)
    if tagged is not None and (tagged.naming is Naming.ALGEBRAIC or not algebraic):
        return tagged, "GameType tag"
    candidates = _candidates(game, algebraic)
    if likely is not None and (likely in candidates or not game.items):
        candidates = (likely, *(variant for variant in candidates if variant != likely))
    best, longest = candidates[0], -1
    for variant in candidates:
        played = replay(game, variant)
        if played.is_legal:
            return variant, "inferred: the game is legal"
        if len(played.moves) > longest:
            best, longest = variant, len(played.moves)
    if tagged is not None and longest < 1:
        return tagged, "GameType tag, though the moves are not written so"
    return best, f"inferred: legal up to ply {longest}"


def likely_variant(games: Iterable[PdnGame]) -> Variant | None:
    """Return the variant that makes most of the games without a GameType legal.

    None if all have their tag. Of equals the one that is legal first in the order of
    commonness is returned.
    """
    votes: dict[Variant, int] = {}
    for game in games:
        if not game.moves or _tagged(game) is not None:
            continue
        for variant in _candidates(game, _is_algebraic(game)):
            votes[variant] = votes.get(variant, 0) + replay(game, variant).is_legal
    return max(votes, key=lambda variant: votes[variant]) if votes else None


def _tagged(game: PdnGame) -> Variant | None:
    number = re.match(r"\s*(\d{1,4})", game.tag("GameType") or "")
    return VARIANTS.get(BY_GAME_TYPE.get(int(number.group(1)), "")) if number else None


def _is_algebraic(game: PdnGame) -> bool:
    return any(re.search(r"[a-l]\d", move.text.lower()) for move in game.moves)


def _start(game: PdnGame, variant: Variant) -> Position:
    fen = (game.tag("FEN") or "").strip()
    position = parse_fen(fen, variant) if fen else start_position(variant)
    if game.black_begins and position.turn is variant.first and not fen:
        return replace(position, turn=position.turn.other)
    return position


def _candidates(game: PdnGame, algebraic: bool) -> tuple[Variant, ...]:
    """Return the variants that a game's squares allow, the commonest first."""
    fens = [game.tag("FEN") or ""]
    fens += [item.fen for item in game.items if isinstance(item, PdnSetup)]
    texts = [move.text for move in game.moves]
    numbers = [int(n) for text in [*texts, *fens] for n in re.findall(r"\d{1,2}(?!\d)", text)]
    highest = max(numbers, default=0)
    names: tuple[str, ...]
    if algebraic and highest < 33:
        colon = any(":" in text for text in texts)
        names = ("russian", "brazilian", "czech") if colon else ("russian", "czech", "brazilian")
        return (*(VARIANTS[name] for name in names), AMERICAN_ALGEBRAIC)
    if highest > 50:
        names = ("canadian",)
    elif highest > 32:
        names = ("international", "frisian")
    elif any(name in ("Bianco", "Nero", "Risultato") for name, _ in game.tags):
        names = ("italian", "english")
    else:
        names = NUMERIC_SMALL
    return tuple(VARIANTS[name] for name in names)
