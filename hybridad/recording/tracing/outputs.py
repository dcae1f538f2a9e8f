"""Where a call of NumPy's has its ``out``, and what else is written to: by position or by name."""

import functools
import inspect

import numpy as np

from hybridad.recording.tracing.values import is_a

__all__ = ["by_name", "deciding", "overwrites"]

# Of functions and methods in C, which have no signature before NumPy 2.4.
_FUNCTIONS = {np.concatenate: 2, np.dot: 2}
_METHODS = {
    "all": 1, "any": 1, "argmax": 1, "argmin": 1, "choose": 1, "clip": 2, "compress": 2,
    "cumprod": 2, "cumsum": 2, "dot": 1, "max": 1, "mean": 2, "min": 1, "prod": 2, "round": 1,
    "std": 2, "sum": 2, "take": 2, "trace": 4, "var": 2,
}


@functools.lru_cache(maxsize=1024)
def _names(f):
    """The names of the positional parameters."""
    try:
        found = inspect.signature(f).parameters.values()
        return tuple([x.name for x in found if x.kind is x.POSITIONAL_OR_KEYWORD
                      or x.kind is x.POSITIONAL_ONLY])
    except (TypeError, ValueError):
        return ()


def by_name(f, args, kwargs):
    """Arguments of a function, or of a method (its name), with ``out`` among the keywords.

    Parameters
    ----------
    f : callable or str
    args : tuple
        Of a method without the array.
    kwargs : dict

    Returns
    -------
    tuple
        ``(args, kwargs)``.

    Examples
    --------
    >>> import numpy as np
    >>> by_name(np.sum, (1.0, 0, None, "a"), {})
    ((1.0, 0, None), {'out': 'a'})
    >>> by_name("max", (0, "a"), {})
    ((0,), {'out': 'a'})
    """
    if is_a(f, str):
        place = _METHODS.get(f)
    else:
        names = _names(f)
        place = names.index("out") if "out" in names else _FUNCTIONS.get(f)
    if place is None or len(args) <= place:
        return args, kwargs
    rest = () if is_a(f, str) else zip(_names(f)[place + 1:], args[place + 1:])
    return args[:place], {**kwargs, "out": args[place], **dict(rest)}


def deciding(f, args, kwargs):
    """Which arguments say how a function goes about it: axes, orders, numbers of times.

    Returns
    -------
    set
        Positions and names.

    Examples
    --------
    >>> import numpy as np
    >>> deciding(np.sum, (1.0, 0), {"keepdims": True}), deciding("mean", (0,), {})
    ({1}, {0})
    """
    names = _names(getattr(np, f, None))[1:] if isinstance(f, str) else _names(f)
    return {k for k, name in enumerate(names[:len(args)]) if name in _DECIDING} | {
        name for name in kwargs if name in _DECIDING}


_DECIDING = frozenset(("axis", "axes", "axis1", "axis2", "ord", "source", "destination", "offset",
                       "k", "n", "ddof", "decimals", "kth", "start", "deg"))


def overwrites(f, args, kwargs):
    """Whether a function may write into its arguments, because an option says so.

    Examples
    --------
    >>> import numpy as np
    >>> overwrites(np.median, (1.0,), {"overwrite_input": True}), overwrites(np.median, (1.0,), {})
    (True, False)
    """
    names = _names(f)
    given = {**dict(zip(names, args)), **kwargs}
    return any(name.startswith("overwrite_") and value for name, value in given.items()) or (
        f is np.nan_to_num and not given.get("copy", True))
