"""Wrappers by themselves: what they pose as, the two classes, small arithmetic to the last bit."""

import collections.abc
import itertools
import operator

import numpy as np
import pytest
from hybridad._record import is_wrapper, leaf, raw_of
from hybridad._tape import Tape

import hybridad
from hybridad import _parray


@pytest.fixture
def tape():
    return Tape("f")


@pytest.mark.parametrize("value", [1.5, 1.5 + 2j, np.float32(1.5), np.complex128(1j),
                                   np.zeros(3), np.zeros(())], ids=lambda v: type(v).__name__)
def test_a_wrapper_poses_as_its_value(tape, value):
    x = leaf(tape, value)
    assert isinstance(x, type(value)) and x.__class__ is type(value)
    assert is_wrapper(x) and not is_wrapper(value)
    for kind in (collections.abc.Iterable, collections.abc.Sized, collections.abc.Hashable):
        assert isinstance(x, kind) == isinstance(value, kind), kind
    for name in ("__len__", "__iter__", "shape", "T", "is_integer", "nonsense"):
        assert hasattr(x, name) == hasattr(value, name), name


def test_wrappers_are_not_made_by_calling():
    for cls in (_parray.PersistentArray, _parray.PersistentScalar):
        with pytest.raises(TypeError, match="made by hybridad"):
            cls()


SPECIAL = [0.0, -0.0, 1.0, -1.5, 1e-300, 1e300, 5e-324, np.inf, -np.inf, np.nan, 1 / 3]


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv],
                         ids=lambda op: op.__name__)
def test_small_arithmetic_gives_numpys_bits_and_warnings(tape, op):
    values = np.array(list(itertools.product(SPECIAL, SPECIAL)))
    for a, b in (*values, (values[:3, 0], values[:3, 1]), (values[60:, 0], values[60:, 1])):
        for x, y in ((np.atleast_1d(a), np.atleast_1d(b)), (np.atleast_1d(a), float(np.max(b))),
                     (float(np.max(a)), np.atleast_1d(b))):
            seen = []
            for left, right in ((x, y), (leaf(tape, x), y), (x, leaf(tape, y))):
                with np.errstate(all="call"), np.errstate(
                        call=lambda kind, flag, seen=seen: seen[-1].append(kind)):
                    seen.append([])
                    seen[-1].append(raw_of(op(left, right)).tobytes())
            assert sorted(map(str, seen[0])) == sorted(map(str, seen[1])), (x, y)
            assert sorted(map(str, seen[0])) == sorted(map(str, seen[2])), (x, y)


def test_results_are_recorded_in_order(tape):
    x = leaf(tape, np.array([1.0, 2.0]))
    y = x * 2.0 + x
    assert len(tape) == 3
    np.testing.assert_array_equal(raw_of(y), [3.0, 6.0])
    assert type(x > 1.0) is np.ndarray and len(tape) == 3      # decisions are plain


def test_match_takes_it_for_what_an_array_is():
    def f(x):
        match x:
            case [first, *_]:
                return first * 2.0
        return x[1] * 3.0

    for engine in ("tape", "auto"):
        g = hybridad.value_and_grad(f, engine=engine)
        for _ in range(3):
            assert g(np.array([1.0, 5.0]))[0] == f(np.array([1.0, 5.0]))
