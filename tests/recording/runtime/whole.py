"""Whole functions, entered in recording form, compared with what plain Python makes of them."""

import linecache

import numpy as np

import hybridad
from hybridad.recording.run import record
from hybridad.tree import flatten, unflatten
from tests.recording.agreement import copied, frozen, same

POINT = np.array([0.7, -1.3, 2.1])
"""Where functions are looked at unless told otherwise."""


def agrees(f, x=POINT, followed=True, rtol=2e-6):
    """Check ``f(x)``, a real number or a pair of one and of anything that is seen besides.

    Value and what is seen are those of plain Python, bit for bit; the gradient is that of central
    differences; all of it is followed from the source, unless said otherwise.

    Returns
    -------
    Explanation
        What hybridad says of the call.
    """
    expected = f(copied(x))
    has_aux = isinstance(expected, tuple)
    vg = hybridad.value_and_grad(f, has_aux=has_aux)
    found, grad = vg(copied(x))
    same(found, frozen(expected))
    explanation = hybridad.explain(vg)
    assert not (followed and reasons_in(explanation)), str(explanation)
    close_to_differences(f, x, grad, rtol)
    return explanation


def reasons_in(explanation):
    """Why a run was not followed from the source, but for frames of pytest.

    Where the garbage collector closes one of its generators during the run, that is a frame too.
    """
    return [r for r in explanation.reasons if r.frame is None or "_pytest" not in r.frame.file]


def close_to_differences(f, x, grad, rtol=2e-6):
    """Check a gradient against central differences of the plain function."""
    leaves, treedef = flatten(x)
    grads = flatten(grad)[0]
    for k, leaf in enumerate(leaves):
        base = np.asarray(leaf, float)
        expected = np.zeros(base.shape)
        for at in np.ndindex(base.shape):
            ends = []
            for step in (1e-5, -1e-5):
                moved = base.copy()
                moved[at] += step
                moved = moved if isinstance(leaf, np.ndarray) else type(leaf)(moved)
                value = f(unflatten(treedef, [*leaves[:k], moved, *leaves[k + 1:]]))
                ends.append(value[0] if isinstance(value, tuple) else value)
            expected[at] = (ends[0] - ends[1]) / 2e-5
        np.testing.assert_allclose(grads[k], expected, rtol=rtol, atol=1e-8)


def fails_alike(f, x=POINT):
    """Check that ``f(x)`` raises in a run what it raises in plain Python; return the error."""
    errors = []
    for call in (f, hybridad.grad(f)):
        try:
            call(copied(x))
        except Exception as error:
            errors.append(error)
        else:
            errors.append(None)
    plain, found = errors
    assert plain is not None, "it raises nothing"
    assert (type(found), str(found)) == (type(plain), str(plain))
    return found


def decisions(f, x=POINT):
    """The decisions that a run notes: ``(kind, outcome, source line)``."""
    guards = record(f, (copied(x),), {}, [0]).tape.guards()
    return [(kind, outcome, linecache.getline(site.file, site.line).strip())
            for _, site, kind, outcome in guards]
