"""`TraceSite`: the places of a recording form in a trace run. See `hybridad._site.Site`."""

import contextlib
import sys
from collections import deque

import numpy as np

from hybridad._forms import is_form
from hybridad._site import UNBOUND
from hybridad.recording.runtime import objects
from hybridad.recording.runtime.specials import users
from hybridad.recording.tracing import numpy_calls
from hybridad.recording.tracing.active import here
from hybridad.recording.tracing.calls import Calls
from hybridad.recording.tracing.operations import is_users
from hybridad.recording.tracing.patterns import Patterns
from hybridad.recording.tracing.reads import read
from hybridad.recording.tracing.values import Text, is_a, outgoing
from hybridad.trace.ir import Ref

__all__ = ["TraceSite"]


class TraceSite(Patterns, Calls):
    """A place in the user's source; the parameters are those of `hybridad._site.Site`."""

    __slots__ = ("col", "detail", "discarded", "end_col", "end_line", "file", "function", "kind",
                 "line", "loop", "name",
                 "owner")

    def __init__(self, kind, file="", function="", line=0, col=0, end_line=0, end_col=0,
                 name=None, detail=None, discarded=False):
        self.kind, self.file, self.function = kind, file, function
        self.line, self.col, self.end_line, self.end_col = line, col, end_line, end_col
        self.name, self.detail, self.discarded = name, detail, discarded
        self.loop = self.owner = None

    def __repr__(self):
        return f"<trace site {self.kind} {self.file}:{self.line}:{self.col}>"

    unbound = UNBOUND
    unbound_error = NameError

    # -- what enters -----------------------------------------------------------------------------

    def read(self, x):
        """A global, a builtin, or a variable of a function around."""
        run = here()
        if run is None or self.detail is None:
            return x
        if self.kind == "global":
            namespace = sys._getframe(1).f_globals
            if self.detail not in namespace:
                run.unshadowed(self, namespace)
                return x
            function = run.function_with(namespace)
            return read(run.recorder, self, "global", (function, self.detail), x)
        if self.owner is None or self.detail not in self.owner.co_freevars:
            return x
        return read(run.recorder, self, "cell", (run.function_of(self.owner), self.detail), x)

    def form(self, f):
        """A callable that does what ``site.call(f, ...)`` does, for native code."""
        return f if here() is None else Routed(self, f)

    def lift_fresh(self, x):
        """`x`, which was just made by what stands here."""
        run = here()
        if run is not None:
            run.unfollowed(self, x)
        return x

    def opened(self, x):
        """An object from outside as one of the run's own, with what is in it."""
        run = here()
        if run is None or not run.recorder.is_known(x):
            return x
        if not run.is_plain_object(x):
            run.recorder.refuse(f"a copy of a {type(x).__name__}", self)
        made = object.__new__(type(x))
        made.__dict__.update(self.mapping(self.attr(x, "__dict__")))
        return made

    def decorate(self, decorator):
        """What stands behind ``@``"""
        return decorator if here() is None else Routed(self, decorator)

    def effect(self, f, args, kwargs):
        """Call `f`, which is an effect, with plain values."""
        run = here()
        return f(*args, **kwargs) if run is None else run.foreign(self, f, args, kwargs)

    # -- decisions -------------------------------------------------------------------------------

    def guard(self, kind, outcome):
        """A decision that came from data, of which the room that asks does not tell the operand."""
        run = here()
        if run is not None:
            run.recorder.refuse(f"a decision ({kind}) of a value that is not told", self)

    shown = guard

    def truth(self, x):
        """What ``if x`` decides."""
        run = here()
        if run is None or type(x) is bool:
            return bool(x)
        recorder = run.recorder
        if type(x) is Text:
            return bool(run.settled(self, x))
        if type(x) is range:
            run.settle_range(self, x)
        if recorder.is_known(x):
            if is_a(x, (list, tuple, dict, set, frozenset, deque)):
                return run.answered(self, (bool, (recorder.ref(x),), {}), bool(x))
            if not is_users(x):
                return numpy_calls.truth(self, run, x)
        if is_users(x) and users(x, "__bool__") is None and users(x, "__len__") is None:
            return run.asked(self, bool, (x,))
        return objects.truth(self, run, x) if is_users(x) else bool(x)

    def caught(self):
        """An exception was caught here."""
        if here() is not None:
            self.swallowed(*sys.exc_info())

    def swallowed(self, kind, error, traceback):
        """An exception will not be raised further."""
        recorder = here().recorder
        while traceback.tb_next is not None:
            traceback = traceback.tb_next
        # What the user's own frame has raised (``raise``, ``assert``) the path decides.
        if not is_form(traceback.tb_frame.f_code) and not recorder.caught(error):
            recorder.refuse(f"an exception was caught ({kind.__name__})", self)

    def match(self, subject):
        """``match subject:``, whose patterns ask what is in `Patterns`"""
        return subject

    # -- text ------------------------------------------------------------------------------------

    def format(self, x, conversion, spec):
        """A formatted value of an f-string"""
        run = here()
        function = {115: str, 114: repr, 97: ascii}.get(conversion)
        if run is None:
            return format(x if function is None else function(x), spec)
        if function is not None:
            x = self.call(function, x)
        return self.call(format, x, spec)

    def joined(self, *parts):
        """An f-string of these parts"""
        run = here()
        return "".join(parts) if run is None else run.text(self, "".join, (parts,), {})

    # -- stores ----------------------------------------------------------------------------------

    def set_global(self, value):
        """``g = value`` for a global name"""
        run = here()
        if run is not None:
            namespace = sys._getframe(1).f_globals
            run.effect(self, "global", (namespace, self.detail, value),
                       lambda: run.journal.set_global(namespace, self.detail),
                       (run.function_with(namespace),))
            return outgoing(value)
        return value

    def del_global(self):
        """``del g`` for a global name"""
        run = here()
        if run is not None:
            run.recorder.refuse("a global is deleted", self)
            run.journal.set_global(sys._getframe(1).f_globals, self.detail)

    def set_free(self, value, cell):
        """``n = value`` for a name of a function around; `cell` is a lambda that reads it"""
        run = here()
        if run is not None:
            cell = cell.__closure__[0]
            if self.owner is not None and self.detail in self.owner.co_freevars:
                run.effect(self, "cell", (self.owner, self.detail, value),
                           lambda: run.journal.set_cell(cell), (run.function_of(self.owner),))
                return outgoing(value)
            else:
                run.journal.set_cell(cell)
        return value

    def context(self, manager):
        """``with manager:``"""
        run = here()
        if run is None:
            return manager
        if type(manager) is np.errstate:
            return Errstate(self, run, manager)
        made = objects.context(self, run, manager)
        if made is manager:
            run.recorder.refuse(f"with {type(manager).__name__}", self)
        return Scope(self, made)

    # -- blocks ----------------------------------------------------------------------------------

    def block(self, *values):
        """A hook at the head, entry or end of a block."""
        run = here()
        return values if run is None else run.loops.hook(self, self.detail, values)

    def hashing(self):
        """A context in which numbers of the run may be hashed."""
        return contextlib.nullcontext()

    def _plainly_here(self, x):
        run = here()
        return x if run is None else self._plainly(run, x)


class Scope:
    """``with`` on a manager whose methods are entered: an exception may end there."""

    __slots__ = ("manager", "site")

    def __init__(self, site, manager):
        self.site, self.manager = site, manager

    def __enter__(self):
        return self.manager.__enter__()

    def __exit__(self, kind, error, traceback):
        ends = self.site.truth(self.manager.__exit__(kind, error, traceback))
        if ends and kind is not None:
            self.site.swallowed(kind, error, traceback)
        return ends


class Errstate:
    """``with np.errstate(...)``: set and reset by operations of their own."""

    __slots__ = ("manager", "number", "run", "site")

    def __init__(self, site, run, manager):
        self.site, self.run, self.manager, self.number = site, run, manager, None

    def __enter__(self):
        recorder = self.run.recorder
        options = self.run.errstates.get(id(self.manager))
        if options is None:
            recorder.refuse("np.errstate from outside", self.site)
        else:
            self.number = recorder.node("effect", "errstate", (dict(options[1]),), None, None,
                                        self.site)
        return self.manager.__enter__()

    def __exit__(self, *error):
        if self.number is not None:
            self.run.recorder.node("effect", "errstate end", (Ref(self.number),), None, None,
                                   self.site)
        return self.manager.__exit__(*error)


class Routed:
    """A callable that goes through a site."""

    __slots__ = ("function", "site")

    def __init__(self, site, function):
        self.site, self.function = site, function

    def __call__(self, *args, **kwargs):
        return self.site.call(self.function, *args, **kwargs)
