"""Local names are those of Python's symbol table, and effects follow the order of evaluation."""

import ast
import random
import symtable
import textwrap
import warnings

import pytest

from hybridad.recording.instrument.names import Effects, bound_by_pattern, scope_of
from tests.recording.instrument.jumbles import Jumble


def scope(source):
    return scope_of(ast.parse(textwrap.dedent(source)).body[0])


LOCALS = {
    "parameters": ("def f(a, /, b, *c, d=1, **e): pass", "a b d c e"),
    "stores": ("def f():\n a = b\n c, (d, *e) = a\n g.h = k[0] = 1\n i += 1\n j: int",
               "a c d e i j"),
    "loops": ("def f():\n for a, b.c in d: pass\n with e as g, h as (i, j): pass", "a g i j"),
    "imports": ("def f():\n import a, b.c, d.e as g\n from h import i, j as k", "a b g i k"),
    "definitions": ("def f():\n def g(a): b = 1\n class C: d = 1\n lambda e: e", "g C"),
    "handlers": ("def f():\n try: pass\n except E as e: pass", "e"),
    "patterns": ("def f(x):\n match x:\n  case {'k': a, **b}: pass\n  case [c, *d] as e: pass\n"
                 "  case P(g, h=i) | [g, i]: pass\n  case _: pass", "x a b e c d g i"),
    "walrus": ("def f():\n [(a := b) for c in d]\n ((e := g) for h in (i := d))", "a i e"),
    "comprehensions": ("def f():\n return [a for a in b], {c: d for c, d in e}", ""),
    "deleted": ("def f():\n del a, (b, c.d)", "a b"),
    "declared": ("def f():\n global a\n nonlocal b\n a = b = c = 1", "c"),
}


@pytest.mark.parametrize("name", LOCALS)
def test_locals(name):
    source, expected = LOCALS[name]
    assert set(scope(source).names) == set(expected.split())


def test_names_are_in_order():
    found = scope("def f(a, /, b, *c, d=1, **e):\n h = g = 1\n a = i = 1")
    assert found.names == ("a", "b", "c", "d", "e", "h", "g", "i")
    assert found.listed(found.parameters) == ("a", "b", "c", "d", "e")
    assert found.listed(found.first) == ("a",)


CAPTURED = {
    "lambda": ("lambda: a", "a", "", ""),
    "lambda's own": ("lambda a: a", "", "", ""),
    "default": ("lambda x=a: x", "", "", ""),
    "function": ("def g(): return a", "a", "", ""),
    "function's own": ("def g(): a = 1", "", "", ""),
    "two deep": ("def g():\n return lambda: a", "a", "", ""),
    "two deep, own": ("def g(a):\n return lambda: a", "", "", ""),
    "stored": ("def g():\n nonlocal a\n a = 1", "a", "a", ""),
    "stored two deep": ("def g():\n def h():\n  nonlocal a\n  a = 1", "a", "a", ""),
    "stored two deep, own": ("def g(a):\n def h():\n  nonlocal a\n  a = 1", "", "", ""),
    "deleted": ("def g():\n nonlocal a, b\n del a", "a b", "a", "a"),
    "global": ("def g():\n global a\n a = 1", "", "", ""),
    "class": ("class C: x = a", "a", "", ""),
    "class skips its own": ("class C:\n a = 1\n def m(self): return a", "a", "", ""),
    "class's comprehension": ("class C:\n a = 1\n x = [a for _ in b]", "a b", "", ""),
    "base": ("class C(a): pass", "", "", ""),
    "mangled": ("class C:\n def m(self): return __a", "_C__a", "", ""),
    "list": ("[a for _ in b]", "", "", ""),
    "lambda in a list": ("[lambda: (a, b) for a in c]", "b", "", ""),
    "generator": ("(a for _ in b)", "a", "", ""),
    "generator's own": ("(a for a in b)", "", "", ""),
    "walrus in a generator": ("((a := 1) for _ in b)", "a", "a", ""),
    "walrus in a list": ("[(a := 1) for _ in b]", "", "", ""),
    "locals": ("locals()", "a b _C__a", "", ""),
    "eval": ("[eval('a') for _ in b]", "a b _C__a", "", ""),
}


@pytest.mark.parametrize("name", CAPTURED)
def test_captured(name):
    statement, *expected = CAPTURED[name]
    body = textwrap.indent(statement, " ")
    found = scope(f"def f(a, b, _C__a):\n{body}")
    assert [found.listed(m) for m in (found.captured, found.rebound, found.unbound)] == [
        tuple(e.split()) for e in expected]


def _symbols(table, found):
    for child in table.get_children():
        if child.get_type() == "function" and child.get_name() not in (
                "lambda", "genexpr", "listcomp", "setcomp", "dictcomp"):
            found[child.get_name(), child.get_lineno()] = child
        _symbols(child, found)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_agrees_with_symtable(seed):
    """What is local, and what is in cells: this may be too much, never too little."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        source = Jumble(random.Random(seed), 40).source()
        try:
            symbols = _symbols(symtable.symtable(source, "f", "exec"), {})
            code = compile(source, "f", "exec")
        except SyntaxError:
            return
    codes = [code]
    for outer in codes:
        codes += [c for c in outer.co_consts if hasattr(c, "co_cellvars")]
    cells = {(c.co_name, c.co_firstlineno): c.co_cellvars for c in codes}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            key = node.name, node.lineno
            found, table = scope_of(node), symbols[key]
            bound = {s.get_name() for s in table.get_symbols() if s.is_local()}
            own = {n.id for n in ast.walk(node) if isinstance(n, ast.comprehension)
                   for n in ast.walk(n.target) if isinstance(n, ast.Name)}
            # From Python 3.12 on the table holds the names of comprehensions too.
            assert set(found.names) == bound or set(found.names) ^ bound <= own
            lists = {n.id for n in ast.walk(node) if isinstance(n, ast.ListComp)
                     for n in ast.walk(n) if isinstance(n, ast.Name)}
            if key not in cells:  # control never gets to its definition
                continue
            assert set(cells[key]) - lists <= set(found.listed(found.captured)) | own


EFFECTS = {  # use, kill, bind, lose, may
    "a = b": ("b", "a", "a b", "", ""),
    "a = a": ("a", "a", "a", "", ""),
    "a = b = c": ("c", "a b", "a b c", "", ""),
    "a += b": ("a b", "a", "a b", "", ""),
    "a[b] = c": ("a b c", "", "a b c", "", ""),
    "a.x += b": ("a b", "", "a b", "", ""),
    "a: int = b": ("b", "a", "a b", "", ""),
    "a: b": ("", "", "", "", ""),
    "a.x: b": ("a", "", "a", "", ""),
    "(a := b) + a": ("b", "a", "a b", "", ""),
    "a + (a := b)": ("a b", "a", "a b", "", ""),
    "b and (a := c)": ("b c", "", "b", "", "a"),
    "(a := b) or c": ("b c", "a", "a b", "", ""),
    "(a := 1) if b else a": ("a b", "", "b", "", "a"),
    "a < (b := 1) < (c := 2)": ("a", "b", "a b", "", "c"),
    "{(a := 1): a, a: (b := 1)}": ("", "a b", "a b", "", ""),
    "{c: a, (a := 1): 2}": ("a c", "a", "a c", "", ""),
    "[a for a in b]": ("b", "", "b", "", ""),
    "[c for a in b if (c := a)]": ("b c", "", "b", "", "c"),
    "[a for b in a]": ("a", "", "a", "", ""),
    "[c for b in a for c in b]": ("a", "", "a", "", ""),
    "{a: b for _ in c}": ("a b c", "", "c", "", ""),
    "(a for _ in b)": ("b", "", "b", "", ""),
    "lambda x=a: b": ("a", "", "a", "", ""),
    "def a(x: c = b): pass": ("b c", "a", "a b", "", ""),
    "@b\nclass a(c): pass": ("b c", "a", "a b c", "", ""),
    "import a, b.x": ("", "a b", "a b", "", ""),
    "del a": ("a", "a", "", "a", ""),
    "del a[b]": ("a b", "", "a b", "", ""),
    "return a": ("a", "", "a", "", ""),
    "raise a from b": ("a b", "", "a b", "", ""),
    "assert a, (b := c)": ("a c", "", "a", "", "b"),
    "super().x": ("s", "", "", "", ""),
    "global z": ("", "", "", "", ""),
}


@pytest.mark.parametrize("source", EFFECTS)
def test_effects(source):
    found = scope("def f(s, a, b, c): pass")
    effects = Effects(found)
    effects.statement(ast.parse(source).body[0])
    masks = effects.use, effects.kill, effects.bind, effects.lose, effects.may
    assert [found.listed(mask) for mask in masks] == [tuple(e.split()) for e in EFFECTS[source]]


def test_what_an_exception_may_leave():
    found = scope("def f(a, b, c): pass")
    effects = Effects(found)
    effects.store("a")
    effects.remove("a")
    effects.store("b", certain=False)
    assert found.listed(effects.stores) == ("a", "b")
    assert found.listed(effects.deletes) == ("a",)
    assert found.listed(effects.lose) == ("a",)


def test_names_of_patterns():
    pattern = ast.parse("match x:\n case {'a': [b, *c], **d} as e: pass").body[0].cases[0].pattern
    assert {bound_by_pattern(node) for node in ast.walk(pattern)} == {"b", "c", "d", "e", None}


@pytest.mark.skipif(not hasattr(ast, "TypeAlias"), reason="Python 3.12 has type parameters")
def test_type_parameters():
    found = scope("def f(a, b):\n type c[T: a] = b\n def g[T: a](x: T): pass\n class D[T](b): pass")
    assert found.names == ("a", "b", "c", "g", "D")
    assert found.listed(found.captured) == ("a", "b")
