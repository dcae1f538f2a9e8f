"""`numpy.fft`: all transforms and shifts.

Cotangents pair as Re(sum(g * t)), so the vjp of a complex-linear transform is its plain transpose.
The matrix exp(-2 pi i j k / n) is symmetric: `fft` is its own transpose, with the same `norm`, and
padding or cropping by `n` is undone by cropping or padding (`_fit`).

The real transforms keep half of the frequencies. `rfft` is `fft` of a real argument with rows left
out; its transpose pads the cotangent with zeros and the engine takes the real part. `irfft` reads
the kept frequencies twice, as themselves and as the conjugates of those left out (except zero and,
for even `n`, n/2, of which it reads the real part); its transpose is the conjugate of `rfft` with
those counted twice (`_twice`) and the opposite `norm`. (No source: worked out here, and checked
against finite differences for even and odd lengths, padded and cropped.)
"""

import numpy as np

from hybridad.rules.declare import linear, rule

_OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _fit(x, shape, axes):
    """`x` cropped or padded with zeros at the end of `axes` to the sizes there of `shape`."""
    for axis in axes:
        n, m = shape[axis], x.shape[axis]
        if m > n:
            x = x[(slice(None),) * (axis % x.ndim) + (slice(n),)]
        elif m < n:
            x = np.pad(x, [(0, n - m if k == axis % x.ndim else 0) for k in range(x.ndim)])
    return x


def _twice(x, n, axis):
    """The half spectrum `x` of length-`n` data with all but frequencies 0 and n/2 doubled."""
    weights = np.full(x.shape[axis], 2.0, dtype=np.finfo(x.dtype).dtype)
    weights[0] = 1.0
    if n % 2 == 0:
        weights[-1] = 1.0
    return x * weights.reshape((-1,) + (1,) * (-1 - axis if axis < 0 else x.ndim - 1 - axis))


def _sizes(a, s, axes):
    """The sizes and axes of an n-dimensional transform: `s` of -1 is the size of `a`."""
    if axes is None:
        axes = range(a.ndim) if s is None else range(-len(s), 0)
    axes = tuple(axes)
    if s is None:
        return tuple(a.shape[k] for k in axes), axes
    return tuple(a.shape[k] if n is None or n == -1 else n for n, k in zip(s, axes)), axes


# one axis


def _irfft(g, a, axis, norm):
    """The transpose of `irfft`, before the conjugate."""
    half = _twice(np.fft.rfft(g, axis=axis, norm=_OPPOSITE[norm]), g.shape[axis], axis)
    return _fit(half, a.shape, (axis,))


linear(np.fft.fft, lambda g, ans, a, n=None, axis=-1, norm=None:
       _fit(np.fft.fft(g, axis=axis, norm=norm), a.shape, (axis,)))
linear(np.fft.ifft, lambda g, ans, a, n=None, axis=-1, norm=None:
       _fit(np.fft.ifft(g, axis=axis, norm=norm), a.shape, (axis,)))
linear(np.fft.rfft, lambda g, ans, a, n=None, axis=-1, norm=None:
       _fit(np.fft.fft(g, n or a.shape[axis], axis, norm), a.shape, (axis,)))
linear(np.fft.irfft, lambda g, ans, a, n=None, axis=-1, norm=None:
       np.conj(_irfft(g, a, axis, norm)))
# hfft(a) = irfft(conj(a)) and ihfft(a) = conj(rfft(a)), both with the opposite norm
rule(np.fft.hfft, lambda g, ans, a, n=None, axis=-1, norm=None:
     _irfft(g, a, axis, _OPPOSITE[norm]),
     jvps=[lambda t, ans, a, n=None, axis=-1, norm=None: np.fft.hfft(t, n, axis, norm)])
rule(np.fft.ihfft, lambda g, ans, a, n=None, axis=-1, norm=None:
     _fit(np.fft.fft(np.conj(g), n or a.shape[axis], axis, _OPPOSITE[norm]), a.shape, (axis,)),
     jvps=[lambda t, ans, a, n=None, axis=-1, norm=None: np.fft.ihfft(t, n, axis, norm)])


# several axes


def _fftn(g, a, s, axes, norm):
    _, axes = _sizes(a, s, axes)
    return _fit(np.fft.fftn(g, axes=axes, norm=norm), a.shape, axes)


def _ifftn(g, a, s, axes, norm):
    _, axes = _sizes(a, s, axes)
    return _fit(np.fft.ifftn(g, axes=axes, norm=norm), a.shape, axes)


def _rfftn(g, a, s, axes, norm):
    s, axes = _sizes(a, s, axes)
    return _fit(np.fft.fftn(g, s, axes, norm), a.shape, axes)


def _irfftn(g, a, s, axes, norm):
    _, axes = _sizes(a, s, axes)
    c = np.conj(_irfft(g, a, axes[-1], norm))
    if len(axes) > 1:
        c = _fit(np.fft.ifftn(c, axes=axes[:-1], norm=norm), a.shape, axes[:-1])
    return c


linear(np.fft.fft2, lambda g, ans, a, s=None, axes=(-2, -1), norm=None:
       _fftn(g, a, s, axes, norm))
linear(np.fft.fftn, lambda g, ans, a, s=None, axes=None, norm=None:
       _fftn(g, a, s, axes, norm))
linear(np.fft.ifft2, lambda g, ans, a, s=None, axes=(-2, -1), norm=None:
       _ifftn(g, a, s, axes, norm))
linear(np.fft.ifftn, lambda g, ans, a, s=None, axes=None, norm=None:
       _ifftn(g, a, s, axes, norm))
linear(np.fft.rfft2, lambda g, ans, a, s=None, axes=(-2, -1), norm=None:
       _rfftn(g, a, s, axes, norm))
linear(np.fft.rfftn, lambda g, ans, a, s=None, axes=None, norm=None:
       _rfftn(g, a, s, axes, norm))
linear(np.fft.irfft2, lambda g, ans, a, s=None, axes=(-2, -1), norm=None:
       _irfftn(g, a, s, axes, norm))
linear(np.fft.irfftn, lambda g, ans, a, s=None, axes=None, norm=None:
       _irfftn(g, a, s, axes, norm))


# shifts and frequencies

linear(np.fft.fftshift, lambda g, ans, x, axes=None: np.fft.ifftshift(g, axes))
linear(np.fft.ifftshift, lambda g, ans, x, axes=None: np.fft.fftshift(g, axes))
for _p in (np.fft.fftfreq, np.fft.rfftfreq):
    rule(_p, None, lambda g, ans, n, d=1.0, device=None: -g * ans / d,
         jvps=[None, lambda t, ans, n, d=1.0, device=None: -t * ans / d])
