"""Statements that make and change lists and dicts of numbers."""

from dataclasses import replace

from tests.generator.arrays import length_of
from tests.generator.kinds import Arr, Dct, Int, Lst, Num
from tests.generator.scalars import condition, grouped, integer, leaf, number, threshold
from tests.generator.writes import bind_number

__all__ = ["change_dict", "change_list", "make_dict", "make_list"]


def make_list(w):
    """A list: displayed, by a comprehension, by a loop of appends, from an array or another."""
    name = w.name("l")
    vectors = w.names(Arr, lambda k: len(k.shape) == 1)
    ways = [(3, _displayed), (2, _repeated), (2, _counted)]
    if vectors:
        ways += [(4, _comprehended), (2, _filtered), (2, _converted)]
    if w.lists():
        ways += [(2, _derived), (2, _mapped)]
    if not w.loops:
        ways.append((4, _appended))
    kind = w.weighted(ways)(w, name)
    if kind:
        w.bind(name, kind)


def _displayed(w, name):
    size = w.number(1, 4)
    w.add(f"{name} = [{', '.join(number(w, 1) for _ in range(size))}]")
    return Lst(size, True)


def _repeated(w, name):
    size = w.number(2, 4)
    w.add(f"{name} = [{leaf(w)}] * {size}")
    return Lst(size, True)


def _counted(w, name):
    size, i = w.number(2, 4), w.name("i")
    scope = dict(w.scope)
    w.scope[i] = Int(size)
    text = number(w, 1)
    w.scope = scope
    w.add(f"{name} = [{text} for {i} in range({size})]")
    return Lst(size, True)


def _vector(w):
    return w.choose(w.names(Arr, lambda k: len(k.shape) == 1))


def _comprehended(w, name):
    vector = _vector(w)
    text = w.pick(("[math.sin(v) + {1} for v in {0}]", "[0.3 * v * v for v in {0}]",
                   "[v * {1} for v in {0}]", "[p * q for p, q in zip({0}, {0}[::-1])]",
                   "[{0}[i] - 0.1 * i for i in range(len({0}))]", "[v if ⟦v > {2}⟧ else {1} for v "
                   "in {0}]", "[sum(p * q for q in {0}) * 0.2 for p in {0}]",
                   "[max(v, {1}) for v in {0}]", "list(map(lambda v: math.cos(v), {0}))"))
    w.add(f"{name} = " + text.format(vector, grouped(leaf(w)), threshold(w)))
    return Lst(w.scope[vector].shape[0], True)


def _filtered(w, name):
    w.add(f"{name} = " + w.pick((
        "[0.5 * v for v in {0} if ⟦v > {1}⟧] + [{2}]", "[{2}, *[v for v in {0} if ⟦v < {1}⟧]]",
        "[{2}] + [i * 0.1 + v for i, v in enumerate({0}) if ⟦v > {1}⟧]",
    )).format(_vector(w), threshold(w), number(w, 1)))
    return Lst(1)


def _converted(w, name):
    vector = _vector(w)
    w.add(f"{name} = " + w.pick(("list({})", "{}.tolist()", "sorted({})", "[*{}]",
                                 "[float(v) for v in {}]", "list(reversed({}))")).format(vector))
    return Lst(w.scope[vector].shape[0], True)


def _derived(w, name):
    other = w.pick(w.lists())
    kind = w.scope[w.read(other)]
    text, more = w.pick((("{0} + [{1}]", 1), ("[{1}, *{0}]", 1), ("{0}[::-1]", 0),
                         ("sorted({0})", 0), ("list({0})", 0), ("{0}[:1] * 2", None)))
    w.add(f"{name} = {text.format(other, number(w, 1))}")
    return Lst(2, True) if more is None else Lst(kind.least + more, kind.exact)


def _mapped(w, name):
    other = w.pick(w.lists())
    kind = w.scope[w.read(other)]
    w.add(f"{name} = " + w.pick((
        "[math.tanh(v) for v in {0}]", "[v * {1} for v in {0}]", "list(map(math.sin, {0}))",
        "[v - {0}[0] for v in {0}]", "[0.5 * (p + q) for p, q in zip({0}, {0})]",
        "[v if ⟦v > 0.0913⟧ else {1} for v in {0}]", "copy.copy({0})", "{0}.copy()",
    )).format(other, grouped(leaf(w))))
    return Lst(kind.least, kind.exact)


def _appended(w, name):
    """An empty list and a loop that appends to it, perhaps on a condition."""
    size, i = w.number(2, 4), w.name("i")
    same = w.chance(40)
    w.add(f"{name} = []" if same else f"{name} = [{leaf(w)}]")
    w.bind(name, Lst(0 if same else 1))
    with w.loop(f"for {i} in range({length_of(w, size)}):"):
        w.bind(i, Int(size))
        if w.chance(40):
            with w.block(f"if {condition(w, 0)}:"):
                w.add(f"{name}.append({number(w, 1)})")
        else:
            w.add(f"{name}.append({number(w)})")
            same = None if same else same
    if same:  # perhaps nothing was appended
        w.add(f"{name}.append({leaf(w)})")
        w.bind(name, Lst(1))
    elif same is None:
        w.bind(name, Lst(size, True))
    else:
        w.bind(name, Lst(1))


def change_list(w):
    """An item assigned to, an append, a pop, a sort, ..."""
    names = w.lists()
    if not names:
        return make_list(w)
    name = w.pick(names)
    kind = w.scope[name]
    ways = [(5, _set_item), (1, _in_order)]
    if not kind.frozen:
        ways += [(5, _grown)]
        if not w.loops and kind.least > 1:
            ways.append((1, _popped))
    w.weighted(ways)(w, name, kind)


def _set_item(w, name, kind):
    at = w.number(-1, kind.least - 1)
    w.add(f"{name}[{at}] {w.pick(('=', '+= 0.3 *', '*=', '= 0.5 *'))} {_bounded(w)}")
    w.scope[name] = replace(kind, active=True)


def _bounded(w):
    return f"{w.pick(('math.sin', 'np.tanh', 'math.tanh'))}({number(w, 1)})"


def _in_order(w, name, kind):
    w.add(f"{name}.{w.pick(('reverse()', 'sort()', 'sort(reverse=True)', 'sort(key=math.sin)'))}")


def _grown(w, name, kind):
    text, more = w.pick((("{}.append({})", 1), ("{}.append({})", 1), ("{}.extend([{}, {}])", 2),
                         ("{}.insert(0, {})", 1), ("{} += [{}]", 1), ("{}.extend({} * v for v in "
                                                                      "(1, 2))", 2)))
    if "+=" in text and name not in w.own:
        text = "{}.append({})"
    w.add(text.format(name, _bounded(w), leaf(w)))
    w.scope[name] = replace(kind, least=kind.least + more, active=True)


def _popped(w, name, kind):
    new = w.name("t")
    w.add(f"{new} = {name}.pop({w.pick(('', '0', '-1'))})")
    w.scope[name] = replace(kind, least=kind.least - 1)
    w.bind(new, Num())


def make_dict(w):
    """A dict of numbers: displayed, by a comprehension, by ``dict``, from pairs."""
    name = w.name("d")
    keys = ("a", "b", "c")[: w.number(1, 3)]
    values = [number(w, 1) for _ in keys]
    kind = w.number(0, 3)
    shown = ", ".join(f'"{k}": {v}' for k, v in zip(keys, values))
    if kind == 0:
        w.add(f"{name} = dict({', '.join(f'{k}={v}' for k, v in zip(keys, values))})")
    elif kind == 1:
        w.add(f"{name} = {{k: 0.5 * v for k, v in zip({''.join(keys)!r}, [{', '.join(values)}])}}")
    elif kind == 2 and w.dicts():
        other = w.pick(w.dicts())
        w.add(f"{name} = {{**{w.read(other)}, {shown}}}")
        keys = tuple(dict.fromkeys((*w.scope[other].keys, *keys)))
    else:
        w.add(f"{name} = {{{shown}}}")
    w.bind(name, Dct(keys))


def change_dict(w):
    """An item set, added to, or looked up by a key that data decides."""
    if not w.dicts():
        return make_dict(w)
    name = w.pick(w.dicts())
    kind = w.scope[name]
    key = w.pick(kind.keys)
    way = w.number(0, 5)
    if way == 0:
        table, at = w.name("d"), w.name("k")
        w.add(f"{table} = {{0: {number(w, 1)}, 1: {leaf(w)}, 2: {number(w, 1)}}}")
        w.add(f"{at} = {integer(w, 3)}")
        new = w.name("t")
        w.add(f"{new} = {table}[{at} % 3]")
        w.bind(new, Num())
        return None
    if way == 1 and not kind.frozen:
        w.add(f'{name}["d"] = {_bounded(w)}')
        if "d" not in kind.keys:
            kind = replace(kind, keys=(*kind.keys, "d"))
    elif way == 2 and not kind.frozen:
        w.add(f'{name}.update({key}={_bounded(w)})')
    elif way == 3 and name in w.own and not kind.frozen:
        w.add(f"{name} = {{k: v * {grouped(leaf(w))} for k, v in {name}.items()}}")
    elif way == 4:
        return bind_number(w)
    else:
        w.add(f'{name}["{key}"] {w.pick(("=", "+= 0.3 *", "*="))} {_bounded(w)}')
    w.scope[name] = replace(kind, active=True)
    return None
