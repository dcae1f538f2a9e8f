"""Hooks: which names, in which order, and that a program does with them what it does without."""

import ast
import inspect
import random
import sys
import textwrap
import warnings
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridad.recording.instrument.blocks import KINDS, insert_blocks, joined
from tests.recording.instrument.block_cases import CASES
from tests.recording.instrument.hooking import UNBOUND, Hooked, plain
from tests.recording.instrument.jumbles import Jumble, World, outcome


def hooked(source, **options):
    return Hooked(source, **World().namespace(), **options)


def source_of(name):
    return textwrap.dedent(CASES[name][0]).strip()


CALLS = [(name, call) for name, (_, calls) in CASES.items() for call in calls]


def call(namespace, arguments):
    """What a case gives; generators as lists."""
    result = eval(f"f({arguments})", namespace)
    return list(result) if inspect.isgenerator(result) else result


@pytest.mark.parametrize("name, arguments", CALLS)
def test_events(name, arguments):
    program = hooked(source_of(name))
    call(program.namespace, arguments)
    expected = " ".join(CASES[name][1][arguments].split())
    assert "; ".join(program.names()) == expected


@pytest.mark.parametrize("poison", [False, True])
@pytest.mark.parametrize("name, arguments", CALLS)
def test_same_value(name, arguments, poison):
    program = hooked(source_of(name), poison=poison)
    assert call(program.namespace, arguments) == call(
        plain(source_of(name), **World().namespace()), arguments)


def test_every_kind_occurs():
    found = {event.split()[0] for _, calls in CASES.values() for events in calls.values()
             for event in events.split(";")}
    assert found == {kind for kind in KINDS if kind not in
                     ("ternary.join", "and.join", "or.join", "chain.join")}


def _lines(namespace, arguments):
    """The lines that a debugger would stop at, a line that comes again at once not counted."""
    seen = []

    def trace(frame, event, _):
        if frame.f_code.co_filename not in ("<plain>", "<hooked>"):
            return None
        if event == "line":
            seen.append(frame.f_lineno)
        return trace

    outer = sys.gettrace()
    sys.settrace(trace)
    try:
        call(namespace, arguments)
    finally:
        sys.settrace(outer)
    return [line for line, _ in groupby(seen)]


# Where a block ends with a block, the line of the latter comes again for the hook at the end; so
# does that of a hook which finds an unbound name after a call.
AGAIN = {("elif", "1"), ("a name that the first iteration binds", "2"),
         ("break through finally", "[0, 1]"), ("loops left and entered", "2"),
         ("deleted by a nested function", "1")}


@pytest.mark.parametrize("name, arguments", CALLS)
def test_lines(name, arguments):
    program = hooked(source_of(name))
    lines = _lines(program.namespace, arguments)
    expected = _lines(plain(source_of(name), **World().namespace()), arguments)
    assert set(lines) == set(expected)
    assert (lines != expected) == ((name, arguments) in AGAIN)


@given(random=st.randoms(use_true_random=False), size=st.sampled_from([8, 25, 60]),
       poison=st.booleans())
@settings(max_examples=60, deadline=None)
def test_random_programs(random, size, poison):
    _same(random, size, poison)


@pytest.mark.fuzz
@pytest.mark.parametrize("hundred", range(30))
def test_many_random_programs(hundred):
    for seed in range(100 * hundred, 100 * hundred + 100):
        for poison in (False, True):
            _same(random.Random(seed), 25 + seed % 40, poison)


def _same(random, size, poison):
    """Without hooks and with them; poisoned, with all names deleted that a hook does not list."""
    source = Jumble(random, size).source()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            expected = outcome(lambda namespace: plain(source, **namespace)["f"])
        except SyntaxError:
            return
        found = outcome(lambda namespace: Hooked(source, poison=poison, **namespace)["f"])
    assert found == expected, source


def test_random_programs_are_telling():
    """Most compile, many come to an end, and all constructs have hooks in them."""
    compiled, values, kinds = 0, 0, set()
    for seed in range(150):
        source = Jumble(random.Random(seed), 40).source()
        programs = []

        def make(namespace, source=source, programs=programs):
            programs.append(Hooked(source, **namespace))
            return programs[0]["f"]

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            try:
                ended, _ = outcome(make)
            except SyntaxError:
                continue
        compiled += 1
        values += "value" in ended
        kinds |= {kind for kind, _, _ in programs[0].events}
    assert compiled > 120
    assert values > 30
    assert len(kinds) > 25


def test_poison_tells():
    """The test of liveness would notice a name that is missing."""
    program = hooked("def f(a, b):\n if a:\n  pass\n return b", poison=True)
    lacking = [site for site in program.sites if site.kind == "if.join"]
    assert lacking[0].detail == ("b",)
    source = "def f(a, b):\n return a"
    assert "del b" in ast.unparse(hooked(source, poison=True).tree)


# Rebinding

def changing(kind, **values):
    """A change of some names at hooks of one kind."""
    def change(site, given):
        if site.kind != kind:
            return given
        return tuple(values.get(name, value) for name, value in zip(site.detail, given))
    return change


REBOUND = {
    "parameters": ("def f(a):\n return a", changing("function.entry", a=5), 5),
    "before a return": ("def f(a):\n b = 1\n return a + b",
                        changing("return", a=10, b=20), 30),
    "a side": ("def f(a):\n if a:\n  pass\n return a", changing("if.then", a=5), 5),
    "an end": ("def f(a):\n if a:\n  b = 1\n else:\n  b = 2\n return b",
               changing("if.end", b=5), 5),
    "the head of a loop": ("def f(a):\n n = 0\n while a < 3:\n  a += 1\n  n += 1\n return n",
                           changing("while.loop", a=3), 0),
    "the next iteration": ("def f(a):\n while a < 3:\n  a += 1\n return a",
                           changing("while.next", a=9), 9),
    "a target": ("def f(a):\n for i in [1, 2]:\n  a += i\n return a",
                 changing("for.body", i=10), 21),
    "a cell": ("def f(a):\n g = lambda: a\n if a:\n  pass\n return g()",
               changing("if.join", a=5), 5),
    "a name that may be unbound": ("def f(a):\n if a:\n  b = 1\n return b",
                                   changing("if.join", b=5), 5),
    "kept where it comes back unbound": ("def f(a):\n if a:\n  b = 1\n return b",
                                         changing("if.join", b=UNBOUND), 1),
}


@pytest.mark.parametrize("name", REBOUND)
def test_rebinding(name):
    source, change, expected = REBOUND[name]
    assert hooked(source, change=change)["f"](1) == expected


@pytest.mark.parametrize("change", [None, changing("if.join", b=5)])
def test_an_unbound_name_stays_unbound(change):
    source = "def f(a):\n if a:\n  b = 1\n try:\n  return b\n except NameError as e:\n  return e"
    program = hooked(source, change=change)
    error = program["f"](0)
    assert type(error) is UnboundLocalError
    assert str(error) == str(plain(source)["f"](0))
    assert ("if.join", 2, {"b": UNBOUND}) in program.events


def test_names_of_builtins_may_be_hidden():
    source = "def f(a, NameError=3):\n if a:\n  b = 1\n return NameError if a else b"
    assert hooked(source)["f"](1) == 3


def test_temporaries_keep_nothing():
    program = hooked("def f(a):\n if a:\n  b = 1\n a = locals()\n return a, b")
    assert program["f"](1) == ({"a": 1, "b": 1}, 1)


# What is given and made

def test_the_source_is_not_changed():
    for name in CASES:
        tree = ast.parse(source_of(name))
        before = ast.dump(tree, include_attributes=True)
        made = insert_blocks(tree.body[0], lambda *_: ast.Name("site", ast.Load()))
        assert ast.dump(tree, include_attributes=True) == before
        assert made is not tree.body[0]


@pytest.mark.parametrize("source", ["async def f(a):\n if a: pass", "lambda a: a or b"])
def test_without_hooks(source):
    node = ast.parse(source).body[0]
    node = getattr(node, "value", node)
    assert insert_blocks(node, None) is node


def kinds_in(source, kinds):
    """The kinds of hooks that a function gets of those that are wanted."""
    made = []

    def make_site(kind, node, detail):
        made.append(kind)
        return ast.Name("site", ast.Load())

    node = ast.parse(source).body[0]
    form = insert_blocks(node, make_site, frozenset(kinds))
    ast.unparse(ast.fix_missing_locations(form))
    return made, form is node


def test_only_hooks_that_are_wanted():
    source = "def f(a):\n if a:\n  return 1\n for i in a:\n  if i: break\n return 2"
    assert kinds_in(source, {"for.loop", "break"}) == (["for.loop", "break"], False)
    assert kinds_in(source, {"if.else"}) == (["if.else", "if.else"], False)
    assert kinds_in("def f(a): return a", {"return"}) == ([], True)
    assert kinds_in("def f(a): return a", {"return", "function.entry"})[0] == [
        "function.entry", "return"]
    assert joined(ast.parse("a if b else c").body[0].value, None, None, frozenset()) is None


def test_sites():
    """A site is made for each hook with its kind, its construct and its names."""
    made = []

    def make_site(kind, node, detail):
        made.append((kind, type(node).__name__, node.lineno, detail))
        return ast.Constant(None)

    source = "def f(a, b):\n  if a:\n    while b:\n      break\n  return a"
    insert_blocks(ast.parse(source).body[0], make_site)
    assert sorted(made) == sorted([
        ("function.entry", "FunctionDef", 1, ("a", "b")), ("if.then", "If", 2, ("a", "b")),
        ("while.loop", "While", 3, ("a", "b")), ("while.body", "While", 3, ("a", "b")),
        ("break", "Break", 4, ("a",)), ("while.exit", "While", 3, ("a",)),
        ("if.end", "If", 2, ("a",)), ("if.else", "If", 2, ("a",)), ("if.end", "If", 2, ("a",)),
        ("if.join", "If", 2, ("a",)), ("return", "Return", 5, ("a",))])
    assert {kind for kind, *_ in made} <= KINDS


def test_inserted_statements_are_marked():
    tree = ast.parse("def f(a):\n if a:\n  b = a\n return b")
    made = insert_blocks(tree.body[0], lambda *_: ast.Name("site", ast.Load()))
    users = {id(node) for node in ast.walk(tree)}
    marked = [node for node in ast.walk(made) if getattr(node, "_hybridad", False)]
    assert all(id(node) not in users for node in marked)
    lists = [made.body, made.body[1].body, made.body[1].orelse]
    others = [node for body in lists for node in body if node not in marked]
    assert [type(node) for node in others] == [ast.If, ast.Return, ast.Assign]
    assert ast.unparse(made.body[0]) == "a, = site.block(a)"


JOINS = {
    "a if b else c": ["ternary.join 2"],
    "b and a": ["and.join 0"],
    "a or b or c": ["or.join 1"],
    "b < a < c": ["chain.join True"],
    "a < c": [],
    "not a": [],
    "(b or a) + (a and c)": ["or.join 1", "and.join 2"],
    "[x or c for x in (a, b)]": ["or.join 1", "or.join 2"],
    "(lambda x: x and a)(c)": ["and.join 1"],
}


@pytest.mark.parametrize("source", JOINS)
def test_joins(source):
    text = f"def f(a, b, c):\n return {source}"
    program = hooked(text)
    assert program["f"](1, 0, 2) == plain(text)["f"](1, 0, 2)
    assert [f"{kind} {value}" for kind, value in program.joins] == JOINS[source]


def test_only_what_chooses_is_joined():
    node = ast.parse("a + b").body[0].value
    assert joined(node, node, None) is node
