"""Whether leaves share memory."""

import numpy as np
import pytest

from hybridad.engine.sharing import do_share

X = np.arange(12.0)
OBJECT = object()


@pytest.mark.parametrize(("leaves", "shared"), [
    ([], False), ([X], False), ([X, X], True), ([X, X.copy()], False),
    ([X[:6], X[6:]], False), ([X[:7], X[6:]], True), ([X[6:], OBJECT, X[:7]], True),
    ([X, np.ones(1), X.reshape(3, 4)[1]], True), ([X[::2], X[1::2]], True),
    ([OBJECT, OBJECT], True), ([OBJECT, object()], False), ([1.0, 1.0, 3, 3, 1j], False),
    ([np.float64(1.0)] * 2, False), ([X[:0], X], False), ([X[::-1], X[11:]], True),
])
def test_sharing(leaves, shared):
    assert do_share(leaves) is shared
