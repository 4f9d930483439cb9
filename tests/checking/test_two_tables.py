"""Releases of two tables: published, written, read back, audited and verified, true ones and forged ones."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.cli.command import settle
from tests.cli.command import shoal as command
from tests.tables.exact_formats import EXACT_FORMATS

import shoal
from shoal.core.errors import RoleError, ShoalError, TableError, Unsupported
from shoal.release.certificate import Certificate, canonical, seal
from shoal.release.files import file_hash, manifest, public_config_hash
from shoal.release.release import Release
from shoal.release.release_reader import Opened
from shoal.release.verification import verify
from shoal.studies.synth import census
from shoal.tables.table import TABLE
from shoal.tables.writing import write

ORIGINAL = census(120, seed=2).with_columns(count=pl.int_range(120) % 7)
QUASI = ["age", "gender"]
REQUIRE = "l(occupation)=3 distinct-l(income)=2"


def released(require: str = REQUIRE, **given: Any) -> Release:
    asked = {"quasi": QUASI, "sensitive": ["occupation", "income"], "recoding": "anatomy", "other": "rest", **given}
    return shoal.anonymize(ORIGINAL, require=require, **asked)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released().save(tmp_path_factory.mktemp("saved") / "out")


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "release"))


# --- what is published -----------------------------------------------------------------------------------------------


def test_the_tables_have_their_columns_and_nothing_else() -> None:
    made = released()
    other = [name for name in ORIGINAL.columns if name not in (*QUASI, "occupation", "income")]
    assert made.tables[TABLE].columns == [*QUASI, *other, "group"]
    assert made.tables["sensitive"].columns == ["group", "occupation", "income", "count_2"]
    assert made.table is made.tables[TABLE]
    assert made.codebook["names"] == {"group": "group", "count": "count_2"}
    assert [column["role"] for column in made.codebook["tables"]["sensitive"]] == [
        *("group", "sensitive", "sensitive", "count"),
    ]
    assert "two tables: column 'group' numbers the groups, column 'count_2' counts their rows" in made.decisions


def test_nothing_but_the_group_is_added_to_the_people() -> None:
    made = released()
    assert made.table.drop("group").equals(ORIGINAL.select(made.table.drop("group").columns))
    assert sorted(set(made.table["group"])) == list(range(1, len(made.classes) + 1))


def test_the_certificate_says_what_two_tables_are() -> None:
    content = released().certificate.content()
    assert (content["recoding"], content["cost"]["name"]) == ("anatomy", "reconstruction")
    assert any("both tables have the same groups" in line for line in content["checked_by_machine"])
    assert any("is no secret" in line for line in content["vouched_for_by_the_owner"])


# --- written and read back -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("neutralise", [False, True])
@pytest.mark.parametrize("format", [*EXACT_FORMATS, "xlsx"])
def test_every_format_is_written_and_read_back(tmp_path: Path, format: str, neutralise: bool) -> None:
    odd = {
        "day": [date(1890, 1, 1), None, date(2020, 2, 29), date(2020, 2, 29)],
        "text": ["*", "", "=1+1", None],
        "ill": ["*", "-1", None, "*"],
        "group": [True, False, None, True],
    }
    made = shoal.anonymize(odd, quasi=["day", "text"], sensitive=["ill"], other="group", require="l(ill)=2",
                           method="anatomy", neutralise=neutralise)  # fmt: skip
    folder = made.save(tmp_path / "out", format=format)
    assert sorted(path.name for path in (folder / "public").iterdir()) == [
        *("certificate.json", "codebook.json", f"sensitive.{format}", f"table.{format}"),
    ]
    opened = Opened.of(folder, None)
    for name, table in made.tables.items():
        assert opened.tables[name].equals(table.sort(table.columns, nulls_last=True))
    assert verify(folder, original=odd).failures == []


def test_the_public_part_alone_is_verified(folder: Path) -> None:
    shutil.rmtree(folder / "internal")
    found = verify(folder)
    assert found.passed
    assert "both" not in "".join(found.not_checked)


@pytest.mark.parametrize("star", ["*", "null"])
@pytest.mark.parametrize("method", ["anatomy", "mondrian"])
def test_a_release_is_verified_with_and_without_the_original(tmp_path: Path, method: str, star: str) -> None:
    made = released("l(occupation)=3", method=method, star=star)
    folder = made.save(tmp_path / "out")
    assert verify(folder).failures == []
    found = verify(folder, original=ORIGINAL)
    assert found.failures == []
    assert [check.what for check in found.checks][-3:] == [
        "quasi-identifiers and other cells are unaltered",
        "every group has the sensitive values of its people",
        "the number of changed cells is as stated",
    ]


def test_dropped_rows_are_verified_too(tmp_path: Path) -> None:
    people = {"age": list(range(5)), "ill": ["flu"] * 3 + ["gout", "cold"]}
    made = shoal.anonymize(people, quasi="age", sensitive="ill", require="l(ill)=2", method="anatomy", max_dropped=0.2)
    assert (made.certificate.dropped, made.table.height) == (1, 4)
    assert verify(made.save(tmp_path / "out"), original=people).failures == []


# --- tampering -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["table.csv", "sensitive.csv"])
@pytest.mark.parametrize("place", [0, 0.5, 1])
def test_one_changed_byte_of_either_table_is_refused(folder: Path, name: str, place: float) -> None:
    path = folder / "public" / name
    content = bytearray(path.read_bytes())
    content[int(place * (len(content) - 1))] ^= 1
    path.write_bytes(bytes(content))
    failures = verify(folder).failures
    assert any(f"public/{name}" in failure for failure in failures)
    assert any(failure.endswith(f"{path.stem} differ from the certificate") for failure in failures)


@pytest.mark.parametrize("name", ["table.csv", "sensitive.csv"])
def test_a_table_that_is_gone_is_missed(folder: Path, name: str) -> None:
    (folder / "public" / name).unlink()
    assert not verify(folder).passed


def test_the_seals_of_the_public_part_suffice(folder: Path) -> None:
    shutil.rmtree(folder / "internal")
    path = folder / "public" / "sensitive.csv"
    path.write_text(path.read_text().replace("\n1,", "\n2,", 1))
    assert verify(folder).failures == ["the table is the sealed one: sensitive differ from the certificate"]


def reseal(folder: Path, **claims: object) -> None:
    """Do what a careful forger does after changing files: restate some claims and make all seals whole."""
    public, internal = folder / "public", folder / "internal"
    content = json.loads((public / "certificate.json").read_text()) | claims
    content["hashes"] = {
        "table": file_hash(public / "table.csv"),
        "sensitive": file_hash(public / "sensitive.csv"),
        "codebook": file_hash(public / "codebook.json"),
        "config": public_config_hash(json.loads((internal / "config.json").read_text())),
    }
    del content["seal"]
    (public / "certificate.json").write_text(canonical({**content, "seal": seal(content)}))
    (internal / "manifest.json").write_text(canonical(manifest(folder)))


def forge(folder: Path, name: str, change: Callable[[pl.DataFrame], pl.DataFrame], **claims: object) -> None:
    """Change one of the tables and seal it; the rows of the people keep their originals beside them."""
    path, rows = folder / "public" / f"{name}.csv", folder / "internal" / "rows.parquet"
    table = Opened.of(folder, None).tables[name]
    changed = change(table.with_columns(pl.read_parquet(rows)["row"]) if name == TABLE else table)
    changed = changed.sort(table.columns, nulls_last=True)
    changed.select(table.columns).write_csv(path)
    if name == TABLE:
        changed.select("row").write_parquet(rows)
    reseal(folder, **claims)


def first_of(table: pl.DataFrame, column: str, cell: object) -> pl.DataFrame:
    return table.with_columns(pl.when(pl.int_range(pl.len()) == 0).then(pl.lit(cell)).otherwise(column).alias(column))


def test_a_careful_forger_keeps_a_true_release_true(folder: Path) -> None:
    forge(folder, TABLE, lambda table: table)
    forge(folder, "sensitive", lambda table: table)
    assert verify(folder, original=ORIGINAL).failures == []


@pytest.mark.parametrize(
    ("name", "column", "cell", "why"),
    [
        ("sensitive", "count_2", 2, "1 groups have another number of rows than of sensitive values"),
        ("sensitive", "count_2", 10**12, "1 groups have another number of rows than of sensitive values"),
        ("sensitive", "count_2", -1, "column 'count_2' does not count rows"),
        ("sensitive", "group", 2, "2 groups have another number of rows than of sensitive values"),
        ("sensitive", "group", 10_000, "2 groups have another number of rows than of sensitive values"),
        (TABLE, "group", 10_000, "2 groups have another number of rows than of sensitive values"),
    ],
)
def test_tables_that_do_not_fit_are_refused(folder: Path, name: str, column: str, cell: int, why: str) -> None:
    forge(folder, name, lambda table: first_of(table, column, cell))
    [failure] = [one for one in verify(folder).failures if "audit" in one]
    assert why in failure


def test_a_group_that_gives_its_value_away_is_refused(folder: Path) -> None:
    def one_value(table: pl.DataFrame) -> pl.DataFrame:
        some = pl.col("occupation").first().over("group")
        return table.with_columns(occupation=pl.when(pl.col("group") == 1).then(some).otherwise("occupation"))

    forge(folder, "sensitive", one_value)
    assert any("l(occupation)=3 fails in 1 classes" in failure for failure in verify(folder).failures)


def test_two_people_who_change_groups_are_refused_with_the_original(folder: Path) -> None:
    values = ORIGINAL["occupation"]

    def exchange(table: pl.DataFrame) -> pl.DataFrame:
        one = table.row(0, named=True)
        apart = (pl.col("group") != one["group"]) & (values.gather(table["row"]) != values[one["row"]])
        other = table.filter(apart).row(0, named=True)
        swap = {one["row"]: other["group"], other["row"]: one["group"]}
        return table.with_columns(group=pl.col("row").replace_strict(swap, default=pl.col("group")))

    forge(folder, TABLE, exchange)
    assert verify(folder).failures == []
    assert verify(folder, original=ORIGINAL).failures == [
        "every group has the sensitive values of its people: 2 groups do not have the values of their people"
    ]


def test_an_altered_quasi_identifier_is_refused_with_the_original(folder: Path) -> None:
    forge(folder, TABLE, lambda table: first_of(table, "age", 99))
    assert verify(folder).failures == []
    failures = verify(folder, original=ORIGINAL).failures
    assert any("columns 'age' were altered" in failure for failure in failures)


def test_a_star_hides_no_quasi_identifier(tmp_path: Path) -> None:
    people = {"town": ["a", "b", "c", "d"], "ill": ["flu", "gout"] * 2}
    made = shoal.anonymize(people, quasi="town", sensitive="ill", require="l(ill)=2", method="anatomy")
    folder = made.save(tmp_path / "out")
    forge(folder, TABLE, lambda table: first_of(table, "town", "*"))
    assert any("columns 'town' were altered" in failure for failure in verify(folder, original=people).failures)


@pytest.mark.parametrize("claims", [{"cost": {"name": "reconstruction", "value": 0.1}}, {"classes": 3}, {"rows": 7}])
def test_claims_that_the_tables_do_not_bear_out_are_refused(folder: Path, claims: dict[str, Any]) -> None:
    reseal(folder, **claims)
    assert not verify(folder).passed


def test_an_unsorted_second_table_is_refused(folder: Path) -> None:
    path = folder / "public" / "sensitive.csv"
    head, *lines = path.read_text().splitlines()
    path.write_text("\n".join([head, *reversed(lines)]) + "\n")
    reseal(folder)
    assert any("sorted" in failure for failure in verify(folder).failures)


@pytest.mark.parametrize("recoding", ["suppress", "range"])
def test_two_tables_are_not_called_one(folder: Path, recoding: str) -> None:
    reseal(folder, recoding=recoding)
    assert any("the tables are not those of the recoding" in failure for failure in verify(folder).failures)


@pytest.mark.parametrize("key", ["tables", "names", "columns"])
def test_a_codebook_that_lacks_something_is_refused_and_hurts_nobody(folder: Path, key: str) -> None:
    path = folder / "public" / "codebook.json"
    path.write_text(canonical({name: value for name, value in json.loads(path.read_text()).items() if name != key}))
    reseal(folder)
    assert not verify(folder, original=ORIGINAL).passed


def test_a_name_of_a_table_leads_nowhere_else(folder: Path) -> None:
    path = folder / "public" / "certificate.json"
    content = json.loads(path.read_text())
    content["hashes"]["../../secret"] = "0"
    del content["seal"]
    path.write_text(canonical({**content, "seal": seal(content)}))
    certificate = Certificate.from_json(path.read_text())
    assert "../../secret" in certificate.hashes
    assert all(file.parent == folder / "public" for file in Opened.of(folder, None).paths.values())
    assert not verify(folder).passed


# --- the audit of any two tables -------------------------------------------------------------------------------------

PEOPLE = {"age": [20, 30, 40, 50, 60], "group": ["a", "a", "b", "b", "b"]}
VALUES = {"group": ["a", "a", "b", "b"], "ill": ["flu", "gout", "flu", None], "count": [1, 1, 2, 1]}


def audited(people: Any = None, values: Any = None, **asked: Any) -> shoal.Audit:
    given = {"quasi": "age", "sensitive": "ill", "sensitive_table": values or VALUES, **asked}
    return shoal.audit(people or PEOPLE, **given)


def test_groups_are_the_classes_and_counts_their_histograms() -> None:
    found = audited(require="l(ill)=2 distinct-l(ill)=2")
    assert (found.rows, found.classes, found.smallest_class, found.largest_class) == (5, 2, 2, 3)
    assert [(one.reached, one.holds, one.failing_rows) for one in found.findings] == [(1.5, False, 3), (2.0, True, 0)]
    assert found.violations.tolist() == [2, 3, 4]


def test_without_a_requirement_every_model_of_sensitive_values_is_measured() -> None:
    names = {finding.name for finding in audited().findings}
    assert {"l", "t", "entropy-l"} <= names
    assert not names & {"k", "kmap", "presence", "nt"}


def test_columns_may_have_any_names() -> None:
    people = {"age": [1, 2], "set": [7, 7]}
    values = {"set": [7, 7], "ill": ["flu", "gout"], "times": [1, 1]}
    assert audited(people, values, group="set", count="times", require="l(ill)=2").holds


@pytest.mark.parametrize(
    ("people", "values", "asked", "kind", "words"),
    [
        (None, None, {"require": "k=2"}, Unsupported, "k=2 cannot be met by two tables"),
        (None, None, {"require": "l(age)=2"}, RoleError, "reads 'age'"),
        (None, None, {"group": "set"}, RoleError, "there is no column 'set' in one of the two tables"),
        (None, None, {"count": "times"}, RoleError, "there is no column 'times'"),
        (None, None, {"sensitive": "drug"}, RoleError, "no column 'drug'"),
        (None, None, {"quasi": "town"}, RoleError, "no column 'town'"),
        ({**PEOPLE, "ill": ["flu"] * 5}, None, {}, RoleError, "the sensitive column 'ill' is in both tables"),
        ({**PEOPLE, "group": ["a"] * 5}, None, {}, TableError, "2 groups have another number of rows"),
        ({**PEOPLE, "group": [1, 1, 2, 2, 2]}, None, {}, TableError, "'group' is of another type"),
        (None, {**VALUES, "count": [1, 1, 2, 0]}, {}, TableError, "'count' does not count rows"),
        (None, {**VALUES, "count": [1, 1, 2, None]}, {}, TableError, "'count' does not count rows"),
        (None, {**VALUES, "count": ["1", "1", "2", "x"]}, {}, TableError, "'count' does not count rows"),
    ],
)
def test_tables_that_cannot_be_audited_are_refused(
    people: Any, values: Any, asked: dict[str, Any], kind: type[ShoalError], words: str
) -> None:
    with pytest.raises(kind, match=words):
        audited(people, values, **asked)


# --- the command line ------------------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return settle(tmp_path, monkeypatch)


ASKED = ["--quasi=age,gender", "--sensitive=occupation", "--require=l(occupation)=3"]
REST = "--leave-out=rest"


@pytest.mark.parametrize("option", ["--method=anatomy", "--recoding=anatomy"])
def test_a_release_of_two_tables_is_made_and_checked_on_the_command_line(home: Path, option: str) -> None:
    made = command("anonymize", "census.csv", "-o", "out", *ASKED, REST, option)
    assert (made.code, made.err) == (0, "")
    assert "anatomy, recoding anatomy" in made.out
    assert "(reconstruction)" in made.out
    assert command("verify", "out", "--original", "census.csv").code == 0
    both = ["out/public/table.csv", "--sensitive-table=out/public/sensitive.csv"]
    assert command("audit", *both, *ASKED).code == 0
    assert command("audit", *both, *ASKED[:2], "--require=l(occupation)=50").code == 1


def test_a_release_folder_is_audited_by_what_it_says_of_itself(home: Path) -> None:
    command("anonymize", "census.csv", "-o", "two", *ASKED, REST, "--recoding=anatomy")
    command("anonymize", "census.csv", "-o", "one", *ASKED, REST, "--recoding=range")
    for folder in ("one", "two"):
        found = command("audit", folder)
        assert (found.code, found.err) == (0, "")
        assert "l(occupation)=3" in found.out
        assert command("audit", folder, "--require=distinct-l(occupation)=60").code == 1
    refused = command("audit", "two", "--separator=;")
    assert (refused.code, "--separator is given with a release folder" in refused.err) == (2, True)


def test_what_two_tables_cannot_give_is_refused_in_words(home: Path) -> None:
    refused = command("anonymize", "census.csv", "-o", "out", *ASKED[:2], REST, "--require=k=5", "--recoding=anatomy")
    assert refused.code == 2
    assert "everybody can see who is in the table" in refused.err
    assert not (home / "out").exists()


def test_a_table_without_quasi_identifiers_is_refused(home: Path) -> None:
    write(pl.DataFrame(PEOPLE), home / "people.csv")
    refused = command("audit", "people.csv")
    assert (refused.code, "--quasi is not given" in refused.err) == (2, True)
