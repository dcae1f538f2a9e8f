"""What is demanded of a program: the plain value, and derivatives that finite differences confirm.

Nothing of `hybridad.testing` is used here, so that the two check each other.
"""

import numpy as np

from hybridad import grad, jvp, value_and_grad, vjp

__all__ = ["check_first_order", "check_second_order", "check_value", "differences", "fresh",
           "same_bits"]


def fresh(args):
    """Copies of the arguments, in their layouts and as writeable as they are."""
    return [_copied(x) if isinstance(x, np.ndarray) and not _is_broadcast(x) else x for x in args]


def _is_broadcast(x):
    return any(s == 0 and n > 1 for s, n in zip(x.strides, x.shape))


def _copied(x):
    copy = x.copy(order="K")
    if 0 < x.size and copy.strides != x.strides and not _is_broadcast(x):
        base = np.empty(tuple(2 * n for n in x.shape), x.dtype)
        copy = base[tuple(slice(None, None, -2 if s < 0 else 2) for s in x.strides)]
        copy[...] = x
    copy.flags.writeable = x.flags.writeable
    return copy


def _moved(args, by):
    """Copies of the arguments plus `by` (None: zero), in their layouts."""
    moved = []
    for x, d in zip(args, by):
        if isinstance(x, np.ndarray):
            x = _copied(x)
            writeable = x.flags.writeable
            x.flags.writeable = True
            if d is not None:
                x += d
            x.flags.writeable = writeable
        elif d is not None:
            x = x + d
        moved.append(x)
    return moved


def wide(x):
    """A number or array in double precision."""
    if not hasattr(x, "dtype"):
        return x
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def same_bits(a, b):
    """Equal type, dtype, shape and bits."""
    if type(a) is not type(b):
        return False
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def differences(f, args, step=2.0**-12):
    """The gradient of a real function by central differences of 4th order, in double precision.

    For a complex argument it is df/dx - i df/dy, as of `hybridad.grad`.
    """
    args = [wide(x) for x in args]
    gradients = []
    for k, x in enumerate(args):
        g = np.zeros(np.shape(x), np.result_type(x))
        for i in np.ndindex(*np.shape(x)):
            g[i] = _slope(f, args, k, i, step)
            if g.dtype.kind == "c":
                g[i] -= 1j * _slope(f, args, k, i, 1j * step)
        gradients.append(g)
    return gradients


def _slope(f, args, k, i, step):
    unit = np.zeros(np.shape(args[k]))
    unit[i] = 1.0

    def at(d):
        return f(*_moved(args, [d * unit[()] if j == k else None for j in range(len(args))]))

    near, far = at(step) - at(-step), at(2 * step) - at(-2 * step)
    return (8.0 * near - far) / (12.0 * abs(step))


def assert_close(got, expected, dtype, what):
    """Close in the precision of `dtype`, relative to the largest element."""
    assert np.shape(got) == np.shape(expected), (what, np.shape(got), np.shape(expected))
    rtol = 2e-3 if np.finfo(dtype).bits == 32 else 2e-7
    scale = 1.0 + np.max(np.abs(expected), initial=0.0)
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol * scale, err_msg=what)


def differentiates(f):
    """Whether a function computes derivatives, which are the same up to rounding."""
    codes = [f.__code__]
    for code in codes:
        if not {"grad", "value_and_grad", "jvp", "vjp"}.isdisjoint(code.co_names):
            return True
        codes += [x for x in code.co_consts if hasattr(x, "co_names")]
    return False


def check_value(f, args, plain=None):
    """The value is that of the plain function to the last bit, on every way to it."""
    expected = (plain or f)(*fresh(args))
    passed = fresh(args)
    every = tuple(range(len(args)))
    got = {"value_and_grad": value_and_grad(f, every)(*passed)[0],
           "vjp": vjp(f, *passed)[0],
           "jvp": jvp(f, tuple(passed), tuple(np.ones_like(x) for x in args))[0]}
    for way, value in got.items():
        if plain in (None, f) and not differentiates(f):
            assert same_bits(value, expected), (way, value, expected)
        else:
            assert type(value) is type(expected)
            assert_close(value, expected, np.result_type(expected), way)
    for before, after in zip(args, passed):
        assert same_bits(before, after), "an argument was modified"
    return expected


def check_first_order(f, args, plain=None, rng=None):
    """Gradient against differences, forward mode against reverse mode, the pullback repeatedly."""
    rng = rng or np.random.default_rng(0)
    every = tuple(range(len(args)))
    _, gradients = value_and_grad(f, every)(*fresh(args))
    for k, (g, d, x) in enumerate(zip(gradients, differences(plain or f, args), args)):
        assert type(g) is type(x) and np.result_type(g) == np.result_type(x)
        assert_close(g, d, np.result_type(x), f"gradient by argument {k}")
    ts = [_direction(rng, x) for x in args]
    _, t = jvp(f, tuple(fresh(args)), tuple(ts))
    paired = sum(np.sum(np.real(g * t)) for g, t in zip(gradients, ts))
    size = 1.0 + sum(np.sum(np.abs(g * t)) for g, t in zip(gradients, ts))
    assert abs(t - paired) <= size * (1e-4 if _single(args) else 1e-10), ("jvp", t, paired)
    for engine in ("tape", "auto"):
        expected = grad(f, every, engine=engine)(*fresh(args))
        passed = fresh(args)
        value, pullback = vjp(f, *passed, engine=engine)
        for x in passed:
            if isinstance(x, np.ndarray) and x.flags.writeable:
                x[...] = np.nan
        first = pullback(type(value)(1.0))
        for g, h, again in zip(expected, first, pullback(type(value)(1.0))):
            assert same_bits(h, again), "the pullback, called again"
            if engine == "tape":
                assert same_bits(g, h), "the pullback after a write"
            else:       # code adds in another order
                assert type(g) is type(h) and np.result_type(g) == np.result_type(h)
                size = 1.0 + np.max(np.abs(g), initial=0.0)
                rtol = 1e4 * np.finfo(np.result_type(g)).eps
                np.testing.assert_allclose(h, g, rtol=rtol, atol=rtol * size,
                                           err_msg="the pullback after a write")
    return gradients


def check_second_order(f, args, modes=("rev-rev", "fwd-rev", "rev-fwd", "fwd-fwd"), rng=None):
    """Each mode over each along a direction, against differences of the gradient."""
    rng = rng or np.random.default_rng(1)
    every = tuple(range(len(args)))
    ts = tuple(_direction(rng, x) for x in args)
    expected = _gradient_slopes(grad(f, every), args, ts)

    def along(*args):
        return sum(np.sum(np.real(g * t)) for g, t in zip(grad(f, every)(*args), ts))

    def forward(*args):
        return jvp(f, args, ts)[1]

    of_gradient, of_along, of_forward = grad(f, every), grad(along, every), grad(forward, every)
    found = {"rev-rev": lambda: of_along(*fresh(args)),
             "fwd-rev": lambda: jvp(of_gradient, tuple(fresh(args)), ts)[1],
             "rev-fwd": lambda: of_forward(*fresh(args))}
    for mode in (*modes, *modes):   # by the tape, and where there is some by specialized code
        if mode == "fwd-fwd":
            got = jvp(forward, tuple(fresh(args)), ts)[1]
            paired = sum(np.sum(np.real(d * t)) for d, t in zip(expected, ts))
            assert_close(got, paired, np.result_type(*args), mode)
            continue
        for k, (h, d, x) in enumerate(zip(found[mode](), expected, args)):
            assert_close(h, d, np.result_type(x), f"{mode}, argument {k}")


def _gradient_slopes(gradient, args, ts, step=2.0**-12):
    """The derivative of a gradient along a direction, by central differences of 4th order."""
    args = [wide(x) for x in args]

    def at(h):
        return gradient(*_moved(args, [h * t for t in ts]))

    steps = zip(at(step), at(-step), at(2 * step), at(-2 * step))
    return [(8.0 * (a - b) - (c - d)) / (12.0 * step) for a, b, c, d in steps]


def _single(args):
    return any(np.finfo(np.result_type(x)).bits == 32 for x in args)


def _direction(rng, x):
    t = rng.standard_normal(np.shape(x))
    if np.iscomplexobj(x):
        t = t + 1j * rng.standard_normal(np.shape(x))
    return type(x)(t) if not np.ndim(x) else t.astype(x.dtype)
