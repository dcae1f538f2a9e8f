"""Names of arguments, and what they are made of."""

import functools

import numpy as np
import pytest
from hybridad._signature import signature

from hybridad.inspection.arguments import (
    Leaf,
    arguments_as_text,
    names_of_arguments,
    structure_of_arguments,
)
from hybridad.tree import register_pytree


def of(*args, **kwargs):
    return signature(args, kwargs, (0,))[0]


@pytest.mark.parametrize(("f", "args", "kwargs", "names"), [
    (lambda w, x=1.0: w, (1.0, 2.0), {}, ["w", "x"]),
    (lambda w, x=1.0: w, (1.0,), {}, ["w"]),
    (lambda w, *rest: w, (1.0, 2.0, 3.0), {}, ["w", "rest_0", "rest_1"]),
    (lambda w, /, *, n: w, (1.0,), {"n": 3}, ["w", "n"]),
    (lambda w, **options: w, (1.0,), {"b": 3, "a": 4}, ["w", "b", "a"]),
    (functools.partial(lambda w, x: w, 1.0), (2.0,), {}, ["x"]),
    (np.add.reduce, (1.0, 2), {}, None),
])
def test_names_are_those_of_the_parameters(f, args, kwargs, names):
    found = names_of_arguments(f, of(*args, **kwargs))
    assert len(set(found)) == len(args) + len(kwargs)
    assert names is None or found == names


def test_what_has_no_signature_has_numbered_arguments():
    assert names_of_arguments(np.add, of(1.0, 2.0))[:2] in (["x0", "x1"], ["x1", "x2"])
    assert names_of_arguments(object(), of(1.0, 2.0)) == ["x0", "x1"]


def test_structure_has_leaves_in_place_of_numbers_and_arrays():
    known = of({"w": np.ones(2), "b": [1.0, np.ones((2, 3)).T]}, True, "a", n=3)
    w, flag, text, n = structure_of_arguments(known)
    assert list(w) == ["w", "b"] and (flag, text) == (True, "a")
    assert repr(w) == "{'w': float64[2], 'b': [float, float64[3, 2] in Fortran order]}"
    assert type(n) is Leaf and n.text == "int"
    numbers = [w["w"].number, *[leaf.number for leaf in w["b"]], n.number]
    _, leaves = signature(({"w": np.ones(2), "b": [1.0, np.ones((2, 3)).T]}, True, "a"),
                          {"n": 3}, (0,))
    assert sorted(numbers) == [0, 1, 2, 3] and leaves[n.number] == 3
    assert leaves[w["w"].number].shape == (2,)


class Strict:
    """A container that takes numbers only."""

    def __init__(self, x):
        self.x = x + 1.0 - 1.0


register_pytree(Strict, lambda s: ((s.x,), None), lambda _, children: Strict(*children))


def test_a_container_that_takes_no_leaves_is_told_of_in_words():
    known = of(Strict(1.0), 2.0)
    assert structure_of_arguments(known) is None
    assert "Strict" in arguments_as_text(lambda s, x: x, known)
    assert arguments_as_text(lambda s, x: x, known).endswith("x: float")


def test_text():
    known = of((np.ones((2, 3)), np.float32(2.0)), (1.0, 2.0), n=3)
    assert arguments_as_text(lambda w, pair, n: w, known) == \
        "w: (float64[2, 3], float32), pair: an object of tuple, n: int"


def test_long_text_is_cut():
    known = of({f"name{k}": 1.0 for k in range(100)})
    text = arguments_as_text(lambda p: p, known)
    assert text.startswith("p: {'name0': float, ") and text.endswith("...") and len(text) == 83
