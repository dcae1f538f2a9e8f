"""Examples that are dropped and made up again."""

import numpy as np
import pytest

from hybridad.trace.examples import drop_examples, make_examples
from hybridad.trace.ir import Aval, Block, Leave, Loop, Node, Phi, Ref

LARGE = 600


def array(id, example, layout="C"):
    return Node(id, "input", id, aval=Aval("array", example.dtype.str, example.shape, layout),
                memory=id, example=example)


def again(node):
    """A node before and after its example has been made up."""
    dropped = drop_examples(Block((node,)))
    return dropped.nodes[0].example, make_examples(dropped).nodes[0].example


@pytest.mark.parametrize("example", [np.arange(3.0), np.arange(LARGE), np.zeros(5000, bool)])
def test_small_arrays_and_integers_are_kept(example):
    dropped, made = again(array(0, example))
    assert dropped is example and made is example


@pytest.mark.parametrize("dtype", ["d", "f", "D"])
@pytest.mark.parametrize("layout", ["C", "F", "A"])
def test_large_floating_arrays_are_made_up(dtype, layout):
    whole = np.zeros((LARGE, 4), dtype)
    example = {"C": whole, "F": np.asfortranarray(whole), "A": whole[:, ::2]}[layout]
    dropped, made = again(array(0, example, layout))
    assert dropped is None
    assert (made.dtype, made.shape) == (example.dtype, example.shape)
    assert made.flags.c_contiguous == (layout == "C")
    assert made.flags.f_contiguous == (layout == "F")
    assert np.all((made.real >= 0.5) & (made.real <= 1.5))


def test_numbers_and_objects_are_kept():
    number = Node(0, "input", 0, aval=Aval("number", "float"), example=2.0)
    assert again(number) == (2.0, 2.0)
    assert again(Node(0, "apply", tuple, aval=Aval("object", "tuple"))) == (None, None)


def test_loops_have_examples_too():
    aval, example = Aval("array", "<f8", (LARGE,)), np.ones(LARGE)
    phi = Phi(2, Ref(0), 3, "x", aval, 0, example)
    inner = Node(4, "apply", np.negative, (Ref(2),), aval=aval, memory=1, example=example)
    loop = Loop(1, "items", (Ref(0),), 5, (phi,), Block((inner,), Leave((Ref(4),))),
                item_aval=aval, item_example=example)
    dropped = drop_examples(Block((array(0, example), loop))).nodes[1]
    found = [dropped.item_example, dropped.phis[0].example, dropped.body.nodes[0].example]
    assert found == [None, None, None]
    made = make_examples(Block((array(0, example), dropped))).nodes[1]
    for x in (made.item_example, made.phis[0].example, made.body.nodes[0].example):
        assert x.shape == (LARGE,) and x.dtype == float
