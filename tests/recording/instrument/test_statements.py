"""What statements tell their sites, and that temporaries do not stay."""

import pytest

from hybridad.recording.instrument import bind, make_form
from hybridad.recording.instrument.blocks import KINDS
from tests.recording.instrument.outcomes import events_of
from tests.recording.instrument.plain import PlainSite
from tests.recording.instrument.sources import cell


def events(body, **names):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    function = cell(f"def f(a, b):\n{lines}    return a\n", **names)["f"]
    return events_of(function, 2, [3])


@pytest.mark.parametrize("body, expected", [
    ("a += 1", "iadd:a"),
    ("b[0] += a", "item iadd set_item"),
    ("b[a - 2] -= a", "sub item isub set_item"),
    ("b[0:] += [a]", "slice item iadd set_item"),
    ("g.x **= 2", "read(g) attr(x) ipow set_attr(x)"),
    ("g.x.y = a", "read(g) attr(x) set_attr(y)"),
    ("del b[0], g.x", "del_item read(g) del_attr(x)"),
    ("del (b, [a])\na = 1", ""),
    ("for x in b: pass", "iter:x"),
    ("for x in b: break\nelse: a = 1", "iter:x"),
    ("with g as x: pass", "read(g) context:x"),
    ("with g, g as b[0]: a = -a", "read(g) context read(g) context set_item neg:a"),
    ("try: 1 / a\nexcept ValueError: pass", "truediv"),
    ("try: 1 / 0\nexcept ZeroDivisionError as e: a = -a",
     "read(ZeroDivisionError) caught(e) neg:a"),
    ("match a:\n    case 1: pass\n    case x if x > 1: a = -a",
     "match gt truth(case) case(1) neg:a"),
    ("match a + 1:\n    case 0: pass", "add match"),
    ("@g\ndef h(x=a + 1): return x\na = h()", "read(g) decorate add call:a"),
    ("class C(g2): x = a", "read(g2) read(a):x"),
    ("class C(*[g2], **{}): pass", "read(g2) star mapping"),
    ("import math\nfrom math import pi", ""),
    ("raise_ = [g2]\nif a > 5: raise g2", "read(g2) gt truth(if)"),
    ("async def h(): return g + 1", ""),
    ("b: int = a + 1", "add:b"),
])
def test_order_of_sites(body, expected):
    assert events(body, g=_Manager(), g2=Exception) == expected


class _Manager:
    def __init__(self):
        self.x = self

    def __enter__(self):
        return 1

    def __exit__(self, *error):
        pass

    def __call__(self, f):
        return f

    def __pow__(self, other):
        return other


def test_docstrings_stay():
    function = cell('def f():\n    "of f"\n    def g():\n        "of g"\n    class C:\n'
                    '        "of C"\n    return g.__doc__, C.__doc__\n')["f"]
    form = bind(make_form(function, site=PlainSite), function)
    assert (form.__doc__, *form()) == ("of f", "of g", "of C")


def test_temporaries_do_not_stay():
    function = cell("""
        def f(o, v):
            x = o and v or 1
            o.a, (b, o.c) = 1, (v, 3)
            o.a += 1 < len(v) + 0 < 9
            v[o.a and 0] += 1
            for o.d, e in [(1, 2)]:
                pass
            del v[o and 0]
            return locals()
    """)["f"]
    names = bind(make_form(function, site=PlainSite), function)(type("O", (), {})(), [5])
    assert {name for name, value in names.items() if value is not None} == {
        "o", "v", "x", "b", "e"}


def test_a_very_long_elif_chain():
    chain = "".join(f"    elif a == {k}:\n        return {k}\n" for k in range(1, 250))
    function = cell(f"def f(a):\n    if a == 0:\n        return 0\n{chain}")["f"]
    assert bind(make_form(function, site=PlainSite), function)(249) == 249


def test_hooks_are_left_alone():
    function = cell("""
        def f(a):
            match a:
                case 1:
                    b = 2
                case 3:
                    b = 4
            def g(c):
                if c:
                    return c + 1
            return g(a)
    """)["f"]
    given = events_of(function, 5, blocks=KINDS)
    assert "read" not in given.replace("read(a)", "")
    assert [e for e in given.split() if not e.startswith("block") and "'" not in e] == [
        "match", "eq", "truth(case)", "eq", "truth(case)", "call", "truth(if)", "add"]
