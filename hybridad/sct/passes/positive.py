"""Values that are never zero, so that one may divide by them: ``1.0 + np.exp(x)``."""

import operator

import numpy as np

from hybridad.sct.passes.facts import SYMBOLS
from hybridad.trace.ir import Ref

__all__ = ["is_positive"]

_NEVER_NEGATIVE = {np.exp, np.exp2, np.square, np.abs, abs, operator.abs, np.sqrt, np.hypot}
_DEEPEST = 8


def is_positive(x, known, depth=0):
    """Whether a value is above zero, and stays there when it is rounded (or is NaN).

    Parameters
    ----------
    x : Ref or number
    known : Known

    Returns
    -------
    bool
    """
    if type(x) is not Ref:
        return type(x) in (int, float) and x > 0
    node = known.maker(x)
    if node is None or node.kwargs or depth > _DEEPEST:
        return False
    if node.target is np.cosh:
        return True
    if SYMBOLS.get(node.target) != "+":
        return False
    a, b = node.args
    return ((is_positive(a, known, depth + 1) and _is_not_negative(b, known, depth + 1))
            or (is_positive(b, known, depth + 1) and _is_not_negative(a, known, depth + 1)))


def _is_not_negative(x, known, depth):
    """Whether a value is zero or more."""
    if type(x) is not Ref:
        return type(x) in (int, float) and x >= 0
    node = known.maker(x)
    if node is None or depth > _DEEPEST:
        return False
    aval = known.aval(x)
    if aval is None or aval.dtype[1:2] == "c":
        return False
    target, args = node.target, node.args
    if target in _NEVER_NEGATIVE:
        return True
    symbol = SYMBOLS.get(target)
    if symbol in ("+", "*", "/"):
        if symbol == "*" and args[0] == args[1]:
            return True
        return all(_is_not_negative(y, known, depth + 1) for y in args)
    if symbol == "**":
        return type(args[1]) in (int, float) and args[1] % 2 == 0
    return target is np.sum and _is_not_negative(args[0], known, depth + 1)
