"""Constants as text: what is made of the text is the same, bit for bit."""

import datetime
import math

import numpy as np
import pytest

from hybridad.inspection.literals import LARGEST, NotWritable, write_literal

RNG = np.random.default_rng(0)


def made(x):
    return eval(write_literal(x), {"np": np, "math": math})


def same(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return (a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
                and a.flags.c_contiguous == b.flags.c_contiguous
                and a.flags.f_contiguous == b.flags.f_contiguous)
    if isinstance(a, (float, complex, np.inexact)):
        return np.asarray(a).tobytes() == np.asarray(b).tobytes()
    return a == b


@pytest.mark.parametrize("x", [
    None, ..., True, 3, -3, 10**30, "a'b\n", b"\x00", 0.1, -0.0, math.inf, -math.inf, math.nan,
    -math.nan, 5e-324, 1j, complex(-0.0, math.inf), complex(1.0, -0.0), (), (1,), (1.0, "a"), [],
    [1, [2.5]],
    set(), {3, 1, 2}, frozenset(), frozenset({"a"}), {"a": (1, None)}, slice(None, 3, -1),
    range(2, 9, 3), np.float64(0.1), np.float32(0.1), np.float16(0.1), np.int8(-3),
    np.uint64(2**63), np.bool_(True), np.complex64(0.1 + 0.2j),
    np.complex128(complex(math.nan, -0.0)), np.float32(np.inf), np.dtype("<f4"), np.dtype(">i2"),
    np.dtype(bool),
])
def test_it_comes_back(x):
    assert same(made(x), x)


@pytest.mark.parametrize("x", [
    RNG.normal(size=(3, 4)), np.asfortranarray(RNG.normal(size=(3, 4))),
    RNG.normal(size=(2, 3, 2)).astype("f4"), np.array(2.5), np.empty((0, 3)),
    np.asfortranarray(np.empty((4, 0, 2), "i4")), np.array([math.nan, -math.inf, -0.0, 5e-324]),
    RNG.normal(size=3) + 1j * RNG.normal(size=3), np.array([True, False]),
    RNG.integers(0, 2**63, size=4, dtype="u8"), np.arange(4, dtype=">i4"),
    RNG.integers(0, 2**31, size=(500,), dtype="u4").view("f4"),
], ids=lambda x: f"{x.dtype}{x.shape}")
def test_arrays_come_back(x):
    if x.dtype == "f4":
        x = np.where(np.isnan(x), np.float32(1.0), x)  # which NaN it is, is not kept
    assert same(made(x), x)


def test_sets_are_written_in_one_order():
    assert write_literal({"b", "a", "c"}) == "{'a', 'b', 'c'}"


@pytest.mark.parametrize(("x", "reason"), [
    (object(), "a object"), (len, "a builtin_function_or_method"),
    (datetime.date(2000, 1, 1), "a date"), (np.longdouble(1.0), "of type"),
    (np.array(["a"]), "of type <U1"), (np.array([1], object), "of type object"),
    (np.zeros(2, [("a", "f8")]), "of type"), (np.datetime64("2000"), "of type"),
    (np.dtype("U3"), "of type <U3"),
    (np.zeros(LARGEST + 1), "an array of 10,001 elements"),
    (np.zeros((4, 4))[::2, ::2], r"an array of strides \[64, 16\]"),
    (np.ma.zeros(3), "a MaskedArray"), ((1, object()), "a object"),
], ids=lambda x: None if isinstance(x, str) else type(x).__name__)
def test_what_cannot_be_written(x, reason):
    with pytest.raises(NotWritable, match=reason):
        write_literal(x)
