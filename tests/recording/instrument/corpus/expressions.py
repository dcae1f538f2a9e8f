# ruff: noqa
"""Names, operators, comparisons, decisions, displays, text.

PYTEST_DONT_REWRITE: an assertion fails here as it does at a user's.
"""

import math
from math import floor as _floor

LIMIT = 7
TABLE = {"a": 1, "b": [1, 2, 3]}


def arithmetic():
    a, b = 7, 3
    return a + b, a - b, a * b, a / b, a // b, a % b, a ** b, a << b, a >> b, a & b, a | b, a ^ b


def matrix_product():
    class M:
        def __matmul__(self, other):
            return ("matmul", other)
        def __imatmul__(self, other):
            return ("imatmul", other)
    m = M()
    n = m @ 2
    m @= 3
    return n, m


def unary():
    x = 5
    return -x, +x, ~x, not x, not not x, - -x, -(-3), ~-1


def constants_fold():
    return 2 * 3 + 10 ** -3, -1.5, 1 + 2j, "%s-%s" % (1, 2), "ab" * 2, -0.0, (1, 2) + (3,)


def long_sum():
    x = 1
    return (x + 2 * x + 3 * x + 4 * x + 5 * x + 6 * x + 7 * x + 8 * x + 9 * x - 10 * x
            - 11 * x) * 2


def division_by_zero():
    x = 0
    return 1 + (3 /
                x)


def wrong_types():
    return [1] + \
        (2,)


def reads_global():
    return LIMIT + math.pi + _floor(2.5) + len(TABLE)


def reads_missing_global():
    return 1 + no_such_name


def unbound_local():
    if LIMIT < 0:
        x = 1
    return x


def attribute_chain():
    return math.pi.__class__.__name__.upper().lower()


def missing_attribute():
    x = math
    return (x
            .pi
            .nothing)


def attribute_over_lines():
    return (math
            .pi
            .hex()
            .upper())


def failing_method_over_lines():
    x = "a"
    return (x
            .upper()
            .index(
                "q")
            .bit_length())


def items():
    t = TABLE["b"]
    return t[0], t[-1], t[0:2], t[::2], t[:], t[LIMIT - 6:], t[slice(1, 2)]


def item_tuples():
    class Asked:
        def __getitem__(self, index):
            return index
    a = Asked()
    rest = (4, 5)
    return a[1, 2], a[1:2, ::3], a[()], a[*rest, 1], a[1:2], a[...], a[None, ...], a[a[1], a[2:]]


def missing_key():
    return TABLE["b"] + TABLE["nothing"]


def comparisons():
    a, b = 1, 2.0
    return a < b, a <= b, a > b, a >= b, a == b, a != b, a is b, a is not b, a in [1], a not in [1]


def chain():
    x = 5
    return 1 < x < 10, 1 < x > 10, 1 < x <= LIMIT < 8, 0 == 0 != 1 == x, x in [5] in [[5]]


def chain_evaluates_once():
    seen = []
    def f(v):
        seen.append(v)
        return v
    r = f(1) < f(2) < f(3), f(1) > f(2) > f(3), f(1) < f(5) < f(4) < f(9)
    return r, seen


def chain_keeps_value():
    class Odd:
        def __init__(self, name, true):
            self.name, self.true = name, true
        def __lt__(self, other):
            return Odd(self.name + "<" + other.name, self.true)
        def __bool__(self):
            return self.true
    a, b, c = Odd("a", True), Odd("b", False), Odd("c", True)
    return (a < b < c).name, (b < a < c).name, (a < c < b < a).name


def chain_in_condition():
    out = []
    for x in range(12):
        if 2 < x * 2 <= LIMIT + 3 != 5:
            out.append(x)
        while 0 < x < len(out):
            x -= 1
    return out


def conjunction():
    a, b, c = 1, 0, "c"
    return a and b, a and c, b and c, a and c and [], a and 2 and 3, LIMIT and a, b and undefined


def disjunction():
    a, b = 0, []
    return a or b, a or 3, LIMIT or undefined, a or b or "x", b or None


def mixed_decisions():
    a, b, c = 1, 0, 3
    return a and b or c, (a or b) and c, not (a and b) or c, a and (b or c) and 5 or 6


def decisions_evaluate_in_order():
    seen = []
    def f(v):
        seen.append(v)
        return v
    r = (f(0) or f(2) and f(3), f(1) and f(0) or f(4), f(0) and f(1) or f(0) or f(9),
         not f(1) or f(0))
    if f(1) and (f(0) or not f(7)) or f(8):
        seen.append("yes")
    return r, seen


def truth_asked_once():
    asked = []
    class T:
        def __init__(self, value):
            self.value = value
        def __bool__(self):
            asked.append(self.value)
            return self.value
    a, b = T(True), T(False)
    r = [a and b is b, bool(b or a), not a, (1 if b else 2)]
    if a and b:
        r.append(1)
    elif not b or a:
        r.append(2)
    assert a
    while b:
        break
    return r[1:], asked


def truth_fails():
    class T:
        def __bool__(self):
            return 3
    x = 1
    return (x and
            T() and 2)


def ternary():
    x = 4
    return "big" if x > 3 else "small", (1 if x else 2) if x > 5 else (3 if not x else 4)


def ternary_lazy():
    return 1 if LIMIT else 1 / 0, 1 / 0 if not LIMIT else 2


def tuples_and_lists():
    a = (1, 2)
    b = [3, *a, 4, *[5, 6]]
    return (*a, *b), [*a], (), [], [a, (b,)], *a


def star_of_number():
    n = 5
    return [1,
            *n]


def sets():
    a = 1
    b = [2, 3]
    return {1, 2, 3}, {a, a, 2}, {*b, a}, {*()}, 2 in {1, 2}, {(a, 2), (1, a)}


def unhashable():
    a = []
    return {1, a}


def dicts():
    k, m = "k", {"x": 1, "k": 2}
    return {"a": 1, "b": k}, {k: 1, k + "2": 2}, {**m, k: 3}, {k: 3, **m}, {**m, **{"y": 2}}, {}


def dict_order():
    seen = []
    def f(v):
        seen.append(v)
        return v
    d = {f(1): f(2), **{f(3): f(4)}, f(5): f(6)}
    e = {1: f(7), **{2: f(8)}}
    return d, e, seen


def mapping_without_items():
    class M:
        def keys(self):
            return ["p", "q"]
        def __getitem__(self, key):
            return key * 2
    k = "r"
    return {**M(), k: 1}, {"s": 2, **M()}, dict(**M())


def not_a_mapping():
    k = 1
    return {k: 2, **k}


def texts():
    x, w, p = 3.14159, 10, 2
    name = "na'me"
    return (f"{x}", f"{x:.2f}", f"{x:>{w}.{p}f}|", f"{name!r}", f"{name!s:>8}", f"{name!a}", f"{x=}",
            f"{x = :.1f}", f"a{{b}}{1 + 1}c", f"{'nested ' + f'{x:.1f}'}", f"", f"{name!r:^{w + 2}}")


def text_of_call():
    def f(a, *, b=2):
        return a + b
    return f"{f(1)} {f(1, b=3)!r} {[f(i) for i in range(3)]} { {'a': f(2)}['a'] } {f(1) if LIMIT else 0}"


def text_fails():
    x = "a"
    return f"""one
    {x:d}"""


def text_joined():
    return ("a" f"{LIMIT}"
            "b" f"{LIMIT!r:>3}")


def walrus():
    if (n := len(TABLE)) > 1 and (m := n + 1) == 3:
        return n, m, (k := m * 2) + k
    return None


def walrus_in_comprehension():
    values = [y := x * 2 for x in range(4) if (z := x) != 1]
    return values, y, z, any((hit := v) > 2 for v in values), hit


def debug_constant():
    if __debug__:
        return __debug__, not __debug__
    return None


def ellipsis_and_none():
    return ..., None, True and None, NotImplemented is None


def deep_nesting():
    x = 1
    return (((((((x + 1) * 2) - 3) + (4 * (5 - (6 + (7 * (8 - x)))))) + 9)))


def bytes_and_numbers():
    return b"ab"[0], 1_000, 0xff, 1e3, 3j * 1j, b"a" + b"b"


def lambda_values():
    f = lambda x, y=LIMIT, *a, k=2, **kw: (x + y + k, a, kw)
    return f(1), f(1, 2, 3, k=4, z=5), (lambda: 3)(), [g(2) for g in (lambda v: v + 1, lambda v: v * 5)]


def lambda_decides():
    f = lambda x: x > 1 and x < 5 or x * 2 if x != 3 else (y := x, y and 0 < y + 1 < 9)
    return [f(i) for i in range(6)]


def sequence_of_errors():
    out = []
    for f in (lambda: [][0], lambda: {}["a"], lambda: int("x"), lambda: None + 1, lambda: None.a,
              lambda: len(), lambda: 1 < "a", lambda: -"a", lambda: 1 in 2):
        try:
            f()
        except Exception as e:
            out.append((type(e).__name__, str(e)))
    return out
