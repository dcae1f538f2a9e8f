"""Recording forms do what the functions do: a corpus over all of Python, in both variants."""

import contextlib
import dataclasses
import functools
import importlib
import inspect
import linecache
import sys
import time
import timeit
import warnings

import pytest

from hybridad.recording.instrument import NoSource, bind, make_form
from hybridad.recording.instrument.blocks import KINDS
from tests.recording.instrument.corpus import calls, classes, expressions, statements
from tests.recording.instrument.outcomes import carets_of, functions_of, lines_of, outcome
from tests.recording.instrument.plain import PlainSite
from tests.recording.instrument.sources import cell, module

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SyntaxWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    dubious = importlib.import_module("tests.recording.instrument.corpus.dubious")

CASES = {f"{module.__name__.rpartition('.')[2]}.{name}": function
         for module in (expressions, calls, statements, classes, dubious)
         for name, function in functions_of(module).items()}
NAMED = pytest.mark.parametrize("name", CASES)
VARIANTS = pytest.mark.parametrize("blocks", [frozenset(), KINDS], ids=["plain", "blocks"])


def form_of(function, blocks=frozenset()):
    return bind(make_form(function, blocks, site=PlainSite), function)


# Lines that the interpreter itself counts in another way.
OTHER_LINES = {
    "calls.only_docstring": "the hook at its entry lies in the line of the docstring",
    "statements.loop_not_iterable": "`for` in a line of its own is no line event, but its hook is",
}
OTHER_CARETS = {
    "statements.assertions": "before 3.12 an assertion fails where its comparison is",
}


def test_the_corpus_is_large():
    assert len(CASES) >= 150


@VARIANTS
@NAMED
def test_same_outcome(name, blocks):
    function = CASES[name]
    assert outcome(form_of(function, blocks)) == outcome(function)


@VARIANTS
@NAMED
def test_same_lines(name, blocks):
    function = CASES[name]
    if not blocks or name not in OTHER_LINES:
        assert lines_of(form_of(function, blocks)) == lines_of(function)


@pytest.mark.parametrize("name", [name for name in CASES if carets_of(CASES[name])])
def test_same_carets(name):
    function = CASES[name]
    if sys.version_info >= (3, 12) or name not in OTHER_CARETS:
        assert carets_of(form_of(function)) == carets_of(function)


@NAMED
def test_facts_of_the_code(name):
    function = CASES[name]
    form = make_form(function, site=PlainSite)
    for field in ("co_name", "co_qualname", "co_filename", "co_firstlineno", "co_argcount",
                  "co_flags"):
        assert getattr(form.code, field) == getattr(function.__code__, field), field
    codes = [form.code, *form.nested]
    held = [c for code in codes for c in code.co_consts]
    assert not [c for c in held if isinstance(c, str) and c.startswith("\0")]
    assert {c for c in held if isinstance(c, PlainSite)} <= set(form.sites)
    assert not [site for site in form.sites if str(site.detail or "").startswith(".")]


# -- what is newer than Python 3.11 --------------------------------------------------------------

NEWER = r'''
def generic():
    def first[T: (int, str), *Ts, **P](x: T, y=len("ab")) -> T:
        z = x + x
        return z, T.__name__, [T for _ in range(1)][0] is T, y
    return first(2), first.__type_params__[0].__name__, first.__annotations__["x"].__name__

def generic_class():
    base = list
    class A[T](base):
        item: T
        def f[S](self, s: S):
            return s, T.__name__, S.__name__
    a = A([1])
    return a.f(3), a, A.__name__, A[int].__args__, A.__qualname__

def alias():
    n = 1
    type Pair[T] = tuple[T, n]
    n += 1
    return Pair.__name__, str(Pair.__value__)

def nested_texts():
    x, w = 1.5, 8
    return f"{f"{x:{f"{w}"}.2f}"!r}|{"a" + "\n"}|{
        x  # a comment
        + 1}"

def text_fails_late():
    x = "a"
    return f"""
    {x + "b"}
    {x
     + 1}"""
'''


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
@VARIANTS
@pytest.mark.parametrize("name", ["generic", "generic_class", "alias", "nested_texts",
                                  "text_fails_late"])
def test_newer_syntax(tmp_path, name, blocks):
    function = module(tmp_path / "newer.py", NEWER)[name]
    expected = outcome(function)
    assert outcome(form_of(function, blocks)) == expected
    assert (expected[0][0] == "error") == (name == "text_fails_late")


# -- binding -------------------------------------------------------------------------------------

def test_cells_are_shared():
    n = 0

    def add(k):
        nonlocal n
        n += k
        return n

    form = form_of(add)
    assert (form(1), add(2), form(3), n) == (1, 3, 6, 6)
    assert form.__closure__ == add.__closure__


def test_everything_else_is_shared():
    def f(a, b=[], *, c={}, d: int = 3) -> float:  # noqa: B006
        "text"
        b.append(a)
        c[a] = d
        return b, c

    f.note = 1
    form = form_of(f)
    assert form(1) == ([1], {1: 3}) and f(2) == ([1, 2], {1: 3, 2: 3})
    form.note += 1
    assert f.note == 2 and form.__dict__ is f.__dict__
    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__defaults__",
                 "__kwdefaults__", "__annotations__", "__globals__"):
        assert getattr(form, name) is getattr(f, name)
    f.__defaults__ = ([7],)
    assert bind(make_form(f, site=PlainSite), f)(8)[0] == [7, 8]


def test_one_form_serves_all_functions_of_a_code():
    def make(n):
        return lambda x: x + n

    one, two = make(1), make(2)
    form = make_form(one, site=PlainSite)
    assert (bind(form, one)(0), bind(form, two)(0)) == (1, 2)


def test_order_of_free_variables():
    def make(a, b, c):
        def f():
            return a, b, c
        return f

    f = make(1, 2, 3)
    form = make_form(f, site=PlainSite)
    assert form.order is None
    turned = dataclasses.replace(form, order=(2, 1, 0))
    assert bind(turned, f)() == (3, 2, 1)


def test_methods_and_descriptors():
    class A:
        def __init__(self, v):
            self.__v = v

        @property
        def w(self):
            return self.__v + 1

        @classmethod
        def make(cls, v):
            return cls(v)

        def __call__(self):
            return super().__repr__()[:4], self.__v

    a = A.make(5)
    assert form_of(vars(A)["w"].fget)(a) == 6
    assert form_of(A.make.__func__)(A, 7).w == 8
    assert form_of(A.__call__)(a) == a()


def test_sites_know_their_places():
    def f(a):
        y = (a +
             1)
        return y

    form = make_form(f, site=PlainSite)
    site, = form.sites
    line = f.__code__.co_firstlineno
    assert (site.kind, site.name, site.function, site.file) == (
        "add", "y", f.__qualname__, f.__code__.co_filename)
    assert (site.line, site.col, site.end_line, site.end_col) == (line + 1, 13, line + 2, 14)
    assert not form.blocks and make_form(f, KINDS, site=PlainSite).blocks


def test_no_warnings(recwarn):
    for function in functions_of(dubious).values():
        make_form(function, site=PlainSite)
        make_form(function, KINDS, site=PlainSite)
    assert not recwarn.list


def test_asserts_that_pytest_has_rewritten():
    def f(a):
        b = a + 1
        assert b == 2, "b is not 2"
        return b

    assert form_of(f)(1) == 2
    with pytest.raises(AssertionError, match="b is not 2"):
        form_of(f)(2)


def test_asynchronous_functions_stay_native():
    async def f(a):
        return [await i async for i in a]

    form = make_form(f, site=PlainSite)
    assert form.sites == () and form.code.co_code == f.__code__.co_code


def test_too_deep():
    source = "def f(x):\n    return " + "-(" * 90 + "x" + ")" * 90 + "\n"
    assert bind(make_form(cell(source)["f"], site=PlainSite), cell(source)["f"])(1) == 1
    deep = functools.reduce(lambda inner, _: f"abs(a={inner})", range(60), "x")
    f = cell(f"def f(x):\n    return {deep}\n")["f"]
    with _shallow(), pytest.raises(NoSource, match="nested too deeply"):
        make_form(f, site=PlainSite)


@contextlib.contextmanager
def _shallow():
    old = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 60)
    try:
        yield
    finally:
        sys.setrecursionlimit(old)


def test_local_variable_called_super():
    f = cell("def f():\n    class super: x = 1\n    return super.x\n")["f"]
    assert form_of(f)() == 1
    method = cell("class A:\n    def f(self):\n        super = 1\n        def g():\n"
                  "            return super\n        return g()\n")["A"].f
    assert form_of(method)(None) == 1


def test_default_site():
    pytest.importorskip("hybridad._site")
    from hybridad._site import Site

    form = make_form(lambda x: x + 1)
    assert [type(site) for site in form.sites] == [Site]


def test_speed():
    """The form of a hundred lines is made in the time of compiling some hundred more."""
    lines = "".join(f"""
    y{k} = a[{k}] * x.sum() + np.exp(-b * {k}.5) / (c - {k})
    if y{k} > {k} and b < y{k}:
        a[{k}] += y{k} ** 2
    else:
        a[{k}] = [q * 2 for q in range({k})]""" for k in range(20))
    f = cell(f"def f(a, b, c, x):{lines}\n    return a\n")["f"]
    make_form(f, site=PlainSite)
    source = "".join(linecache.getlines(f.__code__.co_filename)) * 4

    def time_of(call):
        return min(timeit.repeat(call, timer=time.thread_time, number=1, repeat=7))

    # Some 6 ms on a machine that needs 9 ms to compile four times as much.
    compiling = time_of(lambda: compile(source, "x", "exec"))
    assert time_of(lambda: make_form(f, site=PlainSite)) < 3 * compiling
