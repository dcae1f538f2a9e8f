"""`recording.captures`: what is read from outside, how it is classed, and how it is read again."""

import enum
import math

import numpy as np
import pytest

from hybridad.recording.captures import Captures, Recipe, class_of
from hybridad.recording.run import record

X = np.array([1.0, 2.0, 3.0])
WEIGHTS = np.array([2.0, 3.0, 4.0])
FACTOR = 2.0
TABLE = {"scale": 5.0, "rows": [WEIGHTS, 7.0]}


class Mode(enum.Enum):
    """Static."""

    A = 1


class Model:
    """An outside object."""

    def __init__(self):
        self.bias, self.mode, self.steps = 0.5, Mode.A, 3


MODEL = Model()


def captured(f, *args):
    captures = Captures(f)
    record(f, (X.copy(), *args), {}, [0], listener=captures)
    return captures


def found(captures):
    return {str(c.recipe): c.kind for c in captures.reads.values()}


def test_globals():
    def f(x):
        return np.sum(x * WEIGHTS) * FACTOR

    captures = captured(f)
    assert found(captures) == {
        "global np of f": "module", "global np of f.sum": "function",
        "global WEIGHTS of f": "array", "global FACTOR of f": "number"}
    reads = {str(c.recipe): c for c in captures.reads.values()}
    assert reads["global WEIGHTS of f"].value is WEIGHTS
    assert reads["global FACTOR of f"].site.line == f.__code__.co_firstlineno + 1


def test_cells_defaults_and_functions():
    factor, table = 3.0, [1.0]

    def helper(x, scale=2.0, *, shift=1.0):
        return x * scale + shift * table[0]

    def f(x, y=WEIGHTS):
        return np.sum(helper(x * y, shift=4.0)) * factor

    kinds = found(captured(f))
    assert kinds["cell factor of f"] == "number"
    assert kinds["cell helper of f"] == "function"
    assert kinds["default y of f"] == "array"
    assert kinds["default scale of cell helper of f"] == "number"
    assert "default shift of cell helper of f" not in kinds     # it was given
    assert kinds["cell table of cell helper of f"] == "container"
    assert kinds["cell table of cell helper of f[0]"] == "number"


def test_attributes_and_items():
    def f(x):
        rows = TABLE["rows"]
        return np.sum(x * rows[0]) * rows[1] * MODEL.bias * MODEL.steps * (MODEL.mode is Mode.A)

    kinds = found(captured(f))
    assert kinds["global TABLE of f['rows']"] == "container"
    assert kinds["global TABLE of f['rows'][0]"] == "array"
    assert kinds["global TABLE of f['rows'][1]"] == "number"
    assert kinds["global MODEL of f"] == "object"
    assert kinds["global MODEL of f.bias"] == "number"
    assert kinds["global MODEL of f.steps"] == "int"
    assert kinds["global MODEL of f.mode"] == "static"
    assert kinds["global Mode of f"] == "class"


def test_what_the_run_has_made_has_no_recipe():
    def f(x):
        local = {"a": x, "b": 2.0}

        def inner():
            return local["b"] * np.sum(local["a"])

        return inner()

    kinds = found(captured(f))
    assert all(key.startswith(("global np", "cell local of f")) or " of f" in key for key in kinds)
    assert not any("['b']" in key for key in kinds)


def test_recipes_are_read_anew():
    cell, state = [1.0], Model()

    def f(x, scale=2.0):
        return np.sum(x) * cell[0] * state.bias * scale * math.pi

    recipes = {str(r): r for r in captured(f).reads}
    cell[0], state.bias, f.__defaults__ = 10.0, 20.0, (30.0,)
    assert recipes["cell cell of f[0]"].read(f) == 10.0
    assert recipes["cell state of f.bias"].read(f) == 20.0
    assert recipes["default scale of f"].read(f) == 30.0
    assert recipes["global math of f.pi"].read(f) == math.pi
    assert recipes["global np of f"].read(f) is np


def test_builtins_and_keyword_defaults_are_read():
    def f(x, *, scale=2.0):
        return sum(x) * scale

    recipes = {str(r): r for r in captured(f).reads}
    assert recipes["global sum of f"].read(f) is sum
    f.__kwdefaults__ = {"scale": 4.0}
    assert recipes["default scale of f"].read(f) == 4.0


def test_a_recipe_that_is_gone_raises_as_plain_code_does():
    with pytest.raises(KeyError):
        Recipe("item", Recipe("global", Recipe("function"), "TABLE"), "gone").read(test_globals)
    with pytest.raises(AttributeError):
        Recipe("attribute", Recipe("global", Recipe("function"), "MODEL"), "gone").read(
            test_globals)


@pytest.mark.parametrize("value, kind", [
    (1.0, "number"), (1j, "number"), (np.float32(1), "number"), (np.ones(2), "array"),
    (np.ones(2, complex), "array"), (np.arange(2), "integers"), (np.ones(2, bool), "integers"),
    (np.array(["a"]), "object"), (1, "int"), (np.int64(1), "int"), (True, "static"),
    ("a", "static"), (None, "static"), (Mode.A, "static"), ((True, "a"), "static"),
    ((1.0, 2.0), "container"), ([], "container"), ({}, "container"), (len, "function"),
    (np.sin, "function"), (np.sum, "function"), (test_globals, "function"), (math, "module"),
    (Model, "class"), (MODEL, "object"), (iter([]), "iterator"),
])
def test_classes(value, kind):
    assert class_of(value) == kind


def test_methods_and_callable_objects():
    class Callable:
        scale = 2.0

        def __call__(self, x, power=2):
            return np.sum(x) * self.scale * power

    f = Callable()
    captures = captured(f)
    assert captures.recipe_of(f) == Recipe("function")
    recipe = Recipe("default", Recipe("function"), "power")
    assert recipe.read(f) == 2


def test_hooks_for_blocks_reach_the_listener():
    class Blocks(Captures):
        """Notes the names."""

        def block(self, site, names, values):
            noted.append((site.kind, names, [type(v).__name__ for v in values]))

    def f(x):
        total = 0.0
        for v in x:
            if v > 1.5:
                total = total + v
        return total

    noted = []
    record(f, (X,), {}, [0], listener=Blocks(f))
    kinds = [kind for kind, _, _ in noted]
    assert kinds[0] == "function.entry" and kinds.count("for.body") == 3
    assert kinds.count("if.then") == 2 and kinds.count("if.else") == 1
    head = next(names for kind, names, _ in noted if kind == "for.body")
    assert "total" in head and "v" in head


def test_a_listener_may_change_what_names_hold():
    class Doubling(Captures):
        """Gives another value for a name."""

        def block(self, site, names, values):
            if site.kind == "if.join" and "y" in names:
                return tuple(2.0 * v if n == "y" else v for n, v in zip(names, values))
            return None

    def f(x):
        y = np.sum(x)
        if y > 0.0:
            y = y * 3.0
        return y

    recording = record(f, (X,), {}, [0], listener=Doubling(f))
    assert recording.values[0] == 2.0 * 3.0 * np.sum(X)
