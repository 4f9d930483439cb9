"""The use of a release as one object: every measure, before and after."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from shoal.core.errors import ParameterError, Unsupported
from shoal.core.markup import facts, table, tag
from shoal.core.number_format import counted, percent
from shoal.core.plots import roc_chart, write_plot
from shoal.release.release import Release
from shoal.release.release_view import Shown
from shoal.tables.table import TableLike
from shoal.utility.associations import Association, associations
from shoal.utility.classifier import MODELS, Classifier, classifier, known_models
from shoal.utility.contingency import Contingency, contingency
from shoal.utility.losses import ColumnLoss, Loss, column_losses, losses, republished
from shoal.utility.marginals import Marginal, marginals
from shoal.utility.masked_numbers import MaskedNumbers, masked_numbers
from shoal.utility.numbers import Numbers, numbers
from shoal.utility.propensity import Propensity, propensity
from shoal.utility.queries import SEED, QueryError, asked_queries
from shoal.utility.spreads import Spread, shown_table, spreads
from shoal.utility.weighted import Weighted, weighted


@dataclass(frozen=True)
class Utility:
    """What an analyst keeps: the original and the release side by side."""

    rows: int
    published: int
    costs: tuple[Loss, ...]
    columns: tuple[ColumnLoss, ...]
    marginals: tuple[Marginal, ...]
    numbers: tuple[Numbers, ...]
    associations: tuple[Association, ...]
    queries: QueryError | None
    propensity: Propensity
    classifiers: tuple[Classifier, ...]
    weighted: tuple[Weighted, ...] = ()
    """Totals and means in the population, where record weights are known."""
    masked: MaskedNumbers | None = None
    """What masks took from columns of numbers, and left; None where none is masked."""
    tables: tuple[Contingency, ...] = ()
    """The contingency tables that were asked for."""
    notes: tuple[str, ...] = ()
    """What was left out, and why."""

    def without_cells(self) -> Utility:
        """Return the same without commonest values and contingency tables, which show cells of the original."""
        return replace(
            self, marginals=tuple(replace(one, mode_before=None, mode_after=None) for one in self.marginals), tables=()
        )

    def __repr__(self) -> str:
        wrong = "no counts" if self.queries is None else f"counts wrong by {percent(self.queries.median)} at the median"
        return f"<Utility: {self.published:,} of {counted(self.rows, 'row')} published, {wrong}>"

    def _repr_html_(self) -> str:
        """Show in a notebook the loss of each column and the error of counts."""
        lost = {one.column: percent(one.loss) for one in self.columns}
        rows = [[one.column, lost.get(one.column, "-"), percent(one.distance)] for one in self.marginals]
        shown = {"distinguishable from the original": percent(self.propensity.share)}
        if self.queries is not None:
            shown |= {"counts wrong by (median)": percent(self.queries.median)}
        head = tag("p", tag("strong", "Utility"), f": {self.published:,} of {counted(self.rows, 'row')} published")
        return tag("div", head, table(("column", "lost", "moved"), rows, numbers=(1, 2)), facts(shown))

    def plot(self, file: str | Path | None = None) -> Any:
        """Return an altair chart of the ROC curves; also write it to a .svg, .png or .html file if one is named."""
        rows = [
            {
                "target": one.target,
                "model": one.model,
                "learnt_from": side,
                "false_alarms": x,
                "found": y,
                "auc": held.auc,
            }
            for one in self.classifiers
            for side, held in (("original", one.original), ("release", one.release))
            for x, y in held.roc
        ]
        if not rows:
            raise Unsupported("there is no classifier to draw", hint="the notes say why none was trained")
        chart = roc_chart(rows, about=f"{self.published:,} of {counted(self.rows, 'row')} published")
        if file is not None:
            write_plot(chart, Path(file))
        return chart

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return asdict(self)

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)


def measure(
    release: Release | TableLike,
    original: TableLike,
    *,
    quasi: Sequence[str] | str = (),
    sensitive: Sequence[str] | str = (),
    hierarchies: Mapping[str, object] | None = None,
    target: str | None = None,
    queries: int = 1000,
    seed: int = 0,
    record_weight: str | None = None,
    classifiers: Sequence[str] | str | None = None,
    folds: int = 3,
    tables: Sequence[Sequence[str] | str] = (),
) -> Utility:
    """Measure what a release, in memory or a folder, is still good for, next to the original it was made from.

    A table published by anyone may stand for the release: `quasi`, `sensitive` and `hierarchies` then say what a
    release says of itself. Costs and classifiers, which need to know which row stands for which, are left out.

    `target` is the sensitive column that classifiers learn; without it every sensitive column is one. `classifiers` are
    `logistic-regression`, `naive-bayes` and `random-forest`; without names all that can: without scikit-learn
    that is naive Bayes. Each of `folds` parts of the rows is held out once. `tables` are pairs of columns to count
    together, as contingency tables. `queries` counting queries are asked, 0 for none. The seed decides what is drawn.
    `record_weight` is the column of the original that says how many people each row stands for; a release that was made
    with one knows it.

    >>> import shoal
    >>> people = {"age": [20, 30, 40, 50] * 3, "ill": ["flu", "gout", "flu", "gout"] * 3}
    >>> made = shoal.anonymize(people, quasi=["age"], sensitive=["ill"], require="k=6", recoding="range")
    >>> found = measure(made, people, queries=20)
    >>> found.columns[0], found.marginals[0].distance
    (ColumnLoss(column='age', loss=0.333..., intensity=None), 0.0)
    """
    shown = _shown(release, quasi, sensitive, hierarchies or {})
    frame = shown.as_read(original).frame
    columns = spreads(shown, frame)
    seed = int(SEED.read(seed, "utility"))
    notes = [f"{name!r} is masked: its cells are not compared" for name in shown.sensitive if name not in columns]
    published = republished(shown, frame)
    weight = record_weight or shown.config.get("record_weight")
    return Utility(
        rows=frame.height,
        published=shown.frame.height,
        costs=losses(shown, published),
        columns=column_losses(shown, columns, published),
        marginals=marginals(columns),
        numbers=numbers(columns),
        associations=associations(columns),
        queries=asked_queries(shown, columns, queries=queries, seed=seed) if queries else None,
        propensity=propensity(columns, seed=seed),
        classifiers=tuple(_classifiers(shown, columns, target, classifiers, folds, seed, notes)),
        weighted=() if weight is None else weighted(shown, frame, columns, weight, notes),
        masked=masked_numbers(shown, frame, notes),
        tables=tuple(contingency(columns, one) for one in tables),
        notes=tuple(notes),
    )


def _shown(
    release: Release | TableLike,
    quasi: Sequence[str] | str,
    sensitive: Sequence[str] | str,
    hierarchies: Mapping[str, object],
) -> Shown:
    """Read a release, or a table of which all that is known is given."""
    if isinstance(release, Release) or (isinstance(release, str | Path) and Path(release).is_dir()):
        if quasi or sensitive or hierarchies:
            raise ParameterError(
                "roles or hierarchies are given for a release", hint="leave them out: a release states its own"
            )
        return Shown.of(release)
    return shown_table(release, quasi, sensitive, hierarchies)


def _classifiers(
    shown: Shown,
    columns: Mapping[str, Spread],
    target: str | None,
    models: Sequence[str] | str | None,
    folds: int,
    seed: int,
    notes: list[str],
) -> Iterator[Classifier]:
    """Learn the target, or every sensitive column that can be learnt; of the others say why not.

    A model that is asked for by name, and a target that no model learns, are errors.
    """
    for name in [target] if target is not None else [one for one in shown.sensitive if one in columns]:
        failed: dict[str, Unsupported] = {}
        for model in known_models(tuple(MODELS) if models is None else models):
            try:
                yield classifier(shown, columns, name, model, folds=folds, seed=seed)
            except Unsupported as error:
                failed[model] = error
        if failed and (models is not None or (target is not None and len(failed) == len(MODELS))):
            raise next(iter(failed.values()))
        same = len(failed) == len(MODELS) and len(set(map(str, failed.values()))) == 1
        told = {"classifier": next(iter(failed.values()))} if same else failed
        notes += [f"no {model} for {name!r}: {why}" for model, why in told.items()]
