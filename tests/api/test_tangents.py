"""`jvp`, and tangents that fit or do not."""

import numpy as np
import pytest

import hybridad
from hybridad import ArgumentError, jvp, vjp
from hybridad.engine import engine_for
from hybridad.tree import flatten
from tests.api.comparing import X, alike


def test_tangents_that_do_not_fit():
    f = lambda x, y: x * y
    for primals in (X, 1.0, {"a": 1.0}, (v for v in (X,))):
        with pytest.raises(ArgumentError, match=r"^primals is a \w+, not a tuple\.\n  at .*:\d+  "
                           r"jvp\(f, primals, \(X,\)\)\nWrite jvp\(f, \(x,\), \(t,\)\)"):
            jvp(f, primals, (X,))
    for tangents in (X, (X,), (X, X, X), None, 1.0, ()):
        with pytest.raises(ArgumentError, match=r"^tangents is not a tuple of 2, one for each "
                           r"differentiated argument\.\n.*\nGive None for a zero tangent\.$"):
            jvp(f, (X, X), tangents)
    with pytest.raises(ArgumentError, match=r"^The tangent of argument 1 of <lambda> has shape "
                       r"\(2,\) where \(3,\) was expected\."):
        jvp(f, (X, X), (X, np.ones(2)))
    with pytest.raises(ArgumentError, match=r"The tangent of argument 'x' of f holds str where"):
        _by_name("t")
    with pytest.raises(ArgumentError, match=r"^The tangent of argument 0 of <lambda> is complex "
                       r"where the argument is real\.\n.*\nPass its real part, or a complex arg"):
        jvp(f, (X, X), (X * 1j, None))


def _by_name(tangent):
    def f(x):
        return x * 2.0

    return jvp(f, (), tangent, argnums="x", x=1.0)


def test_tangents():
    f = lambda x, y: x * y
    assert alike(jvp(f, (X, 2.0), (None, 1.0))[1], X)
    assert alike(jvp(f, [X, 2.0], [X, None])[1], 2.0 * X)
    assert alike(jvp(f, (X, 2.0), (None, None))[1], np.zeros(3))
    assert alike(jvp(f, (X, 2.0), X, argnums=0)[1], 2.0 * X)
    assert alike(jvp(f, (X, 2.0), (1.0, X), argnums=(1, 0))[1], X + 2.0 * X)
    assert _by_name(3.0) == (2.0, 6.0)
    assert alike(jvp(f, (X, 2.0), (np.array([1, 0, 1]), None))[1], np.array([2.0, 0.0, 2.0]))


@pytest.mark.parametrize("dtype", ["d", "D"])
def test_jvp_is_the_transpose_of_vjp(dtype):
    rng = np.random.default_rng(5)

    def draw(*shape):
        a = rng.standard_normal(shape)
        return a + 1j * rng.standard_normal(shape) if dtype == "D" else a

    def f(p, b):
        y = np.tanh(p["a"] @ b)
        y[0] *= y[1]
        z = np.concatenate([y.ravel(), b])
        return {"y": y, "z": [z * z, np.abs(np.fft.fft(z))], "s": np.real(np.sum(y))}

    args = {"a": draw(3, 4)}, draw(4)
    tangents = {"a": draw(3, 4)}, draw(4)
    value, pullback = vjp(f, *args)
    value2, t = jvp(f, args, tangents)
    assert all(map(alike, flatten(value)[0], flatten(value2)[0]))
    cotangent = hybridad.tree.unflatten(flatten(value)[1], [
        draw(*np.shape(v)) if np.iscomplexobj(v) else rng.standard_normal(np.shape(v))
        for v in flatten(value)[0]])

    def pair(g, t):
        return sum(np.sum(a * b).real for a, b in zip(flatten(g)[0], flatten(t)[0]))

    left, right = pair(cotangent, t), pair(pullback(cotangent), tangents)
    assert np.isclose(left, right, rtol=1e-12) and abs(left) > 0.1


# By specialized code ----------------------------------------------------------------------------


def test_code_answers_after_the_first_call():
    def f(x, scale):
        out = np.zeros(3)
        for i in range(3):
            out[i] = np.sin(x[i] * scale) if x[i] > 0.0 else x[i] ** 2
        return {"out": out, "constant": 2.0, "sum": (np.sum(x),)}

    for x in (X, X + 0.1, X):
        t = np.array([1.0, -1.0, 2.0])
        value, tangent = jvp(f, (x, 2.0), (t, 0.5))
        plain = f(x, 2.0)
        assert alike(value["out"], plain["out"]) and alike(value["sum"], plain["sum"])
        up, down = (f(x + h * t, 2.0 + h * 0.5) for h in (1e-6, -1e-6))
        np.testing.assert_allclose(tangent["out"], (up["out"] - down["out"]) / 2e-6, atol=1e-8)
        assert tangent["sum"][0] == 2.0 and alike(tangent["constant"], 0.0)
    assert engine_for(f, "jvp").cache.info()[:3] == (2, 0, 1)


def test_code_takes_tangents_of_other_types():
    def f(x, y):
        return x * y

    for _ in range(3):
        assert alike(jvp(f, (X, 2.0), (None, 1.0))[1], X)
        assert alike(jvp(f, (X, 2.0), (None, None))[1], np.zeros(3))
        assert alike(jvp(f, (X, 2.0), (np.array([1, 0, 1]), None))[1], np.array([2.0, 0.0, 2.0]))
        assert alike(jvp(f, (X, 2.0), (X.astype("f"), np.float32(1)))[1], 3.0 * X)
        assert alike(jvp(f, (2.0, 3.0), (1, True))[1], 5.0)
        with pytest.raises(ArgumentError, match="tangent of argument 1 of f has shape"):
            jvp(f, (X, 2.0), (X, X))
    assert engine_for(f, "jvp").cache.hits >= 12


def test_a_tangent_may_be_the_point_and_is_not_written_to():
    def f(x):
        x *= x
        return x

    for _ in range(3):
        x = X.copy()
        value, tangent = jvp(f, (x,), (x,))
        assert alike(x, X) and alike(value, X * X) and alike(tangent, 2.0 * X * X)
        assert tangent is not x and tangent.flags.owndata


def test_zero_tangents_stay_zero_where_a_derivative_is_infinite():
    f = lambda x: np.sqrt(x)
    for _ in range(3):
        assert jvp(f, (np.array([0.0, 4.0]),), (np.array([0.0, 1.0]),))[1].tolist() == [0.0, 0.25]


def test_what_vjp_has_learnt_serves_jvp():
    calls = []

    def f(x):
        calls.append(1)
        return x * x

    vjp(f, X)
    assert alike(jvp(f, (X,), (X,))[1], 2.0 * X * X) and len(calls) == 2
    assert engine_for(f, "jvp").cache.hits == 1
