"""What is outside the function: globals, what is done to them, how they change between calls."""

from tests.generator.arrays import array
from tests.generator.functions import define, define_class
from tests.generator.kinds import Arr, Dct, Int, Lst, Num
from tests.generator.scalars import grouped, number

__all__ = ["changes", "effect", "surround"]


def surround(w, vectors):
    """Write the module around the function; returns writers of changes between calls."""
    changing = []
    for percent, make in ((60, _number), (55, _vector), (25, _matrix), (35, _list), (25, _dict),
                          (25, _integer), (45, _log), (35, _counter), (20, _random),
                          (15, _printed)):
        if w.chance(percent):
            changing.append(make(w, vectors))
    for _ in range(w.number(0, 2)):
        define(w)
        w.add("")
    if w.chance(35):
        name, kind = define_class(w)
        w.classes.append((name, kind))
        w.add("")
        if w.chance(50):
            changing.append(_object(w, name, kind))
    w.outside = set(w.scope)
    return [change for change in changing if change]


def _value(w):
    return f"{w.number(-140, 140) / 100 + 0.0013:.4f}"


def _values(w, n):
    return ", ".join(_value(w) for _ in range(n))


def _number(w, vectors):
    w.add(f"RATE = {_value(w)}")
    w.scope["RATE"] = Num(False)
    return lambda w: f"RATE = {_value(w)}"


def _vector(w, vectors):
    n = w.pick(vectors)
    w.add(f"W = np.array([{_values(w, n)}])")
    w.scope["W"] = Arr((n,), False)
    return lambda w: w.pick((f"W = np.array([{_values(w, n)}])", f"W[0] = {_value(w)}",
                             "W *= -0.9", f"W[:] = [{_values(w, n)}]"))


def _matrix(w, vectors):
    m, n = w.number(2, 3), w.pick(vectors)
    rows = ", ".join(f"[{_values(w, n)}]" for _ in range(m))
    w.add(f"M = np.array([{rows}])")
    w.scope["M"] = Arr((m, n), False)
    return lambda w: w.pick((f"M = M[::-1] + {_value(w)}", f"M[0] = {_value(w)}"))


def _list(w, vectors):
    size = w.number(1, 3)
    w.add(f"TABLE = [{_values(w, size)}]")
    w.scope["TABLE"] = Lst(size, active=False, frozen=True)
    return lambda w: w.pick((f"TABLE[0] = {_value(w)}", f"TABLE.append({_value(w)})",
                             f"TABLE = [{_values(w, size)}]"))


def _dict(w, vectors):
    w.add(f'OPTIONS = {{"a": {_value(w)}, "b": {_value(w)}}}')
    w.scope["OPTIONS"] = Dct(("a", "b"), False, True)
    return lambda w: w.pick((f'OPTIONS["a"] = {_value(w)}', f'OPTIONS["c"] = {_value(w)}'))


def _integer(w, vectors):
    w.add(f"STEP = {w.number(0, 2)}")
    w.scope["STEP"] = Int(3)
    return lambda w: f"STEP = {w.number(0, 2)}"


def _log(w, vectors):
    w.add("LOG = []")
    w.effects += [(4, _append), (2, _append_container), (2, _append_text)]
    return lambda w: w.pick(("LOG.clear()", "LOG = []"))


def _counter(w, vectors):
    w.add("CALLS = 0")
    w.add('LAST = {"calls": 0, "value": 0.1}')
    w.effects += [(2, _count), (3, _store), (2, _store_array)]
    return lambda w: 'LAST["value"] = 0.3'


def _random(w, vectors):
    w.add(f"RNG = np.random.default_rng({w.number(0, 9)})")
    w.random = True
    return None


def _printed(w, vectors):
    w.add("OUT = io.StringIO()")
    w.effects.append((2, _print))


def _object(w, name, kind):
    w.add(f"CELL = {name}({_value(w)})")
    w.scope["CELL"] = kind
    return lambda w: w.pick((f"CELL.scale = {_value(w)}", f"{name}.rate = {_value(w)}"))


def changes(w, changing):
    """Source lines that change some of what is outside."""
    return tuple(change(w) for change in changing if w.chance(60))


# Effects


def effect(w):
    """A statement that changes something outside, if there is something."""
    if w.effects:
        w.weighted(w.effects)(w)
    else:
        w.statement(w)


def _append(w):
    text = w.pick((number(w, 1), f"({number(w, 1)}, 'a')", f"float({number(w, 1)})"))
    w.add(f"LOG.append({text})")
    if w.chance(30) and not text.startswith("("):
        name = w.name("t")
        w.add(f"{name} = LOG[-1]")
        w.bind(name, Num())


def _append_container(w):
    names = w.names((Arr, Lst, Dct))
    name = w.read(w.pick(names)) if names else "[]"
    w.add(f"LOG.append({name}{w.pick(('', '.copy()'))})")


def _append_text(w):
    w.add(w.pick(('LOG.append(f"{%s:.3f}")', 'LOG.append(str(%s))', 'LOG.append(f"{%s!r:>12}")',
                  'LOG.append("%%.2f" %% (%s))')) % number(w, 0).replace('"', "'"))


def _count(w):
    if w.deep == 1 and "CALLS" not in w.own:
        w.add('LAST["calls"] += 1')
    else:
        w.add('LAST["calls"] += 2')


def _store(w):
    w.add(f'LAST["value"] = {number(w, 1)}')
    if w.chance(40):
        name = w.name("t")
        w.add(f'{name} = 0.5 * LAST["value"]')
        w.bind(name, Num())


def _store_array(w):
    shape = w.scope[w.pick(w.arrays())].shape if w.arrays() else (2,)
    w.add(f'LAST["array"] = {array(w, shape, 1)}')


def _print(w):
    w.add(f"print({number(w, 0)}, 0.5 * {grouped(number(w, 0))}, sep=', ', file=OUT)")
