"""Writes through views that other layouts would make copies."""

import operator as o

import numpy as np
import pytest

from hybridad.sct.differentiate import Unsupported, forward, reverse
from hybridad.sct.differentiate.layouts import applied, in_plain_order, plain_path
from hybridad.sct.differentiate.program import Program
from hybridad.sct.differentiate.writer import aval_of
from hybridad.trace.ir import HOLE, Method, Node, Ref, Step
from tests.sct.differentiate.checking import build, check_forward, check_hessian, check_reverse

RNG = np.random.default_rng(3)
TALL, FLAT = RNG.uniform(0.5, 1.5, (3, 2)), RNG.uniform(0.5, 1.5, (2, 3))
WEIGHTS = RNG.normal(size=(2, 3))


def step(target, *args, **kwargs):
    return Step(target, (HOLE, *args), kwargs)


STEPS = {
    "ravel": ("C", step(Method("ravel"))),
    "ravel in C's memory order": ("C", step(Method("ravel"), "K")),
    "reshape to other rows": ("C", step(np.reshape, (3, 2))),
    "ravel in F's memory order": ("F", step(Method("ravel"), "K")),
    "ravel in any order": ("F", step(np.ravel, "A")),
    "reshape in F's order": ("F", step(np.reshape, -1, order="F")),
    "reshape of rows": ("F", step(np.reshape, (3, 2), order="A")),
}
WRITES = {
    "number": lambda b, y, path, v: b.write(y, path, o.setitem, 0, 5.0),
    "value": lambda b, y, path, v: b.write(y, path, o.setitem, 1, v),
    "product": lambda b, y, path, v: b.write(y, path, o.imul, v),
    "sum": lambda b, y, path, v: b.write(y, path, o.iadd, v),
    "part": lambda b, y, path, v: b.write(y, (*path, b.at(slice(1, 3))), o.imul, v),
    "list": lambda b, y, path, v: b.write(y, (*path, b.at([0, 0, 1])), o.imul, v),
    "mask": lambda b, y, path, v: b.write(y, path, np.copyto, v, where=True),
}


def written_through(layout, step, write):
    """A program in which cotangent and tangent of what is written have another layout."""
    weights = np.array(WEIGHTS, order="F" if layout == "C" else "C")

    def program(b, x, v):
        y = b.method(b.method(x, "T") if layout == "C" else x, "copy", layout)
        before = b.apply(np.sum, b.apply(o.mul, y, y))
        y = write(b, y, (step,), v)
        after = b.apply(np.sum, b.apply(o.mul, weights, y))
        return b.apply(o.mul, before, after)

    return program


@pytest.mark.parametrize("how", WRITES)
@pytest.mark.parametrize("name", STEPS)
def test_a_write_reaches_an_array_of_another_layout(name, how):
    layout, way = STEPS[name]
    program = written_through(layout, way, WRITES[how])
    x = TALL if layout == "C" else FLAT
    check_reverse(program, x, 0.7)
    check_forward(program, x, 0.7)
    check_hessian(program, x, 0.7)


@pytest.mark.parametrize("order", ["K", "A", "k", "F"])
def test_elements_come_in_the_order_of_the_primal(order):
    """The tangent is in C order, as is that of the array that was copied."""
    def program(b, x):
        y = b.method(x, "copy", "F")
        return b.apply(np.sum, b.apply(o.mul, b.method(y, "ravel", order), np.arange(6.0)))

    check_forward(program, FLAT)
    check_reverse(program, FLAT)


def test_one_array_is_laid_out_once():
    def program(b, x):
        y = b.method(x, "copy", "F")
        for k in range(4):
            y = b.write(y, (step(Method("ravel"), "K"),), o.setitem, k, 5.0)
        return b.apply(np.sum, b.apply(o.mul, WEIGHTS, y))

    block, wanted = build(program, FLAT)
    copies = [node for node in reverse(block, wanted).nodes
              if node.part == "adjoint" and node.target == Method("copy")]
    assert [node.args[1] for node in copies] == ["F"]


def test_a_cotangent_of_the_callers_is_not_written_into():
    """What the example copies may be a view of an array from outside."""
    def program(b, x):
        y = b.method(b.apply(o.mul, x, 2.0), "copy")
        y = b.set(y, 0, 5.0)
        return b.apply(np.asfortranarray, b.apply(np.reshape, y, (2, 3)))

    block, wanted = build(program, np.arange(6.0))
    nodes = {node.id: node for node in reverse(block, wanted, seeds="given").nodes}
    (write,) = [node for node in nodes.values() if node.part == "adjoint" and node.op == "write"]
    assert nodes[write.args[0].id].target == Method("copy")


def strided(b, x):
    return b.apply(o.getitem, x, (slice(None), slice(0, 4, 2)))


@pytest.mark.parametrize("mode", [reverse, forward])
@pytest.mark.parametrize("way", [step(Method("ravel"), "K"), step(np.reshape, -1)])
def test_other_strides_are_refused(mode, way):
    def program(b, x):
        y = strided(b, b.method(x, "copy"))
        return b.apply(np.sum, b.write(y, (way,), o.setitem, 0, 1.0))

    block, wanted = build(program, np.ones((3, 4)))
    with pytest.raises(Unsupported, match=r"order|strides"):
        mode(block, wanted)


def test_an_order_that_strides_tell_is_refused():
    block, wanted = build(lambda b, x: b.apply(np.sum, b.method(strided(b, x), "ravel", "K")),
                          np.ones((3, 4)))
    with pytest.raises(Unsupported, match="the order 'K'"):
        reverse(block, wanted)


def plain(array, *path):
    made = Node(0, "input", aval=aval_of(array))
    steps, layout = plain_path(path, array, made, None)
    return [x.args[1:] or x.kwargs for x in steps], layout


def test_the_way_for_any_layout():
    c, f = np.zeros((2, 3)), np.zeros((2, 3), order="F")
    part = step(o.getitem, (slice(None), 1))
    assert plain(c, part) == ([((slice(None), 1),)], None)
    assert plain(c, part, step(np.reshape, (2, 1)))[1] is None
    assert plain(c, step(np.reshape, (2, 1, 3)))[1] is None
    assert plain(c, step(Method("ravel"), "K")) == ([("C",)], "C")
    assert plain(f, step(Method("ravel"), "K")) == ([("F",)], "F")
    assert plain(f, part, step(Method("ravel"), "K"))[0][1] == ("C",)
    assert plain(c[:, ::2][:, 0], step(Method("ravel"), "K")) == ([("C",)], None)
    assert plain(c, step(np.lib.stride_tricks.as_strided, (2,), (24,)))[1] == "C"


def test_nodes_are_put_in_plain_order():
    block, wanted = build(lambda b, x: b.method(x, "ravel"), np.asfortranarray(FLAT))
    program = Program(block, wanted)

    def plain_order(*args, **kwargs):
        node = Node(9, "apply", Method("ravel"), (Ref(wanted[0]), *args), kwargs)
        found = in_plain_order(node, program)
        return found.args[1:], found.kwargs

    assert plain_order() == ((), {})
    assert plain_order("C") == (("C",), {})
    assert plain_order("K") == (("F",), {})
    assert plain_order(order="a") == ((), {"order": "F"})


def test_a_step_on_an_example():
    assert applied(step(Method("T")), FLAT).shape == (3, 2)
    assert applied(step(np.reshape, -1, order="F"), FLAT)[1] == FLAT[1, 0]
