"""The Adalight protocol, which Arduino sketches and WLED boards read from a serial line.

A frame is ``Ada``, the number of lights less one in two bytes (high first), a check byte (high
xor low xor 0x55), then red, green and blue of every light in the order of the strip.
"""

from collections.abc import Sequence

from crownhead.hardware.errors import HardwareError
from crownhead.hardware.plan import Colour

MAX_LIGHTS = 0x10000


def encode(colours: Sequence[Colour]) -> bytes:
    """Return one frame that sets every light.

    Args:
        colours: a colour for each light, in the order of the strip.

    Returns:
        ``6 + 3 * len(colours)`` bytes.

    Raises:
        HardwareError: there is no light, or more than two bytes can count.
    """
    if not 0 < len(colours) <= MAX_LIGHTS:
        raise HardwareError(f"an Adalight frame has 1 to {MAX_LIGHTS} lights, not {len(colours)}")
    high, low = divmod(len(colours) - 1, 256)
    header = b"Ada" + bytes([high, low, high ^ low ^ 0x55])
    return header + b"".join(bytes(colour) for colour in colours)
