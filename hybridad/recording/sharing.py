"""Results of calls without a rule that show the memory of an argument: views of its storage.

A function that is not followed may hand back its argument, or an array made upon its memory
(`np.real_if_close`, `np.frombuffer`, `as_strided`). What is written to either is seen by both.
"""

import numpy as np

from hybridad._record import inactive, raw_of, record, repeats, seen, shares_storage
from hybridad._record import view_of as new_view
from hybridad.recording.refusals import unsupported
from hybridad.rules.declare import PRIMITIVES

__all__ = ["of_the_same_memory", "read_only"]


def of_the_same_memory(sources, ans):
    """What a call has given, as the run sees it.

    Parameters
    ----------
    sources : iterable of wrapper
        Arrays that the call was given.
    ans : object
        What it gave.

    Returns
    -------
    object
        For an array that shows the memory of one of them a view of it (read-only, if that is of
        another type); for lists and tuples one with such items; anything else as it is.
    """
    if type(ans) is list or type(ans) is tuple:
        items = [of_the_same_memory(sources, x) for x in ans]
        return ans if all(x is y for x, y in zip(items, ans)) else type(ans)(items)
    if type(ans) is not np.ndarray:
        return ans
    for x in sources:
        raw = raw_of(x)
        if ans is raw:
            return x
        if type(raw) is np.ndarray and shares_storage(x, ans):
            if ans.dtype != raw.dtype:
                return inactive(x, read_only(ans))
            return seen(x, ans, lambda x=x: _gathered(x, ans))
    return ans


def read_only(array):
    """An array that shows a run's memory as another type: nobody follows what is written to it."""
    array.flags.writeable = False
    return array


def _gathered(x, ans):
    """Record that `ans`, which repeats memory, consists of elements of the memory of `x`."""
    if repeats(x):
        unsupported("A view of an array that repeats memory", "Copy the array first: np.copy(a).")
    whole = raw_of(x)
    while type(whole.base) is np.ndarray and whole.base.dtype == ans.dtype:
        whole = whole.base
    size = ans.dtype.itemsize
    steps = [ans.__array_interface__["data"][0] - whole.__array_interface__["data"][0],
             *ans.strides]
    if any(step % size for step in steps) or not whole.flags.forc:
        unsupported("An array upon the memory of another", "Copy the array first: np.copy(a).")
    start, *strides = (step // size for step in steps)
    places = np.full(ans.shape, start)
    for axis, stride in enumerate(strides):
        places += stride * np.arange(ans.shape[axis]).reshape(-1, *(1,) * (ans.ndim - axis - 1))
    whole = new_view(x, whole)
    flat = np.ravel(whole if raw_of(whole).flags.c_contiguous else np.transpose(whole))
    return record(PRIMITIVES[np.take], ans, (flat, places), None)
