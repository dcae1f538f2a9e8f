"""``__array_ufunc__``: calls with all their options, reduce, accumulate, outer, at, reduceat."""

import abc
import warnings

import numpy as np
import pytest
from hybridad._record import active, is_wrapper

import hybridad
from hybridad.errors import (
    ArgumentError,
    HybridadError,
    LostDerivativeError,
    MissingRuleError,
    UnsupportedError,
)
from tests.recording.agreement import agrees, agrees_at, agrees_in_value, compiled, resolves
from tests.recording.runtime.whole import agrees as agrees_whole
from tests.recording.unfound import unfound

CALLS = """
np.add(x, [1.0, 2.0, 3.0])
np.power(x, [1.0, 2.0, 3.0])
np.power([1.0, 2.0, 3.0], x)
np.multiply([s, 1.0, 2.0], x)
np.add([[s, 1.0, 2.0], [1.0, 2.0, 3.0]], x)
np.add(x, range(3))
np.add(1, x)
np.add(h, 1.5)
np.add(h, s)
np.multiply(s, h)
np.multiply(np.float32(2), s)
np.add(s, 1)
np.add(s, a)
np.sin(s)
np.sin(e)
np.sin(a)
np.sin(o)
np.exp(w)
np.abs(w)
np.abs(s)
np.exp(z)
np.multiply(z, 2j)
np.multiply(x, k)
np.multiply(k, s)
np.ldexp(s, 3)
np.copysign(x, -1.0)
np.nextafter(x, 2.0)
np.fmod(v, 0.9)
np.remainder(v, 0.9)
np.float_power(x, 2)
np.float_power(h, 2)
np.add(x, y, dtype=np.float32)
np.add(x, y, dtype=np.complex128)
np.add(x, y, dtype=np.float32, casting="same_kind")
np.add(h, h, dtype=np.float64)
np.sin(h, dtype=np.float64)
np.sin(x, dtype=np.float32, casting="same_kind")
np.sin(x, casting="no")
np.sin(x, order="F")
np.add(m, m.T, order="C")
np.add(x, y, subok=False)
np.add(x, y, signature="dd->d")
np.sin(h, signature="d->d")
np.sin(x, where=True)
np.modf(v)
np.divmod(v, 0.9)
np.divmod([2.0, 3.1, 1.0], x)
np.frexp(x)
np.vecdot(r, r)
np.vecdot(m, x, axis=0)
np.vecdot(c, c, axis=1)
np.vecdot(c, c, axis=1, keepdims=True)
np.vecdot(z, z)
np.matmul(m, c[:, :, :3])
np.matmul(x, c[0])
np.matmul(m, m, dtype=np.float32)
np.isfinite(s)
np.equal(x, y)
np.equal(x, None)
np.greater(x, [0.5, s, 0.1])
""".split("\n")[1:-1]

OUT = """
np.add(x, y, out=x)
np.add(x, y, out=(x,))
np.add(x, y, x)
np.sin(x, x)
np.sin(x, out=y)
np.sin(x, out=y, where=b)
np.sin(x, out=y, where=x > 0.3)
np.multiply(x, y, out=x, where=[True, False, True])
np.add(x, y, where=b, out=np.zeros_like(x))
np.add(x[1:], x[:-1], out=x[1:])
np.add(x[:-1], x[1:], out=x[1:])
np.multiply(v[::2], v[1::2], out=v[:3])
np.multiply(v, 2.0, out=v[::-1])
np.multiply(m, m.T, out=m)
np.matmul(m, m.T, out=m)
np.exp(x, out=m[0])
np.exp(x, out=m[:, 1])
np.exp(m, out=m.T)
np.exp(m[0], out=m.T[0])
np.add(x, 1.0, out=h, casting="same_kind")
np.add(x, y, out=np.zeros_like(m))
np.add(x, m, out=np.zeros_like(m))
np.sqrt(x, out=z)
np.add(x, y, out=z.real)
np.divide(x, y, out=np.ones_like(x), where=y > 0)
np.sqrt(v, out=np.zeros_like(v), where=v > 0)
np.log(v, out=np.full_like(v, 2.0), where=v > 0)
np.multiply(s, a, out=o)
np.divide(x, y, out=None)
np.exp(np.ones(3), out=x)
np.floor(x, out=y)
np.sign(x, out=x)
np.greater(x, 0.5, out=y)
np.greater(x, 0.5, out=np.zeros(3, dtype=bool))
np.modf(np.ones(3), out=(x, y))
np.frexp(np.ones(3), out=(x, np.zeros(3, np.int32)))
""".split("\n")[1:-1]

METHODS = """
np.add.reduce(x)
np.add.reduce(r)
np.add.reduce(r, axis=1)
np.add.reduce(r, axis=-1)
np.add.reduce(r, axis=None)
np.add.reduce(c, axis=(0, 2))
np.add.reduce(r, axis=1, keepdims=True)
np.add.reduce(h, dtype=np.float64)
np.add.reduce(x, initial=3.0)
np.add.reduce(x, where=b)
np.add.reduce(x, where=b, initial=2.0)
np.add.reduce(r, 1)
np.add.reduce(r, 1, np.float32)
np.add.reduce(r, axis=0, out=x)
np.add.reduce(r, 0, None, x)
np.add.reduce(m, axis=0, out=m[1])
np.add.reduce(np.ones((2, 3)), axis=0, out=x)
np.multiply.reduce(r, axis=1)
np.multiply.reduce(x, initial=2.0)
np.multiply.reduce(c, axis=(0, 1), keepdims=True)
np.maximum.reduce(r, axis=1)
np.maximum.reduce(v, initial=0.0)
np.maximum.reduce(v, where=v < 1.0, initial=-5.0)
np.minimum.reduce(r)
np.minimum.reduce(c, axis=None)
np.subtract.reduce(x)
np.divide.reduce(r, axis=1)
np.logaddexp.reduce(x)
np.logaddexp.reduce(r, axis=1)
np.logaddexp.reduce(r, axis=np.int64(1))
np.logaddexp.reduce(r, axis=1, keepdims=True)
np.logaddexp.reduce(r, axis=-1)
np.logaddexp.reduce(np.ones((2, 3)), axis=0, out=x)
np.hypot.reduce(x)
np.fmax.reduce(v)
np.fmin.reduce(r, axis=1)
np.logical_or.reduce(x)
np.logical_and.reduce(v > 0)
np.add.accumulate(x)
np.add.accumulate(r, axis=1)
np.add.accumulate(r)
np.add.accumulate(h, dtype=np.float64)
np.add.accumulate(x, out=y)
np.multiply.accumulate(x)
np.multiply.accumulate(r, axis=1)
np.maximum.accumulate(v)
np.minimum.accumulate(r, axis=1)
np.subtract.accumulate(x)
np.logaddexp.accumulate(x)
np.logaddexp.accumulate(r, axis=1)
np.add.outer(x, y)
np.multiply.outer(x, r)
np.multiply.outer(r, x)
np.subtract.outer(s, x)
np.power.outer(x, y)
np.hypot.outer(x, [1.0, 2.0])
np.multiply.outer([1.0, 2.0], x)
np.less.outer(x, y)
np.add.outer(x, y, dtype=np.float32)
np.multiply.outer(h, 2.0)
np.multiply.outer(2.0, h)
np.multiply.outer(s, h)
np.multiply.outer(e, s)
np.multiply.outer(s, a)
np.add.at(x, [0, 2, 0], y)
np.add.at(x, k, s)
np.add.at(x, k, [s, 1.0, 2.0])
np.add.at(m, (k, 0), y)
np.add.at(m, (k, [0, 0, 1]), [s, 1.0, a])
np.add.at(m, [0, 0], y)
np.add.at(x, b, 2.0)
np.add.at(x, slice(1, None), y[1:])
np.add.at(x, 1, s)
np.add.at(x, np.array([0, 0]), x[1:])
np.add.at(h, [0, 0], x[:2])
np.add.at(v, v > 0, 1.0)
np.add.at(x[::-1], [0, 0], y[:2])
np.subtract.at(x, [0, 0, 1], y)
np.multiply.at(x, [0, 2], y[:2])
np.multiply.at(h, [0], 2.5)
np.negative.at(x, [0, 2])
np.maximum.at(x, [0, 2], y[:2])
np.divide.at(x, [0], s)
np.floor.at(v, [0, 1])
np.add.reduceat(k, [0, 2]) * s
""".split("\n")[1:-1]


def cases(expressions):
    return pytest.mark.parametrize("expression", [e for e in expressions if resolves(e)])


@cases(CALLS)
def test_call(expression):
    agrees(expression)


@cases(OUT)
def test_call_into_an_array(expression):
    agrees(expression)


@cases(METHODS)
def test_method(expression):
    agrees(expression)


def refused(expression, error):
    f, args = compiled(expression)
    with pytest.raises(error) as caught:
        hybridad.vjp(f, *args)
    return str(caught.value)


@pytest.mark.parametrize("expression", [
    "np.logaddexp.reduce(c, axis=(0, 1))",
    "np.logaddexp.reduce(r, axis=None)",
    "np.logaddexp.reduce(x, initial=0.5)",
    "np.logaddexp.reduce(r, axis=0, out=x)",
    "np.logaddexp.accumulate(r, axis=0, out=r)",
    "np.add.reduceat(v, [0, 2, 4])",
    "np.multiply.at(x, [0, 2, 0], y)",
    "np.maximum.at(x, [0, 0], y[:2])",
    "np.modf(v, out=(v, np.zeros_like(v)))",
    "np.divmod(x, y, out=(x, y))",
    "np.multiply.outer(x, y, out=m)",
    "np.matmul(m, m, axes=[(1, 0), (0, 1), (0, 1)])",
])
def test_unsupported(expression):
    assert "cannot be followed" in refused(expression, UnsupportedError)


@pytest.mark.parametrize("ufunc", [np.power, np.arctan2, np.float_power])
def test_reduction_that_numpy_vectorizes_is_right_or_refused(ufunc):
    """NumPy's own vectorized loops give other values here than call after call."""
    x = np.array([0.7, 0.2, 0.5, 0.9])
    try:
        value, g = hybridad.value_and_grad(ufunc.reduce)(x)
    except UnsupportedError:
        return
    assert value == ufunc.reduce(x)
    step = 1e-6 * np.eye(4)
    expected = [(ufunc.reduce(x + t) - ufunc.reduce(x - t)) / 2e-6 for t in step]
    np.testing.assert_allclose(g, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("expression", [
    "np.add(x, y, out=np.zeros(3))",
    "np.add(x, y, out=np.zeros(3), where=b)",
    "np.add.reduce(x, out=np.zeros(()))",
    "np.add.accumulate(x, out=np.zeros(3))",
    "np.add.at(np.zeros(3), [0], s)",
    "np.multiply.at(np.zeros(3), [0], s)",
    "np.matmul(m, x, out=np.zeros(3))",
])
def test_lost_in_a_plain_array(expression):
    assert "a plain array" in refused(expression, LostDerivativeError)


@pytest.mark.parametrize(("expression", "error"), [
    ("np.add(x, 1j, out=x)", TypeError),
    ("np.add(x, y, out=h, casting='safe')", TypeError),
    ("np.add(x, y, dtype=np.float32, casting='safe')", TypeError),
    ("np.sin(h, casting='no', dtype=np.float64)", TypeError),
    ("np.sin(x, dtype=int)", TypeError),
    ("np.add(x, y[:2])", ValueError),
    ("np.add(m, m, out=x)", ValueError),
    ("np.matmul(x, s)", ValueError),
    ("np.matmul(m, y[:2])", ValueError),
    ("np.add.reduce(x, axis=1)", ValueError),
    ("np.add.outer(x, y, axis=0)", TypeError),
    ("np.sin.reduce(x)", ValueError),
    ("np.bitwise_and(x, y)", TypeError),
    ("np.gcd(x, k)", TypeError),
    ("np.add.at(x, [5], s)", IndexError),
    ("np.multiply.at(x, [5], s)", IndexError),
    ("np.add(x, 'text')", TypeError),
    ("np.sin(x, nonsense=1)", TypeError),
    ("np.sin(x, out=x, where=x)", TypeError),
])
def test_errors_are_those_of_plain_numpy(expression, error):
    f, args = compiled(expression)
    with pytest.raises(error) as expected:
        f(*[np.copy(x) if isinstance(x, np.ndarray) else x for x in args])
    with pytest.raises(error) as found:
        hybridad.vjp(f, *args)
    assert type(found.value) is type(expected.value)
    assert not isinstance(found.value, HybridadError)


def test_casting_error_leaves_array_and_run_as_they_were():
    def f(x, y):
        with pytest.raises(TypeError):
            np.add(x, 1j, out=x)
        with pytest.raises(IndexError):
            np.add.at(x, [0, 7], 1.0)
        return (x * y).sum()

    x, y = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    value, g = hybridad.value_and_grad(f, argnums=(0, 1))(x, y)
    assert value in (13.0, 16.0)  # np.add.at has added to x[0] before it met the wrong index
    assert g[0].tolist() == [3.0, 5.0]


def test_warnings_are_those_of_plain_numpy_and_none_from_the_sweep():
    def f(x):
        return (np.log(x) * np.array([0.0, 1.0])).sum() + np.sqrt(x[0])

    x = np.array([0.0, 2.0])
    with warnings.catch_warnings(record=True) as expected:
        warnings.simplefilter("always")
        f(x)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        hybridad.value_and_grad(f)(x)
    assert [str(w.message) for w in found] == [str(w.message) for w in expected]
    assert [w.filename for w in found] == [w.filename for w in expected]
    assert [w.lineno for w in found] == [w.lineno for w in expected]


def test_errstate_reaches_the_plain_call():
    def f(x):
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            np.divide(1.0, x)
        return x.sum()

    assert hybridad.grad(f)(np.array([0.0, 1.0])).tolist() == [1.0, 1.0]


def test_ufunc_without_rule():
    message = refused("np.frompyfunc(abs, 1, 1)(x)", MissingRuleError)
    assert "has no derivative rule" in message


def test_ufunc_without_rule_takes_inactive_wrappers():
    double = np.frompyfunc(lambda t: 2.0 * t, 1, 1)

    def f(x):
        assert double(np.ones_like(x)).tolist() == [2.0, 2.0]
        return x.sum()

    assert hybridad.grad(f)(np.array([1.0, 2.0])).tolist() == [1.0, 1.0]


class Series:
    """Like a pandas object: no array, but with a say in ufuncs."""

    __module__ = "pandas"

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return "handled by Series"

    def __array_function__(self, function, types, args, kwargs):
        return "handled by Series"

    def __array__(self, dtype=None, copy=None):
        return np.ones(3)

    def __radd__(self, other):
        return "handled by its __radd__"

    def __add__(self, other):
        return "added by Series"


# What is installed is not entered; what the user wrote is.
Series.__array_ufunc__.__code__ = Series.__array_ufunc__.__code__.replace(
    co_filename=abc.__file__)


def _others():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [np.ma.array([1.0, 2.0, 3.0], mask=[True, False, False]),
                np.matrix([[1.0, 2.0, 3.0]]), np.rec.array([1.0, 2.0, 3.0]),
                np.array([1.0, 2.0, 3.0], dtype=object), Series()]


MEETINGS = {
    "add": lambda x, other: np.add(x, other),
    "add on the left": lambda x, other: np.add(other, x),
    "add with options": lambda x, other: np.hypot(x, other, dtype=np.float64),
    "outer": lambda x, other: np.add.outer(x, other),
    "plus": lambda x, other: x + other,
    "matmul": lambda x, other: x @ other,
    "dot": lambda x, other: np.dot(x, other),
    "outer function": lambda x, other: np.outer(x, other),
    "concatenate": lambda x, other: np.concatenate([x, other]),
    "where": lambda x, other: np.where(np.ones(3, bool), x, other),
}


@pytest.mark.parametrize("other", _others(), ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("meeting", MEETINGS)
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_other_kinds_of_arrays_are_refused_by_name(meeting, other):
    if type(other) is Series and meeting == "add on the left":
        pytest.skip("NumPy asks the class on the left first: it has the say")
    name = "object array" if type(other) is np.ndarray else type(other).__name__
    x, f = np.array([0.5, 0.7, 0.2]), MEETINGS[meeting]
    with pytest.raises(ArgumentError, match=name):
        hybridad.vjp(lambda x: unfound(f)(x, other), x)
    error = ArgumentError
    try:
        f(x, other)
    except Exception as plainly:  # from the source, what fails fails as in plain code
        error, name = (ArgumentError, type(plainly)), ".*"
    with pytest.raises(error, match=name):
        hybridad.vjp(lambda x: f(x, other), x)


class Unit:
    """A quantity of the user's, which computes for itself."""

    def __init__(self, value):
        self.value = value

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if ufunc is np.hypot:
            return NotImplemented
        values = [x.value if isinstance(x, Unit) else x for x in inputs]
        return Unit(getattr(ufunc, method)(*values, **kwargs))

    def __radd__(self, other):
        return Unit(other + self.value)


@pytest.mark.parametrize("meet", [
    lambda x, q: np.multiply(x, q),
    lambda x, q: np.multiply(q, x),
    lambda x, q: np.sin(q),
    lambda x, q: x * q,
    lambda x, q: x - q,
    lambda x, q: np.ones(3) + q,
    lambda x, q: np.multiply.outer(x, q),
    lambda x, q: np.multiply(x, q, dtype=np.float64),
], ids=range(8))
def test_classes_that_compute_for_themselves(meet):
    def f(x):
        return np.sum(meet(x, Unit(x * 2.0)).value * 3.0)

    agrees_whole(f)
    agrees_whole(unfound(f), followed=False)


def test_classes_that_decline():
    with pytest.raises(ArgumentError, match="Unit cannot take part"):
        hybridad.grad(lambda x: np.hypot(x, Unit(x)).value.sum())(np.ones(3))


def test_arrays_behind_objects_are_those_of_the_run():
    outside = np.arange(1.0, 4.0)

    class Shown:
        def __array__(self, dtype=None, copy=None):
            return outside

    def f(x):
        class Within:
            def __array__(self, dtype=None, copy=None):
                return outside

        outside[:] = [1.0, 2.0, 3.0]
        y = np.asarray(Shown())
        y *= x
        z = np.sum(np.asarray(Within()) * x)
        return z + np.sum(np.multiply(Shown(), x) * np.add(x, Within()))

    agrees_whole(f)


def test_buffers_behind_objects_are_those_of_the_run():
    class Interface:
        def __init__(self, a):
            self.__array_interface__ = a.__array_interface__

    outside = np.arange(1.0, 4.0)
    shown = Interface(outside)

    def f(x):
        return np.sum(np.multiply(x, shown) * np.hypot(x, shown, dtype=np.float64))

    agrees_whole(f)


def test_operators_that_numpy_leaves_to_a_class():
    class Half:
        __array_ufunc__ = None

        def __radd__(self, other):
            return other * 0.5

    def f(x):
        assert Series() + x == "added by Series"
        return np.sum(x + Half())

    assert hybridad.grad(f)(np.array([0.5, 0.7, 0.2])).tolist() == [0.5] * 3


def test_comparisons_with_other_kinds_of_arrays_decide_as_plain_ones():
    objects = np.array([0.5, None, 0.1], dtype=object)
    masked = np.ma.array([0.5, 0.7, 0.1], mask=[True, False, False])
    x = np.array([0.5, 0.7, 0.2])
    agrees_in_value(lambda x: (x == objects, np.not_equal(x, objects)), (x,))

    def f(x):
        assert type(x < masked) is np.ma.MaskedArray
        return x.sum()

    hybridad.grad(f)(x)


def test_out_gives_back_the_very_wrapper():
    def f(x, y):
        assert np.exp(x, out=y) is y
        assert np.add(x, y, y) is y
        assert np.add.reduce(np.stack([x, y]), axis=0, out=x) is x
        return x * y

    agrees_at(f, (np.array([0.3, 0.5]), np.array([0.7, 0.2])), order=2)


def test_out_becomes_active():
    def f(x):
        out = np.zeros_like(x)
        assert not active(out)
        np.exp(x, out=out)
        assert active(out)
        np.exp(np.ones(2), out=out)
        return out

    _, pullback = hybridad.vjp(f, np.array([0.3, 0.5]))
    (g,) = pullback(np.ones(2))
    assert g.tolist() == [0.0, 0.0]


def test_results_of_several_outputs_are_followed_one_by_one():
    def f(x):
        fraction, whole = np.modf(x)
        mantissa, exponent = np.frexp(x)
        assert not is_wrapper(exponent)
        return fraction * mantissa * exponent + whole

    agrees_at(f, (np.array([1.3, 2.6]),), order=2)


def test_where_without_out_leaves_the_rest_without_derivative():
    def f(x, mask):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.multiply(x, x, where=mask)[mask].sum()

    g = hybridad.grad(f)(np.array([3.0, 5.0]), np.array([True, False]))
    assert g.tolist() == [6.0, 0.0]


def test_scipy_ufuncs_load_their_rules():
    special = pytest.importorskip("scipy.special")
    agrees_at(lambda x: special.erf(x) * special.expit(x, out=np.zeros_like(x)),
              (np.array([0.3, -0.5]),), order=2)
    with pytest.raises(MissingRuleError, match="airy"):
        hybridad.vjp(lambda x: special.airy(x)[0], np.array([0.3]))


def test_in_place_through_a_view_that_a_rule_has_read():
    def f(x, y):
        z = np.exp(x) * y
        np.multiply(z[::2], z[1::2], out=z[::2])
        np.add.at(z, np.array([0, 0, 1]), x[:3])
        np.sqrt(z, out=z)
        return z * x

    agrees_at(f, (np.array([0.3, 0.5, 0.1, 0.2]), np.array([1.7, 2.2, 1.5, 0.4])), order=2)
