"""A first `shoal.toml` from what an inspection found: roles, a starting requirement, hierarchies to edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.core.toml import toml_value
from shoal.hierarchies import Automatic, StarsOnly, spec_of
from shoal.inspection.columns import Column, Role
from shoal.models import DistinctLDiversity, KAnonymity, Model, Models
from shoal.tables.encoded_column import Coded

CROWD = 5
"""The k to start with."""
GUARDED = 3
"""Sensitive columns that the starting requirement speaks of, at most."""
MANY, WIDE = 20_000, 500
"""Distinct values, and columns, above which the choice of a hierarchy is left to the run."""

RECODINGS = (
    "# range: numbers and dates become ranges such as [20, 29], other values sets such as {a, b}.",
    '# "generalize" publishes groups instead, those of the hierarchies below or others: take the signs # away there.',
)
"""What is said of the two recodings that most tables are published with."""
KEYS = {
    "quasi": Role.QUASI,
    "sensitive": Role.SENSITIVE,
    "identifiers": Role.IDENTIFIER,
    "other": Role.OTHER,
    "leave_out": Role.LEAVE_OUT,
}
"""The key of a `shoal.toml` that lists the columns of a role."""


@dataclass(frozen=True)
class Answers:
    """What a person decided besides the roles; what nobody was asked is a proposal."""

    about: str = "Suggested by an inspection: read it, change it, then run `shoal anonymize --config` with it."
    """The first line of the file."""
    require: str = ""
    meaning: str = ""
    """What the requirement means, in words."""
    folder: str = "release"
    """Where the release goes, as seen from the file."""
    report: bool = False
    allow: Sequence[str] = ()


def proposed_hierarchies(frame: pl.DataFrame) -> tuple[dict[str, dict[str, object]], dict[str, str]]:
    """Return what `Automatic` would choose for each column, where it is more than stars, and its levels in words."""
    found: dict[str, dict[str, object]] = {}
    levels: dict[str, str] = {}
    for column in frame.iter_columns() if frame.width <= WIDE else ():
        coded = Coded.of(column)
        rows = np.bincount(coded.codes, minlength=coded.size)
        builder = Automatic().chosen(coded.values, rows) if coded.size <= MANY else StarsOnly()
        if builder != StarsOnly():
            found[column.name] = spec_of(builder)
            said = builder.resolved(coded.values, rows)
            levels[column.name] = said.levels_of(said.build(coded.values, rows))
    return found, levels


def configuration(
    rows: int,
    columns: Sequence[Column],
    hierarchies: Mapping[str, Mapping[str, object]],
    levels: Mapping[str, str],
    file: str | Path | None,
    reading: Mapping[str, Any],
    answers: Answers,
    missing: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return the text of a `shoal.toml`; every column stands in it once, with the reason for its role."""
    guarded, unguarded = _guarded(columns)
    lines = [f"# {answers.about}", ""]
    if file is not None:
        given = {"file": Path(file).as_posix(), **{key: value for key, value in reading.items() if value is not None}}
        lines += ["[data]", *(f"{key} = {toml_value(value)}" for key, value in given.items()), ""]
    if missing:
        lines.append("# Codes that may stand for missing values; where they do, take the signs # away:")
        lines += [
            "# [missing]",
            *(f"# {toml_value(name)} = {toml_value(list(some))}" for name, some in missing.items()),
            "",
        ]
    lines += ["[roles]"]
    for key, role in KEYS.items():
        named = [column for column in columns if column.role == role]
        lines += _listed(key, named) if named or role != Role.LEAVE_OUT else []
    lines += [f"allow = {toml_value(list(answers.allow))}"] if answers.allow else []
    undecided = [column for column in columns if column.role == Role.OPEN]
    if undecided:
        lines.append(
            "# Decide on these: may others know it (quasi), must nobody learn it (sensitive), or leave it out?"
        )
        lines += [f"#   {toml_value(column.name)},  # {_plain(column.reason)}" for column in undecided]
    lines += ["", "[privacy]", *([f"# {_plain(answers.meaning)}"] if answers.meaning else [])]
    lines += [f"require = {toml_value(answers.require or str(_requirement(rows, guarded)))}"]
    if unguarded and not answers.require:
        lines.append(f"# nothing is required yet of {', '.join(toml_value(name) for name in unguarded)}")
    lines += ["", "[method]", *RECODINGS, 'recoding = "range"', ""]
    if hierarchies:
        lines += ["# [hierarchies]"]
        lines += [
            f"# {toml_value(name)} = {_inline(spec)}  # {_plain(levels.get(name, ''))}"
            for name, spec in hierarchies.items()
        ]
        lines.append("")
    lines += ["[output]", f"folder = {toml_value(answers.folder)}"]
    lines += [*(["report = true"] if answers.report else []), ""]
    return "\n".join(lines)


def _guarded(columns: Sequence[Column]) -> tuple[list[str], list[str]]:
    """Part the sensitive columns: those to require diversity of, and those left to the owner."""
    sensitive = [column for column in columns if column.role == Role.SENSITIVE]
    able = [column.name for column in sensitive if column.distinct + (column.missing > 0) > 1][:GUARDED]
    return able, [column.name for column in sensitive if column.name not in able]


def _requirement(rows: int, sensitive: Iterable[str]) -> Models:
    """Return a requirement that the table as one class meets, so that some release always exists."""
    models: list[Model] = [KAnonymity(min(CROWD, rows))]
    models += [DistinctLDiversity(2, name) for name in sensitive]
    return Models(tuple(models))


def _listed(key: str, columns: Sequence[Column]) -> list[str]:
    if not columns:
        return [f"{key} = []"]
    return [f"{key} = [", *(f"  {toml_value(column.name)},  # {_plain(column.reason)}" for column in columns), "]"]


def _plain(reason: str) -> str:
    """Return a text that may stand in a comment: no signs that end or break a line."""
    return "".join(sign if sign.isprintable() else " " for sign in reason)


def _inline(spec: Mapping[str, object]) -> str:
    return "{ " + ", ".join(f"{key} = {toml_value(value)}" for key, value in spec.items()) + " }"
