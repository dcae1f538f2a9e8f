"""A trace as text, one operation a line, and text as a trace.

::

    %0 = input 0, differentiated=True  : float64[3] C m0  x
    %1 = input 1  : int  n
    loop %9 range 0, %1, 1  # fit.py:3
      item %2  : int  i
      phi %3 = 1.0 -> %8  : float64  y
      %4 = %0[%2]  : float64  # fit.py:4
      %5 = %3 * %4  : float64  y  # fit.py:4
      next %5
    %10 = %8 > 2.0
    branch bool %10  # fit.py:5
      True:
        return %8

What stands behind two blanks may be left out: type and memory, name, ``[adjoint of %3]``, place. So
may the ``%5 =`` of an operation that nobody uses. Operators are written as such, methods with a
leading dot (``.sum(%0, axis=0)``), operations that are not "apply" with what they are (``read``,
``check``, ...). A write shows the way to what it changes: ``write operator.iadd(%5[%2].T(), %6)``.
"""

import operator
import re

import numpy as np

from hybridad.trace.ir import HOLE, Block, Branch, Leave, Loop, Method, Next, Ref, Return
from hybridad.trace.literals import dotted_name, write_literal
from hybridad.trace.reading import BINARY, UNARY, parse

__all__ = ["parse", "show"]

_BINARY = {function: sign for sign, function in BINARY.items()}
_UNARY = {function: sign for sign, function in UNARY.items()}
_PYTHON_NUMBERS = ("float", "complex", "int", "bool")


def show(block, constants=None):
    """Print a trace, a tree, a loop or one operation completely, all but examples.

    Parameters
    ----------
    block : Block or Node or Loop
    constants : dict, optional
        Name -> object, for values that cannot be written down: ``$name`` in the text. It is added
        to as needed, and is what `parse` wants to have beside the text.

    Returns
    -------
    str
        ``show(parse(text, constants), constants) == text``.
    """
    writer = _Writer({} if constants is None else constants)
    todo = [(block, 0)]
    while todo:  # blocks nest as deep as a path has decisions
        x, depth = todo.pop()
        if type(x) is str:
            writer.lines.append("  " * depth + x)
        else:
            todo += [(part, depth + more) for part, more in reversed(writer.parts(x))]
    return "\n".join(writer.lines) + "\n"


class _Writer:
    """What is written so far, and the table of constants."""

    def __init__(self, constants):
        self.lines, self.constants = [], constants

    def parts(self, x):
        """Lines and parts of `x` that are still to be taken apart, each with its indentation."""
        if type(x) is Loop:
            return self.loop(x)
        if type(x) is Block:
            end = [] if x.end is None else self.end(x.end)
            return [(node, 0) for node in x.nodes] + end
        return [(self.node(x), 0)]

    def value(self, x):
        return write_literal(x, self.constants)

    def values(self, xs):
        return ", ".join([self.value(x) for x in xs])

    def node(self, node):
        part = "" if node.part == "forward" else node.part
        if node.of is not None:
            part = f"{part} of %{node.of}".lstrip()
        return _line(f"%{node.id} = {self.operation(node)}", _type(node.aval, node.memory),
                     _name(node.name), part and f"[{part}]", _place(node.place))

    def loop(self, loop):
        spec = self.values(loop.spec)
        if len(loop.spec) == 1 and loop.kind != "items":
            spec += ","
        lines = [(_line(
            f"loop %{loop.id} {loop.kind} {spec}".rstrip(),
            "" if loop.of is None else f"of %{loop.of}", "backward" if loop.order == -1 else "",
            "once" if loop.once else "", "" if loop.part == "forward" else f"[{loop.part}]",
            _place(loop.place)), 0)]
        if loop.item is not None:
            lines.append((_line(f"item %{loop.item}", _type(loop.item_aval, loop.item_memory),
                                _name(loop.item_name)), 1))
        for phi in loop.phis:
            lines.append((_line(f"phi %{phi.id} = {self.value(phi.init)} -> %{phi.out}",
                                _type(phi.aval, phi.memory), _name(phi.name)), 1))
        return [*lines, (loop.body, 1)]

    def end(self, end):
        """The end of a block: a line, and the sides of a branch."""
        if type(end) is Branch:
            lines = [(_line(f"branch {end.kind} {self.value(end.test)}", _place(end.place)), 0)]
            for outcome, side in end.sides.items():
                lines += [(self.value(outcome) + ":", 1), (side, 2)]
            return lines
        if type(end) is Return:
            extras = [f"{word} {self.value(x)}" for word, x in (
                ("aux", end.aux), ("cotangents", end.cotangents), ("tangents", end.tangents))
                if x is not None]
            return [(_line(f"return {self.value(end.value)}", *extras, _place(end.place)), 0)]
        word = "next" if type(end) is Next else "leave"
        extras = [f"leaf {end.number}"] if end.number else []
        if type(end) is Leave:
            extras += [f"label {end.label}"] if end.label else []
            extras += [] if end.counts else ["uncounted"]
        return [(_line(f"{word} {self.values(end.values)}".rstrip(), *extras), 0)]

    def operation(self, node):
        """What stands behind the sign of equality."""
        op, target, args = node.op, node.target, node.args
        if op == "apply":
            return self.operators(node) or self.called(target) + self.arguments(args, node.kwargs)
        if op == "write":
            return (f"write {self.called(target)}"
                    + self.arguments(args[2:], node.kwargs, self.region(args[0], args[1])))
        if type(target) is int and not args:
            named = "".join([", " + self.keyword(*pair) for pair in node.kwargs.items()])
            return f"{op} {target}{named}"
        if target is None:
            return op + self.arguments(args, node.kwargs)
        if type(target) is str and re.fullmatch(r"[a-z ]+", target):
            return f"{op} {target}" + self.arguments(args, node.kwargs)
        return f"{op} {self.called(target)}" + self.arguments(args, node.kwargs)

    def called(self, target):
        if type(target) is Method:
            return "." + target.name
        return dotted_name(target) or self.value(target)

    def keyword(self, name, x):
        return f"{name}={self.value(x)}"

    def arguments(self, args, kwargs, *first):
        parts = [*first, *[self.value(x) for x in args]]
        return f"({', '.join(parts + [self.keyword(*pair) for pair in kwargs.items()])})"

    def operators(self, node):
        """An operation that Python has a sign for, as such; else an empty string."""
        target, args = node.target, node.args
        if node.kwargs or not callable(target):
            return ""
        if target is operator.getitem and len(args) == 2 and type(args[0]) is Ref:
            return f"{self.value(args[0])}[{self.index(args[1])}]"
        if type(target) is type(operator.add):  # others need not be hashable
            if target in _BINARY and len(args) == 2:
                return f"{self.operand(args[0])} {_BINARY[target]} {self.value(args[1])}"
            if target in _UNARY and len(args) == 1 and type(args[0]) is Ref:
                return f"{_UNARY[target]}{self.value(args[0])}"
        return ""

    def operand(self, x):
        """What stands on the left; the minus of a number binds less than a power."""
        text = self.value(x)
        return f"({text})" if text.startswith("-") else text

    def index(self, x):
        if type(x) is slice:
            start, stop, step = ["" if part is None else self.value(part)
                                 for part in (x.start, x.stop, x.step)]
            return f"{start}:{stop}" + (f":{step}" if step else "")
        if type(x) is tuple and x:
            return ", ".join([self.index(part) if type(part) is slice else self.value(part)
                              for part in x]) + ("," if len(x) == 1 else "")
        return self.value(x)

    def region(self, array, path):
        """The steps from an array to what is written, from left to right."""
        text = self.value(array)
        for step in path:
            target, args, kwargs = step.target, step.args, step.kwargs
            usual = args[:1] == (HOLE,)
            if usual and target is operator.getitem and len(args) == 2 and not kwargs:
                text = f"{text}[{self.index(args[1])}]"
            elif usual and type(target) is Method:
                text = f"{text}.{target.name}{self.arguments(args[1:], kwargs)}"
            elif usual and dotted_name(target):
                text = dotted_name(target) + self.arguments(args[1:], kwargs, text)
            else:
                text = f"({text} | {self.value(step)})"
        return text


def _line(first, *others):
    return "  ".join([first, *[x for x in others if x]])


def _type(aval, memory):
    parts = []
    if aval is not None:
        if aval.kind == "object":
            parts.append(f"object {aval.dtype}")
        elif aval.kind == "number":
            parts.append(_dtype(aval.dtype))
        else:
            shape = ", ".join(map(str, aval.shape))
            parts.append(f"{_dtype(aval.dtype)}[{shape}] {aval.layout}")
    if memory is not None:
        parts.append(f"m{memory}")
    return ": " + " ".join(parts) if parts else ""


def _dtype(text):
    """``float64`` for ``<f8``; Python's types keep their names, what has none is quoted."""
    if text in _PYTHON_NUMBERS:
        return text
    try:
        name = np.dtype(text).name
        plain = text[0] in "<>|" and name.isidentifier() and np.dtype(name).str == text
    except TypeError:
        plain = False
    if not plain:
        return repr(text)
    return "bool_" if name == "bool" else name  # the plain word is Python's


def _name(name):
    if name is None or re.fullmatch(r"[^\W\d](?:[^\s#'\"]| (?! ))*", name):
        return name
    return repr(name)


def _place(place):
    if place is None:
        return ""
    text = f"# {place.file}:{place.line}"
    text += f":{place.col}" if place.col else ""
    text += f" in {place.function}" if place.function else ""
    return text + (f" ({place.kind})" if place.kind else "")


