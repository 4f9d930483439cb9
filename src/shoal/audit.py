"""The audit: measuring a published table from its own cells, knowing nothing of how it was made.

It reads the table and the roles, groups rows with equal published quasi-identifiers (a star equals only a star, a
missing value only a missing value), and asks the models' definitions. It shares no code with the methods.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

import shoal.models
from shoal.arrays import Ints
from shoal.errors import RoleError, nearest
from shoal.hierarchies import Builder, as_builder
from shoal.histogram import Attributes, Classes, Values, with_joints
from shoal.models import Model, Models, TCloseness
from shoal.registry import discover
from shoal.requirement import as_models
from shoal.roles import Roles
from shoal.table import Table, TableLike, distinct_sorted


@dataclass(frozen=True)
class Finding:
    """What one model was found to reach."""

    model: str
    """The requirement in the words of the grammar, or the model alone where nothing was asked."""
    name: str
    attribute: str | None
    asked: float | list[float] | None
    reached: float | list[float] | None
    """The level of the worst class; None where it is infinite."""
    holds: bool
    failing_classes: int
    failing_rows: int


@dataclass(frozen=True)
class Audit:
    """What a table gives, measured from its cells alone."""

    rows: int
    classes: int
    smallest_class: int
    largest_class: int
    unique_rows: int
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether every model asked for is met by every class."""
        return all(finding.holds for finding in self.findings)

    def to_json(self) -> str:
        """Return the audit as JSON."""
        return json.dumps({**asdict(self), "holds": self.holds}, indent=2, ensure_ascii=False)


def audit(
    table: TableLike,
    *,
    quasi: Sequence[str] | str,
    sensitive: Sequence[str] | str = (),
    require: str | Model | Models | Iterable[Model] | None = None,
    hierarchies: Mapping[str, object] | None = None,
) -> Audit:
    """Measure a table, released by anyone. Without a requirement, every model's level is reported.

    >>> table = {"age": ["20-29", "20-29", "*"], "illness": ["flu", "gout", "flu"]}
    >>> found = audit(table, quasi=["age"], sensitive=["illness"], require="k=2")
    >>> found.smallest_class, found.holds, found.findings[0].failing_rows
    (1, False, 1)
    """
    frame = Table.of(table).frame
    roles = Roles.of(frame.columns, quasi=quasi, sensitive=sensitive)
    models = as_models(require) if require is not None else _all_models(roles)
    _check_attributes(models, roles)
    builders = {name: as_builder(spec) for name, spec in (hierarchies or {}).items()}
    classes = classes_of(frame, roles, models, builders)
    findings = tuple(_finding(model, classes, asked=require is not None) for model in models)
    sizes = classes.sizes
    return Audit(frame.height, classes.number, int(sizes.min()), int(sizes.max()), int((sizes == 1).sum()), findings)


def classes_of(frame: pl.DataFrame, roles: Roles, models: Models, builders: Mapping[str, Builder]) -> Classes:
    """Group the rows by their published quasi-identifiers, and collect what the models read."""
    labels = _numbered(frame.select(roles.quasi), frame.select(roles.quasi).unique(maintain_order=True))
    single: dict[Attributes, Values] = {}
    for name in roles.sensitive:
        domain = distinct_sorted(frame[name])
        codes = _numbered(frame.select(name), domain.to_frame())
        totals = np.bincount(codes, minlength=len(domain)).astype(np.int64)
        tree = builders[name].build(domain, totals) if name in builders else None
        single[(name,)] = Values(codes, totals, domain, tree)
    return Classes(labels, int(labels.max()) + 1, with_joints(single, models.joints))


def _numbered(frame: pl.DataFrame, distinct: pl.DataFrame) -> Ints:
    """Return for each row of a frame its place among the distinct rows."""
    number = "".join(frame.columns) + "#"
    joined = frame.join(
        distinct.with_row_index(number), on=frame.columns, how="left", nulls_equal=True, maintain_order="left"
    )
    return joined[number].cast(pl.Int64).to_numpy()


def _all_models(roles: Roles) -> Models:
    """Return every model, for every sensitive attribute, at its most lenient."""
    kinds = discover(shoal.models, Model).values()
    sizes = [kind.lenient() for kind in kinds if not kind.reads_attribute]
    return Models((*sizes, *(kind.lenient(name) for name in roles.sensitive for kind in kinds if kind.reads_attribute)))


def _finding(model: Model, classes: Classes, *, asked: bool) -> Finding:
    admitted = model.admits(classes)
    where = "+".join(model.attributes) + "".join(f"|{name}" for name in model.given)
    numbers = [float(number) for number in model.asked]
    return Finding(
        model=str(model) if asked else model.title,
        name=model.name,
        attribute=where or None,
        asked=None if not asked else numbers if len(numbers) > 1 else numbers[0],
        reached=_finite(model.reading(model.reached(classes))),
        holds=bool(admitted.all()) or not asked,
        failing_classes=int((~admitted).sum()) if asked else 0,
        failing_rows=int(classes.sizes[~admitted].sum()) if asked else 0,
    )


def _finite(level: float | list[float]) -> float | list[float] | None:
    """Return a level as JSON can hold it: an infinite one is None."""
    worst = level[0] if isinstance(level, list) else level
    return level if np.isfinite(worst) else None


def _check_attributes(models: Models, roles: Roles) -> None:
    for model in models:
        for name in (*model.attributes, *model.given):
            if name not in roles.sensitive:
                raise RoleError(
                    f"{model} reads {name!r}",
                    expected="a sensitive column",
                    hint=nearest(name, roles.sensitive),
                )


def needs_tree(models: Models) -> set[str]:
    """Return the sensitive attributes whose distance is measured along their hierarchy."""
    return {
        model.attributes[0]
        for model in models
        if isinstance(model, TCloseness) and model.distance in ("auto", "hierarchy")
    }


def as_dict(finding: Finding) -> dict[str, Any]:
    """Return a finding as a certificate states it."""
    return {
        "name": finding.name,
        "attribute": finding.attribute,
        "asked": finding.asked,
        "reached": finding.reached,
    }
