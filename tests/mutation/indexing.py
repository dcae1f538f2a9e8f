"""Writes and reads by every kind of index that NumPy takes.

Each index is crossed with every way to write by it; `z` holds on to the old version of `y`.
"""

import numpy as np

from tests.mutation import program

_MASK = np.array([[True, False, True, False], [False, True, True, False], [True] * 4])

INDICES = {
    "int": ((5,), 2),
    "negative": ((5,), -1),
    "numpy_int": ((5,), np.int64(1)),
    "zero_d_array": ((5,), np.array(3)),
    "slice": ((5,), slice(1, 4)),
    "slice_back": ((5,), slice(None, None, -2)),
    "slice_down": ((5,), slice(4, 0, -1)),
    "slice_past_the_end": ((5,), slice(3, 100)),
    "slice_empty": ((5,), slice(2, 2)),
    "ellipsis": ((5,), Ellipsis),
    "empty_tuple": ((5,), ()),
    "newaxis": ((5,), None),
    "newaxis_slice": ((5,), (None, slice(1, 3), None)),
    "ellipsis_int": ((5,), (Ellipsis, 2)),
    "int_ellipsis": ((5,), (2, Ellipsis)),
    "true": ((5,), True),
    "false": ((5,), False),
    "numpy_true": ((5,), np.True_),
    "list": ((5,), [0, 3]),
    "list_repeated": ((5,), [2, 2, 0]),
    "array": ((5,), np.array([1, 4])),
    "array_repeated": ((5,), np.array([4, 1, 4, 4])),
    "array_2d": ((5,), np.array([[0, 1], [1, 2]])),
    "array_unsigned": ((5,), np.array([1, 3], dtype=np.uint8)),
    "array_negative": ((5,), np.array([-1, 0, 4])),
    "range": ((5,), range(0, 4, 2)),
    "tuple_of_one_list": ((5,), ([0, 1],)),
    "list_newaxis": ((5,), ([0, 1], None)),
    "list_empty": ((5,), []),
    "array_empty": ((5,), np.array([], dtype=int)),
    "mask": ((5,), np.array([True, False, True, True, False])),
    "mask_list": ((5,), [True, False, False, True, False]),
    "mask_nothing": ((5,), np.zeros(5, dtype=bool)),
    "row": ((3, 4), 1),
    "row_zero_d_array": ((3, 4), np.array(1)),
    "element": ((3, 4), (1, 2)),
    "element_negative": ((3, 4), (-1, -3)),
    "element_numpy": ((3, 4), (np.int32(1), 2)),
    "element_zero_d_array": ((3, 4), (np.array(1), 2)),
    "column": ((3, 4), (slice(None), 2)),
    "column_newaxis": ((3, 4), (slice(None), None, 2)),
    "steps": ((3, 4), (slice(None, None, -1), slice(1, None, 2))),
    "row_newaxis": ((3, 4), (None, 1)),
    "rows": ((3, 4), [0, 2]),
    "rows_repeated": ((3, 4), np.array([1, 0, 1])),
    "pairs": ((3, 4), ([0, 2], [1, 3])),
    "pairs_repeated": ((3, 4), ([0, 2, 2], [1, 3, 3])),
    "pairs_tuples": ((3, 4), ((0, 1), (1, 2))),
    "pairs_arrays": ((3, 4), (np.array([[0], [2]]), np.array([1, 1]))),
    "slice_array": ((3, 4), (slice(1, None), np.array([0, 3]))),
    "slice_array_repeated": ((3, 4), (slice(None, 2), [0, 0, 2])),
    "array_slice": ((3, 4), ([2, 0], slice(None, None, -2))),
    "int_array": ((3, 4), (1, [0, 2])),
    "array_newaxis_slice": ((3, 4), ([0, 2], None, slice(1, 3))),
    "ellipsis_array": ((3, 4), (Ellipsis, [3, 0])),
    "ix": ((3, 4), np.ix_([0, 2], [1, 3])),
    "ix_repeated": ((3, 4), np.ix_([0, 0], [1, 3, 3])),
    "ix_mask": ((3, 4), np.ix_([True, False, True], [2, 0])),
    "nonzero": ((3, 4), np.nonzero(_MASK)),
    "mask_2d": ((3, 4), _MASK),
    "mask_rows": ((3, 4), np.array([True, False, True])),
    "mask_rows_element": ((3, 4), ([True, False, True], 1)),
    "mask_columns": ((3, 4), (slice(1, None), _MASK[0])),
    "mask_columns_back": ((3, 4), (slice(None, None, -2), _MASK[1])),
    "true_row": ((3, 4), (True, 1)),
    "middle_array": ((2, 3, 2), (slice(None), [0, 2], slice(None))),
    "apart_arrays": ((2, 3, 2), ([0, 1], slice(None), [1, 0])),
    "int_apart_array": ((2, 3, 2), (0, slice(None), [1, 1])),
    "ellipsis_newaxis": ((2, 3, 2), (Ellipsis, None, 0)),
    "mask_first_axes": ((2, 3, 2), _MASK[:2, :3]),
    "mask_last_axes": ((2, 3, 2), (slice(None), np.array([[1, 0], [0, 1], [1, 1]], dtype=bool))),
    "zero_d_true": ((), True),
    "zero_d_tuple": ((), ()),
    "zero_d_ellipsis": ((), Ellipsis),
    "zero_d_newaxis": ((), None),
}


def _set(y, i, x):
    y[i] = np.sin(x)[i] * 2.0


def _set_scalar(y, i, x):
    y[i] = np.sum(x) * 0.5


def _set_constant(y, i, x):
    y[i] = 2.5


def _set_from_itself(y, i, x):
    y[i] = y[i] * y[i]


def _augment(y, i, x):
    y[i] += np.cos(x)[i]
    y[i] -= 0.5
    y[i] *= np.cos(x)[i]
    y[i] /= 1.5 + np.sin(x)[i]
    y[i] **= 2


def _add_at(y, i, x):
    np.add.at(y, i, np.cos(x)[i])


def _subtract_at(y, i, x):
    np.subtract.at(y, i, np.sum(x) * 0.5)


WAYS = {"set": _set, "scalar": _set_scalar, "constant": _set_constant, "itself": _set_from_itself,
        "augment": _augment, "add_at": _add_at, "subtract_at": _subtract_at}


def _program(shape, index, write):
    def run(x):
        y = np.reshape(x * 1.5, shape)
        z = y * y
        write(y, index, np.reshape(x, shape))
        w = y[index]
        return np.sum(z * y) + np.sum(y**3) + np.sum(w * np.sum(w))

    return run


for _name, (_shape, _index) in INDICES.items():
    for _way, _write in WAYS.items():
        if _way.endswith("_at") and _name in ("true", "false", "numpy_true", "zero_d_newaxis",
                                              "zero_d_true"):
            continue  # ufunc.at refuses them
        _run = _program(_shape, _index, _write)
        _run.__name__ = f"{_way}-{_name}"
        program(_shape or (1,), count=1)(_run)
