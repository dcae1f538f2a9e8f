"""Making arrays and NumPy's numbers of something else: `np.array`, `np.asarray`, `np.float64(x)`.

NumPy's protocols do not see these. The plain function says what comes out; here it is seen whether
that is the array itself, a view of it, or new memory.
"""

import numpy as np

from hybridad._record import (
    active,
    is_wrapper,
    raw_of,
    record,
    seen,
    shares_storage,
    tape_of,
    view_of,
)
from hybridad.recording.arraylike import assemble, convert, holds_wrapper, plain, take_apart
from hybridad.recording.flat import Flat
from hybridad.recording.lines import at_users_line
from hybridad.recording.ownership import is_entered
from hybridad.recording.refusals import unsupported
from hybridad.rules.declare import PRIMITIVES

__all__ = ["MEANINGS", "converted", "converted_from"]


def converted(x, ans):
    """A wrapper for `ans`, what NumPy made of the plain value of `x`.

    Parameters
    ----------
    x : wrapper
    ans : ndarray or NumPy scalar
        With the values of `x`, maybe in another type, layout or number of dimensions.

    Returns
    -------
    object
        `x` itself if `ans` is its plain value; `ans` where it has no derivative (integers).
    """
    raw = raw_of(x)
    if ans is raw:
        return x
    if ans.dtype.hasobject and active(x):
        _refuse_objects()
    if ans.dtype.kind not in "fc" or not tape_of(x).is_open:
        return ans
    if isinstance(ans, np.ndarray) and isinstance(raw, np.ndarray) and shares_storage(x, ans):
        return seen(x, ans, lambda: record(PRIMITIVES[np.reshape], ans, (x,),
                                           {"shape": ans.shape}))
    more = np.ndim(ans) - np.ndim(raw)
    if not more:
        return record(PRIMITIVES[np.copy], ans, (x,), None)
    made = record(PRIMITIVES[np.copy], ans[(0,) * more + (Ellipsis,)], (x,), None)
    return view_of(made, ans) if is_wrapper(made) else ans


def converted_from(parts, ans, **options):
    """As `converted`, for an array-like in which there are wrappers.

    Parameters
    ----------
    parts : list
        What `take_apart` found in it.
    ans : ndarray
        Fresh, of any layout.
    **options
        For `assemble`.
    """
    if ans.dtype.hasobject and any(map(active, parts)):
        _refuse_objects()
    if ans.dtype.kind not in "fc":
        return ans
    if ans.flags.c_contiguous:
        return assemble(parts, ans, **options)
    made = assemble(parts, np.ascontiguousarray(ans), **options)
    return record(PRIMITIVES[np.copy], ans, (made,), {"order": "K"})


def _refuse_objects():
    unsupported("An array of objects", "Keep the values in a list, or in a floating array.")


def _make(site, function, x, rest, options):
    """What `function` makes of `x`, its first argument."""
    rest, options = plain(rest), plain(options)
    if is_wrapper(x):
        return converted(x, at_users_line(function, (raw_of(x), *rest), options))
    x = x.copy() if type(x) is Flat else _shown(site, x)
    raw, parts = take_apart(x)
    ans = at_users_line(function, (raw, *rest), options)
    if is_wrapper(x):
        return converted(x, ans)
    if parts is None:
        return ans if ans is x else site.lift_fresh(ans)
    typed = options.get("dtype", rest[0] if rest else None) is not None
    return converted_from(parts, ans, **_typed(ans) if typed else {})


def _typed(ans):
    """Options of a join whose result has another type than its parts."""
    return {"dtype": ans.dtype, "casting": "unsafe"}


def _shown(site, x):
    """What the user's own ``__array__`` shows of an object; other things as they are."""
    show = getattr(type(x), "__array__", None)
    if is_wrapper(x) or not is_entered(show):
        return x
    return site.call(show, x)


def _maker(function, name):
    """The meaning of a function whose first argument, called `name`, becomes an array."""

    def make(site, *args, **kwargs):
        if not args and name in kwargs:
            args = (kwargs.pop(name),)
        if not args:
            return function(**plain(kwargs))    # raises
        ans = _make(site, function, args[0], args[1:], kwargs)
        if function is np.asarray_chkfinite and holds_wrapper(args[0]):
            site.guard("raises", None)
        return ans

    make.__name__ = function.__name__
    return make


def _number(kind):
    """The meaning of a scalar type: a conversion to it."""

    def make(site, *args, **kwargs):
        if not holds_wrapper(args):
            return site.lift_fresh(kind(*args, **kwargs))
        if len(args) == 2 and kind in (np.complex64, np.complex128, np.clongdouble):
            ans = at_users_line(kind, plain(args), {})
            pair = np.array(ans, ndmin=1).view(ans.real.dtype)
            return assemble(args, pair, **_typed(pair)).view(kind)[0]
        ans = at_users_line(kind, plain(args), kwargs)
        if not isinstance(ans, (np.ndarray, np.inexact)):
            site.guard(_DECIDES.get(kind, "int"), ans)
            return ans
        x = convert(args[0])
        return x if type(raw_of(x)) is kind else converted(x, ans)

    make.__name__ = kind.__name__
    return make


_DECIDES = {np.bool_: "bool", np.str_: "str", np.bytes_: "str"}

MEANINGS = {
    np.array: _maker(np.array, "object"),
    np.asarray: _maker(np.asarray, "a"),
    np.asanyarray: _maker(np.asanyarray, "a"),
    np.ascontiguousarray: _maker(np.ascontiguousarray, "a"),
    np.asfortranarray: _maker(np.asfortranarray, "a"),
    np.asarray_chkfinite: _maker(np.asarray_chkfinite, "a"),
    np.require: _maker(np.require, "a"),
    np.copy: _maker(np.copy, "a"),
    **{kind: _number(kind) for kind in {*np.sctypeDict.values()}
       if issubclass(kind, (np.number, np.bool_, np.str_, np.bytes_))
       and not issubclass(kind, np.timedelta64)},
}
"""Functions and types of NumPy that convert: callable -> handler(site, *args, **kwargs)."""
