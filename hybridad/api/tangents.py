"""`jvp`."""

import functools

import numpy as np

from hybridad import engine as engines
from hybridad import tree
from hybridad.api.checks import check_callable, check_floating
from hybridad.api.matching import match
from hybridad.errors import ArgumentError, message
from hybridad.recording.arguments import normalize_argnums, select
from hybridad.recording.nested import DIRECT, note_derivative
from hybridad.recording.results import owned

__all__ = ["copied", "fit", "jvp"]


def jvp(f, /, primals, tangents, *, argnums=None, has_aux=False, engine="auto", **kwargs):
    """The value of `f`, and its derivative along a tangent.

    Parameters
    ----------
    f : callable
        May return any pytree of floating or complex numbers and arrays.
    primals : tuple
        All positional arguments of `f`.
    tangents : tuple
        For each differentiated argument its tangent, of its structure and shapes; None is zero.
    argnums : int, str, tuple of them, or None
        The arguments that `tangents` belong to; None: all. For an int or a name, `tangents` is
        the one tangent itself.
    has_aux : bool
        `f` returns ``(value, aux)``; the value returned here is then this pair.
    engine : {"auto", "tape"}
    **kwargs
        Keyword arguments of `f`.

    Returns
    -------
    value : pytree
    tangent : pytree
        Of the structure of the value.

    Examples
    --------
    >>> import numpy as np
    >>> import hybridad
    >>> value, tangent = hybridad.jvp(lambda x: np.sum(x * x), (np.array([1.0, 2.0]),),
    ...                               (np.array([0.0, 1.0]),))
    >>> float(value), float(tangent)
    (5.0, 4.0)
    """
    check_callable(f)
    engines.check_engine(engine)
    if not isinstance(primals, (tuple, list)):
        raise ArgumentError(message(
            f"primals is a {type(primals).__name__}, not a tuple.",
            "Write jvp(f, (x,), (t,)), also for one argument."))
    single = argnums is not None and not isinstance(argnums, (tuple, list))
    selected = tuple(range(len(primals))) if argnums is None else normalize_argnums(argnums)
    tangents = (tangents,) if single else tangents
    if not isinstance(tangents, (tuple, list)) or len(tangents) != len(selected):
        raise ArgumentError(message(
            f"tangents is not a tuple of {len(selected)}, one for each differentiated argument.",
            "Give None for a zero tangent."))
    args, kwargs, keys = select(f, selected, tuple(primals), kwargs)
    tangents = [copied(t) for t in tangents]
    found = engines.linear("jvp", f, args, kwargs, keys, has_aux, engine,
                           functools.partial(check_floating, f),
                           functools.partial(fit, f, keys, tangents))
    note_derivative(found.tangent)
    return ((found.value, found.aux) if has_aux else found.value), found.tangent


def fit(f, keys, tangents, structures, leaves):
    """Tangents of the differentiated arguments of `f`, checked.

    Parameters
    ----------
    f : callable
    keys : sequence of (int or str)
        Of these arguments.
    tangents : list of pytree
        None is zero.
    structures : list of PyTreeSpec
    leaves : list of list
        Of these arguments, plain.

    Returns
    -------
    list of list
    """
    return [match(t, structure, list(map(engines.Like, parts)), f"tangent of argument {key!r}", f)
            for t, structure, parts, key in zip(tangents, structures, leaves, keys)]


def copied(tangent):
    """A tangent that `f` cannot write to."""
    leaves, treedef = tree.flatten(tangent)
    return tree.unflatten(treedef, [
        leaf.copy() if type(leaf) is np.ndarray else owned(leaf) for leaf in leaves])


DIRECT[jvp] = "jvp"
