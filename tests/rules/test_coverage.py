"""Every rule has a case, and every case a rule."""

import pytest

from hybridad.rules.declare import PRIMITIVES
from tests.rules.direct import load_cases

CASES = load_cases()


def _named(primitive):
    module = getattr(primitive, "__module__", None) or "numpy"
    return f"{module}.{getattr(primitive, '__name__', primitive)}"


@pytest.mark.parametrize("primitive", list(PRIMITIVES), ids=_named)
def test_rule_has_a_case(primitive):
    assert any(case.primitive is primitive for case in CASES), (
        f"no case for {_named(primitive)} in tests/rules/cases")


def test_cases_are_of_rules():
    assert not [case.name for case in CASES if case.primitive not in PRIMITIVES]


def test_names_of_cases_are_unique():
    # Two primitives may share a name: `np.matmul` and `np.linalg.matmul`.
    names = [(case.primitive, case.name) for case in CASES]
    assert len(set(names)) == len(names)
