"""Re-release: a table that people have come to and gone from is published again, by m-invariance (Xiao and Tao 2007).

Who was published before is put into a group with the same values as then; counterfeits stand in for values that nobody
has any more. They are rows like others, with the quasi-identifiers of a person of their group. How many there are in
each group is published, as in the paper, in a table of its own, and the rows are kept in the internal part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

import numpy as np
import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import ParameterError, ShoalError, TableError, Unsupported
from shoal.methods.base import Progress, silent
from shoal.microdata.partition import Partition
from shoal.models import MInvariance
from shoal.models.requirement import as_models
from shoal.pipeline import run
from shoal.problem import Problem, Solution
from shoal.recoding.anatomy import Anatomy
from shoal.release.release import Release
from shoal.republication.invariance import Grouping, Signature, invariant_groups
from shoal.republication.release_register import Register
from shoal.request import Request
from shoal.steps.preparation import roles_of
from shoal.tables.encoded_column import distinct_sorted
from shoal.tables.roles import listed
from shoal.tables.spelling import infer
from shoal.tables.star_marks import unescaped
from shoal.tables.table import Table, numbered

COUNTERFEITS = "counterfeits"
"""What the table of the counterfeits of each group is called."""


def rerelease(
    table: Table,
    request: Request,
    register: Register,
    follows: str | Path | None,
    progress: Progress = silent,
    stop: Event | None = None,
) -> Release:
    """Publish a table so that who is in an earlier release of the register has the same signature as there.

    `follows` is the release before, which must be in the register; None for the first of a series. The requirement has
    `m(ATTRIBUTE)=M` and nothing that two tables cannot meet. People are told apart by the identifiers, or where there
    are none by the quasi-identifiers; a value that has changed since makes somebody a new person, as in the paper.
    """
    refused = next((name for name in ("unify", "order", "missing") if getattr(request, name)), None)
    if refused is not None:
        raise Unsupported(
            f"a release that follows another does not support {refused}",
            hint="apply it to the table beforehand, in the same way for every release of the series",
        )
    if listed(request.person):
        raise Unsupported(
            "a release that follows another does not support person: its groups have one row of each person",
            hint="keep one row of each person, and name what identifies them with --identifier",
        )
    series = _Series.of(table, request, register, follows)
    grouping = series.grouping(request.start_and_limit()[0])
    fakes = series.counterfeits(grouping)
    labels = np.concatenate([grouping.group_of_row, grouping.fake_groups])
    notes = (
        f"{series.known:,} of {table.rows:,} people were published before and keep their signature; "
        f"{series.changed:,} have another value now and count as new; {fakes.height:,} counterfeits were added; "
        f"{int((grouping.group_of_row < 0).sum()):,} new people wait for the next release",
    )

    def solve(problem: Problem) -> Solution:
        partition = Partition(labels)
        return Solution(partition, problem.cost_of(partition), "feasible", "m-invariance", notes=notes)

    whole = Table(pl.concat([table.frame, fakes]), table.notes, table.origin)
    release = run(whole, replace(request, recoding=Anatomy.name, max_dropped=0), progress, stop, solve)
    return series.checked(_told(release, fakes))


def _told(release: Release, fakes: pl.DataFrame) -> Release:
    """Return a release that says how many rows of each group are counterfeits."""
    group, count = release.codebook["names"]["group"], release.codebook["names"]["count"]
    groups = release.table[group]
    added = groups.slice(len(groups) - fakes.height).to_frame().group_by(group).len(count)
    counted = added.with_columns(pl.col(count).cast(pl.Int64)).sort(group)
    columns = [
        {"name": name, "role": role, "type": str(counted[name].dtype)}
        for name, role in ((group, "group"), (count, "count"))
    ]
    codebook = {
        **release.codebook,
        COUNTERFEITS: fakes.height,
        "tables": {**release.codebook["tables"], COUNTERFEITS: columns},
    }
    said = f"{fakes.height:,} of the {len(groups):,} rows are counterfeits, about nobody; {COUNTERFEITS} says where"
    certificate = replace(release.certificate, remarks=(*release.certificate.remarks, said))
    shown = {**release.shown, COUNTERFEITS: Table(counted)}
    return replace(release, shown=shown, codebook=codebook, certificate=certificate, counterfeits=fakes)


@dataclass(frozen=True, eq=False)
class _Series:
    """A table, and the signatures that its people have from earlier releases."""

    table: Table
    identifiers: Sequence[str]
    attribute: str
    m: int
    domain: pl.Series
    """Every value of the table and of the signatures."""
    values: Ints
    hashes: pl.Series
    signatures: Sequence[Signature | None]
    known: int
    changed: int

    @classmethod
    def of(cls, table: Table, request: Request, register: Register, follows: str | Path | None) -> _Series:
        """Check the request and look the people up."""
        roles = roles_of(table.columns, request)
        attribute, m = series_asked(request, roles.sensitive)
        person = roles.identifiers or roles.quasi
        hashes = register.hashes(table.frame, person)
        if hashes.n_unique() < table.rows:
            raise ParameterError(
                f"{table.rows - hashes.n_unique():,} rows have the same {' and '.join(map(repr, person))} as another",
                expected="columns that identify people, as identifiers",
            )
        earlier = register.signatures(follows, attribute, m, person) if follows is not None else {}
        column = table[attribute]
        domain = distinct_sorted(_with(column, frozenset[str | None]().union(*earlier.values())))
        values, code = numbered(column.to_frame("value"), domain.to_frame("value")), _numbers(domain)
        found = [_codes(earlier.get(one), code) for one in hashes]
        fits = [sig is None or int(value) in sig for sig, value in zip(found, values, strict=True)]
        kept = [sig if fit else None for sig, fit in zip(found, fits, strict=True)]
        known = sum(sig is not None for sig in kept)
        return cls(table, roles.identifiers, attribute, m, domain, values, hashes, kept, known, fits.count(False))

    def grouping(self, seed: int) -> Grouping:
        """Put the rows into groups."""
        order = np.argsort(self.hashes.to_numpy(), kind="stable")  # ties never depend on the order of rows
        sorted_ = [self.signatures[row] for row in order.tolist()]
        rng = np.random.default_rng(seed)
        found = invariant_groups(self.values[order], sorted_, self.m, len(self.domain), rng)
        labels = np.empty(len(order), dtype=np.int64)
        labels[order] = found.group_of_row
        return replace(found, group_of_row=labels)

    def counterfeits(self, grouping: Grouping) -> pl.DataFrame:
        """Return the rows that are about nobody: each looks like a person of its group, but for value and identity."""
        order = np.argsort(self.hashes.to_numpy(), kind="stable")
        order = order[grouping.group_of_row[order] >= 0]  # who waits is in no group
        somebody = order[np.unique(grouping.group_of_row[order], return_index=True)[1]]
        frame = self.table.frame[somebody[grouping.fake_groups]]
        nobody = [pl.lit(None, dtype=frame.schema[name]).alias(name) for name in self.identifiers]
        return frame.with_columns(self.domain.gather(grouping.fake_values).rename(self.attribute), *nobody)

    def checked(self, release: Release) -> Release:
        """Guarantees, from the published tables alone, that everybody who was published before has their signature."""
        group, counted = release.codebook["names"]["group"], release.tables["sensitive"]
        code = _numbers(self.domain)
        held: dict[int, set[int]] = {}
        for number, text in zip(counted[group], unescaped(counted[self.attribute]).cast(pl.String), strict=True):
            held.setdefault(number, set()).add(code[text])
        people = [row for row in release.classes.kept.tolist() if row < self.table.rows]
        wanted = [self.signatures[row] for row in people]  # the counterfeits stand behind the people
        pairs = zip(wanted, release.table[group], strict=False)
        wrong = sum(signature is not None and held[number] != set(signature) for signature, number in pairs)
        if wrong:
            raise ShoalError(
                f"{wrong:,} people have another signature than before; nothing is released",
                hint="please report this: it is a bug in shoal",
            )
        return release


def series_asked(request: Request, sensitive: Sequence[str]) -> tuple[str, int]:
    """Return the attribute and the m that are asked for; raise `Unsupported` if a series cannot be asked for this."""
    models = [model for model in as_models(request.require) if isinstance(model, MInvariance)]
    if request.masks:
        raise Unsupported("masks are not for releases that follow one another", hint="leave the masks out")
    if len(models) != 1 or models[0].given or models[0].attributes != tuple(sensitive):
        raise Unsupported(
            "a release that follows another has one sensitive column, and asks for m of it",
            hint="write m(COLUMN)=3, and leave other sensitive columns out",
        )
    if request.recoding not in (None, Anatomy.name):
        raise Unsupported(
            f"a release that follows another has two tables, not the recoding {request.recoding!r}",
            hint="leave --recoding out: groups are published by number",
        )
    return models[0].attributes[0], int(models[0].limit)


def _numbers(domain: pl.Series) -> dict[str | None, int]:
    return {text: number for number, text in enumerate(domain.cast(pl.String))}


def _codes(held: frozenset[str | None] | None, code: dict[str | None, int]) -> Signature | None:
    return None if held is None else tuple(sorted(code[text] for text in held))


def _with(column: pl.Series, texts: frozenset[str | None]) -> pl.Series:
    """Return a column and the values of its type that are written so; raise where its type has no such values."""
    more = pl.Series(column.name, sorted(texts, key=str), dtype=pl.String)
    try:
        return pl.concat([column, more if column.dtype == pl.String else infer(more).cast(column.dtype)])
    except pl.exceptions.PolarsError:
        raise TableError(
            f"{column.name!r} is of type {column.dtype.base_type()}, and has other values in an earlier release",
            expected="a column of the type that it had",
            hint="give it as text",
        ) from None
