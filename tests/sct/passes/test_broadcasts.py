"""Broadcasts that need not be made."""

import pytest

from hybridad.sct.passes import remove_dead, simplify
from tests.sct.passes.traces import cleaned


def simplified(*operations):
    head = """
    %0 = input 0, differentiated=True  : float64[3, 4] C m0
    %1 = input 1, differentiated=True  : float64[3, 1] C m1
    %2 = input 2, differentiated=True  : float
    %3 = input 3, differentiated=True  : float32[4] C m3
    """
    lines = "".join(f"{operation}  [adjoint]\n    " for operation in operations)
    found = cleaned(lambda block: remove_dead(simplify(block)),
                    head + lines + "return 0.0  cotangents (%9,)")
    return found[4:-1]


WIDE = "%8 = np.broadcast_to(%1, (3, 4))  : float64[3, 4] A m1"


@pytest.mark.parametrize("operations, expected", [
    ((WIDE, "%9 = %8 * %0  : float64[3, 4] C m9"), ["%9 = %1 * %0"]),
    ((WIDE, "%9 = np.maximum(%0, %8)  : float64[3, 4] C m9"), ["%9 = np.maximum(%0, %1)"]),
    ((WIDE, "%9 = np.exp(%8)  : float64[3, 4] C m9"),
     ["%8 = np.broadcast_to(%1, (3, 4))", "%9 = np.exp(%8)"]),
    ((WIDE, "%9 = %8 * %8  : float64[3, 4] C m9"),
     ["%8 = np.broadcast_to(%1, (3, 4))", "%9 = %1 * %8"]),
    ((WIDE, "%9 = %8 @ %3  : float64[3] C m9"),
     ["%8 = np.broadcast_to(%1, (3, 4))", "%9 = %8 @ %3"]),
    # A plain number would be weaker than the array that is made of it.
    (("%8 = np.broadcast_to(%2, (4,))  : float64[4] A m8", "%9 = %8 * %3  : float64[4] C m9"),
     ["%8 = np.broadcast_to(%2, (4,))", "%9 = %8 * %3"]),
    ((WIDE, "%9 = np.sum(%8, axis=1, keepdims=True)  : float64[3, 1] C m9"),
     ["%9 = 4.0 * %1"]),
    ((WIDE, "%9 = .sum(%8, axis=0)  : float64[4] C m9"),
     ["%8 = np.broadcast_to(%1, (3, 4))", "%9 = .sum(%8, axis=0)"]),
])
def test_broadcasts(operations, expected):
    assert simplified(*operations) == expected
