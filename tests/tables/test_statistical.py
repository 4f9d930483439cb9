"""Files of statistics packages: what they say of columns comes back in the release, label by label."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat
import pytest
from tests.tables.surveys import FRAME, LABELS, ROLES, ROWS, VALUES, WORDS, write_survey

import shoal
from shoal.core.errors import ParameterError, TableError
from shoal.tables.labels import Labels, Variable
from shoal.tables.readers.sas import Sas
from shoal.tables.table import read
from shoal.tables.writers.base import LabelWriter, writer_of
from shoal.tables.writing import write

READ: dict[str, Callable[..., tuple[pl.DataFrame, Any]]] = {
    ".sav": pyreadstat.read_sav,
    ".zsav": pyreadstat.read_sav,
    ".dta": pyreadstat.read_dta,
    ".xpt": pyreadstat.read_xport,
}
LABELLED = [".sav", ".zsav", ".dta"]


def opened(path: Path, **more: Any) -> tuple[pl.DataFrame, Any]:
    """What the formats' own library finds in a file."""
    return READ[path.suffix](path, output_format="polars", **more)


def released(tmp_path: Path, suffix: str, **more: Any) -> Path:
    """A release of the survey in the format that it came in."""
    file = write_survey(tmp_path / f"survey{suffix}")
    release = shoal.anonymize(file, **{**ROLES, "require": "k=4", **more})
    folder = release.save(tmp_path / "out")
    assert shoal.verify(folder, original=file).failures == []
    return folder / "public" / f"table{suffix}"


@pytest.mark.parametrize("suffix", READ)
def test_columns_are_read_with_their_types(tmp_path: Path, suffix: str) -> None:
    found = read(write_survey(tmp_path / f"survey{suffix}"))
    meant = FRAME if suffix == ".xpt" else WORDS
    if "sav" in suffix:
        meant = meant.with_columns(pl.col("sex").replace("refused", None))
        meant = meant.with_columns(pl.col("school").cast(pl.Enum(list(VALUES["school"].values()))))
    assert found.frame.schema == meant.schema
    assert found.frame.equals(meant)
    assert found.origin.format == suffix[1:]


@pytest.mark.parametrize("suffix", LABELLED)
def test_every_label_survives_into_the_release(tmp_path: Path, suffix: str) -> None:
    path = released(tmp_path, suffix)
    before = opened(tmp_path / f"survey{suffix}", user_missing="sav" in suffix)[1]
    frame, after = opened(path, user_missing="sav" in suffix)
    kept = [name for name in before.column_names if name != "person"]
    assert after.column_names == kept
    assert after.file_label == "A survey"
    for name in kept:
        assert after.column_names_to_labels[name] == LABELS[name]
    for name in VALUES:
        shared = {code: text for code, text in after.variable_value_labels[name].items() if code in VALUES[name]}
        assert shared == VALUES[name]
    for name in ("mood", "born", "pay"):
        assert after.original_variable_types[name] == before.original_variable_types[name]
    if "sav" in suffix:
        assert after.notes == []  # what they say, nobody has looked at
        assert after.missing_ranges == before.missing_ranges
        assert [after.variable_measure[name] for name in ("sex", "school")] == ["nominal", "ordinal"]
        assert {name: after.variable_display_width[name] for name in ("mood", "town")} == {"mood": 12, "town": 20}
    assert frame["mood"].sort().to_list() == sorted(FRAME["mood"].to_list())


@pytest.mark.parametrize("suffix", LABELLED)
def test_a_generalized_cell_has_a_code_and_a_label_of_its_own(tmp_path: Path, suffix: str) -> None:
    tree = {"school": {"at most secondary": ["primary", "secondary"], "higher": ["university"]}}
    path = released(tmp_path, suffix, hierarchies=tree, coarsen="school=1")
    frame, stated = opened(path)
    labels = stated.variable_value_labels["school"]
    assert labels == {**VALUES["school"], 4: "at most secondary", 5: "higher"}
    assert set(frame["school"]) == {4, 5}
    assert set(read(path).frame["school"].cast(pl.String)) == {"at most secondary", "higher"}


def test_the_labels_of_columns_survive_in_a_transport_file(tmp_path: Path) -> None:
    path = released(tmp_path, ".xpt")
    stated = opened(path)[1]
    assert stated.file_label == "A survey"
    assert {name: stated.column_names_to_labels[name] for name in stated.column_names} == {
        name: text for name, text in LABELS.items() if name != "person"
    }
    assert stated.original_variable_types["pay"] == "DOLLAR9.2"


@pytest.mark.parametrize(
    ("suffix", "moment"),
    [
        (".sav", b"01 Jan 7000:00:00"),
        (".zsav", b"01 Jan 7000:00:00"),
        (".dta", b"<timestamp>\x1101 Jan 1970 00:00"),
        (".xpt", b"01JAN70:00:00:00" * 2),
    ],
)
def test_no_file_says_when_it_was_written(tmp_path: Path, suffix: str, moment: bytes) -> None:
    path = tmp_path / f"t{suffix}"
    write(FRAME, path)
    content = path.read_bytes()
    assert moment in content
    stated = opened(path)[1]
    assert {stated.creation_time.year, stated.modification_time.year} == {1970}
    write(FRAME, path)
    assert path.read_bytes() == content


def test_codes_that_are_declared_as_missing_are_missing_and_said(tmp_path: Path) -> None:
    found = read(write_survey(tmp_path / "survey.sav"))
    assert found["sex"].null_count() == ROWS // 3
    assert found.notes == (
        "survey.sav: 8 cells of 'sex' hold codes declared as missing; they are read as missing values",
    )


def test_letters_of_stata_are_missing_and_keep_their_labels(tmp_path: Path) -> None:
    values: dict[str, Any] = {"sex": {1: "man", 2: "woman", "a": "refused"}}
    cells = pl.DataFrame({"sex": pl.Series([1, 2, "a", None] * 3, dtype=pl.Object), "age": [1] * 12})
    pyreadstat.write_dta(
        cells, tmp_path / "p.dta", version=14, variable_value_labels=values, missing_user_values={"sex": ["a"]}
    )
    assert read(tmp_path / "p.dta")["sex"].to_list() == ["man", "woman", None, None] * 3
    release = shoal.anonymize(tmp_path / "p.dta", quasi=["age"], sensitive=["sex"], require="k=2")
    folder = release.save(tmp_path / "out")
    assert shoal.verify(folder, original=tmp_path / "p.dta").failures == []
    stated = opened(folder / "public" / "table.dta")[1]
    assert stated.variable_value_labels == values


def test_a_portable_file_becomes_a_system_file_and_a_line_says_so(tmp_path: Path) -> None:
    file = write_survey(tmp_path / "survey.por")
    found = read(file)
    assert found.notes == ("survey.por: .por files cannot be written; without --format the release is a .sav file",)
    names = {name.upper() for name in FRAME.columns} - {"TOWN", "SEEN"}
    assert set(found.columns) == names
    release = shoal.anonymize(file, quasi=["AGE", "SEX"], require="k=4", leave_out="rest")
    folder = release.save(tmp_path / "out")
    assert (folder / "public" / "table.sav").is_file()
    assert shoal.verify(folder, original=file).failures == []


def test_a_data_set_of_sas_becomes_a_transport_file_and_a_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No library writes data sets of SAS, so a transport file stands in for one."""
    monkeypatch.setattr(Sas, "functions", {**Sas.functions, ".sas7bdat": "read_xport"})
    found = read(write_survey(tmp_path / "survey.xpt").rename(tmp_path / "survey.sas7bdat"))
    assert found.origin.format == "xpt"
    assert found.notes == (
        "survey.sas7bdat: .sas7bdat files cannot be written; without --format the release is a .xpt file",
    )
    assert callable(pyreadstat.read_sas7bdat)


@pytest.mark.parametrize("suffix", READ)
def test_a_file_of_one_package_becomes_one_of_any_other(tmp_path: Path, suffix: str) -> None:
    file = write_survey(tmp_path / f"survey{suffix}")
    release = shoal.anonymize(file, **{**ROLES, "require": "k=4"})
    for format in ("sav", "dta", "xpt", "xlsx", "ods"):
        folder = release.save(tmp_path / format, format=format)
        assert shoal.verify(folder, original=file).failures == []
    assert opened(tmp_path / "dta" / "public" / "table.dta")[1].column_names_to_labels["town"] == LABELS["town"]


def test_labels_that_are_too_long_for_stata_are_cut(tmp_path: Path) -> None:
    writer = writer_of(tmp_path / "t.dta")
    assert isinstance(writer, LabelWriter)
    variable = Variable("ä" * 400, {0: "none", 0.5: "half"})
    writer.write_labelled(pl.DataFrame({"x": [0.5, 0.25]}), tmp_path / "t.dta", Labels({"x": variable}, "t" * 400))
    stated = opened(tmp_path / "t.dta")[1]
    assert (stated.column_names_to_labels["x"], stated.file_label) == ("ä" * 80, "t" * 80)


def test_labels_of_numbers_with_a_fraction_survive(tmp_path: Path) -> None:
    frame = pl.DataFrame({"share": [0.0, 0.5, 1.25, 0.0], "age": [1, 1, 1, 1]})
    values: dict[str, Any] = {"share": {0: "none"}}
    pyreadstat.write_dta(frame, tmp_path / "p.dta", version=14, variable_value_labels={"share": {0.0: "none"}})
    release = shoal.anonymize(tmp_path / "p.dta", quasi=["age"], other=["share"], allow=["share"], require="k=2")
    folder = release.save(tmp_path / "out")
    assert opened(folder / "public" / "table.dta")[1].variable_value_labels == values
    assert shoal.verify(folder, original=tmp_path / "p.dta").failures == []


CANNOT: dict[str, tuple[pl.Series, str]] = {
    "an empty string": (pl.Series(["x", ""]), "1 empty strings would become missing values"),
    "a space at the end": (pl.Series(["x ", "x"]), "spaces at the end of texts would be lost"),
}


@pytest.mark.parametrize(
    ("suffix", "case"), [pair for pair in product(READ, CANNOT) if pair != (".dta", "a space at the end")]
)
def test_what_a_file_cannot_hold_is_refused_and_nothing_is_left(tmp_path: Path, suffix: str, case: str) -> None:
    cells, problem = CANNOT[case]
    with pytest.raises(TableError, match=problem):
        write(pl.DataFrame({"note": cells}), tmp_path / f"t{suffix}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", READ)
def test_a_name_that_a_format_cannot_have_is_refused(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(TableError, match=r"files cannot have a column 'my town'; expected letters, digits and _"):
        write(pl.DataFrame({"my town": [1]}), tmp_path / f"t{suffix}")


@pytest.mark.parametrize("suffix", READ)
def test_types_that_a_format_does_not_know_are_kept_by_the_codebook(tmp_path: Path, suffix: str) -> None:
    frame = FRAME.drop("town").with_columns(
        flag=pl.col("age") > 21,
        tiny=pl.col("mood").cast(pl.Int8),
        small=pl.col("mood").cast(pl.UInt16),
        half=pl.col("pay").cast(pl.Float32),
        vast=pl.col("person").cast(pl.UInt64) + 2**63,
        large=pl.col("person") + 2**60,
        hour=pl.col("seen").dt.time(),
        zoned=pl.col("seen").dt.replace_time_zone("Europe/Oslo"),
    )
    roles: dict[str, Any] = {"quasi": ["age"], "other": "rest", "allow": [n for n in frame.columns if n != "age"]}
    folder = shoal.anonymize(frame, require="k=4", **roles).save(tmp_path / "out", format=suffix[1:])
    assert shoal.verify(folder, original=frame).failures == []


def test_labels_that_are_too_long_for_spss_make_a_column_of_text(tmp_path: Path) -> None:
    long = "a school of any kind" * 10
    cells = pl.DataFrame({"sex": ["man", long]})
    writer = writer_of(tmp_path / "t.sav")
    assert isinstance(writer, LabelWriter)
    writer.write_labelled(cells, tmp_path / "t.sav", Labels({"sex": Variable(values=VALUES["sex"], words=True)}))
    assert opened(tmp_path / "t.sav")[0].equals(cells)


@pytest.mark.parametrize("suffix", [*READ, ".por"])
def test_a_file_that_is_cut_off_is_said_in_words(tmp_path: Path, suffix: str) -> None:
    file = write_survey(tmp_path / f"survey{suffix}")
    file.write_bytes(file.read_bytes()[:300])
    with pytest.raises(TableError, match=r"is not a readable (SPSS|Stata|SAS) file; is it complete\?"):
        read(file)


def test_a_wrong_suffix_is_said_in_words(tmp_path: Path) -> None:
    write_survey(tmp_path / "survey.sav").rename(tmp_path / "survey.dta")
    with pytest.raises(TableError, match=r"'survey.dta' is an SPSS file, by its first bytes; expected .* in \.sav"):
        read(tmp_path / "survey.dta")
    (tmp_path / "people.sav").write_text("age,town\n30,Oslo\n")
    with pytest.raises(TableError, match=r"'people.sav' is a text file, not a SPSS file; if it is CSV"):
        read(tmp_path / "people.sav")
    (tmp_path / "none.xpt").touch()
    with pytest.raises(TableError, match=r"'none.xpt' is empty"):
        read(tmp_path / "none.xpt")


def test_an_unknown_encoding_is_refused(tmp_path: Path) -> None:
    with pytest.raises((ParameterError, TableError)):
        read(write_survey(tmp_path / "survey.sav"), encoding="klingon")
