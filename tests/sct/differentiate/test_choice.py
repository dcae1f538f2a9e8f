"""The choice between two numbers, and its derivatives."""

from hybridad.sct.differentiate.choice import chosen
from tests.sct.differentiate.checking import check_forward, check_hessian, check_reverse


def test_chosen():
    assert chosen(True, 1.0, 2.0) == 1.0
    assert chosen(False, 1.0, 2.0) == 2.0


def test_derivatives():
    import operator as o

    def program(b, x, y):
        return b.apply(o.mul, x, b.apply(chosen, b.apply(o.gt, x, 0.0), b.apply(o.mul, x, y), y))

    for x in (0.5, -0.5):
        check_reverse(program, x, 0.7)
        check_forward(program, x, 0.7)
        check_hessian(program, x, 0.7)
