"""Where a wrong derivative is wrong: the argument, the elements, and the text that says so."""

from dataclasses import dataclass

import numpy as np

from hybridad.testing.differences import differentiate
from hybridad.testing.subject import describe, pair
from hybridad.tree import flatten, leaf_paths

__all__ = ["Disagreement", "locate"]

_EVERY = 64  # arguments up to this size are examined element by element, larger ones bisected
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A derivative along one direction that is not what it should be.

    Attributes
    ----------
    mode : {"rev", "fwd"}
    cotangent : list
        What the result was weighted with; in forward mode it picks the worst element.
    got, expected : number
    method : str
        Where `expected` comes from.
    output : (int, tuple of int), optional
        Forward mode: which leaf of the result, and which element of it.
    """

    mode: str
    cotangent: list
    got: object
    expected: object
    method: str
    output: tuple | None = None


@dataclass(frozen=True, slots=True)
class _Search:
    """Two linear functionals of the direction: hybridad's, and the independent one."""

    subject: object
    found: Disagreement
    value: object
    probe: tuple
    tolerances: tuple

    def along(self, direction):
        """What hybridad gets, what is expected, and how much more than allowed they differ."""
        found, subject = self.found, self.subject
        if found.mode == "rev":
            got = pair(subject.pull([found.cotangent], self.value)[0], direction)
        else:
            got = pair(found.cotangent, subject.push(direction, self.value))
        if found.method == "forward mode":
            expected, error = pair(found.cotangent, subject.push(direction, self.value)), 0.0
        else:
            leaves, eps = self.probe
            estimates = differentiate(
                subject.evaluate, leaves, direction, not subject.chain, eps)
            expected = pair(found.cotangent, [e.derivative for e in estimates])
            error = sum(np.sum(np.abs(w)) * e.error
                        for w, e in zip(found.cotangent, estimates) if w is not None)
        rtol, atol = self.tolerances
        apart = abs(got - expected) / (atol + rtol * abs(expected) + 10.0 * error + 1e-300)
        return got, expected, apart


def locate(subject, found, value, tangent, probe, tolerances):
    """Narrow a disagreement down to elements of one argument, and say it.

    Parameters
    ----------
    subject : Subject
    found : Disagreement
    value : pytree
        Of the plain function.
    tangent : list
        The direction along which they disagree.
    probe : (list, float)
        Where differences are taken, and in which precision.
    tolerances : (float, float)
        Relative and absolute.

    Returns
    -------
    str
    """
    search = _Search(subject, found, value, probe, tolerances)
    paths = subject.paths
    worst, apart = 0, -1.0
    for k, t in enumerate(tangent):
        if t is not None and np.size(t):
            alone = [t if j == k else None for j in range(len(tangent))]
            excess = search.along(alone)[2] if len(tangent) > 1 else 0.0
            if excess > apart:
                worst, apart = k, excess
    elements, examined = _elements(search, worst, tangent[worst])
    lines = [f"The {subject.say(found.mode)} is wrong in argument {paths[worst]}."]
    of = _of(found, value)
    for index, got, expected in elements[:_SHOWN]:
        where = f"[{', '.join(map(str, index))}]" if index else ""
        lines.append(f"  {of} {paths[worst]}{where}: got {got:.10g}, expected {expected:.10g}")
    if not elements:
        lines.append("  No single element differs by more than the tolerance; together they do.")
    elif examined > 1:
        lines.append(f"  {len(elements)} of {examined} elements examined differ.")
    if found.output is None:
        lines.append(f"  Along the direction: <J'v, t> is {found.got:.10g}, "
                     f"<v, J t> is {found.expected:.10g} by {found.method}.")
    else:
        lines.append(f"  Along the direction: {_element(found, value)} changes by "
                     f"{found.got:.10g}, by {found.method} {found.expected:.10g}.")
    shapes = (f"{p}: {describe(x)}" for p, x in zip(paths, subject.leaves))
    return "\n".join([*lines, f"  Arguments: {', '.join(shapes)}."])


def _of(found, value):
    if found.output is not None:
        return f"d {_element(found, value)} / d"
    single = len(found.cotangent) == 1 and np.size(found.cotangent[0]) == 1
    return f"{'cotangent' if not single else 'cotangent (of a random multiple of f)'} of"


def _element(found, value):
    leaf, index = found.output
    path = leaf_paths(value, "f(...)")[leaf]
    part = "Im " if np.iscomplexobj(found.cotangent[leaf]) else (
        "Re " if np.iscomplexobj(flatten(value)[0][leaf]) else "")
    return f"{part}{path}" + (f"[{', '.join(map(str, (int(k) for k in index)))}]" if index else "")


def _elements(search, leaf, tangent):
    """The wrong elements of an argument, worst first, and how many were examined."""
    x = np.asarray(search.subject.leaves[leaf])
    indices = np.arange(x.size)
    while indices.size > _EVERY:
        halves = np.array_split(indices, 2)
        excess = [search.along(_only(search, leaf, half, tangent))[2] for half in halves]
        indices = halves[int(np.argmax(excess))]
    wrong = []
    for flat in indices:
        scale = max(1.0, float(np.abs(x.flat[flat])))
        got, expected, apart = search.along(_only(search, leaf, flat, np.full(x.shape, scale)))
        if x.dtype.kind == "c":
            more = search.along(_only(search, leaf, flat, np.full(x.shape, 1j * scale)))
            got, expected = got - 1j * more[0], expected - 1j * more[1]
            apart = max(apart, more[2])
        if apart > 1.0:
            index = tuple(int(k) for k in np.unravel_index(flat, x.shape))
            wrong.append((apart, index, got / scale, expected / scale))
    wrong.sort(key=lambda w: -w[0])
    return [w[1:] for w in wrong], indices.size


def _only(search, leaf, flat, tangent):
    direction = np.zeros(np.shape(tangent), dtype=np.asarray(tangent).dtype)
    direction.flat[flat] = np.asarray(tangent).flat[flat]
    return [direction if k == leaf else None for k in range(len(search.subject.leaves))]
