"""Methods and attributes of arrays, of NumPy's scalars and of Python's numbers, on wrappers."""

import ast
import copy

import numpy as np
import pytest
from hybridad._record import active, raw_of

import hybridad
from hybridad.errors import HybridadError, LostDerivativeError, UnsupportedError
from hybridad.recording.methods import METHODS, REFUSED
from tests.recording.agreement import POINT, agrees, agrees_at, compiled
from tests.recording.runtime.whole import agrees as agrees_whole
from tests.recording.unfound import unfound

ARRAYS = """
x.sum()
x.sum(0)
r.sum(axis=1, keepdims=True)
r.sum(axis=(0, 1))
x.sum(dtype=np.float32)
h.sum()
h.sum(dtype=np.float64)
x.sum(initial=2.0)
x.sum(where=b)
m.sum(axis=0, out=x)
m.sum(0, None, x)
r.mean(1)
h.mean()
h.mean(dtype=np.float64)
m.mean(axis=0, out=x)
v.std()
v.std(ddof=1)
h.std()
r.var(0)
r.var(axis=1, ddof=1, keepdims=True)
h.var(dtype=np.float64)
r.prod()
r.prod(axis=1)
v.max()
r.max(axis=1)
m.max(0, x)
v.max(initial=0.0)
r.min(0)
r.min(1, keepdims=True)
r.cumsum()
r.cumsum(axis=1)
h.cumsum(dtype=np.float64)
r.cumprod(0)
x.cumprod(out=y)
x.dot(y)
m.dot(x)
r.dot(m)
x.dot([1.0, 2.0, 3.0])
x.dot(2.0)
m.dot(x, y)
m.trace()
m.trace(offset=1)
m.diagonal()
m.diagonal(1)
m.ravel()
m.ravel("F")
m.T.ravel()
m.flat[1]
m.flat[::2]
m.flatten()
m.flatten("F")
m.T.flatten(order="K")
r.reshape(3, 2)
r.reshape((3, 2))
r.reshape(-1)
r.reshape([3, 2])
r.reshape((3, -1), order="F")
r.reshape(np.int64(3), 2)
r.transpose()
c.transpose(2, 0, 1)
c.transpose((2, 0, 1))
c.transpose([2, 0, 1])
c.transpose(None)
c.transpose(np.int64(2), 0, 1)
c.swapaxes(0, 2)
r.T
c.mT
x[None].squeeze()
x[None].squeeze(axis=0)
x.repeat(2)
r.repeat([1, 2], axis=0)
x.take([0, 2])
r.take(1, axis=1)
m.take([0, 1], axis=1, mode="clip")
m.take([0, 1, 2], 1, m)
x.compress([True, False, True])
m.compress([True, False, True], axis=1)
m.compress([False, True], axis=0)
v.clip(0.0, 1.0)
v.clip(min=0.0)
v.clip(max=s)
v.clip(0.0, a, v)
x.clip(min=0.3, out=y)
x.copy()
m.T.copy()
m.T.copy("F")
m.T.copy(order="K")
x.__copy__()
x.__deepcopy__({})
x.astype(np.float32)
x.astype("complex128")
h.astype(np.float64)
h.astype(float)
z.astype(np.complex64)
x.astype(float)
x.astype(float, copy=False)
x.astype(np.int64)
x.astype(bool)
x.astype(str)
m.T.astype(np.float32, order="C")
x.astype(np.float32, casting="same_kind")
x.item(1)
x.item(-1)
m.item(1, 2)
m.item((1, 2))
m.item(5)
o.item()
h.item(0)
z.item(0)
x.tolist()
m.tolist()
o.tolist()
z.tolist()
c.tolist()
z.conj()
z.conjugate()
x.conj()
z.real
z.imag
x.real
x.imag
x.view()
x.view(np.float64)
x.view("f8")
x.view(np.ndarray)
v.view(complex)
z.view(float)
z.view(float)[1::2] * x
v.all()
(v > 0).any()
v.any(axis=0)
v.argmax()
r.argmax(axis=1)
r.argmin(axis=0, keepdims=True)
v.argsort()
v.argsort(kind="stable")
v.argpartition(2)
v.nonzero()
np.sort(v).searchsorted(0.4)
y.round(1)
y.round()
y.round(decimals=1, out=x)
v.fill(s)
v.fill(2.0)
v.fill(a)
v.sort()
r.sort(axis=0)
r.sort(kind="stable")
v.partition(3)
r.partition(1, axis=1)
x.put([0, 2], [s, 1.0])
x.put(1, s)
x.put([5], s, mode="wrap")
x.shape
x.ndim
x.size
x.dtype
x.itemsize
x.nbytes
m.T.strides
x.flags.c_contiguous
m.T.flags.f_contiguous
x.flags.writeable
x.base is None
x[1:].base is None
x.base
x[1:].base * 2.0
x.device
x.setflags(write=False)
x.__len__()
x.__add__(y)
x.__radd__(1.0)
x.__sub__(y)
x.__rsub__(y)
x.__mul__(s)
x.__rmul__(s)
x.__truediv__(y)
x.__rtruediv__(y)
x.__floordiv__(y)
x.__rfloordiv__(2.35)
x.__mod__(y)
x.__rmod__(2.35)
x.__divmod__(y)
x.__rdivmod__(2.35)
x.__matmul__(y)
x.__rmatmul__(m)
x.__pow__(2)
x.__rpow__(2)
x.__neg__()
x.__pos__()
x.__abs__()
x.__lt__(y)
x.__le__(y)
x.__gt__(y)
x.__ge__(y)
x.__eq__(y)
x.__ne__(y)
o.__bool__()
x.__getitem__(1)
x.__setitem__(1, s)
x.__contains__(0.2)
x.__iadd__(y)
x.__isub__(y)
x.__imul__(y)
x.__itruediv__(y)
x.__ifloordiv__(y)
x.__imod__(y)
x.__ipow__(2)
m.__imatmul__(m)
x.__repr__()
x.__str__()
o.__format__(".2f")
x.__iter__().__next__()
x.__array_priority__
x.__array_namespace__()
x.__class__
""".split("\n")[1:-1]

SCALARS = """
a.T
a.ravel()
a.reshape(1)
a.reshape(1, 1)
a.flatten()
a.squeeze()
a.transpose()
a.copy()
a.__copy__()
a.__deepcopy__({})
a.astype(np.float32)
a.astype(int)
a.sum()
a.mean()
a.max()
a.min()
a.prod()
a.std()
a.var()
a.cumsum()
a.cumprod()
a.clip(0.0, 1.0)
a.clip(0.0, s)
a.repeat(2)
a.take(0)
a.compress([True])
a.all()
a.any()
a.argmax()
a.argmin()
a.argsort()
a.round(1)
a.round()
a.shape
a.ndim
a.size
a.dtype
a.itemsize
a.nbytes
a.strides
a.base is None
a.flags.writeable
a.view()
a.conj()
a.conjugate()
a.real
a.imag
a.item()
a.item() * s
a.tolist()
a.is_integer()
a.device
a.__class__
a.__array_priority__
a.__array_namespace__()
a[()]
a[...]
a[None]
e.sum()
e.item()
e.imag
e.astype(np.float64)
e.reshape(-1)
o.sum()
o[()]
o[...]
o.reshape(1)
o.item() * 2
o.fill(s)
o.ravel()
o.T
s.real
s.imag
s.conjugate()
s.is_integer()
s.__class__
s.__add__(1.0)
s.__radd__(1)
s.__mul__(2.0)
s.__abs__()
s.__neg__()
s.__pow__(2)
s.__eq__(0.6)
s.__bool__()
s.__repr__()
s.__format__(".3f")
s.__round__(1)
w.real
w.imag
w.conjugate()
w.real * w.imag
w.__add__(1)
w.__abs__()
z[0].real
z[0].conj()
z[0].item()
""".split("\n")[1:-1]


@pytest.mark.parametrize("expression", ARRAYS + SCALARS)
def test_followed(expression):
    agrees(expression)


# The walk over all names of arrays and numbers

KINDS = {np.ndarray: "m", np.float64: "a", np.float32: "e", np.complex128: "z", float: "s",
         complex: "w"}

LOST = {"__array__", "__array_interface__", "__array_struct__", "__dlpack__", "__dlpack_device__",
        "__reduce_ex__", "__reduce__", "__float__", "__int__", "__complex__", "__index__",
        "__hash__", "__trunc__", "__floor__", "__ceil__"}
"""What would hand out plain data: refused when it is called (or read), see test_refusals."""

OF_OBJECT = set(dir(object)) - {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__",
                                "__class__", "__repr__", "__str__", "__format__",
                                "__hash__", "__reduce__", "__reduce_ex__"}
"""What every object has and no number gives a meaning of its own."""

NOT_OF_FLOATS = {
    "bits of integers": """__and__ __rand__ __iand__ __or__ __ror__ __ior__ __xor__ __rxor__
        __ixor__ __lshift__ __rlshift__ __ilshift__ __rshift__ __rrshift__ __irshift__ __invert__
        bit_count""",
    "making types": """__class_getitem__ __new__ from_number fromhex __getformat__ __buffer__
        __release_buffer__ __array_finalize__ __array_wrap__ __getnewargs__ __setstate__""",
    "the protocols themselves": "__array_ufunc__ __array_function__",
    "elements, refused by NumPy itself": "__delitem__",
}
"""Names that have no meaning for floating values, by what they are about."""


def _tested():
    """The attributes that the expressions above read."""
    for expression in ARRAYS + SCALARS:
        for node in ast.walk(ast.parse(expression)):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) != "np":
                yield node.attr


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_name_is_tested_refused_or_of_no_floats(kind):
    """What is tested for one kind need not be for another: they share the code."""
    known = set(_tested()) | set(REFUSED) | LOST | OF_OBJECT
    known |= {name for names in NOT_OF_FLOATS.values() for name in names.split()}
    assert sorted(set(dir(kind)) - known) == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_wrapper_has_the_names_of_its_value_and_no_others(kind):
    value = POINT[KINDS[kind]]
    value = value[0] if kind is np.complex128 else value
    answers = {}

    def f(x):
        answers["dir"] = dir(x)
        for name in [*dir(kind), "nonsense", "raw", "tape", "node", "shape_", "append"]:
            try:
                getattr(x, name)
            except Exception as error:
                answers[name] = error
        return x * 1.0

    hybridad.vjp(f, value)
    assert answers.pop("dir") == dir(value)
    for name in ("nonsense", "raw", "tape", "node", "shape_", "append"):
        error = answers.pop(name)
        assert type(error) is AttributeError
        assert name in str(error)
    for name, error in answers.items():
        assert isinstance(error, (HybridadError, np.exceptions.AxisError)), (name, error)
        if isinstance(error, UnsupportedError):
            assert name in REFUSED or name in OF_OBJECT or any(
                name in names.split() for names in NOT_OF_FLOATS.values()), name


@pytest.mark.parametrize("name", sorted(set(REFUSED) & set(dir(np.ndarray)) - {"__setstate__"}))
def test_refused_with_a_remedy(name):
    def f(x):
        return getattr(x, name)

    with pytest.raises(UnsupportedError) as caught:
        hybridad.vjp(f, np.array([1.0, 2.0]))
    what, where, remedy = str(caught.value).splitlines()
    assert what == f"ndarray.{name} cannot be followed on a differentiated value."
    assert where.endswith("return getattr(x, name)")
    assert remedy == REFUSED[name]


@pytest.mark.parametrize("name", sorted(set(REFUSED) & set(dir(float))))
def test_refused_on_numbers(name):
    with pytest.raises(UnsupportedError, match=name):
        hybridad.vjp(lambda x: getattr(x, name)(), 0.5)


def test_no_entry_without_a_name():
    """Every entry is a name of some array or number of some version of NumPy or Python."""
    known = {name for kind in (*KINDS, type) for name in dir(kind)}
    versions = {"device", "to_device", "mT", "__array_namespace__", "__buffer__", "tostring",
                "newbyteorder", "as_integer_ratio", "_set_dtype", "_set_shape"}
    assert set(METHODS) <= known | versions


@pytest.mark.parametrize("expression", [
    "x.astype(object)", "x.view(np.int64)", "x.view('f4')", "x.view(np.uint8)", "m.view('f4')",
    "h.view('i4')", "x.view(np.recarray)", "x.view(np.matrix)", "x.view(np.float64, np.matrix)",
    "a.view(np.int64)",
])
def test_reinterpreted_memory_is_refused(expression):
    f, args = compiled(expression)
    with pytest.raises(UnsupportedError, match="cannot be followed"):
        hybridad.vjp(f, *args)


@pytest.mark.parametrize(("expression", "error"), [
    ("x.reshape(2, 2)", ValueError),
    ("x.reshape(2)", ValueError),
    ("x.transpose(0, 1)", ValueError),
    ("x.sum(axis=1)", ValueError),
    ("x.sum(nonsense=1)", TypeError),
    ("x.item()", ValueError),
    ("x.item(3)", IndexError),
    ("x.item(-4)", IndexError),
    ("m.item(0, 3)", IndexError),
    ("x.mT", ValueError),
    ("m.squeeze(0)", ValueError),
    ("x.astype('nonsense')", TypeError),
    ("x.astype(np.int64, casting='safe')", TypeError),
    ("x.take(3)", IndexError),
    ("x.put([3], s)", IndexError),
    ("x.partition(3)", ValueError),
    ("x.sort(axis=1)", ValueError),
    ("x.clip()", Exception),
    ("x.dot(y[:2])", ValueError),
    ("x.fill(z)", Exception),
    ("m.diagonal(0, 0, 0)", ValueError),
    ("x.__bool__()", ValueError),
    ("o.__len__()", TypeError),
    ("s.sum()", AttributeError),
    ("a.append(1)", AttributeError),
    ("x.flatten(order='no')", ValueError),
    ("x.copy(order='no')", ValueError),
])
def test_errors_are_those_of_plain_numpy(expression, error):
    f, args = compiled(expression)
    copies = [np.copy(x) if isinstance(x, np.ndarray) else x for x in args]
    try:
        f(*copies)
    except error as raised:
        expected = raised
    else:
        pytest.skip("this NumPy takes it")
    with pytest.raises(error) as found:
        hybridad.vjp(f, *args)
    assert not isinstance(found.value, HybridadError)
    assert issubclass(type(found.value), type(expected)) or issubclass(
        type(expected), type(found.value))


# Aliasing and copies


@pytest.mark.parametrize("take", [
    lambda x: x.T, lambda x: x.ravel(), lambda x: x.reshape(-1), lambda x: x.transpose(1, 0),
    lambda x: x.swapaxes(0, 1), lambda x: x.view(), lambda x: x[...], lambda x: x.squeeze(),
    lambda x: x.diagonal(), lambda x: x.real, lambda x: x.mT, lambda x: x.conj(),
    lambda x: x.astype(float, copy=False), lambda x: x.view(np.float64), lambda x: x[1:].base,
], ids=["T", "ravel", "reshape", "transpose", "swapaxes", "view", "ellipsis", "squeeze",
        "diagonal", "real", "mT", "conj", "astype", "view-dtype", "base"])
def test_views_see_writes(take):
    def f(x, y):
        x = x * 1.0
        view = take(x)
        x[0, 0] = y[0]
        x *= y[1]
        return view * 1.0, x

    agrees_at(f, (np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.7, 1.3])))


@pytest.mark.parametrize("take", [
    lambda x: x.T, lambda x: x.ravel(), lambda x: x.reshape(-1), lambda x: x.view(),
    lambda x: x.squeeze(), lambda x: x.real, lambda x: x[1:].base,
], ids=["T", "ravel", "reshape", "view", "squeeze", "real", "base"])
def test_writes_through_views_are_seen(take):
    def f(x, y):
        x = x * 1.0
        view = take(x)
        view[0] = y[0]
        view += view * view
        return view * 1.0, x

    agrees_at(f, (np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.7, 1.3])))


@pytest.mark.parametrize("take", [
    lambda x: x.copy(), lambda x: x.flatten(), lambda x: x.astype(float), lambda x: x.T.ravel(),
    lambda x: x.__copy__(), lambda x: copy.deepcopy(x), lambda x: copy.copy(x),
    lambda x: copy.deepcopy({"x": x})["x"], lambda x: +x, lambda x: x.repeat(1),
    lambda x: x.take([0, 1]), lambda x: x.clip(-9.0, 9.0),
], ids=["copy", "flatten", "astype", "T-ravel", "__copy__", "deepcopy", "copy.copy",
        "deepcopy-dict", "plus", "repeat", "take", "clip"])
def test_copies_do_not(take):
    def f(x, y):
        x = x * 1.0
        other = take(x)
        x *= y[0]
        other *= y[1]
        return other, x

    agrees_at(f, (np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.7, 1.3])))


@pytest.mark.parametrize("number", [0.6, 0.8 - 0.3j, np.float64(1.4), np.float32(1.5)],
                         ids=lambda x: type(x).__name__)
def test_copies_of_numbers(number):
    agrees_at(lambda s: copy.copy(s) * copy.deepcopy(s), (number,))
    agrees_at(lambda s: copy.deepcopy([s, {"s": s}])[1]["s"] * s, (number,))


def test_view_of_complex_memory_as_real_numbers_and_back():
    def f(z):
        z = z * 1.0
        parts = z.view(float)
        parts[1] = parts[0] * 2.0
        again = parts.view(complex)
        again[1] *= z[0]
        return z * z, parts

    agrees_at(f, (np.array([0.4 + 0.7j, -1.1 + 0.2j]),), order=2)


def test_lists_hold_numbers_that_are_followed():
    def f(x):
        (a, b), (c, d) = x.tolist()
        assert type(raw_of(a)) is float
        return a * b + c ** d + x.item(0) * x.ravel().item(-1)

    agrees_at(f, (np.array([[0.5, 0.7], [1.2, 2.0]]),))


def test_sort_in_place_through_a_view():
    def f(x, y):
        z = x * y
        w = np.exp(z)
        z[::2].sort()
        z[1:].partition(2)
        return z * w

    agrees_at(f, (np.array([0.9, 0.1, 0.5, -0.3, 0.2]), np.array([1.0, 0.8, 1.3, 0.7, 0.9])),
              order=2)


def test_setflags_makes_read_only():
    def f(x):
        x.setflags(write=False)
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 1.0
        with pytest.raises(ValueError, match="read-only"):
            x += 1.0
        x.setflags(write=True)
        x[0] = 3.0
        return x * x

    agrees_at(f, (np.array([0.5, 0.7]),))


@pytest.mark.parametrize(("assign", "args"), [
    (lambda z, x: setattr(z, "real", x), (np.array([1j, 2.0]), np.array([0.5, 0.7]))),
    (lambda z, x: setattr(z, "imag", x), (np.array([1j, 2.0]), np.array([0.5, 0.7]))),
    (lambda z, x: setattr(z, "flat", x), (np.array([[1.0, 2.0]]), np.array([0.5, 0.7]))),
    (lambda z, x: setattr(z, "shape", (2, 1)), (np.array([1.0, 2.0]), np.array([0.5, 0.7]))),
    (lambda z, x: setattr(z, "dtype", np.int64), (np.array([1.0, 2.0]), np.array([0.5, 0.7]))),
], ids=["real", "imag", "flat", "shape", "dtype"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_assigned_attributes_are_followed_or_refused(assign, args):
    def f(*args):
        assign(*args)

    try:
        hybridad.vjp(lambda *args: f(*args) or args[0] * 1.0, *args)
    except (HybridadError, ResourceWarning):
        return
    agrees_at(f, args)


def test_inactive_wrappers_answer_with_plain_values():
    def f(x):
        zeros = np.zeros_like(x)
        assert not active(zeros)
        assert type(zeros.item(0)) is float
        assert zeros.tolist() == [0.0, 0.0]
        assert type(zeros.sum()) is np.float64
        assert type(zeros[0]) is np.float64
        assert float(zeros[0]) == 0.0
        assert float(zeros[:1].sum()) == 0.0
        assert int(zeros.max()) == 0
        assert hash(zeros[0]) == hash(0.0)
        assert [float(t) for t in zeros] == [0.0, 0.0]
        return (zeros + x).sum()

    assert hybridad.grad(f)(np.array([1.0, 2.0])).tolist() == [1.0, 1.0]


def test_active_item_is_no_plain_number():
    def f(x):
        return float(x.item(0)) ** 2

    with pytest.raises(LostDerivativeError):
        hybridad.grad(unfound(f))(np.array([1.5]))
    assert hybridad.grad(f)(np.array([1.5])).tolist() == [3.0]


def test_what_only_classes_have():
    def f(x):
        y = x[0].item()
        seen = [hasattr(v, name) for v in (y, x[0], x) for name in (
            "__dict__", "__bases__", "__name__", "shape", "sum", "is_integer", "nothing")]
        with pytest.raises(TypeError, match="__dict__"):
            vars(y)
        with pytest.raises(TypeError, match="isinstance"):
            isinstance(1, y)
        return y * x[1], (seen, getattr(y, "__qualname__", 3))

    agrees_whole(f)


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")
def test_plain_arrays_give_their_bytes_and_take_a_shape():
    outside = np.arange(4.0)

    def f(x):
        outside.shape = (2, 2)
        texts = outside.tobytes(), outside.dumps()[:2], np.ones(2).tobytes()
        outside[0] = x[0]
        total = np.sum(outside * x[1])
        return total, (texts, outside.shape)

    def again(x):
        outside[...], outside.shape = 2.0, (4,)
        return f(x)

    agrees_whole(again, followed=False)


def test_bits_of_plain_arrays_are_read_only():
    def f(x):
        a = np.arange(1.0, 4.0)
        y = np.sum(a * x)
        with pytest.raises(ValueError, match="read-only"):
            a.view(np.uint8)[7::8] ^= 128
        return y + np.sum(a * x) + (a.view(np.int64)[0] > 0) * x[0]

    assert hybridad.grad(f)(np.ones(3)).tolist() == [3.0, 4.0, 6.0]
