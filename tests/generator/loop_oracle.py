"""What plain NumPy makes of a loop program: its value, gradient and Hessian-vector products.

The gradient comes from complex steps: the program runs with ``x + 1e-200j`` in a namespace where
`np`, `math` and `abs` go on with complex numbers, and the imaginary part of the value is the
derivative, along the path that is taken, to the last bits. Hessian-vector products are differences
of such gradients where all of them take one path.
"""

import ast
import linecache
import math

import numpy as np

__all__ = ["LoopProgram"]

_STEP = 1e-200
_HVP_STEPS = (2.0**-9, 2.0**-11)


class LoopProgram:
    """A program ``f(x, w, n)`` from its source; knows what its derivatives are.

    Attributes
    ----------
    source : str
    function : callable
        The plain function, for engines to differentiate.
    """

    def __init__(self, source: str, name: str):
        self.source = source
        self._filename = f"<loop program {name}>"
        linecache.cache[self._filename] = (
            len(source), None, source.splitlines(keepends=True), self._filename)
        self.function = _load(compile(source, self._filename, "exec"))["f"]
        self._decisions = []
        noting = ast.fix_missing_locations(_Decisions().visit(ast.parse(source)))
        noting = compile(noting, "<a loop program that notes its decisions>", "exec")
        self._real = _load(noting, _decided=self._decided)["f"]
        on_complex = _load(noting, _decided=self._decided, abs=_absolute, float=lambda z: z)
        on_complex.update({name: value.astype(complex) for name, value in on_complex.items()
                           if isinstance(value, np.ndarray)})
        on_complex.update(np=_ComplexNumPy(), math=_ComplexNumPy())
        self._complex = on_complex["f"]

    def unload(self) -> None:
        """Let `linecache` forget the source."""
        linecache.cache.pop(self._filename, None)

    def _decided(self, outcome):
        self._decisions.append(bool(outcome))
        return outcome

    def value(self, x, w, n):
        """What plain Python gives."""
        return self.function(x.copy(), w, n)

    def gradient(self, x, w, n):
        """The gradient as one vector, `w` last; None where rounding decides the path."""
        parts, path = [], self._path(self._real, x.copy(), w, n)[1]
        for k in range(x.size + 1):
            point = np.append(x, w).astype(complex)
            point[k] += _STEP * 1j
            value, taken = self._path(self._complex, point[:-1], point[-1], n)
            if taken != path:
                return None
            parts.append(value.imag / _STEP)
        return np.array(parts)

    def _path(self, run, *args):
        self._decisions = []
        return run(*args), self._decisions

    def hvp(self, x, w, n, tx, tw):
        """The Hessian times a vector; None where differences of gradients do not show it."""
        path = self._path(self._real, x.copy(), w, n)[1]

        def at(step):
            moved = x + step * tx, w + step * tw, n
            gradient = self.gradient(*moved)
            if gradient is None or self._path(self._real, *moved)[1] != path:
                raise _OtherPathError
            return gradient

        try:
            coarse, fine = ((8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
                            for h in _HVP_STEPS)
        except _OtherPathError:
            return None
        smooth = np.all(np.abs(fine - coarse) <= 1e-7 * (1.0 + np.max(np.abs(fine))))
        return fine if smooth else None


class _OtherPathError(Exception):
    """A run decided otherwise."""


def _load(code, **names):
    """The namespace of the module, in which there are some names from the start."""
    namespace = {"__name__": "loop_program", **names}
    exec(code, namespace)
    return namespace


class _Decisions(ast.NodeTransformer):
    """Notes what every test gave; keeps NumPy's numbers, as Python's complex have no order."""

    def _noted(self, node):
        self.generic_visit(node)
        node.test = ast.Call(ast.Name("_decided", ast.Load()), [node.test], [])
        return node

    visit_If = visit_While = visit_IfExp = _noted

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "tolist":
            return node.func.value
        return node


def _absolute(z):
    """The analytic continuation of the absolute value."""
    return -z if z.real < 0.0 else z


class _ComplexNumPy:
    """NumPy (and `math`) where memory is complex and the absolute value is analytic."""

    abs = staticmethod(_absolute)
    pi = math.pi

    def zeros(self, shape):
        return np.zeros(shape, complex)

    def ones(self, shape):
        return np.ones(shape, complex)

    def array(self, values):
        return np.array(values, complex)

    def __getattr__(self, name):
        return getattr(np, name)
