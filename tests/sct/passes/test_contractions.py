"""Contractions as matrix products."""

import operator

import numpy as np
import pytest

from hybridad.sct.passes import lower_contractions
from hybridad.trace.ir import Block, Return
from tests.sct.passes.traces import Writer
from tests.trace.interpret import run

SHAPES = {"a": (3, 4), "b": (4, 5), "c": (3, 5), "v": (4,), "s": (2, 3, 4), "t": (2, 4, 5),
          "u": (2, 3, 5), "w": (4, 3)}


def lowered(target, names, *args, **kwargs):
    """The functions that are called in place of one contraction; the result is compared."""
    random = np.random.default_rng(0)
    arrays = [random.normal(size=SHAPES[name]) for name in names]
    w = Writer()
    uses = [w.input(x) for x in arrays]
    operands = (*args, *uses) if target is np.einsum else (*uses, *args)
    result = w.apply(target, *operands, **kwargs)
    block = Block(tuple(w.nodes), Return(0.0, cotangents=(result,)))
    new = lower_contractions(block)
    (g,) = run(new, arrays).cotangents
    assert g.shape == w.value(result).shape
    np.testing.assert_allclose(g, w.value(result), rtol=1e-13, atol=1e-13)
    return [node.target for node in new.nodes if node.op == "apply"]


@pytest.mark.parametrize("names, axes", [
    ("ab", ([1], [0])), ("ac", ([0], [0])), ("aa", ([1], [1])), ("wa", ([1], [0])),
    ("wa", ([0], [1])), ("av", ([1], [0])), ("va", ([0], [1])), ("ab", 1),
])
def test_tensordot_of_matrices(names, axes):
    targets = lowered(np.tensordot, names, axes)
    assert targets[-1] is operator.matmul
    assert np.tensordot not in targets


@pytest.mark.parametrize("names, axes", [
    ("aa", 2), ("sa", ([2], [1])), ("vv", 1), ("av", 0),
])
def test_tensordot_that_is_no_product_of_matrices(names, axes):
    assert lowered(np.tensordot, names, axes) == [np.tensordot]


@pytest.mark.parametrize("names, formula", [
    ("ab", "ij,jk->ik"), ("ab", "ij,jk->ki"), ("ac", "ij,ik->jk"), ("ac", "ij,ik->kj"),
    ("aa", "ij,kj->ik"), ("av", "ij,j->i"), ("va", "j,ij->i"), ("st", "nij,njk->nik"),
    ("su", "nij,nik->njk"), ("su", "nij,nik->nkj"), ("ts", "njk,nij->nik"),
])
def test_einsum_that_is_a_product(names, formula):
    targets = lowered(np.einsum, names, formula, optimize=True)
    assert targets[-1] is operator.matmul
    assert np.einsum not in targets


@pytest.mark.parametrize("names, formula", [("sa", "nij,kj->nik"), ("sa", "nij,kj->kin"),
                                            ("su", "nij,nik->jk")])
def test_einsum_that_is_a_tensordot(names, formula):
    targets = lowered(np.einsum, names, formula)
    assert np.tensordot in targets
    assert np.einsum not in targets


@pytest.mark.parametrize("names, formula", [
    ("aa", "ij,ij->ij"), ("aa", "ij,ij->"), ("aa", "ij,ij->i"), ("av", "ij,j->ij"),
    ("ab", "ij,kl->ijkl"), ("ab", "ij,jk->i"), ("a", "ij->ji"), ("ab", "ij,jk"),
    ("ss", "nij,nij->n"),
])
def test_einsum_that_stays(names, formula):
    assert lowered(np.einsum, names, formula) == [np.einsum]
