"""Statements that bind numbers and arrays, and those that write into arrays."""

from dataclasses import replace

from tests.generator.arrays import array, length_of, masked, part, selection, view
from tests.generator.kinds import Arr, Int, Num
from tests.generator.scalars import grouped, index, leaf, number

__all__ = ["augment_number", "bind_array", "bind_number", "buffer", "several", "swap", "view_write",
           "write"]


def bind_number(w):
    """``t = ...``, a new name or one that is there."""
    old = [n for n in w.numbers() if n in w.own]
    with w.activity() as found:
        text = number(w)
    if old and w.chance(35):
        name = w.pick(old)
        w.add(f"{name} = {w.pick(('math.tanh', 'math.sin', 'np.sin')) if w.loops else ''}({text})")
        w.bind(name, Num(w.scope[name].active or found[0]))
    else:
        name = w.name("t")
        w.add(f"{name}: float = {text}" if w.chance(4) else f"{name} = {text}")
        w.bind(name, Num(found[0]))


def augment_number(w):
    """``t += ...``."""
    old = [n for n in w.numbers() if n in w.own]
    if not old:
        return bind_number(w)
    name = w.pick(old)
    with w.activity() as found:
        w.add(f"{name} {_augmented(w, number(w, 1), 'math')}")
    w.bind(name, Num(w.scope[name].active or found[0]))


def _augmented(w, text, module="np"):
    """An augmented assignment that does not let a number grow."""
    return w.pick(("+= 0.4 * {1}", "-= 0.3 * {1}", "*= {0}.cos({2})", "/= 1.5 + {1} ** 2",
                   "+= {0}.sin({2})", "*= 0.8")).format(module, grouped(text), text)


def bind_array(w):
    """``a = ...`` of the shape of an array that is there."""
    shape = w.scope[w.pick(w.arrays())].shape if w.arrays() else (3,)
    with w.activity() as found:
        text = array(w, shape)
    old = [n for n in w.arrays(shape) if n in w.own]
    if old and w.chance(25):
        name = w.pick(old)
        text = f"np.tanh({text})" if w.loops else f"1.0 * {grouped(text)}"
    else:
        name = w.name("a")
        text = text if "(" in text else f"{text} * 1.1"  # an array of its own
    w.add(f"{name} = {text}")
    w.bind(name, Arr(shape, found[0]))


def several(w):
    """Chained, starred and tuple assignments."""
    kind = w.number(0, 3)
    if kind == 0:
        names = w.name("t"), w.name("t")
        w.add(f"{names[0]}, {names[1]} = {number(w, 1)}, {number(w, 1)}")
    elif kind == 1:
        names = w.name("t"), w.name("t")
        w.add(f"{names[0]} = {names[1]} = {number(w)}")
    else:
        vectors = w.names(Arr, lambda k: len(k.shape) == 1 and k.shape[0] > 1)
        lists = w.lists(2)
        if not vectors + lists:
            return bind_number(w)
        source = w.pick(vectors + lists)
        names = w.name("t"), w.name("t")
        rest = w.name("r")
        w.add(w.pick(("{0}, *{2}, {1} = {3}", "{0}, {1}, *{2} = {3}", "(*{2}, {0}), {1} = {3}, {4}",
                      )).format(*names, rest, w.read(source), leaf(w)))
    for name in names:
        w.bind(name, Num())


def swap(w):
    """``a, b = b, a`` of two arrays or two numbers."""
    pairs = [(a, b) for a in w.arrays() + w.numbers() for b in w.arrays() + w.numbers()
             if a < b and a in w.own and b in w.own
             and _passive(w.scope[a]) == _passive(w.scope[b])]
    if not pairs:
        return bind_number(w)
    a, b = w.pick(pairs)
    w.add(f"{a}, {b} = {b}, {a}")
    active = w.scope[a].active or w.scope[b].active
    for name in (a, b):
        w.bind(name, replace(w.scope[name], active=active))


def _passive(kind):
    """A kind without what is known of its activity."""
    return replace(kind, active=False)


def buffer(w):
    """``out = np.zeros(n)``, mostly filled by a loop."""
    name = w.name("out")
    model = w.pick(w.arrays()) if w.arrays() else None
    shape = w.scope[model].shape if model else (3,)
    if len(shape) == 1 and w.chance(25):
        shape = (w.number(2, 3), shape[0])
    if model and w.scope[model].shape == shape and w.chance(30):
        w.add(f"{name} = np.{w.pick(('zeros_like', 'ones_like'))}({model})")
    elif len(shape) == 1:
        w.add(w.pick(("{} = np.zeros({})", "{} = np.ones({})", "{} = np.full({}, 0.3)",
                      "{} = np.arange({}) * 0.25", "{} = np.linspace(0.1, 0.9, {})",
                      "{} = np.array([0.4] * {})", "{} = np.zeros(({},))"))
              .format(name, length_of(w, shape[0])))
    else:
        rows, columns = shape
        w.add(w.pick((f"{name} = np.zeros({shape})", f"{name} = np.zeros((%s, {columns}))" %
                      length_of(w, rows), f"{name} = np.eye({rows}, {columns})",
                      f"{name} = np.ones({shape}) * 0.5")))
    if w.loops < 2 and w.chance(75):
        _fill(w, name, shape)
    else:
        w.bind(name, Arr(shape, False))


def _fill(w, name, shape):
    """Loops over all elements of a new array, or over its rows."""
    w.bind(name, Arr(shape, True))
    i, j = w.name("i"), w.name("j")
    rows = w.pick((length_of(w, shape[0]), f"len({name})", str(shape[0])))
    with w.loop(f"for {i} in range({rows}):"):
        w.bind(i, Int(shape[0]))
        if len(shape) == 1:
            w.add(f"{name}[{i}] {w.pick(('=', '=', '+='))} {number(w)}", name)
        elif w.chance(40):
            w.add(f"{name}[{i}] {w.pick(('=', '+='))} {array(w, shape[1:], 1)}", name)
        else:
            with w.loop(f"for {j} in range({shape[1]}):"):
                w.bind(j, Int(shape[1]))
                w.add(f"{name}[{i}, {j}] {w.pick(('=', '+='))} {number(w, 1)}", name)
    w.bind(name, Arr(shape, True))


def write(w, name=None):
    """One write into an array: an element, a slice, a row, under a mask, by ``out=``, ..."""
    if not w.arrays():
        return buffer(w)
    name = name or w.pick(w.arrays())
    if name in w.outside and w.chance(50):
        name = w.pick(w.arrays())
    kind = w.scope[name]
    with w.activity() as found:
        line = w.weighted(_WAYS)(w, name, kind.shape)
    w.add(line, name)
    w.scope[name] = Arr(kind.shape, kind.active or found[0])


def _at(w, target, text):
    """A plain or an augmented assignment."""
    return f"{target} = {text}" if w.chance(55) else f"{target} {_augmented(w, text)}"


def _element(w, name, shape):
    return _at(w, f"{name}[{index(w, shape)}]", number(w, 1))


def _slice(w, name, shape):
    text, made = part(w, shape)
    return _at(w, f"{name}[{text}]", number(w, 1) if w.chance(30) else array(w, made, 1))


def _row(w, name, shape):
    text, made = selection(w, name)
    return _at(w, f"{name}[{text}]", array(w, made, 1))


def _mask(w, name, shape):
    return _at(w, f"{name}[{masked(w, name)}]", number(w, 1))


def _whole(w, name, shape):
    target = name if name in w.own else f"{name}[...]"  # not a name of its own
    return f"{target} {_augmented(w, array(w, shape, 1) if w.chance(70) else number(w, 1))}"


def _out(w, name, shape):
    one, other = array(w, shape, 1), array(w, shape, 1)
    return w.pick((f"np.multiply({one}, {other}, out={name})", f"np.add({one}, 0.3, out={name})",
                   f"np.tanh({one}, out={name})", f"np.copyto({name}, {one})",
                   f"np.add.at({name}, [0, -1, 0], 0.3 * {grouped(number(w, 1))})",
                   f"{name}.fill({number(w, 1)})", f"{name}[...] = {one}", f"{name}.sort()",
                   f"np.put({name}, [0, -1], {number(w, 1)})"))


_WAYS = ((6, _element), (4, _slice), (3, _row), (1, _mask), (4, _whole), (2, _out))


def view_write(w):
    """``v = a[1:]``, and a write through it (or into what it sees)."""
    seen = view(w)
    if seen is None:
        return write(w)
    text, base, shape = seen
    name = w.name("v")
    w.add(f"{name} = {text}")
    w.bind(name, Arr(shape, w.scope[base].active))
    write(w, name)
    w.scope[base] = replace(w.scope[base], active=w.scope[base].active or w.scope[name].active)
    if w.chance(30):
        write(w, base)
