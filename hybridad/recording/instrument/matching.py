"""``match`` as conditions that go through sites, where the recording form has hooks for blocks.

The interpreter looks into a subject by itself: it compares, asks for lengths and takes items out
of sight. ``case {"k": [a, 1]} if a > 0:`` becomes ::

    if (S.is_mapping(.s) and S.isin("k", .s) and ((.v := S.item(.s, "k")),)
            and S.is_sequence(.v) and S.has_length(.v, 2) and ((.a := S.item(.v, 0)),)
            and S.truth(S.eq(S.item(.v, 1), 1)) and ((a := .a),) and S.truth(a > 0)): ...

A display with one item is true, whatever the item is. Names are bound when all of the pattern fits.
"""

import ast

from hybridad.recording.instrument.places import place
from hybridad.recording.instrument.targets import Targets

__all__ = ["Matching"]

_LOAD, _STORE = ast.Load(), ast.Store()


class Matching(Targets):
    """Rewrites ``match``."""

    def conditions(self, node):
        """A ``match`` as a chain of ``if``s.

        Parameters
        ----------
        node : ast.Match

        Returns
        -------
        list of ast.stmt
        """
        subject = self.make("match", node.subject, [self.value(node.subject)])
        name, target = self.temporary(node.subject)
        made = []
        for case in reversed(node.cases):
            counter = self._counter
            bound = {}
            tests = [self._fits(case.pattern, name, bound)]
            for key, temporary in bound.items():
                tests.append(self._held(key, self.load(temporary, case.pattern), case.pattern))
            if case.guard:
                tests.append(self.test(case.guard, "case"))
            test = place(ast.BoolOp(ast.And(), tests), case.pattern) if len(tests) > 1 else tests[0]
            body = self.block(case.body) or [place(ast.Pass(), case.pattern)]
            made = [place(ast.If(test, body, made), case.pattern)]
            self._counter = counter
        return [place(ast.Assign([target], subject), node), *made]

    def _held(self, name, value, like):
        """``((name := value),)``"""
        target = place(ast.Name(name, _STORE), like)
        if not name.startswith("."):
            value = self.stored(target, value)
        return place(ast.Tuple([place(ast.NamedExpr(target, value), like)], _LOAD), like)

    def _part(self, tests, method, args, like):
        """The name of a temporary that holds a part of the subject when the tests are passed."""
        name, _ = self.temporary(like)
        tests.append(self._held(name, self.make(method, like, args), like))
        return name

    def _all(self, tests, like):
        if len(tests) == 1:
            return tests[0]
        return place(ast.BoolOp(ast.And(), tests), like) if tests else self._constant(True, like)

    def _constant(self, value, like):
        return place(ast.Constant(value), like)

    def _fits(self, pattern, name, bound):
        """Whether what the temporary `name` holds fits; `bound`: names -> temporaries."""
        return getattr(self, f"_fits_{type(pattern).__name__}")(pattern, name, bound)

    def _fits_MatchValue(self, pattern, name, bound):
        equal = self.make("eq", pattern, [self.load(name, pattern), self.value(pattern.value)])
        return self.truth(equal, pattern, "case")

    def _fits_MatchSingleton(self, pattern, name, bound):
        return self.make("is_", pattern, [self.load(name, pattern),
                                          self._constant(pattern.value, pattern)])

    def _fits_MatchAs(self, pattern, name, bound):
        tests = [] if pattern.pattern is None else [self._fits(pattern.pattern, name, bound)]
        if pattern.name is not None:
            tests.append(self._bind(pattern.name, self.load(name, pattern), pattern, bound))
        return self._all(tests, pattern)

    def _bind(self, key, value, like, bound):
        temporary = bound.get(key)
        if temporary is None:
            temporary = bound[key] = self.temporary(like)[0]
        return self._held(temporary, value, like)

    def _fits_MatchOr(self, pattern, name, bound):
        return place(ast.BoolOp(ast.Or(), [self._fits(p, name, bound) for p in pattern.patterns]),
                     pattern)

    def _fits_MatchSequence(self, pattern, name, bound):
        def subject():
            return self.load(name, pattern)

        patterns = pattern.patterns
        star = next((k for k, p in enumerate(patterns) if type(p) is ast.MatchStar), None)
        count = len(patterns) - (star is not None)
        tests = [self.make("is_sequence", pattern, [subject()]),
                 self.make("has_length", pattern, [
                     subject(), self._constant(count, pattern),
                     self._constant(star is not None, pattern)])]
        for k, part in enumerate(patterns):
            if k == star:
                if part.name is not None:
                    behind = self._constant(len(patterns) - k - 1, part)
                    middle = self.make("middle", part, [
                        subject(), self._constant(k, part), behind])
                    tests.append(self._bind(part.name, middle, part, bound))
                continue
            if _is_wildcard(part):
                continue
            index = k if star is None or k < star else k - len(patterns)
            held = self._part(tests, "item", [subject(), self._constant(index, part)], part)
            tests.append(self._fits(part, held, bound))
        return self._all(tests, pattern)

    def _fits_MatchMapping(self, pattern, name, bound):
        def subject():
            return self.load(name, pattern)

        tests, keys = [self.make("is_mapping", pattern, [subject()])], []
        for key in pattern.keys:
            held = self.temporary(key)[0]
            tests.append(self._held(held, self.value(key), key))
            keys.append(held)
            tests.append(self.make("isin", key, [self.load(held, key), subject()]))
        for held, part in zip(keys, pattern.patterns):
            if not _is_wildcard(part):
                value = self._part(tests, "item", [subject(), self.load(held, part)], part)
                tests.append(self._fits(part, value, bound))
        if pattern.rest is not None:
            known = place(ast.Tuple([self.load(held, pattern) for held in keys], _LOAD), pattern)
            rest = self.make("without", pattern, [subject(), known])
            tests.append(self._bind(pattern.rest, rest, pattern, bound))
        return self._all(tests, pattern)

    def _fits_MatchClass(self, pattern, name, bound):
        def subject():
            return self.load(name, pattern)

        tests = []
        cls = self.temporary(pattern)[0]
        tests.append(self._held(cls, self.value(pattern.cls), pattern))
        count = len(pattern.patterns)
        tests.append(self.make("is_instance", pattern, [
            subject(), self.load(cls, pattern), self._constant(count, pattern)]))
        parts = [("positional", [self.load(cls, p), self._constant(k, p)], p)
                 for k, p in enumerate(pattern.patterns)]
        parts += [("named", [self._constant(key, p)], p)
                  for key, p in zip(pattern.kwd_attrs, pattern.kwd_patterns)]
        for method, args, part in parts:
            held = self.temporary(part)[0]
            tests.append(self._held(held, self.make(method, part, [subject(), *args]), part))
            absent = self.make("is_absent", part, [self.load(held, part)])
            tests.append(place(ast.UnaryOp(ast.Not(), absent), part))
            tests.append(self._fits(part, held, bound))
        return self._all(tests, pattern)


def _is_wildcard(pattern):
    return type(pattern) is ast.MatchAs and pattern.name is None and pattern.pattern is None
