"""`stop_gradient`: the value goes through, the derivative does not."""

import copy
import pickle
from collections import OrderedDict, namedtuple
from dataclasses import dataclass

import numpy as np
import pytest
from hybridad._record import is_wrapper

import hybridad
from hybridad import grad, jvp, stop_gradient, value_and_grad, vjp

Pair = namedtuple("Pair", "a b")
X = np.array([1.0, -2.0, 3.0])


@dataclass
class Box:
    a: object
    b: object


def test_reverse():
    value, g = value_and_grad(lambda x: np.sum(x * stop_gradient(x)))(X)
    assert value == 14.0
    np.testing.assert_array_equal(g, X)
    np.testing.assert_array_equal(grad(lambda x: np.sum(stop_gradient(x) ** 2))(X), np.zeros(3))


def test_forward():
    value, tangent = jvp(lambda x: x * stop_gradient(x), (X,), (np.ones(3),))
    np.testing.assert_array_equal(value, X * X)
    np.testing.assert_array_equal(tangent, X)


@pytest.mark.parametrize("x", [2.0, np.float32(2.0), np.float64(2.0)])
def test_numbers(x):
    value, g = value_and_grad(lambda x: x * stop_gradient(x))(x)
    assert value == 4.0 and type(value) is type(x)
    assert g == 2.0 and type(g) is type(x)


def test_complex():
    z = np.array([1.0 + 2.0j, -1.0j])
    f = lambda z: np.sum((z * np.conj(stop_gradient(z))).real)
    value, g = value_and_grad(f)(z)
    assert value == 6.0
    np.testing.assert_array_equal(g, np.conj(z))


def test_a_difference_of_values_alone_has_a_value_and_no_derivative():
    value, g = value_and_grad(lambda x: np.sum(np.sin(x) - stop_gradient(np.sin(x))))(X)
    assert value == 0.0
    np.testing.assert_array_equal(g, np.cos(X))


@pytest.mark.parametrize("pack", [
    lambda a, b: [a, b],
    lambda a, b: (a, (b,)),
    lambda a, b: {"a": a, "b": [b, None]},
    lambda a, b: OrderedDict(b=b, a=a),
    Pair,
    Box,
    lambda a, b: [a, b, 3, "text", True, None],
])
def test_containers_keep_their_structure(pack):
    seen = []

    def f(x, y):
        packed = pack(x, y)
        stopped = stop_gradient(packed)
        assert type(stopped) is type(packed)
        seen.append(stopped)
        parts = hybridad.tree.flatten(stopped)[0]
        return np.sum(x * parts[0]) + y

    expected = pack(X, 2.0)
    value, (g_x, g_y) = value_and_grad(f, argnums=(0, 1))(X, 2.0)
    assert np.array_equal(g_x, X) or np.array_equal(g_x, np.full(3, 2.0))
    assert g_y == 1.0 and np.isfinite(value)
    leaves, treedef = hybridad.tree.flatten(expected)
    found, structure = hybridad.tree.flatten(seen[0])
    assert structure == treedef
    for one, other in zip(found, leaves, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_write_into_the_result_is_none_into_the_argument():
    def f(x):
        y = x * 1.0
        stopped = stop_gradient(y)
        stopped[0] = 10.0
        return np.sum(y * stopped)

    value, g = value_and_grad(f)(X)
    assert value == f(X) == 10.0 + 4.0 + 9.0
    np.testing.assert_array_equal(g, [10.0, -2.0, 3.0])


def test_a_view_that_is_stopped_is_no_view_any_more():
    def f(x):
        y = x * 1.0
        first = stop_gradient(y[:2])
        y[0] = 0.0
        return np.sum(first) + np.sum(y)

    value, g = value_and_grad(f)(X)
    assert value == f(X) == -1.0 + 1.0
    np.testing.assert_array_equal(g, [0.0, 1.0, 1.0])


def test_active_values_may_be_written_into_the_result():
    def f(x):
        out = stop_gradient(x)
        out[1] = x[1] ** 2
        return np.sum(out)

    value, g = value_and_grad(f)(X)
    assert value == f(X) == 1.0 + 4.0 + 3.0
    np.testing.assert_array_equal(g, [0.0, -4.0, 0.0])


def test_all_levels_are_stopped():
    inner = lambda y: grad(lambda x: x * stop_gradient(x * y) * y)(y)  # y^3
    value, g = value_and_grad(inner)(2.0)
    assert value == 8.0
    assert g == 4.0  # of stop(y * y) * y by y


def test_second_order():
    f = lambda x: x**2 * stop_gradient(x)
    assert grad(f)(3.0) == 18.0
    assert grad(grad(f))(3.0) == 6.0
    _, pullback = vjp(f, 3.0)
    assert pullback(1.0) == (18.0,)


def test_outside_of_differentiated_code_it_copies():
    x = [np.asfortranarray(np.arange(6.0).reshape(2, 3)), 1.5, "text", np.arange(3)]
    kept = copy.deepcopy(x)
    stopped = stop_gradient(x)
    assert stopped[0].flags.f_contiguous and type(stopped[1]) is float and stopped[2] == "text"
    stopped[0][:] = 0.0
    stopped[3][:] = 0
    for one, other in zip(x, kept, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not any(map(is_wrapper, stopped))


def test_a_value_that_outlived_its_run_becomes_plain():
    kept = []
    grad(lambda x: np.sum(kept.append(x * 2.0) or x))(X)
    stopped = stop_gradient(kept[0])
    assert type(stopped) is np.ndarray
    np.testing.assert_array_equal(stopped, 2.0 * X)


def test_a_result_may_be_stopped_altogether():
    value, g = value_and_grad(lambda x: stop_gradient(np.sum(x)))(X)
    assert value == 2.0 and not is_wrapper(value)
    np.testing.assert_array_equal(g, np.zeros(3))


@pytest.mark.parametrize("use", [
    lambda x: float(stop_gradient(x[0])) * x[1],
    lambda x: {stop_gradient(x[0]): x[1]}[1.0],
    lambda x: x[int(stop_gradient(x[0]))],
    lambda x: x[1] * pickle.loads(pickle.dumps(stop_gradient(x[0]))),
])
def test_it_is_the_way_to_say_what_is_refused_otherwise(use):
    np.testing.assert_array_equal(grad(use)(X), [0.0, 1.0, 0.0])


def test_a_store_into_a_plain_array():
    def f(x):
        kept = np.zeros(2)
        kept[0] = stop_gradient(x[1])
        return np.sum(kept) * x[0]

    np.testing.assert_array_equal(grad(f)(X), [-2.0, 0.0, 0.0])


K = np.array([5.0, 6.0])


def test_an_array_from_outside_is_copied_too():
    def f(x):
        out = stop_gradient({"k": K, "n": np.arange(2)})
        out["k"][0] = x[0] * out["n"][1]
        return np.sum(out["k"]) * x[1]

    value, g = value_and_grad(f)(X)
    assert value == (1.0 + 6.0) * -2.0
    np.testing.assert_array_equal(g, [-2.0, 7.0, 0.0])
    np.testing.assert_array_equal(K, [5.0, 6.0])
