"""``a.flat`` in a trace run: the elements of an array in a row."""

__all__ = ["Flat"]


class Flat:
    """What ``a.flat`` gives.

    Parameters
    ----------
    run : TraceRun
    array : ndarray
        One that is contiguous in the order of C: the row is a view of it.
    """

    __slots__ = ("array", "run")

    def __init__(self, run, array):
        self.run, self.array = run, array

    def __len__(self):
        return self.array.size

    def row(self, site):
        """The view."""
        if not self.array.flags.c_contiguous:
            self.run.recorder.refuse("the attribute flat of an array that is not contiguous", site)
        return site.call(site.attr(self.array, "reshape"), -1)

    def item(self, site, index):
        """``a.flat[index]``, never a view"""
        found = site.item(self.row(site), index)
        return site.call(site.attr(found, "copy")) if getattr(found, "ndim", 0) else found

    def set_item(self, site, index, value):
        """``a.flat[index] = value``"""
        site.set_item(value, self.row(site), index)
