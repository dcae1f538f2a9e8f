"""Programs as a user of autograd must rewrite them: nothing is filled in place.

Each takes the place of functions of the problem's module: name -> function of that module's own.
"""

__all__ = ["REWRITTEN"]


def charlstm(module):
    """The state is a list in place of an array."""
    np, sigmoid = module.np, module.sigmoid

    def f(main, extra, state, sequence):
        steps, bits = sequence.shape
        state = list(state)
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
            y = y - np.log(np.sum(np.exp(y)) + 2.0)
            total += np.dot(sequence[t + 1], y)
        return -total / ((steps - 1) * bits)

    return {"f": f}


def mixture(module):
    """The factors are put together from columns, and the densities are one expression."""
    np = module.np

    def factors(q, l):
        k, d = q.shape
        columns, start = [], 0
        for j in range(d):
            stop = start + d - 1 - j
            parts = np.zeros((k, j)), np.exp(q[:, j : j + 1]), l[:, start:stop]
            columns.append(np.concatenate(parts, axis=1))
            start = stop
        return np.stack(columns, axis=2)

    def f(alpha, mu, q, l, x, gamma, m):
        n, d = x.shape
        low = factors(q, l)
        y = np.matmul(x - mu[:, None, :], np.transpose(low, (0, 2, 1)))
        log_p = alpha + np.sum(q, axis=1) - 0.5 * np.sum(y * y, axis=2).T
        top = np.max(log_p, axis=1)
        likelihood = np.sum(top + np.log(np.sum(np.exp(log_p - top[:, None]), axis=1)))
        const = n * (0.5 * d * np.log(2.0 * np.pi) + module.log_sum_exp(alpha))
        return likelihood - const + module.prior(low, q, gamma, m)

    return {"f": f, "factors": factors}


REWRITTEN = {"charlstm": charlstm, "mixture": mixture}
