"""Branches, loops, jumps, and the other statements that have blocks."""

from tests.generator.arrays import array, length_of
from tests.generator.kinds import Arr, Int, Num
from tests.generator.scalars import condition, grouped, integer, leaf, number, threshold
from tests.generator.writes import write

__all__ = ["branch", "caught", "chosen", "for_loop", "jump", "matched", "while_loop", "within"]


def branch(w):
    """``if`` with or without ``elif`` and ``else``."""
    if w.chance(20):
        name = w.name("t")
        with w.block(f"if ⟦({name} := {number(w, 1)}) > {threshold(w)}⟧:"):
            w.bind(name, Num())
            w.body()
        w.bind(name, Num())
    else:
        with w.block(f"if {condition(w)}:"):
            w.body()
    if w.chance(25):
        with w.block(f"elif {condition(w)}:"):
            w.body(1, 2)
    if w.chance(40):
        with w.block("else:"):
            w.body(1, 2)


def chosen(w):
    """A name that each side of a branch binds: a number or an array."""
    shape = w.scope[w.pick(w.arrays())].shape if w.arrays() and w.chance(40) else ()
    name = w.name("a" if shape else "t")
    for k, header in enumerate((f"if {condition(w)}:", f"elif {condition(w)}:", "else:")):
        if k != 1 or w.chance(30):
            with w.block(header):
                if w.chance(40):
                    w.statement(w)
                value = array(w, shape, 2)
                own = "" if not shape or "(" in value else " * 1.0"  # no second name of an array
                w.add(f"{name} = {value}{own}")
    w.bind(name, Arr(shape) if shape else Num())


def matched(w):
    """``match`` on an integer that data decides."""
    name = w.name("t")
    with w.block(f"match {integer(w, 3)}:", sure=True):
        for case in ("0", "k if k == 1", "_"):
            with w.block(f"case {case}:", sure=True):
                w.add(f"{name} = {number(w, 1)}")
    w.bind(name, Num())


def for_loop(w):
    """``for`` over what there is to loop over."""
    if w.loops > 1:
        return write(w)
    vectors = w.names(Arr, lambda k: len(k.shape) == 1)
    ways = [(4, _over_range)]
    if vectors:
        ways += [(4, _over_vector), (3, _over_enumerate), (3, _over_zip), (2, _over_prefix)]
    if w.names(Arr, lambda k: len(k.shape) == 2):
        ways.append((5, _over_rows))
    if w.lists():
        ways.append((3, _over_list))
    if w.dicts():
        ways.append((3, _over_dict))
    header, names, frozen, first = w.weighted(ways)(w)
    broken = w.chance(15)
    with w.loop(header, frozen):
        for name, kind in names:
            w.bind(name, kind)
        if first:
            w.add(*first(w))
        w.body(1, 3)
        if broken or w.chance(20):
            jump(w)
    if broken:
        with w.block("else:"):
            w.body(1, 1)
    return None


def _vector(w):
    return w.choose(w.names(Arr, lambda k: len(k.shape) == 1))


def _over_range(w):
    i, n = w.name("i"), w.number(1, 4)
    vectors = w.arrays()
    if vectors and w.chance(50):
        n = w.scope[w.pick(vectors)].shape[0]
    text, stop = w.pick(((f"range({length_of(w, n)})", n), (f"range({n - 1}, -1, -1)", n),
                         (f"range(0, {length_of(w, n)}, 2)", n), (f"range(1, {n + 1})", n + 1)))
    return f"for {i} in {text}:", [(i, Int(stop))], (), None


def _over_prefix(w):
    """As many turns as data decides."""
    vector, i = _vector(w), w.name("i")
    n = w.scope[vector].shape[0]
    return (f"for {i} in range(⟦int(np.argmax({vector}))⟧ + 1):", [(i, Int(n))], (), None)


def _over_vector(w):
    name = _vector(w)
    v = w.name("t")
    text = w.pick(("{}", "{}", "{}[1:]", "{}[::-1]", "reversed({})", "{}.tolist()", "sorted({})",
                   "{} * 0.5", "[{}[0], {}[-1]]", "{}.flat")).replace("{}", name)
    return f"for {v} in {text}:", [(v, Num())], (), None


def _over_enumerate(w):
    name, i, v = _vector(w), w.name("i"), w.name("t")
    other = _vector(w)
    n = w.scope[name].shape[0]
    if w.chance(30):
        u = w.name("t")
        n = min(n, w.scope[other].shape[0])
        return (f"for {i}, ({v}, {u}) in enumerate(zip({name}, {other})):",
                [(i, Int(n)), (v, Num()), (u, Num())], (), None)
    return f"for {i}, {v} in enumerate({name}):", [(i, Int(n)), (v, Num())], (), None


def _over_zip(w):
    one, v, u = _vector(w), w.name("t"), w.name("t")
    others = w.lists()
    other = w.choose(others) if others and w.chance(50) else _vector(w)
    text = w.pick(("zip({}, {})", "zip({}[::-1], {})")).format(one, other)
    return f"for {v}, {u} in {text}:", [(v, Num()), (u, Num())], (other,), None


def _over_rows(w):
    """Over the rows of a matrix, which are views; mostly something is written into them."""
    name, row = w.pick(w.names(Arr, lambda k: len(k.shape) == 2)), w.name("v")
    rows, columns = w.scope[w.read(name)].shape
    text, shape = w.pick(((name, (columns,)), (name, (columns,)), (f"{name}.T", (rows,)),
                          (f"{name}[::-1]", (columns,))))

    def first(w):
        return w.pick((f"{row}[{w.number(0, shape[0] - 1)}] = {number(w, 1)}",
                       f"{row}[:] = {array(w, shape, 1)}", f"{row} *= {number(w, 0)}",
                       f"{row}[{w.number(-1, shape[0] - 1)}] += 0.3 * {grouped(number(w, 1))}",
                       f"{row} += 0.2 * {grouped(array(w, shape, 1))}")), row

    first = first if w.chance(60) else None
    kind = Arr(shape, w.scope[name].active or first is not None)
    w.scope[name] = Arr((rows, columns), kind.active)
    if w.chance(30):
        i = w.name("i")
        return (f"for {i}, {row} in enumerate({text}):",
                [(i, Int(max(rows, columns))), (row, kind)], (), first)
    return f"for {row} in {text}:", [(row, kind)], (), first


def _over_list(w):
    name, v = w.choose(w.lists()), w.name("t")
    text = w.pick(("{}", "{}", "{}[:]", "list({})", "{}[::-1]", "reversed({})", "sorted({})",
                   "[*{}, 0.3]", "{}[:3]")).format(name)
    return f"for {v} in {text}:", [(v, Num(w.scope[name].active))], (name,), None


def _over_dict(w):
    name, v = w.choose(w.dicts()), w.name("t")
    text = w.pick(("_, {1} in {0}.items()", "{1} in {0}.values()", "{1} in list({0}.values())",
                   "_, {1} in sorted({0}.items())")).format(name, v)
    return f"for {text}:", [(v, Num(w.scope[name].active))], (name,), None


def while_loop(w):
    """``while`` with a counter, until a tolerance, or for ever with a way out."""
    if w.loops > 1:
        return write(w)
    return w.pick((_until_small, _until_counted, _newton, _until_break, _backwards))(w)


def _until_small(w):
    r, k = w.name("t"), w.name("k")
    w.add(f"{r}, {k} = 1.0 + {grouped(number(w, 1))} ** 2, 0")
    w.bind(r, Num())
    with w.loop(f"while ⟦{r} > 0.3007⟧ and {k} < 5:", continues=False):
        w.own.discard(r)
        w.body(1, 2)
        w.add(f"{r} *= {w.pick(('0.55', f'0.6 + 0.1 * math.sin({leaf(w)})'))}")
        w.add(f"{k} += 1")
        if w.chance(15):
            jump(w)


def _until_counted(w):
    k = w.name("k")
    stop = w.number(1, 4)
    w.add(f"{k} = 0")
    w.bind(k, Int(stop + 1))
    w.own.discard(k)
    with w.loop(f"while {k} < {stop}:", continues=False):
        w.body(1, 2)
        w.add(f"{k} += 1")
        if w.chance(20):
            jump(w)


def _newton(w):
    y, a = w.name("t"), w.name("t")
    w.add(f"{a} = 1.2 + {grouped(number(w, 1))} ** 2")
    w.add(f"{y} = {w.pick(('1.5', a, '0.5 * ' + a))}")
    w.bind(a, Num())
    w.bind(y, Num())
    tolerance = w.pick(("1e-3", "1e-6", "0.02"))
    with w.loop(f"while ⟦abs({y} * {y} - {a}) > {tolerance}⟧:", continues=False):
        w.add(f"{y} = 0.5 * ({y} + {a} / {y})")
        if w.chance(30):
            w.own -= {y, a}
            w.body(1, 1)


def _until_break(w):
    k, t = w.name("k"), w.name("t")
    w.add(f"{k} = 0")
    w.add(f"{t} = {number(w, 1)}")
    w.bind(t, Num())
    w.own.discard(t)
    with w.loop("while True:", continues=False):
        w.add(f"{k} += 1")
        w.body(1, 2)
        w.add(f"{t} = 0.7 * math.cos({t}) + 0.3 * {grouped(leaf(w))}")
        with w.block(f"if {k} > 4 or {condition(w, 0)}:"):
            w.add("break")


def _backwards(w):
    vectors = w.names(Arr, lambda k: len(k.shape) == 1)
    if not vectors:
        return _until_counted(w)
    vector, k = w.pick(vectors), w.name("k")
    n = w.scope[w.read(vector)].shape[0]
    w.add(f"{k} = len({vector}) - 1")
    w.bind(k, Int(n))
    w.own.discard(k)
    with w.loop(f"while {k} > 0 and ⟦{vector}[{k}] > {threshold(w)}⟧:", continues=False):
        w.add(f"{k} -= 1")
        w.body(1, 2)
    return None


def jump(w):
    """``break``, ``continue`` or ``return`` on a condition."""
    with w.block(f"if {condition(w)}:"):
        if w.chance(30):
            w.statement(w)
        kinds = ["break", "continue"][: 1 + w.continues] if w.loops else []
        if w.returns and w.chance(100 if not kinds else 30):
            w.add(f"return {w.returns(w)}")
        else:
            w.add(w.pick(kinds) if kinds else "pass")


def caught(w):
    """``try`` with an exception that data raises, or not."""
    name = w.name("t")
    with w.block("try:", sure=True):
        w.add(f"{name} = {number(w, 1)}")
        way = w.number(0, 2)
        if way == 0:
            with w.block(f"if {condition(w, 0)}:"):
                w.add('raise ValueError("too large")')
            w.add(f"{name} = {number(w, 1)}")
        elif way == 1:
            w.add(f"{name} += [{number(w, 1)}, {leaf(w)}][{integer(w, 4)}]")
        else:
            w.add(f'{name} += {{"a": {number(w, 1)}}}["ab"[{integer(w, 2)}]]')
    with w.block("except " + ("ValueError:", "IndexError:", "KeyError as error:")[way]):
        w.add(f"{name} = {number(w, 1)}")
    if w.chance(30):
        with w.block("finally:"):
            w.body(1, 1)
    w.bind(name, Num())


def within(w):
    """A ``with`` block, or an assertion."""
    if w.chance(40):
        w.add(f"assert ⟦abs({number(w, 1)}) < 900.0⟧")
    else:
        with w.block(w.pick(("with np.errstate(divide='ignore'):", "with np.errstate(all='raise'):",
                             "with contextlib.suppress(KeyError):")), sure=True):
            w.body(1, 2)
