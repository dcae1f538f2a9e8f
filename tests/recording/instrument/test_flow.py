"""Live and bound names at points, where control gets by ways that are easily forgotten."""

import ast
import textwrap

import pytest

from hybridad.recording.instrument.flow import Flow, Point, is_irrefutable


def at_points(source):
    """The names at each ``HERE``: "a b? c", "?" for what is perhaps unbound; None if never."""
    points = []

    class Put(ast.NodeTransformer):
        def visit_Expr(self, node):
            if getattr(node.value, "id", "") != "HERE":
                return node
            points.append(Point())
            return points[-1]

    function = Put().visit(ast.parse(textwrap.dedent(source)).body[0])
    flow = Flow(function)
    return [text_of(flow.names(point)) for point in points], flow, function


def text_of(found):
    if found is None:
        return None
    names, maybe = found
    assert maybe <= set(names)
    return " ".join(name + "?" * (name in maybe) for name in names)


CASES = {
    "read later": ("""
        def f(a, b):
            HERE
            return a
        """, "a"),
    "bound anew before it is read": ("""
        def f(a, b):
            HERE
            b = a
            return b
        """, "a"),
    "never again after a return": ("""
        def f(a):
            return a
            HERE
        """, None),
    "after a loop without an end": ("""
        def f(a):
            while True:
                HERE
                a += 1
            HERE
        """, "a", None),
    "read in the next iteration": ("""
        def f(a, b):
            while a:
                b += 1
                HERE
                a = b
        """, "b"),
    "continue reads the test again": ("""
        def f(a, b):
            while a:
                HERE
                if b:
                    continue
                return 1
        """, "a b"),
    "break passes the else clause by": ("""
        def f(a, b, c):
            for i in a:
                if i:
                    HERE
                    break
            else:
                return b
            return c
        """, "c"),
    "the else clause": ("""
        def f(a, b, c):
            for i in a:
                if i:
                    break
            else:
                HERE
                return b
            return c
        """, "b"),
    "return leaves all loops": ("""
        def f(a, b):
            for i in a:
                for j in i:
                    HERE
                    return j
            return b
        """, "j"),
    "no iteration at all": ("""
        def f(a):
            for i in a:
                b = i
            HERE
            return b
        """, "b?"),
    "one side": ("""
        def f(a):
            if a:
                b = 1
            HERE
            return b
        """, "b?"),
    "one side raises": ("""
        def f(a):
            if a:
                b = 1
            else:
                raise a
            HERE
            return b
        """, "b"),
    "what was read is bound": ("""
        def f(a):
            if a:
                b = 1
            print(b)
            HERE
            return b
        """, "b"),
    "a handler reads it": ("""
        def f(a):
            try:
                HERE
                a = a + 1
                a = g(a)
                HERE
            except Error:
                return a
        """, "a", "a"),
    "a handler after a store that perhaps was": ("""
        def f():
            try:
                b = g()
                g()
            except Error:
                HERE
                return b
        """, "b?"),
    "a handler after a deletion that perhaps was": ("""
        def f(a):
            try:
                del a
                g()
            except Error:
                HERE
                return a
        """, "a?"),
    "the type of a later handler": ("""
        def f(a, b):
            try:
                HERE
                g()
            except a:
                return 1
            except b:
                return 2
        """, "a b"),
    "an outer handler, from a handler": ("""
        def f(a, b):
            try:
                try:
                    g()
                except Error:
                    HERE
                    b = g()
            except Error:
                return b
        """, "b"),
    "an outer handler, from the else clause": ("""
        def f(a, b):
            try:
                try:
                    pass
                except Error:
                    a = 1
                else:
                    HERE
                    b = g()
            except Error:
                return b
        """, "b"),
    "an outer handler, where no type fits": ("""
        def f(b):
            try:
                try:
                    HERE
                    g()
                except Error:
                    b = 1
            except Other:
                return b
        """, "b"),
    "an outer handler, through finally": ("""
        def f(a, b):
            try:
                try:
                    HERE
                    b = 2
                    b = g()
                finally:
                    a = 1
                return 1
            except Error:
                return b
        """, "b"),
    "an outer handler, through a with statement": ("""
        def f(c, b):
            try:
                with c:
                    HERE
                    g()
                    b = 1
                b = 2
            except Error:
                return b
        """, "b"),
    "the name of a handler": ("""
        def f(e):
            try:
                g()
            except Error as e:
                HERE
                h(e)
                HERE
            HERE
            return e
        """, "e", "", "e?"),
    "the name of a handler, left by break": ("""
        def f(e):
            while e:
                try:
                    return g()
                except Error as e:
                    break
            HERE
            return e
        """, "e?"),
    "finally, entered by return": ("""
        def f(a, b):
            try:
                HERE
                return a
            finally:
                HERE
                print(b)
        """, "a b", "b"),
    "finally, entered by break": ("""
        def f(a, b, c):
            while a:
                try:
                    b = 1
                    HERE
                    break
                finally:
                    HERE
                    c = 2
            HERE
            return b + c
        """, "b", "b", "b c"),
    "finally keeps apart who goes on": ("""
        def f():
            try:
                b = g()
            finally:
                pass
            HERE
            return b
        """, "b"),
    "nested finally clauses": ("""
        def f(a, b, c):
            for i in a:
                try:
                    try:
                        HERE
                        continue
                    finally:
                        HERE
                        print(b)
                finally:
                    HERE
                    print(c)
        """, "b c", "b c", "b c"),
    "return in finally": ("""
        def f(a, b):
            try:
                HERE
                g()
                b = 1
            finally:
                return b
        """, "b"),
    "a with statement may swallow": ("""
        def f(c, a):
            with c:
                HERE
                b = a
                a = 1
            HERE
            return a, b
        """, "a", "a b?"),
    "the second context is within the first": ("""
        def f(c, b):
            with c, g(b) as b:
                return 1
            HERE
            return b
        """, "b"),
    "except*": ("""
        def f(a, b):
            try:
                g()
            except* Error:
                b = 1
                g()
            except* Other:
                HERE
                b += a
            return b
        """, "a b"),
    "a guard that fails": ("""
        def f(x, n):
            match x:
                case [n, m] if m:
                    return 1
                case _:
                    HERE
                    return n, m
        """, "n m?"),
    "a guard reads": ("""
        def f(x, y):
            HERE
            match x:
                case n if n > y:
                    return 1
        """, "x y"),
    "what a guard that fails has stored": ("""
        def f(x):
            match x:
                case 1 if (y := x) > 0:
                    return 1
            HERE
            return y
        """, "y?"),
    "an alternative that is not tried": ("""
        def f(x, a):
            if x:
                b = a
            match x:
                case a.k | b.k:
                    HERE
                    return b
        """, "b?"),
    "no case": ("""
        def f(x):
            match x:
                case 0:
                    b = 1
            HERE
            return b
        """, "b?"),
    "all cases": ("""
        def f(x):
            match x:
                case 0:
                    b = 1
                case 1 | _:
                    b = 2
            HERE
            return b
        """, "b"),
    "captured": ("""
        def f(a):
            HERE
            g = lambda: a + b
            HERE
            b = 1
            HERE
            b = 2
        """, "a", "a", "a b"),
    "perhaps bound by a nested function": ("""
        def f(a):
            def g():
                nonlocal b
                b = 1
            HERE
            b = 2
            HERE
        """, "b?", "b"),
    "perhaps deleted by a nested function": ("""
        def f(a):
            def g():
                nonlocal a
                del a
            HERE
            print(a)
            HERE
        """, "a?", "a?"),
    "a deleted name": ("""
        def f(a):
            HERE
            del a
            HERE
            a = 1
            HERE
            del a
        """, "a", "", "a"),
    "locals() reads everything": ("""
        def f(a):
            b = 1
            HERE
            b = locals()
            if a:
                c = 1
            HERE
        """, "a b", "a b c?"),
    "super() reads the first": ("""
        def f(a, b):
            HERE
            return super().f()
        """, "a"),
}


@pytest.mark.parametrize("name", CASES)
def test_names(name):
    source, *expected = CASES[name]
    assert at_points(source)[0] == expected


def test_head_of_a_loop():
    """What is bound before the first iteration or after any, and live before the test."""
    _, flow, function = at_points("""
        def f(n):
            while n:
                if n < 2:
                    n = old
                else:
                    old = n
                n -= 1
            for n in range(n):
                last = n
            return last
        """)
    while_, for_, _ = function.body
    assert text_of(flow.names(while_)) == "n old?"
    assert text_of(flow.names(for_)) == "last?"


def test_names_of_another_place():
    """Both are listed; that a name is perhaps unbound is said of the first place."""
    _, flow, function = at_points("""
        def f(a):
            if a:
                b = 1
                HERE
            else:
                HERE
            HERE
            return b
        """)
    first, second = function.body[0].body[1], function.body[0].orelse[0]
    join = function.body[1]
    assert text_of(flow.names(first, join)) == "b"
    assert text_of(flow.names(second, join)) == "b?"
    assert text_of(flow.names(second)) == ""
    assert text_of(flow.names(function.body[0].body[1], function)) == "b"


PATTERNS = {"_": True, "x": True, "_ if x": False, "0": False, "0 | x": True, "(0 | _) as y": True,
            "[*_]": False, "int()": False, "0 as x": False}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_irrefutable(pattern):
    """Python refuses a case after one that always fits, so it tells which those are."""
    source = f"match 1:\n case {pattern}: pass"
    assert is_irrefutable(ast.parse(source).body[0].cases[0]) == PATTERNS[pattern]
    follow = source + "\n case 5: pass"
    if PATTERNS[pattern]:
        with pytest.raises(SyntaxError):
            compile(follow, "f", "exec")
    else:
        compile(follow, "f", "exec")
