"""Frames of Spark: in a Spark server without Java (pysail), and in Spark's local mode where there is Java."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.cli.command import shoal as command

import shoal
from shoal.core.errors import Infeasible, ParameterError, RoleError, TableError, Unsupported
from shoal.request import Request
from shoal.spark import by_regions
from shoal.spark.run import run_on_spark
from shoal.spark.session import has_local_mode, read_frame, session
from shoal.studies.synth import census

pytestmark = [
    pytest.mark.skipif(find_spec("pyspark") is None, reason="pyspark is not installed: pip install 'shoal[spark]'"),
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.xdist_group("spark"),
]

QUASI = ["age", "gender", "race", "marital"]
ASKED: dict[str, Any] = {
    "quasi": QUASI,
    "sensitive": ["occupation"],
    "leave_out": ["workclass"],
    "other": "rest",
    "allow": ["note", "score"],
}


def people(rows: int = 600) -> pl.DataFrame:
    """A census with a missing value, a literal star and a column that nobody alters but for its stars."""
    note = pl.when(pl.col("age") % 3 == 0).then(pl.lit("*")).otherwise(pl.int_range(pl.len()).cast(pl.String))
    race = pl.when(pl.col("age") % 7 == 0).then(None).otherwise(pl.col("race"))
    score = pl.when(pl.col("age") % 5 == 0).then(float("nan")).otherwise(pl.int_range(pl.len()) / 2)
    shown = census(rows, 1).select("age", "gender", "race", "marital", "occupation", "workclass")
    return shown.with_columns(note=note, race=race, score=score)


def sail() -> Iterator[Any]:
    """A Spark Connect server in this process, which needs no Java."""
    if find_spec("pysail") is None:
        pytest.skip("pysail is not installed")
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer()
    server.start(background=True)
    spark = session(f"sc://localhost:{server.listening_address[1]}")
    yield spark
    spark.stop()
    server.stop()
    for name in ("SPARK_CONNECT_MODE_ENABLED", "SPARK_REMOTE"):
        os.environ.pop(name, None)


def java() -> Iterator[Any]:
    """Spark in local mode: two cores, and three attempts at each task."""
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    if not has_local_mode():
        pytest.skip("pyspark-client speaks to a server only: pip install 'shoal[spark]' has Spark's local mode")
    spark = session("local[2,3]")
    spark.conf.set("spark.sql.shuffle.partitions", "3")
    yield spark
    spark.stop()


@pytest.fixture(
    scope="module", params=[pytest.param(sail, id="sail"), pytest.param(java, id="java", marks=pytest.mark.slow)]
)
def spark(request: pytest.FixtureRequest) -> Iterator[Any]:
    yield from request.param()


def frame_of(spark: Any, frame: pl.DataFrame, partitions: int = 3) -> Any:
    return spark.createDataFrame(frame.to_arrow()).repartition(partitions)


def written(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(folder / "public" / "table.parquet")


# The same as in memory


@pytest.mark.parametrize(
    ("method", "recoding", "require"),
    [
        ("tp", "suppress", "l(occupation)=3"),
        ("tp-plus-refined", "suppress", "l(occupation)=3"),
        ("peel", "suppress", "k=4"),
        ("mondrian", "range", "k=4 t(occupation)=0.6"),
        ("hilbert", "range", "k=3"),
        ("full-domain", "full-domain", "k=3"),
        ("microaggregation", "centroid", "k=5"),
        ("mondrian", "mixed", "k=4"),
        ("microaggregation", "mixed-centroid", "k=4"),
    ],
)
def test_a_release_costs_what_it_costs_in_memory_and_is_verified(
    spark: Any, tmp_path: Path, method: str, recoding: str, require: str
) -> None:
    asked: dict[str, Any] = {**ASKED, "method": method, "recoding": recoding, "require": require}
    folder = shoal.spark.anonymize(frame_of(spark, people()), **asked).save(tmp_path / "release")
    verification, certificate = shoal.verify(folder), shoal.anonymize(people(), **asked).certificate
    assert verification.passed, verification.failures
    stated = shoal.Certificate.from_json((folder / "public" / "certificate.json").read_text())
    assert stated.cost == pytest.approx(certificate.cost)
    assert (stated.classes, stated.rows) == (certificate.classes, certificate.rows)
    traced = shoal.verify(folder, original=people().sample(fraction=1, shuffle=True, seed=2))
    assert traced.passed, traced.failures


def test_other_columns_follow_their_rows(spark: Any, tmp_path: Path) -> None:
    asked: dict[str, Any] = {**ASKED, "require": "k=4", "method": "mondrian", "recoding": "range"}
    folder = shoal.spark.anonymize(frame_of(spark, people()), **asked).save(tmp_path / "release")
    local = shoal.anonymize(people(), **asked)
    assert written(folder).schema == local.table.schema
    assert written(folder).equals(local.table.sort(local.table.columns, nulls_last=True))
    assert json.loads((folder / "public" / "codebook.json").read_text()) == local.codebook


def test_columns_of_any_name_are_kept(spark: Any) -> None:
    frame = people(60).rename({"age": "a.ge", "note": "Note`s", "score": "note's"})
    asked: dict[str, Any] = {**ASKED, "quasi": ["a.ge", *QUASI[1:]], "require": "k=4", "method": "mondrian"}
    asked |= {"allow": ["Note`s", "note's"]}
    assert shoal.spark.anonymize(frame_of(spark, frame), **asked).table.columns == list(
        shoal.anonymize(frame, **asked).table.columns
    )


def test_dates_moments_and_truths_are_kept(spark: Any, tmp_path: Path) -> None:
    days = pl.date_range(date(2020, 1, 1), date(2020, 1, 20), eager=True)
    frame = pl.DataFrame({"day": days, "well": [True, False] * 10, "at": days.cast(pl.Datetime("us", "UTC"))})
    frame = frame.with_columns(price=pl.int_range(20).cast(pl.Decimal(10, 2)), illness=pl.lit("flu"))
    asked: dict[str, Any] = {"quasi": ["day", "price"], "sensitive": ["illness"], "require": "k=4", "recoding": "range"}
    asked |= {"other": "rest", "allow": ["at"]}
    shown = written(shoal.spark.anonymize(frame_of(spark, frame), **asked).save(tmp_path / "release"))
    local = shoal.anonymize(frame, **asked).table
    assert shoal.verify(tmp_path / "release").passed
    assert shown.drop("at").equals(local.sort(local.columns, nulls_last=True).drop("at"))
    assert shown["at"].cast(pl.Int64).sort().equals(frame["at"].cast(pl.Int64))


def test_equal_rows_may_go_to_several_classes(spark: Any, tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [30] * 5 + [40] * 5, "illness": ["flu"] * 4 + ["gout"] * 3 + ["cold"] * 3})
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["illness"], "require": "l(illness)=2"}
    release = shoal.spark.anonymize(frame_of(spark, frame), **asked)
    assert shoal.verify(release.save(tmp_path / "release")).passed
    assert float(release.certificate.cost) == float(shoal.anonymize(frame, **asked).certificate.cost) > 0


def test_rows_may_be_dropped(spark: Any, tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": list(range(20)), "illness": ["flu"] * 14 + ["gout"] * 6})
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["illness"], "require": "l(illness)=2", "max_dropped": 0.5}
    release = shoal.spark.anonymize(frame_of(spark, frame), **asked)
    assert release.certificate.dropped == shoal.anonymize(frame, **asked).certificate.dropped > 0
    assert shoal.verify(release.save(tmp_path / "release"), original=frame.reverse()).passed


LAW = ["k=3 l(illness)=2", "t(illness)=0.4", "k=2 entropy-l(illness)=1.5", "distinct-l(illness)=3 t(illness)=0.5"]


@pytest.mark.parametrize("require", LAW)
def test_an_audit_of_the_whole_table_confirms_every_model_or_there_is_no_release(
    spark: Any, require: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = 0
    for seed in range(3):
        monkeypatch.setattr(by_regions, "ROWS", (5, 12, 1000)[seed])
        draw = np.random.default_rng(seed)
        rows = int(draw.integers(6, 40))
        columns = {name: draw.integers(0, size, rows).tolist() for name, size in (("a", 5), ("b", 3), ("illness", 4))}
        frame = pl.DataFrame(columns).with_columns(pl.col("illness").cast(pl.String))
        asked: dict[str, Any] = {"quasi": ["a", "b"], "sensitive": ["illness"], "require": require}
        for method, recoding in (("mondrian", "range"), ("peel", "suppress"), ("hilbert", "range")):
            try:
                release = shoal.spark.anonymize(frame_of(spark, frame, 2), **asked, method=method, recoding=recoding)
            except (Infeasible, Unsupported):
                continue
            made += 1
            shown = pl.DataFrame(release.table.toArrow())
            assert shown.height == rows
            assert shoal.audit(shown, **asked).holds
            assert sorted(shown["illness"]) == sorted(frame["illness"])
    assert made


# Nothing depends on where rows are


@pytest.mark.parametrize("method", ["tp", "mondrian", "hilbert"])
def test_where_rows_are_changes_nothing(
    spark: Any, tmp_path: Path, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_regions, "ROWS", 200)
    asked: dict[str, Any] = {**ASKED, "require": "l(occupation)=3", "method": method}
    shown = []
    for partitions in (1, 7):
        mixed = people().sample(fraction=1, shuffle=True, seed=partitions)
        release = shoal.spark.anonymize(frame_of(spark, mixed, partitions), **asked)
        shown.append(written(release.save(tmp_path / str(partitions))))
    assert shown[0].equals(shown[1])


@pytest.mark.parametrize("method", ["tp", "mondrian", "hilbert"])
def test_a_task_that_fails_is_run_again_and_changes_nothing(
    spark: Any, tmp_path: Path, request: pytest.FixtureRequest, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "sail" in request.node.callspec.id:
        pytest.skip("pysail runs no task a second time in this mode")
    monkeypatch.setattr(by_regions, "ROWS", 200)
    marker = str(tmp_path / "failed")

    def fail_once(batches: Iterator[Any]) -> Iterator[Any]:
        if not os.path.exists(marker):  # noqa: PTH110 - a worker imports nothing of ours
            open(marker, "w").close()  # noqa: PTH123
            raise RuntimeError("on purpose")
        yield from batches

    frame = frame_of(spark, people())
    asked: dict[str, Any] = {**ASKED, "require": "l(occupation)=3", "method": method}
    whole = written(shoal.spark.anonymize(frame, **asked).save(tmp_path / "whole"))
    failing = frame.mapInArrow(fail_once, frame.schema)
    again = written(shoal.spark.anonymize(failing, **asked).save(tmp_path / "again"))
    assert Path(marker).exists()
    assert again.equals(whole)


# What is refused


def test_a_requirement_that_nothing_meets_is_refused(spark: Any) -> None:
    with pytest.raises(Infeasible, match="no release of this table meets k=601") as refused:
        shoal.spark.anonymize(frame_of(spark, people()), **ASKED, require="k=601")
    assert refused.value.rows == ()


@pytest.mark.parametrize("method", ["mondrian", "peel"])
def test_a_table_that_changes_while_it_is_read_is_refused(
    spark: Any, tmp_path: Path, request: pytest.FixtureRequest, method: str
) -> None:
    where = str(tmp_path / "people.parquet")
    people().write_parquet(where)
    release = shoal.spark.anonymize(spark.read.parquet(where), **ASKED, require="k=4", method=method)
    people(900).write_parquet(where)
    if "java" in request.node.callspec.id:  # it keeps what it worked out: the release is that of the table as it was
        assert shoal.verify(release.save(tmp_path / "release"), original=people()).passed
        return
    with pytest.raises(TableError, match="the table changed during the run"):
        release.save(tmp_path / "release")
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"quasi": ["agee"]}, RoleError, "the table has no column 'agee'"),
        ({"recoding": "anatomy"}, Unsupported, "and the engine spark makes one"),
        ({"neutralise": True}, Unsupported, "spark does not support neutralise: it writes Parquet"),
    ],
)
def test_what_the_engine_cannot_do_is_said(
    spark: Any, given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        shoal.spark.anonymize(frame_of(spark, people(60)), **{**ASKED, "require": "k=2", **given})


def test_numbers_without_end_are_refused(spark: Any) -> None:
    frame = people(60).with_columns(score=float("inf"))
    with pytest.raises(TableError, match=r"column 'score' has .*infinite values"):
        shoal.spark.anonymize(frame_of(spark, frame), **ASKED, require="k=2")


def test_what_spark_cannot_do_is_said_without_its_words(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "people.parquet").write_text("secret")
    with pytest.raises(TableError, match="Spark could not") as refused:
        shoal.spark.anonymize(read_frame(spark, tmp_path / "people.parquet"), **ASKED, require="k=2")
    assert refused.value.__suppress_context__


def test_columns_of_one_name_are_refused(spark: Any) -> None:
    frame = frame_of(spark, people(60))
    with pytest.raises(TableError, match="columns of the same name: 'note'"):
        shoal.spark.anonymize(frame.withColumnRenamed("score", "note"), **ASKED, require="k=2")


def test_columns_that_hold_lists_are_refused(spark: Any) -> None:
    frame = people(60).with_columns(list=pl.lit(np.array([1, 2])).implode().first())
    with pytest.raises(TableError, match=r"column 'list' holds .* values"):
        shoal.spark.anonymize(frame_of(spark, frame), **ASKED, require="k=2")


def test_only_parquet_is_written(spark: Any, tmp_path: Path) -> None:
    release = shoal.anonymize(frame_of(spark, people(60)), **ASKED, require="k=2", engine="spark", method="mondrian")
    with pytest.raises(ParameterError, match="format 'csv' with the engine spark; expected parquet or parquet-parts"):
        release.save(tmp_path / "release", format="csv")


# The original


def test_another_original_is_found_out(spark: Any, tmp_path: Path) -> None:
    asked: dict[str, Any] = {**ASKED, "require": "k=4", "method": "mondrian"}
    folder = shoal.spark.anonymize(frame_of(spark, people()), **asked).save(tmp_path / "release")
    altered = people().with_columns(pl.when(pl.int_range(pl.len()) == 7).then(99).otherwise(pl.col("age")).alias("age"))
    assert any("keyed hash differs" in failure for failure in shoal.verify(folder, original=altered).failures)


# Files


def test_a_release_may_be_a_folder_of_files(spark: Any, tmp_path: Path) -> None:
    asked: dict[str, Any] = {**ASKED, "require": "k=4", "method": "mondrian"}
    release = shoal.spark.anonymize(frame_of(spark, people()), **asked)
    one = written(release.save(tmp_path / "one"))
    folder = release.save(tmp_path / "several", format="parquet-parts")
    assert written(folder).equals(one)
    assert shoal.verify(folder, original=people()).passed
    (folder / "public" / "table.parquet" / "part-00000.parquet").unlink()
    assert not shoal.verify(folder).passed


def test_a_table_of_spark_is_read_by_its_name(spark: Any) -> None:
    frame_of(spark, people(60)).createOrReplaceTempView("people_of_spark")
    assert read_frame(spark, "table:people_of_spark").count() == 60


def test_a_csv_file_is_read_as_it_is_in_memory(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text('zip;age;note\n01234;30;"a ""b"""\n01234;30;\n98765;40;"x\ny"\n')
    frame = read_frame(spark, path)
    assert frame.columns == ["zip", "age", "note"]
    rows = sorted(frame.toArrow().to_pylist(), key=str)
    assert rows == sorted(shoal.tables.table.read(path).frame.cast(pl.String).to_dicts(), key=str)


@pytest.mark.parametrize("numbers", [["1.5", "NaN", "2.5", "NaN", "1.50", ""], ["1", "NaN", "2", "NaN", "1", ""]])
def test_nan_in_a_csv_file_is_read_as_it_is_in_memory(spark: Any, tmp_path: Path, numbers: list[str]) -> None:
    """Among floating-point numbers it is missing, in a quasi-identifier and a sensitive column; else it is a word."""
    path = tmp_path / "people.csv"
    path.write_text("dose,level\n" + "".join(f"{dose},{level}\n" for dose, level in zip(numbers, numbers, strict=True)))
    asked = Request(["dose"], "k=2", ["level"], method="mondrian")
    release: Any = run_on_spark(read_frame(spark, path), asked, as_text=True)
    local = shoal.anonymize(path, quasi=["dose"], sensitive=["level"], require="k=2", method="mondrian")
    shown = pl.DataFrame(release.table.toArrow()).cast(pl.String)
    assert sorted(shown.rows(), key=str) == sorted(local.table.cast(pl.String).rows(), key=str)
    assert shoal.verify(release.save(tmp_path / "release"), original=path).failures == []


def test_the_command_reads_publishes_and_is_verified(
    spark: Any, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if "sail" in request.node.callspec.id:
        pytest.skip("the session of the command would be another one")
    people().with_columns(pl.col("score").fill_nan(None)).write_csv(tmp_path / "people.csv")
    asked = ("--quasi", ",".join(QUASI), "--sensitive", "occupation", "--require", "k=4", "--method", "mondrian")
    outcome = command(
        *("anonymize", tmp_path / "people.csv", "-o", tmp_path / "release", *asked),
        *("--engine", "spark", "--spark-master", "local[2,3]", "--json"),
    )
    assert outcome.code == 0, outcome.err
    assert command("verify", tmp_path / "release").code == 0
    assert written(tmp_path / "release").schema["age"] == pl.String


def test_equal_numbers_are_one_value_however_they_are_spelt(spark: Any, tmp_path: Path) -> None:
    """Of text in every role, and -0.0 beside 0.0; the release is verified with the original."""
    spelt = ["1000", "1000.0", "1e3", "n/a"] * 6
    original = pl.DataFrame(
        {"age": spelt, "pay": spelt[::-1], "note": spelt, "score": [0.0, -0.0, 1.0] * 8}, strict=False
    )
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["pay"], "other": "rest", "method": "mondrian"}
    asked |= {"allow": ["pay", "note", "score"]}
    with pytest.raises(Infeasible):
        shoal.anonymize(frame_of(spark, original), engine="spark", require="distinct-l(pay)=3", **asked)
    release: Any = shoal.anonymize(frame_of(spark, original), engine="spark", require="k=2", **asked)
    assert any("'age': 3 spellings" in line for line in release.decisions)
    shown = pl.DataFrame(release.table.toArrow())
    assert [shown[name].n_unique() for name in ("age", "pay", "note", "score")] == [2, 2, 2, 2]
    folder = release.save(tmp_path / "release")
    assert shoal.verify(folder, original=original).failures == []


@pytest.mark.parametrize("asked", [{"unify": ["gender"]}, {"order": {"gender": ["F", "M"]}}], ids=str)
def test_spellings_and_orders_are_refused(spark: Any, asked: dict[str, Any]) -> None:
    with pytest.raises(Unsupported, match=f"does not support {next(iter(asked))}"):
        shoal.anonymize(frame_of(spark, people()), engine="spark", require="k=2", **ASKED, **asked)


@pytest.mark.parametrize("method", ["mondrian", "auto"])
def test_words_without_an_order_are_refused(spark: Any, method: str) -> None:
    asked: dict[str, Any] = {**ASKED, "require": "t(occupation:ordered)=0.9", "method": method}
    with pytest.raises(ParameterError, match="needs an order"):
        shoal.anonymize(frame_of(spark, people()), engine="spark", **asked)
    tree = {"builder": "taxonomy", "rows": [[word, "any"] for word in people()["occupation"].unique().sort()]}
    with pytest.raises((ParameterError, Unsupported), match="order"):
        shoal.anonymize(frame_of(spark, people()), engine="spark", hierarchies={"occupation": tree}, **asked)
