"""Writes the lines of one random loop program, and its expressions."""

import random
import re
from contextlib import contextmanager

__all__ = ["SIZE", "LoopWriter"]

SIZE = 5

_UNARY = ("np.sin({})", "np.tanh({})", "np.cos({})", "math.sin({})", "np.exp(-np.square({}))",
          "np.sqrt(1.0 + np.square({}))", "np.arctan({})", "math.tanh({})", "-{}", "abs({})",
          "np.log1p(np.square({}))", "float({})")
_BINARY = ("0.6 * {} * {}", "{} + {}", "{} - {}", "{} / (1.5 + np.square({}))", "max({}, {})",
           "np.maximum({}, {})", "min({}, {})", "0.5 * np.sin({} * {})", "np.add({}, {}) * 0.5")
_OF_VECTOR = ("0.3 * np.sum({})", "np.mean({})", "0.3 * np.dot({0}, x)", "0.3 * ({0} @ {0}[::-1])",
              "{}.max()", "0.2 * {}.sum()", "np.min({})")
_VECTOR_UNARY = ("np.sin({})", "np.tanh({})", "np.cos({})", "0.7 * {}", "np.roll({}, 1)",
                 "MATRIX @ {}", "{}[::-1]", "-{}", "np.exp(-np.square({}))", "np.cumsum({}) * 0.2",
                 "np.where({0} > 0.1103, {0}, 0.3 * {0})", "{}.copy()")
_VECTOR_BINARY = ("{} + {}", "{} - {}", "0.6 * {} * {}", "{} / (1.5 + np.square({}))",
                  "np.maximum({}, {})", "0.5 * np.sin({} * {})")
_SQUASHED = ("np.tanh({})", "np.sin({})", "math.tanh({})", "0.8 * np.cos({})", "np.tanh({})")


class LoopWriter:
    """The lines of one program, and what is in scope at the end of them.

    Whatever the choices, an expression is defined and finite, and an index is never out of range.
    """

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines = []
        self.depth = 0  # of indentation
        self.count = 0  # names given
        self.budget = self.rng.randint(6, 14)  # statements still to be written
        self.numbers = ["w"]
        self.vectors = ["x"]  # of SIZE elements
        self.owned = []  # vectors that are written into and bound anew
        self.assigned = []  # numbers that are bound anew
        self.buffers = {}  # name -> its length as text
        self.integers = {}  # name -> "n" if below n, a number if below that, None otherwise
        self.counters = []  # integers that the program carries
        self.pairs, self.lists, self.slots, self.flags, self.maybe, self.bests = ([], [], [], [],
                                                                                 [], [])
        self.helpers = []
        self.loops = 0  # that are around
        self.can_continue = False

    # Choices and lines

    def pick(self, options):
        """One of some options."""
        return self.rng.choice(list(options))

    def chance(self, percent):
        """True this often."""
        return self.rng.random() < percent / 100

    def weighted(self, ways):
        """One of the values of ``(weight, value)``."""
        weights, values = zip(*ways)
        return self.rng.choices(values, weights)[0]

    def name(self, prefix):
        """A name that is not used yet."""
        self.count += 1
        return f"{prefix}{self.count}"

    def add(self, line):
        self.lines.append("    " * self.depth + line)

    @contextmanager
    def block(self, header):
        """An indented block; names that are bound first in it are forgotten after it."""
        kept = (list(self.numbers), list(self.vectors), list(self.owned), list(self.assigned),
                dict(self.integers))
        self.add(header)
        self.depth += 1
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.add("pass")
        self.depth -= 1
        self.numbers, self.vectors, self.owned, self.assigned, self.integers = kept

    @contextmanager
    def loop(self, header, can_continue=True):
        """The body of a loop."""
        around, self.can_continue = self.can_continue, can_continue
        self.loops += 1
        with self.block(header):
            yield
        self.loops -= 1
        self.can_continue = around

    # Expressions

    def constant(self):
        return f"{self.pick((-1, 1, 1)) * self.rng.uniform(0.1, 0.9):.3f}"

    def element(self, name):
        """An element of a vector or buffer."""
        return f"{name}[{self.index(name)}]"

    def index(self, name):
        length = self.buffers.get(name, str(SIZE))
        if not self.integers or self.chance(25):
            return self.pick(("0", "-1") if length == "n + 1" else ("0", "-1", "1", "2"))
        at, below = self.pick(self.integers.items())
        grows = length == "n + 1"
        fits = below == "n" if grows else isinstance(below, int) and below <= int(length)
        if fits and self.chance(75):
            return self.pick((at, at, f"{at} + 1", f"{at} - 1") if grows else (at, f"-1 - {at}"))
        known = self.pick((f"len({name})", f"({length})" if grows else length))
        return self.pick(("{0} % {1}", "({0} + 1) % {1}", "(2 * {0} + 1) % {1}",
                          "-1 - {0} % {1}")).format(at, known)

    def leaf(self):
        ways = [(4, lambda: self.pick(self.numbers[-4:])), (2, lambda: self.pick(self.numbers)),
                (3, lambda: self.element(self.pick(self.vectors))), (1, self.constant)]
        if self.buffers:
            ways.append((3, lambda: self.element(self.pick(self.buffers))))
        if self.integers:
            ways.append((1, lambda: f"0.1 * ({self.pick(self.integers)} % 4)"))
        if self.pairs:
            ways.append((2, lambda: f"{self.pick(self.pairs)}[{self.pick('01')}]"))
        if self.bests:
            ways.append((1, lambda: self.pick(self.bests)[0]))
        if self.slots:
            ways.append((2, lambda: f'{self.pick(self.slots)}["{self.pick("ab")}"]'))
        return self.weighted(ways)()

    def number(self, depth=2):
        """An expression for a number."""
        if depth <= 0 or self.chance(15):
            return self.leaf()
        ways = [(5, self._unary), (5, self._binary), (1, self._of_vector), (1, self._chosen)]
        if self.helpers:
            ways.append((2, self._called))
        return self.weighted(ways)(depth - 1)

    def _unary(self, depth):
        return self.pick(_UNARY).format(_grouped(self.number(depth)))

    def _binary(self, depth):
        return self.pick(_BINARY).format(_grouped(self.number(depth)), _grouped(self.leaf()))

    def _of_vector(self, depth):
        return self.pick(_OF_VECTOR).format(self.pick(self.vectors))

    def _chosen(self, depth):
        return f"({self.leaf()} if {self.condition()} else {self.number(depth)})"

    def _called(self, depth):
        return f"{self.pick(self.helpers)}({self.number(depth)}, {self.leaf()})"

    def squashed(self):
        """A number that stays small however often it is carried."""
        return self.pick(_SQUASHED).format(self.number())

    def vector(self, depth=2):
        """An expression for a vector."""
        if depth <= 0:
            return self.pick(self.vectors)
        inner = _grouped(self.vector(depth - 1))
        if self.chance(50):
            return self.pick(_VECTOR_UNARY).format(inner)
        other = self.leaf() if self.chance(40) else self.pick(self.vectors)
        return self.pick(_VECTOR_BINARY).format(inner, _grouped(other))

    def squashed_vector(self):
        """A vector that stays small however often it is carried."""
        return self.pick(("np.tanh({})", "np.sin({})", "0.8 * np.cos({})")).format(self.vector())

    def condition(self):
        """A test: of data, of a counter, or of both."""
        ways = [(5, self.by_data)]
        if self.integers:
            ways += [(4, self._by_count), (1, self._by_both)]
        return self.weighted(ways)()

    def by_data(self):
        """A test of data."""
        text = f"{self.number(1)} {self.pick('<>')} {self.rng.uniform(-0.5, 0.5):.4f}"
        return f"not ({text})" if self.chance(10) else text

    def _by_count(self):
        return self.pick(("{} % 2 == 0", "{} % 3 == 1", "{} == n - 1", "{} > 2", "{} == 0",
                          "{} != 1", "n - {} > 2")).format(self.pick(self.integers))

    def _by_both(self):
        return f"{self._by_count()} {self.pick(('and', 'or'))} {self.by_data()}"


def _grouped(text):
    """An expression that binds as closely as a name."""
    return text if re.fullmatch(r"[\w.]+(\[[^][]*\])?", text) else f"({text})"
