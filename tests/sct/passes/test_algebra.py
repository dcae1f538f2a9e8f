"""Algebra of adjoint operations: what the last operation was, and what it becomes."""

import pytest

from hybridad.sct.passes import remove_dead, simplify
from tests.sct.passes.traces import cleaned

HEAD = """
    %0 = input 0, differentiated=True  : float64[3, 4] C m0
    %1 = input 1, differentiated=True  : float64[3, 4] C m1
    %2 = input 2, differentiated=True  : float64
    %3 = seed  : float64  [adjoint]
    %4 = np.broadcast_to(%3, (3, 4))  : float64[3, 4] A m4  [adjoint]
    %5 = %0 == 0  : bool_[3, 4] C m5
"""
A = "  : float64[3, 4] C m{}  [adjoint]"
VIEWS = (".T", "np.transpose", "np.swapaxes", "np.moveaxis", "np.reshape", "np.broadcast_to(%0",
         "np.real")
TURNED = "  : float64[4, 3] F m{}  [adjoint]"


def last(*operations):
    """What the last operation has become; `%9` and so on are what stands before it."""
    lines = []
    for k, operation in enumerate(operations, 9):
        kind = TURNED if operation.endswith("!") else A
        memory = 0 if operation.startswith(VIEWS) else k
        lines.append(f"    %{k} = {operation.rstrip('!')}{kind.format(memory)}\n")
    text = HEAD + "".join(lines) + f"    return %2  cotangents (%{k},)\n"
    found = cleaned(lambda block: remove_dead(simplify(block)), text)
    result = found[-1].partition("(")[2].rstrip(",)")
    return next((line.partition(" = ")[2] for line in found if line.startswith(f"{result} = ")
                 and "input" not in line), result)


@pytest.mark.parametrize("operation, simpler", [
    ("%0 * 1.0", "%0"), ("1.0 * %0", "%0"), ("%0 / 1.0", "%0"), ("%0 / -1.0", "-%0"),
    ("%0 + 0.0", "%0"), ("0 + %0", "%0"), ("%0 - 0.0", "%0"), ("0.0 - %0", "-%0"),
    ("%0 * -1.0", "-%0"), ("%0 ** 1", "%0"), ("%0 + %0", "2.0 * %0"),
    ("%4 * %0", "%0"), ("%0 * %4", "%0"), ("%4 / %0", "1.0 / %0"), ("%3 * %0", "%0"),
    ("%4 + %0", "1.0 + %0"), ("%4 - %0", "1.0 - %0"),
    ("%0 * %2", "%0 * %2"), ("%0 ** 2", "%0 ** 2"), ("%0 * %1", "%0 * %1"),
    ("np.where(%5, %0, 0.0)", "np.where(%5, %0, 0.0)"),
    ("np.real(%0)", "%0"), ("np.conjugate(%0)", "%0"), (".astype(%0, np.float64)", "%0"),
    (".astype(%0, np.float32)", "%0"),  # by the type of the result as it is written here
    ("np.reshape(%0, (3, 4))", "%0"), ("np.broadcast_to(%0, (3, 4))", "%0"),
])
def test_one_operation(operation, simpler):
    assert last(operation) == simpler


@pytest.mark.parametrize("operations, simpler", [
    (("-%0", "-%9"), "%0"),
    (("-%0", "%1 + %9"), "%1 - %0"),
    (("-%0", "%9 + %1"), "%1 - %0"),
    (("-%0", "%1 - %9"), "%1 + %0"),
    (("-%0", "-%1", "%9 * %10"), "%0 * %1"),
    (("%0 - %1", "-%9"), "%1 - %0"),
    (("2.0 * %0", "-%9"), "(-2.0) * %0"),
    (("2.0 * %0", "%9 * 3.0"), "6.0 * %0"),
    (("3.0 * %0", "%9 * 5.0"), "%9 * 5.0"),  # 3 * 5 would round another way
    (("%0 ** 1", "2 * %9"), "2 * %0"),
    (("%0 ** 0", "%9 * %1"), "%1"),
    (("%4 / 12.0", "%9 * %0"), f"{1 / 12} * %0"),
    (("%4 * 2.0", "%9 * %0"), "2.0 * %0"),
    (("%4 * %0", "%4 * %0", "%9 + %10"), "2.0 * %0"),
    ((".T(%0)!", ".T(%9)"), "%0"),
    ((".T(%0)!", "np.transpose(%9, (1, 0))"), "%0"),
    ((".T(%0)!", "np.swapaxes(%9, 0, 1)"), "%0"),
    ((".T(%0)!", "np.moveaxis(%9, -1, 0)"), "%0"),
    (("np.broadcast_to(%2, (3, 4))", "%0 * %9"), "%0 * %2"),
    (("np.where(%5, %0, 0.0)", "np.where(%5, %9, 0.0)"), "np.where(%5, %0, 0.0)"),
    (("np.where(%5, 0.0, %0)", "np.where(%5, %1, %9)"), "np.where(%5, %1, %0)"),
    (("np.logical_or(%4, %5)", "np.where(%9, %1, 1.0)"), "%1"),
])
def test_several_operations(operations, simpler):
    assert last(*operations) == simpler


def test_a_sign_is_turned_in_products_that_are_used_once():
    assert last("-%0", "%9 * %1", "%10 * %0", "%1 + %11").startswith("%1 - ")
    text = ("-%0", "%9 * %1", "%10 + %1", "%10 * %11")
    assert last(*text) == "%10 * %11"


def test_what_is_written_into_stays_an_array_of_its_own():
    lines = cleaned(simplify, HEAD + """
    %9 = %0 * 1.0  : float64[3, 4] C m9  [adjoint]
    %10 = write operator.iadd(%9[0], 1.0)  : float64[3, 4] C m9  [adjoint]
    return %2  cotangents (%10,)
    """)
    assert any(line.startswith("%9 = %0 * 1.0") for line in lines)


def test_forward_operations_stay():
    lines = cleaned(simplify, """
        %0 = input 0  : float64[3] C m0
        %1 = %0 * 1.0  : float64[3] C m1
        %2 = -%1  : float64[3] C m2
        %3 = -%2  : float64[3] C m3
        return %3
    """)
    assert len(lines) == 5


def test_shapes_that_were_only_an_example_are_no_reason():
    text = """
        %0 = input 0  : float64[3] C m0
        %1 = input 1  : int
        %2 = %0[:%1]  : float64[2] C m0
        %3 = %0[:2]  : float64[2] C m0
        %4 = np.broadcast_to(%3, (2,))  : float64[2] C m0  [adjoint]
        %5 = np.broadcast_to(%2, (2,))  : float64[2] C m0  [adjoint]
        return %0  cotangents (%4, %5)
    """
    assert cleaned(simplify, text)[-1] == "return %0  cotangents (%3, %5)"
