"""What enters a run from outside: each read is an operation, with what must hold of the value."""

import enum
import types

import numpy as np

from hybridad.recording.ownership import owner_of_code
from hybridad.recording.tracing.encoding import is_constant_object
from hybridad.recording.tracing.memory import SharedMemory, base_of
from hybridad.recording.tracing.values import another, aval_of, is_a, is_number, is_static
from hybridad.trace.ir import Ref
from hybridad.trace.windows import steps_to

__all__ = ["enter_value", "memory_of", "read"]


def read(recorder, site, target, args, value, **options):
    """`value` was read from outside by ``target`` (see `ir.Node`); returns it as it is known."""
    key = (target, *map(_key, args))
    known = recorder._reads.get(key)
    if known is not None and (known[0] is value):
        return known[1]
    # What this run has stored there is known by itself; the read only shows that it still is there.
    is_stored = id(value) in recorder.stored and recorder.ref(value) is not None
    number = recorder.node("read", target, args, options, None if is_stored else value, site,
                           memory_of(recorder, value))
    made = enter_value(recorder, site, number, value, (target, *map(_recipe_key(recorder), args)))
    recorder._reads[key] = value, made
    return made


def memory_of(recorder, x):
    """The number of the memory that an array from outside shows, or will have; else None."""
    return recorder.next_memory() if _is_new_array(recorder, x) else _memory_number(recorder, x)


def _key(x):
    return x if type(x) in (Ref, str, int) else id(x)


def _recipe_key(recorder):
    def key(x):
        if type(x) is Ref:
            return recorder._recipes.get(x.id, x.id)
        return x if type(x) in (str, int) else getattr(x, "__name__", str(type(x)))
    return key


def _is_new_array(recorder, x):
    return type(x) is np.ndarray and recorder.array_of(x) is None


def _memory_number(recorder, x):
    known = recorder.array_of(x)
    return None if known is None else known.memory.number


def _enter_window(recorder, site, number, value, owner):
    """An array that shows a part of another one, which others show, too."""
    recorder.pass_over_memory()     # what was read only serves to check
    if type(owner) is np.ndarray and value.base is owner:
        owner = read(recorder, site, "attribute", (Ref(number), "base"), owner)
        for shown in recorder.arrays_of(owner):
            steps = steps_to(shown, value)
            if steps:
                recorder.window(site, number, value, shown, steps)
                return
    recorder.refuse("an array is seen that shows memory of another one", site)


def enter_value(recorder, site, number, value, recipe):
    """What operation `number` gave comes from outside: note what must hold of it."""
    kind, ref = type(value), Ref(number)
    recorder._recipes[number] = recipe
    if kind is types.FunctionType and owner_of_code(value.__code__) == "user":
        recorder.check("code", ref, value.__code__, site)
        recorder.know(value, number)
        return value
    if is_constant_object(value) and not is_static(value):
        recorder.check("is", ref, value, site)
        if is_a(value, (type, enum.Enum)) or kind is types.ModuleType:
            recorder.know(value, number)
        return value
    known = recorder.identity(value)
    if known is not None and not is_static(value) and kind is not int and not is_number(value):
        # The same object was met before; it must be so the next time.
        recorder.check("is", ref, known, site)
        return value
    if id(value) in recorder.stored and known is not None:
        recorder.check("is", ref, known, site)
        return value
    if kind is np.ndarray:
        if value.dtype.hasobject or value.dtype.names is not None:
            recorder.refuse("an array of objects or records", site)
        aval = aval_of(value)
        memory = recorder._memory_of(value)
        owner = base_of(value)
        if memory is not None and memory.version and id(owner) not in recorder.shared:
            raise SharedMemory("an array was read whose memory has been written to otherwise",
                               owner)
        recorder.check("array", ref, (aval.dtype, aval.shape, aval.layout), site)
        if id(owner) in recorder.shared and owner is not value:
            _enter_window(recorder, site, number, value, owner)
        else:
            recorder.new_array(value, number, True)
        return value
    if kind is int and recipe not in recorder.dynamic:
        recorder.check("equal", ref, value, site, recipe)
        return value
    if kind is int or is_number(value):
        recorder.check("type", ref, kind, site)
        made = another(value)
        recorder.know(made, number)
        return made
    if is_static(value):
        recorder.check("equal", ref, value, site)
        return value
    recorder.check("type", ref, kind, site)
    recorder.know(value, number)
    return value
