"""Windows of one array: which are apart from each other, and whether they cover it."""

import math

import numpy as np

__all__ = ["Pieces"]

_MOST = 1 << 22  # elements of the map of what is covered


class Pieces:
    """A growing collection of windows of an array that do not overlap.

    Parameters
    ----------
    shape : tuple of int
    depth : int
        The windows have all of the axes behind the first `depth` ones.

    Examples
    --------
    >>> pieces = Pieces((4,), 1)
    >>> pieces.add(slice(0, 2)), pieces.add(1), pieces.add(slice(2, None))
    (True, False, True)
    >>> pieces.are_all
    True
    >>> pieces.in_order([(2,), (2,)])
    (0, [0, 1])
    """

    def __init__(self, shape, depth):
        self.shape = shape
        self._front = shape[:depth]
        self._taken = None
        self._windows = []
        self._left = math.prod(self._front)

    @property
    def are_all(self):
        """Whether the windows cover the array."""
        return self._left == 0 and bool(self._windows)

    def add(self, index):
        """Add a window if it is apart from all that were given before, and say whether it was.

        Parameters
        ----------
        index : object
            Of integers, slices, None and the ellipsis.

        Returns
        -------
        bool
        """
        if self._taken is None:
            if self._left > _MOST:
                return False
            self._taken = np.zeros(self._front, bool)
        window = self._taken[index]
        is_free = not np.any(window)
        self._taken[index] = True
        if is_free:
            self._left -= np.size(window)
            self._windows.append(index)
        return is_free

    def in_order(self, shapes):
        """How the windows follow one another along one axis.

        Parameters
        ----------
        shapes : sequence of tuple
            Of the values that are to stand in the windows.

        Returns
        -------
        axis : int or None
            None: the windows are the single elements of a vector.
        order : list of int
            The numbers of the windows as they follow one another.

        None is returned if they do not, or values would have to be broadcast.
        """
        bounds = [self._bounds(index) for index in self._windows]
        if not self.shape or any(b is None for b in bounds):
            return None
        if len(self.shape) == 1 and all(type(i) is int for i in self._windows):
            order = sorted(range(len(bounds)), key=lambda k: bounds[k][0])
            return (None, order) if all(shape == () for shape in shapes) else None
        if any(type(part) is int or part is None for index in self._windows
               for part in (index if type(index) is tuple else (index,))):
            return None
        sizes = [tuple([stop - start for start, stop in b]) for b in bounds]
        if [tuple(shape) for shape in shapes] != sizes:
            return None
        apart = [k for k, n in enumerate(self.shape) if any(size[k] != n for size in sizes)]
        if len(apart) > 1:
            return None
        axis = apart[0] if apart else 0
        return axis, sorted(range(len(bounds)), key=lambda k: bounds[k][axis])

    def _bounds(self, index):
        """Start and stop of a window along each axis; None if it goes in other steps than 1."""
        parts = list(index) if type(index) is tuple else [index]
        if Ellipsis in parts:
            at = parts.index(Ellipsis)
            missing = len(self.shape) - sum(p is not None for p in parts) + 1
            parts[at:at + 1] = [slice(None)] * missing
        parts += [slice(None)] * (len(self.shape) - len(parts))
        bounds = []
        for part, n in zip(parts, self.shape):
            if type(part) is slice:
                start, stop, step = part.indices(n)
                if step != 1:
                    return None
                bounds.append((start, max(start, stop)))
            elif type(part) is int:
                bounds.append((part % n, part % n + 1))
            else:
                return None
        return bounds
