"""Recording: values on the tape, and the entries of primitives whose result is new memory.

The functions at the end serve the Python rooms, where whatever is not on the hot path happens.
"""

from libc.stdint cimport int64_t

import numpy as np

cimport numpy as cnp
from numpy cimport ndarray

from hybridad import errors
from hybridad._memory cimport copy_as, lies_within, repeats_itself
from hybridad._primitive cimport Primitive
from hybridad._tape cimport (
    CAPTURED, IDENTITY, OUTSIDE, Tape, Value, is_wrapped, is_active, is_on_tape,
    new_value, owner_of, plain_of)

cnp.import_array()

cdef object _inexact = np.inexact
cdef type _generic = np.generic


cdef inline bint is_inexact(ndarray a) noexcept:
    return cnp.PyArray_ISFLOAT(a) or cnp.PyArray_ISCOMPLEX(a)


cdef bint is_inexact_array(ndarray a) noexcept:
    """Whether an array is floating or complex."""
    return cnp.PyArray_ISFLOAT(a) or cnp.PyArray_ISCOMPLEX(a)


cdef bint is_operand(object x) except -1:
    """Whether plain arithmetic with `x` may be followed; raises for arrays that may not."""
    cdef type t = type(x)
    if t is ndarray:
        if cnp.PyArray_TYPE(<ndarray>x) == cnp.NPY_OBJECT:
            _refuse("An object array", "Make it a floating array: a.astype(float).")
        return True
    if t is float or t is int or t is complex or t is bool:
        return True
    if issubclass(t, _generic):
        return True
    if isinstance(x, ndarray):
        _refuse(f"{t.__module__}.{t.__name__}",
                "Convert it first: np.asarray(a) (for a masked array, fill it: a.filled(0.0)).")
    return t is list or t is tuple or isinstance(x, (int, float, complex))


cdef int _refuse(str what, str remedy) except -1:
    raise errors.ArgumentError(errors.message(
        f"{what} cannot take part in differentiated arithmetic.", remedy))


cdef Tape open_tape(object x):
    """The tape of a wrapper if its run is still on, else None; checks the thread."""
    cdef Tape tape
    if not is_wrapped(x):
        return None
    tape = (<Value>x).tape
    if not tape.is_open:
        return None
    tape.check()
    return tape


cdef object inactive_value(Tape tape, object ans):
    """A result that does not depend on any active value, as `f` should see it.

    Floating arrays stay wrapped, because active values may be written into them later.
    """
    if type(ans) is ndarray and is_inexact(<ndarray>ans):
        return new_value(tape, ans, -1, None)
    return ans


cdef Value new_view(Value x, ndarray raw):
    """A wrapper for a view of the memory of `x`."""
    return new_value(x.tape, raw, -1, owner_of(x))


cdef int refresh(object x) except -1:
    """Bring an alias up to date whose source has been written to since it was recorded.

    Arrays that repeat memory have no windows, so they are nodes of their own and not views of
    their source; a write to the source is seen by recording them again.
    """
    cdef Value owner, source, fresh
    if not is_wrapped(x):
        return 0
    owner = owner_of(<Value>x)
    if owner.alias is None or not owner.tape.is_open:
        return 0
    source, version, again = owner.alias
    if source.alias is not None:
        refresh(source)
    if source.version != version:
        owner.alias = (source, source.version, again)
        if is_active(source):
            fresh = again()
            owner.node = fresh.node
    return 0


cdef object see(Value x, ndarray raw, object again):
    """A wrapper for `raw`, which shows memory of `x` as a true NumPy view.

    `again` records it as the result of a primitive; called where it cannot be a view on the tape,
    since it (or `x`) repeats memory.
    """
    cdef Value owner = owner_of(x)
    cdef Value source = owner if owner.alias is None else <Value>(<tuple>owner.alias)[0]
    cdef object made
    if not repeats_itself(<ndarray>source.raw) and not repeats_itself(raw) \
            and cnp.PyArray_SIZE(raw) <= cnp.PyArray_SIZE(<ndarray>source.raw):
        return new_view(source, raw)
    made = again()
    if is_wrapped(made) and (<Value>made).alias is None:
        (<Value>made).alias = (source, source.version, again)
    return made


cdef bint is_differentiable(object ans):
    if type(ans) is ndarray:
        return is_inexact(<ndarray>ans)
    return type(ans) is float or type(ans) is complex or isinstance(ans, _inexact)


cdef Tape _look_at(tuple args, bint* active):
    """The open tape of the arguments or None, all of them up to date, and whether one is active."""
    cdef Tape tape = None
    cdef object x
    active[0] = False
    for x in args:
        if is_wrapped(x):
            if tape is None:
                tape = open_tape(x)
            refresh(x)
            active[0] = active[0] or is_active(<Value>x)
    return tape


cpdef object record(Primitive prim, object ans, tuple args, object kwargs):
    """Record that `prim` gave the plain result `ans` for `args` (wrappers or plain); wrap it.

    For primitives with the `sequence` flag, `args` are the arrays of the sequence, followed by
    nothing: static arguments are in `kwargs`.
    """
    cdef Tape tape
    cdef bint active
    cdef object x
    cdef int k
    cdef list codes = []
    cdef int64_t node
    cdef bint needed
    tape = _look_at(args, &active)
    if tape is None:
        return ans
    if not active or prim.is_constant:
        return inactive_value(tape, ans)
    if not is_differentiable(ans):
        if isinstance(ans, ndarray):
            is_operand(ans)         # refuses object arrays and subclasses
        return ans
    for k, x in enumerate(args):
        if prim.vjp is None and k >= len(prim.vjps) and is_on_tape(x):
            tape.drop(codes)
            raise errors.MissingRuleError(errors.message(
                f"{prim.name} has no derivative by its argument {k + 1}.",
                "Compute that argument from values that are not differentiated."))
        # Of an active array of a sequence only the shape is read; a constant must be there.
        needed = not is_on_tape(x) if prim.sequence \
            else (prim.needs >> (k + 1 if k < 62 else 63)) & 1
        codes.append(tape.operand(x, needed))
    node = tape.new_node(prim, ans, kwargs or None)
    for x in codes:
        tape.push_arg(x)
    return new_value(tape, ans, node, None)


cdef object record_two(Tape tape, Primitive prim, object ans, object a, object b):
    """As `record`, for the two operands of an elementwise primitive."""
    cdef int64_t code_a, code_b, node
    refresh(a)
    refresh(b)
    if prim.is_constant or not (is_on_tape(a) or is_on_tape(b)):
        return inactive_value(tape, ans)
    code_a = tape.operand(a, (prim.needs & 2) != 0)
    code_b = tape.operand(b, (prim.needs & 4) != 0)
    node = tape.new_node(prim, ans, None)
    tape.push_arg(code_a)
    tape.push_arg(code_b)
    return new_value(tape, ans, node, None)


def record_outputs(Primitive prim, answers, tuple args, object kwargs):
    """Record a function with several results; those without a rule become constants."""
    cdef Tape tape
    cdef object x
    cdef int k, n = len(answers)
    cdef int64_t node
    cdef list wrapped = []
    cdef bint active
    tape = _look_at(args, &active)
    if tape is None:
        return tuple(answers)
    if not active:
        return tuple([inactive_value(tape, ans) for ans in answers])
    # One entry after the other, so that a rule finds all results beside its own.
    for k in range(n):
        codes = []
        p = prim.outs.get(k)
        for j, x in enumerate(args):
            codes.append(tape.operand(x, True))
        wrapped.append((p, codes))
    result = []
    for k in range(n):
        p, codes = wrapped[k]
        if p is None:
            node = tape.new_entry(None, answers[k], None, CAPTURED)
        else:
            node = tape.new_node(<Primitive>p, answers[k], kwargs or None)
            tape.entries[node].flags |= CAPTURED
        for x in codes:
            tape.push_arg(x)
        tape.entries[node].out = k
        tape.entries[node].nout = n
        if p is None:
            result.append(_inactive_node(tape, answers[k], node))
        else:
            result.append(new_value(tape, answers[k], node, None))
    return tuple(result)


cdef object _inactive_node(Tape tape, object ans, int64_t node):
    if type(ans) is ndarray and is_differentiable(ans):
        return new_value(tape, ans, node, None)
    return ans


def seen(Value x, ndarray raw, again):
    """A wrapper for `raw`, a plain view of the memory of `x`; `again()` records it as a result."""
    return see(x, raw, again)


def view_of(Value x, ndarray raw):
    """A wrapper for `raw`, a plain view of the memory of `x`."""
    return new_view(x, raw)


def repeats(Value x):
    """Whether `x` repeats memory, so that it can have no views on the tape."""
    return type(x.raw) is ndarray and repeats_itself(<ndarray>owner_of(x).raw)


def shares_storage(Value x, ndarray raw):
    """Whether `raw` is a view of the memory of `x`."""
    cdef Value owner = owner_of(x)
    if type(owner.raw) is not ndarray or cnp.PyArray_BASE(raw) == NULL:
        return False
    return lies_within(raw, <ndarray>owner.raw)


def inactive(Value like, ans):
    """A result that depends on no active value, as `f` should see it beside `like`."""
    cdef Tape tape = open_tape(like)
    return ans if tape is None else inactive_value(tape, ans)


def leaf(Tape tape, x):
    """The active value for a differentiated argument: a copy, in its layout, of a plain value.

    An active value of the run outside becomes a copy that depends on it.
    """
    cdef object raw = plain_of(x)
    cdef int64_t node
    if type(raw) is ndarray:
        raw = copy_as(<ndarray>raw)
    if is_on_tape(x) and (<Value>x).tape is tape:
        return record(IDENTITY, raw, (x,), None)
    node = tape.new_node(None, raw, None)
    return new_value(tape, raw, node, None)


def constant_value(Tape tape, raw):
    """A wrapper on `tape` that depends on nothing."""
    return inactive_value(tape, raw)


def storage_node(Value x):
    """The node of the storage that `x` is a view of; -1 if it is not on the tape."""
    return owner_of(x).node


def is_wrapper(x):
    """Whether `x` is a Value (`isinstance` is no answer: wrappers pose as arrays)."""
    return is_wrapped(x)


def active(x):
    """Whether `x` is a wrapper that depends on a differentiated argument of a run in progress."""
    refresh(x)
    return is_on_tape(x)


def raw_of(x):
    """The plain value of a wrapper; anything else unchanged."""
    return plain_of(x)


def is_outside(Value x):
    """Whether `x` shows memory that belongs to the caller or to outside objects."""
    return owner_of(x).outside == OUTSIDE


def tape_of(Value x):
    """The tape of a wrapper."""
    return x.tape
