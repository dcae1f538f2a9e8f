"""What the rewriting of one function keeps track of."""

import ast

from hybridad.recording.instrument.places import Places
from hybridad.recording.instrument.scopes import Scope
from hybridad.recording.instrument.statements import Statements
from tests.recording.instrument.plain import PlainSite
from tests.recording.instrument.sources import cell


def _rewriting(source, free=()):
    node = ast.parse(source).body[0]
    scope = Scope(node, None, "f", None, free)
    return Statements(Places(PlainSite, "user.py"), scope, {}), node


def test_nothing_that_is_given_is_changed():
    rewriting, node = _rewriting("""
def f(a, b):
    '''doc'''
    x = a and b or [c := i for i, a.k in b if 0 < i + 1 < 2]
    a.x, (b[0], y) = z = 1, x
    for a.x, (p, q) in b: a.x += 1
    with a as a.x, b: del a.x, b[0]
    try: pass
    except a: raise b
    match a:
        case 1 if b: pass
    class A(b): a = b
    @b
    def g(x=a): return f"{a!r:{b}}"
    import math
    return lambda: {a: b, **x}
""")
    before = ast.dump(node, include_attributes=True)
    rewriting.root(node)
    assert ast.dump(node, include_attributes=True) == before


def test_every_new_node_has_a_place():
    rewriting, node = _rewriting("def f(a):\n    a.x = [\n        a for a in a if a\n    ]\n")
    for new in ast.walk(rewriting.root(node)):
        if isinstance(new, (ast.expr, ast.stmt)):
            assert 1 <= new.lineno <= new.end_lineno <= 4, ast.dump(new)


def test_qualified_names_of_sites():
    space = cell("""
        class Outer:
            def f(self):
                def g():
                    return lambda: len
                class C:
                    x = len
                    def h(self):
                        return [len for _ in ()]
                global k
                def k():
                    return len
    """)
    from hybridad.recording.instrument import make_form

    form = make_form(space["Outer"].f, site=PlainSite)
    functions = {site.function for site in form.sites if site.kind == "global"}
    assert functions == {
        "Outer.f.<locals>.g.<locals>.<lambda>", "Outer.f.<locals>.C",
        "Outer.f.<locals>.C.h", "k"}
    known = {code.co_qualname for code in form.nested} | {form.code.co_qualname}
    assert functions <= known
