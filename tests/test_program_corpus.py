"""The corpus of `tests/programs`: what plain Python does is what the differentiated call does.

Each program is called several times in a row by ONE differentiated function, while inputs, globals,
cells and objects change between the calls. At each call the value (type and bits), the state of the
outside, the other arguments, the warnings and what is printed must be those of plain Python on a
scene of its own, the gradient that of finite differences, and no wrapper may be left.
"""

import copy
import gc
import importlib
import pkgutil
import sys
import threading
import warnings
from collections import Counter

import numpy as np
import pytest
from hybridad._record import constant_value
from hybridad._tape import Tape
from scipy import optimize

import tests.programs
from hybridad import grad, value_and_grad
from hybridad.errors import HybridadError
from hybridad.tree import flatten, is_floating
from tests.programs import PROGRAMS, A, Program
from tests.programs.differences import assert_close, differences, expected_gradient
from tests.programs.observation import (
    observe,
    replay,
    snapshot,
    wrappers_anywhere,
    wrappers_from,
)

_NO_GROUPS = {"differences", "observation", "settings"}
GROUPS = sorted({m.name for m in pkgutil.iter_modules(tests.programs.__path__)} - _NO_GROUPS)
for group in GROUPS:
    importlib.import_module(f"tests.programs.{group}")

ENGINES = ("tape", "auto")


def _differentiated(scene, program, engine):
    """One function for all calls of a scene; a call returns the value and the gradient."""
    single = len(program.argnums) == 1
    return value_and_grad(scene.f, program.argnums[0] if single else program.argnums,
                          engine=engine)


def plain_outcome(program, k):
    return replay(program, k, last=lambda scene, args: observe(
        lambda *args: (scene.f(*args), None), args, scene.state)[0])


def play(program, engine):
    """Make all calls of a scene by one differentiated function; yields each with what it left."""
    scene = program.scene()
    vg = _differentiated(scene, program, engine)
    for k, call in enumerate(program.calls):
        scene.before(k)
        args = copy.deepcopy(call)
        outcome, gradient = observe(vg, args, scene.state)
        yield k, outcome, gradient, wrappers_from(scene, vg, args, gradient, scene.state())


def check(program, engine):
    for k, outcome, gradient, left in play(program, engine):
        where = f"{program.name}, call {k}"
        plain = plain_outcome(program, k)
        wrong = outcome.differences(plain, exempt=program.argnums)
        assert not wrong, f"{where}: " + "; ".join(wrong)
        unmoved = replay(program, k, last=lambda scene, args: observe(
            lambda *args: (None, None), args, scene.state)[0])
        for n in program.argnums:
            same = outcome.arguments[n] == unmoved.arguments[n]
            assert same, f"{where}: argument {n} was written to"
        assert not left, f"{where}: a wrapper is left in {left}"
        if outcome.value[0] == "raised":
            continue
        by = gradient if len(program.argnums) > 1 else (gradient,)
        for n, got, expected in zip(program.argnums, by, expected_gradient(program, k)):
            leaves = [x for x in flatten(program.calls[k][n])[0] if is_floating(x)]
            dtype = np.result_type(*leaves) if leaves else np.float64
            assert_close(got, expected, dtype, f"{where}, argument {n}")


def each(names):
    return pytest.mark.parametrize("name", sorted(names))


@pytest.mark.parametrize("engine", ENGINES)
@each(name for name, p in PROGRAMS.items() if not p.refusable)
def test_program(name, engine):
    check(PROGRAMS[name], engine)


@pytest.mark.parametrize("engine", ENGINES)
@each(name for name, p in PROGRAMS.items() if p.refusable)
def test_refusable_program(name, engine):
    """It works, or the error names the user's line and what to write."""
    program = PROGRAMS[name]
    scene = program.scene()
    scene.before(0)
    try:
        _differentiated(scene, program, engine)(*copy.deepcopy(program.calls[0]))
    except HybridadError as error:
        assert f"{program.group}.py:" in str(error) and str(error).count("\n") >= 2, str(error)
    else:
        check(program, engine)


@pytest.mark.parametrize("engine", ENGINES)
@each(name for name, p in PROGRAMS.items() if p.second)
def test_second_derivative(name, engine):
    program = PROGRAMS[name]
    for k, (x,) in enumerate(program.calls):
        h = 2.0**-8 * abs(x)
        first = {d: _slope_at(program, k, x + d * h) for d in (-2, -1, 1, 2)}
        expected = (8 * (first[1] - first[-1]) - first[2] + first[-2]) / (12 * h)
        scene = program.scene()
        for j in range(k + 1):
            scene.before(j)
        got = grad(grad(scene.f, engine=engine), engine=engine)(x)
        assert abs(got - expected) < 1e-5 * (1.0 + abs(expected)), (got, expected)


def _slope_at(program, k, x):
    h = 2.0**-10 * abs(x)
    at = lambda d: float(replay(program, k, (x + d,)))
    return (8 * (at(h) - at(-h)) - at(2 * h) + at(-2 * h)) / (12 * h)


@pytest.fixture(scope="module")
def known():
    """Holders of wrappers that are not to be reported (again).

    The heap of a long session is large: what is there already is not walked each time.
    """
    gc.collect()
    gc.freeze()
    yield wrappers_anywhere()
    gc.unfreeze()
    gc.collect()
    gc.freeze()  # as tests/conftest.py has it


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("group", GROUPS)
def test_no_wrapper_is_left_anywhere(group, engine, known):
    """Nor in what no program shows: registries, caches, modules, thread locals."""
    programs = [p for p in PROGRAMS.values() if p.group == group]
    kept = [run_all(program, engine) for program in programs]
    left = _new(known)
    del kept
    if left:  # whose are they?
        names = [p.name for p in programs if (run_all(p, engine), _new(known))[1]]
        pytest.fail(f"{names}: {[f'{type(x)}: {x!r:.200}' for x in left]}")


def _new(known):
    ids = set(map(id, known))
    new = [x for x in wrappers_anywhere() if id(x) not in ids]
    known += new
    return new


def run_all(program, engine):
    """The scene and what all its calls returned."""
    scene = program.scene()
    vg = _differentiated(scene, program, engine)
    kept = [scene, vg]
    for k, call in enumerate(program.calls):
        scene.before(k)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kept.append(observe(vg, copy.deepcopy(call), lambda: None)[1])
    return kept


# What public reports ask for besides ------------------------------------------------------------


def test_one_function_in_several_threads():
    vg, wrong = value_and_grad(PROGRAMS["reports_of_staleness.cubes"].scene().f), []

    def work(n):
        for _ in range(5):
            x = np.linspace(0.5, n, n)
            value, gradient = vg(x)
            if value != np.sum(x**3) or not np.allclose(gradient, 3 * x**2):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(2, 10)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


@pytest.mark.parametrize("name", ["reports_of_staleness.repeated_sums", "models.kalman_filter",
                                  "comprehensions.generator_with_state"])
def test_calls_leave_no_objects_behind(name):
    program = PROGRAMS[name]
    scene = program.scene()
    scene.before(0)
    vg = value_and_grad(scene.f)
    counts = []
    for _ in range(3):
        for _ in range(20):
            vg(*program.calls[0])
        gc.collect()
        counts.append(len(gc.get_objects()))
    assert counts[2] - counts[1] < 20


def test_gradients_are_the_callers_own():
    """Optimizers keep references to them."""
    f = PROGRAMS["reports_of_staleness.rosenbrock"].scene().f
    g = grad(f)
    first = g(A(1.3, 0.7, 0.8))
    kept = first.copy()
    g(A(0, 0, 2))
    assert np.array_equal(first, kept) and first.flags.writeable and first.flags.owndata
    found = optimize.minimize(f, A(1.3, 0.7, 0.8), jac=g, method="BFGS").x
    assert np.allclose(found, 1.0, atol=1e-4)


def test_integers_are_refused():
    with pytest.raises(TypeError, match="float"):
        grad(lambda x: np.sum(x**2))(np.arange(4))


# Of the corpus itself ---------------------------------------------------------------------------


def lines_of(program, k):
    """The lines of the corpus that run in a first call with the arguments of call `k`."""
    folder, lines = tests.programs.__path__[0], set()

    def trace(frame, event, arg):
        if not frame.f_code.co_filename.startswith(folder):
            return None
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    def last(scene, args):
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            scene.f(*args)
        except Exception as error:
            lines.add(type(error))
        finally:
            sys.settrace(before)

    replay(program, 0, copy.deepcopy(program.calls[k]), last)
    return frozenset(lines)


def test_many_programs_branch_on_data():
    """Other arguments alone make them run other lines."""
    branching = [p.name for p in PROGRAMS.values()
                 if len({lines_of(p, k) for k in range(len(p.calls))}) > 1]
    assert len(branching) >= 40, branching


def test_corpus_is_large():
    sizes = Counter(p.group for p in PROGRAMS.values())
    assert len(PROGRAMS) >= 170 and len(sizes) == len(GROUPS) >= 15
    assert min(sizes.values()) >= 5, sizes


def test_programs_tell_something():
    """All calls return a number or raise what is meant, and some gradient is not zero."""
    flat = []
    for program in PROGRAMS.values():
        outcomes = [plain_outcome(program, k).value for k in range(len(program.calls))]
        raised = [k for k, v in enumerate(outcomes) if v[0] == "raised"]
        assert len(raised) < len(outcomes), program.name
        slopes = []
        for k in set(range(len(outcomes))) - set(raised):
            slopes += flatten(expected_gradient(program, k))[0]
        if not any(np.any(g) for g in slopes if is_floating(g)):
            flat.append(program.name)
    assert not flat


def test_many_programs_touch_the_outside():
    nothing = ("NoneType", "None")
    touching = [p.name for p in PROGRAMS.values() if plain_outcome(p, 0).state != nothing]
    assert len(touching) >= 50, touching


# Of the harness ---------------------------------------------------------------------------------


def _program(make, *calls):
    return Program("harness.here", make, tuple((c,) for c in calls), (0,), False, False)


@pytest.mark.parametrize("f, reason", [
    (abs, "kink"), (lambda x: 2.0 if x > 0 else 1.0, "disagree"),
    (lambda x: max(x, 0.0) ** 1.5 / abs(x) ** 0.5 if x else 0.0, "kink")])
def test_differences_find_kinks(f, reason):
    with pytest.raises(AssertionError, match=reason):
        differences(_program(lambda: f, 0.0), 0)


def test_state_of_earlier_calls_counts():
    def make():
        log = [1.0]

        def f(x):
            log.append(x)
            return log[-1] * log[-2] * len(log)

        return f

    slopes = [differences(_program(make, 2.0, 3.0, 5.0), k)[0] for k in range(3)]
    assert np.allclose(slopes, [1.0 * 2, 2.0 * 3, 3.0 * 4])


@pytest.mark.parametrize("make, wrong", [
    (lambda log: lambda x: (x * x, log.append(1))[0], "state"),
    (lambda log: lambda x: (x * x, print(x))[0], "printed"),
    (lambda log: lambda x: (x * x, warnings.warn("w", stacklevel=1))[0], "warned"),
    (lambda log: lambda x: float(x), "value"),
    (lambda log: lambda x: x.__setitem__(0, 1.0), "argument 0")])
def test_differences_of_outcomes_are_seen(make, wrong):
    x = np.full(1, 3.0)[0] if wrong != "argument 0" else np.zeros(1)
    log, other = [], []
    plain = observe(lambda x: (x * x if np.ndim(x) == 0 else None, None), (copy.copy(x),),
                    lambda: other)[0]
    f = make(log)
    changed = observe(lambda x: (f(x), None), (copy.copy(x),), lambda: log)[0]
    (found,) = changed.differences(plain, exempt=())
    assert found.startswith(wrong)
    assert not plain.differences(plain, exempt=())


def test_lines_of_an_exception_are_compared():
    program = PROGRAMS["exceptions.exception_that_escapes"]
    kind, _, lines = plain_outcome(program, 1).value
    assert kind == "raised" and [name for name, _ in lines] == ["f"]


class _Slotted:
    __slots__ = ("inside",)


def _hide(how, w):
    if how == "object array":
        box = np.empty(1, object)
        box[0] = w
        return box
    if how == "slot":
        box = _Slotted()
        box.inside = [w]
        return box
    return {"tuple": lambda: [((w,),)], "dict": lambda: {"a": {"b": w}}, "cell": lambda: lambda: w,
            "default": lambda: lambda v=w: v, "exception": lambda: ValueError(w),
            "generator": lambda: (v for v in [w])}[how]()


@pytest.mark.parametrize("how", ["tuple", "dict", "cell", "default", "exception", "generator",
                                 "object array", "slot"])
def test_hidden_wrappers_are_found(how, known):
    box = [_hide(how, constant_value(Tape(), np.zeros(1)))]
    assert wrappers_from(box)
    assert _new(known)
    box.clear()
    assert not wrappers_from(box)


def test_wrappers_in_frames_are_not_meant():
    def fails():
        w = constant_value(Tape(), np.zeros(1))
        parts = [w]
        raise ValueError(len(parts))

    with pytest.raises(ValueError) as caught:
        fails()
    assert not wrappers_from(caught.value)


def test_a_wrapper_in_the_state_is_an_error():
    with pytest.raises(AssertionError, match="wrapper"):
        snapshot({"a": [constant_value(Tape(), np.zeros(1))]})


def test_snapshots_tell_what_is_shared():
    a, b = [1.0], [1.0]
    buffer = np.zeros(3)
    assert snapshot([a, a]) != snapshot([a, b]) and snapshot([a, b]) == snapshot([b, a])
    assert snapshot([buffer[:1], buffer[1:]]) != snapshot([np.zeros(1), np.zeros(2)])
    assert snapshot(1.0) != snapshot(np.float64(1.0)) and snapshot(0.0) != snapshot(-0.0)
    assert snapshot({"a": 1, "b": 2}) != snapshot({"b": 2, "a": 1})
