"""Games from files, played through by the rules."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from crownhead.rules.errors import RulesError, UnreadablePosition
from crownhead.rules.fen import format_fen, parse_fen
from crownhead.rules.generator import play
from crownhead.rules.move import Move
from crownhead.rules.notation import parse_move
from crownhead.rules.pdn import PdnGame, PdnSetup
from crownhead.rules.position import Position
from crownhead.rules.referee import judge
from crownhead.rules.variant import VARIANTS, Variant, start_position
from crownhead.rules.verdict import Rule

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
    40: "frisian",
}
"""PDN's number of a game, and our variant."""


@dataclass(frozen=True, slots=True)
class ReplayProblem:
    """Where a game leaves the rules: ``ply`` counts from 1, 0 for the position itself."""

    ply: int
    move: str
    rule: Rule
    text: str


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

    @property
    def is_legal(self) -> bool:
        """Whether the whole game keeps to the rules."""
        return self.problem is None

    @property
    def final_fen(self) -> str:
        """The last position reached."""
        return format_fen(self.positions[-1], self.variant)


def replay(game: PdnGame, variant: Variant) -> Replay:
    """Play a game through until its end or its first fault."""
    try:
        position = _start(game, variant)
    except UnreadablePosition as error:
        problem = ReplayProblem(0, "", Rule.UNREADABLE, str(error))
        return Replay(variant, (start_position(variant),), (), problem)
    positions = [position]
    moves: list[Move] = []
    for item in game.items:
        ply = len(moves) + 1
        if isinstance(item, PdnSetup):
            try:
                position = parse_fen(item.fen, variant)
            except UnreadablePosition as error:
                problem = ReplayProblem(ply, item.fen, Rule.UNREADABLE, str(error))
                return Replay(variant, tuple(positions), tuple(moves), problem)
            positions[-1] = position
            continue
        try:
            move = parse_move(variant, position, item.text)
        except RulesError:
            verdict = judge(variant, position, item.text)
            text = f"line {item.line}, column {item.column}: {verdict.text}"
            problem = ReplayProblem(ply, item.text, verdict.rule or Rule.UNREADABLE, text)
            return Replay(variant, tuple(positions), tuple(moves), problem)
        position = play(variant, position, move)
        moves.append(move)
        positions.append(position)
    found = None
    if game.problem is not None:
        text = f"line {game.problem.line}, column {game.problem.column}: {game.problem.text}"
        found = ReplayProblem(len(moves) + 1, "", Rule.UNREADABLE, text)
    return Replay(variant, tuple(positions), tuple(moves), found)


def infer_variant(game: PdnGame) -> tuple[Variant, str]:
    """Find the variant of a game and say how it was found, in a few words.

    The GameType tag decides; without it the squares, the way they are named and then
    replaying under each variant that they leave open. Of several that fit the commonest is taken.
    """
    tag = game.tag("GameType") or ""
    number = re.match(r"\s*(\d+)", tag)
    if number and int(number.group(1)[:4]) in BY_GAME_TYPE:
        return VARIANTS[BY_GAME_TYPE[int(number.group(1)[:4])]], "GameType tag"
    candidates = [VARIANTS[name] for name in _candidates(game)]
    best, longest = candidates[0], -1
    for variant in candidates:
        played = replay(game, variant)
        if played.is_legal:
            return variant, "inferred: the game is legal"
        if len(played.moves) > longest:
            best, longest = variant, len(played.moves)
    return best, f"inferred: legal up to ply {max(longest, 0)}"


def _start(game: PdnGame, variant: Variant) -> Position:
    fen = (game.tag("FEN") or "").strip()
    position = parse_fen(fen, variant) if fen else start_position(variant)
    if game.black_begins and position.turn is variant.first and not fen:
        return replace(position, turn=position.turn.other)
    return position


def _candidates(game: PdnGame) -> tuple[str, ...]:
    """Return the variants that a game's squares allow, the commonest first."""
    fens = [game.tag("FEN") or ""]
    fens += [item.fen for item in game.items if isinstance(item, PdnSetup)]
    texts = [move.text.lower() for move in game.moves]
    if any(re.search(r"[a-l]\d", text) for text in texts):
        if any(":" in text for text in texts):
            return ("russian", "brazilian", "czech")
        return ("russian", "czech", "brazilian", "english")
    numbers = [int(n) for text in [*texts, *fens] for n in re.findall(r"\d{1,2}(?!\d)", text)]
    highest = max(numbers, default=0)
    if highest > 50:
        return ("canadian",)
    if highest > 32:
        return ("international", "frisian")
    if any(name in ("Bianco", "Nero", "Risultato") for name, _ in game.tags):
        return ("italian", "english")
    return (
        "english",
        "italian",
        "international",
        "spanish",
        "pool",
        "russian",
        "brazilian",
        "czech",
        "frisian",
    )
