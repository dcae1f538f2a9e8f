"""Random programs: straight lines and small loops that mutate arrays, through views and not.

Each is Python source, run on plain NumPy and on wrappers: the value is the same to the last bit,
the derivatives of first and second order are those of finite differences. CI runs a fixed set;
``HYBRIDAD_FUZZ=5000 pytest -m fuzz tests/test_random_programs.py`` runs as many new ones.
"""

import os
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hybridad import grad, jvp, value_and_grad, vjp
from tests.mutation.checks import same_bits

_UNARY = ("np.sin({})", "np.tanh({})", "np.cos({})", "np.sqrt(1.0 + np.square({}))", "(-{})",
          "np.exp(np.sin({}))", "np.abs({} + 0.1)", "np.arctan({})")
_BINARY = ("({} + {})", "({} - {})", "np.tanh({} * {})", "({} * {}) * 0.5",
           "{} / (1.5 + np.square({}))", "np.maximum({}, {})", "np.where({} > 0.3, 0.7, {})",
           "np.hypot(1.0 + np.square({}), {})")
_REDUCE = ("np.sum({}) * 0.3", "np.mean({})", "np.max({})", "np.prod(np.tanh({}))",
           "np.linalg.norm({} + 2.0)", "np.var({})", "np.dot(np.ravel({0}), np.ravel({0})) * 0.1")
_AUGMENT = ("+=", "-=", "*=", "/= 1.7 +", "+=")
_OUT = ("np.multiply({}, {}, out={})", "np.add({}, {}, out={})", "np.subtract({}, {}, out={})",
        "np.maximum({}, {}, out={})", "np.arctan2({}, np.exp(np.sin({})), out={})")
_OUT_UNARY = ("np.tanh({}, out={})", "np.sin({}, out={})", "np.copyto({1}, {0})",
              "np.negative({}, out={})")
_VIEWS = {
    1: ("{}[1:]", "{}[::-1]", "{}[::2]", "{}[:-1]", "{}[None]", "{}[...]", "{}.reshape(2, -1)",
        "{}[-2:]"),
    2: ("{}.T", "{}[0]", "{}[:, 1]", "{}[1:, ::-1]", "{}.ravel()", "{}[::2, 1:]",
        "{}.T.reshape(-1)", "np.swapaxes({}, 0, 1)[::-1]", "{}.reshape(-1, 2)"),
}
_INDICES = {
    1: ("0", "-1", "1", "1:", ":-1", "::2", "::-1", "...", "[0, -1]", "[1, 1, 0]",
        "np.arange({n}) % 2 == 0", "None", "np.array([-1, 0])", "k % {n}", "-1 - k % {n}", "k:"),
    2: ("0", "-1", "0, 1", "1, -1", ":, 0", "1:, ::-1", "..., -1", "[0, 0]", "[0, 1], [1, 0]",
        ":, [1, 0]", "np.arange({n}) % 2 == 1", "np.eye({n}, {m}) > 0", "np.ix_([0, 1], [1, 0])",
        "k % {n}", "k % {n}, -1 - k % {m}", ":, k % {m}"),
}


@dataclass(frozen=True)
class RandomProgram:
    """Source of ``f(x, w)`` for `x` of shape (4,) and `w` of shape (3, 4)."""

    source: str
    features: frozenset

    def compile(self):
        """The function."""
        namespace = {"np": np, "grad": grad, "vjp": vjp}
        exec(compile(self.source, "<random program>", "exec"), namespace)
        return namespace["f"]

    def __repr__(self):
        return "\n" + self.source


class _Writer:
    """Writes one program, statement by statement; keeps track of what there is to use."""

    def __init__(self, draw, nested=False):
        self.draw = draw
        self.lines = []
        self.arrays = {"x": (4,), "w": (3, 4)}  # those that can be written to, and their shapes
        self.constants = {"p": (4,)}  # plain arrays, which only plain statements write to
        self.scalars = []
        self.views = set()
        self.features = set()
        self.pullbacks = []
        self.nested = nested
        self.looping = self.inside = False
        self.indent = 1
        self.count = 0

    def number(self, low, high):
        return self.draw(st.integers(low, high))

    def pick(self, options):
        options = list(options)
        return options[self.number(0, len(options) - 1)]

    def chance(self, percent):
        return self.number(0, 99) < percent

    def add(self, line):
        self.lines.append("    " * self.indent + line)

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def bind(self, expression, shape, view=False):
        name = self.name("v" if view else "a")
        self.add(f"{name} = {expression}")
        self.arrays[name] = shape
        if view:
            self.views.add(name)
        return name

    # Expressions

    def shape_of(self, template, shape, names=("{}",)):
        """The shape of an expression of one array; None if it does not apply to that shape."""
        try:
            text = template.format("_", n=shape[0], m=shape[-1])
            return eval(text, {"np": np, "_": np.empty(shape), "k": 0}).shape
        except (IndexError, ValueError, AttributeError):
            return None

    def index(self, shape):
        """A random index into an array of a shape, and the shape of what it selects."""
        options = _INDICES[min(len(shape), 2)]
        text = self.pick(options)
        if "k" in text and not self.looping:
            text = text.replace("k", str(self.number(0, 2)))
        text = text.format(n=shape[0], m=shape[-1])
        try:
            selected = eval(f"_[{text}]", {"np": np, "_": np.empty(shape), "k": 1})
        except IndexError:
            return "...", shape
        if not np.size(selected):
            return "...", shape
        if "[" in text or "==" in text or ">" in text or "np." in text:
            self.features.add("fancy")
        return text, np.shape(selected)

    def scalar(self):
        if self.scalars and self.chance(60):
            return self.pick(self.scalars)
        if self.chance(50):
            name = self.pick(self.arrays)
            at = ", ".join(str(self.number(-n, n - 1)) for n in self.arrays[name])
            self.features.add("element read")
            return f"{name}[{at}]"
        return self.pick(("0.7", "-1.3", "2", "np.float64(0.4)"))

    def operand(self, shape):
        """Something of a shape, or that broadcasts to it."""
        same = [n for n, s in {**self.arrays, **self.constants}.items() if s == shape]
        below = [n for n, s in self.arrays.items() if shape[1:] and s == shape[1:]]
        if same and self.chance(70):
            return self.pick(same)
        if below and self.chance(50):
            return self.pick(below)
        parts = []
        for n, s in self.arrays.items():
            parts += [f"{n}[{i}]" for i in ("1:", ":-1", "::-1", "0", ":, 0", "::2", "..., 1")
                      if self.shape_of("{}[" + i + "]", s) == shape and shape]
        if parts and self.chance(60):
            return self.pick(parts)
        return self.scalar()

    def expression(self, shape, depth=2):
        kind = self.number(0, 4 if depth else 0)
        if kind == 0:
            return self.operand(shape)
        if kind <= 2:
            return self.pick(_UNARY).format(self.expression(shape, depth - 1))
        return self.pick(_BINARY).format(self.expression(shape, depth - 1),
                                         self.expression(shape, depth - 1))

    # Statements

    def statement(self):
        kinds = {"view": 5, "bind": 3, "assign": 4, "augment": 4, "out": 2, "reduce": 3,
                 "special": 3, "swap": 3, "matmul": 1, "plain": 1, "rebind": 1}
        if not self.looping:
            kinds["loop"] = 2
        if self.nested and not self.inside:
            kinds |= {"grad": 3, "vjp": 3, "pull": 5 if self.pullbacks else 0}
        if self.inside:
            kinds["plain"] = kinds["reduce"] = 0
        getattr(self, "_" + self.pick([k for k, n in kinds.items() for _ in range(n)]))()

    def target(self):
        name = self.pick(sorted(self.views) if self.views and self.chance(40) else self.arrays)
        self.features.add("write")
        if name in self.views:
            self.features.add("write through a view")
        return name, self.arrays[name]

    def _view(self):
        name = self.pick(self.arrays)
        shape = self.arrays[name]
        template = self.pick(_VIEWS[min(len(shape), 2)])
        made = self.shape_of(template, shape)
        if made and 0 < len(made) <= 2 and 0 not in made:
            self.bind(template.format(name), made, view=True)

    def _bind(self):
        shape = self.pick(self.arrays.values())
        name = self.pick([n for n, s in self.arrays.items() if s == shape])
        self.bind(f"{name} * {self.expression(shape, 1)}", shape)

    def _assign(self):
        name, shape = self.target()
        index, part = self.index(shape)
        value = self.expression(part)
        if "==" in index or ">" in index:
            value = f"({value}) * 1.0"  # NumPy gets overlapping memory wrong under a mask
        self.add(f"{name}[{index}] = {value}")

    def _augment(self):
        name, shape = self.target()
        if self.chance(40):
            self.add(f"{name} {self.pick(_AUGMENT)} {self.bounded(shape)}")
        else:
            index, part = self.index(shape)
            self.add(f"{name}[{index}] {self.pick(_AUGMENT)} {self.bounded(part)}")

    def bounded(self, shape):
        return f"np.tanh({self.expression(shape, 1)})"

    def _out(self):
        name, shape = self.target()
        if self.chance(50):
            self.add(self.pick(_OUT).format(self.operand(shape), self.bounded(shape), name))
        else:
            self.add(self.pick(_OUT_UNARY).format(self.bounded(shape), name))

    def _reduce(self):
        name = self.name("s")
        self.add(f"{name} = {self.pick(_REDUCE).format(self.pick(self.arrays))}")
        self.scalars.append(name)

    def _special(self):
        name, shape = self.target()
        index, part = self.index(shape)
        if "," in index and not index.startswith(("np.", "[0, 0]")):
            index = f"({index})" if ":" not in index and "..." not in index else "0"
        elif ":" in index:
            index = f"np.s_[{index}]"
        part = np.shape(eval(f"_[{index}]", {"np": np, "_": np.empty(shape), "k": 1}))
        self.add(self.pick((
            f"np.add.at({name}, {index}, {self.expression(part, 1)})",
            f"{name}.fill({self.scalar()})",
            f"{name}.sort()",
            f"np.copyto({name}, {self.operand(shape)}, where={name} > 0.2)",
            f"np.put({name}, [0, -1, 0], {self.scalar()})",
            f"np.multiply({name}, {self.scalar()}, out={name}, where=np.abs({name}) > 0.4)",
        )))

    def _swap(self):
        one = self.pick(self.arrays)
        others = [n for n, s in self.arrays.items() if s == self.arrays[one] and n != one]
        if others:
            other = self.pick(others)
            self.add(f"{one}, {other} = {other}, {one}")
            self.features.add("swap")
            self.views |= {one, other} if {one, other} & self.views else set()

    def _matmul(self):
        pairs = [(a, b) for a, s in self.arrays.items() for b, t in self.arrays.items()
                 if len(s) == 2 and s[-1] == t[0] and len(s) + len(t) < 5]
        if pairs:
            a, b = self.pick(pairs)
            self.bind(f"np.tanh({a} @ {b})", self.arrays[a][:-1] + self.arrays[b][1:])
            self.features.add("matmul")

    def _plain(self):
        self.add(self.pick(("p[1] += 0.5", "p[:] = p[::-1] * 0.9", "p *= -0.8")))
        self.features.add("plain write")

    def _rebind(self):
        name = self.pick(sorted(self.arrays))
        self.add(f"{name} = {name} * {self.scalar()}")
        self.views.discard(name)

    def _loop(self):
        self.add(f"for k in range({self.number(2, 3)}):")
        self.features.add("loop")
        self.looping = True
        self.body(self.number(1, 3))
        self.looping = False

    def body(self, count, last=None):
        self.indent += 1
        before = len(self.lines)
        for _ in range(count):
            self.statement()
        if last:
            self.add(last())
        if len(self.lines) == before:
            self.add("pass")
        self.indent -= 1

    # Runs inside a run: an inner function writes into its own arrays and reads those outside

    def _inner(self, result):
        """Define an inner function of `u`; returns its name and that of an array to call it on."""
        name, argument = self.name("h"), self.pick(sorted(self.arrays))
        self.add(f"def {name}(u):")
        saved = self.arrays, self.constants, self.views, self.scalars, self.looping
        self.arrays, self.views = {"u": self.arrays[argument]}, set()
        self.constants = {**saved[0], **saved[1]}
        self.scalars = list(saved[3])
        self.inside = True
        self.body(self.number(0, 3), result)
        self.arrays, self.constants, self.views, self.scalars, self.looping = saved
        self.inside = False
        return name, argument

    def _grad(self):
        name, argument = self._inner(lambda: "return " + " + ".join(
            f"np.sum(np.sin({n}) * {self.operand(s)})" for n, s in self.arrays.items()))
        self.bind(f"np.tanh(grad({name})({argument}))", self.arrays[argument])
        self.features.add("inner gradient")

    def _vjp(self):
        shapes = []

        def result():
            shapes.append(self.arrays["u"])
            return f"return u * {self.expression(shapes[0], 1)}"

        name, argument = self._inner(result)
        pullback = self.name("pull")
        value = self.name("a")
        self.add(f"{value}, {pullback} = vjp({name}, {argument})")
        self.arrays[value] = shapes[0]
        self.pullbacks.append((pullback, shapes[0], self.arrays[argument]))

    def _pull(self):
        pullback, shape, argument = self.pick(self.pullbacks)
        name = self.name("a")
        self.add(f"({name},) = {pullback}(np.broadcast_to({self.bounded(shape)}, {shape}) * 1.0)")
        self.add(f"{name} = np.tanh({name})")
        self.arrays[name] = argument
        self.features.add("pullback")


@st.composite
def programs(draw, nested=False):
    """A `RandomProgram`; it returns a sum to which everything that is left contributes."""
    return _written(_Writer(draw, nested))


def _written(writer):
    for _ in range(writer.number(3, 12)):
        writer.statement()
    total = " + ".join([f"np.sum(np.sin({n}))" for n in writer.arrays] + [f"{s} * {s}" for s in
                                                                         writer.scalars])
    lines = ["def f(x, w):", "    p = np.array([0.5, -1.0, 2.0, 0.25])", *writer.lines,
             f"    return {total}"]
    return RandomProgram("\n".join(lines) + "\n", frozenset(writer.features))


_POINTS = st.integers(0, 2**32 - 1)


def _point(seed):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(4), rng.standard_normal((3, 4)), rng


def _plain(f, x, w):
    """The plain value, or None where it is not finite, warns, or is an error."""
    try:
        with np.errstate(all="raise"):
            value = f(x.copy(), w.copy())
    except (FloatingPointError, ValueError, IndexError, TypeError):
        return None
    return value if np.isfinite(value) and abs(value) < 1e6 else None


def _slope(f, point, direction, step):
    def at(h):
        return f(*[a + h * t for a, t in zip(point, direction)])

    return (8.0 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12.0 * step)


def _difference(f, point, direction):
    """The derivative along a direction; None where two steps disagree (at a kink)."""
    coarse, fine = (_slope(f, point, direction, h) for h in (2.0**-11, 2.0**-13))
    return fine if np.allclose(coarse, fine, rtol=1e-6, atol=1e-7) else None


def _same_value(a, b, exact):
    if exact:
        return same_bits(a, b)
    return type(a) is type(b) and abs(a - b) <= 1e-12 * (1.0 + abs(b))


def _check(program, seed, exact=True):
    """Check a program at a point; without `exact` the value may differ by rounding.

    Returns False where the plain program fails or is not smooth, so that there is nothing to say.
    """
    f = program.compile()
    x, w, rng = _point(seed)
    expected = _plain(f, x, w)
    if expected is None:
        return False
    value, gradient = value_and_grad(f, (0, 1))(x, w)
    assert _same_value(value, expected, exact), (value, expected)
    t = rng.standard_normal(4), rng.standard_normal((3, 4))
    along = sum(np.sum(g * s) for g, s in zip(gradient, t))
    size = 1.0 + sum(np.sum(np.abs(g * s)) for g, s in zip(gradient, t))
    value, tangent = jvp(f, (x, w), t)
    assert _same_value(value, expected, exact), (value, expected)
    assert abs(tangent - along) <= 1e-10 * size, (tangent, along)
    value, pullback = vjp(f, x, w)
    for _ in range(2):
        for g, h in zip(gradient, pullback(np.float64(1.0))):
            assert same_bits(g, h), (g, h)
    slope = _difference(f, (x, w), t)
    if slope is None:
        return False
    assert abs(slope - along) <= 1e-5 * size, (slope, along)

    def derivative(x, w):
        return sum(np.sum(g * s) for g, s in zip(grad(f, (0, 1))(x, w), t))

    u = rng.standard_normal(4), rng.standard_normal((3, 4))
    hessian = grad(derivative, (0, 1))(x, w)
    found = sum(np.sum(h * s) for h, s in zip(hessian, u))
    size = 1.0 + sum(np.sum(np.abs(h * s)) for h, s in zip(hessian, u))
    forward = jvp(grad(f, (0, 1)), (x, w), u)[1]
    paired = sum(np.sum(h * s) for h, s in zip(forward, t))
    assert abs(found - paired) <= 1e-8 * size, (found, paired)
    over = grad(lambda x, w: jvp(f, (x, w), t)[1], (0, 1))(x, w)
    for h, k in zip(hessian, over):
        np.testing.assert_allclose(h, k, rtol=1e-8, atol=1e-8 * size)
    slope = _difference(derivative, (x, w), u)
    if slope is None:
        return False
    assert abs(slope - found) <= 1e-4 * size, (slope, found)
    return True


_HEALTH = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]


@settings(max_examples=250, deadline=None, derandomize=True, database=None,
          suppress_health_check=_HEALTH)
@given(programs(), _POINTS)
def test_random_programs(program, seed):
    assume(_check(program, seed))


@settings(max_examples=80, deadline=None, derandomize=True, database=None,
          suppress_health_check=_HEALTH)
@given(programs(nested=True), _POINTS)
def test_random_programs_with_runs_inside(program, seed):
    assume(_check(program, seed, exact=False))


@pytest.mark.fuzz
@pytest.mark.skipif("HYBRIDAD_FUZZ" not in os.environ, reason="HYBRIDAD_FUZZ=N runs N programs")
@settings(max_examples=int(os.environ.get("HYBRIDAD_FUZZ", 1)), deadline=None, database=None,
          suppress_health_check=_HEALTH)
@given(programs(nested=True), _POINTS)
def test_many_random_programs_with_runs_inside(program, seed):
    assume(_check(program, seed, exact=False))


@pytest.mark.fuzz
@pytest.mark.skipif("HYBRIDAD_FUZZ" not in os.environ, reason="HYBRIDAD_FUZZ=N runs N programs")
@settings(max_examples=int(os.environ.get("HYBRIDAD_FUZZ", 1)), deadline=None, database=None,
          suppress_health_check=_HEALTH)
@given(programs(), _POINTS)
def test_many_random_programs(program, seed):
    assume(_check(program, seed))


_LEAST = {"write": 0.6, "write through a view": 0.2, "loop": 0.15, "fancy": 0.15, "matmul": 0.03,
          "swap": 0.03, "plain write": 0.1, "element read": 0.2}


def test_generator_makes_the_programs_that_matter():
    """Most programs mutate and have a derivative, so that the tests above test something."""
    seen = []

    @settings(max_examples=200, deadline=None, derandomize=True, database=None,
              suppress_health_check=_HEALTH)
    @given(programs(), _POINTS)
    def collect(program, seed):
        f = program.compile()
        x, w, _ = _point(seed)
        if _plain(f, x, w) is not None:
            slopes = [np.any(g) for g in grad(f, (0, 1))(x, w)]
            seen.append((program.features, any(slopes), all(slopes)))
        else:
            seen.append(None)

    collect()
    valid = [s for s in seen if s is not None]
    assert len(valid) > 0.8 * len(seen)

    def share(condition):
        return sum(map(condition, valid)) / len(valid)

    assert share(lambda s: s[1]) > 0.95
    assert share(lambda s: s[2]) > 0.8
    shares = {feature: share(lambda s: feature in s[0]) for feature in _LEAST}  # noqa: B023
    print(shares)
    assert all(shares[feature] > least for feature, least in _LEAST.items()), shares
