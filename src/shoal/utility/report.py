"""The use of a release as one object: every measure, before and after."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from shoal.core.errors import ParameterError, Unsupported
from shoal.core.markup import facts, table, tag
from shoal.core.number_format import counted, percent
from shoal.release.release import Release
from shoal.release.release_view import Shown
from shoal.tables.table import TableLike
from shoal.utility.associations import Association, associations
from shoal.utility.classifier import Classifier, classifier
from shoal.utility.losses import ColumnLoss, Loss, column_losses, losses
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
    notes: tuple[str, ...] = ()
    """What was left out, and why."""

    def _repr_html_(self) -> str:
        """Show in a notebook the loss of each column and the error of counts."""
        lost = {one.column: percent(one.loss) for one in self.columns}
        rows = [[one.column, lost.get(one.column, "-"), percent(one.distance)] for one in self.marginals]
        shown = {"distinguishable from the original": percent(self.propensity.share)}
        if self.queries is not None:
            shown |= {"counts wrong by (median)": percent(self.queries.median)}
        head = tag("p", tag("strong", "Utility"), f": {self.published:,} of {counted(self.rows, 'row')} published")
        return tag("div", head, table(("column", "lost", "moved"), rows, numbers=(1, 2)), facts(shown))

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
) -> Utility:
    """Measure what a release, in memory or a folder, is still good for, next to the original it was made from.

    A table published by anyone may stand for the release: `quasi`, `sensitive` and `hierarchies` then say what a
    release says of itself. Costs and classifiers, which need to know which row stands for which, are left out.

    `target` is the sensitive column that a classifier learns; without it every sensitive column is one, where
    scikit-learn is installed. `queries` counting queries are asked, 0 for none. The seed decides what is drawn.
    `record_weight` is the column of the original that says how many people each row stands for; a release that was made
    with one knows it.

    >>> import shoal
    >>> people = {"age": [20, 30, 40, 50] * 3, "ill": ["flu", "gout", "flu", "gout"] * 3}
    >>> made = shoal.anonymize(people, quasi=["age"], sensitive=["ill"], require="k=6", recoding="range")
    >>> found = measure(made, people, queries=20)
    >>> found.columns[0], found.marginals[0].distance
    (ColumnLoss(column='age', loss=0.333...), 0.0)
    """
    shown = _shown(release, quasi, sensitive, hierarchies or {})
    frame = shown.as_read(original).frame
    columns = spreads(shown, frame)
    seed = int(SEED.read(seed, "utility"))
    notes = [
        f"{name!r} is masked: its cells are no values to compare" for name in shown.sensitive if name not in columns
    ]
    weight = record_weight or shown.config.get("record_weight")
    return Utility(
        rows=frame.height,
        published=shown.frame.height,
        costs=losses(shown, frame),
        columns=column_losses(shown, columns),
        marginals=marginals(columns),
        numbers=numbers(columns),
        associations=associations(columns),
        queries=asked_queries(shown, columns, queries=queries, seed=seed) if queries else None,
        propensity=propensity(columns, seed=seed),
        classifiers=tuple(_classifiers(shown, columns, target, seed, notes)),
        weighted=() if weight is None else weighted(shown, frame, columns, weight, notes),
        masked=masked_numbers(shown, frame, notes),
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
    shown: Shown, columns: Mapping[str, Spread], target: str | None, seed: int, notes: list[str]
) -> list[Classifier]:
    """Learn the target, or every sensitive column that can be learnt; of the others say why not."""
    if target is not None:
        return [classifier(shown, columns, target, seed=seed)]
    found = []
    for name in (one for one in shown.sensitive if one in columns):
        try:
            found.append(classifier(shown, columns, name, seed=seed))
        except Unsupported as error:
            notes.append(f"no classifier for {name!r}: {error}")
    return found
