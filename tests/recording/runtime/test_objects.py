"""Objects of the user's classes: operators, comparisons, containers, iteration, contexts, text."""

import contextlib
import functools
import math

import numpy as np
import pytest
import scipy.sparse

import hybridad
from tests.recording.runtime.whole import agrees, decisions, fails_alike

PROGRAMS = []
FAILING = []


def program(f):
    PROGRAMS.append(f)
    return f


def failing(f):
    FAILING.append(f)
    return f


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_it_does_what_plain_python_does(f):
    agrees(f)


@pytest.mark.parametrize("f", FAILING, ids=lambda f: f.__name__)
def test_it_fails_as_plain_python_does(f):
    fails_alike(f)


# ---- operators ---------------------------------------------------------------------------------

class Number:
    """All operators of Python, each of its own effect."""

    def __init__(self, v):
        self.v = v

    def _other(self, o):
        return o.v if isinstance(o, Number) else o

    def __add__(self, o): return Number(self.v + self._other(o))
    def __radd__(self, o): return Number(o * 2.0 + self.v)
    def __sub__(self, o): return Number(self.v - self._other(o) * 3.0)
    def __rsub__(self, o): return Number(o - self.v * 5.0)
    def __mul__(self, o): return Number(self.v * self._other(o))
    def __rmul__(self, o): return Number(o * self.v * 1.5)
    def __truediv__(self, o): return Number(self.v / self._other(o))
    def __rtruediv__(self, o): return Number(o / self.v)
    def __floordiv__(self, o): return Number(self.v * 0.25)
    def __rfloordiv__(self, o): return Number(self.v * 0.75)
    def __mod__(self, o): return Number(self.v * 1.25)
    def __rmod__(self, o): return Number(self.v * 1.75)
    def __pow__(self, o): return Number(self.v ** self._other(o))
    def __rpow__(self, o): return Number(self.v * 2.25)
    def __matmul__(self, o): return np.sum(self.v * self._other(o))
    def __rmatmul__(self, o): return np.sum(self.v) * 0.5
    def __lshift__(self, o): return Number(self.v * 2.0)
    def __rlshift__(self, o): return Number(self.v * 4.0)
    def __rshift__(self, o): return Number(self.v * 0.5)
    def __rrshift__(self, o): return Number(self.v * 0.125)
    def __and__(self, o): return Number(self.v + 1.0)
    def __rand__(self, o): return Number(self.v + 2.0)
    def __or__(self, o): return Number(self.v + 3.0)
    def __ror__(self, o): return Number(self.v + 4.0)
    def __xor__(self, o): return Number(self.v + 5.0)
    def __rxor__(self, o): return Number(self.v + 6.0)
    def __neg__(self): return Number(-self.v)
    def __pos__(self): return Number(self.v * 8.0)
    def __invert__(self): return Number(self.v * self.v)


@program
def binary_operators(x):
    a, b = Number(x), Number(x * x + 1.0)
    made = [a + b, a - b, a * b, a / b, a // b, a % b, b ** a, a << b, a >> b, a & b, a | b, a ^ b]
    return np.sum(sum(m.v * k for k, m in enumerate(made))) * (a @ b)


@program
def reflected_operators(x):
    b = Number(x * x + 1.0)
    made = [2.0 + b, 2.0 - b, 2 * b, 3.0 / b, 2 // b, 7 % b, 2.0 ** b, 1 << b, 1 >> b, 1 & b,
            1 | b, 1 ^ b]
    y = x[0]
    made += [y + b, y - b, y * b, y / b, y // b, y % b, y ** b]
    return np.sum(sum(m.v * k for k, m in enumerate(made))) * (None @ b)


@program
def unary_operators(x):
    a = Number(x)
    return np.sum((-a).v * (+a).v + (~a).v)


@program
def operators_kept_by_augmented_assignment(x):
    a = b = Number(x)
    a += 1.0
    a -= b
    a *= x
    a /= 2.0
    a //= 1
    a %= 1
    a <<= 1
    a >>= 1
    a &= 1
    a |= 1
    a ^= 1
    return np.sum(a.v) + np.sum(b.v), a is b


class Base:
    def __init__(self, v):
        self.v = v

    def __add__(self, o):
        return "base", np.sum(self.v)

    def __radd__(self, o):
        return "reflected base", np.sum(self.v)

    def __eq__(self, o):
        return "base ==", o

    def __lt__(self, o):
        return "base <", np.sum(self.v)

    def __gt__(self, o):
        return "base >", np.sum(self.v)

    __hash__ = None


class Derived(Base):
    def __radd__(self, o):
        return "derived", np.sum(self.v * self.v)

    def __gt__(self, o):
        return "derived >", np.sum(self.v)

    def __eq__(self, o):
        return "derived ==", o


class Same(Base):
    """Has nothing of its own, so that its class does not go first."""


@program
def the_subclass_goes_first(x):
    a, b, c = Base(x), Derived(x), Same(x * 3.0)
    made = [a + b, b + a, a + c, c + a, b + b, a < b, b < a, a < c]
    return sum(m[1] * (k + 1) for k, m in enumerate(made)), ([m[0] for m in made], (a == b)[0],
                                                           (b == a)[0], (c == a)[0])


class Shy:
    """Leaves everything to the other side."""

    def __init__(self, v):
        self.v = v

    def __add__(self, o): return NotImplemented
    def __iadd__(self, o): return NotImplemented
    def __lt__(self, o): return NotImplemented
    def __eq__(self, o): return NotImplemented
    def __radd__(self, o): return NotImplemented
    def __pow__(self, o): return NotImplemented
    def __matmul__(self, o): return NotImplemented
    __hash__ = None


class Bold(Shy):
    def __radd__(self, o): return self.v * 2.0
    def __gt__(self, o): return self.v[0] > 0


@program
def not_implemented(x):
    a, b = Shy(x), Bold(x)
    y = np.sum(a + b)
    a += b
    return y + np.sum(a * x), (Shy(x) < b, b == Shy(x), Shy(x) != b, Shy(1) == 1, b != 1)


@pytest.mark.parametrize("text", [
    "Shy(x) + x[0]", "Shy(x) + 1.0", "1.0 + Shy(x)", "x[0] + Shy(x)",
    "Shy(x) + Shy(x)", "Shy(x) ** 2", "Shy(x) @ x[0]", "Shy(x) - x[0]",
    "x[0] - Shy(x)", "'a' + Shy(x)", "Shy(x) < 2", "Shy(x) < Shy(x)", "Shy(x) >= x[0]",
    "-Shy(x)", "~Shy(x)", "Shy(x)[0]", "len(Shy(x))", "x[0] in Shy(x)",
    "[*Shy(x)]", "Shy(x)()", "Shy(x) << 1", "1 | Shy(x)", "x[0] @ Shy(x)",
    "[] + Shy(x)", "Shy(x) % 2", "2 // Shy(x)", "np.float64(2.0) + Shy(x)",
    "x[0] + 'a'", "x[0] << 1", "x[0] @ x[0]", "x[0][0]",
    "x[0]()", "None + x[0]", "x[0] < 'a'", "x[0] < None",
])
def test_operators_fail_with_the_text_of_plain_python(text, tmp_path):
    f = _function(text, tmp_path)
    fails_alike(f)


def _function(text, folder):
    """A function of `x` in a file, where its source is found."""
    path = folder / "made.py"
    path.write_text(f"def f(x):\n    return {text}\n")
    names = {"np": np, "math": math, "Shy": Shy, "Number": Number}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["f"]


def test_augmented_assignments_fail_with_the_text_of_plain_python():
    def f(x):
        a = Shy(x)
        a += x[0]
        return a

    def g(x):
        y = x[0]
        y += Shy(x)
        return y

    def h(x):
        a = Shy(x)
        a -= 1
        return a

    for function in (f, g, h):
        fails_alike(function)


class Cumulative:
    """Augmented assignment in place."""

    def __init__(self, v):
        self.v, self.log = v, []

    def __iadd__(self, o): self.log.append("+="); self.v = self.v + o; return self  # noqa: E702
    def __imul__(self, o): self.log.append("*="); self.v = self.v * o; return self  # noqa: E702
    def __imatmul__(self, o): self.log.append("@="); return np.sum(self.v * o)  # noqa: E702
    def __ior__(self, o): self.log.append("|="); self.v = self.v * o; return self  # noqa: E702
    def __iand__(self, o): self.log.append("&="); return self  # noqa: E702


class Holder:
    pass


@program
def in_place(x):
    h = Holder()
    h.c = c = Cumulative(x)
    h.c += x
    items = [c]
    items[0] *= x
    c |= 2.0
    c &= 1.0
    alike = h.c is c
    y = c
    y @= x
    return y + np.sum(c.v), (c.log, alike)


# ---- comparisons and truth ---------------------------------------------------------------------


@functools.total_ordering
class Ranked:
    def __init__(self, v):
        self.v = v

    def __eq__(self, o):
        return self.v == o.v if isinstance(o, Ranked) else NotImplemented

    def __lt__(self, o):
        return self.v < o.v if isinstance(o, Ranked) else NotImplemented

    def __hash__(self):
        return hash(self.v)


@program
def comparisons(x):
    a, b = Ranked(x[0]), Ranked(x[1])
    seen = [a < b, a == b, a != b, a == 1, a != 1, b < a < Ranked(x[2]), a > b, a >= b, a <= b]
    return (a if a > b else b).v * max(a, b).v, [bool(s) for s in seen]


def test_ne_comes_from_eq():
    class Odd:
        def __init__(self, v):
            self.v = v

        def __eq__(self, o):
            return self.v > 0 if isinstance(o, Odd) else self.v + 1.0

        __hash__ = None

    def f(x):
        a, b = Odd(x[0]), Odd(x[1])
        return x[0], [a != b, b != a, a != 1, (a == 1) - 1.0 == x[0]]

    agrees(f)
    assert [kind for kind, _, _ in decisions(f)] == ["compare", "compare", "bool", "compare"]


def test_hash_of_an_object_with_a_differentiated_value():
    def f(x):
        table = {Ranked(x[0]): 2.0, Ranked(x[1]): 3.0}
        return table[Ranked(x[1])] * x[0], Ranked(x[2]) in table

    agrees(f, followed=False)  # dictionaries ask for it in C


class Full:
    def __init__(self, v):
        self.v = v

    def __bool__(self):
        return bool(self.v > 0)


class Sized:
    def __init__(self, v):
        self.v = v

    def __len__(self):
        return int(abs(self.v))


@program
def truth(x):
    seen = []
    for y in x:
        a, b = Full(y), Sized(y)
        seen.append((not a, not b, 1 if a else 0, (a and b) is a, (a or b) is b, bool(a), len(b)))
        while a:
            a = Full(a.v - 1.0)
    assert Full(x[0])
    return x[0] * x[1], seen


@failing
def truth_of_the_wrong_type(x):
    class Wrong:
        def __bool__(self):
            return 2

    return 1 if Wrong() else 2


@failing
def negative_length(x):
    class Wrong:
        def __len__(self):
            return -1

    return 1 if Wrong() else 2


@failing
def length_of_the_wrong_type(x):
    class Wrong:
        def __len__(self):
            return x[0]

    return 1 if Wrong() else 2


# ---- containers and iteration ------------------------------------------------------------------

class Box:
    """A container with methods for everything."""

    def __init__(self, *items):
        self.items, self.log = list(items), []

    def __getitem__(self, k):
        self.log.append(k)
        return self.items[k]

    def __setitem__(self, k, value):
        self.items[k] = value * 2.0

    def __delitem__(self, k):
        del self.items[k]

    def __contains__(self, x):
        return any(item is x or item == x for item in self.items)

    def __len__(self):
        return len(self.items)


@program
def items(x):
    b = Box(*x)
    b[0] = b[1] * b[2]
    b[1] += x[0]
    del b[2]
    seen = [x[0] in b, b[0] in b, 5 not in b, len(b)]
    return b[0] * b[-1] + np.sum(np.stack(b[:2])), (b.log, seen)


@program
def iteration_by_index(x):
    class Letters:
        def __getitem__(self, k):
            if k > 3:
                raise IndexError(k)
            return x[k % 3] * k

    a, *rest = Letters()
    return sum(v * v for v in Letters()) + a + sum(rest) * x[0], (len([*Letters()]),
                                                              x[1] in Letters(), 0.0 in Letters())


class Countdown:
    """An iterator with a state of its own."""

    def __init__(self, x, n):
        self.x, self.n = x, n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.x * self.n


class Chain:
    """Iterates by a generator."""

    def __init__(self, *parts):
        self.parts = parts

    def __iter__(self):
        for part in self.parts:
            yield from part


class Delegating:
    """Iterates by what some other object gives."""

    def __init__(self, made):
        self.made = made

    def __iter__(self):
        return self.made


@program
def iteration(x):
    total = 0.0
    for v in Countdown(x[0], 3):
        total = total + v * x[1]
    c = Countdown(x[1], 4)
    for v in c:
        if c.n == 2:
            break
        total = total + v
    total = total + next(c) * next(c) + next(c, 5.0)
    for v in Chain(x, [1.0, 2.0], Countdown(x[2], 2)):
        total = total + v * v
    a, b, *c = Chain(x, [3.0])
    total = total + a * b + c[0] * c[1]
    for made in (iter(x), Countdown(x[0], 2), iter([x[0]])):
        for v in Delegating(made):
            total = total + v * 0.5
    return total + sum([*Chain(x)]) + max(*Chain(x)), x[0] in Chain(x)


@failing
def iteration_of_what_cannot_be_iterated(x):
    return [v + 1 for v in Full(x)]


@failing
def iteration_over_a_wrong_iterator(x):
    return [v + 1 for v in Delegating(3)]


@failing
def iteration_raises(x):
    return [v + 1 for v in Countdown(x, "three")]


@failing
def iteration_switched_off(x):
    class Never:
        __iter__ = None

        def __getitem__(self, k):
            return k

    return [v + 1 for v in Never()]


@failing
def containment_switched_off(x):
    class Never:
        __contains__ = None

        def __iter__(self):
            return iter(x)

    return x[0] in Never()


@program
def a_mapping_of_the_users(x):
    class Settings:
        def keys(self):
            return ["a", "b"]

        def __getitem__(self, key):
            return x[ord(key) - 96] * 2.0

    def total(a, b):
        return a * b

    merged = {**Settings(), "c": x[0]}
    return total(**Settings()) + merged["a"] * merged["c"] + dict(Settings())["b"], list(merged)


@program
def missing_keys(x):
    class Powers(dict):
        def __missing__(self, key):
            made = self[key] = x[0] ** key
            return made

    p = Powers({1: x[1]})
    return p[2] * p[3] + p[2] + p[1], list(p)


@program
def classes_derived_from_containers(x):
    class Stack(list):
        def push(self, v):
            self.append(v * 2.0)
            return self

        def __getitem__(self, k):
            return super().__getitem__(k) * 3.0

    class Named(dict):
        def __getattr__(self, name):
            return self[name]

    s = Stack().push(x[0]).push(x[1])
    s += [x[2]]
    n = Named(a=s[0], b=s[1])
    n.update(c=x[2])
    return n.a * n.b * n.c + s[2] + sum(s), (len(s), [*n])


# ---- with --------------------------------------------------------------------------------------

class Scope:
    def __init__(self, x, log, swallows=False):
        self.x, self.log, self.swallows = x, log, swallows

    def __enter__(self):
        self.log.append("enter")
        return self.x * 2.0

    def __exit__(self, kind, error, traceback):
        self.log.append(None if kind is None else (kind.__name__, traceback is not None))
        self.x = self.x * 3.0
        return self.swallows


@program
def own_contexts(x):
    log = []
    with Scope(x, log) as y, Scope(y, log) as z:
        w = np.sum(y * z)
    s = Scope(x, log, swallows=True)
    with s as y:
        w = w + y[0]
        raise KeyError
    for v in x:
        with Scope(v, log):
            if v < 0:
                continue
            w = w + v
    return w + np.sum(s.x), log


@program
def generated_contexts(x):
    log = []

    @contextlib.contextmanager
    def scaled(factor, name="inner"):
        log.append(name)
        try:
            yield x * factor
        except ZeroDivisionError:
            log.append("caught")
        finally:
            log.append("left")

    with scaled(x[0]) as y:
        total = np.sum(y * y)
    with scaled(2.0, name="outer") as y:
        total = total + np.sum(y)
        1 / 0  # noqa: B018
    return total, log


@program
def a_generated_context_as_a_decorator(x):
    log = []

    @contextlib.contextmanager
    def logged():
        log.append("in")
        yield
        log.append("out")

    @logged()
    def square(v):
        return v * v

    return np.sum(square(x)) + square(x[0]), log


@program
def exit_stacks(x):
    log = []
    with contextlib.ExitStack() as stack:
        a = stack.enter_context(Scope(x[0], log))
        b = stack.enter_context(Scope(x[1], log, swallows=True))
        stack.callback(log.append, "callback")
        raise ValueError
    with contextlib.suppress(KeyError), contextlib.nullcontext(x[2]) as c:
        raise KeyError
    return a * b * c, log


@failing
def a_context_without_exit(x):
    class Half:
        def __enter__(self):
            return x

    with Half():
        return x


@failing
def a_context_without_enter(x):
    class Half:
        def __exit__(self, *error):
            return True

    with Half():
        return x


@failing
def no_context(x):
    with Full(x):
        return x


@failing
def error_in_a_context(x):
    with Scope(x, []):
        raise KeyError("inner")


# ---- conversions of text -----------------------------------------------------------------------

@program
def text(x):
    class Shown:
        def __init__(self, v):
            self.v = v

        def __str__(self):
            return f"<{self.v:.3f}>"

        def __format__(self, spec):
            return f"{self.v:.1f}|{spec}"

        def __rmod__(self, text):
            return f"{text} & {self.v:.2f}"

    s = Shown(x[0])
    return x[0] * len(f"{s}"), [f"{s:abc} {s!s}", str(s), format(s, "q"), "%s %.2f" % (x[1], x[2]),  # noqa: UP031
                                "%s" % x[0], "%(a).1f" % {"a": x[1]}, "{} {:.3}".format(x[0], x[1])]  # noqa: UP031, UP032


def test_texts_of_differentiated_values_are_decisions():
    def f(x):
        y = "%.2f" % x[0]  # noqa: UP031
        z = "%d" % 3  # noqa: UP031
        return x[0] * len(y + z)

    assert decisions(f) == [("str", "0.70", 'y = "%.2f" % x[0]  # noqa: UP031')]


def test_state_of_objects_outside():
    class Model:
        def __init__(self):
            self.calls, self.kept = 0, []

        def __call__(self, x):
            self.calls += 1
            self.kept.append(x * 2.0)
            self.last = self.kept[-1]
            return np.sum(self.last * x)

    model = Model()
    value, grad = hybridad.value_and_grad(model)(np.array([1.0, 2.0]))
    assert value == 10.0 and model.calls == 1
    np.testing.assert_array_equal(grad, [4.0, 8.0])
    assert type(model.last) is np.ndarray and model.last is model.kept[0]


def test_rows_of_arrays_of_objects():
    def f(x):
        table, row, deep = np.empty((2, 2), object), np.empty(2, object), np.empty((2, 2), object)
        table[0] = [x[0], x[1] * 2.0]
        table[1, :] = x[2] * 3.0
        row[0] = [x[0], 1.0]            # one object
        row[:] = [row[0], None]
        deep[:] = [[x[0], 1.0], (x[1], 2)]
        last = np.empty(3, object)
        last[:] = x * x
        total = table[0, 0] * table[0, 1] + table[1, 1] * row[0][0] + deep[1, 0] * deep[0, 0]
        return total + last[2] * last[0], [type(v) for v in (*last, *table.flat)]

    agrees(f)


def test_classes_of_packages_compute_with_plain_values():
    def f(x):
        a = np.arange(3.0)
        matrix = scipy.sparse.csr_matrix(np.eye(3) * 2.0)
        return np.sum((matrix @ (a * 2.0)) * x) + np.sum((a @ matrix) * x) + x[0]

    agrees(f)
