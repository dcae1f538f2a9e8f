"""Second derivatives: the adjoint of an adjoint, and tangents of an adjoint, through loops too."""

import pytest

from tests.sct.differentiate.checking import check_hessian
from tests.sct.differentiate.programs import LOOPS
from tests.sct.differentiate.straight_lines import STRAIGHT

_COMPLEX = {"complex", "complex parts", "absolute of complex", "real times complex"}


@pytest.mark.parametrize("name", [name for name in STRAIGHT if name not in _COMPLEX])
def test_straight_line(name):
    program, *examples = STRAIGHT[name]
    check_hessian(program, *examples)


@pytest.mark.parametrize("guards", ["singular", "none"])
@pytest.mark.parametrize("name", LOOPS)
def test_loop(name, guards):
    program, *examples = LOOPS[name]
    check_hessian(program, *examples, guards=guards)
