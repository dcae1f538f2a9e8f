"""Arrays written in place: elements, slices, views, masks, out=, captured buffers."""

# ruff: noqa: E701, E702

import numpy as np

from tests.programs import A, Scene, program


@program()
def filled_by_elements():
    def f(x):
        out = np.zeros(3)
        for i in range(3): out[i] = x[i] * x[i - 1]
        return np.sum(out**2)
    return f


@program()
def filled_in_two_dimensions():
    def f(x):
        out = np.empty((2, 3))
        for i in range(2):
            for j in range(3): out[i, j] = np.sin(x[j] * (i + 1))
        out[1] += out[0] * x
        out[:, 2] *= 2.0
        return np.sum(out * out)
    return f


@program()
def views_of_views():
    def f(x):
        m = np.zeros((3, 3))
        m[:] = x
        flat = m.reshape(9); flat[4] = x[0] * x[1]
        t = m.T; t[0, 1] *= 3.0
        for row in m: row *= x[2]
        v = m[1:][:, ::-1]; v[0] += 1.0
        d = np.einsum("ii->i", m); d *= 2.0
        return np.sum(m * np.arange(9.0).reshape(3, 3)) + np.sum(flat * flat)
    return f


@program()
def augmented_assignment_keeps_the_array():
    def f(x):
        y = x * 1.0
        z = y
        y += x; y -= 0.5; y *= x; y /= 2.0; y **= 2; y @= np.eye(3) * 2.0
        w = y[1:]; w += w[::-1].copy()
        return np.sum(z * x) + (2.0 if z is y else 5.0) * z[1]
    return f


@program()
def out_arguments():
    def f(x):
        b, c = np.empty(3), np.zeros(3)
        np.multiply(x, 2.0, out=b)
        np.add(b, x, b)
        np.exp(b * 0.1, out=c)
        np.cumsum(c, out=b)
        np.dot(np.outer(x, x), b, out=c)
        np.maximum(b, c, out=b)
        return np.sum(b * c)
    return f


@program()
def ufunc_at_and_put():
    def f(x):
        b = x * 1.0
        np.add.at(b, [0, 0, 2], x)
        np.subtract.at(b, [1, 1], x[0]); np.multiply.at(b, [2, 0], x[1])
        np.put(b, [2], x[1]); np.putmask(b, np.array([True, False, False]), x * 3.0)
        c = np.zeros((2, 3)); np.put_along_axis(c, np.array([[1], [2]]), x[:2, None], axis=1)
        np.place(c, c == 0, [0.5])
        return np.sum(b * A(1, 2, 3)) + np.sum(c * c)
    return f


@program()
def masks_and_fancy_indices():
    def f(x):
        y = x * 2.0
        y[y < 0] *= 0.1
        y[[0, 2]] = y[[2, 0]]
        y[np.abs(x) > 1] += x[np.abs(x) > 1]
        m = np.outer(x, x); m[np.diag_indices(3)] = y; m[np.ix_([0, 1], [1, 2])] -= 1.0
        return np.sum(y * x) + np.sum(m**2)
    return f


@program()
def array_methods_that_write():
    def f(x):
        y = np.concatenate([x, x * 2.0])
        y.sort()
        y.flat[0] = x[1]; y.flat[1:3] = x[:2]
        z = np.zeros(4); z.fill(x[0]); z[1:].fill(x[2])
        w = np.zeros((2, 2)); np.fill_diagonal(w, x[:2])
        y.put([3], x[2]); y.partition(2)
        return np.sum(y * np.arange(6.0)) + np.sum(z * z) + np.linalg.det(w)
    return f


@program()
def captured_buffer():
    buf = np.ones(3)
    def f(x):
        z = buf * x
        buf[:] = x; buf[0] += 1.0
        return np.sum(z * buf)
    return Scene(f, lambda: buf)


@program()
def captured_buffer_accumulates():
    buf = np.ones((2, 3)); row = buf[1]
    def f(x):
        nonlocal row
        row += np.abs(x)
        buf[0] *= 0.5
        if x[0] > 0: return np.sum(buf[1] * x)
        return np.sum(row * x * x) + np.sum(buf[0])
    return Scene(f, lambda: (buf, row))


@program()
def views_among_captures():
    base = np.arange(6.0).reshape(2, 3); top, left, turned = base[0], base[:, 0], base.T
    def f(x):
        top[:] = x
        left[1] = x[0] * x[1]
        return np.sum(base**2) + turned[0, 1] * x[2]
    return Scene(f, lambda: [base, top, left, turned])


@program()
def copies_are_apart():
    def f(x):
        a = x * 1.0
        b, c, d = a.copy(), np.array(a), a[:]
        e, g = np.asarray(a), a[[0, 1, 2]]
        a[0] = 5.0
        return b[0] * c[1] + d[0] * x[1] + e[0] * x[2] + g[0] * b[2]
    return f


@program((A(1, 2, 3), A(1, 1, 1)), (A(-2, 2, 3), A(5, 1, 1)), (A(2, 0.5, 3), A(-1, 1, 2)))
def other_argument_written():
    def f(x, y):
        z = y * x
        y += x; y[0] = 3.0
        if x[0] < 0: y[1:] = y[:-1].copy()
        return np.sum(z * y)
    return f


@program()
def own_argument_overwritten():
    def f(x):
        total = np.sum(x**2)
        x[0] = 0.0
        x *= 2.0
        return total + np.sum(x**2)
    return f


@program()
def shifted_and_overlapping():
    def f(x):
        y = np.zeros(5); y[1:4] = x
        y[1:] = y[:-1]
        y[:-1] += y[1:]
        y[::2], y[1::2] = y[::-2] * 2.0, x[:2]
        y[...] = np.roll(y, 1)
        return np.sum(y * np.arange(5.0)) + y[0] * y[2]
    return f


@program()
def swapped_buffers():
    def f(x):
        a, b = x.copy(), np.zeros_like(x)
        for k in range(4):
            b[1:-1] = a[1:-1] + 0.2 * (a[2:] - a[:-2]) * k
            b[0], b[-1] = a[-1], a[0] * 0.5
            a, b = b, a
        return np.sum(a * b)
    return f


@program()
def saved_values_overwritten():
    def f(x):
        y = np.exp(x)
        z = y * y
        y += 1.0
        y *= x
        w = np.sqrt(np.abs(y)) * z
        y[:] = 0.0
        z[1] = w[0]
        return np.sum(w * z) + np.sum(y)
    return f


@program()
def broadcast_writes():
    def f(x):
        b = np.zeros((2, 3)); b[:] = x; b[1] = x[0]
        b[:, 1:2] += A([1], [2])
        np.copyto(b[0], x * x, where=np.array([True, False, True]))
        c = np.zeros(1); c[...] = x[2]; c[()] *= 2.0
        return np.sum(b**2) + c[0]
    return f


@program()
def real_and_imaginary_parts_written():
    def f(x):
        z = np.zeros(3, complex)
        z.real = x; z.imag[:] = x[::-1]
        z[0] *= 1j
        z.imag[1] += x[0]
        return np.sum(np.abs(z) ** 2 * A(1, 2, 3)) + (z[0] * z[2]).real
    return f


@program()
def float32_work_array():
    def f(x):
        w = np.zeros(3, np.float32)
        w[:] = np.round(x * 4.0)
        return np.sum(w * x) * float(w.dtype.itemsize)
    return Scene(f, gradient=lambda x: np.round(x * 4.0) * 4.0)


@program()
def integer_array_of_positions():
    def f(x):
        order = np.zeros(3, int)
        for i in range(3):
            for j in range(3): order[i] += x[j] < x[i]
        y = np.zeros(3); y[order] = x
        return y[0] * 2.0 + y[1] * y[2] + order[0]
    return f


@program()
def record_of_history():
    def f(x):
        history = np.zeros((4, 3)); history[0] = x
        for t in range(1, 4):
            history[t] = np.tanh(history[t - 1]) + 0.1 * t
            history[t, t - 1] *= history[t - 1, 0]
        return np.sum(history[-1] * history[1]) + history[2].mean()
    return f
