"""Reads, checks, effects and foreign calls, with the journal of the engine."""

import types

import numpy as np
import pytest

from hybridad.recording.effects.journal import Journal
from hybridad.recording.tracing import call_foreign
from hybridad.sct.emit import emit, needs_run
from hybridad.sct.load import Exit, load
from hybridad.trace.ir import Node, replace
from hybridad.trace.text import parse


def run_of(function, journal):
    """What the code is given as ``_run``."""
    return types.SimpleNamespace(
        function=function, journal=journal,
        foreign=lambda f, args, kwargs: call_foreign(journal, f, args, kwargs))


def made(text, function=None, constants=None):
    """The loaded function and the run that it is given."""
    block = parse(text, constants)
    nodes = [replace(node, example=function)
             if type(node) is Node and node.target == "function" else node for node in block.nodes]
    block = replace(block, nodes=tuple(nodes))
    assert needs_run(block)
    return load(emit(block)), run_of(function, Journal(True))


scale = 2.0


def test_reads_are_made_anew():
    weight = 3.0

    def f(x, power=2.0, *, more=1.0):
        return x * scale * weight * power * more

    function, run = made("""
        %0 = input 0  : float  x
        %1 = read function
        %2 = read global(%1, 'scale')  : float
        %3 = read cell(%1, 'weight')  : float
        %4 = read default(%1, 'power')  : float
        %5 = read default(%1, 'more')  : float
        %6 = %0 * %2
        %7 = %6 * %3
        %8 = %7 * %4
        %9 = %8 * %5
        return %9
    """, f)
    assert function(1.0, run) == (12.0,)
    weight = 4.0
    f.__defaults__, f.__kwdefaults__ = (5.0,), {"more": 10.0}
    assert function(1.0, run) == (400.0,)


def test_attributes_and_items():
    model = types.SimpleNamespace(w=[1.0, 2.0])
    function, run = made("""
        %0 = input 0  : float  x
        %1 = read function
        %2 = read attribute(%1, 'model')
        %3 = read attribute(%2, 'w')
        %4 = read item(%3, 1)  : float
        %5 = %0 * %4
        return %5
    """, types.SimpleNamespace(model=model))
    assert function(3.0, run) == (6.0,)
    assert "function.model.w[1]" in function.source.text
    model.w = [0.0, 5.0]
    assert function(3.0, run) == (15.0,)


CHECKS = [
    ("is(%1, $a)", "a", None, ["b"]),
    ("type(%1, list)", [1], None, [(1,), 1]),
    ("equal(%1, 3)", 3, None, [3.0, 4, True]),
    ("equal(%1, True)", True, None, [1, False]),
    ("equal(%1, 'a')", "a", None, ["b", 1]),
    ("equal(%1, (1, ('a', None)))", (1, ("a", None)), None,
     [(1, ("a", 0)), (1.0, ("a", None)), [1, ("a", None)], (1,)]),
    ("array(%1, ('<f8', (2, 3), 'C'))", np.ones((2, 3)), None,
     [np.ones((2, 3), "f4"), np.ones((3, 2)), np.ones((3, 2)).T, 1.0]),
    ("array(%1, ('<f8', (2, 3), 'F'))", np.ones((3, 2)).T, None, [np.ones((2, 3))]),
    ("array(%1, ('<f8', (2, 3), 'A'))", np.ones((4, 6))[::2, ::2], None,
     [np.ones((2, 3)), np.ones((3, 2)).T]),
    ("number(%1, 'float64')", np.float64(1.0), None, [1.0, np.float32(1.0)]),
    ("number(%1, 'float')", 1.0, None, [np.float64(1.0), 1]),
    ("length(%1, 2)", [1, 2], None, [[1], (1, 2, 3)]),
    ("keys(%1, ['a', 'b'])", {"a": 1, "b": 2}, None, [{"a": 1}, {"b": 2, "a": 1}]),
    ("code(%1, $c)", lambda v: v, "c", [3, lambda v: -v]),
]


@pytest.mark.parametrize("check, good, name, bad", CHECKS, ids=[row[0] for row in CHECKS])
def test_checks(check, good, name, bad):
    state = {"v": good}
    function, run = made(f"""
        %0 = read function
        %1 = read item(%0, 'v')
        check {check}
        return 1.0
    """, state, {"a": good, "c": getattr(good, "__code__", None)})
    assert function(run) == (1.0,)
    for x in bad:
        state["v"] = x
        assert type(function(run)) is Exit, x


def test_arrays_that_have_to_be_apart():
    a, b = np.ones(4), np.ones(4)
    state = {"a": a, "b": b}
    function, run = made("""
        %0 = read function
        %1 = read item(%0, 'a')
        %2 = read item(%0, 'b')
        check apart(%1, %2)
        return 1.0
    """, state)
    assert function(run) == (1.0,)
    state["b"] = a[::2]
    assert type(function(run)) is Exit


def test_the_recipe_of_an_int_is_found_by_its_exit():
    function, run = made("""
        %0 = read function
        %1 = read item(%0, 'n')  : int
        check equal(%1, 3, recipe='n of f')
        return 1.0
    """, {"n": 4})
    assert function.source.exits[function(run).number].recipe == "n of f"


def test_effects_are_done_and_can_be_undone():
    model = types.SimpleNamespace(n=0, seen=[1.0], table={"a": 1, "b": 2})
    function, run = made("""
        %0 = input 0  : float  x
        %1 = read function
        %2 = effect attribute(%1, 'n', %0)
        %3 = read attribute(%1, 'seen')
        %4 = effect method(%3, 'append', (%0,), {})
        %5 = read attribute(%1, 'table')
        %6 = effect item(%5, 'a', %0)
        %7 = effect delete item(%5, 'b')
        %8 = effect method(%3, 'pop', (0,), {})
        %9 = %0 + %8
        return %9
    """, model)
    assert function(3.0, run) == (4.0,)
    assert (model.n, model.seen, model.table) == (3.0, [3.0], {"a": 3.0})
    run.journal.undo()
    assert (model.n, model.seen, model.table) == (0, [1.0], {"a": 1, "b": 2})


def test_globals_and_cells():
    count = 0

    def f():
        return count, scale

    function, run = made("""
        %0 = input 0  : float  x
        %1 = read function
        effect cell(%1, 'count', %0)
        effect global(%1, 'set_by_code', %0)
        return %0
    """, f)
    function(7.0, run)
    assert count == 7.0
    assert globals()["set_by_code"] == 7.0
    run.journal.undo()
    assert count == 0
    assert "set_by_code" not in globals()


def test_a_note_comes_before_a_write():
    buffer = np.zeros(3)
    function, run = made("""
        %0 = input 0  : float  x
        %1 = read function
        %2 = read item(%1, 'buffer')  : float64[3] C m0  buffer
        note(%2)
        %4 = write operator.setitem(%2, 1, %0)  : float64[3] C m0
        %5 = np.sum(%4)
        return %5
    """, {"buffer": buffer})
    assert function(2.0, run) == (2.0,)
    assert buffer.tolist() == [0.0, 2.0, 0.0]
    run.journal.undo()
    assert buffer.tolist() == [0.0, 0.0, 0.0]


def test_foreign_calls_are_made_by_the_journal():
    rng = np.random.default_rng(0)
    draw = rng.normal
    function, run = made("""
        %0 = input 0  : float  x
        %1 = foreign ($draw, (), {'loc': %0})  : float
        %2 = foreign ($draw, (1.0,), {})  : float
        %3 = %1 - %2
        return %3
    """, None, {"draw": draw})
    (first,) = function(3.0, run)
    again = run_of(None, run.journal.replay())
    assert function(3.0, again) == (first,)
    assert first != function(3.0, run_of(None, Journal(True)))[0]


def test_what_a_foreign_call_may_change_is_copied_for_the_adjoint():
    def double(x):
        x *= 2.0

    function, run = made("""
        %0 = input 0, differentiated=True  : float  x
        %1 = read function
        %2 = read item(%1, 'a')  : float64[2] C m0  a
        %3 = %2 * %0  : float64[2] C m1
        %4 = np.sum(%3)  : float64
        foreign ($double, (%2,), {})
        %6 = np.sum(%2)  : float64  g_x  [adjoint]
        return %4  cotangents (%6,)
    """, {"a": np.ones(2)}, {"double": double})
    assert function(1.0, run) == (2.0, 2.0)


def test_builds():
    function, run = made("""
        %0 = input 0  : float  x
        %1 = read function
        %2 = build list([%0, 1.0])
        %3 = build set([%0])
        effect item(%1, 'l', %2)
        effect item(%1, 's', %3)
        effect item(%1, 't', %2)
        return %0
    """, state := {})
    function(2.0, run)
    assert state["l"] == [2.0, 1.0]
    assert state["l"] is state["t"]
    assert state["s"] == {2.0}
