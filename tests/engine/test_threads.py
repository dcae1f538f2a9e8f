"""Gradient functions in threads and processes; how long they and their caches live."""

import copy
import functools
import gc
import inspect
import multiprocessing
import os
import pickle
import sys
import threading
import weakref

import numpy as np
import pytest

from hybridad import cache_info, grad, value_and_grad

X = np.array([0.5, -1.25, 2.0])


def loss(x, power=2):
    y = np.tanh(x)
    y[1:] *= y[:-1]
    return np.sum(y ** power)


loss_gradient = grad(loss)


@value_and_grad
def decorated(x):
    """Squares."""
    return np.sum(x ** 2)


class Model:
    def __init__(self, k):
        self.k = k

    @value_and_grad(argnums=1)
    def squares(self, x):
        return np.sum(x ** 2) * self.k

    def cubes(self, x):
        return np.sum(x ** 3) * self.k


# Threads


def together(count, work):
    """Results of `work(k)` in threads that begin at the same time."""
    barrier, results = threading.Barrier(count), [None] * count

    def run(k):
        barrier.wait()
        results[k] = work(k)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    return results


@pytest.mark.parametrize("engine", ["auto", "sct"])
def test_first_calls_of_many_threads_agree(engine):
    def f(x):
        s = np.sum(x ** 2)
        for k in range(len(x)):
            s = s + np.sin(x[k])
        return s

    g = value_and_grad(f, engine=engine)
    shapes = (3, 4)
    results = together(8, lambda k: [g(np.arange(1.0, 1 + shapes[k % 2])) for _ in range(5)])
    for k, found in enumerate(results):
        x = np.arange(1.0, 1 + shapes[k % 2])
        for value, gradient in found:
            assert value == f(x)
            np.testing.assert_allclose(gradient, 2 * x + np.cos(x), rtol=1e-12)
    info = cache_info(g)
    assert info.signatures == info.recordings == 2
    assert info.hits + info.fallbacks + info.recordings + info.exits >= 40


def test_threads_on_different_paths_agree():
    def f(x):
        if x[0] > 0:
            return np.sum(x ** 2)
        return np.sum(np.exp(x))

    g = grad(f)
    points = [X, -X]
    results = together(8, lambda k: [g(points[(k + j) % 2]) for j in range(20)])
    for k, found in enumerate(results):
        for j, gradient in enumerate(found):
            x = points[(k + j) % 2]
            np.testing.assert_allclose(gradient, 2 * x if x[0] > 0 else np.exp(x), rtol=1e-12)
    assert cache_info(g).paths == 3     # two sides, and one for the signature


def test_effects_of_threads_are_not_mixed():
    def make(log):
        def f(x):
            log.append(float(x[0]))
            return np.sum(x) * len(log)
        return value_and_grad(f)

    def work(k):
        log = []
        g = make(log)
        return log, [float(g(X + k + j)[0]) for j in range(10)]

    for k, (log, values) in enumerate(together(4, work)):
        assert log == [0.5 + k + j for j in range(10)]
        assert values == [float(np.sum(X + k + j) * (j + 1)) for j in range(10)]


# Processes


def in_child(queue, g, x):
    queue.put(([g(x).tolist() for _ in range(3)], cache_info(g).hits))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_it_works_in_a_forked_child():
    for _ in range(3):
        loss_gradient(X)
    expected = loss_gradient(X).tolist()
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        answer = b"no"
        try:
            hits = cache_info(loss_gradient).hits
            same = loss_gradient(X).tolist() == expected
            new = np.allclose(grad(lambda x: np.sum(x ** 3))(X), 3 * X ** 2)
            if same and new and cache_info(loss_gradient).hits == hits + 1:
                answer = b"yes"
        finally:
            os.write(write, answer)
            os._exit(0)
    os.waitpid(pid, 0)
    assert os.read(read, 10) == b"yes"
    os.close(read)
    os.close(write)


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_it_can_be_sent_to_a_process(method):
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=in_child, args=(queue, loss_gradient, X))
    child.start()
    found, hits = queue.get(timeout=60)
    child.join()
    assert found == [loss_gradient(X).tolist()] * 3 and hits >= 2


def test_a_pool_of_joblib():
    joblib = pytest.importorskip("joblib")
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(loss_gradient)(X * k) for k in range(4))
    for k, gradient in enumerate(found):
        assert gradient.tolist() == loss_gradient(X * k).tolist()


# Pickling and copying


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("engine", ["auto", "sct", "tape"])
def test_pickling_takes_the_function_and_the_options(engine, protocol):
    g = value_and_grad(loss, (0,), engine=engine)
    g(X), g(X)
    again = pickle.loads(pickle.dumps(g, protocol))
    assert again is not g and again.__wrapped__ is loss
    (value, (gradient,)), (same, (other,)) = g(X), again(X)
    assert value == same and gradient.tolist() == other.tolist()
    assert again.__hybridad__ is not g.__hybridad__
    if engine != "tape":
        assert cache_info(again).hits == 0
        again(X)
        assert cache_info(again).hits == 1 and again.__hybridad__.engine.must is (engine == "sct")


def test_a_decorated_function_is_found_by_its_name():
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    assert copy.deepcopy(decorated) is copy.copy(decorated) is decorated


def test_what_cannot_be_pickled_is_refused():
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(grad(lambda x: x))


def test_a_bound_method_is_pickled_and_copied_with_its_object():
    model = Model(2.0)
    g = grad(model.cubes)
    for other in (pickle.loads(pickle.dumps(g)), copy.deepcopy(g)):
        model.k = 5.0
        assert other is not g and np.allclose(other(X), 6 * X ** 2)
        assert np.allclose(g(X), 15 * X ** 2)
        model.k = 2.0


def test_copies_of_what_holds_it():
    held = {"g": grad(loss), "k": [1.0]}
    other = copy.deepcopy(held)
    assert other["g"] is held["g"] and other["k"] is not held["k"]


# What it looks like


def test_it_is_a_method_in_a_class():
    model = Model(3.0)
    value, gradient = model.squares(X)
    assert value == 3.0 * np.sum(X ** 2) and np.allclose(gradient, 6 * X)
    assert Model.squares(model, X)[0] == value
    assert pickle.loads(pickle.dumps(Model.squares)) is Model.squares


def test_it_has_the_looks_of_the_function():
    assert inspect.signature(loss_gradient) == inspect.signature(loss)
    assert loss_gradient.__name__ == "loss" and loss_gradient.__module__ == __name__
    assert decorated.__doc__ == "Squares." and callable(decorated)
    assert repr(loss_gradient) == "<gradient of loss>"
    assert repr(decorated) == "<value and gradient of decorated>"
    assert repr(grad(functools.partial(loss, power=3))) == "<gradient of loss>"


def test_arguments_of_any_name():
    def f(self, args):
        return np.sum(self * args)

    assert grad(f, "self")(self=X, args=2.0).tolist() == [2.0] * 3


# Lives


def test_a_function_and_its_caches_die_together():
    gc.collect()
    gc.disable()
    try:
        def f(x):
            return np.sum(x ** 2)

        g = value_and_grad(f)
        for _ in range(3):
            g(X)
        assert cache_info(g).hits == 2
        watched = [weakref.ref(x) for x in (f, g, g.__hybridad__.engine.cache)]
        del f, g
        gc.collect()
        assert [ref() for ref in watched] == [None] * 3
    finally:
        gc.enable()


def test_arguments_do_not_live_longer():
    x, w = np.ones(3), np.ones(3)
    g = grad(lambda x, w: np.sum(x * w))
    for _ in range(3):
        g(x, w)
    ref = weakref.ref(x)
    del x
    gc.collect()
    assert ref() is None


def test_two_closures_share_nothing():
    def make(k):
        def f(x):
            return np.sum(x) * k
        return grad(f)

    a, b = make(2.0), make(3.0)
    for _ in range(3):
        assert a(X).tolist() == [2.0] * 3 and b(X).tolist() == [3.0] * 3
    assert cache_info(a) == cache_info(b) and cache_info(a).recordings == 1
