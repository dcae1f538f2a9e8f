"""What the patterns of a ``match`` ask at a `TraceSite`; see `recording.instrument.matching`."""

__all__ = ["Patterns"]

_ITSELF = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
_flags_of = type.__dict__["__flags__"].__get__
_SEQUENCE, _MAPPING = 1 << 5, 1 << 6    # what the interpreter goes by
_ABSENT = object()


class Patterns:
    """What sites do for patterns."""

    __slots__ = ()

    def is_sequence(self, x):
        """Whether a sequence pattern may fit `x`."""
        return bool(_flags_of(type(x)) & _SEQUENCE)

    def has_length(self, x, count, or_more):
        """Whether `x` has as many items, or at least as many."""
        length = self.call(len, x)
        return self.truth(self.ge(length, count) if or_more else self.eq(length, count))

    def middle(self, x, first, behind):
        """The items for ``*rest``, `first` ones before and `behind` after which there are others"""
        return [self.item(x, k) for k in range(first, len(x) - behind)]

    def is_mapping(self, x):
        """Whether a mapping pattern may fit `x`."""
        return bool(_flags_of(type(x)) & _MAPPING)

    def without(self, x, keys):
        """What is in a mapping beside these keys."""
        found = self.call(dict, x)
        for key in keys:
            del found[key]
        return found

    def is_instance(self, x, cls, count):
        """Whether a class pattern with `count` positional ones may fit `x`."""
        if not isinstance(cls, type):
            match x:
                case cls():     # raises
                    pass
        if not self.call(isinstance, x, cls):
            return False
        names = 1 if cls in _ITSELF else len(getattr(cls, "__match_args__", ()))
        if count > names:
            raise TypeError(f"{cls.__name__}() accepts {names} positional sub-pattern"
                            f"{'' if names == 1 else 's'} ({count} given)")
        return True

    def positional(self, x, cls, k):
        """What a positional pattern of a class looks at."""
        if cls in _ITSELF:
            return x
        return self.named(x, self.item(self.attr(cls, "__match_args__"), k))

    def named(self, x, name):
        """An attribute that a class pattern looks at."""
        return self.attr(x, name) if self.call(hasattr, x, name) else _ABSENT

    def is_absent(self, x):
        """Whether there was no such attribute."""
        return x is _ABSENT
