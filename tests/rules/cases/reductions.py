"""Cases of `hybridad.rules.reductions`."""

import numpy as np

from tests.rules.cases import arg, case

MASK = np.array([[True, False, True, True], [False, True, True, False], [True, True, False, True]])
AXES = (None, 0, -1, (0, 2), (), (2, 0, 1))


def over_axes(p, domain="real", dtypes="fdD", **static):
    """Cases of a reduction `p` that takes `axis` and `keepdims`."""
    name = p.__name__
    case(p, arg(domain=domain), dtypes=dtypes, call=lambda x: getattr(np, name)(x, **static))
    case(p, arg(1, domain=domain), dtypes=dtypes, call=lambda x: getattr(np, name)(x, **static))
    case(p, arg(5, domain=domain), dtypes=dtypes, call=lambda x: getattr(np, name)(x, 0, **static))
    for axis in AXES:
        case(p, arg(2, 3, 4, domain=domain), dtypes=dtypes,
             call=lambda x, axis=axis: getattr(np, name)(x, axis=axis, **static))
        case(p, arg(2, 1, 4, domain=domain), dtypes=dtypes,
             call=lambda x, axis=axis: getattr(np, name)(x, axis=axis, keepdims=True, **static))


over_axes(np.sum)
over_axes(np.nansum)
over_axes(np.mean)
over_axes(np.nanmean)
over_axes(np.average)
over_axes(np.prod)
over_axes(np.nanprod)
over_axes(np.max, "apart")
over_axes(np.amax, "apart")
over_axes(np.min, "apart")
over_axes(np.amin, "apart")
over_axes(np.nanmax, "apart")
over_axes(np.nanmin, "apart")
over_axes(np.median, "apart", "fd")
over_axes(np.nanmedian, "apart", "fd")
case(np.sum, arg(0, 3), call=lambda x: np.sum(x, axis=0), note="empty")
case(np.sum, arg(0), note="empty")
case(np.prod, arg(0), note="empty")
case(np.prod, arg(3, 0), call=lambda x: np.prod(x, axis=1), note="empty")
case(np.prod, arg(2), call=lambda x: np.prod(x))
for p in (np.sum, np.nansum, np.prod, np.nanprod):
    name = p.__name__
    case(p, arg(3, 4), call=lambda x, name=name: getattr(np, name)(x, initial=2.5))
    case(p, arg(3, 4), call=lambda x, name=name: getattr(np, name)(x, axis=1, where=MASK))
    case(p, arg(3, 4), call=lambda x, name=name: getattr(np, name)(x, where=MASK[0], initial=3.0))
    case(p, arg(3, 4), dtypes="d",
         call=lambda x, name=name: getattr(np, name)(x, axis=0, dtype=np.complex128))
for p in (np.mean, np.nanmean):
    name = p.__name__
    case(p, arg(3, 4), call=lambda x, name=name: getattr(np, name)(x, axis=1, where=MASK))
    case(p, arg(3, 4), call=lambda x, name=name: getattr(np, name)(x, where=MASK[:, :1]))
for p in (np.max, np.amax, np.min, np.amin, np.nanmax, np.nanmin):
    name, far = p.__name__, -9.0 if "max" in p.__name__ else 9.0
    case(p, arg(3, 4, domain="apart"), dtypes="fd",
         call=lambda x, name=name, far=far: getattr(np, name)(x, axis=1, where=MASK, initial=far))
    case(p, arg(3, 4, domain="apart"), dtypes="fd",
         call=lambda x, name=name: getattr(np, name)(x, axis=0, initial=0.1))
for axis in (None, 0, -1, (0, 1)):
    case(np.ptp, arg(3, 4, domain="apart"), call=lambda x, axis=axis: np.ptp(x, axis=axis))
    case(np.ptp, arg(3, 4, domain="apart"),
         call=lambda x, axis=axis: np.ptp(x, axis, keepdims=True))

for p in (np.var, np.std, np.nanvar, np.nanstd):
    name = p.__name__
    for axis in (None, 0, -1, (0, 2)):
        case(p, arg(2, 3, 4, domain="apart"),
             call=lambda x, name=name, axis=axis: getattr(np, name)(x, axis=axis))
    case(p, arg(5), call=lambda x, name=name: getattr(np, name)(x, ddof=1))
    case(p, arg(3, 4, domain="apart"),
         call=lambda x, name=name: getattr(np, name)(x, 1, ddof=1.5, keepdims=True))
    case(p, arg(3, 4, domain="apart"),
         call=lambda x, name=name: getattr(np, name)(x, 0, correction=1))
    case(p, arg(3, 4, domain="apart"),
         call=lambda x, name=name: getattr(np, name)(x, axis=1, where=MASK))
    case(p, arg(3, 4, domain="apart"),
         call=lambda x, name=name: getattr(np, name)(x, axis=0, ddof=1, where=MASK, keepdims=True))
case(np.var, arg(3, 1), call=lambda x: np.var(x, axis=1))
case(np.var, arg())
case(np.var, arg(4), call=lambda x: np.var(x, mean=np.array([0.25])), dtypes="fd",
     note="given mean")

case(np.average, arg(3, 4), arg(3, 4, domain="positive"),
     call=lambda x, w: np.average(x, None, w))
case(np.average, arg(3, 4), arg(3, 4, domain="positive"), call=lambda x, w: np.average(x, 1, w))
case(np.average, arg(3, 4), arg(3, domain="positive"), call=lambda x, w: np.average(x, 0, w))
case(np.average, arg(3), call=lambda x: np.average(x, weights=[1, 2, 3]))
case(np.average, arg(3, 4), arg(4, domain="positive"),
     call=lambda x, w: np.average(x, -1, w, keepdims=True))
case(np.average, arg(2, 3, 4), arg(4, 2, domain="positive"),
     call=lambda x, w: np.average(x, (2, 0), w))
case(np.average, arg(5), arg(5, domain="positive"), call=lambda x, w: np.average(x, weights=w))

for p in (np.cumsum, np.cumprod, np.nancumsum, np.nancumprod):
    name = p.__name__
    for axis in (None, 0, -1, 1):
        case(p, arg(3, 5, 2), call=lambda x, name=name, axis=axis: getattr(np, name)(x, axis=axis))
    case(p, arg(9))
    case(p, arg())
    case(p, arg(1))
    case(p, arg(0), note="empty")
if hasattr(np, "cumulative_sum"):
    for p in (np.cumulative_sum, np.cumulative_prod):
        name = p.__name__
        case(p, arg(5))
        case(p, arg(5), call=lambda x, name=name: getattr(np, name)(x, include_initial=True))
        case(p, arg(3, 4), call=lambda x, name=name: getattr(np, name)(x, axis=-1))
        case(p, arg(3, 4), call=lambda x, name=name: getattr(np, name)(x, axis=-1,
                                                                       include_initial=True))

WEIGHTS = np.array([[1.0, 3.0, 0.5, 2.0, 0.0, 1.0, 1.5], [0.1, 1.0, 0.5, 1.0, 2.0, 1.0, 0.2]])
QUANTILES = ((np.quantile, 1.0), (np.percentile, 100.0),
             (np.nanquantile, 1.0), (np.nanpercentile, 100.0))
for p, scale in QUANTILES:
    name = p.__name__
    for axis in (None, 0, -1, (0, 2)):
        case(p, arg(2, 3, 5, domain="apart"), dtypes="fd",
             call=lambda x, name=name, axis=axis, q=0.37 * scale: getattr(np, name)(x, q, axis))
    many = scale * np.array([[0.0, 0.21, 0.5], [0.77, 0.9, 1.0]])
    case(p, arg(6, 2, domain="apart"), dtypes="fd", note="many",
         call=lambda x, name=name, q=many: getattr(np, name)(x, q, axis=0))
    case(p, arg(6, 2, domain="apart"), dtypes="fd", note="many kept",
         call=lambda x, name=name, q=many[0]: getattr(np, name)(x, q, axis=-1, keepdims=True))
    for method in ("interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased",
                   "normal_unbiased", "lower", "higher", "midpoint", "nearest", "inverted_cdf",
                   "averaged_inverted_cdf", "closest_observation"):
        case(p, arg(2, 7, domain="apart"), dtypes="fd", note=method,
             call=lambda x, name=name, method=method, q=many[0]:
             getattr(np, name)(x, q, axis=1, method=method))
    for q in (many, 0.4 * scale):
        case(p, arg(2, 7, domain="apart"), dtypes="fd", note="weights",
             call=lambda x, name=name, q=q: getattr(np, name)(
                 x, q, axis=1, weights=WEIGHTS, method="inverted_cdf", keepdims=True))
