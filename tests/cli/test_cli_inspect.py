import json
import tomllib
from pathlib import Path

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner, Result

from shoal.cli.app import app
from shoal.core.errors import ReleaseError, SafetyWarning, TableError

SECRETS = ["Qvist", "Zander", "Ytterby"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [f"{SECRETS[n % 3]} {n};{20 + n % 9};{SECRETS[n % 3]}vik;{5000 + n},5;[x]" for n in range(60)]
    path = tmp_path / "data" / "people.csv"
    path.parent.mkdir()
    path.write_text("name;age;city;salary;[bold]tag\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def run(*words: object) -> Result:
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, ["inspect", *map(str, words)])


def test_columns_roles_reasons_and_sets_are_shown_and_no_cell(table: Path) -> None:
    result = run(table)
    assert result.exit_code == 0, result.output
    for part in ("60 rows, 5 columns", "identifier", "the name says age", "[bold]tag", "unique in", "all 2 together"):
        assert part in result.output
    assert not any(secret in result.output for secret in SECRETS)


def test_json_is_all_there_is_on_standard_output(table: Path) -> None:
    content = json.loads(run(table, "--json", "--separator", ";", "--decimal", ",").stdout)
    assert [column["role"] for column in content["columns"]] == ["identifier", "quasi", "quasi", "sensitive", "other"]


def test_the_toml_feeds_anonymize(table: Path, tmp_path: Path) -> None:
    config = tmp_path / "shoal.toml"
    result = run(table, "--toml", config, "--separator", ";", "--decimal", ",")
    assert result.exit_code == 0, result.output
    assert tomllib.loads(config.read_text(encoding="utf-8"))["data"] == {
        "file": "data/people.csv", "separator": ";", "decimal": ",",
    }  # fmt: skip
    with pytest.warns(SafetyWarning, match="'salary' is published exactly"):
        released = CliRunner().invoke(app, ["anonymize", "--config", str(config), "--json"])
    assert released.exit_code == 0, released.output
    assert json.loads(released.stdout)["rows"] == 60
    assert (tmp_path / "release" / "public").is_dir()


def test_an_existing_file_is_not_overwritten(table: Path, tmp_path: Path) -> None:
    config = tmp_path / "shoal.toml"
    config.write_text("kept", encoding="utf-8")
    assert isinstance(run(table, "--toml", config).exception, ReleaseError)
    assert config.read_text(encoding="utf-8") == "kept"
    assert isinstance(run(table, "--toml", tmp_path / "no" / "folder.toml").exception, ReleaseError)


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    assert isinstance(run(tmp_path / "none.csv").exception, TableError)


def test_in_80_columns_there_is_a_line_a_column_and_what_each_adds(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    names = ["age", "an_extremely_long_name_of_a_column_that_says_nothing", "sex", "bedroom_windows", "患者番号"]
    rows = [f"{20 + n % 40},{n % 7},{'fm'[n % 2]},{n % 5},{10_000 + n}" for n in range(200)]
    path.write_text(",".join(names) + "\n" + "\n".join(rows) + "\n", encoding="utf-8")
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, ["inspect", str(path)])
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[1].split() == ["column", "role", "distinct", "why"]
    assert [line.split()[1] for line in lines[2:7]] == ["quasi", "open", "quasi", "open", "identifier"]
    assert all(cell_len(line) <= 80 for line in lines)
    assert "quasi-identifiers, the worst first, each added to those above:" in lines
    assert "left to your judgement; as quasi-identifiers they would add:" in lines
