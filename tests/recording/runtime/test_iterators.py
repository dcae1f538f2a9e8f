"""Iterators over values being recorded: values, derivatives, laziness, exhaustion, decisions."""

import itertools
import operator

import numpy as np
import pytest

import hybridad
from hybridad.recording.runtime.iterators import MEANINGS
from tests.recording.runtime.stand_in import (
    Site,
    agrees,
    form,
    guards_of,
    in_a_run,
    raises_alike,
)

NAMES = {"itertools": itertools, "operator": operator, "np": np}


def test_every_function_of_itertools_has_a_meaning():
    functions = [f for name, f in vars(itertools).items() if callable(f) and name[0] != "_"]
    functions = [f for f in functions if not f.__name__.startswith("_")]  # _grouper, in 3.11
    assert functions
    assert not [f for f in functions if f not in MEANINGS]


@pytest.mark.parametrize("expression", [
    "next(iter(x))", "next(iter([]), s)", "next(iter([a]), s)", "list(iter(m))",
    "list(iter([s, 2]))",
    "list(enumerate(x))", "list(enumerate([s, a], 3))", "list(enumerate(m, start=1))",
    "list(zip(x, [s, a, 2]))", "list(zip(m, y))", "list(zip())  + [s]",
    "list(zip(x, y, strict=True))",
    "list(map(lambda p: p * p, x))", "list(map(operator.mul, x, y))", "list(map(float, v))",
    "list(filter(None, [s, 0, a, 0.0 * s]))", "list(filter(lambda p: p > 0.4, v))",
    "list(filter(lambda p: p - p, v)) + [s]", "list(filter(bool, [s, 0]))",
    "list(reversed(x))", "list(reversed(m))", "list(reversed([s, a]))", "list(reversed((s, a)))",
    "list(reversed({'p': s})) + [s]", "list(reversed(range(3))) + [s]",
    "list(itertools.accumulate(x))", "list(itertools.accumulate([s, a, 2]))",
    "list(itertools.accumulate(x, operator.mul))", "list(itertools.accumulate(v, max))",
    "list(itertools.accumulate([s, a], lambda p, q: p * q + s, initial=a))",
    "list(itertools.accumulate(m))",
    "list(itertools.chain(x, [s], (a, 2)))", "list(itertools.chain.from_iterable(m))",
    "list(itertools.chain())  + [s]",
    "list(itertools.combinations(x, 2))", "list(itertools.combinations_with_replacement(x, 2))",
    "list(itertools.permutations([s, a]))", "list(itertools.permutations(x, 2))",
    "list(itertools.product(x, [s, 1]))", "list(itertools.product([s, a], repeat=2))",
    "list(itertools.compress(v, [1, 0, s, a - a]))", "list(itertools.compress('abc', x)) + [s]",
    "list(itertools.islice(itertools.count(s, a), 4))", "list(itertools.islice(v, 1, 5, 2))",
    "list(itertools.islice(itertools.count(s), 3))",
    "list(itertools.islice(itertools.cycle(x), 7))",
    "list(itertools.dropwhile(lambda p: p > 0, v))", "list(itertools.takewhile(lambda p: p, v))",
    "list(itertools.filterfalse(lambda p: p > 0, v))",
    "list(itertools.filterfalse(None, [s, 0])) + [s]",
    "[(key, list(group)) for key, group in itertools.groupby([s, s, a, 0.61, 0.61])]",
    "[(key, list(group)) for key, group in itertools.groupby(v, lambda p: p > 0)]",
    "[list(group) for _, group in itertools.groupby(v, key=np.sign)]",
    "list(itertools.pairwise(x))", "list(itertools.repeat(s, 3))",
    "list(itertools.islice(itertools.repeat(s), 2))", "list(map(pow, x, itertools.repeat(2)))",
    "list(itertools.starmap(pow, [(s, 2), (a, 3.0)]))",
    "list(itertools.starmap(lambda p, q, r: p * q * r, m))",
    "[list(t) for t in itertools.tee(x)]", "[list(t) for t in itertools.tee([s, a], 3)]",
    "list(itertools.zip_longest(x, [s], fillvalue=a))",
])
def test_agrees(expression):
    agrees(expression, order=2, **NAMES)


@pytest.mark.skipif(not hasattr(itertools, "batched"), reason="new in Python 3.12")
def test_batched():
    agrees("list(itertools.batched(v, 4))", order=2, **NAMES)
    raises_alike("(itertools.batched(v, 0), s)", **NAMES)


@pytest.mark.parametrize("expression", [
    "iter(s)", "iter(o)", "iter(s, 1)", "next(x)", "next(s)", "next([s])", "next(iter([]))",
    "enumerate(s)", "enumerate(x, s)", "zip(s)", "zip(x, o)", "list(zip(x, v, strict=True))",
    "map(abs, s)", "map(abs)", "list(map(None, x))", "list(map(abs, [None]))", "filter(None, s)",
    "reversed(s)", "reversed(o)", "reversed({1, 2})", "reversed(zip(x))",
    "itertools.accumulate(s)", "list(itertools.chain(x, s))",
    "list(itertools.chain.from_iterable([x, s]))", "itertools.chain.from_iterable(s)",
    "itertools.combinations(s, 2)", "itertools.combinations(x, -1)", "itertools.cycle(s)",
    "itertools.islice(x, -1)", "itertools.product(s)", "itertools.product(x, repeat='a')",
    "list(itertools.starmap(abs, [s]))", "list(itertools.starmap(abs, x))",
    "itertools.groupby(s)", "list(itertools.groupby([x, y]))", "itertools.tee(s)",
    "itertools.tee(x, -1)", "itertools.zip_longest(s)", "itertools.count('a')",
    "list(itertools.compress(x, s))", "list(itertools.takewhile(lambda p: m, x))",
])
def test_errors_are_those_of_python(expression):
    raises_alike(f"({expression}, s)", **NAMES)


@pytest.mark.parametrize("expression, guards", [
    ("list(filter(None, [0.0 * s, a]))", [("bool", False), ("bool", True)]),
    ("list(filter(lambda p: p * 2, [s]))", [("bool", True)]),
    ("list(itertools.takewhile(lambda p: p, [s, 0, a]))", [("bool", True)]),
    ("list(itertools.dropwhile(lambda p: p, [s, 0, a]))", [("bool", True)]),
    ("list(itertools.filterfalse(None, [s]))", [("bool", True)]),
    ("list(itertools.compress('ab', [s, 0]))", [("bool", True)]),
    ("[k for k, _ in itertools.groupby([s, 0.5, a])]",
     [("compare", False), ("compare", False)]),
    ("list(iter(lambda: 1.0, 1))", []),
    ("list(iter(lambda: s, 0.6))", [("compare", True)]),
    ("list(map(abs, [s, a]))", []),
    ("list(zip(x, y))", []),
])
def test_decisions_are_noted(expression, guards):
    found = [(kind, bool(outcome)) for kind, outcome in guards_of(f"({expression}, s)[1]", **NAMES)]
    assert found == guards


def items(*values):
    """A generator that tells what was taken."""
    taken = []

    def generate():
        for x in values:
            taken.append(x)
            yield x

    return taken, generate()


@pytest.mark.parametrize("make, first", [
    (lambda call, g: call(map, lambda t: t * 2, g), 1),
    (lambda call, g: call(zip, g, "abc"), 1),
    (lambda call, g: call(enumerate, g), 1),
    (lambda call, g: call(filter, lambda t: t > 1, g), 2),
    (lambda call, g: call(iter, g), 1),
    (lambda call, g: call(itertools.accumulate, g), 1),
    (lambda call, g: call(itertools.chain, g, [1]), 1),
    (lambda call, g: call(itertools.chain.from_iterable, ([t] for t in g)), 1),
    (lambda call, g: call(itertools.compress, g, [0, 1, 1]), 2),
    (lambda call, g: call(itertools.cycle, g), 1),
    (lambda call, g: call(itertools.dropwhile, lambda t: t < 2, g), 2),
    (lambda call, g: call(itertools.filterfalse, lambda t: t < 2, g), 2),
    (lambda call, g: call(itertools.groupby, g), 1),
    (lambda call, g: call(itertools.islice, g, 1, None), 2),
    (lambda call, g: call(itertools.pairwise, g), 2),
    (lambda call, g: call(itertools.starmap, lambda t: t, ((t,) for t in g)), 1),
    (lambda call, g: call(itertools.takewhile, lambda t: True, g), 1),
    (lambda call, g: call(itertools.tee, g)[1], 1),
    (lambda call, g: call(itertools.zip_longest, g, "abc"), 1),
])
def test_lazy(make, first):
    site = Site()

    def f(x):
        taken, generator = items(x, x * 2, x * 3)
        iterator = make(site.call, generator)
        assert taken == []
        site.call(next, iterator)
        assert len(taken) == first
        return x

    hybridad.vjp(f, 1.0)


def test_iterables_of_a_chain_are_asked_when_their_turn_comes():
    asked = []

    class Asked:
        def __init__(self, name):
            self.name = name

        def __iter__(self):
            asked.append(self.name)
            return iter([self.name])

    def f(x):
        chain = Site().call(itertools.chain, Asked("a"), Asked("b"))
        assert asked == []
        assert next(chain) == "a" and asked == ["a"]
        assert next(chain) == "b" and asked == ["a", "b"]
        return x

    hybridad.vjp(f, 1.0)


def test_groups_share_the_iterator():
    agrees("[(k, next(g)) for k, g in itertools.groupby(v, lambda p: p > 0)]", **NAMES)
    agrees("[list(g) for _, g in [*itertools.groupby(v, lambda p: p > 0)]] + [s]", **NAMES)


def test_exhausted_iterators_stay_so():

    def f(x):
        call = Site().call
        for iterator in (call(map, abs, [x]), call(iter, iter([x]).__next__, None),
                         call(reversed, [x]), call(reversed, Backwards(x, 1)),
                         call(itertools.groupby, [x]), call(filter, None, [x])):
            assert len(list(iterator)) == 1
            assert list(iterator) == []
            assert call(next, iterator, "end") == "end"
        return x

    hybridad.vjp(f, 2.0)


def test_a_sentinel_ends_the_calls():
    left = [1.0, 2.0, 3.0]
    value, site = in_a_run("(list(iter(left.pop, 1.0)), s)[0]", left=left)
    assert value == [3.0, 2.0] and left == []
    assert len([f for f in site.called if f.endswith(".pop")]) == 3


def test_errors_of_callbacks_go_through_and_the_iterator_lives_on():

    def f(x):
        iterator = Site().call(map, lambda t: 1 / t, [0, x])
        with pytest.raises(ZeroDivisionError):
            next(iterator)
        return next(iterator)

    assert hybridad.grad(f)(2.0) == -0.25


class Backwards:
    """A sequence, and a countdown that is its own iterator."""

    def __init__(self, x, n):
        self.x, self.n = x, n

    def __len__(self):
        return self.n

    def __getitem__(self, k):
        if k >= self.n:
            raise IndexError(k)
        return self.x * k

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.x * self.n


class Turned(Backwards):

    def __reversed__(self):
        return iter([self.x, self.x * 2])


@pytest.mark.parametrize("expression, method", [
    ("list(reversed(Backwards(s, 3)))", "__len__"),
    ("list(reversed(Turned(s, 3)))", "__reversed__"),
    ("next(Backwards(s, 3))", "__next__"),
    ("next(Backwards(s, 0), a)", "__next__"),
])
def test_special_methods_are_called_through_the_site(expression, method):
    names = {"Backwards": Backwards, "Turned": Turned}
    agrees(expression, order=2, **names)
    _, site = in_a_run(f"({expression}, s)[1]", **names)
    assert any(f.endswith(method) for f in site.called)


def test_end_of_a_users_iterator():
    raises_alike("next(Backwards(s, 0))", Backwards=Backwards)


def test_sequences_of_the_users_are_iterated():
    f, args = form("list(zip(Backwards(s, 3), Backwards(a, 3)))", Backwards=Backwards)
    assert [len(pair) for pair in f(*args)] == [2, 2, 2]
    agrees("list(zip(Backwards(s, 3), Backwards(a, 3)))", Backwards=Backwards)
