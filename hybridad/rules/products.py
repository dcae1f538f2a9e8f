"""Products: `dot`, `matmul` and kin, `tensordot`, `einsum`, `kron`, `cross`, convolutions.

All are linear in each argument, so that a vjp is the same product with the cotangent in the
argument's place. Cotangents pair as Re(sum(g * t)): the transposes carry no conjugate, except where
the primitive conjugates an argument itself (`vdot`, `vecdot`, `vecmat`, `correlate`).

`matmul` and `dot` decide by the number of dimensions alone, and what neural networks call most
(a matrix on the other side) is one product: ``g @ y.T``, ``x.T @ g``.
"""

import functools
import math
import string

import numpy as np

from hybridad.rules.declare import linear, rule, views
from hybridad.rules.spaces import project

__all__ = ["conj"]


def conj(x):
    """The conjugate, at no cost where `x` is real."""
    return np.conj(x) if x.dtype.kind == "c" else x


def _swap(x):
    """The plain transpose of the last two axes."""
    return x.T if x.ndim == 2 else np.swapaxes(x, -1, -2)


def _from_end(axis, ndim):
    """The same axis, counted from the end, where broadcast shapes are aligned."""
    return axis - ndim if axis >= 0 else axis


# matmul and dot


def _matmul_x(g, ans, x, y):
    if y.ndim == 2:
        return g @ y.T
    if y.ndim == 1:
        return g * y if x.ndim == 1 else g[..., None] * y
    if x.ndim == 1:
        return (y @ g[..., None])[..., 0]
    return g @ np.swapaxes(y, -1, -2)


def _matmul_y(g, ans, x, y):
    if x.ndim == 2:
        return x.T @ g
    if x.ndim == 1:
        return x * g if y.ndim == 1 else x[:, None] * g[..., None, :]
    if y.ndim > 2:
        return np.swapaxes(x, -1, -2) @ g
    rows = math.prod(x.shape[:-1])
    rest = () if y.ndim == 1 else (y.shape[1],)
    return x.reshape((rows, x.shape[-1])).T @ g.reshape((rows, *rest))


linear(np.matmul, _matmul_x, _matmul_y)
linear(np.linalg.matmul, _matmul_x, _matmul_y)


def _dot_a(g, ans, a, b):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return g * b
    if b.ndim <= 2:
        return _matmul_x(g, ans, a, b)
    kept = [k for k in range(b.ndim) if k != b.ndim - 2]
    return np.tensordot(g, b, (list(range(g.ndim - b.ndim + 1, g.ndim)), kept))


def _dot_b(g, ans, a, b):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return g * a
    if b.ndim <= 2:
        return _matmul_y(g, ans, a, b)
    rows = list(range(a.ndim - 1))
    return np.moveaxis(np.tensordot(a, g, (rows, rows)), 0, -2)


linear(np.dot, _dot_a, _dot_b)


# vecdot, matvec, vecmat: NumPy 2.0 has the first, NumPy 2.2 all three


def _vecdot(g, y, x, axis):
    """``conj(y)`` times `g` along `axis`, aligned from the end with `x`."""
    if axis == -1:
        return g[..., None] * y
    product = g[..., None] * np.moveaxis(y, axis, -1)
    return np.moveaxis(product, -1, _from_end(axis, x.ndim))


for _p in (np.vecdot, np.linalg.vecdot):
    rule(_p,
         lambda g, ans, x1, x2, axis=-1: conj(_vecdot(g, x2, x1, axis)),
         lambda g, ans, x1, x2, axis=-1: _vecdot(g, conj(x1), x2, axis),
         jvps=[lambda t, ans, x1, x2, axis=-1: np.vecdot(t, x2, axis=axis),
               lambda t, ans, x1, x2, axis=-1: np.vecdot(x1, t, axis=axis)])

if hasattr(np, "matvec"):
    linear(np.matvec,
           lambda g, ans, x1, x2: g[..., None] * x2[..., None, :],
           lambda g, ans, x1, x2: (g[..., None, :] @ x1)[..., 0, :])
    rule(np.vecmat,
         lambda g, ans, x1, x2: conj((x2 @ g[..., None])[..., 0]),
         lambda g, ans, x1, x2: conj(x1)[..., None] * g[..., None, :],
         jvps=[lambda t, ans, x1, x2: np.vecmat(t, x2),
               lambda t, ans, x1, x2: np.vecmat(x1, t)])


# inner, outer, vdot, trace


def _inner_a(g, ans, a, b):
    if np.ndim(a) == 0 or np.ndim(b) == 0 or a.ndim == b.ndim == 1:
        return g * b
    return np.tensordot(g, b, b.ndim - 1)


def _inner_b(g, ans, a, b):
    if np.ndim(a) == 0 or np.ndim(b) == 0 or a.ndim == b.ndim == 1:
        return g * a
    rows = list(range(a.ndim - 1))
    return np.tensordot(g, a, (rows, rows))


def _trace(g, a, offset, axis1, axis2):
    shape = np.shape(a)
    eye = np.eye(shape[axis1], shape[axis2], offset, dtype=g.dtype)
    if len(shape) == 2:
        return g * (eye if axis1 % 2 == 0 else eye.T)
    return np.moveaxis(g[..., None, None] * eye, (-2, -1), (axis1, axis2))


linear(np.inner, _inner_a, _inner_b)
for _p in (np.outer, np.linalg.outer):
    linear(_p, lambda g, ans, a, b: np.reshape(g @ np.ravel(b), np.shape(a)),
               lambda g, ans, a, b: np.reshape(np.ravel(a) @ g, np.shape(b)))
rule(np.vdot,
     lambda g, ans, a, b: np.reshape(np.conj(g * b), np.shape(a)),
     lambda g, ans, a, b: np.reshape(g * np.conj(a), np.shape(b)),
     jvps=[lambda t, ans, a, b: np.vdot(t, b),
           lambda t, ans, a, b: np.vdot(a, t)])
linear(np.trace, lambda g, ans, a, offset=0, axis1=0, axis2=1, dtype=None:
       _trace(g, a, offset, axis1, axis2))
linear(np.linalg.trace, lambda g, ans, x, offset=0, dtype=None: _trace(g, x, offset, -2, -1))
views(np.linalg.diagonal, np.linalg.matrix_transpose)


# tensordot, kron


def _contracted(a, b, axes):
    """The axes that `tensordot` sums over: two lists of nonnegative numbers."""
    if isinstance(axes, (int, np.integer)):
        return list(range(a.ndim - axes, a.ndim)), list(range(axes))
    of_a, of_b = ([k] if isinstance(k, (int, np.integer)) else list(k) for k in axes)
    return [k % a.ndim for k in of_a], [k % b.ndim for k in of_b]


def _free(x, contracted):
    return [k for k in range(x.ndim) if k not in contracted]


def _tensordot_a(g, ans, a, b, axes=2):
    of_a, of_b = _contracted(a, b, axes)
    free_a, free_b = _free(a, of_a), _free(b, of_b)
    last = list(range(len(free_a), len(free_a) + len(free_b)))
    order = free_a + [of_a[k] for k in np.argsort(of_b)]
    return np.transpose(np.tensordot(g, b, (last, free_b)), np.argsort(order).tolist())


def _tensordot_b(g, ans, a, b, axes=2):
    of_a, of_b = _contracted(a, b, axes)
    free_a, free_b = _free(a, of_a), _free(b, of_b)
    first = list(range(len(free_a)))
    order = [of_b[k] for k in np.argsort(of_a)] + free_b
    return np.transpose(np.tensordot(a, g, (free_a, first)), np.argsort(order).tolist())


def _kron(g, a, b):
    """`g` with an axis for each of ``a`` and ``b`` in turn, and both with as many axes."""
    n = max(np.ndim(a), np.ndim(b))
    shape_a = (1,) * (n - np.ndim(a)) + np.shape(a)
    shape_b = (1,) * (n - np.ndim(b)) + np.shape(b)
    pairs = [m for pair in zip(shape_a, shape_b) for m in pair]
    return np.reshape(g, pairs), np.reshape(a, shape_a), np.reshape(b, shape_b), list(range(n))


def _kron_a(g, ans, a, b):
    g, _, b_n, axes = _kron(g, a, b)
    return np.reshape(np.tensordot(g, b_n, ([2 * k + 1 for k in axes], axes)), np.shape(a))


def _kron_b(g, ans, a, b):
    g, a_n, _, axes = _kron(g, a, b)
    return np.reshape(np.tensordot(a_n, g, (axes, [2 * k for k in axes])), np.shape(b))


for _p in (np.tensordot, np.linalg.tensordot):
    linear(_p, _tensordot_a, _tensordot_b)
linear(np.kron, _kron_a, _kron_b)


# einsum


@functools.lru_cache(maxsize=1024)
def _einsum_terms(subscripts, ndims):
    """Subscripts as explicit letters: ``("ij", "jk"), "ik"``, the ellipsis spelled out."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    inputs = inputs.split(",")
    unused = [c for c in string.ascii_letters if c not in subscripts]
    widths = [n - len(term.replace("...", "")) if "..." in term else 0
              for term, n in zip(inputs, ndims)]
    width = max(widths)
    dots = "".join(unused[:width])
    inputs = [term.replace("...", dots[width - w:]) for term, w in zip(inputs, widths)]
    if arrow:
        output = output.replace("...", dots)
    else:
        every = "".join(inputs)
        output = dots + "".join(sorted(c for c in set(every) - set(dots) if every.count(c) == 1))
    return tuple(inputs), output


@functools.lru_cache(maxsize=1024)
def _einsum_transpose(subscripts, ndims, k):
    """The einsum that is the vjp of operand `k`.

    Returns
    -------
    subscripts : str
        Its operands are the cotangent, the other operands, and those of the two items below.
    lone : int
        How many letters stand in operand `k` alone: an axis of length one for each, which the
        engine broadcasts.
    repeated : tuple of int
        Axes of operand `k` that repeat a letter: an identity matrix of that size for each.
    """
    inputs, output = _einsum_terms(subscripts, ndims)
    others = [term for j, term in enumerate(inputs) if j != k]
    unused = [c for c in string.ascii_letters if c not in "".join(inputs)]
    target, eyes, repeated = "", [], []
    for axis, c in enumerate(inputs[k]):
        if c in target:
            repeated.append(axis)
            eyes.append(c + unused[len(eyes)])
            c = eyes[-1][1]
        target += c
    known = set(output).union(*others, *eyes)
    lone = [c for c in target if c not in known]
    return ",".join([output, *others, *lone, *eyes]) + "->" + target, len(lone), tuple(repeated)


def _einsum_vjp(g, ans, argnum, subscripts, *operands, optimize=False, **kwargs):
    k = argnum - 1
    formula, lone, repeated = _einsum_transpose(subscripts, tuple(map(np.ndim, operands)), k)
    x = operands[k]
    return np.einsum(
        formula, g, *operands[:k], *operands[k + 1:],
        *(np.ones(1, g.dtype) for _ in range(lone)),
        *(np.eye(np.shape(x)[axis], dtype=g.dtype) for axis in repeated),
        optimize=optimize if isinstance(optimize, (bool, str)) else True,
    )


def _einsum_jvp(t, ans, argnum, subscripts, *operands, **kwargs):
    k = argnum - 1
    return np.einsum(subscripts, *operands[:k], t, *operands[k + 1:], **kwargs)


rule(np.einsum, vjp=_einsum_vjp, jvp=_einsum_jvp)


# cross: <g, a x b> = <a, b x g> = <b, g x a>


def _triple(x, axis):
    """`x` with the vectors' axis last, and 0 as the third component of plane vectors."""
    x = np.moveaxis(x, axis, -1)
    return x if x.shape[-1] == 3 else np.concatenate([x, np.zeros_like(x[..., :1])], -1)


def _cross_vjp(g, a, b, argnum, axes):
    plane = a.shape[axes[0]] == b.shape[axes[1]] == 2
    if plane:
        g = np.concatenate([np.zeros_like(g[..., None])] * 2 + [g[..., None]], -1)
    else:
        g = np.moveaxis(g, axes[2], -1)
    if argnum == 0:
        cotangent, x, axis = np.cross(_triple(b, axes[1]), g), a, axes[0]
    else:
        cotangent, x, axis = np.cross(g, _triple(a, axes[0])), b, axes[1]
    if x.shape[axis] == 2:
        cotangent = cotangent[..., :2]
    return np.moveaxis(cotangent, -1, _from_end(axis, x.ndim))


def _cross_jvp(a, b, axes):
    c = np.cross(_triple(a, axes[0]), _triple(b, axes[1]))
    if a.shape[axes[0]] == b.shape[axes[1]] == 2:
        return c[..., 2]
    return np.moveaxis(c, -1, axes[2])


def _axes(axisa=-1, axisb=-1, axisc=-1, axis=None):
    return (axisa, axisb, axisc) if axis is None else (axis, axis, axis)


rule(np.cross,
     lambda g, ans, a, b, *axes, **named: _cross_vjp(g, a, b, 0, _axes(*axes, **named)),
     lambda g, ans, a, b, *axes, **named: _cross_vjp(g, a, b, 1, _axes(*axes, **named)),
     jvps=[lambda t, ans, a, b, *axes, **named: _cross_jvp(t, b, _axes(*axes, **named)),
           lambda t, ans, a, b, *axes, **named: _cross_jvp(a, t, _axes(*axes, **named))])
rule(np.linalg.cross,
     lambda g, ans, x1, x2, axis=-1: _cross_vjp(g, x1, x2, 0, (axis, axis, axis)),
     lambda g, ans, x1, x2, axis=-1: _cross_vjp(g, x1, x2, 1, (axis, axis, axis)),
     jvps=[lambda t, ans, x1, x2, axis=-1: np.cross(t, x2, axis=axis),
           lambda t, ans, x1, x2, axis=-1: np.cross(x1, t, axis=axis)])


# convolve and correlate: the full convolution, of which other modes keep a part


def _full(g, a, v, mode, swapped_start):
    """The cotangent of the full convolution, of which `mode` keeps a part.

    NumPy exchanges the arguments if the second is longer; where 'same' then starts differs
    between the two functions by one for an even length of the shorter (`swapped_start`).
    """
    mode = {0: "valid", 1: "same", 2: "full"}.get(mode, mode)[0].lower()
    if mode == "f":
        return g
    n, m = np.size(a), np.size(v)
    shorter = min(n, m)
    start = shorter - 1 if mode == "v" else shorter // 2 if swapped_start else (shorter - 1) // 2
    return np.pad(g, (start, n + m - 1 - start - g.size))


def _convolve_vjp(g, a, v, mode, other):
    return np.convolve(_full(g, a, v, mode, False), np.ravel(other)[::-1], "valid")


def _correlate_full(g, a, v, mode):
    return _full(g, a, v, mode, a.size < v.size)


linear(np.convolve,
       lambda g, ans, a, v, mode="full": _convolve_vjp(g, a, v, mode, v),
       lambda g, ans, a, v, mode="full": _convolve_vjp(g, a, v, mode, a))
rule(np.correlate,
     lambda g, ans, a, v, mode="valid":
         np.convolve(_correlate_full(g, a, v, mode), conj(v), "valid"),
     lambda g, ans, a, v, mode="valid":
         conj(np.convolve(_correlate_full(g, a, v, mode), a[::-1], "valid")[::-1]),
     jvps=[lambda t, ans, a, v, mode="valid": np.correlate(t, v, mode),
           lambda t, ans, a, v, mode="valid": np.correlate(a, t, mode)])


# polynomials


def _polyder(p):
    """The coefficients of the derivative, highest power first; of each column for a matrix `p`."""
    powers = np.arange(len(p) - 1, 0, -1)
    return p[:-1] * np.reshape(powers, (-1,) + (1,) * (p.ndim - 1))


def _polyval_p(g, ans, p, x):
    if p.ndim == 1:
        return np.ravel(g) @ np.vander(np.ravel(x), len(p))
    terms = []
    for _ in range(len(p)):
        terms.append(project(g, p[0]))
        g = g * x
    return np.stack(terms[::-1]) if terms else None


def _vander(ans, increasing):
    """Derivatives of the columns of a Vandermonde matrix but the constant one: k x^(k - 1)."""
    n = ans.shape[1]
    return ans[:, :-1] * np.arange(1, n) if increasing else ans[:, 1:] * np.arange(n - 1, 0, -1)


def _vander_jvp(t, ans, x, N=None, increasing=False):
    columns = t[:, None] * _vander(ans, increasing)
    constant = [np.zeros_like(ans[:, :1])]
    return np.concatenate(constant + [columns] if increasing else [columns] + constant, 1)


def _vander_vjp(g, ans, x, N=None, increasing=False):
    g = g[:, 1:] if increasing else g[:, :-1]
    return np.sum(g * _vander(ans, increasing), axis=1)


rule(np.polyval,
     _polyval_p,
     lambda g, ans, p, x: g * np.polyval(_polyder(p), x),
     jvps=[lambda t, ans, p, x: np.polyval(t, x),
           lambda t, ans, p, x: t * np.polyval(_polyder(p), x)])
rule(np.vander, _vander_vjp, jvps=[_vander_jvp])
