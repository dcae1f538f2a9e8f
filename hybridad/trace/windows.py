"""How a view was taken out of an array, read off its place in memory."""

import operator

import numpy as np

from hybridad.trace.ir import HOLE, Method, Step

__all__ = ["steps_to"]


def steps_to(array, view):
    """Steps that lead from an array to a view of it.

    Parameters
    ----------
    array, view : ndarray
        Of the same dtype; `view` shows memory of `array`.

    Returns
    -------
    list of Step or None
        None if indexing, transposing and reshaping do not lead there.

    Examples
    --------
    >>> x = np.zeros((3, 4))
    >>> steps_to(x, x[1:, 2])[0].args[1]
    (slice(1, 3, None), 2)
    """
    if array.dtype != view.dtype or not array.size or not view.size:
        return None
    offset = _address(view) - _address(array)
    if array.flags.c_contiguous and view.flags.c_contiguous and offset == 0 \
            and array.size == view.size:
        return [] if array.shape == view.shape else [
            Step(np.reshape, (HOLE, view.shape))]
    if array.flags.c_contiguous and view.flags.f_contiguous and offset == 0 \
            and array.size == view.size and array.ndim == 1:
        return [Step(np.reshape, (HOLE, view.shape[::-1])),
                Step(Method("transpose"), (HOLE, *range(view.ndim)[::-1]))]
    start = _start(array, offset)
    if start is None:
        return None
    axes = _axes(array, view, start)
    if axes is None:
        return None
    index = []
    for axis, begin in enumerate(start):
        if axis not in axes:
            index.append(begin)
            continue
        k = axes.index(axis)
        step = view.strides[k] // array.strides[axis]
        n = view.shape[k]
        if begin + (n - 1) * step not in range(array.shape[axis]):
            return None
        end = begin + n * step
        index.append(slice(begin, end if step > 0 or end >= 0 else None,
                           None if step == 1 else step))
    steps = []
    if any(x != slice(0, n, None) for x, n in zip(index, array.shape)):
        steps.append(Step(operator.getitem, (HOLE, tuple(index))))
    real = [axis for axis in axes if axis is not None]
    if real != sorted(real):
        order = tuple(sorted(real).index(axis) for axis in real)
        steps.append(Step(Method("transpose"), (HOLE, *order)))
    if None in axes:
        steps.append(Step(operator.getitem, (
            HOLE, tuple([None if axis is None else slice(None) for axis in axes]))))
    return steps


def _address(array):
    return array.__array_interface__["data"][0]


def _start(array, offset):
    """The index of the element at an offset from the first one."""
    start = [0] * array.ndim
    for axis in sorted(range(array.ndim), key=lambda k: -abs(array.strides[k])):
        if array.shape[axis] > 1 and array.strides[axis]:
            start[axis] = offset // array.strides[axis]
            offset -= start[axis] * array.strides[axis]
    if offset or any(k not in range(n) for k, n in zip(start, array.shape)):
        return None
    return start


def _axes(array, view, start):
    """For each axis of the view the axis of the array that it goes along, None for a new one."""
    free = [k for k in range(array.ndim) if array.shape[k] > 1 and array.strides[k]]
    axes = []
    for n, stride in zip(view.shape, view.strides):
        if n == 1:
            axes.append(None)
            continue
        for axis in sorted(free, key=lambda k: -abs(array.strides[k])):
            if stride and stride % array.strides[axis] == 0 and (
                    start[axis] + (n - 1) * (stride // array.strides[axis])
                    in range(array.shape[axis])):
                axes.append(axis)
                free.remove(axis)
                break
        else:
            return None
    return axes
