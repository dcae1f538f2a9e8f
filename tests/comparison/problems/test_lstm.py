"""The character LSTM."""

import math

import numpy as np
import pytest

from hybridad.comparison.problems.lstm import lstm, parse_lstm


def sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x))


def test_a_file_gives_all_four_arguments():
    numbers = np.arange(2 * 8 + 3 * 2 + 2 * 2 + 3 * 2, dtype=float)
    main, extra, state, sequence = parse_lstm("1 3 2\n" + " ".join(map(str, numbers)))
    np.testing.assert_array_equal(main, numbers[:16].reshape(2, 8))
    np.testing.assert_array_equal(extra, numbers[16:22].reshape(3, 2))
    np.testing.assert_array_equal(state, numbers[22:26].reshape(2, 2))
    np.testing.assert_array_equal(sequence, numbers[26:].reshape(3, 2))


def test_one_layer_of_one_bit_by_hand():
    rng = np.random.default_rng(0)
    main, extra = rng.standard_normal((2, 4)), rng.standard_normal((3, 1))
    state, sequence = rng.standard_normal((2, 1)), np.array([[1.0], [0.0], [1.0]])
    kept = state.copy()
    hidden, cell = map(float, state[:, 0])
    total = 0.0
    for t in range(2):
        h = sequence[t, 0] * extra[0, 0]
        gates = [a * w + b for a, w, b in zip((h, hidden, h, hidden), *main)]
        cell = cell * sigmoid(gates[0]) + sigmoid(gates[1]) * math.tanh(gates[3])
        hidden = sigmoid(gates[2]) * math.tanh(cell)
        y = hidden * extra[1, 0] + extra[2, 0]
        total += sequence[t + 1, 0] * (y - math.log(math.exp(y) + 2.0))
    assert lstm(main, extra, state, sequence) == pytest.approx(-total / 2, rel=1e-12)
    np.testing.assert_array_equal(state, kept)
