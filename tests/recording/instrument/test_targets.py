"""Stores are taken apart in Python's order."""

import pytest

from tests.recording.instrument.outcomes import events_of
from tests.recording.instrument.sources import cell


def events(body, **names):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    function = cell(f"def f(o, v):\n{lines}    return v\n", **names)["f"]
    return events_of(function, _Open(), (1, (2, 3)))


class _Open:
    """Takes any attribute and item."""

    def __setitem__(self, index, value):
        pass


@pytest.mark.parametrize("body, expected", [
    ("a = v", ""),
    ("a = b = v", ""),
    ("a, b = v", "unpack"),
    ("a, b = 1, 2", ""),
    ("a, *b = v", "unpack"),
    ("a, (b, c) = v", "unpack unpack"),
    ("(a, b), c = v[1], v[0]", "item item:c unpack"),
    ("o.x = v", "set_attr(x)"),
    ("o[0] = v", "set_item"),
    ("o[1:2, v] = v", "slice set_item"),
    ("o.x = o.y = v", "set_attr(x) set_attr(y)"),
    ("o.x, o.y = v", "unpack set_attr(x) set_attr(y)"),
    ("o.x, o[0] = 1, v", "set_attr(x) set_item"),
    ("o.x, (a, o.y) = v", "unpack set_attr(x) unpack set_attr(y)"),
    ("a, *o.x = v", "unpack set_attr(x)"),
    ("for o.x in v: pass", "iter set_attr(x) set_attr(x)"),
    ("for a, b in [v]: pass", "iter unpack"),
    ("global g\ng = 1", "set_global(g)"),
    ("global g\na, g = v", "unpack set_global(g)"),
    ("global g\nfor g in v: pass", "iter:g set_global(g) set_global(g)"),
    ("global g\n(g := v)", "set_global(g)"),
    ("return [0 for a, o.x in [v]]", "iter unpack set_attr(x)"),
    ("return {a: b for a, (b, c) in [v]}", "iter unpack unpack dict_of"),
    ("global g\ndef g(): pass", "set_global(g)"),
    ("global g\nclass g: pass", "set_global(g)"),
    ("global g\nimport math as g", "set_global(g)"),
    ("global g\ng = 1\ndel g", "set_global(g) del_global(g)"),
])
def test_stores(body, expected):
    assert events(body) == expected


def test_free_names():
    function = cell("""
        def outer():
            n = m = k = None
            def f(v):
                nonlocal n, m, k
                n = 1
                a, m = v
                n += 1
                for n in v:
                    pass
                @abs
                def k(): pass
            return f
    """, abs=lambda f: f)["outer"]()
    assert events_of(function, (1, (2, 3))) == (
        "set_free(n) unpack set_free(m) read(n) iadd:n set_free(n) iter:n set_free(n) set_free(n) "
        "read(abs) decorate set_free(k)")


def test_local_after_a_global_declaration_elsewhere():
    function = cell("""
        def f():
            def g():
                global n
                n = 1
            n = 2
            g()
            return n
    """)["f"]
    assert events_of(function) == "call! set_global(n)"
