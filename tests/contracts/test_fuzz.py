"""Anything at all is either understood or refused: files of any bytes, settings of any text, tables through any method.

`SHOAL_FUZZ_SEED` in the environment says with which table the long run starts.
"""

import os
import sys
import tomllib
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.contracts.test_method_laws import Run, the_audit_of_the_published_cells_confirms_every_model
from tests.strategies import QUASI, SENSITIVE, Case, case_of
from tests.tables.csv_bytes import read_csv
from tests.thorough import examples, many

from shoal.config import FREE, KEYS, read_config
from shoal.core.errors import ShoalError
from shoal.methods.auto import methods
from shoal.recoding.recode import recodings

TABLES = many(1200)
SEED = int(os.environ.get("SHOAL_FUZZ_SEED", "0"))
PARTS = 2
"""In how many tests the long run is cut, so that they may run side by side."""

# --- files -----------------------------------------------------------------------------------------------------------

PIECES = (
    *(b"a", b"b", b"1", b"-2.5", b"1e400", b"nan", b"inf", b"true", b"007", b"2020-02-30", b"0000-00-00", b"=1+1"),
    *(b",", b";", b"\t", b"|", b'"', b'""', b"\n", b"\r", b"\r\n", b" ", b"*", b"\\*", b"#", b"\x00", b"\x0b"),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b", b"\xe5", b"\x81", "å\u2028".encode()),
)
"""What goes wrong in files."""
starts = st.sampled_from([b"", b"a,b\n", b"a;b\r\n", b"a\n", b"\xef\xbb\xbfa,b\n", b"\xff\xfe"])
pieces = st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join)
whole_files = st.one_of(st.binary(max_size=200), st.tuples(starts, pieces).map(b"".join))


@settings(max_examples=examples(500))
@given(content=whole_files)
@example(content=b"a" * 200_000 + b",b\n1,2\n")
@example(content=b"a,b\n" + b"x" * 200_000 + b",1\ny\n")
def test_any_bytes_are_a_table_or_an_error_in_words(content: bytes) -> None:
    with suppress(ShoalError):
        assert read_csv(content, "any.csv").rows


# --- settings --------------------------------------------------------------------------------------------------------

WORDS = [*KEYS, *FREE, *(key for keys in KEYS.values() for key in keys), "age", "", "k=2", "t(a:m.csv)=1", ".", "\x00"]
words = st.one_of(st.sampled_from(WORDS), st.text(max_size=8))
scalars = st.one_of(st.booleans(), st.integers(), st.floats(), words, st.dates(), st.times(), st.datetimes())
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=3)),
    max_leaves=6,
)
sections = st.dictionaries(words, st.one_of(values, st.dictionaries(words, values, max_size=4)), max_size=4)


def toml(value: object) -> str:
    """Write a value as TOML reads it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(key)} = {toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(letter):08x}" for letter in value) + '"'
    return str(value).lower() if isinstance(value, bool | float) else str(value)


def check_settings(path: Path, text: str) -> None:
    """Guarantees that a file is read as settings, or refused."""
    path.write_text(text, encoding="utf-8", newline="")
    with suppress(ShoalError):
        assert isinstance(read_config(path), dict)


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=sections)
def test_any_settings_are_read_or_refused(tmp_path: Path, content: dict[str, object]) -> None:
    text = "".join(f"{toml(key)} = {toml(value)}\n" for key, value in content.items())
    tomllib.loads(text)
    check_settings(tmp_path / "shoal.toml", text)


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(st.one_of(words, st.sampled_from(["[", "]", "=", "\n", '"', "{", "}", ",", "1", "'"])), max_size=20)
)
def test_any_text_is_settings_or_refused(tmp_path: Path, parts: list[str]) -> None:
    check_settings(tmp_path / "shoal.toml", "".join(parts))


# --- tables ----------------------------------------------------------------------------------------------------------

ASKED = (
    "k=2",
    "k=3",
    "l(illness)=2",
    "k=2 distinct-l(illness)=2",
    "t(salary:ordered)=1/2",
    "k=2 entropy-l(illness)=3/2",
)


def random_case(random: Random) -> Case:
    """One to eight rows, one to three quasi-identifiers of any kind, missing values among them."""
    names = [*random.sample(list(QUASI), random.randint(1, 3)), *SENSITIVE]
    rows = random.randint(1, 8)
    pools = {name: [*(QUASI | SENSITIVE)[name].pool, *([None] if name in QUASI else [])] for name in names}
    columns = {
        name: random.choices(random.sample(pool, random.randint(1, len(pool))), k=rows) for name, pool in pools.items()
    }
    dropped = random.choice([Fraction(0), Fraction(1, 4)])
    return case_of(columns, random.choice(ASKED), recoding=random.choice(list(recodings())), max_dropped=dropped)


def publishes(case: Case, method: str) -> bool:
    """Send one table through a method: whether it is published, which the audit of its cells confirms."""
    run = Run.of(case, method)
    if run.solution is not None:
        the_audit_of_the_published_cells_confirms_every_model(run)
    return run.solution is not None


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_many_random_tables_go_through_every_method(part: int, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = range(SEED + part, SEED + TABLES, PARTS)
    published = dict.fromkeys(methods(), 0)
    for case in (random_case(Random(number)) for number in numbers):
        for method in published:
            published[method] += publishes(case, method)
    with capsys.disabled():
        print(
            f"\n{len(numbers):,} random tables from {SEED + part:,}, of which published: {published}", file=sys.stderr
        )
    assert all(published.values())
