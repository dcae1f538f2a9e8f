"""Views and their bases: a write through either is seen by both, through any chain."""

import numpy as np

from tests.mutation import program


def _fortran(x):
    return np.asfortranarray(x)


def _backwards(x):
    return x[tuple(slice(None, None, -1) for _ in x.shape)]


def _strided(x):
    base = np.zeros(tuple(2 * n for n in x.shape), x.dtype)
    base[tuple(slice(None, None, 2) for _ in x.shape)] = x
    return base[tuple(slice(None, None, 2) for _ in x.shape)]


def _read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


@program((3, 4))
def write_base_read_view(x):
    y = x * 1.5
    v = y[1:, ::2]
    z = v * v
    y[1] = x[0]
    w = v * z
    y *= 0.5
    return np.sum(v * w)


@program((3, 4))
def write_view_read_base(x):
    y = x * 1.5
    v = y[1:, ::-2]
    z = y * y
    v[0] = x[0, :2]
    w = y * z
    v *= x[1:, :2]
    return np.sum(y * w)


@program((3, 4))
def slices_of_reshapes_of_transposes(x):
    y = x * 1.5
    v = y.T.reshape(2, 2, 3)[::-1, :, 1:]
    w = v * v
    v[0] = x[:2, :2]
    u = y.ravel()[3:9].reshape(2, 3).T
    q = u * u
    u[...] = x[:, :2]
    return np.sum(y**3) + np.sum(q * u) + np.sum(w * v)


@program((2, 3, 2))
def every_function_that_makes_views(x):
    y = x * 1.5
    z = y * y
    np.swapaxes(y, 0, 2)[0] *= 1.1
    np.moveaxis(y, 1, 0)[1] += x[:, 0]
    np.transpose(y, (2, 0, 1))[1, 0] = x[0, :, 1]
    np.expand_dims(y, 1)[0, 0, 1] -= 1.0
    np.squeeze(y[:, :1])[1] = x[0, 0]
    np.flip(y, 1)[0, 0] *= x[1, 1]
    np.rot90(y)[1] += 0.5
    np.atleast_3d(y)[0, 2, 1] = 3.0
    np.reshape(y, (4, 3))[1:3, ::2] **= 2
    np.ravel(y)[-2:] += x[0, 0]
    np.rollaxis(y, 2)[0, 0, 0] = x[1, 2, 1]
    np.matrix_transpose(y)[1, 0] *= 2.0
    y.mT[0, 1, 1] = 0.25
    return np.sum(y * z)


@program((3, 4))
def splits_and_iteration(x):
    y = x * 1.5
    z = y * y
    a, b = np.split(y, 2, axis=1)
    c = a * b
    a *= b
    b[0] = a[1]
    top, *rest = np.vsplit(y, 3)
    rest[0][...] = top
    for row in y:
        row[1:] += row[:-1]
    for k, column in enumerate(y.T):
        column[k % 3] *= x[0, k]
    first, second, third = y
    second[:] = first * third
    return np.sum(y * z) + np.sum(c * c)


@program((3, 3))
def diagonal_is_seen_and_read_only(x):
    y = x * 1.5
    d = y.diagonal()
    z = d * d
    y[0, 0] = x[1, 1]
    y[1] *= 2.0
    e = np.diagonal(y, 1)
    w = e * e
    y[0, 1] = 0.5
    return np.sum(z * d) + np.sum(w * e) + np.sum(np.diag(y) ** 3)


@program((3, 3))
def einsum_diagonal_can_be_written(x):
    y = x * 1.5
    z = y * y
    d = np.einsum("ii->i", y)
    d *= x[0]
    d[1] = 2.0
    np.einsum("ij->ji", y)[0] += x[1]
    return np.sum(y * z)


@program((2,), dtype="D")
def real_and_imag_both_ways(x):
    y = x * (1.0 + 2.0j)
    z = y * y
    y.real[0] = y.imag[1]
    y.imag[:] += 2.0
    r, i = y.real, y.imag
    w = r * i
    r *= 3.0
    y[1] *= 1j
    i[...] = r * i
    return np.sum(np.abs(y * z) ** 2) + np.sum(r * i * w)


@program((2, 2), dtype="D")
def real_of_transposes(x):
    y = x * (1.0 + 2.0j)
    z = y * y
    r = y.T.real[::-1]
    r[0] = np.imag(y)[1]
    y.imag.T[:] += 2.0
    np.real(y)[...] *= np.imag(x)
    return np.sum(np.abs(y * z) ** 2) + np.sum(r**2)


@program((2,), dtype="D")
def assign_to_real_and_imag(x):
    y = x * (1.0 + 2.0j)
    z = y * y
    y.real = np.imag(x)
    y.imag *= 2.0
    y.real += y.imag
    return np.sum(np.abs(y * z) ** 2)


@program((4,))
def complex_parts_of_real_values(x):
    y = x[:2] + 1j * x[2:]
    z = y * y
    y.real[:] = x[2:]
    y.imag[0] *= x[0]
    y[1] = y[0] * x[1]
    y *= 2.0
    y += x[:2]
    return np.sum(np.abs(y * z) ** 2)


@program((4,))
def view_real_as_complex(x):
    y = x * 1.5
    z = y * y
    c = y.view(complex)
    c *= 1j
    c[0] = c[1] * c[0]
    w = c * c
    y[1] = x[3]
    return np.sum(y * z) + np.sum(np.abs(c * w) ** 2)


@program((2,), dtype="D")
def view_complex_as_real(x):
    y = x * (1.0 + 2.0j)
    z = y * y
    v = y.view(float)
    v[1:] *= v[:-1]
    w = v * v
    y[0] *= x[1]
    return np.sum(np.abs(y * z) ** 2) + np.sum(v * w)


@program((2, 1), dtype="D")
def view_complex_as_pairs(x):
    y = x * (1.0 + 2.0j)
    z = y * y
    v = y.view(float)
    v[:, 1] *= v[:, 0]
    return np.sum(np.abs(y * z) ** 2)


@program((3,))
def views_of_zero_dimensions(x):
    y = x * 1.5
    e = y[1, ...]
    z = e * e
    y[1] *= x[0]
    w = e * z
    e += x[2]
    e[...] = e * e
    return np.sum(y * y) + w * e


@program((3,))
def arrays_of_zero_dimensions(x):
    a = np.zeros_like(x[0:1].reshape(()))
    a[()] = x[1]
    b = a * a
    a += x[0]
    a[...] *= x[2]
    c = a * b
    a.fill(a * 2.0)
    return np.sum(a * b * c)


@program((2, 0))
def empty_arrays(x):
    y = x * 1.5
    y[:] = x
    y += x
    y[0] = 1.0
    y[..., :2] *= x
    np.add.at(y, [], 1.0)
    y.sort()
    y[np.zeros((2, 0), dtype=bool)] = 3.0
    return np.sum(y) + np.sum(y.T @ y)


@program((4,))
def empty_parts(x):
    y = x * 1.5
    z = y * y
    e = y[2:2]
    e[:] = 1.0
    e += x[:0]
    y[:0] = x[:0]
    y[[]] *= 2.0
    y.reshape(2, 2)[:, :0] = 3.0
    return np.sum(y * z) + np.sum(e * e)


@program((3, 4))
def copies_are_no_views(x):
    y = x * 1.5
    z = y * y
    for made in (y.T.ravel(), y.flatten(), y.copy(), np.copy(y), y[[0, 1]], y[y > 0], +y,
                 y.reshape(-1, order="F"), y.astype(float), np.array_split(y.copy(), 2)[0]):
        made[0] = 7.0
        z = z * np.sum(made * made)
        z = np.tanh(z)
    y.astype(float, copy=False)[1] = x[0]
    return np.sum(y * z)


@program((2, 3), (3,))
def broadcast_view_follows_writes(x, v):
    y = v * 1.5
    b = np.broadcast_to(y, (2, 3))
    s = np.sum(b * b * x)
    y[0] = x[0, 0]
    t = np.sum(b**3 * x)
    y *= v
    return s * t * np.sum(b * x)


@program((3,))
def broadcast_view_of_constant_becomes_active(x):
    y = np.zeros_like(x)
    b = np.broadcast_to(y, (2, 3))
    y[0] = x[0]
    y[1:] += x[:2]
    return np.sum(b * b * x)


@program((3,))
def views_of_broadcast_views(x):
    y = x * 1.5
    b = np.broadcast_to(y, (2, 3))
    row, turned, element = b[0], b.T, b[1, 2]
    s = np.sum(row * row) + np.sum(turned**3)
    y[0] = x[1] * 3.0
    return s * np.sum(row * row) + np.sum(turned**3) * element


@program((3,))
def broadcast_arrays_follow_writes(x):
    y = x * 1.5
    a, b = np.broadcast_arrays(y, np.ones((2, 1)))
    s = np.sum(a * a * b)
    y[1] = x[0]
    return s * np.sum(a**3)


@program((5,))
def sliding_windows_follow_writes(x):
    y = x * 1.5
    w = np.lib.stride_tricks.sliding_window_view(y, 3)
    s = np.sum(w * w)
    y[2] = x[0]
    y[3:] *= 2.0
    return s * np.sum(w**3)


@program((9,))
def windows_with_gaps_overlap_too(x):
    y = x * 1.5
    w = np.lib.stride_tricks.sliding_window_view(y, 5)[::2, ::2]
    s = np.sum(w * w * np.arange(9.0).reshape(3, 3))
    y[4] = x[0]
    return s * np.sum(np.sin(w) * w.T)


@program((3,))
def newaxis_views_are_broadcast_in_use(x):
    y = x * 1.5
    b = y[None]
    c = b * np.arange(6.0).reshape(2, 3)
    y[0] = 3.0
    b[0, 1] = x[0]
    return np.sum(c * b) * np.sum(y * y)


@program((4,))
def real_arrays_are_their_own_parts(x):
    y = x * 1.5
    z = y * y
    for made in (y.real, np.real(y), y.view(), np.squeeze(y), y.reshape(4), y[...], y[:]):
        made[0] *= 1.1
        made[1:] += 0.5
    y.conj()[1] *= 2.0
    return np.sum(y * z)


@program((4,))
def assign_to_shape(x):
    y = x * 1.5
    z = y.copy()
    v = y.reshape(2, 2)
    v[0] = v[1] * x[0]
    return np.sum(z * y) * np.sum(v @ v)


@program((3, 4), (3, 4), layout=_fortran)
def fortran_arguments(x, y):
    r = x.ravel("K")
    s = r * r
    r[1:4] = 5.0
    x[1] *= y[0]
    q = x.reshape(-1, order="F")
    q[0] = y[0, 0]
    y[:, 1] = x[:, 0]
    return np.sum(x**3) + np.sum(s * r) + np.sum(y @ x.T)


@program((3, 4), (4,), layout=_backwards)
def backwards_arguments(x, y):
    z = x * x
    x[0] = y
    v = x[::-1]
    w = v * v
    v[0, 1] *= 3.0
    x[1, 1] = v[0, 0]
    y[1:] += y[:-1]
    return np.sum(x**3) + np.sum(w * z) + x[-1, 0] * v[1, 1] * np.sum(y * y)


@program((3, 4), (4,), layout=_strided)
def strided_arguments(x, y):
    z = x * x
    x.T[1] = y[:3]
    v = x[:, 1::2]
    w = v * v
    v *= y[::2]
    y[...] = x[0]
    y.sort()
    return np.sum(x**3 * z) + np.sum(w * v) + np.sum(y @ x.T)


@program((3, 4), (4,), layout=_read_only)
def read_only_arguments(x, y):
    z = x * y
    w = z.copy()
    z[1] = y
    v = x[1:]
    return np.sum(z * w) * np.sum(v * v * y)


@program((4,), layout=lambda x: np.broadcast_to(x, (3, 4)))
def broadcast_arguments(x):
    y = x * 2.0
    y[0] = x[1]
    r = x[2]
    y[1] *= r
    return np.sum(y * x) + np.sum(x.T @ y) + x[0, 1] * r[2]


@program((4,), (2, 3), dtype="f")
def single_precision(x, m):
    y = x * 2
    y[0] = x[1] * 1.5
    z = y * y
    y *= np.float32(1.25)
    y[1:] += x[:-1]
    w = m * m
    m[0] = x[:3]
    m.T[1] *= y[0]
    y[[0, 0, 3]] = x[1:]
    np.add.at(y, [1, 1], x[:2])
    return np.sum(z * y) + np.sum(w * m)


@program((3,), dtype="F")
def single_precision_complex(x):
    y = x * 2
    y[0] = x[1] * np.complex64(1.5j)
    z = y * y
    y[1:] += x[:-1]
    y.real[0] = 1.0
    y.imag[1:] *= y.real[:-1]
    y[[2, 2]] = x[:2]
    return np.sum(np.abs(z * y))
