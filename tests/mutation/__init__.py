"""Small programs that mutate arrays: data for `tests/test_mutation.py`.

A program is an ordinary function of arrays, which runs on plain NumPy and on wrappers alike. Each
module here is one theme and fills `PROGRAMS` through `program`. What it returns is a real scalar to
which every old version of every array that it wrote to contributes, so that a version lost shows.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["PROGRAMS", "Program", "program"]

PROGRAMS = {}


@dataclass(frozen=True, slots=True)
class Program:
    """A function, and the points at which it is run.

    Attributes
    ----------
    name : str
    function : callable
    points : list of tuple
        The arguments of each run, all of them differentiated.
    orders : int
        The highest order of derivative to check.
    reference : callable or None
        What computes the plain value, where the function differentiates inside and so cannot run
        on plain arrays.
    """

    name: str
    function: Callable
    points: list
    orders: int = 2
    reference: Callable | None = None

    @property
    def plain(self):
        """What gives the plain value."""
        return self.reference or self.function


def draw(rng, shape, dtype):
    """Numbers of size about one, none of them near zero, where signs and kinks are."""
    x = rng.uniform(0.3, 1.4, shape) * rng.choice([-1.0, 1.0], shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.uniform(0.3, 1.4, shape) * rng.choice([-1.0, 1.0], shape)
    x = np.asarray(x).astype(dtype)
    return x if x.shape else x[()]


def program(*shapes, dtype="d", count=3, layout=None, orders=2, reference=None):
    """Register a program, at `count` points of the given shapes.

    Parameters
    ----------
    *shapes : tuple of int
        One for each argument.
    dtype : str
    count : int
    layout : callable or None
        Applied to every argument, to give it another memory layout.
    orders, reference
        As in `Program`.
    """

    def register(function):
        name = function.__name__
        assert name not in PROGRAMS, f"two programs are called {name}"
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        points = [tuple((layout or (lambda x: x))(draw(rng, s, dtype)) for s in shapes)
                  for _ in range(count)]
        PROGRAMS[name] = Program(name, function, points, orders, reference)
        return function

    return register
