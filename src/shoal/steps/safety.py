"""What must be decided about the columns of a table before anything of it is written.

    roles --every column has one--> look-alike identifiers --> columns that reveal others --> Safety

Fails closed: a column without a role, or one that would go out unprotected and looks like an identifier or reveals a
protected column, is refused, unless the request names it in `allow`. The word `rest` names no column.
"""

from __future__ import annotations

import csv
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import RoleError, nearest
from shoal.core.number_format import counted
from shoal.inspection.columns import Role, proposals
from shoal.inspection.dependence import dependences
from shoal.inspection.headers import header_warnings
from shoal.inspection.households import household_warnings
from shoal.inspection.look_alikes import LookAlike, look_alikes
from shoal.inspection.repeated import NUMBERING, repeating
from shoal.inspection.surveys import survey_codes
from shoal.request import SETTINGS, Request
from shoal.tables.column_names import speaks
from shoal.tables.roles import Roles, listed
from shoal.tables.table import Table

SETTING = {
    Role.QUASI: "quasi",
    Role.SENSITIVE: "sensitive",
    Role.IDENTIFIER: "identifiers",
    Role.OPEN: "leave_out",
    Role.OTHER: "other",
}
"""The setting that a column without a role is proposed for; one that nothing is known of is left out."""


@dataclass(frozen=True)
class Safety:
    """What was noticed of the columns that are published; names of columns and counts, never a cell."""

    roles: Roles = field(default_factory=lambda: Roles(()))
    """The roles of all columns."""
    insisted: Mapping[str, str] = field(default_factory=dict)
    """Columns that would have been refused, and are published because the request names them; each with the reason."""
    warnings: tuple[str, ...] = ()


def examine(table: Table, roles: Roles, request: Request, *, two_tables: bool = False) -> Safety:
    """Guarantees that every column has a role, and that none goes out unprotected by oversight; else `RoleError`.

    `two_tables`: quasi-identifiers are published as they are, so that nothing needs to reveal them.
    """
    check_decided(table, roles)
    check_allowed(roles, request)
    allowed = listed(request.allow)
    heads = header_warnings(table, roles.quasi + roles.sensitive)
    found, warnings = dangers(table, roles, allowed, two_tables=two_tables)
    repeated = () if listed(request.person) else repeated_identifiers(table, roles, request.household)
    homes = [] if request.household is None else household_warnings(table, request.household, roles.quasi, roles.other)
    refused = {name: reason for name, reason in found.items() if name not in allowed}
    if refused:
        raise RoleError(_refusal(refused, roles), hint=_insist(list(refused)))
    return Safety(roles, found, (*heads, *warnings, *repeated, *homes))


def dangers(
    table: Table, roles: Roles, allowed: Sequence[str] = (), *, two_tables: bool = False
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the columns that are refused unless they are insisted on, with the reasons; and what is warned about.

    What is allowed by name is not warned about: it is insisted on.
    """
    codes = survey_codes(table.columns)
    alike: dict[str, LookAlike] = {}
    for name in roles.other + roles.sensitive:  # one column after the other: a table may be larger than memory
        alike |= look_alikes(table[name].to_frame(name), codes)
    strict = (*roles.other, *allowed)
    found = {name: one.reason for name, one in alike.items() if name in strict or not one.measure}
    told = roles.sensitive if two_tables else roles.quasi + roles.sensitive
    for one in dependences(table, told, roles.other):
        found.setdefault(one.column, one.reason)
    measures = [_measure(name, one.reason) for name, one in alike.items() if name not in found]
    secret = [name for name in roles.sensitive if name not in allowed and not two_tables]
    telling = [one.reason for one in dependences(table, roles.quasi, secret)]
    return found, (*measures, *telling)


def check_decided(table: Table, roles: Roles) -> None:
    """Guarantees that every column has a role; else an error that proposes one for each that has none."""
    if not roles.undecided:
        return
    found = {column.name: column for column in proposals(table.frame) if column.name in roles.undecided}
    lines = [f"\n  {name!r}: {found[name].role}, {found[name].reason}" for name in roles.undecided]
    settings: dict[str, list[str]] = {}
    for name in roles.undecided:
        settings.setdefault(SETTING[found[name].role], []).append(name)
    many = len(roles.undecided)
    raise RoleError(
        f"{counted(many, 'column has', 'columns have')} no role, and nothing is published before every column has one;"
        f" proposed:{''.join(lines)}",
        hint=f"\nread the proposals, then add {as_flags(settings)}\n(--other publishes a column as it is, --leave-out"
        " does not publish it; in shoal.toml and in Python the settings are"
        f" {', '.join(SETTINGS[name].key for name in settings)})",
    )


def as_flags(settings: Mapping[str, Sequence[str]]) -> str:
    """Return settings that list columns as they are written on the command line.

    >>> print(as_flags({"quasi": ["age"], "leave_out": ["my note", "a,b"]}))
    --quasi age --leave-out 'my note,"a,b"'
    """
    return " ".join(f"{SETTINGS[name].flag} {shlex.quote(_comma_separated(names))}" for name, names in settings.items())


def _comma_separated(names: Sequence[str]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()


def check_allowed(roles: Roles, request: Request) -> None:
    """Refuse to allow what is not published: the word `rest`, or a column of another role."""
    for name in listed(request.allow):
        if name not in roles.sensitive + roles.other:
            raise RoleError(
                f"{name!r} is allowed, but is not published as it is",
                expected="names of columns that are sensitive or other",
                hint=nearest(name, roles.sensitive + roles.other),
            )


def _refusal(refused: Mapping[str, str], roles: Roles) -> str:
    """Say which columns are not published, and why."""
    lines = [
        f"\n  {name!r} as {'sensitive' if name in roles.sensitive else 'other'}: {reason}"
        for name, reason in refused.items()
    ]
    many = counted(len(refused), "column")
    return f"{many} would be published without protection, so nothing is published:{''.join(lines)}"


def _insist(names: Sequence[str]) -> str:
    return (
        "\nleave such columns out (--leave-out, --identifier), protect them (--quasi), or insist by name:"
        f" {as_flags({'allow': names})}"
    )


def _measure(name: str, reason: str) -> str:
    return f"{name!r} is published exactly: {reason}; whoever knows a value finds its row. Round it if you can"


def numbering(roles: Roles, household: str | None = None) -> list[str]:
    """Return identifiers, but that of households, and columns that are left out whose names say a person's number.

    >>> numbering(Roles(("age",), identifiers=("card",), left_out=("patient_id", "note")))
    ['card', 'patient_id']
    """
    left_out = [name for name in roles.left_out if speaks(name, NUMBERING)]
    return [name for name in (*roles.identifiers, *left_out) if name != household]


def repeated_identifiers(table: Table, roles: Roles, household: str | None = None) -> list[str]:
    """Say which columns that number people occur more than once: then one row is not one person."""
    return [
        f"{'identifier' if name in roles.identifiers else 'left-out column'} {name!r} repeats:"
        f" {table[name].n_unique():,} different values in {table.rows:,} rows."
        " Models count rows; where one person has several, fewer people than that share a class."
        f" If it tells which person a row belongs to, add {as_flags({'person': [name]})}"
        for name in repeating(table, numbering(roles, household))
    ]


def people_in_classes(table: Table, identifiers: Sequence[str], class_of_row: Ints, k: int) -> list[str]:
    """Say how many classes hold fewer than k different values of an identifier that repeats; nothing if none does."""
    kept = class_of_row >= 0
    found = []
    for name in repeating(table, identifiers):
        pairs = pl.DataFrame({"class": class_of_row, "person": table[name]}).filter(pl.Series(kept)).unique()
        people = pairs.group_by("class").len()["len"]
        few, one = int((people < k).sum()), int((people == 1).sum())
        if few:
            found.append(
                f"of {counted(len(people), 'class', 'classes')} {few:,} hold fewer than {k} different values of"
                f" {name!r}, and {one:,} one alone: if each value is one person, so few people share a class"
            )
    return found
