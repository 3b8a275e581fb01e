"""Which clause of a preset's own document a fault offends; docs/rules.md says what they are.

Only what a document says is listed: where it is silent, a verdict has no clause.
"""

from crownhead.rules.variant import Variant

CLAUSES: dict[str, dict[str, str]] = {
    "hk100": {
        "must-capture": "A18",
        "must-finish-capture": "A19",
        "must-capture-most": "A20",
        "wrong-direction": "A08",
        "too-far-man": "A08",
        "own-piece-jumped": "A09",
        "not-lifted": "A10",
        "jumped-twice": "A22",
        "not-crowned": "A12",
    },
    "checkers-online": {
        "must-capture": "B13",
        "must-finish-capture": "B15",
        "wrong-direction": "B07",
        "too-far-man": "B07",
        "own-piece-jumped": "B10",
        "not-lifted": "B10",
        "jumped-twice": "B16",
        "not-crowned": "B08",
        "game-over": "B19",
    },
    "take-back": {
        "must-capture": "C08",
        "must-finish-capture": "C09",
        "wrong-direction": "C04",
        "wrong-direction-capture": "C05",
        "own-piece-jumped": "C12",
        "crowning-ends-turn": "C10",
        "lifted-in-vain": "C07",
        "not-crowned": "C02",
    },
    "leaflet": {
        "must-capture": "E07",
        "must-finish-capture": "E08",
        "wrong-direction": "E05",
        "wrong-direction-capture": "E06",
        "not-diagonal": "E05",
        "too-far-man": "E05",
        "too-far-king": "E13",
        "own-piece-jumped": "E06",
        "not-crowned": "E12",
        "not-your-turn": "E01",
        "not-your-piece": "E01",
        "game-over": "E15",
    },
}
"""The clause by preset and by key of the fault's sentence."""


def clause_of(variant: Variant, key: str) -> str | None:
    """Return the clause that a fault offends, None if the variant's document has none."""
    return CLAUSES.get(variant.name, {}).get(key)
