"""From a call that the tape has answered to code: the second run, and what is made of it."""

import contextlib
import gc
import warnings
from time import perf_counter
from typing import NamedTuple

import numpy as np

from hybridad import tree as pytrees
from hybridad.engine.code_run import CodeRun
from hybridad.engine.options import is_strict
from hybridad.engine.sharing import do_share
from hybridad.recording.tracing import NotTraced, SharedMemory, trace
from hybridad.sct.specialize import NotSpecialized
from hybridad.trace.examples import drop_examples
from hybridad.trace.fold import Known, NotFolded, Unmergeable, fold, merge

__all__ = ["Learnt", "NotLearnt", "Seconds", "adopt", "guard", "learn"]


_PATIENCE = 20  # paths that did not fit to those before


class NotLearnt(Exception):
    """No code can be made of a call; the text says why."""


class Seconds(NamedTuple):
    """What all the code of a signature has cost so far, beside the tape's answers.

    Attributes
    ----------
    recording : float
        The second runs, and making a tree of them.
    specializing : float
        Making code of the tree.
    """

    recording: float = 0.0
    specializing: float = 0.0


class Learnt:
    """What an entry of the cache knows beside its code.

    Attributes
    ----------
    tree : Block
        All paths seen.
    code : Code
        See `sct.specialize`.
    dynamic : frozenset
        Recipes of the ints that are not guarded by value.
    loops : Known
        Of loops, see `trace.fold`.
    seconds : Seconds
    shares : bool
        Arguments are one object or share memory, on which the code relies.
    drops : int
        How often a new path could not be merged, so that it took the place of all others.
    """

    __slots__ = ("code", "drops", "dynamic", "loops", "seconds", "shares", "tree")

    def __init__(self, tree, code, dynamic, loops, seconds=Seconds(), shares=False, drops=0):
        self.tree, self.code, self.dynamic, self.loops = tree, code, dynamic, loops
        self.seconds, self.shares, self.drops = seconds, shares, drops


def learn(engine, call, recording, journal):
    """Make or extend the specialized code for the signature of a call.

    Parameters
    ----------
    engine : Learner
    call : Call
    recording : Recording
        Of the tape, which has answered it.
    journal : Journal
        Of that run: its effects are undone and done again.

    Raises
    ------
    NotLearnt
        The tape will answer such calls.
    """
    for reason in recording.reasons:
        raise NotLearnt(str(getattr(reason, "text", reason)))
    for frame in recording.frames or ():
        raise NotLearnt(f"{frame[2]} ran outside the recording form ({frame[0]}:{frame[1]})")
    if not journal.is_repeatable:
        raise NotLearnt("it opens something that has to be closed")
    known = None if call.entry is None else call.entry.trace
    guarded = engine.always_guards or (known is not None and not call.entry.looks_for_nan)
    with _no_collection():
        _teach(engine, call, _learnt(engine, call, recording, journal, known, guarded), guarded)


@contextlib.contextmanager
def _no_collection():
    """Leave out Python's searches for cycles, which go through all operations again and again."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _learnt(engine, call, recording, journal, known, guarded):
    """What there is to know after a call."""
    dynamic = _dynamic(call, known)
    start = perf_counter()
    events, hidden = _traced(engine, call, recording, journal, dynamic)
    with _not_learnt(NotFolded, NotSpecialized):
        loops = Known() if known is None or known.dynamic != dynamic else known.loops
        for place in hidden:
            loops.loop(place).seal()
        tree = engine.kept(fold(events, loops))
        drops = 0 if known is None else known.drops
        if known is not None and known.dynamic == dynamic and not loops.grown:
            try:
                tree, _ = merge(known.tree, tree)
            except Unmergeable as reason:
                drops += 1  # the new path alone; the old ones will come again
                if drops > _PATIENCE:
                    raise NotLearnt(f"its paths do not fit into one program: {reason}") from reason
        recorded = perf_counter()
        code = _code_for(engine, tree, call, guarded)
    seconds = _spent(known, recorded - start, perf_counter() - recorded)
    return Learnt(drop_examples(tree), code, dynamic, loops, seconds, do_share(call.leaves), drops)


def guard(engine, call):
    """There was NaN in a gradient: from now on zero cotangents are kept zero by the code itself."""
    known, start = call.entry.trace, perf_counter()
    _teach_same(engine, call, known, _code_for(engine, known.tree, call, True), start)


def adopt(engine, call, known):
    """Make code for the signature of a call of what another engine has learnt of the function.

    Parameters
    ----------
    engine : Learner
    call : Call
    known : Learnt

    Returns
    -------
    Entry

    Raises
    ------
    NotLearnt
    """
    start = perf_counter()
    with _not_learnt(NotSpecialized):
        code = _code_for(engine, known.tree, call, True)
    return _teach_same(engine, call, known, code, start)


@contextlib.contextmanager
def _not_learnt(*reasons):
    """Turn exceptions of these classes, and errors of our own unless strict, into NotLearnt."""
    try:
        yield
    except (NotLearnt, SharedMemory):
        raise
    except reasons as reason:
        raise NotLearnt(str(reason)) from reason
    except Exception as error:
        if is_strict():
            raise
        raise NotLearnt(f"an error in hybridad: {error!r}") from error


def _code_for(engine, tree, call, guarded):
    with warnings.catch_warnings():     # rules are run on examples
        warnings.simplefilter("ignore")
        return engine.make_code(tree, call.signature, guarded)


def _teach_same(engine, call, known, code, start):
    """Teach other code of a tree that is known."""
    seconds = _spent(known, 0.0, perf_counter() - start)
    return _teach(engine, call, Learnt(known.tree, code, known.dynamic, known.loops, seconds,
                                       known.shares, known.drops), True)


def _spent(known, recording, specializing):
    before = Seconds() if known is None else known.seconds
    return Seconds(before.recording + recording, before.specializing + specializing)


def _teach(engine, call, learnt, guarded):
    code = learnt.code
    entry = engine.cache.teach(
        call, code.function, begin=CodeRun if code.needs_run else None, trace=learnt,
        paths=code.paths, sides=code.sides, statements=code.statements, guard=code.guard)
    entry.looks_for_nan = not guarded
    return entry


def _dynamic(call, known):
    """The ints that are not guarded: those known, and the one whose guard failed in this call."""
    if known is None:
        return frozenset()
    recipe = known.code.recipe_of(call.outcome)
    return known.dynamic if recipe is None else known.dynamic | {recipe}


def _traced(engine, call, recording, journal, dynamic):
    """The events of a second run of the call, which leaves nothing behind: the first one counts.

    If it turns out that arrays from outside share memory that is written to, of another run.
    """
    shared = {}     # id of whose memory it is -> it
    expected, is_single = engine.values_of(recording)
    journal.undo(again=True)
    try:
        while True:
            try:
                events, found, hidden = _run_again(engine, call, journal, dynamic, shared,
                                                   is_single)
                break
            except SharedMemory as reason:
                if id(reason.owner) in shared:
                    raise NotLearnt(str(reason)) from reason
                shared[id(reason.owner)] = reason.owner
    finally:
        journal.redo()
    if len(found) != len(expected) or not all(map(_is_same, found, expected)):
        if is_strict():
            raise AssertionError(f"the second run gave {found!r}, not {expected!r}")
        raise NotLearnt("a second run gives another value")
    return events, hidden


def _run_again(engine, call, journal, dynamic, shared, is_single):
    """One such run: its events, copies of the leaves of its value, loops that do not fold."""
    second = journal.replay(complete=True)
    counts = {**dict(enumerate(call.signature.arguments)),
              **dict(zip(call.signature.names,
                         call.signature.arguments[len(call.args):]))}
    try:
        with _not_learnt(NotTraced, RecursionError):
            with warnings.catch_warnings():     # the first run has given them
                warnings.simplefilter("ignore")
                events, result, hidden = trace(engine.f, call.args, call.kwargs, call.keys, second,
                                               engine.has_aux, dynamic, counts, shared)
            found = _leaves_of(result[0] if engine.has_aux else result, is_single)
    finally:
        second.undo()
    return events, found, hidden


def _leaves_of(value, is_single):
    """Copies of the leaves of a value: what the run wrote into its arrays will be undone."""
    leaves = [value] if is_single else pytrees.flatten(value)[0]
    return [np.array(x) for x in leaves]


def _is_same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.char in "gG":        # which has bytes that mean nothing
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True)
    return a.tobytes() == b.tobytes()
