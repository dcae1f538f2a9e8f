"""`np.array` and its relatives, and NumPy's scalar types, on values being recorded."""

import collections

import numpy as np
import pytest
from hybridad._record import active, is_wrapper, raw_of

import hybridad
from hybridad.errors import UnsupportedError
from tests.recording.agreement import agrees_at
from tests.recording.runtime.formed import Stand, agrees, form


@pytest.mark.parametrize("expression", [
    "np.array([s, a])",
    "np.array((s, 1, True))",
    "np.array([[s, a], [1.0, 2]])",
    "np.array([[[s], [a]], [[1], [2.0]]])",
    "np.array([x, y])",
    "np.array([x, [s, 1.0, a]])",
    "np.array([[s, a, 1.0], x])",
    "np.array([m, [x, y, [s, s, s]]])",
    "np.array([x, (1.0, 2.0, 3.0)])",
    "np.array([x, range(3)])",
    "np.array([o, s, 1])",
    "np.array([[o], [s]])",
    "np.array([e, np.float32(2)])",
    "np.array([e, 1.0])",
    "np.array([e, h[0]])",
    "np.array([w, s])",
    "np.array([z, x])",
    "np.array([[s], [a]], order='F')",
    "np.array([x, y], order='F')",
    "np.array([s, a], dtype=np.float32)",
    "np.array([s, a], np.float32)",
    "np.array([s, a], complex)",
    "np.array([x, y], dtype='f4')",
    "np.array([s, a], dtype=int)",
    "np.array([s, a], dtype=bool)",
    "np.array([s, a], ndmin=3)",
    "np.array([s, a], copy=True, subok=True)",
    "np.array(object=[s, a])",
    "np.array([s, a], like=x)",
    "np.array(x)",
    "np.array(x, ndmin=2)",
    "np.array(m.T)",
    "np.array(m.T, order='C')",
    "np.array(x, dtype=np.float32)",
    "np.array(x, dtype=int)",
    "np.array(x, copy=False)",
    "np.array(x, copy=None, ndmin=2)",
    "np.array(m.T, copy=False, ndmin=3)",
    "np.array(s)",
    "np.array(a, ndmin=2)",
    "np.array(o)",
    "np.array(w, dtype=np.complex64)",
    "np.asarray(x)",
    "np.asarray(x, dtype=complex)",
    "np.asarray(a=[s, a])",
    "np.asarray(s)",
    "np.asarray([s, a], order='F')",
    "np.asarray(m, order='F')",
    "np.asanyarray([x, y])",
    "np.ascontiguousarray(m.T)",
    "np.ascontiguousarray(s)",
    "np.ascontiguousarray([[s, a]])",
    "np.asfortranarray(m)",
    "np.asfortranarray([x, y], dtype=np.float32)",
    "np.asarray_chkfinite([s, a])",
    "np.require(m, requirements='F')",
    "np.require(x, np.float32, ['C', 'O'])",
    "np.require([s, a])",
    "np.copy([s, a])",
    "np.copy([[s, a], x[:2]], order='F')",
    "np.copy(m.T)",
    "x * np.array([1.0, 2.0, 3.0])",
    "x * np.asarray([1.0, 2.0, 3.0])",
    "(s, np.array([]))",
    "np.array(x.flat)",
    "np.array([s, 'text'])",
    "np.float64(s)",
    "np.float64(a)",
    "np.float64(o)",
    "np.float64(x)",
    "np.float64([s, a])",
    "np.float64([[s], [a]])",
    "s * np.float64('0.5')",
    "s * np.float64(3)",
    "np.float32(s)",
    "np.float32(x)",
    "np.float64(e)",
    "np.longdouble(s)",
    "np.complex128(s)",
    "np.complex64(w)",
    "np.complex128(s, a)",
    "np.complex128(s, 2.0)",
    "np.complex64(1.0, e)",
    "np.double(s)",
    "np.int64(s * 7.0)",
    "np.intp(a)",
    "np.int32(x * 9.0)",
    "np.bool_(s)",
    "np.bool_(x > 0.3)",
    "np.str_(a)",
])
@pytest.mark.filterwarnings("ignore:Casting complex")
def test_followed(expression):
    agrees(expression)


@pytest.mark.parametrize("expression", [
    "np.array([[s, a], [x[0] * s, s * s]]) ** 2",
    "np.array([x * s, [s, a, s]]) * x",
    "np.complex128(s * s, s * a) ** 2",
    "np.float64(s) ** 3",
])
def test_second_order(expression):
    agrees(expression, order=2)


@pytest.mark.parametrize("made", [
    collections.deque, collections.UserList, collections.namedtuple("Pair", "a b")._make])
def test_other_sequences(made):
    site = Stand()
    agrees_at(lambda x, s: site.call(np.array, made([x[0], s * x[1]])) * s,
              (np.array([0.7, 0.2]), 0.6))


def test_objects_that_show_themselves_as_arrays():
    class Shown:
        calls = 0

        def __init__(self, x):
            self.x = x

        def __array__(self, dtype=None, copy=None):
            Shown.calls += 1
            return self.x

    site = Stand()

    def f(x):
        return site.call(np.asarray, Shown(x * x)) * x

    agrees_at(f, (np.array([0.7, 0.2]),))
    Shown.calls = 0
    hybridad.grad(lambda x: f(x).sum())(np.array([0.7, 0.2]))
    assert Shown.calls == 1


def test_identity_is_kept():
    site = Stand()

    def f(x):
        y = x.T
        assert site.call(np.asarray, x) is x
        assert site.call(np.asarray, y, dtype=float) is y
        assert site.call(np.asanyarray, x) is x
        assert site.call(np.ascontiguousarray, x) is x
        assert site.call(np.require, x) is x
        assert site.call(np.array, x) is not x
        site.call(np.array, x, copy=None, ndmin=3)[0, 0, 0] = 5.0 * x[1, 1]   # a view
        return x

    agrees_at(f, (np.array([[1.0, 2.0], [3.0, 4.0]]),))


def test_an_array_is_a_copy():
    site = Stand()

    def f(x):
        made = site.call(np.array, x)
        made[0] = 7.0
        rows = site.call(np.array, [x, x])
        rows[0][1] = x[0] * 3.0
        x[1] = 2.0
        return made, rows, x

    agrees_at(f, (np.array([0.7, 0.2]),))


def test_a_list_is_one_entry():
    from hybridad.recording.run import tape_in_progress

    site, lengths = Stand(), []

    def f(x):
        xs = [x[k] for k in range(6)]
        for made in (xs, [xs[:3], xs[3:]], [[[v] for v in xs]], [x, x], [[xs, x]]):
            before = len(tape_in_progress())
            made = site.call(np.array, made)
            assert active(made)
            lengths.append(len(tape_in_progress()) - before)
        return x.sum()

    hybridad.grad(f)(np.arange(6.0))
    assert lengths == [1, 1, 1, 1, 1]


@pytest.mark.parametrize(("expression", "error"), [
    ("np.array([[s], [s, a]])", ValueError),
    ("np.array([x, [s, a]])", ValueError),
    ("np.array([x, s])", ValueError),
    ("np.array(x[:2], copy=False, dtype=np.float32)", ValueError),
    ("np.asarray_chkfinite([s / 0.0 * 1.0])", ZeroDivisionError),
    ("np.asarray_chkfinite(x * np.inf)", ValueError),
    ("np.array()", TypeError),
    ("np.float64(w)", TypeError),
    ("np.float64([s, 'text'])", ValueError),
    ("np.int64(x, x)", TypeError),
])
def test_errors_are_those_of_plain_numpy(expression, error):
    f, args = form(expression)
    with pytest.raises(error) as plainly:
        f(*args)
    with pytest.raises(error) as recorded:
        hybridad.vjp(f, *args)
    assert str(recorded.value) == str(plainly.value)


@pytest.mark.parametrize("expression", [
    "np.array([s, a], dtype=object)", "np.asarray(x, dtype=object)", "np.array([s, None])",
])
def test_objects_are_refused(expression):
    f, args = form(expression)
    with pytest.raises(UnsupportedError, match="An array of objects"):
        hybridad.vjp(f, *args)


def test_decisions_are_noted():
    site = Stand()

    def f(x):
        assert site.call(np.int64, x[0] * 9.0) == 6
        assert site.call(np.bool_, x[0])
        assert site.call(np.str_, x[1]) == "0.2"
        site.call(np.asarray_chkfinite, x)
        return x.sum()

    hybridad.grad(f)(np.array([0.7, 0.2]))
    assert site.guards == [("int", 6), ("bool", True), ("str", "0.2"), ("raises", None)]


def test_fresh_arrays_can_be_filled():
    site = Stand()

    def f(x):
        made = site.call(np.array, [1.0, 2.0])
        assert is_wrapper(made) == is_wrapper(x)
        assert type(site.call(np.array, [1, 2])) is np.ndarray
        assert type(raw_of(made)) is np.ndarray
        made[0] = x[1]
        return made

    agrees_at(f, (np.array([0.7, 0.2]),))
