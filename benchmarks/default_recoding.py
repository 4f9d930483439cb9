"""Default recoding: what an analyst keeps of real tables by stars, blocks and ranges, where nothing else is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import polars as pl

import shoal
from benchmarks.measure import SHARED, show
from shoal.core.arrays import Floats, Ints
from shoal.core.number_format import percent
from shoal.release.release_view import Shown
from shoal.tables.table import read
from shoal.utility import Utility, measure
from shoal.utility.features import original_features, published_features
from shoal.utility.spreads import Spread, spreads

ROWS = 2_000
"""Rows drawn of each table."""
FEW = 20
"""A sensitive column with more values is cut at its quartiles."""
RECODINGS = ("suppress", "generalize", "range")
EFFORT = "quick"
"""What `auto` does with quick effort: peeling or Mondrian, then annealing; so that all ends in minutes."""


@dataclass(frozen=True)
class Study:
    """A real table, its quasi-identifiers, and the column that nobody must learn."""

    file: str
    quasi: tuple[str, ...]
    sensitive: str

    @property
    def name(self) -> str:
        """The folder of the table."""
        return self.file.partition("/")[0]

    def rows(self) -> pl.DataFrame:
        """Return some rows, drawn by a fixed seed, of the columns that are used."""
        table = read(SHARED / self.file).frame.select(*self.quasi, self.sensitive)
        return table.sample(min(ROWS, table.height), seed=0)


STUDIES = (
    Study(
        "adult/adult_30162.csv.gz",
        ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"),
        "occupation",
    ),
    Study("eusilc/eusilc.csv.gz", ("db040", "hsize", "age", "rb090", "pl030", "pb220a"), "eqIncome"),
    Study("ses/ses.csv.gz", ("NACE1", "size", "sex", "age", "education", "occupation", "contract"), "earningsMonth"),
    Study(
        "nhanes/nhanes_raw.csv.gz",
        ("Gender", "Age", "Race1", "Education", "MaritalStatus", "HHIncome", "HomeOwn", "Work"),
        "HealthGen",
    ),
    Study(
        "gov_census/gov_census.csv.gz",
        ("sex", "age", "race", "citizenship", "marital", "family_size", "education_level", "economic_region"),
        "salary",
    ),
    Study(
        "employee_salaries/employee_salaries.csv.gz",
        ("gender", "department", "assignment_category", "employee_position_title", "date_first_hired"),
        "current_annual_salary",
    ),
)


def main() -> None:
    at_hand = [study for study in STUDIES if (SHARED / study.file).exists()]
    rows = [line for study in at_hand for line in _measured(study)]
    errors = ("counts wrong", "on average", "associations off", "classifier keeps")
    headings = ("table", "require", "recoding", "stars", *errors)
    show(f"What is kept of {ROWS:,} rows, hierarchies chosen by themselves", headings, rows)


def _measured(study: Study) -> list[list[object]]:
    original, lines = study.rows(), list[list[object]]()
    for require in ("k=5", f"k=5 distinct-l({study.sensitive})=3"):
        for recoding in RECODINGS:
            made = shoal.anonymize(
                original,
                quasi=study.quasi,
                sensitive=[study.sensitive],
                require=require,
                recoding=recoding,
                effort=EFFORT,
            )
            stars = fmean(
                int((made.table[name].cast(pl.String) == "*").sum()) / made.table.height for name in study.quasi
            )
            found, shown = measure(made, original), Shown.of(made)
            kept = _kept(spreads(shown, shown.as_read(original).frame), study)
            lines.append([study.name, require, recoding, percent(stars), *errors(found), kept])
    return lines


def errors(found: Utility) -> list[str]:
    """Return the median and the mean error of counts, and how far associations moved on average."""
    assert found.queries is not None
    moved = [abs(one.before - (one.after or 0.0)) for one in found.associations if one.before is not None]
    return [f"{found.queries.median:.1%}", f"{found.queries.mean:.1%}", f"{fmean(moved):.3f}"]


def _kept(columns: Mapping[str, Spread], study: Study) -> str:
    """Return what a classifier trained on the release is right about more than guessing, beside one of the original.

    Two thirds of the rows teach a linear classifier, by least squares, which quarter of the values (or which value, of
    few) the sensitive one is; the others, as they were, are asked.
    """
    target, rows = columns[study.sensitive], np.random.default_rng(0).permutation(len(columns[study.sensitive].codes))
    part = np.minimum((np.cumsum(target.before) - target.before / 2) * 4, 3).astype(np.int64)
    labels = target.codes if len(target.values) <= FEW else part[target.codes]
    train, test = rows[len(rows) // 3 :], rows[: len(rows) // 3]
    asked, truth = original_features(columns, study.quasi, test), labels[test]
    guess = float((truth == np.bincount(labels[train]).argmax()).mean())
    taught = (original_features(columns, study.quasi, train), published_features(columns, study.quasi, train))
    original, release = (_right(features, labels[train], asked, truth) - guess for features in taught)
    return percent(max(release, 0.0) / original) if original > 0 else "nothing to learn"


def _right(features: Floats, labels: Ints, asked: Floats, truth: Ints) -> float:
    """Return how often a classifier is right that is fitted by least squares, with a little shrinkage."""
    known = np.column_stack([features, np.ones(len(features))])
    wanted = np.eye(int(max(labels.max(), truth.max())) + 1)[labels]
    weights = np.linalg.solve(known.T @ known + np.eye(known.shape[1]), known.T @ wanted)
    guesses = (np.column_stack([asked, np.ones(len(asked))]) @ weights).argmax(axis=1)
    return float((guesses == truth).mean())


if __name__ == "__main__":
    main()
