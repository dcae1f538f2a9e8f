"""Engines of functions: found again, never shared, gone with the function."""

import functools
import gc
import threading
import weakref

import numpy as np

from hybridad import jvp, vjp
from hybridad.engine import engine_for
from hybridad.engine.functions import linear

X = np.array([1.0, 2.0])


def make(scale):
    def f(x):
        return x * scale
    return f


def test_found_again():
    f = make(2.0)
    assert engine_for(f, "vjp") is engine_for(f, "vjp") is not engine_for(f, "jvp")
    assert engine_for(f, "vjp") is not engine_for(f, "vjp", has_aux=True)
    assert engine_for(f, "vjp") is not engine_for(f, "vjp", must=True)


def test_two_closures_share_nothing():
    f, g = make(2.0), make(3.0)
    for _ in range(3):
        assert vjp(f, X)[1](X)[0].tolist() == [2.0, 4.0]
        assert vjp(g, X)[1](X)[0].tolist() == [3.0, 6.0]
    assert engine_for(f, "vjp") is not engine_for(g, "vjp")
    assert engine_for(f, "vjp").cache.hits == engine_for(g, "vjp").cache.hits == 2


def test_an_engine_dies_with_its_function():
    f = make(2.0)
    for _ in range(3):
        vjp(f, X)[1](X)
        jvp(f, (X,), (X,))
    dead = [weakref.ref(f), weakref.ref(engine_for(f, "vjp")), weakref.ref(engine_for(f, "jvp"))]
    del f
    gc.collect()
    assert [reference() for reference in dead] == [None] * 3


def test_a_function_that_calls_itself_dies_too():
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    for _ in range(3):
        assert vjp(power, 2.0, 3, argnums=0)[1](1.0) == 12.0
    assert engine_for(power, "vjp").cache.hits == 2
    dead = weakref.ref(power)
    power = None
    gc.collect()
    assert dead() is None


def test_an_object_that_holds_its_function_dies_too():
    class Model:
        pass

    model = Model()
    model.scale = 2.0
    model.loss = lambda x, model=model: x * model.scale
    for _ in range(3):
        assert vjp(model.loss, 3.0)[1](1.0) == (2.0,)
    assert engine_for(model.loss, "vjp").cache.hits == 2
    dead = weakref.ref(model)
    del model
    gc.collect()
    assert dead() is None


def test_another_code_is_another_function():
    f, g = make(2.0), make(3.0)
    vjp(f, X)
    before = engine_for(f, "vjp")

    def other(x):
        return x * x * scale

    scale = 1.0
    f.__code__ = other.__code__
    assert engine_for(f, "vjp") is not before
    assert vjp(f, X)[1](X)[0].tolist() == [4.0, 16.0] and vjp(g, X)[1](X)[0].tolist() == [3.0, 6.0]


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def times(self, x):
        return x * self.factor

    def __call__(self, x):
        return x * self.factor

    def __eq__(self, other):        # so that it has no hash
        return True


def test_bound_methods_belong_to_their_object():
    one, two = Scale(2.0), Scale(3.0)
    for _ in range(3):
        assert vjp(one.times, X)[1](X)[0].tolist() == [2.0, 4.0]
        assert vjp(two.times, X)[1](X)[0].tolist() == [3.0, 6.0]
    assert engine_for(one.times, "vjp").cache.hits == 2
    one.factor = 5.0
    assert vjp(one.times, X)[1](X)[0].tolist() == [5.0, 10.0]
    dead = weakref.ref(one)
    del one
    gc.collect()
    assert dead() is None


def test_objects_and_partials():
    one, part = Scale(2.0), functools.partial(lambda k, x: x * k, 3.0)
    for _ in range(3):
        assert vjp(one, X)[1](X)[0].tolist() == [2.0, 4.0]
        assert vjp(part, X)[1](X)[0].tolist() == [3.0, 6.0]


def test_what_cannot_be_held_weakly_has_no_engine():
    assert engine_for(np.multiply, "vjp") is None
    assert vjp(np.multiply, X, X)[1](X)[0].tolist() == [1.0, 4.0]


def test_closures_that_come_and_go_are_not_specialized_at_once():
    def step(scale):
        f = lambda x: x * scale
        vjp(f, X)[1](X)
        return f, engine_for(f, "vjp")

    for k in range(5):
        f, engine = step(float(k))
        if engine.cache.recordings == 0:
            break
        f = engine = None
        gc.collect()
    assert k >= 1 and engine.cache.fallbacks == 1
    for _ in range(2):
        assert vjp(f, X)[1](X)[0].tolist() == [float(k), 2.0 * k]
    assert engine.cache.hits == 1


def test_the_engine_tape_remembers_nothing():
    f = make(2.0)
    linear("vjp", f, (X,), {}, [0], False, "tape", lambda recording: None)
    assert engine_for(f, "vjp").history.calls == 0


def test_first_calls_in_many_threads_agree():
    f, gate, found = make(2.0), threading.Barrier(8), []

    def work():
        gate.wait()
        found.extend(vjp(f, X)[1](X)[0].tolist() for _ in range(10))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[2.0, 4.0]] * 80
    info = engine_for(f, "vjp").cache.info()
    assert info.recordings == 1 and info.hits + info.recordings + info.fallbacks == 80
