"""Functions of NumPy that are given lists of numbers being recorded in the place of arrays.

The protocols do not look into lists, so these calls are made by identity, as the recording form
makes them. The expressions are those of `tests.recording.test_functions`.
"""

import ast

import numpy as np
import pytest

import hybridad
from hybridad.errors import HybridadError
from tests.recording.agreement import agrees_at, compiled, copied, resolves
from tests.recording.runtime.formed import Stand
from tests.recording.test_functions import CONSTANTS, FOLLOWED

_ARRAYS = frozenset("xyvmrczh")


class _Lists(ast.NodeTransformer):
    """Arrays that are arguments, or stand in a list among them, become lists."""

    def __init__(self):
        self.count = 0

    def visit_Call(self, node):
        node.args = [self.listed(x) for x in node.args]
        for keyword in node.keywords:
            keyword.value = self.listed(keyword.value)
        return node

    def listed(self, node):
        if isinstance(node, (ast.List, ast.Tuple)):
            node.elts = [self.listed(x) for x in node.elts]
        if isinstance(node, ast.Name) and node.id in _ARRAYS:
            self.count += 1
            return ast.parse(f"{node.id}.tolist()", mode="eval").body
        return node


def with_lists(expression):
    """``np.f(x, 1)`` as ``S.call(np.f, x.tolist(), 1)``; None if there is nothing to replace."""
    node = ast.parse(expression, mode="eval").body
    if not (isinstance(node, ast.Call) and ast.unparse(node.func).startswith("np.")):
        return None
    lists = _Lists()
    node = lists.visit_Call(node)
    call = ast.Attribute(ast.Name("S", ast.Load()), "call", ast.Load())
    call = ast.Call(call, [node.func, *node.args], node.keywords)
    return ast.unparse(ast.fix_missing_locations(call)) if lists.count else None


EXPRESSIONS = list(filter(None, (with_lists(line) for line in (
    *FOLLOWED, *CONSTANTS) if resolves(line))))

# NumPy wants arrays here; lists of values being recorded are taken for arrays all the same.
_TAKEN = ("np.apply_over_axes", "np.nan_to_num")


@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated:DeprecationWarning")  # NumPy 2.5
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_lists_are_taken_as_numpy_takes_them(expression):
    f, args = compiled(expression, S=Stand())
    try:
        f(*map(copied, args))
    except (TypeError, ValueError, AttributeError) as error:
        if any(name in expression for name in _TAKEN):
            return
        with pytest.raises((type(error), HybridadError)):
            hybridad.vjp(lambda *args: (f(*args), sum(map(np.sum, args)))[1], *args)
    else:
        agrees_at(f, args)


def test_there_are_expressions_of_all_kinds():
    assert len(EXPRESSIONS) > 400
    assert with_lists("np.mean(x)") == "S.call(np.mean, x.tolist())"
    assert with_lists("np.stack([x, s])") == "S.call(np.stack, [x.tolist(), s])"
    assert with_lists("np.mean(s)") is None
    assert with_lists("x + y") is None


@pytest.mark.parametrize("expression", [
    "S.call(np.sum, [s, a, 1.0]) ** 2",
    "S.call(np.mean, [[s, a], [a, 2.0]], axis=0) ** 2",
    "S.call(np.max, [s, a * a, x[0]]) ** 2",
    "S.call(np.dot, [s, a], [a, s])",
    "S.call(np.linalg.norm, [s, a])",
    "S.call(np.prod, (s, a, 2))",
])
def test_second_order(expression):
    f, args = compiled(expression, S=Stand())
    agrees_at(f, args, order=2)
