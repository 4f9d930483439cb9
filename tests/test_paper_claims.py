"""The claims of Xiao, Yi and Tao 2010, section 6, in docs/ldiversity.md are those that the committed runs bear out."""

from pathlib import Path

import pytest
from benchmarks.xiao2010 import FIGURES, Run, Series, claim_lines, gaps, kept, made, shifted

PAGE = (Path(FIGURES).parent / "ldiversity.md").read_text(encoding="utf-8").splitlines()
RUNS = {name: kept(name) for name in made()}
EMPLOYEES, CENSUS = ([name for name in RUNS if name.startswith(table)] for table in ("employees", "census"))
LINES = claim_lines(RUNS)


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_the_page_states_what_the_runs_say(line: str) -> None:
    assert line in PAGE


@pytest.mark.parametrize("name", EMPLOYEES)
def test_the_page_states_the_gaps_that_the_runs_have(name: str) -> None:
    sensitive = name.removeprefix("employees_")
    for l, d, *shares, bound in gaps(RUNS[name]):  # noqa: E741 - the paper's name
        assert f"| {sensitive} | {l} | {d} | {' | '.join(map(str, shares))} | {bound} |" in PAGE


def test_the_employees_are_all_and_so_are_their_projections() -> None:
    for name in EMPLOYEES:
        series = Series(RUNS[name])
        assert series.rows == 204_309
        assert [len(series.at("d", d, "tp-plus", "stars")) for d in range(1, 8)] == [7, 21, 35, 35, 21, 7, 1]


def test_the_census_has_as_many_rows_as_the_paper() -> None:
    assert {Series(RUNS[name]).rows for name in CENSUS} == {600_000}


def test_shifts_of_a_projection_have_every_column_alike() -> None:
    for d in range(1, 7):
        columns = [place for one in shifted(d, range(7)) for place in one]
        assert {columns.count(place) for place in range(7)} == {d}


def test_series_are_means_over_the_projections_that_ran() -> None:
    runs = [
        Run(9, 6, 4, "0123", "tp", 4.0, None, 1.0, None, "phase 1"),
        Run(9, 6, 4, "0124", "tp", 6.0, None, 3.0, None, "phase 1"),
        Run(9, 6, 4, "0123", "hilbert", 5.0, None, 1.0, None, None),
    ]
    series = Series(runs)
    assert series.mean("l", 6, "tp", "stars") == 5
    assert series.wins("l", "tp", "hilbert", "stars") == (1, 1)  # where both ran
