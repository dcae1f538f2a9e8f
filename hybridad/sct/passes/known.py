"""What the rules of algebra know of values: who made them, and which are one number everywhere."""

import operator

import numpy as np

from hybridad.sct.passes.facts import SYMBOLS, is_elementwise
from hybridad.trace.ir import Method, Ref, replace

__all__ = ["Known"]

_NUMBERS = (int, float, complex)


class Known:
    """The values that stand before the operation that is being looked at.

    Parameters
    ----------
    survey : Survey
        Of the tree as it was; it learns of new operations.
    unsteady : set of int
        Ids whose shape is only an example.
    alias : dict
        Id -> id of the value that stands for it.

    Attributes
    ----------
    fill : dict
        Id -> the number that an array or number consists of.
    """

    def __init__(self, survey, unsteady, alias):
        self.survey, self.unsteady, self.alias = survey, unsteady, alias
        self.fill = {}
        self._new = []

    # ---- asking

    def maker(self, x, symbol=None):
        """The operation that made a use, or None; with `symbol` only if it is that arithmetic."""
        if type(x) is not Ref:
            return None
        node = self.survey.made_by.get(x.id)
        if getattr(node, "op", None) != "apply":
            return None
        return node if symbol is None or SYMBOLS.get(node.target) == symbol else None

    def lone(self, x, symbol):
        """The adjoint operation that made a use, if it is used nowhere else."""
        node = self.maker(x, symbol)
        if node is None or node.part == "forward" or self.survey.counts.get(x.id, 0) > 1:
            return None
        return node if self.survey.is_free(node.id) else None

    def aval(self, x):
        return self.survey.aval(x)

    def is_steady(self, x):
        """Whether the shape of a use holds in every run."""
        return type(x) is not Ref or x.id not in self.unsteady

    def number(self, x):
        """The number that an operand is everywhere, or None."""
        if type(x) is Ref:
            return self.fill.get(x.id)
        return x if type(x) in _NUMBERS else None

    def is_like(self, x, node):
        """Whether a use has the type, dtype and shape of the result of `node`."""
        aval, other = self.aval(x), node.aval
        if aval is None or (aval.kind, aval.dtype, aval.shape) != (
                other.kind, other.dtype, other.shape):
            return False
        return not aval.shape or self.is_steady(x) == (node.id not in self.unsteady)

    def divides_only(self, id):
        """Whether a value is nothing but the denominator of quotients of the adjoint."""
        return id in self.survey.denominators

    # ---- making

    def new(self, like, target, *args, **kwargs):
        """A use of a new ``target(*args, **kwargs)`` with a result like that of `like`."""
        survey = self.survey
        node = replace(like, id=survey.next_id, target=target, args=args, kwargs=kwargs, name=None,
                       memory=None if like.memory is None else survey.next_memory, example=None)
        survey.add(node, like.id)
        self._new.append(node)
        return Ref(node.id)

    def new_nodes(self):
        """The operations made since this was asked last."""
        new, self._new = self._new, []
        return new

    def take(self, node):
        """Note an operation as it now stands."""
        self.survey.made_by[node.id] = node
        if node.op == "seed":
            # One with a target is what somebody else gives; its example says nothing.
            if node.target is None and (
                    node.example is None or (np.ndim(node.example) == 0 and node.example == 1.0)):
                self.fill[node.id] = 1.0
        elif node.op == "const":
            value = node.args[0]
            value = value.item() if isinstance(value, np.generic) else value
            if type(value) is bool or type(value) in _NUMBERS:
                self.fill[node.id] = value
        elif node.part != "forward" and node.op == "apply" and node.aval is not None:
            fill = self._filled(node)
            if fill is not None:
                self.fill[node.id] = fill

    def constant(self, node):
        """`node` as a "const", if it is a number that is known."""
        if node.aval.kind != "number":
            return None
        fill = self._filled(node)
        if fill is None or node.aval.dtype in ("int", "bool"):
            return None
        dtype = node.aval.dtype
        value = type(fill)(fill) if dtype in ("float", "complex") else np.dtype(dtype).type(fill)
        return replace(node, op="const", target=None, args=(value,), kwargs={}, example=value)

    def _filled(self, node):
        """The number that all of a result is."""
        target, args = node.target, node.args
        if self.survey.is_written(node.id) or not args:
            return None
        if target is np.broadcast_to or target is np.reshape or target is np.transpose or (
                type(target) is Method and target.name in ("T", "reshape", "transpose")):
            return self.number(args[0]) if type(args[0]) is Ref else None
        if target is np.ones_like and not node.kwargs:
            return 1.0 if node.aval.dtype[1:2] == "f" else None
        if target is np.zeros_like and not node.kwargs:
            return 0.0 if node.aval.dtype[1:2] == "f" else None
        if target is np.logical_or and len(args) == 2:
            return True if self.number(args[0]) or self.number(args[1]) else None
        if SYMBOLS.get(target) == "**" and type(args[1]) is not Ref and args[1] == 0:
            return 1.0 if node.aval.dtype[1:2] == "f" or node.aval.dtype == "float" else None
        if not is_elementwise(target) or node.kwargs or len(args) > 2 or (
                SYMBOLS.get(target) is None and target not in _COMPARISONS):
            return None
        return self._computed(node)

    def _computed(self, node):
        values = []
        for x in node.args:
            number = self.number(x)
            if number is None:
                return None
            aval = self.aval(x)
            if aval is not None and aval.dtype not in ("int", "float", "complex"):
                number = np.dtype(aval.dtype).type(number)
            values.append(number)
        with np.errstate(all="ignore"):
            try:
                value = node.target(*values)
            except ArithmeticError:
                return None
        value = value.item() if isinstance(value, np.generic) else value
        if node.aval.dtype[1:2] == "f" or node.aval.dtype == "float":
            return float(value) if np.isfinite(value) else None
        return value if type(value) is bool else None


_COMPARISONS = {operator.eq, np.equal, operator.ne, np.not_equal, operator.gt, np.greater,
                operator.lt, np.less}
