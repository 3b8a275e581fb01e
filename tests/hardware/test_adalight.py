import pytest
from hypothesis import given
from hypothesis import strategies as st

from crownhead.hardware.adalight import encode
from crownhead.hardware.errors import HardwareError

levels = st.integers(0, 255)


def test_frame_of_two_lights_byte_for_byte():
    # 'A' 'd' 'a', count - 1 = 0x0001, check 0x00 ^ 0x01 ^ 0x55 = 0x54.
    assert encode([(1, 2, 3), (255, 0, 128)]) == bytes.fromhex("416461 0001 54 010203 ff0080")


@pytest.mark.parametrize(
    ("lights", "header"),
    [(64, "416461 003f 6a"), (100, "416461 0063 36"), (300, "416461 012b 7f")],
    ids=["8x8", "10x10", "two-byte count"],
)
def test_header_counts_the_lights(lights, header):
    frame = encode([(0, 0, 0)] * lights)
    assert frame[:6] == bytes.fromhex(header)
    assert len(frame) == 6 + 3 * lights


@given(st.lists(st.tuples(levels, levels, levels), min_size=1, max_size=400))
def test_a_reader_of_the_protocol_gets_the_colours_back(strip):
    frame = encode(strip)
    high, low, check = frame[3:6]
    assert frame[:3] == b"Ada"
    assert check == high ^ low ^ 0x55
    count = 256 * high + low + 1
    assert [tuple(frame[6 + 3 * n : 9 + 3 * n]) for n in range(count)] == strip
    assert len(frame) == 6 + 3 * count


@pytest.mark.parametrize("lights", [0, 65537])
def test_a_strip_that_the_header_cannot_count_is_refused(lights):
    with pytest.raises(HardwareError, match="1 to 65536 lights"):
        encode([(0, 0, 0)] * lights)
