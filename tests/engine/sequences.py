"""Calls of a function in a row, with what happens to the outside between them, by any way.

A case is a function ``make()`` that returns a fresh function and the changes: callables of no
arguments, one after the other made between rounds of calls.
"""

import numpy as np

from hybridad import cache_info, value_and_grad

__all__ = ["check", "play"]

ROUND = 3  # calls before and after each change
X = np.array([0.75, -1.5, 2.0])


def plainly(f):
    """As if a plain function gave a gradient, too."""
    return lambda x: (f(x), None)


def play(make, way):
    """The results of all calls, what shows of the outside in the end, and the gradient function."""
    f, *changes = make()
    shows = None
    if isinstance(f, tuple):
        f, shows = f
    g, results = way(f), []
    for change in (None, *changes):
        if change is not None:
            change()
        for k in range(ROUND):
            results.append(g(X + 0.125 * k))
    return results, shows and repr(shows()), g


def check(make, engine, hits=None):
    """An engine gives what plain Python and the tape give, and leaves the same outside.

    `hits`: how many calls specialized code must at least have answered; by default two in each
    round for the first one and one for each of the others.
    """
    expected, plain_outside, _ = play(make, plainly)
    taped, tape_outside, _ = play(make, lambda f: value_and_grad(f, engine="tape"))
    found, outside, g = play(make, lambda f: value_and_grad(f, engine=engine))
    assert plain_outside == tape_outside == outside
    for k, ((value, _), (again, wanted), (v, gradient)) in enumerate(zip(expected, taped, found)):
        assert type(value) is type(again) is type(v), k
        assert value == again == v, (k, value, again, v)
        np.testing.assert_allclose(gradient, wanted, rtol=1e-12, err_msg=f"call {k}")
    info = cache_info(g)
    wanted = ROUND - 1 + (len(found) // ROUND - 1) if hits is None else hits
    assert info.hits >= wanted, (info, g.__hybridad__.engine.cause)
    return info
