"""What writes down the path of a run: operations, decisions, reads."""

import operator
import types

import numpy as np

from hybridad.recording.tracing.memory import Array, Arrays, NotTraced, with_hole
from hybridad.recording.tracing.values import another, aval_of, is_number
from hybridad.trace.ir import Node, Place, Ref, Step, refs_of
from hybridad.trace.path import Decision

__all__ = ["Recorder", "place_of"]


class Recorder(Arrays):
    """Writes down a path.

    Parameters
    ----------
    dynamic : set
        Recipes of ints (`recipe_of`) that are not to be guarded by value.
    shared : set
        Ids of arrays from outside whose memory other ones show, too.

    Attributes
    ----------
    events : list
        See `hybridad.trace.path`.
    reason : str or None
        Why the run cannot be written down after all.
    """

    def __init__(self, dynamic=(), shared=()):
        super().__init__(shared)
        self.events = []
        self.dynamic = dynamic
        self.reason = None
        self.count = 0
        self.loops = 0
        self.hidden = {}        # place of a loop -> why it cannot be folded
        self._failed = None     # the last error of an operation, and what was attempted
        self.changes = 0        # how often outside state may have changed
        self._reads = {}        # what was read since the last effect
        self._recipes = {}      # id of a node -> recipe
        self._lists = {}        # id of a list of results -> (it, id of the operation, its site)
        self.ranges = {}        # id of a range -> (it, its parts as arguments)
        self.stored = {}        # id -> objects that this run has stored outside
        self.active = set()     # ids of what depends on a differentiated argument

    def forget(self):
        """Let go of all but the events."""
        self._memories, self._known, self._reads, self.stored = {}, {}, {}, {}
        self._outside, self.ranges, self._lists = [], {}, {}

    # -- operations ------------------------------------------------------------------------------

    def refuse(self, reason, site=None):
        """No code will be made of this run: it is broken off."""
        if self.reason is None:
            where = f" ({site.file}:{site.line})" if site is not None else ""
            self.reason = reason + where
        raise NotTraced(self.reason)

    def new_id(self):
        """An id that nothing has yet."""
        self.count += 1
        if self.count > _MOST:
            self.refuse(f"it does more than {_MOST:,} operations")
        return self.count

    def node(self, op, target, args, kwargs=None, result=None, site=None, memory=None,
             name=None):
        """Append an operation; returns its id."""
        number = self.new_id()
        kind = type(result)
        is_argument = op == "variable" or (op == "input" and kwargs)
        aval = None if result is None else aval_of(result)
        if is_argument or (op not in _PASSIVE and not _is_integral(aval) and any(
                ref.id in self.active for ref in refs_of((args, kwargs)))):
            self.active.add(number)
        self.events.append(Node(
            number, op, target, args, kwargs or {}, aval, memory, place_of(site),
            name if site is None else site.name,
            example=result if kind in _SHOWN or (aval and aval.kind == "number") else None))
        return number

    def compute(self, site, target, args, kwargs, function, operands=()):
        """Call ``function()``, which does the operation `target`; see `apply`."""
        result = self.attempt(site, target, args, kwargs, function)
        return self.apply(site, target, args, kwargs, result, operands)

    def attempt(self, site, target, args, kwargs, function):
        """Call ``function()``, which does the operation `target`, of which nothing is noted.

        If it raises, and the user catches that, it must raise the next time, too (`caught`).
        """
        try:
            return function()
        except Exception as error:
            self._failed = error, (type(error), target, args, kwargs), site
            raise

    def surely(self, function):
        """Call ``function()``, which does the same in each call on this path, also if it raises."""
        try:
            return function()
        except Exception as error:
            self._failed = error, None, None
            raise

    def following(self, function):
        """Call ``function()``, which gives what an iterator of the run's own gives next."""
        try:
            return function()
        except StopIteration as error:
            if self._failed is None or self._failed[0] is not error:
                self._failed = error, None, None
            raise

    def caught(self, error):
        """Note that an error was caught; whether it is known why it was raised."""
        if self._failed is None or self._failed[0] is not error:
            return False
        _, attempt, site = self._failed
        if attempt is not None:
            self.node("check", "raises", attempt, None, None, site)
        return True

    def apply(self, site, target, args, kwargs, result, operands=()):
        """A pure function gave `result`; returns it as an object that is known.

        Parameters
        ----------
        target : object
            As in `ir.Node`.
        args, kwargs
            Encoded.
        operands : sequence of ndarray
            The arrays among the arguments, which the result may show.
        """
        kind = type(result)
        if kind is np.ndarray:
            return self._array(site, target, args, kwargs, result, operands)
        if kind is list or issubclass(kind, tuple):
            return self._several(site, target, args, kwargs, result, operands)
        if self.ref(result) is not None:
            return result       # one of the operands itself
        number = self.node("apply", target, args, kwargs, result, site)
        return self.give(number, result, site)

    def give(self, number, result, site):
        """The result of operation `number`, as an object that is known."""
        if is_number(result) or type(result) is str:
            result = another(result)
            self._known[id(result)] = result, number
        elif type(result) in (bool, np.bool_):
            self.events.append(Decision(Ref(number), "bool", bool(result), place_of(site)))
        elif result is not None:
            self._known[id(result)] = result, number
        return result

    def _several(self, site, target, args, kwargs, results, operands):
        number = self.node("apply", target, args, kwargs, None, site)
        shown = [x for x in results if type(x) is np.ndarray and self.array_of(x) is None
                 and self._memory_of(x) is not None]
        if shown:
            memory = self._memory_of(shown[0])
            parent = self._parent(memory, operands)
            if parent is None or any(self._memory_of(x) is not memory for x in shown):
                self.refuse("a function gave views of several arrays", site)
            hole = self.ref(parent.array)
            step = Step(target, with_hole(args, hole), with_hole(kwargs or {}, hole))
            self._known[id(results)] = results, Array(results, number, memory, parent, step)
            operands = (results,)
        else:
            operands = ()
        parts = [self._part(site, number, k, x, operands) for k, x in enumerate(results)]
        if type(results) is list:
            self._lists[id(parts)] = parts, number, site
            return parts
        return type(results)(*parts) if hasattr(results, "_fields") else tuple(parts)

    def number_of_parts(self, parts):
        """An operation that gives the length of a list of results."""
        found, number, site = self._lists[id(parts)]
        assert found is parts
        return self.node("apply", len, (Ref(number),), {}, len(parts), site)

    def _part(self, site, number, k, x, operands):
        if not (type(x) is np.ndarray or is_number(x) or type(x) in (list, tuple, str)):
            return x
        if self.ref(x) is not None:
            return x
        return self.apply(site, operator.getitem, (Ref(number), k), {}, x, operands)

    # -- everything else -------------------------------------------------------------------------

    def know(self, x, number):
        """`x` is what operation `number` gave."""
        self._known[id(x)] = x, number

    def is_known(self, x):
        """Whether it is known where `x` came from."""
        found = self._known.get(id(x))
        return found is not None and found[0] is x

    def is_class_of_known(self, cls):
        """Whether an object from outside is of a class."""
        return any(cls in type(x).__mro__ for x, _ in self._known.values())

    def is_outside(self, x):
        """Whether a value that is known is an object or an array from outside."""
        known = self.array_of(x)
        return known is None or known.memory.outside

    def is_active(self, x):
        """Whether a value depends on a differentiated argument."""
        ref = self.ref(x)
        return ref is not None and ref.id in self.active

    def decide(self, site, x, kind, outcome):
        """`x`, a known value, decided: it was `outcome` when it was converted."""
        ref = self.ref(x)
        if ref is not None:
            self.events.append(Decision(ref, kind, outcome, place_of(site)))

    def varies(self, x):
        """Whether a range is made of values of the run."""
        found = self.ranges.get(id(x))
        return found is not None and any(type(arg) is Ref for arg in found[1])

    def settle_range(self, x, site=None):
        """What a range is made of is decided, if it came from data."""
        found = self.ranges.get(id(x))
        if found is not None:
            for arg, value in zip(found[1], (x.start, x.stop, x.step)):
                if type(arg) is Ref:
                    self.decide_id(site, arg.id, "value", value)

    def decide_id(self, site, number, kind, outcome):
        """As `decide`, for what operation `number` gave."""
        self.events.append(Decision(Ref(number), kind, outcome, place_of(site)))

    def changed(self):
        """Outside state may have changed: what was read before must be read again."""
        self.changes += 1
        self._reads = {}

    def reads(self):
        """What has been read since the last effect."""
        return dict(self._reads)

    def read_so_far(self, reads):
        """Only what is in `reads` needs not be read again."""
        self._reads = dict(reads)

    def recipe_key(self, ref):
        """By what recipe a value was read, for recipes of what is read of it."""
        return self._recipes.get(ref.id, ref.id)

    def check(self, kind, ref, expected, site, recipe=None):
        """Note what must hold of a value; of an int also by what recipe it was read."""
        options = None if recipe is None else {"recipe": recipe}
        self.node("check", kind, (ref, expected), options, None, site)


_MOST = 300_000  # operations of one run; writing them down takes some seconds
_SHOWN = (np.ndarray, types.FunctionType, types.MethodType)
_PASSIVE = frozenset(("input", "foreign", "check", "note"))


def _is_integral(aval):
    return aval is not None and (aval.dtype in ("int", "bool") or (
        aval.kind != "object" and aval.dtype[1:2] in "biu"))


def place_of(site):
    """Where an operation stands in the source."""
    if site is None:
        return None
    return Place(site.file, site.line, site.function, site.col, site.kind)
