"""Expressions whose value is an array of a given shape, and views of arrays."""

import numpy as np

from tests.generator.scalars import fill, grouped, leaf, number, threshold

__all__ = ["array", "length_of", "masked", "part", "selection", "view"]

_UNARY = (
    "np.sin({})", "np.tanh({})", "-{}", "0.7 * {}", "np.exp(-np.square({}))", "np.cos({})",
    "{} ** 2 * 0.5", "np.abs({} + 0.0519)", "np.sqrt(1.0 + np.square({}))", "np.arctan({})",
    "np.maximum({}, 0.0307)", "{}.copy()", "np.clip({}, -0.8009, 0.9007)", "{} - np.mean({})",
    "np.log1p(np.square({}))", "np.where(⟦{} > 0.1101⟧, {}, 0.2)",
    "np.cumsum({}).reshape({}.shape)",
)
_BINARY = (
    "{} + {}", "{} - {}", "0.6 * {} * {}", "{} / (1.5 + np.square({}))", "np.maximum({}, {})",
    "np.tanh({} * {})", "np.hypot({}, 1.0 + np.square({}))", "np.minimum({}, {})",
    "np.arctan2({}, 2.0 + np.sin({}))", "np.add({}, {}) * 0.5",
)
_OF_VECTOR = (
    "np.array([math.sin(v) for v in {}])", "{}[::-1]", "np.roll({}, 1)", "np.sort({})",
    "np.array(list(map(math.tanh, {})))", "np.array([v * 0.5 for v in {}.tolist()])",
    "np.concatenate([{0}[1:], {0}[:1]])", "np.append({0}[1:], {0}[0])",
    "np.array([v if ⟦v > 0.0607⟧ else 0.3 * v for v in {}])", "np.cumsum({}) * 0.3",
    "np.array(sorted({}))", "np.asarray([{0}[i] * {0}[-1] for i in range(len({0}))])",
    "np.hstack([{0}[:1], {0}[1:] * 0.4])", "np.fromiter((0.8 * v for v in {}), float)",
    "{0}[⟦np.argsort({0})⟧]", "np.array([*{}])", "np.flip({})",
)
_VIEWS = {
    1: ("{}[:]", "{}[1:]", "{}[::-1]", "{}[:-1]", "{}[::2]", "{}[-2:]", "{}[None]", "{}[...]",
        "{}.reshape(-1, 1)", "{}.view()", "{}.reshape(2, -1)"),
    2: ("{}.T", "{}[0]", "{}[-1]", "{}[:, 0]", "{}.reshape(-1)", "{}.ravel()", "{}[1:]",
        "{}[:, ::-1]", "{}[:, 1:]", "np.transpose({})", "np.reshape({}, -1)", "{}[::-1, :]",
        "{}.T[0]", "{}.swapaxes(0, 1)"),
}
_SLICES = {1: ("1:", ":-1", "::2", "::-1", ":", "...", "-2:", "[0, -1]"),
           2: ("0", "-1", ":, 0", "1:", ":, 1:", "...", ":, -1", "::-1", "0, 1:", "[0, -1]")}


def _shape_of(template, shape):
    """The shape of an expression of one array; None if it does not apply or is empty."""
    try:
        made = eval(template.format("_"), {"np": np, "_": np.zeros(shape)})
    except (IndexError, ValueError):
        return None
    return made.shape if made.size else None


def length_of(w, n):
    """The length `n` as a program would say it."""
    names = [name for name in w.arrays() if w.scope[name].shape[0] == n]
    if names and w.chance(60):
        return w.pick(("len({})", "{}.shape[0]", "len({})")).format(w.pick(names))
    return str(n)


def view(w):
    """A view of a named array: its text, the name and its shape; None if there is none."""
    names = w.arrays()
    if not names:
        return None
    name = w.pick(names)
    template = w.pick(_VIEWS[len(w.scope[name].shape)])
    shape = _shape_of(template, w.scope[name].shape)
    if shape is None or len(shape) > 2:
        return None
    return template.format(w.read(name)), name, shape


def part(w, shape):
    """The text of an index by slices into an array of a shape, and the shape of that part."""
    text = w.pick(_SLICES[len(shape)])
    made = _shape_of("{}[" + text + "]", shape)
    return (text, made) if made else ("...", shape)


def selection(w, name):
    """The text of an index of a named array by rows or columns, also those a loop runs over."""
    shape = w.scope[name].shape
    axis = w.number(0, len(shape) - 1)
    known = w.integers(shape[axis])
    at = w.pick(known) if known and w.chance(70) else str(w.number(0, shape[axis] - 1))
    return (at if axis == 0 else f":, {at}"), shape[:axis] + shape[axis + 1:]


def array(w, shape, depth=2):
    """An expression for an array of a shape (or that broadcasts to it)."""
    if not shape:
        return number(w, depth)
    if depth <= 0:
        return _named(w, shape)
    ways = [(5, _unary), (5, _binary), (3, _named)]
    if len(shape) == 1:
        ways += [(4, _of_vector), (4, _of_numbers), (2, _product)]
        if w.full_lists(shape[0]):
            ways.append((4, _of_list))
    else:
        ways += [(3, _rows), (2, _outer)]
    return w.weighted(ways)(w, shape, depth - 1)


def _named(w, shape, depth=0):
    names = w.arrays(shape)
    if names and w.chance(80):
        return w.choose(names)
    parts = []
    for name in w.arrays():
        for text in _SLICES[len(w.scope[name].shape)]:
            if _shape_of("{}[" + text + "]", w.scope[name].shape) == shape:
                parts.append((name, text))
    if parts and w.chance(70):
        name, text = w.pick(parts)
        return f"{w.read(name)}[{text}]"
    if names:
        return w.choose(names)
    return _filled(w, shape)


def _filled(w, shape):
    size = length_of(w, shape[0]) if len(shape) == 1 else str(shape)
    return w.pick(("np.full({0}, {1})", "np.ones({0}) * {1}", "np.zeros({0}) + {1}",
                   "np.full({0}, fill_value={1}, dtype=float)")).format(size, grouped(leaf(w)))


def _unary(w, shape, depth):
    template = w.pick(_UNARY)
    if template.count("{}") > 1:
        return fill(template.replace("{}", "{0}"), _whole(w, shape))
    return fill(template, array(w, shape, depth))


def _whole(w, shape):
    """A named array of just this shape, or one made for it."""
    names = w.arrays(shape)
    return w.choose(names) if names else _filled(w, shape)


def _binary(w, shape, depth):
    left = array(w, shape, depth)
    right = number(w, 1) if w.chance(30) else array(w, shape, depth)
    return fill(w.pick(_BINARY), left, right)


def _of_vector(w, shape, depth):
    return fill(w.pick(_OF_VECTOR), _whole(w, shape))


def _of_numbers(w, shape, depth):
    items = ", ".join(number(w, 1) for _ in range(shape[0]))
    if w.chance(20):
        return f"np.array(({items},))"
    return w.pick(("np.array([{}])", "np.asarray([{}])", "np.array([{}], dtype=float)",
                   "np.stack([{}])", "np.hstack([{}])", "np.r_[{}]")).format(items)


def _of_list(w, shape, depth):
    name = w.choose(w.full_lists(shape[0]))
    return w.pick(("np.array({})", "np.asarray({})", "np.array([math.sin(v) for v in {}])",
                   "np.array(sorted({}))", "np.array({}[::-1])")).format(name)


def _product(w, shape, depth):
    matrices = [n for n in w.arrays() if len(w.scope[n].shape) == 2
                and w.scope[n].shape[0] == shape[0]]
    if not matrices:
        return _binary(w, shape, depth)
    matrix = w.choose(matrices)
    return f"0.4 * {matrix} @ {_vector(w, w.scope[matrix].shape[1])}"


def _vector(w, n):
    return grouped(array(w, (n,), 1)) if w.arrays((n,)) else f"np.full({n}, {leaf(w)})"


def _rows(w, shape, depth):
    rows = ", ".join(array(w, shape[1:], 1) if w.arrays(shape[1:]) else _filled(w, shape[1:])
                     for _ in range(shape[0]))
    return w.pick(("np.array([{}])", "np.stack([{}])", "np.vstack([{}])")).format(rows)


def _outer(w, shape, depth):
    return f"0.5 * np.outer({_vector(w, shape[0])}, {_vector(w, shape[1])})"


def masked(w, name):
    """The text of a mask of a named array."""
    return f"⟦{w.read(name)} {w.pick(('>', '<'))} {threshold(w)}⟧"
