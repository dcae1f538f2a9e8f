"""Array-likes: lists and tuples in which there are wrappers become arrays, on record."""

import collections

import numpy as np

from hybridad._record import is_wrapper, raw_of, record, view_of
from hybridad.rules.declare import PRIMITIVES

__all__ = ["as_array", "as_objects", "assemble", "convert", "holds_wrapper", "plain", "take_apart"]

# NumPy takes more kinds of sequences; these are the ones that lie about in programs.
_SEQUENCES = (list, tuple, collections.deque, collections.UserList)


def holds_wrapper(x):
    """Whether `x` is a wrapper or a (nested) list, tuple or deque with one inside."""
    if is_wrapper(x):
        return True
    return isinstance(x, _SEQUENCES) and any(map(holds_wrapper, x))


def plain(x):
    """`x` with every wrapper in its lists, tuples and dicts replaced by the plain value."""
    if is_wrapper(x):
        return raw_of(x)
    if type(x) in (list, tuple):
        return type(x)([plain(item) for item in x])
    if type(x) is dict:
        return {key: plain(value) for key, value in x.items()}
    if isinstance(x, _SEQUENCES) and holds_wrapper(x):
        return type(x)(*map(plain, x)) if hasattr(x, "_fields") else [plain(item) for item in x]
    return x


def take_apart(x):
    """An array-like as NumPy may see it, and what it is made of.

    Parameters
    ----------
    x : object
        A list or tuple, which may hold others, arrays, numbers and wrappers.

    Returns
    -------
    raw : object
        `x` itself if there is no wrapper in it, else nested lists of plain values.
    parts : list or None
        The numbers and arrays in it, wrapped ones too, in C order; None if no wrapper is there.
    """
    if not holds_wrapper(x):
        return x, None
    parts = []
    return _collect(x, parts), parts


def _collect(x, parts):
    if isinstance(x, _SEQUENCES):
        return [_collect(item, parts) for item in x]
    parts.append(x)
    return raw_of(x)


def assemble(parts, ans, **options):
    """Record that an array consists of these parts, one after the other: one entry.

    Parameters
    ----------
    parts : list
        Numbers and arrays, among them at least one wrapper; in C order.
    ans : ndarray
        The plain array, fresh and C-contiguous.
    **options
        ``dtype=`` and ``casting=`` if the type is not what NumPy gives for the parts.
    """
    parts = tuple(x if is_wrapper(x) or isinstance(x, (np.ndarray, np.generic, int, float, complex))
                  else np.asarray(x) for x in parts)
    shapes = {getattr(raw_of(x), "shape", ()) for x in parts}
    if len(shapes) == 1:
        shape = (len(parts), *shapes.pop())
        if ans.shape == shape:
            return record(PRIMITIVES[np.stack], ans, parts, options or None)
        made = record(PRIMITIVES[np.stack], ans.reshape(shape), parts, options or None)
    else:
        made = record(PRIMITIVES[np.concatenate], ans.reshape(-1), parts, {"axis": None, **options})
    # The rows of a nested list are a view of what was recorded, which costs no entry.
    return view_of(made, ans) if is_wrapper(made) else ans


def convert(x):
    """An array of a list or tuple with wrappers inside, recorded; anything else as it is."""
    if is_wrapper(x):
        return x
    raw, parts = take_apart(x)
    if parts is None:
        return x
    return assemble(parts, np.array(raw))


def as_array(x):
    """An array of any list or tuple, as every function of NumPy makes one of an operand."""
    return np.array(x) if type(x) in (list, tuple) and not holds_wrapper(x) else convert(x)


def as_objects(x):
    """What NumPy writes into an array of objects for `x`, with the numbers of the run in it."""
    if not holds_wrapper(x) or (isinstance(x, list | tuple) and not all(map(_is_simple, x))):
        return x
    shape = np.shape(np.asarray(plain(x), dtype=object))
    made = np.empty(shape, dtype=object)
    for index in np.ndindex(shape):
        item = x
        if isinstance(raw_of(x), np.ndarray):
            item = x[index].item()
        else:
            for k in index:
                item = item[k]
        made[index] = item
    return made


def _is_simple(x):
    """Whether an item of a list is a number, or a list of such."""
    return all(map(_is_simple, x)) if isinstance(x, list | tuple) else np.ndim(raw_of(x)) == 0
