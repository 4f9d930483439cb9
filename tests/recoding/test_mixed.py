"""Columns that are recoded in different ways: what is asked, what is written down, and what the checker reads."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.release.test_verification import reseal

import shoal
from shoal.core.errors import ParameterError, RoleError

PEOPLE = pl.DataFrame(
    {
        "age": [21, 23, 24, 30, 44, 51, 58, 60],
        "town": ["Bonn", "Bern", "Bonn", "Basel", "Bern", "Basel", "Bonn", "Bonn"],
        "sex": ["f", "f", "m", "f", "m", "m", "f", "m"],
        "illness": ["flu", "cold", "flu", "gout", "cold", "flu", "gout", "cold"],
    }
)
TOWNS = {"Germany": ["Bonn"], "Switzerland": ["Bern", "Basel"]}
ASKED: dict[str, Any] = {
    "quasi": ["age", "town", "sex"],
    "sensitive": ["illness"],
    "require": "k=2",
    "hierarchies": {"town": TOWNS},
    "method": "mondrian",
}


def made(**more: Any) -> shoal.Release:
    return shoal.anonymize(PEOPLE, **{**ASKED, **more})


def recodings(release: shoal.Release) -> dict[str, str]:
    return {one["name"]: one["recoding"] for one in release.codebook["columns"] if "recoding" in one}


def test_ordered_columns_are_ranges_and_others_are_blocks_where_nothing_is_said() -> None:
    release = made(recoding="mixed")
    assert recodings(release) == {"age": "range", "town": "generalize", "sex": "generalize"}
    assert release.config["column_recodings"] == recodings(release)
    assert list(release.config["hierarchies"]) == ["sex", "town"]


def test_the_others_are_recoded_as_the_table_is() -> None:
    release = made(recoding="suppress", column_recodings={"age": "range"})
    assert recodings(release) == {"age": "range", "town": "suppress", "sex": "suppress"}
    assert not release.config["hierarchies"]
    assert release.certificate.recoding == "mixed"
    (said,) = release.certificate.remarks
    assert said.startswith("columns are recoded in different ways: age range, town suppress, sex suppress")


def test_what_is_written_down_makes_the_same_release() -> None:
    first = made(recoding="generalize", column_recodings={"age": "range", "sex": "suppress"})
    again = made(recoding=first.config["recoding"], column_recodings=first.config["column_recodings"])
    assert again.table.equals(first.table)


def test_a_release_of_columns_alike_says_nothing_of_single_columns() -> None:
    release = made(recoding="generalize")
    assert not recodings(release)
    assert not release.config["column_recodings"]


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"column_recodings": {"agee": "range"}}, RoleError, "did you mean 'age'"),
        ({"column_recodings": {"age": "full-domain"}}, ParameterError, "expected suppress or generalize or range or"),
        (
            {"column_recodings": {"age": "range"}, "recoding": "anatomy"},
            ParameterError,
            "the recoding of the other columns",
        ),
        ({"recoding": "mixed", "cost": "height"}, ParameterError, "is not defined for the recoding"),
        ({"recoding": "mixed-centroid", "cost": "ncp"}, ParameterError, "is not defined for the recoding"),
        ({"recoding": "mixed", "method": "peel"}, shoal.Unsupported, "recoded in different ways"),
    ],
)
def test_what_cannot_be_mixed_is_refused_in_words(asked: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        made(**asked)


@pytest.mark.parametrize("cost", ["ncp", "uniform-entropy", "ambiguity", "stars"])
def test_verify_reads_each_column_in_its_own_way(cost: str, tmp_path: Path) -> None:
    folder = made(recoding="mixed", column_recodings={"sex": "suppress"}, cost=cost).save(tmp_path / "release")
    found = shoal.verify(folder, original=PEOPLE)
    assert found.passed
    assert any("the cost is that of the published cells" in check.what for check in found.checks)


def test_verify_refuses_a_range_in_a_column_that_is_no_range(tmp_path: Path) -> None:
    """A range covers the values between its ends where ranges are published, and no value in a column of blocks."""
    folder = made(recoding="mixed").save(tmp_path / "release")
    book = json.loads((folder / "public" / "codebook.json").read_text())
    book["columns"][0]["recoding"] = "generalize"
    (folder / "public" / "codebook.json").write_text(json.dumps(book))
    reseal(folder)
    (failure,) = shoal.verify(folder, original=PEOPLE).failures
    assert failure.startswith("every published row covers the original row it stands for")


def test_utility_and_attacks_read_each_column_in_its_own_way() -> None:
    release = made(recoding="mixed", column_recodings={"sex": "suppress"})
    found = shoal.utility.measure(release, PEOPLE)
    assert {one.cost: one.value for one in found.costs}["ncp"] == pytest.approx(float(release.certificate.cost))
    assert shoal.attack(release, PEOPLE).of("linkage")[0].after == 0


# Centroids beside cells that cover


def test_numbers_are_means_beside_blocks_where_nothing_is_said() -> None:
    release = made(recoding="mixed-centroid")
    assert recodings(release) == {"age": "centroid", "town": "generalize", "sex": "generalize"}
    assert release.certificate.cost.name == "mixed-loss"
    assert release.table["age"].dtype == pl.Float64


def test_one_column_of_centroids_makes_it_a_release_of_both_kinds() -> None:
    release = made(recoding="mixed", column_recodings={"sex": "centroid"})
    assert release.certificate.recoding == "mixed-centroid"
    assert recodings(release) == {"age": "range", "town": "generalize", "sex": "centroid"}
    again = made(recoding="mixed-centroid", column_recodings={"age": "range"})
    assert again.certificate.recoding == "mixed"


def test_the_loss_is_the_mean_over_the_columns() -> None:
    release = made(recoding="mixed-centroid", attribute_weights={"age": 2})
    lost = {one["name"]: one["loss"] for one in release.codebook["columns"] if "loss" in one}
    assert float(release.certificate.cost) == pytest.approx((2 * lost["age"] + lost["town"] + lost["sex"]) / 4)
    found = shoal.utility.measure(release, PEOPLE)
    assert {one.cost: one.value for one in found.costs}["mixed-loss"] == pytest.approx(float(release.certificate.cost))


@pytest.mark.parametrize(("column", "cell"), [("age", "22.5"), ("town", "Germany")])
def test_verify_finds_a_wrong_centroid_and_a_cell_that_does_not_cover(column: str, cell: str, tmp_path: Path) -> None:
    folder = made(recoding="mixed-centroid", require="k=4").save(tmp_path / "release")
    assert shoal.verify(folder, original=PEOPLE).passed
    table = pl.read_csv(folder / "public" / "table.csv", infer_schema=False)
    first = table.select(ASKED["quasi"]).row(0)
    of_class = pl.all_horizontal(pl.col(name) == shown for name, shown in zip(ASKED["quasi"], first, strict=True))
    changed = table.with_columns(pl.when(of_class).then(pl.lit(cell)).otherwise(column).alias(column))
    changed.write_csv(folder / "public" / "table.csv")
    reseal(folder)
    failures = shoal.verify(folder, original=PEOPLE).failures
    said = "show no centroid" if column == "age" else "do not cover"
    assert any(failure.endswith(("of the rows of their class", "the row they stand for")) for failure in failures)
    assert any(said in failure for failure in failures)


def test_attacks_look_for_the_nearest_mean_among_cells_that_cover() -> None:
    """A person is looked for among the classes whose groups hold them, by the distance of numbers there."""
    found = shoal.attack(made(recoding="mixed-centroid"), PEOPLE, attacks=["linkage", "homogeneity"])
    assert found.of("linkage")[0].after == 0
