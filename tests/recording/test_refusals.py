"""No hidden exit: what would make plain data of a differentiated value raises, and says so."""

import array
import cmath
import copy
import decimal
import functools
import io
import json
import math
import operator
import pickle
import statistics
import struct
import threading

import numpy as np
import pytest
import scipy.optimize
from hybridad._record import active

import hybridad
from hybridad.errors import (
    ArgumentError,
    HybridadError,
    LostDerivativeError,
    MissingRuleError,
    ScopeError,
    UnsupportedError,
)
from hybridad.recording.refusals import check_kind, lost, missing, name_of, unsupported
from tests.recording.agreement import compiled
from tests.recording.unfound import unfound

NAMES = {"math": math, "cmath": cmath, "operator": operator, "pickle": pickle, "copy": copy,
         "json": json, "struct": struct, "array": array, "decimal": decimal, "io": io,
         "statistics": statistics, "functools": functools}

LOST = """
np.array(x)
np.array([x])
np.array([x[0], x[1]])
np.array([s, 1.0])
np.array(s)
np.array(a)
np.array([[s]])
np.array(x, dtype=object)
np.array([s, s], dtype=object)
np.asarray(x)
np.asarray([s])
np.asarray(o)
np.asanyarray(x)
np.ascontiguousarray(x)
np.asfortranarray(m)
np.require(x)
np.full(3, s)
np.arange(s)
np.fromiter(x, float)
np.fromiter([s, s], float)
np.zeros(3).__setitem__(0, s)
np.zeros(3).__setitem__(0, x[0])
np.zeros(3).__setitem__(slice(None), x)
np.zeros(3).__setitem__(b, s)
np.zeros((3, 3))[0].__setitem__(0, s)
np.zeros((3, 3)).__setitem__((0, slice(None)), x)
np.zeros(3).__iadd__(x)
np.zeros(3).fill(s)
np.zeros(3).put(0, s)
np.zeros(3).dot(x)
np.zeros(3).searchsorted(x)
operator.iadd(np.zeros(3), x)
operator.imul(np.ones(3), s)
np.zeros(3)[s]
np.zeros(3)[x]
np.float64(s)
np.float64(a)
np.float64(x)
np.float32(s)
np.complex128(w)
np.int64(s)
np.bool_(s)
np.object_(s)
np.longdouble(s)
np.ma.array(x)
np.ma.sum(x)
np.r_[x, 1.0]
np.c_[x, x]
np.ndenumerate(x)
np.broadcast(x, m)
np.vectorize(lambda t: t * 2)(x)
np.polynomial.Polynomial(x)
np.lib.stride_tricks.as_strided(x, (2,), (8,))
np.testing.assert_allclose(x, x)
np.random.default_rng(0).normal(s)
np.random.default_rng(0).normal(x)
np.random.default_rng(0).permutation(x)
np.random.default_rng(0).choice(x)
np.random.RandomState(0).normal(x)
np.random.RandomState(0).multivariate_normal(x, m)
np.from_dlpack(x)
x.__array__()
a.__array__()
x.__array__(np.float32)
x.__array_interface__
x.__array_struct__
a.__array_interface__
a.__array_struct__
x.__dlpack__()
x.__dlpack_device__()
float(s)
float(a)
float(e)
float(o)
float(x[0])
float(x[:1])
int(s)
int(a)
int(o)
complex(s)
complex(a)
complex(w)
complex(z[0])
s.__float__()
s.__int__()
w.__complex__()
s.__trunc__()
operator.index(s)
operator.index(a)
[1, 2, 3][s]
range(s)
"abc"[s]
math.sin(s)
math.sqrt(a)
math.exp(x[0])
math.floor(s)
math.ceil(a)
math.trunc(s)
math.isfinite(s)
math.isclose(a, 1.0)
math.fsum(x)
math.fsum([s, s])
math.hypot(s, a)
math.dist(x, x)
math.pow(s, 2)
math.atan2(s, a)
math.copysign(1.0, s)
math.fabs(s)
cmath.exp(w)
cmath.exp(s)
hash(s)
hash(a)
hash(w)
{s: 1}
{a}
dict.fromkeys([s])
functools.lru_cache(lambda t: t)(s)
functools.lru_cache(lambda t: t)(a)
set(x)
pickle.dumps(s)
pickle.dumps(x)
pickle.dumps([a, {"x": x}])
x.__reduce_ex__(4)
"%f" % s
"%.3g" % a
statistics.fmean([s, a])
array.array("d", [s])
array.array("d", x)
list(map(float, x))
""".split("\n")[1:-1]

UNSUPPORTED = """
x.tobytes()
x.data
x.ctypes
x.tofile(io.BytesIO())
x.dumps()
x.dump(io.BytesIO())
x.byteswap()
x.resize(2)
x.getfield(np.float64)
x.setfield(1.0, np.float64)
x.choose([1.0])
x.astype(object)
x.view(np.int64)
a.tobytes()
a.data
s.hex()
s.as_integer_ratio()
a.as_integer_ratio()
statistics.mean([s, a])
np.matrix(m)
np.asmatrix(m)
np.bmat([[m, m]])
np.rec.array(x)
""".split("\n")[1:-1]

REFUSED_BY_PYTHON = """
memoryview(x)
memoryview(a)
bytes(x)
bytearray(x)
np.frombuffer(x)
io.BytesIO().write(x)
np.nditer(x)
json.dumps(s)
json.dumps([a])
struct.pack("d", s)
struct.pack("d", a)
struct.pack_into("d", bytearray(8), 0, s)
decimal.Decimal(s)
"%d" % s
float.__float__(s)
float.__add__(s, 1.0)
float.hex(s)
np.float64.item(a)
np.ndarray.sum(x)
np.ndarray.tobytes(x)
np.ndarray.__add__(x, x)
np.random.default_rng(0).standard_normal(out=x)
""".split("\n")[1:-1]


def caught(expression, errors):
    f, args = compiled(expression, **NAMES)
    with pytest.raises(errors) as error:
        hybridad.vjp(f, *args)
    return error.value


@pytest.mark.parametrize("expression", LOST)
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_lost(expression):
    error = caught(expression, LostDerivativeError)
    assert isinstance(error, TypeError)
    assert "derivative would be lost" in str(error)
    assert len(str(error).splitlines()) == 3
    assert str(error).endswith("say so: hybridad.stop_gradient(x).")


@pytest.mark.parametrize("expression", UNSUPPORTED)
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_unsupported(expression):
    error = caught(expression, (UnsupportedError, LostDerivativeError))
    assert isinstance(error, (NotImplementedError, TypeError))


@pytest.mark.parametrize("expression", REFUSED_BY_PYTHON)
def test_refused_by_the_compiled_function_itself(expression):
    """These look for memory or for C numbers and ask nobody: they find neither."""
    caught(expression, (TypeError, ValueError, struct.error))


LINES = [
    (lambda x: np.array([x[0], x[1]]).sum(), LostDerivativeError, "np.array([x[0]"),
    (lambda x: np.zeros(2).__setitem__(0, x[0]), LostDerivativeError, "__setitem__(0"),
    (lambda x: float(x[0]), LostDerivativeError, "float(x[0])"),
    (lambda x: math.sin(x[0]), LostDerivativeError, "math.sin(x[0])"),
    (lambda x: {x[0]: 1}, LostDerivativeError, "{x[0]: 1}"),
    (lambda x: x.tobytes(), UnsupportedError, "x.tobytes()"),
    (lambda x: np.unwrap(x), MissingRuleError, "np.unwrap(x)"),
    (lambda x: np.add(x, np.ma.array([1.0, 2.0])), ArgumentError, "np.ma.array("),
]


@pytest.mark.parametrize(("f", "error", "text"), LINES, ids=[text for *_, text in LINES])
def test_what_where_and_the_remedy(f, error, text):
    with pytest.raises(error) as raised:  # from the source most of these are followed
        hybridad.grad(unfound(f))(np.array([0.5, 0.7]))
    what, where, remedy = str(raised.value).splitlines()
    assert what.endswith(".")
    assert "test_refusals.py:" in where
    assert text in where
    assert remedy.endswith(".")


def test_a_run_after_a_refusal_is_right():
    def f(x, refuse):
        y = x * x
        if refuse:
            float(y[0])
        return y.sum()

    f = unfound(f)
    for _ in range(3):
        with pytest.raises(LostDerivativeError):
            hybridad.grad(f)(np.array([1.0, 2.0]), True)
        assert hybridad.grad(f)(np.array([1.0, 2.0]), False).tolist() == [2.0, 4.0]


def test_a_refusal_that_is_caught_leaves_the_run_right():
    plain = np.array([4.0, 5.0])

    def f(x):
        y = np.exp(x)
        for act in (lambda: float(y[0]), lambda: np.array([y]), lambda: hash(y[0]),
                    lambda: pickle.dumps(y), lambda: y.tobytes(), lambda: np.unwrap(y),
                    lambda: operator.iadd(plain, y)):
            with pytest.raises(HybridadError):
                act()
        with pytest.raises(HybridadError, match="plain array"):
            plain[0] = y[0]
        y *= x
        return y.sum()

    x = np.array([0.5, 0.7])
    value, g = hybridad.value_and_grad(unfound(f))(x)
    assert value == (np.exp(x) * x).sum()
    np.testing.assert_allclose(g, np.exp(x) * (1 + x), rtol=1e-15)
    assert plain.tolist() == [4.0, 5.0]


def test_inactive_wrappers_become_plain_numbers():
    def f(x):
        zeros = np.zeros_like(x)
        ones = np.ones((), dtype=x.dtype) + zeros.sum()
        assert float(zeros[0]) == 0.0
        assert float(zeros.max()) == 0.0
        assert int(np.argmax(zeros)) == 0
        assert complex(zeros[1]) == 0j
        assert math.exp(zeros[0]) == 1.0
        assert math.floor(ones) == 1
        assert hash(zeros[0]) == hash(0.0)
        assert {zeros[0]: "zero"}[0.0] == "zero"
        assert f"{zeros[0]:.1f} %.1f" % zeros[1] == "0.0 0.0"
        assert pickle.loads(pickle.dumps(zeros[0])) == 0.0
        assert json.dumps(float(zeros[0])) == "0.0"
        return (x + zeros).sum()

    assert hybridad.grad(f)(np.array([1.0, 2.0])).tolist() == [1.0, 1.0]


def test_inactive_zero_dimensional_wrappers_become_plain_numbers():
    def f(x):
        zero = np.zeros_like(x)
        assert not active(zero)
        assert float(zero) == 0.0
        assert int(zero) == 0
        assert complex(zero) == 0j
        assert math.cos(zero) == 1.0
        assert bool(zero) is False
        return x * 2.0

    assert hybridad.grad(f)(np.array(1.5)) == 2.0


def test_integer_and_boolean_results_are_plain():
    def f(x):
        for made in (x > 0, np.argsort(x), np.isfinite(x), x.argmax(), x.astype(int),
                     np.zeros_like(x, dtype=int), np.searchsorted(x, 0.5)):
            assert type(made) in (np.ndarray, np.int64, np.bool_)
            np.asarray(made)
            np.array([made])
        return x[np.argsort(x)].sum()

    assert hybridad.grad(f)(np.array([1.0, 2.0])).tolist() == [1.0, 1.0]


def test_after_the_run_wrappers_act_as_their_values():
    kept = []

    def f(x, s):
        kept.extend([x * 2.0, s * 2.0, x[0], np.zeros_like(x)])
        return (x * s).sum()

    hybridad.grad(f, argnums=(0, 1))(np.array([1.0, 2.0]), 3.0)
    array_, number, element, zeros = kept
    assert np.asarray(array_).tolist() == [2.0, 4.0]
    assert type(np.asarray(array_)) is np.ndarray
    assert float(number) == 6.0
    assert math.sqrt(element) == 1.0
    assert hash(number) == hash(6.0)
    assert {number: 1}[6.0] == 1
    assert array_.tobytes() == np.array([2.0, 4.0]).tobytes()
    assert pickle.loads(pickle.dumps(array_)).tolist() == [2.0, 4.0]
    assert type(pickle.loads(pickle.dumps(number))) is float
    assert (array_ + zeros).tolist() == [2.0, 4.0]
    assert type(array_ + 1.0) is np.ndarray
    assert type(number + 1.0) is float
    assert np.unwrap(array_).tolist() == [2.0, 4.0]
    assert np.from_dlpack(array_).tolist() == [2.0, 4.0]
    assert array_.__array_interface__["shape"] == (2,)
    target = np.zeros(2)
    target[0] = number
    target += array_
    assert target.tolist() == [8.0, 4.0]


def test_other_threads_are_refused():
    found = []

    def f(x):
        def use():
            try:
                found.append(x * 2.0)
            except Exception as error:
                found.append(error)

        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
        return x.sum()

    for g in (f, unfound(f)):  # also where nobody there minds
        with pytest.raises(ScopeError, match="was used in another thread"):
            hybridad.grad(g)(np.array([1.0, 2.0]))
    assert [type(error) for error in found] == [ScopeError, ScopeError]


def test_the_errors_themselves():
    for act, error, words in (
            (lambda: lost(1.0, "hash()"), LostDerivativeError, "as keys"),
            (lambda: lost(1.0, "a pickle"), LostDerivativeError, "Pickle the result"),
            (lambda: lost(1.0, "a plain array (out=)"), LostDerivativeError, "np.zeros_like(x)"),
            (lambda: lost(1.0, "an integer (index)"), LostDerivativeError, "Compute indices"),
            (lambda: lost(1.0, "float()"), LostDerivativeError, "in place of float(x)"),
            (lambda: missing("frobnicate"), MissingRuleError, "frobnicate has no derivative rule"),
            (lambda: unsupported("x.y", "Do z."), UnsupportedError, "x.y cannot be followed"),
            (lambda: check_kind(np.ma.array([1.0])), ArgumentError, "numpy.ma.MaskedArray"),
            (lambda: check_kind(np.array([None])), ArgumentError, "object array")):
        with pytest.raises(error, match=words.replace("(", r"\(").replace(")", r"\)")):
            act()


@pytest.mark.parametrize("x", [1.0, 1, True, 1j, None, "text", np.ones(2), np.float32(1), [1.0],
                               np.array([1, 2]), range(3), np.array(["a"])])
def test_usual_operands_are_of_the_right_kind(x):
    assert check_kind(x) is None


def test_names_of_functions():
    rng = np.random.default_rng(0)
    for f, name in (
            (np.unwrap, "numpy.unwrap"), (np.ma.masked_greater, "numpy.ma.masked_greater"),
            (scipy.optimize.brentq, "scipy.optimize.brentq"), (struct.pack, "struct.pack"),
            (np.linalg.norm, "numpy.linalg.norm"), (np.matrix, "numpy.matrix"), (len, "len"),
            (np.exp, "numpy.exp"), ("a".join, "str.join"),
            (functools.partial(len), "functools.partial"),
            (rng.normal, "numpy.random.Generator.normal")):
        assert name_of(f) == name


def test_code_without_source_is_told_as_such():
    namespace = {"math": math, "np": np}
    exec("def fill(x):\n    b = np.zeros(2)\n    b[0] = x\n    return b.sum()", namespace)
    for g in (namespace["fill"], eval("lambda v: math.sin(v) * 2.0", namespace)):
        with pytest.raises(LostDerivativeError, match=f"The source of {g.__name__} is not known"):
            hybridad.grad(g)(0.5)
    with pytest.raises(LostDerivativeError) as caught:
        lost(0.5, "hash()")
    assert "source" not in str(caught.value)


def test_other_classes_are_told_to_compute_with_their_array():
    class Installed:
        __array_ufunc__ = len

    with pytest.raises(ArgumentError, match="Compute with the array that it holds"):
        check_kind(Installed())
    with pytest.raises(ArgumentError, match=r"a\.filled"):
        check_kind(np.ma.array([1.0]))
