"""NumPy's loops over functions of the user: `np.vectorize`, `np.fromiter`, `np.piecewise`, ...

The functions are called through the site, so that they run in their recording form, with the
numbers that NumPy would give them, in its order and as often.
"""

import functools
import itertools

import numpy as np

from hybridad._record import active, is_wrapper, raw_of
from hybridad.recording.arraylike import as_array, convert, holds_wrapper, plain
from hybridad.recording.functions import array_function
from hybridad.recording.lines import at_users_line
from hybridad.recording.runtime.conversion import converted_from
from hybridad.rules.declare import PRIMITIVES

__all__ = ["CALL_MEANINGS", "MEANINGS", "METHOD_MEANINGS", "call_of_python", "is_of_python"]


# np.vectorize


def _vectorized(site, vectorized, *args, **kwargs):
    """A call of an object of `np.vectorize`, as its own ``__call__`` goes about it."""
    if vectorized.pyfunc is np._NoValue:       # the decorator with arguments
        return vectorized(*args, **kwargs)
    function, args = _without_excluded(site, vectorized, args, kwargs)
    args = [convert(x) for x in args]
    if vectorized.signature is not None:
        return _with_signature(site, vectorized, function, args)
    if not args:
        return function()
    return _elementwise(site, vectorized, function, args)


def _without_excluded(site, vectorized, args, kwargs):
    """A function of the vectorized arguments alone, and those arguments."""
    call = functools.partial(site.call, vectorized.pyfunc)
    excluded = vectorized.excluded
    if not kwargs and not excluded:
        return call, args
    names = [name for name in kwargs if name not in excluded]
    places = [k for k in range(len(args)) if k not in excluded]
    all_args = list(args)

    def function(*values):
        for k, value in zip(places, values):
            all_args[k] = value
        kwargs.update(zip(names, values[len(places):]))
        return call(*all_args, **kwargs)

    return function, [*(args[k] for k in places), *(kwargs[name] for name in names)]


def _elementwise(site, vectorized, function, args):
    types = vectorized.otypes
    first = []
    if types is None:
        inputs = [_first(x) for x in args]
        results = function(*inputs)
        if vectorized.cache:
            first.append(results)
        many = results if isinstance(results, tuple) else (results,)
        types = [np.asarray(plain(x)).dtype.char for x in many]
    count = len(types)
    seen = []

    def numbered(*values):
        """Call, and leave the number of the call in the place of the result."""
        results = first.pop() if first else function(*values)
        if count > 1 and len(results) != count:
            return results      # raises as NumPy does
        seen.append(results if count > 1 else (results,))
        return (len(seen) - 1,) * count if count > 1 else len(seen) - 1

    loop = np.frompyfunc(numbered, len(args), count)
    numbers = at_users_line(loop, tuple(map(_objects, args)), {})
    made = tuple(
        _gathered(site, number, [results[k] for results in seen], type_)
        for k, (number, type_) in enumerate(zip(numbers if count > 1 else (numbers,), types)))
    return made if count > 1 else made[0]


def _first(x):
    """The first element, as a number of NumPy's."""
    raw = np.asarray(raw_of(x))
    if raw.size == 0:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    if not active(x):
        return raw.flat[0]
    return np.ravel(x)[0]


def _objects(x):
    """An array of objects: Python's numbers, recorded ones where `x` is active."""
    raw = raw_of(x)
    made = np.asanyarray(raw, dtype=object)
    if active(x):
        if not isinstance(raw, np.ndarray):
            # A number is given to the function as it is.
            made = np.empty((), dtype=object)
            made[()] = x
            return made
        for index in np.ndindex(made.shape):
            made[index] = x[index].item() if index else x.item()
    return made


def _gathered(site, numbers, results, type_):
    """The array of results, which stand in the order of their calls."""
    numbers = np.asarray(numbers, dtype=object)
    raws = np.empty_like(numbers)
    if np.dtype(type_).hasobject and numbers.ndim:
        for index in np.ndindex(numbers.shape):
            raws[index] = results[numbers[index]]
        return raws
    for index in np.ndindex(numbers.shape):
        raws[index] = plain(results[numbers[index]])
    ans = np.asanyarray(raws, dtype=type_)
    parts = [results[k] for k in numbers.flat]
    if not any(map(holds_wrapper, parts)):
        return site.lift_fresh(ans)
    return converted_from(parts, ans, dtype=ans.dtype, casting="unsafe")


def _with_signature(site, vectorized, function, args):
    """NumPy's own loop runs on the plain values, and the function on wrappers beside it."""
    loops, seen = [], []

    def beside(*values):
        if not loops:       # NumPy has found the arguments to be in order
            loops.append(_rows(vectorized, args))
        places, rows, _ = loops[0]
        place = next(places)
        results = function(*(value if x is None else x[place] for x, value in zip(rows, values)))
        seen.append(results if isinstance(results, tuple) else (results,))
        return plain(results)

    loop = np.vectorize(beside, otypes=vectorized.otypes, signature=vectorized.signature)
    answers = at_users_line(loop, tuple(map(plain, args)), {})
    many = answers if isinstance(answers, tuple) else (answers,)
    depth = loops[0][2] if loops else 0
    made = tuple(_stacked(site, [results[k] for results in seen], ans, depth)
                 for k, ans in enumerate(many))
    return made if isinstance(answers, tuple) else made[0]


def _rows(vectorized, args):
    """The places of the calls in order, the active arguments broadcast, and the loop's depth."""
    core = [np.ndim(x) - len(dims)
            for x, dims in zip(args, vectorized._in_and_out_core_dims[0])]
    shape = np.broadcast_shapes(*(np.shape(x)[:n] for x, n in zip(args, core)))
    rows = [np.broadcast_to(x if np.ndim(x) else np.copy(x), shape + np.shape(x)[n:])
            if is_wrapper(x) else None for x, n in zip(args, core)]
    return np.ndindex(*shape), rows, len(shape)


def _stacked(site, results, ans, depth):
    if not any(map(holds_wrapper, results)):
        return site.lift_fresh(ans)
    core = ans.shape[depth:]
    parts = [convert(x) for x in results]
    parts = [x if np.shape(raw_of(x)) == core else np.broadcast_to(x, core) for x in parts]
    return converted_from(parts, ans, dtype=ans.dtype, casting="unsafe")


# np.frompyfunc: what NumPy calls is the recording form; the results are objects


def _frompyfunc(site, function, *args, **kwargs):
    return np.frompyfunc(site.form(function), *args, **kwargs)


def call_of_python(site, ufunc, *args, **kwargs):
    """Call a ufunc of `np.frompyfunc` on values being recorded; the results are objects.

    Parameters
    ----------
    site : Site
    ufunc : numpy.ufunc
        One for which `is_of_python` holds.
    *args, **kwargs
        Its arguments.
    """
    args = tuple(_objects(x) if is_wrapper(x) else x for x in map(convert, args))
    return at_users_line(ufunc, args, plain(kwargs))


def is_of_python(ufunc):
    """Whether a ufunc, as of `np.frompyfunc`, works on objects alone."""
    return ufunc not in PRIMITIVES and ufunc.types == ["O" * ufunc.nin + "->" + "O" * ufunc.nout]


def _fill(site, x, value):
    """``x.fill(value)``, which an array of objects takes as it is."""
    if not x.dtype.hasobject:
        return x.fill(value)
    site.set_item(value, x, Ellipsis)
    return None


def _astype(site, x, dtype, *args, **kwargs):
    """``x.astype(dtype)`` of an array of objects, some of which are wrappers."""
    if x.dtype.hasobject and any(map(is_wrapper, x.flat)):
        raw = np.empty_like(x)
        for index in np.ndindex(x.shape):
            raw[index] = raw_of(x[index])
        ans = at_users_line(raw.astype, (dtype, *args), kwargs)
        return converted_from([*x.flat], ans, dtype=ans.dtype, casting="unsafe")
    return site.lift_fresh(x.astype(dtype, *args, **kwargs))


# Functions of NumPy that take a function


def _apply_along_axis(site, func1d, axis, arr, *args, **kwargs):
    ans = array_function(np.apply_along_axis, (site.form(func1d), axis, _input(site, arr), *args),
                         kwargs)
    return ans if is_wrapper(ans) else site.lift_fresh(ans)


def _apply_over_axes(site, func, a, axes):
    return array_function(np.apply_over_axes, (site.form(func), _input(site, a), axes), {})


def _piecewise(site, x, condlist, funclist, *args, **kw):
    functions = [site.form(f) if callable(f) and not is_wrapper(f) else f for f in funclist]
    return array_function(np.piecewise, (_input(site, x), condlist, functions, *args), kw)


def _input(site, x):
    """An array whose parts the functions will see as those of the run in progress."""
    x = as_array(x)
    return x if is_wrapper(x) else site.lift_fresh(np.array(x, order="K"))


def _fromiter(site, iter, dtype, count=-1, **kwargs):
    found = _first_of(site.iter(iter), count)
    ans = at_users_line(np.fromiter, (plain(found), dtype, count), plain(kwargs))
    if not holds_wrapper(found):
        return site.lift_fresh(ans)
    return converted_from(found, ans, dtype=ans.dtype, casting="unsafe")


def _first_of(values, count):
    """The first `count` values, or all of them for -1; no more is taken from an iterator."""
    return list(values) if count < 0 else list(itertools.islice(values, count))


def _fromfunction(site, function, shape, *, dtype=float, like=None, **kwargs):
    indices = site.lift_fresh(at_users_line(np.indices, (shape,), {"dtype": dtype}))
    return site.call(function, *(indices[k] for k in range(len(indices))), **kwargs)


MEANINGS = {
    np.apply_along_axis: _apply_along_axis,
    np.apply_over_axes: _apply_over_axes,
    np.frompyfunc: _frompyfunc,
    np.fromfunction: _fromfunction,
    np.fromiter: _fromiter,
    np.piecewise: _piecewise,
}
"""Functions of NumPy that call the user's: callable -> handler(site, *args, **kwargs)."""

CALL_MEANINGS = {np.vectorize: _vectorized}
"""Objects that are called: type -> handler(site, object, *args, **kwargs)."""

METHOD_MEANINGS = {(np.ndarray, "astype"): _astype, (np.ndarray, "fill"): _fill}
"""Bound methods: (type, name) -> handler(site, object, *args, **kwargs)."""
