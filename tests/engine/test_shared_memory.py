"""Arrays from outside that show one memory: what is written through one is seen through the others.

That they share it turns out in the run that is written down; it is then run once more.
"""

import numpy as np
import pytest

from hybridad import cache_info, explain, value_and_grad

X = np.array([0.5, -1.25, 2.0])


def row_of_a_buffer():
    buf = np.ones((2, 3))
    row = buf[1]

    def f(x):
        row[:] = x
        return np.sum(buf * buf)
    return f, lambda: (buf, row)


def two_columns():
    table = np.arange(6.0).reshape(3, 2)
    left, right = table[:, 0], table[:, 1]

    def f(x):
        left[...] = right * x
        right[1:] += x[:2]
        return np.sum(table[1] * x[0]) + np.sum(left * right)
    return f, lambda: table


def turned():
    a = np.arange(9.0).reshape(3, 3)
    b = a.T

    def f(x):
        b[0] = x * x
        return np.sum(a * x) + a[2, 0]
    return f, lambda: (a, b)


def the_whole_and_a_part_of_it():
    a = np.ones(3)
    held = {"a": a, "part": a[:2]}

    def f(x):
        a[0] = x[0]
        held["a"][1] = x[1] * 2.0
        return np.sum(a * x) + np.sum(held["part"])
    return f, lambda: held


def written_in_a_loop():
    a = np.zeros(4)
    inner = a[1:]

    def f(x):
        for k in range(3):
            inner[k] = x[k] * a[k] + 1.0
        return np.sum(a * a)
    return f, lambda: a


def backwards():
    a = np.ones(6)
    b = a[::-2]

    def f(x):
        b[:] = x
        return np.sum(a[1::2] * x * x)
    return f, lambda: a


def slopes(f, x):
    steps = np.eye(3) * 1e-6
    return [(f(x + step) - f(x - step)) / 2e-6 for step in steps]


@pytest.mark.parametrize("make", [
    row_of_a_buffer, two_columns, turned, the_whole_and_a_part_of_it, written_in_a_loop, backwards])
def test_views(make):
    (mine, outside), (plain, plain_outside) = make(), make()
    g = value_and_grad(mine)
    for k in range(4):
        x = X + k / 8
        before = make_like(make, plain_outside)
        value, gradient = g(x)
        assert value == plain(x)
        np.testing.assert_equal(outside(), plain_outside())
        np.testing.assert_allclose(gradient, slopes(before, x), rtol=1e-6, atol=1e-6)
    assert cache_info(g).hits == 3, explain(g)


def make_like(make, outside):
    """A function of the program that always begins with what is outside now."""
    state = [np.copy(a) for a in arrays(outside())]

    def f(x):
        g, fresh = make()
        for a, b in zip(arrays(fresh()), state):
            a[...] = b
        return g(x)
    return f


def arrays(x):
    return [x] if isinstance(x, np.ndarray) else list(x.values() if isinstance(x, dict) else x)


def test_where_a_view_lies_is_checked():
    buf = np.zeros((2, 3))
    held = [buf[0]]

    def f(x):
        held[0][:] = x
        return np.sum(buf[0] * x) + np.sum(buf[1])

    g = value_and_grad(f)
    for k in (0, 0, 1, 1, 0):
        held[0] = buf[k]
        buf[...] = 0.0
        value = f(X)
        buf[...] = 0.0
        assert g(X)[0] == value
    assert cache_info(g).hits >= 2


def test_what_no_index_tells_stays_on_the_tape():
    a = np.zeros((3, 3))
    diagonal = a.reshape(-1)[::4]

    def f(x):
        diagonal[:] = x
        return np.sum(a * x)

    g = value_and_grad(f)
    for _ in range(3):
        a[...] = 0.0
        assert g(X)[0] == np.sum(X * X)
    assert "shows memory of another one" in explain(g).reason
