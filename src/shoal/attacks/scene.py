"""Where an attack takes place: a release and its original, as the attacker sees them and as the truth is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from shoal.attacks.crowds import AttackerView, Crowd, Places, same
from shoal.attacks.rows import Rows, cells, secret
from shoal.checking.masked_columns import public
from shoal.core.arrays import Ints
from shoal.core.errors import RoleError, TableError, Unsupported, nearest
from shoal.core.sorting import distinct_rows
from shoal.hierarchies import Hierarchy, as_builder
from shoal.hierarchies.raising import seen
from shoal.microdata.histogram import household_of, person_of
from shoal.release.release import Release
from shoal.release.release_view import Shown
from shoal.tables.encoded_column import Coded, distinct_sorted
from shoal.tables.star_marks import unescaped
from shoal.tables.table import Table, TableLike, numbered


@dataclass(frozen=True, eq=False)
class Scene:
    """A release and the table it was made from: what is seen before (the table as it is) and after.

    `other` is a second release that the same people may be in. `is_limited` refuses searches that take too long.
    """

    shown: Shown
    original: pl.DataFrame
    """The published table itself where the original is not given."""
    other: Shown | None = None
    has_original: bool = True
    is_limited: bool = False

    @classmethod
    def of(
        cls,
        release: Release | str | Path,
        original: TableLike | None,
        other: Release | str | Path | None = None,
        *,
        is_limited: bool = False,
    ) -> Scene:
        """Read what is given and check that it belongs together."""
        shown = Shown.of(release)
        if shown.withheld and (original is None or shown.rows is None):
            raise Unsupported(
                f"{shown.withheld:,} suppressed rows show no sensitive value: what attacks learn about them is unknown",
                hint="give the original, and the release with its internal part",
            )
        if original is None:
            return cls(shown, shown.frame, None if other is None else Shown.of(other), has_original=False)
        table = shown.as_masked(shown.as_read(original).frame)
        shown = shown.with_withheld(table)
        scene = cls(shown, table, None if other is None else Shown.of(other), is_limited=is_limited)
        for name in (*shown.quasi, *shown.sensitive):
            if name not in table.columns:
                raise RoleError(f"the original has no column {name!r}", hint=nearest(name, table.columns))
        shown.real(table.height)
        scene.check()
        return scene

    @property
    def rows(self) -> int:
        """How many rows the original has."""
        return self.original.height

    @cached_property
    def person(self) -> Ints | None:
        """The person of each row of the original, where the release counts people; None where each row is one."""
        named = self.shown.config.get("person", ())
        if not self.has_original or not named:
            return None
        return person_of(Table(self.original), named).codes.astype(np.int64)

    @cached_property
    def household(self) -> Ints | None:
        """The household of each row of the original, where the release knows it."""
        named = self.shown.config.get("household")
        return household_of(Table(self.original), named).codes.astype(np.int64) if self.has_original and named else None

    @property
    def people(self) -> int:
        """How many people the original is about; one row is one person, unless the release counts people."""
        return self.rows if self.person is None else int(self.person.max()) + 1

    @property
    def linked(self) -> bool:
        """Whether a pseudonym links the rows of a person."""
        return self.person is not None and self.shown.config.get("pseudonym") is not None

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive attributes, but for those whose cells a mask drew: they are nobody's values."""
        return self.shown.secrets

    @property
    def shared(self) -> tuple[str, ...]:
        """Those that the second release has too, masked in the same way if they are masked."""
        assert self.other is not None
        here, there = ({name: public(mask) for name, mask in one.masks.items()} for one in (self.shown, self.other))
        return tuple(
            name for name in self.sensitive if name in self.other.secrets and here.get(name) == there.get(name)
        )

    def check(self) -> None:
        """Raise if cells do not cover the rows they stand for: another table, or hierarchies that are not here."""
        if self.after.own_row is None or self.after.places is not None:
            return
        for name in self.after.quasi:
            cells = self.after.cells[name][self.after.own_row]
            wrong = len(cells) - self.after.covers[name].matches(cells, self.after.people[name])
            if wrong:
                raise TableError(
                    f"{wrong:,} published cells of {name!r} do not cover the value of the original row",
                    expected="the table that the release was made from",
                )

    # --- codes ---

    @cached_property
    def domains(self) -> dict[str, pl.Series]:
        """By sensitive attribute, the values of the original and of what is published, in order."""
        found = {}
        for name in self.sensitive:
            columns = [self.original[name], secret(self.shown, name)]
            if self.other is not None and name in self.shared:
                columns.append(secret(self.other, name))
            found[name] = distinct_sorted(pl.concat(_alike(*columns)))
        return found

    def code(self, name: str, column: pl.Series) -> Ints:
        """Return the values of a sensitive column as numbers of its domain."""
        domain = self.domains[name]
        return numbered(column.cast(domain.dtype).to_frame("value"), domain.to_frame("value"))

    def values(self, name: str) -> Ints:
        """Return the values of a column that an attacker may know as numbers, in their order."""
        return _codes(self.original[name])

    def tree(self, name: str) -> Hierarchy | None:
        """Return the hierarchy given for a sensitive attribute, over its domain."""
        spec = self.shown.hierarchies.get(name)
        return None if spec is None else as_builder(spec).build(self.domains[name])

    # --- what is seen ---

    @cached_property
    def before(self) -> AttackerView:
        """The table as it is, everybody in it."""
        codes = {name: self.values(name) for name in self.shown.quasi}
        secrets = {name: self.code(name, self.original[name]) for name in self.sensitive}
        return AttackerView(
            cells=codes,
            covers={name: same(int(column.max()) + 1) for name, column in codes.items()},
            weights=np.ones(self.rows),
            secrets=secrets,
            people=codes,
            own_secrets=secrets,
            own_row=np.arange(self.rows),
            exact=True,
            whose=self.person,
            person=self.person,
            linked=self.linked,
        )

    @cached_property
    def after(self) -> AttackerView:
        """The release, and those people who are in it."""
        return self.view_of(self.shown, self.shown.rows)

    @cached_property
    def after_other(self) -> AttackerView:
        """The second release, and the same people."""
        assert self.other is not None
        return self.view_of(self.other, self.shown.rows, own=False)

    def view_of(self, shown: Shown, rows: Ints | None, *, own: bool = True) -> AttackerView:
        """Return what some people of the original see of themselves in a release; `own` if rows are in its order."""
        real = slice(None) if rows is None else rows < self.rows
        here = np.arange(self.rows) if rows is None else rows[real]
        person = None if self.person is None or rows is None else self.person[here]
        spread = Rows.of(shown)
        classes, covers = spread.always(shown.quasi)
        places: dict[str, Places] | None = None if shown.form.covers else {}
        columns = {name: seen(self.original[name], shown.raised) for name in shown.quasi}
        for name, column in columns.items():
            number, cover, place = cells(shown, name, column)
            classes[name], covers[name] = number[spread.person], cover
            if places is not None and place is not None:
                places[name] = place
        unknown = np.zeros(len(here), dtype=np.int64)
        known = {name: _codes(column)[here] for name, column in columns.items()}
        secrets = self.sensitive if own else self.shared
        return AttackerView(
            cells=classes,
            covers=covers,
            weights=spread.weights,
            secrets={name: self.code(name, secret(shown, name))[spread.value] for name in secrets},
            people={name: known.get(name, unknown) for name in classes},
            own_secrets={name: self.before.own_secrets[name][here] for name in secrets},
            own_row=None if rows is None or not own else spread.first[real],
            always=tuple(name for name in classes if name not in shown.quasi),
            places=places,
            is_limited=self.is_limited,
            whose=person if own else None,
            person=person,
            linked=own and person is not None and self.linked,
        )

    # --- candidates ---

    def crowds(self, given: str | None = None) -> tuple[Crowd, Crowd]:
        """Return everybody's candidates before and after, for who knows all quasi-identifiers, and maybe a secret."""
        if given is None:
            return self._full
        return Crowd(self.before.knowing(given)), Crowd(self.after.knowing(given))

    def crowds_knowing(self, columns: Sequence[str]) -> tuple[Crowd, Crowd]:
        """Return the same for who knows published columns, too, that are no quasi-identifiers; not those drawn."""
        columns = [name for name in columns if name not in self.shown.drawn]
        if not columns:
            return self._full
        rows, people = self._both([(unescaped(self.shown.frame[name]), self.original[name]) for name in columns])
        here = slice(None) if self.shown.rows is None else self.shown.rows[self.shown.rows < self.rows]
        after = self.after.knowing_codes(rows[Rows.of(self.shown).person], people[here])
        return Crowd(self.before.knowing_codes(people, people)), Crowd(after)

    def _both(self, columns: Sequence[tuple[pl.Series, pl.Series]]) -> tuple[Ints, Ints]:
        """Number what published rows, and then people, have in some columns together, over one domain."""
        coded = [Coded.of(pl.concat(_alike(*pair))) for pair in columns]
        numbers, _, _ = distinct_rows([one.codes for one in coded], [one.size for one in coded])
        return numbers[: self.shown.frame.height], numbers[self.shown.frame.height :]

    @property
    def way(self) -> str:
        """How candidates in the release are found by who knows all quasi-identifiers."""
        return self._full[1].way

    @cached_property
    def _full(self) -> tuple[Crowd, Crowd]:
        return Crowd(self.before), Crowd(self.after)

    @cached_property
    def crowd_of_other(self) -> Crowd:
        """The candidates of the same people in the second release."""
        return Crowd(self.after_other)


def _alike(*columns: pl.Series) -> list[pl.Series]:
    """Return columns of one name and type: texts, where their types differ."""
    same = len({column.dtype for column in columns}) == 1
    return [(column if same else column.cast(pl.String)).rename(columns[0].name) for column in columns]


def _codes(column: pl.Series) -> Ints:
    """Return the values of a column as numbers, in their order."""
    return Coded.of(column).codes.astype(np.int64)
