"""Decided by the workers, region by region: for `mondrian`, `anneal` and `hilbert`.

The driver chooses regions from counts; each row's region follows from its codes; a worker gets the rows of a region and
runs the method on them as part of the whole table, whose domains, hierarchies and distribution of sensitive values were
sent to it. Classes of different regions that show equal cells are one class of the release.

**Every model holds in the whole table.** A class of a region is admitted as a class of the whole table: the model gets
the class's own counts and the whole table's distribution. A class of the release is one of these, or a union of several
with equal cells; and the union of admitted classes is admitted, because only models that are *monotone* come here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from shoal.methods.base import Method, Progress
from shoal.methods.general.anneal import Anneal
from shoal.methods.general.mondrian import Mondrian
from shoal.methods.l_diversity.hilbert import Hilbert
from shoal.problem import Problem, infeasible
from shoal.recoding.codebook import marks_of_values
from shoal.spark.cell_keys import RECODINGS, are_bytes
from shoal.spark.columns import TRACE
from shoal.spark.domains import Domains, WorkerTable
from shoal.spark.engine_contract import Decided, Posed
from shoal.spark.kernel import Kernel
from shoal.spark.mondrian_cuts import COUNTED as BY_AXIS
from shoal.spark.mondrian_cuts import halve
from shoal.spark.regions import Regions
from shoal.spark.release import SparkRelease
from shoal.spark.rows import SparkRows, longs, summed
from shoal.spark.session import HAS_PYSPARK, SparkFrame, asking, changed
from shoal.spark.stretches import COUNTED as BY_STEP
from shoal.spark.stretches import stretch
from shoal.spark.whole_table import Gathered, ranked
from shoal.spark.worker_batches import Dictionary, FromKeys, PublishedCells
from shoal.tables.table import Table

if HAS_PYSPARK:
    from pyspark.sql import functions as sql
    from pyspark.sql.types import BinaryType, LongType, StructField, StructType

METHODS: dict[str, type[Method]] = {method.name: method for method in (Mondrian, Anneal, Hilbert)}
"""The methods that work region by region."""
ROWS = 250_000
"""Rows of a region at most, where it can be cut."""
MOST_TASKS = 2_000
"""Tasks that share the regions at most."""


def is_for_workers(problem: Problem) -> bool:
    """Whether the argument holds for a problem; what the table as one class does not meet is refused here.

    Not so for models that a union may break, that look at a population or speak of all classes together, for costs that
    look at single rows, for centroids, and where rows must be dropped.
    """
    if not problem.models.monotone or problem.models.needs_population or problem.required.of_release:
        return False
    if problem.recoding not in RECODINGS or not problem.cost.of_classes:
        return False
    whole = WorkerTable.of(problem).together
    refused = [model for model in problem.models if not model.admits(whole)[0]]
    if refused and problem.may_drop == 0:
        error = infeasible(refused[0], whole)
        error.rows = ()  # the rows of Spark have no numbers
        raise error
    return not refused


def publish_by_regions(rows: SparkRows, posed: Posed, progress: Progress) -> SparkRelease:
    """Choose regions here, let the workers decide on each, and put their classes together."""
    whole = WorkerTable.of(posed.problem)
    regions = _regions(rows, whole, posed.method, progress)
    progress(0.5, "cutting classes on the workers")
    found = _solved(rows, whole, posed.method, regions).persist()
    gathered = Gathered.of(posed.problem, _classes(found, rows.domains))
    work = _writer(rows, gathered, posed.star)
    table = rows.written_out(found, work.shown, work)
    decided = _described(posed, gathered, rows.domains, work.shown.cells)
    return SparkRelease(table, decided, rows.people.roles, rows.key, found, found.select(TRACE))


def _writer(rows: SparkRows, gathered: Gathered, star: str) -> FromKeys:
    """Return what the workers write the cells out with."""
    cells, places = zip(*map(ranked, gathered.shown(star)), strict=True)
    quasi = len(gathered.keys)
    keys = [key.alias(f"q{place}").to_frame() for place, key in enumerate(gathered.keys)]
    secrets = zip(places[quasi:], rows.domains.sensitive, strict=True)
    return FromKeys(
        PublishedCells(cells),
        tuple(Dictionary(key, rank) for key, rank in zip(keys, places[:quasi], strict=True)),
        tuple(rank[column.codes] for rank, column in secrets),
        tuple(rows.kept),
    )


def _regions(rows: SparkRows, whole: WorkerTable, method: type[Method], progress: Progress) -> Regions:
    """Choose the regions: Mondrian's own first cuts, or stretches of the Hilbert curve for the method along it."""
    domains = rows.domains
    coded = rows.words_alone()
    if method is Hilbert:
        return stretch(whole, domains, ROWS, lambda work: summed(coded, work, BY_STEP, "count along the curve"))
    if domains.rows > ROWS:
        coded = coded.persist()
    try:
        return halve(
            whole, domains.packing, domains.rows, ROWS,
            lambda work: summed(coded, work, BY_AXIS, "count the rows of regions"), progress,
        )  # fmt: skip
    finally:
        if domains.rows > ROWS:
            coded.unpersist()


def _solved(rows: SparkRows, whole: WorkerTable, method: type[Method], regions: Regions) -> SparkFrame:
    """Let the workers run the method on every region; rows come out with the keys of their cells."""
    kernel = Kernel(whole, method, rows.domains.packing, tuple(rows.kept), tuple(rows.people.others))
    keys = [
        StructField(f"q{place}", BinaryType() if are_bytes(column, whole.recoding) else LongType())
        for place, column in enumerate(whole.columns)
    ]
    schema = StructType([*keys, *longs(["secret"]), *rows.fields(rows.kept)])

    def solved(region: Any) -> Any:  # Spark counts the arguments, and those of a method are one more
        return kernel.solve(region)

    spread = rows.coded(regions).repartition(min(regions.number, MOST_TASKS), "region")
    return spread.groupBy("region").applyInArrow(solved, schema)


def _classes(found: SparkFrame, domains: Domains) -> pl.DataFrame:
    """Bring the classes of the whole table here: the keys of their cells, and how many rows show them."""
    names = [f"q{place}" for place in range(len(domains.columns))]
    grouped = found.groupBy(*names).agg(sql.count(sql.lit(1)).alias("rows"))
    with asking("run the method on the workers", hint="is shoal installed there? the log of Spark's driver says more"):
        classes = pl.DataFrame(grouped.toArrow()).sort(names)
    if int(classes["rows"].sum()) != domains.rows:
        raise changed()
    return classes


def _described(posed: Posed, gathered: Gathered, domains: Domains, cells: tuple[pl.Series, ...]) -> Decided:
    """Say what a release says; the marks of sensitive columns are counted by their distinct values."""
    solution = gathered.solution(posed.method.name, ("decided region by region on the workers",))
    names = (*domains.roles.quasi, *domains.roles.sensitive)
    types = pl.DataFrame([one.clear().alias(name) for one, name in zip(cells, names, strict=True)])
    decided = posed.describe(solution, gathered.published, Table(types))
    counted = {
        column.name: marks_of_values(column.values.gather(column.codes), domains.secrets.counts)
        for column in domains.sensitive
    }
    columns = [{**column, **counted.get(column["name"], {})} for column in decided.codebook["columns"]]
    return replace(decided, codebook={**decided.codebook, "columns": columns})
