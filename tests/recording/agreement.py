"""Does code do on wrappers what it does on plain values? Values, types, effects, derivatives.

An expression is text over the names in `POINT`; those of them that are floating are differentiated,
all at once. Its value and what it does to its arguments must be what NumPy gives without hybridad,
its derivatives what finite differences of the plain expression give.
"""

import ast
import warnings

import numpy as np

import hybridad
from hybridad.recording.arraylike import plain
from hybridad.testing import check_grads
from hybridad.tree import is_floating

POINT = {
    "x": np.array([0.7, 0.23, 0.45]),
    "y": np.array([1.3, -0.4, 0.9]),
    "v": np.array([0.3, 1.7, -0.8, 0.65, -1.2, 2.1]),
    "m": np.array([[2.0, 0.3, 0.1], [0.4, 3.0, 0.5], [0.2, 0.6, 1.7]]),
    "r": np.array([[0.3, 1.2, -0.7], [0.8, -0.5, 0.1]]),
    "c": np.linspace(-0.93, 1.37, 24).reshape(2, 3, 4),
    "s": 0.6,
    "a": np.float64(1.37),
    "o": np.array(0.9),
    "h": np.array([0.75, 0.25, 1.5], dtype=np.float32),
    "e": np.float32(1.25),
    "z": np.array([0.4 + 0.7j, -1.1 + 0.2j, 0.3 - 0.6j]),
    "w": 0.8 - 0.3j,
    "k": np.array([2, 0, 1]),
    "b": np.array([True, False, True]),
}
"""What the names in expressions stand for."""


def names_in(expression):
    """The names of `POINT` that an expression reads, in the order in which they stand there."""
    read = {node.id for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)}
    return [name for name in POINT if name in read]


def resolves(expression):
    """Whether all functions of NumPy in an expression are there in this version."""
    for node in ast.walk(ast.parse(expression)):
        path = ast.unparse(node).split(".") if isinstance(node, ast.Attribute) else [""]
        if path[0] == "np" and all(map(str.isidentifier, path)):
            found = np
            for name in path[1:]:
                if not hasattr(found, name):
                    return False
                found = getattr(found, name)
    return True


def compiled(expression, **extra):
    """An expression as a function of the differentiable names in it, and their values.

    `extra` are further names that it may use.
    """
    names = names_in(expression)
    differentiated = [name for name in names if is_floating(POINT[name])]
    fixed = {name: POINT[name] for name in names if name not in differentiated}
    code = compile(expression, "<expression>", "eval")

    def f(*args):
        return eval(code, {"np": np, **extra, **fixed, **dict(zip(differentiated, args))})

    return f, tuple(POINT[name] for name in differentiated)


def agrees(expression, order=1, **extra):
    """Check an expression: value, types, effects, and derivatives against finite differences."""
    f, args = compiled(expression, **extra)
    agrees_at(f, args, order)


def agrees_at(f, args, order=1):
    """As `agrees`, for a function of floating arguments that may write into them."""
    agrees_in_value(f, args)

    def everything(*args):
        return floating_parts((f(*args), args))

    if everything(*map(copied, args)):
        check_grads(everything, args, order=order, directions=2)


def agrees_in_value(f, args):
    """Check value, types and effects of a function; return its value on plain arguments."""
    plain_args = tuple(map(copied, args))
    expected = f(*plain_args)
    seen = run(f, args)
    same(seen, frozen((expected, plain_args)))
    return expected


def run(f, args):
    """The result of a function and its arguments afterwards, as plain values, in a recorded run."""
    seen = []

    def recorded(*args):
        result = f(*args)
        seen.append(frozen((result, args)))
        return sum(np.sum(x.real if isinstance(x, complex) else x) for x in args)

    hybridad.vjp(recorded, *args)
    return seen[0]


def frozen(x):
    """A result with plain values in the place of wrappers, copied, in containers of all kinds."""
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*map(frozen, x))
    if type(x) in (list, tuple):
        return type(x)(map(frozen, x))
    if type(x) is dict:
        return {key: frozen(value) for key, value in x.items()}
    return copied(plain(x))


def copied(x):
    """A copy of an array, with its layout and flags; anything else as it is."""
    if type(x) is not np.ndarray:
        return x
    made = x.copy(order="K")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # asking what `broadcast_arrays` gives warns
        made.flags.writeable = x.flags.writeable or 0 in x.strides
    return made


def floating_parts(x):
    """The floating numbers and arrays of a result, in its order."""
    if isinstance(x, dict):
        x = tuple(x.values())
    if type(x) is list or isinstance(x, tuple):
        return [leaf for part in x for leaf in floating_parts(part)]
    return [x] if is_floating(plain(x)) else []


def same(found, expected, at="the result"):
    """Assert that two results are identical: types, dtypes, shapes, layouts, bits."""
    assert type(found) is type(expected), f"{at}: {type(found)} in place of {type(expected)}"
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected), at
        for k, (a, b) in enumerate(zip(found, expected)):
            same(a, b, f"{at}[{k}]")
    elif isinstance(expected, dict):
        assert list(found) == list(expected), at
        for key in expected:
            same(found[key], expected[key], f"{at}[{key!r}]")
    elif isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype, f"{at}: {found.dtype} in place of {expected.dtype}"
        assert found.shape == expected.shape, f"{at}: {found.shape} in place of {expected.shape}"
        assert _bits(found) == _bits(expected), f"{at}: {found} in place of {expected}"
        assert found.flags.writeable == expected.flags.writeable, f"{at}: writeable or not"
        assert found.size < 2 or found.strides == expected.strides, (
            f"{at}: strides {found.strides} in place of {expected.strides}")
    elif isinstance(expected, (float, complex, np.generic)):
        assert _bits(found) == _bits(expected), f"{at}: {found!r} in place of {expected!r}"
    else:
        assert found == expected, f"{at}: {found!r} in place of {expected!r}"


def _bits(x):
    """The memory of a number or array; extended precision has unused bytes, so its digits."""
    x = np.asarray(x)
    if x.dtype.char in "gG":
        return [np.format_float_scientific(part, unique=True) for part in
                (*np.real(x).flat, *np.imag(x).flat)]
    return x.tobytes()
