"""Foreign calls are made once; a second run is handed what they gave."""

import functools
import random
from collections import OrderedDict, deque

import numpy as np
import pytest

from hybridad.recording.effects import Journal


@pytest.fixture
def journal():
    return Journal(True)


def again(journal):
    second = journal.replay()
    journal.undo()
    return second


def test_results_in_order(journal):
    rng = np.random.default_rng(0)
    first = [journal.foreign(rng.random, (2,), {}), journal.foreign(rng.random, (), {})]
    state = rng.bit_generator.state
    second = again(journal)
    for kept, args in zip(first, ((2,), ())):
        assert second.foreign(rng.random, args, {}) is kept
    assert rng.bit_generator.state == state
    # What the first run had not asked for is called.
    assert second.foreign(rng.random, (), {}) != first[1]
    third = again(second)
    assert third.foreign(rng.random, (2,), {}) is first[0]


def test_without_keeping_it_is_just_a_call():
    journal = Journal(False)
    assert journal.foreign(max, (1, 2), {}) == 2
    assert journal.replay().foreign(max, (1, 3), {}) == 3
    calls = []
    journal.foreign(len, ("abc",), {}, (), lambda *call: calls.append(call))
    assert calls == [(len, ("abc",), {})]


def test_called_through(journal):
    def call(function, args, kwargs):
        return function(*args, **kwargs) + 1

    assert journal.foreign(len, ("abc",), {}, (), call) == 4
    assert again(journal).foreign(len, ("abc",), {}, (), call) == 4


def test_exception_is_raised_again(journal):
    it = iter([1])
    assert journal.foreign(next, (it,), {}) == 1
    with pytest.raises(StopIteration) as first:
        journal.foreign(next, (it,), {})
    second = again(journal)
    assert second.foreign(next, (it,), {}) == 1
    with pytest.raises(StopIteration) as caught:
        second.foreign(next, (it,), {})
    assert caught.value is first.value


def test_interrupt_is_not_kept(journal):
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        journal.foreign(interrupt, (), {})
    assert not journal._calls._kept
    assert not journal._calls._inside


def test_another_function_is_an_internal_error(journal):
    journal.foreign(len, ("a",), {})
    second = journal.replay()
    with pytest.raises(RuntimeError, match=r"foreign call 0 of the second run is .*max.*len"):
        second.foreign(max, (1, 2), {})


@pytest.mark.parametrize("pair", [
    (int, float), (np.sin, np.cos), (len, lambda x: 0), ([].append, [].extend),
    (random.random, random.gauss), ([].append, {}.pop), (lambda: 0, lambda: 1),
    (functools.partial(len), functools.partial(max))])
def test_different_functions(journal, pair):
    journal.foreign(pair[0], (), {}, (), lambda *call: None)
    with pytest.raises(RuntimeError, match="foreign call 0"):
        journal.replay().foreign(pair[1], (), {})


def test_functions_that_each_run_makes_anew(journal):
    class Maker:
        def __call__(self):
            return 1

        def method(self):
            return 2

    def make():
        return lambda: 3

    functions = [(Maker(), Maker()), (Maker().method, Maker().method), (make(), make()),
                 (functools.partial(make()), functools.partial(make())),
                 ("a".upper, "a".upper), (np.random.default_rng(0).random,
                                          np.random.default_rng(0).random),
                 (len, len), ([1].__len__, [1].__len__)]
    for function, _ in functions:
        journal.foreign(function, (), {}, (), lambda *call: 5)
    second = journal.replay()
    for _, function in functions:
        assert second.foreign(function, (), {}) == 5


def test_array_that_is_filled(journal):
    rng, buf, other = np.random.default_rng(0), np.zeros(3), np.zeros(3)

    def draw(out):
        rng.random(out=out)

    journal.foreign(draw, (buf,), {}, (buf,))
    filled, state = buf.copy(), rng.bit_generator.state
    second = again(journal)
    np.testing.assert_array_equal(buf, 0.0)
    second.foreign(draw, (other,), {}, (other,))
    np.testing.assert_array_equal(other, filled)
    assert filled.any() and rng.bit_generator.state == state
    second.undo()
    np.testing.assert_array_equal(other, 0.0)


def test_array_that_is_only_read_is_not_kept(journal):
    data = np.array([1.0, np.nan])
    journal.foreign(np.sum, (data,), {}, (data,))
    assert journal._calls._kept[0].changes == [None]


def test_negative_zero_is_a_change(journal):
    data = np.zeros(2)
    journal.foreign(np.negative, (data, data), {}, (data,))
    second = again(journal)
    assert not np.signbit(data).any()
    second.foreign(np.negative, (data, data), {}, (data,))
    assert np.signbit(data).all()


def test_local_list_that_is_shuffled(journal):
    def run(journal):
        items = [[k] for k in range(6)]
        own = list(items)
        journal.foreign(random.shuffle, (items,), {})
        return [own.index(item) for item in items], all(
            any(item is x for x in own) for item in items)

    first, inside = run(journal)
    state = random.getstate()
    assert inside and first != sorted(first)
    assert run(again(journal)) == (first, True)
    assert random.getstate() == state


def fill(items, names, ordered, kinds, queue, text, inner):
    items += [1, 2]
    names["new"] = 1
    names["inner"].append(5)
    del names["old"]
    ordered.move_to_end("a")
    kinds.add("z")
    queue.appendleft(9)
    text += b"x"
    inner[0][0].append(7)


def fresh():
    return ([0], {"old": 1, "inner": []}, OrderedDict(a=1, b=2), {1}, deque([1]), bytearray(b"a"),
            ([[]],))


def test_containers_among_the_arguments(journal):
    first = fresh()
    journal.foreign(fill, first, {})
    second_journal = again(journal)
    assert repr(first) == repr(fresh())
    second = fresh()
    inner = second[1]["inner"], second[-1][0][0]
    second_journal.foreign(fill, second, {})
    wanted = fresh()
    fill(*wanted)
    assert repr(second) == repr(wanted)
    assert second[1]["inner"] is inner[0] and second[-1][0][0] is inner[1]


def test_method_of_a_container(journal):
    h, other = [3, 1], [3, 1]
    journal.foreign(h.sort, (), {})
    again(journal).foreign(other.sort, (), {})
    assert other == [1, 3]


def test_result_that_the_first_run_wrote_to(journal):
    def make():
        return [np.ones(2), (np.zeros(2),)]

    result = journal.foreign(make, (), {})
    result[0][:] = 5.0
    result[1][0][:] = 5.0
    second = again(journal).foreign(make, (), {})
    assert second is result
    np.testing.assert_array_equal(second[0], 1.0)
    np.testing.assert_array_equal(second[1][0], 0.0)


def test_calls_below_a_call_are_part_of_it(journal):
    def outer():
        return journal.foreign(len, ("ab",), {}) + 1

    assert journal.foreign(outer, (), {}) == 3
    second = again(journal)
    assert second.foreign(outer, (), {}) == 3
    assert len(second._calls._kept) == 1


def test_how_many_were_really_called():
    journal = Journal(keeps=True)
    for k in range(3):
        journal.foreign(abs, (k,), {})
    again = journal.replay()
    assert [again.foreign(abs, (k,), {}) for k in (7, 7, 7, 7)] == [0, 1, 2, 7]
    assert (journal.called, again.called) == (3, 1)
