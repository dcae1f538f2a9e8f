"""Builtins of single objects on values being recorded."""

import collections.abc
import math
import numbers
import re
import warnings

import numpy as np
import pytest

import hybridad
from hybridad.recording.runtime.python import MEANINGS
from tests.recording.agreement import POINT
from tests.recording.runtime.stand_in import Site, agrees, guards_of, in_a_run, raises_alike

NAMES = {"np": np, "math": math, "numbers": numbers, "abc": collections.abc}


@pytest.mark.parametrize("expression", [
    "float(s)", "float(a)", "float(e)", "float(o)", "float(x[0]) * float(x[1])", "float(x.sum())",
    "float(3) * s",
    "complex(s)", "complex(s, a)", "complex(w)", "complex(z[1])", "complex(e, o)", "complex(w, w)",
    "complex(0, s)", "complex(real=s, imag=2)", "complex(imag=s)", "complex(1, w)", "complex() * s",
    "abs(s)", "abs(w)", "abs(x)", "abs(z)", "abs(e)", "abs(-3) * s",
    "pow(s, 2)", "pow(a, s)", "pow(x, y * y)", "pow(base=s, exp=3)", "pow(2, 3, 5) * s",
    "divmod(a, s)", "divmod(x, s)", "divmod(v, 0.37)", "divmod(5, s)", "divmod(7, 2)[1] * s",
    "list(x)", "list(m)", "tuple(v)", "tuple([s, a])", "list(zip(x, y))", "list() + [s]",
    "dict(p=s, q=a)", "dict([('p', s), ('q', [a, x])])", "dict({'p': s}, q=a)", "dict(['pq'], r=s)",
    "max(set([1.0, 2.0])) * s", "max(frozenset((1.0, 2.0))) * s",
])
def test_agrees(expression):
    agrees(expression, order=2, **NAMES)


@pytest.mark.parametrize("expression, guards", [
    ("(int(a * 3), s)[0]", [("int", 4)]),
    ("(int(o), s)[0]", [("int", 0)]),
    ("(int('12'), s)[0]", []),
    ("(int('12', base=8), s)[0]", []),
    ("(bool(s), s)[0]", [("bool", True)]),
    ("(bool(), s)[0]", []),
    ("(bool([]), s)[0]", []),
    ("(round(a), s)[0]", [("int", 1)]),
    ("(round(a, None), s)[0]", [("int", 1)]),
    ("(round(a, 1), s)[0]", []),
    ("(round(s, 1), s)[0]", []),
    ("(round(e), s)[0]", [("int", 1)]),
    ("(len(x), s)[0]", []),
    ("(len([s, a]), s)[0]", []),
    ("(list(range(int(a * 3))), s)[0]", [("int", 4)]),
    ("('abcdef'[slice(int(a), 3)], s)[0]", [("int", 1)]),
    ("(hash(s), s)[0]", [("hash", hash(0.6))]),
    ("(hash((s, 1)), s)[0]", [("hash", hash((0.6, 1)))]),
    ("(hash('a') == hash('a'), s)[0]", []),
    ("(str(s), s)[0]", [("str", "0.6")]),
    ("(repr(a), s)[0]", [("str", "np.float64(1.37)")]),
    ("(ascii(s), s)[0]", [("str", "0.6")]),
    ("(str([s, {'a': a}]), s)[0]", [("str", "[0.6, {'a': np.float64(1.37)}]")]),
    ("(str(x), s)[0]", [("str", "[0.7  0.23 0.45]")]),
    ("(str(b'ab', 'ascii'), s)[0]", []),
    ("(format(s, '.2f'), s)[0]", [("str", "0.60")]),
    ("(format(a), s)[0]", [("str", "1.37")]),
    ("(format([s]), s)[0]", [("str", "[0.6]")]),
    ("(format(12, 'x'), s)[0]", []),
    ("(chr(int(a * 70)), s)[0]", [("int", 95)]),
    ("(ord('a'), hex(255), bin(2), oct(8), s)[:4]", []),
], ids=lambda x: x if isinstance(x, str) else "")
def test_decisions_are_noted(expression, guards):
    value, site = in_a_run(expression, **NAMES)
    expected = eval(expression, {**NAMES, **POINT})
    assert value == expected and type(value) is type(expected)
    assert site.guards == guards


TYPES = ["float", "int", "complex", "np.ndarray", "np.float64", "np.floating", "np.float32",
         "numbers.Number", "numbers.Real", "numbers.Complex", "abc.Iterable", "abc.Sized",
         "abc.Hashable", "abc.Sequence", "(int, float)", "int | float", "object", "str",
         "(str, (np.ndarray, float))"]


@pytest.mark.parametrize("x", ["s", "a", "x", "w", "e", "z[0]", "[s]"])
def test_types_are_those_of_the_plain_value(x):
    for kind in TYPES:
        agrees(f"(isinstance({x}, {kind}), s)[0] * s", **NAMES)
    agrees(f"(type({x}), callable({x}), issubclass(type({x}), float), s)[:3]", **NAMES)


def test_isinstance_of_a_users_abc():

    class Vector(np.ndarray.__class__):
        def __instancecheck__(cls, x):
            return type(x) is np.ndarray and x.ndim == 1

    class IsVector(metaclass=Vector):
        pass

    agrees("(isinstance(x, IsVector), isinstance(m, IsVector), isinstance(s, IsVector))",
           IsVector=IsVector)


def test_type_makes_classes():
    agrees("type('Point', (), {'x': 2.0})().x * s")


@pytest.mark.parametrize("expression", [
    "float(w)", "float(x)", "float('a') * s", "float(None) * s", "float([s])",
    "int(w)", "int(x)", "int(s * math.inf)", "int(s * math.nan)", "int(s, 10)",
    "complex(x)", "complex('1+') * s", "complex(s, None)", "complex(s, '1')", "complex('1', s)",
    "bool(x)", "abs(None) * s", "abs('a') * s", "round(w)", "round(x)", "round(s, s)",
    "round(s * math.nan)", "pow(s, 2, 3)", "divmod(s, 0.0)", "divmod(w, s)", "divmod(s, None)",
    "len(s)", "len(o)", "range(s)", "range(3.0) or s", "chr(s)", "ord(s)", "hex(s)",
    "hash(x)", "hash([s])", "isinstance(s, 3)", "list(s)", "list(o)", "tuple(s)", "set(s)",
    "dict([s])", "dict([(1, s, 2)])", "dict(s)", "dict(1, 2) or s",
    "format(s, 'd')", "format(x, '.2f')", "format([s], '3')",
    "getattr(x, 3)", "hasattr(s, 3)", "str(s, 'ascii')", "math.sqrt(int(s) - 1)",
])
def test_errors_are_those_of_python(expression):
    raises_alike(expression, **NAMES)


def test_float_of_an_array_of_one_element():
    """NumPy warns or refuses, by version, at the user's line."""
    x = np.array([[1.5]])
    site = Site()

    def f(x):
        return MEANINGS[float](site, x) ** 2

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            expected = float(x)
        except TypeError as error:
            with pytest.raises(TypeError, match=f"^{re.escape(str(error))}$"):
                hybridad.value_and_grad(f)(x)
            return
        warned.clear()
        value, grad = hybridad.value_and_grad(f)(x)
    assert type(value) is float and value == expected ** 2
    np.testing.assert_array_equal(grad, [[3.0]])
    assert [(w.category, w.filename, w.lineno) for w in warned] == [
        (DeprecationWarning, __file__, f.__code__.co_firstlineno + 1)]


def test_imaginary_part_is_discarded_with_the_warning_of_numpy():
    site = Site()

    def f(z):
        return MEANINGS[float](site, z) ** 2

    with pytest.warns(np.exceptions.ComplexWarning) as warned:
        value, grad = hybridad.value_and_grad(f)(np.complex128(1.5 + 1.0j))
    assert value == 2.25 and type(value) is float
    assert grad == 3.0
    assert [(w.filename, w.lineno) for w in warned] == [(__file__, f.__code__.co_firstlineno + 1)]


class Quantity:
    """Says everything of itself by Python functions."""

    def __init__(self, x):
        self.x = x

    def __float__(self):
        return self.x

    def __int__(self):
        return 3

    def __complex__(self):
        return self.x * 1j

    def __abs__(self):
        return Quantity(-self.x)

    def __round__(self, ndigits=None):
        return Quantity(self.x * 2.0)

    def __len__(self):
        return 4

    def __hash__(self):
        return 12

    def __eq__(self, other):
        return NotImplemented

    def __repr__(self):
        return f"<{self.x}>"

    def __format__(self, spec):
        return spec + "!"


@pytest.mark.parametrize("expression, method", [
    ("float(Quantity(s))", "__float__"),
    ("int(Quantity(s)) * s", "__int__"),
    ("complex(Quantity(s))", "__complex__"),
    ("abs(Quantity(s)).x", "__abs__"),
    ("round(Quantity(s)).x", "__round__"),
    ("round(Quantity(s), 2).x", "__round__"),
    ("len(Quantity(s)) * s", "__len__"),
    ("hash(Quantity(s)) * s", "__hash__"),
    ("(str(Quantity(s)), s)[0]", "__repr__"),
    ("(repr(Quantity(s)), s)[0]", "__repr__"),
    ("(format(Quantity(s), 'abc'), s)[0]", "__format__"),
])
def test_special_methods_are_called_through_the_site(expression, method):
    agrees(expression, order=2, Quantity=Quantity)
    _, site = in_a_run(expression, Quantity=Quantity)
    assert getattr(Quantity, method).__qualname__ in site.called


class Wrong:
    def __float__(self):
        return 3

    def __int__(self):
        return 3.5

    def __complex__(self):
        return "1"

    def __len__(self):
        return -1

    def __hash__(self):
        return 0.5

    def __str__(self):
        return 1

    def __repr__(self):
        raise KeyError("inner")

    def __format__(self, spec):
        return None


@pytest.mark.parametrize("function", [
    "float", "int", "complex", "len", "hash", "str", "repr", "format"])
def test_wrong_results_of_special_methods_raise_as_in_python(function):
    raises_alike(f"({function}(Wrong()), s)", Wrong=Wrong)


def test_attributes():

    class Thing:
        y = 2.0

        @property
        def bad(self):
            raise AttributeError("inner")

    thing = Thing()
    agrees("(setattr(thing, 'x', s * a), getattr(thing, 'x') * s, delattr(thing, 'x'),"
           " hasattr(thing, 'x'), hasattr(thing, 'y'), hasattr(s, 'real'), hasattr(x, 'no'),"
           " getattr(thing, 'x', 5.0), getattr(thing, 'bad', a), getattr(x, 'T'),"
           " getattr(x, 'sum')())", thing=thing)
    assert vars(thing) == {}
    raises_alike("(delattr(thing, 'x'), s)", thing=thing)
    raises_alike("(setattr(thing, 3, s), s)", thing=thing)
    raises_alike("(getattr(thing, 'bad'), s)", thing=thing)


def test_print_is_an_effect(capsys):
    value, site = in_a_run("(print(s, [a], x, sep='; ', end='.'), s)[0]")
    assert value is None
    assert capsys.readouterr().out == "0.6; [np.float64(1.37)]; [0.7  0.23 0.45]."
    assert [f for f, _, _ in site.effects] == [print]
    assert site.guards == []


def test_identity():
    agrees("(id(x) == id(x), id(s) == id(s), s)[:2]")


def test_mappings_of_the_users():

    class Mapping:
        def __init__(self, x):
            self.x = x

        def keys(self):
            return ["a", "b"]

        def __getitem__(self, key):
            return self.x * len(key)

    agrees("dict(Mapping(s), c=s)", Mapping=Mapping)


def test_nothing_is_noted_of_plain_values():
    assert guards_of("(int(2.5), bool(1), str(3), round(2.5), hash(1), format(1.0), s)") == []
