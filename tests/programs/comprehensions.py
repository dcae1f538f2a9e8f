"""Comprehensions and generators: nested ones, conditions, yield from, send, itertools."""

# ruff: noqa: E701, B023, C4

import functools
import itertools

import numpy as np

from tests.programs import Scene, program


@program()
def list_set_and_dict_comprehensions():
    def f(x):
        squares = [v * v for v in x if v > 0]
        by_index = {i: v * 2.0 for i, v in enumerate(x)}
        signs = {v > 0 for v in x}
        return sum(squares) * len(signs) + by_index[1] * by_index[2]
    return f


@program()
def nested_comprehension():
    def f(x):
        pairs = [a * b for i, a in enumerate(x) for b in x[:i] if a > b]
        grid = [[a + b * j for b in x] for j, a in enumerate(x)]
        return sum(pairs) + sum(sum(row) * row[0] for row in grid)
    return f


@program()
def comprehension_captures_the_outside():
    w = [1.0, 2.0, 3.0]
    def f(x):
        scale = x[0]
        return sum([scale * v * u for v, u in zip(x, w) if u < 2.5])
    def before(k):
        w[k % 3] = k + 0.5
    return Scene(f, lambda: w, before)


@program()
def late_binding_lambdas():
    def f(x):
        late = [lambda v: v * i for i in range(3)]
        bound = [lambda v, i=i: v * (i + 1) for i in range(3)]
        return sum(g(x[0]) for g in late) + sum(g(v) for g, v in zip(bound, x))
    return f


@program()
def generator_with_state():
    w = [2.0]
    def running(values):
        total = 0.0
        for v in values:
            total = total * w[0] + v
            yield total
    def f(x):
        return sum(t * t for t in running(x)) + max(running(x * x))
    def before(k):
        w[0] = 0.5 + k
    return Scene(f, before=before)


@program()
def yield_from_a_tree():
    def walk(node):
        if isinstance(node, list):
            for child in node: yield from walk(child)
        else:
            yield node * 2.0
    def f(x):
        tree = [x[0], [x[1], [x[2], x[0] * x[1]]], []]
        return sum(v * (i + 1) for i, v in enumerate(walk(tree)))
    return f


@program()
def generator_return_value():
    def inner(v):
        yield v
        yield v * v
        return v + 1.0
    def outer(x):
        a = yield from inner(x[0])
        b = yield from inner(x[1])
        yield a * b
    return lambda x: sum(outer(x)) * x[2]


@program()
def send_to_a_generator():
    def average():
        total, n, mean = 0.0, 0, None
        while True:
            v = yield mean
            total, n = total + v, n + 1
            mean = total / n
    def f(x):
        g = average()
        next(g)
        means = [g.send(v) for v in x]
        g.close()
        return means[1] * means[2] + means[0]
    return f


@program()
def generator_closed_early():
    log = []
    def values(x):
        try:
            for v in x:
                log.append("give")
                yield v
        finally:
            log.append("closed")
    def f(x):
        total = 0.0
        g = values(x)
        for v in g:
            total = total + v * x[2]
            if v > 1: break
        g.close()
        return total
    return Scene(f, lambda: log)


@program()
def generator_of_the_outside():
    stream = (float(i) for i in range(1, 100))
    def f(x):
        return np.sum(x) * next(stream) + x[0] * sum(itertools.islice(stream, 2))
    return f


@program()
def infinite_generator_until():
    def powers(v):
        p = 1.0
        while True:
            yield p
            p = p * v
    def f(x):
        total = 0.0
        for n, p in enumerate(powers(x[2])):
            if n > 8 or abs(p) > 2.5: break
            total += p * x[0]
        return total
    return f


@program()
def map_filter_reduce():
    def f(x):
        kept = list(filter(lambda v: v > 0, x))
        doubled = list(map(lambda v, u: v * u, x, reversed(x)))
        product = functools.reduce(lambda a, b: a * b + 1.0, kept, 2.0)
        return product + sum(doubled) * sum(filter(None, [0.0, x[1], 0]))
    return f


@program()
def itertools_of_many_kinds():
    def f(x):
        pairs = sum(a * b for a, b in itertools.combinations(x, 2))
        chain = sum(itertools.chain(x, [x[0] * 2.0], x[1:]))
        running = list(itertools.accumulate(x, lambda a, b: a * b))
        cross = sum(a * b for a, b in itertools.product(x[:2], repeat=2))
        star = sum(itertools.starmap(lambda a, b: a * b, [(x[0], x[1]), (x[1], x[2])]))
        low = list(itertools.takewhile(lambda v: v < 2, x))
        near = sum(a * b for a, b in itertools.pairwise(x))
        return pairs + chain * running[-1] + cross + star + sum(low) + near
    return f


@program()
def zip_longest_groupby_and_cycle():
    def f(x):
        filled = sum(a * b for a, b in itertools.zip_longest(x, x[:2], fillvalue=2.0))
        groups = [sum(g) for _, g in itertools.groupby(x, key=lambda v: v > 0)]
        turns = sum(v * w for v, w in zip(x, itertools.cycle([1.0, -1.0])))
        rows = [r * x[0] for r in itertools.repeat(x[1], 2)]
        a, b = itertools.tee(x)
        return filled + groups[0] * len(groups) + turns * sum(rows) + sum(a) * max(b)
    return f


@program()
def iter_and_next_by_hand():
    def f(x):
        it = iter(x)
        first = next(it)
        total = first * next(it)
        for v in it: total += v * v
        return total + next(it, first * 3.0) + (next(iter([]), None) is None)
    return f


@program()
def generator_expression_kept():
    def f(x):
        scale = x[1]
        lazy = (v * scale for v in x)
        total = next(lazy)
        scale = x[2]
        return total + sum(lazy) * x[0]
    return f


@program()
def any_all_min_max_of_generators():
    def f(x):
        k = 2.0 if any(v < 0 for v in x) else 3.0
        k += 1.0 if all(v < 2 for v in x) else 0.0
        return k * max(v * v for v in x) + min((abs(v) for v in x), default=0.0) * x[0]
    return f


@program()
def sorted_by_key():
    def f(x):
        low, mid, high = sorted(x, key=lambda v: (v - 0.5) ** 2)
        ranks = sorted(range(3), key=x.__getitem__, reverse=True)
        return low * 2.0 + mid * high + x[ranks[0]] * ranks[1]
    return f
