"""What a referee says of a move or of a changed board."""

from dataclasses import dataclass
from enum import StrEnum

from crownhead.rules.message import Message
from crownhead.rules.move import Move
from crownhead.rules.position import Piece, Position, Square
from crownhead.rules.words import tell


class Rule(StrEnum):
    """The rule that a move breaks; the names are those of the command-line contract."""

    MUST_CAPTURE = "must-capture"
    MUST_CAPTURE_MOST = "must-capture-most"
    MUST_FINISH_CAPTURE = "must-finish-capture"
    WRONG_DIRECTION = "wrong-direction"
    NOT_DIAGONAL = "not-diagonal"
    NOT_STRAIGHT = "not-straight"
    TOO_FAR = "too-far"
    OCCUPIED = "occupied"
    OWN_PIECE_JUMPED = "own-piece-jumped"
    JUMPED_TWICE = "jumped-twice"
    TURNED_ABOUT = "turned-about"
    NOT_YOUR_TURN = "not-your-turn"
    NOT_YOUR_PIECE = "not-your-piece"
    NO_SUCH_PIECE = "no-such-piece"
    WRONG_REMOVAL = "wrong-removal"
    NOT_CROWNED = "not-crowned"
    WRONGLY_CROWNED = "wrongly-crowned"
    CROWNING_ENDS_TURN = "crowning-ends-turn"
    MAN_TAKES_KING = "man-takes-king"
    KING_MOVES_TOO_OFTEN = "king-moves-too-often"
    TWO_PIECES_MOVED = "two-pieces-moved"
    AMBIGUOUS = "ambiguous"
    GAME_OVER = "game-over"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Restore:
    """A square that must be put right: what stands there now, and what belongs there."""

    square: Square
    seen: Piece | None
    wanted: Piece | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of one attempted ply.

    ``moves`` are the legal moves that lead to exactly the board seen (several routes with
    one result count as one result); empty when the attempt is illegal, unless only a crown is
    missing or too many, which ``restore`` then mends. ``seen`` is the attempt in notation
    ("27-22", "27x18"), None when no single move of a piece describes it.
    ``expected`` are the legal moves in notation when the attempt was illegal. ``messages`` are
    the sentences for a person, ``text`` is all of them in English. ``after`` is the position that
    stands on the board if the attempt is let stand, with the turn passed on. ``restore`` brings
    the board back. ``clause`` is the clause of the preset's own document that the chief fault
    offends, such as "A18", None where there is none.
    """

    legal: bool
    messages: tuple[Message, ...]
    after: Position
    rule: Rule | None = None
    moves: tuple[Move, ...] = ()
    seen: str | None = None
    expected: tuple[str, ...] = ()
    restore: tuple[Restore, ...] = ()
    clause: str | None = None

    @property
    def text(self) -> str:
        """The verdict for a person, in English."""
        return tell(self.messages)
