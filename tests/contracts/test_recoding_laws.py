"""The laws of every recoding, whatever the classes: cells cover what they hide, and say apart what is apart."""

from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle import Value, centroid, reads_as, shows
from tests.strategies import MODELS, ODD_CATEGORIES, ONE_TABLE, SENSITIVE, Case, Kind, cases
from tests.thorough import examples

import shoal.costs
from shoal.checking.centroid_check import wrong_centroids
from shoal.core.discovery import discover
from shoal.costs import Cost
from shoal.hierarchies.cell_forms import FORMS
from shoal.microdata.partition import Partition
from shoal.recoding.recode import Anatomized, Published, recodings
from shoal.tables.star_marks import STAR, text_of

every_recoding = pytest.mark.parametrize("recoding", recodings())
COVERING = [name for name, kind in recodings().items() if kind.covers]
every_covering_recoding = pytest.mark.parametrize("recoding", COVERING)
few = settings(max_examples=examples(15))


@st.composite
def published(draw: st.DrawFn, recoding: str) -> tuple[Case, Published]:
    """A table published in any classes, some rows dropped."""
    case = draw(cases(8, [recoding], [MODELS["k"]]))
    labels = draw(st.lists(st.integers(-1, 3), min_size=len(case.rows), max_size=len(case.rows)))
    labels[0] = max(labels[0], 0)
    return case, case.problem.publish(Partition.of(np.array(labels)))


def texts(shown: Published) -> list[tuple[str | None, ...]]:
    quasi = [column.name for column in shown.microdata.quasi]
    return list(zip(*(text_of(shown.frame()[name]).to_list() for name in quasi), strict=True))


def check_classes(shown: Published) -> None:
    """Guarantees that two rows share a class exactly if they show the same cells; of two tables, the same group."""
    cells, labels = texts(shown), shown.partition.class_of_row[shown.partition.kept].tolist()
    if isinstance(shown, Anatomized):
        cells = shown.frame().select(shown.names.group).rows()
    assert len(set(cells)) == len(set(labels)) == len(set(zip(cells, labels, strict=True)))


@every_recoding
def test_the_checker_reads_cells_as_the_recoding_declares_them(recoding: str) -> None:
    kind, form = recodings()[recoding], FORMS[recoding]
    declared = replace(
        form,
        blocks=not kind.no_patterns,
        along_hierarchies=kind.along_hierarchies,
        one_level=kind.one_level,
        spans=kind.spans,
        covers=kind.covers,
        two_tables=kind.two_tables,
    )
    assert form == declared


@every_recoding
def test_a_recoding_is_measured_by_its_own_cost(recoding: str) -> None:
    kind, costs = recodings()[recoding], discover(shoal.costs, Cost)
    assert costs[kind.default_cost].measures(kind)
    assert costs[kind.weighted_cost or kind.default_cost].measures(kind)


@every_covering_recoding
@few
@given(data=st.data())
def test_classes_with_equal_cells_show_them_again_together(recoding: str, data: st.DataObject) -> None:
    """Repeatable: publishing the classes that cells make, once more, changes no cell."""
    case, shown = data.draw(published(recoding))
    if recodings()[recoding].repeatable:
        assert case.problem.publish(Partition(shown.partition.class_of_row.copy())).frame().equals(shown.frame())


@every_covering_recoding
@few
@given(data=st.data())
def test_every_cell_covers_the_value_it_hides(recoding: str, data: st.DataObject) -> None:
    case, shown = data.draw(published(recoding))
    for cells, row in zip(texts(shown), shown.partition.kept.tolist(), strict=True):
        for cell, column in zip(cells, case.oracle.quasi, strict=True):
            assert reads_as(cell, case.rows[row][column.name], column, recoding)


@every_recoding
@few
@given(data=st.data())
def test_rows_share_a_class_exactly_if_they_show_the_same_cells(recoding: str, data: st.DataObject) -> None:
    check_classes(data.draw(published(recoding))[1])


AVERAGING = [name for name, kind in recodings().items() if not kind.covers]


@pytest.mark.parametrize("recoding", AVERAGING)
@few
@given(data=st.data())
def test_every_centroid_is_that_of_the_class(recoding: str, data: st.DataObject) -> None:
    case, shown = data.draw(published(recoding))
    labels = shown.partition.class_of_row.tolist()
    for cells, row in zip(texts(shown), shown.partition.kept.tolist(), strict=True):
        together = [other for other, label in zip(case.rows, labels, strict=True) if label == labels[row]]
        for cell, column in zip(cells, case.oracle.quasi, strict=True):
            if column.recoded(recoding) == "centroid":
                assert shows(cell, centroid(column, [other[column.name] for other in together]))
            else:
                assert all(reads_as(cell, other[column.name], column, recoding) for other in together)


@pytest.mark.parametrize("recoding", AVERAGING)
@few
@given(data=st.data())
def test_the_checker_finds_no_wrong_centroid(recoding: str, data: st.DataObject) -> None:
    case, shown = data.draw(published(recoding))
    rows, columns = pl.Series(shown.partition.kept), case.oracle.quasi
    averaged = [column.name for column in columns if column.recoded(recoding) == "centroid"]
    assert wrong_centroids(shown.frame(), case.frame, rows, case.quasi, averaged) == 0


def test_the_checker_finds_a_centroid_that_is_another() -> None:
    original = pl.DataFrame({"number": [1, 2, 10, 11], "text": ["a", "a", "b", "c"]})
    shown = pl.DataFrame({"number": [1.5, 1.5, 10.5, 10.5], "text": ["a", "a", "b", "b"]})
    rows, both = pl.Series([0, 1, 2, 3]), ("number", "text")
    assert wrong_centroids(shown, original, rows, both, both) == 0
    number = shown.with_columns(pl.Series("number", [1.6, 1.6, 10.5, 10.5]))
    text = shown.with_columns(pl.Series("text", ["a", "a", "a", "a"]))
    assert wrong_centroids(number, original, rows, both, both) == 2
    assert wrong_centroids(text, original, rows, both, both) == 2


@pytest.mark.parametrize("recoding", [name for name in ONE_TABLE if name in COVERING])
@few
@given(data=st.data())
def test_a_cell_covers_the_values_that_it_says(recoding: str, data: st.DataObject) -> None:
    case, shown = data.draw(published(recoding))
    for cells, column in zip(shown.cells, case.oracle.quasi, strict=True):
        codes = np.arange(cells.column.size)
        for number, label in enumerate(cells.labels):
            said = [reads_as(label, value, column, recoding) for value in cells.column.values.to_list()]
            assert cells.covers(np.full(len(codes), number), codes).tolist() == said


@few
@given(data=st.data())
def test_the_second_table_counts_the_sensitive_values_of_each_group(data: st.DataObject) -> None:
    """What cells cover is another law: in two tables every quasi-identifier is the value itself."""
    case, shown = data.draw(published("anatomy"))
    assert isinstance(shown, Anatomized)
    tables, names = shown.tables(), shown.names
    assert list(tables) == ["table", "sensitive"]
    assert tables["table"].columns == [*case.quasi, names.group]
    assert tables["sensitive"].columns == [names.group, *case.sensitive, names.count]
    people = zip(tables["table"][names.group], shown.partition.kept.tolist(), strict=True)
    expected = Counter((group, *(case.rows[row][name] for name in case.sensitive)) for group, row in people)
    assert {row[:-1]: row[-1] for row in tables["sensitive"].rows()} == expected


@few
@given(data=st.data())
def test_the_numbers_of_groups_and_the_order_of_the_second_table_say_nothing(data: st.DataObject) -> None:
    """Exchange sensitive values within groups: what is published does not change, so it cannot tell who has which."""
    case, shown = data.draw(published("anatomy"))
    labels, rows = shown.partition.class_of_row, list(range(len(case.rows)))
    for label in range(len(shown.partition)):
        members = np.flatnonzero(labels == label).tolist()
        for place, row in zip(members, data.draw(st.permutations(members)), strict=True):
            rows[place] = row
    exchanged = {name: [case.columns[name][row] for row in rows] for name in case.sensitive}
    other = replace(case, columns={**case.columns, **exchanged}).problem.publish(shown.partition)
    assert all(table.equals(other.tables()[name]) for name, table in shown.tables().items())


@every_recoding
@few
@given(data=st.data())
def test_a_column_that_nobody_altered_keeps_its_type_and_values(recoding: str, data: st.DataObject) -> None:
    case = data.draw(cases(8, [recoding], [MODELS["k"]]))
    shown = case.problem.publish(Partition(case.problem.microdata.tuple_of_row)).frame()
    for name in case.quasi:
        if case.frame[name].dtype not in (pl.String, pl.Enum):
            assert shown[name].equals(case.frame[name])


@few
@given(data=st.data())
def test_stars_written_as_missing_leave_no_star(data: st.DataObject) -> None:
    _, shown = data.draw(published("suppress"))
    as_null, as_star = shown.frame(star="null"), shown.frame()
    for column in shown.microdata.quasi:
        stars = (as_star[column.name].cast(pl.String) == STAR).fill_null(False)
        assert as_null[column.name].filter(stars).null_count() == stars.sum()
        assert (
            as_null[column.name]
            .cast(pl.String)
            .filter(~stars)
            .equals(as_star[column.name].cast(pl.String).filter(~stars))
        )


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["a", "b, c", "a, b", "c", "a | missing"], [0, 0, 1, 1, 2]),
        (["a", None, "a | missing", "c"], [0, 0, 1, 2]),
    ],
    ids=["a comma in a name", "a name that ends like a range with missing values"],
)
def test_ranges_of_oddly_named_categories_are_told_apart(values: list[Value], labels: list[int]) -> None:
    kinds: dict[str, Kind] = {"category": ODD_CATEGORIES, "salary": SENSITIVE["salary"]}
    case = Case(kinds, {"category": values, "salary": [1] * len(values)}, (MODELS["k"].lenient(),), "range")
    check_classes(case.problem.publish(Partition.of(np.array(labels))))
