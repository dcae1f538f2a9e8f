"""Primitives: what they hold, and whether what they say a rule reads is the truth."""

import gc
import sys
import zlib

import numpy as np
import pytest
from hybridad._primitive import Primitive
from hybridad._record import raw_of

from hybridad import jvp, value_and_grad
from hybridad.recording.ufuncs import primitive_of
from hybridad.rules.declare import PRIMITIVES
from tests.rules.direct import load_cases, random_like

CASES = [c for c in load_cases() if (("d" in c.dtypes or "D" in c.dtypes)
         and isinstance(c.primitive, np.ufunc)) or c.primitive.__module__.startswith("numpy")]
CASES = [c for c in CASES if primitive_of(c.primitive).kind != "constant"]


def test_holds_what_it_is_given():
    def vjp(g, ans, x, y):
        return g * y

    p = Primitive(np.add, "plus", "elementwise", vjps=[vjp, None], jvps=[vjp, None],
                  params=["x", "y"], needs=0b110)
    assert (p.func, p.name, p.kind) == (np.add, "plus", "elementwise")
    assert p.vjps == p.jvps == (vjp, None) and p.params == ("x", "y")
    assert p.diagonal and not p.is_constant and not p.sequence and not p.joint and p.out == -1
    assert p.outs is None and p.vjp is None and p.needs == 0b110
    assert "plus" in repr(p) and "elementwise" in repr(p)
    assert Primitive(np.floor, "floor", "constant").is_constant
    assert Primitive(np.sum, "sum", "linear").needs == 2**64 - 1  # everything, unless told
    assert not Primitive(np.add, "add", "elementwise", needs=0).diagonal
    for name in ("func", "vjps", "needs", "kind"):
        with pytest.raises(AttributeError):
            setattr(p, name, None)


def test_is_freed_with_its_rules():
    def rule(g, ans, x):
        return g

    before = sys.getrefcount(rule)
    made = [Primitive(np.sin, "sin", "rule", vjps=(rule,), jvps=(rule,)) for _ in range(10)]
    assert sys.getrefcount(rule) == before + 20
    del made
    gc.collect()
    assert sys.getrefcount(rule) == before


def test_needs_say_what_the_best_known_rules_read():
    """Bit 0: the result; bit k + 1: argument k."""
    def needs(f, arguments):
        return PRIMITIVES[f].needs & (2 << arguments) - 1

    assert needs(np.add, 2) == needs(np.subtract, 2) == needs(np.negative, 1) == 0
    assert needs(np.multiply, 2) == needs(np.matmul, 2) == 0b110
    assert needs(np.exp, 1) == needs(np.tanh, 1) == 0b1
    assert needs(np.sin, 1) == needs(np.square, 1) == 0b10


def _function(case, dtype, spoils):
    """A scalar function of a case's call, after which arguments and results are overwritten."""
    args = case.draw(dtype)
    out = case.call(*args)
    outs = out if isinstance(out, (tuple, list)) else [out]
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    weights = [random_like(o, rng) if np.asarray(o).dtype.kind in "fc" else 0.0 for o in outs]

    def f(*xs):
        xs = [x * 1.0 for x in xs]
        made = case.call(*xs)
        made = list(made) if isinstance(made, (tuple, list)) else [made]
        total = 0.0
        for o, w in zip(made, weights):
            total = total + np.sum(np.real(o * w))
        for y in (*xs, *made) if spoils else ():
            if isinstance(y, np.ndarray) and y.dtype.kind in "fc" and raw_of(y).flags.writeable:
                y[...] = 7.25
        return total

    return args, f


def _check(case, dtype, forward):
    args, f = _function(case, dtype, spoils=False)
    every = tuple(range(len(args)))
    value, expected = value_and_grad(f, every)(*args)
    spoilt = _function(case, dtype, spoils=True)[1]
    again, found = value_and_grad(spoilt, every)(*args)
    np.testing.assert_array_equal(value, again)
    for a, b in zip(found, expected):
        np.testing.assert_array_equal(a, b)
    if forward:
        rng = np.random.default_rng(1)
        ts = tuple(type(a)(1.0) if not np.ndim(a) else random_like(a, rng) for a in args)
        np.testing.assert_array_equal(jvp(f, args, ts)[1], jvp(spoilt, args, ts)[1])


_NAMES = sorted({c.name.split("-")[0] for c in CASES})


@pytest.mark.parametrize("name", _NAMES)
def test_what_a_rule_reads_is_kept(name):
    """Overwriting operands and results after a call changes no derivative of it."""
    for case in CASES:
        if case.name.split("-")[0] == name:
            _check(case, "d" if "d" in case.dtypes else "D", forward=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", _NAMES)
def test_what_a_rule_reads_is_kept_in_every_mode(name):
    for case in CASES:
        if case.name.split("-")[0] == name:
            for dtype in set(case.dtypes) - {"f"}:
                _check(case, dtype, forward=True)
