"""What the pages show of a table: each one call to the library, on a table that is read once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from shoal.desk.draft import Draft
from shoal.errors import TableError
from shoal.table import Table, read

ROWS = 20


def table(draft: Draft) -> Table:
    """Return the table of a draft; it is read once as long as the file stays as it is."""
    if draft.file is None:
        raise TableError("no table is chosen", hint="choose a file first")
    try:
        said = Path(draft.file).stat()
    except OSError as error:
        raise TableError(f"the file {draft.name!r} is gone", hint="choose it again") from error
    return _read(draft.file, said.st_mtime_ns, said.st_size, draft.separator, draft.encoding, draft.decimal)


@lru_cache(maxsize=2)
def _read(file: str, changed: int, size: int, *reading: str | None) -> Table:
    separator, encoding, decimal = reading
    return read(file, separator=separator, encoding=encoding, decimal=decimal)


def preview(draft: Draft, rows: int = ROWS) -> dict[str, Any]:
    """Return the first rows, as text: the one place where cells of the original are shown, because it was asked for."""
    frame = table(draft).frame.head(rows)
    import polars as pl

    texts = frame.select(pl.all().cast(pl.String))
    return {"columns": list(frame.columns), "rows": [list(row) for row in texts.rows()]}
