import json
from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from crownhead.rules.message import Message, message, read_message
from crownhead.rules.position import Side
from crownhead.rules.variant import Priority

NAMES = st.one_of(
    st.tuples(st.just("side"), st.sampled_from(Side)),
    st.tuples(st.just("priority"), st.sampled_from(Priority)),
    st.tuples(st.just("squares"), st.lists(st.text()).map(tuple)),
    st.tuples(st.sampled_from(["seen", "square"]), st.text()),
    st.tuples(st.just("limit"), st.integers()),
)


@given(st.builds(Message, st.text(), st.lists(NAMES, max_size=4).map(tuple)))
def test_a_message_survives_a_trip_through_json(sent: Message):
    assert read_message(json.loads(json.dumps(asdict(sent)))) == sent


def test_names_keep_their_order():
    assert message("legal", side=Side.WHITE, seen="32-28").names == (
        ("side", Side.WHITE),
        ("seen", "32-28"),
    )
