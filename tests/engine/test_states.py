"""Programs whose outside changes step by step: each call is as in plain Python, hits included.

Each is a body, statements that set the outside, and what to look at after each call. They came out
of a hunt for answers of native code that were kept as they had been at recording.
"""

import importlib.util

import numpy as np
import pytest

from hybridad import value_and_grad

HEAD = """
import dataclasses, enum, functools, itertools, math, types
from collections import deque, namedtuple
import numpy as np
P = namedtuple("P", "a b")
class A: pass
class B(A): pass
class Color(enum.Enum):
    R = 0; G = 1; B = 2
class Meth:
    def __init__(self, k): self.k = k
    def m(self, v): return v * self.k
    def inc(self): self.k = self.k + 1.0
class Sq:
    def __init__(self, l): self.l = l
    def __len__(self): return len(self.l)
class Cach:
    def __init__(self, k): self.k = k
    @functools.cached_property
    def c(self): return self.k * 2
@dataclasses.dataclass(frozen=True)
class FP:
    a: int
class CallAttr:
    def __init__(self, d): self.d = d
    def __getattr__(self, n): return self.__dict__["d"][n]
    def __call__(self, v): return v * self.d["k"]
class Num:
    def __radd__(self, o): return 7.0
CFG = types.ModuleType("cfg")
LOG = []
def chk(n): raise ValueError("bad %s" % n)
M = np.arange(1.0, 10.0).reshape(3, 3)
XX = [1.5, 2.0, 3.0]
"""

X = "XX = [1.5, 2.0, 3.0]", "XX = [2.5, 2.0, 3.0]", "XX = [2.5, 2.6, 3.0]"
N = "N = 1", "N = 2", "N = 3"
LOGGED = tuple(["LOG.clear(); " + state for state in X])
LOGGED_N = tuple(["LOG.clear(); " + state for state in N])

PROGRAMS = [
    ('i = np.where(x > 2.2)[0]; return x.sum() * len(i)', X, None),
    ('s = x[0]*1.0\nfor k in np.nonzero(x > 2.2)[0]:\n    s = s + x[k] * k\nreturn s', X, None),
    ('i = np.where(x > 2.2)[0]; return x[i].mean()', X, None),
    ('return x.sum() * len(np.array_split(x, int(x[0])))', X, None),
    ('return np.split(np.concatenate([x, x]), indices_or_sections=N)[0].sum()', N, None),
    ('return np.split(np.outer(x, W), 3, axis=AX)[0].sum()',
     ('W=np.array([1.,5.,2.]);AX=0', 'AX=1', 'AX=0'), None),
    ('y = np.outer(x, [1., 2.]).reshape(L); return y[0, -1] * len(y)',
     ('L=[2,3]', 'L=[3,2]'), None),
    ('y = np.outer(x, [1., 2.]).transpose(L); return y[0, -1] * len(y)',
     ('L=[0,1]', 'L=[1,0]'), None),
    ('y = x[S]; return y.sum() * len(y)',
     ('S=slice(np.int64(0), np.int64(2))', 'S=slice(np.int64(0), np.int64(3))'), None),
    ('return (np.subtract.reduce(M * x, axis=AX) * np.array([1., 2., 3.])).sum()',
     ('AX=0', 'AX=1', 'AX=0'), None),
    ('return math.fsum(v * v for v in x)', X, None),
    ('return math.prod(v * v for v in x)', X, None),
    ('return x.sum() * math.fsum(D.values())', ('D=dict(a=1.)', 'D=dict(a=2.)'), None),
    ('return math.fsum(deque([x[0], x[1]]))', X, None),
    ('return math.dist(P(x[0], x[1]), P(0., 0.))', X, None),
    ("return x.sum() * (2. if '%.2f %.2f' % P(x[0], x[1]) == '1.50 2.00' else 3.)", X, None),
    ("LOG.append(','.join(f'{v:.2f}' for v in x)); return x.sum()", LOGGED, 'LOG'),
    ("LOG.append(', '.join(map(str, x))); return x.sum()", LOGGED, 'LOG'),
    ("return x.sum() * (2. if '2' in f'{x[0]:.2f}' else 3.)", X, None),
    ("return x.sum() * int(f'{x[0]:.2f}'.split('.')[0])", X, None),
    ("return x.sum() * int(f'{x[0]:.2f}'.partition('.')[0])", X, None),
    ("return x.sum() * sum(int(d) for d in f'{int(x[0])}')", X, None),
    ('return x.sum() * sum(int(d) for d in str(N))', ('N=1', 'N=12', 'N=345'), None),
    ("return x.sum() * len(set(f'{x[0]:.2f}'))", ('XX=[1.5,2.,3.]', 'XX=[2.22,2.,3.]'), None),
    ("return x.sum() * f'{x[0]:.2f}'.encode()[0]", X, None),
    ('try:\n'
     "    chk(f'{x[0]:.2f}')\n"
     'except ValueError as e:\n'
     '    LOG.append(str(e))\n'
     'return x.sum()',
     LOGGED, 'LOG'),
    ('return x.sum() * sum(L[:int(x[0])])',
     ('L=[1.,2.,4.];XX=[1.5,2.,3.]', 'L=[1.,2.,4.];XX=[2.5,2.,3.]'), None),
    ('return x.sum() * sum(T[N:])',
     ('T=(1.,2.,4.,8.);N=1', 'T=(1.,2.,4.,8.);N=2', 'T=(1.,2.,4.,8.);N=3'), None),
    ('return sum(k * v for k, v in enumerate([x[0], x[1]], N))', N, None),
    ('return sum(deque([x[0], x[1], x[2]], maxlen=N)) * 1.0', N, None),
    ('d = deque([x[0], x[1], x[2]]); d.rotate(N); return d[0] * 1.0', N, None),
    ('return sorted([x[0], x[1], x[2]], reverse=N)[0] * 1.0', ('N=1', 'N=2', 'N=0'), None),
    ('return sum(a[0] for a in itertools.product([x[0], x[1]], repeat=N))', N, None),
    ('return x[range(N)].sum()', N, None),
    ('return np.sum(np.array(range(N)) * x[0])', N, None),
    ('return x.sum() * (2. if range(N) == range(3) else 3.)', N, None),
    ('LOG.append(range(N)); return x.sum()', LOGGED_N, 'LOG'),
    ('return x.sum() * (2. if Color(int(x[0])) is Color.G else 3.)', X, None),
    ('return x.sum() * (2. if O else 3.)', ('O=Sq([1])', 'O=Sq([1,2])', 'O=Sq([])'), None),
    ('return x.sum() * np.min_scalar_type(N).itemsize', ('N=3', 'N=4', 'N=70000'), None),
    ('return x.sum() * (2. if isinstance(O, KINDS) else 3.)',
     ('O=B();KINDS=(A,)', 'KINDS=(int,)'), None),
    ('try:\n'
     "    raise KeyError('a')\n"
     'except KINDS:\n'
     '    return x.sum()\n'
     'except Exception:\n'
     '    return x.sum() * 2',
     ('KINDS=(KeyError,)', 'KINDS=(ValueError,)'), None),
    ('return x.sum() * np.size(L)', ('L=[1.]', 'L=[1., 2.]'), None),
    ('return x.sum() * len(np.broadcast_shapes(L, (1,)))', ('L=[1]', 'L=[1, 1]'), None),
    ('return x.sum() * (2. if np.iscomplexobj(L) else 3.)', ('L=[1.]', 'L=[1j]'), None),
    ('return x.sum() * (2. if D.items() == E.items() else 3.)',
     ('D=dict(a=1.);E=dict(a=1.)', 'D=dict(a=2.)'), None),
    ('return x.sum() * (2. if 1. in D.values() else 3.)', ('D=dict(a=1.)', 'D=dict(a=2.)'), None),
    ("return x.sum() * (2. if ('a', 1.) in D.items() else 3.)",
     ('D=dict(a=1.)', 'D=dict(a=2.)'), None),
    ('return x.sum() * sum(V)', ('D=dict(a=1.);V=D.values()', "D['a']=2."), None),
    ('return x.sum() * sum(v for k, v in MP.items())',
     ("MP=types.MappingProxyType({'a':1.})", "MP=types.MappingProxyType({'a':2.})"), None),
    ("return x.sum() * len([k for k in vars(A) if k.startswith('z')])", ('A.z1=1', 'A.z2=1'), None),
    ('return x.sum() * (2. if deque([x[0], 2.]) < deque([2., 2.]) else 3.)', X, None),
    ('return x.sum() * {FP(1): 1., FP(2): 2.}[G]', ('G=FP(1)', 'G=FP(2)'), None),
    ('return x.sum() * (hash(G) % 97)', ('G=FP(1)', 'G=FP(2)'), None),
    ('return x.sum() * CB(2.)', ('CB=Meth(2.).m', 'CB=Meth(3.).m'), None),
    ('return x.sum() * CB(2.)', ('O=Meth(2.);CB=O.m', 'O.k=3.'), None),
    ('CB(); return x.sum()', ('O=Meth(2.);CB=O.inc',), 'O.k'),
    ("return x.sum() * GET('a')", ('D=dict(a=1.);GET=D.get', "D['a']=2."), None),
    ('return x.sum() * GET(0)', ('L=[1.];GET=L.__getitem__', 'L[0]=2.'), None),
    ('return x.sum() * GET()',
     ("D=dict(a=1.);GET=functools.partial(D.get,'a')", "D['a']=2."), None),
    ('ADD(float(x[0])); return x.sum()', ('L=[];ADD=L.append',), 'L'),
    ('return x.sum() * len(FMT(1.))', ("FMT='{:.1f}'.format", "FMT='{:.3f}'.format"), None),
    ("return x.sum() * (2. if HAS('a') else 3.)",
     ("HAS={'a'}.__contains__", "HAS={'b'}.__contains__"), None),
    ('return x.sum() * CFG.k', ('CFG.k=1.', 'CFG.k=2.'), None),
    ('return x.sum() * Color.R.w', ('Color.R.w=1.', 'Color.R.w=2.'), None),
    ("return x.sum() * globals()['K']", ('K=1.', 'K=2.'), None),
    ('return x.sum() * (2. if W.flags.writeable else 3.)',
     ('W=np.ones(3)', 'W=np.ones(3);W.flags.writeable=False'), None),
    ('return x.sum() * W.strides[0]', ('W=np.ones(9)[::2]', 'W=np.ones(15)[::3]'), None),
    ('return x.sum() * O.c', ('O=Cach(1.)',), 'O.__dict__'),
    ('return x.sum() * sum(2. if type(k) is int else 3. for k in D)',
     ('D={1:1}', 'D={True:1}'), None),
    ('return x.sum() * sum(math.copysign(1., k) for k in D)', ('D={0.:1}', 'D={-0.:1}'), None),
    ('return x.sum() * (2. if type(S.start) is int else 3.)',
     ('S=slice(1,2)', 'S=slice(1.,2.)'), None),
    ('return np.dot(x, range(1, 4))', ('',), None),
    ('return np.polyval(range(3), x).sum()', ('',), None),
    ('return x.sum() * ([1.] + O)', ('O=Num()',), None),
    ('return O(x.sum())', ("O=CallAttr({'k':2.})",), None),
    ('return DOT(x)', ('DOT=np.array([1.,2.,3.]).dot',), None),
]


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_each_call_is_as_in_plain_python(number, tmp_path):
    body, states, watch = PROGRAMS[number]
    order = [state for state in states for _ in range(3)] + list(states)
    plain = play(body, order, watch, tmp_path / f"plain_{number}.py", lambda f: f)
    found = play(body, order, watch, tmp_path / f"mine_{number}.py", value_and_grad)
    for state, (value, shown), (answer, seen) in zip(order, plain, found):
        answer = answer[0] if type(answer) is tuple else answer
        assert (str(answer), seen) == (str(value), shown), state


def play(body, order, watch, path, differentiated):
    """What the calls gave, and what shows of the outside, in a module of their own."""
    lines = "\n".join("    " + line for line in body.split("\n"))
    path.write_text(f"{HEAD}\ndef f(x):\n{lines}\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    f, outcomes = differentiated(module.f), []
    for state in order:
        exec(state, vars(module))
        answer = f(np.array(module.XX))
        outcomes.append((answer, str(eval(watch, vars(module))) if watch else ""))
    return outcomes


def test_gradients_of_what_native_code_goes_through():
    import math
    from collections import deque

    x = np.array([1.5, 2.0, 3.0])
    for f in (lambda x: math.fsum(v * v for v in x), lambda x: math.prod(v for v in x),
              lambda x: math.fsum(deque([x[0], x[1]])), lambda x: x[np.where(x > 1.8)[0]].mean()):
        g = value_and_grad(f)
        steps = np.eye(3) * 1e-6
        for _ in range(3):
            slopes = [(f(x + step) - f(x - step)) / 2e-6 for step in steps]
            np.testing.assert_allclose(g(x)[1], slopes, rtol=1e-6)
