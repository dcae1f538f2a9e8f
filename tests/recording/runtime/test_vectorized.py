"""NumPy's loops over functions: values, types, order and number of calls, derivatives."""

import math

import numpy as np
import pytest
from hybridad._record import raw_of

import hybridad
from hybridad.errors import UnsupportedError
from tests.recording.agreement import agrees_at
from tests.recording.runtime import whole
from tests.recording.runtime.formed import Stand, agrees, form

FUNCTIONS = {
    "square": np.vectorize(lambda v: v * v),
    "weigh": np.vectorize(lambda u, v: u * v + v),
    "branch": np.vectorize(lambda v: v if v > 0.5 else 2.0 * v),
    "sign": np.vectorize(lambda v: 1 if v > 0.5 else 0),
    "power": np.vectorize(lambda v, n=2: v**n, otypes=[float]),
    "single": np.vectorize(lambda v: v * 0.5, otypes=["f"]),
    "whole": np.vectorize(lambda v: v * 3.0, otypes=[int]),
    "objects": np.vectorize(lambda v: v * 3.0, otypes=[object]),
    "pair": np.vectorize(lambda v: (v * v, 2.0 * v)),
    "typed_pair": np.vectorize(lambda v: (v * v, v), otypes="fi"),
    "cached": np.vectorize(lambda v: v * v, cache=True),
    "poly": np.vectorize(lambda p, v: p[0] + p[1] * v, excluded=[0]),
    "named": np.vectorize(lambda v, scale=1.0: v * scale, excluded={"scale"}),
    "dot": np.vectorize(lambda u, v: (u * v).sum(), signature="(n),(n)->()"),
    "outer": np.vectorize(lambda u, v: u[:, None] * v, signature="(n),(m)->(n,m)"),
    "norms": np.vectorize(lambda u: (u.sum(), u * u), signature="(n)->(),(n)"),
    "spread": np.vectorize(lambda u: u[0], signature="(n)->(m)"),
    "python": np.frompyfunc(lambda u, v: u * v, 2, 1),
    "first": lambda row: row[0] * row[1],
    "listed": lambda row: [row[0], 1.0],
    "double": lambda v: 2.0 * v,
    "hidden": lambda row: 1.0,
}


@pytest.mark.parametrize("expression", [
    "square(x)",
    "square(m.T)",
    "square(s)",
    "square(a)",
    "square(o)",
    "square([s, a, 1.0])",
    "square(h)",
    "square(z)",
    "weigh(x, y)",
    "weigh(x, s)",
    "weigh(m, x)",
    "weigh(k, x)",
    "weigh(x, [[s], [a]])",
    "weigh(2, a)",
    "weigh(m.T, m)",
    "branch(v)",
    "sign(v) * v",
    "power(x, n=3)",
    "power(x)",
    "power(v[:0])",
    "single(x)",
    "whole(x)",
    "pair(r)",
    "typed_pair(x)",
    "cached(x)",
    "poly([s, a], x)",
    "poly((1.0, 2.0), x)",
    "named(x, scale=s)",
    "weigh(u=x, v=s)",
    "dot(m, x)",
    "dot(c[:, :, :3], m)",
    "dot(x, [1.0, s, a])",
    "outer(x, v)",
    "outer(r, x)",
    "norms(r)",
    "norms(k * 1.0), s",
    "np.apply_along_axis(first, 0, m)",
    "np.apply_along_axis(listed, 1, r)",
    "np.apply_along_axis(first, 0, [[s, a], [1.0, s]])",
    "np.apply_along_axis(hidden, 1, r)",
    "np.apply_over_axes(np.sum, c, [0, 2])",
    "np.piecewise(x, [x < 0.5, x >= 0.5], [double, s])",
    "np.piecewise(x, [x < 0.5], [0.0, double])",
    "np.piecewise(s, s < 0.5, [0.0, double])",
    "np.piecewise(k, [k < 1, k > 1], [s, a]) * s",
    "np.fromiter([s, a, 1.0], float)",
    "np.fromiter((v for v in x), dtype=np.float32)",
    "np.fromiter(iter([s, a, 1.0]), float, count=2)",
    "np.fromiter([s, a], int) * x[0]",
    "np.fromiter(range(3), float) * x",
    "np.frompyfunc(double, 1, 1)(s)",
    "np.frompyfunc(double, 1, 1)(x).astype(float)",
    "python(x, s).astype(np.float32)",
    "python([s, a], [[1], [2]]).astype(float)",
    "python(m.T, x).astype(float)",
])
def test_followed(expression):
    agrees(expression, **FUNCTIONS)


@pytest.mark.parametrize("expression", [
    "weigh(x, s)", "dot(m, x)", "np.fromiter([s * s, a], float)", "python(x, x).astype(float)",
])
def test_second_order(expression):
    agrees(expression, order=2, **FUNCTIONS)


@pytest.mark.parametrize("expression", [
    "weigh(m.T, m)", "cached(x)", "square(s)", "norms(r)", "dot(m, x)", "power(m.T)",
    "np.apply_along_axis(first, 1, m)", "np.piecewise(x, [x < 0.5], [double, double])",
    "np.fromiter(map(double, x), float, 2)",
])
def test_calls_are_those_of_plain_numpy(expression):
    """In number, order, and the types that the function is given."""
    calls = []

    def watched(function):
        def called(*args, **kwargs):
            calls.append([(type(raw_of(x)), np.array(raw_of(x)).tolist()) for x in args])
            return function(*args, **kwargs)
        return called

    def rebuilt(f):
        if not isinstance(f, np.vectorize):
            return watched(f)
        return np.vectorize(watched(f.pyfunc), otypes=f.otypes, excluded=f.excluded, cache=f.cache,
                            signature=f.signature)

    functions = {name: rebuilt(f) for name, f in FUNCTIONS.items() if name != "python"}
    f, args = form(expression, **functions)
    f(*args)
    expected = calls[:]
    calls.clear()
    hybridad.vjp(lambda *args: (f(*args), sum(map(np.sum, args)))[1], *args)
    assert calls == expected
    assert expected


def test_functions_of_constants_alone():
    """The function may read values being recorded though its arguments are none."""
    site = Stand()

    def f(x):
        weigh = lambda k: x[k] * 2.0
        return (site.call(np.vectorize(lambda k: x[k]), np.array([1, 0])),
                site.call(np.fromfunction, lambda i, j: i * x + j, (2, 2)),
                site.call(np.vectorize(weigh, otypes=[float]), 1),
                site.call(np.apply_along_axis, lambda row: row * x, 0, np.ones(2)),
                site.call(np.piecewise, np.array([0.0, 1.0]), [np.array([True, False])],
                          [lambda v: v + x[0], 2.0]),
                site.call(np.vectorize(lambda u: u * x, signature="(n)->(n)"), np.ones((3, 2))))

    agrees_at(f, (np.array([0.7, 0.2]),))


def test_fresh_results_can_be_filled():
    site = Stand()

    def f(x):
        made = (site.call(np.vectorize(math.sqrt), [1.0, 4.0]),
                site.call(np.fromiter, range(2), float),
                site.call(np.fromfunction, lambda i: i, (2,)),
                site.call(np.array([1, 2]).astype, float),
                site.call(np.apply_along_axis, lambda row: 2.0, 1, np.ones((2, 2))))
        for k, each in enumerate(made):
            each[0] = x[1] * k
        return made

    agrees_at(f, (np.array([0.7, 0.2]),))


@pytest.mark.parametrize("expression", [
    "square(v[:0])",
    "dot(m, v)",
    "dot(x)",
    "dot(s, x)",
    "spread(r)",
    "np.fromiter([s, a], float, 3)",
    "np.fromiter([s, 'text'], float)",
    "np.vectorize(first)(x)",
    "np.vectorize(listed)(m)",
])
def test_errors_are_those_of_plain_numpy(expression):
    f, args = form(expression, **FUNCTIONS)
    with pytest.raises((TypeError, ValueError, IndexError)) as plainly:
        f(*args)
    with pytest.raises(type(plainly.value)) as recorded:
        hybridad.vjp(f, *args)
    assert str(recorded.value) == str(plainly.value)


def test_arrays_of_objects_are_refused():
    f, args = form("x.astype(object)", **FUNCTIONS)
    with pytest.raises(UnsupportedError):
        hybridad.vjp(f, *args)


def test_functions_that_return_objects():
    def f(x):
        made = np.vectorize(lambda a: {"k": a * 2.0}, otypes=[object])(np.array([x[0], x[1]]))
        numbers = np.vectorize(lambda a: a * 3.0, otypes=[object])(x)
        pairs = np.vectorize(lambda a: (a, [a]), otypes=[float, object])(x)[1]
        return made[0]["k"] * made[1]["k"] + numbers[2] * pairs[1][0]

    whole.agrees(f)


def test_arrays_of_objects_are_filled():
    def f(x):
        a, b, integers = np.zeros(2, object), np.zeros((2, 3), object), np.zeros(2, int)
        a.fill(x[0] * 2.0)
        np.copyto(b, x * 3.0)
        integers.fill(3)
        return a[0] * a[1] * b[1, 2] + b[0].sum(), (integers, [type(v) for v in b.flat])

    whole.agrees(f)
