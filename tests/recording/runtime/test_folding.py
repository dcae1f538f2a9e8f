"""`sum`, `min`, `max`, `sorted`, `any`, `all`, `reduce` on values being recorded."""

import functools
import math
import operator

import numpy as np
import pytest

import hybridad
from hybridad.recording.runtime.folding import MEANINGS
from hybridad.testing import check_grads
from tests.recording.runtime.stand_in import (
    Site,
    agrees,
    form,
    guards_of,
    in_a_run,
    raises_alike,
)

NAMES = {"np": np, "math": math, "functools": functools, "operator": operator}


@pytest.mark.parametrize("expression", [
    "sum([s, 2, s * s])",
    "sum([s, s], 1)",
    "sum([s, s], start=0.5)",
    "sum([2, 3.5], s)",
    "sum([], s)",
    "sum([]) + s",
    "sum((s, w), 1j)",
    "sum([s, a, 0.25])",
    "sum([0.1, s, e, 0.1, 0.1])",
    "sum([True, s])",
    "sum([s, True, False, 10**20])",
    "sum([1, 2, a])",
    "sum(x)",
    "sum(h)",
    "sum(m)",
    "sum(z)",
    "sum(x, 1)",
    "sum(x, s)",
    "sum(x, y)",
    "sum(m, x)",
    "sum([x, y, 2.0])",
    "sum([x, s], np.zeros(3))",
    "sum([0.1, 0.2, s, x])",
    "sum(t * t for t in v)",
    "sum(t * 1.0 for t in [s] * 4)",
    "sum([[s], [a]], [])",
    "sum({'p': s, 'q': 2}.values())",
    "sum([-0.0 * s])",
    "sum([-0.0 * s], -0.0)",
    "sum([-0.0], -0.0 * s)",
    "max(s, a)", "min(s, a)", "max([s, 0.7, a])", "min(x)", "max(v)", "max(m.tolist()[0])",
    "max(x, key=lambda t: -t)", "min([s, -a, 1], key=abs)", "max([], default=s)",
    "min((s, 'a'), (0.61, 'b'))[0]", "max(s, s * 1.0)", "min([s])", "max(1, 2) * s",
    "max(z, key=abs)", "max('ab', key=lambda c: s if c == 'b' else a)",
    "sorted(x)", "sorted(v, reverse=True)", "sorted([s, 1, a])", "sorted([3, 1, 2])[0] * s",
    "sorted(v, key=lambda t: t * t)", "sorted(x, key=lambda t: -t, reverse=True)",
    "sorted([(s, 1), (0.61, 0), (a, 2)])", "sorted(z, key=abs)",
    "sorted([[s, 1], [0.1, 2]], key=operator.itemgetter(0))",
    "functools.reduce(operator.mul, [s, a, 2])", "functools.reduce(operator.add, x, s)",
    "functools.reduce(lambda p, q: p * q + s, v)", "functools.reduce(operator.mul, [], s)",
])
def test_agrees(expression):
    agrees(expression, order=2, **NAMES)


def test_sum_is_compensated_where_python_is():
    """Since 3.12 the sum of floats is; a sum of wrappers must be, too."""
    terms = [0.1] * 10 + [1e16, 1.0, -1e16]
    site = Site()
    value, grad = hybridad.value_and_grad(
        lambda x: MEANINGS[sum](site, [x * t for t in terms]))(1.0)
    assert value == sum(terms)
    assert grad == pytest.approx(math.fsum(terms), abs=4.0)
    assert hybridad.grad(lambda x: MEANINGS[sum](site, [x] * 10))(0.1) == 10.0


def test_sum_of_an_array_is_that_of_its_elements_in_order():
    x = np.random.default_rng(0).standard_normal(1000)
    value, grad = hybridad.value_and_grad(lambda x: MEANINGS[sum](Site(), x))(x)
    assert value == sum(x) and type(value) is type(sum(x))
    assert value != np.sum(x)  # pairwise
    np.testing.assert_array_equal(grad, np.ones(1000))


def test_sum_warns_at_the_users_line():
    site = Site()

    def f(x):
        return MEANINGS[sum](site, [x[0], x[1]])

    with pytest.warns(RuntimeWarning, match="overflow") as warned:
        hybridad.vjp(f, np.array([1.7e308, 1.7e308]))
    assert [(w.filename, w.lineno) for w in warned] == [(__file__, f.__code__.co_firstlineno + 1)]


@pytest.mark.parametrize("expression", [
    "sum(s)", "sum(o)", "sum([s], '')", "sum(['a', s])", "sum([1, None, s])",
    "sum([10**400, s])",
    "max()", "max([])", "max(s)", "max([x, y])", "max(s, a, default=1)",
    "min(x, y)", "max([w, s])", "min([s, 1], key=3)",
    "sorted(s)", "sorted([w, s])", "sorted([x, y])", "sorted(m)",
    "any(s)", "all([x])", "any([0, m])",
    "functools.reduce(operator.add, [])", "functools.reduce(operator.add, s)",
])
def test_errors_are_those_of_python(expression):
    raises_alike(f"({expression}, s)", **NAMES)


@pytest.mark.parametrize("expression, guards", [
    ("(max(s, a), s)[1]", [("compare", True)]),
    ("(min(s, a, 0.1), s)[1]", [("compare", False), ("compare", True)]),
    ("(max(1.0, 2.0), s)[1]", []),
    ("(max([s, 3], key=lambda t: 1), s)[1]", []),
    ("(sorted([a, s]), s)[1]", [("compare", True)]),
    ("(sorted([2, 1]), s)[1]", []),
    ("(sorted([s, a], key=lambda t: 1), s)[1]", []),
    ("(any([0.0 * s, s, a]), s)[1]", [("bool", False), ("bool", True)]),
    ("(all([0.0 * s, s, a]), s)[1]", [("bool", False)]),
    ("(any([False, 1, s]), s)[1]", []),
])
def test_decisions_are_noted(expression, guards):
    found = [(kind, bool(outcome)) for kind, outcome in guards_of(expression, **NAMES)]
    assert found == guards


def test_sorted_is_stable():
    items = [(1.5, "a"), (0.5, "b"), (1.5, "c"), (0.5, "d")]
    for reverse in (False, True):
        expected = sorted(items, key=lambda t: t[0], reverse=reverse)
        value, _ = in_a_run(f"(sorted(items, key=lambda t: t[0] * s, reverse={reverse}), s)[0]",
                            items=items)
        assert value == expected


def test_ties_go_to_the_first():
    items = [(1.5, "a"), (1.5, "b")]
    for function in ("max", "min"):
        value, _ = in_a_run(f"({function}(items, key=lambda t: t[0] * s), s)[0]", items=items)
        assert value == items[0]


def test_nan_is_compared_as_in_python():
    for values in ([math.nan, 1.0], [1.0, math.nan]):
        for function in (max, min):
            value, _ = in_a_run(f"({function.__name__}([t * (s / s) for t in values]), s)[0]",
                                values=values)
            assert repr(float(value)) == repr(function(values))


@pytest.mark.parametrize("function, taken", [("any", 2), ("all", 1)])
def test_any_and_all_stop_as_soon_as_they_know(function, taken):
    seen = []

    def items(s):
        for x in (0.0, s, 2.0):
            seen.append(x)
            yield x

    f, args = form(f"({function}(items(s)), s)[0] * s", items=items)
    hybridad.vjp(f, *args)
    assert len(seen) == taken


def test_items_are_taken_before_the_sum_fails():
    seen = []

    def items(s):
        for x in (s, "a", s):
            seen.append(x)
            yield x

    f, args = form("sum(items(s))", items=items)
    with pytest.raises(TypeError):
        hybridad.vjp(f, *args)
    assert len(seen) == 2


def test_callbacks_are_called_through_the_site():
    key, combine = (lambda t: t * t), (lambda p, q: p + q)
    for expression in ("sorted(x, key=key)", "max(x, key=key)", "min(x, key=key)",
                       "functools.reduce(combine, x)"):
        _, site = in_a_run(f"({expression}, s)[1]", key=key, combine=combine, **NAMES)
        assert key.__qualname__ in site.called or combine.__qualname__ in site.called


def test_gradient_of_the_largest():
    check_grads(lambda x: MEANINGS[max](Site(), [x * x, x + 1.0]), (0.3,), order=2)
