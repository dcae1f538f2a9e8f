"""Sites: plain Python where no run is in progress, and what they do and note in a run."""

import contextlib
import operator
import threading
from collections import OrderedDict, defaultdict

import numpy as np
import pytest
import scipy.optimize
from hybridad._record import is_wrapper
from hybridad._run import run_in_progress
from hybridad._site import Site

import hybridad
from hybridad import ScopeError
from tests.recording.runtime.whole import POINT, agrees, decisions, fails_alike

SITE = Site("test", "fit.py", "f", 3, 4, 5, 6, name="y", detail="level")

level = 2.0


# ---- what a site is ----------------------------------------------------------------------------

def test_a_site_holds_what_it_is_given():
    assert (SITE.kind, SITE.file, SITE.function, SITE.name, SITE.detail) == (
        "test", "fit.py", "f", "y", "level")
    assert (SITE.line, SITE.col, SITE.end_line, SITE.end_col) == (3, 4, 5, 6)
    assert not SITE.discarded and Site("call", discarded=True).discarded
    assert repr(SITE) == "<site test fit.py:3:4>"
    with pytest.raises(AttributeError):
        SITE.line = 4


# ---- no run ------------------------------------------------------------------------------------

BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift",
          "and_", "or_", "xor", "lt", "le", "gt", "ge", "eq", "ne", "iadd", "isub", "imul",
          "itruediv", "ifloordiv", "imod", "ipow", "imatmul", "ilshift", "irshift", "iand", "ior",
          "ixor", "is_")
PAIRS = [(7, 3), (7.5, 2.0), ([1], [2]), ([1], 2), ("a%s", "b"), (np.arange(3.0), np.ones(3)),
         (np.arange(3), 2), ({1, 2}, {2, 3}), (2, [3]), (True, None), ("a", 1), (1.0, np.ones(2))]


def outcome(f, *args):
    try:
        return type(made := f(*args)), np.array(made, object).tolist(), repr(made)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", BINARY)
def test_operators_without_a_run(name):
    for a, b in PAIRS:
        copy = a.copy() if hasattr(a, "copy") else a
        twin = a.copy() if hasattr(a, "copy") else a
        assert outcome(getattr(SITE, name), copy, b) == outcome(getattr(operator, name), twin, b)
        assert repr(copy) == repr(twin)


@pytest.mark.parametrize("name", ["neg", "pos", "invert"])
def test_unary_operators_without_a_run(name):
    for x in (3, 2.5, np.arange(3), "a", None, True, object()):
        assert outcome(getattr(SITE, name), x)[:2] == outcome(getattr(operator, name), x)[:2]


def test_everything_else_without_a_run():
    class Thing:
        pass

    o, items, table = Thing(), [1, 2, 3], {"a": 1}
    a = np.ones(3)
    assert SITE.read(a) is a and SITE.read(o) is o
    SITE.set_attr(a, o, "x")
    assert SITE.attr(o, "x") is a
    SITE.del_attr(o, "x")
    assert outcome(SITE.attr, o, "x") == outcome(getattr, o, "x")
    assert outcome(SITE.del_attr, o, "x") == outcome(delattr, o, "x")
    SITE.set_item(5, items, 0)
    assert SITE.item(items, SITE.slice(0, 2, None)) == [5, 2] and SITE.item(table, "a") == 1
    SITE.del_item(items, 0)
    assert items == [2, 3]
    for wrong in (7, "a"):
        assert outcome(SITE.item, items, wrong) == outcome(operator.getitem, items, wrong)
    assert SITE.call(dict, [("a", 1)], b=2) == {"a": 1, "b": 2} and SITE.call(len, "ab") == 2
    assert SITE.effect(divmod, (7, 2), {}) == (3, 1) and SITE.form(len)("abc") == 3
    assert SITE.decorate(len) is len and SITE.lift_fresh(a) is a
    assert [SITE.truth(x) for x in (0, [], [0], None, "a", True)] == [
        False, False, True, False, True, True]
    assert outcome(SITE.truth, a) == outcome(bool, a)
    assert SITE.isin(2, items) and SITE.notin(5, items) and SITE.isnot(items, [2, 3])
    assert outcome(SITE.isin, 1, 3) == outcome(operator.contains, 3, 1)
    for same in (SITE.iter, SITE.star, SITE.unpack, SITE.mapping, SITE.match, SITE.context,
                 SITE.set_global, SITE.join):
        assert same(items) is items
    assert SITE.set_of([1, 1]) == {1} and SITE.dict_of([(1, 2), (1, 3)]) == {1: 3}
    assert SITE.format(2.5, -1, ".2f") + SITE.format("é", 97, "") == "2.50'\\xe9'"
    assert SITE.format("a", 114, "") + SITE.format(3, 115, ">3") == "'a'  3"
    assert SITE.block(1, 2) == (1, 2)
    SITE.guard("bool", True), SITE.caught(), SITE.case(2), SITE.del_global()  # tell nobody
    with SITE.hashing():
        assert hash(1.0) == 1
    cell = 3.0
    assert SITE.set_free(4.0, lambda: cell) == 4.0 and cell == 3.0
    assert issubclass(SITE.unbound_error, NameError) and repr(SITE.unbound) == "<unbound>"


def test_functions_that_escape_are_plain_later():
    kept = {}

    def f(x):
        buffer = np.zeros(2)

        def inner(y, n):
            buffer[0] += y[0]
            total = 0.0
            for v in y:
                total = total + v if v > 0 else total - v
            return (total * len(str(n)), *buffer, n in {1, 2}, f"{y[0]:.1f}")

        def running():
            yield from (v * 2.0 for v in x)

        class Model:
            @property
            def twice(self):
                return x[0] * 2.0

        kept.update(inner=inner, running=running, Model=Model)
        return inner(x, 12)[0]

    hybridad.grad(f)(POINT)
    escaped = {name: kept[name] for name in kept}
    f(POINT)
    assert run_in_progress() is None
    for n in (1, 22):
        for x in (POINT, [1.0, -2.0]):
            found = escaped["inner"](x, n)
            assert found == kept["inner"](x, n) and not any(map(is_wrapper, found))
    assert [*escaped["running"]()] == [*kept["running"]()] == [v * 2.0 for v in POINT]
    assert escaped["Model"]().twice == kept["Model"]().twice == POINT[0] * 2.0


def test_below_a_foreign_call_sites_are_plain():
    seen = []

    def f(x):
        def inner(t):
            ones = np.ones(2)
            seen.append((run_in_progress(), type(ones), type(t)))
            return (t - ones[0]) ** 2

        return scipy.optimize.minimize_scalar(inner).x * x[0]

    agrees(f)
    assert len(seen) > 8 and all(s[:2] == (None, np.ndarray) for s in seen)


def test_other_threads_are_plain():
    def f(x):
        found = []

        def work(values):
            ones = np.ones(3)
            ones *= 2.0
            found.append((run_in_progress(), type(ones), sum(v * 2.0 for v in values)))

        thread = threading.Thread(target=work, args=([1.0, 2.0],))
        thread.start()
        thread.join()
        return x[0] * found[0][2], found[0][:2]

    agrees(f)


def test_differentiated_values_in_other_threads_are_refused():
    def f(x):
        thread = threading.Thread(target=lambda: errors.append(_error(lambda: x[0] * 2.0)))
        thread.start()
        thread.join()
        return x[0]

    errors = []
    with pytest.raises(ScopeError):
        hybridad.grad(f)(POINT)
    assert type(errors[0]) is ScopeError


def _error(f):
    try:
        return f()
    except Exception as error:
        return error


def test_several_threads_each_with_a_run():
    def f(x):
        total = 0.0
        for v in x:
            total = total + v * v if v > 0 else total - v
        return total

    vg, results = hybridad.value_and_grad(f), {}
    points = {k: POINT * k for k in (1.0, -2.0, 3.0, -4.0)}

    def work(k):
        results[k] = [vg(points[k]) for _ in range(20)]

    threads = [threading.Thread(target=work, args=(k,)) for k in points]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, x in points.items():
        for value, grad in results[k]:
            assert value == f(x)
            np.testing.assert_array_equal(grad, np.where(x > 0, 2.0 * x, -1.0))


# ---- decisions ---------------------------------------------------------------------------------

def noted(f, x=POINT):
    return [(kind, outcome) for kind, outcome, _ in decisions(f, x)]


def test_decisions_have_the_line_of_their_site():
    def f(x):
        y = x[0] * x[1]
        if y < 0:
            y = y * 2.0
        while y < 5.0:
            y = y + 4.0
        return y

    assert decisions(f) == [("compare", True, "if y < 0:"), ("compare", True, "while y < 5.0:"),
                            ("compare", True, "while y < 5.0:"),
                            ("compare", False, "while y < 5.0:")]


@pytest.mark.parametrize("f, expected", [
    (lambda x: x[0] if x[0] > x[1] else x[1], [("compare", True)]),
    (lambda x: x[0] if not x[0] > 1 else x[1], [("compare", False)]),
    (lambda x: x[0] if -2 < x[1] < 0 < x[2] else x[1], [("compare", True)] * 3),
    (lambda x: x[0] if 0 < x[1] < 5 else x[1], [("compare", False)]),
    (lambda x: x[0] if x[0] > 0 and x[1] > 0 else x[1], [("compare", True), ("compare", False)]),
    (lambda x: x[0] if x[0] > 0 or x[1] > 0 else x[1], [("compare", True)]),
    (lambda x: (x[0] or x[1]) * (x[2] and 2.0), [("bool", True), ("bool", True)]),
    (lambda x: x[0] if x[0] else x[1], [("bool", True)]),
    (lambda x: x[: int(x[2])].sum(), [("int", 2)]),
    (lambda x: sum(x[0] for _ in range(int(x[2]))), [("int", 2)]),
    (lambda x: x[round(x[0])], [("int", 1)]),
    (lambda x: {0.7: 2.0}[x[0]] * x[1], [("hash", 0.7), ("compare", True)]),
    (lambda x: x[0] * (x[0] == x[0]), [("compare", True)]),
    (lambda x: x[0] * (x[1] in [0.5, x[1]]), [("compare", False), ("compare", True)]),
    (lambda x: x[0] * len(f"{x[0]:.2f}"), [("str", "0.70")]),
    (lambda x: x[0] * len(str(x[1])), [("str", "-1.3")]),
    (lambda x: max(x[0], x[1], key=lambda v: v), [("compare", False)]),
    (lambda x: [v for v in x if v > 0][1], [("compare", True), ("compare", False),
                                            ("compare", True)]),
    (lambda x: x[0] * 2.0 if np.pi > 3 else x[1], []),
    (lambda x: x[0] if hybridad.stop_gradient(x[0]) > 0 else x[1], []),
    (lambda x: np.ones(2)[0] * x[0] if len(x) > 2 else x[1], []),
])
def test_what_is_noted(f, expected):
    assert noted(f) == expected


def test_statements_that_decide():
    def asserts(x):
        assert x[0] > 0
        return x[0]

    def matches(x):
        match x[1]:
            case 0.0:
                return x[0]
            case v if v < 0:
                return v * 2.0
        return x[2]

    def comprehension(x):
        return sum({k: v for k, v in enumerate(x) if v < 0}.values())

    def until(x):
        y = x[0]
        while True:
            y = y * 2.0
            if y > 2.0:
                break
        else:
            y = 0.0
        return y

    assert noted(asserts) == [("compare", True)]
    assert noted(comprehension) == [("compare", False), ("compare", True), ("compare", False)]
    assert noted(until) == [("compare", False), ("compare", True)]
    assert ("case", 1) in noted(matches)
    for f in (asserts, matches, comprehension, until):
        agrees(f)


def test_comparisons_with_nan_are_noted_as_they_came_out():
    def f(x):
        y = x[0] * np.nan
        seen = [y < 1.0, y >= 1.0, not y < 1.0, y != y, y == y, 1.0 > y]
        return x[1] if not y < 1.0 else x[2], seen

    assert [outcome for _, outcome in noted(lambda x: f(x)[0])] == [
        False, False, False, True, False, False, False]
    agrees(f)


def test_exceptions_that_are_caught_are_decisions():
    def f(x):
        try:
            y = np.linalg.inv(np.outer(x[:2], x[:2]) * 0.0)[0, 0]
        except np.linalg.LinAlgError:
            y = x[0]
        try:
            y = y * {}[1]
        except (KeyError, IndexError) as error:
            y = y * len(error.args)
        with contextlib.suppress(ValueError):
            raise ValueError
        return y * x[1]

    assert noted(f)[:2] == [("raises", np.linalg.LinAlgError), ("raises", KeyError)]
    agrees(f)


# ---- what a run does ---------------------------------------------------------------------------

captured = np.array([1.0, 2.0, 3.0])
steps = []


def globals_and_cells(x):
    global level
    count = 0

    def step(y):
        nonlocal count
        global level
        count += 1
        level = y * 2.0
        steps.append(count)
        return level * captured[count]

    level = x[0]
    total = step(x[1]) + step(x[2]) + level
    level = 2.0
    return total + np.sum(captured), (count, steps[-2:])


def containers(x):
    d = defaultdict(list)
    d["a"].append(x[0])
    d[1].extend(x)
    o = OrderedDict(b=x[1])
    o.move_to_end("b")
    first, *rest = [*d[1], *o.values()]
    (a, b), c = x[:2], x[2]
    s = {*"ab"}
    del d[1][0], d["a"]
    return first * rest[0] * a * b * c + sum(d[1]), (len(rest), sorted(s), "a" in d, [*o])


def identity(x):
    a = captured
    y = x
    return np.sum(x * a), (a is captured, y is x, x[0] is x[0], a is not captured[:], None is x)


def slices(x):
    n, k = int(x[2]), np.argmax(x)
    m = np.outer(x, x)
    return np.sum(m[:n, k]) + m[n, ::-1][0] + m[(0, k)] + x[[0, n]].sum() + x[x > 0].sum() + [
        *x][k] + (x[0], x[1])[n - 1] * "abc".index("c"), m[..., None].shape


def augmented(x):
    y, z = x * 1.0, [x[0]]
    w = y
    y += x
    y[1:] *= 2.0
    y[0] -= x[1]
    z += [x[1], *y]
    z *= 2
    n = 3
    n <<= 1
    n |= 1
    return np.sum(w) + sum(z), (n, w is y, len(z))


@pytest.mark.parametrize("f", [globals_and_cells, containers, identity, slices, augmented],
                         ids=lambda f: f.__name__)
def test_it_does_what_plain_python_does(f):
    agrees(f)


@pytest.mark.parametrize("f", [
    lambda x: undefined * x, lambda x: x[5], lambda x: {}[x[0]], lambda x: [1][x[0]],  # noqa: F821
    lambda x: [y + 1 for y in 3], lambda x: (lambda a, b: a)(*x), lambda x: f"{x:q}",
    lambda x: {[]: 1}, lambda x: {x: 1}, lambda x: x[0] in 3,
    lambda x: 1 if x else 2, lambda x: 1 < x < 2, lambda x: x.nothing, lambda x: x[0:1:0],
    lambda x: "%d" % "a",  # noqa: UP031
])
def test_it_fails_as_plain_python_does(f):
    fails_alike(f)


def test_unpacking_fails_as_in_plain_python():
    def few(x):
        a, b = x
        return a, b

    def many(x):
        a, b, c, d, *e = x
        return a, b, c, d, e

    for f in (few, many):
        fails_alike(f)


def test_other_texts_of_errors():
    def unpacks(x):
        a, b = 3
        return a, b

    for f in (unpacks, lambda x: len(*3), lambda x: dict(**3), lambda x: [*x, *3],
              lambda x: sum(a=x)):
        with pytest.raises(TypeError) as caught:
            hybridad.grad(f)(POINT)
        assert type(caught.value) is TypeError


def test_iterators_from_outside_are_advanced_once():
    numbers = iter([1.0, 2.0, 3.0, 4.0])

    def f(x):
        total = next(numbers) * x[0]
        for v in numbers:
            total = total + v * x[1]
            if v > 2.0:
                break
        return total

    grad = hybridad.grad(f)(POINT)
    assert list(grad) == [1.0, 5.0, 0.0] and next(numbers) == 4.0


def test_a_listener_is_told_of_blocks():
    class Listener:
        def block(self, site, names, values):
            told.append((names, values))
            return (values[0] * 2, *values[1:]) if change else None

    from hybridad._run import Run
    from hybridad._tape import Tape

    told, site = [], Site("while", detail=("a", "b"))
    with Run(Tape("f"), None, Listener()):
        change = False
        assert site.block(1, 2) == (1, 2) and site.join(3) == 3
        change = True
        assert site.block(1, 2) == (2, 2) and site.join(3) == 6
    assert told == [(("a", "b"), (1, 2)), (("",), (3,))] * 2
    assert site.block(1, 2) == (1, 2) and len(told) == 4
