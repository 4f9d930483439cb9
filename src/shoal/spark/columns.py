"""The columns of a Spark frame as an engine works on them: plain names, NaN missing, literal stars escaped.

Names of people's columns may hold dots, spaces or capitals that Spark reads in its own way. So they are numbered by
role (`q0`, `s0`, `o0`) before anything else, and given back at the end, by position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.core.errors import TableError
from shoal.spark.session import HAS_PYSPARK, SparkFrame, asking
from shoal.tables.roles import Roles
from shoal.tables.spelling import NUMBER, one_spelling

if HAS_PYSPARK:
    from pyspark.sql import functions as sql

TRACE = "trace"
"""The column that says, to the owner alone, which row of the original a row is."""
REFUSED = ("array", "map", "struct", "binary", "interval", "variant")
"""What the types of columns that are no plain values begin with."""


@dataclass(frozen=True)
class Numbered:
    """A Spark frame with numbered columns, identifiers left out."""

    frame: SparkFrame
    roles: Roles

    @classmethod
    def of(cls, frame: SparkFrame, roles: Roles) -> Numbered:
        """Number the columns by their roles, and make them what shoal works on."""
        number = {
            name: f"{letter}{place}"
            for letter, names in zip(
                "qsuo", (roles.quasi, roles.sensitive, roles.unpublished, roles.other), strict=True
            )
            for place, name in enumerate(names)
        }
        plain = frame.toDF(*[number[name] for name in frame.columns])
        kinds = dict(plain.dtypes)
        kept = [number[name] for name in roles.published]
        for name in roles.published:
            if kinds[number[name]].startswith(REFUSED):
                raise TableError(
                    f"column {name!r} holds {kinds[number[name]].split('<')[0]} values",
                    expected="numbers, text, dates or booleans",
                    hint="flatten or leave out the column",
                )
        return cls(plain.select(*[_tidy(name, kinds[name]).alias(name) for name in kept]), roles)

    @property
    def keys(self) -> list[str]:
        """The quasi-identifiers and sensitive values: rows that have them alike are one to every method."""
        quasi, sensitive = self.split_keys
        return quasi + sensitive

    @property
    def split_keys(self) -> tuple[list[str], list[str]]:
        """The quasi-identifiers and the sensitive values apart."""
        return self._named("q", len(self.roles.quasi)), self._named("s", len(self.roles.sensitive))

    @property
    def others(self) -> list[str]:
        """The columns that are published as they are."""
        return self._named("o", len(self.roles.other))

    @property
    def infinite(self) -> list[str]:
        """The columns, by their own names, that hold infinite numbers."""
        floats = [name for name, kind in self.frame.dtypes if kind in ("float", "double")]
        if not floats:
            return []
        counted = [sql.count(sql.when(sql.abs(sql.col(name)) == float("inf"), 1)).alias(name) for name in floats]
        with asking("look for infinite numbers"):
            found = self.frame.agg(*counted).toArrow().to_pylist()[0]
        own = dict(zip(self.frame.columns, self.roles.published, strict=True))
        return [own[name] for name in floats if found[name]]

    def spelt_once(self) -> Numbered:
        """Return the same in which the columns of text that are published as they are spell equal numbers in one way.

        Quasi-identifiers and sensitive values are spelt so when they are encoded.
        """
        kinds, frame = dict(self.frame.dtypes), self.frame
        for name in self.others:
            texts = _spellings(frame, name) if kinds[name] == "string" else []
            shown = one_spelling(pl.Series(texts, dtype=pl.String)).to_list()
            changed = {text: one for text, one in zip(texts, shown, strict=True) if text != one}
            frame = frame.replace(changed, subset=[name]) if changed else frame
        return Numbered(frame, self.roles)

    def _named(self, letter: str, number: int) -> list[str]:
        return [f"{letter}{place}" for place in range(number)]


def _spellings(frame: SparkFrame, name: str) -> list[str]:
    """Return the texts of a column that are rounded to the same floating-point number as another one."""
    numbers = frame.select(name).where(sql.col(name).rlike(NUMBER)).groupBy(sql.expr(f"try_cast({name} AS DOUBLE)"))
    shared = numbers.agg(sql.collect_set(name).alias("texts")).where(sql.size("texts") > 1).select("texts")
    with asking("look for numbers that are spelt in several ways"):
        return [text for texts in shared.toArrow().column(0).to_pylist() for text in texts]


def _tidy(name: str, kind: str) -> Any:
    """Return a column in which NaN is missing; one that holds nothing is text."""
    column = sql.col(name)
    if kind in ("float", "double"):
        zero = sql.lit(0.0).cast(kind)
        return sql.when(sql.abs(column) == zero, zero).when(~sql.isnan(column), column)  # -0.0 is 0.0
    return column.cast("string") if kind == "void" else column


def escaped(name: str, kind: str) -> Any:
    """Return a column as it is published: a value that reads as a star has a backslash in front."""
    column = sql.col(name)
    if kind != "string":
        return column
    return sql.when(column.rlike(r"^\\*\*\z"), sql.concat(sql.lit("\\"), column)).otherwise(column)
