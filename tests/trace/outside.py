"""What a trace asks of the world, for `tests.trace.interpret`: decisions, checks, effects."""

import operator

import numpy as np

__all__ = ["change", "holds", "layout_of", "outcome_of", "read"]


def outcome_of(kind, value):
    """The conversion of a test that a branch asks for."""
    if kind == "left":
        return value.label
    if kind == "shape":
        return np.shape(value)
    if kind == "value":
        return value
    return {"bool": bool, "int": int, "index": operator.index, "str": str}[kind](value)


def holds(kind, value, *rest):
    """Whether a check is met."""
    expected = rest[-1]
    if kind == "is":
        return value is expected
    if kind == "type":
        return type(value) is expected
    if kind == "equal":
        return _same(value, expected)
    if kind == "array":
        return isinstance(value, np.ndarray) and (
            value.dtype.str, value.shape, layout_of(value)) == tuple(expected)
    if kind == "number":
        return type(value).__name__ == expected
    if kind == "code":
        return value.__code__ is expected
    if kind == "length":
        return len(value) == expected
    if kind == "keys":
        return list(value) == list(expected)
    if kind == "apart":
        return not np.shares_memory(value, expected)
    if kind == "bound":
        return getattr(value, rest[0]) is expected
    raise TypeError(f"unknown check {kind!r}")


def _same(a, b):
    if type(a) is not type(b):
        return False
    if type(a) is tuple:
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b))
    return a == b


def layout_of(array):
    """The letter of an `Aval`."""
    if array.flags.c_contiguous:
        return "C"
    return "F" if array.flags.f_contiguous else "A"


def read(kind, *args):
    """Outside state, as Python reads it."""
    if kind == "attribute":
        return getattr(*args)
    if kind == "item":
        return operator.getitem(*args)
    function, name = args
    if kind == "global":
        space = function.__globals__
        if name in space:
            return space[name]
        builtins = space["__builtins__"]
        return builtins[name] if type(builtins) is dict else getattr(builtins, name)
    if kind == "cell":
        return _cell(function, name).cell_contents
    if kind == "default":
        return _default(function, name)
    raise TypeError(f"unknown read {kind!r}")


def _cell(function, name):
    return function.__closure__[function.__code__.co_freevars.index(name)]


def _default(function, name):
    if name in (function.__kwdefaults__ or {}):
        return function.__kwdefaults__[name]
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__
    return defaults[positional.index(name) - len(positional)]


def change(kind, *args):
    """A change of outside state, done for real."""
    if kind == "attribute":
        setattr(*args)
    elif kind == "item":
        operator.setitem(*args)
    elif kind == "global":
        args[0].__globals__[args[1]] = args[2]
    elif kind == "cell":
        _cell(*args[:2]).cell_contents = args[2]
    elif kind == "delete attribute":
        delattr(*args)
    elif kind == "delete item":
        operator.delitem(*args)
    elif kind == "method":
        container, name, positional, named = args
        return getattr(container, name)(*positional, **named)
    else:
        raise TypeError(f"unknown effect {kind!r}")
    return None
