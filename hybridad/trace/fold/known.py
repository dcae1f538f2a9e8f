"""What the runs of a signature have shown about its loops, so that later runs fold alike."""

from dataclasses import dataclass, field

from hybridad.trace.fold.heads import same_but_refs

__all__ = ["LIMIT", "FoldAgain", "Known", "KnownLoop", "NotFolded", "Unproven"]

LIMIT = 64
"""More iterations than that are not written out one by one."""


class NotFolded(Exception):
    """A loop is too long to be written out, and cannot be folded; the text says why."""


class FoldAgain(Exception):
    """What was known of a loop does not hold any more, and the walk cannot go on."""


class Unproven(Exception):
    """A run does not tell enough of a loop to fold it, others may; the text says why."""


@dataclass(slots=True)
class Known:
    """What is known of the loops of a signature; all its runs share one.

    Attributes
    ----------
    loops : dict
        Place -> `KnownLoop`.
    reasons : tuple of str
        Why loops, or iterations of them, were written out in the last run.
    grown : bool
        The last run has shown something new of a loop that had been met before: earlier trees do
        not fit any more, and its block is to take their place.
    """

    loops: dict = field(default_factory=dict)
    reasons: tuple = ()
    grown: bool = False

    def loop(self, place):
        """What is known of the loop at a place."""
        return self.loops.setdefault(place, KnownLoop())

    def state(self):
        """What must not change if earlier trees are to fit."""
        return {place: (x.peeled, x.unrolled, frozenset(x.strict), frozenset(x.floats))
                for place, x in self.loops.items()}


@dataclass(slots=True)
class KnownLoop:
    """What is known of the loop at one place.

    Attributes
    ----------
    peeled : int
        The first iterations that stand by themselves, because they differ from the others.
    unrolled : bool
        All do.
    sealed : bool
        Something is carried that cannot be seen: it is never folded.
    long : bool
        There were too many for that once: they never do again.
    strict : set of str
        Names of arrays that are written to: with whom they share memory must be the same in all
        iterations.
    floats : set of str
        Names of numbers that are Python's before the loop and NumPy's from then on. There is an
        iteration then, so that it is known what they are behind it.
    apart : set of str
        Names of which that does not hold: an iteration may leave them as they are.
    ways : list
        Triples (label, static names behind the loop, number of this way out).
    closed : bool
        Whether the loop has been met at all.
    """

    peeled: int = 0
    unrolled: bool = False
    long: bool = False
    sealed: bool = False
    strict: set = field(default_factory=set)
    floats: set = field(default_factory=set)
    apart: set = field(default_factory=set)
    ways: list = field(default_factory=list)
    closed: bool = False

    @property
    def least(self):
        """How many iterations there are where it is folded."""
        return max(self.peeled, 1 if self.floats else 0)

    def seal(self):
        """See above."""
        self.unrolled = self.sealed = True

    def stand_by(self, first):
        """The first iterations stand by themselves: fold anew."""
        self.peeled = first
        raise FoldAgain

    def keep_apart(self, name):
        """A number may be Python's or NumPy's behind an iteration: fold anew, without that."""
        self.floats.discard(name)
        self.apart.add(name)
        raise FoldAgain

    def must_fold(self):
        """It is too long to be written out; raise `FoldAgain` if that was what was done so far."""
        if self.unrolled and not self.sealed:
            self.unrolled, self.long = False, True
            raise FoldAgain

    def way(self, label, names):
        """The number of a way out: that of the jump, and of what is static behind it."""
        for known, others, number in self.ways:
            if known == label and len(names) == len(others) and all(
                    x[0] == y[0] and same_but_refs(x[1], y[1]) for x, y in zip(names, others)):
                return number
        numbers = {number for _, _, number in self.ways}
        # 0 is the end at which everything is what the loop carries.
        number = label if label and label not in numbers else 1 + max({9, *numbers})
        self.ways.append((label, names, number))
        return number
