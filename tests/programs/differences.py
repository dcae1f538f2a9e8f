"""The gradient of a program by finite differences, each taken on a scene of its own."""

import copy

import numpy as np

from hybridad.tree import flatten, is_floating, unflatten
from tests.programs.observation import replay

__all__ = ["assert_close", "differences", "expected_gradient"]


def expected_gradient(program, k):
    """The gradient of call `k` by each of `program.argnums`, as the program or differences say."""
    declared = replay(program, k, last=lambda scene, args: scene.gradient and (
        scene.gradient(*args),))
    if declared is None:
        return differences(program, k)
    return declared if len(program.argnums) == 1 else declared[0]


def differences(program, k, step=2.0**-12):
    """The gradient of call `k` by central differences of fourth order.

    An element at which estimates of different kinds differ, so that a kink or a jump is near, is
    an error of the program.
    """
    args = program.calls[k]
    return tuple(_differences_by(program, k, n, step, args) for n in program.argnums)


def _differences_by(program, k, n, step, args):
    leaves, structure = flatten(args[n])
    found = []
    for j, leaf in enumerate(leaves):
        if not is_floating(leaf):
            found.append(leaf)
            continue
        slopes = np.zeros(np.shape(leaf), np.result_type(leaf, np.float64))
        for i in np.ndindex(*slopes.shape):
            def at(d, j=j, i=i):
                moved = list(copy.deepcopy(args))
                parts = list(copy.deepcopy(leaves))
                parts[j] = _moved(parts[j], i, d)
                moved[n] = unflatten(structure, parts)
                return float(np.real(replay(program, k, tuple(moved))))

            wide = 2.0**5 * step if np.finfo(np.result_type(leaf)).bits == 32 else step
            where = f"{program.name}, call {k}, argument {n}, leaf {j}, element {i}"
            slopes[i] = _slope(at, wide, where)
            if slopes.dtype.kind == "c":
                slopes[i] -= 1j * _slope(lambda d, at=at: at(1j * d), wide, where)
        found.append(slopes[()])
    return unflatten(structure, found)


def _moved(x, i, d):
    if isinstance(x, np.ndarray):
        x[i] += d
        return x
    return type(x)(x + d)


def _slope(at, h, where):
    values = {d: at(d * h) for d in (-2, -1, 0, 1, 2)}
    near, far = (values[1] - values[-1]) / (2 * h), (values[2] - values[-2]) / (4 * h)
    ahead, behind = (values[1] - values[0]) / h, (values[0] - values[-1]) / h
    size = 1.0 + abs(near)
    assert np.isfinite(near) and abs(near - far) < 1e-3 * size, f"{where}: steps disagree"
    assert abs(ahead - behind) < 200 * h * size, f"{where}: stands at a kink"
    return (4.0 * near - far) / 3.0


def assert_close(got, expected, dtype, where):
    """Two gradients by one argument agree in structure, shapes and numbers."""
    (got, s), (expected, t) = flatten(got), flatten(expected)
    assert s == t, f"{where}: {s} instead of {t}"
    tolerance = 2e-3 if dtype == np.float32 else 2e-6
    for g, e in zip(got, expected):
        if not is_floating(e):
            continue
        assert np.shape(g) == np.shape(e), f"{where}: {g!r}, expected {e!r}"
        scale = 1.0 + np.max(np.abs(e), initial=0.0)
        assert np.allclose(g, e, rtol=tolerance, atol=tolerance * scale, equal_nan=True), (
            f"{where}: gradient {g!r}, expected {e!r}")
