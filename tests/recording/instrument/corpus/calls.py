# ruff: noqa
"""Calls, functions, closures, decorators, generators."""

import functools
import inspect
import sys

COUNTER = 0
_ORIGINAL = globals


def _show(*args, **kwargs):
    return args, kwargs


def arguments():
    a, k = (1, 2), {"x": 3}
    return (_show(), _show(1), _show(*a), _show(**k), _show(0, *a, 9, *a, y=1, **k, **{"z": 4}),
            _show(*[], **{}), _show(*(i for i in a)))


def argument_order():
    seen = []
    def f(v):
        seen.append(v)
        return v
    def g(v):
        seen.append(v)
        return _show
    g("f")(f(1), *[f(2)], f(3), k=f(4), **{"m": f(5)})
    return seen


def call_fails():
    return _show(1,
                 2)[0]("no")


def missing_argument():
    def f(a, b):
        return a
    return f(
        1)


def unexpected_keyword():
    def f(a):
        return a
    return f(1, b=2)


def defaults():
    n = 1
    def f(a, b=n + 1, *c, d=n * 3, e, **g):
        return a, b, c, d, e, g
    n = 50
    return f(0, e=1), f(0, 1, 2, d=3, e=4, x=5), f.__defaults__, f.__kwdefaults__


def positional_only():
    def f(a, b=2, /, c=3, *, d=4):
        return a, b, c, d
    out = [f(1), f(1, 2, 3, d=5)]
    try:
        f(a=1)
    except TypeError as e:
        out.append(str(e))
    return out


def mutable_default():
    def f(x, acc=[]):
        acc.append(x)
        return acc
    f(1)
    return f(2)


def annotated():
    def f(a: int, b: "str" = "x", *c: undefined_later if False else int, d: list[int] = ()) -> float:
        "doc of f"
        x: int = 3
        y: undefined_name
        return x
    return f(1), f.__annotations__, f.__doc__, f.__name__, f.__qualname__, f.__module__


def recursion():
    def fact(n):
        return 1 if n <= 1 else n * fact(n - 1)
    return fact(10)


def mutual_recursion():
    def even(n):
        return n == 0 or odd(n - 1)
    def odd(n):
        return n != 0 and even(n - 1)
    return even(10), odd(7), even(3)


def closure():
    n = 0
    def add(k):
        nonlocal n
        n += k
        return n
    add(1)
    n *= 10
    add(2)
    return n


def closure_stores():
    a = b = c = 0
    def f():
        nonlocal a, b, c
        a, b = 1, 2
        for c in range(5):
            pass
        (a, (b, [*c])) = 10, (20, "xyz")
        if (a := a + 1) > 3:
            b += a
        return a, b, c
    r = f()
    return r, a, b, c


def closure_definitions():
    f = g = K = None
    def h():
        nonlocal f, g, K
        def f(): return "f"
        @functools.lru_cache
        def g(): return "g"
        class K: v = 3
        import math as inner
        return f.__qualname__, K.__qualname__
    r = h()
    return r, f(), g(), K.v


def closures_in_loop():
    fs = [lambda: i for i in range(3)]
    gs = []
    for j in range(3):
        gs.append(lambda j=j: j)
    return [f() for f in fs], [g() for g in gs]


def deep_closure():
    x = 1
    def f():
        def g():
            def h():
                nonlocal x
                x += 1
                return x
            return h
        return g
    return f()()(), f()()(), x


def shadowing():
    x = 1
    def f(x):
        return [x for x in range(x)], x
    return f(3), x, (lambda x: x + 1)(x)


def unbound_free():
    def f():
        return later
    if COUNTER < 0:
        later = 1
    return f()


def deleted_free():
    x = 1
    def f():
        nonlocal x
        del x
    f()
    try:
        return x
    except NameError as e:
        return type(e).__name__, str(e)


def global_stores():
    global COUNTER
    old = COUNTER
    COUNTER = 5
    COUNTER += 2
    a = COUNTER
    for COUNTER in range(3):
        pass
    (b, COUNTER), c = (1, COUNTER + 10), COUNTER
    d = COUNTER
    COUNTER = old
    return a, b, c, d


def global_definitions():
    global made_f, made_c, made_i, made_j
    def made_f(): return 1
    class made_c: pass
    import os.path as made_i
    import json.decoder
    from math import pi as made_j
    r = made_f(), made_f.__qualname__, made_c.__qualname__, made_i.__name__, made_j, json.__name__
    del made_f, made_c, made_i, made_j
    return r, "made_f" in _ORIGINAL()


def global_dotted_import():
    global xml
    import xml.dom
    r = xml.__name__, xml.dom.__name__
    del xml
    return r


def global_deleted_twice():
    global made_here
    made_here = 1
    del made_here
    del made_here


def decorators():
    seen = []
    def note(tag):
        seen.append(tag)
        def deco(f):
            seen.append((tag, f.__name__))
            @functools.wraps(f)
            def inner(*a):
                return tag, f(*a)
            return inner
        return deco
    @note("outer")
    @note("inner")
    def g(x):
        "doc"
        return x
    return g(3), seen, g.__doc__, g.__name__, g.__wrapped__(4)


def decorated_line():
    def keep(f):
        return f
    @keep
    @(lambda f: f)
    def g():
        pass
    return g.__code__.co_firstlineno


def cached():
    calls = []
    @functools.lru_cache(maxsize=None)
    def f(n):
        calls.append(n)
        return n if n < 2 else f(n - 1) + f(n - 2)
    return f(10), calls, f.cache_info().hits


def partials():
    f = functools.partial(_show, 1, k=2)
    return f(3), functools.reduce(lambda a, b: a * b, [1, 2, 3]), list(map(lambda v: v + 1, [1, 2]))


def sort_keys():
    return sorted([3, 1, 2], key=lambda v: -v), max("abc", key=lambda c: -ord(c)), min([], default=0)


def generator():
    def gen(n):
        k = 0
        while k < n:
            got = yield k
            k += got or 1
        return "end"
    g = gen(5)
    out = [next(g), g.send(2), next(g)]
    try:
        g.send(1)
        g.send(1)
    except StopIteration as e:
        out.append(e.value)
    return out, list(gen(3))


def delegating():
    def inner():
        try:
            x = yield 1
            yield x * 2
        finally:
            out.append("closed")
        return "value"
    def outer():
        r = yield from inner()
        out.append(r)
        yield from (i * i for i in range(3))
        yield from [7, 8]
    out = []
    g = outer()
    return next(g), g.send(10), list(g), out


def generator_closed():
    out = []
    def gen():
        try:
            yield 1
            yield 2
        except GeneratorExit:
            out.append("exit")
            raise
        finally:
            out.append("finally")
    g = gen()
    next(g)
    g.close()
    return out


def generator_thrown():
    def gen():
        while True:
            try:
                yield 1
            except ValueError as e:
                yield str(e)
    g = gen()
    next(g)
    return g.throw(ValueError("in")), next(g)


def generator_fails():
    def gen():
        yield 1
        yield 1 // 0
    return [v for v in
            gen()]


def generator_expression():
    out = []
    g = (out.append(x) or x * 2 for x in range(3) if x != 1)
    first = next(g)
    return first, list(out), list(g), out


def generator_iterable_is_eager():
    return (x for x in
            5)


def generator_lambda():
    f = lambda: (yield 5)
    return list(f())


def local_names():
    a = 1
    b = [x for x in range(3)]
    return sorted(n for n in locals() if not n.startswith(".")), sorted(vars()), "a" in dir()


def evaluated():
    a = 3
    code = "a + 1"
    space = {}
    exec("z = a * 2", {"a": a}, space)
    return eval(code), eval("b", {"b": 5}), eval("a", None), space["z"]


def frames():
    def name():
        return sys._getframe(1).f_code.co_name, inspect.currentframe().f_code.co_name
    return name(), _show.__name__, [name() for _ in range(1)][0][1]


def argument_rebinding():
    def f(a, *args, **kwargs):
        a += 1
        args = args[1:]
        kwargs["k"] = a
        return a, args, kwargs
    return f(1, 2, 3, z=4)


def callable_objects():
    class C:
        n = 2
        def __call__(self, x, *, y=3):
            return self.n * x + y
    c = C()
    return c(1), c(1, y=0), list(map(c, [1, 2])), C()(5)


def function_attributes():
    def f():
        f.count += 1
        return f.count
    f.count = 0
    f()
    return f(), f.__dict__


def docstring():
    """The text."""
    return docstring.__doc__


def only_docstring():
    """Nothing else."""


def immediate_return():
    return


def star_call_of_method():
    t = "{}-{}-{k}"
    return t.format(*[1, 2], k=3), "-".join(*[["a", "b"]]), str.upper(*["x"])


def import_statements():
    import math, os.path
    import collections.abc as abc
    from functools import reduce, partial as p
    return math.pi, os.path.sep, abc.__name__, reduce is functools.reduce, p is functools.partial


def import_fails():
    from math import nothing_like_it
    return nothing_like_it


def asynchronous():
    import asyncio
    async def one(x):
        await asyncio.sleep(0)
        return x + 1
    async def many(n):
        for i in range(n):
            yield i * await one(i)
    async def main():
        async with asyncio.Lock() as lock:
            return [v async for v in many(3)], [await one(i) for i in range(2)], lock
    return asyncio.run(main())


def async_generator_expression():
    import asyncio
    async def many():
        yield 1
        yield 2
    def make():
        return (v * 2 async for v in many())
    async def main():
        return [v async for v in make()]
    return asyncio.run(main())
