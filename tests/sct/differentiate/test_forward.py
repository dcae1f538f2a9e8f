"""Tangents of everything that has cotangents."""

import numpy as np
import pytest

from hybridad.sct.differentiate import forward, reverse
from tests.sct.differentiate.checking import build, check_forward
from tests.sct.differentiate.programs import LOOPS
from tests.sct.differentiate.straight_lines import V
from tests.sct.differentiate.test_decompose import MADE_OF_OTHERS
from tests.trace.interpret import run


@pytest.mark.parametrize("name", LOOPS)
def test_loop(name):
    program, *examples = LOOPS[name]
    check_forward(program, *examples)


@pytest.mark.parametrize("name", set(MADE_OF_OTHERS) - {"arrays as lists"})
def test_made_of_others(name):
    program, *examples = MADE_OF_OTHERS[name]
    check_forward(program, *examples)


def test_an_adjoint_keeps_its_cotangents():
    block, wanted = build(lambda b, x: b.apply(np.sum, b.apply(np.exp, x)), V)
    made = forward(reverse(block, wanted), wanted)
    result = run(made, [V], seeds={0: np.ones(4)})
    np.testing.assert_allclose(result.cotangents[0], np.exp(V))
    np.testing.assert_allclose(result.tangents[0], np.exp(V).sum())
    np.testing.assert_allclose(result.tangents[1][0], np.exp(V))
