import random
import re
import string
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from benchmarks.inspection import measured, named

from shoal.inspection import look_alikes as module
from shoal.inspection import national_numbers, profile
from shoal.inspection.look_alikes import LookAlike, look_alikes
from shoal.tables import name_rules
from shoal.tables.column_names import Rule

ROWS = 300
DRAW = random.Random(7)
LETTERS = string.ascii_uppercase


def made(value: Callable[[int], Any], people: int = ROWS) -> list[Any]:
    """Return a value a row; with fewer people than rows they repeat, as in several visits."""
    values = [value(number) for number in range(people)]
    return values if people == ROWS else DRAW.choices(values, k=ROWS)


def pick(*words: str) -> str:
    return DRAW.choice(words)


def number(low: int, high: int) -> int:
    return DRAW.randint(low, high)


def letters(many: int) -> str:
    return "".join(DRAW.choices(LETTERS, k=many))


def moment() -> datetime:
    return datetime(2024, 1, 1) + timedelta(minutes=number(0, 500_000))


def checked(digits: str) -> str:
    return next(digits + last for last in "0123456789" if national_numbers.passes_luhn(digits + last))


def person() -> str:
    given = pick(
        "Kari", "Jürgen", "Małgorzata", "Núria", "Oğuz", "Jiří", "Väinö", "Solène", "Wouter", "Siobhán", "Rohit"
    )
    return f"{given} {pick('Oterholm', 'Kerkhof', 'Lindqvist', 'Yılmaz', 'Dvořák', 'Szczepański', 'Bevilacqua')}"


UNNAMED: dict[str, list[Any]] = {
    "e-mails that repeat": made(lambda n: f"p{n}@post{n % 9}.example", 80),
    "a few e-mails": [f"x{n}@mail.example" if n % 25 == 0 else "call back later" for n in range(ROWS)],
    "e-mails or phones": made(
        lambda n: pick(f"a{n}@x.example", f"+47 {number(10, 99)} {number(10, 99)} {number(1000, 9999)}")
    ),
    "phones in France": made(lambda n: "06 " + " ".join(f"{number(10, 99)}" for _ in range(4))),
    "phones in remarks": [
        f"ring +49 170 {number(10**6, 10**7)}" if n % 20 == 0 else "asked again" for n in range(ROWS)
    ],
    "people": made(lambda n: person(), 250),
    "people in capitals": made(lambda n: ", ".join(reversed(person().upper().split()))),
    "people in Chinese": made(lambda n: pick(*"王李张刘陈") + pick(*"伟芳娜敏静丽强磊") + pick("", "明", "华"), 60),
    "people in Japanese": made(
        lambda n: pick("佐藤", "鈴木", "高橋", "中村") + pick("健", "翔太", "さくら", "花子", "美咲", "大輔"), 80
    ),
    "people in Russian": made(
        lambda n: f"{pick('Иванов', 'Петрова', 'Сидоренко')} {pick('Иван', 'Анна', 'Ольга')} {letters(1)}", 70
    ),
    "people with titles": made(lambda n: f"Dr {pick('Patel', 'Oterholm', 'Kerkhof')}"),
    "remarks that repeat": made(lambda n: f"Seen by the nurse, {pick('stable', 'worse')}, review in {n} days", 80),
    "numbers stored as floats": [float(100_000 + n * 37) for n in range(ROWS)],
    "numbers stored as floats with one broken": [*(float(10**7 + n * 37) for n in range(ROWS - 1)), 0.5],
    "long numbers that repeat often": made(lambda n: 100_000_000 + n * 7919, 60),
    "long numbers that repeat": made(lambda n: 100_000_000 + n * 7919, 150),
    "codes that repeat": made(lambda n: f"PAT-{n * 17:06d}", 120),
    "numbers among odd texts": [
        pick("n/a", "?", "-") if n % 9 == 0 else str(number(10**7, 10**8)) for n in range(ROWS)
    ],
    "numbers where most have none": [str(number(10**8, 10**9)) if n % 3 == 0 else "none" for n in range(ROWS)],
    "digits with separators": made(lambda n: f"{number(100, 999)}.{number(100, 999)}.{number(100, 999)}"),
    "hashes that repeat": made(lambda n: f"{DRAW.getrandbits(128):032x}", 60),
    "moments": [moment() for _ in range(ROWS)],
    "moments as text": [moment().strftime("%d.%m.%Y %H:%M") for _ in range(ROWS)],
    "seconds since 1970": [1.7e9 + number(0, 10**7) for _ in range(ROWS)],
    "milliseconds since 1970": [1_700_000_000_000 + number(0, 10**10) for _ in range(ROWS)],
    "network addresses": made(lambda n: f"10.{n % 5}.{number(0, 255)}.{number(0, 255)}", 50),
    "cards of networks": made(lambda n: ":".join(f"{number(0, 255):02X}" for _ in range(6)), 90),
    "pages": made(lambda n: f"https://net.example/in/user-{n}", 90),
    "handles": made(lambda n: f"@some_{n}", 90),
    "points": made(lambda n: f"{DRAW.uniform(47, 49):.5f}, {DRAW.uniform(12, 17):.5f}", 90),
    "plates": made(lambda n: f"{letters(2)}-{number(100, 999)}-{letters(2)}", 150),
    "phones by their numbers": made(lambda n: checked(f"35{number(10**11, 10**12 - 1)}"), 100),
    "remarks": [
        pick("none", "", f"came with {pick('mother', 'son')} and complained for {n} days about pain")
        for n in range(ROWS)
    ],
    "streets in German": made(
        lambda n: f"{pick('Linden', 'Haupt')}{pick('straße', 'str.', 'weg')} {number(1, 99)}", 80
    ),
    "streets in Polish": made(lambda n: f"ul. {pick('Długa', 'Polna')} {number(1, 99)}/{number(1, 20)}", 80),
    "streets in French": made(lambda n: f"{number(1, 99)} rue {pick('de la Paix', 'des Lilas')}", 80),
    "streets in Italian": made(lambda n: f"Via {pick('Roma', 'Dante')}, {number(1, 99)}", 80),
    "streets in Finnish": made(lambda n: f"{pick('Koivu', 'Hämeen')}{pick('tie', 'katu')} {number(1, 99)} A", 80),
    "streets in Czech": made(lambda n: f"{pick('Nádražní', 'Masarykova', 'Školní')} {number(1, 999)}", 200),
    "national numbers of Italy": made(
        lambda n: (
            f"{letters(6)}{number(10, 99)}{pick(*'ABCDEH')}{number(10, 71)}{letters(1)}{number(100, 999)}{letters(1)}"
        ),
        90,
    ),
    "national numbers of Denmark": made(
        lambda n: f"{number(1, 28):02d}{number(1, 12):02d}{number(50, 99)}-{number(1000, 9999)}", 90
    ),
    "whole numbers that rise": list(range(1000, 1000 + ROWS)),
}
"""Values that identify people, under a name that says nothing."""

NAMED: dict[str, list[Any]] = {
    "Subject": [308 + n // 10 for n in range(180)] + [326] * 120,
    "patient_nbr": [number(135, 189_502_619) for _ in range(215)] + [number(1, 9) * 1000 for _ in range(85)],
    "Kundennummer": made(lambda n: 10_000 + n, 40),
    "case no.": list(range(1, ROWS + 1)),
    "identifiant": made(lambda n: f"u{n}", 90),
    "lat": [DRAW.uniform(47, 49) for _ in range(ROWS)],
    "Longitude": [round(DRAW.uniform(12, 17), 4) for _ in range(ROWS)],
    "X": [round(DRAW.uniform(4, 7), 6) for _ in range(ROWS)],
    "geburtsdatum": [date(1950, 1, 1) + timedelta(days=number(0, 20_000)) for _ in range(ROWS)],
    "dob": [f"{number(1, 28)}/{number(1, 12)}/{number(1940, 2005)}" for _ in range(ROWS)],
    "Anmerkungen": made(lambda n: f"siehe Akte {n}"),
    "fødselsnummer": made(lambda n: number(10**10, 10**11), 120),
    "name": made(lambda n: f"Q{letters(5).lower()}", 6),
}

HARMLESS: dict[str, list[Any]] = {
    "age": [number(18, 90) for _ in range(ROWS)],
    "discharge_disposition_id": [number(1, 26) for _ in range(ROWS)],
    "admission_type_id": [number(1, 8) for _ in range(ROWS)],
    "zip": [str(number(10_000, 10_060)) for _ in range(ROWS)],
    "diag_1": made(lambda n: f"{pick(*'EJIK')}{number(10, 60)}.{number(0, 9)}"),
    "occupation": made(lambda n: pick("nurse", "teacher", "farmer", "clerk")),
    "hospital_id": [number(100, 112) for _ in range(ROWS)],
    "medication": made(lambda n: f"{pick('Metformin', 'Aspirin', 'Ramipril')} {pick('5', '10', '20')} mg"),
    "answer": made(
        lambda n: pick("Yes, within the last twelve months", "No, I have never had it", "I do not want to say")
    ),
    "city": made(
        lambda n: pick(
            "Charlotte", "Victoria", "Paris", "Lincoln", "Oslo", "Boston", "Denver", "Tampa", "Omaha", "Newark"
        )
    ),
    "year": [number(1990, 2020) for _ in range(ROWS)],
    "visit date": [date(2020, 1, 1) + timedelta(days=number(0, 60)) for _ in range(ROWS)],
    "export time": [datetime(2020, 1, 1) + timedelta(days=number(0, 60)) for _ in range(ROWS)],
    "score": [number(0, 100) for _ in range(ROWS)],
    "email_opt_in": made(lambda n: pick("yes", "no")),
    "phone_type": made(lambda n: pick("home", "work")),
    "number_of_visits": [number(0, 30) for _ in range(ROWS)],
    "person_no": [number(1, 6) for _ in range(ROWS)],
    "product": made(lambda n: f"SKU-{number(1, 30):04d}"),
    "lat": [round(DRAW.uniform(47, 49), 1) for _ in range(ROWS)],
    "c50": [number(0, 50) for _ in range(ROWS)],
    "answered": [n % 2 == 0 for n in range(ROWS)],
    "empty": [None] * ROWS,
}

MEASURES: dict[str, list[Any]] = {
    "salary": [number(20_000, 90_000) for _ in range(ROWS)],
    "Gehalt": [DRAW.uniform(20_000, 90_000) for _ in range(ROWS)],
    "lön": [number(20_000, 90_000) for _ in range(ROWS)],
    "systolic": [round(DRAW.gauss(120, 20), 2) for _ in range(ROWS)],
    "weight": [round(DRAW.uniform(50, 99), 2) for _ in range(ROWS)],
    "c60": [DRAW.uniform(0, 1) for _ in range(ROWS)],
    "income": [f"{number(20_000, 90_000):,}.{number(10, 99)}" for _ in range(ROWS)],
    "montant": [f"{number(20_000, 90_000)},{number(10, 99)}" for _ in range(ROWS)],
    "claims": [0 if n % 3 else round(DRAW.uniform(10, 9999), 2) for n in range(ROWS)],
}


def found(name: str, values: list[Any]) -> LookAlike | None:
    return look_alikes(pl.DataFrame({name: values}, strict=False)).get(name)


@pytest.mark.parametrize("kind", UNNAMED)
def test_values_that_identify_people_are_found_under_any_name(kind: str) -> None:
    like = found("c7", UNNAMED[kind])
    assert like is not None
    assert not like.measure


@pytest.mark.parametrize("kind", UNNAMED)
def test_missing_and_odd_values_hide_nothing(kind: str) -> None:
    values = [
        None if n % 10 == 3 else "?" if n % 17 == 0 and isinstance(value, str) else value
        for n, value in enumerate(UNNAMED[kind])
    ]
    assert found("c7", values) is not None


@pytest.mark.parametrize("name", NAMED)
def test_names_that_say_a_person_are_believed(name: str) -> None:
    like = found(name, NAMED[name])
    assert like is not None
    assert not like.measure
    assert found(name, [str(value) for value in NAMED[name]]) is not None, "as texts"


@pytest.mark.parametrize("name", HARMLESS)
def test_kinds_counts_and_categories_are_not_refused(name: str) -> None:
    assert found(name, HARMLESS[name]) is None


@pytest.mark.parametrize("name", MEASURES)
def test_continuous_measures_are_told_apart_from_numbers_of_people(name: str) -> None:
    like = found(name, MEASURES[name])
    assert like is not None
    assert like.measure


WORDS = """
    patient_id PatientNo cust_no staff_no member_id insurance_no passport_no licence_plate ip_address username
    Patientennummer KundenNr Versichertennummer Vorname Nachname Telefonnummer Anschrift Kennzeichen Aktenzeichen
    numero_dossier nom_patient prénom téléphone adresse courriel immatriculation identifiant matricule
    id_paciente numero_cliente apellidos teléfono dirección DNI matrícula legajo correo
    codice_fiscale cognome indirizzo matricola telefono targa numero_cliente
    numero_utente nome_completo morada telemóvel CPF endereço id_paciente
    BSN achternaam klantnummer telefoonnummer kenteken huisnummer patientnummer
    personnummer efternamn kundnummer telefonnummer journalnummer gatuadress
    fødselsnummer etternavn pasient_id kundenr mobilnummer gateadresse cpr efternavn journalnummer
    henkilötunnus sukunimi asiakasnumero puhelinnumero katuosoite potilastunnus
    PESEL nazwisko numer_pacjenta telefon adres numer_konta
    rodné_číslo příjmení číslo_pacienta telefon adresa
    TCKN soyadı hasta_no telefon müşteri_no pasaport_no
    фамилия СНИЛС номер_пациента телефон адрес
    姓名 身份证号 患者编号 手机号 地址 病历号
    氏名 患者番号 電話番号 住所 マイナンバー
    주민등록번호 환자번호 이름
"""


@pytest.mark.parametrize("name", WORDS.split())
def test_identifiers_are_known_by_name_in_many_languages(name: str) -> None:
    like = found(name, made(lambda n: f"v{10_000 + 7 * n}", 100))
    assert like is not None
    assert like.reason.startswith("the name says ")


@pytest.mark.parametrize(
    "kind", ["e-mails that repeat", "people", "streets in German", "national numbers of Italy", "network addresses"]
)
def test_in_a_small_table_kinds_of_values_decide(kind: str) -> None:
    assert found("c7", list(dict.fromkeys(UNNAMED[kind]))[:8]) is not None


def test_in_a_small_table_that_no_two_values_are_equal_says_nothing() -> None:
    assert (
        look_alikes(
            pl.DataFrame({"age": [31, 42, 53], "town": ["Oslo", "Bergen", "Bod\u00f8"], "pay": [1.5, 2.5, 3.5]})
        )
        == {}
    )


NATIONAL = {
    "Norway": "01010050053", "Brazil": "52998224725", "Poland": "44051401359", "Turkey": "10000000146",
    "Germany": "86095742719", "Belgium": "85073003328", "Estonia or Lithuania": "37605030299",
    "Argentina": "20123456786", "Russia": "11223344595", "Austria": "1237010180",
    "the National Health Service": "9434765919", "Bulgaria": "7523169263", "the Netherlands": "111222333",
    "Portugal": "123456789", "Australia": "123456782", "Canada or Israel": "046454286", "Switzerland": "7569217076985",
    "Romania": "1800101221144", "South Africa": "8001015009087", "France": "255081416802538",
    "Japan": "123456789018", "Czechia or Slovakia": "7103192745",
}  # fmt: skip


@pytest.mark.parametrize("country", NATIONAL)
def test_check_digits_of_countries(country: str) -> None:
    digits = NATIONAL[country]
    checks = [check for name, length, check in national_numbers.CHECKED if name == country and length == len(digits)]
    assert any(check(digits) for check in checks)
    others = [digits[:-1] + last for last in "0123456789" if last != digits[-1]]
    assert sum(check(other) for check in checks for other in others) <= 1


def test_a_long_column_is_judged_by_a_sample_as_by_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    people = [n * 7919 % 6007 + 10**6 for n in range(9000)]
    rare = [f"P{n * 7919:08d}" if n % 20 == 0 else "none" for n in range(9000)]
    own, few = [f"k{n}z" for n in range(9000)], [n % 26 for n in range(9000)]
    frame = pl.DataFrame({"own": own, "twice": people, "rare": rare, "few": few})
    exact = look_alikes(frame)
    monkeypatch.setattr(profile, "LONG", 1000)
    monkeypatch.setattr(profile, "KEPT", 500)
    assert set(look_alikes(frame)) == set(exact) == {"own", "twice", "rare"}
    estimated = profile.Profile(frame["twice"], estimate=True)
    assert estimated.distinct == pytest.approx(6007, rel=0.2)
    assert estimated.alone == pytest.approx(3014, rel=0.3)


def test_no_cell_is_in_a_reason() -> None:
    for values in UNNAMED.values():
        like = found("c7", values)
        assert like is not None
        assert not any(str(value) in like.reason for value in values if value is not None and len(str(value)) > 4)


def test_types_that_hold_no_plain_values_are_passed_over() -> None:
    frame = pl.DataFrame(
        {"list": [[1], [2]], "bytes": [b"a", b"b"], "enum": pl.Series(["a", "b"], dtype=pl.Enum(["a", "b"]))}
    )
    assert look_alikes(frame) == {}
    assert module.MEASURES


def test_no_identifier_of_the_lists_of_names_is_missed() -> None:
    found = [measured(table, roles) for _, table, roles in named()]
    counts = sum((one for one, _ in found), Counter[str]())
    assert (counts["missed"], counts["wrong"]) == (0, 0)
    assert counts["right"] >= 0.99 * counts["columns"]


def test_every_rule_of_names_reads_and_none_repeats_a_word() -> None:
    rules = [rule for rule in vars(name_rules).values() if isinstance(rule, Rule)]
    rules += [
        one for many in vars(name_rules).values() if isinstance(many, tuple) for one in many if isinstance(one, Rule)
    ]
    for rule in rules:
        assert rule.pattern.pattern
        assert "{" not in re.sub(r"\{\d+,?\d*\}", "", rule.words)
        assert len(set(rule.words.split())) == len(rule.words.split()), rule.words
