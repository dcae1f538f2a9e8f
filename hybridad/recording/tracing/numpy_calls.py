"""NumPy's functions and methods in a trace run: operations, writes, or looks at what is static."""

import numpy as np

from hybridad.recording.calls import is_operand
from hybridad.recording.lines import at_users_line
from hybridad.recording.tracing.encoding import arrays_in, encode, has_known
from hybridad.recording.tracing.flat import Flat
from hybridad.recording.tracing.operations import is_users
from hybridad.recording.tracing.outputs import by_name, deciding, overwrites
from hybridad.recording.tracing.reads import read
from hybridad.recording.tracing.values import Dynamic, bare, is_a
from hybridad.rules.declare import PRIMITIVES
from hybridad.trace.ir import Method

__all__ = ["attribute", "call", "method", "ufunc_method"]

# What only shapes and types tell.
_STATIC = {np.shape, np.ndim, np.size, np.result_type, np.can_cast, np.promote_types,
           np.iscomplexobj,
           np.isrealobj, np.broadcast_shapes, np.isscalar, np.issubdtype, np.dtype, np.finfo,
           np.iinfo, np.min_scalar_type, np.common_type, np.mintypecode}
_WRITERS = {np.copyto: ("dst", "src"), np.put: ("a", "ind", "v"), np.place: ("arr", "mask", "vals"),
            np.putmask: ("a", "mask", "values"), np.fill_diagonal: ("a", "val"),
            np.put_along_axis: ("arr", "indices", "values", "axis")}
# What shows memory of which nobody knows whose it is.
_SHOWING = {np.frombuffer, np.from_dlpack, np.lib.stride_tricks.as_strided}
_CALLING = {np.apply_along_axis, np.apply_over_axes, np.piecewise, np.fromfunction, np.vectorize,
            np.fromiter, np.frompyfunc}
_OUTSIDE = {"save", "savez", "savetxt", "load", "loadtxt", "genfromtxt", "fromfile",
            "savez_compressed", "set_printoptions", "seterr", "seterrcall", "setbufsize", "geterr"}
# The shape of the result depends on values.
_COUNTING = {np.nonzero, np.flatnonzero, np.argwhere, np.unique, np.extract, np.compress,
             np.trim_zeros, np.union1d, np.intersect1d, np.setdiff1d, np.setxor1d, np.repeat,
             np.arange, np.linspace, np.delete, np.insert, np.bincount, np.histogram}
# Where the shape of what is made stands among the arguments, and by what name.
_SHAPED = {
    np.zeros: (slice(1), ("shape",)), np.ones: (slice(1), ("shape",)),
    np.empty: (slice(1), ("shape",)), np.full: (slice(1), ("shape",)),
    np.eye: (slice(3), ("N", "M", "k")), np.identity: (slice(1), ("n",)),
    np.arange: (slice(3), ("start", "stop", "step")), np.linspace: (slice(2, 3), ("num",)),
    np.tri: (slice(3), ("N", "M", "k")), np.tile: (slice(1, 2), ("reps",)),
    np.repeat: (slice(1, 2), ("repeats",)), np.broadcast_to: (slice(1, 2), ("shape",)),
}
_VIEW_ATTRIBUTES = {"T", "mT", "real", "imag"}
_WRITING_METHODS = {"fill", "put", "itemset", "partition", "sort", "resize", "setfield", "setflags",
                    "byteswap"}
_UNKNOWN_METHODS = {"tofile", "dump", "dumps", "tobytes", "view", "getfield", "__array__",
                    "__setitem__", "__iadd__", "__reduce__", "__setstate__", "data", "ctypes"}


def call(site, run, f, args, kwargs):
    """A function of NumPy or SciPy."""
    recorder = run.recorder
    if f in _STATIC:
        args = [_opened(site, run, x) for x in args]
        return f(*args, **{k: _opened(site, run, x) for k, x in kwargs.items()})
    module = getattr(f, "__module__", None) or ""
    if module.startswith("numpy.random") or (f.__name__ in _OUTSIDE and module.startswith("numpy")):
        return run.foreign(site, f, args, kwargs)
    if f in _CALLING or any(type(x).__name__ == "function" for x in args):
        recorder.refuse(f"np.{f.__name__} calls functions", site)
    if f in _SHOWING and has_known(recorder, (args, kwargs)):
        recorder.refuse(f"np.{f.__name__}", site)
    if f in _SPLITS and type(args[0]) is np.ndarray and not has_known(run.recorder, (
            args[1:], kwargs)):
        return _split(site, run, f, args, kwargs)
    if f in _WRITERS:
        return _write(site, run, f, args, kwargs)
    if type(f) is not np.ufunc:
        args, kwargs = by_name(f, args, kwargs)
        if f is np.nan_to_num and len(args) == 1 and type(args[0]) is np.ndarray \
                and not kwargs.pop("copy", True):
            site.set_item(_apply(site, run, f, args, kwargs), args[0], ...)
            return args[0]
        if overwrites(f, args, kwargs):
            recorder.refuse(f"{f.__name__} writes into its arguments", site)
    out = kwargs.pop("out", None)
    if type(f) is np.ufunc and len(args) > f.nin:
        out, args = args[f.nin:], args[:f.nin]
    if out is not None:
        return _into(site, run, f, args, kwargs, out)
    return _apply(site, run, f, args, kwargs)


def _opened(site, run, x):
    """What only its shape and type are asked of; lists from outside as what is in them."""
    if is_a(x, (list, tuple)):
        return type(x)([_opened(site, run, item) for item in run.as_local(site, x)]) \
            if type(x) in (list, tuple) else x
    return run.settled(site, x) if type(x) is Dynamic else x


def _split(site, run, f, args, kwargs):
    """``np.split(x, ...)``: slices."""
    x = args[0]
    parts = at_users_line(f, args, kwargs)
    axis = {np.hsplit: 1 if x.ndim > 1 else 0, np.vsplit: 0, np.dsplit: 2}.get(f)
    if axis is None:
        axis = (args[2] if len(args) > 2 else kwargs.get("axis", 0)) % x.ndim
    start, made = 0, []
    for part in parts:
        stop = start + part.shape[axis]
        made.append(site.item(x, (slice(None),) * axis + (slice(start, stop),)))
        start = stop
    if any(a.shape != b.shape for a, b in zip(made, parts)):
        run.recorder.refuse(f"{f.__name__} of overlapping parts", site)
    return made


def _tolist(site, x, index=()):
    """``x.tolist()``: Python's numbers, one after the other."""
    if len(index) == x.ndim:
        return site.call(x.item, *index)
    return [_tolist(site, x, (*index, k)) for k in range(x.shape[len(index)])]


_SPLITS = (np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit)


def _apply(site, run, f, args, kwargs):
    recorder = run.recorder
    if any(run.is_foreign_object(x) or (is_users(x) and recorder.is_known(x))
           for x in (*args, *kwargs.values())):
        recorder.refuse(f"{f.__name__} of an object", site)
    args = tuple([_listed(site, run, x) for x in args])
    args = tuple([_apply(site, run, np.array, (x,), {}) if type(x) in (list, tuple)
                  and (type(f) is np.ufunc or is_operand(PRIMITIVES.get(f), k)) else x
                  for k, x in enumerate(args)])   # before a rule sees them, lists are arrays
    kwargs = {k: run.as_local(site, x) for k, x in kwargs.items()}
    args, kwargs = _with_settled_shape(site, run, f, args, kwargs)
    args, kwargs = _settled_options(site, run, f, args, kwargs)
    encoded = encode(recorder, args), encode(recorder, kwargs)
    made = recorder.compute(
        site, f, *encoded, lambda: at_users_line(f, tuple(map(bare, args)),
                                                 {k: bare(x) for k, x in kwargs.items()}),
        arrays_in((args, kwargs)))
    _guard_shape(site, run, f, args, kwargs, made)
    return made


def _listed(site, run, x):
    """A container as NumPy is given it: one of the run's own, ranges as lists."""
    if type(x) is range:
        run.settle_range(site, x)
        return list(x)
    return run.as_local(site, x)


def _with_settled_shape(site, run, f, args, kwargs):
    """Ints that say how large an array is to be are decided: it is another array otherwise."""
    place, names = _SHAPED.get(f, (None, ())) if type(f) is not np.ufunc else (None, ())
    if place is None:
        return args, kwargs
    args = list(args)
    args[place] = [_settled_ints(site, run, x) for x in args[place]]
    return tuple(args), {k: _settled_ints(site, run, x) if k in names else x
                         for k, x in kwargs.items()}


def _settled_options(site, run, f, args, kwargs):
    """Ints on which it depends what is done, and not only with what, are decided."""
    if type(f) is np.ufunc or not any(_is_traced_int(run.recorder, x)
                                      for x in (*args, *kwargs.values())):
        return args, kwargs
    which = deciding(f, args, kwargs)
    return tuple([_settled_ints(site, run, x) if k in which else x for k, x in enumerate(args)]), \
        {k: _settled_ints(site, run, x) if k in which else x for k, x in kwargs.items()}


def _settled_ints(site, run, x):
    if type(x) is tuple or type(x) is list:
        return type(x)([_settled_ints(site, run, item) for item in x])
    return run.settled(site, x) if _is_traced_int(run.recorder, x) else x


def _guard_shape(site, run, f, args, kwargs, made):
    recorder = run.recorder
    depends = f in _COUNTING or (f is np.where and len(args) == 1) or (
        f in _SPLITS and has_known(recorder, (args[1:], kwargs)))
    if not depends and type(f) is not np.ufunc:
        depends = any(_is_traced_int(recorder, x) for x in (*args, *kwargs.values()))
    if depends and has_known(recorder, (args, kwargs)):
        if type(made) is list:
            run.settle_length(site, made)
        for x in made if is_a(made, (tuple, list)) else (made,):
            if type(x) is np.ndarray:
                recorder.decide(site, x, "shape", x.shape)


def _is_traced_int(recorder, x):
    if type(x) is tuple or type(x) is list:
        return any(_is_traced_int(recorder, item) for item in x)
    return is_a(x, (Dynamic, np.integer)) and recorder.is_known(x)


def _into(site, run, f, args, kwargs, out):
    """``f(..., out=a)``: the result is written into `a`."""
    out = out if type(out) is tuple else (out,)
    where = kwargs.get("where", True)
    if len(out) != 1 or type(out[0]) is not np.ndarray or where is not True \
            or kwargs.get("casting", "same_kind") != "same_kind":
        run.recorder.refuse(f"{f.__name__} with several or masked outputs", site)
    (target,) = out
    if not np.can_cast(np.result_type(*[x for x in args if type(x) is np.ndarray], target),
                       target.dtype, "same_kind"):
        run.recorder.refuse("an output of another type", site)
    try:
        value = _apply(site, run, f, args, kwargs)
    except FloatingPointError:      # NumPy has written into the array by then
        run.recorder.refuse("a floating-point error in a call with out=", site)
    site.set_item(value, target, ...)
    return target


def _write(site, run, f, args, kwargs):
    names = _WRITERS[f][len(args):]
    args = (*args, *[kwargs.pop(name) for name in names if name in kwargs])
    if len(args) < 2 or type(args[0]) is not np.ndarray:
        run.recorder.refuse(f"{f.__name__} into something else", site)
    target, *rest = args
    rest = [run.as_local(site, x) for x in rest]
    if f is np.copyto and len(rest) == 1 and not kwargs and type(rest[0]) is np.ndarray \
            and np.can_cast(rest[0].dtype, target.dtype, "same_kind"):
        site.set_item(rest[0], target, ...)
        return None
    _writing(site, run, target, f, rest, kwargs, lambda: at_users_line(f, args, kwargs))
    return None


def _writing(site, run, target, name, rest, kwargs, perform):
    recorder = run.recorder
    encoded = encode(recorder, tuple(rest)), encode(recorder, kwargs)
    run.before_write(site, target)
    perform()
    recorder.written(site, target, name, *encoded)


def method(site, run, own, name, args, kwargs):
    """A method of an array or of a number."""
    recorder = run.recorder
    if name == "fill" and len(args) == 1 and type(own) is np.ndarray:
        site.set_item(args[0], own, ...)
        return None
    if name == "put" and type(own) is np.ndarray:
        return call(site, run, np.put, (own, *args), kwargs)
    if name in ("sort", "partition") and type(own) is np.ndarray:
        function = np.sort if name == "sort" else np.partition
        site.set_item(call(site, run, function, (own, *args), kwargs), own, ...)
        return None
    if name == "tolist" and type(own) is np.ndarray and recorder.is_known(own):
        return _tolist(site, own)
    if name in _UNKNOWN_METHODS or name not in dir(type(own)):
        recorder.refuse(f"the method {name}", site)
    if name in _WRITING_METHODS:
        return _writing(site, run, own, Method(name), args, kwargs,
                        lambda: getattr(own, name)(*args, **kwargs))
    if not recorder.is_known(own) and not has_known(recorder, (args, kwargs)):
        if type(own) is np.ndarray:
            recorder.refuse("an array of unknown origin", site)
        return getattr(own, name)(*args, **kwargs)
    args, kwargs = by_name(name, args, kwargs)
    out = kwargs.pop("out", None)
    args = tuple([run.as_local(site, x) for x in args])
    kwargs = {k: run.as_local(site, x) for k, x in kwargs.items()}
    args, kwargs = _settled_options(site, run, name, args, kwargs)
    encoded = encode(recorder, (own, *args)), encode(recorder, kwargs)
    made = recorder.compute(
        site, Method(name), *encoded,
        lambda: at_users_line(getattr(own, name), tuple(map(bare, args)), kwargs),
        arrays_in((own, args)))
    _guard_shape(site, run, Method(name) if name not in ("nonzero", "repeat", "compress")
                 else np.nonzero, args, kwargs, made)
    if out is not None:
        site.set_item(made, out, ...)
        return out
    return made


def ufunc_method(site, run, own, f, args, kwargs):
    """``np.add.reduce(...)``, ``np.add.at(...)``"""
    if f.__name__ == "at":
        target, *rest = args
        if type(target) is not np.ndarray:
            run.recorder.refuse(f"{own.__name__}.at of something else", site)
        rest = [site._local_index(run, rest[0]),
                *[site.call(np.array, x) if type(x) in (list, tuple) else x for x in rest[1:]]]
        args = target, *rest
        _writing(site, run, target, f, rest, kwargs, lambda: at_users_line(f, args, kwargs))
        return None
    if kwargs.get("out") is not None:
        run.recorder.refuse(f"{own.__name__}.{f.__name__} with out=", site)
    kwargs = {k: _settled_ints(site, run, v) if k == "axis" else v
              for k, v in kwargs.items() if k != "out"}
    if f.__name__ in ("reduce", "accumulate", "reduceat") and len(args) > 1:
        args = (args[0], *[_settled_ints(site, run, x) for x in args[1:]])
    return _apply(site, run, f, args, kwargs)


def attribute(site, run, o, name):
    """``a.name`` of an array or a number."""
    recorder = run.recorder
    if name in _VIEW_ATTRIBUTES and recorder.is_known(o):
        return recorder.apply(site, Method(name), (recorder.ref(o),), {}, getattr(o, name),
                              arrays_in(o))
    if name == "flat":
        return Flat(run, o)
    known = recorder.array_of(o)
    if name in ("flags", "base", "strides") and known is not None and known.memory.outside:
        return read(recorder, site, "attribute", (recorder.ref(o), name), getattr(o, name))
    if name in ("data", "ctypes"):
        recorder.refuse(f"the attribute {name}", site)
    return getattr(o, name)


def truth(site, run, x):
    """``bool(x)`` of an array or a number that is known."""
    outcome = bool(x)
    run.recorder.decide(site, x, "bool", outcome)
    return outcome

