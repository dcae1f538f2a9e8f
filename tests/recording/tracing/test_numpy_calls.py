"""NumPy's functions and methods."""

import numpy as np
import pytest

from hybridad import UnsupportedError, cache_info, grad, value_and_grad
from tests.recording.tracing.follow import X, decisions, follow, kinds, targets

M = np.array([[2.0, 0.5], [0.25, 3.0]])


@pytest.mark.parametrize("f", [
    lambda x: x.sum() + x.mean(axis=0) * x.max(),
    lambda x: np.dot(x, x) + np.linalg.norm(x),
    lambda x: np.sum(np.concatenate([x, x[::-1]]).reshape(2, 3).T[:, 0]),
    lambda x: np.sum(np.where(x > 0, x, x ** 2)),
    lambda x: np.add.reduce(x * x) + np.cumsum(x)[-1],
    lambda x: sum(np.sum(part ** 2) for part in np.split(x, 3)),
    lambda x: float(np.sum(x)) * x.size + x.shape[0] * x.ndim,
    lambda x: np.einsum("i,i->", x, x),
    lambda x: sum(x.tolist()) * x[0].item(),
])
def test_functions_and_methods(f):
    follow(f, X)


def test_linear_algebra():
    follow(lambda x: np.sum(np.linalg.solve(x, np.ones(2))) + np.linalg.det(x), M)


@pytest.mark.parametrize("f", [
    lambda x, o: np.multiply(x, 2.0, out=o),
    lambda x, o: np.multiply(x, 2.0, o),
    lambda x, o: np.copyto(o, x * 2.0),
    lambda x, o: o.fill(x[0]),
    lambda x, o: np.add.at(o, [0, 0, 1], x),
    lambda x, o: o.sort(),
    lambda x, o: o.__setitem__(0, x[1]) if False else np.put(o, [0, 1], x[:2]),
])
def test_what_writes(f):
    def g(x):
        o = x * 3.0
        f(x, o)
        return np.sum(o ** 2)

    events, _ = kinds(g, X.copy())
    assert len(targets(events, "write")) >= 1
    follow(g, X)


def test_shapes_that_depend_on_data_are_decided():
    events, _ = kinds(lambda x: np.sum(x[x > 0]) + np.sum(x[np.nonzero(x)]), X.copy())
    assert ("shape", (2,)) in decisions(events)


def test_what_only_shapes_tell_is_static():
    events, _ = kinds(lambda x: np.sum(x) * np.size(x) * np.ndim(x) * len(np.shape(x)), X.copy())
    assert targets(events, "apply") == ["sum", "mul", "mul", "mul"]


@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.apply_over_axes(lambda v, a: v * 2.0, x, 0)),
    lambda x: np.sum(x.view()) + x.tobytes()[0],
])
def test_what_is_not_followed_stays_on_the_tape(f):
    g = value_and_grad(f, engine="sct")
    with pytest.raises(UnsupportedError):
        for _ in range(3):
            g(X)


@pytest.mark.parametrize("f", [
    lambda x: np.dot(x, [1.0, 2.0, 3.0]) + np.dot(x, range(3)),
    lambda x: np.sum(np.polyval([1.0, 2.0], x)) * np.inner((1, 2, 3), x),
    lambda x: np.sum(np.cross([1, 2, 3], x)) + np.tensordot([1, 2, 3], x, 1),
    lambda x: np.average(x, weights=[1, 2, 3]) + np.vdot([1, 2, 3], x),
])
def test_lists_as_operands(f):
    follow(f, X)


AXIS = 0
TABLE = np.arange(6.0).reshape(2, 3) + 1.0


@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.sum(x * x, axis=AXIS) ** 2), lambda x: np.sum((x * x).mean(AXIS) ** 2),
    lambda x: np.sum(np.linalg.norm(x, axis=AXIS)), lambda x: np.moveaxis(x, AXIS, -1)[0].sum(),
    lambda x: np.diagonal(x, AXIS).sum(), lambda x: np.sum(np.diff(x, AXIS + 1) ** 2),
    lambda x: np.sum(np.concatenate([x, x], axis=AXIS)[0] ** 2), lambda x: np.var(x, ddof=AXIS),
])
def test_an_axis_that_varies_is_decided(f):
    global AXIS
    g = value_and_grad(f, verify=False)
    for AXIS in (0, 0, 1, 1, 0, 1, 0, 1):  # noqa: B007
        value, gradient = g(TABLE)
        assert value == f(TABLE)
        np.testing.assert_allclose(gradient, grad(f, engine="tape")(TABLE))
    AXIS = 0
    assert cache_info(g).hits == 5 and cache_info(g).fallbacks == 0
