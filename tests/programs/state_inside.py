"""What a program makes and does in a call: escapes, aliases, identity, exceptions."""

# ruff: noqa: E701, E702

import math
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from tests.programs import A, Scene, program
from tests.programs.state_outside import CALLS


@program(*CALLS)
def local_list_is_kept():
    st = {}
    def f(x):
        b = [x[0]]
        st["b"] = b
        b.append(x[1] * 2.0)
        return b[1] * b[0]
    return Scene(f, lambda: st)


@program(*CALLS)
def local_object_is_kept():
    kept = []
    class W: pass
    def f(x):
        w = W()
        kept.append(w)
        w.a = x[0] * 2.0
        return w.a * x[1]
    return Scene(f, lambda: kept)


@program(*CALLS)
def domain_error_of_math():
    def f(x):
        try: return math.sqrt(x[0]) * x[1]
        except ValueError: return x[0] * x[1]
    return f


@program(*CALLS)
def index_error_of_a_list():
    def f(x):
        k = int(abs(x[0]) * 2 + 0.5)
        try: return [x[0], x[1], x[2]][k] * 2.0
        except IndexError: return x[0]
    return f


@program(*CALLS)
def types_of_scalars():
    def f(x):
        s = np.sum(x)
        k = (2.0 if isinstance(s, float) else 3.0) * (1.0 if type(s) is float else 5.0)
        return x[0] * k * (1.0 if type(x[0]) is np.float64 else 7.0)
    return f


@program((A(1, 2, 3), A(1, 1, 1)), (A(2, 2, 3), A(5, 1, 1)), (A(2, 2, 3), A(5, 1, 1)))
def other_argument_in_place():
    def f(x, y):
        z = y * x
        y += x; y[0] = 3.0
        f.last = None
        return np.sum(z * y)
    f.last = 1.0
    return Scene(f, lambda: f.last)


@program(*CALLS)
def many_views():
    def f(x):
        M = np.zeros((3, 3)); M[:] = x
        r = M.reshape(9); r[4] = x[0] * x[1]
        t = M.T; t[0, 1] *= 3.0
        for row in M: row *= x[2]
        v = M[1:]; w = v[:, 1]; w += 1.0
        M[1:, :] = M[:-1, :]
        return np.sum(M * np.arange(9.0).reshape(3, 3)) + np.sum(r * r)
    return f


@program(*CALLS)
def methods_that_write():
    def f(x):
        y = x * 1.0
        y.sort(); y.flat[0] = 2.0
        np.fill_diagonal(y[None, :1], x[1]); np.put(y, [1], x[0])
        return np.sum(y * A(1, 2, 3))
    return f


@program(*CALLS)
def key_and_set():
    def f(x):
        d, s = {float(x[0]): 2.0}, {x[0], x[1], x[0]}
        return d[float(x[0])] * x[1] * len(s)
    return f


@program(*CALLS)
def sorting_and_membership():
    def f(x):
        l = sorted(x, key=lambda v: -v)
        l.remove(x[1])
        m = [x[0], x[1]]
        s = l[0] * 2.0 + l[1] + (3.0 if x[2] in m else 1.0) * m.index(x[1]) * x[0]
        return s + max(m, key=lambda v: v * v)
    return f


@program(*CALLS)
def stream_made_inside():
    def f(x):
        r = np.random.default_rng(3)
        return np.sum(x * r.normal(size=3)) * r.integers(1, 5)
    return f


@program(*CALLS, refusable=True)
def stream_fills_an_array():
    r, buf = np.random.default_rng(0), np.zeros(3)
    def f(x):
        r.random(out=buf)
        z = buf * x
        r.shuffle(buf)
        return np.sum(z * buf)
    return Scene(f, lambda: (buf, r))


@program(*CALLS)
def sign_in_a_text():
    def f(x):
        s = f"{x[0]:.1f}"
        return np.sum(x) * (2.0 if s.startswith("-") else 3.0)
    return f


@program(*CALLS)
def same_or_not():
    c = A(1, 2, 3)
    def f(x, y=None):
        a = c; b = c; z = x
        k = (1.0 if a is b else 2.0) * (1.0 if z is x else 2.0) * (3.0 if y is None else 1.0)
        return np.sum(x) * k
    return f


@program(A(1.1, 2.2, 3), A(-1, 2.1, .5), A(2.1, 1.2, 1.3))
def floating_point_error():
    def f(x):
        try:
            with np.errstate(all="raise"): return np.sum(x / (np.floor(x[0] + .5) - 1.0))
        except FloatingPointError: return np.sum(x) * 3.0
    return f


@program(*CALLS)
def value_in_an_exception():
    def f(x):
        try:
            if x[0] > 0: raise ValueError(x[0] * 2.0)
            return np.sum(x)
        except ValueError as error: return error.args[0] * x[1]
    return f


@program(*CALLS)
def nonlocal_of_a_nested_function():
    def f(x):
        s = 0.0
        def add(v):
            nonlocal s
            s += v * v
        for v in x: add(v)
        return s
    return f


@program(*CALLS)
def match_and_walrus():
    def f(x):
        match [1, x[0]]:
            case [1, v] if v > 0: r = v * 2.0
            case [_, v]: r = v * 5.0
        if (q := r * x[1]) > 1: r = q
        return r if 0 < x[0] < 1.5 else r * 3.0
    return f


@program(A(1, 2), A(2, 3), A(2, 3))
def same_array_passed_twice():
    def inner(a, b):
        a = a * 1.0
        c = a
        c += b
        return np.sum(a * b)
    return lambda x: inner(x, x)


@program(*CALLS)
def alias_stored_outside():
    class S: pass
    s = S()
    def f(x):
        y = x * 2.0
        s.y = y
        y += 1.0
        s.y *= 2.0
        return np.sum(y * s.y)
    return Scene(f, lambda: vars(s))


@program(*CALLS)
def names_that_clash():
    def h(y):
        r = y * 2.0
        s = r + 1.0
        return s
    def f(x):
        r = np.sum(x); s = h(r); r = h(s)
        del s
        return r
    return f


@program(*CALLS)
def lambdas_of_one_line():
    fs = [lambda v: v * 2.0, lambda v: v * v, lambda v, k=3.0: v + k]
    gs = {i: (lambda v, i=i: v * i) for i in range(3)}
    def f(x):
        return fs[0](x[0]) + fs[1](x[1]) + fs[2](x[2]) + sum(g(x[0]) for g in gs.values())
    return f


@program(*CALLS, refusable=True)
def threads_inside():
    c = [1.0]
    def square(v): return v * v * c[0]
    def f(x):
        with ThreadPoolExecutor(2) as pool: return sum(pool.map(square, x))
    def before(k): c[0] = k + 1.0
    return Scene(f, before=before)


@program(*CALLS)
def callables_given_to_numpy():
    c = [1.0]
    def f(x):
        s = np.sum(np.fromiter((v * v * c[0] for v in x), float))
        s = s + np.sum(np.vectorize(lambda v: v * c[0])(x))
        return s + np.sum(np.apply_along_axis(lambda r: r * c[0], 0, x))
    def before(k): c[0] = k + 1.0
    return Scene(f, before=before)


@program(*CALLS)
def print_to_an_object():
    out = []
    class F:
        def write(self, s): out.append(s)
    file = F()
    def f(x):
        print("x", x[0], np.sum(x), file=file)
        return np.sum(x * x)
    return Scene(f, lambda: out)


@program(*CALLS)
def out_argument_and_copy():
    w = np.zeros(3)
    def f(x):
        b = np.empty(3)
        np.multiply(x, 2.0, out=b); np.exp(b * 0.1, out=b)
        np.copyto(w, b); np.add.at(b, [0, 0], x[:2])
        return np.sum(b * w)
    return Scene(f, lambda: w)


@program(*CALLS)
def written_then_raised():
    w = np.zeros(3)
    def f(x):
        try:
            w[0] = x[0]
            if x[0] < 0: raise KeyError
            w[1] = 5.0
        except KeyError: w[2] += 1.0
        finally: w[1] += 1.0
        return np.sum(w * x)
    return Scene(f, lambda: w)


@program(2.0, 3.0, np.float64(2.0), np.array(2.0))
def kinds_of_scalars():
    def f(x):
        y = x**2
        t = 1.0 if type(y) is float else 2.0
        z = y + 0.5
        z += y
        return z * t
    return f


@program(*CALLS)
def clock_of_an_object():
    class Clock:
        t = 0.0
        def now(self): self.t += 1.0; return self.t
    c = Clock()
    def f(x):
        start = time.perf_counter()
        r = np.sum(x) * c.now()
        return r * (1.0 if time.perf_counter() >= start else 0.0)
    return Scene(f, lambda: c.t)


@program(*CALLS)
def masks_that_change():
    def f(x):
        m = x > 0
        return np.sum(x[m] * np.arange(m.sum())) + x[~m].sum() * np.count_nonzero(m)
    return f


@program(*CALLS)
def lists_and_items():
    def f(x):
        l = x.tolist()
        return l[0] * l[1] + x[2].item() * 2.0 + (3.0 if type(l[0]) is float else 0.0) * l[2]
    return f


@program(*CALLS, refusable=True)
def evaluated_text():
    w = [2.0]
    def f(x):
        y = x * w[0]
        return eval("np.sum(y) * w[0]") + np.sum(locals()["y"])
    def before(k): w[0] = k + 1.0
    return Scene(f, before=before)
