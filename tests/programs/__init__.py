"""A corpus of small programs, grouped by language feature: data for `tests/test_program_corpus.py`.

A program is a factory that makes a fresh plain NumPy function and what is around it, and the
arguments of several calls. Between the calls inputs, globals, cells and objects change, so that
other branches run and whatever was remembered of an earlier call shows. Each module here is one
group and fills `PROGRAMS` through `program`; nothing in it knows of hybridad.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["POINTS", "PROGRAMS", "A", "Program", "Scene", "program"]

PROGRAMS = {}


@dataclass(frozen=True, slots=True)
class Scene:
    """A fresh function and what is around it.

    Attributes
    ----------
    f : callable
        What is differentiated; it returns a real floating-point scalar.
    state : callable
        Without arguments, gives what of the outside `f` touches.
    before : callable
        ``before(k)`` changes the outside before call `k`.
    gradient : callable or None
        Gives the gradient from the arguments of a call, where finite differences do not apply. It
        is called behind ``before(k)`` and before the call, on a scene that went through all calls
        before.
    """

    f: Callable
    state: Callable = lambda: None
    before: Callable = lambda k: None
    gradient: Callable | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """A factory of scenes, and the calls to make in each.

    Attributes
    ----------
    name : str
        Group and name, ``captures.default_of_helper``.
    make : callable
        Gives a fresh `Scene`, or just its function.
    calls : tuple of tuple
        The arguments of each call; the first call is made again at the end.
    argnums : tuple of int
        The arguments to differentiate by.
    second : bool
        Its second derivative is checked too; it has one argument, a number.
    refusable : bool
        A clear error of the library is as good as an answer.
    """

    name: str
    make: Callable
    calls: tuple
    argnums: tuple
    second: bool
    refusable: bool

    @property
    def group(self):
        return self.name.split(".")[0]

    def scene(self):
        """A fresh scene."""
        made = self.make()
        return made if isinstance(made, Scene) else Scene(made)


def A(*values):
    """An array of float64."""
    return np.array(values, float)


POINTS = (A(1.2, 2.3, 0.7), A(-0.8, 1.9, 0.45), A(0.35, -1.6, 1.1))
"""The calls of programs that name none: the signs change."""


def program(*calls, argnums=0, second=False, refusable=False):
    """Register a factory.

    Parameters
    ----------
    *calls : object
        A tuple is the arguments of a call, anything else its only argument. Left out: `POINTS`.
    argnums, second, refusable
        As in `Program`.
    """
    calls = tuple(c if type(c) is tuple else (c,) for c in calls or POINTS)
    assert len(calls) >= 3, "too few calls for anything to become stale"

    def register(make):
        name = f"{make.__module__.rpartition('.')[2]}.{make.__name__}"
        assert name not in PROGRAMS, f"two programs are called {name}"
        numbers = argnums if isinstance(argnums, tuple) else (argnums,)
        PROGRAMS[name] = Program(name, make, (*calls, calls[0]), numbers, second, refusable)
        return make

    return register
