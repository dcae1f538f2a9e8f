"""Scatter accumulation."""

from hybridad.sct.passes import gather_scatters
from tests.sct.passes.traces import cleaned

HEAD = """
    %0 = input 0, differentiated=True  : float64[3, 4] C m0
    %1 = input 1, differentiated=True  : float64[3, 2] C m1
    %2 = input 2, differentiated=True  : float64[4] C m2
    %3 = input 3, differentiated=True  : float64[4] C m3
    %4 = input 4  : int
    %5 = %0[0, 0]  : float64
    %6 = %0[0, 1]  : float64
"""


def scattered(shape, *writes, zeros="np.zeros_like(%0)", more="", wanted="%{}"):
    """The operations behind the inputs; `writes` are pairs of an index and a value."""
    text = HEAD + f"    %10 = {zeros}  : float64[{shape}] C m10  [adjoint]\n"
    for k, (index, value) in enumerate(writes, 10):
        text += (f"    %{k + 1} = write operator.iadd(%{k}[{index}], {value})"
                 f"  : float64[{shape}] C m10  [adjoint]\n")
    wanted = wanted.format(k + 1)
    lines = cleaned(gather_scatters, text + more + f"    return %5  cotangents ({wanted},)\n")
    return [line.split(" = ")[-1] for line in lines[7:]]


def test_slices_that_cover_an_axis_are_one_concatenation():
    assert scattered("3, 4", (":, 2:", "%1"), (":, :2", "%1")) == [
        "np.concatenate((%1, %1), axis=1)", "return %5  cotangents (%12,)"]
    assert scattered("8", ("0:4", "%2"), ("4:8", "%3"), zeros="np.zeros(8)") == [
        "np.concatenate((%2, %3))", "return %5  cotangents (%12,)"]


def test_elements_are_one_array():
    assert scattered("2", ("1", "%5"), ("0", "%6"), zeros="np.zeros(2)") == [
        "np.array([%6, %5])", "return %5  cotangents (%12,)"]


def test_one_part_that_is_everything_is_the_result():
    assert scattered("3, 4", (":", "%0"))[-1] == "return %5  cotangents (%0,)"


def test_slices_of_one_array_are_that_array():
    more = ("    %8 = %0[:2]  : float64[2, 4] C m0  [adjoint]\n"
            "    %9 = %0[2:]  : float64[1, 4] C m0  [adjoint]\n")
    text = HEAD + more
    found = cleaned(gather_scatters, text + """
    %10 = np.zeros_like(%0)  : float64[3, 4] C m10  [adjoint]
    %11 = write operator.iadd(%10[:2], %8)  : float64[3, 4] C m10  [adjoint]
    %12 = write operator.iadd(%11[2:], %9)  : float64[3, 4] C m10  [adjoint]
    return %5  cotangents (%12,)
    """)
    assert found[-1] == "return %5  cotangents (%0,)"
    swapped = cleaned(gather_scatters, text + """
    %10 = np.zeros_like(%0)  : float64[3, 4] C m10  [adjoint]
    %11 = write operator.iadd(%10[1:], %8)  : float64[3, 4] C m10  [adjoint]
    %12 = write operator.iadd(%11[:1], %9)  : float64[3, 4] C m10  [adjoint]
    return %5  cotangents (%12,)
    """)
    assert swapped[-2:] == ["%12 = np.concatenate((%9, %8))", "return %5  cotangents (%12,)"]


def test_rows_that_cover_fill_an_empty_array():
    assert scattered("3, 4", ("0", "%2"), ("2", "%3"), ("1", "%2")) == [
        "np.empty_like(%0)",
        "write operator.setitem(%10, 0, %2)",
        "write operator.setitem(%11, 2, %3)",
        "write operator.setitem(%12, 1, %2)",
        "return %5  cotangents (%13,)",
    ]


def test_the_first_time_it_is_no_sum():
    assert scattered("3, 4", ("0", "%2"), ("0:2", "%3"), ("2", "%2"), ("2", "%3")) == [
        "np.zeros_like(%0)",
        "write operator.setitem(%10, 0, %2)",
        "write operator.iadd(%11[0:2], %3)",
        "write operator.setitem(%12, 2, %2)",
        "write operator.iadd(%13[2], %3)",
        "return %5  cotangents (%14,)",
    ]


def test_an_index_of_the_run_may_be_the_first_only():
    assert scattered("3, 4", ("%4", "%2"), ("0", "%2"))[:3] == [
        "np.zeros_like(%0)",
        "write operator.setitem(%10, %4, %2)",
        "write operator.iadd(%11[0], %2)",
    ]


def test_zeros_that_others_use_stay():
    assert scattered("3, 4", (":", "%0"), wanted="%10, %{}")[1:2] == [
        "write operator.iadd(%10[:], %0)"]


def test_what_is_written_into_later_is_a_copy():
    more = "    %20 = write operator.imul(%11, 2.0)  : float64[3, 4] C m10  [adjoint]\n"
    assert scattered("3, 4", (":", "%0"), more=more, wanted="%20")[0] == "np.copy(%0)"
