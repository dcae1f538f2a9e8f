"""Operators and comparisons of a `TraceSite`."""

import operator

import numpy as np

from hybridad.recording.runtime import objects
from hybridad.recording.runtime.specials import users
from hybridad.recording.tracing.active import here
from hybridad.recording.tracing.encoding import arrays_in, encode, has_known
from hybridad.recording.tracing.values import Dynamic, Text, bare

__all__ = ["Operations", "is_users"]

_BUILTIN = (int, float, complex, bool, str, bytes, list, tuple, dict, set, frozenset, range, slice,
            type(None), np.ndarray, Dynamic, Text)

_ASKED = {"lt": ("lt", "gt"), "gt": ("gt", "lt"), "le": ("le", "ge"), "ge": ("ge", "le"),
          "eq": ("eq",), "ne": ("ne", "eq")}


def is_users(x):
    """Whether the class of `x` may have special methods that the user wrote."""
    kind = type(x)
    return kind not in _BUILTIN and not issubclass(kind, np.generic)


class Operations:
    """What sites do for operators."""

    __slots__ = ()

    def _binary(self, function, name, a, b):
        run = here()
        if run is None:
            return function(a, b)
        if is_users(a) or is_users(b):
            if users(a, f"__{name}__") is None and users(b, f"__r{name}__") is None:
                return run.asked(self, function, (a, b))
            return objects.binary(self, run, name, a, b)
        recorder = run.recorder
        if type(a) in (list, tuple, dict, set, str) or type(b) in (list, tuple, dict, set, str):
            return run.containers.binary(self, function, a, b)
        if not (recorder.is_known(a) or recorder.is_known(b)):
            return recorder.surely(lambda: function(a, b))
        args = encode(recorder, a), encode(recorder, b)
        return recorder.compute(self, function, args, {}, lambda: function(bare(a), bare(b)),
                                arrays_in((a, b)))

    def add(self, a, b): return self._binary(operator.add, "add", a, b)
    def sub(self, a, b): return self._binary(operator.sub, "sub", a, b)
    def mul(self, a, b): return self._binary(operator.mul, "mul", a, b)
    def truediv(self, a, b): return self._binary(operator.truediv, "truediv", a, b)
    def floordiv(self, a, b): return self._binary(operator.floordiv, "floordiv", a, b)
    def pow(self, a, b): return self._binary(operator.pow, "pow", a, b)
    def matmul(self, a, b): return self._binary(operator.matmul, "matmul", a, b)
    def lshift(self, a, b): return self._binary(operator.lshift, "lshift", a, b)
    def rshift(self, a, b): return self._binary(operator.rshift, "rshift", a, b)
    def and_(self, a, b): return self._binary(operator.and_, "and", a, b)
    def or_(self, a, b): return self._binary(operator.or_, "or", a, b)
    def xor(self, a, b): return self._binary(operator.xor, "xor", a, b)

    def mod(self, a, b):
        """``a % b``"""
        run = here()
        if run is not None and type(a) in (str, bytes, Text):
            return run.text(self, operator.mod, (a, b), {})
        return self._binary(operator.mod, "mod", a, b)

    def _inplace(self, function, name, a, b):
        run = here()
        if run is None:
            return function(a, b)
        if type(a) is np.ndarray and not is_users(b):
            recorder = run.recorder
            if not run.recorder.is_known(a):
                recorder.refuse("an array of unknown origin was written to", self)
            if type(b) in (list, tuple):
                b = self.call(np.array, b)
            value = encode(recorder, b)
            run.before_write(self, a)
            try:
                result = function(a, bare(b))
            except FloatingPointError:      # NumPy has written into the array by then
                recorder.refuse("a floating-point error in an assignment in place", self)
            recorder.written(self, a, function, (value,))
            return result
        if is_users(a) or is_users(b):
            return objects.inplace(self, run, name, a, b)
        if type(a) in (list, dict, set, bytearray):
            return run.containers.inplace(self, function, name, a, b)
        plain = getattr(operator, name + "_" if name in ("and", "or") else name)
        return self._binary(plain, name, a, b)

    def iadd(self, a, b): return self._inplace(operator.iadd, "add", a, b)
    def isub(self, a, b): return self._inplace(operator.isub, "sub", a, b)
    def imul(self, a, b): return self._inplace(operator.imul, "mul", a, b)
    def itruediv(self, a, b): return self._inplace(operator.itruediv, "truediv", a, b)
    def ifloordiv(self, a, b): return self._inplace(operator.ifloordiv, "floordiv", a, b)
    def imod(self, a, b): return self._inplace(operator.imod, "mod", a, b)
    def ipow(self, a, b): return self._inplace(operator.ipow, "pow", a, b)
    def imatmul(self, a, b): return self._inplace(operator.imatmul, "matmul", a, b)
    def ilshift(self, a, b): return self._inplace(operator.ilshift, "lshift", a, b)
    def irshift(self, a, b): return self._inplace(operator.irshift, "rshift", a, b)
    def iand(self, a, b): return self._inplace(operator.iand, "and", a, b)
    def ior(self, a, b): return self._inplace(operator.ior, "or", a, b)
    def ixor(self, a, b): return self._inplace(operator.ixor, "xor", a, b)

    def _unary(self, function, name, x):
        run = here()
        if run is None:
            return function(x)
        if is_users(x):
            if users(x, f"__{name}__") is None:
                return run.asked(self, function, (x,))
            return objects.unary(self, run, name, x)
        if not run.recorder.is_known(x):
            return function(x)
        return run.recorder.compute(self, function, (run.recorder.ref(x),), {},
                                    lambda: function(x), arrays_in(x))

    def neg(self, x): return self._unary(operator.neg, "neg", x)
    def pos(self, x): return self._unary(operator.pos, "pos", x)
    def invert(self, x): return self._unary(operator.invert, "invert", x)

    def _compare(self, function, name, a, b):
        run = here()
        if run is None:
            return function(a, b)
        recorder = run.recorder
        if is_users(a) or is_users(b):
            if not any(users(x, f"__{asked}__") for x in (a, b) for asked in _ASKED[name]):
                return self._compare_natively(run, function, name, a, b)
            return objects.compare(self, run, name, a, b)
        if type(a) in (list, tuple, dict, set) and type(b) is type(a):
            return run.containers.compare(self, function, name, a, b)
        if type(a) is Text or type(b) is Text:
            a, b = run.settled(self, a), run.settled(self, b)
        if not (has_known(recorder, a) or has_known(recorder, b)):
            return function(a, b)
        args = encode(recorder, a), encode(recorder, b)
        return recorder.compute(self, function, args, {}, lambda: function(bare(a), bare(b)),
                                arrays_in((a, b)))

    def _compare_natively(self, run, function, name, a, b):
        if name in ("eq", "ne") and all(type(x).__eq__ is object.__eq__ for x in (a, b)):
            return self.is_(a, b) is (name == "eq")
        return run.asked(self, function, (a, b))

    def lt(self, a, b): return self._compare(operator.lt, "lt", a, b)
    def le(self, a, b): return self._compare(operator.le, "le", a, b)
    def gt(self, a, b): return self._compare(operator.gt, "gt", a, b)
    def ge(self, a, b): return self._compare(operator.ge, "ge", a, b)
    def eq(self, a, b): return self._compare(operator.eq, "eq", a, b)
    def ne(self, a, b): return self._compare(operator.ne, "ne", a, b)
