"""Static values as text."""

import math

import numpy as np
import pytest

from hybridad.sct.emit.static import Statics

VALUES = [
    0.1, -2.5, -0.0, math.inf, -math.inf, math.nan, 3, -3, True, None, "a'b", b"x", ..., 1 + 2j,
    -1 - 2j, complex(-0.0, 1.0), complex(math.inf, -0.0), (1,), (1, -2.0), [1, (2, 3)], (),
    np.float64(2.0), np.float32(0.1), np.dtype(">f4"), np.linalg.norm, np.abs, math.exp, len,
    np.float64, np.add.at, np.fft.rfft,
]


@pytest.mark.parametrize("x", VALUES, ids=repr)
def test_text_means_the_value(x):
    statics = Statics()
    text = statics.spell(x).text
    again = eval(text, {"np": np, "math": math, **statics.constants})
    assert type(again) is type(x)
    assert repr(again) == repr(x)


def test_public_names():
    statics = Statics()
    assert [statics.spell(x).text for x in (np.linalg.norm, np.absolute, np.fft.rfft, abs, np.exp)
            ] == ["np.linalg.norm", "np.abs", "np.fft.rfft", "abs", "np.exp"]
    assert not statics.constants


def test_scipy_special_is_imported():
    special = pytest.importorskip("scipy.special")
    statics = Statics()
    assert statics.spell(special.gammaln).text == "special.gammaln"
    assert statics.modules == {"from scipy import special"}


def test_what_has_no_name_is_bound_once():
    def softmax(x):
        return x

    statics = Statics()
    assert statics.spell(softmax).text == statics.spell(softmax).text == "_softmax"
    array = np.ones(3)
    assert statics.constants == {"_softmax": softmax}
    assert statics.constants[statics.spell(array).text] is array


def test_equal_scalars_are_one_constant():
    statics = Statics()
    assert statics.spell(np.float64(2.0)) == statics.spell(np.float64(2.0))
    assert statics.spell(np.float64(2.0)) != statics.spell(np.float64(3.0))
    assert statics.spell(np.float64(0.0)) != statics.spell(np.float64(-0.0))


def test_comments_say_what_is_bound():
    statics = Statics()
    statics.spell(np.float32(0.5))
    statics.spell(np.zeros((2, 3)))
    assert list(statics.comments()) == [
        "# _float32: np.float32(0.5)", "# _array: float64[2, 3]"]
