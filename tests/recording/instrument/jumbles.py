"""Random functions full of jumps, handlers, deletions and names that may be unbound.

They compute with small integers, note what they do, and often end in some exception of their own:
what counts is that they do the same with hooks.
"""

import re
import textwrap

NAMES = ("a", "b", "c", "d")


class Stop(BaseException):
    """A program has noted too much."""


class World:
    """What programs call: `note` writes down, `tick` ends loops, `guard` swallows errors."""

    def __init__(self):
        self.noted, self._left = [], 40

    def note(self, value=None):
        self.noted.append(value if isinstance(value, (int, str, type(None))) else type(value))
        if len(self.noted) > 400:
            raise Stop
        return value

    def tick(self):
        self._left -= 1
        return self._left > 0

    def guard(self, swallows):
        return _Guard(swallows)

    def namespace(self):
        return {"note": self.note, "tick": self.tick, "guard": self.guard}


def outcome(make_function):
    """What a program does: how it ends, and what it has noted.

    Parameters
    ----------
    make_function : callable
        Takes the namespace in which the program runs, and returns its function.
    """
    world = World()
    function = make_function(world.namespace())
    try:
        ended = "value", function(2)
    except Stop:
        ended = ("stop",)
    except Exception as error:
        parts = [repr(part) for part in getattr(error, "exceptions", ())]
        ended = "raised", type(error).__name__, str(error), *parts
    # Functions and classes are told by their names.
    return re.sub(" at 0x[0-9a-f]+", "", repr(ended)), world.noted


class _Guard:
    def __init__(self, swallows):
        self._swallows = swallows

    def __enter__(self):
        return 7

    def __exit__(self, kind, *rest):
        return self._swallows and kind is not None and issubclass(kind, Exception)


class Jumble:
    """Writes one program.

    Parameters
    ----------
    random : random.Random
    size : int
        About how many statements.
    """

    def __init__(self, random, size=25):
        self._random, self._left, self._defs = random, size, 0

    def source(self):
        body = self._block(0, in_loop=False, function=0)
        parameters = self._pick(
            "a, b=1", "a, b=1, c=3, d=0", "a, b=1, c=1, *d", "b, *, a=2, c=3, d=1")
        return f"def f({parameters}):\n" + textwrap.indent(body, "    ")

    def _chance(self, probability):
        return self._random.random() < probability

    def _pick(self, *options):
        return self._random.choice(options)

    def _name(self):
        return self._random.choice(NAMES)

    def _block(self, depth, **where):
        count = self._pick(1, 1, 2, 3)
        lines = [self._statement(depth, **where) for _ in range(count + 2 * (depth == 0))]
        if depth == 0:
            lines += [self._statement(1, **where) for _ in range(3)]
            lines.append(f"return {self._expression()}")
        return "\n".join(lines)

    def _inner(self, depth, **where):
        return textwrap.indent(self._block(depth + 1, **where), "    ")

    def _statement(self, depth, in_loop, function):
        where = {"in_loop": in_loop, "function": function}
        self._left -= 1
        compound = depth < 4 and self._left > 0 and self._chance(0.55)
        if not compound:
            return self._simple(in_loop)
        return getattr(self, "_" + self._pick(
            "if", "if", "for", "for", "while", "try", "try", "with", "match", "nested", "class"))(
                depth, where)

    def _simple(self, in_loop):
        name, value = self._name(), self._expression()
        options = [f"{name} = {value}"] * 9 + [f"{name} += {value}"] * 3 + [
            f"note({value})", f"del {name}",
            f"{name}, {self._name()} = {value}, {value}", f"{name} = {self._name()} = {value}",
            "pass", f"import math as {name}",
            f"assert {value}", f"assert {value}, {self._name()}",
        ]
        if self._chance(0.25):
            options = ["return " + value, f"raise {self._pick('ValueError', 'KeyError')}({value})"]
            if in_loop:
                options += ["break", "continue"] * 2
        return self._pick(*options)

    def _expression(self, depth=0):
        if depth > 1 or self._chance(0.4):
            return self._pick(*NAMES, *NAMES, "1", "0", "3")
        a, b, c = (self._expression(depth + 1) for _ in range(3))
        name, u, v = self._name(), self._name(), self._name()
        return self._pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} // {b})", f"({a} < {b} < {c})", f"note({a})",
            f"({a} if {b} else {c})", f"({a} and {b})", f"({a} or {b} or {c})",
            f"({name} := {a})", f"sum([{name} + {u} for {name} in range(3) if {v}])",
            f"sum({u} + {v} for {name} in range(2))", f"(lambda {name}={a}: {name} + {b})()",
            f"(lambda: {a})()", f"sum([({name} := i) for i in range({self._pick(0, 2)})])",
            f"len({{{a}: {b}, {name}: {c}}})", f"int(f'{{{u}}}')")

    def _if(self, depth, where):
        text = f"if {self._expression()}:\n{self._inner(depth, **where)}"
        if self._chance(0.3):
            text += f"\nelif {self._expression()}:\n{self._inner(depth, **where)}"
        if self._chance(0.5):
            text += f"\nelse:\n{self._inner(depth, **where)}"
        return text

    def _for(self, depth, where):
        items = self._pick("range(3)", "range(0)", "(1, 0)", f"range({self._name()})")
        inside = {**where, "in_loop": True}
        text = f"for {self._name()} in {items}:\n    note()\n{self._inner(depth, **inside)}"
        return self._else(text, depth, where)

    def _while(self, depth, where):
        test = self._pick("tick()", f"tick() and {self._expression()}", "True", "1")
        inside = {**where, "in_loop": True}
        text = f"while {test}:\n    note()\n{self._inner(depth, **inside)}"
        return self._else(text, depth, where)

    def _else(self, text, depth, where):
        if self._chance(0.3):
            text += f"\nelse:\n{self._inner(depth, **where)}"
        return text

    def _try(self, depth, where):
        text = f"try:\n{self._inner(depth, **where)}"
        handlers = self._pick(0, 1, 1, 2)
        # No break, continue or return may stand in an `except*` clause.
        group = handlers and self._chance(0.15)
        for k in range(handlers):
            kind = self._pick("ValueError", "NameError", "(KeyError, TypeError)", "Exception")
            name = f" as {self._name()}" if self._chance(0.5) else ""
            body = ("    note(1)\n    " + self._name() + " = 1" if group
                    else self._inner(depth, **where))
            bare = not name and not group and k == handlers - 1 and self._chance(0.2)
            kind = "Exception" if bare else kind
            text += f"\nexcept{'*' if group else ''} {kind}{name}:\n{body}"
        if handlers:
            text = self._else(text, depth, where)
        if not handlers or self._chance(0.4):
            # A jump out of a finally clause might swallow `Stop` in an endless loop.
            inside = {**where, "in_loop": False}
            text += f"\nfinally:\n{self._inner(depth, **inside)}"
        return text

    def _with(self, depth, where):
        name = f" as {self._name()}" if self._chance(0.5) else ""
        more = f", guard({self._pick(True, False)}) as {self._name()}" if self._chance(0.3) else ""
        return f"with guard({self._pick(True, False)}){name}{more}:\n{self._inner(depth, **where)}"

    def _match(self, depth, where):
        text = f"match {self._expression()}:"
        patterns = ["0", f"1 as {self._name()}", "1 | 2", f"int({self._name()})",
                    f"{self._name()} if {self._expression()}", f"[{self._name()}, *_]"]
        for _ in range(self._pick(1, 2)):
            inner = textwrap.indent(self._inner(depth, **where), "    ")
            text += f"\n    case {self._pick(*patterns)}:\n{inner}"
        if self._chance(0.4):
            inner = textwrap.indent(self._inner(depth, **where), "    ")
            text += f"\n    case {self._pick('_', self._name())}:\n{inner}"
        return text

    def _nested(self, depth, where):
        if where["function"]:
            return self._simple(where["in_loop"])
        self._defs += 1
        name = f"g{self._defs}"
        declared = self._pick("pass", "nonlocal a", "nonlocal b")
        inner = self._inner(depth, in_loop=False, function=1)
        text = (f"def {name}(c, d={self._expression()}):\n    {declared}\n{inner}\n"
                f"    return {self._name()}")
        call = f"{self._name()} = {name}({self._expression()})"
        return text + "\n" + self._pick(call, call, f"if tick():\n    {call}")

    def _class(self, depth, where):
        self._defs += 1
        return (f"class C{self._defs}:\n    {self._name()} = {self._expression()}\n"
                f"    def m(self):\n        return {self._name()}\n"
                f"{self._name()} = C{self._defs}().m()")
