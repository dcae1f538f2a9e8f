"""Programs without loops: every form in which a trace can hold an operation.

Each is ``program(builder, *inputs)`` with its inputs; it gives a number.
"""

import math
import operator as o

import numpy as np

from hybridad.trace.ir import HOLE, Method, Step

__all__ = ["M", "STRAIGHT", "V", "WRITES", "Z", "weighed"]

RNG = np.random.default_rng(0)
V = RNG.uniform(0.5, 1.5, 4)
M = RNG.uniform(0.5, 1.5, (3, 4))
N = RNG.uniform(0.5, 1.5, (4, 2))
Z = RNG.uniform(0.5, 1.5, 3) + 1j * RNG.uniform(0.5, 1.5, 3)


def weighed(b, x):
    """A number that depends on all elements of `x`, each in its own way."""
    example = b.example(x)
    weights = np.cos(np.arange(np.size(example))).reshape(np.shape(example))
    if np.iscomplexobj(example):
        weights = weights + 1j * weights[..., ::-1]
        return b.method(b.apply(np.sum, b.apply(o.mul, x, weights)), "real")
    return b.apply(np.sum, b.apply(o.mul, x, weights))


STRAIGHT = {
    "operators": (lambda b, x, y: b.apply(o.pow, b.apply(o.truediv, b.apply(o.sub, b.apply(
        o.add, b.apply(o.mul, x, y), x), 0.3), y), 1.5), 1.3, 0.7),
    "python floats": (lambda b, x: b.apply(math.exp, b.apply(o.neg, b.apply(
        math.sin, b.apply(abs, x)))), -0.4),
    "math of two": (lambda b, x, y: b.apply(math.atan2, x, b.apply(math.pow, y, x)), 1.2, 0.8),
    "float of an array's element": (lambda b, x: b.apply(float, b.apply(o.getitem, x, 2)), V),
    "ufuncs": (lambda b, x, y: weighed(b, b.apply(np.multiply, b.apply(np.exp, x), b.apply(
        np.log, y))), V, V),
    "broadcasting": (lambda b, x, y: weighed(b, b.apply(o.mul, b.apply(o.add, x, y), 2.0)), M, V),
    "broadcasting a number": (lambda b, x, y: weighed(b, b.apply(o.truediv, x, y)), M, 1.7),
    "broadcasting both": (lambda b, x, y: weighed(b, b.apply(o.mul, x, b.apply(
        np.sin, y))), M[:, :1], V),
    "broadcasting under a sum": (lambda b, x, y: b.apply(np.sum, b.apply(o.add, x, y)), M, V),
    "broadcasting a column under a sum": (
        lambda b, x, y: b.apply(np.sum, b.apply(o.sub, x, y)), M, M[:, :1]),
    "a number under a sum": (lambda b, x, y: b.apply(np.sum, b.apply(o.sub, x, y)), M, 0.5),
    "sum of an axis": (lambda b, x: weighed(b, b.apply(np.sum, x, axis=1)), M),
    "sum keeps dims": (lambda b, x: weighed(b, b.apply(o.truediv, x, b.apply(
        np.sum, x, axis=1, keepdims=True))), M),
    "sum of sums": (lambda b, x: b.apply(np.sum, b.apply(np.sum, x, axis=0)), M),
    "mean of a mean": (lambda b, x: b.apply(np.mean, b.apply(np.mean, b.apply(
        o.mul, x, x), 1)), M),
    "mean": (lambda b, x: b.apply(np.mean, b.apply(o.mul, x, x)), M),
    "max": (lambda b, x: weighed(b, b.apply(np.max, x, 1)), M),
    "var": (lambda b, x: b.apply(np.var, x), M),
    "std method": (lambda b, x: weighed(b, b.method(x, "std", axis=0)), M),
    "methods": (lambda b, x: weighed(b, b.method(b.method(b.method(
        x, "reshape", 2, 6), "transpose"), "sum", axis=0)), M),
    "prod, cumsum": (lambda b, x: b.apply(o.add, b.apply(np.prod, x), b.method(
        b.method(x, "cumsum"), "mean")), V),
    "T": (lambda b, x: weighed(b, b.apply(np.tanh, b.method(x, "T"))), M),
    "dot method": (lambda b, x, y: weighed(b, b.method(x, "dot", y)), M, N),
    "matmul": (lambda b, x, y: weighed(b, b.apply(o.matmul, x, y)), M, N),
    "matmul of vectors": (lambda b, x, y: b.apply(o.matmul, x, y), V, V + 1),
    "matmul with a vector": (lambda b, x, y: weighed(b, b.apply(o.matmul, x, y)), M, V),
    "matmul ufunc": (lambda b, x, y: weighed(b, b.apply(np.matmul, x, y)), M, N),
    "einsum": (lambda b, x, y: weighed(b, b.apply(np.einsum, "ij,jk->ki", x, y)), M, N),
    "outer": (lambda b, x, y: weighed(b, b.apply(np.outer, x, y)), V, V),
    "concatenate": (lambda b, x, y: weighed(b, b.apply(np.concatenate, [x, y], axis=1)), M, M),
    "concatenate a sum": (lambda b, x, y: b.apply(np.sum, b.apply(np.concatenate, [x, y])), V, V),
    "stack": (lambda b, x, y: weighed(b, b.apply(np.stack, (x, y))), V, V),
    "array of numbers": (lambda b, x, y: weighed(b, b.apply(np.array, [x, 2.0, b.apply(
        o.mul, x, y)])), 0.5, 0.7),
    "array of arrays": (lambda b, x, y: weighed(b, b.apply(np.array, [[x, y], [y, y]])), V, V),
    "asarray": (lambda b, x: weighed(b, b.apply(np.asarray, x)), V),
    "full": (lambda b, x: weighed(b, b.apply(np.full, (2, 3), x)), 0.5),
    "where": (lambda b, x, y: weighed(b, b.apply(np.where, b.apply(o.gt, x, 1.0), b.apply(
        np.log, x), y)), M, 0.3),
    "maximum": (lambda b, x, y: weighed(b, b.apply(np.maximum, x, y)), M, V),
    "clip": (lambda b, x: weighed(b, b.apply(np.clip, x, 0.7, 1.2)), M),
    "elements": (lambda b, x: b.apply(o.mul, b.apply(o.getitem, x, 0), b.apply(
        o.mul, b.apply(o.getitem, x, 2), b.apply(o.getitem, x, -1))), V),
    "slices": (lambda b, x: b.apply(np.sum, b.apply(o.mul, b.apply(
        o.getitem, x, slice(1, None)), b.apply(o.getitem, x, slice(None, -1)))), V),
    "a slice and the whole": (lambda b, x: b.apply(o.add, weighed(b, b.apply(
        o.getitem, x, (slice(None), 1))), b.apply(np.sum, b.apply(o.mul, x, x))), M),
    "the whole and an element": (lambda b, x: b.apply(o.mul, b.apply(np.sum, x), b.apply(
        o.getitem, x, (1, 2))), M),
    "an element of a row": (lambda b, x: b.apply(o.getitem, b.apply(o.getitem, x, 1), 2), M),
    "an element of a transposed row": (lambda b, x: b.apply(o.getitem, b.apply(
        o.getitem, b.method(x, "T"), 1), 2), M),
    "a row used twice": (lambda b, x: (lambda r: b.apply(o.mul, b.apply(
        o.getitem, r, 0), weighed(b, r)))(b.apply(o.getitem, x, 1)), M),
    "fancy index": (lambda b, x: weighed(b, b.apply(o.getitem, x, np.array([0, 2, 0, 1]))), V),
    "fancy index without repetition": (lambda b, x: weighed(b, b.apply(
        o.getitem, x, (slice(None), np.array([2, 0])))), M),
    "mask": (lambda b, x: weighed(b, b.apply(o.getitem, x, np.array([True, False, True, True]))),
             V),
    "new axis": (lambda b, x: weighed(b, b.apply(o.mul, b.apply(
        o.getitem, x, (slice(None), None)), b.apply(o.getitem, x, None))), V),
    "swapaxes": (lambda b, x: weighed(b, b.apply(np.swapaxes, x, 0, 1)), M),
    "astype": (lambda b, x: weighed(b, b.method(x, "astype", np.float64)), V),
    "copy": (lambda b, x: weighed(b, b.apply(o.mul, b.method(x, "copy"), x)), V),
    "flatten": (lambda b, x: weighed(b, b.method(x, "flatten")), M),
    "item": (lambda b, x: b.method(b.apply(np.sum, x), "item"), M),
    "two results": (lambda b, x: (lambda r: b.apply(o.add, weighed(b, b.apply(
        o.getitem, r, 1)), b.apply(np.sum, b.apply(o.getitem, r, 0))))(b.apply(
            np.linalg.eigh, b.apply(o.matmul, b.method(x, "T"), x))), M[:, :3]),
    "modf": (lambda b, x: weighed(b, b.apply(o.getitem, b.apply(np.modf, x), 0)), V + 3.2),
    "split": (lambda b, x: (lambda parts: b.apply(o.add, weighed(b, b.apply(
        o.getitem, parts, 0)), b.apply(np.sum, b.apply(np.exp, b.apply(
            o.getitem, parts, 1)))))(b.apply(np.split, x, 2)), V),
    "add.reduce": (lambda b, x: weighed(b, b.apply(np.add.reduce, x)), M),
    "linalg": (lambda b, x, y: weighed(b, b.apply(np.linalg.solve, x, y)), M[:, :3], V[:3]),
    "complex": (lambda b, z: weighed(b, b.apply(o.mul, b.apply(np.exp, z), z)), Z),
    "complex parts": (lambda b, z: weighed(b, b.apply(o.mul, b.method(z, "real"), b.method(
        z, "imag"))), Z),
    "absolute of complex": (lambda b, z: weighed(b, b.apply(np.abs, z)), Z),
    "real times complex": (lambda b, x, z: weighed(b, b.apply(o.mul, x, z)), V[:3], Z),
    "unused input": (lambda b, x, y: weighed(b, x), V, M),
    "unused number": (lambda b, x, y: weighed(b, x), V, 0.3),
    "the input itself": (lambda b, x: x, 0.3),
    "keyword argument": (lambda b, x: weighed(b, b.apply(np.tile, A=x, reps=2)), V),
    "same input twice": (lambda b, x: weighed(b, b.apply(o.mul, x, x)), V),
}


WRITES = {
    "fill elements": lambda b, x, y: filled(b, x, y),
    "overwrite": lambda b, x, y: weighed(b, b.set(b.set(
        b.apply(np.multiply, x, 2.0), 1, y), 1, b.apply(o.mul, y, y))),
    "overwrite a slice": lambda b, x, y: weighed(b, b.set(
        b.apply(np.multiply, x, 2.0), slice(0, 2), y)),
    "a row of a view": lambda b, x, y: weighed(b, b.write(
        b.apply(np.outer, x, x), (b.at(1),), o.setitem, 2, y)),
    "through a transposed view": lambda b, x, y: weighed(b, b.write(
        b.apply(np.outer, x, x), (Step(Method("T"), (HOLE,)), b.at(1)), o.setitem,
        slice(None), x)),
    "iadd": lambda b, x, y: weighed(b, b.write(b.method(x, "copy"), (), o.iadd, y)),
    "iadd at an index": lambda b, x, y: weighed(b, b.write(
        b.method(x, "copy"), (b.at(2),), o.iadd, y)),
    "isub of a slice": lambda b, x, y: weighed(b, b.write(
        b.method(x, "copy"), (b.at(slice(0, 2)),), o.isub, y)),
    "imul": lambda b, x, y: weighed(b, b.write(b.method(x, "copy"), (), o.imul, y)),
    "imul of an element": lambda b, x, y: weighed(b, b.write(
        b.method(x, "copy"), (b.at(1),), o.imul, y)),
    "itruediv by itself": lambda b, x, y: weighed(b, b.write(
        b.apply(np.multiply, x, y), (), o.itruediv, b.apply(np.exp, x))),
    "ipow": lambda b, x, y: weighed(b, b.write(b.method(x, "copy"), (), o.ipow, y)),
    "add.at": lambda b, x, y: weighed(b, b.write(
        b.method(x, "copy"), (), np.add.at, np.array([0, 1, 0]), b.apply(o.mul, y, np.ones(3)))),
    "copyto where": lambda b, x, y: weighed(b, b.write(
        b.method(x, "copy"), (), np.copyto, y, where=np.array([True, False, True, False]))),
    "copyto": lambda b, x, y: weighed(b, b.write(b.apply(np.empty, 4), (), np.copyto, x)),
    "fill": lambda b, x, y: b.apply(o.add, weighed(b, b.write(
        b.method(x, "copy"), (), Method("fill"), y)), b.apply(np.sum, x)),
    "imul of elements hit twice": lambda b, x, y: weighed(b, b.write(
        b.method(x, "copy"), (b.at(np.array([1, 1, 3])),), o.imul, b.apply(
            o.mul, y, np.array([1.0, 2.0, 3.0])))),
    "iadd of elements hit twice": lambda b, x, y: weighed(b, b.write(
        b.method(x, "copy"), (b.at(np.array([1, 1, 3])),), o.iadd, b.apply(
            o.mul, y, np.array([1.0, 2.0, 3.0])))),
    "repeated index": lambda b, x, y: weighed(b, b.set(
        b.method(x, "copy"), np.array([1, 1, 3]), b.apply(o.mul, y, np.arange(3.0)))),
    "old version read": lambda b, x, y: old_version(b, x, y),
    "swapped": lambda b, x, y: swapped(b, x),
    "fill_diagonal": lambda b, x, y: weighed(b, b.write(
        b.apply(np.outer, x, x), (), np.fill_diagonal, y)),
    "put": lambda b, x, y: weighed(b, b.write(
        b.method(x, "copy"), (), np.put, np.array([0, 2]), b.apply(
            o.mul, y, np.array([1.0, 3.0])))),
    "put_along_axis": lambda b, x, y: weighed(b, b.write(
        b.apply(np.outer, x, x), (), np.put_along_axis, np.array([[1, 0, 3, 2]]), y, 0)),
    "putmask": lambda b, x, y: weighed(b, b.write(
        b.method(x, "copy"), (), np.putmask, np.array([True, False, True, False]), y)),
}


def filled(b, x, y):
    out = b.apply(np.zeros, 4)
    for k in range(4):
        value = b.apply(o.mul, b.apply(o.getitem, x, k), y)
        if k:
            value = b.apply(o.add, value, b.apply(o.getitem, out, k - 1))
        out = b.set(out, k, value)
    return weighed(b, out)


def old_version(b, x, y):
    first = b.method(x, "copy")
    before = b.apply(np.sum, b.apply(o.mul, first, first))
    return b.apply(o.mul, before, weighed(b, b.set(first, slice(1, 3), y)))


def swapped(b, x):
    a = b.method(x, "copy")
    first, last = b.apply(o.getitem, a, 0), b.apply(o.getitem, a, 3)
    return weighed(b, b.set(b.set(a, 0, last), 3, first))
