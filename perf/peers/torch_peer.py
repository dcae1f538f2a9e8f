"""Some of the programs as a user of PyTorch writes them, run eagerly in double precision."""

import importlib.util
import math

import numpy as np

__all__ = ["as_numpy", "differentiate", "prepare", "refusal"]


def mlp(torch, w1, b1, w2, b2, w3, b3, x, y):
    h1 = torch.tanh(x @ w1 + b1)
    h2 = torch.tanh(h1 @ w2 + b2)
    out = h2 @ w3 + b3
    return torch.mean((out - y) ** 2)


def lstm(torch, w_x, w_h, b, xs, h, c, y):
    n = h.shape[1]
    for x in xs:
        gates = x @ w_x + h @ w_h + b
        s = torch.sigmoid(gates[:, : 3 * n])
        c = s[:, :n] * c + s[:, n : 2 * n] * torch.tanh(gates[:, 3 * n :])
        h = s[:, 2 * n :] * torch.tanh(c)
    return torch.mean((h - y) ** 2)


def mixture(torch, alpha, mu, q, l, x, gamma, m):
    n, d = x.shape
    k = len(alpha)
    columns, rows = torch.triu_indices(d, d, 1)
    diagonal = torch.arange(d)
    low = torch.zeros((k, d, d), dtype=x.dtype)
    low[:, diagonal, diagonal] = torch.exp(q)
    low[:, rows, columns] = l
    y = (x - mu[:, None, :]) @ low.transpose(1, 2)
    log_p = alpha + torch.sum(q, dim=1) - 0.5 * torch.sum(y * y, dim=2).T
    likelihood = torch.sum(torch.logsumexp(log_p, dim=1))
    const = n * (0.5 * d * math.log(2.0 * math.pi) + torch.logsumexp(alpha, dim=0))
    freedom = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi)
    log_gamma += sum(math.lgamma(0.5 * (freedom - j)) for j in range(d))
    normal = k * (freedom * d * math.log(gamma / math.sqrt(2.0)) - log_gamma)
    prior = normal - 0.5 * gamma**2 * torch.sum(low**2) + m * torch.sum(q)
    return likelihood - const + prior


PROGRAMS = {"lstm": lstm, "mixture": mixture, "mixture_whole": mixture, "mlp": mlp}


def refusal(name: str, size: str) -> str | None:
    """Why PyTorch is not run on a problem, if it is not."""
    if importlib.util.find_spec("torch") is None:
        return "not installed"
    return None if name in PROGRAMS else "not written for it"


def prepare(args):
    """The arguments as tensors that share the arrays' memory; numbers stay as they are."""
    import torch

    torch.set_num_threads(1)
    return tuple(torch.from_numpy(a) if isinstance(a, np.ndarray) else a for a in args)


def differentiate(name, argnums):
    """Value and gradients of the problem's function by PyTorch."""
    import torch

    program = PROGRAMS[name]

    def value_and_gradients(*args):
        args = list(args)
        for k in argnums:
            args[k] = args[k].detach().requires_grad_()
        value = program(torch, *args)
        return value.detach(), torch.autograd.grad(value, [args[k] for k in argnums])

    return value_and_gradients


def as_numpy(value, gradients):
    """An answer in NumPy's terms."""
    return float(value), tuple(gradient.numpy() for gradient in gradients)
