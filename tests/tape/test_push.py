"""Forward mode on a recording: tangents in, tangents out, memory as it was."""

import itertools

import numpy as np
import pytest

from hybridad import grad, jvp, vjp
from hybridad.recording.run import record
from hybridad.tape.push import push
from hybridad.tape.sweep import sweep
from hybridad.testing import check_grads

X = np.array([0.5, -1.25, 2.0])
T = np.array([1.0, -2.0, 0.25])


def rewriting(x, s):
    """Writes of every kind, between reads of what they overwrite."""
    y = x * s
    z = y * y
    y[0] = s
    y[1:] *= z[:-1]
    y[[2, 0]] = y[[0, 1]]
    y[np.array([False, True, True])] = x[0] * z[1]
    np.add.at(y, [1, 1, 0], z)
    view = y[::-1]
    view += x
    np.multiply(y, z, out=y)
    y.sort()
    np.copyto(y, z, where=[True, False, False])
    z.fill(s)
    return y, z * y, view[0], np.sum(y)


def test_push_agrees_with_sweep_and_differences():
    check_grads(rewriting, (X, 0.75), order=2)
    _, tangents = jvp(rewriting, (X, 0.75), (T, 0.5))
    _, pullback = vjp(rewriting, X, 0.75)
    for k, t in enumerate(tangents):
        for index in np.ndindex(np.shape(t)):
            seed = np.zeros(np.shape(t))
            seed[index] = 1.0
            x, s = pullback(tuple(seed[()] if j == k else None for j in range(4)))
            assert np.isclose(np.sum(x * T) + s * 0.5, t[index] if np.shape(t) else t, rtol=1e-12)


def test_several_pushes_and_sweeps_of_one_recording():
    recording = record(rewriting, (X, 0.75), {}, [0, 1])
    results = [r.raw for r in recording.outputs]
    before = [np.copy(r) for r in results]
    tangents = [[T], [0.5]]
    first = push(recording, tangents)
    swept = sweep(recording, [X, None, None, 1.0])
    for _ in range(3):
        assert all(np.array_equal(a, b) for a, b in zip(push(recording, tangents), first))
        again = sweep(recording, [X, None, None, 1.0])
        assert again[0].tolist() == swept[0].tolist() and again[1] == swept[1]
        assert all(np.array_equal(a, b) for a, b in zip(results, before))
    # Linear in the tangents; None is zero.
    x, s = push(recording, [[T], [None]]), push(recording, [[None], [0.5]])
    assert all(np.allclose(a + b, c, rtol=1e-12) for a, b, c in zip(x, s, first))
    zero = push(recording, [[None], [None]])
    assert all(np.all(z == 0.0) and type(z) is type(a) for z, a in zip(zero, first))


def test_tangents_are_of_the_type_of_the_result():
    def f(x, h, z, s):
        return (x, h * 2, z.real, z, s * 2.0, s, x[0], np.sum(h), h.astype("d"), 3.0, X, x > 0,
                np.float32(1), x.astype(">f8") * 1)

    args = X, X.astype("e"), X.astype("F"), 2.0
    value = f(*args)
    recording = record(lambda *args: [y for k, y in enumerate(f(*args)) if k != 11], args, {},
                       [0, 1, 2, 3])
    value = [y for k, y in enumerate(value) if k != 11]
    tangents = push(recording, [[T], [T], [T * (1.0 + 1.0j)], [1.0]])
    for t, y in zip(tangents, value):
        assert type(t) is type(y) and np.shape(t) == np.shape(y)
        assert getattr(t, "dtype", None) == getattr(y, "dtype", None)
    expected = [T, T * 2, T, T * (1 + 1j), 2.0, 1.0, 1.0, -0.75, T, 0.0, 0.0 * X, 0.0, T]
    for t, e in zip(tangents, expected):
        assert np.allclose(t, e, rtol=1e-3)


def test_tangents_own_their_memory():
    def f(x):
        y = x * 2.0
        return x, x, y, y[1:], y.T, y[0], np.broadcast_to(x[:1], (3,)), x.reshape(3, 1)

    tangent = T.copy()
    _, tangents = jvp(f, (X,), (tangent,))
    arrays = [t for t in tangents if isinstance(t, np.ndarray)] + [X, tangent]
    for a, b in itertools.combinations(arrays, 2):
        assert not np.may_share_memory(a, b)
    assert all(a.flags.owndata and a.flags.writeable for a in arrays)
    assert tangent.tolist() == T.tolist()


def test_tangents_are_not_written_to():
    tangent = T.copy()
    tangent.flags.writeable = False

    def f(x):
        x[0] = x[1] * x[2]
        x *= x
        return x

    _, t = jvp(f, (X,), (tangent,))
    assert np.allclose(t, [2 * X[1] * X[2] * (T[1] * X[2] + X[1] * T[2]), 2 * X[1] * T[1],
                           2 * X[2] * T[2]])


def test_tangents_are_those_of_the_call():
    tangent = {"t": T.copy()}

    def f(p):
        tangent["t"][:] = 0.0
        return p["t"] * 2.0

    assert jvp(f, ({"t": X},), (tangent,))[1].tolist() == (2.0 * T).tolist()

    def g(x):  # the same where it is being recorded itself
        t = x * 1.0

        def inner(y):
            t[:] = 0.0
            return np.sum(y * y)

        return jvp(inner, (x,), (t,))[1]  # 2 x²

    assert np.allclose(grad(g)(X), 4.0 * X)


@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.exp(x) * x), lambda x: rewriting(x, 0.75)[3],
    lambda x: np.linalg.norm(np.outer(x, x) + np.eye(3)), lambda x: np.max(x) * np.prod(x)])
def test_forward_over_reverse_and_back(f):
    basis = np.eye(3)
    rows = [jvp(grad(f), (X,), (e,))[1] for e in basis]
    assert np.allclose(rows, [vjp(grad(f), X)[1](e)[0] for e in basis], rtol=1e-10)
    assert np.allclose(rows, [grad(lambda x, e=e: jvp(f, (x,), (e,))[1])(X) for e in basis])
    assert np.allclose(rows, [[jvp(lambda x, e=e: jvp(f, (x,), (e,))[1], (X,), (d,))[1]
                               for d in basis] for e in basis])
    assert np.allclose(rows, np.transpose(rows)) and np.any(np.abs(rows) > 0.1)
