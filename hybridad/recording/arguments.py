"""The arguments of a differentiated call: which ones, and whether they can be differentiated."""

import inspect

import numpy as np

from hybridad import tree
from hybridad._record import is_wrapper, raw_of
from hybridad.errors import ArgumentError, message

__all__ = ["check_leaf", "name_of", "normalize_argnums", "select"]


def name_of(f):
    """A name for a function in messages."""
    return getattr(f, "__name__", None) or type(f).__name__


def normalize_argnums(argnums):
    """`argnums` as a tuple of ints and names.

    Returns
    -------
    tuple of (int or str)
        Raises ArgumentError for anything else.
    """
    many = argnums if isinstance(argnums, (tuple, list)) else (argnums,)
    for a in many:
        if isinstance(a, bool) or not isinstance(a, (int, str, np.integer)):
            raise ArgumentError(message(
                f"argnums={argnums!r} is neither an int, a name, nor a tuple of them.",
                "Write argnums=0, argnums='w' or argnums=(0, 1)."))
    return tuple(a if isinstance(a, str) else int(a) for a in many)


def select(f, argnums, args, kwargs):
    """Where the arguments that `argnums` names are in this call.

    Parameters
    ----------
    f : callable
    argnums : tuple of (int or str)
    args, kwargs
        Of the call.

    Returns
    -------
    args : tuple
    kwargs : dict
        With a default filled in where it was named but not passed.
    keys : list of (int or str)
        Positions in `args` or names in `kwargs`.
    """
    keys = []
    for a in argnums:
        if isinstance(a, int):
            if not -len(args) <= a < len(args):
                raise ArgumentError(message(
                    f"argnums names argument {a} of {name_of(f)}, which was called with "
                    f"{len(args)} positional arguments.",
                    "Pass it by position, or name it: argnums='name'."))
            keys.append(a % len(args))
        elif a in kwargs:
            keys.append(a)
        else:
            position, default = _find_parameter(f, a)
            if position is not None and position < len(args):
                keys.append(position)
            elif default is not inspect.Parameter.empty:
                kwargs = {**kwargs, a: default}
                keys.append(a)
            else:
                raise ArgumentError(message(
                    f"argnums names {a!r}, which was not passed to {name_of(f)}.",
                    f"Pass it: {name_of(f)}(..., {a}=...)."))
    if len(set(keys)) < len(keys):
        raise ArgumentError(message(f"argnums={argnums!r} names an argument twice.",
                                    "Name each argument once."))
    return args, kwargs, keys


def _find_parameter(f, name):
    """Position (None if keyword-only) and default of a parameter."""
    try:
        parameters = inspect.signature(f).parameters
    except (TypeError, ValueError):
        parameters = {}
    if name not in parameters:
        known = ", ".join(parameters) or "none that can be inspected"
        raise ArgumentError(message(f"{name_of(f)} has no parameter {name!r}.",
                                    f"Its parameters: {known}."))
    parameter = parameters[name]
    positional = (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    position = list(parameters).index(name) if parameter.kind in positional else None
    return position, parameter.default


def check_leaf(x, f, key, argument, number):
    """Raise ArgumentError unless `x`, a leaf of an argument, can be differentiated.

    Parameters
    ----------
    x : object
    f : callable
    key : int or str
        Position or name of the argument.
    argument : pytree
        The whole argument, for the path in the message.
    number : int
        Which leaf of it `x` is.
    """
    raw = raw_of(x)
    kind = type(raw)
    if kind is float or kind is complex:
        return
    if kind is np.ndarray or isinstance(raw, np.generic):
        if raw.dtype.kind in "fc":
            return
        _refuse(x, f, key, argument, number, *_bad_dtype(raw))
    if isinstance(raw, (int, np.bool_)):
        _refuse(x, f, key, argument, number, f"is {_article(kind.__name__)} ({raw!r})",
                f"Derivatives need floating-point numbers: pass {float(raw)!r}.")
    if isinstance(raw, np.ndarray):
        _refuse(x, f, key, argument, number, f"is {_article(kind.__module__ + '.' + kind.__name__)}",
                "Subclasses of ndarray are not followed: pass np.asarray(a) "
                "(for a masked array a.filled(0.0)).")
    if kind.__module__.split(".")[0] in ("pandas", "polars", "xarray"):
        _refuse(x, f, key, argument, number, f"is {_article(kind.__module__ + '.' + kind.__name__)}",
                "Pass its values as an array: x.to_numpy().")
    _refuse(x, f, key, argument, number, f"is {_article(kind.__name__)}, not a number or an array",
            "Leave it out of the differentiated argument, or register its class: "
            "hybridad.register_pytree.")


def _bad_dtype(raw):
    kind = raw.dtype.kind
    if kind == "O":
        return "is an object array", "Make it a floating array: x.astype(float)."
    if kind in "iub":
        return (f"has the integer type {raw.dtype}" if kind != "b" else "has the type bool",
                "Derivatives need floating-point numbers: pass x.astype(float).")
    return f"has the type {raw.dtype}", "Pass a floating-point array."


def _article(noun):
    return ("an " if noun[0].lower() in "aeiou" else "a ") + noun


def _refuse(x, f, key, argument, number, what, remedy):
    root = repr(key) if isinstance(key, str) else str(key)
    path = tree.leaf_paths(argument, "")[number] if not is_wrapper(argument) else ""
    place = f"Argument {root}{', at ' + path + ',' if path else ''} of {name_of(f)} {what}."
    raise ArgumentError(message(place, remedy))
