"""The arguments of a differentiated call: which ones, and whether they can be differentiated."""

import functools
import inspect
import itertools

import numpy as np

from hybridad import tree
from hybridad._record import is_wrapper, raw_of
from hybridad.errors import ArgumentError, UnsupportedError, message

__all__ = [
    "check_leaf",
    "check_overlaps",
    "find_overlaps",
    "name_of",
    "normalize_argnums",
    "select",
]


def name_of(f):
    """A name for a function in messages."""
    while isinstance(f, functools.partial):
        f = f.func
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
        Both with a default filled in where it was named but not passed.
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
            position, parameter = _find_parameter(f, a)
            if position is not None and position < len(args):
                keys.append(position)
            elif parameter.default is not inspect.Parameter.empty:
                if parameter.kind is parameter.POSITIONAL_ONLY:
                    args = (*args, *_defaults(f)[len(args):position + 1])
                    keys.append(position)
                else:
                    kwargs = {**kwargs, a: parameter.default}
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
    """Position (None if keyword-only) of a parameter, and the parameter."""
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
    return position, parameter


def _defaults(f):
    return tuple(p.default for p in inspect.signature(f).parameters.values())


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
    if isinstance(raw, (bool, np.bool_, str, bytes)):
        _refuse(x, f, key, argument, number, f"is {_article(kind.__name__)} ({raw!r:.40})",
                "Keep settings out of the differentiated argument: pass them as another one.")
    if isinstance(raw, int):
        small = abs(int(raw)) < 10**15
        _refuse(x, f, key, argument, number,
                f"is {_article(kind.__name__)}" + (f" ({raw!r})" if small else ""),
                f"Derivatives need floating-point numbers: pass {float(raw)!r}." if small else
                "Derivatives need floating-point numbers: pass a float.")
    full_name = f"{kind.__module__}.{kind.__name__}"
    if isinstance(raw, np.ndarray):
        _refuse(x, f, key, argument, number, f"is {_article(full_name)}",
                "Subclasses of ndarray are not followed: pass np.asarray(a) "
                "(for a masked array a.filled(0.0)).")
    if kind.__module__.split(".")[0] in ("pandas", "polars", "xarray"):
        _refuse(x, f, key, argument, number, f"is {_article(full_name)}",
                "Pass its values as an array: x.to_numpy().")
    _refuse(x, f, key, argument, number,
            f"is {_article(kind.__name__)}, not a floating-point number or array",
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


def find_overlaps(arrays, args, kwargs, keys):
    """Which differentiated arrays share memory with another argument of the call.

    Parameters
    ----------
    arrays : list of (key, ndarray, ndarray)
        The differentiated arrays: which argument, the plain array, and the copy that `f` gets.
    args, kwargs, keys
        Of the call.

    Returns
    -------
    list of (key, key, ndarray, ndarray)
        Two arguments, and of the first the array and its copy; for `check_overlaps`.
    """
    groups = {}
    for key, x, copy in arrays:
        groups.setdefault(_owner(x), []).append((key, x, copy))
    for key, x in (*enumerate(args), *kwargs.items()):
        x = raw_of(x)
        if key not in keys and isinstance(x, np.ndarray):
            groups.setdefault(_owner(x), []).append((key, x, None))
    found = []
    clusters = [c for group in groups.values()
                if len(group) > 1 and any(copy is not None for _, _, copy in group)
                for c in _clusters(group)]
    for cluster in clusters:
        few = len(cluster) <= 8
        pairs = itertools.combinations(cluster, 2) if few else itertools.pairwise(cluster)
        for (k, x, copy), (other, y, other_copy) in pairs:
            if few and not _share(x, y):
                continue
            if copy is not None:
                found.append((k, other, x, copy))
            if other_copy is not None:
                found.append((k, other, y, other_copy))
    return found


def check_overlaps(f, overlaps):
    """Raise UnsupportedError if `f` has written to memory that several arguments share.

    A differentiated array is copied, so the write was not seen through the other argument, as it
    is when `f` is called plainly.
    """
    for first, second, x, copy in overlaps:
        if x.tobytes() != copy.tobytes():
            first, second = sorted((first, second), key=lambda key: (isinstance(key, str), key))
            same = f"Two arrays in argument {first!r}" if first == second else \
                f"Arguments {first!r} and {second!r}"
            raise UnsupportedError(message(
                f"{same} of {name_of(f)} share memory, and {name_of(f)} writes into it.",
                "Pass a copy of one of them: x.copy()."))


def _owner(x):
    """Identity of what owns the memory of an array."""
    while isinstance(x.base, np.ndarray):
        x = x.base
    return id(x) if x.base is None else id(x.base)


def _clusters(group):
    """Arrays of one owner, where the spans of memory between first and last element overlap."""
    spans = sorted(((*np.lib.array_utils.byte_bounds(member[1]), k, member)
                    for k, member in enumerate(group)), key=lambda span: span[:3])
    clusters, end = [], None
    for low, high, _, member in spans:
        if end is None or low >= end:
            clusters.append([])
            end = high
        clusters[-1].append(member)
        end = max(end, high)
    return clusters


def _share(x, y):
    """Whether two arrays have an element in common, or may have one."""
    try:
        return np.shares_memory(x, y, max_work=1000)
    except np.exceptions.TooHardError:
        return True
