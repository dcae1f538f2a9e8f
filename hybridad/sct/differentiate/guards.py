"""Zero cotangents stay zero, where a derivative is infinite, too: what is known without asking.

A rule of a function with singular points selects before it divides (`rules.spaces.where_nonzero`,
`where_finite`), and the tape replaces NaN where a cotangent is zero. Both cost more than the rule
itself. Two facts about a cotangent, known while it is written, save them:

- *nonzero*: no element is zero. The seed is, and products and quotients of it with constants.
- *dense*: an element is zero only by the numbers, never because the program has selected others
  (`where`, `maximum`, an index). Where the rule of `exp` (or any other whose factor is infinite
  only where the value is) meets infinity then, the program's own value was infinite or NaN.

How guards are written:

"zero"      ``numpy.where(g == 0, 1.0, x)``: for a last derivative.
"singular"  where `g` is zero *and* `x` singular: may be differentiated by `g` again.
"none"      not at all. 0 / 0 and 0 * inf are NaN then, and stay NaN up to the result, since all
            that a rule can do with NaN in a cotangent is to hand it on or to select something
            else. Who runs the code looks for NaN in what it gives, and then asks the tape.
"""

import operator

import numpy as np

from hybridad.sct.differentiate.traced import Traced
from hybridad.trace.ir import Method

__all__ = ["DENSE", "GUARDS", "NONZERO", "facts_of", "has_bounded_factor"]

GUARDS = ("zero", "singular", "none")
NONZERO = 1
DENSE = 2

_MOVES = {
    np.reshape, np.broadcast_to, np.transpose, np.moveaxis, np.swapaxes, np.copy, np.ravel,
    np.expand_dims, np.squeeze, np.flip, np.roll, np.full_like, operator.neg, operator.getitem,
    *map(Method, ("reshape", "transpose", "T", "copy", "ravel", "astype", "real")),
}
_MIXES = {
    operator.matmul, operator.add, operator.sub, np.dot, np.einsum, np.tensordot, np.sum, np.mean,
    Method("sum"),
}


def facts_of(function, args, facts):
    """What is known of the result of an operation.

    Parameters
    ----------
    function : callable or Method
    args : sequence
        Traced and static values.
    facts : dict
        Id -> bits `NONZERO` and `DENSE`.

    Returns
    -------
    int
    """
    if function in _MOVES:
        first = args[1] if function is np.full_like else args[0]
        return _known(first, facts)
    if function is operator.mul:
        a, b = (_known(x, facts) for x in args)
        masks = any(_is_mask(x) for x in args)
        return a & b & NONZERO | (0 if masks else (a | b) & DENSE)
    if function is operator.truediv:
        a = _known(args[0], facts)
        return a & DENSE | (a & NONZERO if is_harmless(args[1]) else 0)
    if function in _MIXES:
        known = 0
        for x in args:
            known |= _known(x, facts)
        return known & DENSE
    return 0


def _known(x, facts):
    if type(x) is Traced:
        return facts.get(x.ref.id, 0)
    return NONZERO if is_harmless(x) else 0


def is_harmless(x):
    """Whether a static number is neither zero nor near what makes others overflow."""
    return type(x) in (int, float) and 1e-100 < abs(x) < 1e100


def _is_mask(x):
    return getattr(getattr(x, "dtype", None), "kind", None) == "b"


# Factors that are finite wherever the argument is, and those that the rule guards itself.
_BOUNDED = {
    np.sin, np.cos, np.tanh, np.arctan, np.arcsinh, np.add, np.subtract, np.negative, np.sign,
    np.fabs, np.arctan2, np.where, np.maximum, np.minimum, np.fmax, np.fmin, np.clip, np.divide,
    np.log, np.log2, np.log10, np.log1p, np.sqrt, np.cbrt, np.reciprocal, np.arcsin, np.arccos,
    np.arccosh, np.arctanh, np.hypot, np.remainder, np.fmod, np.degrees, np.radians, np.copysign,
    np.heaviside, np.nextafter, np.full_like, np.logaddexp, np.logaddexp2, np.power,
    np.float_power, np.square, float, complex,
}


def has_bounded_factor(function):
    """Whether the rule of a primitive needs no guard beyond those that stand in it."""
    return function in _BOUNDED
