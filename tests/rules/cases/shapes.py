"""Cases of `hybridad.rules.shapes`."""

import numpy as np
from numpy.lib import stride_tricks

from tests.rules.cases import arg, case

# Shape
case(np.reshape, arg(3, 4), call=lambda x: np.reshape(x, (2, -1)))
case(np.reshape, arg(3, 4), call=lambda x: np.reshape(x, 12))
case(np.reshape, arg(3, 4), call=lambda x: np.reshape(x, (2, 6), order="F"))
case(np.reshape, arg(3, 4), call=lambda x: np.reshape(x, (2, 6), "A"))
case(np.reshape, arg(4, 3), call=lambda x: x.T.reshape((2, 6), order="A"), note="Fortran")
case(np.reshape, arg(3, 4), call=lambda x: np.reshape(x, shape=(4, 3)))
case(np.reshape, arg(), call=lambda x: np.reshape(x, (1, 1)))
case(np.reshape, arg(1), call=lambda x: np.reshape(x, ()))
case(np.reshape, arg(0, 3), call=lambda x: np.reshape(x, (3, 0)), note="empty")
for order in "CFAK":
    case(np.ravel, arg(2, 3, 4), call=lambda x, order=order: np.ravel(x, order))
    # Methods, since the direct check's differences would not keep the layout of the argument.
    case(np.ravel, arg(4, 3, 2), call=lambda x, order=order: x.T.ravel(order), note="Fortran")
    case(np.ravel, arg(2, 3, 4), call=lambda x, order=order: x.transpose(1, 2, 0).ravel(order),
         note="neither")
case(np.ravel, arg())
case(np.expand_dims, arg(3, 4), call=lambda x: np.expand_dims(x, 1))
case(np.expand_dims, arg(3, 4), call=lambda x: np.expand_dims(x, (0, -1)))
case(np.expand_dims, arg(), call=lambda x: np.expand_dims(x, axis=0))
case(np.squeeze, arg(1, 3, 1))
case(np.squeeze, arg(1, 3, 1), call=lambda x: np.squeeze(x, axis=-1))
case(np.squeeze, arg(1, 1))
for p in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
    case(p, arg())
    case(p, arg(3))
    case(p, arg(3, 2))
    case(p, arg(3, 2, 1, 2))
case(np.broadcast_to, arg(3, 1), call=lambda x: np.broadcast_to(x, (2, 3, 4)))
case(np.broadcast_to, arg(), call=lambda x: np.broadcast_to(x, 3))
case(np.broadcast_to, arg(1, 3), call=lambda x: np.broadcast_to(x, (0, 3)), note="empty")
case(np.broadcast_to, arg(2, 3), call=lambda x: np.broadcast_to(array=x, shape=(2, 3)))

# Order of the axes
case(np.transpose, arg(2, 3, 4))
case(np.transpose, arg(2, 3, 4), call=lambda x: np.transpose(x, (1, -1, 0)))
case(np.transpose, arg(2, 3, 4), call=lambda x: np.transpose(x, axes=[2, 0, 1]))
case(np.transpose, arg())
case(np.matrix_transpose, arg(2, 3, 4))
case(np.swapaxes, arg(2, 3, 4), call=lambda x: np.swapaxes(x, 0, -1))
case(np.moveaxis, arg(2, 3, 4), call=lambda x: np.moveaxis(x, 0, -1))
case(np.moveaxis, arg(2, 3, 4), call=lambda x: np.moveaxis(x, (0, 2), (1, 0)))
for start in (0, 1, 2, 3, -1):
    for axis in (0, 1, -1):
        case(np.rollaxis, arg(2, 3, 4),
             call=lambda x, axis=axis, start=start: np.rollaxis(x, axis, start))

# Order along the axes
case(np.flip, arg(3, 4))
case(np.flip, arg(3, 4), call=lambda x: np.flip(x, 0))
case(np.flip, arg(2, 3, 4), call=lambda x: np.flip(x, axis=(0, -1)))
case(np.fliplr, arg(3, 4))
case(np.flipud, arg(3, 4))
for k in range(-1, 4):
    case(np.rot90, arg(3, 4), call=lambda x, k=k: np.rot90(x, k))
case(np.rot90, arg(2, 3, 4), call=lambda x: np.rot90(x, axes=(2, 1)))
case(np.roll, arg(3, 4), call=lambda x: np.roll(x, 5))
case(np.roll, arg(3, 4), call=lambda x: np.roll(x, -1, axis=1))
case(np.roll, arg(3, 4), call=lambda x: np.roll(x, (1, 2), axis=(0, 1)))
case(np.roll, arg(3, 4), call=lambda x: np.roll(x, 2, axis=(0, 1)))
case(np.roll, arg(3, 4), call=lambda x: np.roll(x, np.array([1, -2]), (0, 1)))

# Joining
case(np.concatenate, arg(2), arg(3), call=lambda x, y: np.concatenate([x, y]))
case(np.concatenate, arg(2, 3), arg(1, 3), call=lambda x, y: np.concatenate((x, y, x), 0))
case(np.concatenate, arg(2, 3), arg(2, 1), call=lambda x, y: np.concatenate([x, y], axis=-1))
case(np.concatenate, arg(2, 3), arg(2), call=lambda x, y: np.concatenate([x, y], axis=None))
case(np.concatenate, arg(2, 3), arg(0, 3), call=lambda x, y: np.concatenate([y, x]), note="empty")
case(np.concatenate, arg(2), call=lambda x: np.concatenate([x, np.arange(3)]), note="constant")
case(np.concatenate, arg(2), call=lambda x: np.concatenate([x, 1j * np.arange(3)]), note="mixed",
     dtypes="d")
case(np.concatenate, arg(2), arg(2), dtypes="d",
     call=lambda x, y: np.concatenate([x, y], dtype=np.complex128))
case(np.stack, arg(3), arg(3), call=lambda x, y: np.stack([x, y]))
case(np.stack, arg(2, 3), arg(2, 3), call=lambda x, y: np.stack((x, y, y), axis=1))
case(np.stack, arg(2, 3), arg(2, 3), call=lambda x, y: np.stack([x, y], -1))
case(np.stack, arg(), arg(), call=lambda x, y: np.stack([x, y, 2.0]))
case(np.hstack, arg(2), arg(), call=lambda x, y: np.hstack([x, y]))
case(np.hstack, arg(), arg(), call=lambda x, y: np.hstack([x, y, 1.0]))
case(np.hstack, arg(2, 3), arg(2, 1), call=lambda x, y: np.hstack((x, y)))
case(np.hstack, arg(2, 3, 2), arg(2, 1, 2), call=lambda x, y: np.hstack((x, y)))
case(np.vstack, arg(3), arg(2, 3), call=lambda x, y: np.vstack([x, y]))
case(np.vstack, arg(), arg(1), call=lambda x, y: np.vstack([x, y]))
case(np.vstack, arg(2, 3, 2), arg(1, 3, 2), call=lambda x, y: np.vstack([x, y]))
case(np.dstack, arg(3), arg(3), call=lambda x, y: np.dstack([x, y]))
case(np.dstack, arg(2, 3), arg(2, 3, 2), call=lambda x, y: np.dstack([x, y]))
case(np.dstack, arg(), arg(), call=lambda x, y: np.dstack([x, y]))
case(np.column_stack, arg(3), arg(3, 2), call=lambda x, y: np.column_stack([x, y]))
case(np.column_stack, arg(), arg(), call=lambda x, y: np.column_stack([x, y]))
case(np.append, arg(2, 3), arg(2))
case(np.append, arg(3), arg())
case(np.append, arg(2, 3), arg(1, 3), call=lambda x, y: np.append(x, y, 0))
case(np.append, arg(2, 3), arg(2, 2), call=lambda x, y: np.append(x, y, axis=-1))

# Splitting
case(np.split, arg(4, 3), call=lambda x: np.split(x, 2)[1])
case(np.split, arg(4, 6), call=lambda x: np.split(x, [1, 4], axis=1)[1])
case(np.array_split, arg(5), call=lambda x: np.array_split(x, 3)[0])
case(np.hsplit, arg(2, 4), call=lambda x: np.hsplit(x, 2)[0])
case(np.vsplit, arg(4, 2), call=lambda x: np.vsplit(x, 2)[1])
case(np.dsplit, arg(2, 2, 4), call=lambda x: np.dsplit(x, 2)[1])
case(np.broadcast_arrays, arg(3, 1), call=lambda x: np.broadcast_arrays(x, np.ones(4))[0])
case(np.trim_zeros, arg(3), call=lambda x: np.trim_zeros(x))
if hasattr(np, "unstack"):
    case(np.unstack, arg(3, 2), call=lambda x: np.unstack(x, axis=1)[1])

# Repeating
case(np.tile, arg(3), call=lambda x: np.tile(x, 2))
case(np.tile, arg(3), call=lambda x: np.tile(x, (2, 3)))
case(np.tile, arg(2, 3, 2), call=lambda x: np.tile(x, (3, 2)))
case(np.tile, arg(), call=lambda x: np.tile(x, [2, 2]))
case(np.tile, arg(2, 1), call=lambda x: np.tile(x, (0, 2)), note="empty")
case(np.repeat, arg(3, 2), call=lambda x: np.repeat(x, 2))
case(np.repeat, arg(3, 2), call=lambda x: np.repeat(x, 3, axis=0))
case(np.repeat, arg(3, 2), call=lambda x: np.repeat(x, repeats=[3], axis=-1))
case(np.repeat, arg(3, 2), call=lambda x: np.repeat(x, [2, 0, 3], axis=0))
case(np.repeat, arg(2, 3), call=lambda x: np.repeat(x, np.array([2, 0, 3]), 1))
case(np.repeat, arg(3), call=lambda x: np.repeat(x, [1, 2, 3]))
case(np.repeat, arg(), call=lambda x: np.repeat(x, 4))
case(np.repeat, arg(3), call=lambda x: np.repeat(x, 0), note="empty")
case(np.resize, arg(2, 3), call=lambda x: np.resize(x, (4, 2)))
case(np.resize, arg(2, 3), call=lambda x: np.resize(x, 4))
case(np.resize, arg(3), call=lambda x: np.resize(x, (2, 3)))

# Padding
for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
    case(np.pad, arg(3, 4), call=lambda x, mode=mode: np.pad(x, 2, mode))
    case(np.pad, arg(3, 4), call=lambda x, mode=mode: np.pad(x, ((0, 1), (2, 0)), mode=mode))
    case(np.pad, arg(3), call=lambda x, mode=mode: np.pad(x, (5, 4), mode), note="far")
for options in ({"mode": "mean"}, {"mode": "mean", "stat_length": 2}, {"mode": "linear_ramp"},
                {"mode": "mean", "stat_length": ((1, 2), (2, 3))},
                {"mode": "linear_ramp", "end_values": 2.0},
                {"mode": "linear_ramp", "end_values": ((1.0, 2.0), (-3.0, 0.5))},
                {"mode": "reflect", "reflect_type": "odd"},
                {"mode": "symmetric", "reflect_type": "odd"}):
    name = "-".join(map(str, options.values()))
    case(np.pad, arg(3, 4), call=lambda x, o=options: np.pad(x, 2, **o), note=name)
    case(np.pad, arg(3, 4), call=lambda x, o=options: np.pad(x, ((0, 5), (2, 0)), **o), note=name)
case(np.pad, arg(3), call=lambda x: np.pad(x, 1))
case(np.pad, arg(3, 2), call=lambda x: np.pad(x, (1, 2), constant_values=3.0))

# Triangles and diagonals
for k in (-1, 0, 2):
    case(np.triu, arg(3, 4), call=lambda x, k=k: np.triu(x, k))
    case(np.tril, arg(3, 4), call=lambda x, k=k: np.tril(x, k=k))
    case(np.diag, arg(3), call=lambda x, k=k: np.diag(x, k))
    case(np.diag, arg(3, 4), call=lambda x, k=k: np.diag(x, k))
    case(np.diagflat, arg(2, 2), call=lambda x, k=k: np.diagflat(x, k))
    case(np.diagonal, arg(4, 3), call=lambda x, k=k: np.diagonal(x, k))
    case(np.diagonal, arg(4, 2, 3), call=lambda x, k=k: np.diagonal(x, k, -1, 0))
case(np.triu, arg(2, 3, 3))
case(np.tril, arg(3))
case(np.diagonal, arg(2, 3, 3), call=lambda x: np.diagonal(x, axis1=1, axis2=2))

# Windows
case(stride_tricks.sliding_window_view, arg(6),
     call=lambda x: stride_tricks.sliding_window_view(x, 3))
case(stride_tricks.sliding_window_view, arg(6), note="wide",
     call=lambda x: stride_tricks.sliding_window_view(x, 5))
case(stride_tricks.sliding_window_view, arg(4, 5),
     call=lambda x: stride_tricks.sliding_window_view(x, (2, 4)))
case(stride_tricks.sliding_window_view, arg(4, 5, 2),
     call=lambda x: stride_tricks.sliding_window_view(x, 3, axis=-2))
case(stride_tricks.sliding_window_view, arg(6, 2),
     call=lambda x: stride_tricks.sliding_window_view(x, (2, 3), axis=(0, 0)))
