"""Which operations may warn."""

import pytest

from hybridad.sct.emit.warnings import may_warn
from hybridad.trace.text import parse


@pytest.mark.parametrize("row, expected", [
    ("%1 = %0 / 2.0  : float64[3] C m1", True),
    ("%1 = %0 * 2.0  : float64", True),
    ("%1 = %0 * 2.0  : float", False),
    ("%1 = np.exp(%0)  : float64[3] C m1", True),
    ("%1 = %0[1]  : float64", False),
    ("%1 = .T(%0)  : float64[3] C m0", False),
    ("%1 = .sum(%0)  : float64", True),
    ("%1 = np.zeros_like(%0)  : float64[3] C m1", False),
    ("%1 = write operator.iadd(%0, 1.0)  : float64[3] C m0", True),
    ("%1 = write operator.setitem(%0, 0, 1.0)  : float64[3] C m0", False),
    ("%1 = math.exp(%0)  : float", False),
    ("loop %1 range 0, 3, 1\n  %2 = %0 * 2.0  : float64\n  next", True),
    ("loop %1 range 0, 3, 1\n  %2 = %0 * 2.0  : float\n  next", False),
])
def test_may_warn(row, expected):
    block = parse(f"%0 = input 0\n{row}\nreturn 0.0")
    assert may_warn(block.nodes[1]) is expected
