"""The laws of every hierarchy, for every builder and any column it accepts."""

import re
from collections.abc import Callable
from datetime import date, datetime
from fractions import Fraction
from typing import Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.core.errors import HierarchyError
from shoal.core.parameters import as_fraction
from shoal.hierarchies import (
    Automatic,
    Bands,
    Builder,
    Common,
    Cycles,
    DateLabels,
    Dates,
    Groups,
    Hierarchy,
    Icd9,
    Icd10,
    Intervals,
    Isco,
    Prefixes,
    StarsOnly,
    Suffixes,
    Taxonomy,
    TopCoding,
    Weeks,
    Words,
    as_builder,
    hierarchy_from_labels,
    spec_of,
)
from shoal.hierarchies.cycles import WEEKDAYS
from shoal.tables.star_marks import cell_text

UNITS: tuple[Literal["ms", "us", "ns"], ...] = ("ms", "us", "ns")
Read = Callable[[str], Fraction]

whole = st.integers(-(10**20), 10**20).filter(lambda n: abs(n) < 2**62)
decimals = st.floats(allow_nan=False, allow_infinity=False, width=64)
tenths = st.integers(-500, 500).map(lambda n: n / 10)
days = st.dates()
moments = st.datetimes(min_value=datetime(1700, 1, 1), max_value=datetime(2250, 1, 1))
texts = st.text(max_size=6)
codes = st.text("ab*\\•", max_size=4)
fractions = st.fractions(Fraction(1, 20), 50, max_denominator=20)


def column(cells: set[object], dtype: pl.DataType | type[pl.DataType], missing: bool) -> pl.Series:
    """Distinct values as builders get them: sorted, a missing value last."""
    values = pl.Series(list(cells), dtype=dtype).unique().sort()
    return pl.concat([values, pl.Series([None], dtype=dtype)]) if missing or values.is_empty() else values


def columns(cells: st.SearchStrategy[object], dtype: pl.DataType | type[pl.DataType]) -> st.SearchStrategy[pl.Series]:
    return st.builds(column, st.sets(cells, max_size=40), st.just(dtype), st.booleans())


word = st.sampled_from(["Self", "emp", "gov", "room", "Private", "other", "II", "7"])
phrases = st.lists(word, min_size=1, max_size=3).map("-".join)
ends = st.tuples(st.integers(0, 40), st.integers(0, 20))
bands = st.one_of(
    ends.map(lambda pair: f"{pair[0]}-{pair[0] + pair[1]}"),
    ends.map(lambda pair: f"[{10 * pair[0]}, {10 * pair[0] + 10})"),
    ends.map(lambda pair: f"{pair[0]}+"),
)
diagnoses = st.from_regex(r"[A-Z][0-9]{2}(\.[0-9])?", fullmatch=True)
written_days = days.map(lambda day: f"{day.day:02d}.{day.month:02d}.{day.year:04d}")
british = st.from_regex(r"[A-Z]{1,2}[0-9] [0-9][A-Z]{2}", fullmatch=True)
labels_like = st.sampled_from(["other: 2 values", "begins with a", "a b", "a c", "b", "*", "A to B"])
structured = st.one_of(
    *(columns(cells, pl.String) for cells in (phrases, bands, diagnoses, written_days, british, labels_like))
)
any_column = st.one_of(
    structured,
    columns(whole, pl.Int64),
    columns(decimals, pl.Float64),
    columns(tenths, pl.Float32),
    columns(days, pl.Date),
    columns(moments, pl.Datetime("us")),
    columns(texts, pl.String),
    columns(codes, pl.String),
    columns(st.booleans(), pl.Boolean),
)
numbers = st.one_of(columns(whole, pl.Int64), columns(decimals, pl.Float64), columns(tenths, pl.Float64))


def check_laws(hierarchy: Hierarchy, values: pl.Series) -> None:
    """Covering, nested, one root, level 0 is the value, the missing value is a block of its own."""
    assert hierarchy.up.shape == (hierarchy.height + 1, len(values))
    assert hierarchy.labels[0] == tuple(cell_text(values).to_list())
    assert hierarchy.labels[-1] == ("*",)
    assert int(hierarchy.leaves[-1][0]) >= len(values)
    for level in range(hierarchy.height + 1):
        up = hierarchy.up[level]
        assert set(up.tolist()) == set(range(len(hierarchy.labels[level])))
        assert all(leaves >= size for leaves, size in zip(hierarchy.leaves[level], np.bincount(up), strict=True))
        if level < hierarchy.height:
            above: dict[int, int] = {}
            assert all(
                above.setdefault(b, a) == a for b, a in zip(up.tolist(), hierarchy.up[level + 1].tolist(), strict=True)
            )
            labels = hierarchy.labels[level]
            assert None not in [labels[block] for block in up[: len(values) - values.null_count()].tolist()]
            assert values.null_count() == 0 or labels[int(up[-1])] is None
    meaning: dict[str | None, frozenset[int]] = {}
    for up, labels in zip(hierarchy.up, hierarchy.labels, strict=True):
        for block, label in enumerate(labels):
            members = frozenset(np.flatnonzero(up == block).tolist())
            assert meaning.setdefault(label, members) == members


def contains(label: str, value: Fraction, read: Read) -> bool:
    """Whether the range that a label states contains a value."""
    if match := re.fullmatch(r"\[(.+), (.+)\)", label):
        return read(match[1]) <= value < read(match[2])
    side, edge = label.split(" ", 1)
    return value < read(edge) if side == "<" else value >= read(edge)


def check_ranges(hierarchy: Hierarchy, exact: list[Fraction], read: Read) -> None:
    for up, labels in zip(hierarchy.up[1:-1], hierarchy.labels[1:-1], strict=True):
        for block, label in enumerate(labels):
            if label is not None:
                inside = [contains(label, value, read) for value in exact]
                assert inside == [b == block for b in up[: len(exact)].tolist()]


def number(text: object) -> Fraction:
    value = as_fraction(text)
    assert value is not None
    return value


def seconds(text: object) -> Fraction:
    """A moment as people write it, to the nanosecond."""
    before, _, after = str(text).partition(".")
    return Fraction((datetime.fromisoformat(before) - datetime(1970, 1, 1)).total_seconds()) + Fraction(f"0.{after}0")


@settings(deadline=None)
@given(any_column)
def test_stars_and_automatic_accept_every_column(values: pl.Series) -> None:
    check_laws(StarsOnly().build(values), values)
    check_laws(Automatic().build(values), values)


@settings(deadline=None)
@given(any_column, st.sampled_from(["", "zip", "diag_code", "nace", "nuts", "isco", "type_id", "hh_size"]), st.data())
def test_automatic_with_rows_and_a_name(values: pl.Series, name: str, data: st.DataObject) -> None:
    values = values.rename(name)
    times = st.sampled_from([1, 2, 30, 1000])
    rows = np.array(data.draw(st.lists(times, min_size=len(values), max_size=len(values))))
    hierarchy, said = Automatic().build(values, rows), Automatic().resolved(values, rows)
    check_laws(hierarchy, values)
    assert said.build(values, rows).labels == hierarchy.labels
    assert as_builder(spec_of(said)) == said
    assert said.resolved(values, rows) == said
    assert said.description


@settings(deadline=None)
@given(structured, st.data())
def test_a_builder_with_nothing_left_to_the_data_labels_each_value_alone_as_among_others(
    values: pl.Series, data: st.DataObject
) -> None:
    kind = data.draw(st.sampled_from([Bands, Common, Dates, Icd9, Icd10, Isco, TopCoding, Words]))
    rows = np.array(data.draw(st.lists(st.integers(1, 99), min_size=len(values), max_size=len(values))))
    try:
        builder = kind().resolved(values, rows)
        hierarchy = builder.build(values, rows)
    except HierarchyError:
        return
    for code, value in enumerate(values.drop_nulls()):
        try:
            alone = builder.build(pl.Series([value]))
        except HierarchyError:  # a value that is of another kind is refused alone
            continue
        if alone.height == hierarchy.height:
            paths = [labels[up[code]] for labels, up in zip(hierarchy.labels, hierarchy.up, strict=True)]
            assert [labels[0] for labels in alone.labels] == paths


@settings(deadline=None)
@given(
    st.one_of(columns(texts, pl.String), columns(codes, pl.String), columns(whole, pl.Int64)),
    st.sets(st.integers(1, 5)),
)
def test_suffixes(values: pl.Series, lengths: set[int]) -> None:
    hierarchy = Suffixes(sorted(lengths, reverse=True)).build(values)
    check_laws(hierarchy, values)
    cells = values.drop_nulls().cast(pl.String).to_list()
    for up, labels in zip(hierarchy.up[1:-1], hierarchy.labels[1:-1], strict=True):
        for cell, block in zip(cells, up.tolist(), strict=False):
            label = labels[block]
            assert label is not None
            kept = label.lstrip(label[:1])
            assert label == cell_text(pl.Series([cell]))[0] or (cell.endswith(kept) and len(cell) > len(kept))


@given(st.one_of(columns(days, pl.Date), columns(moments, pl.Datetime("us"))))
def test_weeks_and_weekdays(values: pl.Series) -> None:
    for builder in (Weeks(), Cycles()):
        hierarchy = builder.build(values)
        check_laws(hierarchy, values)
        for cell, block in zip(values.drop_nulls().to_list(), hierarchy.up[1].tolist(), strict=False):
            label, (year, week, day) = hierarchy.labels[1][block], cell.isocalendar()
            assert label == (f"{year:04d}-W{week:02d}" if builder == Weeks() else WEEKDAYS[day - 1])


@settings(deadline=None)
@given(
    st.one_of(columns(codes, pl.String), columns(whole, pl.Int64)),
    st.sampled_from([(2,), (2, 4), (3, 9, 27)]),
)
def test_groups_of_neighbours(values: pl.Series, sizes: tuple[int, ...]) -> None:
    hierarchy = Groups(sizes).build(values)
    check_laws(hierarchy, values)
    for size, up in zip(sizes, hierarchy.up[1:-1], strict=False):
        known = up[: len(values.drop_nulls())]
        assert (known == np.arange(len(known)) // size).all()
    written = Groups(sizes).resolved(values).build(values)
    assert (written.labels, written.up.tolist()) == (hierarchy.labels, hierarchy.up.tolist())


@given(st.one_of(columns(days, pl.Date), columns(moments, pl.Datetime("us"))))
def test_dates_by_formats(values: pl.Series) -> None:
    hierarchy = DateLabels("%B %Y,year %Y").build(values)
    check_laws(hierarchy, values)
    for cell, block in zip(values.drop_nulls().to_list(), hierarchy.up[2].tolist(), strict=False):
        assert hierarchy.labels[2][block] == f"year {cell.year:04d}"


@given(columns(moments, pl.Datetime("us")))
def test_hours_of_the_day(values: pl.Series) -> None:
    hierarchy = Cycles("hour").build(values)
    check_laws(hierarchy, values)
    for cell, block in zip(values.drop_nulls().to_list(), hierarchy.up[1].tolist(), strict=False):
        assert str(hierarchy.labels[1][block]).startswith(f"{cell.hour:02d}:00")


@settings(deadline=None)
@given(
    st.one_of(columns(texts, pl.String), columns(codes, pl.String), columns(whole, pl.Int64)),
    st.sets(st.integers(1, 5)),
)
def test_prefixes(values: pl.Series, lengths: set[int]) -> None:
    hierarchy = Prefixes(sorted(lengths, reverse=True)).build(values)
    check_laws(hierarchy, values)
    cells = values.drop_nulls().cast(pl.String).to_list()
    for up, labels in zip(hierarchy.up[1:-1], hierarchy.labels[1:-1], strict=True):
        for cell, block in zip(cells, up.tolist(), strict=False):
            label = labels[block]
            assert label is not None
            mask = label[-1:]
            kept = label.rstrip(mask)
            assert label == cell_text(pl.Series([cell]))[0] or (cell.startswith(kept) and len(cell) > len(kept))


@settings(deadline=None)
@given(st.one_of(columns(days, pl.Date), columns(moments, pl.Datetime("ms")), columns(days.map(str), pl.String)))
def test_dates(values: pl.Series) -> None:
    hierarchy = Dates().build(values)
    check_laws(hierarchy, values)
    for cell, block in zip(values.drop_nulls().cast(pl.String), hierarchy.up[-3].tolist(), strict=False):
        assert hierarchy.labels[-3][block] == cell[:4]
    for cell, block in zip(values.drop_nulls().cast(pl.String), hierarchy.up[-2].tolist(), strict=False):
        assert hierarchy.labels[-2][block] == cell[:3] + "0s"


@settings(deadline=None)
@given(numbers, fractions, st.lists(st.integers(2, 5), max_size=3), st.fractions(-5, 5, max_denominator=9))
def test_widths_of_numbers(values: pl.Series, width: Fraction, steps: list[int], origin: Fraction) -> None:
    widths = [width]
    for step in steps:
        widths.append(widths[-1] * step)
    hierarchy = Intervals(width=widths, origin=origin).build(values)
    check_laws(hierarchy, values)
    check_ranges(hierarchy, [number(cell) for cell in values.drop_nulls()], number)


@settings(deadline=None)
@given(numbers, st.lists(st.sets(st.one_of(whole, tenths), min_size=1, max_size=9), min_size=1, max_size=3))
def test_edges_of_numbers(values: pl.Series, levels: list[set[float]]) -> None:
    nested = [sorted(set[float]().union(*levels[level:])) for level in range(len(levels))]
    hierarchy = Intervals(edges=nested).build(values)
    check_laws(hierarchy, values)
    check_ranges(hierarchy, [number(cell) for cell in values.drop_nulls()], number)


@settings(deadline=None)
@given(numbers, st.sets(st.integers(2, 20), min_size=1, max_size=4))
def test_bins_of_numbers(values: pl.Series, bins: set[int]) -> None:
    hierarchy = Intervals(bins=sorted(bins, reverse=True)).build(values)
    check_laws(hierarchy, values)
    check_ranges(hierarchy, [number(cell) for cell in values.drop_nulls()], number)
    present = len(values.drop_nulls())
    if present > 1:
        finest = np.bincount(hierarchy.up[1][:present])
        assert len(finest) == min(max(bins), present)
        assert finest.max() - finest.min() <= 1


@settings(deadline=None)
@given(columns(days.filter(lambda day: 10 < day.year < 9000), pl.Date), fractions, st.integers(2, 9), days)
def test_widths_of_dates(values: pl.Series, width: Fraction, step: int, origin: date) -> None:
    hierarchy = Intervals(width=(width, width * step), origin=origin).build(values)
    check_laws(hierarchy, values)
    check_ranges(hierarchy, [seconds(day) for day in values.drop_nulls()], seconds)


@settings(deadline=None)
@given(
    st.one_of([columns(moments, pl.Datetime(unit)) for unit in UNITS]),
    fractions,
    st.sets(st.integers(2, 9), min_size=1),
    st.sets(moments, min_size=1, max_size=9),
)
def test_intervals_of_moments(values: pl.Series, width: Fraction, bins: set[int], edges: set[datetime]) -> None:
    builders: list[Builder] = [
        Intervals(width=width),
        Intervals(bins=sorted(bins, reverse=True)),
        Intervals(edges=sorted(edges)),
    ]
    for builder in builders:
        hierarchy = builder.build(values)
        check_laws(hierarchy, values)
        check_ranges(hierarchy, [seconds(cell) for cell in values.drop_nulls()], seconds)


@settings(deadline=None)
@given(st.dictionaries(texts, st.tuples(st.integers(0, 5), st.booleans()), min_size=1), st.booleans())
def test_taxonomies(leaves: dict[str, tuple[int, bool]], missing: bool) -> None:
    rows = [(leaf, f"group {group} of four", f"half {group % 2}") for leaf, (group, _) in leaves.items()]
    values = column({leaf for leaf, (_, used) in leaves.items() if used}, pl.String, missing)
    hierarchy = Taxonomy(rows).build(values)
    check_laws(hierarchy, values)
    for label, count in zip(hierarchy.labels[2], hierarchy.leaves[2].tolist(), strict=True):
        assert count == (1 if label is None else sum(row[2] == label for row in rows))


@pytest.mark.parametrize(
    "builder",
    [Automatic(), Dates(), Intervals(width=5), Prefixes(), StarsOnly(), Taxonomy.from_tree({"Nordic": ["Norway"]})],
    ids=lambda builder: builder.name,
)
def test_a_column_without_values_is_refused(builder: Builder) -> None:
    with pytest.raises(HierarchyError, match=r"the column has no values; expected at least one"):
        builder.build(pl.Series([], dtype=pl.String))


def test_a_label_that_changes_its_meaning_between_levels_is_refused() -> None:
    with pytest.raises(HierarchyError, match="level 1 has a label that means a different set"):
        hierarchy_from_labels(pl.Series(["a", "b"]), [["b", "a"]])
    with pytest.raises(HierarchyError, match="level 1 has a label"):
        hierarchy_from_labels(pl.Series(["a", "b", "c"]), [["a", "a", "c"]])
