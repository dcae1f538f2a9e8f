"""The pytest plugin, run by pytest in a folder of its own."""

from importlib.metadata import entry_points

import pytest

# Where hybridad is installed pytest finds its plugin, and a second one would be refused.
FOUND = bool(entry_points(group="pytest11", name="hybridad"))
PLUGIN = () if FOUND else ("-p", "hybridad.testing.plugin")

TESTS = """
    import numpy as np

    def test_right(gradcheck):
        gradcheck(lambda x: np.sum(np.tanh(x)), np.ones(3))

    def test_options(gradcheck):
        gradcheck(lambda x, n: x**n, 2.0, 3, modes="rev", order=1, argnums=0)
"""

WRONG = """
    import numpy as np
    import hybridad.testing.subject as subject

    class Api:
        @staticmethod
        def vjp(f, *args, right=subject.api.vjp):
            value, pullback = right(f, *args)
            return value, lambda v: tuple(2.0 * g for g in pullback(v))

    def test_wrong(gradcheck, monkeypatch):
        monkeypatch.setattr(subject, "api", Api)
        gradcheck(lambda weights: np.tanh(weights), np.array([0.5, 1.0]), modes="rev")
"""


@pytest.fixture
def run(pytester):
    def run(source, *options):
        pytester.makepyfile(source)
        return pytester.runpytest_inprocess(*PLUGIN, *options)

    return run


def test_passes(run):
    run(TESTS).assert_outcomes(passed=2)


def test_failure_is_short_and_readable(run):
    result = run(WRONG, "--gradcheck-seed=5")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "*gradcheck: seed 5*",
        "*gradcheck(lambda weights: np.tanh(weights)*",
        "*reverse-mode derivative of <lambda> is wrong in argument weights.*",
        "*weights*0*: got *, expected *",
        "*seed 5*",
        "*Repeat with: pytest *test_wrong* --gradcheck-seed=5 --gradcheck-directions=3*",
    ])
    text = result.stdout.str()
    assert "check_grads(" not in text and "gradients.py" not in text
    assert "During handling" not in text


def test_other_errors_keep_their_traceback(run):
    result = run("""
        def test_bug(gradcheck):
            def f(x):
                raise RuntimeError("mine")
            gradcheck(f, 1.0)
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*RuntimeError: mine*"])


def test_options_from_the_ini_file(run, pytester):
    pytester.makeini("[pytest]\ngradcheck_seed = 7\ngradcheck_directions = 2")
    result = run(WRONG)
    result.stdout.fnmatch_lines(["*--gradcheck-seed=7 --gradcheck-directions=2*"])
    result = run(WRONG, "--gradcheck-seed=8")
    result.stdout.fnmatch_lines(["*--gradcheck-seed=8 --gradcheck-directions=2*"])


def test_explicit_options_win(run):
    result = run(WRONG.replace('modes="rev"', 'modes="rev", seed=11'), "--gradcheck-seed=5")
    result.stdout.fnmatch_lines(["*--gradcheck-seed=11*"])


def test_is_announced(run):
    result = run(TESTS, "--help")
    result.stdout.fnmatch_lines(["*--gradcheck-seed=N*", "*gradcheck_directions*"])


def test_fixture_is_documented(run):
    run(TESTS, "--fixtures").stdout.fnmatch_lines(["gradcheck*", "*Check the derivatives*"])
