"""One run: what is active, what survives it, whose values are whose, what it leaves behind."""

import asyncio
import contextvars
import gc
import itertools
import subprocess
import sys
import textwrap
import threading
import traceback
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hybridad import LostDerivativeError, ScopeError, grad, jvp, value_and_grad, vjp
from hybridad.recording.run import (
    Output,
    check_scope,
    owned,
    plain_copy,
    record,
    tape_in_progress,
)
from tests.recording.unfound import unfound

X = np.array([0.5, -1.25, 2.0])


def run_in_process(source):
    """What a program prints that may end in a crash."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(source)], text=True,
                          capture_output=True, timeout=60)
    assert done.returncode == 0, f"exit status {done.returncode}: {done.stderr}"
    return done.stdout.split()


# What a run sees and returns --------------------------------------------------------------------


def test_record():
    def f(x, n, *, w):
        seen.append(tape_in_progress())
        return {"y": x * w["a"], "n": n}, x

    seen = []
    recording = record(f, (X, 3), {"w": {"a": 2.0}}, [0, "w"], has_aux=True)
    assert recording.name == "f" and seen == [recording.tape] and not recording.tape.is_open
    assert tape_in_progress() is None
    (x,), (a,) = recording.leaves
    assert x.raw is X and a.raw == 2.0 and x.node != a.node
    n, y = recording.outputs
    assert n == Output(-1, 3) and y.node >= 0 and y.raw.tolist() == [1.0, -2.5, 4.0]
    assert recording.values[1] is not y.raw and recording.values[1].tolist() == y.raw.tolist()
    assert recording.aux.tolist() == X.tolist() and type(recording.aux) is np.ndarray
    assert not recording.linked and recording.start == 0 and recording.end == len(recording.tape)
    assert recording.is_disposable()
    recording.keep()
    recording.dispose()
    assert len(recording.tape) == recording.end, "it is kept"
    recording.kept = None
    recording.dispose()
    assert len(recording.tape) == 0


def test_wrappers_pose_as_what_they_stand_for():
    kinds = []

    def f(x, s, c):
        assert isinstance(x, np.ndarray)
        kinds.append(type(x).__name__)
        assert isinstance(s, float) and isinstance(c, complex) and not isinstance(s, np.ndarray)
        assert isinstance(x[0], np.float64) and isinstance(np.sum(x), float)
        assert x.shape == (3,) and len(x) == 3 and x.dtype == "d" and x.flags.c_contiguous
        assert f"{s:.2f} {x[0]}" == "2.00 0.5" and repr(x) == repr(X) and str(s) == "2.0"
        assert (x > 0).tolist() == [True, False, True] and bool(s) and s == 2.0
        return np.sum(x) * s * c.real

    assert grad(f, (0, 1, 2))(X, 2.0, 1j)[1] == 0.0
    assert grad(unfound(f), (0, 1, 2))(X, 2.0, 1j)[1] == 0.0
    assert kinds == ["ndarray", "PersistentArray"], "type() has a meaning only in the source"


def test_a_differentiated_argument_is_never_modified():
    def f(x, p):
        x[0] = 1.0
        x *= p["a"]
        p["a"][:] = 7.0
        np.add.at(x, [0, 0], 1.0)
        x.sort()
        return np.sum(x * p["a"])

    x, a = X.copy(), X * 2.0
    for attempt in (grad(f, (0, 1)), lambda x, p: vjp(f, x, p)[1](1.0),
                    lambda x, p: jvp(f, (x, p), (x, p))):
        attempt(x, {"a": a})
        assert x.tolist() == X.tolist() and a.tolist() == (X * 2.0).tolist()


# What leaks out ---------------------------------------------------------------------------------


def leak(f=lambda x: [x, x * 2.0, x[0], x[0] * x[1], np.zeros_like(x), x[1:], x.T, np.sum(x)]):
    kept = []

    def leaky(x):
        kept.extend(f(x))
        return np.sum(x * x)

    assert grad(leaky)(X).tolist() == (2.0 * X).tolist()
    return kept


def test_what_leaks_out_acts_as_its_plain_value():
    array, twice, element, product, zeros, view, transposed, total = leak()
    assert type(array + 1.0) is np.ndarray and (array + 1.0).tolist() == (X + 1.0).tolist()
    assert type(element * 2.0) is np.float64 and float(element) == 0.5 and int(total) == 1
    assert np.asarray(twice).tolist() == [1.0, -2.5, 4.0] and np.array([element, product])[0] == 0.5
    assert type(np.sin(array)) is np.ndarray and type(np.sum(array)) is np.float64
    assert type(array[1:]) is np.ndarray and type(array[0]) is np.float64
    assert type(array.copy()) is np.ndarray and type(array.reshape(3, 1)) is np.ndarray
    assert hash(element) == hash(0.5) and {element: 1}[0.5] == 1 and [1, 2, 3][int(total)] == 2
    assert type(np.concatenate([array, view])) is np.ndarray and np.allclose(transposed, X)
    assert type(np.stack([element, product])) is np.ndarray and np.dot(array, array) == X @ X
    assert memoryview(np.asarray(array)).shape == (3,) and array.tobytes() == X.tobytes()
    plain = np.zeros(3)
    plain[0] = element
    plain += array
    zeros[1] = 4.0
    zeros += plain
    assert zeros.tolist() == [1.0, 2.75, 2.0] and X.tolist() == [0.5, -1.25, 2.0]
    array[0] = 9.0
    assert view[0] == -1.25 and transposed[0] == 9.0 and array.tolist() == [9.0, -1.25, 2.0]
    assert np.linalg.norm(view) == np.linalg.norm(X[1:])


def test_what_leaks_out_is_plain_in_the_next_run():
    array, twice, element, product, _, view, _, total = leak()

    def f(x):
        return np.sum(x * array * element) + np.dot(view, x[1:]) * total + x[0] * product

    def plain(x):
        return np.sum(x * X * X[0]) + np.dot(X[1:], x[1:]) * np.sum(X) + x[0] * (X[0] * X[1])

    x = np.array([1.0, 2.0, 3.0])
    value, g = value_and_grad(f)(x)
    expected, h = value_and_grad(plain)(x)
    assert value == expected and g.tolist() == h.tolist()
    # As an argument.
    for argument, like in ((array, X), (element, X[0]), (view, X[1:])):
        g = grad(lambda x: np.sum(x**2))(argument)
        assert type(g) is type(like) and np.all(g == 2.0 * like)
    assert grad(lambda x, y: np.sum(x * y))(x, array).tolist() == X.tolist()
    # An active value is written into it as into any plain array: where the source is known.
    def write(x):
        twice[0] = x[1]
        return twice @ x

    with pytest.raises(LostDerivativeError):
        grad(unfound(write))(x)
    assert twice.tolist() == [1.0, -2.5, 4.0]
    assert grad(write)(x).tolist() == [2.0, -2.5 + 1.0, 4.0]
    assert type(twice) is np.ndarray and twice.tolist() == [2.0, -2.5, 4.0]
    assert grad(lambda x: twice[0] * x)(3.0) == 2.0


def test_what_leaks_out_of_a_run_inside():
    """The run outside goes on with it as with what it was: the derivatives stay right."""
    def f(x):
        kept = []

        def inner(y):
            kept.append(y * x)
            kept.append(y * 2.0)
            return np.sum(y * kept[0])

        g = grad(inner)(x * 3.0)           # 2 x y = 6 x²
        return np.sum(g) + np.sum(kept[0] * kept[1])  # y x 2 y = 18 x³

    value, g = value_and_grad(f)(X)
    assert np.isclose(value, np.sum(6.0 * X**2 + 18.0 * X**3))
    assert np.allclose(g, 12.0 * X + 54.0 * X**2)


def test_what_leaks_out_while_something_else_dies():
    """As many values live after the run inside as before, but not the same ones."""
    printed = run_in_process("""
        from hybridad import grad

        def f(x):
            box, leaked = [x * 2.0], []
            def inner(y):
                z = y * 3.0
                leaked.append(z)
                box.clear()
                return z * z
            g = grad(inner)(2.0)
            w = x * x
            for _ in range(10):
                w = w * x
            return leaked[0] * x * x + g + 0.0 * w

        print(grad(f)(5.0))
    """)
    assert printed == ["60.0"]


def test_exceptions_hold_plain_values_in_the_end():
    def f(x):
        raise ValueError("text", x, x[0])

    with pytest.raises(ValueError) as caught:
        grad(f)(X)
    _, array, element = caught.value.args
    assert type(array * 2.0) is np.ndarray and float(element) == 0.5
    assert "0.5" in "".join(traceback.format_exception(caught.value))


def test_generators_may_outlive_the_run():
    def f(x):
        numbers = (x[k] * k for k in range(3))
        kept.append(numbers)
        next(numbers)
        return next(numbers) * x[0]

    kept = []
    assert grad(f)(X).tolist() == [-1.25, 0.5, 0.0]
    rest = list(kept[0])
    assert rest == [4.0] and type(rest[0]) is np.float64


def test_generators_inside_and_around():
    def f(x):
        return sum(a * b for a, b in itertools.pairwise(a * 2.0 for a in x))

    def gradients():
        for k in range(3):
            yield grad(lambda x: f(x) * k)(X)  # noqa: B023

    expected = 4.0 * np.array([X[1], X[0] + X[2], X[1]])
    both = zip(gradients(), gradients())  # two runs, each between two steps of the other
    for k, (g, h) in enumerate(both):
        assert np.allclose(g, expected * k) and np.allclose(h, expected * k)


# Whose values they are --------------------------------------------------------------------------


@pytest.fixture
def pool():
    with ThreadPoolExecutor(2) as pool:
        yield pool


USES = {
    "operator": lambda x: x * 2.0,
    "reflected": lambda x: 2.0 * x,
    "negative": lambda x: -x,
    "in place": lambda x: x.__iadd__(2.0),
    "ufunc": lambda x: np.sin(x),
    "ufunc with two": lambda x: np.add(1.0, x),
    "ufunc method": lambda x: np.add.reduce(x),
    "function": lambda x: np.sum(x),
    "sequence": lambda x: np.stack([x, x]),
    "method": lambda x: x.sum(),
    "copy": lambda x: x.copy(),
    "element": lambda x: x[0],
    "fancy": lambda x: x[[0, 1]],
    "write": lambda x: x.__setitem__(0, 1.0),
    "fill": lambda x: x.fill(1.0),
    "several results": lambda x: np.linalg.svd(np.outer(x, x))[1],
    "gradient": lambda x: grad(lambda y: np.sum(y * y))(x),
    "gradient by another": lambda x: grad(lambda y, z: np.sum(y * z))(np.ones(3), x),
    "vjp": lambda x: vjp(lambda y: y * y, x),
    "jvp": lambda x: jvp(lambda y: y * y, (np.ones(3),), (x,)),
    "cotangent": lambda x: vjp(lambda y: y * y, np.ones(3))[1](x),
    "result": lambda x: vjp(lambda y: x, 1.0),
    "auxiliary result": lambda x: grad(lambda y: (y, {"x": x}), has_aux=True)(1.0),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_use_in_another_thread(use, pool):
    def outer(x):
        return np.sum(x * pool.submit(use, x).result())

    with pytest.raises(ScopeError) as caught:
        grad(outer)(X)
    first, where, last = str(caught.value).split("\n")
    assert "the run of outer" in first
    assert "in another thread" in first or "in the run of <lambda>" in first
    assert where.startswith(f"  at {__file__}:") and last.endswith(".")
    assert isinstance(caught.value, ValueError)
    assert grad(lambda x: np.sum(x * x))(X).tolist() == (2.0 * X).tolist()


@pytest.mark.parametrize("use", [
    lambda y, x: y * x, lambda y, x: x * y, lambda y, x: y * x[0], lambda y, x: np.dot(x, x) * y,
    lambda y, x: np.stack([y, x[0]])[0], lambda y, x: y + np.where(True, x, y)[0],
    lambda y, x: [x.__setitem__(0, y), y][1], lambda y, x: x[0], lambda y, x: (y, x),
    lambda y, x: [np.zeros_like(x).__setitem__(0, y * x[0]), y][1]])
def test_use_in_another_run(use):
    """A run in a fresh context is no run inside: it has a tape of its own."""
    def outer(x):
        def inner(y):
            return use(y, x)

        contextvars.Context().run(vjp, inner, 2.0)
        return np.sum(x)

    with pytest.raises(ScopeError) as caught:
        grad(outer)(X)
    first, where, last = str(caught.value).split("\n")
    assert "the run of outer" in first and ("the run of inner" in first or "another run" in first)
    assert where.startswith(f"  at {__file__}:") and last.endswith(".")


def test_a_run_in_another_context_on_constants():
    def f(x):
        g = contextvars.Context().run(grad(lambda y: y * y), 2.0)
        h = contextvars.copy_context().run(grad(lambda y: y * y * x), 2.0)
        return x * g + h  # 4 x + 4 x

    assert value_and_grad(f)(3.0) == (24.0, 8.0)


def test_a_run_in_another_thread_on_constants(pool):
    def f(x):
        return x * pool.submit(grad(lambda y: y**3), 2.0).result()

    assert value_and_grad(f)(3.0) == (36.0, 12.0)


def test_pullback_of_a_run_inside_in_another_thread(pool):
    """One that depends on the run outside belongs to it; another is a function like any other."""
    def linked(x):
        _, pullback = vjp(lambda y: y * y * x, 2.0)
        return pool.submit(lambda: pullback(1.0)).result()[0]

    def free(x):
        return x * pool.submit(vjp(lambda y: y * y, 2.0)[1], 1.0).result()[0]

    with pytest.raises(ScopeError, match=r"^The pullback of <lambda>, which was made in the run of "
                       r"linked, was called in another thread or context\.\n  at .*\nCall it in"):
        grad(linked)(3.0)
    assert value_and_grad(free)(3.0) == (12.0, 4.0)


def test_check_scope():
    check_scope(X, None, "f")
    seen = []

    def f(x):
        check_scope(x, tape_in_progress(), "g")
        try:
            check_scope(x, None, "g")
        except ScopeError as error:
            seen.append(str(error).split("\n")[0])
        kept.append(x)
        return x * x

    kept = []
    grad(f)(1.0)
    assert seen == ["A value of the run of f was used in the run of g."]
    check_scope(kept[0], None, "g")  # its run has ended


# Concurrent runs --------------------------------------------------------------------------------


def model(x, n):
    """Mutates, branches, takes views, runs others inside."""
    w = np.tanh(x.reshape(n, -1) @ x[:3])
    total = np.zeros_like(w)
    for k in range(n):
        total[k] = w[k] * w[k - 1] if w[k] > 0 else w[k] + 1.0
        total[:k] *= 1.0 + 0.1 * w[k]
    g = grad(lambda y: np.sum(np.sin(y) * total))(w)
    return np.sum(total * g) + vjp(lambda y: y * total, w)[1](w)[0] @ w


def test_threads_with_different_shapes():
    rng = np.random.default_rng(3)
    work = [(rng.standard_normal(3 * (1 + k % 8)), 1 + k % 8) for k in range(64)]
    differentiated = value_and_grad(model)
    serial = [differentiated(*w) for w in work]
    gate = threading.Barrier(8)

    def job(first):
        gate.wait()
        return [differentiated(*w) for w in work[first::8] for _ in range(2)]

    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(job, range(8)))
    finally:
        sys.setswitchinterval(switch)
    for first in range(8):
        for k, (value, g) in enumerate(found[first]):
            expected, h = serial[first::8][k // 2]
            assert value == expected and g.tobytes() == h.tobytes()


def test_asyncio_tasks():
    async def task(k):
        gradients = []
        for n in range(5):
            gradients.append(grad(lambda x: k * x**n)(2.0))  # noqa: B023
            await asyncio.sleep(0)
        return gradients

    async def all_tasks():
        return await asyncio.gather(*[task(float(k)) for k in range(5)])

    found = asyncio.run(all_tasks())
    assert found == [[k * n * 2.0 ** max(n - 1, 0) for n in range(5)] for k in range(5)]


def test_asyncio_inside_a_run():
    def f(x):
        async def task(k):
            await asyncio.sleep(0)
            g = grad(lambda y: x * y**k)(2.0)
            await asyncio.sleep(0)
            return g * x

        async def all_tasks():
            return await asyncio.gather(*[task(k) for k in (1, 2, 3)])

        return sum(asyncio.run(all_tasks()))  # x² (1 + 4 + 12)

    assert value_and_grad(f)(3.0) == (153.0, 102.0)


# Exceptions -------------------------------------------------------------------------------------


def failing(x, when, error):
    y = x * 2.0
    y[0] = x[1]
    if when == "early":
        raise error
    z = y[1:] * y[:-1]
    y *= y
    if when == "late":
        raise error
    return np.sum(z) * np.sum(y)


@pytest.mark.parametrize("error", [ValueError("own"), KeyboardInterrupt(), SystemExit(),
                                   TypeError("own"), GeneratorExit(), NotImplementedError()],
                         ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("when", ["early", "late"])
def test_an_exception_leaves_the_next_run_right(when, error):
    expected = grad(failing)(X, None, None)
    for attempt in (grad(failing), value_and_grad(failing)):
        with pytest.raises(type(error)) as caught:
            attempt(X, when, error)
        assert caught.value is error and error.__cause__ is None
        assert tape_in_progress() is None
        assert grad(failing)(X, None, None).tobytes() == expected.tobytes()
    with pytest.raises(type(error)):
        vjp(failing, X, when, error, argnums=0)
    with pytest.raises(type(error)):
        jvp(failing, (X, when, error), X, argnums=0)
    assert grad(failing)(X, None, None).tobytes() == expected.tobytes()


@pytest.mark.parametrize("when", ["early", "late"])
def test_an_exception_inside_leaves_the_run_outside_right(when):
    def f(x, fails):
        y = x * 3.0
        if fails:
            for attempt in (grad(failing), lambda *args: vjp(failing, *args, argnums=0),
                            lambda x, *args: jvp(failing, (x, *args), x, argnums=0)):
                try:
                    attempt(y, when, ValueError("own"))
                except ValueError:
                    y = y * 1.0
            for wrong in (lambda y: y, lambda y: np.zeros(3).__setitem__(0, y[0])):
                try:
                    grad(wrong)(y)
                except TypeError:
                    y = y * 1.0
        g = grad(failing)(y, None, None)
        y[0] = g[1]
        return np.sum(g * y)

    expected = value_and_grad(f)(X, False)
    for _ in range(2):
        value, g = value_and_grad(f)(X, True)
        assert value == expected[0] and np.allclose(g, expected[1], rtol=1e-14)


def test_an_exception_in_a_pullback_leaves_it_usable():
    class Broken:
        def __init__(self, x):
            self.x = x

    def unflatten(_, children):
        if broken:
            raise RuntimeError("no")
        return Broken(*children)

    from hybridad import register_pytree

    broken = False
    register_pytree(Broken, lambda b: ((b.x,), None), unflatten)

    def f(b):
        b.x[0] = b.x[1] * b.x[2]
        b.x *= b.x
        return np.sum(b.x)

    _, pullback = vjp(f, Broken(X))
    expected = pullback(1.0)[0].x
    broken = True
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no"):
            pullback(1.0)
    broken = False
    assert pullback(1.0)[0].x.tobytes() == expected.tobytes()


def test_an_exception_after_a_run_inside_ends_its_pullback():
    def f(x):
        kept.append(vjp(lambda y: y * x, 2.0)[1])
        raise KeyError

    kept = []
    with pytest.raises(KeyError):
        grad(f)(1.0)
    with pytest.raises(ScopeError) as caught:
        kept[0](1.0)
    assert str(caught.value).split("\n")[0] == (
        "The pullback of <lambda>, which was made inside a differentiated function, was called "
        "after that function had ended.")


def test_the_memory_of_a_failed_run_is_freed():
    class Big(np.ndarray):
        pass

    alive = []

    def f(x, thing):
        y = x * 2.0
        alive.append(weakref.ref(thing))
        raise ValueError(y[0])

    for attempt in (grad(f), lambda *args: vjp(f, *args, argnums=0)):
        thing = np.zeros(3).view(Big)
        with pytest.raises(ValueError):
            attempt(X, thing)
        del thing
        gc.collect()
        assert alive.pop()() is None


# Warnings ---------------------------------------------------------------------------------------


def emitted(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [(w.category, str(w.message), w.filename, w.lineno) for w in caught]


ZEROS = np.array([-1.0, 0.0, 1.0])
WARNING = {
    "log": lambda x: np.sum(np.log(x)),
    "divide": lambda x: np.sum(1.0 / x),
    "invalid": lambda x: np.sum(x / (x * 0.0)),
    "sqrt": lambda x: np.sum(np.sqrt(x)),
    "power": lambda x: np.sum(x**0.5),
    "where": lambda x: np.sum(np.where(x > 0, np.log(x), 0.0)),
    "overflow": lambda x: np.sum(np.exp(x * 1000.0)),
    "scalar": lambda x: x[0] / x[1] + np.log(x[1]),
    "remainder": lambda x: np.sum(x % 0.0),
    "in place": lambda x: np.sum(np.multiply(x, 1.0).__itruediv__(x)),
    "accumulate": lambda x: np.sum(np.cumsum(x * np.inf)),
    "matmul": lambda x: (x * np.inf) @ x,
    "dot": lambda x: np.dot(x * np.inf, x),
    "prod": lambda x: np.prod(x * 1e308 * 10.0),
    "norm": lambda x: np.linalg.norm(x * 1e308 * 10.0),
    "arccosh": lambda x: np.sum(np.arccosh(x)),
    "half": lambda x: np.sum(x.astype("e") * np.float16(6e4) * np.float16(2.0)).astype(float),
    "user's own": lambda x: [warnings.warn("own", UserWarning, stacklevel=1), np.sum(x)][1],
    "out": lambda x: np.sum(np.log(x, out=np.zeros_like(x))),
    "masked": lambda x: np.sum(np.log(x, where=x >= 0, out=np.zeros_like(x))),
    "reduction": lambda x: np.nanmax(x * np.nan),
    "complex to real": lambda x: np.sum((x * 1j).astype(float)),
}


@pytest.mark.parametrize("f", WARNING.values(), ids=WARNING)
def test_warnings_are_those_of_the_function(f):
    plain = emitted(lambda: f(ZEROS.copy()))
    assert any(w[2] == __file__ for w in plain)
    t = np.ones(3)
    assert emitted(lambda: value_and_grad(f)(ZEROS)) == plain
    assert emitted(lambda: vjp(f, ZEROS)[1](1.0)) == plain
    assert emitted(lambda: jvp(f, (ZEROS,), (t,))) == plain
    assert emitted(lambda: jvp(grad(f), (ZEROS,), (t,))) == plain
    assert emitted(lambda: grad(lambda x: np.sum(grad(f)(x)))(ZEROS)) == plain


@pytest.mark.parametrize("f", [lambda x: np.mean(x[:0]), lambda x: np.nanmean(x * np.nan),
                               lambda x: np.mean(np.zeros_like(x)[:0] * x[:0])])
def test_the_passes_do_not_warn(f):
    """Nor do the functions of NumPy in Python that rules call, which do not ask the error state."""
    plain = emitted(lambda: f(X.copy()))
    assert plain
    assert emitted(lambda: vjp(f, X)[1](1.0)) == plain
    assert emitted(lambda: jvp(f, (X,), (X,))) == plain
    assert emitted(lambda: jvp(grad(f), (X,), (X,))) == plain


def test_a_write_that_ends_in_a_floating_point_error_is_a_write():
    """NumPy looks at the error state when the work is done."""
    divisor = np.array([2.0, 0.0, 4.0])

    def in_place(y):
        y /= divisor

    def out(y):
        np.divide(y, divisor, out=y)

    for act in (in_place, out):
        def f(x):
            y = x * 1.0
            with np.errstate(divide="raise"):
                try:
                    act(y)  # noqa: B023
                except FloatingPointError:
                    y[1] = 0.0
            return np.sum(y)

        assert f(np.ones(3)) == 0.75
        value, g = value_and_grad(f)(np.ones(3))
        assert value == 0.75 and g.tolist() == [0.5, 0.0, 0.25]


def test_the_users_error_state_holds_for_the_function_alone():
    def f(x):
        return np.sum(np.sqrt(np.abs(x)))  # its derivative divides by zero

    for state in ("raise", "warn", "ignore"):
        with np.errstate(all=state):
            assert grad(f)(np.array([0.0, 4.0])).tolist()[1] == 0.25
            before = np.geterr()
            grad(f)(ZEROS)
            assert np.geterr() == before
    with np.errstate(all="raise"):
        for attempt in (grad(lambda x: np.log(x)), lambda x: jvp(np.log, (x,), (1.0,))):
            with pytest.raises(FloatingPointError, match="divide by zero encountered in log"):
                attempt(np.float64(0.0))


# The parts --------------------------------------------------------------------------------------


def test_plain_copy_and_owned():
    thing = object()
    assert plain_copy(thing) is thing and plain_copy(X) is X and owned(X) is X and owned(2.0) == 2.0

    def f(x):
        copy, own = plain_copy(x.T), owned(x)
        assert type(copy) is np.ndarray and copy.flags.f_contiguous and copy.flags.owndata
        own[0] = 0.0
        assert plain_copy(x[0, 0]) == 1.0 and type(plain_copy(x[0, 0])) is np.float64
        return np.sum(own) + x[0, 0] * 2.0

    assert grad(f)(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist() == [[2.0, 0.0], [1.0, 1.0]]
