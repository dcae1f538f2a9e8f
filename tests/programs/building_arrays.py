"""Arrays built from numbers: array, stack, full, asarray, fromiter, vectorize, block."""

# ruff: noqa: E702

import numpy as np

from tests.programs import A, Scene, program


@program()
def array_of_scalars():
    def f(x):
        c, s = np.cos(x[0]), np.sin(x[0])
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0, 0, 1]])
        return np.sum(R @ np.array([x[1], 1.0, x[2]]) * np.array((1.0, 2.0, 3.0)))
    return f


@program()
def array_with_dtype_and_nesting():
    def f(x):
        m = np.array([x, [x[0], 2, x[1]], (1.0, x[2], 0)], dtype=np.float64)
        n = np.array([m, m * 2.0])
        z = np.array([x[0], 1j * x[1]], dtype=complex)
        return np.sum(n[1] @ n[0]) + np.abs(z[0] + z[1]) + np.array(x[2]) * n[0, 1, 0]
    return f


@program()
def asarray_and_copies():
    def f(x):
        same = np.asarray(x) is x
        a = np.asarray([x[0], x[1]]); b = np.ascontiguousarray(np.outer(x, x).T[::2])
        c = np.array(a, copy=True, ndmin=2); d = np.asfortranarray(b); e = np.atleast_1d(x[2])
        a[0] = 7.0
        return c[0, 0] * c[0, 1] * (2.0 if same else 3.0) + np.sum(b * d) * e[0] + a[0] * a[1]
    return f


@program()
def stacked_and_concatenated():
    def f(x):
        rows = [x * (k + 1) for k in range(3)]
        a = np.stack(rows); b = np.stack([x[0], x[1]]); c = np.column_stack((x, x**2))
        d = np.concatenate([x[:1], [x[1] * 2.0], b]); e = np.hstack([x[0], x])
        g = np.vstack([x, a])
        return np.sum(a[1] * a[2]) + b[0] * np.sum(c[:, 1]) + d @ e + np.sum(g[0] * g[3])
    return f


@program()
def full_and_like():
    def f(x):
        a = np.full(3, x[0]); b = np.full((2, 2), x[1] * 2.0); c = np.full_like(x, x[2])
        d = np.zeros_like(x); e = np.ones_like(a); g = np.empty_like(b); g[...] = b
        d[1] = a[0]
        h = np.full(2, x[:2])
        return np.sum(a * c) + np.sum(b @ g) + np.sum(d * e * x) + h[0] * h[1]
    return f


@program()
def ranges_of_data():
    def f(x):
        t = np.linspace(x[0], x[1], 5); u = np.linspace(0.0, x[2], 3, endpoint=False)
        v = np.arange(3) * x[0] + np.arange(0.5, 3.0); w = np.geomspace(1.0, 4.0, 3) * x[1]
        g, h = np.meshgrid(x, t[:2]); p, q = np.mgrid[0:2, 0:2] * x[2]
        return np.sum(t**2) + np.sum(u * v * w) + np.sum(g * h) + np.sum(p * q)
    return f


@program()
def fromiter_and_vectorize():
    c = [1.0]
    def f(x):
        a = np.fromiter((v * v * c[0] for v in x), float)
        b = np.vectorize(lambda v: v * c[0] if v > 0 else -v)(x)
        d = np.vectorize(lambda p, q: p * q, otypes=[float])(x, 2.0)
        e = np.apply_along_axis(lambda r: r * r[0], 1, np.outer(x, x))
        g = np.fromfunction(lambda i, j: i + 2 * j, (2, 3)) @ x
        return np.sum(a * b) + np.sum(d) + np.sum(e) + g[0] * g[1]
    def before(k):
        c[0] = k + 1.0
    return Scene(f, before=before)


@program()
def block_insert_append_delete():
    def f(x):
        m = np.outer(x[:2], x[1:])
        b = np.block([[m, np.zeros((2, 1))], [np.array([[x[0], 1.0, x[2]]])]])
        i = np.insert(x, 1, x[0] * 2.0); a = np.append(x, x[1]); d = np.delete(i, 0)
        p = np.pad(x, 1); t = np.tile(x[:2], 2); r = np.repeat(x[0], 3); o = np.r_[x, x[0], 2.0]
        return (np.sum(b @ b) + np.sum(a[1:] * d) + p[1] * p[3] + t[1] * t[2] + r @ x
                + o[3] * o[0] + np.c_[x, x][1, 1])
    return f


@program()
def diagonals_and_triangles():
    def f(x):
        n = 3
        L = np.zeros((n, n)); L[np.tril_indices(n)] = np.concatenate([x, x * 0.5])
        D = np.diag(np.exp(x)) + np.diag(x[:2], k=1)
        E = np.eye(n) * x[0] + np.identity(n)
        T = np.tri(3) * np.outer(x, x); U = np.triu(T, -1)
        return np.sum(L @ D) + np.trace(E @ U) + np.linalg.det(L @ L.T + np.eye(3))
    return f


@program()
def reductions_of_lists():
    def f(x):
        a, b, c = x
        s = np.sum([a, b * b, 2.0]) * np.mean([a, [b, c][0]]) + np.max([a, b, c]) * np.min((a, b))
        s = s + np.prod([a, c]) + np.std([a, b]) + np.dot([a, b], [c, 1.0]) + np.linalg.norm([a, b])
        s = s + np.where(a > 0, [a, b], [b, c])[1] + np.cumsum([a, b, c])[2] + np.sort([b, a])[0]
        return s + np.stack([[a, b], [c, a]]).sum() + np.hypot(a, [b, c])[0] + np.exp([a])[0]
    return f


@program()
def rows_collected_in_a_list():
    def f(x):
        rows = []
        v = x
        while len(rows) < 4:
            rows.append(v)
            v = np.roll(v, 1) * 0.9 + 0.1
        m = np.array(rows)
        return np.sum(m @ m.T) + np.asarray([r[0] for r in rows]).prod()
    return f


@program()
def scalar_types_called():
    def f(x):
        a = np.float64(x[0]) * np.float64(2)
        b = np.float64(float(x[1])) if x[1] > 0 else np.float64(0.5)
        c = np.complex128(x[2] + 1j * x[0])
        d = np.array(x[1], dtype="d")[()]
        return a * b + (c * c.conjugate()).real + d * (type(a) is np.float64)
    return f


@program()
def structured_by_split_and_reshape():
    def f(x):
        theta = np.concatenate([x, x**2, [x[0] * x[1], 1.0]])
        W, b, rest = np.split(theta, [4, 6])
        W = W.reshape(2, 2)
        h = np.tanh(W @ b + np.broadcast_to(x[2], 2))
        parts = np.array_split(theta, 3)
        return h @ rest + sum(p.sum() * (k + 1) for k, p in enumerate(parts))
    return f


@program()
def polynomial_and_window_tables():
    def f(x):
        V = np.vander(x, 3)
        k = np.hanning(5)[1:4]
        return np.polyval(x, 0.7) + np.sum(V * k) + np.convolve(x, k)[2] + np.kron(x, k[:2])[1]
    return f


@program()
def empty_arrays():
    def f(x):
        e = x[x > 100.0]
        a = np.array([]); b = np.zeros((0, 3))
        total = np.sum(e) + np.prod(e) + np.sum(a) + np.sum(b * x) + sum(e) + len(e)
        return total * x[0] + np.concatenate([e, x]) @ A(1, 2, 3)
    return f


@program()
def object_rows_unpacked_with_star():
    def f(x):
        a, *rest = np.stack([x, x * 2.0, x**2])
        m = np.array([*a, *rest[0]]).reshape(2, 3)
        return np.sum(m[0] * rest[1]) + np.max(np.array([*map(np.sum, rest)]))
    return f
