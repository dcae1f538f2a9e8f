"""Sites come into the constants of compiled code, and lie where their nodes do."""

import ast

import pytest

from hybridad.recording.instrument.places import Places, at_attribute, fill, place
from tests.recording.instrument.plain import PlainSite


def test_sites_replace_their_constants_in_nested_code():
    places = Places(PlainSite, "user.py")
    node = ast.parse("x").body[0].value
    tree = ast.parse("def f():\n def g(): return A\n return g, B, 'text'")
    constants = [places.constant(kind, node, "f", "x", k) for k, kind in enumerate(("add", "sub"))]
    for name, constant in zip("AB", constants):
        tree = _Replace(name, constant).visit(tree)
    code, nested = fill(compile(tree, "user.py", "exec"), places.sites)
    space = {}
    exec(code, space)
    g, b, text = space["f"]()
    assert (g(), b, text) == (places.sites[0], places.sites[1], "text")
    assert [c.co_name for c in nested] == ["f", "g"]
    assert (b.kind, b.file, b.function, b.name, b.detail) == ("sub", "user.py", "f", "x", 1)


class _Replace(ast.NodeTransformer):
    def __init__(self, name, constant):
        self.name, self.constant = name, constant

    def visit_Name(self, node):
        return self.constant if node.id == self.name else node


def test_place_and_location_of_a_site():
    node = ast.parse("(a +\n   b)").body[0].value
    places = Places(PlainSite, "user.py")
    constant = places.constant("add", node, "f")
    site, = places.sites
    assert (site.line, site.col, site.end_line, site.end_col) == (1, 1, 2, 4)
    assert (constant.lineno, constant.end_lineno) == (1, 1)  # one line is one event
    assert place(ast.Pass(), node).end_col_offset == 4


@pytest.mark.parametrize("source, line, column", [
    ("a.b", 1, 0), ("(a.\n  b)", 2, 2), ("(a\n .b\n  .cd)", 3, 3)])
def test_where_an_attribute_is_looked_up(source, line, column):
    found = at_attribute(ast.parse(source).body[0].value)
    assert (found.lineno, found.col_offset) == (line, column)


def test_call_in_a_later_line():
    """The site is loaded in the first line; the call happens in the last."""
    places = Places(PlainSite, "user.py")
    node = ast.parse("(a\n .b\n  .cd)").body[0].value
    constant = places.constant("attr", node, "f")
    call = places.call(constant, "attr", [ast.Name("a", ast.Load(), lineno=1, col_offset=1,
                                                   end_lineno=1, end_col_offset=2)],
                       [], at_attribute(node))
    code = compile(ast.Expression(call), "user.py", "eval")
    lines = [line for _, _, line in code.co_lines() if line]
    assert lines[0] == 1 and 3 in lines and 2 not in lines
