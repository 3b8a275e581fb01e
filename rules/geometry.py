"""Where squares lie: numbers, rows and columns, algebraic names."""

from functools import cache

from crownhead.rules.errors import UnreadablePosition
from crownhead.rules.position import Square
from crownhead.rules.variant import Corner, Playing, Variant, numbers_from_upper_left

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def place_of(variant: Variant, square: Square) -> tuple[int, int]:
    """Return the (row, column) of a square.

    Row 0 is the row farthest from White, column 0 is at White's left hand.
    """
    return _places(variant)[square - 1]


def square_at(variant: Variant, row: int, column: int) -> Square | None:
    """Return the square at a (row, column), None if it is off the board or not played on."""
    return _squares(variant).get((row, column))


def all_squares(variant: Variant) -> tuple[Square, ...]:
    """Return every playing square in the order of its number."""
    return tuple(Square(n) for n in range(1, variant.squares + 1))


def algebraic_name(variant: Variant, square: Square) -> str:
    """Return a square's algebraic name; a1 lies at White's lower left."""
    row, column = place_of(variant, square)
    return f"{LETTERS[column]}{variant.size - row}"


def is_square(variant: Variant, name: str) -> bool:
    """Say whether an algebraic name, in small letters, is that of a playing square."""
    return name in _names(variant)


def square_called(variant: Variant, name: str) -> Square:
    """Return the square of a number or an algebraic name in the variant's board.

    Raises:
        UnreadablePosition: the text names no playing square.
    """
    text = name.strip()
    if text.isdecimal() and text.isascii():
        digits = text.lstrip("0")
        # Python refuses to read numbers of thousands of digits; so do we, in our own words.
        number = int(digits) if 0 < len(digits) < 4 else 0
        if 1 <= number <= variant.squares:
            return Square(number)
        raise UnreadablePosition(
            f"square {text[:20]} is not on the board of {variant.name}, "
            f"which has 1 to {variant.squares}"
        )
    found = _names(variant).get(text.lower())
    if found is None:
        raise UnreadablePosition(
            f"{text[:20]!r} is not a playing square of {variant.name} "
            f"({variant.size}x{variant.size})"
        )
    return found


@cache
def _places(variant: Variant) -> tuple[tuple[int, int], ...]:
    size = variant.size
    parity = 1 if variant.dark_corner is Corner.LEFT else 0
    # The lower left corner is (size - 1, 0), and sizes are even.
    everywhere = variant.playing is Playing.ALL
    places = [
        (r, c) for r in range(size) for c in range(size) if everywhere or (r + c) % 2 == parity
    ]
    return tuple(places if numbers_from_upper_left(variant) else reversed(places))


@cache
def _squares(variant: Variant) -> dict[tuple[int, int], Square]:
    return {place: Square(n) for n, place in enumerate(_places(variant), 1)}


@cache
def _names(variant: Variant) -> dict[str, Square]:
    return {algebraic_name(variant, square): square for square in all_squares(variant)}
