"""Functions that are made anew for each call are not specialized each time."""

import gc

import numpy as np

import hybridad

X = np.array([0.5, -1.0, 2.0])


def _make(scale):
    return hybridad.value_and_grad(lambda x: np.sum(np.sin(x)) * scale, verify=False)


def test_what_nobody_calls_twice_is_learnt_no_more():
    infos = []
    for k in range(6):
        vg = _make(float(k))
        value, g = vg(X)
        assert value == np.sum(np.sin(X)) * float(k)
        np.testing.assert_allclose(g, np.cos(X) * k)
        infos.append(hybridad.cache_info(vg))
        del vg
        gc.collect()
    assert [info.recordings for info in infos] == [1, 1, 1, 0, 0, 0]
    vg = _make(2.0)
    assert [float(vg(X)[0]) for _ in range(3)] == [2.0 * np.sum(np.sin(X))] * 3
    assert hybridad.cache_info(vg)[:3] == (1, 0, 1)  # learnt at the second call


def test_the_engine_sct_does_not_wait():
    for _ in range(5):
        vg = hybridad.value_and_grad(lambda x: np.sum(x * 2.0), engine="sct", verify=False)
        vg(X)
        assert hybridad.cache_info(vg).recordings == 1
        del vg
        gc.collect()
