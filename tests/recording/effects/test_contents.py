"""What builtin containers hold, and putting it back."""

import array
from collections import Counter, OrderedDict, defaultdict, deque

import pytest

from hybridad.recording.effects.contents import base_of, put_back, take


class Loud(list):
    """A list whose every method fails."""

    def __iter__(self):
        raise AssertionError

    __getitem__ = __setitem__ = __len__ = __eq__ = copy = clear = __iter__
    __hash__ = None


class LoudDict(dict):
    """A dictionary whose every method fails."""

    def __iter__(self):
        raise AssertionError

    __getitem__ = __setitem__ = __len__ = copy = clear = update = keys = items = __iter__


ordered = OrderedDict(a=1, b=2, c=3)
ordered.move_to_end("a")
big = set(range(100, 0, -7))
big |= {0.5, 1000}

CONTAINERS = {
    "list": ([1, [2], 3], lambda c: (c.append(4), c.reverse())),
    "list subclass": (Loud([1, 2]), lambda c: list.append(c, 3)),
    "dict": ({"a": 1, "b": 2}, lambda c: (c.pop("a"), c.update(a=1, c=3))),
    "dict subclass": (LoudDict(a=1), lambda c: dict.clear(c)),
    "ordered": (ordered, lambda c: (c.move_to_end("b"), c.pop("c"))),
    "counter": (Counter("abca"), lambda c: c.update("zab")),
    "default": (defaultdict(list, a=[1]), lambda c: c["new"]),
    "set": ({3, 1, 2}, lambda c: (c.remove(1), c.add(9))),
    "grown set": ({*range(5)}, lambda c: (c.add(77), c.remove(2))),
    "big set": (big, lambda c: (c.clear(), c.update(range(1000)))),
    "deque": (deque([1, 2, 3], maxlen=3), lambda c: (c.append(4), c.rotate(1))),
    "bytearray": (bytearray(b"abc"), lambda c: c.extend(b"d")),
    "array": (array.array("d", [1.0, 2.0]), lambda c: c.append(3.0)),
}


def items(container):
    base = base_of(type(container))
    held = [*base.__iter__(container)]
    if issubclass(base, dict):
        return held, [dict.get(container, k) for k in held]
    return held


@pytest.mark.parametrize("name", CONTAINERS)
def test_put_back_restores_items_order_and_identity(name):
    container, change = CONTAINERS[name]
    base = base_of(type(container))
    before, content = items(container), take(base, container)
    change(container)
    assert items(container) != before
    put_back(base, container, content)
    assert items(container) == before
    if name == "deque":
        assert container.maxlen == 3
    if name == "list":
        assert container[1] is before[1]


def test_what_a_list_appended():
    assert take(list, [1, 2, 3], 2) == [3]


def test_other_types_are_no_containers():
    assert base_of(tuple) is base_of(str) is base_of(object) is None
    assert base_of(Counter) is dict
    assert base_of(OrderedDict) is OrderedDict
