"""PDN's position string: read in every form met in the wild, written in one."""

from __future__ import annotations

import re

from crownhead.rules.errors import UnreadablePosition
from crownhead.rules.geometry import algebraic_name, all_squares, square_called
from crownhead.rules.position import Position, Side, Square
from crownhead.rules.tables import bit_of
from crownhead.rules.variant import Naming, Variant

LONGEST = 2000
"""A longer string than this is no position of any board."""

_TAG = re.compile(r'\[\s*fen\s*"(.*)"\s*\]', re.IGNORECASE | re.DOTALL)

_COUNT = re.compile(r"[HF]\d{1,4}", re.ASCII)


def parse_fen(text: str, variant: Variant) -> Position:
    """Read a position, with numbers or algebraic names, ranges, spaces or a final dot.

    A turn of ``?`` or none is taken as the side that begins the variant.

    Raises:
        UnreadablePosition: the text is not a position on the variant's board; the message
            says which part is wrong.
    """
    if len(text) > LONGEST:
        raise UnreadablePosition(f"a position has no more than {LONGEST} characters")
    tag = _TAG.fullmatch(text.strip())
    bare = (tag.group(1) if tag else text).strip().strip('"')
    turn_text, *lists = "".join(bare.split()).rstrip(".").split(":")
    # Some programs add the counts of moves, which a position of ours does not have.
    lists = [part for part in lists if not _COUNT.fullmatch(part)]
    turn = _turn(turn_text, variant, text)
    if len(lists) != 2:
        raise UnreadablePosition(f"a position looks like W:W31-50:B1-20, not {_short(text)}")
    boards = {Side.WHITE: 0, Side.BLACK: 0}
    kings = 0
    seen: list[Side] = []
    for part in lists:
        side, pieces, crowned = _pieces(part, variant, text)
        if side is not None:
            seen.append(side)
            boards[side] |= pieces
            kings |= crowned
    if len(seen) != len(set(seen)):
        raise UnreadablePosition(f"one side is listed twice in {_short(text)}")
    if twice := boards[Side.WHITE] & boards[Side.BLACK]:
        raise UnreadablePosition(
            f"square {twice.bit_length()} has a piece of both sides in {_short(text)}"
        )
    return Position(boards[Side.WHITE], boards[Side.BLACK], kings, turn)


def format_fen(position: Position, variant: Variant, *, naming: Naming | None = None) -> str:
    """Write a position like ``W:W31-50:B1-20``; three or more squares in a row make a range.

    Squares are numbers unless ``naming`` asks for algebraic names, which have no ranges.
    """
    sides = (
        ("W", position.white, position.white & position.kings),
        ("B", position.black, position.black & position.kings),
    )
    turn = "W" if position.turn is Side.WHITE else "B"
    lists = ":".join(
        letter + ",".join(_items(variant, board, kings, naming)) for letter, board, kings in sides
    )
    return f"{turn}:{lists}"


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:77]}...")


def _turn(letter: str, variant: Variant, text: str) -> Side:
    match letter.upper():
        case "W":
            return Side.WHITE
        case "B":
            return Side.BLACK
        case "?" | "":
            return variant.first
    raise UnreadablePosition(
        f"a position begins with W: or B: for the side to move, not {_short(text)}"
    )


def _pieces(part: str, variant: Variant, text: str) -> tuple[Side | None, int, int]:
    """Return the side, its pieces and its kings of one list; an empty part has no side."""
    if not part:
        return None, 0, 0
    side = {"W": Side.WHITE, "B": Side.BLACK}.get(part[0].upper())
    # "b2,d4" without its colour would otherwise read as Black's 2 and d4.
    if side is None:
        raise UnreadablePosition(
            f"each list of squares begins with W or B, which {_short(part)} in {_short(text)} lacks"
        )
    board = kings = 0
    for item in part[1:].split(","):
        if not item:
            continue
        # On twelve columns a small k is a column.
        crowned = item[0] == "K" or (item[0] == "k" and variant.size < 11)
        squares = _squares_of(item[1:] if crowned else item, variant, text)
        for square in squares:
            bit = bit_of(square)
            if board & bit:
                raise UnreadablePosition(f"square {square} is listed twice in {_short(text)}")
            board |= bit
            kings |= bit if crowned else 0
    return side, board, kings


def _squares_of(item: str, variant: Variant, text: str) -> tuple[Square, ...]:
    first, dash, last = item.partition("-")
    try:
        start = square_called(variant, first)
        if not dash:
            return (start,)
        end = square_called(variant, last.removeprefix("K"))
    except UnreadablePosition as error:
        raise UnreadablePosition(f"{error}: {_short(text)}") from None
    if end < start:
        raise UnreadablePosition(f"the range {item!r} runs backward in {_short(text)}")
    return tuple(Square(n) for n in range(start, end + 1))


def _items(variant: Variant, board: int, kings: int, naming: Naming | None) -> list[str]:
    """Return the list items of one side: men and kings in the order of their squares."""
    if naming is Naming.ALGEBRAIC:
        return [
            ("K" if kings & bit_of(s) else "") + algebraic_name(variant, s)
            for s in all_squares(variant)
            if board & bit_of(s)
        ]
    items: list[str] = []
    square = 1
    while square <= variant.squares:
        bit = bit_of(Square(square))
        if not board & bit:
            square += 1
            continue
        is_king = bool(kings & bit)
        last = square
        while (
            last < variant.squares
            and board & (next_bit := bit_of(Square(last + 1)))
            and bool(kings & next_bit) == is_king
        ):
            last += 1
        mark = "K" if is_king else ""
        if last - square >= 2:
            items.append(f"{mark}{square}-{last}")
        else:
            items.extend(f"{mark}{s}" for s in range(square, last + 1))
        square = last + 1
    return items
