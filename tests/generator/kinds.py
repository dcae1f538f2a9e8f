"""What a name of a generated program holds, as far as the generator must know to use it."""

from dataclasses import dataclass

__all__ = ["Arr", "Dct", "Fn", "Int", "Lst", "Num", "Obj", "least_known"]


@dataclass(frozen=True)
class Num:
    """A Python or NumPy float of moderate size; `active`: it may depend on an argument."""

    active: bool = True


@dataclass(frozen=True)
class Arr:
    """A writeable float64 array of a known shape."""

    shape: tuple
    active: bool = True


@dataclass(frozen=True)
class Int:
    """An integer from 0 to below `stop`."""

    stop: int


@dataclass(frozen=True)
class Lst:
    """A list of at least `least` floats; `exact`: of just so many; `frozen`: it must not grow."""

    least: int
    exact: bool = False
    active: bool = True
    frozen: bool = False


@dataclass(frozen=True)
class Dct:
    """A dict of floats with (at least) these string keys."""

    keys: tuple
    active: bool = True
    frozen: bool = False


@dataclass(frozen=True)
class Fn:
    """A function of positional parameters that returns a number or an array.

    `optional` of the last parameters have defaults.
    """

    takes: tuple
    gives: Num | Arr
    optional: int = 0


@dataclass(frozen=True)
class Obj:
    """An object with attributes and methods of known kinds; `outside`: it outlives the call."""

    attributes: tuple  # of (name, kind)
    methods: tuple  # of (name, Fn)
    outside: bool = False


def least_known(before, after):
    """What is known of a name after a block that may or may not have run."""
    if isinstance(before, Lst) and isinstance(after, Lst):
        return Lst(min(before.least, after.least),
                   before.exact and after.exact and before.least == after.least,
                   before.active or after.active, before.frozen)
    if isinstance(before, Dct) and isinstance(after, Dct):
        return Dct(before.keys, before.active or after.active, before.frozen)
    if isinstance(before, (Num, Arr)) and type(before) is type(after):
        return after if after.active else before
    return before
