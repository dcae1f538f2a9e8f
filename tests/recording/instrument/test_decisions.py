"""Who is asked for the truth, how often and in which order."""

import pytest

from hybridad.recording.instrument.blocks import KINDS
from tests.recording.instrument.outcomes import events_of
from tests.recording.instrument.sources import cell


def events(statement, **names):
    function = cell(f"def f(a, b):\n    {statement}\n", **names)["f"]
    return events_of(function, 2, 3)


@pytest.mark.parametrize("statement, expected", [
    ("return a and b", "truth(and)"),
    ("return a or b", "truth(or)"),
    ("return a and b and a", "truth(and) truth(and)"),
    ("return not a", "truth(not)"),
    ("return not (a and b)", "truth(and) truth(not)"),
    ("return g() or a", "read(g) call truth(or)"),
    ("return a < b", "lt"),
    ("return a < b < 5", "lt truth(compare) lt"),
    ("return a > b < 5", "gt truth(compare)"),
    ("return a < b + 1 < 5", "add lt truth(compare) lt"),
    ("return a if b else 0", "truth(ternary)"),
    ("return a if b and a else 0", "truth(and) truth(ternary)"),
    ("assert a", "truth(assert)"),
    ("assert a < b", "lt truth(assert)"),
    ("assert a == 2 < b != 5", "eq truth(compare) lt truth(compare) ne truth(assert)"),
    ("if a and b: pass", "truth(and) truth(if)"),
    ("if not a or b: pass", "truth(or) truth(if)"),
    ("if a if b else 0: pass", "truth(ternary) truth(if)"),
    ("if True: pass", ""),
    ("if __debug__: pass", ""),
    ("while a > b: pass", "gt truth(while)"),
    ("while True: break", ""),
    ("return [x for x in (a, b) if x > 2 and x]",
     "iter:x gt truth(and) gt truth(and) truth(comprehension)"),
    ("return [x for x in (a and b,)]", "truth(and) iter:x"),
    ("return [y for x in (1,) for y in (g() or b,)]", "iter:x read(g) call iter:y"),
    ("return [1 for x in (1,) for y in (0 < g() + 1 < 2,)]",
     "iter:x read(g) call add iter:y"),
])
def test_truths(statement, expected):
    assert events(statement, g=lambda: 0) == expected


def test_joins_only_in_hooked_functions():
    source = """
        def f(a, b):
            x = a and b or 1
            y = 1 if a else 2
            if a < b < 4 and y:
                pass
            return [a and b for _ in (1,)], (lambda: a or b)()
    """
    function = cell(source)["f"]
    assert "join" not in events_of(function, 2, 3)
    joins = [e for e in events_of(function, 2, 3, blocks=KINDS).split() if e.startswith("join")]
    assert joins == ["join(())"] * 6


def test_no_joins_in_generators_and_class_bodies():
    generator = cell("def f(a, b):\n    yield a and b\n")["f"]
    assert "join" not in events_of(generator, 2, 3, blocks=KINDS)
    body = cell("def f(a, b):\n    class A:\n        c = a and b\n    return A.c\n")["f"]
    assert "join" not in events_of(body, 2, 3, blocks=KINDS)
