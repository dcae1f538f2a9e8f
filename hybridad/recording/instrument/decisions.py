"""Decisions: truth, comparisons, ``and``, ``or``, ``not`` and the conditional expression.

The truth of a value is asked for by a site, so that the run sees it. In a condition that gives
``S.truth(a) and S.truth(b)``; where the value of ``a and b`` is needed, it is held in a temporary:
``b if S.truth(.t := a) else .t``.
"""

import ast

from hybridad.recording.instrument.blocks import joined
from hybridad.recording.instrument.places import place
from hybridad.recording.instrument.rewriting import Rewriting

__all__ = ["Decisions", "is_simple_constant"]

_COMPARISONS = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
    ast.In: "isin", ast.NotIn: "notin", ast.Is: "is_", ast.IsNot: "isnot"}


def is_simple_constant(node):
    """Whether the compiler makes one constant of it (``-1.5``, ``2 * 10 ** 6``)."""
    while type(node) is ast.BinOp and is_simple_constant(node.right):
        node = node.left
    if type(node) is ast.UnaryOp and type(node.op) is not ast.Not:
        return is_simple_constant(node.operand)
    return type(node) is ast.Constant


class Decisions(Rewriting):
    """Rewrites what decides."""

    def test(self, node, where):
        """An expression for its truth: the result is a bool.

        Parameters
        ----------
        node : ast.expr
        where : str
            What decides: "if", "while", ...
        """
        if getattr(node, "_hybridad", False):
            return node
        kind = type(node)
        if kind is ast.BoolOp:
            name = _word(node)
            values = [self.test(v, name if v is not node.values[-1] else where)
                      for v in node.values]
            return self._joined(node, place(ast.BoolOp(node.op, values), node))
        if kind is ast.UnaryOp and type(node.op) is ast.Not:
            return place(ast.UnaryOp(node.op, self.test(node.operand, where)), node)
        if kind is ast.Compare and len(node.ops) > 1:
            return self._joined(node, self._chain_of_truths(node, where))
        if kind is ast.Constant or (kind is ast.Name and node.id == "__debug__"):
            return node
        return self.truth(self.value(node), node, where)

    def _joined(self, node, made):
        """An expression with branches, with a hook where they join; none where there are none."""
        if not self.blocks or self.scope.is_comprehension or self.scope.is_class or (
                self.scope.is_generator):
            return made
        joint = joined(node, made, self.make_site, self.blocks)
        if joint is not made:  # it happens in the line in which the name of the method ends
            method = joint.func
            method.end_lineno, method.end_col_offset = method.lineno, method.col_offset
        return joint

    def truth(self, value, node, where, at=None):
        """``S.truth(value)``"""
        return self.make("truth", node, [value], detail=where, at=at)

    def negated(self, node):
        """``not x`` for its value."""
        operand = node.operand
        if type(operand) in (ast.BoolOp, ast.Compare, ast.UnaryOp, ast.Constant):
            return self.test(node, "not")
        # If that fails, it is the `not` that does.
        truth = self.truth(self.value(operand), operand, "not", at=node)
        return place(ast.UnaryOp(node.op, truth), node)

    def _visit_Compare(self, node, name, discarded):
        return self._joined(node, self._compare(node, name))

    def _compare(self, node, name):
        if len(node.ops) == 1:
            return self._comparison(node, node.ops[0], self.value(node.left),
                                    self.value(node.comparators[0]), name)
        if not self.may_hold():
            # What is between would need a temporary: the interpreter asks for the truth itself.
            if all(self._may_repeat(n) for n in node.comparators[:-1]):
                links = self._links(node)
                return place(ast.BoolOp(ast.And(), links), node)
            return self._native_chain(node)
        *links, made = self._links(node)
        for link in reversed(links):
            held, temporary = self.hold(link)
            made = place(ast.IfExp(self.truth(held, node, "compare"), made,
                                   self.load(temporary, node)), node)
        return made

    def _chain_of_truths(self, node, where):
        if not self.may_hold() and not all(self._may_repeat(n) for n in node.comparators[:-1]):
            return self.truth(self._native_chain(node), node, where)
        *links, last = self._links(node)
        truths = [self.truth(link, node, "compare") for link in links]
        return place(ast.BoolOp(ast.And(), [*truths, self.truth(last, node, where)]), node)

    def _links(self, node):
        """The comparisons of a chain; what is between two of them is evaluated once."""
        links, left = [], self.value(node.left)
        for op, operand in zip(node.ops[:-1], node.comparators):
            right = self.value(operand)
            if self._may_repeat(operand):
                again = right
            else:
                right, temporary = self.hold(right)
                again = self.load(temporary, operand)
            links.append(self._comparison(node, op, left, right))
            left = again
        links.append(self._comparison(node, node.ops[-1], left, self.value(node.comparators[-1])))
        return links

    def _may_repeat(self, node):
        return is_simple_constant(node) or self.is_local(node)

    def _native_chain(self, node):
        return place(ast.Compare(self.value(node.left), node.ops,
                                 [self.value(c) for c in node.comparators]), node)

    def _comparison(self, node, op, left, right, name=None):
        return self.make(_COMPARISONS[type(op)], node, [left, right], name=name)

    def _visit_BoolOp(self, node, name, discarded):
        return self._joined(node, self._first_decisive(node, name))

    def _first_decisive(self, node, name):
        word = _word(node)
        *firsts, last = node.values
        if not self.may_hold() and not all(map(self.is_local, firsts)):
            # No temporary can be assigned here: the interpreter asks for the truth itself.
            return place(ast.BoolOp(node.op, [self.value(v, name) for v in node.values]), node)
        pairs = []
        for operand in firsts:
            value = self.value(operand, name)
            if self.is_local(operand):
                pairs.append((self.truth(value, operand, word, node), value))
            else:
                held, temporary = self.hold(value)
                pairs.append((self.truth(held, operand, word, node),
                              self.load(temporary, operand)))
        made = self.value(last, name)
        for decision, value in reversed(pairs):
            sides = (made, value) if word == "and" else (value, made)
            made = place(ast.IfExp(decision, *sides), node)
        return made

    def _visit_IfExp(self, node, name, discarded):
        made = ast.IfExp(self.test(node.test, "ternary"), self.value(node.body, name),
                         self.value(node.orelse, name))
        return self._joined(node, place(made, node))


def _word(node):
    return "and" if type(node.op) is ast.And else "or"
