"""What is known of functions: elementwise, views, of new memory, never raising, never warning.

A function that is in no table may do anything.
"""

import math
import operator

import numpy as np

from hybridad.trace.ir import Method, Ref, refs_of

__all__ = [
    "ATTRIBUTES", "CREATING", "SYMBOLS", "UNARY", "is_basic", "is_creation", "is_deterministic",
    "is_elementwise", "is_fresh", "is_quiet", "is_total", "is_view",
]

SYMBOLS = {
    operator.add: "+", np.add: "+", operator.sub: "-", np.subtract: "-",
    operator.mul: "*", np.multiply: "*", operator.truediv: "/", np.divide: "/",
    operator.pow: "**", np.power: "**", operator.neg: "neg", np.negative: "neg",
}
"""The arithmetic that the passes know by heart, one symbol for both ways to write it."""

UNARY = frozenset((operator.neg, operator.pos, operator.abs, operator.invert))

_OPERATORS = UNARY | {
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
}

ATTRIBUTES = frozenset(("T", "mT", "real", "imag"))

_VIEWS = {
    np.transpose, np.swapaxes, np.moveaxis, np.reshape, np.ravel, np.broadcast_to, np.squeeze,
    np.expand_dims, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.rollaxis, np.flip, np.rot90,
    np.diagonal, np.real, np.imag, np.asarray, np.asanyarray, np.ascontiguousarray,
    np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit,
}
_VIEW_METHODS = {"reshape", "transpose", "swapaxes", "ravel", "squeeze", "view", "diagonal"}

CREATING = frozenset((
    np.zeros, np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like,
    np.full_like, np.copy, np.array, np.eye, np.identity,
))
"""What makes memory to write into, mostly."""

_PRODUCTS = {np.matmul, operator.matmul, np.dot, np.tensordot, np.outer, np.inner, np.kron}
_PURE = {
    np.where, np.sum, np.prod, np.cumsum, np.cumprod, np.concatenate, np.stack, np.take,
    np.arange, np.linspace, np.triu, np.tril, np.tile, np.repeat, np.argsort, np.sort, np.isclose,
    np.take_along_axis, np.bincount, np.sign, np.trace, np.diag, np.triu_indices, np.tril_indices,
    np.diag_indices, np.roll, np.pad, np.max, np.min, np.argmax, np.argmin, np.isnan, np.vander,
    np.hstack, np.vstack, np.searchsorted, np.unique,
}
_FRESH = _PRODUCTS | CREATING | {
    np.where, np.concatenate, np.stack, np.take, np.tile, np.repeat, np.cumsum, np.triu, np.tril,
    np.hstack, np.vstack, np.take_along_axis, np.add.reduce, np.sum,
}
_BUILTINS = {abs, len, min, max, float, int, bool, complex, round, divmod, pow, slice, tuple}

_QUIET_MAKING = {np.zeros, np.ones, np.empty, np.zeros_like, np.ones_like, np.empty_like}
_QUIET_UFUNCS = {np.logical_not, np.logical_and, np.logical_or, np.isfinite, np.isnan, np.isinf,
                 np.signbit}
_INTEGERS = ("int", "bool")


def is_elementwise(target):
    """Whether the result at a place depends on the arguments at that place alone."""
    if isinstance(target, np.ufunc):
        return target.signature is None and target.nout == 1
    return target in _OPERATORS or target is np.where


def is_view(node):
    """Whether the result of an "apply" may share memory with its first argument."""
    target = node.target
    if type(target) is Method:
        return target.name in ATTRIBUTES or target.name in _VIEW_METHODS
    if target is operator.getitem:
        return True
    return target in _VIEWS


def is_creation(target):
    """Whether a call makes an array that belongs to its caller, even if others look the same."""
    return target in CREATING or (type(target) is Method and target.name == "copy")


def is_fresh(node):
    """Whether an "apply" surely gives an array in memory of its own."""
    target = node.target
    if type(target) is Method:
        return target.name == "copy"
    if isinstance(target, np.ufunc):
        return target.nout == 1
    return target in _OPERATORS or target in _FRESH


def is_deterministic(target):
    """Whether a function gives the same bits for the same arguments, and does nothing else.

    Products of matrices are left out: their bits may depend on where the operands lie in memory.
    """
    if type(target) is Method:
        return target.name in ATTRIBUTES or target.name in _VIEW_METHODS or target.name in (
            "sum", "astype", "copy", "max", "min", "prod", "cumsum", "conj")
    if isinstance(target, np.ufunc):
        return target.signature is None
    return (target in _OPERATORS or target in _VIEWS
            or target in CREATING or target in _PURE or target in _BUILTINS
            or target is operator.getitem or getattr(target, "__module__", None) == math.__name__)


def is_basic(index):
    """Whether an index names a window: integers, slices, None and the ellipsis, all static."""
    for part in index if type(index) is tuple else (index,):
        if type(part) is slice:
            bounds = (part.start, part.stop, part.step)
            if any(x is not None and type(x) is not int for x in bounds):
                return False
        elif part is not None and part is not Ellipsis and type(part) is not int:
            return False
    return True


def is_total(target):
    """Whether an adjoint operation that has worked once works for any other values, too."""
    return is_elementwise(target) or target in _VIEWS or target in _PRODUCTS or (
        type(target) is Method and (target.name in ATTRIBUTES or target.name in _VIEW_METHODS))


def is_quiet(node, aval):
    """Whether a forward operation can neither raise nor warn, whatever the values are.

    Parameters
    ----------
    node : Node
        An "apply" or a "write".
    aval : callable
        ``aval(ref)`` gives the `Aval` of a use.

    Returns
    -------
    bool
    """
    target, args = node.target, node.args
    if node.op == "write":
        return _is_quiet_write(node, aval)
    if type(target) is Method:
        return len(args) == 1 and not node.kwargs and target.name in (*ATTRIBUTES, "copy", "ravel")
    if target is operator.getitem:
        known = aval(args[0])
        return (known is not None and known.kind == "array" and (
            _is_inside(args[1], known.shape)
            or (_is_window(args[1], aval) and _rank(args[1]) <= len(known.shape))))
    if target in (np.transpose, np.ravel, np.copy, np.real, np.imag):
        return len(args) == 1 and not node.kwargs and _is_array(aval(args[0]))
    if target in _QUIET_MAKING:
        return not any(type(x) is Ref and _is_number(aval(x)) for x in args)
    if isinstance(target, np.ufunc):
        return (target in _QUIET_UFUNCS and target.nin == 1
                and _is_array(aval(args[0])) and not node.kwargs)
    symbol = SYMBOLS.get(target)
    if symbol in ("+", "-", "*", "neg") and type(target) is not np.ufunc:
        kinds = {_python_kind(x, aval) for x in args}
        return kinds <= {"int"} or kinds == {"float"}
    return False


def _is_quiet_write(node, aval):
    """A number of the array's own type into a window of it."""
    known = aval(node.args[0])
    if known is None or len(node.args[1]) or node.target is not _SETITEM or len(node.args) != 4:
        return False
    value = aval(node.args[3])
    return (value is not None and value.kind == "number" and value.dtype == known.dtype
            and _is_window(node.args[2], aval) and _rank(node.args[2]) <= len(known.shape))


_SETITEM = operator.setitem


def _is_array(aval):
    return aval is not None and aval.kind == "array" and aval.dtype[1:2] in "biufc"


def _is_number(aval):
    return aval is None or aval.kind != "array"


def _is_inside(index, shape):
    """Whether an index is made of static integers and slices alone, and those are in an array."""
    parts = index if type(index) is tuple else (index,)
    return len(parts) <= len(shape) and all(
        (type(part) is int and -n <= part < n) or (type(part) is slice and part.step != 0
                                                       and not any(refs_of(part)))
        for part, n in zip(parts, shape))


def _is_window(index, aval):
    """Whether an index is made of slices with integers alone, which never leave an array."""
    for part in index if type(index) is tuple else (index,):
        if type(part) is slice:
            for x in (part.start, part.stop):
                if x is not None and _python_kind(x, aval) != "int":
                    return False
            if part.step is not None and (type(part.step) is not int or not part.step):
                return False
        elif part is not Ellipsis and part is not None:
            return False
    parts = index if type(index) is tuple else (index,)
    return sum(part is Ellipsis for part in parts) <= 1


def _rank(index):
    return sum(type(part) is slice for part in (index if type(index) is tuple else (index,)))


def _python_kind(x, aval):
    """"int" or "float" for Python's numbers (bool counts as int), else None."""
    if type(x) is Ref:
        known = aval(x)
        if known is None or known.kind != "number":
            return None
        name = known.dtype
    else:
        name = type(x).__name__
    return "int" if name in _INTEGERS else "float" if name == "float" else None
