from __future__ import annotations

import hmac
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.thorough import many

import shoal
import shoal.costs
from shoal.checking.centroid_cost import tells_centroid_cost
from shoal.checking.original_cost import tells_cost
from shoal.checking.published_cost import recomputed_cost
from shoal.core.discovery import discover
from shoal.core.errors import ReleaseError
from shoal.costs import Cost
from shoal.hierarchies.cell_forms import form_of
from shoal.release.certificate import Certificate, canonical, seal
from shoal.release.files import file_hash, manifest, public_config_hash
from shoal.release.release import Release
from shoal.release.release_view import Shown
from shoal.release.verification import verify
from shoal.studies.synth import QUASI, SENSITIVE, census, census_hierarchies
from shoal.tables.table import read
from shoal.tables.writers.base import formats
from shoal.tables.writing import write
from shoal.utility.losses import losses, republished

RECODINGS = ["suppress", "generalize", "range", "centroid"]
ORIGINAL = census(200, seed=2)
QUASIS = list(QUASI[:3])


def released(recoding: str = "generalize", **given: Any) -> Release:
    return shoal.anonymize(
        ORIGINAL,
        quasi=QUASIS,
        sensitive=SENSITIVE,
        other="rest",
        require="k=4 l(occupation)=2 t(income)=0.5",
        hierarchies={name: builder for name, builder in census_hierarchies().items() if name in QUASIS},
        recoding=recoding,
        **given,
    )


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One release in every format; tests change copies of it."""
    home = tmp_path_factory.mktemp("saved")
    made = released()
    return {format: made.save(home / format, format=format) for format in formats()}


@pytest.fixture
def folder(saved: dict[str, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved["csv"], tmp_path / "release"))


# What is whole passes


@pytest.mark.parametrize("format", formats())
@pytest.mark.parametrize("original", [None, ORIGINAL], ids=["alone", "with original"])
def test_a_release_passes(saved: dict[str, Path], format: str, original: pl.DataFrame | None) -> None:
    found = verify(saved[format], original=original)
    assert found.failures == []
    assert [note for note in found.not_checked if "lower bound" not in note] == []


@pytest.mark.parametrize("recoding", RECODINGS)
@pytest.mark.parametrize("star", ["*", "null"])
def test_every_recoding_passes(tmp_path: Path, recoding: str, star: str) -> None:
    assert (
        verify(released(recoding, star=star, method="mondrian").save(tmp_path / "out"), original=ORIGINAL).failures
        == []
    )


def test_the_original_may_be_a_file(saved: dict[str, Path], tmp_path: Path) -> None:
    write(ORIGINAL, tmp_path / "census.csv")
    assert verify(saved["csv"], original=tmp_path / "census.csv").passed


def test_the_public_part_alone_passes_and_says_what_was_not_looked_at(folder: Path) -> None:
    shutil.rmtree(folder / "internal")
    found = verify(folder)
    assert found.passed
    assert found.not_checked == ("the internal part is not here: its files were not checked",)


def test_a_certificate_from_before_the_trusted_base_was_stated_passes(folder: Path) -> None:
    path = folder / "public" / "certificate.json"
    content = {key: one for key, one in json.loads(path.read_text()).items() if key not in ("trusted_base", "seal")}
    path.write_text(canonical({**content, "seal": seal(content)}))
    (folder / "internal" / "manifest.json").write_text(canonical(manifest(folder)))
    assert verify(folder, original=ORIGINAL).failures == []


@pytest.mark.parametrize(
    "name",
    ["count", "len", "#row", "row", "cell", "value", "index", "literal", "a b", "a,b", '"q"', "x\ny", "é", "k=5"],
)
@pytest.mark.parametrize("role", ["quasi", "sensitive", "other"])
def test_any_name_of_a_column_can_be_published(tmp_path: Path, name: str, role: str) -> None:
    people = pl.DataFrame({name: [1, 2, 1, 2, 3, 3], "sex": list("mmffmf")})
    quasi = ["sex", name] if role == "quasi" else ["sex"]
    sensitive = [name] if role == "sensitive" else []
    made = shoal.anonymize(people, quasi=quasi, sensitive=sensitive, other="rest", require="k=2", recoding="range")
    assert verify(made.save(tmp_path / "out"), original=people).failures == []


TYPES: dict[str, pl.Series] = {
    "whole": pl.Series([9, 10, None, 9, 10, None]),
    "small": pl.Series([9, 10, None, 9, 10, None], dtype=pl.UInt8),
    "large": pl.Series([2**70, 3, None, 2**70, 3, None], dtype=pl.Int128),
    "real": pl.Series([0.1, 1e300, None, 0.1, 1e300, None]),
    "single": pl.Series([0.1, 1e30, None, 0.1, 1e30, None], dtype=pl.Float32),
    "exact": pl.Series([Decimal("9.50"), Decimal("10.25"), None] * 2),
    "day": pl.Series([date(999, 1, 1), date(2024, 2, 29), None] * 2),
    "moment": pl.Series([datetime(1969, 1, 1), datetime(2024, 2, 29, 1, 2, 3, 4), None] * 2),
    "coarse moment": pl.Series([datetime(1969, 1, 1), datetime(2024, 2, 29), None] * 2, dtype=pl.Datetime("ms")),
    "moment somewhere": pl.Series([datetime(1969, 1, 1, tzinfo=UTC), datetime(2024, 2, 29, tzinfo=UTC), None] * 2),
    "moment in Rome": pl.Series([datetime(1969, 7, 1), datetime(2024, 2, 29), None] * 2).dt.replace_time_zone(
        "Europe/Rome"
    ),
    "hour": pl.Series([time(9), time(10, 30), None] * 2),
    "truth": pl.Series([True, False, None] * 2),
    "text": pl.Series(["9", "10", None] * 2),
    "declared": pl.Series(["low", "high", None] * 2, dtype=pl.Enum(["never", "low", "mid, 'so'", "high"])),
}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("role", ["quasi", "sensitive", "other"])
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_any_type_of_a_column_can_be_published(tmp_path: Path, kind: str, role: str, format: str) -> None:
    people = pl.DataFrame({"x": TYPES[kind], "sex": list("mmffmf")})
    made = shoal.anonymize(
        people,
        quasi=["x"] if role == "quasi" else ["sex"],
        sensitive=["x"] if role == "sensitive" else [],
        other="rest",
        allow=["x"] if role != "quasi" else [],
        require="k=2 t(x)=1" if role == "sensitive" else "k=2",
        recoding="range",
    )
    assert made.table["x"].cast(pl.String).equals(people["x"].cast(pl.String))
    assert verify(made.save(tmp_path / "out", format=format), original=people).failures == []


# Damage

FILES = [
    "public/table.csv",
    "public/certificate.json",
    "public/codebook.json",
    "internal/config.json",
    "internal/decisions.json",
    "internal/manifest.json",
    "internal/original.json",
    "internal/prices.parquet",
    "internal/proof.json",
    "internal/rows.parquet",
]


def test_there_are_no_other_files(folder: Path) -> None:
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} == set(FILES)


def damaged_places(content: bytes) -> list[int]:
    """The ends, some white space, and some places by chance."""
    blanks = [place for place, byte in enumerate(content) if chr(byte).isspace()]
    others = random.Random(len(content)).sample(range(len(content)), min(many(8), len(content)))
    return sorted({0, len(content) - 1, *blanks[:2], *blanks[-2:], *others})


@pytest.mark.parametrize(
    ("format", "name"),
    [*((format, f"public/table.{format}") for format in formats()), *(("csv", name) for name in FILES[1:])],
)
def test_one_changed_byte_anywhere_is_refused(saved: dict[str, Path], tmp_path: Path, format: str, name: str) -> None:
    copied = Path(shutil.copytree(saved[format], tmp_path / "release"))
    path = copied / name
    content = path.read_bytes()
    for place in damaged_places(content):
        flipped = bytearray(content)
        flipped[place] ^= 1 << place % 8
        path.write_bytes(bytes(flipped))
        for original in (None, ORIGINAL):
            found = verify(copied, original=original)
            assert not found.passed, place
            assert found.failures


@pytest.mark.parametrize("format", formats())
def test_a_changed_byte_of_the_public_part_alone_is_refused(
    saved: dict[str, Path], tmp_path: Path, format: str
) -> None:
    copied = Path(shutil.copytree(saved[format] / "public", tmp_path / "release" / "public")).parent
    for path in sorted((copied / "public").iterdir()):
        content = path.read_bytes()
        for place in damaged_places(content):
            path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
            assert not verify(copied).passed, (path.name, place)
        path.write_bytes(content)
    assert verify(copied).passed


@pytest.mark.parametrize("content", [b"", b" ", b"[]\n", b"{}\n", b"5\n", b"null\n", b'"x"\n', b"\xff", b"[" * 10_000])
@pytest.mark.parametrize("name", FILES)
def test_a_file_replaced_by_something_else_is_refused(folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    assert not verify(folder, original=ORIGINAL).passed


def test_every_missing_file_is_refused_and_named(folder: Path) -> None:
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        content = path.read_bytes()
        path.unlink()
        for original in (None, ORIGINAL):
            found = verify(folder, original=original)
            assert not found.passed
            assert any(path.name in failure or "tables" in failure for failure in found.failures), path.name
        path.write_bytes(content)
    assert verify(folder).passed


@pytest.mark.parametrize(
    "name",
    ["public/readme.txt", "public/manifest.json", "public/deep/x", "internal/x.json", "x", "public/table.parquet"],
)
def test_an_added_file_is_refused(folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("{}")
    assert not verify(folder).passed


def test_what_is_no_release_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    for name in ("nowhere", "file", "empty"):
        with pytest.raises(ReleaseError, match="there is no release"):
            verify(tmp_path / name)


WRONG_ORIGINALS: dict[str, pl.DataFrame] = {
    "one cell": ORIGINAL.with_columns(age=pl.when(pl.int_range(200) == 7).then(pl.col("age") + 1).otherwise("age")),
    "other order": ORIGINAL.reverse(),
    "fewer rows": ORIGINAL.head(100),
    "more rows": pl.concat([ORIGINAL, ORIGINAL]),
    "another census": census(200, seed=3),
    "a column less": ORIGINAL.drop("birthplace"),
    "a column renamed": ORIGINAL.rename({"income": "salary"}),
    "another table": pl.DataFrame({"x": [1]}),
}


@pytest.mark.parametrize("case", WRONG_ORIGINALS)
def test_a_wrong_original_is_refused(saved: dict[str, Path], case: str) -> None:
    found = verify(saved["csv"], original=WRONG_ORIGINALS[case])
    assert "the original is the table the release was made from: the keyed hash differs" in found.failures


# Forgery: every hash, the seal and the manifest made right again


def reseal(folder: Path, **claims: object) -> None:
    """Do what a careful forger does after changing files: restate some claims and make all seals whole."""
    public, internal = folder / "public", folder / "internal"
    content = json.loads((public / "certificate.json").read_text()) | claims
    content["hashes"] = {
        "table": file_hash(public / "table.csv"),
        "codebook": file_hash(public / "codebook.json"),
        "config": public_config_hash(json.loads((internal / "config.json").read_text())),
    }
    del content["seal"]
    content |= {name: one for name, one in following(content).items() if name not in claims}
    (public / "certificate.json").write_text(canonical({**content, "seal": seal(content)}))
    (internal / "manifest.json").write_text(canonical(manifest(folder)))


def following(content: dict[str, Any]) -> dict[str, float | None]:
    """What follows from the rest of a certificate."""
    bound, cost, changed = content["lower_bound"], content["cost"]["value"], content["changed_cells"]
    share = None if changed is None else sum(changed.values()) / (content["rows"] * len(content["quasi"]))
    gap = None if bound is None or (bound == 0 and cost > 0) else cost / bound if bound else 1.0
    excess = None if gap is None else max(gap - 1, 0.0)
    saving = None if excess is None else excess / (1 + excess)
    return {"changed_share": share, "gap": gap, "excess_at_most": excess, "saving_at_most": saving}


def forge(folder: Path, change: Callable[[pl.DataFrame], pl.DataFrame], **claims: object) -> None:
    """Change the published table, keep its rows sorted, their originals beside them, and seal it."""
    path, rows = folder / "public" / "table.csv", folder / "internal" / "rows.parquet"
    table = pl.read_csv(path, infer_schema=False, schema_overrides={"income": pl.Int64})
    changed = change(table).with_columns(pl.read_parquet(rows)["row"]).sort(table.columns, nulls_last=True)
    changed.drop("row").write_csv(path)
    changed.select("row").write_parquet(rows)
    reseal(folder, **claims)


def set_cells(column: str, rows: list[int], cell: object) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda table: table.with_columns(
        pl.when(pl.int_range(pl.len()).is_in(rows)).then(pl.lit(cell)).otherwise(column).alias(column)
    )


def class_rows(folder: Path) -> list[list[int]]:
    """The rows of every class of the published table, the largest class first."""
    table = read(folder / "public" / "table.csv").frame.with_row_index("#")
    rows: list[list[int]] = table.group_by(QUASIS).agg("#")["#"].to_list()
    return sorted(rows, key=lambda members: (-len(members), members))


def test_a_careful_forger_keeps_a_true_release_true(folder: Path) -> None:
    forge(folder, lambda table: table)
    assert verify(folder, original=ORIGINAL).failures == []


def test_a_row_moved_out_of_its_crowd_is_refused(folder: Path) -> None:
    age = read(folder / "public" / "table.csv").frame["age"]
    forge(folder, set_cells("age", [int((age != "*").arg_true()[0])], "*"))
    failures = verify(folder).failures
    assert any("k=4 fails in" in failure for failure in failures)


def test_a_class_of_one_sensitive_value_is_refused(folder: Path) -> None:
    forge(folder, set_cells("occupation", class_rows(folder)[0], ORIGINAL["occupation"][0]))
    assert any("l(occupation)=2 fails in 1 classes" in failure for failure in verify(folder).failures)


def test_a_class_far_from_the_table_is_refused(folder: Path) -> None:
    forge(folder, set_cells("income", class_rows(folder)[-1], 245))
    assert any("t(income)=0.5 fails in 1 classes" in failure for failure in verify(folder).failures)


def test_a_coarser_cell_breaks_the_cost(folder: Path) -> None:
    table = read(folder / "public" / "table.csv").frame
    rows = next(rows for rows in class_rows(folder) if table["age"][rows[0]] != "*")
    forge(folder, set_cells("age", rows, "*"), classes=len(class_rows(folder)))
    assert any("the cost is that of the published cells" in failure for failure in verify(folder).failures)


LOADED = """
import sys
import shoal

assert not shoal.verify(sys.argv[1], original=sys.argv[2]).failures
print(*(module for module in sys.modules if module.startswith("shoal.")))
"""
MAKERS = ("bounds", "cells", "costs", "cube", "methods", "pipeline", "problem", "recode", "recoding", "risk")


def test_verification_loads_nothing_that_makes_releases_and_no_measure_of_risk(folder: Path, tmp_path: Path) -> None:
    ORIGINAL.write_parquet(tmp_path / "original.parquet")
    words = [sys.executable, "-c", LOADED, str(folder), str(tmp_path / "original.parquet")]
    loaded = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    assert not [module for module in loaded if module.removeprefix("shoal.").startswith(MAKERS)]


def test_a_finer_cell_is_refused_with_the_original_even_if_the_cost_is_restated(folder: Path) -> None:
    """The forger publishes a class as if all its people were 30, which most are not."""
    rows = class_rows(folder)[0]
    forge(folder, set_cells("age", rows, "30"))
    codebook = json.loads((folder / "public" / "codebook.json").read_text())
    codebook["columns"][0]["cells"].append({"cell": "30", "ncp": 0.0, "height": 0.0})
    (folder / "public" / "codebook.json").write_text(canonical(codebook))
    reseal(folder)
    certificate = Certificate.from_json((folder / "public" / "certificate.json").read_text())
    cost = recomputed_cost(pl.read_csv(folder / "public" / "table.csv", infer_schema=False), certificate, codebook)
    reseal(folder, cost={"name": "ncp", "value": cost})
    assert verify(folder).failures == []
    [failure] = verify(folder, original=ORIGINAL).failures
    assert failure.endswith(f"{len(rows)} rows do not cover the row they stand for")


def test_an_altered_sensitive_cell_is_refused_with_the_original(folder: Path) -> None:
    table = read(folder / "public" / "table.csv").frame
    rows = class_rows(folder)[0][:2]
    swapped = table["marital"].to_list()
    swapped[rows[0]] = "Married" if swapped[rows[0]] != "Married" else "Single"
    forge(folder, lambda published: published.with_columns(marital=pl.Series(swapped)))
    assert verify(folder).failures == []
    assert verify(folder, original=ORIGINAL).failures == [
        "sensitive and other cells are unaltered: columns 'marital' were altered"
    ]


@pytest.mark.parametrize(
    "rows",
    [
        np.arange(200, dtype=np.int64),
        np.zeros(200, dtype=np.int64),
        np.arange(100, dtype=np.int64),
        np.arange(1000, 1200, dtype=np.int64),
    ],
    ids=["other rows", "one row", "fewer rows", "rows that are not there"],
)
def test_rows_that_stand_for_others_are_refused_with_the_original(folder: Path, rows: np.ndarray[Any, Any]) -> None:
    pl.DataFrame({"row": rows}).write_parquet(folder / "internal" / "rows.parquet")
    reseal(folder)
    assert any("every published row covers" in failure for failure in verify(folder, original=ORIGINAL).failures)


@pytest.mark.parametrize(
    "claims",
    [
        {"classes": 3},
        {"rows": 199},
        {"dropped": 1},
        {"cost": {"name": "ncp", "value": 0.001}},
        {"cost": {"name": "stars", "value": 0.0}},
        {"require": "k=5"},
        {"require": "k=nonsense"},
        {"quasi": QUASIS[:2]},
        {"quasi": [*QUASIS, "income"], "sensitive": ["occupation"]},
        {"models": []},
        {"models": [{"name": "k", "attribute": None, "asked": 4.0, "reached": 9.0}]},
    ],
    ids=str,
)
def test_a_false_claim_under_a_whole_seal_is_refused(folder: Path, claims: dict[str, object]) -> None:
    reseal(folder, **claims)
    assert not verify(folder).passed


def test_rows_in_another_order_are_refused(folder: Path) -> None:
    path = folder / "public" / "table.csv"
    head, *rows = path.read_text().splitlines()
    path.write_text("\n".join([head, *reversed(rows)]) + "\n")
    reseal(folder)
    assert verify(folder).failures == [
        "the rows are sorted by their published cells: their order may reveal the original order"
    ]


@pytest.mark.parametrize(
    "kind", ["Int64", "Boolean", "Nonsense", "read_csv", "__import__('os')", "(", "Enum(categories=5)"]
)
def test_a_false_type_under_a_whole_seal_is_refused(folder: Path, kind: str) -> None:
    codebook = json.loads((folder / "public" / "codebook.json").read_text())
    codebook["columns"][0]["type"] = kind
    (folder / "public" / "codebook.json").write_text(canonical(codebook))
    reseal(folder)
    assert not verify(folder).passed


def test_a_request_other_than_the_certified_one_is_refused(folder: Path) -> None:
    path = folder / "internal" / "config.json"
    path.write_text(canonical(json.loads(path.read_text()) | {"recoding": "range"}))
    (folder / "internal" / "manifest.json").write_text(canonical(manifest(folder)))
    assert verify(folder).failures == ["the request is the one the certificate states: the hash of the request differs"]


# The cost


WEIGHTS: list[dict[str, float]] = [{}, {"age": 3, "race": 0.5}]
MEASURED = [
    (name, recoding, weights)
    for name, kind in discover(shoal.costs, Cost).items()
    for recoding in kind.recodings()
    for weights in WEIGHTS[: 1 + kind.takes_weights]
]


NEEDS_THE_ORIGINAL = (
    *("kl-divergence", "entropy", "non-uniform-entropy", "normalized-entropy"),
    *("squared-error", "centroid-error", "mixed-loss", "ambiguity", "uniform-entropy", "publisher-payout", "arx-loss"),
)
"""Costs that compare with the original's frequencies, or count its values, which are not published."""
NOT_COMPUTED_ANEW = ("kl-divergence", "squared-error")
"""Those of them that the checker has no formula of its own for, with the original either: `verify` says so."""
METHODS = {"full-domain": "full-domain", "single-dimensional": "tds"}
"""The method of recodings that are not formed class by class."""


WITH_PARAMETERS = [
    ("publisher-payout:gain=40,cost=3,benefit=7,penalty=2", "generalize"),
    ("level-loss:race=0/0.3,gender=0/2", "suppress"),
    ("arx-loss:gs=0.2", "full-domain"),
    ("arx-loss:gs=0.8,aggregate=arithmetic", "full-domain"),
    ("arx-loss:gs=1,aggregate=maximum", "full-domain"),
    ("arx-loss:gs=0.3,aggregate=rank", "full-domain"),
]


@pytest.mark.parametrize(("cost", "recoding"), WITH_PARAMETERS)
def test_a_cost_with_parameters_is_recomputed_and_measured_again(cost: str, recoding: str, tmp_path: Path) -> None:
    made = shoal.anonymize(
        ORIGINAL,
        quasi=["age", "gender", "race"],
        sensitive=["marital"],
        leave_out="rest",
        require="k=3",
        recoding=recoding,
        cost=cost,
        method=METHODS.get(recoding, "mondrian"),
        max_suppressed=0.1 if recoding == "full-domain" else 0,
    )
    folder = made.save(tmp_path / "release")
    found = verify(folder, original=ORIGINAL)
    assert found.passed
    assert any("the cost is" in check.what for check in found.checks)
    again = {one.cost: one.value for one in losses(Shown.of(made), republished(Shown.of(made), ORIGINAL))}
    assert again[cost.partition(":")[0]] == pytest.approx(float(made.certificate.cost), rel=1e-9)
    assert json.loads((folder / "internal" / "config.json").read_text())["cost"].startswith(cost.partition(",")[0])


@pytest.mark.parametrize(("cost", "recoding", "weights"), MEASURED, ids=str)
@pytest.mark.parametrize("max_dropped", [0, 0.4], ids=["all rows", "rows dropped"])
def test_the_recomputed_cost_is_the_certified_one(
    cost: str, recoding: str, weights: dict[str, float], max_dropped: float, tmp_path: Path
) -> None:
    crowded = ORIGINAL.with_columns(race=pl.when(pl.int_range(200) < 120).then(pl.lit("White")).otherwise("race"))
    own = "distinct-l(marital)=1" if recoding == "anatomy" else "k=3"
    made = shoal.anonymize(
        crowded,
        quasi=["age", "gender", "race"],
        sensitive=["marital"],
        leave_out="rest",
        require=" ".join([own, "l(marital)=2.5"] if max_dropped else [own]),
        recoding=recoding,
        cost=cost,
        method=METHODS.get(recoding, "mondrian"),
        attribute_weights=weights,
        max_dropped=max_dropped,
    )
    assert (made.certificate.dropped > 0) == bool(max_dropped)
    if cost in NEEDS_THE_ORIGINAL:
        known = tells_cost(cost, form_of(recoding)) or tells_centroid_cost(made.codebook, form_of(recoding))
        assert known == (cost not in NOT_COMPUTED_ANEW)
        found = verify(made.save(tmp_path / "release"), original=crowded)
        assert found.passed
        assert known == any("over the original" in check.what for check in found.checks)
        assert known != any("cannot be recomputed" in note for note in found.not_checked)
    value = recomputed_cost(made.table, made.certificate, dict(made.codebook), made.tables.get("sensitive"))
    if cost in NEEDS_THE_ORIGINAL:
        assert value is None
    else:
        assert value == pytest.approx(float(made.certificate.cost), rel=1e-9)


def test_a_release_whose_original_was_hashed_as_csv_still_verifies(tmp_path: Path) -> None:
    people = pl.DataFrame({"age": [25, 25, None, None], "illness": ["flu", "gout", "flu", "*"]})
    folder = shoal.anonymize(people, quasi=["age"], sensitive=["illness"], require="k=2").save(tmp_path / "out")
    key = "ab" * 32
    digest = hmac.new(bytes.fromhex(key), people.write_csv().encode(), "sha256").hexdigest()
    stated = {"algorithm": "HMAC-SHA256 of the table as CSV", "key": key, "digest": digest}
    (folder / "internal" / "original.json").write_text(canonical(stated))
    (folder / "internal" / "manifest.json").write_text(canonical(manifest(folder)))
    assert shoal.verify(folder, original=people).passed
    assert not shoal.verify(folder, original=people.reverse()).passed
