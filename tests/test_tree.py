"""Pytrees: what is a container, what comes back, how leaves are called."""

import subprocess
import sys
import threading
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
import pyrsistent
import pytest

from hybridad.errors import ArgumentError, HybridadError
from hybridad.tree import flatten, is_floating, leaf_paths, register_pytree, unflatten

Pair = namedtuple("Pair", "left right")


class Record(pyrsistent.PRecord):
    x = pyrsistent.field(type=float)
    y = pyrsistent.field(mandatory=False)


class Frozen(pyrsistent.PClass):
    x = pyrsistent.field(type=float)
    y = pyrsistent.field()


@dataclass
class Params:
    w: float
    b: object
    unit: ClassVar[float] = 5.0


def there_and_back(tree):
    leaves, treedef = flatten(tree)
    return unflatten(treedef, leaves)


CONTAINERS = [
    ([1.0, (2.0, [3.0])], ["[0]", "[1][0]", "[1][1][0]"]),
    ({"b": 1.0, "a": {"c": 2.0}}, ["['a']['c']", "['b']"]),
    (Pair(1.0, [2.0]), [".left", ".right[0]"]),
    (OrderedDict(b=1.0, a=2.0), ["['b']", "['a']"]),
    (defaultdict(list, {1: [2.0]}), ["[1][0]"]),
    (deque([1.0, 2.0], maxlen=4), ["[0]", "[1]"]),
    (Params(1.0, [2.0]), [".w", ".b[0]"]),
    (pyrsistent.pmap({"b": 1.0, "a": [2.0]}), ["['a'][0]", "['b']"]),
    (pyrsistent.pmap({"b": 1.0, 3: 2.0}), ["[3]", "['b']"]),
    (pyrsistent.pvector([1.0, {"a": 2.0}]), ["[0]", "[1]['a']"]),
    (pyrsistent.plist([1.0, 2.0]), ["[0]", "[1]"]),
    (pyrsistent.pdeque([1.0, 2.0], maxlen=4), ["[0]", "[1]"]),
    (Record(x=1.0, y=2.0), [".x", ".y"]),
    (Record(x=1.0), [".x"]),
    (Frozen(x=1.0, y=[2.0]), [".x", ".y[0]"]),
]


@pytest.mark.parametrize("tree, paths", CONTAINERS, ids=lambda p: type(p).__name__)
def test_containers(tree, paths):
    leaves, treedef = flatten(tree)
    assert all(is_floating(leaf) for leaf in leaves)
    assert leaf_paths(tree) == paths
    assert leaf_paths(tree, "p") == ["p" + path for path in paths]
    back = unflatten(treedef, leaves)
    assert type(back) is type(tree) and back == tree
    # Anything may be put in, also what the container's own checks would refuse.
    other = flatten(unflatten(treedef, [str(k) for k in range(len(leaves))]))
    assert other == ([str(k) for k in range(len(leaves))], treedef)


def test_properties_of_containers_survive():
    assert list(there_and_back({"b": 1.0, "a": 2.0})) == ["b", "a"]
    assert there_and_back(deque([1.0], maxlen=4)).maxlen == 4
    assert there_and_back(pyrsistent.pdeque([1.0], maxlen=4)).append(2.0).maxlen == 4
    assert there_and_back(defaultdict(list, a=1.0))["new"] == []
    assert there_and_back(Record(x=1.0)).set("x", 2.0) == Record(x=2.0)
    with pytest.raises(AttributeError):
        there_and_back(Frozen(x=1.0, y=2.0)).x = 3.0


@pytest.mark.parametrize(
    "leaf", [1.0, 2, 1j, True, "text", np.float32(1), np.ones(3), np.ma.ones(3), object(), {1.0}]
)
def test_leaves(leaf):
    leaves, treedef = flatten(leaf)
    assert leaves == [leaf] if isinstance(leaf, set) else leaves[0] is leaf
    assert unflatten(treedef, leaves) is leaf
    assert leaf_paths(leaf, "x") == ["x"]
    assert treedef == flatten(object())[1]


def test_none_is_an_empty_container():
    assert flatten(None)[0] == [] and flatten([None, 1.0])[0] == [1.0]
    assert there_and_back([None, 1.0]) == [None, 1.0]
    assert leaf_paths([None, 1.0]) == ["[1]"]


def test_one_leaf_wants_one_leaf():
    with pytest.raises(ValueError):
        unflatten(flatten(1.0)[1], [1.0, 2.0])


def test_is_floating():
    for leaf in (1.0, 1j, np.float16(1), np.longdouble(1), np.ones(2, "F")):
        assert is_floating(leaf)
    for leaf in (1, True, None, "1.0", np.arange(2), np.array([1.0], object), np.int32(1)):
        assert not is_floating(leaf)


# Dataclasses ------------------------------------------------------------------------------------


def test_dataclass_is_rebuilt_without_its_init():
    runs = []

    @dataclass
    class Model:
        w: np.ndarray
        scale: InitVar[float]
        n: float = field(init=False)

        def __post_init__(self, scale):
            runs.append(scale)
            self.n = scale * self.w.size

        def __setattr__(self, name, value):
            runs.append(name)
            super().__setattr__(name, value)

    model = Model(np.ones(2), 3.0)
    del runs[:]
    leaves, treedef = flatten(model)
    assert leaves[0] is model.w and leaves[1] == 6.0 and leaf_paths(model) == [".w", ".n"]
    back = unflatten(treedef, ["w", "n"])
    assert (back.w, back.n) == ("w", "n") and runs == []


@pytest.mark.parametrize("options", [{}, {"frozen": True}, {"slots": True},
                                     {"frozen": True, "slots": True}, {"kw_only": True}])
def test_dataclass_options(options):
    @dataclass(**options)
    class Model:
        w: float
        c: object = None
        unit: ClassVar[float] = 1.0

    tree = {"m": Model(w=1.0, c=Model(w=2.0))}
    assert flatten(tree)[0] == [1.0, 2.0]
    assert leaf_paths(tree) == ["['m'].w", "['m'].c.w"]
    assert there_and_back(tree) == tree


def test_dataclass_fields_that_are_not_set_stay_so():
    @dataclass
    class Model:
        w: float
        later: float = field(init=False)

    back = there_and_back(Model(1.0))
    assert back.w == 1.0 and not hasattr(back, "later")


def test_attributes_that_are_no_fields():
    @dataclass
    class Model:
        w: np.ndarray

        @cached_property
        def norm(self):
            return np.sum(self.w**2)

    model = Model(np.ones(2))
    model.extra, model.lock = [3.0], threading.Lock()
    assert model.norm == 2.0
    assert leaf_paths(model) == [".w", ".extra[0]"]
    back = unflatten(flatten(model)[1], [np.zeros(2), 4.0])
    assert back.extra == [4.0] and back.lock is model.lock
    assert back.norm == 0.0, "the cached value would hide that it depends on w"


def test_static_fields():
    @dataclass
    class Layer:
        w: float
        activation: object = field(metadata={"static": True})

    leaves, treedef = flatten(Layer(1.0, "tanh"))
    assert leaves == [1.0] and unflatten(treedef, [2.0]) == Layer(2.0, "tanh")
    assert treedef == flatten(Layer(5.0, "tanh"))[1]
    assert hash(treedef) == hash(flatten(Layer(5.0, "tanh"))[1])
    assert treedef != flatten(Layer(1.0, "relu"))[1]
    array = np.ones(2)
    assert flatten(Layer(1.0, array))[1] == flatten(Layer(2.0, array))[1]
    assert flatten(Layer(1.0, array))[1] != flatten(Layer(1.0, array.copy()))[1]
    assert "tanh" in repr(treedef)


def test_dataclass_on_a_builtin_is_a_leaf():
    @dataclass
    class Settings(dict):
        w: float = 1.0

    settings = Settings()
    assert flatten([settings])[0][0] is settings


def test_first_sight_in_many_threads():
    @dataclass
    class Model:
        w: float

    results = []
    gate = threading.Barrier(8)

    def work():
        gate.wait()
        results.append(flatten([Model(1.0), Model(2.0)])[0])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[1.0, 2.0]] * 8


# Registration -----------------------------------------------------------------------------------


def test_register_pytree():
    class Line:
        def __init__(self, a, b):
            self.a, self.b = a, b

    line = Line(1.0, 2.0)
    assert flatten(line)[0] == [line]
    assert register_pytree(Line, lambda x: ((x.a, x.b), None), lambda _, c: Line(*c)) is Line
    assert flatten([line])[0] == [1.0, 2.0]
    assert leaf_paths(line, "line") == ["line[0]", "line[1]"]
    with pytest.raises(ValueError):
        register_pytree(Line, lambda x: ((x.a, x.b), None), lambda _, c: Line(*c))


@pytest.mark.parametrize("names", [("tree_flatten", "tree_unflatten"),
                                   ("__tree_flatten__", "__tree_unflatten__")])
def test_register_pytree_as_decorator(names):
    def __init__(self, a, label):
        self.a, self.label = a, label

    def down(self):
        return (self.a,), self.label, ("a",)

    def up(cls, label, children):
        return cls(*children, label)

    Line = register_pytree(
        type("Line", (), {"__init__": __init__, names[0]: down, names[1]: classmethod(up)})
    )
    leaves, treedef = flatten(Line(1.0, "text"))
    assert leaves == [1.0] and leaf_paths(Line([1.0], "t"), "x") == ["x.a[0]"]
    assert unflatten(treedef, [2.0]).a == 2.0 and unflatten(treedef, [2.0]).label == "text"


def test_registering_a_dataclass_replaces_the_automatic_registration():
    @dataclass
    class Model:
        w: float
        b: float

    model = Model(1.0, 2.0)
    assert flatten(model)[0] == [1.0, 2.0]
    register_pytree(Model, lambda m: ((m.w,), m.b), lambda b, children: Model(*children, b))
    assert flatten(model)[0] == [1.0] and there_and_back(model) == model


def test_register_pytree_refuses():
    with pytest.raises(ArgumentError, match="tree_flatten"):
        register_pytree(type("Bare", (), {}))
    with pytest.raises(ArgumentError, match="takes a class"):
        register_pytree(3.0)
    with pytest.raises(ArgumentError, match="unflatten is missing"):
        register_pytree(type("Bare", (), {}), lambda x: ((), None))


def test_pset_of_numbers_is_refused():
    with pytest.raises(ArgumentError, match="A pset holds numbers"):
        flatten({"a": pyrsistent.pset([1.0])})
    assert issubclass(ArgumentError, HybridadError) and issubclass(ArgumentError, TypeError)
    names = pyrsistent.pset(["a"])
    assert flatten([names])[0][0] is names


def test_pyrsistent_is_not_imported():
    code = (
        "import sys, importlib.util as u\n"
        "from hybridad import errors\n"
        "before = 'pyrsistent' in sys.modules\n"
        "from hybridad import tree\n"
        "tree.flatten([1.0, object()])\n"
        "assert before or 'pyrsistent' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
