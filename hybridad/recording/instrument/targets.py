"""Targets of assignments, and comprehensions, whose clauses assign too.

An assignment to anything but local names is taken apart into *steps*, in Python's order: a plain
target and the value it takes, or an expression that does the store itself.
"""

import ast

from hybridad.recording.instrument.expressions import Expressions
from hybridad.recording.instrument.places import at_attribute, place
from hybridad.recording.instrument.scopes import Scope

__all__ = ["Targets", "first_name"]

_LOAD, _STORE = ast.Load(), ast.Store()


def first_name(*targets):
    """The first target that is a name, or None."""
    for target in targets:
        if type(target) is ast.Name:
            return target.id
    return None


class Targets(Expressions):
    """Rewrites targets and comprehensions."""

    def __init__(self, places, scope, module_globals, blocks=frozenset()):
        super().__init__(places, scope, module_globals, blocks)
        self.unpacked = []  # temporaries of this statement that are certainly bound after it

    def is_plain(self, target):
        """Whether the interpreter may store there by itself: a local name."""
        if type(target) is ast.Starred:
            target = target.value
        return self.is_local(target)

    def steps(self, target, value, is_display=False):
        """What assigns `value`, an expression in its recording form, to `target`.

        Parameters
        ----------
        target : ast.expr
        value : ast.expr
        is_display : bool
            The value is a tuple or list written out, which needs no unpacking.

        Returns
        -------
        list of (ast.expr or None, ast.expr)
        """
        kind = type(target)
        if kind is ast.Name:
            return [(target, self.stored(target, value))]
        if kind is ast.Attribute:
            return [(None, self.set_attribute(target, value, self.value(target.value)))]
        if kind is ast.Subscript:
            return [(None, self.make("set_item", target,
                                     [value, self.value(target.value), self.index(target.slice)]))]
        if not is_display:
            value = self.make("unpack", target, [value])
        plain = 0
        while plain < len(target.elts) and self.is_plain(target.elts[plain]):
            plain += 1
        if plain == len(target.elts):
            return [(target, value)]
        # What comes after the first element that is not plain has to wait for it.
        elements, later = list(target.elts[:plain]), []
        for element in target.elts[plain:]:
            is_starred = type(element) is ast.Starred
            if is_starred:
                element = element.value
            name, stored = self.temporary(element)
            self.unpacked.append(name)
            elements.append(place(ast.Starred(stored, _STORE), element) if is_starred else stored)
            later.append((element, name))
        made = [(place(type(target)(elements, _STORE), target), value)]
        for element, name in later:
            made += self.steps(element, self.load(name, element))
        return made

    def set_attribute(self, target, value, owner):
        """``S.set_attr(value, owner, "name")``"""
        key = self.scope.mangled(target.attr)
        return self.make("set_attr", target, [value, owner, place(ast.Constant(key), target)],
                         detail=key, at=at_attribute(target))

    # -- comprehensions ------------------------------------------------------------------------

    def _visit_ListComp(self, node, name, discarded):
        return self._comprehension(
            node, lambda: (ast.ListComp, self.value(node.elt)))

    def _visit_GeneratorExp(self, node, name, discarded):
        return self._comprehension(
            node, lambda: (ast.GeneratorExp, self.value(node.elt)))

    def _visit_SetComp(self, node, name, discarded):
        return self._comprehension(
            node, lambda: (ast.ListComp, self.value(node.elt)),
            lambda made: self.make("set_of", node, [made], name=name))

    def _visit_DictComp(self, node, name, discarded):
        def pair():
            return ast.ListComp, place(
                ast.Tuple([self.value(node.key), self.value(node.value)], _LOAD), node.key)
        return self._comprehension(
            node, pair, lambda made: self.make("dict_of", node, [made], name=name))

    def _comprehension(self, node, element, finish=lambda made: made):
        if any(generator.is_async for generator in node.generators):
            return node  # as all that is asynchronous: native
        outer, held = self.scope, self.holds
        first = node.generators[0]
        iterable = self.value(first.iter)
        before = None
        if self.holds > held:
            # `:=` is forbidden in the iterable, so it is evaluated before:
            # `(.t := iterable, [... for x in .t])[1]`
            before, name = self.hold(iterable)
            iterable = self.load(name, first.iter)
        self.scope = Scope(node, outer, outer.qualname, outer.class_name)
        generators = []
        for generator in node.generators:
            if generator is not first:
                iterable = self._in_iterable(self.value, generator.iter)
            generators += self._clauses(generator, iterable)
        kind, element = element()
        self.scope = outer
        made = finish(place(kind(element, generators), node))
        if before is None:
            return made
        both = place(ast.Tuple([before, made], _LOAD), node)
        return place(ast.Subscript(both, place(ast.Constant(1), node), _LOAD), node)

    def _in_iterable(self, function, *args):
        fixed, self._fixed_iterable = self._fixed_iterable, True
        made = function(*args)
        self._fixed_iterable = fixed
        return made

    def _clauses(self, generator, iterable):
        target = generator.target
        iterable = self.make("iter", generator.iter, [iterable], name=first_name(target))
        ifs = [self.test(condition, "comprehension") for condition in generator.ifs]
        if self.is_plain(target):
            return [ast.comprehension(target, iterable, ifs, 0)]
        # `for a, b in it` becomes `for .t in it for a, b in [S.unpack(.t)]`
        name, stored = self.temporary(target)
        clauses = [ast.comprehension(stored, iterable, [], 0)]
        outside = list(self.unpacked)
        steps = self._in_iterable(self.steps, target, self.load(name, target))
        self.unpacked = outside  # temporaries here end with the comprehension
        for part, value in steps:
            if part is None:
                _, part = self.temporary(target)
            alone = place(ast.List([value], _LOAD), value)
            clauses.append(ast.comprehension(part, alone, [], 0))
        clauses[-1].ifs = ifs
        return clauses
