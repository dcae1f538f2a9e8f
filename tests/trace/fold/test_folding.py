"""Iterations that are one body become a loop, and what is known of it behind."""

import numpy as np

from hybridad.trace.fold import fold
from hybridad.trace.ir import HOLE, Leave, Loop, Next, Ref
from hybridad.trace.rewriting import leaves_of, parts_of
from tests.trace.toy import record
from tests.trace.toy_runs import inputs


def only_loop(program, n, seed=0):
    tree = fold(record(program, inputs(np.random.default_rng(seed), n, 1))[0])
    (loop,) = [x for part in parts_of(tree) for x in part.nodes if type(x) is Loop]
    return tree, loop


def test_an_array_without_an_id_of_its_own_is_carried():
    program = [("array", "z", 5), ("for", "i", "n", [("store", "z", "i", "a")]),
               ("return", ("sum", "z"))]
    tree, loop = only_loop(program, 3)
    (phi,) = loop.phis
    (write,) = [node for node in loop.body.nodes if node.op == "write"]
    assert write.args[0] == Ref(phi.id) and loop.body.end == Next((Ref(write.id),), 0)
    assert phi.memory == write.memory and phi.aval == write.aval
    assert tree.end.sides[0].nodes[0].args == (Ref(phi.out),)


def test_an_array_that_is_only_read_is_not_carried():
    program = [("set", "y", ("sin", "a")),
               ("for", "i", "n", [("set", "y", ("add", "y", ("item", "x", "i")))]), ("return", "y")]
    _, loop = only_loop(program, 3)
    assert [phi.name for phi in loop.phis] == ["y"]


def test_what_only_a_jump_brings_along():
    program = [("set", "y", ("sin", "a")), ("flag", "t", None),
               ("for", "i", "n", [("set", "y", ("add", "y", ("item", "x", "i"))),
                                  ("if", ("gt", "y", 1.0), [("set", "t", ("mul", "y", 2.0)),
                                                            ("break",)], [])]),
               ("return", "t")]
    tree, loop = only_loop(program, 5)
    by_name = {phi.name: k for k, phi in enumerate(loop.phis)}
    assert loop.phis[by_name["t"]].init is HOLE
    for leaf in leaves_of(loop.body):
        assert (leaf.values[by_name["t"]] is HOLE) == (type(leaf) is Next)
        assert type(leaf) is Next or (type(leaf) is Leave and leaf.label == 1)
    assert tree.end.kind == "left" and list(tree.end.sides) == [1]


def test_a_swap_keeps_both_memories():
    program = [("array", "z", 5), ("copy", "w", "x"),
               ("for", "i", "n", [("store", "z", "i", ("item", "w", "i")), ("swap", "z", "w")]),
               ("store", "z", 0, "a"), ("return", ("add", ("item", "w", 1), ("sum", "z")))]
    memories = []
    for n in (3, 4):
        tree, loop = only_loop(program, n)
        z = next(phi for phi in loop.phis if phi.name == "z")
        write = next(node for node in tree.end.sides[0].nodes if node.op == "write")
        assert write.args[0] == Ref(z.out) and write.memory == z.memory
        memories.append([phi.memory for phi in loop.phis])
    assert memories[0] == memories[1]
