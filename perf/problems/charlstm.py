"""Character LSTM of ADBench, many operations on few elements; size is layers x bits x characters.

Its gates are diagonal, and its state is an array that is written step by step.
"""

import numpy as np

ARGNUMS = 0, 1
SIZES = ("2x14x1024",)
UNIT = "character"


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def f(main, extra, state, sequence):
    steps, bits = sequence.shape
    state = state.copy()
    total = 0.0
    for t in range(steps - 1):
        h = sequence[t] * extra[0]
        for i in range(0, len(state), 2):
            w, b = main[i], main[i + 1]
            hidden, cell = state[i], state[i + 1]
            forget = sigmoid(h * w[:bits] + b[:bits])
            ingate = sigmoid(hidden * w[bits : 2 * bits] + b[bits : 2 * bits])
            outgate = sigmoid(h * w[2 * bits : 3 * bits] + b[2 * bits : 3 * bits])
            change = np.tanh(hidden * w[3 * bits :] + b[3 * bits :])
            new_cell = cell * forget + ingate * change
            h = outgate * np.tanh(new_cell)
            state[i] = h
            state[i + 1] = new_cell
        y = h * extra[1] + extra[2]
        y -= np.log(np.sum(np.exp(y)) + 2.0)
        total += np.dot(sequence[t + 1], y)
    return -total / ((steps - 1) * bits)


def make(size, seed):
    layers, bits, characters = map(int, size.split("x"))
    rng = np.random.default_rng(seed)
    main, extra = rng.random((2 * layers, 4 * bits)), rng.random((3, bits))
    sequence = rng.integers(0, 2, (characters, bits)).astype(float)
    return main, extra, rng.random((2 * layers, bits)), sequence


def units(size):
    return int(size.split("x")[2])
