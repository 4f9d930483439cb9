"""The bytes of a CSV file, read as a table."""

from shoal.tables.readers.base import ReadOptions
from shoal.tables.readers.csv import contents
from shoal.tables.table import Table


def read_csv(content: bytes, name: str, **options: str | None) -> Table:
    found = contents(content, name, ReadOptions(**options))
    return Table(found.columns, found.notes)
