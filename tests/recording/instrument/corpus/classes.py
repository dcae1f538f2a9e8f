# ruff: noqa
"""Classes defined in functions: methods, mangling, super, properties, class bodies."""

import dataclasses
import enum
import functools

FACTOR = 3
x = "global x"


def methods():
    class A:
        k = 2
        def __init__(self, v):
            self.v = v
        def times(self):
            return self.v * self.k * FACTOR
        @classmethod
        def make(cls, v):
            return cls(v + cls.k)
        @staticmethod
        def add(a, b=1):
            return a + b
        @property
        def w(self):
            return self.v + 1
        @w.setter
        def w(self, value):
            self.v = value - 1
        @w.deleter
        def w(self):
            self.v = None
    a = A.make(3)
    out = [a.times(), A.add(1), a.add(2, 3), a.w]
    a.w = 11
    a.w += 5
    out.append(a.v)
    del a.w
    return out, a.v, A.__qualname__, A.times.__qualname__


def inheritance():
    class A:
        def f(self):
            return ["A"]
        @classmethod
        def g(cls):
            return cls.__name__
    class B(A):
        def f(self):
            return ["B", *super().f()]
        @classmethod
        def g(cls):
            return super().g() + "!"
    class C(B):
        def f(self):
            return ["C"] + super(C, self).f() + [__class__.__name__]
        def h(self):
            return [super(C, self).f() for _ in range(1)], (lambda: __class__)().__name__
    return C().f(), C.g(), C().h()


def mangling():
    class Secret:
        __shared = 1
        def __init__(self, __v):
            self.__v = __v
        def __hidden(self, *, __k=2):
            return self.__v + __k
        def get(self):
            def inner(__z):
                return __z + self.__v
            self.__v += 1
            self.__v, self.__w = self.__v + 1, 0
            return self.__hidden(), inner(1), Secret.__shared, sorted(vars(self)), [self.__v for self.__v in [8]]
        def drop(self):
            del self.__v
            return hasattr(self, "_Secret__v"), getattr(self, "__w", "none")
        def missing(self):
            return self.__nothing
    s = Secret(1)
    out = [s.get(), s.drop()]
    try:
        s.missing()
    except AttributeError as e:
        out.append(str(e))
    return out


def mangled_globals():
    class _K:
        def f(self):
            global __made
            __made = 4
            r = __made
            del __made
            return r
    return _K().f(), "_K__made" in globals()


def mangled_free():
    class K:
        def f(self):
            __n = 1
            def g():
                nonlocal __n
                __n += 1
                return __n
            return g(), __n
    return K().f()


def class_body():
    n = 3
    class A:
        "Doc of A."
        a = n + 1
        b = a * 2
        c = [i * n for i in range(n)]
        if a > 3:
            d = "big"
        else:
            d = "small"
        for e in range(2):
            f = e
        x = x
        g, (h, k) = 1, (2, 3)
        l: int = 5
        m: "str"
        a += 1
        o = {}
        o["k"] = a
        o["k"] += 1
        with_lambda = lambda self: self.a + n
        try:
            p = 1 / 0
        except ZeroDivisionError:
            p = None
    names = sorted(k for k in vars(A) if k not in (
        "__dict__", "__weakref__", "__module__", "__static_attributes__", "__firstlineno__"))
    return names, A.__doc__, A.a, A.b, A.c, A.d, A.f, A.x, A.h, A.o, A().with_lambda(), A.__annotations__


def class_body_decides():
    n = 3
    class A:
        a = n and 5
        b = n or 5
        c = 1 < n < 5
        d = 1 < n + 1 < 3
        e = n + 0 and [] or "e"
        f = [i for i in range(5) if 0 < i < n]
        g = [i and i + 1 or n for i in (n and (1, 2))]
        h = 1 if n and n > 2 else 0
        l = lambda self, v: v + 1 and v or n
    return A.a, A.b, A.c, A.d, A.e, A.f, A.g, A.h, A().l(4)


def class_body_fails():
    class A:
        n = 0
        m = (1 /
             n)


def class_scopes():
    v = "function"
    class A:
        v = "class"
        def f(self):
            return v
        g = lambda self: v
        h = [v for _ in range(1)]
    class B:
        w = v
        global x
        y = x
    return A().f(), A().g(), A.h, B.w, B.y


def class_nonlocal():
    n = 1
    class A:
        nonlocal n
        n = 2
        n += 1
    return n, hasattr(A, "n")


def metaclass():
    class Meta(type):
        def __new__(mcs, name, bases, space, **options):
            made = super().__new__(mcs, name, bases, space)
            made.options = options
            return made
        def __call__(cls, *args):
            return ("called", super().__call__(*args))
    bases = (object,)
    class A(*bases, metaclass=Meta, flag=FACTOR, **{"other": 2}):
        def __init__(self, *args):
            self.args = args
    made = A(1, 2)
    return A.options, made[0], made[1].args


def class_decorators():
    def tag(t):
        def deco(cls):
            cls.tags = [*getattr(cls, "tags", ()), t]
            return cls
        return deco
    @tag("outer")
    @tag("inner")
    class A:
        pass
    return A.tags


def dataclass():
    @dataclasses.dataclass(order=True)
    class P:
        x: float
        y: float = 2.0
        z: list = dataclasses.field(default_factory=list)
        def norm(self):
            return (self.x ** 2 + self.y ** 2) ** 0.5
        def __post_init__(self):
            self.x += 1
    p = P(2, 4)
    return p, p.norm(), P(1) < P(2), dataclasses.replace(p, x=0), dataclasses.asdict(p)


def enumeration():
    class Color(enum.Enum):
        RED = 1
        GREEN = RED + 1
        def low(self):
            return self.name.lower()
    return [c.low() for c in Color], Color(2), Color["RED"].value


def special_methods():
    class V:
        def __init__(self, *v):
            self.v = v
        def __add__(self, o):
            return V(*(a + b for a, b in zip(self.v, o.v)))
        def __radd__(self, o):
            return self if o == 0 else NotImplemented
        def __iadd__(self, o):
            return V(*self.v, *o.v)
        def __neg__(self):
            return V(*(-a for a in self.v))
        def __eq__(self, o):
            return isinstance(o, V) and self.v == o.v
        def __hash__(self):
            return hash(self.v)
        def __len__(self):
            return len(self.v)
        def __getitem__(self, i):
            return self.v[i]
        def __contains__(self, a):
            return a in self.v
        def __iter__(self):
            return iter(self.v)
        def __repr__(self):
            return f"V{self.v!r}"
        def __format__(self, spec):
            return f"<{spec}>"
        def __getattr__(self, name):
            if name == "total":
                return sum(self.v)
            raise AttributeError(name)
    a, b = V(1, 2), V(3, 4)
    c = sum([a, b])
    d = a
    d += b
    first, *rest = d
    return (c, -a, a == b, a == V(1, 2), len(a), a[1], 2 in b, [*d], first, rest, f"{a:x}", {a: 1}[V(1, 2)],
            a.total, bool(V()), d)


def descriptors():
    class Field:
        def __set_name__(self, owner, name):
            self.name = "_" + name
        def __get__(self, obj, kind=None):
            return self if obj is None else getattr(obj, self.name, 0) + 1
        def __set__(self, obj, value):
            setattr(obj, self.name, value)
    class A:
        f = Field()
        @functools.cached_property
        def c(self):
            return [self.f]
    a = A()
    a.f += 4
    a.f *= 2
    return a.f, a.c is a.c, vars(a)["_f"]


def slots():
    class A:
        __slots__ = ("a", "__b")
        def __init__(self):
            self.a, self.__b = 1, 2
        def both(self):
            return self.a + self.__b
    s = A()
    try:
        s.c = 1
    except AttributeError as e:
        return s.both(), str(e)


def nested_classes():
    class A:
        class B:
            __n = 1
            def f(self):
                return self.__n, A.B.__qualname__, type(self).f.__qualname__
        def g(self):
            class C:
                def h(self):
                    return self.__class__.__qualname__
            return C().h()
    return A.B().f(), A().g()


def method_fails():
    class A:
        def f(self):
            return self.g(
                1)
        def g(self, n):
            return {}[n]
    return A().f()


def wrong_super():
    def f():
        return super().x
    f()


def property_of_self():
    class A:
        def __enter__(self):
            return self
        def __exit__(self, *error):
            self.left = True
        def __init__(self):
            self.items = {}
        def set(self, **values):
            for key, value in values.items():
                self.items[key], self.last = value, key
            return self
    with A() as a:
        a.set(p=1, q=2)
    return a.items, a.last, a.left


def init_subclass():
    class Base:
        known = []
        def __init_subclass__(cls, /, name="", **rest):
            super().__init_subclass__(**rest)
            cls.known.append((cls.__name__, name))
    class A(Base, name="first"):
        pass
    class B(A):
        pass
    return Base.known


def class_in_loop():
    made = []
    for k in range(3):
        class C:
            n = k
            def f(self, d=k):
                return self.n, d, k
        made.append(C)
    return [c().f() for c in made]


def type_call():
    A = type("A", (), {"f": lambda self, n=2: n * FACTOR})
    return A().f(), type(3) is int, isinstance(A(), A)
