"""What an engine decides from: distinct rows, their counts, and which of them go where."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.command import shoal as command

import shoal
from shoal.core.errors import TableError, Unsupported
from shoal.microdata.partition import Partition
from shoal.spark.row_counts import Counted, Shares
from shoal.spark.session import _own_folder, asking, check_installed, session


@given(st.lists(st.lists(st.integers(-1, 3), min_size=1, max_size=6), min_size=1, max_size=6))
def test_every_row_that_is_kept_goes_to_its_class_and_to_no_other(labels: list[list[int]]) -> None:
    counted = Counted(pl.DataFrame({"row": range(len(labels))}), np.array([len(one) for one in labels]))
    partition = Partition.of(np.array([label for one in labels for label in one]))
    shares = Shares.of(counted, partition)
    places = [(n, place) for n, start, end in zip(shares.number, shares.start, shares.end, strict=True)
              for place in range(start, end)]  # fmt: skip
    assert len(places) == len(set(places)) == len(partition.kept)
    assert all(place < counted.counts[number] for number, place in places)
    kept = partition.kept
    taken: Counter[tuple[int, int]] = Counter()
    for number, start, end, sample in zip(shares.number, shares.start, shares.end, shares.sample, strict=True):
        assert counted.number_of_row[kept[sample]] == number
        taken[int(number), int(partition.class_of_row[kept[sample]])] += int(end - start)
    wanted = Counter(
        (int(number), int(label))
        for number, label in zip(counted.number_of_row[kept], partition.class_of_row[kept], strict=True)
    )
    assert taken == wanted


def test_without_pyspark_it_says_what_to_install() -> None:
    with (
        patch("shoal.spark.session.find_spec", return_value=None),
        pytest.raises(Unsupported, match=r"pip install 'shoal\[spark\]'"),
    ):
        check_installed()


def test_a_client_alone_has_no_local_mode() -> None:
    def without_java(name: str) -> object:
        return None if name == "py4j" else object()

    with (
        patch("shoal.spark.session.find_spec", without_java),
        pytest.raises(Unsupported, match=r"speaks to a Spark Connect server only, and the master is 'local\[2\]'"),
    ):
        session("local[2]")


def test_what_spark_says_of_a_failure_is_not_repeated() -> None:
    with pytest.raises(TableError) as refused, asking("group the rows"):
        raise RuntimeError("somebody's cell")
    assert str(refused.value) == "Spark could not group the rows (RuntimeError); the log of Spark's driver says why"
    assert refused.value.__suppress_context__


def test_temporary_files_of_a_local_spark_are_private_and_those_of_a_killed_one_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("shoal-spark-killed/blockmgr-1", "shoal-spark-killed/spark-2", "shoal-spark-mine/notes"):
        (tmp_path / name).mkdir(parents=True)
    own = Path(_own_folder("local[2]")["spark.local.dir"])
    assert sorted(tmp_path.iterdir()) == sorted([own, tmp_path / "shoal-spark-mine"])
    assert own.stat().st_mode & 0o077 == 0
    assert _own_folder("local-cluster[2,1,1024]") == {"spark.local.dir": str(own)}
    assert _own_folder("spark://host:7077") == {}


def test_no_engine_is_loaded_before_it_is_asked_for() -> None:
    assert shoal.spark.anonymize.__module__ == "shoal.spark"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "sparc"], "--engine sparc; expected local or spark"),
        (["--spark-master", "local[2]"], "--spark-master is given without --engine spark"),
        (["--engine", "spark", "--registry", "releases"], "earlier releases are compared in memory"),
        (["--engine", "spark", "--report"], "--report cannot be used with --engine spark"),
        (["--engine", "spark", "--format", "csv"], "unknown format 'csv'; expected parquet or parquet-parts"),
    ],
)
def test_the_command_refuses_before_any_work(tmp_path: Path, options: list[str], message: str) -> None:
    asked = ["anonymize", "none.csv", "-o", str(tmp_path / "release"), "--quasi", "age", "--require", "k=2"]
    outcome = command(*asked, *options)
    assert outcome.code == 2
    assert message in outcome.err
