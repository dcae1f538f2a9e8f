"""``a.flat``"""

import numpy as np
import pytest

from hybridad.recording.tracing.memory import NotTraced
from tests.recording.tracing.follow import X, follow, kinds


def written(x):
    y = np.outer(x, x)
    y.flat[0] = x[1]
    y.flat[1:3] = x[:2] * 2.0
    y.flat[[4, 5]] = 7.0
    part = y.flat[:2]
    part[0] = 100.0
    return np.sum(y * x) + np.sum(part)


@pytest.mark.parametrize("f", [
    written,
    lambda x: np.outer(x, x).flat[4] * x[0] + np.sum(np.outer(x, x).flat[2:5]),
    lambda x: sum(k * v for k, v in enumerate(np.outer(x, x).flat)),
    lambda x: len(x.flat) * x.flat[1] + sum(x.flat),
])
def test_answers(f):
    follow(f, X)


def test_what_is_not_contiguous():
    with pytest.raises(NotTraced, match="not contiguous"):
        kinds(lambda x: np.outer(x, x).T.flat[1], X.copy())
