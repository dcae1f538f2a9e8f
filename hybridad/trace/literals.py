"""Static values of a trace as text, and back: what stands between the brackets of an operation.

Numbers, strings, slices, small arrays are written as Python would write them, functions and
classes by the dotted name under which they are found. What has neither is a named constant,
``$name``, whose object stands in a table beside the text.
"""

import ast
import builtins
import math
import operator
import sys
import types

import numpy as np

from hybridad.trace.ir import HOLE, Method, Ref, Step

__all__ = ["dotted_name", "evaluate", "resolve", "write_literal"]

_LONGEST_ARRAY = 8
_ROOTS = {"np": np, "numpy": np, "math": math, "operator": operator}
_SEARCHED = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft, "math": math,
             "operator": operator, "": builtins}
_MODULE_NAMES = {"_operator": "operator", "builtins": ""}
_NAMED_KINDS = (  # only these are asked for their names: others may run code of the user's
    type, types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, np.ufunc,
    type(np.sum), type(np.random.default_rng),
)
_SIMPLE = (int, float, str, bytes, bool, type(None))


def dotted_name(x):
    """The name under which a function or class is found (``np.linalg.norm``), or None."""
    if not isinstance(x, _NAMED_KINDS):
        return None
    method = isinstance(x, types.BuiltinMethodType)
    if method and type(x.__self__) is np.ufunc:
        candidates = [f"np.{x.__self__.__name__}.{x.__name__}"]
    else:
        name = getattr(x, "__qualname__", None) or x.__name__
        module = getattr(x, "__module__", None) or ""
        module = _MODULE_NAMES.get(module, module)
        if module == "numpy" or module.startswith("numpy."):
            module = "np" + module[len("numpy"):]
        candidates = [f"{space}.{name}".lstrip(".") for space in (module, *_SEARCHED)]
    for candidate in candidates:
        try:
            found = resolve(candidate)
            if found is x or (method and found == x):  # ``np.add.at`` is a new one each time
                return candidate
        except ValueError:
            continue
    return None


def resolve(name):
    """The object that a dotted name stands for; no module is imported for it."""
    parts = name.split(".")
    if parts[0] in _ROOTS:
        found, count = _ROOTS[parts[0]], 1
    elif hasattr(builtins, parts[0]):
        found, count = builtins, 0
    else:
        found, count = None, len(parts)
        while found is None and count > 1:
            count -= 1
            found = sys.modules.get(".".join(parts[:count]))
        if found is None:
            raise ValueError(f"nothing is called {name!r}")
    for part in parts[count:]:
        try:
            found = getattr(found, part)
        except AttributeError:
            raise ValueError(f"nothing is called {name!r}") from None
    return found


def write_literal(x, constants):
    """The text of a value.

    Parameters
    ----------
    x : object
        Nested tuples, lists, dicts, slices of `Ref` and static values.
    constants : dict
        Name -> object; what has no text of its own is looked up there by identity, and added.

    Returns
    -------
    str
    """
    kind = type(x)
    if kind is Ref or x is HOLE or kind in _SIMPLE:
        return repr(x)
    if x is Ellipsis:
        return "..."
    if kind is complex:
        return f"complex({x.real!r}, {x.imag!r})"
    if kind is tuple:
        inside = ", ".join([write_literal(item, constants) for item in x])
        return f"({inside},)" if len(x) == 1 else f"({inside})"
    if kind is list:
        return f"[{', '.join([write_literal(item, constants) for item in x])}]"
    if kind is dict:
        return "{" + ", ".join([f"{write_literal(key, constants)}: {write_literal(item, constants)}"
                                for key, item in x.items()]) + "}"
    if kind is slice:
        parts = [write_literal(part, constants) for part in (x.start, x.stop, x.step)]
        return f"slice({', '.join(parts)})"
    if kind is Method:
        return f"Method({x.name!r})"
    if kind is Step:
        parts = (x.target, x.args, x.kwargs)
        return f"Step({', '.join([write_literal(part, constants) for part in parts])})"
    return _numpy_literal(x) or dotted_name(x) or "$" + _constant_name(x, constants)


def _numpy_literal(x):
    """The text of a NumPy scalar, a dtype or a small array, or None."""
    kind = type(x)
    if isinstance(x, np.dtype):
        return f"np.dtype({x.str!r})" if np.dtype(x.str) == x else None
    if kind is np.bool:
        return f"np.bool({bool(x)!r})"
    if isinstance(x, np.generic):
        if x.dtype.kind not in "iufc" or x.dtype.char in "gG" or getattr(np, kind.__name__) != kind:
            return None
        return f"np.{kind.__name__}({_number(x)})"
    if kind is np.ndarray:
        plain = x.dtype.kind in "biufc" and x.dtype.char not in "gG" and x.flags.c_contiguous
        if not plain or x.size > _LONGEST_ARRAY or 0 in x.shape:
            return None
        return f"np.array({_items(x.tolist())}, {x.dtype.str!r})"
    return None


def _number(x):
    if x.dtype.kind == "f" and type(x)(float(str(x))) == x:
        return repr(float(str(x)))  # the short form of a float32
    return write_literal(x.item(), {})


def _items(x):
    return f"[{', '.join(map(_items, x))}]" if type(x) is list else write_literal(x, {})


def _constant_name(x, constants):
    for name, known in constants.items():
        if known is x:
            return name
    stem = x.__name__ if isinstance(x, types.FunctionType | type) else type(x).__name__
    stem = stem.lstrip("_") if stem.isidentifier() else "function"
    name, count = stem, 1
    while name in constants:
        count += 1
        name = f"{stem}_{count}"
    constants[name] = x
    return name


_CALLED = (slice, complex, np.array, np.dtype, Method, Step)
_NAMES = {"_": HOLE, "inf": math.inf, "nan": math.nan, "Method": Method, "Step": Step}


def evaluate(tree, constants):
    """The value that a syntax tree (of `ast`) of text by `write_literal` stands for.

    In the tree a use ``%5`` is the name ``_r5`` and a constant ``$w`` the name ``_c_w``.
    """
    kind = type(tree)
    if kind is ast.Constant:
        return tree.value
    if kind is ast.Name:
        return _named(tree.id, constants)
    if kind is ast.Attribute:
        return resolve(ast.unparse(tree))
    if kind is ast.Tuple:
        return tuple([evaluate(item, constants) for item in tree.elts])
    if kind is ast.List:
        return [evaluate(item, constants) for item in tree.elts]
    if kind is ast.Dict:
        return {evaluate(key, constants): evaluate(item, constants)
                for key, item in zip(tree.keys, tree.values)}
    if kind is ast.Slice:
        parts = (tree.lower, tree.upper, tree.step)
        return slice(*[None if x is None else evaluate(x, constants) for x in parts])
    if kind is ast.UnaryOp and type(tree.op) is ast.USub:
        return -evaluate(tree.operand, constants)
    if kind is ast.Call and not tree.keywords:
        called = evaluate(tree.func, constants)
        is_scalar_type = isinstance(called, type) and issubclass(called, np.generic)
        if is_scalar_type or any(called is x for x in _CALLED):
            return called(*[evaluate(item, constants) for item in tree.args])
    raise ValueError(f"{ast.unparse(tree)!r} is no value")


def _named(name, constants):
    if name[:2] == "_r" and name[2:].isdigit():
        return Ref(int(name[2:]))
    if name[:3] == "_c_":
        if name[3:] not in constants:
            raise ValueError(f"${name[3:]} is not among the constants")
        return constants[name[3:]]
    return _NAMES[name] if name in _NAMES else resolve(name)
