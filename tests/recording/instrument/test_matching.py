"""``match`` in forms with hooks: as Python's own, in what fits, what it binds, what it raises."""

import collections
import enum
import textwrap
import types

import pytest

from hybridad.recording.instrument.blocks import KINDS
from hybridad.recording.instrument.form import bind, make_form
from tests.recording.instrument.plain import PlainSite

Color = enum.Enum("Color", "RED BLUE")


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


class Bare:
    pass


CASES = """
    0 | 1
    1.5
    -1
    "text"
    None
    True
    Color.RED
    x
    _
    [] | ()
    [x]
    [x, y]
    (x, [y, _])
    [x, *rest]
    [*rest, x]
    [x, *rest, 3]
    [_, *_]
    [x, y] | [x, y, _]
    [1 | 2 as x, _]
    {}
    {"k": x}
    {"k": 1, "l": [x, *_]}
    {"k": x, **rest}
    {1: _, **rest}
    {Color.RED.name: x}
    int()
    int(x) | float(x)
    str(x)
    float() as x
    bool()
    Point()
    Point(x)
    Point(x, y)
    Point(0, y=y)
    Point(x=0, y=1)
    Point(x=0, z=1) | Point(x=1)
    Point(x=[y, *_])
    Bare()
    collections.OrderedDict()
    [Point(x, _), Point(_, y)]
    {"k": Point(x, y=1 | 2)} as whole
""".split("\n")[1:-1]

SUBJECTS = [
    0, 1, -1, 2, 1.5, "text", "t", None, True, False, Color.RED, Color.BLUE, [], (), [1], [1, 2],
    (3, [4, 5]), [1, 2, 3], (1, 2, 3, 3), {}, {"k": 1}, {"k": 1, "l": [2]}, {1: 2, 3: 4},
    {"RED": 5}, Point(0, 1), Point(1, 2), Point([7, 8], 0), Bare(), b"ab", bytearray(b"ab"),
    range(2), collections.deque([1, 2]), collections.OrderedDict(k=1),
    types.MappingProxyType({"k": 1}), [Point(1, 2), Point(3, 4)], {"k": Point(5, 2)}, {1, 2},
]


def made(text, tmp_path, name):
    path = tmp_path / f"{name}.py"
    path.write_text(textwrap.dedent(text))
    namespace = dict(globals())
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    function = namespace["f"]
    return function, bind(make_form(function, KINDS, PlainSite), function)


def outcome(f, *args):
    try:
        return repr(f(*args))
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_patterns(number, tmp_path):
    pattern = CASES[number].strip()
    plain, form = made(f"""
        def f(s):
            x = y = rest = whole = "unbound"
            match s:
                case {pattern}:
                    return "fits", x, y, rest, whole
            return "none", x, y, rest, whole
        """, tmp_path, f"pattern_{number}")
    fits = 0
    for subject in SUBJECTS:
        expected = outcome(plain, subject)
        assert outcome(form, subject) == expected, (pattern, subject)
        fits += "fits" in expected[:8]
    assert fits


def test_guards_and_the_order_of_binding(tmp_path):
    plain, form = made("""
        def f(s):
            seen = []
            match s:
                case [a, b] if seen.append((a, b)) or a > b:
                    return "first", a, b, seen
                case [a, 2]:
                    return "second", a, seen
                case a if a == 5:
                    return "third", a, seen
            return "none", seen, a
        """, tmp_path, "guards")
    for subject in ([2, 1], [1, 2], [1, 3], 5, 6):
        assert outcome(form, subject) == outcome(plain, subject)


@pytest.mark.parametrize("pattern", ["Point(1, 2, 3)", "int(1, 2)", "Bare(1)", "POINT()"])
def test_errors(pattern, tmp_path):
    plain, form = made(f"""
        POINT = 3

        def f(s):
            match s:
                case {pattern}:
                    pass
        """, tmp_path, "errors")
    for subject in (Point(1, 2), Bare(), 1):
        assert outcome(form, subject) == outcome(plain, subject)
