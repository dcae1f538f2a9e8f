"""Integers and booleans that come from data: indices, counts, ranges, keys, masks."""

# ruff: noqa: E701, E702

import numpy as np

from tests.programs import A, Scene, program


@program()
def argmax_selects():
    table = np.arange(9.0).reshape(3, 3) + 1.0
    def f(x):
        k, j = np.argmax(x), int(np.argmin(x))
        return x[k] ** 2 * table[k, 0] + x[j] * table[j, k] + table[k] @ x
    return f


@program()
def slices_by_computed_integers():
    def f(x):
        n = int(x[1]); m = int(np.sum(x > 0))
        y = np.concatenate([x, x * 2.0])
        return np.sum(y[:n] * 3.0) + np.sum(y[n:n + m] ** 2) + np.prod(y[-m:]) + y[::m + 1][1]
    return f


@program()
def range_of_a_computed_integer():
    def f(x):
        y = x[0]
        for i in range(int(abs(x[1]) * 2.0)): y = y * 0.5 + x[i % 3] * i
        for i in range(np.argmax(x) + 1): y = y + x[i] ** 2
        return y
    return f


@program()
def rounding_to_a_grid():
    grid = np.array([1.0, 3.0, 2.0, 5.0, 4.0, 1.5])
    def f(x):
        total = 0.0
        for v in x:
            p = v + 2.0
            k = min(max(int(np.floor(p)), 0), 4)
            w = p - k
            total = total + (1.0 - w) * grid[k] + w * grid[k + 1] * v
        return total
    def before(k):
        grid[k] += 1.0
    return Scene(f, before=before)


@program()
def counts_in_arithmetic():
    def f(x):
        n = np.count_nonzero(x > 0); m = (x > 1).sum(); k = len(x[x > 0.4])
        return np.sum(x * x) / n + m * x[0] + (n / 2 + k**2) * x[1] + n // 2 * x[2]
    return f


@program()
def masks_of_changing_size():
    def f(x):
        m = x > 0
        inside, outside = x[m], x[~m]
        total = np.sum(inside * np.arange(m.sum())) + outside.sum() * inside.mean()
        return total + inside[-1] * inside.size
    return f


@program()
def nonzero_where_and_unique():
    def f(x):
        (i,) = np.nonzero(x > 0.5); j = np.flatnonzero(x < 1); k = np.where(x > 0)[0]
        labels, back = np.unique(np.sign(x), return_inverse=True)
        w = np.arange(1.0, 1 + len(labels))[back]
        return np.sum(x[i] ** 2) + np.sum(x[j]) * x[k[0]] + w @ x
    return f


@program()
def argsort_and_ranks():
    def f(x):
        order = np.argsort(x); ranks = np.empty(3, int); ranks[order] = np.arange(3)
        y = x[order]
        return y[0] * 2.0 + y[1] * y[2] + ranks @ x + np.take_along_axis(x, order[::-1], 0)[0]
    return f


@program()
def searchsorted_interpolation():
    knots = np.array([-2.0, 0.0, 1.0, 3.0]); values = np.array([0.5, 1.0, -1.0, 2.0])
    def f(x):
        i = np.clip(np.searchsorted(knots, x) - 1, 0, 2)
        t = (x - knots[i]) / (knots[i + 1] - knots[i])
        return np.sum((values[i] * (1 - t) + values[i + 1] * t) * x)
    def before(k):
        values[k] = k
    return Scene(f, before=before)


@program()
def dict_lookup_by_computed_key():
    actions = {-1: "neg", 0: "zero", 1: "pos"}
    weights = {"neg": 2.0, "zero": 0.5, "pos": 3.0}
    def f(x):
        total = 0.0
        for v in x:
            total = total + v * v * weights[actions[int(np.sign(round(float(v))))]]
        return total
    def before(k):
        weights["neg"] = k + 1.0
    return Scene(f, before=before)


@program()
def booleans_in_arithmetic():
    def f(x):
        up = x[0] > 0
        s = (x > 0) * x * 2.0 + ~(x > 1) * x
        total = np.sum(s) * (1 + up) + x[1] * (x[2] > 1) - (not up) * x[0]
        return total + sum(v > 0 for v in x) * x[2]
    return f


@program()
def integer_state_of_the_outside():
    class Step: t, k = 0, 2
    s = Step()
    def f(x):
        s.t += 1
        lr = 1.0 / (s.t + 1)
        y = x * lr
        for i in range(s.t % s.k + 1): y = y * x[i]
        return np.sum(y) + s.t * x[s.t % 3]
    return Scene(f, lambda: vars(s))


@program()
def bit_operations_and_digits():
    def f(x):
        n = int(abs(x[1]) * 4)
        bits = [n >> i & 1 for i in range(4)]
        total = 0.0
        for i, b in enumerate(bits): total = total + (x[i % 3] ** 2 if b else -x[i % 3])
        return total * (n ^ 5) + (n & 3) * x[0] + (~n) * x[2]
    return f


@program()
def modular_walk():
    def f(x):
        i, y, seen = 0, 0.0, []
        while len(seen) < 5:
            seen.append(i)
            y = y * 0.7 + x[i]
            i = (i + (2 if y > 1 else 1)) % len(x)
        return y * (1 + seen.count(0))
    return f


@program()
def one_hot_and_embedding():
    E = np.arange(8.0).reshape(4, 2) / 4.0
    def f(x):
        ids = (np.abs(x) * 1.5).astype(int)
        hot = np.eye(4)[ids]
        total = np.sum(E[ids][:, 0] * x) + np.sum(hot @ E * x[:, None])
        return total + np.bincount(ids)[ids[0]] * x[0]
    return f


@program((A(1, 2, 3), 0), (A(-1, 2, 0.5), 2), (A(2, 1, 1.5), -1))
def index_as_argument():
    def f(x, i):
        y = x.copy()
        y[i] *= 3.0
        return y[i] ** 2 + y[i - 1] * y[(i + 1) % 3] + i * x[0]
    return f


@program((A(1, 2, 3), 2, True), (A(-1, 2, 0.5), 3, False), (A(2, 1, 1.5), 0, True))
def counts_and_flags_as_arguments():
    def f(x, n, flag=False):
        y = x
        for k in range(n): y = np.roll(y, k) * x
        return np.sum(y) if flag else np.prod(y) + n
    return f


@program()
def binning_and_histogram():
    edges = np.array([-2.0, 0.0, 1.0, 2.0, 4.0])
    def f(x):
        bins = np.digitize(x, edges)
        sums = np.zeros(6)
        for b, v in zip(bins, x): sums[b] += v * v
        counts, _ = np.histogram(x, edges)
        return np.sum(sums * np.arange(6)) + counts @ np.array([1.0, 2.0, 3.0, 4.0]) * x[0]
    return f
