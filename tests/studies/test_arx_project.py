"""Projects of ARX, made by hand in the form in which ARX saves them."""

from __future__ import annotations

import tomllib
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import shoal
import shoal.costs
import shoal.tables.table
from shoal.cli.app import app
from shoal.config import read_config
from shoal.core.discovery import discover
from shoal.core.errors import HierarchyError, ParameterError, ShoalError
from shoal.costs.base import Cost
from shoal.models.requirement import parse_requirement
from shoal.studies.arx import archive, read_project
from shoal.studies.arx.words import cost, model

METADATA = "<metadata>\n\t<version>3.9.0</version>\n\t<vocabulary>2.0</vocabulary>\n</metadata>\n"
AGES = "21;[20, 30[;*\n25;[20, 30[;*\n38;[30, 40[;*\n39;[30, 40[;*\n"
TABLE = "name;age;sex;disease\nAda;21;f;flu\nBea;25;f;cold\nCid;38;m;flu\nDan;39;m;cold\n"


def column(name: str, kind: str, *more: str) -> str:
    """A column as `definition.xml` has it."""
    lines = f"<name>{escape(name)}</name><type>{kind}</type><datatype>String</datatype>{''.join(more)}"
    return f"<assigment>{lines}</assigment>"


def definition(*columns: str) -> str:
    return f"<definition>{''.join(columns)}</definition>"


def config(*criteria: str, limit: str = "0.05", metric: str = "Loss (0.5/1.0/1.0)", more: str = "") -> str:
    lines = "".join(f"<criterion>{escape(one)}</criterion>" for one in criteria)
    return (
        "<config><suppressTuplesInNonAnonymousOutput>true</suppressTuplesInNonAnonymousOutput>"
        "<suppressedAttributeTypes><type>QUASI_IDENTIFYING_ATTRIBUTE</type></suppressedAttributeTypes>"
        f"<practicalMonotonicity>false</practicalMonotonicity><relativeMaxOutliers>{limit}</relativeMaxOutliers>"
        f"<metric>{metric}</metric>{more}<criteria>{lines}</criteria></config>"
    )


REF = "<ref>hierarchies/age.csv</ref><min>All</min><max>All</max>"
WEIGHT = "<attributeWeight><attribute>age</attribute><weight>1.0</weight></attributeWeight>"
WEIGHTS = f"<attributeWeights>{WEIGHT}</attributeWeights>"
COLUMNS = (
    column("name", "IDENTIFYING_ATTRIBUTE"),
    column("age", "QUASI_IDENTIFYING_ATTRIBUTE", REF),
    column("sex", "QUASI_IDENTIFYING_ATTRIBUTE"),
    column("disease", "SENSITIVE_ATTRIBUTE"),
)
PARTS = {
    "metadata.xml": METADATA,
    "project.dat": "\xac\xed a serialised object",
    "project.xml": "<project><name>study</name><separator>;</separator></project>",
    "data/input.csv": TABLE,
    "input/config.xml": config("2-anonymity", "distinct-2-diversity for attribute 'disease'"),
    "input/definition.xml": definition(*COLUMNS),
    "input/hierarchies/age.csv": AGES,
}


def saved(folder: Path, **changed: str | bytes | None) -> Path:
    """A project with some parts changed or, if None, left out; `/` and `.` in names are written `_`."""
    path = folder / "study.deid"
    names = {name.replace("/", "_").replace(".", "_"): name for name in PARTS}
    parts = PARTS | {names.get(name, name): part for name, part in changed.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, part in parts.items():
            if part is not None:
                out.writestr(name, part)
    return path


def test_a_project_becomes_a_folder_that_shoal_runs(tmp_path: Path) -> None:
    found = read_project(saved(tmp_path), tmp_path / "study")
    assert found.roles == {"quasi": ["age", "sex"], "sensitive": ["disease"], "identifiers": ["name"], "other": []}
    assert (found.require, found.max_suppressed, found.cost) == ("k=2 distinct-l(disease)=2", "0.05", "geometric-loss")
    assert [text.split(":")[0] for text in found.left_out] == ["cost 'Loss (0.5/1.0/1.0)'"]
    asked = read_config(tmp_path / "study" / "shoal.toml")
    table = shoal.tables.table.read(asked.pop("file"), separator=asked.pop("separator"))
    release = shoal.anonymize(table, **asked)
    assert sorted(release.table.select("age", "sex").rows()) == [("[20, 30[", "f")] * 2 + [("[30, 40[", "m")] * 2
    assert sorted(one.name for one in tmp_path.iterdir()) == ["study", "study.deid"]


def test_the_command_says_what_was_read_and_what_was_left_out(tmp_path: Path) -> None:
    path = saved(tmp_path, input_config_xml=config("5-anonymity", "(5)-map"))
    command = ["hierarchy", "import-arx", str(path)]
    result = CliRunner().invoke(app, [*command, "-o", str(tmp_path / "out")], env={"COLUMNS": "300"})
    assert result.exit_code == 0
    assert "require: k=5; max_suppressed 0.05" in result.output
    assert "left out: model '(5)-map'" in result.output
    assert "# Left out: model '(5)-map'" in (tmp_path / "out" / "shoal.toml").read_text()
    with pytest.raises(ParameterError, match="-o DIR is not given"):
        raise CliRunner().invoke(app, command).exception  # type: ignore[misc]


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("5-anonymity", "k=5"),
        ("distinct-3-diversity for attribute 'a b'", 'distinct-l("a b")=3'),
        ("entropy-3.0-diversity for attribute 'x'", "entropy-l(x)=3"),
        ("shannon-entropy-2.5-diversity for attribute 'x'", "entropy-l(x)=2.5"),
        ("recursive-(4.0,3)-diversity for attribute 'x'", "recursive-l(x)=(4,3)"),
        ("0.2-closeness with equal distance for attribute 'x'", "t(x:equal)=0.2"),
        ("0.2-closeness with ordered distance for attribute 'x'", "t(x:ordered)=0.2"),
        ("1.0E-4-closeness with hierarchical distance for attribute 'it's'", 't("it\'s":hierarchy)=0.0001'),
        ("basic-2.0-likeness for attribute 'x'", "beta(x)=2"),
        ("enhanced-2.0-likeness for attribute '3'", "enhanced-beta(3)=2"),
        ("1.5-disclosure privacy for attribute 'x'", "delta(x)=1.5"),
        ("grassberger-entropy-3.0-diversity for attribute 'x'", "grassberger-l(x)=3"),
        ("(5)-map estimated as (3)-anonymity (Poisson)", None),
        ("(0.05,0.15)-presence", None),
        ("(2.0,1.0E-6)-differential privacy", None),
        ("0.01-average-risk", None),
        ("something new", None),
    ],
)
def test_models_are_worded_or_refused_with_a_reason(line: str, asked: str | None) -> None:
    found = model(line)
    assert found.asked == asked
    assert asked is None or str(parse_requirement(asked)) == asked
    assert asked is not None or found.remark


def test_costs_are_those_of_shoal() -> None:
    lines = ("Loss (0.5/1.0/1.0)", "Height", "Precision", "Monotonic discernability", "Average equivalence class size")
    names = [cost(line).asked for line in (*lines, "Ambiguity", "KL-Divergence", "Normalized non-uniform entropy")]
    assert set(names) <= set(discover(shoal.costs, Cost))
    assert cost("Classification accuracy").asked is None


def test_what_differs_is_listed(tmp_path: Path) -> None:
    columns = (
        column("age", "QUASI_IDENTIFYING_ATTRIBUTE", "<ref>hierarchies/age.csv</ref><min>1</min><max>All</max>"),
        column("../sex", "QUASI_IDENTIFYING_ATTRIBUTE", "<ref>hierarchies/../sex.csv</ref>"),
        column("disease", "INSENSITIVE_ATTRIBUTE", "<responseVariable>true</responseVariable>"),
    )
    path = saved(
        tmp_path,
        input_definition_xml=definition(*columns),
        input_config_xml=config(metric="Loss (0.1/1.0/0.2)", more=WEIGHTS),
        data_input_csv=None,
        **{"input/hierarchies/../sex.csv": "f\nm\n"},
    )
    found = read_project(path, tmp_path / "study")
    assert found.hierarchies == {"age": "hierarchies/age.csv", "../sex": "stars"}
    said = "\n".join(found.left_out)
    for words in ("no level of one value", "the least or the highest level", "factor 0.1", "weights of 'age'"):
        assert words in said
    assert "response variable" in said
    assert "the table: it is not in the project" in said
    toml = tomllib.loads((tmp_path / "study" / "shoal.toml").read_text())
    assert toml["roles"] == {"quasi": ["age", "../sex"], "other": ["disease"]}
    assert toml["privacy"] == {"max_suppressed": 0.05}


def test_weights_are_carried_over_to_costs_that_take_them(tmp_path: Path) -> None:
    path = saved(tmp_path, input_config_xml=config("2-anonymity", metric="Height", more=WEIGHTS))
    assert read_project(path, tmp_path / "study").weights == {"age": "2"}


# --- bad files -------------------------------------------------------------------------------------------------------

BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><definition>&b;</definition>'


@pytest.mark.parametrize(
    ("part", "content", "why"),
    [
        ("input_definition_xml", None, "has no 'input/definition.xml'"),
        ("input_config_xml", None, "has no 'input/config.xml'"),
        ("input_hierarchies_age_csv", None, "has no 'input/hierarchies/age.csv'"),
        ("input_definition_xml", BOMB, "declares a document type"),
        ("input_definition_xml", "<definition>", "has no XML"),
        ("input_definition_xml", definition(), "names no columns"),
        ("input_definition_xml", definition(column("a", "ODD")), "of the unknown type 'ODD'"),
        ("input_config_xml", config(limit="1.5"), "suppression limit '1.5'"),
        ("input_config_xml", config(limit="some"), "suppression limit 'some'"),
        ("input_hierarchies_age_csv", "21;a;*\n22;b\n", "rows of different lengths"),
        ("project_xml", "<project><separator>;;</separator></project>", "has the separator ';;'"),
    ],
)
def test_a_bad_part_is_refused_and_nothing_written(tmp_path: Path, part: str, content: str | None, why: str) -> None:
    path = saved(tmp_path, **{part: content})
    with pytest.raises(ParameterError, match=why.replace("(", r"\(")):
        read_project(path, tmp_path / "study")
    assert [one.name for one in tmp_path.iterdir()] == ["study.deid"]


def test_groups_that_are_not_nested_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, input_hierarchies_age_csv="21;a;A;*\n25;a;B;*\n")
    with pytest.raises(HierarchyError, match=r"hierarchies/age\.csv"):
        read_project(path, tmp_path / "study")
    assert [one.name for one in tmp_path.iterdir()] == ["study.deid"]


def test_entries_that_are_too_large_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive.Archive.chunks, "__defaults__", (1000,))
    path = saved(tmp_path, input_hierarchies_age_csv="21;a;*\n" * 1000)
    with pytest.raises(ParameterError, match="has more than 1,000 bytes"):
        read_project(path, tmp_path / "study")


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "study.deid").write_text("plain text")
    with pytest.raises(ParameterError, match="is not a ZIP archive"):
        read_project(tmp_path / "study.deid", tmp_path / "study")
    with pytest.raises(ParameterError, match="there is no file"):
        read_project(tmp_path / "none.deid", tmp_path / "study")


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "mine.txt").write_text("mine")
    with pytest.raises(ParameterError, match="exists already"):
        read_project(saved(tmp_path), tmp_path / "study")
    assert (tmp_path / "study" / "mine.txt").read_text() == "mine"


@given(data=st.data())
def test_a_damaged_file_is_refused_in_words(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("arx")
    content = bytearray(saved(folder).read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    (folder / "study.deid").write_bytes(content[: data.draw(st.integers(1, len(content)))])
    try:
        read_project(folder / "study.deid", folder / "out")
    except ShoalError:
        assert not (folder / "out").exists()
