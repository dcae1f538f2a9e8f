"""Functions and methods that write: out=, copyto, put, fill, sort, ufunc.at, masks.

`z` always holds on to what is overwritten.
"""

import numpy as np

from tests.mutation import program


@program((4,))
def fill_with_element(x):
    y = x * 1.5
    z = y * y
    y.fill(x[1])
    w = y * x
    y[1:3].fill(2.0)
    return np.sum(z * y * w)


@program((4,))
def fill_with_itself(x):
    y = x * 1.5
    z = y * y
    y.fill(y[2])
    y[:2].fill(np.sum(y))
    return np.sum(z * y)


@program((5,))
def sort_in_place(x):
    y = x * 1.5
    z = y * y
    y.sort()
    return np.sum(z * y * np.arange(5.0))


@program((3, 4))
def sort_views(x):
    y = -x * 1.5
    z = y * y
    y.T.sort(axis=-1)
    w = y * z
    y[1].sort()
    y[:, ::-2].sort(axis=0)
    return np.sum(w * y * np.arange(12.0).reshape(3, 4))


@program((5,))
def partition_in_place(x):
    y = x * 1.5
    z = y * y
    y.partition(2)
    return np.sum(z * y[2]) + np.sum(y[:2]) * y[4]


@program((4,))
def put_repeated_and_modes(x):
    y = x * 1.5
    z = y * y
    np.put(y, [0, -1, 0], x[1:] * 2.0)
    y.put([5], x[0], mode="wrap")
    w = y * z
    y.put([9], x[0] * x[1], mode="clip")
    return np.sum(w * y * np.arange(1.0, 5.0))


@program((2, 3))
def put_through_a_transpose(x):
    y = x * 1.5
    z = y * y
    np.put(y.T, [1, 4], x[0, :2])
    np.put(y, [[0, 1], [5, 5]], x[0, 0])
    return np.sum(z * y)


@program((4,))
def copyto_views(x):
    y = x * 1.5
    z = y * y
    np.copyto(y[::2], x[:2] * 3.0)
    np.copyto(dst=y[1:], src=y[:-1])
    return np.sum(z * y * np.arange(1.0, 5.0))


@program((4,))
def copyto_masked(x):
    y = x * 1.5
    z = y * y
    np.copyto(y, x[0], where=np.array([True, True, False, False]))
    w = y * z
    np.copyto(y, 5.0, where=np.array([False, True, False, True]))
    return np.sum(w * y * np.arange(1.0, 5.0))


@program((3, 4))
def copyto_broadcast_mask(x):
    y = x * 1.5
    z = y * y
    np.copyto(y, x[0] * 2.0, where=np.array([[True], [False], [True]]))
    np.copyto(y[1:, ::2], x[0, :2], where=np.array([True, False]))
    return np.sum(z * y)


@program((4,))
def copyto_mask_written_later(x):
    mask = np.array([True, False, True, False])
    y = x * 1.5
    z = y * y
    np.copyto(y, x * x, where=mask)
    mask[:] = ~mask
    return np.sum(z * y)


@program((4,))
def place_and_putmask(x):
    y = x * 1.5
    z = y * y
    mask = np.array([True, False, True, True])
    np.place(y, mask, x[:2])
    w = y * z
    np.putmask(y, ~mask, x * x)
    np.putmask(y, mask, x[:3])
    return np.sum(w * y)


@program((3, 4))
def fill_diagonal(x):
    y = x * 1.5
    z = y * y
    np.fill_diagonal(y, x[0, :3])
    w = y * z
    np.fill_diagonal(y.T, x[2, 0])
    np.fill_diagonal(y[:2], 0.5)
    return np.sum(w * y)


@program((3, 4))
def put_along_axis(x):
    y = x * 1.5
    z = y * y
    order = np.array([[0, 3], [1, 1], [2, 0]])
    np.put_along_axis(y, order, x[:, 1:3], axis=1)
    order[:] = 0
    np.put_along_axis(y, np.array([[2, 1, 0, 0]]), x[0, 0], axis=0)
    return np.sum(z * y)


@program((4,))
def add_at_repeated(x):
    y = x * 1.5
    z = y * y
    np.add.at(y, [0, 0, 1], x[1:])
    w = y * z
    np.subtract.at(y, np.array([1, 1]), x[0] * x[3])
    np.add.at(y, (np.array([3, 3]),), 2.0)
    return np.sum(w * y)


@program((4,))
def add_at_slice(x):
    y = x * 1.5
    z = y * y
    np.add.at(y, slice(0, 2), x[2:])
    return np.sum(z * y)


@program((4,))
def add_at_overlapping(x):
    y = x * 1.5
    z = y * y
    np.add.at(y, np.array([1, 2, 3]), y[:3])
    return np.sum(z * y)


@program((4,))
def add_at_index_written_later(x):
    index = np.array([0, 1, 0])
    y = x * 1.5
    z = y * y
    np.add.at(y, index, x[:3])
    index[:] = 3
    return np.sum(z * y)


@program((4,))
def other_ufuncs_at(x):
    y = x * 1.5
    z = y * y
    np.multiply.at(y, np.array([0, 2]), x[:2])
    np.divide.at(y, np.array([1]), 1.0 + x[0] ** 2)
    np.maximum.at(y, np.array([3]), 10.0 * x[0])
    np.negative.at(y, np.array([2]))
    np.exp.at(y, np.array([True, False, False, False]))
    return np.sum(z * y)


@program((4,))
def out_of_ufuncs(x):
    a = np.empty_like(x)
    np.exp(x, out=a)
    b = a * a
    np.multiply(a, x, out=a)
    np.add(a, b, a)
    c = a * b
    np.tanh(a, out=a[::-1])
    np.subtract(a[1:], a[:-1], out=a[1:])
    return np.sum(a * c)


@program((4,))
def out_that_rules_read(x):
    a = x * 1.5
    np.exp(a, out=a)
    b = a * x
    np.sqrt(a, out=a)
    np.tanh(a, out=a)
    np.reciprocal(a, out=a)
    np.power(a, x, out=a)
    np.divide(x, a, out=a)
    return np.sum(a * b)


@program((4,))
def out_masked(x):
    mask = np.array([True, False, True, False])
    a = x * 1.5
    z = a * a
    np.multiply(a, x, out=a, where=mask)
    b = a * z
    np.exp(a, out=a, where=~mask)
    mask[:] = True
    return np.sum(a * b)


@program((3, 4))
def out_of_reductions(x):
    a = np.empty_like(x[0])
    np.sum(x, axis=0, out=a)
    b = a * a
    np.max(x, axis=0, out=a)
    c = a * b
    x.mean(axis=0, out=a)
    d = a * c
    np.add.reduce(x, axis=0, out=a)
    e = a * d
    np.prod(x, axis=0, out=a)
    x.var(axis=0, out=b)
    return np.sum(a * e * b)


@program((3, 3))
def out_of_products(x):
    a = np.empty_like(x)
    np.matmul(x, x, out=a)
    b = a * a
    np.matmul(a, x, out=a)
    np.dot(x, a, out=b)
    c = b * a
    np.einsum("ij,jk->ik", a, b, out=b)
    a @= x
    return np.sum(a * b * c)


@program((3, 3))
def out_of_rearrangements(x):
    a = x * 1.5
    b = a * a
    np.cumsum(x, axis=0, out=a)
    c = a * b
    np.cumsum(a, axis=1, out=a)
    np.take(x, [2, 0, 0], axis=0, out=b)
    d = a * b
    np.concatenate([x[:1], a[1:]], out=b)
    np.stack([x[0], b[1], a[2]], out=a)
    np.clip(a, -0.5, 0.7, out=a)
    np.compress([True, False, True], x, axis=0, out=b[1:])
    return np.sum(a * b * c * d)


@program((3, 3))
def out_by_position(x):
    a = x * 1.5
    z = a * a
    np.dot(x, x, a)
    b = a * z
    np.sum(x, 0, None, b[0])
    np.cumsum(x, 0, None, a)
    np.clip(x[1:], -0.5, 0.5, b[1:])
    np.concatenate((x[:2], b[2:]), 0, a)
    x[:, 0].max(0, a[0, 1, ...])
    return np.sum(a * b * z)


@program((4,))
def nan_to_num_in_place(x):
    y = x * 1.5
    y[0] = np.nan
    z = y[1:] * x[1:]
    np.nan_to_num(y, copy=False, nan=2.0)
    y *= x
    return np.sum(y * y) + np.sum(z)


@program((4,))
def median_of_work_array(x):
    y = x * 1.5
    z = y * y
    m = np.median(y, overwrite_input=False)
    return m * np.sum(z * y)


@program((4,), (4,))
def every_augmented_assignment(x, v):
    y = x * 1.5
    z = y * y
    y += v
    a = y * z
    y -= x
    y *= v
    b = y * a
    y /= 1.5 + x * x
    y **= 2
    c = y * b
    y %= 10.0
    y @= np.eye(4) * 2.0
    return np.sum(y * c)


@program((3, 4), (4,))
def augmented_by_broadcasts(x, v):
    y = x * 1.5
    z = y * y
    y += v
    y *= v[:3, None]
    w = y * z
    y[:, 1:] /= 2.0 + v[0]
    y[0] -= [1.0, 2.0, 3.0, 4.0]
    y[1] += [v[0], 1.0, v[1], 2.0]
    return np.sum(w * y)


@program((4,))
def augmented_by_itself(x):
    y = x * 1.5
    z = y * y
    y *= y
    w = y * z
    y += y
    y /= y[0]
    y -= y[::-1] * y
    return np.sum(w * y)


@program((4,))
def scalars_are_no_arrays(x):
    a = x[1]
    b = a
    a += x[0]
    a *= 2.0
    c = x.copy()
    c[1] = 5.0
    return a * b * np.sum(c)


@program((5,))
def overlapping_slices(x):
    y = x * 1.5
    z = y * y
    y[1:] += y[:-1]
    w = y * z
    y[:] = y[::-1]
    y[1:] *= y[:-1]
    y[:-1] = y[1:] * y[:-1]
    y[2:] = y[:-2]
    return np.sum(w * y * np.arange(1.0, 6.0))


@program((3, 3))
def overlapping_transpose(x):
    y = x * 1.5
    z = y * y
    y += y.T
    w = y * z
    y[:] = y.T @ y
    y[0] = y[:, 1]
    np.multiply(y, y.T, out=y.T)
    return np.sum(w * y)


@program((5,))
def overlapping_fancy(x):
    y = x * 1.5
    z = y * y
    y[[1, 2, 3]] = y[[0, 1, 2]]
    w = y * z
    y[np.array([4, 0])] = y[3:]
    y[y > 0] *= y[0]
    return np.sum(w * y)


@program((4,))
def lists_as_values(x):
    y = x * 1.5
    z = y * y
    y[:] = [x[0], 2.0, x[2] * x[3], y[0]]
    y[1:3] = (x[0], y[1])
    y[[0, 3]] = [y[3], 1.0]
    return np.sum(z * y)


@program((3, 4))
def values_with_leading_ones(x):
    y = x * 1.5
    z = y * y
    y[1] = x[:1] * 2.0
    y[:, 0] = x[None, :, 1]
    y[[0, 2], 3] = x[:1, :2]
    np.copyto(y[2], x[None, :1] * 0.5)
    return np.sum(z * y)


@program((4,))
def parts_from_constants_and_values(x):
    y = np.zeros_like(x)
    y[0] = 2.0
    y[1:3] = x[:2]
    z = y * x
    y[2] = 3.0
    y[3] = y[2] * y[1]
    y[np.array([0, 2])] += x[3]
    return np.sum(y * z) + np.sum(y**3)


@program((4,))
def constant_becomes_active(x):
    c = np.ones_like(x)
    a = np.sum(x * x * c)
    c[:] = 3.0
    b = np.sum(x**3 * c)
    c += 1.0
    d = np.sum(x * c)
    c[1] = x[0]
    return a * b * d * np.sum(c * x)


@program((4,))
def constant_written_in_every_way(x):
    c = np.ones_like(x)
    v = c[1:]
    a = np.sum(x[1:] ** 2 * v)
    c[2] = 3.0
    v *= 2.0
    b = np.sum(x**3 * c)
    np.multiply(c, 2.0, out=c)
    d = np.sum(x**2 * c)
    c.fill(2.0)
    e = np.sum(x**3 * c)
    c[:] = [3.0, 1.0, 2.0, 0.5]
    f = np.sum(x * x * c)
    c.sort()
    g = np.sum(x * x * c)
    np.add.at(c, [0], 1.0)
    np.put(c, [1], 4.0)
    return a * b * d + e * f * g + np.sum(c * x**3)


@program((4,))
def active_becomes_constant(x):
    y = x * 1.5
    z = y * y
    y[:] = 2.0
    w = y * x
    y[0] = x[0]
    y[...] = np.arange(4.0)
    return np.sum(z) + np.sum(w * y)


@program((4,))
def floating_point_error_after_the_write(x):
    y = x * 1.5
    z = y * y
    w = z * 1.0
    divisor = np.array([1.0, 0.0, 2.0, 3.0])
    with np.errstate(divide="raise"):
        for attempt in (lambda: y.__itruediv__(divisor), lambda: np.divide(x, divisor, out=w),
                        lambda: np.divide(z, divisor, out=z, where=np.arange(4) % 2 == 1)):
            try:
                attempt()
            except FloatingPointError:
                continue
            raise RuntimeError("no error")
    y[1] = z[1] = 0.5  # NumPy had written all, infinity here
    w[1] = x[0]
    return np.sum(y * z * w)


@program((4,))
def error_leaves_all_usable(x):
    y = x * 1.5
    z = y * y
    attempts = [
        lambda: y.__setitem__(slice(0, 2), x[:3]),
        lambda: y.__iadd__(x[:3]),
        lambda: np.add(x, x[:3], out=y),
        lambda: np.copyto(y, x[:3]),
        lambda: y.__setitem__(7, 1.0),
        lambda: y.__setitem__([7], x[0]),
        lambda: y.__setitem__(0, "a"),
        lambda: y.__setitem__((0, 0), x[0]),
        lambda: np.put(y, [9], x),
        lambda: np.add.at(y, [5], x[0]),
        lambda: y.__imatmul__(x[:3]),
        lambda: y[y > 100.0][0],
        lambda: y[1:].__setitem__(np.array([True, False]), x[0]),
        lambda: y.diagonal(),
        lambda: np.broadcast_to(y, (2, 4)).__setitem__(0, x),
    ]
    for attempt in attempts:
        try:
            attempt()
        except (ValueError, IndexError):
            continue
        raise RuntimeError("no error")
    y[0] = 2.0
    y[1:] *= x[1:]
    return np.sum(z * y)
