"""Meanings of the functions of `math` and `cmath`.

Their values, exceptions and warnings are their own; what is active is recorded as a call of the
very function (`hybridad.rules.python`). Vectors (`fsum`, `dist`, ...) become arrays of one axis.
"""

import cmath
import functools
import math

import numpy as np

from hybridad._record import active, is_wrapper, raw_of, record, record_outputs
from hybridad.recording.arraylike import convert as as_array
from hybridad.recording.calls import check_call
from hybridad.recording.lines import at_users_line
from hybridad.recording.runtime.operands import as_complex, as_float, judged, lift, natively, own
from hybridad.rules.declare import PRIMITIVES

__all__ = ["MEANINGS"]


def _number(site, x, convert=float):
    """An argument; in the place of a user's object what its ``__float__`` gives."""
    names = ("__complex__", "__float__") if convert is complex else ("__float__",)
    for name in names:
        method = own(x, name)
        if method is not None:
            result = site.call(method, x)
            value = judged(convert, name, x, result)
            if not active(result):
                return value
            return as_float(result) if convert is float else as_complex(result)
    return x


def _call(site, function, args, kwargs, convert=float):
    """The plain result, and the arguments with users' objects replaced."""
    args = tuple([_number(site, x, convert) for x in args])
    raws = tuple(map(raw_of, args))
    if kwargs or not all(type(raw) is float or type(raw) is int for raw in raws):
        return at_users_line(function, raws, {k: raw_of(v) for k, v in kwargs.items()}), args
    return function(*raws), args


def _real(function):
    """Arguments are converted to floats; the result is a float."""
    primitive = PRIMITIVES[function]

    def meaning(site, *args, **kwargs):
        ans, args = _call(site, function, args, kwargs)
        if not any(map(active, args)):
            return ans
        operands = tuple([x if type(x) is int else as_float(x) for x in args])
        check_call(primitive, operands, {})
        if primitive.outs is None:
            return record(primitive, ans, operands, None)
        return record_outputs(primitive, ans, operands, None)

    return meaning


def _complex(function):
    """As `_real`, for functions that convert to complex numbers."""
    primitive = PRIMITIVES[function]

    def meaning(site, *args, **kwargs):
        ans, args = _call(site, function, args, kwargs, complex)
        if not any(map(active, args)):
            return ans
        operands = tuple(map(as_complex, args))
        if primitive.outs is None:
            return record(primitive, ans, operands, None)
        return record_outputs(primitive, ans, operands, None)

    return meaning


def _deciding(function, kind, method=None):
    """The result is an int or a bool: a decision."""

    def meaning(site, *args, **kwargs):
        if method is not None and len(args) == 1 and own(args[0], method) is not None:
            return site.call(own(args[0], method), args[0])
        ans, args = _call(site, function, args, kwargs)
        if any(map(is_wrapper, (*args, *kwargs.values()))):
            site.guard(kind, ans)
        return ans

    return meaning


def _constant(function):
    """The derivative is zero."""

    def meaning(site, *args, **kwargs):
        return _call(site, function, args, kwargs)[0]

    return meaning


def _whole(function):
    """The function is of integers, and says so of anything else."""

    def meaning(site, *args, **kwargs):
        return natively(function, args, kwargs)

    return meaning


def _frexp(site, x, /):
    ans = _real(math.frexp)(site, x)
    if is_wrapper(x):
        site.guard("int", ans[1])
    return ans


def _ldexp(site, x, i, /):
    ans, (x,) = _call(site, lambda x: math.ldexp(x, raw_of(i)), (x,), {})
    return record(PRIMITIVES[math.ldexp], ans, (as_float(x), i), None) if active(x) else ans


def _nextafter(site, x, y, /, **kwargs):
    ans, args = _call(site, math.nextafter, (x, y), kwargs)
    if not any(map(active, args)):
        return ans
    return record(PRIMITIVES[math.nextafter], ans, tuple(map(as_float, args)), None)


# ---- vectors -----------------------------------------------------------------------------------

def _items(site, x):
    """The elements of a vector that is not an array already."""
    if is_wrapper(x) and type(raw_of(x)) is np.ndarray and raw_of(x).ndim == 1:
        return x
    return [_number(site, item) for item in lift(site, x)]


def _raws(items):
    return raw_of(items) if is_wrapper(items) else list(map(raw_of, items))


def _vector(items):
    """The array of floats that a vector is."""
    if is_wrapper(items):
        return items if raw_of(items).dtype == float else items.astype(float)
    items = [as_float(item) for item in items]
    return as_array(items) if any(map(is_wrapper, items)) else np.array(items)


def _any_active(items):
    return active(items) if is_wrapper(items) else any(map(active, items))


def _fsum(site, seq, /):
    items = _items(site, seq)
    ans = at_users_line(math.fsum, (_raws(items),), {})
    if not _any_active(items):
        return ans
    return record(PRIMITIVES[math.fsum], ans, (_vector(items),), None)


def _dist(site, p, q, /):
    p, q = _items(site, p), _items(site, q)
    ans = at_users_line(math.dist, (_raws(p), _raws(q)), {})
    if not _any_active(p) and not _any_active(q):
        return ans
    return record(PRIMITIVES[math.dist], ans, (_vector(p), _vector(q)), None)


def _sumprod(site, p, q, /):
    p, q = list(lift(site, p)), list(lift(site, q))
    raws = _raws(p), _raws(q)
    if len(p) == len(q) and not all(isinstance(x, (int, float, complex, np.generic))
                                    for x in (*raws[0], *raws[1])):
        products = map(site.mul, p, q)
        return at_users_line(functools.reduce, (site.add, products, 0), {})
    ans = at_users_line(math.sumprod, raws, {})
    if not any(map(active, (*p, *q))):
        return ans
    p, q = (as_array(x) if any(map(is_wrapper, x)) else np.array(x) for x in (p, q))
    return record(PRIMITIVES[math.sumprod], ans, (p, q), None)


def _prod(site, iterable, /, *, start=1):
    items = iter(lift(site, iterable))
    if type(raw_of(start)) not in (int, float):
        return at_users_line(functools.reduce, (site.mul, items, start), {})
    numbers, others = [], []
    for item in items:
        if type(raw_of(item)) not in (int, float):
            others.append(item)
            break
        numbers.append(item)
    total = _prod_of_numbers(numbers, start)
    if not others:
        return total
    total = at_users_line(site.mul, (total, others[0]), {})
    return at_users_line(functools.reduce, (site.mul, items, total), {})


def _prod_of_numbers(numbers, start):
    ans = math.prod(map(raw_of, numbers), start=raw_of(start))
    if not active(start) and not any(map(active, numbers)):
        return ans
    factors = numbers if type(start) is int and start == 1 else [start, *numbers]
    return record(PRIMITIVES[math.prod], ans, (as_array(factors),), None)


_REAL = (
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "copysign", "cos", "cosh",
    "degrees", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "fma", "fmod", "gamma", "hypot",
    "lgamma", "log", "log10", "log1p", "log2", "modf", "pow", "radians", "remainder", "sin", "sinh",
    "sqrt", "tan", "tanh")

_WHOLE = ("comb", "factorial", "gcd", "isqrt", "lcm", "perm")

_COMPLEX = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log", "log10",
    "phase", "polar", "sin", "sinh", "sqrt", "tan", "tanh")


MEANINGS = {
    **{getattr(math, name): _real(getattr(math, name)) for name in _REAL if hasattr(math, name)},
    **{getattr(math, name): _whole(getattr(math, name)) for name in _WHOLE},
    **{getattr(cmath, name): _complex(getattr(cmath, name)) for name in _COMPLEX},
    **{function: _deciding(function, "bool") for function in (
        math.isclose, math.isfinite, math.isinf, math.isnan,
        cmath.isclose, cmath.isfinite, cmath.isinf, cmath.isnan)},
    math.floor: _deciding(math.floor, "int", "__floor__"),
    math.ceil: _deciding(math.ceil, "int", "__ceil__"),
    math.trunc: _deciding(math.trunc, "int", "__trunc__"),
    math.ulp: _constant(math.ulp),
    math.frexp: _frexp,
    math.ldexp: _ldexp,
    math.nextafter: _nextafter,
    math.fsum: _fsum,
    math.dist: _dist,
    math.prod: _prod,
    cmath.rect: _real(cmath.rect),
}
"""Function of `math` or `cmath` -> ``meaning(site, *args, **kwargs)``."""

if hasattr(math, "sumprod"):
    MEANINGS[math.sumprod] = _sumprod
