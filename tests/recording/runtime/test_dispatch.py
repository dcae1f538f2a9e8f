"""Calls of everything but plain functions: NumPy, SciPy, partials, caches, builtins, slots."""

import functools
import itertools
import math
import operator

import numpy as np
import pytest
import scipy.special

import hybridad
from tests.recording.agreement import same
from tests.recording.runtime.whole import POINT, agrees, fails_alike

PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_it_does_what_plain_python_does(f):
    agrees(f)


# ---- NumPy and SciPy ---------------------------------------------------------------------------

TABLE = np.linspace(-1.0, 1.0, 6).reshape(2, 3)


@program
def functions_of_numpy(x):
    grid = np.linspace(0.0, 1.0, 3)
    y = np.stack([x, grid]) @ np.vstack((x, grid)).T
    return np.sum(np.einsum("ij,jk->ik", y, y)) + np.dot(x, grid) + np.interp(0.3, grid, x)


@program
def lists_with_differentiated_numbers(x):
    y = np.array([[x[0], 1.0], [2.0, x[1] * x[2]]])
    return np.linalg.det(y) + np.sum(np.concatenate([[x[0]], x])) + np.mean([x[0], x[1] * x[1]])


@program
def ufuncs(x):
    out = np.empty(3)
    np.multiply(x, x, out)
    np.add(out, 1.0, out=out)
    mask = np.greater(x, 0)
    y = np.exp(x, where=mask, out=np.zeros(3))
    total = np.sum(np.sqrt(out)) + np.sum(y) + np.sum(np.multiply.outer(x, x))
    total = total + np.add.reduce(x * x) + np.hypot(x[0], 2.0) + scipy.special.expit(x)[1]
    return total, (mask, np.arange(3) + 1)


@program
def ufuncs_that_write_in_place(x):
    y = x * 1.0
    np.add.at(y, [0, 0], x[1:])
    np.negative(y, out=y)
    total, counts = np.zeros(3), np.zeros(3, int)
    np.add.at(counts, [0, 2], 1)
    total += y
    return np.sum(total * total), counts


@program
def functions_with_inactive_arguments(x):
    a, b = np.meshgrid(np.arange(3.0), np.arange(2.0))
    q, r = np.linalg.qr(TABLE @ TABLE.T)
    parts = np.split(np.ones(4), 2)
    parts[0][0] = x[0]      # an array that some function made may receive active values
    a[0, 0] = x[1]
    return np.sum(parts[0]) * np.sum(a * b) + np.sum(q) * x[2] + np.sum(a), (r, len(parts))


@program
def functions_by_other_names(x):
    chosen = {"sum": np.sum, "max": np.max}
    total = getattr(np, "square")(x).sum()  # noqa: B009
    for name in chosen:
        total = total + chosen[name](x * x)
    return total + functools.reduce(np.add, list(x)) + [*map(np.exp, x)][1]


@program
def methods_of_arrays(x):
    y = x.reshape(3, 1) * x
    z = y.copy()
    z.fill(x[0])
    return y.sum() + z.mean() * y.T.ravel()[1] + y.dot(x).max() + x.clip(0.0, 1.0).prod(), y.shape


@program
def vectorized_functions(x):
    @np.vectorize
    def bend(v, w):
        return v * v if v > 0 else v * w

    double = np.frompyfunc(lambda v: v * 2.0, 1, 1)
    along = np.apply_along_axis(lambda row: row * row[0], 0, x)
    return np.sum(bend(x, 3.0)) + sum(double(x)) + np.sum(along)


# ---- partials and caches -----------------------------------------------------------------------

@program
def partials(x):
    def weigh(a, b, *rest, scale=1.0, **more):
        return (a * b + sum(rest)) * scale + sum(more.values())

    p = functools.partial(weigh, x[0], scale=2.0)
    q = functools.partial(p, x[1], z=x[2])
    r = functools.partial(np.sum, axis=0)

    class Model:
        def weigh(self, a, b):
            return a * b * 3.0

        half = functools.partialmethod(weigh, 0.5)

    return (p(x[1]) + q(1.0, scale=x[0]) + r(x) + functools.partial(max, x[0])(x[1])
            + Model().half(x[0]) + Model().half(b=x[1]))


def test_cached_functions_keep_no_value_of_a_run():
    calls = []

    @functools.lru_cache
    def table(n):
        calls.append(n)
        return np.arange(float(n))

    @functools.cache
    def scale(y, n=2):
        calls.append("scale")
        return y * n

    def f(x):
        t = table(3)
        return np.sum(t * x * table(3)) + scale(x[0]) * scale(x[0], n=3) + scale(2.0) * x[1]

    value, grad = hybridad.value_and_grad(f)(POINT)
    assert calls == [3, "scale", "scale", "scale"]
    assert scale.cache_info().currsize == 1 and scale(2.0) == 4.0
    assert type(table(3)) is np.ndarray and table.cache_info().misses == 1
    np.testing.assert_allclose(grad, [12.0 * POINT[0], 4.0 + 1.0, 4.0], rtol=1e-13)
    calls.clear()
    scale.cache_clear()
    assert f(POINT) == value


def test_a_cached_array_is_not_the_runs_own():
    @functools.lru_cache
    def table():
        return np.ones(3)

    def f(x):
        t = table()
        t[0] = 5.0
        return np.sum(t * x)

    np.testing.assert_array_equal(hybridad.grad(f)(POINT), [5.0, 1.0, 1.0])
    np.testing.assert_array_equal(table(), [5.0, 1.0, 1.0])


@program
def dispatch_by_type(x):
    @functools.singledispatch
    def size(v):
        return 1.0

    @size.register
    def _(v: float):
        return v * 2.0

    @size.register
    def _(v: list):
        return sum(map(size, v))

    return size(x[0]) * size([x[1], 3.0]) * size("a")


@program
def wrapped_functions(x):
    def twice(f):
        @functools.wraps(f)
        def made(*args, **kwargs):
            return f(*args, **kwargs) * 2.0
        return made

    @twice
    def square(v):
        """Squares."""
        return v * v

    return square(x[0]) * square(v=x[1]), (square.__name__, square.__doc__)


# ---- builtins, methods, slots ------------------------------------------------------------------

@program
def builtins_of_all_kinds(x):
    items = [x[0], x[1]]
    add = items.append
    add(x[2])
    list.append(items, x[0] * 2.0)
    list.__setitem__(items, 0, x[1])
    items.__setitem__(1, items[1] * x[2])
    table = dict.fromkeys(["a", "b"], x[0])
    dict.__setitem__(table, "c", x[1] * x[1])
    joined = "-".join(["a", "b"])
    total = operator.add(items[0], items[1]) + operator.itemgetter(2)(items) * table["c"]
    total = total + operator.attrgetter("real")(x[0]) + operator.methodcaller("sum")(x)
    total = total + float.__mul__(2.0, 3.0) + x[0].__add__(1.0) + float.__add__(x[0], x[1])
    for a, b in itertools.pairwise(items):
        total = total + a * b
    return total + math.exp(x[0]) * sum(table.values()), (joined, len(items), str.upper("a"))


@program
def named_tuples(x):
    import collections

    P = collections.namedtuple("P", "a b", defaults=[2.0])
    p = P(x[0], b=x[1])
    a, b = P(x[1])
    return p.a * p[1] * a * b + sum(p), (p._fields, len(p))


def test_classes_of_libraries():
    def f(x):
        import collections
        import decimal
        import fractions

        P = collections.namedtuple("P", "a b")
        q = P._make([x[0], x[1]])._replace(a=x[2])
        d = collections.deque([x[0]], maxlen=2)
        d.append(x[1])
        d.append(x[2])
        c = collections.Counter("aab")
        m = collections.ChainMap({"a": x[0]}, {"b": x[1]})
        n = collections.UserDict(a=x[0])
        return (q.a * q.b + d[0] * d[1] + m["a"] * m["b"] + n["a"]
                + float(fractions.Fraction(1, 2)) * float(decimal.Decimal("0.5"))
                + slice(1, 2).start + complex(1.0, 2.0).imag), (c["a"], len(d))

    explanation = agrees(f, followed=False)
    assert "ChainMap.__getitem__ was called with differentiated values" in str(explanation)


@program
def bound_and_unbound_methods(x):
    class Model:
        scale = 2.0

        def times(self, y):
            return y * self.scale

        def __call__(self, y):
            return self.times(y) * x[0]

        @classmethod
        def make(cls, scale):
            made = cls()
            made.scale = scale
            return made

    m = Model.make(x[1])
    times = m.times
    return times(x[0]) + Model.times(m, x[2]) + m(x[1]) + Model()(x[0]) + Model.__call__(m, 1.0)


@program
def default_methods_of_object(x):
    class Guarded:
        def __setattr__(self, name, value):
            object.__setattr__(self, name, value * 2.0)

        def __getattribute__(self, name):
            found = object.__getattribute__(self, name)
            return found * 3.0 if name == "tripled" else found

        def __delattr__(self, name):
            super().__delattr__(name)

        @property
        def doubled(self):
            return self.x * 2.0

        @doubled.setter
        def doubled(self, value):
            self.x = value

    g = Guarded()
    g.x = x
    g.tripled = x[0]
    g.doubled = g.doubled
    del g.tripled
    return np.sum(g.x * g.doubled), sorted(g.__dict__)


@program
def generators_as_coroutines(x):
    log, buffer = [], np.zeros(2)

    def running(scale):
        total, count = 0.0, 0
        try:
            while True:
                value = yield total
                total = total + value * scale
                count += 1
                buffer[count % 2] = value * 2.0
        except KeyError:
            log.append("thrown")
            yield total * 2.0
        finally:
            log.append(count)

    def outer():
        result = yield from running(x[0])
        return result

    g, h = running(x[1]), outer()
    next(g), next(h)
    total = g.send(x[0]) * g.send(x[2]) + h.send(x[1] * x[1])
    total = total + h.throw(KeyError)
    g.close()
    h.close()
    return total + np.sum(buffer), log


@pytest.mark.parametrize("f", [
    lambda x: np.sum(x, axis=4), lambda x: np.nothing(x), lambda x: np.exp(), lambda x: len(3),
    lambda x: np.exp(x, 1, 2, 3), lambda x: [].append(x, x), lambda x: list.append(3, x),
    lambda x: functools.partial(len)(x, x), lambda x: x.nothing(), lambda x: int("a"),
    lambda x: np.reshape(x, (2, 2)), lambda x: x @ np.ones(4), lambda x: object.__getattribute__(3),
    lambda x: {}["a"], lambda x: dict.pop({}, "a"), lambda x: next(iter([])), lambda x: x["a"],
    lambda x: (lambda: 0)(x), lambda x: (lambda a: 0)(x, a=1), lambda x: (lambda a, /: 0)(a=x),
    lambda x: type.__call__(), lambda x: print.nothing(x), lambda x: len + "a",
])
def test_it_fails_as_plain_python_does(f):
    fails_alike(f)


def test_values_at_other_points():
    """A branch that was not taken before is taken."""
    vg = hybridad.value_and_grad(vectorized_functions)
    for sign in (1.0, -1.0, 1.0):
        same(vg(POINT * sign)[0], vectorized_functions(POINT * sign))


def test_pure_functions_fail_as_with_plain_values():
    fails_alike(lambda x: "a".join([x[0]]))
    fails_alike(lambda x: "a".split(x[0]))
    fails_alike(lambda x: (1).__round__(x[0]))
