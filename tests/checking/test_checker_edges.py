"""What the checker refuses and says at its edges: tables that are not whole, and cells that cannot have been drawn."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.checking.masked_columns import draw_problem
from shoal.checking.two_tables import reconstruction_error, sensitive_rows
from shoal.checking.withheld_values import withheld_rows
from shoal.core.errors import ParameterError, RoleError, TableError, Unsupported

PEOPLE = {"age": ["20-29", "20-29", "*"], "illness": ["flu", "gout", "flu"], "group": [1, 1, 2]}
COUNTED = pl.DataFrame({"group": [1, 1, 2], "illness": ["flu", "gout", "flu"], "count": [1, 1, 1]})


def test_the_reconstruction_error_is_that_of_its_formula() -> None:
    """The mean over rows of 1 - sum of squared shares: (3 1) and (2) give 1.5 of 6 rows."""
    counted = pl.DataFrame({"group": [1, 1, 2], "illness": ["a", "b", "a"], "count": [3, 1, 2]})
    assert reconstruction_error(counted, group="group", count="count", dropped=0) == pytest.approx(0.25)
    assert reconstruction_error(counted, group="group", count="count", dropped=2) == pytest.approx(0.4375)


def test_a_group_without_a_number_is_a_group() -> None:
    people = pl.DataFrame({"age": [1, 2, 3], "group": [None, None, 2]}, schema_overrides={"group": pl.Int64})
    counted = pl.DataFrame(
        {"group": [None, 2], "illness": ["flu", "gout"], "count": [2, 1]}, schema_overrides={"group": pl.Int64}
    )
    assert sensitive_rows(people, counted, ["illness"], group="group", count="count").height == 3
    with pytest.raises(TableError, match="groups have another number of rows"):
        sensitive_rows(people.head(1), counted, ["illness"], group="group", count="count")


def test_people_are_not_counted_in_two_tables() -> None:
    table = pl.DataFrame(PEOPLE)
    with pytest.raises(Unsupported, match="people with several rows"):
        shoal.audit(
            table.drop("illness"), quasi=["age"], sensitive=["illness"], sensitive_table=COUNTED, person=["age"]
        )


def test_a_column_to_unify_must_be_there() -> None:
    with pytest.raises(RoleError, match="no column 'agee'"):
        shoal.audit(PEOPLE, quasi=["age"], sensitive=["illness"], unify=["agee"])


def test_an_audit_says_what_it_found_and_has_no_verdict_where_nothing_was_asked() -> None:
    asked = shoal.audit(PEOPLE, quasi=["age"], sensitive=["illness"], require="k=2")
    assert repr(asked) == "<Audit: 3 rows, 2 classes of 1 to 2, fails>"
    html = asked._repr_html_()
    assert "fails" in html
    assert "1 unique row" in html
    unasked = shoal.audit(PEOPLE, quasi=["age"], sensitive=["illness"])
    assert repr(unasked) == "<Audit: 3 rows, 2 classes of 1 to 2>"
    assert "rows at that level" in unasked._repr_html_()
    assert not unasked.asked
    with pytest.raises(ParameterError, match="nothing was required"):
        unasked.holds  # noqa: B018 - it raises


def test_a_wild_cell_matches_anything() -> None:
    found = shoal.audit(PEOPLE, quasi=["age"], sensitive=["illness"], require="k=1", wildcard="star")
    assert found.wildcard is not None
    assert min(found.wildcard.values()) == 0
    assert max(found.wildcard.values()) == 3


def test_numbers_are_no_stars() -> None:
    table = pl.DataFrame({"age": [30, 40], "illness": [None, "flu"]})
    assert withheld_rows(table, ["age"], ["illness"]).tolist() == [False, False]


@pytest.mark.parametrize(
    ("published", "said"),
    [
        (pl.Series("born", [None, 2, 3]), "missing that were not"),
        (pl.Series("born", ["1", "2", "3"]), "another type"),
    ],
)
def test_cells_that_cannot_have_been_drawn(published: pl.Series, said: str) -> None:
    original = pl.Series("born", [1, 2, 3])
    assert said in draw_problem(published, original, np.arange(3), {"mask": "noise"}, None)


def test_a_value_that_reads_as_a_set_counts_only_the_people_who_have_it() -> None:
    """`x | missing` is one person where it is a value of the population, three where it can only be a set."""
    people = pl.DataFrame({"word": ["x | missing", "x", None, None], "age": [1, 1, 1, 1]})
    shown = pl.DataFrame({"word": ["x | missing"] * 2, "age": [1, 1]})
    found = shoal.audit(shown, quasi=["word", "age"], require="kmap=2", population=people)
    assert (found.findings[0].reached, found.holds) == (1, False)
    several = shoal.audit(shown, quasi=["word", "age"], require="kmap=2", population=people.tail(3))
    assert (several.findings[0].reached, several.holds) == (3, True)
