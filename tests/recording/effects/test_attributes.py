"""Where attributes lie."""

import ctypes
import types

from hybridad.recording.effects.attributes import (
    ABSENT,
    Attribute,
    instance_dict,
    look_up,
    members,
)


class Loud:
    """Whose every hook fails."""

    __slots__ = ("__dict__", "slot")

    def __getattribute__(self, name):
        raise AssertionError(name)

    __setattr__ = __delattr__ = __eq__ = __hash__ = __getattribute__


def test_lookup_runs_no_code():
    class Meta(type):
        def __getattribute__(cls, name):
            raise AssertionError(name)

    class Strange(metaclass=Meta):
        found = 3

    assert look_up(Strange, "found") == 3
    assert look_up(Strange, "lost") is ABSENT
    assert repr(ABSENT) == "ABSENT"


def test_instance_attribute_past_the_hooks():
    obj = Loud()
    place = Attribute(obj, "a")
    assert place.exists and place.read() is ABSENT
    place.write(1.0)
    assert place.read() == 1.0 and instance_dict(obj) == {"a": 1.0}
    place.write(ABSENT)
    place.write(ABSENT)
    assert instance_dict(obj) == {}


def test_slot_past_the_hooks():
    obj = Loud()
    place = Attribute(obj, "slot")
    assert place.read() is ABSENT
    place.write(ABSENT)
    place.write(2.0)
    assert place.read() == 2.0
    place.write(ABSENT)
    assert place.read() is ABSENT
    assert [m.__name__ for m in members(Loud)] == ["slot"]


def test_property_has_no_place_and_its_name_none_of_its_own():
    class P:
        @property
        def x(self):
            raise AssertionError

        @x.setter
        def x(self, value):
            raise AssertionError

    class D:
        def __set__(self, obj, value):
            raise AssertionError

    P.d = D()
    assert not Attribute(P(), "x").exists
    assert not Attribute(P(), "d").exists
    assert not Attribute(3.0, "real").read() == 4.0
    assert not Attribute(object(), "a").exists


def test_class_attribute_is_the_class_own():
    class A:
        n = 1

    class B(A):
        pass

    place = Attribute(B, "n")
    assert place.read() is ABSENT
    B.n = 2
    place.write(ABSENT)
    place.write(ABSENT)
    assert "n" not in vars(B) and B.n == 1
    Attribute(A, "n").write(5)
    assert B.n == 5


def test_class_with_a_metaclass_that_objects():
    class Meta(type):
        def __setattr__(cls, name, value):
            raise AssertionError(name)

        __delattr__ = __setattr__

    class A(metaclass=Meta):
        n = 1

    Attribute(A, "n").write(2)
    assert A.n == 2
    Attribute(A, "n").write(ABSENT)
    assert not hasattr(A, "n")


def test_function_module_and_structure():
    def f(x=1.0):
        return x

    Attribute(f, "calls").write(3)
    assert f.calls == 3
    place = Attribute(f, "__defaults__")
    assert place.read() == (1.0,)
    place.write((2.0,))
    assert f() == 2.0

    module = types.ModuleType("made")
    place = Attribute(module, "g")
    place.write(1)
    assert module.g == 1 and place.order is None

    class Pair(ctypes.Structure):
        _fields_ = [("a", ctypes.c_double)]

    pair = Pair(1.5)
    place = Attribute(pair, "a")
    assert place.read() == 1.5
    place.write(2.5)
    assert pair.a == 2.5


def test_reorder():
    class A:
        pass

    a = A()
    a.p, a.q, a.r = 1, 2, 3
    place = Attribute(a, "p")
    order = place.order
    del a.p
    a.new, a.p = 4, 1
    place.reorder(order)
    assert list(vars(a)) == ["p", "q", "r", "new"]
