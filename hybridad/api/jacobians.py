"""`jacobian`."""

import functools

from hybridad import engine as engines
from hybridad import tree
from hybridad.api.blocks import Inputs, by_pulling, by_pushing
from hybridad.api.checks import check_callable, check_floating
from hybridad.api.derived import Derived
from hybridad.errors import ArgumentError, message
from hybridad.recording.arguments import normalize_argnums, select
from hybridad.recording.nested import MAKERS, Nested, note_derivative

__all__ = ["jacobian"]

_MODES = (None, "forward", "reverse")


def jacobian(f, argnums=0, has_aux=False, mode=None, *, engine="auto"):
    """A function that returns the matrix of all partial derivatives of `f`.

    Parameters
    ----------
    f : callable
        May return any pytree of floating or complex numbers and arrays.
    argnums : int, str, or tuple of them
        The arguments to differentiate by, as in `value_and_grad`.
    has_aux : bool
        `f` returns ``(value, aux)``; the result is then ``(jacobian, aux)``.
    mode : {None, "forward", "reverse"}
        Column by column, each at the cost of a run with tangents, or row by row, each at the cost
        of a sweep back. None: what takes fewer of them.
    engine : {"auto", "tape"}

    Returns
    -------
    callable
        Called as `f` is. For each leaf `y` of the value and each leaf `x` of the arguments there is
        a block of shape ``y.shape + x.shape`` (a number where both are numbers), in the type of
        `x`. The result has the structure of the value, with the structure of the argument (a tuple
        where `argnums` is one) in place of each leaf.

    Raises
    ------
    ArgumentError
        For an argument that cannot be differentiated, or another `mode`.
    ResultError
        If `f` returns what is not floating.

    Notes
    -----
    By real arguments the blocks are dy/dx, complex where `y` is. By complex arguments z = x + iy
    they are what `grad` gives for the real part of the value, ``df/dx - i df/dy``: the complex
    derivative where `f` has one.

    `f` is run once as far as anybody can see: if it has effects, it is not run again.

    See Griewank and Walther, *Evaluating Derivatives* (2008), chapter 3, and `jacfwd` and `jacrev`
    of JAX for the structure of the result.

    Examples
    --------
    >>> import numpy as np
    >>> import hybridad
    >>> def polar(p):
    ...     return np.array([p[0] * np.cos(p[1]), p[0] * np.sin(p[1])])
    >>> hybridad.jacobian(polar)(np.array([2.0, 0.0]))
    array([[1., 0.],
           [0., 2.]])
    >>> hybridad.jacobian(lambda x, y: {"product": x * y}, argnums=(0, 1))(2.0, 3.0)
    {'product': (np.float64(3.0), np.float64(2.0))}
    """
    check_callable(f)
    engines.check_engine(engine)
    if mode not in _MODES:
        raise ArgumentError(message(
            f"There is no mode {mode!r}.", 'Write "forward", "reverse", or leave it away.'))
    selected = normalize_argnums(argnums)
    single = not isinstance(argnums, (tuple, list))

    def answer(args, kwargs):
        args, kwargs, keys = select(f, selected, args, kwargs)
        inputs = Inputs(args, kwargs, keys, single)
        found, blocks = _blocks(f, args, kwargs, keys, has_aux, mode, engine, inputs)
        made = tree.unflatten(found.structure, [inputs.trees(row) for row in blocks])
        note_derivative(made)
        return (made, found.aux) if has_aux else made

    return Derived(f, _jacobian_of, (argnums, has_aux, mode, engine), "jacobian", answer,
                   Nested("jacobian", f, selected, single, has_aux),
                   engines.finder(f, "jvp" if mode == "forward" else "vjp", has_aux, engine))


def _jacobian_of(f, argnums, has_aux, mode, engine):
    """`jacobian` with all its options by position, for `pickle`."""
    return jacobian(f, argnums, has_aux, mode, engine=engine)


def _blocks(f, args, kwargs, keys, has_aux, mode, engine, inputs):
    """The answer of the engine that was asked last, and the blocks."""
    ask = functools.partial(engines.linear, f=f, args=args, kwargs=kwargs, keys=keys,
                            has_aux=has_aux, engine=engine,
                            check=functools.partial(check_floating, f))
    if mode == "forward":
        found = ask("jvp")
        return found, by_pushing(found, inputs)
    found = ask("vjp")
    size = sum(like.size for like in found.likes)
    if mode is None and inputs.size < size:
        if hasattr(found, "push"):
            return found, by_pushing(found, inputs)
        if found.repeats:
            pushing = ask("jvp")
            return found, by_pushing(pushing, inputs)
    return found, by_pulling(found, inputs)


MAKERS.add(jacobian)
