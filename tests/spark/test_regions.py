"""Regions: what workers decide apart is what the whole table asks for, however small the regions are. No Spark here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thorough import examples

import shoal
from shoal.core.errors import Infeasible
from shoal.methods.base import silent
from shoal.microdata.microdata import encode
from shoal.microdata.partition import Partition
from shoal.problem import Problem
from shoal.recoding.recode import recode
from shoal.request import Request
from shoal.spark.by_regions import METHODS, is_for_workers
from shoal.spark.cell_keys import cells_with, keys_of
from shoal.spark.domains import Domains, WorkerTable
from shoal.spark.kernel import Kernel
from shoal.spark.mondrian_cuts import halve
from shoal.spark.packing import SPAN, Packing
from shoal.spark.regions import Curve, Regions
from shoal.spark.row_counts import Counted
from shoal.spark.run import pose
from shoal.spark.stretches import stretch
from shoal.spark.whole_table import Gathered
from shoal.spark.worker_batches import Dictionary, Encoder, Work, frame_of
from shoal.steps.safety import Safety
from shoal.tables.roles import Roles
from shoal.tables.table import Table

QUASI, SECRET = ["a", "b"], ["illness"]
ROLES = Roles(tuple(QUASI), tuple(SECRET))
REQUIRE = [
    "k=3",
    "k=2 l(illness)=2",
    "t(illness)=0.4",
    "k=2 entropy-l(illness)=1.5",
    "distinct-l(illness)=2 t(illness)=0.5",
    "beta(illness)=1.5",
]


@st.composite
def tables(draw: Any) -> pl.DataFrame:
    rows = draw(st.integers(2, 40))
    columns = {
        name: draw(st.lists(st.integers(0, most), min_size=rows, max_size=rows))
        for name, most in (("a", 6), ("b", 3), ("illness", 3))
    }
    frame = pl.DataFrame(columns)
    missing = pl.when(pl.col("a") == 6).then(None).otherwise(pl.col("a"))
    return frame.with_columns(missing.alias("a"), pl.col("b", "illness").cast(pl.String))


def counted(frame: pl.DataFrame, names: list[str]) -> Counted:
    """What Spark would count."""
    found = frame.group_by(names).len("rows#").sort(names, nulls_last=True)
    return Counted(found.drop("rows#"), found["rows#"].cast(pl.Int64).to_numpy())


class Engine:
    """What Spark does with rows: batches go to workers, counts are added up, regions are brought together."""

    def __init__(self, frame: pl.DataFrame, method: str, recoding: str, require: str) -> None:
        self.frame = frame
        quasi = tuple(counted(frame, [name]) for name in QUASI)
        self.domains = Domains.counted(ROLES, quasi, counted(frame, SECRET), as_text=False)
        request = Request(QUASI, require, SECRET, recoding=recoding, method=method)
        posed = pose(request, Safety(ROLES), self.domains)
        assert posed is not None
        self.problem, self.method = posed.problem, posed.method

    @property
    def whole(self) -> WorkerTable:
        return WorkerTable.of(self.problem)

    def encoded(self, frame: pl.DataFrame, regions: Regions | None = None) -> Any:
        secrets, pairs = self.domains.secrets, zip(self.domains.quasi, self.domains.columns, strict=True)
        encoder = Encoder(
            tuple(Dictionary(one.distinct, column.codes) for one, column in pairs),
            Dictionary(secrets.distinct, np.arange(len(secrets.counts))),
            self.domains.packing, None, (), "", regions,
        )  # fmt: skip
        batches = frame.to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches(max_chunksize=7)
        return pa.Table.from_batches(list(encoder.of_batches(iter(batches))))

    def count(self, work: Work) -> pl.DataFrame:
        batches: Iterator[Any] = iter(self.encoded(self.frame).to_batches(max_chunksize=5))
        found = pl.concat([frame_of(batch) for batch in work.of_batches(batches)])
        return found.group_by(found.columns[:-1]).agg(pl.col(found.columns[-1]).sum())

    def regions(self, at_most: int) -> Regions:
        if self.method is METHODS["hilbert"]:
            return stretch(self.whole, self.domains, at_most, self.count)
        return halve(self.whole, self.domains.packing, self.domains.rows, at_most, self.count, silent)

    def solved(self, regions: Regions, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows with the keys of their cells and their secrets."""
        table = self.encoded(frame, regions)
        kernel = Kernel(self.whole, self.method, self.domains.packing, (), ())
        region = frame_of(table)["region"]
        parts = [table.filter(pa.array((region == one).to_list())) for one in region.unique().sort()]
        return pl.concat([frame_of(kernel.solve(part)) for part in parts])

    def gathered(self, found: pl.DataFrame) -> Gathered:
        names = [f"q{place}" for place in range(len(QUASI))]
        classes = found.group_by(names).len("rows").with_columns(pl.col("rows").cast(pl.Int64)).sort(names)
        return Gathered.of(self.problem, classes)


def mondrian_agrees(frame: pl.DataFrame, require: str, recoding: str, at_most: int) -> None:
    """Guarantees that workers make the classes that the method makes in memory, or that neither makes any."""
    engine = Engine(frame, "mondrian", recoding, require)
    asked: dict[str, Any] = {"quasi": QUASI, "sensitive": SECRET, "require": require, "recoding": recoding}
    try:
        assert is_for_workers(engine.problem)
    except Infeasible:
        with pytest.raises(Infeasible):
            shoal.anonymize(frame, **asked, method="mondrian")
        return
    gathered = engine.gathered(engine.solved(engine.regions(at_most), frame))
    local = shoal.anonymize(frame, **asked, method="mondrian")
    assert gathered.solution("mondrian", ()).cost == pytest.approx(local.certificate.cost)
    assert sorted(gathered.published.partition.sizes) == sorted(local.classes.sizes)


def regions_are_safe(frame: pl.DataFrame, method: str, require: str, recoding: str, at_most: int) -> None:
    """Guarantees that the audit of what workers publish confirms every model, or that there is no release."""
    engine = Engine(frame, method, recoding, require)
    try:
        assert is_for_workers(engine.problem)
    except Infeasible:
        return
    found = engine.solved(engine.regions(at_most), frame)
    shown = engine.gathered(found).shown("*")
    names = [f"q{place}" for place in range(len(QUASI))]
    keys = [key.to_list() for key in engine.gathered(found).keys]
    cells = {
        own: [shown[place][keys[place].index(key)] for key in found[name]]
        for place, (own, name) in enumerate(zip(QUASI, names, strict=True))
    }
    secrets = engine.domains.secrets.distinct["illness"].gather(found["secret"])
    published = pl.DataFrame(
        {**cells, "illness": secrets}, schema_overrides={"a": pl.String, "b": pl.String}, strict=False
    )
    assert published.height == frame.height
    assert sorted(published["illness"]) == sorted(frame["illness"])
    assert shoal.audit(published, quasi=QUASI, sensitive=SECRET, require=require).holds


ASKED_OF_MONDRIAN = (tables(), st.sampled_from(REQUIRE), st.sampled_from(["range", "suppress", "generalize"]))
ASKED_OF_ANNEAL = (tables(), st.sampled_from(REQUIRE[:-1]), st.sampled_from(["range", "suppress", "generalize"]))
ASKED_OF_HILBERT = (tables(), st.sampled_from(REQUIRE), st.sampled_from(["range", "suppress"]))


@pytest.mark.filterwarnings("ignore::shoal.core.errors.SafetyWarning")  # chance makes columns that tell each other
@settings(max_examples=examples(30))
@given(*ASKED_OF_MONDRIAN, st.integers(1, 12))
def test_mondrian_makes_the_classes_that_it_makes_in_memory_whatever_the_regions(
    frame: pl.DataFrame, require: str, recoding: str, at_most: int
) -> None:
    mondrian_agrees(frame, require, recoding, at_most)


@settings(max_examples=examples(30))
@given(*ASKED_OF_HILBERT, st.integers(1, 12))
def test_every_model_holds_in_the_whole_table_where_stretches_of_the_curve_are_decided_apart(
    frame: pl.DataFrame, require: str, recoding: str, at_most: int
) -> None:
    regions_are_safe(frame, "hilbert", require, recoding, at_most)


@settings(max_examples=examples(20))
@given(*ASKED_OF_ANNEAL, st.integers(1, 12))
def test_every_model_holds_in_the_whole_table_where_regions_are_annealed_apart(
    frame: pl.DataFrame, require: str, recoding: str, at_most: int
) -> None:
    regions_are_safe(frame, "anneal", require, recoding, at_most)


def test_what_annealing_does_not_know_is_decided_on_the_driver() -> None:
    frame = pl.DataFrame({"a": [1, 2, 3, 4], "b": ["x", "y", "x", "y"], "illness": ["1", "2", "1", "2"]})
    domains = Engine(frame, "mondrian", "range", "k=2").domains
    request = Request(QUASI, "beta(illness)=2", SECRET, recoding="range", method="anneal")
    assert pose(request, Safety(ROLES), domains) is None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::shoal.core.errors.SafetyWarning")
@settings(max_examples=examples(100))
@given(*ASKED_OF_MONDRIAN, st.integers(1, 12))
def test_mondrian_makes_the_same_classes_of_many_more(
    frame: pl.DataFrame, require: str, recoding: str, at_most: int
) -> None:
    mondrian_agrees(frame, require, recoding, at_most)


@pytest.mark.slow
@settings(max_examples=examples(100))
@given(*ASKED_OF_HILBERT, st.integers(1, 12))
def test_every_model_holds_in_many_more(frame: pl.DataFrame, require: str, recoding: str, at_most: int) -> None:
    regions_are_safe(frame, "hilbert", require, recoding, at_most)


@settings(max_examples=examples(20))
@given(tables(), st.sampled_from(["mondrian", "anneal", "hilbert"]), st.integers(2, 12), st.randoms())
def test_where_rows_are_changes_nothing(frame: pl.DataFrame, method: str, at_most: int, random: Any) -> None:
    engine = Engine(frame, method, "range", "k=2")
    regions, order = engine.regions(at_most), list(range(frame.height))
    random.shuffle(order)
    one, other = engine.solved(regions, frame), engine.solved(regions, frame[order])
    assert one.sort(one.columns).equals(other.sort(other.columns))


@settings(max_examples=examples(30))
@given(tables(), st.sampled_from(["suppress", "generalize", "range"]), st.data())
def test_keys_say_what_a_cell_is(frame: pl.DataFrame, recoding: str, data: Any) -> None:
    microdata = encode(Table(frame), ROLES)
    labels = data.draw(st.lists(st.integers(0, 3), min_size=frame.height, max_size=frame.height))
    published = recode(microdata, Partition.of(np.array(labels)), recoding)
    for cells, hierarchy in zip(published.cells, microdata.hierarchies, strict=True):
        keys = keys_of(cells)
        assert keys.equals(keys.sort())
        again = cells_with(keys, cells.of_group, cells.column, hierarchy, recoding)
        assert (again.labels, again.ncp.tolist()) == (cells.labels, cells.ncp.tolist())


def test_what_needs_the_whole_table_is_not_for_workers() -> None:
    frame = pl.DataFrame({"a": [1, 2, 3, 4], "b": ["x"] * 4, "illness": ["flu", "gout", "flu", "gout"]})

    def problem(recoding: str = "range", cost: str | None = None, **asked: Any) -> Problem:
        given: dict[str, Any] = {"require": "k=2", **asked}
        request = Request(QUASI, sensitive=SECRET, recoding=recoding, cost=cost, method="mondrian", **given)
        quasi = tuple(counted(frame, [name]) for name in QUASI)
        posed = pose(request, Safety(ROLES), Domains.counted(ROLES, quasi, counted(frame, SECRET), as_text=False))
        assert posed is not None
        return posed.problem

    assert is_for_workers(problem())
    assert not is_for_workers(problem("centroid"))
    assert not is_for_workers(problem(cost="kl-divergence"))
    assert not is_for_workers(problem(require="k=5", max_dropped=1))
    with pytest.raises(Infeasible, match="no release of this table meets k=5"):
        is_for_workers(problem(require="k=5"))


@given(st.data())
def test_words_hold_columns_and_sort_as_they_do(data: Any) -> None:
    sizes = tuple(data.draw(st.lists(st.sampled_from([1, 2, 7, 10**6, 10**12]), min_size=1, max_size=8)))
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, size - 1) for size in sizes]), min_size=1, max_size=6))
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    words = Packing(sizes).pack(columns)
    assert all((word >= 0).all() and (word < SPAN).all() for word in words)
    assert [column.tolist() for column in Packing(sizes).unpack(words)] == [column.tolist() for column in columns]
    assert sorted(rows) == [rows[place] for place in np.lexsort(words[::-1])]


@given(st.integers(1, 3), st.integers(1, 70), st.integers(1, 40))
def test_steps_rise_along_the_curve(axes: int, bits: int, steps: int) -> None:
    bits, steps = min(bits, 60), min(steps, min(bits, 60) * axes)
    places = np.arange(4, dtype=np.int64) << max(bits - 2, 0)
    places = np.minimum(places, (1 << bits) - 1)
    curve = Curve((places,) * axes, bits, steps)
    codes = np.array(list(np.ndindex(*(4,) * axes)))
    step = curve.of(list(codes.T))
    assert ((step >= 0) & (step < 1 << steps)).all()
    finer = Curve((places,) * axes, bits, min(steps + 1, bits * axes, 41)).of(list(codes.T))
    assert (finer >> (1 if steps < min(bits * axes, 41) else 0) == step).all()
