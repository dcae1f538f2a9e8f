"""Why a trace cannot be differentiated."""

from hybridad.sct.differentiate.errors import Unsupported
from hybridad.trace.ir import Place


def test_it_tells_the_place():
    error = Unsupported("no rule", Place("f.py", 3, "f"))
    assert str(error) == "no rule (f.py:3)"
    assert error.reason == "no rule"
    assert str(Unsupported("no rule")) == "no rule"
