"""One run of `f` on wrappers: the arguments become active values, the tape logs what happens."""

import threading
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np

from hybridad import tree
from hybridad._forms import is_form
from hybridad._record import (
    active,
    constant_value,
    is_wrapper,
    leaf,
    raw_of,
    storage_node,
    tape_of,
)
from hybridad._run import Run, innermost_run
from hybridad._site import Site
from hybridad._tape import Tape
from hybridad.errors import (
    HybridadError,
    LostDerivativeError,
    is_users,
)
from hybridad.recording.arguments import check_leaf, check_overlaps, find_overlaps, name_of
from hybridad.recording.connect import connect
from hybridad.recording.effects import Journal, settle
from hybridad.recording.net import watch
from hybridad.recording.results import (
    check_scope,
    check_scopes,
    map_aux,
    owned,
    plain_copy,
    split,
    with_plain_keys,
)

connect()

__all__ = [
    "Leaf",
    "Output",
    "Recording",
    "record",
    "tape_in_progress",
]

_RUN = ContextVar("hybridad_run", default=(None, None))  # tape and lock
_ROOT = Site("root")


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
    reasons : list of (str or Reason)
        Why parts of it did not run in recording form.
    guards : int
        How many decisions in it came from data.
    frames : list of tuple
        Those of the user's that did not, where the run was watched.
    shared : set of int
        Nodes of the storages that others can write to when the run is over.
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
    reasons: list = None
    guards: int = 0
    frames: list = None
    shared: set = None

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
        if self.shared and not self.tape.is_open:
            raws = self.tape.detach(self.shared, [(x.node, x.raw) for x in self.outputs])
            self.outputs = [Output(x.node, raw) for x, raw in zip(self.outputs, raws)]

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


def record(f, args, kwargs, keys, has_aux=False, watches=False, journal=None,
           listener=None):
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
    watches : bool
        Note which frames of the user's do not run in recording form.
    journal : Journal, optional
        Told of the effects; by default one that cannot undo them.
    listener : object, optional
        Told of reads, functions and blocks; see `captures.Captures`.

    Returns
    -------
    Recording
        Whatever `f` raises goes through; the tape is clean afterwards.
    """
    outer = tape_in_progress()
    if outer is None:
        tape = Tape(name_of(f))
        try:
            options = watches, journal or Journal(keeps=False), listener
            return _record_on(tape, f, args, kwargs, keys, has_aux, options)
        except BaseException:
            tape.release((0, 0, 0, 0))
            raise
        finally:
            tape.close()
    touched, activated = outer.touched, outer.activated
    try:
        return _record_on(outer, f, args, kwargs, keys, has_aux, None)
    finally:
        # `saves_recorded` stays: the pullback of a run inside may be called at any later time.
        outer.touched = min(touched, outer.touched)
        outer.activated = activated or outer.activated


def _record_on(tape, f, args, kwargs, keys, has_aux, options):
    before = tape.begin_run()
    try:
        recording = _record_run(tape, f, args, kwargs, keys, has_aux, options)
    finally:
        held = tape.end_run(before)
    recording.held = held > 0
    return recording


def _record_run(tape, f, args, kwargs, keys, has_aux, options):
    nested = options is None  # a run inside another, whose journal and listener it has
    mark, name = tape.mark(), name_of(f)
    tape.saves_recorded, tape.touched, tape.activated = nested, mark[0], False
    lock = _RUN.get()[1] if nested else threading.RLock()
    around = innermost_run() if nested else None
    if around is not None:
        options = False, around.journal, around.listener
    watches, journal, listener = options or (False, Journal(keeps=False), None)
    run = Run(tape, journal, listener)
    site, decisions = tape.site, tape.decisions
    token = _RUN.set((tape, lock))
    try:
        args, kwargs, leaves, treedefs, overlaps, inside = _make_active(
            run, f, args, kwargs, keys)
        result, frames = (_watched if watches else _call)(run, f, args, kwargs)
        del args, kwargs
        check_overlaps(f, overlaps)
        aux = None
        if has_aux:
            result, aux = split(f, result)
        parts, out_treedef = tree.flatten(with_plain_keys(result))
        check_scopes(parts, tape, name)
        linked = nested and tape.touched < mark[0]
        if linked:
            parts = [owned(x) for x in parts]
        if has_aux:
            aux = map_aux(owned if linked else plain_copy, aux, tape, name)
        outputs = [Output(storage_node(x), raw_of(x)) if active(x) else Output(-1, raw_of(x))
                   for x in parts]
        values = parts if linked else [plain_copy(x) for x in parts]
        del parts, result
    except BaseException as error:
        if around is None:
            run.forget()
            settle(run.journal, _Escaping(tape), error=error)
        else:
            run.hand_over(around)
        cause = _refusal_behind(error)
        if cause is None:
            raise
        raise cause from None
    finally:
        _RUN.reset(token)
        tape.site = site
    shared = run.shared_nodes()
    if around is not None:
        run.hand_over(around)
    else:
        run.forget()
        escaping = _Escaping(tape)
        settle(run.journal, escaping, alive=tape.living)
        shared |= escaping.nodes
    return Recording(name, tape, mark, len(tape), leaves, treedefs, outputs, out_treedef, values,
                     aux, linked, tape.activated, lock, inside=inside, reasons=list(run.reasons),
                     frames=frames,
                     shared=shared, guards=tape.decisions - decisions)


class _Escaping:
    """Makes plain what outlives the run, and keeps account of its memory."""

    def __init__(self, tape):
        self.tape, self.nodes = tape, set()

    def __call__(self, x):
        if tape_of(x) is not self.tape:
            return x
        raw = raw_of(x)
        if isinstance(raw, np.ndarray):
            self.tape.visible = True
            if storage_node(x) >= 0:
                self.nodes.add(storage_node(x))
        return raw


def _call(run, f, args, kwargs):
    """Call `f` in recording form; floating arrays among its arguments are lifted."""
    before, run.tape.on_write = run.tape.on_write, run.before_write
    try:
        with run:
            args = [x if is_wrapper(x) else run.wrap(x) for x in args]
            kwargs = {k: x if is_wrapper(x) else run.wrap(x) for k, x in kwargs.items()}
            result = _ROOT.call(f, *args, **kwargs)
        if run.tape.poison is not None:
            raise run.tape.poison
        return result, []
    except Exception as error:
        if run.tape.poison not in (None, error):
            raise run.tape.poison from error
        raise
    finally:
        run.tape.on_write = before


def _watched(run, f, args, kwargs):
    with watch(is_form, lambda: run.suspended > 0) as frames:
        result, _ = _call(run, f, args, kwargs)
    return result, frames


def _refusal_behind(error):
    """What to raise for an error: the refusal that NumPy or SciPy has wrapped, or None."""
    if not isinstance(error, (TypeError, ValueError)):
        return None
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


def _make_active(run, f, args, kwargs, keys):
    tape, plain_args = run.tape, (args, kwargs)
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
                if not is_wrapper(x):
                    run.differentiates(raw, value)
                arrays.append((key, raw, copy))
        holder[key] = tree.unflatten(treedef, wrapped)
        all_leaves.append(leaves)
        treedefs.append(treedef)
    several = several or len(arrays) > 1
    overlaps = find_overlaps(arrays, *plain_args, keys) if several else ()
    return args, kwargs, all_leaves, treedefs, overlaps, inside
