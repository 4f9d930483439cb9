"""The inspection of a table as one object: roles with reasons, sets that single people out, a suggestion."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from shoal.core.markup import table as table_of
from shoal.core.markup import tag
from shoal.core.number_format import counted, percent
from shoal.core.pictures import bar
from shoal.inspection.columns import Column, Role, proposals
from shoal.inspection.headers import header_warnings
from shoal.inspection.households import differing_members, household_column, shared_by_members
from shoal.inspection.missing_values import proposed_codes
from shoal.inspection.ranking import Step, ranking
from shoal.inspection.repeated import repeating
from shoal.inspection.suggestion import Answers, configuration, proposed_hierarchies
from shoal.microdata.histogram import household_of
from shoal.risk.singling import Search, search
from shoal.tables.table import Table, TableLike

DECIDED = "decided by a person"
"""The reason for a role that was not proposed."""


@dataclass(frozen=True)
class Inspection:
    """What was found in a table, without any of its cells."""

    rows: int
    columns: tuple[Column, ...]
    singling: Search
    ranking: tuple[Step, ...] = ()
    """What each quasi-identifier adds to those before it, then what each open column would add, unless it is unique."""
    hierarchies: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Proposals for quasi-identifiers, as a configuration writes them."""
    notes: tuple[str, ...] = ()
    """Where values are spelt in several ways, and identifiers that repeat; names of columns and counts."""
    levels: Mapping[str, str] = field(default_factory=dict)
    """What the levels of the proposed hierarchies are, in words."""
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By column, usual codes for missing values that occur in it, such as -8, 99 or NA."""

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def named(self, role: Role | str) -> tuple[str, ...]:
        """Return the names of the columns proposed for a role, in table order."""
        return tuple(column.name for column in self.columns if column.role == role)

    def __repr__(self) -> str:
        roles = {role: self.named(role) for role in dict.fromkeys(column.role for column in self.columns)}
        said = ", ".join(f"{len(names)} {role}" for role, names in roles.items())
        return f"<Inspection: {counted(self.rows, 'row')}, columns: {said}>"

    def _repr_html_(self) -> str:
        """Show in a notebook a row a column with its role and why, and what each quasi-identifier adds; no cell."""
        columns = [
            [one.name, one.role, f"{one.distinct:,}", bar(one.unique, percent(one.unique)), one.reason]
            for one in self.columns
        ]
        steps = [[one.column, percent(one.unique), bar(one.unique, percent(one.unique))] for one in self.ranking]
        return tag(
            "div",
            tag("p", tag("strong", "Inspection"), f": {counted(self.rows, 'row')}, {len(self.columns):,} columns"),
            table_of(("column", "role", "distinct", "unique rows", "why"), columns, numbers=(2,)),
            *([table_of(("each added to those above", "unique rows", ""), steps, numbers=(1,))] if steps else []),
            *(tag("p", note) for note in self.notes),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "rows": self.rows,
            "columns": [asdict(column) for column in self.columns],
            "singling": asdict(self.singling),
            "ranking": [asdict(step) for step in self.ranking],
            "hierarchies": {name: dict(spec) for name, spec in self.hierarchies.items()},
            "levels": dict(self.levels),
            "notes": list(self.notes),
            "missing": {name: list(codes) for name, codes in self.missing.items()},
        }

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def decided(self, table: Table, roles: Mapping[str, Role]) -> Inspection:
        """Return the same with the roles that a person decided on, by column, and hierarchies to fit them."""
        columns = tuple(
            replace(one, role=role, reason=DECIDED) if (role := roles.get(one.name, one.role)) != one.role else one
            for one in self.columns
        )
        changed = replace(self, columns=columns)
        quasi = changed.named(Role.QUASI)
        new = [name for name in quasi if name not in self.named(Role.QUASI)]
        trees, levels = proposed_hierarchies(table.frame.select(new))
        kept = {name: tree for name, tree in {**self.hierarchies, **trees}.items() if name in quasi}
        return replace(changed, hierarchies=kept, levels={**self.levels, **levels})

    def to_toml(self, file: str | Path | None = None, **reading: Any) -> str:
        """Return a `shoal.toml` that starts from these proposals; `read_config` reads it back.

        `file` is the table, named as seen from where the configuration will lie; `reading` may give separator,
        encoding, decimal, sheet and header row.
        """
        return self.answered(Answers(), file, reading)

    def answered(self, answers: Answers, file: str | Path | None, reading: Mapping[str, Any]) -> str:
        """Return the same `shoal.toml` with what a person decided besides the roles."""
        return configuration(
            self.rows, self.columns, self.hierarchies, self.levels, file, reading, answers, self.missing
        )


def inspect(data: TableLike, *, household: str | None = None) -> Inspection:
    """Look at a table before anonymizing it: propose roles with reasons, and find what singles people out.

    The proposals are for a person to judge; columns of which too little is known stay open. No cell of the table is in
    them, but for usual codes that may stand for missing values. `household` is the column that numbers households; one
    whose name says so is taken where none is given. What its members share is proposed as a quasi-identifier.

    >>> found = inspect({"email": ["a@b.no", "c@d.no"], "age": [30, 40], "illness": ["flu", "flu"]})
    >>> [(column.name, str(column.role), column.reason) for column in found.columns][1]
    ('age', 'quasi', 'the name says age, which others may know')
    >>> found["email"].pattern, found.singling.smallest.columns
    ('e-mail addresses', ('age',))
    """
    table = Table.of(data)
    if household is not None:
        household_of(table, household)
    home = household or household_column(table)
    columns = tuple(_of_households(table, home, proposals(table.frame)))
    quasi = [column.name for column in columns if column.role == Role.QUASI]
    undecided = [column.name for column in columns if column.role == Role.OPEN and column.unique < 0.5]
    trees, levels = proposed_hierarchies(table.frame.select(quasi))
    steps = ranking(table, quasi, undecided)
    named = [column.name for column in columns if column.role == Role.IDENTIFIER]
    repeats = (_repeats(table, name) for name in repeating(table, named) if name != home)
    homes = () if home is None else (_homes(table, home), *differing_members(table, home, table.columns))
    heads = header_warnings(table, table.columns)
    notes = (*heads, *table.origin.told, *table.spelling, *repeats, *homes)
    missing = {name: codes for name in table.columns if (codes := proposed_codes(table[name]))}
    return Inspection(table.rows, columns, search(table, quasi), steps, trees, notes, levels, missing)


def _of_households(table: Table, household: str | None, columns: Sequence[Column]) -> list[Column]:
    """Return the columns, those left open that members of a household share as quasi-identifiers."""
    undecided = [one.name for one in columns if one.role == Role.OPEN]
    shared = [] if household is None else shared_by_members(table, household, undecided)
    why = f"the same for all members of each household ({household!r}), which neighbours may know"
    return [replace(one, role=Role.QUASI, reason=why) if one.name in shared else one for one in columns]


def _homes(table: Table, name: str) -> str:
    return (
        f"{name!r} numbers {counted(table[name].n_unique(), 'household')} in {table.rows:,} rows; --household measures"
        " their risk, and k-households=K asks for K of them in each class"
    )


def _repeats(table: Table, name: str) -> str:
    """Say that there are fewer people than rows, if a column tells which person a row belongs to."""
    return (
        f"{name!r} repeats: {table[name].n_unique():,} different values in {table.rows:,} rows; if it tells whom a row"
        " is about, models count people with --person"
    )
