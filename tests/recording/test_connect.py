"""The extension modules are connected with the rooms above them when recording is imported."""

import subprocess
import sys

import numpy as np

from hybridad import grad
from hybridad.recording.connect import connect


def test_connecting_twice_changes_nothing():
    def f(x):
        y = np.zeros_like(x)
        y[0] = x[1] * x[0]
        y[[1, 1]] = np.sum(x)
        return np.sum(np.stack([y, x.clip(-1.0, 1.0)]) ** 2)

    x = np.array([0.5, 2.0, 3.0])
    expected = grad(f)(x)
    connect()
    assert grad(f)(x).tobytes() == expected.tobytes()


def test_any_room_may_be_imported_first():
    """Whichever module a program begins with, what it calls on the way is installed."""
    for room in ("hybridad.tape.push", "hybridad._sweep", "hybridad.testing"):
        code = (f"import {room}\n"
                "from hybridad import grad, jvp\n"
                "import numpy as np\n"
                "f = lambda x: np.sum(np.stack([x, x * x])[0] * x.sum())\n"
                "print(grad(f)(np.ones(2)), jvp(f, (np.ones(2),), (np.ones(2),))[1])")
        done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True,
                              timeout=60)
        assert done.stdout.split() == ["[4.", "4.]", "8.0"], done.stderr
