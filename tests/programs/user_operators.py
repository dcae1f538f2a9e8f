"""Operators and protocols that the user's classes define, with state in them."""

# ruff: noqa: E701, E702

import functools

import numpy as np

from tests.programs import Scene, program

K = [1.0]


def _level(k):
    K[0] = k * 0.75 + 1.0


class Vec:
    """Arithmetic that depends on the outside."""

    def __init__(self, v): self.v = v
    def __add__(self, o): return Vec(self.v + o.v * K[0])
    def __radd__(self, o): return self.v[0] * K[0] + o
    def __sub__(self, o): return NotImplemented
    def __rsub__(self, o): return Vec(o - self.v * K[0])
    def __mul__(self, o): return Vec(self.v * (o.v if isinstance(o, Vec) else o) * K[0])
    __rmul__ = __mul__
    def __matmul__(self, o): return np.sum(self.v * o.v) * K[0]
    def __neg__(self): return Vec(-self.v * K[0])
    def __pow__(self, n): return Vec(self.v**n * K[0])
    def __abs__(self): return np.sum(np.abs(self.v)) * K[0]
    def __iadd__(self, o): self.v = self.v + o * K[0]; return self
    def __truediv__(self, o): return Vec(self.v / (o + K[0]))
    def __float__(self): return float(self.v[0] * K[0])


@program()
def arithmetic():
    def f(x):
        a, b = Vec(x), Vec(x * x)
        return ((a + b) * a).v[0] + (a * 2.0).v[1] * (3.0 * b).v[2] + (-a).v[1] + (a**2).v[0]
    return Scene(f, before=_level)


@program()
def reflected_and_augmented():
    def f(x):
        a = Vec(x)
        b = a
        b += x[0]
        total = sum([Vec(x), Vec(x * 2.0)][:1], 1.0)
        return total + a.v[1] * (2.0 if a is b else 0.0) + a @ Vec(x) + abs(a / 2.0) + float(a)
    return Scene(f, before=_level)


@program()
def subtraction_by_the_other_side():
    def f(x):
        difference = 2.0 - Vec(x)
        try: wrong = (Vec(x) - 1.0).v[0]
        except TypeError: wrong = x[1] * 3.0
        return difference.v[0] * difference.v[2] + wrong
    return Scene(f, before=_level)


@program()
def comparison_and_truth():
    class Bid:
        def __init__(self, v): self.v = v
        def __lt__(self, o): return self.v * K[0] < o.v * K[0]
        def __eq__(self, o): return abs(self.v - getattr(o, "v", o)) < K[0]
        def __bool__(self): return bool(self.v > K[0])
        __hash__ = None
    def f(x):
        a, b, c = map(Bid, x)
        k = (1.0 if a < b else 2.0) + (3.0 if a == c else 5.0) + (7.0 if b else 11.0)
        k += (not c) + (a != 2.0) * 2 + (a > c) * 4 + (a in [b, c]) * 8
        return k * min(a, b, c).v + (a or b).v * sorted([a, b, c])[0].v
    return Scene(f, before=_level)


@functools.total_ordering
class Size:
    def __init__(self, v): self.v = v
    def __eq__(self, o): return self.v == o.v
    def __lt__(self, o): return self.v < o.v
    def __hash__(self): return hash((self.v, 1))


@program()
def total_ordering_and_hash():
    def f(x):
        a, b, c = map(Size, x)
        table = {a: 2.0, b: 3.0, Size(x[0]): 5.0}
        return table[a] * max(a, b).v + (x[1] if a >= c else x[2]) * len(table)
    return f


@program()
def container_protocol():
    class Row:
        def __init__(self, v): self.v, self.reads = v, 0
        def __len__(self): return len(self.v)
        def __getitem__(self, i):
            self.reads += 1
            return Row(self.v[i]) if isinstance(i, slice) else self.v[i] * K[0]
        def __setitem__(self, i, value): self.v[i] = value * 0.5
        def __delitem__(self, i): self.v = [w for j, w in enumerate(self.v) if j != i]
        def __contains__(self, value): return value > K[0]
        def __reversed__(self): return iter([w * 2.0 for w in self.v[::-1]])
    def f(x):
        r = Row(list(x))
        r[1] = x[0]
        r[0] += x[2]
        total = sum(r) + r[1:][0] * len(r) + (3.0 if x[0] in r else 1.0) * r[-1]
        del r[0]
        return total + sum(w * i for i, w in enumerate(reversed(r))) + r.reads
    return Scene(f, before=_level)


@program()
def iteration_protocol():
    class Countdown:
        def __init__(self, v): self.v = v
        def __iter__(self): return self
        def __next__(self):
            self.v = self.v * 0.5
            if self.v < 0.2 * K[0]: raise StopIteration
            return self.v
    class Pairs:
        def __init__(self, v): self.v = v
        def __iter__(self):
            for w in self.v: yield w, w * K[0]
    def f(x):
        total = sum(Countdown(x[1]))
        for a, b in Pairs(x): total = total + a * b
        first, *rest = Pairs(x)
        return total * first[1] + dict(enumerate(rest))[0][0] + max(b for _, b in Pairs(x))
    return Scene(f, before=_level)


@program()
def getattr_and_setattr():
    class Params:
        def __init__(self, **kw): self.__dict__["data"] = kw
        def __getattr__(self, name):
            try: return self.data[name] * K[0]
            except KeyError: raise AttributeError(name) from None
        def __setattr__(self, name, v): self.data[name] = v + 1.0
        def __delattr__(self, name): del self.data[name]
    def f(x):
        p = Params(a=x[0], b=x[1])
        p.c = x[2]
        p.a += p.b
        del p.b
        return p.a * p.c + getattr(p, "b", 2.0) + (3.0 if hasattr(p, "c") else 1.0) * x[0]
    return Scene(f, before=_level)


@program()
def getattribute_overridden():
    class Logged:
        def __init__(self, v): self.v, self.log = v, []
        def __getattribute__(self, name):
            value = object.__getattribute__(self, name)
            if name == "v": object.__getattribute__(self, "log").append(K[0])
            return value
    outside = Logged(2.0)
    def f(x):
        l = Logged(x[0])
        return l.v * l.v * outside.v + len(l.log) * x[1] + sum(outside.log) * x[2]
    return Scene(f, lambda: outside.log, before=_level)


class Clamped:
    """A data descriptor."""

    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, o, owner=None): return self if o is None else getattr(o, self.name) * K[0]
    def __set__(self, o, v): setattr(o, self.name, v if v > 0 else -0.1 * v)


@program()
def descriptors():
    class Model:
        w, b = Clamped(), Clamped()
        def __init__(self, w, b): self.w, self.b = w, b
    outside = Model(1.0, 2.0)
    def f(x):
        m = Model(x[0], x[1])
        m.b = m.w * x[2]
        outside.w = outside.w * 0.5
        return m.w * m.b + outside.w * x[0] + outside.b * x[1]
    return Scene(f, lambda: vars(outside), before=_level)


@program()
def enter_and_exit():
    class Scope:
        depth = 0
        def __init__(self, v): self.v = v
        def __enter__(self): Scope.depth += 1; return self.v * K[0] * Scope.depth
        def __exit__(self, *error): Scope.depth -= 1
    def f(x):
        with Scope(x[0]) as a:
            with Scope(x[1]) as b: c = a * b
            if x[0] < 0: return c * x[2]
        return c + x[2] * Scope.depth + a
    return Scene(f, lambda: Scope.depth, before=_level)


@program()
def call_and_length_and_index():
    class Index:
        def __init__(self, v): self.v = v
        def __index__(self): return int(self.v > K[0])
        def __len__(self): return 2
        def __call__(self, *a, **k): return self.v * sum(a) + k.get("z", 0.0)
    def f(x):
        i = Index(x[1])
        table = [x[0], x[2] * 2.0]
        return table[i] * x[i] + i(x[0], 2.0, z=x[2]) * len(i) + sum(x[: Index(5.0)])
    return Scene(f, before=_level)


@program()
def text_protocols():
    class Money:
        def __init__(self, v): self.v = v
        def __str__(self): return f"{self.v:.1f}"
        def __repr__(self): return f"Money({self.v * K[0]:.2f})"
        def __format__(self, spec): return format(self.v * K[0], spec or ".1f")
    log = []
    def f(x):
        m = Money(x[0])
        log.append((str(m), repr(m), f"{m} {m:.3f} {m!r}", "{0:.2f}".format(m)))  # noqa: UP030, UP032
        return m.v * x[1] * (2.0 if str(m).startswith("-") else 3.0)
    return Scene(f, lambda: log, before=_level)


class Dual:
    """Forward-mode differentiation by the user, differentiated."""

    def __init__(self, a, b): self.a, self.b = a, b
    def __add__(self, o):
        o = o if isinstance(o, Dual) else Dual(o, 0.0)
        return Dual(self.a + o.a, self.b + o.b)
    __radd__ = __add__
    def __mul__(self, o):
        o = o if isinstance(o, Dual) else Dual(o, 0.0)
        return Dual(self.a * o.a, self.a * o.b + self.b * o.a)
    __rmul__ = __mul__
    def sin(self): return Dual(np.sin(self.a), np.cos(self.a) * self.b)


@program()
def dual_numbers():
    def f(x):
        d = Dual(x[0], 1.0)
        y = 3.0 * d * d + (d * x[1]).sin() + x[2]
        return y.b * y.a
    return f


@program()
def quaternion_product():
    class Q:
        def __init__(self, *q): self.q = q
        def __mul__(self, o):
            (a, b, c, d), (e, f, g, h) = self.q, o.q
            return Q(a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g,
                     a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e)
        def __invert__(self): return Q(self.q[0], *(-v for v in self.q[1:]))
        def __iter__(self): return iter(self.q)
    def f(x):
        r = Q(np.cos(x[0]), np.sin(x[0]), 0.0, x[1])
        p = r * Q(0.0, 1.0, x[2], 0.5) * ~r
        return sum(v * (i + 1) for i, v in enumerate(p))
    return f


@program()
def subclass_of_builtin_containers():
    class Params(dict):
        def __getattr__(self, name): return self[name] * K[0]
        def __missing__(self, key): return 0.5
    class Stack(list):
        def push(self, v): self.append(v * K[0]); return self
    def f(x):
        p = Params(w=x[0], b=x[1])
        s = Stack([x[2]]).push(x[0]).push(p["none"])
        return p.w * p["b"] + s[1] * s[-1] + sum(s) * len(p)
    return Scene(f, before=_level)
