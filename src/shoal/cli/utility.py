"""`shoal utility`: what a release is still good for, next to the original."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from shoal.cli.options import Hierarchies, Json, Reading, reading_options
from shoal.cli.settings import names, pairs
from shoal.cli.terminal import Grid, console
from shoal.core.number_format import percent
from shoal.core.plots import check_plot
from shoal.tables.table import read
from shoal.utility import Association, Classifier, Contingency, Utility, measure
from shoal.utility.classifier import MODELS

PAIRS = 5
"""Pairs of columns shown, those that changed the most."""
FIELDS = 24
"""Pairs of values shown of a contingency table; `--json` has all."""


@reading_options
def utility(
    release: Annotated[Path, typer.Argument(metavar="DIR", help="A release folder; or any published table.")],
    original: Annotated[Path, typer.Option(metavar="FILE", help="The table that the release was made from.")],
    quasi: Annotated[list[str] | None, typer.Option(metavar="A,B,C", help="Of a table: the altered columns.")] = None,
    sensitive: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Of a table: columns as they were.")
    ] = None,
    hierarchy: Hierarchies = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The sensitive column that a classifier learns; by default each."),
    ] = None,
    classifier: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help=f"One of {', '.join(MODELS)}; by default all of them.")
    ] = None,
    folds: Annotated[int, typer.Option(metavar="N", help="Parts of the rows, each of which is held out once.")] = 3,
    table: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Two columns to count together: a contingency table.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the ROC curves: .svg, .png or .html.")] = None,
    queries: Annotated[int, typer.Option(metavar="N", help="Counting queries asked; 0 for none.")] = 1000,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    record_weight: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="How many people each row stands for: for totals and means.")
    ] = None,
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Compare a release with its original: losses, distributions, associations, queries, what can be learnt.

    For the owner of the original. Classifiers other than naive Bayes need scikit-learn: pip install 'shoal[ml]'.
    """
    if plot is not None:
        check_plot(plot)
    found = measure(
        release if release.is_dir() else read(release, **reading),
        read(original, **reading),
        quasi=names(quasi) or (),
        sensitive=names(sensitive) or (),
        hierarchies=pairs(hierarchy, "--hierarchy"),
        target=target,
        queries=queries,
        seed=seed,
        record_weight=record_weight,
        classifiers=classifier,
        folds=folds,
        tables=table or (),
    )
    if plot is not None:
        found.plot(plot)
    print(found.to_json()) if as_json else show(found)


def show(found: Utility) -> None:
    """Print the measures, columns first."""
    out = console()
    out.print(f"{found.published:,} of {found.rows:,} rows are published")
    out.print(_columns(found))
    costs = "; ".join(f"{one.cost} {one.value:,.4g}" for one in found.costs if one.value is not None)
    out.print(f"costs: {costs or 'none measured'}")
    for one in sorted(found.associations, key=_changed, reverse=True)[:PAIRS]:
        out.print(f"{one.measure} of {one.columns[0]} and {one.columns[1]}: {_pair(one)}")
    for total in found.weighted:
        sums = f"{_number(total.total_before)} before, {_number(total.total_after)} after"
        means = f"mean {_number(total.mean_before)} before, {_number(total.mean_after)} after"
        out.print(f"weighted total of {total.column}: {sums}; {means}")
    if found.masked is not None:
        lost = f"IL1s {found.masked.il1s:.4g}, eigenvalues changed by {percent(found.masked.eigenvalues)}"
        left = (
            f"{percent(found.masked.interval)} of the rows disclosed by interval, {percent(found.masked.linked)} linked"
        )
        out.print(f"masked numbers ({', '.join(found.masked.columns)}): {lost}; {left}")
    if found.queries is not None:
        asked = f"{found.queries.queries:,} counting queries"
        out.print(f"{asked}: wrong by {percent(found.queries.median)} (median), {percent(found.queries.mean)} (mean)")
    told = percent(found.propensity.share)
    out.print(f"distinguishable from the original: {told} of the most possible (pMSE {found.propensity.pmse:.4g})")
    for target in dict.fromkeys(one.target for one in found.classifiers):
        out.print(_classifiers(target, [one for one in found.classifiers if one.target == target]))
    for counts in found.tables:
        out.print(_contingency(counts))
    for note in found.notes:
        out.print(note, style="dim")


def _columns(found: Utility) -> Grid:
    lost = {one.column: percent(one.loss) for one in found.columns}
    levels = {one.column: "" if one.intensity is None else percent(one.intensity) for one in found.columns}
    numbers = {one.column: one for one in found.numbers}
    grid = Grid().headed("column", overflow="fold")
    grid.headed("loss", "level", "moved", "mean", "after", "median", "after", justify="right")
    for one in found.marginals:
        number = numbers.get(one.column)
        sides = [] if number is None else [number.before, number.after]
        means = [_number(side.mean) for side in sides]
        medians = [_number(side.quantiles[2] if side.quantiles else None) for side in sides]
        grid.add_row(
            Text(one.column),
            lost.get(one.column, ""),
            levels.get(one.column, ""),
            percent(one.distance),
            *means,
            *medians,
        )
    return grid


def _classifiers(target: str, learnt: Sequence[Classifier]) -> Grid:
    """Return how good guesses about held-out rows are, learnt from the release and before that from the original."""
    grid = Grid(title=Text(f"guessing {target} of {learnt[0].tested:,} rows held out"), title_justify="left")
    grid.headed("classifier", no_wrap=True)
    grid.headed("right", "before", "commonest", "AUC", "before", "Brier", "before", justify="right")
    for one in learnt:
        after, before = one.release, one.original
        right = (percent(after.accuracy), percent(before.accuracy), percent(one.commonest))
        scores = (f"{score:.3f}" for score in (after.auc, before.auc, after.brier, before.brier))
        grid.add_row(one.model, *right, *scores)
    return grid


def _contingency(counts: Contingency) -> Grid:
    """Return the counts of pairs of values, before and after; of many pairs those that changed the most."""
    pairs = [
        (first, second, before, after)
        for first, befores, afters in zip(counts.values[0], counts.before, counts.after, strict=True)
        for second, before, after in zip(counts.values[1], befores, afters, strict=True)
    ]
    if len(pairs) > FIELDS:
        pairs = sorted(pairs, key=lambda pair: abs(pair[2] - pair[3]), reverse=True)[:FIELDS]
    grid = Grid().headed(*map(Text, counts.columns), overflow="fold").headed("rows", "after", justify="right")
    for first, second, before, after in pairs:
        grid.add_row(Text(first), Text(second), f"{before:,.0f}", f"{after:,.4g}")
    return grid


def _changed(pair: Association) -> float:
    return abs((pair.before or 0.0) - (pair.after or 0.0))


def _pair(pair: Association) -> str:
    return f"{_number(pair.before)} before, {_number(pair.after)} after"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.4g}"
