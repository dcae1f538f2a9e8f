"""Exact points of the elementwise rules: singular points, ties, infinities, literals."""

import math

import numpy as np
import pytest

from hybridad.rules import constants, elementwise  # noqa: F401 - they fill the registry
from hybridad.rules.declare import PRIMITIVES
from hybridad.rules.spaces import broadcast_tangent, project, where_finite, where_nonzero

INF, NAN = math.inf, math.nan
CONTRACTIONS = {np.matmul, np.vecdot, getattr(np, "matvec", None), getattr(np, "vecmat", None)}


class Recorded(np.ndarray):
    """Stands for a value of a sweep that is itself recorded: anything but a plain array."""


def pullback(p, g, *args):
    """The cotangents of all arguments of a ufunc (None where it has no derivative)."""
    args = [np.asarray(a)[()] for a in args]
    with np.errstate(all="ignore"):
        ans = p(*args)
        return [vjp and project(np.asarray(vjp(g, ans, *args)), x)
                for vjp, x in zip(PRIMITIVES[p].vjps, args)]


def push(p, t, *args):
    """The tangents that all arguments of a ufunc contribute, each for the tangent `t`."""
    args = [np.asarray(a)[()] for a in args]
    with np.errstate(all="ignore"):
        ans = p(*args)
        return [jvp and broadcast_tangent(np.asarray(jvp(t, ans, *args)), ans)
                for jvp in PRIMITIVES[p].jvps]


UFUNCS = sorted({f for f in vars(np).values() if isinstance(f, np.ufunc)} - CONTRACTIONS,
                key=lambda f: f.__name__)


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda f: f.__name__)
def test_every_ufunc_is_registered(ufunc):
    primitive = PRIMITIVES[ufunc]
    if primitive.kind != "constant" and not primitive.outs:
        # By None or a rule it is said of each argument what its derivative is.
        assert len(primitive.vjps) == ufunc.nin


SINGULAR = [
    (np.sqrt, 0.0), (np.sqrt, -1.0), (np.sqrt, 0j), (np.cbrt, 0.0), (np.reciprocal, 0.0),
    (np.log, 0.0), (np.log, NAN), (np.log, 0j), (np.log2, 0.0), (np.log10, 0.0), (np.log1p, -1.0),
    (np.arcsin, 1.0), (np.arcsin, 2.0), (np.arccos, -1.0), (np.arctan, 1j), (np.arcsinh, 1j),
    (np.arccosh, 1.0), (np.arccosh, 0.5), (np.arctanh, 1.0),
    (np.divide, 1.0, 0.0), (np.divide, 0.0, 0.0), (np.divide, 1j, 0j),
    (np.power, 0.0, 0.5), (np.power, 0.0, -1.0), (np.power, -1.0, 0.5), (np.power, 0.0, 0.0),
    (np.float_power, 0.0, -1.0), (np.remainder, 1.0, 0.0), (np.fmod, 1.0, 0.0),
    (np.arctan2, 0.0, 0.0), (np.hypot, 0.0, 0.0), (np.absolute, 0.0), (np.absolute, 0j),
    (np.sign, 0j), (np.logaddexp, -INF, -INF), (np.logaddexp, INF, 0.0),
    (np.logaddexp2, INF, INF), (np.maximum, INF, INF),
]


@pytest.mark.parametrize("scalar", [True, False], ids=["scalar", "array"])
@pytest.mark.parametrize("point", SINGULAR, ids=lambda p: f"{p[0].__name__}{p[1:]}")
def test_zero_stays_zero(point, scalar):
    p, *args = point
    if not scalar:
        args = [np.array([a, a]) for a in args]
    with np.errstate(all="ignore"):
        g = np.zeros_like(p(*args))[()]
    for zero in pullback(p, g, *args):
        assert zero is None or np.all(zero == 0)
    for zero in push(p, np.zeros_like(args[0])[()], *args):
        assert zero is None or np.all(zero == 0)


@pytest.mark.parametrize("p, args, expected", [
    # Where the derivative exists it is exact.
    (np.power, (0.0, 1.0), (1.0, 0.0)),
    (np.power, (0.0, 2.0), (0.0, 0.0)),
    (np.power, (0.0, 0.0), (0.0, 0.0)),
    (np.power, (2.0, 0.0), (0.0, math.log(2.0))),
    (np.sinc, (0.0,), (0.0,)),
    (np.logaddexp, (INF, 0.0), (1.0, 0.0)),
    (np.logaddexp, (-INF, 0.0), (0.0, 1.0)),
    (np.logaddexp, (0.0, -INF), (1.0, 0.0)),
    (np.logaddexp2, (-INF, 1.0), (0.0, 1.0)),
    (np.fmax, (1.0, NAN), (1.0, 0.0)),
    (np.fmin, (NAN, 1.0), (0.0, 1.0)),
    (np.heaviside, (0.0, 0.5), (None, 1.0)),
    # Ties share.
    (np.maximum, (1.0, 1.0), (0.5, 0.5)),
    (np.minimum, (1.0, 1.0), (0.5, 0.5)),
    (np.fmax, (1.0, 1.0), (0.5, 0.5)),
    (np.maximum, (1 + 1j, 1 + 1j), (0.5, 0.5)),
    (np.logaddexp, (-INF, -INF), (0.5, 0.5)),
    (np.logaddexp, (INF, INF), (0.5, 0.5)),
    (np.logaddexp2, (3.0, 3.0), (0.5, 0.5)),
    # Kinks have derivative 0.
    (np.absolute, (0.0,), (0.0,)),
    (np.absolute, (0j,), (0.0,)),
    (np.fabs, (0.0,), (0.0,)),
    (np.hypot, (0.0, 0.0), (0.0, 0.0)),
    (np.arctan2, (0.0, 0.0), (0.0, 0.0)),
    (np.angle, (0j,), (0.0,)),
    # Far out.
    (np.hypot, (3e200, 4e200), (0.6, 0.8)),
    (np.arctan2, (3e200, 4e200), (1.6e-201, -1.2e-201)),
    (np.arcsinh, (1e200,), (1e-200,)),
    (np.expm1, (-40.0,), (math.exp(-40.0),)),
])
def test_exact(p, args, expected):
    for got, value in zip(pullback(p, np.float64(1.0), *args), expected):
        assert (got is None) if value is None else got == pytest.approx(value, rel=1e-12)


def test_negative_base_with_integer_exponent():
    got, _ = pullback(np.power, np.ones(3), np.full(3, -2.0), np.array([3.0, 2.0, -1.0]))
    np.testing.assert_allclose(got, [12.0, -4.0, -0.25])


def test_literal_exponents_select_nothing():
    base = PRIMITIVES[np.power].vjps[0]
    x = np.array([0.0, -3.0])
    np.testing.assert_array_equal(base(np.ones(2), x * x, x, 2), [0.0, -6.0])
    assert base(np.ones(2), None, x, 0) is None
    assert base(x, None, x, 1) is x


def test_clip_shares_one():
    a = np.array([-2.0, -1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0])
    lower = np.array([-1.0] * 5 + [0.0, 1.0, 2.0, -1.0])
    upper = np.array([1.0] * 5 + [0.0, 1.0, 1.0, -2.0])
    shares = [vjp(np.ones(9), np.clip(a, lower, upper), a, lower, upper)
              for vjp in PRIMITIVES[np.clip].vjps[:3]]
    np.testing.assert_array_equal(shares, [[0, 1, 1, 1, 0, 1, 0, 0, 0],
                                           [1, 0, 0, 0, 0, 0, 1, 0, 0],
                                           [0, 0, 0, 0, 1, 0, 0, 1, 1]])


def test_infinite_cotangent_of_the_loser_does_not_matter():
    got, _ = pullback(np.maximum, np.array([INF, 1.0]), np.array([0.0, 2.0]), np.array([1.0, 1.0]))
    np.testing.assert_array_equal(got, [0.0, 1.0])


def test_nan_to_num():
    x = np.array([1.0, NAN, INF, -INF])
    ans = np.nan_to_num(x)
    got = [vjp and vjp(np.ones(4), ans, x) for vjp in PRIMITIVES[np.nan_to_num].vjps]
    assert got[1] is None
    np.testing.assert_array_equal([got[0], *got[2:]], np.eye(4))
    z = np.array([complex(NAN, 1.0), complex(1.0, INF), 1 + 1j])
    got = PRIMITIVES[np.nan_to_num].vjps[0](np.full(3, 2 + 3j), np.nan_to_num(z), z)
    np.testing.assert_array_equal(got, [3j, 2, 2 + 3j])
    got = PRIMITIVES[np.nan_to_num].vjps[2](np.full(3, 2 + 3j), np.nan_to_num(z), z)
    np.testing.assert_array_equal(got, [2, 0, 0])
    z[0] = complex(1.0, NAN)
    got = PRIMITIVES[np.nan_to_num].vjps[2](np.full(3, 2 + 3j), np.nan_to_num(z), z)
    np.testing.assert_array_equal(got, [-3, 0, 0])
    got = PRIMITIVES[np.nan_to_num].jvps[3](2.0, np.nan_to_num(z), z)
    np.testing.assert_array_equal(got, [0, 2j, 0])


def test_guards_keep_the_derivative_by_the_cotangent():
    # d(g / x)/dg = 1 / x where g = 0, too: only singular points may be replaced while recording.
    g, x = np.array([0.0, 0.0, 0.0, 3.0]), np.array([2.0, 0.0, NAN, 0.0])
    np.testing.assert_array_equal(where_nonzero(g.view(Recorded), x), [2.0, 1.0, 1.0, 0.0])
    np.testing.assert_array_equal(where_nonzero(g, x), [1.0, 1.0, 1.0, 0.0])
    d = np.array([2.0, INF, NAN, INF])
    np.testing.assert_array_equal(where_finite(g.view(Recorded), d), [2.0, 0.0, 0.0, INF])
    np.testing.assert_array_equal(where_finite(g, d), [0.0, 0.0, 0.0, INF])
    assert where_finite(np.float64(0.0), np.float64(INF)) == 0.0
    assert where_nonzero(np.float64(0.0), np.float64(0.0)) == 1.0


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
@pytest.mark.parametrize("p", [np.sqrt, np.log, np.maximum, np.power, np.absolute])
def test_dtype_is_kept(p, dtype):
    # Not a duty of a rule (the engines cast), but a float32 program should not compute in float64.
    x = [np.array([1.0, 2.0], dtype)] * p.nin
    ans = p(*x)
    for vjp in PRIMITIVES[p].vjps:
        assert vjp(np.ones_like(ans), ans, *x).dtype == dtype
