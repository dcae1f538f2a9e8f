"""The shapes of operations: how many arguments which `Node.op` has, and what its target can be."""

import operator
from types import BuiltinMethodType

import numpy as np

from hybridad.trace.ir import HOLE, Method, Ref, Step, refs_of

__all__ = ["CHECKS", "EFFECTS", "IN_PLACE", "READS", "changes_argument", "complaint"]

CHECKS = {"is": 2, "type": 2, "equal": 2, "array": 2, "number": 2, "code": 2, "length": 2,
          "keys": 2, "apart": 2, "window": 2, "bound": 3, "builtin": 2}
"""Kinds of "check" and the number of their arguments."""

READS = {"function": 0, "global": 2, "cell": 2, "default": 2, "attribute": 2, "item": 2,
         "contains": 2, "has attribute": 2, "length": 1, "asked": 3}
"""Kinds of "read" and the number of their arguments."""

EFFECTS = {"attribute": 3, "item": 3, "global": 3, "cell": 3, "delete attribute": 2,
           "delete item": 2, "method": 4, "call": 4}
"""Kinds of "effect" and the number of their arguments."""

IN_PLACE = frozenset((
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv,
    operator.imod, operator.ipow, operator.imatmul, operator.iand, operator.ior, operator.ixor,
    operator.ilshift, operator.irshift))
"""The operators behind ``a += b`` and its like."""

_CHANGING = (operator.setitem, operator.delitem, np.copyto, np.put, np.place, np.putmask,
             np.put_along_axis, np.fill_diagonal)
_CHANGING_METHODS = ("fill", "put", "sort", "partition", "resize", "setfield", "byteswap")


def changes_argument(target, kwargs):
    """Whether calling `target` changes an argument: it can only stand in a "write"."""
    if kwargs.get("out") is not None:
        return True
    if type(target) is Method:
        return target.name in _CHANGING_METHODS and (
            target.name != "byteswap" or bool(kwargs.get("inplace")))
    if type(target) is BuiltinMethodType and type(target.__self__) is np.ufunc:
        return target.__name__ == "at"
    return any(target is x for x in (*_CHANGING, *IN_PLACE))


def complaint(node):
    """What is wrong with the form of an operation, or None."""
    form = _FORMS.get(node.op)
    if form is None:
        return f"There is no operation {node.op!r}."
    return form(node)


def _input(node):
    if type(node.target) is not int or node.args:
        return "An input has the number of a leaf, and no arguments."
    return None if set(node.kwargs) <= {"differentiated"} else "An input is differentiated or not."


def _const(node):
    if len(node.args) != 1 or any(refs_of(node.args)):
        return "A constant is one static value."
    return None


def _variable(node):
    return None if len(node.args) == 1 else "A variable is made of one value."


def _pull(node):
    if len(node.args) != 3 or type(node.args[2]) is not Ref or len(node.args[0]) != len(
            node.args[1]):
        return "A pull is of values with as many cotangents by one variable."
    return None


def _seed(node):
    return "A seed has no arguments." if node.args else None


def _apply(node):
    if type(node.target) is not Method and not callable(node.target):
        return f"{node.target!r} cannot be called."
    if changes_argument(node.target, node.kwargs):
        return "What changes an argument is a write."
    if type(node.target) is Method and not node.args:
        return "A method has an argument that it is a method of."
    return "Only a step has a hole." if _has_hole(node.args) else None


def _write(node):
    if type(node.target) is not Method and not callable(node.target):
        return f"{node.target!r} cannot be called."
    if len(node.args) < 2 or type(node.args[0]) is not Ref or type(node.args[1]) is not tuple:
        return "A write begins with an array and a path."
    for step in node.args[1]:
        if type(step) is not Step or HOLE not in [x for x in step.args if x is HOLE]:
            return "A path consists of steps with a hole."
    if not changes_argument(node.target, node.kwargs):
        return "This function does not write into its first argument."
    return None


def _has_hole(x):
    if type(x) in (tuple, list):
        return any(_has_hole(item) for item in x)
    return x is HOLE


def _one_of(kinds):
    def form(node):
        if type(node.target) is not str or node.target not in kinds:
            return f"There is no {node.op} {node.target!r}."
        if len(node.args) != kinds[node.target]:
            return f"A {node.op} {node.target!r} has {kinds[node.target]} arguments."
        return None
    return form


def _note(node):
    return None if len(node.args) == 1 else "A note is of one array."


def _foreign(node):
    if len(node.args) != 3 or type(node.args[1]) is not tuple or type(node.args[2]) is not dict:
        return "A foreign call is a function, a tuple of arguments and a dict."
    return None


def _build(node):
    return None if callable(node.target) else f"{node.target!r} cannot be called."


_FORMS = {
    "input": _input, "const": _const, "seed": _seed, "variable": _variable,
    "pull": _pull, "apply": _apply, "write": _write,
    "read": _one_of(READS), "check": _one_of(CHECKS), "effect": _one_of(EFFECTS), "note": _note,
    "foreign": _foreign, "build": _build,
}
