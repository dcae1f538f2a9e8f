"""Expressions whose value is a number of moderate size, an integer, or a decision."""

import re

from tests.generator.kinds import Arr, Num

__all__ = ["call", "condition", "element", "fill", "grouped", "index", "integer", "leaf", "number",
           "threshold"]

_ATOM = re.compile(r"\w[\w.]*(\[[^\[\]]*\]|\([^()]*\))?")

_PLACE = re.compile(r"\{(\d?)\}")

_UNARY = (
    "math.sin({})", "math.tanh({})", "np.sin({})", "np.tanh({})", "math.cos({})", "-{}",
    "math.exp(-{} ** 2)", "math.sqrt(1.0 + {} ** 2)", "abs({} + 0.1037)", "0.5 * {}",
    "np.exp(np.sin({}))", "math.atan({})", "float({})", "math.log(1.5 + {} ** 2)", "{} ** 3 * 0.2",
    "pow({}, 2) * 0.4", "math.log1p({} ** 2)", "np.float64({})", "np.square({}) * 0.3",
    "math.erf({})", "math.hypot({}, 1.2)", "1.0 / (1.0 + math.exp(-{}))", "np.arctan({})",
    "float(np.cos({}))", "math.fabs({} - 0.2013)", "(lambda t: 0.7 * t - t * t * 0.1)({})",
    "np.sqrt(2.0 + np.sin({}))", "math.sinh(0.5 * math.sin({}))", "math.radians(30.0 * {})",
)
_BINARY = (
    "{} + {}", "{} - {}", "0.6 * {} * {}", "{} / (1.5 + {} ** 2)", "max({}, {})",
    "min({}, {})", "math.tanh({} * {})", "math.atan2({}, 2.5 + math.sin({}))",
    "np.hypot({}, 1.0 + abs({} - 0.1119))", "np.maximum({}, {})", "np.sin({} - {})",
    "math.hypot(1.0 + {} ** 2, {}) * 0.4", "abs({} - {} + 0.0307)",
    "(2.0 + math.sin({})) ** math.tanh({})",
    "math.fsum([{}, 0.3 * {}])", "sum([{}, {}]) * 0.5", "np.add({}, {}) * 0.7",
    "(lambda p, q=0.3: p * q - 0.2 * p)({}, {})",
)
_OF_ARRAY = (
    "np.sum({}) * 0.2", "np.mean({})", "{}.sum() * 0.2", "{}.mean()", "np.max({})", "{}.min()",
    "np.linalg.norm({} + 3.1) * 0.2", "float(np.sum({}))* 0.2", "np.var({})", "np.ptp({})",
    "np.prod(np.cos({})) * 0.5", "{}.ravel()[-1]", "np.sum(np.square({})) * 0.1", "{}.std()",
    "np.sum(np.abs({} + 0.0419)) * 0.1", "np.ravel({})[0]", "{}.flat[0]", "np.median({})",
    "sum({}.ravel().tolist()) * 0.2", "np.sum({}, axis=0).max() * 0.2", "{}.item(0)",
)
_OF_VECTOR = (
    "sum({}) * 0.2", "max({})", "min({})", "sum(v * v for v in {}) * 0.1", "sorted({})[0]",
    "sum([math.sin(v) for v in {}]) * 0.2", "np.dot({0}, {0}) * 0.1", "{0} @ {0} * 0.1",
    "np.sum({0}[⟦{0} > 0.1009⟧]) * 0.2", "sum(map(math.tanh, {})) * 0.2",
    "sum(p * q for p, q in zip({0}, {0}[1:])) * 0.1", "float(np.sort({})[-1])",
    "sum(v if ⟦v > 0.0503⟧ else 0.3 * v for v in {}) * 0.2", "{0}[⟦int(np.argmax({0}))⟧]",
    "max([abs(v - 0.0211) for v in {}])", "{0}[⟦np.argmin({0})⟧]",
    "sum((1.0 - 0.2 * i) * v for i, v in enumerate({})) * 0.2",
    "functools.reduce(lambda p, q: 0.5 * (p + q), {})", "sum([v for v in {} if ⟦v > 0.0107⟧], 0.0)",
    "sum(operator.mul(p, q) for p, q in zip({0}, reversed({0}))) * 0.1",
    "max({}, key=lambda v: math.cos(v))",
)
_OF_LIST = (
    "sum({0}) / len({0})", "max({})", "min({})", "{}[-1]", "{}[0]", "np.mean({})",
    "sorted({})[-1]", "np.sum(np.array({})) * 0.2", "sum(v * v for v in {}) * 0.1",
    "np.max({})", "np.array({}).mean()", "float(np.sum(np.tanh({}))) * 0.2",
    "sum([0.5 * v for v in {} if ⟦v > 0.0405⟧])", "np.linalg.norm(np.asarray({}) + 2.9) * 0.2",
    "functools.reduce(lambda p, q: math.sin(p + q), {})", "np.dot({0}, {0}) * 0.1",
    "sum({0}[:2]) * 0.3", "math.fsum({}) * 0.2", "sum(sorted({})[:2]) * 0.3",
    "max({}, key=lambda v: v * v)", "sum(filter(lambda v: ⟦v < 0.6007⟧, {}), 0.0) * 0.3",
)


def threshold(w):
    """A number that nothing rounded is equal to, so that comparisons are no ties."""
    return w.pick(("0.1003", "-0.2017", "0.3011", "0.0023", "0.5507", "-0.6119"))


def index(w, shape):
    """An index of one element of an array of a shape."""
    return ", ".join(_position(w, n) for n in shape)


def _position(w, n):
    known = w.integers(n)
    others = [i for i in w.integers(99) if i not in known]
    kind = w.number(0, 9)
    if known and kind >= 4:
        return w.pick(known)
    if others and kind >= 6:
        return f"{w.pick(others)} % {n}"
    vectors = w.arrays((n,))
    if vectors and kind == 3 and w.chance(50):
        return f"⟦int(np.arg{w.pick(('max', 'min'))}({w.choose(vectors)}))⟧"
    return str(w.number(0, 2 * n - 1) - n) if w.chance(40) else str(w.number(0, n - 1))


def element(w, name):
    """An element of a named array."""
    return f"{w.read(name)}[{index(w, w.scope[name].shape)}]"


def leaf(w):
    """A number that is there: a variable, an element, an item, an attribute, a constant."""
    ways = [(2, _constant), *_of_kinds(w, (
        (16, w.numbers(), lambda w: w.choose(w.numbers())),
        (10, w.arrays(), lambda w: element(w, w.choose(w.arrays()))),
        (6, w.lists(), _item), (5, w.dicts(), _value)))]
    if w.objects():
        ways.append((4, _attribute))
    return w.weighted(ways[::-1])(w)


def _of_kinds(w, table):
    """Those of (weight, names, way) that have names; those with none active seldom."""
    for weight, names, way in table:
        if names:
            yield (weight if any(map(w.is_active, names)) else 1), way


def _constant(w):
    return w.pick(("0.7", "-1.3", "0.25", "2", "1.1"))


def _item(w):
    name = w.choose(w.lists())
    return f"{name}[{w.number(-1, w.scope[name].least - 1)}]"


def _value(w):
    name = w.pick(w.dicts())
    key = w.pick(w.scope[name].keys)
    return f'{w.read(name)}.get("{key}", 0.5)' if w.chance(15) else f'{w.read(name)}["{key}"]'


def _attribute(w):
    name = w.pick(w.objects())
    numbers = [a for a, kind in w.scope[name].attributes if isinstance(kind, Num)]
    arrays = [(a, kind.shape) for a, kind in w.scope[name].attributes if isinstance(kind, Arr)]
    w.active_reads += not w.scope[name].outside
    if arrays and w.chance(30):
        attribute, shape = w.pick(arrays)
        return f"{name}.{attribute}[{index(w, shape)}]"
    return f"{name}.{w.pick(numbers)}"


def number(w, depth=2):
    """An expression for a number."""
    if depth > 0:
        ways = [(5, _unary), (6, _binary), *_of_kinds(w, (
            (5, w.arrays(), _of_array), (4, w.lists(), _of_list), (2, w.dicts(), _of_dict)))]
        if w.functions_of(Num()):
            ways.append((5, _called))
        if any(w.scope[o].methods for o in w.objects()):
            ways.append((3, _method))
        ways.append((2, _ternary))
        if "RNG" in w.scope:
            ways.append((1, lambda w, depth: w.pick(("RNG.random()", "RNG.normal() * 0.3",
                                                     "RNG.uniform(-0.5, 0.5)"))))
        return w.weighted(ways)(w, depth - 1) if w.chance(85) else leaf(w)
    return leaf(w)


def _unary(w, depth):
    return fill(w.pick(_UNARY), number(w, depth))


def _binary(w, depth):
    return fill(w.pick(_BINARY), number(w, depth), number(w, depth))


def grouped(text):
    """In parentheses, where it might be torn apart."""
    return text if _ATOM.fullmatch(text) else f"({text})"


def fill(template, *texts):
    """A template with expressions in its places, in parentheses where they need them."""
    pieces = _PLACE.split(template)
    whole = pieces[0]
    for k, (place, after) in enumerate(zip(pieces[1::2], pieces[2::2])):
        text = texts[int(place or k)]
        alone = whole.endswith(("(", ", ", "[")) and after.startswith((")", ",", "]"))
        whole += (text if alone else grouped(text)) + after
    return whole


def _of_array(w, depth):
    name = w.choose(w.arrays())
    shape = w.scope[name].shape
    table = _OF_ARRAY if len(shape) != 1 or w.chance(40) else _OF_VECTOR
    return w.pick(table).format(name)


def _of_list(w, depth):
    return w.pick(_OF_LIST).format(w.choose(w.lists()))


def _of_dict(w, depth):
    return w.pick(("sum({0}.values()) / len({0})", "max({}.values())",
                   "sum(v * 0.3 for v in {}.values())", "sum(list({}.values())[:2]) * 0.5",
                   "sum(0.4 * {0}[k] for k in {0})", "sum(v for k, v in {}.items() if k != 'b')",
                   )).format(w.choose(w.dicts()))


def _called(w, depth):
    return call(w, w.pick(w.functions_of(Num())))


def call(w, name, kind=None):
    """A call of a known function with arguments of its kinds."""
    kind = kind or w.scope[name]
    takes = kind.takes
    if kind.optional and w.chance(50):
        takes = takes[: len(takes) - kind.optional]
    given = [number(w, 1) if isinstance(k, Num) else _array_argument(w, k.shape) for k in takes]
    w.active_reads += 1  # what it reads from around may be active
    return f"{name}({', '.join(given)})"


def _array_argument(w, shape):
    names = w.arrays(shape)
    if not names:
        return f"np.full({shape}, {leaf(w)})"
    return w.pick(("{}", "{}", "{} * 0.7", "{}.copy()")).format(w.choose(names))


def _method(w, depth):
    name = w.pick([o for o in w.objects() if w.scope[o].methods])
    method, kind = w.pick(w.scope[name].methods)
    return call(w, f"{name}.{method}" if method else name, kind)


def _ternary(w, depth):
    return f"({number(w, 0)} if {condition(w, 0)} else {number(w, depth)})"


def integer(w, stop):
    """An integer from 0 to below `stop` that data decides."""
    vectors = w.names(Arr, lambda k: len(k.shape) == 1 and k.shape[0] <= stop)
    if vectors and w.chance(60):
        name = w.choose(vectors)
        return w.pick(("⟦int(np.argmax({}))⟧", "⟦int(np.argmin({}))⟧",
                       "⟦int(np.sum({0}[1:] > {0}[0]))⟧")).format(name)
    return f"⟦int({stop - 0.001} * abs(math.tanh({leaf(w)})))⟧"


def condition(w, depth=1):
    """A decision; in marks where it may depend on data."""
    ways = [(6, _comparison), (2, _chain), (2, _of_several)]
    if depth:
        ways += [(2, _joined), (1, _negated)]
    if w.integers(99):
        ways.append((1, _counted))
    if w.lists():
        ways.append((1, _length))
    return w.weighted(ways)(w, depth - 1)


def _marked(w, found, text):
    return f"⟦{text}⟧" if found[0] else text


def _comparison(w, depth):
    with w.activity() as found:
        left = number(w, 1)
        right = threshold(w) if w.chance(60) else number(w, 0) + " + 0.0031"
        text = f"{left} {w.pick(('>', '<', '>=', '<='))} {right}"
    return _marked(w, found, text)


def _chain(w, depth):
    with w.activity() as found:
        text = w.pick(("-0.9021 < {} < 0.4013", "{} < {} + 0.0113 < 1.3057", "{} > 0.0123 > {}",
                       "-0.6011 <= {} <= {} + 0.7017")).format(number(w, 1), leaf(w))
    return _marked(w, found, text)


def _of_several(w, depth):
    if not w.arrays():
        return _comparison(w, depth)
    with w.activity() as found:
        name = w.choose(w.arrays())
        options = ["np.any({} > 0.7003)", "np.all({} < 0.9001)", "({} > 0.0101).all()",
                   "{}.max() > 0.8003", "np.sum({}) > 0.1013", "bool(np.mean({}) < 0.0507)",
                   "np.argmax({}) == 0", "np.count_nonzero({} > 0.2003) > 1"]
        if len(w.scope[name].shape) == 1:
            options += ["any(v > 0.6007 for v in {})", "all(v > -0.9003 for v in {})",
                        "int(np.argmax({})) == 1", "{0}[0] > {0}[-1] + 0.0003",
                        "any([v < -0.5009 for v in {}])"]
        text = w.pick(options).format(name)
    return _marked(w, found, text)


def _joined(w, depth):
    return (f"{condition(w, 0)} {w.pick(('and', 'or'))} {condition(w, 0)}")


def _negated(w, depth):
    return f"not ({condition(w, 0)})"


def _counted(w, depth):
    return f"{w.pick(w.integers(99))} {w.pick(('== 0', '> 0', '% 2 == 0', '!= 1'))}"


def _length(w, depth):
    return f"len({w.pick(w.lists())}) {w.pick(('> 2', '< 4', '% 2 == 1'))}"
