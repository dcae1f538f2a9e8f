"""The dispatcher: from a call to specialized code, and what it hands over."""

import gc
import threading
import weakref
from collections import namedtuple

import numpy as np
import pytest
from hybridad._dispatch import Dispatcher, Entry, Table

import hybridad
from hybridad.recording.arguments import normalize_argnums, select
from tests.recording.unfound import unfound

X, Y = np.ones(3), np.arange(4.0)
Point = namedtuple("Point", "x y")


def plain(*args, **kwargs):
    """What is differentiated; nothing here calls it."""


class Engine:
    """Puts `code` into the table at the first call of a signature; answers "tape" itself."""

    def __init__(self, code, function=plain, argnums=0, begin=None, teaches=True, **options):
        self.code, self.begin, self.teaches = code, begin, teaches
        self.calls, self.table = [], Table()
        normal = normalize_argnums(argnums)
        self.dispatcher = Dispatcher(
            function, self.table, normal,
            lambda args, kwargs: select(function, normal, args, kwargs), self.slow,
            single=not isinstance(argnums, tuple), **options)

    def slow(self, call):
        self.calls.append(call)
        if self.teaches and call.signature is not None:
            entry = Entry(call.signature)
            entry.function, entry.begin = self.code, self.begin
            self.table.add(entry)
        return "tape"

    def __call__(self, *args, **kwargs):
        return self.dispatcher(*args, **kwargs)


def test_the_first_call_is_handed_over_and_the_second_answered():
    got = []
    engine = Engine(lambda *leaves: (got.append(leaves), (1.5, Y))[1])
    assert engine(X, 2, n=[3]) == "tape"
    (call,) = engine.calls
    assert call.args == (X, 2) and call.kwargs == {"n": [3]} and call.keys == (0,)
    assert [type(x) for x in call.leaves] == [np.ndarray, int, list]
    assert call.entry is call.function is call.run is call.outcome is None
    three = [3]
    value, gradient = engine(X, 5, n=three)
    assert value == 1.5 and gradient is Y and len(engine.calls) == 1
    assert got[0][0] is X and got[0][1:] == (5, [3]) and got[0][2] is three
    (entry,) = engine.table.entries.values()
    assert (engine.table.hits, engine.table.exits, entry.hits, entry.exits) == (1, 0, 1, 0)


@pytest.mark.parametrize("options, result, expected", [
    ({}, (1.0, Y), (1.0, Y)),
    ({"has_aux": True}, (1.0, "aux", Y), ((1.0, "aux"), Y)),
    ({"returns_value": False}, (1.0, Y), Y),
    ({"returns_value": False, "has_aux": True}, (1.0, "aux", Y), (Y, "aux")),
    ({"argnums": (0,)}, (1.0, Y), (1.0, (Y,))),
    ({"argnums": (0, 1)}, (1.0, Y, 2.0), (1.0, (Y, 2.0))),
    ({"argnums": (1, 0)}, (1.0, 2.0, Y), (1.0, (2.0, Y))),
    ({"argnums": (-1, 0)}, (1.0, 2.0, Y), (1.0, (2.0, Y))),
    ({"argnums": -2}, (1.0, Y), (1.0, Y)),
    ({"argnums": ()}, (1.0,), (1.0, ())),
    ({"argnums": (1,), "returns_value": False, "has_aux": True}, (1.0, {}, 2.0), ((2.0,), {})),
])
def test_the_shape_of_results(options, result, expected):
    engine = Engine(lambda *leaves: result, **options)
    engine(X, 1.0)
    assert repr(engine(X, 1.0)) == repr(expected)
    parts = result[2:] if options.get("has_aux") else result[1:]
    gradient = parts if isinstance(options.get("argnums"), tuple) else parts[0]
    aux = result[1] if options.get("has_aux") else None
    assert repr(engine.dispatcher.shape(result[0], aux, gradient)) == repr(expected)


def test_results_are_those_of_the_tape():
    def f(p, q):
        return np.sum(p["b"]) * p["a"][0] * q

    def code(*leaves):
        a, b, q = leaves
        return np.sum(b) * a * q, np.sum(b) * q, np.full(3, float(a * q)), np.sum(b) * a

    args = {"b": X, "a": (2.0, None)}, np.float32(3)
    engine = Engine(code, f, (0, 1))
    engine(*args)
    found, expected = engine(*args), hybridad.value_and_grad(f, (0, 1))(*args)
    assert repr(found) == repr(expected)
    assert list(found[1][0]) == list(expected[1][0]) == ["b", "a"]
    assert type(found[1][0]["a"][0]) is float and type(found[1][1]) is np.float32


@pytest.mark.parametrize("x, leaves, expected", [
    (2.0, [np.float64(3)], 3.0),
    (2j, [np.complex128(3j)], 3j),
    (np.float32(2), [3.0], np.float32(3)),
    (np.float64(2), [3.0], np.float64(3)),
    ({"z": 1.0, "a": X}, [Y, np.float64(2)], {"z": 2.0, "a": Y}),
    ([1.0, (X, None)], [2.0, Y], [2.0, (Y, None)]),
    (Point({"b": 1.0, "a": 2.0}, X), [1, 2, Y], Point({"b": 2.0, "a": 1.0}, Y)),
    ({2: 1.0, 1: X}, [Y, 5], {2: 5.0, 1: Y}),
    ((), [], ()),
])
def test_gradients_have_the_structure_and_types_of_the_argument(x, leaves, expected):
    engine = Engine(lambda *_: (0.0, *leaves))
    engine(x)
    assert repr(engine(x)[1]) == repr(expected)


def test_trees_of_several_arguments_keep_the_order_of_each_call():
    engine = Engine(lambda *leaves: (0.0, *leaves[2:], *leaves[:2]), argnums=(1, 0))
    engine({2: 1.0, 1: 2.0}, {4: 3.0, 3: 4.0})
    for a, b in [({2: 1.0, 1: 2.0}, {4: 3.0, 3: 4.0}), ({1: 2.0, 2: 1.0}, {3: 4.0, 4: 3.0})]:
        assert repr(engine(a, b)[1]) == repr((b, a))
    assert len(engine.calls) == 1


# Exits ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("outcome", [None, 3, [1.0, 2.0], object()], ids=repr)
def test_what_is_no_tuple_is_an_exit(outcome):
    engine = Engine(lambda x: outcome)
    engine(X)
    assert engine(X) == "tape"
    first, second = engine.calls
    assert second.outcome is outcome and second.function is engine.code
    assert second.entry.signature is second.signature == first.signature
    assert second.leaves[0] is X and second.run is None
    assert (engine.table.hits, engine.table.exits, second.entry.exits) == (0, 1, 1)


def test_an_exception_is_an_exit():
    def code(x):
        raise KeyError("inside")

    engine = Engine(code)
    engine(X)
    assert engine(X) == "tape"
    assert isinstance(engine.calls[1].outcome, KeyError)
    assert engine.calls[1].outcome.__traceback__ is not None


def test_what_is_raised_after_an_exit_has_no_context():
    engine = Engine(lambda x: 1 / 0)
    engine(X)
    engine.dispatcher.slow = lambda call: [].pop()
    with pytest.raises(IndexError) as caught:
        engine(X)
    assert caught.value.__context__ is None


def test_an_interrupt_goes_through():
    def code(x):
        raise KeyboardInterrupt

    engine = Engine(code)
    engine(X)
    with pytest.raises(KeyboardInterrupt):
        engine(X)
    assert len(engine.calls) == 1 and engine.table.exits == 0


@pytest.mark.parametrize("result", [(), (1.0,), (1.0, X, X), (1.0, "text")], ids=len)
def test_a_result_that_cannot_be_is_an_exit(result):
    engine = Engine(lambda x: result)
    engine(2.0)
    assert engine(2.0) == "tape"
    assert isinstance(engine.calls[1].outcome, Exception)
    assert (engine.table.hits, engine.table.exits) == (0, 1)


def test_begin_makes_the_last_argument():
    got, begun = [], []

    def begin(function):
        assert function is plain
        begun.append(object())
        return begun[-1]

    def code(x, n, run):
        got.append(run)
        return (1.0, x) if n < 3 else None

    engine = Engine(code, begin=begin)
    engine(X, 1)
    engine(X, 2)
    engine(X, 3)
    assert len(got) == 2 and got == begun and got[0] is not got[1]
    call = engine.calls[-1]
    assert call.run is got[1] and call.leaves[0] is X and call.leaves[1:] == [3]


def test_an_entry_without_a_function_is_handed_over():
    engine = Engine(None)
    engine(X)
    (entry,) = engine.table.entries.values()
    engine.teaches = False
    assert engine(X) == "tape" and engine.calls[1].entry is entry
    assert engine.calls[1].signature is entry.signature
    assert engine.calls[1].function is None and engine.calls[1].leaves[0] is X


def test_verify_sees_every_answer():
    seen = []
    engine = Engine(lambda x, n: (1.0, x) if n else None,
                    verify=lambda call, result: seen.append((call, result)) or "verified")
    engine(X, 1)
    assert engine(X, 1) == "verified" and engine(X, 0) == "tape"
    ((call, result),) = seen
    assert result[1] is X and call.args[0] is X and call.function is engine.code
    assert engine.table.hits == 1


# Which arguments --------------------------------------------------------------------------------


@pytest.mark.parametrize("argnums, args, kwargs, keys", [
    ("p", (X,), {"p": Y}, ("p",)),
    ("x", (X,), {"p": Y}, (0,)),
    (("p", "x"), (X,), {"p": Y}, ("p", 0)),
    (("p", 0), (X, Y), {}, (1, 0)),
    ("d", (X,), {}, ("d",)),
    ("k", (X,), {}, ("k",)),
    (-1, (X, Y), {"k": 2.0}, (1,)),
])
def test_names_of_arguments(argnums, args, kwargs, keys):
    def f(x, p=1.0, d=2.0, *, k=3.0):
        pass

    class Own:
        def method(self, x, p=1.0, d=2.0, *, k=3.0):
            pass

    def wrapped(*args, **kwargs):
        pass

    wrapped.__wrapped__ = f
    for function in f, Own().method, wrapped:
        engine = Engine(lambda *leaves: (1.0, *leaves), function, argnums)
        engine(*args, **kwargs)
        assert engine.calls[0].keys == keys
        engine(*args, **kwargs)
        assert len(engine.calls) == 1 + (engine.table.exits > 0)


def test_a_default_that_is_named_is_filled_in():
    def f(x, w=2.0):
        pass

    engine = Engine(lambda x, w: (1.0, w), f, "w")
    engine(X)
    assert engine(X) == (1.0, 2.0) and engine.calls[0].kwargs == {"w": 2.0}


@pytest.mark.parametrize("argnums", [1, -2, (0, 0), (0, -1), "unknown", ("x", 0)])
def test_arguments_that_are_not_there(argnums):
    def f(x):
        pass

    engine = Engine(lambda x: (1.0, x), f, argnums)
    with pytest.raises(hybridad.errors.ArgumentError):
        engine(X)
    assert engine.calls == []


def test_code_that_was_replaced_is_not_used():
    def f(x):
        return x[0]

    def g(x):
        return x[1]

    engine = Engine(lambda x: (1.0, x), f)
    engine(X)
    engine(X)
    f.__code__ = g.__code__
    assert engine(X) == "tape" and engine.calls[1].entry is None
    assert engine(X)[0] == 1.0


# Runs and the table -----------------------------------------------------------------------------


def test_inside_a_run_everything_is_handed_over():
    engine = Engine(lambda x: (1.0, x))
    engine(X)
    answers = []

    @unfound
    def inner(x):
        answers.extend([engine(x), engine(np.ones(3)), engine(2.0)])

    def f(x):
        inner(x)
        return np.sum(x)

    hybridad.grad(f)(X)
    assert answers == ["tape"] * 3
    assert all(call.signature is None and call.leaves == [] for call in engine.calls[1:])
    assert engine.calls[-1].args == (2.0,) and engine.calls[-1].keys == (0,)
    assert engine(X)[0] == 1.0


def test_many_signatures_are_found():
    engine = Engine(lambda x: (float(len(x)), x))
    arrays = [np.ones(k) for k in range(1, 30)]
    for x in arrays:
        engine(x)
    for _ in range(3):
        for x in arrays:
            assert engine(x)[0] == len(x)
    assert len(engine.calls) == len(arrays) == len(engine.table.entries)
    used = [entry.used for entry in engine.table.entries.values()]
    assert used == sorted(used) and len(set(used)) == len(used)


def test_an_entry_that_was_removed_is_not_found():
    engine = Engine(lambda x: (1.0, x))
    engine(X)
    engine(X)
    (entry,) = engine.table.entries.values()
    assert engine.table.find(entry.signature) is entry
    engine.table.remove(entry)
    engine.table.remove(entry)
    assert engine.table.find(entry.signature) is None and engine(X) == "tape"
    engine.table.remove_all()
    assert engine(X) == "tape" and engine.calls[-1].entry is None


def test_errors_of_taking_apart_are_left_to_who_answers():
    import pyrsistent

    engine = Engine(lambda *leaves: (1.0,))
    assert engine(pyrsistent.s(1.0)) == "tape" and engine.calls[0].signature is None


def test_nothing_of_a_call_is_kept():
    class Own:
        pass

    engine = Engine(lambda x, y, own: (1.0, x))
    x, y, own = np.ones(3), np.ones(3), Own()
    engine(x, y, own)
    engine(x, y, own)
    gone = [weakref.ref(v) for v in (x, y, own)]
    engine.calls.clear()
    del x, y, own
    assert [v() for v in gone] == [None] * 3


def test_a_dispatcher_dies_with_its_function():
    class Own:
        pass

    own = Own()

    def f(x, own=own):
        return own

    code = lambda x, own=own: (own, x)
    engine = Engine(code, f)
    own.engine = engine  # a circle through the dispatcher, the table and an entry
    engine(X)
    gone = weakref.ref(own)
    del own, f, engine, code
    gc.collect()
    assert gone() is None


def test_leaves_live_as_long_as_the_code_runs():
    p = {"w": np.full(3, 7.0)}

    def code(w):
        p.clear()
        gc.collect()
        return None

    engine = Engine(code)
    engine(p)
    engine(p)
    assert engine.calls[-1].leaves[0].tolist() == [7.0] * 3


def test_in_threads():
    engine = Engine(lambda x, n: (float(len(x)), x), teaches=True)
    arrays, wrong = [np.ones(k) for k in range(1, 9)], []

    def work():
        for k in range(500):
            x = arrays[k % 8]
            answer = engine(x, k)
            wrong.extend(() if answer == "tape" else [answer] * (answer[1] is not x))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and engine.table.hits + len(engine.calls) == 2000
