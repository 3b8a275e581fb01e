"""What the lights say: places on the board, what each means, and the colour of each meaning."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from crownhead.hardware.errors import HardwareError
from crownhead.hardware.layout import Layout, Place, led_count, led_index

Colour = tuple[int, int, int]
"""Red, green and blue, each 0 to 255."""

LEVELS = (0, 16, 32, 64, 96, 128, 160, 208, 240, 255)
"""The only levels sent. None of them is a byte that WLED takes for a command when a lost byte
has made it leave a frame early: 0xB0 to 0xB7, for one, would change its baud rate."""

MIN_CAP = 64
DEFAULT_CAP = 64
"""Highest level of any colour. At 64, one white light draws about 15 mA beside its idle 1 mA
(model: 20 mA a colour at 255), so a hundred lights with twelve squares lit stay under 300 mA."""


class Meaning(IntEnum):
    """What a lit place says; where two fall on one place the higher one shows.

    Of an illegal move, the square that the piece left thus asks for it back, and the one where
    it stands now shows that it may not.
    """

    LAST_MOVE = 1
    REMOVE = 2
    ILLEGAL = 3
    PUT_BACK = 4


@dataclass(frozen=True, slots=True)
class LightPlan:
    """Everything that is to be lit at one time; all other places are dark."""

    lit: tuple[tuple[Place, Meaning], ...] = ()


DARK = LightPlan()


def plan_of(places: Mapping[Meaning, Iterable[Place]]) -> LightPlan:
    """Return a plan from the places of each meaning; a place asked for twice appears once."""
    lit: dict[Place, Meaning] = {}
    for meaning in sorted(places):
        lit.update(dict.fromkeys(places[meaning], meaning))
    return LightPlan(tuple(sorted(lit.items())))


def colour_of(meaning: Meaning, *, cap: int = DEFAULT_CAP) -> Colour:
    """Return a meaning's colour with no component above ``cap``.

    The four differ in brightness as well as in hue, each at least one and a half times as bright
    as the one before it (last move, illegal, remove, put back), so that they can be told apart
    by people who do not see the hues and on boards with lights of one colour.

    Raises:
        HardwareError: the cap is outside 64 to 255; below that the levels fall together.
    """
    if not MIN_CAP <= cap <= 255:
        raise HardwareError(f"the brightness is {MIN_CAP} to 255, not {cap}")
    full = max(level for level in LEVELS if level <= cap)
    half, quarter = (max(level for level in LEVELS if level * n <= full) for n in (2, 4))
    match meaning:
        case Meaning.LAST_MOVE:
            return (0, quarter, half)
        case Meaning.ILLEGAL:
            return (full, quarter, 0)
        case Meaning.REMOVE:
            return (full, half, full)
        case Meaning.PUT_BACK:
            return (full, full, full)


def colours(plan: LightPlan, layout: Layout, *, cap: int = DEFAULT_CAP) -> tuple[Colour, ...]:
    """Return the colour of every light in the order of the strip.

    Raises:
        HardwareError: a place is not on the board, or the cap is out of range.
    """
    frame: list[Colour] = [(0, 0, 0)] * led_count(layout)
    for place, meaning in sorted(plan.lit, key=lambda item: item[1]):
        frame[led_index(layout, place)] = colour_of(meaning, cap=cap)
    return tuple(frame)
