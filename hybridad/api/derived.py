"""What functions that differentiate functions return."""

import copy
import functools
import sys
import types

from hybridad.recording.arguments import name_of

__all__ = ["Derived"]


class Derived:
    """What `value_and_grad` and others return: called as the function is, a method in a class.

    It can be pickled if the function can, and copied; code that was made for it is not taken along.

    Parameters
    ----------
    f : callable
        What is differentiated.
    make : callable
        ``make(f, *options)`` makes the same for another function; found by its name.
    options : tuple
    title : str
        What it is of `f`.
    answer : callable
        ``answer(args, kwargs)`` answers a call.
    nested : Nested, optional
        By which a run is told what is called inside.
    engine : callable, optional
        ``engine()`` gives the engine that answers, where that is one of the function's.
    """

    def __init__(self, f, make, options, title, answer, nested=None, engine=None):
        functools.update_wrapper(self, f)
        vars(self).pop("__hybridad__", None)    # the history of `f`, if that is such a function
        self._f, self._make, self._options = f, make, options
        self._title, self._answer, self._nested = title, answer, nested
        self._engine = engine

    @property
    def title(self):
        """What it is of the function."""
        return self._title

    def linear_engine(self):
        """The engine of the function that answers; None: the tape does."""
        return None if self._engine is None else self._engine()

    def __call__(self, /, *args, **kwargs):
        return self._answer(args, kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self):
        name = getattr(self, "__qualname__", None) or name_of(self._f)
        return f"<{self._title} of {name}>"

    def __reduce__(self):
        if _is_found(self):     # the decorator has put it in place of `f`
            return self.__qualname__
        return self._make, (self._f, *self._options)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        f = copy.deepcopy(self._f, memo)
        return self if f is self._f else self._make(f, *self._options)


def _is_found(derived):
    """Whether a derived function stands where the name of its function says."""
    found = sys.modules.get(getattr(derived, "__module__", None))
    for name in getattr(derived, "__qualname__", "").split("."):
        found = getattr(found, name, None)
    return found is derived
