"""`check_grads`: are hybridad's derivatives of a function right?

Along random directions of all arguments and for random cotangents of all results, reverse and
forward mode are compared with finite differences or the complex step, and with each other. A wrong
derivative is narrowed down to the argument and the elements (`hybridad.testing.disagreement`).
"""

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hybridad._site import Site
from hybridad.errors import ArgumentError, GradientCheckError, message
from hybridad.testing.differences import differentiate, epsilon, widen
from hybridad.testing.disagreement import Disagreement, locate
from hybridad.testing.subject import Subject, fresh, pair
from hybridad.tree import flatten, is_floating, unflatten

__all__ = ["check_grads"]

_SITE = Site("call")  # from where `f` is called in its recording form
_ALONE = 16  # so many arguments, or results, are also checked one by one


@dataclass(frozen=True, slots=True)
class _Options:
    modes: tuple
    order: int
    rtol: float
    atol: float
    seed: int
    directions: int


def check_grads(
    f: Callable,
    args: Sequence,
    modes: Sequence[str] = ("rev", "fwd"),
    order: int = 2,
    kwargs: Mapping | None = None,
    argnums: int | str | Sequence[int | str] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    seed: int = 0,
    directions: int = 3,
) -> None:
    """Check the derivatives of a function at a point; raise if they are wrong.

    Parameters
    ----------
    f : callable
        Returns a floating number or array, real or complex, or a pytree of them.
    args : sequence
        Its positional arguments. They are not modified.
    modes : sequence of {"rev", "fwd"}
        With both, they are also checked against each other.
    order : int
        Highest order of derivative: order 2 checks the derivative of each mode in each mode.
    kwargs : mapping, optional
        Its keyword arguments.
    argnums : int, str or sequence of them, optional
        Which arguments to differentiate, by position or by name. By default all with a real or
        complex floating leaf.
    rtol, atol : float, optional
        Tolerances. By default those of the coarsest precision among arguments and results:
        1e-7 and 1e-12 for double, 1e-3 and 1e-6 for single, 3e-2 and 1e-3 for half precision. The
        estimated error of the differences is allowed for in addition.
    seed : int
        Of the random directions.
    directions : int
        How many directions (and cotangents) that move all arguments (all results) at once. Beside
        them each argument is moved alone, and each result weighted alone.

    Raises
    ------
    GradientCheckError
        Says which argument and elements differ, in which mode and order, and what was expected.

    Notes
    -----
    Cotangents and tangents pair as Re(sum(g * t)), as everywhere in hybridad. Arguments of single
    precision are widened to double for the differences, where `f` computes in double then.

    Examples
    --------
    >>> check_grads(lambda x, n: np.tanh(x) ** n, (np.array([0.5, 1.0]), 3))
    """
    function, diff, names = _select(f, tuple(args), dict(kwargs or {}), argnums)
    subject = Subject(function, diff, names, getattr(f, "__name__", repr(f)))
    subject.require_floating()
    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    if not modes or not set(modes) <= {"rev", "fwd"}:
        raise ArgumentError(message(f"modes is {modes!r}.", 'Choose from "rev" and "fwd".'))
    rng = np.random.default_rng(seed)
    subjects = [subject]
    for _ in range(order):
        subjects = [
            further
            for s in subjects
            for further in _check(s, _Options(modes, order, rtol, atol, seed, directions), rng)
        ]


def _select(f, args, kwargs, argnums):
    """`f` as a function of its differentiable arguments, these arguments, and their names."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY,
                                                           p.POSITIONAL_OR_KEYWORD)]
    if argnums is None:
        keys = [k for k, a in enumerate(args) if any(map(is_floating, flatten(a)[0]))]
    else:
        keys = [argnums] if isinstance(argnums, (int, str)) else list(argnums)
    keys = [positional.index(k) if k in positional[: len(args)] else k for k in keys]
    for k in keys:
        if not (k in kwargs if isinstance(k, str) else -len(args) <= k < len(args)):
            raise ArgumentError(message(
                f"argnums names {k!r}, but the call has {len(args)} positional arguments"
                + (f" and the keywords {', '.join(kwargs)}." if kwargs else "."),
                "Use positions from 0 on, or names of arguments that are passed."))
    keys = [k % len(args) if isinstance(k, int) else k for k in keys]

    def function(*diff):
        full, keywords = [_untouched(a) for a in args], {k: _untouched(a)
                                                         for k, a in kwargs.items()}
        for k, a in zip(keys, diff):
            (keywords if isinstance(k, str) else full)[k] = a
        return _SITE.call(f, *full, **keywords)

    names = tuple(k if isinstance(k, str) else positional[k] if k < len(positional)
                  else f"args[{k}]" for k in keys)
    return function, tuple(kwargs[k] if isinstance(k, str) else args[k] for k in keys), names


def _untouched(argument):
    """An argument as it was at the start, whatever `f` did to it in its last run."""
    if isinstance(argument, (np.random.Generator, np.random.RandomState)):
        return copy.deepcopy(argument)
    leaves, treedef = flatten(argument)
    if any(type(leaf) is np.ndarray for leaf in leaves):
        return unflatten(treedef, [fresh(leaf) for leaf in leaves])
    return argument


def _check(subject, options, rng):
    """Check one order; return the derivatives to check next."""
    value = subject.value()
    outputs = flatten(value)[0]
    leaves = subject.leaves
    eps = max(epsilon(x) for x in (*leaves, *outputs))
    rtol, atol = _tolerances(eps, options)
    tangents = _directions(leaves, options.directions, rng, scaled=True)
    cotangents = _directions(outputs, options.directions, rng)
    pulled = subject.pull(cotangents, value) if "rev" in options.modes else None
    if pulled:
        tangents += _balanced(pulled[0], tangents[0])
    probe, eps = _probe(subject, outputs, eps)
    for k, t in enumerate(tangents):
        estimates = _estimates(subject, probe, t, eps)
        pushed = subject.push(t, value) if "fwd" in options.modes else None
        found = None
        if pushed:
            found = _compare_pushed(pushed, estimates, rtol, atol)
        if pulled and not found:
            found = _compare_pulled(pulled, cotangents, t, estimates, rtol, atol)
        if pushed and pulled and not found:
            found = _compare_modes(pulled, cotangents, t, pushed, rtol, atol)
        if found:
            raise GradientCheckError(
                f"{locate(subject, found, value, t, (probe, eps), (rtol, atol))}\n"
                f"  Direction {k + 1} of {len(tangents)}, seed {options.seed}, "
                f"rtol {rtol:g}, atol {atol:g}.")
    return [subject.derivative(mode, cotangents[0], tangents[0]) for mode in options.modes]


def _tolerances(eps, options):
    rtol, atol = (1e-7, 1e-12) if eps < 1e-10 else (1e-3, 1e-6) if eps < 1e-4 else (3e-2, 1e-3)
    return (rtol if options.rtol is None else options.rtol,
            atol if options.atol is None else options.atol)


def _directions(leaves, count, rng, scaled=False):
    """Random directions that move all leaves, and for several leaves one that moves each alone."""
    def draw(x):
        shape = np.shape(x)
        t = rng.standard_normal(shape)
        if np.iscomplexobj(x):
            t = t + 1j * rng.standard_normal(shape)
        return t * np.maximum(1.0, np.abs(x)).astype("d") if scaled else t

    found = [[draw(x) for x in leaves] for _ in range(max(count, 1))]
    if 1 < len(leaves) <= _ALONE:
        found += [[draw(x) if j == k else None for j, x in enumerate(leaves)]
                  for k in range(len(leaves))]
    return found


def _balanced(cotangent, tangent):
    """A direction in which elements of small derivative count as much as those of large."""
    size = np.concatenate([np.abs(g).ravel() for g in map(np.asarray, cotangent)]).astype("d")
    size = size[size > 0.0]
    if size.size == 0 or np.max(size) < 1e3 * np.min(size):
        return []
    floor = max(np.min(size), 1e-9 * np.max(size))
    return [[t * floor / np.maximum(np.abs(g).astype("d"), floor)
             for g, t in zip(cotangent, tangent)]]


def _probe(subject, outputs, eps):
    """Where the differences are taken: the leaves in double precision, if the function allows it.

    Returns the leaves, and the precision in which the function computes there.
    """
    wide = [widen(x) for x in subject.leaves]
    if all(a is b for a, b in zip(wide, subject.leaves)):
        return subject.leaves, eps
    try:
        values = subject.evaluate(wide)
    except Exception:
        return subject.leaves, eps
    for a, b in zip(values, outputs):
        if np.shape(a) != np.shape(b) or np.max(np.abs(a - b), initial=0.0) > 100.0 * eps * (
                1.0 + np.max(np.abs(a), initial=0.0)):
            return subject.leaves, eps
    return wide, max(epsilon(x) for x in (*wide, *values))


def _estimates(subject, probe, tangent, eps):
    try:
        found = differentiate(subject.evaluate, probe, tangent, not subject.chain, eps)
    except Exception as error:
        raise GradientCheckError(
            f"{subject.title} cannot be evaluated near these arguments, so there is nothing to "
            f"check against: {type(error).__name__}: {error}\n"
            "Move the arguments away from the border of its domain.") from error
    values = subject.evaluate(probe)
    for estimate, value in zip(found, values):
        size = np.max(np.abs(estimate.derivative), initial=0.0)
        if not estimate.error <= max(1e-2 * size, eps**0.5 * np.max(np.abs(value), initial=0.0)):
            raise GradientCheckError(
                f"{subject.title} is not smooth near these arguments, so there is nothing to "
                f"check {f'order {subject.order} ' if subject.chain else ''}against: finite "
                f"differences do not converge ({size:.3g} up to {estimate.error:.1g}).\n"
                "Move the arguments away from kinks, jumps and the border of the domain.")
    return found


def _compare_pushed(pushed, estimates, rtol, atol):
    """Forward mode: every element of every result."""
    for k, (got, estimate) in enumerate(zip(pushed, estimates)):
        apart = np.abs(got - estimate.derivative)
        allowed = atol + rtol * np.abs(estimate.derivative) + 10.0 * estimate.error
        if np.any(apart > allowed):
            worst = np.unravel_index(np.argmax(apart / allowed), np.shape(apart))
            weights = [None] * len(pushed)
            weights[k] = np.zeros(np.shape(apart))
            weights[k][worst] = 1.0
            got, expected = np.asarray(got)[worst], np.asarray(estimate.derivative)[worst]
            if abs(np.real(got - expected)) < abs(np.imag(got - expected)):
                weights[k] = -1j * weights[k]
            return Disagreement("fwd", weights, got, expected, estimate.method, (k, worst))
    return None


def _compare_pulled(pulled, cotangents, tangent, estimates, rtol, atol):
    """Reverse mode: <v, J t> by differences against <J' v, t>, for every cotangent v."""
    derivative = [e.derivative for e in estimates]
    for v, gs in zip(cotangents, pulled):
        got, expected = pair(gs, tangent), pair(v, derivative)
        slack = sum(np.sum(np.abs(w)) * e.error for w, e in zip(v, estimates) if w is not None)
        size = max(abs(expected), _magnitude(gs, tangent), _magnitude(v, derivative))
        if not abs(got - expected) <= atol + rtol * size + 10.0 * slack:
            return Disagreement("rev", v, got, expected, estimates[0].method)
    return None


def _compare_modes(pulled, cotangents, tangent, pushed, rtol, atol):
    """<v, J t> = <J' v, t>, both by hybridad: no error of differences in it."""
    for v, gs in zip(cotangents, pulled):
        reverse, forward = pair(gs, tangent), pair(v, pushed)
        size = max(_magnitude(gs, tangent), _magnitude(v, pushed))
        if not abs(reverse - forward) <= atol + rtol * size:
            return Disagreement("rev", v, reverse, forward, "forward mode")
    return None


def _magnitude(gs, ts):
    """How large a pairing is without cancellation, as rounding errors add up."""
    return float(sum(np.sum(np.abs(g * t) ** 2.0) for g, t in zip(gs, ts)
                     if g is not None and t is not None)) ** 0.5
