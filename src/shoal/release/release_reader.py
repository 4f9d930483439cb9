"""A release folder's public part, read back with the types that the codebook states, to be checked."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.checking.audit import Audit, as_dict, audit
from shoal.core.errors import ReleaseError
from shoal.hierarchies import as_builder
from shoal.hierarchies.cell_forms import form_of
from shoal.models import Model, Models
from shoal.models.requirement import parse_requirement
from shoal.release.certificate import Certificate
from shoal.release.files import HOUSEHOLDS, PEOPLE, REPORT, file_hash, ranked, read_json, read_rows
from shoal.tables.column_types import as_type, tidy_column
from shoal.tables.readers.base import reader_named, reader_of
from shoal.tables.table import TABLE, Table, TableLike

if TYPE_CHECKING:
    from shoal.models.metric import Metric

NO_TABLES = ("codebook", "config", "report")
"""What a certificate seals besides tables."""


@dataclass(frozen=True, eq=False)
class Opened:
    """A release folder's public part; the certificate is read at once, the rest when it is asked for."""

    path: Path
    certificate: Certificate
    population: TableLike | None

    @classmethod
    def of(cls, folder: Path, population: TableLike | None) -> Opened:
        """Find the table and read the certificate, or raise `ReleaseError`."""
        public = folder / "public"
        tables = [path for path in public.glob("table.*") if _is_table(path)]
        if len(tables) != 1:
            raise ReleaseError(f"public/ has {len(tables)} tables", expected="one table")
        text = public / "certificate.json"
        if not text.is_file():
            raise ReleaseError(
                "public/certificate.json is missing",
                hint="without it nothing can be verified: ask for the whole release",
            )
        certificate = Certificate.from_json(text.read_bytes().decode("utf-8", errors="replace"))
        return cls(tables[0], certificate, population)

    @cached_property
    def codebook(self) -> dict[str, Any]:
        """What the cells mean."""
        return dict(read_json(self.path.parent / "codebook.json"))

    @property
    def paths(self) -> dict[str, Path]:
        """The file of every table that the certificate seals, that of the people first."""
        suffix = self.path.name.removeprefix("table")
        names = [name for name in self.certificate.hashes if name not in NO_TABLES and name != "table"]
        return {"table": self.path} | {name: self.path.parent / f"{Path(name).name}{suffix}" for name in names}

    @cached_property
    def shown(self) -> dict[str, Table]:
        """Every published table, column by column."""
        described = {"table": self.codebook["columns"], **self.codebook.get("tables", {})}
        return {name: _as_published(path, described[name], self.codebook) for name, path in self.paths.items()}

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        """Every published table as a frame."""
        return {name: table.frame for name, table in self.shown.items()}

    @property
    def table(self) -> pl.DataFrame:
        """The table of the people."""
        return self.tables["table"]

    @property
    def sensitive_table(self) -> pl.DataFrame | None:
        """The table of the sensitive values by group, where there is one (anatomy)."""
        return self.shown["sensitive"].frame if "sensitive" in self.shown else None

    @property
    def names(self) -> dict[str, str]:
        """What `group` and `count` are called where there are two tables."""
        return dict(self.codebook.get("names", {}))

    @cached_property
    def hierarchies(self) -> dict[str, Any]:
        """The hierarchies that cells and distances are read with: the request's if it is here, else the public ones."""
        return dict(self.config["hierarchies"] if self.config else self.codebook["hierarchies"])

    @cached_property
    def config(self) -> dict[str, Any]:
        """The request as it was understood; empty where the internal part is not here."""
        path = self.path.parent.parent / "internal" / "config.json"
        return dict(read_json(path)) if path.is_file() else {}

    @cached_property
    def people(self) -> pl.Series | None:
        """Whom each published row is about; None where each row is one person, or the internal part is not here."""
        if self.certificate.pseudonym is not None:
            return self.shown["table"][self.certificate.pseudonym]
        path = self.path.parent.parent / "internal" / PEOPLE
        if self.certificate.people is None or not path.is_file():
            return None
        return read_rows(path)["person"]

    @cached_property
    def households(self) -> pl.Series | None:
        """Of what household each published row is; None where that is not known, or the internal part is not here."""
        path = self.path.parent.parent / "internal" / HOUSEHOLDS
        if self.certificate.households is None or not path.is_file():
            return None
        return read_rows(path)["household"]

    @property
    def counts_rows_only(self) -> bool:
        """Whether models count people or households that nobody knows here: what they imply of rows is checked."""
        people = self.certificate.people is not None and self.people is None
        return people or (self.households is None and self.models.needs_households)

    def hash_problem(self) -> str:
        """Say which file is not the one that the certificate seals; nothing if all are."""
        files = self.paths | {"codebook": self.path.parent / "codebook.json"}
        report = self.path.parent / REPORT
        files |= {"report": report} if report.is_file() or "report" in self.certificate.hashes else {}
        gone = [path.name for path in files.values() if not path.exists()]
        if gone:
            return f"public/{gone[0]} is missing"
        found = {name: file_hash(path) for name, path in files.items()}
        wrong = [name for name, digest in found.items() if self.certificate.hashes.get(name) != digest]
        return f"{' and '.join(wrong)} differ from the certificate" if wrong else ""

    def shape_problem(self) -> str:
        """Say where columns, roles or rows are not those stated."""
        described = {"table": self.codebook["columns"], **self.codebook.get("tables", {})}
        if form_of(self.certificate.recoding).two_tables != (self.sensitive_table is not None):
            return "the tables are not those of the recoding"
        if any(list(self.shown[name].columns) != [column["name"] for column in described[name]] for name in self.shown):
            return "the columns are not those of the codebook"
        columns = [column for name in self.shown for column in described[name]]
        stated = {"quasi": self.certificate.quasi, "sensitive": self.certificate.sensitive}
        stated |= {"other": self.certificate.unprotected} if self.certificate.unprotected is not None else {}
        for role, names in stated.items():
            if [column["name"] for column in columns if column["role"] == role] != list(names):
                return f"the {role} columns are not those of the codebook"
        rows, counted = self.shown["table"].rows, self.certificate.rows
        return "" if rows == counted else f"{rows:,} rows, {counted:,} stated"

    def rounding_problem(self) -> str:
        """Say which columns are not the multiples that are stated."""
        shown, stated = self.shown["table"], self.certificate.rounded
        if not set(stated) <= set(self.certificate.unprotected or ()):
            return "a column is stated as rounded that is not published as other"
        wrong = [name for name, multiple in stated.items() if _no_multiples(shown[name], multiple)]
        return f"columns {', '.join(map(repr, wrong))} have numbers that are not such multiples" if wrong else ""

    def mask_problem(self) -> str:
        """Say which columns show cells that the masks stated for them never give."""
        from shoal.checking.masked_columns import form_problem  # loaded only where a release has masks

        shown, stated = {name: one for one in self.shown.values() for name in one.columns}, self.certificate.masks
        if not set(stated) <= {*self.certificate.sensitive, *(self.certificate.unprotected or ())}:
            return "a column is stated as masked that is neither sensitive nor other"
        found = (form_problem(shown[name][name], mask) for name, mask in stated.items())
        return "; ".join(said for said in found if said)

    def order_problem(self) -> str:
        """Say if the rows are not in the order of their published cells."""
        return "" if all(map(is_sorted, self.shown.values())) else "their order may reveal the original order"

    @property
    def models(self) -> Models:
        """The models the certificate states."""
        return stated_models(self.certificate.require, self.codebook)

    def lacking(self, model: Model) -> str:
        """Say what a model needs that is not here; nothing where it can be re-checked."""
        if model.needs_population and self.population is None:
            return "no population is given"
        if model.reads_hierarchies and not self.config:
            return "the hierarchies of quasi-identifiers are in the internal part alone, which is not here"
        return ""

    @property
    def skipped(self) -> dict[str, str]:
        """What is not here, and the models that cannot be re-checked without it."""
        found: dict[str, str] = {}
        for model in self.models:
            if lacking := self.lacking(model):
                found[lacking] = f"{found[lacking]} {model}" if lacking in found else str(model)
        return found

    @property
    def asked(self) -> dict[str, Any]:
        """What an audit of the release is given: tables, roles, and the models that can be re-checked."""
        asked = self.implied if self.counts_rows_only else self.models
        models = tuple(model for model in asked if not self.lacking(model))
        return {
            "table": self.shown["table"],
            "person": () if self.people is None else self.people,
            "linked": self.certificate.pseudonym is not None,
            "household": self.households,
            "quasi": self.certificate.quasi,
            "sensitive": self.certificate.sensitive,
            "require": Models(models) if models else None,
            "hierarchies": {name: as_builder(spec) for name, spec in self.hierarchies.items()},
            "population": self.population,
            "withheld": bool(self.codebook.get("withheld")),
            "sensitive_table": self.sensitive_table,
            **self.names,
        }

    @property
    def implied(self) -> Models:
        """What models of people and households imply of rows."""
        if self.certificate.people is None:
            return self.models.of_rows
        from shoal.models.by_people import by_people  # loaded only where people are counted

        return by_people(self.models).of_rows

    def audit(self) -> Audit:
        """Audit the tables for the models that can be re-checked."""
        return audit(**self.asked)

    def _withheld_problem(self) -> str:
        """Say if another number of rows than stated shows no sensitive value."""
        stated = int(self.codebook.get("withheld", 0))
        if not stated:
            return ""
        from shoal.checking.withheld_values import withheld_rows  # few releases have such rows

        found = int(withheld_rows(self.table, self.certificate.quasi, self.certificate.sensitive).sum())
        return "" if found == stated else f"{found:,} rows show no sensitive value, {stated:,} stated"

    def model_problem(self) -> str:
        """Say which models fail, or are not at the stated level."""
        found = self.audit()
        failing = [
            f"{finding.model} fails in {finding.failing_classes:,} classes"
            for finding in found.findings
            if finding.holds is False
        ]
        if failing:
            return "; ".join(failing)
        trivial = all(model.is_trivial for model in self.models)
        if self.certificate.protects == trivial and self.certificate.unprotected is not None:  # older ones say neither
            return "whether a model asks for more than every table gives is not as stated"
        if found.classes != self.certificate.classes:
            return f"{found.classes:,} classes, {self.certificate.classes:,} stated"
        if withheld_problem := self._withheld_problem():
            return withheld_problem
        if self.certificate.starred not in (None, found.starred_rows):
            return f"{found.starred_rows:,} rows of stars alone, {self.certificate.starred:,} stated"
        if self.counts_rows_only:
            return ""
        if self.certificate.people != found.people:
            return f"the rows are about {found.people or found.rows:,} people, {self.certificate.people:,} stated"
        if self.households is not None and self.certificate.households != found.households:
            return f"the rows are of {found.households:,} households, {self.certificate.households:,} stated"
        if self.certificate.certain not in (None, found.certain) and not self.skipped:
            return "the values that are certain are not those stated"
        stated = [dict(model) for model in self.certificate.models]
        if self.skipped:
            stated = [entry for entry, model in zip(stated, self.models, strict=True) if not self.lacking(model)]
            found = replace(found, findings=found.findings if stated else ())
        same = [as_dict(finding) for finding in found.findings] == stated
        return "" if same else "the levels reached are not those stated"


def _no_multiples(published: pl.Series, multiple: int) -> int:
    """Return how many numbers of a column are no multiple of a number, or not above 0.

    >>> _no_multiples(pl.Series([10, 20, 25, 0, None]), 10)
    3
    """
    shown = published.cast(pl.Float64, strict=False).to_numpy()
    return int((~((np.fmod(shown, multiple) == 0) & (shown > 0))).sum())


def is_sorted(table: Table) -> bool:
    """Whether each row is no less than the one before, column by column, a missing value last.

    >>> [is_sorted(Table.of({"a": [1, 1, None], "b": b})) for b in (["x", "y", "a"], ["y", "x", "a"])]
    [True, False]
    """
    tied = np.arange(1, table.rows)  # rows that equal the one before in all columns so far
    for name in table.columns:
        ranks, _ = ranked(table.coded(name))
        before, after = ranks[tied - 1], ranks[tied]
        if (after < before).any():
            return False
        tied = tied[before == after]
    return True


def stated_models(require: str, codebook: Mapping[str, Any]) -> Models:
    """Return the models that a certificate states, with the metrics that the codebook has."""
    return parse_requirement(require, {name: _metric(name, one) for name, one in codebook["metrics"].items()})


def _metric(name: str, stated: Mapping[str, Any]) -> Metric:
    from shoal.models.metric import Metric  # loaded only where a codebook has one

    return Metric.of(stated["labels"], stated["distances"], name)


def _is_table(path: Path) -> bool:
    """Whether a file, or a folder of files that are one table, is called as the table of a release is."""
    reader = reader_named(path)
    if reader is None or path.name.removeprefix(TABLE) not in reader.suffixes:
        return False
    return path.is_file() or (path.is_dir() and reader.folders)


def _as_published(path: Path, columns: list[dict[str, Any]], codebook: dict[str, Any]) -> Table:
    """Read a published table with the types the codebook states, without the apostrophes of a neutralised one."""
    reader = reader_of(path)
    cells = reader.as_written(path)
    if reader.typed and not codebook.get("neutralised"):
        return Table(cells)
    frame = _restored(cells.frame()) if codebook.get("neutralised") else cells.frame()
    if reader.typed:
        return Table(frame)
    types = {column["name"]: column["type"] for column in columns}
    typed = (as_type(column, _type_named(types[column.name])) for column in frame if column.name in types)
    frame = frame.with_columns(tidy_column(column) for column in typed)
    return Table(frame.select(list(types)) if set(types) == set(frame.columns) else frame)


def _restored(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a published table without the apostrophes before what a spreadsheet would run."""
    from shoal.tables.formula_guard import restored  # loaded only where a release has them

    return restored(frame)


def _type_named(kind: str) -> pl.DataType:
    """Return the type that a codebook states.

    >>> _type_named("Int64"), _type_named("Enum(categories=['low', 'high'])")
    (Int64, Enum(categories=['low', 'high']))
    """
    tree = ast.parse(kind, mode="eval").body
    named = tree.func if isinstance(tree, ast.Call) else tree
    given = tree.keywords if isinstance(tree, ast.Call) else []
    name = named.id if isinstance(named, ast.Name) else ""
    if not issubclass(getattr(pl, name, object), pl.DataType):
        raise ReleaseError("the codebook states an unknown type", expected="a type of polars")
    made: pl.DataType = getattr(pl, name)(**{str(option.arg): ast.literal_eval(option.value) for option in given})
    return made
