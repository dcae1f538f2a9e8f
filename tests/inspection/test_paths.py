"""The straight line that arguments take, for functions of many kinds."""

import math
import types

import numpy as np
import pytest

from hybridad import UnsupportedError, source, value_and_grad
from hybridad.inspection.paths import pruned
from hybridad.sct.load import Exit
from hybridad.trace.ir import Block, Branch, Leave, Loop, Next, Ref, Return
from tests.inspection import programs
from tests.inspection.programs import fold, noting


def answer(text, name, *args):
    space = {"Exit": Exit}
    exec(text, space)
    return space[name](*args)

# Asked for the globals, among which no builtin that is used may be.
RUN = types.SimpleNamespace(function=fold)


@pytest.mark.parametrize("x", [2.5, 1.01, 0.7, 0.1, 0.99])
def test_the_line_answers_as_the_whole_does(x):
    vg = value_and_grad(fold)
    for other in (2.5, 0.7, 0.1, 1.01, 0.99):
        vg(other, 5)
    value, gradient = answer(source(vg, x, 5, path=True), "fold", x, 5, RUN)
    step = 1e-6
    assert value == fold(x, 5)
    slope = (fold(x + step, 5) - fold(x - step, 5)) / (2 * step)
    assert math.isclose(gradient, slope, rel_tol=1e-6, abs_tol=1e-9)


def test_other_paths_are_exits():
    vg = value_and_grad(fold)
    vg(2.5, 5), vg(0.7, 5)
    line = source(vg, 0.7, 5, path=True)
    assert type(answer(line, "fold", 2.5, 5, RUN)) is Exit
    assert answer(source(vg, 0.7, 5), "fold", 2.5, 5, RUN)[0] == fold(2.5, 5)


def test_sides_of_a_loop_that_no_iteration_took_are_left_out():
    def steps(x):
        for _ in range(4):
            if x > 10.0:
                x = x - math.sqrt(x)
            elif x > 5.0:
                x = x * 0.9
            else:
                x = x * 1.1
        return x

    vg = value_and_grad(steps)
    for x in (1.0, 7.0, 1000.0):
        vg(x)
    low, high = source(vg, 1.0, path=True), source(vg, 1000.0, path=True)
    assert "math.sqrt" not in low and "* 1.1" in low
    assert "math.sqrt" in high and "* 1.1" not in high and "* 0.9" not in high


def test_loops_without_an_iteration_and_nested_ones():
    def nested(x, rows):
        total = 0.0
        for row in rows:
            while x > 1.0:
                x = x / row
            total = total + x
        return total

    vg = value_and_grad(nested)
    rows = np.array([2.0, 3.0, 2.0])
    for x in (0.5, 100.0):
        value, gradient = vg(x, rows)
        found = answer(source(vg, x, rows, path=True), "nested", x, rows)
        assert found[0] == value and math.isclose(found[1], gradient)


def test_effects_of_finding_the_path_are_undone():
    vg = value_and_grad(noting)
    vg(2.0), vg(0.5)
    programs.seen.clear()
    assert "if x > 1.0:" in source(vg, 0.5, path=True)
    assert programs.seen == []


def test_arguments_are_left_as_they_were():
    def overwriting(x, y):
        y = y * 1.0
        x[0] = 3.0
        if y[0] > 0.0:
            return np.sum(x * y)
        return np.sum(x)

    x, y = np.ones(2), np.ones(2)
    vg = value_and_grad(overwriting)
    vg(x, y), vg(x, -y)
    source(vg, x, y, path=True)
    assert x.tolist() == y.tolist() == [1.0, 1.0]


def test_arrays_from_outside_are_left_as_they_were():
    def filling(x, out):
        out[0] = x
        return out[0] * (2.0 if x > 0.0 else 3.0)

    vg, out = value_and_grad(filling), np.zeros(2)
    vg(1.0, out), vg(-1.0, out)
    out[:] = 7.0
    source(vg, 1.0, out, path=True)
    assert out.tolist() == [7.0, 7.0]


def test_nobody_is_warned_again(recwarn):
    def root(x):
        y = np.log(x)
        return y if x > 0.0 else x

    vg = value_and_grad(root)
    with pytest.warns(RuntimeWarning):
        vg(np.float64(-1.0))
    source(vg, np.float64(-1.0), path=True)
    assert not recwarn.list


def test_a_path_that_is_never_the_same_twice():
    def dicing(x, rng):
        return x * len(np.ones(int(1000 * rng.random())))

    with pytest.raises(UnsupportedError, match=r"The path that dicing takes .* in each call") as no:
        source(value_and_grad(dicing), 2.0, np.random.default_rng(0), path=True)
    assert str(no.value).endswith("Leave path=True away.")


class Known:
    """A tree built by hand: two decisions, a loop in one side."""

    result = Return(Ref(1))
    body = Block((), Branch(Ref(5), "bool", {True: Block((), Next((), 0)),
                                             False: Block((), Leave((), 1))}))
    loop = Loop(6, "range", (0, 3, 1), 5, (), body)
    tree = Block((), Branch(Ref(1), "bool", {
        True: Block((loop,), result),
        False: Block((), Branch(Ref(2), "int", {0: Block((), result), 1: Block((), result)}))}))


@pytest.mark.parametrize(("seen", "outcomes"), [
    ({0, 1, 2}, [True]), ({3}, [False, 0]), ({4}, [False, 1]),
])
def test_pruned_leaves_one_side(seen, outcomes):
    end, taken = pruned(Known.tree, seen).end, []
    while type(end) is Branch:
        (outcome, side), = end.sides.items()
        taken.append(outcome)
        end = side.end
    assert taken == outcomes and end is Known.result


@pytest.mark.parametrize(("seen", "left"), [
    ({0, 1, 2}, [True, False]), ({0, 2}, [True]), ({1, 2}, [True, False]), ({2}, [True, False]),
])
def test_a_body_keeps_what_was_entered(seen, left):
    """But if no iteration followed another one it is left as it is."""
    (loop,) = pruned(Known.tree, seen).end.sides[True].nodes
    assert list(loop.body.end.sides) == left


def test_a_body_of_which_nothing_is_known_stays():
    loop = Loop(6, "range", (0, 0, 1), 5, (), Block())
    tree = Block((loop,), Return(Ref(1)))
    assert pruned(tree, {0}) == tree
