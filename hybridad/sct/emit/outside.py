"""What a function does with the world: reads, checks, effects, foreign calls, as text."""

import numpy as np

from hybridad.sct.emit.expressions import Speller
from hybridad.sct.emit.static import ATOM, Expression
from hybridad.trace.ir import Ref

__all__ = ["failed", "foreign", "is_nested", "note_effect", "read", "write_effect"]


def read(speller: Speller, node, example_of):
    """The expression of a "read".

    Parameters
    ----------
    speller : Speller
    node : Node
    example_of : callable
        ``example_of(x)`` gives what a use was in the recorded run.
    """
    kind = node.target
    if kind == "function":
        return Expression("_run.function")
    if kind == "asked":
        return speller.operation(*node.args)
    base, depth = speller.base(node.args[0])
    if kind == "item":
        index = speller.index(node.args[1])
        return Expression(f"{base}[{index.text}]", ATOM, max(depth, index.depth) + 1)
    if kind == "contains":
        item = speller.text(node.args[1])
        return Expression(f"({item} in {base})", ATOM, depth + 1)
    if kind == "length":
        return Expression(f"len({base})", ATOM, depth + 1)
    name = node.args[1]
    if kind == "has attribute":
        return Expression(f"hasattr({base}, {name!r})", ATOM, depth + 1)
    if kind == "attribute":
        return Expression(_attribute(base, name), ATOM, depth + 1)
    function = example_of(node.args[0])
    if kind == "global":
        if function is not None and name not in function.__globals__:  # a builtin
            return Expression(f'{base}.__builtins__["{name}"]', ATOM, depth + 1)
        return Expression(f'{base}.__globals__["{name}"]', ATOM, depth + 1)
    if kind == "cell":
        return Expression(f"{_cell(base, function, name)}.cell_contents", ATOM, depth + 1)
    if kind == "default":
        code = function.__code__
        if name in (function.__kwdefaults__ or {}):
            return Expression(f'{base}.__kwdefaults__["{name}"]', ATOM, depth + 1)
        number = code.co_varnames[:code.co_argcount].index(name) - code.co_argcount
        return Expression(f"{base}.__defaults__[{number}]", ATOM, depth + 1)
    raise ValueError(f"unknown read {kind!r}")


def _cell(base, function, name):
    return f"{base}.__closure__[{function.__code__.co_freevars.index(name)}]"


def _attribute(base, name):
    return f"{base}.{name}" if name.isidentifier() else f"getattr({base}, {name!r})"


def note_effect(speller, node, example_of):
    """The statement that tells the journal what an "effect" is about to change, or None.

    Parameters
    ----------
    speller, node, example_of
        As in `read`.
    """
    kind = node.target
    if kind.startswith("errstate"):
        return None     # the run knows what was set before
    first, name, *_ = node.args
    base, _ = speller.base(first)
    if kind in ("attribute", "delete attribute"):
        return f"journal.set_attribute({base}, {name!r})"
    if kind == "global":
        return f"journal.set_global({base}.__globals__, {name!r})"
    if kind == "cell":
        return f"journal.set_cell({_cell(base, example_of(first), name)})"
    if kind == "method" and name in ("append", "extend"):
        return f"journal.touch({base}, True)"
    return f"journal.touch({base})"


def write_effect(speller, node, example_of):
    """The statement of an "effect"; of a method the expression of its call.

    Parameters
    ----------
    speller, node, example_of
        As in `read`.
    """
    kind = node.target
    if kind == "errstate":
        return f"_run.errors({speller.text(node.args[0])})"
    if kind == "errstate end":
        return f"np.seterr(**{speller.text(node.args[0])})"
    first, name, *rest = node.args
    base, _ = speller.base(first)
    if kind == "attribute":
        if not name.isidentifier():
            return f"setattr({base}, {name!r}, {speller.text(rest[0])})"
        return f"{base}.{name} = {speller.text(rest[0])}"
    if kind == "item":
        return f"{base}[{speller.index(name).text}] = {speller.text(rest[0])}"
    if kind == "global":
        return f"{base}.__globals__[{name!r}] = {speller.text(rest[0])}"
    if kind == "cell":
        cell = _cell(base, example_of(first), name)
        return f"{cell}.cell_contents = {speller.text(rest[0])}"
    if kind == "delete attribute":
        return f"del {_attribute(base, name)}"
    if kind == "delete item":
        return f"del {base}[{speller.index(name).text}]"
    if kind == "call":
        args, kwargs = rest
        return speller.operation(name, (first, *args), kwargs).text
    if kind == "method":
        args, kwargs = rest
        return f"{base}.{name}({speller.arguments(args, kwargs)[0]})"
    raise ValueError(f"unknown effect {kind!r}")


def foreign(speller, node):
    """The expression of a foreign call, which the run makes.

    Parameters
    ----------
    speller : Speller
    node : Node
    """
    function, args, kwargs = node.args
    texts = [speller.text(function), speller.text(tuple(args)), speller.text(kwargs)]
    return Expression(f"_run.foreign({', '.join(texts)})", ATOM, 1)


def is_nested(node):
    """Whether the condition of a "check" names its value once, so that it can be nested there."""
    return node.target in ("is", "type", "length", "keys", "code", "bound", "builtin", "number")


def failed(speller, node):
    """The condition under which a "check" fails.

    Parameters
    ----------
    speller : Speller
    node : Node
    """
    kind, args = node.target, node.args
    text, _ = speller.base(args[0])
    expected = args[-1]
    if kind == "is":
        return f"{text} is not {speller.identity(expected).text}"
    if kind == "type":
        return f"type({text}) is not {speller.text(expected)}"
    if kind == "equal":
        return _differs(speller, text, expected)
    if kind == "array":
        return _other_array(speller, text, *expected)
    if kind == "number":
        return f"type({text}) is not {speller.text(_type_called(expected))}"
    if kind == "code":
        return f"getattr({text}, '__code__', None) is not {speller.text(expected)}"
    if kind == "builtin":
        return f"{expected!r} in {text}.__globals__"
    if kind == "length":
        return f"len({text}) != {expected}"
    if kind == "keys":
        if any(isinstance(key, int | float | complex) for key in expected):     # 1 == True == 1.0
            return f"[*map(repr, {text})] != {speller.text([*map(repr, expected)])}"
        return f"list({text}) != {speller.text(list(expected))}"
    if kind == "apart":
        other = speller.text(expected)
        return f"np.may_share_memory({text}, {other}) and np.shares_memory({text}, {other})"
    if kind == "window":
        return f"{text}.__array_interface__ != {speller.text(expected)}.__array_interface__"
    if kind == "bound" and "method" in node.kwargs:
        found = f"getattr({_attribute(text, args[1])}, '__func__', None)"
        return f"{found} is not {speller.identity(expected).text}" + _recoded(speller, node)
    if kind == "bound":
        found = f"{text}.__dict__.get({args[1]!r})" if "own" in node.kwargs else _attribute(
            text, args[1])
        return f"{found} is not {speller.identity(expected).text}" + _recoded(speller, node)
    raise ValueError(f"unknown check {kind!r}")


def _recoded(speller, node):
    """Or that functions have not the code that was recorded."""
    return "".join([f" or {speller.text(f)}.__code__ is not {speller.text(code)}"
                    for f, code in node.kwargs.get("codes", ())])


def _differs(speller, text, expected):
    kind = type(expected)
    if expected is None or kind is bool or expected is Ellipsis:
        return f"{text} is not {speller.text(expected)}"
    if type(expected) is Ref:
        other = speller.text(expected)
        return f"type({text}) is not type({other}) or {text} != {other}"
    if kind is tuple:
        parts = [f"type({text}) is not tuple", f"len({text}) != {len(expected)}"]
        parts += [_differs(speller, f"{text}[{k}]", item) for k, item in enumerate(expected)]
        return " or ".join(parts)
    if kind is slice:   # slice(1) == slice(1.0)
        return f"type({text}) is not slice or repr({text}) != {repr(expected)!r}"
    return f"type({text}) is not {speller.text(kind)} or {text} != {speller.text(expected)}"


def _other_array(speller, text, dtype, shape, layout):
    flags = {
        "C": f"not {text}.flags.c_contiguous",
        "F": f"{text}.flags.c_contiguous or not {text}.flags.f_contiguous",
        "A": f"{text}.flags.forc",
    }
    return (f"type({text}) is not np.ndarray or {text}.shape != {speller.text(tuple(shape))}"
            f" or {text}.dtype != {speller.text(np.dtype(dtype))} or {flags[layout]}")


def _type_called(name):
    plain = {"float": float, "complex": complex, "int": int, "bool": bool}
    if name in plain:
        return plain[name]
    found = getattr(np, name, None)
    return found if isinstance(found, type) else np.dtype(name).type
