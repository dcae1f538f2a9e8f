"""Making things plain, in place and whatever they are."""

import collections
import dataclasses
import functools
import time
import types
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest
from hybridad._record import is_wrapper, raw_of

from hybridad.recording.effects.concrete import Concretizer
from tests.recording.effects.runs import recording, wrappers

P = collections.namedtuple("P", "a b")


@dataclasses.dataclass(frozen=True)
class Frozen:
    w: object
    more: list


class Slots:
    __slots__ = ("__weakref__", "empty", "w")


class Both(Slots):
    pass


class Loud:
    """Whose hooks fail."""

    def __getattribute__(self, name):
        raise AssertionError(name)

    __setattr__ = __getattr__ = __eq__ = __bool__ = __len__ = __iter__ = __getattribute__
    __hash__ = None


class Items(list):
    __slots__ = ("label",)


class Point(tuple):
    pass


@pytest.fixture
def w():
    return wrappers(2.0)[0]


def make_plain(x, plain=raw_of):
    concretizer = Concretizer(plain)
    made = concretizer.value(x)
    concretizer.finish()
    return made


@pytest.mark.parametrize("build, read", [
    (lambda w: [1, w], lambda x: x[1]),
    (lambda w: {"a": w}, lambda x: x["a"]),
    (lambda w: {"a": [{"b": (w,)}]}, lambda x: x["a"][0]["b"][0]),
    (lambda w: OrderedDict(a=1, b=w), lambda x: x["b"]),
    (lambda w: defaultdict(list, a=[w]), lambda x: x["a"][0]),
    (lambda w: Counter(a=w), lambda x: x["a"]),
    (lambda w: deque([1, w], maxlen=2), lambda x: x[1]),
    (lambda w: (1, (w,)), lambda x: x[1][0]),
    (lambda w: P(1, w), lambda x: x.b),
    (lambda w: {1, w}, lambda x: next(v for v in x if v == 2.0)),
    (lambda w: frozenset([w]), lambda x: next(iter(x))),
    (lambda w: {w: 1, "b": w}, lambda x: next(iter(x))),
    (lambda w: OrderedDict([((w, 1), 1)]), lambda x: next(iter(x))[0]),
    (lambda w: types.CellType(w), lambda x: x.cell_contents),
    (lambda w: lambda: w, lambda x: x()),
    (lambda w: lambda v=w: v, lambda x: x()),
    (lambda w: types.SimpleNamespace(w=w), lambda x: x.w),
    (lambda w: Frozen(w, []), lambda x: x.w),
    (lambda w: Frozen(1, [w]), lambda x: x.more[0]),
    (lambda w: functools.partial(max, w), lambda x: x.args[0]),
    (lambda w: functools.partial(max, key=w), lambda x: x.keywords["key"]),
    (lambda w: np.array([None, w], dtype=object), lambda x: x[1]),
    (lambda w: ValueError("a", w), lambda x: x.args[1]),
    (lambda w: types.MappingProxyType({"a": w}), lambda x: x["a"]),
    (lambda w: iter([w]), lambda x: next(x)),
    (lambda w: [w].append, lambda x: x.__self__[0]),
    (lambda w: Frozen([w], 1).__eq__, lambda x: x.__self__.w[0]),
    (lambda w: ExceptionGroup("g", [KeyError(w)]), lambda x: x.exceptions[0].args[0]),
    (lambda w: AttributeError("no", obj=w), lambda x: x.obj),
], ids=str)
def test_kinds(w, build, read):
    x = build(w)
    made = make_plain(x)
    found = read(made)
    assert type(found) is np.float64 and found is raw_of(w)
    if not isinstance(x, tuple | frozenset):
        assert made is x
    assert type(made) is type(x)


def test_keyword_only_defaults_and_attributes_of_functions(w):
    def f(*, v=w):
        return v

    f.calls = w
    make_plain(f)
    assert f() is f.calls is raw_of(w)


def test_zero_dimensional_and_read_only_object_arrays(w):
    scalar = np.array(None, dtype=object)
    scalar[()] = w
    fixed = np.array([w, None], dtype=object)
    fixed.flags.writeable = False
    make_plain([scalar, fixed])
    assert scalar[()] is raw_of(w) and is_wrapper(fixed[0])


def test_arrays_in_object_arrays_stay_items():
    with recording(np.arange(3.0)) as (_, x):
        held = np.empty((1, 2), dtype=object)
        held[0, 1] = x
        make_plain(held)
    assert held[0, 1] is raw_of(x)


def test_slots_and_attributes_of_items(w):
    s, both, items, point = Slots(), Both(), Items([w]), Point((w, 1))
    s.w = both.w = both.more = items.label = point.label = w
    make_plain([s, both, items])
    assert s.w is both.w is both.more is items.label is items[0] is raw_of(w)
    made = make_plain(point)
    assert type(made) is Point and made == (2.0, 1) and made[0] is raw_of(w)
    assert make_plain(made.label) is raw_of(w)


def test_no_code_of_the_users_is_called(w):
    loud = Loud()
    held = object.__getattribute__(loud, "__dict__")
    held["w"] = w
    make_plain([loud, {"a": loud}, {1: 2, "x": loud}])
    assert held["w"] is raw_of(w)


def test_aliasing_and_cycles(w):
    seen = []
    shared = [w]
    shared.append(shared)
    pair = (w, shared)
    t = types.SimpleNamespace(pair=pair, again=pair, shared=shared)
    t.me = t
    make_plain(t, lambda x: seen.append(x) or raw_of(x))
    assert seen == [w]
    assert t.pair is t.again and t.pair[1] is shared is t.shared and t.me is t
    assert shared[0] is t.pair[0] is raw_of(w) and shared[1] is shared


def test_what_holds_nothing_is_not_built_anew():
    pair = (1, (2.0, "x"), frozenset([3]))
    held = [pair]
    make_plain(held)
    assert held[0] is pair


def test_wrapper_that_stays(w):
    held = [w, (w,)]
    pair = held[1]
    make_plain(held, lambda x: x)
    assert held[0] is w and held[1] is pair


def test_deep_links_do_not_recurse(w):
    chain = node = types.SimpleNamespace(next=None)
    linked = (w, None)
    for _ in range(20_000):
        node.next = types.SimpleNamespace(next=None)
        node = node.next
        linked = (1.0, linked)
    node.next = w
    make_plain(chain)
    assert node.next is raw_of(w)
    made = make_plain([linked])[0]
    while made[1] is not None:
        made = made[1]
    assert made[0] is raw_of(w)


def test_order_of_keys():
    a, b = wrappers(1.0, 2.0)
    held = {"x": a, b: "y", "z": b, (a, "t"): 4}
    make_plain(held)
    assert list(held.items()) == [("x", 1.0), (2.0, "y"), ("z", 2.0), ((1.0, "t"), 4)]
    assert not any(map(is_wrapper, [*held, *held.values()]))
    ordered = OrderedDict([(b, 1), ("a", 2)])
    ordered.move_to_end(b)
    make_plain(ordered)
    assert list(ordered) == ["a", 2.0]


def test_dictionary_whose_keys_refuse_a_hash_is_left(w):
    class Once:
        hashed = False

        def __hash__(self):
            if self.hashed:
                raise RuntimeError("hashed again")
            self.hashed = True
            return 1

    held = {Once(): 1, w: 2}
    with pytest.raises(RuntimeError, match="hashed again"):
        make_plain(held)
    assert len(held) == 2


def test_foreign_objects_are_left(w):
    moment = time.localtime()
    generator = (v for v in [w])
    assert make_plain((moment, w))[0] is moment
    make_plain([generator, types.ModuleType("made"), Frozen, threading_lock(), open])
    assert is_wrapper(next(generator)) or True


def threading_lock():
    import threading
    return threading.Lock()


def test_start_of_a_list(w):
    held = [w, w]
    concretizer = Concretizer(raw_of)
    concretizer.visit(held, 1)
    assert held[0] is w and held[1] is raw_of(w)


def test_shallow(w):
    held = [w, [w]]
    concretizer = Concretizer(raw_of, deep=False)
    concretizer.visit(held)
    concretizer.finish()
    assert held[0] is raw_of(w) and held[1][0] is w
