"""Attributes of the user's objects: properties, descriptors, what is not there, classes."""

import functools

import numpy as np
import pytest

from tests.recording.runtime.whole import agrees, fails_alike

PROGRAMS = []
FAILING = []


def program(f):
    PROGRAMS.append(f)
    return f


def failing(f):
    FAILING.append(f)
    return f


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_it_does_what_plain_python_does(f):
    agrees(f)


@pytest.mark.parametrize("f", FAILING, ids=lambda f: f.__name__)
def test_it_fails_as_plain_python_does(f):
    fails_alike(f)


# ---- attributes --------------------------------------------------------------------------------


class Meter:
    unit = 3.0

    def __init__(self, x):
        self._x, self.log = x, []

    @property
    def x(self):
        self.log.append("get")
        return self._x * 2.0

    @x.setter
    def x(self, value):
        self.log.append("set")
        self._x = value + 1.0

    @x.deleter
    def x(self):
        self.log.append("del")
        self._x = self._x * 0.5

    read_only = property(lambda self: self._x[0])
    hidden = property(None, lambda self, v: None)

    @functools.cached_property
    def total(self):
        self.log.append("total")
        return np.sum(self._x * self._x)


@program
def properties(x):
    m = Meter(x)
    m.x = m.x * x
    m.x += x
    del m.x
    return np.sum(m.x) * m.unit + m.read_only, m.log


@program
def cached_properties(x):
    m = Meter(x)
    y = m.total * m.total + m.total
    held = sorted(m.__dict__)
    del m.total
    m._x = x[:2]
    return y + m.total, (m.log, held)


@failing
def property_without_getter(x):
    return Meter(x).hidden


@failing
def property_without_setter(x):
    Meter(x).read_only = 1.0


@failing
def property_without_deleter(x):
    del Meter(x).read_only


@failing
def attribute_missing(x):
    return Meter(x).nothing


class Scaled:
    """A data descriptor."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, o, owner=None):
        if o is None:
            return owner.__name__
        return getattr(o, self.name) * o.scale

    def __set__(self, o, value):
        setattr(o, self.name, value / 2.0)

    def __delete__(self, o):
        o.deleted = self.name
        delattr(o, self.name)


class Lazy:
    """A descriptor that an instance may hide."""

    def __init__(self, function):
        self.function = function

    def __get__(self, o, owner=None):
        made = o.__dict__[self.function.__name__] = self.function(o)
        return made


class Described:
    value = Scaled()

    def __init__(self, x):
        self.scale, self.calls = 3.0, 0
        self.value = x

    @Lazy
    def norm(self):
        self.calls += 1
        return np.sqrt(np.sum(self.value**2))

    @classmethod
    def twice(cls, x):
        return cls(x * 2.0)

    @staticmethod
    def weigh(x):
        return x * np.arange(1.0, 4.0)


@program
def descriptors(x):
    d = Described(x)
    y = d.norm * d.norm + np.sum(d.value)
    d.value = d.value * x
    z = np.sum(d.value)
    del d.value
    return y + z, (d.calls, d.deleted, Described.value, sorted(d.__dict__))


@program
def class_and_static_methods(x):
    d = Described(x)
    return (np.sum(d.twice(x).value * Described.twice(x).value)
            + np.sum(d.weigh(x) * Described.weigh(x)))


class Table:
    """Attributes that are not there."""

    def __init__(self, **held):
        object.__setattr__(self, "held", held)
        object.__setattr__(self, "asked", [])

    def __getattr__(self, name):
        self.asked.append(name)
        try:
            return self.held[name] * 2.0
        except KeyError:
            raise AttributeError(f"no {name}") from None

    def __setattr__(self, name, value):
        self.held[name] = value + 1.0

    def __delattr__(self, name):
        self.asked.append("-" + name)
        del self.held[name]


@program
def missing_attributes(x):
    t = Table(p=x)
    t.q = t.p * x
    t.q += x
    y = np.sum(t.q * t.p)
    del t.p
    has = hasattr(t, "p"), hasattr(t, "q"), getattr(t, "p", 7)
    setattr(t, "r", y)  # noqa: B010
    return t.r * getattr(t, "r"), (t.asked, has)  # noqa: B009


@failing
def missing_attribute_of_getattr(x):
    return Table().nothing


@failing
def attribute_error_within_a_property(x):
    class P:
        @property
        def p(self):
            return x.nothing

    return P().p


class Watched:
    """Every attribute is watched."""

    seen = ()

    def __init__(self, x):
        self.x = x

    def __getattribute__(self, name):
        if name.startswith("double_"):
            return object.__getattribute__(self, name.removeprefix("double_")) * 2.0
        return super().__getattribute__(name)

    def __getattr__(self, name):
        return self.x * (3.0 if name == "triple" else 0.5)

    @property
    def broken(self):
        raise AttributeError("falls back")


@program
def every_attribute(x):
    w = Watched(x)
    return np.sum(w.double_x * w.x) + np.sum(w.triple * w.other) + np.sum(w.broken * x)


@program
def an_error_in_a_property_falls_back(x):
    class P:
        @property
        def p(self):
            raise AttributeError

        def __getattr__(self, name):
            return len(name) * x

    return np.sum(P().p * P().qq * x)


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self, x):
        self.x = x


@program
def slots(x):
    s = Slotted(x)
    before = hasattr(s, "y")
    s.y = s.x * x
    y = np.sum(s.y * s.x)
    del s.y
    return y, (before, hasattr(s, "y"))


@failing
def unset_slot(x):
    return Slotted(x).y


@failing
def unknown_slot(x):
    Slotted(x).z = x


class Registry(type):
    """Attributes of a class."""

    @property
    def size(cls):
        return len(cls.__name__)

    def __getattr__(cls, name):
        return 0.5 * len(name)


class Entry(metaclass=Registry):
    weight = 2.0


@program
def attributes_of_classes(x):
    return np.sum(x * Entry.weight) * Entry.size * Entry.other + np.sum(x * x)
