"""Which local names are live, and which are bound, at points of a function.

*Live*: may be read later before being bound anew, also by a nested scope. *Bound*: certainly, or
perhaps (stored on some ways only, or deleted on some).

The function becomes a graph of effects. Inside ``try`` and ``with`` every node has a second way
out, to where its exception goes. A ``finally`` clause stands in the graph twice, for the ways that
go on after it and for those that leave (exceptions and jumps), so that the former keep what they
know.
"""

import ast
from dataclasses import dataclass, field

from hybridad.recording.instrument.names import Effects, bound_by_pattern, scope_of

__all__ = ["Flow", "Point", "is_irrefutable"]

_LEAVING = 0  # the node that stands for the end of the function


class Point(ast.Pass):
    """A statement that does nothing and at which names are asked for."""


@dataclass(slots=True)
class _Loop:
    head: int
    exit: int


@dataclass(slots=True)
class _Finally:
    entry: int
    jumps: set = field(default_factory=set)


class Flow:
    """The names at each `Point` in the body of a function, and at the heads of its loops.

    Parameters
    ----------
    function : ast.FunctionDef
        Its own body may hold points; those of nested functions are passed over.

    Attributes
    ----------
    scope : Scope
    """

    def __init__(self, function):
        self.scope = scope_of(function)
        self._effects, self._next, self._raises = [], [], []
        self._places = {}  # id of a point or a loop -> its nodes
        self._around = []  # loops and finally clauses, outermost first
        self._handler = _LEAVING
        self._nothing = Effects(self.scope)
        self._node()
        self._now = self._node()
        self._statements(function.body)
        self._solve_live()
        self._solve_bound()

    def names(self, point, also=None):
        """The names that are live and bound there.

        Parameters
        ----------
        point : Point or ast.stmt
            A loop stands for its head, before each test or next item.
        also : Point or ast.stmt, optional
            What is live and may be bound there is listed too, though it may be dead at `point`.

        Returns
        -------
        tuple of (tuple of str, frozenset of str) or None
            All of them in the order of the scope, and those that are perhaps unbound at `point`.
            None where control never gets.
        """
        here = self._at(point)
        if here is None:
            return None
        wanted, certain = here
        if also is not None and (there := self._at(also)) is not None:
            wanted |= there[0]
        listed = self.scope.listed
        return listed(wanted), frozenset(listed(wanted & ~certain))

    def _at(self, place):
        live = self.scope.captured
        certain, may, reached = -1, self.scope.rebound, False
        for node in self._places.get(id(place), ()):
            if self._reached[node]:
                reached = True
                live |= self._live[node]
                certain &= self._certain[node]
                may |= self._may[node]
        return (live & may, certain & ~self.scope.unbound) if reached else None

    # Solving

    def _solve_live(self):
        live = self._live = [0] * len(self._effects)
        changed = True
        while changed:
            changed = False
            for node in range(len(live) - 1, _LEAVING, -1):
                after = 0
                for following in self._next[node]:
                    after |= live[following]
                effects = self._effects[node]
                before = effects.use | after & ~effects.kill | live[self._raises[node]]
                if before != live[node]:
                    live[node] = before
                    changed = True

    def _solve_bound(self):
        count = len(self._effects)
        self._reached, self._certain, self._may = [False] * count, [-1] * count, [0] * count
        changed = self._flow_to(1, self.scope.parameters, self.scope.parameters)
        while changed:
            changed = False
            for node in range(1, count):
                if not self._reached[node]:
                    continue
                effects, certain, may = self._effects[node], self._certain[node], self._may[node]
                changed |= self._flow_to(
                    self._raises[node], certain & ~effects.deletes, may | effects.stores)
                certain = certain & ~effects.lose | effects.bind
                may = may & ~effects.lose | effects.bind | effects.may
                for following in self._next[node]:
                    changed |= self._flow_to(following, certain, may)

    def _flow_to(self, node, certain, may):
        before = self._reached[node], self._certain[node], self._may[node]
        after = True, before[1] & certain, before[2] | may
        self._reached[node], self._certain[node], self._may[node] = after
        return before != after

    # Building

    def _node(self, *origins, effects=None):
        """A new node behind `origins` (None: a way that control never goes)."""
        self._effects.append(effects or self._nothing)
        self._next.append([])
        self._raises.append(self._handler)
        made = len(self._effects) - 1
        for origin in origins:
            self._go(origin, made)
        return made

    def _go(self, origin, to):
        if origin is not None:
            self._next[origin].append(to)

    def _step(self, *expressions):
        effects = Effects(self.scope)
        effects.expressions(*filter(None, expressions))
        self._now = self._node(self._now, effects=effects)
        return self._now

    def _join(self, *ways):
        ways = [way for way in ways if way is not None]
        return self._node(*ways) if ways else None

    def _mark(self, place, node):
        self._places.setdefault(id(place), []).append(node)

    def _statements(self, body):
        for statement in body:
            self._statement(statement)

    def _statement(self, node):
        special = _SPECIAL.get(type(node))
        if special is not None:
            special(self, node)
        elif isinstance(node, Point):
            self._now = self._node(self._now)
            self._mark(node, self._now)
        else:
            effects = Effects(self.scope)
            effects.statement(node)
            self._now = self._node(self._now, effects=effects)
            if isinstance(node, ast.Return):
                self._jump("return")
            elif isinstance(node, ast.Raise):
                self._now = None  # its exception goes the second way

    def _jump(self, kind):
        """From here to where `break`, `continue` or `return` leads, through finally clauses."""
        for around in reversed(self._around):
            if isinstance(around, _Finally):
                around.jumps.add(kind)
                self._go(self._now, around.entry)
                break
            if kind != "return":
                self._go(self._now, around.head if kind == "continue" else around.exit)
                break
        else:
            self._go(self._now, _LEAVING)
        self._now = None

    def _if(self, node):
        test = self._step(node.test)
        self._statements(node.body)
        first, self._now = self._now, test
        self._statements(node.orelse)
        self._now = self._join(first, self._now)

    def _while(self, node):
        head = self._node(self._now)
        self._now = head
        test = self._step(node.test)
        constant = isinstance(node.test, ast.Constant) and bool(node.test.value)
        self._loop(node, head, test, None if constant else test)

    def _for(self, node):
        self._step(node.iter)
        head = self._now = self._node(self._now)
        self._loop(node, head, self._step(node.target), head)

    def _loop(self, node, head, item, ended):
        self._mark(node, head)
        exit = self._node()
        self._around.append(_Loop(head, exit))
        self._now = item
        self._statements(node.body)
        self._go(self._now, head)
        self._around.pop()
        self._now = ended
        self._statements(node.orelse)
        self._go(self._now, exit)
        self._now = exit

    def _with(self, node, item=0):
        if item == len(node.items):
            self._statements(node.body)
            return
        self._step(node.items[item].context_expr)
        # Or it does not swallow: then the exception goes on from there as from any node.
        outer, swallowing = self._handler, self._node()
        self._handler = swallowing
        self._step(node.items[item].optional_vars)
        self._with(node, item + 1)
        self._handler = outer
        self._now = self._join(self._now, swallowing)

    def _try(self, node):
        if node.finalbody:
            self._protected(lambda: self._guarded(node),
                            lambda: self._statements(node.finalbody))
        else:
            self._guarded(node)

    def _guarded(self, node):
        """A try statement without its finally clause."""
        if not node.handlers:
            self._statements(node.body)
            self._statements(node.orelse)
            return
        outer, dispatch = self._handler, self._node()
        self._handler = dispatch
        self._statements(node.body)
        self._handler = outer
        self._statements(node.orelse)
        ends = [self._now]
        self._now = dispatch
        group = not isinstance(node, ast.Try)
        for handler in node.handlers:
            missed = self._step(handler.type)
            # An exception out of an `except*` clause waits until the others have had their turn.
            following = self._node(missed) if group else None
            if group:
                self._handler = following
            self._handle(handler)
            self._handler = outer
            if group:
                self._go(self._now, following)
                missed = following
            else:
                ends.append(self._now)
            self._now = missed if handler.type is not None else None
        if group:
            ends.append(self._now)
        self._now = self._join(*ends)

    def _handle(self, handler):
        if not handler.name:
            self._statements(handler.body)
            return
        effects = Effects(self.scope)
        effects.store(handler.name)
        self._now = self._node(self._now, effects=effects)

        def unbind():
            effects = Effects(self.scope)
            effects.remove(handler.name)
            self._now = self._node(self._now, effects=effects)

        self._protected(lambda: self._statements(handler.body), unbind)

    def _protected(self, body, final):
        outer = self._handler
        around = _Finally(self._node())
        self._around.append(around)
        self._handler = around.entry
        body()
        self._around.pop()
        self._handler = outer
        ended = self._now
        self._now = around.entry
        final()
        left = self._now  # an exception that waited goes on as from any node
        for jump in sorted(around.jumps):
            self._now = left
            self._jump(jump)
        self._now = ended
        if ended is not None:
            final()

    def _match(self, node):
        missed = self._step(node.subject)
        ends = []
        for case in node.cases:
            self._now = missed
            effects = Effects(self.scope)
            effects.expressions(case.pattern, certain=False)
            missed = self._now = self._node(self._now, effects=effects)
            effects = Effects(self.scope)
            for name in filter(None, map(bound_by_pattern, ast.walk(case.pattern))):
                effects.store(name)
            self._now = self._node(self._now, effects=effects)
            if is_irrefutable(case):
                missed = None
            elif case.guard is not None:
                missed = self._node(missed, self._step(case.guard))
            self._statements(case.body)
            ends.append(self._now)
        self._now = self._join(missed, *ends)


def is_irrefutable(case):
    """Whether a case always fits, so that none may follow.

    Parameters
    ----------
    case : ast.match_case
    """
    pattern = case.pattern
    while True:
        if isinstance(pattern, ast.MatchOr):
            pattern = pattern.patterns[-1]
        elif isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
            pattern = pattern.pattern
        else:
            always = isinstance(pattern, ast.MatchAs)
            return case.guard is None and always


_SPECIAL = {
    ast.If: Flow._if,
    ast.While: Flow._while,
    ast.For: Flow._for,
    ast.AsyncFor: Flow._for,
    ast.With: Flow._with,
    ast.AsyncWith: Flow._with,
    ast.Try: Flow._try,
    ast.TryStar: Flow._try,
    ast.Match: Flow._match,
    ast.Break: lambda flow, node: flow._jump("break"),
    ast.Continue: lambda flow, node: flow._jump("continue"),
}
