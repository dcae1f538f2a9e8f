"""What a standalone module takes and gives."""

import dataclasses
import enum
from collections import namedtuple

import numpy as np
import pytest

from hybridad import grad, value_and_grad
from hybridad.inspection.interface import Interface
from hybridad.inspection.literals import NotWritable
from hybridad.inspection.subject import Subject


def of(vg, *args, **kwargs):
    subject = Subject(vg, "f")
    entry = subject.entry(args, kwargs)
    return Interface(subject.engine, entry, entry.trace.tree)


class UnknownPath(ValueError):
    """As in a module."""


def run(interface, inner, *args, **kwargs):
    """Call the function that the interface describes, with `inner` as the specialized code."""
    def expect(condition, what):
        if not condition:
            raise UnknownPath(what)

    body = "\n    ".join(interface.statements([f"x{k}" for k in range(len(interface.places))],
                                              "inner"))
    space = {"np": np, "inner": inner, "_expect": expect}
    exec(f"def f({', '.join(interface.parameters)}):\n    {body}", space)
    return space["f"](*args, **kwargs)


def test_leaves_go_in_and_gradients_come_out_in_place():
    def f(p, x):
        return np.sum(p["b"][0]) + np.sum(p["a"]) * p["b"][1] * x

    p = {"b": [np.ones(2), 2.0], "a": np.ones(3)}
    interface = of(value_and_grad(f), p, 5.0)

    def inner(*leaves):
        sizes = [np.size(leaf) for leaf in leaves]
        return "value", *[10 * size for size in sizes[:3]]

    value, gradient = run(interface, inner, p, 5.0)
    assert (value, gradient) == ("value", {"b": [20, 10.0], "a": 30})
    assert type(gradient["b"][1]) is float and list(gradient) == ["b", "a"]


@pytest.mark.parametrize(("vg", "result", "given"), [
    (value_and_grad(lambda x, y: x * y), "value, gradient", ("v", 1.0)),
    (grad(lambda x, y: x * y), "gradient", 1.0),
    (value_and_grad(lambda x, y: (x * y, 3), has_aux=True), "(value, aux), gradient",
     (("v", "aux"), 1.0)),
    (grad(lambda x, y: (x * y, 3), has_aux=True), "gradient, aux", (1.0, "aux")),
    (grad(lambda x, y: x * y, argnums=(1, 0)), "gradients", (1.0, 2.0)),
    (grad(lambda x, y: x * y, argnums=(1,)), "gradients", (1.0,)),
])
def test_results(vg, result, given):
    interface = of(vg, 2.0, 3.0)
    assert interface.result == result
    parts = ("v", "aux", 1, 2) if "aux" in result else ("v", 1, 2)
    count = len(parts) - 2 + len(interface.wanted)
    assert run(interface, lambda *leaves: parts[:count], 2.0, 3.0) == given


def test_parameters_have_other_names_where_they_must():
    interface = of(grad(lambda len, np_, _adjoint, *rest, key: len * 1.0),
                   2.0, 3.0, 4.0, 5.0, key=6.0)
    assert interface.parameters == ["len_", "np_", "adjoint", "rest_0", "*", "key"]


def test_lines_say_what_is_differentiated():
    def f(p, x, n, *, flag):
        return p[0] * x

    assert of(grad(f), (2.0, 3.0), 4.0, 5, flag=True).lines == [
        "p: (float, float), differentiated", "x: float", "n: int", "flag: True"]


def test_arrays_must_not_be_the_same():
    interface = of(grad(lambda x, y: np.sum(x * y)), np.ones(2), np.ones(2))
    x = np.ones(2)
    assert run(interface, lambda *leaves: ("v", 1.0), x, x.copy()) == 1.0
    with pytest.raises(UnknownPath, match="arrays that are not the same"):
        run(interface, lambda *leaves: ("v", 1.0), x, x)


@pytest.mark.parametrize(("known", "others"), [
    (2.0, [2, np.float64(2.0), "2"]), (2, [2.0, True]), (2j, [2.0]), (np.float32(2.0), [2.0]),
    (np.ones((2, 3)), [np.ones((3, 2)), np.ones((2, 3)).T.copy().T, np.ones((2, 3), ">f8"), 1.0]),
    (np.ones((2, 3), order="F"), [np.ones((2, 3))]),
    (True, [False, 1]), (None, [0]), ("a", ["b", b"a"]), (..., [None]),
], ids=repr)
def test_other_arguments_are_refused(known, others):
    interface = of(grad(lambda x, y: x * x), 3.0, known)

    def call(y):
        return run(interface, lambda *leaves: ("v", 6.0), 3.0, y)

    assert call(known) == 6.0
    for other in others:
        with pytest.raises(UnknownPath):
            call(other)


@pytest.mark.parametrize(("known", "others"), [
    ([2.0], [(2.0,), [2.0, 3.0], [2]]), ((2.0,), [[2.0], (2.0, 2.0)]),
    ({"a": 2.0}, [{"b": 2.0}, {"a": 2.0, "b": 2.0}, [2.0]]),
    ({"a": 2.0, "b": 3.0}, [{"b": 2.0, "a": 3.0}]),
    ({1: 2.0}, [{True: 2.0, 2: 1.0}]),
], ids=repr)
def test_other_structures_are_refused(known, others):
    interface = of(grad(lambda p: (p[0] if isinstance(p, (list, tuple)) else
                                   next(iter(p.values()))) * 2.0), known)

    def call(p):
        return run(interface, lambda *leaves: ("v", *[1.0] * len(leaves)), p)

    assert type(call(known)) is type(known)
    for other in others:
        with pytest.raises(UnknownPath):
            call(other)


class Color(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Point:
    x: float


Pair = namedtuple("Pair", "x y")
WHOLE = np.ones(3)


@pytest.mark.parametrize(("f", "args", "reason"), [
    (lambda p: p.x * 2.0, (Point(1.0),), "the argument p is"),
    (lambda p: p.x * 2.0, (Pair(1.0, 2.0),), "the argument p is"),
    (lambda x, c: x * 2.0, (1.0, Color.RED), "the argument c is a Color"),
    (lambda x, y: np.sum(x * y), (1.0, np.ones((4, 4))[::2, ::2]),
     "the argument y is an array in neither C nor Fortran order"),
    (lambda x, y: np.sum(x * y), (WHOLE, WHOLE), "arguments are one object or share memory"),
    (lambda x, y: np.sum(x * y), (WHOLE[1:], WHOLE[:-1]), "arguments are one object or share"),
])
def test_what_cannot_be_written(f, args, reason):
    with pytest.raises(NotWritable, match=reason):
        of(grad(f), *args)


def test_only_what_is_written_to_has_to_be_apart():
    def f(x, y, z):
        y[0] = 2.0
        return np.sum(x * y * z)

    interface = of(grad(f, argnums=(0, 1)), np.ones(2), np.ones(2), np.ones(2))
    shared = [check for check in interface.checks if "shares_memory" in check]
    assert len(shared) == 2 and all("shares_memory(y, " in check for check in shared)
    assert not any("shares_memory" in check for check in of(
        grad(lambda x, y: np.sum(x * y)), np.ones(2), np.ones(2)).checks)
