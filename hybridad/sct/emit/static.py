"""Static values as text: literals, public names of NumPy's functions, or bound constants."""

import math
import re
import sys
import types

import numpy as np

from hybridad.sct.emit.names import readable
from hybridad.trace.literals import dotted_name

__all__ = ["ATOM", "UNARY", "Expression", "Statics", "inside"]

UNARY, ATOM = 12, 16
_PLAIN = (str, bytes, bool, type(None), type(Ellipsis))
_PUBLIC = re.compile(r"(np|math)\.[A-Za-z]\w*(\.[A-Za-z]\w*)*|[a-z]\w*")

_USUAL = {"np.absolute": "np.abs", "np.conjugate": "np.conj"}


class Expression(tuple):
    """Text, how tightly it binds, and how many operations are nested in it."""

    __slots__ = ()

    def __new__(cls, text, rank=ATOM, depth=0):
        return tuple.__new__(cls, (text, rank, depth))

    @property
    def text(self):
        return self[0]

    @property
    def rank(self):
        return self[1]

    @property
    def depth(self):
        return self[2]


def inside(expression, rank):
    """The text of an operand that has to bind at least as tightly as `rank`."""
    return expression[0] if expression[1] >= rank else f"({expression[0]})"


class Statics:
    """Static values of one function.

    Attributes
    ----------
    constants : dict
        Name -> object: what could not be written down.
    modules : set of str
        Lines of import beside that of NumPy.
    """

    def __init__(self):
        self.constants = {}
        self.modules = set()
        self._names = {}
        self._paths = {}

    def spell(self, x):
        """The `Expression` of a value; containers are taken apart by the caller."""
        kind = type(x)
        if kind in _PLAIN:
            return Expression("..." if x is Ellipsis else repr(x))
        if kind is int:
            return Expression(repr(x), UNARY if x < 0 else ATOM)
        if kind is float:
            return self._float(x)
        if kind is complex:
            text = repr(x)
            if np.isfinite(x) and repr(eval(text)) == text:
                return Expression(text, UNARY if text[0] == "-" else ATOM)
            return Expression(f"complex({self._float(x.real)[0]}, {self._float(x.imag)[0]})")
        if kind is tuple or kind is list:
            items = [self.spell(item).text for item in x]
            if kind is list:
                return Expression(f"[{', '.join(items)}]")
            return Expression(f"({', '.join(items)}{',' if len(items) == 1 else ''})")
        return Expression(self.path(x) or self.bound(x))

    def _float(self, x):
        if math.isfinite(x):
            return Expression(repr(x), UNARY if math.copysign(1.0, x) < 0 else ATOM)
        self.modules.add("import math")
        if x != x:
            return Expression("math.nan")
        return Expression("math.inf") if x > 0 else Expression("-math.inf", UNARY)

    def path(self, x):
        """The public name under which everybody finds a function or class, or None."""
        found = self._paths.get(id(x))
        if found is None or found[0] is not x:
            found = self._paths[id(x)] = x, self._path(x)
        return found[1]

    def _path(self, x):
        if x is np:
            return "np"
        name = _USUAL.get(dotted_name(x), dotted_name(x))
        if name is not None and _PUBLIC.fullmatch(name):
            if name.startswith("math."):
                self.modules.add("import math")
            return name
        special = sys.modules.get("scipy.special")
        if special is not None and isinstance(x, np.ufunc | types.FunctionType):
            if getattr(special, x.__name__, None) is x:
                self.modules.add("from scipy import special")
                return f"special.{x.__name__}"
        return None

    def bound(self, x):
        """The name of a constant that is bound as a global of the function."""
        # Equal scalars are one constant; what else is bound is kept alive here, so ids are unique.
        key = (type(x), x.tobytes()) if isinstance(x, np.generic) else id(x)
        name = self._names.get(key)
        if name is None:
            stem = _stem(x)
            name, count = stem, 0
            while name in self.constants:
                count += 1
                name = f"{stem}_{count}"
            self._names[key] = name
            self.constants[name] = x
        return name

    def comments(self):
        """Lines that say what the bound constants are."""
        for name, x in self.constants.items():
            if isinstance(x, np.ndarray):
                shown = f"{x.dtype.name}{list(x.shape)}"
            else:
                shown = repr(x) if isinstance(x, _SHOWN) else f"a {type(x).__name__}"
            yield f"# {name}: {shown}"[:100]


_SHOWN = (np.generic, np.dtype, type, types.FunctionType, types.BuiltinFunctionType, np.ufunc,
          types.ModuleType)


def _stem(x):
    if isinstance(x, np.dtype):
        return f"_{x.name}" if x.name.isidentifier() else "_dtype"
    if isinstance(x, np.ndarray):
        return "_array"
    if isinstance(x, np.generic):
        return f"_{type(x).__name__}"
    if isinstance(x, types.ModuleType):
        return "_" + readable(x.__name__, "module").strip("_")
    if isinstance(x, type | types.FunctionType | types.BuiltinFunctionType | np.ufunc):
        return "_" + readable(x.__name__, "function").strip("_")
    return "_" + readable(type(x).__name__, "object").strip("_").lower()
