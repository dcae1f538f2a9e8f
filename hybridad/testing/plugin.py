"""Pytest plugin: the fixture `gradcheck`, and options for its random directions.

It is installed with hybridad; ``-p no:hybridad`` switches it off.
"""

import pytest

from hybridad.errors import GradientCheckError
from hybridad.testing.gradients import check_grads

__all__ = ["gradcheck", "pytest_addoption", "pytest_report_header"]


def pytest_addoption(parser):
    """Add ``--gradcheck-seed`` and ``--gradcheck-directions``, and both as ini options."""
    group = parser.getgroup("hybridad", "gradient checks")
    for name, default, text in (
        ("seed", 0, "seed of the random directions of gradient checks"),
        ("directions", 3, "how many random directions a gradient check takes"),
    ):
        group.addoption(f"--gradcheck-{name}", type=int, metavar="N", help=text)
        parser.addini(f"gradcheck_{name}", text, default=str(default))


def pytest_report_header(config):
    """Name the seed where it is not the usual one."""
    seed = _option(config, "seed")
    return f"gradcheck: seed {seed}" if seed else None


def _option(config, name):
    given = config.getoption(f"gradcheck_{name}")
    return int(config.getini(f"gradcheck_{name}")) if given is None else given


@pytest.fixture
def gradcheck(request):
    """Check the derivatives of a function: ``gradcheck(f, *args, modes=..., order=..., ...)``.

    The options are those of `hybridad.testing.check_grads`; the seed and the number of directions
    default to pytest's options ``--gradcheck-seed`` and ``--gradcheck-directions``, or to
    ``gradcheck_seed`` and ``gradcheck_directions`` in the ini file.

    Examples
    --------
    A test::

        def test_my_loss(gradcheck):
            gradcheck(my_loss, np.ones(3), 0.5)
    """
    config = request.config
    defaults = {name: _option(config, name) for name in ("seed", "directions")}

    def check(f, *args, **options):
        __tracebackhide__ = True
        options = defaults | options
        try:
            check_grads(f, args, **options)
        except GradientCheckError as error:
            report = str(error)
        else:
            return
        pytest.fail(f"{report}\nRepeat with: pytest {request.node.nodeid!r} "
                    f"--gradcheck-seed={options['seed']} "
                    f"--gradcheck-directions={options['directions']}", pytrace=True)

    return check
