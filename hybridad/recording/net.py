"""The completeness net: which of the user's frames did not run in recording form.

Native code calls back into the user's: `__eq__` from a dict, `__iter__` from `np.sum`, a handler
from logging. What runs there is not recorded, so the run knows less than its source says. While a
run is recorded, the interpreter itself reports every frame that starts or goes on.

From Python 3.12 on this is a tool of `sys.monitoring` beside whatever debuggers, coverage and
profilers are there: none of their ids is taken, and where no other is free, or before 3.12, the
profile hook of the thread is shared with whoever has it.
"""

import contextlib
import functools
import gc
import inspect
import os
import sys
import threading

from hybridad._profile import ProfileHook
from hybridad.errors import is_users
from hybridad.recording.lines import is_call
from hybridad.recording.ownership import owner_of_code

__all__ = ["unwatched", "watch"]

_SUSPENDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_MOST = 20  # frames that are noted
_NAME = "hybridad"
_FREE_FOR_ALL = 4, 3  # the ids that sys.monitoring reserves for no kind of tool


def watch(is_form, is_suspended):
    """Note the user's frames that run outside recording form, in this thread.

    Parameters
    ----------
    is_form : callable
        Whether a code object is a recording form. It must say the same of a code object always.
    is_suspended : callable
        Takes nothing; whether frames do not count just now, below a foreign call.

    Returns
    -------
    context manager
        Its value is a list that grows: of the first 20 different frames ``(file, line, name)``,
        where the line is that of the function. Frames of hybridad, the standard library, NumPy,
        SciPy and CuPy do not count, nor those below an import or a callback of the garbage
        collector, nor generators of installed packages, which die anywhere. A profiler that leaves
        no room is noted as a frame, since nothing is known then: ``("", 0, text)``.

    Examples
    --------
    >>> def outside():
    ...     return 1
    >>> with watch(lambda code: False, lambda: False) as frames:
    ...     _ = outside()
    >>> [name for _, _, name in frames]
    ['outside']
    """
    return _Watch(is_form, is_suspended)


@contextlib.contextmanager
def unwatched():
    """Let hybridad work at full speed, with nothing noted in this thread meanwhile."""
    hook = sys.getprofile()
    if type(hook) is not ProfileHook:  # `sys.monitoring` costs nothing where nothing can count
        yield
        return
    hook.stop()
    try:
        yield
    finally:
        hook.start()


class _Watch:
    """One watched run."""

    __slots__ = ("base", "frames", "hook", "is_form", "is_suspended", "seen")

    def __init__(self, is_form, is_suspended):
        self.is_form = is_form
        self.is_suspended = is_suspended
        self.frames = []
        self.seen = {}  # id of code -> code
        self.hook = None
        self.base = None

    def __enter__(self):
        self.base = sys._getframe(1)
        self.hook = _monitor.enter(self) or _share_profiler(self)
        return self.frames

    def __exit__(self, *_):
        self.hook.leave(self)
        self.base = None

    def note(self, code):
        """A frame of the user's that runs `code`, which is no recording form."""
        if len(self.frames) == _MOST or id(code) in self.seen or self.is_suspended():
            return
        if self._is_foreign():
            return
        self.seen[id(code)] = code
        frame = code.co_filename, code.co_firstlineno, code.co_qualname
        if frame not in self.frames:
            self.frames.append(frame)

    def _is_foreign(self):
        """Whether the frame is below a foreign call that nothing shows as one.

        That is an import, or a callback of the garbage collector.
        """
        collecting = {_code_of(callback) for callback in gc.callbacks}
        frame = sys._getframe(2)
        while frame is not None and frame is not self.base:
            code = frame.f_code
            if code.co_filename == "<frozen importlib._bootstrap>" or code in collecting:
                return True
            frame = frame.f_back
        return False


def _code_of(callback):
    """The code of the first frame when something is called, if it is written in Python."""
    while isinstance(callback, functools.partial):
        callback = callback.func
    if not inspect.isroutine(callback):
        callback = type(callback).__call__
    return getattr(getattr(callback, "__func__", callback), "__code__", None)


@functools.lru_cache(maxsize=4096)
def _is_users_file(filename):
    cupy = getattr(sys.modules.get("cupy"), "__file__", None)
    if cupy is not None and filename.startswith(os.path.dirname(cupy) + os.sep):
        return False
    return is_users(filename)


def _is_users_code(code):
    """Whether code is the user's; what dataclasses and namedtuples write is the library's.

    A package is called as code from outside; what it leaves suspended goes on, or is closed, when
    its last reference is gone, which may be in any run.
    """
    if code.co_filename != "<string>":
        return (_is_users_file(code.co_filename) and not is_call(code)
                and not (code.co_flags & _SUSPENDS and owner_of_code(code) == "package"))
    return not (code.co_qualname.startswith("__create_fn__.<locals>.")
                or code.co_names == ("_tuple_new",))


class _Monitor:
    """A tool of `sys.monitoring`, which all watches of all threads share while there are any.

    The events of code that can never count are disabled where they arise, so such code runs at
    full speed from its second call on.
    """

    def __init__(self):
        self.lock = threading.Lock()
        self.watches = {}  # thread -> its watches, the outermost first
        self.tool = None
        self.disabled = {}  # id of code -> code

    def enter(self, watch):
        """Take part in the watching; None if `sys.monitoring` has no room."""
        monitoring = getattr(sys, "monitoring", None)
        if monitoring is None:
            return None
        thread = threading.get_ident()
        with self.lock:
            if self.tool is None and not self._start(monitoring):
                return None
            self.watches[thread] = (*self.watches.get(thread, ()), watch)
        return self

    def leave(self, watch):
        thread = threading.get_ident()
        with self.lock:
            left = tuple(other for other in self.watches[thread] if other is not watch)
            if left:
                self.watches[thread] = left
                return
            del self.watches[thread]
            if not self.watches:
                self._stop(sys.monitoring)

    def _start(self, monitoring):
        for tool in _FREE_FOR_ALL:
            try:
                monitoring.use_tool_id(tool, _NAME)
            except ValueError:  # in use
                continue
            self.tool = tool
            events = monitoring.events
            monitoring.register_callback(tool, events.PY_START, self._started)
            monitoring.register_callback(tool, events.PY_RESUME, self._started)
            monitoring.register_callback(tool, events.PY_THROW, self._thrown)
            monitoring.set_events(tool, events.PY_START | events.PY_RESUME | events.PY_THROW)
            return True
        return False

    def _stop(self, monitoring):
        tool, self.tool = self.tool, None
        events = monitoring.events
        monitoring.set_events(tool, events.NO_EVENTS)
        for event in (events.PY_START, events.PY_RESUME, events.PY_THROW):
            monitoring.register_callback(tool, event, None)
        # What is disabled stays so for the next who gets this id, until the code changes its events
        # of its own. (`restart_events` would restart those of all other tools.)
        while self.disabled:
            _, code = self.disabled.popitem()
            monitoring.set_local_events(tool, code, events.PY_START | events.PY_RESUME)
            monitoring.set_local_events(tool, code, events.NO_EVENTS)
        monitoring.free_tool_id(tool)

    def _started(self, code, _offset):
        watches = self.watches.get(threading.get_ident())
        counts = _is_users_code(code)
        if counts and watches is None:
            return None
        if not counts or watches[-1].is_form(code):
            self.disabled[id(code)] = code
            return sys.monitoring.DISABLE
        for watch in watches:
            watch.note(code)
        return None

    def _thrown(self, code, offset, _exception):
        self._started(code, offset)  # the answer is not returned: this event cannot be disabled


_monitor = _Monitor()


def _share_profiler(watch):
    """Watch by the profile hook of this thread, or by its trace hook beside a compiled profiler."""
    profiler = sys.getprofile()
    if profiler is None:
        return _Alone(watch)
    if callable(profiler):
        return _Shared(watch, profiler, sys.getprofile, sys.setprofile)
    if sys.gettrace() is None:
        return _Shared(watch, None, sys.gettrace, sys.settrace)
    watch.frames.append(("", 0, f"a profiler that cannot be shared ({type(profiler).__name__})"))
    return _Nothing()


class _Alone:
    """The profile hook of a thread that nobody else has."""

    __slots__ = ("hook", "watch")

    def __init__(self, watch):
        self.watch = watch
        self.hook = ProfileHook(self._started)
        self.hook.start()

    def leave(self, _watch):
        if sys.getprofile() is self.hook:  # else `f` has set a hook of its own, and means to
            self.hook.stop()

    def _started(self, code):
        if not _is_users_code(code) or self.watch.is_form(code):
            return False
        self.watch.note(code)
        return True


class _Shared:
    """The profile or trace hook of a thread, which passes on everything to the one before."""

    __slots__ = ("before", "get", "known", "set", "watch")

    def __init__(self, watch, before, get, set):
        self.watch, self.before, self.get, self.set = watch, before, get, set
        self.known = {}  # id of code -> the code, and whether its frames count
        set(self.call)

    def leave(self, _watch):
        if self.get() == self.call:  # else `f` has set a hook of its own, and means to
            self.set(self.before)

    def call(self, frame, event, arg):
        if event == "call":
            code = frame.f_code
            entry = self.known.get(id(code))
            if entry is None:
                counts = _is_users_code(code) and not self.watch.is_form(code)
                entry = self.known[id(code)] = code, counts
            if entry[1]:
                self.watch.note(code)
        if self.before is not None:
            self.before(frame, event, arg)


class _Nothing:
    """Nobody watches."""

    __slots__ = ()

    def leave(self, _watch):
        """There is nothing to give back."""
