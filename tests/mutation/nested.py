"""Mutation inside and around runs inside a run.

A plain array cannot take what an inner run differentiates, so where an inner function writes into
an array of the outer one, a `reference` gives the plain value from derivatives found by hand.
"""

import numpy as np

from hybridad import grad, jvp, value_and_grad, vjp
from tests.mutation import program

# An inner function that writes into its own arrays and its argument.


@program((4,))
def inner_writes_its_argument(x):
    def inner(v):
        v *= 2.0
        v[1:] += v[:-1]
        v[0] = v[3] * v[1]
        return np.sum(v**3)

    return np.sum(grad(inner)(x) ** 2)


@program((4,))
def inner_loop_over_elements(x):
    def inner(v):
        h = np.zeros_like(v)
        for i in range(3):
            h[i] = np.sin(v[i]) * h[i - 1] + v[i]
        h[:2] *= h[2]
        return np.sum(h**2)

    return np.sum(grad(inner)(x) ** 2)


@program((4,))
def inner_masks_and_fancy(x):
    def inner(v):
        a = v * v
        s = np.sum(a * a)
        np.copyto(a, v * 2.0, where=np.array([True, False, True, False]))
        s = s + np.sum(a**3)
        np.add.at(a, np.array([0, 0]), v[:2])
        a[[1, 3]] = a[[3, 3]]
        a[v > 0] *= v[0]
        a.sort()
        np.multiply(a, v, out=a, where=np.array([False, True, True, True]))
        return s * np.sum(a**3 * np.arange(4.0))

    return np.sum(grad(inner)(x) * x)


@program((3,))
def three_deep(x):
    def first(u):
        z = u * u
        z[0] = u[1]

        def second(w):
            q = w * z
            q[1:] *= w[:-1]

            def third(s):
                r = q * s
                r[0] = s[2] * r[1]
                r += r[::-1]
                return np.sum(r**2)

            return np.sum(grad(third)(w))

        return np.sum(grad(second)(u) * z)

    return np.sum(grad(first)(x))


# Pullbacks that are called after later writes to what they hold.


@program((4,))
def pullback_after_writes(x):
    y = x * 1.5
    value, pullback = vjp(lambda v: v * y * y, x)
    y[0] = 7.0
    y *= x
    (a,) = pullback(x)
    (b,) = pullback(np.ones_like(x))
    y[1] = a[1]
    (c,) = pullback(y * 1.0)
    return np.sum(a * b * c * y) + np.sum(value)


@program((4,))
def pullback_after_writes_by_element(x):
    y = x * 1.5
    _, pullback = vjp(lambda v: v * y * y, x)
    for i in range(4):
        y[i] = x[i] * y[i - 1]
    (a,) = pullback(x)
    return np.sum(a * y)


@program((4,))
def pullback_after_every_kind_of_write(x):
    y = x * 1.5
    _, pullback = vjp(lambda v: np.tanh(v * y) * y, x)
    y[np.array([True, False, True, False])] *= 2.0
    y[[0, 0, 2]] = x[:3]
    np.add.at(y, np.array([0, 0, 1]), x[0])
    np.add.at(y, slice(1, 3), x[0])
    np.copyto(y, x, where=np.array([True, True, False, False]))
    y[::2] += x[1]
    y.sort()
    np.put(y, [1, 1], x[:2])
    y.reshape(2, 2).T[0] *= x[:2]
    (a,) = pullback(x)
    y.fill(x[0])
    np.maximum(y, x, out=y)
    (b,) = pullback(y)
    return np.sum(a * b * y)


@program((4,))
def pullback_after_its_argument_and_value_change(x):
    a = x * 1.0
    value, pullback = vjp(lambda v: v**3, a)
    a[:] = 0.5 * x
    value[0] = 3.0 * x[1]
    (g,) = pullback(value)
    g *= 2.0
    (k,) = pullback(value)
    return np.sum(g * a * k)


@program((4,))
def cotangents_are_not_shared(x):
    c = x * 1.0
    _, pullback = vjp(lambda v: (v * 1.0, v), x)
    (g,) = pullback((c, c))
    g[0] = 9.0
    (k,) = pullback((c, None))
    k *= x
    c[1] = 4.0
    return np.sum(g * c) + np.sum(k**2)


@program((4,))
def pullback_of_views(x):
    y = x * 1.0

    def inner(v):
        w = v * y
        return w[::2], w.reshape(2, 2).T

    (a, b), pullback = vjp(inner, x)
    a[0] = 4.0 * x[0]
    (g,) = pullback((a, b))
    y[1] = 3.0
    (k,) = pullback((a * x[0], None))
    return np.sum(g * k * y)


@program((4,))
def pullbacks_interleaved(x):
    y = x * 1.5
    _, first = vjp(lambda v: v * v * y, x)
    y *= x
    _, second = vjp(lambda v: np.sin(v * y), y)
    y[1:] = y[:-1]
    (a,) = first(np.tanh(y))
    (b,) = second(np.tanh(a))
    y[0] = b[0]
    (c,) = first(np.tanh(b))
    return np.sum(np.tanh(a) * b * c * y)


@program((3,))
def gradients_written_into(x):
    g = grad(lambda v: np.sum(v**3))(x)
    g[0] = x[1]
    g *= x
    value, h = value_and_grad(lambda v: np.sum(np.sin(v) * g))(x)
    h[1:] += g[:-1]
    g.fill(value)
    return np.sum(g * h)


@program((4,))
def constant_gradients_written_into(x):
    g = grad(lambda v: np.sum(v * 3.0))(x)
    _, t = jvp(lambda v: v * 2.0, (x,), (np.ones(4),))
    g[0] = x[1]
    t[1:] = g[:-1] * x[0]
    g *= x
    return np.sum(g * g * t)


@program((3,))
def gradient_steps_in_place(x):
    w = x * 1.0
    for _ in range(3):
        w -= 0.1 * grad(lambda v: np.sum(np.sin(v) * v))(w)
    return np.sum(w**2)


# Inner runs beside constants of the outer run, which become active later.


@program((4,))
def constant_used_inside_then_written(x):
    c = np.ones_like(x)
    g = grad(lambda v: np.sum(c * c * v))(2.0)
    c *= x
    return g * np.sum(c * x * x)


@program((4,))
def constant_used_inside_then_elements(x):
    y = np.ones_like(x)
    g = grad(lambda v: np.sum(np.exp(v * y)))(0.5)
    a = x * x
    for i in range(4):
        y[i] = x[i] * a[i]
    y += a
    return np.sum(y * y) * g


@program((4,))
def constant_used_in_many_inner_runs(x):
    y = np.ones_like(x)
    total = 0.0
    for k in range(3):
        total = total + grad(lambda v: np.sum(v * y * v))(1.0 + k)
        y[k] = x[k] * total
    return np.sum(y * x) * total


@program((4,))
def broadcast_view_used_inside(x):
    y = x * 1.0
    b = np.broadcast_to(y, (2, 4))
    y[0] = x[1]
    g = grad(lambda v: np.sum(b * v * v))(2.0)
    h = grad(lambda v: np.sum(b * v * v))(x[0])
    y[1] = 2.0
    return np.sum(b * b) + g * h


@program((4,))
def forward_inside(x):
    def inner(v):
        w = v * v
        v[0] = w[1]
        w[1:] *= v[:-1]
        v += w
        return np.sum(v * w), w[::2]

    (value, part), (t, u) = jvp(inner, (x,), (np.sin(x),))
    part[0] = x[0]
    u *= part
    return value * t + np.sum(u)


# An inner function that writes into arrays of the outer one.


def _writes_outside(x):
    y = x * 2.0  # as the inner run leaves it: y0 = x1**2, y_k = 2 x_k x1
    v = x[1]
    g = 4.0 * v**3 + np.sum(2.0 * y[1:] ** 2 * v)
    left = np.concatenate([[v * v], y[1:] * v])
    return g + np.sum(left**3)


@program((4,), reference=_writes_outside)
def inner_writes_outside(x):
    y = x * 2.0

    def inner(v):
        y[0] = v * v
        y[1:] *= v
        return np.sum(y**2)

    g = grad(inner)(x[1])
    return g + np.sum(y**3)


def _writes_into_constant(x):
    v = x[1]
    return 4.0 * v**3 + 6.0 * v + v**6 + 3.0 * v**3


@program((4,), reference=_writes_into_constant)
def inner_writes_into_constant(x):
    y = np.zeros_like(x)

    def inner(v):
        y[0] = v * v
        y[1:] += v
        return np.sum(y**2)

    g = grad(inner)(x[1])
    return g + np.sum(y**3)


def _at_constant_point(x):
    left = np.concatenate([[4.0], x[1:] + 2.0])
    return 32.0 + np.sum(2.0 * left[1:]) + np.sum(left**3)


@program((4,), reference=_at_constant_point)
def inner_at_constant_point_writes_outside(x):
    y = x * 1.0

    def inner(v):
        y[0] = v * v
        y[1:] += v
        return np.sum(y**2)

    g = grad(inner)(2.0)
    return g + np.sum(y**3)


def _unlinked(x):
    return 12.0 * np.sum(np.array([2.0, 0.0, 0.0, 0.0]) * x * x)


@program((4,), reference=_unlinked)
def inner_writes_constant_at_constant_point(x):
    c = np.zeros_like(x)

    def inner(v):
        c[0] = v
        return np.sum(c * c * v)

    g = grad(inner)(2.0)
    return g * np.sum(c * x * x)


def _forward_outside(x):
    # y0 = v0 v1, v *= y, y unchanged after; value = sum(v y y), along t = x * x
    t = x * x
    y, dy = x * 1.0, np.zeros_like(x)
    y[0], dy[0] = x[0] * x[1], t[0] * x[1] + x[0] * t[1]
    value = np.sum(x * y * y)
    tangent = np.sum(t * y * y + 2.0 * x * y * dy)
    return value * tangent + np.sum(y**2)


@program((4,), reference=_forward_outside)
def forward_inside_writes_outside(x):
    y = x * 1.0

    def inner(v):
        y[0] = v[0] * v[1]
        v *= y
        return np.sum(v * y)

    value, t = jvp(inner, (x,), (x * x,))
    return value * t + np.sum(y**2)


def _view_outside(x):
    # s = v (y1^2 + y2^2); then y1, y2 are multiplied by v; s + sum(y^2)
    y = x * 1.0
    derivatives = []
    for v in (x[0], x[1]):
        q = np.sum(y[1:3] ** 2)
        derivatives.append(q + 2.0 * v * q)
        y[1:3] *= v
    return derivatives[0] * derivatives[1] + np.sum(y)


@program((4,), reference=_view_outside)
def inner_writes_through_outer_view(x):
    y = x * 1.0
    middle = y[1:3]

    def inner(v):
        s = np.sum(middle * middle * v)
        middle[...] = v * middle
        return s + np.sum(y * y)

    g = grad(inner)(x[0])
    h = grad(inner)(x[1])
    return g * h + np.sum(y)


def _exception(x):
    z = x * x
    y = np.concatenate([[x[1] * 3.0], x[1:] * x[1]])
    return np.sum(y * z * y)


@program((4,), reference=_exception)
def inner_raises_after_writes(x):
    y = x * 1.0
    z = y * y

    def inner(v):
        y[0] = v * 3.0
        y[1:] *= v
        raise KeyError

    try:
        grad(inner)(x[1])
    except KeyError:
        pass
    return np.sum(y * z * y)


def _exception_beside_constant(x):
    y = np.array([1.0, 2.0, 2.0, 2.0])
    return np.sum(y * x**3 * x)


@program((4,), reference=_exception_beside_constant)
def inner_raises_after_writing_a_constant(x):
    y = np.ones_like(x)

    def inner(v):
        y[1:] *= v
        raise KeyError

    try:
        grad(inner)(2.0)
    except KeyError:
        pass
    a = x * x
    y *= a * x
    return np.sum(y * x)


def _pullback_of_mutator(x):
    # f(v): y0 = v0; y *= v; returns y * y. y starts as x * 2.
    y, dy = x * 2.0, np.zeros((4, 4))
    y[0], dy[0, 0] = x[0], 1.0
    out, dout = y * x, np.zeros((4, 4))
    dout = dy * x[:, None] + np.diag(y)
    g = (2.0 * out * x) @ dout
    y = out.copy()
    y[1] = g[1]
    h = (2.0 * out * y) @ dout
    return np.sum(g * h * y)


@program((4,), reference=_pullback_of_mutator)
def pullback_of_what_writes_outside(x):
    y = x * 2.0

    def f(v):
        nonlocal y
        y[0] = v[0]
        y *= v
        return y * y

    _, pullback = vjp(f, x)
    (g,) = pullback(x)
    y[1] = g[1]
    (h,) = pullback(y)
    return np.sum(g * h * y)
