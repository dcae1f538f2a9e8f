"""``__array_function__``: every public function of NumPy, NumPy Linalg and NumPy FFT.

Each is followed (value bit for bit, type, effects on arguments, derivatives by finite differences),
or refused by name, or has no business with floating arrays; the walk over NumPy's names demands one
of the three, so that a new function of NumPy is noticed.
"""

import ast

import numpy as np
import pytest

import hybridad
from hybridad.errors import LostDerivativeError, MissingRuleError, UnsupportedError
from hybridad.testing import check_grads
from tests.recording.agreement import agrees, agrees_at, compiled, resolves

FOLLOWED = """
np.abs(x - y)
np.absolute(z)
np.acos(x)
np.acosh(x + 1.5)
np.add(x, y)
np.amax(r, axis=1)
np.amin(r)
np.angle(z)
np.append(x, [s, 2.0])
np.append(r, [x], axis=0)
np.append(arr=x, values=y)
np.apply_along_axis(np.cumsum, 1, r)
np.apply_along_axis(np.sort, 0, r)
np.apply_along_axis(np.sum, 0, x)
np.apply_along_axis(func1d=np.cumsum, axis=0, arr=m)
np.apply_along_axis(lambda row: row[0] * row[1], 0, m)
np.apply_along_axis(lambda row: row.sum(), -1, c)
np.apply_along_axis(lambda row: [row[0], 1.0], 1, r)
np.apply_along_axis(lambda row: 1.0, 1, r)
np.apply_along_axis(lambda row: np.outer(row, row)[:, :2], 1, c)
np.apply_over_axes(np.sum, c, [0, 2])
np.apply_over_axes(np.max, r, 1)
np.arccos(x)
np.arccosh(x + 1.5)
np.arcsin(x)
np.arcsinh(x)
np.arctan(x)
np.arctan2(x, y)
np.arctanh(x)
np.array_split(v, 4)
np.array_split(v, [2, 3])
np.asin(x)
np.asinh(x)
np.astype(x, np.float32)
np.atan(x)
np.atan2(y, x)
np.atanh(x)
np.atleast_1d(s)
np.atleast_1d(s, 1.0, x)
np.atleast_2d(x)
np.atleast_2d(s, x)
np.atleast_3d(r)
np.average(x)
np.average(r, axis=1, weights=x)
np.average(a=x, weights=[1.0, 2.0, s])
np.block([[m, r.T], [r, np.ones((2, 2))]])
np.block([[s, a], [1.0, 2.0]])
np.block([x, 1.0, y])
np.broadcast_arrays(x, m, s)
np.broadcast_arrays(x, y)
np.broadcast_arrays(x, [1.0, 2.0, 3.0])
np.broadcast_to(x, (2, 3))
np.broadcast_to(s, (2,))
np.cbrt(x)
np.choose(k, [x, y, 1.0])
np.choose(k, [s, x, 1.0])
np.choose(k % 2, [x, y], out=np.zeros_like(x))
np.choose(k, [x, y, x], y)
np.choose([0, 1, 0], [x, y])
np.clip(v, -0.5, 0.75)
np.clip(v, a_min=s - 1.0, a_max=s)
np.clip(v, min=0.0)
np.clip(v, max=s)
np.clip(v, min=s - 1.0, max=s)
np.clip(v, [0.0, s, 0.0, 0.1, 0.2, 0.3], None)
np.clip(v, 0.0, a, v)
np.clip(x, 0.0, 1.0, dtype=np.float32)
np.column_stack([x, y, m])
np.compress(b, r, axis=1)
np.compress([True, False, True], m, axis=0)
np.concat([x, y])
np.concatenate([x, y, [1.0, s]])
np.concatenate([x, [1.0, y[0]]])
np.concatenate((r, m), axis=0)
np.concatenate((m, m), axis=None)
np.concatenate(m)
np.concatenate([h, np.float32([1.0])], dtype=np.float64)
np.concatenate([x, y], axis=0, out=np.zeros_like(v))
np.concatenate([x, y], 0, v)
np.conj(z)
np.conjugate(z)
np.convolve(x, y)
np.convolve(v, x, mode="same")
np.copy(x)
np.copy(m.T, order="C")
np.copy(m.T, "C")
np.copysign(x, y)
np.correlate(v, x)
np.correlate(v, x, "full")
np.cos(x)
np.cosh(x)
np.cross(x, y)
np.cross(x, [1.0, 2.0, 3.0])
np.cross([1.0, 2.0, 3.0], x)
np.cumprod(x)
np.cumsum(r, axis=0)
np.cumsum(x, out=y)
np.cumulative_prod(x)
np.cumulative_sum(x, include_initial=True)
np.deg2rad(x)
np.degrees(x)
np.delete(x, 1)
np.delete(m, [0, 2], axis=1)
np.delete(x, slice(1, 3))
np.diag(x)
np.diag(m, k=1)
np.diagflat(r)
np.diagonal(m, offset=-1)
np.diff(v, n=2)
np.diff(v, prepend=s)
np.diff(x, prepend=s, append=a)
np.divide(x, y)
np.divmod(x, y)
np.dot(x, y)
np.dot(r, m)
np.dot(s, x)
np.dot(x, [1.0, 2.0, 3.0])
np.dot([[1.0, 2.0, 3.0]], x)
np.dot(m, x, out=np.zeros_like(x))
np.dot(m, x, y)
np.dsplit(c, 2)
np.dstack([x, y])
np.ediff1d(v, to_begin=1.0)
np.ediff1d(v, to_end=[s, a])
np.einsum("ij,jk->ik", r, m)
np.einsum("i,i", x, y)
np.einsum("i,i->", [1.0, 2.0, 3.0], x)
np.einsum("ij,j", m, x, optimize=True)
np.einsum("ii->i", m)
np.einsum("i->", x, out=np.zeros_like(o))
np.einsum(m, [0, 1], x, [1], [0])
np.einsum(m, [1, 0])
np.einsum(c, [Ellipsis, 2], [Ellipsis])
np.exp(x)
np.exp2(x)
np.expand_dims(x, 0)
np.expm1(x)
np.extract(b, x)
np.fabs(y)
np.flip(c, axis=(0, 2))
np.fliplr(r)
np.flipud(r)
np.float_power(x, y)
np.fmax(x, y)
np.fmin(x, y)
np.fmod(x, y)
np.frexp(x)
np.full_like(x, s)
np.full_like(x, [s, a, 1.0])
np.geomspace(s, 3.0, 4)
np.geomspace(x, [1.0, s, 2.0], 3, axis=1)
np.gradient(v)
np.gradient(v, 0.5)
np.gradient(v, [0.0, 1.0, 3.0, 4.0, 6.0, 7.0])
np.gradient(r)
np.gradient(c)
np.gradient(m, 2.0, 0.5)
np.gradient(m, axis=(0, 1))
np.gradient(r, axis=1)
np.gradient(m, edge_order=2)
np.hsplit(r, 3)
np.hstack([x, y])
np.hypot(x, y)
np.imag(z)
np.imag(x)
np.inner(x, y)
np.inner(r, m)
np.inner(x, [1.0, 2.0, 3.0])
np.insert(x, 1, s)
np.insert(x, [0, 2], s)
np.insert(x, 1, [s, 2.0])
np.insert(r, 1, x)
np.insert(m, [0, 2], x, axis=0)
np.insert(m.T, 1, 1.0, axis=0)
np.insert(h, 1, s)
np.insert([1.0, 2.0], 1, x)
np.interp(0.5, np.sort(x), y)
np.interp(s, [0.0, 1.0], [a, 3.0])
np.interp(x=x, xp=[0.0, 1.0], fp=[1.0, 3.0])
np.kron(x, r)
np.kron([1.0, 2.0], x)
np.ldexp(x, k)
np.lib.stride_tricks.sliding_window_view(v, 2) * 1.0
np.linspace(s, a, 5)
np.linspace(s, a, 5, retstep=True)
np.linspace(x, a, 4, False, True)
np.linspace(x, y, 3, axis=1)
np.log(x)
np.log10(x)
np.log1p(x)
np.log2(x)
np.logaddexp(x, y)
np.logaddexp2(x, y)
np.logspace(s, a, 4)
np.logspace(s, x, 3, base=a)
np.matmul(r, m)
np.matmul(x, [1.0, 2.0, 3.0])
np.matmul([1.0, 2.0, 3.0], m)
np.matrix_transpose(r)
np.matvec(m, x)
np.max(r, axis=0, keepdims=True)
np.max(v, initial=0.1)
np.max(m, axis=1, out=x)
np.max(m, 1, x)
np.maximum(x, y)
np.mean(r, axis=1)
np.mean(h)
np.mean(v, where=v > 0)
np.mean(m, axis=1, out=x)
np.median(v)
np.median(r, axis=1)
np.meshgrid(x, y)
np.meshgrid(x, y, v)
np.meshgrid(x, y, indexing="ij")
np.meshgrid(x, y, sparse=True)
np.meshgrid(x, y, copy=False)
np.meshgrid(x, [1.0, 2.0])
np.min(r)
np.min(r, axis=1, initial=0.5)
np.minimum(x, y)
np.mod(x, y)
np.modf(v)
np.moveaxis(c, 0, -1)
np.multiply(x, y)
np.nan_to_num(x)
np.nan_to_num(m, copy=False)
np.nan_to_num(np.where(x > 0.3, x, np.nan), nan=s)
np.nan_to_num(np.where(x > 0.3, x, np.nan), copy=False)
np.nancumprod(x)
np.nancumsum(r)
np.nanmax(v)
np.nanmean(r, axis=0)
np.nanmedian(v)
np.nanmin(v)
np.nanpercentile(v, 30.0)
np.nanprod(x)
np.nanquantile(v, 0.3)
np.nanstd(v)
np.nansum(v)
np.nanvar(v)
np.negative(x)
np.nextafter(x, y)
np.outer(x, y)
np.outer(a=x, b=[1.0, s])
np.outer([1.0, 2.0], x)
np.pad(x, 2)
np.pad(array=x, pad_width=1)
np.pad(r, ((1, 0), (0, 2)), mode="edge")
np.pad(x, (1, 2), constant_values=(1.5, 2.5))
np.pad(v, 2, mode="reflect")
np.pad(x, pad_width=2, mode="wrap")
np.partition(v, 2)
np.percentile(v, [10.0, 45.0])
np.permute_dims(c, (1, 0, 2))
np.piecewise(v, [v < 0.0, v >= 0.0], [lambda t: t * t, 3.0])
np.piecewise(v, [v < 0.0], [lambda t: t * t, lambda t: 2.0 * t])
np.piecewise(v, [v < 0.0], [s, lambda t, q: q * t], 3.0)
np.piecewise(s, [s < 0.0], [lambda t: t * t, lambda t: 2.0 * t])
np.polyval(x, s)
np.polyval([1.0, s], y)
np.polyval(p=[1.0, 2.0], x=x)
np.positive(x)
np.pow(x, y)
np.power(x, 3)
np.power(x, y)
np.prod(r, axis=0)
np.ptp(v)
np.ptp(r, axis=1)
np.quantile(v, 0.3)
np.quantile(r, [0.2, 0.7], axis=1)
np.rad2deg(x)
np.radians(x)
np.ravel(r)
np.ravel(m.T, order="F")
np.real(z)
np.real(x)
np.reciprocal(x)
np.remainder(x, y)
np.repeat(x, 2)
np.repeat(r, [1, 3], axis=0)
np.reshape(r, (3, 2))
np.resize(x, (2, 4))
np.roll(r, 1, axis=1)
np.rollaxis(c, 2)
np.rot90(r)
np.select([v > 1.0, v > 0.0], [v * 2.0, v * v])
np.select([v > 1.0, v > 0.0], [v * 2.0, v * v], default=s)
np.select([b, ~b], [x, 1.0], default=2.0)
np.sin(x)
np.sinc(x)
np.sinh(x)
np.sort(v)
np.sort(c, axis=0)
np.split(v, [1, 4])
np.split(m, 3, axis=1)
np.sqrt(x)
np.square(x)
np.squeeze(x[None])
np.stack([x, y], axis=1)
np.stack([s, a, 1.0])
np.stack(arrays=[x, y])
np.stack([x, y], out=np.zeros_like(m[:2]))
np.std(v)
np.std(r, axis=1, ddof=1)
np.std(v, correction=1)
np.subtract(x, y)
np.sum(r)
np.sum(c, axis=(0, 2), keepdims=True)
np.sum(x, where=b, initial=2.0)
np.sum(m, axis=0, out=x)
np.sum(m, 0, None, x)
np.swapaxes(c, 0, 2)
np.take(x, [0, 2, 2])
np.take(m, k, axis=1)
np.take(m, [0, 1, 2], 1, m)
np.take(x, indices=k, axis=0, mode="wrap")
np.take_along_axis(m, k[None], axis=0)
np.tan(x)
np.tanh(x)
np.tensordot(r, m, axes=1)
np.tensordot(c, m, axes=([1], [0]))
np.tensordot(r, [[1.0], [2.0], [3.0]], axes=1)
np.tile(x, (2, 2))
np.trace(m)
np.transpose(r)
np.transpose(c, (2, 0, 1))
np.trapezoid(y, np.sort(x))
np.trapezoid(r, dx=0.5)
np.trapezoid(y, dx=s)
np.tril(m)
np.trim_zeros(np.pad(x, 1))
np.triu(m, k=1)
np.true_divide(x, y)
np.unique(x)
np.unstack(r)
np.unstack(m, axis=1)
np.vander(x, 4)
np.var(v)
np.var(r, axis=0, ddof=1)
np.vdot(x, y)
np.vdot(z, z)
np.vdot([1.0, 2.0, 3.0], x)
np.vecdot(x, y)
np.vecmat(x, m)
np.vsplit(r, 2)
np.vstack([x, y])
np.where(b, x, y)
np.where(b, h, s)
np.where(True, s, a)
np.where(v > 0, [s, a, 1.0, 2.0, 3.0, 4.0], v)
np.linalg.cholesky(m @ m.T)
np.linalg.cond(m)
np.linalg.cross(x, y)
np.linalg.det(m)
np.linalg.diagonal(m)
np.linalg.eig(m)[0]
np.linalg.eigh(m @ m.T)[0]
np.linalg.eigvals(m @ m.T)
np.linalg.eigvalsh(m @ m.T)
np.linalg.inv(m)
np.linalg.matmul(r, m)
np.linalg.matrix_norm(m)
np.linalg.matrix_power(m, 3)
np.linalg.matrix_transpose(r)
np.linalg.norm(x)
np.linalg.norm(m)
np.linalg.norm(r, axis=1)
np.linalg.norm(m, 2)
np.linalg.norm(x=x, ord=3)
np.linalg.outer(x, y)
np.linalg.pinv(r)
np.linalg.qr(m)
np.linalg.slogdet(m)
np.linalg.solve(m, x)
np.linalg.solve(m, r.T)
np.linalg.solve(a=m, b=x)
np.linalg.solve([[s, 0.0], [1.0, a]], x[:2])
np.linalg.svd(m, compute_uv=False)
np.linalg.svdvals(m)
np.linalg.tensordot(r, m, axes=1)
np.linalg.trace(m)
np.linalg.vecdot(x, y)
np.linalg.vector_norm(v)
np.fft.fft(x)
np.fft.fft(z, n=5)
np.fft.fft2(r)
np.fft.fftfreq(5, d=s)
np.fft.fftn(c)
np.fft.fftshift(x)
np.fft.hfft(z)
np.fft.ifft(z)
np.fft.ifft2(r)
np.fft.ifftn(r)
np.fft.ifftshift(x)
np.fft.ihfft(x)
np.fft.irfft(z)
np.fft.irfft2(m * 1j)
np.fft.irfftn(m + 0j)
np.fft.rfft(v)
np.fft.rfft2(r)
np.fft.rfftfreq(5, d=s)
np.fft.rfftn(r)
np.bincount(k, weights=x)
np.bincount(k, x, 5)
""".split("\n")[1:-1]
"""Functions that are followed."""

WRITES = """
np.copyto(x, y)
np.copyto(m, x, where=b)
np.copyto(x, y, where=[True, False, True])
np.copyto(x, s)
np.copyto(x, [s, 1.0, 2.0])
np.copyto(x, [1.0, 2.0, 3.0])
np.copyto(x, 1)
np.copyto(dst=x, src=y)
np.copyto(h, x, casting="same_kind")
np.copyto(x[1:], x[:-1])
np.copyto(m, m.T)
np.copyto(z, x)
np.copyto(z.imag, x)
np.fill_diagonal(m, s)
np.fill_diagonal(m, x)
np.fill_diagonal(m, [s, 1.0])
np.fill_diagonal(a=m, val=s, wrap=True)
np.fill_diagonal(r, s)
np.fill_diagonal(m, y[::-1])
np.fill_diagonal(m.T, m[0])
np.place(x, b, [s, 2.0])
np.place(x, b, [s])
np.place(x, b, y)
np.place(arr=x, mask=b, vals=[s])
np.place(m, m > 1.0, x)
np.place(m, (m > 1.0).tolist(), x)
np.place(x, np.zeros(3, bool), [s])
np.put(x, [0, 2], [s, 1.0])
np.put(m, [1, 11], y, mode="wrap")
np.put(x, [5, -7], s, mode="clip")
np.put(m, [0, 4], s)
np.put(x, [0, 1, 2], [s])
np.put(x, 0, s)
np.put(x, [0, 0], [s, a])
np.put(x, [-1], s)
np.put(x, [0, 1], y)
np.put(m, [[0, 1], [2, 3]], x)
np.put(m.T, [1, 2], x)
np.put(a=x, ind=[0], v=s)
np.put(x, [], [s])
np.put(x, [0], [])
np.put_along_axis(m, k[None], x[None], axis=0)
np.put_along_axis(m, k[:, None], s, axis=1)
np.put_along_axis(arr=m, indices=k[None], values=s, axis=0)
np.put_along_axis(m, k, x, axis=None)
np.put_along_axis(m, np.array([[1]]), s, axis=0)
np.put_along_axis(m, np.array([[1]]), x[None], axis=0)
np.put_along_axis(m, np.array([[-1]]), s, axis=1)
np.put_along_axis(c, np.array([[[0], [1], [1]]]), s, axis=2)
np.putmask(v, v > 0.5, x)
np.putmask(x, b, s)
np.putmask(x, [True, False, True], [s, a])
np.putmask(x, mask=b, values=y)
np.putmask(m, m > 1.0, x)
np.putmask(x, b, [])
np.exp(np.ones(3), out=x)
np.exp(x, out=m[:, 1])
np.floor(x, out=x)
np.zeros_like(x).fill(1.0)
""".split("\n")[1:-1]
"""Functions that write into an argument."""

CONSTANTS = """
np.all(x > 0, axis=0)
np.allclose(s, 0.6)
np.any(x)
np.argmax(v)
np.argmax(r, axis=1, out=np.zeros(2, dtype=np.intp))
np.argmin(r, axis=1)
np.argpartition(v, 2)
np.argsort(v)
np.argwhere(v > 0)
np.array2string(x, precision=2)
np.array_equal(x, [0.7, 0.23, 0.45])
np.array_equiv(x, y)
np.array_repr(x)
np.array_str(x)
np.around(y, 1)
np.can_cast(x.dtype, np.float32)
np.ceil(v)
np.common_type(x, h)
np.count_nonzero(v)
np.diag_indices_from(m)
np.digitize(x, [0.3, 0.6])
np.empty_like(x).shape
np.equal(x, y)
np.fix(v)
np.flatnonzero(v > 0)
np.floor(v)
np.floor(x, out=np.zeros(3))
np.floor_divide(x, y)
np.greater(x, 0.5)
np.greater(x, 0.5, out=np.zeros(3, dtype=bool))
np.greater_equal(x, y)
np.heaviside(y, 0.5)
np.isclose(x, y)
np.iscomplex(z)
np.iscomplexobj(z)
np.isfinite(x)
np.isfinite(x, out=np.zeros(3, dtype=bool))
np.isfortran(m.T)
np.isin(x, [0.7])
np.isin(0.7, x)
np.isinf(x)
np.isnan(s)
np.isneginf(x)
np.isposinf(x)
np.isreal(z)
np.isrealobj(x)
np.isscalar(a)
np.isscalar(x)
np.iterable(x)
np.less(x, y)
np.less_equal(x, y)
np.lexsort((x, y))
np.linalg.matrix_rank(m)
np.logical_and(x, y)
np.logical_not(x)
np.logical_or(x, y)
np.logical_xor(x, y)
np.may_share_memory(x, y)
np.min_scalar_type(x)
np.nanargmax(x)
np.nanargmin(x)
np.ndim(s)
np.nonzero(v > 0)
np.not_equal(x, y)
np.ones_like(h)
np.result_type(h, s)
np.rint(v)
np.round(y, 1)
np.round(y, 1, out=x)
np.searchsorted(np.sort(v), [0.1, 0.5])
np.searchsorted([0.0, 1.0], s)
np.shape(x)
np.shares_memory(x[1:], x)
np.sign(y)
np.signbit(y)
np.size(m, 0)
np.spacing(x)
np.tril_indices_from(m)
np.triu_indices_from(m)
np.trunc(v)
np.where(v > 0)
np.zeros_like(m, dtype=np.float32, order="F")
np.zeros_like(x, dtype=int)
np.zeros_like(s)
""".split("\n")[1:-1]
"""Functions whose derivative is zero."""

MISSING = """
np.cov(m)
np.corrcoef(m)
np.einsum_path("ij,j", m, x)
np.frompyfunc(abs, 1, 1)(x)
np.histogram(v, weights=v)
np.histogram2d(x, y)
np.histogram_bin_edges(v)
np.histogramdd(m)
np.i0(x)
np.intersect1d(x, y)
np.ix_(x, y)
np.pad(x, 1, constant_values=s)
np.poly(x)
np.polyadd(x, y)
np.polyder(x)
np.polydiv(v, x)
np.polyfit(x, y, 1)
np.polyint(x)
np.polymul(x, y)
np.polysub(x, y)
np.real_if_close(z)
np.roots(x)
np.save("nowhere", x)
np.savetxt("nowhere", x)
np.savez("nowhere", x)
np.savez_compressed("nowhere", x)
np.setdiff1d(x, y)
np.setxor1d(x, y)
np.sort_complex(z)
np.std(v, mean=np.mean(v, keepdims=True))
np.sum(x, initial=s)
np.union1d(x, y)
np.unique_all(x)
np.unique_counts(x)
np.unique_inverse(x)
np.unique_values(x)
np.unwrap(v)
np.linalg.lstsq(r.T, x)
np.linalg.multi_dot([r, m, x])
np.linalg.tensorinv(m, ind=1)
np.linalg.tensorsolve(m, x)
""".split("\n")[1:-1]
"""Functions without a rule, or without one for the argument that is differentiated."""

LOST = """
np.arange(s)
np.array(x)
np.asanyarray(x)
np.asarray(x)
np.asarray_chkfinite(x)
np.ascontiguousarray(x)
np.asfortranarray(m)
np.copyto(np.zeros(3), x)
np.fill_diagonal(np.zeros((3, 3)), x)
np.from_dlpack(x)
np.full(3, s)
np.kaiser(5, s)
np.place(np.zeros(3), b, x)
np.put(np.zeros(3), [0], s)
np.put_along_axis(np.zeros(3), k, x, 0)
np.putmask(np.zeros(3), b, s)
np.require(x)
np.sum([s, a])
np.sum(x, out=np.zeros(()))
""".split("\n")[1:-1]
"""Functions that would make plain data of a differentiated value."""

UNSUPPORTED = """
np.average(x, weights=y, returned=True)
np.histogram(v)
np.matmul(m, m, axes=[(1, 0), (0, 1), (0, 1)])
np.vecdot(c, c, axis=1, keepdims=True, out=np.zeros_like(c[:, :1]))
""".split("\n")[1:-1]
"""Options that cannot be followed."""

NO_ARRAYS = {
    "integers or bits": """base_repr binary_repr bitwise_and bitwise_count bitwise_invert
        bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor gcd invert lcm
        left_shift packbits ravel_multi_index right_shift unpackbits unravel_index""",
    "dates": "busday_count busday_offset datetime_as_string datetime_data is_busday isnat",
    "shapes and types": """bartlett blackman broadcast_shapes diag_indices empty eye finfo
        fromfunction hamming hanning identity iinfo indices isdtype issubdtype mask_indices
        mintypecode ones promote_types tri tril_indices triu_indices typename zeros""",
    "settings and files": """fromfile fromregex fromstring genfromtxt get_include get_printoptions
        getbufsize geterr geterrcall info load loadtxt printoptions set_printoptions setbufsize
        seterr seterrcall show_config show_runtime test""",
    "text of one number, by float()": "format_float_positional format_float_scientific",
    "compiled: they take no wrapper at all, see test_refusals": "frombuffer fromiter nested_iters",
    "deprecated in NumPy; for matrices see test_refusals": "asmatrix bmat in1d row_stack trapz",
}
"""Functions that do not take floating arrays, by what they are about."""


def cases(expressions):
    return pytest.mark.parametrize("expression", [e for e in expressions if resolves(e)])


@cases(FOLLOWED + WRITES)
def test_followed(expression):
    agrees(expression)


@cases(CONSTANTS)
@pytest.mark.filterwarnings("ignore:numpy.fix:DeprecationWarning")
def test_constant(expression):
    # Rounding jumps nowhere near these values: the differences are zero as well.
    agrees(expression)


def refused(expression, error):
    f, args = compiled(expression)
    with pytest.raises(error) as caught:
        hybridad.vjp(lambda *args: f(*args) is None or args[0] * 1.0, *args)
    return str(caught.value)


@cases(MISSING)
def test_missing_rule(expression):
    function = ast.parse(expression, mode="eval").body.func
    name = getattr(function, "attr", "vectorized")
    assert name in refused(expression, MissingRuleError)


@cases(LOST)
def test_lost(expression):
    assert "derivative would be lost" in refused(expression, LostDerivativeError)


@cases(UNSUPPORTED)
def test_unsupported(expression):
    refused(expression, UnsupportedError)


def _named(expressions):
    """The functions that stand in expressions."""
    for expression in expressions:
        for node in ast.walk(ast.parse(expression)):
            path = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
            if path.startswith("np.") and path.replace(".", "").isidentifier() and resolves(path):
                yield eval(path, {"np": np})


@pytest.mark.parametrize("module", [np, np.linalg, np.fft], ids=lambda m: m.__name__)
def test_every_public_function_is_listed(module):
    known = {id(f) for f in _named(FOLLOWED + WRITES + CONSTANTS + MISSING + LOST + UNSUPPORTED)}
    apart = {name for names in NO_ARRAYS.values() for name in names.split()}
    functions = {name: getattr(module, name) for name in module.__all__}
    missing = [name for name, f in functions.items()
               if callable(f) and not isinstance(f, type) and id(f) not in known
               and name not in apart]
    assert not missing, f"list these functions of {module.__name__}: {' '.join(sorted(missing))}"


def test_missing_rule_names_the_users_line():
    def f(x):
        return np.unwrap(x * 2.0).sum()

    with pytest.raises(MissingRuleError) as caught:
        hybridad.grad(f)(np.array([0.1, 0.2]))
    what, where, remedy = str(caught.value).splitlines()
    assert what == "numpy.unwrap has no derivative rule."
    assert "test_functions.py:" in where
    assert where.endswith("return np.unwrap(x * 2.0).sum()")
    assert "Write it with functions of NumPy that have one" in remedy


@pytest.mark.parametrize("f", [
    lambda x: np.average(x, weights=x, returned=True)[0],
    lambda x: np.gradient(np.arange(3.0), x).sum(),
    lambda x: np.pad(x, 2, mode="maximum").sum(),
], ids=["average", "gradient-spacing", "pad-maximum"])
def test_option_without_rule_is_refused_at_the_users_line(f):
    with pytest.raises((MissingRuleError, UnsupportedError)) as caught:
        hybridad.grad(f)(np.array([0.1, 0.2, 0.5]))
    assert "lambda x: np." in str(caught.value)


def test_functions_of_inactive_wrappers_need_no_rule():
    def f(x):
        knots = np.zeros_like(x)
        knots[:] = [3.0, 1.0, 3.0]
        found = np.unique(knots)
        assert found.tolist() == [1.0, 3.0]
        assert np.array_equal(np.unwrap(knots), np.unwrap([3.0, 1.0, 3.0]))
        assert np.histogram(knots, bins=2)[0].tolist() == [1, 2]
        found[0] = x[0]  # and their results take differentiated values
        return (found * x[:2]).sum()

    agrees_at(f, (np.array([0.5, 2.0, 1.0]),), order=2)


@pytest.mark.parametrize(("expression", "plainly"), [
    ("np.put(x, [5], s)", IndexError),
    ("np.put(x, [-4], s)", IndexError),
    ("np.place(x, b, [])", ValueError),
    ("np.putmask(x, [True], s)", ValueError),
    ("np.place(x, [True], [s])", ValueError),
    ("np.copyto(x, z)", TypeError),
    ("np.copyto(x, y[:2])", ValueError),
    ("np.fill_diagonal(x, s)", ValueError),
    ("np.put_along_axis(m, k, x, axis=0)", ValueError),
    ("np.clip(x, 0.1)", TypeError),
    ("np.clip(x, 0.1, 0.5, min=0.3)", ValueError),
    ("np.meshgrid(x, y, indexing='no')", ValueError),
    ("np.insert(x, 7, s)", IndexError),
    ("np.piecewise(x, [b], [1.0, 2.0, 3.0])", ValueError),
    ("np.apply_over_axes(np.ravel, m, 0)", Exception),
    ("np.reshape(x, (2, 2))", ValueError),
    ("np.concatenate([x, m])", ValueError),
    ("np.dot(x, y[:2])", ValueError),
    ("np.sum(x, axis=3)", ValueError),
    ("np.linalg.inv(m - m)", np.linalg.LinAlgError),
    ("np.linalg.cholesky(-m)", np.linalg.LinAlgError),
    ("np.select([x], [y])", TypeError),
    ("np.choose([3], [x, y])", ValueError),
    ("np.einsum('ij', x)", ValueError),
    ("np.nan_to_num(s, copy=False)", ValueError),
    ("np.gradient(x, 1.0, 2.0)", TypeError),
])
def test_errors_are_those_of_plain_numpy(expression, plainly):
    f, args = compiled(expression)
    copies = [np.copy(x) if isinstance(x, np.ndarray) else x for x in args]
    with pytest.raises(plainly) as expected:
        f(*copies)
    with pytest.raises(plainly) as found:
        hybridad.vjp(f, *args)
    assert type(found.value) is type(expected.value)


def test_a_refused_write_leaves_the_array_and_the_run_as_they_were():
    def f(x, y):
        with pytest.raises(IndexError):
            np.put(x, [0, 9], [5.0, 5.0])
        with pytest.raises(TypeError):
            np.copyto(x, np.array([1j, 2j]))
        return (x * y).sum()

    x, y = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    value, (g_x, g_y) = hybridad.value_and_grad(f, argnums=(0, 1))(x, y)
    assert value == 13.0
    assert g_x.tolist() == [3.0, 5.0]
    assert g_y.tolist() == [1.0, 2.0]


def test_writes_are_seen_by_views_and_by_rules_that_read_before():
    def f(x, y):
        before = np.exp(x) * x
        view = x[::2]
        np.copyto(view, y[:2])
        np.put(x, [1], np.sin(y[2]))
        np.putmask(x, x > 1.0, x * x)
        return before, x * 3.0, view * x[0]

    agrees_at(f, (np.array([0.7, 0.2, 0.5]), np.array([1.3, 0.4, 0.9])), order=2)


def test_broadcast_arrays_of_one_shape_are_the_arrays_themselves():
    def f(x, y):
        first, second = np.broadcast_arrays(x, y)
        first[0] = second[1]
        return x * y

    agrees_at(f, (np.array([0.7, 0.2]), np.array([1.3, 0.4])))


def test_higher_order_through_special_functions():
    def f(x, y):
        grid_x, grid_y = np.meshgrid(x, y)
        rows = np.apply_along_axis(lambda row: row * row.sum(), 1, grid_x * grid_y)
        return np.insert(rows[0], 1, rows[1, 0]) ** 2

    check_grads(f, (np.array([0.7, 0.2]), np.array([1.3, 0.4])), order=2)


def test_named_results_keep_their_type():
    def f(m):
        found = np.linalg.slogdet(m)
        assert type(found).__name__ == "SlogdetResult"
        assert found.logabsdet is not None
        factors = np.linalg.qr(m)
        return found.sign * found.logabsdet + factors.R[0, 0] + np.linalg.svd(m).S[0]

    agrees_at(f, (np.array([[2.0, 0.3], [0.4, 3.0]]),))


def test_nan_to_num_in_place_is_a_write():
    def f(x):
        x[1] = np.nan
        y = x[:2]
        assert np.nan_to_num(x, copy=False, nan=3.0) is x
        return y * x[2]

    agrees_at(f, (np.array([0.5, 0.6, 0.7]),))
