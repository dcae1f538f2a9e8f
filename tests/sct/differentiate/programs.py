"""Loops built by hand, each as ``program(builder, *inputs)``."""

import operator as o

import numpy as np

from hybridad.trace.ir import Block, Branch, Leave, Next
from tests.sct.differentiate.building import Builder

__all__ = ["LOOPS"]


def branch(b, test, sides, kind="bool"):
    """A body that ends in a decision; ``sides``: outcome -> function of a builder to its end."""
    made = {}
    for outcome, side in sides.items():
        inner = Builder(b)
        end = side(inner)
        made[outcome] = end if type(end) is Block else Block(tuple(inner.nodes), end)
    return Block(tuple(b.nodes), Branch(test, kind, made))


def zero(b):
    return b.apply(np.float64, 0.0)


def newton(b, a):
    """While abs(d) > 1e-12: the square root of `a`."""
    def body(b, _, d, y):
        test = b.apply(o.gt, b.apply(abs, d), 1e-12)

        def more(b):
            step = b.apply(o.truediv, b.apply(o.sub, b.apply(o.mul, y, y), a),
                           b.apply(o.mul, 2.0, y))
            return Next((step, b.apply(o.sub, y, step)), 1)

        return branch(b, test, {True: more, False: lambda b: Leave((d, y), 0, 0, False)})

    one = b.apply(float, 1.0)
    return b.loop("while", (), [one, a], body)[1]


def horner(b, x, c):
    def body(b, i, y):
        return Next((b.apply(o.add, b.apply(o.mul, y, x), b.apply(o.getitem, c, i)),))

    return b.loop("range", (0, b.apply(len, c), 1), [zero(b)], body, item=1)[0]


def chain(b, x):
    """out[i] = sin(out[i - 1]) * x[i]"""
    n = b.apply(len, x)
    out = b.apply(np.zeros_like, x)
    out = b.set(out, 0, b.apply(o.getitem, x, 0))

    def body(b, i, out):
        before = b.apply(o.getitem, out, b.apply(o.sub, i, 1))
        return Next((b.set(out, i, b.apply(o.mul, b.apply(np.sin, before), b.apply(
            o.getitem, x, i))),))

    (out,) = b.loop("range", (1, n, 1), [out], body, item=1)
    return b.apply(np.sum, b.apply(o.mul, out, out))


def product(b, x, y):
    """A matrix product by three loops, its squares summed."""
    n, k, m = *b.example(x).shape, b.example(y).shape[1]
    out = b.apply(np.zeros, (n, m))

    def rows(b, i, out):
        def columns(b, j, out):
            def terms(b, l, s):
                return Next((b.apply(o.add, s, b.apply(o.mul, b.apply(
                    o.getitem, x, (i, l)), b.apply(o.getitem, y, (l, j)))),))

            (s,) = b.loop("range", (0, k, 1), [zero(b)], terms, item=1)
            return Next((b.set(out, (i, j), s),))

        return Next(tuple(b.loop("range", (0, m, 1), [out], columns, item=1)))

    (out,) = b.loop("range", (0, n, 1), [out], rows, item=1)
    return b.apply(np.sum, b.apply(o.mul, out, out))


def heat(b, u, c):
    """u[1:-1] += c * (u[2:] - 2 u[1:-1] + u[:-2]), five times."""
    u = b.method(u, "copy")

    def body(b, _, u):
        inner = b.apply(o.getitem, u, slice(1, -1))
        change = b.apply(o.add, b.apply(o.sub, b.apply(o.getitem, u, slice(2, None)), b.apply(
            o.mul, 2.0, inner)), b.apply(o.getitem, u, slice(None, -2)))
        return Next((b.write(u, (b.at(slice(1, -1)),), o.iadd, b.apply(o.mul, c, change)),))

    (u,) = b.loop("range", (0, 5, 1), [u], body, item=0)
    return b.apply(np.sum, b.apply(o.pow, u, 3))


def recurrent(b, w, x, h):
    """h = tanh(w @ h + x[t])"""
    def body(b, t, h):
        return Next((b.apply(np.tanh, b.apply(o.add, b.apply(o.matmul, w, h), b.apply(
            o.getitem, x, t))),))

    (h,) = b.loop("range", (0, b.apply(len, x), 1), [h], body, item=0)
    return b.apply(np.sum, h)


def branches(b, x, c):
    """Another formula for every third iteration, and one that uses nothing of what is carried."""
    def body(b, i, y, z):
        test = b.apply(o.mod, i, 3)
        return branch(b, test, {
            0: lambda b: Next((b.apply(o.mul, y, b.apply(o.getitem, c, i)), z), 0),
            1: lambda b: Next((b.apply(o.add, y, b.apply(np.sin, z)), b.apply(o.mul, z, x)), 1),
            2: lambda b: Next((b.apply(o.mul, x, b.apply(o.getitem, c, i)), y), 2)}, "int")

    first = [b.apply(np.float64, x), b.apply(np.float64, 1.0)]
    y, z = b.loop("range", (0, b.apply(len, c), 1), first, body, item=0)
    return b.apply(o.mul, y, z)


def broken(b, x):
    """The sum of exp(x[i]), until the first that is greater than 4 (which counts twice)."""
    def body(b, i, s):
        e = b.apply(np.exp, b.apply(o.getitem, x, i))
        s = b.apply(o.add, s, e)
        return branch(b, b.apply(o.gt, e, 4.0), {
            True: lambda b: Leave((b.apply(o.mul, s, e),), 0, 1),
            False: lambda b: Next((s,), 1)})

    return b.loop("range", (0, b.apply(len, x), 1), [zero(b)], body, item=0)[0]


def swapped(b, x, y):
    """a, b = b, a * x: two phis change places."""
    def body(b, _, p, q):
        return Next((q, b.apply(o.mul, p, x)))

    p, q = b.loop("range", (0, 5, 1), [x, y], body, item=0)
    return b.apply(o.sub, p, b.apply(np.sin, q))


def buffers(b, x):
    """Two arrays change places: new = old * x, then they are swapped."""
    def body(b, _, old, new):
        new = b.write(new, (), o.setitem, slice(None), b.apply(o.mul, old, x))
        return Next((new, old))

    first = b.method(x, "copy")
    second = b.apply(np.zeros_like, x)
    new, old = b.loop("range", (0, 3, 1), [first, second], body, item=0)
    return b.apply(o.add, b.apply(np.sum, new), b.apply(np.sum, b.apply(np.exp, old)))


def last(b, x, c):
    """What is carried is thrown away in every iteration."""
    def body(b, i, y):
        return Next((b.apply(o.mul, b.apply(o.getitem, c, i), x),))

    return b.loop("range", (0, b.apply(len, c), 1), [b.apply(np.float64, x)], body, item=0)[0]


def late(b, x):
    """Starts inactive, becomes active; a phi that only the other one's future needs."""
    def body(b, _, y, z):
        return Next((b.apply(o.add, y, z), b.apply(o.mul, x, b.apply(o.add, z, 1.0))))

    return b.loop("range", (0, 4, 1), [b.apply(float, 0.0), b.apply(float, 1.0)], body, item=0)[0]


def rows(b, x):
    """The product of the sums of rows that are read as views."""
    def body(b, i, y):
        row = b.apply(o.getitem, x, i)
        return Next((b.apply(o.mul, y, b.apply(np.sum, b.apply(o.mul, row, b.apply(
            o.getitem, row, 0)))),))

    return b.loop("range", (0, b.apply(len, x), 1), [b.apply(np.float64, 1.0)], body, item=0)[0]


def inner_break(b, x):
    """A loop that is left early, inside another one."""
    def body(b, i, total):
        def inner(b, j, s):
            s = b.apply(o.mul, s, b.apply(o.getitem, x, j))
            return branch(b, b.apply(o.ge, j, i), {
                True: lambda b: Leave((b.apply(np.sin, s),), 0, 1),
                False: lambda b: Next((s,), 1)})

        (s,) = b.loop("range", (0, 10, 1), [b.apply(np.float64, 1.0)], inner, item=0)
        return Next((b.apply(o.add, total, s),))

    return b.loop("range", (0, b.apply(len, x), 1), [zero(b)], body, item=0)[0]


V = np.linspace(0.5, 1.6, 6)
M = np.linspace(0.5, 1.5, 12).reshape(3, 4)

LOOPS = {
    "newton": (newton, 2.0),
    "horner": (horner, 0.7, V),
    "chain": (chain, V),
    "product": (product, M, M.T.copy()),
    "heat": (heat, V, 0.2),
    "recurrent": (recurrent, M[:, :3].copy(), M.T.copy()[:, :3].copy(), V[:3].copy()),
    "branches": (branches, 0.8, V),
    "broken": (broken, V),
    "swapped": (swapped, 0.8, 1.3),
    "buffers": (buffers, V),
    "last": (last, 0.7, V),
    "late": (late, 0.7),
    "rows": (rows, M),
    "inner break": (inner_break, V),
}
