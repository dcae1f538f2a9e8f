"""Loops of a trace run: what their hooks tell becomes `Enter`, `Head`, `Jump` and `Exit`."""

import ast
import contextlib

import numpy as np

from hybridad.recording.instrument.source import find_definition
from hybridad.recording.tracing import contents
from hybridad.recording.tracing.iterables import forget_recipe, indices, recipe_of, value_at
from hybridad.recording.tracing.memory import Array, NotTraced
from hybridad.recording.tracing.recorder import place_of
from hybridad.recording.tracing.values import Dynamic, another, aval_of, is_a, is_number
from hybridad.trace.ir import HOLE, Ref
from hybridad.trace.path import Enter, Exit, Head, Jump, Name

__all__ = ["HOOKS", "Loops", "tell_sites"]

HOOKS = frozenset(
    {f"{construct}.{part}" for construct in ("for", "while")
     for part in ("loop", "body", "next", "else", "exit")}
    | {"try.body", "try.except", "with.body", "with.exit", "break", "return"})
"""The kinds of hooks that are listened to, see `instrument.blocks`."""


class Source:
    """A loop in the source: the names that it assigns, its targets, where its iterable stands."""

    __slots__ = ("iterable", "stored", "targets")

    def __init__(self, node):
        self.targets = frozenset(_stored(node.target)) if is_a(node, ast.For) else frozenset()
        self.stored = frozenset(_stored(node))
        self.iterable = (node.iter.lineno, node.iter.col_offset) if is_a(node, ast.For) \
            else None


def _stored(node):
    for part in ast.walk(node):
        if is_a(part, ast.Name) and is_a(part.ctx, (ast.Store, ast.Del)):
            yield part.id
        elif is_a(part, (ast.Nonlocal, ast.Global)):
            yield from part.names


def tell_sites(function, sites):
    """Tell the sites of a recording form whose they are, and the hooks what their loops are.

    Parameters
    ----------
    function : function
        The original.
    sites : sequence of TraceSite
    """
    for site in sites:
        site.owner = function.__code__
    heads = [site for site in sites if site.kind in ("for.loop", "while.loop")]
    if not heads:
        return
    node = find_definition(function.__code__, function.__globals__).node
    found = {(part.lineno, part.col_offset): Source(part)
             for part in ast.walk(node) if is_a(part, (ast.For, ast.While))}
    for site in heads:
        site.loop = found.get((site.line, site.col))


class _Open:
    """A loop that is being gone through."""

    __slots__ = (
        "born",
        "changes",
        "contents",
        "counting",
        "current",
        "entered",
        "frame",
        "item",
        "kind",
        "label",
        "last",
        "number",
        "place",
        "reach",
        "reads",
        "source",
        "spec",
        "told",
        "waiting",
    )

    def __init__(self, number, source, frame, place):
        self.number, self.source, self.frame, self.place = number, source, frame, place
        self.entered = False
        self.kind, self.spec, self.item = "other", (), None
        self.label, self.last, self.current = 0, {}, {}
        self.reach = None
        self.contents, self.counting = {}, []
        self.waiting = []


class Loops:
    """The loops of a run.

    Parameters
    ----------
    run : TraceRun
    """

    def __init__(self, run):
        self.run, self.open = run, []
        self._scopes = {}   # frame and place of a ``try`` or ``with`` -> how many loops are around
        self._aside = 0

    @contextlib.contextmanager
    def aside(self):
        """What is gone through meanwhile is no loop of the source."""
        self._aside += 1
        try:
            yield
        finally:
            self._aside -= 1

    # -- what is gone through --------------------------------------------------------------------

    def _pending(self, site):
        """The loop of the source whose iterable stands at a site, or None."""
        if self._aside or not self.open:
            return None
        loop = self.open[-1]
        if loop.entered or loop.source.iterable is None or loop.place.kind != "for.loop":
            return None
        return loop if (site.line, site.col) == loop.source.iterable \
            and site.kind == "iter" else None

    def range(self, site, x):
        """``for k in range(...)``"""
        run, loop = self.run, self._pending(site)
        if loop is not None:
            return self._counting(site, loop, recipe_of(site, run, x))
        run.settle_range(site, x)
        return x

    def items(self, site, x):
        """``for row in array``"""
        loop = self._pending(site)
        if loop is None or not self.run.recorder.is_known(x):
            return self._elements(site, x)
        return self._counting(site, loop, recipe_of(site, self.run, x))

    def _elements(self, site, x):
        for k in range(len(x)):
            yield site._element(self.run, x, k)

    def other(self, site, x):
        """``for`` over anything else."""
        loop = self._pending(site)
        if loop is None or id(x) not in self.run.iterables:
            forget_recipe(site, self.run, x)
            return x
        return self._counting(site, loop, self.run.iterables.pop(id(x))[1])

    def _counting(self, site, loop, recipe):
        """Go through the values of a recipe by their index, which is the loop's item."""
        run, recorder = self.run, self.run.recorder
        spec, numbers, recipe = indices(site, run, recipe)
        loop.kind, loop.spec = "range", spec
        return self._values(site, loop, recipe, numbers, recorder)

    def _values(self, site, loop, recipe, numbers, recorder):
        for k in numbers:
            number = recorder.new_id()
            index = Dynamic(k)
            recorder.know(index, number)
            loop.item = number, index
            before, recorder.events = recorder.events, loop.waiting
            try:
                value = value_at(site, self.run, recipe, index)
            finally:
                recorder.events = before
            yield value

    # -- hooks -----------------------------------------------------------------------------------

    def hook(self, site, names, values):
        """A hook of a block; returns what the names are from now on."""
        construct, _, part = site.kind.partition(".")
        if construct in ("for", "while"):
            return getattr(self, "_" + part, _nothing)(site, names, values, construct)
        if construct in ("try", "with"):
            self._scope(site, names, values, part)
        elif site.kind == "break":
            self._jump(1, names, values)
        elif site.kind == "return":
            frame = self.run.frame()
            for loop in reversed(self.open):
                if loop.frame is frame:
                    loop.label = 2
                    self._emit_jump(loop, names, values)
            self.open = [loop for loop in self.open if loop.frame is not frame]
        return values

    def _loop(self, site, names, values, construct):
        source = site.loop
        if source is None:
            raise NotTraced("a loop whose source is not known")
        self.run.recorder.loops += 1
        loop = _Open(self.run.recorder.loops, source, self.run.frame(), place_of(site))
        loop.born = contents.named_before(self.run, names, values)
        self.open.append(loop)
        loop.last = dict(zip(names, values))
        if construct == "while":
            loop.kind = "while"
            self._enter(loop)
            return self._head(loop, names, values)
        return values

    def _enter(self, loop):
        loop.entered = True
        loop.reads, loop.changes = self.run.recorder.reads(), self.run.recorder.changes
        self.run.recorder.events.append(Enter(loop.number, loop.kind, loop.spec, loop.place))

    def _body(self, site, names, values, construct):
        loop = self.open[-1]
        if construct == "while":
            return values
        if not loop.entered:
            self._enter(loop)
        return self._head(loop, names, values)

    def _next(self, site, names, values, construct):
        loop = self.open[-1]
        loop.last.update(zip(names, values))
        return self._head(loop, names, values) if construct == "while" else values

    def _else(self, site, names, values, construct):
        loop = self.open[-1]
        if not loop.entered:
            self._enter(loop)
        self._emit_jump(loop, names, values)
        self.open.pop()     # what comes is behind it; a `break` there is one of the loop around
        return self._leave(loop, names, values)

    def _exit(self, site, names, values, construct):
        loop = self.open[-1] if self.open else None
        if loop is None or loop.frame is not self.run.frame() or (site.line, site.col) != (
                loop.place.line, loop.place.col):
            return values   # it has ended before its `else`
        self.open.pop()
        if not loop.entered:
            self._enter(loop)
        if loop.label is not None:
            self._emit_jump(loop, names, values)
        return self._leave(loop, names, values)

    def _jump(self, label, names, values):
        loop = self.open[-1]
        loop.label = label
        self._emit_jump(loop, names, values)
        loop.label = None

    def _emit_jump(self, loop, names, values):
        if not loop.label:      # all names of the head are what they are now, also those that die
            still = loop.current if loop.kind == "while" else loop.last
            values = {**still, **dict(zip(names, values))}
            names, values = values.keys(), values.values()
        told, seen = [], {}
        for name, value in zip(names, values):
            before = self._counted(loop, name, None, self._before(loop, value, seen), told)
            told += self._parts(name, before, name in loop.source.stored)
        self.run.recorder.events.append(Jump(loop.number, loop.label or 0, tuple(told)))

    # -- errors ----------------------------------------------------------------------------------

    def _scope(self, site, names, values, part):
        """An error that ends at a ``try`` or a ``with`` has ended the loops inside."""
        place = id(self.run.frame()), site.line, site.col
        if part == "body":
            self._scopes[place] = len(self.open)
        elif part in ("except", "exit"):
            self.abandon(self._scopes[place], names, values)

    def abandon(self, depth, names=(), values=()):
        """An error goes through all loops but the first `depth` ones."""
        while len(self.open) > depth:
            loop = self.open.pop()
            if not loop.entered:
                continue
            loop.label = 3
            self._emit_jump(loop, names, values)

    # -- what no name stands for -----------------------------------------------------------------

    def changes(self, x):
        """A container or an object of the run's own is about to be changed.

        What was there before an iteration carries something to the next one. If it is not a part
        of what names stand for, `fold` cannot see it: such loops are written out.
        """
        for loop in self.open:
            if loop.place in self.run.recorder.hidden:
                continue
            if loop.reach is None:
                loop.reach = contents.reachable(loop.current.values())
                loop.told = {}
                for value in loop.current.values():
                    contents.content_of(self.run, value, loop.told, loop.born)
            if is_a(x, type) or (id(x) in loop.reach and id(x) not in loop.told):
                reason = f"a {type(x).__name__} is changed in the loop"
                self.run.recorder.hidden[loop.place] = reason

    # -- names -----------------------------------------------------------------------------------

    def _head(self, loop, names, values):
        recorder = self.run.recorder
        self._forget_reads(loop)
        heads, new = [], []
        # All of them first: views that are taken again are so before the iteration begins.
        targets = loop.source.targets
        told = {}
        before = [self._before(loop, loop.last.get(name, HOLE) if name in targets else value, told)
                  for name, value in zip(names, values)]
        self._note_counts(loop, names, before)
        for name, value, its in zip(names, values, before):
            if name in loop.source.targets:
                heads.append(self._fresh_target(name, its, value))
                new.append(value)
                continue
            its = self._counted(loop, name, value, its, heads)
            new.append(self._rebound(name, value, its, name in loop.source.stored, heads))
        item = loop.item
        recorder.events.append(Head(
            loop.number, tuple(heads), None if item is None else item[0], None,
            None if item is None else aval_of(item[1]), None,
            None if item is None else item[1]))
        recorder.events.extend(loop.waiting)
        loop.waiting = []
        loop.current = dict(zip(names, new))
        loop.reach = None
        return tuple(new)

    def _forget_reads(self, loop):
        """What was read in one iteration is read again in the next one, and behind the loop."""
        recorder = self.run.recorder
        recorder.read_so_far(loop.reads if loop.changes == recorder.changes else {})

    def _fresh_target(self, name, before, value):
        recorder = self.run.recorder
        if type(before) is Ref:
            return Name(name, before, recorder.new_id(),
                        None if value is None else aval_of(value))
        return Name(name, before)

    def _before(self, loop, value, told):
        """What a name is bound to, as a value of the trace."""
        if value is HOLE or type(value).__name__ == "Unbound":
            return HOLE
        if type(value) is range and self.run.recorder.varies(value):
            return contents.Opaque(value)
        return contents.content_of(self.run, value, told, loop.born)

    def _note_counts(self, loop, names, before):
        """Which plain numbers in slots have changed since the last head: they get names."""
        for name, its in zip(names, before):
            for path in contents.counts_of(loop.contents.get(name), its):
                if (name, path) not in loop.counting:
                    loop.counting.append((name, path))
        loop.contents = dict(zip(names, before))

    def _counted(self, loop, name, value, content, heads):
        """The content of a name without its numbers that have names; these go to `heads`.

        `value`: what it is the content of, where they are to be values of their own; else None.
        """
        for known, path in loop.counting:
            if known != name:
                continue
            content, leaf = contents.without_leaf(content, path)
            if leaf is HOLE:
                continue
            part = name + "".join([f"[{key!r}]" for key in path])
            owner = None if value is None else contents.owner_of(value, path)
            if owner is None:
                heads.append(Name(part, leaf))
                continue
            made, head = self._rebound_leaf(part, owner[path[-1]], leaf)
            owner[path[-1]] = made
            heads.append(head)
        return content

    def _parts(self, name, before, stored):
        """What a name is bound to; of a tuple that the loop may assign, item by item."""
        if not stored or type(before) is not tuple:
            return [Name(name, before)]
        parts = [Name(name, (HOLE,) * len(before))]
        for k, item in enumerate(before):
            parts += self._parts(f"{name}[{k}]", item, True)
        return parts

    def _rebound(self, name, value, before, stored, heads):
        """A live name at a head: a value of its own if the loop may assign it.

        So has each item of a tuple, as if it had a name. What is known of them goes to `heads`.
        """
        if stored and type(value) is type(before) is tuple:
            heads.append(Name(name, (HOLE,) * len(before)))
            return tuple([self._rebound(f"{name}[{k}]", x, its, True, heads)
                          for k, (x, its) in enumerate(zip(value, before))])
        made, head = self._rebound_leaf(name, value, before) if stored else (
            value, Name(name, before))
        heads.append(head)
        return made

    def _rebound_leaf(self, name, value, before):
        recorder = self.run.recorder
        kind = type(value)
        if kind is np.ndarray and type(before) is Ref:
            known = recorder.array_of(value)
            number = recorder.new_id()
            made = value.view()
            recorder._known[id(made)] = made, Array(made, number, known.memory, known.parent,
                                                    known.step)
            if known.parent is None:    # what is written into it from now on is written into this
                known.memory.root.id = number
            return made, Name(name, before, number, aval_of(value), known.memory.number, value)
        if kind is int or (is_number(value) and not is_a(value, np.bool_)):
            made = another(value)
            number = recorder.new_id()
            recorder.know(made, number)
            return made, Name(name, before, number, aval_of(made), None, made)
        return value, Name(name, before)

    def _leave(self, loop, names, values):
        recorder = self.run.recorder
        self._forget_reads(loop)
        left, new = [], []
        told = {}
        before = [self._before(loop, value, told) for value in values]
        for name, value, its in zip(names, values, before):
            its = self._counted(loop, name, value, its, left)
            new.append(self._rebound(name, value, its, name in loop.source.stored, left))
        recorder.events.append(Exit(loop.number, tuple(left)))
        return tuple(new)


def _nothing(site, names, values, construct):
    return values
