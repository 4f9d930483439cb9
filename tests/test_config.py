from __future__ import annotations

from pathlib import Path

import pytest

from shoal.config import read_config
from shoal.core.errors import ParameterError
from shoal.core.settings import (
    CODES,
    FILE,
    HIERARCHY,
    LEVELS,
    MASK,
    NAMES,
    NUMBER,
    RECODING,
    SECTIONS,
    SWITCH,
    TEXT,
    WORDS,
    Setting,
)
from shoal.core.toml import toml_value
from shoal.request import SETTINGS

VALUES = {
    TEXT: "some words",
    FILE: "people.csv",
    NUMBER: 0.5,
    NAMES: ["age", "home town"],
    SWITCH: True,
    CODES: [-8, 99, "NA"],
    WORDS: ["cold", "flu"],
    HIERARCHY: {"builder": "prefixes", "lengths": [3, 2]},
    MASK: {"mask": "noise", "share": 0.1},
    LEVELS: "1..3",
    RECODING: "range",
}
"""A value of every kind that a setting may have."""
COLUMN = "home town"
"""What a section with a line per column names."""


def config(folder: Path, text: str) -> Path:
    (folder / "shoal.toml").write_text(text, encoding="utf-8")
    return folder / "shoal.toml"


def line(one: Setting) -> str:
    """Return the line of a setting in the file."""
    return f"{toml_value(COLUMN) if one.per_column else one.key} = {toml_value(VALUES[one.kind])}"


def test_every_setting_can_stand_in_the_file(tmp_path: Path) -> None:
    said = {
        name: VALUES[one.kind] if one.kind != FILE else str(tmp_path / "people.csv") for name, one in SETTINGS.items()
    }
    lines = (
        f"[{section}]\n" + "\n".join(line(one) for one in SETTINGS.values() if one.section == section)
        for section in SECTIONS
    )
    expected = {name: {COLUMN: value} if SETTINGS[name].per_column else value for name, value in said.items()}
    assert read_config(config(tmp_path, "\n\n".join(lines))) == expected


def test_file_names_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "towns.csv").write_text("Oslo;Norway\n")
    monkeypatch.chdir(tmp_path)
    text = '[data]\nfile = "people.csv"\n[output]\nfolder = "out"\n[hierarchies]\ntown = "towns.csv"\n'
    found = read_config(config(tmp_path / "project", text).relative_to(tmp_path))
    assert found == {
        "file": "project/people.csv",
        "folder": "project/out",
        "hierarchies": {"town": "project/towns.csv"},
    }


def test_a_metric_in_a_requirement_is_relative_to_the_file(tmp_path: Path) -> None:
    for name in ("pains.csv", "my pains.csv"):
        (tmp_path / name).write_text("low,high\n0,1\n1,0\n")
    text = """[privacy]
require = 't(pain:pains.csv)=0.2 t(ache : "my pains.csv" )=0.3 t(b:equal)=0.1 t(c:none.csv)=0.1'
"""
    assert read_config(config(tmp_path, text))["require"] == (
        f't(pain:{tmp_path}/pains.csv)=0.2 t(ache :"{tmp_path}/my pains.csv")=0.3 t(b:equal)=0.1 t(c:none.csv)=0.1'
    )


def test_an_absolute_file_name_stays(tmp_path: Path) -> None:
    assert read_config(config(tmp_path, '[data]\nfile = "/data/people.csv"\n'))["file"] == "/data/people.csv"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[rolls]\n", r"unknown section \[rolls\]; did you mean 'roles'\?"),
        ("[colours]\n", r"unknown section \[colours\]; known: 'data', 'roles'"),
        ("quasi = ['age']\n", r"unknown section \[quasi\]"),
        ("[roles]\nquasy = ['age']\n", r"unknown key 'quasy' in \[roles\]; did you mean 'quasi'\?"),
        ("[output]\ncolour = 'red'\n", r"unknown key 'colour' in \[output\]"),
        ("[data]\nquasi = ['age']\n", r"unknown key 'quasi' in \[data\]"),
        ("[roles\n", "is not a TOML file"),
        ("[roles]\nquasi = [\n", "is not a TOML file"),
        ("[roles]\nquasi = 1\nquasi = 2\n", "is not a TOML file"),
    ],
)
def test_a_misspelt_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read_config(config(tmp_path, text))


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"there is no configuration 'shoal\.toml'"):
        read_config(tmp_path / "shoal.toml")
    (tmp_path / "shoal.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ParameterError, match="is not a TOML file"):
        read_config(tmp_path / "shoal.toml")


@pytest.mark.parametrize(
    "line",
    [
        "[data]\nfile = 5",
        "[data]\nseparator = 5",
        "[data]\nencoding = true",
        "[data]\ndecimal = 0.5",
        "[roles]\nquasi = 5",
        "[roles]\nquasi = [1, 2]",
        "[roles]\nsensitive = true",
        "[roles]\nidentifiers = { a = 1 }",
        "[privacy]\nrequire = 5",
        "[privacy]\nrequire = ['k=5']",
        "[privacy]\nmax_dropped = [1]",
        "[method]\nname = 5",
        "[method]\nrecoding = 5",
        "[method]\ncost = 5",
        "[method]\nseed = 'x'",
        "[method]\ntime_limit = true",
        "[output]\nfolder = 5",
        "[output]\nformat = 5",
        "[output]\nstar = 5",
        "[output]\nneutralise = 1",
        "[output]\noverwrite = 'no'",
        "[attribute_weights]\nage = [1]",
    ],
)
def test_a_setting_of_the_wrong_kind_is_refused(tmp_path: Path, line: str) -> None:
    setting = line.partition("\n")[2].partition(" =")[0]
    with pytest.raises(ParameterError, match=rf"shoal\.toml: {setting} in \[\w+\] is .*; expected"):
        read_config(config(tmp_path, line + "\n"))


def test_the_old_name_of_a_section_is_read_with_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "shoal.toml"
    file.write_text("[weights]\nage = 2\n")
    with pytest.warns(FutureWarning, match=r"\[weights\] is now called \[attribute_weights\]"):
        assert read_config(file)["attribute_weights"] == {"age": 2}
    file.write_text("[weights]\nage = 2\n[attribute_weights]\nage = 3\n")
    with pytest.raises(ParameterError, match="are the same section"):
        read_config(file)
