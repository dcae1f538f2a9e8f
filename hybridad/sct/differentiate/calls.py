"""Which rule a call has: the primitive, and its arguments as the rule wants them.

Operators, methods, attributes and builtins are the NumPy functions that they mean.
"""

import builtins
import operator
from dataclasses import dataclass

import numpy as np

from hybridad._primitive import Primitive
from hybridad.recording.stop import stop_gradient
from hybridad.rules.declare import PRIMITIVES
from hybridad.sct.differentiate.choice import chosen
from hybridad.trace.ir import Method, Ref, refs_of

__all__ = ["Call", "CREATIONS", "call_of", "is_constant", "is_differentiable"]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a primitive.

    Attributes
    ----------
    primitive : Primitive
    args : tuple
        Of `Ref` and static values, also lists of them in place of arrays; of a sequence primitive
        the first is a list of arrays.
    kwargs : dict
        Of static values, and `Ref` of values that are not active.
    """

    primitive: Primitive
    args: tuple
    kwargs: dict


_COPY = Primitive(np.copy, "copy", "elementwise", vjps=(lambda g, ans, x: g,),
                  jvps=(lambda t, ans, x: t,), params=("a",), needs=0)
_CHOSEN = Primitive(
    chosen, "chosen", "elementwise", needs=0,
    vjps=(None, lambda g, ans, c, x, y: chosen_of(c, g, 0.0),
          lambda g, ans, c, x, y: chosen_of(c, 0.0, g)),
    jvps=(None, lambda t, ans, c, x, y: chosen_of(c, t, 0.0),
          lambda t, ans, c, x, y: chosen_of(c, 0.0, t)), params=("condition", "x", "y"))


def chosen_of(condition, x, y):
    """`chosen` in a rule."""
    for value in (condition, x, y):
        if hasattr(value, "writer"):
            return value.writer.apply(chosen, (condition, x, y))
    return chosen(condition, x, y)


CREATIONS = {np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray}
"""Functions that make an array of nested sequences of numbers and arrays."""

_MEANS = {
    operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply,
    operator.truediv: np.divide, operator.pow: np.power, operator.matmul: np.matmul,
    operator.mod: np.remainder, operator.neg: np.negative, operator.pos: np.positive,
    operator.abs: np.absolute, builtins.abs: np.absolute, builtins.pow: np.power,
    operator.floordiv: np.floor_divide, divmod: np.divmod, np.add.reduce: np.sum,
    round: np.round,
    np.linalg.matrix_transpose: np.matrix_transpose,
    # in place, of what is immutable
    operator.iadd: np.add, operator.isub: np.subtract, operator.imul: np.multiply,
    operator.itruediv: np.divide, operator.ipow: np.power, operator.imatmul: np.matmul,
    operator.imod: np.remainder, operator.ifloordiv: np.floor_divide,
}

_METHODS = {
    **{name: getattr(np, name) for name in (
        "cumprod", "cumsum", "diagonal", "dot", "max", "mean", "min", "prod", "ravel", "repeat",
        "squeeze", "std", "sum", "swapaxes", "take", "trace", "var", "clip", "real", "imag",
        "conjugate", "argmax", "argmin", "argsort", "all", "any", "nonzero", "searchsorted",
        "round", "transpose", "reshape")},
    "T": np.transpose, "conj": np.conjugate, "flatten": np.ravel,
}
_REDUCTIONS = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min}
_ACCUMULATIONS = {np.add: np.cumsum, np.multiply: np.cumprod}
_COPIES = {"copy", "astype", "item", "__copy__", "__deepcopy__", "view"}
_OF_THE_RESULT = {"order", "subok", "casting", "dtype", "copy", "like", "ndmin"}


def is_differentiable(x):
    """Whether a value of this type has a cotangent: floating or complex numbers and arrays."""
    kind = type(x)
    if kind is np.ndarray or isinstance(x, np.generic):
        return x.dtype.kind in "fc"
    if kind is tuple or kind is list or isinstance(x, tuple):
        return any(map(is_differentiable, x))
    return kind is float or kind is complex


def is_constant(node):
    """Whether the derivative of an operation is zero, whatever it is applied to."""
    target = node.target
    if target is stop_gradient:
        return True
    if type(target) is Method:
        target = _METHODS.get(target.name)
    else:
        target = _meaning(target)
    primitive = _primitive(target)
    return primitive is not None and primitive.kind == "constant"


def _meaning(target):
    try:
        return _MEANS.get(target, target)
    except TypeError:
        return target


def _primitive(function):
    try:
        return PRIMITIVES.get(function)
    except TypeError:
        return None


def call_of(node, active=None):
    """The call of a primitive that an operation is; None if it has to be decomposed.

    Parameters
    ----------
    node : Node
        An "apply".
    active : set of int, optional
        The ids that have derivatives; if it is not known, all may have.

    Returns
    -------
    Call or None
    """
    found = _found(node)
    if found is not None and any(
            active is None or ref.id in active for ref in refs_of(found.kwargs)):
        return None
    return found


def _found(node):
    target, args, kwargs = node.target, node.args, node.kwargs
    if type(target) is Method:
        return _method_call(target.name, args, kwargs)
    if target is chosen:
        return Call(_CHOSEN, args, {})
    if (target in CREATIONS and type(args[0]) is Ref) or target is np.copy:
        return Call(_COPY, args[:1], {})
    if type(target) is type and issubclass(target, np.inexact):
        return Call(_COPY, args, {}) if len(args) == 1 and not kwargs else None
    if target is sum and args and type(args[0]) in (list, tuple):
        return Call(PRIMITIVES[sum], ([*args[0], *args[1:], *kwargs.values()],), {})
    if target is complex and kwargs:
        real = args[0] if args else kwargs.get("real", 0.0)
        return Call(PRIMITIVES[complex], (real, kwargs.get("imag", 0.0)), {})
    if target is np.full:
        return Call(PRIMITIVES[np.full_like], (None, args[1]), {}) if len(args) > 1 else None
    ufunc = getattr(target, "__self__", None)
    if type(ufunc) is np.ufunc:
        name = target.__name__
        table = {"reduce": _REDUCTIONS, "accumulate": _ACCUMULATIONS}.get(name, {})
        if ufunc not in table:
            return None
        if len(args) == 1 and "axis" not in kwargs:
            kwargs = {"axis": 0, **kwargs}
        return _call(PRIMITIVES[table[ufunc]], args, kwargs)
    if target is np.linalg.diagonal:
        offset = args[1] if len(args) > 1 else kwargs.get("offset", 0)
        return Call(PRIMITIVES[np.diagonal], (args[0], offset, -2, -1), {})
    target = _meaning(target)
    primitive = _primitive(target)
    if primitive is None:
        return None
    if type(target) is np.ufunc:
        if set(kwargs) - {"axis", "dtype", "casting", "order", "subok"} or len(args) > target.nin:
            return None
        kwargs = {"axis": kwargs["axis"]} if "axis" in kwargs else {}
    return _call(primitive, args, kwargs)


def _method_call(name, args, kwargs):
    x, *rest = args
    if name in _COPIES:
        if name in ("item", "view") and rest:
            return None
        return Call(_COPY, (x,), {})
    if name == "mT":
        return Call(PRIMITIVES[np.swapaxes], (x, -1, -2), {})
    if name in ("reshape", "transpose") and rest:
        shape = rest[0] if len(rest) == 1 and not isinstance(rest[0], (int, Ref)) else tuple(rest)
        return _call(PRIMITIVES[getattr(np, name)], (x, shape), kwargs)
    function = _METHODS.get(name)
    if function is None:
        return None
    return _call(PRIMITIVES[function], args, kwargs)


def _call(primitive, args, kwargs):
    if kwargs:
        kwargs = {key: value for key, value in kwargs.items()
                  if value is not np._NoValue
                  and (key in primitive.params or key not in _OF_THE_RESULT)}
        if "out" in kwargs:
            return None
        if any(True for _ in refs_of(kwargs)):
            args, kwargs = _positional(primitive, args, dict(kwargs))
    if primitive.sequence:
        if not args or type(args[0]) not in (list, tuple):
            return None
        return Call(primitive, (list(args[0]), *args[1:]), kwargs)
    return Call(primitive, args, kwargs)


def _positional(primitive, args, kwargs):
    """The arguments that are given by name and are values of the run, by position."""
    args = list(args)
    for name in primitive.params[len(args):]:
        if name not in kwargs:
            break
        args.append(kwargs.pop(name))
    return tuple(args), kwargs
