"""`shoal hard`: lists the kinds, writes a table, says what to ask for and the fewest stars."""

import json
from pathlib import Path

import polars as pl
import pytest
from tests.cli.command import shoal as shoal_

import shoal.studies.hardness
from shoal.core.discovery import discover
from shoal.studies.hardness.base import Reduction

KINDS = discover(shoal.studies.hardness, Reduction)


def test_without_a_kind_all_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = json.loads(shoal_("hard", "--json").out)
    assert [row["kind"] for row in rows] == list(KINDS)
    monkeypatch.setenv("COLUMNS", "200")
    assert all(kind in shoal_("hard").out for kind in KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_written_as_its_sizes_are_declared(kind: str, tmp_path: Path) -> None:
    told = [json.loads(shoal_("hard", kind, "-o", tmp_path / name, "--json").out) for name in ("a.csv", "b.parquet")]
    frame = pl.read_parquet(tmp_path / "b.parquet")
    assert frame.equals(KINDS[kind].seeded(0).frame)
    assert frame.shape == pl.read_csv(tmp_path / "a.csv").shape
    assert told[0]["require"] == told[1]["require"]
    assert 0 < told[0]["optimum"] == KINDS[kind].seeded(0).optimum
    assert KINDS[kind].seeded(0) == KINDS[kind].seeded(0)


def test_the_printed_request_runs_and_reaches_the_optimum(tmp_path: Path) -> None:
    said = shoal_("hard", "matching-closeness", "count=3", "decoys=3", "-o", tmp_path / "m.csv", "--seed", "2").out
    lines = said.splitlines()
    assert lines[0].endswith("9 rows, 6 quasi-identifiers")
    options = [word.strip("'") for line in lines[1:5] for word in line.split(" ", 1)]
    done = shoal_("anonymize", tmp_path / "m.csv", *options, "--method", "subset-dp", "-o", tmp_path / "out", "--json")
    assert done.code == 0
    assert json.loads(done.out)["cost"]["value"] == 45
    assert lines[5] == "fewest stars: 45"


def test_a_metric_is_written_beside_the_table(tmp_path: Path) -> None:
    made = shoal_("hard", "matching-closeness", "count=2", "decoys=0", "t=1/3", "-o", tmp_path / "m.csv", "--json")
    told = json.loads(made.out)
    assert (tmp_path / "m_metric.csv").is_file()
    asked = ("--quasi", ",".join(told["quasi"]), "--sensitive", "side", "--require", told["require"])
    assert shoal_("audit", tmp_path / "m.csv", *asked).code == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("vertexcover", "-o", "x.csv"), "did you mean 'vertex-cover'?"),
        (("vertex-cover",), "-o is not given"),
        (("vertex-cover", "sides=3", "-o", "x.csv"), "did you mean 'side'?"),
        (("vertex-cover", "side", "-o", "x.csv"), "NAME=NUMBER"),
        (("vertex-cover", "side=3", "side=4", "-o", "x.csv"), "each name once"),
        (("vertex-cover", "side=many", "-o", "x.csv"), "a whole number of at least 0"),
        (("vertex-cover", "--seed", "-1", "-o", "x.csv"), "seed is -1"),
        (("vertex-cover", "-o", "x.pdf"), "a name that ends in"),
        (("vertex-cover", "-o", "nowhere/x.csv"), "cannot write"),
    ],
)
def test_what_is_wrong_is_said(
    arguments: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = shoal_("hard", *arguments)
    assert outcome.code == 2
    assert said in outcome.err
