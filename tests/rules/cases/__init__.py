"""The cases of the rules: data, one line a call; `test_rules.py` crosses them with everything.

Each module here mirrors a module of `hybridad.rules` and fills `CASES` through `case`.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["CASES", "Arg", "Case", "arg", "case"]

CASES = []


@dataclass(frozen=True, slots=True)
class Arg:
    """A differentiable argument: a shape, and the domain its elements are drawn from."""

    shape: tuple
    domain: str = "real"

    def draw(self, rng, dtype):
        """A random array of this shape in this domain (a NumPy scalar for shape ())."""
        dtype = np.dtype(dtype)
        x = _DOMAINS[self.domain](rng, self.shape)
        if dtype.kind == "c":
            x = x + 0.5j * rng.uniform(-1.0, 1.0, self.shape)
            if self.domain in ("spd", "hermitian"):
                x = (x + np.conj(np.swapaxes(x, -1, -2))) / 2.0
        x = np.asarray(x).astype(dtype)
        return x if x.shape else x[()]


def _apart(rng, shape):
    """Distinct numbers at least 0.3 apart, so that no sort, max or kink is near a tie."""
    n = int(np.prod(shape))
    return (rng.permutation(n) * 0.7 - 0.35 * n + 0.2 + rng.uniform(0.0, 0.3, n)).reshape(shape)


def _spd(rng, shape):
    a = rng.standard_normal(shape)
    return a @ np.swapaxes(a, -1, -2) + shape[-1] * np.eye(shape[-1])


_DOMAINS = {
    "real": lambda rng, s: rng.uniform(0.3, 1.7, s) * rng.choice([-1.0, 1.0], s),
    "positive": lambda rng, s: rng.uniform(0.4, 2.0, s),
    "unit": lambda rng, s: rng.uniform(0.1, 0.8, s) * rng.choice([-1.0, 1.0], s),
    "above_one": lambda rng, s: rng.uniform(1.3, 2.5, s),
    "apart": _apart,
    "spd": _spd,
    "hermitian": lambda rng, s: _apart(rng, s) + np.swapaxes(_apart(rng, s), -1, -2),
    "regular": lambda rng, s: rng.uniform(-1.0, 1.0, s) + 2.0 * np.eye(s[-2], s[-1]),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A call of a primitive that its rule must get right.

    Attributes
    ----------
    primitive : callable
        The function of the registry that the case is for.
    call : callable
        Takes the differentiable arrays, calls the primitive, returns one array or scalar.
    args : tuple of Arg
    dtypes : str
        Which dtypes apply: characters of "f" (float32), "d" (float64), "D" (complex128).
    orders : int
        The highest order of derivative to check.
    """

    primitive: Callable
    call: Callable
    args: tuple
    dtypes: str = "fdD"
    orders: int = 2
    name: str = ""

    def draw(self, dtype="d"):
        """The arguments, the same at every call (seeded by the case's name)."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        return tuple(a.draw(rng, dtype) for a in self.args)


def arg(*shape, domain="real"):
    """An `Arg`: ``arg(3, 4)``, ``arg()`` a scalar, ``arg(3, domain="positive")``."""
    return Arg(shape, domain)


def case(primitive, *args, call=None, dtypes="fdD", orders=2, note=""):
    """Register a case; `call` is the primitive itself unless given."""
    name = getattr(primitive, "__name__", str(primitive))
    shapes = ",".join("x".join(map(str, a.shape)) or "scalar" for a in args)
    count = sum(c.primitive is primitive for c in CASES)
    name = "-".join(filter(None, (name, shapes, note, str(count))))
    CASES.append(Case(primitive, call or primitive, args, dtypes, orders, name))
