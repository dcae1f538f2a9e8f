"""Every rule through specialized code, by its cases: the same as by the tape, and no call of it."""

import os
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import hybridad.rules.scipy_special  # noqa: F401 - fills the registry
from hybridad import value_and_grad
from hybridad.rules.declare import PRIMITIVES
from tests.rules.cases import python
from tests.rules.direct import load_cases

FULL = os.environ.get("HYBRIDAD_FULL") == "1"

KNOWN = {
    "of an array that is not contiguous": "the orders A and K ask for its strides",
    "a rule decides by a value": "the order of a norm that is no constant of the program",
    "with catch_warnings": "a case that catches warnings",
    "array_function of hybridad is called inside": "a case that calls what we have for arange",
    "a view of an array that is no argument": "the indices by nonzero share memory",
    "a function gave views of several arrays": "broadcast_arrays",
    "trim_zeros has no derivative by its argument 1": "its shape comes from data",
}
"""Why cases stay on the tape."""


def _products():
    """(case, dtype): all of them in the full run, else each case with one dtype, by turns."""
    for k, case in enumerate(load_cases()):
        if case.args and _gives_numbers(case):
            for dtype in case.dtypes if FULL else case.dtypes[k % len(case.dtypes)]:
                yield case, dtype


def _gives_numbers(case):
    """Whether what a case gives can be summed, and it does so without a stand-in.

    No protocol tells of SciPy's Python functions.
    """
    if case.primitive in PRIMITIVES and type(case.primitive).__name__ == "function" and (
            case.primitive.__module__.startswith("scipy")):
        return False
    return np.asarray(case.call(*case.draw(case.dtypes[-1]))).dtype.kind in "biufc"


def objective(case, dtype):
    """A function of the arguments of a case that gives a number, and these."""
    args, call = case.draw(dtype), case.call
    shape = np.shape(call(*args))
    weights = np.linspace(0.5, 1.7, int(np.prod(shape))).reshape(shape)
    if dtype == "f":
        weights = weights.astype(np.float32)

    def f(*xs):
        y = call(*xs)
        return np.sum(np.real(y) * weights) + np.sum(np.imag(y) * weights)

    return f, args


@pytest.fixture(autouse=True)
def plainly(monkeypatch):
    """The cases of Python's functions call these as programs do; errors of ours are raised."""
    monkeypatch.setattr(python, "call", lambda f, *args, **kwargs: f(*args, **kwargs))
    monkeypatch.setenv("HYBRIDAD_STRICT", "1")


@pytest.mark.parametrize(("case", "dtype"), [
    pytest.param(*p, id=f"{p[0].name}-{p[1]}") for p in _products()])
def test_rule(case, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f, args = objective(case, dtype)
        argnums = tuple(range(len(args)))
        expected = value_and_grad(f, argnums, engine="tape")(*args)
        fast = value_and_grad(f, argnums)
        fast(*args)
        value, gradient = fast(*args)
    assert type(value) is type(expected[0])
    assert value.tobytes() == expected[0].tobytes()
    tolerance = 1e-4 if dtype == "f" else 1e-10
    for found, right in zip(gradient, expected[1], strict=True):
        assert type(found) is type(right)
        assert (found.shape, found.dtype) == (right.shape, right.dtype)
        assert_allclose(found, right, rtol=tolerance, atol=tolerance)
    (entry,) = fast.__hybridad__.engine.cache.entries.values()
    if entry.reason is None:
        assert fast.__hybridad__.engine.cache.hits == 1
    else:
        assert any(reason in entry.reason for reason in KNOWN), entry.reason
