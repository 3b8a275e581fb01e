"""Which clause of a preset's own document a fault offends; docs/rules.md says what they are.

Only what a document says is listed: where it is silent, a verdict has no clause.
"""

from collections.abc import Iterable
from enum import StrEnum

from crownhead.rules.variant import Variant


class Mark(StrEnum):
    """A circumstance of a fault by which documents tell two clauses apart."""

    BY_KING = "by a king"
    OVER_KING = "over a king"
    PASSED = "on the far row in passing"
    AT_START = "at the start"
    NO_PIECES = "without pieces"


DOCUMENTS: dict[str, tuple[str, ...]] = {
    preset: tuple(f"{letter}{number:02}" for number in range(1, count + 1))
    for preset, letter, count in (
        ("hk100", "A", 25),
        ("checkers-online", "B", 23),
        ("take-back", "C", 12),
        ("leaflet", "E", 15),
    )
}
"""The clauses of each preset's document, in order."""

CLAUSES: dict[str, dict[str | tuple[str, Mark], str]] = {
    "hk100": {
        "must-capture": "A18",
        "must-finish-capture": "A19",
        "must-capture-most": "A20",
        "wrong-direction": "A08",
        "unplayed-square": "A07",
        "not-diagonal": "A08",
        ("not-diagonal", Mark.BY_KING): "A15",
        "too-far-man": "A08",
        "too-far-jump": "A09",
        ("too-far-jump", Mark.BY_KING): "A16",
        ("occupied", Mark.BY_KING): "A15",
        "occupied-taken": "A09",
        ("occupied-taken", Mark.BY_KING): "A16",
        "own-piece-jumped": "A09",
        ("own-piece-jumped", Mark.BY_KING): "A16",
        "nothing-to-capture": "A09",
        ("nothing-to-capture", Mark.BY_KING): "A16",
        "jumped-twice": "A22",
        "not-lifted": "A10",
        "wrong-order": "A21",
        "to-crown": "A03",
        "lifted-in-vain": "A10",
        "not-crowned": "A12",
        "wrongly-crowned": "A12",
        ("wrongly-crowned", Mark.PASSED): "A14",
        ("not-your-turn", Mark.AT_START): "A06",
        ("not-your-piece", Mark.AT_START): "A06",
        "game-over": "A24",
        ("game-over", Mark.NO_PIECES): "A23",
    },
    "checkers-online": {
        "must-capture": "B13",
        "must-finish-capture": "B15",
        "wrong-direction": "B07",
        "not-diagonal": "B07",
        ("not-diagonal", Mark.BY_KING): "B09",
        "too-far-man": "B07",
        "too-far-jump": "B10",
        "occupied": "B07",
        ("occupied", Mark.BY_KING): "B09",
        "occupied-taken": "B10",
        "own-piece-jumped": "B10",
        "nothing-to-capture": "B10",
        "jumped-twice": "B16",
        "not-lifted": "B10",
        "wrong-order": "B16",
        "to-crown": "B06",
        "lifted-in-vain": "B10",
        "not-crowned": "B08",
        "wrongly-crowned": "B08",
        ("not-your-turn", Mark.AT_START): "B05",
        ("not-your-piece", Mark.AT_START): "B05",
        "game-over": "B19",
    },
    "take-back": {
        "must-capture": "C08",
        "must-finish-capture": "C09",
        "wrong-direction": "C04",
        "wrong-direction-capture": "C04",
        ("wrong-direction-capture", Mark.OVER_KING): "C05",
        "own-piece-jumped": "C12",
        "crowning-ends-turn": "C10",
        "lifted-in-vain": "C07",
        "lifted-own": "C07",
        "not-crowned": "C02",
        "to-crown": "C02",
        "wrongly-crowned": "C02",
        "game-over": "C01",
    },
    "leaflet": {
        "must-capture": "E07",
        "must-finish-capture": "E08",
        "wrong-direction": "E05",
        "wrong-direction-capture": "E06",
        "not-diagonal": "E05",
        ("not-diagonal", Mark.BY_KING): "E13",
        "too-far-man": "E05",
        "too-far-king": "E13",
        "too-far-jump": "E06",
        "occupied-taken": "E06",
        "own-piece-jumped": "E06",
        "nothing-to-capture": "E06",
        "not-crowned": "E12",
        "to-crown": "E12",
        "show-each-jump": "E10",
        "wrongly-crowned": "E12",
        "not-your-turn": "E01",
        ("not-your-turn", Mark.AT_START): "E02",
        "not-your-piece": "E01",
        ("not-your-piece", Mark.AT_START): "E02",
        "game-over": "E15",
    },
}
"""The clause by preset and by key of the fault's sentence, in a circumstance or in any other."""


def clause_of(variant: Variant, key: str, marks: Iterable[Mark] = ()) -> str | None:
    """Return the clause that a fault offends, None if the variant's document has none."""
    clauses = CLAUSES.get(variant.name, {})
    for mark in marks:
        if found := clauses.get((key, mark)):
            return found
    return clauses.get(key)
