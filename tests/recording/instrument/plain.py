"""A site that does what plain Python does, for tests that need no run."""

import operator

from hybridad.recording.tracing.patterns import Patterns


class PlainSite(Patterns):
    """Stands in for `hybridad._site.Site`; what can be is a builtin, which adds no frame."""

    def __init__(self, kind, file="", function="", line=0, col=0, end_line=0, end_col=0, name=None,
                 detail=None, discarded=False):
        self.kind, self.file, self.function, self.line, self.col = kind, file, function, line, col
        self.end_line, self.end_col, self.name, self.detail = end_line, end_col, name, detail
        self.discarded = discarded

    def __repr__(self):
        return f"<{self.kind} {self.line}:{self.col}>"

    attr = staticmethod(getattr)
    item = staticmethod(operator.getitem)
    slice = staticmethod(slice)
    call = staticmethod(operator.call)
    truth = staticmethod(bool)
    set_of = staticmethod(set)
    dict_of = staticmethod(dict)
    del_attr = staticmethod(delattr)
    del_item = staticmethod(operator.delitem)

    def read(self, value):
        return value

    iter = star = unpack = kinds = decorate = context = match = set_global = join = read

    def mapping(self, value):
        return value if type(value) is dict else {**value}

    def format(self, value, conversion, spec):
        convert = {115: str, 114: repr, 97: ascii}.get(conversion, lambda value: value)
        return format(convert(value), spec)

    def joined(self, *parts):
        return "".join(parts)

    def set_attr(self, value, owner, name):
        setattr(owner, name, value)

    def set_item(self, value, owner, index):
        owner[index] = value

    def set_free(self, value, cell):
        assert len(cell.__closure__) == 1
        return value

    def del_global(self):
        pass

    def caught(self):
        pass

    def case(self, number):
        assert number == self.detail

    def block(self, *values):
        return values

    unbound, unbound_error = object(), NameError

    def isin(self, a, b):
        return a in b

    def notin(self, a, b):
        return a not in b


for _name in ("add sub mul truediv floordiv mod pow matmul lshift rshift and_ or_ xor "
              "iadd isub imul itruediv ifloordiv imod ipow imatmul ilshift irshift iand ior ixor "
              "lt le gt ge eq ne neg pos invert").split():
    setattr(PlainSite, _name, staticmethod(getattr(operator, _name)))
PlainSite.is_ = staticmethod(operator.is_)
PlainSite.isnot = staticmethod(operator.is_not)


class NotedSite(PlainSite):
    """Notes which of its methods are called, in order, in `NotedSite.events`."""

    events = []  # noqa: RUF012

    def __getattribute__(self, name):
        value = super().__getattribute__(name)
        if not callable(value) or name.startswith("_") or name == "unbound_error":
            return value

        def noted(*args, **kwargs):
            NotedSite.events.append((name, self))
            return value(*args, **kwargs)
        return noted
