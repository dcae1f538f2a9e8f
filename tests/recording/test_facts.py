"""What is remembered of runs."""

import functools
import pickle
import threading

from hybridad.recording.facts import Facts, Frame, History, Reason, attach, history_of


def test_facts_of_a_run_that_was_followed():
    facts = Facts.of("tape", [], [], 12, 3)
    assert facts == Facts("tape", (), 12, 3)


def test_reasons_are_texts_then_frames_each_once():
    frame = ("fit.py", 3, "Point.__eq__")
    own = Reason("no source for <lambda>", Frame("<string>", 1, "<lambda>"))
    facts = Facts.of("tape", ["exec was called", own, "exec was called"], [frame, frame], 0, 0)
    assert facts.reasons == (
        Reason("exec was called"),
        own,
        Reason("Point.__eq__ ran outside the recording form", Frame(*frame)),
    )
    assert str(facts.reasons[-1].frame) == "fit.py:3 in Point.__eq__"


def test_a_profiler_that_leaves_no_room_is_no_frame():
    found = [("", 0, "a profiler that cannot be shared (P)")]
    (reason,) = Facts.of("tape", [], found, 0, 0).reasons
    assert reason == Reason("nobody could watch beside a profiler that cannot be shared (P)")


def test_all_calls_are_counted_and_the_last_runs_kept():
    history = History("f")
    for k in range(25):
        history.add("tape", [], [], k, 0)
    assert history.calls == 25
    assert history.runs == [Facts("tape", entries=k) for k in range(15, 25)]
    assert repr(history) == "<History of f: 25 calls>"


def test_threads_lose_no_call():
    history = History("f")

    def work():
        for _ in range(1000):
            history.add("tape", [], [], 0, 0)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert history.calls == 4000


def test_a_function_has_its_own_history_and_not_that_of_what_it_wraps():
    def f():
        return 1

    inner = attach(f, History("inner"))

    @functools.wraps(inner)
    def wrapper():
        return inner()

    assert history_of(wrapper).name == "inner"  # a decorator of the user's: shown through
    assert history_of(attach(wrapper, History("outer"))).name == "outer"
    assert history_of(inner).name == "inner"


def test_what_is_not_hybridads_has_none():
    class Odd:
        def __getattr__(self, name):
            return "anything"

    for other in (print, Odd(), None, len):
        assert history_of(other) is None


def test_a_history_goes_through_pickle_empty():
    history = History("f")
    history.add("tape", ["exec was called"], [], 7, 1)
    assert history.runs == [Facts("tape", (Reason("exec was called"),), 7, 1)]
    again = pickle.loads(pickle.dumps(history))
    assert (again.name, again.calls, list(again.runs)) == ("f", 0, [])
