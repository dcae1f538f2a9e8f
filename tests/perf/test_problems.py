"""The problems of perf are plain NumPy, and their hand-written adjoints are right."""

import ast
import importlib
import inspect

import numpy as np
import pytest

from hybridad.comparison.measure import worst_difference
from perf.__main__ import NAMES
from perf.contenders import PEERS
from perf.peers import handwritten, jax_peer
from perf.problems import newton

SMALL = {
    "branches": "5",
    "charlstm": "2x3x4",
    "chain": "40",
    "fill": "7",
    "hand": "9x5",
    "heat": "6x4",
    "horner": "7",
    "kmeans": "3x20x2",
    "logistic": "12x4",
    "lstm": "3x4x5",
    "mixture": "3x4x10",
    "mixture_whole": "3x4x10",
    "mlp": "3x5",
    "newton": "3-12",
    "product": "3x2x4",
}
OF_ANOTHER_PROBLEM = "from perf.problems.mixture import factors, log_sum_exp, make, prior"


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
    allowed = {"import numpy as np", "import math"}
    if name == "mixture_whole":
        allowed.add(OF_ANOTHER_PROBLEM)
    assert {ast.unparse(node) for node in imports} <= allowed
    value = module.f(*args)
    assert np.shape(value) == () and np.isfinite(value)


@pytest.mark.parametrize("name", NAMES)
def test_arguments_depend_on_the_seed_alone(name):
    argnum = load(name)[0].ARGNUMS[0]
    first, again, other = (load(name, seed=seed)[1][argnum] for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert np.any(first != other)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", handwritten.ADJOINTS)
def test_a_hand_written_adjoint_is_the_gradient(name, seed):
    module, args = load(name, seed=seed)
    value, gradients = handwritten.ADJOINTS[name](*args)
    np.testing.assert_allclose(value, module.f(*args), rtol=1e-13)
    assert [np.shape(g) for g in gradients] == [np.shape(args[n]) for n in module.ARGNUMS]
    assert worst_difference(module.f, args, module.ARGNUMS, gradients) < 1e-7


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("name", NAMES)
def test_a_peer_runs_the_same_program_where_it_can(name, peer):
    library = PEERS[peer]
    reason = library.refusal(name, SMALL[name])
    if reason == "not installed":
        pytest.skip(f"{peer} is {reason}")
    module, args = load(name)
    if peer == "autograd" and reason:
        with pytest.raises((AttributeError, TypeError, ValueError), match=r"copy|assign|setting"):
            library.differentiate(name, module.ARGNUMS)(*args)
        return
    if reason:
        return
    answer = library.differentiate(name, module.ARGNUMS)(*library.prepare(args))
    value, gradients = library.as_numpy(*answer)
    np.testing.assert_allclose(value, module.f(*args), rtol=1e-12)
    assert worst_difference(module.f, args, module.ARGNUMS, gradients) < 1e-7
    assert module.np is np


def test_jax_compiles_ahead():
    pytest.importorskip("jax")
    module, args = load("mlp")
    compiled = jax_peer.compile_for("mlp", module.ARGNUMS, jax_peer.prepare(args))
    np.testing.assert_allclose(compiled(*args)[0], module.f(*args), rtol=1e-13)


def test_seeds_of_branches_take_all_of_them():
    module = load("branches")[0]
    sums = [(np.sum(x) > 0.0, x[0] < -5.0)
            for (x,) in (module.make("5", seed) for seed in range(module.SEEDS))]
    assert sums[:3] == [(True, False), (False, False), (False, True)] == sums[3:]


def test_newton_takes_few_and_many_iterations():
    counts = [newton.iterations(*newton.make("3-50", seed)) for seed in range(newton.SEEDS)]
    assert 3 <= min(counts) <= 4 and 49 <= max(counts) <= 51 and len(set(counts)) > 30
