"""What a function returned, as it leaves the run: plain values, memory of its own, plain keys."""

import operator
import threading

import numpy as np

from hybridad import tree
from hybridad._record import active, is_outside, is_wrapper, raw_of, tape_of
from hybridad.errors import ArgumentError, ResultError, ScopeError, message
from hybridad.recording.arguments import name_of

__all__ = [
    "check_scope", "check_scopes", "map_aux", "owned", "plain_copy", "split", "with_plain_keys",
]


def plain_copy(x):
    """The plain value of a wrapper, with memory of its own; anything else as it is."""
    if not is_wrapper(x):
        return x
    raw = raw_of(x)
    if not isinstance(raw, np.ndarray) or (is_outside(x) and not active(x)):
        return raw  # an array that is not differentiated is handed on
    return raw.copy(order="K")


def owned(x):
    """A recorded copy of an array being recorded, so that nobody writes to what was returned."""
    return x.copy("K") if is_wrapper(x) and isinstance(raw_of(x), np.ndarray) else x


def map_aux(function, aux, tape, name):
    """An auxiliary result; `function` is applied to its leaves if one of them is a wrapper."""
    try:
        leaves, treedef = tree.flatten(aux)
    except ArgumentError:  # it may be anything, also what cannot be differentiated
        return aux
    if not any(map(is_wrapper, leaves)):
        return aux
    for x in leaves:
        check_scope(x, tape, name)
    return tree.unflatten(treedef, [function(leaf) for leaf in leaves])


def split(f, result):
    """The value and the auxiliary result; ResultError if it is no pair."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise ResultError(message(
            f"has_aux=True, but {name_of(f)} returned {type(raw_of(result)).__name__}, not a "
            "pair.",
            "Return (value, aux)."))
    return result


def with_plain_keys(result):
    """A result whose dictionaries have no values of the run as keys."""
    if type(result) in (list, tuple):
        items = [with_plain_keys(item) for item in result]
        return result if all(map(operator.is_, items, result)) else type(result)(items)
    if not isinstance(result, dict):
        return result
    if any(map(is_wrapper, result)):
        return {raw_of(k): with_plain_keys(v) for k, v in result.items()}
    items = [with_plain_keys(item) for item in result.values()]
    if all(map(operator.is_, items, result.values())):
        return result
    return dict(zip(result, items))


def check_scopes(parts, tape, name):
    """`check_scope` for each of the parts."""
    for x in parts:
        check_scope(x, tape, name)


def check_scope(x, tape, name):
    """Raise ScopeError for a value of another run than that on `tape` which is still in progress.

    Parameters
    ----------
    x : object
        Only wrappers are looked at.
    tape : Tape or None
    name : str
        Of the function that is given the value.
    """
    other = tape_of(x) if is_wrapper(x) else tape
    if other is tape or not other.is_open:
        return
    thread = "" if other.thread == threading.get_ident() else " in another thread"
    raise ScopeError(message(
        f"A value of the run of {other.name} was used in the run of {name}{thread}.",
        "Its derivative would be lost: differentiate in the thread and context it belongs to."))
