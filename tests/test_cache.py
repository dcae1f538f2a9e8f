"""The cache of specialized code: bounds, counts, threads, forks, and what it keeps alive."""

import copy
import gc
import os
import pickle
import threading
import warnings
import weakref

import numpy as np
import pytest
from hybridad._dispatch import Dispatcher

from hybridad import cache as caches
from hybridad.cache import LIMIT, MOST_SIDES, MOST_STATEMENTS, PATIENCE, Cache, CacheInfo
from hybridad.errors import ArgumentError, SpecializationWarning


class Engine:
    """What the engine does with a cache, around code that is there already."""

    def __init__(self, code=lambda x, *rest: (float(x.size), x), limit=LIMIT, **facts):
        self.code, self.facts = code, facts
        self.cache = Cache(limit, "loss")
        self.recorded = []
        self.dispatcher = Dispatcher(lambda *args: None, self.cache, (0,), None, self.slow)

    def slow(self, call):
        with self.cache.claim(call) as granted:
            if granted:
                self.recorded.append(call.leaves[0].shape)
                self.cache.teach(call, self.code, **self.facts)
            else:
                self.cache.fall_back()
        return "tape"

    def __call__(self, *args):
        return self.dispatcher(*args)


def info(engine):
    return tuple(engine.cache.info())


def test_what_is_counted():
    engine = Engine(lambda x, n: (1.0, x) if n else None, paths=3)
    assert info(engine) == (0, 0, 0, 0, 0, 0)
    for n in (1, 1, 0, 1):
        engine(np.ones(3), n)
    assert engine.cache.info() == CacheInfo(hits=2, exits=1, recordings=2, fallbacks=0, paths=3,
                                            signatures=1)
    engine(np.ones(4), 1)
    assert engine.cache.info() == CacheInfo(2, 1, 3, 0, 6, 2)


def test_an_entry_keeps_its_counts_when_it_grows():
    engine = Engine(lambda x, n: (1.0, x) if n else None)
    for n in (1, 1, 1, 0, 1):
        engine(np.ones(3), n)
    (entry,) = engine.cache.entries.values()
    assert (entry.hits, entry.exits, entry.paths) == (3, 1, 1)


def test_what_is_taught_is_in_the_entry():
    engine = Engine(trace="trace", begin=lambda f: "run")
    engine(np.ones(3))
    (entry,) = engine.cache.entries.values()
    assert (entry.trace, entry.function, entry.reason) == ("trace", engine.code, None)
    assert entry.begin(None) == "run"


def test_the_least_recently_used_goes():
    engine = Engine(limit=3)
    a, b, c, d = (np.ones(k) for k in range(1, 5))
    for x in (a, b, c, a, d, a, c, b):
        engine(x)
    # b goes for d, then d for b: a and c have been used since.
    assert engine.recorded == [(1,), (2,), (3,), (4,), (2,)]
    assert info(engine) == (3, 0, 5, 0, 3, 3)
    assert engine(a) != "tape" and engine(c) != "tape" and engine(d) == "tape"


def test_the_limit_can_be_set():
    engine = Engine(limit=2)
    assert engine.cache.limit == 2 and Cache().limit == 64
    engine.cache.limit = 4
    arrays = [np.ones(k) for k in range(1, 5)]
    for x in arrays * 2:
        engine(x)
    assert info(engine) == (4, 0, 4, 0, 4, 4)
    engine.cache.limit = 1
    assert engine.cache.info().signatures == 1
    assert engine(arrays[3]) != "tape" and engine(arrays[2]) == "tape"


@pytest.mark.parametrize("limit", [0, -1, 2.0, True, None, "3"])
def test_a_limit_is_a_positive_integer(limit):
    with pytest.raises(ArgumentError, match="no number of signatures"):
        Cache(limit)
    cache = Cache()
    with pytest.raises(ArgumentError, match="Give a positive integer"):
        cache.limit = limit
    assert cache.limit == LIMIT


def test_clearing_forgets_all_but_the_limit():
    engine = Engine(limit=5)
    for _ in range(3):
        engine(np.ones(3))
    engine.cache.clear()
    assert info(engine) == (0, 0, 0, 0, 0, 0) and engine.cache.limit == 5
    assert engine(np.ones(3)) == "tape" and engine(np.ones(3)) != "tape"


def test_a_signature_that_is_refused():
    engine = Engine()
    slow = engine.dispatcher.slow
    engine.dispatcher.slow = lambda call: engine.cache.refuse(call, "it reads the clock")
    entry = engine(np.ones(3))
    engine.dispatcher.slow = slow
    assert entry.reason == "it reads the clock" and info(engine) == (0, 0, 0, 0, 0, 0)
    for _ in range(3):
        assert engine(np.ones(3)) == "tape"
    assert engine.recorded == [] and info(engine) == (0, 0, 0, 3, 0, 0)
    assert engine(np.ones(4)) == "tape" and engine.recorded == [(4,)]


# Bounds -----------------------------------------------------------------------------------------


def test_new_shapes_for_ever_stay_on_the_tape():
    engine = Engine(limit=2)
    x = np.ones(3)
    engine(x, 1.0)
    with pytest.warns(SpecializationWarning) as caught:
        for k in range(4, 80):
            engine(np.ones(k), 1.0)
            engine(x, 1.0)
    (warning,) = caught
    text = str(warning.message)
    # One signature fits beside that of x; from then on each recording costs another one.
    assert len(engine.recorded) == 2 + PATIENCE
    assert text.startswith("loss stays on the tape for new arguments: each of its last 20 "
                           "recordings was for arguments unlike all 2 before; argument 0 keeps "
                           "changing (float64[5], float64[6], float64[7], ...).")
    assert f"at {__file__}:" in text and "self.cache.teach(call, self.code" in text
    assert warning.filename == __file__
    assert engine.cache.reason in text
    assert engine(x, 1.0) != "tape"  # what is known stays known
    assert engine(np.ones(79), 1.0) == "tape"
    before = engine.cache.info()
    engine(np.ones(1000), 1.0)
    assert engine.cache.info() == before._replace(fallbacks=before.fallbacks + 1)


def test_after_clearing_it_is_tried_again():
    engine = Engine(limit=1)
    for _ in range(2):
        with pytest.warns(SpecializationWarning):
            for k in range(1, 30):
                engine(np.ones(k))
        engine.cache.clear()
        assert engine.cache.reason is None


def test_patience_starts_anew_when_nothing_had_to_go():
    engine = Engine(lambda x, n: (1.0, x) if n else None, limit=1)
    for k in range(1, 100):
        engine(np.ones(k), 1)
        if k % (PATIENCE - 1) == 0:
            engine(np.ones(k), 0)  # an exit: another path of the same signature
    assert engine.cache.reason is None and engine.cache.fallbacks == 0


def test_what_keeps_changing_is_named():
    def changing(*calls):
        engine = Engine(limit=1)
        for args in calls:
            engine(*args)
        return caches._changing(engine.cache._evicting)

    x = np.ones(3)
    assert changing(*[(x, "abcdef"[:k]) for k in range(5)]) == \
        "argument 1 keeps changing ('a', 'ab', 'abc', ...)"
    assert changing(*[([x] * k,) for k in range(1, 5)]) == \
        "argument 0 keeps changing (a list of 2, a list of 3, a list of 4, ...)"
    assert changing(*[(x, np.ones((k % 2, k))) for k in range(5)]) == \
        "argument 1 keeps changing (float64[1, 1], float64[0, 2], float64[1, 3], ...)"
    block = np.ones(100)
    assert changing(*[(block, block[k:k + 3]) for k in range(5)]) == \
        "which of them share memory keeps changing"


@pytest.mark.parametrize("facts, what", [
    ({"sides": MOST_SIDES + 1, "guard": "fit.py:3  if x > 0:"},
     "it has more than 256 paths; fit.py:3  if x > 0: keeps changing."),
    ({"statements": MOST_STATEMENTS + 1}, "it would become more than 20,000 statements."),
])
def test_a_trace_that_is_too_large_stays_on_the_tape(facts, what):
    engine = Engine(**facts)
    with pytest.warns(SpecializationWarning) as caught:
        for _ in range(3):
            assert engine(np.ones(3)) == "tape"
        assert engine(np.ones(4)) == "tape"
    (warning,) = caught  # one for a function, not one for a signature
    assert f"loss stays on the tape for these arguments: {what}\n" in str(warning.message)
    assert len(engine.recorded) == 2 and info(engine) == (0, 0, 2, 2, 0, 0)
    assert all(entry.function is None and entry.trace is None and entry.reason
               for entry in engine.cache.entries.values())


def test_a_trace_at_its_bounds_is_used():
    engine = Engine(sides=MOST_SIDES, statements=MOST_STATEMENTS)
    engine(np.ones(3))
    assert engine(np.ones(3)) != "tape"


def test_a_warning_that_is_an_error_leaves_the_cache_right():
    engine = Engine(statements=MOST_STATEMENTS + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(SpecializationWarning):
            engine(np.ones(3))
    assert engine(np.ones(3)) == "tape" and info(engine) == (0, 0, 1, 1, 0, 0)


def test_a_warning_where_no_line_is_the_users(monkeypatch):
    monkeypatch.setattr(caches, "user_frame", lambda: None)
    engine = Engine(statements=MOST_STATEMENTS + 1)
    with pytest.warns(SpecializationWarning, match="20,000 statements"):
        engine(np.ones(3))


# Threads and processes --------------------------------------------------------------------------


def in_threads(work, n=8):
    threads = [threading.Thread(target=work) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads)


def test_concurrent_first_calls_record_once():
    engine = Engine()
    teach, barrier = engine.cache.teach, threading.Barrier(8)
    recording, proceed = threading.Event(), threading.Event()

    def slowly(call, code, **facts):
        recording.set()
        assert proceed.wait(20)
        return teach(call, code, **facts)

    engine.cache.teach = slowly
    answers = []

    def work():
        barrier.wait(20)
        answers.append(engine(np.ones(3)))
        if len(answers) == 7:  # nobody waited for who records
            proceed.set()

    in_threads(work)
    assert recording.is_set() and answers == ["tape"] * 8
    assert engine.recorded == [(3,)] and info(engine) == (0, 0, 1, 7, 1, 1)
    assert engine(np.ones(3)) != "tape"


def test_hits_do_not_wait_for_a_recording():
    engine = Engine(lambda x, n: (1.0, x) if n else None)
    engine(np.ones(3), 1)
    teach, found = engine.cache.teach, []

    def slowly(call, code, **facts):
        in_threads(lambda: found.append(engine(np.ones(3), 1)), 3)
        return teach(call, code, **facts)

    engine.cache.teach = slowly
    assert engine(np.ones(3), 0) == "tape"
    assert [answer[0] for answer in found] == [1.0] * 3


def test_who_has_run_old_code_does_not_record():
    engine = Engine(lambda x: None)
    calls = []
    slow = engine.dispatcher.slow
    engine(np.ones(3))
    engine.dispatcher.slow = calls.append
    engine(np.ones(3))
    engine(np.ones(3))
    engine.code = lambda x: (2.0, x)
    for call in calls:  # both left the old code; the first one that comes teaches the path
        slow(call)
    assert info(engine)[2:4] == (2, 1)
    missed = Engine()
    missed.dispatcher.slow = calls.append
    missed(np.ones(3))
    missed(np.ones(3))
    missed.slow(calls[-1])
    missed.slow(calls[-2])
    assert info(missed)[2:4] == (1, 1)


def test_a_call_that_failed_can_be_recorded_again():
    engine = Engine()
    teach = engine.cache.teach

    def fail(call, code, **facts):
        raise ZeroDivisionError

    engine.cache.teach = fail
    with pytest.raises(ZeroDivisionError):
        engine(np.ones(3))
    engine.cache.teach = teach
    assert engine(np.ones(3)) == "tape" and engine(np.ones(3)) != "tape"


def test_a_recording_inside_itself_does_not_wait():
    engine = Engine()
    teach, inner = engine.cache.teach, []

    def recursively(call, code, **facts):
        inner.append(engine(np.ones(3)))
        return teach(call, code, **facts)

    engine.cache.teach = recursively
    assert engine(np.ones(3)) == "tape" and inner == ["tape"]
    assert info(engine) == (0, 0, 1, 1, 1, 1)


def test_many_threads_many_signatures():
    engine = Engine(limit=4)
    arrays = [np.ones(k) for k in range(6)]
    engine.cache._evicting = engine.cache._evicting.__class__(maxlen=10**9)  # no end of patience

    def work():
        for k in range(300):
            x = arrays[k * k % 6]
            answer = engine(x)
            assert answer == "tape" or answer[1] is x

    in_threads(work, 4)
    found = engine.cache.info()
    assert found.hits + found.recordings + found.fallbacks == 1200 and found.signatures <= 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_process_has_fresh_locks_and_the_entries():
    engine = Engine()
    engine(np.ones(3))
    (entry,) = engine.cache.entries.values()
    held, done = threading.Event(), threading.Event()

    def hold():
        call = []
        slow, engine.dispatcher.slow = engine.dispatcher.slow, call.append
        engine(np.ones(5))
        engine.dispatcher.slow = slow
        with engine.cache.claim(call[0]) as granted, engine.cache._lock:
            assert granted
            held.set()
            done.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads and fork, from 3.12 on
        child = os.fork()
    if child == 0:
        try:
            ok = (engine(np.ones(3)) != "tape"
                  and engine(np.ones(5)) == "tape" and engine(np.ones(5)) != "tape"
                  and engine.cache.info().signatures == 2
                  and entry in engine.cache.entries.values())
            os._exit(0 if ok else 1)
        except BaseException:
            os._exit(2)
    deadline = threading.Timer(20, os.kill, (child, 9))
    deadline.start()
    _, status = os.waitpid(child, 0)
    deadline.cancel()
    done.set()
    thread.join()
    assert os.waitstatus_to_exitcode(status) == 0
    assert engine.cache.info().signatures == 1  # nothing of the child's is here


@pytest.mark.parametrize("duplicate", [
    copy.copy, copy.deepcopy, lambda cache: pickle.loads(pickle.dumps(cache))],
    ids=["copy", "deepcopy", "pickle"])
def test_a_copy_is_empty_and_has_the_limit(duplicate):
    engine = Engine(limit=7)
    engine(np.ones(3))
    found = duplicate(engine.cache)
    assert type(found) is Cache and found is not engine.cache
    assert found.limit == 7 and found.name == "loss"
    assert found.info() == CacheInfo(0, 0, 0, 0, 0, 0)
    assert found._lock is not engine.cache._lock and engine.cache.info().signatures == 1


# What is kept alive -----------------------------------------------------------------------------


def test_caches_of_two_closures_have_nothing_in_common():
    def make(k):
        return Engine(lambda x: (k, x))

    one, two = make(1.0), make(2.0)
    x = np.ones(3)
    for engine in (one, two):
        engine(x)
    assert one(x)[0] == 1.0 and two(x)[0] == 2.0
    assert info(one) == info(two) == (1, 0, 1, 0, 1, 1)


def test_arguments_and_results_are_not_kept():
    class Array:
        pass

    engine = Engine(lambda x, own: (1.0, x))
    x, own = np.ones(3), Array()
    engine(x, own)
    result = engine(x, own)[1]
    gone = weakref.ref(x), weakref.ref(own)
    del x, own, result
    assert gone[0]() is None and gone[1]() is None and engine.cache.info().signatures == 1


def test_a_function_and_its_cache_die_together():
    def f(x):
        pass

    engine = Engine(lambda x, f=f: (f, x))
    dispatcher = Dispatcher(f, engine.cache, (0,), None, engine.slow)
    dispatcher(np.ones(3))
    assert dispatcher(np.ones(3))[0] is f
    f.gradient = dispatcher  # as what is kept by an object whose method f is
    gone = weakref.ref(f), weakref.ref(engine.cache)
    del f, engine, dispatcher
    gc.collect()
    assert gone[0]() is None and gone[1]() is None


def test_a_cache_alone_keeps_no_function():
    def f(x):
        pass

    cache = Cache()
    slow = lambda call: cache.teach(call, lambda x: (1.0, x))
    dispatcher = Dispatcher(f, cache, (0,), None, slow)
    dispatcher(np.ones(3))
    dispatcher(np.ones(3))
    gone = weakref.ref(f)
    del f, dispatcher
    assert gone() is None and cache.info().hits == 1


def test_caches_are_shown_by_name():
    engine = Engine(limit=3)
    engine(np.ones(3))
    assert repr(engine.cache) == "<Cache of loss: 1 of 3 signatures>"
