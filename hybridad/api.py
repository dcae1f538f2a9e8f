"""What users call: `value_and_grad`, `grad`, `vjp`, `jvp` and `stop_gradient`."""

import functools
import inspect

import numpy as np

from hybridad import engine as engines
from hybridad import tree
from hybridad._record import raw_of
from hybridad.errors import ArgumentError, ResultError, ScopeError, message
from hybridad.recording.arguments import name_of, normalize_argnums, select
from hybridad.recording.facts import History, attach, history_of
from hybridad.recording.results import owned
from hybridad.recording.stop import stop_gradient

__all__ = ["grad", "jvp", "stop_gradient", "value_and_grad", "vjp"]


def value_and_grad(f=None, argnums=0, has_aux=False, *, engine="auto"):
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
        return functools.partial(value_and_grad, argnums=argnums, has_aux=has_aux, engine=engine)
    _check_callable(f)
    engines.check_engine(engine)
    selected = normalize_argnums(argnums)
    single = not isinstance(argnums, (tuple, list))

    history = History(name_of(f))

    @functools.wraps(f)
    def value_and_gradient(*args, **kwargs):
        args, kwargs, keys = select(f, selected, args, kwargs)
        recording = engines.run(f, args, kwargs, keys, has_aux, history)
        _check_scalar(f, recording)
        (value,) = recording.values
        cotangents = engines.value_and_cotangents(recording, np.float64(1.0))
        gradient = cotangents[0] if single else tuple(cotangents)
        return ((value, recording.aux) if has_aux else value), gradient

    return attach(value_and_gradient, history)


def grad(f=None, argnums=0, has_aux=False, *, engine="auto"):
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
        return functools.partial(grad, argnums=argnums, has_aux=has_aux, engine=engine)
    both = value_and_grad(f, argnums, has_aux, engine=engine)

    @functools.wraps(f)
    def gradient(*args, **kwargs):
        value, g = both(*args, **kwargs)
        return (g, value[1]) if has_aux else g

    return attach(gradient, history_of(both))


def vjp(f, /, *args, argnums=None, has_aux=False, engine="auto", **kwargs):
    """The value of `f`, and its pullback.

    Parameters
    ----------
    f : callable
        May return any pytree of floating or complex numbers and arrays.
    *args, **kwargs
        The point.
    argnums : int, str, tuple of them, or None
        The arguments to differentiate by; None: all positional ones.
    has_aux : bool
        `f` returns ``(value, aux)``; the value returned here is then this pair.
    engine : {"auto", "tape"}

    Returns
    -------
    value : pytree
    pullback : callable
        Takes a cotangent of the structure of the value (None for a zero part) and returns a tuple
        of cotangents, one for each argument (for an int or a name as `argnums`, the cotangent
        itself). It may be called any number of times, from any thread, and after the arguments
        have been overwritten. Cotangents pair as Re(sum(g * t)).

    Examples
    --------
    >>> import numpy as np
    >>> import hybridad
    >>> value, pullback = hybridad.vjp(np.multiply, np.array([1.0, 2.0]), 3.0)
    >>> pullback(np.array([1.0, 0.0]))
    (array([3., 0.]), 1.0)
    """
    _check_callable(f)
    engines.check_engine(engine)
    single = argnums is not None and not isinstance(argnums, (tuple, list))
    selected = tuple(range(len(args))) if argnums is None else normalize_argnums(argnums)
    args, kwargs, keys = select(f, selected, args, kwargs)
    recording = engines.run(f, args, kwargs, keys, has_aux)
    _check_floating(f, recording)
    value = tree.unflatten(recording.out_treedef, recording.values)
    recording.keep()

    def pullback(cotangent):
        """The cotangents of the arguments for a cotangent of the value."""
        if recording.end > len(recording.tape):
            raise ScopeError(message(
                f"The pullback of {name_of(f)}, which was made inside a differentiated function, "
                "was called after that function had ended.",
                "Call it inside, or make it outside."))
        parts = _match(cotangent, recording.out_treedef, recording.outputs, "cotangent", f)
        with recording.lock:
            cotangents = engines.pull_back(recording, parts)
        return cotangents[0] if single else tuple(cotangents)

    return ((value, recording.aux) if has_aux else value), pullback


def jvp(f, /, primals, tangents, *, argnums=None, has_aux=False, engine="auto", **kwargs):
    """The value of `f`, and its derivative along a tangent.

    Parameters
    ----------
    f : callable
        May return any pytree of floating or complex numbers and arrays.
    primals : tuple
        All positional arguments of `f`.
    tangents : tuple
        For each differentiated argument its tangent, of its structure and shapes; None is zero.
    argnums : int, str, tuple of them, or None
        The arguments that `tangents` belong to; None: all. For an int or a name, `tangents` is
        the one tangent itself.
    has_aux : bool
        `f` returns ``(value, aux)``; the value returned here is then this pair.
    engine : {"auto", "tape"}
    **kwargs
        Keyword arguments of `f`.

    Returns
    -------
    value : pytree
    tangent : pytree
        Of the structure of the value.

    Examples
    --------
    >>> import numpy as np
    >>> import hybridad
    >>> value, tangent = hybridad.jvp(lambda x: np.sum(x * x), (np.array([1.0, 2.0]),),
    ...                               (np.array([0.0, 1.0]),))
    >>> float(value), float(tangent)
    (5.0, 4.0)
    """
    _check_callable(f)
    engines.check_engine(engine)
    if not isinstance(primals, (tuple, list)):
        raise ArgumentError(message(
            f"primals is a {type(primals).__name__}, not a tuple.",
            "Write jvp(f, (x,), (t,)), also for one argument."))
    single = argnums is not None and not isinstance(argnums, (tuple, list))
    selected = tuple(range(len(primals))) if argnums is None else normalize_argnums(argnums)
    tangents = (tangents,) if single else tangents
    if not isinstance(tangents, (tuple, list)) or len(tangents) != len(selected):
        raise ArgumentError(message(
            f"tangents is not a tuple of {len(selected)}, one for each differentiated argument.",
            "Give None for a zero tangent."))
    args, kwargs, keys = select(f, selected, tuple(primals), kwargs)
    tangents = [_copied(t) for t in tangents]
    recording = engines.run(f, args, kwargs, keys, has_aux)
    _check_floating(f, recording)
    parts = [
        _match(t, treedef, leaves, f"tangent of argument {key!r}", f)
        for t, treedef, leaves, key in zip(tangents, recording.treedefs, recording.leaves, keys)
    ]
    value = tree.unflatten(recording.out_treedef, recording.values)
    tangent = tree.unflatten(recording.out_treedef, engines.push_forward(recording, parts))
    return ((value, recording.aux) if has_aux else value), tangent


def _copied(tangent):
    """A tangent that `f` cannot write to."""
    leaves, treedef = tree.flatten(tangent)
    return tree.unflatten(treedef, [
        leaf.copy() if type(leaf) is np.ndarray else owned(leaf) for leaf in leaves])


def _check_callable(f):
    if isinstance(f, (classmethod, staticmethod)):
        kind = type(f).__name__
        raise ArgumentError(message(
            f"{name_of(f)} is a {kind}, which can only be differentiated once it is bound.",
            f"Write @{kind} above the decorator of hybridad."))
    if inspect.iscoroutinefunction(f):
        raise ArgumentError(message(
            f"{name_of(f)} is an async function: what it returns is no number.",
            "Differentiate an ordinary function, and await outside of it."))
    if not callable(f):
        raise ArgumentError(message(
            f"{f!r} is not a function.", "Pass the function itself: value_and_grad(f)(x)."))


def _check_scalar(f, recording):
    """Raise ResultError unless the result is one real floating-point number."""
    remedy = ("Return a scalar, for example np.sum(...); for other results there are "
              "hybridad.vjp and hybridad.jvp.")
    if recording.out_treedef.num_nodes != 1 or len(recording.outputs) != 1:
        kind = recording.out_treedef.type
        what = "None" if kind in (None, type(None)) else f"a {kind.__name__}"
        raise ResultError(message(f"{name_of(f)} returned {what}, not a scalar.", remedy))
    raw = recording.outputs[0].raw
    if np.shape(raw) != ():
        raise ResultError(message(
            f"{name_of(f)} returned an array of shape {np.shape(raw)}, not a scalar.", remedy))
    if not (isinstance(raw, float) or getattr(raw, "dtype", np.dtype(object)).kind == "f"):
        what = f"the type {raw.dtype}" if hasattr(raw, "dtype") else f"type {type(raw).__name__}"
        raise ResultError(message(
            f"{name_of(f)} returned {raw!r} of {what}, not a real floating-point number.",
            "Return a float (for a complex result for example np.abs(z) or z.real)."))


def _check_floating(f, recording):
    """Raise ResultError unless every leaf of the result is a floating or complex number."""
    for output in recording.outputs:
        if not tree.is_floating(output.raw):
            raise ResultError(message(
                f"{name_of(f)} returned {type(output.raw).__name__} {output.raw!r}, which has no "
                "derivative.", "Return floating-point numbers and arrays; others with has_aux."))


def _match(value, treedef, places, what, f):
    """The leaves of a cotangent or tangent, checked against what it belongs to."""
    if value is None:
        return [None] * len(places)
    leaves, structure = tree.flatten(value)
    if treedef.num_nodes == treedef.num_leaves == 1:
        leaves = [value]
    elif structure != treedef:
        try:
            leaves = tree.flatten_prefix(treedef, value)
        except ValueError:
            raise ArgumentError(message(
                f"The {what} of {name_of(f)} has not the structure {treedef}.",
                "Give it the structure of what it belongs to; None for a zero part.")) from None
    for leaf, place in zip(leaves, places):
        if leaf is None:
            continue
        _check_number(leaf, place, what, f)
        if np.shape(leaf) != np.shape(place.raw):
            raise ArgumentError(message(
                f"The {what} of {name_of(f)} has shape {np.shape(leaf)} where "
                f"{np.shape(place.raw)} was expected.", "Give it the shape of what it belongs to."))
    return list(map(_as_numpy, leaves))


def _as_numpy(leaf):
    """Python's numbers, also those being recorded, as NumPy's."""
    raw = raw_of(leaf)
    if isinstance(raw, int):
        return np.float64(raw)
    return np.positive(leaf) if type(raw) in (float, complex) else leaf


def _check_number(leaf, place, what, f):
    """Raise ArgumentError unless a leaf of a cotangent or tangent can belong to `place`."""
    raw = raw_of(leaf)
    kind = type(raw)
    numeric = isinstance(raw, (int, float, complex, np.generic)) or kind is np.ndarray
    if not numeric or np.result_type(raw).kind not in "biufc":
        dtype = f" of type {raw.dtype}" if kind is np.ndarray else ""
        raise ArgumentError(message(
            f"The {what} of {name_of(f)} holds {kind.__name__}{dtype} where a number or an array "
            "of numbers was expected.", "Write np.array([...]) in place of a list."))
    if what != "cotangent" and np.iscomplexobj(raw) and not np.iscomplexobj(place.raw):
        raise ArgumentError(message(
            f"The {what} of {name_of(f)} is complex where the argument is real.",
            "Pass its real part, or a complex argument."))
