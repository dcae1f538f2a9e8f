"""The character LSTM of ADBench."""

import numpy as np

__all__ = ["lstm", "parse_lstm"]


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm(main_params, extra_params, state, sequence):
    """Mean loss of a diagonal LSTM over a text; `state` is written step by step.

    main_params: (2 layers, 4 bits), weight and bias rows alternating; extra_params: (3, bits);
    state: (2 layers, bits), hidden and cell alternating; sequence: (characters, bits).
    """
    steps, bits = sequence.shape
    state = state.copy()
    total = 0.0
    for t in range(steps - 1):
        h = sequence[t] * extra_params[0]
        for i in range(0, len(state), 2):
            w, b = main_params[i], main_params[i + 1]
            hidden, cell = state[i], state[i + 1]
            forget = sigmoid(h * w[:bits] + b[:bits])
            ingate = sigmoid(hidden * w[bits : 2 * bits] + b[bits : 2 * bits])
            outgate = sigmoid(h * w[2 * bits : 3 * bits] + b[2 * bits : 3 * bits])
            change = np.tanh(hidden * w[3 * bits :] + b[3 * bits :])
            new_cell = cell * forget + ingate * change
            h = outgate * np.tanh(new_cell)
            state[i] = h
            state[i + 1] = new_cell
        y = h * extra_params[1] + extra_params[2]
        y -= np.log(np.sum(np.exp(y)) + 2.0)  # the + 2 is ADBench's
        total += np.dot(sequence[t + 1], y)
    return -total / ((steps - 1) * bits)


def parse_lstm(text):
    """`layers characters bits`, then main and extra parameters, state and the text as bits."""
    head, rest = text.split("\n", 1)
    layers, characters, bits = map(int, head.split())
    shapes = (2 * layers, 4 * bits), (3, bits), (2 * layers, bits), (characters, bits)
    sizes = [rows * columns for rows, columns in shapes]
    numbers = np.array(rest.split(), dtype=float)
    if len(numbers) != sum(sizes):
        raise ValueError(f"{sum(sizes)} numbers expected, {len(numbers)} found")
    parts = np.split(numbers, np.cumsum(sizes)[:-1])
    return tuple(part.reshape(shape) for part, shape in zip(parts, shapes))
