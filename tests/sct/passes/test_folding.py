"""Constant folding."""

import numpy as np
import pytest

from hybridad.sct.passes import fold_constants
from hybridad.trace.text import parse


def folded(operation, more="", result="%9"):
    block = fold_constants(parse(f"""
        %0 = input 0  : float64[3] C m0
        %1 = np.arange(3)  : int64[3] C m1
        %2 = {operation}
        {more}
        %9 = %0[0]  : float64
        return {result}
    """))
    return block.nodes[2]


@pytest.mark.parametrize("operation, value", [
    ("np.arange(4)  : int64[4] C m2", np.arange(4)),
    ("%1 + 1  : int64[3] C m2", np.arange(1, 4)),
    ("%1[1:]  : int64[2] C m1", np.arange(1, 3)),
    ("np.eye(2)  : float64[2, 2] C m2", np.eye(2)),
    ("2.0 * 3.0  : float", 6.0),
    ("math.exp(1.0)  : float", float(np.exp(1.0))),
])
def test_folds(operation, value):
    node = folded(operation)
    assert node.op == "const"
    assert type(node.args[0]) is type(value)
    assert np.array_equal(node.args[0], value)


@pytest.mark.parametrize("operation", [
    "%0 + 1  : float64[3] C m2",  # not static
    "np.log(0.0)  : float64",  # warns in each call
    "1.0 / 0.0  : float",  # raises in each call
    "np.zeros(1000000)  : float64[1000000] C m2",  # kept for ever
    "np.random.rand(3)  : float64[3] C m2",  # not the same each time
    "%1 @ %1  : int64",  # its bits may depend on where the operands lie
])
def test_does_not_fold(operation):
    assert folded(operation).op == "apply"


def test_not_what_is_written_into_or_seen_by_others():
    zeros = "np.zeros(3)  : float64[3] C m2"
    assert folded(zeros).op == "const"
    write = "%3 = write operator.setitem(%2, 0, 1.0)  : float64[3] C m2"
    assert folded(zeros, write).op == "apply"
    assert folded(zeros, "%3 = effect attribute(%0, 'x', %2)").op == "apply"
    assert folded(zeros, result="%2").op == "apply"
