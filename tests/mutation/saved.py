"""What a rule reads is overwritten after the operation: operands, results, both."""

import numpy as np

from tests.mutation import program

_UNARY = {
    "exp": np.exp, "tanh": np.tanh, "sqrt": np.sqrt, "log": np.log, "sin": np.sin, "cos": np.cos,
    "square": np.square, "abs": np.abs, "reciprocal": np.reciprocal, "arctan": np.arctan,
    "cbrt": np.cbrt, "expm1": np.expm1, "log1p": np.log1p, "negative": np.negative,
    "cumsum": np.cumsum, "cumprod": np.cumprod, "sort": np.sort, "flip_copy": lambda y: +y[::-1],
    "diff": np.diff, "norm": np.linalg.norm, "sum": np.sum, "mean": np.mean, "prod": np.prod,
    "max": np.max, "min": np.min, "var": np.var, "std": np.std, "ptp": np.ptp,
    "take": lambda y: np.take(y, [0, 0, 2]), "fancy": lambda y: y[[1, 1]], "copy": np.copy,
    "where": lambda y: np.where(y > 1.0, y * y, y), "clip": lambda y: np.clip(y, 0.7, 1.2),
    "element_power": lambda y: y[1] ** y[0], "astype": lambda y: y.astype(complex).real,
    "outer": lambda y: np.outer(y, y), "dot": lambda y: y @ y,
    "fft": lambda y: np.abs(np.fft.fft(y)),
    "solve": lambda y: np.linalg.solve(np.diag(y) + np.eye(4), y),
    "inv": lambda y: np.linalg.inv(np.diag(y) + 0.5),
}

_BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "power": np.power, "maximum": np.maximum, "minimum": np.minimum, "hypot": np.hypot,
    "arctan2": np.arctan2, "logaddexp": np.logaddexp, "matmul": np.matmul, "dot": np.dot,
    "outer": np.outer, "convolve": np.convolve,
    "interp": lambda a, b: np.interp(0.5, np.sort(a), b),
    "where": lambda a, b: np.where([True, False, True, False], a * b, b),
    "einsum": lambda a, b: np.einsum("i,i,j->j", a, b, b), "tensordot": lambda a, b:
    np.tensordot(a, b, 1), "inner": np.inner, "kron": np.kron, "cross": lambda a, b:
    np.cross(a[:3], b[1:]), "stack": lambda a, b: np.stack([a, b, a]),
    "concatenate": lambda a, b: np.concatenate([a, b]), "remainder": np.remainder,
}


def _unary(function):
    def run(x):
        y = np.abs(x) + 0.4
        r = function(y)
        y[0] = x[1] * x[2]
        s = np.sum(r * r)
        y[1:] *= 0.5
        if np.ndim(r):
            r[1:] = x[0]
        y[...] = np.sin(y)
        return s * np.sum(r) + np.sum(y)

    return run


def _binary(function):
    def run(x, v):
        a, b = np.abs(x) + 0.4, np.abs(v) + 0.5
        r = function(a, b)
        a[0] = v[1]
        s = np.sum(r * r)
        b[1:] = a[:-1]
        a *= b
        if np.ndim(r):
            r[...] = np.cos(r)
        b.fill(x[3])
        return s * np.sum(r) + np.sum(a * b)

    return run


for _name, _function in _UNARY.items():
    _run = _unary(_function)
    _run.__name__ = f"unary-{_name}"
    program((4,), count=1)(_run)
for _name, _function in _BINARY.items():
    _run = _binary(_function)
    _run.__name__ = f"binary-{_name}"
    program((4,), (4,), count=1)(_run)


@program((4,))
def in_place_of_what_is_saved(x):
    y = np.abs(x) + 0.4
    for function in (np.exp, np.sqrt, np.tanh, np.log1p, np.square):
        function(y, out=y)
    z = y * x
    y **= x
    y /= z
    return np.sum(y * z)


@program((3, 3), (3, 3))
def matrices_overwritten(a, b):
    x = a * 1.5
    y = b * 1.5
    r = np.tanh(x @ y)
    x[:, 1] = r[0]
    s = np.tanh(r @ x)
    y[...] = s
    r[1:] += y[:-1]
    x @= y
    return np.sum(r * s * x)


@program((3, 4))
def reductions_of_views_overwritten(x):
    y = x * 1.5
    total = 0.0
    for k in range(3):
        row = y[k]
        total = total + np.max(row) * np.prod(row) + np.linalg.norm(row)
        row *= 0.5
        y[:, k] = row[:3]
    return total * np.sum(y)


@program((4,))
def argument_itself_overwritten(x):
    z = x * x
    x *= np.exp(z)
    w = x * z
    x[1:] = w[:-1]
    x[0] = 2.0
    return np.sum(x * w)


@program((4,))
def argument_sorted_and_filled(x):
    z = x * np.arange(4.0)
    x.sort()
    w = x * z
    x.fill(w[1])
    return np.sum(x * w)
