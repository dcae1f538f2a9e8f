"""Gradient functions that are made anew for every call: nothing is learnt that nobody will use.

``value_and_grad(lambda x: ...)(x)`` in a loop makes a new function each time. Where functions with
the same code have been specialized several times and died before a second call, others wait with
it until they are called again.
"""

import types
import weakref

__all__ = ["expect", "waits"]

_ENOUGH = 3

_wasted = weakref.WeakKeyDictionary()  # code -> how many have died without a hit, in a row


def expect(learner):
    """A learner is about to learn for the first time: see whether it was worth it when it dies."""
    f = learner.f
    code, hits = _code_of(f), [0]
    if code is not None and type(f) is types.FunctionType:
        weakref.finalize(learner, _note_hits, hits, learner.cache)
        weakref.finalize(f, _ended, weakref.ref(code), hits)


def waits(f):
    """Whether a function should be called once more before something is learnt of it.

    Parameters
    ----------
    f : callable
    """
    code = _code_of(f)
    return code is not None and _wasted.get(code, 0) >= _ENOUGH


def _code_of(f):
    f = f.__func__ if type(f) is types.MethodType else f
    return f.__code__ if type(f) is types.FunctionType else None


def _note_hits(hits, cache):
    hits[0] = cache.hits


def _ended(code, hits):
    """The function has died; its gradient function died before."""
    code = code()
    if code is None:
        return
    if hits[0]:
        _wasted.pop(code, None)
    else:
        _wasted[code] = _wasted.get(code, 0) + 1
