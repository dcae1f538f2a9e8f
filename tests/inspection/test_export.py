"""`export`: modules that answer without hybridad, and what cannot be one."""

import builtins
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hybridad
from hybridad import ArgumentError, UnsupportedError, cache_info, export, grad, value_and_grad
from tests.inspection.programs import (
    affine,
    evaluated,
    fold,
    halved,
    kink,
    noting,
    scaled,
    through,
)

RNG = np.random.default_rng(0)


def loaded(path):
    """What the module has, and how it refuses."""
    space = {"__name__": "adjoint"}
    exec(compile(path.read_text("utf-8"), str(path), "exec"), space)
    return space


def slope(f, x, step=1e-6):
    """The gradient by central differences."""
    g = np.zeros_like(x)
    for k in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[k] += step
        down[k] -= step
        g[k] = (f(up) - f(down)) / (2 * step)
    return g


def test_it_is_imported_where_there_is_no_hybridad(tmp_path):
    export(value_and_grad(fold), tmp_path / "fold_adjoint.py", 1.7, 4)
    code = (
        "import sys\n"
        "sys.modules['hybridad'] = None\n"
        "import fold_adjoint as m\n"
        "print(m.fold_value_and_grad(1.7, 4))\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'optree', 'scipy'}))\n"
        "try:\n"
        "    m.fold_value_and_grad(1.7, 5.0)\n"
        "except m.UnknownPath as error:\n"
        "    print(error)\n")
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=tmp_path, text=True,
                          capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    answer, packages, refusal = done.stdout.splitlines()
    assert eval(answer) == value_and_grad(fold, engine="tape")(1.7, 4)
    assert packages == "[]" and refusal == "this code is for n: int"


def test_it_answers_as_the_function_does(tmp_path):
    p = {"w": RNG.normal(size=(3, 2)), "b": RNG.normal(size=2)}
    x = RNG.normal(size=(4, 3))
    vg = value_and_grad(affine, argnums=(0, 1))
    module = loaded(export(vg, tmp_path / "affine.py", p, x))
    value, (by_p, by_x) = module["affine_value_and_grad"](p, x)
    assert value == affine(p, x) and list(by_p) == ["w", "b"]
    assert np.allclose(by_p["w"], slope(lambda w: affine({**p, "w": w}, x), p["w"]))
    assert np.allclose(by_p["b"], slope(lambda b: affine({**p, "b": b}, x), p["b"]))
    assert np.allclose(by_x, slope(lambda x: affine(p, x), x))


def test_grad_gives_the_gradient_alone(tmp_path):
    module = loaded(export(grad(kink), tmp_path / "m.py", 2.0))
    assert module["kink_grad"](3.0) == 6.0 and module["__all__"] == ["UnknownPath", "kink_grad"]


def test_the_auxiliary_result_is_given(tmp_path):
    def f(x):
        return np.sum(x * x), {"half": 0.5 * x, "n": 3}

    x = np.array([1.0, 2.0])
    both = loaded(export(value_and_grad(f, has_aux=True), tmp_path / "a.py", x))
    (value, aux), g = both["f_value_and_grad"](x)
    assert (value, aux["half"].tolist(), aux["n"], g.tolist()) == (5.0, [0.5, 1.0], 3, [2.0, 4.0])
    g, aux = loaded(export(grad(f, has_aux=True), tmp_path / "b.py", x))["f_grad"](x)
    assert g.tolist() == [2.0, 4.0] and aux["n"] == 3


def test_types_of_numbers_are_kept(tmp_path):
    def f(x, y):
        return x * x + y * 3

    vg = value_and_grad(f, argnums=(0, 1))
    module = loaded(export(vg, tmp_path / "m.py", 2.0, np.float32(1.0)))
    value, (by_x, by_y) = module["f_value_and_grad"](2.0, np.float32(1.0))
    assert (type(value), type(by_x), type(by_y)) == (np.float32, float, np.float32)
    assert (value, by_x, by_y) == (7.0, 4.0, 3.0)


def test_all_paths_that_have_been_seen_are_in_it(tmp_path):
    vg = value_and_grad(kink)
    vg(2.0)
    one = loaded(export(vg, tmp_path / "one.py"))
    assert one["kink_value_and_grad"](3.0) == (9.0, 6.0)
    with pytest.raises(one["UnknownPath"], match=r"not been seen: programs.py:\d+  if x > 1.0:"):
        one["kink_value_and_grad"](0.5)
    vg(0.5)
    both = loaded(export(vg, tmp_path / "both.py"))
    assert both["kink_value_and_grad"](3.0) == (9.0, 6.0)
    assert both["kink_value_and_grad"](0.5) == (1.5, 3.0)


@pytest.mark.parametrize(("args", "what"), [
    ((np.ones(3, "f4"), True), "w: float64[3]"), ((np.ones(4), True), "w: float64[3]"),
    (([1.0, 1.0, 1.0], True), "w: float64[3]"), ((np.ones(6)[::2], True), "w: float64[3]"),
    ((np.ones(3), 1), "flag is True"), ((np.ones(3), False), "flag is True"),
])
def test_other_arguments_are_refused(args, what, tmp_path):
    def f(w, flag):
        return np.sum(w * w) if flag else np.sum(w)

    module = loaded(export(value_and_grad(f), tmp_path / "m.py", np.ones(3), True))
    with pytest.raises(module["UnknownPath"]) as caught:
        module["f_value_and_grad"](*args)
    assert str(caught.value) == f"this code is for {what}" and isinstance(caught.value, ValueError)


def test_code_is_no_outside_state(tmp_path):
    module = loaded(export(grad(through), tmp_path / "m.py", 2.0))
    assert module["through_grad"](1.0) == 0.5 + np.cos(1.0)


def test_defaults_are_those_of_now(tmp_path):
    def by(x, factor=3.0, n=2):
        return x * factor * n

    g = grad(by)
    assert g(1.0) == 6.0
    by.__defaults__ = (4.0, 2)
    assert loaded(export(g, tmp_path / "m.py", 1.0))["by_grad"](1.0) == 8.0
    assert loaded(export(grad(halved), tmp_path / "h.py", 1.0, by=2.0))["halved_grad"](
        3.0, by=5.0) == 5.0


def test_a_default_that_has_changed_since_is_no_constant(tmp_path):
    def times(x, n=2):
        return x * n

    g = grad(times)
    g(1.0)
    times.__defaults__ = (3,)
    with pytest.raises(UnsupportedError, match="it reads the default 'n'"):
        export(g, tmp_path / "m.py", 1.0)


def test_containers_that_are_not_differentiated_are_looked_into(tmp_path):
    def f(w, batch):
        x, y = batch
        return np.sum((x @ w - y) ** 2)

    batch = RNG.normal(size=(4, 2)), RNG.normal(size=4)
    w = RNG.normal(size=2)
    module = loaded(export(value_and_grad(f), tmp_path / "m.py", w, batch))
    value, g = module["f_value_and_grad"](w, batch)
    assert value == f(w, batch) and np.allclose(g, slope(lambda w: f(w, batch), w))
    with pytest.raises(module["UnknownPath"], match=r"len\(batch\) != 2"):
        module["f_value_and_grad"](w, (*batch, 1.0))


def test_constants_are_written_down(tmp_path):
    def f(x):
        return np.sum(x * np.linspace(0.0, 1.0, 7) ** 3) * np.float32(0.1)

    x = RNG.normal(size=7)
    value, g = loaded(export(value_and_grad(f), tmp_path / "m.py", x))["f_value_and_grad"](x)
    assert value == f(x) and np.allclose(g, np.float32(0.1) * np.linspace(0.0, 1.0, 7) ** 3)


def test_scipy_is_imported_where_it_is_used(tmp_path):
    special = pytest.importorskip("scipy.special")

    def f(x):
        return special.erf(x)

    path = export(grad(f), tmp_path / "m.py", np.float64(0.5))
    assert "from scipy import special\n" in path.read_text("utf-8")
    assert np.isclose(loaded(path)["f_grad"](np.float64(0.5)),
                      2.0 / np.sqrt(np.pi) * np.exp(-0.25))


def test_arguments_are_left_as_they_were(tmp_path):
    def f(x):
        x[0] = 0.0
        return np.sum(x * x)

    x = np.array([1.0, 2.0])
    _, g = loaded(export(value_and_grad(f), tmp_path / "m.py", x))["f_value_and_grad"](x)
    assert x.tolist() == [1.0, 2.0] and g.tolist() == [0.0, 4.0]


def test_what_is_written_to_may_not_be_shared(tmp_path):
    def f(x, y):
        x[0] = 0.0
        return np.sum(x * y)

    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    module = loaded(export(value_and_grad(f), tmp_path / "m.py", x, y))
    assert module["f_value_and_grad"](x, y)[0] == 8.0
    with pytest.raises(module["UnknownPath"], match="arrays that are not the same"):
        module["f_value_and_grad"](x, x)
    with pytest.raises(module["UnknownPath"], match="x and y that share no memory"):
        module["f_value_and_grad"](x, x[:])


def test_code_for_shared_arguments_is_refused():
    x = np.ones(3)
    assert "f cannot be a module of its own: arguments are one object or share memory." in refusal(
        grad(lambda x, y: np.sum(x * y), argnums=0), x, x).replace("<lambda>", "f")


def test_nan_is_kept_out(tmp_path):
    def f(x):
        return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0))

    g = grad(f)
    x = np.array([0.0, 4.0])
    assert loaded(export(g, tmp_path / "m.py", x))["f_grad"](x).tolist() == [0.0, 0.25]


def test_numbers_are_chosen_without_hybridad(tmp_path):
    def f(x):
        return np.sqrt(x) * 2.0

    path = export(grad(f), tmp_path / "m.py", 4.0)
    assert loaded(path)["f_grad"](4.0) == 0.5 and "import hybridad" not in path.read_text("utf-8")


def test_the_text_is_always_the_same(tmp_path):
    first = export(value_and_grad(fold), tmp_path / "a.py", 1.7, 4).read_bytes()
    vg = value_and_grad(fold)
    vg(1.7, 4)
    assert export(vg, tmp_path / "b.py").read_bytes() == first
    assert str(tmp_path).encode() not in first and b"\r" not in first


def test_it_says_what_it_is(tmp_path):
    text = export(value_and_grad(fold), tmp_path / "m.py", 1.7, 4).read_text("utf-8")
    head = text.split('"""')[1]
    assert head.startswith("The value and the gradient of `fold`.\n")
    assert re.search(rf"hybridad {re.escape(hybridad.__version__)} .*from programs.py:\d+\.", head)
    assert "    x: float, differentiated\n    n: int\n" in head
    assert "fold_value_and_grad(x, n) -> value, gradient" in head


def test_a_file_is_replaced_as_a_whole(tmp_path, monkeypatch):
    path = tmp_path / "m.py"
    path.write_text("before = 1\n", "utf-8")

    def fail(*args):
        raise OSError("full")

    with monkeypatch.context() as context:
        context.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="full"):
            export(grad(kink), path, 2.0)
    assert path.read_text("utf-8") == "before = 1\n" and os.listdir(tmp_path) == ["m.py"]
    assert export(grad(kink), str(path), 2.0) == path
    assert "kink_grad" in loaded(path) and os.listdir(tmp_path) == ["m.py"]


def test_it_counts_as_nothing_if_it_is_known(tmp_path):
    g = grad(kink)
    g(2.0)
    before = cache_info(g)
    export(g, tmp_path / "m.py", 3.0)
    assert cache_info(g) == before


@pytest.mark.parametrize("name", ["m.txt", "a-b.py", "m", "1.py"])
def test_names_that_are_no_modules_are_refused(name, tmp_path):
    with pytest.raises(ArgumentError, match="is not the name of a module") as caught:
        export(grad(kink), tmp_path / name, 2.0)
    assert "Write one like 'adjoint.py'." in str(caught.value) and not os.listdir(tmp_path)


def refusal(vg, *args):
    """What `export` says, and that it has written nothing."""
    path = Path("never.py")
    with pytest.raises(UnsupportedError) as caught:
        export(vg, path, *args)
    assert not path.exists()
    return str(caught.value)


def test_outside_state_is_refused():
    text = refusal(grad(scaled), 2.0)
    assert text.startswith("scaled cannot be a module of its own: it reads the global 'scale'.\n")
    assert re.search(r"at programs.py:\d+  return x \* scale\n", text)
    assert text.endswith("Pass as an argument what it needs, and return what it is to give.")


def test_cells_attributes_and_effects_are_refused():
    factor, box = 3.0, []

    class Model:
        rate = 2.0

    model = Model()
    assert "it reads 'factor' of an enclosing function.\n" in refusal(
        grad(lambda x: x * factor), 2.0)
    assert "it reads 'model' of" in refusal(grad(lambda x: x * model.rate), 2.0)
    assert "it reads 'box' of" in refusal(grad(lambda x: box.append(1) or x), 2.0)
    assert "it reads the global 'seen'." in refusal(grad(noting), 2.0)

    def setting(x, model):
        model.rate = 2.0 * x
        return x * model.rate

    assert "it changes what is outside.\n" in refusal(grad(setting), 2.0, model)


def test_writes_to_the_callers_arrays_are_refused():
    def f(x, out):
        out[0] = 1.0
        return x * x

    assert "it writes into an array from outside" in refusal(grad(f), 2.0, np.zeros(2))


def test_foreign_calls_are_refused():
    assert "it calls print, which is not followed" in refusal(
        grad(lambda x: print(end="") or x * x), 2.0)


def test_constants_that_cannot_be_written_are_refused():
    def f(x):
        return np.sum(x * np.linspace(0.0, 1.0, 20_000))

    lines = refusal(grad(f), np.ones(20_000)).split("\n")
    assert lines[0] == "f cannot be a module of its own: it uses an array of 20,000 elements."
    assert lines[-1] == "hybridad.source(vg) shows its code."


def test_what_stays_on_the_tape_is_refused():
    assert "There is no source of evaluated" in refusal(grad(evaluated), 2.0)


def test_engine_tape_is_refused():
    with pytest.raises(ArgumentError, match="which makes no source"):
        export(grad(kink, engine="tape"), "never.py", 2.0)


def test_it_is_public():
    assert "export" in hybridad.__all__ and not hasattr(builtins, "export")
