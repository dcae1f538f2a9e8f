"""Instances: `__new__`, `__init__`, metaclasses, classes made in the function."""

import array
import collections
import dataclasses
import functools
import types

import numpy as np
import pytest
import scipy.interpolate
import scipy.spatial

import hybridad
from hybridad.errors import UnsupportedError
from tests.recording.runtime.whole import agrees, fails_alike

PROGRAMS = []
FAILING = []


def program(f):
    PROGRAMS.append(f)
    return f


def failing(f):
    FAILING.append(f)
    return f


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_it_does_what_plain_python_does(f):
    agrees(f)


@pytest.mark.parametrize("f", FAILING, ids=lambda f: f.__name__)
def test_it_fails_as_plain_python_does(f):
    fails_alike(f)


# ---- construction ------------------------------------------------------------------------------

class Holder:
    pass


class Point:
    made = 0

    def __new__(cls, *args, **kwargs):
        new = super().__new__(cls)
        new.args = len(args), sorted(kwargs)
        return new

    def __init__(self, x, y=2.0):
        self.x, self.y = x * 2.0, x * y


class Half:
    """Its ``__new__`` gives something else, whose ``__init__`` is not called."""

    def __new__(cls, x):
        return x * 0.5

    def __init__(self, x):
        raise AssertionError


class Interned:
    cache = None

    def __new__(cls, x):
        if cls.cache is None:
            cls.cache = super().__new__(cls)
            cls.cache.inits = 0
        return cls.cache

    def __init__(self, x):
        self.x = x
        self.inits += 1


class Singleton(type):
    def __call__(cls, x):
        made = super().__call__(x * 3.0)
        made.by_meta = x
        return made


class Meta(metaclass=Singleton):
    def __init__(self, x):
        self.x = x


class Left:
    def __init__(self, x, **rest):
        super().__init__(x=x * 2.0, **rest)
        self.left = x


class Right:
    def __init__(self, x, z):
        self.right = x * z


class Both(Left, Right):
    def __init__(self, x):
        super().__init__(x, z=x[0])


class Pair(tuple):
    __slots__ = ()

    def __new__(cls, a, b):
        return super().__new__(cls, (a, b * 2.0))


class Degrees(float):
    def __new__(cls, v):
        return super().__new__(cls, v * 2)


@program
def construction(x):
    p = Point(x, y=x[0])
    i, j = Interned(x), Interned(x * x)
    Interned.cache = None
    m = Meta(x)
    b = Both(x)
    a, c = Pair(x[0], x[1])
    value = (np.sum(p.x * p.y) + np.sum(Half(x) * x) + np.sum(i.x) + np.sum(m.x * m.by_meta)
             + np.sum(b.left * b.right) + a * c)
    return value * Degrees(0.5), (p.args, i is j, j.inits, type(Pair(1, 2)).__name__)


@program
def classes_made_in_the_function(x):
    class Local:
        scale = x[0]

        def __init_subclass__(cls, factor=1.0, **kwargs):
            super().__init_subclass__(**kwargs)
            cls.factor = factor * x[1]

        def __call__(self, y):
            return y * self.scale * self.factor

        def __class_getitem__(cls, item):
            return item * 2.0

    class Special(Local, factor=3.0):
        pass

    made = type("Dynamic", (Special,), {"scale": x[2]})
    return np.sum(Special()(x)) + np.sum(made()(x)) + Special[x[0]]


@failing
def init_returns_something(x):
    class Wrong:
        def __init__(self):
            return 3

    Wrong()


@failing
def init_of_too_few_arguments(x):
    Point()


@failing
def arguments_for_a_class_without_init(x):
    Holder(x)


@failing
def abstract_class(x):
    import abc

    class Abstract(abc.ABC):
        @abc.abstractmethod
        def f(self):
            """Left to others."""

        def __init__(self, x):
            self.x = x

    Abstract(x)


@program
def calls_of_objects(x):
    class Affine:
        def __init__(self, a, b=0.0):
            self.a, self.b = a, b

        def __call__(self, x, power=1):
            return self.a * x**power + self.b

    f = Affine(x[0], b=1.0)
    made = functools.partial(f, power=2)
    return np.sum(f(x) * made(x)) + sum(map(f, [1.0, 2.0])) + functools.reduce(
        lambda g, h: g * h, [f(1.0), made(2.0)])


# ---- classes of packages -----------------------------------------------------------------------

PLAIN = {
    "a tree": lambda x, a: scipy.spatial.cKDTree(a[:, None] * 2.0).query([1.0])[0] * x[0],
    "a spline": lambda x, a: scipy.interpolate.CubicSpline(a, a**2)(0.3) * x[0],
    "an interpolation": lambda x, a: scipy.interpolate.interp1d(a, [1.0, *a[1:]])(1.5) * x[0],
    "a masked array": lambda x, a: np.ma.masked_greater(a * 2.0, 3.0).mean() * x[0],
    "a masked copy": lambda x, a: np.ma.MaskedArray(a, [0, 1, 0], copy=True).sum() * x[0],
    "a matrix": lambda x, a: np.matrix(a * 2.0).sum() * x[0],
    "coefficients": lambda x, a: np.polynomial.Polynomial(a * 2.0)(1.5) * x[0],
    "an array upon memory": lambda x, a: np.sum(np.ndarray((3,), float, a) * x),
    "bytes": lambda x, a: (x[0], bytes(a), bytearray(a), array.array("d", bytes(a))),
    "an iteration": lambda x, a: sum(float(v) for v in np.nditer(a)) * x[0],
    "pairs": lambda x, a: sum(v * k for (k,), v in np.ndenumerate(a)) * x[0],
}


@pytest.mark.parametrize("make", PLAIN.values(), ids=PLAIN)
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_what_computes_gets_plain_values(make, local):
    outside = np.arange(3.0)

    def f(x):
        made = make(x, np.arange(3.0) if local else outside)
        return (made[0], made[1:]) if isinstance(made, tuple) else made

    agrees(f, followed=False)


def test_containers_hold_the_values_of_the_run():
    def f(x):
        a = np.zeros(3)
        held = (collections.deque([a]), types.SimpleNamespace(a=a), collections.UserList([a]),
                collections.OrderedDict(a=a), Couple(a, [a]), Row(a))
        a[:] = x * x
        found = (held[0][0], held[1].a, held[2][0], held[3]["a"], held[4].b[0], held[5].a)
        return sum(np.sum(v * k) for k, v in enumerate(found)), all(v is a for v in found)

    agrees(f, followed=False)


Couple = collections.namedtuple("Couple", "a b")


@dataclasses.dataclass
class Row:
    a: np.ndarray


def test_what_shows_memory_without_being_an_array_is_refused():
    def read(x):
        a = np.zeros(3)
        shown = memoryview(a)
        a[0] = x[0]
        return shown[0] * x[0]

    with pytest.raises(UnsupportedError, match=r"(?s)memoryview.*a\.tobytes\(\)"):
        hybridad.grad(read)(np.ones(3))

    def masked(x):
        a = np.zeros(3)
        shown = np.ma.array(a, mask=[0, 0, 1], copy=False)
        a[0] = x[0]
        return shown.sum() * x[0]

    with pytest.raises(UnsupportedError, match=r"(?s)numpy.ma.array made a MaskedArray.*copy=True"):
        hybridad.grad(masked)(np.ones(3))


def test_a_memoryview_of_what_nobody_writes():
    constant = np.arange(3.0)
    constant.flags.writeable = False

    def f(x):
        return memoryview(constant)[1] * x[0], bytes(memoryview(constant))

    agrees(f)
