"""Loops whose trip counts differ from call to call: as in plain Python, with few recordings."""

import numpy as np
import pytest

from hybridad import cache_info, source, value_and_grad

MATRIX = np.array([[0.3, -0.2, 0.0], [0.1, 0.4, 0.3], [0.5, 0.1, 0.2]])
X = np.array([0.3, -0.2, 0.5])


def swapped(x, n):
    """Two arrays, one written in place, change places."""
    a, b = x.copy(), np.tanh(x * 0.7)
    for _ in range(n + 1):
        a *= 0.9
        a, b = b, a
    return np.sum(a) + np.mean(np.sin(b))


def swapped_around_a_loop(x, n):
    a, b = x.copy(), np.tanh(x)
    for _ in range(n):
        a[:] = MATRIX @ b
        a, b = b, a
        for _ in range(3):
            b[1:-1] += 0.2 * (b[2:] - b[:-2])
    return np.dot(b, b)


def of_two_types(x, n):
    """On one way out `y` is an int, on the other one a float."""
    y, z = 0, x[0]
    while True:
        if n:
            y, z = z, 0.8
        break
    return (z if n > 2 else y) * x[1] + x[2]


def returning(x, n):
    y = 1.0
    for k in range(0, n, 2):
        y -= x[k]
        return np.tanh(y)
    return x[1]


def late_types(x, n):
    """Python's floats and NumPy's come in turn, in the first iterations."""
    y, z, k = x[0], 0.3, 0
    while k < n:
        k += 1
        z -= 0.2 * np.tanh(x[k % 3])
        z, y = y, z
        y = float(y) * 0.9
    return y + z * x[1]


def filled(x, n):
    out = np.zeros(n + 1)
    for k in range(n):
        out[k + 1] = np.sin(out[k]) + x[k % 3]
    return np.sum(out) * x[0]


def backwards(x, n):
    y = x[0]
    for k in reversed(range(n)):
        y = np.sin(y) + 0.1 * k * x[k % 3]
    for k in reversed(range(1, 2 * n + 1, 2)):
        y += 0.01 * k * y
    return y


def counted(x, n):
    y = x[0]
    for k, i in enumerate(range(n, 0, -1), 2):
        y = 0.9 * np.sin(y) + 0.01 * (k + i)
    for k, e in enumerate(x):
        y += e * k
    for k, (a, b) in enumerate(zip(x, x[::-1])):
        y += a * b * b * k
    for e in reversed(x):
        y = 0.5 * y + e
    return y


def looking_at_a_range(x, n):
    numbers = range(n)
    y = x[0] * len(numbers)
    if numbers:
        y = y + numbers[-1] * x[1]
    return y + numbers.stop * x[2] + (2 in numbers) * x[0]


def looking_at_iterators(x, n):
    pairs = enumerate(range(n + 2))
    _, first = next(pairs)
    y = x[0] + sum([i * j for i, j in pairs]) * x[1] + first
    return y + len(list(zip(range(n)))) * x[2] + max(reversed(range(n + 1))) * x[0]


def slopes(f, n):
    found = np.zeros(3)
    for k in range(3):
        step = np.zeros(3)
        step[k] = 1e-6
        found[k] = (f(X + step, n) - f(X - step, n)) / 2e-6
    return found


@pytest.mark.parametrize("f", [
    swapped, swapped_around_a_loop, of_two_types, returning, late_types, filled, backwards,
    counted, looking_at_a_range, looking_at_iterators])
@pytest.mark.parametrize("counts", [(2, 1, 0, 7, 3, 90), (1, 7, 0, 2, 3), (0, 3, 90, 1, 2)])
def test_each_is_as_in_plain_python(f, counts):
    g = value_and_grad(f)
    for n in [*counts, *reversed(counts), *counts]:
        value, gradient = g(X.copy(), n)
        wanted = f(X.copy(), n)
        assert type(value) is type(wanted)
        assert value == wanted
        np.testing.assert_allclose(gradient, slopes(f, n), rtol=1e-6, atol=1e-7)
    assert cache_info(g).fallbacks == 0
    hits = cache_info(g).hits
    for n in counts:
        g(X.copy(), n)
    assert cache_info(g).hits == hits + len(counts)


@pytest.mark.parametrize("f", [swapped, backwards, counted])
def test_a_loop_is_recorded_a_few_times(f):
    g = value_and_grad(f)
    for n in (3, 4, 5, 9, 11, 30, 80):
        g(X.copy(), n)
    assert cache_info(g).recordings <= 2


def test_a_sum_that_begins_with_a_plain_number_needs_no_iteration_of_its_own():
    """It is Python's before the loop and NumPy's from then on."""
    def total(x, n):
        s = 0.0
        for i in range(n):
            s = s + np.sin(x[i])
        return s

    g = value_and_grad(total)
    for counts in ((3, 2, 0, 1, 3), (0, 1, 2, 3, 0)):
        for n in counts:
            value, gradient = g(X, n)
            assert value == total(X, n) and type(value) is type(total(X, n))
            np.testing.assert_allclose(gradient, np.cos(X) * (np.arange(3) < n))
    lines = [line for line in source(g, X, 3).splitlines() if "np.sin" in line and "#" not in line]
    assert len(lines) == 1
    assert cache_info(g).recordings <= 3 and cache_info(g).fallbacks == 0


def returned_from_else(x, n):
    a = x[0]
    for _ in range(n):
        a = a + 1.0
    else:
        return a * x[1]


def broken_or_doubled(x, n):
    a = x[0]
    for _ in range(n):
        if a > 2.5:
            break
        a = a + 1.0
    else:
        a = a * 2
    return a * x[1]


def buffer_behind_else(x, n):
    z = x * 1.0
    for k in range(n):
        if k > 3:
            break
        z *= 0.9
    else:
        z[0] = z[1] * 2.0
    return np.sum(z**2)


def loops_within_else(x, n):
    t = x[2] * 0.0
    for _ in range(3):
        for i in range(n):
            if x[0] * i > 0.8:
                break
            t = t + x[1]
        else:
            if t > 4.0:
                break
            t = t * 1.5
            for _ in range(2):
                t = t + x[0]
            else:
                t = t - 0.1
    else:
        t = t + 1.0
    return t * x[2]


def while_with_else(x, n):
    a, k = x[0], 0
    while k < n:
        k += 1
        if a > 2.5:
            break
        a = a + 1.0
    else:
        a = a * 2
    return a * x[1]


@pytest.mark.parametrize("f", [returned_from_else, broken_or_doubled, buffer_behind_else,
                               loops_within_else, while_with_else])
@pytest.mark.parametrize("counts", [(3, 1, 3, 0, 2), (1, 3, 0, 1, 5), (0, 1, 2, 7, 0), (7, 7, 1)])
def test_else_clauses(f, counts):
    g = value_and_grad(f)
    for n in (*counts, *counts):
        value, gradient = g(X.copy(), n)
        assert value == f(X.copy(), n)
        np.testing.assert_allclose(gradient, slopes(f, n), rtol=1e-6, atol=1e-7)
