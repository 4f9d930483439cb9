"""Files of every format made from a real survey by the formats' own libraries: labels and cells come back one by one.

The second reader is pyreadstat or pandas, which know nothing of shoal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyreadstat
import pytest

import shoal
from shoal.core.errors import TableError
from shoal.release.release import sorted_rows
from shoal.tables.table import TABLE, read

FILE = Path(__file__).parents[3] / "shared" / "data" / "eusilc" / "eusilc.csv.gz"
pytestmark = pytest.mark.skipif(not FILE.is_file(), reason="there is no ../shared/data beside the repository")

QUASI, SENSITIVE = ["db040", "hsize", "age", "rb090", "pl030"], ["py010n", "hy040n"]
LABELS: dict[str, Any] = {
    "db040": "Region",
    "hsize": "Number of persons in the household",
    "age": "Age in years",
    "rb090": "Sex",
    "pl030": "Self-defined current economic status",
    "py010n": "Employee cash or near cash income",
    "hy040n": "Income from rental of a property or land",
    "rb030": "Personal ID",
}
STATUS = {
    1: "working full time",
    2: "working part time",
    3: "unemployed",
    4: "pupil or student",
    5: "in retirement",
    6: "permanently disabled",
    7: "domestic tasks",
}
VALUES: dict[str, dict[Any, str]] = {"pl030": STATUS, "rb090": {1: "male", 2: "female"}}
ROWS = 1_500
ASKED: dict[str, Any] = {"quasi": QUASI, "sensitive": SENSITIVE, "identifiers": ["rb030"], "require": "k=5"}


@cache
def survey() -> pl.DataFrame:
    """The first people of EU-SILC, with codes for status and sex as the survey has them."""
    sexes = {text: code for code, text in VALUES["rb090"].items()}
    frame = pl.read_csv(FILE, n_rows=ROWS, infer_schema_length=None).select(*LABELS)
    return frame.with_columns(
        pl.col("rb090").replace_strict(sexes, return_dtype=pl.Int32),
        pl.col("hsize", "age", "pl030", "rb030").cast(pl.Int32),
        pl.col("hy040n").cast(pl.Float64),
    )


def released(file: Path, folder: Path) -> shoal.Release:
    """A verified release of a file, in its own format."""
    made = shoal.anonymize(file, **ASKED, method="mondrian", recoding="range", allow=SENSITIVE)
    made.save(folder)
    assert shoal.verify(folder, original=file).failures == []
    return made


def shown(release: shoal.Release) -> pl.DataFrame:
    """What is published, in the order of the files."""
    table = release.shown[TABLE]
    return table.part(sorted_rows(table))


def same_numbers(found: Any, name: str) -> bool:
    """Whether a column has the values of the survey, whatever their order."""
    return Counter(map(_text, found)) == Counter(map(_text, survey()[name].to_list()))


def _text(cell: Any) -> str | None:
    return None if pd.isna(cell) else f"{float(cell):.12g}"


WRITE: dict[str, Callable[[Path], Any]] = {
    ".sav": lambda path: pyreadstat.write_sav(
        survey(), path, file_label="EU-SILC", column_labels=LABELS, variable_value_labels=VALUES
    ),
    ".zsav": lambda path: pyreadstat.write_sav(
        survey(), path, file_label="EU-SILC", column_labels=LABELS, variable_value_labels=VALUES, compress=True
    ),
    ".dta": lambda path: pyreadstat.write_dta(
        survey(), path, file_label="EU-SILC", column_labels=LABELS, variable_value_labels=VALUES, version=15
    ),
    ".xpt": lambda path: pyreadstat.write_xport(survey(), path, file_label="EU-SILC", column_labels=LABELS),
}
READ: dict[str, Callable[..., tuple[pl.DataFrame, Any]]] = {
    ".sav": pyreadstat.read_sav,
    ".zsav": pyreadstat.read_sav,
    ".dta": pyreadstat.read_dta,
    ".xpt": pyreadstat.read_xport,
}


@pytest.mark.parametrize("suffix", WRITE)
def test_labels_of_a_survey_come_back_one_by_one(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"survey{suffix}"
    WRITE[suffix](file)
    before = READ[suffix](file, output_format="polars")[1]
    release = released(file, tmp_path / "out")
    frame, after = READ[suffix](tmp_path / "out" / "public" / f"table{suffix}", output_format="polars")
    kept = [name for name in before.column_names if name != "rb030"]
    assert after.column_names == kept
    assert after.file_label == before.file_label == "EU-SILC"
    for name in kept:
        assert after.column_names_to_labels[name] == before.column_names_to_labels[name] == LABELS[name]
    for name, labels in before.variable_value_labels.items():
        stated = after.variable_value_labels[name]
        for code, text in labels.items():
            assert stated[code] == text == VALUES[name][int(code)]
    for name in SENSITIVE:
        assert same_numbers(frame[name].to_list(), name)
    assert frame.height == len(shown(release)) == ROWS
    if suffix != ".xpt":  # codes of cells, read by their labels, are what is published
        labelled = pl.Series(frame["pl030"]).cast(pl.Float64).replace_strict(after.variable_value_labels["pl030"])
        assert labelled.to_list() == shown(release)["pl030"].cast(pl.String).to_list()


def test_pandas_reads_the_labels_of_a_stata_file(tmp_path: Path) -> None:
    file = tmp_path / "survey.dta"
    WRITE[".dta"](file)
    release = released(file, tmp_path / "out")
    with pd.io.stata.StataReader(tmp_path / "out" / "public" / "table.dta") as opened:
        frame = opened.read()
        columns = opened.variable_labels()
    assert {name: columns[name] for name in QUASI} == {name: LABELS[name] for name in QUASI}
    assert [None if pd.isna(cell) else str(cell) for cell in frame["pl030"]] == shown(release)["pl030"].cast(
        pl.String
    ).to_list()
    assert same_numbers(frame["py010n"].tolist(), "py010n")


PLAIN: dict[str, tuple[Callable[[Any, Path], Any], Callable[[Path], Any]]] = {
    ".csv": (lambda frame, path: frame.to_csv(path, index=False), pd.read_csv),
    ".csv.gz": (lambda frame, path: frame.to_csv(path, index=False), pd.read_csv),
    ".csv.bz2": (lambda frame, path: frame.to_csv(path, index=False), pd.read_csv),
    ".csv.zst": (lambda frame, path: frame.to_csv(path, index=False), pd.read_csv),
    ".csv.zip": (lambda frame, path: frame.to_csv(path, index=False), pd.read_csv),
    ".jsonl": (
        lambda frame, path: frame.to_json(path, orient="records", lines=True),
        lambda path: pd.read_json(path, lines=True),
    ),
    ".parquet": (lambda frame, path: frame.to_parquet(path), pd.read_parquet),
    ".feather": (lambda frame, path: frame.to_feather(path), pd.read_feather),
}
"""By suffix, how pandas writes and reads a file."""


@pytest.mark.parametrize("suffix", PLAIN)
def test_cells_of_a_survey_come_back_as_pandas_reads_them(tmp_path: Path, suffix: str) -> None:
    put, get = PLAIN[suffix]
    file = tmp_path / f"survey{suffix}"
    put(survey().to_pandas(), file)
    release = shoal.anonymize(file, **ASKED, method="mondrian", recoding="range", allow=SENSITIVE)
    format = {".feather": "arrow"}.get(suffix, suffix[1:])
    folder = release.save(tmp_path / "out", format=format)
    assert shoal.verify(folder, original=file).failures == []
    (path,) = (folder / "public").glob("table.*")
    found = get(path)
    assert list(found.columns) == [*QUASI, *SENSITIVE]
    for name in SENSITIVE:
        assert same_numbers(found[name].tolist(), name)
    assert found["db040"].tolist() == shown(release)["db040"].to_list()


@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
def test_cells_of_a_survey_come_back_from_a_workbook(tmp_path: Path, suffix: str) -> None:
    reader = {".xlsx": "openpyxl", ".ods": "odf"}[suffix]
    file = tmp_path / "survey.xlsx"
    survey().to_pandas().to_excel(file, sheet_name="people", index=False, engine="xlsxwriter")
    release = shoal.anonymize(file, **ASKED, method="mondrian", recoding="range", allow=SENSITIVE)
    folder = release.save(tmp_path / "out", format=suffix[1:])
    assert shoal.verify(folder, original=file).failures == []
    pytest.importorskip(reader, reason=f"pandas reads {suffix} by {reader}, which is not installed")
    found = pd.read_excel(folder / "public" / f"table{suffix}", engine=reader)
    assert list(found.columns) == [*QUASI, *SENSITIVE]
    for name in SENSITIVE:
        assert same_numbers(found[name].tolist(), name)
    assert found["db040"].tolist() == shown(release)["db040"].to_list()


@pytest.mark.parametrize("suffix", [*WRITE, *(one for one in PLAIN if one != ".csv"), ".xlsx"])
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_file_of_a_survey_that_is_cut_off_is_refused_without_a_cell(
    tmp_path: Path, suffix: str, share: float
) -> None:
    file = tmp_path / f"survey{suffix}"
    if suffix == ".xlsx":
        survey().to_pandas().to_excel(file, index=False, engine="xlsxwriter")
    elif suffix in WRITE:
        WRITE[suffix](file)
    else:
        PLAIN[suffix][0](survey().to_pandas(), file)
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * share) | 1])  # a transport file may end after any record
    with pytest.raises(TableError) as caught:
        read(file)
    assert file.name in str(caught.value)
    assert not any(town in str(caught.value) for town in survey()["db040"].unique())
