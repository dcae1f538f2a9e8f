"""Directional derivatives without any rule: central differences of 4th order, complex step.

Nothing here knows hybridad's derivatives; a function maps a list of leaves to a list of leaves.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["Estimate", "differentiate", "epsilon", "widen"]

# Steps are tried from the coarsest on until the estimate is as good as the precision allows:
# a function that is smooth at the scale of its arguments needs only the first.
_STEPS = {
    "double": tuple(2.0**-k for k in (7, 11, 15, 19, 23, 27)),
    "single": tuple(2.0**-k for k in (3, 5, 7, 9)),
    "half": tuple(2.0**-k for k in (1, 2, 3)),
}
_GOAL = 1e-10
_IMAGINARY = 1e-30


@dataclass(frozen=True, slots=True)
class Estimate:
    """The derivative of one output along a direction.

    Attributes
    ----------
    derivative : array or scalar
        Of the output's shape.
    error : float
        What any element may be off by; infinite if no step gave a finite number.
    method : str
    """

    derivative: object
    error: float
    method: str


def epsilon(leaf) -> float:
    """The spacing of floating numbers at 1 in the precision of a leaf.

    Examples
    --------
    >>> epsilon(1.0) == 2.0**-52, epsilon(np.complex64(1)) == 2.0**-23
    (True, True)
    """
    return float(np.finfo(np.asarray(leaf).dtype).eps)


def widen(leaf):
    """A leaf in double precision, if it has less.

    Examples
    --------
    >>> widen(np.float32(0.5))
    np.float64(0.5)
    """
    dtype = getattr(leaf, "dtype", None)
    if dtype is None or dtype.itemsize >= (8 if dtype.kind == "f" else 16):
        return leaf
    return leaf.astype(np.float64 if dtype.kind == "f" else np.complex128)


def differentiate(
    function: Callable[[list], list],
    leaves: list,
    direction: list,
    analytic: bool = False,
    eps: float = 2.0**-52,
) -> list[Estimate]:
    """The derivative of a function along a direction, with an estimate of its error.

    Parameters
    ----------
    function : callable
        From a list of leaves to a list of leaves; must not modify what it gets.
    leaves, direction : list
        Where, and along what; None in `direction` is zero.
    analytic : bool
        Try the complex step as well. It is taken where the function neither raises nor warns on
        complex arguments, and agrees with the differences within their error.
    eps : float
        The coarsest precision of what goes in and comes out (`epsilon`).

    Returns
    -------
    list of Estimate
        One for each output.

    Examples
    --------
    >>> (e,) = differentiate(lambda leaves: [leaves[0] ** 3], [2.0], [1.0], analytic=True)
    >>> round(e.derivative, 12), e.method
    (12.0, 'complex step')
    """
    estimates = _differences(function, leaves, direction, eps)
    if analytic:
        exact = _complex_step(function, leaves, direction)
        if exact is not None:
            estimates = [_choose(e, d) for e, d in zip(estimates, exact)]
    return estimates


def _moved(leaves, direction, h):
    return [x if t is None else _like(x, x + h * t) for x, t in zip(leaves, direction)]


def _like(x, moved):
    """A moved leaf in the type that it had; complex if the step is."""
    if not hasattr(x, "dtype"):
        return moved.item() if hasattr(moved, "item") else moved
    if moved.dtype.kind == x.dtype.kind:
        moved = moved.astype(x.dtype, copy=False)
    if not isinstance(x, np.ndarray):
        return moved
    # In the layout of the leaf: what `ravel("K")` gives depends on it.
    made = np.empty_like(x, dtype=moved.dtype)
    made[...] = moved
    return made


def _differences(function, leaves, direction, eps):
    best, failure = None, None
    for h in _STEPS["double" if eps < 1e-10 else "single" if eps < 1e-4 else "half"]:
        try:
            values = [_run(function, _moved(leaves, direction, c * h))
                      for c in (0.5, -0.5, 1.0, -1.0, 2.0, -2.0)]
            found = [_estimate(v, h, eps) for v in zip(*values)]
        except Exception as error:  # outside the domain of `function`: a smaller step may do
            failure = error
            continue
        best = found if best is None else [
            min(b, e, key=_doubt) for b, e in zip(best, found)]
        if all(_is_good(e, v, h, eps) for e, v in zip(best, values[0])):
            break
    if best is None:
        raise failure
    return best


def _doubt(estimate):
    """Relative, since a step that is too large may find a small derivative of small error."""
    if not np.isfinite(estimate.error):
        return np.inf
    size = float(np.max(np.abs(estimate.derivative), initial=0.0))
    return estimate.error / size if size else estimate.error


def _run(function, leaves):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(leaves)


def _noise(value, h, eps):
    return 4.0 * eps * float(np.max(np.abs(value), initial=0.0)) / h


def _estimate(values, h, eps):
    """Two central differences of 4th order, at h and h/2; their difference tells the error."""
    half, minus_half, one, minus_one, two, minus_two = map(np.asarray, values)
    if half.dtype.kind in "fc" and half.dtype.itemsize < 8:
        half, minus_half, one, minus_one, two, minus_two = (
            v.astype("D" if v.dtype.kind == "c" else "d")
            for v in (half, minus_half, one, minus_one, two, minus_two))
    with np.errstate(all="ignore"):
        coarse = (8.0 * (one - minus_one) - (two - minus_two)) / (12.0 * h)
        fine = (8.0 * (half - minus_half) - (one - minus_one)) / (6.0 * h)
        error = float(np.max(np.abs(fine - coarse), initial=0.0))
    if not np.isfinite(error):
        return Estimate(fine, np.inf, "central differences")
    return Estimate(fine, error + _noise(half, h, eps), "central differences")


def _is_good(estimate, value, h, eps):
    size = float(np.max(np.abs(estimate.derivative), initial=0.0))
    goal = max(_GOAL, 1e3 * eps) * size
    return estimate.error <= max(goal, 4.0 * _noise(value, h, eps))


def _complex_step(function, leaves, direction):
    """Im f(x + i h t) / h, without any cancellation; None where the function does not allow it."""
    if any(t is not None and np.iscomplexobj(x) for x, t in zip(leaves, direction)):
        return None
    try:
        with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
            warnings.simplefilter("error")
            values = function(_moved(leaves, direction, _IMAGINARY * 1j))
    except Exception:
        return None
    return [np.imag(v) / _IMAGINARY for v in values]


def _choose(estimate, exact):
    """The complex step, if it is compatible with the differences."""
    derivative = np.asarray(estimate.derivative)
    if derivative.dtype.kind == "c" or np.shape(exact) != derivative.shape:
        return estimate
    apart = float(np.max(np.abs(exact - derivative), initial=0.0))
    size = float(np.max(np.abs(derivative), initial=0.0))
    if apart <= min(10.0 * estimate.error, 1e-3 * size):
        return Estimate(exact, 1e-15 * float(np.max(np.abs(exact), initial=0.0)), "complex step")
    return estimate
