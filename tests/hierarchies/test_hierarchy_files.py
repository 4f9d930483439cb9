"""Hierarchy files: what is written reads back the same, and those of other people fit their columns."""

import gzip
import json
from datetime import date, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thorough import examples

from shoal.core.errors import HierarchyError, ParameterError
from shoal.hierarchies import (
    Automatic,
    Builder,
    Dates,
    Hierarchy,
    Intervals,
    Prefixes,
    StarsOnly,
    Taxonomy,
    as_builder,
    hierarchy_from_labels,
)
from shoal.hierarchies.files import Fit, check_file, hierarchy_rows, hierarchy_tree, write_hierarchy
from shoal.tables.csv_text import SEPARATORS
from shoal.tables.table import read

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
TABLES = {
    "adult": "adult_30162.csv.gz",
    "cmc": "cmc.csv.gz",
    "creditcard_int": "creditcard_int.csv.gz",
    "mgm": "mgm.csv.gz",
}

public = pytest.mark.skipif(not DATA.is_dir(), reason="the public data sets are not beside the repository")

SIGNS = "ab*\\\"'\r\n\ufeff\x00\u2028 å"
TEXTS = st.one_of(st.text(max_size=6), st.text(SIGNS + SEPARATORS, max_size=5))
WHOLE = st.integers(-(2**62), 2**62)
DECIMALS = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-500, 500).map(lambda n: n / 10))
DAYS = st.dates(date(1800, 1, 1), date(2200, 1, 1))
MOMENTS = st.datetimes(datetime(1800, 1, 1), datetime(2200, 1, 1))
FALLING = st.sets(st.integers(2, 9), min_size=1, max_size=3).map(lambda found: sorted(found, reverse=True))
Pair = tuple[Builder, pl.Series]


def columns(cells: st.SearchStrategy[object], dtype: pl.DataType | type[pl.DataType]) -> st.SearchStrategy[pl.Series]:
    """Distinct values as builders get them: sorted, a missing value last."""

    def column(found: set[object], missing: bool) -> pl.Series:
        values = pl.Series(list(found), dtype=dtype).unique().sort()
        return pl.concat([values, pl.Series([None], dtype=dtype)]) if missing else values

    return st.builds(column, st.sets(cells, min_size=1, max_size=25), st.booleans())


TEXT_COLUMNS = st.one_of(
    columns(st.text(max_size=6), pl.String),
    st.sampled_from(SEPARATORS).flatmap(lambda sign: columns(st.text(SIGNS + sign, max_size=5), pl.String)),
)
NUMBERS = st.one_of(columns(WHOLE, pl.Int64), columns(DECIMALS, pl.Float64))
DATES = st.one_of(columns(DAYS, pl.Date), columns(MOMENTS, pl.Datetime("us")))
ANY_COLUMN = st.one_of(TEXT_COLUMNS, NUMBERS, DATES, columns(st.booleans(), pl.Boolean))
INTERVALS: st.SearchStrategy[Builder] = st.one_of(
    st.integers(1, 50).map(lambda width: Intervals(width=(width, width * 3))),
    FALLING.map(lambda bins: Intervals(bins=bins)),
)


@st.composite
def taxonomies(draw: st.DrawFn) -> Pair:
    """A taxonomy and some of its leaves, with or without a row for the missing value."""
    leaves = draw(st.dictionaries(TEXTS, st.integers(0, 5), min_size=1, max_size=25))
    rows = [(leaf, f"six; group {group}, of", f"half|{group % 2}") for leaf, group in leaves.items()]
    gaps = [(), ("", ""), ("", "half|0"), ("unknown\n", "half|1"), ("unknown", "gone")]
    used = draw(st.sets(st.sampled_from(sorted(leaves)), min_size=1))
    missing = [None] if draw(st.booleans()) else []
    return Taxonomy(rows, draw(st.sampled_from(gaps))), pl.Series([*sorted(used), *missing], dtype=pl.String)


PAIRS: st.SearchStrategy[Pair] = st.one_of(
    st.tuples(st.sampled_from([StarsOnly(), Automatic()]), ANY_COLUMN),
    st.tuples(st.sets(st.integers(1, 5)).map(lambda kept: Prefixes(sorted(kept, reverse=True))), TEXT_COLUMNS),
    st.tuples(st.just(Prefixes()), columns(st.integers(0, 10**6), pl.Int64)),
    st.tuples(st.sampled_from([Dates(), Dates("month,year")]), DATES),
    st.tuples(INTERVALS, NUMBERS),
    st.tuples(INTERVALS, columns(DAYS, pl.Date)),
    taxonomies(),
)


def same(found: Hierarchy, meant: Hierarchy) -> bool:
    counts = zip(found.leaves, meant.leaves, strict=True)
    return (
        found.labels == meant.labels
        and np.array_equal(found.up, meant.up)
        and all(np.array_equal(one, other) for one, other in counts)
    )


@pytest.mark.parametrize("name", ["h.csv", "h.json", "h.csv.gz", "h.json.gz"])
def test_what_is_written_reads_back_the_same(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("law") / name

    @settings(deadline=None, max_examples=examples(150) if name == "h.csv" else 60)
    @given(PAIRS)
    def law(pair: Pair) -> None:
        builder, values = pair
        meant = builder.build(values)
        write_hierarchy(builder if isinstance(builder, Taxonomy) else meant, path)
        assert same(as_builder(path).build(values), meant)
        assert [file.name for file in path.parent.iterdir()] == [name]

    law()


@settings(deadline=None)
@given(ANY_COLUMN)
def test_the_tree_of_a_hierarchy_is_one_that_taxonomies_read(values: pl.Series) -> None:
    meant = Automatic().build(values)
    assert same(Taxonomy.from_tree(hierarchy_tree(hierarchy_rows(meant))).build(values), meant)


def test_the_empty_text_and_the_star_are_written_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    write_hierarchy(Prefixes().build(pl.Series(["", "*", "\\*", "ab", None])), path)
    assert path.read_text(encoding="utf-8") == '"";;*\n*;\\*;*\n\\*;\\•;*\nab;a•;*\n;;*\n'


def test_a_first_value_that_begins_like_an_encoding_mark(tmp_path: Path) -> None:
    values = pl.Series(["\ufeffa"])
    write_hierarchy(StarsOnly().build(values), tmp_path / "h.csv")
    assert as_builder(tmp_path / "h.csv").build(values).labels[0] == ("\ufeffa",)


def test_a_separator_that_could_not_be_told_is_changed(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    write_hierarchy(Taxonomy([("1", "a,b,c"), ("2", "d,e,f")]), path)
    assert path.read_text(encoding="utf-8") == '1,"a,b,c",*\n2,"d,e,f",*\n'
    write_hierarchy(Taxonomy([("a,b,c", "1"), ("d,e,f", "2")]), path)
    assert path.read_text(encoding="utf-8") == '"a,b,c";1;*\n"d,e,f";2;*\n'


def test_what_no_separator_can_hold_is_refused_and_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("old", encoding="utf-8")
    taxonomy = Taxonomy([("1", "a" + ",;\t|" * 5)])
    with pytest.raises(HierarchyError, match=r"cannot hold this hierarchy.*json") as caught:
        write_hierarchy(taxonomy, path)
    assert "a,;" not in str(caught.value)
    assert [file.read_text(encoding="utf-8") for file in tmp_path.iterdir()] == ["old"]
    write_hierarchy(taxonomy, tmp_path / "h.json")
    assert as_builder(tmp_path / "h.json") == taxonomy


def test_leaves_that_do_not_occur_are_written_too(tmp_path: Path) -> None:
    taxonomy = Taxonomy.from_tree({"Nordic": ["Sweden", "Norway"], "Iberia": ["Spain", None]})
    for name in ("h.csv", "h.json"):
        write_hierarchy(taxonomy, tmp_path / name)
        assert as_builder(tmp_path / name) == taxonomy


def test_one_group_below_the_root_stays(tmp_path: Path) -> None:
    taxonomy = Taxonomy([("a", "all"), ("b", "all")])
    for name in ("h.csv", "h.json"):
        write_hierarchy(taxonomy, tmp_path / name)
        assert as_builder(tmp_path / name) == taxonomy


def test_a_json_file_is_a_tree_that_people_read(tmp_path: Path) -> None:
    write_hierarchy(Intervals(width=(5, 10)).build(pl.Series([18, 21, 22, None])), tmp_path / "h.json.gz")
    assert json.loads(gzip.decompress((tmp_path / "h.json.gz").read_bytes())) == {
        "*": [{"[10, 20)": {"[15, 20)": ["18"]}, "[20, 30)": {"[20, 25)": ["21", "22"]}}, None]
    }


def test_what_cannot_be_written(tmp_path: Path) -> None:
    stars = StarsOnly().build(pl.Series(["a"]))
    with pytest.raises(ParameterError, match=r"ends in one of \.csv, \.csv\.gz, \.json"):
        write_hierarchy(stars, tmp_path / "h.xlsx")
    with pytest.raises(HierarchyError, match="cannot write"):
        write_hierarchy(stars, tmp_path / "nowhere" / "h.csv")
    with pytest.raises(HierarchyError, match="cannot write"):
        write_hierarchy(stars, Path(__file__) / "h.csv")
    with pytest.raises(HierarchyError, match="no values to write"):
        write_hierarchy(StarsOnly().build(pl.Series([None], dtype=pl.String)), tmp_path / "h.csv")
    deep = Prefixes().build(pl.Series(["a" * 300, "b"]))
    with pytest.raises(HierarchyError, match=r"300 levels; expected at most 200.*\.csv"):
        write_hierarchy(deep, tmp_path / "h.json")
    assert list(tmp_path.iterdir()) == []
    write_hierarchy(deep, tmp_path / "h.csv")
    assert same(as_builder(tmp_path / "h.csv").build(pl.Series(["a" * 300, "b"])), deep)


def test_levels_of_nothing_but_stars_are_one(tmp_path: Path) -> None:
    write_hierarchy(hierarchy_from_labels(pl.Series(["a", "b"]), [["*", "*"]]), tmp_path / "h.csv")
    assert as_builder(tmp_path / "h.csv").build(pl.Series(["a", "b"])).height == 1


def fit(folder: Path, text: str, values: pl.Series, name: str = "h.csv") -> Fit:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return check_file(path, values, np.arange(1, len(values) + 1))


def failed(found: Fit) -> list[str]:
    assert found.passed == all(check.passed for check in found.checks)
    return [check.detail for check in found.checks if not check.passed]


def test_a_file_that_fits(tmp_path: Path) -> None:
    found = fit(tmp_path, "1;low;*\n2;low;*\n3;high;*\n", pl.Series([1.0, 2.0, None]))
    assert failed(found) == []
    assert (found.values, found.covered_values, found.rows, found.covered_rows) == (2, 2, 6, 6)
    assert (found.levels, found.leaves, found.unused_leaves) == (2, 3, 1)


def test_values_without_a_row_are_counted_and_not_shown(tmp_path: Path) -> None:
    found = fit(tmp_path, '{"low": ["a"], "high": ["b", null]}', pl.Series(["a", "Mu", "Nu", None]), "h.json")
    assert failed(found) == ["2 of 3 values, in 5 rows, are missing at level 0"]
    assert (found.covered_values, found.covered_rows, found.unused_leaves) == (1, 5, 1)
    none = fit(tmp_path, "a;x;*\nb;x;*\n", pl.Series(["c"]))
    assert failed(none) == ["1 of 1 values, in 1 rows, are missing at level 0"]


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("a;x;1\nb;x;2\n", "level 2 splits 1 groups of level 1"),
        ("a;x;1\na;y;1\nb;z;2\n", "level 1 splits 1 groups of level 0"),
        ("a;*;*\nb;x;*\n", "level 1 labels 1 of 2 leaves '*'"),
        ("a;b;*\nb;a;*\n", "level 1 has a label that means a different set of values on another level"),
        ("a;x;*\nb;*\n", "'h.csv', line 2 has 2 cells, the first row has 3"),
        ("a;x;*\nb;;*\n", "'h.csv', line 2 has no label at level 1"),
        ("", "the hierarchy has no leaves"),
    ],
)
def test_a_file_that_no_column_can_use(tmp_path: Path, text: str, detail: str) -> None:
    details = failed(fit(tmp_path, text, pl.Series(["a", "b"])))
    assert any(found.startswith(detail) for found in details)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match="there is no file"):
        check_file(tmp_path / "h.csv", pl.Series(["a"]), np.ones(1, dtype=np.int64))


@settings(deadline=None)
@given(PAIRS)
def test_what_is_written_fits_its_column(tmp_path_factory: pytest.TempPathFactory, pair: Pair) -> None:
    builder, values = pair
    path = tmp_path_factory.getbasetemp() / "fits.json"
    write_hierarchy(builder if isinstance(builder, Taxonomy) else builder.build(values), path)
    found = check_file(path, values, np.ones(len(values), dtype=np.int64))
    assert failed(found) == []
    assert found.covered_rows == found.rows == len(values)


def files_of(folder: str) -> dict[str, Path]:
    """Hierarchy files by the column they are for."""
    found = sorted((DATA / folder / "hierarchies").glob("*_hierarchy_*.csv*"))
    return {path.name.split("_hierarchy_")[1].split(".csv")[0]: path for path in found}


@public
@pytest.mark.parametrize(("folder", "files"), [("adult", 9), ("cmc", 3), ("creditcard_int", 24), ("mgm", 5)])
def test_every_hierarchy_file_fits_its_column(folder: str, files: int) -> None:
    frame = read(DATA / folder / TABLES[folder]).frame
    paths = files_of(folder)
    assert len(paths) == files
    for name, path in paths.items():
        taxonomy = Taxonomy.from_csv(path)
        values = frame[name].unique().sort(nulls_last=True)
        hierarchy = taxonomy.build(values)
        assert hierarchy.up.shape == (len(taxonomy.rows[0]) + 1, len(values))
        assert hierarchy.leaves[-1].tolist() == [len(taxonomy.rows) + min(values.null_count(), 1)]


@public
def test_the_levels_of_adult_are_those_of_its_files() -> None:
    heights = {name: len(Taxonomy.from_csv(path).rows[0]) for name, path in files_of("adult").items()}
    assert heights == {
        "age": 4,
        "education": 3,
        "marital-status": 2,
        "native-country": 2,
        "occupation": 2,
        "race": 1,
        "salary-class": 1,
        "sex": 1,
        "workclass": 2,
    }


@public
def test_the_hierarchies_of_adult_fit_the_table_with_missing_values() -> None:
    frame = read(DATA / "adult" / "adult_48842.csv.gz").frame
    for name in ("age", "workclass", "education", "occupation", "native-country"):
        values = frame[name].unique().sort(nulls_last=True)
        hierarchy = Taxonomy.from_csv(files_of("adult")[name]).build(values)
        assert (None in hierarchy.labels[1]) == (values.null_count() > 0)


@public
@pytest.mark.parametrize(
    "path", sorted((DATA / "peer_outputs" / "anjana" / "hierarchies").glob("*.csv")), ids=lambda p: p.stem
)
def test_comma_separated_hierarchies(path: Path) -> None:
    assert len(Taxonomy.from_csv(path).rows) > 1


@public
@pytest.mark.parametrize("folder", sorted(TABLES))
def test_every_column_gets_a_hierarchy_of_its_own(folder: str) -> None:
    for column in read(DATA / folder / TABLES[folder]).frame.iter_columns():
        assert Automatic().build(column.unique().sort(nulls_last=True)).height >= 1
