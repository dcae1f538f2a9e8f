"""The problems of perf are plain NumPy, and their hand-written adjoints are right."""

import ast
import importlib
import inspect

import numpy as np
import pytest

from hybridad.comparison.measure import worst_difference
from perf.__main__ import NAMES
from perf.peers import autograd_peer, handwritten

SMALL = {
    "charlstm": "2x3x4",
    "chain": "40",
    "fill": "7",
    "hand": "9x5",
    "horner": "7",
    "kmeans": "3x20x2",
    "logistic": "12x4",
    "lstm": "3x4x5",
    "mixture": "3x4x10",
    "mlp": "3x5",
}


def load(name, size=None, seed=0):
    module = importlib.import_module(f"perf.problems.{name}")
    return module, module.make(size or SMALL[name], seed)


def test_every_problem_has_a_small_size_here():
    assert sorted(SMALL) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_problem_is_plain_numpy(name):
    module, args = load(name)
    tree = ast.parse(inspect.getsource(module))
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert {ast.unparse(node) for node in imports} <= {"import numpy as np", "import math"}
    value = module.f(*args)
    assert np.shape(value) == () and np.isfinite(value)


@pytest.mark.parametrize("name", NAMES)
def test_arguments_depend_on_the_seed_alone(name):
    argnum = load(name)[0].ARGNUMS[0]
    first, again, other = (load(name, seed=seed)[1][argnum] for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert np.any(first != other)


@pytest.mark.parametrize("name", handwritten.ADJOINTS)
def test_a_hand_written_adjoint_is_the_gradient(name):
    module, args = load(name)
    value, gradients = handwritten.ADJOINTS[name](*args)
    np.testing.assert_allclose(value, module.f(*args), rtol=1e-13)
    assert [g.shape for g in gradients] == [np.shape(args[n]) for n in module.ARGNUMS]
    assert worst_difference(module.f, args, module.ARGNUMS, gradients) < 1e-7


@pytest.mark.parametrize("name", NAMES)
def test_autograd_runs_the_same_program_where_it_can(name):
    module, args = load(name)
    if autograd_peer.refusal(name, SMALL[name]):
        with pytest.raises(ValueError, match="setting an array element"):
            autograd_peer.differentiate(name, module.ARGNUMS)(*args)
        return
    value, gradients = autograd_peer.differentiate(name, module.ARGNUMS)(*args)
    np.testing.assert_allclose(value, module.f(*args), rtol=1e-13)
    assert worst_difference(module.f, args, module.ARGNUMS, gradients) < 1e-7
    assert module.np is np
