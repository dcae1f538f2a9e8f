"""Loops that reuse memory: swapped and ping-pong buffers, time steps, plain work arrays."""

import numpy as np

from tests.mutation import program


@program((4,))
def swapped_buffers(x):
    a, b = x * 1.0, np.sin(x)
    for _ in range(4):
        a *= b
        a, b = b, a
        b[1:] += a[:-1]
    return np.sum(a * b)


@program((5,))
def ping_pong(x):
    u = [np.tanh(x), np.zeros_like(x)]
    for t in range(4):
        a, b = u[t % 2], u[1 - t % 2]
        b[1:-1] = a[1:-1] + 0.3 * (a[2:] - 2.0 * a[1:-1] + a[:-2]) * a[1:-1]
        b[0] = a[0]
        b[-1] = a[-1] ** 2
    return np.sum(u[0] * u[1])


@program((4,))
def one_buffer_over_time_steps(x):
    h = np.zeros_like(x)
    work = np.zeros_like(x)
    total = 0.0
    for t in range(4):
        np.multiply(h, x, out=work)
        work += t
        np.tanh(work, out=work)
        total = total + np.sum(work * h)
        h[:] = work
        work[t] = 0.0
    return total + np.sum(h)


@program((3,), (3, 3))
def history_rows(x, w):
    history = np.zeros_like(w, shape=(5, 3))
    history[0] = x
    for t in range(1, 5):
        history[t] = np.tanh(history[t - 1] @ w)
        history[t, t % 3] *= history[t - 1, 0]
    w *= 0.5
    return np.sum(history**2) + np.sum(history[-1] @ w)


@program((6,))
def recurrence_by_elements(x):
    y = np.zeros_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = np.sin(y[i - 1]) * x[i] + y[i - 2]
    for i in range(len(x)):
        y[i] *= y[-i - 1]
        y[i] += i
    return np.sum(y * y)


@program((3, 3))
def gaussian_elimination(x):
    a = x + 4.0 * np.eye(3)
    for k in range(3):
        for i in range(k + 1, 3):
            factor = a[i, k] / a[k, k]
            a[i, k:] -= factor * a[k, k:]
            a[i, k] = factor
    return a[0, 0] * a[1, 1] * a[2, 2] + np.sum(a * a)


@program((4,))
def bubble_sort(x):
    y = x * 1.5
    for i in range(4):
        for j in range(3 - i):
            if y[j] > y[j + 1]:
                y[j], y[j + 1] = y[j + 1], y[j]
    return np.sum(y * y * np.arange(1.0, 5.0))


@program((3, 3))
def swapped_rows(x):
    y = x * 1.5
    z = y * y
    y[[0, 2]] = y[[2, 0]]
    y[0], y[1] = y[1].copy(), y[0].copy()
    y[1], y[2] = y[2], y[1]  # views: both rows become the old y[2], as in NumPy
    return np.sum(y * z * np.arange(9.0).reshape(3, 3))


@program((4,))
def leapfrog(x):
    q, p = x[:2], x[2:]
    for _ in range(4):
        p -= 0.1 * np.sin(q)
        q += 0.2 * p
        p -= 0.1 * np.sin(q)
    return np.sum(x**2) + q[0] * p[1]


@program((2, 3))
def accumulators(x):
    total = np.zeros_like(x[0])
    squares = np.zeros_like(x)
    count = 0
    for row in x:
        total += row * total + row
        squares[count] = total * total
        count += 1
    return np.sum(squares * total)


@program((4,))
def list_of_views(x):
    y = x * 1.5
    views = [y[k:] for k in range(4)]
    z = y * y
    for k, v in enumerate(views):
        v *= 1.0 + 0.1 * k
        v[0] = views[0][k - 1] * x[k]
    return np.sum(y * z) + np.sum(np.stack([v[-1] for v in views]) ** 2)


@program((4,))
def containers_of_arrays(x):
    state = {"a": x * 1.0, "b": [np.cos(x), x[::2]]}
    state["a"] *= state["b"][0]
    state["b"][1] += 1.0
    alias = state["b"]
    alias[0][:2] = state["b"][1]
    state["a"], alias[0] = alias[0], state["a"]
    state["a"][3] = 2.0
    return np.sum(state["a"] * alias[0]) + np.sum(x * x)


@program((4,))
def written_by_another_function(x):
    def scale(v, by):
        v *= by
        return v

    def mix(v, w):
        v[1:], w[0] = w[:-1], v[0]

    y = x * 1.5
    z = y * y
    r = scale(y[1:3], x[0])
    mix(y, z)
    r += 1.0
    return np.sum(y * z)


# Plain arrays that the function overwrites after use.


@program((4,))
def plain_buffer(x):
    buffer = np.zeros(4)
    total = 0.0
    for i in range(4):
        buffer[:] = i
        total = total + np.sum(x * buffer * x)
    return total


@program((4,))
def plain_buffer_in_place(x):
    buffer = np.ones(4)
    y = x * 1.5
    for i in range(3):
        y *= buffer
        y[1:] /= buffer[1:] + 1.0
        y[i] += buffer[i] * x[0]
        buffer += i + 0.5
        np.multiply(y, buffer, out=y, where=buffer > 1.5)
        buffer[i] = -buffer[i]
    return np.sum(y * y)


@program((4,))
def plain_views_of_one_buffer(x):
    buffer = np.zeros((4, 4))
    total = 0.0
    for i in range(4):
        buffer[i] = i + 1
        total = total + np.sum(np.sin(x * buffer[i]) * (buffer.T @ x))
        total = total + np.sum(x[:2] @ buffer[::2, 1:])
        buffer *= 0.5
    return total


@program((40,), count=1)
def plain_large_buffer(x):
    buffer = np.zeros((40, 60))
    total = 0.0
    for i in range(3):
        buffer[i] = i + 1.0
        total = total + np.sum((x * x) @ buffer) + np.sum(x @ buffer[:, ::2])
    return total


@program((4,))
def plain_read_only_view(x):
    buffer = np.zeros(4)
    view = buffer[:]
    view.flags.writeable = False
    spread = np.broadcast_to(buffer, (2, 4))
    total = 0.0
    for i in range(3):
        buffer[:] = i
        total = total + np.sum(x * view * x) + np.sum(x**3 * spread)
    return total


@program((4,))
def plain_frozen_and_thawed(x):
    buffer = np.ones(4)
    buffer.flags.writeable = False
    total = np.sum(x * x * buffer)
    buffer.flags.writeable = True
    buffer[:] = 3.0
    return total


@program((4,))
def plain_frozen_with_writeable_view(x):
    buffer = np.ones(4)
    view = buffer[:]
    buffer.flags.writeable = False
    total = np.sum(x * x * buffer)
    view[:] = 3.0
    return total


@program((4,))
def plain_keyword_arrays(x):
    weights, mask = np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, True, False, True])
    total = np.average(x * x, weights=weights) * np.sum(x * x, where=mask)
    total = total * np.mean(x**3, where=mask)
    weights[:] = 1.0
    mask[:] = ~mask
    return total


@program((4,))
def plain_indices_written_later(x):
    index, mask = np.array([0, 2]), np.array([True, False, True, True])
    y, z = x[index], x * 2.0
    z[index] = y * y
    w = x[mask] * z[mask]
    z[mask] *= x[0]
    u = np.where(mask, z, x * z)
    order = np.array([3, 1, 0, 2])
    t = np.take(u, order) * np.take_along_axis(u, order, 0)
    index[:], mask[:], order[:] = 3, False, 0
    return np.sum(y * y) + np.sum(z * z) + np.sum(w * w) + np.sum(t)


@program((4,))
def lists_written_later(x):
    shape, axes, index, pairs = [2, 2], [1, 0], [0, 3], ([1], [0])
    y = np.reshape(x, shape)
    t = np.transpose(y, axes)
    u, k = x[index], np.take(x, index)
    z = x * 1.5
    z[index] = u * k
    w = np.tensordot(y, t, pairs)
    shape[0], axes[:], index[0], pairs[0][0] = 4, [0, 1], 1, 0
    return np.sum(y @ t * y) + np.sum(u * u * k) + np.sum(z * z) + np.sum(w * y)


@program((4,))
def plain_values_written_in(x):
    buffer = np.arange(4.0)
    y = x * 1.5
    z = y * y
    y[:] = buffer
    buffer[:] = 9.0
    z[1:] += buffer[1:]
    buffer[:] = 1.0
    y[0] = x[0]
    return np.sum(y * z)


@program((2, 3))
def wide_products_then_squares(x):
    weights = np.arange(9.0).reshape(3, 3)
    return np.sum(x * x) * 0.5 + np.sum(x @ weights.T)
