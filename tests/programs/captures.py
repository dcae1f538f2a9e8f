"""What comes from outside: globals, cells, attributes, defaults, modules, items, enums."""

# ruff: noqa: E701, E702, B006

import copy
import enum
import operator
import types

import numpy as np

from tests.programs import A, Scene, program, settings

SCALE = 1.0
WEIGHTS = np.ones(3)
TABLE = {"w": [1.0, 2.0], "on": True}


def helper(v):
    return v * SCALE


_helper = helper


@program()
def global_number():
    global helper
    helper = _helper
    def f(x):
        return np.sum(x * SCALE) ** 2 + helper(x[0])
    def before(k):
        global SCALE
        SCALE = (1.0, 10.0, np.float64(0.5), 3)[k]
    return Scene(f, lambda: SCALE, before)


@program()
def global_array_replaced_and_written():
    global WEIGHTS
    WEIGHTS = np.ones(3)
    def f(x):
        WEIGHTS[1] = x[1] * 0.5
        return np.sum(WEIGHTS * x) + WEIGHTS[0] * WEIGHTS[1]
    def before(k):
        global WEIGHTS
        if k % 2 == 0: WEIGHTS = np.arange(3.0) + k
        else: WEIGHTS[:] = k
    return Scene(f, lambda: WEIGHTS, before)


@program()
def global_dict():
    def f(x):
        if TABLE["on"]: return np.sum(x) * TABLE["w"][0] + TABLE["w"][1] * x[0]
        return x[0] * TABLE.get("other", 2.0)
    def before(k):
        TABLE.clear()
        TABLE.update(w=[k + 1.0, 0.5], on=k != 1)
        if k == 1: TABLE["other"] = 7.0
    return Scene(f, lambda: TABLE, before)


@program()
def global_function_replaced():
    def f(x):
        return np.sum(helper(x)) * helper(2.0)
    def before(k):
        global helper, SCALE
        SCALE = 1.5
        helper = (lambda v: v * SCALE) if k % 2 else (lambda v: v**2)
    return Scene(f, before=before)


@program()
def module_attributes():
    settings.reset()
    def f(x):
        y = settings.activation(x) * settings.WEIGHTS
        for _ in range(settings.STEPS): y = y * settings.RATE + x
        return np.sum(y) * settings.TABLE["high"]
    def before(k):
        settings.reset()
        settings.RATE, settings.STEPS = 0.25 * (k + 1), k
        settings.WEIGHTS[k % 3] = 2.0
        settings.TABLE["high"] = k
        if k == 2: settings.activation = np.sin
    return Scene(f, before=before)


@program()
def module_attribute_stored():
    settings.reset()
    def f(x):
        settings.RATE = settings.RATE * 0.5 + x[0]
        y = settings.RATE * x[1]
        settings.TABLE["last"] = y
        return y * settings.TABLE["last"] + x[2]
    return Scene(f, lambda: (settings.RATE, settings.TABLE))


@program()
def cell_changed_from_outside():
    w, names = 1.0, ["a"]
    def f(x):
        return np.sum(x) * w + len(names) * x[0]
    def before(k):
        nonlocal w
        w = (1.0, 2, np.float32(0.5), 4.0)[k]
        names.append("b")
    return Scene(f, before=before)


@program()
def cell_stored_to():
    count, best = 0, 0.0
    def f(x):
        nonlocal count, best
        count += 1
        if x[0] > best + 0.1: best = x[0]
        return np.sum(x * x) * count + best * x[1]
    return Scene(f, lambda: (count, best))


@program()
def instance_over_class_attributes():
    class Base: a, b = 1.0, 2.0
    class Child(Base): b = 3.0
    c = Child()
    def f(x):
        return x[0] * c.a + x[1] * c.b * Child.a + x[2] * getattr(c, "missing", 0.5)
    def before(k):
        if k == 0: Base.a = 1.5
        if k == 1: c.a, Child.b = 4.0, -1.0
        if k == 2: del c.a; c.missing = 2.0
    return Scene(f, before=before)


@program()
def defaults_of_helper_and_root():
    w = np.ones(3)
    def helper(x, w=w, s=[2.0], *, t=1.5):
        return np.sum(x * w) * s[0] * t
    def f(x, scale=2.0):
        return helper(x) * scale
    def before(k):
        w[:] = k + 1
        helper.__defaults__[1][0] = k + 0.5
        helper.__kwdefaults__ = {"t": 1.5 - k}
        f.__defaults__ = (float(k + 1),)
    return Scene(f, before=before)


@program()
def default_that_collects():
    def f(x, seen=[]):
        seen.append(x[0])
        return np.sum(x) * len(seen) + seen[-1] * seen[0]
    f.__defaults__ = ([],)
    return Scene(f, lambda: f.__defaults__)


@program()
def by_the_back_door():
    class P: w = 1.0
    p = P(); p.w = 2.0
    def f(x):
        a = operator.attrgetter("w")(p) * x[0] + vars(p)["w"] * x[1] + p.__dict__["w"] * x[2]
        b = getattr(p, "w") * copy.copy(p).w + copy.deepcopy(p).w  # noqa: B009
        c = f.__closure__[f.__code__.co_freevars.index("p")].cell_contents.w * x[0]
        return a + b * x[1] + c
    def before(k):
        p.w = k + 1.0
    return Scene(f, before=before)


class Mode(enum.Enum):
    SUM = 1
    DOT = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


@program()
def enums():
    config = types.SimpleNamespace(mode=Mode.SUM, level=Level.LOW)
    def f(x):
        y = np.sum(x) if config.mode is Mode.SUM else x @ x
        return y * config.level + x[0] * Mode.DOT.value * (config.level > Level.LOW)
    def before(k):
        config.mode = Mode.DOT if k % 2 else Mode.SUM
        config.level = Level.HIGH if k == 2 else Level.LOW
    return Scene(f, lambda: config, before)


@program()
def computed_property_of_outside():
    class Schedule:
        def __init__(self): self.t, self.reads = 0, 0
        @property
        def rate(self):
            self.reads += 1
            return 1.0 / (1.0 + self.t)
    s = Schedule()
    def f(x):
        s.t += 1
        return np.sum(x * x) * s.rate + s.rate * x[0]
    return Scene(f, lambda: vars(s))


@program()
def deep_paths():
    model = types.SimpleNamespace(layers=[{"w": np.eye(3), "act": np.tanh}, {"w": np.ones((3, 3))}])
    def f(x):
        for layer in model.layers:
            x = layer["w"] @ x
            x = layer["act"](x) if "act" in layer else x
        return np.sum(x**2)
    def before(k):
        model.layers[0]["w"][0, k % 3] = 0.5
        model.layers[1]["w"] = model.layers[1]["w"] * 0.9
        if k == 1: model.layers[1]["act"] = np.sin
        if k == 2: del model.layers[1]["act"]
    return Scene(f, before=before)


@program()
def same_array_by_two_names():
    a = np.ones(3); store = {"a": a}; b = a[:2]
    def f(x):
        a[0] = x[0]
        store["a"][1] = x[1] * 2.0
        return np.sum(a * x) + np.sum(store["a"]) * (2.0 if store["a"] is a else 1.0) + np.sum(b)
    return Scene(f, lambda: (a, store, b))


@program()
def identity_that_changes():
    one, two = A(1, 2, 3), A(1, 2, 3)
    held = [one, two]
    def f(x):
        same = held[0] is held[1]
        held[0][0] = x[0]
        return np.sum(held[1] * x) * (2.0 if same else 1.0)
    def before(k):
        held[1] = one if k % 2 else two
    return Scene(f, lambda: held, before)


@program()
def type_of_a_capture_changes():
    box = [1.0]
    def f(x):
        w = box[0]
        if w is None: return np.sum(x)
        if isinstance(w, str): return x[0] * len(w)
        return np.sum(x * w)
    def before(k):
        box[0] = (2.0, None, "abc", A(1, 2, 3))[k]
    return Scene(f, lambda: box, before)


@program()
def shape_of_a_capture_changes():
    data = {"X": np.ones((2, 3))}
    def f(x):
        r = data["X"] @ x
        return r @ r / len(r)
    def before(k):
        data["X"] = np.arange(3.0 * (k + 1)).reshape(k + 1, 3)
    return Scene(f, before=before)


@program()
def integer_hyperparameters():
    class C: n, start = 1, 0
    def f(x):
        y = x * 1.0
        for i in range(C.start, C.start + C.n): y = y * x + i
        return np.sum(y[C.start:]) + C.n
    def before(k):
        C.n, C.start = k % 3, k // 2
    return Scene(f, before=before)


@program()
def memo_of_the_outside():
    memo = {}
    def square(n):
        if n not in memo: memo[n] = float(n) ** 2
        return memo[n]
    def f(x):
        return x[0] * square(2) + x[1] * square(round(float(x[2] * 2)))
    return Scene(f, lambda: memo)


@program()
def tree_of_outside_dicts():
    tree = {"v": 1.0, "kids": [{"v": 2.0, "kids": []}, {"v": 3.0, "kids": []}]}
    def value(t, x):
        return t["v"] * x[0] + sum(value(k, x) for k in t["kids"]) * x[1]
    def f(x):
        return value(tree, x) + x[2]
    def before(k):
        tree["kids"][1]["v"] = k + 1.0
        tree["kids"].append({"v": 0.5, "kids": []})
    return Scene(f, lambda: tree, before)


@program()
def type_of_and_mappingproxy():
    class W: v = 2.0
    w = W(); frozen = types.MappingProxyType({"k": 3.0})
    def f(x):
        return x[0] * type(w).v + x[1] * frozen["k"] + x[2] * w.__class__.v * sum(frozen.values())
    def before(k):
        W.v = k + 0.5
    return Scene(f, before=before)
