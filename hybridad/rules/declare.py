"""The verbs by which derivative rules are declared.

Here one can

- `elementwise(p, *partials)`: the Jacobian is diagonal, one formula is both modes;
- `linear(p, *transposes)`: `p` is linear in each argument that has a transpose;
- `linear_sequence(p, transpose)`: `p` is linear in a sequence of arrays (`concatenate`);
- `rule(p, ...)`: vjp and jvp are both written out;
- `constant(p, ...)`: the derivative is zero almost everywhere;
- `views(p, ...)`: the results are always views of the first argument.

A rule is ordinary Python on arrays. After ``g, ans`` (a tangent ``t, ans`` in forward mode) come
the primitive's own positional arguments, by their own names; static keyword arguments follow with
their defaults. Nobody unbroadcasts, casts or skips inactive arguments in a rule: the engines do
(`hybridad.rules.spaces.project`). A rule never decides by values (no `if`, no `float()`), only by
shapes, dtypes and static arguments. It may return None for a derivative that is zero, and never
raises: what it cannot do is refused where the user calls, by the verb's ``check``, a function of
the primitive's arguments (`hybridad.rules.refusals`).
"""

import dis
import inspect

from hybridad._primitive import Primitive

__all__ = [
    "PRIMITIVES",
    "constant",
    "elementwise",
    "linear",
    "linear_sequence",
    "rule",
    "views",
]

PRIMITIVES = {}
"""The registry: function -> Primitive."""


def elementwise(p, *partials, check=None):
    """Declare a function whose Jacobian is diagonal.

    Parameters
    ----------
    p : callable
        The primitive, usually a ufunc.
    *partials : callable or None
        One for each argument: ``partial(g, ans, *args)`` is `g` times the partial derivative,
        for a cotangent and for a tangent alike. None: zero derivative.
        For complex arguments of holomorphic functions the same formula holds; others need `rule`.
    check : callable, optional
        ``check(*args, **kwargs)`` raises for a call that the rule cannot do.
    """
    _register(p, "elementwise", vjps=partials, jvps=partials, functions=partials, check=check)


def linear(p, *transposes, check=None):
    """Declare a function that is linear in each argument that has a transpose.

    Parameters
    ----------
    p : callable
    *transposes : callable or None
        ``transpose(g, ans, *args, **kwargs)`` for each positional argument. The jvp is `p` itself
        with the argument replaced by its tangent.
    check : callable, optional
        ``check(*args, **kwargs)`` raises for a call that the rule cannot do.
    """
    active = [k for k, transpose in enumerate(transposes) if transpose is not None]
    jvps = [None if transpose is None else _with_argument(p, k)
            for k, transpose in enumerate(transposes)]
    # The derivative of what is linear in one argument does not depend on its values.
    own = 1 << (active[0] + 1) if len(active) == 1 else 0
    needs = _reads(transposes) & 1 | (_ALL & ~1 & ~own)
    _register(p, "linear", vjps=transposes, jvps=jvps, functions=transposes, needs=needs,
              check=check)


def linear_sequence(p, transpose):
    """Declare a function that is linear in a sequence of arrays, its first argument.

    Parameters
    ----------
    p : callable
    transpose : callable
        ``transpose(g, ans, arrays, **kwargs)``: the list of the cotangents of all the arrays.
    """

    def jvp(ts, ans, arrays, *args, **kwargs):
        return p(ts, *args, **kwargs)

    _register(p, "linear", vjp=transpose, jvp=jvp, functions=(transpose,),
              sequence=True, joint=True)


def rule(p, *vjps, jvps=(), vjp=None, jvp=None, out=None, params=None, check=None,
         shapes_only=False):
    """Declare vjp and jvp of a function.

    Parameters
    ----------
    p : callable
    *vjps : callable or None
        ``vjp(g, ans, *args, **kwargs)`` for each positional argument.
    jvps : sequence of (callable or None)
        ``jvp(t, ans, *args, **kwargs)`` for each positional argument.
    vjp, jvp : callable, optional
        In place of the two above, one function for all arguments:
        ``vjp(g, ans, argnum, *args, **kwargs)``, ``jvp(t, ans, argnum, *args, **kwargs)``.
    out : int, optional
        For a function with several outputs: which of them the rule is for. `ans` is then the
        whole tuple, `g` the cotangent of this output. Outputs without a rule are constants.
    params : sequence of str, optional
        Names of the primitive's parameters where they are not those of the first rule.
    check : callable, optional
        ``check(*args, **kwargs)`` raises for a call that no rule of `p` can do.
    shapes_only : bool
        The rules look at the shapes of the result and the first argument, not at their values
        (which then need not be kept when they are overwritten).
    """
    functions = (vjp, jvp) if vjp else (*vjps, *jvps)
    needs = _ALL & ~0b11 if shapes_only else None
    _register(p, "rule", vjps=vjps, jvps=jvps, vjp=vjp, jvp=jvp, functions=functions,
              skip=3 if vjp else 2, out=out, params=params, check=check, needs=needs)


def constant(*primitives):
    """Declare functions whose derivative is zero wherever it exists (`floor`, `argmax`, ...)."""
    for p in primitives:
        _register(p, "constant", functions=(), needs=0)


def views(*primitives):
    """Declare functions whose results are always views of their first argument.

    The tape needs no rule for them, since a view shares the storage of its base.
    """
    for p in primitives:
        _register(p, "views", functions=(), needs=0)


_ALL = (1 << 64) - 1


def _with_argument(p, k):
    """The jvp of a function that is linear in argument `k`."""

    def jvp(t, ans, *args, **kwargs):
        return p(*args[:k], t, *args[k + 1:], **kwargs)

    return jvp


def _reads(functions, skip=2):
    """Bit mask of what the rules read: bit 0 `ans`, bit k + 1 positional argument k.

    Read off the bytecode, so that no rule has to state it twice.
    """
    needs = 0
    for function in functions:
        if function is None:
            continue
        code = getattr(function, "__code__", None)
        if code is None:
            return _ALL
        loaded = _loaded_locals(code)
        if 1 in loaded:
            needs |= 1
        for k in range(skip, code.co_argcount):
            if k in loaded:
                needs |= 1 << (k - skip + 1)
        if code.co_flags & inspect.CO_VARARGS:
            needs |= _ALL & ~((1 << (max(code.co_argcount - skip, 0) + 1)) - 1)
    return needs


# Opcodes that load local variables; those with two operands pack them into four bits each.
_LOADS = {op: name.count("FAST") for op, name in enumerate(dis.opname)
          if "LOAD_FAST" in name}


def _loaded_locals(code):
    """Numbers of the local variables (parameters first) that some instruction may load."""
    names = code.co_varnames
    loaded = {names.index(name) for name in code.co_cellvars if name in names}
    instructions = code.co_code
    for op, value in zip(instructions[::2], instructions[1::2]):
        count = _LOADS.get(op)
        if count == 1:
            loaded.add(value)
        elif count is not None:
            loaded.update((value >> 4, value & 15))
    return loaded


def _parameter_names(functions, skip):
    for function in functions:
        code = getattr(function, "__code__", None)
        if code is not None:
            return code.co_varnames[skip : code.co_argcount]
    return ()


def _register(p, kind, *, functions, vjps=(), jvps=(), vjp=None, jvp=None, skip=2, out=None,
              params=None, needs=None, sequence=False, joint=False, check=None):
    primitive = Primitive(
        p,
        getattr(p, "__name__", repr(p)),
        kind,
        vjps=vjps,
        jvps=jvps,
        vjp=vjp,
        jvp=jvp,
        params=_parameter_names(functions, skip) if params is None else params,
        sequence=sequence,
        joint=joint,
        out=-1 if out is None else out,
        needs=_reads(functions, skip) if needs is None else needs,
        check=check,
    )
    if out is None:
        PRIMITIVES[p] = primitive
        return
    if p not in PRIMITIVES:
        PRIMITIVES[p] = Primitive(p, primitive.name, "rule", params=primitive.params, outs={})
    if PRIMITIVES[p].outs is None:
        PRIMITIVES[p].outs = {}
    PRIMITIVES[p].outs[out] = primitive
