"""Moves as text: PDN's short and long forms, and everything that is met in files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crownhead.rules.errors import AmbiguousMove, IllegalMove, UnreadableMove, UnreadablePosition
from crownhead.rules.generator import legal_moves
from crownhead.rules.geometry import (
    LETTERS,
    algebraic_name,
    is_square,
    place_of,
    square_at,
    square_called,
)
from crownhead.rules.move import Move
from crownhead.rules.position import Position, Square
from crownhead.rules.tables import bit_of
from crownhead.rules.variant import Naming, Variant

LONGEST = 300
"""A longer text than this is no move."""

_SQUARE = r"(?:[a-l]\s?\d{1,2}|\d{1,2})"
_SEPARATED = re.compile(rf"({_SQUARE})((?:\s*[-x:]\s*{_SQUARE})+)", re.ASCII)
_CAPTURED_LIST = re.compile(rf"<\s*({_SQUARE}(?:\s*,\s*{_SQUARE})*)\s*>$", re.ASCII)
_GLUED_NAMES = re.compile(r"[a-l]\d{1,2}(?:\s*[a-l]\d{1,2})+", re.ASCII)
# Two digits are the name of one square; nobody writes a whole move with them.
_GLUED_NUMBERS = re.compile(r"\d{3,4}|\d{2}(?:\d{2})+", re.ASCII)
_STRENGTH = re.compile(r"(?:\([!?]+\)|[!?*+#])+$")

# Signs that look alike, and Cyrillic letters that Russian keyboards give for Latin ones.
_SAME = str.maketrans(
    {
        "\u00a0": " ",
        "–": "-",
        "—": "-",
        "−": "-",
        "×": "x",
        "х": "x",
        "а": "a",
        "с": "c",
        "е": "e",
        "в": "b",
    }
)


@dataclass(frozen=True, slots=True)
class MoveText:
    """A move as it was written: its squares, before any rule is asked.

    ``is_capture`` is None where the text has no separator. ``captured`` are squares that the
    text gives as captured, in angle brackets.
    """

    squares: tuple[Square, ...]
    is_capture: bool | None
    captured: tuple[Square, ...] = ()


def format_move(
    variant: Variant,
    position: Position,
    move: Move,
    *,
    naming: Naming | None = None,
    among: Sequence[Move] | None = None,
) -> str:
    """Write a move: origin and destination, or all squares where that would be ambiguous.

    Args:
        variant: the rules in force.
        position: before the move.
        move: one of its legal moves, or any move, which then gets the short form.
        naming: how squares are written; the variant's custom by default.
        among: the legal moves of the position, if the caller has them already.
    """
    naming = naming or variant.naming
    squares: Sequence[Square] = (move.origin, move.destination)
    if move.is_capture:
        others = legal_moves(variant, position) if among is None else among
        if move in others and any(_differs(move, other) for other in others):
            squares = move.path
    return format_squares(variant, squares, capture=move.is_capture, naming=naming)


def format_moves(
    variant: Variant,
    position: Position,
    moves: Iterable[Move],
    *,
    naming: Naming | None = None,
    among: Sequence[Move] | None = None,
) -> tuple[str, ...]:
    """Write legal moves of one position, each text once, in the order of their squares.

    ``among`` are the legal moves of the position, if the caller has them already.
    """
    among = legal_moves(variant, position) if among is None else among
    ordered = sorted(moves, key=lambda move: (move.origin, move.destination, move.path))
    texts = [format_move(variant, position, move, naming=naming, among=among) for move in ordered]
    return tuple(dict.fromkeys(texts))


def format_squares(
    variant: Variant, squares: Sequence[Square], *, capture: bool, naming: Naming | None = None
) -> str:
    """Join squares to a move's text, by the custom of the variant."""
    if (naming or variant.naming) is Naming.ALGEBRAIC:
        separator = variant.separator if capture else "-"
        return separator.join(algebraic_name(variant, square) for square in squares)
    return ("x" if capture else "-").join(str(square) for square in squares)


def name_of(variant: Variant, square: Square, *, naming: Naming | None = None) -> str:
    """Return a square's name by the custom of the variant."""
    return format_squares(variant, (square,), capture=False, naming=naming)


def readings_of(variant: Variant, text: str) -> tuple[MoveText, ...]:
    """Return every way to read a move's text; more than one only for digits run together.

    Raises:
        UnreadableMove: there is none.
    """
    if len(text) > LONGEST:
        raise UnreadableMove(f"a move has no more than {LONGEST} characters")
    bare = _STRENGTH.sub("", text.strip().lower().translate(_SAME)).strip()
    captured: tuple[Square, ...] = ()
    if listed := _CAPTURED_LIST.search(bare):
        captured = _squares(variant, listed.group(1).split(","), text)
        bare = bare[: listed.start()].strip()
    if _SEPARATED.fullmatch(bare):
        squares = _squares(variant, re.split(r"[-x:]", bare), text)
        return (MoveText(squares, "x" in bare or ":" in bare, captured),)
    if _GLUED_NAMES.fullmatch(bare):
        squares = _squares(variant, re.findall(r"[a-l]\d{1,2}", bare), text)
        return (MoveText(squares, None, captured),)
    if _GLUED_NUMBERS.fullmatch(bare):
        found = [MoveText(squares, None, captured) for squares in _splits(variant, bare)]
        if found:
            return tuple(found)
    raise UnreadableMove(f"{shortened(text)} is not a move; moves look like {example_of(variant)}")


def unplayed_square(variant: Variant, text: str) -> str | None:
    """Return the first square of a move's text that is on the board but not played on, if any."""
    bare = _STRENGTH.sub("", text.strip().lower().translate(_SAME)).strip()
    if len(text) > LONGEST or not (_SEPARATED.fullmatch(bare) or _GLUED_NAMES.fullmatch(bare)):
        return None
    for name in re.findall(r"[a-l]\d{1,2}", bare):
        column, row = LETTERS.index(name[0]), int(name[1:])
        if column < variant.size and 1 <= row <= variant.size and not is_square(variant, name):
            return str(name)
    return None


def parse_move(variant: Variant, position: Position, text: str) -> Move:
    """Read a move and find the legal move that it means.

    The short form is taken where all moves that fit lead to the same position. Of several
    squares, those after the origin may be the landing squares (any of them on which a flying
    king may stop), or the captured ones before or after the destination.

    Raises:
        UnreadableMove: the text is not a move.
        IllegalMove: no legal move of the position fits.
        AmbiguousMove: several do, with different results; the message lists them.
    """
    legal = legal_moves(variant, position)
    fitting: list[Move] = []
    for reading in readings_of(variant, text):
        fitting.extend(matches(variant, position, reading, legal))
    if not fitting:
        known = ", ".join(format_moves(variant, position, legal)[:12]) or "none"
        raise IllegalMove(f"{shortened(text)} is not legal here; legal are {known}")
    if any(result_of(move) != result_of(fitting[0]) for move in fitting):
        listed = ", ".join(format_moves(variant, position, fitting))
        raise AmbiguousMove(f"{shortened(text)} may be {listed}; write all its squares")
    return fitting[0]


def matches(
    variant: Variant, position: Position, written: MoveText, legal: Sequence[Move]
) -> tuple[Move, ...]:
    """Return the legal moves that a text may mean, only those of exactly its squares if any."""
    found = [move for move in legal if _fits(variant, position, written, move)]
    exact = [move for move in found if move.path == written.squares]
    return tuple(exact or found)


def loose_matches(written: MoveText, legal: Sequence[Move]) -> tuple[Move, ...]:
    """Return the legal moves that careless text may mean.

    Files write quiet moves with the sign of a capture, and leave out squares of a capture's way.
    """
    squares = written.squares
    found = []
    for move in legal:
        way = iter(move.path)
        if (
            (move.origin, move.destination) == (squares[0], squares[-1])
            and (move.is_capture or len(squares) == 2)
            and all(square in way for square in squares)
        ):
            found.append(move)
    return tuple(found)


def _fits(variant: Variant, position: Position, written: MoveText, move: Move) -> bool:
    squares = written.squares
    if move.origin != squares[0] or (written.is_capture and not move.is_capture):
        return False
    if written.captured and set(written.captured) != set(move.captured):
        return False
    if len(squares) == 2:
        return squares[1] == move.destination
    if not move.is_capture:
        return False
    taken = sorted(move.captured)
    if squares[1] == move.destination and sorted(squares[2:]) == taken:
        return True
    if squares[-1] != move.destination:
        return False
    return sorted(squares[1:-1]) == taken or _lands(variant, position, squares, move)


def _lands(variant: Variant, position: Position, squares: Sequence[Square], move: Move) -> bool:
    """Say whether a capture may be walked over exactly these squares."""
    if len(squares) != len(move.path):
        return False
    occupied = position.occupied & ~bit_of(move.origin)
    legs = zip(squares, squares[1:], move.captured, strict=False)
    return all(
        over in between(variant, start, end) and not bit_of(end) & occupied
        for start, end, over in legs
    )


def between(variant: Variant, start: Square, end: Square) -> tuple[Square, ...]:
    """Return the playing squares strictly between two on a line; empty if on no line."""
    from_row, from_column = place_of(variant, start)
    to_row, to_column = place_of(variant, end)
    down, right = to_row - from_row, to_column - from_column
    if abs(down) != abs(right) and down and right:
        return ()
    found = []
    for step in range(1, max(abs(down), abs(right))):
        square = square_at(
            variant, from_row + step * _sign(down), from_column + step * _sign(right)
        )
        if square is not None:
            found.append(square)
    return tuple(found)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _differs(move: Move, other: Move) -> bool:
    """Say whether two moves share their ends but not their result."""
    return (
        move.origin == other.origin
        and move.destination == other.destination
        and result_of(move) != result_of(other)
    )


def result_of(move: Move) -> tuple[Square, Square, frozenset[Square], bool]:
    """Return what makes two routes one move: their ends, what they capture, the resulting piece."""
    return move.result


def _squares(variant: Variant, names: Sequence[str], text: str) -> tuple[Square, ...]:
    try:
        return tuple(square_called(variant, "".join(name.split())) for name in names)
    except UnreadablePosition as error:
        raise UnreadableMove(f"{error}: {shortened(text)}") from None


def _splits(variant: Variant, digits: str) -> list[tuple[Square, ...]]:
    if len(digits) > 4:
        pairs = [digits[i : i + 2] for i in range(0, len(digits), 2)]
        candidates = [pairs]
    else:
        candidates = [[digits[:cut], digits[cut:]] for cut in range(1, len(digits))]
    found = []
    for names in candidates:
        if all(len(name) < 3 and 1 <= int(name) <= variant.squares for name in names):
            found.append(tuple(Square(int(name)) for name in names))
    return found


def example_of(variant: Variant) -> str:
    """Return what a move of the variant looks like."""
    if variant.naming is Naming.ALGEBRAIC:
        return f"c3-d4, c3{variant.separator}e5"
    return f"32-28, 27{variant.separator}18"


def shortened(text: str) -> str:
    """Return a text in quotes, cut if it is long."""
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
