"""Which arguments are differentiated, and what is refused before `f` is run."""

import functools
import re
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction

import numpy as np
import pyrsistent
import pytest

from hybridad import ArgumentError, UnsupportedError, grad, jvp, value_and_grad, vjp
from hybridad.recording.arguments import name_of, normalize_argnums, select
from tests.recording.unfound import unfound


def f(x, y=2.0, *rest, z=3.0, **more):
    return x * y**2 * z + x * sum(rest) + x**2 * more.get("u", 0.0)


def positional(x, y=2.0, w=5.0, /, *, z=3.0):
    return x * y**2 * z + w


def only(*, a, b=3.0):
    return a * b**2


@pytest.mark.parametrize("argnums, function, args, kwargs, expected", [
    # f(3, 2, z=3): value x y² z
    (0, f, (3.0,), {}, 12.0),
    (-1, f, (3.0,), {}, 12.0),
    (-1, f, (3.0, 2.0), {}, 36.0),
    (1, f, (3.0, 2.0), {}, 36.0),
    (-2, f, (3.0, 2.0), {}, 12.0),
    (np.int64(1), f, (3.0, 2.0), {}, 36.0),
    (2, f, (3.0, 2.0, 7.0, 8.0), {}, 3.0),
    (-1, f, (3.0, 2.0, 7.0, 8.0), {}, 3.0),
    ("x", f, (3.0,), {}, 12.0),
    ("x", f, (), {"x": 3.0}, 12.0),
    ("y", f, (3.0, 2.0), {}, 36.0),
    ("y", f, (3.0,), {"y": 2.0}, 36.0),
    ("y", f, (3.0,), {}, 36.0),                     # its default
    ("z", f, (3.0,), {}, 12.0),                     # the default of a keyword-only one
    ("z", f, (3.0,), {"z": 4.0}, 12.0),
    ("u", f, (3.0,), {"u": 1.0}, 9.0),              # one of **more
    ((0,), f, (3.0,), {}, (12.0,)),
    ([0], f, (3.0,), {}, (12.0,)),
    ((), f, (3.0,), {}, ()),
    ((0, 1), f, (3.0, 2.0), {}, (12.0, 36.0)),
    ((1, 0), f, (3.0, 2.0), {}, (36.0, 12.0)),
    (("y", 0), f, (3.0, 2.0), {}, (36.0, 12.0)),
    (("z", "x", -1), f, (3.0, 2.0), {}, (12.0, 12.0, 36.0)),
    (("z", "y", "x"), f, (), {"x": 3.0}, (12.0, 36.0, 12.0)),
    ("y", positional, (3.0, 2.0), {}, 36.0),
    ("y", positional, (3.0,), {}, 36.0),
    ("w", positional, (3.0,), {}, 1.0),
    (("w", "z", "y"), positional, (3.0,), {}, (1.0, 12.0, 36.0)),
    ("a", only, (), {"a": 2.0}, 9.0),
    (("b", "a"), only, (), {"a": 2.0}, (12.0, 9.0)),
    ("y", functools.partial(f, 3.0), (2.0,), {}, 36.0),
    (0, functools.partial(f, 3.0), (2.0,), {}, 36.0),
    ("y", functools.partial(f, 3.0), (), {}, 36.0),
    ("z", functools.partial(f, z=4.0), (3.0,), {}, 12.0),
    ("y", functools.partial(f, y=2.0), (3.0,), {}, 36.0),
    (1, np.multiply, (3.0, 2.0), {}, 3.0),          # no Python function
])
def test_argnums(argnums, function, args, kwargs, expected):
    gradient = grad(function, argnums)(*args, **kwargs)
    assert gradient == expected and type(gradient) is type(expected)
    value, gradient = value_and_grad(function, argnums=argnums)(*args, **kwargs)
    assert value == function(*args, **kwargs) and gradient == expected
    value, pullback = vjp(function, *args, argnums=argnums, **kwargs)
    assert value == function(*args, **kwargs) and pullback(1.0) == expected
    if isinstance(expected, tuple):
        for k, derivative in enumerate(expected):
            tangents = tuple(1.0 if j == k else None for j in range(len(expected)))
            assert jvp(function, args, tangents, argnums=argnums, **kwargs)[1] == derivative
    else:
        assert jvp(function, args, 1.0, argnums=argnums, **kwargs)[1] == expected


def test_vjp_and_jvp_differentiate_all_positional_arguments():
    value, pullback = vjp(f, 3.0, 2.0, 7.0, z=3.0)
    assert value == 57.0 and pullback(2.0) == (38.0, 72.0, 6.0)
    assert jvp(f, (3.0, 2.0), (1.0, 2.0), z=3.0) == (36.0, 84.0)
    assert vjp(only, a=2.0)[1](1.0) == ()


def test_a_default_is_read_at_every_call():
    def g(x, scale=np.array([1.0, 2.0])):
        return np.sum(x * scale)

    of_default = grad(g, "scale")
    assert np.all(of_default(2.0) == [2.0, 2.0])
    g.__defaults__ = (np.array([1.0, 2.0, 3.0]),)
    assert np.all(of_default(4.0) == [4.0, 4.0, 4.0])


@pytest.mark.parametrize("argnums", [1.0, None, True, (0, None), (0, False), {0}, b"x", (0, (1,))])
def test_argnums_of_the_wrong_type(argnums):
    with pytest.raises(ArgumentError) as caught:
        value_and_grad(f, argnums)
    lines = str(caught.value).split("\n")
    assert lines[0] == f"argnums={argnums!r} is neither an int, a name, nor a tuple of them."
    assert lines[1].startswith(f"  at {__file__}:") and "value_and_grad(f, argnums)" in lines[1]
    assert lines[2] == "Write argnums=0, argnums='w' or argnums=(0, 1)."


@pytest.mark.parametrize("argnums, function, args, kwargs, what, remedy", [
    (1, f, (3.0,), {},
     "argnums names argument 1 of f, which was called with 1 positional arguments.",
     "Pass it by position, or name it: argnums='name'."),
    (-2, f, (3.0,), {}, "argnums names argument -2 of f, which was", "Pass it by position"),
    (0, f, (), {"x": 3.0}, "argnums names argument 0 of f, which was called with 0", "name it"),
    ("v", positional, (3.0,), {}, "positional has no parameter 'v'.",
     "Its parameters: x, y, w, z."),
    ("rest", f, (3.0,), {}, "argnums names 'rest', which was not passed to f.", "Pass it: f(..., "),
    ("u", f, (3.0,), {}, "f has no parameter 'u'.", "Its parameters: x, y, rest, z, more."),
    ("a", only, (), {"b": 3.0}, "argnums names 'a', which was not passed to only.",
     "Pass it: only(..., a=...)."),
    ("x", max, (3.0, 2.0), {}, "max has no parameter 'x'.",
     "Its parameters: none that can be inspected."),
    ((0, 0), f, (3.0,), {}, "argnums=(0, 0) names an argument twice.", "Name each argument once."),
    ((0, -1), f, (3.0,), {}, "names an argument twice.", ""),
    ((0, "x"), f, (3.0,), {}, "names an argument twice.", ""),
    (("y", "y"), f, (3.0,), {}, "names an argument twice.", ""),
])
def test_argnums_that_the_call_has_not(argnums, function, args, kwargs, what, remedy):
    with pytest.raises(ArgumentError) as caught:
        value_and_grad(function, argnums)(*args, **kwargs)
    first, where, last = str(caught.value).split("\n")
    assert what in first and remedy in last
    assert where.startswith(f"  at {__file__}:") and where.endswith("(*args, **kwargs)")


# What cannot be differentiated ------------------------------------------------------------------


class Color(IntEnum):
    RED = 1


class Frame:
    """Poses as something of pandas, which is not installed everywhere."""


Frame.__module__ = "pandas.core.frame"


@dataclass
class Model:
    w: object
    name: str = "model"


class Units(np.ndarray):
    pass


SETTINGS = "Keep settings out of the differentiated argument"
FLOATS = "Derivatives need floating-point numbers: pass"


@pytest.mark.parametrize("argument, what, remedy", [
    (3, "Argument 0 of f is an int (3).", f"{FLOATS} 3.0."),
    (-3, "Argument 0 of f is an int (-3).", f"{FLOATS} -3.0."),
    (10**400, "Argument 0 of f is an int.", f"{FLOATS} a float."),
    (True, "Argument 0 of f is a bool (True).", SETTINGS),
    (Color.RED, "Argument 0 of f is a Color (<Color.RED: 1>).", f"{FLOATS} 1.0."),
    (np.int64(3), "Argument 0 of f has the integer type int64.", f"{FLOATS} x.astype(float)."),
    (np.bool_(True), "Argument 0 of f has the type bool.", f"{FLOATS} x.astype(float)."),
    (np.arange(3), "Argument 0 of f has the integer type int64.", f"{FLOATS} x.astype(float)."),
    (np.zeros(2, "u1"), "Argument 0 of f has the integer type uint8.", "x.astype(float)."),
    (np.zeros(2, bool), "Argument 0 of f has the type bool.", "x.astype(float)."),
    (np.array([1.0, None]), "Argument 0 of f is an object array.",
     "Make it a floating array: x.astype(float)."),
    (np.array(["a"]), "Argument 0 of f has the type <U1.", "Pass a floating-point array."),
    (np.zeros(2, "M8[s]"), "Argument 0 of f has the type datetime64[s].", "floating-point array."),
    (np.zeros(2, [("a", "f8")]), "has the type [('a', '<f8')].", "floating-point array."),
    (np.ma.ones(3), "Argument 0 of f is a numpy.ma.MaskedArray.", "a masked array a.filled(0.0)"),
    (np.eye(2).view(np.matrix), "Argument 0 of f is a numpy.matrix.", "pass np.asarray(a)"),
    (np.zeros(2).view(Units), f"is a {__name__}.Units.", "Subclasses of ndarray are not followed"),
    (Frame(), "Argument 0 of f is a pandas.core.frame.Frame.",
     "Pass its values as an array: x.to_numpy()."),
    ("text", "Argument 0 of f is a str ('text').", SETTINGS),
    (Fraction(1, 2), "Argument 0 of f is a Fraction, not a floating-point", "register its class"),
    (Decimal("0.5"), "Argument 0 of f is a Decimal, not a floating-point", "register its class"),
    (object(), "Argument 0 of f is an object, not a floating-point", "register its class"),
    (print, "Argument 0 of f is a builtin_function_or_method, not a", "register its class"),
    ({1.0}, "Argument 0 of f is a set, not a floating-point", "register its class"),
    (range(3), "Argument 0 of f is a range, not a floating-point", "register its class"),
    ({"a": 1.0, "b": [2.0, 3]}, "Argument 0, at ['b'][1], of f is an int (3).", f"{FLOATS} 3.0."),
    ((1.0, np.arange(2)), "Argument 0, at [1], of f has the integer type int64.", FLOATS),
    (Model(1.0), "Argument 0, at .name, of f is a str ('model').", SETTINGS),
    (pyrsistent.pmap({"a": 1}), "Argument 0, at ['a'], of f is an int (1).", FLOATS),
], ids=lambda p: type(p).__name__)
def test_refused_arguments(argument, what, remedy):
    def f(x):
        raise AssertionError("it was run")

    for attempt in (lambda: grad(f)(argument),
                    lambda: value_and_grad(f, "x")(argument),
                    lambda: vjp(f, argument),
                    lambda: jvp(f, (argument,), (argument,))):
        with pytest.raises(ArgumentError) as caught:
            attempt()
        first, where, last = str(caught.value).split("\n")
        assert what in first
        assert where.startswith(f"  at {__file__}:") and "argument" in where
        assert remedy in last


def test_the_argument_is_called_by_name_or_position():
    for argnums in (1, -1, "y"):
        with pytest.raises(ArgumentError, match=r"^Argument 1 of f is an int"):
            grad(f, argnums)(1.0, 2)
    with pytest.raises(ArgumentError, match=r"^Argument 'y' of f is an int"):
        grad(f, "y")(1.0, y=2)
    with pytest.raises(ArgumentError, match=r"^Argument 'b' of only is an int"):
        grad(functools.partial(only, b=2), "b")(a=1.0)


def test_pset_has_no_gradient():
    with pytest.raises(ArgumentError) as caught:
        grad(lambda s: 1.0)(pyrsistent.pset([1.0]))
    first, where, last = str(caught.value).split("\n")
    assert first.startswith("A pset holds numbers")
    assert where.startswith(f"  at {__file__}:") and "pyrsistent.pset([1.0])" in where
    assert last == "Use a pvector or a pmap."


# What is not a function -------------------------------------------------------------------------


@pytest.mark.parametrize("attempt", [
    lambda thing: value_and_grad(thing), lambda thing: grad(thing), lambda thing: vjp(thing, 1.0),
    lambda thing: jvp(thing, (1.0,), (1.0,))])
def test_not_a_function(attempt):
    async def waits(x):
        return x

    for thing, what, remedy in (
            (3.0, "3.0 is not a function.", "Pass the function itself: value_and_grad(f)(x)."),
            (classmethod(f), "f is a classmethod, which can only be differentiated once it is "
             "bound.", "Write @classmethod above the decorator of hybridad."),
            (staticmethod(f), "f is a staticmethod, which", "Write @staticmethod above"),
            (waits, "waits is an async function: what it returns is no number.", "await outside")):
        with pytest.raises(ArgumentError) as caught:
            attempt(thing)
        first, where, last = str(caught.value).split("\n")
        assert first.startswith(what) and remedy in last
        assert where.startswith(f"  at {__file__}:") and "(thing" in where


# Memory that arguments share --------------------------------------------------------------------


def write(a, b):
    a[0] = 5.0
    return np.sum(a * b)


def test_arguments_that_share_memory():
    x = np.array([1.0, 2.0, 3.0])
    assert [g.tolist() for g in grad(np.vdot, (0, 1))(x, x)] == [[1, 2, 3], [1, 2, 3]]
    assert [g.tolist() for g in grad(np.vdot, (0, 1))(x, x[::-1])] == [[3, 2, 1], [1, 2, 3]]
    assert grad(np.vdot)(x, x).tolist() == [1, 2, 3]
    a, b = grad(lambda p: np.sum(p["a"] * p["b"][0] ** 2))({"a": x, "b": [x]}).values()
    assert a.tolist() == [1, 4, 9] and b[0].tolist() == [2, 8, 18]
    # Here f writes, but the arrays only lie beside or between each other.
    y = np.arange(1.0, 7.0)
    assert grad(write)(y[::2], y[1::2]).tolist() == [0.0, 4.0, 6.0]
    assert [g.tolist() for g in grad(write, (0, 1))(y[:2], y[2:4])] == [[0.0, 4.0], [5.0, 2.0]]
    halves = [y[k:k + 3] for k in (0, 3)]
    assert [g.tolist() for g in grad(lambda p: write(*p))(halves)] == [[0, 5, 6], [5, 2, 3]]


REFUSED = re.compile(
    "A differentiated argument was written to that is also reached from elsewhere"
    "|An array was written to that is also a differentiated argument"
    "|(Arguments 0 and ('b'|1) of write|Two arrays in argument 0 of <lambda>) share memory")


def refuse(act):
    with pytest.raises(UnsupportedError) as caught:
        act()
    first, where, last = str(caught.value).split("\n")
    assert REFUSED.match(first) and where.startswith(f"  at {__file__}:")
    assert last.startswith("Pass a copy")


@pytest.mark.parametrize("argnums", [0, 1, (0, 1)])
@pytest.mark.parametrize("write", [write, unfound(write)], ids=["from the source", "without"])
def test_a_write_to_memory_that_arguments_share_is_refused(write, argnums):
    """Plainly `b` would see what is written to `a`, but a differentiated array is a copy."""
    x = np.array([1.0, 2.0, 3.0])
    for a, b in ((x, x), (x, x[:]), (x.reshape(1, 3)[0], x), (x[:2], x[::-1][1:])):
        refuse(lambda a=a, b=b: value_and_grad(write, argnums)(a, b))
        x[0] = 1.0
    refuse(lambda: grad(lambda p: write(*p))([x, x]))
    refuse(lambda: grad(write)(x, b=x))
    many = [x[k % 3:] for k in range(20)]
    refuse(lambda: grad(lambda p: write(p[0], x.copy()))(many))
    assert grad(write)(x, x.copy()).tolist() == [0.0, 2.0, 3.0]
    assert x.tolist() == [1.0, 2.0, 3.0]


# The parts --------------------------------------------------------------------------------------


def test_normalize_argnums():
    assert normalize_argnums(np.int32(2)) == (2,) and type(normalize_argnums(np.int8(1))[0]) is int
    assert normalize_argnums(["w", -1]) == ("w", -1)


def test_select_leaves_the_call_alone():
    args, kwargs = (1.0, 2.0), {"z": 4.0}
    assert select(f, ("y", "z"), args, kwargs) == (args, kwargs, [1, "z"])
    assert select(f, ("y",), (1.0,), kwargs) == ((1.0,), {"z": 4.0, "y": 2.0}, ["y"])
    assert kwargs == {"z": 4.0}
    assert select(positional, ("w",), (1.0,), {}) == ((1.0, 2.0, 5.0), {}, [2])


def test_name_of():
    class Loss:
        def __call__(self):
            """It has no name."""

    assert name_of(f) == "f" and name_of(np.sum) == "sum" and name_of(Loss()) == "Loss"
    assert name_of(functools.partial(functools.partial(f, 1.0), 2.0)) == "f"
    assert name_of(functools.partial(Loss())) == "Loss"
