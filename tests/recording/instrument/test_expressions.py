"""Which sites an expression goes through, in which order, and what they know."""

import pytest

from tests.recording.instrument.outcomes import events_of
from tests.recording.instrument.sources import cell


def events(expression, *args, **names):
    """Of a function that returns an expression of `a` and `b`."""
    function = cell(f"def f(a=None, b=None):\n    return {expression}\n", **names)["f"]
    return events_of(function, *args)


@pytest.mark.parametrize("expression, expected", [
    ("a", ""),
    ("g", "read(g)"),
    ("len", "read(len)"),
    ("a + b", "add"),
    ("a + b * g", "read(g) mul add"),
    ("(a + b) * (a - b)", "add sub mul"),
    ("-a + ~b", "neg invert add"),
    ("-1 + 2 * 3", ""),
    ("a + -1 * 2", "add"),
    ("a + b + a + b", "add add add"),
    ("[a, (b, g)]", "read(g)"),
    ("a.real", "attr(real)"),
    ("a.real.imag", "attr(real) attr(imag)"),
    ("(a, b)[0]", "item"),
    ("(a, b)[0:a]", "slice item"),
    ("abs(a)", "read(abs) call"),
    ("a.bit_length()", "attr(bit_length) call"),
    ("max(a, *[b], key=abs)", "read(max) star read(abs) call"),
    ("dict(x=a, **{'y': b})", "read(dict) mapping call"),
    ("int(str(a + b), base=g)", "read(int) read(str) add call read(g) call"),
    ("f'{a}-{b + 1!r:>{a}}'", "format add format joined format joined"),
    ("f'text'", ""),
    ("{1, 2}", ""),
    ("{a, *[b]}", "star set_of"),
    ("{'x': a + 1}", "add"),
    ("{a: b, **{1: 2}}", "mapping dict_of"),
    ("{**{1: 2}, 'k': a}", "mapping"),
    ("a in (b, 1)", "isin"),
    ("a is None", "is_"),
    ("[x + 1 for x in (a, b)]", "iter:x add add"),
    ("{x: a for x in (b,)}", "iter:x dict_of"),
    ("(x := a + 1) + x", "add:x add"),
    ("(lambda x: x + a)(b)", "call read(a) add"),
    ("__debug__", ""),
    ("super", "read(super)"),
    ("sorted(locals())", "read(sorted) call"),
    ("eval('a + b')", ""),
    ("vars(int) and 1", "read(vars) read(int) call truth(and)"),
])
def test_order_of_sites(expression, expected):
    assert events(expression, 3, 2, g=8) == expected


def test_builtin_that_the_module_hides():
    assert events("eval(a)", 3, eval=abs) == "read(eval) call"
    assert events("locals()", eval=abs, locals=dict) == "read(locals) call"


def test_names_of_what_is_assigned():
    function = cell("""
        def f(a, b):
            y = a + b
            z: int = a - b
            u, v = a * b, abs(b)
            w = x = a.real if a else -a
            k = a and b + 1 or a - 1
            s = t = [a + 1]
            u += a
            if (m := a // 1):
                q = {a}
            o = a < b
            return a + b
    """)["f"]
    assert events_of(function, 1, 2) == (
        "add:y sub:z mul:u read(abs) call:v truth(ternary) attr(real):w truth(and) add:k truth(or) "
        "add iadd:u floordiv:m truth(if) set_of:q lt:o add")


def test_discarded():
    function = cell("def f(a):\n    abs(a)\n    abs(abs(a))\n    a + 1\n    [abs(a)]\n")["f"]
    assert events_of(function, 1) == (
        "read(abs) call! read(abs) read(abs) call call! add read(abs) call")


def test_closure_reads():
    function = cell("""
        def outer(n):
            def f(a):
                g = lambda: n + a
                return [n for _ in (1,)], g()
            return f
    """)["outer"](3)
    assert events_of(function, 1) == "iter:_ read(n) call read(n) read(a) add"


def test_mangled_names_are_what_sites_know():
    function = cell("""
        class A:
            def f(self):
                self.__x = __g
                del self.__x
    """, _A__g=1)["A"]
    assert events_of(function.f, function()) == (
        "read(_A__g) set_attr(_A__x) del_attr(_A__x)")


def test_a_very_long_sum():
    function = cell("def f(x):\n    return " + " + ".join(["x"] * 300) + "\n")["f"]
    assert events_of(function, 1).count("add") == 299
