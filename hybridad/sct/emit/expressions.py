"""Operations as expressions: operators, subscripts, methods, calls, with brackets where needed."""

import operator

import numpy as np

from hybridad.sct.emit.static import ATOM, UNARY, Expression, inside
from hybridad.trace.ir import HOLE, Method, Ref, Step, refs_of

__all__ = ["ATTRIBUTES", "AUGMENTED", "Speller", "operands"]

ATTRIBUTES = frozenset(("T", "mT", "real", "imag"))

_COMPARE, _POWER = 5, 13
_BINARY = {
    operator.add: ("+", 10), operator.sub: ("-", 10), operator.mul: ("*", 11),
    operator.truediv: ("/", 11), operator.floordiv: ("//", 11), operator.mod: ("%", 11),
    operator.matmul: ("@", 11), operator.and_: ("&", 8), operator.or_: ("|", 6),
    operator.xor: ("^", 7), operator.lshift: ("<<", 9), operator.rshift: (">>", 9),
    operator.eq: ("==", _COMPARE), operator.ne: ("!=", _COMPARE), operator.lt: ("<", _COMPARE),
    operator.le: ("<=", _COMPARE), operator.gt: (">", _COMPARE), operator.ge: (">=", _COMPARE),
    operator.is_: ("is", _COMPARE), operator.is_not: ("is not", _COMPARE),
    operator.concat: ("+", 10),
}
_UNARY = {operator.neg: "-", operator.pos: "+", operator.invert: "~", operator.inv: "~"}
_NOT = 4
_CALLED = {operator.abs: "abs", operator.truth: "bool"}

AUGMENTED = {
    operator.iadd: "+=", operator.isub: "-=", operator.imul: "*=", operator.itruediv: "/=",
    operator.ifloordiv: "//=", operator.imod: "%=", operator.ipow: "**=", operator.imatmul: "@=",
    operator.iand: "&=", operator.ior: "|=", operator.ixor: "^=", operator.ilshift: "<<=",
    operator.irshift: ">>=",
}
"""What changes an array in place, as a sign."""

_PLAIN_TWINS = {  # on numbers, where nothing is changed in place
    operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul,
    operator.itruediv: operator.truediv, operator.ifloordiv: operator.floordiv,
    operator.imod: operator.mod, operator.ipow: operator.pow, operator.imatmul: operator.matmul,
    operator.iand: operator.and_, operator.ior: operator.or_, operator.ixor: operator.xor,
    operator.ilshift: operator.lshift, operator.irshift: operator.rshift,
}


def operands(node):
    """The ids that an operation uses, in the order in which Python evaluates them."""
    args = node.args
    if node.op == "read" and node.target == "asked":
        function, args, _ = args
        args = (args[1], args[0]) if function is operator.contains else args
    elif node.op == "apply" and node.target is operator.contains:
        args = (args[1], args[0])
    elif node.op == "write" and node.target is operator.setitem:
        args = (args[3], args[0], args[1], args[2])
    elif node.op == "effect" and node.target in ("attribute", "item", "global", "cell"):
        args = (args[2], args[0], args[1])
    return [ref.id for ref in refs_of(args)] + [ref.id for ref in refs_of(node.kwargs)]


class Speller:
    """Writes values and operations.

    Parameters
    ----------
    statics : Statics
    look : callable
        ``look(id)`` gives the `Expression` of a value.
    """

    __slots__ = ("look", "statics")

    def __init__(self, statics, look):
        self.statics, self.look = statics, look

    def value(self, x):
        """The `Expression` of nested tuples, lists, dicts, slices of uses and static values."""
        kind = type(x)
        if kind is Ref:
            return self.look(x.id)
        if kind is tuple:
            text, depth = self._items(x)
            return Expression(f"({text},)" if len(x) == 1 else f"({text})", ATOM, depth)
        if kind is list:
            text, depth = self._items(x)
            return Expression(f"[{text}]", ATOM, depth)
        if kind is dict:
            keys = [self.value(key).text for key in x]
            items = [self.value(item) for item in x.values()]
            text = ", ".join([f"{key}: {item.text}" for key, item in zip(keys, items)])
            return Expression(f"{{{text}}}", ATOM, _deepest(items))
        if kind is slice:
            text, depth = self._items((x.start, x.stop, x.step))
            return Expression(f"slice({text})", ATOM, depth)
        return self.statics.spell(x)

    def identity(self, x):
        """The `Expression` of what is compared by identity: a literal would be another object."""
        if x is None or type(x) in (bool, Ref, type(Ellipsis)):
            return self.value(x)
        return Expression(self.statics.path(x) or self.statics.bound(x))

    def text(self, x):
        """The text of a value."""
        return self.value(x).text

    def _items(self, xs):
        items = [self.value(x) for x in xs]
        return ", ".join([item.text for item in items]), _deepest(items)

    def index(self, x):
        """What stands between the brackets of a subscript."""
        kind = type(x)
        if kind is slice:
            parts = [None if part is None else self.value(part)
                     for part in (x.start, x.stop, x.step)]
            texts = ["" if part is None else part.text for part in parts]
            text = f"{texts[0]}:{texts[1]}" + (f":{texts[2]}" if texts[2] else "")
            return Expression(text, ATOM, _deepest([part for part in parts if part is not None]))
        if kind is tuple and x:
            items = [self.index(item) if type(item) is slice else self.value(item) for item in x]
            text = ", ".join([item.text for item in items])
            return Expression(text + ("," if len(x) == 1 else ""), ATOM, _deepest(items))
        return self.value(x)

    def base(self, x):
        """What stands before a dot or an opening bracket."""
        expression = self.value(x)
        text = inside(expression, ATOM)
        return f"({text})" if text[0].isdigit() else text, expression.depth

    def called(self, target):
        """What stands before the brackets of a call."""
        if type(target) is type(operator.add) and target in _CALLED:
            return _CALLED[target]
        return inside(self.statics.spell(target), ATOM)

    def arguments(self, args, kwargs):
        """What stands between the brackets of a call."""
        items = [self.value(x) for x in args]
        texts = [item.text for item in items]
        for name, x in kwargs.items():
            item = self._dtype(x) if name == "dtype" else self.value(x)
            items.append(item)
            texts.append(f"{name}={item.text}")
        return ", ".join(texts), _deepest(items)

    def _dtype(self, x):
        if isinstance(x, np.dtype) and x.isnative and x.kind in "biufc":
            return self.statics.spell(x.type)
        return self.value(x)

    def operation(self, target, args, kwargs):
        """The `Expression` of ``target(*args, **kwargs)``.

        Parameters
        ----------
        target : callable or Method
        args : tuple
        kwargs : dict
        """
        if type(target) is Method:
            return self._method(target.name, args, kwargs)
        if not kwargs and type(target) is type(operator.add):  # others need not be hashable
            made = self._operator(target, args)
            if made is not None:
                return made
        text, depth = self.arguments(args, kwargs)
        return Expression(f"{self.called(target)}({text})", ATOM, depth + 1)

    def _method(self, name, args, kwargs):
        base, depth = self.base(args[0])
        if name in ATTRIBUTES and len(args) == 1 and not kwargs:
            return Expression(f"{base}.{name}", ATOM, depth + 1)
        if name == "astype" and len(args) == 2:
            inner = self._dtype(args[1])
            text, more = self.arguments((), kwargs)
            text = f"{inner.text}, {text}" if text else inner.text
        else:
            text, more = self.arguments(args[1:], kwargs)
        return Expression(f"{base}.{name}({text})", ATOM, max(depth, more) + 1)

    def _operator(self, target, args):
        target = _PLAIN_TWINS.get(target, target)
        count = len(args)
        if count == 2 and target in _BINARY:
            sign, rank = _BINARY[target]
            value = self.identity if sign.startswith("is") else self.value
            left, right = value(args[0]), value(args[1])
            more = rank + 1 if rank == _COMPARE else rank  # comparisons would become a chain
            text = f"{inside(left, more)} {sign} {inside(right, rank + 1)}"
            return Expression(text, rank, max(left.depth, right.depth) + 1)
        if count == 2 and target is operator.getitem:
            base, depth = self.base(args[0])
            index = self.index(args[1])
            return Expression(f"{base}[{index.text}]", ATOM, max(depth, index.depth) + 1)
        if count == 2 and target is operator.pow:
            left, right = self.value(args[0]), self.value(args[1])
            text = f"{inside(left, _POWER + 1)} ** {inside(right, UNARY)}"
            return Expression(text, _POWER, max(left.depth, right.depth) + 1)
        if count == 2 and target is operator.contains:
            left, right = self.value(args[1]), self.value(args[0])
            text = f"{inside(left, _COMPARE + 1)} in {inside(right, _COMPARE + 1)}"
            return Expression(text, _COMPARE, max(left.depth, right.depth) + 1)
        if count == 1 and target in _UNARY:
            inner = self.value(args[0])
            return Expression(_UNARY[target] + inside(inner, UNARY), UNARY, inner.depth + 1)
        if count == 1 and target is operator.not_:
            inner = self.value(args[0])
            return Expression(f"not {inside(inner, _NOT)}", _NOT, inner.depth + 1)
        if count == 1 and target is operator.index:
            base, depth = self.base(args[0])
            return Expression(f"{base}.__index__()", ATOM, depth + 1)
        return None

    def region(self, array, path):
        """The text of an array and the steps from it to a part of it."""
        text = self.base(array)[0]
        for step in path:
            text = self._step(text, step)
        return text

    def _step(self, text, step: Step):
        hole = Expression(text)
        filled = Speller(self.statics, lambda id: hole if id is HOLE else self.look(id))
        args = tuple([Ref(HOLE) if x is HOLE else x for x in step.args])
        return filled.operation(step.target, args, step.kwargs).text


def _deepest(items):
    return max([item.depth for item in items], default=0)
