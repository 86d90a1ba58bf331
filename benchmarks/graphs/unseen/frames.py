"""Pickled pandas tables read without pandas, whose releases do not read each other's: only arrays are rebuilt.

In: the bytes of a pickle. Out: its rows. Whatever could run code is refused.
"""

import io
import pickle
from typing import Any, Literal

import numpy as np
from numpy._core.multiarray import _reconstruct

__all__ = ["read_rows"]

Row = dict[str, Any]


class _Frame:
    """Takes the place of a DataFrame."""

    blocks: "tuple[tuple[np.ndarray, Any], ...]"
    columns: np.ndarray

    def __setstate__(self, state: Row) -> None:
        self.blocks, (self.columns, _) = state["_mgr"]


def _array(buffer: bytes, dtype: np.dtype, shape: tuple[int, ...], order: Literal["C", "F"]) -> np.ndarray:
    return np.frombuffer(buffer, dtype).reshape(shape, order=order)


def _index(_: type, state: Row) -> Any:
    return state.get("data")


def _block(values: np.ndarray, places: Any, ndim: int) -> tuple[np.ndarray, Any]:
    return values, places


ALLOWED = {
    ("builtins", "slice"): slice,
    ("numpy", "dtype"): np.dtype,
    ("numpy", "ndarray"): np.ndarray,
    ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy.core.numeric", "_frombuffer"): _array,
    ("pandas._libs.internals", "_unpickle_block"): _block,
    ("pandas.core.frame", "DataFrame"): _Frame,
    ("pandas.core.indexes.base", "Index"): object,
    ("pandas.core.indexes.base", "_new_Index"): _index,
    ("pandas.core.indexes.range", "RangeIndex"): object,
    ("pandas.core.internals.managers", "BlockManager"): lambda blocks, axes: (blocks, axes),
}


class _FrameUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in ALLOWED:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a plain table")
        return ALLOWED[module, name]


def read_rows(content: bytes) -> list[Row]:
    """The rows of a table; an absent value (None, NaN, NaT) is None."""
    frame = _FrameUnpickler(io.BytesIO(content)).load()
    names = frame.columns.tolist()
    columns: dict[str, list[Any]] = {}
    for values, places in frame.blocks:
        numbers = np.arange(len(names))[places]
        for name, column in zip((names[number] for number in numbers), values, strict=True):
            columns[name] = [None if value is None or value != value else value for value in column]
    return [dict(zip(names, row, strict=True)) for row in zip(*(columns[name] for name in names), strict=True)]
