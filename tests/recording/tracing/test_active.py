"""Which trace run is in progress."""

import threading
import types

from hybridad.recording.tracing.active import begin, end, here


def test_runs_are_nested_and_each_thread_has_its_own():
    outer, inner = (types.SimpleNamespace(suspended=0) for _ in range(2))
    assert here() is None
    first = begin(outer)
    second = begin(inner)
    assert here() is inner
    seen = []
    thread = threading.Thread(target=lambda: seen.append(here()))
    thread.start()
    thread.join()
    assert seen == [None]
    end(second)
    assert here() is outer
    end(first)
    assert here() is None


def test_there_is_none_below_a_foreign_call():
    run = types.SimpleNamespace(suspended=0)
    before = begin(run)
    run.suspended = 1
    assert here() is None
    run.suspended = 0
    assert here() is run
    end(before)
