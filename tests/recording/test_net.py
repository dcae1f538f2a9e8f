"""The completeness net: which frames are noted, and that other tools notice nothing of it."""

import collections
import cProfile
import dataclasses
import fractions
import functools
import gc
import sys
import threading

import numpy as np
import pytest

from hybridad.errors import message
from hybridad.recording import net
from hybridad.recording.net import unwatched, watch

MONITORING = getattr(sys, "monitoring", None)
needs_monitoring = pytest.mark.skipif(MONITORING is None, reason="Python 3.12 and later")
IDS = net._FREE_FOR_ALL


@pytest.fixture(params=["best", "profile"], autouse=True)
def hook(request, monkeypatch):
    """As this Python does it, and by the profile hook; nothing is left set."""
    if request.param == "profile":
        monkeypatch.setattr(net._monitor, "enter", {}.get)  # no frame of ours
    before = sys.getprofile(), sys.gettrace(), tools()
    yield request.param
    assert (sys.getprofile(), sys.gettrace(), tools()) == before
    assert net._monitor.watches == {} and net._monitor.disabled == {}


def tools():
    return MONITORING and [MONITORING.get_tool(k) for k in range(6)]


def nothing(code):
    return False


def never():
    return False


def names(run, is_form=nothing, is_suspended=never):
    with watch(is_form, is_suspended) as frames:
        run()
    return [name.removeprefix(f"{run.__qualname__}.<locals>.").split(".<locals>.")[-1]
            for _, _, name in frames if name != run.__qualname__]


def plain():
    return 1


def test_a_frame_is_its_file_line_and_name():
    with watch(nothing, never) as frames:
        plain()
        plain()
    assert frames == [(__file__, plain.__code__.co_firstlineno, "plain")]


class Point:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x

    def __hash__(self):
        return 1

    def __bool__(self):
        return True

    def __iter__(self):
        yield 1.0

    @property
    def size(self):
        return 1

    def __array__(self, dtype=None, copy=None):
        return np.ones(1)


@pytest.mark.parametrize(("run", "expected"), [
    (lambda p, q: {p: 1}[q], ["Point.__hash__", "Point.__eq__"]),
    (lambda p, q: [p].index(q), ["Point.__eq__"]),
    (lambda p, q: list(filter(None, [p])), ["Point.__bool__"]),
    (lambda p, q: sum(p), ["Point.__iter__"]),
    (lambda p, q: p.size, ["Point.size"]),
    (lambda p, q: np.asarray(p), ["Point.__array__"]),
    (lambda p, q: Point(1), ["Point.__init__"]),
    (lambda p, q: functools.reduce(lambda a, b: a, [1, 2]), ["<lambda>"]),
    (lambda p, q: sorted([1, 2], key=lambda a: -a), ["<lambda>"]),
])
def test_what_native_code_calls_back(run, expected):
    p, q = Point(1), Point(1)
    with watch(nothing, never) as frames:
        run(p, q)
    assert [name.split(".<locals>.")[-1] for _, _, name in frames[1:]] == expected


def test_what_is_not_the_users_does_not_count():
    def run():
        dataclasses.replace(Dated(1), x=2)
        Named(1)
        np.polynomial.Polynomial([1.0])(2.0)
        fractions.Fraction(1, 3) + 1
        message("nothing", where="")

    assert names(run) == []


@dataclasses.dataclass
class Dated:
    x: int
    made: list = dataclasses.field(default_factory=list)


Named = collections.namedtuple("Named", "x")


@dataclasses.dataclass
class Checked:
    x: int
    y: list = dataclasses.field(default_factory=lambda: [1])

    def __post_init__(self):
        self.x += 1


def test_what_a_generated_method_calls_counts():
    assert names(lambda: Checked(1)) == ["Checked.<lambda>", "Checked.__post_init__"]


def test_cupy_does_not_count(monkeypatch):
    fake = type(sys)("cupy")
    fake.__file__ = "/somewhere/cupy/__init__.py"
    monkeypatch.setitem(sys.modules, "cupy", fake)
    space = {}
    exec(compile("def inside(): pass", "/somewhere/cupy/core.py", "exec"), space)
    exec(compile("def beside(): pass", "/somewhere/cupyx.py", "exec"), space)

    def run():
        space["inside"]()
        space["beside"]()

    assert names(run) == ["beside"]


def test_an_import_is_a_foreign_call(tmp_path, monkeypatch):
    (tmp_path / "imported_by_the_net.py").write_text("def f(): return 1\n\nx = f()\n")
    monkeypatch.syspath_prepend(tmp_path)

    def run():
        import imported_by_the_net

        return imported_by_the_net.f()

    with watch(nothing, never) as frames:
        run()
    del sys.modules["imported_by_the_net"]
    assert [(name, line) for _, line, name in frames[1:]] == [("f", 1)]


class Collecting:
    def callback(self, phase, info):
        plain()

    def __call__(self, phase, info):
        plain()


@pytest.mark.parametrize("callback", [
    lambda phase, info: plain(), Collecting(), Collecting().callback,
    functools.partial(lambda more, phase, info: plain(), 1),
    functools.wraps(plain)(lambda phase, info: plain())])
def test_callbacks_of_the_garbage_collector_do_not_count(callback):
    def run():
        gc.callbacks.append(callback)
        gc.collect()
        gc.callbacks.remove(callback)
        other()

    def other():
        return 1

    assert names(run) == ["other"]


def test_generators_of_packages_die_anywhere():
    """What a package has left suspended is closed when its last reference is gone."""
    text = ("def suspended():\n    try:\n        yield\n    finally:\n        pass\n\n"
            "def called(): pass\n")
    package, user = {}, {}
    exec(compile(text, "/lib/site-packages/some_package.py", "exec"), package)
    exec(compile(text, "/home/some_module.py", "exec"), user)
    held = [package["suspended"](), user["suspended"]()]
    for generator in held:
        next(generator)
    del generator
    with watch(nothing, never) as frames:
        held.clear()
        package["called"]()
    assert frames == [("/home/some_module.py", 1, "suspended"),
                      ("/lib/site-packages/some_package.py", 7, "called")]


@pytest.mark.parametrize("hook", ["profile"], indirect=True)
def test_what_is_unwatched_does_not_count():
    def run():
        with unwatched():
            assert sys.getprofile() is None
            plain()
        other()

    def other():
        return 1

    with unwatched():
        assert names(run) == ["other"]
        assert sys.getprofile() is None


def test_unwatched_leaves_the_users_profiler():
    def run():
        sys.setprofile(profiler)
        with unwatched():
            assert sys.getprofile() is profiler

    profiler = Profiler()
    try:
        names(run)
    finally:
        sys.setprofile(None)
    assert ("unwatched", "call") in profiler.events


def test_all_counts_where_the_run_is_itself_below_an_import(tmp_path, monkeypatch):
    (tmp_path / "runs_while_imported.py").write_text(
        "from hybridad.recording.net import watch\n"
        "def f(): return 1\n"
        "with watch(lambda code: False, lambda: False) as frames:\n"
        "    f()\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("runs_while_imported")
    del sys.modules["runs_while_imported"]
    assert [name for _, _, name in module.frames] == ["f"]


def test_code_without_a_file_counts():
    space = {}
    exec("def written(): pass", space)
    assert names(lambda: space["written"]()) == ["written"]


def test_recording_forms_do_not_count():
    def form():
        def inner():
            return plain()
        return inner()

    def is_form(code):
        return "form" in code.co_qualname

    assert names(lambda: form(), is_form) == ["plain"]


def test_below_a_foreign_call_nothing_counts():
    suspended = []

    def foreign():
        suspended.append(True)
        plain()
        suspended.clear()

    def run():
        foreign()
        other()

    def other():
        return 1

    assert names(run, is_suspended=lambda: bool(suspended)) == ["foreign", "other"]

    def again():
        foreign()
        plain()

    assert names(again, is_suspended=lambda: bool(suspended)) == ["foreign", "plain"]


def test_generators_count_when_they_go_on():
    def numbers():
        try:
            while True:
                yield 1
        except ValueError:
            yield 2

    fresh, running, thrown = numbers(), numbers(), numbers()
    next(running)
    next(thrown)
    for use in (lambda: next(fresh), lambda: next(running), lambda: thrown.throw(ValueError)):
        assert names(use) == ["numbers"]


def test_a_generator_in_recording_form_does_not_count():
    def numbers():
        yield from (x for x in [1, 2])

    asked = []

    def is_form(code):
        asked.append(code.co_name)
        return True

    def run():
        for _ in range(100):
            list(numbers())

    assert names(run, is_form) == []
    assert 0 < len(asked) <= 10


def test_exceptions_go_through():
    def fails():
        raise KeyError("k")

    frames = []
    with pytest.raises(KeyError):
        with watch(nothing, never) as frames:
            fails()
    assert [name.split(".")[-1] for _, _, name in frames] == ["fails"]


def test_twenty_are_noted():
    functions = []
    for k in range(25):
        space = {}
        exec(f"def f{k}(): pass", space)
        functions.append(space[f"f{k}"])

    def run():
        for _ in range(2):
            for function in functions:
                function()

    with watch(nothing, never) as frames:
        functions[0]()
        functions[0]()
        run()
    assert len(frames) == 20
    assert [name for _, _, name in frames][:1] == ["f0"]
    assert len(set(frames)) == 20


def test_a_function_made_anew_is_one_frame():
    def run():
        for _ in range(3):
            (lambda: 1)()

    assert names(run) == ["<lambda>"]


def test_a_watch_within_a_watch():
    def first():
        return 1

    def second():
        return 2

    def third():
        return 3

    def short(frames):
        return [name.split(".")[-1] for _, _, name in frames]

    suspended = [False]
    with watch(nothing, lambda: suspended[0]) as outer:
        first()
        with watch(nothing, never) as inner:
            second()
            suspended[0] = True
            third()
        first()
        suspended[0] = False
        with watch(nothing, never) as again:
            pass
        third()
    assert short(outer) == ["first", "second", "third"]
    assert short(inner) == ["second", "third"]
    assert again == []


def test_code_is_looked_at_once():
    """So that what is in recording form runs at its own speed."""
    asked = collections.Counter()

    def is_form(code):
        asked[code] += 1
        return True

    def run():
        for _ in range(1000):
            plain()

    assert names(run, is_form) == []
    assert asked[plain.__code__] == 1


def test_other_threads_do_not_count():
    def elsewhere():
        for _ in range(100):
            plain()

    def run():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()

    assert names(run) == []


def test_threads_watch_on_their_own():
    barrier = threading.Barrier(2)
    found = {}

    def work(function):
        with watch(nothing, never) as frames:
            barrier.wait()
            function()
            barrier.wait()
        found[function] = [name.split(".")[-1] for _, _, name in frames]

    def one():
        return 1

    def two():
        return 2

    threads = [threading.Thread(target=work, args=(function,)) for function in (one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {one: ["one"], two: ["two"]}


class Profiler:
    def __init__(self):
        self.events = []

    def __call__(self, frame, event, arg):
        self.events.append((frame.f_code.co_name, event))


def test_a_profiler_sees_all_and_stays():
    profiler = Profiler()
    sys.setprofile(profiler)
    try:
        found = names(lambda: plain())
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)
    assert found == ["plain"]
    assert [event for name, event in profiler.events if name == "plain"] == ["call", "return"]


def test_a_profiler_that_is_set_within_stays():
    profiler = Profiler()

    def run():
        sys.setprofile(profiler)

    try:
        names(run)
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)


def test_a_debugger_sees_all_and_stays():
    lines = []

    def trace(frame, event, arg):
        if frame.f_code is plain.__code__:
            lines.append(event)
            return trace
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        found = names(lambda: plain())
        assert sys.gettrace() is trace
    finally:
        sys.settrace(before)
    assert found == ["plain"]
    assert lines == ["call", "line", "return"]


def test_a_compiled_profiler_goes_on():
    before = sys.gettrace()
    sys.settrace(None)
    profiler = cProfile.Profile()
    try:
        with profiler:
            found = names(lambda: plain())
            plain()
    finally:
        sys.settrace(before)
    assert found == ["plain"]
    (entry,) = [e for e in profiler.getstats() if e.code is plain.__code__]
    assert entry.callcount == 2


def test_a_profiler_that_leaves_no_room_is_noted(hook, monkeypatch):
    """A compiled profiler has the one hook of a thread, a debugger the other."""
    monkeypatch.setattr(net._monitor, "enter", {}.get)
    monkeypatch.setattr(net.sys, "getprofile", lambda: object())
    trace = lambda frame, event, arg: None
    monkeypatch.setattr(net.sys, "gettrace", lambda: trace)
    with watch(nothing, never) as frames:
        plain()
    monkeypatch.undo()
    assert frames == [("", 0, "a profiler that cannot be shared (object)")]


@needs_monitoring
class TestMonitoring:
    @pytest.fixture(autouse=True)
    def best_only(self, hook):
        if hook != "best":
            pytest.skip("not by sys.monitoring")

    def test_a_free_id_is_used_and_given_back(self):
        assert all(MONITORING.get_tool(tool) is None for tool in IDS)
        with watch(nothing, never):
            assert "hybridad" in tools()
            assert sys.getprofile() is None
        assert "hybridad" not in tools()

    def test_ids_in_use_are_not_taken(self):
        for tool in IDS:
            MONITORING.use_tool_id(tool, f"other {tool}")
        try:
            assert names(lambda: plain()) == ["plain"]
            assert [MONITORING.get_tool(tool) for tool in IDS] == [f"other {t}" for t in IDS]
        finally:
            for tool in IDS:
                MONITORING.free_tool_id(tool)

    def test_another_tool_gets_its_events(self):
        """A tool like coverage: every line once, as it disables what it has seen."""
        lines = []
        tool = IDS[0]

        def line(code, number):
            if code is plain.__code__:
                lines.append(number)
            return MONITORING.DISABLE

        MONITORING.use_tool_id(tool, "lines")
        MONITORING.register_callback(tool, MONITORING.events.LINE, line)
        MONITORING.set_events(tool, MONITORING.events.LINE)
        try:
            for _ in range(3):
                assert names(lambda: plain()) == ["plain"]
        finally:
            MONITORING.set_events(tool, 0)
            MONITORING.free_tool_id(tool)
        assert lines == [plain.__code__.co_firstlineno + 1]

    @pytest.mark.parametrize("tool", IDS)
    def test_who_gets_the_id_next_misses_nothing(self, tool):
        def code():
            return 1

        names(lambda: (code(), code()), is_form=lambda code: True)
        started = []
        MONITORING.use_tool_id(tool, "next")
        event = MONITORING.events.PY_START
        MONITORING.register_callback(tool, event, lambda code, _: started.append(code))
        MONITORING.set_events(tool, event)
        code()
        code()
        MONITORING.set_events(tool, 0)
        MONITORING.register_callback(tool, event, None)
        MONITORING.free_tool_id(tool)
        assert started.count(code.__code__) == 2
