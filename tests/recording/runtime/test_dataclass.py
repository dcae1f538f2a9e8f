"""Dataclasses: what their generated methods do, with the user's code entered in recording form."""

import dataclasses
from dataclasses import InitVar, dataclass, field
from typing import ClassVar

import numpy as np
import pytest

from hybridad.recording.runtime.dataclass import is_generated
from tests.recording.runtime.whole import agrees, decisions, fails_alike

MADE = []


def fresh():
    MADE.append("fresh")
    return [1.0]


@dataclass
class Plain:
    x: object
    y: float = 2.0


@dataclass
class Full:
    count: ClassVar[int] = 0
    x: object
    scale: InitVar[float]
    items: list = field(default_factory=fresh)
    shift: InitVar[float] = 0.5
    y: object = field(init=False, default=None)
    z: object = field(init=False)
    _: dataclasses.KW_ONLY
    weight: float = 1.5

    def __post_init__(self, scale, shift):
        self.y = self.x * scale + shift if self.x[0] > 0 else self.x
        self.items.append(self.y[0])
        type(self).count += 1


@dataclass(frozen=True)
class Frozen:
    x: object
    square: object = None

    def __post_init__(self):
        object.__setattr__(self, "square", self.x * self.x)


@dataclass(slots=True)
class Slotted:
    x: object
    twice: object = field(init=False)
    name: str = "slots"

    def __post_init__(self):
        self.twice = self.x + self.x


@dataclass(kw_only=True)
class Named(Plain):
    z: object = None

    def __post_init__(self):
        self.z = self.y * self.x if self.z is None else self.z


@dataclass(init=False)
class OwnInit:
    x: object

    def __init__(self, x):
        self.x = x * 3.0
        self.__post_init__()

    def __post_init__(self):
        self.x = self.x + 1.0


class Checked:
    """A descriptor as a field."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, o, owner=None):
        return 4.0 if o is None else getattr(o, self.name)

    def __set__(self, o, value):
        setattr(o, self.name, value * 2.0)


@dataclass
class Described:
    x: object
    y: object = Checked()

    def __post_init__(self):
        self.x = self.x * self.y


@dataclass(order=True, unsafe_hash=True)
class Ordered:
    key: float
    x: object = field(compare=False, hash=False)

    def __post_init__(self):
        self.x = self.x * 2.0


def plain(x):
    p, q = Plain(x), Plain(y=x[0], x=x[1])
    return np.sum(p.x) * p.y + q.x * q.y


def full(x):
    MADE.clear()
    Full.count = 0
    a = Full(x, 2.0)
    b = Full(x * x, x[0], [x[2]], shift=x[1], weight=x[2])
    total = np.sum(a.y * b.y) + a.items[1] * b.items[0] + b.items[1] * b.weight + a.weight
    return total, (MADE[:], Full.count, hasattr(a, "z"), "scale" in vars(a), a.shift)


def frozen(x):
    f = Frozen(x)
    g = dataclasses.replace(f, x=x * 2.0)
    try:
        f.x = x
    except dataclasses.FrozenInstanceError as error:
        text = str(error)
    return np.sum(f.square * g.square), text


def slots(x):
    s = Slotted(x)
    return np.sum(s.twice * s.x), (s.name, hasattr(s, "__dict__"))


def keyword_only(x):
    a, b = Named(x, 3.0), Named(x, z=x * x)
    return np.sum(a.z * b.z) * b.y


def own_init(x):
    return np.sum(OwnInit(x).x ** 2)


def descriptor_fields(x):
    return np.sum(Described(x).x) + np.sum(Described(x, x).x), sorted(vars(Described(x)))


def ordered(x):
    a, b = Ordered(1.0, x), Ordered(2.0, x * x)
    first = min(b, a)
    fields = [f.name for f in dataclasses.fields(a)]
    return np.sum(first.x * max(a, b).x), (a < b, a == Ordered(1.0, None or x), fields)


def as_containers(x):
    f = Plain([x, {"a": x[0]}], 1.0)
    made = dataclasses.asdict(f)
    pair = dataclasses.astuple(Plain(x, 2.0))
    return np.sum(made["x"][0] * pair[0]) + made["x"][1]["a"] * pair[1], list(made)


def made_at_run_time(x):
    made = dataclasses.make_dataclass("Made", ["x", ("y", float, 2.0)])
    m = made(x)
    return np.sum(m.x * m.y)


def defined_inside(x):
    @dataclass
    class Inside:
        a: object
        b: object = x[0]

        def __post_init__(self):
            self.a = self.a * self.b * x[1]

        @property
        def total(self):
            return np.sum(self.a)

    return Inside(x).total + Inside(x, 2.0).total


@pytest.mark.parametrize("f", [plain, full, frozen, slots, keyword_only, own_init,
                               descriptor_fields, defined_inside], ids=lambda f: f.__name__)
def test_it_does_what_plain_python_does(f):
    agrees(f)


@pytest.mark.parametrize("f", [ordered, as_containers, made_at_run_time], ids=lambda f: f.__name__)
def test_it_does_what_plain_python_does_through_the_library(f):
    agrees(f, followed=False)


def test_post_init_decides():
    kinds = [kind for kind, _, _ in decisions(lambda x: full(x)[0])]
    assert kinds == ["compare", "compare"]


@pytest.mark.parametrize("call", [
    lambda x: Full(), lambda x: Full(x, 1.0, nothing=3), lambda x: Full(x, 1.0, [], 2.0, 3.0),
    lambda x: Named(), lambda x: Slotted(x, x, x), lambda x: Frozen(x).nothing,
    lambda x: Plain(x, x, x),
])
def test_wrong_calls_fail_as_in_plain_python(call):
    fails_alike(call)


def test_what_is_generated():
    assert all(map(is_generated, (Full, Frozen, Slotted, Named, Described, Ordered)))
    assert not any(map(is_generated, (Plain, OwnInit, Checked, int)))

    class Derived(Frozen):
        """Has the generated method of its base."""

    class Overriding(Frozen):
        def __init__(self, x):
            super().__init__(x)

    assert is_generated(Derived) and not is_generated(Overriding)
