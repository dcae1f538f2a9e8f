"""What code from outside is given in place of the values of a run."""

import functools

import numpy as np

from hybridad.recording.runtime.given import Given, holds, holds_active
from tests.recording.effects.runs import recording, wrappers


def test_the_same_list_twice_and_a_list_in_itself():
    with recording(np.ones(2)) as (run, x):
        items = [x, 1.0]
        items.append(items)
        table = {"items": items, "x": x}
        given = Given(run)
        a, b, t, pair = map(given.plain, (items, items, table, (items, x)))
        assert a is b is t["items"] is pair[0] is a[2]
        assert type(a[0]) is np.ndarray and a[0] is t["x"] is pair[1]
        a.reverse()
        t["new"] = a[2]
        given.take_back()
        assert items[0] is items and items[1] == 1.0 and items[2] is x
        assert list(table) == ["items", "x", "new"] and table["new"] is x


def test_what_holds_no_wrapper_is_given_as_it_is():
    with recording(1.0) as (run, x):
        given = Given(run)
        for plain in ([1.0, [2.0]], {"a": [1]}, (1, 2), {1, 2}, "a", np.ones(2), None, object()):
            assert given.plain(plain) is plain
        assert not given.copies and not given.wrappers
        assert given.plain({1.0}) == {1.0} and type(given.plain([x])[0]) is float


def test_where_active_values_are_looked_for():
    class Held:
        __slots__ = ("slot",)

    class Cunning:
        def __getattribute__(self, name):
            raise AssertionError

        def __iter__(self):
            raise AssertionError

    class Items(list):
        __iter__ = Cunning.__iter__

    with recording(1.0) as (_, x):
        held, cunning, o = Held(), Cunning(), type("O", (), {})()
        held.slot = o.attribute = x
        object.__setattr__(cunning, "attribute", x)
        cell = x
        loop = [1.0]
        loop.append(loop)
        for found in ([x], (1, {2: [x]}), {"a": x}, o, held, cunning,
                      Items([x]), functools.partial(max, x), functools.partial(max, key=x),
                      lambda: cell, lambda a=x: a, type("M", (), {"m": lambda self: cell})().m,
                      [loop, x]):
            assert holds_active(found), found
        for other in ([1.0, [2.0]], "a", None, np.ones(2), Held(), Cunning(), Items([1.0]), loop,
                      max, lambda: 1.0, type, type("O", (), {"x": x}), 1.0):
            assert not holds_active(other), other
    (left,) = wrappers(1.0)
    assert not holds_active([left])


def test_what_is_looked_for():
    with recording(1.0) as (run, x):
        inactive = run.wrap(np.ones(2))
        assert not holds_active([inactive])
        assert holds([inactive], lambda found: found is inactive)
        assert not holds([x], lambda found: found is inactive)
