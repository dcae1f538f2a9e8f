"""Values of all kinds go into text and come back the same, bit for bit."""

import ast
import fractions
import math
import operator

import numpy as np
import pytest

from hybridad.trace.ir import HOLE, Method, Ref, Step
from hybridad.trace.literals import dotted_name, evaluate, resolve, write_literal

VALUES = [
    None, True, False, ..., 3, -3, 2.0, -0.0, 1e-300, math.inf, -math.inf, "it's %5  # \n", b"a\0",
    complex(-0.0, math.inf), (), (1,), (1, "a", [2.0, None]), {"a": (1,), 2: []}, HOLE,
    slice(None, 3), (slice(1, None, -1), ..., None), Method("sum"), Step(np.transpose, (HOLE,)),
    Step(operator.getitem, (HOLE, slice(0, 2)), {"axes": (1, 0)}), np.float64(2.5), np.float32(0.1),
    np.float16(0.1), np.int64(-7), np.uint8(200), np.complex128(1 - 2j), np.complex64(0.1 + 0.2j),
    np.bool(True), np.float64(math.inf), np.dtype("<f8"), np.dtype(">i4"), np.float64, float, slice,
    np.add, np.linalg.norm, np.fft.fft, np.add.at, math.exp, operator.getitem, len, str.upper,
    np.array([1.0, -0.0, math.inf]), np.array([[1, 2], [3, 4]], np.int16), np.array(2.5),
    np.array([True, False]), np.array([0.1, 0.2], np.float32), np.array([1 + 2j]),
]


def same(a, b):
    if isinstance(a, np.ndarray | np.generic):
        return type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape and (
            a.tobytes() == b.tobytes())
    if type(a) is tuple or type(a) is list:
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b and repr(a) == repr(b)


def read(text, constants=None):
    tree = ast.parse(text.replace("$", "_c_"), mode="eval").body
    return evaluate(tree, {} if constants is None else constants)


@pytest.mark.parametrize("value", VALUES, ids=lambda x: repr(x)[:40])
def test_there_and_back(value):
    constants = {}
    text = write_literal(value, constants)
    assert same(read(text), value), text
    assert constants == {} and "$" not in text and "\n" not in text


def test_nan_and_uses():
    assert math.isnan(read(write_literal(math.nan, {})))
    assert np.isnan(read(write_literal(np.float32(math.nan), {})))
    assert write_literal((Ref(5), [Ref(6)], slice(Ref(1), None)), {}) == (
        "(%5, [%6], slice(%1, None, None))")
    assert read("(_r5, [_r6])") == (Ref(5), [Ref(6)])


@pytest.mark.parametrize("value", [
    np.zeros(9), np.zeros((2, 3)).T, np.zeros((0, 3)), np.array(["a"]), np.longdouble(1) / 3,
    np.datetime64("2020-01-01"), fractions.Fraction(1, 3), lambda x: x, np.random.default_rng(1),
    type("Local", (), {}), {1, 2}, np.ma.array([1.0])], ids=lambda x: type(x).__name__)
def test_what_cannot_be_written_is_a_named_constant(value):
    constants = {}
    text = write_literal(value, constants)
    assert text.startswith("$")
    assert constants[text[1:]] is value
    assert write_literal([value, value], constants) == f"[{text}, {text}]"
    assert read(text, constants) is value


def test_constants_of_one_name_are_told_apart():
    constants = {}
    one, two = np.zeros(9), np.zeros(9)
    assert write_literal((one, two, one), constants) == "($ndarray, $ndarray_2, $ndarray)"


def test_users_objects_are_not_asked_for_their_names():
    class Proud:
        def __getattr__(self, name):
            raise AssertionError(f"asked for {name}")

    assert dotted_name(Proud()) is None
    assert write_literal(Proud(), {}) == "$Proud"


def test_dotted_names():
    for name in ("np.linalg.norm", "np.sum", "np.add.at", "np.multiply.reduce", "math.exp", "float",
                 "operator.getitem", "np.float64", "np.random.default_rng", "fractions.Fraction",
                 "hybridad.trace.ir.replace"):
        found = resolve(name)
        assert resolve(dotted_name(found)) == found
        assert dotted_name(found) in (name, "dataclasses.replace")
    for unknown in ("nothing", "np.nothing", "nothing.at.all", "float.nothing"):
        with pytest.raises(ValueError, match="nothing is called"):
            resolve(unknown)


def test_only_values_are_evaluated():
    for text in ("open('x')", "1 + 2", "f(x)", "[x for x in ()]", "np.array([1])(2)",
                 "np.array([1], ndmin=3)", "{1, 2}"):
        with pytest.raises(ValueError, match=r"is no value|nothing is called"):
            read(text)
    with pytest.raises(ValueError, match="not among the constants"):
        read("$unknown")
