"""What comes into a run from outside: its class, and the recipe by which it can be read again.

A run with a `Captures` as its listener tells it of every read of a global, a closure cell, a
default, an attribute or an item. What is read from something that has a recipe gets one, too; what
the run has made has none. The tape needs no recipes; specialized code reads captures anew on every
call.
"""

import enum
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

import numpy as np

from hybridad._record import is_wrapper, raw_of

__all__ = ["Capture", "Captures", "Recipe", "class_of"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a value that came from outside can be read again.

    Attributes
    ----------
    kind : {"function", "global", "cell", "default", "attribute", "item"}
        "function" is the function that is differentiated, the root of all others.
    parent : Recipe or None
        What it is read from: the function whose global, cell or default it is; the object; the
        container.
    key : str, int, ...
        The name, or the index or key.
    """

    kind: str
    parent: "Recipe | None" = None
    key: object = None

    def read(self, function):
        """Read the value anew.

        Parameters
        ----------
        function : callable
            The function that is differentiated.

        Returns
        -------
        object
            Raises what plain code would if it is not there any more.
        """
        if self.kind == "function":
            return function
        return _READERS[self.kind](self.parent.read(function), self.key)

    def __str__(self):
        if self.kind == "function":
            return "f"
        if self.kind == "attribute":
            return f"{self.parent}.{self.key}"
        if self.kind == "item":
            return f"{self.parent}[{self.key!r}]"
        return f"{self.kind} {self.key} of {self.parent}"


def _read_global(function, name):
    namespace = _function_of(function).__globals__
    if name in namespace:
        return namespace[name]
    builtins = namespace["__builtins__"]
    return vars(builtins)[name] if isinstance(builtins, ModuleType) else builtins[name]


def _read_cell(function, name):
    function = _function_of(function)
    return function.__closure__[function.__code__.co_freevars.index(name)].cell_contents


def _read_default(function, name):
    function = _function_of(function)
    if name in (function.__kwdefaults__ or {}):
        return function.__kwdefaults__[name]
    code = function.__code__
    names = code.co_varnames[:code.co_argcount]
    return function.__defaults__[names.index(name) - len(names)]


def _function_of(f):
    """The function behind a method or a callable object."""
    if isinstance(f, MethodType):
        return f.__func__
    return f if isinstance(f, FunctionType) else type(f).__call__


_READERS = {
    "global": _read_global,
    "cell": _read_cell,
    "default": _read_default,
    "attribute": getattr,
    "item": lambda container, key: container[key],
}


def class_of(x):
    """The class of a value that enters a run; it says what must hold when it is used again.

    Returns
    -------
    str
        "array" (floating or complex, lifted), "number" (float or complex), "integers" (an array of
        integers or booleans), "int", "static" (bool, text, None, enum members, tuples of them),
        "function", "module", "class", "container" (list, dict, set, ...), "iterator" or "object".
    """
    x = raw_of(x) if is_wrapper(x) else x
    kind = type(x)
    if kind is np.ndarray:
        return {"f": "array", "c": "array", "i": "integers", "u": "integers",
                "b": "integers"}.get(x.dtype.kind, "object")
    if isinstance(x, enum.Enum) or kind in (bool, str, bytes, type(None), type(...), np.bool_):
        return "static"
    if kind is tuple and all(class_of(item) == "static" for item in x):
        return "static"
    if isinstance(x, (float, complex, np.inexact)):
        return "number"
    if isinstance(x, (int, np.integer)):
        return "int"
    if isinstance(x, (FunctionType, BuiltinFunctionType, MethodType, np.ufunc, type(np.sum))):
        return "function"
    if isinstance(x, ModuleType):
        return "module"
    if isinstance(x, type):
        return "class"
    if isinstance(x, (list, dict, set, frozenset, tuple, bytearray)):
        return "container"
    return "iterator" if hasattr(kind, "__next__") else "object"


@dataclass(frozen=True, slots=True)
class Capture:
    """A read: where it was first made, its recipe, the class and the value that was found."""

    site: object = field(compare=False)
    recipe: Recipe
    kind: str
    value: object = field(compare=False)


class Captures:
    """A listener that keeps what a run has read from outside.

    Parameters
    ----------
    function : callable
        The function that is differentiated.

    Attributes
    ----------
    reads : dict
        Recipe -> Capture, in the order of the first reads.
    """

    def __init__(self, function):
        self.reads = {}
        self._recipes = {id(function): (function, Recipe("function"))}
        self._functions = []

    def recipe_of(self, x):
        """The recipe of a value that was read from outside, or None."""
        found = self._recipes.get(id(raw_of(x) if is_wrapper(x) else x))
        return None if found is None else found[1]

    # What sites tell --------------------------------------------------------------------------

    def entered(self, site, function, args, kwargs):
        """A function of the user's is entered; its defaults are read."""
        self._functions.append(function)
        recipe = self.recipe_of(function)
        if recipe is None:
            return
        code = function.__code__
        names = code.co_varnames[:code.co_argcount]
        optional = names[len(names) - len(function.__defaults__ or ()):]
        for name in [*optional, *(function.__kwdefaults__ or ())]:
            if name not in kwargs and (name not in names or names.index(name) >= len(args)):
                default = Recipe("default", recipe, name)
                self._keep(site, default, _read_default(function, name))

    def left(self):
        """It is left."""
        self._functions.pop()

    def read(self, site, value):
        """A global, a builtin or a variable of a function around was read."""
        if not self._functions:
            return
        recipe = self.recipe_of(self._functions[-1])
        if recipe is not None:
            kind = "global" if site.kind == "global" else "cell"
            if kind == "global" or site.detail in self._functions[-1].__code__.co_freevars:
                self._keep(site, Recipe(kind, recipe, site.detail), value)

    def attribute(self, site, owner, name, value):
        """``owner.name`` was read."""
        recipe = self.recipe_of(owner)
        if recipe is not None:
            self._keep(site, Recipe("attribute", recipe, name), value)

    def item(self, site, container, index, value):
        """``container[index]`` was read."""
        recipe = self.recipe_of(container)
        if recipe is not None and type(index) in (int, str, bool, float, tuple):
            self._keep(site, Recipe("item", recipe, index), value)

    def block(self, site, names, values):
        """A hook for blocks; see `instrument.blocks`."""

    def _keep(self, site, recipe, value):
        plain = raw_of(value) if is_wrapper(value) else value
        if recipe not in self.reads:
            self.reads[recipe] = Capture(site, recipe, class_of(plain), plain)
        if class_of(plain) not in ("static", "int", "number"):  # which have no identity
            self._recipes.setdefault(id(plain), (plain, recipe))
