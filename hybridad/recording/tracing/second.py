"""The second run of a function: from its arguments to the events of a path."""

import types

import numpy as np

from hybridad import tree
from hybridad._forms import is_form
from hybridad.recording.net import watch
from hybridad.recording.runtime.specials import special
from hybridad.recording.tracing.active import begin, end
from hybridad.recording.tracing.derivatives import laid_out_alike
from hybridad.recording.tracing.encoding import encode, is_constant_object
from hybridad.recording.tracing.memory import NotTraced
from hybridad.recording.tracing.reads import enter_value
from hybridad.recording.tracing.run import TraceRun
from hybridad.recording.tracing.site import TraceSite
from hybridad.recording.tracing.values import another, is_a, is_number, is_static
from hybridad.trace.ir import Ref, Return

__all__ = ["trace"]

_ROOT = TraceSite("root")


def trace(f, args, kwargs, keys, journal, has_aux=False, dynamic=(), shapes=None, shared=()):
    """Run `f` and write down what it does.

    Returns
    -------
    tuple
        ``(events, result, hidden)``: see `hybridad.trace.path`; what `f` returned; places of loops
        that cannot be folded, with the reason.

    Raises
    ------
    NotTraced
    SharedMemory
        Arrays from outside share the memory of its ``owner``; another run may know that (`shared`).
    """
    run = TraceRun(f, journal, dynamic, shared)
    recorder = run.recorder
    root = recorder.node("read", "function", (), None, f, _ROOT)
    recorder.know(f, root)
    if type(f) is types.MethodType:
        own = recorder.node("read", "attribute", (Ref(root), "__self__"), None, None, _ROOT)
        recorder.know(f.__self__, own)
    args, kwargs = _inputs(run, f, args, kwargs, keys, shapes)
    before = begin(run)
    try:
        with run, watch(is_form, lambda: run.suspended > 0) as frames:
            result = _ROOT.dispatch(run, f, args, kwargs)
        if recorder.reason is not None:     # the code that was run has caught all that is raised
            raise NotTraced(recorder.reason)
        _finish(run, result, has_aux)
    finally:
        end(before)
        run.forget()
    for frame in frames:
        recorder.refuse(f"{frame[2]} ran outside the recording form ({frame[0]}:{frame[1]})")
    return recorder.events, result, recorder.hidden


def _finish(run, result, has_aux):
    recorder = run.recorder
    value, aux = result if has_aux else (result, None)
    _escape_objects(run, (value, aux))
    recorder.events.append(Return(encode(recorder, value), encode(recorder, aux)))


def _escape_objects(run, x):
    """Objects in a result are made by operations; containers are part of the result."""
    if type(x) in (tuple, list):
        for item in x:
            _escape_objects(run, item)
    elif type(x) is dict:
        for item in x.values():
            _escape_objects(run, item)
    elif run.is_plain_object(x):
        run.escape(None, x)


def _inputs(run, f, args, kwargs, keys, shapes):
    """The arguments as the run sees them: differentiated ones are copies."""
    args, kwargs = list(args), dict(kwargs)
    count, names = 0, _parameters(f)
    for key in (*range(len(args)), *kwargs):
        holder = kwargs if is_a(key, str) else args
        value = holder[key]
        first = count if shapes is None else shapes[key].leaf
        if key in keys:
            leaves, treedef = tree.flatten(value)
            made = []
            for k, x in enumerate(leaves):
                x = laid_out_alike(run, x) if type(x) is np.ndarray else another(x)
                name = _name_of(names, key)
                if treedef.num_nodes > 1:
                    name = f"{name}_{k}"
                _input(run, first + k, x, {"differentiated": True}, name)
                made.append(x)
            holder[key] = tree.unflatten(treedef, made)
            count += len(leaves)
        elif shapes[key].leaves if shapes is not None else not is_static(value):
            holder[key] = _input(run, first, value, {}, _name_of(names, key))
            count += 1
    return args, kwargs


def _parameters(f):
    """The names of the positional parameters of a function."""
    skipped = 0
    if type(f) is types.MethodType:
        f, skipped = f.__func__, 1
    elif type(f) is not types.FunctionType:
        f, skipped = special(f, "__call__"), 1
    code = getattr(f, "__code__", None)
    return () if code is None else code.co_varnames[skipped:code.co_argcount]


def _name_of(names, key):
    if is_a(key, str):
        return key
    return names[key] if key < len(names) else f"argument_{key}"


def _input(run, count, x, options, name):
    recorder = run.recorder
    if type(x) is np.ndarray:
        if recorder.is_known(x):        # passed twice
            memory = recorder.array_of(x).memory.number
            recorder.node("input", count, (), options, x, None, memory, name)
            return x
        number = recorder.node("input", count, (), options, x, None, recorder.next_memory(), name)
        recorder.new_array(x, number, not options)
        return x
    number = recorder.node("input", count, (), options, x, None, None, name)
    if is_number(x) and type(x) is not int:
        x = x if options else another(x)
        recorder.know(x, number)
        return x
    if is_constant_object(x) and recorder.is_known(x):
        return x
    return enter_value(recorder, _ROOT, number, x, ("input", count))
