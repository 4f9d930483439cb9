"""Traces: keyed hashes of rows, by which the owner finds the original row of a published one where rows have no number.

The trace of a row is the sum, modulo 2^64, of a keyed hash of each of its cells and of the name of its column. Rows
that are equal in all columns have equal traces; of others, two are equal with probability 2^-64. A release keeps no
traces, only the place of each row's trace among all in order: without the original and the key it says nothing.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from hashlib import blake2b, sha256

import numpy as np
import polars as pl

from shoal.core.arrays import Ints

ALGORITHM = "sum of BLAKE2b-64 of each cell's column and text, keyed"
MISSING = b"\x00"
"""What stands for a missing value; texts have a 1 in front."""


def cell_traces(values: pl.Series, name: str, key: str) -> Ints:
    """Return the hash of each value of the column of that name.

    >>> numbers, texts = (cell_traces(pl.Series(two), "age", "00").tolist() for two in ([1, None], ["1", None]))
    >>> numbers == texts, numbers[0] == numbers[1]
    (True, False)
    """
    secret = blake2b(name.encode(), key=bytes.fromhex(key), digest_size=32).digest()
    texts = [MISSING if text is None else b"\x01" + text.encode() for text in _texts(values)]
    digests = b"".join(blake2b(text, key=secret, digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype="<i8").astype(np.int64)


def column_traces(column: pl.Series, name: str, key: str) -> Ints:
    """Return the hash of each cell of a column, each different value hashed once."""
    distinct = column.unique()
    known = pl.DataFrame({"value": distinct, "trace": cell_traces(distinct, name, key)})
    asked = column.rename("value").to_frame()
    return asked.join(known, on="value", how="left", nulls_equal=True, maintain_order="left")["trace"].to_numpy()


def row_traces(columns: Mapping[str, pl.Series], key: str) -> Ints:
    """Return the trace of each row of some columns."""
    total: Ints | None = None
    for name, column in columns.items():
        added = column_traces(column, name, key)
        total = added.copy() if total is None else total + added
    assert total is not None
    return total


def places_among(some: Ints, everybody: Ints) -> Ints:
    """Return the place of some traces among all of them in order; of equal ones each has a place of its own.

    >>> places_among(np.array([7, 3, 7]), np.array([3, 5, 7, 7])).tolist()
    [2, 0, 3]
    """
    order = np.argsort(some, kind="stable")
    places = np.empty(len(some), dtype=np.int64)
    ordered = some[order]
    copies = np.arange(len(some)) - np.searchsorted(ordered, ordered)
    places[order] = np.searchsorted(np.sort(everybody), ordered) + copies
    return places


def digest_of(traces: Ints, key: str) -> dict[str, str]:
    """Return a keyed hash of a table from the traces of its rows, whatever their order."""
    content = np.sort(traces).astype("<i8").tobytes()
    return {"algorithm": ALGORITHM, "key": key, "digest": hmac.new(bytes.fromhex(key), content, sha256).hexdigest()}


def _texts(values: pl.Series) -> list[str | None]:
    """Return values as texts that do not depend on the unit or the zone in which moments are kept."""
    if isinstance(values.dtype, pl.Datetime):
        values = values.dt.epoch("us")
    return values.cast(pl.String).to_list()
