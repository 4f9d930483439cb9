"""CODIP (Fang et al.): one release for each group of related sensitive attributes, instead of one for all.

A class need not be close to the table in all sensitive attributes at once, so each release loses less. The price: who
has several of them can join them. A person is then among the rows that share a class in every release, which may be
few. `Projections.joined` is the audit of those rows, as an attacker sees them who joins all releases.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from threading import Event
from typing import Unpack

import numpy as np
import polars as pl

from shoal.checking.audit import Audit, audit
from shoal.core.arrays import Ints
from shoal.core.atomic_files import put_text, replacing
from shoal.core.errors import ParameterError, cannot_write
from shoal.core.memory import MemoryLimit, within
from shoal.core.parameters import Number
from shoal.methods.base import Progress, silent
from shoal.models import Model, Models
from shoal.models.orders import read_as_asked
from shoal.models.requirement import as_models
from shoal.pipeline import run
from shoal.release.release import Release, check_new
from shoal.request import Request, Settings, takes_settings
from shoal.steps.preparation import roles_of
from shoal.steps.safety import check_allowed
from shoal.tables.roles import listed
from shoal.tables.table import Table, TableLike

LARGEST = Number("largest", "sensitive attributes of one release at most", 1, whole=True)


@dataclass(frozen=True, eq=False)
class Projections:
    """Releases of the same people, each with all quasi-identifiers and some of the sensitive attributes."""

    releases: Mapping[str, Release]
    """By name: the sensitive attributes, joined by +."""
    joined: Audit
    """What all releases together give away: classes are the rows that share a class in every release."""

    def save(self, folder: str | Path, *, format: str | None = None) -> Path:
        """Write every release into a folder of its own below `folder`, in one step; an existing one is refused."""
        target = Path(folder)
        check_new(target)
        try:
            with replacing(target) as beside:
                beside.mkdir(parents=True)
                for name, release in zip(self.folders, self.releases.values(), strict=True):
                    release.save(beside / name, format=format)
                (beside / "internal").mkdir()
                put_text(beside / "internal" / "joined.json", self.to_json())
        except OSError as error:
            raise cannot_write(target, error) from error
        return target

    @property
    def folders(self) -> list[str]:
        """The name of the folder of each release: its number, and what of its name a folder may be called."""
        words = ["".join(sign if sign.isalnum() else "_" for sign in name) for name in self.releases]
        return [f"{number}_{word}" for number, word in enumerate(words, 1)]

    def rows(self) -> list[dict[str, str]]:
        """Return a row for each release, as text: its name and folder, what it cost, and how large its classes are."""
        return [
            {
                "release": name,
                "folder": folder,
                "status": release.certificate.status,
                "cost": f"{float(release.certificate.cost):,.6g}",
                "classes": f"{release.audit.classes:,}",
                "smallest class": f"{release.audit.smallest_class:,}",
            }
            for folder, (name, release) in zip(self.folders, self.releases.items(), strict=True)
        ]

    def to_json(self) -> str:
        """Return what was reached apart and joined, as JSON; no cell of the table."""
        apart = {name: json.loads(release.audit.to_json()) for name, release in self.releases.items()}
        joined = json.loads(self.joined.to_json())
        return json.dumps({"apart": apart, "joined": joined}, indent=2, ensure_ascii=False)


@takes_settings("codip")
def codip(
    data: TableLike,
    *,
    quasi: Sequence[str],
    require: str | Model | Models | Iterable[Model],
    largest: int = 1,
    memory_limit: object = None,
    progress: Progress | None = None,
    **settings: Unpack[Settings],
) -> Projections:
    """Publish one release for each group of at most `largest` related sensitive attributes.

    Attributes are related by their mutual information; those that a model reads together stay together. Every release
    gets the models that read its attributes, and those that read none. The other settings are those of
    `shoal.anonymize`.

    >>> people = {"age": [25, 25, 40, 40], "illness": ["flu", "gout", "flu", "gout"], "pay": [1, 2, 2, 1]}
    >>> found = codip(people, quasi=["age"], sensitive=["illness", "pay"], require="l(illness)=2 l(pay)=2")
    >>> sorted(found.releases), found.joined.smallest_class
    (['illness', 'pay'], 2)
    """
    limit = MemoryLimit.of(memory_limit)
    request = Request.of("codip", quasi=quasi, require=require, **settings)
    with within(limit):
        return project(Table.of(data), request, largest, progress or silent, limit=limit)


def project(
    table: Table,
    request: Request,
    largest: int = 1,
    progress: Progress = silent,
    stop: Event | None = None,
    limit: MemoryLimit | None = None,
) -> Projections:
    """Make the releases of a request; once `stop` is set, the best found so far of each is taken.

    What can never be done within a `limit` is refused at once.
    """
    models = as_models(request.require)
    table = read_as_asked(table, request.unify, request.order, request.missing)
    roles = roles_of(table.columns, request)
    check_allowed(roles, request)
    request = replace(request, quasi=roles.quasi, sensitive=roles.sensitive)
    groups = related(table, request.sensitive, models, int(LARGEST.read(largest, "largest")))
    releases = {}
    for group in groups:
        rest = [name for name in request.sensitive if name not in group]
        own = replace(
            request,
            require=of_group(models, group),
            sensitive=list(group),
            allow=[name for name in listed(request.allow) if name in group],
            other=(),  # beside several releases they would join them row by row
            leave_out=[*rest, *roles.left_out, *roles.other, *roles.undecided],
            hierarchies={name: spec for name, spec in request.hierarchies.items() if name not in rest},
            order={name: words for name, words in request.order.items() if name not in rest},
        )
        releases["+".join(group)] = run(table, own, progress, stop, limit=limit)
    return Projections(releases, _joined(table, list(releases.values()), request, models))


def of_group(models: Models, group: Sequence[str]) -> Models:
    """Return the models that read some of the attributes of a group, and those that read none."""
    own = tuple(model for model in models if {*model.attributes, *model.given} <= set(group))
    if not own:
        raise ParameterError(
            f"no model is required for {', '.join(map(repr, group))}",
            hint="require a model for every sensitive column, or k",
        )
    return Models(own)


def related(table: Table, sensitive: Sequence[str], models: Models, largest: int) -> list[tuple[str, ...]]:
    """Return groups of sensitive attributes: those with most in common first, as long as groups are small enough."""
    if not sensitive:
        raise ParameterError("no sensitive column is given", expected="one or more", hint="name them with --sensitive")
    groups = _together([(name,) for name in sensitive], models)
    codes = {name: np.unique(_text(table[name]), return_inverse=True)[1] for name in sensitive}
    while True:
        pairs = [
            (sum(_information(codes[a], codes[b]) for a in one for b in other) / (len(one) * len(other)), one, other)
            for one, other in combinations(groups, 2)
            if len(one) + len(other) <= largest
        ]
        if not pairs:
            return groups
        _, one, other = max(pairs, key=lambda pair: pair[0])
        groups = [group for group in groups if group not in (one, other)] + [(*one, *other)]


def _together(groups: list[tuple[str, ...]], models: Models) -> list[tuple[str, ...]]:
    """Join the groups that one model reads."""
    for model in models:
        read = {*model.attributes, *model.given}
        touched = [group for group in groups if read & set(group)]
        if len(touched) > 1:
            rest = [group for group in groups if group not in touched]
            groups = [*rest, tuple(name for group in touched for name in group)]
    return groups


def _text(column: pl.Series) -> list[str]:
    return ["" if value is None else f"={value}" for value in column.cast(pl.String).to_list()]


def _information(one: Ints, other: Ints) -> float:
    """Return the mutual information of two columns, in nats."""
    table = np.zeros((int(one.max()) + 1, int(other.max()) + 1))
    np.add.at(table, (one, other), 1.0)
    shares = table / table.sum()
    product = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    there = shares > 0
    return float((shares[there] * np.log(shares[there] / product[there])).sum())


def _joined(table: Table, releases: list[Release], request: Request, models: Models) -> Audit:
    """Audit the rows that share a class in every release, with all sensitive attributes; dropped rows are unseen."""
    labels = np.column_stack([release.classes.class_of_row for release in releases])
    seen = np.flatnonzero((labels >= 0).all(axis=1))
    names = [f"class {number}" for number in range(len(releases))]
    sensitive = table.frame.select(request.sensitive)[seen]
    frame = sensitive.with_columns(
        *(pl.Series(name, column) for name, column in zip(names, labels[seen].T, strict=True))
    )
    trees = {name: spec for name, spec in request.hierarchies.items() if name in request.sensitive}
    return audit(frame, quasi=names, sensitive=list(request.sensitive), require=models, hierarchies=trees)
