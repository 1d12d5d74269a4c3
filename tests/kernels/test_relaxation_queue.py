"""The queue of relaxation against a list: first in, first out, every node at most once, round the ring."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zerokelvin.kernels.relaxation_queue import join, leave, new_queue


@pytest.mark.kernels
@settings(max_examples=60)
@given(st.data(), st.integers(1, 9))
def test_nodes_leave_in_the_order_in_which_they_were_wanted(data, count):
    queue, head, tail, expected = new_queue(count), 0, 0, []
    for _ in range(data.draw(st.integers(0, 60))):
        if expected and data.draw(st.booleans()):
            node, head = leave(queue, head)
            assert int(node) == expected.pop(0)
        else:
            node, wanted = data.draw(st.integers(0, count - 1)), data.draw(st.booleans())
            tail = join(queue, tail, node, wanted)
            if wanted and node not in expected:
                expected.append(node)
        assert tail - head == len(expected)
        assert [bool(queue[1][node]) for node in range(count)] == [node in expected for node in range(count)]


def test_a_queue_takes_all_nodes_and_has_room_behind_the_last():
    for count in (1, 2, 3, 4, 7, 8, 9, 1000):
        ring, waiting = new_queue(count)
        assert len(ring) > count == len(waiting)
        assert len(ring) & (len(ring) - 1) == 0
