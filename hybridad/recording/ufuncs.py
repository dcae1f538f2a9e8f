"""``__array_ufunc__`` but for plain calls: out=, where=, dtype=, reduce, accumulate, outer, at."""

import sys

import numpy as np

from hybridad._access import record_write
from hybridad._record import active, inactive, is_wrapper, raw_of, record, record_outputs
from hybridad._run import run_in_progress
from hybridad.recording.arraylike import as_array, plain
from hybridad.recording.calls import call, check_call, first_wrapper, frozen, write_out
from hybridad.recording.lines import at_users_line
from hybridad.recording.ownership import is_entered
from hybridad.recording.refusals import check_kind, lost, missing, unsupported
from hybridad.rules.declare import PRIMITIVES
from hybridad.rules.indexing import last_writes

__all__ = ["overridden", "ufunc_method"]

_REDUCTIONS = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min}
_ACCUMULATIONS = {np.add: np.cumsum, np.multiply: np.cumprod}
_INDEXED = ("at", "reduceat")


def ufunc_method(ufunc, method, inputs, kwargs):
    """Serve a ufunc call on wrappers.

    Parameters
    ----------
    ufunc : numpy.ufunc
    method : {"__call__", "reduce", "accumulate", "reduceat", "outer", "at"}
    inputs : tuple
    kwargs : dict
        As NumPy hands them over: ``out`` is a tuple.
    """
    by_another = overridden(ufunc, method, inputs, kwargs)
    if by_another is not NotImplemented:
        return by_another
    known = PRIMITIVES.get(ufunc)
    decides = known is not None and known.kind == "constant"    # may be asked of anything
    inputs = tuple(x if k == 1 and method in _INDEXED else as_array(x) if decides else _operand(x)
                   for k, x in enumerate(inputs))
    kwargs = dict(kwargs)
    out = kwargs.pop("out", None)
    if out is not None and len(out) == 1:
        out = out[0]
    return _METHODS[method](ufunc, inputs, kwargs, out)


def overridden(ufunc, method, inputs, kwargs):
    """What the ``__array_ufunc__`` of a class of the user's gives, or NotImplemented without one.

    Plain arrays and numbers have none that NumPy would ask before it.
    """
    for x in inputs:
        override = None if is_wrapper(x) else getattr(type(x), "__array_ufunc__", None)
        if override is not None and is_entered(override):
            result = _through_site(override, x, ufunc, method, *inputs, **kwargs)
            if result is not NotImplemented:
                return result
    return NotImplemented


def _through_site(function, *args, **kwargs):
    """Call a function of the user's in recording form, if a run is in progress."""
    run = run_in_progress()
    if run is None or run.tape.site is None:
        return function(*args, **kwargs)
    return run.tape.site.call(function, *args, **kwargs)


def _operand(x):
    """An operand as it can be recorded; other kinds of arrays are refused by name."""
    x = as_array(x)
    check_kind(x)
    if is_wrapper(x) or isinstance(x, (np.ndarray, np.generic, int, float, complex)):
        return x
    show = getattr(type(x), "__array__", None)
    if is_entered(show):
        return _operand(_through_site(show, x))
    try:
        made = np.asarray(x)  # a range, a memoryview, ...
    except (TypeError, ValueError):
        return x
    if made.dtype.kind not in "biufc":
        return x
    run = run_in_progress()
    return made if run is None else run.wrap(made)


def primitive_of(ufunc):
    """The primitive of a ufunc, or None; the rules of scipy.special load when it is in use."""
    primitive = PRIMITIVES.get(ufunc)
    if primitive is None and "scipy.special" in sys.modules:
        import hybridad.rules.scipy_special  # noqa: F401

        primitive = PRIMITIVES.get(ufunc)
    return primitive


def _primitive(ufunc, operands):
    primitive = primitive_of(ufunc)
    if primitive is None and any(active(x) for x in operands):
        missing(ufunc.__name__)
    return primitive


def _call(ufunc, inputs, kwargs, out):
    primitive = _primitive(ufunc, inputs)
    raws = tuple(raw_of(x) for x in inputs)
    kwargs = plain(kwargs)
    where = kwargs.get("where", True)
    # Of the keywords only those of generalized ufuncs say what is computed.
    static = {k: v for k, v in kwargs.items() if k in ("axis", "axes", "keepdims")}
    check_call(primitive, inputs, static)
    if static.get("keepdims") or "axes" in static:
        return _call_generalized(ufunc, inputs, kwargs, out)
    if isinstance(out, tuple):
        return _call_outputs_into(ufunc, inputs, kwargs, out)
    if out is not None:
        return write_out(primitive, inputs, static, out,
                         lambda target: at_users_line(ufunc, raws, {**kwargs, "out": target}),
                         None if where is True else where)
    if where is not True and primitive is not None and primitive.kind != "constant":
        target = inactive(first_wrapper(inputs), at_users_line(ufunc, raws, kwargs))
        if not is_wrapper(target):
            return target
        # Already computed; what the mask leaves out has no derivative.
        return write_out(primitive, inputs, None, target, lambda target: None, where)
    ans = at_users_line(ufunc, raws, kwargs)
    if primitive is None:
        return _inactive(inputs, ans)
    if isinstance(ans, tuple):
        return record_outputs(primitive, ans, inputs, static) if primitive.outs else ans
    return record(primitive, ans, inputs, static)


def _inactive(inputs, ans):
    wrapper = first_wrapper(inputs)
    if type(ans) is tuple:
        return tuple(_inactive(inputs, x) for x in ans)
    return ans if wrapper is None else inactive(wrapper, ans)


def _call_generalized(ufunc, inputs, kwargs, out):
    """A call with ``keepdims=True`` or ``axes=``."""
    if not any(map(active, inputs)):
        kwargs = kwargs if out is None else {**kwargs, "out": plain(out)}
        return _inactive(inputs, at_users_line(ufunc, tuple(map(raw_of, inputs)), kwargs))
    if "axes" in kwargs or out is not None:
        unsupported(f"{ufunc.__name__} with axes= or keepdims=", "Move the axes with np.moveaxis.")
    kwargs = {k: v for k, v in kwargs.items() if k != "keepdims"}
    return np.expand_dims(_call(ufunc, inputs, kwargs, None), kwargs.get("axis", -1))


def _call_outputs_into(ufunc, inputs, kwargs, out):
    if any(map(active, inputs)):
        unsupported(f"{ufunc.__name__} with several out= arrays", "Leave out= away.")
    results = at_users_line(ufunc, tuple(map(raw_of, inputs)), kwargs)
    for target, result in zip(out, results):
        if target is not None:
            target[...] = result
    return tuple(result if target is None else target for target, result in zip(out, results))


def _reduce(ufunc, inputs, kwargs, out):
    return _along(ufunc, "reduce", _REDUCTIONS, inputs, kwargs, out)


def _accumulate(ufunc, inputs, kwargs, out):
    return _along(ufunc, "accumulate", _ACCUMULATIONS, inputs, kwargs, out)


def _along(ufunc, method, primitives, inputs, kwargs, out):
    """A reduction or accumulation: by its own rule, if it has one, else call after call."""
    (x,) = inputs
    plainly = lambda raw, **options: at_users_line(getattr(ufunc, method), (raw,), options)
    kwargs = {"axis": 0, **{k: v for k, v in kwargs.items() if v is not np._NoValue}}
    if ufunc in primitives:
        kwargs |= {} if out is None else {"out": out}
        return call(PRIMITIVES[primitives[ufunc]], plainly, (x,), kwargs)
    primitive = _primitive(ufunc, inputs)
    kwargs = plain(kwargs)
    if primitive is None or primitive.kind == "constant" or not active(x):
        if out is not None:
            return write_out(None, (), None, out,
                             lambda target: plainly(raw_of(x), **kwargs, out=target))
        return _inactive(inputs, plainly(raw_of(x), **kwargs))
    if out is not None or set(kwargs) - {"axis", "keepdims"}:
        unsupported(f"{ufunc.__name__}.{method} with {', '.join(kwargs)}", "Write the loop.")
    expected = plainly(raw_of(x), **kwargs)
    with np.errstate(all="ignore"):
        ans = _folded(ufunc, method, x, **kwargs)
    # NumPy's vectorized loops may compute something else (its power.reduce does).
    found = raw_of(ans)
    if not np.array_equal(found, expected, equal_nan=True) or np.any(
            np.signbit(np.real(found)) != np.signbit(np.real(expected))):
        unsupported(f"{ufunc.__name__}.{method}", "Write the loop.")
    return ans


def _folded(ufunc, method, x, axis, keepdims=False):
    if not isinstance(axis, (int, np.integer)):
        unsupported(f"{ufunc.__name__} over axis {axis}", "Reduce one axis after the other.")
    moved = np.moveaxis(x, axis, 0)
    rows = [moved[k] for k in range(len(moved))]
    for k in range(1, len(rows)):
        rows[k] = ufunc(rows[k - 1], rows[k])
    if method == "accumulate":
        return np.stack(rows, axis)
    return np.expand_dims(rows[-1], axis) if keepdims else rows[-1]


def _outer(ufunc, inputs, kwargs, out):
    if out is not None:
        unsupported(f"{ufunc.__name__}.outer with out=", "Leave out= away.")
    a, b = (x if isinstance(x, (np.ndarray, np.generic)) else np.copy(x) for x in inputs)
    a = np.reshape(a, np.shape(a) + (1,) * np.ndim(b))
    return at_users_line(ufunc, (a, b), kwargs)


def _at(ufunc, inputs, kwargs, out):
    target, index, *values = inputs
    index = (None,) if index is None else frozen(plain(index))    # None is a new axis here
    perform = lambda: at_users_line(
        ufunc.at, (raw_of(target), index, *map(raw_of, values)), {})
    if not is_wrapper(target):
        for v in values:
            if active(v):
                lost(v, "a plain array (ufunc.at on a plain array)")
        return perform()
    raw = raw_of(target)
    if ufunc in (np.add, np.subtract):
        value = values[0] if ufunc is np.add else np.negative(values[0])
        return record_write(target, raw, index, None, (value,), None, perform, adds=True)
    if not (active(target) or any(map(active, values))):
        return perform()
    if last_writes(raw.shape, index) is not None:
        unsupported(f"{ufunc.__name__}.at with repeated indices", "Write the loop.")
    with np.errstate(all="ignore"):
        value = ufunc(target[index], *values)
    return record_write(target, raw, index, None, (value,), None, perform)


def _reduceat(ufunc, inputs, kwargs, out):
    if any(map(active, inputs)):
        unsupported(f"{ufunc.__name__}.reduceat", "Reduce the slices one by one.")
    kwargs = {**plain(kwargs), "out": plain(out)}
    return _inactive(inputs, at_users_line(ufunc.reduceat, tuple(map(plain, inputs)), kwargs))


_METHODS = {
    "__call__": _call,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "outer": _outer,
    "at": _at,
    "reduceat": _reduceat,
}
