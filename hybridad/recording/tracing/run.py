"""One trace run: `f` in recording form with plain values; what it does is written down."""

import functools
import inspect
import types
import weakref

from hybridad._forms import is_form, remember_form
from hybridad._run import Run
from hybridad._tape import Tape
from hybridad.recording.instrument.form import bind, make_form
from hybridad.recording.instrument.source import NoSource
from hybridad.recording.net import unwatched
from hybridad.recording.ownership import is_generated_code, owner_of_code, passes_on
from hybridad.recording.tracing.attributes import Attributes
from hybridad.recording.tracing.effects import Effects
from hybridad.recording.tracing.encoding import has_active
from hybridad.recording.tracing.loops import HOOKS, Loops, tell_sites
from hybridad.recording.tracing.memory import NotTraced
from hybridad.recording.tracing.native import Native
from hybridad.recording.tracing.outside import OutsideContainers
from hybridad.recording.tracing.owners import Owners
from hybridad.recording.tracing.reads import read
from hybridad.recording.tracing.recorder import Recorder
from hybridad.recording.tracing.site import TraceSite

__all__ = ["TraceRun"]

_ASYNC = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_FORMS = weakref.WeakKeyDictionary()


class Frame:
    """A function of the user's that is being run."""

    __slots__ = ("code", "function", "is_own", "ref")

    def __init__(self, function, ref, is_own):
        self.function, self.code = function, function.__code__
        self.ref, self.is_own = ref, is_own


class TraceRun(Effects, Native, Owners, Run):
    """The run in progress of a function that is written down."""

    def __init__(self, function, journal, dynamic=(), shared=()):
        super().__init__(Tape("trace"), journal)
        self.recorder = Recorder(dynamic, shared)
        self.attributes = Attributes(self)
        self.containers = OutsideContainers(self)
        self.loops = Loops(self)
        self.iterables = {}     # id of an iterator -> (it, its recipe)
        self.spread = []        # differentiated arguments whose copies have other strides
        self.errstates = {}     # id of an `np.errstate` -> (it, its options)
        self._frames = []
        self._origins = {}      # id -> functions of which it is known where they are found
        self._entered = []      # functions from outside that were entered, and how they are read

    # -- what the rooms of the runtime ask -------------------------------------------------------

    def wrap(self, x):
        return x

    wrap_fresh = wrap

    def forget(self):
        """Let go of all that was met; also of what holds this run, which then dies at once."""
        super().forget()
        self.recorder.forget()
        self.attributes = self.containers = self.loops = None
        self.iterables, self.errstates, self._entered = {}, {}, []

    def looked_up(self, container, key, value):
        return value

    def is_outside_iterator(self, x):
        return False

    def note(self, reason):
        self.recorder.refuse(str(reason))

    # -- functions -------------------------------------------------------------------------------

    def frame(self):
        """The function that is being run, or None."""
        return self._frames[-1] if self._frames else None

    def enters(self, method):
        """Whether something is a function of the user's."""
        return type(method) is types.FunctionType and (
            is_form(method.__code__) or owner_of_code(method.__code__) == "user")

    def is_generated(self, f):
        return is_generated_code(f.__code__)

    def is_own_class(self, cls):
        """Whether a class was made by the run."""
        if "<locals>" not in cls.__qualname__ or self.recorder.is_known(cls):
            return False
        return not self.recorder.is_class_of_known(cls) and not any(
            cls in type(x).__mro__ for x in self._origins.values())

    def form_of(self, f, args=(), kwargs=None):
        """The recording form of a function of the user's; itself if it is one; else None.

        Functions of installed packages have one where they are called with active values.
        """
        code = f.__code__
        if is_form(code):
            return f
        owner = owner_of_code(code)
        if is_generated_code(code) or owner == "library" or (owner == "package" and not has_active(
                self.recorder, (args, kwargs))):
            return None
        form = _FORMS.get(code)
        if form is None:
            try:
                with unwatched():
                    form = make_form(f, blocks=HOOKS, site=TraceSite)
                    tell_sites(f, form.sites)
                    _FORMS[code] = form
            except NoSource as reason:
                self.recorder.refuse(f"no source for {f.__qualname__}: {reason}")
            for nested in (form.code, *form.nested):
                remember_form(nested)
        return bind(form, f)

    def function_with(self, namespace):
        """A function from outside with these globals, as an argument of a read."""
        for function, ref in self._entered:
            if function.__globals__ is namespace:
                return ref
        raise NotTraced("the globals of a function that was never entered")

    def function_of(self, code):
        """The function from outside with this code that was entered last."""
        for frame in reversed(self._frames):
            if frame.code is code and frame.ref is not None:
                return frame.ref
        found = [ref for function, ref in self._entered if function.__code__ is code]
        if len(found) != 1:
            raise NotTraced(f"the variables of {code.co_qualname}, which has ended")
        return found[0]

    def enter(self, site, f, form, args, kwargs):
        """Call a function of the user's in recording form."""
        is_own = form is f
        if f.__code__.co_flags & _ASYNC:
            self.recorder.refuse(f"{f.__qualname__} is an async function", site)
        ref = None
        if not is_own:
            ref = self.recorder.ref(f)
            if ref is None:
                self._find_origin(site, f, args)
                ref = f
            args, kwargs = self._with_defaults(site, f, ref, args, kwargs)
        self._frames.append(Frame(f, ref, is_own))
        if not is_own and not any(known is f for known, _ in self._entered):
            self._entered.append((f, ref))
        if len(self._frames) > 400:
            self.recorder.refuse("deep recursion")
        depth = len(self.loops.open)
        try:
            return form(*args, **kwargs)
        finally:
            self._frames.pop()
            self.loops.abandon(depth)

    def _find_origin(self, site, f, args):
        """A function is entered that was not read: the interpreter finds it on a type."""
        if id(f) in self._origins or owner_of_code(f.__code__) != "user" or passes_on(f.__code__):
            return
        if not args or not self.attributes.find_method(site, f, args[0]):
            self.recorder.refuse(f"it is not known where {f.__qualname__} comes from", site)

    def found_again(self, x):
        """It is checked that `x` is found again where it was found.

        Returns
        -------
        tuple
            Its functions, each with the code that it has now.
        """
        kind = type(x)
        functions = (
            (x.fget, x.fset, x.fdel) if kind is property else
            (x.func,) if kind is functools.cached_property else
            (x.__func__,) if kind in (classmethod, staticmethod, types.MethodType) else (x,))
        self._origins.update((id(f), f) for f in functions)
        return tuple([(f, f.__code__) for f in functions if type(f) is types.FunctionType
                      and owner_of_code(f.__code__) == "user"])

    def _with_defaults(self, site, f, ref, args, kwargs):
        code, defaults = f.__code__, f.__defaults__ or ()
        names = code.co_varnames[:code.co_argcount]
        kwargs = dict(kwargs)
        first = len(names) - len(defaults)
        for k in range(max(first, len(args)), len(names)):
            if names[k] not in kwargs:
                value = read(self.recorder, site, "default", (ref, names[k]), defaults[k - first])
                if k < code.co_posonlyargcount and k == len(args):
                    args = (*args, value)
                else:
                    kwargs[names[k]] = value
        for name, value in (f.__kwdefaults__ or {}).items():
            if name not in kwargs:
                kwargs[name] = read(self.recorder, site, "default", (ref, name), value)
        return args, kwargs

    # -- containers ------------------------------------------------------------------------------

    def as_local(self, site, x):
        """A container from outside as an argument of a pure function."""
        return self.containers.as_local(site, x)

    def elements(self, site, x):
        """What is in a set from outside, in its order."""
        return self.containers.elements(site, x)
