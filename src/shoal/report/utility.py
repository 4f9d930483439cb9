"""The section on utility: what an analyst keeps."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.core.markup import Markup, facts, listed, table, tag
from shoal.core.number_format import percent
from shoal.report.charts import bar
from shoal.report.evidence import Evidence
from shoal.utility import Association, Utility

PAIRS = 10
"""Pairs of columns shown, those that changed the most."""


def utility(found: Evidence) -> Markup:
    """Return the measures of utility, next to the original where that is shown."""
    heading = tag("h2", "What an analyst keeps")
    if found.utility is None:
        return tag("section", heading, tag("p", "It was not measured."))
    kept = found.utility
    return tag("section", heading, facts(dict(_figures(kept))), *_columns(kept), *_numbers(kept), *_pairs(kept))


def _figures(kept: Utility) -> Iterator[tuple[str, str]]:
    yield "rows published", f"{kept.published:,} of {kept.rows:,}"
    if kept.queries is not None:
        asked = kept.queries
        yield (
            f"{asked.queries:,} random counts",
            f"wrong by {percent(asked.median)} (median), {percent(asked.mean)} (mean), at least"
            f" {percent(asked.worst_tenth)} for one in ten",
        )
    yield (
        "distinguishable from the original",
        f"{percent(kept.propensity.share)} of what is possible (propensity score)",
    )
    for one in kept.classifiers:
        yield (
            f"guessing {one.target} by {one.model}",
            f"right in {percent(one.release.accuracy)} after learning from the release,"
            f" {percent(one.original.accuracy)} from the original, {percent(one.commonest)} by always naming the"
            f" commonest; AUC {one.release.auc:.3f} and {one.original.auc:.3f}",
        )
    if kept.masked is not None:
        yield (
            f"masked numbers ({', '.join(kept.masked.columns)})",
            f"IL1s {kept.masked.il1s:.4g}; {percent(kept.masked.interval)} of the rows are disclosed by interval,"
            f" {percent(kept.masked.linked)} are linked by distance",
        )
    for loss in kept.costs:
        if loss.value is not None:
            yield f"cost {loss.cost}", f"{loss.value:,.6g}"


def _columns(kept: Utility) -> Iterator[Markup]:
    yield tag("h3", "How far the distribution of each column moved")
    yield tag("p", "The share of rows that would have to change their value to make both the same.")
    rows = [[one.column, bar(one.distance), percent(one.distance)] for one in kept.marginals]
    yield table(("column", "moved", "share"), rows, numbers=(2,))


def _numbers(kept: Utility) -> Iterator[Markup]:
    if kept.numbers:
        yield tag("h3", "Columns of numbers, before and after")
        shown = []
        for one in kept.numbers:
            pairs = [(one.before.mean, one.after.mean), (one.before.deviation, one.after.deviation)]
            middle = [side.quantiles[2] if side.quantiles else None for side in (one.before, one.after)]
            shown.append([one.column, *(_number(value) for pair in (*pairs, middle) for value in pair)])
        headings = ("column", "mean", "after", "deviation", "after", "median", "after")
        yield table(headings, shown, numbers=range(1, 7))


def _pairs(kept: Utility) -> Iterator[Markup]:
    if kept.associations:
        yield tag("h3", "Pairs of columns that changed the most")
        most = sorted(kept.associations, key=_changed, reverse=True)[:PAIRS]
        rows = [[" and ".join(one.columns), one.measure, _number(one.before), _number(one.after)] for one in most]
        yield table(("columns", "measure", "before", "after"), rows, numbers=(2, 3))
    if kept.notes:
        yield listed(kept.notes)


def _changed(pair: Association) -> float:
    return abs((pair.before or 0.0) - (pair.after or 0.0))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.4g}"
