"""The risk of a table in a terminal."""

from __future__ import annotations

from rich.console import Console

from shoal.cli.terminal import Grid
from shoal.core.number_format import percent
from shoal.risk import Exceeding, LogLinearRisk, Risk, Suda

SETS = 3
"""Sets of columns shown."""


def show_risk(found: Risk, out: Console) -> None:
    """Print who could still be found: the attackers, the unique rows, and the columns that tell."""
    out.print(_attackers(found))
    out.print(f"{found.uniques.rows:,} rows ({percent(found.uniques.share)}) are unique")
    for one in sorted(found.columns.sets, key=lambda one: (-one.share, len(one.columns)))[:SETS]:
        if one.share:
            out.print(f"{percent(one.share)} are unique in {', '.join(one.columns)}")
    if found.suda is not None and found.suda.rows:
        out.print(_special(found.suda))
    if found.individual is not None:
        expected, people = found.individual.expected, found.individual.population
        out.print(f"{expected:,.1f} right matches to be expected, by the weights of {people:,.0f} people")
    if found.household is not None:
        many, rows = found.household.households, found.household.expected
        out.print(f"{rows:,.1f} rows to be found if a household is found with any of its members; {many:,} households")
    if found.population is not None:
        out.print(_population(found))
    if found.log_linear is not None and found.log_linear.uniques:
        out.print(_log_linear(found.log_linear))
    for note in (*found.notes, *found.columns.notes):
        out.print(note, style="dim")


def _attackers(found: Risk) -> Grid:
    grid = Grid().headed("risk", no_wrap=True)
    asked = [f"above {one.threshold}" for one in found.prosecutor.exceeding]
    for heading in ("highest", "rows there", "classes there", "average", *asked):
        grid.add_column(heading, justify="right", no_wrap=heading in ("highest", "average"))
    for name, one in (("prosecutor", found.prosecutor), ("journalist", found.journalist)):
        there = [f"{one.rows_at_highest:,}", f"{one.classes_at_highest:,}"]
        grid.add_row(name, _risk(one.highest), *there, _risk(one.average), *_above(one.exceeding))
    grid.add_row("marketer", "", "", "", _risk(found.marketer))
    if found.individual is not None:
        own = found.individual
        grid.add_row("individual", _risk(own.highest), "", "", _risk(own.average), *_above(own.exceeding))
    if found.household is not None:
        own_of = found.household
        grid.add_row("household", _risk(own_of.highest), "", "", _risk(own_of.average), *_above(own_of.exceeding))
    return grid


def _risk(risk: float) -> str:
    return f"{risk:.4g}"


def _above(exceeding: tuple[Exceeding, ...]) -> list[str]:
    return [percent(one.share) for one in exceeding]


def _special(found: Suda) -> str:
    """Say how many minimal sample uniques there are, and which columns have most to do with them."""
    sizes = ", ".join(f"{number:,} of {size}" for size, number in enumerate(found.msus, start=1))
    most = sorted(found.contributions, key=lambda one: -one.contribution)[:SETS]
    told = ", ".join(f"{one.column} ({percent(min(one.contribution, 1))})" for one in most)
    return f"minimal sample uniques, by columns: {sizes}; most of the score is in {told}"


def _population(found: Risk) -> str:
    assert found.population is not None
    chosen, all_people = found.population.chosen, found.population.population
    return f"{percent(chosen.share or 0.0)} of {all_people:,.0f} people are unique, by the estimate of {chosen.model}"


def _log_linear(found: LogLinearRisk) -> str:
    """Say what the model expects of the unique rows, and whether it fits."""
    fits = "" if found.expected_uniques is None else f" (it expects {found.expected_uniques:,.0f} unique rows)"
    return (
        f"of {found.uniques:,} unique rows {found.population_uniques:,.1f} are unique in the population and"
        f" {found.matches:,.1f} matched rightly, by a log-linear model{fits}"
    )
