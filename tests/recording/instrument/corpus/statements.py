# ruff: noqa
"""Assignments, deletions, branches, loops, comprehensions, with, try, match.

PYTEST_DONT_REWRITE: an assertion fails here as it does at a user's.
"""

import contextlib

BOX = {"n": 1}


class _Noted:
    """Says what is done to it."""

    def __init__(self, log, name="o"):
        self.__dict__.update(log=log, name=name, value=10)

    def __getattr__(self, key):
        if key.startswith("__"):
            raise AttributeError(key)
        self.log.append(("get", self.name, key))
        return self.value

    def __setattr__(self, key, value):
        self.log.append(("set", self.name, key, value))

    def __delattr__(self, key):
        self.log.append(("del", self.name, key))

    def __getitem__(self, index):
        self.log.append(("getitem", self.name, index))
        return self.value

    def __setitem__(self, index, value):
        self.log.append(("setitem", self.name, index, value))

    def __delitem__(self, index):
        self.log.append(("delitem", self.name, index))


def _noting():
    log = []
    def say(value):
        log.append(value)
        return value
    return log, say


def assignment():
    a = b = 1
    c, d = 2, 3
    c, d = d, c
    [e, f] = (x, y) = "xy"
    return a, b, c, d, e, f, x, y


def unpacking():
    a, *b = range(4)
    *c, d = "xyz"
    e, (f, *g), [h] = 1, (2, 3, 4), "h"
    (i,) = [5]
    () = []
    return a, b, c, d, e, f, g, h, i


def too_few():
    a, b, c = \
        1, 2


def too_many():
    x = [1, 2, 3]
    (a,
     b) = x


def not_iterable():
    x = 5
    a, b = x


def store_order():
    log, say = _noting()
    o, p = _Noted(log), _Noted(log, "p")
    o.a = say(1)
    o[say(2)] = say(3)
    p.x, p[say(4)], q = o.y, say(5), say(6)
    o.a = p.b = r = say(7)
    (o.a, (p.b, *o.c)), s = (say(8), (say(9), say(10))), say(11)
    return log, q, r, s


def nested_targets():
    log, say = _noting()
    o = _Noted(log)
    a, (o.b, [c, o[say("i")]]), *d = 1, (2, [3, 4]), 5, 6
    (e, f), g = (1, 2), 3
    (h, o.k), l = "hk", 3
    return a, c, d, e, f, g, h, l, log


def failing_nested_target():
    log, say = _noting()
    o = _Noted(log)
    try:
        o.a, (b, c), o.d = 1, (2,), 3
    except ValueError as e:
        log.append(str(e))
    return log


def augmented():
    x = 7
    x += 1; x -= 2; x *= 3; x //= 2; x **= 2; x %= 50; x <<= 2; x >>= 1; x |= 1; x &= 63; x ^= 5
    y = 3.0
    y /= 2
    return x, y


def augmented_in_place():
    a = b = [1]
    a += [2]
    s = t = {1}
    s |= {2}
    return b, t, a is b


def augmented_order():
    log, say = _noting()
    o, p = _Noted(log), _Noted(log, "p")
    def which(v):
        log.append("which")
        return v
    which(o).a += say(1)
    which(p)[say(2)] += say(3)
    which(p)[say(4):say(5)] = 3
    which(p)[say(6):, say(7)] -= say(8)
    o.n *= 2
    p[0] -= 1
    return log


def augmented_walrus():
    x = [1, 2]
    i = 0
    x[i] += (i := 1) + (x := [5, 6])[0]
    return x, i


def augmented_fails():
    x = [1]
    x[0] += (
        "a")


def augmented_slices():
    x = list(range(6))
    x[1:3] += [9]
    y = x
    y[-1:] *= 2
    return x


def augmented_tuple_item():
    t = ([1], 2)
    try:
        t[0] += [3]
    except TypeError as e:
        return t, str(e)


def annotated_assignment():
    log, say = _noting()
    x: int = say(1)
    y: "nothing"
    o = _Noted(log)
    o.a: undefined = say(2)
    o[say(3)]: undefined = say(4)
    o.b: undefined
    (z): int = 3
    return x, z, log


def deletions():
    log, say = _noting()
    o = _Noted(log)
    a, b, c = 1, 2, [1, 2, 3, 4]
    del a, (b, o.x), o[say(1)], c[1:3], [o.y]
    return log, c, sorted(n for n in locals())


def delete_missing():
    d = {}
    del d[
        "k"]


def delete_unbound():
    x = 1
    del x
    del x


def store_fails():
    x = 1
    x.a = (
        2)


def store_in_tuple():
    t = (1,)
    t[0] = 2


def branches():
    out = []
    for x in range(5):
        if x == 0:
            out.append("zero")
        elif x == 1:
            out.append("one")
        elif x in (2, 3) and not x == 3:
            out.append("two")
        else:
            out.append("many")
    return out


def loops():
    out = []
    for i in range(10):
        if i == 2:
            continue
        if i == 5:
            break
        out.append(i)
    else:
        out.append("never")
    for j in ():
        pass
    else:
        out.append("else")
    n = 3
    while n:
        n -= 1
        if n == 1:
            continue
    else:
        out.append("done")
    while True:
        out.append("once")
        break
    return out, i, n


def loop_targets():
    log, say = _noting()
    o = _Noted(log)
    out = []
    for o.a in range(2):
        pass
    for o[say("i")], (b, *c) in [(1, (2, 3)), (4, (5, 6, 7))]:
        out.append((b, c))
    for a, b in {"x": 1}.items():
        out.append((a, b))
    for k, (m, n) in enumerate(zip("ab", "cd")):
        out.append((k, m, n))
    return log, out, sorted(locals())


def loop_not_iterable():
    for x in \
            3:
        pass


def loop_unpack_fails():
    for (a,
         b) in [(1, 2), (3,)]:
        pass


def loop_modifies():
    x = [1, 2, 3]
    for v in x:
        if len(x) < 6:
            x.append(v * 2)
    return x


def loop_user_iterator():
    class Count:
        def __init__(self, n):
            self.n = n
        def __iter__(self):
            return self
        def __next__(self):
            if self.n == 0:
                raise StopIteration
            self.n -= 1
            return self.n
    return [v for v in Count(3)], *Count(2), dict(enumerate(Count(2)))


def nested_loops_return():
    for i in range(3):
        for j in range(3):
            if i * j == 2:
                return i, j


def comprehensions():
    n = 3
    return ([x for x in range(n)], [x * y for x in range(n) for y in range(x) if x + y > 1],
            {x % 2 for x in range(5)}, {x: x * n for x in range(2)}, {k: v for k, v in zip("ab", [1, 2])},
            [[y for y in range(x)] for x in range(n)], [a + b for a, b in [(1, 2), (3, 4)]],
            [x for x in range(10) if x % 2 if x > 3], list(x + n for x in range(2)),
            [a + sum(c) for a, (b, *c) in [(1, (2, 3, 4))]], sum(i * n for i in range(4)))


def comprehension_decides():
    lo, hi = 1, 4
    return ([x for x in range(6) if lo < x < hi], [x and lo for x in range(2)],
            [x or hi for x in range(2)], [x if x > 2 else -x for x in range(4)],
            [x for x in range(6) if lo < x * 2 < hi + 3], [not x for x in range(2)],
            [(lo < x + 1 < hi) for x in range(4)], {x: x and x > 1 for x in range(3)})


def comprehension_iterables():
    a, b = [], [1, 2]
    return ([x for x in a or b], [x for x in (b and b) if x], [y for x in (b or a) for y in (a or b)],
            [x for x in [y + 1 for y in a or b]], [[y for y in x or b] for x in [[], [5]]],
            list(x for x in (a if not b else b) or a), [x for x in b if 0 < len(b) + 1 < 4],
            [x for x in (lambda: a or b)()], {x for x in a or b}, {x: 1 for x in a or b})


def comprehension_names():
    x = "outer"
    r = [x for x in range(2)]
    s = [(lambda: x)() for x in range(2)]
    return x, r, s, [x for _ in range(1)]


def comprehension_stores():
    box = [0]
    o = type("O", (), {})()
    r = [box[0] for box[0] in range(3)], [o.v for o.v in "ab"]
    s = [(box[0], o.v) for box[0], (o.v, *rest) in [(1, (2, 3))]]
    return r, s, box, o.v


def comprehension_fails():
    return [1 // x
            for x in (1,
                      0)]


def dict_comprehension_fails():
    return {x:
            1 / x for x in (1, 0)}


def comprehension_condition_fails():
    return {x for x in [1, "a"]
            if x > 0}


def contexts():
    log = []
    @contextlib.contextmanager
    def c(v):
        log.append(("in", v))
        yield v
        log.append(("out", v))
    with c(1) as a, c(2) as (b), c((3, 4)) as (d, e):
        log.append((a, b, d, e))
    with (c(5), c(6) as f):
        log.append(f)
    with c(7):
        return log


def context_targets():
    log, say = _noting()
    o = _Noted(log)
    @contextlib.contextmanager
    def c(v):
        log.append(("in", v))
        yield v
        log.append(("out", v))
    with c(1) as o.a, c((2, 3)) as (o[say("i")], b), c(4) as d:
        log.append("body")
    return log, b, d


def context_swallows():
    out = []
    with contextlib.suppress(ZeroDivisionError):
        out.append(1)
        1 / 0
        out.append(2)
    class C:
        def __enter__(self):
            return self
        def __exit__(self, kind, value, tb):
            out.append((kind.__name__, str(value)))
            return True
    with C() as c, C():
        raise ValueError("v")
    return out


def context_fails():
    with contextlib.suppress(KeyError), \
            open:
        pass


def context_body_fails():
    with contextlib.suppress(KeyError):
        x = [1]
        x[
            2]


def tries():
    out = []
    def f(what):
        try:
            if what == 0:
                return "returned"
            if what == 1:
                raise KeyError("k")
            if what == 2:
                1 / 0
        except KeyError as e:
            out.append(repr(e))
        except (ZeroDivisionError, ValueError) as e:
            out.append(str(e))
            raise RuntimeError("again") from e
        else:
            out.append("else")
        finally:
            out.append("finally")
        return "end"
    r = [f(0), f(1), f(3)]
    try:
        f(2)
    except RuntimeError as e:
        r.append((str(e), repr(e.__cause__)))
    return r, out, "e" in locals()


def try_all():
    try:
        undefined_thing
    except:
        return "caught"


def try_order():
    log, say = _noting()
    try:
        say(1) / 0
    except say(TypeError):
        pass
    except (say(ValueError), say(ZeroDivisionError)):
        log.append("here")
    return log


def uncaught():
    try:
        x = {}
        x["a"]
    except IndexError:
        pass


def error_in_handler():
    try:
        1 / 0
    except ZeroDivisionError:
        [][
            0]


def finally_overrides():
    def f():
        for i in range(3):
            try:
                return i
            finally:
                if i < 5:
                    continue
        return "end"
    return f()


def exception_groups():
    out = []
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2), KeyError(3)])
    except* ValueError as e:
        out.append(repr(e.exceptions))
    except* (TypeError, KeyError) as e:
        out.append(len(e.exceptions))
    return out


def raises_with_cause():
    try:
        raise ValueError("a") from KeyError("b")
    except ValueError as e:
        raise TypeError("c") from None


def raises_class():
    raise (
        ValueError)


def raises_nonsense():
    raise 5


def reraises():
    try:
        try:
            raise ValueError("x")
        except ValueError:
            raise
    except ValueError as e:
        return e.args, e.__traceback__.tb_lineno


def assertions():
    x = 1
    assert x, "no"
    try:
        assert x > 1 and x < 3, f"x is {x}"
    except AssertionError as e:
        out = str(e)
    assert x == 1 < 2
    assert x > (
        1), out


def matches():
    class P:
        __match_args__ = ("x", "y")
        def __init__(self, x, y):
            self.x, self.y = x, y
    def f(s):
        match s:
            case 0 | 1:
                return "small"
            case int(n) if 5 < n < 8 and n:
                return n, "six or seven"
            case [a, b, *rest]:
                return a, b, rest
            case {"k": v, **others}:
                return v, others
            case P(x=0, y=y):
                return "on axis", y
            case P(a, b) as p:
                return a, b, type(p).__name__
            case "text" as t:
                return t
            case None:
                return "none"
            case _:
                return "other"
    return [f(s) for s in (0, 6, 9, [1, 2, 3], {"k": 1, "z": 2}, P(0, 1), P(1, 2), "text", None, 3.5)]


def match_without_case():
    match BOX["n"]:
        case 5:
            return "five"
        case str():
            return "text"
    return "none"


def match_guard_fails():
    match 3:
        case x if x / (
                0):
            pass


def match_binds():
    match (1, [2, 3]):
        case (a, [b, c]):
            pass
    match {"a": 1}:
        case {"a": 2}:
            d = 1
        case {"a": d}:
            d += 1
    return a, b, c, d


def passes():
    pass
    if BOX:
        ...
    for _ in ():
        pass
    class C: ...
    return C.__name__


def temporaries_do_not_stay():
    class V:
        gone = 0
        def __del__(self):
            V.gone += 1
        def __bool__(self):
            return True
    def f():
        x = V() and 3
        a, BOX["t"] = V(), 2
        del a
        V().attribute = V()
        return V.gone, sorted(locals())
    return f()


def many_branches():
    def f(x):
        if x == 0: return "a"
        elif x == 1: return "b"
        elif x == 2: return "c"
        elif x == 3: return "d"
        elif x == 4: return "e"
        elif x == 5: return "f"
        else: return "g"
    return [f(i) for i in range(7)]


def prints():
    print("a", BOX["n"], sep="-", end="!\n")
    for i in range(2):
        print(f"{i=}")
