"""What meanings ask of their arguments."""

import fractions
from collections import Counter, namedtuple

import numpy as np
import pytest
from hybridad._record import active, constant_value, is_wrapper, raw_of
from hybridad._tape import Tape

import hybridad
from hybridad.recording.runtime.operands import as_complex, as_float, holds, judged, lift, own
from tests.recording.runtime.stand_in import Site


def inside(function, x):
    """What `function` gives for an active `x`."""
    seen = []
    hybridad.vjp(lambda x: (seen.append(function(x)), x)[1], x)
    return seen[0]


class Own:
    def __len__(self):
        return 1


class Inherits(Own):
    pass


class Hides(Own):
    __len__ = None


def test_own_finds_what_a_class_of_the_users_defines_in_python():
    assert own(Own(), "__len__") is Own.__len__
    assert own(Inherits(), "__len__") is Own.__len__
    for x in (Hides(), [], 1.0, np.zeros(1), np.float64(1.0), object(), namedtuple("P", "x")(1)):
        assert own(x, "__len__") is None
    assert own(fractions.Fraction(1, 2), "__abs__") is None  # Python, but not the user's
    assert own(Own(), "__iter__") is None
    assert inside(lambda x: own(x, "__len__"), np.ones(2)) is None


def test_holds_looks_into_builtin_containers():
    assert inside(lambda x: [holds(y) for y in (x, [x], (1, [x]), {1: x}, {"a": [x]})], 1.0) == [
        True] * 5
    assert not any(map(holds, (1.0, [1, (2,)], {1: 2}, {3}, "abc", Counter("a"))))


def test_judged_gives_the_errors_of_python():
    assert judged(len, "__len__", Own(), 3) == 3
    with pytest.raises(TypeError, match=r"^Own\.__float__ returned non-float"):
        judged(float, "__float__", Own(), "a")


@pytest.mark.parametrize("x, expected", [
    (2.5, 2.5), (np.float32(0.1), float(np.float32(0.1))), (np.array([[3.0]]), 3.0),
    (np.array(1.5), 1.5), (np.complex128(2 + 1j), 2.0)])
def test_as_float(x, expected):
    raw, is_active = inside(lambda x: (raw_of(as_float(x)), active(as_float(x))), x)
    assert raw == expected and type(raw) is float and is_active
    assert as_float(x) == expected and type(as_float(x)) is float


@pytest.mark.parametrize("x", [np.array([4.0]), np.array(4.0 + 1j)])
def test_as_float_of_a_constant_of_a_run(x):
    constant = constant_value(Tape("f"), x)
    assert is_wrapper(constant)
    assert as_float(constant) == 4.0 and type(as_float(constant)) is float


@pytest.mark.parametrize("x", [2.5, np.complex64(1 + 2j), np.array([3.0j]), 1j])
def test_as_complex(x):
    raw = inside(lambda x: raw_of(as_complex(x)), x)
    assert raw == complex(np.asarray(x).ravel()[0]) and type(raw) is complex


def test_lift_leaves_to_raise_what_cannot_be_iterated():
    assert lift(Site(), 3) == 3
    assert inside(lambda x: lift(Site(), x), 2.5) == 2.5
    assert inside(lambda x: lift(Site(), x) is x, np.ones(2))
