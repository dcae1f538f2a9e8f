"""Whatever changes between two calls shows in the next answer, though the code was made before."""

import collections
import dataclasses
import enum
import functools
import random
import types

import numpy as np
import pytest

from tests.engine.sequences import check

CASES = {}


def case(make):
    CASES[make.__name__] = make
    return make


SCALE = 2.0
COUNT = 3
TABLE = {"w": 2.0}
WEIGHTS = np.array([1.0, 2.0, 3.0])
THIS = __import__("sys").modules[__name__]


def setter(name, value):
    return lambda: globals().__setitem__(name, value)


# names


@case
def a_global():
    setter("SCALE", 2.0)()

    def f(x):
        return np.sum(x * SCALE)
    return f, setter("SCALE", 5.0), setter("SCALE", 7), setter("SCALE", np.float32(1.5)), \
        setter("SCALE", np.array([1.0, 2.0, 3.0]))


@case
def an_int_global():
    setter("COUNT", 3)()

    def f(x):
        return np.sum(x ** COUNT)
    return f, setter("COUNT", 2), setter("COUNT", 5)


@case
def a_global_that_a_helper_reads():
    setter("SCALE", 2.0)()

    def helper(x):
        return x * SCALE

    def f(x):
        return np.sum(helper(helper(x)))
    return f, setter("SCALE", 5.0)


@case
def a_closure_cell():
    k = 2.0

    def f(x):
        return np.sum(np.tanh(x) * k)

    def change():
        nonlocal k
        k = -3.0
    return f, change


@case
def a_cell_of_a_cell():
    k, t = 2.0, True

    def f(x):
        def inner(y):
            return y * k if t else y / k
        return np.sum(inner(x))

    def change():
        nonlocal k
        k = -3.0

    def other():
        nonlocal t
        t = False
    return f, change, other


@case
def a_name_that_is_rebound_to_another_type():
    k = 2.0

    def f(x):
        return np.sum(x * k)

    def change(value):
        def set_():
            nonlocal k
            k = value
        return set_
    return f, change(3), change(True), change(np.float64(4.0)), change(np.array(5.0)), \
        change(np.array([1.0, 0.0, 2.0], np.float32)), change(2.5)


@case
def a_builtin_that_is_shadowed():
    globals().pop("abs", None)

    def f(x):
        return np.sum(abs(x))
    return f, setter("abs", lambda x: x * 2.0), lambda: globals().pop("abs")


# arrays and containers


@case
def the_content_of_a_captured_array():
    w = np.array([1.0, 2.0, 3.0])

    def f(x):
        return np.sum(x * w)

    def change():
        w[:] = [4.0, 5.0, 6.0]
    return f, change


@case
def a_captured_array_of_ints_as_an_index():
    w = np.array([0, 1, 1])

    def f(x):
        return np.sum(x[w] * x)

    def change():
        w[:] = [2, 2, 0]
    return f, change


@case
def one_captured_index():
    w = np.array([0, 1, 1])

    def f(x):
        return x[w[0]] ** 2

    def change():
        w[0] = 2
    return f, change


@case
def a_mask():
    w = np.array([True, False, True])

    def f(x):
        return np.sum(x[w] ** 2)

    def change():
        w[:] = [True, True, True]
    return f, change


@case
def the_array_is_another():
    box = [np.array([1.0, 2.0, 3.0])]

    def f(x):
        return np.sum(x * box[0])

    def change():
        box[0] = np.array([[1.0, 2.0, 3.0], [5.0, 6.0, 7.0]])

    def order():
        box[0] = np.asfortranarray(box[0])
    return f, change, order


@case
def items_of_a_dict():
    d = {"a": 2.0, "b": np.array([1.0, 2.0, 3.0])}

    def f(x):
        return np.sum(x * d["a"] + d["b"] * x ** 2)

    def number():
        d["a"] = 4.0

    def array():
        d["b"] = np.ones(3)
    return f, number, array


@case
def keys_of_a_dict():
    d = {"a": 2.0}

    def f(x):
        s = 0.0
        for key in d:
            s = s + np.sum(x) * d[key]
        return s + d.get("z", 1.0) * x[0]

    def more():
        d["b"] = 5.0

    def zed():
        d["z"] = 5.0

    def fewer():
        del d["a"]
    return f, more, zed, fewer


@case
def a_dict_is_asked_for_a_key():
    d = {}

    def f(x):
        return np.sum(x) if "squares" not in d else np.sum(x ** 2)

    def change():
        d["squares"] = True
    return f, change, d.clear


@case
def the_length_of_a_list():
    ws = [1.0, 2.0]

    def f(x):
        s = 0.0
        for w in ws:
            s = s + w * np.sum(x ** 2)
        return s * len(ws)
    return f, lambda: ws.append(3.0), ws.pop, ws.pop


@case
def a_list_that_is_empty_or_not():
    ws = []

    def f(x):
        if ws:
            return np.sum(x) * ws[-1]
        return np.sum(x ** 2)
    return f, lambda: ws.append(3.0), lambda: ws.append(4.0), ws.clear


@case
def nested_containers():
    layers = [{"w": [1.0, (2.0, 3.0)]}, {"w": [4.0, (5.0, 6.0)]}]

    def f(x):
        s = 0.0
        for layer in layers:
            a, (b, c) = layer["w"]
            s = s + a * x[0] + b * x[1] * x[0] + c * x[2] ** 2
        return s

    def deep():
        layers[1]["w"][1] = (7.0, 8.0)

    def more():
        layers.append({"w": [1.5, (2.5, 3.5)]})
    return f, deep, more


@case
def a_set_is_asked():
    names = {"a"}

    def f(x):
        return np.sum(x) * (2.0 if "b" in names else 1.0)
    return f, lambda: names.add("b"), names.clear


@case
def a_deque():
    d = collections.deque([1.0, 2.0], maxlen=3)

    def f(x):
        return np.sum(x) * d[-1] + x[0] * d[0]
    return f, lambda: d.append(3.0), lambda: d.append(4.0)


@case
def a_slice_of_an_outside_list():
    ws = [1.0, 2.0, 3.0]

    def f(x):
        a, b = ws[-2:]
        return np.sum(x) * a + x[0] * b

    def change():
        ws[2] = 9.0
    return f, change, lambda: ws.insert(0, 5.0), lambda: ws.append(7.0)


@case
def the_order_of_a_dict():
    d = {"a": 2.0, "b": 3.0}

    def f(x):
        s = np.sum(x)
        for value in d.values():
            s = s * value + x[0]
        return s

    def change():
        d["a"] = d.pop("a")
    return f, change


# objects


class Model:
    rate = 2.0
    power = 2

    def __init__(self):
        self.w = np.array([1.0, 2.0, 3.0])
        self.k, self.sub = 1.5, None

    def __call__(self, x):
        return np.sum(self.w * x) * self.k

    def squared(self, x):
        return np.sum(x ** 2) * self.k

    @property
    def double(self):
        return self.k * 2.0

    @classmethod
    def scaled(cls, x):
        return np.sum(x) * cls.rate

    @staticmethod
    def fixed(x):
        return np.sum(x)


class Child(Model):
    def squared(self, x):
        return super().squared(x) * 3.0


@case
def an_attribute():
    m = Model()

    def f(x):
        return np.sum(x * m.w) * m.k
    return f, lambda: setattr(m, "k", 3.0), lambda: setattr(m, "w", np.ones(3)), \
        lambda: m.w.__setitem__(0, 8.0), lambda: setattr(m, "k", 3)


@case
def an_object_that_is_called():
    m = Model()
    return m, lambda: setattr(m, "k", 3.0), lambda: setattr(m, "w", np.array([0.0, 1.0, 5.0]))


@case
def a_bound_methods_object():
    m = Model()
    return m.squared, lambda: setattr(m, "k", 3.0)


@case
def a_bound_methods_object_becomes_another_class():
    m = Model()
    return m.squared, lambda: setattr(m, "__class__", Child)


@case
def an_objects_class():
    m = Model()

    def f(x):
        return m.squared(x)
    return f, lambda: setattr(m, "__class__", Child), lambda: setattr(m, "__class__", Model)


@case
def another_object():
    box = types.SimpleNamespace(model=Model())

    def f(x):
        return box.model.squared(x)

    def change():
        box.model = Child()
        box.model.k = 7.0
    return f, change


@case
def a_class_attribute():
    Model.rate = 2.0
    m = Model()

    def f(x):
        return np.sum(x) * m.rate + Model.rate * x[0]

    return f, lambda: setattr(Model, "rate", 4.0), lambda: setattr(m, "rate", 5.0), \
        lambda: setattr(Model, "rate", 2.0)


@case
def a_class_attribute_of_a_subclass():
    Model.rate = 2.0
    m = Child()

    def f(x):
        return np.sum(x) * m.rate

    return f, lambda: setattr(Child, "rate", 4.0), lambda: delattr(Child, "rate")


@case
def a_class_method():
    Model.rate = 2.0

    def f(x):
        return Model.scaled(x) * Child.fixed(x)

    return f, lambda: setattr(Model, "rate", 4.0), lambda: setattr(Model, "rate", 2.0)


@case
def a_property():
    m = Model()

    def f(x):
        return np.sum(x) * m.double
    return f, lambda: setattr(m, "k", 4.0)


@case
def a_property_that_is_replaced():
    class Local(Model):
        pass
    m = Local()

    def f(x):
        return np.sum(x) * m.double
    return f, lambda: setattr(Local, "double", property(lambda self: self.k * 3.0)), \
        lambda: setattr(Local, "double", 4.0)


@case
def a_method_that_is_replaced():
    class Local(Model):
        pass
    m = Local()

    def f(x):
        return m.squared(x)

    def another(self, x):
        return np.sum(x ** 3) * self.k
    return f, lambda: setattr(Local, "squared", another), \
        lambda: setattr(m, "squared", lambda x: np.sum(x ** 4))


@case
def a_method_of_a_base_is_replaced():
    class Base:
        def go(self, x):
            return np.sum(x)

    class Local(Base):
        pass
    m = Local()

    def f(x):
        return m.go(x)
    return f, lambda: setattr(Base, "go", lambda self, x: np.sum(x ** 2)), \
        lambda: setattr(Local, "go", lambda self, x: np.sum(x ** 3))


@case
def an_operator_that_is_replaced():
    class Number:
        def __init__(self, v):
            self.v = v

        def __mul__(self, other):
            return self.v * other
    n = Number(2.0)

    def f(x):
        return np.sum(n * x[0])
    return f, lambda: setattr(n, "v", 3.0), \
        lambda: setattr(Number, "__mul__", lambda self, other: other * other)


@case
def a_special_method_that_is_replaced():
    class Items:
        def __init__(self):
            self.items = [1.0, 2.0]

        def __getitem__(self, k):
            return self.items[k]

        def __len__(self):
            return len(self.items)
    items = Items()

    def f(x):
        return np.sum(x) * items[0] * len(items)
    return f, lambda: items.items.append(3.0), lambda: items.items.__setitem__(0, 4.0), \
        lambda: setattr(Items, "__len__", lambda self: 7)


@case
def a_name_that_an_object_may_have():
    m = Model()

    def f(x):
        if hasattr(m, "extra"):
            return np.sum(x ** 2)
        return np.sum(x) * getattr(m, "more", 2.0)
    return f, lambda: setattr(m, "more", 3.0), lambda: setattr(m, "extra", None), \
        lambda: delattr(m, "extra")


@case
def get_attribute_by_a_name_that_changes():
    m, box = Model(), ["k"]
    m.j = 5.0

    def f(x):
        return np.sum(x) * getattr(m, box[0])
    return f, lambda: box.__setitem__(0, "j")


@case
def the_type_decides():
    box = [Model()]

    def f(x):
        if isinstance(box[0], Child):
            return np.sum(x ** 2)
        return np.sum(x)
    return f, lambda: box.__setitem__(0, Child()), lambda: box.__setitem__(0, 3)


@case
def the_type_of_a_number_decides():
    box = [1.0]

    def f(x):
        if isinstance(box[0], int):
            return np.sum(x ** 2)
        return np.sum(x) * box[0]
    return f, lambda: box.__setitem__(0, 2), lambda: box.__setitem__(0, 3.0), \
        lambda: box.__setitem__(0, np.float64(3.0)), lambda: box.__setitem__(0, True)


@case
def nested_objects():
    m = Model()
    m.sub = Model()
    m.sub.sub = Model()

    def f(x):
        return np.sum(m.sub.sub.w * x) * m.sub.k
    return f, lambda: setattr(m.sub.sub, "w", np.arange(3.0)), lambda: setattr(m.sub, "k", 5.0), \
        lambda: setattr(m, "sub", m.sub.sub) or setattr(m.sub, "sub", Model())


@dataclasses.dataclass
class Settings:
    rate: float = 2.0
    steps: int = 3
    name: str = "plain"


@case
def a_dataclass():
    s = Settings()

    def f(x):
        y = x
        for _ in range(s.steps):
            y = y * s.rate
        return np.sum(y ** 2 if s.name == "squares" else y)
    return f, lambda: setattr(s, "rate", 3.0), lambda: setattr(s, "steps", 2), \
        lambda: setattr(s, "name", "squares")


@case
def slots():
    class Slotted:
        __slots__ = ("k",)
    s = Slotted()
    s.k = 2.0

    def f(x):
        return np.sum(x) * s.k
    return f, lambda: setattr(s, "k", 3.0)


class Kind(enum.Enum):
    SUM = 1
    SQUARES = 2


@case
def an_enum():
    box = [Kind.SUM]

    def f(x):
        return np.sum(x) if box[0] is Kind.SUM else np.sum(x ** 2)
    return f, lambda: box.__setitem__(0, Kind.SQUARES)


@case
def a_user_of_getattr():
    class Lazy:
        def __init__(self):
            self.data = {"k": 2.0}

        def __getattr__(self, name):
            return self.data[name]
    lazy = Lazy()

    def f(x):
        return np.sum(x) * lazy.k
    return f, lambda: lazy.data.__setitem__("k", 3.0), lambda: setattr(lazy, "k", 4.0)


@case
def a_descriptor():
    class Field:
        def __get__(self, o, cls=None):
            return o.__dict__["_k"] * 2.0

    class Owner:
        k = Field()
    o = Owner()
    o._k = 1.0

    def f(x):
        return np.sum(x) * o.k
    return f, lambda: setattr(o, "_k", 3.0), \
        lambda: setattr(Field, "__get__", lambda self, o, cls=None: 5.0)


@case
def an_attribute_of_the_users_module():
    THIS.WEIGHTS = np.array([1.0, 2.0, 3.0])
    THIS.COUNT = 3

    def f(x):
        return np.sum(x * THIS.WEIGHTS) * THIS.COUNT
    return f, lambda: setattr(THIS, "WEIGHTS", np.ones(3)), lambda: setattr(THIS, "COUNT", 4)


# functions


@case
def a_default():
    def f(x, k=2.0):
        return np.sum(x * k)
    return f, lambda: setattr(f, "__defaults__", (3.0,)), \
        lambda: setattr(f, "__defaults__", (np.array([1.0, 2.0, 3.0]),)), \
        lambda: setattr(f, "__defaults__", (4,))


@case
def a_keyword_default():
    def f(x, *, k=2.0):
        return np.sum(x) * k
    return f, lambda: setattr(f, "__kwdefaults__", {"k": 3.0}), \
        lambda: f.__kwdefaults__.__setitem__("k", 5.0)


@case
def a_default_of_a_helper():
    def helper(x, k=2.0, *, j=1.0):
        return x * k + j

    def f(x):
        return np.sum(helper(x) * x)
    return f, lambda: setattr(helper, "__defaults__", (3.0,)), \
        lambda: setattr(helper, "__kwdefaults__", {"j": 7.0})


@case
def the_content_of_a_default():
    def f(x, ws=[1.0, 2.0], table={"k": 2.0}):  # noqa: B006
        return np.sum(x) * ws[0] + len(ws) * x[0] * table["k"]
    return f, lambda: f.__defaults__[0].append(3.0), \
        lambda: f.__defaults__[0].__setitem__(0, 5.0), \
        lambda: f.__defaults__[1].__setitem__("k", 4.0)


@case
def the_code():
    def f(x):
        return np.sum(x)

    def squares(x):
        return np.sum(x ** 2)
    return f, lambda: setattr(f, "__code__", squares.__code__)


@case
def the_code_of_a_helper():
    def helper(x):
        return x * 2.0

    def other(x):
        return x ** 3

    def f(x):
        return np.sum(helper(x))
    return f, lambda: setattr(helper, "__code__", other.__code__)


@case
def the_code_of_a_method():
    class Local:
        def go(self, x):
            return np.sum(x)

    def other(self, x):
        return np.sum(x ** 3)
    m = Local()

    def f(x):
        return m.go(x)
    return f, lambda: setattr(Local.go, "__code__", other.__code__)


@case
def a_helper_that_is_replaced():
    def double(x):
        return x * 2.0

    def cube(x):
        return x ** 3
    helper = double

    def f(x):
        return np.sum(helper(x))

    def change():
        nonlocal helper
        helper = cube

    def to_numpy():
        nonlocal helper
        helper = np.tanh
    return f, change, to_numpy


@case
def two_closures_of_one_code():
    def times(k):
        def scaled(x):
            return x * k
        return scaled
    box = [times(2.0), times(3.0)]

    def f(x):
        return np.sum(box[0](x) * box[1](x))
    return f, lambda: box.reverse(), lambda: box.__setitem__(0, times(7.0)), \
        lambda: box.__setitem__(1, box[0])


@case
def a_ufunc_in_a_table():
    table = {"activation": np.tanh}

    def f(x):
        return np.sum(table["activation"](x))
    return f, lambda: table.__setitem__("activation", np.exp), \
        lambda: table.__setitem__("activation", np.square)


@case
def a_partial():
    def helper(k, x):
        return x * k
    box = [functools.partial(helper, 2.0)]

    def f(x):
        return np.sum(box[0](x))
    return f, lambda: box.__setitem__(0, functools.partial(helper, 3.0))


@case
def a_decorated_helper():
    def decorate(g):
        @functools.wraps(g)
        def wrapped(x):
            return g(x) * wrapped.factor
        wrapped.factor = 2.0
        return wrapped

    @decorate
    def helper(x):
        return x ** 2

    def f(x):
        return np.sum(helper(x))
    return f, lambda: setattr(helper, "factor", 3.0)


@case
def an_attribute_of_the_function():
    def f(x):
        return np.sum(x) * f.factor
    f.factor = 2.0
    return f, lambda: setattr(f, "factor", 3.0)


# sharing and identity


@case
def two_captured_arrays_become_one():
    a, b = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])
    box = types.SimpleNamespace(a=a, b=b)

    def f(x):
        box.a[0] = x[0] if False else 5.0
        return np.sum(x * box.b) + np.sum(x * box.a)

    def apart():
        box.b = np.array([7.0, 8.0, 9.0])
    return (f, lambda: (box.a, box.b)), lambda: setattr(box, "b", box.a), apart


@case
def a_captured_array_becomes_a_view_of_another():
    box = types.SimpleNamespace(a=np.arange(6.0), b=np.arange(3.0))

    def f(x):
        box.a[1] += 1.0
        return np.sum(x * box.b)

    return (f, lambda: (box.a, box.b)), lambda: setattr(box, "b", box.a[:3]), \
        lambda: setattr(box, "b", box.a[3:]), lambda: setattr(box, "b", box.a[::-2])


@case
def whether_two_captured_objects_are_one():
    box = types.SimpleNamespace(a=Model(), b=Model())

    def f(x):
        if box.a is box.b:
            return np.sum(x ** 2)
        return np.sum(x)

    return f, lambda: setattr(box, "b", box.a), lambda: setattr(box, "b", Model())


@case
def whether_two_captured_arrays_are_one():
    box = types.SimpleNamespace(a=np.ones(3), b=np.ones(3))

    def f(x):
        if box.a is not box.b:
            return np.sum(x ** 2 * box.a)
        return np.sum(x)

    return f, lambda: setattr(box, "b", box.a), lambda: setattr(box, "b", np.ones(3))


@case
def whether_something_is_none():
    box = types.SimpleNamespace(w=None)

    def f(x):
        return np.sum(x) if box.w is None else np.sum(x * box.w)

    return f, lambda: setattr(box, "w", 2.0), lambda: setattr(box, "w", np.arange(3.0)), \
        lambda: setattr(box, "w", None)


@case
def two_names_of_one_list():
    box = types.SimpleNamespace(a=[1.0], b=[1.0])

    def f(x):
        box.a.append(2.0)
        return np.sum(x) * len(box.b) * box.b[-1]

    return (f, lambda: (box.a, box.b)), lambda: setattr(box, "b", box.a), \
        lambda: setattr(box, "b", [4.0])


@case
def two_objects_become_one():
    box = types.SimpleNamespace(a=Model(), b=Model())

    def f(x):
        box.a.k = box.a.k + 1.0
        return np.sum(x) * box.b.k

    return (f, lambda: (box.a.k, box.b.k)), lambda: setattr(box, "b", box.a), \
        lambda: setattr(box, "b", Model())


# streams


@case
def numpys_stream():
    np.random.seed(3)  # noqa: NPY002

    def f(x):
        return np.sum(x * np.random.rand(3))  # noqa: NPY002
    return f, lambda: np.random.seed(5)  # noqa: NPY002


@case
def a_generator():
    rng = np.random.default_rng(4)

    def f(x):
        return np.sum(x * rng.normal(size=3)) * rng.random()
    return f, lambda: rng.random(7)


@case
def another_generator():
    box = [np.random.default_rng(4)]

    def f(x):
        return np.sum(x * box[0].normal(size=3))
    return f, lambda: box.__setitem__(0, np.random.default_rng(9))


@case
def pythons_stream():
    random.seed(4)

    def f(x):
        return np.sum(x) * random.random() + x[random.randrange(3)]
    return f, lambda: random.seed(9)


@case
def a_draw_decides():
    rng = np.random.default_rng(1)

    def f(x):
        if rng.random() < 0.5:
            return np.sum(x)
        return np.sum(x ** 2)
    return f, lambda: rng.random(1)


@case
def a_callback_with_a_state():
    calls = []

    def read():
        calls.append(1)
        return len(calls) * 1.0

    def f(x):
        return np.sum(x) * read()
    return (f, lambda: calls), calls.clear


@pytest.mark.parametrize("engine", ["auto", "sct"])
@pytest.mark.parametrize("name", CASES)
def test_a_change_shows(name, engine):
    check(CASES[name], engine)
