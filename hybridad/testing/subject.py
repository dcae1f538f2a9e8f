"""What a gradient check looks at: a function of its differentiable leaves, and its derivatives.

The derivatives are called here as a user would call them, and what they promise beside the
numbers is checked here: the value is that of the plain function, nothing that was passed in is
modified, cotangents and tangents have the shapes and dtypes of what they belong to.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hybridad import api
from hybridad.errors import ArgumentError, GradientCheckError, ResultError, message
from hybridad.testing.differences import epsilon
from hybridad.tree import flatten, is_floating, leaf_paths, unflatten

__all__ = ["Subject", "cast", "describe", "fresh", "pair"]

_MODES = {"rev": "reverse", "fwd": "forward"}


def fresh(leaf):
    """A copy of an array, in its memory layout; anything else as it is."""
    return leaf.copy(order="K") if type(leaf) is np.ndarray else leaf


def cast(leaf, like):
    """A number or array in the type of another, which may be a value being recorded."""
    if not hasattr(like, "dtype"):  # Python's own number, perhaps being recorded
        return complex(leaf) if isinstance(like, complex) else float(leaf)
    leaf = np.asarray(leaf, dtype=like.dtype)
    return leaf if leaf.ndim or isinstance(like, np.ndarray) else leaf[()]


def _member(leaf, like):
    """A cotangent or tangent of a number or array; None is zero."""
    return cast(np.zeros(np.shape(like)) if leaf is None else leaf, like)


def pair(cotangents, tangents):
    """The pairing Re(sum(g * t)), summed over leaves; a None is zero."""
    total = 0.0
    for g, t in zip(cotangents, tangents):
        if g is not None and t is not None:
            total = total + np.sum(np.real(g * t))
    return total


def describe(leaf):
    """``float64[3, 4]``, ``float``."""
    if not hasattr(leaf, "dtype"):
        return type(leaf).__name__
    return f"{leaf.dtype}[{', '.join(map(str, leaf.shape))}]"


def _is_identical(a, b):
    """Bit for bit, so that NaN is NaN and -0.0 is not 0.0."""
    if type(a) is not type(b) or np.shape(a) != np.shape(b):
        return False
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype:
        return False
    if a.dtype.itemsize > 8 and a.dtype.kind == "f":  # padding bytes tell nothing
        return np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a), np.signbit(b))
    return a.tobytes() == b.tobytes()


def _first(mask):
    index = tuple(int(k) for k in np.argwhere(np.asarray(mask))[0]) if np.ndim(mask) else ()
    return f"[{', '.join(map(str, index))}]" if index else ""


@dataclass(frozen=True, slots=True)
class Subject:
    """A function at a point.

    Attributes
    ----------
    function : callable
        Of the differentiable arguments alone.
    args : tuple
    names : tuple of str
        What each argument is called.
    title : str
        The function's name.
    chain : tuple of str
        The modes by which `function` is already a derivative of what the user wrote.
    """

    function: Callable
    args: tuple
    names: tuple
    title: str
    chain: tuple = ()

    @property
    def order(self):
        """Order of the derivative that is checked here."""
        return len(self.chain) + 1

    @property
    def leaves(self):
        """The leaves of all arguments."""
        return flatten(self.args)[0]

    @property
    def paths(self):
        """The leaves' names."""
        return [p for a, n in zip(self.args, self.names) for p in leaf_paths(a, n)]

    def say(self, mode):
        """``reverse-mode derivative of f``, with what stands below it."""
        over = "".join(f" over {_MODES[m]}" for m in reversed(self.chain))
        what = f"{_MODES[mode]}-mode derivative of {self.title}"
        return what + (f" (order {self.order}: {_MODES[mode]}{over})" if over else "")

    def require_floating(self):
        """Refuse arguments that have leaves which cannot be differentiated."""
        if not self.leaves:
            raise ArgumentError(message(
                f"No argument of {self.title} has a floating leaf, so there is nothing to check.",
                "Pass floats or floating arrays, or say which by argnums."))
        for path, leaf in zip(self.paths, self.leaves):
            if not is_floating(leaf):
                raise ArgumentError(message(
                    f"{path} is {describe(leaf)} and cannot be differentiated.",
                    "Leave its argument out of argnums, or pass floating numbers."))

    def evaluate(self, leaves):
        """The leaves of the plain value, from copies."""
        args = unflatten(flatten(self.args)[1], [fresh(x) for x in leaves])
        return flatten(self.function(*args))[0]

    def value(self):
        """The plain value at the point."""
        value = self.function(*self._copies())
        for path, leaf in zip(leaf_paths(value, "f(...)"), flatten(value)[0]):
            if not is_floating(leaf):
                raise ResultError(message(
                    f"{path} is {describe(leaf)}, which has no derivative.",
                    "Let the function return floating numbers or arrays (in any container)."))
            if not np.all(np.isfinite(leaf)):
                raise GradientCheckError(
                    f"{self.title} is not finite at these arguments: "
                    f"{path}{_first(~np.isfinite(leaf))} is {_pick(leaf, ~np.isfinite(leaf))}.\n"
                    "Check it where it is finite.")
        return value

    def pull(self, cotangents, value):
        """The leaves of all arguments' cotangents, for each of several lists of cotangents."""
        args = self._copies()
        got, pullback = api.vjp(self.function, *args)
        self._compare_values("rev", got, value)
        like, treedef = flatten(value)
        pulled = []
        for cotangent in cotangents:
            passed = [_member(v, x) for v, x in zip(cotangent, like)]
            result = pullback(unflatten(treedef, [fresh(v) for v in passed]))
            leaves, structure = flatten(tuple(result))
            if structure != flatten(self.args)[1]:
                self._fail("rev", f"has another structure than the arguments:\n  {structure}\n"
                                  f"  {flatten(self.args)[1]}")
            self._compare_spaces("rev", leaves, self.leaves, self.paths)
            pulled.append(leaves)
        self._compare_arguments("rev", args)
        return pulled

    def push(self, tangents, value):
        """The leaves of the value's tangent, along one direction."""
        args = self._copies()
        passed = [_member(t, x) for t, x in zip(tangents, self.leaves)]
        directions = unflatten(flatten(self.args)[1], [fresh(t) for t in passed])
        got, tangent = api.jvp(self.function, args, tuple(directions))
        self._compare_values("fwd", got, value)
        leaves, structure = flatten(tangent)
        if structure != flatten(value)[1]:
            self._fail("fwd", f"has another structure than the value:\n  {structure}\n"
                              f"  {flatten(value)[1]}")
        self._compare_spaces("fwd", leaves, flatten(value)[0], leaf_paths(value, "f(...)"))
        self._compare_arguments("fwd", args)
        return leaves

    def derivative(self, mode, cotangent, tangent):
        """The derivative paired with fixed directions: a real function, one order up."""
        function = self.function

        def reverse(*args):
            value, pullback = api.vjp(function, *args)
            leaves, treedef = flatten(value)
            v = unflatten(treedef, [cast(v, x) for v, x in zip(cotangent, leaves)])
            return pair(flatten(tuple(pullback(v)))[0], tangent)

        def forward(*args):
            leaves, treedef = flatten(tuple(args))
            t = unflatten(treedef, [cast(t, x) for t, x in zip(tangent, leaves)])
            return pair(flatten(api.jvp(function, args, t)[1])[0], cotangent)

        chosen = reverse if mode == "rev" else forward
        return Subject(chosen, self.args, self.names, self.title, (*self.chain, mode))

    def _copies(self):
        leaves, treedef = flatten(self.args)
        return unflatten(treedef, [fresh(x) for x in leaves])

    def _fail(self, mode, what):
        raise GradientCheckError(f"The {self.say(mode)} {what}")

    def _compare_values(self, mode, got, value):
        name = "vjp" if mode == "rev" else "jvp"
        (ours, structure), (plain, expected) = flatten(got), flatten(value)
        if structure != expected:
            self._fail(mode, f"is wrong: {name} returns a value of another structure than the "
                             f"plain function:\n  {structure}\n  {expected}")
        for path, a, b in zip(leaf_paths(value, "f(...)"), ours, plain):
            if _is_identical(a, b) or (self.chain and _is_close(a, b)):
                continue
            again = flatten(self.function(*self._copies()))[0]
            if not all(map(_is_identical, plain, again)):
                raise GradientCheckError(
                    f"{self.title} cannot be checked: two plain runs on the same arguments differ."
                    "\nSeed what it draws inside, or pass the random numbers as arguments.")
            detail = f"{describe(a)} instead of {describe(b)}"
            if describe(a) == describe(b):
                differ = np.asarray(a) != np.asarray(b)
                detail = (f"got {_pick(a, differ)!r}, expected {_pick(b, differ)!r}"
                          if np.any(differ) else f"got {a!r}, expected {b!r}")
                path += _first(differ) if np.any(differ) else ""
            self._fail(mode, f"is wrong: the value that {name} returns is not that of the plain "
                             f"function.\n  {path}: {detail}")

    def _compare_spaces(self, mode, leaves, like, paths):
        what = "cotangent" if mode == "rev" else "tangent"
        for path, a, x in zip(paths, leaves, like):
            a = np.asarray(a)
            if a.shape != np.shape(x) or a.dtype != np.asarray(x).dtype:
                self._fail(mode, f"is wrong: the {what} of {path} is {describe(a)}, "
                                 f"but {path} is {describe(x)}.")
            if not np.all(np.isfinite(a)):
                bad = ~np.isfinite(a)
                self._fail(mode, f"is not finite: the {what} of {path}{_first(bad)} is "
                                 f"{_pick(a, bad)}, where {path}{_first(bad)} is {_pick(x, bad)}.")

    def _compare_arguments(self, mode, args):
        for path, a, x in zip(self.paths, flatten(args)[0], self.leaves):
            if not _is_identical(a, x):
                differ = np.asarray(a) != np.asarray(x)
                self._fail(mode, f"is wrong: it modified the argument {path}{_first(differ)} "
                                 f"({_pick(x, differ)} became {_pick(a, differ)}).")


def _pick(leaf, mask):
    return np.asarray(leaf)[np.asarray(mask)].ravel()[0] if np.ndim(leaf) else leaf


def _is_close(a, b):
    """Equal up to rounding: a derivative that is recorded may add in another order."""
    if np.shape(a) != np.shape(b):
        return False
    scale = float(np.max(np.abs(b), initial=0.0))
    apart = float(np.max(np.abs(a - b), initial=0.0))
    return apart <= epsilon(b) ** 0.5 * scale + epsilon(b) ** 0.75
