"""Every rule, by its cases: both modes, all dtypes and orders, through the tape."""

import dataclasses
import os

import numpy as np
import pytest
from scipy import special

from hybridad import vjp
from hybridad.recording.arraylike import plain
from hybridad.recording.calls import call, first_wrapper
from hybridad.recording.ufuncs import primitive_of
from hybridad.testing import check_grads
from tests.rules.direct import load_cases

CASES = load_cases()
FULL = os.environ.get("HYBRIDAD_FULL") == "1"


def _products():
    """(case, dtype, order): all of them in the full run, else each case with each of its dtypes
    at first order and with one dtype, by turns, at second order."""
    for k, case in enumerate(CASES):
        dtypes = case.dtypes
        for j, dtype in enumerate(dtypes):
            second = FULL or j == k % len(dtypes)
            yield case, dtype, case.orders if second else 1


@pytest.mark.parametrize(("case", "dtype", "order"), [
    pytest.param(*p, id=f"{p[0].name}-{p[1]}-order{p[2]}") for p in _products()])
def test_rule(case, dtype, order, monkeypatch):
    args = case.draw(dtype)
    case = follow(case, monkeypatch)
    if primitive_of(case.primitive).kind == "constant":
        check_constant(case, args)
    else:
        check_grads(case.call, args, order=order)


def follow(case, monkeypatch):
    """Lead calls of SciPy's Python functions, of which no protocol tells, to their rules."""
    function = case.primitive
    if isinstance(function, np.ufunc) or getattr(special, function.__name__, None) is not function:
        return case

    def stand_in(*args, **kwargs):
        if first_wrapper((*args, *kwargs.values())) is None:
            return function(*args, **kwargs)
        return call(primitive_of(function), function, args, kwargs)

    monkeypatch.setattr(special, function.__name__, stand_in)
    return dataclasses.replace(case, call=stand_in) if case.call is function else case


def check_constant(case, args):
    """Wrappers give the plain value, and nothing reaches the argument."""
    expected = case.call(*args)
    seen = []

    def f(*xs):
        seen.append(plain(case.call(*xs)))
        return sum(np.sum(x) for x in xs)

    if not args:
        assert_same(plain(case.call()), expected)
        return
    _, pullback = vjp(f, *args)
    assert_same(seen[0], expected)
    seed = np.ones((), dtype=np.result_type(*args))[()]
    for g, x in zip(pullback(seed), args):
        np.testing.assert_array_equal(g, np.ones_like(x))


def assert_same(found, expected):
    """Equal values, types and dtypes, also in tuples and lists."""
    assert type(found) is type(expected)
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for a, b in zip(found, expected):
            assert_same(a, b)
    else:
        np.testing.assert_array_equal(found, expected)
        assert getattr(found, "dtype", None) == getattr(expected, "dtype", None)
