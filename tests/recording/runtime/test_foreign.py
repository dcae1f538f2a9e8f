"""Foreign calls: code that is not followed gets plain values, once and in order."""

import copy
import decimal
import functools
import heapq
import io
import json
import logging
import random
import struct
import sys
import textwrap

import numpy as np
import pytest
import scipy.integrate
import scipy.interpolate
import scipy.optimize
import scipy.spatial
import scipy.special
import scipy.stats
from hybridad._site import Site

import hybridad
from hybridad import LostDerivativeError
from hybridad.recording.runtime.foreign import call_as_it_is, is_pure
from tests.recording.effects.runs import recording
from tests.recording.runtime.whole import POINT, agrees, decisions

# ---- effects -----------------------------------------------------------------------------------

def test_what_shows_values_gets_plain_ones(capsys, caplog):
    file = io.StringIO()
    types = []

    class Handler(logging.Handler):
        def emit(self, record):
            types.extend(map(type, record.args))

    logger = logging.getLogger("hybridad.test")
    logger.addHandler(Handler())

    def f(x):
        y = x[0] * x[1]
        print(y, "of", x, [y], {"a": y}, sep="|")
        print(f"{y:.2f}", file=file)
        logger.warning("%s and %s", y, x)
        file.write("%r\n" % y)  # noqa: UP031
        json.dump({"y": y, "l": [y]}, file)
        sys.stdout.write(str(x) + "\n")
        return y

    x = np.array([2.0, 3.5])
    f(x)
    expected = capsys.readouterr().out, file.getvalue(), caplog.messages[:], types[:]
    file.truncate(0), file.seek(0), caplog.clear(), types.clear()
    value, grad = hybridad.value_and_grad(f)(x)
    found = capsys.readouterr().out, file.getvalue(), caplog.messages[:], types[:]
    assert found == expected and types == [np.float64, np.ndarray]
    assert value == 7.0 and list(grad) == [3.5, 2.0]


def test_texts_are_decisions():
    def f(x):
        text = json.dumps([x[0], {"a": x[1]}])
        return x[0] * text.count("a"), text

    agrees(f)
    (guard,) = decisions(lambda x: f(x)[0])
    assert guard[:2] == ("str", '[0.7, {"a": -1.3}]')


# ---- what foreign code changes -----------------------------------------------------------------

def shuffled(x):
    items = [x[0], 2.0, x[1], x[2]]
    random.seed(3)
    random.shuffle(items)
    return sum(v * k for k, v in enumerate(items)), (random.random(), items[0] == 2.0)


def a_heap(x):
    heap = [(x[0], 1), (x[1], 2)]
    heapq.heapify(heap)
    heapq.heappush(heap, (x[2] * x[2], 3))
    least = heapq.heappop(heap)
    first = heapq.heapreplace(heap, (x[0] * 3.0, 4))
    order = [k for _, k in heap]
    return least[0] * first[0] + sum(v * k for v, k in heap) + sum(heapq.nlargest(2, x)), order


def copies(x):
    class Node:
        def __init__(self, v):
            self.v, self.own = v, [v]

    n = Node(x)
    m, d = copy.copy(n), copy.deepcopy(n)
    d.v[0] = 3.0
    m.own.append(x[1])
    return np.sum(n.v * d.v) + sum(n.own[1:]) + np.sum(m.v), (m.own is n.own, d.own is n.own)


@pytest.mark.parametrize("f", [shuffled, a_heap, copies], ids=lambda f: f.__name__)
def test_it_does_what_plain_python_does(f):
    agrees(f, followed=False)


def test_lists_with_inactive_values_are_changed_back():
    """Foreign code gets a copy of a list of the run's arrays; the list is changed as the copy."""
    ones, twos = np.ones(2), np.full(2, 2.0)

    def f(x):
        items = [ones, twos, [ones], {"a": twos}]
        inner = items[2]
        random.seed(5)
        random.shuffle(items)
        heap = [(k, ones * k) for k in (3, 1, 2)]
        heapq.heapify(heap)
        seen = [type(item).__name__ for item in items]
        same = sum(item is ones or item is inner for item in items)
        first = next(item for item in items if isinstance(item, dict))
        first["a"][0] = x[0]    # still the array that was there
        return (x[0] * heap[0][1][0] * heap[1][1][1] + np.sum(twos)), (seen, same)

    agrees(f, followed=False)


# ---- arrays that foreign code writes -----------------------------------------------------------

@pytest.mark.parametrize("local", [False, True])
def test_arrays_that_foreign_code_fills(local):
    captured = np.zeros(3)

    def f(x):
        rng = np.random.default_rng(7)
        buffer = np.zeros(3) if local else captured
        rng.random(out=buffer)
        rng.standard_normal(3, out=buffer[:])
        y = np.sum(buffer * x) + rng.random() * x[0]
        rng.shuffle(buffer)
        buffer[0] = 2.0
        return y * buffer[1], (buffer.copy(), rng.bit_generator.state["state"])

    agrees(f, followed=False)


def test_an_array_written_after_it_was_read():
    def f(x):
        buffer = np.ones(3)
        y = np.sum(buffer * x)      # its derivative is what the buffer held
        np.random.default_rng(1).random(out=buffer)
        return y * np.sum(buffer * x)

    agrees(f)


def test_draws_into_differentiated_values():
    def f(x):
        y = x * 2.0
        z = np.sum(y * y)
        drawn = np.random.default_rng(1).random(out=y)
        y[0] *= x[1]
        np.random.default_rng(1).standard_normal(out=y[1:])
        return z + np.sum(y * x), drawn is y

    agrees(f)


def test_what_was_written_before_it_raised():
    def fill(buffer, items):
        buffer[0] = 7.0
        items.append(3.0)
        raise KeyError("late")

    namespace = _library(fill)

    def f(x):
        buffer, items = np.ones(2), [np.ones(2)]
        try:
            namespace["fill"](buffer, items)
        except KeyError:
            return np.sum(buffer) * x[0] + len(items) * x[1]

    value, grad = hybridad.value_and_grad(f)(POINT)
    assert value == f(POINT) and list(grad) == [8.0, 2.0, 0.0]


def _library(*functions):
    """Functions as if they were of the standard library: with a file name that lies there."""
    return {f.__name__: type(f)(f.__code__.replace(co_filename=json.__file__), f.__globals__)
            for f in functions}


# ---- random numbers ----------------------------------------------------------------------------

def test_draws_are_those_of_plain_python():
    def f(x):
        rng = np.random.default_rng(3)
        old = np.random.RandomState(4)
        random.seed(2)
        noise = rng.standard_normal(3) + old.randn(3)
        total = np.sum(noise * x) + random.gauss(0.0, 1.0) * x[0] + random.choice([1.0, 2.0])
        chosen = rng.choice(x, 2) + rng.permutation(x)[:2]
        k = rng.integers(0, 3)
        if rng.random() < 0.9:
            total = total + x[k]
        return total + np.sum(chosen), (rng.random(), old.rand(), random.random(), int(k))

    agrees(f)


@pytest.mark.parametrize("draw", [
    lambda x: np.random.default_rng(0).normal(x[0], 1.0),
    lambda x: np.random.default_rng(0).exponential(x * x),
    lambda x: np.random.RandomState(0).normal(scale=x[0]),
])
def test_differentiated_parameters_are_refused(draw):
    with pytest.raises(LostDerivativeError, match=r"draw with differentiated parameters.\n  at .*"
                                                  r"(?s:.*)mu \+ sigma \* rng"):
        hybridad.grad(draw)(POINT)


# ---- libraries ---------------------------------------------------------------------------------

def test_libraries_with_plain_arguments():
    def f(x):
        root = scipy.optimize.brentq(lambda t: t**3 - 2.0, 0.0, 2.0)
        density = scipy.stats.norm.pdf(np.linspace(-1.0, 1.0, 3))
        text = textwrap.fill("a b c", 3)
        density[0] = 0.5
        return np.sum(density * x) * root, (text, len(density))

    agrees(f)


def test_libraries_with_differentiated_arguments():
    def f(x):
        y = np.polynomial.polynomial.polyval(x[0], [1.0, 2.0, 3.0]) * np.linalg.norm(x)
        return y + scipy.special.softmax([1.0, 2.0])[0] * np.average(x, weights=x * x)

    agrees(f, followed=False)


REFUSED = {
    "decimal.Decimal": lambda x: x[0] * float(decimal.Decimal(x[1])),
    "struct.pack": lambda x: x[0] * len(struct.pack("d", x[1])),
    "scipy.optimize.brentq": lambda x: scipy.optimize.brentq(lambda t: t * t - x[2], 0.0, 3.0),
    "scipy.optimize.bisect": lambda x: scipy.optimize.bisect(lambda t: t - x[0], 0.0, 3.0),
    "scipy.integrate.quad": lambda x: scipy.integrate.quad(lambda t: t * x[0], 0.0, 1.0)[0],
    "scipy.spatial.cKDTree": lambda x: scipy.spatial.cKDTree(x[:, None]).query([[0.0]])[0],
    "scipy.interpolate.CubicSpline": lambda x: scipy.interpolate.CubicSpline([0, 1, 2], x)(0.5),
    "numpy.ma.masked_greater": lambda x: np.ma.masked_greater(x, 1.0).sum(),
    "numpy.matrix": lambda x: np.matrix(x).sum(),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_what_takes_no_differentiated_values_is_named(name):
    with pytest.raises(LostDerivativeError) as caught:
        hybridad.grad(REFUSED[name])(POINT)
    what, where, remedy = str(caught.value).split("\n", 2)
    assert what.startswith(f"{name} was called with a differentiated value, ")
    assert "Persistent" not in what
    assert name.split(".")[-1] in where
    assert "derivative rule" in remedy and "hybridad.stop_gradient(x)" in remedy


def test_compiled_code_that_goes_on_after_an_error():
    """With an error under way Python may find no attributes, not even those of a site."""
    def goes_on(x):
        raise AttributeError("'Site' object has no attribute 'sub'", name="sub", obj=Site("sub"))

    with recording(1.0) as (_, x):
        with pytest.raises(LostDerivativeError, match=r"was called with a differentiated value"):
            call_as_it_is(goes_on, (x,), {})


def test_what_the_users_callback_does_is_told_as_the_users():
    def f(x):
        return scipy.optimize.brentq(lambda t: float(np.asarray([t, np.zeros(3)[x[0]]])), 0.0, 1.0)

    with pytest.raises(Exception) as caught:
        hybridad.grad(f)(POINT)
    assert "brentq was called" not in str(caught.value)


def test_arrays_are_put_into_files():
    def f(x):
        file, several, text = io.BytesIO(), io.BytesIO(), io.StringIO()
        np.save(file, x)
        none = np.savez(several, x=x, y=[x, x])
        np.savetxt(text, x)
        several.seek(0)
        return np.sum(x * x), (none, file.getvalue(), text.getvalue(), sorted(np.load(several)))

    agrees(f, followed=False)


class Canvas:
    """As if it were of a package that draws."""

    __module__ = "matplotlib.canvas"


def test_what_draws_gets_plain_values():
    drawn = []
    for name, f in _library(plot, measure).items():
        f.__module__ = Canvas.__module__
        setattr(Canvas, name, f)

    def f(x):
        (line,) = Canvas().plot(x, x[0], drawn)
        return np.sum(x * x), line

    agrees(f, followed=False)
    assert drawn == [np.ndarray, np.float64] * (len(drawn) // 2)
    with pytest.raises(LostDerivativeError, match=r"measure was called .* computed numbers"):
        hybridad.grad(lambda x: Canvas().measure(x)[0])(POINT)


def plot(canvas, x, y, drawn):
    drawn.extend((type(x), type(y)))
    return ["line"]


def measure(canvas, x):
    return x.sum(), "bins"



# ---- callbacks ---------------------------------------------------------------------------------

def test_below_a_foreign_call_code_is_plain():
    kinds = []

    def callback(t, scale):
        kinds.append(type(scale))
        return (t - 1.0) ** 2 * np.sum(scale)

    def f(x):
        scale = np.ones(3)
        best = scipy.optimize.minimize_scalar(callback, args=(scale,)).x
        return best * x[0]

    agrees(f)
    assert set(kinds) == {np.ndarray}


def test_callbacks_with_differentiated_values_are_seen():
    def f(x):
        items = sorted([1.0, 2.0, 3.0], key=functools.partial(lambda y, v: -v * y, x[0]))
        return items[0] * x[1]

    agrees(f)


# ---- pure functions ----------------------------------------------------------------------------

def test_pure_functions():
    for f in (len, sorted, max, abs, isinstance, "a".join, (1).bit_length, functools.reduce):
        assert is_pure(f)
    for f in (print, exec, input, next, open, [].append, {}.pop, random.random, sys.stdout.write):
        assert not is_pure(f)
