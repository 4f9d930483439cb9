"""`shoal utility`: the library's measures in words and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import settle, shoal

import shoal as library
from shoal.utility import measure


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    settle(tmp_path, monkeypatch)
    made = library.anonymize(
        "census.csv", quasi=["age", "gender"], sensitive=["income"], leave_out="rest", require="k=5", recoding="range"
    )
    return made.save(tmp_path / "out")


def test_a_release_is_compared_with_its_original(release: Path) -> None:
    done = shoal("utility", release, "--original", "census.csv", "--queries", 20)
    assert (done.code, done.err) == (0, "")
    for words in (
        "rows are published",
        "costs: ",
        "20 counting queries: wrong by",
        "distinguishable from the original",
    ):
        assert words in done.out


def test_json_is_that_of_the_library(release: Path) -> None:
    done = shoal("utility", release, "--original", "census.csv", "--queries", 0, "--json")
    assert done.out == measure(release, "census.csv", queries=0).to_json() + "\n"
    assert json.loads(done.out)["queries"] is None


def test_a_table_of_anyone_is_compared_too(release: Path) -> None:
    table = release / "public" / "table.csv"
    done = shoal("utility", table, "--original=census.csv", "--quasi=age,gender", "--sensitive=income", "--queries=0")
    assert (done.code, done.err) == (0, "")
    assert "costs: none measured" in done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [(["--original=nobody.csv"], "no file"), (["--original=census.csv", "--target=age"], "not a sensitive column")],
)
def test_what_cannot_be_compared_ends_with_2(release: Path, options: list[str], message: str) -> None:
    done = shoal("utility", release, *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_no_cell_of_a_planted_row_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither risk nor utility repeats a value that one person has."""
    settle(tmp_path, monkeypatch)
    lines = Path("census.csv").read_text().splitlines()
    canary = ["987654", *(f"Canary{place}" for place in range(lines[0].count(",")))]
    Path("planted.csv").write_text("\n".join([*lines, ",".join(canary)]) + "\n")
    columns = lines[0].split(",")
    made = library.anonymize(
        "planted.csv", quasi=columns[:4], sensitive=columns[-1:], leave_out="rest", require="k=5", recoding="suppress"
    )
    folder = made.save(tmp_path / "out")
    roles = ["--quasi", ",".join(columns[:4]), "--sensitive", columns[-1]]
    for shown in (
        shoal("audit", "planted.csv", *roles, "--sample-fraction=0.1"),
        shoal("audit", "planted.csv", *roles, "--json"),
        shoal("audit", folder),
        shoal("utility", folder, "--original=planted.csv", "--queries=10"),
        shoal("utility", folder, "--original=planted.csv", "--queries=0", "--json"),
        shoal("audit", "planted.csv", *roles, f"--record-weight={columns[1]}"),
        shoal("utility", "planted.csv", "--original=census.csv", *roles, "--queries=0"),
    ):
        assert "Canary" not in shown.out + shown.err
        assert "987654" not in shown.out + shown.err
