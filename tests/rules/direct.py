"""Checks of a rule by itself: no tape, only the rule's functions on plain arrays.

Run as a module to check every case: ``python -m tests.rules.direct [MODULE ...]``.
"""

import importlib
import pkgutil
import sys

import numpy as np

from hybridad.rules.spaces import broadcast_tangent, project
from tests.rules import cases as case_package
from tests.rules.cases import CASES


def load_cases(names=()):
    """Import the case modules (all of them by default) and return their cases."""
    for info in pkgutil.iter_modules(case_package.__path__):
        if not names or info.name in names:
            importlib.import_module(f"tests.rules.cases.{info.name}")
    return CASES


def pair(g, t):
    """The pairing of cotangent and tangent: Re(sum(g * t))."""
    return float(np.real(np.sum(np.asarray(g) * np.asarray(t))))


def random_like(x, rng):
    x = np.asarray(x)
    r = rng.standard_normal(x.shape)
    if x.dtype.kind == "c":
        r = r + 1j * rng.standard_normal(x.shape)
    return r.astype(x.dtype)[()] if x.ndim == 0 else r.astype(x.dtype)


def directional(function, args, tangents, h=1e-3):
    """Central differences of 4th order along the tangents, in double precision."""

    def at(k):
        return np.asarray(function(*(a + k * h * t for a, t in zip(args, tangents))))

    return (8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12.0 * h)


def capture(case, args):
    """The primitive's own arguments in the case's call: run it with a recording stand-in.

    Only calls of the form ``call=lambda x: primitive(x, static)`` can be captured: the primitive
    is looked up by identity through a patched module attribute when the call is written so.
    Returns (positional, keywords) or None.
    """
    module = sys.modules.get(getattr(case.primitive, "__module__", None) or "numpy", np)
    seen = []

    def stand_in(*a, **k):
        seen.append((a, k))
        return case.primitive(*a, **k)

    if case.call is case.primitive:
        return tuple(args), {}
    for owner in (module, np, np.linalg, np.fft, sys.modules.get("scipy.special")):
        name = case.primitive.__name__
        if getattr(owner, name, None) is case.primitive:
            setattr(owner, name, stand_in)
            try:
                case.call(*args)
            finally:
                setattr(owner, name, case.primitive)
            if seen:
                return seen[0]
    return None


def _is(a, b):
    return a is b or (np.ndim(a) == 0 and np.ndim(b) == 0 and not isinstance(a, str)
                      and not isinstance(b, str) and type(a) is type(b) and a == b)


def check_directly(primitive, case, dtype="d"):
    """Check vjp and jvp of one case against finite differences; returns True if it could be run."""
    args = case.draw(dtype)
    captured = capture(case, args)
    if captured is None:
        return False
    positional, keywords = captured
    whole = primitive.func(*positional, **keywords)
    outs = [(-1, primitive)]
    if primitive.outs and isinstance(whole, tuple):
        result = np.asarray(case.call(*args))
        outs = [(k, q) for k, q in primitive.outs.items() if np.array_equal(result, whole[k])]
        if not outs:
            return False
    rng = np.random.default_rng(7)
    for out, prim in outs:
        ans = prim.func(*positional, **keywords)
        value = ans[out] if out >= 0 else ans
        operands = list(positional[0]) if prim.sequence else list(positional)
        active = [k for k, x in enumerate(operands) if any(_is(x, a) for a in args)
                  or (isinstance(x, np.ndarray) and any(np.shares_memory(x, np.asarray(a))
                                                        for a in args))]
        tangents = [random_like(x, rng) if k in active else None for k, x in enumerate(operands)]

        def f(*xs, operands=operands, active=active, out=out, prim=prim):
            full = list(operands)
            for k, x in zip(active, xs):
                full[k] = x
            r = prim.func(full, *positional[1:], **keywords) if prim.sequence else prim.func(
                *full, **keywords)
            return r[out] if out >= 0 else r

        xs = [operands[k] for k in active]
        ts = [tangents[k] for k in active]
        numeric = directional(f, xs, ts)
        total = np.zeros(np.shape(value), dtype=np.asarray(value).dtype)
        if prim.joint:
            full = [np.zeros_like(x) if t is None else t for x, t in zip(operands, tangents)]
            total = prim.jvp(full, ans, *positional, **keywords)
        else:
            for k in active:
                fn = prim.jvp or prim.jvps[k]
                extra = (k,) if prim.jvp else ()
                c = fn and fn(tangents[k], ans, *extra, *positional, **keywords)
                if c is not None:
                    total = total + broadcast_tangent(c, value)
        np.testing.assert_allclose(total, numeric, rtol=1e-6, atol=1e-8, err_msg=f"jvp {case.name}")
        g = random_like(value, rng)
        back = 0.0
        for k in active:
            fn = prim.vjp or prim.vjps[k]
            extra = (k,) if prim.vjp and not prim.joint else ()
            c = fn and fn(g, ans, *extra, *positional, **keywords)
            c = c[k] if prim.joint else c
            if c is not None:
                c = project(c, operands[k])
                assert np.shape(c) == np.shape(operands[k]), case.name
                back += pair(c, tangents[k])
        np.testing.assert_allclose(back, pair(g, numeric), rtol=1e-6, atol=1e-8,
                                   err_msg=f"vjp {case.name}")
    return True


def main(names):
    import hybridad.rules.scipy_special  # noqa: F401
    from hybridad.rules.declare import PRIMITIVES

    failed = skipped = 0
    for case in load_cases(names):
        primitive = PRIMITIVES[case.primitive]
        for dtype in case.dtypes.replace("f", ""):
            if primitive.kind in ("constant", "views"):
                continue
            try:
                if not check_directly(primitive, case, dtype):
                    skipped += 1
                    print("not direct:", case.name)
            except Exception as error:
                failed += 1
                print("FAIL", case.name, dtype, type(error).__name__, str(error)[:600])
    print(len(CASES), "cases,", failed, "failures,", skipped, "only through the tape")


if __name__ == "__main__":
    main(sys.argv[1:])
