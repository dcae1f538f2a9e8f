"""The cotangents that have arrived so far, one slot for each value."""

import operator

import numpy as np

from hybridad.sct.differentiate.spaces import expanded
from hybridad.sct.differentiate.traced import Traced, call

__all__ = ["Slots", "settled"]


def settled(c):
    """A cotangent as it is now, whatever is written later into an array that it is a view of."""
    return Traced(c.writer, c.ref, c.raw) if type(c) is Traced else c


class _Slot:
    """What has arrived at one value.

    `value` is a cotangent; `owned`, whether it is an array of the slot's own, to be added into;
    `parts`, what is still to be added to parts of it.
    """

    __slots__ = ("owned", "parts", "value")

    def __init__(self, value=None, owned=False):
        self.value = value
        self.owned = owned
        self.parts = []


class Slots:
    """The cotangents of the values that one block computes.

    Parameters
    ----------
    writer : Writer
    value_of : callable
        Id -> Traced.
    is_view : callable
        Id -> whether parts of the cotangent may wait until that of the viewed array is written.
    foreign : callable, optional
        ``foreign(id)``: for a value that is not of this block what has arrived at it so far, in
        an array (or a number) of its own to be added to; None for one of this block.
    """

    def __init__(self, writer, value_of, is_view, foreign=None):
        self.writer = writer
        self.value_of = value_of
        self.is_view = is_view
        self.foreign = foreign
        self._slots = {}

    def __contains__(self, id):
        return id in self._slots

    def _slot(self, id):
        slot = self._slots.get(id)
        if slot is None:
            value = None if self.foreign is None else self.foreign(id)
            owned = value is not None and isinstance(value.raw, np.ndarray)
            slot = self._slots[id] = _Slot(value, owned)
        return slot

    def add(self, id, c):
        """Add a cotangent in the space of the value (see `spaces`)."""
        slot = self._slot(id)
        if slot.value is None:
            slot.value = settled(c)
        elif slot.owned:
            slot.value.write((), operator.iadd, (c,))
        else:
            slot.value = call(self.writer, operator.add, (slot.value, c), {})

    def add_part(self, id, path, target, rest):
        """Add to a part of an array's cotangent: a write, by its path, target and arguments."""
        slot = self._slot(id)
        if slot.value is None and self.is_view(id):
            slot.parts.append((path, target, tuple(map(settled, rest))))
        else:
            self.own(id).write(path, target, rest)

    def own(self, id):
        """The cotangent of an array, such that it can be written into; zeros if there was none."""
        slot = self._slot(id)
        like = self.value_of(id)
        if slot.value is None:
            slot.value = self.writer.apply(np.zeros_like, (like,))
        elif not slot.owned:
            slot.value = settled(expanded(self.writer, slot.value, like, owned=True))
        slot.owned = True
        parts, slot.parts = slot.parts, []
        for path, target, rest in parts:
            slot.value.write(path, target, rest)
        return slot.value

    def number(self, id):
        """What has arrived at a number; 0.0 if nothing has."""
        slot = self._slots.get(id)
        value = self.foreign(id) if slot is None and self.foreign is not None else (
            None if slot is None else slot.value)
        return 0.0 if value is None else value

    def parts(self, id):
        """The parts, if nothing but parts has arrived; they are then no longer here."""
        slot = self._slots.get(id)
        if slot is None or slot.value is not None or not slot.parts:
            return None
        del self._slots[id]
        return slot.parts

    def take(self, id):
        """The cotangent of a value, None if it is zero; it is then no longer here."""
        if id not in self._slots:
            return None
        if self._slots[id].parts:
            self.own(id)
        return self._slots.pop(id).value

    def give(self, id, value, owned=False):
        """Put a cotangent in place of what has arrived."""
        self._slots[id] = _Slot(value, owned)

    def ids(self):
        """The values at which something has arrived."""
        return list(self._slots)
