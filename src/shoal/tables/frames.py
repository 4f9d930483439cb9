"""Published tables as frames of other libraries; polars loads those when it is asked for theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from shoal.core.errors import Unsupported


def as_polars(frame: pl.DataFrame, types: Mapping[str, Any]) -> pl.DataFrame:
    """Return a frame with columns cast to the types that they had; one whose cells would change stays as it is.

    >>> frame = pl.DataFrame({"town": ["Oslo", "Rome"], "age": [30, 300]})
    >>> as_polars(frame, {"town": pl.Categorical(), "age": pl.Int8()}).schema
    Schema([('town', Categorical), ('age', Int64)])
    """
    return frame.select(_cast(column, types.get(column.name)) for column in frame.iter_columns())


def _cast(column: pl.Series, kind: pl.DataType | None) -> pl.Series:
    if kind is None or kind == column.dtype:
        return column
    other = column.cast(kind, strict=False)
    return other if other.cast(column.dtype, strict=False).equals(column) else column


def as_pandas(frame: pl.DataFrame, types: Mapping[str, Any]) -> Any:
    """Return a frame of pandas; categories are those that occur, in the order that they had."""
    made = _converted("pandas", frame.to_pandas)
    for name in made.columns:
        kind = types.get(name)
        if kind is not None and kind != made[name].dtype:
            made[name] = _kept(made[name], kind, lambda column, kind: _without_unused(column.astype(kind)))
    return made


def _without_unused(column: Any) -> Any:
    """Return a column of pandas that lists no category which no cell has."""
    return column.cat.remove_unused_categories() if hasattr(column, "cat") else column


def as_arrow(frame: pl.DataFrame, types: Mapping[str, Any]) -> Any:
    """Return a table of pyarrow."""
    made = _converted("pyarrow", frame.to_arrow)
    for place, name in enumerate(frame.columns):
        kind = types.get(name)
        if kind is not None and kind != made.schema.field(name).type:
            column = _kept(made.column(name), kind, lambda column, kind: column.cast(kind))
            made = made.set_column(place, name, column)
    return made


def _kept(column: Any, kind: Any, cast: Callable[[Any, Any], Any]) -> Any:
    """Return a column as another type, or as it is where a cell does not fit."""
    try:
        return cast(column, kind)
    except (ValueError, TypeError, NotImplementedError):  # pyarrow's errors are ValueErrors, too
        return column


def _converted(library: str, convert: Callable[[], Any]) -> Any:
    try:
        return convert()
    except ImportError as error:
        raise Unsupported(f"frames of {library} need {error.name or library}, which is not installed") from error
