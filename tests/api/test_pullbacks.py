"""`vjp`: pullbacks, and what they can be asked."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hybridad import ArgumentError, UnsupportedError, grad, jvp, value_and_grad, vjp
from hybridad.engine import engine_for
from hybridad.testing import check_grads
from tests.api.comparing import X, alike, differences


def mutating(x, y):
    """Writes to what its derivative needs, in and out of views."""
    z = x * y
    z[1:] *= z[:-1]
    w = z.T
    w[0] = np.sin(w[1] * z[2])
    np.add.at(z, [0, 0, 2], x)
    z /= y
    return z * x, np.sum(z[::-1] * z)


def test_pullback_may_be_called_often():
    x, y = X.copy(), np.array([1.5, 0.5, -2.0])
    value, pullback = vjp(mutating, x, y)
    plain = mutating(X.copy(), y.copy())
    assert alike(value[0], plain[0]) and alike(value[1], plain[1])
    cotangents = [(np.array([1.0, 0.0, 0.0]), 0.0), (np.zeros(3), 1.0), (y.copy(), 0.5),
                  (None, 2.0)]
    first = [pullback(c) for c in cotangents]

    def weighted(x, y, u, c):
        array, number = mutating(x, y)
        return np.sum(array * (0.0 if u is None else u)) + number * c

    for (u, c), (g, h) in zip(cotangents, first):
        of_x, of_y = (lambda x: weighted(x, y, u, c)), (lambda y: weighted(x, y, u, c))  # noqa: B023
        assert np.allclose(g, differences(of_x, x), rtol=1e-6, atol=1e-8)
        assert np.allclose(h, differences(of_y, y), rtol=1e-6, atol=1e-8)
    # Whatever the caller does meanwhile.
    x[:] = y[:] = value[0][:] = np.nan
    for g, h in first:
        g[:], h[:] = g.copy(), h.copy()
    for c in cotangents:
        if c[0] is not None:
            c[0].flags.writeable = False
    for _ in range(3):
        for c, expected in reversed(list(zip(cotangents, first))):
            assert all(map(alike, pullback(c), expected))


def test_pullback_does_not_see_what_becomes_of_other_inputs():
    weights = np.array([1.0, 2.0, 3.0])
    large = np.ones(5000)
    holder, scale = [weights], np.array(2.0)

    def f(x, large):
        y = x * weights * holder[0] * scale + np.sum(large * x[0])
        weights[0] = 7.0  # also f itself may overwrite it later
        return y * weights

    _, pullback = vjp(f, X, large, argnums=0)
    expected = pullback(np.ones(3))
    weights[:] = large[:] = np.nan
    scale[...] = holder[0] = np.nan
    assert alike(pullback(np.ones(3)), expected)
    w0, w1 = np.array([1.0, 2.0, 3.0]), np.array([7.0, 2.0, 3.0])
    jacobian = np.diag(w0 * w0 * 2.0 * w1) + 5000.0 * np.outer(w1, [1.0, 0.0, 0.0])
    assert np.allclose(expected, jacobian.sum(axis=0))


def test_results_share_no_memory():
    def f(x, y, z):
        return x + y, x, y[::-1], np.concatenate([x, y]), x, np.broadcast_to(z, (3,)), x.T, y + 0.0

    x, y, z = X.copy(), X.copy(), np.array(2.0)
    value, pullback = vjp(f, x, y, z)
    cotangents = tuple(np.ones_like(v) for v in value)
    value2, tangents = jvp(f, (x, y, z), (x, y, z))
    total = lambda x, y: np.sum(x + y)
    arrays = [x, y, z, *value, *cotangents, *pullback(cotangents), *pullback(cotangents), *value2,
              *tangents, grad(total)(x, y), *grad(total, (0, 1))(x, y)]
    for a, b in itertools.combinations(arrays, 2):
        assert a is not b and not np.may_share_memory(a, b)
    assert all(a.flags.owndata and a.flags.writeable for a in arrays)


def test_results_of_nested_runs_share_no_memory():
    def f(x):
        g, h = vjp(lambda x, y: (x + y) * 1.0, x, x)[1](x)
        g[0] = 5.0  # must not be seen in h
        t, u = jvp(lambda x: (x, x), (x,), (x,))[1]
        t[1] = 7.0
        value, _ = vjp(lambda y: y, x)
        value[2] = 9.0
        return np.sum(g * h * t * u * value * x)

    def plain(x):
        g, h, t, u, value = x.copy(), x, x.copy(), x, x.copy()
        g[0], t[1], value[2] = 5.0, 7.0, 9.0
        return np.sum(g * h * t * u * value * x)

    value, g = value_and_grad(f)(X)
    assert alike(value, plain(X)) and np.allclose(g, differences(plain, X))


def test_pullback_from_many_threads():
    x, y = X.copy(), np.array([1.5, 0.5, -2.0])
    _, pullback = vjp(mutating, x, y)
    cotangents = [(np.full(3, float(k)), float(k % 3)) for k in range(64)]
    expected = [pullback(c) for c in cotangents]
    gate = threading.Barrier(8)

    def work(first):
        gate.wait()
        return [pullback(c) for c in cotangents[first::8] for _ in range(5)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(8)))
    for first in range(8):
        for k, g in enumerate(found[first]):
            assert all(map(alike, g, expected[first::8][k // 5]))


def test_pullback_inside_another_run():
    """It is a linear function of its cotangent, and can be differentiated as such."""
    y = np.array([1.5, 0.5, -2.0])
    _, pullback = vjp(lambda x: x * x * y, X)
    jacobian = np.diag(2.0 * X * y)

    def f(c):
        return np.sum(pullback(c * c)[0] ** 2)

    value, g = value_and_grad(f)(y)
    assert np.isclose(value, np.sum((jacobian @ y**2) ** 2))
    assert np.allclose(g, 4.0 * y * (jacobian.T @ (jacobian @ y**2)))
    check_grads(f, (y,), order=2)
    # A cotangent that is not active gives plain numbers.
    seen = []
    grad(lambda x: [seen.append(pullback(y)[0]), np.sum(x)][1])(X)
    assert type(seen[0]) is np.ndarray and np.allclose(seen[0], jacobian @ y)


@pytest.mark.parametrize("cotangent, what, remedy", [
    (np.ones(2), "The cotangent of <lambda> has shape (2,) where (3,) was expected.", "the shape"),
    (1.0, "The cotangent of <lambda> has shape () where (3,) was expected.", "the shape"),
    (np.ones((1, 3)), "has shape (1, 3) where (3,) was expected.", "the shape of what it belongs"),
    ([1.0, 2.0, 3.0], "The cotangent of <lambda> holds list where a number or an array of numbers "
     "was expected.", "Write np.array([...]) in place of a list."),
    ((X,), "holds tuple where a number or an array", "np.array"),
    ("abc", "holds str where a number or an array", "np.array"),
    (np.array([None] * 3), "holds ndarray of type object where a number", "np.array"),
    (np.ma.ones(3), "holds MaskedArray where a number", "np.array"),
    ({"a": X}, "holds dict where a number", "np.array"),
])
def test_cotangents_that_do_not_fit(cotangent, what, remedy):
    _, pullback = vjp(lambda x: x * 2.0, X)
    with pytest.raises(ArgumentError) as caught:
        pullback(cotangent)
    first, where, last = str(caught.value).split("\n")
    assert what in first and remedy in last
    assert where == f"  at {__file__}:{where.split(':')[1].split()[0]}  pullback(cotangent)"
    assert alike(pullback(X)[0], 2.0 * X), "the pullback is as good as before"


def test_structures_that_do_not_fit():
    _, pullback = vjp(lambda x: {"a": x, "b": [x]}, X)
    for wrong in (X, [X, X], {"a": X}, {"a": X, "b": [X, X]}, {"a": X, "c": [X]}):
        with pytest.raises(ArgumentError, match="cotangent of <lambda> has not the structure"):
            pullback(wrong)
    with pytest.raises(ArgumentError, match=r"b.*None for a zero part\.$"):
        pullback({"a": X})
    for wrong in (X, [X], {"b": X}):
        with pytest.raises(ArgumentError, match="tangent of argument 0 of <lambda> has not the"):
            jvp(lambda p: p["a"], ({"a": X},), (wrong,))


def test_cotangents_of_other_types():
    _, pullback = vjp(lambda x: x * 2.0, X)
    for c in (np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0], "f"), np.array([1, 2, 3], ">i2"),
              np.array([1 + 1j, 2 - 5j, 3])):  # of a real result the real part counts
        assert alike(pullback(c)[0], np.array([2.0, 4.0, 6.0]))
    assert alike(pullback(np.array([True, False, True]))[0], np.array([2.0, 0.0, 2.0]))
    _, pullback = vjp(lambda x: x * 2.0, 1.0)
    for c in (1, 1.0, True, np.float32(1), np.int8(1), np.array(1.0), np.array(1)):
        assert alike(pullback(c)[0], 2.0)


# By specialized code ----------------------------------------------------------------------------


def repeated(f, *args, calls=3, **options):
    """The last of several calls of `vjp`, which code has answered."""
    for _ in range(calls):
        found = vjp(f, *args, **options)
    info = engine_for(f, "vjp", options.get("has_aux", False)).cache.info()
    assert info.hits == calls - 1 and info.recordings == 1, info
    return found


def test_code_answers_after_the_first_call():
    def f(x, y):
        return mutating(x, y)

    x, y = X.copy(), np.array([1.5, 0.5, -2.0])
    _, expected = vjp(f, x, y, engine="tape")
    value, pullback = repeated(f, x, y)
    assert all(map(alike, value, mutating(X.copy(), y.copy())))
    cotangents = [(np.array([1.0, 0.0, 0.0]), 0.0), (None, 1.0), (y.copy(), None), None]
    wanted = [expected(c) for c in cotangents]
    x[:] = y[:] = value[0][:] = np.nan
    for _ in range(2):
        for c, (g, h) in zip(cotangents, wanted):
            found = pullback(c)
            np.testing.assert_allclose(found[0], g, rtol=1e-12)
            np.testing.assert_allclose(found[1], h, rtol=1e-12)
            found[0][:] = np.inf       # it is the caller's


def test_results_of_code_share_no_memory():
    captured = X + 1.0

    def f(x, y, z):
        return (x + y, x, y[::-1], np.concatenate([x, y]), x, np.broadcast_to(z, (3,)), x.T,
                captured)

    x, y, z = X.copy(), X.copy(), np.array(2.0)
    value, pullback = repeated(f, x, y, z)
    assert value[-1] is captured, "what it does not differentiate is handed on"
    cotangents = tuple(np.ones_like(v) for v in value)
    arrays = [x, y, z, *value, *cotangents, *pullback(cotangents), *pullback(cotangents)]
    for a, b in itertools.combinations(arrays, 2):
        assert a is not b and not np.may_share_memory(a, b)
    assert all(a.flags.owndata and a.flags.writeable for a in arrays)


def test_leaves_of_values_in_any_order():
    """Dicts are taken apart by sorted keys, constants and unused parts have no cotangent."""
    def f(x):
        return {"z": x * 2.0, "a": [3.0, x[0] * x[1]], "m": (None, np.sum(x))}

    _, pullback = repeated(f, X)
    (g,) = pullback({"a": [7.0, 1.0], "m": (None, 10.0), "z": np.array([100.0, 0.0, 0.0])})
    np.testing.assert_allclose(g, [200.0 + X[1] + 10.0, X[0] + 10.0, 10.0])
    (g,) = pullback({"a": None, "m": None, "z": None})
    assert alike(g, np.zeros(3))


def test_paths_of_other_structure():
    def f(x):
        if x > 0.0:
            return {"positive": x * x}
        return [x * 3.0, x * 2.0]

    for x in (2.0, -2.0, 2.0, -2.0):
        value, pullback = vjp(f, x)
        if x > 0.0:
            assert value == {"positive": 4.0} and pullback({"positive": 1.0}) == (4.0,)
        else:
            assert value == [-6.0, -4.0] and pullback([1.0, 10.0]) == (23.0,)
    info = engine_for(f, "vjp").cache.info()
    assert info.hits == 2 and info.exits == 1 and info.recordings == 2


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D", ">f8"])
def test_types_of_cotangents(dtype):
    def f(x):
        return x * x, np.sum(x)

    x = np.arange(1.0, 4.0).astype(dtype)
    _, pullback = repeated(f, x)
    for u, c in ((np.ones(3), 1), (np.ones(3, "i4"), True), (np.ones(3) + 0j, 1.0 + 0j),
                 (np.ones(3, "f"), np.array(1.0))):
        (g,) = pullback((u, c))
        assert g.dtype == x.dtype and np.allclose(g, 2.0 * x + 1.0) and g.flags.owndata


def test_zero_cotangents_stay_zero_where_a_derivative_is_infinite():
    def f(x):
        return np.sqrt(x), np.sum(x)

    _, pullback = repeated(f, np.array([0.0, 4.0]))
    assert pullback((np.array([0.0, 1.0]), 1.0))[0].tolist() == [1.0, 1.25]


def test_code_reads_what_is_there_now():
    box = {"scale": 2.0}

    def f(x):
        return x * box["scale"]

    assert repeated(f, X)[1](np.ones(3))[0].tolist() == [2.0] * 3
    _, pullback = vjp(f, X)
    box["scale"] = 5.0
    assert pullback(np.ones(3))[0].tolist() == [2.0] * 3
    assert vjp(f, X)[1](np.ones(3))[0].tolist() == [5.0] * 3


def test_pullbacks_of_code_from_many_threads():
    y = np.array([1.5, 0.5, -2.0])
    _, pullback = repeated(mutating_again, X.copy(), y)
    cotangents = [(np.full(3, float(k)), float(k % 3)) for k in range(32)]
    expected = [pullback(c) for c in cotangents]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(pullback, cotangents * 4))
    for g, wanted in zip(found, expected * 4):
        assert all(map(alike, g, wanted))


def mutating_again(x, y):
    return mutating(x, y)


def test_pullbacks_of_code_inside_another_run():
    """Also where a cotangent is zero its derivative is not."""
    y = np.array([1.5, 0.5, -2.0])
    _, pullback = repeated(lambda x: (x * x * y, np.sum(x)), X)
    jacobian = np.diag(2.0 * X * y)
    c = np.array([0.0, 2.0, 1.0])

    def f(c):
        return np.sum(pullback((c * 3.0, c[0]))[0] ** 2)

    def plain(c):
        return np.sum((jacobian @ (c * 3.0) + c[0]) ** 2)

    value, g = value_and_grad(f)(c)
    assert np.isclose(value, plain(c)) and np.allclose(g, differences(plain, c))
    check_grads(f, (c,), order=2)
    seen = []
    grad(lambda x: [seen.append(pullback((y, None))[0]), np.sum(x)][1])(X)
    assert type(seen[0]) is np.ndarray and np.allclose(seen[0], jacobian @ y)


def test_complex_pullbacks_of_code_inside_another_run():
    _, pullback = repeated(lambda z: z * z * (1.0 + 2.0j), 1.5 - 0.5j)
    slope = 2.0 * (1.5 - 0.5j) * (1.0 + 2.0j)

    def f(c):
        return np.abs(pullback(c * 1j)[0]) ** 2

    assert np.isclose(f(0.5 + 1j), abs(slope * (0.5 + 1j)) ** 2)
    assert np.isclose(grad(f)(0.5 + 1j), 2.0 * abs(slope) ** 2 * np.conj(0.5 + 1j))


def test_the_engine_sct_says_what_it_cannot():
    def f(x):
        return np.apply_over_axes(lambda v, a: v * v, x, 0)

    with pytest.raises(UnsupportedError, match=r"^f cannot be specialized: .*\n.*\nLeave engine="):
        vjp(f, X, engine="sct")
    with pytest.raises(UnsupportedError, match=r"^multiply cannot be specialized: "):
        vjp(np.multiply, X, X, engine="sct")
