"""Signatures: what is a leaf, what is known by value, and which calls are told apart."""

import enum
import gc
import itertools
import threading
import weakref
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field

import numpy as np
import pytest
from hybridad._signature import Signature, signature

import hybridad
from hybridad import tree
from hybridad.errors import ArgumentError

X = np.arange(12.0).reshape(3, 4)
Point = namedtuple("Point", "x y")


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1


class Name(enum.StrEnum):
    A = "a"


class Own:
    pass


@dataclass
class Model:
    w: object
    b: object
    name: str = field(default="m", metadata={"static": True})


def key(*args, keys=(), **kwargs):
    return signature(args, kwargs, keys)[0]


def leaves(*args, keys=(), **kwargs):
    return signature(args, kwargs, keys)[1]


def same(found, expected):
    return len(found) == len(expected) and all(a is b for a, b in zip(found, expected))


# Leaves -----------------------------------------------------------------------------------------


def test_leaves_come_in_the_order_of_the_arguments():
    n, f, z, s, own = 7, 2.5, 1j, np.float32(1.5), Own()
    args = (X, n, f, z, s, own, [1], {}, len, Own, np)
    assert same(leaves(*args, last=X), [*args, X])


@pytest.mark.parametrize("x", [
    True, False, None, ..., "text", b"bytes", Colour.RED, Level.LOW, Name.A, (), ("a", None),
    ((True, (Colour.RED, ...)), b""),
])
def test_known_by_value(x):
    assert same(leaves(X, x, X), [X, X])
    found = key(x)
    assert found.leaves == 0 and found.rebuild([]) == ((x,), {})
    assert type(found.rebuild([])[0][0]) is type(x)


@pytest.mark.parametrize("x", [
    5, 5.0, 5j, np.float64(5), np.int8(5), np.bool_(True), X, X.astype(int), np.array("s"),
    np.str_("s"), np.datetime64("2020-01-01"), [1], {}, {1}, (1,), (1.0, "a"), ((X,),), range(3),
    slice(3), Own(), Own, len, np, Colour, Level, np.ma.array(X), X.view(np.recarray),
    bytearray(b""), float, Point(1, 2),
], ids=lambda x: type(x).__name__)
def test_one_leaf(x):
    assert same(leaves("a", x), [x])


def test_a_number_is_no_part_of_the_signature():
    assert key(1, 2.0, 3j, np.float64(4)) == key(-5, -0.0, 0j, np.float64("nan"))
    assert key(10**30) == key(0)


def test_what_is_told_apart_by_type():
    various = [1, True, False, 1.0, 1 + 0j, Level.LOW, "1", b"1", Name.A, "a", None, (), ("a",), [],
               {}, ..., Colour.RED, Colour.BLUE, Colour, Own(), Own, (True,), (None,), ((),), (1,),
               np.ones(()), np.ones(1), np.ones((1, 1))]
    various += [t(1) for t in (np.float64, np.float32, np.float16, np.longdouble, np.complex64,
                               np.complex128, np.clongdouble, np.int8, np.int64, np.uint8,
                               np.bool_)]
    for a, b in itertools.combinations(various, 2):
        assert key(a) != key(b), (a, b)


def test_one_and_true_in_tuples():
    assert key((True,)) != key((1,)) and key(("1",)) != key((b"1",))
    assert key((("a",), "b")) != key(("a", ("b",))) != key(("a", "b"))


# Arrays -----------------------------------------------------------------------------------------


def frozen(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def misaligned():
    return np.frombuffer(bytearray(8 * 12 + 1), np.uint8)[1:].view(float).reshape(3, 4)


ARRAYS = {
    "plain": X,
    "fortran": np.asfortranarray(X),
    "float32": X.astype(np.float32),
    "float16": X.astype(np.float16),
    "complex": X.astype(complex),
    "int64": X.astype(np.int64),
    "uint64": X.astype(np.uint64),
    "bool": X.astype(bool),
    "swapped": X.astype(">f8"),
    "object": X.astype(object),
    "text": X.astype("U3"),
    "longer text": X.astype("U4"),
    "record": np.zeros((3, 4), [("a", float)]),
    "other record": np.zeros((3, 4), [("b", float)]),
    "date": np.zeros((3, 4), "M8[s]"),
    "other date": np.zeros((3, 4), "M8[D]"),
    "flat": X.ravel(),
    "turned": X.T.copy(),
    "read-only": frozen(X),
    "every second": np.ones((3, 8))[:, ::2],
    "every third": np.ones((3, 12))[:, ::3],
    "backwards": X[::-1],
    "broadcast": np.broadcast_to(np.ones(4), (3, 4)),
    "misaligned": misaligned(),
    "empty": np.ones((0, 4)),
    "no dimension": np.array(1.0),
}


@pytest.mark.parametrize("keys", [(), (0,)], ids=["other", "differentiated"])
def test_arrays_are_told_apart(keys):
    found = {name: key(x, keys=keys) for name, x in ARRAYS.items()}
    for a, b in itertools.combinations(found, 2):
        assert found[a] != found[b], (a, b)
    for name, x in ARRAYS.items():
        again = x.copy() if x.flags.c_contiguous and x.flags.writeable and name != "misaligned" \
            else x
        assert key(again, keys=keys) == found[name] and hash(key(again, keys=keys)) == hash(
            found[name])


def test_strides_of_contiguous_arrays_do_not_matter():
    wide = np.ones((1, 100))[:, :4]
    assert wide.flags.c_contiguous and wide.strides != np.ones((1, 4)).strides
    assert key(wide) == key(np.ones((1, 4)))


def test_native_byte_order_has_one_name():
    order = "<" if np.little_endian else ">"
    assert key(np.ones(3, order + "f8")) == key(np.ones(3, "=f8"))


def test_a_subclass_is_an_object():
    masked = np.ma.array(X)
    assert key(masked) != key(X) and key(masked) == key(masked[:1])


# Overlap ----------------------------------------------------------------------------------------


def buffers(n):
    return [np.ones(4) for _ in range(n)]


def test_the_same_array_twice():
    a, b = buffers(2)
    assert key(a, a) == key(b, b)
    assert len({key(a, a), key(a, b), key(a, a[:]), key(a, b, a), key(a, b, b), key(a, a, b)}) == 6


def test_overlaps_are_told_apart():
    a, b = np.ones(10), np.ones(10)
    assert key(a[:4], a[4:8]) == key(a[:4], b[4:8])  # side by side
    assert key(a[:4], a[3:7]) == key(b[2:6], b[5:9])
    assert key(a[:4], a[3:7]) != key(a[:4], a[2:6])
    assert key(a[:4], a[3:7]) != key(a[3:7], a[:4])
    assert key(a[0:8:2], a[1:9:2]) != key(a[0:8:2], a[0:8:2])  # interleaved, and equal
    assert key(a[::-1], a) != key(a[::-1], b)
    assert key(a[:0], a) == key(b[:0], a)


def test_overlap_within_an_argument_and_across():
    a, b = buffers(2)
    found = [key({"u": a, "v": v}, w, keys=(0,)) for v, w in [(a, a), (a, b), (b, a), (b, b)]]
    assert len(set(found)) == 4


def test_many_arrays():
    """They are sorted by address, which must not show."""
    arrays = buffers(40)
    shuffled = list(np.random.default_rng(0).permutation(40))
    other = [arrays[k] for k in shuffled]
    assert key(*arrays) == key(*other)
    for i, j in [(0, 39), (5, 7)]:
        a, b = list(arrays), list(other)
        a[j], b[j] = a[i], b[i]
        assert key(*a) == key(*b) != key(*arrays)
    block = np.ones(1000)
    several = [block[k:k + 4] for k in (0, 3, 500, 502, 900)]
    assert key(*arrays, *several) == key(*other, *several) != key(*arrays, *buffers(5))
    moved = [block[k + 1:k + 5] for k in (0, 3, 500, 502, 900)]
    assert key(*arrays, *several) == key(*other, *moved)
    assert key(*arrays, *several) != key(*arrays, *several[::-1])


def test_the_same_object_twice():
    a, b = Own(), Own()
    assert key(a, a) == key(b, b) != key(a, b)
    assert key([], 1.0, {}) == key([], 2.0, {})
    one = 1.0
    assert key(one, one, a, b) == key(1.0, 2.0, a, b)


# Pytrees ----------------------------------------------------------------------------------------

TREES = [
    X, 1.0, 1j, np.float32(2), (), [], {}, None, (X, 1.0), [X, [1.0, (2.0, None)]],
    {"w": 1.0, "b": X}, {"b": {"z": 1.0, "a": [2.0, 3.0]}, "a": None},
    {"ä": 1.0, "z": 2.0, "Z": 3.0}, {2: 1.0, 1: 2.0}, Point(1.0, X), OrderedDict(b=1.0, a=2.0),
    defaultdict(list, {"b": 1.0, "a": X}), Model(X, 1.0), [Model({"z": 1.0, "a": 2.0}, 3.0)],
    {f"k{k}": float(k) for k in range(70)}, {f"k{k}": float(k) for k in range(60)}, {Own: 1.0},
    (1.0, "text", 3), [X.astype(int), b"", True],
]


@pytest.mark.parametrize("x", TREES, ids=lambda x: f"{x!r:.30}")
@pytest.mark.parametrize("named", [False, True])
def test_leaves_of_a_pytree_are_those_of_flatten(x, named):
    found, got = signature((), {"p": x}, ["p"]) if named else signature((x,), {}, [0])
    expected = [leaf for leaf in tree.flatten(x)[0] if type(leaf) not in (str, bytes, bool)]
    assert same(got, expected)
    assert found.wanted == tuple(range(len(got)))
    (rebuilt,) = found.rebuild(got)[1].values() if named else found.rebuild(got)[0]
    assert type(rebuilt) is type(x)
    assert tree.flatten(rebuilt)[1] == tree.flatten(x)[1]
    assert same([v for v in tree.flatten(rebuilt)[0] if type(v) not in (str, bytes, bool)], got)
    if isinstance(x, dict):
        assert list(rebuilt) == list(x)


def test_structures_are_told_apart():
    for a, b in itertools.combinations(TREES, 2):
        assert key(a, keys=(0,)) != key(b, keys=(0,)), (a, b)


def test_a_tree_that_is_not_differentiated_is_one_object():
    assert key({"a": 1.0}, [1.0]) == key({"b": X}, [])
    assert key({"a": 1.0}, keys=(0,)) != key({"b": 1.0}, keys=(0,))


def test_the_order_of_a_dict_is_that_of_its_gradient():
    a, b = {"a": 1.0, "b": 2.0}, {"b": 2.0, "a": 1.0}
    assert leaves(a, keys=(0,)) == leaves(b, keys=(0,)) == [1.0, 2.0]
    assert list(key(b, keys=(0,)).rebuild([3.0, 4.0])[0][0].items()) == [("b", 4.0), ("a", 3.0)]


def test_equal_texts_need_not_be_the_same():
    name = "".join(["lo", "ng name"])
    assert key({name: 1.0}, name, keys=(0,)) == key({"long name": 1.0}, "long name", keys=(0,))


def test_deep_nesting_is_left_to_flatten():
    x = y = 1.0
    for _ in range(100):
        x, y = [x], (y,)
    assert key(x, keys=(0,)) == key(x, keys=(0,)) != key([x], keys=(0,))
    assert leaves(x, keys=(0,)) == [1.0]
    assert key(y) != key(1.0) and same(leaves(y), [y])
    static = ()
    for _ in range(100):
        static = (static,)
    assert same(leaves(static), [static])


def test_what_a_registered_class_holds():
    class Line:
        def __init__(self, slope, label):
            self.slope, self.label = slope, label

    tree.register_pytree(Line, lambda x: ((x.slope,), x.label), lambda label, c: Line(*c, label))
    assert key(Line(1.0, "a"), keys=(0,)) == key(Line(2.0, "a"), keys=(0,))
    assert key(Line(1.0, "a"), keys=(0,)) != key(Line(1.0, "b"), keys=(0,))
    assert key(Line(1.0, X), keys=(0,)) != key(Line(1.0, X.copy()), keys=(0,))  # cannot be compared
    assert key(Line(1.0, [X]), keys=(0,)) != key(Line(1.0, [X + 1]), keys=(0,))


def test_errors_of_taking_apart_reach_the_caller():
    import pyrsistent

    with pytest.raises(ArgumentError, match="pset"):
        key(pyrsistent.s(1.0), keys=(0,))


# Which arguments --------------------------------------------------------------------------------


def test_what_is_differentiated_is_part_of_it():
    a, b = buffers(2)
    by = [(), (0,), (1,), (0, 1), (1, 0)]
    assert len({key(a, b, keys=k) for k in by}) == len(by)
    by = [("p",), ("q",), ("p", "q"), ("q", "p"), (0, "p"), ("p", 0)]
    assert len({key(a, p=b, q=b, keys=k) for k in by}) == len(by)


def test_wanted_follows_the_keys():
    p, q, r = {"b": 1.0, "a": X}, 2.0, [3.0, (X, 4.0)]
    found, got = signature((p, q), {"n": 1, "r": r}, ["r", 0])
    assert same(got, [X, p["b"], q, 1, r[0], X, r[1][1]])
    assert found.wanted == (4, 5, 6, 0, 1)
    assert found.keys == ("r", 0) and found.names == ("n", "r")
    assert [s.leaves for s in found.structures] == [3, 2]


def test_names_are_part_of_it():
    a, b = buffers(2)
    assert len({key(a, b), key(a, p=b), key(a, q=b), key(q=b, p=a), key(p=a, q=b)}) == 5


def test_a_call_without_arguments():
    assert signature((), {}, []) == (key(), []) and key() != key(None)


# Runs, threads, life ----------------------------------------------------------------------------


def test_a_wrapper_means_that_the_call_is_part_of_a_run():
    seen = []

    def f(x, y):
        seen.append([signature((x,), {}, keys) for keys in ([], [0])])
        seen.append(signature(({"p": [x[0]]}, 1.0), {}, [0]))
        seen.append(signature((Point(1.0, x),), {}, [0]))
        seen.append(signature((), {"y": y}, []))
        return np.sum(x * y)

    hybridad.grad(f)(np.ones(3), np.ones(3))
    assert seen == [[None, None], None, None, None]


def test_leaves_are_not_kept():
    x, own = np.ones(3), Own()
    gone = weakref.ref(x), weakref.ref(own)
    found = key({"p": [x]}, own, Point(x, 1.0), keys=(0, 2))
    del x, own
    assert gone[0]() is None and gone[1]() is None and found.leaves == 4


def test_no_reference_is_lost():
    import sys

    own, x, name, point = Own(), np.ones(3), "".join(["some ", "name"]), Point(1.0, 2.0)
    before = [sys.getrefcount(v) for v in (own, x, name, point, Own, None)]
    for _ in range(500):
        signature((own, x, name, (name, x), {name: [x, {}]}, point), {"k": x}, (4, 5))
        signature((*[x] * 60, *[name] * 60, *[{name: x}] * 60), {}, range(120, 180))
    after = [sys.getrefcount(v) for v in (own, x, name, point, Own)]
    assert after == before[:5]


def test_a_class_dies_with_its_signatures():
    class Local:
        pass

    found, gone = key(Local()), weakref.ref(Local)
    Local.found = found
    del Local, found
    gc.collect()
    assert gone() is None


def test_in_threads():
    args = ({"w": X, "b": [1.0, X[0]]}, X, "a", Point(1.0, X))
    expected, wrong = key(*args, keys=(0, 3)), []

    def work():
        wrong.extend(1 for _ in range(300) if key(*args, keys=(0, 3)) != expected)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_parts_say_what_is_known():
    found = key({"w": X, "b": [1.0]}, ARRAYS["fortran"], "text", Own(), n=3, a=frozen(X),
                s=X.astype(">f4")[:, ::2], keys=(0,))
    assert found.parts() == {
        "argument 0": "a dict with ('w', 'b')",
        "argument 0['w']": "float64[3, 4]",
        "argument 0['b']": "a list of 1",
        "argument 0['b'][0]": "float",
        "argument 1": "float64[3, 4] in Fortran order",
        "argument 2": "'text'",
        "argument 3": "an object of Own",
        "argument 'n'": "int",
        "argument 'a'": "float64[3, 4], read-only",
        "argument 's'": ">f4[3, 2] of strides [16, 8]",
    }
    assert repr(key(1.0)) == "<Signature argument 0: float>"
    assert isinstance(found, Signature) and found != "text"


def test_rebuild_wants_all_leaves():
    with pytest.raises(ValueError, match="1 leaves where there are 2"):
        key(1.0, 2.0).rebuild([1.0])
