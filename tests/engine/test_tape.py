"""The tape's answers: their parts, what they leave behind, and what they bear."""

import functools
import gc
import resource
import sys
import threading

import numpy as np
import pytest

import hybridad
from hybridad.engine import tape

X = np.array([0.5, -1.25, 2.0])

value_and_grad, grad, vjp, jvp = (functools.partial(f, engine="tape") for f in (
    hybridad.value_and_grad, hybridad.grad, hybridad.vjp, hybridad.jvp))


def loss(x):
    y = np.tanh(x)
    y[1:] *= y[:-1]
    return np.sum(y * x)


def test_the_parts():
    recording = tape.run(loss, (X,), {}, [0])
    for _ in range(2):
        (g,) = tape.pull_back(recording, [1.0])
        assert g.tolist() == grad(loss)(X).tolist()
        assert len(recording.tape) == recording.end
    (g,) = tape.value_and_cotangents(recording, np.float64(1.0))
    assert g.tolist() == grad(loss)(X).tolist() and len(recording.tape) == 0
    recording = tape.run(loss, (X,), {}, [0])
    (t,) = tape.push_forward(recording, [[X]])
    assert t == jvp(loss, (X,), (X,))[1] and len(recording.tape) == 0


# What it bears ----------------------------------------------------------------------------------


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


def many_kinds(x):
    """Reads, writes, views, broadcasting, several results, another run, an exception."""
    y = np.zeros_like(x)
    for k in range(len(x)):
        y[k] = x[k] * x[k - 1]
    y[1:] += y[:-1]
    z = np.broadcast_to(y, (2, len(x))) * np.stack([x, y])
    s = np.linalg.svd(z, compute_uv=False)
    try:
        grad(lambda u: np.broadcast_to(u * y, (2, 4)) + int(u[0]))(x)
    except TypeError:
        pass
    g = grad(lambda u: np.sum(np.sin(u) * y))(x)
    return np.sum(s) + np.sum(g * z[0, ::-1]) + np.sum(z[z > 0.1]) + np.sum(z[:, [0, -1]])


CALLS = {
    "small": lambda x: value_and_grad(lambda x: np.sum(x * x), engine="tape")(x),
    "many kinds": lambda x: value_and_grad(many_kinds, engine="tape")(x),
    "pullback": lambda x: vjp(lambda x: np.broadcast_to(x * x, (2, 4)), x,
                              engine="tape")[1](np.ones((2, 4))),
    "pullback not called": lambda x: vjp(many_kinds, x, engine="tape"),
    "jvp": lambda x: jvp(many_kinds, (x,), (x,), engine="tape"),
    "hessian": lambda x: jvp(grad(many_kinds, engine="tape"), (x,), (x,), engine="tape"),
    "leaking": lambda x: [value_and_grad(lambda x: [LEAKED.append(x * x), np.sum(x)][1],
                                         engine="tape")(x), LEAKED.clear()],
    "failing": lambda x: fails(value_and_grad(failing), x),
    "refused": lambda x: fails(value_and_grad(lambda x: x), x),
    "specialized": lambda x: small(x),
    "learning": lambda x: [learning(x, n) for n in (1, 2)],
    "learnt anew": lambda x: [value_and_grad(lambda x: np.sum(x * x))(x) for _ in range(2)],
}
LEAKED = []


small = value_and_grad(lambda x: np.sum(x * x), verify=False)


@value_and_grad(verify=False)
def specialized(x, n):
    for _ in range(n):
        x = np.sin(x) * n
    return np.sum(x)


def learning(x, n):
    """Two signatures of which each has the other one forgotten."""
    hybridad.cache_clear(specialized)
    return specialized(x, n)


def fails(call, x):
    with pytest.raises((ZeroDivisionError, TypeError)):
        call(x)


def failing(x):
    y = np.broadcast_to(x * x, (2, 4)) * x
    y[0, 0] = 1 / 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("name, count", [
    *[(name, 500) for name in CALLS], ("small", 100_000), ("specialized", 100_000),
    *[pytest.param(name, 2_000 if "learn" in name else 20_000, marks=pytest.mark.slow)
      for name in CALLS]])
def test_memory_does_not_grow(name, count):
    """Resident memory grows less than 1 MB over the second half of the calls."""
    x = np.array([0.5, -1.25, 2.0, 0.75])
    allowed = 1_000_000 if count > 500 else 100_000  # 400 bytes a call
    grown = []
    for _ in range(2):
        before = resident()
        for _ in range(count // 2):
            CALLS[name](x)
        gc.collect()
        grown.append(resident() - before)
    assert grown[1] < allowed


def test_a_million_operations():
    """Neither the sweep nor the freeing of the tape recurses."""
    def f(x):
        y = x
        for _ in range(500_000):
            y = y * 1.000001
            y = y + 0.0
        return y

    limit, stack = sys.getrecursionlimit(), threading.stack_size()
    result = []
    threading.stack_size(256 * 1024)
    try:
        differentiated = value_and_grad(f, engine="tape")
        thread = threading.Thread(target=lambda: result.append(differentiated(1.0)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(stack)
    assert sys.getrecursionlimit() == limit
    ((value, g),) = result
    assert np.isclose(g, 1.000001**500_000, rtol=1e-9) and np.isclose(value, g, rtol=1e-9)


def test_a_long_chain_of_arrays_is_freed_without_recursion():
    def f(x, n):
        y = x
        for _ in range(n):
            y = np.sin(y)[::-1]
        return np.sum(y)

    result = []
    stack = threading.stack_size(256 * 1024)
    try:
        def work():
            value, pullback = vjp(f, X, 50_000, argnums=0)
            result.append(pullback(1.0))
            del pullback
            kept = []
            grad(lambda x: [kept.append(x := np.cos(x)) for _ in range(50_000)] and kept[-1])(0.5)
            kept.clear()
            result.append(value)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(stack)
    assert len(result) == 2 and np.all(np.isfinite(result[0]))


def test_deep_nesting():
    def nest(f, depth):
        return f if depth == 0 else nest(lambda x: x * grad(f)(x), depth - 1)

    for depth in range(1, 7):  # x d/dx repeated on x³
        assert np.isclose(nest(lambda x: x**3, depth)(1.5), 3.0**depth * 1.5**3, rtol=1e-12)


def test_recursive_functions():
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    assert np.isclose(grad(power)(1.001, 200), 200 * 1.001**199)

    def taylor(x, n):
        return x if n == 0 else x + grad(lambda y: taylor(y, n - 1))(x)

    assert taylor(2.0, 1) == 3.0 and taylor(2.0, 3) == 3.0
