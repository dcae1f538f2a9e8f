"""Zero cotangents stay zero at singular points, and guards stand only where they must."""

import operator as o

import numpy as np
import pytest

from hybridad.sct.differentiate import reverse
from tests.sct.differentiate.checking import adjoint_of, build
from tests.sct.differentiate.straight_lines import V
from tests.trace.interpret import run

SINGULAR = {
    "log behind where": (lambda b, x: b.apply(np.sum, b.apply(np.where, b.apply(
        o.gt, x, 0.0), b.apply(np.log, x), 0.0)), np.array([0.0, 2.0]), np.array([0.0, 0.5])),
    "sqrt times zero": (lambda b, x: b.apply(np.sum, b.apply(o.mul, b.apply(
        np.sqrt, x), np.array([0.0, 1.0]))), np.array([0.0, 4.0]), np.array([0.0, 0.25])),
    "overflow behind where": (lambda b, x: b.apply(np.sum, b.apply(np.where, b.apply(
        o.gt, x, 20.0), x, b.apply(np.log1p, b.apply(np.exp, x)))), np.array([1000.0, 0.0]),
        np.array([1.0, 0.5])),
    "quotient behind where": (lambda b, x: b.apply(np.sum, b.apply(np.where, b.apply(
        o.gt, x, 0.0), b.apply(o.truediv, 1.0, x), 0.0)), np.array([0.0, 2.0]),
        np.array([0.0, -0.25])),
    "product with infinity behind where": (lambda b, x: b.apply(np.sum, b.apply(
        np.where, b.apply(o.gt, x, 0.0), b.apply(o.mul, x, b.apply(o.truediv, 1.0, x)), 5.0)),
        np.array([0.0, 2.0]), np.array([0.0, 0.0])),
    "power behind an index": (lambda b, x: b.apply(o.getitem, b.apply(o.pow, x, 0.5), 1),
                              np.array([0.0, 4.0]), np.array([0.0, 0.25])),
}


@pytest.mark.parametrize("guards", ["zero", "singular"])
@pytest.mark.parametrize("name", SINGULAR)
def test_zero_stays_zero(name, guards):
    program, x, expected = SINGULAR[name]
    with np.errstate(all="ignore"):
        block, wanted = build(program, np.array([1.0, 2.0]))
        result = run(reverse(block, wanted, guards=guards), [x])
    np.testing.assert_allclose(result.cotangents[0], expected, atol=1e-15)


@pytest.mark.parametrize("name", SINGULAR)
def test_without_guards_nan_tells(name):
    program, x, expected = SINGULAR[name]
    with np.errstate(all="ignore"):
        block, wanted = build(program, np.array([1.0, 2.0]))
        (g,) = run(reverse(block, wanted, guards="none"), [x]).cotangents
    assert np.isnan(g).any() or np.allclose(g, expected)


def test_the_seed_needs_no_guard():
    targets = adjoint_of(lambda b, x: b.apply(np.sum, b.apply(np.log, x)), V)
    assert targets == [o.truediv]
    targets = adjoint_of(lambda b, x: b.apply(np.mean, b.apply(np.sqrt, x)), V)
    assert targets == [o.truediv, o.mul, o.truediv]


def test_other_cotangents_have_one():
    targets = adjoint_of(lambda b, x: b.apply(np.sum, b.apply(o.mul, b.apply(np.log, x), x)), V)
    assert targets.count(np.where) == 1
    assert np.logical_or not in targets


def test_no_guards():
    targets = adjoint_of(lambda b, x: b.apply(np.sum, b.apply(o.mul, b.apply(np.log, x), x)), V,
                         guards="none")
    assert targets == [o.mul, o.mul, o.truediv, o.add]
