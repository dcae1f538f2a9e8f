"""Numbers that are Python's in one case and NumPy's in the other, and who asks which."""

import numpy as np
import pytest

from hybridad import cache_info, explain, grad, hessian, jacobian, value_and_grad, vjp

X = np.array([1.0, 2.0])
COUNTS = ([1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0])


def looked_at(s, x):
    return s + x[0] if isinstance(s, np.generic) else s + x[1]


def conditional_sum(x, c):
    s = 0.0
    for v in c:
        if v > 0:
            s = s + x[0]
    return looked_at(s, x)


def item_of_a_tuple(x, c):
    t = (0.0, 0)
    for v in c:
        t = (t[0] + x[0], 1) if v > 0 else t
    return looked_at(t[0], x)


def inner_loop_without_iterations(x, c):
    s = 0.0
    for _ in range(2):
        for k in range(int(np.sum(c))):
            s = s + x[k % 2]
    return looked_at(s, x)


def left_before(x, c):
    s = 0.0
    for v in c:
        if v <= 0:
            break
        s = s + x[0]
    return looked_at(s, x)


def passed_over(x, c):
    s = 0.0
    for v in c:
        if v <= 0:
            continue
        s = s + x[0]
    return (s.mean() if isinstance(s, np.generic) else s - 1.0) + x[1]


def taken_in_turn(x, c):
    s, t = 0.0, 1.0
    for v in c:
        if v > 0:
            s, t = t, s + x[0]
    return looked_at(s, x) * looked_at(t, x)


@pytest.mark.parametrize("f", [
    conditional_sum, item_of_a_tuple, inner_loop_without_iterations, left_before, passed_over,
    taken_in_turn])
@pytest.mark.parametrize("order", [1, -1])
def test_sums_that_are_not_always_added_to(f, order):
    vg = value_and_grad(f)
    for c in (*COUNTS[::order], *COUNTS):
        c = np.array(c)
        value, g = vg(X, c)
        assert value == f(X, c) and type(value) is type(f(X, c))
        wanted = [(f(X + e, c) - f(X - e, c)) / 2e-6 for e in 1e-6 * np.eye(2)]
        np.testing.assert_allclose(g, wanted, rtol=1e-6)


def test_gradients_inside_by_plain_numbers_are_plain():
    """As they are outside of a run."""
    def program(x):
        by_number = grad(lambda y: y * x[0])(2.0)
        by_float = grad(lambda y: y * y)(float(x[0]))
        return (1.0 if isinstance(by_number, np.generic) else 2.0) * x[0] + by_float

    assert program(X) == 4.0
    for engine in ("tape", "sct"):
        vg = value_and_grad(program, engine=engine)
        for _ in range(3):
            value, g = vg(X)
            assert value == 4.0
            np.testing.assert_allclose(g, [4.0, 0.0])


@pytest.mark.parametrize("of", [hessian, jacobian])
def test_matrices_inside_by_plain_numbers_are_numpys(of):
    """As they are outside of a run."""
    def program(x):
        made = of(lambda y: y**3 * 1.0)(2.0)
        return np.sum(x) * made if type(made) is np.float64 else np.sum(x)

    for engine in ("tape", "sct"):
        vg = value_and_grad(program, engine=engine)
        assert [vg(X)[0], vg(X)[0]] == [36.0, 36.0]


def test_what_is_computed_in_another_precision_stays_there():
    def program(x):
        (a,) = vjp(lambda y: y * y, x.astype(np.float32))[1](x)
        return np.sum(a)

    vg = value_and_grad(program)
    for _ in range(3):
        value, g = vg(X)
        assert type(value) is np.float32 and g.dtype == np.float64
    assert cache_info(vg).hits == 0     # cotangents of another type are left to the tape


def test_whether_two_numbers_are_one_object_is_left_to_the_tape():
    """Loops make other objects of the numbers that they carry."""
    def program(x, n):
        a, b, t = x[0], x[1], 0.0
        for _ in range(n):
            if a is b:
                t = t + x[1]
            a = b
        return t + b

    vg = value_and_grad(program)
    for n in (0, 1, 1, 2, 2, 3, 0):
        assert vg(X, n)[0] == program(X, n)
    assert "whether two numbers are one object" in explain(vg).reason
