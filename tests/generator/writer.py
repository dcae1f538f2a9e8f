"""Writes the lines of one program and knows what names there are to use."""

from contextlib import contextmanager
from dataclasses import replace

from hypothesis import strategies as st

from tests.generator.kinds import Arr, Dct, Fn, Int, Lst, Num, Obj, least_known

__all__ = ["Writer"]


class Writer:
    """Lines so far, names in scope, and the choices that hypothesis makes.

    In the lines, a decision on data stands in ``⟦ ⟧``, and a line that writes into the array ``a``
    begins with ``⟪a⟫``: plain source is got by removing the marks, a tracer by replacing them.
    """

    def __init__(self, draw, statement, budget):
        self.draw = draw
        self.statement = statement  # writes one statement of any kind
        self.budget = budget  # statements still to be written
        self.lines = []
        self.indent = 0
        self.scope = {}  # name -> kind
        self.classes = []  # (name, kind of its instances)
        self.arguments = set()  # names of the arguments of `f`
        self.written = set()  # names of arrays that are written into
        self.outside = set()  # names of the module
        self.random = False  # there is a generator of random numbers
        self.effects = []  # (weight, function that writes a statement with an effect)
        self.own = set()  # names that may be bound anew in the current function
        self.returns = None  # writes what the current function may return early
        self.continues = True  # the innermost loop may be continued: its counter is not at the end
        self.loops = 0  # how many loops of the current function are around
        self.deep = 0  # how many functions are around
        self.active_reads = 0
        self.count = 0

    # Choices

    def number(self, low, high):
        """An integer from `low` to `high`."""
        return self.draw(st.integers(low, high))

    def pick(self, options):
        """One of some options."""
        options = list(options)
        return options[self.number(0, len(options) - 1)]

    def chance(self, percent):
        """True this often; false in the simplest program."""
        return self.number(0, 99) >= 100 - percent

    def weighted(self, table):
        """One of the values of ``(weight, value)``."""
        at = self.number(0, sum(weight for weight, _ in table) - 1)
        for weight, value in table:
            at -= weight
            if at < 0:
                return value
        raise AssertionError("weights are positive")

    # Lines

    def add(self, line, writes=None):
        """Write a line; `writes` is the array it writes into, if any."""
        self.written.add(writes)
        line = "    " * self.indent + (f"⟪{writes}⟫" if writes else "") + line
        self.lines.append(line.rstrip())

    def body(self, low=1, high=3):
        """Some statements."""
        for _ in range(self.number(low, high)):
            self.statement(self)

    @contextmanager
    def block(self, header, sure=False):
        """An indented block; names bound in it are forgotten after it unless it runs for `sure`."""
        self.add(header)
        before = dict(self.scope)
        own = set(self.own)
        self.indent += 1
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.add("pass")
        self.indent -= 1
        if not sure:
            self.scope = {name: least_known(kind, self.scope[name])
                          for name, kind in before.items() if name in self.scope}
            self.own = own

    @contextmanager
    def loop(self, header, frozen=(), continues=True):
        """The body of a loop: lists may change from turn to turn, those looped over may not."""
        saved = dict(self.scope)
        for name, kind in self.scope.items():
            if isinstance(kind, (Lst, Dct)):
                kind = replace(kind, frozen=kind.frozen or name in frozen)
                self.scope[name] = replace(kind, exact=False) if isinstance(kind, Lst) else kind
        self.loops += 1
        around, self.continues = self.continues, continues
        with self.block(header):
            yield
        self.continues = around
        self.loops -= 1
        for name, kind in saved.items():
            if isinstance(kind, (Lst, Dct)) and name in self.scope:
                self.scope[name] = replace(self.scope[name], frozen=kind.frozen)

    @contextmanager
    def function(self, header, parameters, returns=None):
        """The body of a function: it reads and writes into what is around, and binds its own."""
        saved = self.scope, self.own, self.loops, self.returns
        self.scope = {name: replace(kind, exact=False, least=1, frozen=True)
                      if isinstance(kind, Lst) else kind for name, kind in saved[0].items()
                      if not isinstance(kind, Lst) or kind.least}
        self.scope.update(parameters)
        self.own = set(parameters)
        self.loops = 0
        self.returns = returns
        self.deep += 1
        self.add(header)
        self.indent += 1
        yield
        self.indent -= 1
        self.deep -= 1
        self.scope, self.own, self.loops, self.returns = saved

    # Names

    def name(self, prefix):
        """A name that the program does not use yet."""
        self.count += 1
        return f"{prefix}{self.count}"

    def bind(self, name, kind):
        """Know a name from here on; returns it."""
        self.scope[name] = kind
        self.own.add(name)
        return name

    def names(self, kind, test=lambda kind: True):
        """The names of what is of a kind."""
        return [n for n, k in self.scope.items() if isinstance(k, kind) and test(k)]

    def read(self, name):
        """Take note that a name is read; returns it."""
        self.active_reads += self.is_active(name)
        return name

    def is_active(self, name):
        """Whether a name may depend on an argument."""
        return getattr(self.scope[name], "active", False)

    def choose(self, names):
        """One of some names, which is read; more often one that is active, and of the latest."""
        active = [n for n in names if self.is_active(n)]
        if active and self.chance(85):
            names = active
        if len(names) > 3 and self.chance(60):
            names = names[-3:]
        return self.read(self.pick(names))

    def numbers(self):
        return self.names(Num)

    def arrays(self, shape=None):
        return self.names(Arr, lambda k: shape is None or k.shape == shape)

    def integers(self, stop):
        return self.names(Int, lambda k: k.stop <= stop)

    def lists(self, least=1):
        return self.names(Lst, lambda k: k.least >= least)

    def full_lists(self, size):
        """Those known to have just this many items."""
        return self.names(Lst, lambda k: k.exact and k.least == size)

    def dicts(self):
        return self.names(Dct)

    def functions_of(self, kind):
        return self.names(Fn, lambda k: isinstance(k.gives, type(kind)) and (
            isinstance(kind, Num) or k.gives.shape == kind.shape))

    def objects(self):
        return self.names(Obj)

    @contextmanager
    def activity(self):
        """``found[0]`` is whether what was written in between reads something active."""
        found = [False]
        before = self.active_reads
        yield found
        found[0] = self.active_reads > before
