"""Errors of the rules layer: text that is unreadable, illegal here, or ambiguous."""


class RulesError(Exception):
    """Input to the rules that cannot be used."""


class UnknownVariant(RulesError):
    """A name that no variant bears."""


class UnreadableVariant(RulesError):
    """A file that describes no variant."""


class UnreadablePosition(RulesError):
    """A position string that is not PDN FEN, or that does not fit the board."""


class UnreadableMove(RulesError):
    """Text that is not a move."""


class IllegalMove(RulesError):
    """A readable move that the rules do not allow here."""


class AmbiguousMove(RulesError):
    """A short move that fits several legal moves with different results."""


class UnreadableGame(RulesError):
    """PDN text that cannot be parsed; the message gives line and column."""


class UnknownLanguage(RulesError):
    """A tag of a language in which nothing is said."""


class MissingCatalogue(RulesError):
    """The texts of a language are not where they were installed."""
