"""Special methods are found on the type, as the interpreter finds them."""

import json

import pytest

from hybridad.recording.runtime.specials import has, special, users
from tests.recording.effects.runs import recording


class Base:
    def __len__(self):
        return 1

    def __getattr__(self, name):
        return "it is asked for"

    __iter__ = None
    __add__ = len


class Derived(Base):
    __contains__ = json.JSONEncoder.encode


@pytest.mark.parametrize("kind", [Base, Derived])
def test_methods_of_the_users(kind):
    x = kind()
    assert special(x, "__len__") is users(x, "__len__") is Base.__dict__["__len__"]
    assert has(x, "__len__") and not has(x, "__getitem__") and special(x, "__getitem__") is None
    assert users(x, "__getitem__") is None


def test_none_forbids():
    x = Derived()
    assert has(x, "__iter__") and special(x, "__iter__") is None and users(x, "__iter__") is None


def test_what_is_not_the_users():
    x = Derived()
    assert special(x, "__add__") is len and users(x, "__add__") is None
    assert special(x, "__contains__") is not None and users(x, "__contains__") is None
    assert special([], "__len__") is list.__len__ and users([], "__len__") is None
    x.__dict__["__getitem__"] = lambda self, k: k     # of an instance: nobody asks for it
    assert special(x, "__getitem__") is None


def test_wrappers_have_none():
    with recording(1.0) as (_, x):
        assert users(x, "__add__") is None and special(x, "__add__") is not None
