"""Variants of draughts as data: what moves, what captures, how squares are named."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path

from crownhead.rules.errors import UnknownVariant
from crownhead.rules.position import Position, Side


class Corner(StrEnum):
    """At which lower corner, as each player sees it, a playing square lies."""

    LEFT = "left"
    RIGHT = "right"


class Playing(StrEnum):
    """Which squares of the board are played on."""

    ALTERNATE = "every other square"
    ALL = "all squares"


class Lines(StrEnum):
    """Along which lines pieces move and capture."""

    DIAGONAL = "diagonals"
    STRAIGHT = "rows and columns"


class Kings(StrEnum):
    """How far a king goes."""

    SHORT = "short"
    FLYING = "flying"
    FLYING_SHORT_LANDING = "flying, stops right behind"


class Priority(StrEnum):
    """Which captures may be chosen when there are several."""

    FREE = "free"
    MOST = "most pieces"
    MOST_THEN_KINGS = "most pieces, then most kings"
    KING_FIRST = "a king's capture before a man's"
    ITALIAN = "most pieces, then by a king, then most kings, then kings earliest"
    VALUE = "highest value, a king just under two men; then by a king"


class Crowning(StrEnum):
    """What becomes of a man that reaches the far row inside a capture."""

    ONLY_IF_IT_STOPS = "only if it stops there"
    ENDS_THE_TURN = "crowned, and the turn ends"
    GOES_ON_AS_KING = "crowned, and goes on as a king"


class Removal(StrEnum):
    """When captured pieces leave the board."""

    AFTER = "after the whole capture"
    DURING = "after each jump"


class Naming(StrEnum):
    """How squares are written."""

    NUMERIC = "numeric"
    ALGEBRAIC = "algebraic"


class DrawKind(StrEnum):
    """What a draw rule counts."""

    REPETITION = "same position, same side to move"
    KINGS_ONLY = "moves of each side by kings only, nothing captured"
    NO_PROGRESS = "moves of each side with no man moved and nothing captured"
    THREE_AGAINST_KING = "moves with three pieces, a king among them, against one king"
    THREE_KINGS_AGAINST_KING = "moves with three or more kings against one king"
    TWO_AGAINST_KING = "moves with at most two pieces, a king among them, against one king"
    ONE_AGAINST_ONE = "moves with one piece against one"
    MAIN_ROAD = "moves with three pieces, a king among them, against one king on the main road"
    FOUR_OR_FIVE_UNCHANGED = (
        "moves with kings on both sides and four or five pieces in all, none captured or crowned"
    )
    SIX_OR_SEVEN_UNCHANGED = (
        "moves with kings on both sides and six or seven pieces in all, none captured or crowned"
    )
    TWO_KINGS_AGAINST_KING = "moves with two kings against one king"
    KING_AGAINST_KING = "moves with one king against one king"
    AT_MOST_TWO_EACH = "moves with kings on both sides, at most two pieces each and one man in all"


@dataclass(frozen=True, slots=True)
class DrawRule:
    """One way to a draw: what is counted, to how many, and whether a player must claim it."""

    kind: DrawKind
    limit: int
    claimed: bool = False


class OnIllegal(StrEnum):
    """What follows an illegal move."""

    TAKE_BACK = "taken back, another move is made"
    OPPONENT_DECIDES = "the opponent decides: put right or let stand"


@dataclass(frozen=True, slots=True)
class Protocol:
    """How moves are carried out on the wooden board; it never changes what is legal.

    ``jump_by_jump`` asks that every jump be shown; ``king_sign`` says how a crowned man looks.
    ``offences_allowed`` is the number of illegal moves that a player may make before the referee
    may give the game to the other side; None where they are not counted.
    """

    name: str
    on_illegal: OnIllegal
    jump_by_jump: bool = False
    king_sign: str = "two men stacked, or a man turned over"
    offences_allowed: int | None = None


PROTOCOLS: dict[str, Protocol] = {
    p.name: p
    for p in (
        Protocol("take-back", OnIllegal.TAKE_BACK),
        Protocol("jump-by-jump", OnIllegal.TAKE_BACK, True, "a star in the piece"),
        Protocol("official", OnIllegal.OPPONENT_DECIDES),
        # A caution for the first improper move, which is played again; the second forfeits.
        Protocol("wcdf", OnIllegal.TAKE_BACK, offences_allowed=1),
    )
}
"""The ways of carrying out moves, by name."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A rule set.

    Attributes:
        name: the identifier of the command line.
        title: for people.
        size: squares along an edge of the board.
        first: the side that begins; White always starts on the near rows of White's view.
        playing: which squares are played on.
        lines: along which lines pieces go.
        rows: rows of men of each side.
        rows_behind: empty rows behind the men at the start.
        dark_corner: at which lower corner of each player a playing square lies.
        men_capture_back: whether a man may also capture backward; sideways it always may
            where pieces go along rows.
        kings: how far a king moves and where it may stop.
        priority: which captures may be chosen.
        man_takes_king: whether a man may capture a king.
        crowning: what a man on the far row becomes inside a capture.
        removal: when captured pieces leave the board.
        straight_captures: whether pieces that move along diagonals also capture along rows
            and columns.
        about_turns: whether a flying king may turn right round inside a capture.
        king_moves_limit: how many quiet moves in a row one king may make while its side has
            men; 0 for any number. It needs the game so far, so `crownhead.rules.history` asks
            it and the generator does not.
        naming: how squares are written by custom.
        number_corner: where square 1 (or a1) lies as the beginning side sees it, in the code
            of PDN's GameType: 0 lower left, 1 lower right, 2 upper left, 3 upper right.
        numbered_for: the side whose view ``number_corner`` means, if not the one that begins.
        game_type: PDN's number of the game.
        separator: between the squares of a capture.
        draws: the draw rules; none means by agreement only.
        protocol: key of `PROTOCOLS`.
    """

    name: str
    title: str
    size: int = 8
    first: Side = Side.WHITE
    playing: Playing = Playing.ALTERNATE
    lines: Lines = Lines.DIAGONAL
    rows: int = 3
    rows_behind: int = 0
    dark_corner: Corner = Corner.LEFT
    men_capture_back: bool = True
    kings: Kings = Kings.FLYING
    priority: Priority = Priority.FREE
    man_takes_king: bool = True
    crowning: Crowning = Crowning.ONLY_IF_IT_STOPS
    removal: Removal = Removal.AFTER
    straight_captures: bool = False
    about_turns: bool = True
    king_moves_limit: int = 0
    naming: Naming = Naming.NUMERIC
    number_corner: int = 2
    numbered_for: Side | None = None
    game_type: int = 20
    separator: str = "x"
    draws: tuple[DrawRule, ...] = field(default=())
    protocol: str = "official"

    def __hash__(self) -> int:
        # Variants key the table caches on every call; hashing all fields would cost more than
        # the moves do. Equality stays the generated one.
        return hash(self.name)

    @property
    def squares(self) -> int:
        """How many playing squares there are."""
        return self.size * self.squares_a_row

    @property
    def squares_a_row(self) -> int:
        """How many playing squares each row has."""
        return self.size if self.playing is Playing.ALL else self.size // 2

    @property
    def game_type_tag(self) -> str:
        """The value of PDN's GameType tag."""
        letter = "A" if self.naming is Naming.ALGEBRAIC else "N"
        side = "W" if self.first is Side.WHITE else "B"
        invert = int(self.dark_corner is Corner.RIGHT)
        return (
            f"{self.game_type},{side},{self.size},{self.size},{letter}{self.number_corner},{invert}"
        )


_INTERNATIONAL_DRAWS = (
    DrawRule(DrawKind.REPETITION, 3),
    DrawRule(DrawKind.KINGS_ONLY, 25),
    DrawRule(DrawKind.THREE_AGAINST_KING, 16),
    DrawRule(DrawKind.TWO_AGAINST_KING, 5),
)
_RUSSIAN_DRAWS = (
    DrawRule(DrawKind.REPETITION, 3),
    DrawRule(DrawKind.THREE_KINGS_AGAINST_KING, 15),
    DrawRule(DrawKind.KINGS_ONLY, 15),
    DrawRule(DrawKind.FOUR_OR_FIVE_UNCHANGED, 30),
    DrawRule(DrawKind.SIX_OR_SEVEN_UNCHANGED, 60),
    DrawRule(DrawKind.MAIN_ROAD, 5),
    DrawRule(DrawKind.TWO_AGAINST_KING, 5),
)
_ENGLISH_DRAWS = (
    DrawRule(DrawKind.REPETITION, 3, claimed=True),
    DrawRule(DrawKind.NO_PROGRESS, 40, claimed=True),
)

_ALL: tuple[Variant, ...] = (
    Variant(
        "international",
        "International draughts (FMJD)",
        size=10,
        rows=4,
        priority=Priority.MOST,
        draws=_INTERNATIONAL_DRAWS,
    ),
    Variant(
        "russian",
        "Russian draughts (FMJD-64)",
        crowning=Crowning.GOES_ON_AS_KING,
        naming=Naming.ALGEBRAIC,
        number_corner=0,
        game_type=25,
        separator=":",
        draws=_RUSSIAN_DRAWS,
    ),
    Variant(
        "english",
        "English draughts, American checkers (WCDF)",
        first=Side.BLACK,
        men_capture_back=False,
        kings=Kings.SHORT,
        crowning=Crowning.ENDS_THE_TURN,
        number_corner=1,
        game_type=21,
        draws=_ENGLISH_DRAWS,
        protocol="wcdf",
    ),
    Variant(
        "brazilian",
        "Brazilian draughts",
        priority=Priority.MOST,
        naming=Naming.ALGEBRAIC,
        number_corner=0,
        game_type=26,
        draws=(
            DrawRule(DrawKind.REPETITION, 3),
            DrawRule(DrawKind.KINGS_ONLY, 20),
            DrawRule(DrawKind.AT_MOST_TWO_EACH, 5),
        ),
    ),
    Variant(
        "italian",
        "Italian draughts",
        dark_corner=Corner.RIGHT,
        men_capture_back=False,
        kings=Kings.SHORT,
        priority=Priority.ITALIAN,
        man_takes_king=False,
        crowning=Crowning.ENDS_THE_TURN,
        game_type=22,
        draws=(DrawRule(DrawKind.REPETITION, 4), DrawRule(DrawKind.NO_PROGRESS, 40)),
    ),
    Variant(
        "frisian",
        "Frisian draughts",
        size=10,
        rows=4,
        priority=Priority.VALUE,
        straight_captures=True,
        king_moves_limit=3,
        game_type=40,
        draws=(
            DrawRule(DrawKind.TWO_KINGS_AGAINST_KING, 7),
            DrawRule(DrawKind.KING_AGAINST_KING, 2),
        ),
    ),
    Variant(
        "pool",
        "American pool checkers",
        first=Side.BLACK,
        number_corner=1,
        game_type=23,
        draws=(
            DrawRule(DrawKind.REPETITION, 3),
            DrawRule(DrawKind.THREE_KINGS_AGAINST_KING, 13),
        ),
    ),
    Variant(
        "spanish",
        "Spanish draughts",
        dark_corner=Corner.RIGHT,
        men_capture_back=False,
        priority=Priority.MOST_THEN_KINGS,
        crowning=Crowning.ENDS_THE_TURN,
        number_corner=1,
        game_type=24,
        draws=(DrawRule(DrawKind.REPETITION, 3),),
    ),
    Variant(
        "czech",
        "Czech draughts",
        men_capture_back=False,
        priority=Priority.KING_FIRST,
        crowning=Crowning.ENDS_THE_TURN,
        naming=Naming.ALGEBRAIC,
        number_corner=0,
        game_type=29,
        draws=(DrawRule(DrawKind.REPETITION, 3), DrawRule(DrawKind.NO_PROGRESS, 15)),
    ),
    Variant(
        "portuguese",
        "Portuguese draughts",
        dark_corner=Corner.RIGHT,
        men_capture_back=False,
        priority=Priority.MOST_THEN_KINGS,
        crowning=Crowning.ENDS_THE_TURN,
        number_corner=1,
        game_type=28,
        draws=(DrawRule(DrawKind.REPETITION, 3),),
    ),
    Variant(
        "canadian",
        "Canadian draughts",
        size=12,
        rows=5,
        priority=Priority.MOST,
        game_type=27,
        draws=(DrawRule(DrawKind.REPETITION, 3), DrawRule(DrawKind.THREE_KINGS_AGAINST_KING, 16)),
    ),
    Variant(
        "thai",
        "Thai draughts (makhos)",
        first=Side.BLACK,
        rows=2,
        men_capture_back=False,
        kings=Kings.FLYING_SHORT_LANDING,
        crowning=Crowning.ENDS_THE_TURN,
        removal=Removal.DURING,
        # By PDN's own words square 1 would lie at Black's upper left; the counts of
        # lines of play that are known have White's men on 25 to 32.
        numbered_for=Side.WHITE,
        game_type=31,
    ),
    Variant(
        "turkish",
        "Turkish draughts (dama)",
        playing=Playing.ALL,
        lines=Lines.STRAIGHT,
        rows=2,
        rows_behind=1,
        men_capture_back=False,
        priority=Priority.MOST,
        removal=Removal.DURING,
        about_turns=False,
        naming=Naming.ALGEBRAIC,
        number_corner=0,
        game_type=30,
        draws=(DrawRule(DrawKind.ONE_AGAINST_ONE, 1),),
    ),
    Variant(
        "hk100",
        "Hong Kong leaflet for the board of 100 squares",
        size=10,
        rows=4,
        priority=Priority.MOST,
        protocol="take-back",
    ),
    Variant(
        "checkers-online",
        "Vietnamese page on the game of 8x8",
        crowning=Crowning.GOES_ON_AS_KING,
        naming=Naming.ALGEBRAIC,
        number_corner=0,
        game_type=25,
        separator=":",
        draws=(
            DrawRule(DrawKind.REPETITION, 3),
            DrawRule(DrawKind.THREE_KINGS_AGAINST_KING, 15),
        ),
        protocol="take-back",
    ),
    Variant(
        "take-back",
        "Finnish and Greek page: checkers, illegal moves taken back",
        first=Side.BLACK,
        men_capture_back=False,
        kings=Kings.SHORT,
        crowning=Crowning.ENDS_THE_TURN,
        number_corner=1,
        game_type=21,
        protocol="take-back",
    ),
    Variant(
        "leaflet",
        "Leaflet where Black starts and kings bear a star",
        first=Side.BLACK,
        men_capture_back=False,
        kings=Kings.SHORT,
        crowning=Crowning.ENDS_THE_TURN,
        removal=Removal.DURING,
        number_corner=1,
        game_type=21,
        protocol="jump-by-jump",
    ),
)

VARIANTS: dict[str, Variant] = {variant.name: variant for variant in _ALL}
"""Every known variant by its name."""


def variant_named(name: str) -> Variant:
    """Return the variant of a name, or of a TOML file, whose name ends in ``.toml``.

    Raises:
        UnreadableVariant: the file cannot be read or describes no variant.
        UnknownVariant: no variant is called so; the message names the nearest.
    """
    found = VARIANTS.get(name)
    if found is not None:
        return found
    if name.lower().endswith(".toml"):
        # That module needs this one; and few need it.
        from crownhead.rules.variant_file import read_variant

        return read_variant(Path(name))
    near = get_close_matches(name.lower(), VARIANTS, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(VARIANTS)}"
    raise UnknownVariant(f"there is no variant {name!r}; {hint}")


def start_position(variant: Variant) -> Position:
    """Return the position in which a game of the variant begins."""
    behind = variant.rows_behind * variant.squares_a_row
    men = variant.rows * variant.squares_a_row
    low = ((1 << men) - 1) << behind
    high = low << (variant.squares - men - 2 * behind)
    # Numbers run from the upper left or from the lower right, as White sees the board.
    near_is_high = numbers_from_upper_left(variant)
    white, black = (high, low) if near_is_high else (low, high)
    return Position(white, black, 0, variant.first)


def numbers_from_upper_left(variant: Variant) -> bool:
    """Say whether square 1 lies at White's upper left; else it lies at White's lower right.

    Where the custom is algebraic, numbers run from the upper left.
    """
    if variant.number_corner == 0:
        return True
    return (variant.number_corner == 2) == ((variant.numbered_for or variant.first) is Side.WHITE)
