"""Whether leaves of a call are one object or share memory."""

import itertools

import numpy as np

__all__ = ["do_share"]

_NUMBERS = (int, float, complex, np.generic)


def do_share(leaves):
    """Whether two leaves are one object, numbers apart, or arrays whose memories may overlap.

    Parameters
    ----------
    leaves : list

    Returns
    -------
    bool

    Examples
    --------
    >>> import numpy as np
    >>> x = np.zeros(4)
    >>> do_share([x, x]), do_share([x[:3], x[2:]]), do_share([x[:2], x[2:]]), do_share([1.0, 1.0])
    (True, True, False, False)
    """
    objects = [leaf for leaf in leaves if not isinstance(leaf, _NUMBERS)]
    if len(set(map(id, objects))) < len(objects):
        return True
    spans = sorted([np.lib.array_utils.byte_bounds(leaf) for leaf in objects
                    if isinstance(leaf, np.ndarray) and leaf.size])
    return any(low < high for (_, high), (low, _) in itertools.pairwise(spans))
