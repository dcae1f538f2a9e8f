"""What a rule computes with while it is written down: values that write every operation.

A `Traced` poses as the array or number it stands for: it has its shape, dtype and layout, NumPy's
protocols, operators, attributes and methods. Everything that tells only shapes and types answers
at once; everything else becomes an operation, unless a look at shapes and types shows that it
would do nothing.

A rule may write into arrays that it has made, also through views. A view finds its way back to
the newest version of what it shows.
"""

import operator

import numpy as np

from hybridad.sct.differentiate.errors import Unsupported
from hybridad.sct.differentiate.shortcuts import COUNTING, OF_NUMBERS, OPERATORS, SHORT, STATIC
from hybridad.trace.ir import HOLE, Method, Step

__all__ = ["Traced", "call", "is_number", "raw_of", "refs_in", "shape_of", "taken_apart"]


class Traced:
    """A value in a rule.

    Parameters
    ----------
    writer : Writer
    ref : Ref
    raw : object
        An example of the value.
    """

    __slots__ = ("_ref", "_seen", "_way", "raw", "writer")

    def __init__(self, writer, ref, raw):
        self.writer = writer
        self._ref = ref
        self.raw = raw
        self._way = None        # of a view: the array it was made of, and the step from there
        self._seen = None       # the version of that array at which `_ref` was made

    # -- identity ----------------------------------------------------------------------------

    @property
    def __class__(self):
        return type(self.raw)

    __hash__ = object.__hash__

    def __repr__(self):
        return f"<{self._ref} {type(self.raw).__name__}{shape_of(self)}>"

    @property
    def ref(self):
        """The id of the newest version."""
        if self._way is not None and self._way[0].ref is not self._seen:
            array, step = self._way
            fresh = self.writer.apply(step.target, _filled(step.args, array), step.kwargs, self.raw)
            self._ref, self._seen = fresh._ref, array.ref
        return self._ref

    def moved(self, version):
        """This is now the version that a write has given."""
        self._ref = version._ref

    def comes_from(self, array, step):
        """Note that this is a view of a Traced array."""
        self._way, self._seen = (array, step), array.ref
        return self

    def write(self, path, target, rest, kwargs=None):
        if self._way is None:
            self.moved(self.writer.write(self, path, target, rest, kwargs))
        else:
            array, step = self._way
            array.write((step, *path), target, rest, kwargs)

    # -- NumPy's protocols -------------------------------------------------------------------

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        writer = self.writer
        if method == "__call__" and "out" not in kwargs:
            return call(writer, ufunc, inputs, kwargs)
        if method == "at":
            array, index, *values = inputs
            array.write((), ufunc.at, (index, *values))
            return None
        if "out" in kwargs:
            raise Unsupported("a rule uses out=", writer.place)
        return writer.apply(getattr(ufunc, method), inputs, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        return call(self.writer, function, args, kwargs)

    def __array__(self, *args, **kwargs):
        raise Unsupported("a rule makes a plain array of a value", self.writer.place)

    # -- Python ------------------------------------------------------------------------------

    def __bool__(self):
        raise Unsupported("a rule decides by a value", self.writer.place)

    __float__ = __int__ = __index__ = __complex__ = __bool__

    def __len__(self):
        return len(self.raw)

    def __iter__(self):
        return iter([self[k] for k in range(len(self.raw))])

    def __getitem__(self, index):
        return call(self.writer, operator.getitem, (self._of_numpy(), index), {})

    def _of_numpy(self):
        """A number of Python's as one of NumPy's: a rule may have that in mind."""
        if type(self.raw) not in (float, complex):
            return self
        return call(self.writer, np.result_type(type(self.raw)).type, (self,), {})

    def __setitem__(self, index, value):
        if type(value) is Traced and value._way is not None and value._way[0] is self:
            return  # what ``z[i] += v`` does in the end; the view has been written through
        self.write((), operator.setitem, (index, value))

    def __iadd__(self, other):
        return self._changed(operator.iadd, operator.add, other)

    def __isub__(self, other):
        return self._changed(operator.isub, operator.sub, other)

    def __imul__(self, other):
        return self._changed(operator.imul, operator.mul, other)

    def __itruediv__(self, other):
        return self._changed(operator.itruediv, operator.truediv, other)

    def _changed(self, in_place, plainly, other):
        if not isinstance(self.raw, np.ndarray):
            return call(self.writer, plainly, (self, other), {})
        self.write((), in_place, (other,))
        return self

    def __getattr__(self, name):
        raw = self.raw
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _FACTS:
            return getattr(raw if hasattr(raw, name) else np.asarray(raw), name)
        if name in _ATTRIBUTES:
            return call(self.writer, Method(name), (self,), {})
        if not hasattr(raw, name):
            if type(raw) in (int, float, complex) and name == "astype":
                return lambda dtype, **kwargs: self.writer.apply(np.dtype(dtype).type, (self,))
            if type(raw) in (float, complex):
                return getattr(self._of_numpy(), name)
            raise AttributeError(name)
        return lambda *args, **kwargs: call(self.writer, Method(name), (self, *args), kwargs)


def _binary(function):
    def forward(self, other):
        return call(self.writer, function, (self, other), {})

    def backward(self, other):
        return call(self.writer, function, (other, self), {})

    return forward, backward


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or",
              "xor"):
    _function = getattr(operator, f"__{_name}__")
    _forward, _backward = _binary(_function)
    setattr(Traced, f"__{_name}__", _forward)
    setattr(Traced, f"__r{_name}__", _backward)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Traced, f"__{_name}__", _binary(getattr(operator, _name))[0])
for _name in ("neg", "pos", "abs", "invert"):
    setattr(Traced, f"__{_name}__",
            lambda self, _function=getattr(operator, _name): call(
                self.writer, _function, (self,), {}))

_FACTS = {"shape", "ndim", "dtype", "size", "strides", "flags", "itemsize", "nbytes"}
_ATTRIBUTES = {"T", "mT", "real", "imag"}


# -- taking values apart -----------------------------------------------------------------------


def raw_of(x):
    """`x` with examples in place of Traced values."""
    kind = type(x)
    if kind is Traced:
        return x.raw
    if kind is tuple or kind is list:
        return kind([raw_of(item) for item in x])
    if kind is dict:
        return {key: raw_of(item) for key, item in x.items()}
    if kind is slice:
        return slice(raw_of(x.start), raw_of(x.stop), raw_of(x.step))
    return x


def refs_in(x):
    """`x` with `Ref` in place of Traced values."""
    kind = type(x)
    if kind is Traced:
        return x.ref
    if kind is tuple or kind is list:
        return kind([refs_in(item) for item in x])
    if kind is dict:
        return {key: refs_in(item) for key, item in x.items()}
    if kind is slice:
        return slice(refs_in(x.start), refs_in(x.stop), refs_in(x.step))
    if kind is Step:
        return Step(x.target, refs_in(x.args), refs_in(x.kwargs))
    return x


def taken_apart(writer, ref, example):
    """The items of a tuple that an operation gave, each by an operation of its own when used."""
    return tuple([writer.apply(operator.getitem, (Traced(writer, ref, example), k))
                  for k in range(len(example))])


def _has_traced(x):
    kind = type(x)
    if kind is Traced:
        return True
    if kind is tuple or kind is list:
        return any(map(_has_traced, x))
    if kind is dict:
        return any(map(_has_traced, x.values()))
    if kind is slice:
        return _has_traced((x.start, x.stop, x.step))
    return False


def _filled(args, array):
    return tuple([array if x is HOLE else x for x in args])


def shape_of(x):
    """The shape of a Traced or plain value."""
    raw = x.raw if type(x) is Traced else x
    return raw.shape if hasattr(raw, "shape") else np.shape(raw)


def is_number(x):
    """Whether a Traced or plain value is one of Python's numbers."""
    return type(x.raw if type(x) is Traced else x) in (float, int, complex, bool)


# -- calls -------------------------------------------------------------------------------------


def call(writer, function, args, kwargs):
    """Write a call, or give its result if a look at shapes and types tells it.

    Parameters
    ----------
    writer : Writer
    function : callable or Method
    args : tuple
    kwargs : dict
    """
    if not (_has_traced(args) or (kwargs and _has_traced(kwargs))):
        return function(*args, **kwargs)
    if function in STATIC:
        return function(*raw_of(args), **raw_of(kwargs))
    short = SHORT.get(function.name if type(function) is Method else function)
    if short is not None:
        found = short(*args, **kwargs)
        if found is not NotImplemented:
            return found
    if function is np.where and len(args) == 3:
        guarded = writer.without_guard(*args)
        if guarded is not NotImplemented:
            return guarded
        if not any(map(shape_of, args)) and not any(
                isinstance(raw_of(x), np.ndarray) for x in args):
            return writer.choose(*args)
    if not kwargs:
        function = OPERATORS.get(function, function)
        if function in OF_NUMBERS and all(map(is_number, args)):
            found = _of_numbers(writer, function, args)
            if found is not NotImplemented:
                return found
        if function is operator.mul:
            args = writer.with_one_factor(*args)
    result = writer.apply(function, args, kwargs)
    if type(result) is not Traced:
        return result
    if type(result.raw) is np.ndarray:
        if _shape_depends_on_values(function, args):
            flags = result.raw.flags
            layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
            writer.check("array", result, (result.raw.dtype.str, result.raw.shape, layout))
        for k, x in enumerate(args):
            if type(x) is Traced and type(x.raw) is np.ndarray and writer.shares(x, result):
                rest = tuple([HOLE if j == k else refs_in(y) for j, y in enumerate(args)])
                return result.comes_from(x, Step(function, rest, refs_in(kwargs)))
    return result


def _of_numbers(writer, function, args):
    """A function of NumPy on Python's numbers: that of `math` is ten times faster."""
    target = OF_NUMBERS[function]
    try:
        example = target(*raw_of(args))
    except (TypeError, ValueError, ArithmeticError):    # TypeError: of complex numbers
        return NotImplemented
    return writer.apply(target, args, None, example)


def _shape_depends_on_values(function, args):
    if function in COUNTING:
        return True
    if function is not operator.getitem:
        return False
    parts = args[1] if type(args[1]) is tuple else (args[1],)
    return any(type(p) is Traced and getattr(p.raw, "dtype", None) == np.bool_ for p in parts)
