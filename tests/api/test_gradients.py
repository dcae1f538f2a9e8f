"""What users call: values, gradients, pullbacks, tangents, and what they look like."""

import functools
import inspect
import itertools
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from math import comb, factorial, pi, sin

import numpy as np
import pyrsistent
import pytest
import scipy.optimize

import hybridad
from hybridad import ArgumentError, ResultError, grad, jvp, register_pytree, value_and_grad, vjp
from hybridad.testing import check_grads
from hybridad.tree import flatten
from tests.api.comparing import X, alike, differences

# Auxiliary results --------------------------------------------------------------------------------

def with_aux(x):
    return np.sum(x * x), {"twice": x * 2.0, "name": "aux", "n": 3, "none": None}


def test_has_aux():
    (value, aux), g = value_and_grad(with_aux, has_aux=True)(X)
    assert alike(value, np.sum(X * X)) and alike(g, 2.0 * X)
    assert aux.keys() == {"twice", "name", "n", "none"} and alike(aux["twice"], X * 2.0)
    assert aux["name"] == "aux" and aux["n"] == 3 and aux["none"] is None
    g, aux = grad(with_aux, has_aux=True)(X)
    assert alike(g, 2.0 * X) and alike(aux["twice"], X * 2.0)
    (value, aux), pullback = vjp(with_aux, X, has_aux=True)
    assert alike(value, np.sum(X * X)) and alike(aux["twice"], X * 2.0)
    assert alike(pullback(3.0)[0], 6.0 * X)
    (value, aux), t = jvp(with_aux, (X,), (X,), has_aux=True)
    assert alike(aux["twice"], X * 2.0) and np.isclose(t, 2.0 * np.sum(X * X))
    g, aux = grad(with_aux, (0,), True)(X)
    assert type(g) is tuple and aux["n"] == 3


@pytest.mark.parametrize("aux", [
    None, 1, "text", object(), {1.0}, frozenset({2}), np.arange(3), np.ma.ones(2), print,
    pyrsistent.pset([1.0]), pyrsistent.pmap({"a": 1.0}), [{"a": (1, 2.0)}], range(3)])
def test_aux_may_be_anything_and_passes_through(aux):
    f = lambda x: (x * x, aux)
    (value, found), g = value_and_grad(f, has_aux=True)(3.0)
    assert found is aux and value == 9.0 and g == 6.0
    assert grad(f, has_aux=True)(3.0)[1] is vjp(f, 3.0, has_aux=True)[0][1] is aux
    assert jvp(f, (3.0,), (1.0,), has_aux=True)[0][1] is aux


def test_aux_owns_its_memory_and_is_plain():
    def f(x):
        y = x * 2.0
        return np.sum(y), (y, y[1:], {"x": x})

    _, (y, part, inner) = grad(f, has_aux=True)(X)
    for array in (y, part, inner["x"]):
        assert type(array) is np.ndarray and array.flags.owndata
    inner["x"][0] = part[0] = 7.0
    assert alike(y, 2.0 * X) and X[0] == 0.5


@pytest.mark.parametrize("result, kind", [(3.0, "float64"), ([1.0, 2], "list"), ((1.0,), "tuple"),
                                          ((1.0, 2, 3), "tuple"), (None, "NoneType")])
def test_aux_needs_a_pair(result, kind):
    def f(x):
        return x[0] * 2.0 if result == 3.0 else result

    with pytest.raises(ResultError) as caught:
        value_and_grad(f, has_aux=True)(X)
    first, where, last = str(caught.value).split("\n")
    assert first == f"has_aux=True, but f returned {kind}, not a pair."
    assert where.startswith(f"  at {__file__}:") and last == "Return (value, aux)."


# Decorators ---------------------------------------------------------------------------------------

@value_and_grad
def bare(x, y=2.0):
    """Sums x y."""
    return np.sum(x * y)


@value_and_grad(argnums="y")
def by_name(x, y=2.0):
    return np.sum(x * y)


@grad(argnums=(0, 1), has_aux=True, engine="tape")
def with_options(x, y=2.0):
    return np.sum(x * y), x


def test_decorators():
    assert bare(X)[0] == np.sum(X * 2.0) and alike(bare(X)[1], np.full(3, 2.0))
    assert by_name(X, 3.0)[1] == np.sum(X) == by_name(X, y=3.0)[1] == by_name(X)[1]
    (g, h), aux = with_options(X, 3.0)
    assert alike(g, np.full(3, 3.0)) and h == np.sum(X) and alike(aux, X) and aux is not X


def test_metadata():
    assert bare.__name__ == "bare" and bare.__doc__ == "Sums x y." and bare.__module__ == __name__
    assert bare.__qualname__ == "bare" and bare.__wrapped__(X, 1.0) == np.sum(X)
    assert str(inspect.signature(bare)) == "(x, y=2.0)"
    assert grad(with_aux).__name__ == "with_aux"
    assert value_and_grad(np.sin).__name__ == "sin"

    def f(x: float) -> float:
        return x

    f.calls = 3
    assert grad(f).calls == 3 and grad(f).__annotations__ == f.__annotations__
    assert grad(grad(f)).__wrapped__.__wrapped__ is f


class Scale:
    def __init__(self, factor):
        self.factor = factor

    @value_and_grad(argnums=1)
    def method(self, x):
        return np.sum(x * self.factor)

    @value_and_grad(argnums="x")
    def named(self, x, y=1.0):
        return np.sum(x * self.factor * y)

    @staticmethod
    @value_and_grad
    def static(x):
        return np.sum(x * 3.0)

    @classmethod
    @value_and_grad(argnums=1)
    def ofclass(cls, x):
        return np.sum(x * cls.unit)

    def plain(self, x):
        return np.sum(x * self.factor)

    def __call__(self, x, y=1.0):
        return np.sum(x * self.factor * y)

    unit = 5.0


@dataclass
class Line:
    slope: float
    intercept: np.ndarray

    @value_and_grad
    def loss(self, x):
        return np.sum((self.slope * x + self.intercept) ** 2)

    @grad(argnums=(0, 1))
    def both(self, x):
        return np.sum((self.slope * x + self.intercept) ** 2)


def test_methods():
    scale = Scale(2.0)
    for differentiated in (scale.method, scale.named, value_and_grad(scale.plain),
                           value_and_grad(scale), value_and_grad(scale.plain, "x"),
                           value_and_grad(scale, "x"), value_and_grad(Scale(2.0).__call__),
                           functools.partial(value_and_grad(scale, argnums="x"), y=1.0)):
        value, g = differentiated(X)
        assert alike(value, np.sum(X * 2.0)) and alike(g, np.full(3, 2.0))
    assert Scale.static(X)[1][0] == scale.static(X)[1][0] == 3.0
    assert Scale.ofclass(X)[1][0] == scale.ofclass(X)[1][0] == 5.0
    scale.factor = 7.0  # never stale
    assert scale.method(X)[1][0] == value_and_grad(scale)(X)[1][0] == 7.0
    with pytest.raises(ArgumentError, match="Argument 0 of method is a Scale, not a floating"):
        value_and_grad(Scale.method.__wrapped__)(scale, X)


def test_a_method_may_be_differentiated_by_its_object():
    line = Line(2.0, np.array([1.0, -1.0]))
    x = np.array([3.0, 4.0])
    value, g = line.loss(x)
    assert value == 49.0 + 49.0
    assert type(g) is Line and g.slope == 2 * 7 * 3 + 2 * 7 * 4 and g.intercept.tolist() == [14, 14]
    g, g_x = line.both(x)
    assert type(g) is Line and g_x.tolist() == [28.0, 28.0]


@pytest.mark.parametrize("f", [
    lambda x: np.sum(x**2), functools.partial(lambda p, x: np.sum(x**p), 2),
    functools.partial(lambda x, p: np.sum(x**p), p=2), np.linalg.norm, np.sum, np.prod, np.max,
    np.add.reduce, functools.cache(lambda: lambda x: np.sum(x**2))()])
def test_callables(f):
    value, g = value_and_grad(f)(X)
    assert alike(value, f(X))
    assert np.allclose(g, differences(f, X), rtol=1e-8)


# Values -------------------------------------------------------------------------------------------

Pair = namedtuple("Pair", "left right")


def test_value_is_that_of_the_function():
    def f(x):
        return {"a": x, "b": [x * 2.0, x[0], x[1:], Pair(np.sum(x), 3.0)], "c": None, "d": X}

    for value in (vjp(f, X)[0], jvp(f, (X,), (X,))[0]):
        plain = f(X)
        found, structure = flatten(value)
        expected, expected_structure = flatten(plain)
        assert structure == expected_structure and type(value["b"][3]) is Pair
        assert all(map(alike, found, expected)) and value["c"] is None
        assert value["a"] is not X and value["a"].flags.owndata and value["b"][2].flags.owndata
        assert value["d"] is X, "what it does not differentiate is handed on"


@pytest.mark.parametrize("x", [
    2.0, np.float64(2.0), np.float32(2.0), np.float16(2.0), np.longdouble(2.0), np.array(2.0),
    np.array(2.0, "f"), np.array(2.0, "e"), np.array(2.0, "g"), np.array(2.0, ">f8")],
    ids=lambda x: f"{type(x).__name__}-{getattr(x, 'dtype', '')}")
def test_scalars(x):
    def f(x):
        return x * x + 1.0

    value, g = value_and_grad(f)(x)
    assert alike(value, f(x))
    assert type(g) is type(x) and getattr(g, "dtype", 0) == getattr(x, "dtype", 0) and g == 4.0
    for unused in (grad(lambda x: 1.0)(x), vjp(f, x)[1](0.0)[0], vjp(f, x)[1](None)[0]):
        assert type(unused) is type(x) and unused == 0.0 == unused + 0.0
        assert getattr(unused, "dtype", 0) == getattr(x, "dtype", 0)
    value, t = jvp(f, (x,), (3.0,))
    assert alike(value, f(x)) and t == 12.0
    assert type(t) is type(f(x)) and getattr(t, "dtype", 0) == getattr(f(x), "dtype", 0)
    second = grad(grad(lambda x: x**3))(x)
    assert type(second) is type(x) and second == 12.0


@pytest.mark.parametrize("z", [1.0 + 2.0j, np.complex128(1 + 2j), np.complex64(1 + 2j),
                               np.clongdouble(1 + 2j), np.array(1 + 2j), np.array(1 + 2j, ">c16")],
                         ids=lambda z: f"{type(z).__name__}-{getattr(z, 'dtype', '')}")
def test_complex_scalars(z):
    def f(z):
        return (z * z.conjugate()).real * 2.0

    value, g = value_and_grad(f)(z)
    assert alike(value, f(z)) and g == 4.0 - 8.0j  # df/dx - i df/dy
    assert type(g) is type(z) and getattr(g, "dtype", 0) == getattr(z, "dtype", 0)
    assert jvp(f, (z,), (1.0 + 0.5j,))[1] == 8.0
    zero = grad(lambda z: 1.0)(z)
    assert type(zero) is type(z) and zero == 0.0


def layouts(dtype):
    base = (np.arange(24.0) + 1.0).reshape(4, 6).astype(dtype)
    yield "C", base
    yield "F", np.asfortranarray(base)
    yield "strided", base[::2, 1::3]
    yield "reversed", base[::-1, ::-2]
    yield "transposed", base.T[1:]
    yield "empty", base[:0]
    yield "0-d", base[1, 2, ...]
    yield "broadcast", np.broadcast_to(base[0], (3, 6))
    read_only = base.copy()
    read_only.flags.writeable = False
    yield "read-only", read_only
    yield "windows", np.lib.stride_tricks.sliding_window_view(base[0], 3)
    yield "other bytes", base.astype(np.dtype(dtype).newbyteorder())
    yield "unaligned", np.frombuffer(b"\0" + base.tobytes(), np.uint8)[1:].view(dtype).reshape(4, 6)
    yield "axes of length 1", base[:1, None, :1]


LAYOUTS = [pytest.param(x, id=f"{name}-{dtype}") for dtype in ("d", "f", "e", "g", "D", "F")
           for name, x in layouts(dtype)]


@pytest.mark.parametrize("x", LAYOUTS)
def test_arrays(x):
    def f(x):
        y = x * x
        if y.ndim and y.size:
            y[..., :1] *= 2.0
        return np.sum(y.real)

    before = x.copy()
    value, g = value_and_grad(f)(x)
    assert alike(value, f(x)) and x.tobytes() == before.tobytes()
    expected = np.array(2.0 * x)
    if x.ndim:
        expected[..., :1] *= 2.0
    for result in (g, vjp(f, x)[1](1.0)[0], vjp(f, x)[1](np.float32(1.0))[0]):
        assert type(result) is np.ndarray and result.dtype == x.dtype and result.shape == x.shape
        assert result.flags.owndata and result.flags.writeable
        assert np.array_equal(result, expected)
    value, t = jvp(f, (x,), (np.ones_like(x),))
    assert alike(value, f(x)) and t.dtype == value.dtype
    assert np.isclose(t, np.sum(expected.real), rtol=1e-2 if x.dtype == "e" else 1e-6)
    for zero in (grad(lambda x: 1.0)(x), vjp(lambda x: x * x, x)[1](None)[0]):
        assert type(zero) is np.ndarray and zero.dtype == x.dtype and zero.shape == x.shape
        assert not zero.any() and zero.flags.owndata and zero.flags.writeable
    same, pullback = vjp(lambda x: x, x)
    assert alike(same, x.copy()) and same.flags.owndata
    assert np.array_equal(pullback(x)[0], x) and pullback(x)[0].dtype == x.dtype


def test_writing_to_a_read_only_argument_raises_as_plainly():
    x = np.ones(3)
    x.flags.writeable = False

    def f(x):
        x[0] = 2.0
        return np.sum(x)

    for attempt in (f, grad(f)):
        with pytest.raises(ValueError, match="assignment destination is read-only"):
            attempt(x)


# Pytrees ------------------------------------------------------------------------------------------

class Record(pyrsistent.PRecord):
    w = pyrsistent.field(type=np.ndarray)
    b = pyrsistent.field(type=float)


class Strict(pyrsistent.PClass):
    w = pyrsistent.field(type=np.ndarray)
    b = pyrsistent.field(type=float, invariant=lambda b: (b > 0, "positive"))


@dataclass(frozen=True, slots=True)
class Frozen:
    w: np.ndarray
    b: float

    def __post_init__(self):
        assert type(self.b) is float


class Registered:
    def __init__(self, w, b, label="r"):
        self.w, self.b, self.label = w, b, label


register_pytree(Registered, lambda r: ((r.w, r.b), r.label), lambda label, c: Registered(*c, label))

W, B = np.array([1.0, 2.0]), 3.0
TREES = [
    ({"w": W, "b": B}, lambda p: (p["w"], p["b"])),
    ([W, B], lambda p: (p[0], p[1])),
    ((W, B), lambda p: (p[0], p[1])),
    (Pair(W, B), lambda p: (p.left, p.right)),
    (OrderedDict(w=W, b=B), lambda p: (p["w"], p["b"])),
    ({"b": [B, None], "w": {"deep": (W,)}}, lambda p: (p["w"]["deep"][0], p["b"][0])),
    (Frozen(W, B), lambda p: (p.w, p.b)),
    (Registered(W, B), lambda p: (p.w, p.b)),
    (pyrsistent.pmap({"w": W, "b": B}), lambda p: (p["w"], p["b"])),
    (pyrsistent.pvector([W, B]), lambda p: (p[0], p[1])),
    (pyrsistent.pvector([pyrsistent.pmap({"w": W}), B]), lambda p: (p[0]["w"], p[1])),
    (Record(w=W, b=B), lambda p: (p.w, p.b)),
    (Strict(w=W, b=B), lambda p: (p.w, p.b)),
]


@pytest.mark.parametrize("tree, parts", TREES, ids=lambda p: type(p).__name__)
def test_pytrees_in(tree, parts):
    def f(p, x):
        w, b = parts(p)
        return np.sum(w * w * x) * b

    x = np.array([1.0, -1.0])
    leaves, structure = flatten(tree)
    value, g = value_and_grad(f)(tree, x)
    assert alike(value, f(tree, x)) and value == -9.0
    assert type(g) is type(tree) and flatten(g)[1] == structure
    w, b = parts(g)
    assert alike(w, np.array([6.0, -12.0])) and type(b) is float and b == -3.0
    assert all(a is b for a, b in zip(flatten(tree)[0], leaves)) and alike(W, np.array([1.0, 2.0]))
    # As a tangent, and in a second derivative.
    value, t = jvp(f, (tree, x), (g, None))
    assert np.isclose(t, np.sum(w * w) + b * b)
    second = grad(lambda p: np.sum(parts(grad(f)(p, x))[0] ** 2))(tree)
    w, b = parts(second)
    assert np.allclose(w, 8.0 * W * B**2) and np.isclose(b, 8.0 * np.sum(W * W) * B)


@pytest.mark.parametrize("tree, parts", TREES, ids=lambda p: type(p).__name__)
def test_pytrees_out(tree, parts):
    structure = flatten(tree)[1]

    def f(x):
        return hybridad.tree.unflatten(structure, [x * leaf for leaf in flatten(tree)[0]])

    value, pullback = vjp(f, 2.0)
    assert type(value) is type(tree) and flatten(value)[1] == structure
    w, b = parts(value)
    assert alike(w, W * 2.0) and alike(b, 6.0)
    (g,) = pullback(tree)
    assert g == np.sum(W * W) + B * B and type(g) is float
    assert pullback(None) == (0.0,)
    value, t = jvp(f, (2.0,), (1.5,))
    assert type(t) is type(tree) and alike(parts(t)[0], 1.5 * W) and alike(parts(t)[1], 1.5 * B)


def test_parts_of_a_cotangent_may_be_none():
    _, pullback = vjp(lambda x: {"a": x * 2.0, "b": (x, [x[0]])}, X)
    assert alike(pullback({"a": None, "b": (X, None)})[0], X)
    assert alike(pullback({"a": X, "b": None})[0], 2.0 * X)
    assert alike(pullback({"a": None, "b": (None, [3.0])})[0], np.array([3.0, 0.0, 0.0]))
    f = lambda p: p["a"] * p["b"][0]
    assert jvp(f, ({"a": 2.0, "b": [3.0]},), ({"a": 1.0, "b": None},)) == (6.0, 3.0)


def test_equal_leaves_are_differentiated_apart():
    g = grad(lambda p: np.sum(p["a"] * p["b"] ** 2))({"a": X, "b": X})
    assert np.allclose(g["a"], X**2) and np.allclose(g["b"], 2 * X**2)


def test_containers_of_the_caller_are_not_touched():
    params = {"w": [X, 1.0]}

    def f(p):
        p["w"][1] = p["w"][1] * 2.0
        p["new"] = 1.0
        p["w"].append(p["w"][0])
        p["w"][0][:] = 0.0
        return p["w"][1] * 3.0

    assert grad(f)(params)["w"][1] == 6.0
    assert list(params) == ["w"] and params["w"][0] is X and params["w"][1:] == [1.0]
    assert alike(X, np.array([0.5, -1.25, 2.0]))


def test_other_arguments_pass_through():
    class Thing(np.ndarray):
        pass

    others = [np.arange(3), np.ones(3), np.ma.ones(3), np.ones(3).view(Thing), {"a": [X]}, "text",
              None, object(), np.random.default_rng(0), print, {1.0}, 3, True, iter([1]),
              np.array([None]), np.float64(2.0)]

    def f(x, *args, **kwargs):
        seen.append((args, kwargs))
        return x * x

    for attempt in (lambda: value_and_grad(f)(2.0, *others, a=others[0], b=others[4]),
                    lambda: vjp(f, 2.0, *others, argnums=0, a=others[0], b=others[4]),
                    lambda: jvp(f, (2.0, *others), 1.0, argnums=0, a=others[0], b=others[4])):
        seen = []
        attempt()
        ((args, kwargs),) = seen
        assert all(a is b for a, b in zip(args, others)) and len(args) == len(others)
        assert list(kwargs) == ["a", "b"] and kwargs["a"] is others[0] and kwargs["b"] is others[4]
    assert others[4]["a"][0] is X


def test_writes_to_other_arguments_stay():
    buffer, log = np.zeros(3), []

    def f(x, buffer, log):
        buffer[:] = buffer + 1.0
        buffer[0] += 2.0
        log.append("text")
        return np.sum(x * buffer)

    g = grad(f)(X, buffer, log)
    assert buffer.tolist() == [3.0, 1.0, 1.0] and log == ["text"]
    assert g.tolist() == [3.0, 1.0, 1.0]
    assert vjp(f, X, buffer, log, argnums=0)[1](1.0).tolist() == [6.0, 2.0, 2.0]


@pytest.mark.parametrize("call", [
    lambda f, *args: grad(f)(*args), lambda f, *args: value_and_grad(f)(*args),
    lambda f, x, *args: vjp(f, x, *args, argnums=0)[1](1.0),
    lambda f, x, *args: jvp(f, (x, *args), x, argnums=0)])
def test_effects_happen_once(call, capsys):
    """Draws, prints, appends and counts are as if f had been called plainly."""
    def f(x, generator, log):
        f.calls += 1
        draw = generator.random(3)
        log.append(float(draw[0]))
        print("loss", f"{np.sum(x):.2f}", x[0])
        return np.sum(x * draw)

    f.calls = 0
    ours, plain = np.random.default_rng(1), np.random.default_rng(1)
    log, expected = [], []
    for n in range(1, 4):
        call(f, X, ours, log)
        assert f.calls == n and ours.bit_generator.state != plain.bit_generator.state
        text = capsys.readouterr().out
        f(X, plain, expected)
        assert capsys.readouterr().out == text and "0.5\n" in text
        assert log == expected and ours.bit_generator.state == plain.bit_generator.state
        f.calls -= 1


def test_nothing_is_stale():
    box = {"scale": 2.0, "table": np.ones(3)}
    scale = 3.0

    def f(x):
        return np.sum(x * box["scale"] * box["table"]) * scale

    differentiated = grad(f)
    assert differentiated(X).tolist() == [6.0] * 3
    box["scale"], box["table"][1] = 1.0, 5.0
    assert differentiated(X).tolist() == [3.0, 15.0, 3.0]
    scale = 1.0
    assert differentiated(X).tolist() == [1.0, 5.0, 1.0]


def test_identity_and_constants():
    for x in (2.0, np.float32(2), np.array(2.0), np.longdouble(2)):
        g = grad(lambda x: x)(x)
        assert type(g) is type(x) and g == 1.0 and getattr(g, "dtype", 0) == getattr(x, "dtype", 0)
    value, g = value_and_grad(lambda x: 3.0)(X)
    assert alike(value, 3.0) and alike(g, np.zeros(3))
    value, pullback = vjp(lambda: np.float64(3.0))
    assert value == 3.0 and pullback(1.0) == () and jvp(lambda: 3.0, (), ()) == (3.0, 0.0)


def test_keyword_arguments_of_any_name():
    def f(x, f, primals=1.0):
        return x * f * primals

    assert grad(f, ("x", "f"))(2.0, f=3.0) == (3.0, 2.0)
    assert vjp(f, 2.0, f=3.0)[1](1.0) == (3.0,) == vjp(f, 2.0, f=3.0, primals=1.0)[1](1.0)
    assert jvp(f, (2.0,), (1.0,), f=3.0) == (6.0, 3.0)


# Nesting ------------------------------------------------------------------------------------------

def by_grad(f):
    return grad(f)


def by_jvp(f):
    return lambda x: jvp(f, (x,), (1.0,))[1]


def by_vjp(f):
    return lambda x: vjp(f, x)[1](1.0)[0]


def by_value_and_grad(f):
    return lambda x: value_and_grad(f)(x)[1]


WAYS = [by_grad, by_jvp, by_vjp]


def derivative_of_x5_sin(x, n):
    return sum(comb(n, j) * factorial(5) / factorial(5 - j) * x ** (5 - j)
               * sin(x + (n - j) * pi / 2) for j in range(n + 1))


@pytest.mark.parametrize("ways", [ways for n in (1, 2, 3) for ways in itertools.product(
    WAYS, repeat=n)] + [(by_value_and_grad, *WAYS), (by_grad,) * 5, (by_jvp,) * 5], ids=lambda ways:
    "-".join(way.__name__[3:] for way in ways))
def test_derivatives_of_derivatives(ways):
    f = lambda x: x**5 * np.sin(x)
    for way in ways:
        f = way(f)
    assert np.isclose(f(1.3), derivative_of_x5_sin(1.3, len(ways)), rtol=1e-12)


@pytest.mark.parametrize("outer", WAYS)
@pytest.mark.parametrize("inner", WAYS)
def test_perturbations_are_not_confused(outer, inner):
    assert outer(lambda x: x * inner(lambda y: x + y)(1.0))(2.0) == 1.0
    assert outer(lambda x: x * inner(lambda y: x * y * y)(x * x))(1.5) == 8.0 * 1.5**3
    # d/dx [x * d/dy (x y + y d/dz (x y z²) at z = y)] at y = x: inner = x + 6 x y²  -> x² + 6 x⁴
    f = lambda x: x * inner(lambda y: x * y + y * inner(lambda z: x * y * z * z)(y))(x)
    assert np.isclose(outer(f)(1.5), 2 * 1.5 + 24 * 1.5**3, rtol=1e-13)
    # A constant function inside; a function of the outer variable only.
    assert outer(lambda x: x * inner(lambda y: 3.0)(x))(2.0) == 0.0
    assert outer(lambda x: x * inner(lambda y: x * x)(x))(2.0) == 0.0


def rows_by_jvp(f):
    return lambda x: np.stack([jvp(f, (x,), (e,))[1] for e in np.eye(len(x))])


@pytest.mark.parametrize("outer", [by_grad, by_vjp, rows_by_jvp])
@pytest.mark.parametrize("inner", [by_grad, by_vjp, rows_by_jvp])
def test_perturbations_are_not_confused_in_memory(outer, inner):
    """Inner and outer runs write to the same arrays; g is the same without a nested gradient."""
    def f(x):
        shared = x * 1.0
        work = np.zeros_like(x)

        def loss(y):
            work[:] = y * x
            work[1:] *= y[:-1]
            shared[0] = shared[0] * y[1]
            total = np.sum(work * shared)
            work[0] = 1e3
            return total

        g = inner(loss)(x)
        shared[1] += g[0] * x[2]
        x[2] = 5.0
        return np.sum(shared * g * x) + work[0] * x[1]

    def plain(x):
        # The runs inside, by hand: `loss` is run once a gradient, and once for each direction.
        runs = len(x) if inner is rows_by_jvp else 1
        x = x.copy()
        shared, g = x.copy(), np.zeros(3)
        for run in range(runs):
            s = shared[0]
            rows = {  # d loss / dy at y = x, where shared[0] becomes s y[1]
                0: 2 * 0 + x[0] * s * x[1] + x[1] * x[1] * shared[1],
                1: x[0] * x[0] * s + x[1] * x[0] * shared[1] + x[2] * x[2] * shared[2],
                2: x[2] * x[1] * shared[2]}
            for k in range(3) if runs == 1 else (run,):
                g[k] = rows[k]
            shared[0] = s * x[1]
        shared[1] += g[0] * x[2]
        x2 = x.copy()
        x2[2] = 5.0
        return np.sum(shared * g * x2) + 1e3 * x2[1]

    x = np.array([1.2, 0.7, -0.4])
    assert np.allclose(outer(f)(x), differences(plain, x), rtol=1e-6)
    assert alike(x, np.array([1.2, 0.7, -0.4]))


def test_hessians():
    def f(x):
        y = np.tanh(x)
        y[1:] += y[:-1] ** 2
        return np.sum(y * x) ** 2

    hessian = np.array([differences(lambda x: grad(f)(x)[k], X) for k in range(3)])  # noqa: B023
    basis = np.eye(3)
    for rows in (
            [vjp(grad(f), X)[1](e)[0] for e in basis],
            [jvp(grad(f), (X,), (e,))[1] for e in basis],
            [grad(lambda x: grad(f)(x) @ e)(X) for e in basis],  # noqa: B023
            [grad(lambda x: jvp(f, (x,), (e,))[1])(X) for e in basis],  # noqa: B023
            [[jvp(lambda x: jvp(f, (x,), (e,))[1], (X,), (d,))[1] for d in basis]  # noqa: B023
             for e in basis]):
        assert np.allclose(rows, hessian, rtol=1e-6, atol=1e-8)
    check_grads(f, (X,), order=3)


def test_a_nested_gradient_of_constants_is_plain():
    seen = []

    def f(x):
        seen.append(grad(lambda y: np.sum(y * y))(X))
        seen.append(vjp(lambda y: y * 2.0, X)[0])
        return np.sum(x * seen[0])

    assert alike(grad(f)(X), 2.0 * X)
    assert [type(a) for a in seen] == [np.ndarray, np.ndarray]


def test_pullback_of_a_run_inside_is_kept():
    """The tape is shared: what other runs inside release must not be the pullback's."""
    def f(x):
        kept = []

        def inner(y):
            kept.append(vjp(lambda z: z * z, 3.0)[1])
            return y * y

        g = grad(inner)(2.0)
        w = x
        for _ in range(10):
            w = w * x
        return kept[0](1.0)[0] * x * g + 0.0 * w

    assert grad(f)(2.0) == 24.0


def test_pullback_of_a_run_inside_after_the_run_outside():
    """It acts as it would if what it depends on were plain."""
    kept = []

    def f(x):
        y = x * 2.0

        def inner(z):
            z[0] *= y[1]
            return z * y * 3.0

        value, pullback = vjp(inner, np.array([1.0, 2.0, 3.0]))
        y[:] = 0.0
        kept.append(pullback)
        return np.sum(value)

    grad(f)(X)
    y = X * 2.0
    for _ in range(2):
        (g,) = kept[0](np.ones(3))
        assert type(g) is np.ndarray and np.allclose(g, y * 3.0 * [y[1], 1.0, 1.0])
    # Also in another run, of which its cotangent is a value.
    value, g = value_and_grad(lambda c: np.sum(kept[0](c)[0] * X))(np.ones(3))
    assert np.isclose(value, np.sum(y * 3.0 * [y[1], 1.0, 1.0] * X))
    assert np.allclose(g, y * 3.0 * [y[1], 1.0, 1.0] * X)


# With others --------------------------------------------------------------------------------------

def test_scipy_minimize():
    def rosenbrock(x, a):
        return np.sum(a * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

    x0 = np.array([1.3, 0.7, 0.8, 1.9])
    for method in ("BFGS", "L-BFGS-B", "CG"):
        found = scipy.optimize.minimize(value_and_grad(rosenbrock), x0, args=(100.0,), jac=True,
                                        method=method)
        assert np.allclose(found.x, 1.0, atol=1e-4)
    found = scipy.optimize.minimize(
        lambda x: rosenbrock(x, 100.0), x0, jac=grad(lambda x: rosenbrock(x, 100.0)),
        hessp=lambda x, p: jvp(grad(lambda x: rosenbrock(x, 100.0)), (x,), (p,))[1],
        method="Newton-CG")
    assert found.success and np.allclose(found.x, 1.0, atol=1e-5)
    assert alike(x0, np.array([1.3, 0.7, 0.8, 1.9]))


def test_scipy_root_and_least_squares():
    def residuals(x):
        return np.stack([x[0] ** 2 + x[1] - 3.0, np.exp(x[0]) - x[1]])

    def jacobian(x):
        return np.stack([vjp(residuals, x)[1](e)[0] for e in np.eye(2)])

    found = scipy.optimize.root(residuals, np.array([1.0, 1.0]), jac=jacobian)
    assert found.success and np.allclose(residuals(found.x), 0.0, atol=1e-10)
    found = scipy.optimize.least_squares(residuals, np.array([1.0, 1.0]), jac=jacobian)
    assert np.allclose(residuals(found.x), 0.0, atol=1e-6)
