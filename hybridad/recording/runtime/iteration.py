"""NumPy's iterators over arrays: `np.ndenumerate`, `np.nditer`, `np.broadcast`, ``x.flat``.

What they give are elements and views of the arrays in the run, so that reading is recorded and
writing too.
"""

import numpy as np

from hybridad._record import is_wrapper, raw_of
from hybridad.recording.arraylike import as_array, holds_wrapper, plain
from hybridad.recording.effects.changes import touch
from hybridad.recording.flat import Flat
from hybridad.recording.lines import at_users_line
from hybridad.recording.refusals import unsupported

__all__ = ["ATTRIBUTE_MEANINGS", "MEANINGS"]


class _Enumeration:
    """`np.ndenumerate` of an array in the run."""

    def __init__(self, x):
        self.iter = Flat(x)

    @property
    def __class__(self):
        return np.ndenumerate

    def __iter__(self):
        return self

    def __next__(self):
        return self.iter.coords, next(self.iter)


def _ndenumerate(site, arr):
    x = as_array(arr)
    if not is_wrapper(x):
        return np.ndenumerate(x)
    return _Enumeration(x if isinstance(raw_of(x), np.ndarray) else np.copy(x))


class _Broadcast:
    """`np.broadcast` of arrays in the run; what it says of shapes is NumPy's own word."""

    def __init__(self, arrays):
        self._plain = np.broadcast(*map(plain, arrays))
        self._arrays = np.broadcast_arrays(*arrays)
        self.index = 0

    @property
    def __class__(self):
        return np.broadcast

    def __getattr__(self, name):
        return getattr(self._plain, name)

    @property
    def iters(self):
        """The iterators of the arrays, where this one is."""
        return tuple(_flat(x, self.index) for x in self._arrays)

    def reset(self):
        """Begin again."""
        self.index = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.index >= self._plain.size:
            raise StopIteration
        where = tuple(map(int, np.unravel_index(self.index, self._plain.shape)))
        self.index += 1
        return tuple(x[where] for x in self._arrays)


def _flat(x, index):
    made = Flat(x) if is_wrapper(x) else x.flat
    for _ in range(index):
        next(made)
    return made


def _broadcast(site, *arrays):
    if not any(map(holds_wrapper, arrays)):
        return np.broadcast(*arrays)
    return _Broadcast(arrays)


_PLAIN_FLAGS = {"multi_index", "c_index", "f_index", "refs_ok", "zerosize_ok", "delay_bufalloc"}


class _Iteration:
    """`np.nditer` over arrays in the run: NumPy's own says where it is."""

    def __init__(self, arrays, flags, op_flags, options):
        self._is_one = not isinstance(arrays, (list, tuple))
        arrays = [arrays] if self._is_one else [as_array(x) for x in arrays]
        self._given = tuple(flags)
        if set(flags) - _PLAIN_FLAGS or any(x is None for x in arrays) or set(options) - {
                "order", "casting"}:
            unsupported("np.nditer with buffers, external loops or arrays of its own",
                        "Write a loop over np.ndindex(x.shape).")
        raws = [raw_of(x) for x in arrays]
        # The order is that of the memory, which is the same if the places are asked for.
        self._plain = np.nditer(raws, list({*flags, "multi_index"}), op_flags, **options)
        self.operands = tuple(np.broadcast_arrays(*arrays)) if len(arrays) > 1 else (*arrays,)
        self._began = False

    @property
    def __class__(self):
        return np.nditer

    def __getattr__(self, name):
        if name == "multi_index" and name not in self._given:
            raise ValueError("Iterator is not tracking a multi-index")
        return getattr(self._plain, name)

    def __getitem__(self, k):
        return self._views()[k]

    def __setitem__(self, k, value):
        self._views()[k][...] = value

    def __len__(self):
        return len(self.operands)

    @property
    def value(self):
        """The elements at the place, as arrays without dimensions."""
        views = self._views()
        return views[0] if len(views) == 1 else views

    def _views(self):
        where = (*self._plain.multi_index, Ellipsis)
        return tuple(x[where] for x in self.operands)

    def __iter__(self):
        return self

    def __next__(self):
        if self._began:
            self._plain.iternext()
        self._began = True
        if self._plain.finished:
            raise StopIteration
        return self.value

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._plain.close()

    def close(self):
        """Nothing is held back."""
        self._plain.close()


def _nditer(site, op, flags=None, op_flags=None, **options):
    if not holds_wrapper(op):
        for x in op if type(op) in (list, tuple) else (op,):
            if isinstance(x, np.ndarray) and x.flags.writeable:
                touch(x)  # what is handed out may be written to
        return np.nditer(op, flags, op_flags, **options)
    op = op if is_wrapper(op) else list(op)
    return at_users_line(_Iteration, (op, flags or (), op_flags, options), {})


def _flat_of(site, x):
    return Flat(x)


def _set_flat(site, x, value):
    Flat(x)[...] = value


MEANINGS = {np.broadcast: _broadcast, np.ndenumerate: _ndenumerate, np.nditer: _nditer}
"""NumPy's iterators: callable -> handler(site, *args, **kwargs)."""

ATTRIBUTE_MEANINGS = {"flat": (_flat_of, _set_flat)}
"""Attributes of wrapped arrays: name -> (handler(site, x), handler(site, x, value) of a store)."""
