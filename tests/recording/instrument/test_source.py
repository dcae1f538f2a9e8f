"""Definitions are found by the code that runs, or refused with a reason."""

import ast
import dataclasses
import doctest
import importlib
import linecache
import os
import sys
import zipfile

import pytest

from hybridad.recording.instrument import source
from hybridad.recording.instrument.source import NoSource, find_definition, forget_sources
from tests.recording.instrument.sources import cell, module


@pytest.fixture(autouse=True)
def _fresh():
    forget_sources()
    yield
    for name in [n for n in linecache.cache if isinstance(n, str) and n.startswith("<")]:
        del linecache.cache[name]


def found(function):
    return find_definition(function.__code__, function.__globals__)


def text(function):
    return ast.unparse(found(function).node)


def refused(function):
    with pytest.raises(NoSource) as caught:
        found(function)
    return caught.value.reason


def test_function_of_a_file():
    def plain(a, b=1):
        return a + b

    assert text(plain) == "def plain(a, b=1):\n    return a + b"
    assert found(plain).class_name is None
    assert {"ast", "linecache", "NoSource"} <= set(found(plain).imports)


def test_decorated():
    def twice(f):
        return f

    @twice
    @twice
    def decorated():
        return 2

    assert text(decorated).startswith("@twice")


def test_asserts_that_pytest_has_rewritten():
    def checked(a):
        b = a + 1
        assert b > a, "message"
        assert [b] == [a + 1] and b
        return b

    assert "@py" in " ".join(checked.__code__.co_varnames)
    assert text(checked).count("assert") == 2


def test_pytest_does_not_hide_a_change():
    def checked(a, other):
        assert a
        return other

    code = checked.__code__.replace(co_varnames=("b", *checked.__code__.co_varnames[1:]))
    with pytest.raises(NoSource, match="changed"):
        find_definition(code, globals())


def test_several_lambdas_in_one_line():
    a, b, c = lambda x: x + 1, lambda x: x + 2, lambda x: (lambda y: x + y)
    assert [text(f) for f in (a, b, c, c(1))] == [
        "lambda x: x + 1", "lambda x: x + 2", "lambda x: lambda y: x + y", "lambda y: x + y"]


def test_equal_lambdas_are_told_apart_by_their_columns():
    # A line of its own, since only the columns differ.
    one, two = (lambda x: x), (lambda x: x)
    assert found(one).node.col_offset < found(two).node.col_offset


def test_equal_lambdas_without_columns():
    """Under ``-X no_debug_ranges`` equal ones on one line cannot be told apart, nor need they."""
    one, two = (lambda x: x), (lambda x: x)
    code = two.__code__.replace(co_linetable=b"")
    assert find_definition(code, globals()) in (found(one), found(two))


def test_lambda_over_lines():
    f = (lambda a,
                b: [
                    a, b])
    g = [
        lambda v: v]
    assert (text(f), text(g[0])) == ("lambda a, b: [a, b]", "lambda v: v")


def test_definitions_in_one_line():
    space = cell("""
        class A: f = lambda self: self.__x; g = lambda self: self.__y
        class B: f = lambda self: self.__x
        if True: e = lambda: 1; d = lambda: 1.0; c = lambda: True
    """)
    assert text(space["A"].g) == "lambda self: self.__y"
    assert found(space["A"].f).class_name == "A"
    assert found(space["B"].f).class_name == "B"
    assert [text(space[n]) for n in "edc"] == ["lambda: 1", "lambda: 1.0", "lambda: True"]


def test_constants_are_compared_with_sign_and_type():
    space = cell("a, b, c, d = "
                 "lambda: 0.0, lambda: -0.0, lambda: 0, lambda: (0j, 'x', {1} & {2})\n")
    assert [text(space[n]) for n in "abcd"] == [
        "lambda: 0.0", "lambda: -0.0", "lambda: 0", "lambda: (0j, 'x', {1} & {2})"]


def test_comprehension():
    f = (x for x in range(3)).gi_code
    assert ast.unparse(find_definition(f, globals()).node) == "(x for x in range(3))"
    g = [(x for x in "ab").gi_code, (y for y in "cd").gi_code][1]
    assert ast.unparse(find_definition(g, globals()).node) == "(y for y in 'cd')"


def test_class_around():
    class _Outer:
        class Inner:
            def method(self):
                def nested():
                    return self.__hidden
                return nested

            @property
            def __private(self):
                return __class__

    method = _Outer.Inner.method
    assert found(method).class_name == "Inner"
    assert found(method(None)).class_name == "Inner"
    assert found(vars(_Outer.Inner)["_Inner__private"].fget).node.name == "__private"


def test_class_that_is_named_in_its_method():
    class Named:
        def make(self):
            return Named, super().__repr__()

    space = cell("class Named:\n    def make(self):\n        return Named, super().make()\n")
    assert found(Named.make).node.name == found(space["Named"].make).node.name == "make"


def test_notebook_cell():
    space = cell("y = 3\n\ndef f(x):\n    return x + y\n")
    assert text(space["f"]) == "def f(x):\n    return x + y"
    again = cell("def f(x):\n    return x - y\n")
    assert text(again["f"]) == "def f(x):\n    return x - y"
    assert "is not in line" in refused(space["f"])


def test_read_eval_print_loop(monkeypatch):
    code = compile("f = lambda: 5\n", "<python-input-3>", "exec")
    space = {}
    exec(code, space)
    monkeypatch.setattr(linecache, "_getlines_from_code", lambda c: ["f = lambda: 5\n"],
                        raising=False)
    assert text(space["f"]) == "lambda: 5"


def test_exec():
    space = {}
    exec("def f(x):\n    return x", space)
    assert "exec" in refused(space["f"])


def test_generated_method():
    @dataclasses.dataclass
    class Point:
        x: float

    assert "generator" in refused(Point.__init__)


def test_missing_file():
    space = {}
    exec(compile("def f(): pass", "/no/such/file.py", "exec"), space)
    assert "cannot be read" in refused(space["f"])


def test_edited_file(tmp_path):
    path = tmp_path / "edited.py"
    old = module(path, "def f(x):\n    return x + 1\n")["f"]
    assert text(old) == "def f(x):\n    return x + 1"
    new = module(path, "def f(x):\n    return x + 20\n")["f"]
    os.utime(path, (1, 1))
    assert "changed" in refused(old)
    assert text(new) == "def f(x):\n    return x + 20"


def test_file_that_is_no_python_any_more(tmp_path):
    path = tmp_path / "broken.py"
    f = module(path, "def f(x):\n    return x\n")["f"]
    path.write_text("def f(x:\n")
    os.utime(path, (1, 1))
    assert "not valid Python" in refused(f)


def test_moved_definition(tmp_path):
    path = tmp_path / "moved.py"
    f = module(path, "def f(x):\n    return x\n")["f"]
    path.write_text("# a line\ndef f(x):\n    return x\n")
    os.utime(path, (1, 1))
    assert "is not in line 1" in refused(f)


def test_rewritten_code():
    def f():
        return 1.5

    f.__code__ = f.__code__.replace(co_consts=(None, 2.5))
    assert "rewritten" in refused(f)


@pytest.mark.parametrize("a, b", [("1", "True"), ("1", "1.0"), ("0.0", "-0.0"), ("'a'", "b'a'"),
                                  ("lambda: 1", "lambda: 2"), ("(1, 2)", "(1, 2.0)")])
def test_nearly_equal_code_is_not_the_same(tmp_path, a, b):
    path = tmp_path / "near.py"
    f = module(path, f"def f():\n    return {a}\n")["f"]
    path.write_text(f"def f():\n    return {b}\n")
    os.utime(path, (1, 1))
    assert "changed" in refused(f)


def test_module_in_an_archive(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("zipped_module.py", "def f(x):\n    return x * 2\n")
    monkeypatch.syspath_prepend(tmp_path / "archive.zip")
    made = importlib.import_module("zipped_module")
    try:
        assert text(made.f) == "def f(x):\n    return x * 2"
    finally:
        del sys.modules["zipped_module"]


def test_doctest():
    example = '''
    >>> def shown(x):
    ...     y = x * 2
    ...     return y
    >>> text(shown)
    'def shown(x):\\n    y = x * 2\\n    return y'
    '''
    test = doctest.DocTestParser().get_doctest(example, {"text": text}, "shown", "shown.py", 0)
    said = []
    assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, said


def test_future_annotations(tmp_path):
    space = module(tmp_path / "future.py", """
        from __future__ import annotations
        def f(x: nowhere) -> nothing:
            def g(y: (lambda: x)): return y
            return g
    """)
    assert found(space["f"]).node.name == "f"
    assert found(space["f"](1)).node.name == "g"


def test_imports_anywhere_at_the_top(tmp_path):
    space = module(tmp_path / "imports.py", """
        try:
            import json.decoder, os as system
        except ImportError:
            json = None
        if system:
            from math import sin as sine, cos
        def f(x):
            import re
            return json.dumps(x), system.getcwd(), sine.hex(), re.sub("a", "b", x)
    """)
    assert sorted(found(space["f"]).imports) == ["cos", "json", "sine", "system"]


def test_no_warning_of_what_was_warned_before(tmp_path, recwarn):
    source = 'def f(x):\n    return x is 5, "\\d", 0xfor x\n'
    path = tmp_path / "dubious.py"
    path.write_text(source)
    space = {}
    exec(compile(source, str(path), "exec"), space)
    assert recwarn.list
    recwarn.clear()
    assert found(space["f"]).node.name == "f"
    assert not recwarn.list


def test_parsed_once(monkeypatch):
    space = cell("f = lambda: 1\ng = lambda: 2\n")
    parsed = []
    parse = source.compile_quietly
    monkeypatch.setattr(source, "compile_quietly",
                        lambda *args: parsed.append(args) or parse(*args))
    found(space["f"]), found(space["g"]), found(space["f"])
    assert len(parsed) == 1


def test_few_files_are_kept(monkeypatch):
    monkeypatch.setattr(source, "_KEPT_FILES", 3)
    for k in range(6):
        found(cell(f"f = lambda: {k}\n", f"<cell-{k}>")["f"])
    assert len(source._parsed) == 3
