"""Local, free or global: as Python's own symbol table says."""

import ast
import symtable

import pytest

from hybridad.recording.instrument.scopes import Scope, mangle

PARAMETERS = [("__x", "A", "_A__x"), ("__x", "__A", "_A__x"), ("__x__", "A", "__x__"),
              ("_x", "A", "_x"), ("__x", None, "__x"), ("__x", "__", "__x"),
              ("__x.y", "A", "__x.y")]


@pytest.mark.parametrize("name, class_name, expected", PARAMETERS)
def test_mangle(name, class_name, expected):
    assert mangle(name, class_name) == expected


SOURCE = '''
def root(a, b=d1, /, *args, c: ann = d2, **kwargs):
    global g1
    import os.path as path, sys, xml.dom
    from math import pi, sin as sine
    local = g2 + a
    (t1, [t2, *t3]), o.attribute, o[index] = value
    for loop in iterable: pass
    with manager as target: pass
    try: pass
    except Error as error: pass
    del deleted
    g1 = 1
    aug += 1
    x: annotated = 1
    y: annotated
    if (walrus := a): pass
    [inner for inner in source if (leaked := inner)]
    (lambda p, q=default: (p, hidden := 1))
    match subject:
        case {"k": m1, **m2}: pass
        case [m3, *m4] | (m3 as m4): pass
    @decorator
    def function(parameter=other): own = 1
    class Class(Base, key=keyword): member = 1
    def nested():
        nonlocal local, late
        return a, loop, g1, unknown, Class
    late = 1
    print(undefined)
'''


def _scope(source, free=()):
    node = ast.parse(source).body[0]
    return node, Scope(node, None, node.name, None, free)


def test_like_the_symbol_table():
    _, scope = _scope(SOURCE)
    table = symtable.symtable(SOURCE, "x", "exec").get_children()[0]
    # The variable of a comprehension counts as the function's since 3.12, and is none of it.
    names = [s for s in table.get_symbols() if s.get_name() not in (".0", "inner")]
    assert len(names) > 45
    for symbol in names:
        expected = "local" if symbol.is_local() else "free" if symbol.is_free() else "global"
        assert scope.kind_of(symbol.get_name()) == expected, symbol


def _inside(source, *path):
    """The scope of a definition inside the first one, by the kinds of nodes that lead there."""
    node, scope = _scope(source)
    for kind in path:
        node = next(n for n in ast.walk(node) if isinstance(n, kind) and n is not node)
        scope = Scope(node, scope.add_type_parameters(node), "inside",
                      node.name if kind is ast.ClassDef else scope.class_name)
    return scope


@pytest.mark.parametrize("source, path, name, expected", [
    ("def f(a):\n def g(): return a", [ast.FunctionDef], "a", "free"),
    ("def f(a):\n def g(a): return a", [ast.FunctionDef], "a", "local"),
    ("def f():\n global a\n def g(): return a", [ast.FunctionDef], "a", "global"),
    ("def f(a):\n def g():\n  global a\n  a = 1", [ast.FunctionDef], "a", "global"),
    ("def f(a):\n def g():\n  nonlocal a\n  a = 1", [ast.FunctionDef], "a", "free"),
    ("def f(a):\n class A:\n  b = a", [ast.ClassDef], "a", "free"),
    ("def f(a):\n class A:\n  a = a", [ast.ClassDef], "a", "local"),
    ("def f():\n class A:\n  a = 1\n  def g(self): return a", [ast.ClassDef, ast.FunctionDef], "a",
     "global"),
    ("def f():\n class A:\n  def g(self): return __class__", [ast.ClassDef, ast.FunctionDef],
     "__class__", "free"),
    ("def f():\n class A:\n  a = [b for c in d]", [ast.ClassDef, ast.ListComp], "a", "global"),
    ("def f(a):\n [b + a for b in c]", [ast.ListComp], "a", "local"),
    ("def f(a):\n [b + a for b in c]", [ast.ListComp], "b", "local"),
    ("def f(a):\n [b + a for b in c]", [ast.ListComp], "c", "global"),
    ("def f(a):\n [(d := b) for b in c]", [ast.ListComp], "d", "local"),
    ("def f(a):\n [lambda: b for b in c]", [ast.ListComp, ast.Lambda], "b", "free"),
    ("def f(a):\n [lambda: a for b in c]", [ast.ListComp, ast.Lambda], "a", "free"),
    ("def f():\n lambda b: (c := b)", [ast.Lambda], "c", "local"),
])
def test_nested(source, path, name, expected):
    assert _inside(source, *path).kind_of(name) == expected


def test_free_variables_of_the_root():
    _, scope = _scope("def f(): return a, b", free=("a",))
    assert (scope.kind_of("a"), scope.kind_of("b")) == ("free", "global")


def test_mangled_in_classes():
    scope = _inside("def f():\n class A:\n  def g(self, __p):\n   __q = 1\n", ast.ClassDef,
                    ast.FunctionDef)
    assert scope.bound == {"self", "_A__p", "_A__q"}
    assert scope.kind_of("__p") == "local"


def test_type_parameters():
    parameter = type("TypeVar", (), {"name": "T"})()
    node, scope = _scope("def f():\n def g(): return T")
    inner = node.body[0]
    assert scope.add_type_parameters(inner) is scope or not getattr(inner, "type_params", None)
    inner.type_params = [parameter]
    assert Scope(inner, scope.add_type_parameters(inner), "g", None).kind_of("T") == "free"


def test_generators():
    assert _scope("def f():\n if a: x = yield")[1].is_generator
    assert _scope("def f():\n yield from a")[1].is_generator
    assert not _scope("def f():\n def g(): yield\n (lambda: (yield))")[1].is_generator
