"""Protocols of the user's classes that read state of the outside."""

# ruff: noqa: E701, E702

import contextlib

import numpy as np

from tests.programs import Scene, program
from tests.programs.state_outside import CALLS

K = [1.0]


def set_k(k):
    K[0] = k + 1.0


class Vec:
    def __init__(self, v): self.v = v
    def __add__(self, o): return Vec(self.v + o.v * K[0])
    def __getitem__(self, i): return self.v[i] * K[0]
    def __len__(self): return 3
    def __iter__(self): return iter(self.v * K[0])
    def __eq__(self, o): return K[0] > 2.0
    def __contains__(self, o): return K[0] > 2.0
    def __enter__(self): self.v = self.v * K[0]; return self
    def __exit__(self, *a): pass
    def __neg__(self): return Vec(-self.v * K[0])
    def __radd__(self, o): return self.v[0] * K[0] + o
    def __bool__(self): return K[0] > 2.0
    __hash__ = None
    @property
    def half(self): return self.v * K[0] / 2


@program(*CALLS)
def operators_of_a_class():
    return Scene(lambda x: (Vec(x) + Vec(x * x))[0] + Vec(x).half[1], before=set_k)


@program(*CALLS)
def iteration_of_a_class():
    return Scene(lambda x: sum(v for v in Vec(x)), before=set_k)


@program(*CALLS)
def negation_and_reflected_sum():
    return Scene(lambda x: (-Vec(x)).v[1] + (1.0 + Vec(x)), before=set_k)


@program(*CALLS)
def equality_truth_and_membership():
    def f(x):
        k = (1.0 if Vec(x) == 1 else 2.0) * (1.0 if 3 in Vec(x) else 5.0)
        return x[0] * k * (1.0 if Vec(x) else 7.0)
    return Scene(f, before=set_k)


@program(*CALLS)
def class_as_context():
    def f(x):
        with Vec(x) as v: return np.sum(v.v)
    return Scene(f, before=set_k)


@program(*CALLS)
def generator_as_context():
    log = []
    @contextlib.contextmanager
    def scale():
        log.append(K[0])
        yield K[0]
        log.append(-1.0)
    def f(x):
        with scale() as s: return np.sum(x) * s
    return Scene(f, lambda: log, set_k)
