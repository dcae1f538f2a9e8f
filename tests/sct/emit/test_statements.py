"""How operations are nested, ordered, commented, freed."""

import numpy as np

from hybridad.sct.emit import emit
from hybridad.sct.load import load
from hybridad.trace.text import parse


def body(text, **options):
    """The lines of a function without its head and comments on types."""
    rows = emit(parse(text), **options).text.splitlines()
    start = next(k for k, row in enumerate(rows) if row.startswith("def ")) + 1
    return [row[4:] for row in rows[start:] if not row.startswith("    # x:")]


def test_single_use_within_a_line_is_nested_and_lines_are_commented(tmp_path):
    path = tmp_path / "fit.py"
    path.write_text("def f(x):\n    y = np.tanh(x) * 2 + 1\n    return y.sum()\n")
    block = f"""
        %0 = input 0  : float64[3] C m0  x
        %1 = np.tanh(%0)  : float64[3] C m1  # {path}:2
        %2 = %1 * 2  : float64[3] C m2  # {path}:2
        %3 = %2 + 1  : float64[3] C m3  y  # {path}:2
        %4 = .sum(%3)  : float64  # {path}:3
        %5 = np.ones_like(%3)  : float64[3] C m4  g_y  [adjoint]  # {path}:3
        return %4  cotangents (%5,)  # {path}:3
    """
    assert body(block) == [
        "# fit.py:2  y = np.tanh(x) * 2 + 1",
        "y = np.tanh(x) * 2 + 1",
        "# fit.py:3  return y.sum()",
        "value = y.sum()",
        "# adjoint of fit.py:3",
        "g_y = np.ones_like(y)",
        "return value, g_y",
    ]


def test_values_of_another_line_are_not_nested():
    assert body("""
        %0 = input 0  : float  x
        %1 = %0 * 2.0  # a.py:1
        %2 = %1 + 1.0  # a.py:2
        return %2  # a.py:2
    """) == ["# a.py:1", "t = x * 2.0", "# a.py:2", "return (t + 1.0,)"]


def test_the_order_of_evaluation_is_kept():
    rows = body("""
        %0 = input 0  : float  x
        %1 = np.log(%0)  # a.py:1
        %2 = np.sqrt(%0)  # a.py:1
        %3 = %2 - %1  # a.py:1
        return %3  # a.py:1
    """)
    assert rows == ["# a.py:1", "t = np.log(x)", "return (np.sqrt(x) - t,)"]


def test_an_expression_is_not_nested_over_a_write():
    block = """
        %0 = input 0  : float64[3] C m0  x
        %1 = %0[0]  : float64  # a.py:1
        %2 = write operator.setitem(%0, 0, 5.0)  : float64[3] C m0  # a.py:1
        %3 = %1 + 1.0  # a.py:1
        return %3  # a.py:1
    """
    assert body(block) == ["# a.py:1", "t = x[0]", "x[0] = 5.0", "return (t + 1.0,)"]
    assert load(emit(parse(block)))(np.array([1.0, 2.0, 3.0])) == (2.0,)


def test_lines_stay_narrow_and_shallow():
    text = ["%0 = input 0  : float  x"]
    text += [f"%{k + 1} = np.tanh(%{k})  # a.py:1" for k in range(60)]
    text.append("return %60  # a.py:1")
    source = emit(parse("\n".join(text)))
    assert all(len(row) <= 100 for row in source.text.splitlines())
    assert all(row.count("tanh") <= 5 for row in source.text.splitlines())
    x = 1.0
    for _ in range(60):
        x = np.tanh(x)
    assert load(source)(1.0) == (x,)


def test_unused_operations_that_may_raise_stay():
    assert body("""
        %0 = input 0  : float  x
        %1 = np.log(%0)
        return 1.0
    """) == ["np.log(x)", "return (1.0,)"]


def test_large_arrays_are_freed_after_their_last_use():
    rows = body("""
        %0 = input 0  : float64[100000] C m0  x
        %1 = np.tanh(%0)  : float64[100000] C m1  a
        %2 = np.sin(%1)  : float64[100000] C m2  b
        %3 = np.sum(%2)  : float64  s
        %4 = np.sum(%2)  : float64  t
        %5 = %3 + %4
        return %5
    """)
    assert rows.index("del a") == rows.index("b = np.sin(a)") + 1
    assert rows.index("del b") == rows.index("t = np.sum(b)") + 1


def test_the_adjoint_is_quiet_and_the_forward_part_is_not():
    rows = body("""
        %0 = input 0  : float64[3] C m0  x
        %1 = np.log(%0)  : float64[3] C m1  y
        %2 = np.sum(%1)  : float64
        %3 = 1.0 / %0  : float64[3] C m2  g_x  [adjoint]
        return %2  cotangents (%3,)
    """)
    assert rows == ["y = np.log(x)", "value = np.sum(y)", "", 'with np.errstate(all="ignore"):',
                    "    g_x = 1.0 / x", "return value, g_x"]


def test_seeds_have_the_type_of_the_value():
    (found,) = load(emit(parse("""
        %0 = seed  : float32  [adjoint]
        return %0
    """)))()
    assert type(found) is np.float32
