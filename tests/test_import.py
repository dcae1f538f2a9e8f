"""`import hybridad`: what it brings in, and what it says where it is not built."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hybridad

ROOT = Path(hybridad.__file__).resolve().parent

# What NumPy, pyrsistent and optree bring along, and Cython's own modules.
DEPENDENCIES = {"hybridad", "numpy", "pyrsistent", "pvectorc", "optree", "typing_extensions"}
CYTHON = ("cython_runtime", "_cython_", "_distutils_hack")


def python(code, *options, folder):
    return subprocess.run([sys.executable, *options, "-c", code], cwd=folder, text=True,
                          capture_output=True, timeout=60)


def brought_in(module):
    """The packages outside the standard library that an import loads in a fresh process."""
    code = f"""
import sys
before = set(sys.modules)
import {module}
new = {{name.split(".")[0] for name in set(sys.modules) - before}}
print(*sorted(new - set(sys.stdlib_module_names)))
"""
    done = python(code, "-W", "error", folder=ROOT.parent)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return {name for name in done.stdout.split() if not name.startswith(CYTHON)}


def test_needs_its_dependencies_only():
    found = brought_in("hybridad")
    assert {"hybridad", "numpy"} <= found <= DEPENDENCIES


def test_plugin_brings_in_nothing_that_is_slow():
    """Every start of pytest pays for it, in whatever project hybridad is installed."""
    found = brought_in("hybridad.testing.plugin")
    slow = {"scipy", "rich", "matplotlib", "pandas", "hypothesis", "autograd", "cupy"}
    assert "pytest" in found and not found & slow


@pytest.fixture
def unbuilt(tmp_path):
    """A copy of the sources, as in a fresh clone."""
    shutil.copytree(ROOT, tmp_path / "hybridad",
                    ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "data"))
    return tmp_path


@pytest.mark.parametrize("module", ["hybridad", "hybridad.api", "hybridad.testing"])
def test_unbuilt_says_what_to_run(unbuilt, module):
    # Without `site`, so that an installed hybridad does not lend its extension modules.
    done = python(f"import {module}", "-S", folder=unbuilt)
    assert done.returncode == 1
    last = done.stderr.strip().split("\n")[-2:]
    assert last[0].startswith("hybridad.errors.NotBuiltError: The extension modules of hybridad")
    assert "_tape" in last[0]
    assert last[1] == "In the source folder run: pip install -e ."


def test_unbuilt_is_an_import_error(unbuilt):
    code = """
try:
    import hybridad
except ImportError as error:
    from hybridad.errors import NotBuiltError
    assert type(error) is NotBuiltError, type(error)
    print("refused")
"""
    done = python(code, "-S", folder=unbuilt)
    assert done.stdout == "refused\n", done.stderr
