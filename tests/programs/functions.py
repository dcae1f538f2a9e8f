"""Functions: nested ones, closures, lambdas, decorators, ways to pass arguments, recursion.

PYTEST_DONT_REWRITE: an assertion fails here as it does at a user's.
"""

# ruff: noqa: E701, E702, PIE804, UP033

import functools
import operator

import numpy as np

from tests.programs import A, Scene, program


def _square(v):
    return v * v


def _twice(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs) * 2.0
    return wrapper


def _scaled(by):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(v):
            return by[0] * f(v)
        return wrapper
    return decorate


@program()
def nested_functions():
    def f(x):
        def outer(v):
            def inner(w):
                return w * v + x[0]
            return inner(v) + inner(2.0)
        return outer(x[1]) * outer(x[2])
    return f


@program()
def closure_made_by_a_factory():
    def adder(n):
        return lambda v: v + n * v * v
    steps = [adder(1.0), adder(2.0)]

    def f(x):
        return sum(step(x[0]) for step in steps) * adder(x[1])(x[2])
    def before(k):
        steps.append(adder(k + 0.5))
    return Scene(f, before=before)


@program()
def nonlocal_accumulator():
    def f(x):
        total, count = 0.0, 0
        def visit(v):
            nonlocal total, count
            if v > 0:
                total += v * v; count += 1
        for v in x:
            visit(v)
        return total / count
    return f


@program()
def cell_shared_by_two_functions():
    def f(x):
        level = x[0]
        def push(v):
            nonlocal level
            level = level * 0.5 + v
        def read():
            return level * x[1]
        push(x[1]); first = read(); push(first)
        return read() - first
    return f


@program()
def lambdas_on_one_line():
    f1, f2, f3 = (lambda v: v * 2.0), (lambda v: v * v), (lambda v, k=3.0: v**3 * k)
    return lambda x: f1(x[0]) + f2(x[1]) * f3(x[2]) + (lambda a: (lambda b: a * b))(x[0])(x[1])


@program()
def lambdas_in_a_table():
    table = {"neg": lambda v: -v, "pos": lambda v: v * 3.0, "zero": lambda v: v * 0.5 + 1.0}
    def f(x):
        return sum(table["pos" if v > 1 else "neg" if v < 0 else "zero"](v) * v for v in x)
    return f


@program()
def decorated_helpers():
    by = [1.5]

    @_twice
    @_scaled(by)
    def poly(v):
        """Kept by wraps."""
        return v**2 + v

    def f(x):
        return sum(map(poly, x)) * (1.0 if poly.__doc__ == "Kept by wraps." else 0.0)
    def before(k):
        by[0] = 1.0 + k
    return Scene(f, before=before)


@program()
def decorated_inside():
    def f(x):
        @_twice
        def g(v, *, power=2):
            return v**power
        return g(x[0]) + g(x[1], power=3) + g(x[2], power=1)
    return f


@program()
def decorated_root():
    calls = []

    def logged(g):
        @functools.wraps(g)
        def wrapper(x):
            calls.append(g.__name__)
            return g(x) * len(calls)
        return wrapper

    @logged
    def f(x):
        return np.sum(x**2)
    return Scene(f, lambda: calls)


@program((A(1.2, 2.3), 0.5), (A(-0.3, 1.1), 1.5), (A(2.0, 0.4), -0.7), argnums=(0, 1))
def defaults_of_all_kinds():
    def f(x, s, *more, scale=2.0, shift=(1.0, 2.0), **named):
        assert not more and not named
        return np.sum(x * scale) * s + shift[1] * s**2
    return f


@program()
def args_and_kwargs_forwarded():
    def weigh(a, b=2.0, *rest, c, d=4.0, **named):
        return a * 1.0 + b * b + sum(rest) * c + d * named.get("e", 0.5)
    def forward(*args, **kwargs):
        return weigh(*args, **kwargs)
    def f(x):
        first = forward(x[0], c=x[1])
        second = forward(x[0], x[1], x[2], 3.0, c=2.0, e=x[2])
        third = forward(*x, c=x[0], **{"d": x[1], "e": 2.0})
        return first + second * third
    return f


@program()
def keyword_only_and_positional_only():
    def g(a, /, b, *, c=3.0):
        return a * b**c
    def f(x):
        return g(x[0], b=x[1] ** 2) + g(x[2], x[1], c=2)
    return f


@program()
def partial_of_partial():
    def blend(a, b, c, *, t=0.5):
        return a * t + b * (1.0 - t) * c
    settings = {"t": 0.25}
    half = functools.partial(blend, 2.0)
    def f(x):
        bound = functools.partial(half, x[0], t=settings["t"])
        return bound(x[1]) * bound(x[2], t=x[0])
    def before(k):
        settings["t"] = 0.25 * (k + 1)
    return Scene(f, before=before)


@program()
def partialmethod_and_methodcaller():
    class Gain:
        def __init__(self, k): self.k = k
        def apply(self, v, power): return self.k * v**power
        cube = functools.partialmethod(apply, power=3)
    gain = Gain(2.0)
    def f(x):
        return gain.cube(x[0]) + operator.methodcaller("apply", x[1], 2)(gain)
    def before(k):
        gain.k = k + 2.0
    return Scene(f, before=before)


@program()
def lru_cache_of_constants_and_of_data():
    made = []

    @functools.lru_cache(maxsize=None)
    def table(n):
        made.append(n)
        return np.arange(n) * 0.5

    @functools.cache
    def cube(v):
        return v * v * v

    def f(x):
        return np.sum(table(3) * x) + cube(x[0]) * cube(x[1]) + cube(x[0])
    return Scene(f, lambda: (made, table.cache_info().hits))


@program()
def callable_object():
    class Poly:
        def __init__(self, *c): self.c = c; self.calls = 0
        def __call__(self, v):
            self.calls += 1
            total = 0.0
            for c in self.c: total = total * v + c
            return total
    p = Poly(1.0, -2.0, 0.5)
    def f(x):
        return p(x[0]) * p(x[1]) + sum(map(p, x))
    return Scene(f, lambda: p.calls)


@program()
def callable_object_as_root():
    class Loss:
        scale = 1.0
        def __init__(self): self.seen = []
        def __call__(self, x):
            self.seen.append(x[0])
            return np.sum(np.tanh(x)) * self.scale
    loss = Loss()
    def before(k):
        Loss.scale = k + 1.0
    return Scene(loss, lambda: loss.seen, before)


@program()
def bound_method_as_root():
    class Model:
        def __init__(self): self.w = A(1, 2, 3); self.steps = 0
        def loss(self, x):
            self.steps += 1
            return np.sum((self.w * x) ** 2) / self.steps
    m = Model()
    def before(k):
        m.w[0] = k
    return Scene(m.loss, lambda: (m.steps, m.w), before)


@program()
def recursion_by_value():
    def depth(v):
        return v if abs(v) < 0.5 else 0.5 * depth(v * 0.6) + v * v
    def f(x):
        return depth(x[0]) + depth(x[1]) * depth(x[2])
    return f


@program()
def mutual_recursion():
    def even(v, n): return v if n == 0 else odd(v * 1.1, n - 1) + 1.0
    def odd(v, n): return v if n == 0 else even(v * v * 0.5, n - 1) * 2.0
    return lambda x: even(x[0], 3) + odd(x[1], 4) * x[2]


@program()
def recursion_through_the_root():
    def f(x, n=3):
        if n == 0:
            return np.sum(x**2)
        return f(x * 0.8 + 0.1, n - 1) + n * x[0]
    return f


@program()
def functions_as_values():
    def compose(*fs):
        return functools.reduce(lambda g, h: lambda v: h(g(v)), fs)
    def f(x):
        chain = compose(np.sin, _square, lambda v: v + x[0], np.exp)
        pick = [np.cos, np.tanh][int(x[1] > 2)]
        return chain(x[1]) + pick(x[2])
    return f


@program()
def helper_replaced_between_calls():
    class Box: pass
    box = Box()
    def f(x):
        return sum(box.h(v) for v in x)
    def before(k):
        c = k + 1.0
        box.h = (lambda v: v * c) if k % 2 else (lambda v: v**2 + c)
    return Scene(f, before=before)


@program()
def early_returns():
    def clip(v):
        if v < 0: return v * 0.1
        if v > 2: return 2.0 + (v - 2.0) * 0.2
        return v**2 / 2.0
    return lambda x: clip(x[0]) + clip(x[1]) * clip(x[2])


@program()
def import_inside_a_function():
    def f(x):
        import math
        from math import sqrt as root
        return math.exp(x[0] * 0.3) * root(x[1] ** 2 + 1.0) + x[2]
    return f


@program()
def attributes_of_a_function():
    def f(x):
        f.calls += 1
        f.last = x[0] * 2.0
        return np.sum(x) * f.calls + f.last * x[1]
    f.calls, f.last = 0, None
    return Scene(f, lambda: (f.calls, f.last))


@program()
def names_of_parameters_reused():
    def f(x, y=None):
        y = x if y is None else y
        x = x * 2.0
        x, y = y, x
        x = x[0] * y[1]
        return x * y[2] + x
    return f


@program(0.7, 1.9, -0.4, second=True)
def recursive_polynomial():
    def power(v, n):
        if n == 0:
            return 1.0
        half = power(v, n // 2)
        return half * half * v if n % 2 else half * half
    return lambda x: power(x, 5) + 2.0 * power(x, 2)
