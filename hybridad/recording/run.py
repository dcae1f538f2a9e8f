"""One run of `f` on wrappers: the arguments become active values, the tape logs what happens."""

import threading
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np

from hybridad import tree
from hybridad._record import active, is_wrapper, leaf, raw_of, storage_node
from hybridad._tape import Tape
from hybridad.errors import HybridadError, ResultError, message
from hybridad.recording.arguments import check_leaf, name_of
from hybridad.recording.connect import connect

connect()

__all__ = ["Leaf", "Output", "Recording", "owned", "plain_copy", "record", "tape_in_progress"]

_TAPE = ContextVar("hybridad_tape", default=None)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A differentiated number or array: its node, and its plain value as it was passed."""

    node: int
    raw: object


@dataclass(frozen=True, slots=True)
class Output:
    """A leaf of the result: the node it is (or is a view of), or -1 for a constant."""

    node: int
    raw: object


@dataclass(slots=True)
class Recording:
    """What one run left behind.

    Attributes
    ----------
    tape : Tape
    mark : tuple
        Where the run begins on the tape.
    end : int
        The entry behind its last one.
    leaves : list of list of Leaf
        For each differentiated argument.
    treedefs : list
        The structure of each of those arguments.
    outputs : list of Output
        The leaves of the result.
    out_treedef : PyTreeSpec
    values : list
        What the caller gets for the outputs: plain values, or wrappers of the run outside.
    aux : pytree
        The auxiliary result, plain.
    linked : bool
        Something in it depends on the run outside, so its sweep must be recorded.
    activated : bool
        An array that was a constant before received active values.
    live : int
        How many wrappers of the tape there were before the run.
    """

    tape: Tape
    mark: tuple
    end: int
    leaves: list
    treedefs: list
    outputs: list
    out_treedef: object
    values: list
    aux: object
    linked: bool
    activated: bool
    live: int

    @property
    def start(self):
        return self.mark[0]

    def is_disposable(self):
        """Whether nobody holds a value of the run any more, so that the memory may be used up."""
        return not self.linked and not self.activated and self.tape.live == self.live

    def dispose(self):
        """Free what the run recorded, if nobody can need it."""
        if self.is_disposable():
            self.tape.release(self.mark)


def tape_in_progress():
    """The tape that is being recorded in this thread, or None."""
    tape = _TAPE.get()
    if tape is not None and tape.is_open and tape.thread == threading.get_ident():
        return tape
    return None


def record(f, args, kwargs, keys, has_aux=False):
    """Run `f` with the arguments at `keys` made active.

    Parameters
    ----------
    f : callable
    args : tuple
    kwargs : dict
    keys : list of (int or str)
        Positions in `args` and names in `kwargs`.
    has_aux : bool
        `f` returns a pair, the second of which is not differentiated.

    Returns
    -------
    Recording
        Whatever `f` raises goes through; the tape is clean afterwards.
    """
    outer = tape_in_progress()
    if outer is None:
        tape = Tape(name_of(f))
        try:
            return _record_on(tape, f, args, kwargs, keys, has_aux, nested=False)
        except BaseException:
            tape.close()
            tape.release((0, 0, 0, 0))
            raise
        finally:
            tape.close()
    before = outer.saves_recorded, outer.touched, outer.activated
    try:
        return _record_on(outer, f, args, kwargs, keys, has_aux, nested=True)
    finally:
        # Once there was a run inside, its pullback may be called at any later time.
        outer.touched = min(before[1], outer.touched)
        outer.activated = before[2] or outer.activated


def _record_on(tape, f, args, kwargs, keys, has_aux, nested):
    mark, live = tape.mark(), tape.live
    tape.saves_recorded, tape.touched, tape.activated = nested, mark[0], False
    token = _TAPE.set(tape)
    try:
        args, kwargs, leaves, treedefs = _make_active(tape, f, args, kwargs, keys)
        result = f(*args, **kwargs)
    except (TypeError, ValueError) as error:
        # NumPy wraps what stopped a write into a plain array in a ValueError of its own.
        if isinstance(error.__cause__, HybridadError):
            raise error.__cause__.with_traceback(error.__traceback__) from None
        raise
    finally:
        _TAPE.reset(token)
    del args, kwargs
    aux = None
    if has_aux:
        result, aux = _split(f, result)
    parts, out_treedef = tree.flatten(result)
    del result
    linked = nested and tape.touched < mark[0]
    if linked:
        parts = [owned(x) for x in parts]
        aux = aux if not has_aux else _map_leaves(owned, aux)
    else:
        aux = aux if not has_aux else _map_leaves(plain_copy, aux)
    outputs = [Output(storage_node(x), raw_of(x)) if active(x) else Output(-1, raw_of(x))
               for x in parts]
    values = parts if linked else [plain_copy(x) for x in parts]
    del parts
    return Recording(tape, mark, len(tape), leaves, treedefs, outputs, out_treedef, values, aux,
                     linked, tape.activated, live)


def plain_copy(x):
    """The plain value of a wrapper, with memory of its own; anything else as it is."""
    if not is_wrapper(x):
        return x
    raw = raw_of(x)
    return raw.copy(order="K") if isinstance(raw, np.ndarray) else raw


def owned(x):
    """A recorded copy of an array being recorded, so that nobody writes to what was returned."""
    return x.copy("K") if is_wrapper(x) and isinstance(raw_of(x), np.ndarray) else x


def _map_leaves(function, x):
    leaves, treedef = tree.flatten(x)
    return tree.unflatten(treedef, [function(leaf) for leaf in leaves])


def _split(f, result):
    if not isinstance(result, tuple) or len(result) != 2:
        raise ResultError(message(
            f"has_aux=True, but {name_of(f)} returned {type(result).__name__}, not a pair.",
            "Return (value, aux)."))
    return result


def _make_active(tape, f, args, kwargs, keys):
    args, kwargs = list(args), dict(kwargs)
    all_leaves, treedefs = [], []
    for key in keys:
        holder = kwargs if isinstance(key, str) else args
        values, treedef = tree.flatten(holder[key])
        leaves, wrapped = [], []
        for number, x in enumerate(values):
            check_leaf(x, f, key, holder[key], number)
            value = leaf(tape, x)
            leaves.append(Leaf(storage_node(value), raw_of(x)))
            wrapped.append(value)
        holder[key] = tree.unflatten(treedef, wrapped)
        all_leaves.append(leaves)
        treedefs.append(treedef)
    return args, kwargs, all_leaves, treedefs
