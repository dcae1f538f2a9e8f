"""A toy language, run on plain values by a tiny recorder that writes down paths.

A program is a list of statements, nested tuples::

    ("set", "y", ("mul", "y", 2.0))        ("if", ("lt", "y", "a"), [...], [...])
    ("for", "i", "n", [...])               ("while", ("lt", "y", 10.0), [...])
    ("store", "x", index, value)           ("array", "x", size)        ("copy", "x", "z")
    ("swap", "x", "z")                     ("alias", "x", "z")
    ("flag", "first", True)                ("test", "first", [...], [...])
    ("hide", "slot", value)                ("break",)  ("continue",)  ("return", expression)

Expressions are names, numbers, ``(operator, *expressions)``, ``("item", "x", index)`` and
``("hidden", "slot")``. Indices are taken modulo the size of the array. What is hidden travels in a
slot that no name shows, as in a dictionary.
"""

import operator

import numpy as np

from hybridad.trace.ir import HOLE, Aval, Node, Place, Ref, Return
from hybridad.trace.path import Decision, Enter, Exit, Head, Jump, Name

__all__ = ["Recorder", "live", "record", "run_plainly"]

OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "sin": np.sin,
             "lt": operator.lt, "gt": operator.gt, "mod": operator.mod, "eq": operator.eq,
             "sum": np.sum}


class Returned(Exception):
    """The program returns."""


class Jumped(Exception):
    """``break`` or ``continue``."""


class Value:
    """A number: with the id of what gave it, or static (id None)."""

    def __init__(self, value, id=None):
        self.value, self.id = value, id

    def before(self):
        return self.value if self.id is None else Ref(self.id)


class Memory:
    """Memory of an array, and its newest version."""

    def __init__(self, number, value, id):
        self.number, self.value, self.id, self.version = number, value, id, 0


class Array:
    """A name for memory."""

    def __init__(self, memory, id):
        self.memory, self.known, self.version = memory, id, memory.version

    @property
    def value(self):
        return self.memory.value

    @property
    def id(self):
        return self.known if self.version == self.memory.version else self.memory.id

    def before(self):
        return Ref(self.id)


def aval(value):
    if isinstance(value, np.ndarray):
        return Aval("array", value.dtype.str, value.shape)
    kind = type(value)
    return Aval("number", kind.__name__ if kind in (float, int, bool) else value.dtype.str)


# -- names -----------------------------------------------------------------------------------------

def reads(x):
    """The names in an expression."""
    if isinstance(x, str):
        return {x}
    if not isinstance(x, tuple) or x[0] == "hidden":
        return set()
    return set().union(*[reads(part) for part in x[1:]]) if len(x) > 1 else set()


def live(statements, after, jumps=(frozenset(), frozenset())):
    """The names that are live before some statements; `jumps`: at ``break`` and ``continue``."""
    now = set(after)
    for statement in reversed(statements):
        kind = statement[0]
        if kind == "set":
            now = (now - {statement[1]}) | reads(statement[2])
        elif kind in ("array", "flag"):
            now = now - {statement[1]}
        elif kind in ("copy", "alias"):
            now = (now - {statement[1]}) | {statement[2]}
        elif kind == "swap":
            now = now | {statement[1], statement[2]}
        elif kind == "store":
            now = now | {statement[1]} | reads(statement[2]) | reads(statement[3])
        elif kind == "hide":
            now = now | reads(statement[2]) | {"a"}
        elif kind in ("if", "test"):
            test = reads(statement[1])
            now = test | live(statement[2], now, jumps) | live(statement[3], now, jumps)
        elif kind == "for":
            now = reads(statement[2]) | at_head(statement, now)
        elif kind == "while":
            now = at_head(statement, now)
        elif kind == "return":
            now = reads(statement[1])
        else:
            now = set(jumps[0] if kind == "break" else jumps[1])
    return now


def at_head(loop, after):
    """The names that are live at the head of a loop."""
    head = set(after)
    for _ in range(3):
        if loop[0] == "for":
            head = set(after) | (live(loop[3], head, (after, head)) - {loop[1]})
        else:
            head = set(after) | reads(loop[1]) | live(loop[2], head, (after, head))
    return head


def stored(statements):
    """The names that some statements assign."""
    names = set()
    for s in statements:
        if s[0] in ("set", "array", "flag", "copy", "alias"):
            names.add(s[1])
        elif s[0] == "swap":
            names |= {s[1], s[2]}
        elif s[0] in ("if", "test"):
            names |= stored(s[2]) | stored(s[3])
        elif s[0] == "for":
            names |= {s[1]} | stored(s[3])
        elif s[0] == "while":
            names |= stored(s[2])
    return names


def touched(statements):
    """The names of arrays that some statements write into."""
    names = set()
    for s in statements:
        if s[0] == "store":
            names.add(s[1])
        elif s[0] in ("if", "test"):
            names |= touched(s[2]) | touched(s[3])
        elif s[0] in ("for", "while"):
            names |= touched(s[-1])
    return names


# -- the recorder ----------------------------------------------------------------------------------

class Recorder:
    """Runs a program and writes down its path.

    Parameters
    ----------
    names_written : bool
        Whether names of arrays that are only written into get ids at heads.
    """

    def __init__(self, names_written=False):
        self.events, self.count, self.memories, self.loops = [], 0, 0, 0
        self.names, self.hidden, self.names_written = {}, {}, names_written

    def new_id(self):
        self.count += 1
        return self.count

    def node(self, op, target, args, value, place, memory=None, kwargs=None):
        id = self.new_id()
        if isinstance(value, np.ndarray):
            value = value.copy()
        self.events.append(Node(id, op, target, args, kwargs or {}, aval(value), memory, place,
                                example=value))
        return id

    def new_array(self, value, id):
        return Array(Memory(self.memories, value, id), id)

    def input(self, number, name, value):
        if isinstance(value, np.ndarray):
            self.memories += 1
            value = value.copy()
            self.names[name] = self.new_array(
                value, self.node("input", number, (), value, None, self.memories))
        else:
            self.names[name] = Value(value, self.node("input", number, (), value, None))

    # -- expressions -----------------------------------------------------------------------------

    def evaluate(self, x, place):
        if isinstance(x, str):
            return self.names[x]
        if not isinstance(x, tuple):
            return Value(x)
        if x[0] == "hidden":
            return self.hidden[x[1]]
        if x[0] == "item":
            array, index = self.names[x[1]], self.index(x[1], x[2], place)
            value = array.value[index.value]
            return Value(value, self.node("apply", operator.getitem,
                                          (array.before(), index.before()), value, place))
        parts = [self.evaluate(part, place) for part in x[1:]]
        value = OPERATORS[x[0]](*[part.value for part in parts])
        if isinstance(value, np.bool_):
            value = bool(value)
        if all(getattr(part, "id", None) is None for part in parts):
            return Value(value)
        return Value(value, self.node("apply", OPERATORS[x[0]],
                                      tuple([part.before() for part in parts]), value, place))

    def index(self, array, x, place):
        return self.evaluate(("mod", x, len(self.names[array].value)), place)

    def decide(self, x, place):
        test = self.evaluate(x, place)
        if test.id is not None:
            self.events.append(Decision(Ref(test.id), "bool", bool(test.value), place))
        return bool(test.value)

    # -- statements ------------------------------------------------------------------------------

    def block(self, statements, where, after, jumps=(frozenset(), frozenset())):
        for k, statement in enumerate(statements):
            line = 1 + sum(10**j * (p + 1) for j, p in enumerate((*where, k)))
            place = Place("toy.py", line, "f", k, statement[0])
            behind = live(statements[k + 1:], after, jumps)
            getattr(self, "_" + statement[0])(statement, place, (*where, k), behind, jumps)

    def _set(self, s, place, *_):
        value = self.evaluate(s[2], place)
        self.names[s[1]] = value

    def _flag(self, s, *_):
        self.names[s[1]] = Value(s[2])

    def _hide(self, s, place, *_):
        self.hidden[s[1]] = self.evaluate(("add", s[2], ("mul", "a", 0.0)), place)

    def _array(self, s, place, *_):
        self.memories += 1
        value = np.zeros(s[2])
        id = self.node("apply", np.zeros, (s[2],), value, place, self.memories)
        self.names[s[1]] = self.new_array(value, id)

    def _copy(self, s, place, *_):
        self.memories += 1
        old = self.names[s[2]]
        value = old.value * 1.0
        id = self.node("apply", operator.mul, (old.before(), 1.0), value, place, self.memories)
        self.names[s[1]] = self.new_array(value, id)

    def _alias(self, s, *_):
        self.names[s[1]] = self.names[s[2]]

    def _swap(self, s, *_):
        self.names[s[1]], self.names[s[2]] = self.names[s[2]], self.names[s[1]]

    def _store(self, s, place, *_):
        array, index = self.names[s[1]], self.index(s[1], s[2], place)
        value = self.evaluate(s[3], place)
        memory = array.memory
        memory.value[index.value] = value.value
        memory.id = self.node(
            "write", operator.setitem, (Ref(memory.id), (), index.before(), value.before()),
            memory.value, place, memory.number)
        memory.version += 1

    def _if(self, s, place, where, after, jumps):
        taken = 2 if self.decide(s[1], place) else 3
        self.block(s[taken], (*where, taken), after, jumps)

    def _test(self, s, place, where, after, jumps):
        taken = 2 if self.names[s[1]].value else 3
        self.block(s[taken], (*where, taken), after, jumps)

    def _break(self, s, place, *_):
        raise Jumped("break")

    def _continue(self, s, place, *_):
        raise Jumped("continue")

    def _return(self, s, place, *_):
        for loop in reversed(self.open_loops):
            self.events.append(Jump(loop, 2, ()))
        value = self.evaluate(s[1], place)
        self.events.append(Return(value.before(), place=place))
        raise Returned(value.value)

    # -- loops -----------------------------------------------------------------------------------

    open_loops = ()

    def _name(self, name, carried):
        """What a name is at a head or behind a loop; it is bound anew if the loop may change it."""
        value = self.names.get(name)
        if value is None:
            return Name(name, HOLE)
        before = value.before()
        if not carried or value.value is None or isinstance(value.value, bool):
            return Name(name, before)
        id = self.new_id()
        if isinstance(value, Array):
            memory = value.memory
            memory.id = id
            self.names[name] = Array(memory, id)
            return Name(name, before, id, aval(value.value), memory.number, value.value.copy())
        self.names[name] = Value(value.value, id)
        return Name(name, before, id, aval(value.value), None, value.value)

    def _plain_names(self, names):
        return tuple([Name(name, self.names[name].before() if name in self.names else HOLE)
                      for name in names])

    def _loop(self, s, place, where, after, start, more):
        self.loops += 1
        number = self.loops
        body = s[-1]
        head_names = sorted(at_head(s, after))
        behind = sorted(after)
        changing = stored(body) | ({s[1]} if s[0] == "for" else set())
        if self.names_written:
            changing |= touched(body)
        spec = start()
        self.events.append(Enter(number, "range" if s[0] == "for" else "while", spec, place))
        self.open_loops = (*self.open_loops, number)
        jumps = (set(after), set(head_names))
        inside = set(head_names)
        label, k = 0, 0
        while True:
            if s[0] == "for" and not more(k):
                left = self._plain_names(sorted({*head_names, *behind}))
                break
            heads = tuple([self._name(name, name in changing) for name in head_names])
            item = self.new_id() if s[0] == "for" else None
            self.events.append(Head(number, heads, item, s[1] if item is not None else None,
                                    None if item is None else Aval("number", "int"), None,
                                    None if item is None else k))
            if s[0] == "for":
                self.names[s[1]] = Value(k, item)
            elif not self.decide(s[1], place):
                left = self._plain_names(behind)
                break
            k += 1
            try:
                self.block(body, where, inside, jumps)
            except Jumped as jump:
                if str(jump) == "break":
                    label, left = 1, self._plain_names(behind)
                    break
        self.events.append(Jump(number, label, left))
        self.open_loops = self.open_loops[:-1]
        self.events.append(Exit(number, tuple([self._name(name, name in changing)
                                               for name in behind])))

    def _for(self, s, place, where, after, jumps):
        count = self.names[s[2]] if isinstance(s[2], str) else Value(s[2])
        self._loop(s, place, where, after, lambda: (0, count.before(), 1),
                   lambda k: k < count.value)

    def _while(self, s, place, where, after, jumps):
        self._loop(s, place, where, after, lambda: (), None)


def record(program, inputs, **options):
    """The events of one run, and its value; `inputs`: name -> value."""
    recorder = Recorder(**options)
    for number, (name, value) in enumerate(inputs.items()):
        recorder.input(number, name, value)
    try:
        recorder.block(program, (), set())
    except Returned as returned:
        return recorder.events, returned.args[0]
    raise AssertionError("a program must return")


def run_plainly(program, inputs):
    """The value alone."""
    return record(program, inputs)[1]
