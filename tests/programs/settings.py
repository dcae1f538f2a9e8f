"""A module whose attributes programs read, write and have replaced."""

import numpy as np

RATE = 0.5
STEPS = 3
WEIGHTS = np.array([1.0, 0.5, 0.25])
TABLE = {"low": 0.5, "high": 2.0}


def activation(v):
    return np.tanh(v) * RATE


def reset():
    """Everything as it was when the module was imported."""
    global RATE, STEPS, activation
    RATE, STEPS = 0.5, 3
    WEIGHTS[:] = 1.0, 0.5, 0.25
    TABLE.clear()
    TABLE.update(low=0.5, high=2.0)
    activation = _activation


_activation = activation
