"""A choice between two numbers, which is emitted as Python's conditional expression."""

__all__ = ["chosen"]


def chosen(condition, x, y):
    """`x` if `condition` holds, else `y`: `numpy.where` for numbers, which stay numbers.

    Examples
    --------
    >>> chosen(True, 1.0, 2.0)
    1.0
    """
    return x if condition else y
