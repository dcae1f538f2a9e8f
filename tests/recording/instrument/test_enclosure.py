"""Code that is compiled again is the code that it was."""

import ast
import inspect
import linecache
import threading
import warnings

import pytest

from hybridad.recording.instrument import enclosure
from hybridad.recording.instrument.enclosure import compile_function, compile_quietly, flags_of
from tests.recording.instrument.sources import cell

FIELDS = ("co_name", "co_qualname", "co_code", "co_names", "co_varnames", "co_freevars",
          "co_cellvars", "co_argcount", "co_kwonlyargcount", "co_posonlyargcount",
          "co_firstlineno", "co_linetable", "co_filename", "co_exceptiontable")

SOURCES = {
    "plain": ("def f(a, /, b=1, *c, d: int = 2, **e) -> str:\n    return a, b, c, d, e\n", None),
    "decorated": ("@keep\n@keep\ndef f():\n    return 1\n", None),
    "lambda": ("f = lambda a, b=1: a + b\n", None),
    "recursive": ("def f(n):\n    return f(n - 1)\n", None),
    "closure": ("def make(x, y):\n    def f():\n        return y, f, x\n    return f\n"
                "f = make(1, 2)\n", None),
    "method": ("class A:\n    def f(self, __p):\n        return super().g(self.__x, __p, A)\n"
               "f = A.f\n", "A"),
    "class_of_underscores": ("class __:\n    def f(self):\n        return self.__x\nf = __.f\n",
                             "__"),
    "nested_class": ("def f():\n    class A:\n        class B:\n            x = 1\n"
                     "    return A.B.__qualname__\n", None),
    "generator": ("def f():\n    x = yield 1\n    yield from (i for i in x)\n", None),
    "coroutine": ("async def f():\n    async for x in y:\n        await x\n", None),
}


def _node(space):
    line = space["f"].__code__.co_firstlineno
    lines = linecache.cache[space["f"].__code__.co_filename][2]
    return next(n for n in ast.walk(ast.parse("".join(lines)))
                if (getattr(n, "name", "") == "f" or isinstance(n, ast.Lambda))
                and abs(n.lineno - line) <= 2)


@pytest.mark.parametrize("name", SOURCES)
def test_same_code(name):
    source, class_name = SOURCES[name]
    space = cell(source, keep=lambda f: f)
    code = space["f"].__code__
    made = compile_function(_node(space), code, class_name)
    for field in FIELDS:
        assert getattr(made, field) == getattr(code, field), field
    nested = [[c.co_qualname for c in k.co_consts if inspect.iscode(c)] for k in (made, code)]
    assert nested[0] == nested[1]


def test_class_bodies_know_their_qualified_name():
    space = cell("def outer():\n    def f():\n        class A: pass\n        return A\n"
                 "    return f\nf = outer()\n")
    made = compile_function(_node(space), space["f"].__code__)
    assert type(space["f"])(made, space)().__qualname__ == "outer.<locals>.f.<locals>.A"


def test_attributes_of_imported_modules():
    space = cell("import math\ndef f(x):\n    return math.sin(x)\n")
    code = space["f"].__code__
    assert compile_function(_node(space), code, None, ("math",)).co_code == code.co_code


def test_future_flags():
    code = compile("from __future__ import annotations\ndef f(x: y): pass", "x", "exec")
    assert flags_of(code) != 0 == flags_of(compile("1", "x", "exec"))


# ---- warnings ----------------------------------------------------------------------------------

DUBIOUS = ["1 is 1", "assert (1, 2)", "'a'()", "'\\d'", "b'\\u'", "'\\777'", "0in [1]"]


@pytest.mark.parametrize("text", DUBIOUS)
@pytest.mark.parametrize("action", ["always", "error"])
def test_warnings_are_not_repeated(text, action):
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter(action)
        compile_quietly(compile_quietly(text, ast.PyCF_ONLY_AST))
    assert shown == []


def test_filters_stay_as_they_are():
    before = list(warnings.filters)
    compile_quietly("1 is 1")
    with pytest.raises(SyntaxError):
        compile_quietly("1 1")
    assert warnings.filters == before


def test_what_was_shown_once_is_not_shown_again():
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        for _ in range(3):
            warnings.warn("once for this line", stacklevel=1)
            compile_quietly("1 is 1")
    assert [str(w.message) for w in shown] == ["once for this line"]


def test_other_threads_warnings_are_shown(monkeypatch):
    """While something is being compiled, the warnings of everybody else are what they were."""
    def compile_slowly(*args, **kwargs):
        other = threading.Thread(target=warnings.warn, args=("of another thread",))
        other.start()
        other.join()
        return compile(*args, **kwargs)

    monkeypatch.setattr(enclosure, "compile", compile_slowly, raising=False)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        compile_quietly("1 is 1")
    assert [str(w.message) for w in shown] == ["of another thread"]


def test_filters_that_are_all_removed_meanwhile(monkeypatch):
    def compile_and_reset(*args, **kwargs):
        warnings.resetwarnings()
        return compile(*args, **kwargs)

    monkeypatch.setattr(enclosure, "compile", compile_and_reset, raising=False)
    with warnings.catch_warnings():
        assert compile_quietly("1")
