"""``x.flat`` of an array of a run in progress: its elements in C order, to read and to write."""

import numpy as np

from hybridad._record import raw_of
from hybridad.recording.arraylike import as_array

__all__ = ["Flat"]


class Flat:
    """Stands for a ``numpy.flatiter``; reads and writes go through the array.

    Parameters
    ----------
    x : wrapper of an array
    """

    __slots__ = ("base", "index")

    def __init__(self, x):
        self.base, self.index = x, 0

    @property
    def __class__(self):
        return np.flatiter

    @property
    def coords(self):
        """Where the next element is."""
        rest, found = self.index, []
        for n in reversed(self.base.shape[1:]):
            rest, k = divmod(rest, n)
            found.append(k)
        return (rest, *reversed(found)) if self.base.ndim else ()

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return self

    def __next__(self):
        if self.index >= len(self):
            raise StopIteration
        self.index += 1
        return self[self.index - 1]

    def copy(self):
        """The elements as an array of their own."""
        return self.base.flatten()

    def __getitem__(self, index):
        places = self._places(index)
        return np.take(self.base, places) if isinstance(places, np.ndarray) \
            else self.base[self._where(places)]

    def __setitem__(self, index, value):
        places, value = self._places(index), as_array(value)
        if not isinstance(places, np.ndarray):
            if np.ndim(value):
                raw_of(self.base).copy().flat[index] = raw_of(value)    # NumPy may raise
            self.base[self._where(places)] = np.reshape(value, ()) if np.ndim(value) else value
        elif places.size and np.size(value):
            # A short value is repeated, as NumPy does.
            flat = np.reshape(value, -1)[np.arange(places.size) % np.size(value)]
            self.base[self._where(places)] = flat

    def _places(self, index):
        """The numbers of the elements that an index names; raises as NumPy does."""
        return np.arange(len(self)).reshape(self.base.shape).flat[raw_of(index)]

    def _where(self, places):
        where = np.unravel_index(places, self.base.shape)
        return where if isinstance(places, np.ndarray) else tuple(map(int, where))

    # NumPy's functions take it for an array.
    def __array__(self, dtype=None, copy=None):
        return np.array(self.copy(), dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return getattr(ufunc, method)(*map(_as_array, inputs), **kwargs)

    def __array_function__(self, function, types, args, kwargs):
        args = [_as_array(x) for x in args]
        return function(*args, **{key: _as_array(x) for key, x in kwargs.items()})

    def __eq__(self, other):
        return self.copy() == other

    def __ne__(self, other):
        return self.copy() != other

    __hash__ = None


def _as_array(x):
    if type(x) is Flat:
        return x.copy()
    return type(x)(map(_as_array, x)) if type(x) in (list, tuple) else x
