"""Rules of what moves elements about: reshape, transpose, join, split, repeat, pad, triangles.

All are linear (`append` and `pad` affine). A result that shares its argument's memory needs no rule
where it was recorded; the declarations serve those that copy.
"""

import itertools
import math

import numpy as np

from hybridad.rules.declare import linear, linear_sequence, rule, views
from hybridad.rules.indexing import scattered
from hybridad.rules.refusals import refuse


def _inverse(order):
    return sorted(range(len(order)), key=order.__getitem__)


def _reshaped(g, ans, a, *args, **kwargs):
    """The transpose of every function that only changes the shape, in C order."""
    return np.reshape(g, np.shape(a))


# Shape


def _layout(a, order):
    """The order in which the elements of `a` are read, as "C" or "F"."""
    order = order.upper()
    return order if order in "CF" else "F" if a.flags.fnc else "C"


def _reshape_vjp(g, ans, a, shape=None, order="C", newshape=None, copy=None):
    return np.reshape(g, np.shape(a), order=_layout(a, order))


def _reshape_jvp(t, ans, a, shape=None, order="C", newshape=None, copy=None):
    return np.reshape(t, np.shape(ans), order=_layout(a, order))


def _memory_order(a, order):
    """The axes of `a` such that `ravel` reads the transposed array in C order."""
    axes = list(range(np.ndim(a)))
    if order == "K":
        return sorted(axes, key=lambda k: -abs(a.strides[k]))
    return axes if _layout(a, order) == "C" else axes[::-1]


def _ravel_vjp(g, ans, a, order="C"):
    if order == "C":
        return np.reshape(g, np.shape(a))
    axes = _memory_order(a, order)
    g = np.reshape(g, tuple(np.shape(a)[k] for k in axes))
    return np.transpose(g, _inverse(axes))


def _ravel_jvp(t, ans, a, order="C"):
    return np.reshape(np.transpose(t, _memory_order(a, order)), np.shape(ans))


rule(np.reshape, _reshape_vjp, jvps=(_reshape_jvp,), shapes_only=True)
rule(np.ravel, _ravel_vjp, jvps=(_ravel_jvp,), shapes_only=True)
linear(np.expand_dims, lambda g, ans, a, axis: np.reshape(g, np.shape(a)))
linear(np.squeeze, lambda g, ans, a, axis=None: np.reshape(g, np.shape(a)))
linear(np.atleast_1d, _reshaped)
linear(np.atleast_2d, _reshaped)
linear(np.atleast_3d, _reshaped)
linear(np.broadcast_to, lambda g, ans, array, shape, subok=False: g)


# Order of the axes


def _rollaxis_transpose(g, ans, a, axis, start=0):
    n = np.ndim(a)
    axis, start = axis % n, start + n if start < 0 else start
    return np.moveaxis(g, start - 1 if axis < start else start, axis)


linear(np.transpose, lambda g, ans, a, axes=None: np.transpose(
    g, None if axes is None else _inverse([k % np.ndim(a) for k in axes])))
linear(np.matrix_transpose, lambda g, ans, x: np.swapaxes(g, -1, -2))
linear(np.swapaxes, lambda g, ans, a, axis1, axis2: np.swapaxes(g, axis1, axis2))
linear(np.moveaxis, lambda g, ans, a, source, destination: np.moveaxis(g, destination, source))
linear(np.rollaxis, _rollaxis_transpose)


# Order along the axes


def _negated(shift):
    return tuple(-k for k in shift) if isinstance(shift, (tuple, list)) else -shift


linear(np.flip, lambda g, ans, m, axis=None: np.flip(g, axis))
linear(np.fliplr, lambda g, ans, m: np.fliplr(g))
linear(np.flipud, lambda g, ans, m: np.flipud(g))
linear(np.rot90, lambda g, ans, m, k=1, axes=(0, 1): np.rot90(g, -k, axes))
linear(np.roll, lambda g, ans, a, shift, axis=None: np.roll(g, _negated(shift), axis))


# Joining: the cotangent of each part is a piece of the whole one


def _piece(g, start, stop, axis):
    return g[(slice(None),) * (axis % np.ndim(g)) + (slice(start, stop),)]


def _pieces(g, widths, axis):
    """`g` cut along an axis into pieces of these widths."""
    ends = itertools.accumulate(widths)
    return [_piece(g, end - width, end, axis) for end, width in zip(ends, widths)]


def _concatenate_transpose(g, ans, arrays, axis=0, out=None, dtype=None, casting=None):
    if axis is None:
        flat = _pieces(g, [np.size(x) for x in arrays], 0)
        return [np.reshape(piece, np.shape(x)) for piece, x in zip(flat, arrays)]
    return _pieces(g, [np.shape(x)[axis] for x in arrays], axis)


def _stack_transpose(g, ans, arrays, axis=0, out=None, dtype=None, casting=None):
    lead = (slice(None),) * (axis % np.ndim(g))
    return [g[(*lead, k)] for k in range(len(arrays))]


def _joined(axis_of, width):
    """The transpose of a function that joins parts along an axis after giving them more axes.

    ``width(shape)`` is how much a part takes of the axis ``axis_of(ans's ndim)``.
    """

    def transpose(g, ans, tup, dtype=None, casting=None):
        pieces = _pieces(g, [width(np.shape(x)) for x in tup], axis_of(np.ndim(g)))
        return [np.reshape(piece, np.shape(x)) for piece, x in zip(pieces, tup)]

    return transpose


linear_sequence(np.concatenate, _concatenate_transpose)
linear_sequence(np.stack, _stack_transpose)
linear_sequence(np.hstack, _joined(lambda ndim: 0 if ndim == 1 else 1,
                                   lambda s: math.prod(s) if len(s) < 2 else s[1]))
linear_sequence(np.vstack, _joined(lambda ndim: 0, lambda s: 1 if len(s) < 2 else s[0]))
linear_sequence(np.dstack, _joined(lambda ndim: 2, lambda s: 1 if len(s) < 3 else s[2]))
linear_sequence(np.column_stack, _joined(lambda ndim: 1, lambda s: 1 if len(s) < 2 else s[1]))

rule(np.append,
     lambda g, ans, arr, values, axis=None: _concatenate_transpose(g, ans, (arr, values), axis)[0],
     lambda g, ans, arr, values, axis=None: _concatenate_transpose(g, ans, (arr, values), axis)[1],
     jvps=(lambda t, ans, arr, values, axis=None: np.append(t, np.zeros_like(values), axis),
           lambda t, ans, arr, values, axis=None: np.append(np.zeros_like(arr), t, axis)))


# Splitting: always views

views(np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.broadcast_arrays, np.trim_zeros)
if hasattr(np, "unstack"):  # NumPy 2.1
    views(np.unstack)


# Repeating: the cotangent is summed over the copies


def _tile_transpose(g, ans, A, reps):
    reps = tuple(reps) if np.ndim(reps) else (reps,)
    ndim = max(len(reps), np.ndim(A))
    reps = (1,) * (ndim - len(reps)) + reps
    shape = (1,) * (ndim - np.ndim(A)) + np.shape(A)
    g = np.reshape(g, tuple(n for pair in zip(reps, shape) for n in pair))
    return np.reshape(np.sum(g, axis=tuple(range(0, 2 * ndim, 2))), np.shape(A))


def _repeat_transpose(g, ans, a, repeats, axis=None):
    shape = np.shape(a) if axis is not None else (np.size(a),)
    axis = 0 if axis is None else axis % len(shape)
    if np.size(repeats) == 1:
        count = np.shape(g)[axis] // shape[axis] if shape[axis] else 0
        g = np.reshape(g, (*shape[: axis + 1], count, *shape[axis + 1 :]))
        g = np.sum(g, axis=axis + 1)
    else:
        source = np.searchsorted(np.cumsum(repeats), np.arange(np.shape(g)[axis]), side="right")
        g = scattered(g, shape, (slice(None),) * axis + (source,))
    return np.reshape(g, np.shape(a))


def _resize_transpose(g, ans, a, new_shape):
    n = np.size(a)
    if n == 0:
        return np.zeros_like(g, shape=np.shape(a))
    g = np.reshape(g, (np.size(g),))
    short = -np.size(g) % n
    if short:
        g = np.concatenate([g, np.zeros_like(g, shape=(short,))])
    return np.reshape(np.sum(np.reshape(g, (np.size(g) // n, n)), axis=0), np.shape(a))


linear(np.tile, _tile_transpose)
linear(np.repeat, _repeat_transpose)
linear(np.resize, _resize_transpose)


# Padding


def _widths(pad_width, ndim):
    """``[(before, after), ...]``, one for each axis."""
    if isinstance(pad_width, dict):
        pairs = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pairs[axis] = width if isinstance(width, (tuple, list)) else (width, width)
        return pairs
    return np.broadcast_to(pad_width, (ndim, 2)).tolist()


_INSIDE = ("constant", "empty")                         # the padding does not depend on the array
_REPEATED = ("edge", "reflect", "symmetric", "wrap")    # it repeats elements
_LINEAR = ("linear_ramp", "mean")                       # it is another linear function of them


def _check_pad(array, pad_width, mode="constant", **options):
    if mode not in _INSIDE + _REPEATED + _LINEAR:
        mode = repr(mode) if isinstance(mode, str) else getattr(mode, "__name__", "...")
        refuse(f"np.pad(mode={mode}) has no derivative rule.",
               "Write it with np.concatenate([x, np.max(x, axis=0, keepdims=True)]) and the like.")


def _pad_matrix(n, width, mode, options, axis, ndim):
    """The padding along one axis as a matrix, from how it pads the identity matrix."""
    options = {k: v for k, v in options.items() if k != "end_values"}
    if options.get("stat_length") is not None:
        length = np.broadcast_to(options["stat_length"], (ndim, 2))[axis]
        options["stat_length"] = (tuple(length.tolist()), (1, 1))
    return np.pad(np.eye(n), (width, (0, 0)), mode, **options)


def _pad_vjp(g, ans, array, pad_width, mode="constant", **options):
    shape = np.shape(array)
    repeated = mode in _REPEATED and options.get("reflect_type", "even") == "even"
    for axis, (before, after) in enumerate(_widths(pad_width, len(shape))):
        n = shape[axis]
        if mode in _INSIDE:
            g = _piece(g, before, before + n, axis)
        elif not (before or after):
            continue
        elif repeated:
            source = np.pad(np.arange(n), (before, after), mode)
            partly = np.shape(g)[:axis] + (n,) + np.shape(g)[axis + 1 :]
            g = scattered(g, partly, (slice(None),) * axis + (source,))
        else:
            matrix = _pad_matrix(n, (before, after), mode, options, axis, len(shape))
            g = np.moveaxis(np.moveaxis(g, axis, -1) @ matrix.astype(g.dtype), -1, axis)
    return g


def _pad_jvp(t, ans, array, pad_width, mode="constant", **options):
    affine = ("constant_values", "end_values")
    options = {k: v for k, v in options.items() if k not in affine}
    return np.pad(t, pad_width, "constant" if mode == "empty" else mode, **options)


rule(np.pad, _pad_vjp, jvps=(_pad_jvp,), check=_check_pad)


# Triangles and diagonals


def _on_diagonal(g, shape, offset=0, axis1=0, axis2=1):
    """An array of zeros with `g` on a diagonal."""
    z = np.zeros_like(g, shape=shape)
    rows = np.arange(np.shape(g)[-1]) + max(-offset, 0)
    np.moveaxis(z, (axis1, axis2), (-2, -1))[..., rows, rows + offset] = g
    return z


linear(np.triu, lambda g, ans, m, k=0: np.triu(g, k))
linear(np.tril, lambda g, ans, m, k=0: np.tril(g, k))
linear(np.diag, lambda g, ans, v, k=0:
       np.diagonal(g, k) if np.ndim(v) == 1 else _on_diagonal(g, np.shape(v), k))
linear(np.diagflat, lambda g, ans, v, k=0: np.reshape(np.diagonal(g, k), np.shape(v)))
linear(np.diagonal, lambda g, ans, a, offset=0, axis1=0, axis2=1:
       _on_diagonal(g, np.shape(a), offset, axis1, axis2))


# Windows


def _windows_transpose(g, ans, x, window_shape, axis=None, subok=False, writeable=False):
    widths = window_shape if isinstance(window_shape, (tuple, list)) else (window_shape,)
    if axis is None:
        axes = range(np.ndim(x))
    else:
        axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    for axis, width in reversed(list(zip(axes, widths))):
        axis %= np.ndim(x)
        shape = np.shape(g)
        n = shape[axis]
        z = np.zeros_like(g, shape=(*shape[:axis], n + width - 1, *shape[axis + 1 : -1]))
        at = (slice(None),) * axis
        if width <= n:
            for k in range(width):
                z[(*at, slice(k, k + n))] += g[..., k]
        else:
            moved = np.moveaxis(g, -1, axis + 1)
            for k in range(n):
                z[(*at, slice(k, k + width))] += moved[(*at, k)]
        g = z
    return g


linear(np.lib.stride_tricks.sliding_window_view, _windows_transpose)
