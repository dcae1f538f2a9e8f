"""Attributes of objects."""

import functools
import types

import numpy as np

from tests.recording.tracing.follow import X, follow, kinds, targets


class Model:
    rate = 3.0

    def __init__(self):
        self.w, self.k = np.arange(3.0), 2.0

    def go(self, x):
        return np.sum(x * self.w) * self.k * self.rate

    @property
    def double(self):
        return self.k * 2.0

    @double.setter
    def double(self, value):
        self.k = value / 2.0

    @classmethod
    def make(cls, x):
        return np.sum(x) * cls.rate

    @staticmethod
    def plain(x):
        return np.sum(x ** 2)

    @functools.cached_property
    def kept(self):
        return self.k * 4.0


class Child(Model):
    def go(self, x):
        return super().go(x) + x[0]


def test_reads():
    m = Child()
    follow(lambda x: m.go(x) * m.double + Model.make(x) * m.plain(x) + Model.rate * x[0], X)


def test_methods_are_checked_to_be_found_again():
    m = Child()
    events, _ = kinds(lambda x: m.go(x), X.copy())
    bound = [e for e in events if getattr(e, "target", None) == "bound"]
    assert [e.args[1] for e in bound] == ["go"]
    assert bound[0].kwargs["codes"] == ((Child.go, Child.go.__code__),)
    (code,) = [e for e in events if getattr(e, "target", None) == "code"]
    assert code.args[1] is Model.go.__code__     # of `super`


def test_stores():
    def make():
        m = Model()

        def f(x):
            m.k = m.k + 1.0
            m.last = x[0] * m.k
            m.double = m.double + 2.0
            return np.sum(x) * m.k + m.last
        return m, f

    (m, f), (plain, g) = make(), make()
    events, _ = kinds(f, X.copy())
    assert targets(events, "effect") == ["attribute"] * 3
    g(X)
    assert repr(vars(m)) == repr(vars(plain))


def test_objects_made_inside_are_not_outside():
    def f(x):
        m = Model()
        m.k = x[0] * m.double
        m.extra = types.SimpleNamespace(v=x[1])
        m.extra.v = m.extra.v * 2.0
        del m.w
        return m.k * m.extra.v + Model().go(x)

    events, _ = kinds(f, X.copy())
    assert targets(events, "effect") == []
    follow(f, X)


def test_deleting():
    def make():
        m = Model()

        def f(x):
            m.spare = 1.0
            del m.spare
            return np.sum(x) * hasattr(m, "spare") + np.sum(x ** 2)
        return m, f

    m, f = make()
    follow(f, X)
    assert not hasattr(m, "spare")


def test_attributes_that_there_may_be():
    m = Model()
    follow(lambda x: np.sum(x) * getattr(m, "none", 2.0) * getattr(m, "k", 9.0), X)
    events, _ = kinds(lambda x: np.sum(x) if hasattr(m, "w") else x[0], X.copy())
    assert targets(events, "read").count("has attribute") == 1
    assert targets(events, "read").count("attribute") == 0
