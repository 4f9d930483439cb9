"""Identifiers that occur more than once: then one row is not one person."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.tables import name_rules
from shoal.tables.column_names import speaks
from shoal.tables.table import Table

NUMBERING = [name_rules.NUMBERS_OF_PEOPLE, name_rules.SUBJECTS]
"""What names of columns say that number people."""


def repeating(table: Table, identifiers: Sequence[str]) -> list[str]:
    """Return the identifiers that occur more than once; one of few values, such as a given name, numbers nobody.

    One that is called a record number is taken for one, however often it repeats.

    >>> repeating(Table.of({"patient": [7, 7, 8], "case": [1, 2, 3]}), ["patient", "case"])
    ['patient']
    """
    different = {name: table[name].drop_nulls().n_unique() for name in identifiers}
    present = {name: table.rows - table[name].null_count() for name in identifiers}
    least = {name: 2 if speaks(name, NUMBERING) else max(2, present[name] / 5) for name in identifiers}
    return [name for name in identifiers if least[name] <= different[name] < present[name]]
