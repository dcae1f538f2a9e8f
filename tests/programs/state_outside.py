"""State that lives outside and changes between calls: what a cached derivative must read anew."""

# ruff: noqa: C417, E701, E702, NPY002

import copy
import dataclasses
import functools
import itertools
import operator
from collections import namedtuple
from enum import Enum

import numpy as np

from tests.programs import A, Scene, program

CALLS = (A(1.1, 2.2, 3), A(-1, 2.1, .5), A(1.1, 2.2, 3), A(2, 1.2, 1.3), A(-2, 1.2, 1))
LEVEL = [1.0]
AMOUNT = 1.0


def set_level(k):
    LEVEL[0] = k + 1.0


@program(*CALLS)
def history_read_back():
    h = [1.0]
    def f(x):
        h.append(np.sum(x))
        return h[-1] * h[-2]
    return Scene(f, lambda: h)


@program(*CALLS)
def list_summed_natively():
    W = [1.0, 2.0]
    def f(x):
        sums = np.sum(x) * sum(W) + max(W) * x[0] + sorted(W)[0] * x[1]
        return sums + np.array(W)[1] * x[2] + (W + [3.0])[0] * x[0] + [*W][1] * x[0]
    def before(k): W[0] = k + 0.5
    return Scene(f, lambda: W, before)


@program(*CALLS)
def list_that_grows():
    W = [1.0]
    def f(x):
        s = 0.0
        for i, w in enumerate(W): s = s + w * x[i % 3]
        return s * len(W)
    return Scene(f, lambda: W, lambda k: W.append(float(k)))


@program(*CALLS)
def counter_on_the_class():
    class M:
        n = 0
        def __call__(self, x): self.n += 1; return np.sum(x) * self.n
    m = M()
    return Scene(lambda x: m(x), lambda: (m.n, M.n))


@program(*CALLS)
def counter_before_a_branch():
    c = [0]
    def f(x):
        c[0] += 1
        if x[0] > 0: return np.sum(x) * c[0]
        return np.sum(x * x)
    return Scene(f, lambda: c)


@program(*CALLS)
def number_stored_before_a_branch():
    class S: t = 0.0
    s = S()
    def f(x):
        s.t = s.t + 0.1
        if x[0] > 0: return np.sum(x) * s.t
        return np.sum(x * x) * s.t
    return Scene(f, lambda: s.t)


@program(*CALLS)
def generator_reads_outside():
    w = [2.0]
    def scaled(x):
        for v in x: yield v * w[0]
    def before(k): w[0] = k + 1.0
    return Scene(lambda x: sum(g * g for g in scaled(x)), before=before)


@program(*CALLS)
def outside_generator_is_advanced():
    g = (float(i + 1) for i in range(100))
    return Scene(lambda x: np.sum(x) * next(g), lambda: None)


@program(*CALLS)
def outside_iterator_in_a_loop():
    it = iter([1.0 + i for i in range(100)])
    def f(x):
        for v in it: return x[0] * v
    return Scene(f)


@program(np.float32([1, 2, 3]), np.float32([1, 2, 4]), np.float32([2, 2, 4]))
def weak_promotion():
    k = [2.0]
    def f(x):
        return np.sum(x * k[0]) * float(k[0])
    def before(j): k[0] = 2.0 + j if j < 2 else np.float64(2.0)
    return Scene(f, before=before)


@program(*CALLS)
def buffer_overwritten():
    buf = np.ones(3)
    def f(x):
        z = buf * x
        buf[:] = x; buf[0] += 1.0
        return np.sum(z * buf)
    return Scene(f, lambda: buf)


@program(*CALLS)
def buffer_written_before_a_branch():
    buf = np.ones(3)
    def f(x):
        buf[:] = buf + np.abs(x)
        if x[0] > 0: return np.sum(buf * x)
        return np.sum(buf * x * x)
    return Scene(f, lambda: buf)


@program(*CALLS)
def row_of_a_buffer():
    buf = np.ones((2, 3)); row = buf[0]
    def f(x):
        row[:] = x
        return np.sum(buf * buf)
    return Scene(f, lambda: (buf, row))


@program(*CALLS)
def legacy_stream_seeded_between():
    def state(): return float(np.random.get_state()[1][:5].sum())
    return Scene(lambda x: np.sum(x * np.random.rand(3)), state, lambda k: np.random.seed(k))


@program(*CALLS)
def draw_before_a_branch():
    r = np.random.default_rng(0)
    def f(x):
        e = r.random(3)
        if x[0] > 0: return np.sum(e * x) * r.random()
        return np.sum(e * x * x) + r.integers(0, 10) * x[0]
    return Scene(f, lambda: r)


@program(*CALLS)
def static_function_rebound():
    class H: f = staticmethod(lambda v: v * 2.0)
    def before(k): H.f = staticmethod((lambda v: v * 2.0) if k % 2 else (lambda v: v * v))
    return Scene(lambda x: np.sum(H.f(x)), before=before)


@program(*CALLS)
def closure_of_every_call():
    class H: pass
    def before(k):
        c = k + 0.5
        H.f = lambda v: v * c
    return Scene(lambda x: np.sum(H.f(x)), before=before)


@program(*CALLS)
def method_patched():
    class H:
        def f(self, v): return v * 2.0
    h = H()
    def before(k): H.f = (lambda self, v: v * 3.0) if k % 2 else (lambda self, v: v * v)
    return Scene(lambda x: np.sum(h.f(x)), before=before)


@program(*CALLS)
def default_array_written():
    w = np.ones(3)
    def helper(x, w=w, s=[2.0]): return np.sum(x * w) * s[0]  # noqa: B006
    def before(k): w[:] = k + 1; helper.__defaults__[1][0] = k + 1.0
    return Scene(lambda x: helper(x), before=before)


@program(*CALLS)
def default_number_replaced():
    def helper(x, s=2.0): return np.sum(x) * s
    def before(k): helper.__defaults__ = (float(k + 1),)
    return Scene(lambda x: helper(x), before=before)


@program(*CALLS)
def default_of_the_root_replaced():
    def f(x, s=2.0): return np.sum(x) * s
    def before(k): f.__defaults__ = (float(k + 1),)
    return Scene(f, before=before)


@program(*CALLS)
def doors_at_the_back():
    class P: w = 1.0
    p = P()
    def f(x):
        found = operator.attrgetter("w")(p) * np.sum(x) + vars(p)["w"] * x[0]
        found = found + p.__dict__["w"] * x[1] + getattr(p, "w") * x[2]  # noqa: B009
        return found + x[0] * copy.copy(p).w + x[0] * copy.deepcopy(p).w
    def before(k): p.w = k + 1.0
    return Scene(f, before=before)


@program(*CALLS)
def map_reduce_and_partial():
    c = [1.0]
    def mul(a, b): return a * b * c[0]
    def f(x):
        s = functools.reduce(mul, x) + sum(map(lambda v: v * c[0], x))
        s = s + functools.partial(mul, 2.0)(x[0]) + sum(map(mul, x, x))
        return s + sum(itertools.starmap(mul, [(x[0], x[1])]))
    def before(k): c[0] = k + 1.0
    return Scene(f, before=before)


@program(*CALLS)
def nonlocal_counter():
    n = 0.0
    def f(x):
        nonlocal n
        n += 1.0
        return np.sum(x) * n
    return Scene(f, lambda: n)


@program(*CALLS)
def global_that_is_stored_twice():
    def f(x):
        global AMOUNT
        AMOUNT = AMOUNT + x[0] * 0.5
        y = AMOUNT * x[1]
        AMOUNT = 0.25
        return y
    def before(k):
        global AMOUNT
        AMOUNT = 1.0 + k
    return Scene(f, lambda: AMOUNT, before)


@program(*CALLS)
def memo_of_constants():
    memo = {}
    def square(n):
        if n not in memo: memo[n] = float(n) ** 2
        return memo[n]
    return Scene(lambda x: x[0] * square(2) + x[1] * square(3), lambda: memo)


@program(*CALLS)
def memo_of_the_first_call():
    memo = {}
    def f(x):
        if "s" not in memo: memo["s"] = np.sum(x)
        return memo["s"] * x[0]
    return Scene(f, lambda: memo)


@program(*CALLS)
def cached_helpers():
    @functools.lru_cache
    def table(n): return n * 2.0
    @functools.lru_cache
    def poly(v): return v * v
    def state():
        info = table.cache_info()
        return info.hits + info.misses
    return Scene(lambda x: x[0] * table(3) + poly(x[1]), state)


@program(*CALLS)
def keys_that_come():
    d = {"a": 1.0}
    def f(x):
        s = sum(v * x[0] for v in d.values()) + sum(len(k) * x[1] for k in d)
        return s + (x[2] if "k2" in d else 0.0) + d.get("k3", 0.5) * x[0]
    def before(k): d[f"k{k}"] = float(k)
    return Scene(f, lambda: d, before)


@program(*CALLS)
def two_names_for_an_array():
    a = np.ones(3); D = {"a": a}; b = a[:2]
    def f(x):
        a[0] = x[0]; D["a"][1] = x[1] * 2.0
        return np.sum(a * x) + np.sum(D["a"]) + np.sum(b)
    return Scene(f, lambda: (a, D, b))


@program(*CALLS)
def private_name_of_a_base_class():
    class B:
        __k = 2.0
        def f(self, x): return x * self.__k
        @classmethod
        def c(cls, x): return x * cls.__k
        @staticmethod
        def s(x): return x * 3.0
    class D(B):
        def f(self, x): return super().f(x) * 2.0 + D.s(x) + self.c(x)
    d = D()
    def before(k): B._B__k = k + 1.0
    return Scene(lambda x: np.sum(d.f(x)), before=before)


class Mode(Enum):
    A = 1
    B = 2


@program(*CALLS)
def enum_in_a_dataclass():
    P = namedtuple("P", "a b")
    @dataclasses.dataclass
    class Config:
        mode: Mode = Mode.A
        p: tuple = P(1.0, 2.0)
        w: list = dataclasses.field(default_factory=lambda: [1.0, 2.0])
    c = Config()
    def f(x):
        local = Config(); local.w[0] = x[0]
        s = np.sum(x) * (c.p.a if c.mode is Mode.A else c.p.b) * c.w[1] + local.w[0]
        return s * dataclasses.replace(c, mode=Mode.B).w[0]
    def before(k):
        c.mode = Mode.B if k % 2 else Mode.A
        c.p = P(k + 1.0, k + 2.0); c.w[1] = k + 3.0; c.w[0] = k + 0.5
    return Scene(f, lambda: c, before)


@program(*CALLS)
def recursion_over_a_tree_that_grows():
    tree = {"v": 1.0, "kids": [{"v": 2.0, "kids": []}, {"v": 3.0, "kids": []}]}
    def value(t, x): return t["v"] * x[0] + sum(value(k, x) for k in t["kids"]) * x[1]
    def before(k):
        tree["kids"][1]["v"] = k + 1.0
        tree["kids"].append({"v": 1.0, "kids": []})
    return Scene(lambda x: value(tree, x), lambda: tree, before)


@program(*CALLS)
def number_of_steps_changes():
    class C: n = 1
    def f(x):
        r = x * 1.0
        for _ in range(C.n): r = r * x
        return np.sum(r)
    def before(k): C.n = k % 3
    return Scene(f, before=before)
