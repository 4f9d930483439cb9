import json
import os
import random
import re
import tomllib
from collections import Counter
from datetime import date, datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.config import read_config
from shoal.core.errors import SafetyWarning
from shoal.core.toml import toml_value
from shoal.inspection import Column, Role, inspect
from shoal.inspection.look_alikes import look_alikes
from shoal.inspection.surveys import survey_codes
from shoal.models.requirement import parse_requirement
from shoal.pipeline import run
from shoal.request import Request
from shoal.risk import singling
from shoal.risk.singling import search
from shoal.steps.preparation import examined
from shoal.tables.table import Table, read

SHARED = Path(os.environ.get("SHOAL_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
LISTED = {"identifiers": "identifier", "quasi_identifiers": "quasi", "sensitive": "sensitive"}


def found(name: str, values: list[Any] | pl.Series) -> Column:
    """Inspect one column of a table."""
    return inspect({name: values})[name]


def luhn(digits: str) -> str:
    total = sum(sum(divmod(2 * int(digit), 10)) if at % 2 == 0 else int(digit) for at, digit in enumerate(digits[::-1]))
    return digits + str(-total % 10)


def iban(country: str, account: str) -> str:
    rest = int("".join(str(int(sign, 36)) for sign in account + country + "00")) % 97
    return f"{country}{98 - rest:02d}{account}"


PATTERNS: dict[str, list[Any]] = {
    "e-mail addresses": [f"p{n}.x@mail{n % 7}.org" for n in range(40)],
    "UUIDs": [f"{n:08x}-9a81-4ba9-80c2-de3375d5{n:04x}" for n in range(40)],
    "US social security numbers": [f"{100 + n}-{10 + n}-{2000 + n}" for n in range(40)],
    "payment card numbers": [luhn(f"4{n * 7919:014d}") for n in range(40)],
    "bank account numbers (IBAN)": [iban("DE", f"{n * 104729:018d}") for n in range(40)],
    "network addresses": [f"10.0.{n}.{255 - n}" for n in range(40)],
    "phone numbers": [f"+47 {20 + n} {10 + n} 55 {50 + n}" for n in range(40)],
    "street addresses": [
        f"{n + 1} {word} {end}" for n in range(8) for word in ("Oak", "Elm") for end in ("St", "Road")
    ],
    "passport or licence numbers": [f"X{n * 7919:08d}" for n in range(40)],
    "names of people": [
        f"{a} {b}" for a in ("Maria", "John", "Ole", "Wei") for b in ("Hansen", "Ek", "Pa", "Lo", "Xu", "Ah")
    ],
    "long codes": [f"AB-{n:05d}-{n % 7}q" for n in range(40)],
}


@pytest.mark.parametrize("topic", PATTERNS)
def test_values_that_identify_are_recognised_under_a_name_that_says_nothing(topic: str) -> None:
    column = found("c7", PATTERNS[topic])
    assert (column.role, column.pattern) == (Role.IDENTIFIER, topic)
    assert topic in column.reason


@pytest.mark.parametrize("topic", PATTERNS)
def test_a_fifth_of_other_values_does_not_hide_a_pattern_but_half_does(topic: str) -> None:
    values = PATTERNS[topic]
    mixed = [*values, *(f"?{n}" for n in range(len(values) // 5))]
    assert found("c7", mixed).pattern == topic
    assert found("c7", [*values[: len(values) // 8], *(f"?{n}" for n in range(len(values)))]).pattern is None


def test_card_numbers_stored_as_numbers_and_addresses_abroad() -> None:
    assert found("c7", [int(card) for card in PATTERNS["payment card numbers"]]).pattern == "payment card numbers"
    assert found("c7", [f"Lindenstraße {n}" for n in range(30)]).pattern == "street addresses"
    assert found("c7", [f"fe80::{n:x}" for n in range(30)]).pattern == "network addresses"


@pytest.mark.parametrize(
    ("name", "values", "role", "pattern"),
    [
        ("c7", [date(1950, 1, 1) + timedelta(days=31 * n) for n in range(40)], "quasi", "dates"),
        ("c7", [datetime(1950, 1, 1) + timedelta(days=31 * n) for n in range(40)], "quasi", "dates"),
        ("c7", [f"{n % 12 + 1:02d}/{n % 28 + 1:02d}/19{50 + n}" for n in range(40)], "quasi", "dates"),
        ("DOB", [date(1950, 1, 1) + timedelta(days=31 * n) for n in range(40)], "quasi", "birth dates"),
        ("c7", [1950 + n for n in range(40)], "quasi", "years"),
        ("c7", [f"{n % 12 + 1}/20{20 + n % 4}" for n in range(40)], "quasi", "months, quarters or weeks"),
        ("c7", [f"202{n % 4}-W{n % 52 + 1:02d}" for n in range(60)], "quasi", "months, quarters or weeks"),
        ("c7", [f"{n % 24}:{n % 60:02d}" for n in range(90)], "quasi", "times of day"),
        ("arrival_time", [f"{n // 60:02d}:{n % 60:02d}" for n in range(1440)], "quasi", "times of day"),
        ("c7", ["male", "female"] * 20, "quasi", "the sexes"),
        ("c7", ["M", "F"] * 20, "quasi", "the sexes"),
        ("c7", ["Never-married", "Married-civ", "Divorced"] * 20, "quasi", "marital states"),
        ("c7", ["White", "Black", "Asian"] * 20, "quasi", "ethnic groups"),
        ("c7", ["Norway", "Sweden", "Mexico", "Atlantis"] * 20, "quasi", "countries"),
        ("c7", ["NY", "TX", "CA", "WA", "OR", "FL"] * 20, "quasi", "states of the USA"),
        ("c7", ["Bachelors", "Masters", "9th"] * 20, "quasi", "levels of education"),
        ("c7", ["01013", "02143", "01020", "99501"] * 20, "quasi", "postcodes"),
        ("c7", ["J45.0", "E11.9", "I10"] * 20, "sensitive", "diagnosis codes (ICD)"),
        ("c7", ["flu", "viral sinusitis", "gout", "well"] * 20, "sensitive", "illnesses"),
    ],
)
def test_values_that_speak_for_themselves(name: str, values: list[Any], role: str, pattern: str) -> None:
    column = found(name, values)
    assert (column.role, column.pattern) == (role, pattern)


NAMED = {
    "identifier": """
        ID patient_id caseid customerID PassengerId EmployeeNumber MRN Name FIRST last_name Surname
        patientName Vorname e-mail email_address PhoneNumber mobile SSN national_id passport_no DRIVERS iban
        card_number ip_address Address street username c_case_number record_no hhid account_number
        licensePlate
    """,
    "quasi": """
        age AGEP ageGroup Sex gender RACE ethnicity hispanic_origin marital-status MaritalStatus ZIP
        postcode City county STATE region native-country Birthplace DATE_DIED admission_date education_level
        Weducation JobRole occupation workclass department hsize family_size children language
        nationality religion citizenship industry urbrur driver_age department_name
        Altersband Altersklasse Abteilung Standort
    """,
    "open": """
        HomeOwn vehicle_model height weight hospital mother_education HusbandAge contract_type roof
    """,
    "sensitive": """
        diagnosis Disease icd10_code salary MonthlyIncome hourly-wage expend savings nclaims BILL_AMT1
        total_cost charges HIV Diabetes_binary Stroke HeartDiseaseorAttack blood_pressure BMI Depressed
        HardDrugs SexOrientation default.payment.next.month test_score injury severity death_cause smoker
        MentHlth RENAL_CHRONIC outcome hours_worked DiabetesAge political_party Churn
        Schwerbehindert Verweildauer Entgeltgruppe
    """,
    "other": """
        sampling_weight weights fnlwgt PWGTP
    """,
}


@pytest.mark.parametrize(("role", "name"), [(role, name) for role, listed in NAMED.items() for name in listed.split()])
def test_names_that_speak(role: str, name: str) -> None:
    values = [n * n % 31 for n in range(200)] if role != "identifier" else [f"v{n}" for n in range(200)]
    column = found(name, values)
    assert column.role == role, column.reason
    assert column.reason.startswith("the name says ")


@pytest.mark.parametrize(
    ("values", "role", "reason"),
    [
        ([None] * 30, "other", "every value is missing"),
        ([4] * 30, "other", "all rows have the same value"),
        (list(range(7, 67)), "identifier", "100 % of the rows have a value of their own"),
        ([10**6 + n * 7919 % 60_000 for n in range(60)], "identifier", "100 % of the rows have a value of their own"),
        ([f"remark {n} in words" for n in range(60)], "identifier", "100 % of the rows have a value of their own"),
        ([f"remark {n * n % 40} in words" for n in range(50)], "open", "a category"),
        ([f"remark {min(n, 40)} in words" for n in range(60)], "identifier", "66.7 % of the rows"),
        ([1, 2, 3] * 20, "open", "a code of few values"),
        (["red", "tan", None] * 20, "open", "a category"),
        ([True, False] * 20, "open", "yes-or-no answers"),
        (["yes", "No", "unknown"] * 20, "open", "yes-or-no answers"),
        ([0, 1] * 20, "open", "yes-or-no answers"),
        ([n / 7 for n in range(60)], "open", "perhaps a measure"),
        ([str(n / 7) for n in range(60)] + ["N"], "open", "perhaps a measure"),
        ([float(n % 3) for n in range(60)], "open", "a code of few values"),
    ],
)
def test_where_nothing_speaks_the_role_stays_open_unless_rows_have_values_of_their_own(
    values: list[Any], role: str, reason: str
) -> None:
    column = found("c7", values)
    assert column.role == role
    assert reason in column.reason


def test_a_column_that_nothing_speaks_for_is_never_left_untouched() -> None:
    draw = random.Random(1)
    for _ in range(200):
        size = draw.choice([2, 3, 30, 500])
        values = draw.choices(
            draw.choice([range(size), [n / 3 for n in range(size)], [f"q{n}" for n in range(size)]]), k=80
        )
        assert found("c7", [*values, values[0], None]).role in ("open", "identifier") or len(set(values)) == 1


def test_coordinates_identify_where_everybody_has_their_own() -> None:
    assert found("LAT", [42 + n / 997 for n in range(60)]).role == "identifier"
    assert found("lat", [42 + n % 5 / 997 for n in range(60)]).role == "quasi"


def test_a_sensitive_value_that_all_share_is_still_sensitive() -> None:
    column = found("diagnosis", ["HIV"] * 30)
    assert column.role == "sensitive"
    assert "being in the table" in column.reason


@pytest.mark.parametrize("name", ["late_payment", "long_term_illness", "drug_update", "candidate_score"])
def test_words_that_only_look_like_places_or_dates(name: str) -> None:
    assert found(name, [n % 9 for n in range(90)]).role == "sensitive"


def test_a_lone_weight_is_not_taken_for_a_survey_weight() -> None:
    assert [found(name, [n % 40 for n in range(90)]).role for name in ("weight", "wt", "wgt")] == [
        "open", "open", "open",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["deductible", "tax_deductible", "reduced_rate_kind"])
def test_letters_of_education_inside_another_word_do_not_say_it(name: str) -> None:
    assert "education" not in found(name, [n % 9 for n in range(90)]).reason
    assert all("education" in found(one, ["a", "b", "c"] * 30).reason for one in ("Weducation", "fathereduc"))


@pytest.mark.parametrize(
    "values",
    [
        [f"{n * 7 % 400 // 60}h {n * 7 % 60}m" for n in range(900)],
        [f"{n * 7919 % 4000 / 10} mg" for n in range(900)],
        [f"{n * 7 % 190} Monate" for n in range(900)],
    ],
)
def test_numbers_with_their_unit_are_measures_and_no_codes(values: list[str]) -> None:
    column = found("c7", values)
    assert (column.role, column.reason.endswith("perhaps a measure") or "amounts" in column.reason) == ("open", True)
    like = look_alikes(pl.DataFrame({"c7": values})).get("c7")
    assert like is None or like.measure
    classes = [f"{grade}{letter}" for grade in range(5, 13) for letter in "abc"]
    assert found("c7", classes * 9).reason.endswith("a category")


def test_who_was_born_when_is_a_birth_date_and_who_was_born_where_is_not() -> None:
    days = [f"{1 + n % 28}.{1 + n % 12}.{1940 + n % 60}" for n in range(300)]
    assert "birth date" in found("born", days).reason
    assert "birth date" in found("born", [1940 + n % 60 for n in range(300)]).reason
    assert found("born", ["Oslo", "Bergen"] * 30).reason.startswith("the name says where somebody was born")
    assert "birth date" in look_alikes(pl.DataFrame({"born": days}))["born"].reason


def test_names_of_columns_that_are_a_row_of_values_are_warned_of() -> None:
    headless = {"34": [20 + n for n in range(30)], "f": ["m", "f"] * 15, "flu": ["flu", "gout", "none"] * 10}
    assert any("no line of names" in note for note in inspect(headless).notes)
    named = {"age": headless["34"], "sex": headless["f"], "flu": headless["flu"]}
    assert not any("no line of names" in note for note in inspect(named).notes)
    with pytest.warns(SafetyWarning, match="no line of names"):
        examined(Table.of(headless), Request(quasi=["34", "f"], sensitive=["flu"], require="k=3"))


def test_an_id_of_few_values_is_a_kind_not_a_person() -> None:
    assert found("id_type", [1, 2, 3] * 20).role == "open"


def test_names_of_people_win_over_a_name_of_the_column_that_says_work() -> None:
    assert found("employee", PATTERNS["names of people"] * 2).pattern == "names of people"


def test_a_weight_that_singles_rows_out_is_said_to() -> None:
    assert "round it" in found("fnlwgt", [n * 7919 for n in range(40)]).reason
    assert "round it" not in found("fnlwgt", [100, 200] * 20).reason


def test_kin_columns_with_the_same_codes_share_a_role_known_by_name() -> None:
    codes = [1, 2, 98] * 20
    table = inspect({"DIABETES": codes, "ASTHMA": codes[::-1], "XQZ": codes, "lone": [1, 2, 97] * 20})
    assert (table["XQZ"].role, table["lone"].role) == ("sensitive", "open")
    assert table["XQZ"].reason == "the same codes as 'DIABETES' and 1 more columns"
    torn = inspect({"DIABETES": codes, "region": codes, "XQZ": codes})
    assert torn["XQZ"].reason.startswith("the name says nothing")


def test_survey_codes_need_company() -> None:
    assert survey_codes(["DEAR", "age", "sex"]) == {}
    known = survey_codes(["DEAR", "PINCP", "MSP", "note"])
    assert {name: role for name, (role, _, _) in known.items()} == {
        "DEAR": "sensitive",
        "PINCP": "sensitive",
        "MSP": "quasi",
    }
    table = inspect({"rb090": ["a", "b"] * 30, "py010n": [1.5, 2.5] * 30, "db040": ["x", "y"] * 30})
    assert [column.role for column in table.columns] == ["quasi", "sensitive", "quasi"]
    assert "living conditions: a place" in table["db040"].reason


def test_counts_and_shares() -> None:
    column = found("town", ["a", "a", "b", None, "c"])
    assert (column.distinct, column.distinct_share, column.missing, column.unique) == (3, 0.6, 0.2, 0.4)
    assert [found("x", values).type for values in ([1], [1.5], [1.0], ["a"], [True], [date(2024, 1, 1)], [None])] == [
        "whole numbers", "numbers", "whole numbers", "text", "yes or no", "dates", "empty",
    ]  # fmt: skip
    assert found("sex", pl.Series(["m", "f"], dtype=pl.Enum(["m", "f"]))).type == "text"


def brute(frame: pl.DataFrame, columns: tuple[str, ...]) -> float:
    rows = Counter(frame.select(columns).rows())
    return sum(times == 1 for times in rows.values()) / frame.height


@pytest.mark.parametrize("seed", range(25))
def test_sets_against_brute_force(seed: int) -> None:
    draw = random.Random(seed)
    names = "abcdef"[: draw.randint(1, 6)]
    rows = draw.choice([1, 2, 9, 40])
    frame = pl.DataFrame(
        {name: draw.choices([None, *range(draw.randint(1, 12))], k=rows) for name in names},
        schema=dict.fromkeys(names, pl.Int64),
    )
    result = search(frame, list(names))
    assert result.notes == ()
    for size in range(1, min(3, len(names)) + 1):
        best = sorted((brute(frame, some) for some in combinations(names, size)), reverse=True)[: singling.SHOWN]
        assert [one.share for one in result.of_size(size)] == best
    assert all(one.share == brute(frame, one.columns) for one in result.sets)
    assert result.together is not None
    assert result.together.share == brute(frame, tuple(names))
    reaching = [one for one in result.sets if one.share >= 0.5]
    assert result.smallest == (reaching[0] if reaching else None)


def test_a_large_table_is_sampled_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"a": range(1000), "b": [n % 3 for n in range(1000)]})
    monkeypatch.setattr(singling, "ROWS", 100)
    result = search(frame, ["a", "b"])
    assert result.notes == ("the sets were judged on a sample of 100 rows; of all rows they single out fewer",)
    assert result == search(frame, ["a", "b"])


def test_too_many_sets_are_cut_to_the_columns_that_promise_most(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({f"c{n}": [row % (n + 2) for row in range(200)] for n in range(12)})
    monkeypatch.setattr(singling, "WORK", 20 * 400)
    result = search(frame, frame.columns)
    assert [note.split(" were ")[0] for note in result.notes] == ["sets of 2", "sets of 3"]
    assert all(one.share == brute(frame, one.columns) for one in result.sets)
    assert search(frame, []).notes == ("no column is a quasi-identifier",)


def test_of_many_quasi_identifiers_two_of_each_topic_are_proposed() -> None:
    names = ["age", "sex", "city", "region", "state", "county", "education", "race", "religion", "language", "job"]
    table = inspect({name: [n % (3 + place) for n in range(200)] for place, name in enumerate(names)})
    assert table.named("open") == ("city", "region", "race")
    assert table["city"].reason == "the name says a place, as 'county' does, of more values"
    assert inspect({name: [n % 9 for n in range(200)] for name in names[:10]}).named("open") == ()


PEOPLE = {
    "name": [
        f"{first} {last}"
        for first in ("Ada", "Ole", "Maria", "Hans", "Wei", "Ida")
        for last in ("Ek", "Li", "Pa", "Xu", "Lo")
    ],
    "age": [n * 7 % 50 + 18 for n in range(30)],
    'home "town"\n': ["Oslo", "Bergen", "Bod\u00f8"] * 10,
    "zip": [f"0{n % 9}234" for n in range(30)],
    "hire date": [date(2000, 1, 1) + timedelta(days=40 * n) for n in range(30)],
    "yearly salary": [1000 * (n * n % 11) + 0.5 for n in range(30)],
    "illness": ["flu", "gout", None] * 10,
    "weights": [1, 2] * 15,
}


def settings(toml: str, folder: Path) -> dict[str, Any]:
    path = folder / "shoal.toml"
    path.write_text(toml, encoding="utf-8")
    return read_config(path)


def test_the_suggestion_reads_back_and_runs(tmp_path: Path) -> None:
    result = inspect(PEOPLE)
    text = result.to_toml("people.csv", separator=";", encoding=None)
    read_back = settings(text, tmp_path)
    assert read_back.pop("file") == str(tmp_path / "people.csv")
    assert read_back.pop("separator") == ";"
    assert read_back.pop("folder") == str(tmp_path / "release")
    assert read_back["quasi"] == ["age", 'home "town"\n', "zip", "hire date"]
    assert read_back["identifiers"] == ["name"]
    assert read_back["require"] == 'k=5 distinct-l("yearly salary")=2 distinct-l(illness)=2'
    release = run(Table.of(PEOPLE), Request(**read_back))
    assert release.certificate.recoding == "range"
    assert release.certificate.models[0]["reached"] >= 5
    with_groups = text.replace('recoding = "range"', 'recoding = "generalize"').replace(
        "# [hierarchies]", "[hierarchies]"
    )
    read_back = settings(re.sub(r"^# (?=.* = \{ builder)", "", with_groups, flags=re.MULTILINE), tmp_path)
    assert {name: spec["builder"] for name, spec in read_back["hierarchies"].items()} == {
        "age": "intervals", "zip": "prefixes", "hire date": "dates",
    }  # fmt: skip


@pytest.mark.parametrize("rows", [1, 2, 4, 7])
def test_the_suggestion_can_be_met_by_a_table_of_few_rows(rows: int, tmp_path: Path) -> None:
    table = {"age": list(range(rows)), "illness": ["flu"] * (rows - 1) + ["gout"]}
    read_back = settings(inspect(table).to_toml(), tmp_path)
    read_back.pop("folder")
    assert run(Table.of(table), Request(**read_back)).certificate.models[0]["reached"] >= min(5, rows)


def test_the_requirement_speaks_of_three_sensitive_columns_and_names_the_rest() -> None:
    toml = inspect({"age": [1, 2] * 9, **{f"{ill} score": [1, 2, 3] * 6 for ill in "abcde"}}).to_toml()
    require = tomllib.loads(toml)["privacy"]["require"]
    assert [model.name for model in parse_requirement(require)] == ["k", "distinct-l", "distinct-l", "distinct-l"]
    assert '# nothing is required yet of "d score", "e score"' in toml


@pytest.mark.parametrize("name", ['"', "\\", "a\nb", "\x00\x7f", "😀 é", "a.b", "# x", "'''"])
def test_any_name_survives_toml(name: str) -> None:
    assert tomllib.loads(f"{toml_value(name)} = {toml_value(name)}") == {name: name}
    toml = inspect({"city " + name: [1, 2, 3] * 10, name: [1, 2, 3] * 10}).to_toml()
    assert tomllib.loads(toml)["roles"]["quasi"] == ["city " + name]
    assert f"#   {toml_value(name)},  # the name says nothing; a code of few values" in toml.splitlines()


def test_no_cell_leaves_the_inspection() -> None:
    cells = [f"zq{n}x" for n in range(40)]
    table = {"note": cells, "city": cells[::-1], "illness": cells, "zip": [f"{77000 + 13 * n}" for n in range(40)]}
    result = inspect(table)
    told = result.to_json() + result.to_toml("f.csv") + repr(result)
    assert not any(cell in told for column in table.values() for cell in column)


def test_json_holds_everything_in_plain_data() -> None:
    content = json.loads(inspect(PEOPLE).to_json())
    assert content["rows"] == 30
    assert [column["role"] for column in content["columns"]] == [
        "identifier", "quasi", "quasi", "quasi", "quasi", "sensitive", "sensitive", "other",
    ]  # fmt: skip
    assert content["singling"]["smallest"]["share"] >= 0.5
    assert content["columns"][6]["missing"] == pytest.approx(1 / 3)


def test_one_row_and_only_missing_values() -> None:
    single = inspect({"name": ["Ada"], "age": [3], "c7": ["x"], "gone": [None]})
    assert [column.role for column in single.columns] == ["identifier", "quasi", "open", "other"]
    assert single.singling.smallest is not None
    missing = inspect(pl.DataFrame({"age": [None] * 5, "x": [None] * 5}, schema={"age": pl.Float64, "x": pl.String}))
    assert missing.named("other") == ("age", "x")
    assert missing.singling.sets == ()
    with pytest.raises(KeyError):
        missing["y"]


@pytest.mark.parametrize("width", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_thousands_of_columns(width: int) -> None:
    draw = np.random.default_rng(0)
    numbers = {f"city{n}": draw.integers(0, 9, 50) for n in range(width * 7 // 10)}
    texts = {f"town{n}": draw.choice(["red", "tan", "blue"], 50) for n in range(width * 3 // 10)}
    result = inspect(pl.DataFrame(numbers | texts))
    assert len(result.columns) == width
    assert len(result.named("open")) == width - 2
    sets = search(pl.DataFrame(numbers | texts), list(numbers | texts))
    assert sets.notes[0].startswith(f"of {width:,} quasi-identifiers only the 40")


def test_a_hundred_thousand_rows() -> None:
    draw = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "id": np.arange(100_000),
            "age": draw.integers(0, 100, 100_000),
            "zip": pl.Series(draw.integers(10_000, 99_999, 100_000)).cast(pl.String),
            "sex": draw.choice(["f", "m"], 100_000),
            "salary": draw.lognormal(10, 1, 100_000),
        }
    )
    result = inspect(frame)
    assert [column.role for column in result.columns] == ["identifier", "quasi", "quasi", "quasi", "sensitive"]
    assert result.singling.smallest is not None
    assert result.singling.smallest.columns == ("age", "zip")


@pytest.mark.slow
def test_agreement_with_the_roles_people_suggested_for_known_tables() -> None:
    folders = sorted(SHARED.glob("*/roles.json"))
    if not folders:
        pytest.skip(
            f"there are no tables with suggested roles in {SHARED.name!r}; set SHOAL_SHARED_DATA to their folder"
        )
    right, decided = {}, {}
    for path in folders:
        about = json.loads(path.read_text(encoding="utf-8"))
        result = inspect(read(path.parent / about["main"], separator=about["sep"]))
        expected = {name: role for key, role in LISTED.items() for name in about["roles"].get(key, [])}
        proposed = {name: result[name].role for name in expected if result[name].role != "open"}
        decided[path.parent.name] = len(proposed)
        right[path.parent.name] = sum(role == expected[name] for name, role in proposed.items())
        identifiers = [name for name, role in expected.items() if role == "identifier"]
        assert not [name for name in identifiers if result[name].role not in ("identifier", "open")]
    assert {name: share for name in decided if (share := right[name] / decided[name]) < 0.6} == {}
    assert sum(right.values()) >= 0.85 * sum(decided.values())


def test_a_notebook_shows_a_row_for_each_column() -> None:
    found = inspect({"email": ["a@b.no", "c@d.no"], "age": [30, 40], "<i>": ["x", "x"]})
    text = found._repr_html_()
    assert "<td>email</td><td>identifier</td>" in text
    assert text.count("<svg") == 3 + len(found.ranking)
    assert "<i>" not in text
    assert "a@b.no" not in text
