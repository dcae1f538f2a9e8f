"""Rules of what reduces or runs along axes: sums, products, extremes, moments, quantiles, diffs.

Where the textbook formula divides by the argument (`prod`, `cumprod`), products of the *other*
elements stand instead, so that zeros are right to every order. The recurrences of `cumprod` are
solved by doubling (Hillis & Steele 1986). Extremes share their derivative equally between ties.
Quantiles are a linear function of the order statistics (Hyndman & Fan 1996), whose coefficients
are constant almost everywhere. The nan* functions are the plain ones where the argument is no NaN.
"""

import math

import numpy as np

from hybridad.rules.declare import linear, rule


def _axes(axis, ndim):
    """The reduced axes as a tuple of non-negative numbers."""
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return tuple(int(k) % ndim for k in axes) if ndim else ()


def _kept(y, a, axis, keepdims=False):
    """`y`, a reduction of `a`, with the reduced axes back as 1, so that it broadcasts with `a`."""
    if keepdims or axis is None or (type(axis) is int and axis == 0):
        return y
    shape = np.shape(a)
    if not shape:
        return y
    axes = _axes(axis, len(shape))
    return np.reshape(y, tuple(1 if k in axes else n for k, n in enumerate(shape)))


def _count(a, axis, keepdims=False, where=True):
    """How many elements each reduced slice of `a` has: an int, an array if `where` selects."""
    shape = np.shape(a)
    if where is True:
        return math.prod(shape[k] for k in _axes(axis, len(shape)))
    return np.sum(np.broadcast_to(where, shape), axis=axis, keepdims=keepdims)


def _selected(where, y, other=0):
    return y if where is True else np.where(where, y, other)


def _order(a, axis):
    """The axes of `a` that stay and those that are reduced."""
    ndim = np.ndim(a)
    axes = _axes(axis, ndim)
    return tuple(k for k in range(ndim) if k not in axes), axes


def _merged(a, axis):
    """`a` with the reduced axes merged into one, the last."""
    rest, axes = _order(a, axis)
    shape = np.shape(a)
    n = math.prod(shape[k] for k in axes)
    return np.reshape(np.transpose(a, rest + axes), (*(shape[k] for k in rest), n))


def _unmerged(y, a, axis):
    """Undo `_merged`: `y` in the shape of `a`."""
    order = sum(_order(a, axis), ())
    shape = np.shape(a)
    y = np.reshape(y, tuple(shape[k] for k in order))
    return np.transpose(y, sorted(range(len(order)), key=order.__getitem__))


def _ignoring_nan(function):
    """The rule `function` of a reduction as the rule of its nan* namesake."""

    def rule_of_numbers(g, ans, a, *args, where=True, **kwargs):
        numbers = ~np.isnan(a)
        where = numbers if where is True else numbers & where
        return function(g, ans, a, *args, where=where, **kwargs)

    return rule_of_numbers


# Sums and means


def _sum_vjp(g, ans, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    return _selected(where, _kept(g, a, axis, keepdims))


def _sum_jvp(t, ans, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    return np.sum(t, axis=axis, keepdims=keepdims, where=where)


def _mean_vjp(g, ans, a, axis=None, dtype=None, out=None, keepdims=False, where=True):
    g = g / _count(a, axis, keepdims, where)
    return _selected(where, _kept(g, a, axis, keepdims))


def _mean(a, axis, keepdims=False, where=True):
    """The mean; of nothing it is NaN without the warning of `np.mean`."""
    return (np.sum(a, axis=axis, keepdims=keepdims, where=where)
            / _count(a, axis, keepdims, where))


def _mean_jvp(t, ans, a, axis=None, dtype=None, out=None, keepdims=False, where=True):
    return _mean(t, axis, keepdims, where)


rule(np.sum, _sum_vjp, jvps=(_sum_jvp,), shapes_only=True)
rule(np.nansum, _ignoring_nan(_sum_vjp), jvps=(_ignoring_nan(_sum_jvp),))
rule(np.mean, _mean_vjp, jvps=(_mean_jvp,), shapes_only=True)
rule(np.nanmean, _ignoring_nan(_mean_vjp), jvps=(_ignoring_nan(_mean_jvp),))


def _weights(a, axis, weights):
    """The weights of `average` such that they broadcast with `a`."""
    if np.shape(weights) == np.shape(a):
        return np.array(weights) if type(weights) in (list, tuple) else weights
    axes = _axes(axis, np.ndim(a))
    weights = np.transpose(weights, sorted(range(len(axes)), key=axes.__getitem__))
    return np.reshape(weights, tuple(n if k in axes else 1 for k, n in enumerate(np.shape(a))))


def _weight_sums(a, axis, weights, keepdims):
    w = np.broadcast_to(_weights(a, axis, weights), np.shape(a))
    return np.sum(w, axis=axis, keepdims=keepdims)


def _average_vjp(g, ans, a, axis=None, weights=None, returned=False, keepdims=False):
    if weights is None:
        return _mean_vjp(g, ans, a, axis, keepdims=keepdims)
    g = g / _weight_sums(a, axis, weights, keepdims)
    return _kept(g, a, axis, keepdims) * _weights(a, axis, weights)


def _average_jvp(t, ans, a, axis=None, weights=None, returned=False, keepdims=False):
    return np.average(t, axis, weights, keepdims=keepdims)


def _average_weights_vjp(g, ans, a, axis=None, weights=None, returned=False, keepdims=False):
    g = _kept(g / _weight_sums(a, axis, weights, keepdims), a, axis, keepdims)
    g = g * (a - _kept(ans, a, axis, keepdims))
    if np.shape(weights) == np.shape(a):
        return g
    axes = _axes(axis, np.ndim(a))
    g = np.sum(g, axis=_order(a, axis)[0])
    kept = sorted(axes)
    return np.transpose(g, [kept.index(k) for k in axes])


def _average_weights_jvp(t, ans, a, axis=None, weights=None, returned=False, keepdims=False):
    t = _weights(a, axis, t) * (a - _kept(ans, a, axis, keepdims))
    return np.sum(t, axis=axis, keepdims=keepdims) / _weight_sums(a, axis, weights, keepdims)


rule(np.average, _average_vjp, None, _average_weights_vjp,
     jvps=(_average_jvp, None, _average_weights_jvp))


# Variance: d mean|x - m|^2 = 2 Re mean(conj(x - m) dx), since the deviations sum to zero


def _deviations(a, axis, where=True, mean=None):
    if mean is None:
        mean = _mean(a, axis, True, where)
    return _selected(where, a - mean)


def _degrees(g, a, axis, keepdims, where, ddof, correction):
    """The divisor n - ddof; harmless where it is not positive and the cotangent is zero."""
    n = _count(a, axis, keepdims, where) - (ddof if correction is None else correction)
    if where is True and n > 0:
        return n
    return np.where((n <= 0) & (g == 0), 1, np.maximum(n, 0))


def _conj(d):
    return np.conj(d) if d.dtype.kind == "c" else d


def _var_vjp(g, ans, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True,
             mean=None, correction=None):
    n = _degrees(g, a, axis, keepdims, where, ddof, correction)
    d = _deviations(a, axis, where, mean)
    return _selected(where, _kept(g * 2.0 / n, a, axis, keepdims) * _conj(d))


def _var_jvp(t, ans, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True,
             mean=None, correction=None):
    n = _count(a, axis, keepdims, where) - (ddof if correction is None else correction)
    d = _deviations(a, axis, where, mean)
    return np.sum(np.real(_conj(d) * _selected(where, t)), axis=axis, keepdims=keepdims) * 2.0 / n


def _std_deviations(a, axis, where, mean):
    """Centred twice: the rounding of the mean must not look like a spread at zero variance."""
    d = _deviations(a, axis, where, mean)
    return _deviations(d, axis, where) if mean is None else d


def _std_vjp(g, ans, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True,
             mean=None, correction=None):
    n = _degrees(g, a, axis, keepdims, where, ddof, correction)
    d = _std_deviations(a, axis, where, mean)
    g = g / (n * np.where(ans > 0, ans, 1.0))
    return _selected(where, _kept(g, a, axis, keepdims) * _conj(d))


def _std_jvp(t, ans, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True,
             mean=None, correction=None):
    n = _count(a, axis, keepdims, where) - (ddof if correction is None else correction)
    d = _std_deviations(a, axis, where, mean)
    t = np.sum(np.real(_conj(d) * _selected(where, t)), axis=axis, keepdims=keepdims)
    return t / (n * np.where(ans > 0, ans, 1.0))


rule(np.var, _var_vjp, jvps=(_var_jvp,))
rule(np.std, _std_vjp, jvps=(_std_jvp,))
rule(np.nanvar, _ignoring_nan(_var_vjp), jvps=(_ignoring_nan(_var_jvp),))
rule(np.nanstd, _ignoring_nan(_std_vjp), jvps=(_ignoring_nan(_std_jvp),))


# Extremes


def _hits(ans, a, axis, keepdims, initial, where):
    """Where the extreme is attained, and how often."""
    hit = a == _kept(ans, a, axis, keepdims)
    hit = hit if where is True else hit & where
    count = np.sum(hit, axis=axis, keepdims=keepdims)
    return hit, count if initial is None else count + (ans == initial)


def _extreme_vjp(g, ans, a, axis=None, out=None, keepdims=False, initial=None, where=True):
    hit, count = _hits(ans, a, axis, keepdims, initial, where)
    return np.where(hit, _kept(g / count, a, axis, keepdims), 0)


def _extreme_jvp(t, ans, a, axis=None, out=None, keepdims=False, initial=None, where=True):
    hit, count = _hits(ans, a, axis, keepdims, initial, where)
    return np.sum(np.where(hit, t, 0), axis=axis, keepdims=keepdims) / np.maximum(count, 1)


for _p in (np.max, np.amax, np.min, np.amin, np.nanmax, np.nanmin):
    rule(_p, _extreme_vjp, jvps=(_extreme_jvp,))


def _ends(function, g, a, axis, keepdims):
    """The rule `function` of an extreme, at the maximum less at the minimum."""
    top = np.max(a, axis=axis, keepdims=keepdims)
    bottom = np.min(a, axis=axis, keepdims=keepdims)
    return (function(g, top, a, axis, None, keepdims)
            - function(g, bottom, a, axis, None, keepdims))


rule(np.ptp, lambda g, ans, a, axis=None, out=None, keepdims=False:
     _ends(_extreme_vjp, g, a, axis, keepdims),
     jvps=(lambda t, ans, a, axis=None, out=None, keepdims=False:
           _ends(_extreme_jvp, t, a, axis, keepdims),))


# Products


def _before(x):
    """The product of all elements before each, along the last axis."""
    return np.cumprod(np.concatenate([np.ones_like(x[..., :1]), x[..., :-1]], axis=-1), axis=-1)


def _others(a, axis, where):
    """The product of all the other elements of each element's slice."""
    x = _merged(_selected(where, a, 1), axis)
    return _unmerged(_before(x) * _before(x[..., ::-1])[..., ::-1], a, axis)


def _recur(x, b):
    """Solve r[k] = b[k] + x[k] r[k-1] along the last axis, by doubling: no division."""
    step, n = 1, np.shape(b)[-1]
    while step < n:
        later = x[..., step:]
        b = np.concatenate([b[..., :step], b[..., step:] + later * b[..., :-step]], axis=-1)
        x = np.concatenate([x[..., :step], later * x[..., :-step]], axis=-1)
        step *= 2
    return b


def _prod_vjp(g, ans, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    g = _kept(g if initial is None else g * initial, a, axis, keepdims)
    return _selected(where, g * _others(a, axis, where))


def _prod_jvp(t, ans, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    t = _selected(where, t * _others(a, axis, where))
    t = np.sum(t, axis=axis, keepdims=keepdims)
    return t if initial is None else t * initial


def _cumprod_vjp(g, ans, a, axis=None, dtype=None, out=None, where=True):
    x = _merged(_selected(where, a, 1), axis)
    g = g if axis is None else _merged(g, axis)
    back = x[..., ::-1]
    back = np.concatenate([back[..., :1], back[..., :-1]], axis=-1)
    g = _before(x) * _recur(back, g[..., ::-1])[..., ::-1]
    return _selected(where, _unmerged(g, a, axis))


def _cumprod_jvp(t, ans, a, axis=None, dtype=None, out=None, where=True):
    x = _merged(_selected(where, a, 1), axis)
    t = _recur(x, _merged(_selected(where, t), axis) * _before(x))
    return t if axis is None else _unmerged(t, a, axis)


rule(np.prod, _prod_vjp, jvps=(_prod_jvp,))
rule(np.nanprod, _ignoring_nan(_prod_vjp), jvps=(_ignoring_nan(_prod_jvp),))
rule(np.cumprod, _cumprod_vjp, jvps=(_cumprod_jvp,))
rule(np.nancumprod, _ignoring_nan(_cumprod_vjp), jvps=(_ignoring_nan(_cumprod_jvp),))


# Running sums


def _reverse_cumsum(g, axis):
    return np.flip(np.cumsum(np.flip(g, axis), axis), axis)


def _cumsum_vjp(g, ans, a, axis=None, dtype=None, out=None, where=True):
    if axis is None:
        g = np.reshape(np.cumsum(g[::-1])[::-1], np.shape(a))
    else:
        g = _reverse_cumsum(g, axis)
    return _selected(where, g)


linear(np.cumsum, _cumsum_vjp)
rule(np.nancumsum, _ignoring_nan(_cumsum_vjp),
     jvps=(lambda t, ans, a, axis=None, dtype=None, out=None:
           np.cumsum(np.where(np.isnan(a), 0, t), axis),))


def _without_initial(g, axis, include_initial):
    return _after(g, axis, 1) if include_initial else g


def _after(x, axis, start, stop=None):
    """``x[start:stop]`` along `axis`."""
    return x[(slice(None),) * (axis % np.ndim(x)) + (slice(start, stop),)]


def _cumulative_prod_jvp(t, ans, x, axis=None, dtype=None, out=None, include_initial=False):
    axis = 0 if axis is None else axis
    t = _cumprod_jvp(t, ans, x, axis)
    if include_initial:
        t = np.concatenate([np.zeros_like(_after(t, axis, 0, 1)), t], axis=axis)
    return t


if hasattr(np, "cumulative_sum"):  # NumPy 2.1
    linear(np.cumulative_sum, lambda g, ans, x, axis=None, dtype=None, out=None,
           include_initial=False:
           _cumsum_vjp(_without_initial(g, axis or 0, include_initial), ans, x, axis or 0))
    rule(np.cumulative_prod, lambda g, ans, x, axis=None, dtype=None, out=None,
         include_initial=False:
         _cumprod_vjp(_without_initial(g, axis or 0, include_initial), ans, x, axis or 0),
         jvps=(_cumulative_prod_jvp,))


# Quantiles: q -> position among the order statistics, from Hyndman & Fan's alpha and beta


_PLOTTING = {"linear": (1.0, 1.0), "interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5),
             "weibull": (0.0, 0.0), "median_unbiased": (1 / 3, 1 / 3),
             "normal_unbiased": (3 / 8, 3 / 8)}
_ROUNDED = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint,
            "midpoint": lambda p: (np.floor(p) + np.ceil(p)) / 2.0}
_SELECTING = ("inverted_cdf", "closest_observation")


def _position(q, n, method):
    """Where the quantile `q` of `n` sorted numbers lies, counted from 0."""
    if method in _ROUNDED:
        return _ROUNDED[method](q * (n - 1))
    if method == "averaged_inverted_cdf":
        p = n * q - 1.0
        p = np.where(p == np.floor(p), p + 0.5, np.ceil(p))
    else:
        alpha, beta = _PLOTTING[method]
        p = n * q + (alpha + q * (1.0 - alpha - beta)) - 1.0
    return np.maximum(np.minimum(p, n - 1), 0)


def _shares(x, ans, q, method, nan):
    """What each element of `x` contributes to its slice's quantile: shape q + x."""
    if method in _SELECTING:    # the only methods with weights
        hit = x == np.reshape(ans, np.shape(q) + np.shape(x)[:-1] + (1,))
        return hit / np.maximum(np.sum(hit, axis=-1, keepdims=True), 1)
    ranks = np.argsort(np.argsort(x, axis=-1), axis=-1)
    n = np.shape(x)[-1]
    if nan:
        n = np.maximum(np.sum(~np.isnan(x), axis=-1, keepdims=True), 1)
    q = np.reshape(q, np.shape(q) + (1,) * np.ndim(x))
    p = _position(q, n, method)
    return np.maximum(1.0 - np.abs(ranks - p), 0.0)


def _quantile_vjp(g, ans, a, q, axis, method, nan):
    x = _merged(a, axis)
    g = np.reshape(g, np.shape(q) + np.shape(x)[:-1] + (1,)) * _shares(x, ans, q, method, nan)
    return _unmerged(np.sum(g, axis=tuple(range(np.ndim(q)))), a, axis)


def _quantile_jvp(t, ans, a, q, axis, method, nan):
    shares = _shares(_merged(a, axis), ans, q, method, nan)
    return np.reshape(np.sum(_merged(t, axis) * shares, axis=-1), np.shape(ans))


def _quantile(p, scale, nan):
    rule(p, lambda g, ans, a, q, axis=None, out=None, overwrite_input=False, method="linear",
         keepdims=False, weights=None:
         _quantile_vjp(g, ans, a, np.true_divide(q, scale), axis, method, nan),
         jvps=(lambda t, ans, a, q, axis=None, out=None, overwrite_input=False, method="linear",
               keepdims=False, weights=None:
               _quantile_jvp(t, ans, a, np.true_divide(q, scale), axis, method, nan),))


def _median(p, nan):
    rule(p, lambda g, ans, a, axis=None, out=None, overwrite_input=False, keepdims=False:
         _quantile_vjp(g, None, a, 0.5, axis, "linear", nan),
         jvps=(lambda t, ans, a, axis=None, out=None, overwrite_input=False, keepdims=False:
               _quantile_jvp(t, ans, a, 0.5, axis, "linear", nan),))


_quantile(np.quantile, 1.0, nan=False)
_quantile(np.percentile, 100.0, nan=False)
_quantile(np.nanquantile, 1.0, nan=True)
_quantile(np.nanpercentile, 100.0, nan=True)
_median(np.median, nan=False)
_median(np.nanmedian, nan=True)
