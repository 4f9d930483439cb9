"""What a project of ARX asks for, and a folder from which shoal does the same.

The folder has `shoal.toml`, a file for each hierarchy, and the table if the project has it. What is not carried over
is listed: in `Project.left_out`, and at the head of `shoal.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from shoal.config import read_config
from shoal.core.atomic_files import replacing
from shoal.core.errors import ParameterError, cannot_write
from shoal.core.parameters import as_fraction
from shoal.core.toml import toml_value
from shoal.models.requirement import parse_requirement
from shoal.studies.arx import words
from shoal.studies.arx.archive import LARGEST_TABLE, Archive, opened
from shoal.studies.arx.levels import write_hierarchies

CONFIG, DEFINITION, PROJECT, TABLE = "input/config.xml", "input/definition.xml", "project.xml", "data/input.csv"
ROLES = {
    "QUASI_IDENTIFYING_ATTRIBUTE": "quasi",
    "SENSITIVE_ATTRIBUTE": "sensitive",
    "IDENTIFYING_ATTRIBUTE": "identifiers",
    "INSENSITIVE_ATTRIBUTE": "other",
}
SEPARATOR = ";"
EVENLY = 0.5
"""ARX's weight of a column and of suppression where nobody chose one."""
WEIGHING = ("height", "ncp")
"""Costs that take weights."""
UNREAD = {
    "responseVariable": "it is a response variable of ARX's classification",
    "microAggregationFunction": "ARX would aggregate it; here it is generalised",
    "format": "its format is not read: shoal finds out itself what values are",
}
"""What may be said of a column that has no like in shoal."""


@dataclass(frozen=True)
class Project:
    """What a project asks for, in shoal's words. It holds no cell of the table."""

    name: str
    roles: Mapping[str, list[str]]
    require: str
    max_suppressed: str
    cost: str | None
    weights: Mapping[str, str]
    separator: str
    hierarchies: Mapping[str, str] = field(default_factory=dict)
    """The file of each column's hierarchy, in the folder."""
    table: str | None = None
    left_out: tuple[str, ...] = ()
    """What is not carried over, or not quite as ARX means it."""

    def toml(self) -> str:
        """Return the `shoal.toml`."""
        head = ["# From a project of ARX. Suppressed rows are checked here as every class is; ARX does not check them."]
        head += [f"# Left out: {_one_line(text)}" for text in self.left_out]
        data = {"file": self.table, "separator": self.separator} if self.table else {}
        sections = {
            "data": {key: toml_value(value) for key, value in data.items()},
            "roles": {role: toml_value(list(names)) for role, names in self.roles.items() if names},
            "privacy": {"require": toml_value(self.require)} if self.require else {},
            "hierarchies": {toml_value(column): toml_value(file) for column, file in self.hierarchies.items()},
            "method": {"recoding": toml_value("full-domain")} | ({"cost": toml_value(self.cost)} if self.cost else {}),
            "attribute_weights": {toml_value(column): weight for column, weight in self.weights.items()},
        }
        sections["privacy"] |= {"max_suppressed": self.max_suppressed}
        lines = [
            line
            for section, entries in sections.items()
            if entries
            for line in ("", f"[{section}]", *(f"{key} = {value}" for key, value in entries.items()))
        ]
        return "\n".join([*head, *lines, ""])


def read_project(path: str | Path, folder: str | Path) -> Project:
    """Read a project and write the folder; all of it, or nothing. Raises `ParameterError` and `HierarchyError`."""
    path, folder = Path(path), Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ParameterError(f"{str(folder)!r} exists already", expected="a new or an empty folder")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with replacing(folder) as made:
            made.mkdir()
            return _written(path, made)
    except OSError as error:
        raise cannot_write(folder.parent, error, ParameterError) from error


def _written(path: Path, folder: Path) -> Project:
    """Read a project and write everything into a folder."""
    with opened(path) as archive:
        project = _Reader(archive).read(folder)
    (folder / "shoal.toml").write_text(project.toml(), encoding="utf-8")
    read_config(folder / "shoal.toml")
    return project


class _Reader:
    """Reads the parts of an open project; what cannot be carried over is put on a list."""

    def __init__(self, archive: Archive) -> None:
        self.archive, self.left_out = archive, list[str]()
        self.columns = archive.xml(DEFINITION).findall("assigment")  # so spelt by ARX
        if not self.columns:
            archive.refuse(f"names no columns in {DEFINITION!r}")
        self.config = archive.xml(CONFIG)
        self.project = archive.xml(PROJECT) if PROJECT in archive else Element("project")

    def read(self, folder: Path) -> Project:
        """Return what is asked for; write the hierarchies and the table to a folder."""
        separator, cost = self.separator(), self.cost()
        self.remark_columns()
        self.remark_settings()
        return Project(
            name=self.project.findtext("name") or self.archive.name,
            roles=self.roles(),
            require=self.require(),
            max_suppressed=self.max_suppressed(),
            cost=cost,
            weights=self.weights(cost),
            separator=separator,
            hierarchies=write_hierarchies(self.archive, self.columns, separator, folder, self.left_out),
            table=self.table(folder),
            left_out=tuple(self.left_out),
        )

    def separator(self) -> str:
        """Return what stands between the cells of the project's files."""
        separator = self.project.findtext("separator") or SEPARATOR
        if len(separator) != 1 or separator in '"\r\n':
            self.archive.refuse(f"has the separator {separator!r}")
        return separator

    def roles(self) -> dict[str, list[str]]:
        """Return the columns of every role."""
        roles: dict[str, list[str]] = {role: [] for role in ROLES.values()}
        for column in self.columns:
            name, kind = column.findtext("name"), (column.findtext("type") or "").strip()
            if name is None or kind not in ROLES:
                self.archive.refuse(f"has a column without a name, or of the unknown type {kind!r}, in {DEFINITION!r}")
            roles[ROLES[kind]].append(name)
        return roles

    def require(self) -> str:
        """Return the models as a requirement."""
        lines = [line.text or "" for line in self.config.findall("criteria/criterion")]
        found = [self.remarked("model", line, words.model(line)) for line in lines]
        asked = " ".join(word for word in found if word is not None)
        return str(parse_requirement(asked)) if asked else ""

    def cost(self) -> str | None:
        """Return the cost, with a remark on the emphasis that ARX can put on suppression."""
        metric = self.config.findtext("metric") or "none"
        emphasis = re.match(r"loss \(([\d.]+)/", metric, re.IGNORECASE)
        if emphasis and float(emphasis[1]) != EVENLY:
            factor = f"the factor {emphasis[1]} by which ARX weighs suppression against generalisation"
            self.left_out.append(f"{factor}: both count the same here")
        return self.remarked("cost", metric, words.cost(metric))

    def remarked(self, what: str, line: str, word: words.Word) -> str | None:
        """Return a line in shoal's words; what is to be said of it is put on the list."""
        if word.asked is None or word.remark:
            self.left_out.append(f"{what} {line.strip()!r}: {word.remark}")
        return word.asked

    def max_suppressed(self) -> str:
        """Return the share of rows that may be suppressed."""
        text = self.config.findtext("relativeMaxOutliers") or "0"
        share = as_fraction(text)
        if share is None or not 0 <= share <= 1:
            self.archive.refuse(f"has the suppression limit {text!r}")
        return words.number(str(float(share)))

    def weights(self, cost: str | None) -> dict[str, str]:
        """Return the weights, 1 for those that ARX gives by itself; none where the cost takes none."""
        lines = self.config.findall("attributeWeights/attributeWeight")
        given = {line.findtext("attribute") or "": as_fraction(line.findtext("weight")) for line in lines}
        uneven = {column: weight for column, weight in given.items() if weight != EVENLY}
        if uneven and cost not in WEIGHING:
            self.left_out.append(f"the weights of {', '.join(map(repr, uneven))}: the cost takes none")
            return {}
        if None in uneven.values():
            self.archive.refuse(f"has a weight in {CONFIG!r} that is no number")
        return {column: f"{float(weight or 0) / EVENLY:g}" for column, weight in uneven.items()}

    def table(self, folder: Path) -> str | None:
        """Copy the table, if the project has it."""
        if TABLE not in self.archive:
            self.left_out.append("the table: it is not in the project; give it as FILE")
            return None
        with (folder / "input.csv").open("wb") as out:
            out.writelines(self.archive.chunks(TABLE, LARGEST_TABLE))
        return "input.csv"

    def remark_columns(self) -> None:
        """List what is said of columns that has no like in shoal."""
        for column in self.columns:
            name = column.findtext("name") or ""
            self.left_out += [f"column {name!r}: {why}" for tag, why in UNREAD.items() if column.findtext(tag)]

    def remark_settings(self) -> None:
        """List settings of the search that shoal does without."""
        if self.config.findtext("practicalMonotonicity") == "true":
            self.left_out.append("assumed monotonicity: a short cut of ARX that can miss the best; shoal needs none")
        starred = {one.text for one in self.config.findall("suppressedAttributeTypes/type")}
        if starred - {"QUASI_IDENTIFYING_ATTRIBUTE"}:
            self.left_out.append("stars in other columns of suppressed rows: shoal stars quasi-identifiers only")


def _one_line(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)
