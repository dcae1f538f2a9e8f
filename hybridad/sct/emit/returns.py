"""What a path returns: values in memory of their own, cotangents, or a pullback."""

from hybridad.sct.emit.memory import copied
from hybridad.sct.emit.static import Expression
from hybridad.trace.ir import Ref

__all__ = ["Returned"]


class Returned:
    """The results of one path, each array of which is given away once.

    Parameters
    ----------
    statements : Statements
    spell : Speller
    again : bool
        They are made again and again, by a pullback: what the forward part has made stays its own.
    """

    def __init__(self, statements, spell, again=False):
        self.again = again
        self.statements, self.spell = statements, spell
        self.memories, self.values = statements.memories, statements.outline.values
        self._taken = set()

    def text(self, x, shares=False):
        """The text of a result.

        Parameters
        ----------
        x : object
            Nested tuples, lists and dicts of uses and static values.
        shares : bool
            Arrays from outside that the trace does not change are handed on as they are.
        """
        kind = type(x)
        if kind is Ref:
            return self._own(self.values[x.id], shares)
        if kind is tuple:
            items = ", ".join([self.text(item, shares) for item in x])
            return f"({items},)" if len(x) == 1 else f"({items})"
        if kind is list:
            return f"[{', '.join([self.text(item, shares) for item in x])}]"
        if kind is dict:
            pairs = [f"{self.spell.text(key)}: {self.text(item, shares)}"
                     for key, item in x.items()]
            return f"{{{', '.join(pairs)}}}"
        return self.spell.text(x)

    def _own(self, value, shares):
        expression = self.spell.look(value.id)
        if not value.is_array or (shares and self._is_handed_on(value)):
            return expression.text
        memories = self.memories
        if memories.is_outside(value) or not memories.is_whole(value):
            return self._copy(expression, value)
        root = memories.root(value.memory)
        if root in self._taken or (self.again and root in memories.forward):
            return self._copy(expression, value)
        self._taken.add(root)
        return expression.text

    def _copy(self, expression: Expression, value):
        return copied(self.spell.base(Ref(value.id))[0], value.aval)

    def _is_handed_on(self, value):
        """Whether an array is one from outside in which nothing depends on an argument."""
        memories = self.memories
        if value.memory is None or memories.is_written(value):
            return False
        origin = memories.origins[value.memory].node
        return origin is not None and origin.op != "apply" and not (
            origin.op == "input" and origin.kwargs.get("differentiated"))
