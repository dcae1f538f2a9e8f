"""`operator` on values being recorded: the site's own operators; getters, callers, cmp_to_key."""

import functools
import math
import operator

import numpy as np
import pytest

import hybridad
from hybridad.recording.runtime.operators import INSTANCES, MEANINGS
from tests.recording.runtime.stand_in import Site, agrees, guards_of, in_a_run, raises_alike

NAMES = {"operator": operator, "functools": functools, "np": np, "math": math}


def test_every_function_has_a_meaning():
    functions = [f for name, f in vars(operator).items()
                 if callable(f) and name in operator.__all__]
    assert functions
    assert not [f for f in functions if f not in MEANINGS and f not in INSTANCES]


@pytest.mark.parametrize("expression", [
    *[f"operator.{name}({pair})" for name in ("add", "sub", "mul", "truediv", "pow", "mod",
                                              "floordiv")
      for pair in ("a, s", "x, a", "2, s", "x, x[::-1]")],
    *[f"operator.{name}(np.multiply(x, 1.0), s)" for name in (
        "iadd", "isub", "imul", "itruediv", "ipow", "imod", "ifloordiv")],
    "operator.matmul(m, x)", "operator.imatmul(np.multiply(m, 1.0), m)",
    "operator.neg(x)", "operator.pos(s)", "operator.abs(-x)", "operator.__add__(s, a)",
    "operator.getitem(x, 1)", "operator.getitem([s, a], 0)", "operator.getitem(m, (0, 1))",
    "operator.concat([s], [a])", "operator.iconcat([s], [a])", "operator.iconcat([s], x)",
    "operator.concat((s,), (a, x))", "operator.iconcat((s,), (a, x))",
    "operator.call(lambda p: p * s, a)", "operator.call(dict, p=s)",
    "operator.and_(5, 3) * s", "operator.lshift(1, 3) * s", "operator.inv(2) * s",
    "operator.or_(5, 2) * operator.xor(5, 1) * operator.rshift(4, 1) * s",
    "operator.iand(5, 4) * operator.ior(1, 2) * operator.ixor(5, 1) * s",
    "operator.ilshift(1, 2) * operator.irshift(8, 1) * operator.invert(1) * s",
    "operator.index(3) * operator.length_hint([1, 2]) * s",
    "operator.itemgetter(1)(x)", "operator.itemgetter(0, 2)(x)",
    "operator.itemgetter('p')({'p': s})", "operator.itemgetter(slice(1, 3))(v)",
    "operator.attrgetter('T')(m)", "operator.attrgetter('real', 'imag')(z)",
    "operator.attrgetter('T.T')(r)",
    "operator.methodcaller('sum')(x)", "operator.methodcaller('sum', axis=0)(m)",
    "operator.methodcaller('reshape', 3, 1)(x)", "operator.methodcaller('dot', y)(x)",
    "list(map(operator.itemgetter(0), m))", "max([[s], [a]], key=operator.itemgetter(0))",
    "sorted(v, key=functools.cmp_to_key(lambda p, q: q - p))",
    "sorted(v, key=functools.cmp_to_key(lambda p, q: -1 if p * p < q * q else 1))",
])
def test_agrees(expression):
    agrees(expression, order=2, **NAMES)


@pytest.mark.parametrize("expression, value, guards", [
    ("operator.lt(s, a)", True, ["compare"]),
    ("operator.le(s, a)", True, ["compare"]),
    ("operator.gt(s, a)", False, ["compare"]),
    ("operator.ge(s, a)", False, ["compare"]),
    ("operator.eq(s, a)", False, ["compare"]),
    ("operator.ne(s, a)", True, ["compare"]),
    ("operator.lt(1, 2)", True, []),
    ("operator.truth(s)", True, ["bool"]),
    ("operator.not_(s)", False, ["bool"]),
    ("operator.not_([])", True, []),
    ("operator.is_(s, s)", True, []),
    ("operator.is_not(s, a)", True, []),
    ("operator.contains([1, 2], 2)", True, []),
    ("operator.countOf([s, 0.6, a], 0.6)", 2, ["compare", "compare"]),
    ("operator.countOf([1, 2, 1], 1)", 2, []),
    ("operator.indexOf([a, s], 0.6)", 1, ["compare"]),
    ("operator.indexOf([s, a], s)", 0, []),
])
def test_decisions(expression, value, guards):
    found, site = in_a_run(f"({expression}, s)[0]", **NAMES)
    assert found == value
    kinds = [kind for kind, _ in site.guards]
    # Where one operand is NumPy's, a comparison's result is no bool and its truth is asked.
    assert [kind for kind in kinds if kind in guards] == kinds and len(kinds) >= len(guards)


def test_stores():
    agrees("(operator.setitem(d, 'p', s), d.pop('p'))[1]", d={}, **NAMES)
    agrees("(operator.setitem(x, 1, s * 2), x)[1]", **NAMES)
    agrees("(operator.delitem(d, 'q') if 'q' in d else None, s)[1]", d={"q": 1.0}, **NAMES)


@pytest.mark.parametrize("expression", [
    "operator.index(s)", "operator.concat(s, a)", "operator.concat([s], a)",
    "operator.concat({}, {})", "operator.concat(x, y)", "operator.concat([s], x)",
    "operator.iconcat([s], a)", "operator.iconcat(s, a)", "operator.iconcat((s,), x)",
    "operator.iconcat(x, [s])", "operator.indexOf([a], s)", "operator.countOf(s, 1)",
    "operator.getitem(x, 7)", "operator.getitem({}, 'p')", "operator.delitem([s], 3)",
    "operator.invert(s)", "operator.matmul(x, v)", "operator.itemgetter(9)(x)",
    "operator.attrgetter('real.nothing')([s])", "operator.methodcaller('nothing')([s])",
    "operator.truth(x)", "operator.call(3)", "operator.length_hint(1, 'a')",
    "operator.itemgetter()(x)", "functools.cmp_to_key()",
])
def test_errors_are_those_of_python(expression):
    raises_alike(f"({expression}, s)", **NAMES)


def test_the_sign_of_a_comparison_is_noted():
    found = guards_of("(sorted([a, s], key=functools.cmp_to_key(lambda p, q: p - q)), s)[1]",
                      **NAMES)
    assert ("compare", True) in [(kind, bool(outcome)) for kind, outcome in found]


def test_what_is_called_goes_through_the_site():
    compare = lambda p, q: p - q
    for expression in ("sorted(x, key=functools.cmp_to_key(compare))",
                       "operator.call(compare, s, a)"):
        _, site = in_a_run(f"({expression}, s, a)[1]", compare=compare, **NAMES)
        assert compare.__qualname__ in site.called


def test_warnings_name_the_users_line():
    site = Site()

    def f(x):
        return MEANINGS[operator.mul](site, x, 10.0)

    with pytest.warns(RuntimeWarning, match="overflow") as warned:
        hybridad.vjp(f, np.float64(1.7e308))
    assert [(w.filename, w.lineno) for w in warned] == [(__file__, f.__code__.co_firstlineno + 1)]
