"""`hessian` and `hvp`: forward mode over reverse mode."""

import functools

from hybridad import engine as engines
from hybridad.api.blocks import Inputs, by_pushing
from hybridad.api.checks import check_callable, check_scalar
from hybridad.api.derived import Derived
from hybridad.api.tangents import copied, fit
from hybridad.errors import ArgumentError, message
from hybridad.recording.arguments import name_of, normalize_argnums, select
from hybridad.recording.nested import MAKERS, Nested, note_derivative

__all__ = ["hessian", "hvp"]


def hessian(f, argnums=0, has_aux=False, *, engine="auto"):
    """A function that returns the matrix of second derivatives of a scalar function.

    Parameters
    ----------
    f : callable
        Returns a real floating-point scalar.
    argnums : int, str, or tuple of them
        The arguments to differentiate by, as in `value_and_grad`; real ones.
    has_aux : bool
        `f` returns ``(value, aux)``; the result is then ``(hessian, aux)``.
    engine : {"auto", "tape"}

    Returns
    -------
    callable
        Called as `f` is. For each two leaves `x` and `y` of the arguments there is a block of shape
        ``x.shape + y.shape`` (a number where both are numbers). The result has the structure of the
        argument (a tuple where `argnums` is one), with the same structure in place of each leaf.

    Raises
    ------
    ArgumentError
        For an argument that cannot be differentiated, or that is complex.
    ResultError
        If `f` does not return a real floating-point scalar.

    Notes
    -----
    Tangents of the gradient, one for each number in the arguments; see Griewank and Walther,
    *Evaluating Derivatives* (2008), chapter 5.

    Examples
    --------
    >>> import numpy as np
    >>> import hybridad
    >>> hybridad.hessian(lambda x: x[0] ** 2 * x[1])(np.array([3.0, 5.0]))
    array([[10.,  6.],
           [ 6.,  0.]])
    """
    check_callable(f)
    engines.check_engine(engine)
    selected = normalize_argnums(argnums)
    single = not isinstance(argnums, (tuple, list))

    def answer(args, kwargs):
        args, kwargs, keys = select(f, selected, args, kwargs)
        inputs = Inputs(args, kwargs, keys, single)
        if any(like.is_complex for like in inputs.likes):
            raise ArgumentError(message(
                f"An argument of {name_of(f)} is complex, so it has no matrix of second "
                "derivatives.", "Pass its real and imaginary part, or use hvp."))
        found = engines.linear("hvp", f, args, kwargs, keys, has_aux, engine,
                               functools.partial(check_scalar, f))
        made = inputs.trees([inputs.trees(row) for row in by_pushing(found, inputs)])
        note_derivative(made)
        return (made, found.aux) if has_aux else made

    return Derived(f, _hessian_of, (argnums, has_aux, engine), "hessian", answer,
                   Nested("hessian", f, selected, single, has_aux),
                   engines.finder(f, "hvp", has_aux, engine))


def _hessian_of(f, argnums, has_aux, engine):
    """`hessian` with all its options by position, for `pickle`."""
    return hessian(f, argnums, has_aux, engine=engine)


def hvp(f, argnums=0, has_aux=False, *, engine="auto"):
    """A function that returns the product of the matrix of second derivatives and a vector.

    Parameters
    ----------
    f : callable
        Returns a real floating-point scalar.
    argnums : int, str, or tuple of them
        The arguments to differentiate by, as in `value_and_grad`.
    has_aux : bool
        `f` returns ``(value, aux)``; the result is then ``(product, aux)``.
    engine : {"auto", "tape"}

    Returns
    -------
    callable
        Called as `f` is, with the vector as one more positional argument behind the others. The
        vector has the structure and shapes of the differentiated argument (a tuple of such where
        `argnums` is one; None is zero), and so has the result. Of complex arguments it is how the
        gradient changes along the vector.

    Raises
    ------
    ArgumentError
        For an argument that cannot be differentiated, or a vector that does not fit.
    ResultError
        If `f` does not return a real floating-point scalar.

    Notes
    -----
    A tangent of the gradient, at some four times the cost of `f`, however long the vector is:
    Pearlmutter, "Fast exact multiplication by the Hessian", *Neural Computation* 6 (1994).

    Examples
    --------
    >>> import numpy as np
    >>> import hybridad
    >>> x, v = np.array([3.0, 5.0]), np.array([1.0, 0.0])
    >>> hybridad.hvp(lambda x: x[0] ** 2 * x[1])(x, v)
    array([10.,  6.])
    """
    check_callable(f)
    engines.check_engine(engine)
    selected = normalize_argnums(argnums)
    single = not isinstance(argnums, (tuple, list))

    def answer(args, kwargs):
        if not args:
            raise ArgumentError(message(
                f"hvp of {name_of(f)} was called without a vector.",
                "Pass it behind the arguments: hvp(f)(x, v)."))
        *args, vector = args
        args, kwargs, keys = select(f, selected, tuple(args), kwargs)
        vectors = (vector,) if single else vector
        if not isinstance(vectors, (tuple, list)) or len(vectors) != len(keys):
            raise ArgumentError(message(
                f"The vector is not a tuple of {len(keys)}, one for each differentiated argument.",
                "Give None for a zero vector."))
        found = engines.linear("hvp", f, args, kwargs, keys, has_aux, engine,
                               functools.partial(check_scalar, f),
                               functools.partial(fit, f, keys, [copied(v) for v in vectors]))
        note_derivative(found.tangent)
        made = found.tangent[0] if single else tuple(found.tangent)
        return (made, found.aux) if has_aux else made

    return Derived(f, _hvp_of, (argnums, has_aux, engine), "Hessian-vector product", answer,
                   Nested("hvp", f, selected, single, has_aux),
                   engines.finder(f, "hvp", has_aux, engine))


def _hvp_of(f, argnums, has_aux, engine):
    """`hvp` with all its options by position, for `pickle`."""
    return hvp(f, argnums, has_aux, engine=engine)


MAKERS.update((hessian, hvp))
