"""Real tables of people, where they are at hand: they lie beside the repository and are not part of it."""

from __future__ import annotations

import json
from math import ceil, floor
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.release.release import Release
from shoal.tables.table import Table, read

DATA = Path(__file__).parents[2] / "shared" / "data"
PEERS = DATA / "peer_outputs"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="there is no ../shared/data beside the repository")

ADULT = DATA / "adult" / "adult_30162.csv.gz"
QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]


def adult(require: str, **given: Any) -> Release:
    return shoal.anonymize(
        ADULT,
        quasi=QUASI,
        sensitive=["occupation"],
        leave_out="rest",
        require=require,
        **{"method": "mondrian", "recoding": "range", **given},
    )


def roles_of(name: str) -> dict[str, list[str]]:
    roles: dict[str, list[str]] = json.loads((DATA / name / "roles.json").read_text())["roles"]
    return roles


# Adult


def test_adult_with_k_5_loses_little_and_drops_nobody() -> None:
    certificate = adult("k=5").certificate
    assert (certificate.rows, certificate.dropped, certificate.cost.name) == (30162, 0, "ncp")
    assert certificate.cost <= 0.020
    assert certificate.classes >= 2700


def test_adult_with_3_diversity_loses_little_more() -> None:
    certificate = adult("k=5 distinct-l(occupation)=3").certificate
    assert (certificate.rows, certificate.dropped) == (30162, 0)
    assert certificate.cost <= 0.022
    assert [model["reached"] for model in certificate.models] == [5.0, 3.0]


def test_adult_is_generalized_along_the_hierarchies_that_come_with_it(tmp_path: Path) -> None:
    files = {name: DATA / "adult" / "hierarchies" / f"adult_hierarchy_{name}.csv" for name in QUASI}
    release = adult("k=5", hierarchies=files, recoding="generalize")
    for name in QUASI:
        lines = files[name].read_text(encoding="utf-8").splitlines()
        declared = {label for line in lines for label in line.split(";")}
        assert set(release.table[name].cast(pl.String)) <= declared | {"*"}
    assert release.certificate.classes > 1000
    assert shoal.verify(release.save(tmp_path / "out"), original=ADULT).failures == []


@pytest.mark.parametrize("recoding", ["suppress", "range"])
def test_a_release_of_adult_is_verified_from_its_files(tmp_path: Path, recoding: str) -> None:
    release = adult("k=5 l(occupation)=2 t(occupation)=0.5", recoding=recoding)
    found = shoal.verify(release.save(tmp_path / "out", format="parquet"), original=ADULT)
    assert found.failures == []


# Missing values


def test_missing_values_of_nhanes_are_values_like_others(tmp_path: Path) -> None:
    roles, path = roles_of("nhanes"), DATA / "nhanes" / "nhanes_raw.csv.gz"
    quasi = roles["quasi_identifiers"]
    release = shoal.anonymize(
        path,
        quasi=quasi,
        sensitive=roles["sensitive"],
        identifiers=roles["identifiers"],
        leave_out="rest",
        allow=roles["sensitive"],
        require="k=5",
        method="mondrian",
        recoding="range",
    )
    found = shoal.audit(release.table, quasi=quasi, sensitive=roles["sensitive"], require="k=5")
    assert (found.rows, found.holds, found.classes) == (20293, True, release.certificate.classes)
    shown = {column["name"]: column["missing"] for column in release.codebook["columns"]}
    assert shown == {name: release.table[name].null_count() for name in release.table.columns}
    assert sum(shown[name] for name in quasi) > 0
    assert shoal.verify(release.save(tmp_path / "out", format="parquet"), original=path).failures == []


@pytest.mark.parametrize(
    "name",
    sorted(path.parent.name for path in DATA.glob("*/roles.json") if "covid" not in str(path)) or ["none"],
)
def test_the_classes_of_every_table_are_counted_as_a_plain_count_does(name: str) -> None:
    """Values compared as text, an empty cell as a value of its own: as the files beside the tables were measured."""
    stated = json.loads((DATA / name / "roles.json").read_text())
    measured = stated["measured_on_main_with_suggested_quasi_identifiers"]
    table = read(DATA / name / stated["main"], separator=stated.get("sep"))
    found = shoal.audit(table, quasi=stated["roles"]["quasi_identifiers"], require="k=1")
    assert (found.rows, found.classes, found.unique_rows, found.smallest_class) == (
        measured["rows"],
        measured["classes"],
        measured["unique_records"],
        measured["k"],
    )


# What other tools published

PUBLISHED: dict[str, dict[str, Any]] = (
    json.loads((PEERS / "expected.json").read_text())["files"] if PEERS.is_dir() else {"none": {}}
)


@pytest.mark.parametrize("name", PUBLISHED)
def test_an_audit_of_what_others_published_finds_what_they_measured(name: str) -> None:
    """k, distinct l, the largest share of one value (1 / l by frequency), t and basic beta, as pycanon measures them.

    Conventions agree for these: t is the ordered distance of a column of numbers (Score) and the equal distance of
    a column of texts, which are the default distances here too. Where they differ, the audit also gives pycanon's:

    - enhanced beta-likeness: pycanon takes min(largest gain, largest -ln p), which no class can exceed;
    - delta-disclosure: pycanon takes the natural logarithm and leaves out the values that a class lacks;

    or what pycanon states is worked out from its convention:

    - entropy l: pycanon takes the whole part of a floating-point number, and so may say one less for a whole number;
    - recursive (c,l): pycanon sorts the counts of a class the other way round, so that it compares the rarest value
      with the commoner ones, and raises the ratio to the next whole number.
    """
    stated, path = PUBLISHED[name], PEERS / name
    [sensitive] = stated["sensitive"]
    table: object = path
    if name == "anjana/adult_k10.csv.gz":  # its first column, an index, has no name, which is refused
        table = pl.read_csv(path).rename({"": "place"})
    found = shoal.audit(table, quasi=stated["quasi_identifiers"], sensitive=[sensitive])
    reached = {finding.name: finding.reached for finding in found.findings}
    also = {finding.name: [*finding.also.values()] for finding in found.findings}
    assert (found.rows, found.classes) == (stated["rows"], stated["classes"])
    assert (reached["k"], reached["distinct-l"]) == (stated["k"], stated["l_distinct"])
    assert reached["l"] == pytest.approx(1 / stated["alpha"], rel=1e-12)
    assert reached["t"] == pytest.approx(stated["t"], rel=1e-12)
    assert reached["beta"] == pytest.approx(stated["basic_beta"], rel=1e-12)
    assert also["enhanced-beta"] == pytest.approx([stated["enhanced_beta"]], rel=1e-12)
    assert also["delta"] == pytest.approx([stated["delta_disclosure"]], rel=1e-12)
    entropy = reached["entropy-l"]
    assert isinstance(entropy, float)
    assert stated["l_entropy_floor"] in (floor(entropy), ceil(entropy) - 1)
    assert recursive_c_of_pycanon(table, stated["quasi_identifiers"], sensitive) == stated["recursive_c"]


def recursive_c_of_pycanon(table: object, quasi: list[str], sensitive: str) -> float | None:
    """Return 1 + the whole part of the worst (rarest / l-th rarest and commoner); None where l is 1."""
    counted = Table.of(table).frame.group_by([*quasi, sensitive]).len("count").group_by(quasi).agg("count")
    rising = [sorted(counts) for counts in counted["count"].to_list()]
    values = min(map(len, rising))
    return 1.0 + max(counts[0] // sum(counts[values - 1 :]) for counts in rising) if values > 1 else None
