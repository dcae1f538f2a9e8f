"""Gradients as functions that the tape can run."""

import numpy as np

from hybridad.engine.second import gradient_of


def test_gradient_value_and_auxiliary_result():
    gradient = gradient_of(lambda x, k: (np.sum(x**k), "aux"), (0,), True, lambda recording: None)
    (g,), (value, aux) = gradient(np.array([1.0, 2.0]), 3)
    assert g.tolist() == [3.0, 12.0] and value == 9.0 and aux == "aux"
