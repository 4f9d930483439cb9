"""Equal values that are spelt differently: one value to every model, in every file; alike ones are told of."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.command import shoal as command
from tests.tables.csv_bytes import read_csv

import shoal
from shoal.core.errors import RoleError
from shoal.tables.spelling import (
    NUMBER,
    alike_keys,
    equal_keys,
    infer,
    number_keys,
    one_spelling,
    spelling_notes,
    unified,
)
from shoal.tables.table import Table, read, read_by_disk
from shoal.utility.report import measure

SPELT = ["1000", "1000.0", "1000.00"]
"""One salary in three spellings."""
ALIKE = {
    "spaces": ["Oslo", " Oslo", "Oslo  ", "Oslo\u00a0"],
    "doubled spaces": ["New York", "New  York", "New\u2009York"],
    "case": ["Oslo", "OSLO", "oslo"],
    "Unicode form": ["Ålesund", "A\u030alesund"],
    "full width": ["12 A", "\uff11\uff12 A"],
    "full-width digits": ["1000", "\uff11\uff10\uff10\uff10"],
    "nothing to see": ["Oslo", "Os\u200blo"],
    "leading zeros": ["007", "7"],
    "dates": ["2020-01-05", "5 Jan 2020", "05.01.2020", "January 5, 2020", "2020/1/5"],
    "months": ["2020-01", "Jan 2020", "january 2020", "01/2020"],
}
APART = ["Oslo", "Bergen", "1", "10", "1 0", "2020-01", "2020-02", "2020-01-01", "March", "5 May", "", "*", "1,000"]


def people(pay: Sequence[str | None]) -> dict[str, Sequence[object]]:
    return {"age": [30] * len(pay), "pay": pay}


def csv_of(table: dict[str, Sequence[object]]) -> bytes:
    return pl.DataFrame(table).write_csv().encode()


def reached(table: object, require: str = "distinct-l(pay)=1", **asked: object) -> object:
    found = shoal.audit(table, quasi=["age"], sensitive=["pay"], require=require, **asked)  # type: ignore[arg-type]
    return [finding.reached for finding in found.findings]


# Equal numbers


@pytest.mark.parametrize("rest", [[], ["n/a"], ["007"], [None]], ids=str)
@pytest.mark.parametrize(
    "texts", [SPELT, ["0.0", "-0.0", "0", "+0", "-0", ".0"], ["1e3", "1000", "+1000", "1E+3", "1000."]], ids=str
)
def test_spelling_makes_no_diversity(texts: list[str], rest: list[str | None], tmp_path: Path) -> None:
    table = people([*texts, *rest])
    expected = [1 + len(rest)]
    pl.DataFrame(table, strict=False).write_parquet(tmp_path / "people.parquet")
    pl.DataFrame(table, strict=False).write_ipc(tmp_path / "people.arrow")
    (tmp_path / "people.csv").write_bytes(csv_of(table))
    assert reached(table) == expected
    for name in ("people.csv", "people.parquet", "people.arrow"):
        assert reached(tmp_path / name) == expected
        assert reached(read_by_disk(tmp_path / name)) == expected


def test_three_spellings_of_one_salary_are_not_three_salaries(tmp_path: Path) -> None:
    table = read_csv(csv_of(people(SPELT)), "people.csv")
    with pytest.raises(shoal.Infeasible):
        shoal.anonymize(table, quasi=["age"], sensitive=["pay"], require="distinct-l(pay)=3")


@pytest.mark.parametrize("kind", [pl.Float64, pl.Float32], ids=str)
def test_zero_has_no_sign_and_nan_is_missing(kind: type[pl.DataType], tmp_path: Path) -> None:
    cells = pl.Series("pay", [0.0, -0.0, float("nan"), None], kind)
    frame = pl.DataFrame([pl.Series("age", [30] * 4), cells])
    frame.write_parquet(tmp_path / "people.parquet")
    frame.write_csv(tmp_path / "people.csv")
    assert reached(frame) == reached(tmp_path / "people.parquet") == [2.0]
    assert shoal.audit(frame, quasi=["pay"], require="k=2").holds
    shown = shoal.anonymize(tmp_path / "people.parquet", quasi=["age"], sensitive=["pay"], require="k=2").table["pay"]
    assert shown.cast(pl.String).to_list() == ["0.0", "0.0", None, None]


def test_a_spelling_singles_nobody_out() -> None:
    table = {"pay": [*SPELT, "n/a", "n/a"], "s": list("abcab")}
    release = shoal.anonymize(table, quasi=["pay"], sensitive=["s"], require="k=2")
    assert float(release.certificate.cost) == 0
    assert release.table["pay"].to_list() == ["1000", "1000", "1000", "n/a", "n/a"]


def test_a_release_of_equal_numbers_is_verified_with_its_original(tmp_path: Path) -> None:
    columns = [30, 30, 40, 40], [*SPELT, "5"], ["1", "1.0", "x", "x"]
    rows = [f"{age},{pay},{note}" for age, pay, note in zip(*columns, strict=True)] * 2
    (tmp_path / "people.csv").write_text("\n".join(["age,pay,note", *rows]) + "\n")
    for number, format in enumerate(("csv", "parquet")):
        release = shoal.anonymize(
            tmp_path / "people.csv", quasi=["age"], sensitive=["pay"], other="note", require="k=2 distinct-l(pay)=2"
        )
        folder = release.save(tmp_path / f"release {number}", format=format)
        assert shoal.verify(folder, original=tmp_path / "people.csv").failures == []
        assert release.table["pay"].n_unique() == 2
        assert any("'pay': 4 spellings" in line or "'pay': 3 spellings" in line for line in release.decisions)
        assert any("'note': 2 spellings" in line for line in release.decisions)


def test_a_forged_release_whose_spellings_differ_is_measured_by_values(tmp_path: Path) -> None:
    table = {"age": [30] * 3, "pay": ["1000", "2000", "x"]}
    folder = shoal.anonymize(table, quasi=["age"], sensitive=["pay"], require="distinct-l(pay)=3").save(tmp_path / "r")
    path = folder / "public" / "table.csv"
    path.write_text(path.read_text().replace("2000", "1000.0"))
    from shoal.release.release_reader import Opened

    assert Opened.of(folder, None).audit().findings[0].reached == 2


def test_a_population_is_spelt_as_the_table_is() -> None:
    table = {"age": ["1000", "1000", "x", "x"]}
    everybody = {"age": ["1000.0", "1000.00", "1e3", "x", "x", "x"]}
    assert shoal.audit(table, quasi=["age"], require="kmap=3", population=everybody).holds
    release = shoal.anonymize(table, quasi=["age"], require="kmap=3", population=everybody)
    assert release.table["age"].to_list() == table["age"]


def test_a_decimal_comma_makes_no_diversity() -> None:
    content = b"age;pay\n30;1,5\n30;1,50\n30;n/a\n"
    assert reached(read_csv(content, "people.csv")) == [2]
    assert reached(read_csv(content.replace(b"n/a", b"1,500"), "people.csv")) == [1]


def test_codes_and_numbers_beyond_floating_point_stay_apart() -> None:
    assert one_spelling(pl.Series(["007", "7", "07"])).to_list() == ["007", "7", "07"]
    long = ["12345678901234567890", "12345678901234567891", "12345678901234567890.0"]
    assert one_spelling(pl.Series(long)).to_list() == [long[0], long[1], long[0]]
    assert infer(pl.Series(["0.1", "0.10000000000000000555"])).dtype == pl.String
    assert infer(pl.Series(["2020-01-01 00:00:00.0000001", "2020-01-01 00:00:00.0000002"])).dtype == pl.String


DIGITS = st.text("0123456789", max_size=3)
NUMBERS = st.builds(
    lambda sign, whole, point, fraction, power: f"{sign}{whole}{point}{fraction if point else ''}{power}",
    st.sampled_from(["", "-", "+"]),
    st.text("0129", min_size=1, max_size=3),
    st.sampled_from(["", "."]),
    st.text("01", max_size=2),
    st.sampled_from(["", "e1", "E-1", "e+02", "e0"]),
)


@given(st.lists(NUMBERS, min_size=1, max_size=8))
def test_two_numbers_have_one_key_exactly_if_they_are_equal(texts: list[str]) -> None:
    keys = number_keys(pl.Series(texts)).to_list()
    for text, key in zip(texts, keys, strict=True):
        for other, theirs in zip(texts, keys, strict=True):
            assert (key == theirs) == (Decimal(text) == Decimal(other))


CELLS = st.one_of(
    NUMBERS,
    st.sampled_from([*SPELT, "n/a", "x", "007", "7", "true", "2020-01-05", "2020-1-5", "0.0", "-0.0"]),
    st.none(),
)
ASKED = "distinct-l(pay)=1 l(pay)=1 entropy-l(pay)=1 recursive-l(pay)=(9,1) t(pay)=1 k=1"


@given(st.lists(st.tuples(st.sampled_from("ab"), CELLS), min_size=1, max_size=9))
def test_a_csv_and_a_parquet_file_of_a_table_get_one_verdict(rows: list[tuple[str, str | None]]) -> None:
    table = pl.DataFrame(rows, schema={"age": pl.String, "pay": pl.String}, orient="row")
    text = read_csv(table.write_csv().encode(), "people.csv")
    with TemporaryDirectory() as folder:
        table.write_parquet(Path(folder) / "people.parquet")
        stored = reached(Path(folder) / "people.parquet", ASKED)
    assert reached(text, ASKED) == stored == reached(table, ASKED)


@given(st.lists(st.tuples(st.sampled_from("ab"), NUMBERS), min_size=1, max_size=9))
def test_the_verdict_on_numbers_is_that_on_their_values(rows: list[tuple[str, str]]) -> None:
    plain = [(age, text) for age, text in rows if not text.lstrip("+-")[:2].isdigit() or text.lstrip("+-")[0] != "0"]
    if not plain:
        return
    ages, texts = zip(*plain, strict=True)
    numbers = [float(Decimal(text)) for text in texts]
    asked = f"{ASKED} t(pay:ordered)=1 t(pay:numeric)=1 e(pay)=0"
    assert reached({"age": ages, "pay": texts}, asked) == reached({"age": ages, "pay": numbers}, asked)


@given(st.lists(CELLS.filter(lambda cell: cell is not None), min_size=1, max_size=9))
def test_one_spelling_unifies_what_is_equal_and_nothing_else(texts: list[str]) -> None:
    column = pl.Series(texts)
    keys, made = equal_keys(column).to_list(), one_spelling(column).to_list()
    for i in range(len(texts)):
        assert made[i] in texts
        assert all((keys[i] == keys[j]) == (made[i] == made[j]) for j in range(len(texts)))
    assert one_spelling(pl.Series(made)).to_list() == made


def test_the_pattern_of_a_number_is_plain_for_spark() -> None:
    assert "\\d" not in NUMBER
    assert "(?P" not in NUMBER


# Alike texts


@pytest.mark.parametrize("texts", ALIKE.values(), ids=ALIKE)
def test_texts_that_are_alike_are_told_of_and_unified(texts: list[str]) -> None:
    assert alike_keys(pl.Series(texts)).n_unique() == 1
    (note,) = spelling_notes([pl.Series("town", texts)])["town"]
    assert f"{len(texts)} different texts" in note
    assert "'town'" in note
    assert not any(len(text) > 3 and text in note for text in texts)
    assert unified(pl.Series([texts[-1], *texts])).to_list() == [texts[-1]] * (len(texts) + 1)


def test_texts_that_are_not_alike_stay_apart() -> None:
    assert alike_keys(pl.Series(APART)).n_unique() == len(APART)
    assert unified(pl.Series([*APART, None])).to_list() == [*APART, None]
    assert spelling_notes([pl.Series("town", APART)]) == {}


@given(st.lists(st.text("aA b\u00a0", max_size=3), min_size=1, max_size=6))
def test_unifying_twice_is_unifying_once(texts: list[str]) -> None:
    once = unified(pl.Series(texts))
    assert unified(once).to_list() == once.to_list()
    assert once.n_unique() == alike_keys(pl.Series(texts)).n_unique()


TOWNS = {"town": ["Oslo", "oslo", "Oslo ", "Bergen", "BERGEN"], "s": list("ababa")}


def test_unified_columns_are_one_value_and_verified(tmp_path: Path) -> None:
    asked = {"quasi": ["town"], "sensitive": ["s"], "require": "k=2"}
    assert float(shoal.anonymize(TOWNS, **asked).certificate.cost) > 0  # type: ignore[arg-type]
    release = shoal.anonymize(TOWNS, unify=["town"], **asked)  # type: ignore[arg-type]
    assert float(release.certificate.cost) == 0
    assert release.table["town"].n_unique() == 2
    assert any("'town'" in line and "in one way" in line for line in release.decisions)
    assert not any("unify them" in line for line in release.decisions)
    folder = release.save(tmp_path / "release")
    assert shoal.verify(folder, original=TOWNS).failures == []
    assert shoal.attack(folder, TOWNS, attacks=["linkage"]).outcomes[0].after == 0
    assert measure(folder, TOWNS, queries=0).rows == 5
    assert shoal.audit(TOWNS, quasi=["town"], require="k=2", unify=["town"]).holds
    assert not shoal.audit(TOWNS, quasi=["town"], require="k=2").holds


def test_an_unknown_column_to_unify_is_refused() -> None:
    with pytest.raises(RoleError, match="no column 'twon'; did you mean 'town'"):
        shoal.anonymize(TOWNS, quasi=["town"], require="k=2", unify=["twon"])
    with pytest.raises(RoleError, match="no column 'twon'"):
        shoal.audit(TOWNS, quasi=["town"], require="k=2", unify=["twon"])


def test_every_command_says_where_texts_are_alike(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    pl.DataFrame(TOWNS).write_csv(path)
    assert "unify them" in command("audit", path, "--quasi=town").out.replace("\n", " ")
    assert "unify them" in command("inspect", path).out.replace("\n", " ")
    assert json.loads(command("audit", path, "--quasi=town", "--json").out)["notes"]
    assert json.loads(command("inspect", path, "--json").out)["notes"]
    assert command("audit", path, "--quasi=town", "--require=k=2").code == 1
    assert command("audit", path, "--quasi=town", "--require=k=2", "--unify=town").code == 0
    given = ("anonymize", path, "--quasi=town", "--other=s", "--require=k=2")
    assert "unify them" in command(*given, "-o", tmp_path / "none").err
    assert "unify them" not in command(*given, "--unify=town", "-o", tmp_path / "one").err
    (tmp_path / "shoal.toml").write_text(
        '[data]\nfile = "people.csv"\nunify = ["town"]\n[roles]\nquasi = ["town"]\nother = "s"\n'
        '[privacy]\nrequire = "k=2"\n'
    )
    config = ("--config", tmp_path / "shoal.toml")
    assert command("anonymize", *config, "-o", tmp_path / "two").code == 0
    tables = [(tmp_path / name / "public" / "table.csv").read_text() for name in ("one", "two")]
    assert tables[0] == tables[1] == "town,s\nBERGEN,a\nBERGEN,b\nOslo,a\nOslo,a\nOslo,b\n"
    assert command("verify", tmp_path / "one", "--original", path).code == 0
    assert command("compare", *config, "--methods=mondrian").code == 0
    assert command("frontier", path, "--quasi=town", "--unify=town", "--k=2,3", "--queries=0").code == 0


def test_a_stored_file_tells_of_the_columns_that_were_read(tmp_path: Path) -> None:
    pl.DataFrame(TOWNS).write_parquet(tmp_path / "people.parquet")
    table = read(tmp_path / "people.parquet")
    assert table.spelling == ()
    table.coded("town")
    assert len(table.spelling) == 1
    assert Table.of(TOWNS).spelling == table.spelling
