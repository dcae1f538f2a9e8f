"""Rules of evenly spaced numbers: what they have in common is the weight of each point.

`linspace` mixes its end points with the weights 1 - w and w, `logspace` and `geomspace` are its
powers, `arange` goes ahead by whole steps.
"""

import numpy as np

from hybridad.rules.declare import rule

__all__ = []


def _weights(ans, num, endpoint, axis):
    """How much of `stop` is in each point, shaped to multiply `ans`."""
    n = np.shape(ans)[axis]
    div = max(n - 1 if endpoint else n, 1)
    shape = [1] * np.ndim(ans)
    shape[axis] = n
    return np.reshape(np.arange(n) / div, shape).astype(ans.real.dtype)


def _gathered(g, axis):
    """The transpose of spreading an end point along `axis`."""
    return np.sum(g, axis=axis)


def _spread(t, ans, axis):
    """A tangent of an end point, with the axis of the points."""
    lead = np.ndim(ans) - 1 - np.ndim(t)
    t = np.reshape(t, (1,) * lead + np.shape(t))
    return np.expand_dims(t, axis)


# linspace


def _lin_start(g, ans, start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, **_):
    return _gathered(g * (1 - _weights(ans, num, endpoint, axis)), axis)


def _lin_stop(g, ans, start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, **_):
    return _gathered(g * _weights(ans, num, endpoint, axis), axis)


def _lin_start_jvp(t, ans, start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0,
                   **_):
    return _spread(t, ans, axis) * (1 - _weights(ans, num, endpoint, axis))


def _lin_stop_jvp(t, ans, start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0,
                  **_):
    return _spread(t, ans, axis) * _weights(ans, num, endpoint, axis)


rule(np.linspace, _lin_start, _lin_stop, jvps=(_lin_start_jvp, _lin_stop_jvp))


# logspace: base ** linspace(start, stop)


def _log_base(base, axis):
    return np.expand_dims(base, axis) if np.ndim(base) else base


def _exponents(start, stop, base, num, endpoint, axis):
    if np.ndim(base):
        ndim = max(np.ndim(start), np.ndim(stop), np.ndim(base))
        start, stop = (np.reshape(x, (1,) * (ndim - np.ndim(x)) + np.shape(x))
                       for x in (start, stop))
    return np.linspace(start, stop, num, endpoint, axis=axis)


def _logspace(weigh, gather):
    """Both modes, by one end point."""

    def derivative(g, ans, start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
        w = weigh(_weights(ans, num, endpoint, axis))
        if gather:
            return _gathered(g * ans * np.log(_log_base(base, axis)) * w, axis)
        return _spread(g, ans, axis) * ans * np.log(_log_base(base, axis)) * w

    return derivative


def _logspace_base(g, ans, start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    slope = ans * _exponents(start, stop, base, num, endpoint, axis) / _log_base(base, axis)
    return np.sum(g * slope, axis=axis if np.ndim(base) else None)


def _logspace_base_jvp(t, ans, start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    slope = ans * _exponents(start, stop, base, num, endpoint, axis) / _log_base(base, axis)
    return (_spread(t, ans, axis) if np.ndim(base) else t) * slope


_OF_START, _OF_STOP = lambda w: 1 - w, lambda w: w

rule(np.logspace, _logspace(_OF_START, True), _logspace(_OF_STOP, True), None, None, _logspace_base,
     jvps=(_logspace(_OF_START, False), _logspace(_OF_STOP, False), None, None,
           _logspace_base_jvp))


# geomspace: start ** (1 - w) * stop ** w


def _geomspace(k, weigh, gather):
    """Both modes, by end point `k`."""

    def derivative(g, ans, start, stop, num=50, endpoint=True, dtype=None, axis=0):
        w, x = weigh(_weights(ans, num, endpoint, axis)), (start, stop)[k]
        if gather:
            return _gathered(g * ans * w, axis) / x
        return _spread(g / x, ans, axis) * ans * w

    return derivative


rule(np.geomspace, _geomspace(0, _OF_START, True), _geomspace(1, _OF_STOP, True),
     jvps=(_geomspace(0, _OF_START, False), _geomspace(1, _OF_STOP, False)))


# arange: start + k * step; how many points there are is decided where it is called


def _counted(ans):
    return np.arange(np.shape(ans)[0]).astype(ans.dtype)


rule(np.arange,
     lambda g, ans, start, stop, step=1, dtype=None: np.sum(g),
     None,
     lambda g, ans, start, stop, step=1, dtype=None: np.sum(g * _counted(ans)),
     jvps=(lambda t, ans, start, stop, step=1, dtype=None: t,
           None,
           lambda t, ans, start, stop, step=1, dtype=None: t * _counted(ans)),
     shapes_only=False)
