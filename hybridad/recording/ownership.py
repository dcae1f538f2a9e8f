"""Whose code it is: the user's is entered in recording form, other code is called as it is."""

import collections
import contextlib
import functools
import os
import sys
import types

from hybridad import errors

__all__ = ["is_entered", "is_generated_code", "is_installed", "only_moves", "owner_of_code",
           "owner_of_file", "passes_on", "self_of"]

_PACKAGE = os.path.dirname(os.path.abspath(errors.__file__)) + os.sep

_BOUND = (types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType)

_PACKAGES = tuple(f"{os.sep}{folder}{os.sep}" for folder in ("site-packages", "dist-packages"))

# Modules of Python whose functions do nothing but call the user's: entered as if they were those.
_PASSING_ON = {module.__spec__.origin for module in (contextlib, functools)}


def owner_of_code(code):
    """Whose a code object is.

    Returns
    -------
    str
        "user" (also what merely calls the user's code: `contextlib`, `functools`), "package"
        (installed, but none of those below), or "library" (hybridad, the rest of Python's standard
        library, NumPy, SciPy, CuPy and what hybridad is built on).
    """
    return owner_of_file(code.co_filename)


@functools.lru_cache(maxsize=4096)
def owner_of_file(filename):
    """As `owner_of_code`, by the name of the file."""
    if filename in _PASSING_ON:
        return "user"
    if not errors.is_users(filename):
        return "library"
    installed = any(folder in filename for folder in _PACKAGES)
    return "package" if installed and not filename.startswith(_PACKAGE) else "user"


def self_of(f, default=None):
    """The object of a bound method or a builtin; no code of the user's is asked for it.

    Examples
    --------
    >>> self_of([].append), self_of(self_of), self_of(1, default=2)
    ([], None, 2)
    """
    if issubclass(type(f), _BOUND) or hasattr(type(f), "__self__"):
        return f.__self__
    return default


def passes_on(code):
    """Whether code is Python's own, and entered because it calls the user's."""
    return code.co_filename in _PASSING_ON


def is_installed(name):
    """Whether a module, by its name, has been loaded from a file that is not the user's."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is not None and owner_of_file(file) != "user"


def only_moves(function):
    """Whether a function does nothing but move values: the methods of named tuples.

    Examples
    --------
    >>> from collections import namedtuple
    >>> only_moves(namedtuple("Pair", "a b")._replace), only_moves(len)
    (True, False)
    """
    code = getattr(function, "__code__", None)
    return code is not None and code.co_filename == collections.__spec__.origin \
        and code.co_qualname.startswith("namedtuple.<locals>.")


def is_generated_code(code):
    """Whether dataclasses or namedtuples have written a code object, which just stores values."""
    return code.co_filename == "<string>" and (
        code.co_qualname.startswith("__create_fn__.<locals>.")
        or code.co_names == ("_tuple_new",))


def is_entered(function):
    """Whether calls of a function are entered in recording form."""
    return type(function) is types.FunctionType and owner_of_code(function.__code__) == "user"
