"""The specialized code of one function, by signature: bounded, counted, safe among threads.

The way to it on every call is in C (`_dispatch`); here is what happens when something is learnt. A
cache holds neither the function nor arguments or results: they die as if there were no cache.
"""

import itertools
import os
import threading
import warnings
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from hybridad._dispatch import Call, Entry, Table
from hybridad._signature import Signature
from hybridad.errors import ArgumentError, SpecializationWarning, message, user_frame

__all__ = ["LIMIT", "MOST_SIDES", "MOST_STATEMENTS", "PATIENCE", "Cache", "CacheInfo"]

LIMIT = 64  # signatures
MOST_SIDES = 256  # of the branches of one trace
MOST_STATEMENTS = 20_000  # of one specialized function
PATIENCE = 20  # recordings in a row for which another signature had to go

_SHOWN = 3  # examples of what keeps changing

_caches: weakref.WeakSet = weakref.WeakSet()


class CacheInfo(NamedTuple):
    """What the cache of a function has done and holds.

    Attributes
    ----------
    hits : int
        Calls that specialized code has answered.
    exits : int
        Calls that specialized code has begun and given up.
    recordings : int
        Calls from which specialized code was made or extended.
    fallbacks : int
        Calls that the tape has answered, and that taught nothing.
    paths : int
        How many paths the specialized code has.
    signatures : int
        How many signatures it is for.
    """

    hits: int
    exits: int
    recordings: int
    fallbacks: int
    paths: int
    signatures: int


class Cache(Table):
    """The specialized code of one differentiated function.

    Parameters
    ----------
    limit : int
        How many signatures are kept; the one that was used least recently goes first.
    name : str
        Of the function, for warnings.

    Attributes
    ----------
    reason : str or None
        Why new signatures stay on the tape.
    """

    def __init__(self, limit: int = LIMIT, name: str = "the function"):
        super().__init__()
        self.name = name
        self._limit = _checked(limit)
        self._lock = threading.RLock()  # a collector's callback may come here while it is held
        self._reset()
        _caches.add(self)

    def _reset(self):
        self.hits = self.exits = self.recordings = self.fallbacks = 0
        self.reason = None
        self._claimed = set()  # signatures that are being recorded
        self._evicting = deque(maxlen=PATIENCE)  # for which another one had to go, in a row
        self._warned = False

    @property
    def limit(self) -> int:
        """How many signatures are kept."""
        return self._limit

    @limit.setter
    def limit(self, limit: int) -> None:
        with self._lock:
            self._limit = _checked(limit)
            while len(self.entries) > limit:
                self._evict()

    def info(self) -> CacheInfo:
        """What has been done, and what is held now."""
        entries = [entry for entry in tuple(self.entries.values()) if entry.function is not None]
        return CacheInfo(self.hits, self.exits, self.recordings, self.fallbacks,
                         sum(entry.paths for entry in entries), len(entries))

    def clear(self) -> None:
        """Forget everything, also the counts; the limit stays."""
        with self._lock:
            self.remove_all()
            self._reset()

    @contextmanager
    def claim(self, call: Call) -> Iterator[bool]:
        """While the block lasts, keep other threads from recording the signature of a call.

        Nobody waits: who does not get the claim lets the tape answer and records nothing, so that
        a function that waits for its own threads cannot wait for ever.

        Parameters
        ----------
        call : Call

        Yields
        ------
        bool
            Whether to record the call. Not if somebody else is about to, if the entry has been
            replaced since the call was made, or if it stays on the tape.
        """
        granted = self._take(call)
        try:
            yield granted
        finally:
            if granted:
                with self._lock:
                    self._claimed.discard(call.signature)

    def _take(self, call):
        with self._lock:
            if call.signature is None or call.signature in self._claimed:
                return False
            entry = self.entries.get(call.signature)
            if entry is None:
                if self.reason is not None or call.function is not None:
                    return False
            elif entry.reason is not None or entry.function is not call.function:
                return False
            self._claimed.add(call.signature)
            return True

    def fall_back(self) -> None:
        """Count a call that the tape has answered and that taught nothing."""
        with self._lock:
            self.fallbacks += 1

    def teach(
        self,
        call: Call,
        function: Callable,
        *,
        begin: Callable | None = None,
        trace: object = None,
        paths: int = 1,
        sides: int = 0,
        statements: int = 0,
        guard: str = "",
    ) -> Entry:
        """Keep specialized code for the signature of a call, and count a recording.

        Parameters
        ----------
        call : Call
        function, begin, trace, paths
            See `Entry`.
        sides, statements : int
            Sizes of the trace. If one is over its bound, the signature stays on the tape.
        guard : str
            The guard with the most sides, for the warning that is then given.

        Returns
        -------
        Entry
        """
        entry, warning = Entry(call.signature), None
        if sides > MOST_SIDES or statements > MOST_STATEMENTS:
            what = (f"has more than {MOST_SIDES} paths" if sides > MOST_SIDES else
                    f"would become more than {MOST_STATEMENTS:,} statements")
            entry.reason = f"it {what}" + (f"; {guard} keeps changing" if guard else "")
            entry.paths = 0
            warning = f"{self.name} stays on the tape for these arguments: {entry.reason}."
        else:
            entry.function, entry.begin = function, begin
            entry.trace, entry.paths = trace, paths
        with self._lock:
            self.recordings += 1
            self._put(entry)
            if len(self._evicting) == PATIENCE and self.reason is None:
                self.reason = (f"each of its last {PATIENCE} recordings was for arguments unlike "
                               f"all {self._limit} before; {_changing(self._evicting)}")
                warning = f"{self.name} stays on the tape for new arguments: {self.reason}."
            if self._warned:
                warning = None
            self._warned = self._warned or warning is not None
        if warning is not None:
            _warn(warning)
        return entry

    def refuse(self, call: Call, reason: str) -> Entry:
        """Keep the signature of a call on the tape, without a warning.

        Parameters
        ----------
        call : Call
        reason : str

        Returns
        -------
        Entry
        """
        entry = Entry(call.signature)
        entry.reason, entry.paths = reason, 0
        with self._lock:
            self._put(entry)
        return entry

    def _put(self, entry):
        """Add an entry, in place of that of its signature or of the one least recently used."""
        before = self.entries.get(entry.signature)
        if before is not None:
            entry.hits, entry.exits = before.hits, before.exits
        if before is None and len(self.entries) >= self._limit:
            self._evict()
            self._evicting.append(entry.signature)
        else:
            self._evicting.clear()
        self.add(entry)

    def _evict(self):
        self.remove(min(tuple(self.entries.values()), key=lambda entry: entry.used))

    def __reduce__(self):
        return Cache, (self._limit, self.name)  # code is made anew where it arrives

    def __repr__(self):
        return f"<Cache of {self.name}: {len(self.entries)} of {self._limit} signatures>"


def _checked(limit):
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise ArgumentError(message(f"limit={limit!r} is no number of signatures.",
                                    "Give a positive integer."))
    return limit


def _changing(signatures: deque[Signature]) -> str:
    """What differs most often between signatures that follow each other."""
    known = [signature.parts() for signature in signatures]
    changes = Counter()
    for before, after in itertools.pairwise(known):
        changes.update(place for place in after | before if before.get(place) != after.get(place))
    if not changes:
        return "which of them share memory keeps changing"
    place, _ = changes.most_common(1)[0]
    shown = list(dict.fromkeys(parts[place] for parts in known if place in parts))[:_SHOWN]
    return f"{place} keeps changing ({', '.join(shown)}, ...)"


def _warn(text):
    remedy = "Pass arguments of fewer shapes, or compute with arrays where the paths part."
    frame = user_frame()
    if frame is None:
        warnings.warn(message(text, remedy), SpecializationWarning, stacklevel=2)
        return
    names = frame.f_globals
    warnings.warn_explicit(
        message(text, remedy), SpecializationWarning, frame.f_code.co_filename, frame.f_lineno,
        names.get("__name__"), names.setdefault("__warningregistry__", {}))


def _renew():
    """In a child process: locks and claims of threads that are not there."""
    for cache in tuple(_caches):
        cache._lock = threading.RLock()
        cache._claimed = set()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
