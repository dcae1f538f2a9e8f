"""A path: what one run did, one event after the other, as the recorder writes it down.

Loops are not folded yet: each iteration stands there with all its operations, between a `Head` and
the next one. `trace.fold` makes blocks of a path.
"""

from dataclasses import dataclass, field

from hybridad.trace.ir import Place

__all__ = ["Decision", "Enter", "Exit", "Head", "Jump", "Name"]


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that came from data; `kind` and `outcome` as in `Branch`."""

    test: object
    kind: str
    outcome: object
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Name:
    """A name of the user's that is live at the head or the end of a loop.

    Attributes
    ----------
    name : str
        Also a part of a structure: ``state[0]``.
    before : object
        `Ref` of its value as it comes there; a static value; `HOLE` if it is not bound.
    id : int or None
        At a head or after a loop: the new id that stands for it from now on, for what may change
        from iteration to iteration (numbers, arrays, integers that the body assigns). None: it is
        what it was (a static value that belongs to the key of the iteration, or what the body
        never assigns).
    aval, memory, example
        Of the value.
    """

    name: str
    before: object
    id: int | None = None
    aval: object = None
    memory: int | None = None
    example: object = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Enter:
    """A loop begins. `number` tells the entered loops of a path apart.

    `kind` and `spec` as in `Loop`; "other": it goes through something that cannot be folded.
    """

    number: int
    kind: str
    spec: tuple = ()
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """An iteration of loop `number` begins (of ``while``: also the one in which the test is false).

    `names` holds the live names, always the same ones in the same order for one loop; `item` the id
    of the loop's item, if it has one. `memories`: pairs of (memory, id of its version) of arrays
    that the run has written to or will write to and that are no names.
    """

    number: int
    names: tuple[Name, ...]
    item: int | None = None
    item_name: str | None = None
    item_aval: object = None
    item_memory: int | None = None
    item_example: object = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Jump:
    """An iteration of loop `number` ends other than by a new `Head`.

    `label`: 0 the test of ``while`` was false or the items were used up, 1 ``break``, 2 and more:
    ``return`` or an exception inside. `names`: what is live behind the loop (ids None).
    """

    number: int
    label: int
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Exit:
    """Loop `number` is over; `names`: what is live now, with the new ids that stand for it."""

    number: int
    names: tuple[Name, ...]
