"""Functions that are traced by themselves, and those that are followed to their gradients."""

import numpy as np

from hybridad import cache_info, value_and_grad
from hybridad.recording.effects import Journal
from hybridad.recording.tracing import trace
from hybridad.trace.ir import Node
from hybridad.trace.path import Decision

__all__ = ["X", "decisions", "follow", "kinds", "slopes", "targets"]

X = np.array([0.5, -1.25, 2.0])


def kinds(f, *args, keys=(0,), dynamic=()):
    """The events of a run, all kinds of them, and its result."""
    events, result, _ = trace(f, args, {}, list(keys), Journal(keeps=True), dynamic=dynamic)
    return events, result


def targets(events, op):
    """What the operations of one kind were, in order, by name."""
    return [getattr(e.target, "__name__", None) or getattr(e.target, "name", e.target)
            for e in events if type(e) is Node and e.op == op]


def decisions(events):
    """Kinds and outcomes of what data decided."""
    return [(e.kind, e.outcome) for e in events if type(e) is Decision]


def slopes(f, x, *rest):
    """Derivatives of `f` by central differences."""
    found = np.zeros_like(x)
    for k in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[k] = 1e-6
        found[k] = (f(x + step, *rest) - f(x - step, *rest)) / 2e-6
    return found


def follow(f, *args, hits=2):
    """Value and gradient by specialized code are right; it has answered `hits` of three calls."""
    g = value_and_grad(f, engine="sct")
    for _ in range(3):
        value, gradient = g(*args)
        plain = f(*args)
        assert type(value) is type(plain) and value == plain
        if isinstance(args[0], np.ndarray):
            np.testing.assert_allclose(gradient, slopes(f, *args), rtol=1e-6, atol=1e-7)
    assert cache_info(g).hits == hits
    return g
