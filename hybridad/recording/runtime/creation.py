"""New arrays: zeros to be filled, constants, ranges and grids.

What depends on nothing becomes an inactive value of the run, so that active values can be written
into it; a fill value or an end point may itself be active.
"""

import numpy as np

from hybridad._record import active, record
from hybridad.recording.arraylike import as_array, holds_wrapper, plain
from hybridad.recording.functions import array_function
from hybridad.recording.lines import at_users_line
from hybridad.rules.declare import PRIMITIVES

__all__ = ["MEANINGS", "arange", "linspace"]


def _fresh(function):
    """The meaning of a function whose result depends on no active value."""

    def make(site, *args, **kwargs):
        return site.lift_fresh(at_users_line(function, plain(args), plain(kwargs)))

    make.__name__ = function.__name__
    return make


def _served(function):
    """The meaning of a function that `array_function` serves for wrappers; else it is fresh."""

    def make(site, *args, **kwargs):
        if holds_wrapper(args) or holds_wrapper((*kwargs.values(),)):
            return array_function(function, args, kwargs)
        ans = at_users_line(function, args, kwargs)
        return type(ans)(map(site.lift_fresh, ans)) if type(ans) in (list, tuple) else \
            site.lift_fresh(ans)

    make.__name__ = function.__name__
    return make


def _full(site, shape, fill_value, dtype=None, order="C", **kwargs):
    """As `np.full_like`, whose rule it has, of a number in the given shape."""
    fill = as_array(fill_value)
    ans = at_users_line(np.full, (shape, plain(fill_value), dtype, order), plain(kwargs))
    if not active(fill):
        return site.lift_fresh(ans)
    return record(PRIMITIVES[np.full_like], ans, (0.0, fill),
                  {"dtype": ans.dtype, "shape": ans.shape, "order": order})


def arange(site, *args, **kwargs):
    """The meaning of `np.arange`: linear in its start and step; their number is a decision."""
    if not (holds_wrapper(args) or holds_wrapper((*kwargs.values(),))):
        return site.lift_fresh(at_users_line(np.arange, args, kwargs))
    ans = at_users_line(np.arange, plain(args), plain(kwargs))
    site.guard("shape", ans.shape[0])
    places = ("start", "stop", "step", "dtype")
    given = dict(zip(places if len(args) > 1 else ("stop",), args)) | kwargs
    start, stop, step = (given.get(name) for name in places[:3])
    if stop is None:
        start, stop = None, start
    start, step = (default if x is None else x for x, default in ((start, 0), (step, 1)))
    if not (active(start) or active(step)):
        return site.lift_fresh(ans)
    return record(PRIMITIVES[np.arange], ans, (start, plain(stop), step), {"dtype": ans.dtype})


linspace = _served(np.linspace)
linspace.__doc__ = "The meaning of `np.linspace`, whose end points may be active."

MEANINGS = {
    **{function: _fresh(function) for function in (
        np.zeros, np.ones, np.empty, np.eye, np.identity, np.tri, np.indices)},
    **{function: _served(function) for function in (
        np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.logspace, np.geomspace,
        np.meshgrid, np.vander, np.diagflat)},
    np.full: _full,
    np.linspace: linspace,
    np.arange: arange,
}
"""Functions of NumPy that create arrays: callable -> handler(site, *args, **kwargs)."""
