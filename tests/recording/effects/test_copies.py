"""Copies: of the structure as the standard library makes them, of arrays recorded."""

import copy
import dataclasses
import sys
from collections import OrderedDict, defaultdict, deque, namedtuple

import numpy as np
import pytest
from hybridad._record import active, is_wrapper, raw_of

from hybridad.recording.effects.copies import MEANINGS
from tests.recording.effects.runs import PlainSite, recording

P = namedtuple("P", "a b")


class Thing:
    def __init__(self):
        self.a = [1.0]
        self.me = self


class Slots:
    __slots__ = ("a", "b")


class Own:
    def __init__(self, v):
        self.v = v

    def __copy__(self):
        return Own(("copied", self.v))

    def __deepcopy__(self, memo):
        return Own(("copied deeply", self.v))


class State:
    def __init__(self, v):
        self.v = v

    def __setstate__(self, state):
        self.v = state["v"] + 1


class Reduced:
    def __init__(self, v):
        self.v = v

    def __reduce__(self):
        return Reduced, (self.v,)


class Items(list):
    pass


def make_slots():
    made = Slots()
    made.a = [1]
    return made


def make_items():
    made = Items([1, [2]])
    made.label = "x"
    return made


SHARED = [1.0]
OBJECTS = {
    "atoms": lambda: [1, 2.0, "a", None, len, int, ..., range(3)],
    "shared": lambda: [SHARED, (SHARED, 1), {"a": SHARED}],
    "tuple": lambda: (1, (2.0, "x")),
    "named": lambda: P([1], 2),
    "thing": Thing,
    "slots": make_slots,
    "own": lambda: Own(1),
    "state": lambda: State(1),
    "reduced": lambda: Reduced([1]),
    "items": make_items,
    "ordered": lambda: OrderedDict(a=[1], b=2),
    "default": lambda: defaultdict(list, a=[1]),
    "deque": lambda: deque([[1]], maxlen=2),
    "set": lambda: {1, (2, 3)},
    "frozen": lambda: frozenset([1]),
    "array": lambda: np.arange(3.0),
    "generator": lambda: np.random.default_rng(0),
    "method": lambda: Own([1]).__copy__,
    "bytes": lambda: bytearray(b"ab"),
    "class": lambda: Thing,
}


def picture(x, seen=None):
    """What an object is made of, with identities inside it as numbers."""
    seen = {} if seen is None else seen
    if isinstance(x, int | float | str | type(None) | type) or callable(x):
        return getattr(x, "__qualname__", repr(x))
    if id(x) in seen:
        return seen[id(x)]
    seen[id(x)] = len(seen)
    if isinstance(x, dict):
        inside = [(picture(k, seen), picture(v, seen)) for k, v in x.items()]
    elif isinstance(x, list | tuple | deque | set | frozenset):
        inside = [picture(v, seen) for v in x]
    elif isinstance(x, np.ndarray | bytearray):
        inside = repr(x)
    else:
        inside = [getattr(x, n, None) for n in getattr(type(x), "__slots__", ())]
    return type(x).__name__, inside, picture(getattr(x, "__dict__", None), seen)


@pytest.mark.parametrize("function", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("name", OBJECTS)
def test_as_the_standard_library(name, function):
    x = OBJECTS[name]()
    made, wanted = MEANINGS[function](PlainSite(), x), function(x)
    assert picture(made) == picture(wanted)
    assert (made is x) == (wanted is x)
    if name == "shared" and function is copy.deepcopy:
        assert made[0] is made[1][0] is made[2]["a"] and made[0] is not SHARED


def test_functions_of_the_class_go_through_the_site():
    site = PlainSite()
    own, state, reduced = Own(1), State(1), Reduced(1)
    MEANINGS[copy.copy](site, own)
    MEANINGS[copy.deepcopy](site, own)
    MEANINGS[copy.deepcopy](site, state)
    MEANINGS[copy.copy](site, reduced)
    assert site.called == [Own.__copy__, Own.__deepcopy__, State.__setstate__, Reduced.__reduce__,
                           Reduced]


def test_wrappers_are_copied_on_record():
    with recording(np.arange(3.0), 2.0) as (run, x, s):
        held = {"x": x, "again": [x, s], "s": s}
        made = MEANINGS[copy.deepcopy](PlainSite(run), held)
        assert made["x"] is made["again"][0] and made["x"] is not x and active(made["x"])
        assert made["s"] is made["again"][1] is s
        assert not np.shares_memory(raw_of(made["x"]), raw_of(x))
        shallow = MEANINGS[copy.copy](PlainSite(run), held)
        assert shallow["x"] is x and shallow is not held
        alone = MEANINGS[copy.copy](PlainSite(run), x)
        assert is_wrapper(alone) and alone is not x
        keyed = MEANINGS[copy.deepcopy](PlainSite(run), {1: (x, 1), "k": P(s, 1)})
        assert is_wrapper(keyed[1][0]) and keyed["k"].a is s


def test_memo_that_is_given_is_used():
    inner = [1]
    memo = {id(inner): "known"}
    assert MEANINGS[copy.deepcopy](PlainSite(), [inner], memo) == ["known"]


def test_tuple_in_itself():
    held = []
    pair = (held, 1)
    held.append(pair)
    made = MEANINGS[copy.deepcopy](PlainSite(), pair)
    assert made[0][0] is made and made is not pair


def test_what_cannot_be_copied():
    generator = (v for v in [1])
    for function in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="generator"):
            MEANINGS[function](PlainSite(), generator)


# Dataclasses ------------------------------------------------------------------------------------


@dataclasses.dataclass
class Config:
    w: object
    more: list = dataclasses.field(default_factory=list)
    start: dataclasses.InitVar[float] = 1.0
    derived: float = dataclasses.field(init=False, default=0.0)

    def __post_init__(self, start):
        self.derived = start * 2.0


@dataclasses.dataclass
class Needs:
    need: dataclasses.InitVar[int]
    x: float = 1.0


Pair = namedtuple("Pair", "first second")


def test_replace():
    site, c = PlainSite(), Config(1.0)
    made = MEANINGS[dataclasses.replace](site, c, w=2.0)
    assert made == dataclasses.replace(c, w=2.0) and made.more is c.more
    assert site.called == [Config]


@pytest.mark.parametrize("obj, changes", [
    (Config(1.0), {"derived": 2.0}), (Needs(1), {}), (3, {}), (Config, {}),
    (Config(1.0), {"unknown": 1})])
def test_replace_refuses_as_dataclasses_does(obj, changes):
    with pytest.raises((TypeError, ValueError)) as wanted:
        dataclasses.replace(obj, **changes)
    with pytest.raises(type(wanted.value)) as error:
        MEANINGS[dataclasses.replace](PlainSite(), obj, **changes)
    assert str(error.value) == str(wanted.value)


def test_as_dict_and_tuple():
    c = Config(Pair(1, [Config(2.0)]), [OrderedDict(a=[1]), {"k": (1,)}])
    for function in (dataclasses.asdict, dataclasses.astuple):
        made, wanted = MEANINGS[function](PlainSite(), c), function(c)
        assert repr(made) == repr(wanted)
        for wrong in (3, Config):
            with pytest.raises(TypeError, match="dataclass instances"):
                MEANINGS[function](PlainSite(), wrong)
    site = PlainSite()

    def fold(pairs):
        return [name for name, _ in pairs]

    assert MEANINGS[dataclasses.asdict](site, Config(1.0), dict_factory=fold)[0] == "w"
    assert fold in site.called
    assert MEANINGS[dataclasses.astuple](site, Config(1.0), tuple_factory=list)[0] == 1.0


def test_default_dictionaries_in_dataclasses():
    c = Config(defaultdict(list, a=[1]))
    try:
        wanted = dataclasses.asdict(c)
    except TypeError:  # before Python 3.12
        with pytest.raises(TypeError, match="first argument"):
            MEANINGS[dataclasses.asdict](PlainSite(), c)
    else:
        made = MEANINGS[dataclasses.asdict](PlainSite(), c)
        assert made == wanted and made["w"].default_factory is list


def test_as_dict_copies_arrays_on_record():
    with recording(np.arange(3.0)) as (run, x):
        made = MEANINGS[dataclasses.asdict](PlainSite(run), Config(x))
        assert active(made["w"]) and made["w"] is not x
        assert MEANINGS[dataclasses.is_dataclass](PlainSite(run), Config)
        assert len(MEANINGS[dataclasses.fields](PlainSite(run), Config)) == 3


@pytest.mark.skipif(sys.version_info < (3, 13), reason="copy.replace is of Python 3.13")
def test_copy_replace():
    site = PlainSite()
    made = MEANINGS[copy.replace](site, Config(1.0), w=2.0)
    assert made.w == 2.0 and site.called == [Config]
    assert MEANINGS[copy.replace](site, Pair(1, 2), first=3) == (3, 2)
    with pytest.raises(TypeError):
        MEANINGS[copy.replace](site, 3)
