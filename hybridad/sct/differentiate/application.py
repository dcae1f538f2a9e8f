"""Rules at work: the cotangents of an operation's arguments, and the tangent of its result."""

import operator

import numpy as np

from hybridad.sct.differentiate.errors import Unsupported
from hybridad.sct.differentiate.guards import DENSE, NONZERO, has_bounded_factor, is_harmless
from hybridad.sct.differentiate.spaces import expanded, projected
from hybridad.sct.differentiate.traced import Traced, call, raw_of, shape_of

__all__ = ["is_elementwise", "pull", "push"]

# Functions that treat all elements alike, beside the elementwise ones.
_ALIKE = {np.real, np.imag, np.absolute, np.sign, np.conjugate, np.nan_to_num, np.angle}
# Functions that only move elements: a cotangent that is one number stays one.
_MOVING = {
    np.reshape, np.ravel, np.expand_dims, np.squeeze, np.atleast_1d, np.atleast_2d, np.atleast_3d,
    np.transpose, np.matrix_transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.flip, np.fliplr,
    np.flipud, np.rot90, np.roll,
}
_SUMS = {np.sum, np.mean}
_JOINING = {np.concatenate, np.stack, np.hstack, np.vstack, np.dstack, np.column_stack}


def is_elementwise(primitive):
    """Whether each element of a result comes from one of each argument.

    Parameters
    ----------
    primitive : Primitive

    Returns
    -------
    bool
    """
    function = primitive.func
    return (primitive.kind == "elementwise" or function in _ALIKE
            or (type(function) is np.ufunc and function.signature is None and primitive.out < 0))


def pull(writer, primitive, g, ans, args, kwargs, wanted):
    """The cotangents of the arguments of a call.

    Parameters
    ----------
    writer : Writer
    primitive : Primitive
    g : Traced or number
        The cotangent of the result.
    ans : Traced or tuple of Traced
        The result; all results of a function that has several.
    args, kwargs
        Of the call, with Traced in place of Refs.
    wanted : set of int
        Numbers of the positional arguments (of a sequence: of its items).

    Yields
    ------
    tuple
        ``(number, cotangent)``.
    """
    function = primitive.func
    if type(g) in (float, complex) and not is_elementwise(primitive):
        g = np.result_type(type(g)).type(g)     # such rules use it as an array
    whole = shape_of(ans[primitive.out] if primitive.out >= 0 else ans)
    if primitive.sequence:
        arrays, args = args[0], args[1:]
        if function in _JOINING and not shape_of(g) and whole:
            shares = [g] * len(arrays)
        else:
            shares = primitive.vjp(_whole(writer, g, ans), ans, arrays, *args, **kwargs)
        for k in sorted(wanted):
            if shares[k] is not None:
                yield k, projected(writer, shares[k], raw_of(arrays[k]))
        return
    elementwise = is_elementwise(primitive)
    logical = whole if elementwise else None
    if not elementwise and shape_of(g) != whole:
        if not shape_of(g) and function in _MOVING:
            yield from ((k, g) for k in wanted & {0})
            return
        if not shape_of(g) and function in _SUMS and kwargs.get("where", True) is True:
            if function is np.mean:
                g = call(writer, np.divide, (g, args[0].size // max(np.prod(whole), 1)), {})
            yield from ((k, g) for k in wanted & {0})
            return
        if function is np.broadcast_to:
            logical = whole
        else:
            g = _whole(writer, g, ans[primitive.out] if primitive.out >= 0 else ans)
    writer.asked = g if type(g) is Traced else None
    for k in sorted(wanted):
        if primitive.vjp is not None:
            c = primitive.vjp(g, ans, k, *args, **kwargs)
        elif k >= len(primitive.vjps):
            raise Unsupported(f"{primitive.name} has no derivative by its argument {k + 1}",
                              writer.place)
        elif primitive.vjps[k] is None:
            continue
        else:
            c = primitive.vjps[k](g, ans, *args, **kwargs)
        if c is None:
            continue
        if primitive.diagonal and c is not g:
            c = _without_nan(writer, function, c, g, k, args)
        yield k, projected(writer, c, raw_of(args[k]), logical)
    writer.asked = None


def _whole(writer, g, ans):
    if shape_of(g) == shape_of(ans) and type(g) is Traced:
        return g
    return expanded(writer, g, ans)


def _without_nan(writer, function, c, g, k, args):
    """What a rule returned, zero where the cotangent is zero (see `guards`)."""
    if writer.guards == "none" or has_bounded_factor(function) or type(c) is not Traced:
        return c
    if writer.has(g, DENSE) or writer.has(g, NONZERO):
        return c
    if function is np.multiply:
        factor = args[1 - k]
        if is_harmless(factor) or getattr(getattr(factor, "dtype", None), "kind", "f") in "biu":
            return c
        if not isinstance(raw_of(factor), (np.ndarray, np.generic)):
            return c
    is_zero = call(writer, operator.eq, (g, 0), {})
    if writer.guards == "singular":
        is_zero = call(writer, np.logical_and, (is_zero, np.isnan(c)), {})
    return call(writer, np.where, (is_zero, 0.0, c), {})


def push(writer, primitive, ans, args, kwargs, tangents):
    """The tangent of the result of a call, in a shape that broadcasts to it; None if it is zero.

    Parameters
    ----------
    writer : Writer
    primitive : Primitive
    ans, args, kwargs
        As for `pull`.
    tangents : dict
        Number of the positional argument (of a sequence: of the item) -> tangent.
    """
    if primitive.sequence:
        arrays, args = args[0], args[1:]
        ts = [tangents[k] if k in tangents else np.zeros(np.shape(raw_of(x)), _dtype_of(x))
              for k, x in enumerate(arrays)]
        return primitive.jvp(ts, ans, arrays, *args, **kwargs)
    total = None
    for k in sorted(tangents):
        t = tangents[k]
        writer.asked = t if type(t) is Traced else None
        if primitive.jvp is not None:
            c = primitive.jvp(t, ans, k, *args, **kwargs)
        elif k >= len(primitive.jvps):
            raise Unsupported(f"{primitive.name} has no derivative by its argument {k + 1}",
                              writer.place)
        elif primitive.jvps[k] is None:
            continue
        else:
            c = primitive.jvps[k](t, ans, *args, **kwargs)
        if c is None:
            continue
        if primitive.diagonal and c is not t:
            c = _without_nan(writer, primitive.func, c, t, k, args)
        total = c if total is None else call(writer, operator.add, (total, c), {})
    writer.asked = None
    return total


def _dtype_of(x):
    raw = raw_of(x)
    return raw.dtype if hasattr(raw, "dtype") else np.dtype(type(raw))
