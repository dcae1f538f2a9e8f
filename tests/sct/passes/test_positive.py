"""Values that are never zero."""

import pytest

from hybridad.sct.passes.known import Known
from hybridad.sct.passes.positive import is_positive
from hybridad.sct.passes.survey import Survey
from hybridad.trace.ir import Ref
from hybridad.trace.text import parse


@pytest.mark.parametrize("operations, positive", [
    (["1.0 + %1"], True), (["%1 + 1.0"], True), (["0.0 + %1"], False), (["-1.0 + %1"], False),
    (["1.0 + %0"], False), (["1.0 - %1"], False), (["%1 * 2.0"], False),  # may be too small
    (["%0 * %0", "1.0 + %10"], True), (["%0 * %1", "1.0 + %10"], False),
    (["%0 ** 2", "0.5 + %10"], True), (["%0 ** 3", "0.5 + %10"], False),
    (["np.sqrt(%1)", "%10 + 1"], True), (["np.cosh(%0)"], True), (["np.exp(%0)"], False),
    (["np.cosh(%0)", "%10 + %1"], True),
])
def test_positive(operations, positive):
    lines = "".join(f"    %{k} = {operation}  : float64[3] C m{k}\n"
                    for k, operation in enumerate(operations, 10))
    block = parse("    %0 = input 0  : float64[3] C m0\n    %1 = np.exp(%0)  : float64[3] C m1\n"
                  + lines + "    return %0\n")
    known = Known(Survey(block), set(), {})
    assert is_positive(Ref(9 + len(operations)), known) is positive
    assert is_positive(2.0, known) and not is_positive(0.0, known)
