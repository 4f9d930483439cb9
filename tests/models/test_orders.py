"""The order of words: stated by somebody, never taken from the alphabet; known to every face and to verification."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import oracle
from tests.cli.command import shoal as command

import shoal
from shoal.core.errors import ParameterError, RoleError, ShoalError, Unsupported
from shoal.hierarchies.natural_order import natural_order
from shoal.methods.auto import methods as known_methods
from shoal.models.orders import LEAVES, LIST, STRUCTURE, uncompared_order
from shoal.models.requirement import parse_requirement
from shoal.release.release_reader import Opened
from shoal.tables.table import Table
from shoal.web.desk.draft import Draft

WORDS = ["low", "mid", "high"]
PAIN = {"age": [1, 1, 2, 2], "pain": ["low", "mid", "mid", "high"]}
"""In their order, each class is 1/4 away from the table; in that of the alphabet, 1/8."""
TREE = {"builder": "taxonomy", "rows": [["low", "some"], ["mid", "some"], ["high", "much"]]}
ORDERED = "t(pain:ordered)=0.25"


def reached(table: object, require: str = "t(pain:ordered)=1", **asked: Any) -> list[Any]:
    found = shoal.audit(table, quasi=["age"], sensitive=["pain"], require=require, **asked)
    return [finding.reached for finding in found.findings]


def anonymized(table: object = PAIN, require: str = ORDERED, **asked: Any) -> shoal.Release:
    return shoal.anonymize(table, quasi=["age"], sensitive=["pain"], require=require, **asked)


SOURCES: dict[str, tuple[object, dict[str, Any], str]] = {
    "list": (PAIN, {"order": {"pain": WORDS}}, LIST),
    "hierarchy": (PAIN, {"hierarchies": {"pain": TREE}}, LEAVES),
    "polars": (
        pl.DataFrame(PAIN).with_columns(pl.col("pain").cast(pl.Enum(WORDS))),
        {},
        "the declared categories",
    ),
    "pandas": (
        pd.DataFrame({**PAIN, "pain": pd.Categorical(PAIN["pain"], categories=WORDS, ordered=True)}),
        {},
        "the declared categories",
    ),
    "pyarrow": (
        pa.table(
            {
                "age": PAIN["age"],
                "pain": pa.DictionaryArray.from_arrays(pa.array([0, 1, 1, 2]), WORDS, ordered=True),
            }
        ),
        {},
        "the declared categories",
    ),
}
every_source = pytest.mark.parametrize("source", SOURCES)


@every_source
def test_the_distance_is_that_of_the_stated_order(source: str) -> None:
    table, asked, _ = SOURCES[source]
    assert reached(table, **asked) == [0.25]


@every_source
@pytest.mark.parametrize("format", ["csv", "parquet", "arrow"])
def test_a_release_states_the_order_and_is_verified(source: str, format: str, tmp_path: Path) -> None:
    table, asked, said = SOURCES[source]
    release = anonymized(table, **asked)
    assert release.certificate.orders == {"pain": said}
    assert release.certificate.classes == 2
    folder = release.save(tmp_path / "release", format=format)
    assert shoal.verify(folder, original=table).failures == []
    assert shoal.verify(folder, original=PAIN).failures == []
    assert Opened.of(folder, None).certificate.orders == {"pain": said}
    book = json.loads((folder / "public" / "codebook.json").read_text())
    assert next(one for one in book["columns"] if one["name"] == "pain")["type"] == f"Enum(categories={WORDS})"
    assert {path.name for path in folder.iterdir()} == {"public", "internal"}
    assert Opened.of(folder, None).audit().findings[0].reached == 0.25


@every_source
def test_a_public_part_alone_is_verified(source: str, tmp_path: Path) -> None:
    table, asked, _ = SOURCES[source]
    folder = anonymized(table, **asked).save(tmp_path / "release")
    for path in (folder / "internal").iterdir():
        path.unlink()
    (folder / "internal").rmdir()
    assert shoal.verify(folder).failures == []


def test_words_without_an_order_are_refused() -> None:
    frames = [PAIN, pd.DataFrame(PAIN).astype({"pain": "category"}), pl.DataFrame(PAIN)]
    for table in frames:
        for ask in (reached, anonymized):
            with pytest.raises(ParameterError, match="'pain' needs an order, and its values are words") as error:
                ask(table, "t(pain:ordered)=1")
            assert "order={'pain': [...]}" in str(error.value)
            assert "--order pain=" in str(error.value)
            assert not any(word in str(error.value).split() for word in ("mid", "high"))


@pytest.mark.parametrize("model", ["t(pain:ordered)=1", "nt(pain:ordered)=(1,1)", "t(pain:ordered)=1 l(pain)=1"])
@pytest.mark.parametrize("method", ["auto", *known_methods()])
def test_no_method_takes_the_alphabet(method: str, model: str) -> None:
    with pytest.raises(ShoalError):
        anonymized(require=model, method=method)


@pytest.mark.parametrize("method", ["fragments", "sabre", "t-mondrian", "microaggregation-merge", "hilbert"])
def test_methods_that_read_an_order_read_the_stated_one(method: str) -> None:
    release = anonymized(method=method, order={"pain": WORDS}, recoding="range")
    assert release.certificate.models[0]["reached"] <= 0.25
    assert release.audit.holds


def test_numbers_dates_and_truth_have_an_order_of_their_own() -> None:
    for values, said in (
        ([1, 2, 2, 10], "the numbers"),
        (["1", "2", "2", "10"], "the numbers"),
        (["001", "002", "002", "010"], "the numbers"),
        (["2020-01-01", "2020-01-02", "2020-01-02", "2020-01-10"], "the dates"),
        ([False, False, True, True], "false before true"),
    ):
        release = anonymized({"age": [1, 1, 2, 2], "pain": values}, "t(pain:ordered)=1")
        assert release.certificate.orders == {"pain": said}


def test_the_distance_of_words_that_nobody_names_is_the_equal_one() -> None:
    table = {"age": [1, 1, 2], "pain": ["low", "mid", "high"]}
    assert reached(table, "t(pain)=1") == reached(table, "t(pain:equal)=1") == [pytest.approx(2 / 3)]
    assert anonymized(require="t(pain)=0.5").certificate.orders == {}
    assert reached(table, "t(pain)=1", order={"pain": WORDS}) == [pytest.approx(1 / 2)]


@given(st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from([*WORDS, None])), min_size=1, max_size=8))
def test_the_level_under_any_order_is_that_of_ranks(rows: list[tuple[str, str | None]]) -> None:
    ages = [age for age, _ in rows]
    table = {"age": ages, "pain": pl.Series([word for _, word in rows], dtype=pl.String)}
    for order in permutations(WORDS):
        ranks = [len(WORDS) if word is None else order.index(word) for _, word in rows]
        totals: dict[oracle.Key, int] = {rank: ranks.count(rank) for rank in set(ranks)}
        worst = Fraction(0)
        for age in set(ages):
            own = [rank for (one, _), rank in zip(rows, ranks, strict=True) if one == age]
            worst = max(worst, oracle.emd({rank: own.count(rank) for rank in set(own)}, totals, "ordered"))
        assert reached(table, order={"pain": list(order)}) == [pytest.approx(float(worst))]


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ({"pain": ["low", "mid"]}, "1 different values of 'pain' are not in the order"),
        ({"pain": [*WORDS, "low"]}, "has 4 values, 3 of them different"),
        ({"pain": ["*", *WORDS]}, "written like a star"),
        ({"pian": WORDS}, "'pian'"),
    ],
)
def test_a_wrong_order_is_refused(order: dict[str, list[str]], message: str) -> None:
    for ask in (reached, anonymized):
        with pytest.raises((ParameterError, RoleError), match=message):
            ask(PAIN, "t(pain:ordered)=1", order=order)


def test_an_order_of_a_quasi_identifier_makes_ranges() -> None:
    table = {"level": ["low", "mid", "high", "high"], "s": list("abab")}
    release = shoal.anonymize(
        table, quasi=["level"], leave_out="rest", require="k=2", recoding="range", order={"level": WORDS}
    )
    assert sorted(set(release.table["level"].cast(pl.String))) == ["[low, mid]", "high"]
    with pytest.raises(Unsupported, match="population"):
        shoal.anonymize(
            table, quasi=["level"], leave_out="rest", require="kmap=1", population=table, order={"level": WORDS}
        )


NATURAL = {
    "days, the first of the month last": (["31.01.2020", "03.02.2020", "07.07.1999"], ["07.07.1999", "31.01.2020"]),
    "American dates": (["01/31/2020", "02/03/2020", "12/30/1999"], ["12/30/1999", "01/31/2020"]),
    "ISO dates as text": (["2020-01-31", "2020-02-03", "1999-07-07"], ["1999-07-07", "2020-01-31"]),
    "bands": (["18-24", "65+", "5-17"], ["5-17", "18-24"]),
    "days with a month's name": (["1 Feb 2020", "11 Mar 2020", "7 Dec 1999"], ["7 Dec 1999", "1 Feb 2020"]),
    "days in several forms": (["31.01.2020", "2020-02-03", "7 Jul 1999"], ["7 Jul 1999", "31.01.2020"]),
    "hours of a day": (["1.2.2020 10:05", "1.2.2020 11:00", "1.2.2020 9:30"], ["1.2.2020 9:30", "1.2.2020 10:05"]),
    "months": (["01/2020", "02/2020", "12/1999"], ["12/1999", "01/2020"]),
    "weeks": (["2020-W05", "2021-W01", "2019-W50"], ["2019-W50", "2020-W05"]),
    "times of day": (["10:05", "23:59", "9:30"], ["9:30", "10:05"]),
    "amounts": (["1.234,50 EUR", "20.000,00 EUR", "999,00 EUR"], ['"999,00 EUR"', '"1.234,50 EUR"']),
    "dollars": (["$1,234", "$20,000", "$999"], ["$999", '"$1,234"']),
    "per cent": (["12 %", "100 %", "7 %"], ["7 %", "12 %"]),
    "bands in thousands": (["10k-20k", "20k-30k", "<10k"], ["<10k", "10k-20k"]),
    "bands with brackets": (["[10-20)", "[20-30)", "[2-10)"], ['"[2-10)"', '"[10-20)"']),
}
"""Values, and the ends of the range that holds the first of them and the smallest."""


@pytest.mark.parametrize(("values", "ends"), NATURAL.values(), ids=NATURAL)
def test_dates_and_bands_written_as_text_become_ranges(values: list[str], ends: list[str], tmp_path: Path) -> None:
    first, second, smallest = values
    table = {"when": [first, smallest, first, smallest, None, second, second, second]}
    release = shoal.anonymize(table, quasi=["when"], require="k=4")
    cells = set(release.table["when"].cast(pl.String).drop_nulls())
    assert any(cell.startswith("[") for cell in cells)
    assert not any(", " in cell for cell in cells if cell.startswith("{"))
    assert f"[{ends[0]}, {ends[1]}]" in cells
    assert shoal.verify(release.save(tmp_path / "release"), original=table).failures == []


def test_postcodes_become_ranges_whether_a_zero_comes_first_or_not() -> None:
    table = {"plz": ["01067", "80331", "01069", "80333"], "zip": [11067, 80331, 11069, 80333]}
    release = shoal.anonymize(table, quasi=["plz", "zip"], require="k=2")
    assert set(release.table.rows()) == {("[01067, 01069]", "[11067, 11069]"), ("[80331, 80333]", "[80331, 80333]")}


def test_words_codes_and_telephone_numbers_have_no_order() -> None:
    columns = (["Ward 3", "Ward 12"], ["1st", "2nd"], ["007", "8"], ["+49 30 123", "+49 30 99"], ["1.2.3", "1.2.4"])
    assert [natural_order(pl.Series("text", texts)) for texts in (*columns, ["7", "*"])] == [None] * 6


def test_moments_on_the_second_have_no_fraction(tmp_path: Path) -> None:
    moments = ["2024-03-07T10:00:00", "2024-03-07T11:30:00", "2024-03-08T10:00:00.250", "2024-03-09T00:00:00"]
    table = {"seen": pl.Series(moments).str.to_datetime()}
    release = shoal.anonymize(pl.DataFrame(table), quasi=["seen"], require="k=2")
    assert set(release.table["seen"]) == {
        "[2024-03-07 10:00:00, 2024-03-07 11:30:00]",
        "[2024-03-08 10:00:00.250000, 2024-03-09 00:00:00]",
    }
    assert shoal.verify(release.save(tmp_path / "release"), original=pl.DataFrame(table)).failures == []


def test_it_is_said_why_columns_have_no_ranges_and_that_hierarchies_are_not_used(tmp_path: Path) -> None:
    ages, days = [str(age) for age in range(20, 40)], [f"{day}.3.2020" for day in range(1, 21)]
    table = {"age": [*ages[1:], "unknown"], "born": [*days[1:], "spring"]}
    release = shoal.anonymize(table, quasi=["age", "born"], require="k=5")
    assert [note.split(",")[0] for note in release.advice] == [
        "column 'age': 1 of 20 different values is no number",
        "column 'born': 1 of 20 different values is no date",
    ]
    assert "with --missing age=unknown or missing={'age': ['unknown']}" in release.advice[0], "a usual word is named"
    assert "with --missing born=CODES" in release.advice[1], "any other is not: it may be a cell of a person"
    assert set(release.advice) <= set(release.decisions)
    named = shoal.anonymize(table, quasi=["age", "born"], require="k=5", missing={"age": ["unknown"], "born": "spring"})
    assert named.advice == ()
    pl.DataFrame({"age": ages}).write_csv(tmp_path / "people.csv")
    asked = ("--quasi=age", "--require=k=5", "--hierarchy=age=intervals:width=5", "--recoding=range")
    made = command("anonymize", tmp_path / "people.csv", *asked, "-o", tmp_path / "release")
    assert "no group of the hierarchies of 'age' is published" in made.err


def test_whole_numbers_that_are_codes_become_sets_and_others_ranges(tmp_path: Path) -> None:
    table = {"ward_id": [1, 1, 2, 30, 30, 31], "age": [1, 1, 2, 30, 30, 31]}
    release = shoal.anonymize(table, quasi=["ward_id", "age"], require="k=3")
    assert sorted(set(release.table.rows())) == [("{1, 2}", "[1, 2]"), ("{30, 31}", "[30, 31]")]
    assert shoal.verify(release.save(tmp_path / "release"), original=table).failures == []
    asked = shoal.anonymize(table, quasi=["ward_id", "age"], require="k=3", order={"age": []})
    assert all(cell.startswith("{") for cell in asked.table["age"])
    groups = shoal.anonymize(table, quasi=["ward_id", "age"], require="k=3", recoding="suppress")
    assert groups.config["order"] == {}


def test_no_order_is_found_for_words_nor_for_columns_that_have_one() -> None:
    table = {
        "town": ["Rome", "Oslo"] * 2,
        "age": [1, 2] * 2,
        "born": pl.Series(["2020-01-31", "2020-02-03"] * 2).str.to_date(),
    }
    release = shoal.anonymize(pl.DataFrame(table), quasi=[*table], require="k=4")
    assert release.config["order"] == {}
    assert set(release.table.rows()) == {("*", "*", "*")}


def test_two_tables_keep_the_order(tmp_path: Path) -> None:
    table = {**PAIN, "age": [1, 2, 3, 4]}
    release = anonymized(table, "t(pain:ordered)=1", order={"pain": WORDS}, recoding="anatomy")
    folder = release.save(tmp_path / "release")
    assert shoal.verify(folder, original=table).failures == []


def test_every_face_takes_an_order(tmp_path: Path) -> None:
    path, flags = tmp_path / "people.csv", ("--quasi=age", "--sensitive=pain", f"--require={ORDERED}")
    pl.DataFrame(PAIN).write_csv(path)
    assert command("audit", path, *flags).code == 2
    assert command("anonymize", path, *flags, "-o", tmp_path / "none").code == 2
    assert not (tmp_path / "none").exists()
    assert command("audit", path, *flags, "--order=pain=low,mid,high").code == 0
    assert command("anonymize", path, *flags, "--order=pain=low,mid,high", "-o", tmp_path / "one").code == 0
    assert command("verify", tmp_path / "one", "--original", path).code == 0
    assert command("audit", tmp_path / "one").code == 0
    assert command("compare", path, *flags, "--order=pain=low,mid,high", "--methods=mondrian").code == 0
    varied = ("frontier", path, "--quasi=age", "--sensitive=pain", "--t=pain:ordered=0.25,0.5", "--queries=0")
    assert command(*varied, "--order=pain=low,mid,high").code == 0
    codip = ("codip", path, *flags, "--order=pain=low,mid,high", "-o", tmp_path / "apart")
    assert command(*codip).code == 0
    draft = Draft().changed(
        file=str(path), roles={"age": "quasi", "pain": "sensitive"}, require=[ORDERED], order={"pain": WORDS}
    )
    (tmp_path / "shoal.toml").write_text(draft.toml(folder=str(tmp_path / "two")))
    assert command("anonymize", "--config", tmp_path / "shoal.toml").code == 0
    published = [(tmp_path / name / "public" / "table.csv").read_text() for name in ("one", "two")]
    assert published[0] == published[1]
    assert draft.request().order == {"pain": WORDS}


def test_a_wrong_order_in_a_configuration_is_refused(tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text('[order]\npain = "low"\n')
    found = command("anonymize", "--config", tmp_path / "shoal.toml")
    assert found.code == 2
    assert "expected a list of texts, the least first" in found.err


def test_attacks_and_reports_read_the_original_as_the_release_did(tmp_path: Path) -> None:
    folder = anonymized(order={"pain": WORDS}).save(tmp_path / "release")
    assert shoal.attack(folder, PAIN, attacks=["skewness"]).people == 4
    assert Table.of(PAIN).dtype("pain") == pl.String


@pytest.mark.parametrize(
    "written",
    [
        lambda number: f"${number:,}.00",
        lambda number: f"{number:,} EUR".replace(",", "."),
        lambda number: (date(2020, 1, 1) + timedelta(days=number)).strftime("%d.%m.%Y"),
        lambda number: f"{number // 60 % 24:02d}:{number % 60:02d}",
        lambda number: f"{number}-{number + 6}",
    ],
)
def test_texts_of_numbers_and_dates_are_as_far_apart_as_these(written: Callable[[int], str]) -> None:
    numbers = [7 * (row * row % 190) for row in range(120)]
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["s"], "require": "t(s:ordered)=0.2"}
    ages = [row % 4 for row in range(120)]
    texts = [written(number) for number in numbers]
    plain, read = (shoal.audit({"age": ages, "s": values}, **asked) for values in (numbers, texts))
    assert read.findings[0].reached == plain.findings[0].reached
    release = shoal.anonymize({"age": ages, "s": texts}, effort="quick", allow=["s"], **asked)
    assert release.certificate.orders == {"s": STRUCTURE}
    assert release.advice == ()
    equal = shoal.anonymize({"age": ages, "s": texts}, effort="quick", allow=["s"], **{**asked, "require": "t(s)=0.9"})
    assert ["t(s:ordered)=0.9 compares them in their order" in note for note in equal.advice] == [True]


def test_a_column_of_missing_values_alone_gets_no_advice_and_years_of_two_digits_do() -> None:
    people = {"age": [30, 31, 40, 41], "none": [None] * 4, "born": ["1.2.80", "31.12.81", "2.3.99", "4.5.01"]}
    advice = shoal.anonymize(people, quasi=list(people), require="k=2").advice
    assert [note for note in advice if "'none'" in note] == []
    assert ["years of two digits do not say their century" in note for note in advice] == [True]


def test_a_sensitive_column_without_a_model_is_not_said_to_be_certain_for_0_rows() -> None:
    people = {"age": [30, 30, 40, 40], "ill": ["flu", "gout", "flu", "gout"], "job": ["a", "a", "b", "c"]}
    said = shoal.anonymize(people, quasi=["age"], sensitive=["ill", "job"], require="k=2").certificate.exposed
    assert "'ill' is sensitive and no model protects it: here no class shares one value" in said
    assert "'job' is sensitive and no model protects it: its value is certain for 2 rows" in said


@pytest.mark.parametrize(
    ("asked", "advised"),
    [
        ("t(paid)=0.2", "t(paid:ordered)=0.2"),
        ("t(t)=0.2", "t(t:ordered)=0.2"),
        ("average-t(a)=0.2", "average-t(a:ordered)=0.2"),
        ('t("paid on")=0.2', 't("paid on":ordered)=0.2'),
        ("t(paid:ordered)=0.2", None),
        ("t(paid:equal)=0.2", None),
        ("distinct-l(paid)=2", None),
        ("k=2", None),
        ("t(ill)=0.2", None),
        ("t(sum)=0.2", None),
        ("t(day)=0.2", None),
        ("t(gone)=0.2", None),
    ],
)
def test_a_distance_that_passes_over_an_order_is_named_with_the_one_that_does_not(
    asked: str, advised: str | None
) -> None:
    """Whatever the column is called. Of words without an order, and of numbers and dates, there is nothing to say."""
    paid, days = ["$1,200", "$900", "$15,000"], pl.Series([date(2020, 1, day) for day in (1, 2, 3)])
    columns: dict[str, Any] = {**dict.fromkeys(["paid", "t", "a", "paid on"], paid), "ill": ["flu", "gout", "none"]}
    (model,) = parse_requirement(asked)
    note = uncompared_order(Table.of({**columns, "sum": [1, 2, 3], "day": days}), model)
    assert (note is None) is (advised is None)
    if note is not None:
        assert note.startswith(f"{asked} takes all different texts of ")
        assert f", and {advised} compares them in their order" in note
