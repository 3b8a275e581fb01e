"""Draughts rules: squares, positions, moves, variants, verdicts, FEN and PDN.

Everything public can be imported from here; docs/rules.md shows how. A name is looked up in its
module when it is first asked for, so that importing the package loads nothing more.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crownhead.rules.catalogue import Language, language_named
    from crownhead.rules.clauses import CLAUSES, DOCUMENTS, clause_of
    from crownhead.rules.ending import (
        Claim,
        Count,
        End,
        Outcome,
        agreed,
        claimable,
        claimed,
        claims,
        counts,
        forfeited,
        format_result,
        outcome,
        resigned,
    )
    from crownhead.rules.errors import (
        AmbiguousMove,
        IllegalMove,
        RulesError,
        UnknownVariant,
        UnreadableGame,
        UnreadableMove,
        UnreadablePosition,
        UnreadableVariant,
    )
    from crownhead.rules.fen import format_fen, parse_fen
    from crownhead.rules.generator import distinct_moves, is_over, legal_moves, perft, play
    from crownhead.rules.geometry import (
        algebraic_name,
        all_squares,
        place_of,
        square_at,
        square_called,
    )
    from crownhead.rules.history import barred_king, legal_moves_in_game
    from crownhead.rules.message import Message
    from crownhead.rules.move import Move, same_result
    from crownhead.rules.notation import (
        format_move,
        format_moves,
        format_squares,
        name_of,
        parse_move,
    )
    from crownhead.rules.pdn import (
        PdnGame,
        PdnMove,
        PdnProblem,
        PdnSetup,
        decode_pdn,
        open_pdn,
        read_games,
    )
    from crownhead.rules.pdn_writer import WrittenPly, WrittenSetup, format_game
    from crownhead.rules.position import Piece, Position, Side, Square
    from crownhead.rules.procedure import Choice, choices_after, judge_procedure
    from crownhead.rules.referee import HalfDone, Stage, in_progress, judge, judge_board
    from crownhead.rules.replay import Replay, ReplayProblem, infer_variant
    from crownhead.rules.replay import replay as replay_game
    from crownhead.rules.search import Suggestion, suggest
    from crownhead.rules.titles import (
        count_text,
        describe,
        outcome_text,
        rule_title,
        variant_title,
    )
    from crownhead.rules.variant import (
        PROTOCOLS,
        VARIANTS,
        Corner,
        Crowning,
        DrawKind,
        DrawRule,
        Kings,
        Lines,
        Naming,
        OnIllegal,
        Playing,
        Priority,
        Protocol,
        Removal,
        Variant,
        start_position,
        variant_named,
    )
    from crownhead.rules.variant_file import read_variant, variant_from_toml
    from crownhead.rules.verdict import Restore, Rule, Verdict
    from crownhead.rules.words import say, tell

__all__ = [
    "CLAUSES",
    "DOCUMENTS",
    "PROTOCOLS",
    "VARIANTS",
    "AmbiguousMove",
    "Choice",
    "Claim",
    "Corner",
    "Count",
    "Crowning",
    "DrawKind",
    "DrawRule",
    "End",
    "HalfDone",
    "IllegalMove",
    "Kings",
    "Language",
    "Lines",
    "Message",
    "Move",
    "Naming",
    "OnIllegal",
    "Outcome",
    "PdnGame",
    "PdnMove",
    "PdnProblem",
    "PdnSetup",
    "Piece",
    "Playing",
    "Position",
    "Priority",
    "Protocol",
    "Removal",
    "Replay",
    "ReplayProblem",
    "Restore",
    "Rule",
    "RulesError",
    "Side",
    "Square",
    "Stage",
    "Suggestion",
    "UnknownVariant",
    "UnreadableGame",
    "UnreadableMove",
    "UnreadablePosition",
    "UnreadableVariant",
    "Variant",
    "Verdict",
    "WrittenPly",
    "WrittenSetup",
    "agreed",
    "algebraic_name",
    "all_squares",
    "barred_king",
    "choices_after",
    "claimable",
    "claimed",
    "claims",
    "clause_of",
    "count_text",
    "counts",
    "decode_pdn",
    "describe",
    "distinct_moves",
    "forfeited",
    "format_fen",
    "format_game",
    "format_move",
    "format_moves",
    "format_result",
    "format_squares",
    "in_progress",
    "infer_variant",
    "is_over",
    "judge",
    "judge_board",
    "judge_procedure",
    "language_named",
    "legal_moves",
    "legal_moves_in_game",
    "name_of",
    "open_pdn",
    "outcome",
    "outcome_text",
    "parse_fen",
    "parse_move",
    "perft",
    "place_of",
    "play",
    "read_games",
    "read_variant",
    "replay_game",
    "resigned",
    "rule_title",
    "same_result",
    "say",
    "square_at",
    "square_called",
    "start_position",
    "suggest",
    "tell",
    "variant_from_toml",
    "variant_named",
    "variant_title",
]

_HOMES = {
    "catalogue": "Language language_named",
    "clauses": "CLAUSES DOCUMENTS clause_of",
    "ending": (
        "Claim Count End Outcome agreed claimable claimed claims counts forfeited "
        "format_result outcome resigned"
    ),
    "errors": (
        "AmbiguousMove IllegalMove RulesError UnknownVariant UnreadableGame "
        "UnreadableMove UnreadablePosition UnreadableVariant"
    ),
    "fen": "format_fen parse_fen",
    "generator": "distinct_moves is_over legal_moves perft play",
    "geometry": "algebraic_name all_squares place_of square_at square_called",
    "history": "barred_king legal_moves_in_game",
    "message": "Message",
    "move": "Move same_result",
    "notation": "format_move format_moves format_squares name_of parse_move",
    "pdn": "PdnGame PdnMove PdnProblem PdnSetup decode_pdn open_pdn read_games",
    "pdn_writer": "WrittenPly WrittenSetup format_game",
    "position": "Piece Position Side Square",
    "procedure": "Choice choices_after judge_procedure",
    "referee": "HalfDone Stage in_progress judge judge_board",
    "replay": "Replay ReplayProblem infer_variant replay_game",
    "search": "Suggestion suggest",
    "titles": "count_text describe outcome_text rule_title variant_title",
    "variant": (
        "PROTOCOLS VARIANTS Corner Crowning DrawKind DrawRule Kings Lines Naming "
        "OnIllegal Playing Priority Protocol Removal Variant start_position variant_named"
    ),
    "variant_file": "read_variant variant_from_toml",
    "verdict": "Restore Rule Verdict",
    "words": "say tell",
}
"""The public names of each module."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

_NAMED_THERE = {"replay_game": "replay"}
"""Names that differ in their module, where the module itself has the shorter one."""


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{home}"), _NAMED_THERE.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
