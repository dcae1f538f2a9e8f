"""`value_and_grad` and `grad`."""

import functools

import numpy as np

from hybridad import engine as engines
from hybridad.api.checks import check_callable, check_scalar
from hybridad.api.derived import Derived
from hybridad.recording.arguments import name_of, normalize_argnums, select
from hybridad.recording.facts import History, attach
from hybridad.recording.nested import MAKERS, Nested, note_derivative

__all__ = ["grad", "value_and_grad"]


def value_and_grad(f=None, argnums=0, has_aux=False, *, engine="auto", verify=None):
    """A function that returns the value of `f` and its gradient.

    Parameters
    ----------
    f : callable
        Ordinary NumPy code that returns a real floating-point scalar. It is not modified.
        Left out, a decorator is returned.
    argnums : int, str, or tuple of them
        The arguments to differentiate by, by position or name. Each is a number, an array, or a
        pytree of them (dict, list, tuple, dataclass, ...).
    has_aux : bool
        `f` returns ``(value, aux)``; `aux` is passed through.
    engine : {"auto", "tape"}

    Returns
    -------
    callable
        Called as `f` is, it returns ``(value, gradient)``, or ``((value, aux), gradient)``. The
        value is what `f` returns, bit for bit. The gradient has the structure, shapes, dtypes and
        types of the argument; it is a tuple where `argnums` is one. For complex arguments it is
        ``df/dx - i df/dy``; gradient descent subtracts its conjugate.

    Raises
    ------
    ArgumentError
        For an argument that cannot be differentiated (integers, object arrays, ...).
    ResultError
        If `f` does not return a real floating-point scalar.
    MissingRuleError, LostDerivativeError, UnsupportedError
        If `f` does what cannot be followed; never a wrong number.

    Notes
    -----
    Reverse-mode differentiation on a tape, see Griewank and Walther, *Evaluating Derivatives*
    (2008), chapter 3.

    Examples
    --------
    >>> import numpy as np
    >>> import hybridad
    >>> def loss(w, x):
    ...     return np.sum(np.tanh(x @ w) ** 2)
    >>> value, g = hybridad.value_and_grad(loss)(np.zeros(2), np.eye(2))
    >>> value, g
    (np.float64(0.0), array([0., 0.]))
    """
    if f is None:
        return functools.partial(value_and_grad, argnums=argnums, has_aux=has_aux, engine=engine,
                                 verify=verify)
    check_callable(f)
    engines.check_engine(engine)
    return _differentiated(f, argnums, has_aux, engine, verify, True)


def _differentiated(f, argnums, has_aux, engine, verify, returns_value):
    """The function behind `value_and_grad` and `grad`."""
    selected = normalize_argnums(argnums)
    single = not isinstance(argnums, (tuple, list))
    history = History(name_of(f))
    if engine != "tape":
        made = engines.Engine(
            f, name_of(f), selected, functools.partial(select, f, selected),
            functools.partial(check_scalar, f), history, single=single, has_aux=has_aux,
            returns_value=returns_value, must=engine == "sct",
            verify=engines.verifies() if verify is None else verify)
        history.engine = made
        answer = made.call
    else:
        answer = _answer_by_tape(f, selected, single, has_aux, returns_value, history)
    options = argnums, has_aux, engine, verify, returns_value
    title = "value and gradient" if returns_value else "gradient"
    nested = Nested("gradient", f, selected, single, has_aux, returns_value)
    return attach(Derived(f, _differentiated, options, title, answer, nested), history)


def _answer_by_tape(f, selected, single, has_aux, returns_value, history):
    def answer(args, kwargs):
        args, kwargs, keys = select(f, selected, args, kwargs)
        recording = engines.run(f, args, kwargs, keys, has_aux, history)
        check_scalar(f, recording)
        (value,) = recording.values
        cotangents = engines.value_and_cotangents(recording, np.float64(1.0))
        note_derivative(cotangents)
        gradient = cotangents[0] if single else tuple(cotangents)
        if not returns_value:
            return (gradient, recording.aux) if has_aux else gradient
        return ((value, recording.aux) if has_aux else value), gradient

    return answer


def grad(f=None, argnums=0, has_aux=False, *, engine="auto", verify=None):
    """A function that returns the gradient of `f`.

    Parameters and errors are those of `value_and_grad`; the result is its gradient alone, or
    ``(gradient, aux)``.

    Examples
    --------
    >>> import hybridad
    >>> hybridad.grad(lambda x: x**3)(2.0)
    12.0
    >>> hybridad.grad(hybridad.grad(lambda x: x**3))(2.0)
    12.0
    """
    if f is None:
        return functools.partial(grad, argnums=argnums, has_aux=has_aux, engine=engine,
                                 verify=verify)
    check_callable(f)
    engines.check_engine(engine)
    return _differentiated(f, argnums, has_aux, engine, verify, False)


MAKERS.update((grad, value_and_grad))
