"""Statements as numerical code has them: scans, stencils, tables, swaps, recurrent states."""

from tests.generator.arrays import array, length_of
from tests.generator.kinds import Arr, Lst, Num
from tests.generator.scalars import condition, grouped, integer, leaf, number, threshold
from tests.generator.writes import bind_number

__all__ = ["idiom"]


def idiom(w):
    """One of them, on what is there."""
    vectors = w.names(Arr, lambda k: len(k.shape) == 1 and k.shape[0] > 1)
    if w.loops or not vectors:
        bind_number(w)
    else:
        w.pick(_IDIOMS)(w, w.choose(vectors))


def _fresh(w, vector):
    """A copy of a vector to write into."""
    name, n = w.name("u"), w.scope[vector].shape[0]
    w.add(w.pick(("{0} = {1}.copy()", "{0} = np.array({1})", "{0} = 0.9 * {1}", "{0} = {1} + 0.1",
                  "{0} = np.array([v for v in {1}])")).format(name, vector))
    return w.bind(name, Arr((n,))), n


def _stencil(w, vector):
    u, n = _fresh(w, vector)
    with w.loop(f"for _ in range({w.number(1, 3)}):"):
        if n > 2:
            w.add(f"{u}[1:-1] += 0.2 * ({u}[2:] - 2.0 * {u}[1:-1] + {u}[:-2])", u)
        w.add(f"{u}[{w.pick(('0', '-1'))}] = {number(w, 1)}", u)


def _in_place_scan(w, vector):
    u, _ = _fresh(w, vector)
    i = w.name("i")
    with w.loop(f"for {i} in range(1, len({u})):"):
        w.add(f"{u}[{i}] = " + w.pick((
            "0.5 * {u}[{i} - 1] + math.sin({u}[{i}])", "{u}[{i}] - 0.4 * {u}[{i} - 1] * {t}",
            "max({u}[{i}], {u}[{i} - 1] - 0.3)", "{u}[{i} - 1] if ⟦{u}[{i}] > {u}[{i} - 1]⟧ else "
            "0.3 * {u}[{i}]")).format(u=u, i=i, t=grouped(leaf(w))), u)


def _list_scan(w, vector):
    name, v = w.name("l"), w.name("t")
    w.add(f"{name} = [{number(w, 1)}]")
    with w.loop(f"for {v} in {vector}:"):
        w.add(f"{name}.append(" + w.pick((
            "0.5 * {0}[-1] + {1}", "math.tanh({0}[-1] - {1})", "0.3 * sum({0}) + {1}",
            "{1} if ⟦{1} > {0}[-1]⟧ else 0.6 * {0}[-1]")).format(name, v) + ")")
    w.bind(name, Lst(w.scope[vector].shape[0] + 1, True))


def _symmetric(w, vector):
    k, n = w.name("out"), w.scope[vector].shape[0]
    i, j = w.name("i"), w.name("j")
    w.add(f"{k} = np.zeros(({length_of(w, n)}, {n}))")
    with w.loop(f"for {i} in range({n}):"):
        with w.loop(f"for {j} in range({i} + 1):"):
            w.add(f"{k}[{i}, {j}] = {k}[{j}, {i}] = "
                  f"math.exp(-({vector}[{i}] - {vector}[{j}]) ** 2)", k)
    if w.chance(50):
        w.add(f"{k}.flat[::{n + 1}] += 0.2", k)
    w.bind(k, Arr((n, n)))


def _swaps(w, vector):
    """A pass of bubble sort: elements change places where data says so."""
    u, _ = _fresh(w, vector)
    i = w.name("i")
    with w.loop(f"for {i} in range(len({u}) - 1):"):
        with w.block(f"if ⟦{u}[{i}] > {u}[{i} + 1] + 0.0003⟧:"):
            w.add(f"{u}[{i}], {u}[{i} + 1] = {u}[{i} + 1], {u}[{i}]", u)
            if w.chance(40):
                w.add(f"{u}[{i}] *= {grouped(number(w, 1))}", u)


def _best(w, vector):
    """The best so far, and where it was."""
    best, at, i, v = w.name("t"), w.name("k"), w.name("i"), w.name("t")
    w.add(f"{best}, {at} = {w.pick(('-9.0', '-math.inf', f'{vector}[0] - 1.0'))}, 0")
    with w.loop(f"for {i}, {v} in enumerate({vector}):"):
        with w.block(f"if ⟦{v} * {grouped(leaf(w))} > {best}⟧:"):
            w.add(f"{best}, {at} = {v}, {i}")
    w.add(f"{best} = math.sin({best}) + 0.1 * {at} * {vector}[{at}]")
    w.bind(best, Num())


def _gathered(w, vector):
    """Rows in a list that becomes a matrix."""
    rows, name = w.name("rows"), w.name("a")
    m, n = w.number(2, 3), w.scope[vector].shape[0]
    i = w.name("i")
    w.add(f"{rows} = []")
    with w.loop(f"for {i} in range({m}):"):
        w.add(f"{rows}.append({array(w, (n,), 1)})")
        if w.chance(40):
            w.add(f"{rows}[-1] = {rows}[-1] * 0.5 + {rows}[0]")
    w.add(f"{name} = np.{w.pick(('array', 'stack', 'vstack'))}({rows})")
    w.bind(name, Arr((m, n)))


def _recurrent(w, vector):
    """A state of arrays and numbers in a dict."""
    state, v, n = w.name("state"), w.name("t"), w.scope[vector].shape[0]
    w.add(f'{state} = {{"h": np.zeros({n}), "c": {number(w, 1)}, "turns": 0}}')
    with w.loop(f"for {v} in {vector}:"):
        w.add(f'{state}["h"] = np.tanh(0.6 * {state}["h"] + {v} * {array(w, (n,), 0)})')
        w.add(f'{state}["c"] = {state}["c"] * 0.5 + {state}["h"][{w.number(0, n - 1)}]')
        with w.block(f'if ⟦{state}["c"] > {threshold(w)}⟧:'):
            w.add(f'{state}["turns"] += 1')
    h, c = w.name("a"), w.name("t")
    w.add(f'{h}, {c} = {state}["h"], {state}["c"] * (1 + {state}["turns"])')
    w.bind(h, Arr((n,)))
    w.bind(c, Num())


def _table(w, vector):
    """Dynamic programming in a table."""
    d, i, j = w.name("out"), w.name("i"), w.name("j")
    n = w.scope[vector].shape[0]
    w.add(f"{d} = np.full(({n + 1}, 3), 0.2)")
    with w.loop(f"for {i} in range(1, {n + 1}):"):
        with w.loop(f"for {j} in range(1, 3):"):
            w.add(f"{d}[{i}, {j}] = abs({vector}[{i} - 1] - 0.3071 * {j}) + "
                  f"{w.pick(('min', 'max'))}({d}[{i} - 1, {j}] + 0.0101, {d}[{i}, {j} - 1], "
                  f"{d}[{i} - 1, {j} - 1] + {leaf(w)})", d)
    w.bind(d, Arr((n + 1, 3)))


def _bins(w, vector):
    """Values gathered in bins that data chooses."""
    b, v = w.name("out"), w.name("t")
    w.add(f"{b} = np.zeros(3)")
    with w.loop(f"for {v} in {vector}:"):
        at = f"⟦int(2.999 * abs(math.tanh({v})))⟧"
        w.add(f"{b}[{at}] += {w.pick((v, f'{v} * {v}', f'math.cos({v})'))}", b)
    w.bind(b, Arr((3,)))


def _stack(w, vector):
    """A list of work to do, from which is popped until none is left."""
    stack, v, total = w.name("l"), w.name("t"), w.name("t")
    w.add(f"{stack} = list({vector})")
    w.add(f"{total} = 0.0")
    with w.loop(f"while {stack}:", continues=False):
        w.add(f"{v} = {stack}.pop({w.pick(('', '0'))})")
        with w.block(f"if ⟦{v} > {threshold(w)}⟧ and len({stack}) < 4:"):
            w.add(f"{stack}.append({v} - 0.8)")
        w.add(f"{total} = 0.7 * {total} + math.sin({v})")
    w.bind(total, Num())


def _memo(w, vector):
    """A recursion that remembers results in a dict of its closure."""
    memo, h, k, t = w.name("memo"), w.name("h"), w.name("k"), w.name("t")
    n = w.scope[vector].shape[0]
    w.add(f"{memo} = {{}}")
    w.add(f"def {h}({k}):")
    w.add(f"    if {k} < 2:")
    w.add(f"        return {vector}[{k}]")
    w.add(f"    if {k} not in {memo}:")
    w.add(f"        {memo}[{k}] = 0.5 * {h}({k} - 1) * {vector}[{k} % {n}] "
          f"+ math.sin({h}({k} - 2))")
    w.add(f"    return {memo}[{k}]")
    w.add(f"{t} = {h}({w.number(3, 5)})")
    w.bind(t, Num())


def _pair(w, vector):
    """A function with two results, one of them an array, and keywords."""
    h, p, q = w.name("h"), w.name("p"), w.name("q")
    n = w.scope[vector].shape[0]
    with w.function(f"def {h}({p}, *, {q}={leaf(w)}, **rest):", {p: Arr((n,)), q: Num()}):
        w.body(0, 2)
        w.add(f"return {w.pick(('({}, {})', '[{}, {}]')).format(array(w, (n,), 1), number(w, 1))}")
    a, t = w.name("a"), w.name("t")
    given = w.pick((f"{q}={number(w, 1)}", f'**{{"{q}": {number(w, 1)}}}', "unused=1", f"{q}=0.4"))
    w.add(f"{a}, {t} = {h}(*[{vector}], {given})")
    w.add(f"{a} = {a} + {t}")
    w.bind(a, Arr((n,)))
    w.bind(t, Num())


def _horner(w, vector):
    t, c = w.name("t"), w.name("t")
    base = w.name("t")
    w.add(f"{t}, {base} = 0.0, {w.pick(('math.sin', 'math.tanh'))}({number(w, 1)})")
    with w.loop(f"for {c} in {vector}[::-1]:"):
        w.add(f"{t} = {t} * {base} + {c}")
        if w.chance(40):
            with w.block(f"if {condition(w, 0)}:"):
                w.add(w.pick(("break", "continue", f"{t} -= 0.2")))
    w.bind(t, Num())


def _rows_by_index(w, vector):
    """Rows picked by data out of a matrix, written back through their views."""
    a, n = w.name("out"), w.scope[vector].shape[0]
    row = w.name("v")
    w.add(f"{a} = np.outer([1.0, 0.5, -0.3], {vector})")
    w.bind(a, Arr((3, n)))
    w.add(f"{row} = {a}[{integer(w, 3)}]")
    w.bind(row, Arr((n,)))
    w.add(w.pick((f"{row} *= {grouped(number(w, 1))}", f"{row}[:] = np.sin({row}) + {leaf(w)}",
                  f"{row}[0], {row}[-1] = {row}[-1] * 0.5, {number(w, 1)}")), row)


_IDIOMS = (_stencil, _in_place_scan, _list_scan, _symmetric, _swaps, _best, _gathered, _recurrent,
           _table, _bins, _stack, _memo, _pair, _horner, _rows_by_index)
