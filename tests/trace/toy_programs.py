"""Random programs in the toy language of `tests.trace.toy`."""

__all__ = ["random_program"]

NUMBERS = ("a", "b", "y", "t")
ARRAYS = ("x", "z", "w")


def random_program(rng, hidden=True):
    """A program over the inputs ``n, m`` (trip counts), ``a, b`` (floats) and ``x`` (an array)."""
    writer = _Writer(rng, hidden)
    start = [("set", "y", "a"), ("set", "t", ("mul", "b", 0.5)), ("array", "z", 5),
             ("copy", "w", "x"), ("flag", "first", True)]
    if hidden:
        start.append(("hide", "slot", "b"))
    body = writer.block(0, False)
    loop = writer.loop(0)
    tail = writer.block(1, False)
    value = ("add", ("add", "y", "t"), ("add", ("sum", "z"), ("sum", "w")))
    return [*start, *body, loop, *tail, ("return", value)]


class _Writer:
    def __init__(self, rng, hidden):
        self.rng, self.hidden, self.count = rng, hidden, 0

    def pick(self, *options):
        return options[int(self.rng.integers(len(options)))]

    def number(self, depth=0):
        kind = self.rng.random()
        if kind < 0.45 or depth > 1:
            return self.pick(*NUMBERS)
        if kind < 0.55:
            return round(float(self.rng.uniform(-1, 1)), 2)
        if kind < 0.7:
            return ("item", self.pick(*ARRAYS), self.index())
        if kind < 0.75 and self.hidden:
            return ("hidden", "slot")
        if kind < 0.8:
            return ("sin", self.number(depth + 1))
        return (self.pick("add", "sub", "mul"), self.number(depth + 1), self.number(depth + 1))

    def index(self):
        if self.loops and self.rng.random() < 0.7:
            return self.pick(*self.loops)
        return int(self.rng.integers(5))

    loops = ()

    def test(self):
        kind = self.rng.random()
        if kind < 0.3 and self.loops:
            return (self.pick("lt", "gt", "eq"), self.pick(*self.loops), int(self.rng.integers(4)))
        return (self.pick("lt", "gt"), self.number(1), self.number(1))

    def block(self, depth, inside):
        return [self.statement(depth, inside) for _ in range(int(self.rng.integers(1, 4)))]

    def statement(self, depth, inside):
        kind = self.rng.random()
        if kind < 0.4:
            return ("set", self.pick("y", "t"), ("sin", self.number()))
        if kind < 0.52:
            return ("store", self.pick("z", "w"), self.index(), ("sin", self.number()))
        if kind < 0.58:
            return ("swap", "z", "w")
        if kind < 0.61:
            return ("alias", *self.pick(("z", "w"), ("w", "z")))
        if kind < 0.64:
            return ("copy", *self.pick(("z", "w"), ("w", "z"), ("z", "z"), ("w", "x")))
        if kind < 0.67:
            return ("flag", "first", self.pick(True, False))
        if kind < 0.7:
            return ("test", "first", self.block(depth + 1, inside),
                    [("flag", "first", self.pick(True, False))])
        if kind < 0.73 and self.hidden:
            return ("hide", "slot", ("sin", self.number()))
        if kind < 0.78 and inside:
            jump = self.pick(("break",), ("continue",), ("return", ("mul", "y", 3.0)))
            return ("if", self.test(), [jump], [])
        if kind < 0.9 or depth > 1:
            return ("if", self.test(), self.block(depth + 1, inside),
                    self.block(depth + 1, inside) if self.rng.random() < 0.5 else [])
        return self.loop(depth)

    def loop(self, depth):
        self.count += 1
        name = f"i{self.count}"
        before = self.loops
        self.loops = (*before, name)
        if self.rng.random() < 0.7:
            made = ("for", name, self.pick("n", "m", int(self.rng.integers(4))),
                    self.block(depth + 1, True))
            self.loops = before
            return made
        self.loops = before
        counter = f"k{self.count}"
        limit = self.pick("n", "m")
        body = [("set", counter, ("add", counter, 1.0)), *self.block(depth + 1, True)]
        loop = ("while", ("lt", counter, limit), body)
        return ("if", ("lt", "a", "a"), [], [("set", counter, 0.0), loop])
