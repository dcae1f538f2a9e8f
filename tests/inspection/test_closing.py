"""Traces without what is outside."""

import types

import numpy as np
import pytest

from hybridad.inspection.closing import closed, obstacle
from hybridad.trace.ir import Aval, Block, Branch, Loop, Next, Node, Place, Ref, Return

ARRAY = Aval("array", "<f8", (3,))
PLACE = Place(__file__, 1, "f")


def by(x, eps=0.5, *, n=2, table=()):
    return x * eps * n


def node(id, op, target=None, *args, **options):
    return Node(id, op, target, args, place=PLACE, **options)


ROOT = node(1, "read", "function", example=by)
INPUT = node(2, "input", 0, aval=ARRAY)


def block(*nodes, result=2):
    return Block((ROOT, INPUT, *nodes), Return(Ref(result)))


def ids(tree):
    return [node.id for node in tree.nodes]


def global_(id, name, *checks, example=None):
    read = node(id, "read", "global", Ref(1), name, example=example)
    return [read, *[node(id + 1 + k, "check", kind, Ref(id), expected)
                    for k, (kind, expected) in enumerate(checks)]]


@pytest.mark.parametrize("checks", [
    [("is", np)], [("code", by.__code__)], [("type", type(by))], [],
    [("type", types.FunctionType), ("code", by.__code__)],
])
def test_reads_of_code_go(checks):
    tree = block(*global_(3, "np", *checks))
    assert ids(closed(tree, by)) == [2] and obstacle(closed(tree, by)) is None


def test_reads_through_code_go():
    tree = block(*global_(3, "helper", ("code", by.__code__)),
                 node(5, "read", "global", Ref(3), "np"), node(6, "check", "is", Ref(5), np),
                 node(7, "read", "attribute", Ref(5), "linalg"),
                 node(8, "check", "is", Ref(7), Ref(5)))
    assert ids(closed(tree, by)) == [2]


@pytest.mark.parametrize("checks", [
    [("equal", 3)], [("array", ("<f8", (3,), "C"))], [("length", 2)], [("keys", ("a",))],
    [("is", np), ("equal", 3)], [("is", Ref(2))],
])
def test_reads_of_data_stay(checks):
    tree = closed(block(*global_(3, "data", *checks)), by)
    assert obstacle(tree) == ("it reads the global 'data'", 'test_closing.py:1  """Traces '
                              'without what is outside."""')


def test_what_is_used_stays():
    tree = closed(block(*global_(3, "scale", ("type", float)),
                        node(5, "apply", np.multiply, Ref(2), Ref(3)), result=5), by)
    assert ids(tree) == [1, 2, 3, 4, 5] and obstacle(tree)[0] == "it reads the global 'scale'"


@pytest.mark.parametrize("use", [
    lambda: Block((), Return(Ref(2), Ref(3))),
    lambda: Block((), Branch(Ref(3), "bool", {True: Block((), Return(Ref(2)))})),
    lambda: Block((Loop(9, "range", (0, Ref(3), 1), 8, (), Block((), Next(()))),), Return(Ref(2))),
    lambda: Block((Loop(9, "range", (0, 3, 1), 8, (), Block((
        node(7, "apply", np.sin, Ref(3)),), Next(()))),), Return(Ref(2))),
])
def test_all_uses_count(use):
    end = use()
    tree = Block((ROOT, INPUT, *global_(3, "scale", ("type", float)), *end.nodes), end.end)
    assert obstacle(closed(tree, by)) is not None


def test_defaults_become_what_they_are():
    tree = block(node(3, "read", "default", Ref(1), "eps"), node(4, "check", "type", Ref(3), float),
                 node(5, "read", "default", Ref(1), "n"), node(6, "check", "equal", Ref(5), 2),
                 node(7, "apply", np.multiply, Ref(2), Ref(3)),
                 node(8, "apply", np.multiply, Ref(7), Ref(5)), result=8)
    made = closed(tree, by)
    assert ids(made) == [2, 7, 8]
    assert [node.args for node in made.nodes[1:]] == [(Ref(2), 0.5), (Ref(7), 2)]


def test_defaults_of_functions_that_are_called():
    read = node(3, "read", "cell", Ref(1), "g", example=lambda x, a=np.float32(7.0): x)
    tree = block(read, node(4, "check", "code", Ref(3), by.__code__),
                 node(5, "read", "default", Ref(3), "a"),
                 node(6, "check", "type", Ref(5), np.float32),
                 node(7, "apply", np.multiply, Ref(2), Ref(5)), result=7)
    made = closed(tree, by)
    assert ids(made) == [2, 7] and made.nodes[1].args == (Ref(2), np.float32(7.0))


@pytest.mark.parametrize(("name", "kind", "expected"), [
    ("n", "equal", 3), ("n", "equal", 2.0), ("eps", "type", np.float64), ("table", "type", tuple),
    ("gone", "type", float), ("table", "length", 0),
])
def test_defaults_that_are_something_else_stay(name, kind, expected):
    tree = block(node(3, "read", "default", Ref(1), name),
                 node(4, "check", kind, Ref(3), expected),
                 node(5, "apply", np.multiply, Ref(2), Ref(3)), result=5)
    assert obstacle(closed(tree, by))[0] == f"it reads the default '{name}'"


def test_sides_and_bodies_are_cleared_too():
    read = global_(3, "np", ("is", np))
    loop = Loop(9, "range", (0, 3, 1), 8, (), Block(tuple(read), Next(())))
    side = Block((*global_(5, "np", ("is", np)), loop), Return(Ref(2)))
    tree = Block((ROOT, INPUT), Branch(Ref(2), "bool", {True: side}))
    made = closed(tree, by)
    (loop,) = made.end.sides[True].nodes
    assert ids(made) == [2] and loop.body.nodes == ()
    assert obstacle(made) is None and obstacle(tree) is not None


def test_a_static_test_takes_its_side():
    sides = {True: Block((), Return(Ref(2))), False: Block((), Return(1.0))}
    tree = Block((ROOT, INPUT, node(3, "read", "default", Ref(1), "n"),
                  node(4, "check", "type", Ref(3), int)), Branch(Ref(3), "bool", sides))
    assert closed(tree, by).end == Return(Ref(2))


@pytest.mark.parametrize(("made", "what"), [
    (node(3, "read", "cell", Ref(1), "w"), "it reads 'w' of an enclosing function"),
    (node(3, "read", "attribute", Ref(1), "w"), "it reads the attribute 'w'"),
    (node(3, "effect", "attribute", Ref(2), "w", 1.0), "it changes what is outside"),
    (node(3, "note", None, Ref(2)), "it writes into an array from outside"),
    (node(3, "foreign", None, print, (), {}), "it calls print, which is not followed"),
    (node(3, "foreign", None, Ref(2), (), {}), "it calls code, which is not followed"),
])
def test_obstacles(made, what):
    assert obstacle(block(made))[0] == what


def test_the_function_itself_is_no_obstacle():
    assert obstacle(block()) is None


def test_looking_into_arguments_is_no_obstacle():
    tree = block(node(3, "read", "item", Ref(2), 0), node(4, "read", "attribute", Ref(3), "w"),
                 node(5, "check", "type", Ref(4), float), result=4)
    assert ids(closed(tree, by)) == [2, 3, 4, 5] and obstacle(closed(tree, by)) is None
