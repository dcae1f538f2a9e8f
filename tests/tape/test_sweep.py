"""Reverse mode on a recording: what goes in, what comes out, and whose memory it is."""

import contextvars
import itertools
import warnings

import numpy as np
import pytest
from hybridad._record import active, is_wrapper, raw_of, storage_node

from hybridad import ScopeError, grad, value_and_grad, vjp
from hybridad.recording.run import record, tape_in_progress
from hybridad.recording.ufuncs import primitive_of
from hybridad.tape.sweep import Members, recording_tape, sweep
from tests.recording.unfound import unfound
from tests.rules.direct import load_cases, random_like

X = np.array([0.5, -1.25, 2.0])
CASES = {case.primitive: case for case in load_cases()  # one for each
         if primitive_of(case.primitive).kind != "constant"
         and (isinstance(case.primitive, np.ufunc)
              or "scipy" not in getattr(case.primitive, "__module__", ""))}


# Seeds ------------------------------------------------------------------------------------------


def test_a_sweep_adds_up_what_reaches_an_argument():
    recording = record(lambda x, y: (x * y, x[1:], x, y), (X, 3.0), {}, [0, 1])
    seeds = [np.array([1.0, 0.0, 2.0]), np.array([10.0, 20.0]), np.full(3, 100.0), 5.0]
    x, y = sweep(recording, seeds)
    assert x.tolist() == [103.0, 110.0, 126.0] and type(y) is float and y == 0.5 + 4.0 + 5.0
    for k in range(4):  # None is zero
        x, y = sweep(recording, [s if j == k else None for j, s in enumerate(seeds)])
        zero = np.zeros(3), 0.0
        alone = sweep(recording, [s if j == k else 0.0 * s for j, s in enumerate(seeds)])
        assert x.tolist() == alone[0].tolist() and y == alone[1] and type(y) is float
    x, y = sweep(recording, [None] * 4)
    assert x.tolist() == zero[0].tolist() and (y, type(y)) == (0.0, float)


def test_seeds_are_brought_into_the_space_of_the_result():
    args = X.astype("f"), np.float32(1.0)
    recording = record(lambda x, s: (x * 2.0, s * 2.0), args, {}, [0, 1])
    x, s = sweep(recording, [np.array([1, 2, 3]), 1.0 + 5.0j])
    assert x.dtype == "f" and x.tolist() == [2.0, 4.0, 6.0] and type(s) is np.float32 and s == 2.0
    recording = record(lambda z: z * (1.0 + 1.0j), (X + 0j,), {}, [0])
    (z,) = sweep(recording, [np.ones(3)])
    assert z.dtype == "D" and np.all(z == 1.0 + 1.0j)


def test_seeds_are_not_written_to():
    def f(x):
        y = x * 1.0
        y[0] = y[1] * y[2]
        y += x
        return y, x, y[::-1]

    _, pullback = vjp(f, X)
    cotangent = tuple(np.arange(3.0) + k for k in range(3))
    for c in cotangent:
        c.flags.writeable = False
    first, second = pullback(cotangent)[0], pullback(cotangent)[0]
    assert first.tolist() == second.tolist()
    assert [c.tolist() for c in cotangent] == [[0, 1, 2], [1, 2, 3], [2, 3, 4]]


def test_views_of_one_result():
    """Cotangents of results that look into the same memory add up in it."""
    def f(x):
        y = x.reshape(2, 2) * 1.0
        return y, y.T, y[0], y[:, ::-1], y[1, 1], y.reshape(-1)[1:3]

    _, pullback = vjp(f, np.arange(4.0))
    seeds = (np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[10.0, 20.0], [30.0, 40.0]]),
             np.array([100.0, 200.0]), np.array([[1e3, 2e3], [3e3, 4e3]]), 1e4,
             np.array([1e5, 2e5]))
    (g,) = pullback(seeds)
    assert g.tolist() == [1 + 10 + 100 + 2e3, 2 + 30 + 200 + 1e3 + 1e5, 3 + 20 + 4e3 + 2e5,
                          4 + 40 + 3e3 + 1e4]


# Members ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("like", [
    1.0, 1j, np.float32(1), np.float16(1), np.longdouble(1), np.complex64(1), np.ones(2, "f"),
    np.ones(2, ">f8"), np.ones((2, 1), "e"), np.ones(()), np.ones(0), np.ones(2, ">c8")],
    ids=lambda x: f"{type(x).__name__}-{getattr(x, 'dtype', '')}")
def test_members_are_of_the_type_of_what_they_belong_to(like):
    shape = np.shape(like)
    value = np.full(shape, 2.0, getattr(like, "dtype", type(like))).astype(
        np.dtype(getattr(like, "dtype", type(like))).newbyteorder("="))
    for given in (value if shape or isinstance(like, np.ndarray) else value[()], None):
        member = Members(None).of(given, like)
        assert type(member) is type(like) and np.shape(member) == shape
        assert getattr(member, "dtype", None) == getattr(like, "dtype", None)
        assert np.all(member == (0.0 if given is None else 2.0))
        if isinstance(like, np.ndarray):
            assert member.flags.owndata and member.flags.writeable


def test_members_own_their_memory():
    members, like = Members(None), np.zeros(3)
    base = np.arange(3.0)
    fixed = base.copy()
    fixed.flags.writeable = False
    first = members.of(base, like)
    assert first is base, "nobody else has it"
    found = [first, members.of(base, like), members.of(base[:], like), members.of(base[::-1], like),
             members.of(fixed, like), members.of(np.broadcast_to(2.0, 3), like)]
    for a, b in itertools.combinations(found, 2):
        assert not np.may_share_memory(a, b)
    assert all(m.flags.owndata and m.flags.writeable for m in found)
    assert [m.tolist() for m in found] == [[0, 1, 2]] * 3 + [[2, 1, 0], [0, 1, 2], [2, 2, 2]]


def test_members_of_a_pass_that_is_recorded():
    seen = []

    @unfound  # for it looks at wrappers by itself
    def f(x):
        old = x * 1.0
        members = Members(tape_in_progress())
        new = x * 2.0
        found = [members.of(new, X), members.of(new, X), members.of(old, X), members.of(None, X),
                 members.of(new[0], 1.0), members.of(new, X.astype(">f8"))]
        assert found[0] is new and is_wrapper(found[3]) and not active(found[3])
        assert found[5].dtype == np.dtype(">f8")
        nodes = [storage_node(m) for m in found if active(m)]
        assert len(set(nodes)) == len(nodes) and storage_node(old) not in nodes
        seen.extend(raw_of(m) for m in found)
        for m in found[:4]:
            m[0] = 0.0
        return np.sum(sum(found[:4])) + found[4] + np.sum(found[5])

    g = grad(f)(X)
    # 2 + 2 + 1 for the first three but at 0, then the element, then all.
    assert g.tolist() == [0.0 + 2.0 + 2.0, 5.0 + 2.0, 5.0 + 2.0]
    for a, b in itertools.combinations([s for s in seen if isinstance(s, np.ndarray)], 2):
        assert not np.may_share_memory(a, b)


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_no_rule_shares_memory(case):
    """Whatever a rule returns: what the caller gets is his, and what he overwrites is not seen."""
    dtype = "d" if "d" in case.dtypes else case.dtypes[0]
    args = tuple(np.array(a) if np.ndim(a) else a for a in case.draw(dtype))
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, pullback = vjp(case.call, *args)
    cotangent = random_like(value, rng)
    copy = np.array(cotangent)[()]
    first, second = pullback(cotangent), pullback(cotangent)
    arrays = [a for a in (value, cotangent, *first, *second) if isinstance(a, np.ndarray)]
    for a, b in itertools.combinations(arrays, 2):
        assert not np.may_share_memory(a, b)
    for array in (*args, *arrays[:2 + len(first)]):
        if isinstance(array, np.ndarray):
            for a in arrays:
                assert a is array or not np.may_share_memory(a, array)
            if array.flags.writeable and not any(array is g for g in second):
                array[...] = np.nan
    for g, h in zip(pullback(copy), second):
        assert np.array_equal(g, h, equal_nan=True) and type(g) is type(h)


# Which tape -------------------------------------------------------------------------------------


def test_recording_tape():
    recording = record(lambda x: x * 2.0, (X,), {}, [0])
    assert recording_tape(recording, [X]) is None and recording_tape(recording, [None, 1.0]) is None

    def f(x):
        tape = tape_in_progress()
        assert recording_tape(recording, [X]) is None
        assert recording_tape(recording, [X, x]) is tape
        linked = record(lambda y: y * x, (X,), {}, [0])
        assert linked.linked and recording_tape(linked, [None]) is tape
        free = record(lambda y: y * 2.0, (X,), {}, [0])
        assert not free.linked and recording_tape(free, [X]) is None
        assert record(lambda y: y * 2.0, (x,), {}, [0]).linked
        linked.keep()
        kept.append(linked)
        return np.sum(x)

    kept = []
    grad(f)(X)
    assert [x.tolist() for x in sweep(kept[0], [np.ones(3)])] == [X.tolist()]


def test_a_pass_is_recorded_where_its_values_belong():
    recording = record(lambda x: x * 2.0, (X,), {}, [0])

    @unfound  # with its source known, it would call for an effect: with plain values
    def f(x):
        contextvars.Context().run(recording_tape, recording, [x])

    with pytest.raises(ScopeError, match="the run of f was used in the run of <lambda>"):
        grad(f)(X)


# Memory is as before ----------------------------------------------------------------------------


def test_a_sweep_puts_memory_back():
    """Old versions are restored for the rules; afterwards everything is as the run left it."""
    def f(x):
        y = x * 1.0
        z = y * y           # reads y, so that writes to it are undone
        y[0] = 5.0
        y[1:] *= z[:-1]
        y[[2, 0]] = y[[0, 1]]
        y[y > 3.0] = x[0]
        np.add.at(y, [1, 1], z[:2])
        return y, z * y

    recording = record(f, (X,), {}, [0])
    results = [output.raw for output in recording.outputs]
    before = [r.tobytes() for r in results]
    plain = f(X.copy())
    assert [r.tobytes() for r in plain] == before
    for seeds in ([np.ones(3), None], [None, X], [X, X]):
        first = sweep(recording, seeds)[0]
        assert [r.tobytes() for r in results] == before
        assert sweep(recording, seeds)[0].tobytes() == first.tobytes()


def test_what_still_lives_is_not_used_up():
    """The last sweep frees as it goes, but not what somebody still holds."""
    kept = []

    def f(x):
        y = x * 3.0
        z = np.exp(y)
        y[0] = z[1]
        kept.extend([y, z, y[1:], z * y])
        y *= 2.0
        return np.sum(y * z)

    value, g = value_and_grad(f)(X)
    y = X * 3.0
    z = np.exp(y)
    y[0] = z[1]
    assert kept[1].tolist() == z.tolist() and kept[3].tolist() == (z * y).tolist()
    assert kept[0].tolist() == (y * 2.0).tolist() and kept[2].tolist() == (y * 2.0)[1:].tolist()
    assert g.tolist() == vjp(f, X)[1](1.0)[0].tolist() and value == np.sum(y * 2.0 * z)
