"""Classes: methods, properties, super, mangling, dataclasses, classes made inside."""

# ruff: noqa: E701, E702, RUF012

import abc
import dataclasses
import functools

import numpy as np

from tests.programs import A, Scene, program


@program()
def static_class_and_instance_methods():
    class Unit:
        factor = 2.0
        def scaled(self, v): return v * self.factor
        @classmethod
        def of_class(cls, v): return v**2 * cls.factor
        @staticmethod
        def plain(v): return np.sin(v)
    u = Unit()
    def f(x):
        return u.scaled(x[0]) + Unit.of_class(x[1]) + u.plain(x[2]) * u.of_class(x[0])
    def before(k):
        Unit.factor = k + 1.0
        if k == 2: u.factor = -1.0
    return Scene(f, before=before)


@program()
def properties_with_setters():
    class Circle:
        def __init__(self, r): self._r = r
        @property
        def r(self): return self._r
        @r.setter
        def r(self, v): self._r = abs(v) + 0.1
        @property
        def area(self): return np.pi * self._r**2
    def f(x):
        c = Circle(x[0]); first = c.area
        c.r = x[1]
        c.r += x[2]
        return first + c.area * c.r
    return f


@program()
def super_in_a_diamond():
    class Root:
        gain = 1.0
        def run(self, v): return v * self.gain
    class Left(Root):
        def run(self, v): return super().run(v) + 1.0
    class Right(Root):
        def run(self, v): return super().run(v * v)
    class Both(Left, Right):
        def run(self, v): return 2.0 * super().run(v) + Right.run(self, v)
    b = Both()
    def f(x):
        return sum(b.run(v) for v in x)
    def before(k):
        Root.gain = k + 0.5
    return Scene(f, before=before)


@program()
def super_with_arguments_and_init():
    class Layer:
        def __init__(self, w): self.w = w; self.log = []
        def __call__(self, v): self.log.append(len(self.log)); return self.w * v
    class Biased(Layer):
        def __init__(self, w, b):
            super(Biased, self).__init__(w)  # noqa: UP008
            self.b = b
        def __call__(self, v): return super().__call__(v) + self.b
    def f(x):
        layer = Biased(x[0], x[1])
        return layer(layer(x[2])) * len(layer.log)
    return f


@program()
def mangled_names():
    class Vault:
        __rate = 1.0
        def __init__(self): self.__sum = 0.0
        def __step(self, v): self.__sum = self.__sum + v * self.__rate
        def add(self, v):
            self.__step(v)
            __local = self.__sum * 2.0
            return __local
    vault = Vault()
    def f(x):
        v = Vault()
        return v.add(x[0]) * v.add(x[1]) + vault.add(2.0) * x[2]
    def before(k):
        Vault._Vault__rate = k + 1.0
    return Scene(f, lambda: vault._Vault__sum, before)


@program()
def dataclass_with_methods_and_post_init():
    @dataclasses.dataclass
    class Line:
        a: float
        b: float = 1.0
        points: list = dataclasses.field(default_factory=list)
        norm: float = dataclasses.field(init=False)
        def __post_init__(self): self.norm = np.sqrt(self.a**2 + 1.0)
        def at(self, v):
            self.points.append(v)
            return (self.a * v + self.b) / self.norm
    def f(x):
        one, two = Line(x[0]), Line(x[1], b=x[2])
        return one.at(x[2]) * two.at(one.at(2.0)) + len(one.points)
    return f


@program()
def frozen_dataclass_replaced():
    @dataclasses.dataclass(frozen=True)
    class State:
        x: float
        v: float
        def step(self, dt): return dataclasses.replace(self, x=self.x + dt * self.v,
                                                       v=self.v - dt * np.sin(self.x))
    def f(x):
        s = State(x[0], x[1])
        for _ in range(3): s = s.step(0.1)
        return s.x * x[2] + dataclasses.asdict(s)["v"] + dataclasses.astuple(s)[0]
    return f


@program()
def dataclass_order_and_equality():
    @dataclasses.dataclass(order=True)
    class Item:
        key: float
        weight: float = dataclasses.field(compare=False)
    def f(x):
        items = [Item(x[0], 1.0), Item(x[1], 2.0 * x[0]), Item(x[2], x[1])]
        best = max(items)
        return best.weight * best.key + (3.0 if best == items[0] else 4.0) * min(items).key
    return f


@program()
def object_built_and_changed_inside():
    class Body:
        def __init__(self, p, v): self.p, self.v, self.path = p, v, []
        def move(self, dt):
            self.v -= dt * self.p
            self.p += dt * self.v
            self.path.append(self.p)
    def f(x):
        b = Body(x[0], x[1])
        while len(b.path) < 4: b.move(0.2)
        return sum(p * p for p in b.path) + b.v * x[2]
    return f


@program()
def object_of_outside_updated():
    class Average:
        mean, n = 0.0, 0
        def update(self, v):
            self.n += 1
            self.mean += (v - self.mean) / self.n
            return self.mean
    average = Average()
    def f(x):
        return average.update(x[0]) * x[1] + average.update(x[2]) ** 2
    return Scene(f, lambda: average)


@program()
def slots_and_class_counter():
    class Node:
        __slots__ = ("left", "right", "value")
        made = 0
        def __init__(self, value, left=None, right=None):
            self.value, self.left, self.right = value, left, right
            type(self).made += 1
        def total(self):
            return self.value + sum(k.total() * 0.5 for k in (self.left, self.right) if k)
    def f(x):
        tree = Node(x[0], Node(x[1], Node(x[2])), Node(x[0] * x[1]))
        return tree.total() * Node.made
    return Scene(f, lambda: Node.made)


@program()
def class_defined_inside():
    def f(x):
        class Local:
            base = x[0] * 2.0
            table = [base, base * 2.0]
            def get(self, i): return self.base * self.table[i] + x[1]
        return Local().get(0) + Local().get(1) * Local.base
    return f


@program()
def abstract_and_overridden():
    class Shape(abc.ABC):
        @abc.abstractmethod
        def area(self): ...
        def cost(self): return self.area() * 1.5
    class Square(Shape):
        def __init__(self, s): self.s = s
        def area(self): return self.s**2
    class Disk(Shape):
        def __init__(self, r): self.r = r
        def area(self): return 3.0 * self.r**2
    def f(x):
        shapes = [Square(v) if v > 0 else Disk(v) for v in x]
        return sum(s.cost() for s in shapes if isinstance(s, Shape)) + sum(
            s.area() for s in shapes if type(s) is Disk)
    return f


@program()
def fluent_interface():
    class Chain:
        def __init__(self, v): self.v = v
        def add(self, w): self.v = self.v + w; return self
        def scale(self, w): self.v = self.v * w; return self
    return lambda x: Chain(x[0]).add(x[1]).scale(x[2]).add(1.0).scale(x[0]).v


@program()
def method_kept_in_a_variable():
    class Filter:
        def __init__(self): self.y = 0.0
        def step(self, v): self.y = 0.7 * self.y + 0.3 * v; return self.y
    def f(x):
        step = Filter().step
        last = [step(v) for v in x]
        return last[-1] * last[0] + sum(map(Filter().step, x))
    return f


@program()
def cached_property_of_data():
    class Sample:
        computed = 0
        def __init__(self, v): self.v = v
        @functools.cached_property
        def spread(self):
            Sample.computed += 1
            return np.sum((self.v - np.mean(self.v)) ** 2)
    fixed = Sample(A(1, 2, 4))
    def f(x):
        s = Sample(x)
        return s.spread * s.spread + fixed.spread * x[0]
    return Scene(f, lambda: (Sample.computed, sorted(vars(fixed))))


@program()
def singledispatch_by_type():
    @functools.singledispatch
    def norm(v): return abs(v) * 2.0
    @norm.register(np.ndarray)
    def _(v): return np.sum(v**2)
    @norm.register(list)
    def _(v): return sum(norm(u) for u in v) * 0.5
    return lambda x: norm(x) + norm([x[0], x[1:]]) * norm(x[2])


@program()
def init_subclass_and_registry():
    registry = {}
    class Op:
        def __init_subclass__(cls, tag): registry[tag] = cls
        def __init__(self, w): self.w = w
    class Mul(Op, tag="mul"):
        def run(self, v): return v * self.w
    class Pow(Op, tag="pow"):
        def run(self, v): return (v * v + 1.0) ** self.w
    plan = ["mul", "pow"]
    def f(x):
        v = x[0]
        for i, tag in enumerate(plan): v = registry[tag](x[1 + i % 2]).run(v)
        return v
    def before(k):
        plan[:] = [["mul", "pow"], ["pow", "mul", "mul"], ["pow"]][k % 3]
    return Scene(f, lambda: plan, before)
