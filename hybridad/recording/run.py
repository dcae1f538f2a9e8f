"""One run of `f` on wrappers: the arguments become active values, the tape logs what happens."""

import threading
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np

from hybridad import tree
from hybridad._record import (
    active,
    constant_value,
    is_wrapper,
    leaf,
    raw_of,
    storage_node,
    tape_of,
)
from hybridad._tape import Tape
from hybridad.errors import (
    ArgumentError,
    HybridadError,
    LostDerivativeError,
    ResultError,
    ScopeError,
    is_users,
    message,
)
from hybridad.recording.arguments import check_leaf, check_overlaps, find_overlaps, name_of
from hybridad.recording.connect import connect

connect()

__all__ = [
    "Leaf",
    "Output",
    "Recording",
    "check_scope",
    "owned",
    "plain_copy",
    "record",
    "tape_in_progress",
]

_RUN = ContextVar("hybridad_run", default=(None, None))  # tape and lock


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
    name : str
        Of the function.
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
    held : bool
        Somebody held a wrapper of the run when it ended.
    lock : threading.RLock
        Held during a pass; a run inside another has that of the outer, whose memory it shares.
    kept : wrapper or None
        Counts as a value of the run that somebody holds, see `keep`.
    inside : bool
        An argument was a value of the run outside.
    """

    name: str
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
    lock: object
    held: bool = True
    kept: object = None
    inside: bool = False

    @property
    def start(self):
        return self.mark[0]

    def is_disposable(self):
        """Whether nobody holds a value of the run any more, so that the memory may be used up."""
        kept = self.linked or self.kept is not None or (self.activated and self.start > 0)
        return not kept and not self.held

    def home(self):
        """The tape outside on which results belong, which active values may be written into."""
        return self.tape if self.inside and self.tape is tape_in_progress() else None

    def keep(self):
        """Keep what was recorded as long as this object lives, also when an outer run ends."""
        self.kept = constant_value(self.tape, np.zeros(1))

    def dispose(self):
        """Free what the run recorded, if nobody can need it."""
        if self.is_disposable():
            self.tape.release(self.mark)


def tape_in_progress():
    """The tape that is being recorded in this thread, or None."""
    tape, _ = _RUN.get()
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
            tape.release((0, 0, 0, 0))
            raise
        finally:
            tape.close()
    touched, activated = outer.touched, outer.activated
    try:
        return _record_on(outer, f, args, kwargs, keys, has_aux, nested=True)
    finally:
        # `saves_recorded` stays: the pullback of a run inside may be called at any later time.
        outer.touched = min(touched, outer.touched)
        outer.activated = activated or outer.activated


def _record_on(tape, f, args, kwargs, keys, has_aux, nested):
    before = tape.begin_run()
    try:
        recording = _record_run(tape, f, args, kwargs, keys, has_aux, nested)
    finally:
        held = tape.end_run(before)
    recording.held = held > 0
    return recording


def _record_run(tape, f, args, kwargs, keys, has_aux, nested):
    mark, name = tape.mark(), name_of(f)
    tape.saves_recorded, tape.touched, tape.activated = nested, mark[0], False
    lock = _RUN.get()[1] if nested else threading.RLock()
    token = _RUN.set((tape, lock))
    try:
        args, kwargs, leaves, treedefs, overlaps, inside = _make_active(
            tape, f, args, kwargs, keys)
        result = f(*args, **kwargs)
    except (TypeError, ValueError) as error:
        cause = _refusal_behind(error)
        if cause is None:
            raise
        raise cause from None
    finally:
        _RUN.reset(token)
    del args, kwargs
    check_overlaps(f, overlaps)
    aux = None
    if has_aux:
        result, aux = _split(f, result)
    parts, out_treedef = tree.flatten(result)
    for x in parts:
        check_scope(x, tape, name)
    del result
    linked = nested and tape.touched < mark[0]
    if linked:
        parts = [owned(x) for x in parts]
    if has_aux:
        aux = _map_aux(owned if linked else plain_copy, aux, tape, name)
    outputs = [Output(storage_node(x), raw_of(x)) if active(x) else Output(-1, raw_of(x))
               for x in parts]
    values = parts if linked else [plain_copy(x) for x in parts]
    del parts
    return Recording(name, tape, mark, len(tape), leaves, treedefs, outputs, out_treedef, values,
                     aux, linked, tape.activated, lock, inside=inside)


def _refusal_behind(error):
    """What to raise for an error: the refusal that NumPy or SciPy has wrapped, or None."""
    refusal = error if isinstance(error, LostDerivativeError) else error.__cause__
    if not isinstance(refusal, HybridadError):
        return None
    traceback, users = error.__traceback__, None
    while traceback is not None:
        last = traceback
        if is_users(last.tb_frame.f_code.co_filename):
            users = last
        traceback = last.tb_next
    if refusal is error or (last is users and not str(error).startswith("setting an array")):
        return None  # the error of the user's own
    return refusal.with_traceback(error.__traceback__)


def plain_copy(x):
    """The plain value of a wrapper, with memory of its own; anything else as it is."""
    if not is_wrapper(x):
        return x
    raw = raw_of(x)
    return raw.copy(order="K") if isinstance(raw, np.ndarray) else raw


def owned(x):
    """A recorded copy of an array being recorded, so that nobody writes to what was returned."""
    return x.copy("K") if is_wrapper(x) and isinstance(raw_of(x), np.ndarray) else x


def _map_aux(function, aux, tape, name):
    try:
        leaves, treedef = tree.flatten(aux)
    except ArgumentError:  # it may be anything, also what cannot be differentiated
        return aux
    if not any(map(is_wrapper, leaves)):
        return aux
    for x in leaves:
        check_scope(x, tape, name)
    return tree.unflatten(treedef, [function(leaf) for leaf in leaves])


def _split(f, result):
    if not isinstance(result, tuple) or len(result) != 2:
        raise ResultError(message(
            f"has_aux=True, but {name_of(f)} returned {type(raw_of(result)).__name__}, not a "
            "pair.",
            "Return (value, aux)."))
    return result


def _make_active(tape, f, args, kwargs, keys):
    plain_args = args, kwargs
    args, kwargs = list(args), dict(kwargs)
    several = len(args) + len(kwargs) > 1
    all_leaves, treedefs, arrays, inside = [], [], [], False
    for key in keys:
        holder = kwargs if isinstance(key, str) else args
        values, treedef = tree.flatten(holder[key])
        leaves, wrapped = [], []
        for number, x in enumerate(values):
            check_leaf(x, f, key, holder[key], number)
            check_scope(x, tape, name_of(f))
            inside = inside or is_wrapper(x)
            value = leaf(tape, x)
            raw = raw_of(x)
            leaves.append(Leaf(storage_node(value), raw))
            wrapped.append(value)
            if type(raw) is np.ndarray:
                copy = raw_of(value)
                copy.flags.writeable = raw.flags.writeable
                arrays.append((key, raw, copy))
        holder[key] = tree.unflatten(treedef, wrapped)
        all_leaves.append(leaves)
        treedefs.append(treedef)
    several = several or len(arrays) > 1
    overlaps = find_overlaps(arrays, *plain_args, keys) if several else ()
    return args, kwargs, all_leaves, treedefs, overlaps, inside


def check_scope(x, tape, name):
    """Raise ScopeError for a value of another run than that on `tape` which is still in progress.

    Parameters
    ----------
    x : object
        Only wrappers are looked at.
    tape : Tape or None
    name : str
        Of the function that is given the value.
    """
    other = tape_of(x) if is_wrapper(x) else tape
    if other is tape or not other.is_open:
        return
    thread = "" if other.thread == threading.get_ident() else " in another thread"
    raise ScopeError(message(
        f"A value of the run of {other.name} was used in the run of {name}{thread}.",
        "Its derivative would be lost: differentiate in the thread and context it belongs to."))
